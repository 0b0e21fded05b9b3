"""Null moves, reductions and pruning keep known tactics: forced wins of 3 and 5 plies in every native game."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

import plypilot as pp
from make_tactics import COUNT, DEPTHS, FILE, exhaustive
from plypilot.score import LEAST_WIN, WIN_SCORE
from plypilot.searcher import Iteration, Limit, Searcher

TACTICS: list[dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
BUDGET = 2_000_000
"""Nodes within which a selective search must have seen the win."""
OFF: dict[str, Any] = {
    "pruning.null_reduction": 0,
    "depth.reduce_late": False,
    "pruning.futility_margin": 0,
    "pruning.late_moves": 0,
}
TECHNIQUES: dict[str, dict[str, Any]] = {
    "null move": {"pruning.null_reduction": 2},
    "reductions": {"depth.reduce_late": True},
    "pruning": {"pruning.futility_margin": 100, "pruning.late_moves": 4},
}
TECHNIQUES["all of them"] = {name: value for changes in TECHNIQUES.values() for name, value in changes.items()}


def test_there_are_a_hundred_tactics_that_no_selective_search_has_chosen() -> None:
    assert Counter(tactic["game"] for tactic in TACTICS) == dict.fromkeys(DEPTHS, COUNT)
    assert len(TACTICS) == 100
    for tactic in TACTICS:
        searcher, position = Searcher(exhaustive(tactic["game"])), pp.Position(tactic["game"], tactic["fen"])
        result = searcher.search(position, Limit(depth=tactic["plies"]))
        assert (str(result.move), result.score) == (tactic["move"], WIN_SCORE - tactic["plies"])


@pytest.mark.parametrize("changes", TECHNIQUES.values(), ids=TECHNIQUES)
def test_selective_searches_keep_every_tactic(changes: dict[str, Any]) -> None:
    searchers = {game: Searcher(pp.Pilot.baseline(game).replace(OFF | changes)) for game in DEPTHS}
    missed = []
    for tactic in TACTICS:
        searcher = searchers[tactic["game"]]

        def stop_at_a_win(iteration: Iteration, searcher: Searcher = searcher) -> None:
            if iteration.score >= LEAST_WIN:
                searcher.stop()

        searcher.clear()
        position = pp.Position(tactic["game"], tactic["fen"])
        result = searcher.search(position, Limit(nodes=BUDGET), on_iteration=stop_at_a_win)
        if result.score < LEAST_WIN:
            missed.append(tactic)
    assert missed == []
