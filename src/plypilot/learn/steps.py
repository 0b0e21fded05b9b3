"""How far each weight goes in the direction that a sequence of predictions recommends: interchangeable rules.

A rule is a frozen model of its settings; what it remembers between sequences are plain arrays, one value a weight. It
is given the recommended changes of one sequence, shape (predictions, weights), before any rate is applied.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from plypilot.settings import Part

Array = NDArray[np.float64]
Rate = Annotated[float, Field(gt=0, le=1000)]


class StepRule(Part):
    """The base of all rules."""

    def start(self, weights: int) -> dict[str, Array]:
        """What the rule remembers at first."""
        raise NotImplementedError

    def apply(self, memory: Mapping[str, Array], changes: Array) -> tuple[Array, dict[str, Array]]:
        """By how much to change each weight after a sequence, and what the rule remembers then."""
        raise NotImplementedError


class Fixed(StepRule):
    """The same rate for every weight, always."""

    kind: Literal["fixed"] = "fixed"
    rate: Rate = 0.05
    """alpha of Sutton 1988"""

    def start(self, weights: int) -> dict[str, Array]:  # noqa: ARG002
        """Nothing to remember."""
        return {}

    def apply(self, memory: Mapping[str, Array], changes: Array) -> tuple[Array, dict[str, Array]]:
        """The sum of the changes at the rate."""
        return self.rate * changes.sum(axis=0), dict(memory)


class Momentum(StepRule):
    """The same rate for every weight, and each move goes on in part of the one before it."""

    kind: Literal["momentum"] = "momentum"
    rate: Rate = 0.05
    """of the recommended change"""
    keep: Annotated[float, Field(ge=0, lt=1)] = 0.9
    """the part of the last move that is made once more"""

    def start(self, weights: int) -> dict[str, Array]:
        """No move yet."""
        return {"move": np.zeros(weights)}

    def apply(self, memory: Mapping[str, Array], changes: Array) -> tuple[Array, dict[str, Array]]:
        """The sum of the changes at the rate, and a part of the last move."""
        move = self.rate * changes.sum(axis=0) + self.keep * memory["move"]
        return move, {"move": move}


class Decaying(StepRule):
    """A rate that falls with the number of sequences to a least one: rate * halfway / (halfway + sequences)."""

    kind: Literal["decaying"] = "decaying"
    rate: Rate = 0.05
    """at the start"""
    halfway: Annotated[float, Field(gt=0)] = 1000.0
    """sequences after which the rate is half of what it was"""
    least: Annotated[float, Field(ge=0, le=1000)] = 0.0
    """where it stays once it has come down to it (Smith 6.5.1)"""

    def start(self, weights: int) -> dict[str, Array]:  # noqa: ARG002
        """Counts sequences."""
        return {"sequences": np.zeros(1)}

    def apply(self, memory: Mapping[str, Array], changes: Array) -> tuple[Array, dict[str, Array]]:
        """The sum of the changes at the rate of now."""
        sequences = memory["sequences"]
        rate = max(self.rate * self.halfway / (self.halfway + float(sequences[0])), min(self.least, self.rate))
        return rate * changes.sum(axis=0), {"sequences": sequences + 1}


class TemporalCoherence(StepRule):
    """Rates by weight that fall where recommended changes contradict each other (Smith 8.2, equations 8.2 to 8.5).

    The rate of a weight is |N| / A, with N the sum of its changes so far and A the sum of their sizes. Weights move
    with the rates of before; then the rates follow.
    """

    kind: Literal["temporal-coherence"] = "temporal-coherence"
    rate: Rate = 0.05
    """c: what all rates are multiplied with; 1 is too much for most games"""

    def start(self, weights: int) -> dict[str, Array]:
        """No changes yet, and every rate 1."""
        return {"net": np.zeros(weights), "total": np.zeros(weights)}

    def apply(self, memory: Mapping[str, Array], changes: Array) -> tuple[Array, dict[str, Array]]:
        """The sum of the changes at the rates of before."""
        net, total = memory["net"], memory["total"]
        coherence = np.divide(np.abs(net), total, out=np.ones_like(net), where=total > 0)
        move = changes.sum(axis=0)
        return self.rate * coherence * move, {"net": net + move, "total": total + np.abs(changes).sum(axis=0)}


class DeltaBarDelta(StepRule):
    """Rates by weight that rise where changes agree with their running mean, else fall (Jacobs 1988; Smith 8.4).

    All is applied at the end of the sequence, but rates may be adjusted after each of its predictions, or once by all
    that it recommends. A game has so many predictions that after each of them rates have no time to settle.
    """

    kind: Literal["delta-bar-delta"] = "delta-bar-delta"
    first_rate: Rate = 0.05
    """epsilon 0"""
    rise: Annotated[float, Field(ge=0)] = 0.035
    """kappa, added to a rate"""
    fall: Annotated[float, Field(ge=0, lt=1)] = 0.333
    """phi, the part of a rate that is taken off"""
    base: Annotated[float, Field(ge=0, lt=1)] = 0.7
    """theta of the running mean"""
    adjusted: Literal["prediction", "sequence"] = "prediction"
    """after which of them rates and means are adjusted"""

    def start(self, weights: int) -> dict[str, Array]:
        """Every rate as given, and no mean."""
        return {"rates": np.full(weights, self.first_rate), "means": np.zeros(weights)}

    def apply(self, memory: Mapping[str, Array], changes: Array) -> tuple[Array, dict[str, Array]]:
        """The sum of the changes at the rates of before; the new rates count from the next sequence on."""
        old, rates, means = memory["rates"], memory["rates"].copy(), memory["means"]
        for change in changes if self.adjusted == "prediction" else changes.sum(axis=0, keepdims=True):
            agreement = means * change
            rates = np.where(agreement > 0, rates + self.rise, np.where(agreement < 0, rates * (1 - self.fall), rates))
            means = (1 - self.base) * change + self.base * means
        return old * changes.sum(axis=0), {"rates": rates, "means": means}


def _by_name(given: object) -> object:
    return {"kind": given} if isinstance(given, str) else given


AnyStepRule = Annotated[
    Annotated[Fixed | Momentum | Decaying | TemporalCoherence | DeltaBarDelta, Field(discriminator="kind")],
    BeforeValidator(_by_name),
]
"""A rule, its settings as a table, or its name where they are to be as usual."""
