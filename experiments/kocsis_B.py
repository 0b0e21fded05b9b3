"""Four ways to make evaluators of Lines of Action, compared: Kocsis 2003, appendix B, tables B.1 and B.2.

    python experiments/kocsis_B.py [--scale quick|full] [--threads N]

Networks of 65 inputs, 40 hidden units and one output are evolved by SANE, learned by TD in self-play (STD), by ten TD
players among themselves (MTD), and by TD players among those of SANE (SANE-TD). The best 50 of each play a swiss
tournament of 50 rounds; then 30 old and 30 new ones of STD and of MTD a second one. The seed does not name the sizes of
SANE's populations, its rate of mutation, the step size of TD, nor the depth of the searches: 400 neurons and 100
networks, 0.05, 0.003, and 1 ply here. Quick has 240 and 40, and fewer games, players and rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness import Claim, Figures, Harness, read_options, start
from plypilot.learn.population import AGAIN, METHODS, SCALES, Plan, make_population
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


def measure(harness: Harness, plan: Plan, seed: int) -> Figures:
    """Both tables, by method. What is made is kept in a folder beside the cache, and goes on there."""

    def work(number: int) -> Figures:
        folder = harness.folder / "runs" / harness.name / f"{core_digest()[:16]}-{harness.scale}-{number}"
        made = make_population(plan, number, workers=harness.threads, folder=folder, resume=True)
        first, second = ({row.method: vars(row) for row in rows} for rows in made.tables)
        return {"first": first, "second": second}

    (tables,) = harness.measure("populations", [seed], lambda number: [number, plan.model_dump(mode="json")], work)
    return {"first": tables["first"], "second": tables["second"]}


def rates(figures: Figures) -> dict[str, float]:
    """Points a game in the first tournament, by method."""
    return {method: figures["first"][method]["score_rate"] for method in METHODS}


def td_beats_sane_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table B.1: 0.276 and 0.288 against 0.199."""
    found = rates(figures)
    ahead = {method: found[method] - found["sane"] for method in ("std1", "mtd1")}
    text = ", ".join(f"{method} {found[method]:.3f}" for method in METHODS)
    return min(ahead.values()) >= tolerance, f"score rates {text}"


def close_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table B.1: 0.276 and 0.288."""
    one, other = (figures["first"][method]["result"] for method in ("std1", "mtd1"))
    return abs(one - other) <= tolerance, f"results {one:.3f} and {other:.3f}"


def between_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Table B.1: 0.237."""
    found = rates(figures)
    between = found["sane"] < found["sane-td"] < min(found["std1"], found["mtd1"])
    return between, f"sane {found['sane']:.3f}, sane-td {found['sane-td']:.3f}, std1 {found['std1']:.3f}"


CLAIMS = [
    Claim(
        "TD players beat those of SANE",
        "a clear superiority of the TD players over the genetic ones: score rates 0.552 and 0.576 against 0.398 (B.1)",
        "STD and MTD each score at least {tolerance} a game more than SANE in the first tournament",
        0.1,
        td_beats_sane_claim,
    ),
    Claim(
        "STD and MTD are close",
        "0.276 and 0.288, no significant difference (B.1)",
        "their results differ by at most {tolerance}, the standard deviation inside a method of the seed",
        0.025,
        close_claim,
    ),
    Claim(
        "SANE-TD is the worst of the TD methods",
        "0.237, due to weaker opponents; above SANE's 0.199 (B.1)",
        "its score rate lies between SANE's and those of STD and MTD",
        0,
        between_claim,
    ),
]


def show(harness: Harness, figures: Figures) -> None:
    """Prints both tables beside the seed's."""

    def row(standing: dict[str, Any], seed: tuple[float, ...], methods: int) -> list[object]:
        shares = [f"{standing['result']:.3f}", f"{standing['deviation']:.3f}", f"{seed[0]:.3f}", f"{seed[1]:.3f}"]
        return [
            standing["method"],
            standing["players"],
            *shares,
            f"{standing['score_rate']:.3f}",
            f"{seed[0] * methods / 2:.3f}",
        ]

    columns = ["method", "players", "result", "deviation", "seed: result", "deviation", "score rate", "seed"]
    first = [row(figures["first"][method], SEED_FIRST[method], len(METHODS)) for method in METHODS]
    harness.print_table("Table B.1: the first tournament", columns, first)
    second = [
        [*row(figures["second"][method], SEED_SECOND[method], len(AGAIN)), figures["second"][method]["final"], final]
        for method, (_, _, final) in SEED_SECOND.items()
    ]
    harness.print_table("Table B.2: the second tournament", [*columns, "final set", "seed"], second)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    plan = SCALES[options.scale]
    harness = Harness("kocsis_B", options.scale, threads=options.threads, folder=options.out)
    try:
        figures = measure(harness, plan, 0)
        show(harness, figures)
        harness.conclude(CLAIMS, figures, settings=plan.model_dump(mode="json"))
    finally:
        harness.close()


if __name__ == "__main__":
    start(main)
