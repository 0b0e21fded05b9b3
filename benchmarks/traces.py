"""What a trace costs: the time of a search that is watched, over the time of the same search unwatched.

    python benchmarks/traces.py [--rounds 9] [--games chess,loa] [--json FILE]

A trace never changes the tree, which is checked. A row is the median ratio of interleaved rounds and their range:

    counts  nodes by how they ended, moves, cut-offs by rank
    moves   besides, each move by category, rank and features
"""

from __future__ import annotations

import plypilot as pp
from overheads import Variant, run

PLAIN, COUNTS, MOVES = "none", "counts", "moves"
TARGETS = {COUNTS: (PLAIN, 1.10), MOVES: (PLAIN, 1.30)}


def variants_of(game: str) -> dict[str, Variant]:
    """The baseline of a game with each kind of trace."""
    pilot = pp.Pilot.baseline(game)
    return {PLAIN: Variant(pilot), COUNTS: Variant(pilot, "counts"), MOVES: Variant(pilot, "moves")}


if __name__ == "__main__":
    run(__doc__, "trace", variants_of, TARGETS)
