"""What a trace costs: the time of a search that is watched, over the time of the same search unwatched.

    python benchmarks/traces.py [--rounds 9] [--games chess,loa] [--json FILE]

A trace never changes the tree, which is checked. A row is the median ratio of interleaved rounds and their range:

    counts    nodes by how they ended, moves, cut-offs by rank
    moves     besides, each move by category, rank and features
    gradient  how a pruning function would have to change (RL-FPF), beside the same search with the function alone
    function  a pruning function that is asked everywhere and skips nothing, beside the search without one

What a trace costs where nobody asks for it is measured by revisions.py, beside a revision without it.
"""

from __future__ import annotations

import numpy as np

import plypilot as pp
from overheads import Variant, run
from plypilot.learn.pruning import ForwardPruning

PLAIN, COUNTS, MOVES = "none", "counts", "moves"
FUNCTION, GRADIENT = "function", "gradient"
TARGETS = {
    COUNTS: (PLAIN, 1.10),
    MOVES: (PLAIN, 1.30),
    GRADIENT: (FUNCTION, 1.40),
    FUNCTION: (PLAIN, 1.40),
}


def variants_of(game: str) -> dict[str, Variant]:
    """The baseline of a game with each kind of trace."""
    pilot = pp.Pilot.baseline(game)
    asked = with_silent_function(pilot)
    return {
        PLAIN: Variant(pilot),
        COUNTS: Variant(pilot, "counts"),
        MOVES: Variant(pilot, "moves"),
        FUNCTION: Variant(asked),
        GRADIENT: Variant(asked, "function"),
    }


def with_silent_function(pilot: pp.Pilot) -> pp.Pilot:
    """The pilot with a function of the usual inputs that always goes on, so that the tree stays as it is."""
    learner = ForwardPruning()
    weights = np.zeros((learner.rows(pilot.game)[learner.inputs[-1]].stop, len(learner.checkpoints)), np.float32)
    weights[0] = 1.0
    return learner.steer(pilot, weights)


if __name__ == "__main__":
    run(__doc__, "trace", variants_of, TARGETS)
