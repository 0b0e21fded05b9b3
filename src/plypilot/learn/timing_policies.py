"""Timing policies as they are learned: their form, and where their weights begin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plypilot.games import game_info
from plypilot.networks import Policy, PolicySeen, find_set
from plypilot.pilot import Pilot
from plypilot.score import PAWN
from plypilot.settings import Timing

Array = NDArray[np.float64]
Mode = Literal["dynamic", "semi-dynamic"]
"""Whether a policy is asked after each iteration, or before a search."""

_SHARPNESS = 8.0
"""Of the first decisions: what an increment more that was spent takes off what the network says."""
_BANK_UNIT, _SETTLED_UNIT = 10.0, 8.0
"""What is seen as 1 (core/search/policy.hpp)."""


class Measures(NamedTuple):
    """What the pilot is like where it plays with a bank by the simple rule."""

    steepness: float
    """Of the map from scores to values (5.4), fitted to how its games end."""
    growth: float
    """How many times the nodes of the iteration before an iteration takes."""
    depth: int
    """That it mostly reaches."""


def with_timing(pilot: Pilot, changes: Mapping[str, Any]) -> Pilot:
    """The pilot with other settings of its timing. A rule that is not learned needs no policy."""
    if changes.get("rule", "learned") != "learned":
        changes = {"policy": None, **changes}
    timing = Timing.model_validate({**dict(pilot.timing), **changes})
    return pilot.model_copy(update={"timing": timing})


def empty_policy(
    game: str,
    mode: Mode,
    measures: Measures,
    *,
    increment: float,
    depth: int,
    seen: Sequence[PolicySeen],
    feature_set: str,
    units: int,
    direct: bool,
) -> Policy:
    """A policy whose weights are all 0."""
    own = ("bank",) if mode == "semi-dynamic" else tuple(seen)
    inputs = len(own) + (len(find_set(game_info(game), feature_set).features) if feature_set else 0)
    outputs = 3 if mode == "semi-dynamic" else 1
    middle = depth or measures.depth
    return Policy.model_validate(
        {
            "game": game,
            "asked": "before" if mode == "semi-dynamic" else "after",
            "seen": own,
            "set": feature_set,
            "function": "linear",
            "first": max(middle - 1, 1),
            "least_depth": 2,
            "most_depth": depth + 1 if depth else 0,
            "steepness": measures.steepness,
            "increment": increment,
            "growth": measures.growth,
            "hidden": np.zeros((inputs, units)) if units else np.zeros((0, 0)),
            "hidden_bias": np.zeros(units),
            "output": np.zeros((units, outputs)) if units else np.zeros((0, 0)),
            "direct": np.zeros((inputs, outputs)) if direct else np.zeros((0, 0)),
            "output_bias": np.zeros(outputs),
        }
    )


def simple_weights(policy: Policy, timing: Timing, pawn: float) -> tuple[Array, Array]:
    """Links past the hidden layer, and the bias, by which a network decides about as the simple rule does."""
    direct, bias = np.zeros(policy.direct.shape), np.zeros(policy.outputs)
    if policy.asked == "before":  # the fuller the bank, the deeper
        direct[0] = _SHARPNESS * np.array([-0.5, 0.0, 0.5])
        bias[:] = _SHARPNESS * np.array([0.1, 0.2, -0.3])
        return direct, bias
    usual = timing.soft_share * timing.increment_share
    # A drop of a score as the critic sees it.
    drop = max(float(np.tanh(policy.steepness * timing.worse_by * pawn / PAWN / 2)), 0.05)
    wanted: dict[PolicySeen, float] = {
        "bank": timing.soft_share * _BANK_UNIT / timing.moves_to_go,
        "drop": usual * (timing.worse_share - 1) / drop,
        "spent": -1.0,
        "new_move": usual * (timing.new_move_share - 1),
        "settled": -usual * (1 - timing.settled_share) * _SETTLED_UNIT / (2 * timing.settled_iterations),
    }
    for place, name in enumerate(policy.seen):
        direct[place, 0] = _SHARPNESS * wanted.get(name, 0.0)
    bias[0] = _SHARPNESS * usual
    return direct, bias
