"""Tasks on their way to a worker and back: seeds, chunks, outcomes, and how these travel to other processes."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from plypilot import __version__


class NoWorkers(OSError):
    """Workers cannot be had: processes do not start, a cluster does not answer, or a package is missing."""


class TaskKilledWorkers(RuntimeError):
    """A task is quarantined: each worker that ran it died."""

    def __init__(self, number: int, task: object) -> None:
        self.number = number
        self.task = task
        text = repr(task)
        if len(text) > 200:
            text = text[:200] + "..."
        super().__init__(f"task {number} is quarantined, its worker died each time it ran: {text}")


class WorkersDied(Exception):
    """Workers died under a task, or under the chunk that it was in."""


class Outcome(NamedTuple):
    """What became of a task: its result, or its exception."""

    answer: Any = None
    error: Exception | None = None


@dataclass(frozen=True)
class Chunk:
    """Tasks with consecutive numbers that go to a worker together."""

    first: int
    tasks: Sequence[Any]
    alone: bool = False
    """Runs while nothing else does, so that a death is its own."""

    def singly(self) -> list[Chunk]:
        """Its tasks, each to be run alone."""
        return [Chunk(self.first + place, [task], alone=True) for place, task in enumerate(self.tasks)]

    def numbered(self, outcomes: list[Outcome]) -> Iterator[tuple[int, Outcome]]:
        """Outcomes by the number of their task. There are fewer than tasks where one failed: it is the last."""
        for place, (task, outcome) in enumerate(zip(self.tasks, outcomes, strict=False)):
            number = self.first + place
            if isinstance(outcome.error, WorkersDied):
                yield number, Outcome(error=TaskKilledWorkers(number, task))
            else:
                yield number, outcome


def task_seed(seed: int, number: int) -> int:
    """The seed of a task, 64 bits: all that is random in it comes from the run's seed and the task's number.

    >>> task_seed(1, 0)
    7730214312449876770
    """
    return splitmix64(splitmix64(seed) + number)


def splitmix64(n: int) -> int:
    """The n-th number of the SplitMix64 sequence (Steele, Lea and Flood 2014), as in ``core/zobrist.hpp``."""
    mask = 0xFFFF_FFFF_FFFF_FFFF
    z = (n + 1) * 0x9E3779B97F4A7C15 & mask
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
    return z ^ z >> 31


def in_chunks(tasks: Iterator[Any], size: int) -> Iterator[Chunk]:
    """Tasks as they come, numbered from 0."""
    first = 0
    while part := list(islice(tasks, size)):
        yield Chunk(first, part)
        first += len(part)


def run_tasks(function: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Outcome]:
    """Runs tasks one after another, up to the first that fails."""
    outcomes = []
    for task in tasks:
        try:
            outcomes.append(Outcome(function(task)))
        except SystemExit as error:
            outcomes.append(Outcome(error=RuntimeError(f"the task called sys.exit({error.code!r})")))
            break
        except Exception as error:
            outcomes.append(Outcome(error=error))
            break
    return outcomes


# Executors could pickle all this themselves. But there, what cannot be read again at the other end (an exception whose
# constructor takes two arguments, a class of a module that is missing) breaks the pool as if a worker had died.


def pack_function(function: object, dumps: Callable[[object], bytes]) -> bytes:
    """A function for ``run_packed``."""
    try:
        return dumps(function)
    except Exception as error:
        raise TypeError(
            f"{function!r} cannot be sent to other processes, a function of a module can ({error})"
        ) from error


def run_packed(version: str, function: bytes, tasks: bytes) -> list[bytes]:
    """Runs tasks in a process of its own, for one that has this version of plypilot."""
    if version != __version__:
        raise NoWorkers(f"a worker has plypilot {__version__}, the tasks come from {version}: install the same there")
    return [_pack(outcome) for outcome in run_tasks(pickle.loads(function), pickle.loads(tasks))]


def unpack(outcomes: list[bytes]) -> list[Outcome]:
    """What ``run_packed`` gave."""
    return [pickle.loads(outcome) for outcome in outcomes]


def _pack(outcome: Outcome) -> bytes:
    error = outcome.error
    if error is None:
        try:
            return pickle.dumps(outcome)
        except Exception as unpicklable:
            error = unpicklable
    note = "raised in a worker:\n" + "".join(traceback.format_exception(error)).rstrip()
    error.add_note(note)
    try:
        packed = pickle.dumps(Outcome(error=error))
        pickle.loads(packed)
        return packed
    except Exception:
        stand_in = RuntimeError(f"{type(error).__name__}: {error}")
        stand_in.add_note(note)
        return pickle.dumps(Outcome(error=stand_in))
