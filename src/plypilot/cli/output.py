"""What commands share: JSON, tables, a progress bar that is there on a terminal only, and a line that tells how far."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Self

import typer

from plypilot.bounds import LARGEST_SEED
from plypilot.cli.help import complete_game

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.progress import Progress
    from rich.table import Table

    from plypilot.sections import Section

GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME", help="chess, loa, breakthrough[-6x6], shogi or module:Class.", autocompletion=complete_game
    ),
]
Fen = Annotated[str | None, typer.Option("--fen", metavar="S", help="A position string instead of the start.")]
Seed = Annotated[
    int, typer.Option("--seed", min=0, max=LARGEST_SEED, metavar="N", help="Decides all that is left to chance.")
]
STOPPED = 130
"""The exit status of a command that Ctrl-C ended."""
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


def print_section(section: Section) -> None:
    """What a terminal can show of a section: its words and tables. Nothing where it has only drawings."""
    from rich.markup import escape

    from plypilot.sections import Beside, Note, Table, Verbatim

    if not any(isinstance(block, str | Note | Verbatim | Table | Beside) for block in section.blocks):
        return
    print(f"\n{section.title}")
    for block in section.blocks:
        match block:
            case str() | Note():
                print(f"  {block.text if isinstance(block, Note) else block}")
            case Verbatim(text):
                print(indent(text, "  "))
            case Table() | Beside():
                for shown in block.tables if isinstance(block, Beside) else (block,):
                    rows = table(*(f"  {escape(column)}" for column in shown.columns))
                    for cells in shown.rows:
                        rows.add_row(*(f"  {escape(cell)}" for cell in cells))
                    console().print(rows)


@contextmanager
def progress() -> Iterator[Progress]:
    """A bar on a terminal, nothing in a pipe."""
    from rich.console import Console
    from rich.progress import Progress

    errors = Console(stderr=True)
    hidden = not errors.is_terminal or os.environ.get("TERM") == "dumb"
    with Progress(console=errors, transient=True, disable=hidden) as bar:
        yield bar


def duration(seconds: float) -> str:
    """Hours, minutes and seconds: ``1:02:03`` or ``2:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class TimeLeft:
    """How long the rest of something counted will take, by the rate since this process began with it."""

    def __init__(self, total: int) -> None:
        """What was there before is counted where the first of the process is told."""
        self._total = total
        self._began: float | None = None
        self._before = 0

    def begin(self, done: int) -> None:
        """From here on it is the work of this process."""
        self._began, self._before = time.monotonic(), done

    def text(self, done: int) -> str:
        """So many of all, and the time left."""
        counted = f"{done} of {self._total}"
        if self._began is None or done <= self._before:
            return counted
        left = (time.monotonic() - self._began) / (done - self._before) * (self._total - done)
        return f"{counted}, {duration(left)} left"


def command_again(*more: str) -> str:
    """This command as it was typed, with words added that are not in it yet."""
    words = ["plypilot", *sys.argv[1:]]
    return shlex.join([*words, *(word for word in more if word not in words)])


class Ticker:
    """How far a long command is: one line that changes on a terminal, a plain line now and then in a pipe."""

    TERMINAL_SECONDS = 0.1
    PIPE_SECONDS = 10.0

    def __init__(self) -> None:
        self._live: Live | None = None
        self._told = time.monotonic()

    def tell(self, line: Callable[[], str]) -> None:
        """Shows a line, unless one was shown just before; it is made only when it is shown."""
        now = time.monotonic()
        if now - self._told < (self.PIPE_SECONDS if self._live is None else self.TERMINAL_SECONDS):
            return
        self._told = now
        if self._live is None:
            print(line(), file=sys.stderr, flush=True)
        else:
            from rich.text import Text

            self._live.update(Text(line(), no_wrap=True, overflow="ellipsis"), refresh=True)

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
