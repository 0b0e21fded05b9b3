"""How many points a pilot wins in games against others that search to a depth of their own: a quick measure of how good
its decisions are (Kocsis 2003, 4.4.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from plypilot.pilot import Pilot
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Arena, Task
from plypilot.play.openings import Opening, random_openings
from plypilot.searcher import Limit

_OPENING_PLIES = 6
_MOST_PLIES = 400
"""Longer games are a draw."""


@dataclass(frozen=True)
class GamesTask:
    """Some games, by their numbers: two from each opening with sides swapped, each pair against the next opponent."""

    pilot: Pilot
    opponents: tuple[Pilot, ...]
    depths: tuple[int, int]
    """To which the pilot and the opponents search."""
    seed: int
    """Decides openings and chance."""
    numbers: range
    games: int
    """In all, of which these are some."""

    def key(self) -> object:
        """What names them in a cache."""
        opponents = [opponent.digest for opponent in self.opponents]
        span = [self.numbers.start, self.numbers.stop]
        return ["points", self.pilot.digest, opponents, list(self.depths), self.seed, span, self.games]


def play_games(task: GamesTask) -> list[float]:
    """The points of the pilot in each of the games. Runs in a worker."""
    pilot, game = task.pilot, task.pilot.game
    openings = _openings(game, -(-task.games // 2), task.seed)
    limits = [Limit(depth=depth) for depth in task.depths]
    adjudication = Adjudication(_MOST_PLIES, "draw")
    points = []
    arena: Arena | None = None
    for number in task.numbers:
        players = (pilot, task.opponents[number // 2 % len(task.opponents)])
        if arena is None:
            arena = Arena(game, players, limits, adjudication=adjudication)
        else:
            arena.seat(players)
        opening = openings[number // 2]
        played = arena.play([Task(opening.position(game), task.seed + number // 2, number % 2)])
        winner = played.winners[0]
        points.append(0.5 if winner is None else float(winner == number % 2))
    return points


@lru_cache(maxsize=4)
def _openings(game: str, count: int, seed: int) -> list[Opening]:
    return random_openings(game, _OPENING_PLIES, count, seed)
