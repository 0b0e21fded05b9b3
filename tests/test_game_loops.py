"""The core's game loop and the umpire's: one schedule gives the same games in both, with clocks and adjudication."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import plypilot as pp
from plypilot.data.record import PlayedMove
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Arena, Games, Task
from plypilot.play.player import Player
from plypilot.play.players import PilotPlayer, RandomPlayer
from plypilot.play.umpire import play_game
from plypilot.searcher import Limit

Told = tuple[int | None, str, list[tuple[str, int | None, int, int]]]


def told(winner: int | None, cause: str, moves: Sequence[PlayedMove]) -> Told:
    """A game but for its times."""
    return winner, cause, [(move.text, move.score, move.depth, move.nodes) for move in moves]


def of_arena(games: Games) -> list[Told]:
    return [
        told(games.winners[number], games.causes[number], games.played_moves(number)) for number in range(len(games))
    ]


def under_umpire(
    pilots: Sequence[pp.Pilot | None], limits: Sequence[Limit], tasks: Sequence[Task], rule: Adjudication
) -> list[Told]:
    players: list[Player] = [RandomPlayer() if pilot is None else PilotPlayer(pilot) for pilot in pilots]
    games = []
    for task in tasks:
        sides = [task.first_player, 1 - task.first_player]
        ending, moves = play_game(
            [players[i] for i in sides],
            [limits[i] for i in sides],
            task.start,
            seed=task.seed,
            adjudication=rule,
            first_player=task.first_player,
        )
        games.append(told(ending.winner, ending.cause, moves))
    return games


def pilot(game: str, name: str = "baseline") -> pp.Pilot:
    """One whose table is as small as an arena makes it, that leaves something to chance, and that takes a fixed share
    of its clock, so that what it should spend is known.
    """
    made = pp.Pilot.baseline(game) if name == "baseline" else pp.Pilot.plain(game)
    changes = {"search.table.log2_entries": 14, "search.root.random_ties": True}
    return made.replace(changes).model_copy(update={"timing": pp.Timing()})


RULES: dict[str, dict[str, Any]] = {
    "scores": {"most_plies": 60, "win_score": 150, "win_plies": 4, "draw_score": 20, "draw_plies": 6, "draw_from": 10},
    "one ply": {"most_plies": 60, "win_score": 100, "win_plies": 1},
    "draw at length": {"most_plies": 12},
    "agreed at length": {"most_plies": 12, "at_length": "agreed"},
    "referee at length": {"most_plies": 12, "at_length": "referee"},
}


def adjudication(rule: str, game: str) -> Adjudication:
    return Adjudication(**RULES[rule], referee=pilot(game) if "referee" in rule else None)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("game", ["chess", "loa", "breakthrough-5x5", "connect_four:ConnectFour"])
def test_arena_and_umpire_give_the_same_games_on_one_schedule(game: str, rule: str) -> None:
    plain, baseline = pilot(game, "plain"), pilot(game)
    judged = adjudication(rule, game)
    tasks = [Task(pp.Position(game), seed, seed % 2) for seed in range(4)]
    for pilots in ([baseline, plain], [baseline, baseline], [baseline, None], [None, None]):
        for limits in ([Limit(nodes=150), Limit(depth=2)], [Limit(clock=900, increment=30, unit="nodes")] * 2):
            played = Arena(game, pilots, limits, adjudication=judged).play(tasks)
            assert of_arena(played) == under_umpire(pilots, limits, tasks, judged)


def test_the_rules_of_that_schedule_end_games() -> None:
    causes = set()
    for rule in RULES:
        for pilots in ([pilot("chess"), pilot("chess", "plain")], [pilot("chess"), pilot("chess")]):
            tasks = [Task(pp.Position("chess"), seed, seed % 2) for seed in range(4)]
            causes |= set(
                Arena("chess", pilots, Limit(nodes=150), adjudication=adjudication(rule, "chess")).play(tasks).causes
            )
    assert {"agreed score", "length limit", "ahead at the length limit"} <= causes


def test_a_random_mover_agrees_to_nothing() -> None:
    start = pp.Position("chess", "4k3/8/8/8/8/8/PPP5/QQ2K3 w - - 0 1")
    material = pp.Pilot.plain("chess", "material")
    won = Adjudication(most_plies=20, win_score=500, win_plies=4)
    level = Adjudication(most_plies=20, draw_score=10_000, draw_plies=4, draw_from=0)
    agreed = Adjudication(most_plies=20, at_length="agreed")
    for rule in (won, level, agreed):
        for noted in ("nothing", "game"):
            arena = Arena("chess", [material, None], Limit(depth=1), adjudication=rule, noted=noted)  # type: ignore[arg-type]
            games = arena.play([Task(start, seed) for seed in range(5)])
            assert not {"agreed score", "agreed draw", "ahead at the length limit"} & set(games.causes)
            assert [move.score is None for move in games.played_moves(0)][:4] == [False, True, False, True]


# Clocks


def test_games_by_a_clock_of_nodes_depend_on_their_tasks_alone() -> None:
    limit = Limit(clock=3000, increment=100, unit="nodes")
    tasks = [Task(pp.Position("loa"), seed, seed % 2) for seed in range(4)]
    rule = Adjudication(most_plies=60)
    played = [
        of_arena(Arena("loa", [pilot("loa"), pilot("loa", "plain")], limit, adjudication=rule).play(tasks))
        for _ in range(2)
    ]
    assert played[0] == played[1]
    for _, _, moves in played[0]:
        left = [3000.0, 3000.0]
        for ply, (_, _, _, nodes) in enumerate(moves):
            assert nodes == int(min(left[ply % 2] / 30 + 75, left[ply % 2]))
            left[ply % 2] += 100 - nodes


def test_both_sides_of_a_pilot_that_plays_itself_have_clocks_of_their_own() -> None:
    limit = Limit(clock=3000, unit="nodes")
    rule = Adjudication(most_plies=6)
    nodes = Arena("chess", [pilot("chess")], limit, adjudication=rule).play([Task(pp.Position("chess"), 0)]).nodes
    assert nodes.tolist() == [100, 100, 96, 96, 93, 93]


def test_a_clock_is_filled_anew_after_its_moves() -> None:
    limit = Limit(clock=100, moves_to_go=2, unit="nodes")
    rule = Adjudication(most_plies=10)
    nodes = Arena("chess", [pilot("chess")], limit, adjudication=rule).play([Task(pp.Position("chess"), 0)]).nodes
    assert nodes.tolist() == [50, 50, 50, 50] * 2 + [50, 50]


def test_byoyomi_is_there_for_each_move_when_all_else_is_spent() -> None:
    limit = Limit(clock=10, byoyomi=40, unit="nodes")
    greedy = pilot("chess").replace({"timing.moves_to_go": 1})
    rule = Adjudication(most_plies=6)
    games = Arena("chess", [greedy], limit, adjudication=rule).play([Task(pp.Position("chess"), 0)])
    assert games.nodes.tolist() == [50, 50, 40, 40, 40, 40]
    assert games.causes == ["length limit"]


def test_whoever_oversteps_the_clock_loses_in_both_loops() -> None:
    # One node is the least that a search spends: when less is left, the clock is overstepped.
    limits = [Limit(clock=5, unit="nodes"), Limit(nodes=100)]
    pilots = [pilot("chess"), pilot("chess")]
    tasks = [Task(pp.Position("chess"), 0, first_player) for first_player in (0, 1)]
    games = of_arena(Arena("chess", pilots, limits).play(tasks))
    assert games == under_umpire(pilots, limits, tasks, Adjudication())
    assert [(winner, cause) for winner, cause, _ in games] == [
        (1, "White overstepped the clock by 1.000 nodes"),
        (0, "Black overstepped the clock by 1.000 nodes"),
    ]
    assert [len(moves) for _, _, moves in games] == [10, 11]


def test_a_clock_of_seconds_is_kept_to_and_lost_on() -> None:
    careful = pilot("loa").replace({"timing.margin_ms": 5})
    games = Arena("loa", [careful], Limit(clock=0.4, increment=0.01)).play([Task(pp.Position("loa"), 0)])
    assert "clock" not in games.causes[0]
    for side in (0, 1):
        spent = games.seconds[side::2]
        assert spent.sum() <= 0.4 + 0.01 * len(spent)
    # A whole iteration of a search that takes no notice of the time: the stop is asked for at 32 nodes at the earliest.
    hasty = pilot("loa").replace({"timing.margin_ms": 0, "timing.moves_to_go": 1})
    games = Arena("loa", [hasty, None], Limit(clock=1e-6)).play([Task(pp.Position("loa"), 0)])
    assert games.winners == [1]
    assert games.causes[0].startswith("Black overstepped the clock by 0.0")
