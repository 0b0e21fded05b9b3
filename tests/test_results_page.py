"""The page of results, and the parts from which results are gathered."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "experiments"))
import harness
import intervals
import parts
import reproduce
import results_page

VERDICT = {"claim": "sooner | later", "seed_says": "sooner", "judged": "by games"}


def write(folder: Path, name: str, verdicts: list[dict], **more: object) -> None:
    scale = name.split(".")[1] if name.count(".") == 2 else "full"
    content = {"experiment": name.partition(".")[0], "scale": scale, "search_seconds": 1800.0, "settings": {}}
    (folder / name).write_text(json.dumps({**content, "verdicts": verdicts, **more}))


def test_the_page_of_results_shows_the_largest_scale_and_what_did_not_match(tmp_path: Path) -> None:
    for name, found, matched in (
        ("smith_5.json", "later", False),
        ("smith_5.quick.json", "never", True),
        ("smith_5.first.json", "a part that full has too", True),
        ("smith_6.quick.json", "soon", True),
        ("smith_6.first.json", "a part", True),
    ):
        write(tmp_path, name, [{**VERDICT, "found": found, "matched": matched}])
    (tmp_path / "smith_7.half.json").write_text('{"experiment": "smith_7", "part": "half", "measured": {}}')
    page = results_page.page(tmp_path, signature="1 2")
    assert "| sooner \\| later | sooner | later | **not** |" in page and "| sooner \\| later | by games |" in page
    assert "never" not in page and "that full has too" not in page
    assert "| soon | matched |" in page and "| a part | matched |" in page
    assert "### smith_6_first" in page and "python experiments/smith_6.py --scale first" in page
    assert "| full | ✗ 0 of 1 |" in page and "0.50 core hours" in page and "took\n2 core hours" in page
    assert results_page.read_signature(page) == "1 2" and "smith_7" not in page


def test_the_page_of_results_tells_open_from_unmeasured_and_begins_with_all_claims(tmp_path: Path) -> None:
    write(
        tmp_path,
        "smith_7.json",
        [
            {**VERDICT, "found": "one", "matched": True, "open": False},
            {**VERDICT, "claim": "two", "found": "half", "matched": None, "open": True},
            {**VERDICT, "claim": "three", "found": "nothing", "matched": None, "open": False},
        ],
    )
    page = results_page.page(tmp_path, signature="")
    assert "3 claims: 1 matched, 0 not, 1 open, 1 not measured." in page
    assert page.index("| *open* | two | sooner | half |") < page.index("## Experiments")
    assert page.index("Smith 1999") < page.index("| *open* | two |"), "claims stand with their work"
    assert "| full | ✓○· 1 of 2 (1 open, 1 not measured) |" in page


def test_the_page_of_results_marks_figures_of_another_search_and_shows_tables_with_drawings(tmp_path: Path) -> None:
    tables = [{"title": "Table 1", "columns": ["", "ours", "seed"], "rows": [["a", "1.5", "1.6"]]}]
    drawings = [{"file": "smith_7.figure.svg", "caption": "Figure 1"}, {"file": "lost.svg", "caption": "lost"}]
    (tmp_path / "smith_7.figure.svg").write_text("<svg/>")
    origin = {"rule": "abcdef0123456", "versions": {"commit": "0123456789abc"}, "signature": "1 2"}
    write(tmp_path, "smith_7.json", [], tables=tables, drawings=drawings, **origin)
    now, later = (results_page.page(tmp_path, signature=signature) for signature in ("1 2", "1 3"))
    assert "(#smith_7) |" in now and "(#smith_7)† |" in later
    assert "† The search of now counts otherwise" in later and "† The search" not in now
    assert "rule `abcdef012`, run `012345678`" in now
    assert "| a | 1.5 | 1.6 |" in now and "![Figure 1](../results/smith_7.figure.svg)" in now and "lost" not in now


def test_the_page_of_results_cuts_long_cells_and_folds_plots_and_tables_beyond_the_first(tmp_path: Path) -> None:
    found = " ".join(f"piece-{number}" for number in range(100))
    drawings = [{"file": f"{number}.svg", "caption": f"Figure {number}"} for number in range(6)]
    for drawing in drawings:
        (tmp_path / drawing["file"]).write_text("<svg/>")
    tables = [{"title": "Table 1", "columns": ["a"], "rows": [["1"]]}]
    write(tmp_path, "smith_7.json", [{**VERDICT, "found": found, "matched": False}], drawings=drawings, tables=tables)
    page = results_page.page(tmp_path, signature="")
    claims, _, rest = page.partition("## Experiments")
    assert "piece-11 …" in claims and "piece-26 …" in rest and "piece-40" not in page
    assert (
        "| ![Figure 0](../results/0.svg) | ![Figure 1](../results/1.svg) |\n| --- | --- |\n| Figure 0 | Figure 1 |"
        in rest
    )
    assert rest.index("Figure 3") < rest.index("<summary>More plots</summary>") < rest.index("![Figure 4]")
    assert "<details>\n<summary>Tables: Table 1</summary>\n\n**Table 1**" in rest
    assert page.count("<details>") == page.count("</details>") == 4


def test_the_set_up_of_an_experiment_in_parts_is_told_once(tmp_path: Path) -> None:
    for part in ("a", "b"):
        write(tmp_path, f"smith_7.{part}.json", [{**VERDICT, "found": part, "matched": True}])
    page = results_page.page(tmp_path, signature="")
    assert page.count("<summary>Set-up and rules</summary>") == page.count("<summary>Rules</summary>") == 1
    assert page.count("Pieces start at 1") == 1


def test_a_claim_of_several_parts_stands_once_with_what_was_measured(tmp_path: Path) -> None:
    write(tmp_path, "smith_7.a.json", [{**VERDICT, "found": "by another part", "matched": None}])
    write(tmp_path, "smith_7.b.json", [{**VERDICT, "found": "so many", "matched": True}])
    claims, _, _ = results_page.page(tmp_path, signature="").partition("## Experiments")
    assert "1 claims: 1 matched" in claims and "so many" in claims and "by another part" not in claims


# Parts.


@dataclass(frozen=True)
class Scale:
    numbers: tuple[int, ...]


def make_experiment(second: tuple[int, ...] = (3, 4)) -> parts.Experiment:
    def measure(made: harness.Harness, scale: Scale) -> harness.Figures:
        doubles = made.measure("numbers", scale.numbers, lambda one: one, lambda one: {"double": 2 * one})
        return {"doubles": {str(one): each["double"] for one, each in zip(scale.numbers, doubles, strict=True)}}

    def few(figures: harness.Figures, tolerance: float) -> tuple[bool | None, str]:
        return (None if figures["count"] < tolerance else True), f"{figures['count']}"

    def show(made: harness.Harness, figures: harness.Figures) -> None:
        made.print_table("Doubles", ["", "double"], sorted(figures["doubles"].items()))

    return parts.Experiment(
        name="trial",
        text="A trial.",
        small={"tiny": Scale((7,))},
        parts={"first": Scale((1, 2)), "second": Scale(second)},
        measure=measure,
        summarise=lambda measured: measured | {"count": len(measured["doubles"])},
        show=show,
        claims=[harness.Claim("four", "four", "at least {tolerance}", 4, few)],
    )


def read(folder: Path) -> dict:
    return json.loads((folder / "results" / "trial.json").read_text())


def test_parts_are_gathered_as_they_are_measured_and_full_measures_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment, out = make_experiment(), ["--out", str(tmp_path)]
    experiment.run(["--scale", "second", *out])
    first = read(tmp_path)
    assert first["figures"]["doubles"] == {"3": 6, "4": 8} and first["settings"]["missing"] == ["first"]
    assert (first["verdicts"][0]["matched"], first["verdicts"][0]["open"]) == (None, True)
    assert "open         four: 2; the seed: four" in capsys.readouterr().out
    experiment.run(["--scale", "full", *out])
    whole = read(tmp_path)
    assert whole["figures"]["doubles"] == {"1": 2, "2": 4, "3": 6, "4": 8} and "missing" not in whole["settings"]
    assert whole["verdicts"][0]["matched"] is True
    assert whole["tables"][0]["rows"] == [["1", "2"], ["2", "4"], ["3", "6"], ["4", "8"]]
    assert set(whole["parts"]) == {"first", "second"} and "signature" in whole["parts"]["first"]
    text = capsys.readouterr().out
    assert "second is there" in text and "first is there" not in text


def test_a_part_of_other_settings_is_measured_again(tmp_path: Path) -> None:
    out = ["--out", str(tmp_path)]
    make_experiment().run(["--scale", "full", *out])
    make_experiment((3, 5)).run(["--scale", "first", *out])
    assert read(tmp_path)["settings"]["missing"] == ["second"]
    make_experiment((3, 5)).run(["--scale", "full", *out])
    assert read(tmp_path)["figures"]["doubles"] == {"1": 2, "2": 4, "3": 6, "5": 10}


def test_a_small_scale_is_concluded_by_itself(tmp_path: Path) -> None:
    make_experiment().run(["--scale", "tiny", "--out", str(tmp_path)])
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["trial.tiny.json"]


def test_two_parts_do_not_measure_the_same() -> None:
    assert parts.merge({"a": {"b": 1}}, {"a": {"c": 2}, "d": 3}) == {"a": {"b": 1, "c": 2}, "d": 3}
    with pytest.raises(ValueError, match="two parts measured b"):
        parts.merge({"a": {"b": 1}}, {"a": {"b": 2}})


# How samples are judged.


@pytest.mark.parametrize(
    ("wins", "draws", "losses", "interval", "verdict"),
    [
        (560, 0, 440, (0.529, 0.591), True),  # the direction holds
        (1020, 0, 980, (0.488, 0.532), True),  # it may be the seed's 54%: 2% away, with errors of 1.1% each
        (510, 0, 490, (0.479, 0.541), True),
        (10_050, 0, 9950, (0.4955, 0.5095), None),  # near even: neither above nor the seed's
        (940, 0, 1060, (0.448, 0.492), False),
    ],
)
def test_a_score_is_matched_by_direction_or_by_the_seed_open_or_not(
    wins: int, draws: int, losses: int, interval: tuple[float, float], verdict: bool | None
) -> None:
    games = wins + draws + losses
    match = {"wins": wins, "draws": draws, "losses": losses, "score": wins / games, "interval": interval}
    assert intervals.judge_score(match, (1080, 0, 920)) is verdict


def test_the_interval_of_a_ratio_holds_it_and_narrows_with_the_sample() -> None:
    one, other = [1.0, 2.0, 3.0, 6.0] * 5, [2.0, 2.0, 4.0, 4.0] * 5
    value, low, high = intervals.ratio_interval(one, other)
    assert value == pytest.approx(1.0) and low < value < high
    _, closer, farther = intervals.ratio_interval(one * 10, other * 10)
    assert low < closer < farther < high
    assert intervals.ratio_interval([3.0] * 4, [2.0] * 4) == pytest.approx((1.5, 1.5, 1.5))


# All of them.


def test_every_listed_experiment_is_there_and_data_that_are_missing_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for listed in reproduce.EXPERIMENTS:
        assert (ROOT / "experiments" / f"{listed.name}.py").is_file()
        command = reproduce.command_of(listed, "quick", tmp_path, None, 2)
        assert (command is None) == bool(listed.data)
    timed = next(listed for listed in reproduce.EXPERIMENTS if listed.name == "learned_evaluations")
    command = reproduce.command_of(timed, "quick", tmp_path, None, 2)
    assert command is not None and command[command.index("--threads") + 1] == "1", "time is equal on one core"
    (tmp_path / "loa").mkdir()
    recorded = next(listed for listed in reproduce.EXPERIMENTS if listed.name == "kocsis_3_mia")
    with_records, without = (reproduce.command_of(recorded, "full", tmp_path, data, 2) for data in (tmp_path, None))
    assert with_records == [*(without or []), "--data", str(tmp_path / "loa")]
    assert {"smith_5", "kocsis_B"} <= {listed.name for listed in reproduce.choose("quick", [])}
    assert len(reproduce.choose("full", [])) == len(reproduce.EXPERIMENTS)
    with pytest.raises(SystemExit, match="no experiment smith_9; there are: smith_8_5"):
        reproduce.choose("quick", ["smith_9"])
    failed = reproduce.main(["--scale", "tiny", "--out", str(tmp_path), "smith_4_4", "smith_8_5"])
    assert failed == 0 and "left out: smith_4_4 (needs chess/wcsac.epd)" in capsys.readouterr().out
    assert (tmp_path / "results" / "smith_8_5.tiny.json").is_file() and (tmp_path / "results.md").is_file()
