"""Four ways to make evaluators of Lines of Action, compared: Kocsis 2003, appendix B, tables B.1 and B.2.

    python experiments/kocsis_B.py [--scale quick|full|PART] [--threads N]

Networks of 65 inputs, 40 hidden units and one output are evolved by SANE, learned by TD in self-play (STD), by ten TD
players among themselves (MTD), and by TD players among those of SANE (SANE-TD). The best 50 of each play a swiss
tournament of 50 rounds; then 30 old and 30 new ones of STD and of MTD a second one. The seed does not name the sizes
of SANE's populations, its rate of mutation, the step size of TD, nor the depth of the searches: 400 neurons and 100
networks, 0.05, 0.003, and 1 ply here. Quick has 240 and 40, and fewer games, players and rounds.

The seed made one population. Here all is done four times with other seeds: one method is above another where the mean
difference over the populations lies above 0 by Student's t at 95%, so that it is more than the spread between them.
The deviation inside a method, which the seed has, says nothing of that.

Parts, one a population: one, two, three, four, some 7 minutes on two cores each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness import Claim, Figures, Harness, mean
from intervals import mean_error
from parts import Drawing, Experiment
from plypilot.learn.population import AGAIN, METHODS, Plan, make_population
from plypilot.learn.population import SCALES as PLANS
from plypilot.report.drawing import draw_bars
from plypilot.versions import core_digest

SEED_FIRST = {"sane": (0.199, 0.027), "std1": (0.276, 0.024), "mtd1": (0.288, 0.025), "sane-td": (0.237, 0.011)}
"""Result and standard deviation of each method, table B.1."""
SEED_SECOND = {
    "std1": (0.228, 0.049, 20),
    "mtd1": (0.261, 0.037, 28),
    "std2": (0.238, 0.038, 24),
    "mtd2": (0.273, 0.051, 28),
}
"""And how many are in the final set, table B.2."""
STUDENT = (float("inf"), 12.71, 4.303, 3.182, 2.776, 2.571)
"""Quantiles of Student's t that hold 95%, by degrees of freedom."""


@dataclass(frozen=True)
class Scale:
    """A population."""

    plan: Plan
    populations: tuple[int, ...]
    """Their seeds."""


SCALES = {"tiny": Scale(PLANS["tiny"], (0, 1)), "quick": Scale(PLANS["quick"], (0,))}
PARTS = {name: Scale(PLANS["full"], (number,)) for number, name in enumerate(("one", "two", "three", "four"))}


def measure(harness: Harness, scale: Scale) -> Figures:
    """Both tables of each population, by method. What is made is kept beside the cache, and goes on there."""

    def work(number: int) -> Figures:
        name = f"{core_digest()[:16]}-{harness.scale}-{number}"
        folder = harness.folder / "runs" / harness.name / name
        made = make_population(scale.plan, number, workers=harness.threads, folder=folder, resume=True)
        first, second = ({row.method: vars(row) for row in rows} for rows in made.tables)
        return {"first": first, "second": second}

    plan = scale.plan.model_dump(mode="json")
    found = harness.measure("populations", scale.populations, lambda number: [number, plan], work)
    return {
        "populations": {
            str(number): {"first": tables["first"], "second": tables["second"]}
            for number, tables in zip(scale.populations, found, strict=True)
        }
    }


def summarise(measured: Figures) -> Figures:
    """Each table with a list over the populations for each figure of a method."""
    tables = list(measured["populations"].values())
    return {
        which: {
            method: {key: [table[which][method][key] for table in tables] for key in tables[0][which][method]}
            for method in methods
        }
        for which, methods in (("first", METHODS), ("second", AGAIN))
    } | {"populations": len(tables)}


def interval(differences: Sequence[float]) -> tuple[float, float, float]:
    """A mean over populations with its interval of 95%."""
    value = mean(differences)
    if len(differences) < 2:
        return value, -float("inf"), float("inf")
    reach = STUDENT[min(len(differences) - 1, len(STUDENT) - 1)] * mean_error(differences)
    return value, value - reach, value + reach


def apart(
    figures: Figures, which: str, key: str, one: Sequence[str], other: Sequence[str]
) -> tuple[float, float, float]:
    """By how much some methods are ahead of others, as means of both."""
    table = figures[which]
    return interval(
        [
            mean(table[name][key][number] for name in one) - mean(table[name][key][number] for name in other)
            for number in range(figures["populations"])
        ]
    )


def is_above(difference: tuple[float, float, float]) -> bool | None:
    """Whether it lies above 0; None where its interval holds 0."""
    _, low, high = difference
    return True if low > 0 else False if high < 0 else None


def all_of(verdicts: Sequence[bool | None]) -> bool | None:
    """Whether all hold: not if one does not, open if one is."""
    return False if False in verdicts else None if None in verdicts else True


def tell(difference: tuple[float, float, float]) -> str:
    """A difference with its interval."""
    return f"{difference[0]:+.3f} ({difference[1]:+.3f} to {difference[2]:+.3f})"


def ahead(which: str, pairs: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]) -> Callable[..., Any]:
    """A claim that some methods are ahead of others by their score rates."""

    def holds(figures: Figures, _: float) -> tuple[bool | None, str]:
        found = {name: apart(figures, which, "score_rate", one, other) for name, (one, other) in pairs.items()}
        told = ", ".join(f"{name} {tell(difference)}" for name, difference in found.items())
        return all_of([is_above(difference) for difference in found.values()]), f"points a game: {told}"

    return holds


def level(which: str, one: tuple[str, ...], other: tuple[str, ...]) -> Callable[..., Any]:
    """A claim that two methods are about level by their results."""

    def holds(figures: Figures, tolerance: float) -> tuple[bool | None, str]:
        difference = apart(figures, which, "result", one, other)
        value, low, high = difference
        if abs(value) <= tolerance:
            return True, f"results differ by {tell(difference)}"
        return (None if low <= tolerance and high >= -tolerance else False), f"results differ by {tell(difference)}"

    return holds


CLAIMS = [
    Claim(
        "TD players beat those of SANE",
        "a clear superiority of the TD players over the genetic ones: score rates 0.552 and 0.576 against 0.398 (B.1)",
        "STD and MTD each score more than SANE in the first tournament, by t over the populations at 95%",
        0,
        ahead("first", {"STD": (("std1",), ("sane",)), "MTD": (("mtd1",), ("sane",))}),
    ),
    Claim(
        "STD and MTD are close",
        "0.276 and 0.288, no significant difference (B.1)",
        "mean results differ by at most {tolerance}, the deviation inside a method; open if the interval reaches",
        0.025,
        level("first", ("std1",), ("mtd1",)),
    ),
    Claim(
        "SANE-TD is the worst of the TD methods",
        "0.237, due to weaker opponents (B.1)",
        "STD and MTD each score more than SANE-TD, by t over the populations at 95%",
        0,
        ahead("first", {"STD": (("std1",), ("sane-td",)), "MTD": (("mtd1",), ("sane-td",))}),
    ),
    Claim(
        "SANE-TD is above SANE",
        "0.237 beside 0.199 (B.1)",
        "it scores more, by t over the populations at 95%",
        0,
        ahead("first", {"SANE-TD": (("sane-td",), ("sane",))}),
    ),
    Claim(
        "MTD is ahead of STD among the best",
        "0.261 and 0.273 beside 0.228 and 0.238 (B.2)",
        "old and new players of MTD together score more than those of STD, by t over the populations at 95%",
        0,
        ahead("second", {"MTD": (("mtd1", "mtd2"), ("std1", "std2"))}),
    ),
    Claim(
        "new players are as good as old ones",
        "0.238 and 0.273 beside 0.228 and 0.261 (B.2)",
        "mean results differ by at most {tolerance}; open if the interval reaches there",
        0.025,
        level("second", ("std2", "mtd2"), ("std1", "mtd1")),
    ),
]


def show(harness: Harness, figures: Figures) -> None:
    """Prints both tables beside the seed's."""

    def row(which: str, method: str, seed: tuple[float, ...], methods: int) -> list[object]:
        table = figures[which][method]
        shares = [f"{mean(table[key]):.3f}" for key in ("result", "deviation")]
        spread = f"{np.std(table['result'], ddof=1):.3f}" if figures["populations"] > 1 else "-"
        own = [method, table["players"][0], *shares, spread, f"{seed[0]:.3f}", f"{seed[1]:.3f}"]
        return [*own, f"{mean(table['score_rate']):.3f}", f"{seed[0] * methods / 2:.3f}"]

    count = figures["populations"]
    columns = ["method", "players", "result", "deviation", "between", "seed: result", "deviation", "score rate", "seed"]
    first = [row("first", method, SEED_FIRST[method], len(METHODS)) for method in METHODS]
    harness.print_table(f"Table B.1: the first tournament, means of {count} populations", columns, first)
    second = [
        [*row("second", method, seed, len(AGAIN)), f"{mean(figures['second'][method]['final']):.1f}", seed[2]]
        for method, seed in SEED_SECOND.items()
    ]
    title = f"Table B.2: the second tournament, means of {count} populations"
    harness.print_table(title, [*columns, "final set", "seed"], second)


def draw(figures: Figures) -> Iterator[Drawing]:
    """Tables B.1 and B.2 as bars."""
    seeds: dict[str, Mapping[str, tuple[float, ...]]] = {"first": SEED_FIRST, "second": SEED_SECOND}
    for which, seed in seeds.items():
        bars = {
            "ours": [mean(figures[which][method]["result"]) for method in seed],
            "the seed": [each[0] for each in seed.values()],
        }
        spreads = {
            "ours": [mean(figures[which][method]["deviation"]) for method in seed],
            "the seed": [each[1] for each in seed.values()],
        }
        yield Drawing(
            which,
            f"Table B.{1 if which == 'first' else 2}: results with deviations inside the methods",
            lambda bars=bars, spreads=spreads, seed=seed: draw_bars(list(seed), bars, up="result", spreads=spreads),
        )


def settings_of(scale: Scale) -> Mapping[str, Any]:
    """All that the figures of a scale depend on."""
    return {"plan": scale.plan.model_dump(mode="json"), "populations": scale.populations}


EXPERIMENT = Experiment(
    name="kocsis_B",
    text=__doc__,
    small=SCALES,
    parts=PARTS,
    measure=measure,
    summarise=summarise,
    show=show,
    claims=CLAIMS,
    draw=draw,
    settings=settings_of,
)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    EXPERIMENT.run(words)


if __name__ == "__main__":
    from harness import start

    start(main)
