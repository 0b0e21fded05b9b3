"""Test suites and the bench: many positions searched by one pilot, each from an empty table. Any game has both."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

from plypilot.compute import workers_for
from plypilot.data.epd import EpdPosition
from plypilot.games import Move, Position
from plypilot.pilot import Pilot
from plypilot.score import LEAST_WIN, WIN_SCORE
from plypilot.searcher import Iteration, Limit, Result, Searcher, Watched

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Until = Literal["limit", "solved"]
"""When a search of a suite ends: at its limit, and the right move must have held to the end; or with the first depth
that has the right move, which is cheaper and more lenient."""


@dataclass(frozen=True)
class SuiteTask:
    """One position for one pilot to solve; a task of workers of every kind."""

    pilot: Pilot
    item: EpdPosition
    limit: Limit
    until: Until = "limit"
    needs_win: bool = False
    """Where a win is what makes the move best (``kind win``), the right move counts only once its score is a win: so
    Smith (4.4.4) asks for the right amount of gain too. A search that guesses has not solved it."""
    seed: int = 0
    """Decides whatever the pilot leaves to chance."""
    statistics: bool | Watched = False
    """What is watched, as in a search."""


class Attempt(NamedTuple):
    """How a search did on one position, as plain data: it goes through JSON, and ``Attempt(*list)`` gives it back."""

    solved: bool
    """The move it would play is right."""
    effort: int | None
    """Nodes up to and including the iteration from which on the move was right (Smith 4.4.4), None if it was not."""
    depth: int | None
    """The depth of that iteration."""
    deepest: int
    """The farthest ply from the root that the search has seen up to there; in all, where it has not solved it."""
    nodes: int
    """What the search spent in all."""
    move: str | None
    """The move it would play, None where the game has ended."""
    score: int


def attempt(task: SuiteTask) -> Attempt:
    """Solves one position from an empty table, on this thread. The answer depends on the task alone."""
    return _judge(task)[0]


@dataclass(frozen=True)
class Solution:
    """How a search did on one position of a suite, and the search itself."""

    item: EpdPosition
    result: Result
    solved: bool
    effort: int | None
    depth: int | None
    """These three as in ``Attempt``."""


def solve(
    pilot: Pilot,
    items: Sequence[EpdPosition],
    limit: Limit,
    *,
    threads: int = 1,
    until: Until = "limit",
    needs_win: bool = False,
    seed: int = 0,
    statistics: bool | Watched = False,
    on_solution: Callable[[Solution], object] | None = None,
) -> list[Solution]:
    """Solves the positions of a suite. Results do not depend on the number of threads.

    Games in Python have processes instead of threads. The seed decides whatever the pilot leaves to chance;
    ``statistics`` says what is watched, as in a search.
    """
    tasks = [SuiteTask(pilot, item, limit, until, needs_win, seed, statistics) for item in items]
    return _each(_solve, tasks, pilot.game, threads, on_solution)


def _solve(task: SuiteTask) -> Solution:
    found, result = _judge(task)
    return Solution(task.item, result, found.solved, found.effort, found.depth)


def _judge(task: SuiteTask) -> tuple[Attempt, Result]:
    position, item = task.item.position(), task.item
    if item.game != task.pilot.game:
        raise ValueError(f"position {item.id or item.line} is of {item.game}, the pilot of {task.pilot.game}")
    best, avoid = ([position.parse(text) for text in texts] for texts in (item.best, item.avoid))
    least = LEAST_WIN if task.needs_win and item.operations.get("kind") == ("win",) else -WIN_SCORE

    def is_right(move: Move | None, score: int) -> bool:
        return move is not None and score >= least and (move in best if best else move not in avoid)

    def look(iteration: Iteration) -> None:
        if is_right(iteration.move, iteration.score):
            searcher.stop()

    searcher = _own_searcher(task.pilot, task.seed)
    result = searcher.search(
        position, task.limit, on_iteration=look if task.until == "solved" else None, statistics=task.statistics
    )
    iterations = result.iterations
    if task.until == "solved":  # what an iteration begins that is not completed does not count
        at = next((number for number, done in enumerate(iterations) if is_right(done.move, done.score)), None)
        solved = at is not None
    else:
        solved, at = is_right(result.move, result.score), len(iterations)
        while at and is_right(iterations[at - 1].move, iterations[at - 1].score):
            at -= 1
    first = iterations[at] if solved and at is not None and at < len(iterations) else None
    effort, depth = (first.nodes.all, first.depth) if first else (result.nodes.all, result.depth + 1)
    seen = first.deepest if first else max((done.deepest for done in iterations), default=0)
    played, score = (first.move, first.score) if first and task.until == "solved" else (result.move, result.score)
    found = Attempt(
        solved,
        effort if solved else None,
        depth if solved else None,
        seen,
        result.nodes.all,
        None if played is None else str(played),
        score,
    )
    return found, result


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
    tasks = [(pilot, position, limit) for position in bench_positions(pilot.game)]
    results = _each(_search, tasks, pilot.game, threads, None)
    return BenchRun(pilot.game, sum(each.nodes.all for each in results), sum(each.seconds for each in results))


def _search(task: tuple[Pilot, Position, Limit]) -> Result:
    pilot, position, limit = task
    return _own_searcher(pilot).search(position, limit)


_of_thread = threading.local()


def _own_searcher(pilot: Pilot, seed: int = 0) -> Searcher:
    """A searcher of this thread with an empty memory: that of the task before, where it was for the same pilot."""
    kept: Searcher | None = getattr(_of_thread, "searcher", None)
    if kept is None or kept.pilot is not pilot or _of_thread.seed != seed:
        kept, _of_thread.seed = Searcher(pilot, seed=seed), seed
        _of_thread.searcher = kept
    kept.clear()
    return kept


def _each(
    work: Callable[[Item], Answer],
    items: Sequence[Item],
    game: str,
    threads: int,
    on_answer: Callable[[Answer], object] | None,
) -> list[Answer]:
    """Applies work to every item and returns the answers in the order of the items."""
    if threads < 1:
        raise ValueError(f"threads is {threads}, expected 1 or more")
    answers: list[Answer] = []
    if threads == 1:  # in this thread, where Ctrl-C ends the search itself
        for item in items:
            answers.append(work(item))
            if on_answer:
                on_answer(answers[-1])
        return answers
    with workers_for(game, threads) as workers:
        for answer in workers.map(work, items):
            answers.append(answer)
            if on_answer:
                on_answer(answer)
    return answers
