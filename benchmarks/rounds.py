"""How a benchmark is run: every program once a round, ratios by the round, medians and ranges, one table, one file."""

from __future__ import annotations

import argparse
import json
import os
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from peers import Peer, find_program
from plypilot.versions import versions

Rate = Callable[[], float]
"""One round of a program: units a second, more is better."""


@dataclass
class Row:
    """Ours beside a peer's, with the ratio that is promised."""

    game: str
    what: str
    unit: str
    peer: str
    target: float
    """The ratio is at least this."""
    ours: Rate
    theirs: Rate


@dataclass
class Bench:
    """The rows of a benchmark, the programs it started, and the names of those that are not there."""

    rows: list[Row] = field(default_factory=list)
    peers: list[Peer] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)

    def start(self, command: list[str], options: dict[str, str]) -> Peer | None:
        """A program that is kept running until the end, None where it is not installed."""
        program = find_program(command[0])
        if program is None:
            self.missing.add(command[0])
            return None
        self.peers.append(Peer([program, *command[1:]], options))
        return self.peers[-1]

    def run(self, arguments: argparse.Namespace, more: Callable[[], Mapping[str, Any]]) -> None:
        """Runs the rounds, prints the table and what `more` prints, and writes the file that was asked for."""
        ours: list[list[float]] = [[] for _ in self.rows]
        ratios: list[list[float]] = [[] for _ in self.rows]
        for number in range(arguments.rounds):
            print(f"round {number + 1} of {arguments.rounds}", flush=True)
            for at, row in enumerate(self.rows):
                mine = row.ours()
                ours[at].append(mine)
                ratios[at].append(mine / row.theirs())
        for peer in self.peers:
            peer.close()
        figures = []
        print(f"\n{'game':13}{'what':21}{'ours':>10} {'unit':9}{'times':>7} {'range':>13} {'target':>7}  peer")
        for row, mine, ratio in zip(self.rows, ours, ratios, strict=True):
            middle, rate = statistics.median(ratio), statistics.median(mine)
            shown = f"{rate / 1e6:.2f} M" if rate > 1e4 else f"{rate:.3f}"
            digits = 1 if row.target >= 2 else 2
            spread = f"{min(ratio):.{digits}f}-{max(ratio):.{digits}f}"
            verdict = "met" if middle >= row.target else "not met"
            print(
                f"{row.game:13}{row.what:21}{shown:>10} {row.unit:9}{middle:7.{digits}f} {spread:>13} {row.target:7g}  "
                f"{row.peer}: {verdict}"
            )
            facts = {name: getattr(row, name) for name in ("game", "what", "unit", "peer", "target")}
            figures.append({**facts, "rate": rate, "ratio": middle, "ratios": ratio, "verdict": verdict})
        print()
        further = more()
        for name in sorted(self.missing):
            print(f"skipped, not installed: {name}")
        if arguments.json:
            content = {
                "rounds": arguments.rounds,
                "cores": os.cpu_count(),
                "versions": versions("chess", "cshogi", "open_spiel"),
                "skipped": sorted(self.missing),
                "rows": figures,
                **further,
            }
            arguments.json.parent.mkdir(exist_ok=True)
            arguments.json.write_text(json.dumps(content, indent=2) + "\n", "utf-8")


def read_arguments(description: str | None) -> argparse.Namespace:
    """The command line of a benchmark."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file")
    return parser.parse_args()
