"""Statistics of matches and tournaments: score, Elo, likelihood of superiority, SPRT, ratings. Pure functions.

Elo intervals, likelihood of superiority and SPRT of two players rest on one thing: how likely the results are, at best,
where the expected score is given. That is the likelihood of the best-fitting multinomial with that mean (Owen 1988),
which is there for empty counts too. docs/statistics.md says how to read the figures.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

ELO_LIMIT = 2400.0
"""No difference is said to be larger: it stands for one point lost in a million games."""
NORMALISED_ELO_SCALE = 800 / math.log(10)
"""Normalised Elo of one standard deviation a game; so it equals Elo near 50% where there are no draws."""
PRIOR_GAMES = 0.5
"""Games that each rated player is taken to have drawn against one of rating 0, so that nobody is infinitely good."""

_NORMAL = NormalDist()
_SIGMAS = _NORMAL.inv_cdf(0.975)
"""Half the width of a 95% interval."""
_LOGIT_ELO = 400 / math.log(10)
"""Elo of one unit of log odds."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95% interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:+.0f} [{self.low:+.0f}, {self.high:+.0f}]"


class _Counts:
    """What Tally and Pentanomial share: how often each of several equally spaced results came, the worst first."""

    @property
    def counts(self) -> tuple[int, ...]:
        """How often each result came, the worst first."""
        raise NotImplementedError

    @property
    def results(self) -> int:
        """Independent results: games of a Tally, pairs of a Pentanomial."""
        return sum(self.counts)

    @property
    def games_each(self) -> int:
        """Games in a result."""
        return (len(self.counts) - 1) // 2

    @property
    def games(self) -> int:
        """Games played."""
        return self.results * self.games_each

    @property
    def points(self) -> float:
        """Points of A: 1 a win, 1/2 a draw."""
        return sum(worth * count for worth, count in enumerate(self.counts)) / 2

    @property
    def score(self) -> float:
        """Points a game, 1/2 where there were no games."""
        return self.points / self.games if self.games else 0.5

    def _check(self) -> None:
        for name, count in vars(self).items():
            if not isinstance(count, int) or count < 0:
                raise ValueError(f"{type(self).__name__.lower()}: {name} is {count!r}, expected a count of 0 or more")


@dataclass(frozen=True)
class Tally(_Counts):
    """Games of A against B, each by itself."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def __post_init__(self) -> None:
        self._check()

    @staticmethod
    def of(games: Iterable[float]) -> Tally:
        """Counts the points of A in each game: 0, 1/2 or 1."""
        return Tally(*reversed(_count((_half_points(points) for points in games), 3)))

    @property
    def counts(self) -> tuple[int, ...]:
        """Losses, draws, wins."""
        return self.losses, self.draws, self.wins

    @property
    def draw_rate(self) -> float:
        """The part of the games that were drawn, 0 where there were none."""
        return self.draws / max(self.games, 1)

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    def __str__(self) -> str:
        return f"+{self.wins} ={self.draws} -{self.losses}"


@dataclass(frozen=True)
class Pentanomial(_Counts):
    """Pairs of games of A against B from one opening, with colours swapped.

    The two games of a pair depend on each other through their opening, the pairs do not: so the pair is the result to
    count.
    """

    lost: int = 0
    """Pairs that gave A no point,"""
    behind: int = 0
    """1/2 point,"""
    level: int = 0
    """1 point,"""
    ahead: int = 0
    """3/2 points,"""
    won: int = 0
    """2 points."""

    def __post_init__(self) -> None:
        self._check()

    @staticmethod
    def of(pairs: Iterable[tuple[float, float]]) -> Pentanomial:
        """Counts the points of A in both games of each pair, each 0, 1/2 or 1."""
        return Pentanomial(*_count((_half_points(one) + _half_points(two) for one, two in pairs), 5))

    @property
    def counts(self) -> tuple[int, ...]:
        """Lost, behind, level, ahead, won."""
        return self.lost, self.behind, self.level, self.ahead, self.won

    @property
    def level_rate(self) -> float:
        """The part of the pairs that ended level, 0 where there were none."""
        return self.level / max(self.results, 1)

    def __add__(self, other: Pentanomial) -> Pentanomial:
        return Pentanomial(*map(sum, zip(self.counts, other.counts, strict=True)))

    def __str__(self) -> str:
        return "-".join(map(str, self.counts))


Results = Tally | Pentanomial
"""Whatever can be judged. Where games came in pairs, judge the pairs."""


# Two players


def elo_of(score: float) -> float:
    """The Elo difference that a score tells of, within ±ELO_LIMIT."""
    if not 0 < score < 1:
        return math.copysign(ELO_LIMIT, score - 0.5)
    return min(max(400 * math.log10(score / (1 - score)), -ELO_LIMIT), ELO_LIMIT)


def score_of(elo: float) -> float:
    """The score to expect of a player who is that much better."""
    return (1 + math.tanh(elo / (2 * _LOGIT_ELO))) / 2  # 1 / (1 + 10^(-elo/400)), for any number


def elo(results: Results) -> Estimate:
    """Elo difference with its 95% likelihood interval: the expected scores that the results speak little against.

    A sweep's value would be infinite: it counts as a quarter of a point lost, and the interval goes on to ELO_LIMIT.
    """
    if not results.games:
        return Estimate(0.0, -ELO_LIMIT, ELO_LIMIT)
    quarter = 1 / (4 * results.games)
    value = elo_of(min(max(results.score, quarter), 1 - quarter))
    return Estimate(value, elo_of(_score_limit(results, 0.0)), elo_of(_score_limit(results, 1.0)))


def superiority(results: Results) -> float:
    """Likelihood of superiority: how sure it is that A is the better player, from 0 to 1."""
    if not results.games:
        return 0.5
    deviance = max(2 * results.results * _misfit_of_score(results, 0.5), 0.0)
    return _NORMAL.cdf(math.copysign(math.sqrt(deviance), results.score - 0.5))


def normalised_elo(results: Results) -> Estimate:
    """Normalised Elo with its 95% interval: the score above 1/2 in standard deviations of a game, times 800 / ln 10.

    Where all results are equal, the variance is half the least that unequal ones have. The interval takes the deviation
    for known, as fishtest does: right for players that are about equal.
    """
    if not results.games:
        return Estimate(0.0, -ELO_LIMIT, ELO_LIMIT)
    worths = _worths(results)
    variance = sum(count * (worth - results.score) ** 2 for count, worth in zip(results.counts, worths, strict=True))
    variance = max(variance / results.results, worths[1] ** 2 / (2 * results.results))
    value = (results.score - 0.5) / math.sqrt(results.games_each * variance) * NORMALISED_ELO_SCALE
    margin = _SIGMAS * NORMALISED_ELO_SCALE / math.sqrt(results.games)
    return Estimate(value, value - margin, value + margin)


def verdict(one: str, other: str, results: Results) -> str:
    """Who is better, by how much and how sure that is, in a sentence."""
    if not results.games:
        return f"{one} and {other} have not played yet."
    difference, sure = elo(results), superiority(results)
    in_games = f"{results.score:.1%} of {results.games} games"
    if difference.low > 0 or difference.high < 0:
        ahead, behind = (one, other) if difference.low > 0 else (other, one)
        by, least = abs(difference.value), min(abs(difference.low), abs(difference.high))
        return (
            f"{ahead} is better than {behind} by about {by:.0f} Elo, and by {least:.0f} or more with 95% confidence: "
            f"{one} scored {in_games}."
        )
    return (
        f"It is open who is better: {one} scored {in_games}, which is {difference} Elo to {other} with 95% confidence; "
        f"the chance that {one} is better is {sure:.0%}."
    )


def describe(tally: Tally, pairs: Pentanomial | None = None) -> str:
    """One line on a match: ``+35 =40 -25, 55.0%, Elo +35 [-18, +88], LOS 90.2%``.

    Elo and likelihood of superiority are those of the pairs where there are any, and the line ends with their counts.
    """
    judged: Results = pairs if pairs is not None and pairs.games else tally
    line = f"{tally}, {tally.score:.1%}, Elo {elo(judged)}, LOS {superiority(judged):.1%}"
    return line if judged is tally else f"{line}, pairs {pairs}"


@dataclass(frozen=True)
class Sprt:
    """Sequential test of H0, A is elo0 better than B, against H1, A is elo1 better; it may stop at any time.

    The generalised test: each hypothesis is as likely as the best-fitting distribution of results that obeys it.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    """How often H1 may be accepted where H0 is true."""
    beta: float = 0.05
    """How often H0 may be accepted where H1 is true."""
    model: Literal["logistic", "normalised"] = "logistic"
    """The unit of elo0 and elo1: Elo as of ``elo``, or as of ``normalised_elo``, which is what fishtest uses."""

    def __post_init__(self) -> None:
        if not -ELO_LIMIT < self.elo0 < self.elo1 < ELO_LIMIT:
            between = f"elo0 below elo1, both within ±{ELO_LIMIT:.0f}"
            raise ValueError(f"sprt: elo0 is {self.elo0} and elo1 {self.elo1}, expected {between}")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"sprt: {name} is {getattr(self, name)}, expected more than 0 and less than 0.5")
        if self.model not in ("logistic", "normalised"):
            raise ValueError(f"sprt: model is {self.model!r}, expected 'logistic' or 'normalised'")

    @property
    def bounds(self) -> tuple[float, float]:
        """Where it stops: H0 at the first or below, H1 at the second or above (Wald 1945)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, results: Results) -> float:
        """Log likelihood ratio of H1 to H0, 0 without results."""
        if not results.results:
            return 0.0
        return results.results * (self._misfit(results, self.elo0) - self._misfit(results, self.elo1))

    def verdict(self, results: Results) -> Literal["H0", "H1"] | None:
        """The hypothesis to accept, None while the match should go on."""
        low, high = self.bounds
        ratio = self.llr(results)
        return "H0" if ratio <= low else "H1" if ratio >= high else None

    def describe(self, results: Results) -> str:
        """One line: ``SPRT [0, 5]: LLR +1.23 (-2.94, +2.94)``, and what was accepted if so."""
        low, high = self.bounds
        unit = "" if self.model == "logistic" else " normalised"
        found = self.verdict(results)
        line = f"SPRT [{self.elo0:g}, {self.elo1:g}]{unit}: LLR {self.llr(results):+.2f} ({low:+.2f}, {high:+.2f})"
        return line if found is None else f"{line}, {found} accepted"

    def _misfit(self, results: Results, difference: float) -> float:
        if self.model == "logistic":
            return _misfit_of_score(results, score_of(difference))
        return _misfit_of_normalised_elo(results, difference)


# Many players


def rate(points: ArrayLike, prior_games: float = PRIOR_GAMES) -> list[Estimate]:
    """Elo of many players with 95% intervals, from a cross table; their mean is 0.

    ``points[i, j]`` (players x players) are the points of i against j, a draw 1/2 to each; byes do not belong there.
    Ratings are the most likely ones in the model of Zermelo (1929), Bradley and Terry (1952), with a weak prior.
    Intervals come from the Fisher information with a draw as half a win: with many draws they are wider than need be.
    """
    table = np.asarray(points, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(f"cross table: shape {table.shape}, expected players x players")
    if not (np.isfinite(table).all() and (table >= 0).all()) or np.diagonal(table).any():
        raise ValueError("cross table: expected points of 0 or more, and 0 of each player against itself")
    if not prior_games > 0:
        raise ValueError(f"prior_games is {prior_games}, expected more than 0")
    players = len(table)
    if not players:
        return []
    logits = np.zeros(players)
    for _ in range(1000):
        # The gradient as won (1 - chance) - lost chance: points less expected points would cancel in long sweeps.
        chance = _chance(logits[:, None] - logits[None, :])
        gradient = (table * chance.T - table.T * chance).sum(axis=1)
        gradient += prior_games / 2 * (_chance(-logits) - _chance(logits))
        information = -(table + table.T) * chance * chance.T
        prior_information = prior_games * _chance(logits) * _chance(-logits)
        information[np.diag_indices(players)] = prior_information - information.sum(axis=1)
        step = np.linalg.solve(information, gradient)
        # A full Newton step may leap over the maximum where the curve is flat; one unit of log odds does no harm.
        logits += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-9:
            break
    centre = np.eye(players) - 1 / players
    deviations = np.sqrt(np.maximum(np.diagonal(centre @ np.linalg.inv(information) @ centre), 0))
    values = (logits - logits.mean()) * _LOGIT_ELO
    margins = deviations * _SIGMAS * _LOGIT_ELO
    return [Estimate(float(v), float(v - m), float(v + m)) for v, m in zip(values, margins, strict=True)]


def _chance(logits: np.ndarray) -> np.ndarray:
    """The probability that has these log odds."""
    chance: np.ndarray = np.exp(-np.logaddexp(0, -logits))
    return chance


# The best-fitting multinomial


def _worths(results: Results) -> list[float]:
    """The score that each count stands for, from 0 to 1."""
    most = len(results.counts) - 1
    return [half_points / most for half_points in range(most + 1)]


def _misfit_of_score(results: Results, score: float) -> float:
    """Log likelihood that each result loses, at best, where the expected score is so and not the observed one."""
    parts = [count / results.results for count in results.counts]
    return _tilt(parts, [worth - score for worth in _worths(results)])[0]


def _misfit_of_normalised_elo(results: Results, difference: float) -> float:
    """The same, where the normalised Elo is given.

    With y the score above 1/2 of a result and t its mean in standard deviations, E y = r sqrt(E y^2) for
    r = t / sqrt(1 + t^2). Since sqrt(E y^2) is the least of (s + E y^2 / s) / 2 over s, the condition is E x = 0 for
    x = y - r (s + y^2 / s) / 2 at s = sqrt(E y^2), which is found by iteration from the largest s that can be.
    """
    t = difference / NORMALISED_ELO_SCALE * math.sqrt(results.games_each)
    ratio = abs(t) / math.sqrt(1 + t * t)
    parts = [count / results.results for count in (results.counts if t >= 0 else results.counts[::-1])]
    above = [worth - 0.5 for worth in _worths(results)]
    size, misfit = 0.5, 0.0
    for _ in range(1000):  # a few are enough but for differences of hundreds
        misfit, fitted = _tilt(parts, [y - ratio * (size + y * y / size) / 2 for y in above])
        next_size = math.sqrt(sum(part * y * y for part, y in zip(fitted, above, strict=True)))
        if min(ratio, next_size) == 0 or abs(next_size - size) <= 1e-8 * size:  # the misfit is flat there
            break
        size = next_size
    return misfit


def _tilt(parts: Sequence[float], values: Sequence[float]) -> tuple[float, list[float]]:
    """The distribution under which the values have mean 0 that makes observed parts most likely, and what it loses.

    It is part / (1 + tilt value); what no part accounts for lies on the value that the tilt takes to 0. The loss is
    the mean of log(1 + tilt value), and the tilt its maximum (Owen 1988). Some value must be above 0, and some below.
    """
    observed = [(part, value) for part, value in zip(parts, values, strict=True) if part]
    low, high = -1 / max(values), -1 / min(values)

    def slope(tilt: float) -> float:
        return sum(part * value / (1 + tilt * value) for part, value in observed)

    if min(value for _, value in observed) > min(values) and slope(high) >= 0:
        tilt = high
    elif max(value for _, value in observed) < max(values) and slope(low) <= 0:
        tilt = low
    else:
        tilt = 0.0
        for _ in range(200):  # Newton's method, and halving where it would leave the bracket
            rise = slope(tilt)
            bend = sum(part * (value / (1 + tilt * value)) ** 2 for part, value in observed)
            if rise * rise <= 1e-24 * bend:  # twice what the loss still lacks; a short step alone proves nothing
                break
            low, high = (tilt, high) if rise > 0 else (low, tilt)
            tilt += rise / bend
            if not low < tilt < high:
                tilt = (low + high) / 2
    loss = sum(part * math.log1p(tilt * value) for part, value in observed)
    fitted = [part / (1 + tilt * value) if part else 0.0 for part, value in zip(parts, values, strict=True)]
    fitted[values.index(min(values) if tilt > 0 else max(values))] += 1 - sum(fitted)
    return loss, fitted


def _score_limit(results: Results, end: float) -> float:
    """The end of the 95% interval of the score that lies towards 0 or towards 1."""
    allowed = _SIGMAS**2 / (2 * results.results)
    inside, outside = results.score, end
    if inside == end:
        return end
    while abs(inside - outside) > 1e-12:
        middle = (inside + outside) / 2
        if _misfit_of_score(results, middle) <= allowed:
            inside = middle
        else:
            outside = middle
    return inside


def _count(half_points: Iterable[int], kinds: int) -> list[int]:
    counts = [0] * kinds
    for each in half_points:
        counts[each] += 1
    return counts


def _half_points(points: float) -> int:
    if points not in (0, 0.5, 1):
        raise ValueError(f"points of a game are {points!r}, expected 0, 0.5 or 1")
    return int(2 * points)
