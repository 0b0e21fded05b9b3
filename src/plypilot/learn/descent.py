"""AdaGrad and Adam: weights follow the gradients of small batches, each at a rate that its own slopes set.

Most weights have no slope in a small batch of sparse cases. Such a weight keeps its place and its memory, so that a
step costs no more than the weights that the batch touches. A rule is a frozen model of its settings; what it remembers
are plain arrays of single precision, one value for each weight, and the number of batches.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BeforeValidator, Field

from plypilot import _core
from plypilot.learn.rprop import Rprop
from plypilot.settings import Part

Array = NDArray[np.float32]
Rate = Annotated[float, Field(gt=0, le=1000)]
Decay = Annotated[float, Field(ge=0, lt=1)]


class Descent(Part):
    """The base of both rules."""

    remembers: ClassVar[tuple[str, ...]]
    """The arrays that the rule has for each weight."""
    kind: str
    rate: Rate
    floor: Annotated[float, Field(gt=0, le=1)] = 1e-8
    """epsilon: what is added to the root that steps are divided by"""

    def start(self, shape: int | tuple[int, ...]) -> dict[str, Array]:
        """What the rule remembers at first, for weights of this shape."""
        return {name: np.zeros(shape, np.float32) for name in self.remembers}

    def apply(
        self, weights: ArrayLike, gradient: ArrayLike, memory: Mapping[str, NDArray[Any]], steps: int
    ) -> tuple[Array, dict[str, Array]]:
        """The weights after a step against the gradient, and what the rule remembers then. ``steps`` counts the steps,
        this one included.
        """
        moved = np.array(weights, np.float32)
        kept = {name: np.array(memory[name], np.float32) for name in self.remembers}
        squares, means = (array.reshape(-1) for array in self.memory(kept))
        slopes = np.ascontiguousarray(gradient, np.float32).reshape(-1)
        _core.step_descent(moved.reshape(-1), slopes, squares, means, steps, **self.native())
        return moved, kept

    def shrink(self, weights: Array, memory: Mapping[str, Array], slope: float) -> None:
        """Draws weights toward 0, in their place, as a slope of so many times themselves would, each at its own rate.

        The slope is that of where they arrive, so that none goes past 0.
        """
        squares, _ = self.memory(memory)
        weights /= 1 + np.float32(self.rate * slope) / (
            np.sqrt(squares).reshape(weights.shape) + np.float32(self.floor)
        )

    def memory(self, arrays: Mapping[str, Array]) -> tuple[Array, Array]:
        """Squares and means as core/learn/descent.hpp takes them; an array that the rule has not is empty."""
        nothing = np.empty(0, np.float32)
        return arrays.get("squares", nothing), arrays.get("means", nothing)

    def native(self) -> dict[str, Any]:
        """The settings in the form of core/learn/descent.hpp."""
        return {
            "rule": self.kind,
            "rate": self.rate,
            "floor": self.floor,
            "mean_decay": getattr(self, "mean_decay", 0.0),
            "square_decay": getattr(self, "square_decay", 0.0),
        }


class AdaGrad(Descent):
    """Steps are divided by the root of the sum of all squared slopes so far (Duchi, Hazan and Singer 2011)."""

    remembers: ClassVar[tuple[str, ...]] = ("squares",)
    kind: Literal["adagrad"] = "adagrad"
    rate: Rate = 0.1
    """the length of the first step of each weight"""


class Adam(Descent):
    """Steps by the running mean of slopes, divided by the root of that of their squares (Kingma and Ba 2015)."""

    remembers: ClassVar[tuple[str, ...]] = ("squares", "means")
    kind: Literal["adam"] = "adam"
    rate: Rate = 0.003
    """about the length of a step of a weight whose slopes agree"""
    mean_decay: Decay = 0.9
    """beta 1: the part of the mean that stays"""
    square_decay: Decay = 0.999
    """beta 2: the part of the mean square that stays"""


def _by_name(given: object) -> object:
    return {"kind": given} if isinstance(given, str) else given


AnyOptimiser = Annotated[
    Annotated[Rprop | AdaGrad | Adam, Field(discriminator="kind")],
    BeforeValidator(_by_name),
]
"""A rule, its settings as a table, or its name where they are to be as usual."""
