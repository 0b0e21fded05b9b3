"""The bounded random walk: a prediction task whose truth is known (Sutton 1988; Smith 8.5).

Walks start in the middle of five states and step left or right, as likely, until they leave at one end. The weights are
the predictions: the chance of leaving at the right end from each state.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plypilot.learn.prediction_decay import PredictionDecay
from plypilot.learn.steps import StepRule

Array = NDArray[np.float64]

STATES = 5
TRUTH = np.arange(1, STATES + 1) / (STATES + 1)


def make_walks(count: int, seed: int) -> list[tuple[NDArray[np.int64], float]]:
    """Walks as (states visited, outcome 0 or 1)."""
    rng = np.random.default_rng(seed)
    walks = []
    for _ in range(count):
        states, at = [], STATES // 2
        while 0 <= at < STATES:
            states.append(at)
            at += 1 if rng.random() < 0.5 else -1
        walks.append((np.array(states), float(at == STATES)))
    return walks


def changes_of_walk(weights: Array, states: NDArray[np.int64], outcome: float, trace_decay: float) -> Array:
    """What each prediction of a walk recommends to change of each weight, shape (predictions, states)."""
    predictions = np.append(weights[states], outcome)
    trace, changes = np.zeros(STATES), np.empty((len(states), STATES))
    for t, state in enumerate(states):
        trace *= trace_decay
        trace[state] += 1
        changes[t] = (predictions[t + 1] - predictions[t]) * trace
    return changes


def learn_walks(walks: list[tuple[NDArray[np.int64], float]], rule: StepRule, trace_decay: float | None = 0.3) -> Array:
    """The weights after each walk, shape (walks + 1, states), from 1/2 on. A trace decay of None is learned (8.3)."""
    weights, memory = np.full(STATES, 0.5), rule.start(STATES)
    decay = PredictionDecay() if trace_decay is None else None
    traces = [weights]
    for states, outcome in walks:
        fade = trace_decay if decay is None else decay.fit()
        assert fade is not None
        if decay is not None:
            decay.add(np.append(weights[states], outcome))
        move, memory = rule.apply(memory, changes_of_walk(weights, states, outcome, fade))
        weights = weights + move
        traces.append(weights)
    return np.array(traces)


def errors(traces: Array) -> Array:
    """The squared error of all weights, 1 at the start (1 - g of Smith 8.9), shape (walks + 1,)."""
    start = float(((0.5 - TRUTH) ** 2).sum())
    return np.asarray(((traces - TRUTH) ** 2).sum(axis=1) / start)
