"""Which game a record is of, by the name it carries and the game its reader was asked for."""

from __future__ import annotations

from plypilot.data.record import RecordError
from plypilot.game_name import is_python_game
from plypilot.games import Game, UnknownGame, game_info

_LONGEST = 200


def find_game(named: str, wanted: str | type[Game] | None) -> str:
    """The game of a record that carries a name. Raises RecordError where it is unknown or not the one wanted.

    A game in Python is only ever the one that was wanted: a record must not choose which module is imported.
    """
    if len(named) > _LONGEST:
        raise RecordError(f"the name of its game has {len(named)} characters: {named[:40]!r}...")
    if is_python_game(named):
        if wanted is None or game_info(wanted).name != named:
            raise RecordError(f"is a game of {named!r}, which is in Python: name that game to read it")
        return named
    try:
        named_info = game_info(named)
    except UnknownGame as error:
        raise RecordError(str(error)) from error
    if wanted is not None and named_info.name != (info := game_info(wanted)).name:
        raise RecordError(f"is a game of {named}, not of {info.name}")
    return named


def name_of(wanted: str | type[Game]) -> str:
    """The name under which positions and records carry a game."""
    return wanted if isinstance(wanted, str) else game_info(wanted).name
