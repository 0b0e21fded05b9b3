"""Audits of pruning: faults that were planted are named, and full width raises no alarm."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import plypilot as pp
from conftest import SOAK
from plypilot.audit import Audit, audit, without_pruning
from plypilot.audit_sections import audit_sections
from plypilot.compute import Workers
from plypilot.learn.measured_positions import sample_positions
from plypilot.report.page import Page, add_section
from plypilot.searcher import Limit, Searcher
from plypilot.sections import Table

FAULTS = [
    ("loa", "splits_enemy", 2),
    ("breakthrough", "to_rank_7_8", 3),
    ("chess", "recapture", 2),  # one move in a hundred
    ("loa", "to_centre", 2),
    ("loa", "captures_group", 2),
    ("loa", "from_edge", 2),
    ("breakthrough", "capture", 2),
    ("breakthrough", "recapture", 2),
    ("chess", "capture", 3),
    ("shogi", "captures_silver", 2),  # one in two hundred
]
"""Moves with this feature, at so many plies left."""
MATE = "6k1/8/6K1/8/8/8/8/R7 w - - 0 1"


def look(pilot: pp.Pilot, limit: Limit, positions: int = 10, sample: int = 6, count: int = 1) -> Audit:
    with Workers.threads(count) as workers:
        texts = sample_positions(pp.Pilot.baseline(pilot.game), positions, 3, workers)
        return audit(pilot, texts, limit, sample=sample, workers=workers)


def narrow(pilot: pp.Pilot, widths: list[int], by: str = "distance") -> pp.Pilot:
    """A pilot that skips nothing but the moves beyond these widths."""
    return without_pruning(pilot).replace(
        {"pruning.widths": widths, "pruning.widths_by": by, "pruning.widths_count": "all", "depth.reduce_late": False}
    )


@pytest.mark.parametrize("game", ["loa", "breakthrough", "chess", "shogi"])
def test_full_width_raises_no_alarm(game: str) -> None:
    found = look(without_pruning(pp.Pilot.baseline(game)), Limit(nodes=2000), positions=4)
    assert not found.skipped and not found.findings and not found.missed and not found.alarms()
    (section,) = audit_sections(found)
    assert "no move was skipped" in str(section.blocks[0])


@pytest.mark.parametrize(("widths", "plies"), [([0, 1], 2), ([0, 0, 1], 3), ([0, 0, 0, 2], 4)])
def test_a_fault_is_named_by_the_depth_where_it_was_planted(widths: list[int], plies: int) -> None:
    found = look(narrow(pp.Pilot.baseline("loa"), widths), Limit(depth=4))
    assert set(found.skipped) == {("width", plies)}
    (row,) = found.by_reason_and_depth()
    assert row.name == f"width, {plies} plies left" and row.searched >= 10 and row.share > 0.05 and row.loss > 0
    assert all(own.rank > widths[-1] for own in found.findings)
    assert found.worst[0].loss == max(own.loss for own in found.findings)


def with_fault(game: str, feature: str, plies: int) -> pp.Pilot:
    """A pilot that at one depth skips each move with a feature but the first move, and no other: the others cost a
    trifle less than a ply, and what is cheaper than a ply is not skipped.
    """
    trifle = 2 / 1024
    return narrow(pp.Pilot.baseline(game), [0] * (plies - 1) + [1]).replace(
        {
            "depth.categories": [[[feature], 1.0], [[], 1 - trifle]],
            "depth.rule": "first",
            "pruning.fade": trifle,
            "pruning.in_check": True,
        }
    )


@pytest.mark.parametrize(("game", "feature", "plies"), FAULTS if SOAK else FAULTS[:3])
def test_a_fault_is_named_by_the_category_and_the_depth_where_it_was_planted(
    game: str, feature: str, plies: int
) -> None:
    found = look(with_fault(game, feature, plies), Limit(depth=plies), positions=150, sample=10)
    (alarm,) = found.alarms()
    assert (alarm.why, alarm.plies, alarm.category) == ("width", plies, feature)
    assert alarm.row.name == f"{feature}, width, {plies} plies left"
    titles = [section.title for section in audit_sections(found) if section.title != "Missed wins"]
    assert titles[0] == "Alarms"


def test_a_category_that_is_planted_rarely_is_rare() -> None:
    names = [feature.name for feature in pp.game_info("chess").move_features]
    found = look(with_fault("chess", "recapture", 2), Limit(depth=2), positions=40)
    assert found.features[names.index("recapture")] < 0.02 * found.moves


@pytest.mark.parametrize("game", ["loa", "breakthrough", "chess", "shogi"] if SOAK else ["loa", "breakthrough"])
def test_sound_pruning_raises_no_alarm(game: str) -> None:
    assert not look(pp.Pilot.baseline(game), Limit(nodes=4000), positions=20).alarms()


def test_sound_pruning_is_wrong_less_often_than_unsound_pruning() -> None:
    sound = look(pp.Pilot.baseline("loa"), Limit(nodes=4000)).overall()
    unsound = look(narrow(pp.Pilot.baseline("loa"), [1, 1, 1, 1]), Limit(depth=4)).overall()
    assert sound.searched > 100 and sound.share < 0.1 < unsound.share


def test_a_win_that_is_missed_comes_first() -> None:
    pilot = narrow(pp.Pilot.plain("chess", "material"), [1, 1, 1], "ply")
    assert Searcher(pilot).search(pp.Position("chess", MATE), Limit(depth=3)).score < 30_000
    with Workers.threads(1) as workers:
        found = audit(pilot, [MATE], Limit(depth=3), workers=workers)
    (missed,) = found.missed
    assert missed.move == "a1a8" and missed.score == "win 1" and missed.chosen != "a1a8"
    first = next(iter(audit_sections(found)))
    assert first.title == "Missed wins"
    page = Page("audit")
    for section in audit_sections(found):
        add_section(page, section)
    assert MATE in page.html()


def test_what_is_sampled_is_what_was_skipped_and_changes_nothing() -> None:
    pilot, limit = pp.Pilot.baseline("chess"), Limit(depth=7)
    position = pp.Position("chess", "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9")
    told = Searcher(pilot).search(position, limit, statistics=True)
    result, counts, moves = Searcher(pilot).sample_skips(position, limit, most=50, seed=1)
    assert result.nodes == told.nodes and result.score == told.score and result.pv == told.pv
    assert told.statistics is not None
    for why, skipped in told.statistics.skipped.items():
        sampled = sum(count for (reason, _), count in counts.items() if reason == why)
        assert sampled <= skipped  # what lies below null moves is left out
    assert len(moves) > 100
    for skip in moves:
        walk = position.copy()
        for move in skip.line:
            walk.push(move)
        assert walk.is_legal(skip.move) and skip.why in ("futile", "late") and 0 < skip.depth <= 5
    again = Searcher(pilot).sample_skips(position, limit, most=50, seed=1)
    assert again[1:] == (counts, moves)
    other = Searcher(pilot).sample_skips(position, limit, most=50, seed=2)
    assert other[1] == counts and other[2] != moves


def test_workers_change_nothing() -> None:
    pilot = narrow(pp.Pilot.baseline("breakthrough"), [2, 2])
    assert look(pilot, Limit(depth=4), count=1) == look(pilot, Limit(depth=4), count=2)


def test_rows_add_up() -> None:
    found = look(pp.Pilot.baseline("breakthrough"), Limit(nodes=3000))
    overall = found.overall()
    for rows in (found.by_reason_and_depth(), found.by_rank()):
        assert sum(row.searched for row in rows) == overall.searched
        assert sum(row.wrong for row in rows) == overall.wrong
    assert overall.skipped == sum(found.skipped.values()) >= overall.searched
    tables = [block for section in audit_sections(found) for block in section.blocks if isinstance(block, Table)]
    assert len(tables) >= 3


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "plypilot", *words], capture_output=True, text=True)


def test_the_command_prints_writes_and_refuses(tmp_path: Path) -> None:
    suite = tmp_path / "mate.epd"
    suite.write_text('6k1/8/6K1/8/8/8/8/R7 w - - bm Ra8#; id "mate";\n')
    narrow(pp.Pilot.plain("chess", "material"), [1, 1, 1], "ply").save(tmp_path / "narrow.pilot")
    words = ["audit", str(tmp_path / "narrow.pilot"), "--suite", str(suite), "--depth", "3"]
    done = run(*words, "--out", str(tmp_path / "page.html"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.lstrip().startswith("Missed wins") and "a1a8" in done.stdout
    assert "Missed wins" in (tmp_path / "page.html").read_text("utf-8")
    told = json.loads(run(*words, "--json").stdout)
    assert told["missed"][0]["move"] == "a1a8"
    for wrong in (["--depth", "3", "--nodes", "5"], ["--suite", str(tmp_path / "none.epd")]):
        refused = run("audit", "baseline:chess", *wrong)
        assert refused.returncode == 2 and len(refused.stderr.strip().splitlines()) == 1
