"""Widths of a search, against a plain count of moves; and the learner that finds them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import plypilot as pp
from plypilot.compute import Workers
from plypilot.data.record import RecordError
from plypilot.learn import NO_CHECKS, check_learner
from plypilot.learn.folder import read_run
from plypilot.learn.learner import State, take_steps
from plypilot.learn.measured_positions import read_positions, sample_positions
from plypilot.learn.move_worths import MoveWorths, choose
from plypilot.learn.widths import Widths
from plypilot.pilot import PilotError
from plypilot.report.run_page import make_report
from plypilot.searcher import Limit, Searcher

SMALL = "breakthrough-5x5"
FEW: dict[str, Any] = {
    "positions": 24,
    "few": 12,
    "nodes": 150,
    "reference_nodes": 500,
    "patience": 2,
    "widths": [1, 3, 6],
    "budget": 0.0,
    "full_plies": 0,
    "trials": {"games": 20, "nodes": 100},
}


def plain(game: str, widths: list[int], by: str = "ply", count: str = "all") -> pp.Pilot:
    return pp.Pilot.plain(game, "material").replace(
        {"pruning.widths": widths, "pruning.widths_by": by, "pruning.widths_count": count, "pruning.in_check": True}
    )


def value(searcher: Searcher, position: pp.Position, widths: list[int], ply: int, depth: int) -> int:
    """Minimax over the first moves of each position, as many as widths by ply let through."""
    outcome = position.outcome()
    if outcome is not None or not depth:
        return searcher.evaluate(position)
    moves = position.moves()[: widths[ply] or None]
    best = -100_000
    for move in moves:
        position.push(move)
        best = max(best, -value(searcher, position, widths, ply + 1, depth - 1))
        position.pop()
    return best


@pytest.mark.parametrize("game", ["loa", "breakthrough"])
def test_a_search_sees_no_more_moves_than_its_widths(game: str) -> None:
    """The root sees all, as its moves are reordered from iteration to iteration; below, moves come as generated."""
    widths = [0, 3, 5, 2]
    searcher = Searcher(plain(game, widths))
    for text in sample_positions(pp.Pilot.baseline(game), 6, 1, Workers.threads(1)):
        position = pp.Position(game, text)
        found = searcher.search(position, Limit(depth=4))
        if abs(found.score) < 20_000:  # near a won game other moves are looked at too
            assert found.score == value(searcher, position, widths, 0, 4)


@pytest.mark.parametrize(
    ("by", "widths", "spent"),
    [
        # Iterations of 1 to 4 plies follow one line each.
        ("ply", [1, 1, 1, 1], [1, 3, 6, 10]),
        ("iteration", [1, 1, 1, 1], [1, 3, 6, 10]),
        ("distance", [1, 1, 1, 1], [1, 3, 6, 10]),
        ("both", [1] * 10, [1, 3, 6, 10]),
        # Two moves at the root of the third iteration alone; the line of each has three plies.
        ("both", [1, 1, 1, 2, 1, 1, 1, 1, 1, 1], [1, 3, 9, 13]),
        # Two moves in the whole second iteration: at most two at the root, two below each.
        ("iteration", [1, 2, 1, 1], None),
    ],
)
def test_widths_count_by_ply_iteration_or_distance(by: str, widths: list[int], spent: list[int] | None) -> None:
    found = Searcher(plain("loa", widths, by)).search(pp.Position("loa"), Limit(depth=4))
    nodes = [iteration.nodes.all for iteration in found.iterations]
    if spent is not None:
        assert nodes == spent
    else:
        assert nodes[0] == 1 and 4 <= nodes[1] - nodes[0] <= 6 and nodes[2] - nodes[1] == 3


def test_beyond_the_last_width_and_at_0_every_move_is_searched() -> None:
    position, limit = pp.Position("loa"), Limit(depth=3)
    full = Searcher(pp.Pilot.plain("loa", "material")).search(position, limit)
    for by in ("ply", "distance", "iteration", "both"):
        same = Searcher(plain("loa", [0, 0], by)).search(position, limit)
        assert (same.nodes, same.score) == (full.nodes, full.score)


@pytest.mark.parametrize("kind", ["pvs", "mtdf"])
def test_what_widths_leave_is_worth_the_same_by_every_window(kind: str) -> None:
    """They do not depend on the window, so the moves that are left make a tree with one value."""
    wide = {"search.table.log2_entries": 16, "search.table.exact": True}
    for text in sample_positions(pp.Pilot.baseline("loa"), 4, 2, Workers.threads(1)):
        pilot = plain("loa", [8, 0, 3, 5], "distance").replace(wide)
        one, other = (
            Searcher(own).search(pp.Position("loa", text), Limit(depth=4))
            for own in (pilot, pilot.replace({"search.window.kind": kind}))
        )
        assert one.score == other.score
        assert other.nodes.all < 3 * one.nodes.all


def test_captures_are_searched_whatever_the_width_of_quiet_moves() -> None:
    pilot = pp.Pilot.baseline("chess").replace({"pruning.widths": [1] * 8, "pruning.widths_by": "ply"})
    position = pp.Position("chess", "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 1")
    found = Searcher(pilot).search(position, Limit(depth=5), statistics=True)
    assert str(found.move) == "f3f7" and found.score > 30_000
    assert found.statistics is not None and found.statistics.skipped["width"] > 100


def test_a_skipped_move_is_told_with_its_reason_and_changes_no_count() -> None:
    pilot = pp.Pilot.baseline("loa").replace({"pruning.widths": [6, 6, 6, 6], "pruning.widths_count": "all"})
    quiet = Searcher(pilot).search(pp.Position("loa"), Limit(depth=6))
    for watched in (True, "moves", "plies"):
        told = Searcher(pilot).search(pp.Position("loa"), Limit(depth=6), statistics=watched)  # type: ignore[arg-type]
        assert told.nodes == quiet.nodes and told.score == quiet.score
        assert told.statistics is not None and (told.statistics.skipped["width"] > 0 or watched == "plies")


def test_a_pilot_keeps_its_widths_in_its_file(tmp_path: Path) -> None:
    pilot = plain("loa", [3, 0, 5], "distance")
    pilot.save(tmp_path / "a.pilot")
    assert pp.Pilot.load(tmp_path / "a.pilot") == pilot
    for wrong in ([-1], [1001], [1] * 3000):
        with pytest.raises(PilotError):
            plain("loa", wrong)


def test_moves_are_worth_what_a_deep_search_says_and_are_judged_once() -> None:
    pilot = pp.Pilot.baseline("chess")
    fen = "3r2k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
    with Workers.threads(2) as workers:
        worths = MoveWorths(pilot, 2000, most=400)
        told = worths.find([(fen, "d1d8"), (fen, "d1c1"), (fen, "d1d8")], workers)
        assert told[fen, "d1d8"] == 400 > 100 > abs(told[fen, "d1c1"])
        known = len(workers.cache)
        assert worths.difference([fen], ["d1d8"], ["d1c1"], workers) == [400 - told[fen, "d1c1"]]
        assert worths.difference([fen], ["d1c1"], ["d1c1"], workers) == [0]
        assert len(workers.cache) == known == 2


def test_positions_are_of_games_and_no_two_are_alike() -> None:
    with Workers.threads(2) as two, Workers.threads(1) as one:
        positions = sample_positions(pp.Pilot.baseline(SMALL), 30, 5, two)
        assert positions == sample_positions(pp.Pilot.baseline(SMALL), 30, 5, one)
    assert len(set(positions)) == 30 and all(len(pp.Position(SMALL, text).moves()) > 1 for text in positions)


def learned(settings: dict[str, Any], game: str = SMALL, count: int = 2) -> tuple[Widths, State]:
    learner = Widths(**settings)
    with Workers.open(count, "processes" if ":" in game else "threads") as workers:
        *_, (state, _) = take_steps(learner, learner.start(pp.Pilot.baseline(game), 3), workers)
    return learner, state


@pytest.mark.parametrize("by", ["distance", "ply", "iteration", "both"])
def test_what_is_found_keeps_to_the_nodes_of_the_pilot_as_it_is(by: str) -> None:
    learner, state = learned({**FEW, "by": [by], "trials": {"games": 0}})
    judged = learner.judged(state)
    assert judged and all(own.share <= 1 for own in judged)
    with Workers.threads(1) as workers:
        measures = learner.measures(state)
        best = learner.read(state, judged[0])
        pilot = learner.steer(pp.Pilot.baseline(SMALL), by, best)  # type: ignore[arg-type]
        (choices,) = choose([pilot], state.numbers["positions"], measures.depth + 1, 10**6, workers)
    nodes = sum(choice.nodes for choice in choices) / len(choices)
    assert nodes / measures.limit(len(choices)) == pytest.approx(judged[0].share, abs=1e-3)
    expected = best if judged[0].worth > 0 else ()
    assert learner.pilot(state).pruning.widths == expected


@pytest.mark.parametrize(("by", "full"), [("distance", (3, 4)), ("ply", (0, 1))])
def test_plies_at_the_root_stay_full_and_the_limit_lies_between_two_depths(by: str, full: tuple[int, ...]) -> None:
    settings = {**FEW, "by": [by], "depth": 4, "full_plies": 2, "budget": 0.5, "trials": {"games": 0}}
    learner, state = learned(settings)
    measures, space = learner.measures(state), learner.space(state, by)  # type: ignore[arg-type]
    assert len(space.values) == 5 and all((values == (0,)) == (at in full) for at, values in enumerate(space.values))
    low, middle, high = (measures.limit(12, budget) for budget in (0.0, 0.5, 1.0))
    assert low < middle < high and middle**2 == pytest.approx(low * high)
    assert learner.rules(state).limit == middle
    assert any(own.share * middle > low for own in learner.judged(state))


def test_solutions_are_tried_wider_too() -> None:
    learner, state = learned({**FEW, "take": 1, "trials": {"games": 2, "nodes": 30, "cost": 900}})
    best = learner.read(state, learner.judged(state)[0])
    tried = [trial.widths for trial in learner.tried(state)]
    assert tried and len(tried) == len(set(tried))
    for wider in tried:
        assert all((own or 99) >= (narrow or 99) for own, narrow in zip(wider, best, strict=True)) and wider != best


def test_a_pilot_changes_only_where_games_found_it_better() -> None:
    learner, state = learned({**FEW, "trials": {"games": 4, "nodes": 50, "cost": 900, "gain": 99}})
    assert learner.tried(state) and not any(trial.is_better for trial in learner.tried(state))
    assert learner.pilot(state) == pp.Pilot.baseline(SMALL)


def test_games_may_tell_what_widths_are_worth() -> None:
    learner, state = learned({**FEW, "worth": "games", "by": ["ply"], "trials": {"games": 0}})
    judged = learner.judged(state)
    assert judged and all(-100 <= own.worth <= 100 for own in judged)


def test_a_game_in_python_learns_too() -> None:
    learner, state = learned({**FEW, "positions": 8, "few": 4, "by": ["ply"]}, "connect_four:ConnectFour")
    assert learner.measures(state).most_moves == 7
    assert learner.space(state, "ply").values[0] == (1, 3, 6, 0)


def test_it_keeps_the_promises_of_learners() -> None:
    settings = {**FEW, "by": ["ply"], "positions": 12, "few": 6}
    assert not check_learner("widths", settings, game=SMALL, steps=6)


def test_its_report_shows_widths_and_how_they_were_found(tmp_path: Path) -> None:
    run = pp.learn.train(Widths(**FEW), pp.Pilot.baseline(SMALL), tmp_path / "run", seed=3, checks=NO_CHECKS)
    titles = [section.title for section in Widths(**FEW).sections(read_run(run.folder))]
    assert titles[:3] == ["Widths", "The search for them", "Trials"]
    assert "How often pruning was wrong" in titles[3:]
    page = make_report(read_run(run.folder))
    for words in ("plies to the leaves (FPV-l)", "Of two neighbours the wider one", "hundredths of a pawn a move"):
        assert words in page


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    baseline = pp.Pilot.baseline(SMALL)
    with pytest.raises(PilotError, match="has widths already"):
        Widths().start(baseline.replace({"pruning.widths": [3]}), 0)
    with pytest.raises(PilotError, match="opponents play games"):
        Widths(opponents="loa").start(baseline, 0)
    with pytest.raises(PilotError, match="play loa"):
        Widths(opponents="loa", worth="games").start(baseline, 0)
    for wrong in ({"widths": [3, 1]}, {"by": []}, {"by": ["ply", "ply"]}):
        with pytest.raises(ValueError, match="expected"):
            Widths(**wrong)
    suite = tmp_path / "a.epd"
    with pytest.raises(RecordError, match="no such file"):
        read_positions(str(suite), "chess")
    suite.write_text("8/8/8/8/8/8/8/8 w - -\n")
    with pytest.raises(RecordError, match=r"a\.epd"):
        read_positions(str(suite), "chess")
    suite.write_text("k7/8/1K6/8/8/8/8/7R w - - bm Rh8#;\n")
    assert len(read_positions(str(suite), "chess")) == 1
