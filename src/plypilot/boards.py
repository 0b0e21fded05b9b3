"""Weights of features that name squares, ranks or rings, laid out on the board."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SQUARE = re.compile(r"(?:(?P<before>.+)_)?(?P<file>[a-z])(?P<rank>\d{1,2})(?:_(?P<after>.+))?")
_LINE = re.compile(r"(?P<before>.+)_(?P<kind>rank|ring)_(?P<number>\d{1,2})(?:_(?P<after>.+))?")
_FEWEST = 4
"""Features that make a board worth drawing."""


@dataclass(frozen=True)
class Board:
    """The weights of one kind of piece."""

    name: str
    values: NDArray[np.float64]
    """(ranks, files), from the view of the side to move, its first rank first; NaN where there is no weight."""


def find_boards(weights: Mapping[str, float], files: int, ranks: int) -> list[Board]:
    """The boards that weights by feature make, in the order of the features.

    A set that shares its weights between mirrored squares names those of the left half, or of the lower left quarter: a
    kind that has no square beyond the middle is mirrored.
    """
    boards: dict[str, NDArray[np.float64]] = {}
    counts: dict[str, int] = {}
    for feature, weight in weights.items():
        if at := _SQUARE.fullmatch(feature):
            file, rank = ord(at["file"]) - ord("a"), int(at["rank"]) - 1
            if file >= files or not 0 <= rank < ranks:
                continue
            squares = np.zeros((ranks, files), bool)
            squares[rank, file] = True
        elif at := _LINE.fullmatch(feature):
            squares = _line(at["kind"], int(at["number"]), files, ranks)
        else:
            continue
        name = " ".join(part for part in (at["before"], at["after"]) if part) or "square"
        values = boards.setdefault(name, np.full((ranks, files), np.nan))
        values[squares] = weight
        counts[name] = counts.get(name, 0) + 1
    return [Board(name, _mirror(values)) for name, values in boards.items() if counts[name] >= _FEWEST]


def _line(kind: str, number: int, files: int, ranks: int) -> NDArray[np.bool_]:
    rank, file = np.mgrid[0:ranks, 0:files]
    if kind == "rank":
        return np.asarray(rank == number - 1)
    ring = np.minimum(np.minimum(rank, ranks - 1 - rank), np.minimum(file, files - 1 - file)) + 1
    return np.asarray(ring == number)


def _mirror(values: NDArray[np.float64]) -> NDArray[np.float64]:
    ranks, files = values.shape
    if np.isnan(values[:, (files + 1) // 2 :]).all():
        values = np.where(np.isnan(values), values[:, ::-1], values)
    if np.isnan(values[(ranks + 1) // 2 :]).all():
        values = np.where(np.isnan(values), values[::-1], values)
    return values
