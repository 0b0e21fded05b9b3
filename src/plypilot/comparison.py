"""What differs between two pilots: settings, weights by feature, networks, and any other array."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from plypilot.networks import Network
from plypilot.part import Array, array_fields, walk_arrays
from plypilot.settings import Setting

if TYPE_CHECKING:
    from plypilot.pilot import Pilot


@dataclass(frozen=True)
class ArrayChange:
    """How an array differs from one pilot to the other."""

    shapes: tuple[tuple[int, ...] | None, tuple[int, ...] | None]
    """None where a pilot does not have it."""
    differing: int
    """How many numbers differ; of arrays that have not the same shape, all of the larger."""
    mean: float | None = None
    """The root of the mean square of the differences; None where the shapes differ."""
    largest: float | None = None
    """The largest difference; None where the shapes differ."""


@dataclass(frozen=True)
class NetworkChange:
    """How a network differs from one pilot to the other."""

    shapes: tuple[str, str]
    """Of the one and of the other, in words."""
    weights: int
    """How many the larger has."""
    layers: Mapping[str, ArrayChange]
    """Those that differ, by name."""
    inputs: Mapping[str, float]
    """How far the weights of each input moved (the root of the sum of squares), the farthest first; empty where the
    networks have not the same inputs and units."""

    @property
    def differing(self) -> int:
        """How many weights differ."""
        return sum(layer.differing for layer in self.layers.values())


@dataclass(frozen=True)
class Comparison:
    """What differs between two pilots; empty where nothing does."""

    settings: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    """By key: the value of the one and of the other."""
    parts: Mapping[str, tuple[str | None, str | None]] = field(default_factory=dict)
    """Parts that only one has, by key: what it is, and None for the pilot without it."""
    weights: Mapping[str, Mapping[str, tuple[float | None, float | None]]] = field(default_factory=dict)
    """Of linear evaluations, by set and feature; None where a pilot does not have that feature."""
    networks: Mapping[str, NetworkChange] = field(default_factory=dict)
    """By key, such as ``evaluation.network``."""
    arrays: Mapping[str, ArrayChange] = field(default_factory=dict)
    """Others, by path."""

    def __bool__(self) -> bool:
        return any(bool(each) for each in vars(self).values())


def flatten(part: BaseModel, prefix: str = "") -> list[Setting]:
    """The settings of a part and of the parts in it, in their order. Arrays are none."""
    settings = []
    for name, info in type(part).model_fields.items():
        value = getattr(part, name)
        if isinstance(value, BaseModel):
            settings += flatten(value, f"{prefix}{name}.")
        elif name not in array_fields(type(part)) and not (value is None and _names_part(info.annotation)):
            settings.append(Setting(prefix + name, value, info.description or ""))
    return settings


def compare(one: Pilot, other: Pilot) -> Comparison:
    """What differs from one pilot to the other."""
    parts = dict(_lone_parts(one, other))
    networks = dict(_changed_networks(one, other))
    told = (*parts, *networks, "evaluation.weights")
    arrays = {
        path: change
        for path, change in _changed_arrays(dict(walk_arrays(one)), dict(walk_arrays(other))).items()
        if not _is_inside(path.replace("/", "."), told)
    }
    return Comparison(_changed_settings(one, other, parts), parts, _changed_weights(one, other), networks, arrays)


def _changed_settings(one: Pilot, other: Pilot, lone: Mapping[str, object]) -> dict[str, tuple[Any, Any]]:
    mine, theirs = ({each.key: each.value for each in flatten(pilot)} for pilot in (one, other))
    return {
        key: (mine.get(key), theirs.get(key))
        for key in mine | theirs
        if mine.get(key) != theirs.get(key) and not _is_inside(key, lone)
    }


def _changed_weights(one: Pilot, other: Pilot) -> dict[str, dict[str, tuple[float | None, float | None]]]:
    mine, theirs = one.evaluation.named(one.game), other.evaluation.named(other.game)
    changed = {}
    for name in mine | theirs:
        before, after = mine.get(name, {}), theirs.get(name, {})
        differing = {
            feature: (before.get(feature), after.get(feature))
            for feature in before | after
            if before.get(feature) != after.get(feature)
        }
        if differing:
            changed[name] = differing
    return changed


def _changed_networks(one: Pilot, other: Pilot) -> Iterator[tuple[str, NetworkChange]]:
    theirs = dict(walk_networks(other))
    for key, before in walk_networks(one):
        if (after := theirs.get(key)) is None:
            continue
        layers = _changed_arrays(*({name: getattr(each, name) for name in Network.LAYERS} for each in (before, after)))
        if not layers:
            continue
        shapes = [(each.sets, each.inputs, each.units) for each in (before, after)]
        is_like = shapes[0] == shapes[1] and one.game == other.game
        yield (
            key,
            NetworkChange(
                (before.describe(), after.describe()),
                max(before.weight_count, after.weight_count),
                layers,
                _moved_inputs(before, after, one.game) if is_like else {},
            ),
        )


def _moved_inputs(before: Network, after: Network, game: str) -> dict[str, float]:
    squares: NDArray[np.float64] = np.zeros(before.inputs)
    for name in ("hidden", "direct"):
        left, right = getattr(before, name), getattr(after, name)
        if left.shape == right.shape and left.size:
            squares += np.square(right.astype(np.float64) - left).sum(axis=1)
    distances = np.sqrt(squares)
    names = before.input_names(game)
    farthest_first = np.argsort(-distances, kind="stable")
    return {names[i]: float(distances[i]) for i in farthest_first if distances[i]}


def _changed_arrays(one: Mapping[str, Array], other: Mapping[str, Array]) -> dict[str, ArrayChange]:
    """Those that differ, by path."""
    changed = {}
    for path in {**one, **other}:
        left, right = one.get(path), other.get(path)
        if left is None or right is None or left.shape != right.shape:
            shapes = None if left is None else left.shape, None if right is None else right.shape
            changed[path] = ArrayChange(shapes, max(array.size for array in (left, right) if array is not None))
        elif differing := int(np.count_nonzero(left != right)):
            moved = right.astype(np.float64) - left
            mean, largest = float(np.sqrt(np.mean(np.square(moved)))), float(np.abs(moved).max())
            changed[path] = ArrayChange((left.shape, right.shape), differing, mean, largest)
    return changed


def walk_networks(pilot: Pilot) -> Iterator[tuple[str, Network]]:
    """The networks of a pilot, each with its key, such as ``evaluation.network``."""
    for key, part in _walk_parts(pilot):
        if isinstance(part, Network):
            yield key, part


def _lone_parts(one: Pilot, other: Pilot) -> Iterator[tuple[str, tuple[str | None, str | None]]]:
    mine, theirs = dict(_walk_parts(one)), dict(_walk_parts(other))
    told: list[str] = []
    for key in mine | theirs:
        if (key in mine) != (key in theirs) and not _is_inside(key, told):
            told.append(key)
            yield key, (_describe(mine.get(key)), _describe(theirs.get(key)))


def _walk_parts(part: BaseModel, prefix: str = "") -> Iterator[tuple[str, BaseModel]]:
    for name in type(part).model_fields:
        value = getattr(part, name)
        if isinstance(value, BaseModel):
            yield f"{prefix}{name}", value
            yield from _walk_parts(value, f"{prefix}{name}.")


def _describe(part: BaseModel | None) -> str | None:
    if part is None:
        return None
    if isinstance(part, Network):
        return part.describe()
    numbers = sum(array.size for _, array in walk_arrays(part))
    return f"{len(flatten(part))} settings" + (f", {numbers:,} weights" if numbers else "")


def _is_inside(key: str, parts: Mapping[str, object] | list[str] | tuple[str, ...]) -> bool:
    return any(key == part or key.startswith(f"{part}.") for part in parts)


def _names_part(annotation: object) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return True
    return any(_names_part(inner) for inner in get_args(annotation))
