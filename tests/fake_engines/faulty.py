"""An engine that moves a knight to and fro, until it does something wrong: ``faulty.py FAULT [MOVE [FILE]]``.

FAULT is one of the functions below, or none. It is done in the MOVE-th ``go`` of the process, the first if not given.
What the engine reads is written to FILE. It imports next to nothing, so that it starts quickly.
"""

import os
import signal
import sys
import time

OPTIONS = """\
id name Faulty 1.0
option name Hash type spin default 16 min 1 max 64
option name OwnBook type check default true
option name NullMove Pruning type combo default Always var Always var Fail High var Never
option name Book File type string default some default book.bin
option name Clear Hash type button"""
OFFERS = {"variants": "option name UCI_Variant type combo default chess var chess var breakthrough var shogi"}
OFFERS["chess960"] = "option name UCI_Chess960 type check default false"


def say(text: str) -> None:
    os.write(1, text.encode() + b"\n")


def sleep_on() -> None:
    while True:
        time.sleep(60)


def crash() -> None:
    os.write(2, b"starting up\nassertion failed: depth > 0\n\n")
    sys.exit(3)


def segfault() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def leave() -> None:
    sys.exit(0)


def stall() -> None:
    os.write(2, b"deadlock ahead\n")
    sleep_on()


def talk_only() -> None:
    say("info depth 1 score cp 10")
    say("the best move is e2e4")
    sleep_on()


def illegal() -> None:
    say("bestmove e2e5")


def malformed() -> None:
    os.write(1, b"bestmove \xff\x00\x1b[31m" + b"x" * 500 + b"\n")


def flood() -> None:
    line = b"info depth 1 score cp 10 pv e2e4 e7e5\n" * 1000
    while True:
        os.write(1, line)


def flood_without_lines() -> None:
    while True:
        os.write(1, b"x" * 65536)


def flood_errors() -> None:
    while True:
        os.write(2, b"oops\n" * 10000)


def flood_then_move() -> None:
    for _ in range(200):
        os.write(1, b"info depth 1 score cp 10 pv e2e4 e7e5\n" * 1000)
        os.write(2, b"chatter\n" * 1000)
    say("bestmove " + moves.pop(0))


def garbage_then_move() -> None:
    os.write(1, bytes(range(256)) * 400 + b"\nbestmov\n\n\x00\nbestmovee2e4\n\xff\xfe bestmove a1a8\n")
    say("info depth x score cp\ninfo score mate\ninfo nodes 99999999999999999999999 score cp 1e9")
    say("info depth 3 score cp 21 nodes 1234 pv g1f3\r\nbestmove " + moves.pop(0) + " ponder e7e5\r")


def slow() -> None:
    time.sleep(0.3)
    say("bestmove " + moves.pop(0))


def two_answers() -> None:
    say("bestmove " + moves.pop(0) + "\nbestmove a1a8")


def close_output() -> None:
    os.close(1)
    sleep_on()


def leave_child() -> None:
    if os.fork() == 0:
        sleep_on()  # holds the pipes of its parent open
    sys.exit(4)


def resign() -> None:
    say("bestmove resign")


def win() -> None:
    say("bestmove win")


def no_move() -> None:
    say("bestmove")


def none() -> None:
    say("bestmove (none)")


def null_move() -> None:
    say("bestmove 0000")


def castle() -> None:
    say("bestmove e1h1")


def castle_by_letters() -> None:
    say("bestmove O-O")


def promote() -> None:
    say("bestmove a7a8Q")


def promote_with_sign() -> None:
    say("bestmove a7b8=n")


def two_squares() -> None:
    say("bestmove a2a3")


def endless_nodes() -> None:
    say("info depth 4 score cp 1 nodes 900")
    say("info depth 5 score cp 2 nodes 1100")
    for line in sys.stdin:
        if line.strip() == "stop":
            say("bestmove " + moves.pop(0))
            return


def tell() -> None:
    say("info depth 7 score " + os.environ["FAKE_SCORE"] + " nodes 42 pv g1f3")
    say("bestmove " + moves.pop(0))


fault, number = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
log = open(sys.argv[3], "a", buffering=1) if len(sys.argv) > 3 else None  # noqa: SIM115, PTH123
moves: list[str] = []
asked = 0
if fault == "exit_at_start":
    os.write(2, b"cannot open network.bin\n")
    sys.exit(1)
if fault == "deaf":
    sleep_on()
while line := sys.stdin.readline():
    if log:
        log.write(line)
    words = line.split()
    match words:
        case ["uci" | "usi"]:
            if fault == "no_uciok":
                say("id name Silent")
                sleep_on()
            say(OPTIONS)
            if fault in OFFERS:
                say(OFFERS[fault])
            say(words[0] + "ok")
        case ["isready"]:
            if fault == "never_ready" and asked >= number:
                sleep_on()
            say("readyok")
        case ["position", *_]:
            side = len(words[words.index("moves") + 1 :]) if "moves" in words else 0
            there, back = (("g1f3", "f3g1"), ("g8f6", "f6g8"))[side % 2]
            moves = [there if side // 2 % 2 == 0 else back]
        case ["go", *_]:
            asked += 1
            if fault in globals() and asked == number:
                globals()[fault]()
            else:
                say("bestmove " + moves.pop(0))
        case ["quit"] if fault != "will_not_quit":
            break
