"""The experiments on learned pruning at their smallest scale, and how they judge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import plypilot as pp
from conftest import ROOT, read_result
from plypilot.learn.catalogue import find_learner

sys.path.insert(0, str(ROOT / "experiments"))
import default_runs
import kocsis_4_chess
import learned_pruning
import orderings
import pruning_claims
import pruning_defaults
import tabu_uses

LOST, EVEN, WON = [-45.0, -60.0, -30.0], [-5.0, -20.0, 10.0], [45.0, 30.0, 60.0]


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
    run = first["pruning breakthrough-5x5"]
    assert run["games"] == (2 if run["best_step"] else 0)
    monkeypatch.setattr(default_runs, "train", lambda *_, **__: pytest.fail("learned again"))
    pruning_defaults.main(words)
    assert read_result(tmp_path, "pruning_defaults")["figures"] == first
    for runs in pruning_defaults.EXPERIMENT.small.values():
        for run in runs:
            find_learner(run.learner, run.settings)


def test_widths_and_functions_in_chess_are_measured_on_fresh_positions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path), "--threads", "2"]
    kocsis_4_chess.main(words)
    assert "FPV-it" in capsys.readouterr().out
    first = read_result(tmp_path, "kocsis_4_chess")["figures"]
    (told,) = first["depths"].values()
    assert set(told) == {*pruning_claims.KINDS, pruning_claims.FUNCTION, pruning_claims.DEEPER}
    assert {len(pruning_claims.winner(told, kind)) for kind in told} <= {0, 12}
    assert set(first["inputs"]) == set(kocsis_4_chess.TRIED)
    assert (tmp_path / "results" / "kocsis_4_chess.tiny.svg").exists()
    for name in ("function", "widths", "deeper"):
        monkeypatch.setattr(kocsis_4_chess.Laboratory, name, lambda *_, **__: pytest.fail("measured again"))
    kocsis_4_chess.main(words)
    assert read_result(tmp_path, "kocsis_4_chess")["figures"] == first


def test_positions_that_choose_are_not_those_that_judge() -> None:
    lab = object.__new__(kocsis_4_chess.Laboratory)
    lab._positions = [str(number) for number in range(70)]
    effort = kocsis_4_chess.Effort(40, 20)
    sets = [set(lab.positions(effort, use)) for use in ("choosing", "fresh", "learning")]
    assert [len(own) for own in sets] == [28, 28, 14] and len(set.union(*sets)) == 70
    lab._positions *= 2
    assert [len(lab.positions(effort, use)) for use in ("choosing", "fresh", "learning")] == [40, 40, 20]


def test_widths_and_functions_in_chess_are_judged_by_intervals() -> None:
    def fresh(middle: float, spread: float = 1.0) -> str:
        return pruning_claims.write_worths([middle - spread, middle + spread] * 200)

    def figures(vectors: tuple[float, float, float], function: float, spread: float = 1.0) -> dict[str, Any]:
        kinds = zip(pruning_claims.KINDS, vectors, strict=True)
        told: dict[str, Any] = {kind: {"rows": [{"fresh": fresh(worth, spread)}]} for kind, worth in kinds}
        told["function"], told["a ply deeper"] = {"fresh": fresh(function, spread)}, {"fresh": fresh(4)}
        inputs = {
            pruning_claims.MAIN_ALONE: {"learning": 1.0, "fresh": fresh(1)},
            pruning_claims.BOARD: {"learning": 3.0, "fresh": fresh(-function)},
            pruning_claims.KEPT_BOARD: {"learning": 1.0, "fresh": fresh(function)},
        }
        passing = {
            pruning_claims.LEARNED_PASSING: {"fresh": fresh(function, spread), "share": 0.9},
            pruning_claims.LARGE_R: {"fresh": fresh(0, spread), "share": 0.8},
            pruning_claims.SMALL_R: {"fresh": fresh(1, spread), "share": 1.0},
        }
        return {"depths": dict.fromkeys("4567", told), "inputs": inputs, "passing": passing}

    def judged(told: dict[str, Any]) -> list[bool | None]:
        return [claim.judge(told).matched for claim in pruning_claims.CLAIMS]

    assert judged(figures((0, 0.5, 1), 2)) == [True] * 7
    assert judged(figures((2, 0.5, -1), -2)) == [False, False, False, True, False, False, False]
    unclear = judged(figures((0, 0.01, 0.02), 0.03, spread=50))
    assert unclear[1:3] == [None, True], "what both have in common does not blur a difference"
    assert judged({"depths": {}, "inputs": {}, "passing": {}}) == [None] * 7
    assert "open" in str(pruning_claims.CLAIMS[1].judge(figures((0, 0.01, 0.02), 0.03, spread=50)))


def test_the_tabu_search_sets_numbers_of_selectivity(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path), "--threads", "2"]
    tabu_uses.main(words)
    assert "pruning.null_reduction" in capsys.readouterr().out
    first = read_result(tmp_path, "tabu_uses")["figures"]
    (told,) = first.values()
    assert set(told["after"]) == set(told["before"]) == set(tabu_uses.PLACES)
    assert told["match"]["games"] == 2 and told["critical"] >= 1
    tabu_uses.main(words)
    assert read_result(tmp_path, "tabu_uses")["figures"] == first


def test_cheaper_numbers_of_selectivity_come_first() -> None:
    nodes = []
    for solution in (tabu_uses.SPACE.cheapest, tabu_uses.SPACE.dearest):
        pilot = pp.Pilot.baseline("loa").replace(tabu_uses.numbers(solution))
        nodes.append(pp.search(pilot, pp.Position("loa"), pp.Limit(depth=5)).nodes.all)
    assert nodes[0] < 0.2 * nodes[1]
    with_hand_set = {"loa": {"after": {}, "match": {"elo": [9.0, 1.0, 20.0]}, "monotony": [85, 100]}}
    matched = [claim.judge(with_hand_set).matched for claim in tabu_uses.CLAIMS]
    assert matched == [True, None, None, False]
