"""Learners by name, and their settings as people write them: words, tables, what a run keeps."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from plypilot.assignment import read_assignment, read_value
from plypilot.learn.learner import Learner
from plypilot.own_code import tell_import
from plypilot.pilot import Pilot, Setting, flatten
from plypilot.sections import Section
from plypilot.wording import explain

LEARNERS = {
    "td": "plypilot.learn.td:TD",
    "movemap": "plypilot.learn.movemap:MoveMap",
    "plies": "plypilot.learn.plies:Plies",
    "realization": "plypilot.learn.realization:Realization",
    "focus": "plypilot.learn.focus:Focus",
    "widths": "plypilot.learn.widths:Widths",
    "pruning": "plypilot.learn.pruning:ForwardPruning",
    "timing": "plypilot.learn.timing:TimingActor",
    "timing-sane": "plypilot.learn.timing_sane:TimingSane",
}
"""Learners by the names that commands know them by."""


class LearnerError(ValueError):
    """No such learner, or one that cannot be made with these settings."""


def learner_class(name: str) -> type[Any]:
    """The class of a learner, by ``td`` or ``module:Class``. Raises LearnerError."""
    module_name, colon, class_name = LEARNERS.get(name, name).partition(":")
    if not colon:
        raise LearnerError(f'no learner is called "{name}"; there are: {", ".join(LEARNERS)}, and module:Class')
    if not all(part.isidentifier() for part in (*module_name.split("."), *class_name.split("."))):
        raise LearnerError(f'learner "{name}": expected module:Class, such as my_learners:Mine')
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        found = getattr(import_module(module_name), class_name)
    except AttributeError as error:
        raise LearnerError(f'learner "{name}": {error}') from error
    except (Exception, SystemExit) as error:
        raise LearnerError(f'learner "{name}": {tell_import(error)}') from error
    # A run folder may come from elsewhere: a name in it must not make objects of any other kind.
    missing = [part for part in ("decision", "start", "is_done", "step", "pilot") if not hasattr(found, part)]
    if not isinstance(found, type) or missing:
        what = f"has no {', '.join(missing)}" if missing else "is not a class"
        raise LearnerError(f'learner "{name}": {class_name} {what}')
    return found


def pilot_sections(pilot: Pilot) -> Iterator[Section]:
    """What the learners have to show of a pilot, each of its own decision."""
    for name in LEARNERS:
        if (tell := getattr(learner_class(name), "pilot_sections", None)) is not None:
            yield from tell(pilot)


def comparison_sections(one: Pilot, other: Pilot, names: tuple[str, str]) -> Iterator[Section]:
    """What the learners have to show of two pilots that differ, which go by these names."""
    for name in LEARNERS:
        if (tell := getattr(learner_class(name), "comparison_sections", None)) is not None:
            yield from tell(one, other, names)


def find_learner(name: str, settings: Mapping[str, Any]) -> Learner:
    """A learner by its name with settings. Raises LearnerError."""
    kind = learner_class(name)
    try:
        found: Learner = kind(**settings)
    except ValidationError as error:
        known = ", ".join(kind.model_fields)
        for each in error.errors():
            if each["type"] == "extra_forbidden" and len(each["loc"]) == 1:
                raise LearnerError(f'{name} has no setting "{each["loc"][0]}"; there are: {known}') from error
        raise LearnerError(f"{name}: {explain(error)}") from error
    except TypeError as error:
        raise LearnerError(f"{name}: {error}") from error
    return found


def learner_name(learner: Learner) -> str:
    """What finds the class of a learner again."""
    where = f"{type(learner).__module__}:{type(learner).__qualname__}"
    return next((name for name, known in LEARNERS.items() if known == where), where)


def learner_settings(learner: Learner) -> dict[str, Any]:
    """The settings of a learner as plain data."""
    return learner.model_dump(mode="json") if isinstance(learner, BaseModel) else dict(vars(learner))


def list_settings(name: str) -> list[Setting]:
    """The settings of a learner with their defaults and meanings. Raises LearnerError."""
    kind = learner_class(name)
    if not issubclass(kind, BaseModel):
        return [Setting(key, value, "") for key, value in _defaults(kind).items()]
    return flatten(kind())


def read_settings(name: str, table: Mapping[str, Any], words: Iterable[str]) -> dict[str, Any]:
    """Settings from a table and from words such as ``step_size.rate=0.05``, which win. Raises ValueError.

    A list may be written with commas.
    """
    defaults = _defaults(learner_class(name))
    chosen: dict[str, Any] = deepcopy(dict(table))
    for word in words:
        try:
            key, text = read_assignment(word, "step_size.rate=0.05")
        except ValueError as error:
            raise LearnerError(str(error)) from error
        *parents, last = key.split(".")
        part, known = chosen, defaults
        for parent in parents:
            known = known.get(parent, {}) if isinstance(known, Mapping) else {}
            below = part.get(parent, {})
            if isinstance(below, str):
                below = {"kind": below}
            if not isinstance(below, Mapping):
                raise LearnerError(f'"{word}": {parent} is {below!r}, which has no parts')
            part[parent] = dict(below)
            part = part[parent]
        value = read_value(text)
        usual = known.get(last) if isinstance(known, Mapping) else None
        if isinstance(usual, list) and isinstance(value, str):
            value = [each.strip() for each in value.split(",") if each.strip()]
        elif isinstance(usual, Mapping) and "kind" in usual and isinstance(value, str):
            value = {"kind": value}
        part[last] = value
    return chosen


def _defaults(kind: type[Any]) -> dict[str, Any]:
    """Settings that a class has by itself; nothing where it cannot be made without being told some."""
    try:
        return learner_settings(kind())
    except (TypeError, ValueError):
        return {}
