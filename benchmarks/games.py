"""Speed of the rules beside other programs, one thread, in interleaved rounds of one run.

    python benchmarks/games.py [--rounds 5] [--json FILE]

Every round runs each program once; a row gives the median ratio of the rounds and their range, because machines
swing. Peers that are not installed are skipped and named. Targets are lower bounds unless marked "at most".
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import plypilot as pp
from rounds import Bench, Rate, Row, read_arguments

MIDDLE_GAME = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MOST_CALL_SECONDS = 0.3e-6
LOA_DEPTH = 4
SHOGI_DROPS = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"


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


def add_engine_rows(bench: Bench) -> None:
    """Perft beside Stockfish and Fairy-Stockfish, which both count the last ply in bulk."""

    def add(
        game: str, what: str, depth: int, fen: str | None, command: str, position: str, target: float, bulk: bool = True
    ) -> None:  # fmt: skip
        # Both count to the same depth: rates depend on it.
        if peer := bench.start([command], {"UCI_Variant": game} if command == "fairy-stockfish" else {}):
            ours = perft_rate(game, depth, fen=fen, bulk=bulk)
            bench.rows.append(Row(game, what, "nodes/s", command, target, ours, lambda: peer.perft(position, depth)))

    add("chess", "perft, start", 6, None, "stockfish", "startpos", 1.4)
    add("chess", "perft, middle game", 5, MIDDLE_GAME, "stockfish", f"fen {MIDDLE_GAME}", 1.4)
    add("breakthrough", "perft, bulk", 6, None, "fairy-stockfish", "startpos", 20)
    add("breakthrough", "perft, no bulk", 6, None, "fairy-stockfish", "startpos", 4, bulk=False)
    add("shogi", "perft, start", 5, None, "fairy-stockfish", "startpos", 10)
    add("shogi", "perft, drops", 3, SHOGI_DROPS, "fairy-stockfish", f"sfen {SHOGI_DROPS}", 10)


def open_spiel_perft(pyspiel: ModuleType) -> Rate:
    """OpenSpiel's perft with the last ply in bulk. The Python loop costs one step in about forty nodes."""
    start = pyspiel.load_game("lines_of_action").new_initial_state()

    def perft(state: Any, depth: int) -> int:
        actions = state.legal_actions()
        return len(actions) if depth == 1 else sum(perft(state.child(action), depth - 1) for action in actions)

    def rate() -> float:
        started = time.perf_counter()
        return perft(start, LOA_DEPTH) / (time.perf_counter() - started)

    return rate


def moves_row(game: str, fen: str, package: str, board: Any, target: float, calls: int) -> Row:
    """The list of legal moves, as a Python program gets it."""
    ours, theirs = call_rate(pp.Position(game, fen).moves), call_rate(lambda: list(board.legal_moves), calls)
    return Row(game, "moves() in Python", "calls/s", package, target, ours, theirs)


def add_library_rows(bench: Bench) -> None:
    """The rules beside Python packages."""

    def load(module: str, package: str) -> ModuleType | None:
        try:
            return import_module(module)
        except ImportError:
            bench.missing.add(package)
            return None

    if pyspiel := load("pyspiel", "open_spiel"):
        spiel = open_spiel_perft(pyspiel)
        for what, bulk, target in (("perft, bulk", True, 15), ("perft, no bulk", False, 1)):
            ours = perft_rate("loa", LOA_DEPTH, bulk=bulk)
            bench.rows.append(Row("loa", what, "nodes/s", "open_spiel", target, ours, spiel))
    if chess := load("chess", "chess"):
        bench.rows.append(moves_row("chess", MIDDLE_GAME, "chess", chess.Board(MIDDLE_GAME), 20, 2000))
    if cshogi := load("cshogi", "cshogi"):
        bench.rows.append(moves_row("shogi", SHOGI_DROPS, "cshogi", cshogi.Board(SHOGI_DROPS), 1, 20_000))


def push_pop_seconds(game: str) -> float:
    """Seconds of a push and a pop of a Move, each as half of the pair."""
    position = pp.Position(game)
    push, pop, move, calls = position.push, position.pop, position.moves()[0], 100_000
    started = time.perf_counter()
    for _ in range(calls):
        push(move)
        pop()
    return (time.perf_counter() - started) / calls / 2


def show_calls() -> dict[str, dict[str, float]]:
    """What a push or a pop costs in Python."""
    calls = {info.name: statistics.median(push_pop_seconds(info.name) for _ in range(5)) for info in pp.all_games()}
    for game, seconds in calls.items():
        verdict = "met" if seconds < MOST_CALL_SECONDS else "not met"
        print(f"{game:13}push or pop of a Move in Python: {seconds * 1e6:.3f} microseconds (at most 0.3): {verdict}")
    return {"push_pop_microseconds": {game: seconds * 1e6 for game, seconds in calls.items()}}


def main() -> None:
    """Runs the rounds and prints the tables."""
    arguments = read_arguments(__doc__)
    bench = Bench()
    add_engine_rows(bench)
    add_library_rows(bench)
    bench.run(arguments, show_calls)


if __name__ == "__main__":
    main()
