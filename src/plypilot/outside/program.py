"""An outside program that is spoken to in lines: its process and its pipes. It knows no protocol and starts no thread.

POSIX only: pipes are polled, and the program leads a process group of its own, so that what it started ends with it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
import weakref
from collections import deque
from collections.abc import Sequence
from math import ceil

from plypilot.play.player import PlayerFault

_CHUNK = 1 << 16
"""Bytes read at a time. Nothing more is read while a line of the last chunk waits, so that is all that piles up."""
_LONGEST_LINE = 1 << 16
"""Longer ones are cut; the longest that means something is a principal variation."""
_STDERR_KEPT = 4096
_LONGEST_QUOTE = 200
_GLANCE_SECONDS = 0.25
"""How often a silent program is looked at: it may be gone while a child of it holds its pipes open."""
_QUIT_SECONDS = 0.5
"""What a program gets to end by itself before it is killed."""
_KILL_SECONDS = 5.0


class Deadline:
    """A moment that lies so many seconds ahead when it is made."""

    def __init__(self, seconds: float) -> None:
        """Sets it, from now on."""
        self.seconds = seconds
        self._at = time.monotonic() + seconds

    def sooner(self, seconds: float) -> Deadline:
        """The sooner one of this and another from now on."""
        other = Deadline(seconds)
        return self if self._at < other._at else other

    def left(self) -> float:
        """The seconds left, 0 where it has passed."""
        return max(0.0, self._at - time.monotonic())


class Program:
    """A running program. Every wait has a deadline.

    Where the program is gone, ``send`` and ``read_line`` raise PlayerFault with the cause.
    """

    def __init__(self, command: Sequence[str]) -> None:
        """Starts it. Raises OSError where that cannot be done."""
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._in = self._process.stdin.fileno()
        self._out = self._process.stdout.fileno()
        self._err = self._process.stderr.fileno()
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        self._lines: deque[str] = deque()
        self._rest = b""
        """The beginning of a line whose end was not read yet."""
        self._stderr = b""
        self._open = {self._out, self._err}
        # Runs where nobody closes the program too, and when Python exits.
        self._end = weakref.finalize(self, _end, self._process, os.getpid())

    @property
    def pid(self) -> int:
        """Its process id, which is also that of its group."""
        return self._process.pid

    def quoting(self, cause: str) -> str:
        """A cause with the last line that the program wrote to standard error, where there is one."""
        lines = self._stderr.decode("utf-8", "replace").split("\n")
        printable = ("".join(each for each in line if each.isprintable()).strip() for line in reversed(lines))
        last = next((line for line in printable if line), "")
        return f'{cause}: "{last[:_LONGEST_QUOTE]}"' if last else cause

    def is_running(self) -> bool:
        """Whether it has neither ended nor been closed."""
        return self._end.alive and not self._has_exited()

    def send(self, line: str, deadline: Deadline) -> None:
        """Writes a line. Raises TimeoutError where it does not read, and PlayerFault where it is gone."""
        data = memoryview(line.encode() + b"\n")
        poll = select.poll()
        poll.register(self._in, select.POLLOUT)
        while data:
            try:
                data = data[os.write(self._in, data) :]
            except BlockingIOError:
                if not poll.poll(ceil(deadline.left() * 1000)) and not deadline.left():
                    raise TimeoutError from None
            except OSError:
                raise self._fault("closed its input") from None

    def read_line(self, deadline: Deadline) -> str:
        """The next line of its output, without its end. Raises TimeoutError, and PlayerFault where it is gone."""
        while deadline.left():
            if self._lines:
                return self._lines.popleft()
            if self._out not in self._open:
                raise self._fault("closed its output")
            if not self._read(min(deadline.left(), _GLANCE_SECONDS)) and self._has_exited():
                raise self._fault("closed its output")
        raise TimeoutError

    def skip_output(self) -> None:
        """Drops what it has written so far, as much as a pipe holds."""
        for _ in range(16):
            self._lines.clear()
            if not self._read(0):
                break
        self._lines.clear()

    def close(self) -> None:
        """Kills it and whatever it started, without asking, and frees its pipes. A second call does nothing."""
        self._end()

    def quit(self) -> None:
        """Closes it, after the time it gets to end by itself."""
        if self.is_running():
            with contextlib.suppress(TimeoutError, PlayerFault):
                deadline = Deadline(_QUIT_SECONDS)
                self.send("quit", deadline)
                while True:  # its last lines must not keep it from ending
                    self.read_line(deadline)
        self.close()

    def _read(self, seconds: float) -> bool:
        """Reads a chunk of what is there or comes in time; False where nothing comes."""
        poll = select.poll()
        for pipe in self._open:
            poll.register(pipe, select.POLLIN)
        ready = poll.poll(ceil(seconds * 1000))
        for pipe, _ in ready:
            try:
                chunk = os.read(pipe, _CHUNK)
            except BlockingIOError:
                continue
            if not chunk:
                self._open.discard(pipe)
            elif pipe == self._err:
                self._stderr = (self._stderr + chunk)[-_STDERR_KEPT:]
            else:
                *lines, rest = (self._rest + chunk).split(b"\n")
                self._lines.extend(line[:_LONGEST_LINE].decode("utf-8", "replace").strip() for line in lines)
                self._rest = rest[:_LONGEST_LINE]
        return bool(ready)

    def _has_exited(self) -> bool:
        """Whether it is gone. It is not reaped yet, so that its id stays its own until its group is killed."""
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def _fault(self, otherwise: str) -> PlayerFault:
        """What became of a program that cannot be spoken to any more: it is gone, or otherwise closed a pipe."""
        deadline = Deadline(_GLANCE_SECONDS)
        while self._open and self._read(deadline.left()) and deadline.left():
            self._lines.clear()  # only its last words count
        while not (exited := self._has_exited()) and deadline.left():
            time.sleep(0.005)
        self.close()
        return PlayerFault(self.quoting(f"crashed ({_status(self._process.returncode)})" if exited else otherwise))


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    if os.getpid() != owner:
        return  # a fork of this process ends, and the program is not that fork's own
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):  # what may not be killed (sudo) is left behind, not waited for
        process.wait(_KILL_SECONDS)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            with contextlib.suppress(OSError):
                pipe.close()


def _status(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
