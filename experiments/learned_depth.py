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
from dataclasses import dataclass, field, replace
from typing import Any

import orderings
import plypilot as pp
from harness import Claim, Figures, Harness, Missing, read_options, start
from plypilot.learn.folder import read_run
from plypilot.learn.realization import Realization
from plypilot.searcher import Limit

LEARNING_SEED, MATCH_SEED = 1, 3_000_000
LEAST_ELO = 40
NODES = 8000


@dataclass(frozen=True)
class Part:
    """What is done for one game."""

    game: str
    games: int = 1000
    long_games: int = 200
    milliseconds: float = 20
    learner: Mapping[str, Any] = field(default_factory=dict)
    lengths: tuple[str, ...] = ("usual", "long")
    """Of the matches: at the usual time and at equal nodes, and at five times that time."""


FEW = {"play": {"games": 200, "nodes": 300, "side_lines": 0}, "trials": {"games": 20, "nodes": 300}}
TINY = {"play": {"games": 20, "nodes": 30, "side_lines": 0}, "constants": [0.1], "trials": {"games": 2, "nodes": 30}}
GAMES = {"loa": Part("loa"), "breakthrough": Part("breakthrough")}
SCALES: dict[str, dict[str, Part]] = {
    "tiny": {"breakthrough": Part("breakthrough", 2, 2, 1, TINY)},
    "quick": {game: replace(part, games=40, long_games=10, learner=FEW) for game, part in GAMES.items()},
    **{game: {game: replace(part, lengths=("usual",))} for game, part in GAMES.items()},
    **{f"{game}-long": {game: replace(part, lengths=("long",))} for game, part in GAMES.items()},
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


def play(made: Harness, part: Part, learned: pp.Pilot) -> Figures:
    """The matches of one game."""
    baseline = pp.Pilot.baseline(part.game)
    matches: Figures = {}

    def add(name: str, games: int, limit: Limit, seed: int) -> None:
        matches[name] = orderings.play_match(
            made,
            f"{part.game}, {name}",
            learned,
            baseline,
            games=games,
            limits=(limit, limit),
            seed=MATCH_SEED + seed,
        )

    if "usual" in part.lengths:
        add("equal time", part.games, Limit(seconds=part.milliseconds / 1000), 0)
        add("equal nodes", part.games, Limit(nodes=NODES), 1)
    if "long" in part.lengths:
        add("five times the time", part.long_games, Limit(seconds=5 * part.milliseconds / 1000), 2)
    return matches


def _gains(game: str, figures: Figures, least: float) -> tuple[bool, str]:
    try:
        elo: list[float] = figures[game]["matches"]["equal time"]["elo"]
    except KeyError as error:
        raise Missing("not played at this scale") from error
    return elo[0] >= least and elo[1] > 0, f"Elo {elo[0]:+.0f} [{elo[1]:+.0f}, {elo[2]:+.0f}]"


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
        figures[game] = {"pilot": learned.digest[:16], "matches": play(made, part, learned)}
        made.print_table(
            game,
            ("match", "games", "score", "Elo", "95%"),
            [
                (
                    name,
                    told["games"],
                    f"{told['score']:.1%}",
                    f"{told['elo'][0]:+.0f}",
                    f"{told['elo'][1]:+.0f} to {told['elo'][2]:+.0f}",
                )
                for name, told in figures[game]["matches"].items()
            ],
        )
    settings = {
        "parts": {game: {**vars(part), "learner": dict(part.learner)} for game, part in parts.items()},
        "seeds": [LEARNING_SEED, MATCH_SEED],
    }
    made.conclude(CLAIMS, figures, settings=settings, seed=LEARNING_SEED)
    made.close()


if __name__ == "__main__":
    start(main)
