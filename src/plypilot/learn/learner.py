"""What a learner is: a step over a state, never a hidden loop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from plypilot import sealed
from plypilot.compute import Workers
from plypilot.pilot import Pilot

Decision = Literal["evaluation", "ordering", "depth", "pruning", "timing"]
"""What a search decides, each a part of a pilot."""

Metrics = dict[str, float | int | str]
"""What a step tells of itself: plain numbers, by name."""

_FORMAT = "plypilot-state"
_VERSION = 1


@dataclass(frozen=True)
class State:
    """All that a run has learned and where it is: from it, the run goes on to the same end."""

    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """Of float64 or float32; each keeps its type."""
    numbers: Mapping[str, Any] = field(default_factory=dict)
    """Plain JSON: counters, the seed."""
    pilot: Pilot | None = None
    """The one that the run started from."""

    def encode(self) -> bytes:
        """As the content of a sealed file. The same state gives the same bytes. Raises ValueError."""
        for name, array in self.arrays.items():
            if array.dtype not in (np.float64, np.float32):
                raise ValueError(f'state: the array "{name}" is {array.dtype}, expected float64 or float32')
        arrays: dict[str, NDArray[Any]] = {f"state/{name}": array for name, array in self.arrays.items()}
        if self.pilot is not None:
            arrays["pilot"] = np.frombuffer(self.pilot.encode(), dtype=np.uint8)
        return sealed.encode(_FORMAT, _VERSION, {"numbers": dict(self.numbers)}, arrays)

    @classmethod
    def decode(cls, content: bytes) -> Self:
        """The state of a file's content. Raises SealedFileError."""
        settings, arrays = sealed.decode(content, _FORMAT, _VERSION, types=("F64", "F32", "U8"))
        held = arrays.pop("pilot", None)
        return cls(
            {name.removeprefix("state/"): array for name, array in arrays.items()},
            settings["numbers"],
            None if held is None else Pilot.decode(held.tobytes()),
        )

    def save(self, path: Path) -> None:
        """Writes it whole or not at all."""
        sealed.write(path, self.encode())

    @classmethod
    def load(cls, path: Path) -> Self:
        """The state of a file. Raises SealedFileError."""
        return cls.decode(sealed.read(path, _FORMAT))


class Learner(Protocol):
    """Improves one decision of a pilot, step by step. The constructor stores settings and does nothing else.

    A step depends on the state alone: all that is left to chance comes from the seed and the counters in it, never from
    the workers. A learner that has taken no step gives back a pilot that searches as the one it was given, and it never
    changes another part of the pilot than its decision.

    It may also have
      ``expected_steps(state)``  how many steps the run will have in all, where that is known: for progress
      ``summary(state)``         what is being learned, as numbers by name: for traces
      ``figures``                the names of metrics that say how well it does: for progress, and for the end of a run
      ``lengthened_by``          the names of settings that, raised, make a finished run longer
      ``usual_checks``           settings of the checks that suit it better than those of most learners, by name
    """

    @property
    def decision(self) -> Decision:
        """The part of a pilot that it improves."""

    def start(self, pilot: Pilot, seed: int) -> State:
        """The state before the first step."""

    def is_done(self, state: State) -> bool:
        """Whether the run has come to its end: a budget is spent, patience is over, nothing is left to try."""

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """The state after one step more, and what there is to tell of it."""

    def pilot(self, state: State) -> Pilot:
        """The pilot as learned so far."""


def expected_steps(learner: Learner, state: State) -> int | None:
    """How many steps the run of a learner will have in all, where it knows."""
    tell = getattr(learner, "expected_steps", None)
    return None if tell is None else tell(state)


def summary_of(learner: Learner, state: State) -> Mapping[str, float]:
    """What is being learned, by name, where the learner tells it."""
    tell = getattr(learner, "summary", None)
    return {} if tell is None else tell(state)


def take_steps(learner: Learner, state: State, workers: Workers) -> Iterator[tuple[State, Metrics]]:
    """The states of a run one after the other, to its end: the one loop of all learners."""
    while not learner.is_done(state):
        state, metrics = learner.step(state, workers)
        yield state, metrics
