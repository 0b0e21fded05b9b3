"""Spellings of a move: programs and people put signs between its squares, leave them out, or write other cases."""

from __future__ import annotations

from plypilot.games import IllegalMove, Move, Position

_ORNAMENTS = str.maketrans("", "", "-x:=.!?")
"""Signs that tell nothing of a move: ``a2-a3``, ``a2xb3``, ``a7a8=q``, ``1d1c=``, ``e2e4!?``. A + does: it promotes in
shogi."""


def plain(text: str) -> str:
    """What all spellings of a move have in common.

    >>> plain("A2xB3!"), plain("a2b3")
    ('a2b3', 'a2b3')
    """
    return text.lower().translate(_ORNAMENTS)


def read_move(position: Position, text: str) -> Move:
    """The legal move that a text names, in the game's notation or in another spelling of it. Raises IllegalMove.

    >>> str(read_move(Position("breakthrough"), "a2a3"))
    'a2-a3'
    """
    try:
        return position.parse(text)
    except IllegalMove:
        meant = [move for move in position.moves() if plain(str(move)) == plain(text)]
        if len(meant) != 1:
            raise
        return meant[0]


def short_line(position: Position, line: list[Move]) -> list[str]:
    """Moves that follow one another from a position, in the short notation of the game."""
    walk = position.copy()
    texts = []
    for move in line:
        texts.append(walk.san(move))
        walk.push(move)
    return texts
