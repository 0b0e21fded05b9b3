"""The players that need no other program."""

from __future__ import annotations

from plypilot import _core
from plypilot.games import Position
from plypilot.pilot import Pilot
from plypilot.play.player import Choice
from plypilot.searcher import Limit, Searcher


class PilotPlayer:
    """A pilot and a search that obeys it. Every game begins with an empty table."""

    def __init__(self, pilot: Pilot, name: str = "") -> None:
        """Stores the pilot; the name is its digest where none is given."""
        self.pilot = pilot
        self.name = name or f"{pilot.game} {pilot.digest[:12]}"
        self._searcher: Searcher | None = None

    def new_game(self, game: str, seed: int) -> None:
        """Empties the table. Raises ValueError where the pilot is of another game."""
        self._searcher = Searcher(self.pilot.for_game(game), seed=seed)

    def choose(self, position: Position, limit: Limit, opponent_clock: float | None = None) -> Choice:  # noqa: ARG002
        """The move that the search finds."""
        found = self._searcher_of(position).search(position, limit)
        if found.move is None:
            raise ValueError(f"no move in {position.fen()}: the game has ended")
        return Choice(found.move, found.score, found.depth, found.nodes.all)

    def judge(self, position: Position) -> int | None:
        """The value of the pilot's evaluation."""
        return self._searcher_of(position).evaluate(position)

    def _searcher_of(self, position: Position) -> Searcher:
        if self._searcher is None or self._searcher.pilot.game != position.game:
            self.new_game(position.game, 0)
        assert self._searcher
        return self._searcher

    def close(self) -> None:
        """Frees the table."""
        self._searcher = None


class RandomPlayer:
    """Any legal move, all equally likely, as the seed of the game decides."""

    def __init__(self, name: str = "random") -> None:
        """Makes a player of any game."""
        self.name = name
        self._chance = _core.Chance(0)

    def new_game(self, game: str, seed: int) -> None:  # noqa: ARG002
        """Starts the chance anew from the seed."""
        self._chance = _core.Chance(seed)

    def choose(self, position: Position, limit: Limit, opponent_clock: float | None = None) -> Choice:  # noqa: ARG002
        """A move by chance; no limit is too small for it."""
        moves = position.moves()
        if not moves:
            raise ValueError(f"no move in {position.fen()}: the game has ended")
        return Choice(moves[self._chance.choose(len(moves))])

    def judge(self, position: Position) -> int | None:  # noqa: ARG002
        """It has no opinion."""
        return None

    def close(self) -> None:
        """Nothing to end."""
