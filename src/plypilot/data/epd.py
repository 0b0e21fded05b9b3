"""Reads chess positions with their operations from EPD, the format of test suites."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from plypilot.data.record import RecordError
from plypilot.games import BadPosition, IllegalMove, Move, Position

_FIELDS = re.compile(r"\s*(\S+\s+[wb]\s+\S+\s+\S+)(\s+\d+\s+\d+)?(?=\s|$)")
"""Board, side, castling, en passant. Some suites write the two counters of FEN as well."""
_OPERATION = re.compile(r"\s*([A-Za-z]\w*)((?:\s+(?:\"[^\"]*\"|[^\s;\"]+))*)\s*(?:;|$)")
_OPERAND = re.compile(r"\"([^\"]*)\"|[^\s;\"]+")


@dataclass(frozen=True)
class EpdPosition:
    """A position of a suite. Its best moves and moves to avoid are legal, in the notation of the file."""

    line: int
    """Number of its line in the text, from 1."""
    fen: str
    best: tuple[str, ...] = ()
    """The moves that solve it (bm)."""
    avoid: tuple[str, ...] = ()
    """The moves that fail (am)."""
    id: str = ""
    comments: tuple[str, ...] = ()
    """c0 to c9, in this order, those that are there."""
    operations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Every operation with its operands, the above included; quotes are taken off."""

    def position(self) -> Position:
        """The position itself."""
        return Position("chess", self.fen)

    def is_solved_by(self, move: Move | str) -> bool:
        """Whether a legal move is a best one, or where none is listed not one to avoid. Raises IllegalMove."""
        position = self.position()
        played = position.parse(str(move))
        if self.best:
            return played in [position.parse(text) for text in self.best]
        return played not in [position.parse(text) for text in self.avoid]


def read_epd(text: str) -> list[EpdPosition | RecordError]:
    """Every position of a suite, or the reason why its line is refused. Empty lines and those after # are skipped."""
    positions: list[EpdPosition | RecordError] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            positions.append(_read_line(number, line))
        except (RecordError, BadPosition, IllegalMove) as error:
            positions.append(RecordError(f"line {number}: {error}"))
    return positions


def _read_line(number: int, line: str) -> EpdPosition:
    fields = _FIELDS.match(line)
    if not fields:
        raise RecordError(f"does not begin with board, side, castling and en passant: {line.strip()[:60]!r}")
    fen = " ".join((fields[1] + (fields[2] or " 0 1")).split())
    operations = _read_operations(line[fields.end() :])
    position = Position("chess", fen)
    for name in ("bm", "am"):
        for move in operations.get(name, ()):
            try:
                position.parse(move)
            except IllegalMove as error:
                raise RecordError(f"{name} {move}: {error}") from error
    return EpdPosition(
        line=number,
        fen=fen,
        best=operations.get("bm", ()),
        avoid=operations.get("am", ()),
        id=" ".join(operations.get("id", ())),
        comments=tuple(" ".join(operations[name]) for name in (f"c{i}" for i in range(10)) if name in operations),
        operations=operations,
    )


def _read_operations(text: str) -> dict[str, tuple[str, ...]]:
    operations: dict[str, tuple[str, ...]] = {}
    at, end = 0, len(text.rstrip())
    while at < end:
        operation = _OPERATION.match(text, at)
        if not operation:
            raise RecordError(f"not an operation (name, operands, semicolon): {text[at:].strip()[:60]!r}")
        name, at = operation[1], operation.end()
        if name in operations:
            raise RecordError(f"has the operation {name} twice")
        operands = _OPERAND.finditer(operation[2])
        operations[name] = tuple(operand[0] if operand[1] is None else operand[1] for operand in operands)
    return operations
