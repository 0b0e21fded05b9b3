"""How a person sees a drawing of a board: from the own side, and in letters where the signs of pieces are missing."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ROW = re.compile(r"(?P<label>\d+) (?P<cells>\S(?: \S)*)")
_SHOGI_ROW = re.compile(r"(?P<cells>(?:[v ].){9}) (?P<label>[a-i])")
_FILES = re.compile(r" +[a-z０-９](?: +[a-z０-９])*")
_HAND = re.compile(r"\w+ in hand:.*")
_LETTERS = dict(
    zip("♔♕♖♗♘♙♚♛♜♝♞♟●○·・９８７６５４３２１", "KQRBNPkqrbnpXO..987654321", strict=True)
)  # fmt: skip
_SHOGI_LETTERS = {
    "歩": "P", "香": "L", "桂": "N", "銀": "S", "金": "G", "角": "B", "飛": "R", "玉": "K",
    "と": "+P", "杏": "+L", "圭": "+N", "全": "+S", "馬": "+B", "龍": "+R",
}  # fmt: skip
_SHOGI_PIECE = re.compile(f"(?P<side>[v ])(?P<piece>[{''.join(_SHOGI_LETTERS)}・])")


@dataclass(frozen=True)
class View:
    """From where, and in which signs."""

    turned: bool = False
    """Whether the second player is at the bottom."""
    letters: bool = False

    def of(self, drawing: str) -> str:
        """The drawing of a position as it is seen; one without rows that can be turned stays as it is."""
        seen = turned(drawing) if self.turned else drawing
        return lettered(seen) if self.letters else seen


def can_turn(drawing: str) -> bool:
    """Whether a drawing has rows with labels, which say what its squares are called however it is turned."""
    return any(map(_ROW.fullmatch, drawing.splitlines())) or any(map(_SHOGI_ROW.fullmatch, drawing.splitlines()))


def turned(drawing: str) -> str:
    """The same board seen by the player on the other side.

    >>> print(turned("2 · x\\n1 o ·\\n  a b\\nfirst to move"))
    1 · o
    2 x ·
      b a
    first to move
    """
    lines = drawing.splitlines()
    is_shogi = any(map(_SHOGI_ROW.fullmatch, lines))
    row = _SHOGI_ROW if is_shogi else _ROW
    rows = [number for number, line in enumerate(lines) if row.fullmatch(line)]
    made = list(lines)
    for number, other in zip(rows, reversed(rows), strict=True):
        made[number] = _turned_row(lines[other], is_shogi)
    if not rows:
        return drawing
    for number, line in enumerate(lines):
        if _FILES.fullmatch(line):
            names = line.split()
            indent = line[: len(line) - len(line.lstrip())]
            gap = line[len(indent) + 1 : line.index(names[1])] if len(names) > 1 else ""
            made[number] = indent + gap.join(reversed(names))
    hands = [number for number, line in enumerate(lines) if _HAND.fullmatch(line)]
    for number, other in zip(hands, reversed(hands), strict=True):
        made[number] = lines[other]
    return "\n".join(made)


def _turned_row(line: str, is_shogi: bool) -> str:
    if not is_shogi:
        label, _, cells = line.partition(" ")
        return f"{label} {cells[::-1]}"
    cells, label = line[:18], line[18:]
    pieces = [cells[at : at + 2] for at in range(0, 18, 2)]
    facing = {"v": " ", " ": "v"}  # pieces point at the opponent, who sits on the other side now
    return "".join(cell if cell[1] == "・" else facing[cell[0]] + cell[1] for cell in reversed(pieces)) + label


def lettered(drawing: str) -> str:
    """Pieces as letters: in chess capital ones are White's, in shogi those of whoever sits below."""
    lines = drawing.splitlines()
    if any(map(_SHOGI_ROW.fullmatch, lines)):
        lines = [_SHOGI_PIECE.sub(_shogi_letter, line) for line in lines]
        lines = [re.sub(r" (?=[１-９])", "  ", line) for line in lines]
        lines = [re.sub(" +", " ", line) if _HAND.fullmatch(line) else line for line in lines]
    return "\n".join("".join(_LETTERS.get(sign, sign) for sign in line) for line in lines)


def _shogi_letter(found: re.Match[str]) -> str:
    piece = _SHOGI_LETTERS.get(found["piece"], ".")
    return f"{piece.lower() if found['side'] == 'v' else piece:>3}"
