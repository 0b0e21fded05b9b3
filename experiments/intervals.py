"""How samples are judged beside the seed's, by one rule for all experiments.

A claim is matched where its direction holds at 95%, or where the seed's figure lies within the sampling errors of both,
given a sample of some size; it is open where the sample cannot tell its direction, and not matched otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from plypilot.play.ratings import Tally

Array = NDArray[np.float64]

CONFIDENCE = 1.96
"""Standard errors either way that hold 95%."""
MOST_ERROR = 0.02
"""The largest standard error of a score that may be called near another one: some 600 games."""
RESAMPLES = 2000
"""Of a bootstrap."""


def is_beyond(interval: Sequence[float], bound: float) -> bool | None:
    """Whether an interval lies above a bound; None where it holds it."""
    low, high = interval[0], interval[-1]
    if low > bound:
        return True
    return False if high < bound else None


def score_error(wins: int, draws: int, losses: int) -> float:
    """The standard error of a score, each game on its own; that of an even match at least where all ended alike."""
    tally = Tally(wins, draws, losses)
    spread = wins + draws / 4 - tally.games * tally.score**2
    return float(np.sqrt(max(spread, 0.25) / tally.games**2))


def judge_score(match: Mapping[str, float], seed: tuple[int, int, int], bound: float = 0.5) -> bool | None:
    """A score beside the seed's wins, draws and losses, which lie above the bound. Few games are near everything, and
    tell nothing by that.
    """
    direction = is_beyond([match["interval"][0], match["interval"][1]], bound)  # type: ignore[index]
    if direction:
        return True
    ours = score_error(int(match["wins"]), int(match["draws"]), int(match["losses"]))
    apart = abs(match["score"] - Tally(*seed).score)
    if ours <= MOST_ERROR and apart <= CONFIDENCE * float(np.hypot(ours, score_error(*seed))):
        return True
    return direction


def is_near(ours: float, our_error: float, theirs: float, their_error: float) -> bool:
    """Whether two figures lie within the sampling errors of both."""
    return abs(ours - theirs) <= CONFIDENCE * float(np.hypot(our_error, their_error))


def bootstrap(
    count: int, figure: Callable[[NDArray[np.int64]], float], *, seed: int = 1, resamples: int = RESAMPLES
) -> tuple[float, float, float]:
    """A figure of so many samples, and the interval that holds it with 95%: samples are drawn again and again, with
    replacement (Efron 1979). ``figure`` is given the numbers of the samples.
    """
    rng = np.random.default_rng(seed)
    drawn = [figure(rng.integers(count, size=count)) for _ in range(resamples)]
    low, high = np.quantile(drawn, (0.025, 0.975))
    return figure(np.arange(count)), float(low), float(high)


def ratio_interval(one: Sequence[float], other: Sequence[float]) -> tuple[float, float, float]:
    """The ratio of two sums over the same samples, with its interval."""
    above, below = np.asarray(one, np.float64), np.asarray(other, np.float64)
    return bootstrap(len(above), lambda chosen: float(above[chosen].sum() / max(below[chosen].sum(), 1e-12)))


def mean_error(values: Sequence[float]) -> float:
    """The standard error of a mean; infinite for a single value, of which nothing is known."""
    count = len(values)
    return float(np.std(values, ddof=1) / np.sqrt(count)) if count > 1 else float("inf")
