"""Run folders: what a run keeps on the disk, so that a kill at any moment loses two steps at most.

A run folder has run.toml (what the run is), start.pilot, state.safetensors (the last checkpoint) and the one before it,
metrics.jsonl (one line a step), traces.jsonl (what was learned, now and then), cache.jsonl (costly evaluations of a
learner), last.pilot (some seconds old at most) and, after the first check, best.pilot: the one to play with. Each pilot
that was the best once is kept as best-STEP.pilot.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
from numpy.typing import NDArray

from plypilot import sealed
from plypilot.learn.catalogue import find_learner
from plypilot.learn.checks import CheckHistory
from plypilot.learn.learner import Learner, Metrics, State
from plypilot.pilot import Pilot
from plypilot.versions import versions
from plypilot.wording import tell_unreadable

STATE, PREVIOUS_STATE, METRICS, TRACES, CACHE, RUN = (
    "state.safetensors",
    "state.previous.safetensors",
    "metrics.jsonl",
    "traces.jsonl",
    "cache.jsonl",
    "run.toml",
)
START, LAST, BEST = "start.pilot", "last.pilot", "best.pilot"
_LOCK = ".lock"
_SMOOTHED = 15
"""Noisy curves are running means over this part of a run."""
_NEEDED = {"learner": str, "game": str, "seed": int, "settings": dict}
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
class Checkpoint:
    """Where a run is: all that it needs to go on."""

    state: State
    step: int
    """Steps taken."""
    history: CheckHistory
    is_done: bool
    expected_steps: int | None
    """In all, where the learner knows."""


@dataclass(frozen=True)
class Run:
    """A run of a learner, as its folder has it."""

    folder: Path
    facts: Mapping[str, Any]
    """What run.toml says."""
    checkpoint: Checkpoint = field(repr=False)
    metrics: tuple[Metrics, ...] = field(repr=False)
    """One a step."""

    @property
    def step(self) -> int:
        """Steps taken."""
        return self.checkpoint.step

    @property
    def state(self) -> State:
        """After them."""
        return self.checkpoint.state

    @property
    def expected_steps(self) -> int | None:
        """How many make the run, where its learner knows."""
        return self.checkpoint.expected_steps

    @property
    def is_done(self) -> bool:
        """Whether it has come to its end."""
        return self.checkpoint.is_done

    @property
    def history(self) -> CheckHistory:
        """What it knows of itself by games."""
        return self.checkpoint.history

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
    def best(self) -> Pilot:
        """The best so far by the games that the run has played; the start where nothing was better."""
        return Pilot.load(self.folder / (BEST if (self.folder / BEST).exists() else START))

    @property
    def start(self) -> Pilot:
        """The pilot that the run was given."""
        return Pilot.load(self.folder / START)

    def column(self, key: str) -> NDArray[np.float64] | None:
        """A metric over all steps; None where it is not a number in each."""
        values = [line.get(key) for line in self.metrics]
        if not values or not all(isinstance(value, int | float) for value in values):
            return None
        column = np.array(values, np.float64)
        return column if np.all(np.isfinite(column)) else None

    @property
    def axis(self) -> tuple[NDArray[np.float64], str]:
        """What its figures are drawn over, one value a step, and what that counts: games, or steps."""
        games = self.column("games")
        return (games, "games") if games is not None else (np.arange(1.0, len(self.metrics) + 1), "steps")

    @staticmethod
    def smoothed(values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Running means over a part of the run, each at its end."""
        width = max(1, len(values) // _SMOOTHED)
        return np.convolve(values, np.ones(width) / width, mode="valid")

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
    checkpoint = RunFolder(path).read_checkpoint()
    return Run(path, facts, checkpoint, tuple(_read_lines(path / METRICS, checkpoint.step)))


def find_runs(folder: str | PathLike[str]) -> Iterator[Run | tuple[Path, str]]:
    """Every run below a folder, or its folder and why it cannot be read, by name."""
    for path in sorted(Path(folder).rglob(RUN)):
        try:
            yield read_run(path.parent)
        except (ValueError, OSError) as error:
            yield path.parent, str(error).removeprefix(f"{path.parent}: ")


class RunFolder:
    """Reads and writes a run folder. Whatever moment the process ends at, what is there can be gone on with."""

    FULL_ROWS = 200
    """Steps that traces.jsonl has all of; half as many of each doubling after them."""
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

    def begin(
        self, facts: Mapping[str, Any], pilot: Pilot, checkpoint: Checkpoint, summary: Mapping[str, float]
    ) -> None:
        """A new run, before its first step. The checkpoint comes last: without it, the run begins anew."""
        self._sweep()
        for name in (METRICS, TRACES, LAST, BEST):
            (self.path / name).unlink(missing_ok=True)
        pilot.save(self.path / START)
        self.write_facts(facts)
        self.add_trace(0, summary, is_last=False)
        self.keep(checkpoint)

    def write_facts(self, facts: Mapping[str, Any]) -> None:
        """run.toml: what the run is, and the versions that made it."""
        sealed.write(self.path / RUN, tomli_w.dumps({**facts, "versions": versions("numpy")}).encode())

    def go_on(self) -> Checkpoint:
        """The last checkpoint that can be read; what was written after it, or half, is dropped."""
        checkpoint = self.read_checkpoint()
        self._sweep()
        # Where the last checkpoint is damaged, the one before it takes its place: it must not push that one out.
        if not self._is_readable(STATE):
            (self.path / PREVIOUS_STATE).replace(self.path / STATE)
        for name in (METRICS, TRACES):
            lines = "".join(json.dumps(line) + "\n" for line in _read_lines(self.path / name, checkpoint.step))
            sealed.write(self.path / name, lines.encode())
        return checkpoint

    def keep(self, checkpoint: Checkpoint) -> None:
        """The new one in its place, and the one before it kept: whichever is damaged, the other loads."""
        if self.has(STATE):
            (self.path / STATE).replace(self.path / PREVIOUS_STATE)
        state = checkpoint.state
        numbers = {
            "step": checkpoint.step,
            "learner": dict(state.numbers),
            "checks": checkpoint.history.content(),
            "is_done": checkpoint.is_done,
            "expected_steps": checkpoint.expected_steps,
        }
        State(state.arrays, numbers, state.pilot).save(self.path / STATE)

    def read_checkpoint(self) -> Checkpoint:
        """The last one that can be read. Raises RunError."""
        problems = []
        for name in (STATE, PREVIOUS_STATE):
            try:
                kept = State.load(self.path / name)
            except FileNotFoundError:
                problems.append(f"no {name}")
            except (ValueError, OSError) as error:
                problems.append(f"{name}: {error}")
            else:
                numbers = kept.numbers
                return Checkpoint(
                    State(kept.arrays, numbers["learner"], kept.pilot),
                    int(numbers["step"]),
                    CheckHistory.of(numbers.get("checks", {})),  # which runs of before did not keep
                    bool(numbers.get("is_done", False)),
                    numbers.get("expected_steps"),
                )
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

    def add_trace(self, step: int, summary: Mapping[str, float], is_last: bool) -> None:
        """One row, where it is this step's turn: by the numbers alone, so that resumed runs have the same rows."""
        every = 1 << max((step - 1) // self.FULL_ROWS, 0).bit_length()
        if not summary or (step % every and not is_last):
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
            raise RunError(tell_unreadable(self.path / RUN, error)) from error
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


def without_nothing(table: Mapping[str, Any]) -> dict[str, Any]:
    """TOML has no word for None: it is left out, and stands for the default."""
    return {
        key: without_nothing(value) if isinstance(value, Mapping) else value
        for key, value in table.items()
        if value is not None
    }
