"""Test suites and the bench: many positions searched by one pilot, each from an empty table."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from plypilot.compute import Workers
from plypilot.data.epd import EpdPosition
from plypilot.games import Position
from plypilot.pilot import Pilot
from plypilot.searcher import Limit, Result, Searcher, Watched

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Solution:
    """How a search did on one position of a suite."""

    item: EpdPosition
    result: Result
    solved: bool
    """The move it would play is right."""
    effort: int | None
    """Nodes up to and including the iteration from which on the move was right (Smith 4.4.4), None if it was not."""
    depth: int | None
    """The depth of that iteration."""


def solve(
    pilot: Pilot,
    items: Sequence[EpdPosition],
    limit: Limit,
    *,
    threads: int = 1,
    seed: int = 0,
    statistics: bool | Watched = False,
    on_solution: Callable[[Solution], object] | None = None,
) -> list[Solution]:
    """Solves the positions of a suite. Results do not depend on the number of threads.

    The seed decides whatever the pilot leaves to chance; ``statistics`` says what is watched, as in a search.
    """

    def judge(searcher: Searcher, item: EpdPosition) -> Solution:
        result = searcher.search(item.position(), limit, statistics=statistics)
        solved = result.move is not None and item.is_solved_by(result.move)
        first = None
        for iteration in reversed(result.iterations):
            if iteration.move is None or not item.is_solved_by(iteration.move):
                break
            first = iteration
        effort = first.nodes.all if first else result.nodes.all
        return Solution(
            item,
            result,
            solved,
            effort if solved else None,
            (first.depth if first else result.depth + 1) if solved else None,
        )

    return _each(pilot, items, judge, threads, on_solution, seed)


@dataclass(frozen=True)
class BenchRun:
    """What the bench of one game counted."""

    game: str
    nodes: int
    """The same on every run: the signature of the search's behaviour."""
    seconds: float
    """Of all searches added up."""


BENCH_DEPTHS = {"breakthrough": 8, "chess": 9, "loa": 6, "shogi": 7}
"""Depths that take about a second a game."""
BENCH_POSITIONS = 12


def bench_positions(game: str) -> list[Position]:
    """Positions of seeded random play from the opening to the middle game, the same everywhere."""
    positions = []
    for number in range(BENCH_POSITIONS):
        rng = random.Random(f"bench {game} {number}")
        position = Position(game)
        while position.ply < 4 * number:
            position.push(rng.choice(position.moves()))
            if position.outcome() is not None:
                position = Position(game)
        positions.append(position)
    return positions


def bench(pilot: Pilot, *, depth: int | None = None, threads: int = 1) -> BenchRun:
    """Searches the bench positions to a fixed depth."""
    limit = Limit(depth=depth or BENCH_DEPTHS.get(pilot.game, 4))
    results = _each(
        pilot, bench_positions(pilot.game), lambda searcher, position: searcher.search(position, limit), threads, None
    )
    return BenchRun(pilot.game, sum(each.nodes.all for each in results), sum(each.seconds for each in results))


def _each(
    pilot: Pilot,
    items: Sequence[Item],
    work: Callable[[Searcher, Item], Answer],
    threads: int,
    on_answer: Callable[[Answer], object] | None,
    seed: int = 0,
) -> list[Answer]:
    """Applies work to every item, each with an empty memory, and returns the answers in the order of the items."""
    if threads < 1:
        raise ValueError(f"threads is {threads}, expected 1 or more")
    local = threading.local()

    def run(item: Item) -> Answer:
        if not hasattr(local, "searcher"):
            local.searcher = Searcher(pilot, seed=seed)
        local.searcher.clear()
        return work(local.searcher, item)

    answers: list[Answer] = []
    if threads == 1:  # in this thread, where Ctrl-C ends the search itself
        for item in items:
            answers.append(run(item))
            if on_answer:
                on_answer(answers[-1])
        return answers
    with Workers.threads(threads) as workers:
        for answer in workers.map(run, items):
            answers.append(answer)
            if on_answer:
                on_answer(answer)
    return answers
