"""Meta-Actor-Critic: how a network that takes decisions learns from what the evaluation says of the game afterwards
(Kocsis 2003, 5.2.2).

The critic is the evaluation: how its value changes from one own position to the next is the reward. The actor is one
network; each of its decisions leaves a trace, which fades, and changes of value go to all that the trace holds. Nothing
here knows what is decided: it serves any decision that is taken a few times a move.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BeforeValidator, Field

from plypilot.learn.rprop import Rprop
from plypilot.learn.steps import Decaying, DeltaBarDelta, Fixed, Momentum, StepRule, TemporalCoherence
from plypilot.learn.weights import MOST_WEIGHT, from_vector, native_network, to_vector
from plypilot.networks import Network

Array = NDArray[np.float64]
Direction = Literal["plain", "likelihood"]
"""How a decision pulls at its outputs: as equation 5.3 has it, or by the gradient of how likely it was."""
AnyNetwork = TypeVar("AnyNetwork", bound=Network)

_LEAST_STEEPNESS, _MOST_STEEPNESS = 1e-5, 1.0
_GRID = 60
"""Steepnesses that are tried first, and thirds that are taken off between the best and its neighbours."""


class Decisions(NamedTuple):
    """Decisions of one player in one game, in the order in which they were taken."""

    starts: NDArray[np.int64]
    """(decisions + 1,) the inputs of decision i lie between starts[i] and starts[i + 1]."""
    indices: NDArray[np.int32]
    values: NDArray[np.float32]
    possible: NDArray[np.bool_]
    """(decisions, choices) which there were: one an output, or two of a network with one output, no (0) and yes (1)."""
    chosen: NDArray[np.int64]
    """(decisions,) the choice that was taken."""
    turns: NDArray[np.int64]
    """(decisions,) at which own move of the game."""

    def __len__(self) -> int:
        return len(self.chosen)


def td_errors(values: ArrayLike, result: float) -> Array:
    """(turns,) how the value changed from each own position to the next one, and from the last to the result."""
    return np.diff(np.append(np.asarray(values, np.float64), result))


def credit_turns(errors: ArrayLike, decay: float) -> Array:
    """(turns,) what the decisions of each turn are credited with: the changes of value from then on, faded.

    With frozen weights this is the sum of equation 5.1 over a game, by decision instead of by time: a decision is in
    the trace from its own turn on, and fades by ``decay`` with each turn after it (5.2).
    """
    found = np.array(errors, np.float64)
    for turn in range(len(found) - 2, -1, -1):
        found[turn] += decay * found[turn + 1]
    return found


def directions(decisions: Decisions, outputs: ArrayLike, way: Direction = "plain", temperature: float = 1.0) -> Array:
    """(decisions, outputs) where each decision pulls the outputs (5.3): up where it was taken, down where another was.

    ``likelihood`` pulls by what was not expected: the gradient of the logarithm of the chance that a choice by these
    outputs, at this temperature, falls on the one that was taken. Choices that were not possible are not pulled.
    """
    possible, chosen = decisions.possible, decisions.chosen
    scores = np.asarray(outputs, np.float64).reshape(len(decisions), -1) / temperature
    is_one = scores.shape[1] == 1
    if is_one:  # no and yes are two choices whose outputs are 0 and this one
        scores = np.column_stack([np.zeros(len(decisions)), scores])
    taken = np.zeros(possible.shape, bool)
    taken[np.arange(len(chosen)), chosen] = True
    if way == "plain":
        pulls = np.where(possible, np.where(taken, 1.0, -1.0), 0.0)
    else:
        scores = np.where(possible, scores, -np.inf)
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        pulls = np.where(possible, (taken - chances) / temperature, 0.0)
    pulls[possible.sum(axis=1) < 2] = 0  # there was nothing to decide
    return pulls[:, 1:] if is_one else pulls


def game_change(
    network: Network,
    decisions: Decisions,
    values: ArrayLike,
    result: float,
    *,
    decay: float,
    way: Direction = "plain",
    temperature: float = 1.0,
) -> Array:
    """What a game recommends to change of each weight (5.1 and 5.2), before any rate is applied.

    ``values`` are those of the own positions in turn, from the view of the side that learns, ``result`` is theirs in
    the end. Between two of them weights move by the trace of before; then the trace fades and takes in the decisions of
    the new turn.
    """
    native = native_network(network)
    change = np.zeros(native.size)
    if not len(decisions):
        return change
    outputs = native.values(decisions.starts, decisions.indices, decisions.values)
    credited = credit_turns(td_errors(values, result), decay)[decisions.turns]
    factors = directions(decisions, outputs, way, temperature) * credited[:, None]
    native.add_gradient(
        change, decisions.starts, decisions.indices, decisions.values, np.ascontiguousarray(factors).reshape(-1)
    )
    return change


# Rules by which weights follow


def _by_name(given: object) -> object:
    return {"kind": given} if isinstance(given, str) else given


ActorRule = Fixed | Momentum | Decaying | TemporalCoherence | DeltaBarDelta | Rprop
AnyActorRule = Annotated[Annotated[ActorRule, Field(discriminator="kind")], BeforeValidator(_by_name)]
"""How weights follow: after each game in turn, or by all games of a batch together (RPROP)."""


class Actor(NamedTuple):
    """The weights of a network that learns, and what their rule remembers."""

    weights: Array
    memory: Mapping[str, NDArray[Any]]

    @classmethod
    def start(cls, network: Network, rule: ActorRule) -> Actor:
        """Before the first game."""
        weights = to_vector(network)
        return cls(weights, rule.start(len(weights)))

    def network(self, like: AnyNetwork) -> AnyNetwork:
        """The network that has these weights, in the form of another."""
        return from_vector(like, self.weights)

    def follow(self, changes: list[Array], rule: ActorRule) -> Actor:
        """After the games of a batch, whose changes come in the order of the games."""
        weights, memory = self.weights, self.memory
        if isinstance(rule, StepRule):
            for change in changes:
                move, memory = rule.apply(memory, change[None])
                weights = weights + move
        elif changes:
            moved, memory = rule.apply(weights, -np.sum(changes, axis=0), memory)
            weights = moved.astype(np.float64)
        return Actor(np.clip(weights, -MOST_WEIGHT, MOST_WEIGHT), memory)


# The critic's map


def state_values(scores: ArrayLike, steepness: float) -> Array:
    """Scores as values between -1 and 1 (5.4)."""
    return np.tanh(np.asarray(scores, np.float64) * steepness / 2)


def fit_steepness(scores: ArrayLike, results: ArrayLike) -> float:
    """The steepness with which values predict results best: the least mean square of what they miss.

    The seed has 0.05 a point of its program. ``results`` are 1, 0 and -1 from the view that scores have.
    """
    scores, results = np.asarray(scores, np.float64), np.asarray(results, np.float64)

    def error(logarithm: float) -> float:
        return float(np.square(results - state_values(scores, float(np.exp(logarithm)))).mean()) if len(scores) else 0.0

    low, high = np.log(_LEAST_STEEPNESS), np.log(_MOST_STEEPNESS)
    grid = np.linspace(low, high, _GRID)
    best = int(np.argmin([error(each) for each in grid]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    for _ in range(_GRID):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if error(left) <= error(right) else (left, high)
    return float(np.exp((low + high) / 2))
