"""The learners that make populations of evaluators keep the promises of all learners."""

from __future__ import annotations

from typing import Any

import pytest

from plypilot.games import game_info
from plypilot.learn import check_learner
from test_learners import small_network

GAME, SET = "breakthrough-4x4", "half_board"
INPUTS = next(len(features.features) for features in game_info(GAME).feature_sets if features.name == SET)
PLAY = {"opening_plies": 2, "most_plies": 20}
SANE = {"inputs": INPUTS, "units": 3, "neurons": 12, "networks": 4}

LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "std": ("SelfPlay", {"games": 12, "save_every": 4, "batch": 2}),
    "mtd": ("Circle", {"players": 3, "saves": 3, "cycles": 1}),
    "sane": ("Evolution", {"generations": 3, "rounds": 2, "sane": SANE}),
    "sane-td": ("Evolution", {"generations": 3, "rounds": 2, "sane": SANE, "td_players": 2}),
}


@pytest.mark.parametrize(("kind", "settings"), LEARNERS.values(), ids=LEARNERS)
def test_learners_of_evaluators_keep_every_promise(kind: str, settings: dict[str, Any]) -> None:
    pilot = small_network(GAME, SET)
    assert check_learner(f"plypilot.learn.evaluators:{kind}", settings | {"play": PLAY}, pilot=pilot) == []
