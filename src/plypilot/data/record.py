"""A recorded game: where it starts and the moves played, in the notation of the game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from plypilot.games import IllegalMove, Position


class RecordError(ValueError):
    """A record that cannot be read or replayed; the text says where and why."""


@dataclass(frozen=True)
class Record:
    """A recorded game. Reading it checks its form, ``replay`` its moves."""

    game: str
    moves: tuple[str, ...]
    start: str | None = None
    """Position string of the start, None for the usual one."""
    result: str = ""
    """How the record says that it ended (``resign``, ``%TORYO``), empty where it does not say."""
    tags: Mapping[str, str] = field(default_factory=dict)

    def replay(self) -> Position:
        """The position after the last move. Raises RecordError at the first move that is not legal."""
        position = Position(self.game, self.start)
        for ply, move in enumerate(self.moves, 1):
            if (ended := position.outcome()) is not None:
                raise RecordError(f"move {ply} ({move}): the game had ended before it ({ended.reason})")
            try:
                position.push(move)
            except IllegalMove as error:
                raise RecordError(f"move {ply}: {error}") from error
        return position
