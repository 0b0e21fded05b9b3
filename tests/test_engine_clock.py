"""Time keeping as a referee sees it: from the moment ``go`` is written to the moment ``bestmove`` has been read."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

import plypilot as pp
from conftest import SOAK
from engine_session import PLYPILOT
from plypilot.networks import Policy
from plypilot.settings import Timing

SECONDS, INCREMENT = 0.2, 0.002


@dataclass
class Tally:
    moves: int = 0
    losses: int = 0
    games: int = 0
    slowest: float = 0.0
    least_left: float = SECONDS
    over: list[float] = field(default_factory=list)


class Player:
    """An engine read without threads, so that the referee adds as little as it can to the times."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.process = subprocess.Popen([PLYPILOT, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ask(f"{words[0]}\n", f"{words[0]}ok")

    def ask(self, lines: str, answer: str) -> str:
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(lines.encode())
        stdin.flush()
        for line in stdout:
            if line.startswith(answer.encode()):
                return line.decode()
        raise AssertionError(f"ended before {answer}")

    def close(self) -> None:
        self.process.communicate(b"quit\n", timeout=30)


def play(words: tuple[str, ...], game: str, moves: int) -> Tally:
    """Games of an engine against itself until so many moves were made. After a loss on time the game goes on anew."""
    tally = Tally()
    players = [Player(words), Player(words)]
    protocol, letters = words[0], "wb" if words[0] == "uci" else "bw"
    while tally.moves < moves:
        tally.games += 1
        position = pp.Position(game)
        position.push(position.moves()[tally.games % len(position.moves())])  # games differ
        clocks = [SECONDS, SECONDS]
        for player in players:
            player.ask(f"{protocol}newgame\nisready\n", "readyok")
        while position.outcome() is None and position.ply < 400 and tally.moves < moves:
            side = position.turn
            times = " ".join(
                f"{letter}time {max(int(clock * 1000), 0)} {letter}inc {int(INCREMENT * 1000)}"
                for letter, clock in zip(letters, clocks, strict=True)
            )
            played = " ".join(map(str, position.played))
            started = time.perf_counter()
            answer = players[side].ask(f"position startpos moves {played}\ngo {times}\n", "bestmove")
            spent = time.perf_counter() - started
            tally.moves += 1
            tally.slowest = max(tally.slowest, spent)
            clocks[side] -= spent
            tally.least_left = min(tally.least_left, clocks[side])
            if clocks[side] < 0:
                tally.losses += 1
                tally.over.append(-clocks[side])
                break
            clocks[side] += INCREMENT
            position.push(answer.split()[1])
    for player in players:
        player.close()
    return tally


BUSY = """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(print(time.process_time())))
print("busy", flush=True)
while True: pass
"""


@contextmanager
def busy_processes(count: int) -> Iterator[list[float]]:
    """Processes that do nothing but compute; the list holds the processor seconds of each once they have ended."""
    processes = [
        subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE, text=True) for _ in range(count)
    ]
    seconds: list[float] = []
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "busy\n"
        yield seconds
    finally:
        for process in processes:
            process.terminate()
        seconds += [float(process.communicate(timeout=30)[0]) for process in processes]


def greedy(game: str, folder: Path) -> str:
    """A pilot whose policy always goes on: nothing but the guard ends its searches."""
    policy = Policy(
        game=game, function="linear", seen=("bank",), direct=np.zeros((1, 1), np.float32), output_bias=np.ones(1)
    )
    timing = Timing(rule="learned", policy=policy, most_share=1.0)
    path = folder / "greedy.pilot"
    pp.Pilot.baseline(game).model_copy(update={"timing": timing}).save(path)
    return str(path)


@pytest.mark.parametrize("timing", ["usual", "greedy"])
@pytest.mark.parametrize(("protocol", "game"), [("uci", "chess"), ("usi", "shogi")])
def test_the_clock_is_kept_under_load(protocol: str, game: str, timing: str, tmp_path: Path) -> None:
    # The promise: at most 1 loss in 2,000 moves at 0.2 s + 0.002 s a move beside 2 busy processes.
    words = (protocol,) if timing == "usual" else (protocol, "--pilot", greedy(game, tmp_path))
    with busy_processes(2) as busy:
        tally = play(words, game, 2000 if SOAK else 150)
    print(
        f"{game}: {tally.moves} moves, {tally.games} games, {tally.losses} lost on time "
        f"(by {', '.join(f'{over * 1000:.0f} ms' for over in tally.over) or 'nothing'}), "
        f"slowest move {tally.slowest * 1000:.0f} ms, least left {tally.least_left * 1000:.0f} ms, "
        f"beside {sum(busy):.1f} s of computing"
    )
    assert tally.moves >= 150
    assert tally.losses <= 1
    assert min(busy) > 0.1, "the load must have been there"
