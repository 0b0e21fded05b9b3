"""What commands share: JSON, tables, a progress bar that is there on a terminal only, and a line that tells how far."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Self

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table

GameName = Annotated[str, typer.Argument(metavar="GAME", help="chess, loa, breakthrough[-6x6], shogi or module:Class.")]
Fen = Annotated[str | None, typer.Option("--fen", metavar="S", help="A position string instead of the start.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def print_json(value: object) -> None:
    """Prints a value as JSON."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def console() -> Console:
    """Where tables go. A pipe has no width: no table is cut or wrapped there."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 400)


def table(*columns: str) -> Table:
    """A table without lines."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, overflow="fold")
    return made


@contextmanager
def progress() -> Iterator[Progress]:
    """A bar on a terminal, nothing in a pipe."""
    from rich.console import Console
    from rich.progress import Progress

    errors = Console(stderr=True)
    hidden = not errors.is_terminal or os.environ.get("TERM") == "dumb"
    with Progress(console=errors, transient=True, disable=hidden) as bar:
        yield bar


class Ticker:
    """How far a long command is: one line that changes on a terminal, a plain line now and then in a pipe."""

    TERMINAL_SECONDS = 0.1
    PIPE_SECONDS = 10.0

    def __init__(self) -> None:
        self._live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._told = time.monotonic()
        self._shown = ""

    def tell(self, line: Callable[[], str]) -> None:
        """Shows a line, unless one was shown just before; it is made only when it is shown."""
        now = time.monotonic()
        if now - self._told < (self.TERMINAL_SECONDS if self._live else self.PIPE_SECONDS):
            return
        self._told = now
        if not self._live:
            print(line(), file=sys.stderr, flush=True)
            return
        text = line()[: shutil.get_terminal_size().columns - 1]
        print(f"\r{text.ljust(len(self._shown))}", end="", file=sys.stderr, flush=True)
        self._shown = text

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            print("\r" + " " * len(self._shown) + "\r", end="", file=sys.stderr, flush=True)
