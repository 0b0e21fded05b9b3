"""Whole games between pilots, played by the core: native games on several threads at once, each game the same wherever
and beside whatever it is played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from plypilot import _core
from plypilot._core import Decisions, Features
from plypilot.data.record import PlayedMove
from plypilot.games import Position, _find
from plypilot.pilot import Pilot
from plypilot.play.adjudication import Adjudication
from plypilot.searcher import Limit

__all__ = ["Arena", "Decisions", "Features", "Games", "Moves", "Stopped", "Task"]

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
    """The player (0 or 1) who has the first side, such as White in chess."""


class Games(_core.Games):
    """A chunk of games as arrays. The plies of game i are ``starts[i]`` to ``starts[i + 1]``."""

    def played_moves(self, number: int) -> tuple[PlayedMove, ...]:
        """The moves of one game with what was said of them."""
        plies = range(self.starts[number], self.starts[number + 1])
        return tuple(
            PlayedMove(
                text,
                int(self.scores[i]) if self.told[i] else None,
                int(self.depths[i]),
                int(self.nodes[i]),
                round(float(self.seconds[i]), 6),
            )
            for text, i in zip(self.moves[number].split(), plies, strict=True)
        )


class Arena:
    """Two players, or one that plays itself, and the rules they play under. Threads may share it.

    A player is a pilot, or None for one that moves at random. Each game begins with empty tables and depends on its
    task alone, unless a limit counts seconds. A clock is that of a side for a whole game: the pilot's timing decides
    what a move gets of it, and whoever oversteps it loses. With a fixed time a move, what one move oversteps is taken
    off the next, up to a twentieth of it.
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
        early_depth: int = 0,
    ) -> None:
        """Makes ready to play.

        ``fresh`` empties the tables before each move and lets chance, that of random evaluations too, fall anew.
        Without ``ends_by_path`` repetition and counters such as chess's fifty moves end no game, nor do the players
        reckon with them (Smith E.4.2); such games need a length limit. Without ``ends_by_counters`` the same holds of
        counters alone, and repetition still ends games. ``moves`` tells how pilots choose theirs.
        ``noted`` names the position of each ply whose features, of these sets, are kept. With an ``early_depth`` the
        decisions of timing policies are kept, and beside them the score that each search had at that depth.
        """
        if not (ends_by_path and ends_by_counters) and not adjudication.most_plies:
            raise ValueError("games that no repetition or counter ends need a limit: adjudication.most_plies")
        self._limits = [limits] * len(players) if isinstance(limits, Limit) else list(limits)
        self._moves: Moves = moves
        self._native = _core.Play(
            _find(game),
            players=self._native_players(players),
            adjudication=adjudication.native(),
            fresh=fresh,
            ends_by_path=ends_by_path,
            ends_by_counters=ends_by_counters,
            noted=noted,
            sets=list(sets),
            early_depth=early_depth,
        )

    def seat(self, players: Sequence[Pilot | None]) -> None:
        """Other players in the place of those before, under the same rules: as in a new arena, but made more quickly.

        Raises ValueError while games are played.
        """
        if len(players) != len(self._limits):
            raise ValueError(f"seat: {len(players)} players, expected {len(self._limits)} as before")
        self._native.seat(self._native_players(players))

    def play(self, tasks: Sequence[Task]) -> Games:
        """Plays the tasks one after the other. Raises Stopped."""
        figures = self._native.run([(task.start, task.first_player, task.seed) for task in tasks])
        if figures is None:
            raise Stopped
        return Games(figures)

    def _native_players(self, players: Sequence[Pilot | None]) -> list[dict[str, Any] | None]:
        return [_native_player(pilot, limit, self._moves) for pilot, limit in zip(players, self._limits, strict=True)]

    def stop(self) -> None:
        """Ends the games in play, from any thread; ``play`` then raises Stopped, now and later."""
        self._native.stop()


def _native_player(pilot: Pilot | None, limit: Limit, moves: Moves) -> dict[str, Any] | None:
    if pilot is None:
        return None
    return {
        "search": pilot.native_settings(),
        "evaluation": pilot.native_evaluation(),
        "limits": limit.limits(),
        "bank": limit.funds(),
        "timing": pilot.native_timing(),
        "moves": moves,
    }
