"""Drawings as SVG text, the same bytes for the same figures. The only file that knows matplotlib."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plypilot.boards import Board
from plypilot.diagrams import Diagram

Array = NDArray[np.float64]

_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "plypilot",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "axes.axisbelow": True,
    "lines.linewidth": 1.4,
}
_COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#555555",
    "#8c564b",
    "#b8a000",
    "#7b5ea7",
)
"""Told apart by the colour-blind too (Okabe and Ito 2008), and three more."""
_WIDTH = 8.6
"""Of a drawing, in inches."""
_LETTERS_ACROSS = 90
"""Of the names of groups that stand beside each other."""
_TEXT_LINE = 0.16
"""Height of a line of small text, in inches."""
_TEXT_LETTERS = 44
"""Of small text that stand beside each other below a board."""


class NoMatplotlib(ValueError):
    """Drawings need matplotlib, which is an extra."""


@contextmanager
def _figure(height: float) -> Iterator[tuple[Any, list[str]]]:
    """A figure to draw on, and a list that holds its SVG afterwards."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise NoMatplotlib("a report needs matplotlib: pip install 'plypilot[report]'") from error
    with matplotlib.rc_context(_STYLE):
        figure, written = Figure(figsize=(_WIDTH, height), layout="constrained"), io.StringIO()
        svg: list[str] = []
        yield figure, svg
        # Ids are hashes of what they stand for, so that drawings on one page share only what is equal.
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
        svg.append(re.sub(r"^.*?(?=<svg)", "", written.getvalue(), count=1, flags=re.DOTALL))


def draw_lines(x: Array, lines: Mapping[str, Array], *, across: str, up: str, height: float = 3.4) -> str:
    """Named lines over one axis, each with its name at its end."""
    with _figure(height) as (figure, svg):
        axes = figure.subplots()
        for number, (name, values) in enumerate(lines.items()):
            axes.plot(x, values, color=_COLOURS[number % len(_COLOURS)], label=name)
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        axes.margins(x=0)
        if len(lines) > 1:
            order = sorted(lines, key=lambda name: -float(lines[name][-1]))
            handles = dict(zip(lines, axes.lines, strict=True))
            axes.legend([handles[name] for name in order], order, loc="center left", bbox_to_anchor=(1.0, 0.5),
                        frameon=False)  # fmt: skip
    return svg[0]


def draw_small_lines(x: Array, lines: Mapping[str, Array], *, across: str, columns: int = 3) -> str:
    """One small plot a line."""
    columns = min(columns, len(lines))
    rows = -(-len(lines) // columns)
    with _figure(1.7 * rows) as (figure, svg):
        every = figure.subplots(rows, columns, squeeze=False).reshape(-1)
        for axes, (name, values) in zip(every, lines.items(), strict=False):
            axes.plot(x, values, color=_COLOURS[0])
            axes.set_title(name, fontsize=9, loc="left")
            axes.margins(x=0)
            axes.locator_params(nbins=4)
        for axes in every[len(lines) :]:
            axes.remove()
        figure.supxlabel(across, fontsize=9)
    return svg[0]


def draw_panels(
    x: Array, panels: Mapping[str, Mapping[str, Array]], *, across: str, marks: Mapping[float, str] | None = None
) -> str:
    """Plots below each other over one axis, each with the same named lines; marks are places on it with a word each.

    A value that is not a number leaves a gap.
    """
    with _figure(0.6 + 1.5 * len(panels)) as (figure, svg):
        every = figure.subplots(len(panels), 1, sharex=True, squeeze=False).reshape(-1)
        for axes, (up, lines) in zip(every, panels.items(), strict=True):
            for number, (name, values) in enumerate(lines.items()):
                # The first lines are the widest, so that one that lies on another hides nothing.
                width = 1 + 2 * (len(lines) - 1 - number)
                axes.plot(x, values, ".-", markersize=4 + width, linewidth=width, label=name,
                          color=_COLOURS[number % len(_COLOURS)], alpha=1 if width == 1 else 0.5)  # fmt: skip
            for place in marks or {}:
                axes.axvline(place, color="#999999", linewidth=0.8, linestyle="--")
            axes.set_ylabel(up)
            axes.margins(x=0.01)
            if all(value == round(value) for values in lines.values() for value in values[np.isfinite(values)]):
                axes.yaxis.get_major_locator().set_params(integer=True)
        for number, (place, word) in enumerate((marks or {}).items()):
            # Above the plot, in two lines by turns: marks may stand near each other.
            every[0].annotate(word, (place, 1), (0, 2 + 9 * (number % 2)), xycoords=("data", "axes fraction"),
                              textcoords="offset points", fontsize=7, color="#666666")  # fmt: skip
        every[-1].set_xlabel(across)
        every[-1].xaxis.get_major_locator().set_params(integer=True)
        every[0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return svg[0]


def draw_bars(
    groups: Sequence[str],
    bars: Mapping[str, Sequence[float | None]],
    *,
    up: str,
    spreads: Mapping[str, Sequence[float | None]] | None = None,
    is_logarithmic: bool = False,
    height: float = 3.0,
) -> str:
    """Named bars beside each other in every group, with a line for the spread of each; none where a value is None."""
    with _figure(height) as (figure, svg):
        axes = figure.subplots()
        width = 0.8 / max(len(bars), 1)
        for number, (name, values) in enumerate(bars.items()):
            places = np.arange(len(groups)) - 0.4 + width * (number + 0.5)
            heights = [np.nan if value is None else value for value in values]
            own = (spreads or {}).get(name)
            errors = None if own is None else [0.0 if spread is None else spread for spread in own]
            axes.bar(places, heights, width, label=name, color=_COLOURS[number % len(_COLOURS)], yerr=errors,
                     error_kw={"linewidth": 0.8})  # fmt: skip
        tilt = {"rotation": 45, "ha": "right"} if max(map(len, groups)) * len(groups) > _LETTERS_ACROSS else {}
        axes.set_xticks(range(len(groups)), groups, fontsize=8, **tilt)
        axes.set_ylabel(up)
        axes.grid(axis="x", visible=False)
        if is_logarithmic:
            axes.set_yscale("log")
        if len(bars) > 1:
            axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return svg[0]


def draw_points(points: Mapping[str, tuple[Array, Array]], *, across: str, up: str, height: float = 3.4) -> str:
    """Named clouds of points, across on a logarithmic axis."""
    with _figure(height) as (figure, svg):
        axes = figure.subplots()
        for number, (name, (x, y)) in enumerate(points.items()):
            axes.plot(x, y, ".", markersize=3, alpha=0.6, color=_COLOURS[number % len(_COLOURS)], label=name)
        axes.set_xscale("log")
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        if len(points) > 1:
            axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return svg[0]


def draw_shares(x: Array, shares: Mapping[str, Array], *, across: str, height: float = 2.2) -> str:
    """Parts of a whole as areas on top of each other."""
    with _figure(height) as (figure, svg):
        axes = figure.subplots()
        colours = ("#0072b2", "#cccccc", "#d55e00")
        axes.stackplot(x, *shares.values(), labels=list(shares), colors=colours, linewidth=0)
        axes.set_xlabel(across)
        axes.set_ylim(0, 1)
        axes.margins(x=0)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        handles, labels = axes.get_legend_handles_labels()
        axes.legend(handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return svg[0]


def draw_boards(boards: Sequence[Board], *, columns: int = 3) -> str:
    """Boards of weights, the first rank at the bottom: colours by the distance from the mean of each board."""
    columns = min(columns, len(boards))
    rows = -(-len(boards) // columns)
    ranks, files = boards[0].values.shape
    side = _WIDTH / max(columns, 2)
    with _figure((side * ranks / files + 0.25) * rows) as (figure, svg):
        reach = max(float(np.nanmax(np.abs(board.values - np.nanmean(board.values)))) for board in boards) or 1.0
        every = figure.subplots(rows, columns, squeeze=False).reshape(-1)
        for axes, board in zip(every, boards, strict=False):
            _draw_board(axes, board, reach)
        for axes in every[len(boards) :]:
            axes.remove()
    return svg[0]


def _draw_board(axes: Any, board: Board, reach: float) -> None:
    ranks, files = board.values.shape
    shades = (board.values - np.nanmean(board.values)) / reach
    axes.imshow(shades, origin="lower", cmap="PuOr_r", vmin=-1.15, vmax=1.15, interpolation="none")
    for rank in range(ranks):
        for file in range(files):
            value = board.values[rank, file]
            if np.isfinite(value):
                colour = "white" if abs(shades[rank, file]) > 0.75 else "black"
                text = f"{round(float(value), 2) + 0.0:.2f}"  # no minus zero
                axes.text(file, rank, text, ha="center", va="center", fontsize=6, color=colour)
    axes.set_title(board.name, fontsize=9)
    _name_squares(axes, files, ranks)
    _leave_plain(axes)


def draw_diagrams(diagrams: Sequence[Diagram], *, columns: int = 3) -> str:
    """Positions with moves as arrows, the first player at the bottom, and the text of each move in its colour."""
    columns = min(columns, len(diagrams))
    rows = -(-len(diagrams) // columns)
    files, ranks = diagrams[0].files, diagrams[0].ranks
    board = _WIDTH / 3 * ranks / files
    folded = [[_fold(text) for text in diagram.texts] for diagram in diagrams]
    texts = _TEXT_LINE * max(sum(map(len, lines)) for lines in folded)
    with _figure((board + texts + 0.3) * rows) as (figure, svg):
        figure.set_figwidth(_WIDTH / 3 * columns)
        every = figure.subplots(2 * rows, columns, squeeze=False, height_ratios=[board, texts] * rows)
        places = zip(every[::2].reshape(-1), every[1::2].reshape(-1), strict=True)
        for number, (axes, below) in enumerate(places):
            below.set_axis_off()
            if number >= len(diagrams):
                axes.remove()
                continue
            _draw_diagram(axes, diagrams[number])
            _write_texts(below, folded[number], texts)
    return svg[0]


def _fold(text: str) -> list[str]:
    """A text in lines that are as wide as a board."""
    return textwrap.wrap(text, _TEXT_LETTERS, subsequent_indent="   ") or [""]


def _write_texts(axes: Any, texts: Sequence[Sequence[str]], height: float) -> None:
    """Each text in a colour of its own, line below line."""
    above = 0
    for number, lines in enumerate(texts):
        colour = _COLOURS[number % len(_COLOURS)]
        for line in lines:
            # Boards keep their size whatever is written below them.
            axes.text(0, 1 - above * _TEXT_LINE / height, line, va="top", fontsize=8, color=colour, in_layout=False)
            above += 1


def _draw_diagram(axes: Any, diagram: Diagram) -> None:
    files, ranks = diagram.files, diagram.ranks
    shades = np.add.outer(np.arange(ranks), np.arange(files)) % 2
    axes.imshow(shades, origin="lower", cmap="Greys", vmin=-1, vmax=8, interpolation="none")
    size = 92 / max(files, ranks)
    for square, is_dark, letter in diagram.pieces:
        fill, ink = ("#444444", "white") if is_dark else ("white", "#222222")
        axes.plot(*square, "o", markersize=size, color=fill, markeredgecolor="#222222", zorder=2)
        axes.text(*square, letter, ha="center", va="center_baseline", fontsize=0.6 * size, color=ink, zorder=3)
    for number, (start, end) in enumerate(diagram.arrows):
        colour = _COLOURS[number % len(_COLOURS)]
        if start is None:
            axes.plot(*end, "o", markersize=1.3 * size, fillstyle="none", markeredgewidth=2.2, color=colour, zorder=4)
            continue
        style = {"arrowstyle": "-|>", "color": colour, "linewidth": 2.2, "shrinkA": 2, "shrinkB": 1, "alpha": 0.85}
        axes.annotate("", end, start, arrowprops=style, zorder=4)
    axes.set_title(diagram.title, fontsize=9)
    if diagram.has_letters:
        _name_squares(axes, files, ranks)
    else:
        axes.set_xticks([])
        axes.set_yticks([])
    _leave_plain(axes)


def _name_squares(axes: Any, files: int, ranks: int) -> None:
    axes.set_xticks(range(files), [chr(ord("a") + file) for file in range(files)], fontsize=7)
    axes.set_yticks(range(ranks), [str(rank + 1) for rank in range(ranks)], fontsize=7)


def _leave_plain(axes: Any) -> None:
    axes.tick_params(length=0)
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
