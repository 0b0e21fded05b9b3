"""The formats of game records by name: which games each can hold, how it is written and read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from plypilot.data.csa import read_csa_games, write_csa
from plypilot.data.json_lines import read_json_lines, write_json_line
from plypilot.data.kif import read_kif_games
from plypilot.data.pgn import read_pgn, write_pgn
from plypilot.data.position_lines import read_position_lines, write_position_line
from plypilot.data.record import PlayedGame, Record, RecordError
from plypilot.data.sgf import read_sgf, write_sgf
from plypilot.games import Game, game_info


class _Format(NamedTuple):
    write: Callable[[PlayedGame], str] | None
    """None for a format that is only read."""
    read: Callable[[str, str | type[Game]], Iterable[Record | PlayedGame | RecordError]]
    only: str = ""
    """The one game it can hold; empty for any."""
    never: str = ""
    """The one game it does not fit."""


_FORMATS = {
    "pgn": _Format(write_pgn, read_pgn),
    "csa": _Format(write_csa, lambda text, _: read_csa_games(text), only="shogi"),
    "kif": _Format(None, lambda text, _: read_kif_games(text), only="shogi"),
    "usi": _Format(write_position_line, read_position_lines, only="shogi"),
    "uci": _Format(write_position_line, read_position_lines, never="shogi"),
    "sgf": _Format(write_sgf, read_sgf),
    "json": _Format(write_json_line, read_json_lines),
}


def record_formats(game: str | type[Game]) -> tuple[str, ...]:
    """The names of the formats in which games of this kind can be written.

    >>> record_formats("shogi")
    ('pgn', 'csa', 'usi', 'sgf', 'json')
    """
    return tuple(name for name in _fitting(game) if _FORMATS[name].write is not None)


def write_game(game: PlayedGame, format: str) -> str:  # noqa: A002
    """A game as text; the texts of several games, one behind the other, are a file of that format.

    The formats are those of ``record_formats``. ``uci`` and ``usi`` are lines of moves without a result. Raises
    RecordError where the format does not fit the game, or where its moves are not legal.
    """
    return _find(format, record_formats(game.game), game.game).write(game)  # type: ignore[misc]


def read_games(text: str, format: str, game: str | type[Game]) -> Iterator[Record | RecordError]:  # noqa: A002
    """The games of a text: each a record, or the reason why it is refused. Raises RecordError as ``write_game``."""
    return map(_as_record, _find(format, _fitting(game), game).read(text, game))


def _as_record(found: Record | PlayedGame | RecordError) -> Record | RecordError:
    if isinstance(found, PlayedGame):
        return Record(found.game, found.texts, found.start, found.result, found.tags)
    return found


def _fitting(game: str | type[Game]) -> tuple[str, ...]:
    """The names of the formats that hold games of this kind."""
    name = game_info(game).name
    return tuple(each for each, form in _FORMATS.items() if form.only in ("", name) and form.never != name)


def _find(name: str, formats: Sequence[str], game: str | type[Game]) -> _Format:
    if name not in formats:
        raise RecordError(f'format "{name}" does not fit {game_info(game).name}; there are: {", ".join(formats)}')
    return _FORMATS[name]
