"""An outside engine as a user names it: the protocol it speaks, its command line and its options."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

PROTOCOLS = ("uci", "usi")


class EngineError(ValueError):
    """An outside engine cannot be used as it was asked for: a mistake of the caller, not a lost game."""


@dataclass(frozen=True)
class EngineSpec:
    """An outside engine as a user names it: ``uci:gnuchess --uci;Hash=16``."""

    protocol: str
    command: tuple[str, ...]
    options: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    """By name; None for a button, which is pressed."""

    def __str__(self) -> str:
        options = "".join(f";{name}" if value is None else f";{name}={value}" for name, value in self.options.items())
        return f"{self.protocol}:{shlex.join(self.command)}{options}"


def parse_engine(text: str) -> EngineSpec:
    """The engine that a text names: protocol, command line, options, as in ``usi:engine --quiet;USI_Hash=64;Clear``.

    The command line is split as a shell does it and ends at the first ``;``. Raises EngineError.

    >>> parse_engine("uci:gnuchess --uci;Hash=16").command
    ('gnuchess', '--uci')
    """
    protocol, colon, rest = text.partition(":")
    if not colon or protocol not in PROTOCOLS:
        raise EngineError(f'engine "{text}": expected uci:COMMAND or usi:COMMAND, then ;NAME=VALUE for each option')
    if not text.isprintable():
        raise EngineError(f"engine {text!r}: has characters that cannot be printed")
    line, *settings = rest.split(";")
    try:
        command = tuple(shlex.split(line))
    except ValueError as error:
        raise EngineError(f'engine "{text}": command line (it ends at the first ";"): {error}') from error
    if not command or not command[0]:
        raise EngineError(f'engine "{text}": no command after "{protocol}:"')
    options: dict[str, str | None] = {}
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not name:
            raise EngineError(f'engine "{text}": option "{setting}" has no name, expected NAME=VALUE')
        if name.lower() in (other.lower() for other in options):
            raise EngineError(f'engine "{text}": option "{name}" is given twice')
        options[name] = value if equals else None
    return EngineSpec(protocol, command, MappingProxyType(options))
