"""What experiments share that let a pilot with something learned play others: at equal time, at equal nodes, and at
five times that time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orderings
import plypilot as pp
from harness import Figures, Harness, Missing
from plypilot.searcher import Limit

NODES = 8000
EQUAL_TIME, EQUAL_NODES, MORE_TIME = "equal time", "equal nodes", "five times the time"


@dataclass(frozen=True)
class Lengths:
    """How many games are played, and how long their moves take."""

    games: int = 1000
    long_games: int = 200
    milliseconds: float = 20
    lengths: tuple[str, ...] = ("usual", "long")
    """At the usual time and at equal nodes, and at five times that time."""
    nodes: int = NODES
    """Of each move where nodes are equal; 0: no such match."""


def play_lengths(
    made: Harness, what: str, one: pp.Pilot, other: pp.Pilot, lengths: Lengths, seed: int
) -> dict[str, Figures]:
    """The matches of two pilots, from random openings. They take three seeds, from this one on."""
    matches: dict[str, Figures] = {}

    def add(name: str, games: int, limit: Limit, number: int) -> None:
        matches[name] = orderings.play_match(
            made, f"{what}, {name}", one, other, games=games, limits=(limit, limit), seed=seed + number
        )

    if "usual" in lengths.lengths:
        add(EQUAL_TIME, lengths.games, Limit(seconds=lengths.milliseconds / 1000), 0)
        if lengths.nodes:
            add(EQUAL_NODES, lengths.games, Limit(nodes=lengths.nodes), 1)
    if "long" in lengths.lengths:
        add(MORE_TIME, lengths.long_games, Limit(seconds=5 * lengths.milliseconds / 1000), 2)
    return matches


def print_matches(made: Harness, title: str, matches: Mapping[str, Figures]) -> None:
    """A table of matches."""
    rows = [(name, told["games"], f"{told['score']:.1%}", *elo_cells(told)) for name, told in matches.items()]
    made.print_table(title, ("match", "games", "score", "Elo", "95%"), rows)


def elo_cells(told: Figures) -> tuple[str, str]:
    """The Elo of a match and its interval."""
    value, low, high = told["elo"]
    return f"{value:+.0f}", f"{low:+.0f} to {high:+.0f}"


def elo_at_equal_time(matches: Mapping[str, Any]) -> list[float]:
    """The Elo at the usual time, with its interval. Raises Missing."""
    if EQUAL_TIME not in matches:
        raise Missing("not played at this scale")
    elo: list[float] = matches[EQUAL_TIME]["elo"]
    return elo


def gains(elo: list[float], least: float) -> tuple[bool, str]:
    """Whether a gain is at least so large, and for sure one."""
    return elo[0] >= least and elo[1] > 0, tell(elo)


def tell(elo: list[float]) -> str:
    """An Elo with its interval, in a phrase."""
    return f"Elo {elo[0]:+.0f} [{elo[1]:+.0f}, {elo[2]:+.0f}]"
