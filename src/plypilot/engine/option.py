"""An option of an engine: how it is declared to a program, and how a value that the program sends is read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Value = int | bool | str

_MOST_DIGITS = 18
_LARGEST_HASH = 1 << 16
"""In MB: the largest table that a pilot may have."""
_EMPTY = "<empty>"
"""How both protocols write an empty text."""


@dataclass(frozen=True)
class Option:
    """One option. A button has no value."""

    name: str
    kind: Literal["spin", "check", "string", "combo", "button"]
    default: Value = ""
    least: int = 0
    most: int = 0
    choices: tuple[str, ...] = ()

    @property
    def declaration(self) -> str:
        """What follows the word ``option``."""
        words = [f"name {self.name} type {self.kind}"]
        if self.kind == "check":
            words.append(f"default {str(self.default).lower()}")
        elif self.kind != "button":
            words.append(f"default {self.default if self.default != '' else _EMPTY}")
        if self.kind == "spin":
            words.append(f"min {self.least} max {self.most}")
        return " ".join(words + [f"var {choice}" for choice in self.choices])

    def read(self, text: str) -> Value:
        """The value that a text stands for; a number out of range becomes the nearest. Raises ValueError."""
        if self.kind == "spin":
            return min(max(whole_number(text), self.least), self.most)
        if self.kind == "check":
            if text.lower() not in ("true", "false"):
                raise ValueError(f'expected true or false, got "{text}"')
            return text.lower() == "true"
        if self.kind == "combo":
            for choice in self.choices:
                if choice.lower() == text.lower():
                    return choice
            raise ValueError(f'expected one of {", ".join(self.choices)}, got "{text}"')
        return "" if text == _EMPTY else text


def whole_number(text: str) -> int:
    """A whole number of any size; beyond 18 digits it is only large. Raises ValueError."""
    digits = text.removeprefix("-") if text.startswith("-") else text.removeprefix("+")
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f'expected a whole number, got "{text}"')
    size = int(digits) if len(digits) <= _MOST_DIGITS else 10**_MOST_DIGITS
    return -size if text.startswith("-") else size


def most_hash() -> int:
    """The largest table that makes sense, in MB: half of the memory that this process may use."""
    memory = _LARGEST_HASH << 21
    try:
        memory = min(memory, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        group = Path("/sys/fs/cgroup/memory.max").read_text()  # of a container
        memory = min(memory, whole_number(group.strip()))
    except (AttributeError, OSError, ValueError):
        pass
    return max(1, memory >> 21)
