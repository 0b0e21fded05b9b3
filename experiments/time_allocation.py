"""What the two experiments on time allocation share (Kocsis 2003, 5.3): mechanisms, their tournaments, and curves by
increment.

A tournament is played by one mechanism with a bank of nodes against opponents that search to a fixed depth without one.
Its performance is the part of the points, in games that no learner has seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

import plypilot as pp
from harness import Figures, Harness, Missing
from plypilot.compute import Workers
from plypilot.learn import NO_CHECKS
from plypilot.learn.catalogue import find_learner, learner_settings
from plypilot.learn.timed_games import TimedGames, opening_pool, read_sides
from plypilot.learn.timing_policies import with_timing
from plypilot.learn.timing_run import TimingRun
from plypilot.report.drawing import draw_lines
from plypilot.searcher import Limit
from plypilot.versions import core_digest

LEARNING_SEED, FRESH_SEED = 1, 4_000_000
OPENING_PLIES = 6
MOST_PLIES = 300


@dataclass(frozen=True)
class Setup:
    """Who plays whom, with what."""

    player: pp.Pilot
    opponents: tuple[pp.Pilot, ...]
    depth: int
    """Of the opponents, which have no bank."""
    bank: float
    """So many increments are there at the start."""
    games: int
    """Of a tournament: two from each opening."""
    learners: Mapping[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)
    """By mechanism: the learner's name and its settings, but for the increment."""

    def key(self, increment: int) -> list[object]:
        """What a tournament depends on besides the mechanism."""
        opponents = [own.digest[:16] for own in self.opponents]
        return [self.player.digest, opponents, self.depth, self.bank, self.games, increment]


def ruled(player: pp.Pilot, rule: str, depth: int = 1) -> pp.Pilot:
    """The player under a rule that may use up all of its bank, as the seed has it."""
    return with_timing(player, {"rule": rule, "depth": depth, "most_share": 1.0})


def learned(made: Harness, setup: Setup, mechanism: str, increment: int) -> pp.Pilot:
    """The player with a policy that was learned for an increment; the run goes on where it was."""
    name, settings = setup.learners[mechanism]
    learner = find_learner(name, {**settings, "nodes": increment, "bank": setup.bank, "trials": {"games": 0}})
    assert isinstance(learner, TimingRun)
    folder = (
        made.folder / "runs" / made.name / f"{made.scale}-{mechanism}-{setup.depth}-{increment}-{core_digest()[:8]}"
    )
    run = pp.learn.train(
        learner,
        setup.player,
        folder,
        seed=LEARNING_SEED,
        workers=made.threads,
        checks=NO_CHECKS,
        resume=folder.exists(),
    )
    return with_timing(learner.learned(run.state), {"most_share": 1.0})


def play(made: Harness, setup: Setup, what: str, pilot: pp.Pilot, increment: int) -> Figures:
    """A tournament: points by opening, and the nodes of a move beside the increment."""
    own = Limit(clock=setup.bank * increment, increment=increment, unit="nodes")
    games = TimedGames(
        pilot,
        setup.opponents,
        (own, Limit(depth=setup.depth)),
        FRESH_SEED,
        opening_pool(pilot.game, OPENING_PLIES, FRESH_SEED, setup.games),
        MOST_PLIES,
        1,
    )

    def work(_: int) -> Figures:
        points, spent, moves = [], 0, 0
        with Workers.threads(made.threads) as workers:
            for first, chunks in games.play(range(setup.games), workers):
                for side in read_sides(chunks, first, 2):
                    points.append((side.result + 1) / 2)
                    spent += int(side.nodes.sum())
                    moves += len(side.nodes)
        pairs = np.array(points).reshape(-1, 2).mean(axis=1)
        half = 1.96 * float(pairs.std(ddof=1)) / sqrt(len(pairs)) if len(pairs) > 1 else 0.5
        return {
            "points": round(float(pairs.mean()), 4),
            "half": round(half, 4),
            "spent": round(spent / max(moves, 1) / increment, 4),
        }

    key = [*setup.key(increment), pilot.digest]
    return made.measure(f"{what}, increment {increment:,}", [0], lambda _: key, work)[0]


def best_of(told: Sequence[Figures]) -> Figures:
    """The highest of several curves at one place, as the seed reads its static mechanisms."""
    return max(told, key=lambda figures: float(figures["points"]))


def training_games(setup: Setup, mechanism: str) -> int:
    """How many games a learner plays, but for those that prepare it and that look at it."""
    name, settings = setup.learners[mechanism]
    full = learner_settings(find_learner(name, settings))
    if name == "timing":
        return int(full["games"])
    return int(full["generations"] * (full["networks"] * full["games"] + full["judging_games"]))


Curves = dict[str, dict[str, Figures]]
"""Performance by mechanism and increment."""


def curve(curves: Curves, mechanism: str) -> list[float]:
    """The points of a mechanism by increment. Missing where there are none."""
    if mechanism not in curves:
        raise Missing(f"{mechanism} is not measured at this scale")
    return [float(figures["points"]) for figures in curves[mechanism].values()]


def show(made: Harness, title: str, curves: Curves) -> None:
    """A table and a picture of performance by increment."""
    increments = list(next(iter(curves.values())))
    rows = [
        (name, *(f"{own[each]['points']:.1%} ±{own[each]['half']:.1%}" for each in increments))
        for name, own in curves.items()
    ]
    made.print_table(title, ("mechanism", *(f"{int(each):,}" for each in increments)), rows)


def draw(made: Harness, curves: Curves, caption: str) -> None:
    """The curves beside the result file, by the logarithm of the increment."""
    increments = np.log10([float(each) for each in next(iter(curves.values()))])
    lines = {name: np.array(curve(curves, name)) for name in curves}
    drawing: Callable[[], str] = lambda: draw_lines(  # noqa: E731
        increments, lines, across="increment, power of ten of nodes", up=caption
    )
    made.draw(drawing)
