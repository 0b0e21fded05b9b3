"""The parts of a pilot: the five decisions and the frame of the search, as plain data with bounds on every number.

Every setting has the name and the default of its native counterpart (core/search/settings.hpp and
core/eval/evaluator.hpp). The defaults are the plain search: full width, nothing selective.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator, model_validator

from plypilot.games import FeatureSet, Game, GameInfo, game_info

PLY_UNITS = 1024
"""Parts of a ply in the search's fixed-point depth."""
NETWORK_ARRAYS = ("hidden", "hidden_bias", "output")
_WIN_SCORE = 32_000
_MOST_STATIC = 31_749
"""An evaluation never claims a win (core/search/score.hpp)."""
_FEWEST_LOG2_ENTRIES = 14
_MOST_UNITS = 256


class PilotError(ValueError):
    """A pilot file or a setting that cannot be used; the text names it, what is wrong and what to do."""


def find_set(info: GameInfo, name: str) -> FeatureSet:
    """A feature set of a game by name. Raises PilotError."""
    for each in info.feature_sets:
        if each.name == name:
            return each
    there = ", ".join(each.name for each in info.feature_sets) or "none"
    raise PilotError(f'{info.name} has no feature set "{name}"; there are: {there}')


def _whole_units(plies: float) -> float:
    return round(plies * PLY_UNITS) / PLY_UNITS


def _table_size(log2_entries: int) -> int:
    if 0 < log2_entries < _FEWEST_LOG2_ENTRIES:
        raise ValueError(f"expected 0 (no table) or at least {_FEWEST_LOG2_ENTRIES}")
    return log2_entries


def _read_weights(given: object) -> NDArray[np.float32]:
    """Weights as a read-only float32 array of its own, shape (features,)."""
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError("expected numbers, one for each feature") from error
    if values.ndim != 1:
        raise ValueError(f"has the shape {values.shape}, expected one number for each feature")
    if not np.all(np.isfinite(values)):
        raise ValueError(f"feature {int(np.argmin(np.isfinite(values)))} has a weight that is not a finite number")
    if np.any(np.abs(values) > _WIN_SCORE):
        at = int(np.argmax(np.abs(values)))
        raise ValueError(f"feature {at} has the weight {values[at]:g}, expected at most {_WIN_SCORE} either way")
    weights = values.astype(np.float32) + np.float32(0)  # there is no minus zero: equal pilots have equal bytes
    weights.flags.writeable = False
    return weights


def _read_matrix(given: object) -> NDArray[np.float32]:
    """The same with two axes."""
    values = np.asarray(given, dtype=np.float32)
    if values.ndim != 2:
        raise ValueError(f"has the shape {values.shape}, expected (features, units)")
    return _read_weights(values.reshape(-1)).reshape(values.shape)


Plies = Annotated[float, Field(ge=0, le=4), AfterValidator(_whole_units)]
"""A cost in plies, rounded to 1/1024, which is exact in the search and in a file."""
Weights = Annotated[NDArray[np.float32], PlainValidator(_read_weights)]


class Part(BaseModel):
    """Settings that are checked, and do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True)


class Network(Part):
    """One hidden layer over a feature set: tanh(output * tanh(features * hidden + hidden_bias) + output_bias)."""

    set: str
    """the feature set of the inputs"""
    scale: Annotated[float, Field(gt=0, le=_MOST_STATIC)] = 1000.0
    """score units for a value of 1"""
    first_player: bool = False
    """the value is that of the first player whoever is to move, as with inputs that do not turn (Kocsis 2.1.2)"""
    output_bias: Annotated[float, Field(ge=-_WIN_SCORE, le=_WIN_SCORE)] = 0.0
    """added before the last tanh"""
    hidden: Annotated[NDArray[np.float32], PlainValidator(_read_matrix)]
    """weights from inputs to hidden units, shape (features, units)"""
    hidden_bias: Weights
    """shape (units,)"""
    output: Weights
    """weights from hidden units to the output, shape (units,)"""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        units = self.hidden.shape[1]
        if not 1 <= units <= _MOST_UNITS:
            raise ValueError(f"has {units} hidden units, expected 1 to {_MOST_UNITS}")
        if len(self.hidden_bias) != units or len(self.output) != units:
            raise ValueError(f"hidden_bias and output must have {units} numbers each, one for each hidden unit")
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[object, ...]:
        arrays = tuple(getattr(self, name).tobytes() for name in NETWORK_ARRAYS)
        return self.set, self.scale, self.first_player, self.output_bias, self.hidden.shape, arrays


class Evaluation(Part):
    """How a position is judged at the leaves."""

    kind: Literal["zero", "random", "linear", "network"] = "zero"
    """nothing, a random number for each position, weights on named features, or a network over them"""
    random_size: Annotated[int, Field(ge=0, le=_MOST_STATIC)] = 0
    """random: values lie between minus this and this, in score units; linear, network: such a value is added"""
    weights: dict[str, Weights] = {}
    """linear: for each feature set the weights of its features in score units (100 to a pawn), shape (features,)"""
    network: Network | None = None
    """network: its layers"""

    @model_validator(mode="after")
    def _has_weights(self) -> Self:
        if self.kind == "linear" and not self.weights:
            raise ValueError("a linear evaluation needs the weights of at least one feature set")
        if self.kind == "network" and self.network is None:
            raise ValueError("a network evaluation needs a network")
        return self

    @classmethod
    def linear(cls, game: str | type[Game], weights: Mapping[str, Mapping[str, float] | ArrayLike]) -> Self:
        """From weights by set and by feature; features that are not named weigh 0. Arrays are taken as they are."""
        info = game_info(game)
        arrays = {}
        for name, given in weights.items():
            if not isinstance(given, Mapping):
                arrays[name] = _read_weights(given)
                continue
            features = find_set(info, name).features
            if unknown := sorted(set(given) - set(features)):
                raise PilotError(
                    f'set "{name}" of {info.name} has no feature "{unknown[0]}"; there are: {", ".join(features)}'
                )
            arrays[name] = _read_weights([given.get(feature, 0.0) for feature in features])
        return cls(kind="linear", weights=arrays)

    def named(self, game: str | type[Game]) -> dict[str, dict[str, float]]:
        """The weights by set and by feature, as ``linear`` takes them."""
        info = game_info(game)
        # The shortest text that names a float32 is what a person wrote.
        return {
            name: {
                feature: float(str(weight))
                for feature, weight in zip(find_set(info, name).features, array, strict=True)
            }
            for name, array in self.weights.items()
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Evaluation):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[object, ...]:
        weights = sorted((name, array.tobytes()) for name, array in self.weights.items())
        return self.kind, self.random_size, tuple(weights), self.network


class Ordering(Part):
    """Which move to try first."""

    table_move: bool = False
    """the move of the transposition table first"""
    captures: bool = False
    """captures before the others"""
    exchange: bool = True
    """captures by what they win in a static exchange, losing ones last; else as they are generated"""
    killers: Annotated[int, Field(ge=0, le=2)] = 0
    """how many quiet moves that cut at the same ply are remembered"""
    history: bool = False
    """quiet moves by how often they cut"""
    countermove: bool = False
    """the quiet move that last refuted the opponent's move"""
    shuffle: bool = False
    """ties in random order, by the seed of the search"""
    internal_deepening: Annotated[int, Field(ge=0, le=8)] = 0
    """plies less for a search that finds a first move where the table has none; 0: off"""


class Category(NamedTuple):
    """Moves that have all these features cost this much depth."""

    features: tuple[str, ...]
    """Names or symbols of the game's move features; none at all is every move."""
    plies: Plies


class DepthRules(Part):
    """What a move costs of the depth that is left."""

    categories: Annotated[tuple[Category, ...], Field(max_length=4096)] = ()
    """moves with all of these features cost this many plies (0 to 4, in 1/1024); other moves cost one"""
    rule: Literal["lowest", "first"] = "lowest"
    """of the categories a move is in: the cheapest counts, or the one that stands first"""
    evasion: Plies = 1.0
    """the most a move out of check costs; 0: and no horizon in check (Smith 4.4.6.1)"""
    mate_threat: Plies = 1.0
    """the most a move costs where passing would allow mate"""
    singular: Annotated[int, Field(ge=0, le=2)] = 0
    """r of the singular extension (Smith 4.4.6.5); 0: off"""
    recapture: bool = False
    """extends captures that restore the balance of the last iteration (Smith 4.4.6.3)"""
    reduce_late: bool = False
    """late quiet moves are tried at less depth first"""


class Pruning(Part):
    """Which moves and positions are not searched."""

    null_reduction: Annotated[int, Field(ge=0, le=6)] = 0
    """R of the null move; 0: off"""
    null_adaptive: bool = False
    """R + 1 where more than six plies are left (Heinz 1999)"""
    null_recursive: bool = True
    """below a null move another may follow"""
    null_if_above: bool = False
    """only where the static value is already at or above beta"""
    futility_margin: Annotated[int, Field(ge=0, le=_WIN_SCORE)] = 0
    """score units a ply by which quiet moves within three plies of the leaves may miss; 0: off"""
    late_moves: Annotated[int, Field(ge=0, le=1000)] = 0
    """within five plies of the leaves only so many quiet moves are tried, and plies squared; 0: off"""


class Timing(Part):
    """How much of the clock a move gets: (time - margin) / moves_to_go + increment * increment_share - margin / 20.

    No iteration is begun after 60% of that, and the search ends at three times that.
    """

    rule: Literal["fixed"] = "fixed"
    """how the time of a move is chosen"""
    moves_to_go: Annotated[int, Field(ge=1, le=500)] = 30
    """how many moves are still to come, where the clock does not say"""
    increment_share: Annotated[float, Field(ge=0, le=1)] = 0.75
    """the part of the increment that is spent at once"""
    margin_ms: Annotated[int, Field(ge=0, le=60_000)] = 100
    """kept back of the clock, and a twentieth of it of every move, for what happens outside the search"""


class Window(Part):
    """Which windows are asked of the search."""

    kind: Literal["alpha_beta", "pvs", "mtdf"] = "alpha_beta"
    """full windows, null windows around the first move's value (PVS), or null windows only (MTD(f))"""
    aspiration: Annotated[int, Field(ge=0, le=_WIN_SCORE)] = 0
    """half width around the last iteration's value, in score units; 0: the full window"""


class Table(Part):
    """The transposition table."""

    log2_entries: Annotated[int, Field(ge=0, le=32), AfterValidator(_table_size)] = 0
    """size: 14 is 16K entries of 16 bytes, 20 is a million; 0: no table"""
    probes: Literal[1, 2, 4, 8, 16] = 1
    """consecutive entries that a position may take (Smith 4.2.5.3)"""
    two_level: bool = False
    """deepest and newest in pairs, instead of probes (Smith 4.2.5.4)"""
    exact: bool = False
    """cut-offs need equal depth and path-dependent values are not stored"""


class Quiescence(Part):
    """What is searched beyond the horizon."""

    on: bool = False
    """captures and promotions are followed to a quiet position"""
    most_plies: Annotated[int, Field(ge=0, le=250)] = 0
    """how far; 0: as far as captures go"""
    exchange_filter: bool = False
    """leaves out captures that lose material by static exchange"""
    margin: Annotated[int, Field(ge=0, le=_WIN_SCORE)] = 0
    """leaves out captures that miss alpha by more than this, in score units; 0: off"""
    evasions: bool = False
    """in check no standing pat, and every move is followed"""
    ends: bool = False
    """mate and stalemate are seen where it begins, at the cost of generating all moves there"""


class Root(Part):
    """How the move to play is chosen."""

    random_ties: bool = False
    """among the equal best at random"""
    noise: Annotated[int, Field(ge=0, le=_WIN_SCORE)] = 0
    """uniform noise of this size on the scores of root moves"""


class SearchFrame(Part):
    """The search around the five decisions."""

    window: Window = Window()
    table: Table = Table()
    quiescence: Quiescence = Quiescence()
    root: Root = Root()
    early_repetition: bool = False
    """a position repeated inside the tree is a draw at once"""
    ends_at_horizon: bool = True
    """the end of the game is seen at the horizon too, without a quiescence search; else the evaluation judges there"""
