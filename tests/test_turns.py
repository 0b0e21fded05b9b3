"""Games in which a player may move again: searched, played, recorded and checked with the player that they tell."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

import plypilot as pp
from dots_and_boxes import LINES, DotsAndBoxes, State
from plypilot.check import check_game
from plypilot.data import read_games, write_game
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Arena, Task
from plypilot.play.players import PilotPlayer
from plypilot.play.umpire import play_game
from plypilot.score import WIN_SCORE
from plypilot.searcher import Limit, Searcher

GAME = "dots_and_boxes:DotsAndBoxes"
EVALUATION = pp.Evaluation.linear(GAME, {"features": {"boxes": 100.0, "boxes_to_take": 60.0}})


def positions(count: int, most_left: int = len(LINES)) -> list[pp.Position]:
    """Of games of chance, with at most so many lines left to draw."""
    rng = random.Random(7)
    chosen = []
    for _ in range(count):
        position = pp.Position(GAME)
        for _ in range(rng.randrange(len(LINES) - most_left, len(LINES))):
            position.push(rng.choice(position.moves()))
        chosen.append(position)
    return chosen


def minimax(position: pp.Position, depth: int, evaluate: Searcher, ply: int = 0, *, alternates: bool = False) -> int:
    """The value for the player to move. Its sign changes where the turn passes, or with each move if so assumed."""
    if (outcome := position.outcome()) is not None:
        if outcome.winner is None:
            return 0
        return WIN_SCORE - ply if outcome.winner == position.turn else ply - WIN_SCORE
    if depth == 0:
        return evaluate.evaluate(position)
    player, values = position.turn, []
    for move in position.moves():
        position.push(move)
        value = minimax(position, depth - 1, evaluate, ply + 1, alternates=alternates)
        values.append(value if position.turn == player and not alternates else -value)
        position.pop()
    return max(values)


@pytest.fixture(scope="module")
def valued() -> list[tuple[pp.Position, int, int]]:
    """Positions, a depth, and the value that minimax finds."""
    evaluate = Searcher(pp.Pilot(game=GAME, evaluation=EVALUATION))
    cases = [(position, depth) for position in positions(60, most_left=11) for depth in (1, 2, 3)]
    values = [(position, depth, minimax(position, depth, evaluate)) for position, depth in cases]
    misjudged = sum(
        minimax(position, depth, evaluate, alternates=True) != value for position, depth, value in values if depth < 3
    )
    assert misjudged > 30, "who assumes that turns alternate must be wrong"
    return values


FRAMES: dict[str, dict[str, Any]] = {
    "alpha-beta": {},
    "principal variation": {"search.window.kind": "pvs", "ordering.killers": 2, "ordering.history": True},
    "MTD(f)": {"search.window.kind": "mtdf", "search.table.log2_entries": 14, "ordering.table_move": True},
    "quiescence": {"search.quiescence.on": True},
}


@pytest.mark.parametrize("changes", FRAMES.values(), ids=FRAMES)
def test_search_equals_minimax_where_a_player_moves_again(
    changes: dict[str, Any], valued: list[tuple[pp.Position, int, int]]
) -> None:
    pilot = pp.Pilot(game=GAME, evaluation=EVALUATION).replace({"search.table.exact": True} | changes)
    searcher = Searcher(pilot)
    for position, depth, value in valued:
        searcher.clear()
        assert searcher.search(position, Limit(depth=depth)).score == value


def test_the_end_of_a_game_is_searched_out_exactly() -> None:
    searcher = Searcher(pp.Pilot.plain(GAME))
    kept = 0
    for position in positions(40, most_left=5):
        left = len(position.moves())
        searcher.clear()
        result = searcher.search(position, Limit(depth=left))
        assert result.score == minimax(position, left, searcher)
        turns = [position.turn]
        for move in result.pv:
            position.push(move)
            turns.append(position.turn)
        kept += sum(before == after for before, after in pairwise(turns))
    assert kept > 20, "players must move again in these lines"


def test_both_game_loops_give_the_turn_to_the_player_that_the_game_names() -> None:
    pilot = pp.Pilot(game=GAME, evaluation=EVALUATION)
    start, limit = pp.Position(GAME), Limit(depth=2)
    games = Arena(GAME, [pilot, pilot.replace({"ordering.shuffle": True})], limit).play([Task(start, 5)])
    _, moves = play_game(
        [PilotPlayer(pilot), PilotPlayer(pilot.replace({"ordering.shuffle": True}))],
        [limit, limit],
        start,
        seed=5,
        adjudication=Adjudication(),
    )
    assert [move.text for move in moves] == games.moves[0].split()
    assert len(moves) == len(LINES)


def test_what_each_player_spent_is_counted_by_who_moved() -> None:
    outcome = pp.match("plain", "random", GAME, games=2, limit=Limit(depth=2), keep_games=True)
    for game in outcome.games:
        for seat in (0, 1):
            spent = [move.nodes for move in game.moves_of(seat)]
            assert all(spent) if seat == 0 else not any(spent)
    assert sum(effort.moves for effort in outcome.standing.effort) == sum(len(game.moves) for game in outcome.games)


@pytest.mark.parametrize("kind", ["pgn", "sgf", "json"])
def test_records_of_such_games_come_back(kind: Any) -> None:
    game = pp.match("plain", "random", GAME, games=2, limit=Limit(depth=1), keep_games=True).games[0]
    (record,) = read_games(write_game(game, kind), kind, GAME)
    assert record.moves == game.texts


# The checker


class Silent(DotsAndBoxes):
    """Lets a player move again without saying so."""

    turns_alternate = True


class Strict(DotsAndBoxes):
    """Says that a player may move again, but passes the turn each time."""

    def play(self, state: State, move: int) -> State:
        """Pass the turn whatever was completed."""
        return super().play(state, move)._replace(player=1 - state.player)


class Mute(DotsAndBoxes):
    """Says that turns need not alternate, but not whose they are."""

    player = pp.Game.player


def test_the_checker_accepts_a_game_that_says_that_a_player_may_move_again() -> None:
    assert check_game(GAME, games=5) == []


def test_the_checker_tells_how_to_mend_turns() -> None:
    (failure,) = check_game(Silent, games=2)
    assert failure.rule == "turns"
    assert "it is still the turn of first: say turns_alternate = False in the class" in failure.text
    (failure,) = check_game(Strict, games=2)
    assert failure.rule == "turns"
    assert "every move of 2 random games passed the turn: leave it out, or mend player()" in failure.text
    with pytest.raises(pp.UnknownGame, match=r"game Mute: turns need not alternate, so it needs player\(state\)"):
        pp.Position(Mute)
