"""A learner that keeps every promise, and one for each promise that breaks it."""

from __future__ import annotations

import random
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, PrivateAttr

import plypilot as pp
from plypilot.compute import Workers, task_seed
from plypilot.learn.learner import Decision, Metrics, State
from plypilot.settings import Evaluation, Part


def draw(task: tuple[int, int]) -> float:
    return float(np.random.default_rng(task_seed(*task)).normal())


class Sound(Part):
    """Adds random numbers to all weights of the evaluation."""

    count: Annotated[int, Field(ge=1)] = 3
    """steps of a run"""
    size: float = 1.0
    """of the numbers"""

    decision: ClassVar[Decision] = "evaluation"
    lengthened_by: ClassVar[tuple[str, ...]] = ("count",)

    def is_done(self, state: State) -> bool:
        return bool(state.numbers["taken"] >= self.count)

    def expected_steps(self, _state: State) -> int:
        return self.count

    def start(self, pilot: pp.Pilot, seed: int) -> State:
        return State({"value": np.zeros(1)}, {"seed": seed, "taken": 0}, pilot)

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        taken = state.numbers["taken"]
        drawn = list(workers.map(draw, [(state.numbers["seed"], 10 * taken + i) for i in range(4)]))
        value = state.arrays["value"] + self.size * sum(drawn)
        return State({"value": value}, {**state.numbers, "taken": taken + 1}, state.pilot), {"value": float(value[0])}

    def pilot(self, state: State) -> pp.Pilot:
        assert state.pilot is not None
        return self.shifted(state.pilot, float(state.arrays["value"][0]))

    def shifted(self, pilot: pp.Pilot, by: float) -> pp.Pilot:
        weights = {name: array + np.float32(by) for name, array in pilot.evaluation.weights.items()}
        evaluation = Evaluation(kind="linear", weights=weights, pawn=pilot.evaluation.pawn)
        return pilot.model_copy(update={"evaluation": evaluation})

    def summary(self, state: State) -> dict[str, float]:
        return {"value": float(state.arrays["value"][0])}


class AcceptsAnything(Sound):
    """Does not check its settings."""

    def __init__(self, **_given: Any) -> None:
        super().__init__()


class Unseeded(Sound):
    """Starts anywhere."""

    def start(self, pilot: pp.Pilot, seed: int) -> State:
        return State({"value": np.array([random.random()])}, {"seed": seed, "taken": 0}, pilot)


class Hasty(Sound):
    """Changes the pilot before it has learned anything."""

    def pilot(self, state: State) -> pp.Pilot:
        assert state.pilot is not None
        return self.shifted(state.pilot, 1 + float(state.arrays["value"][0]))


class Restless(Sound):
    """Is done and is not, whenever it is asked."""

    _asked: int = PrivateAttr(0)

    def is_done(self, state: State) -> bool:
        self._asked += 1
        return super().is_done(state) or self._asked > 12


class Boastful(Sound):
    """Promises more steps than it takes."""

    def expected_steps(self, _state: State) -> int:
        return self.count + 1


class Meddling(Sound):
    """Changes what is not its own to change."""

    def pilot(self, state: State) -> pp.Pilot:
        learned = super().pilot(state)
        return learned.replace({"pruning.futility_margin": 50}) if state.numbers["taken"] else learned


class Gifted(Sound):
    """Knows how to play after its first step, and forgets it at its third."""

    def pilot(self, state: State) -> pp.Pilot:
        assert state.pilot is not None
        if state.numbers["taken"] not in (1, 2):
            return state.pilot
        return state.pilot.model_copy(update={"evaluation": pp.Pilot.baseline(state.pilot.game).evaluation})


class Openended(Sound):
    """Ends when it has seen enough, which nobody knows beforehand."""

    def is_done(self, state: State) -> bool:
        return bool(state.numbers["taken"] >= 3 and abs(float(state.arrays["value"][0])) > 0.1)

    def expected_steps(self, _state: State) -> None:  # type: ignore[override]
        return None


class Scribbling(Sound):
    """Writes into the state that it was given."""

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        after, metrics = super().step(state, workers)
        state.arrays["value"][:] = after.arrays["value"]
        return after, metrics


class Talkative(Sound):
    """Tells what is no number."""

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        after, metrics = super().step(state, workers)
        return after, metrics | {"worst": float("nan")}


class Moody(Sound):
    """Is never the same twice."""

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        after, metrics = super().step(state, workers)
        return State({"value": after.arrays["value"] + random.random()}, after.numbers, after.pilot), metrics


class Counting(Sound):
    """Learns from how many it is helped by."""

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        after, metrics = super().step(state, workers)
        return State({"value": after.arrays["value"] * workers.count}, after.numbers, after.pilot), metrics


class Halved(Sound):
    """Keeps numbers that a checkpoint does not."""

    def start(self, pilot: pp.Pilot, seed: int) -> State:
        started = super().start(pilot, seed)
        return State({"value": started.arrays["value"].astype(np.float16)}, started.numbers, pilot)


class Forgetful(Sound):
    """Keeps in itself what belongs in the state."""

    _steps: int = PrivateAttr(0)

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        after, metrics = super().step(state, workers)
        self._steps += 1
        return State({"value": after.arrays["value"] + self._steps}, after.numbers, after.pilot), metrics


class Wandering(Sound):
    """Hands back a pilot of another game."""

    def pilot(self, state: State) -> pp.Pilot:
        return super().pilot(state) if not state.numbers["taken"] else pp.Pilot.baseline("loa")


class Renaming(Sound):
    """Calls what it learns by another name at every step."""

    def summary(self, state: State) -> dict[str, float]:
        return {f"value {state.numbers['taken']}": 0.0}


BROKEN = {
    "settings": AcceptsAnything,
    "start": Unseeded,
    "untrained": Hasty,
    "end": Restless,
    "end expected": Boastful,
    "decision": Meddling,
    "step": Scribbling,
    "step metrics": Talkative,
    "repeat": Moody,
    "workers": Counting,
    "saving": Halved,
    "resume": Forgetful,
    "pilot": Wandering,
    "summary": Renaming,
}
