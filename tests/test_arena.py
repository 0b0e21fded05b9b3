import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

import numpy as np
import pytest

import plypilot as pp
from plypilot.data import Record
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Arena, Games, Stopped, Task
from plypilot.searcher import Limit, Searcher

GAMES = ["breakthrough-5x5", "chess", "loa", "shogi", "connect_four:ConnectFour"]
SHORT = Adjudication(most_plies=30)


def tasks(game: str, count: int, seed: int = 0) -> list[Task]:
    return [Task(pp.Position(game), seed + number, number % 2) for number in range(count)]


def variable(game: str) -> pp.Pilot:
    return pp.Pilot.plain(game).replace({"search.root.random_ties": True})


def summary(games: Games) -> list[list[Any]]:
    return [games.winners, games.causes, games.moves, games.scores.tolist(), games.nodes.tolist()]


@pytest.mark.parametrize("game", GAMES)
def test_games_are_legal_to_their_end(game: str) -> None:
    found = Arena(game, [variable(game), None], Limit(depth=1), adjudication=SHORT).play(tasks(game, 6))
    assert len(found) == 6
    for number in range(6):
        end = Record(game, tuple(found.moves[number].split())).replay()
        assert len(found.played_moves(number)) == end.ply
        outcome = end.outcome()
        if outcome is None:
            assert (end.ply, found.causes[number], found.winners[number]) == (30, "length limit", None)
        else:
            assert (found.winners[number], found.causes[number]) == (outcome.winner, outcome.reason)


@pytest.mark.parametrize("game", ["breakthrough-5x5", "loa"])
def test_a_game_depends_on_its_task_alone(game: str) -> None:
    moody = pp.Pilot.baseline(game).replace({"evaluation.random_size": 20, "ordering.shuffle": True})

    def new_arena() -> Arena:
        return Arena(game, [variable(game), moody], Limit(nodes=300), adjudication=SHORT)

    todo = tasks(game, 8)
    alone = [summary(new_arena().play([task])) for task in todo]
    arena = new_arena()
    together = arena.play(todo)
    with ThreadPoolExecutor(3) as pool:
        apart = list(pool.map(lambda task: summary(arena.play([task])), reversed(todo)))[::-1]
    assert apart == alone
    assert summary(together) == [list(chain(*parts)) for parts in zip(*alone, strict=True)]
    assert len(set(together.moves)) > 1, "seeds must tell games apart"


def test_chance_falls_anew_at_each_move_where_it_is_asked_to() -> None:
    # Two rooks on an empty board: a random evaluation that is one function for the game has its favourite squares.
    pilot = pp.Pilot.plain("chess").replace({"evaluation.kind": "random", "evaluation.random_size": 1000})
    rule = Adjudication(most_plies=200)
    start = pp.Position("chess", "7k/1r6/8/8/8/8/6R1/K7 w - - 0 1")
    positions = {}
    for fresh in (False, True):
        arena = Arena("chess", [pilot], Limit(depth=1), adjudication=rule, fresh=fresh, ends_by_path=False)
        moves = arena.play([Task(start, 1)]).moves[0]
        assert moves == arena.play([Task(start, 2), Task(start, 1)]).moves[1], "the task alone decides"
        positions[fresh] = len(set(moves.split()))
    assert positions[True] > 2 * positions[False]


def test_players_have_the_sides_that_the_task_says() -> None:
    # Seeing four plies ahead against chance: whoever searches wins.
    arena = Arena("breakthrough-5x5", [pp.Pilot.plain("breakthrough-5x5"), None], Limit(depth=5))
    todo = tasks("breakthrough-5x5", 10)
    assert arena.play(todo).winners == [task.first_player for task in todo]


def test_a_pilot_that_plays_itself_moves_for_both_sides() -> None:
    found = Arena("loa", [variable("loa")], Limit(depth=2), adjudication=SHORT).play(tasks("loa", 2))
    assert (found.depths == 2).all()


def test_moves_and_scores_are_those_of_a_search() -> None:
    pilot = pp.Pilot.plain("chess", "material").replace({"search.quiescence.on": True})
    found = Arena("chess", [pilot], Limit(depth=2), adjudication=SHORT).play([Task(pp.Position("chess"), 0)])
    position = pp.Position("chess")
    for move in found.played_moves(0):
        result = Searcher(pilot).search(position, Limit(depth=2))
        assert (str(result.move), result.score, result.nodes.all) == (move.text, move.score, move.nodes)
        position.push(move.text)


def test_principal_positions_have_the_value_of_the_search() -> None:
    pilot = pp.Pilot.plain("chess", "material").replace({"search.quiescence.on": True, "search.root.random_ties": True})
    arena = Arena("chess", [pilot], Limit(depth=2), adjudication=SHORT, noted="principal", sets=["material"])
    found = arena.play(tasks("chess", 6))
    noted = found.features
    assert noted is not None
    weights = pilot.evaluation.weights["material"]
    exact = 0
    for game in range(6):
        for at, i in enumerate(range(found.starts[game], found.starts[game + 1])):
            span = slice(noted.starts[i], noted.starts[i + 1])
            value = float(weights[noted.indices[span]] @ noted.values[span])
            mover = at % 2
            if noted.exact[i]:
                assert found.scores[i] == (value if noted.sides[i] == mover else -value)
                exact += 1
            else:
                assert noted.ended[i]
    assert exact > 150


def test_game_positions_can_be_noted_instead() -> None:
    arena = Arena("loa", [None], Limit(depth=1), adjudication=SHORT, noted="game", sets=["mia"])
    found = arena.play(tasks("loa", 2))
    noted = found.features
    assert noted is not None
    position = pp.Position("loa")
    for i, move in enumerate(found.moves[0].split()):
        span = slice(noted.starts[i], noted.starts[i + 1])
        dense = np.zeros(len(position.feature_values("mia")), np.float32)
        dense[noted.indices[span]] = noted.values[span]
        assert np.array_equal(dense, position.feature_values("mia"))
        position.push(move)


def test_long_games_are_judged_by_both_evaluations_or_by_a_referee() -> None:
    start = pp.Position("chess", "4k3/8/8/8/8/8/PPP5/4K3 w - - 0 1")
    material, nothing = pp.Pilot.plain("chess", "material"), pp.Pilot.plain("chess")
    against = material.replace({})
    weights = {"material": {name: -value for name, value in material.evaluation.named("chess")["material"].items()}}
    against = pp.Pilot(game="chess", evaluation=pp.Evaluation.linear("chess", weights))

    def winner(players: list[pp.Pilot], rule: Adjudication) -> tuple[int | None, str]:
        found = Arena("chess", players, Limit(depth=1), adjudication=rule).play([Task(start, 0)])
        return found.winners[0], found.causes[0]

    agreed = Adjudication(most_plies=2, at_length="agreed")
    assert winner([material, material], agreed) == (0, "ahead at the length limit")
    assert winner([material, against], agreed) == (None, "length limit")
    assert winner([material, nothing], agreed) == (None, "length limit")
    refereed = Adjudication(most_plies=2, at_length="referee", referee=material)
    assert winner([nothing, nothing], refereed) == (0, "ahead at the length limit")
    with pytest.raises(ValueError, match="no referee is named"):
        Adjudication(at_length="referee")


def test_agreed_scores_end_a_game() -> None:
    material = pp.Pilot.plain("chess", "material")
    won = pp.Position("chess", "4k3/8/8/8/8/8/PPP5/QQ2K3 w - - 0 1")
    rule = Adjudication(win_score=500, win_plies=4)
    found = Arena("chess", [material], Limit(depth=1), adjudication=rule).play([Task(won, 0)])
    assert (found.winners, found.causes, len(found.scores)) == ([0], ["agreed score"], 4)
    level = Adjudication(draw_score=10, draw_plies=6, draw_from=10)
    nothing = pp.Pilot.plain("chess")
    found = Arena("chess", [nothing], Limit(depth=1), adjudication=level).play([Task(pp.Position("chess"), 0)])
    assert (found.winners, found.causes, len(found.scores)) == ([None], ["agreed draw"], 10)


@pytest.mark.parametrize(
    ("game", "fen", "cause"),
    [
        ("chess", "7k/8/8/8/8/8/8/R6K w - - 0 1", "threefold repetition"),
        ("loa", None, "third repetition"),
        ("shogi", "4k4/9/9/9/9/9/9/9/4K4 b - 1", "fourfold repetition"),
    ],
)
def test_games_go_on_after_repetition_where_they_are_asked_to(game: str, fen: str | None, cause: str) -> None:
    # Without a reason to choose the first move in the list is played, there and back again.
    def play(ends_by_path: bool) -> tuple[str, int]:
        arena = Arena(
            game, [pilot], Limit(depth=1), adjudication=Adjudication(most_plies=60), ends_by_path=ends_by_path
        )
        found = arena.play([Task(pp.Position(game, fen), 0)])
        return found.causes[0], len(found.scores)

    pilot = pp.Pilot.plain(game)
    ended, plies = play(True)
    assert ended == cause and plies < 60
    assert play(False) == ("length limit", 60)
    with pytest.raises(ValueError, match="need a limit"):
        Arena(game, [pilot], Limit(depth=1), ends_by_path=False)


def test_players_do_not_reckon_with_ends_that_do_not_count() -> None:
    rook_up = pp.Position("chess", "7k/8/8/8/8/8/8/R6K w - - 99 80")
    arena = {
        counts: Arena(
            "chess",
            [pp.Pilot.plain("chess", "material")],
            Limit(depth=2),
            adjudication=Adjudication(most_plies=3),
            ends_by_path=counts,
        ).play([Task(rook_up, 0)])
        for counts in (True, False)
    }
    assert (arena[True].causes, arena[True].scores.tolist()) == (["fifty moves"], [0])
    assert (arena[False].causes, arena[False].scores.tolist()) == (["length limit"], [500, -500, 500])


def test_dead_positions_end_games_whatever_the_path() -> None:
    arena = Arena("chess", [None], Limit(depth=1), adjudication=Adjudication(most_plies=3), ends_by_path=False)
    kings = Task(pp.Position("chess", "7k/8/8/8/8/8/8/7K w - - 0 1"), 0)
    assert arena.play([kings]).causes == ["dead position"]


@pytest.mark.parametrize("game", ["breakthrough-5x5", "chess", "connect_four:ConnectFour"])
def test_players_who_take_the_seats_of_others_play_as_in_a_new_arena(game: str) -> None:
    moody = variable(game).replace({"ordering.shuffle": True, "ordering.killers": 2, "ordering.history": True})
    larger = moody.replace({"search.table.log2_entries": 15, "search.table.probes": 4, "ordering.table_move": True})
    two_level = larger.replace({"search.table.log2_entries": 14, "search.table.two_level": True})
    judging = larger.replace({"evaluation.random_size": 30})
    seatings: list[list[pp.Pilot | None]] = [[moody, larger], [two_level, None], [judging, judging], [None, larger]]

    def new_arena(players: list[pp.Pilot | None]) -> Arena:
        return Arena(game, players, Limit(nodes=200), adjudication=SHORT)

    arena = new_arena(seatings[-1])
    for players in seatings * 2:
        todo = tasks(game, 4)
        arena.seat(players)
        assert summary(arena.play(todo)) == summary(new_arena(players).play(todo))


def test_players_keep_their_seats_while_games_are_played() -> None:
    pilot = pp.Pilot.plain("chess")
    arena = Arena("chess", [pilot], Limit(seconds=30))
    with pytest.raises(ValueError, match="2 players, expected 1 as before"):
        arena.seat([pilot, pilot])

    def play() -> None:
        with pytest.raises(Stopped):
            arena.play([Task(pp.Position("chess"), 0)])

    with ThreadPoolExecutor(1) as pool:
        game = pool.submit(play)
        with pytest.raises(ValueError, match="change players between runs"):
            while not game.done():
                arena.seat([pilot])
        arena.stop()
        game.result()


def test_stop_ends_games_in_play() -> None:
    arena = Arena("chess", [pp.Pilot.plain("chess")], Limit(seconds=30))
    timer = threading.Timer(0.1, arena.stop)
    timer.start()
    started = time.perf_counter()
    with pytest.raises(Stopped):
        arena.play([Task(pp.Position("chess"), 0)])
    assert time.perf_counter() - started < 10


def test_games_go_on_after_fifty_moves_where_counters_do_not_count_but_not_after_repetition() -> None:
    rook_up = pp.Position("chess", "7k/8/8/8/8/8/8/R6K w - - 99 80")
    rule = Adjudication(most_plies=60)
    causes = {
        counts: Arena("chess", [pp.Pilot.plain("chess")], Limit(depth=1), adjudication=rule, ends_by_counters=counts)
        .play([Task(rook_up, 0)])
        .causes
        for counts in (True, False)
    }
    assert causes == {True: ["fifty moves"], False: ["threefold repetition"]}
    with pytest.raises(ValueError, match="need a limit"):
        Arena("chess", [pp.Pilot.plain("chess")], Limit(depth=1), ends_by_counters=False)


def test_a_player_that_only_quiesces_takes_what_is_free_and_leaves_the_rest_to_chance() -> None:
    pilot = pp.Pilot.plain("chess", "material").replace({"search.quiescence.on": True})
    free_rook = pp.Position("chess", "7k/8/8/3r4/4P3/8/8/7K w - - 0 1")
    quiet = pp.Position("chess", "7k/8/8/8/4P3/8/8/7K w - - 0 1")
    arena = Arena(
        "chess",
        [pilot],
        Limit(depth=1),
        adjudication=Adjudication(most_plies=1),
        moves="quiesced",
        noted="principal",
        sets=["material"],
    )
    found = arena.play([Task(position, seed) for position in (free_rook, quiet) for seed in range(20)])
    assert set(found.moves[:20]) == {"e4d5"} and len(set(found.moves[20:])) > 2
    assert set(found.scores.tolist()) == {100}
    assert found.features is not None and found.features.exact.all()


def test_a_pilot_that_moves_by_chance_still_judges_positions() -> None:
    pilot = pp.Pilot.plain("chess", "material")
    start = pp.Position("chess", "7k/8/8/8/4P3/8/8/7K w - - 0 1")
    rule = Adjudication(most_plies=4)
    arena = Arena(
        "chess", [pilot], Limit(depth=1), adjudication=rule, moves="random", noted="principal", sets=["material"]
    )
    found = arena.play([Task(start, seed) for seed in range(5)])
    assert len(set(found.moves)) > 1
    assert found.scores.tolist() == [100, -100, 100, -100] * 5
    assert found.features is not None and found.features.scores.tolist() == found.scores.tolist()
    assert found.nodes.sum() == 0


def test_noise_at_the_root_leaves_the_judged_position_known() -> None:
    pilot = pp.Pilot.plain("chess", "material").replace({"search.root.noise": 3})
    arena = Arena(
        "chess",
        [pilot],
        Limit(depth=1),
        adjudication=Adjudication(most_plies=30),
        noted="principal",
        sets=["material"],
    )
    found = arena.play([Task(pp.Position("chess"), seed) for seed in range(4)])
    assert found.features is not None and found.features.exact.all()
    assert (found.scores % 100 != 0).any() and not (found.features.scores % 100 != 0).any()
