"""What moves are really worth, by a search that is much deeper than those which choose them (Kocsis 2003, 4.4.4).

So two searches can be compared by the moves that they choose in the same positions, a hundred times faster than by
games.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from plypilot.compute import Workers
from plypilot.games import Position
from plypilot.pilot import Pilot
from plypilot.score import PAWN, WIN_SCORE
from plypilot.searcher import Limit, Searcher

_PART = 10
"""Positions that are searched as one task."""


class Choice(NamedTuple):
    """What a search has chosen in a position, and what it has spent."""

    nodes: int
    move: str
    depth: int
    """That it has completed."""


def judging_pilot(pilot: Pilot) -> Pilot:
    """The pilot with the selectivity of its game's baseline: what judges moves is to look deep, whoever chose them."""
    usual = Pilot.baseline(pilot.game)
    return pilot.model_copy(update={"depth": usual.depth, "pruning": usual.pruning})


@dataclass(frozen=True)
class MoveWorths:
    """The worth of moves by a pilot's deep search. What is worked out once is in the cache of the workers."""

    pilot: Pilot
    nodes: int
    """Of the search behind each move."""
    most: int = 500
    """Hundredths of a pawn beyond which one score is as good as another."""

    def find(self, moves: Iterable[tuple[str, str]], workers: Workers) -> dict[tuple[str, str], int]:
        """The worth of moves, each named with its position, in hundredths of a pawn for who plays it."""
        wanted = list(dict.fromkeys(moves))
        tasks = [_Move(self, position, move) for position, move in wanted]
        return dict(zip(wanted, workers.evaluate(_worth, tasks, key=_Move.key), strict=True))

    def difference(
        self, positions: Sequence[str], chosen: Sequence[str], usual: Sequence[str], workers: Workers
    ) -> list[float]:
        """How much better each chosen move is than the usual one of its position."""
        different = [place for place, move in enumerate(chosen) if move != usual[place]]
        pairs = [(positions[place], moves[place]) for place in different for moves in (chosen, usual)]
        worths = self.find(pairs, workers)
        return [
            float(worths[position, own] - worths[position, other]) if own != other else 0.0
            for position, own, other in zip(positions, chosen, usual, strict=False)
        ]


def choose(
    pilots: Sequence[Pilot], positions: Sequence[str], depth: int, most_nodes: int, workers: Workers
) -> list[list[Choice]]:
    """What pilots choose in positions by searches to a depth, each from an empty table, and what that takes."""
    spans = [tuple(positions[first : first + _PART]) for first in range(0, len(positions), _PART)]
    tasks = [_Choosing(pilot, span, depth, most_nodes) for pilot in pilots for span in spans]
    parts = iter(workers.evaluate(_choose, tasks, key=_Choosing.key))
    return [[Choice(*told) for _ in spans for told in next(parts)] for _ in pilots]


class _Choosing(NamedTuple):
    """Some positions that a pilot is to search."""

    pilot: Pilot
    positions: tuple[str, ...]
    depth: int
    most_nodes: int

    def key(self) -> object:
        return ["choose", self.pilot.digest, list(self.positions), self.depth, self.most_nodes]


def _choose(task: _Choosing) -> list[list[int | str]]:
    """Runs in a worker."""
    searcher, limit = Searcher(task.pilot), Limit(depth=task.depth, nodes=task.most_nodes)
    told: list[list[int | str]] = []
    for text in task.positions:
        searcher.clear()
        result = searcher.search(Position(task.pilot.game, text), limit)
        told.append([result.nodes.all, str(result.move), result.depth])
    return told


class _Move(NamedTuple):
    """A move that is to be judged."""

    worths: MoveWorths
    position: str
    move: str

    def key(self) -> object:
        worths = self.worths
        return ["worth", worths.pilot.digest, worths.nodes, worths.most, self.position, self.move]


def _worth(task: _Move) -> int:
    """Runs in a worker."""
    pilot, most = task.worths.pilot, task.worths.most
    position = Position(pilot.game, task.position)
    mover = position.turn
    position.push(task.move)
    outcome = position.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else most if outcome.winner == mover else -most
    score = Searcher(pilot).search(position, Limit(nodes=task.worths.nodes)).score
    own = score if position.turn == mover else -score
    hundredths = own if abs(own) > WIN_SCORE // 2 else round(own * PAWN / pilot.evaluation.pawn)
    return max(-most, min(most, hundredths))
