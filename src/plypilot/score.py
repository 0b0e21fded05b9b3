"""The scale of scores, that of core/search/score.hpp: 100 to a pawn or a piece, from the view of the side to move.

A forced win counts down from the root, so that a shorter one is better.
"""

from __future__ import annotations

PAWN = 100
"""A pawn or a piece, unless an evaluation says what else counts as one."""
WIN_SCORE = 32_000
"""A win at the root; n plies away it is WIN_SCORE - n."""
MOST_PLIES = 250
"""No line that is searched is longer."""
DEEPEST = MOST_PLIES - 1
"""The greatest depth that a search can be asked for."""
LEAST_WIN = WIN_SCORE - MOST_PLIES
"""Scores from here on are forced wins."""
MOST_STATIC = LEAST_WIN - 1
"""The greatest score of an evaluation, which never claims a win."""


def win_distance(score: int) -> int | None:
    """Plies to a forced win (positive) or loss (negative) that a score tells of, None where it tells of none."""
    if score >= LEAST_WIN:
        return WIN_SCORE - score
    if score <= -LEAST_WIN:
        return -(WIN_SCORE + score)
    return None


def score_text(score: int) -> str:
    """A score as people read it: pawns with a sign, or ``win 5`` and ``loss 4`` in plies."""
    distance = win_distance(score)
    if distance is None:
        return f"{score / PAWN:+.2f}"
    return f"win {distance}" if distance > 0 or score > 0 else f"loss {-distance}"
