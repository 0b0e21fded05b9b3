"""An option of an engine, as UCI and USI declare it: ours tells its options, those of others are read.

A program that declares an option and one that sets it share this class: ``declaration`` and ``parse`` are a pair, and
so are ``read`` and ``write`` for its values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Self

Value = int | bool | str

_LINE = re.compile(r"option\s+name\s+(?P<name>.+?)\s+type\s+(?P<kind>\w+)(?P<rest>\s.*)?$")
_FIELD = re.compile(r"\s(default|min|max|var)(?=\s|$)")
_EMPTY = "<empty>"
"""How both protocols write an empty text."""
_MOST_DIGITS = 18
_ANY_LARGE_NUMBER = 10**_MOST_DIGITS
_MOST_SHOWN = 20
"""How many choices an error lists: Fairy-Stockfish has eighty variants."""


@dataclass(frozen=True)
class Option:
    """One option. A button has no value."""

    name: str
    kind: str
    """``spin``, ``check``, ``combo``, ``string`` or ``button``; an option of any other kind takes any text."""
    default: Value = ""
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()

    @classmethod
    def parse(cls, line: str) -> Self | None:
        """The option that a line declares, None where it declares none. A default that makes no sense stays a text."""
        if not (declared := _LINE.match(line)):
            return None
        kind, rest = declared["kind"].lower(), declared["rest"] or ""
        fields: dict[str, list[str]] = {"default": [], "min": [], "max": [], "var": []}
        if kind in ("check", "spin", "combo"):
            _, *words = _FIELD.split(rest)
            for field, value in zip(words[::2], words[1::2], strict=True):
                fields[field].append(value.strip())
        else:
            fields["default"].append(rest.strip().removeprefix("default").strip())  # may hold any words
        option = cls(
            name=declared["name"].strip(),
            kind=kind,
            default="".join(fields["default"][:1]),
            least=_number(fields["min"]),
            most=_number(fields["max"]),
            choices=tuple(fields["var"]),
        )
        try:
            return replace(option, default=option.read(str(option.default)))
        except ValueError:
            return option

    @property
    def declaration(self) -> str:
        """What follows the word ``option``."""
        words = [f"name {self.name} type {self.kind}"]
        if self.kind != "button":
            words.append(f"default {self.write(self.default) or _EMPTY}")
        if self.least is not None:
            words.append(f"min {self.least}")
        if self.most is not None:
            words.append(f"max {self.most}")
        return " ".join(words + [f"var {choice}" for choice in self.choices])

    def read(self, text: str) -> Value:
        """The value that a text stands for, be it within the bounds or not. Raises ValueError."""
        try:
            if self.kind == "spin":
                return whole_number(text)
            if self.kind == "check":
                return {"true": True, "false": False}[text.lower()]
            if self.kind == "combo" and self.choices:
                return next(choice for choice in self.choices if choice.lower() == text.lower())
        except (ValueError, KeyError, StopIteration):
            raise self._unexpected(text) from None
        return "" if text == _EMPTY else text

    def write(self, value: Value) -> str:
        """The text that stands for a value."""
        if isinstance(value, bool):
            return str(value).lower()
        return _EMPTY if value == "" and self.kind == "string" else str(value)

    def nearest(self, value: Value) -> Value:
        """The same value, or the nearest one where it is a number out of bounds."""
        if self.kind != "spin" or isinstance(value, str):
            return value
        least = value if self.least is None else self.least
        most = value if self.most is None else self.most
        return min(max(value, least), most)

    def check(self, text: str | None) -> str | None:
        """The text with which a value is set, None for a button. Raises ValueError saying what is expected."""
        if self.kind == "button":
            if text:
                raise ValueError(f'is a button and takes no value, got "{text}"')
            return None
        if text is None:
            raise ValueError(f"has no value, expected {self.expected()}")
        value = self.read(text)
        if self.nearest(value) != value or (self.kind == "spin" and abs(int(value)) >= _ANY_LARGE_NUMBER):
            raise self._unexpected(text)
        return self.write(value)

    def expected(self) -> str:
        """What a value must be, in words."""
        if self.kind == "check":
            return "true or false"
        if self.kind == "spin":
            bounds = (f" from {self.least}" if self.least is not None else "") + (
                f" to {self.most}" if self.most is not None else ""
            )
            return f"a whole number{bounds}"
        if self.kind == "combo" and self.choices:
            more = ", ..." if len(self.choices) > _MOST_SHOWN else ""
            return "one of " + ", ".join(self.choices[:_MOST_SHOWN]) + more
        return "a text"

    def _unexpected(self, text: str) -> ValueError:
        return ValueError(f'expected {self.expected()}, got "{text}"')


def whole_number(text: str) -> int:
    """A whole number of any size; one of more than 18 digits reads as 10 to the 18th. Raises ValueError."""
    digits = text.removeprefix("-") if text.startswith("-") else text.removeprefix("+")
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f'expected a whole number, got "{text}"')
    size = int(digits) if len(digits) <= _MOST_DIGITS else _ANY_LARGE_NUMBER
    return -size if text.startswith("-") else size


def _number(values: list[str]) -> int | None:
    try:
        return int(values[0])
    except (IndexError, ValueError):
        return None
