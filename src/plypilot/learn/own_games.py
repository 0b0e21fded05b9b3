"""Positions to learn from: the wanted part of a pattern set, or of games that a pilot plays with itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

from pydantic import Field, model_validator

from plypilot.compute import Workers
from plypilot.data.patterns import Where
from plypilot.learn.selfplay_set import SelfPlay, play_labelled
from plypilot.pilot import Pilot
from plypilot.score import WIN_SCORE
from plypilot.searcher import Limit
from plypilot.settings import Part

_PART_GAMES = 8
"""Games that are played as one task."""


class Selection(Part):
    """Which games and positions of a set are learned from; empty or 0 asks for nothing."""

    opening: str = ""
    """an ECO code, the beginning of one or a range, or the moves that games begin with"""
    phase: str = ""
    """opening, middle or end"""
    rating: Annotated[int, Field(ge=0)] = 0
    """the least of both players"""
    result: str = ""
    """1-0, 0-1 or 1/2-1/2; several with commas between"""

    @model_validator(mode="after")
    def _can_be(self) -> Self:
        self.where()
        return self

    def where(self) -> Where:
        """As pattern sets take it. Raises ValueError."""
        return Where(self.opening, self.phase, self.rating, self.result)


class OwnGames(Part):
    """How games are played where no pattern set is named."""

    games: Annotated[int, Field(ge=20)] = 4000
    """how many"""
    batch: Annotated[int, Field(ge=1, le=100_000)] = 250
    """games of a step"""
    nodes: Annotated[int, Field(ge=0)] = 1000
    """of each move; 0: by depth"""
    depth: Annotated[int, Field(ge=0, le=64)] = 0
    """of each move, in plies; 0: by nodes"""
    label_depth: tuple[Annotated[int, Field(ge=1, le=64)], ...] = ()
    """depths of searches that find the best move of each position, which take turns; none: the move that was played"""
    side_lines: Annotated[int, Field(ge=0, le=1000)] = 6
    """lines that leave each game, in which one side moves at random and the other answers by search: so do most
    positions of a search tree come about"""
    opening_plies: Annotated[int, Field(ge=0, le=100)] = 6
    """random moves before a game"""
    noise: Annotated[int, Field(ge=0, le=WIN_SCORE)] = 10
    """size of the noise on root scores, in hundredths of a pawn"""
    most_plies: Annotated[int, Field(ge=1)] = 400
    """longer games are a draw"""

    @model_validator(mode="after")
    def _has_limit(self) -> Self:
        if not self.depth and not self.nodes:
            raise ValueError("depth and nodes are both 0: name one of them")
        return self

    def selfplay(self, pilot: Pilot, seed: int) -> SelfPlay:
        """The same for the player of games."""
        return SelfPlay(
            pilot,
            Limit(depth=self.depth or None, nodes=self.nodes or None),
            label_depth=self.label_depth,
            side_lines=self.side_lines,
            opening_plies=self.opening_plies,
            noise=self.noise,
            most_plies=self.most_plies,
            seed=seed,
        )

    def play(self, pilot: Pilot, seed: int, numbers: range, workers: Workers) -> list[list[str]]:
        """The games of these numbers, each as the fields of a LabelledGame."""
        selfplay = self.selfplay(pilot, seed)
        firsts = range(numbers.start, numbers.stop, _PART_GAMES)
        parts = [_Part(selfplay, range(first, min(first + _PART_GAMES, numbers.stop))) for first in firsts]
        return [game for games in workers.map(_play_part, parts) for game in games]


@dataclass(frozen=True)
class _Part:
    """Some games of a step."""

    selfplay: SelfPlay
    numbers: range


def _play_part(part: _Part) -> list[list[str]]:
    """Runs in a worker."""
    return [list(played) for played in play_labelled(part.selfplay, part.numbers)]
