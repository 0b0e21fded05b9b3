"""SANE: neurons and the networks that are made of them evolve side by side (Kocsis A.2; Moriarty 1997).

A step over plain arrays: from how well each network did, the next generation. It knows neither games nor what a network
is for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, model_validator

from plypilot.settings import Part

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
Share = Annotated[float, Field(ge=0, le=1)]


class Networks(NamedTuple):
    """Decoded networks, one hidden layer each: connections that a neuron does not have weigh 0."""

    hidden: Array
    """(networks, inputs, units)"""
    hidden_bias: Array
    """(networks, units)"""
    output: Array
    """(networks, units, outputs)"""


@dataclass(frozen=True)
class SaneState:
    """A generation, and all that the next ones depend on."""

    targets: Numbers
    """(neurons, connections) where each connection of a neuron leads: to an input, then the bias, then the outputs."""
    weights: Array
    """(neurons, connections)"""
    members: Numbers
    """(networks, units) the neurons of each network."""
    seed: int
    generation: int = 0

    def arrays(self) -> dict[str, Array]:
        """As arrays of one type, for a checkpoint."""
        return {
            "targets": self.targets.astype(np.float64),
            "weights": self.weights,
            "members": self.members.astype(np.float64),
        }

    @classmethod
    def of(cls, arrays: Mapping[str, Array], seed: int, generation: int) -> Self:
        """From the arrays of a checkpoint."""
        targets, members = (arrays[name].astype(np.int64) for name in ("targets", "members"))
        return cls(targets, np.asarray(arrays["weights"]), members, seed, generation)


class SaneSettings(Part):
    """Sizes and rates. Kocsis names neither: these are of the size of Moriarty's."""

    inputs: Annotated[int, Field(ge=1)]
    outputs: Annotated[int, Field(ge=1)] = 1
    units: Annotated[int, Field(ge=1)]
    """neurons of a network"""
    neurons: Annotated[int, Field(ge=4)] = 400
    """in their population"""
    networks: Annotated[int, Field(ge=4)] = 100
    """in theirs"""
    connections: Annotated[int, Field(ge=2)] = 24
    """of a neuron"""
    output_share: Share = 0.2
    """the part of connections that lead to outputs, at the start and after a mutation"""
    weight_size: Annotated[float, Field(gt=0)] = 1.0
    """standard deviation of weights at the start, and of their mutations"""
    elite: Annotated[float, Field(gt=0, le=0.3)] = 0.25
    """the part of the best that breeds and stays as it is; twice as many of the worst give way"""
    neuron_mutation: Share = 0.05
    """chance of each connection of a child"""
    network_mutation: Share = 0.01
    """chance that a place in a child goes to another neuron"""
    follow: Share = 0.5
    """chance that a place in a child goes from a neuron that bred to its child"""
    best_networks: Annotated[int, Field(ge=1)] = 5
    """how many networks a neuron's fitness is the sum of"""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        least = math.ceil(self.units / (1 - 3 * self.elite))
        if self.neurons < least:
            raise ValueError(
                f"neurons is {self.neurons}: too few for the elite and a network of {self.units} to stay while twice "
                f"as many as the elite give way; expected at least {least}"
            )
        return self


class Sane:
    """The optimiser: ``start``, then ``next`` with the fitness of the ``networks`` of each generation.

    Each generation follows from the seed and the fitness alone.
    """

    def __init__(self, settings: SaneSettings) -> None:
        self.settings = settings

    def start(self, seed: int) -> SaneState:
        """The first generation, at random."""
        rng = np.random.default_rng([seed, 0])
        shape = (self.settings.neurons, self.settings.connections)
        weights = rng.normal(0, self.settings.weight_size, shape)
        members = rng.integers(self.settings.neurons, size=(self.settings.networks, self.settings.units))
        return SaneState(self._draw_targets(rng, shape), weights, members, seed)

    def networks(self, state: SaneState) -> Networks:
        """The networks of a generation. Several connections of a neuron to one place add up."""
        places = self.settings.inputs + 1 + self.settings.outputs
        dense = np.zeros((self.settings.neurons, places))
        np.add.at(dense, (np.arange(self.settings.neurons)[:, None], state.targets), state.weights)
        found = dense[state.members]
        return Networks(
            np.ascontiguousarray(found[:, :, : self.settings.inputs].transpose(0, 2, 1)),
            found[:, :, self.settings.inputs].copy(),
            found[:, :, self.settings.inputs + 1 :].copy(),
        )

    def next(self, state: SaneState, fitness: ArrayLike) -> SaneState:
        """The next generation, from the fitness of each network: shape (networks,), 0 or more."""
        given = np.asarray(fitness, np.float64)
        if given.shape != (self.settings.networks,) or not np.all(np.isfinite(given)) or np.any(given < 0):
            raise ValueError(f"fitness: expected {self.settings.networks} numbers of 0 or more, one a network")
        rng = np.random.default_rng([state.seed, state.generation + 1])

        # 1. Neurons: the best breed, and their children take the places of the worst. The neurons of the best network
        #    stay, so that it stays too.
        ranked = _rank(self.neuron_fitness(state, given))
        order = _rank(given)
        kept = set(state.members[order[0]].tolist())
        giving_way = [int(each) for each in ranked[::-1] if int(each) not in kept]
        targets, weights = state.targets.copy(), state.weights.copy()
        child_of: dict[int, int] = {}
        for place in range(_elite_size(self.settings.elite, self.settings.neurons)):
            parent, partner = int(ranked[place]), int(ranked[rng.integers(place + 1)])
            crossed, copied = giving_way[2 * place], giving_way[2 * place + 1]
            cut = int(rng.integers(1, self.settings.connections))
            for genes in (targets, weights):
                genes[crossed] = np.concatenate([genes[parent][:cut], genes[partner][cut:]])
                genes[copied] = genes[parent]
            for child in (crossed, copied):
                self._mutate(rng, targets[child], weights[child])
            child_of[parent] = crossed

        # 2. Networks, likewise; places in a child may follow a neuron to what was bred from it.
        members = state.members.copy()
        worst = order[::-1]
        for place in range(_elite_size(self.settings.elite, self.settings.networks)):
            parent, partner = int(order[place]), int(order[rng.integers(place + 1)])
            cut = int(rng.integers(self.settings.units + 1))
            joined = np.concatenate([members[parent][:cut], members[partner][cut:]])
            for child, made in ((worst[2 * place], joined), (worst[2 * place + 1], members[parent])):
                members[child] = self._renew(rng, made, child_of)
        return SaneState(targets, weights, members, state.seed, state.generation + 1)

    def neuron_fitness(self, state: SaneState, fitness: Array) -> Array:
        """(neurons,) the sum of the fitness of the best networks that a neuron is in; 0 where it is in none."""
        found = np.zeros(self.settings.neurons)
        seen = np.zeros(self.settings.neurons, np.int64)
        for network in _rank(fitness):
            inside = np.unique(state.members[network])
            counting = inside[seen[inside] < self.settings.best_networks]
            found[counting] += fitness[network]
            seen[inside] += 1
        return found

    def _draw_targets(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Numbers:
        to_inputs = rng.integers(self.settings.inputs + 1, size=shape)
        to_outputs = self.settings.inputs + 1 + rng.integers(self.settings.outputs, size=shape)
        return np.asarray(np.where(rng.random(shape) < self.settings.output_share, to_outputs, to_inputs))

    def _mutate(self, rng: np.random.Generator, targets: Numbers, weights: Array) -> None:
        """Changes weights and, as rarely, where connections lead, in place."""
        shape = targets.shape
        drawn = self._draw_targets(rng, shape)
        targets[:] = np.where(rng.random(shape) < self.settings.neuron_mutation, drawn, targets)
        shift = rng.normal(0, self.settings.weight_size, shape)
        weights += np.where(rng.random(shape) < self.settings.neuron_mutation, shift, 0.0)

    def _renew(self, rng: np.random.Generator, members: Numbers, child_of: Mapping[int, int]) -> Numbers:
        followed = np.array([child_of.get(int(each), int(each)) for each in members])
        renewed = np.where(rng.random(self.settings.units) < self.settings.follow, followed, members)
        strangers = rng.integers(self.settings.neurons, size=self.settings.units)
        return np.where(rng.random(self.settings.units) < self.settings.network_mutation, strangers, renewed)


def _elite_size(share: float, count: int) -> int:
    return max(1, int(share * count))


def _rank(fitness: Array) -> Numbers:
    """The best first, equal ones by number."""
    return np.argsort(-fitness, kind="stable")
