"""Whether `plypilot train widths|pruning GAME` helps, and never harms, as a newcomer types it.

    python experiments/pruning_defaults.py [--scale quick|LEARNER-GAME|full] [--threads N]

As movemap_defaults.py does for learned order: each run of a learner of pruning starts from the baseline of its game and
checks itself. Its best.pilot then plays its start.pilot in games that neither learning nor the checks have seen: 400 at
20 ms a move for both. A run whose best pilot is the start itself plays nothing: it is neither ahead nor behind. A scale
such as widths-loa is that part of full.

The rule, fixed before the run: a pilot is ahead or behind where the whole 95% interval of the Elo difference lies on
one side of 0. None of the runs may be behind, and each must end within 15 minutes on 2 cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from default_runs import FEW_CHECKS, GAMES, DefaultRun, experiment
from harness import start

LEARNERS = ("widths", "pruning")
FULL = [DefaultRun(learner, game) for learner in LEARNERS for game in GAMES]
FEW = {"positions": 40, "nodes": 500, "reference_nodes": 5000, "trials": {"games": 40, "nodes": 500}}
FEW_OF = {"widths": {**FEW, "few": 20, "patience": 2}, "pruning": {**FEW, "epochs": 20}}
TINY = {"positions": 6, "nodes": 50, "reference_nodes": 100, "epochs": 3, "trials": {"games": 0}}
EXPERIMENT = experiment(
    "pruning_defaults",
    __doc__,
    {
        "tiny": [DefaultRun("pruning", "breakthrough-5x5", 2, 1, TINY, checks=FEW_CHECKS)],
        "quick": [replace(run, match_games=40, milliseconds=10, settings=FEW_OF[run.learner]) for run in FULL],
    },
    FULL,
)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    EXPERIMENT.run(words)


if __name__ == "__main__":
    start(main)
