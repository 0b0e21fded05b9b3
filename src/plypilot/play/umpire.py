"""One game between any two players: asks for moves, keeps the clocks, and says who has won and why."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from plypilot.compute import task_seed
from plypilot.data.record import PlayedMove
from plypilot.games import Position, game_info
from plypilot.play.adjudication import Adjudication
from plypilot.play.player import Choice, Player, PlayerFault
from plypilot.searcher import Limit, Searcher


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
) -> tuple[Ending, tuple[PlayedMove, ...]]:
    """Plays a game from a position; ``players[0]`` and ``limits[0]`` are of the first side.

    A player that crashes, stalls, names an illegal move or oversteps its clock loses, with the cause in the ending.
    """
    position = start.copy()
    judge = _Judge(adjudication)
    clocks = [_Clock(limit, limit.clock) for limit in limits]
    played: list[PlayedMove] = []
    side = position.turn
    try:
        for side in (0, 1):
            players[side].new_game(position.game, task_seed(seed, side))
        while True:
            if (outcome := position.outcome()) is not None:
                return Ending(outcome.winner, outcome.reason), tuple(played)
            if (early := judge.ending(position, len(played))) is not None:
                return early, tuple(played)
            side = position.turn
            asked = time.perf_counter()
            choice = players[side].choose(position, clocks[side].limit_now(), clocks[1 - side].left)
            seconds = time.perf_counter() - asked
            if not position.is_legal(choice.move):
                raise PlayerFault(f'named the illegal move "{choice.move}"')
            clocks[side].spend(seconds, choice.nodes)
            played.append(PlayedMove(str(choice.move), choice.score, choice.depth, choice.nodes, round(seconds, 6)))
            judge.note(side, choice)
            position.push(choice.move)
    except PlayerFault as fault:
        return Ending(1 - side, f"{game_info(position.game).sides[side]} {fault}"), tuple(played)


@dataclass
class _Clock:
    """What one side has left of its time, or of its nodes."""

    limit: Limit
    left: float | None

    def limit_now(self) -> Limit:
        return self.limit if self.left is None else replace(self.limit, clock=max(self.left, 1e-3))

    def spend(self, seconds: float, nodes: int) -> None:
        if self.left is None:
            return
        unit = self.limit.unit
        self.left -= nodes if unit == "nodes" else seconds
        if self.left < 0:
            raise PlayerFault(f"overstepped the clock by {-self.left:.3f} {unit}")
        self.left += self.limit.increment


class _Judge:
    """Ends games by adjudication, from the scores that the players tell."""

    def __init__(self, rule: Adjudication) -> None:
        self._rule = rule
        self._referee = Searcher(rule.referee) if rule.referee and rule.at_length == "referee" else None
        self._scores: list[int | None] = [None, None]
        """The last that each side said, from the first side's view."""
        self._ahead = [0, 0]
        """Plies in a row that were judged won for each side."""
        self._level = 0

    def note(self, side: int, choice: Choice) -> None:
        score = None if choice.score is None else choice.score if side == 0 else -choice.score
        self._scores[side] = score
        for each, sign in enumerate((1, -1)):
            wins = score is not None and self._rule.win_score > 0 and sign * score >= self._rule.win_score
            self._ahead[each] = self._ahead[each] + 1 if wins else 0
        self._level = self._level + 1 if score is not None and abs(score) <= self._rule.draw_score else 0

    def ending(self, position: Position, plies: int) -> Ending | None:
        rule = self._rule
        for side in (0, 1):
            if 0 < rule.win_plies <= self._ahead[side]:
                return Ending(side, "agreed score")
        if plies >= rule.draw_from and 0 < rule.draw_plies <= self._level:
            return Ending(None, "agreed draw")
        if not rule.most_plies or plies < rule.most_plies:
            return None
        leader = self._leader(position)
        return Ending(leader, "length limit" if leader is None else "ahead at the length limit")

    def _leader(self, position: Position) -> int | None:
        """Who is ahead by the rule for long games. Outside engines have no evaluation to ask: the last scores count."""
        if self._referee is not None:
            score = self._referee.evaluate(position)
            return None if score == 0 else position.turn if score > 0 else 1 - position.turn
        if self._rule.at_length == "agreed":
            for side, sign in enumerate((1, -1)):
                if all(score is not None and sign * score > 0 for score in self._scores):
                    return side
        return None
