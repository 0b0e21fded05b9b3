"""Speed of the rules beside other programs, one thread, in interleaved rounds of one run.

    python benchmarks/games.py [--rounds 5] [--json FILE]

Every round runs each program once; a row gives the median ratio of the rounds and their range, because machines
swing. Peers that are not installed are skipped and named. Targets are lower bounds unless marked "at most".
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import plypilot as pp
from peers import Peer, find_program

MIDDLE_GAME = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
SHOGI_DROPS = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"

Rate = Callable[[], float]
"""One round of a program: units a second (or seconds a unit, where a row says so)."""


@dataclass
class Row:
    """Ours beside a peer's, with the ratio that is promised."""

    game: str
    what: str
    unit: str
    peer: str
    target: float
    ours: Rate
    theirs: Rate


def perft_rate(game: str, depth: int, *, fen: str | None = None, bulk: bool = True) -> Rate:
    """Our nodes a second."""
    position = pp.Position(game, fen)

    def rate() -> float:
        started = time.perf_counter()
        return pp.perft(position, depth, bulk=bulk) / (time.perf_counter() - started)

    return rate


def call_rate(call: Callable[[], object], calls: int = 20_000) -> Rate:
    """Calls a second."""

    def rate() -> float:
        started = time.perf_counter()
        for _ in range(calls):
            call()
        return calls / (time.perf_counter() - started)

    return rate


def engine_rows(missing: list[str], peers: list[Peer]) -> list[Row]:
    """Perft beside Stockfish and Fairy-Stockfish, which both count the last ply in bulk."""
    rows: list[Row] = []

    def add(
        game: str, what: str, depth: int, fen: str | None, command: str, variant: str | None, theirs: int,
        position: str, target: float, bulk: bool = True,
    ) -> None:  # fmt: skip
        program = find_program(command)
        if program is None:
            missing.append(command)
            return
        peer = Peer([program], {"UCI_Variant": variant} if variant else {})
        peers.append(peer)
        ours = perft_rate(game, depth, fen=fen, bulk=bulk)
        rows.append(Row(game, what, "M nodes/s", command, target, ours, lambda: peer.perft(position, theirs)))

    add("chess", "perft, start", 6, None, "stockfish", None, 6, "startpos", 1.4)
    add("chess", "perft, middle game", 5, MIDDLE_GAME, "stockfish", None, 5, f"fen {MIDDLE_GAME}", 1.4)
    add("breakthrough", "perft, bulk", 7, None, "fairy-stockfish", "breakthrough", 5, "startpos", 20)
    add(
        "breakthrough",
        "perft, no bulk",
        6,
        None,
        "fairy-stockfish",
        "breakthrough",
        5,
        "startpos",
        4,
        bulk=False,
    )
    add("shogi", "perft, start", 5, None, "fairy-stockfish", "shogi", 4, "startpos", 10)
    add("shogi", "perft, drops", 4, SHOGI_DROPS, "fairy-stockfish", "shogi", 3, f"sfen {SHOGI_DROPS}", 10)
    return rows


def open_spiel_perft(pyspiel: ModuleType) -> Rate:
    """OpenSpiel's perft with the last ply in bulk. The Python loop costs one step in about forty nodes."""
    start = pyspiel.load_game("lines_of_action").new_initial_state()

    def perft(state: Any, depth: int) -> int:
        actions = state.legal_actions()
        return len(actions) if depth == 1 else sum(perft(state.child(action), depth - 1) for action in actions)

    def rate() -> float:
        started = time.perf_counter()
        return perft(start, 3) / (time.perf_counter() - started)

    return rate


def moves_row(game: str, fen: str, package: str, board: Any, target: float, calls: int) -> Row:
    """The list of legal moves, as a Python program gets it."""
    ours, theirs = call_rate(pp.Position(game, fen).moves), call_rate(lambda: list(board.legal_moves), calls)
    return Row(game, "moves() in Python", "M calls/s", package, target, ours, theirs)


def library_rows(missing: list[str]) -> list[Row]:
    """The rules beside Python packages."""

    def load(module: str, package: str) -> ModuleType | None:
        try:
            return import_module(module)
        except ImportError:
            missing.append(package)
            return None

    rows = []
    if pyspiel := load("pyspiel", "open_spiel"):
        spiel = open_spiel_perft(pyspiel)
        rows.append(Row("loa", "perft, bulk", "M nodes/s", "open_spiel", 15, perft_rate("loa", 5), spiel))
        ours = perft_rate("loa", 4, bulk=False)
        rows.append(Row("loa", "perft, no bulk", "M nodes/s", "open_spiel", 1, ours, spiel))
    if chess := load("chess", "chess"):
        rows.append(moves_row("chess", MIDDLE_GAME, "chess", chess.Board(MIDDLE_GAME), 20, 2000))
    if cshogi := load("cshogi", "cshogi"):
        rows.append(moves_row("shogi", SHOGI_DROPS, "cshogi", cshogi.Board(SHOGI_DROPS), 1, 20_000))
    return rows


def push_pop_seconds(game: str) -> float:
    """Seconds of a push and a pop of a Move, each as half of the pair."""
    position = pp.Position(game)
    push, pop, move, calls = position.push, position.pop, position.moves()[0], 100_000
    started = time.perf_counter()
    for _ in range(calls):
        push(move)
        pop()
    return (time.perf_counter() - started) / calls / 2


def main() -> None:
    """Runs the rounds and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file")
    arguments = parser.parse_args()

    missing: list[str] = []
    peers: list[Peer] = []
    rows = engine_rows(missing, peers) + library_rows(missing)
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
    calls = {info.name: statistics.median(push_pop_seconds(info.name) for _ in range(5)) for info in pp.all_games()}

    figures = []
    print(f"\n{'game':13}{'what':21}{'ours':>9} {'unit':11}{'times':>8} {'range':>15}  {'target':>6}  peer")
    for row, mine, ratio in zip(rows, ours, ratios, strict=True):
        middle, low, high = statistics.median(ratio), min(ratio), max(ratio)
        rate = statistics.median(mine) / 1e6
        verdict = "met" if middle >= row.target else "not met"
        print(
            f"{row.game:13}{row.what:21}{rate:9.2f} {row.unit:11}{middle:8.1f} {low:7.1f}-{high:<7.1f}  "
            f"{row.target:6g}  {row.peer}: {verdict}"
        )
        figures.append(
            {"game": row.game, "what": row.what, "rate": rate, "unit": row.unit, "peer": row.peer,
             "ratio": middle, "ratios": ratio, "target": row.target, "verdict": verdict}
        )  # fmt: skip
    print(f"\n{'game':13}push or pop of a Move in Python (at most 0.3 microseconds)")
    for game, seconds in calls.items():
        print(f"{game:13}{seconds * 1e6:.3f} microseconds: {'met' if seconds < 0.3e-6 else 'not met'}")
    for name in sorted(set(missing)):
        print(f"skipped, not installed: {name}")
    if arguments.json:
        versions = {"plypilot": pp.__version__, "python": platform.python_version()}
        for package in ("chess", "cshogi", "open_spiel"):
            if package not in missing:
                versions[package] = metadata.version(package)
        found = {
            "rounds": arguments.rounds, "cores": os.cpu_count(), "versions": versions, "skipped": sorted(set(missing)),
            "rows": figures, "push_pop_microseconds": {game: s * 1e6 for game, s in calls.items()},
        }  # fmt: skip
        arguments.json.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
