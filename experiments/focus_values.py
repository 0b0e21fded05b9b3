"""What the experiments on Gradual Focus share: the values of categories by the plain engine, and who was overlooked."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness import Figures, Harness
from plypilot.learn.category_values import Judge, categories_of, union_text
from plypilot.learn.gradual_focus import Atom, Combination, Exploration, Rules, explore

EFFORT_PART = 25
"""Positions whose solutions are sought as one task."""


@dataclass(frozen=True)
class Values:
    """What is known of combinations: positions solved and all else, and the processor time that it took."""

    measured: Mapping[Combination, Figures]

    def value(self, combination: Combination) -> float:
        """Positions solved."""
        return float(self.measured[combination]["value"])

    def table(self) -> dict[Combination, float]:
        """The positions solved by each."""
        return {combination: self.value(combination) for combination in self.measured}

    def first_parent(self, combination: Combination) -> Combination:
        """The best of the combinations with one feature less."""
        shorter = [combination[:place] + combination[place + 1 :] for place in range(len(combination))]
        return max(shorter, key=self.value)

    def improves(self, combination: Combination, epsilon: float) -> bool:
        """Whether it is so much better than its first parent; a single feature has none and always counts."""
        return len(combination) == 1 or (
            self.value(combination) >= self.value(self.first_parent(combination)) + epsilon
        )


def measure_values(made: Harness, judge: Judge, combinations: Sequence[Combination], plies: float) -> Values:
    """The values of combinations. Each is measured once, whoever asks for it."""

    def work(combination: Combination) -> Figures:
        began = time.thread_time()
        found = judge.measure_alone(categories_of((combination,), plies))
        return {
            "value": found.value,
            "solved": list(found.solved),
            "depth": found.depth,
            "height": found.height,
            "frequency": found.frequency,
            "processor_seconds": round(time.thread_time() - began, 4),
        }

    identity = [judge.pilot.digest, judge.suite.digest(), judge.nodes, judge.seed, judge.needs_win, plies]
    measured = made.measure("values", combinations, lambda combination: [*identity, list(combination)], work)
    return Values(dict(zip(combinations, measured, strict=True)))


def follow(made: Harness, judge: Judge, base: Sequence[Atom], rules: Rules, plies: float) -> tuple[Exploration, Values]:
    """Gradual Focus to its end, by values that are measured as they are wanted."""
    wanted: list[Combination] = []
    while True:
        values = measure_values(made, judge, wanted, plies)
        found = explore(base, rules, values.table())
        if found.is_over:
            return found, values
        wanted += found.wanted


def text_of(combination: Combination) -> str:
    """As the seed writes it."""
    return union_text((combination,))
