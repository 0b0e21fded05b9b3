"""Batches of games that a pilot plays with itself, for learners: handed out in parts, each game by its number alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np

from plypilot.compute import Workers, task_seed
from plypilot.games import Position
from plypilot.pilot import Pilot
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Arena, Games, Moves, Task
from plypilot.searcher import Limit

_spare_arenas: dict[tuple[Any, ...], Arena] = {}
"""That of the last batch that threads of this process played, by its rules. A batch is over so soon that making its
tables would take a share of the time."""


@dataclass(frozen=True)
class Batch:
    """What the games of a step share."""

    pilot: Pilot
    """As it plays learning games."""
    seed: int
    """Decides, with the number of a game, all that is left to chance in it."""
    limit: Limit
    opening_plies: int
    adjudication: Adjudication
    counters: bool
    """Rules that count moves end games."""
    moves: Moves
    fresh: bool = False
    """Tables are emptied before each move."""
    noted: Literal["nothing", "principal", "game"] = "nothing"
    """The position of each ply whose features are kept."""
    sets: Sequence[str] = ()
    """The feature sets that are kept of it."""

    @property
    def _rules(self) -> tuple[Any, ...]:
        """All that an arena is made of, but for the pilot."""
        return (
            self.pilot.game,
            self.limit,
            self.adjudication,
            self.counters,
            self.fresh,
            self.moves,
            self.noted,
            tuple(self.sets),
        )

    @cached_property
    def arena(self) -> Arena:
        """Made ready where games are played, once for all threads: that of the batch before, where it lies there."""
        if (spare := _spare_arenas.pop(self._rules, None)) is not None:
            spare.seat([self.pilot])
            return spare
        return Arena(
            self.pilot.game,
            [self.pilot],
            self.limit,
            adjudication=self.adjudication,
            ends_by_counters=self.counters,
            fresh=self.fresh,
            moves=self.moves,
            noted=self.noted,
            sets=self.sets,
        )

    def task(self, number: int) -> Task:
        """A game of this batch or of another one."""
        return _task(self.pilot.game, self.seed, number, self.opening_plies)

    def play(self, numbers: range, workers: Workers, following: range = range(0)) -> Iterator[Games]:
        """Games in the order of their numbers, some at a time, as they are done.

        Once the first are there, threads play the others without the interpreter: the openings of the ``following``
        batch are made meanwhile.
        """
        parts = [_BatchPart(self, part) for part in _split(numbers, workers.count)]
        with closing(workers.map(_play, parts)) as played:
            for place, games in enumerate(played):
                yield games
                if place == 0 and workers.are_threads:
                    for number in following:
                        self.task(number)
        if workers.are_threads:
            _spare_arenas.clear()
            _spare_arenas[self._rules] = self.arena


@dataclass(frozen=True)
class _BatchPart:
    """Some games of a batch."""

    batch: Batch
    numbers: range


def varied(pilot: Pilot, *, shuffle: bool, noise: int) -> Pilot:
    """The pilot as it plays learning games: equal moves in random order, and noise on the scores of root moves.

    All else in it is valid, and need not be looked at again.
    """
    root = pilot.search.root.model_copy(update={"noise": noise})
    return pilot.model_copy(
        update={
            "ordering": pilot.ordering.model_copy(update={"shuffle": shuffle}),
            "search": pilot.search.model_copy(update={"root": root}),
        }
    )


def _split(numbers: range, workers: int) -> Iterator[range]:
    """Parts of a batch: large ones first, which cost less to hand out, then smaller and smaller ones, so that all
    workers are busy to its end and little is left to learn from then. How a batch is split changes no result.
    """
    while numbers:
        size = -(-4 * len(numbers) // (5 * workers))
        yield numbers[:size]
        numbers = numbers[size:]


def _play(part: _BatchPart) -> Games:
    return part.batch.arena.play([part.batch.task(number) for number in part.numbers])


@lru_cache(maxsize=8192)
def _task(game: str, seed: int, number: int, opening_plies: int) -> Task:
    """A game from the start or from random moves, by its number. Kept, as those of the next batch are made ahead."""
    own_seed = task_seed(seed, number)
    if not opening_plies:
        return Task(Position(game), own_seed)
    rng = np.random.default_rng(own_seed)
    while True:
        position = Position(game)
        for _ in range(opening_plies):
            moves = position.moves()
            if not moves:
                break
            position.push(moves[int(rng.integers(len(moves)))])
        if position.outcome() is None:
            return Task(position, own_seed)
