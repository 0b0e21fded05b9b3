"""The search as a user meets it: limits, determinism, statistics, games in Python, every technique on its own."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

import plypilot as pp
from conftest import NATIVE_GAMES, random_game
from plypilot.score import MOST_STATIC, WIN_SCORE, score_text, win_distance
from plypilot.searcher import Iteration, Limit, Searcher, search
from plypilot.suite import bench

DEPTH = {"breakthrough": 5, "chess": 4, "loa": 4, "shogi": 3}


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_the_same_search_gives_the_same_nodes_with_and_without_a_trace(game: str) -> None:
    for seed in range(4):
        position = random_game(game, seed, 30)
        if position.outcome() is not None:
            continue
        pilot = pp.Pilot.baseline(game)
        plain = search(pilot, position, Limit(depth=DEPTH[game]))
        traced = search(pilot, position, Limit(depth=DEPTH[game]), statistics=True)
        assert (plain.nodes, plain.score, plain.pv) == (traced.nodes, traced.score, traced.pv)
        counted = traced.statistics
        assert counted is not None
        assert counted.interior > 0
        assert counted.table_probes == counted.interior
        assert counted.quiescence == traced.nodes.quiescence


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_a_line_goes_on_by_the_table_for_people_and_is_exact_for_learners(game: str) -> None:
    """In the middle of a game, where the table knows much from the moves before and cuts the lines of the tree."""
    position, searcher, silent = random_game(game, 1, 6), *(Searcher(pp.Pilot.baseline(game)) for _ in range(2))
    added = 0
    for _ in range(12):
        if position.outcome() is not None:
            break
        told: list[Iteration] = []
        result = searcher.search(position, Limit(depth=DEPTH[game] + 2), on_iteration=told.append)
        unheard = silent.search(position, Limit(depth=DEPTH[game] + 2))
        assert (result.nodes, result.score, result.pv) == (unheard.nodes, unheard.score, unheard.pv)
        assert result.whole_pv == unheard.whole_pv == result.pv + result.continuation
        assert not any(iteration.continuation for iteration in unheard.iterations)  # nobody listens: it costs nothing
        for found in (*told, result):
            added += len(found.continuation)
            assert len(found.whole_pv) <= max(len(found.pv), found.depth)
            walk = position.copy()
            passed = [walk.key]
            for move in found.whole_pv:
                walk.push(move)  # refuses what is not legal
                passed.append(walk.key)
            behind = passed[len(found.pv) + 1 : -1]  # a repetition ends a line, as the end of the game does
            assert len(set(behind)) == len(behind) and not set(behind) & set(passed[: len(found.pv) + 1])
        assert result.move is not None
        position.push(result.move)
    assert added > 0


def test_learners_read_the_line_of_the_tree_alone() -> None:
    for path in (Path(pp.__file__).parent / "learn").glob("*.py"):
        assert not re.search(r"\b(whole_pv|continuation)\b", path.read_text("utf-8")), path


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_statistics_count_each_node_and_each_move_once(game: str) -> None:
    pilot = pp.Pilot.baseline(game).replace({"depth.categories": [(["capture"], 0.75), ([], 1.0)]})
    position = random_game(game, 3, 20)
    result = search(pilot, position, Limit(depth=DEPTH[game] + 2), statistics="moves")
    counted = result.statistics
    assert counted is not None
    assert counted.endings["searched"] > 0 and not result.stopped and counted.endings["stopped"] == 0
    assert counted.interior == sum(counted.endings[way] for way in ("table", "futile", "passed", "searched"))
    assert counted.endings["table"] == counted.table_cuts > 0
    assert 0 < counted.reduced < counted.moves
    assert list(counted.skipped) == ["futile", "late", "width", "function"] and sum(counted.skipped.values()) > 0
    assert sum(counted.stage_cutoffs.values()) == sum(counted.cutoffs) > 0
    assert set(counted.stage_cutoffs) == {"first", "captures", "quiets", "losing"}
    # Every move is in a category, so that the last row, that of no category, is empty.
    assert counted.category_moves.shape == (3, len(counted.cutoffs))
    assert counted.category_moves.sum() == counted.moves and not counted.category_moves[2].any()
    assert counted.category_cutoffs.sum(axis=0).tolist() == counted.cutoffs
    captures = [feature.name for feature in pp.game_info(game).move_features].index("capture")
    assert counted.category_moves[0].sum() == counted.features[captures]


def test_time_is_told_by_part_where_it_is_watched() -> None:
    result = search(pp.Pilot.baseline("chess"), pp.Position("chess"), Limit(depth=6), statistics="time")
    assert result.statistics is not None
    assert list(result.statistics.seconds) == ["evaluating", "picking", "moving"]
    assert 0 < sum(result.statistics.seconds.values()) < result.seconds
    with pytest.raises(ValueError, match="expected nothing, counts, moves, time or plies"):
        search(pp.Pilot.plain("loa"), pp.Position("loa"), Limit(depth=1), statistics="all")  # type: ignore[arg-type]


def test_bench_counts_the_same_nodes_on_every_run_and_with_threads() -> None:
    pilot = pp.Pilot.baseline("breakthrough")
    counts = {bench(pilot, depth=4, threads=threads).nodes for threads in (1, 1, 1, 2, 2, 2)}
    assert len(counts) == 1


@pytest.mark.parametrize("nodes", [1, 2, 100, 5000])
def test_a_node_limit_is_exact(nodes: int) -> None:
    result = search(pp.Pilot.baseline("loa"), pp.Position("loa"), Limit(nodes=nodes))
    assert result.nodes.all == nodes
    assert result.stopped
    assert result.move in pp.Position("loa").moves()


def test_a_depth_limit_ends_after_that_iteration() -> None:
    result = search(pp.Pilot.plain("loa"), pp.Position("loa"), Limit(depth=3))
    assert [each.depth for each in result.iterations] == [1, 2, 3]
    assert not result.stopped


def test_a_search_stops_soon_when_told_and_keeps_its_best_move() -> None:
    searcher = Searcher(pp.Pilot.baseline("shogi"))
    found = []
    thread = threading.Thread(target=lambda: found.append(searcher.search(pp.Position("shogi"), Limit(depth=200))))
    thread.start()
    time.sleep(0.3)
    searcher.stop()
    thread.join(5)
    assert not thread.is_alive()
    assert found[0].stopped
    assert found[0].move in pp.Position("shogi").moves()


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_a_search_stopped_within_a_wider_window_keeps_a_score_that_exists(game: str) -> None:
    position = random_game(game, seed=1, longest=8)
    for nodes in range(50, 3000, 37):
        assert -WIN_SCORE < search(pp.Pilot.baseline(game), position, Limit(nodes=nodes)).score < WIN_SCORE


def test_searches_in_several_threads_run_at_once_and_agree() -> None:
    position = random_game("chess", 3, 20)
    pilot = pp.Pilot.plain("chess", "material").replace({"search.quiescence.on": True})
    alone = search(pilot, position, Limit(depth=4)).nodes
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(search(pilot, position, Limit(depth=4)).nodes)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 4


def test_a_forced_win_is_found_with_its_distance() -> None:
    result = search(
        pp.Pilot.plain("chess"), pp.Position("chess", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"), Limit(depth=3)
    )
    assert str(result.move) == "d1d8"
    assert win_distance(result.score) == 1
    assert score_text(result.score) == "win 1"
    lost = search(
        pp.Pilot.plain("chess"), pp.Position("chess", "3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1"), Limit(depth=3)
    )
    assert lost.move is None
    assert lost.score == -WIN_SCORE


def test_noise_at_the_root_leaves_wins_and_losses_as_they_are() -> None:
    lost = pp.Position("chess", "k7/8/1K6/8/8/8/8/7R b - - 0 1")
    won = pp.Position("chess", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    for window in ("alpha_beta", "pvs", "mtdf"):
        noisy = pp.Pilot.plain("chess", "material").replace({"search.root.noise": 20, "search.window.kind": window})
        for seed in range(20):
            for depth in (2, 3, 4):
                assert score_text(search(noisy, lost, Limit(depth=depth), seed=seed).score) == "loss 2"
                mate = search(noisy, won, Limit(depth=depth), seed=seed)
                assert (str(mate.move), score_text(mate.score)) == ("d1d8", "win 1")


def test_noise_at_the_root_shifts_other_scores() -> None:
    noisy = pp.Pilot.plain("chess").replace({"search.root.noise": 20})
    scores = {search(noisy, pp.Position("chess"), Limit(depth=2), seed=seed).score for seed in range(20)}
    assert len(scores) > 1
    assert all(0 < score <= 20 for score in scores), "the best of twenty moves is better than nothing by chance"


def test_a_finished_game_has_no_move() -> None:
    result = search(pp.Pilot.plain("breakthrough"), pp.Position("breakthrough", "P7/8/8/8/8/7p/8/8 b"), Limit(depth=3))
    assert result.move is None
    assert result.pv == []


def test_a_repetition_in_the_tree_is_a_draw_where_the_pilot_says_so() -> None:
    # Behind, White draws by checking for ever on e8 and h5: Kh7 and Kg8 are the only replies.
    position = pp.Position("chess", "6k1/6p1/8/7Q/8/8/1q4PP/1r4NK w - - 0 1")
    pilot = pp.Pilot.plain("chess", "material").replace({"search.quiescence.on": True, "depth.evasion": 0.0})
    assert search(pilot.replace({"search.early_repetition": True}), position, Limit(depth=2)).score == 0
    assert search(pilot, position, Limit(depth=2)).score < 0
    assert search(pilot, position, Limit(depth=4)).score == 0  # the third occurrence, by the rules


def test_games_in_python_are_searched() -> None:
    position = pp.Position("connect_four:ConnectFour")
    for column in "dadbe":
        position.push(column)
    assert position.turn == 1  # X threatens c and f or g
    position.push("a")
    pilot = pp.Pilot.baseline("connect_four:ConnectFour")
    result = search(pilot, position, Limit(depth=4), statistics=True)
    assert win_distance(result.score) in (1, 3)
    plain = search(pp.Pilot.plain("connect_four:ConnectFour"), position, Limit(depth=4))
    assert plain.score == result.score


def test_an_error_in_a_python_game_reaches_the_caller() -> None:
    class Broken(pp.Game):
        def start(self) -> int:
            return 0

        def moves(self, _state: int) -> list[int]:
            return [1]

        def play(self, state: int, move: int) -> int:
            if state > 2:
                raise RuntimeError("no more")
            return state + move

        def outcome(self, _state: int) -> None:
            return None

    position = pp.Position(Broken)
    with pytest.raises(pp.GameError, match=r"test_search.py:.*RuntimeError: no more"):
        search(pp.Pilot.plain(position.game), position, Limit(depth=8))


def test_an_error_of_the_listener_ends_the_search() -> None:
    def listener(_: object) -> None:
        raise KeyError("heard enough")

    with pytest.raises(KeyError, match="heard enough"):
        search(pp.Pilot.plain("loa"), pp.Position("loa"), Limit(depth=30), on_iteration=listener)


TECHNIQUES = [
    {"search.window.kind": "pvs"},
    {"search.window.kind": "mtdf", "search.table.log2_entries": 16},
    {"search.window.kind": "pvs", "search.window.aspiration": 30},
    {"search.table.log2_entries": 16},
    {"search.table.log2_entries": 16, "search.table.probes": 16},
    {"search.table.log2_entries": 16, "search.table.two_level": True},
    {"search.table.log2_entries": 14, "search.table.probes": 4, "search.table.aligned": False},
    {"search.table.log2_entries": 16, "search.table.horizon": True},
    {"ordering.captures": True},
    {"ordering.captures": True, "ordering.exchange": False},
    {"ordering.killers": 2},
    {"ordering.history": True},
    {"ordering.countermove": True},
    {"ordering.shuffle": True},
    {"ordering.table_move": True, "search.table.log2_entries": 16},
]


@pytest.mark.parametrize("game", NATIVE_GAMES)
@pytest.mark.parametrize("changes", TECHNIQUES, ids=lambda changes: " ".join(changes))
def test_what_only_orders_or_remembers_leaves_the_value_as_it_was(game: str, changes: dict[str, object]) -> None:
    # By equal depth the table is exact too; deeper entries could only see more.
    changes = changes | {"search.table.exact": True}
    for seed in range(6):
        position = random_game(game, seed, 40)
        if position.outcome() is not None:
            continue
        plain = pp.Pilot.plain(game, "material").replace({"search.quiescence.on": True})
        depth = DEPTH[game] - 1
        expected = search(plain, position, Limit(depth=depth)).score
        assert search(plain.replace(changes), position, Limit(depth=depth)).score == expected


SELECTIVE = [
    {"pruning.null_reduction": 2},
    {"pruning.null_reduction": 3, "pruning.null_adaptive": True, "pruning.null_recursive": False},
    {"pruning.futility_margin": 100},
    {"depth.reduce_late": True},
    {"depth.singular": 1, "search.table.log2_entries": 16},
    {"depth.singular": 2, "search.table.log2_entries": 16},
    {"depth.singular": 1, "depth.singular_search": True, "search.table.log2_entries": 16},
    {"depth.singular": 2, "depth.singular_search": True},
    {"depth.recapture": True},
    {"depth.recapture": True, "depth.recapture_rule": "search"},
    {"depth.recapture": True, "depth.recapture_rule": "window"},
    {"depth.recapture": True, "depth.recapture_rule": "captures"},
    {"pruning.null_reduction": 1, "pruning.null_plies": 1},
    {"depth.evasion": 0.0},
    {"depth.mate_threat": 0.5, "pruning.null_reduction": 2},
    {"search.root.noise": 20},
    {"search.root.random_ties": True},
    {"search.early_repetition": True},
    {"ordering.internal_deepening": 2, "search.window.kind": "pvs", "search.table.log2_entries": 16},
    {"search.quiescence.exchange_filter": True},
    {"search.quiescence.evasions": True},
    {"search.quiescence.on": True, "search.quiescence.ends": True},
    {"search.quiescence.most_plies": 2},
]
NO_USE = {
    "breakthrough": {
        "depth.evasion",
        "search.early_repetition",
        "search.quiescence.exchange_filter",
        "search.quiescence.evasions",
        "search.quiescence.ends",
    },
    "loa": {
        "depth.evasion",
        "search.quiescence.exchange_filter",
        "search.quiescence.evasions",
        "search.quiescence.ends",
    },
    "chess": set(),
    "shogi": {"search.early_repetition", "search.quiescence.ends"},
}
"""What makes no difference in a game: there is no check, no stalemate, no losing capture or no repetition in it, or
none that comes up in these positions."""


@pytest.mark.parametrize("game", NATIVE_GAMES)
@pytest.mark.parametrize("changes", SELECTIVE, ids=lambda changes: " ".join(changes))
def test_what_selects_still_plays_legal_moves(game: str, changes: dict[str, object]) -> None:
    plain = pp.Pilot.plain(game, "material").replace({"search.quiescence.on": True})
    pilot = plain.replace(changes)
    trees: list[tuple[object, object]] = []
    for seed in range(6):
        position = random_game(game, seed, 40)
        if position.outcome() is None:
            result = search(pilot, position, Limit(depth=DEPTH[game]), seed=seed)
            assert result.move in position.moves()
            trees.append((result.nodes, search(plain, position, Limit(depth=DEPTH[game]), seed=seed).nodes))
    if not set(changes) & NO_USE[game]:
        assert any(selected != whole for selected, whole in trees), "it must have selected something"


def test_a_quiescence_search_sees_mate_and_stalemate_where_it_is_told_to() -> None:
    blind = pp.Pilot.plain("chess", "material").replace({"search.quiescence.on": True})
    seeing = blind.replace({"search.quiescence.ends": True})
    mate_in_one = pp.Position("chess", "7k/8/6K1/8/8/8/8/R7 w - - 0 1")
    assert search(blind, mate_in_one, Limit(depth=1)).score < WIN_SCORE - 100
    assert [str(move) for move in search(seeing, mate_in_one, Limit(depth=1)).pv] == ["a1a8"]
    capture_stalemates = pp.Position("chess", "7k/5K2/8/8/8/3p4/8/3Q4 w - - 0 1")
    assert str(search(blind, capture_stalemates, Limit(depth=1)).move) == "d1d3"
    assert str(search(seeing, capture_stalemates, Limit(depth=1)).move) != "d1d3"


def test_an_end_is_seen_at_the_first_ply_and_not_at_the_horizon_of_deeper_searches() -> None:
    pilot = pp.Pilot.plain("chess", "material").replace(
        {"search.quiescence.on": True, "search.ends_at_first_ply": True}
    )
    mate_in_one = pp.Position("chess", "7k/8/6K1/8/8/8/8/R7 w - - 0 1")
    assert [str(move) for move in search(pilot, mate_in_one, Limit(depth=1)).pv] == ["a1a8"]
    mate_in_two = pp.Position("chess", "7k/8/5K2/8/8/8/8/R7 w - - 0 1")
    found = [win_distance(search(pilot, mate_in_two, Limit(depth=depth)).score) for depth in (1, 2, 3, 4)]
    assert found == [None, None, None, 3]


def test_a_singular_test_at_the_horizon_needs_a_capture_that_nothing_equals() -> None:
    # A rook hangs to one piece, and to two: then neither capture is the only good one.
    base = pp.Pilot.plain("chess", "material").replace({"search.quiescence.on": True})
    pilot = base.replace({"depth.singular": 1, "depth.singular_search": True})
    one, two = (pp.Position("chess", f"7k/8/8/3r4/8/{knight}/8/K2R4 w - - 0 1") for knight in ("8", "2N5"))
    plain, tested = (search(each, one, Limit(depth=1)).nodes.all for each in (base, pilot))
    assert tested > plain and search(pilot, one, Limit(depth=1)).nodes.singular_quiescence > 0
    extended = [search(pilot, position, Limit(depth=1)).pv for position in (one, two)]
    assert len(extended[0]) > 1 and len(extended[1]) == 1


def test_random_ties_choose_among_equal_moves_by_seed() -> None:
    pilot = pp.Pilot.plain("breakthrough").replace({"search.root.random_ties": True})
    chosen = {str(search(pilot, pp.Position("breakthrough"), Limit(depth=1), seed=seed).move) for seed in range(60)}
    assert len(chosen) > 10
    assert len({str(search(pilot, pp.Position("breakthrough"), Limit(depth=1), seed=5).move) for _ in range(5)}) == 1


def test_equal_moves_are_drawn_whatever_their_order() -> None:
    ties = pp.Pilot.plain("loa").replace({"search.root.random_ties": True})
    orders: list[dict[str, object]] = [
        {},
        {"ordering.captures": True, "ordering.history": True},
        {"ordering.shuffle": True},
        {"search.window.kind": "pvs", "search.table.log2_entries": 14, "ordering.table_move": True},
    ]
    for seed in range(5):
        position = random_game("loa", seed, 10)
        found = [
            search(ties.replace(order), position, Limit(depth=depth), seed=seed)
            for order in orders
            for depth in (1, 2, 3)
        ]
        assert {result.score for result in found} == {0}
        assert len({str(result.move) for result in found}) == 1


@pytest.mark.parametrize("depth", [1, 2])
def test_equal_moves_are_drawn_equally_often(depth: int) -> None:
    searcher = Searcher(pp.Pilot.plain("chess").replace({"search.root.random_ties": True}))
    position = pp.Position("chess")
    drawn = Counter(str(searcher.search(position, Limit(depth=depth)).move) for _ in range(1000))
    assert len(drawn) == 20
    assert sum((count - 50) ** 2 / 50 for count in drawn.values()) < 44  # chi-square, 19 degrees of freedom: 1 in 1,000


def test_ends_at_the_horizon_need_not_be_seen() -> None:
    mate = pp.Position("chess", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    seeing = pp.Pilot.plain("chess", "material")
    blind = seeing.replace({"search.ends_at_horizon": False})
    assert win_distance(search(seeing, mate, Limit(depth=1)).score) == 1
    assert search(blind, mate, Limit(depth=1)).score == 200
    assert win_distance(search(blind, mate, Limit(depth=2)).score) == 1


def test_a_random_evaluation_has_one_value_for_a_position_and_a_seed() -> None:
    pilot = pp.Pilot.plain("chess").replace({"evaluation.kind": "random", "evaluation.random_size": 500})
    one, again, other = Searcher(pilot, seed=1), Searcher(pilot, seed=1), Searcher(pilot, seed=2)
    positions = [random_game("chess", seed, 20) for seed in range(20)]
    values = [one.evaluate(position) for position in positions]
    assert values == [again.evaluate(position) for position in positions]
    assert values != [other.evaluate(position) for position in positions]
    assert all(-500 <= value <= 500 for value in values)


def test_a_random_part_is_added_to_the_weights_by_position_and_seed() -> None:
    material = pp.Pilot.plain("chess", "material")
    chance = pp.Pilot.plain("chess").replace({"evaluation.kind": "random", "evaluation.random_size": 49})
    known, part = Searcher(material), Searcher(chance, seed=3)
    whole = Searcher(material.replace({"evaluation.random_size": 49}), seed=3)
    positions = [random_game("chess", seed, 40) for seed in range(20)]
    for position in positions:
        assert whole.evaluate(position) == known.evaluate(position) + part.evaluate(position)
    assert len({part.evaluate(position) for position in positions}) > 10


def test_a_random_part_may_be_one_of_advantages_only() -> None:
    chance = pp.Pilot.plain("chess").replace({"evaluation.kind": "random", "evaluation.random_size": 9})
    searcher = Searcher(chance.replace({"evaluation.random_from_zero": True}))
    values = [searcher.evaluate(random_game("chess", seed, 30)) for seed in range(300)]
    assert set(values) == set(range(10))
    either = [Searcher(chance).evaluate(random_game("chess", seed, 30)) for seed in range(20)]
    assert min(either) < 0 < max(either)


def test_an_evaluation_never_claims_a_win() -> None:
    weights = {
        "material": {"queen": 30_000},
        "half_board": [30_000.0] * len(pp.Position("chess").feature_values("half_board")),
    }
    evaluation = pp.Evaluation.linear("chess", weights).model_copy(update={"random_size": 5_000})
    searcher = Searcher(pp.Pilot(game="chess", evaluation=evaluation))
    assert searcher.evaluate(pp.Position("chess", "4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1")) == MOST_STATIC
    assert searcher.evaluate(pp.Position("chess", "4k3/8/8/8/8/8/8/QQ2K3 b - - 0 1")) == -MOST_STATIC


def test_material_counts_pieces_for_the_side_to_move() -> None:
    searcher = Searcher(pp.Pilot.plain("chess", "material"))
    assert searcher.evaluate(pp.Position("chess", "4k3/8/8/8/8/8/8/QN2K3 w - - 0 1")) == 1200
    assert searcher.evaluate(pp.Position("chess", "4k3/8/8/8/8/8/8/QN2K3 b - - 0 1")) == -1200


def test_limits_are_checked() -> None:
    with pytest.raises(ValueError, match="depth is 0"):
        Limit(depth=0)
    with pytest.raises(ValueError, match="of the game loa, the pilot of chess"):
        search(pp.Pilot.plain("chess"), pp.Position("loa"), Limit(depth=1))


def test_a_clock_is_not_overstepped() -> None:
    searcher = Searcher(pp.Pilot.baseline("breakthrough"))
    started = time.perf_counter()
    searcher.search(pp.Position("breakthrough"), Limit(clock=0.5))
    assert time.perf_counter() - started < 0.5


def test_what_a_category_costs_beyond_the_threshold_is_given_back_where_a_move_does_well() -> None:
    position = pp.Position("loa")
    plain = pp.Pilot.baseline("loa").replace({"depth.reduce_late": False})
    dear = {"depth.categories": [(["from_edge"], 3.0)]}
    limit = pp.Limit(depth=6)
    statistics = {
        name: pp.search(plain.replace(changes), position, limit, statistics=True).statistics
        for name, changes in {
            "as it says": dear,
            "threshold": {**dear, "depth.threshold": 1.0},
            "stepwise": {**dear, "depth.threshold": 1.0, "depth.confirmation": "stepwise"},
        }.items()
    }
    reduced = {name: told.reduced for name, told in statistics.items() if told is not None}
    assert reduced["as it says"] == 0
    assert reduced["threshold"] > 0
    nodes = {
        confirmation: pp.search(
            plain.replace({**dear, "depth.threshold": 1.0, "depth.confirmation": confirmation}), position, limit
        ).nodes.all
        for confirmation in ("full", "stepwise")
    }
    assert nodes["full"] != nodes["stepwise"]


def test_stronger_late_reductions_make_smaller_trees() -> None:
    pilot, position, limit = pp.Pilot.baseline("loa"), pp.Position("loa"), pp.Limit(depth=8)
    usual, strong = (
        pp.search(pilot.replace({"depth.late_strength": strength}), position, limit).nodes.all for strength in (1, 2)
    )
    assert strong < usual


def test_history_changes_late_reductions_where_a_pilot_says_so() -> None:
    pilot, position, limit = pp.Pilot.baseline("breakthrough"), pp.Position("breakthrough"), pp.Limit(depth=9)

    def nodes(**changes: object) -> int:
        changed = pilot.replace({key.replace("__", "."): value for key, value in changes.items()})
        return pp.search(changed, position, limit).nodes.all

    assert nodes(depth__late_history=8) != nodes()
    assert nodes(depth__late_history=8, depth__reduce_late=False) == nodes(depth__reduce_late=False)
