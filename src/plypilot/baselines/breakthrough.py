"""Breakthrough: the three evaluations of Skowronski (2009), A.4. The seed gives their terms, not their weights."""

from collections.abc import Callable

PIECE = 100.0

SAFE = (2.0, 3.0, 8.0, 14.0, 24.0, 50.0, 100.0, 100.0)
"""For a piece that is not under threat, by rank from its own side; on the last the game is over."""

STEP = 10.0
"""For each rank that a piece has advanced, threatened or not."""


def _by_rank(bonus: tuple[float, ...]) -> dict[str, float]:
    return {f"piece_rank_{rank}": weight for rank, weight in enumerate(bonus, 1)}


def weights() -> dict[str, dict[str, float]]:
    """Piece count, and a bonus for pieces not under threat that grows as they advance (A.3)."""
    return {"material": {"piece": PIECE}, "safe_advancement": _by_rank(SAFE)}


def piece_count() -> dict[str, dict[str, float]]:
    """Piece count alone, the first of A.4."""
    return {"material": {"piece": PIECE}}


def gradual_advance() -> dict[str, dict[str, float]]:
    """All pieces gradually up the board, the second of A.4."""
    return {"advancement": _by_rank(tuple(STEP * rank for rank in range(8)))}


ALTERNATIVES: dict[str, Callable[[], dict[str, dict[str, float]]]] = {
    "piece_count": piece_count,
    "gradual_advance": gradual_advance,
}
