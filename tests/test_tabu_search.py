"""Tabu search over discrete settings, on tables made by hand and against looking at every solution."""

from __future__ import annotations

from itertools import pairwise, product
from random import Random

import pytest

from plypilot.learn.tabu_search import Exploration, Known, Rules, Solution, Space, agreement, explore


def every(space: Space) -> list[Solution]:
    return list(product(*(range(len(own)) for own in space.values)))


def knapsack(seed: int, places: int = 5, steps: int = 4) -> tuple[Space, dict[Solution, float], dict[Solution, float]]:
    """A problem whose cost and worth grow with every step at every place, by amounts left to chance."""
    rng = Random(seed)
    space = Space(((*range(1, steps), 0),) * places)
    costs, worths = ([[rng.random() for _ in range(steps)] for _ in range(places)] for _ in range(2))

    def total(amounts: list[list[float]], solution: Solution) -> float:
        return sum(sum(own[: number + 1]) for own, number in zip(amounts, solution, strict=True))

    solutions = every(space)
    return (
        space,
        {solution: total(costs, solution) for solution in solutions},
        {solution: total(worths, solution) for solution in solutions},
    )


def feed(
    space: Space, rules: Rules, costs: dict[Solution, float], worths: dict[Solution, float], seed: int = 0
) -> tuple[Exploration, Known]:
    """Follows a search that is told only what it asks for. Returns where it ended and what it was told."""
    told: tuple[dict[Solution, float], ...] = ({}, {}, {})
    known = Known(*told)
    for _ in range(10_000):
        found = explore(space, rules, known, seed)
        if found.is_over:
            return found, known
        for solution in found.costs_wanted:
            told[0][solution], told[1][solution] = costs[solution], worths[solution]
        if found.worth_wanted is not None:
            told[2][found.worth_wanted] = worths[found.worth_wanted]
    raise AssertionError("it never ends")


def test_neighbours_are_one_step_away() -> None:
    space = Space(((1, 2, 0), (1, 0)))
    assert space.upper((0, 0)) == [(1, 0), (0, 1)] and space.lower((0, 0)) == []
    assert space.upper(space.dearest) == [] and space.lower((2, 1)) == [(1, 1), (2, 0)]
    assert space.read((2, 0)) == (0, 1)


def test_the_best_solution_within_the_limit_is_found_with_patience() -> None:
    hits = 0
    for seed in range(20):
        space, costs, worths = knapsack(seed)
        limit = 0.5 * costs[space.dearest]
        found, known = feed(space, Rules(limit, patience=40), costs, worths, seed)
        assert found.best is not None and costs[found.best] <= limit
        best = max(worth for solution, worth in worths.items() if costs[solution] <= limit)
        hits += worths[found.best] == best
        assert worths[found.best] >= 0.9 * best
        assert len(known.costs) < len(costs)
    assert hits >= 15


def test_only_critical_solutions_are_judged() -> None:
    """But for those whose dearer neighbours are tabu, which the list of changes keeps from it."""
    space, costs, worths = knapsack(3)
    limit = 0.4 * costs[space.dearest]
    found, known = feed(space, Rules(limit, tabu=0), costs, worths)
    assert known.worths and all(costs[solution] <= limit for solution in known.worths)
    for solution in known.worths:
        assert all(costs[upper] > limit for upper in space.upper(solution))
    assert {visit.solution for visit in found.visits if visit.turn == "critical"} >= set(known.worths)


def test_being_told_step_by_step_ends_where_knowing_all_does() -> None:
    space, costs, worths = knapsack(5)
    rules = Rules(0.5 * costs[space.dearest], patience=8)
    step_by_step, _ = feed(space, rules, costs, worths, 7)
    at_once = explore(space, rules, Known(costs, worths, worths), 7)
    assert step_by_step.visits == at_once.visits and step_by_step.best == at_once.best


def test_monotony_saves_evaluations_and_changes_nothing_where_it_holds() -> None:
    space, costs, worths = knapsack(11)
    limit = 0.5 * costs[space.dearest]
    trusting, few = feed(space, Rules(limit, patience=15), costs, worths)
    doubting, many = feed(space, Rules(limit, patience=15, trusts=False), costs, worths)
    assert trusting.visits == doubting.visits and trusting.best == doubting.best
    assert len(few.costs) < len(many.costs)


def test_a_change_that_was_left_lately_is_not_brought_back() -> None:
    """In a problem that never leaves it without a neighbour, for which the oldest change is freed."""
    space, costs, worths = knapsack(4, places=8, steps=3)
    rules = Rules(0.5 * costs[space.dearest], tabu=4, patience=12)
    found, _ = feed(space, rules, costs, worths)
    moves = [visit.solution for visit in found.visits if visit.turn != "critical"]
    left: list[tuple[int, int]] = []
    for before, after in pairwise(moves):
        (place,) = (place for place in range(len(before)) if before[place] != after[place])
        assert (place, after[place]) not in left[-rules.tabu :]
        left.append((place, before[place]))


def test_where_nothing_keeps_the_limit_nothing_is_found() -> None:
    space = Space(((1, 0), (1, 0)))
    table = dict.fromkeys(every(space), 5.0)
    for start in ("cheapest", "random"):
        found, _ = feed(space, Rules(1.0, start=start), table, table, 4)  # type: ignore[arg-type]
        assert found.best is None and found.cycles == 0


def test_it_ends_at_once_where_everything_is_within_the_limit() -> None:
    space, costs, worths = knapsack(1, places=3)
    found, _ = feed(space, Rules(costs[space.dearest]), costs, worths)
    assert found.best == space.dearest and found.cycles == 1


def test_results_below_zero_are_results() -> None:
    """The best worth begins at minus infinity, not at 0 as printed in figure 4.2."""
    space, costs, worths = knapsack(6)
    below = {solution: worth - 100 for solution, worth in worths.items()}
    rules = Rules(0.5 * costs[space.dearest])
    assert feed(space, rules, costs, below)[0].best == feed(space, rules, costs, worths)[0].best


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_agreement_counts_neighbours_whose_order_is_that_of_their_numbers(share: float) -> None:
    space, costs, _ = knapsack(0, places=3)
    pairs = sum(len(space.upper(solution)) for solution in costs)
    table = {solution: (cost if share else -cost) for solution, cost in costs.items()}
    assert agreement(space, table) == (round(share * pairs), pairs)
