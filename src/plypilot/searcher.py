"""Searching a position as a pilot says: ``search``, its limits and its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from plypilot import _core
from plypilot.games import IllegalMove, Move, Position, _find
from plypilot.pilot import Pilot, Timing

WIN_SCORE = 32_000
"""A win at the root; n plies away it is WIN_SCORE - n."""
_LEAST_WIN = WIN_SCORE - 250


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
    """Seconds that each move has when the clock is used up, which may be from the start."""
    unit: Literal["seconds", "nodes"] = "seconds"
    """What the clock and its increment count: time that is spent in nodes is the same on every machine."""

    def __post_init__(self) -> None:
        for name in ("depth", "nodes", "seconds", "clock", "moves_to_go"):
            value = getattr(self, name)
            if value is not None and value <= 0 and not (name == "clock" and value == 0 and self.byoyomi > 0):
                raise ValueError(f"limit: {name} is {value}, expected more than 0")
        if self.unit not in ("seconds", "nodes"):
            raise ValueError(f'limit: unit is "{self.unit}", expected seconds or nodes')
        for name in ("increment", "byoyomi"):
            if getattr(self, name) < 0:
                raise ValueError(f"limit: {name} is {getattr(self, name)}, expected 0 or more")


class Clock:
    """When one search must end. It runs from the moment it is made; any thread may stop it or set its time anew."""

    def __init__(self, limit: Limit, timing: Timing | None = None, *, threads: int = 1) -> None:
        """Starts for a search within a limit. ``timing`` says what a move gets of a game's clock."""
        self.timing = timing or Timing()
        hard, soft = self._seconds(limit)
        nodes = -(-self._nodes(limit) // threads)
        self._native = _core.Clock(depth=limit.depth or 0, nodes=nodes, seconds=hard, soft_seconds=soft)

    def stop(self) -> None:
        """Ends its search, which returns what it has; or the one that is yet to begin."""
        self._native.stop()

    def set_time(self, limit: Limit) -> None:
        """Takes the time limits of another limit, counted from now: so a search without end becomes a timed one."""
        self._native.set_time(*self._seconds(limit))

    def _share(self, limit: Limit, left: float) -> float:
        """What a move gets of what is left on a game's clock, in its unit."""
        timing = self.timing
        return left / (limit.moves_to_go or timing.moves_to_go) + limit.increment * timing.increment_share

    def _nodes(self, limit: Limit) -> int:
        """Nodes of a move; 0 is no limit."""
        if limit.clock is None or limit.unit == "seconds":
            return limit.nodes or 0
        share = max(1, int(min(self._share(limit, limit.clock), limit.clock)))
        return min(limit.nodes or share, share)

    def _seconds(self, limit: Limit) -> tuple[float, float]:
        """Hard and soft seconds of a move. A soft limit starts no iteration that it would hardly end."""
        hard = soft = limit.seconds or 0.0
        if limit.clock is not None and limit.unit == "seconds":
            margin = self.timing.margin_ms / 1000
            usable = _without_margin(limit.clock + limit.byoyomi, margin)
            share = self._share(limit, _without_margin(limit.clock, margin)) + limit.byoyomi
            share = _without_margin(share, margin / 20)  # what each move costs outside the search
            soft = min(share, usable) * 0.6
            if limit.byoyomi:  # what a move leaves of it is lost
                soft = max(soft, min(limit.byoyomi, usable))
            hard = min(share * 3, usable) if hard == 0 else min(hard, share * 3, usable)
        return hard, soft


def _without_margin(seconds: float, margin: float) -> float:
    return max(seconds - margin, seconds / 10)


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
class Line:
    """A principal variation and what it is worth."""

    score: int
    pv: list[Move]

    @property
    def move(self) -> Move | None:
        """The move it begins with."""
        return self.pv[0] if self.pv else None


@dataclass(frozen=True)
class Iteration:
    """One completed depth."""

    depth: int
    score: int
    pv: list[Move]
    nodes: Nodes
    """Since the search began."""
    seconds: float
    others: list[Line] = field(default_factory=list)
    """The next best lines, where they were asked for; each begins with another move."""
    deepest: int = 0
    """Plies below the root, quiescence included."""
    table_permill: int = 0
    """How full the table is; 0 where nobody listens to iterations."""

    @property
    def lines(self) -> list[Line]:
        """As many lines as were asked for, the best first."""
        return [Line(self.score, self.pv), *self.others]

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
    def lines(self) -> list[Line]:
        """The best lines: that of the move, and those of the last completed depth that begin with other moves."""
        last = self.iterations[-1].lines if self.iterations else []
        others = [line for line in last if line.move != self.move]
        return [Line(self.score, self.pv), *others][: max(len(last), 1)]

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
        statistics: bool = False,
    ) -> Result:
        """Searches a position, within a limit or by a clock that was started for it.

        ``moves`` are the only ones to consider, all if there are none; ``lines`` how many best lines to find.
        ``threads`` search on one table: faster, but no two runs are alike. ``on_iteration`` hears of each completed
        depth. Statistics cost some speed, and count what the first thread did.
        """
        if lines < 1 or threads < 1:
            raise ValueError(f"{lines} lines and {threads} threads, expected 1 or more of each")
        for move in moves:
            if not position.is_legal(move):
                raise IllegalMove(f'move "{move}" is not legal in {position.fen()}')
        clock = Clock(limit, self.pilot.timing, threads=threads) if isinstance(limit, Limit) else limit
        tell = None if on_iteration is None else lambda found: on_iteration(_iteration(found))
        self._clock = clock
        try:
            found = self._native.run(
                position,
                clock._native,
                moves=moves,
                lines=lines,
                threads=threads,
                on_iteration=tell,
                statistics=statistics,
            )
        finally:
            self._clock = None
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
    statistics: bool = False,
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


def _iteration(found: dict[str, Any]) -> Iteration:
    others = [Line(score, pv) for score, pv in found.pop("others")]
    return Iteration(nodes=Nodes(**found.pop("nodes")), others=others, **found)
