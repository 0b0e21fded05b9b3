"""Weights of places beside the values of chess pieces (Smith 7): the seed's tables of them, how often pieces stand
there, and what a piece is worth where it stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from selfplay import CHESS

Weights = dict[str, dict[str, float]]
"""Feature set -> feature -> weight, in pawns."""

RANKS = "pawn_ranks"
"""The feature set of 7.2.1."""
RINGS = ("knight", "bishop", "rook", "queen")
FREQUENCIES: dict[str, tuple[float, ...]] = {
    "pawn": (40.7, 27.2, 23.6, 6.5, 1.6, 0.5),
    "knight": (22.6, 23.8, 36.9, 16.7),
    "bishop": (37.4, 30.5, 22.8, 9.3),
    "rook": (65.1, 15.8, 14.7, 4.4),
    "queen": (38.9, 31.3, 25.5, 4.3),
}
"""Table 7.4, in per cent: pawns by rank from the second, the others by ring from the edge."""
CENTRAL: dict[str, tuple[float, ...]] = {
    "pawn": (0.000, 0.033, 0.100, 0.233, 0.500, 1.000),
    "knight": (0.000, 0.067, 0.133, 0.200),
    "bishop": (0.000, 0.033, 0.067, 0.100),
    "rook": (0.000, 0.000, 0.000, 0.000),
    "queen": (0.000, 0.033, 0.067, 0.100),
}
"""Table D.1, in the same order."""
SEED_RAW: dict[str, tuple[float, ...]] = {
    "pawn": (0.83, -0.33, -0.31, -0.25, -0.17, 0.25, 0.63),
    "knight": (1.58, -0.17, 0.15, 0.21, 0.40),
    "bishop": (1.72, -0.04, 0.25, 0.25, 0.27),
    "rook": (2.43, 0.15, 0.40, 0.46, 0.47),
    "queen": (4.52, 0.58, 0.75, 0.83, 0.78),
}
"""Table 7.1: the value of each piece, then its places."""
SEED_COMPOSITE: dict[str, tuple[float, ...]] = {
    "pawn": (1.00, 1.06, 1.17, 1.33, 2.18, 2.96),
    "knight": (2.86, 3.51, 3.62, 4.01),
    "bishop": (3.39, 3.98, 3.98, 4.02),
    "rook": (5.21, 5.72, 5.84, 5.86),
    "queen": (10.31, 10.67, 10.82, 10.72),
}
"""Table 7.2: value and place together, a pawn on its second rank 1."""
SEED_PIECES = (1.00, 2.67, 3.07, 4.72, 9.39)
SEED_SPREADS = (0.00, 0.17, 0.19, 0.25, 0.57)
"""Table D.2, half boards, with deviations over 20 runs."""
SEED_FULL_PIECES = (1.00, 2.76, 3.08, 4.62, 9.46)
SEED_FULL_SPREADS = (0.00, 0.11, 0.11, 0.17, 0.50)
"""The same of full boards."""
SEED_MATCHES = {
    "LCentral v None": (1847, 29, 106),
    "LCentral v Central": (1190, 94, 716),
    "Central v None": (1846, 40, 113),
    "Learnt v Random": (1848, 25, 127),
    "Learnt v Zero": (1916, 31, 53),
    "Random v Zero": (1359, 124, 517),
    "Learnt v Central": (1449, 76, 475),
    "Learnt v LCentral": (1114, 195, 691),
}
"""Tables 7.3 and 7.5: wins, draws and losses."""
SEED_HALF: dict[str, tuple[tuple[float, ...], ...]] = {
    "pawn": (
        (0.00, 0.00, 0.00, 0.00), (2.14, 1.92, 1.68, 1.63), (1.25, 1.20, 1.16, 1.13), (0.46, 0.61, 0.54, 0.65),
        (0.20, 0.38, 0.35, 0.53), (0.10, 0.34, 0.26, 0.37), (0.00, 0.30, 0.27, 0.10), (0.00, 0.00, 0.00, 0.00),
    ),
    "knight": (
        (0.00, 0.71, 0.73, 0.73), (0.53, 0.77, 1.08, 0.81), (0.79, 1.14, 1.16, 1.44), (0.99, 1.24, 1.29, 1.45),
        (0.77, 1.05, 1.23, 1.29), (0.57, 0.86, 0.95, 1.11), (0.48, 0.79, 0.91, 0.76), (0.64, 0.41, 0.60, 0.67),
    ),
    "bishop": (
        (0.25, 0.19, 0.21, 0.15), (0.17, 0.39, 0.31, 0.25), (0.30, 0.42, 0.55, 0.43), (0.30, 0.43, 0.52, 0.50),
        (0.21, 0.26, 0.47, 0.53), (0.13, 0.36, 0.40, 0.31), (0.23, 0.28, 0.26, 0.26), (0.08, 0.06, 0.00, 0.08),
    ),
    "rook": (
        (1.01, 0.99, 1.05, 0.86), (1.11, 1.13, 1.10, 1.03), (0.92, 0.91, 0.92, 0.88), (0.66, 0.60, 0.88, 0.81),
        (0.40, 0.61, 0.66, 0.76), (0.13, 0.46, 0.50, 0.60), (0.00, 0.36, 0.56, 0.60), (0.09, 0.13, 0.36, 0.55),
    ),
    "queen": (
        (0.27, 0.55, 0.78, 0.57), (0.41, 0.70, 1.11, 0.73), (0.71, 1.12, 1.15, 1.10), (0.45, 0.31, 0.89, 0.74),
        (0.20, 0.48, 0.50, 0.55), (0.21, 0.28, 0.30, 0.40), (0.14, 0.29, 0.32, 0.30), (0.29, 0.00, 0.04, 0.19),
    ),
}  # fmt: skip
"""Table D.3: half boards from rank 8 down, files from the edge to the middle; the least of a piece is 0 there."""
SEED_QUEEN: tuple[tuple[float, ...], ...] = (
    (0.14, 0.55, 0.55, 0.38, 0.43, 0.55, 0.51, 0.31), (0.31, 0.58, 0.64, 0.49, 0.48, 1.24, 0.85, 0.47),
    (0.33, 0.50, 0.94, 0.88, 0.92, 0.99, 1.13, 0.56), (0.28, 0.26, 0.56, 0.63, 0.80, 0.89, 0.39, 0.53),
    (0.15, 0.38, 0.49, 0.36, 0.53, 0.49, 0.45, 0.20), (0.18, 0.30, 0.34, 0.32, 0.31, 0.22, 0.38, 0.18),
    (0.14, 0.24, 0.29, 0.14, 0.20, 0.29, 0.20, 0.27), (0.18, 0.00, 0.04, 0.19, 0.09, 0.11, 0.17, 0.23),
)  # fmt: skip
"""Table D.4: the full board of queens from rank 8 down, files from a to h."""


def by_place(table: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """A table by pieces as weights of ranks and rings."""
    return {
        f"{piece}_rank_{number + 2}" if piece == "pawn" else f"{piece}_ring_{number + 1}": value
        for piece, values in table.items()
        for number, value in enumerate(values)
    }


def place_frequencies(piece: str, features: Sequence[str]) -> NDArray[np.float64]:
    """How often a piece stands where each of its features says, by table 7.4 spread evenly over ranks and rings."""
    groups = []
    for feature in features:
        place = feature.removeprefix(f"{piece}_")
        if "_" in place:  # rank_2 or ring_1
            groups.append(int(place.rpartition("_")[2]) - (2 if piece == "pawn" else 1))
        else:
            file, rank = "abcdefgh".index(place[0]), int(place[1]) - 1
            groups.append(rank - 1 if piece == "pawn" else min(file, 7 - file, rank, 7 - rank))
    counts = Counter(groups)
    shares = FREQUENCIES[piece]
    weights = np.array([shares[group] / counts[group] for group in groups])
    return np.asarray(weights / weights.sum())


def typical_values(weights: Weights) -> dict[str, float]:
    """What each piece is worth with where it stands, by the frequencies of table 7.4 (figure 7.4)."""
    typical = dict(weights["material"])
    for name, places in weights.items():
        if name == "material":
            continue
        for piece in typical:
            own = {feature: value for feature, value in places.items() if feature.startswith(f"{piece}_")}
            if own:
                frequencies = place_frequencies(piece, list(own))
                typical[piece] += float(frequencies @ np.array(list(own.values())))
    return typical


def places(fen: str) -> Iterator[str]:
    """The place of every piece of a position: ranks of pawns from the second, rings of the others from the edge.

    >>> sorted(places("8/P7/8/3n4/8/8/8/K6q w - - 0 1"))
    ['knight_3', 'pawn_5', 'queen_0']
    """
    names = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen"}
    for row, line in enumerate(fen.split()[0].split("/")):
        file = 0
        for letter in line:
            if letter.isdigit():
                file += int(letter)
                continue
            if letter.lower() in names:
                piece = names[letter.lower()]
                if piece == "pawn":
                    yield f"pawn_{6 - row if letter.isupper() else row - 1}"
                else:
                    yield f"{piece}_{min(file, 7 - file, row, 7 - row)}"
            file += 1


def composite(weights: Weights) -> dict[str, list[float]]:
    """Value and place together, a pawn on its second rank 1 (table 7.2)."""
    places = weights["ranks_rings"]
    pawn = weights["material"]["pawn"] + places["pawn_rank_2"]
    return {
        piece: [
            (weights["material"][piece] + value) / pawn for key, value in places.items() if key.startswith(f"{piece}_")
        ]
        for piece in CHESS
    }


def board(weights: Weights, piece: str) -> NDArray[np.float64]:
    """The half board of a piece, (ranks, files from the edge to the middle); NaN where it never stands."""
    squares = weights["half_board"]
    return np.array([[squares.get(f"{piece}_{file}{rank}", np.nan) for file in "abcd"] for rank in range(1, 9)])


def seed_half_board() -> dict[str, float]:
    """Table D.3 as weights of squares."""
    return {
        f"{piece}_{file}{rank}": value
        for piece, rows in SEED_HALF.items()
        for rank, row in zip(range(8, 0, -1), rows, strict=True)
        for file, value in zip("abcd", row, strict=True)
        if piece != "pawn" or 2 <= rank <= 7
    }


def seed_queen() -> dict[str, float]:
    """Table D.4 as weights of squares."""
    return {
        f"queen_{file}{rank}": value
        for rank, row in zip(range(8, 0, -1), SEED_QUEEN, strict=True)
        for file, value in zip("abcdefgh", row, strict=True)
    }


def from_least(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A board whose least square is 0, as in tables D.3 and D.4."""
    return np.asarray(values - np.nanmin(values))


def seed_rings() -> Weights:
    """Table 7.1 as weights."""
    return {
        "material": {piece: values[0] for piece, values in SEED_RAW.items()},
        "ranks_rings": by_place({piece: values[1:] for piece, values in SEED_RAW.items()}),
    }
