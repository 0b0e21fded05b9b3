"""What went wrong in a user's own code: its file and line, the method, and the position it was asked about."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

_OURS = str(Path(__file__).parent)
_LIBRARY = sysconfig.get_paths()["stdlib"]


def tell_import(error: Exception) -> str:
    """Why a module could not be imported: the line at fault, and the error.

    A module that is missing is named; whatever else is wrong has a place in the user's own files.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_short(error.filename)}:{error.lineno}: {type(error).__name__}: {error.msg}"
    place = _place(error)
    what = f"{type(error).__name__}: {error}"
    return what if place is None else f"{place}: {what}"


def _place(error: BaseException, own_file: str | None = None) -> str | None:
    """File and line of the last frame that is the user's; of the file named, where there is one of it."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((_OURS, _LIBRARY, "<")) and "site-packages" not in frame.filename
    ]
    inside = [frame for frame in frames if frame.filename == own_file] or frames
    return f"{_short(inside[-1].filename)}:{inside[-1].lineno}" if inside else None


def _short(file: str) -> str:
    """A file as seen from the working folder, where it is below that."""
    try:
        return str(Path(file).relative_to(Path.cwd()))
    except ValueError:
        return file
