"""Errors of libraries and of the system in words for people: where, what was expected, what was given."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import ValidationError

_EXPECTED = {
    "greater_than_equal": "{ge} or more",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
    "multiple_of": "a multiple of {multiple_of}",
    "finite_number": "a finite number",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a table of settings",
    "model_type": "a table of settings",
    "model_attributes_type": "a table of settings",
    "literal_error": "{expected}",
    "enum": "{expected}",
    "missing": "a value",
}
"""What was expected, by pydantic's name of the error."""

_SYSTEM = {
    errno.ENOENT: "no such file or folder",
    errno.EISDIR: "is a folder, expected a file",
    errno.ENOTDIR: "a part of its path is not a folder",
    errno.EACCES: "no permission",
    errno.EPERM: "no permission",
    errno.EROFS: "the disk can only be read",
    errno.EEXIST: "is there already",
    errno.ENOSPC: "no space is left on the disk",
    errno.EDQUOT: "the quota of the disk is used up",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EMFILE: "too many files are open",
}
_LONGEST_SHOWN = 80


def explain(error: ValidationError) -> str:
    """What pydantic found, each in one phrase: where, what was expected, what was given."""
    return "; ".join(_phrase(each) for each in error.errors())


def expectation(error: Mapping[str, Any]) -> str:
    """One error of pydantic as what was expected, and what was given where that is short."""
    facts = error.get("ctx", {})
    cause = facts.get("error")
    if error["type"] == "extra_forbidden":
        return "unknown field"
    known = _EXPECTED.get(error["type"])
    if isinstance(cause, Exception):
        what = str(cause)
    elif known:
        what = f"expected {known.format(**facts)}"
    else:
        what = error["msg"][:1].lower() + error["msg"][1:]
    given = error["input"]
    if isinstance(given, str | int | float):
        shown = repr(given)
        what += f", got {shown if len(shown) <= _LONGEST_SHOWN else shown[:_LONGEST_SHOWN] + '...'}"
    return what


def _phrase(error: Mapping[str, Any]) -> str:
    where = ".".join(str(step) for step in error["loc"])
    what = expectation(error)
    return f"{where}: {what}" if where else what


def tell_unreadable(path: object, error: OSError | ValueError) -> str:
    """Why a file could not be read, or its text not understood, with its name."""
    if isinstance(error, OSError):
        return tell_system(error)
    return f"{path}: {'is not text in UTF-8' if isinstance(error, UnicodeDecodeError) else error}"


def tell_system(error: OSError) -> str:
    """What the system refused, and of which file."""
    what = _SYSTEM.get(error.errno or 0) or (os.strerror(error.errno).lower() if error.errno else str(error))
    return f"{error.filename}: {what}" if error.filename not in (None, "") else what
