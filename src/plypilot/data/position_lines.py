"""Positions as the lines that engines are given: ``position startpos moves ...``, or a position string alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plypilot.data.game_names import name_of
from plypilot.data.record import PlayedGame, Record, RecordError
from plypilot.games import BadPosition, Game, Position

_LINE = re.compile(r"(?:position\s+)?(?:(startpos)|(?:(?:fen|sfen)\s+)?(\S.*?))(?:\s+moves((?:\s+\S+)*))?\s*")


def read_position_lines(text: str, game: str | type[Game]) -> Iterator[Record | RecordError]:
    """A record for each line, or why it is refused: ``position sfen ... moves ...``, without its first words too.

    Empty lines and those after # are skipped. These lines know no result.
    """
    name = name_of(game)
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not (stripped := line.strip()) or stripped.startswith("#"):
            continue
        parts = _LINE.fullmatch(stripped)
        start = None if parts is None or parts[1] else parts[2]
        try:
            Position(game, start)
        except BadPosition as error:
            yield RecordError(f"line {number}: {error}")
        else:
            moves = (parts[3] or "").split() if parts else ()
            yield Record(name, tuple(moves), start)


def write_position_line(game: PlayedGame) -> str:
    """The moves of a game as an engine is told them. Raises RecordError."""
    game.replay()
    kind = "sfen" if game.game == "shogi" else "fen"
    line = "position " + ("startpos" if game.start is None else f"{kind} {game.start}")
    return " ".join([line, *(["moves"] if game.texts else []), *game.texts]) + "\n"
