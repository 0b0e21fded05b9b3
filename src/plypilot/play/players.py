"""The players that need no other program, and how a word of the command line names a player."""

from __future__ import annotations

import random

from plypilot.games import Position, game_info
from plypilot.pilot import Pilot, find_pilot
from plypilot.play.outside import PROTOCOLS, OutsideEngine, Patience
from plypilot.play.player import Choice, Player
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
        if self._searcher is None or self._searcher.pilot.game != position.game:
            self.new_game(position.game, 0)
        assert self._searcher
        found = self._searcher.search(position, limit)
        if found.move is None:
            raise ValueError(f"no move in {position.fen()}: the game has ended")
        return Choice(found.move, found.score, found.depth, found.nodes.all)

    def close(self) -> None:
        """Frees the table."""
        self._searcher = None


class RandomPlayer:
    """Any legal move, all equally likely, as the seed of the game decides."""

    def __init__(self, name: str = "random") -> None:
        """Makes a player of any game."""
        self.name = name
        self._chance = random.Random(0)

    def new_game(self, game: str, seed: int) -> None:
        """Starts the chance anew from the seed."""
        self._chance = random.Random(f"{game} {seed}")

    def choose(self, position: Position, limit: Limit, opponent_clock: float | None = None) -> Choice:  # noqa: ARG002
        """A move by chance; no limit is too small for it."""
        moves = position.moves()
        if not moves:
            raise ValueError(f"no move in {position.fen()}: the game has ended")
        # random() is promised to be the same in every Python, choice() is not.
        return Choice(moves[int(self._chance.random() * len(moves))])

    def close(self) -> None:
        """Nothing to end."""


def find_player(text: str, game: str, *, patience: Patience | None = None) -> Player:
    """The player of a game that a text names: baseline, plain, random, a pilot file, ``uci:...`` or ``usi:...``.

    An outside engine is started and its options are set, so that a mistake shows here: EngineError, PilotError,
    UnknownGame. Whoever asked closes the player.
    """
    game_info(game)
    if text == "random":
        return RandomPlayer()
    if text.partition(":")[0] in PROTOCOLS:
        engine = OutsideEngine(text, patience=patience)
        engine.check(game)
        return engine
    return PilotPlayer(find_pilot(text, game), text)
