"""Whether `plypilot train timing|timing-sane GAME` helps, and never harms, as a newcomer types it.

    python experiments/timing_defaults.py [--scale quick|LEARNER-GAME|full] [--threads N]

As movemap_defaults.py does for learned order: each run of a learner of timing starts from the baseline of its game and
checks itself by games with banks of nodes. Its best.pilot then plays its start.pilot in games that neither learning nor
the checks have seen, on a clock: 400 at 0.5 s and 0.005 s more with each move. A run whose best pilot is the start
itself plays nothing: it is neither ahead nor behind. A scale such as timing-loa is that part of full.

The rule, fixed before the run: a pilot is ahead or behind where the whole 95% interval of the Elo difference lies on
one side of 0. None of the runs may be behind, and each must end within 15 minutes on 2 cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from default_runs import FEW_CHECKS, GAMES, DefaultRun, experiment
from harness import start

LEARNERS = ("timing", "timing-sane")
FULL = [DefaultRun(learner, game, milliseconds=5, bank=100) for learner in LEARNERS for game in GAMES]
FEW = {
    "timing": {"games": 120, "nodes": 500, "look_games": 20, "trials": {"games": 20, "nodes": 500}},
    "timing-sane": {"generations": 2, "nodes": 500, "look_games": 20, "trials": {"games": 20, "nodes": 500}},
}
TINY = {
    "games": 12,
    "batch": 12,
    "nodes": 50,
    "preparing_games": 4,
    "look_games": 4,
    "trials": {"games": 0},
}
EXPERIMENT = experiment(
    "timing_defaults",
    __doc__,
    {
        "tiny": [DefaultRun("timing", "breakthrough-5x5", 2, 1, TINY, bank=100, checks=FEW_CHECKS)],
        "quick": [replace(run, match_games=40, settings=FEW[run.learner]) for run in FULL],
    },
    FULL,
)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    EXPERIMENT.run(words)


if __name__ == "__main__":
    start(main)
