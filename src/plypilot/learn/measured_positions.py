"""Positions that searches are measured on, of a file or of games that a pilot plays with itself; and how a pilot as it
is searches them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from plypilot.compute import Workers, task_seed
from plypilot.data.epd import read_epd, suite_game
from plypilot.data.record import RecordError
from plypilot.games import Position
from plypilot.learn.move_worths import choose
from plypilot.learn.own_games import OwnGames
from plypilot.learn.selfplay_set import LabelledGame
from plypilot.pilot import Pilot, PilotError
from plypilot.replay import NO_LABEL
from plypilot.wording import tell_unreadable

_UNBOUND = 100
"""A search of a position that takes so many times the nodes that are wanted on average is given up: none that ends."""
_MOST_DEPTH = 24
"""Where nodes choose it: small games are searched to their end."""
_GAME_NODES = 500
"""Of each move of the games."""
_PART_GAMES = 40
"""Games that are played before it is seen whether they give enough positions."""
_FRUITLESS = 20
"""So many times as many games as positions are wanted mean that there are no more of them."""


class Measures(NamedTuple):
    """How a pilot as it is searches positions: what changes of it are measured by."""

    depth: int
    nodes: tuple[int, ...]
    moves: tuple[str, ...]
    most_moves: int
    """In any of the positions."""
    growth: float
    """Times the nodes that a deeper search takes, on average over the first few positions."""

    def limit(self, positions: int, budget: float = 0.0) -> float:
        """The nodes that it takes on average, in the first so many positions; 1 as budget stands for the deeper search,
        and what is between for what is between by ratio.
        """
        return float(sum(self.nodes[:positions]) / max(positions, 1) * self.growth**budget)

    def content(self) -> list[Any]:
        """As plain data."""
        return [self.depth, list(self.nodes), list(self.moves), self.most_moves, self.growth]

    @classmethod
    def read(cls, content: Sequence[Any]) -> Self:
        """From the data of a state."""
        depth, nodes, moves, most_moves, growth = content
        return cls(depth, tuple(nodes), tuple(moves), most_moves, growth)


def take_measures(
    pilot: Pilot, positions: Sequence[str], *, depth: int, deeper: int, nodes: int, few: int, workers: Workers
) -> Measures:
    """Searches positions with a pilot as it is, to a depth; where that is 0, to the deepest one of 2 plies or more that
    takes no more nodes than are wanted, on average over the first few. These are searched some plies deeper too.
    """
    if not depth:
        depth = 2
        while depth < _MOST_DEPTH:
            (choices,) = choose([pilot], positions[:few], depth + 1, _UNBOUND * nodes, workers)
            if sum(choice.nodes for choice in choices) > nodes * len(choices):
                break
            depth += 1
    (choices,) = choose([pilot], positions, depth, _UNBOUND * nodes, workers)
    most_moves = max(len(Position(pilot.game, text).moves()) for text in positions)
    spent, moves = tuple(choice.nodes for choice in choices), tuple(choice.move for choice in choices)
    (further,) = choose([pilot], positions[:few], depth + deeper, _UNBOUND * nodes, workers)
    growth = sum(choice.nodes for choice in further) / max(sum(spent[:few]), 1)
    return Measures(depth, spent, moves, most_moves, round(max(growth, 1.0), 4))


def sample_positions(pilot: Pilot, count: int, seed: int, workers: Workers) -> list[str]:
    """Positions of games that a pilot plays with itself, one of each game and no two alike. Raises PilotError."""
    games = OwnGames(nodes=_GAME_NODES, side_lines=0)
    found: dict[str, None] = {}
    for first in range(0, _FRUITLESS * count, _PART_GAMES):
        numbers = range(first, first + _PART_GAMES)
        for number, fields in zip(numbers, games.play(pilot, seed, numbers, workers), strict=True):
            game = LabelledGame(*fields)
            moves, labels = game.moves.split(), game.labels.split()
            places = [place for place, label in enumerate(labels) if label != NO_LABEL]
            if not places:
                continue
            position = Position(pilot.game, game.start or None)
            for move in moves[: places[task_seed(seed, number) % len(places)]]:
                position.push(move)
            if len(position.moves()) > 1:
                found[position.fen()] = None
            if len(found) == count:
                return list(found)
    raise PilotError(
        f"{_FRUITLESS * count} games of {pilot.game} gave {len(found)} different positions, and {count} are wanted: "
        "lower positions, or name a suite"
    )


def read_positions(path: str, game: str) -> list[str]:
    """The positions of a suite's file in which there is a choice. Raises RecordError, which names file and line."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(tell_unreadable(path, error)) from error
    if (named := suite_game(text)) != game:
        raise RecordError(f"{path}: has positions of {named}, but the pilot plays {game}")
    positions = []
    for item in read_epd(text, game):
        if isinstance(item, RecordError):
            raise RecordError(f"{path}: {item}")
        if len(Position(game, item.fen).moves()) > 1:
            positions.append(item.fen)
    if not positions:
        raise RecordError(f"{path}: has no position with a choice of moves")
    return positions
