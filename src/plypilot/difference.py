"""What differs between two sets of plain settings, named by setting: for errors that say why something cannot go on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_ABSENT = object()


def differing(here: Mapping[str, Any], there: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The settings that differ, by the path to each, with both values; None where a side does not have it.

    >>> differing({"seed": 1, "step": {"rate": 2, "kind": "fixed"}}, {"seed": 1, "step": {"rate": 3, "kind": "fixed"}})
    {'step.rate': (2, 3)}
    """
    ours, theirs = dict(_flat(here)), dict(_flat(there))
    return {
        path: (ours.get(path), theirs.get(path))
        for path in ours | theirs
        if ours.get(path, _ABSENT) != theirs.get(path, _ABSENT)
    }


def tell_differing(here: Mapping[str, Any], there: Mapping[str, Any]) -> str:
    """The same in words: ``seed is 3 there and 4 here``."""
    return ", ".join(
        f"{path} is {_text(theirs)} there and {_text(ours)} here"
        for path, (ours, theirs) in differing(here, there).items()
    )


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        elif isinstance(value, list | tuple) and value and all(isinstance(entry, Mapping) for entry in value):
            for number, entry in enumerate(value):
                yield from _flat(entry, f"{prefix}{key}.{number}.")
        else:
            yield prefix + key, list(value) if isinstance(value, tuple) else value


def _text(value: object) -> str:
    text = "not set" if value is None else str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
