"""Reads shogi games in CSA, the format of computer tournaments."""

from __future__ import annotations

import re

from plypilot.data.record import Record, RecordError

_SFEN = {
    "FU": "P", "KY": "L", "KE": "N", "GI": "S", "KI": "G", "KA": "B", "HI": "R", "OU": "K",
    "TO": "+P", "NY": "+L", "NK": "+N", "NG": "+S", "UM": "+B", "RY": "+R",
}  # fmt: skip
_MOVE = re.compile(r"([+-])(\d)(\d)([1-9])([1-9])([A-Z]{2})")
_HAND_ORDER = "RBGSNLP"

Square = tuple[int, int]
"""File and rank, 1 to 9, as CSA counts them."""


def read_csa(text: str) -> Record:
    """The game of a file. Comments may be in any encoding. Raises RecordError."""
    reader = _Reader()
    for number, line in enumerate(re.split("\r?\n", text), 1):
        for statement in [line] if line[:1] in "'N$P" else line.split(","):
            try:
                reader.read(statement.rstrip())
            except RecordError as error:
                raise RecordError(f"line {number}: {error}") from error
    if not reader.moves:
        raise RecordError("has no moves")
    return Record("shogi", tuple(reader.moves), reader.start, reader.result, reader.tags)


class _Reader:
    """Follows the board, because CSA names the piece after the move and leaves the promotion to be seen."""

    def __init__(self) -> None:
        self.board: dict[Square, str] = {}
        self.hands: dict[str, dict[str, int]] = {"+": {}, "-": {}}
        self.moves: list[str] = []
        self.start: str | None = None
        self.result = ""
        self.tags: dict[str, str] = {}

    def read(self, line: str) -> None:
        if not line or line[0] in "'*TV/":  # comments (some files forget the apostrophe), times, version
            return
        if line[0] == "N":
            self.tags["black" if line[1:2] == "+" else "white"] = line[2:]
        elif line[0] == "$":
            name, _, value = line[1:].partition(":")
            self.tags[name] = value
        elif line[0] == "P":
            self._place(line)
        elif line in "+-":
            self.start = self._sfen("b" if line == "+" else "w")
        elif line[0] == "%":
            self.result = line
        elif line[0] in "+-":
            self._move(line)
        else:
            raise RecordError(f"not a CSA line: {line[:40]!r}")

    def _place(self, line: str) -> None:
        if line[1:2] == "I":
            if line[2:]:
                raise RecordError("handicap set-ups (PI with pieces) are not read")
            rows = ["-KY-KE-GI-KI-OU-KI-GI-KE-KY", " * -HI *  *  *  *  * -KA * ", "-FU" * 9]
            rows += [" * " * 9] * 3 + ["+FU" * 9, " * +KA *  *  *  *  * +HI * ", rows[0].replace("-", "+")]
            for rank, row in enumerate(rows, 1):
                self._place(f"P{rank}{row}")
        elif line[1:2].isdecimal() and line[1] != "0":
            for column in range(9):
                piece = line[2 + 3 * column : 5 + 3 * column]
                if piece.strip(" *"):
                    self._check(piece[1:])
                    self.board[9 - column, int(line[1])] = piece
        elif line[1:2] in ("+", "-"):
            for at in range(2, len(line), 4):
                square, kind = line[at : at + 2], line[at + 2 : at + 4]
                if kind == "AL":
                    raise RecordError("the rest of the pieces in hand (AL) is not read")
                self._check(kind)
                if square == "00":
                    hand = self.hands[line[1]]
                    hand[_SFEN[kind]] = hand.get(_SFEN[kind], 0) + 1
                elif re.fullmatch("[1-9]{2}", square):
                    self.board[int(square[0]), int(square[1])] = line[1] + kind
                else:
                    raise RecordError(f"no such square: {square!r}")
        else:
            raise RecordError(f"not a CSA board line: {line[:40]!r}")

    def _check(self, kind: str) -> None:
        if kind not in _SFEN:
            raise RecordError(f"no such piece: {kind!r}")

    def _move(self, line: str) -> None:
        found = _MOVE.fullmatch(line)
        if not found:
            raise RecordError(f"not a CSA move: {line[:40]!r}")
        if self.result:
            raise RecordError(f"a move after the end ({self.result})")
        side, kind = found[1], found[6]
        self._check(kind)
        origin, target = (int(found[2]), int(found[3])), (int(found[4]), int(found[5]))
        to = _square_text(target)
        if origin == (0, 0):
            self.moves.append(f"{_SFEN[kind]}*{to}")
        else:
            before = self.board.pop(origin, None)
            if before is None or before[0] != side:
                raise RecordError(f"no piece of the mover on {_square_text(origin)}: {line}")
            promotes = "+" if _SFEN[kind] == "+" + _SFEN[before[1:]] else ""
            if not promotes and before[1:] != kind:
                raise RecordError(f"a {before[1:]} stands on {_square_text(origin)}, not a {kind}: {line}")
            self.moves.append(f"{_square_text(origin)}{to}{promotes}")
        self.board[target] = side + kind

    def _sfen(self, turn: str) -> str:
        rows = []
        for rank in range(1, 10):
            row = ""
            for file in range(9, 0, -1):
                piece = self.board.get((file, rank))
                row += "." if piece is None else _as_sfen(piece)
            rows.append(re.sub(r"\.+", lambda run: str(len(run[0])), row))
        hands = ""
        for side in "+-":
            for kind in _HAND_ORDER:
                if count := self.hands[side].get(kind, 0):
                    hands += (str(count) if count > 1 else "") + (kind if side == "+" else kind.lower())
        return f"{'/'.join(rows)} {turn} {hands or '-'} 1"


def _as_sfen(piece: str) -> str:
    symbol = _SFEN[piece[1:]]
    return symbol if piece[0] == "+" else symbol.lower()


def _square_text(square: Square) -> str:
    return f"{square[0]}{'abcdefghi'[square[1] - 1]}"
