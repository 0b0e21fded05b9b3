"""The pilot: all that steers a search of one game, as plain data. Its parts, its file, and the two that are hand-set.

Every setting has the name and the default of its native counterpart (core/search/settings.hpp and
core/eval/evaluator.hpp). The defaults are the plain search: full width, nothing selective.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from plypilot import sealed
from plypilot.games import FeatureSet, Game, GameInfo, UnknownGame, game_info

__all__ = [
    "Category",
    "Comparison",
    "DepthRules",
    "Evaluation",
    "Network",
    "Ordering",
    "Pilot",
    "PilotError",
    "Pruning",
    "Quiescence",
    "Root",
    "SearchFrame",
    "Setting",
    "Table",
    "Timing",
    "Window",
    "read_changes",
]

_PLY_UNITS = 1024
"""Parts of a ply in the search's fixed-point depth."""
_WIN_SCORE = 32_000
_MOST_STATIC = 31_749
"""An evaluation never claims a win (core/search/score.hpp)."""
_FEWEST_LOG2_ENTRIES = 14
_MOST_UNITS = 256
_NETWORK_ARRAYS = ("hidden", "hidden_bias", "output")
_FORMAT = "pilot"
_VERSION = 1
"""Raised when a file would mean something else; a setting that an older file does not name has its default."""


class PilotError(ValueError):
    """A pilot file or a setting that cannot be used; the text names it, what is wrong and what to do."""


def _whole_units(plies: float) -> float:
    return round(plies * _PLY_UNITS) / _PLY_UNITS


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


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True)


class Network(_Part):
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
        arrays = tuple(getattr(self, name).tobytes() for name in _NETWORK_ARRAYS)
        return self.set, self.scale, self.first_player, self.output_bias, self.hidden.shape, arrays


class Evaluation(_Part):
    """How a position is judged at the leaves."""

    kind: Literal["zero", "random", "linear", "network"] = "zero"
    """nothing, a random number for each position, weights on named features, or a network over them"""
    random_size: Annotated[int, Field(ge=0, le=_MOST_STATIC)] = 0
    """random: values lie between minus this and this, in score units"""
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
            features = _find_set(info, name).features
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
                for feature, weight in zip(_find_set(info, name).features, array, strict=True)
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


class Ordering(_Part):
    """Which move to try first."""

    table_move: bool = False
    """the move of the transposition table first"""
    captures: bool = False
    """captures before the others by static exchange, losing ones last"""
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


class DepthRules(_Part):
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


class Pruning(_Part):
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


class Timing(_Part):
    """How much of the clock a move gets: remaining time / moves_to_go + increment * increment_share - margin_ms."""

    rule: Literal["fixed"] = "fixed"
    """how the time of a move is chosen"""
    moves_to_go: Annotated[int, Field(ge=1, le=500)] = 30
    """how many moves are still to come, where the clock does not say"""
    increment_share: Annotated[float, Field(ge=0, le=1)] = 0.75
    """the part of the increment that is spent at once"""
    margin_ms: Annotated[int, Field(ge=0, le=60_000)] = 50
    """kept back on every move, for what happens outside the search"""


class Window(_Part):
    """Which windows are asked of the search."""

    kind: Literal["alpha_beta", "pvs", "mtdf"] = "alpha_beta"
    """full windows, null windows around the first move's value (PVS), or null windows only (MTD(f))"""
    aspiration: Annotated[int, Field(ge=0, le=_WIN_SCORE)] = 0
    """half width around the last iteration's value, in score units; 0: the full window"""


class Table(_Part):
    """The transposition table."""

    log2_entries: Annotated[int, Field(ge=0, le=32), AfterValidator(_table_size)] = 0
    """size: 14 is 16K entries of 16 bytes, 20 is a million; 0: no table"""
    probes: Literal[1, 2, 4, 8, 16] = 1
    """consecutive entries that a position may take (Smith 4.2.5.3)"""
    two_level: bool = False
    """deepest and newest in pairs, instead of probes (Smith 4.2.5.4)"""
    exact: bool = False
    """cut-offs need equal depth and path-dependent values are not stored"""


class Quiescence(_Part):
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


class Root(_Part):
    """How the move to play is chosen."""

    random_ties: bool = False
    """among the equal best at random"""
    noise: Annotated[int, Field(ge=0, le=_WIN_SCORE)] = 0
    """uniform noise of this size on the scores of root moves"""


class SearchFrame(_Part):
    """The search around the five decisions."""

    window: Window = Window()
    table: Table = Table()
    quiescence: Quiescence = Quiescence()
    root: Root = Root()
    early_repetition: bool = False
    """a position repeated inside the tree is a draw at once"""


class Setting(NamedTuple):
    """One setting of a pilot."""

    key: str
    """Where it stands, such as ``pruning.null_reduction``."""
    value: Any
    text: str
    """What it does."""


@dataclass(frozen=True)
class Comparison:
    """What differs between two pilots; empty where nothing does."""

    settings: Mapping[str, tuple[Any, Any]]
    """By key: the value of the one and of the other."""
    weights: Mapping[str, Mapping[str, tuple[float | None, float | None]]]
    """By set and feature; None where a pilot does not have that feature."""

    def __bool__(self) -> bool:
        return bool(self.settings or self.weights)


class Pilot(_Part):
    """All that steers a search of one game: evaluation, ordering, depth, pruning, timing, and the frame around them.

    Pilots do not change: ``replace`` gives another one. Equal pilots have equal files and equal digests.

    >>> pilot = Pilot.plain("chess", "material").replace({"pruning.null_reduction": 2})
    >>> pilot.pruning.null_reduction, pilot.evaluation.named("chess")["material"]["queen"]
    (2, 900.0)
    """

    game: Annotated[str, Field(max_length=200)]
    """the game it steers: a name, or module:Class"""
    evaluation: Evaluation = Evaluation()
    ordering: Ordering = Ordering()
    depth: DepthRules = DepthRules()
    pruning: Pruning = Pruning()
    timing: Timing = Timing()
    search: SearchFrame = SearchFrame()

    @field_validator("game")
    @classmethod
    def _is_a_game(cls, game: str) -> str:
        game_info(game)
        return game

    @field_validator("evaluation")
    @classmethod
    def _fits_the_sets(cls, evaluation: Evaluation, info: ValidationInfo) -> Evaluation:
        if "game" in info.data:
            facts = game_info(info.data["game"])
            for name, weights in evaluation.weights.items():
                count = len(_find_set(facts, name).features)
                if len(weights) != count:
                    raise ValueError(
                        f'weights of "{name}": {len(weights)} of them, but the set has {count} features in {facts.name}'
                    )
            if network := evaluation.network:
                count = len(_find_set(facts, network.set).features)
                if len(network.hidden) != count:
                    raise ValueError(
                        f"network: {len(network.hidden)} inputs, but {network.set} has {count} features in {facts.name}"
                    )
        return evaluation

    @field_validator("depth")
    @classmethod
    def _names_features(cls, depth: DepthRules, info: ValidationInfo) -> DepthRules:
        """Symbols become names, in the game's order, so that equal categories are written the same."""
        if "game" not in info.data:
            return depth
        facts = game_info(info.data["game"])
        if depth.mate_threat < 1:
            _need_null_move(facts, "mate_threat", "1")
        names = [feature.name for feature in facts.move_features]
        categories = []
        for category in depth.categories:
            mask = _mask(facts, category.features)
            categories.append(
                Category(tuple(name for bit, name in enumerate(names) if mask >> bit & 1), category.plies)
            )
        return depth.model_copy(update={"categories": tuple(categories)})

    @field_validator("pruning")
    @classmethod
    def _can_pass(cls, pruning: Pruning, info: ValidationInfo) -> Pruning:
        if "game" in info.data and pruning.null_reduction:
            _need_null_move(game_info(info.data["game"]), "null_reduction", "0")
        return pruning

    @classmethod
    def plain(cls, game: str | type[Game], evaluation: Literal["zero", "material"] = "zero") -> Self:
        """Knows the rules only: full width, no table, and at the leaves nothing or the count of pieces.

        Material is 100 a piece; in chess 1, 3, 3, 5, 9 pawns; in shogi the values of the baseline.
        """
        info = game_info(game)
        name = game if isinstance(game, str) else info.name
        if evaluation == "zero":
            return cls(game=name)
        if evaluation != "material":
            raise PilotError(f'a plain pilot evaluates by "zero" or by "material", not by "{evaluation}"')
        features = _find_set(info, "material").features
        weights: Mapping[str, float] | ArrayLike = dict.fromkeys(features, 100.0)
        if info.name == "chess":
            weights = {"pawn": 100, "knight": 300, "bishop": 300, "rook": 500, "queen": 900}
        elif info.name == "shogi":
            from plypilot.baselines import evaluation_weights

            weights = evaluation_weights(info.name)["material"]
        return cls(game=name, evaluation=Evaluation.linear(name, {"material": weights}))

    @classmethod
    def baseline(cls, game: str | type[Game]) -> Self:
        """The hand-set reference that learning must beat."""
        info = game_info(game)
        name = game if isinstance(game, str) else info.name
        ordering = Ordering(
            table_move=True, captures=True, killers=2, history=True, countermove=True, internal_deepening=2
        )
        frame = SearchFrame(
            window=Window(kind="pvs", aspiration=25),
            table=Table(log2_entries=20, probes=4),
            quiescence=Quiescence(
                on=True,
                exchange_filter=True,
                margin=200,
                evasions=True,
                most_plies=_QUIESCENCE_PLIES.get(info.name, 0),
            ),
            early_repetition=True,
        )
        depth = DepthRules(categories=_BASELINE_CATEGORIES.get(info.name, ()), reduce_late=True)
        if not _is_native(info):
            # No captures, no null move and nothing to judge by: what needs them stays off.
            return cls(
                game=name,
                ordering=ordering.model_copy(update={"captures": False}),
                depth=depth,
                search=frame.model_copy(update={"quiescence": Quiescence()}),
            )
        from plypilot.baselines import evaluation_weights

        return cls(
            game=name,
            evaluation=Evaluation.linear(name, evaluation_weights(info.name)),
            ordering=ordering,
            depth=depth,
            pruning=Pruning(
                null_reduction=3, null_adaptive=True, null_if_above=True, futility_margin=100, late_moves=4
            ),
            search=frame,
        )

    def settings(self) -> list[Setting]:
        """Every setting that ``replace`` can change, in the order of the parts."""
        fixed = {"game", "evaluation.weights", "evaluation.network", "evaluation.network.set"}
        fixed |= {f"evaluation.network.{name}" for name in _NETWORK_ARRAYS}
        return [setting for setting in _flatten(self) if setting.key not in fixed]

    def replace(self, changes: Mapping[str, object]) -> Self:
        """Another pilot with some settings changed, by key: ``{"pruning.null_reduction": 3}``. Raises PilotError.

        A value may be text as it is typed on a command line: ``3``, ``true``, ``pvs``, ``[[["check"], 0.5]]``.
        """
        keys = [setting.key for setting in self.settings()]
        changed = self.model_dump()
        for key, value in changes.items():
            if key not in keys:
                near = [each for each in keys if each.startswith(key.partition(".")[0] + ".")]
                raise PilotError(f'no setting "{key}"; there are: {", ".join(near or keys)}')
            *parents, last = key.split(".")
            part = changed
            for parent in parents:
                part = part[parent]
            part[last] = _read_value(value) if isinstance(value, str) else value
        try:
            return type(self).model_validate(changed)
        except ValidationError as error:
            raise PilotError(_explain(error)) from error

    def compare(self, other: Pilot) -> Comparison:
        """What differs from this pilot to another one."""
        mine, theirs = ({setting.key: setting.value for setting in pilot.settings()} for pilot in (self, other))
        settings = {key: (mine[key], theirs[key]) for key in mine if mine[key] != theirs[key]}
        if self.game != other.game:
            settings = {"game": (self.game, other.game)} | settings
        ours, others = self.evaluation.named(self.game), other.evaluation.named(other.game)
        weights = {}
        for name in ours | others:
            one, two = ours.get(name, {}), others.get(name, {})
            differing = {
                feature: (one.get(feature), two.get(feature))
                for feature in one | two
                if one.get(feature) != two.get(feature)
            }
            if differing:
                weights[name] = differing
        return Comparison(settings, weights)

    def native_settings(self, seed: int = 0) -> dict[str, Any]:
        """The settings in the form of core/search/settings.hpp: depths in units, categories as (mask, units)."""
        info = game_info(self.game)
        plain = self.model_dump(include={"ordering", "pruning", "search"})
        return {
            **plain.pop("search"),
            **plain,
            "depth": {
                "categories": [
                    (_mask(info, category.features), _units(category.plies)) for category in self.depth.categories
                ],
                "rule": self.depth.rule,
                "evasion_units": _units(self.depth.evasion),
                "mate_threat_units": _units(self.depth.mate_threat),
                "singular": self.depth.singular,
                "recapture": self.depth.recapture,
                "reduce_late": self.depth.reduce_late,
            },
            "seed": seed,
        }

    def native_evaluation(self, seed: int = 0) -> dict[str, Any]:
        """The evaluation in the form of core/eval/evaluator.hpp, terms as (set, weights) in the game's order."""
        names = [each.name for each in game_info(self.game).feature_sets] if self.evaluation.kind == "linear" else []
        weights, network = self.evaluation.weights, self.evaluation.network
        return {
            "kind": self.evaluation.kind,
            "terms": [(name, weights[name]) for name in names if name in weights],
            "network": None if network is None else network.model_dump() | {"units": network.hidden.shape[1]},
            "random_size": self.evaluation.random_size,
            "seed": seed,
        }

    @property
    def digest(self) -> str:
        """The SHA-256 that its file carries, as 64 hexadecimal digits; equal for equal pilots."""
        return sealed.digest(_FORMAT, _VERSION, *self._parts())

    def save(self, path: str | PathLike[str]) -> None:
        """Writes one safetensors file, whole or not at all. The same pilot gives the same bytes."""
        try:
            sealed.write(Path(path), sealed.encode(_FORMAT, _VERSION, *self._parts()))
        except sealed.SealedFileError as error:
            raise PilotError(f"{path}: {error}") from error

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """The pilot of a file. Raises PilotError where it is damaged or not understood in full, and UnknownGame.

        A pilot of a game in Python names its module, which is imported as if you had named the game yourself.
        """
        try:
            return cls._read(*sealed.decode(sealed.read(Path(path), _FORMAT), _FORMAT, _VERSION))
        except UnknownGame as error:
            raise UnknownGame(f"{path}: {error}") from error
        except (PilotError, sealed.SealedFileError) as error:
            raise PilotError(f"{path}: {error}") from error

    def _parts(self) -> tuple[dict[str, Any], dict[str, NDArray[np.float32]]]:
        arrays = {f"evaluation/{name}": array for name, array in self.evaluation.weights.items()}
        if network := self.evaluation.network:
            arrays |= {f"network/{name}": getattr(network, name) for name in _NETWORK_ARRAYS}
        left_out: Any = {"evaluation": {"weights": True, "network": set(_NETWORK_ARRAYS)}}
        return self.model_dump(mode="json", exclude=left_out), arrays

    @classmethod
    def _read(cls, settings: dict[str, Any], arrays: Mapping[str, NDArray[np.float32]]) -> Self:
        if not isinstance(evaluation := settings.get("evaluation", {}), dict):
            raise PilotError("its settings are not a table of parts")
        if "weights" in evaluation:
            raise PilotError("evaluation.weights: weights are tensors of the file, not settings")
        weights, layers = {}, {}
        for name, array in arrays.items():
            part, _, own_name = name.partition("/")
            if part == "evaluation" and own_name:
                weights[own_name] = array
            elif part == "network" and own_name in _NETWORK_ARRAYS:
                layers[own_name] = array
            else:
                raise PilotError(f'unknown tensor "{name}", expected names such as "evaluation/material"')
        evaluation = evaluation | {"weights": weights}
        if isinstance(network := evaluation.get("network"), dict):
            evaluation["network"] = network | layers
        elif layers:
            raise PilotError("has the tensors of a network, but no network in its settings")
        try:
            return cls.model_validate(settings | {"evaluation": evaluation})
        except ValidationError as error:
            for each in error.errors():
                if isinstance(cause := each.get("ctx", {}).get("error"), UnknownGame):
                    raise cause from error
            raise PilotError(_explain(error)) from error


_QUIESCENCE_PLIES = {"shogi": 8}
"""Where captures would not end: a drop can always be taken back."""
_BASELINE_CATEGORIES = {
    "chess": (Category(("check",), 0.5), Category(("passed_pawn",), 0.5)),
}


def read_changes(words: Iterable[str]) -> dict[str, object]:
    """Changes for ``replace`` from words such as ``pruning.null_reduction=3``."""
    changes: dict[str, object] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise PilotError(f'"{word}" is not of the form key=value, such as pruning.null_reduction=3')
        changes[key.strip()] = value.strip()
    return changes


def _read_value(text: str) -> object:
    """JSON where it is JSON, else the text itself: ``3``, ``true`` and ``pvs`` are what they look like."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _flatten(part: BaseModel, prefix: str = "") -> list[Setting]:
    settings = []
    for name, field in type(part).model_fields.items():
        value = getattr(part, name)
        if isinstance(value, BaseModel):
            settings += _flatten(value, f"{prefix}{name}.")
        else:
            settings.append(Setting(prefix + name, value, field.description or ""))
    return settings


def _explain(error: ValidationError) -> str:
    """What pydantic found, each in one phrase: where, what is wrong, what was given."""
    phrases = []
    for each in error.errors():
        where = ".".join(str(step) for step in each["loc"])
        cause = each.get("ctx", {}).get("error")
        what = str(cause) if isinstance(cause, Exception) else each["msg"][:1].lower() + each["msg"][1:]
        given = each["input"]
        if each["type"] == "extra_forbidden":
            what = "unknown field"
        elif isinstance(given, str | int | float):
            what += f", got {given!r}"
        phrases.append(f"{where}: {what}" if where else what)
    return "; ".join(phrases)


def _is_native(info: GameInfo) -> bool:
    return ":" not in info.name


def _need_null_move(info: GameInfo, setting: str, off: str) -> None:
    if not _is_native(info):
        raise ValueError(f"{setting} needs a null move, which games in Python do not have; set it to {off}")


def _find_set(info: GameInfo, name: str) -> FeatureSet:
    for each in info.feature_sets:
        if each.name == name:
            return each
    there = ", ".join(each.name for each in info.feature_sets) or "none"
    raise PilotError(f'{info.name} has no feature set "{name}"; there are: {there}')


def _mask(info: GameInfo, features: Iterable[str]) -> int:
    """The 64-bit mask of features that are given by name or by symbol."""
    bits = {feature.symbol: bit for bit, feature in enumerate(info.move_features)}
    bits |= {feature.name: bit for bit, feature in enumerate(info.move_features)}
    mask = 0
    for name in features:
        if name not in bits:
            there = ", ".join(f"{each.name} ({each.symbol})" for each in info.move_features) or "none"
            raise PilotError(f'{info.name} has no move feature "{name}"; there are: {there}')
        mask |= 1 << bits[name]
    return mask


def _units(plies: float) -> int:
    return round(plies * _PLY_UNITS)
