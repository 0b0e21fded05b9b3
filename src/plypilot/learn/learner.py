"""What a learner is: a step over a state, never a hidden loop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from plypilot import sealed
from plypilot.compute import Workers
from plypilot.pilot import Pilot

Metrics = dict[str, float | int | str]
"""What a step tells of itself: plain numbers, by name."""

_FORMAT = "plypilot-state"
_VERSION = 1


@dataclass(frozen=True)
class State:
    """All that a run has learned and where it is: from it, the run goes on to the same end."""

    arrays: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    numbers: Mapping[str, Any] = field(default_factory=dict)
    """Plain JSON: counters, the seed."""
    pilot: Pilot | None = None
    """The one that the run started from."""

    def encode(self) -> bytes:
        """As the content of a sealed file. The same state gives the same bytes."""
        arrays: dict[str, NDArray[Any]] = {f"state/{name}": array for name, array in self.arrays.items()}
        if self.pilot is not None:
            arrays["pilot"] = np.frombuffer(self.pilot.encode(), dtype=np.uint8)
        return sealed.encode(_FORMAT, _VERSION, {"numbers": dict(self.numbers)}, arrays)

    @classmethod
    def decode(cls, content: bytes) -> Self:
        """The state of a file's content. Raises SealedFileError."""
        settings, arrays = sealed.decode(content, _FORMAT, _VERSION, types=("F64", "U8"))
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
    the workers. A learner that has taken no step gives back a pilot that searches as the one it was given.
    """

    @property
    def steps(self) -> int:
        """How many steps make a run."""

    def start(self, pilot: Pilot, seed: int) -> State:
        """The state before the first step."""

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """The state after one step more, and what there is to tell of it."""

    def pilot(self, state: State) -> Pilot:
        """The pilot as learned so far."""
