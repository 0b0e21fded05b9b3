"""Lines that a person types: with Tab completion on a terminal, echoed in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable

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
