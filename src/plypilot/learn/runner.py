"""The one loop of all learners: steps, checks, metrics, checkpoints, resume, in a run folder (folder.py)."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from os import PathLike
from pathlib import Path
from typing import Any, Self

from plypilot.bounds import check_seed
from plypilot.compute import Workers, holding_interrupts, workers_for
from plypilot.difference import differing, tell_differing
from plypilot.learn.catalogue import learner_name, learner_settings
from plypilot.learn.checks import CheckHistory, Checks, OnCheck, Referee, usual_checks
from plypilot.learn.folder import (
    BEST,
    CACHE,
    LAST,
    PREVIOUS_STATE,
    RUN,
    STATE,
    Checkpoint,
    Run,
    RunError,
    RunFolder,
    read_run,
    without_nothing,
)
from plypilot.learn.learner import Learner, Metrics, expected_steps, summary_of, take_steps
from plypilot.pilot import Pilot

LAST_PILOT_SECONDS = 10.0
"""How old last.pilot may be while a run goes on."""
_HEAD_START = 0.002
"""Seconds that the next step is given before its predecessor is written: to hand out its tasks it needs the
interpreter, which the writer would hold."""

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
    checks: Checks | None = None,
    on_step: OnStep | None = None,
    on_check: OnCheck | None = None,
) -> Run:
    """Runs a learner to its end, or goes on with a run that was ended. Killed at any moment, it loses two steps.

    The result depends on learner, pilot, seed and checks alone; without ``checks`` they are the learner's usual ones. A
    run that has ended goes on where a setting that lengthens it is raised. Raises RunError where the folder holds
    another run.
    """
    check_seed(seed)
    place = RunFolder(Path(folder))
    checks = usual_checks(learner) if checks is None else checks
    with place.locked(), workers_for(pilot.game, workers) as pool, pool.remembering(place.path / CACHE):
        checkpoint = _begin(place, learner, pilot, seed, checks, resume)
        referee = Referee(checks, pilot, seed, place.path, on_check)
        with _Keeper(place, learner, on_step) as keeper:
            for state, metrics in take_steps(learner, checkpoint.state, pool):
                step = checkpoint.step + 1
                history, told = referee.look(checkpoint.history, learner, state, step, pool)
                checkpoint = Checkpoint(
                    state, step, history, is_done=learner.is_done(state), expected_steps=expected_steps(learner, state)
                )
                keeper.keep(checkpoint, metrics | told)
                if told:
                    referee.pilot_of(history.best).save(place.path / BEST)
        learned = learner.pilot(checkpoint.state)
        learned.save(place.path / LAST)
        (referee.pilot_of(checkpoint.history.best) if checks.count else learned).save(place.path / BEST)
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

    def keep(self, checkpoint: Checkpoint, metrics: Metrics) -> None:
        """Begins to write a step, once the one before is written."""
        self._finish()
        with holding_interrupts():
            self._writing = self._writer.submit(self._write, checkpoint, metrics), checkpoint.step, metrics

    def _finish(self) -> None:
        if self._writing is None:
            return
        (written, step, metrics), self._writing = self._writing, None
        with holding_interrupts():
            written.result()
        if self._on_step is not None:
            self._on_step(step, metrics)

    def _write(self, checkpoint: Checkpoint, metrics: Metrics) -> None:
        if not checkpoint.is_done:
            time.sleep(_HEAD_START)
        self._place.add_metrics(checkpoint.step, metrics)
        self._place.add_trace(checkpoint.step, summary_of(self._learner, checkpoint.state), checkpoint.is_done)
        self._place.keep(checkpoint)
        if time.monotonic() - self._saved > LAST_PILOT_SECONDS:
            self._saved = time.monotonic()
            self._learner.pilot(checkpoint.state).save(self._place.path / LAST)


def _begin(place: RunFolder, learner: Learner, pilot: Pilot, seed: int, checks: Checks, resume: bool) -> Checkpoint:
    facts = {
        "learner": learner_name(learner),
        "decision": learner.decision,
        "game": pilot.game,
        "seed": seed,
        "pilot": pilot.digest,
        "settings": without_nothing(learner_settings(learner)),
        "checks": checks.model_dump(),
    }
    is_begun = place.has(STATE, PREVIOUS_STATE)
    is_longer = False
    if is_begun or place.has(RUN):
        is_longer = _is_longer(place, learner, facts)
    if is_begun:
        if not resume:
            raise RunError(f"{place.path}: holds a run already; resume it, or name another folder")
        checkpoint = place.go_on()
        if is_longer:
            place.write_facts(facts)
        return checkpoint
    state = learner.start(pilot, seed)
    checkpoint = Checkpoint(
        state, 0, CheckHistory(), is_done=learner.is_done(state), expected_steps=expected_steps(learner, state)
    )
    place.begin(facts, pilot, checkpoint, summary_of(learner, state))
    return checkpoint


def _is_longer(place: RunFolder, learner: Learner, facts: dict[str, Any]) -> bool:
    """Whether a run is the one in the folder, but longer. Raises RunError where it is another one."""
    there = {key: value for key, value in place.read_facts().items() if key in facts}
    lengths = {f"settings.{name}" for name in getattr(learner, "lengthened_by", ())}
    differences = differing(facts, there)
    others = set(differences) - lengths
    for path in set(differences) & lengths:
        ours, theirs = differences[path]
        if not (isinstance(ours, int | float) and isinstance(theirs, int | float) and ours > theirs):
            others.add(path)
    if others:
        told = tell_differing(facts, there)
        hint = f"; a run can only be made longer, by {' or '.join(sorted(lengths))}" if lengths else ""
        raise RunError(f"{place.path}: holds another run: {told}{hint}".replace("settings.", ""))
    return bool(differences)
