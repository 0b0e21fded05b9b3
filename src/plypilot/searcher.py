"""Searching a position as a pilot says: ``search``, its limits and its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plypilot import _core
from plypilot._core import Iteration, Line, Nodes, Result, Statistics
from plypilot.bounds import (
    LARGEST_COUNT,
    LONGEST_SECONDS,
    MOST_LINES,
    MOST_THREADS,
    check_real,
    check_seed,
    check_whole,
)
from plypilot.games import IllegalMove, Move, Position, _find
from plypilot.pilot import Pilot, Timing
from plypilot.score import DEEPEST, PAWN, score_text
from plypilot.tables import html_table

Array = NDArray[np.float64]

__all__ = [
    "Clock",
    "Iteration",
    "Limit",
    "Line",
    "Nodes",
    "Result",
    "Searcher",
    "Statistics",
    "Watched",
    "search",
]

Watched = Literal["counts", "moves", "time", "plies"]
"""What statistics tell of a search: counts of what it decided; each move by its features and its category too, which is
slower; the time that its parts take; or how many nodes it would have if the moves of one category cost more."""


@dataclass(frozen=True)
class Limit:
    """When a search must end; the first limit that is reached counts. None is no limit."""

    depth: int | None = None
    """Iterations: plies at the root."""
    nodes: int | None = None
    """Moves made, exactly; several threads have an equal share each."""
    seconds: float | None = None
    """Wall time of this search."""
    clock: float | None = None
    """Seconds left for the game: the pilot's timing decides how many of them this move gets."""
    increment: float = 0.0
    """Seconds that each move adds to the clock."""
    moves_to_go: int | None = None
    """Moves until the clock is set anew, where that is so."""
    byoyomi: float = 0.0
    """What each move has when the clock is used up, which may be from the start."""
    unit: Literal["seconds", "nodes"] = "seconds"
    """What the clock, its increment and its byoyomi count: what is spent in nodes is the same on every machine."""

    def __post_init__(self) -> None:
        if self.unit not in ("seconds", "nodes"):
            raise ValueError(f'limit: unit is "{self.unit}", expected seconds or nodes')
        for name, most in (("depth", DEEPEST), ("nodes", LARGEST_COUNT), ("moves_to_go", LARGEST_COUNT)):
            if getattr(self, name) is not None:
                check_whole(f"limit: {name}", getattr(self, name), 1, most)
        longest = LONGEST_SECONDS if self.unit == "seconds" else LARGEST_COUNT
        for name in ("increment", "byoyomi"):
            check_real(f"limit: {name}", getattr(self, name), longest, above_zero=False)
        if self.seconds is not None:
            check_real("limit: seconds", self.seconds, LONGEST_SECONDS)
        if self.clock is not None:
            check_real("limit: clock", self.clock, longest, above_zero=self.byoyomi == 0)

    def limits(self) -> dict[str, Any]:
        """What ends a search without a clock, in the form of core/search/timing.hpp."""
        return {
            "depth": self.depth or 0,
            "nodes": self.nodes or 0,
            "soft_nodes": 0,
            "seconds": self.seconds or 0.0,
            "soft_seconds": 0.0,
        }

    def funds(self) -> dict[str, Any] | None:
        """What the clock has, in the form of core/search/timing.hpp; None where there is no clock."""
        if self.clock is None:
            return None
        return {
            "unit": self.unit,
            "left": self.clock,
            "increment": self.increment,
            "moves_to_go": self.moves_to_go or 0,
            "byoyomi": self.byoyomi,
        }


class Clock:
    """When one search must end. It runs from the moment it is made; any thread may stop it or set its time anew."""

    def __init__(self, limit: Limit, timing: Timing | None = None, *, threads: int = 1, pawn: float = PAWN) -> None:
        """Starts for a search within a limit. ``timing`` says what a move gets of a game's clock; to the search, a pawn
        is worth so many score units.
        """
        self._policy = None if timing is None else timing.policy
        self._native = _core.Clock(
            limits=limit.limits(),
            timing=(timing or Timing()).native(pawn),
            funds=limit.funds(),
            threads=threads,
        )

    @classmethod
    def of(cls, limit: Limit, pilot: Pilot, *, threads: int = 1) -> Clock:
        """For a search that a pilot steers."""
        return cls(limit, pilot.timing, threads=threads, pawn=pilot.evaluation.pawn)

    def check_game(self, game: str) -> None:
        """Raises ValueError where its timing was learned in another game."""
        if self._policy is not None:
            self._policy.check_game(game)

    def stop(self) -> None:
        """Ends its search, which returns what it has; or the one that is yet to begin."""
        self._native.stop()

    def set_time(self, limit: Limit) -> None:
        """Takes the time limits of another limit, counted from now: so a search without end becomes a timed one."""
        self._native.set_time(limit.seconds or 0.0, limit.funds() if limit.unit == "seconds" else None)

    @property
    def nodes(self) -> int:
        """Moves after which each thread of its search ends; 0 is no limit."""
        return self._native.nodes

    @property
    def seconds(self) -> float:
        """When its search ends, counted from the start of the clock; 0 is no limit."""
        return self._native.seconds

    @property
    def soft_seconds(self) -> float:
        """When no further iteration is begun, counted from the start of the clock; 0 is no limit."""
        return self._native.soft_seconds


class SkippedMove(NamedTuple):
    """A move that a search did not search, and where."""

    line: list[Move]
    """From the root to the position that has the move."""
    move: Move
    why: str
    """As statistics call it: futile, late or width."""
    iteration: int
    depth: float
    """Plies left there."""
    rank: int
    """Moves of the position that were tried or skipped before."""
    alpha: int
    """What the move had to surpass, for the side to move."""
    score: int
    """What the position came to without it."""


class PrunedSearch(NamedTuple):
    """A search, and sums of descent directions over the decisions of its pruning function, one number for each weight.

    They are the parts of equation 4.13 without their rewards.
    """

    result: Result
    keep: Array
    """Over all decisions, toward not to prune."""
    prune: Array
    """Over all decisions, toward to prune."""
    changed: Array
    """Of decisions behind which the best value of the position changed, toward not to prune."""
    unchanged: Array
    """Of the others, toward to prune."""
    asked: int
    """Decisions."""
    pruned: int
    """Of these: to prune."""


class Searcher:
    """A search that keeps its table and its memory of moves from one position to the next.

    One search at a time; ``stop`` ends it from any thread. Searchers of several threads do not disturb each other, and
    native games are searched without the GIL.
    """

    def __init__(self, pilot: Pilot, *, seed: int = 0) -> None:
        """Makes ready to search as a pilot says. The seed decides whatever the pilot leaves to chance."""
        if not isinstance(pilot, Pilot):
            raise TypeError(f"a search needs a Pilot, not {pilot!r}; Pilot.baseline(game) gives one")
        check_seed(seed)
        self.pilot = pilot
        self._native = _core.Searcher(_find(pilot.game), pilot.native_settings(seed), pilot.native_evaluation(seed))
        self._clock: Clock | None = None

    def search(
        self,
        position: Position,
        limit: Limit | Clock,
        *,
        moves: Sequence[Move] = (),
        lines: int = 1,
        threads: int = 1,
        on_iteration: Callable[[Iteration], object] | None = None,
        statistics: bool | Watched = False,
        delta: float = 0.5,
    ) -> Result:
        """Searches a position, within a limit or by a clock that was started for it.

        ``moves`` are the only ones to consider, all if there are none; ``lines`` how many best lines to find.
        ``threads`` search on one table: faster, but no two runs are alike. ``on_iteration`` hears of each completed
        depth. ``statistics`` says what is watched, which costs some speed; they tell of the first thread.
        ``delta`` is by how many plies each category costs more, one at a time, where plies are watched.
        """
        check_whole("lines", lines, 1, MOST_LINES)
        check_whole("threads", threads, 1, MOST_THREADS)
        if not isinstance(position, Position):
            raise TypeError(f"a search needs a Position, not {position!r}; Position(game, fen) makes one")
        for move in moves:
            if not isinstance(move, Move):
                raise TypeError(f"moves: {move!r} is no Move; position.parse(text) reads one")
            if not position.is_legal(move):
                raise IllegalMove(f'move "{move}" is not legal in {position.fen()}')
        if not isinstance(limit, Limit | Clock):
            raise TypeError(f"a search needs a Limit, such as Limit(nodes=10_000) or Limit(seconds=1), not {limit!r}")
        clock = Clock.of(limit, self.pilot, threads=threads) if isinstance(limit, Limit) else limit
        clock.check_game(self.pilot.game)
        self._clock = clock
        try:
            return self._native.run(
                position,
                clock._native,
                moves=moves,
                lines=lines,
                threads=threads,
                on_iteration=on_iteration,
                statistics=_watched(statistics),
                delta=delta,
            )
        finally:
            self._clock = None

    def sample_skips(
        self, position: Position, limit: Limit, *, most: int, seed: int = 0
    ) -> tuple[Result, dict[tuple[str, int], int], list[SkippedMove]]:
        """Searches a position and samples the moves that it does not search: so many of each reason and depth.

        With them comes how many there were of each reason and depth, in plies rounded up. The search itself is the same
        as without a sample.
        """
        clock = Clock.of(limit, self.pilot)
        self._clock = clock
        try:
            result, counts, moves = self._native.run_sampled(position, clock._native, most=most, seed=seed)
        finally:
            self._clock = None
        return result, {(why, plies): count for why, plies, count in counts}, [SkippedMove(*told) for told in moves]

    def search_pruned(self, position: Position, limit: Limit) -> PrunedSearch:
        """Searches a position and tells how the pilot's pruning function would have to change (Kocsis 4.3.2)."""
        clock = Clock.of(limit, self.pilot)
        self._clock = clock
        try:
            return PrunedSearch(*self._native.run_pruned(position, clock._native))
        finally:
            self._clock = None

    def evaluate(self, position: Position) -> int:
        """The static value of a position for the side to move."""
        return self._native.evaluate(position)

    def history(self, position: Position) -> dict[Move, float]:
        """What the searches before say of the legal moves of a position.

        These are the numbers by which history orders moves; where a network has its say too, they are divided by
        ``history_weight`` first.
        """
        return dict(self._native.history(position))

    @property
    def history_weight(self) -> float:
        """What history is divided by: as the pilot says, or as the last search has adapted it."""
        return self._native.history_weight

    def stop(self) -> None:
        """Ends the present search; it returns what it has."""
        if clock := self._clock:
            clock.stop()

    def clear(self) -> None:
        """Forgets the searches before."""
        self._native.clear()


def search(
    pilot: Pilot,
    position: Position,
    limit: Limit,
    *,
    seed: int = 0,
    moves: Sequence[Move] = (),
    lines: int = 1,
    threads: int = 1,
    on_iteration: Callable[[Iteration], object] | None = None,
    statistics: bool | Watched = False,
) -> Result:
    """Searches one position from an empty table. For several in a row see ``Searcher``.

    >>> result = search(Pilot.plain("breakthrough"), Position("breakthrough", "8/2P5/8/8/8/8/6p1/8 w"), Limit(depth=3))
    >>> str(result.move), score_text(result.score)
    ('c7-c8', 'win 1')
    """
    return Searcher(pilot, seed=seed).search(
        position,
        limit,
        moves=moves,
        lines=lines,
        threads=threads,
        on_iteration=on_iteration,
        statistics=statistics,
    )


def _result_html(result: Result) -> str:
    """A result as a notebook shows it."""
    move = "none: the game has ended" if result.move is None else str(result.move)
    line = " ".join(map(str, result.whole_pv))
    columns = ["move", "score", "depth", "nodes", "seconds", "line"]
    figures = [str(result.depth), f"{result.nodes.all:,}", f"{result.seconds:.2f}"]
    return html_table([columns, [move, score_text(result.score), *figures, line]])


setattr(Result, "_repr_html_", _result_html)  # noqa: B010 - the class is native, and its stub does not know of notebooks


def _watched(statistics: bool | Watched) -> str:
    if isinstance(statistics, bool):
        return "counts" if statistics else "nothing"
    return statistics
