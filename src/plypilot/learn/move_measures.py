"""How well a network predicts best moves (Kocsis 3.4.5): error rate, rank of the best move, and what scores are worth.

Everything is found without searching: by the native passes of a trainer over cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plypilot import _core
from plypilot.learn.move_cases import Cases

_RANKS = 1024
"""Ranks that native passes count; the last one stands for all beyond."""


@dataclass(frozen=True)
class MoveMeasures:
    """What a pass over cases found. Those of several passes can be added."""

    loss: float = 0.0
    """Summed over all cases."""
    cases: int = 0
    moves: int = 0
    ranks: NDArray[np.float64] = field(default_factory=lambda: np.zeros(_RANKS))
    """How often the best move had each rank, from the highest score on. A move that shares its score with others has
    each of their ranks in part, as if they were tried in random order."""

    @classmethod
    def of(cls, found: tuple[float, int, int, NDArray[np.float64]]) -> MoveMeasures:
        """What a native pass gave."""
        return cls(*found)

    def __add__(self, other: MoveMeasures) -> MoveMeasures:
        return MoveMeasures(
            self.loss + other.loss, self.cases + other.cases, self.moves + other.moves, self.ranks + other.ranks
        )

    @property
    def error_rate(self) -> float:
        """How often the best move does not have the highest score; 1 without cases."""
        return 1 - self.share_within(1)

    @property
    def mean_rank(self) -> float:
        """Of the best move, from 1 on; 0 without cases."""
        return float((self.ranks * np.arange(1, len(self.ranks) + 1)).sum()) / self.cases if self.cases else 0.0

    def share_within(self, count: int) -> float:
        """How often the best move is among the first moves."""
        return float(self.ranks[:count].sum()) / self.cases if self.cases else 0.0


def measure(
    trainer: _core.MoveMapTrainer, weights: NDArray[np.float32], blocks: Iterable[Cases], threads: int = 1
) -> MoveMeasures:
    """The measures of all cases of some blocks."""
    total = MoveMeasures()
    for cases in blocks:
        total += MoveMeasures.of(trainer.measure(weights, cases.native, threads=threads))
    return total


class ScoredMoves(NamedTuple):
    """All legal moves of some cases, one after the other."""

    scores: NDArray[np.float32]
    shares: NDArray[np.float32]
    """The softmax of the scores of each case: how likely the moves are the best, as cross-entropy teaches it."""
    is_best: NDArray[np.bool_]


def score_moves(
    trainer: _core.MoveMapTrainer, weights: NDArray[np.float32], blocks: Iterable[Cases], threads: int = 1
) -> ScoredMoves:
    """What the network says of every move of some blocks, and which moves are the best ones."""
    parts = []
    for cases in blocks:
        scores = trainer.scores(weights, cases.native, threads=threads)
        is_best = np.zeros(len(scores), bool)
        is_best[cases.move_starts[:-1] + cases.best] = True
        parts.append(ScoredMoves(scores, _shares(scores, cases.move_starts), is_best))
    if not parts:
        return ScoredMoves(np.empty(0, np.float32), np.empty(0, np.float32), np.empty(0, bool))
    return ScoredMoves(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _shares(scores: NDArray[np.float32], starts: NDArray[np.int64]) -> NDArray[np.float32]:
    lengths, begins = np.diff(starts), starts[:-1]
    powers = np.exp(scores - np.repeat(np.maximum.reduceat(scores, begins), lengths))
    shares: NDArray[np.float32] = powers / np.repeat(np.add.reduceat(powers, begins), lengths)
    return shares


class ScoreBin(NamedTuple):
    """Moves whose numbers lie close together."""

    low: float
    high: float
    mean: float
    moves: int
    best_share: float
    """How often such a move is the best."""


def calibration(numbers: NDArray[np.float32], is_best: NDArray[np.bool_], bins: int = 10) -> list[ScoreBin]:
    """Scores or shares of moves against how often the moves are the best, in bins of about as many moves each.

    Shares that are well calibrated have a mean near to how often the moves of their bin are the best.
    """
    order = np.argsort(numbers, kind="stable")
    told = []
    for places in np.array_split(order, bins):
        if len(places):
            within = numbers[places]
            mean, share = float(within.mean(dtype=np.float64)), float(is_best[places].mean())
            told.append(ScoreBin(float(within[0]), float(within[-1]), mean, len(places), share))
    return told


class ScoreDistribution(NamedTuple):
    """How often scores of each size come up (Kocsis, figure 3.4)."""

    edges: NDArray[np.float64]
    """One more than bins."""
    moves: NDArray[np.int64]
    """All moves of each bin."""
    best: NDArray[np.int64]
    """The best moves among them."""
    mean: float
    deviation: float
    """The standard deviation, which history weights are set against (Kocsis 3.4.3)."""


def score_distribution(scored: ScoredMoves, bins: int = 50) -> ScoreDistribution:
    """The scores of all moves, in bins of one width."""
    scores = scored.scores
    edges = np.histogram_bin_edges(scores, bins)
    moves, best = (np.histogram(part, edges)[0] for part in (scores, scores[scored.is_best]))
    mean = float(scores.mean(dtype=np.float64)) if len(scores) else 0.0
    deviation = float(scores.std(dtype=np.float64)) if len(scores) else 0.0
    return ScoreDistribution(edges, moves, best, mean, deviation)


def tell(measures: MoveMeasures, counts: Sequence[int] = (1, 3, 5)) -> dict[str, float]:
    """The figures by name."""
    shares = {f"first_{count}": measures.share_within(count) for count in counts}
    return {"error": measures.error_rate, "mean_rank": measures.mean_rank, **shares}
