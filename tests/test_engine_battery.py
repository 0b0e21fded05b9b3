"""Random and mutated protocol lines: no crash, no hang, one answer to each go, and isready answered all the while."""

from __future__ import annotations

import random
import re

import pytest

import plypilot as pp
from conftest import SOAK
from engine_session import Session

LINES = 100_000 if SOAK else 2_000
LINES_A_READY = 20
LARGEST_HASH = 64
"""In MB: what the battery asks for must fit beside other tests."""

NUMBERS = ["0", "1", "2", "3", "7", "50", "100", "-1", "+5", "1e9", "99999999999999999999999", "0x10", "", "NaN", "٣"]
OPTIONS = [
    "Hash", "USI_Hash", "Threads", "MultiPV", "Ponder", "Pilot", "Clear Hash", "Clear_Hash", "Move Overhead",
    "UCI_Chess960", "UCI_AnalyseMode", "UCI_Variant", "Nonsense", "",
]  # fmt: skip
VALUES = [*NUMBERS, "true", "false", "chess", "loa", "breakthrough", "baseline", "plain", "/dev/null", "no.pilot", "."]
GO_WORDS = [
    "depth", "nodes", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "byoyomi", "mate", "infinite",
    "ponder", "searchmoves", "e2e4", "7g7f", "foo",
]  # fmt: skip
FENS = {
    "uci": [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
        "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b",
        "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w",
        "7k/5Q2/8/8/8/8/8/K7 b - - 0 1",
    ],
    "usi": [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
        "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
    ],
}


def random_line(rng: random.Random, protocol: str) -> bytes:
    """A line of the protocol, right or wrong, and then perhaps mutated. Never one that ends the engine."""
    game = "chess" if protocol == "uci" else "shogi"
    kind = rng.randrange(12)
    if kind <= 2:
        line = f"setoption name {rng.choice(OPTIONS)} value {rng.choice(VALUES)}"
    elif kind <= 4:
        words = [f"{rng.choice(GO_WORDS)} {rng.choice(NUMBERS)}" for _ in range(rng.randrange(4))]
        line = " ".join(["go", *words])
    elif kind <= 6:
        position = pp.Position(game)
        for _ in range(rng.randrange(60)):
            if position.outcome() is None:
                position.push(rng.choice(position.moves()))
        line = f"position startpos moves {' '.join(map(str, position.played))}"
    elif kind == 7:
        line = f"position {rng.choice(['fen', 'sfen'])} {rng.choice(FENS[protocol])}"
    elif kind == 8:
        line = rng.choice(
            [protocol, f"{protocol}newgame", "ponderhit", "stop", "debug on", "register later", "gameover"]
        )
    elif kind == 9:
        line = rng.choice(["stop", "ponderhit", "go depth 2", "go nodes 500", "go infinite", "go ponder movetime 5"])
    elif kind == 10:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(80))).replace(b"\n", b"")
    else:
        line = " ".join(["position startpos moves", *["e2e4"] * rng.choice([1, 5_000, 30_000])])
    text = bytearray(line.encode())
    if rng.random() < 0.4:
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(text) + 1)
            match rng.randrange(4):
                case 0:
                    text[at : at + 1] = b""
                case 1:
                    text[at:at] = bytes([rng.randrange(256)])
                case 2:
                    text[at:at] = text[: rng.randrange(20)]
                case 3:
                    text = text[:at]
    return bytes(text).replace(b"\n", b" ")


def is_sendable(line: bytes) -> bool:
    """Not quit, and no table that would take the memory of other tests."""
    text = line.decode("utf-8", "replace")
    if text.split()[:1] == ["quit"]:
        return False
    hashes = re.findall(r"hash.*?value\s+\+?(\d+)", text, re.IGNORECASE)
    return all(int(number[:9]) <= LARGEST_HASH for number in hashes)


@pytest.mark.parametrize("protocol", ["uci", "usi"])
def test_no_line_of_another_program_stops_it(protocol: str) -> None:
    rng = random.Random(f"battery {protocol}")
    batches: list[float] = []
    waits: list[float] = []
    asked = answered = sent = 0
    with Session(protocol) as session:
        session.ask(protocol, f"{protocol}ok")
        while sent < LINES // 2:
            lines = [line for line in (random_line(rng, protocol) for _ in range(LINES_A_READY)) if is_sendable(line)]
            sent += len(lines)
            asked += sum(_asks_for_a_move(line, protocol) for line in lines)
            asked_ready = sum(line.split()[:1] == [b"isready"] for line in lines)
            # Once right behind the lines, which it has to obey first, and once while whatever they began goes on.
            for times, count in ((batches, asked_ready + 1), (waits, 1)):
                ready = session.send(*lines, "isready")
                lines = []
                while count:
                    came, line = session.read()
                    assert line != "<end>", session.errors.decode()
                    answered += line.startswith("bestmove")
                    count -= line == "readyok"
                times.append(came - ready)
        # It still plays.
        start = ["setoption name UCI_Variant value chess", "setoption name MultiPV value 1"]
        said = session.ask("stop\n" + "\n".join(start) + "\nposition startpos\nisready", "readyok")
        answered += sum(line.startswith("bestmove") for line in said)
        assert answered == asked
        move = session.ask("go depth 3", "bestmove")[-1].split()[1]
        pp.Position("chess" if protocol == "uci" else "shogi").push(move.replace("e1h1", "e1g1"))
        assert session.close() == 0
        assert session.errors == b""
    print(f"{protocol}: {sent} lines, {asked} searches; isready answered {_spread(waits)}")
    print(f"  right behind {LINES_A_READY} lines {_spread(batches)}")
    assert sorted(waits)[len(waits) // 2] < 0.1  # busy machines make a few of them wait


def _spread(seconds: list[float]) -> str:
    times = [1000 * each for each in sorted(seconds)]
    late = sum(each > 100 for each in times)
    return (
        f"{len(times)} times: median {times[len(times) // 2]:.1f} ms, 99% {times[len(times) * 99 // 100]:.1f} ms, "
        f"longest {times[-1]:.1f} ms, {late} over 100 ms"
    )


def _asks_for_a_move(line: bytes, protocol: str) -> bool:
    words = line.decode("utf-8", "replace").split()
    if words[:1] != ["go"] or len(line) > 1 << 16:
        return False
    return not (protocol == "usi" and words[1:2] == ["mate"])


def test_thousands_of_options_do_not_slow_it() -> None:
    with Session("uci") as session:
        session.ask("uci", "uciok")
        session.send("position startpos", "go infinite", "stop")
        session.send(*[f"setoption name Hash value {number % 64 + 1}" for number in range(5000)])
        session.read_until("bestmove")
        assert session.ready_seconds() < 5
        session.ask("go depth 2", "bestmove")
        assert session.close() == 0


def test_a_table_larger_than_the_memory_is_cut_down_and_made_at_once() -> None:
    with Session("uci") as session:
        session.ask("uci", "uciok")
        session.send("setoption name Hash value 99999999")
        assert "Hash is" in session.ask("isready", "readyok")[0]
        assert session.ready_seconds() < 5
        session.send("position startpos", "go depth 1")
        session.read_until("bestmove")
        assert session.close() == 0
