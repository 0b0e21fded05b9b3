"""Whether `plypilot train widths|pruning GAME` helps, and never harms, as a newcomer types it.

    python experiments/pruning_defaults.py [--scale quick|widths|pruning|full] [--threads N]

As movemap_defaults.py does for learned order: each run of a learner of pruning starts from the baseline of its game and
checks itself. Its best.pilot then plays its start.pilot in games that neither learning nor the checks have seen: 400 at
20 ms a move for both. A run whose best pilot is the start itself plays nothing: it is neither ahead nor behind. A scale
of one learner is that part of full.

The rule, fixed before the run: a pilot is ahead or behind where the whole 95% interval of the Elo difference lies on
one side of 0. None of the runs may be behind, and each must end within 15 minutes on 2 cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness import start
from movemap_defaults import CLAIMS, FEW_CHECKS, GAMES, Scale, run_scale

__all__ = ["CLAIMS", "SCALES", "main"]

LEARNERS = ("widths", "pruning")
FULL = {learner: Scale(GAMES, 1, 400, 20, {}, learner) for learner in LEARNERS}
FEW = {"positions": 40, "nodes": 500, "reference_nodes": 5000, "trials": {"games": 40, "nodes": 500}}
TINY = {"positions": 6, "nodes": 50, "reference_nodes": 100, "epochs": 3, "trials": {"games": 0}}
SCALES: dict[str, Sequence[Scale]] = {
    "tiny": (Scale(("breakthrough-5x5",), 1, 2, 1, TINY, "pruning", checks=FEW_CHECKS),),
    "quick": [
        replace(FULL["widths"], match_games=40, milliseconds=10, settings={**FEW, "few": 20, "patience": 2}),
        replace(FULL["pruning"], match_games=40, milliseconds=10, settings={**FEW, "epochs": 20}),
    ],
    **{learner: (scale,) for learner, scale in FULL.items()},
    "full": list(FULL.values()),
}


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    run_scale("pruning_defaults", __doc__, words, SCALES)


if __name__ == "__main__":
    start(main)
