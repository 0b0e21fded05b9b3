"""Batch RPROP: each weight has a step of its own, which the signs of its slopes make longer or shorter (Kocsis A.3).

The rule is a frozen model of its settings. What it remembers between batches are plain arrays of single precision, one
value for each weight, so it serves every learner that has the gradient of a loss over all its cases.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, model_validator

from plypilot import _core
from plypilot.settings import Part

Array = NDArray[np.float32]
Step = Annotated[float, Field(gt=0, le=1e6)]


class Rprop(Part):
    """Weights go down by their steps where the slope is positive and up where it is negative, however steep it is."""

    kind: Literal["rprop"] = "rprop"
    rise: Annotated[float, Field(gt=1, le=10)] = 1.2
    """eta+: a step whose slope keeps its sign grows by this factor"""
    fall: Annotated[float, Field(gt=0, lt=1)] = 0.5
    """eta-: a step whose slope changes its sign shrinks by this factor"""
    first_step: Step = 0.1
    """of every weight at the start"""
    least_step: Step = 1e-6
    """no step gets smaller"""
    most_step: Step = 50.0
    """no step gets larger"""
    forgets_turns: bool = True
    """a slope that changes its sign counts as 0, now and in the next batch, as is usual (iRPROP-); else it counts as it
    is, as A.6 has it (RPROP-)"""

    @model_validator(mode="after")
    def _has_room(self) -> Self:
        if not self.least_step <= self.first_step <= self.most_step:
            raise ValueError(
                f"first_step is {self.first_step}, expected between least_step ({self.least_step}) and most_step "
                f"({self.most_step})"
            )
        return self

    def start(self, shape: int | tuple[int, ...]) -> dict[str, Array]:
        """What the rule remembers at first, for weights of this shape."""
        return {"steps": np.full(shape, self.first_step, np.float32), "slopes": np.zeros(shape, np.float32)}

    def apply(
        self, weights: ArrayLike, gradient: ArrayLike, memory: Mapping[str, NDArray[Any]]
    ) -> tuple[Array, dict[str, Array]]:
        """The weights after a step against the gradient, and what the rule remembers then. All have one shape."""
        moved = np.array(weights, np.float32)
        kept = {name: np.array(memory[name], np.float32) for name in ("steps", "slopes")}
        _core.step_rprop(
            moved.reshape(-1),
            np.ascontiguousarray(gradient, np.float32).reshape(-1),
            kept["steps"].reshape(-1),
            kept["slopes"].reshape(-1),
            rise=self.rise,
            fall=self.fall,
            least_step=self.least_step,
            most_step=self.most_step,
            forgets_turns=self.forgets_turns,
        )
        return moved, kept
