"""Time allocation in chess: Kocsis 2003, 5.3.2 to 5.3.4, figures 5.5, 5.6, 5.8 and 5.9, and the example of 5.3.4.

    python experiments/kocsis_5_chess.py [--scale quick|3|5|full] [--threads N]

The baseline, which stands in for the seed's program, has a bank of ten increments of nodes against itself at a fixed
depth without a bank, 3 or 5 plies. Four mechanisms share the bank out: static (the best of three fixed depths, from one
ply less to one more), CRAFTY-TA, SD-MAC (asked before a search for one of these depths) and Dyn-MAC (asked after each
iteration, which may go one ply beyond the opponent). Both are learned for each increment. An example game, as a table
and a plot, shows move by move how deep static, CRAFTY-TA and Dyn-MAC searched, what they spent and what that left, up
to where the games part and behind it.

The rules, fixed before the run, for each depth, on 200 fresh games an increment: Dyn-MAC has more points than SD-MAC,
and more than CRAFTY-TA, at more than half of the increments of the seed's range.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import plypilot as pp
from harness import Claim, Figures, Harness, Missing, read_options, start
from plypilot.play.arena import Arena, Task
from plypilot.report.drawing import draw_panels
from plypilot.searcher import Limit
from time_allocation import FRESH_SEED, LEARNING_SEED, Curves, Setup, best_of, curve, draw, learned, play, ruled, show

GAME = "chess"
BANK = 10.0
RANGES = {3: (100, 300, 1000, 3000, 10_000), 5: (1000, 3000, 10_000, 30_000, 100_000)}
"""Increments by the depth of the opponent (5.3.2)."""
EXAMPLE_PLIES = 10
"""Before the example begins, as in 5.3.4."""
SHOWN_MOVES = 40
"""Own moves of the example in its plot, and half as many in its table."""


@dataclass(frozen=True)
class Scale:
    """How much is learned and played."""

    increments: Mapping[int, tuple[int, ...]]
    """By depth of the opponent."""
    games: int
    actor: dict[str, Any] = field(default_factory=dict)


# RPROP by batches, and beta as the learner has it for chess (5.3.2).
ACTOR: dict[str, Any] = {
    "set": "board",
    "first": "random",
    "direction": "plain",
    "temperature": 0.0,
    "random": 0.1,
    "rule": {"kind": "rprop", "first_step": 0.01, "most_step": 0.1},
    "seen": ["bank", "iteration", "value", "last_value", "spent"],
    "games": 6000,
    "batch": 200,
}
SCALES = {
    "tiny": Scale({3: (300,)}, 4, {**ACTOR, "games": 4, "batch": 4, "preparing_games": 2, "look_games": 2}),
    "quick": Scale({3: (300, 3000)}, 40, {**ACTOR, "games": 400}),
    "3": Scale({3: RANGES[3]}, 200, ACTOR),
    "5": Scale({5: RANGES[5]}, 200, ACTOR),
    "full": Scale(RANGES, 200, ACTOR),
}


def setup_of(scale: Scale, depth: int) -> Setup:
    """Who plays whom."""
    player = pp.Pilot.baseline(GAME)
    common = {**scale.actor, "opponent_depth": depth, "depth": depth}
    learners = {
        "SD-MAC": ("timing", {**common, "mode": "semi-dynamic"}),
        "Dyn-MAC": ("timing", {**common, "mode": "dynamic"}),
    }
    return Setup(player, (player,), depth, BANK, scale.games, learners)


def measure(made: Harness, scale: Scale, depth: int) -> Curves:
    """The tournaments of all mechanisms against one depth."""
    setup = setup_of(scale, depth)
    curves: Curves = {"static": {}, "CRAFTY-TA": {}, "SD-MAC": {}, "Dyn-MAC": {}}
    for increment in scale.increments[depth]:
        key = str(increment)
        depths = range(depth - 1, depth + 2)
        told = [play(made, setup, f"depth {own}", ruled(setup.player, "depth", own), increment) for own in depths]
        curves["static"][key] = best_of(told)
        curves["CRAFTY-TA"][key] = play(made, setup, "CRAFTY-TA", ruled(setup.player, "crafty"), increment)
        for name in ("SD-MAC", "Dyn-MAC"):
            curves[name][key] = play(made, setup, name, learned(made, setup, name, increment), increment)
    return curves


def example(made: Harness, scale: Scale, depth: int) -> list[Figures]:
    """One game of three mechanisms: for each own move the depth reached, and the increments spent and left."""
    setup = setup_of(scale, depth)
    increments = scale.increments[depth]
    increment = increments[len(increments) // 2]
    mechanisms = {
        f"static, depth {depth + 1}": ruled(setup.player, "depth", depth + 1),
        "CRAFTY-TA": ruled(setup.player, "crafty"),
        "Dyn-MAC": learned(made, setup, "Dyn-MAC", increment),
    }
    opening = pp.play.openings.random_openings(GAME, EXAMPLE_PLIES, 1, FRESH_SEED)[0]
    own = Limit(clock=BANK * increment, increment=increment, unit="nodes")
    told = []
    for name, pilot in mechanisms.items():
        arena = Arena(GAME, [pilot, setup.player], [own, Limit(depth=depth)])
        games = made.play(arena, [Task(opening.position(GAME), FRESH_SEED)])
        plies = [ply for ply in range(games.starts[1]) if games.movers[ply] == 0]
        moves = games.moves[0].split()
        spent = np.array([games.nodes[ply] for ply in plies]) / increment
        left = BANK + np.arange(1, len(plies) + 1) - np.cumsum(spent)
        told.append(
            {
                "mechanism": name,
                "increment": increment,
                "moves": games.moves[0],
                "own_moves": [moves[ply] for ply in plies],
                "winner": games.winners[0],
                "depths": [int(games.depths[ply]) for ply in plies],
                "spent": [round(float(each), 3) for each in spent],
                "left": [round(float(each), 3) for each in left],
            }
        )
    return told


def parting(told: Sequence[Figures]) -> dict[int, str]:
    """By own move: where games that were the same before no longer are, the mechanisms that still play one game."""
    found: dict[int, str] = {}
    parts = 1
    for move in range(1, max(len(own["own_moves"]) for own in told) + 1):
        groups: dict[tuple[str, ...], list[str]] = {}
        for own in told:
            groups.setdefault(tuple(own["own_moves"][:move]), []).append(own["mechanism"])
        if len(groups) > parts:
            parts = len(groups)
            found[move] = " | ".join(" and ".join(group) for group in groups.values())
    return found


def show_example(made: Harness, told: Sequence[Figures]) -> None:
    """The first moves of the example beside each other, and a plot of more of them."""
    rows = []
    for move in range(min(SHOWN_MOVES // 2, max(len(own["depths"]) for own in told))):
        cells = []
        for own in told:
            is_there = move < len(own["depths"])
            cells.append(
                f"{own['own_moves'][move]} {own['depths'][move]} ({own['spent'][move]:.2f}, {own['left'][move]:.1f})"
                if is_there
                else ""
            )
        rows.append((str(move + 1), *cells))
    made.print_table(
        "an example game: own move, depth, and in brackets increments spent and left",
        ("own move", *(own["mechanism"] for own in told)),
        rows,
    )
    ends = ", ".join(f"{own['mechanism']} {_ending(own)}" for own in told)
    x = np.arange(1, SHOWN_MOVES + 1, dtype=np.float64)
    panels = {
        up: {own["mechanism"]: _filled(own[key]) for own in told}
        for up, key in (("plies", "depths"), ("increments spent", "spent"), ("increments left", "left"))
    }
    marks = {float(move): word for move, word in parting(told).items() if move <= SHOWN_MOVES}
    made.draw(
        lambda: draw_panels(x, panels, across="own move", marks=marks),
        "example",
        f"An example game, move by move: plies, and increments of {told[0]['increment']:,} nodes ({ends})",
    )


def _ending(own: Figures) -> str:
    result = {0: "won", 1: "lost", None: "drew"}[own["winner"]]
    return f"{result} after {len(own['depths'])} own moves"


def _filled(values: Sequence[float]) -> NDArray[np.float64]:
    shown = np.full(SHOWN_MOVES, np.nan)
    shown[: len(values)] = values[:SHOWN_MOVES]
    return shown


def _is_above(other: str, depth: int) -> Any:
    def holds(figures: Figures, least: float) -> tuple[bool, str]:
        if str(depth) not in figures["curves"]:
            raise Missing("not measured at this scale")
        curves = figures["curves"][str(depth)]
        own, theirs = curve(curves, "Dyn-MAC"), curve(curves, other)
        ahead = sum(a > b for a, b in zip(own, theirs, strict=True))
        return ahead > least * len(own), f"more points at {ahead} of {len(own)} increments"

    return holds


CLAIMS = [
    Claim(
        f"Dyn-MAC is above {other}, depth {depth}",
        "over most of the interesting range (5.3.2, 5.3.3)",
        "at more than {tolerance:.0%} of the increments",
        0.5,
        _is_above(other, depth),
    )
    for depth in RANGES
    for other in ("SD-MAC", "CRAFTY-TA")
]


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    scale = SCALES[options.scale]
    made = Harness("kocsis_5_chess", options.scale, threads=options.threads, folder=options.out)
    figures: Figures = {"curves": {}}
    for depth in scale.increments:
        curves = measure(made, scale, depth)
        figures["curves"][str(depth)] = curves
        show(made, f"points by increment, against depth {depth}", curves)
    deepest = max(scale.increments)
    figures["example"] = example(made, scale, deepest)
    show_example(made, figures["example"])
    if len(scale.increments[deepest]) > 1:
        draw(made, figures["curves"][str(deepest)], f"points a game, against depth {deepest}")
    made.conclude(CLAIMS, figures, settings=vars(scale), seed=LEARNING_SEED)
    made.close()


if __name__ == "__main__":
    start(main)
