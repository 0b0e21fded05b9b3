"""How what was learned is best used: ways of use play each other.

Neither the size of a search tree nor how often a short search finds the move of a long one tells which way plays
better: what is learned decides what is searched at all.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from plypilot.compute import Workers, task_seed
from plypilot.learn.judging_games import play_pairs
from plypilot.pilot import Pilot
from plypilot.play.ratings import Sprt
from plypilot.settings import Part

_STREAM = int.from_bytes(b"trials", "little")


class Trials(Part):
    """How ways of use that are not set are tried against each other, in pairs of games at equal nodes."""

    games: Annotated[int, Field(ge=0, le=100_000, multiple_of=2)] = 300
    """the most of one trial, which ends as soon as it is decided; 0: nothing is tried, and the usual way is taken"""
    nodes: Annotated[int, Field(ge=1)] = 3000
    """of each move of a pilot that asks no network; one that does gets fewer, by the time that this takes"""
    bank: Annotated[float, Field(ge=0, le=10_000)] = 0.0
    """so many times these nodes are in a bank at the start, to which each move adds them; 0: no move can save any"""
    opening_plies: Annotated[int, Field(ge=0, le=100)] = 6
    """random moves before a game"""
    cost: Annotated[float, Field(ge=0, le=1000)] = 0.0
    """Elo that a way must be better by; the time that asking a network takes is charged already"""
    gain: Annotated[float, Field(gt=0, le=1000)] = 50.0
    """Elo that the test tells from that cost"""
    most_plies: Annotated[int, Field(ge=1)] = 400
    """longer games are a draw"""


def play_trial(
    tried: Pilot, best: Pilot, rules: Trials, seed: int, number: int, workers: Workers
) -> tuple[tuple[int, ...], bool]:
    """Lets a pilot play the best one so far: pairs of games by its points (0, 1/2, 1, 3/2, 2), and if it is better.

    The openings follow from the seed and the number of the trial.
    """
    sprt = Sprt(rules.cost, rules.cost + rules.gain)
    pairs = play_pairs(
        tried,
        best,
        games=rules.games,
        nodes=rules.nodes,
        bank=rules.bank,
        seed=task_seed(seed ^ _STREAM, number),
        opening_plies=rules.opening_plies,
        most_plies=rules.most_plies,
        sprt=sprt,
        workers=workers,
    )
    return pairs.counts, sprt.verdict(pairs) == "H1"
