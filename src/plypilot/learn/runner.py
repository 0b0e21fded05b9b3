"""The one loop of all learners: steps, metrics, checkpoints, resume, in a run folder (folder.py)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path

from plypilot.compute import Workers, workers_for
from plypilot.learn.catalogue import learner_name, learner_settings
from plypilot.learn.folder import (
    BEST,
    LAST,
    PREVIOUS_STATE,
    RUN,
    STATE,
    Run,
    RunError,
    RunFolder,
    read_run,
    without_nothing,
)
from plypilot.learn.learner import Learner, Metrics, State
from plypilot.pilot import Pilot

LAST_PILOT_SECONDS = 10.0
"""How old last.pilot may be while a run goes on."""

OnStep = Callable[[int, Metrics], object]
"""Hears of each step, once it is safe on the disk: its number and its metrics."""


def train(
    learner: Learner,
    pilot: Pilot,
    folder: str | PathLike[str],
    *,
    seed: int = 0,
    workers: int | Workers = 1,
    resume: bool = False,
    on_step: OnStep | None = None,
) -> Run:
    """Runs a learner to its end, or goes on with a run that was ended. Killed at any moment, it loses one step at most.

    The result depends on learner, pilot and seed alone. Raises RunError where the folder holds another run.
    """
    place, steps = RunFolder(Path(folder)), learner.steps
    with place.locked(), workers_for(pilot.game, workers) as pool:
        state, step = _begin(place, learner, pilot, seed, resume)
        saved = time.monotonic()
        while step < steps:
            state, metrics = learner.step(state, pool)
            step += 1
            place.add_metrics(step, metrics)
            place.add_trace(step, steps, summary_of(learner, state))
            place.checkpoint(state, step)
            if time.monotonic() - saved > LAST_PILOT_SECONDS:
                saved = time.monotonic()
                learner.pilot(state).save(place.path / LAST)
            if on_step is not None:
                on_step(step, metrics)
        learned = learner.pilot(state)
        for name in (LAST, BEST):
            learned.save(place.path / name)
    return read_run(place.path)


def summary_of(learner: Learner, state: State) -> Mapping[str, float]:
    """What is being learned, by name, where the learner tells it."""
    tell = getattr(learner, "summary", None)
    return tell(state) if tell is not None else {}


def _begin(place: RunFolder, learner: Learner, pilot: Pilot, seed: int, resume: bool) -> tuple[State, int]:
    facts = {
        "learner": learner_name(learner),
        "game": pilot.game,
        "seed": seed,
        "steps": learner.steps,
        "pilot": pilot.digest,
        "settings": without_nothing(learner_settings(learner)),
    }
    begun = place.has(STATE, PREVIOUS_STATE)
    if begun or place.has(RUN):
        there = place.read_facts()
        differ = sorted(key for key in facts if there.get(key) != facts[key])
        if differ:
            raise RunError(f"{place.path}: holds another run; these differ: {', '.join(differ)}")
    if begun:
        if not resume:
            raise RunError(f"{place.path}: holds a run already; resume it, or name another folder")
        return place.go_on()
    state = learner.start(pilot, seed)
    place.begin(facts, pilot, state, summary_of(learner, state))
    return state, 0
