"""Games in which one side thinks with a bank, for whatever learns when thinking longer is worth it.

Each game follows from its number alone: two from each opening with sides swapped, each pair against the next opponent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plypilot.compute import Workers, task_seed
from plypilot.learn.actor_critic import Decisions
from plypilot.learn.judging_games import even_openings
from plypilot.pilot import Pilot
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Arena, Games, Task
from plypilot.play.openings import Opening
from plypilot.searcher import Limit

_MOST_IDLE = 8
_idle: dict[Any, list[Arena]] = {}
"""Arenas of this process that nobody plays in, by their rules: to make their tables may take longer than the games."""
_POOL = 256
"""Openings that are made at most: each takes as long as some searches."""


class Sides(NamedTuple):
    """One own side of a game: what it saw, and how it went."""

    scores: NDArray[np.int32]
    """(turns,) of its searches at the early depth."""
    nodes: NDArray[np.int64]
    """(turns,) that its searches took."""
    decisions: Decisions | None
    """None where it has no policy."""
    result: float
    """1, 0 or -1 for it."""


@dataclass(frozen=True)
class TimedGames:
    """What a batch of such games shares."""

    pilot: Pilot
    """The learning side, as it plays these games."""
    opponents: tuple[Pilot, ...]
    limits: tuple[Limit, Limit]
    """Of the learning side and of its opponents."""
    seed: int
    """Decides, with the number of a game, all that is left to chance in it."""
    openings: tuple[Opening, ...]
    """Two games from each in turn; games beyond have those of before, and chance of their own."""
    most_plies: int
    """Longer games are a draw."""
    early_depth: int
    """Of the searches whose scores are told."""

    def play(self, numbers: range, workers: Workers) -> Iterator[tuple[int, list[Games]]]:
        """Games in the order of their numbers, some chunks at a time, with the number of the first game in them."""
        size = 2 * max(1, -(-len(numbers) // (8 * workers.count)))
        firsts = range(numbers.start, numbers.stop, size)
        parts = [_Part(self, range(first, min(first + size, numbers.stop))) for first in firsts]
        with closing(workers.map(_play, parts)) as played:
            yield from zip(firsts, played, strict=True)

    @property
    def _rules(self) -> tuple[Any, ...]:
        return (self.pilot.game, self.limits, self.most_plies, self.early_depth)

    def take_arena(self, players: tuple[Pilot, Pilot]) -> Arena:
        """One that nobody plays in, for these players."""
        if self._rules not in _idle:
            _idle.clear()
        try:
            arena = _idle.setdefault(self._rules, []).pop()
        except IndexError:
            return Arena(
                self.pilot.game,
                players,
                self.limits,
                adjudication=Adjudication(self.most_plies, "draw"),
                early_depth=self.early_depth,
            )
        arena.seat(players)
        return arena

    def give_back(self, arena: Arena) -> None:
        """For other games."""
        idle = _idle.get(self._rules)
        if idle is not None and len(idle) < _MOST_IDLE:
            idle.append(arena)

    def task(self, number: int) -> Task:
        """A game by its number."""
        opening = self.openings[number // 2 % len(self.openings)]
        return Task(opening.position(self.pilot.game), task_seed(self.seed, number // 2), number % 2)


@dataclass(frozen=True)
class _Part:
    games: TimedGames
    numbers: range


def _play(part: _Part) -> list[Games]:
    """The games of a part, one chunk an opponent in turn. Runs in a worker."""
    games, played = part.games, []
    count = len(games.opponents)
    pairs: list[list[int]] = []
    for number in part.numbers:
        if pairs and (count == 1 or number // 2 == pairs[-1][0] // 2):
            pairs[-1].append(number)
        else:
            pairs.append([number])
    for numbers in pairs:
        arena = games.take_arena((games.pilot, games.opponents[numbers[0] // 2 % count]))
        played.append(arena.play([games.task(number) for number in numbers]))
        games.give_back(arena)
    return played


def play_points(players: Sequence[TimedGames], numbers: range, workers: Workers) -> list[float]:
    """The points of each learning side in its games of these numbers, a task a player."""
    points = []
    with closing(workers.map(_play, [_Part(games, numbers) for games in players])) as played:
        for chunks in played:
            results = (side.result for side in read_sides(chunks, numbers.start, 2))
            points.append(sum((result + 1) / 2 for result in results))
    return points


@lru_cache(maxsize=8)
def opening_pool(game: str, plies: int, seed: int, games: int) -> tuple[Opening, ...]:
    """Even openings for so many games, as many as one run needs at most."""
    return tuple(even_openings(game, plies, min(max(games // 2, 1), _POOL), seed))


def read_sides(games: Sequence[Games], first: int, choices: int, *, opponent: bool = False) -> Iterator[Sides]:
    """What the learning side of each game saw and decided, or its opponent: the games have their numbers from one on.

    ``choices`` is how many a decision has.
    """
    number = first
    for chunk in games:
        for own in range(len(chunk)):
            side = (number + opponent) % 2
            yield _read_side(chunk, own, side, choices)
            number += 1


def _read_side(games: Games, own: int, side: int, choices: int) -> Sides:
    decided = games.decisions
    assert decided is not None
    plies = np.arange(games.starts[own], games.starts[own + 1])
    turns = plies[games.movers[plies] == side]
    winner = games.winners[own]
    result = 0.0 if winner is None else 1.0 if winner == side else -1.0
    low, high = np.searchsorted(decided.plies, [games.starts[own], games.starts[own + 1]])
    chosen = low + np.flatnonzero(games.movers[decided.plies[low:high]] == side)
    decisions = None
    if len(chosen):
        lengths = decided.starts[chosen + 1] - decided.starts[chosen]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(decided.starts[chosen] - starts[:-1], lengths) + np.arange(starts[-1])
        decisions = Decisions(
            starts=starts.astype(np.int64),
            indices=np.ascontiguousarray(decided.indices[places]),
            values=np.ascontiguousarray(decided.values[places]),
            possible=np.ones((len(chosen), choices), bool),
            chosen=decided.chosen[chosen],
            turns=np.searchsorted(turns, decided.plies[chosen]),
        )
    return Sides(decided.early_scores[turns], games.nodes[turns], decisions, result)


_MOVE_SPAN = 5
_MOST_SPANS = 12
_SURPRISES = (-0.2, -0.05, -0.01, 0.01, 0.05, 0.2)
"""Changes of value since the own move before, between which moves are counted together."""


def tell_times(sides: Sequence[Sides], nodes: int, steepness: float) -> dict[str, list[list[float]]]:
    """Increments that moves took on average, and how many moves there were: by move number and by surprise."""
    by_move = np.zeros((_MOST_SPANS, 2))
    by_surprise = np.zeros((len(_SURPRISES) + 1, 2))
    for side in sides:
        spans = np.minimum(np.arange(len(side.nodes)) // _MOVE_SPAN, _MOST_SPANS - 1)
        values = np.tanh(side.scores * steepness / 2)
        groups = np.searchsorted(_SURPRISES, np.diff(values, prepend=values[:1]))
        for table, rows in ((by_move, spans), (by_surprise, groups)):
            np.add.at(table[:, 0], rows, side.nodes / nodes)
            np.add.at(table[:, 1], rows, 1)
    return {
        name: [[round(float(total / max(count, 1)), 4), int(count)] for total, count in table]
        for name, table in (("by_move", by_move), ("by_surprise", by_surprise))
    }


def used_share(sides: Sequence[Sides], limit: Limit) -> float:
    """The part of what they had of a bank that sides used by the end of their games, on average."""
    assert limit.clock is not None
    shares = [
        float(side.nodes.sum()) / (limit.clock + limit.increment * (len(side.nodes) - 1))
        for side in sides
        if len(side.nodes)
    ]
    return round(float(np.mean(shares)), 4) if shares else 0.0


def span_names() -> tuple[list[str], list[str]]:
    """What the rows of ``tell_times`` are called."""
    moves = [f"{_MOVE_SPAN * i + 1} to {_MOVE_SPAN * (i + 1)}" for i in range(_MOST_SPANS - 1)]
    moves.append(f"from {_MOVE_SPAN * (_MOST_SPANS - 1) + 1} on")
    bounds = [f"{bound:+.2f}" for bound in _SURPRISES]
    between = [f"{low} to {high}" for low, high in pairwise(bounds)]
    return moves, [f"below {bounds[0]}", *between, f"above {bounds[-1]}"]
