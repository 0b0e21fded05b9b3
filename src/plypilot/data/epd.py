"""Test suites: positions with the moves that solve them, read and written. In chess a suite is EPD, as people keep it;
in other games a line is the position as the game writes it, `` ; `` and the operations of EPD.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from plypilot.data.record import RecordError
from plypilot.games import BadPosition, IllegalMove, Move, Position

_FIELDS = re.compile(r"\s*(\S+\s+[wb]\s+\S+\s+\S+)(\s+\d+\s+\d+)?(?=\s|$)")
"""Board, side, castling, en passant. Some suites write the two counters of FEN as well."""
_OPERATION = re.compile(r"\s*([A-Za-z]\w*)((?:\s+(?:\"[^\"]*\"|[^\s;\"]+))*)\s*(?:;|$)")
_OPERAND = re.compile(r"\"([^\"]*)\"|[^\s;\"]+")
_BEFORE_OPERATIONS = re.compile(r"\s+;(?:\s+|$)")
"""What ends the position in games other than chess, whose position strings may hold nearly anything."""
_TITLE = re.compile(r"#\s*suite of (\S+)\s*$")


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
    game: str = "chess"

    def position(self) -> Position:
        """The position itself."""
        return Position(self.game, self.fen)

    def is_solved_by(self, move: Move | str) -> bool:
        """Whether a legal move is a best one, or where none is listed not one to avoid. Raises IllegalMove."""
        position = self.position()
        played = position.parse(str(move))
        if self.best:
            return played in [position.parse(text) for text in self.best]
        return played not in [position.parse(text) for text in self.avoid]

    def line_of_text(self) -> str:
        """What a suite's file says of it. Raises RecordError where the format cannot hold it."""
        fields = {"bm": self.best, "am": self.avoid, "id": (self.id,) if self.id else ()}
        fields |= {f"c{number}": (comment,) for number, comment in enumerate(self.comments)}
        operations = {name: operands for name, operands in fields.items() if operands} | dict(self.operations)
        told = " ".join(_write_operation(name, operands) for name, operands in operations.items())
        if self.game == "chess":
            return f"{self.fen.removesuffix(' 0 1')} {told}".rstrip()
        if _BEFORE_OPERATIONS.search(self.fen) or self.fen.startswith("#") or not _is_one_line(self.fen):
            raise RecordError(f"a suite cannot hold a position that is written as {self.fen[:60]!r}")
        return f"{self.fen} ; {told}".rstrip()


def read_epd(text: str, game: str = "chess") -> list[EpdPosition | RecordError]:
    """Every position of a suite, or the reason why its line is refused. Empty lines and those after # are skipped.

    Raises UnknownGame. What the text itself says of its game is not looked at: ``suite_game`` tells it.

    >>> (item,) = read_epd("8/2P5/8/8/8/8/6p1/8 w ; bm c7-c8; id \\"one step\\"", "breakthrough")
    >>> item.is_solved_by("c7-c8"), item.id
    (True, 'one step')
    """
    Position(game)
    positions: list[EpdPosition | RecordError] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            positions.append(_read_line(number, line, game))
        except (RecordError, BadPosition, IllegalMove) as error:
            positions.append(RecordError(f"line {number}: {error}"))
    return positions


def suite_game(text: str) -> str:
    """The name of the game that a suite's comments give before its first position; ``chess`` where they give none."""
    for line in text.removeprefix("\ufeff").splitlines():
        if title := _TITLE.match(line.strip()):
            return title[1]
        if line.strip() and not line.lstrip().startswith("#"):
            break
    return "chess"


def write_suite(items: Iterable[EpdPosition]) -> str:
    """The text of a suite, which ``read_epd`` gives back: plain EPD in chess; elsewhere its first line names the game.

    Raises RecordError where positions are of several games, or the format cannot hold one of them.
    """
    items = list(items)
    games = list(dict.fromkeys(item.game for item in items))
    if len(games) > 1:
        raise RecordError(f"a suite has positions of one game, not of {' and '.join(games)}")
    title = [f"# suite of {game}" for game in games if game != "chess"]
    return "".join(f"{line}\n" for line in (*title, *(item.line_of_text() for item in items)))


def _read_line(number: int, line: str, game: str) -> EpdPosition:
    if game == "chess":
        fields = _FIELDS.match(line)
        if not fields:
            raise RecordError(f"does not begin with board, side, castling and en passant: {line.strip()[:60]!r}")
        fen = " ".join((fields[1] + (fields[2] or " 0 1")).split())
        told = line[fields.end() :]
    else:
        fen, told = [*_BEFORE_OPERATIONS.split(line.strip(), maxsplit=1), ""][:2]
    operations = _read_operations(told)
    position = Position(game, fen)
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
        game=game,
    )


def _is_one_line(text: str) -> bool:
    return len(text.splitlines()) <= 1 and not text.endswith(("\n", "\r"))


def _write_operation(name: str, operands: Iterable[str]) -> str:
    words = [name]
    for operand in operands:
        if '"' in operand or not _is_one_line(operand):
            raise RecordError(
                f"a suite cannot hold {operand[:60]!r}, an operand of {name}: it has a quote or two lines"
            )
        is_word = name not in ("id", *(f"c{number}" for number in range(10))) and _OPERAND.fullmatch(operand)
        words.append(operand if is_word else f'"{operand}"')
    return " ".join(words) + ";"


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
