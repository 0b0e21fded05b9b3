"""Lambda from the predictions themselves: how fast their quality fades with the distance between them (Smith 8.3).

The printed quality function is corrected: its roots are those for which the mean over all earlier predictions is zero,
and the misfit is squared.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from plypilot import _core

Array = NDArray[np.float64]

_BEND = (math.sqrt(17) - 1) / 4
"""The later prediction from which on the quality falls to -1 only on the far side."""


def zero_distance(later: Array) -> Array:
    """How far apart predictions are whose quality is 0, for later predictions of 1/2 or more (x and y of 8.7)."""
    p = later
    inner = np.maximum(16 * p * p - 8 * (1 + p) * p * (1 - 2 * p + 2 * p * p), 0)
    near = (4 * p - np.sqrt(inner)) / (4 * (1 + p))
    b = 2 - 2 * p - p * p
    far = (-b + np.sqrt(b * b + 4 * (1 + p) * (1 - p) ** 2)) / (2 * (1 + p))
    return np.where(p <= _BEND, near, far)


def quality(later: Array, earlier: Array) -> Array:
    """How well an earlier prediction foretold a later one: 1 where equal, -1 at worst, 0 for guesses (8.6, 8.7)."""
    mirrored = later < 0.5
    p, q = np.where(mirrored, 1 - later, later), np.where(mirrored, 1 - earlier, earlier)
    distance, zero = np.abs(p - q), zero_distance(p)
    with np.errstate(divide="ignore", invalid="ignore"):
        near = np.where(zero > 0, 1 - distance / zero, np.where(distance == 0, 1.0, -np.inf))
        return np.where(distance <= zero, near, -p * (distance - zero) / (p - zero))


class PredictionDecay:
    """Mean quality by distance, over all pairs of predictions of all sequences so far."""

    LONGEST = 512
    """Distances beyond it are left out; they are rare and weigh little."""

    def __init__(self, sums: Array | None = None, counts: Array | None = None) -> None:
        self.sums = np.zeros(self.LONGEST) if sums is None else sums.copy()
        self.counts = np.zeros(self.LONGEST) if counts is None else counts.copy()

    def add(self, predictions: Array) -> None:
        """Counts the pairs of one sequence, its outcome the last prediction."""
        zeros = zero_distance(np.maximum(predictions, 1 - predictions))
        _core.add_prediction_qualities(np.ascontiguousarray(predictions, np.float64), zeros, self.sums, self.counts)

    def fit(self) -> float:
        """psi: the base of the exponential curve with the least squared misfit, distances weighed by their pairs (8.8).

        1 where nothing was counted.
        """
        seen = self.counts > 0
        if not seen.any():
            return 1.0
        distances = np.nonzero(seen)[0].astype(np.float64)
        means, weights = self.sums[seen] / self.counts[seen], self.counts[seen]

        def misfit(psi: float) -> float:
            return float((weights * (means - psi**distances) ** 2).sum())

        # The misfit of a decaying curve has one minimum that matters: a coarse look, then a search by sections.
        grid = np.concatenate([np.linspace(0, 0.9, 19), 1 - np.logspace(-1, -5, 33), [1.0]])
        best = int(np.argmin([misfit(float(psi)) for psi in grid]))
        low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, len(grid) - 1)])
        section = (math.sqrt(5) - 1) / 2
        for _ in range(40):
            left, right = high - section * (high - low), low + section * (high - low)
            if misfit(left) <= misfit(right):
                high = right
            else:
                low = left
        return (low + high) / 2
