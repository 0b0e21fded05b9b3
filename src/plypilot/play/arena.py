"""Whole games between pilots, played by the core: native games on several threads at once, each game the same wherever
and beside whatever it is played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from plypilot import _core
from plypilot.data.record import PlayedMove
from plypilot.games import Position, _find
from plypilot.pilot import Pilot
from plypilot.play.adjudication import Adjudication
from plypilot.searcher import Limit

_NO_ADJUDICATION = Adjudication()

Moves = Literal["searched", "quiesced", "random"]
"""How moves are chosen: by search; by quiescence search alone, with chance where it finds nothing better than to stand
still; or by chance."""


class Stopped(Exception):
    """Games were ended from outside before their end."""


@dataclass(frozen=True)
class Task:
    """One game to play."""

    start: Position
    """After the opening."""
    seed: int
    """Decides all that is left to chance in this game."""
    first_player: int = 0
    """Which of the two players moves first in the game of chess's sense: has the first side."""


@dataclass(frozen=True)
class Features:
    """What learners read of each ply: the features of one position, from the view of the side to move there.

    Ply i has the values ``values[starts[i]:starts[i + 1]]`` of the features ``indices[starts[i]:starts[i + 1]]``, which
    count through all sets asked for.
    """

    sides: NDArray[np.uint8]
    """(plies,) who is to move in the noted position: 0 the first side, 1 the second."""
    scores: NDArray[np.int32]
    """(plies,) the static score of the noted position, from the view of the side to move there; 0 of random movers."""
    ended: NDArray[np.uint8]
    """(plies,) 1 where the noted position ends the game."""
    exact: NDArray[np.uint8]
    """(plies,) 1 where its static score is the score of the search: the position that was judged. A principal variation
    that was cut short by the table mostly ends elsewhere."""
    starts: NDArray[np.int64]
    """(plies + 1,)"""
    indices: NDArray[np.int32]
    values: NDArray[np.float32]


@dataclass(frozen=True)
class Games:
    """A chunk of games as arrays. The plies of game i are ``starts[i]`` to ``starts[i + 1]``."""

    winners: list[int | None]
    """0 the first side, 1 the second, None a draw."""
    causes: list[str]
    turns: list[int]
    """The side that moved first in each game, after its opening."""
    moves: list[str]
    """The moves of each game after its opening, with spaces between."""
    starts: NDArray[np.int64]
    """(games + 1,)"""
    scores: NDArray[np.int32]
    """(plies,) from the mover's view."""
    depths: NDArray[np.int32]
    nodes: NDArray[np.int64]
    seconds: NDArray[np.float32]
    features: Features | None = field(default=None)

    def __len__(self) -> int:
        return len(self.winners)

    def played_moves(self, number: int) -> tuple[PlayedMove, ...]:
        """The moves of one game with what was said of them."""
        plies = range(self.starts[number], self.starts[number + 1])
        return tuple(
            PlayedMove(
                text, int(self.scores[i]), int(self.depths[i]), int(self.nodes[i]), round(float(self.seconds[i]), 6)
            )
            for text, i in zip(self.moves[number].split(), plies, strict=True)
        )


class Arena:
    """Two players, or one that plays itself, and the rules they play under. Threads may share it.

    A player is a pilot, or None for one that moves at random. Each game begins with empty tables and depends on its
    task alone.
    """

    def __init__(
        self,
        game: str,
        players: Sequence[Pilot | None],
        limits: Sequence[Limit] | Limit,
        *,
        adjudication: Adjudication = _NO_ADJUDICATION,
        fresh: bool = False,
        ends_by_path: bool = True,
        ends_by_counters: bool = True,
        moves: Moves = "searched",
        noted: Literal["nothing", "game", "principal"] = "nothing",
        sets: Sequence[str] = (),
    ) -> None:
        """Makes ready to play.

        ``fresh`` empties the tables before each move and lets chance, that of random evaluations too, fall anew.
        Without ``ends_by_path`` repetition and counters such as chess's fifty moves end no game, nor do the players
        reckon with them (Smith E.4.2); such games need a length limit. Without ``ends_by_counters`` the same holds of
        counters alone, and repetition still ends games. ``moves`` tells how pilots choose theirs.
        ``noted`` names the position of each ply whose features, of these sets, are kept.
        """
        if not (ends_by_path and ends_by_counters) and not adjudication.most_plies:
            raise ValueError("games that no repetition or counter ends need a limit: adjudication.most_plies")
        each_limit = [limits] * len(players) if isinstance(limits, Limit) else list(limits)
        self._native = _core.Play(
            _find(game),
            players=[_native_player(pilot, limit, moves) for pilot, limit in zip(players, each_limit, strict=True)],
            adjudication=adjudication.native(),
            fresh=fresh,
            ends_by_path=ends_by_path,
            ends_by_counters=ends_by_counters,
            noted=noted,
            sets=list(sets),
        )

    def play(self, tasks: Sequence[Task]) -> Games:
        """Plays the tasks one after the other. Raises Stopped."""
        found = self._native.run([(task.start, task.first_player, task.seed) for task in tasks])
        if found is None:
            raise Stopped
        noted = None
        if "sides" in found:
            noted = Features(
                *(found.pop(name) for name in ("sides", "noted_scores", "ended", "exact")),
                *(found.pop(f"feature_{name}") for name in ("starts", "indices", "values")),
            )
        return Games(turns=[task.start.turn for task in tasks], **found, features=noted)

    def stop(self) -> None:
        """Ends the games in play, from any thread; ``play`` then raises Stopped, now and later."""
        self._native.stop()


def can_play(limit: Limit) -> bool:
    """Whether an arena can keep to a limit: one that is the same for each move."""
    return limit.clock is None


def _native_player(pilot: Pilot | None, limit: Limit, moves: Moves) -> dict[str, Any] | None:
    if pilot is None:
        return None
    if not can_play(limit):
        raise ValueError("limit: an arena plays by depth, nodes or seconds a move, not by a clock")
    return {
        "settings": pilot.native_settings(),
        "evaluation": pilot.native_evaluation(),
        "limits": {"depth": limit.depth or 0, "nodes": limit.nodes or 0, "seconds": limit.seconds or 0.0},
        "moves": moves,
    }
