"""One game with an outside engine or a person: asks for moves, keeps the clocks, and says who has won and why.

Games of pilots alone are played by the core (arena.py). Clocks, adjudication and chance are the core's here too, so
that one schedule gives the same games in both.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from plypilot import _core
from plypilot.data.record import PlayedMove
from plypilot.games import Position, _find, game_info
from plypilot.play.adjudication import Adjudication
from plypilot.play.player import Player, PlayerFault
from plypilot.searcher import Limit


@dataclass(frozen=True)
class Ending:
    """How a game ended."""

    winner: int | None
    """0 the first side, 1 the second, None a draw."""
    cause: str


def play_game(
    players: Sequence[Player],
    limits: Sequence[Limit],
    start: Position,
    *,
    seed: int,
    adjudication: Adjudication,
    first_player: int = 0,
) -> tuple[Ending, tuple[PlayedMove, ...]]:
    """Plays a game from a position; ``players[0]`` and ``limits[0]`` are of the first side.

    ``first_player`` tells, as in a task of an arena, which of two players that swap sides has the first one here:
    chance belongs to the player. One that crashes, stalls, names an illegal move or oversteps its clock loses, with
    the cause in the ending.
    """
    position = start.copy()
    adjudicator = _core.Adjudicator(_find(position.game), adjudication.native())
    clocks = [_Clock(limit) for limit in limits]
    played: list[PlayedMove] = []
    side = position.turn
    try:
        for side in (0, 1):
            players[side].new_game(position.game, _core.player_seed(seed, side ^ first_player))
        while True:
            if (outcome := position.outcome()) is not None:
                return Ending(outcome.winner, outcome.reason), tuple(played)
            if (early := adjudicator.ending(position, lambda side: players[side].judge(position))) is not None:
                return Ending(*early), tuple(played)
            side = position.turn
            asked = time.perf_counter()
            choice = players[side].choose(position, clocks[side].limit_now(), clocks[1 - side].left)
            seconds = time.perf_counter() - asked
            if not position.is_legal(choice.move):
                raise PlayerFault(f'named the illegal move "{choice.move}"')
            clocks[side].spend(choice.nodes, seconds)
            played.append(PlayedMove(str(choice.move), choice.score, choice.depth, choice.nodes, round(seconds, 6)))
            adjudicator.note(side, choice.score)
            position.push(choice.move)
    except PlayerFault as fault:
        return Ending(1 - side, f"{game_info(position.game).sides[side]} {fault}"), tuple(played)


class _Clock:
    """What one side has left of its time, or of its nodes."""

    def __init__(self, limit: Limit) -> None:
        funds = limit.funds()
        self._limit = limit
        self._bank = None if funds is None else _core.Bank(funds)

    @property
    def left(self) -> float | None:
        return None if self._bank is None else self._bank.left

    def limit_now(self) -> Limit:
        if self._bank is None:
            return self._limit
        return replace(self._limit, clock=max(self._bank.left, 1e-3), moves_to_go=self._bank.moves_to_go or None)

    def spend(self, nodes: int, seconds: float) -> None:
        if self._bank is not None and (fault := self._bank.spend(nodes, seconds)) is not None:
            raise PlayerFault(fault)
