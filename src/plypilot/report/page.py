"""One self-contained HTML page: headings, sentences, tables, drawings. No script, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from plypilot.report.drawing import draw_bars, draw_boards, draw_diagrams, draw_lines, draw_shares, draw_small_lines
from plypilot.sections import (
    Bars,
    Beside,
    Boards,
    Diagrams,
    Lines,
    Note,
    Section,
    Shares,
    SmallLines,
    Steps,
    Table,
    Verbatim,
)

_STYLE = """
:root { color-scheme: light dark; --ink: #222; --quiet: #666; --paper: #fff; --line: #ddd; --box: #f5f5f5; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e4e4; --quiet: #a5a5a5; --paper: #181818; --line: #444; --box: #262626; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 64rem;
       margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; margin-bottom: 0; }
h2 { font-size: 1.25rem; margin-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: .2rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .3rem; }
p { max-width: 46rem; }
.quiet { color: var(--quiet); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .875rem; margin: .5rem 0 1rem; }
th, td { padding: .15rem .7rem .15rem 0; text-align: left; vertical-align: top; overflow-wrap: break-word; }
th { border-bottom: 1px solid var(--line); font-weight: 600; }
td.number, th.number { text-align: right; white-space: nowrap; }
.beside { display: flex; flex-wrap: wrap; gap: 0 2rem; }
.beside > div { max-width: 100%; }
figure { margin: 1rem 0; overflow-x: auto; }
figure svg { width: 100%; min-width: 36rem; height: auto; background: #fff; border-radius: .3rem; }
figcaption { color: var(--quiet); font-size: .85rem; }
pre { background: var(--box); padding: .6rem .8rem; overflow-x: auto; font-size: .85rem; }
.steps { columns: 15rem; }
.steps details { break-inside: avoid; }
.steps summary { cursor: pointer; }
pre.board { margin: .2rem 0 .6rem; line-height: 1.25; }
"""


class Page:
    """Collects the parts of a page; all text is escaped."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._parts: list[str] = []

    def heading(self, text: str, level: int = 2) -> None:
        """A heading."""
        self._parts.append(f"<h{level}>{escape(text)}</h{level}>")

    def say(self, text: str, *, quiet: bool = False) -> None:
        """A paragraph."""
        self._parts.append(f'<p class="quiet">{escape(text)}</p>' if quiet else f"<p>{escape(text)}</p>")

    def code(self, text: str) -> None:
        """Lines as they are typed."""
        self._parts.append(f"<pre>{escape(text)}</pre>")

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]], *, words: int = 1) -> None:
        """A table; its first columns, so many, hold words and the others numbers."""
        self._parts.append(_table(columns, rows, words))

    def tables(self, each: Iterable[tuple[str, Sequence[str], Iterable[Sequence[str]]]], *, words: int = 1) -> None:
        """Tables beside each other: title, columns, rows."""
        made = (
            "<div>" + (f"<h3>{escape(title)}</h3>" if title else "") + _table(columns, rows, words) + "</div>"
            for title, columns, rows in each
        )
        self._parts.append(f'<div class="beside">{"".join(made)}</div>')

    def steps(self, steps: Iterable[tuple[str, str]]) -> None:
        """Titles that show a text when they are clicked."""
        made = (
            f'<details><summary>{escape(title)}</summary><pre class="board">{escape(text)}</pre></details>'
            for title, text in steps
        )
        self._parts.append(f'<div class="steps">{"".join(made)}</div>')

    def figure(self, svg: str, caption: str) -> None:
        """A drawing with a sentence below it."""
        self._parts.append(f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>")

    def html(self) -> str:
        """The whole page."""
        return (
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(self.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
            + "\n".join(self._parts)
            + "\n</body>\n</html>\n"
        )


def add_section(page: Page, section: Section) -> None:
    """A section with its drawings; nothing where it is empty. Raises NoMatplotlib."""
    if not section.blocks:
        return
    page.heading(section.title)
    for block in section.blocks:
        match block:
            case str():
                page.say(block)
            case Note(text):
                page.say(text, quiet=True)
            case Table(columns, rows, title, words):
                page.tables([(title, columns, rows)], words=words)
            case Beside(tables):
                page.tables([(table.title, table.columns, table.rows) for table in tables], words=tables[0].words)
            case Lines(x, lines, across, up, caption, height):
                page.figure(draw_lines(x, lines, across=across, up=up, height=height), caption)
            case Bars(groups, bars, up, caption):
                page.figure(draw_bars(groups, bars, up=up), caption)
            case SmallLines(x, lines, across, caption):
                page.figure(draw_small_lines(x, lines, across=across), caption)
            case Shares(x, shares, across, caption):
                page.figure(draw_shares(x, shares, across=across), caption)
            case Boards(boards, caption):
                page.figure(draw_boards(boards), caption)
            case Diagrams(diagrams, caption):
                page.figure(draw_diagrams(diagrams), caption)
            case Verbatim(text):
                page.code(text)
            case Steps(steps):
                page.steps(steps)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]], words: int) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        kinds = ["" if i < words else ' class="number"' for i in range(len(cells))]
        made = (f"<{tag}{kind}>{escape(cell)}</{tag}>" for kind, cell in zip(kinds, cells, strict=True))
        return f"<tr>{''.join(made)}</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return f'<div class="wide"><table><thead>{row(columns, "th")}</thead><tbody>{body}</tbody></table></div>'
