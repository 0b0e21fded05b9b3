"""Whether learned pruning pays in games: widths and pruning functions in the place of hand-set selectivity.

    python experiments/learned_pruning.py [--scale SCALE] [--threads N]

The scale is quick, full, or a part of full: a game (loa, breakthrough, chess, shogi), with -long behind it for the long
matches alone, or with -widths or -pruning behind it for the usual matches of one learner.

A learner starts from the bare pilot: the baseline with late moves, futility and late-move reductions off. It runs as
everybody runs it, from its own games to the check of its run. What it hands out then plays two opponents, from random
openings that nothing was learned or tried on: the bare pilot, and the untouched baseline with all of its selectivity.
The bare pilot with a pruning function plays besides the bare pilot with hand-set late-move reductions alone, which is
reported. There are 1,000 games at 20 ms a move (in chess and shogi 400 at 50 ms), as many at equal nodes against the
bare pilot, and 200 at five times the time. A run that hands out its start has gained nothing over it, which no games
need to tell; the baseline it plays all the same.

The rules, fixed before the run. Against the bare pilot at equal time: at least +30 Elo in Lines of Action and in
Breakthrough, +20 in chess, and the lower end of the 95% interval above 0, for each learner. Against the baseline at
equal time: not behind, which is that the upper end of the interval is not below 0.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import plypilot as pp
from harness import Claim, Figures, Harness, Missing, read_options, start
from kocsis_3_mia import REDUCED as BARE
from learned_matches import Lengths, elo_at_equal_time, gains, play_lengths, print_matches, tell
from plypilot.learn.catalogue import find_learner
from plypilot.learn.folder import read_run

LEARNING_SEED, MATCH_SEED = 1, 3_000_000
LEARNERS = ("widths", "pruning")
WIDE, SLOW = Lengths(), Lengths(games=400, milliseconds=50)
LENGTHS = {"loa": WIDE, "breakthrough": WIDE, "chess": SLOW, "shogi": SLOW}
LEAST_ELO = {"loa": 30.0, "breakthrough": 30.0, "chess": 20.0}
TITLES = {"loa": "Lines of Action", "breakthrough": "Breakthrough", "chess": "chess", "shogi": "shogi"}
START, BASELINE, REDUCTIONS = "the bare pilot", "the baseline", "late-move reductions alone"


@dataclass(frozen=True)
class Part:
    """What is done for one game."""

    game: str
    lengths: Lengths
    learners: tuple[str, ...] = LEARNERS
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Of learners, beside their usual ones."""


FEW: dict[str, Any] = {"positions": 40, "nodes": 500, "reference_nodes": 5000, "trials": {"games": 40, "nodes": 500}}
TINY: dict[str, Any] = {"positions": 6, "nodes": 50, "reference_nodes": 100, "trials": {"games": 2, "nodes": 30}}
GAMES = {game: Part(game, lengths) for game, lengths in LENGTHS.items()}
USUAL = {game: replace(part, lengths=replace(part.lengths, lengths=("usual",))) for game, part in GAMES.items()}
SCALES: dict[str, Sequence[Part]] = {
    "tiny": (
        Part(
            "breakthrough-5x5",
            Lengths(2, 2, 1, nodes=30),
            settings={"widths": {**TINY, "few": 2, "patience": 1}, "pruning": {**TINY, "epochs": 3}},
        ),
    ),
    "quick": [
        replace(
            part,
            lengths=replace(part.lengths, games=40, long_games=10, nodes=1000),
            settings={"widths": {**FEW, "few": 20, "patience": 2}, "pruning": {**FEW, "epochs": 20}},
        )
        for part in GAMES.values()
    ],
    **{game: (part,) for game, part in USUAL.items()},
    **{
        f"{game}-long": (replace(part, lengths=replace(part.lengths, lengths=("long",))),)
        for game, part in GAMES.items()
    },
    **{
        f"{game}-{learner}": (replace(part, learners=(learner,)),)
        for game, part in USUAL.items()
        for learner in LEARNERS
    },
    "full": list(GAMES.values()),
}


def bare_pilot(game: str) -> pp.Pilot:
    """The baseline without its hand-set selectivity among moves."""
    return pp.Pilot.baseline(game).replace(BARE)


def learned_pilot(made: Harness, part: Part, learner: str) -> pp.Pilot:
    """What a run hands out; it goes on where it was."""
    pilot, settings = bare_pilot(part.game), part.settings.get(learner, {})
    size = f"-{hashlib.sha256(repr(settings).encode()).hexdigest()[:8]}" if settings else ""
    folder = made.folder / "runs" / made.name / f"{learner}-{part.game}{size}-{pilot.digest[:8]}"
    run = pp.learn.train(
        find_learner(learner, settings),
        pilot,
        folder,
        seed=LEARNING_SEED,
        workers=made.threads,
        resume=folder.exists(),
    )
    return read_run(run.folder).best


def play(made: Harness, part: Part, learner: str, learned: pp.Pilot) -> Figures:
    """The matches of what one learner hands out."""
    bare = bare_pilot(part.game)
    what, lengths = f"{part.game}, {learner}", part.lengths
    by_time = replace(lengths, nodes=0)
    opponents: Figures = {START: {}}
    if learned != bare:
        opponents[START] = play_lengths(made, f"{what}, against {START}", learned, bare, lengths, MATCH_SEED)
    baseline = pp.Pilot.baseline(part.game)
    opponents[BASELINE] = play_lengths(made, f"{what}, against {BASELINE}", learned, baseline, by_time, MATCH_SEED + 10)
    if learner == "pruning" and learned != bare:
        reducing = bare.replace({"depth.reduce_late": True})
        opponents[REDUCTIONS] = play_lengths(
            made, f"{what}, against {REDUCTIONS}", learned, reducing, by_time, MATCH_SEED + 20
        )
    return {"pilot": learned.digest[:16], "has_changed": learned != bare, "opponents": opponents}


def _told(figures: Figures, game: str, learner: str) -> Figures:
    try:
        told: Figures = figures[game][learner]
    except KeyError as error:
        raise Missing("not played at this scale") from error
    return told


def _gains(game: str, learner: str) -> Callable[[Figures, float], tuple[bool, str]]:
    def holds(figures: Figures, least: float) -> tuple[bool, str]:
        told = _told(figures, game, learner)
        if not told["has_changed"]:
            return False, "the run handed out its start"
        return gains(elo_at_equal_time(told["opponents"][START]), least)

    return holds


def _is_not_behind(game: str, learner: str) -> Callable[[Figures, float], tuple[bool, str]]:
    def holds(figures: Figures, _: float) -> tuple[bool, str]:
        elo = elo_at_equal_time(_told(figures, game, learner)["opponents"][BASELINE])
        return elo[2] >= 0, tell(elo)

    return holds


CLAIMS = [
    *(
        Claim(
            f"{'widths gain' if learner == 'widths' else 'a function gains'} in {TITLES[game]}",
            "none: beyond the seeds",
            "at least {tolerance:+.0f} Elo over the bare pilot at equal time, interval above 0",
            least,
            _gains(game, learner),
        )
        for game, least in LEAST_ELO.items()
        for learner in LEARNERS
    ),
    *(
        Claim(
            f"{'widths are' if learner == 'widths' else 'a function is'} not behind the baseline in {TITLES[game]}",
            "none: beyond the seeds",
            "at equal time: the interval does not lie below 0",
            0,
            _is_not_behind(game, learner),
        )
        for game in GAMES
        for learner in LEARNERS
    ),
]


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    made = Harness("learned_pruning", options.scale, threads=options.threads, folder=options.out)
    figures: Figures = {}
    for part in SCALES[options.scale]:
        figures[part.game] = {}
        for learner in part.learners:
            learned = learned_pilot(made, part, learner)
            told = figures[part.game][learner] = play(made, part, learner, learned)
            for opponent, matches in told["opponents"].items():
                title = f"{part.game}: {learner} on the bare pilot, against {opponent}"
                if matches:
                    print_matches(made, title, matches)
                else:
                    print(f"\n{title}: the run handed out its start")
    settings = {
        "parts": [asdict(part) for part in SCALES[options.scale]],
        "bare": BARE,
        "seeds": [LEARNING_SEED, MATCH_SEED],
    }
    made.conclude(CLAIMS, figures, settings=settings, seed=LEARNING_SEED)
    made.close()


if __name__ == "__main__":
    start(main)
