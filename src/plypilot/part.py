"""What the parts of a pilot are made of: settings that are checked, and arrays.

An array has a path, such as ``evaluation/weights/material``. One walk over them serves the file, equality, the digest,
comparisons and what is handed over to the search, whichever part they are in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, get_args, get_origin

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from plypilot.bounds import LARGEST_COUNT, check_whole

Array = NDArray[Any]
ArrayName = Annotated[str, Field(min_length=1, pattern=r"^[^/]+$")]
"""A key in a dictionary of arrays: one step of a path."""


class Part(BaseModel):
    """Settings and arrays that are checked, and do not change.

    A field whose type names numpy arrays is one: an array, a dictionary of arrays by name, or None. Other fields are
    settings, or parts in their turn.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _complete_parts(cls, given: object) -> object:
        """A part that is given in part keeps what is usual of it here, which its class alone does not know."""
        if not isinstance(given, Mapping):
            return given
        for name, value in given.items():
            if name in cls.model_fields and cls.model_fields[name].annotation is int and isinstance(value, int):
                if isinstance(value, bool):
                    raise ValueError(f"{name} is {value}, expected a whole number")
                check_whole(name, value, -LARGEST_COUNT, LARGEST_COUNT)
        usual = ((name, cls.model_fields[name].default) for name in given if name in cls.model_fields)
        return {**given, **{name: _complete(part, given[name]) for name, part in usual if isinstance(part, Part)}}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Part) or type(self) is not type(other):
            return NotImplemented
        return _identity(self) == _identity(other)

    def __hash__(self) -> int:
        return hash(_identity(self))


def _complete(usual: Part, given: object) -> object:
    """What is given of a part, and the rest as usual. A part of another kind has nothing of the usual one."""
    if not isinstance(given, Mapping):
        return given
    settings = {name: getattr(usual, name) for name in type(usual).model_fields}
    if "kind" in given and given["kind"] != settings.get("kind"):
        return given
    parts = {name: _complete(settings[name], given[name]) for name in given if isinstance(settings.get(name), Part)}
    return {**settings, **given, **parts}


@cache
def array_fields(part: type[BaseModel]) -> frozenset[str]:
    """The fields of a part that hold arrays."""
    return frozenset(name for name, field in part.model_fields.items() if _names_arrays(field.annotation))


def walk_arrays(part: BaseModel, path: str = "") -> Iterator[tuple[str, Array]]:
    """Every array of a part and of the parts in it, with its path."""
    for name in type(part).model_fields:
        value, own_path = getattr(part, name), f"{path}{name}"
        if isinstance(value, BaseModel):
            yield from walk_arrays(value, f"{own_path}/")
        elif name in array_fields(type(part)):
            if isinstance(value, Mapping):
                yield from ((f"{own_path}/{key}", array) for key, array in value.items())
            elif value is not None:
                yield own_path, value


def take_apart(part: BaseModel) -> tuple[dict[str, Any], dict[str, Array]]:
    """A part as settings, which are plain JSON, and as arrays by path."""
    return _without_arrays(part.model_dump()), dict(walk_arrays(part))


def put_together(settings: Mapping[str, Any], arrays: Mapping[str, Array]) -> dict[str, Any]:
    """What ``take_apart`` gave as one tree, for a part to be made of. Raises ValueError, which names the array."""
    whole = _copy(settings)
    for path, array in arrays.items():
        *parents, last = path.split("/")
        place = whole
        for parent in parents:
            place = place.setdefault(parent, {})
            if not isinstance(place, dict):
                raise ValueError(f'array "{path}": its settings have no part for it')
        if last in place:
            raise ValueError(f'array "{path}": there is a setting of that name')
        place[last] = array
    return whole


def has_path(settings: Mapping[str, Any], path: str) -> bool:
    """Whether settings say anything where an array stands."""
    place: Any = settings
    for step in path.split("/"):
        if not isinstance(place, Mapping) or step not in place:
            return False
        place = place[step]
    return True


def _names_arrays(annotation: object) -> bool:
    if annotation is np.ndarray or get_origin(annotation) is np.ndarray:
        return True
    return any(_names_arrays(inner) for inner in get_args(annotation))


def _identity(part: Part) -> tuple[str, frozenset[tuple[object, ...]]]:
    """What makes a part equal to another: what its file would say."""
    settings, arrays = take_apart(part)
    content = ((path, array.dtype.str, array.shape, array.tobytes()) for path, array in arrays.items())
    return json.dumps(settings, sort_keys=True, default=str), frozenset(content)


def _without_arrays(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _without_arrays(value) if isinstance(value, Mapping) else value
        for key, value in settings.items()
        if not isinstance(value, np.ndarray)
    }


def _copy(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _copy(value) if isinstance(value, Mapping) else value for key, value in settings.items()}
