"""Played games as lines of JSON, with all that is known of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING

from plypilot.data.game_names import find_game
from plypilot.data.record import PlayedGame, RecordError
from plypilot.games import Game

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def read_json_lines(text: str, game: str | type[Game] | None = None) -> Iterator[PlayedGame | RecordError]:
    """The game of each line, or the reason why the line is refused. Empty lines are skipped."""
    from pydantic import ValidationError

    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            played = _form().validate_json(line, strict=True)
            find_game(played.game, game)
            if played.winner not in (0, 1, None):
                raise RecordError(f"winner is {played.winner}, expected 0, 1 or null")
            yield played
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(step) for step in first["loc"])
            yield RecordError(f"line {number}: {where + ': ' if where else ''}{first['msg']}")
        except RecordError as error:
            yield RecordError(f"line {number}: {error}")


def write_json_line(game: PlayedGame) -> str:
    """A game as one line; the names are those of PlayedGame and PlayedMove."""
    return json.dumps(asdict(game) | {"tags": dict(game.tags)}, ensure_ascii=False, allow_nan=False) + "\n"


@cache
def _form() -> TypeAdapter[PlayedGame]:
    from pydantic import TypeAdapter

    return TypeAdapter(PlayedGame)
