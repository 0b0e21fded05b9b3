"""Reads and writes shogi games in CSA, the format of computer tournaments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from plypilot.data.pgn import one_line
from plypilot.data.record import UNFINISHED, PlayedGame, Record, RecordError
from plypilot.games import Position

_SFEN = {
    "FU": "P", "KY": "L", "KE": "N", "GI": "S", "KI": "G", "KA": "B", "HI": "R", "OU": "K",
    "TO": "+P", "NY": "+L", "NK": "+N", "NG": "+S", "UM": "+B", "RY": "+R",
}  # fmt: skip
_CSA = {sfen: csa for csa, sfen in _SFEN.items()}
_MOVE = re.compile(r"([+-])(\d)(\d)([1-9])([1-9])([A-Z]{2})")
_HAND_ORDER = "RBGSNLP"

Square = tuple[int, int]
"""File and rank, 1 to 9, as CSA counts them."""


def read_csa(text: str) -> Record:
    """The game of a file. Comments may be in any encoding. Raises RecordError."""
    return _read_lines(enumerate(re.split("\r?\n", text.removeprefix("\ufeff")), 1))


def read_csa_games(text: str) -> Iterator[Record | RecordError]:
    """Every game of a file that holds several, parted by lines with a slash: a record, or why it is refused."""
    games: list[list[tuple[int, str]]] = [[]]
    for number, line in enumerate(re.split("\r?\n", text.removeprefix("\ufeff")), 1):
        if line.rstrip() == "/":
            games.append([])
        elif line.strip():
            games[-1].append((number, line))
    for number, lines in enumerate(filter(None, games), 1):
        try:
            yield _read_lines(lines)
        except RecordError as error:
            yield RecordError(f"game {number}: {error}")


def _read_lines(lines: Iterable[tuple[int, str]]) -> Record:
    """The game of numbered lines."""
    reader = _Reader()
    for number, line in lines:
        for statement in [line] if line[:1] in "'N$P" else line.split(","):
            try:
                reader.read(statement.rstrip())
            except RecordError as error:
                raise RecordError(f"line {number}: {error}") from error
    if not (reader.moves or reader.result):
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
        # Comments (some files forget the apostrophe), times, version, what a server said (#WIN).
        if not line or line[0] in "'*TV/#":
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
        parts = _MOVE.fullmatch(line)
        if not parts:
            raise RecordError(f"not a CSA move: {line[:40]!r}")
        if self.result:
            raise RecordError(f"a move after the end ({self.result})")
        side, kind = parts[1], parts[6]
        self._check(kind)
        origin, target = (int(parts[2]), int(parts[3])), (int(parts[4]), int(parts[5]))
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


def write_csa(game: PlayedGame) -> str:
    """A shogi game in CSA, with the slash that parts it from the next one. Raises RecordError.

    CSA keeps neither the move number of the start nor parts of a second. A comment behind a move holds its score from
    Black's view, as the tournament server floodgate has it: ``'** 35``.
    """
    if game.game != "shogi":
        raise RecordError(f"CSA holds games of shogi, not of {game.game}")
    end = game.replay()
    start = Position("shogi", game.start).fen()
    board, hands, turn = _from_sfen(start)
    lines = ["V2.2", *(f"N{side}{one_line(name)}" for side, name in zip("+-", game.players, strict=True))]
    lines += [f"${re.sub('[^A-Z0-9]+', '_', key.upper())}:{one_line(value)}" for key, value in game.tags.items()]
    lines += ["PI"] if start == Position("shogi").fen() else _set_up(board, hands)
    lines.append(turn)
    told = [None] * len(game.opening) + list(game.moves)
    for text, move in zip(game.texts, told, strict=True):
        lines.append(turn + _play(board, text, turn))
        if move is not None:
            lines.append(f"T{int(move.seconds)}")
            if move.score is not None:
                lines.append(f"'** {move.score if turn == '+' else -move.score}")
        turn = "-" if turn == "+" else "+"
    return "\n".join([*lines, f"'{one_line(game.cause)}", _ending(game, end), "/", ""])


def _from_sfen(sfen: str) -> tuple[dict[Square, str], str, str]:
    """The pieces by square as CSA names them, the hands as SFEN has them, and the side to move."""
    rows, turn, hands = sfen.split()[:3]
    board: dict[Square, str] = {}
    for rank, row in enumerate(rows.split("/"), 1):
        file = 9
        for item in re.findall(r"\d|\+?[A-Za-z]", row):
            if item.isdecimal():
                file -= int(item)
            else:
                board[file, rank] = ("+" if item.isupper() else "-") + _CSA[item.upper()]
                file -= 1
    return board, hands, "+" if turn == "b" else "-"


def _set_up(board: dict[Square, str], hands: str) -> list[str]:
    lines = [f"P{rank}" + "".join(board.get((file, rank), " * ") for file in range(9, 0, -1)) for rank in range(1, 10)]
    for side in "+-":
        held = [
            "00" + _CSA[kind.upper()]
            for count, kind in re.findall(r"(\d*)([A-Za-z])", hands)
            if kind.isupper() == (side == "+")
            for _ in range(int(count or 1))
        ]
        if held:
            lines.append(f"P{side}" + "".join(held))
    return lines


def _play(board: dict[Square, str], text: str, side: str) -> str:
    """Makes a move in USI on the board and writes it as CSA does, the piece as it is after the move."""
    target = (int(text[2]), "abcdefghi".index(text[3]) + 1)
    if text[1] == "*":
        origin, kind = (0, 0), _CSA[text[0]]
    else:
        origin = (int(text[0]), "abcdefghi".index(text[1]) + 1)
        kind = board.pop(origin)[1:]
        if text.endswith("+"):
            kind = _CSA["+" + _SFEN[kind]]
    board[target] = side + kind
    return f"{origin[0]}{origin[1]}{target[0]}{target[1]}{kind}"


def _ending(game: PlayedGame, end: Position) -> str:
    """The special move that gives the game to its winner, the nearest one to its cause.

    A mated player resigns, as in tournaments: some readers take %TSUMI, which would say it, for a draw.
    """
    cause = game.cause.lower()
    if game.cause == UNFINISHED:
        return "%CHUDAN"
    if game.winner is None:
        return "%SENNICHITE" if "repetition" in cause else "%HIKIWAKE"
    if game.winner == end.turn:
        fault = ("%+ILLEGAL_ACTION", "%-ILLEGAL_ACTION")[1 - game.winner]
        return fault if end.outcome() is not None or "illegal" in cause else "%KACHI"
    if "time" in cause or "clock" in cause:
        return "%TIME_UP"
    return "%ILLEGAL_MOVE" if "illegal" in cause else "%TORYO"
