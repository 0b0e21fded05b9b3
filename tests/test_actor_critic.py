"""Meta-Actor-Critic: traces, rewards and gradients, against figure 5.2 worked in plain numpy, against finite
differences, and on a problem whose answer is known.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plypilot.learn.actor_critic import (
    Actor,
    Decisions,
    Direction,
    credit_turns,
    directions,
    fit_steepness,
    game_change,
    state_values,
    td_errors,
)
from plypilot.learn.rprop import Rprop
from plypilot.learn.steps import Fixed, Momentum
from plypilot.learn.weights import native_network, to_vector
from plypilot.networks import Network

Array = np.ndarray[Any, np.dtype[Any]]


def network(inputs: int, outputs: int, units: int = 3, seed: int = 1, size: float = 0.5, **layers: Any) -> Network:
    rng = np.random.default_rng(seed)
    return Network(
        set="board",
        hidden=rng.normal(size=(inputs, units)) * size,
        hidden_bias=rng.normal(size=units) * size,
        output=rng.normal(size=(units, outputs)) * size,
        direct=rng.normal(size=(inputs, outputs)) * size,
        output_bias=rng.normal(size=outputs) * size,
        **layers,
    )


def decisions(inputs: Array, possible: Array, chosen: list[int], turns: list[int]) -> Decisions:
    rows, columns = np.nonzero(inputs)
    return Decisions(
        np.searchsorted(rows, np.arange(len(inputs) + 1)).astype(np.int64),
        columns.astype(np.int32),
        inputs[rows, columns].astype(np.float32),
        np.asarray(possible, bool),
        np.array(chosen),
        np.array(turns),
    )


def one_by_one(of: Network, seen: Decisions, inputs: Array) -> Array:
    """(decisions, weights) the gradient of y * d of each decision by itself, with plain directions."""
    found = []
    for i, chosen in enumerate(seen.chosen):
        d = np.where(seen.possible[i], -1.0, 0.0)
        d[chosen] = 1
        if len(of.output_bias) == 1:
            d = d[1:]  # yes
        gradient = np.zeros(native_network(of).size)
        places = np.flatnonzero(inputs[i])
        native_network(of).add_gradient(
            gradient,
            np.array([0, len(places)]),
            places.astype(np.int32),
            inputs[i, places].astype(np.float32),
            d,
        )
        found.append(gradient)
    return np.array(found)


def figure_5_2(gradients: Array, turns: list[int], values: list[float], result: float, decay: float) -> Array:
    """The weights' change as figure 5.2 has it, its slips mended: update by the old trace, then decay, then add."""
    trace, change = np.zeros(gradients.shape[1]), np.zeros(gradients.shape[1])
    before = None
    for turn, value in enumerate(values):
        if before is not None:
            change += (value - before) * trace
        trace = decay * trace + gradients[[own == turn for own in turns]].sum(axis=0)
        before = value
    assert before is not None
    return change + (result - before) * trace


@pytest.mark.parametrize(("outputs", "turns"), [(3, [0, 1, 2, 3]), (1, [0, 0, 1, 3, 3, 3])])
def test_a_game_changes_weights_as_figure_5_2_has_it(outputs: int, turns: list[int]) -> None:
    """One decision a turn as before a search, or several and none as within a search."""
    rng = np.random.default_rng(5)
    inputs = rng.normal(size=(len(turns), 4)) * (rng.random((len(turns), 4)) < 0.7)
    possible = np.ones((len(turns), max(outputs, 2)), bool)
    if outputs == 3:
        possible[1, 2] = False
    chosen = [int(rng.integers(2)) for _ in turns]
    of, seen = network(4, outputs), decisions(inputs, possible, chosen, turns)
    values, result, decay = [0.1, -0.3, 0.2, 0.6], 1.0, 0.9
    ours = game_change(of, seen, values, result, decay=decay)
    assert np.allclose(ours, figure_5_2(one_by_one(of, seen, inputs), turns, values, result, decay), atol=1e-6)
    assert np.abs(ours).max() > 0.01


def test_a_change_by_hand() -> None:
    """One input of 1 and one direct link to each of two outputs: the gradient of y * d is d itself."""
    plain = Network(set="board", function="linear", direct=[[0.0, 0.0]])
    seen = decisions(np.ones((2, 1)), np.ones((2, 2)), [0, 1], [0, 1])
    # e0 = (1, -1); V falls by 0.5; e1 = 0.5 * (1, -1) + (-1, 1) = (-0.5, 0.5); the result is 1 above the last V.
    change = game_change(plain, seen, [0.5, 0.0], 1.0, decay=0.5)
    assert change.tolist() == [-0.5 * 1 + 1 * -0.5, -0.5 * -1 + 1 * 0.5]


def test_traces_are_credited_with_what_comes_after_them_and_fade() -> None:
    errors = td_errors([0.0, 0.5, 0.25], -1.0)
    assert errors.tolist() == [0.5, -0.25, -1.25]
    assert credit_turns(errors, 0.5).tolist() == [0.5 + 0.5 * (-0.25 + 0.5 * -1.25), -0.25 + 0.5 * -1.25, -1.25]
    assert credit_turns(errors, 0).tolist() == errors.tolist()


@pytest.mark.parametrize("function", ["tanh", "linear"])
@pytest.mark.parametrize("outputs", [1, 3])
def test_gradients_agree_with_finite_differences(outputs: int, function: str) -> None:
    """A game of one decision with credit 1: the change is the gradient of y * d."""
    inputs = np.array([[0.5, 0.0, -1.0, 2.0]])
    of = network(4, outputs, function=function)
    possible = np.array([[True, True, False][: max(outputs, 2)]])
    seen = decisions(inputs, possible, [0], [0])
    ours = game_change(of, seen, [0.0], 1.0, decay=0.9)
    pull = directions(seen, np.zeros((1, outputs)))[0]
    assert pull.tolist() == ([-1.0] if outputs == 1 else [1.0, -1.0, 0.0])
    vector, step = to_vector(of), 1e-2
    for place in range(len(vector)):
        ends = []
        for sign in (1, -1):
            moved = vector.copy()
            moved[place] += sign * step
            native = native_network(Actor(moved, {}).network(of))
            ends.append(float(native.values(seen.starts, seen.indices, seen.values)[0] @ pull))
        assert ours[place] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=2e-3)


def test_where_there_was_no_choice_nothing_is_pulled() -> None:
    possible = np.array([[True, False, False], [True, True, False]])
    pulls = directions(decisions(np.ones((2, 1)), possible, [0, 0], [0, 1]), np.zeros((2, 3)))
    assert pulls.tolist() == [[0, 0, 0], [1, -1, 0]]


@pytest.mark.parametrize(("outputs", "temperature"), [(1, 1.0), (1, 0.3), (3, 1.0), (3, 2.0)])
def test_directions_by_likelihood_are_the_slope_of_its_logarithm(outputs: int, temperature: float) -> None:
    rng = np.random.default_rng(2)
    possible = np.array([[True, True, False][: max(outputs, 2)]] * 2)
    seen = decisions(np.ones((2, 1)), possible, [0, 1], [0, 1])

    def logarithm(scores: Array, row: int) -> float:
        if outputs == 1:
            chance = 1 / (1 + np.exp(-scores[0] / temperature))
            return float(np.log(chance if seen.chosen[row] else 1 - chance))
        chances = np.exp(scores / temperature) * possible[row]
        return float(np.log(chances[seen.chosen[row]] / chances.sum()))

    scores = rng.normal(size=(2, outputs))
    ours = directions(seen, scores, "likelihood", temperature)
    for row in range(2):
        for place in range(outputs):
            step = np.zeros(outputs)
            step[place] = 1e-5
            slope = (logarithm(scores[row] + step, row) - logarithm(scores[row] - step, row)) / 2e-5
            assert ours[row, place] == pytest.approx(slope, abs=1e-4)


# A problem with a known answer


def play_bandit(of: Network, rng: np.random.Generator) -> tuple[Decisions, list[float], float]:
    """A game of six turns in one of two situations: what suits raises the value, what does not lowers it.

    Values drift for reasons of their own too, and one turn in four is decided by chance.
    """
    situations = rng.integers(2, size=6)
    inputs = np.eye(2)[situations]
    outputs = len(of.output_bias)
    native = native_network(of)
    chosen, values = [], [0.0]
    for situation in situations:
        scores = native.values(np.array([0, 1]), np.array([situation], np.int32), np.ones(1, np.float32))[0]
        greedy = int(scores[0] >= 0) if outputs == 1 else int(np.argmax(scores))
        choice = int(rng.integers(max(outputs, 2))) if rng.random() < 0.25 else greedy
        chosen.append(choice)
        suits = choice == (situation if outputs == 1 else 2 * situation)
        values.append(values[-1] + (0.1 if suits else -0.1) + rng.normal() * 0.05)
    return decisions(inputs, np.ones((6, max(outputs, 2)), bool), chosen, list(range(6))), values[:-1], values[-1]


def answers(of: Network) -> list[int]:
    native = native_network(of)
    scores = native.values(np.array([0, 1, 2]), np.array([0, 1], np.int32), np.ones(2, np.float32))
    return [int(own[0] >= 0) if len(own) == 1 else int(np.argmax(own)) for own in scores]


@pytest.mark.parametrize("way", ["plain", "likelihood"])
@pytest.mark.parametrize(
    "rule", [Momentum(rate=0.02), Rprop(first_step=0.01, most_step=0.1)], ids=["momentum", "rprop"]
)
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("sign", [1, -1], ids=["as it is", "with a flipped sign"])
def test_the_actor_learns_what_suits_each_situation(
    outputs: int, rule: Momentum | Rprop, way: Direction, sign: int
) -> None:
    """With the sign of rewards flipped the same code learns what does not suit: the sign is part of what is tested."""
    first = network(2, outputs, units=4, size=0.2)
    actor, rng = Actor.start(first, rule), np.random.default_rng(3)
    for _ in range(60):
        own = actor.network(first)
        games = [play_bandit(own, rng) for _ in range(8)]
        changes = [sign * game_change(own, seen, values, result, decay=0.5, way=way) for seen, values, result in games]
        actor = actor.follow(changes, rule)
    learned = answers(actor.network(first))
    right = [0, 1] if outputs == 1 else [0, 2]
    assert (learned == right) == (sign == 1)


def test_rules_follow_each_game_in_turn_or_the_whole_batch() -> None:
    plain = Network(set="board", function="linear", direct=[[0.0, 0.0]])
    changes = [np.array([1.0, -2.0]), np.array([3.0, 0.5])]
    fixed = Actor.start(plain, Fixed(rate=0.1)).follow(changes, Fixed(rate=0.1))
    assert fixed.weights == pytest.approx([0.4, -0.15])
    rule = Momentum(rate=0.1, keep=0.5)
    moving = Actor.start(plain, rule).follow(changes, rule)
    assert moving.weights == pytest.approx([0.1 + 0.3 + 0.05, -0.2 + 0.05 - 0.1])
    assert moving.memory["move"] == pytest.approx([0.35, -0.05])
    batch = Actor.start(plain, Rprop()).follow(changes, Rprop())
    assert batch.weights == pytest.approx([0.1, -0.1])  # up with the change, by the first step
    assert Actor.start(plain, Rprop()).follow([], Rprop()).weights.tolist() == [0, 0]


# The critic


@pytest.mark.parametrize("steepness", [0.002, 0.01, 0.05])
def test_the_steepness_is_found_that_made_the_results(steepness: float) -> None:
    rng = np.random.default_rng(4)
    scores = rng.normal(size=20_000) * 2 / steepness
    results = np.where(rng.random(len(scores)) < (state_values(scores, steepness) + 1) / 2, 1, -1)
    assert fit_steepness(scores, results) == pytest.approx(steepness, rel=0.05)


def test_values_are_the_sigmoid_of_equation_5_4() -> None:
    scores = np.array([-100.0, 0.0, 30.0])
    assert np.allclose(state_values(scores, 0.05), 2 / (1 + np.exp(-0.05 * scores)) - 1)
