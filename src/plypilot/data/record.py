"""Games on record: as another program wrote them down (Record), and as they were played here (PlayedGame)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from plypilot.games import IllegalMove, Position, game_info

UNFINISHED = "unfinished"
"""The cause of a game that was left before its end."""


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


@dataclass(frozen=True)
class PlayedMove:
    """A move of a game that was played here, with what the player said of it."""

    text: str
    score: int | None = None
    """From the mover's view, as ``Result.score``; None where the player told none."""
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class PlayedGame:
    """A game that was played here, to its end or as far as it went."""

    game: str
    players: tuple[str, str]
    """Names of the first and the second player (White and Black in chess)."""
    winner: int | None
    """0 the first player, 1 the second, None a draw, or nobody yet."""
    cause: str
    """What ended it: the reason of the rules (``checkmate``), an adjudication, a player's fault; or UNFINISHED."""
    moves: tuple[PlayedMove, ...]
    """After the opening."""
    opening: tuple[str, ...] = ()
    """Moves that were given, from the start on."""
    start: str | None = None
    """Position string of the start, None for the usual one."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Whatever else is known: event, round, date, time control."""
    number: int = 0
    """Its place in a match or a tournament, from 0 on."""
    seats: tuple[int, int] = (0, 1)
    """Who of a match or a tournament, by number, had the first and the second side."""
    turn: int = 0
    """The side that moved first after the opening."""

    @property
    def result(self) -> str:
        """As PGN writes it: ``1-0``, ``0-1``, ``1/2-1/2``, or ``*`` where it has not ended."""
        if self.cause == UNFINISHED:
            return "*"
        return "1/2-1/2" if self.winner is None else ("1-0", "0-1")[self.winner]

    @property
    def texts(self) -> tuple[str, ...]:
        """Every move from the start on, the opening included."""
        return self.opening + tuple(move.text for move in self.moves)

    def points(self, seat: int) -> float:
        """What it gives a player of the match or the tournament: 1, 0.5 or 0."""
        return 0.5 if self.winner is None else float(self.seats[self.winner] == seat)

    def moves_of(self, seat: int) -> tuple[PlayedMove, ...]:
        """The moves that a player of the match or the tournament made."""
        side = self.seats.index(seat)
        if game_info(self.game).turns_alternate:
            return self.moves[side ^ self.turn :: 2]
        movers = movers_of(self.game, self.start, self.texts)[len(self.opening) :]
        return tuple(move for move, mover in zip(self.moves, movers, strict=True) if mover == side)

    def replay(self) -> Position:
        """The position after the last move. Raises RecordError at the first move that is not legal."""
        return Record(self.game, self.texts, self.start).replay()


def movers_of(game: str, start: str | None, moves: Sequence[str]) -> list[int]:
    """The side that made each move of a game. Where turns need not alternate, the moves are made to find out."""
    position = Position(game, start)
    if game_info(game).turns_alternate:
        return [(position.turn + ply) % 2 for ply in range(len(moves))]
    movers = []
    for move in moves:
        movers.append(position.turn)
        position.push(move)
    return movers
