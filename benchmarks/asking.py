"""What it takes to ask a network for the order of quiet moves: searches of the same nodes, with and without one.

    python benchmarks/asking.py [--rounds 9] [--games chess,loa] [--json FILE]

The networks have learned from a few games, and history counts so much more that it decides: both searches go through
much the same tree. A row is the median ratio of interleaved rounds and their range, and behind it what asking once
takes by that, in nodes of the search without a network, which games that judge charge (learn/judging_games.py).
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import plypilot as pp
from overheads import Variant, run
from plypilot.learn import NO_CHECKS, train
from plypilot.learn.movemap import MoveMap

HISTORY = "history"
PLIES = {f"asked from {plies} plies": plies for plies in (1, 2)}
TARGETS = {name: (HISTORY, 1 + 0.16 / plies) for name, plies in PLIES.items()}
FEW_GAMES = {"games": 60, "nodes": 50, "side_lines": 0}
HISTORY_WEIGHT = 1e-4


def variants_of(game: str) -> dict[str, Variant]:
    """The baseline of a game, and with a network that is asked from so many plies on."""
    baseline = pp.Pilot.baseline(game)
    learner = MoveMap(play=FEW_GAMES, epochs=1, trials={"games": 0}, history_weight=HISTORY_WEIGHT)
    with tempfile.TemporaryDirectory() as folder:
        learned = train(learner, baseline, Path(folder) / "run", checks=NO_CHECKS).pilot
    return {HISTORY: Variant(baseline)} | {
        name: Variant(learned.replace({"ordering.network_plies": plies})) for name, plies in PLIES.items()
    }


if __name__ == "__main__":
    run(__doc__, "network", variants_of, TARGETS)
