"""Learning without search: Smith 1999, sections 5.5 and 6.8, figure 5.6.

    python experiments/smith_5_5.py [--scale quick|full|chess|shogi] [--threads N]

Chess and shogi piece values are learned from moves by chance, by quiescence search alone and by one ply without
quiescence, beside one ply with quiescence, which is enough (5.4, 6.7). Rates are the seed's: in chess 0.05, in shogi
falling from 0.05 to 0.002 over the first half. A quiescence search from the root plays its best capture, or any move
where it finds nothing better than to stand still. Nothing that a search lacks is given to it: one ply without
quiescence judges by material alone.

A trace is looked at in means of a tenth of all games each, through the last half of the games in chess and the last
third in shogi, from game 4,000 on (6.5.1). Its values are steady if each stays within half of its mean there; they
are in order if the main pieces keep the order of the seed's learned values, where knight and bishop may swap (5.3.3).
What is enough must be steady and in order; what is too little must fail to be steady, as the seed says that it "had
not approached stable values": a wrong order alone would not show it. The seed judged by the look of its traces, where
an eye sees through the noise of a fixed rate as means do.

Parts, in minutes on two cores: chess 6, shogi 15.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness import Claim, Figures, Harness, Missing
from parts import Drawing, Experiment
from plypilot.learn.steps import AnyStepRule, Fixed
from plypilot.play.arena import Moves
from plypilot.report.drawing import draw_lines
from selfplay import CHESS, STANDARD, Learning, group, make_learner, make_pilot, measure_runs, play_figures
from smith_6 import MAIN, SETS, falling_rate, pilot_of

REGIMES: dict[str, tuple[Moves, bool]] = {
    "moves by chance": ("random", True),
    "quiescence only": ("quiesced", True),
    "1 ply without quiescence": ("searched", False),
    "1 ply with quiescence": ("searched", True),
}
"""How moves are chosen, and whether there is a quiescence search."""
ENOUGH = "1 ply with quiescence"
NAMES = {"chess": CHESS, "shogi": MAIN}
SWAPS = {"chess": (("knight", "bishop"),), "shogi": ()}
"""Pieces that may stand in either order (5.3.3)."""
SECTIONS = {"chess": "5.5", "shogi": "6.8"}
LOOKED_AT = {"chess": 1 / 2, "shogi": 1 / 3}
"""The part of the games at the end."""
BAND = 0.5
"""Part of its mean that a steady value stays within."""
BLOCK = 0.1
"""Part of all games of which means are looked at."""


@dataclass(frozen=True)
class Scale:
    """How much is learned."""

    games: Mapping[str, int]
    """By game."""
    seeds: int


SCALES = {
    "tiny": Scale({"chess": 20, "shogi": 12}, 1),
    "quick": Scale({"chess": 2000, "shogi": 600}, 1),
}
PARTS = {"chess": Scale({"chess": 10_000}, 3), "shogi": Scale({"shogi": 6000}, 3)}


def runs_of(scale: Scale) -> list[Learning]:
    """All ways to move with all seeds."""
    learnings = []
    for game, games in scale.games.items():
        steps: AnyStepRule = Fixed(rate=0.05) if game == "chess" else falling_rate(games)
        for regime, (moves, quiesces) in REGIMES.items():
            learner = make_learner(
                games=games,
                depth=1,
                moves=moves,
                step_size=steps,
                most_plies=400 if game == "chess" else 600,
                at_length="agreed" if game == "chess" else "draw",
            )
            pilot = make_pilot("chess", STANDARD) if game == "chess" else pilot_of(SETS["YSS"])
            pilot = pilot.replace({"search.quiescence.on": quiesces})
            learnings += [Learning(f"{game}, {regime}", learner, pilot, seed) for seed in range(scale.seeds)]
    return learnings


def stability(game: str, games: Sequence[int], values: np.ndarray) -> Figures:
    """Of the end of a trace: how much of it is in order, and how far a value goes from its mean."""
    numbers, names = np.asarray(games), list(NAMES[game])
    last = numbers >= (1 - LOOKED_AT[game]) * numbers[-1]
    count = max(round(LOOKED_AT[game] / BLOCK), 1)
    rows = values[last]
    blocks = np.array([block.mean(axis=0) for block in np.array_split(rows, min(count, len(rows)))])
    means = blocks.mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        away = float(np.abs(blocks / means - 1).max())
    ranked = blocks.copy()
    for one, other in SWAPS[game]:
        pair = [names.index(one), names.index(other)]
        ranked[:, pair] = np.sort(blocks[:, pair], axis=1) + np.array([0, 1e-9])
    in_order = float((np.diff(ranked, axis=1) > 0).all(axis=1).mean())
    return {"in_order": in_order, "away": away, "steady": away <= BAND, "means": np.round(blocks, 4).tolist()}


def measure(harness: Harness, scale: Scale) -> Figures:
    """For each game and way to move its runs."""
    runs = runs_of(scale)
    return {name: dict(enumerate_text(found)) for name, found in group(runs, measure_runs(harness, runs)).items()}


def enumerate_text(found: Sequence[Figures]) -> Iterator[tuple[str, Figures]]:
    """Runs by their seed."""
    for seed, run in enumerate(found):
        yield str(seed), run


def summarise(measured: Figures) -> Figures:
    """For each game and way to move whether its runs are steady and in order, and what they end with."""
    figures: Figures = {}
    for name, by_seed in measured.items():
        game, runs = name.partition(",")[0], list(by_seed.values())
        count = len(NAMES[game])
        told = [stability(game, run["trace"]["games"], np.array(run["trace"]["values"])[:, :count]) for run in runs]
        figures[name] = {
            "games": runs[0]["trace"]["games"][-1],
            "steady": sum(one["steady"] for one in told),
            "stable": sum(one["steady"] and one["in_order"] == 1 for one in told),
            "in_order": float(np.mean([one["in_order"] for one in told])),
            "away": [one["away"] for one in told],
            "values": [run["values"][:count] for run in runs],
            "means": [one["means"] for one in told],
            "trace": runs[0]["trace"],
            **play_figures(runs),
        }
    return figures


def regime_claim(game: str, regime: str) -> Claim:
    """One way to move that is too little, or the one that is enough."""
    is_enough = regime == ENOUGH

    def holds(figures: Figures, _: float) -> tuple[bool, str]:
        found = figures.get(f"{game}, {regime}")
        if found is None:
            raise Missing("not learned at this scale")
        away = ", ".join(f"{each:.0%}" for each in found["away"])
        text = f"values go {away} from their means; in order {found['in_order']:.0%} of the end"
        return (found["stable"] == found["seeds"] if is_enough else found["steady"] == 0), text

    seed = "adequate values (5.4, 6.7)" if is_enough else f"no stable values ({SECTIONS[game]})"
    rule = f"every run is steady within {BAND:.0%} and in order" if is_enough else f"no run is steady within {BAND:.0%}"
    return Claim(f"{game}, {regime}", seed, rule, 0, holds)


CLAIMS = [regime_claim(game, regime) for game in NAMES for regime in REGIMES]


def show(harness: Harness, figures: Figures) -> None:
    """Prints our table; the seed shows one trace and describes the others."""
    for game, names in NAMES.items():
        rows = []
        for regime in REGIMES:
            row = figures.get(f"{game}, {regime}")
            if row is None:
                continue
            values = [f"{value:.2f}" for value in np.mean(row["values"], axis=0)]
            away = " ".join(f"{each:.0%}" for each in row["away"])
            rows.append(
                [regime, *values, f"{row['in_order']:.0%}", away, f"{row['steady']}/{row['seeds']}",
                 "stable" if regime == ENOUGH else "not stable", row["games"], f"{row['draws']:.0%}",
                 f"{row['plies']:.0f}", f"{row['learning_seconds']:.0f}"]
            )  # fmt: skip
        columns = ["moves", *names, "in order", "away", "steady", "seed", "games", "draws", "plies", "seconds"]
        if rows:
            harness.print_table(f"{game}: values after learning, in pawns, and the end of the traces", columns, rows)


def draw(figures: Figures) -> Iterator[Drawing]:
    """Figure 5.6, and the same for the other ways to move."""
    for name, row in figures.items():
        game, _, regime = name.partition(", ")
        values, games = np.array(row["trace"]["values"]), np.array(row["trace"]["games"], float)
        lines = {piece: values[:, i] for i, piece in enumerate(NAMES[game])}
        figure = "Figure 5.6" if name == "chess, moves by chance" else "As figure 5.6"
        yield Drawing(
            f"{game}_{regime.replace(' ', '_')}",
            f"{figure}: {game}, {regime}, one run",
            lambda games=games, lines=lines: draw_lines(games, lines, across="games", up="value", height=2.4),
        )


EXPERIMENT = Experiment(
    name="smith_5_5",
    text=__doc__,
    small=SCALES,
    parts=PARTS,
    measure=measure,
    summarise=summarise,
    show=show,
    claims=CLAIMS,
    draw=draw,
    common={"band": BAND, "looked_at": LOOKED_AT},
)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    EXPERIMENT.run(words)


if __name__ == "__main__":
    from harness import start

    start(main)
