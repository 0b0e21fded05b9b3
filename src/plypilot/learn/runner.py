"""The one loop of all learners: steps, metrics, checkpoints, resume, in a run folder (folder.py)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from os import PathLike
from pathlib import Path
from typing import Self

from plypilot.compute import Workers, holding_interrupts, workers_for
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
    """Runs a learner to its end, or goes on with one that was ended. Killed at any moment, it loses two steps at most.

    The result depends on learner, pilot and seed alone. Raises RunError where the folder holds another run.
    """
    place, steps = RunFolder(Path(folder)), learner.steps
    with place.locked(), workers_for(pilot.game, workers) as pool:
        state, step = _begin(place, learner, pilot, seed, resume)
        with _Keeper(place, learner, on_step) as keeper:
            while step < steps:
                state, metrics = learner.step(state, pool)
                step += 1
                keeper.keep(state, step, metrics)
        learned = learner.pilot(state)
        for name in (LAST, BEST):
            learned.save(place.path / name)
    return read_run(place.path)


class _Keeper:
    """Writes each step to the disk while the next one is taken: a flush takes as long as some games.

    At most one step is being written. A step is told of once it is safe on the disk.
    """

    def __init__(self, place: RunFolder, learner: Learner, on_step: OnStep | None) -> None:
        self._place, self._learner, self._on_step = place, learner, on_step
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="plypilot-keeper")
        self._writing: tuple[Future[None], int, Metrics] | None = None
        self._saved = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_rest: object) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            with holding_interrupts():
                self._writer.shutdown()  # what is being written is written to its end

    def keep(self, state: State, step: int, metrics: Metrics) -> None:
        """Begins to write a step, once the one before is written."""
        self._finish()
        with holding_interrupts():
            self._writing = self._writer.submit(self._write, state, step, metrics), step, metrics

    def _finish(self) -> None:
        if self._writing is None:
            return
        (written, step, metrics), self._writing = self._writing, None
        with holding_interrupts():
            written.result()
        if self._on_step is not None:
            self._on_step(step, metrics)

    def _write(self, state: State, step: int, metrics: Metrics) -> None:
        self._place.add_metrics(step, metrics)
        self._place.add_trace(step, self._learner.steps, summary_of(self._learner, state))
        self._place.checkpoint(state, step)
        if time.monotonic() - self._saved > LAST_PILOT_SECONDS:
            self._saved = time.monotonic()
            self._learner.pilot(state).save(self._place.path / LAST)


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
