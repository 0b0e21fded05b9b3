"""One self-contained HTML page: headings, sentences, tables, drawings. No script, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from plypilot.report.drawing import draw_boards, draw_diagrams, draw_lines, draw_shares, draw_small_lines
from plypilot.sections import Beside, Boards, Diagrams, Lines, Note, Section, Shares, SmallLines, Table, Verbatim

_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 64rem; margin: 2rem auto;
       padding: 0 1rem; }
h1 { font-size: 1.7rem; margin-bottom: 0; }
h2 { font-size: 1.25rem; margin-top: 2.5rem; border-bottom: 1px solid #ddd; padding-bottom: .2rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .3rem; }
p { max-width: 46rem; }
.quiet { color: #666; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .875rem; margin: .5rem 0 1rem; }
th, td { padding: .15rem .7rem .15rem 0; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { border-bottom: 1px solid #bbb; font-weight: 600; }
td.number, th.number { text-align: right; }
.beside { display: flex; flex-wrap: wrap; gap: 0 2rem; }
figure { margin: 1rem 0; }
figure svg { width: 100%; height: auto; }
figcaption { color: #666; font-size: .85rem; }
pre { background: #f5f5f5; padding: .6rem .8rem; overflow-x: auto; font-size: .85rem; }
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


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]], words: int) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        kinds = ["" if i < words else ' class="number"' for i in range(len(cells))]
        made = (f"<{tag}{kind}>{escape(cell)}</{tag}>" for kind, cell in zip(kinds, cells, strict=True))
        return f"<tr>{''.join(made)}</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return f"<table><thead>{row(columns, 'th')}</thead><tbody>{body}</tbody></table>"
