"""The weights of an evaluation, linear or a network, as one vector and back.

The vector of a network has its arrays one after the other, in the order of ``Network.LAYERS`` and each in C order: so
the native gradient has them too (core/eval/network.hpp). That of a linear evaluation has its sets in the game's order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from plypilot import _core
from plypilot.games import game_info
from plypilot.networks import Network, ValueNetwork
from plypilot.pilot import Evaluation, Pilot, PilotError
from plypilot.score import PAWN

MOST_WEIGHT = 300.0
"""The largest weight that is learned, far beyond anything that wins games; a pilot can hold it."""

Array = NDArray[np.float64]
AnyNetwork = TypeVar("AnyNetwork", bound=Network)


@dataclass(frozen=True)
class EvaluationWeights:
    """The weights of a pilot's evaluation as one vector, those of a linear one in pawns, and back."""

    sets: tuple[str, ...]
    """The feature sets that positions are seen by."""
    vector: Array
    is_network: bool = False
    scale: float = 0.0
    """Of a network: score units for a value of 1."""
    first_player: bool = False
    """Of a network: whether its value is that of the first player."""

    @classmethod
    def of(cls, pilot: Pilot) -> EvaluationWeights:
        """Those of a pilot. Raises PilotError where it has none to learn."""
        evaluation = pilot.evaluation
        if evaluation.kind == "network" and (network := evaluation.network) is not None:
            return cls((network.set,), to_vector(network), True, network.scale, network.first_player)
        if evaluation.kind != "linear":
            there = ", ".join(each.name for each in game_info(pilot.game).feature_sets) or "none"
            raise PilotError(
                f"the pilot's evaluation has no weights to learn; name feature sets of {pilot.game} by the setting "
                f"sets ({there}), or take another pilot"
            )
        sets = tuple(each.name for each in game_info(pilot.game).feature_sets if each.name in evaluation.weights)
        vector = np.concatenate([evaluation.weights[name].astype(np.float64) for name in sets]) / PAWN
        return cls(sets, vector)

    def bounded(self, vector: Array) -> Array:
        """Weights that a pilot can hold."""
        return np.clip(vector, -MOST_WEIGHT, MOST_WEIGHT)

    def named(self, vector: Array, pilot: Pilot) -> dict[str, float]:
        """Weights by set and feature; of a network, the root of the mean square of each layer."""
        if self.is_network:
            return {
                name: float(np.sqrt(np.mean(layer**2)))
                for name, layer in split_layers(network_of(pilot), vector).items()
                if layer.size
            }
        sets = {each.name: each.features for each in game_info(pilot.game).feature_sets}
        names = [f"{name}.{feature}" for name in self.sets for feature in sets[name]]
        return dict(zip(names, vector.tolist(), strict=True))

    def place(self, set_name: str, feature: str, pilot: Pilot) -> int | None:
        """Where in the vector of a linear evaluation a feature has its weight; None where it has none."""
        first = 0
        sets = {feature_set.name: feature_set.features for feature_set in game_info(pilot.game).feature_sets}
        for name in self.sets:
            if name == set_name and feature in sets[name]:
                return first + sets[name].index(feature)
            first += len(sets[name])
        return None

    def put(self, vector: Array, pilot: Pilot, pawn: float | None = None) -> Pilot:
        """A pilot with these weights, by which a pawn is worth so many score units; none: as many as before."""
        if self.is_network:
            learned: dict[str, Any] = {"network": from_vector(network_of(pilot), vector)}
        else:
            scores, ends = vector * PAWN, accumulate(len(pilot.evaluation.weights[name]) for name in self.sets)
            parts = (scores[start:end] for start, end in pairwise((0, *ends)))
            learned = {"weights": dict(zip(self.sets, parts, strict=True))}
        if pawn is not None:
            learned["pawn"] = pawn
        evaluation = Evaluation.model_validate(dict(pilot.evaluation) | learned)
        return pilot.model_copy(update={"evaluation": evaluation})


def with_sets(pilot: Pilot, sets: Sequence[str]) -> Pilot:
    """The pilot with a linear evaluation of these sets; weights that it has are kept, others are 0."""
    if not sets:
        EvaluationWeights.of(pilot)  # raises where there is nothing to learn
        return pilot
    sizes = {each.name: len(each.features) for each in game_info(pilot.game).feature_sets}
    if unknown := [name for name in sets if name not in sizes]:
        raise PilotError(f'{pilot.game} has no feature set "{unknown[0]}"; there are: {", ".join(sizes)}')
    weights = {name: pilot.evaluation.weights.get(name, np.zeros(sizes[name], np.float32)) for name in sets}
    evaluation = Evaluation(kind="linear", weights=weights, pawn=pilot.evaluation.pawn)
    return pilot.model_copy(update={"evaluation": evaluation})


# Networks


def network_of(pilot: Pilot) -> ValueNetwork:
    """The network of a pilot's evaluation. Raises PilotError."""
    if pilot.evaluation.network is None:
        raise PilotError("its evaluation is no network, which this learner makes")
    return pilot.evaluation.network


def with_network(pilot: Pilot, network: ValueNetwork) -> Pilot:
    """The pilot with another network."""
    return pilot.model_copy(update={"evaluation": Evaluation(kind="network", network=network)})


def to_vector(network: Network) -> Array:
    """All weights of a network."""
    return np.concatenate([getattr(network, name).reshape(-1).astype(np.float64) for name in Network.LAYERS])


def split_layers(like: Network, vector: Array) -> dict[str, Array]:
    """The arrays of a network whose weights these are, in the form of another."""
    shapes = [getattr(like, name).shape for name in Network.LAYERS]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    if len(vector) != ends[-1]:
        raise ValueError(f"{len(vector)} weights, but a network of {like.describe()} has {ends[-1]}")
    layers = zip(Network.LAYERS, np.split(vector, ends[:-1]), shapes, strict=True)
    return {name: layer.reshape(shape) for name, layer, shape in layers}


def from_vector(like: AnyNetwork, vector: Array) -> AnyNetwork:
    """The network whose weights these are, in the form of another."""
    return like.with_layers(split_layers(like, vector))


def native_network(network: Network) -> _core.Network:
    """The network that computes: values and gradients of many cases at once."""
    return _core.Network(network.model_dump(include={"function", *Network.LAYERS}))
