"""An engine as a program, as another program sees it: lines in, lines out, and when they came."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

PLYPILOT = Path(sys.executable).with_name("plypilot")
PATIENCE = 30.0
"""Seconds after which an engine hangs; machines that run tests are busy."""


class Session:
    """A running engine. Ends it when left, and then says how it ended."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [PLYPILOT, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._lines: queue.Queue[tuple[float, str]] = queue.Queue()
        self.errors = b""
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put((time.perf_counter(), line.decode().rstrip("\n")))
        self._lines.put((time.perf_counter(), "<end>"))

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.errors = self.process.stderr.read()

    def send(self, *lines: str | bytes) -> float:
        """Sends lines and tells when."""
        assert self.process.stdin is not None
        for line in lines:
            self.process.stdin.write((line.encode() if isinstance(line, str) else line) + b"\n")
        self.process.stdin.flush()
        return time.perf_counter()

    def read(self, patience: float = PATIENCE) -> tuple[float, str]:
        """The next line and when it came."""
        try:
            return self._lines.get(timeout=patience)
        except queue.Empty:
            raise AssertionError(f"no line within {patience} s") from None

    def read_until(self, start: str, patience: float = PATIENCE) -> list[str]:
        """Lines up to one that begins so."""
        lines = []
        until = time.perf_counter() + patience
        while True:
            _, line = self.read(max(until - time.perf_counter(), 0.001))
            lines.append(line)
            if line.startswith(start):
                return lines
            assert line != "<end>", f"ended before {start!r}: {lines[-5:]} {self.errors.decode()}"

    def ask(self, line: str, answer: str) -> list[str]:
        """Sends a line and reads up to its answer."""
        self.send(line)
        return self.read_until(answer)

    def ready_seconds(self) -> float:
        """How long isready takes to be answered; other lines that come in between are dropped."""
        sent = self.send("isready")
        while True:
            came, line = self.read()
            assert line != "<end>", self.errors.decode()
            if line == "readyok":
                return came - sent

    def close(self) -> int:
        """Sends quit, and waits for the end."""
        if self.process.poll() is None:
            with contextlib.suppress(BrokenPipeError):
                self.send("quit")
        return self.wait()

    def wait(self) -> int:
        """How it ended."""
        code = self.process.wait(PATIENCE)
        for thread in self._threads:
            thread.join(PATIENCE)
        return code

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
