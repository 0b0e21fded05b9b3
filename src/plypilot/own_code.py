"""What went wrong in a user's own code: its file and line, the method, and the position it was asked about."""

from __future__ import annotations

import sysconfig
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

_LONGEST_PLACE = 300
"""Letters of a position that are shown."""
_OURS = str(Path(__file__).parent)
_LIBRARY = sysconfig.get_paths()["stdlib"]


class GameError(ValueError):
    """A method of a game in Python failed. The message names the user's file and line, the method and the position."""


def blame(game: str, method: str, place: str, fault: Exception | str) -> NoReturn:
    """Raises GameError for what a method of a game raised, or for what a text says of the value that it gave.

    BadPosition is how ``from_fen`` refuses a text, and stays as it is.
    """
    from plypilot._core import BadPosition

    if isinstance(fault, GameError | BadPosition):
        raise fault
    if isinstance(fault, str):
        raise GameError(f"{_definition(game, method)}{method}() of {game} {fault}{_where(place)}")
    raise GameError(_tell(game, method, place, fault)) from fault


def tell(game: str, place: str, error: Exception) -> str:
    """What went wrong while a game was asked in a position, by some method of its class."""
    return str(error) if isinstance(error, GameError) else _tell(game, None, place, error)


def _tell(game: str, method: str | None, place: str, error: Exception) -> str:
    frames = _own_frames(error)
    if method and not frames:  # the method itself went well
        gave = "gave no list of moves" if method == "moves" else f"gave what cannot be used: {error}"
        return f"{_definition(game, method)}{method}() of {game} {gave}{_where(place)}"
    name = method or (frames[0].name if frames else "")
    asked = f"{name}() of {game}" if name else game
    return f"{_line(frames)}{asked}: {type(error).__name__}: {error}{_where(place)}"


def _where(place: str) -> str:
    shown = place if len(place) <= _LONGEST_PLACE else f"{place[:_LONGEST_PLACE]}..."
    return f" (in {shown})" if shown else ""


def _definition(game: str, method: str) -> str:
    """Where a method is written: file and line, as far as they are known."""
    from plypilot.games import find_class

    code = getattr(getattr(find_class(game), method, None), "__code__", None)
    return "" if code is None else f"{_short(code.co_filename)}:{code.co_firstlineno}: "


def tell_import(error: BaseException) -> str:
    """Why a module could not be imported: the line at fault, and the error.

    A module that is missing is named; whatever else is wrong has a place in the user's own files.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_short(error.filename)}:{error.lineno}: {type(error).__name__}: {error.msg}"
    return f"{_line(_own_frames(error))}{type(error).__name__}: {error}"


def _own_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The frames of an error that are the user's: first the one that we called, last the one that failed."""
    return [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((_OURS, _LIBRARY, "<")) and "site-packages" not in frame.filename
    ]


def _line(frames: Sequence[traceback.FrameSummary]) -> str:
    """File and line of the one that failed."""
    return f"{_short(frames[-1].filename)}:{frames[-1].lineno}: " if frames else ""


def _short(file: str) -> str:
    """A file as seen from the working folder, where it is below that."""
    try:
        return str(Path(file).relative_to(Path.cwd()))
    except ValueError:
        return file
