"""SANE: rank selection, crossover and the fitness of neurons, and that it learns where random search does not."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from plypilot import _core
from plypilot.learn.sane import Networks, Sane, SaneSettings, SaneState

XOR_INPUTS = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
XOR = np.array([-1.0, 1.0, 1.0, -1.0])
SUM_INPUTS = np.random.default_rng(0).normal(0, 1, (100, 8))
SUM = np.tanh(SUM_INPUTS @ np.array([1.0, -1.0, 0.5, -0.5, 0.5, -0.5, 0.25, -0.25]))
SMALL = SaneSettings(inputs=2, units=4, neurons=40, networks=20, connections=6)
TOY = SaneSettings(inputs=2, units=4, neurons=100, networks=50, connections=6, output_share=0.3, neuron_mutation=0.1)


def answers(networks: Networks, inputs: np.ndarray) -> np.ndarray:
    """What each network says to each input, shape (networks, inputs)."""
    count, features = inputs.shape
    rows = (
        np.arange(count + 1, dtype=np.int64) * features,
        np.tile(np.arange(features, dtype=np.int32), count),
        inputs.astype(np.float32).reshape(-1),
    )
    empty = {"function": "tanh", "direct": np.empty((0, 0), np.float32), "output_bias": np.empty(0, np.float32)}
    made = []
    for layers in zip(*networks, strict=True):
        named = zip(Networks._fields, layers, strict=True)
        made.append(_core.Network(empty | {name: layer.astype(np.float32) for name, layer in named}))
    return np.array([network.values(*rows)[:, 0] for network in made])


def errors(networks: Networks, inputs: np.ndarray, truth: np.ndarray) -> np.ndarray:
    return ((answers(networks, inputs) - truth) ** 2).mean(axis=1)


def evolve(settings: SaneSettings, inputs: np.ndarray, truth: np.ndarray, generations: int, seed: int) -> float:
    """The least error that evolution finds."""
    sane = Sane(settings)
    state, best = sane.start(seed), np.inf
    for _ in range(generations):
        found = errors(sane.networks(state), inputs, truth)
        best = min(best, float(found.min()))
        state = sane.next(state, 1 / (0.01 + found))
    return best


def guess(settings: SaneSettings, inputs: np.ndarray, truth: np.ndarray, generations: int, seed: int) -> float:
    """The least error of as many networks at random."""
    sane = Sane(settings)
    starts = (sane.start(1000 * seed + number) for number in range(generations))
    return min(float(errors(sane.networks(state), inputs, truth).min()) for state in starts)


@pytest.mark.parametrize(
    ("inputs", "truth", "settings"),
    [(XOR_INPUTS, XOR, TOY), (SUM_INPUTS, SUM, TOY.model_copy(update={"inputs": 8}))],
    ids=["xor", "weighted sum"],
)
def test_evolution_learns_clearly_better_than_random_search(
    inputs: np.ndarray, truth: np.ndarray, settings: SaneSettings
) -> None:
    pairs = [(evolve(settings, inputs, truth, 60, seed), guess(settings, inputs, truth, 60, seed)) for seed in range(5)]
    evolved, guessed = np.median(pairs, axis=0)
    assert evolved < 0.6 * guessed, pairs


def test_fitness_of_a_neuron_is_the_sum_of_its_best_five_networks() -> None:
    sane = Sane(SaneSettings(inputs=1, units=2, neurons=8, networks=7))
    start = sane.start(0)
    members = np.array([[0, 1], [0, 2], [0, 0], [0, 1], [0, 4], [0, 5], [0, 6]])
    state = SaneState(start.targets, start.weights, members, 0)
    fitness = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
    assert sane.neuron_fitness(state, fitness).tolist() == [64 + 32 + 16 + 8 + 4, 9, 2, 0, 16, 32, 64, 0]


def test_the_best_network_stays_as_it_is() -> None:
    sane = Sane(SMALL)
    state = sane.start(3)
    for generation in range(10):
        fitness = np.random.default_rng(generation).random(SMALL.networks)
        best = int(fitness.argmax())
        following = sane.next(state, fitness)
        for before, after in zip(sane.networks(state), sane.networks(following), strict=True):
            assert np.array_equal(before[best], after[best])
        state = following


def test_the_elite_of_neurons_stays_and_the_worst_give_way() -> None:
    sane = Sane(SMALL)
    state = sane.start(1)
    fitness = np.arange(1.0, SMALL.networks + 1)
    order = np.argsort(-sane.neuron_fitness(state, fitness), kind="stable")
    following = sane.next(state, fitness)
    changed = {int(i) for i in range(SMALL.neurons) if not np.array_equal(state.weights[i], following.weights[i])}
    assert not changed & {int(i) for i in order[:10]}
    assert not changed & set(state.members[-1].tolist())
    assert len(changed) > 10


def test_children_have_their_genes_from_better_ranks() -> None:
    settings = SMALL.model_copy(update={"neuron_mutation": 0.0})
    sane = Sane(settings)
    state = sane.start(1)
    fitness = np.arange(1.0, settings.networks + 1)
    best = np.argsort(-sane.neuron_fitness(state, fitness), kind="stable")[:10]
    genes = {(int(t), float(w)) for i in best for t, w in zip(state.targets[i], state.weights[i], strict=True)}
    following = sane.next(state, fitness)
    for i in range(settings.neurons):
        if not np.array_equal(state.weights[i], following.weights[i]):
            assert set(zip(following.targets[i].tolist(), following.weights[i].tolist(), strict=True)) <= genes


def test_sparse_neurons_decode_to_dense_weights() -> None:
    sane = Sane(SaneSettings(inputs=2, outputs=2, units=1, neurons=4, networks=4, connections=5))
    start = sane.start(0)
    targets = np.tile([0, 0, 2, 3, 4], (4, 1))  # twice the first input, the bias, both outputs
    weights = np.tile([1.0, 2.0, 4.0, 8.0, 16.0], (4, 1))
    found = sane.networks(SaneState(targets, weights, start.members, 0))
    assert found.hidden[0].tolist() == [[3.0], [0.0]]
    assert found.hidden_bias[0].tolist() == [4.0]
    assert found.output[0].tolist() == [[8.0, 16.0]]


def test_a_generation_depends_on_the_seed_and_survives_a_checkpoint() -> None:
    sane = Sane(SMALL)
    fitness = np.arange(SMALL.networks)
    one = sane.next(sane.start(5), fitness)
    kept = SaneState.of(sane.start(5).arrays(), 5, 0)
    two = sane.next(kept, fitness)
    for name in ("targets", "weights", "members"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    assert not np.array_equal(one.weights, sane.next(sane.start(6), fitness).weights)


@pytest.mark.parametrize("fitness", [[1.0], [-1.0] * 20, [np.nan] * 20])
def test_fitness_must_be_one_number_a_network(fitness: list[float]) -> None:
    sane = Sane(SMALL)
    with pytest.raises(ValueError, match="expected 20 numbers of 0 or more"):
        sane.next(sane.start(0), fitness)


def test_too_few_neurons_are_refused() -> None:
    with pytest.raises(ValidationError, match="expected at least 160"):
        SaneSettings(inputs=65, units=40, neurons=159)
