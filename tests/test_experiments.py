"""The experiments at their smallest scale, the data they list, and the module they share."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import plypilot as pp
from conftest import MATE, ROOT, read_result
from plypilot.learn.catalogue import find_learner
from plypilot.searcher import Limit

sys.path.insert(0, str(ROOT / "experiments"))
import bm_play
import bm_suite
import breakthrough_baseline
import chess_claims
import default_runs
import depth_defaults
import focus_values
import gf_breakthrough
import gf_chess
import harness
import kocsis_3_chess
import kocsis_3_loa
import kocsis_3_mia
import kocsis_4_loa
import kocsis_5_chess
import kocsis_5_loa
import learned_depth
import learned_passing
import learned_timing
import levels
import movemap_defaults
import movemap_options
import movemap_play
import orderings
import peers
import ply_gradient
import rps
import td_defaults
import techniques
import timing_defaults

# What the seeds list.


def test_every_technique_changes_a_pilot_of_each_game_it_names() -> None:
    for game in techniques.SCALES["full"].baseline_depths:
        found = techniques.list_comparisons(game)
        named = {each.technique for each in found}
        for technique in techniques.TECHNIQUES:
            expected = not technique.games or game in technique.games
            if technique.name != "categories":
                assert (technique.name in named) == expected, (game, technique.name)
        for each in found:
            assert each.pilot != each.reference


# The experiments themselves.


def test_techniques_tabulates_each_alone(tmp_path: Path, book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    techniques.main(["--scale", "tiny", "--out", str(tmp_path), "--data", str(book)])
    text = capsys.readouterr().out
    assert "breakthrough: the baseline without" in text and "chess: the plain pilot with" in text
    rows = read_result(tmp_path, "techniques")["figures"]["rows"]
    assert all((row["node_ratio"] is None) == row["is_idle"] and row["time_ratio"] > 0 for row in rows)
    assert any(row["is_idle"] for row in rows), "a search of a ply or two gives some techniques no occasion"
    assert all(row["is_idle"] or row["nodes"] / row["reference_nodes"] == row["node_ratio"] for row in rows)
    assert all((row["solved"] is None) == (row["game"] != "chess") for row in rows)


def test_an_interrupted_run_says_how_to_go_on_and_keeps_whole_lines(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "experiments" / "smith_4_2.py"), "--scale", "quick", "--threads", "2"]
    process = subprocess.Popen([*command, "--out", str(tmp_path)], stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not list(tmp_path.glob("runs/smith_4_2/*.jsonl")) and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.strip().endswith("the same command goes on from here")
    for line in next(tmp_path.glob("runs/smith_4_2/*.jsonl")).read_text().splitlines():
        assert len(json.loads(line)) == 2


def test_widths_are_sought_in_the_population_and_judged_by_fresh_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path)]
    kocsis_4_loa.main(words)
    assert "one ply deeper" in capsys.readouterr().out
    first = read_result(tmp_path, "kocsis_4_loa")
    (told,) = first["figures"]["depths"].values()
    assert told["deeper"] > told["full"] and all(row["share"] <= 1 for row in told["rows"])
    kocsis_4_loa.main(words)
    assert read_result(tmp_path, "kocsis_4_loa")["figures"] == first["figures"]


def test_a_learned_order_plays_the_baseline_and_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path), "--threads", "2"]
    movemap_play.main(words)
    assert "more time" in capsys.readouterr().out
    first = read_result(tmp_path, "movemap_play")
    assert [verdict["matched"] for verdict in first["verdicts"]] == [None, None]
    assert first["figures"]["breakthrough"]["matches"]["learned"]["games"] == 2
    movemap_play.main(words)
    assert read_result(tmp_path, "movemap_play")["figures"] == first["figures"]


def test_the_baseline_plays_another_engine_and_a_second_run_plays_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        peers.find_program()
    except SystemExit as missing:
        pytest.skip(str(missing))
    words = ["--scale", "tiny", "--out", str(tmp_path)]
    peers.main(words)
    first = read_result(tmp_path, "peers")
    assert first["figures"]["breakthrough"]["games"] == 2
    assert [verdict["matched"] for verdict in first["verdicts"]] == [None], "two games prove nothing"
    monkeypatch.setattr(orderings.pp, "match", lambda *_, **__: pytest.fail("played again"))
    peers.main(words)
    assert read_result(tmp_path, "peers")["figures"] == first["figures"]


def test_levels_play_those_below_and_a_second_run_plays_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path)]
    levels.main(words)
    first = read_result(tmp_path, "levels")
    assert [row["nodes"] for row in first["figures"]["breakthrough-5x5"]] == [[20, 60], [60, 180]]
    assert [verdict["matched"] for verdict in first["verdicts"]] == [None, None], "two levels prove nothing"
    monkeypatch.setattr(levels.pp, "match", lambda *_, **__: pytest.fail("played again"))
    levels.main(words)
    assert read_result(tmp_path, "levels")["figures"] == first["figures"]


def test_levels_are_judged_by_all_of_their_steps() -> None:
    def figures(steps: Sequence[Sequence[float]]) -> dict[str, list[dict[str, object]]]:
        sizes = [20 * 3**level for level in range(10)]
        return {
            game: [{"nodes": list(nodes), "elo": list(steps[i])} for i, nodes in enumerate(itertools.pairwise(sizes))]
            for game in levels.GAMES
        }

    order, size = levels.CLAIMS
    sound = [(300.0, 200.0, 400.0)] * 9
    assert (order.judge(figures(sound)).matched, size.judge(figures(sound)).matched) == (True, True)
    unsure = order.judge(figures([*sound[:8], (50.0, -10.0, 110.0)]))
    assert (unsure.matched, unsure.is_open) == (None, True)
    assert order.judge(figures([*sound[:8], (-50.0, -90.0, -10.0)])).matched is False
    assert size.judge(figures([(178.0, 150.0, 199.0)] * 9)).matched is False, "each too small"
    assert size.judge(figures([(340.0, 290.0, 390.0)] * 9)).matched is False, "their sum too large"
    assert levels.said_elo([20, 60]) is None and levels.said_elo([60, 180]) == 300


def test_another_engine_that_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "PROGRAM", "no-such-engine")
    with pytest.raises(SystemExit, match="no-such-engine is neither on the PATH nor in /usr/games; install it"):
        peers.main(["--scale", "tiny", "--out", str(tmp_path)])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("score", "games", "matched"), [(0.55, 400, True), (0.5488, 400, False), (0.9, 20, None)])
def test_breakthrough_is_ahead_with_55_percent_of_400_games(score: float, games: int, matched: bool | None) -> None:
    figures = {"breakthrough": {"score": score, "games": games, "elo": [35.0, 1.0, 69.0]}}
    assert peers.CLAIMS[0].judge(figures).matched is matched


def test_the_breakthrough_baseline_is_written_as_the_package_reads_it(tmp_path: Path) -> None:
    made = tmp_path / "breakthrough.json"
    learner = breakthrough_baseline.LEARNER.model_copy(update={"games": 16, "depth": 1})
    breakthrough_baseline.main(["--out", str(made), "--runs", str(tmp_path)], learner)
    shipped = ROOT / "src" / "plypilot" / "baselines" / "breakthrough.json"
    learned, known = (json.loads(path.read_text()) for path in (made, shipped))
    assert learned.keys() == known.keys()
    assert learned["weights"].keys() == known["weights"].keys()
    assert learned["weights"] != known["weights"]


def test_default_runs_of_the_move_map_play_their_start(tmp_path: Path) -> None:
    movemap_defaults.main(["--scale", "tiny", "--out", str(tmp_path), "--threads", "2"])
    run = read_result(tmp_path, "movemap_defaults")["figures"]["movemap breakthrough"]
    assert run["games"] == (2 if run["best_step"] else 0)
    claims, ahead = movemap_defaults.EXPERIMENT.claims, {"elo": [9.0, 1.0, 20.0], "minutes": 1.0}
    figures = {run.name: ahead for run in movemap_defaults.FULL}
    assert [claim.judge(figures).matched for claim in claims] == [True, True]
    del figures["movemap chess"]
    assert [claim.judge(figures).matched for claim in claims] == [None, None]
    figures["movemap loa"] = {"elo": [-9.0, -20.0, -1.0], "minutes": 16.0}
    assert [claim.judge(figures).matched for claim in claims] == [False, False]


def test_default_runs_of_learners_of_depth_play_their_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path), "--threads", "2"]
    depth_defaults.main(words)
    first = read_result(tmp_path, "depth_defaults")
    run = first["figures"]["realization breakthrough"]
    assert run["games"] == (2 if run["best_step"] else 0)
    assert "realization breakthrough" in capsys.readouterr().out
    monkeypatch.setattr(default_runs, "train", lambda *_, **__: pytest.fail("learned again"))
    depth_defaults.main(words)
    assert read_result(tmp_path, "depth_defaults")["figures"] == first["figures"]
    for runs in depth_defaults.EXPERIMENT.small.values():
        for run in runs:
            find_learner(run.learner, run.settings)


def test_a_move_map_is_measured_beside_history(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kocsis_3_mia.main(["--scale", "tiny", "--out", str(tmp_path), "--threads", "2"])
    assert "adds" in capsys.readouterr().out
    figures = read_result(tmp_path, "kocsis_3_mia")["figures"]
    assert {row["pilot"] for row in figures["rows"]["full"]} == {
        "history as a sum",
        "adagrad, pure",
        "adagrad, straightforward",
        "adagrad, weighted",
    }


def test_kocsis_3_loa_compares_encodings_and_a_second_run_learns_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path)]
    kocsis_3_loa.main(words)
    assert "error rates by the size of the learning set" in capsys.readouterr().out
    first = read_result(tmp_path, "kocsis_3_loa")
    figures, scale = first["figures"], kocsis_3_loa.SCALES["tiny"]
    assert tuple(figures["errors"]) == kocsis_3_loa.ENCODINGS
    assert all([point["size"] for point in points] == list(scale.sizes) for points in figures["errors"].values())
    measured = {(row["pilot"], row["depth"]) for row in figures["by_encoding"]}
    assert measured == {
        (pilot, depth) for pilot in (kocsis_3_loa.RUNNING, *kocsis_3_loa.ENCODINGS) for depth in scale.depths
    }
    assert [row["pilot"] for row in figures["by_size"]] == [kocsis_3_loa.size_name(size) for size in scale.sizes]
    assert [verdict["matched"] for verdict in first["verdicts"]] == [None] * len(kocsis_3_loa.CLAIMS)
    drawing = (tmp_path / "results" / "kocsis_3_loa.tiny.svg").read_text()
    assert drawing.startswith("<svg") and drawing.count("<svg") == 3

    monkeypatch.setattr(harness.Harness, "search", lambda *_, **__: pytest.fail("searched again"))
    kocsis_3_loa.main(words)
    assert read_result(tmp_path, "kocsis_3_loa")["figures"] == figures


def test_what_kocsis_3_loa_says_of_its_figures_passes_and_the_contrary_fails() -> None:
    depths, sizes = kocsis_3_loa.FULL.depths, kocsis_3_loa.FULL.sizes

    def rows(pilot: str, *ratios: float, seconds: float = 1.0) -> list[dict]:
        """Of depths 2 and more."""
        return [
            {"pilot": pilot, "depth": depth, "nodes": [ratio] * 3, "seconds": [seconds] * 3}
            for depth, ratio in zip(depths, ratios, strict=False)
        ]

    def errors(*rates: float) -> list[dict]:
        return [{"size": size, "test_error": rate} for size, rate in zip(sizes, rates, strict=True)]

    seed = {
        "scale": "full",
        "errors": {"mei": errors(0.8, 0.75, 0.7, 0.65), "meos": errors(0.9, 0.8, 0.7, 0.64)}
        | {"meoc": errors(0.85, 0.8, 0.75, 0.7)},
        "by_encoding": rows("mei", 0.5, 0.7, 0.6, 0.8, 0.6, 0.7, seconds=1.5)
        + rows("meos", 0.5, 0.7, 0.6, 0.8, 0.6, 0.7, seconds=0.8)
        + rows("meoc", 0.6, 0.8, 0.7, 0.9, 0.7, 0.8, seconds=0.9),
        "by_size": [
            row
            for number, size in enumerate(sizes)
            for row in rows(kocsis_3_loa.size_name(size), *(0.9 - 0.05 * number,) * 6)
        ],
    }
    assert all(claim.judge(seed).matched for claim in kocsis_3_loa.CLAIMS)
    contrary = {
        "scale": "full",
        "errors": {"mei": errors(0.6, 0.6, 0.6, 0.7), "meos": errors(0.6, 0.6, 0.6, 0.8)}
        | {"meoc": errors(0.6, 0.6, 0.6, 0.6)},
        "by_encoding": rows("mei", *(1.2,) * 6) + rows("meos", *(1.0,) * 6, seconds=2.0) + rows("meoc", *(0.9,) * 6),
        "by_size": [
            row
            for number, size in enumerate(sizes)
            for row in rows(kocsis_3_loa.size_name(size), *(0.9 + 0.05 * number,) * 6)
        ],
    }
    assert [claim.judge(contrary).matched for claim in kocsis_3_loa.CLAIMS] == [False] * len(kocsis_3_loa.CLAIMS)
    part = {"scale": "mei", "errors": {"mei": seed["errors"]["mei"]}}
    assert [claim.judge(part).matched for claim in kocsis_3_loa.CLAIMS] == [None] * len(kocsis_3_loa.CLAIMS)


def test_kocsis_3_chess_measures_every_part_and_a_second_run_searches_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path)]
    kocsis_3_chess.main(words)
    text = capsys.readouterr().out
    for part in ("Table 3.1", "Table 3.2", "beside history, reduced", "beside running history, full", "adds"):
        assert part in text
    first = read_result(tmp_path, "kocsis_3_chess")
    figures = first["figures"]
    assert set(kocsis_3_chess.PARTS) < set(figures)
    assert [verdict["matched"] for verdict in first["verdicts"]] == [None] * len(kocsis_3_chess.CLAIMS)
    assert 0 < figures["networks"]["rates"]["search, reduced"]["own games"] < 1
    rows = {(row["pilot"], row["depth"]): row for row in figures["uses-full"]["rows"]}
    assert rows["ALL, weighted", 3]["positions"] == 4 and rows["ALL, weighted", 4]["positions"] == 2
    assert 0 < rows["ALL, weighted", 4]["asking"] < 1 and rows["running history", 4]["asking"] == 0
    assert rows["ALL, pure", 3]["first_cuts"] != rows["ALL, pure", 4]["first_cuts"]
    results = tmp_path / "results"
    assert (results / "kocsis_3_chess.tiny.svg").read_text().count("<svg") == 1 + 5
    assert (results / "kocsis_3_chess.tiny.html").read_text().count("<pre>") == kocsis_3_chess.EXAMPLES

    monkeypatch.setattr(harness.Harness, "search", lambda *_, **__: pytest.fail("searched again"))
    kocsis_3_chess.main(words)
    assert read_result(tmp_path, "kocsis_3_chess")["figures"] == figures


def seed_figures_of_chess() -> dict:
    """Figures of kocsis_3_chess as the seed tells them, and where it tells only an order, some that have it."""

    def rows(**ratios: dict[int, float]) -> list[dict]:
        return [
            {"pilot": pilot, "depth": depth, "nodes": [ratio]}
            for pilot, by_depth in ratios.items()
            for depth, ratio in by_depth.items()
        ]

    def flat(ratio: float) -> dict[int, float]:
        return dict.fromkeys(range(7, 12), ratio)

    seed = chess_claims.SEED_RATES
    rates = {
        f"ALL, {method}": seed["ALL"]
        for method in ("rprop", "rprop, sigmoid", "rprop, shares", chess_claims.SHARING, chess_claims.LAST_MOVE)
    }
    rates["specific, rprop"] = seed["specific"]
    weighted = dict.fromkeys(range(3, 10), 0.98) | {10: 0.95, 11: 0.925}
    uses = {"pure": 1.04, "straightforward": 1.02}
    by_set = {"E97": 1.05, "E9x": 1.01, "KI": 1.0, "ALL": 1.0}
    labels = {"game, pure": 1.05, "engine, pure": 1.02, "game, straightforward": 1.0, "engine, straightforward": 1.0}
    scan = {
        chess_claims.weight_name(name, factor): flat(0.97 + 0.01 * abs(np.log2(factor)))
        for name in ("E9x", "ALL")
        for factor in chess_claims.FACTORS
    }
    adaptive = {
        chess_claims.adaptive_name(name, start): flat(0.97) for name in ("E9x", "ALL") for start in (1 / 16, 1, 16)
    }
    return {
        "is_judged": True,
        "is_on_record": True,
        "networks": {
            "rates": rates | {"search, reduced": seed["search"], "search, full": seed["search"]},
            "scores": {"networks": {chess_claims.BY_SIGMOID: {"median": -0.1, "mean": -0.1}}},
        },
        "decay": {
            "rates": {
                f"specific, {chess_claims.DECAYED}": seed["specific"],
                **{f"ALL, {row}": seed["ALL"] for row in (chess_claims.DECAYED, chess_claims.DECAYED_LAST_MOVE)},
            }
        },
        "sets": {
            "rows": rows(
                **{f"{name} by {kind}": flat(ratio) for name in ("E97", "E9x") for kind, ratio in labels.items()},
                **{f"{name}, {use}": flat(ratio) for name, ratio in by_set.items() for use in uses},
            )
        },
        "uses-reduced": {
            "rows": rows(
                **{
                    f"ALL, {use}": {depth: ratio * weighted[depth] for depth in weighted} for use, ratio in uses.items()
                },
                **{"ALL, weighted": weighted, "ALL, weighted, 2 plies": weighted, chess_claims.BY_DEVIATION: weighted},
            ),
            "overhead": 0.065,
        },
        "weights": {
            "networks": {name: {"deviation": 1.0, "usual_weight": 1.0} for name in ("E9x", "ALL")},
            "reduced": {
                "rows": rows(**scan, **adaptive),
                "ends": {name: [300.0, 500.0, 600.0] for name in adaptive},
                "history": {"median": 0.001, "mean": 0.01},
            },
        },
    }


def test_kocsis_3_chess_judges_the_seed_right_and_tells_what_differs() -> None:
    figures = seed_figures_of_chess()
    assert [claim.name for claim in chess_claims.CLAIMS if not claim.judge(figures).matched] == []
    for row in figures["uses-reduced"]["rows"]:
        row["nodes"] = [2 - row["nodes"][0]]
    figures["networks"]["rates"]["search, reduced"] = dict.fromkeys(chess_claims.SEED_RATES["ALL"], 0.6)
    wrong = {claim.name for claim in chess_claims.CLAIMS if not claim.judge(figures).matched}
    assert wrong == {
        "what a search of 7 plies predicts",
        "networks are almost as good as that search",
        "the weighted combination is best",
        "the straightforward combination is before the pure approach",
        "fewer nodes at depths 3 to 9",
        "fewer nodes at depth 11",
        "the gain grows with depth",
    }
    reduced = figures["weights"]["reduced"]
    reduced["ends"][chess_claims.adaptive_name("ALL", 16)] = [3000.0, 5000.0, 6000.0]
    reduced["history"]["median"] = 0.009
    more = {claim.name for claim in chess_claims.CLAIMS if not claim.judge(figures).matched}
    assert more - wrong == {"and ends at one value", "scores of history peak near 0"}
    del figures["weights"]
    told = {claim.name: claim.judge(figures).found for claim in chess_claims.CLAIMS}
    assert told["and ends at one value"] == "measured by the scale weights"


def test_learned_depth_is_played_as_it_was_learned(tmp_path: Path) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path), "--threads", "2"]
    learned_depth.main(words)
    first = read_result(tmp_path, "learned_depth")
    assert set(first["figures"]["breakthrough"]["matches"]) == {"equal time", "equal nodes", "five times the time"}
    learned_depth.main(words)
    assert read_result(tmp_path, "learned_depth")["figures"] == first["figures"]
    strong = {"loa": {"matches": {"equal time": {"elo": [45.0, 5.0, 85.0]}}}}
    weak = {"loa": {"matches": {"equal time": {"elo": [45.0, -5.0, 95.0]}}}}
    assert learned_depth.CLAIMS[0].judge(strong).matched
    assert not learned_depth.CLAIMS[0].judge(weak).matched


def test_time_allocation_is_measured_by_increment_and_a_second_run_plays_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path), "--threads", "2"]
    kocsis_5_loa.main(words)
    kocsis_5_chess.main(words)
    assert "an example game" in capsys.readouterr().out
    first = [read_result(tmp_path, name)["figures"] for name in ("kocsis_5_loa", "kocsis_5_chess")]
    assert set(first[0]["curves"]) == {"static", "SD-ES", "SD-MAC", "SD-SANE"}
    assert set(first[1]["curves"]["3"]) == {"static", "CRAFTY-TA", "SD-MAC", "Dyn-MAC"}
    for name, told in first[1]["curves"]["3"].items():
        assert told["300"]["spent"] < 2, f"{name} spent more than its bank"
    assert (tmp_path / "results" / "kocsis_5_chess.tiny.example.svg").read_text().startswith("<svg")
    for own in first[1]["example"]:
        banks = 10 + np.arange(1, len(own["spent"]) + 1) - np.cumsum(own["spent"])
        assert own["left"] == pytest.approx(banks.tolist(), abs=0.05)
        assert len(own["own_moves"]) == len(own["depths"]) == len(own["left"])
    example = {own["mechanism"]: own for own in first[1]["example"]}
    assert max(example["Dyn-MAC"]["depths"]) <= 4 and max(example["static, depth 4"]["depths"]) <= 4
    monkeypatch.setattr("time_allocation.read_sides", lambda *_, **__: pytest.fail("played again"))
    kocsis_5_loa.main(words)
    assert read_result(tmp_path, "kocsis_5_loa")["figures"] == first[0]


def test_curves_of_time_allocation_are_judged_by_what_the_seed_says_of_them() -> None:
    def curves(*points: list[float]) -> dict:
        names = ("static", "SD-ES", "SD-MAC", "SD-SANE")
        return {
            "curves": {
                name: {str(place): {"points": own} for place, own in enumerate(values)}
                for name, values in zip(names, points, strict=True)
            },
            "training_games": {"SD-MAC": 10, "SD-SANE": 20},
        }

    as_said = curves([0.3, 0.4], [0.4, 0.5], [0.5, 0.4], [0.6, 0.6])
    assert all(claim.judge(as_said).matched for claim in kocsis_5_loa.CLAIMS)
    otherwise = curves([0.7, 0.4], [0.4, 0.3], [0.5, 0.4], [0.3, 0.3]) | {"training_games": {"SD-MAC": 9, "SD-SANE": 9}}
    assert not any(claim.judge(otherwise).matched for claim in kocsis_5_loa.CLAIMS)


def test_learned_timing_plays_the_simple_rule_on_a_clock(tmp_path: Path) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path), "--threads", "2"]
    learned_timing.main(words)
    first = read_result(tmp_path, "learned_timing")
    assert set(first["figures"]["breakthrough"]) == {"usual clock", "long clock", "short clock"}
    learned_timing.main(words)
    assert read_result(tmp_path, "learned_timing")["figures"] == first["figures"]

    def told(elo: list[float], late: int = 0, moves: int = 5000) -> dict:
        one = {"elo": elo, "lost_on_time": late, "moves": moves}
        return {"loa": {"usual clock": one, "long clock": one, "short clock": one}}

    ahead, behind = [30.0, 5.0, 55.0], [-30.0, -55.0, -5.0]
    assert [claim.judge(told(ahead)).matched for claim in learned_timing.CLAIMS] == [True, True, True]
    assert [claim.judge(told(behind, 3)).matched for claim in learned_timing.CLAIMS] == [False, False, False]
    assert learned_timing.CLAIMS[2].judge(told(ahead, 2)).matched


def test_an_example_tells_where_its_games_part() -> None:
    def played(name: str, *moves: str) -> dict:
        return {"mechanism": name, "own_moves": list(moves)}

    told = [played("static", "a", "b"), played("rule", "a", "c", "d", "e"), played("learned", "a", "c", "d", "f")]
    assert kocsis_5_chess.parting(told) == {2: "static | rule and learned", 4: "static | rule | learned"}
    assert kocsis_5_chess.parting([told[1], told[1]]) == {}


def test_another_decision_is_learned_by_the_code_that_learns_timing(tmp_path: Path) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path), "--threads", "2"]
    learned_passing.main(words)
    first = read_result(tmp_path, "learned_passing")["figures"]
    told = first["breakthrough"]
    assert set(told["matches"]) == {
        "chance, as before learning", "learned", "R = 0", "R = 1", "R = 2", "learned against chance"
    }  # fmt: skip
    assert len(told["chosen"][0]) == 3 and sum(map(sum, told["chosen"])) > 10
    learned_passing.main(words)
    assert read_result(tmp_path, "learned_passing")["figures"] == first

    def claims(against_chance: list[float], against_baseline: list[float]) -> list[bool]:
        matches = {"learned against chance": {"elo": against_chance}, "learned": {"elo": against_baseline}}
        return [bool(claim.judge({"loa": {"matches": matches}}).matched) for claim in learned_passing.CLAIMS]

    assert claims([30.0, 5.0, 55.0], [0.0, -20.0, 20.0]) == [True, True]
    assert claims([30.0, -5.0, 65.0], [-30.0, -50.0, -10.0]) == [False, False]


def test_default_runs_of_timing_are_judged_on_a_clock(tmp_path: Path) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path), "--threads", "2"]
    timing_defaults.main(words)
    run = read_result(tmp_path, "timing_defaults")["figures"]["timing breakthrough-5x5"]
    assert run["games"] == (2 if run["best_step"] else 0)
    for runs in (*timing_defaults.EXPERIMENT.small.values(), timing_defaults.FULL):
        for run in runs:
            find_learner(run.learner, run.settings)
            assert run.limit.clock == pytest.approx(100 * run.limit.increment)


def test_costs_learned_from_a_suite_are_shown_by_iteration_and_kept(tmp_path: Path, book: Path) -> None:
    suite = tmp_path / "few.epd"
    suite.write_text("".join(book.read_text().splitlines(keepends=True)[:3]))
    words = ["--scale", "tiny", "--data", str(suite), "--out", str(tmp_path)]
    bm_suite.main(words)
    first = read_result(tmp_path, "bm_suite")["figures"]
    assert first["iterations"][0]["costs"]["check"] == 1
    assert len(first["iterations"]) == 2 and first["hand_set"]["costs"]["check"] == bm_suite.HAND_SET
    assert (tmp_path / "results" / "bm_suite.tiny.svg").exists()
    bm_suite.main(words)
    assert read_result(tmp_path, "bm_suite")["figures"] == first
    with pytest.raises(SystemExit, match="--data"):
        bm_suite.main(["--scale", "tiny", "--out", str(tmp_path)])


def test_positions_that_settings_were_chosen_on_are_left_out(tmp_path: Path, book: Path) -> None:
    made = harness.Harness("bm_suite", "tiny", folder=tmp_path)
    rest = bm_suite.leave_out(made, book, bm_suite.SCALES["ecm"].tuned_on)
    made.close()
    assert rest.read_text().splitlines() == book.read_text().splitlines()[200:]
    assert bm_suite.leave_out(made, book, 0) == book


def test_costs_learned_from_a_suite_are_judged_by_the_iteration_with_the_fewest_nodes() -> None:
    def iteration(nodes: int, solved: int, check: float) -> dict:
        return {"nodes": nodes, "solved": solved, "positions": 100, "costs": {"check": check}}

    figures = {
        "nodes": 500,
        "other_limits": {},
        "hand_set": iteration(500, 92, 0.25),
        "iterations": [iteration(1000, 75, 1.0), iteration(440, 90, 0.3), iteration(460, 95, 0.0)],
    }
    assert [claim.judge(figures).matched for claim in bm_suite.CLAIMS] == [True, True, True]
    figures["iterations"][1] = iteration(440, 89, 0.3)
    assert [claim.judge(figures).matched for claim in bm_suite.CLAIMS] == [True, False, True]


def test_costs_learned_in_play_are_drawn_and_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path)]
    bm_play.main(words)
    first = read_result(tmp_path, "bm_play")
    assert first["figures"]["games"] == [0, 1, 2, 3] and first["figures"]["match"]["games"] == 2
    assert all(costs[0] == 1 for costs in first["figures"]["costs"].values())
    assert {verdict["matched"] for verdict in first["verdicts"]} == {None}, "three games teach nothing"
    assert (tmp_path / "results" / "bm_play.tiny.svg").exists()
    monkeypatch.setattr(orderings.pp, "match", lambda *_, **__: pytest.fail("played again"))
    bm_play.main(words)
    assert read_result(tmp_path, "bm_play")["figures"] == first["figures"]


@pytest.mark.parametrize(("low", "matched"), [(1.0, True), (-1.0, False)])
def test_costs_learned_in_play_win_where_the_interval_is_above_half(low: float, matched: bool) -> None:
    figures = {
        "mistakes": [1] * 60,
        "costs": {"recapture": [1.0, 0.2], "check": [1.0, 0.3]},
        "match": {"games": 2000, "score": 0.52, "elo": [14.0, low, 27.0]},
    }
    assert [claim.judge(figures).matched for claim in bm_play.CLAIMS] == [True, False, matched]


def test_the_gradient_of_one_search_is_put_beside_separate_searches(tmp_path: Path) -> None:
    ply_gradient.main(["--scale", "tiny", "--out", str(tmp_path)])
    figures = read_result(tmp_path, "ply_gradient")["figures"]
    assert {cost: len(told) for cost, told in figures["positions"].items()} == {"1.0": 2, "0.75": 2}
    assert set(figures["trace"]) == {"4", "64", "1000"}


def test_changes_by_category_are_ranked_over_all_positions() -> None:
    told = [
        {"nodes": 100, "one": [80, 60, 40], "separate": [90, 30, 50]},
        {"nodes": 1000, "one": [900, 700, 300], "separate": [950, 800, 100]},
    ]
    assert ply_gradient.correlation(told[0]) == pytest.approx(0.5)
    assert ply_gradient.by_category(told) == pytest.approx(1)


def test_gf_breakthrough_measures_every_part_and_a_second_run_searches_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path)]
    measure, measured = focus_values.Judge.measure_alone, Counter()

    def count(judge: focus_values.Judge, categories: tuple) -> object:
        measured[judge.nodes, categories] += 1
        return measure(judge, categories)

    monkeypatch.setattr(focus_values.Judge, "measure_alone", count)
    gf_breakthrough.main(words)
    assert set(measured.values()) == {1}
    text = capsys.readouterr().out
    assert "table 4.3" in text and "table 4.4" in text and "table 4.5" in text
    first = read_result(tmp_path, "gf_breakthrough")
    figures = first["figures"]
    assert {row["variant"] for row in figures["variants"]} == set(gf_breakthrough.VARIANTS)
    assert len(figures["combinations"]) == 4 + 6  # each is of a group of its own
    assert [row["place"] for row in figures["matches"]] == [*range(len(figures["top"])), gf_breakthrough.TOP]
    assert len(figures["gradient"]["costs"]) > 0 and set(figures["gradient"]["costs"]) <= set(figures["top"])
    assert [verdict["matched"] for verdict in first["verdicts"]] == [None] * len(gf_breakthrough.CLAIMS)
    monkeypatch.setattr(focus_values.Judge, "measure_alone", lambda *_: pytest.fail("searched again"))
    monkeypatch.setattr(gf_breakthrough, "make_tactics_file", lambda *_, **__: pytest.fail("made again"))
    gf_breakthrough.main(words)
    assert read_result(tmp_path, "gf_breakthrough")["figures"] == figures


def test_gf_breakthrough_judges_the_seed_right_and_the_contrary_wrong() -> None:
    seconds = 1000.0
    rows = [
        {"variant": name, "evaluations": count, "seed": count, "processor_seconds": seconds, "improving": 40}
        | {"overlooked": []}
        for name, count in gf_breakthrough.SEED_EVALUATIONS.items()
    ]
    matches = [
        {
            "combination": name,
            "place": place,
            "score": score / 100,
            "low": score / 100 - 0.02,
            "high": score / 100 + 0.02,
        }
        for place, (name, score) in enumerate(gf_breakthrough.SEED_SCORES.items())
    ]
    matches.append({"combination": "Rc-Rdb", "place": gf_breakthrough.TOP, "score": 0.6, "low": 0.561, "high": 0.639})
    seed = {
        "is_small": False,
        "variants": rows,
        "combinations": [{"combination": "Ud-RdTt", "solved": 235.0, "is_found": True}],
        "matches": matches,
        "gradient": {"score": 0.55, "low": 0.53, "high": 0.57, "against": "Ud-Rdt"},
    }
    assert [claim.name for claim in gf_breakthrough.CLAIMS if not claim.judge(seed).matched] == []
    contrary = {
        "is_small": False,
        "variants": [
            row
            | {"evaluations": 200 - row["evaluations"], "processor_seconds": 2000.0, "overlooked": [["PP-Edg", 9.0]]}
            for row in rows
        ],
        "combinations": [seed["combinations"][0] | {"is_found": False}],
        "matches": [row | {"score": 1 - row["score"], "low": 0.4, "high": 0.5} for row in matches],
        "gradient": seed["gradient"] | {"low": 0.49},
    }
    assert [claim.judge(contrary).matched for claim in gf_breakthrough.CLAIMS] == [False] * len(gf_breakthrough.CLAIMS)


def test_a_combination_improves_by_its_best_part() -> None:
    worth = {(): 3, ("a",): 10, ("b",): 5, ("c",): 1, ("a", "b"): 12, ("a", "c"): 9, ("b", "c"): 9, ("a", "b", "c"): 15}
    values = focus_values.Values({own: {"value": value} for own, value in worth.items()})
    assert values.first_parent(("a", "b")) == ("a",) and values.first_parent(("a", "b", "c")) == ("a", "b")
    assert values.improves(("a", "b", "c"), 3) and not values.improves(("a", "b"), 3)
    assert values.improves(("b", "c"), 3) and values.improves(("c",), 3)


def test_gf_chess_finds_categories_of_the_numbered_positions(tmp_path: Path) -> None:
    numbers = gf_chess.NUMBERS.split()
    assert len(set(numbers)) == 99 and numbers == sorted(numbers, key=int)
    path = tmp_path / "ecm.epd"
    path.write_text("".join(f'{MATE} bm Ra8; id "ECM.{number:03}";\n' for number in range(1, 880)))
    gf_chess.main(["--scale", "tiny", "--data", str(path), "--out", str(tmp_path)])
    first = read_result(tmp_path, "gf_chess")
    figures = first["figures"]
    assert figures["positions"] == 4 and figures["neutral"] == 4
    assert {row["combination"] for row in figures["base"]} >= {"AcK", "Rc", "Rdb"} and "Rc" in figures["joined"]
    assert [verdict["matched"] for verdict in first["verdicts"]] == [None, None]
    path.write_text(f'{MATE} bm Ra8; id "ECM.027";\n')
    with pytest.raises(SystemExit, match="43, 46"):
        gf_chess.main(["--scale", "tiny", "--data", str(path), "--out", str(tmp_path)])


def test_gf_chess_judges_the_seed_right_and_the_contrary_wrong() -> None:
    seed = {"is_small": False, "base": [{"combination": name} for name in gf_chess.SEED_BASE]}
    assert all(claim.judge(seed).matched for claim in gf_chess.CLAIMS)
    assert not any(claim.judge({**seed, "base": seed["base"][::-1]}).matched for claim in gf_chess.CLAIMS)


def test_rps_is_measured_against_both_baselines_and_resumes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path)]
    rps.main(words)
    assert "categories in the literature" in capsys.readouterr().out
    first = read_result(tmp_path, "rps")
    played = first["figures"]["loa"]
    assert set(played) == set(rps.SEARCHES)
    assert all(set(told["matches"]) == set(rps.OPPONENTS) and told["kinds"] > 20 for told in played.values())
    assert played["rps"]["pilot"] != played["erps"]["pilot"]
    monkeypatch.setattr(pp, "match", lambda *_, **__: pytest.fail("played again"))
    rps.main(words)
    assert read_result(tmp_path, "rps")["figures"] == first["figures"]


def test_rps_takes_the_place_of_late_move_reductions_and_the_set_tells_moves_apart(tmp_path: Path) -> None:
    made = harness.Harness("rps", "tiny", folder=tmp_path)
    learned = rps.learn(made, rps.SCALES["tiny"]["loa"], "erps")
    made.close()
    depth = learned.pilot.depth
    assert not depth.reduce_late and depth.excess == "every" and depth.confirmation == "stepwise"
    groups = {feature.name: feature.group for feature in pp.game_info("loa").move_features}
    assert {groups[name] for category in depth.categories for name in category.features} <= set(rps.LOA.groups)


def test_rps_is_judged_by_intervals() -> None:
    def figures(plain: list[float], enhanced: list[float]) -> dict:
        return {
            "loa": {
                search: {"matches": {opponent: {"elo": elo} for opponent in rps.OPPONENTS}}
                for search, elo in (("rps", plain), ("erps", enhanced))
            }
        }

    def judged(told: dict) -> list[bool | None]:
        return [claim.judge(told).matched for claim in rps.CLAIMS]

    ahead, behind, unclear = [50.0, 30.0, 70.0], [-50.0, -70.0, -30.0], [-5.0, -25.0, 15.0]
    assert judged(figures(unclear, ahead)) == [False, True, True, True, True] + [None] * 5
    assert judged(figures(ahead, behind)) == [True, False, True, False, False] + [None] * 5


def test_movemap_options_has_a_row_for_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path)]
    movemap_options.main(words)
    assert "loa: options, beside history" in capsys.readouterr().out
    first = read_result(tmp_path, "movemap_options")
    rows = {row["option"]: row for row in first["figures"]["games"]["loa"]}
    learned = movemap_options.options_of_learning(movemap_options.TINY)
    assert set(learned) < set(rows) and {"use: pure", "adaptive weight", "refined in the search"} < set(rows)
    assert all(("prediction" in row) == (name in learned) for name, row in rows.items())
    assert all(row["reduced"]["nodes"][0] > 0 and row["full"]["depth"] == 3 for row in rows.values())
    assert first["verdicts"][0]["matched"] is None
    movemap_options.main(words)
    assert read_result(tmp_path, "movemap_options")["figures"] == first["figures"]


def test_first_cuts_are_told_by_depth_where_some_positions_have_them() -> None:
    mine = [orderings.Tree((10, 50), (0.1, 0.5), 0.8, (2, 9), (0.6, 0.8)), orderings.Tree((20, 99), (0.1, 0.5), 0.9)]
    rows = orderings.compare_trees({"history": mine, "learned": mine}, "history", [1, 2])
    assert [row.first_cuts for row in rows] == [0.6, 0.8]
    assert [row.judged_rate for row in rows] == pytest.approx([2 / 0.2, 9 / 1.0])


def test_trees_are_compared_position_by_position() -> None:
    mine = [orderings.Tree((10, 50), (0.1, 0.5), 0.8), orderings.Tree((20, 200), (0.2, 2.0), 0.9)]
    theirs = [orderings.Tree((10, 100), (0.1, 1.0), 0.7), orderings.Tree((40, 400), (0.2, 2.0), 0.7)]
    rows = orderings.compare_trees({"history": theirs, "learned": mine}, "history", [1, 2, 3])
    assert [row.depth for row in rows] == [1, 2]
    assert rows[1].nodes.value == pytest.approx(0.5) and rows[1].nodes.half_width == pytest.approx(0)
    assert rows[1].total_nodes == pytest.approx(0.5) and rows[1].seconds.value == pytest.approx(0.5**0.5)
    assert rows[0].nodes.low < rows[0].nodes.value < rows[0].nodes.high
    assert (rows[0].first_cuts, rows[0].reference_first_cuts) == pytest.approx((0.85, 0.7))


# What they share.


def test_a_failing_task_ends_the_run_and_keeps_the_others(tmp_path: Path) -> None:
    made = harness.Harness("trial", "tiny", threads=2, folder=tmp_path)

    def work(number: int) -> harness.Figures:
        if number == 3:
            raise ValueError("task 3")
        return {"double": 2 * number}

    with pytest.raises(ValueError, match="task 3"):
        made.measure("numbers", range(4), lambda number: number, work)
    made.close()
    again = harness.Harness("trial", "tiny", folder=tmp_path)
    found = again.measure("numbers", range(4), lambda number: number, lambda number: {"double": 2 * number})
    assert [each["double"] for each in found] == [0, 2, 4, 6]
    assert again.kept >= 1
    again.close()


def test_tasks_are_charged_with_what_cores_spent_on_them_not_with_the_time_they_waited(tmp_path: Path) -> None:
    made = harness.Harness("trial", "tiny", threads=2, folder=tmp_path)

    def work(number: int) -> harness.Figures:
        until = harness.core_seconds() + 0.2
        while number and harness.core_seconds() < until:
            pass
        time.sleep(0.3)
        return {}

    before = harness.core_seconds()
    found = made.measure("waits", range(3), lambda number: number, work)
    spent = harness.core_seconds() - before
    made.close()
    assert sum(each["seconds"] for each in found) > 0.9
    assert made.search_seconds == pytest.approx(sum(each["core_seconds"] for each in found))
    assert 0.2 <= made.search_seconds <= spent + 0.02


def test_a_search_ends_after_the_iteration_that_was_waited_for(tmp_path: Path) -> None:
    made = harness.Harness("trial", "tiny", folder=tmp_path)
    pilot = pp.Pilot.plain("breakthrough", "material")
    result = made.search(
        pilot, pp.Position("breakthrough"), Limit(nodes=10_000_000), until=lambda each: each.depth == 2
    )
    assert result.depth == 2
    made.close()


@dataclass
class Found:
    value: float


def test_a_claim_is_judged_with_its_tolerance_and_says_why_it_failed() -> None:
    def holds(figures: Found, tolerance: float) -> tuple[bool, str]:
        if figures.value < 0:
            raise harness.Missing("nothing was measured")
        return abs(figures.value - 10) <= tolerance, f"{figures.value:g}"

    claim = harness.Claim("ten", "10 (table 1)", "within {tolerance}", 2.0, holds)
    assert str(claim.judge(Found(11))) == "matched      ten: 11"
    assert str(claim.judge(Found(13))) == "not matched: ten: 13; the seed: 10 (table 1)"
    assert str(claim.judge(Found(-1))) == "not measured ten: nothing was measured"


def test_mean_and_deviation() -> None:
    assert harness.mean([1, 2, 6]) == 3
    assert harness.deviation([2, 4, 4, 4, 5, 5, 7, 9]) == pytest.approx((32 / 7) ** 0.5)
    assert harness.deviation([5]) == 0
    with pytest.raises(harness.Missing):
        harness.mean([])


def test_td_defaults_judges_the_best_pilot_by_its_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    td_defaults.main(["--scale", "tiny", "--out", str(tmp_path)])
    result = read_result(tmp_path, "td_defaults")
    (row,) = result["figures"]
    assert (row["best_step"] == 0) == (row["games"] == 0)
    assert [verdict["matched"] for verdict in result["verdicts"]] == [True, None]
    assert "best.pilot against start.pilot" in capsys.readouterr().out
    ahead, behind, even = ({"elo": elo} for elo in ([50, 10, 90], [-50, -90, -10], [0, 0, 0]))
    no_harm, gain = td_defaults.CLAIMS
    assert not no_harm.judge([behind, *[ahead] * 49]).matched
    assert gain.judge([ahead] * 20 + [even] * 30).matched
    assert not gain.judge([ahead] * 19 + [even] * 31).matched
