"""What it costs to search a solution, by the costs of move categories: the model of Björnsson and Marsland (4.1).

A search to depth d has B^d nodes, and it must go as deep as the solution path is: both follow from the costs of moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plypilot.games import Move, Position, game_info
from plypilot.networks import PilotError

Array = NDArray[np.float64]

JOINT = "+"
"""Between the features of a category that asks for several."""


class Sample(NamedTuple):
    """What one search tells of the costs, as plain data."""

    nodes: int
    """Of the search, up to its deepest completed iteration."""
    depth: int
    """Of that iteration."""
    altered: list[float]
    """The nodes that it would have had if the moves of one category had cost more by delta, by category."""
    path_depth: float
    """D: what the moves of the solution path cost together."""
    path_moves: list[int]
    """How many moves of the path are in each category: the derivative of D."""


def category_masks(game: str, names: Sequence[str]) -> list[int]:
    """The features of each category as bits. Raises PilotError."""
    bits = {}
    for place, feature in enumerate(game_info(game).move_features):
        bits[feature.name] = bits[feature.symbol] = 1 << place
    masks = []
    for name in names:
        mask = 0
        for word in name.split(JOINT):
            if word not in bits:
                raise PilotError(f'category "{name}": {game} has no move feature "{word}"')
            mask |= bits[word]
        masks.append(mask)
    return masks


def class_of(features: int, masks: Sequence[int]) -> int:
    """The first category that a move with these features is in; -1 where it is in none."""
    return next((place for place, mask in enumerate(masks) if features & mask == mask), -1)


def path_of(
    position: Position, moves: Iterable[Move], masks: Sequence[int], costs: Sequence[float], depth: float
) -> tuple[float, list[int]]:
    """The depth of a line and its moves by category, as far as a search of a depth follows it.

    A line that the table has cut short is filled up with moves that cost a ply.
    """
    walk, spent, counts = position.copy(), 0.0, [0] * len(masks)
    for move in moves:
        if spent >= depth:
            break
        place = class_of(walk.move_features(move), masks)
        if place >= 0:
            counts[place] += 1
        spent += costs[place] if place >= 0 else 1.0
        walk.push(move)
    return max(spent, depth), counts


def growth(nodes: float, depth: float) -> float:
    """B: the factor by which each ply multiplies the nodes (equation 3)."""
    return float(max(nodes, 1.0) ** (1 / depth))


def cost(sample: Sample) -> float:
    """C: the nodes that it takes to search as deep as the solution path (equation 1)."""
    return float(growth(sample.nodes, sample.depth) ** sample.path_depth)


def cost_gradient(sample: Sample, delta: float) -> Array:
    """The derivatives of the cost by the costs of the categories (equations 2 and 4)."""
    base = growth(sample.nodes, sample.depth)
    slopes = np.array([(growth(nodes, sample.depth) - base) / delta for nodes in sample.altered])
    by_growth = sample.path_depth / base * slopes
    by_path = np.log(base) * np.array(sample.path_moves, np.float64)
    return np.asarray(cost(sample) * (by_growth + by_path), np.float64)


def relative_gradient(samples: Sequence[Sample], delta: float, size: int) -> Array:
    """By what part the cost of all samples together changes with each category's cost (algorithm 1, line 14)."""
    total = sum(cost(sample) for sample in samples)
    if not total:
        return np.zeros(size)
    return np.asarray(sum((cost_gradient(sample, delta) for sample in samples), np.zeros(size)) / total, np.float64)
