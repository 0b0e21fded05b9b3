"""How positions and moves of a game are written to an outside engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from plypilot.game_name import base_name, variant_name
from plypilot.games import IllegalMove, Move, Position
from plypilot.outside.spec import EngineError
from plypilot.spelling import plain


@dataclass(frozen=True)
class Dialect:
    """How a game is written within a protocol. Moves are read alike in all of them (spelling.py)."""

    name: str
    fen_word: str = "fen"
    """What comes before a position string."""
    fen_tail: str = ""
    """What the engine expects behind our position string."""
    write_move: Callable[[Position, Move], str] = lambda _, move: str(move)
    """The text of a move that is legal in a position."""
    needs_path: bool = False
    """Whether ``write_move`` looks at the position before each move."""

    def position_line(self, position: Position) -> str:
        """The ``position`` command: the root and the moves since, so that the engine knows of repetitions."""
        start = "startpos"
        if position.root is not None or variant_name(position.game):
            start = f"{self.fen_word} {_root_fen(position.game, position.root)}{self.fen_tail}"
        walk = Position(position.game, position.root) if self.needs_path else position
        texts = []
        for move in position.played:
            texts.append(self.write_move(walk, move))
            if self.needs_path:
                walk.push(move)
        return f"position {start} moves {' '.join(texts)}" if texts else f"position {start}"


def _king_takes_rook(position: Position, move: Move) -> str:
    """Castling as Chess960 writes it in all positions; we write e1g1 from the ordinary squares."""
    text = str(move)
    other = {"e1g1": "e1h1", "e1c1": "e1a1", "e8g8": "e8h8", "e8c8": "e8a8"}.get(text)
    if other is not None:
        try:
            return other if position.parse(other) == move else text
        except IllegalMove:
            return text
    return text


OWN = Dialect("own")
"""Positions and moves as plypilot writes them; in chess that is UCI itself."""
CHESS960 = Dialect("chess960", write_move=_king_takes_rook, needs_path=True)
"""Chess with UCI_Chess960 on."""
FAIRY = Dialect("fairy", fen_tail=" - - 0 1", write_move=lambda _, move: plain(str(move)))
"""Breakthrough in the way of Fairy-Stockfish: a FEN with all fields, moves as two squares."""
USI = Dialect("usi", fen_word="sfen")
"""Shogi."""


def find_dialect(protocol: str, game: str, *, has_variants: bool) -> Dialect:
    """The dialect of a game for an engine, which may be one that plays many variants. Raises EngineError."""
    base = base_name(game)
    if protocol == "usi":
        if base != "shogi":
            raise EngineError(f"usi is the protocol of shogi, it has no notation for {game}; use a uci engine")
        return USI
    if base == "shogi":
        raise EngineError("uci has no notation for shogi; use a usi engine")
    if base == "breakthrough" and has_variants:
        if variant_name(game) not in ("", "8x8"):
            raise EngineError(f"engines with UCI_Variant play breakthrough on 8x8 squares, not {game}")
        return FAIRY
    return OWN


@lru_cache(64)
def needs_chess960(game: str, root: str | None) -> bool:
    """Whether kings or rooks may castle from other squares than the ordinary ones."""
    if base_name(game) != "chess":
        return False
    board, _, rights, *_ = _root_fen(game, root).split()
    rows = ["".join("." * int(letter) if letter.isdigit() else letter for letter in row) for row in board.split("/")]
    for right in rights.replace("-", ""):
        king, rook, row = ("K", "R", rows[-1]) if right.isupper() else ("k", "r", rows[0])
        corner = {"k": 7, "q": 0}.get(right.lower())
        if corner is None or row[4] != king or row[corner] != rook:
            return True
    return False


@lru_cache(64)
def _root_fen(game: str, root: str | None) -> str:
    """The root as we write it, with all its fields."""
    return Position(game, root).fen()
