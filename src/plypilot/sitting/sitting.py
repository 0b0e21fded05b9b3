"""A person and an engine at one board: the position, who has which side, the engine's search, and the record.

Nothing here prints or asks; see terminal.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from plypilot import sealed
from plypilot.data import record_formats, write_game
from plypilot.data.record import UNFINISHED, PlayedGame, PlayedMove
from plypilot.games import Move, Outcome, Position, game_info
from plypilot.pilot import Pilot
from plypilot.searcher import Iteration, Limit, Result, Searcher

_MOVES_ALONE = ".txt"
"""The ending of a file that holds no more than the moves; the others are those of the formats of records."""

_LEAST_ADVICE = 20_000
"""Nodes of a hint: fewer may not even look at all moves."""


@dataclass(frozen=True)
class Ply:
    """A move that was made."""

    side: int
    short: str
    """In the short notation of the game."""
    played: PlayedMove
    by_person: bool


class Sitting:
    """One game after the other on one board. The engine keeps its table from move to move."""

    def __init__(
        self,
        pilot: Pilot,
        position: Position,
        person: frozenset[int],
        limit: Limit,
        *,
        seed: int = 0,
        engine_name: str = "engine",
    ) -> None:
        """``person`` has the sides that a person plays; the engine plays the others, each move within the limit."""
        self.position = position.copy()
        self.person = person
        self.limit = limit
        self.pilot = pilot
        self.searcher = Searcher(pilot, seed=seed)
        self.engine_name = engine_name
        self.sides = game_info(position.game).sides
        self.plies: list[Ply] = []
        self._start = position.copy()
        self._date = date.today()
        self._resigned: int | None = None

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended: by the rules or by resignation. None while it goes on."""
        if self._resigned is not None:
            return Outcome(1 - self._resigned, f"{self.sides[self._resigned]} resigned")
        return self.position.outcome()

    @property
    def is_engine_to_move(self) -> bool:
        """Whether the game waits for the engine."""
        return self.outcome is None and self.position.turn not in self.person

    @property
    def viewer(self) -> int:
        """The side from which the person looks at the board: his own, or the one to move where he has both or none."""
        return next(iter(self.person)) if len(self.person) == 1 else self.position.turn

    def think(self, on_iteration: Callable[[Iteration], object] | None = None) -> Result:
        """What the engine would play here; ``searcher.stop`` ends it early."""
        return self.searcher.search(self.position, self.limit, on_iteration=on_iteration)

    def advise(self, on_iteration: Callable[[Iteration], object] | None = None) -> Result:
        """The best two lines for whoever asks. An engine that plays weakly thinks more for its advice."""
        limit = self.limit
        if limit.nodes is not None and limit.nodes < _LEAST_ADVICE:
            limit = replace(limit, nodes=_LEAST_ADVICE)
        return self.searcher.search(self.position, limit, lines=2, on_iteration=on_iteration)

    def play(self, move: Move, found: Result | None = None, seconds: float = 0.0) -> None:
        """Makes a move, with what the search found where the engine chose it."""
        played = PlayedMove(str(move), seconds=round(seconds, 3))
        if found is not None:
            played = replace(played, score=found.score, depth=found.depth, nodes=found.nodes.all)
        short, side = self.position.san(move), self.position.turn
        self.position.push(move)
        self.plies.append(Ply(side, short, played, side in self.person))

    def take_back(self) -> list[Ply]:
        """Takes back the last move of the person and what followed, or a resignation. Raises ValueError.

        Returns the moves taken back, the earliest first.
        """
        if self._resigned is not None:
            self._resigned = None
            return []
        if not any(ply.side in self.person for ply in self.plies):
            raise ValueError("no move of yours to take back")
        taken: list[Ply] = []
        while not taken or taken[0].side not in self.person:
            self.position.pop()
            taken.insert(0, self.plies.pop())
        return taken

    def swap(self) -> None:
        """The person and the engine change sides. Raises ValueError where one of them has both."""
        if len(self.person) != 1:
            raise ValueError("no sides to swap: you play both")
        self.person = frozenset((0, 1)) - self.person

    def resign(self) -> None:
        """The person gives up, or the side to move where he plays both. Raises ValueError after the end."""
        if self.outcome is not None:
            raise ValueError("the game is over already")
        self._resigned = self.viewer

    def restart(self) -> None:
        """Sets up the start again."""
        self.position = self._start.copy()
        self.plies.clear()
        self._date = date.today()
        self._resigned = None
        self.searcher.clear()

    def record(self) -> PlayedGame:
        """The game so far."""
        outcome = self.outcome
        return PlayedGame(
            game=self.position.game,
            players=(self._player(0), self._player(1)),
            tags={"date": self._date.isoformat()},
            winner=None if outcome is None else outcome.winner,
            cause=UNFINISHED if outcome is None else outcome.reason,
            moves=tuple(ply.played for ply in self.plies),
            opening=tuple(str(move) for move in self._start.played),
            start=self._start.root,
        )

    def _player(self, side: int) -> str:
        """Who has made the moves of a side, both where sides were swapped; who has it, where there are none."""
        makers = dict.fromkeys(ply.by_person for ply in self.plies if ply.side == side) or [side in self.person]
        return " and ".join("person" if by_person else self.engine_name for by_person in makers)


def check_place(path: Path, game: str) -> None:
    """Whether a game can be saved there, by the look of it. Raises ValueError."""
    endings = [*(f".{form}" for form in record_formats(game)), _MOVES_ALONE]
    if path.suffix not in endings:
        raise ValueError(f'save: "{path}" has none of the endings {", ".join(endings)}')
    if not path.parent.is_dir():
        raise ValueError(f'save: there is no folder "{path.parent}"')


def save(game: PlayedGame, path: Path) -> None:
    """Writes a record in the form that the ending of the file asks for, whole or not at all. Raises ValueError."""
    check_place(path, game.game)
    is_plain = path.suffix == _MOVES_ALONE
    text = " ".join(game.texts) + "\n" if is_plain else write_game(game, path.suffix.removeprefix("."))
    sealed.write(path, text.encode())
