"""Whether learned depth pays in games: realization probabilities in baselines with all their hand-set selectivity.

    python experiments/learned_depth.py [--scale quick|loa|loa-long|breakthrough|breakthrough-long|full] [--threads N]

The learner runs as everybody runs it: it plays its own games, counts kinds of moves, and finds by trials how their
costs are used. Then the learned pilot plays the baseline, 1,000 games at 20 ms a move, and 200 at 100 ms, from random
openings that no trial has seen. Beside equal time stands a match at equal nodes.

The rule, fixed before the run: at least +40 Elo at 20 ms with the lower end of the 95% interval above 0, in Lines of
Action and in Breakthrough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import plypilot as pp
from harness import Claim, Figures, Harness, Missing, read_options, start
from learned_matches import Lengths, elo_at_equal_time, gains, play_lengths, print_matches
from plypilot.learn.folder import read_run
from plypilot.learn.realization import Realization

LEARNING_SEED, MATCH_SEED = 1, 3_000_000
LEAST_ELO = 40


@dataclass(frozen=True)
class Part:
    """What is done for one game."""

    game: str
    lengths: Lengths = field(default_factory=Lengths)
    learner: Mapping[str, Any] = field(default_factory=dict)


FEW = {"play": {"games": 200, "nodes": 300, "side_lines": 0}, "trials": {"games": 20, "nodes": 300}}
TINY = {"play": {"games": 20, "nodes": 30, "side_lines": 0}, "constants": [0.1], "trials": {"games": 2, "nodes": 30}}
GAMES = {"loa": Part("loa"), "breakthrough": Part("breakthrough")}
SCALES: dict[str, dict[str, Part]] = {
    "tiny": {"breakthrough": Part("breakthrough", Lengths(2, 2, 1), TINY)},
    "quick": {game: replace(part, lengths=Lengths(40, 10), learner=FEW) for game, part in GAMES.items()},
    **{game: {game: replace(part, lengths=Lengths(lengths=("usual",)))} for game, part in GAMES.items()},
    **{f"{game}-long": {game: replace(part, lengths=Lengths(lengths=("long",)))} for game, part in GAMES.items()},
    "full": GAMES,
}


def learned_pilot(made: Harness, part: Part) -> pp.Pilot:
    """The pilot that the learner hands out; its run goes on where it was."""
    pilot = pp.Pilot.baseline(part.game)
    learner = Realization(**part.learner)
    size = f"-{part.learner['play']['games']}" if part.learner else ""
    folder = made.folder / "runs" / made.name / f"{part.game}{size}-{pilot.digest[:8]}"
    run = pp.learn.train(learner, pilot, folder, seed=LEARNING_SEED, workers=made.threads, resume=folder.exists())
    return read_run(run.folder).best


def _gains(game: str, figures: Figures, least: float) -> tuple[bool, str]:
    if game not in figures:
        raise Missing("not played at this scale")
    return gains(elo_at_equal_time(figures[game]["matches"]), least)


CLAIMS = [
    Claim(
        f"learned depth gains in {name}",
        "none: beyond the seeds",
        f"at least {LEAST_ELO:+} Elo at 20 ms, interval above 0",
        LEAST_ELO,
        lambda figures, least, game=game: _gains(game, figures, least),
    )
    for game, name in (("loa", "Lines of Action"), ("breakthrough", "Breakthrough"))
]


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    made = Harness("learned_depth", options.scale, threads=options.threads, folder=options.out)
    parts = SCALES[options.scale]
    figures: Figures = {}
    for game, part in parts.items():
        learned = learned_pilot(made, part)
        matches = play_lengths(made, game, learned, pp.Pilot.baseline(game), part.lengths, MATCH_SEED)
        figures[game] = {"pilot": learned.digest[:16], "matches": matches}
        print_matches(made, game, matches)
    settings = {
        "parts": {game: asdict(part) for game, part in parts.items()},
        "seeds": [LEARNING_SEED, MATCH_SEED],
    }
    made.conclude(CLAIMS, figures, settings=settings, seed=LEARNING_SEED)
    made.close()


if __name__ == "__main__":
    start(main)
