"""Counts the published perft lines of a folder and says of each file how many agree.

    python experiments/perft_suites.py --data FOLDER [--most NODES] [--sample N]

Reads chess files in two forms: `.epd` with `;D1 20 ;D2 400` behind a position, and `.perft` with lines `epd ...` and
`perft 1 20`. Counts above --most are left out; of files with more than a thousand positions every N-th is taken.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import plypilot as pp

MANY = 1000
"""Positions of a file above which it is sampled."""


def lines_of(path: Path) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Each position of a file with its depths and counts."""
    fen, counts = "", list[tuple[int, int]]()
    for line in path.read_text("utf-8").splitlines():
        if path.suffix == ".epd":
            board, *rest = line.split(";")
            if rest:
                pairs = (part.split() for part in rest)
                yield board.strip(), [(int(depth[1:]), int(nodes)) for depth, nodes in pairs]
        elif words := re.match(r"epd\s+(.+)", line):
            if fen:
                yield fen, counts
            fen, counts = words[1].strip(), []
        elif words := re.match(r"perft\s+(\d+)\s+(\d+)", line):
            counts.append((int(words[1]), int(words[2])))
    if fen:
        yield fen, counts


def main() -> None:
    """Prints a line a file, and exits with 1 if a count differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with .epd and .perft files")
    parser.add_argument("--most", type=int, default=200_000_000, help="largest count that is tried")
    parser.add_argument("--sample", type=int, default=10, help="every N-th position of large files")
    arguments = parser.parse_args()
    wrong = 0
    for path in sorted([*arguments.data.glob("*.epd"), *arguments.data.glob("*.perft")]):
        started = time.perf_counter()
        positions = list(lines_of(path))
        if len(positions) > MANY:
            positions = positions[:: arguments.sample]
        equal = left_out = nodes_counted = 0
        for fen, counts in positions:
            position = pp.Position("chess", fen)
            for depth, nodes in counts:
                if nodes > arguments.most:
                    left_out += 1
                    continue
                nodes_counted += nodes
                if (counted := pp.perft(position, depth)) == nodes:
                    equal += 1
                else:
                    wrong += 1
                    print(f"{path.name}: {fen} depth {depth}: {counted}, published {nodes}")
        print(
            f"{path.name}: {equal} counts equal in {len(positions)} positions, {left_out} left out as too large, "
            f"{nodes_counted / 1e9:.2f} G nodes, {time.perf_counter() - started:.0f} s",
            flush=True,
        )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
