"""Statistics of matches: known answers, closed forms, and simulated players whose strength is known."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conftest import SOAK
from plypilot.play.ratings import (
    ELO_LIMIT,
    NORMALISED_ELO_SCALE,
    Estimate,
    Pentanomial,
    Results,
    Sprt,
    Tally,
    describe,
    elo,
    elo_of,
    normalised_elo,
    rate,
    score_of,
    superiority,
)

COUNT = st.one_of(st.sampled_from([0, 0, 1]), st.integers(0, 100), st.integers(0, 10**7))
RESULTS = st.one_of(st.builds(Tally, COUNT, COUNT, COUNT), st.builds(Pentanomial, COUNT, COUNT, COUNT, COUNT, COUNT))
WORTHS = np.array([0, 0.25, 0.5, 0.75, 1])


def swapped(results: Results) -> Results:
    return type(results)(*(getattr(results, name) for name in reversed(vars(results))))


def numbers(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.value, estimate.low, estimate.high


def half_width(estimate: Estimate) -> float:
    return (estimate.high - estimate.low) / 2


# Counting


def test_games_and_pairs_are_counted() -> None:
    assert Tally.of([1, 0.5, 0, 1, 1]) == Tally(wins=3, draws=1, losses=1)
    assert Pentanomial.of([(0, 0), (0, 0.5), (1, 0), (0.5, 0.5), (1, 0.5), (1, 1)]) == Pentanomial(1, 1, 2, 1, 1)


def test_counts_add_up() -> None:
    assert sum([Tally(1, 2, 3), Tally(4, 5, 6)], Tally()) == Tally(5, 7, 9)
    assert Pentanomial(1, 2, 3, 4, 5) + Pentanomial(5, 4, 3, 2, 1) == Pentanomial(6, 6, 6, 6, 6)


def test_points_games_and_rates_are_those_of_the_games() -> None:
    tally, pairs = Tally(wins=35, draws=40, losses=25), Pentanomial(3, 10, 20, 12, 5)
    assert (tally.games, tally.points, tally.score, tally.draw_rate) == (100, 55.0, 0.55, 0.4)
    assert (pairs.games, pairs.points, pairs.score, pairs.level_rate) == (100, 53.0, 0.53, 0.4)
    assert (Tally().score, Tally().draw_rate, Pentanomial().level_rate) == (0.5, 0, 0)


def test_counts_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="tally: draws is -1"):
        Tally(draws=-1)
    with pytest.raises(ValueError, match=r"pentanomial: won is 1\.5"):
        Pentanomial(won=1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="points of a game are 2"):
        Tally.of([2])
    with pytest.raises(ValueError, match=r"points of a game are 1\.5"):
        Pentanomial.of([(1.5, 0.5)])


# Elo, superiority, normalised Elo


@pytest.mark.parametrize(
    ("results", "value", "margin", "superior", "normalised", "normalised_margin"),
    [  # What fastchess gives for these counts, rounded as its tests have it.
        (Tally(76, 123, 89), None, None, 0.1553, -20.76, 40.13),
        (Tally(136, 111, 96), 40.70, 30.43, 0.9960, 49.77, 36.77),
        (Tally(34, 0, 356), None, None, None, -508.44, 34.48),
        (Pentanomial(34, 54, 63, 64, 75), 55.58, 27.65, 1.0000, 57.94, 28.28),
        (Pentanomial(332, 433, 498, 333, 334), -8.64, 10.33, 0.0505, -9.17, 10.96),
        (Pentanomial(7895, 8757, 5685, 568, 9999), -21.04, 2.95, None, -19.01, 2.65),
    ],
)
def test_figures_agree_with_known_answers(
    results: Results,
    value: float | None,
    margin: float | None,
    superior: float | None,
    normalised: float,
    normalised_margin: float,
) -> None:
    if value is not None:
        assert elo(results).value == pytest.approx(value, abs=0.006)
        # Theirs is a normal interval: the likelihood interval comes as near as the square root of the games tells.
        assert half_width(elo(results)) == pytest.approx(margin, rel=0.005)
    if superior is not None:
        assert superiority(results) == pytest.approx(superior, abs=0.0005)
    assert normalised_elo(results).value == pytest.approx(normalised, abs=0.006)
    assert half_width(normalised_elo(results)) == pytest.approx(normalised_margin, abs=0.006)


@pytest.mark.parametrize("games", [1, 2, 10, 1000])
@pytest.mark.parametrize("kind", ["wins", "won"])
def test_a_sweep_of_n_leaves_scores_down_to_exp_of_minus_sigmas_squared_over_2n(games: int, kind: str) -> None:
    sweep = Tally(wins=games) if kind == "wins" else Pentanomial(won=games)
    found = elo(sweep)
    assert score_of(found.low) == pytest.approx(math.exp(-(1.959964**2) / (2 * games)), abs=1e-6)
    assert found.high == ELO_LIMIT
    assert score_of(found.value) == pytest.approx(1 - 1 / (4 * sweep.games))
    assert superiority(sweep) > 0.88


def test_level_results_only_are_no_proof_of_equality() -> None:
    few, many = elo(Pentanomial(level=4)), elo(Pentanomial(level=4000))
    assert few.value == many.value == 0
    assert half_width(few) > 100 > 1 > half_width(many) > 0.1
    assert superiority(Pentanomial(level=4)) == 0.5


def test_without_games_nothing_is_known() -> None:
    for nothing in (Tally(), Pentanomial()):
        assert numbers(elo(nothing)) == numbers(normalised_elo(nothing)) == (0, -ELO_LIMIT, ELO_LIMIT)
        assert superiority(nothing) == 0.5


@given(RESULTS)
def test_every_figure_of_every_result_is_finite_and_within_its_interval(results: Results) -> None:
    for estimate in (elo(results), normalised_elo(results)):
        assert all(map(math.isfinite, numbers(estimate)))
        assert estimate.low <= estimate.value <= estimate.high
    assert 0 <= superiority(results) <= 1
    for sprt in (Sprt(0, 5), Sprt(-3, 1, model="normalised"), Sprt(-2000, 2000), Sprt(300, 2000, model="normalised")):
        assert math.isfinite(sprt.llr(results))


@given(RESULTS)
@example(Pentanomial(1, 0, 0, 8, 8))  # Newton's method lands beside a pole here
def test_the_other_side_sees_the_same_with_the_sign_changed(results: Results) -> None:
    for figure in (elo, normalised_elo):
        ours, theirs = figure(results), figure(swapped(results))
        assert numbers(ours) == pytest.approx((-theirs.value, -theirs.high, -theirs.low), abs=1e-4, rel=1e-6)
    assert superiority(results) == pytest.approx(1 - superiority(swapped(results)), abs=1e-9)
    for model in ("logistic", "normalised"):
        mirrored = Sprt(-7, 2, model=model).llr(swapped(results))
        assert Sprt(-2, 7, model=model).llr(results) == pytest.approx(-mirrored, abs=1e-5, rel=1e-6)


@given(RESULTS)
def test_the_interval_excludes_equality_just_where_superiority_is_beyond_97_5_percent(results: Results) -> None:
    found, superior = elo(results), superiority(results)
    if abs(superior - 0.975) > 1e-6 and abs(superior - 0.025) > 1e-6:
        assert (found.low > 0) == (superior > 0.975)
        assert (found.high < 0) == (superior < 0.025)


@pytest.mark.parametrize(
    ("chances", "pairs"),
    [
        ([0.1, 0.2, 0.4, 0.2, 0.1], 20),
        ([0.0, 0.02, 0.08, 0.2, 0.7], 20),
        ([0.01, 0.04, 0.85, 0.08, 0.02], 100),
        ([0.05, 0.15, 0.3, 0.3, 0.2], 500),
    ],
)
def test_the_true_difference_lies_in_95_of_100_intervals(chances: list[float], pairs: int) -> None:
    rng = np.random.default_rng(5)
    truth = elo_of(float(WORTHS @ chances))
    runs = 4000 if SOAK else 150
    found = [elo(Pentanomial(*map(int, counts))) for counts in rng.multinomial(pairs, chances, runs)]
    covered = np.mean([each.low <= truth <= each.high for each in found])
    assert covered > 0.93 - 2 * math.sqrt(0.05 * 0.95 / runs)


@pytest.mark.parametrize(("score", "difference"), [(0.5, 0), (10 / 11, 400), (0.64, 99.95), (0.76, 200.24)])
def test_elo_and_score_are_each_other_s_inverse(score: float, difference: float) -> None:
    assert elo_of(score) == pytest.approx(difference, abs=0.01)
    assert score_of(elo_of(score)) == pytest.approx(score)
    assert elo_of(1 - score) == pytest.approx(-elo_of(score))


def test_beyond_all_measure_a_player_wins_or_loses_every_game() -> None:
    assert (score_of(1e9), score_of(-1e9)) == (1, 0)
    assert (elo_of(1), elo_of(0), elo_of(1 - 1e-12)) == (ELO_LIMIT, -ELO_LIMIT, ELO_LIMIT)


def test_one_line_says_it_all() -> None:
    assert describe(Tally(35, 40, 25)) == "+35 =40 -25, 55.0%, Elo +35 [-18, +88], LOS 90.2%"
    assert (
        describe(Tally(36, 34, 30), Pentanomial(3, 10, 20, 12, 5))
        == "+36 =34 -30, 53.0%, Elo +21 [-30, +72], LOS 79.4%, pairs 3-10-20-12-5"
    )
    assert describe(Tally(), Pentanomial()) == "+0 =0 -0, 50.0%, Elo +0 [-2400, +2400], LOS 50.0%"


# SPRT


@pytest.mark.parametrize(
    ("results", "elo0", "elo1", "model", "ratio"),
    [  # Stockfish tests as fishtest reported them, and what fastchess' tests have; both from public records.
        (Pentanomial(379, 10170, 21828, 10640, 343), 0, 2, "normalised", 2.946),
        (Pentanomial(365, 16618, 36229, 16974, 390), 0, 2, "normalised", 2.25),
        (Pentanomial(127, 4883, 10712, 5150, 104), -1.75, 0.25, "normalised", 3.01),
        (Tally(36433, 68692, 36027), 0, 2, "normalised", 0.92),
        (Tally(10871, 20431, 10650), -1.75, 0.25, "normalised", 2.30),
        (Pentanomial(223, 9863, 21279, 10037, 246), 0.5, 2.5, "logistic", -3.07),
        (Pentanomial(871, 26175, 55983, 26678, 821), 0, 2, "logistic", -4.98),
        (Tally(21404, 40708, 21184), 0.5, 2.5, "logistic", -1.57),
        (Tally(57433, 106593, 57030), 0, 2, "logistic", -2.59),
    ],
)
def test_the_likelihood_ratio_agrees_with_known_answers(
    results: Results, elo0: float, elo1: float, model: str, ratio: float
) -> None:
    digits = 0.0006 if ratio == 2.946 else 0.006
    assert Sprt(elo0, elo1, model=model).llr(results) == pytest.approx(ratio, abs=digits)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "pairs", [Pentanomial(379, 10170, 21828, 10640, 343), Pentanomial(365, 16618, 36229, 16974, 390)]
)
def test_in_long_matches_the_logistic_ratio_is_that_of_normal_results(pairs: Pentanomial) -> None:
    variance = sum(count * (worth - pairs.score) ** 2 for count, worth in zip(pairs.counts, WORTHS, strict=True))
    low, high = score_of(0), score_of(2)
    normal = pairs.results**2 * (high - low) * (2 * pairs.score - low - high) / (2 * variance)
    assert Sprt(0, 2).llr(pairs) == pytest.approx(normal, abs=0.01)


def test_the_ratio_of_a_sweep_is_that_of_its_expected_scores() -> None:
    for sweep in (Tally(wins=50), Pentanomial(won=50)):
        assert Sprt(-10, 40).llr(sweep) == pytest.approx(50 * math.log(score_of(40) / score_of(-10)))
    # All wins and losses: the normalised Elo e of a game fixes the chance p of a win by (p - 1/2)^2 = t^2 p (1 - p).
    t = 20 / NORMALISED_ELO_SCALE
    chance = 0.5 + t / math.sqrt(1 + t * t) / 2
    assert Sprt(0, 20, model="normalised").llr(Tally(wins=50)) == pytest.approx(50 * math.log(2 * chance))
    assert Sprt(0, 20, model="normalised").llr(Tally(draws=50)) == pytest.approx(-50 * math.log(1 + t * t))


@pytest.mark.parametrize("model", ["logistic", "normalised"])
@pytest.mark.parametrize("tally", [Tally(7, 20, 3), Tally(0, 6, 4), Tally(9, 0, 1), Tally(0, 5, 0), Tally(2, 1, 30)])
@pytest.mark.parametrize("difference", [-150, 30, 400])
def test_no_distribution_of_that_strength_fits_better(model: str, tally: Tally, difference: float) -> None:
    """Against a grid over all distributions of three results: a draw rate fixes the others."""
    t = difference / NORMALISED_ELO_SCALE
    draws = np.linspace(0, 1, 1_000_000, endpoint=False)
    edge = score_of(difference) - 0.5 if model == "logistic" else np.sign(t) * np.sqrt((1 - draws) / (1 + t**-2)) / 2
    chances = np.stack([(1 - draws) / 2 - edge, draws, (1 - draws) / 2 + edge])
    chances = chances[:, (chances >= 0).all(axis=0)]
    with np.errstate(divide="ignore"):
        best = max(sum(n * np.log(chance) for n, chance in zip(tally.counts, chances, strict=True) if n))
    observed = sum(n * math.log(n / tally.games) for n in tally.counts if n)
    misfit = Sprt(difference, difference + 1, model=model)._misfit(tally, difference)  # type: ignore[arg-type]
    assert tally.games * misfit == pytest.approx(observed - best, abs=1e-3)


def test_bounds_and_verdicts_are_wald_s() -> None:
    sprt = Sprt(0, 5, alpha=0.05, beta=0.1)
    assert sprt.bounds == pytest.approx((math.log(0.1 / 0.95), math.log(0.9 / 0.05)))
    assert Sprt(0, 5).bounds == pytest.approx((-2.944, 2.944), abs=0.001)
    assert sprt.verdict(Pentanomial()) is None
    assert sprt.verdict(Pentanomial(10, 40, 100, 42, 11)) is None
    assert sprt.verdict(Pentanomial(50, 200, 400, 400, 100)) == "H1"
    assert sprt.verdict(Pentanomial(100, 400, 400, 200, 50)) == "H0"


def test_one_line_says_where_the_test_stands() -> None:
    assert Sprt(0, 5).describe(Pentanomial()) == "SPRT [0, 5]: LLR +0.00 (-2.94, +2.94)"
    found = Sprt(0, 2, model="normalised").describe(Pentanomial(379, 10170, 21828, 10640, 343))
    assert found == "SPRT [0, 2] normalised: LLR +2.95 (-2.94, +2.94), H1 accepted"


def test_a_test_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="elo0 is 5 and elo1 0, expected elo0 below elo1"):
        Sprt(5, 0)
    with pytest.raises(ValueError, match="elo0 is nan"):
        Sprt(math.nan, 5)
    with pytest.raises(ValueError, match=r"alpha is 0\.5"):
        Sprt(0, 5, alpha=0.5)
    with pytest.raises(ValueError, match="model is 'bayes'"):
        Sprt(0, 5, model="bayes")  # type: ignore[arg-type]


def chances_of(sprt: Sprt, difference: float) -> np.ndarray:
    """How often pairs end so between players of that difference, who draw much."""
    low, high = -10.0, 10.0
    while high - low > 1e-12:
        tilt = (low + high) / 2
        chances = np.array([0.05, 0.2, 0.45, 0.2, 0.1]) * np.exp(tilt * WORTHS)
        chances /= chances.sum()
        mean = chances @ WORTHS
        deviation = math.sqrt(2 * (chances @ WORTHS**2 - mean**2))
        found = elo_of(mean) if sprt.model == "logistic" else (mean - 0.5) / deviation * NORMALISED_ELO_SCALE
        low, high = (tilt, high) if found < difference else (low, tilt)
    return chances


@pytest.mark.parametrize("model", ["logistic", "normalised"])
@pytest.mark.parametrize("truth", ["H0", "H1"])
def test_simulated_matches_of_known_strength_stop_wrongly_at_most_as_often_as_promised(model: str, truth: str) -> None:
    runs, step = (2000, 8) if SOAK else (200, 12)
    sprt = Sprt(0, 20 if SOAK else 40, model=model)  # type: ignore[arg-type]
    chances = chances_of(sprt, sprt.elo0 if truth == "H0" else sprt.elo1)
    rng = np.random.default_rng(2024)
    verdicts = []
    for _ in range(runs):
        counts = np.zeros(5, dtype=int)
        while (verdict := sprt.verdict(Pentanomial(*map(int, counts)))) is None:
            counts += rng.multinomial(step, chances)
        verdicts.append(verdict)
    wrong = sum(verdict != truth for verdict in verdicts) / runs
    assert wrong <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)
    assert wrong > 0  # or else it would be no test of the bounds


# Many players


def test_two_players_are_rated_as_by_their_score() -> None:
    wins, games = 70.0, 100.0
    first, second = rate([[0, wins], [games - wins, 0]], prior_games=1e-6)
    assert first.value - second.value == pytest.approx(elo_of(wins / games), abs=1e-4)
    assert first.value == pytest.approx(-second.value)
    # The variance of the log odds is 1 / (n p (1 - p)); each has half the difference, so half its deviation.
    deviation = 400 / math.log(10) / math.sqrt(games * 0.7 * 0.3)
    assert half_width(first) == half_width(second) == pytest.approx(1.959964 * deviation / 2, rel=1e-6)


def test_the_prior_is_a_few_draws_against_the_mean() -> None:
    """Of two players, A at x and B at -x: points missed = prior (chance of x - 1/2)."""
    first, second = rate([[0, 10], [0, 0]], prior_games=2)
    assert first.value == pytest.approx(-second.value)
    assert 10 * (1 - score_of(2 * first.value)) == pytest.approx(2 * (score_of(first.value) - 0.5))


def test_ratings_are_recovered_from_scores_that_fit_them() -> None:
    truth = np.array([300.0, 120, 0, -50, -370])
    expected = np.array([[1000 * score_of(a - b) for b in truth] for a in truth])
    np.fill_diagonal(expected, 0)
    found = rate(expected, prior_games=1e-9)
    assert [each.value for each in found] == pytest.approx(truth - truth.mean(), abs=1e-3)


def test_the_order_of_players_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    table = rng.integers(0, 9, (7, 7)).astype(float)
    np.fill_diagonal(table, 0)
    order = rng.permutation(7)
    found, permuted = rate(table), rate(table[np.ix_(order, order)])
    assert [numbers(found[i]) for i in order] == [pytest.approx(numbers(each), abs=1e-4) for each in permuted]


def test_the_unbeaten_the_winless_and_the_idle_have_finite_ratings() -> None:
    table = np.zeros((5, 5))
    table[0, 1:4] = table[1, 2:4] = table[2, 3] = 1_000_000.0  # 4 did not play
    found = rate(table)
    assert all(map(math.isfinite, itertools.chain.from_iterable(map(numbers, found))))
    assert [each.value for each in found[:4]] == sorted((each.value for each in found[:4]), reverse=True)
    assert sum(each.value for each in found) == pytest.approx(0, abs=1e-6)
    assert half_width(found[4]) > 500


def test_more_games_make_narrower_intervals() -> None:
    table = np.array([[0, 6, 7], [4, 0, 5], [3, 5, 0]], dtype=float)
    few, many = rate(table), rate(100 * table)
    for one, other in zip(few, many, strict=True):
        assert half_width(other) == pytest.approx(half_width(one) / 10, rel=0.05)


@pytest.mark.parametrize("draws", [0.0, 0.3])
def test_true_ratings_lie_in_95_of_100_intervals_and_in_more_with_draws(draws: float) -> None:
    truth = np.array([200.0, 120, 60, 0, -80, -300])
    truth -= truth.mean()
    rng = np.random.default_rng(3)
    runs = 2000 if SOAK else 150
    covered = []
    for _ in range(runs):
        table = np.zeros((6, 6))
        for i, j in itertools.combinations(range(6), 2):
            share = score_of(truth[i] - truth[j])
            drawn = draws * min(share, 1 - share)
            wins, even, losses = rng.multinomial(60, [share - drawn, 2 * drawn, 1 - share - drawn])
            table[i, j], table[j, i] = wins + even / 2, losses + even / 2
        covered += [each.low <= value <= each.high for each, value in zip(rate(table), truth, strict=True)]
    # Ratings of one table depend on each other: count tables, not ratings, as independent.
    margin = 2 * math.sqrt(0.05 * 0.95 / runs)
    assert np.mean(covered) > 0.95 - margin
    if draws == 0:
        assert np.mean(covered) < 0.95 + margin


def test_tables_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(1, 2\)"):
        rate([[1, 2]])
    with pytest.raises(ValueError, match="against itself"):
        rate([[1, 0], [0, 0]])
    with pytest.raises(ValueError, match="0 or more"):
        rate([[0, -1], [2, 0]])
    with pytest.raises(ValueError, match="prior_games is 0"):
        rate([[0, 1], [1, 0]], prior_games=0)
    assert rate(np.zeros((0, 0))) == []
    assert numbers(rate([[0]])[0]) == (0, 0, 0)
