"""Chess: a tapered evaluation, set by hand from what every chess book teaches, in score units with a pawn as 100.

Each weight comes as a pair, for the middle game and for the endgame; the set ``baseline`` names its features alike with
``_mg`` and ``_eg``. Piece squares and mobility follow formulas, so that a few numbers say what hundreds of weights are.
"""

from math import sqrt

Pair = tuple[float, float]
"""For the middle game and for the endgame."""

MATERIAL: dict[str, Pair] = {
    "pawn": (90, 112),
    "knight": (330, 325),
    "bishop": (340, 345),
    "rook": (485, 555),
    "queen": (1010, 1040),
}

RING: dict[str, tuple[Pair, Pair, Pair, Pair]] = {
    "knight": ((-30, -28), (-8, -10), (8, 6), (16, 14)),
    "bishop": ((-8, -8), (2, -2), (5, 3), (8, 6)),
    "rook": ((0, 0), (0, 0), (0, 0), (0, 0)),
    "queen": ((-5, -16), (2, -4), (4, 6), (4, 12)),
    "king": ((0, -34), (0, -8), (0, 14), (0, 24)),
}
"""From the edge to the centre."""

RANKS: dict[str, tuple[Pair, ...]] = {
    "knight": ((-8, 0), (-4, 0), (0, 0), (4, 2), (8, 4), (10, 2), (4, 0), (-6, -4)),
    "bishop": ((-6, 0), (2, 0), (3, 0), (3, 0), (3, 0), (2, 0), (0, 0), (0, 0)),
    "rook": ((0, -4), (-4, -4), (-4, -2), (-4, 0), (-2, 4), (4, 6), (10, 8), (4, 6)),
    "queen": ((2, -8), (2, -4), (1, 0), (0, 2), (-1, 4), (-1, 4), (-2, 2), (-2, 0)),
    "king": ((0, -10), (-20, -2), (-45, 4), (-60, 8), (-70, 10), (-70, 10), (-70, 4), (-70, -4)),
}
"""From a player's own first rank to his last."""

FILES: dict[str, tuple[Pair, Pair, Pair, Pair]] = {
    "rook": ((-6, 0), (-3, 0), (2, 0), (6, 0)),
    "king": ((24, 0), (32, 0), (2, 0), (-8, 0)),
}
"""From the edge to the middle: the king castles."""

PAWN_RANKS: tuple[Pair, ...] = ((0, 0), (0, 0), (2, 2), (6, 6), (10, 12), (14, 16))
"""From the second rank to the seventh."""
PAWN_CENTRE: tuple[tuple[float, float, float, float], ...] = (
    (-2, 2, 0, -12),
    (-3, 1, 2, 4),
    (-6, -2, 8, 18),
    (-4, 0, 10, 20),
    (-2, 0, 10, 16),
    (0, 0, 4, 6),
)
"""What a pawn gains in the middle game on files a to d (or h to e), by rank: the centre is to be taken."""

LONG_DIAGONAL: Pair = (6, 2)
"""For a bishop."""
CORNER: Pair = (-14, -14)
"""For a knight."""

MOBILITY: dict[str, tuple[int, int, Pair]] = {
    "knight": (8, 4, (17, 17)),
    "bishop": (13, 6, (16, 18)),
    "rook": (14, 6, (9, 21)),
    "queen": (27, 12, (5, 12)),
}
"""The most squares a piece attacks, the usual number, and the weight of the square root of their number: the first few
squares matter most."""

PLACEMENT: dict[str, Pair] = {
    "bishop_pair": (28, 50),
    "bishop_own_pawns": (-3, -6),
    "knight_outpost": (24, 16),
    "bishop_outpost": (14, 8),
    "outpost_reach": (7, 4),
    "rook_open_file": (26, 12),
    "rook_half_open_file": (11, 8),
    "rook_seventh": (10, 20),
    "rook_behind_passer": (4, 14),
    "space": (2, 0),
    "tempo": (18, 10),
}

PAWNS: dict[str, Pair] = {
    "pawn_doubled": (-8, -16),
    "pawn_isolated": (-8, -10),
    "pawn_isolated_open": (-8, -6),
    "pawn_backward": (-5, -7),
    "pawn_backward_open": (-9, -5),
    "pawn_candidate": (6, 14),
    "passer_protected": (6, 12),
    "passer_blocked": (-5, -9),
    "passer_free": (3, 7),
    "passer_run": (4, 11),
    "passer_own_king": (0, -3),
    "passer_enemy_king": (0, 5),
    "passer_unstoppable": (0, 450),
    "pawnless_advantage": (-40, -170),
}
CONNECTED: tuple[Pair, ...] = ((2, 0), (7, 3), (10, 7), (20, 16), (38, 35), (65, 60))
PASSER: tuple[Pair, ...] = ((0, 8), (0, 12), (6, 26), (24, 52), (54, 95), (90, 150))
"""From the second rank to the seventh."""

KING_SAFETY: dict[str, Pair] = {
    "shield_near": (15, 0),
    "shield_far": (8, 0),
    "king_open_file": (-18, 0),
    "king_half_open_file": (-11, 0),
    "storm_rank_2": (-8, 0),
    "storm_rank_3": (-18, 0),
    "storm_rank_4": (-10, 0),
    "storm_rank_5": (-3, 0),
    "king_attack_knight": (3, 0),
    "king_attack_bishop": (2, 0),
    "king_attack_rook": (3, 0),
    "king_attack_queen": (3, 1),
}
DANGER_DEGREES = 24

THREATS: dict[str, Pair] = {
    "threat_pawn_minor": (52, 40),
    "threat_pawn_rook": (70, 45),
    "threat_pawn_queen": (65, 45),
    "threat_push": (17, 13),
    "threat_minor_minor": (18, 20),
    "threat_minor_rook": (38, 32),
    "threat_minor_queen": (38, 32),
    "threat_rook_minor": (16, 20),
    "threat_rook_queen": (38, 20),
    "hanging_pawn": (5, 12),
    "hanging_piece": (32, 28),
}


def _danger(degree: int) -> Pair:
    """What a degree of danger costs the king: little at first, in the end a piece and more."""
    return (-(3 * degree + 0.55 * degree**2), -1.5 * degree)


def _square(piece: str, file: int, rank: int) -> Pair:
    """A piece on a file from the edge (0) to the middle (3) and a rank from its own side (0)."""
    if piece == "pawn":
        return (PAWN_RANKS[rank - 1][0] + PAWN_CENTRE[rank - 1][file], PAWN_RANKS[rank - 1][1])
    parts = [RING[piece][min(file, rank, 7 - rank)], RANKS[piece][rank]]
    if piece in FILES:
        parts.append(FILES[piece][file])
    if piece == "bishop" and rank in (file, 7 - file):
        parts.append(LONG_DIAGONAL)
    if piece == "knight" and file == 0 and rank in (0, 7):
        parts.append(CORNER)
    return (sum(part[0] for part in parts), sum(part[1] for part in parts))


def _mobility(squares: int, usual: int, slope: Pair) -> Pair:
    gain = sqrt(squares) - sqrt(usual)
    return (round(slope[0] * gain, 1), round(slope[1] * gain, 1))


def _pairs() -> dict[str, Pair]:
    pairs = {**MATERIAL, **PLACEMENT, **PAWNS, **KING_SAFETY, **THREATS}
    for piece in ("pawn", *RING):
        for rank in range(1, 7) if piece == "pawn" else range(8):
            for file in range(4):
                pairs[f"{piece}_{'abcd'[file]}{rank + 1}"] = _square(piece, file, rank)
    for piece, (most, usual, slope) in MOBILITY.items():
        for squares in range(most + 1):
            pairs[f"{piece}_mobility_{squares}"] = _mobility(squares, usual, slope)
    for number, rank in enumerate(range(2, 8)):
        pairs[f"pawn_connected_rank_{rank}"] = CONNECTED[number]
        pairs[f"passer_rank_{rank}"] = PASSER[number]
    for degree in range(1, DANGER_DEGREES + 1):
        pairs[f"king_danger_{degree}"] = _danger(degree)
    return pairs


def weights() -> dict[str, dict[str, float]]:
    """All of it, as the set ``baseline``."""
    return {
        "baseline": {
            f"{name}_{phase}": float(weight)
            for name, pair in _pairs().items()
            for phase, weight in zip(("mg", "eg"), pair, strict=True)
        }
    }
