"""Shogi: material, piece squares and king safety, in score units with a pawn as 100.

Material is the YSS set of Smith (1999), table C.3; the rest is set by hand.
"""

from collections.abc import Callable

PAWN = 100.0

YSS = {
    "pawn": 0.48,
    "lance": 2.07,
    "knight": 2.16,
    "silver": 3.08,
    "gold": 3.32,
    "bishop": 4.28,
    "rook": 5.00,
    "promoted_pawn": 2.02,
    "promoted_lance": 3.03,
    "promoted_knight": 3.08,
    "promoted_silver": 3.22,
    "horse": 5.53,
    "dragon": 6.25,
}
"""Smith, table C.3: normalised to a rook of 5, on the board and in hand."""

_PROMOTED = (-60, -50, -40, -20, 0, 20, 30, 30, 10)
RANKS = {
    "pawn": (0, 0, 0, 12, 20, 30, 30, 20),
    "lance": (0, -6, -12, -18, -24, -24, -20, -20),
    "knight": (0, -10, 16, -20, -20, -10, 0),
    "silver": (0, 24, 36, 44, 48, 40, 30, 20, -10),
    "gold": (0, 20, 12, -4, -12, 0, 16, 16, 0),
    "bishop": (-10, 0, 6, 8, 8, 8, 8, 4, -8),
    "rook": (0, 4, -12, -16, -12, 0, 28, 28, 20),
    "king": (0, 8, -50, -120, -180, -200, -180, -140, -100),
    "promoted_pawn": _PROMOTED,
    "promoted_lance": _PROMOTED,
    "promoted_knight": _PROMOTED,
    "promoted_silver": _PROMOTED,
    "horse": (-8, 8, 16, 20, 20, 16, 16, 8, 0),
    "dragon": (-8, -8, -8, -8, 0, 12, 28, 28, 20),
}
"""What a piece gains on each rank from its own side, on the middle file. Pawns, lances and knights cannot stand on the
last one or two unpromoted."""

CENTRE = {
    "pawn": 2,
    "knight": 4,
    "silver": 6,
    "gold": 6,
    "bishop": 4,
    "promoted_pawn": 10,
    "promoted_lance": 10,
    "promoted_knight": 10,
    "promoted_silver": 10,
    "horse": 6,
    "dragon": 4,
}
"""What a piece loses with each file away from the middle one."""

KING_FILES = (0, 60, 52, 0, -20)
"""What a king gains on each file from the edge to the middle: castles stand at the side."""

KING_SAFETY = {
    "guard_pawn": 10,
    "guard_lance": 10,
    "guard_knight": 20,
    "guard_silver": 56,
    "guard_gold": 68,
    "guard_bishop": 0,
    "guard_rook": -30,
    "guard_promoted": 40,
    "attack_pawn": -24,
    "attack_lance": -16,
    "attack_knight": -24,
    "attack_silver": -32,
    "attack_gold": -40,
    "attack_bishop": -16,
    "attack_rook": -24,
    "attack_horse": -28,
    "attack_dragon": -36,
    "weak_squares": -30,
    "flights": 8,
    "holes": -10,
    "holes_by_drops": -4,
    "weak_by_drops": -10,
    "rook_lines_on_king": -20,
    "bishop_lines_on_king": -16,
    "lance_lines_on_king": -16,
    "no_pawn_ahead": -16,
}
"""For each of what the feature counts, around a player's own king."""


def _square_weight(piece: str, file: int, rank: int) -> float:
    """The weight of a piece on a file from the edge (0) to the middle (4) and a rank from its own side (0)."""
    if piece == "king":
        return float(RANKS[piece][rank] + KING_FILES[file])
    return float(RANKS[piece][rank] - CENTRE.get(piece, 0) * (4 - file))


def material() -> dict[str, dict[str, float]]:
    """The YSS set alone."""
    return {"material": {piece: round(PAWN * value / YSS["pawn"], 1) for piece, value in YSS.items()}}


def piece_squares() -> dict[str, float]:
    """The features of the set half_board, by the formula above."""
    return {
        f"{piece}_{'abcde'[file]}{rank + 1}": _square_weight(piece, file, rank)
        for piece, ranks in RANKS.items()
        for rank in range(len(ranks))
        for file in range(5)
    }


def weights() -> dict[str, dict[str, float]]:
    """Material, piece squares and king safety."""
    safety = {name: float(weight) for name, weight in KING_SAFETY.items()}
    return {**material(), "half_board": piece_squares(), "king_safety": safety}


ALTERNATIVES: dict[str, Callable[[], dict[str, dict[str, float]]]] = {"material": material}
