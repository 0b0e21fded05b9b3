"""Time allocation in the NN population of Lines of Action: Kocsis 2003, 5.3.1 and 5.3.3, figures 5.3, 5.4 and 5.7.

    python experiments/kocsis_5_loa.py [--scale quick|full] [--threads N]

A player of medium strength has a bank of five increments of nodes, and each move adds one. Its opponents are all
players of the population, which search two plies deep without a bank. Four mechanisms choose among one, two and three
plies: static (the best of three fixed depths), SD-ES (an oracle tells where a ply more changes the move; the best of
one and two plies), SD-MAC and SD-SANE, which are learned for each increment. The seed names neither sizes nor rates of
SANE and no increments; ours lie where the depths cost between too little and too much.

The rules, fixed before the run, on 200 fresh games an increment: over all increments together static has the fewest
points and SD-SANE the most; SD-ES and SD-MAC are each ahead of the other at one increment or more; and SANE has played
more games to learn. Means of a few tournaments differ by chance: beside each stands its 95% interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from harness import Claim, Figures, Harness, mean, read_options, start
from plypilot.learn.population import load_population
from time_allocation import (
    LEARNING_SEED,
    Curves,
    Setup,
    best_of,
    curve,
    draw,
    learned,
    play,
    ruled,
    show,
    training_games,
)

GAME = "loa"
DEPTH, BANK = 2, 5.0
DEPTHS = (1, 2, 3)


@dataclass(frozen=True)
class Scale:
    """How much is learned and played."""

    increments: tuple[int, ...]
    games: int
    """Of a tournament: all players of the population, both sides."""
    actor: dict[str, Any] = field(default_factory=dict)
    sane: dict[str, Any] = field(default_factory=dict)


COMMON = {"mode": "semi-dynamic", "set": "squares", "opponents": GAME, "depth": DEPTH}
# Momentum, and decisions that now and then are left to chance alone, as in 5.2.2 and 5.3.1.
ACTOR = {
    **COMMON,
    "first": "random",
    "direction": "plain",
    "temperature": 0.0,
    "random": 0.1,
    "games": 10_000,
    "batch": 200,
}
SANE = {
    **COMMON,
    "generations": 50,
    "games": 200,
    "judging_games": 200,
    "networks": 60,
    "neurons": 240,
    "connections": 24,
}
FEW = {"preparing_games": 4, "look_games": 4}
SCALES = {
    "tiny": Scale(
        (200,),
        8,
        {**ACTOR, **FEW, "games": 8, "batch": 8},
        {**SANE, **FEW, "generations": 1, "games": 2, "judging_games": 2, "networks": 4, "neurons": 24, "units": 2},
    ),
    "quick": Scale(
        (100, 400),
        60,
        {**ACTOR, "games": 1000},
        {**SANE, "generations": 3, "games": 20, "judging_games": 40, "networks": 12, "neurons": 48},
    ),
    "full": Scale((100, 300, 1000, 3000), 200, ACTOR, SANE),
}


def measure(made: Harness, scale: Scale, setup: Setup) -> Curves:
    """The tournaments of all mechanisms."""
    curves: Curves = {"static": {}, "SD-ES": {}, "SD-MAC": {}, "SD-SANE": {}}
    for increment in scale.increments:
        key = str(increment)
        told = [play(made, setup, f"depth {own}", ruled(setup.player, "depth", own), increment) for own in DEPTHS]
        curves["static"][key] = best_of(told)
        told = [play(made, setup, f"oracle {own}", ruled(setup.player, "oracle", own), increment) for own in DEPTHS[:2]]
        curves["SD-ES"][key] = best_of(told)
        for name in ("SD-MAC", "SD-SANE"):
            curves[name][key] = play(made, setup, name, learned(made, setup, name, increment), increment)
    return curves


def _means(figures: Figures) -> dict[str, float]:
    return {name: mean(curve(figures["curves"], name)) for name in figures["curves"]}


def _text(means: dict[str, float]) -> str:
    return ", ".join(f"{name} {points:.1%}" for name, points in means.items())


def _static_is_worst(figures: Figures, _: float) -> tuple[bool, str]:
    means = _means(figures)
    return min(means, key=lambda name: means[name]) == "static", _text(means)


def _sane_is_best(figures: Figures, _: float) -> tuple[bool, str]:
    means = _means(figures)
    return max(means, key=lambda name: means[name]) == "SD-SANE", _text(means)


def _none_dominates(figures: Figures, _: float) -> tuple[bool, str]:
    oracle, actor = (curve(figures["curves"], name) for name in ("SD-ES", "SD-MAC"))
    ahead = sum(own > other for own, other in zip(oracle, actor, strict=True))
    behind = sum(own < other for own, other in zip(oracle, actor, strict=True))
    return ahead > 0 and behind > 0, f"SD-ES ahead at {ahead} of {len(oracle)} increments, SD-MAC at {behind}"


def _sane_costs_more(figures: Figures, least: float) -> tuple[bool, str]:
    games = figures["training_games"]
    return games["SD-SANE"] > least * games["SD-MAC"], f"{games['SD-SANE']:,} games beside {games['SD-MAC']:,}"


CLAIMS = [
    Claim("static is worst", "the worst of the four (5.3.3)", "fewest points in all", 0, _static_is_worst),
    Claim("SD-SANE is best", "over the whole range of increments (5.3.3)", "most points in all", 0, _sane_is_best),
    Claim(
        "neither SD-ES nor SD-MAC dominates",
        "it depends on the increment (5.3.3)",
        "each ahead once",
        0,
        _none_dominates,
    ),
    Claim("SANE learns longer", "significantly (figure 5.4)", "more games", 1, _sane_costs_more),
]


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    scale = SCALES[options.scale]
    made = Harness("kocsis_5_loa", options.scale, threads=options.threads, folder=options.out)
    population = tuple(load_population(GAME).pilots())
    learners = {"SD-MAC": ("timing", scale.actor), "SD-SANE": ("timing-sane", scale.sane)}
    setup = Setup(population[len(population) // 2], population, DEPTH, BANK, scale.games, learners)
    curves = measure(made, scale, setup)
    show(made, "points by increment, against the population", curves)
    if len(scale.increments) > 1:
        draw(made, curves, "points a game")
    figures = {"curves": curves, "training_games": {name: training_games(setup, name) for name in learners}}
    made.conclude(CLAIMS, figures, settings=vars(scale), seed=LEARNING_SEED)
    made.close()


if __name__ == "__main__":
    start(main)
