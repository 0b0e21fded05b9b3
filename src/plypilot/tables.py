"""Rows of text as a table for a terminal or a notebook: what results show when they are printed."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_CELL = "text-align: left; padding: .1em .8em .1em 0"


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their cells; the first row names them.

    >>> print(text_table([["player", "score"], ["one", "2"]]))
    player  score
    one     2
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def html_table(rows: Sequence[Sequence[str]], *, caption: str = "") -> str:
    """The same for a notebook, which brings its own colours."""
    title = f'<caption style="text-align: left">{escape(caption)}</caption>' if caption else ""
    first, *others = rows
    made = [_row(first, "th"), *(_row(row, "td") for row in others)]
    return f"<table>{title}{''.join(made)}</table>"


def _row(cells: Sequence[str], tag: str) -> str:
    return "<tr>" + "".join(f'<{tag} style="{_CELL}">{escape(cell)}</{tag}>' for cell in cells) + "</tr>"
