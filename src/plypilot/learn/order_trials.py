"""How a learned order of moves is best used: ways of use play each other.

Neither the size of a search tree nor how often a short search finds the move of a long one tells which way plays
better: late moves are reduced and skipped, so that the order decides what is searched at all.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from pydantic import Field

from plypilot.compute import Workers, task_seed
from plypilot.learn.checks import even_openings
from plypilot.pilot import Pilot
from plypilot.play.adjudication import Adjudication
from plypilot.play.contestant import Contestant
from plypilot.play.match import match
from plypilot.play.ratings import Pentanomial, Sprt
from plypilot.searcher import Limit
from plypilot.settings import Part

_STREAM = int.from_bytes(b"trials", "little")


class Trials(Part):
    """How ways of use that are not set are tried against each other, in pairs of games at equal nodes."""

    games: Annotated[int, Field(ge=0, le=100_000, multiple_of=2)] = 300
    """the most of one trial, which ends as soon as it is decided; 0: nothing is tried, and the usual way is taken"""
    nodes: Annotated[int, Field(ge=1)] = 3000
    """of each move"""
    opening_plies: Annotated[int, Field(ge=0, le=100)] = 6
    """random moves before a game"""
    cost: Annotated[float, Field(ge=0, le=1000)] = 10.0
    """Elo that a way must be better by at equal nodes to be worth its time: asking the network more often takes some"""
    gain: Annotated[float, Field(gt=0, le=1000)] = 50.0
    """Elo that the test tells from that cost"""
    most_plies: Annotated[int, Field(ge=1)] = 400
    """longer games are a draw"""


class Way(NamedTuple):
    """How the search uses a network."""

    captures: bool
    """Captures come before all other moves; else the network orders them too."""
    plies: int
    """It is asked where so many plies or more are left."""
    history_weight: float

    def steer(self, pilot: Pilot) -> Pilot:
        """A pilot with a network that uses it in this way."""
        changes = {"captures": self.captures, "network_plies": self.plies, "history_weight": self.history_weight}
        return pilot.model_copy(update={"ordering": pilot.ordering.model_copy(update=changes)})


class Trial(NamedTuple):
    """A way of use that was tried against the best one until then."""

    way: Way
    pairs: tuple[int, ...]
    """Pairs of games by its points: 0, 1/2, 1, 3/2, 2."""
    is_better: bool

    @property
    def results(self) -> Pentanomial:
        """Its games."""
        return Pentanomial(*self.pairs)


def play_trial(pilot: Pilot, way: Way, best: Way, rules: Trials, seed: int, number: int, workers: Workers) -> Trial:
    """Lets a way of using a pilot's network play the best one so far."""
    games_seed = task_seed(seed ^ _STREAM, number)
    openings = even_openings(pilot.game, rules.opening_plies, rules.games // 2, games_seed)
    sprt = Sprt(rules.cost, rules.cost + rules.gain)
    result = match(
        Contestant("tried", way.steer(pilot)),
        Contestant("best", best.steer(pilot)),
        pilot.game,
        games=2 * min(len(openings), rules.games // 2),
        limit=Limit(nodes=rules.nodes),
        openings=openings,
        seed=games_seed,
        adjudication=Adjudication(rules.most_plies, "draw"),
        sprt=sprt,
        workers=workers,
    )
    pairs = result.standing.pairs
    return Trial(way, pairs.counts, sprt.verdict(pairs) == "H1")
