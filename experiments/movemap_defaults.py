"""Whether `plypilot train movemap GAME` helps, and never harms, whatever the game, as a newcomer types it.

    python experiments/movemap_defaults.py [--scale quick|loa|breakthrough|chess|shogi|connect_four|full] [--threads N]

Each run starts from the baseline of its game, plays its own games, learns and checks itself. Its best.pilot then plays
its start.pilot in games that neither learning nor the checks have seen, with seeds and openings of their own: 400 at 20
ms a move for both. A run whose best pilot is the start itself plays nothing: it is neither ahead nor behind. A scale of
one game is that part of full.

The rule, fixed before the run: a pilot is ahead or behind where the whole 95% interval of the Elo difference lies on
one side of 0. None of the runs may be behind, and each must end within 15 minutes on 2 cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from default_runs import FEW_CHECKS, GAMES, DefaultRun, experiment
from harness import start

FULL = [DefaultRun("movemap", game) for game in GAMES]
TINY = {"play": {"games": 40, "nodes": 50}, "epochs": 1, "trials": {"games": 2}}
EXPERIMENT = experiment(
    "movemap_defaults",
    __doc__,
    {
        "tiny": [DefaultRun("movemap", "breakthrough", 2, 1, TINY, checks=FEW_CHECKS)],
        "quick": [replace(run, match_games=40, milliseconds=10, settings={"play": {"games": 400}}) for run in FULL],
    },
    FULL,
)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    EXPERIMENT.run(words)


if __name__ == "__main__":
    start(main)
