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


def seed_rings() -> Weights:
    """Table 7.1 as weights."""
    return {
        "material": {piece: values[0] for piece, values in SEED_RAW.items()},
        "ranks_rings": by_place({piece: values[1:] for piece, values in SEED_RAW.items()}),
    }
