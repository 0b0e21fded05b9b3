"""Searching a position as a pilot says: ``search``, its limits and its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from plypilot import _core
from plypilot.games import Move, Position, _find
from plypilot.pilot import Pilot

WIN_SCORE = 32_000
"""A win at the root; n plies away it is WIN_SCORE - n."""
_LEAST_WIN = WIN_SCORE - 250


@dataclass(frozen=True)
class Limit:
    """When a search must end; the first limit that is reached counts. None is no limit."""

    depth: int | None = None
    """Iterations: plies at the root."""
    nodes: int | None = None
    """Moves made, exactly."""
    seconds: float | None = None
    """Wall time of this search."""
    clock: float | None = None
    """Seconds left for the game: the pilot's timing decides how many of them this move gets."""
    increment: float = 0.0
    """Seconds that each move adds to the clock."""
    moves_to_go: int | None = None
    """Moves until the clock is set anew, where that is so."""
    unit: Literal["seconds", "nodes"] = "seconds"
    """What the clock and its increment count: time that is spent in nodes is the same on every machine."""

    def __post_init__(self) -> None:
        for name in ("depth", "nodes", "seconds", "clock", "moves_to_go"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"limit: {name} is {value}, expected more than 0")
        if self.unit not in ("seconds", "nodes"):
            raise ValueError(f'limit: unit is "{self.unit}", expected seconds or nodes')
        if self.increment < 0:
            raise ValueError(f"limit: increment is {self.increment}, expected 0 or more")


@dataclass(frozen=True)
class Nodes:
    """What a search spent, in moves made."""

    all: int
    quiescence: int
    """Within quiescence searches: positions of capture trees."""
    singular: int
    """While testing whether a move is singular."""
    recapture: int
    """While testing whether a capture is a recapture."""


@dataclass(frozen=True)
class Iteration:
    """One completed depth."""

    depth: int
    score: int
    pv: list[Move]
    nodes: Nodes
    """Since the search began."""
    seconds: float

    @property
    def move(self) -> Move | None:
        """The move it would play."""
        return self.pv[0] if self.pv else None


@dataclass(frozen=True)
class Statistics:
    """What a search decided, counted."""

    interior: int
    leaves: int
    quiescence: int
    table_probes: int
    table_hits: int
    table_cuts: int
    moves: int
    """Moves searched in interior nodes."""
    extended: int
    """Of these: those that cost less than a ply."""
    features: list[int]
    """Moves searched that had each feature, by bit."""
    cutoffs: list[int]
    """Cut-offs by the rank of the move that cut, the first is 0; the last entry holds all later ranks."""
    seconds: dict[str, float]
    """By part: evaluating, picking (generating and ordering moves), moving. Reading the clock costs some itself."""
    deepest: int
    """Plies below the root, quiescence included."""

    @property
    def first_move_rate(self) -> float:
        """The part of all cut-offs that the first move made; 0 where there were none."""
        return self.cutoffs[0] / max(sum(self.cutoffs), 1)


@dataclass(frozen=True)
class Result:
    """What a search found."""

    move: Move | None
    """The best move, None where the game has ended."""
    score: int
    """From the view of the side to move, 100 to a pawn or a piece."""
    pv: list[Move]
    """The principal variation, from the move on."""
    nodes: Nodes
    seconds: float
    stopped: bool
    """A limit fell within an iteration."""
    iterations: list[Iteration]
    """The completed ones."""
    table_permill: int
    """How full the table is."""
    statistics: Statistics | None

    @property
    def depth(self) -> int:
        """The last completed depth, 0 where there was none."""
        return self.iterations[-1].depth if self.iterations else 0

    @property
    def branching_factor(self) -> float:
        """The factor by which the last two iterations grew, the mean of both to even out odd and even depths."""
        spent = [each.nodes.all for each in self.iterations]
        sizes = [after - before for before, after in zip([0, *spent], spent, strict=False)]
        if len(sizes) < 3 or sizes[-3] == 0:
            return 0.0
        return float((sizes[-1] / sizes[-3]) ** 0.5)


def win_distance(score: int) -> int | None:
    """Plies to a forced win (positive) or loss (negative) that a score tells of, None where it tells of none."""
    if score >= _LEAST_WIN:
        return WIN_SCORE - score
    if score <= -_LEAST_WIN:
        return -(WIN_SCORE + score)
    return None


def score_text(score: int) -> str:
    """A score as people read it: pawns with a sign, or ``win 5`` and ``loss 4`` in plies."""
    distance = win_distance(score)
    if distance is None:
        return f"{score / 100:+.2f}"
    return f"win {distance}" if distance > 0 or score > 0 else f"loss {-distance}"


class Searcher:
    """A search that keeps its table and its memory of moves from one position to the next.

    One search at a time; ``stop`` ends it from any thread. Searchers of several threads do not disturb each other, and
    native games are searched without the GIL.
    """

    def __init__(self, pilot: Pilot, *, seed: int = 0) -> None:
        """Makes ready to search as a pilot says. The seed decides whatever the pilot leaves to chance."""
        self.pilot = pilot
        self._native = _core.Searcher(_find(pilot.game), pilot.native_settings(seed), pilot.native_evaluation(seed))

    def search(
        self,
        position: Position,
        limit: Limit,
        *,
        on_iteration: Callable[[Iteration], object] | None = None,
        statistics: bool = False,
    ) -> Result:
        """Searches a position. ``on_iteration`` hears of each completed depth. Statistics cost some speed."""
        seconds, soft = self._time(limit)
        nodes = limit.nodes or 0
        if limit.clock is not None and limit.unit == "nodes":
            nodes = min(nodes or self._share(limit), self._share(limit))
        tell = None if on_iteration is None else lambda found: on_iteration(_iteration(found))
        found = self._native.run(
            position,
            depth=limit.depth or 0,
            nodes=nodes,
            seconds=seconds,
            soft_seconds=soft,
            on_iteration=tell,
            statistics=statistics,
        )
        return Result(
            move=found["move"],
            score=found["score"],
            pv=found["pv"],
            nodes=Nodes(**found["nodes"]),
            seconds=found["seconds"],
            stopped=found["stopped"],
            iterations=[_iteration(each) for each in found["iterations"]],
            table_permill=found["table_permill"],
            statistics=Statistics(**found["statistics"]) if statistics else None,
        )

    def evaluate(self, position: Position) -> int:
        """The static value of a position for the side to move."""
        return self._native.evaluate(position)

    def stop(self) -> None:
        """Ends the present search; it returns what it has."""
        self._native.stop()

    def clear(self) -> None:
        """Forgets the searches before."""
        self._native.clear()

    def _time(self, limit: Limit) -> tuple[float, float]:
        """Hard and soft seconds of a move. A soft limit starts no iteration that it would hardly end."""
        hard = soft = limit.seconds or 0.0
        if limit.clock is not None and limit.unit == "seconds":
            timing = self.pilot.timing
            margin = timing.margin_ms / 1000
            share = limit.clock / (limit.moves_to_go or timing.moves_to_go) + limit.increment * timing.increment_share
            usable = max(limit.clock - margin, limit.clock / 10)
            soft = min(max(share - margin, share / 10), usable) * 0.6
            hard = min(share * 3, usable) if hard == 0 else min(hard, share * 3, usable)
        return hard, soft

    def _share(self, limit: Limit) -> int:
        """What a move gets of a clock that counts nodes."""
        assert limit.clock is not None
        timing = self.pilot.timing
        share = limit.clock / (limit.moves_to_go or timing.moves_to_go) + limit.increment * timing.increment_share
        return max(1, int(min(share, limit.clock)))


def search(
    pilot: Pilot,
    position: Position,
    limit: Limit,
    *,
    seed: int = 0,
    on_iteration: Callable[[Iteration], object] | None = None,
    statistics: bool = False,
) -> Result:
    """Searches one position from an empty table. For several in a row see ``Searcher``.

    >>> result = search(Pilot.plain("breakthrough"), Position("breakthrough", "8/2P5/8/8/8/8/6p1/8 w"), Limit(depth=3))
    >>> str(result.move), score_text(result.score)
    ('c7-c8', 'win 1')
    """
    return Searcher(pilot, seed=seed).search(position, limit, on_iteration=on_iteration, statistics=statistics)


def _iteration(found: dict[str, Any]) -> Iteration:
    return Iteration(found["depth"], found["score"], found["pv"], Nodes(**found["nodes"]), found["seconds"])
