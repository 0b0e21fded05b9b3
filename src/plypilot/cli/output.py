"""What commands share: JSON, tables, and a progress bar that is there on a terminal only."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

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
