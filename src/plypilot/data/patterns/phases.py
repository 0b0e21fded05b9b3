"""What is the opening, the middle game and the endgame of each game: the one place that says so.

Chess: the opening is the first 16 plies. The endgame is what comes behind it where the pieces of both sides together,
without kings and pawns, weigh less than half of what they weigh at the start: 12 of 24, where a knight or a bishop
weighs 1, a rook 2 and a queen 4. All else is the middle game.

All other games, those in Python too: the opening is the first sixth of a game's plies, the endgame its last sixth.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from plypilot.game_name import base_name

Phase = Literal["opening", "middle", "end"]
PHASES: tuple[Phase, ...] = get_args(Phase)
OPENING, MIDDLE, END = range(3)
"""Phases as shards number them."""

_CHESS_OPENING_PLIES = 16
_CHESS_WEIGHTS = {"n": 1, "b": 1, "r": 2, "q": 4}
_CHESS_MIDDLE_WEIGHT = 12
"""The least that the pieces weigh in the middle game."""
_SHARE = 6
"""Opening and endgame are one part in so many of a game's plies."""


def letter_weights(game: str) -> dict[str, int]:
    """What the letters of a game's board weigh where its phases depend on that; elsewhere nothing."""
    if base_name(game) != "chess":
        return {}
    return {letter: weight for kind, weight in _CHESS_WEIGHTS.items() for letter in (kind, kind.upper())}


def phases_of(game: str, offsets: NDArray[Any], board_weights: NDArray[Any]) -> NDArray[np.uint8]:
    """The phase of the position before each ply of some games, shape (plies,)."""
    lengths = np.diff(offsets)
    plies = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    phases = np.full(len(plies), MIDDLE, np.uint8)
    if base_name(game) == "chess":
        phases[board_weights < _CHESS_MIDDLE_WEIGHT] = END
        phases[plies < _CHESS_OPENING_PLIES] = OPENING
    else:
        whole = np.repeat(lengths, lengths)
        phases[plies * _SHARE < whole] = OPENING
        phases[(whole - plies) * _SHARE <= whole] = END
    return phases
