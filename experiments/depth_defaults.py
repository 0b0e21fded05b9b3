"""Whether `plypilot train plies|realization|focus GAME` helps, and never harms, as a newcomer types it.

    python experiments/depth_defaults.py [--scale quick|LEARNER-GAME|full] [--threads N]

As movemap_defaults.py does for learned order: each run of a learner of depth starts from the baseline of its game and
checks itself. Its best.pilot then plays its start.pilot in games that neither learning nor the checks have seen: 400 at
20 ms a move for both. A run whose best pilot is the start itself plays nothing: it is neither ahead nor behind. A scale
such as plies-loa is that part of full.

The rule, fixed before the run: a pilot is ahead or behind where the whole 95% interval of the Elo difference lies on
one side of 0. None of the runs may be behind, and each must end within 15 minutes on 2 cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from default_runs import FEW_CHECKS, GAMES, DefaultRun, experiment
from harness import start

LEARNERS = ("plies", "realization", "focus")
FULL = [DefaultRun(learner, game) for learner in LEARNERS for game in GAMES]
FEW = {
    "plies": {"source": "play", "play": {"games": 20}},
    "realization": {"play": {"games": 200, "nodes": 300}, "trials": {"games": 20, "nodes": 300}},
    "focus": {"own": {"games": 40}, "trials": {"games": 20}},
}
TINY = {"play": {"games": 20, "nodes": 30, "side_lines": 0}, "trials": {"games": 0}}
EXPERIMENT = experiment(
    "depth_defaults",
    __doc__,
    {
        "tiny": [DefaultRun("realization", "breakthrough", 2, 1, TINY, checks=FEW_CHECKS)],
        "quick": [replace(run, match_games=40, milliseconds=10, settings=FEW[run.learner]) for run in FULL],
    },
    FULL,
)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    EXPERIMENT.run(words)


if __name__ == "__main__":
    start(main)
