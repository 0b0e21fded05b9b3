"""Lines that a person types: with Tab completion on a terminal, echoed in a pipe; and what Ctrl-C does meanwhile."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from plypilot.sitting.typed_move import printable

Completions = Callable[[str, str], list[str]]
"""From the word that is being typed and what stands before it on the line: the words it may become."""


def ask(prompt: str, completions: Completions) -> str:
    """The next line. A pipe shows it as well, so that what comes out reads as a game. Raises EOFError."""
    if sys.stdin.isatty():
        _set_completion(completions)
        return input(prompt)
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    print(printable(line.rstrip("\r\n")), flush=True)
    return line


@contextmanager
def handling_interrupts(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Ctrl-C calls the handler. Only the main thread hears of it at all."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _set_completion(completions: Completions) -> None:
    """Tab completes, where this Python has readline."""
    try:
        import readline
    except ImportError:
        return

    def complete(text: str, number: int) -> str | None:
        words = completions(text, readline.get_line_buffer()[: readline.get_begidx()].strip())
        return f"{words[number]} " if number < len(words) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" \t\n")
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
