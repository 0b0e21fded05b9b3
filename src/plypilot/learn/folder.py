"""Run folders: what a run keeps on the disk, so that a kill at any moment loses two steps at most.

A run folder has run.toml (what the run is), start.pilot, state.safetensors (the last checkpoint) and the one before it,
metrics.jsonl (one line a step), traces.jsonl (what was learned, now and then), last.pilot (some seconds old at most)
and, once the run has ended, best.pilot: the one to play with.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import platform
import re
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plypilot import __version__, sealed
from plypilot.learn.catalogue import find_learner
from plypilot.learn.learner import Learner, Metrics, State
from plypilot.pilot import Pilot

STATE, PREVIOUS_STATE, METRICS, TRACES, RUN = (
    "state.safetensors",
    "state.previous.safetensors",
    "metrics.jsonl",
    "traces.jsonl",
    "run.toml",
)
START, LAST, BEST = "start.pilot", "last.pilot", "best.pilot"
_LOCK = ".lock"
_NEEDED = {"learner": str, "game": str, "seed": int, "steps": int, "settings": dict}
"""What run.toml must have, and as what."""


class RunError(ValueError):
    """A run folder that is not what it should be."""


@dataclass(frozen=True)
class Traces:
    """What was learned, step by step: a few hundred rows at most."""

    names: tuple[str, ...]
    steps: NDArray[np.int64]
    """(rows,) the first is 0, before any step."""
    values: NDArray[np.float64]
    """(rows, names)"""


@dataclass(frozen=True)
class Run:
    """A run of a learner, as its folder has it."""

    folder: Path
    facts: Mapping[str, Any]
    """What run.toml says."""
    step: int
    """Steps taken."""
    state: State = field(repr=False)
    """After them."""
    metrics: tuple[Metrics, ...] = field(repr=False)
    """One a step."""

    @property
    def steps(self) -> int:
        """How many make the run."""
        return int(self.facts["steps"])

    @property
    def is_done(self) -> bool:
        """Whether all steps are taken."""
        return self.step >= self.steps

    @property
    def is_running(self) -> bool:
        """Whether a process is at work on it."""
        try:
            with _locked(self.folder):
                return False
        except RunError:
            return True
        except OSError:  # a folder that we may only read
            return False

    @property
    def changed(self) -> float:
        """When the last step was taken, in seconds since 1970."""
        return max((self.folder / name).stat().st_mtime for name in (STATE, RUN) if (self.folder / name).exists())

    @cached_property
    def learner(self) -> Learner:
        """The one that made it. Raises LearnerError."""
        return find_learner(self.facts["learner"], self.facts["settings"])

    @cached_property
    def pilot(self) -> Pilot:
        """As learned so far."""
        return self.learner.pilot(self.state)

    @property
    def start(self) -> Pilot:
        """The pilot that the run was given."""
        return Pilot.load(self.folder / START)

    @cached_property
    def traces(self) -> Traces | None:
        """What was learned over time; None of learners that do not tell."""
        rows = _read_lines(self.folder / TRACES, self.step)
        if not rows or not isinstance(names := rows[0].get("names"), list):
            return None
        whole = [row for row in rows if isinstance(row.get("values"), list) and len(row["values"]) == len(names)]
        return Traces(
            tuple(map(str, names)),
            np.array([row["step"] for row in whole], np.int64),
            np.array([row["values"] for row in whole], np.float64).reshape(len(whole), len(names)),
        )


def read_run(folder: str | PathLike[str]) -> Run:
    """The run that a folder holds. Raises RunError."""
    path = Path(folder)
    facts = RunFolder(path).read_facts()
    state, step = RunFolder(path).read_checkpoint()
    return Run(path, facts, step, state, tuple(_read_lines(path / METRICS, step)))


def find_runs(folder: str | PathLike[str]) -> Iterator[Run | tuple[Path, str]]:
    """Every run below a folder, or its folder and why it cannot be read, by name."""
    for path in sorted(Path(folder).rglob(RUN)):
        try:
            yield read_run(path.parent)
        except (ValueError, OSError) as error:
            yield path.parent, str(error).removeprefix(f"{path.parent}: ")


class RunFolder:
    """Reads and writes a run folder. Whatever moment the process ends at, what is there can be gone on with."""

    MOST_ROWS = 200
    """Of traces.jsonl, about."""
    MOST_TRACED = 2000
    """Numbers in a row of it; the first ones of a learner that tells more."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def has(self, *names: str) -> bool:
        """Whether one of these files is there."""
        return any((self.path / name).exists() for name in names)

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """One process at a time; the lock ends with the process. Raises RunError."""
        self.path.mkdir(parents=True, exist_ok=True)
        return _locked(self.path)

    def begin(self, facts: Mapping[str, Any], pilot: Pilot, state: State, summary: Mapping[str, float]) -> None:
        """A new run, before its first step. The checkpoint comes last: without it, the run begins anew."""
        self._sweep()
        for name in (METRICS, TRACES, LAST, BEST):
            (self.path / name).unlink(missing_ok=True)
        pilot.save(self.path / START)
        sealed.write(self.path / RUN, as_toml({**facts, "versions": versions()}).encode())
        self.add_trace(0, int(facts["steps"]), summary)
        self.checkpoint(state, 0)

    def go_on(self) -> tuple[State, int]:
        """The last checkpoint that can be read and its step; what was written after it, or half, is dropped."""
        state, step = self.read_checkpoint()
        self._sweep()
        # Where the last checkpoint is damaged, the one before it takes its place: it must not push that one out.
        if not self._is_readable(STATE):
            (self.path / PREVIOUS_STATE).replace(self.path / STATE)
        for name in (METRICS, TRACES):
            lines = "".join(json.dumps(line) + "\n" for line in _read_lines(self.path / name, step))
            sealed.write(self.path / name, lines.encode())
        return state, step

    def checkpoint(self, state: State, step: int) -> None:
        """The new one in its place, and the one before it kept: whichever is damaged, the other loads."""
        if self.has(STATE):
            (self.path / STATE).replace(self.path / PREVIOUS_STATE)
        numbers = {"step": step, "learner": dict(state.numbers)}
        State(state.arrays, numbers, state.pilot).save(self.path / STATE)

    def read_checkpoint(self) -> tuple[State, int]:
        """The last state that can be read, and its step. Raises RunError."""
        problems = []
        for name in (STATE, PREVIOUS_STATE):
            try:
                kept = State.load(self.path / name)
            except FileNotFoundError:
                problems.append(f"no {name}")
            except (ValueError, OSError) as error:
                problems.append(f"{name}: {error}")
            else:
                return State(kept.arrays, kept.numbers["learner"], kept.pilot), int(kept.numbers["step"])
        raise RunError(f"{self.path}: no checkpoint can be read ({'; '.join(problems)})")

    def _sweep(self) -> None:
        """Drops the drafts of files that a kill left unfinished."""
        for draft in self.path.glob(".*.tmp"):
            draft.unlink()

    def _is_readable(self, name: str) -> bool:
        try:
            State.load(self.path / name)
        except (ValueError, OSError):
            return False
        return True

    def add_metrics(self, step: int, metrics: Metrics) -> None:
        """One line. Before its checkpoint: a line without one is dropped later, a missing line would be lost."""
        _add_line(self.path / METRICS, {"step": step, **metrics})

    def add_trace(self, step: int, steps: int, summary: Mapping[str, float]) -> None:
        """One row, where it is this step's turn: by the numbers alone, so that resumed runs have the same rows."""
        every = -(-steps // self.MOST_ROWS)
        if not summary or (step % every and step != steps):
            return
        kept = dict(list(summary.items())[: self.MOST_TRACED])
        row: dict[str, Any] = {"step": step, "values": [float(f"{value:.6g}") for value in kept.values()]}
        _add_line(self.path / TRACES, row if step else row | {"names": list(kept)})

    def read_facts(self) -> dict[str, Any]:
        """What run.toml says. Raises RunError."""
        try:
            facts = tomllib.loads((self.path / RUN).read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError) as error:
            raise RunError(f"{self.path}: no {RUN} there") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise RunError(f"{self.path / RUN}: {error}") from error
        for key, kind in _NEEDED.items():
            if not isinstance(facts.get(key), kind):
                raise RunError(f'{self.path / RUN}: "{key}" is missing, or no {kind.__name__}')
        return facts


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with (path / _LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RunError(f"{path}: another process is at work on it") from error
        yield


def _add_line(path: Path, line: Mapping[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def _read_lines(path: Path, step: int) -> list[dict[str, Any]]:
    """The lines up to a step; one that was cut short ends them."""
    found: list[dict[str, Any]] = []
    with contextlib.suppress(FileNotFoundError):
        for text in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                line = json.loads(text)
            except ValueError:
                break
            if not isinstance(line, dict) or not isinstance(line.get("step"), int) or line["step"] > step:
                break
            found.append(line)
    return found


def versions() -> dict[str, str]:
    """What a run was made with."""
    found = {"plypilot": __version__, "python": platform.python_version(), "numpy": np.__version__}
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
        found["commit"] = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=5).stdout.strip()
    return found


def as_toml(table: Mapping[str, Any], name: str = "") -> str:
    """Plain data as TOML: values first, then tables."""
    lines = [f"[{name}]"] if name else []
    lines += [f"{_key(key)} = {_value(value)}" for key, value in table.items() if not isinstance(value, Mapping)]
    text = "\n".join(lines) + "\n"
    for key, value in table.items():
        if isinstance(value, Mapping):
            text += "\n" + as_toml(value, f"{name}.{_key(key)}" if name else _key(key))
    return text


def without_nothing(table: Mapping[str, Any]) -> dict[str, Any]:
    """TOML has no word for None: it is left out, and stands for the default."""
    return {
        key: without_nothing(value) if isinstance(value, Mapping) else value
        for key, value in table.items()
        if value is not None
    }


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(key)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(_value(each) for each in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
