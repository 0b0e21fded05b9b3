"""The one loop of all learners: steps, progress, metrics, checkpoints, resume, in a run folder.

A run folder has run.toml (what the run is), start.pilot, state.safetensors (the last checkpoint) and the one before it,
metrics.jsonl (one line a step), last.pilot and, once the run has ended or a check was won, best.pilot.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import platform
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ValidationError

from plypilot import __version__, sealed
from plypilot.compute import Workers, workers_for
from plypilot.learn.learner import Learner, Metrics, State
from plypilot.pilot import Pilot, explain

STATE, PREVIOUS_STATE, METRICS, RUN = "state.safetensors", "state.previous.safetensors", "metrics.jsonl", "run.toml"
START, LAST, BEST = "start.pilot", "last.pilot", "best.pilot"


class RunError(ValueError):
    """A run folder that is not what it should be."""


@dataclass(frozen=True)
class Run:
    """A run of a learner, as its folder has it."""

    folder: Path
    facts: Mapping[str, Any]
    """What run.toml says."""
    step: int
    """Steps taken."""
    pilot: Pilot
    """As learned so far."""
    metrics: tuple[Metrics, ...] = field(repr=False)

    @property
    def steps(self) -> int:
        """How many make the run."""
        return int(self.facts["steps"])

    @property
    def is_done(self) -> bool:
        """Whether all steps are taken."""
        return self.step >= self.steps


OnStep = Callable[[int, Metrics], object]
"""Hears of each step: its number and its metrics."""


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
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    with _alone(path), workers_for(pilot.game, workers) as pool:
        state, step = _begin(path, learner, pilot, seed, resume)
        with (path / METRICS).open("a", encoding="utf-8") as metrics_file:
            while step < learner.steps:
                state, metrics = learner.step(state, pool)
                step += 1
                # Metrics first: a line without its checkpoint is dropped on resume, one that is missing is lost.
                metrics_file.write(json.dumps({"step": step, **metrics}) + "\n")
                metrics_file.flush()
                _checkpoint(path, State(state.arrays, {**state.numbers, "step": step}, state.pilot))
                if on_step is not None:
                    on_step(step, metrics)
        learned = learner.pilot(state)
        for name in (LAST, BEST):
            learned.save(path / name)
    return read_run(path)


def read_run(folder: str | PathLike[str]) -> Run:
    """The run that a folder holds. Raises RunError."""
    path = Path(folder)
    facts = _read_facts(path)
    state = read_state(path)
    learner = find_learner(facts["learner"], facts["settings"])
    step = int(state.numbers["step"])
    return Run(path, facts, step, learner.pilot(state), tuple(_read_metrics(path, step)))


def find_runs(folder: str | PathLike[str]) -> Iterator[Run | RunError]:
    """Every run below a folder, or why it cannot be read, by name."""
    for path in sorted(Path(folder).rglob(RUN)):
        try:
            yield read_run(path.parent)
        except (RunError, ValueError, OSError) as error:
            yield RunError(f"{path.parent}: {error}")


def find_learner(name: str, settings: Mapping[str, Any]) -> Learner:
    """A learner by its name, ``td``, or ``module:Class``, with settings. Raises RunError."""
    kind = learner_class(name)
    try:
        found: Learner = kind(**settings)
        return found
    except ValidationError as error:
        raise RunError(f"{name}: {explain(error)}") from error


def learner_class(name: str) -> type[Any]:
    """The class of a learner. Raises RunError."""
    where = LEARNERS.get(name, name)
    module_name, colon, class_name = where.partition(":")
    if not colon:
        raise RunError(f'no learner is called "{name}"; there are: {", ".join(LEARNERS)}, and module:Class')
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        found = getattr(import_module(module_name), class_name)
    except (ImportError, AttributeError) as error:
        raise RunError(f'learner "{name}": {error}') from error
    if not isinstance(found, type):
        raise RunError(f'learner "{name}": {class_name} is not a class')
    return found


LEARNERS = {"td": "plypilot.learn.td:TD"}
"""Learners by the names that commands know them by."""


def learner_name(learner: Learner) -> str:
    """What finds the class of a learner again."""
    where = f"{type(learner).__module__}:{type(learner).__qualname__}"
    return next((name for name, known in LEARNERS.items() if known == where), where)


def learner_settings(learner: Learner) -> dict[str, Any]:
    """The settings of a learner as plain data."""
    return learner.model_dump(mode="json") if isinstance(learner, BaseModel) else dict(vars(learner))


def _begin(path: Path, learner: Learner, pilot: Pilot, seed: int, resume: bool) -> tuple[State, int]:
    facts = {
        "learner": learner_name(learner),
        "game": pilot.game,
        "seed": seed,
        "steps": learner.steps,
        "pilot": pilot.digest,
        "settings": _without_nothing(learner_settings(learner)),
    }
    if (path / RUN).exists():
        there = _read_facts(path)
        differ = sorted(key for key in facts if there.get(key) != facts[key])
        if differ:
            raise RunError(f"{path}: holds another run; these differ: {', '.join(differ)}")
        if not resume and (path / STATE).exists():
            raise RunError(f"{path}: holds a run already; resume it, or name another folder")
    if (path / STATE).exists() or (path / PREVIOUS_STATE).exists():
        state = read_state(path)
        step = int(state.numbers["step"])
        kept = _read_metrics(path, step)
        sealed.write(path / METRICS, "".join(json.dumps(line) + "\n" for line in kept).encode())
        return state, step
    state = learner.start(pilot, seed)
    pilot.save(path / START)
    sealed.write(path / RUN, _as_toml(facts | {"versions": versions()}).encode())
    (path / METRICS).unlink(missing_ok=True)
    return state, 0


def _checkpoint(path: Path, state: State) -> None:
    """The new one in its place, and the one before it kept: whichever is damaged, the other loads."""
    if (path / STATE).exists():
        (path / STATE).replace(path / PREVIOUS_STATE)
    state.save(path / STATE)


def read_state(folder: str | PathLike[str]) -> State:
    """The last checkpoint of a run that can be read. Raises RunError."""
    path = Path(folder)
    problems = []
    for name in (STATE, PREVIOUS_STATE):
        try:
            return State.load(path / name)
        except (sealed.SealedFileError, OSError) as error:
            problems.append(f"{name}: {error}")
    raise RunError(f"{path}: no checkpoint can be read ({'; '.join(problems)})")


def _read_facts(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads((path / RUN).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise RunError(f"{path}: no {RUN} there") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RunError(f"{path / RUN}: {error}") from error


def _read_metrics(path: Path, step: int) -> list[Metrics]:
    """The lines of the steps that the checkpoint has; a last one that was cut short is left out."""
    found = []
    with contextlib.suppress(FileNotFoundError):
        for line in (path / METRICS).read_text(encoding="utf-8").splitlines():
            try:
                read = json.loads(line)
            except ValueError:
                break
            if read["step"] <= step:
                found.append(read)
    return found


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time; the lock ends with the process."""
    with (path / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RunError(f"{path}: another process is at work on it") from error
        yield


def versions() -> dict[str, str]:
    """What a run was made with."""
    found = {"plypilot": __version__, "python": platform.python_version(), "numpy": np.__version__}
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
        found["commit"] = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=5).stdout.strip()
    return found


def _as_toml(table: Mapping[str, Any], name: str = "") -> str:
    """Plain data as TOML: values first, then tables."""
    lines = [f"[{name}]"] if name else []
    lines += [f"{key} = {_toml_value(value)}" for key, value in table.items() if _is_plain(value)]
    text = "\n".join(lines) + "\n"
    for key, value in table.items():
        if isinstance(value, Mapping):
            text += "\n" + _as_toml(value, f"{name}.{key}" if name else key)
    return text


def _without_nothing(table: Mapping[str, Any]) -> dict[str, Any]:
    """TOML has no word for None: it is left out, and stands for the default."""
    return {
        key: _without_nothing(value) if isinstance(value, Mapping) else value
        for key, value in table.items()
        if value is not None
    }


def _is_plain(value: object) -> bool:
    return not isinstance(value, Mapping)


def _toml_value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml_value(each) for each in value) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
