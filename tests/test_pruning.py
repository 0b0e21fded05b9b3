"""Forward-pruning functions: what the search does with one, how it would have to change, and the learner."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plypilot as pp
from plypilot import _core
from plypilot.compute import Workers
from plypilot.learn import NO_CHECKS, check_learner
from plypilot.learn.folder import read_run
from plypilot.learn.learner import State, take_steps
from plypilot.learn.pruning import ForwardPruning, Level
from plypilot.pilot import PilotError, Pruning
from plypilot.report.run_page import make_report
from plypilot.searcher import Limit, Searcher
from plypilot.settings import PruningFunction

SMALL = "breakthrough-5x5"
SEEN = (
    *("iteration", "ply", "distance", "nodes", "depth", "changes", "change_ranks", "order", "table", "features"),
    *("nodes_unit", "depth_unit", "order_digits", "board", "gap", "line"),
)
FEW: dict[str, Any] = {
    "positions": 24,
    "nodes": 150,
    "reference_nodes": 500,
    "epochs": 12,
    "budget": 0.0,
    "trials": {"games": 20, "nodes": 100},
}
SEED_WAY: dict[str, Any] = {
    **FEW,
    "trees": "pruned",
    "spares_line": False,
    "inputs": ["iteration", "ply", "distance", "depth", "changes", "table"],
}
"""RL-FPF as the seed has it."""


def with_function(
    pilot: pp.Pilot,
    checkpoints: tuple[int, ...],
    inputs: tuple[Any, ...] = (),
    seed: int = 0,
    bias: float = 0.0,
    **more: Any,
) -> pp.Pilot:
    """A pilot with a function of random weights, small ones, around a bias."""
    board = next(each for each in pp.game_info(pilot.game).feature_sets if each.name == "board")
    rows = _core.Searcher.function_inputs(inputs, len(board.features) if "board" in inputs else 0)
    weights = 0.1 * np.random.default_rng(seed).standard_normal((rows, len(checkpoints)))
    weights[0] = bias
    function = PruningFunction(inputs=inputs, checkpoints=checkpoints, weights=weights, **more)
    return pilot.model_copy(update={"pruning": pilot.pruning.model_copy(update={"function": function})})


@pytest.mark.parametrize("game", ["loa", "breakthrough", "chess", "shogi"])
def test_a_function_that_always_stops_is_a_width(game: str) -> None:
    pilot = pp.Pilot.baseline(game)
    for behind in (2, 5):
        stopping = with_function(pilot, (behind,), bias=-1.0)
        narrow = pilot.replace({"pruning.widths": [behind] * 40, "pruning.widths_by": "ply"})
        one, other = (Searcher(own).search(pp.Position(game), Limit(depth=5)) for own in (stopping, narrow))
        assert (one.nodes, one.score, one.move) == (other.nodes, other.score, other.move)


@pytest.mark.parametrize("game", ["loa", "chess"])
def test_a_function_that_never_stops_changes_nothing(game: str) -> None:
    pilot = pp.Pilot.baseline(game)
    going_on = with_function(pilot, (1, 3, 9), SEEN[:3], bias=50.0)
    one, other = (Searcher(own).search(pp.Position(game), Limit(depth=5)) for own in (going_on, pilot))
    assert (one.nodes, one.score, one.pv) == (other.nodes, other.score, other.pv)


@pytest.mark.parametrize("game", ["loa", "chess"])
def test_a_function_that_spares_the_line_is_not_asked_at_the_root(game: str) -> None:
    pilot = pp.Pilot.baseline(game)
    for depth in (1, 5):
        plain, stopping, sparing = (
            Searcher(own).search(pp.Position(game), Limit(depth=depth)).nodes.all
            for own in (
                pilot,
                with_function(pilot, (2,), bias=-1.0),
                with_function(pilot, (2,), bias=-1.0, spares_line=True),
            )
        )
        assert stopping < sparing and (sparing == plain if depth == 1 else sparing < plain)


@pytest.mark.parametrize("game", ["loa", "breakthrough", "chess"])
def test_a_function_that_reduces_skips_nothing_and_each_no_takes_a_ply_more(game: str) -> None:
    pilot = pp.Pilot.baseline(game).replace({"depth.reduce_late": False})
    nodes = []
    for checkpoints in ((1,), (1, 2, 3)):
        reducing = with_function(pilot, checkpoints, bias=-1.0, decides="reducing")
        told = Searcher(reducing).search(pp.Position(game), Limit(depth=6), statistics=True)
        assert told.statistics is not None
        assert told.statistics.skipped["function"] == 0 and told.statistics.reduced > 0
        nodes.append(told.nodes.all)
    plain = Searcher(pilot).search(pp.Position(game), Limit(depth=6)).nodes.all
    assert nodes[1] < nodes[0] < plain


@pytest.mark.parametrize("game", ["loa", "chess"])
def test_a_function_that_always_says_no_to_passing_is_a_larger_reduction(game: str) -> None:
    pilot = pp.Pilot.baseline(game).replace({"pruning.null_reduction": 2})
    more = pilot.replace({"pruning.null_reduction": 3})
    for bias, alike in ((-1.0, more), (1.0, pilot)):
        deciding = with_function(pilot, (0,), bias=bias, decides="passing")
        one, other = (Searcher(own).search(pp.Position(game), Limit(depth=6)) for own in (deciding, alike))
        assert (one.nodes, one.score, one.pv) == (other.nodes, other.score, other.pv)
    told = Searcher(with_function(pilot, (0,), decides="passing")).search_pruned(pp.Position(game), Limit(depth=6))
    assert told.asked > 0


def test_a_function_sees_how_far_the_static_score_lies_from_alpha() -> None:
    """One unit at each decision out of check."""
    pilot = with_function(pp.Pilot.baseline("loa"), (1,), ("gap", "line"), bias=5.0)
    told = Searcher(pilot).search_pruned(pp.Position("loa"), Limit(depth=5))
    rows = told.keep
    assert rows[1:18].sum() == pytest.approx(rows[0], rel=1e-9) and np.count_nonzero(rows[1:18]) > 2
    assert 0 < rows[18] < rows[19] < rows[0]  # the principal line is more than its root


@pytest.mark.parametrize("game", ["loa", "chess", "shogi"])
def test_telling_how_a_function_would_change_changes_no_search(game: str) -> None:
    pilot = with_function(pp.Pilot.baseline(game), (1, 2, 4, 8), SEEN, seed=1)
    quiet = Searcher(pilot).search(pp.Position(game), Limit(depth=6), statistics=True)
    told = Searcher(pilot).search_pruned(pp.Position(game), Limit(depth=6))
    assert told.result.nodes == quiet.nodes and told.result.pv == quiet.pv
    assert quiet.statistics is not None
    assert 0 < told.pruned < told.asked and quiet.statistics.skipped["function"] >= told.pruned


def test_directions_are_those_of_the_distance_to_pruning_and_to_not_pruning() -> None:
    """With a bias alone each decision gives (1 - f^2) (F - f), F being 1 or -1."""
    for bias in (0.3, -0.2):
        told = Searcher(with_function(pp.Pilot.baseline("loa"), (2, 5), bias=bias)).search_pruned(
            pp.Position("loa"), Limit(depth=6)
        )
        f = np.tanh(bias)
        counts = told.keep / ((1 - f**2) * (1 - f))
        assert counts == pytest.approx(np.round(counts), abs=1e-3) and counts.sum() == pytest.approx(told.asked)
        assert told.prune == pytest.approx(counts * (1 - f**2) * (-1 - f), rel=1e-6)
        changed, others = told.changed / ((1 - f**2) * (1 - f)), told.unchanged / ((1 - f**2) * (-1 - f))
        assert changed + others == pytest.approx(counts, rel=1e-5) and (others > -1e-6).all()
        assert told.pruned == (told.asked if bias < 0 else 0)


def test_each_input_of_one_value_is_counted_once_a_decision() -> None:
    pilot = with_function(pp.Pilot.baseline("chess"), (1, 4), ("ply", "distance", "changes"), seed=3)
    told = Searcher(pilot).search_pruned(pp.Position("chess"), Limit(depth=6))
    for sums in (told.keep, told.prune, told.changed, told.unchanged):
        rows = sums.reshape(-1, 2)
        for first, last in ((1, 33), (33, 65), (65, 73)):
            assert rows[first:last].sum(axis=0) == pytest.approx(rows[0], rel=1e-9, abs=1e-9)


def test_a_function_sees_the_pieces_on_their_places() -> None:
    names = next(each for each in pp.game_info("chess").feature_sets if each.name == "board").features
    pilot = with_function(pp.Pilot.baseline("chess"), (1, 4), ("ply", "board"), seed=3)
    position = pp.Position("chess", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -")
    told = Searcher(pilot).search_pruned(position, Limit(depth=5))
    rows = told.keep.reshape(-1, 2)
    assert rows.shape == (1 + 32 + len(names), 2)
    by_name = dict(zip(names, rows[33:], strict=True))
    for owner in ("own", "enemy"):  # one king each
        kings = [sums for name, sums in by_name.items() if name.startswith(f"{owner}_king")]
        assert np.sum(kings, axis=0) == pytest.approx(rows[0], rel=1e-9)
    assert all(by_name["own_king_e1"] > 0.5 * rows[0]) and all(by_name["own_king_e5"] == 0)
    other = pp.Pilot.baseline("loa").model_dump()
    with pytest.raises(ValueError, match="768 features of the board, which has 128"):
        pp.Pilot.model_validate({**other, "pruning": pilot.pruning.model_dump()})


@pytest.mark.parametrize("game", ["loa", "chess"])
def test_a_function_that_does_not_act_is_asked_in_whole_trees(game: str) -> None:
    pilot = with_function(pp.Pilot.baseline(game), (1, 2, 4), SEEN, bias=-0.5)
    assert pilot.pruning.function is not None
    silent = pilot.pruning.function.model_copy(update={"acts": False})
    watching = pilot.model_copy(update={"pruning": pilot.pruning.model_copy(update={"function": silent})})
    told = Searcher(watching).search_pruned(pp.Position(game), Limit(depth=5))
    plain = Searcher(pp.Pilot.baseline(game)).search(pp.Position(game), Limit(depth=5))
    assert told.result.nodes == plain.nodes and told.result.pv == plain.pv and told.pruned > 0
    acting = Searcher(pilot).search_pruned(pp.Position(game), Limit(depth=5))
    assert acting.result.nodes.all < plain.nodes.all


def test_numbers_of_one_unit_and_of_digits_tell_the_same() -> None:
    """The mean depth left over all decisions, by one unit and by digits in tenths of a ply."""
    sums = {}
    for name in ("depth", "depth_unit"):
        pilot = with_function(pp.Pilot.baseline("loa"), (1,), (name,), bias=5.0)
        told = Searcher(pilot).search_pruned(pp.Position("loa"), Limit(depth=5))
        sums[name] = told.keep / told.keep[0]
    digits = sums["depth"][1:]
    assert 32 * sums["depth_unit"][1] == pytest.approx(digits @ [1, 10, 100], abs=0.1)


def test_directions_lead_down() -> None:
    """A small step along them brings the decisions of the same tree nearer to what they are pulled toward."""
    pilot = with_function(pp.Pilot.baseline("loa"), (1, 2, 4), ("distance", "ply", "table", "order"), seed=5, bias=0.4)
    before = Searcher(pilot).search_pruned(pp.Position("loa"), Limit(depth=5))
    assert pilot.pruning.function is not None
    weights = pilot.pruning.function.weights
    for direction, grows in ((before.keep, False), (before.prune, True)):
        step = 0.002 * direction.reshape(weights.shape) / np.abs(direction).max()
        function = pilot.pruning.function.model_copy(update={"weights": (weights + step).astype(np.float32)})
        moved = pilot.model_copy(update={"pruning": pilot.pruning.model_copy(update={"function": function})})
        after = Searcher(moved).search_pruned(pp.Position("loa"), Limit(depth=5))
        if after.asked == before.asked:  # the same tree
            assert (after.pruned >= before.pruned) if grows else (after.pruned <= before.pruned)
            assert np.abs(after.keep[:3]).sum() != np.abs(before.keep[:3]).sum()


def test_a_pilot_keeps_its_function_in_its_file(tmp_path: Path) -> None:
    pilot = with_function(pp.Pilot.baseline("loa"), (1, 5), SEEN, seed=2)
    pilot.save(tmp_path / "a.pilot")
    again = pp.Pilot.load(tmp_path / "a.pilot")
    assert again == pilot and again.pruning.function is not None
    results = [Searcher(own).search(pp.Position("loa"), Limit(depth=5)).nodes for own in (pilot, again)]
    assert results[0] == results[1]


def test_a_function_that_does_not_fit_is_refused() -> None:
    for wrong in (
        {"inputs": ("ply",), "checkpoints": (1,), "weights": np.zeros((3, 1))},
        {"inputs": ("ply", "ply"), "checkpoints": (1,), "weights": np.zeros((65, 1))},
        {"inputs": (), "checkpoints": (2, 1), "weights": np.zeros((1, 2))},
        {"inputs": (), "checkpoints": (), "weights": np.zeros((1, 0))},
        {"inputs": (), "checkpoints": (1,), "weights": [[float("nan")]]},
        {"inputs": ("board",), "checkpoints": (1,), "weights": np.zeros((0, 1))},
        {"inputs": ("colour",), "checkpoints": (1,), "weights": np.zeros((1, 1))},
        {"inputs": (), "checkpoints": (1,), "weights": np.zeros((1, 1)), "decides": "passing"},
    ):
        with pytest.raises(ValueError, match="function"):
            Pruning.model_validate({"function": wrong})
    with pytest.raises(ValueError, match="no pruning function"):
        Searcher(pp.Pilot.baseline("loa")).search_pruned(pp.Position("loa"), Limit(depth=2))


def learned(settings: dict[str, Any], game: str = SMALL) -> tuple[ForwardPruning, State]:
    learner = ForwardPruning(**settings)
    with Workers.open(2, "processes" if ":" in game else "threads") as workers:
        *_, (state, _) = take_steps(learner, learner.start(pp.Pilot.baseline(game), 3), workers)
    return learner, state


def test_the_nodes_settle_at_the_limit() -> None:
    learner, state = learned({**SEED_WAY, "epochs": 40, "trials": {"games": 0}})
    epochs = learner.told(state)
    assert epochs[0].share > 1.2 and epochs[0].pruned == 0
    last = [epoch.share for epoch in epochs[-15:]]
    assert 0.7 < sum(last) / len(last) < 1.3
    best = epochs[state.numbers["best"]]
    assert best.share <= 1 and best.worth == max(own.worth for own in epochs if own.share <= 1 and own.pruned)
    assert (learner.pilot(state).pruning.function is not None) == (best.worth > 0)


def test_what_whole_trees_have_taught_is_shifted_to_the_limit() -> None:
    settings = {**FEW, "epochs": 12, "budget": 0.8, "inputs": ["distance"], "trials": {"games": 0}}
    learner = ForwardPruning(**{**settings, "depth": 3, "checkpoints": [1, 2, 4, 8, 16], "audited": 0})
    bare = pp.Pilot.baseline("loa").replace({"pruning.late_moves": 0, "depth.reduce_late": False})
    with Workers.threads(2) as workers:
        *_, (state, _) = take_steps(learner, learner.start(bare, 3), workers)
    levels, best = learner.levels(state), learner.best(state)
    assert not learner.told(state) and len(state.numbers["whole"]) == 12 and best is not None
    assert best.share == max(level.share for level in levels if level.share <= 1 and level.pruned) and best.share > 0.8
    beyond = Level(0.0, 1.2, 0.0, 0.5)
    assert beyond.nearness < Level(0.0, 0.1, 0.0, 0.5).nearness and beyond.nearness > Level(0.0, 1.3, 0.0, 0.5).nearness
    for one, other in itertools.pairwise(sorted(levels)):
        assert one.shift == other.shift or one.pruned >= other.pruned  # the more is added, the less is pruned
    weights = state.arrays["weights"]
    assert weights[0, 0] > weights[0, 4]  # late moves change a value less often
    rows = weights[learner.rows("loa")["distance"]]
    assert rows[-1].any() and np.array_equal(rows[-1], rows[-2])  # plies that games reach and learning does not
    assert (learner.pilot(state).pruning.function is not None) == (best.worth > 0)


def test_a_function_learns_what_passing_takes() -> None:
    settings = {**SEED_WAY, "decides": "passing", "checkpoints": [0], "budget": 0.9, "trials": {"games": 0}}
    learner = ForwardPruning(**{**settings, "positions": 8, "depth": 5, "epochs": 16})
    pilot = pp.Pilot.baseline("loa").replace({"pruning.null_reduction": 2, "pruning.null_adaptive": False})
    with Workers.threads(2) as workers:
        *_, (state, _) = take_steps(learner, learner.start(pilot, 3), workers)
    epochs = learner.told(state)
    assert epochs[0].pruned == 0 and max(own.pruned for own in epochs) > 0
    assert min(own.share for own in epochs) < epochs[0].share
    with pytest.raises(ValueError, match='set trees to "pruned"'):
        ForwardPruning(decides="passing", checkpoints=(0,))


def test_a_pilot_changes_only_where_games_found_it_better() -> None:
    learner, state = learned({**FEW, "epochs": 20, "trials": {"games": 4, "nodes": 50, "cost": 900, "gain": 99}})
    assert [trial.milder for trial in learner.tried(state)] == list(learner.milder)
    assert not any(trial.is_better for trial in learner.tried(state))
    assert learner.pilot(state) == pp.Pilot.baseline(SMALL)


def test_the_sign_as_printed_learns_something_else() -> None:
    _, right = learned({**SEED_WAY, "trials": {"games": 0}})
    _, printed = learned({**SEED_WAY, "trials": {"games": 0}, "printed_sign": True})
    assert not np.array_equal(right.arrays["weights"], printed.arrays["weights"])


def test_what_the_board_has_learned_stays_while_the_others_learn() -> None:
    settings = {**SEED_WAY, "inputs": ["ply", "board"], "board_epochs": 3, "board_positions": 16, "epochs": 4}
    learner = ForwardPruning(**{**settings, "trials": {"games": 0}, "audited": 0})
    with Workers.threads(2) as workers:
        *states, last = [state for state, _ in take_steps(learner, learner.start(pp.Pilot.baseline(SMALL), 3), workers)]
    board, ply = (learner.rows(SMALL)[name] for name in ("board", "ply"))
    assert len(states) == 1 + 3 + 3
    learned = states[3].arrays["weights"]
    assert np.abs(learned[board]).sum() > 0 and not learned[ply].any()
    assert np.array_equal(last.arrays["weights"][board], learned[board]) and last.arrays["weights"][ply].any()
    with pytest.raises(ValueError, match='add "board"'):
        ForwardPruning(board_epochs=1)


def test_the_board_learns_with_the_others_where_nothing_else_is_said() -> None:
    learner, state = learned({**FEW, "inputs": ["ply", "board"], "epochs": 3, "trials": {"games": 0}})
    assert np.abs(state.arrays["weights"][learner.rows(SMALL)["board"]]).sum() > 0


def test_a_game_in_python_learns_too() -> None:
    learner, state = learned({**FEW, "positions": 8, "epochs": 4, "checkpoints": [1, 2, 3]}, "connect_four:ConnectFour")
    assert len(state.numbers["whole"]) == 4 and learner.best(state) is not None


def test_it_keeps_the_promises_of_learners() -> None:
    for settings, steps in ((FEW, 8), (SEED_WAY, 6)):
        assert check_learner("pruning", {**settings, "positions": 12, "epochs": 4}, game=SMALL, steps=steps) == []


@pytest.mark.parametrize("settings", [FEW, SEED_WAY], ids=["whole trees", "pruned trees"])
def test_its_report_shows_epochs_and_inputs(settings: dict[str, Any], tmp_path: Path) -> None:
    learner = ForwardPruning(**settings)
    run = pp.learn.train(learner, pp.Pilot.baseline(SMALL), tmp_path / "run", seed=3, checks=NO_CHECKS)
    titles = [section.title for section in learner.sections(read_run(run.folder))]
    assert titles[:3] == ["Learning", "What the function rests on", "Trials"]
    assert "How often pruning was wrong" in titles[3:]
    page = make_report(read_run(run.folder))
    for words in ("plies left to the leaves (D2L)", "hundredths of a pawn", "at equal nodes"):
        assert words in page


def test_what_does_not_fit_is_refused() -> None:
    baseline = pp.Pilot.baseline(SMALL)
    with pytest.raises(PilotError, match="has a pruning function already"):
        ForwardPruning().start(with_function(baseline, (1,)), 0)
    for wrong in ({"checkpoints": [3, 1]}, {"checkpoints": []}, {"inputs": ["ply", "ply"]}):
        with pytest.raises(ValueError, match="expected"):
            ForwardPruning(**wrong)
