"""Speed of the search beside other programs, one thread, in interleaved rounds of one run.

    python benchmarks/search.py [--rounds 5] [--json FILE]

Rates count different nodes in different programs, so time to a depth is given too. A row is the median ratio of the
rounds and their range. Peers that are not installed are skipped and named.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import plypilot as pp
from peers import Peer, find_program
from plypilot.searcher import Limit, Searcher

SECONDS = 0.6
CHESS = [  # quiet middle games of well-known openings
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9",
    "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 9",
    "rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP3PPP/R1BQKB1R w KQ - 0 6",
    "r1b1kb1r/1pq2ppp/p1nppn2/8/3NP3/2N1B3/PPP1BPPP/R2QK2R w KQkq - 0 9",
    "r2q1rk1/pb1nbppp/1p2pn2/2pp4/2PP4/1PN1PN2/PB2BPPP/R2Q1RK1 w - - 0 11",
]
OPEN_SPIEL_LEAVES = 0.13e6
"""Leaves a second of OpenSpiel's C++ alpha-beta on Lines of Action; its Python package does not offer it."""


@dataclass
class Row:
    """Ours beside a peer's, with the ratio that is promised."""

    what: str
    unit: str
    peer: str
    target: float
    ours: Callable[[], float]
    theirs: Callable[[], float]


def rate_of(pilot: pp.Pilot, fens: list[str | None]) -> Callable[[], float]:
    """Our nodes a second over some positions."""
    searcher = Searcher(pilot)

    def rate() -> float:
        nodes, seconds = 0, 0.0
        for fen in fens:
            searcher.clear()
            found = searcher.search(pp.Position(pilot.game, fen), Limit(seconds=SECONDS))
            nodes, seconds = nodes + found.nodes.all, seconds + found.seconds
        return nodes / seconds

    return rate


def depth_speed(pilot: pp.Pilot, fens: list[str], depth: int) -> Callable[[], float]:
    """One over our seconds to a depth over some positions, so that more is better."""
    searcher = Searcher(pilot)

    def speed() -> float:
        started = time.perf_counter()
        for fen in fens:
            searcher.clear()
            searcher.search(pp.Position(pilot.game, fen), Limit(depth=depth))
        return 1 / (time.perf_counter() - started)

    return speed


def peer_rate(peer: Peer, positions: list[str]) -> Callable[[], float]:
    """A peer's nodes a second over the same positions."""

    def rate() -> float:
        found = [peer.search(position, f"movetime {int(SECONDS * 1000)}") for position in positions]
        return sum(nodes for nodes, _ in found) / sum(seconds for _, seconds in found)

    return rate


def peer_depth_speed(peer: Peer, positions: list[str], depth: int) -> Callable[[], float]:
    """One over a peer's seconds to a depth."""
    return lambda: 1 / sum(peer.search(position, f"depth {depth}")[1] for position in positions)


def make_rows(missing: list[str], peers: list[Peer]) -> list[Row]:
    """All comparisons whose peers are there."""
    rows = []
    fens = [f"fen {fen}" for fen in CHESS]

    def start(command: list[str], options: dict[str, str]) -> Peer | None:
        program = find_program(command[0])
        if program is None:
            missing.append(command[0])
            return None
        peers.append(Peer([program, *command[1:]], options))
        return peers[-1]

    chess = pp.Pilot.baseline("chess")
    for command, options in ((["gnuchess", "--uci"], {"Hash": "16"}), (["glaurung"], {"Hash": "16", "Threads": "1"})):
        if peer := start(command, options):
            ours = rate_of(chess, list(CHESS))
            rows.append(Row("chess", "nodes/s", command[0], 1.3, ours, peer_rate(peer, fens)))
    if peer := start(["toga2"], {"Hash": "16"}):
        ours = depth_speed(chess, CHESS, 10)
        rows.append(Row("chess, depth 10", "1/s", "toga2", 3, ours, peer_depth_speed(peer, fens, 10)))
    for game, target in (("breakthrough", 15.0), ("shogi", 4.0)):
        if peer := start(["fairy-stockfish"], {"UCI_Variant": game, "Hash": "16", "Threads": "1"}):
            ours = rate_of(pp.Pilot.baseline(game), [None])
            rows.append(Row(game, "nodes/s", "fairy-stockfish", target, ours, peer_rate(peer, ["startpos"])))
    for pilot, what, target in (
        (pp.Pilot.baseline("loa"), "loa, full evaluation", 12.0),
        (pp.Pilot.plain("loa", "material").replace({"search.window.kind": "pvs"}), "loa, plain", 30.0),
    ):
        rows.append(
            Row(what, "nodes/s", "open_spiel, stated", target, rate_of(pilot, [None]), lambda: OPEN_SPIEL_LEAVES)
        )
    return rows


def memory_over_table() -> float:
    """Megabytes that a search needs besides its table of 16 MB, measured in a process of its own."""
    code = (
        "import plypilot as pp\n"
        "from plypilot.searcher import Limit, Searcher\n"
        "s = Searcher(pp.Pilot.baseline('chess'))\n"
        "s.search(pp.Position('chess'), Limit(nodes=500000))\n"
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmRSS')).split()[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout) / 1024 - 16


def main() -> None:
    """Runs the rounds and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file")
    arguments = parser.parse_args()
    missing: list[str] = []
    peers: list[Peer] = []
    rows = make_rows(missing, peers)
    ours: list[list[float]] = [[] for _ in rows]
    ratios: list[list[float]] = [[] for _ in rows]
    for number in range(arguments.rounds):
        print(f"round {number + 1} of {arguments.rounds}", flush=True)
        for at, row in enumerate(rows):
            mine = row.ours()
            ours[at].append(mine)
            ratios[at].append(mine / row.theirs())
    for peer in peers:
        peer.close()
    figures = []
    print(f"\n{'what':22}{'ours':>10} {'unit':8}{'times':>7} {'range':>13}  {'target':>6}  peer")
    for row, mine, ratio in zip(rows, ours, ratios, strict=True):
        middle = statistics.median(ratio)
        verdict = "met" if middle >= row.target else "not met"
        rate = statistics.median(mine)
        shown = f"{rate / 1e6:.2f}M" if rate > 1e4 else f"{rate:.3f}"
        spread = f"{min(ratio):.1f}-{max(ratio):.1f}"
        print(
            f"{row.what:22}{shown:>10} {row.unit:8}{middle:7.1f} {spread:>13}  {row.target:6g}  {row.peer}: {verdict}"
        )
        figures.append({**vars(row), "rate": rate, "ratio": middle, "ratios": ratio, "verdict": verdict})
        del figures[-1]["ours"], figures[-1]["theirs"]
    memory = memory_over_table()
    print(f"\nresident memory besides the table: {memory:.0f} MB (at most 80: {'met' if memory <= 80 else 'not met'})")
    for name in sorted(set(missing)):
        print(f"skipped, not installed: {name}")
    if arguments.json:
        found = {
            "rounds": arguments.rounds,
            "cores": os.cpu_count(),
            "versions": {"plypilot": pp.__version__, "python": platform.python_version()},
            "skipped": sorted(set(missing)),
            "rows": figures,
            "memory_over_table_mb": memory,
        }
        arguments.json.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
