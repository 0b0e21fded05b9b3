"""Networks of every shape: what they compute and their gradients, for all outputs or for some; their weights as one
vector and back; what is refused.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import plypilot as pp
from plypilot import _core
from plypilot.learn.weights import EvaluationWeights, from_vector, native_network, split_layers, to_vector, with_sets
from plypilot.networks import Network, PilotError, ValueNetwork
from plypilot.score import MOST_STATIC
from plypilot.searcher import Searcher
from plypilot.settings import Evaluation

SHAPES = [
    {"units": units, "outputs": outputs, "direct": direct, "bias": bias, "function": function}
    for units, outputs, direct, bias, function in product(
        (0, 1, 7), (1, 3), (False, True), (False, True), ("tanh", "linear")
    )
    if units or direct
]
STARTS = np.array([0, 2, 2, 6], np.int64)
INDICES = np.array([1, 4, 0, 2, 3, 4], np.int32)
VALUES = np.array([1, -1, 0.5, 2, 1, -0.25], np.float32)
DENSE = np.array([[0, 1, 0, 0, -1], [0, 0, 0, 0, 0], [0.5, 0, 2, 1, -0.25]])


def make(units: int, outputs: int, direct: bool, bias: bool, function: str, inputs: int = 5, **more: Any) -> Network:
    rng = np.random.default_rng([units, outputs])
    shapes = {
        "hidden": (inputs, units),
        "hidden_bias": units if bias else 0,
        "output": (units, outputs),
        "direct": (inputs, outputs) if direct else (0, 0),
        "output_bias": outputs if bias else 0,
    }
    layers = {name: rng.normal(0, 0.5, shape) for name, shape in shapes.items()}
    kind = ValueNetwork if more else Network
    return kind.model_validate({"set": "a", "function": function, **layers, **more})


def by_formula(network: Network, vector: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Outputs in double precision, shape (rows, outputs)."""
    layers = split_layers(network, vector)
    total = np.zeros((len(inputs), network.outputs))
    if network.units:
        total += (
            np.tanh(inputs @ layers["hidden"] + (layers["hidden_bias"] if layers["hidden_bias"].size else 0))
            @ (layers["output"])
        )
    if layers["direct"].size:
        total += inputs @ layers["direct"]
    if layers["output_bias"].size:
        total += layers["output_bias"]
    return np.tanh(total) if network.function == "tanh" else total


@pytest.mark.parametrize("shape", SHAPES)
def test_values_are_those_of_the_formula(shape: dict[str, Any]) -> None:
    network = make(**shape)
    native = native_network(network)
    assert (native.inputs, native.units, native.outputs) == (5, shape["units"], shape["outputs"])
    found = native.values(STARTS, INDICES, VALUES)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, by_formula(network, to_vector(network), DENSE), atol=2e-6)
    # Some outputs of each row: one of the first, none of the second, two of the third.
    starts, outputs = np.array([0, 1, 1, 3], np.int64), np.array([shape["outputs"] - 1, 0, 0], np.int32)
    some = native.values(STARTS, INDICES, VALUES, starts, outputs)
    np.testing.assert_array_equal(some, found[[0, 2, 2], outputs])


@pytest.mark.parametrize("shape", SHAPES)
def test_gradients_are_numeric_derivatives(shape: dict[str, Any]) -> None:
    network = make(**shape)
    factors = np.random.default_rng(1).normal(size=(3, network.outputs))
    vector = to_vector(network)
    expected = np.empty(len(vector))
    for at in range(len(vector)):
        step = np.zeros(len(vector))
        step[at] = 1e-5
        above, below = (by_formula(network, each, DENSE) for each in (vector + step, vector - step))
        expected[at] = ((above - below) * factors).sum() / 2e-5
    native = native_network(network)
    assert native.size == network.weight_count == len(vector)
    for kind in (np.float64, np.float32):
        gradient = np.zeros(len(vector), kind)
        native.add_gradient(gradient, STARTS, INDICES, VALUES, factors)
        np.testing.assert_allclose(gradient, expected, atol=1e-5)
    # The same sum from lists of outputs.
    listed = np.zeros(len(vector))
    starts = np.arange(4, dtype=np.int64) * network.outputs
    outputs = np.tile(np.arange(network.outputs, dtype=np.int32), 3)
    native.add_gradient(listed, STARTS, INDICES, VALUES, factors.reshape(-1), starts, outputs)
    np.testing.assert_allclose(listed, expected, atol=1e-5)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"starts": np.array([], np.int64)}, "starts: expected one more than rows"),
        ({"starts": np.array([0, 3, 2, 6])}, "indices: starts are out of order"),
        ({"starts": np.array([0, 2, 2, 7])}, "indices: starts are out of order"),
        ({"starts": np.array([-1, 2, 2, 6])}, "indices: starts are out of order"),
        ({"indices": np.array([1, 5, 0, 2, 3, 4], np.int32)}, "indices: 5 is out of range, expected less than 5"),
        ({"indices": np.array([1, -1, 0, 2, 3, 4], np.int32)}, "indices: -1 is out of range"),
        ({"values": VALUES[:-1]}, "indices and values differ in size"),
        ({"outputs": np.array([0], np.int32)}, "give both, or neither"),
        (
            {"output_starts": np.array([0, 0, 0, 1]), "outputs": np.array([3], np.int32)},
            "outputs: 3 is out of range, expected less than 3",
        ),
        (
            {"output_starts": np.array([0, 1]), "outputs": np.array([0], np.int32)},
            "outputs: expected 4 starts, one more than rows",
        ),
    ],
)
def test_lists_that_reach_outside_are_refused(change: dict[str, np.ndarray], reason: str) -> None:
    native = native_network(make(2, 3, True, True, "tanh"))
    rows: Any = {"starts": STARTS, "indices": INDICES, "values": VALUES} | change
    with pytest.raises(ValueError, match=reason):
        native.values(**rows)
    with pytest.raises(ValueError, match=reason):
        native.add_gradient(np.zeros(native.size), factors=np.zeros((3, 3)), **rows)


def test_gradients_of_another_size_are_refused() -> None:
    native = native_network(make(2, 3, True, True, "tanh"))
    with pytest.raises(ValueError, match="gradient: expected one for each weight"):
        native.add_gradient(np.zeros(native.size - 1), STARTS, INDICES, VALUES, np.zeros((3, 3)))
    with pytest.raises(ValueError, match="factors: expected one for each output"):
        native.add_gradient(np.zeros(native.size), STARTS, INDICES, VALUES, np.zeros(3))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"hidden": np.zeros((5, 3), np.float32)}, "hidden_bias has 2 weights, expected 3"),
        ({"output": np.zeros((3, 3), np.float32)}, "output has 9 weights, expected 6"),
        ({"output": np.zeros(6, np.float32)}, "network.output is expected to have two axes"),
        ({"direct": np.zeros((4, 3), np.float32)}, "direct has 12 weights, expected 15"),
        ({"function": "relu"}, 'network.function is "relu"'),
    ],
)
def test_the_core_refuses_layers_that_do_not_fit(change: dict[str, Any], reason: str) -> None:
    network = make(2, 3, True, True, "tanh")
    layers = network.model_dump(include={"function", *Network.LAYERS})
    with pytest.raises(ValueError, match=reason):
        _core.Network(layers | change)
    with pytest.raises(KeyError, match="which the core does not know"):
        _core.Network(layers | {"more": 1})


# As evaluations


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape["outputs"] == 1])
@pytest.mark.parametrize(("game", "name"), [("loa", "squares"), ("loa", "mia"), ("chess", "half_board")])
def test_the_search_judges_as_the_network_does(game: str, name: str, shape: dict[str, Any]) -> None:
    size = next(len(each.features) for each in pp.game_info(game).feature_sets if each.name == name)
    network = make(**shape, inputs=size, set=name, scale=900.0)
    assert isinstance(network, ValueNetwork)
    searcher = Searcher(pp.Pilot(game=game, evaluation=Evaluation(kind="network", network=network)))
    rng = np.random.default_rng(2)
    position = pp.Position(game)
    for _ in range(8):
        moves = position.moves()
        position.push(moves[int(rng.integers(len(moves)))])
        inputs = np.array([position.feature_values(name)])
        value = float(by_formula(network, to_vector(network), inputs)[0, 0]) * 900
        most = MOST_STATIC
        assert abs(searcher.evaluate(position) - np.clip(value, -most, most)) <= 0.51 + abs(value) * 1e-5


# As vectors


@pytest.mark.parametrize("shape", SHAPES)
def test_a_network_as_a_vector_and_back(shape: dict[str, Any]) -> None:
    network = make(**shape)
    assert from_vector(network, to_vector(network)) == network
    with pytest.raises(ValueError, match=r"weights, but a network of 5 inputs \(a\)"):
        from_vector(network, to_vector(network)[1:])


def test_weights_of_a_pilot_as_a_vector_and_back() -> None:
    size = len(pp.game_info("loa").feature_sets[0].features)
    name = pp.game_info("loa").feature_sets[0].name
    network = make(3, 1, True, True, "tanh", inputs=size, set=name, scale=300.0)
    assert isinstance(network, ValueNetwork)
    for pilot in (
        pp.Pilot(game="loa", evaluation=Evaluation(kind="network", network=network)),
        pp.Pilot.baseline("loa"),
        pp.Pilot.baseline("chess"),
    ):
        weights = EvaluationWeights.of(pilot)
        assert weights.put(weights.vector, pilot) == pilot
        moved = weights.put(weights.vector + 0.5, pilot)
        np.testing.assert_allclose(EvaluationWeights.of(moved).vector, weights.vector + 0.5, atol=1e-5)
    assert set(EvaluationWeights.of(pilot).named(weights.vector, pilot)) == {
        f"{name}.{feature}" for name, features in pilot.evaluation.named("chess").items() for feature in features
    }


def test_sets_to_learn_keep_the_weights_there_are() -> None:
    pilot = with_sets(pp.Pilot.plain("chess", "material"), ("material", "half_board"))
    assert pilot.evaluation.named("chess")["material"]["queen"] == 900
    assert not pilot.evaluation.weights["half_board"].any()
    with pytest.raises(PilotError, match='chess has no feature set "mia"'):
        with_sets(pilot, ("mia",))
    with pytest.raises(PilotError, match="no weights to learn"):
        with_sets(pp.Pilot.plain("chess"), ())
