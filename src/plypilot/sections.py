"""What there is to show of something, apart from where it is shown: a page draws all of it, a terminal prints its words
and tables. So a learner brings its own sections, and neither reports nor commands know a learner by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plypilot.boards import Board
from plypilot.diagrams import Diagram

Array = NDArray[np.float64]

_BAR = 24
"""Letters of a whole bar."""


def bar(share: float) -> str:
    """A share of a whole as a bar in the cell of a table."""
    return "\N{FULL BLOCK}" * round(_BAR * min(max(share, 0.0), 1.0)) or "\N{MIDDLE DOT}"


@dataclass(frozen=True)
class Note:
    """A sentence of less weight, such as the unit of what follows."""

    text: str


@dataclass(frozen=True)
class Table:
    """Rows of cells; the first columns, so many, hold words and the others numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    words: int = 1


@dataclass(frozen=True)
class Beside:
    """Tables beside each other, where there is room."""

    tables: Sequence[Table]


@dataclass(frozen=True)
class Lines:
    """Named lines over one axis."""

    x: Array
    lines: Mapping[str, Array]
    across: str
    up: str
    caption: str
    height: float = 3.4
    """In inches."""


@dataclass(frozen=True)
class Bars:
    """Named bars beside each other in every group."""

    groups: Sequence[str]
    bars: Mapping[str, Sequence[float | None]]
    up: str
    caption: str


@dataclass(frozen=True)
class SmallLines:
    """One small plot a line."""

    x: Array
    lines: Mapping[str, Array]
    across: str
    caption: str


@dataclass(frozen=True)
class Shares:
    """Parts of a whole over one axis."""

    x: Array
    shares: Mapping[str, Array]
    across: str
    caption: str


@dataclass(frozen=True)
class Boards:
    """Numbers on boards, coloured by their distance from the mean of each."""

    boards: Sequence[Board]
    caption: str


@dataclass(frozen=True)
class Diagrams:
    """Positions with moves."""

    diagrams: Sequence[Diagram]
    caption: str


@dataclass(frozen=True)
class Verbatim:
    """Text as it stands, such as a board that a game draws by itself."""

    text: str


@dataclass(frozen=True)
class Steps:
    """Titles, each with a text that is shown on demand, such as the board behind a move."""

    steps: Sequence[tuple[str, str]]


Block = str | Note | Table | Beside | Lines | Bars | SmallLines | Shares | Boards | Diagrams | Verbatim | Steps
"""A sentence, a table, a drawing or plain text."""


@dataclass(frozen=True)
class Section:
    """Blocks under a title."""

    title: str
    blocks: Sequence[Block]
    metrics: Sequence[str] = ()
    """What it shows of the metrics of a run, so that a report does not show them once more."""
