"""Learning without search: Smith 1999, sections 5.5 and 6.8.

    python experiments/smith_5_5.py [--scale quick|full] [--threads N]

Chess and shogi piece values are learned from moves by chance, by quiescence search alone and by one ply without
quiescence, beside one ply with quiescence, which is enough (5.4, 6.7). Rates are the seed's: in chess 0.05, in shogi
falling from 0.05. A quiescence search from the root plays its best capture, or any move where it finds nothing better
than to stand still.

A run has stable values if through the last half of its games, taken as means of a tenth of all games each, the main
pieces keep the order of the seed's learned values, and each value stays within half of its mean there. The seed judged
by the look of its traces, where an eye sees through the noise of a fixed rate as means do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from harness import Claim, Figures, Harness, Missing, read_options, start
from plypilot.learn.steps import AnyStepRule, Decaying, Fixed
from plypilot.learn.td import TD
from plypilot.play.arena import Moves
from selfplay import CHESS, NOISE, STANDARD, Learning, group, make_pilot, measure_runs, play_figures
from smith_6 import MAIN, SETS, pilot_of

REGIMES: dict[str, tuple[Moves, bool]] = {
    "moves by chance": ("random", True),
    "quiescence only": ("quiesced", True),
    "1 ply without quiescence": ("searched", False),
    "1 ply with quiescence": ("searched", True),
}
"""How moves are chosen, and whether there is a quiescence search."""
ENOUGH = "1 ply with quiescence"
NAMES = {"chess": CHESS, "shogi": MAIN}
STEPS: dict[str, AnyStepRule] = {"chess": Fixed(rate=0.05), "shogi": Decaying(rate=0.05, halfway=250)}
SECTIONS = {"chess": "5.5", "shogi": "6.8"}
BAND = 0.5
"""Part of its mean that a stable value stays within."""
BLOCKS = 5
"""Means of the last half of a trace."""


@dataclass(frozen=True)
class Scale:
    """How much is learned."""

    games: dict[str, int]
    """By game."""
    seeds: int
    batch: int = 4


SCALES = {
    "tiny": Scale({"chess": 8, "shogi": 4}, 1),
    "quick": Scale({"chess": 2000, "shogi": 600}, 1),
    "full": Scale({"chess": 10_000, "shogi": 6000}, 3),
}


def runs_of(scale: Scale) -> list[Learning]:
    """All ways to move with all seeds."""
    learnings = []
    for game, games in scale.games.items():
        for regime, (moves, quiesces) in REGIMES.items():
            learner = TD(
                games=games,
                batch=scale.batch,
                depth=1,
                moves=moves,
                first_weight=1.0,
                step_size=STEPS[game],
                counters=False,
                noise=NOISE,
                most_plies=400 if game == "chess" else 600,
                at_length="agreed" if game == "chess" else "draw",
                even=False,
                steepness=1.0,
                opening_plies=0,
            )
            pilot = make_pilot("chess", STANDARD) if game == "chess" else pilot_of(SETS["YSS"])
            pilot = pilot.replace({"search.quiescence.on": quiesces})
            learnings += [Learning(f"{game}, {regime}", learner, pilot, seed) for seed in range(scale.seeds)]
    return learnings


def stability(games: Sequence[int], values: np.ndarray) -> Figures:
    """Of the last half of a trace: how much of it is in order, and how far a value goes from its mean."""
    half = values[np.asarray(games) >= games[-1] / 2]
    blocks = np.array([block.mean(axis=0) for block in np.array_split(half, min(BLOCKS, len(half)))])
    means = blocks.mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        away = np.abs(blocks / means - 1).max()
    in_order = float((np.diff(blocks, axis=1) > 0).all(axis=1).mean())
    stable = bool(in_order == 1 and away <= BAND)
    return {"in_order": in_order, "away": float(away), "stable": stable, "means": np.round(blocks, 4).tolist()}


def measure(harness: Harness, scale: Scale) -> Figures:
    """For each game and way to move whether its runs are stable, and what they end with."""
    runs = runs_of(scale)
    figures: Figures = {}
    for name, group_runs in group(runs, measure_runs(harness, runs)).items():
        count = len(NAMES[name.split(",")[0]])
        verdicts = [stability(run["trace"]["games"], np.array(run["trace"]["values"])[:, :count]) for run in group_runs]
        figures[name] = {
            "games": group_runs[0]["trace"]["games"][-1],
            "stable": sum(one["stable"] for one in verdicts),
            "in_order": float(np.mean([one["in_order"] for one in verdicts])),
            "away": float(np.mean([one["away"] for one in verdicts])),
            "values": [run["values"][:count] for run in group_runs],
            "means": [one["means"] for one in verdicts],
            **play_figures(group_runs),
        }
    return figures


def unstable_claim(game: str, regime: str) -> Claim:
    """One way to move that is too little, or the one that is enough."""
    expected = regime == ENOUGH

    def holds(figures: Figures, _: float) -> tuple[bool, str]:
        verdict = figures.get(f"{game}, {regime}")
        if verdict is None:
            raise Missing("not learned at this scale")
        text = f"{verdict['stable']} of {verdict['seeds']} stable; in order {verdict['in_order']:.0%} of the last half"
        return verdict["stable"] == (verdict["seeds"] if expected else 0), text

    seed = "adequate values (5.4, 6.7)" if expected else f"no stable values ({SECTIONS[game]})"
    return Claim(f"{game}, {regime}", seed, f"{'every' if expected else 'no'} run is stable", 0, holds)


CLAIMS = [unstable_claim(game, regime) for game in NAMES for regime in REGIMES]


def show(harness: Harness, figures: Figures) -> None:
    """Prints our table; the seed shows one trace and describes the others."""
    for game, names in NAMES.items():
        rows = []
        for regime in REGIMES:
            row = figures.get(f"{game}, {regime}")
            if row is None:
                continue
            values = [f"{value:.2f}" for value in np.mean(row["values"], axis=0)]
            rows.append(
                [regime, *values, f"{row['in_order']:.0%}", f"{row['away']:.0%}", f"{row['stable']}/{row['seeds']}",
                 "stable" if regime == ENOUGH else "not stable", row["games"], f"{row['draws']:.0%}",
                 f"{row['plies']:.0f}", f"{row['learning_seconds']:.0f}"]
            )  # fmt: skip
        columns = ["moves", *names, "in order", "away", "stable", "seed", "games", "draws", "plies", "seconds"]
        harness.print_table(f"{game}: values after learning, in pawns, and their last half", columns, rows)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    scale = SCALES[options.scale]
    harness = Harness("smith_5_5", options.scale, threads=options.threads, folder=options.out)
    try:
        figures = measure(harness, scale)
        show(harness, figures)
        steps = {game: rule.model_dump() for game, rule in STEPS.items()}
        harness.conclude(CLAIMS, figures, settings={"steps": steps, "band": BAND, **asdict(scale)})
    finally:
        harness.close()


if __name__ == "__main__":
    start(main)
