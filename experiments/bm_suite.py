"""Fractional-ply weights learned from a test suite: figure 4 of Björnsson and Marsland.

    python experiments/bm_suite.py --data wacnew.epd [--scale quick|wac|ecm] [--threads N]

The suite is Win At Chess for the scale wac and the Encyclopedia of Chess Middlegames for ecm: --data names its file.
The pilot is chess's baseline without hand-set extensions, late-move reductions and futility. The learner runs with its
defaults. Its node limit is the first of a ladder at which costs of one ply solve 70% of the suite; the seed has half a
million, where 75% are solved. Beside it stand hand-set costs of 0.25 for all four categories, at the same limit.

The rules, fixed before the run: within 20 iterations the total nodes of some iteration fall to 45% of the first one's
(seed: 30%) while at least 90% are solved in that iteration (seed: 93%), and the cost of checks ends at 0.1 or less.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import plypilot as pp
from harness import Claim, Figures, Harness, Missing, read_options, start
from plypilot.compute import Workers
from plypilot.learn.learner import take_steps
from plypilot.learn.plies import Plies

LADDER = (10_000, 25_000, 50_000, 100_000, 200_000, 400_000, 800_000)
LEAST_SOLVED = 0.7
HAND_SET = 0.25
SEED = 0
SCALES: dict[str, dict[str, Any]] = {
    "tiny": {"iterations": 2, "ladder": (500,)},
    "quick": {"iterations": 12, "ladder": LADDER[:2]},
    "wac": {"iterations": 20, "ladder": LADDER},
    "ecm": {"iterations": 20, "ladder": LADDER},
}


def plain_pilot() -> pp.Pilot:
    """Chess's baseline without anything that was set by hand to change depths."""
    return pp.Pilot.baseline("chess").replace(
        {
            "depth.categories": [],
            "depth.reduce_late": False,
            "pruning.futility_margin": 0,
            "pruning.late_moves": 0,
        }
    )


def learn(suite: Path, nodes: int, iterations: int, threads: int, **settings: Any) -> list[Figures]:
    """What each iteration tells, with the costs that it was searched by."""
    learner = Plies(suite=str(suite), nodes=nodes, iterations=iterations, **settings)
    state = learner.start(plain_pilot(), SEED)
    told: list[Figures] = []
    with Workers.threads(threads) as workers:
        costs = learner.summary(state)
        for after, metrics in take_steps(learner, state, workers):
            figures = {name: metrics[name] for name in ("solved", "positions", "nodes")}
            told.append({**figures, "costs": {name: round(plies, 4) for name, plies in costs.items()}})
            costs = learner.summary(after)
    return told


def _shares(figures: Figures) -> list[tuple[float, float]]:
    iterations = figures["iterations"]
    if len(iterations) < 2:
        raise Missing("one iteration only")
    first = iterations[0]["nodes"]
    return [(told["nodes"] / first, told["solved"] / told["positions"]) for told in iterations]


def _saves(figures: Figures, tolerance: float) -> tuple[bool, str]:
    share, solved = min(_shares(figures))
    hand = figures["hand_set"]
    text = f"{share:.0%} of the nodes with {solved:.0%} solved; first iteration {_shares(figures)[0][1]:.0%} solved"
    text += f"; hand-set {hand['nodes'] / figures['iterations'][0]['nodes']:.0%} with {hand['solved']} solved"
    return share <= tolerance, text


def _solves(figures: Figures, tolerance: float) -> tuple[bool, str]:
    solved = min(_shares(figures))[1]
    return solved >= tolerance, f"{solved:.1%}"


def _extends_checks(figures: Figures, tolerance: float) -> tuple[bool, str]:
    plies = figures["iterations"][-1]["costs"]["check"]
    return plies <= tolerance, f"checks cost {plies:.2f} plies"


CLAIMS = [
    Claim(
        "nodes fall", "5.1: to 30% after 17 iterations", "some iteration has at most {tolerance} of them", 0.45, _saves
    ),
    Claim("most are solved", "5.1: 93%", "at least {tolerance} in that iteration", 0.9, _solves),
    Claim("checks are extended", "table 1: 0.00", "{tolerance} plies or less at the end", 0.1, _extends_checks),
]


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES, data="a test suite of chess, as EPD")
    if options.data is None:
        raise SystemExit("--data: name a test suite of chess, such as wacnew.epd")
    scale = SCALES[options.scale]
    made = Harness("bm_suite", options.scale, threads=options.threads, folder=options.out)
    tried: Figures = {}
    nodes = 0
    for nodes in scale["ladder"]:
        first = learn(options.data, nodes, 1, options.threads)[0]
        tried[str(nodes)] = first["solved"]
        if first["solved"] >= LEAST_SOLVED * first["positions"]:
            break
    iterations = learn(options.data, nodes, scale["iterations"], options.threads)
    hand = learn(options.data, nodes, 1, options.threads, first_cost=HAND_SET)[0]
    figures: Figures = {"nodes": nodes, "tried": tried, "iterations": iterations, "hand_set": hand}
    made.print_table(
        f"{options.data.name}, {nodes:,} nodes",
        ("iteration", "solved", "nodes", "of the first", *iterations[0]["costs"]),
        [
            (
                number,
                told["solved"],
                f"{told['nodes']:,}",
                f"{told['nodes'] / iterations[0]['nodes']:.0%}",
                *(f"{plies:.2f}" for plies in told["costs"].values()),
            )
            for number, told in [*enumerate(iterations, 1), ("hand-set", hand)]
        ],
    )
    settings = {"suite": options.data.name, **scale, "hand_set": HAND_SET, "learner": Plies().model_dump(mode="json")}
    made.conclude(CLAIMS, figures, settings=settings, seed=SEED)
    made.close()


if __name__ == "__main__":
    start(main)
