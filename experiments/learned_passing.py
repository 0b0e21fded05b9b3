"""Another decision through the code that learns time allocation (Kocsis 2003, ch. 5): how far passing reduces depth.

    python experiments/learned_passing.py [--scale quick|loa|breakthrough|full] [--threads N]

The algorithm of chapter 5 is meant for any decision that comes up a few times a move. Here a network chooses before
each search how far a null move reduces the depth, from no null move at all to three plies, by the pieces on the board.
It learns in games of the baseline against itself with as many nodes for each move, by the same traces, the same critic
and the same rule for weights as learned timing (passing_actor.py says what differs). Then 1,000 games each tell what it
comes to beside the baseline, whose reduction is fixed: the network before it learned, which is chance; each fixed
reduction; and the network after.

The rules, fixed before the run: in each game the learned choice is ahead of chance (the lower end of the 95% interval
of the Elo difference is above 0), and it is not behind the baseline (the upper end is not below 0). How it does beside
the best fixed reduction is told and not judged: which one that is these games themselves have chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import orderings
import plypilot as pp
from harness import Claim, Figures, Harness, Missing, read_options, start
from passing_actor import PassingActor
from plypilot.compute import Workers
from plypilot.learn import NO_CHECKS
from plypilot.learn.learner import State
from plypilot.learn.timed_games import read_sides
from plypilot.searcher import Limit

LEARNING_SEED, MATCH_SEED = 1, 6_000_000
SPAN = 8
"""Own moves that are told together."""
MOST_SPANS = 4


@dataclass(frozen=True)
class Part:
    """What is done for one game."""

    game: str
    match_games: int = 1000
    looked_at: int = 100
    """games that show what was learned"""
    learner: Mapping[str, Any] = field(default_factory=dict)


USUAL = {
    "nodes": 1000,
    "games": 16_000,
    "batch": 400,
    "rule": {"kind": "momentum", "rate": 0.00005},
    "look_games": 2,
    "trials": {"games": 0},
}
TINY = {**USUAL, "nodes": 50, "games": 12, "batch": 12, "preparing_games": 4, "most": 2}
PARTS = {game: Part(game, learner=USUAL) for game in ("loa", "breakthrough")}
SCALES: dict[str, dict[str, Part]] = {
    "tiny": {"breakthrough": Part("breakthrough-5x5", 2, 2, TINY)},
    "quick": {"loa": replace(PARTS["loa"], match_games=40, looked_at=10, learner={**USUAL, "games": 800})},
    **{game: {game: part} for game, part in PARTS.items()},
    "full": PARTS,
}


def learn(made: Harness, part: Part) -> tuple[PassingActor, State]:
    """What was learned; the run goes on where it was."""
    pilot, learner = pp.Pilot.baseline(part.game), PassingActor.model_validate(part.learner)
    folder = made.folder / "runs" / made.name / f"{part.game}-{learner.nodes}-{learner.games}-{pilot.digest[:8]}"
    run = pp.learn.train(
        learner, pilot, folder, seed=LEARNING_SEED, workers=made.threads, checks=NO_CHECKS, resume=folder.exists()
    )
    return learner, run.state


def by_chance(learner: PassingActor, state: State) -> pp.Pilot:
    """The pilot whose reductions are all left to chance, as they are before anything has been learned."""
    assert state.pilot is not None
    return learner.with_policy(state.pilot, learner.empty_policy(state).model_copy(update={"random": 1.0}))


def play(made: Harness, part: Part) -> Figures:
    """The matches of one game against the baseline, the learned choice against chance, and what it chooses."""
    learner, state = learn(made, part)
    baseline, learned, chance = pp.Pilot.baseline(part.game), learner.learned(state), by_chance(learner, state)
    fixed = {
        f"R = {plies}": baseline.replace({"pruning.null_reduction": plies})
        for plies in range(learner.least, learner.most + 1)
        if plies != baseline.pruning.null_reduction
    }
    limit = Limit(nodes=learner.nodes)
    matches = {"chance, as before learning": (chance, baseline), "learned": (learned, baseline)}
    matches |= {name: (own, baseline) for name, own in fixed.items()}
    matches["learned against chance"] = (learned, chance)
    return {
        "matches": {
            name: orderings.play_match(
                made,
                f"{part.game}, {name}",
                one,
                other,
                games=part.match_games,
                limits=(limit, limit),
                seed=MATCH_SEED,
            )
            for name, (one, other) in matches.items()
        },
        "baseline": baseline.pruning.null_reduction,
        "least": learner.least,
        "chosen": look(made, part, learner, state),
    }


def look(made: Harness, part: Part, learner: PassingActor, state: State) -> list[list[int]]:
    """How often each reduction was chosen in further games, a row for each span of own moves."""
    counts = np.zeros((MOST_SPANS, learner.most - learner.least + 1), np.int64)
    games = learner.learning_games(state, learner.learned(state), part.looked_at, number=1)
    with Workers.threads(made.threads) as workers:
        for first, chunks in games.play(range(part.looked_at), workers):
            for side in read_sides(chunks, first, counts.shape[1]):
                if side.decisions is not None:
                    spans = np.minimum(side.decisions.turns // SPAN, MOST_SPANS - 1)
                    np.add.at(counts, (spans, side.decisions.chosen), 1)
    return [[int(count) for count in row] for row in counts]


def show(made: Harness, game: str, told: Figures) -> None:
    """Two tables: the matches, and the choices."""
    rows = [
        (
            name,
            own["games"],
            f"{own['score']:.1%}",
            f"{own['elo'][0]:+.0f}",
            f"{own['elo'][1]:+.0f} to {own['elo'][2]:+.0f}",
        )
        for name, own in told["matches"].items()
    ]
    made.print_table(
        f"{game}: against the baseline, whose R is {told['baseline']}", ("choice", "games", "score", "Elo", "95%"), rows
    )
    names = [f"{SPAN * span + 1} to {SPAN * (span + 1)}" for span in range(MOST_SPANS - 1)]
    names.append(f"from {SPAN * (MOST_SPANS - 1) + 1} on")
    made.print_table(
        f"{game}: how often each R was chosen",
        ("own move", *(str(told["least"] + place) for place in range(len(told["chosen"][0])))),
        [
            (name, *(f"{count / max(sum(row), 1):.0%}" for count in row))
            for name, row in zip(names, told["chosen"], strict=True)
            if sum(row)
        ],
    )


def _each(figures: Figures, match: str) -> list[tuple[str, Figures]]:
    if not figures:
        raise Missing("not played at this scale")
    return [(game, told["matches"][match]) for game, told in figures.items()]


def _text(told: Sequence[tuple[str, Figures]]) -> str:
    return ", ".join(f"{game} {own['elo'][0]:+.0f} [{own['elo'][1]:+.0f}, {own['elo'][2]:+.0f}]" for game, own in told)


def _beats_chance(figures: Figures, least: float) -> tuple[bool, str]:
    told = _each(figures, "learned against chance")
    return all(own["elo"][1] > least for _, own in told), _text(told)


def _is_not_behind(figures: Figures, least: float) -> tuple[bool, str]:
    told = _each(figures, "learned")
    return all(own["elo"][2] >= least for _, own in told), _text(told)


CLAIMS = [
    Claim("the learned choice is ahead of chance", "none: beyond the seeds", "interval above 0", 0, _beats_chance),
    Claim("it is not behind the baseline", "none: beyond the seeds", "interval not all below 0", 0, _is_not_behind),
]


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    made = Harness("learned_passing", options.scale, threads=options.threads, folder=options.out)
    parts = SCALES[options.scale]
    figures = {name: play(made, part) for name, part in parts.items()}
    for name, told in figures.items():
        show(made, name, told)
    settings = {
        "parts": {name: {**vars(part), "learner": dict(part.learner)} for name, part in parts.items()},
        "seeds": [LEARNING_SEED, MATCH_SEED],
    }
    made.conclude(CLAIMS, figures, settings=settings, seed=LEARNING_SEED)
    made.close()


if __name__ == "__main__":
    start(main)
