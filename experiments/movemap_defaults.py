"""Whether `plypilot train movemap GAME` helps, and never harms, whatever the game, as a newcomer types it.

    python experiments/movemap_defaults.py [--scale quick|once|full] [--threads N]

Each run starts from the baseline of its game, plays its own games, learns and checks itself. Its best.pilot then plays
its start.pilot in games that neither learning nor the checks have seen, with seeds and openings of their own: 400 at 20
ms a move for both. A run whose best pilot is the start itself plays nothing: it is neither ahead nor behind.

The rule, fixed before the run: a pilot is ahead or behind where the whole 95% interval of the Elo difference lies on
one side of 0. None of the runs may be behind, and each must end within 15 minutes on 2 cores. The scale once has one
run of each game, full has two.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orderings
import plypilot as pp
from harness import ROOT, Claim, Figures, Harness, read_options, start
from plypilot.learn import train
from plypilot.learn.catalogue import find_learner
from plypilot.learn.checks import Checks, usual_checks
from plypilot.searcher import Limit
from plypilot.versions import core_digest

GAMES = ("loa", "breakthrough", "chess", "shogi", "connect_four:ConnectFour")
MATCH_SEED = 3_000_000
"""Far from the seeds of the runs; the seed of a run is added to it."""
MOST_MINUTES = 15.0


@dataclass(frozen=True)
class Scale:
    """Which runs are made."""

    games: tuple[str, ...]
    seeds: int
    match_games: int
    milliseconds: float
    settings: Mapping[str, Any]
    learner: str = "movemap"
    bank: float = 0
    """So many times the time of a move is there at the start, and each move adds it; 0: each move has it for itself."""
    checks: Mapping[str, Any] = field(default_factory=dict)
    """What of the learner's usual checks is changed."""

    @property
    def limit(self) -> Limit:
        """Of both players of a match."""
        seconds = self.milliseconds / 1000
        return Limit(clock=self.bank * seconds, increment=seconds) if self.bank else Limit(seconds=seconds)


FEW_CHECKS = {"games": 4, "nodes": 100, "confirming_games": 4}
SCALES = {
    "tiny": Scale(
        ("breakthrough",),
        1,
        2,
        1,
        {"play": {"games": 40, "nodes": 50}, "epochs": 1, "trials": {"games": 2}},
        checks=FEW_CHECKS,
    ),
    "quick": Scale(GAMES, 1, 40, 10, {"play": {"games": 400}}),
    "once": Scale(GAMES, 1, 400, 20, {}),
    "full": Scale(GAMES, 2, 400, 20, {}),
}


def run_default(made: Harness, scale: Scale, game: str, seed: int) -> Figures:
    """Learns as the command does, and plays what was learned against what it began from."""
    what = f"{scale.learner} {game}, seed {seed}"
    # By what is learned and not by the scale: a run of a part is one of the whole.
    size = hashlib.sha256(repr(scale.settings).encode()).hexdigest()[:8] if scale.settings else "default"
    name = f"{scale.learner}-{game.replace(':', '.')}-{seed}-{size}"
    folder = made.folder / "runs" / made.name / core_digest()[:8] / name

    def work(_: int) -> Figures:
        began = time.perf_counter()
        learner = find_learner(scale.learner, scale.settings)
        run = train(
            learner,
            pp.Pilot.baseline(game),
            folder,
            checks=Checks(**usual_checks(learner).model_dump() | scale.checks),
            seed=seed,
            workers=made.threads,
            resume=folder.exists(),
        )
        return {
            "best_step": run.history.best,
            "checked": run.history.tell(),
            "minutes": round((time.perf_counter() - began) / 60, 2),
        }

    told = made.measure(what, [seed], lambda _: [game, seed, scale.settings], work)[0]
    if not told["best_step"]:
        return {**told, "games": 0, "score": 0.5, "elo": [0.0, 0.0, 0.0]}
    best, first = (pp.Pilot.load(folder / f"{name}.pilot") for name in ("best", "start"))
    played = orderings.play_match(
        made,
        f"{what}: the best against the start",
        best,
        first,
        games=scale.match_games,
        limits=(scale.limit, scale.limit),
        seed=MATCH_SEED + seed,
    )
    return {**told, **played}


def _none_is_behind(figures: Figures, _: float) -> tuple[bool, str]:
    runs = [run for game in figures.values() for run in game]
    ahead = sum(run["elo"][1] > 0 for run in runs)
    behind = sum(run["elo"][2] < 0 for run in runs)
    return not behind, f"{behind} of {len(runs)} runs behind, {ahead} ahead"


def _all_are_quick(figures: Figures, tolerance: float) -> tuple[bool, str]:
    longest = max(run["minutes"] for game in figures.values() for run in game)
    return longest <= tolerance, f"the longest run took {longest:.1f} minutes"


CLAIMS = [
    Claim("no run is behind its start", "", "none with 95% confidence", 0, _none_is_behind),
    Claim("runs end soon", "", "within {tolerance:.0f} minutes each", MOST_MINUTES, _all_are_quick),
]


def run_scale(name: str, text: str | None, words: Sequence[str] | None, scales: Mapping[str, Sequence[Scale]]) -> None:
    """Runs an experiment on the default runs of some learners, whose figures stand by learner and game."""
    options = read_options(text, words, scales=scales)
    sys.path.append(str(ROOT / "examples"))
    made = Harness(name, options.scale, threads=options.threads, folder=options.out)
    figures: Figures = {}
    for scale in scales[options.scale]:
        for game in scale.games:
            figures[f"{scale.learner} {game}"] = [run_default(made, scale, game, seed) for seed in range(scale.seeds)]
    made.print_table(
        "default runs, the best against the start",
        ("learner and game", "seed", "minutes", "best step", "games", "score", "Elo", "95%"),
        [
            (
                title,
                seed,
                run["minutes"],
                run["best_step"],
                run["games"],
                f"{run['score']:.1%}",
                f"{run['elo'][0]:+.0f}",
                f"{run['elo'][1]:+.0f} to {run['elo'][2]:+.0f}",
            )
            for title, runs in figures.items()
            for seed, run in enumerate(runs)
        ],
    )
    settings = {"scale": [vars(scale) for scale in scales[options.scale]], "match_seed": MATCH_SEED}
    made.conclude(CLAIMS, figures, settings=settings)
    made.close()


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    run_scale("movemap_defaults", __doc__, words, {name: (scale,) for name, scale in SCALES.items()})


if __name__ == "__main__":
    start(main)
