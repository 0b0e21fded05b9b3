"""Breakthrough: an evaluation learned from self-play, and the three of Skowronski (2009), A.4, set by hand.

The seed gives the terms of the three and not their weights. The learned weights are in breakthrough.json, which
``python experiments/breakthrough_baseline.py`` writes.
"""

import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

PIECE = 100.0

SAFE = (2.0, 3.0, 8.0, 14.0, 24.0, 50.0, 100.0, 100.0)
"""For a piece that is not under threat, by rank from its own side; on the last the game is over."""

STEP = 10.0
"""For each rank that a piece has advanced, threatened or not."""

LEARNED = "breakthrough.json"
"""The file beside this one with the learned weights and the size of their pawn."""


def _by_rank(bonus: tuple[float, ...]) -> dict[str, float]:
    return {f"piece_rank_{rank}": weight for rank, weight in enumerate(bonus, 1)}


def _read_learned() -> dict[str, Any]:
    learned: dict[str, Any] = json.loads((files(__package__) / LEARNED).read_text(encoding="utf-8"))
    return learned


def weights() -> dict[str, dict[str, float]]:
    """Squares, safe advancement, races to the last rank and structure, learned by TD from weights of 0."""
    learned: dict[str, dict[str, float]] = _read_learned()["weights"]
    return learned


def pawn() -> float:
    """What the margins of the search take for a pawn beside the learned weights, in score units."""
    return float(_read_learned()["pawn"])


def piece_count() -> dict[str, dict[str, float]]:
    """Piece count alone, the first of A.4."""
    return {"material": {"piece": PIECE}}


def gradual_advance() -> dict[str, dict[str, float]]:
    """All pieces gradually up the board, the second of A.4."""
    return {"advancement": _by_rank(tuple(STEP * rank for rank in range(8)))}


def safe_advance() -> dict[str, dict[str, float]]:
    """Piece count, and a bonus for pieces not under threat that grows as they advance (A.3), the third of A.4."""
    return {"material": {"piece": PIECE}, "safe_advancement": _by_rank(SAFE)}


ALTERNATIVES: dict[str, Callable[[], dict[str, dict[str, float]]]] = {
    "piece_count": piece_count,
    "gradual_advance": gradual_advance,
    "safe_advance": safe_advance,
}
