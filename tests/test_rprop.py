"""RPROP, AdaGrad and Adam: sequences worked out by hand, and bowls whose bottom is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pydantic import ValidationError

from plypilot.learn.descent import AdaGrad, Adam, Descent
from plypilot.learn.rprop import Rprop


def _follow(rule: Rprop, slopes: list[float], first: float = 0.0) -> list[tuple[float, float, float]]:
    """Weight, step and kept slope of one weight after each slope."""
    weight, memory = np.array([first], np.float32), rule.start(1)
    told = []
    for slope in slopes:
        weight, memory = rule.apply(weight, np.array([slope]), memory)
        told.append((float(weight[0]), float(memory["steps"][0]), float(memory["slopes"][0])))
    return told


def test_rprop_forgets_turns_as_worked_out_by_hand() -> None:
    # First no sign is known (step 0.1), then it is kept (0.12), then it turns: the step shrinks (0.06), the weight
    # waits and the slope is forgotten, so that the next step stays as long; then the sign is kept again (0.072).
    told = _follow(Rprop(), [5.0, 0.001, -3.0, -3.0, -1.0])
    expected = [(-0.1, 0.1, 5.0), (-0.22, 0.12, 0.001), (-0.22, 0.06, 0.0), (-0.16, 0.06, -3.0), (-0.088, 0.072, -1.0)]
    assert_allclose(told, expected, rtol=1e-6)


def test_rprop_as_printed_goes_on_after_a_turn() -> None:
    told = _follow(Rprop(forgets_turns=False), [5.0, 0.001, -3.0, -3.0])
    assert_allclose(
        told, [(-0.1, 0.1, 5.0), (-0.22, 0.12, 0.001), (-0.16, 0.06, -3.0), (-0.088, 0.072, -3.0)], rtol=1e-6
    )


def test_rprop_waits_where_there_is_no_slope() -> None:
    assert_allclose(_follow(Rprop(), [1.0, 0.0, 1.0])[-1], (-0.2, 0.1, 1.0), rtol=1e-6)


def test_rprop_keeps_steps_in_their_bounds() -> None:
    rule = Rprop(first_step=1, least_step=0.5, most_step=1.3)
    assert_allclose([step for _, step, _ in _follow(rule, [1.0, 1.0, 1.0])], [1, 1.2, 1.3], rtol=1e-6)
    turning = Rprop(first_step=1, least_step=0.3, forgets_turns=False)
    assert_allclose([step for _, step, _ in _follow(turning, [1.0, -1.0, 1.0, -1.0])], [1, 0.5, 0.3, 0.3], rtol=1e-6)


def test_rprop_heeds_the_sign_of_slopes_whose_product_is_too_small_to_tell() -> None:
    assert_allclose(_follow(Rprop(), [1e-30, 1e-30])[-1][:2], (-0.22, 0.12), rtol=1e-6)
    assert_allclose(_follow(Rprop(), [1e-30, -1e-30])[-1][:2], (-0.1, 0.05), rtol=1e-6)


@pytest.mark.parametrize("forgets_turns", [True, False])
def test_rprop_finds_the_bottom_of_a_bowl_whatever_its_steepness(forgets_turns: bool) -> None:
    steepness = np.array([[1e-4, 1.0, 1e4], [1e-2, 10.0, 1e6]])
    bottom = np.array([[3.0, -1.0, 0.5], [-40.0, 7.0, 0.0]])
    rule = Rprop(forgets_turns=forgets_turns)
    weights, memory = np.zeros((2, 3), np.float32), rule.start((2, 3))
    for _ in range(300):
        weights, memory = rule.apply(weights, 2 * steepness * (weights - bottom), memory)
    assert_allclose(weights, bottom, atol=1e-3)
    assert {array.dtype for array in (weights, *memory.values())} == {np.dtype(np.float32)}
    assert memory["steps"].shape == (2, 3)


def test_rules_leave_what_they_are_given() -> None:
    weights, gradient = np.ones(4, np.float32), np.ones(4, np.float32)
    rprop, adam = Rprop().start(4), Adam().start(4)
    Rprop().apply(weights, gradient, rprop)
    Adam().apply(weights, gradient, adam, 1)
    assert_array_equal(weights, 1)
    assert_array_equal(rprop["steps"], np.float32(0.1))
    assert_array_equal(adam["means"], 0)


def test_rprop_refuses_what_cannot_be() -> None:
    with pytest.raises(ValidationError, match=r"first_step is 0\.1, expected between least_step"):
        Rprop(most_step=0.01)
    with pytest.raises(ValueError, match="gradient: has 3 numbers, expected 4"):
        Rprop().apply(np.zeros(4), np.zeros(3), Rprop().start(4))


def test_adagrad_by_hand() -> None:
    rule = AdaGrad(rate=0.5)
    weights, memory = rule.apply(np.zeros(2), np.array([3.0, 0.0]), rule.start(2), 1)
    assert_allclose(weights, [-0.5, 0])
    weights, memory = rule.apply(weights, np.array([4.0, -2.0]), memory, 2)
    assert_allclose(weights, [-0.5 - 0.5 * 4 / 5, 0.5])
    assert_allclose(memory["squares"], [25, 4])


def test_shrinking_by_hand() -> None:
    weights = np.array([6.0, -6.0, 0.0], np.float32)
    AdaGrad(rate=0.5).shrink(weights, {"squares": np.array([4.0, 0.25, 0.0], np.float32)}, 2)
    assert_allclose(weights, [6 / (1 + 0.5 * 2 / 2), -6 / (1 + 0.5 * 2 / 0.5), 0])


def test_adam_by_hand() -> None:
    rule = Adam(rate=0.1, mean_decay=0.5, square_decay=0.75)
    weights, memory = rule.apply(np.zeros(1), np.array([2.0]), rule.start(1), 1)
    assert_allclose(weights, [-0.1], rtol=1e-6)
    weights, memory = rule.apply(weights, np.array([-1.0]), memory, 2)
    mean, square = (1.0 * 0.5 - 0.5) / (1 - 0.25), (1.0 * 0.75 + 0.25) / (1 - 0.5625)
    assert_allclose(weights, [-0.1 - 0.1 * mean / np.sqrt(square)], rtol=1e-6)


@pytest.mark.parametrize("rule", [AdaGrad(rate=1), Adam(rate=0.02)])
def test_descent_finds_the_bottom_of_a_bowl(rule: Descent) -> None:
    steepness, bottom = np.array([0.1, 1.0, 100.0]), np.array([3.0, -1.0, 0.5])
    weights, memory = np.zeros(3, np.float32), rule.start(3)
    for step in range(1, 2001):
        weights, memory = rule.apply(weights, 2 * steepness * (weights - bottom), memory, step)
    assert_allclose(weights, bottom, atol=1e-2)


@given(st.lists(st.tuples(st.floats(-5, 5, width=32), st.booleans()), min_size=1, max_size=30))
def test_a_weight_without_a_slope_keeps_its_place_and_its_memory(slopes: list[tuple[float, bool]]) -> None:
    rule = Adam()
    alone, memory = np.zeros(1, np.float32), rule.start(1)
    for number, (slope, is_touched) in enumerate(slopes):
        before, kept = alone, memory
        alone, memory = rule.apply(alone, np.array([slope if is_touched else 0.0]), memory, number + 1)
        if not is_touched or slope == 0:
            assert_array_equal(alone, before)
            for name, array in memory.items():
                assert_array_equal(array, kept[name])
