"""The parts of a pilot: the five decisions and the frame of the search, as plain data with bounds on every number.

Every setting has the name and the default of its native counterpart (core/search/settings.hpp and
core/eval/evaluator.hpp). The defaults are the plain search: full width, nothing selective.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, Self

from numpy.typing import ArrayLike
from pydantic import AfterValidator, Field, model_validator

from plypilot import _core
from plypilot.games import Game, game_info
from plypilot.networks import (
    Matrix,
    MoveNetwork,
    PilotError,
    Policy,
    ValueNetwork,
    Vector,
    find_set,
    read_array,
)
from plypilot.part import ArrayName
from plypilot.part import Part as Part
from plypilot.score import MOST_PLIES, MOST_STATIC, PAWN, WIN_SCORE

PLY_UNITS = 1024
"""Parts of a ply in the search's fixed-point depth."""
_FEWEST_LOG2_ENTRIES = 14
_MOST_WIDTHS = 64 * 65 // 2
"""A triangle of 64 iterations."""
_MOST_NULL_REDUCTION = 6


class Setting(NamedTuple):
    """One setting of a pilot or of a learner."""

    key: str
    """Where it stands, such as ``pruning.null_reduction``."""
    value: Any
    text: str
    """What it does."""


def scaled(hundredths: int, pawn: float) -> int:
    """Hundredths of a pawn in score units, where a pawn is worth so many; what is not off stays on."""
    return min(max(round(hundredths * pawn / PAWN), 1), WIN_SCORE) if hundredths else 0


def _whole_units(plies: float) -> float:
    return round(plies * PLY_UNITS) / PLY_UNITS


def _table_size(log2_entries: int) -> int:
    if 0 < log2_entries < _FEWEST_LOG2_ENTRIES:
        raise ValueError(f"expected 0 (no table) or at least {_FEWEST_LOG2_ENTRIES}")
    return log2_entries


Plies = Annotated[float, Field(ge=0, le=4), AfterValidator(_whole_units)]
"""A cost in plies, rounded to 1/1024, which is exact in the search and in a file."""


class Evaluation(Part):
    """How a position is judged at the leaves."""

    kind: Literal["zero", "random", "linear", "network"] = "zero"
    """nothing, a random number for each position, weights on named features, or a network over them"""
    random_size: Annotated[int, Field(ge=0, le=MOST_STATIC)] = 0
    """random: values lie between minus this and this, in score units; linear, network: such a value is added"""
    random_from_zero: bool = False
    """random values lie between 0 and random_size, for the side to move (Smith E.3)"""
    pawn: Annotated[float, Field(ge=1, le=MOST_STATIC)] = 100.0
    """score units of a pawn, or of what counts as one: the search's margins and noise are in hundredths of it"""
    weights: dict[ArrayName, Vector] = Field(default_factory=dict)
    """linear: for each feature set the weights of its features in score units (100 to a pawn), shape (features,)"""
    network: ValueNetwork | None = None
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
                arrays[name] = read_array(given, 1)
                continue
            features = find_set(info, name).features
            if unknown := sorted(set(given) - set(features)):
                raise PilotError(
                    f'set "{name}" of {info.name} has no feature "{unknown[0]}"; there are: {", ".join(features)}'
                )
            arrays[name] = read_array([given.get(feature, 0.0) for feature in features], 1)
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


class Ordering(Part):
    """Which move to try first."""

    table_move: bool = False
    """the move of the transposition table first"""
    captures: bool = False
    """captures before the others; else they are moves like all others, which history orders and pruning may skip"""
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
    history_rule: Literal["running", "sum", "deviation"] = "running"
    """running: a rate; sum: a total of cuts and best moves (Kocsis 3.1); deviation: the same in deviations (3.2.3)"""
    network: MoveNetwork | None = None
    """orders the quiet moves that history would order"""
    network_use: Literal["pure", "straightforward", "weighted"] = "pure"
    """by the network alone; its first choice, then by history; or by the sum of both"""
    network_plies: Annotated[int, Field(ge=0, le=64)] = 1
    """the network is asked where so many plies or more are left"""
    history_weight: Annotated[float, Field(gt=0, le=1e6)] = 1.0
    """weighted: what history is divided by; the larger, the less it counts"""
    history_adaptation: Annotated[float, Field(ge=0, le=1)] = 0.0
    """weighted: the part by which a miss of either judge changes that weight during the search; 0: it stays"""
    network_refinement: Annotated[float, Field(ge=0, le=100)] = 0.0
    """how much a late cut-off changes the network during the search; 0: not at all"""

    @model_validator(mode="after")
    def _can_refine(self) -> Self:
        network = self.network
        if self.network_refinement and network is not None and (network.encoding == "mei" or not network.direct.size):
            raise ValueError("network_refinement changes direct links to outputs for moves, which the network lacks")
        return self


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
    floor: Plies = 0.0
    """the least a move costs by its category"""
    threshold: Plies = 4.0
    """the most a move costs at once; what its category costs beyond is given back where the move does well; 4: off"""
    excess: Literal["every", "late"] = "every"
    """what a category says beyond threshold or floor: taken from every move at first, or changes what late ones lose"""
    confirmation: Literal["full", "stepwise"] = "full"
    """a move that did well at less depth gets all of it back; or half first, as do those that lost two plies or more"""
    evasion: Plies = 1.0
    """the most a move out of check costs; 0: and no horizon in check (Smith 4.4.6.1)"""
    mate_threat: Plies = 1.0
    """the most a move costs where passing would allow mate"""
    singular: Annotated[int, Field(ge=0, le=2)] = 0
    """r of the singular extension (Smith 4.4.6.5); 0: off"""
    singular_search: bool = False
    """a search finds the move to test that the table does not know, down to the horizon; its worth is at most beta"""
    recapture: bool = False
    """extends captures that restore the balance of the last iteration (Smith 4.4.6.3)"""
    recapture_rule: Literal["both", "search", "window", "captures"] = "both"
    """restored as it stands and by search; by search alone; both, in a node's window; or by captures (Smith 4.4.6.4)"""
    reduce_late: bool = False
    """late quiet moves are tried at less depth first"""
    late_strength: Plies = 1.0
    """how much less: 1 takes a third of log2(plies left) * log2(rank) plies away, 2 twice as much"""
    late_history: Annotated[float, Field(ge=0, le=64), AfterValidator(_whole_units)] = 0.0
    """plies by which a late move is reduced less that history says always cuts, and more one that never does"""


Seen = Literal[
    "iteration",
    "ply",
    "distance",
    "nodes",
    "depth",
    "changes",
    "change_ranks",
    "order",
    "table",
    "features",
    "nodes_unit",
    "depth_unit",
    "order_digits",
    "board",
    "gap",
    "line",
]
"""What a pruning function sees of a position (Kocsis 4.5.1): IT, SD, D2L, NCOUNT, ED, NVC, SVC, MOSCORE, HASH, and the
atomic features of the next move; NCOUNT and ED as one number each, MOSCORE in digits, and BOARD. Beyond the seed: how
far the static score lies from alpha, in half pawns, and whether the position is the root or on the principal line."""
Decides = Literal["skipping", "reducing", "passing"]
BOARD_SET = "board"
"""The feature set that a pruning function sees as the board: every piece on its place."""


class PruningFunction(Part):
    """Whether to go on with the quiet moves of a position, asked behind some of them (Kocsis 4.3): a weighted sum of
    what is known there; below 0 the quiet moves that are left are skipped.
    """

    inputs: tuple[Seen, ...] = ()
    """what it sees"""
    checkpoints: Annotated[tuple[Annotated[int, Field(ge=0, le=63)], ...], Field(min_length=1, max_length=64)]
    """behind how many quiet moves it is asked"""
    weights: Matrix
    """shape (inputs, checkpoints); the first input is always 1"""
    acts: bool = True
    """false: it is asked and skips nothing, so that it can be learned from whole trees"""
    decides: Decides = "skipping"
    """what happens where it is below 0: the quiet moves that are left are skipped; they are searched a ply less deep at
    first, and one more behind each further checkpoint that says so; or passing, before which it is asked once, takes a
    ply more"""
    spares_line: bool = False
    """it is not asked at the root and on the principal line"""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(set(self.inputs)) < len(self.inputs) or list(self.checkpoints) != sorted(set(self.checkpoints)):
            raise ValueError("names an input or a checkpoint twice, or its checkpoints do not rise")
        if self.decides == "passing" and self.checkpoints != (0,):
            raise ValueError("decides what passing takes, before any move: its checkpoints are [0]")
        shape = (_core.Searcher.function_inputs(self.inputs, max(self.board_size, 0)), len(self.checkpoints))
        if self.weights.shape != shape:
            raise ValueError(f"weights have the shape {self.weights.shape}, expected {shape}")
        return self

    @property
    def board_size(self) -> int:
        """How many features the board has that it sees; 0 where it sees none."""
        if "board" not in self.inputs:
            return 0
        return int(self.weights.shape[0]) - _core.Searcher.function_inputs(self.inputs)


class Pruning(Part):
    """Which moves and positions are not searched."""

    null_reduction: Annotated[int, Field(ge=0, le=_MOST_NULL_REDUCTION)] = 0
    """R of the null move; 0: off"""
    null_adaptive: bool = False
    """R + 1 where more than six plies are left (Heinz 1999)"""
    null_recursive: bool = True
    """below a null move another may follow"""
    null_if_above: bool = False
    """only where the static value is already at or above beta"""
    null_plies: Annotated[int, Field(ge=1, le=32)] = 2
    """only where so many plies or more are left"""
    futility_margin: Annotated[int, Field(ge=0, le=WIN_SCORE)] = 0
    """hundredths of a pawn, for each ply, by which moves near the leaves may miss; 0: off"""
    futility_plies: Annotated[int, Field(ge=0, le=32)] = 3
    """how near the leaves moves that would miss are skipped"""
    late_moves: Annotated[int, Field(ge=0, le=1000)] = 0
    """near the leaves only so many quiet moves are tried, and plies squared; 0: off"""
    late_plies: Annotated[int, Field(ge=0, le=32)] = 5
    """how near the leaves late moves are skipped"""
    first_moves: Annotated[int, Field(ge=1, le=1000)] = 1
    """so many moves of each position are neither skipped nor reduced"""
    fade: Annotated[Plies, Field(le=1)] = 0.5
    """a move that is cheaper than a ply by this much is neither skipped nor reduced; in between, less and less"""
    tactical: bool = False
    """captures and promotions may be skipped and reduced too"""
    in_check: bool = False
    """moves out of check may be skipped and reduced too"""
    widths: Annotated[tuple[Annotated[int, Field(ge=0, le=1000)], ...], Field(max_length=_MOST_WIDTHS)] = ()
    """so many moves of a position are searched at most (Kocsis 4.2); 0: all; beyond the last number all are"""
    widths_by: Literal["ply", "iteration", "distance", "both"] = "distance"
    """by what: plies below the root, the iteration, plies left; or the first two, a triangle with a row an iteration"""
    widths_count: Literal["all", "quiet"] = "quiet"
    """which moves count toward a width, and are skipped beyond it"""
    function: PruningFunction | None = None
    """says behind some quiet moves whether to go on with them"""
    null_policy: Policy | None = None
    """a network that chooses R before each search, instead of null_reduction"""

    @model_validator(mode="after")
    def _chooses_reductions(self) -> Self:
        if (policy := self.null_policy) is not None:
            if policy.asked != "before":
                raise ValueError("null_policy: is asked after iterations, expected before a search")
            if policy.choices[-1] > _MOST_NULL_REDUCTION:
                raise ValueError(
                    f"null_policy: chooses up to {policy.choices[-1]} plies, expected at most {_MOST_NULL_REDUCTION}"
                )
        return self


class Timing(Part):
    """How much of the clock a move gets.

    ``fixed`` is a share of it: (time - margin) / moves_to_go + increment * increment_share - margin / 20. ``simple`` is
    that share, and more or less of it by how the search goes. ``crafty`` is the rule that the seed took from that
    program (Kocsis 5.3.3), ``depth`` a fixed depth. ``oracle`` goes a ply deeper where that changes the move, which
    costs nothing to find out: it measures what others could gain (SD-ES). ``learned`` asks the policy.
    """

    rule: Literal["fixed", "simple", "crafty", "depth", "oracle", "learned"] = "fixed"
    """how the time of a move is chosen"""
    moves_to_go: Annotated[int, Field(ge=1, le=500)] = 30
    """how many moves are still to come, where the clock does not say"""
    increment_share: Annotated[float, Field(ge=0, le=1)] = 0.75
    """the part of the increment that is spent at once"""
    margin_ms: Annotated[int, Field(ge=0, le=60_000)] = 100
    """kept back of the clock, and a twentieth of it of every move, for what happens outside the search"""
    soft_share: Annotated[float, Field(gt=0, le=1)] = 0.6
    """after this part of what a move gets no iteration is begun, since it would hardly end"""
    hard_share: Annotated[float, Field(ge=1, le=100)] = 3.0
    """at this multiple of what a move gets the search ends, if most_share allows as much"""
    most_share: Annotated[float, Field(gt=0, le=1)] = 0.5
    """the part of the clock that a move may use up, if that is more than its share (fixed, simple) or hard_share"""
    depth: Annotated[int, Field(ge=1, le=MOST_PLIES)] = 6
    """depth, oracle: plies"""
    worse_by: Annotated[int, Field(ge=1, le=WIN_SCORE)] = 30
    """simple, crafty: hundredths of a pawn by which a score must drop to be significantly worse"""
    worse_share: Annotated[float, Field(ge=1, le=10)] = 2.0
    """simple: so many times the time is for a move whose score has dropped by as much"""
    new_move_share: Annotated[float, Field(ge=1, le=10)] = 1.4
    """simple: the same where an iteration has found another move"""
    settled_share: Annotated[float, Field(gt=0, le=1)] = 0.5
    """simple: the part of the time that is for a move that has been the best for long"""
    settled_iterations: Annotated[int, Field(ge=1, le=MOST_PLIES)] = 4
    """simple: so many iterations are long"""
    policy: Policy | None = None
    """learned: the network that decides"""

    @model_validator(mode="after")
    def _has_policy(self) -> Self:
        if self.rule == "learned" and self.policy is None:
            raise ValueError("rule is learned, but there is no policy; plypilot train timing makes one")
        if self.policy is not None and self.policy.asked == "before" and self.policy.first < 1:
            raise ValueError("policy: chooses a depth of 0, expected 1 or more")
        return self

    def native(self, pawn: float = PAWN) -> dict[str, Any]:
        """In the form of core/search/settings.hpp; a pawn is worth so many score units."""
        return {
            **self.model_dump(exclude={"policy"}),
            "worse_by": scaled(self.worse_by, pawn),
            "policy": None if self.policy is None else self.policy.native(),
        }


class Window(Part):
    """Which windows are asked of the search."""

    kind: Literal["alpha_beta", "pvs", "mtdf"] = "alpha_beta"
    """full windows, null windows around the first move's value (PVS), or null windows only (MTD(f))"""
    aspiration: Annotated[int, Field(ge=0, le=WIN_SCORE)] = 0
    """half width around the last iteration's value, in hundredths of a pawn; 0: the full window"""


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
    aligned: bool = True
    """the entries of a position share cache lines with it; else they are its own and those behind it (Smith 4.2.5.3)"""
    horizon: bool = False
    """positions at the horizon are kept too (Smith 4.2.2)"""


class Quiescence(Part):
    """What is searched beyond the horizon."""

    on: bool = False
    """captures and promotions are followed to a quiet position"""
    most_plies: Annotated[int, Field(ge=0, le=MOST_PLIES)] = 0
    """how far; 0: as far as captures go"""
    exchange_filter: bool = False
    """leaves out captures that lose material by static exchange"""
    margin: Annotated[int, Field(ge=0, le=WIN_SCORE)] = 0
    """leaves out captures that miss alpha by more than this, in hundredths of a pawn; 0: off"""
    evasions: bool = False
    """in check no standing pat, and every move is followed"""
    ends: bool = False
    """mate and stalemate are seen where it begins, at the cost of generating all moves there"""


class Root(Part):
    """How the move to play is chosen."""

    random_ties: bool = False
    """among the equal best at random"""
    noise: Annotated[int, Field(ge=0, le=WIN_SCORE)] = 0
    """uniform noise of this size on the scores of root moves, in hundredths of a pawn"""


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
    ends_at_first_ply: bool = False
    """a move that ends the game is seen wherever the horizon is"""
