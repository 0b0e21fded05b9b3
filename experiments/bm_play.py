"""Fractional-ply weights learned in play: figure 5 and table 2 of Björnsson and Marsland.

    python experiments/bm_play.py [--scale quick|full] [--threads N]

As in the seed, the learner begins with costs of one ply and plays games against the pilot with the hand-set costs,
0.25 for all four categories; after each game it learns from the positions in which its score dropped. Both are
chess's baseline without late-move reductions and futility, as in bm_suite. Then what was learned plays the hand-set
costs, at equal time, from random openings that no game of learning has seen. Learning is searched by nodes, about as
many as the time of a move in the match gives, so that it repeats. The rate falls by 2% a change: by the learner's
usual 5%, which is for iterations over a suite, it fell to a twentieth within the games, and at the quick scale
recaptures stayed at 0.50.

The rules, fixed before the run: the costs of recaptures and of checks end at 0.25 or less, the hand-set cost (seed: 0
for both), and the lower end of the 95% interval of the match exceeds 50%.
A run that was ended goes on where it was, within the learning as within the match.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

import orderings
import plypilot as pp
from bm_suite import HAND_SET, plain_pilot
from harness import Claim, Figures, Harness, Missing, read_options, start
from plypilot.learn import NO_CHECKS, Run
from plypilot.learn.plies import Plies
from plypilot.play.ratings import score_of
from plypilot.report.drawing import draw_lines
from plypilot.searcher import Limit

LEARNING_SEED, MATCH_SEED = 1, 4_000_000
RATE_DECAY = 0.98
ENOUGH_GAMES = 200
"""Of the seed's match: fewer judge nothing."""


@dataclass(frozen=True)
class Scale:
    """How much is played."""

    learner: Mapping[str, Any] = field(default_factory=dict)
    games: int = 2000
    """Of the match."""
    milliseconds: float = 20


SCALES = {
    "tiny": Scale({"nodes": 200, "play": {"games": 3, "margin": 1}}, 2, 1),
    "quick": Scale({"nodes": 4000}, ENOUGH_GAMES, 5),
    "full": Scale(),
}


def hand_set_pilot() -> pp.Pilot:
    """The plain pilot whose four categories cost what was set by hand."""
    learner, pilot = Plies(source="play"), plain_pilot()
    return learner.steered(pilot, np.full(len(learner.category_names(pilot)), HAND_SET))


def learn(made: Harness, scale: Scale) -> Run:
    """The run that learns from games; it goes on where it was."""
    learner, pilot = Plies(source="play", rate_decay=RATE_DECAY, **scale.learner), hand_set_pilot()
    folder = made.folder / "runs" / made.name / f"learning-{made.scale}"
    return pp.learn.train(
        learner,
        pilot,
        folder,
        seed=LEARNING_SEED,
        workers=made.threads,
        resume=folder.exists(),
        checks=NO_CHECKS,
    )


def show(made: Harness, run: Run) -> Figures:
    """The costs by game, in figures and in a drawing."""
    made.search_seconds += sum(float(metrics["seconds"]) for metrics in run.metrics)
    traces = run.traces
    assert traces is not None
    games = [int(step) for step in traces.steps]
    costs = {name: traces.values[:, place].round(4).tolist() for place, name in enumerate(traces.names)}
    mistakes = [int(metrics["mistakes"]) for metrics in run.metrics]
    shown = sorted({0, *np.linspace(0, len(games) - 1, 7).round().astype(int).tolist()})
    made.print_table(
        "what categories cost, by game",
        ("after game", *costs, "mistakes so far"),
        [
            (games[place], *(f"{each[place]:.2f}" for each in costs.values()), sum(mistakes[: games[place]]))
            for place in shown
        ],
    )
    lines = {name: np.array(values) for name, values in costs.items()}
    made.draw(lambda: draw_lines(np.array(games, float), lines, across="games played", up="plies"))
    return {"games": games, "costs": costs, "mistakes": mistakes}


def _ends_low(figures: Figures, category: str, most: float) -> tuple[bool, str]:
    if len(figures["mistakes"]) < Plies().play.games:
        raise Missing("fewer games than the seed's were played")
    cost = figures["costs"][category][-1]
    return cost <= most, f"{cost:.2f} plies"


def _beats(figures: Figures, least: float) -> tuple[bool, str]:
    match = figures["match"]
    if match["games"] < ENOUGH_GAMES:
        raise Missing(f"{match['games']} games judge nothing")
    low, high = (score_of(bound) for bound in match["elo"][1:])
    return low > least, f"{match['score']:.1%} of {match['games']} games, 95% from {low:.1%} to {high:.1%}"


CLAIMS = [
    *(
        Claim(
            f"{name} are extended",
            f"table 1: {seed} after 60 games",
            "a cost of {tolerance} or less at the end",
            HAND_SET,
            lambda figures, most, category=category: _ends_low(figures, category, most),
        )
        for name, category, seed in (("recaptures", "recapture", "0.00"), ("checks", "check", "0.00"))
    ),
    Claim(
        "what was learned beats what was set by hand",
        "table 2: 54.25% of 200 games",
        "the lower end of the interval exceeds {tolerance}",
        0.5,
        _beats,
    ),
]


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    scale = SCALES[options.scale]
    made = Harness("bm_play", options.scale, threads=options.threads, folder=options.out)
    run = learn(made, scale)
    figures = show(made, run)
    limit = Limit(seconds=scale.milliseconds / 1000)
    figures["match"] = orderings.play_match(
        made,
        "learned against hand-set",
        run.pilot,
        hand_set_pilot(),
        games=scale.games,
        limits=(limit, limit),
        seed=MATCH_SEED,
    )
    settings = {
        **asdict(scale),
        "learner": {"rate_decay": RATE_DECAY, **scale.learner},
        "hand_set": HAND_SET,
        "match_seed": MATCH_SEED,
    }
    made.conclude(CLAIMS, figures, settings=settings, seed=LEARNING_SEED)
    made.close()


if __name__ == "__main__":
    start(main)
