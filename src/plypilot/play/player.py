"""What plays a game: a pilot, a random mover, or an outside engine, all asked in one way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from plypilot.games import Move, Position
from plypilot.searcher import Limit


class PlayerFault(Exception):
    """A player broke the rules of play: it crashed, stalled, or named an illegal move. It loses the game.

    The text is the cause that goes into the record: ``crashed (exit status 1)``, ``illegal move "e2e5"``.
    """


@dataclass(frozen=True)
class Choice:
    """A move with what the player says of it."""

    move: Move
    score: int | None = None
    """From the mover's view, in the units of ``Result.score``; None where the player tells none."""
    depth: int = 0
    nodes: int = 0


class Player(Protocol):
    """One side of games, one game at a time. It may hold a process, so it is closed in the end."""

    name: str

    def new_game(self, game: str, seed: int) -> None:
        """Forgets the game before. The seed decides whatever the player leaves to chance. Raises PlayerFault."""

    def choose(self, position: Position, limit: Limit, opponent_clock: float | None = None) -> Choice:
        """The move to play where the game has not ended. Raises PlayerFault.

        ``limit.clock`` is the player's own clock, ``opponent_clock`` the other's, both in seconds.
        """

    def judge(self, position: Position) -> int | None:
        """What its evaluation says of a position, for the side to move there; None where it has none to ask."""

    def close(self) -> None:
        """Ends whatever it runs."""
