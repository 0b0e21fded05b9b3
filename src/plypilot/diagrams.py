"""Positions as pictures: the pieces of a board, and arrows for moves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from plypilot.games import GameInfo, Move, Position, game_info

_PIECE = re.compile(r"(?P<gap>\d+)|(?P<piece>\+?[A-Za-z])")


class Square(NamedTuple):
    """A place on the board, from the lower left corner as the first player sees it."""

    file: int
    rank: int


class Piece(NamedTuple):
    """A piece on its square."""

    square: Square
    is_dark: bool
    """Whether it is drawn dark: that of Black, or of the second player where neither is called so."""
    letter: str
    """Of its kind; empty where the game has one kind only."""


class Arrow(NamedTuple):
    """A move on the board."""

    start: Square | None
    """None for a piece that comes from a hand."""
    end: Square


@dataclass(frozen=True)
class Diagram:
    """A position, moves in it, and a line of text for each move."""

    title: str
    files: int
    ranks: int
    pieces: Sequence[Piece]
    arrows: Sequence[Arrow]
    texts: Sequence[str]
    """As many as arrows."""
    has_letters: bool
    """Whether squares are called a1, b1 and so on."""


def has_board(info: GameInfo) -> bool:
    """Whether moves of a game go to squares of a board that its position strings describe."""
    squares = info.files * info.ranks
    return squares > 0 and info.index_sizes[1] == squares and info.start_fen.count("/") == info.ranks - 1


def draw_moves(position: Position, title: str, moves: Sequence[Move], texts: Sequence[str]) -> Diagram:
    """The picture of a position of a game that has a board."""
    info = game_info(position.game)
    rows = _rows(position)
    arrows = [_arrow(info, move) for move in moves]
    files = sum(int(at["gap"] or 1) for at in _PIECE.finditer(rows[0]))
    return Diagram(title, files, len(rows), find_pieces(position), arrows, texts, _has_letters(info, position.moves()))


def find_pieces(position: Position) -> list[Piece]:
    """The pieces on the board, by the position string: ranks from the top, digits for empty squares."""
    info = game_info(position.game)
    dark_side = info.sides.index("Black") if "Black" in info.sides else 1
    letters = set(re.findall(r"[A-Za-z]", info.start_fen.partition(" ")[0]))
    has_cases = any(letter.isupper() for letter in letters)
    has_kinds = has_cases and len({letter.lower() for letter in letters}) > 1
    pieces = []
    for rank, row in enumerate(reversed(_rows(position))):
        file = 0
        for at in _PIECE.finditer(row):
            if text := at["piece"]:
                # Where a game writes in one case only, the letter is that of the player.
                side = int(text[-1].islower()) if has_cases else int(text[-1] != info.sides[0][0].lower())
                pieces.append(Piece(Square(file, rank), side == dark_side, text.upper() if has_kinds else ""))
            file += int(at["gap"] or 1)
    return pieces


def _rows(position: Position) -> list[str]:
    """The ranks of a board from the top; a board may be smaller than the usual one of its game."""
    return position.fen().partition(" ")[0].split("/")


def _arrow(info: GameInfo, move: Move) -> Arrow:
    start, end, _ = move.index
    squares = info.files * info.ranks
    return Arrow(_square(info, start) if start < squares else None, _square(info, end))


def _square(info: GameInfo, number: int) -> Square:
    rank, file = divmod(number, info.files)
    return Square(file, rank)


def _has_letters(info: GameInfo, moves: Sequence[Move]) -> bool:
    """Whether moves are written with squares such as a1, as they stand in the picture."""
    starts = ((_arrow(info, move).start, str(move)) for move in moves)
    named = [text.startswith(f"{chr(ord('a') + start.file)}{start.rank + 1}") for start, text in starts if start]
    return bool(named) and all(named)
