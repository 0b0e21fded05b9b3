"""Whether learned timing pays on a real clock, beside the simple rule that a user would expect.

    python experiments/learned_timing.py [--scale quick|loa|breakthrough|chess|shogi|clock|full] [--threads N]

The learner runs as everybody runs it, on games with banks of nodes. What it learned last, tried or not, then plays the
same baseline under the simple rule: 1,000 games at 0.5 s and 0.005 s more with each move in Lines of Action and
Breakthrough, 400 in chess and shogi, and 200 at 2 s and 0.02 s in each. Under a policy that always goes on, games at
0.2 s and 0.002 s look for losses on time. Openings are random ones that no trial has seen.

The rules, fixed before the run: at 0.5 s the learned timing is behind in no game (the upper end of the 95% interval of
the Elo difference is not below 0) and ahead in at least one (the lower end is above 0); none of these games is lost on
time; and at 0.2 s there is at most one loss on time in 2,000 moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import orderings
import plypilot as pp
from harness import Claim, Figures, Harness, Missing, read_options, start
from plypilot.learn import NO_CHECKS
from plypilot.learn.timing import TimingActor
from plypilot.learn.timing_policies import with_timing
from plypilot.networks import Policy
from plypilot.searcher import Limit

LEARNING_SEED, MATCH_SEED = 1, 3_000_000
LEAST_MOVES = 2000
"""Moves to a loss on time, at the least, on the short clock."""


@dataclass(frozen=True)
class Part:
    """What is done for one game."""

    game: str
    games: int
    long_games: int = 200
    short_games: int = 60
    seconds: float = 0.5
    learner: Mapping[str, Any] = field(default_factory=dict)


FEW = {"games": 240, "look_games": 20, "trials": {"games": 0}}
TINY = {"games": 12, "batch": 12, "nodes": 50, "preparing_games": 4, "look_games": 4, "trials": {"games": 0}}
GAMES = {
    "loa": Part("loa", 1000),
    "breakthrough": Part("breakthrough", 1000),
    "chess": Part("chess", 400),
    "shogi": Part("shogi", 400),
}
SCALES: dict[str, dict[str, Part]] = {
    "tiny": {"breakthrough": Part("breakthrough-5x5", 2, 2, 2, 0.05, TINY)},
    "quick": {name: replace(part, games=20, long_games=2, short_games=4, learner=FEW) for name, part in GAMES.items()},
    **{name: {name: part} for name, part in GAMES.items()},
    "clock": {name: replace(part, games=0, long_games=0) for name, part in GAMES.items()},
    "full": GAMES,
}


def on_clock(seconds: float) -> Limit:
    """A clock to which each move adds a hundredth of what it begins with."""
    return Limit(clock=seconds, increment=seconds / 100)


def learned_pilot(made: Harness, part: Part) -> pp.Pilot:
    """The baseline with the policy that was learned; the run goes on where it was."""
    pilot = pp.Pilot.baseline(part.game)
    learner = TimingActor.model_validate({"trials": {"games": 0}, **part.learner})
    folder = made.folder / "runs" / made.name / f"{part.game}-{learner.games}-{pilot.digest[:8]}"
    run = pp.learn.train(
        learner, pilot, folder, seed=LEARNING_SEED, workers=made.threads, checks=NO_CHECKS, resume=folder.exists()
    )
    return learner.learned(run.state)


def greedy_pilot(game: str) -> pp.Pilot:
    """A policy that always goes on: only the guard ends its searches."""
    policy = Policy(
        game=game, function="linear", seen=("bank",), direct=np.zeros((1, 1), np.float32), output_bias=np.ones(1)
    )
    return with_timing(pp.Pilot.baseline(game), {"rule": "learned", "policy": policy, "most_share": 1.0})


def play(made: Harness, part: Part) -> Figures:
    """The matches of one game."""
    simple = with_timing(pp.Pilot.baseline(part.game), {"rule": "simple"})
    lengths = {
        "usual clock": (part.seconds, part.games),
        "long clock": (4 * part.seconds, part.long_games),
        "short clock": (0.4 * part.seconds, part.short_games),
    }
    learned = learned_pilot(made, part) if part.games or part.long_games else None
    figures: Figures = {}
    for number, (name, (seconds, games)) in enumerate(lengths.items()):
        one = greedy_pilot(part.game) if name == "short clock" else learned
        if not games or one is None:
            continue
        limit = on_clock(seconds)
        figures[name] = orderings.play_match(
            made,
            f"{part.game}, {name}",
            one,
            simple,
            games=games,
            limits=(limit, limit),
            seed=MATCH_SEED + number,
        )
    return figures


def _all(figures: Figures, length: str) -> list[Figures]:
    told = [matches[length] for matches in figures.values() if length in matches]
    if not told:
        raise Missing("not played at this scale")
    return told


def _none_behind(figures: Figures, _: float) -> tuple[bool, str]:
    told = _all(figures, "usual clock")
    behind, ahead = sum(own["elo"][2] < 0 for own in told), sum(own["elo"][1] > 0 for own in told)
    return not behind and ahead > 0, f"behind in {behind} of {len(told)} games, ahead in {ahead}"


def _none_late(figures: Figures, most: float) -> tuple[bool, str]:
    late = sum(own["lost_on_time"] for name in ("usual clock", "long clock") for own in _all(figures, name))
    return late <= most, f"{late} games lost on time"


def _rarely_late(figures: Figures, least: float) -> tuple[bool, str]:
    told = _all(figures, "short clock")
    late, moves = sum(own["lost_on_time"] for own in told), sum(own["moves"] for own in told)
    return late * least <= moves, f"{late} games lost on time in {moves:,} moves"


CLAIMS = [
    Claim("learned timing is ahead of the simple rule", "none: beyond the seeds", "behind nowhere", 0, _none_behind),
    Claim("no game is lost on time", "none: beyond the seeds", "at most {tolerance:.0f}", 0, _none_late),
    Claim(
        "a policy that always goes on is in time",
        "none: beyond the seeds",
        "at most a loss in {tolerance:,.0f} moves at 0.2 s and 0.002 s",
        LEAST_MOVES,
        _rarely_late,
    ),
]


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    made = Harness("learned_timing", options.scale, threads=options.threads, folder=options.out)
    parts = SCALES[options.scale]
    figures = {name: play(made, part) for name, part in parts.items()}
    made.print_table(
        "against the simple rule; on the short clock a policy that always goes on",
        ("game and clock", "games", "score", "Elo", "95%", "lost on time", "moves"),
        [
            (
                f"{game}, {name}",
                told["games"],
                f"{told['score']:.1%}",
                f"{told['elo'][0]:+.0f}",
                f"{told['elo'][1]:+.0f} to {told['elo'][2]:+.0f}",
                told["lost_on_time"],
                told["moves"],
            )
            for game, matches in figures.items()
            for name, told in matches.items()
        ],
    )
    settings = {
        "parts": {name: {**vars(part), "learner": dict(part.learner)} for name, part in parts.items()},
        "seeds": [LEARNING_SEED, MATCH_SEED],
    }
    made.conclude(CLAIMS, figures, settings=settings, seed=LEARNING_SEED)
    made.close()


if __name__ == "__main__":
    start(main)
