"""Suites that the engine makes: their wins are those of minimax, and neither workers nor an end halfway change them."""

from __future__ import annotations

from pathlib import Path

import pytest

import plypilot as pp
from plypilot.data import EpdPosition, read_epd
from plypilot.learn.tactics import Tactics, TacticsProgress, make_tactics, make_tactics_file
from plypilot.searcher import Limit
from test_cli import run

GAME = "breakthrough-5x5"
WINS = Tactics((pp.Pilot.baseline(GAME),), kinds=("win",), plies=(3, 5), limit=Limit(nodes=200))


def wins_within(position: pp.Position, plies: int) -> bool:
    """Whether the side to move wins by force, by plain minimax."""
    if plies <= 0 or position.outcome() is not None:
        return False
    return any(loses_within(position, move, plies - 1) for move in position.moves())


def loses_within(position: pp.Position, move: pp.Move, plies: int) -> bool:
    """Whether the opponent has lost after a move, or loses whatever the answer is."""
    position.push(move)
    try:
        if position.outcome() is not None:
            return True
        return plies >= 2 and all(answered(position, answer, plies - 1) for answer in position.moves())
    finally:
        position.pop()


def answered(position: pp.Position, answer: pp.Move, plies: int) -> bool:
    """Whether a win follows after an answer too."""
    position.push(answer)
    try:
        return position.outcome() is None and wins_within(position, plies)
    finally:
        position.pop()


def test_just_the_best_move_wins_within_the_plies() -> None:
    items = make_tactics(WINS, 6)
    assert len(items) == 6
    for item in items:
        position = item.position()
        plies = int(item.operations["plies"][0])
        assert 3 <= plies <= 5
        winners = [move for move in position.moves() if loses_within(position, move, 4)]
        assert winners == [position.parse(item.best[0])]
        assert not wins_within(position, plies - 2)


def test_workers_do_not_change_a_suite() -> None:
    assert make_tactics(WINS, 5, workers=2) == make_tactics(WINS, 5)


def test_a_suite_that_was_ended_halfway_is_continued(tmp_path: Path) -> None:
    def end(progress: TacticsProgress) -> None:
        if progress.positions:
            raise KeyboardInterrupt

    out = tmp_path / "suite.epd"
    with pytest.raises(KeyboardInterrupt):
        make_tactics_file(out, WINS, 5, on_progress=end)
    assert not out.exists()
    assert (tmp_path / "suite.epd.work").exists()
    assert make_tactics_file(out, WINS, 5) == make_tactics(WINS, 5)
    assert not (tmp_path / "suite.epd.work").exists()


def test_a_gain_holds_over_depths_in_chess() -> None:
    gains = Tactics((pp.Pilot.baseline("chess"),), kinds=("gain",), depth=6, limit=Limit(nodes=500))
    for item in make_tactics(gains, 2, workers=2):
        assert int(item.operations["gain"][0]) >= 150
        assert len(item.best) == 1


def test_the_command_writes_a_suite_that_the_command_suite_reads(tmp_path: Path) -> None:
    out = tmp_path / "wins.epd"
    words = ("--positions", "3", "--kind", "win", "--plies", "3-5", "--nodes", "200", "-o", str(out))
    assert "3 positions" in run("data", "tactics", GAME, *words).stdout
    items = read_epd(out.read_text("utf-8"), GAME)
    assert len([item for item in items if isinstance(item, EpdPosition)]) == 3
    assert "3" in run("suite", str(out), "--nodes", "20000").stdout
