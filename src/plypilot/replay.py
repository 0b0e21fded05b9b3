"""Whole games read at once by the core: words of moves in, the bits of the moves and the keys of the positions out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from plypilot import _core
from plypilot._core import KeySet, ReadGames
from plypilot.games import _find

__all__ = ["NO_LABEL", "KeySet", "ReadGames", "move_texts", "read_games"]

NO_LABEL = "*"
"""The word of a label that is none."""


def read_games(
    game: str,
    starts: Sequence[str | None],
    words: Sequence[str],
    labels: Sequence[str] = (),
    *,
    letter_weights: Mapping[str, int] | None = None,
    board_fields: int = 0,
) -> ReadGames:
    """Reads games from their starts and the words of their moves, with spaces between. Native games leave the GIL.

    ``labels`` has one word for each move. ``letter_weights`` says what each letter on the board counts, and
    ``board_fields`` how many fields of a position string make two positions the same board.
    """
    return _core.read_games(
        _find(game), list(starts), list(words), list(labels), dict(letter_weights or {}), board_fields
    )


def move_texts(game: str, moves: NDArray[np.uint16]) -> list[str]:
    """Moves in the game's notation, from their bits in this process."""
    return _core.move_texts(_find(game), moves)
