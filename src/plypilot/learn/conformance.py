"""The conformance checker of learners: takes some steps and explains each broken promise in a sentence.

One list of rules serves the learners of this package, the tests and ``plypilot check-learner`` on a user's class.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import numpy as np
import tomli_w

from plypilot.check import Failure
from plypilot.compute import workers_for
from plypilot.games import Position
from plypilot.learn.catalogue import find_learner, learner_class, learner_name, learner_settings
from plypilot.learn.checks import Checks
from plypilot.learn.folder import BEST, LAST, STATE, without_nothing
from plypilot.learn.learner import Decision, Learner, Metrics, State, expected_steps, take_steps
from plypilot.learn.runner import train
from plypilot.pilot import Pilot
from plypilot.searcher import Limit, search

SMALL_GAME = "breakthrough-5x5"
"""Whose games are short."""
STEPS = 3
"""Steps that a check takes of each run."""
_MANY = 3
"""Workers whose result is compared with that of one."""
_NONSENSE = "no number"
_FEW_GAMES = Checks(count=2, games=4, nodes=50, confirming_games=4)
"""How the runs of a check check themselves: enough to see that they resume with all they know."""


def check_learner(
    name: str,
    settings: Mapping[str, Any] | None = None,
    *,
    game: str = SMALL_GAME,
    pilot: Pilot | None = None,
    steps: int = STEPS,
    seed: int = 0,
    on_rule: Callable[[str], object] | None = None,
) -> list[Failure]:
    """Runs a learner, by ``td`` or ``module:Class``, for some steps, and returns a failure for each broken promise.

    An empty list means that every promise held. The pilot is the baseline of the game where none is given. The end of a
    run is checked where it comes within these steps. Raises LearnerError where the learner cannot be made at all.
    """
    find_learner(name, settings or {})
    found = []
    with tempfile.TemporaryDirectory() as folder:
        trial = _Trial(name, settings or {}, pilot or Pilot.baseline(game), steps, seed, Path(folder))
        for rule, check in _RULES:
            if on_rule is not None:
                on_rule(rule)
            try:
                text = next(check(trial), None)
            except Exception as error:
                text = f"{type(error).__name__}: {error}"
            if text is not None:
                found.append(Failure(rule, text))
    return found


class _Enough(BaseException):
    """Ends a run as a kill would, but between two steps."""


@dataclass
class _Trial:
    """A learner, made anew for every run, and the runs that the rules compare."""

    name: str
    settings: Mapping[str, Any]
    pilot: Pilot
    most_steps: int
    seed: int
    folder: Path
    _runs: int = field(default=0)

    def learner(self) -> Learner:
        return find_learner(self.name, self.settings)

    @cached_property
    def steps(self) -> int:
        """Steps that are taken: fewer where the run ends before."""
        return len(self.states) - 1

    @cached_property
    def states(self) -> list[State]:
        """After 0, 1, ... steps, on one worker and never saved."""
        return self.run(1)[0]

    def run(self, workers: int) -> tuple[list[State], list[Metrics]]:
        learner = self.learner()
        states, told = [learner.start(self.pilot, self.seed)], []
        with workers_for(self.pilot.game, workers) as pool:
            for state, metrics in islice(take_steps(learner, states[0], pool), self.most_steps):
                states.append(state)
                told.append(metrics)
        return states, told

    def train(self, *ends: int) -> Path:
        """A run folder after a run that was ended after each of these steps, and gone on with."""
        self._runs += 1
        folder = self.folder / str(self._runs)
        for end in ends:

            def listen(step: int, _metrics: Metrics, end: int = end) -> None:
                if step == end and not self.learner().is_done(self.states[end]):
                    raise _Enough

            with contextlib.suppress(_Enough):
                train(
                    self.learner(), self.pilot, folder, seed=self.seed, resume=True, checks=_FEW_GAMES, on_step=listen
                )
        return folder


def _check_settings(trial: _Trial) -> Iterator[str]:
    kind, learner = learner_class(trial.name), trial.learner()
    settings = learner_settings(learner)
    if _accepts(kind, {**trial.settings, "no_such_setting": 1}):
        yield "a setting that does not exist is accepted; a plypilot.settings.Part refuses it"
    for key, value in settings.items():
        if isinstance(value, int | float) and _accepts(kind, {**trial.settings, key: _NONSENSE}):
            yield f"{key}={_NONSENSE!r} is accepted where a number belongs; a plypilot.settings.Part refuses it"
    kept = tomllib.loads(tomli_w.dumps(without_nothing(settings)))
    again = learner_settings(find_learner(learner_name(learner), kept))
    if differ := sorted(key for key in settings if again.get(key) != settings[key]):
        yield f"made again from what run.toml keeps, the learner has another {differ[0]}: None must be its default"


def _accepts(kind: type[Any], settings: Mapping[str, Any]) -> bool:
    try:
        kind(**settings)
    except (TypeError, ValueError):
        return False
    return True


def _check_start(trial: _Trial) -> Iterator[str]:
    state = trial.learner().start(trial.pilot, trial.seed)
    if not isinstance(state, State):
        yield f"start() gives a {type(state).__name__}, expected a State"
    elif state.encode() != trial.learner().start(trial.pilot, trial.seed).encode():
        yield "start() gives another state when asked again: all that is left to chance must come from the seed"


def _check_untrained(trial: _Trial) -> Iterator[str]:
    learner = trial.learner()
    untrained = learner.pilot(learner.start(trial.pilot, trial.seed))
    rng = np.random.default_rng(trial.seed)
    position = Position(trial.pilot.game)
    for _ in range(6):
        if position.outcome() is not None:
            break
        before, after = (search(pilot, position, Limit(depth=4)) for pilot in (trial.pilot, untrained))
        if (before.nodes.all, before.move, before.score) != (after.nodes.all, after.move, after.score):
            yield (
                f"before any step the pilot searches {after.nodes.all} nodes and finds {after.move} ({after.score}), "
                f"but the pilot it was given {before.nodes.all} and {before.move} ({before.score}), in "
                f"{position.fen()}; settings that ask for another start must be left out of this check"
            )
        moves = position.moves()
        position.push(moves[int(rng.integers(len(moves)))])


def _check_decision(trial: _Trial) -> Iterator[str]:
    learner = trial.learner()
    if learner.decision not in get_args(Decision):
        yield f"decision is {learner.decision!r}, expected one of {', '.join(get_args(Decision))}"
        return
    for step, state in enumerate(trial.states):
        pilot = learner.pilot(state)
        for part in (*get_args(Decision), "search"):
            if part != learner.decision and getattr(pilot, part) != getattr(trial.pilot, part):
                yield f"the pilot has another {part} after step {step}, but the decision is {learner.decision}"


def _check_end(trial: _Trial) -> Iterator[str]:
    learner = trial.learner()
    for step, state in enumerate(trial.states):
        answers = {learner.is_done(state) for _ in range(3)}
        if answers - {True, False}:
            yield f"is_done() gives {answers.pop()!r} after step {step}, expected True or False"
        elif len(answers) > 1:
            yield f"is_done() gives another answer when asked again, after step {step}: it may only look at the state"
    if learner.is_done(trial.states[0]):
        yield "is_done() is true before the first step"
    expected = expected_steps(learner, trial.states[0])
    if expected is not None and (not isinstance(expected, int) or expected < 1):
        yield f"expected_steps() is {expected!r}, expected 1 or more, or None"
    if not learner.is_done(trial.states[-1]):
        return
    if expected is not None and expected != trial.steps:
        yield f"expected_steps() is {expected}, but the run has taken {trial.steps}"
    folder, heard = trial.train(trial.steps), 0

    def listen(_step: int, _metrics: Metrics) -> None:
        nonlocal heard
        heard += 1

    train(learner, trial.pilot, folder, seed=trial.seed, resume=True, checks=_FEW_GAMES, on_step=listen)
    if heard:
        yield "a run that has ended takes another step when it is resumed"


def _check_step(trial: _Trial) -> Iterator[str]:
    learner = trial.learner()
    settings, state = learner_settings(learner), learner.start(trial.pilot, trial.seed)
    with workers_for(trial.pilot.game, 1) as pool:
        for _ in range(trial.steps):
            before = state.encode()
            after, metrics = learner.step(state, pool)
            if state.encode() != before:
                yield "step() changed the state it was given: return a new one instead"
            if learner_settings(learner) != settings:
                yield "step() changed the learner: all that changes belongs in the state"
            yield from _judge_metrics(metrics)
            state = after


def _judge_metrics(metrics: Metrics) -> Iterator[str]:
    if "step" in metrics:
        yield 'the metrics have a "step", which the run counts by itself'
    for key, value in metrics.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            yield f"the metric {key} is {value!r}, expected a finite number or text"


def _check_repeats(trial: _Trial) -> Iterator[str]:
    yield from _compare(trial, trial.run(1)[0], "when it runs again with the same seed")


def _check_workers(trial: _Trial) -> Iterator[str]:
    yield from _compare(trial, trial.run(_MANY)[0], f"on {_MANY} workers instead of one")


def _compare(trial: _Trial, states: list[State], when: str) -> Iterator[str]:
    for step, (one, other) in enumerate(zip(trial.states, states, strict=True)):
        if one.encode() != other.encode():
            yield f"after step {step} {_difference(one, other)} {when}"


def _difference(one: State, other: State) -> str:
    for name in sorted({*one.arrays, *other.arrays}):
        if name not in one.arrays or name not in other.arrays:
            return f'the array "{name}" is missing'
        if not np.array_equal(one.arrays[name], other.arrays[name]):
            return f'the array "{name}" differs'
    for key in sorted({*one.numbers, *other.numbers}):
        if one.numbers.get(key) != other.numbers.get(key):
            return f'the number "{key}" differs'
    return "the state differs"


def _check_saving(trial: _Trial) -> Iterator[str]:
    for step, state in enumerate(trial.states):
        again = State.decode(state.encode())
        if again.encode() != state.encode():
            yield f"after step {step} {_difference(state, again)} once it is saved and loaded"


def _check_resume(trial: _Trial) -> Iterator[str]:
    whole = trial.train(trial.steps)
    for end in range(1, trial.steps):
        folder = trial.train(end, trial.steps)
        for name in (STATE, LAST, BEST):
            ours, theirs = ((each / name).read_bytes() if (each / name).exists() else b"" for each in (whole, folder))
            if ours != theirs:
                yield f"ended after step {end} and resumed, the run leaves another {name} than an undisturbed one"


def _check_pilot(trial: _Trial) -> Iterator[str]:
    learner = trial.learner()
    for step, state in enumerate(trial.states):
        before = state.encode()
        pilot = learner.pilot(state)
        if not isinstance(pilot, Pilot):
            yield f"pilot() gives a {type(pilot).__name__} after step {step}, expected a Pilot"
            return
        if pilot.game != trial.pilot.game:
            yield f"pilot() gives a pilot of {pilot.game} after step {step}, but was given one of {trial.pilot.game}"
        if learner.pilot(state) != pilot:
            yield f"pilot() gives another pilot when asked again, after step {step}"
        if Pilot.decode(pilot.encode()) != pilot:
            yield f"the pilot after step {step} is another once it is saved and loaded"
        if state.encode() != before:
            yield f"pilot() changed the state it was given, after step {step}"


def _check_summary(trial: _Trial) -> Iterator[str]:
    tell = getattr(trial.learner(), "summary", None)
    if tell is None:
        return
    names = list(tell(trial.states[0]))
    for step, state in enumerate(trial.states):
        told = tell(state)
        if list(told) != names:
            yield f"summary() tells of other names after step {step} than at the start"
        if not np.all(np.isfinite(list(told.values()))):
            yield f"summary() tells of a number that is not finite after step {step}"


_RULES: tuple[tuple[str, Callable[[_Trial], Iterator[str]]], ...] = (
    ("settings", _check_settings),
    ("start", _check_start),
    ("untrained", _check_untrained),
    ("end", _check_end),
    ("step", _check_step),
    ("repeat", _check_repeats),
    ("workers", _check_workers),
    ("saving", _check_saving),
    ("resume", _check_resume),
    ("pilot", _check_pilot),
    ("decision", _check_decision),
    ("summary", _check_summary),
)

RULES = tuple(name for name, _ in _RULES)
"""What is checked, in turn."""
