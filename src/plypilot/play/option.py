"""An option that an outside engine offers: read from its ``option`` line, and what a value for it must be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

_LINE = re.compile(r"option\s+name\s+(?P<name>.+?)\s+type\s+(?P<kind>\w+)(?P<rest>\s.*)?$")
_FIELD = re.compile(r"\s(default|min|max|var)(?=\s|$)")

_MOST_SHOWN = 20
"""Choices that an error lists; Fairy-Stockfish has eighty variants."""


class EngineError(ValueError):
    """An outside engine cannot be used as it was asked for: a mistake of the caller, not a lost game."""


@dataclass(frozen=True)
class EngineOption:
    """One option of an engine."""

    name: str
    kind: str
    """``spin``, ``check``, ``combo``, ``string``, ``button``; whatever else there is takes any text."""
    default: str = ""
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()

    @classmethod
    def parse(cls, line: str) -> Self | None:
        """The option that a line tells of, None where it tells of none."""
        if not (found := _LINE.match(line)):
            return None
        kind, rest = found["kind"].lower(), found["rest"] or ""
        fields: dict[str, list[str]] = {"default": [], "min": [], "max": [], "var": []}
        if kind in ("check", "spin", "combo"):
            _, *words = _FIELD.split(rest)
            for field, value in zip(words[::2], words[1::2], strict=True):
                fields[field].append(value.strip())
        else:
            fields["default"].append(rest.strip().removeprefix("default").strip())  # may hold any words
        return cls(
            name=found["name"].strip(),
            kind=kind,
            default="".join(fields["default"][:1]),
            least=_number(fields["min"]),
            most=_number(fields["max"]),
            choices=tuple(fields["var"]),
        )

    def check(self, value: str | None) -> str | None:
        """The value as the engine wants it. Raises EngineError saying what is expected."""
        if self.kind == "button":
            if value:
                raise EngineError(f'option "{self.name}": is a button and takes no value, got "{value}"')
            return None
        if value is None:
            raise EngineError(f'option "{self.name}": has no value, expected {self.expected()}')
        read = value
        if self.kind == "check":
            read = value.lower()
            good = read in ("true", "false")
        elif self.kind == "spin":
            good = re.fullmatch(r"[+-]?[0-9]{1,18}", value) is not None
            if good:
                read = str(int(value))
                good = (self.least is None or int(value) >= self.least) and (
                    self.most is None or int(value) <= self.most
                )
        elif self.kind == "combo" and self.choices:
            same = [choice for choice in self.choices if choice.lower() == value.lower()]
            good = bool(same)
            read = same[0] if same else value
        else:
            good = True
        if not good:
            raise EngineError(f'option "{self.name}": expected {self.expected()}, got "{value}"')
        return read

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


def _number(values: list[str]) -> int | None:
    try:
        return int(values[0])
    except (IndexError, ValueError):
        return None
