"""Suites made by the engine: wins are proved as minimax proves them, and the suite depends on its settings alone."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import plypilot as pp
from plypilot.compute import Workers
from plypilot.data import EpdPosition, read_epd, suite_game, write_suite
from plypilot.learn import tactics as making
from plypilot.learn.tactics import Prover, Tactics, make_tactics, make_tactics_file, varied_pilots
from plypilot.searcher import Limit
from test_cli import run

SMALL = "breakthrough-5x5"


@cache
def small(**changes: object) -> Tactics:
    usual = Tactics(varied_pilots(pp.Pilot.baseline(SMALL)), kinds=("win",), plies=(3, 5), opening_plies=2)
    return replace(usual, **changes)  # type: ignore[arg-type]


@cache
def small_suite() -> list[EpdPosition]:
    return make_tactics(small(), 20)


def wins_in(position: pp.Position, plies: int) -> int | None:
    """The plies in which the side to move wins by force, by trying everything; None if it is more."""
    for most in range(1, plies + 1):
        if _wins(position, position.turn, most):
            return most
    return None


def _wins(position: pp.Position, side: int, plies: int) -> bool:
    ended = position.outcome()
    if ended is not None:
        return ended.winner == side
    if plies == 0:
        return False
    answers = []
    for move in position.moves():
        position.push(move)
        answers.append(_wins(position, side, plies - 1))
        position.pop()
        if answers[-1] == (position.turn == side):
            break
    return any(answers) if position.turn == side else all(answers)


def test_minimax_agrees_that_just_the_best_move_wins_within_the_plies() -> None:
    lengths = set()
    for item in small_suite():
        position = item.position()
        plies = int(item.operations["plies"][0])
        assert wins_in(position, 5) == plies
        lengths.add(plies)
        for move in position.moves():
            after = position.copy()
            after.push(move)
            assert _wins(after, position.turn, 4) == item.is_solved_by(move), (item, move)
    assert lengths == {3, 5}


def test_the_solution_is_a_line_that_wins_in_just_the_plies() -> None:
    for item in small_suite():
        walk = item.position()
        mover = walk.turn
        assert item.best == item.operations["pv"][:1]
        for move in item.operations["pv"]:
            assert walk.outcome() is None
            walk.push(move)
        ended = walk.outcome()
        assert ended is not None
        assert ended.winner == mover
        assert len(item.operations["pv"]) == int(item.operations["plies"][0])


def test_a_position_with_two_wins_or_a_win_too_short_is_not_taken() -> None:
    prover = Prover(small())
    at_the_edge = pp.Position(SMALL, "2p2/P4/5/5/5 w")
    assert wins_in(at_the_edge, 5) == 1
    assert prover.prove(at_the_edge) is None
    two_ways = pp.Position(SMALL, "2p2/5/P3P/5/5 w")
    assert wins_in(two_ways, 5) == 3
    assert prover.prove(two_ways) is None
    one_way = pp.Position(SMALL, "2p2/5/P4/5/5 w")
    assert wins_in(one_way, 5) == 3
    proof = prover.prove(one_way)
    assert proof is not None
    assert str(proof.line[0]) == "a3-a4"


def test_a_proof_that_takes_too_many_nodes_is_none() -> None:
    item = next(item for item in small_suite() if item.operations["plies"] == ("5",))
    assert Prover(small()).prove(item.position()) is not None
    assert Prover(small(proof_nodes=20)).prove(item.position()) is None


def test_no_position_is_there_twice_and_few_are_of_one_game() -> None:
    items = small_suite()
    assert len(items) == 20
    assert len({item.position().key for item in items}) == 20
    games = [item.id.split(" ply ")[0] for item in items]
    assert max(map(games.count, games)) <= small().a_game


def test_workers_change_nothing_and_the_suite_is_read_as_it_was_made() -> None:
    with Workers.threads(2) as workers:
        assert make_tactics(small(), 20, workers=workers) == small_suite()
    text = write_suite(small_suite())
    assert suite_game(text) == SMALL
    assert read_epd(text, SMALL) == small_suite()
    assert make_tactics(small(seed=1), 20) != small_suite()


def test_a_gain_is_a_margin_over_every_other_move_and_too_hard_for_shallow_searches() -> None:
    pilot = pp.Pilot.baseline("chess")
    tactics = Tactics((pilot,), kinds=("gain",), depth=7, limit=Limit(nodes=500))
    items = make_tactics(tactics, 2, games=400)
    assert len(items) == 2
    for item in items:
        position = item.position()
        result = pp.search(pilot, position, Limit(depth=7), lines=2)
        best, other = result.iterations[-1].lines
        assert item.is_solved_by(best.pv[0])
        assert best.score - other.score >= tactics.margin
        assert int(item.operations["gain"][0]) >= tactics.margin
        assert item.operations["ce"] == (str(best.score),)
        early = [iteration.move for iteration in result.iterations[2:]]
        assert any(move is None or not item.is_solved_by(move) for move in early)


def test_a_game_in_python_has_tactics_too() -> None:
    tactics = Tactics(
        varied_pilots(pp.Pilot.baseline("connect_four:ConnectFour")), plies=(3, 5), limit=Limit(nodes=200)
    )
    items = make_tactics(tactics, 4)
    assert len(items) == 4
    for item in items:
        assert wins_in(item.position(), 5) == int(item.operations["plies"][0])


def test_a_suite_that_was_ended_goes_on_and_leaves_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, done = making._look_through, []

    def look(part: making._Part) -> list[list[object]]:
        if len(done) == 4:
            raise KeyboardInterrupt
        done.append(part.numbers.start)
        return whole(part)

    out = tmp_path / "small.epd"
    monkeypatch.setattr(making, "_look_through", look)
    with pytest.raises(KeyboardInterrupt):
        make_tactics_file(out, small(), 20)
    assert [path.name for path in tmp_path.iterdir()] == ["small.epd.work"]
    begun = list(done)
    done[:] = [-1] * 5
    assert make_tactics_file(out, small(), 20) == small_suite()
    assert not set(begun) & set(done[5:])
    assert [path.name for path in tmp_path.iterdir()] == ["small.epd"]
    assert out.read_text() == write_suite(small_suite())


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"plies": (7, 5)}, "plies is 7 to 5"),
        ({"kinds": ("luck",)}, "expected some of win, gain"),
        ({"pilots": ()}, "pilots: expected one or more"),
        ({"kinds": ("gain",), "depth": 4}, "depth is 4: .* needs 6"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changes: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        small(**changes)


def test_the_command_makes_a_suite_that_the_suite_command_solves(tmp_path: Path) -> None:
    out = str(tmp_path / "small.epd")
    words = ("data", "tactics", SMALL, "--kind", "win", "--plies", "3-5", "--openings", "2", "-o", out)
    made = json.loads(run(*words, "--positions", "10", "--workers", "2", "--json").stdout)
    assert made["positions"] == made["wanted"] == sum(made["kinds"].values()) == 10
    assert "10 of 10 solved" in run("suite", out, "--needs-win").stdout


def test_the_command_says_plainly_that_there_are_too_few(tmp_path: Path) -> None:
    out = tmp_path / "few.epd"
    few = run("data", "tactics", SMALL, "--kind", "win", "--games", "8", "--positions", "200", "-o", str(out))
    assert few.returncode == 1
    assert "of 200 positions in 8 games" in few.stderr
    assert out.exists() == ("no file" not in few.stderr)
    none = run("data", "tactics", SMALL, "--kind", "win", "--plies", "31", "--games", "1", "-o", str(tmp_path / "x"))
    assert none.returncode == 1
    assert "no file is written" in none.stderr
    wrong = run("data", "tactics", SMALL, "--plies", "a-b", "-o", str(out))
    assert wrong.returncode == 2
