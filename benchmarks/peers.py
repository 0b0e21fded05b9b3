"""Other programs to be measured beside ours, spoken to over UCI and kept running between rounds."""

from __future__ import annotations

import shutil
import subprocess
import time


def find_program(name: str) -> str | None:
    """A program on the path, or where Debian puts games."""
    return shutil.which(name) or shutil.which(name, path="/usr/games")


class Peer:
    """A program that speaks UCI or USI."""

    def __init__(self, command: list[str], options: dict[str, str] | None = None) -> None:
        """Starts it and sets its options."""
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1
        )
        self.send("uci")
        for name, value in (options or {}).items():
            self.send(f"setoption name {name} value {value}")

    def send(self, line: str) -> None:
        """One line to its input."""
        assert self.process.stdin
        self.process.stdin.write(line + "\n")

    def wait_for(self, word: str) -> list[str]:
        """The lines up to the first one that begins with a word, that one included."""
        assert self.process.stdout
        lines = []
        while line := self.process.stdout.readline():
            lines.append(line)
            if line.startswith(word):
                return lines
        raise RuntimeError(f"{self.process.args!r} ended before it said {word!r}")

    def set_position(self, position: str) -> None:
        """Makes it ready to search from `startpos`, `fen ...` or `sfen ...`, with an empty table."""
        self.send("ucinewgame")
        self.send(f"position {position}")
        self.send("isready")
        self.wait_for("readyok")

    def perft(self, position: str, depth: int) -> float:
        """Nodes a second of `go perft`."""
        self.set_position(position)
        started = time.perf_counter()
        self.send(f"go perft {depth}")
        nodes = int(self.wait_for("Nodes searched")[-1].split()[-1])
        return nodes / (time.perf_counter() - started)

    def search(self, position: str, how: str) -> tuple[int, float]:
        """Nodes and seconds of a search such as `movetime 1000` or `depth 10`."""
        self.set_position(position)
        started = time.perf_counter()
        self.send(f"go {how}")
        lines = self.wait_for("bestmove")
        seconds = time.perf_counter() - started
        nodes = 0
        for line in lines:
            words = line.split()
            if "nodes" in words[:-1]:
                nodes = max(nodes, int(words[words.index("nodes") + 1]))
        return nodes, seconds

    def close(self) -> None:
        """Ends the program."""
        self.send("quit")
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
