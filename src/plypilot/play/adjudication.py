"""When a game ends that the rules would let go on, and who has won it then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from plypilot.game_name import is_python_game
from plypilot.pilot import Pilot

LONGEST_OF_OWN_GAMES = 1000
"""Plies after which a game in Python is a draw, unless a length is asked for: its rules may have no end."""


def usual_adjudication(game: str) -> Adjudication:
    """How games are cut short where nothing is asked for: those in Python by their length, the others not at all."""
    return Adjudication(most_plies=LONGEST_OF_OWN_GAMES if is_python_game(game) else 0)


@dataclass(frozen=True)
class Adjudication:
    """The rules for games that are cut short. All are off unless asked for. Scores are in hundredths of a pawn."""

    most_plies: int = 0
    """Length limit, in plies after the opening; 0: as long as it takes."""
    at_length: Literal["draw", "agreed", "referee"] = "draw"
    """A game at the limit is a draw, or won by the side that both players' evaluations say is ahead (Smith 5.3.4),
    or by the side that the referee's evaluation says is ahead."""
    referee: Pilot | None = None
    """The pilot whose evaluation decides at the limit, if a referee is to decide there."""
    win_score: int = 0
    """Both players see one side ahead by at least this much, ``win_plies`` plies in a row: it has won. 0: off."""
    win_plies: int = 8
    draw_score: int = 10
    """Both see at most this much either way, ``draw_plies`` plies in a row: a draw."""
    draw_plies: int = 0
    """How many plies in a row that takes; 0 means that no draw is agreed."""
    draw_from: int = 80
    """Plies before which no draw is agreed."""

    def __post_init__(self) -> None:
        for name in ("most_plies", "win_score", "win_plies", "draw_score", "draw_plies", "draw_from"):
            if getattr(self, name) < 0:
                raise ValueError(f"adjudication: {name} is {getattr(self, name)}, expected 0 or more")
        if self.at_length == "referee" and self.referee is None:
            raise ValueError("adjudication: at_length is referee, but no referee is named")

    def native(self) -> dict[str, Any]:
        """In the form of core/play/adjudicator.hpp."""
        return vars(self) | {"referee": None if self.referee is None else self.referee.native_evaluation()}
