"""What the engines ask of a search: several lines, some moves only, several threads, and a clock that can be moved."""

from __future__ import annotations

import threading
import time

import pytest

import plypilot as pp
from conftest import NATIVE_GAMES, random_game


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_one_line_and_no_restriction_search_the_same_nodes_as_ever(game: str) -> None:
    position = random_game(game, 1, 12)
    pilot = pp.Pilot.baseline(game)
    plain = pp.search(pilot, position, pp.Limit(depth=4))
    same = pp.search(pilot, position, pp.Limit(depth=4), lines=1, threads=1, moves=[])
    assert (plain.nodes, plain.score, plain.pv) == (same.nodes, same.score, same.pv)
    everything = pp.search(pilot, position, pp.Limit(depth=4), moves=position.moves())
    assert (plain.nodes, plain.score, plain.pv) == (everything.nodes, everything.score, everything.pv)


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_the_lines_of_full_width_are_the_best_moves_in_order(game: str) -> None:
    position = random_game(game, 2, 10)
    pilot = pp.Pilot.plain(game, "material").replace({"search.window.kind": "pvs", "search.table.log2_entries": 14})
    alone = sorted(pp.search(pilot, position, pp.Limit(depth=2), moves=[move]).score for move in position.moves())
    found = pp.search(pilot, position, pp.Limit(depth=2), lines=5)
    assert [line.score for line in found.lines] == alone[::-1][:5]
    assert len({line.move for line in found.lines}) == 5
    assert found.lines == found.iterations[-1].lines
    assert (found.score, found.pv) == (found.lines[0].score, found.lines[0].pv)


def test_a_move_that_is_not_legal_is_refused() -> None:
    position = pp.Position("chess")
    later = position.copy()
    later.push("e2e4")
    with pytest.raises(pp.IllegalMove, match='move "e7e5" is not legal'):
        pp.search(pp.Pilot.plain("chess"), position, pp.Limit(depth=1), moves=[later.parse("e7e5")])
    with pytest.raises(ValueError, match="lines is 0, expected a whole number from 1"):
        pp.search(pp.Pilot.plain("chess"), position, pp.Limit(depth=1), lines=0)


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_a_node_limit_is_exact_wherever_it_falls(game: str) -> None:
    pilot, position = pp.Pilot.baseline(game), pp.Position(game)
    for nodes in range(500, 2500, 37):
        assert pp.search(pilot, position, pp.Limit(nodes=nodes)).nodes.all == nodes


def test_a_node_limit_is_shared_by_threads() -> None:
    found = pp.search(pp.Pilot.baseline("chess"), pp.Position("chess"), pp.Limit(nodes=100_000), threads=2)
    assert 50_000 <= found.nodes.all <= 100_000  # the first one has its half


def test_a_game_in_python_is_searched_by_one_thread() -> None:
    position = pp.Position("connect_four:ConnectFour")
    pilot = pp.Pilot.baseline("connect_four:ConnectFour")
    with pytest.raises(ValueError, match="one thread"):
        pp.search(pilot, position, pp.Limit(depth=2), threads=2)
    assert len(pp.search(pilot, position, pp.Limit(depth=3), lines=3).lines) == 3


def test_a_clock_is_stopped_or_set_from_another_thread_before_and_while_it_is_in_use() -> None:
    searcher = pp.Searcher(pp.Pilot.baseline("chess"))
    stopped = pp.Clock(pp.Limit())
    stopped.stop()
    assert searcher.search(pp.Position("chess"), stopped).move is not None
    timed = pp.Clock(pp.Limit())
    timed.set_time(pp.Limit(seconds=0.05))
    assert searcher.search(pp.Position("chess"), timed).seconds >= 0.05
    late = pp.Clock(pp.Limit())
    timer = threading.Timer(0.1, late.set_time, [pp.Limit(seconds=0.05)])
    timer.start()
    assert 0.15 <= searcher.search(pp.Position("chess"), late).seconds < 5


def test_byoyomi_is_used_up_and_not_overstepped() -> None:
    searcher = pp.Searcher(pp.Pilot.baseline("shogi"))
    started = time.perf_counter()
    searcher.search(pp.Position("shogi"), pp.Limit(clock=0, byoyomi=0.4))
    assert 0.3 < time.perf_counter() - started < 0.4
    with pytest.raises(ValueError, match="clock is 0"):
        pp.Limit(clock=0)
    with pytest.raises(ValueError, match="byoyomi is -1"):
        pp.Limit(byoyomi=-1)


@pytest.mark.parametrize("clock", [0.001, 0.01, 0.05, 0.2, 1, 60, 3600])
@pytest.mark.parametrize("increment", [0, 0.002, 2, 30])
def test_a_move_never_gets_more_than_the_clock_has(clock: float, increment: float) -> None:
    for moves_to_go in (None, 1, 2, 40):
        for byoyomi in (0, 0.1, 10):
            limit = pp.Limit(clock=clock, increment=increment, moves_to_go=moves_to_go, byoyomi=byoyomi)
            given = pp.Clock(limit)
            assert 0 < given.soft_seconds <= given.seconds < clock + byoyomi
