"""How an overhead is measured: searches of the same nodes that differ in one thing, in rounds that alternate."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import plypilot as pp
from plypilot.searcher import Limit, Searcher
from search import CHESS

POSITIONS: dict[str, tuple[list[str | None], int]] = {
    "breakthrough": ([None], 600_000),
    "chess": ([*CHESS], 60_000),
    "loa": ([None], 300_000),
    "shogi": ([None, "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"], 100_000),
}
"""Positions of each game, and the nodes that a search of each may visit."""


class Variant:
    """A searcher, and what it is watched by."""

    def __init__(self, pilot: pp.Pilot, watched: Literal["counts", "moves", "function"] | None = None) -> None:
        """The pilot's game decides the positions."""
        self.searcher = Searcher(pilot)
        self.watched = watched
        fens, self.limit = POSITIONS[pilot.game]
        self.positions = [pp.Position(pilot.game, fen) for fen in fens]
        self.asked = 0.0
        """How often a node asks a network for the order of its moves."""

    def run(self) -> tuple[float, int]:
        """Processor seconds and nodes of one pass over the positions."""
        nodes, seconds, judged = 0, 0.0, 0
        for position in self.positions:
            self.searcher.clear()
            started = time.thread_time()
            if self.watched == "function":
                result = self.searcher.search_pruned(position, Limit(nodes=self.limit)).result
            else:
                result = self.searcher.search(position, Limit(nodes=self.limit), statistics=self.watched or False)
            seconds += time.thread_time() - started
            nodes += result.nodes.all
            judged += result.nodes.judged
        self.asked = judged / nodes
        return seconds, nodes


Targets = Mapping[str, tuple[str, float]]
"""Variant -> the one that it is compared with, and the ratio that is promised at most."""


def measure(game: str, variants: Mapping[str, Variant], targets: Targets, rounds: int) -> list[dict[str, Any]]:
    """Prints and returns the rows of one game. All variants must visit the same number of nodes."""
    seconds: dict[str, list[float]] = {name: [] for name in variants}
    for number in range(rounds):
        names = list(variants)
        names = names[number % len(names) :] + names[: number % len(names)]  # no variant is always first
        counted = set()
        for name in names:
            spent, nodes = variants[name].run()
            seconds[name].append(spent)
            counted.add(nodes)
        if len(counted) != 1:
            raise SystemExit(f"{game}: the searches visited unlike numbers of nodes: {sorted(counted)}")
    rows: list[dict[str, Any]] = []
    for name, (beside, target) in targets.items():
        ratios = [a / b for a, b in zip(seconds[name], seconds[beside], strict=True)]
        middle = statistics.median(ratios)
        verdict = "met" if middle <= target else "not met"
        spread = f"{min(ratios):.2f}-{max(ratios):.2f}"
        row = {"game": game, "what": name, "beside": beside, "target": target, "ratio": middle, "ratios": ratios}
        asked, told = variants[name].asked, ""
        if asked:
            row["asking_nodes"] = (middle - 1) / asked
            told = f", asking takes {row['asking_nodes']:.1f} nodes"
        print(f"{game:13}{name:25}{beside:25}{middle:6.3f} {spread:>11} {target:6.2f}  {verdict}{told}", flush=True)
        rows.append(row)
    return rows


def run(
    description: str | None, what: str, variants_of: Callable[[str], Mapping[str, Variant]], targets: Targets
) -> None:
    """The command of a benchmark: runs the rounds of each game, prints the table, writes the file that is asked for."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--games", default=",".join(POSITIONS), help="some of the games, parted by commas")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file")
    arguments = parser.parse_args()
    print(f"{'game':13}{what:25}{'beside':25}{'times':>6} {'range':>11} {'target':>6}")
    rows = []
    for game in arguments.games.split(","):
        rows += measure(game, variants_of(game), targets, arguments.rounds)
    if arguments.json:
        arguments.json.parent.mkdir(exist_ok=True)
        figures = {"rounds": arguments.rounds, "cores": os.cpu_count(), "rows": rows}
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
