"""The experiments on learned pruning at their smallest scale, and how they judge."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import plypilot as pp
from conftest import ROOT
from plypilot.learn.catalogue import find_learner

sys.path.insert(0, str(ROOT / "experiments"))
import learned_pruning
import movemap_defaults
import orderings
import pruning_defaults

LOST, EVEN, WON = [-45.0, -60.0, -30.0], [-5.0, -20.0, 10.0], [45.0, 30.0, 60.0]


def read_result(folder: Path, name: str) -> dict[str, Any]:
    result = json.loads((folder / "results" / f"{name}.tiny.json").read_text())
    assert isinstance(result, dict)
    return result


def test_learned_pruning_plays_the_pilot_that_it_began_from_and_the_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path), "--threads", "2"]
    learned_pruning.main(words)
    first = read_result(tmp_path, "learned_pruning")["figures"]
    (told,) = first.values()
    assert set(told) == set(learned_pruning.LEARNERS)
    for own in told.values():
        usual = {"equal time", "equal nodes", "five times the time"}
        assert set(own["opponents"][learned_pruning.START]) == (usual if own["has_changed"] else set())
        assert set(own["opponents"][learned_pruning.BASELINE]) == usual - {"equal nodes"}
    monkeypatch.setattr(orderings.pp, "match", lambda *_, **__: pytest.fail("played again"))
    learned_pruning.main(words)
    assert read_result(tmp_path, "learned_pruning")["figures"] == first


def test_learned_pruning_begins_from_a_pilot_that_leaves_no_move_out() -> None:
    for game in learned_pruning.GAMES:
        bare = learned_pruning.bare_pilot(game)
        result = pp.search(bare, pp.Position(game), pp.Limit(depth=4), statistics=True)
        assert result.statistics is not None
        assert not any(result.statistics.skipped.values()) and not result.statistics.reduced
        assert bare.pruning.null_reduction == pp.Pilot.baseline(game).pruning.null_reduction


def test_learned_pruning_is_judged_by_intervals() -> None:
    def figures(bare: list[float], baseline: list[float], changed: bool = True) -> dict[str, Any]:
        opponents = {
            learned_pruning.START: {"equal time": {"elo": bare}} if changed else {},
            learned_pruning.BASELINE: {"equal time": {"elo": baseline}},
        }
        told = {"has_changed": changed, "opponents": opponents}
        return {game: dict.fromkeys(learned_pruning.LEARNERS, told) for game in learned_pruning.GAMES}

    def judged(told: dict[str, Any]) -> set[bool | None]:
        return {claim.judge(told).matched for claim in learned_pruning.CLAIMS}

    assert judged(figures(WON, EVEN)) == {True}
    assert judged(figures(EVEN, LOST)) == {False}
    assert judged(figures([], LOST, changed=False)) == {False}
    assert judged({}) == {None}
    matched = [claim.judge(figures([25.0, 5.0, 45.0], WON)).matched for claim in learned_pruning.CLAIMS]
    assert matched[:6] == [False] * 4 + [True] * 2, "25 Elo is enough in chess alone"


def test_scales_of_learned_pruning_name_learners_that_there_are() -> None:
    for parts in learned_pruning.SCALES.values():
        for part in parts:
            for learner in part.learners:
                find_learner(learner, part.settings.get(learner, {}))
    assert all(f"{game}-long" in learned_pruning.SCALES for game in learned_pruning.GAMES)


def test_default_runs_of_learners_of_pruning_play_their_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path), "--threads", "2"]
    pruning_defaults.main(words)
    first = read_result(tmp_path, "pruning_defaults")["figures"]
    (run,) = first["pruning breakthrough-5x5"]
    assert run["games"] == (2 if run["best_step"] else 0)
    monkeypatch.setattr(movemap_defaults, "train", lambda *_, **__: pytest.fail("learned again"))
    pruning_defaults.main(words)
    assert read_result(tmp_path, "pruning_defaults")["figures"] == first
    for scales in pruning_defaults.SCALES.values():
        for scale in scales:
            find_learner(scale.learner, scale.settings)
