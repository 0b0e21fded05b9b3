"""Speed of the search beside other programs, one thread, in interleaved rounds of one run.

    python benchmarks/search.py [--rounds 5] [--json FILE]

Rates count different nodes in different programs, so time to a depth is given too. A row is the median ratio of the
rounds and their range. Peers that are not installed are skipped and named.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

import plypilot as pp
from peers import Peer
from plypilot.games import game_info
from plypilot.networks import ValueNetwork
from plypilot.searcher import Limit, Searcher
from plypilot.settings import Evaluation
from rounds import Bench, Row, read_arguments

MOST_MEGABYTES = 80
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


def rate_of(pilot: pp.Pilot, fens: list[str | None]) -> Callable[[], float]:
    """Our nodes a second over some positions."""
    searcher = Searcher(pilot)

    def rate() -> float:
        nodes, seconds = 0, 0.0
        for fen in fens:
            searcher.clear()
            result = searcher.search(pp.Position(pilot.game, fen), Limit(seconds=SECONDS))
            nodes, seconds = nodes + result.nodes.all, seconds + result.seconds
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


def add_rows(bench: Bench) -> None:
    """All comparisons whose peers are there."""
    fens = [f"fen {fen}" for fen in CHESS]
    chess = pp.Pilot.baseline("chess")
    for command, options in ((["gnuchess", "--uci"], {"Hash": "16"}), (["glaurung"], {"Hash": "16", "Threads": "1"})):
        if peer := bench.start(command, options):
            ours = rate_of(chess, list(CHESS))
            bench.rows.append(Row("chess", "middle games", "nodes/s", command[0], 1.3, ours, peer_rate(peer, fens)))
    if peer := bench.start(["toga2"], {"Hash": "16"}):
        ours, theirs = depth_speed(chess, CHESS, 10), peer_depth_speed(peer, fens, 10)
        bench.rows.append(Row("chess", "time to depth 10", "1/s", "toga2", 3, ours, theirs))
    for game, target in (("breakthrough", 15.0), ("shogi", 4.0)):
        if peer := bench.start(["fairy-stockfish"], {"UCI_Variant": game, "Hash": "16", "Threads": "1"}):
            ours, theirs = rate_of(pp.Pilot.baseline(game), [None]), peer_rate(peer, ["startpos"])
            bench.rows.append(Row(game, "start", "nodes/s", "fairy-stockfish", target, ours, theirs))
    for pilot, what, target in (
        (pp.Pilot.baseline("loa"), "full evaluation", 12.0),
        (pp.Pilot.plain("loa", "material").replace({"search.window.kind": "pvs"}), "plain", 30.0),
    ):
        ours = rate_of(pilot, [None])
        bench.rows.append(Row("loa", what, "nodes/s", "open_spiel, stated", target, ours, lambda: OPEN_SPIEL_LEAVES))


def with_random_weights(game: str, units: int = 0) -> pp.Pilot:
    """The baseline's search with weights on material and half board, or with a network over the latter."""
    rng = np.random.default_rng(1)
    sizes = {feature_set.name: len(feature_set.features) for feature_set in game_info(game).feature_sets}
    if units:
        shapes = {"hidden": (sizes["half_board"], units), "hidden_bias": units, "output": (units, 1)}
        network = ValueNetwork(set="half_board", **{name: rng.normal(0, 0.3, shape) for name, shape in shapes.items()})
        evaluation = Evaluation(kind="network", network=network)
    else:
        weights = {
            "material": 100 + 100 * np.arange(sizes["material"]),
            "half_board": rng.normal(0, 8, sizes["half_board"]),
        }
        evaluation = Evaluation.linear(game, weights)
    return pp.Pilot.baseline(game).model_copy(update={"evaluation": evaluation})


def add_evaluation_rows(bench: Bench) -> None:
    """Evaluations that are kept while pieces move, beside the hand-set ones in the same search."""
    for game, what, units, target in (
        ("chess", "material, half board", 0, 1.2),
        ("breakthrough", "network of 40 units", 40, 0.5),
        ("loa", "network of 40 units", 40, 0.8),
    ):
        fens: list[str | None] = list(CHESS) if game == "chess" else [None]
        ours, theirs = rate_of(with_random_weights(game, units), fens), rate_of(pp.Pilot.baseline(game), fens)
        bench.rows.append(Row(game, what, "nodes/s", "own baseline", target, ours, theirs))


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


def show_memory() -> dict[str, float]:
    """What a search needs besides its table."""
    memory = memory_over_table()
    verdict = "met" if memory <= MOST_MEGABYTES else "not met"
    print(f"resident memory besides the table: {memory:.0f} MB (at most {MOST_MEGABYTES}): {verdict}")
    return {"memory_over_table_mb": memory}


def main() -> None:
    """Runs the rounds and prints the table."""
    arguments = read_arguments(__doc__)
    bench = Bench()
    add_rows(bench)
    add_evaluation_rows(bench)
    bench.run(arguments, show_memory)


if __name__ == "__main__":
    main()
