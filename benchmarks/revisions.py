"""Time to a depth beside another revision of this project, in interleaved rounds of one run.

    git clone . OTHER && cd OTHER && git checkout COMMIT && make .venv/.built
    python benchmarks/revisions.py OTHER [--depth 12] [--rounds 9] [--json FILE]

Both search the same positions of chess with their own baselines, each in a process of its own, and tell the processor
time that it took. Where the trees differ, nodes to the depth vary much from position to position, by luck as well as
by design: five quiet middle games show the rate of nodes well and the size of trees badly, so there are sixty even
openings beside them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import plypilot as pp
from plypilot.play.openings import random_openings
from plypilot.versions import versions
from search import CHESS

OPENINGS, OPENING_PLIES, SEED = 60, 12, 78
MOST_RATIO = 0.85
"""Of the other revision's time."""
WORKER = """
import json, sys, time
import plypilot as pp
from plypilot.searcher import Limit, Searcher

searcher = Searcher(pp.Pilot.baseline("chess"))
for line in sys.stdin:
    fens, depth = json.loads(line)
    nodes, seconds = 0, 0.0
    for fen in fens:
        searcher.clear()
        position, began = pp.Position("chess", fen), time.thread_time()
        nodes += searcher.search(position, Limit(depth=depth)).nodes.all
        seconds += time.thread_time() - began
    print(json.dumps([seconds, nodes]), flush=True)
"""
"""Uses only what every revision has."""


class Revision:
    """A process that searches as one revision does."""

    def __init__(self, python: Path) -> None:
        """Starts it, outside of any checkout, so that the interpreter finds its own."""
        self._process = subprocess.Popen(
            [python, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/"
        )

    def search(self, fens: list[str], depth: int) -> tuple[float, int]:
        """Processor seconds and nodes."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([fens, depth]) + "\n")
        self._process.stdin.flush()
        seconds, nodes = json.loads(self._process.stdout.readline())
        return seconds, nodes

    def close(self) -> None:
        """Ends it."""
        self._process.communicate()


def compare(what: str, fens: list[str], depth: int, rounds: int, ours: Revision, other: Revision) -> dict[str, Any]:
    """Prints and returns one row."""
    ratios, nodes = [], (0, 0)
    for number in range(rounds):
        measured = {}
        for revision in (ours, other) if number % 2 else (other, ours):
            measured[revision] = revision.search(fens, depth)
        ratios.append(measured[ours][0] / measured[other][0])
        nodes = measured[ours][1], measured[other][1]
    ratio, tree = statistics.median(ratios), nodes[0] / nodes[1]
    verdict = "met" if ratio <= MOST_RATIO else "not met"
    print(
        f"{what:20} depth {depth}: time {ratio:.3f} ({min(ratios):.2f} to {max(ratios):.2f}), nodes {tree:.3f}, "
        f"nodes a second {tree / ratio:.2f}; at most {MOST_RATIO}: {verdict}",
        flush=True,
    )
    return {"what": what, "depth": depth, "ratio": ratio, "ratios": ratios, "nodes": nodes, "verdict": verdict}


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="a checkout of the other revision that was built")
    parser.add_argument("--depth", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file")
    arguments = parser.parse_args()
    commit = subprocess.run(
        ["git", "-C", arguments.other, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    openings = [opening.position("chess").fen() for opening in random_openings("chess", OPENING_PLIES, OPENINGS, SEED)]
    ours, other = Revision(Path(sys.executable)), Revision(arguments.other.resolve() / ".venv" / "bin" / "python")
    rows = [
        compare("five middle games", CHESS, arguments.depth, arguments.rounds, ours, other),
        compare("sixty openings", openings, arguments.depth, max(arguments.rounds // 3, 1), ours, other),
    ]
    for revision in (ours, other):
        revision.close()
    if arguments.json:
        content = {"beside": commit, "game": pp.Pilot.baseline("chess").game, "versions": versions(), "rows": rows}
        arguments.json.write_text(json.dumps(content, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
