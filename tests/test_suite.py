"""Test suites of every game: their lines are read and written, and pilots solve them alike on every kind of workers."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

import plypilot as pp
from plypilot.compute import Workers
from plypilot.data import EpdPosition, RecordError, read_epd, suite_game, write_suite
from plypilot.data.books import read_book
from plypilot.searcher import Limit
from plypilot.suite import Attempt, SuiteTask, attempt, solve
from test_cli import run

RACE = '8/8/2P5/8/8/6p1/8/8 w ; bm c6-c7 c6-b7; id "a race; won"; kind win; pv c6-c7 g3-g2 c7-c8;'
FOUR = "start d d e e ; bm f c; kind win; plies 3;"
CONNECT_FOUR = "connect_four:ConnectFour"


def read_one(line: str, game: str) -> EpdPosition:
    (item,) = read_epd(line, game)
    assert isinstance(item, EpdPosition), item
    return item


@pytest.mark.parametrize(
    ("game", "line"),
    [
        ("breakthrough", RACE),
        ("breakthrough-6x5", "pppppp/pppppp/6/PPPPPP/PPPPPP w ; bm a2-a3; am b2-b3 c2-c3;"),
        ("loa", "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b ; bm b8-b6;"),
        ("shogi", 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 ; bm 7g7f; c0 "first; only";'),
        ("chess", '6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; id "mate"; acd 12; noop;'),
        ("chess", "6k1/5ppp/8/8/8/8/8/R5K1 w - - 7 40 bm Ra8#;"),
    ],
)
def test_what_is_written_of_a_suite_is_read_again(game: str, line: str) -> None:
    item = read_one(line, game)
    text = write_suite([item, item])
    assert suite_game(text) == game
    assert text.startswith("#") == (game != "chess")
    first = 1 if game == "chess" else 2
    assert read_epd(text, game) == [replace(item, line=first), replace(item, line=first + 1)]
    assert line in text


def test_a_position_made_by_hand_is_written_with_its_moves_and_its_name() -> None:
    made = EpdPosition(1, "8/8/2P5/8/8/6p1/8/8 w", ("c6-c7",), id="mine", comments=("why",), game="breakthrough")
    (item,) = read_epd(write_suite([made]), "breakthrough")
    assert isinstance(item, EpdPosition)
    assert (item.best, item.id, item.comments, item.line) == (made.best, made.id, made.comments, 2)


def test_a_suite_refuses_what_its_format_cannot_hold() -> None:
    item = read_one(RACE, "breakthrough")
    with pytest.raises(RecordError, match="of one game, not of breakthrough and chess"):
        write_suite([item, replace(item, game="chess")])
    with pytest.raises(RecordError, match="an operand of kind"):
        write_suite([replace(item, operations={"kind": ('a "win"',)})])
    with pytest.raises(RecordError, match="cannot hold a position"):
        write_suite([replace(item, fen="a ; b")])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("8/8/2P5/8/8/6p1/8/8 x ; bm c6-c7;", "line 3: fen: "),
        ("8/8/2P5/8/8/6p1/8/8 w ; bm c6-c8;", "line 3: bm c6-c8: "),
        ("8/8/2P5/8/8/6p1/8/8 w ; bm c6-c7; bm c6-b7;", "line 3: has the operation bm twice"),
        ("8/8/2P5/8/8/6p1/8/8 w ; 7;", "line 3: not an operation"),
    ],
)
def test_a_line_of_any_game_is_refused_with_its_number(line: str, reason: str) -> None:
    read = read_epd(f"# suite of breakthrough\n{RACE}\n{line}\n{RACE}\n", "breakthrough")
    assert [isinstance(item, RecordError) for item in read] == [False, True, False]
    assert str(read[1]).startswith(reason)


def test_a_suite_of_any_game_is_a_book_of_its_positions(tmp_path: Path) -> None:
    path = tmp_path / "race.epd"
    path.write_text(f"# suite of breakthrough\n{RACE}\n")
    (record,) = read_book(path, "breakthrough")
    assert not isinstance(record, RecordError)
    assert record.replay().fen() == "8/8/2P5/8/8/6p1/8/8 w"
    with pytest.raises(RecordError, match="is a suite of breakthrough, not of loa"):
        list(read_book(path, "loa"))


def test_positions_are_solved_alike_by_one_thread_and_by_processes() -> None:
    pilot = pp.Pilot.baseline(CONNECT_FOUR)
    items = [read_one(FOUR, CONNECT_FOUR), read_one("start d d d d d ; bm d;", CONNECT_FOUR)]
    alone = solve(pilot, items, Limit(depth=5))
    assert alone[0].solved
    together = solve(pilot, items, Limit(depth=5), threads=2)
    told = [[(each.item, each.solved, each.effort, each.depth) for each in found] for found in (alone, together)]
    assert told[0] == told[1]


def test_an_attempt_is_plain_data_and_its_task_travels() -> None:
    task = SuiteTask(pp.Pilot.baseline("breakthrough"), read_one(RACE, "breakthrough"), Limit(depth=4))
    found = attempt(pickle.loads(pickle.dumps(task)))
    assert found == attempt(task) == Attempt(*json.loads(json.dumps(found)))
    with Workers.threads(2) as workers:
        assert workers.evaluate(attempt, [task], key=lambda task: ["attempt", task.item.fen]) == [found]


def test_a_search_ends_with_the_first_depth_that_has_the_right_move() -> None:
    item = read_one(RACE, "breakthrough")
    pilot = pp.Pilot.plain("breakthrough", "material")
    whole = attempt(SuiteTask(pilot, item, Limit(depth=8)))
    ended = attempt(SuiteTask(pilot, item, Limit(depth=8), until="solved"))
    assert whole.solved
    assert ended.solved
    assert ended.effort == whole.effort
    assert ended.nodes < whole.nodes


def test_where_a_win_is_asked_for_a_guess_does_not_solve() -> None:
    item = read_one(RACE, "breakthrough")
    pilot = pp.Pilot.plain("breakthrough", "material")
    guess = attempt(SuiteTask(pilot, item, Limit(depth=1)))
    assert guess.solved
    assert not attempt(SuiteTask(pilot, item, Limit(depth=1), needs_win=True)).solved
    found = attempt(SuiteTask(pilot, item, Limit(depth=5), needs_win=True))
    assert found.solved
    assert found.depth == 3
    assert guess.effort is not None
    assert found.effort is not None
    assert found.effort > guess.effort


def test_a_position_of_another_game_than_the_pilots_is_refused() -> None:
    with pytest.raises(ValueError, match="is of breakthrough, the pilot of loa"):
        attempt(SuiteTask(pp.Pilot.plain("loa"), read_one(RACE, "breakthrough"), Limit(depth=1)))


def test_the_command_reads_the_game_from_the_suite(tmp_path: Path) -> None:
    path = tmp_path / "race.epd"
    path.write_text(f"# suite of breakthrough\n{RACE}\n")
    found = json.loads(run("suite", str(path), "--depth", "4", "--needs-win", "--json").stdout)
    assert (found["game"], found["solved"], found["refused"]) == ("breakthrough", 1, [])
    assert "1 of 1 solved" in run("suite", str(path), "--game", "breakthrough", "--until-solved").stdout
    path.write_text(f"# suite of {CONNECT_FOUR}\n{FOUR}\n")
    refused = run("suite", str(path))
    assert refused.returncode == 2
    assert "name that game to read it (--game)" in refused.stderr
