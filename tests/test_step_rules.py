"""Step-size rules and prediction decay against answers worked out by hand (Smith chapter 8)."""

from __future__ import annotations

import numpy as np
import pytest

from plypilot.learn.prediction_decay import PredictionDecay, quality, zero_distance
from plypilot.learn.steps import Decaying, DeltaBarDelta, Fixed, Momentum, StepRule, TemporalCoherence

ONE = np.array([[1.0, -2.0], [3.0, 1.0]])
"""Two predictions that recommend changes of two weights: 4 and -1 in all."""


def test_a_fixed_rate_multiplies_the_sum_of_the_changes() -> None:
    move, memory = Fixed(rate=0.1).apply({}, ONE)
    assert move == pytest.approx([0.4, -0.1])
    assert memory == {}


def test_a_decaying_rate_is_half_after_halfway_sequences() -> None:
    rule = Decaying(rate=0.2, halfway=2)
    memory = rule.start(2)
    moves = []
    for _ in range(3):
        move, memory = rule.apply(memory, ONE)
        moves.append(move[0] / 4)
    assert moves == pytest.approx([0.2, 0.2 * 2 / 3, 0.1])


def test_a_decaying_rate_stays_once_it_has_come_down() -> None:
    rule = Decaying(rate=0.05, halfway=125, least=0.002)  # shogi's: 0.002 after 3,000 of 6,000 games (Smith 6.5.1)
    rates = [rule.apply({"sequences": np.array([count])}, ONE)[0][0] / 4 for count in (0, 125, 3000, 6000)]
    assert rates == pytest.approx([0.05, 0.025, 0.002, 0.002])


def test_temporal_coherence_moves_with_the_rates_of_before_then_adjusts_them() -> None:
    rule = TemporalCoherence(rate=0.5)
    move, memory = rule.apply(rule.start(2), ONE)
    assert move == pytest.approx([2.0, -0.5])  # every rate is 1 at first
    # N = (4, -1); A = (|1| + |3|, |-2| + |1|) = (4, 3): by prediction, not by sequence.
    assert memory["net"] == pytest.approx([4, -1])
    assert memory["total"] == pytest.approx([4, 3])
    move, memory = rule.apply(memory, np.array([[-1.0, 3.0]]))
    assert move == pytest.approx([0.5 * 1 * -1, 0.5 * (1 / 3) * 3])
    assert memory["net"] == pytest.approx([3, 2])
    assert memory["total"] == pytest.approx([5, 6])


def test_temporal_coherence_leaves_the_rate_of_a_weight_without_changes_at_1() -> None:
    rule = TemporalCoherence(rate=1)
    _, memory = rule.apply(rule.start(1), np.zeros((3, 1)))
    move, _ = rule.apply(memory, np.array([[0.25]]))
    assert move == pytest.approx([0.25])


def test_temporal_coherence_stops_a_weight_whose_changes_cancel() -> None:
    rule = TemporalCoherence()
    _, memory = rule.apply(rule.start(1), np.array([[1.0], [-1.0]]))
    move, _ = rule.apply(memory, np.array([[5.0]]))
    assert move == pytest.approx([0.0])


def test_delta_bar_delta_raises_rates_by_steps_and_lowers_them_by_parts() -> None:
    rule = DeltaBarDelta(first_rate=0.1, rise=0.02, fall=0.5, base=0.5)
    # One weight, changes 2, 4, -1: the means before each are 0, 1, 2.5.
    move, memory = rule.apply(rule.start(1), np.array([[2.0], [4.0], [-1.0]]))
    assert move == pytest.approx([0.1 * 5])
    # 0.1, stays (mean 0); + 0.02 (agrees); times 1/2 (against the mean).
    assert memory["rates"] == pytest.approx([0.06])
    assert memory["means"] == pytest.approx([0.75])
    move, _ = rule.apply(memory, np.array([[1.0]]))
    assert move == pytest.approx([0.06])


def test_delta_bar_delta_may_adjust_rates_once_a_sequence() -> None:
    rule = DeltaBarDelta(first_rate=0.1, rise=0.02, fall=0.5, base=0.5, adjusted="sequence")
    memory = rule.start(1)
    # Sequences recommend 5, 1 and -3; the means before them are 0, 2.5 and 1.75.
    for changes, rate, mean in (([2, 4, -1], 0.1, 2.5), ([3, -2], 0.12, 1.75), ([-4, 1], 0.06, -0.625)):
        before = memory["rates"]
        move, memory = rule.apply(memory, np.array([[float(change)] for change in changes]))
        assert move == pytest.approx(before * sum(changes))
        assert (memory["rates"], memory["means"]) == (pytest.approx([rate]), pytest.approx([mean]))


def test_momentum_makes_a_part_of_the_last_move_once_more() -> None:
    rule = Momentum(rate=0.1, keep=0.5)
    move, memory = rule.apply(rule.start(1), np.array([[2.0], [4.0]]))
    assert move == pytest.approx([0.6])
    move, memory = rule.apply(memory, np.array([[-1.0]]))
    assert move == memory["move"] == pytest.approx([0.3 - 0.1])


@pytest.mark.parametrize("rule", [Fixed(), Momentum(), Decaying(), TemporalCoherence(), DeltaBarDelta()])
def test_a_rule_does_not_change_what_it_is_given(rule: StepRule) -> None:
    _, memory = rule.apply(rule.start(2), ONE)
    before = {name: array.copy() for name, array in memory.items()}
    rule.apply(memory, ONE)
    assert all(np.array_equal(memory[name], before[name]) for name in before)


# Prediction decay


@pytest.mark.parametrize("later", [0.0, 0.1, 0.21, 0.2192, 0.3, 0.5, 0.55, 0.7, 0.78, 0.7808, 0.79, 0.9, 0.999, 1.0])
def test_the_quality_of_random_predictions_is_0_on_the_mean(later: float) -> None:
    earlier = (np.arange(200_000) + 0.5) / 200_000
    assert float(quality(np.full_like(earlier, later), earlier).mean()) == pytest.approx(0, abs=2e-5)


def test_equal_predictions_have_quality_1_and_opposite_ones_minus_1_at_worst() -> None:
    p = np.linspace(0, 1, 101)
    assert quality(p, p) == pytest.approx(np.ones(101))
    grid = quality(p[:, None] + 0 * p, p[None, :] + 0 * p[:, None])
    assert grid.min() >= -1 - 1e-12
    assert grid.max() <= 1 + 1e-12
    assert quality(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == pytest.approx([-1, -1])
    assert grid == pytest.approx(grid[::-1, ::-1])  # both sides are treated alike


def test_the_zero_of_the_quality_is_where_it_was_derived() -> None:
    assert zero_distance(np.array([0.5])) == pytest.approx([1 / 6])
    assert quality(np.array([0.5]), np.array([0.5 - 1 / 6])) == pytest.approx([0])


@pytest.mark.parametrize("psi", [0.3, 0.7, 0.95, 0.99, 0.993])
def test_the_fit_finds_the_base_of_a_known_decay(psi: float) -> None:
    distances = np.arange(PredictionDecay.LONGEST)
    counts = np.maximum(400.0 - distances, 0)
    assert PredictionDecay(counts * psi**distances, counts).fit() == pytest.approx(psi, abs=1e-6)


def test_the_fit_is_1_where_nothing_was_seen_and_for_predictions_that_never_change() -> None:
    assert PredictionDecay().fit() == 1
    decay = PredictionDecay()
    decay.add(np.full(30, 0.8))
    assert decay.fit() == pytest.approx(1, abs=1e-9)


def test_pairs_are_counted_by_their_distance_the_later_one_first() -> None:
    decay = PredictionDecay()
    decay.add(np.array([0.5, 0.6, 1.0]))
    assert decay.counts[:4].tolist() == [3, 2, 1, 0]
    assert decay.sums[2] == pytest.approx(float(quality(np.array([1.0]), np.array([0.5]))[0]))
    expected = quality(np.array([0.6, 1.0]), np.array([0.5, 0.6])).sum()
    assert decay.sums[1] == pytest.approx(float(expected))


def test_pairs_have_the_quality_of_the_formula() -> None:
    rng = np.random.default_rng(5)
    predictions = np.concatenate([rng.random(60), [0.0, 1.0, 1.0, 0.0, 0.5]])
    decay = PredictionDecay()
    decay.add(predictions)
    for distance in range(len(predictions)):
        found = quality(predictions[distance:], predictions[: len(predictions) - distance])
        assert decay.sums[distance] == pytest.approx(float(found.sum()))
