"""Fractional-ply weights: the gradient that one search gives, the cost model, and the learner."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from plypilot import Pilot, Position
from plypilot.data.record import RecordError
from plypilot.learn import NO_CHECKS, Run, check_learner, train
from plypilot.learn.plies import Plies
from plypilot.learn.ply_costs import Sample, cost, cost_gradient, path_of
from plypilot.pilot import PilotError
from plypilot.searcher import Limit, Searcher
from plypilot.suite import bench_positions

NAMES = ("check", "recapture", "capture", "moves_pawn")
SUITE = (
    '6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8; id "back rank";\n'
    '2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "WAC.001";\n'
)


def plain_pilot(costs: float = 0.75) -> Pilot:
    """Full width but for the costs of categories: so altered trees differ by costs alone."""
    pilot = Pilot.baseline("chess").replace(
        {"depth.reduce_late": False, "pruning.futility_margin": 0, "pruning.late_moves": 0}
    )
    return Plies(categories=NAMES).steered(pilot, np.full(len(NAMES), costs))


def test_watching_plies_changes_no_node() -> None:
    for pilot in (plain_pilot(), Pilot.baseline("chess")):
        for position in bench_positions("chess")[::4]:
            plain = Searcher(pilot).search(position, Limit(depth=5))
            watched = Searcher(pilot).search(position, Limit(depth=5), statistics="plies")
            assert (plain.nodes.all, plain.score, plain.pv) == (watched.nodes.all, watched.score, watched.pv)
            assert watched.statistics is not None
            altered = watched.statistics.altered_nodes
            assert altered.shape == (5, len(pilot.depth.categories))
            spent = np.array([done.nodes.all for done in watched.iterations])
            assert np.all(altered <= spent[:, None]) and np.all(altered >= 1)


@pytest.mark.parametrize(("cost", "delta"), [(1.0, Plies().delta), (0.75, 0.5)], ids=["start", "fractions"])
def test_one_search_ranks_categories_as_a_search_for_each_does(cost: float, delta: float) -> None:
    pilot, learner = plain_pilot(cost), Plies(categories=NAMES)
    agreed = compared = 0
    for position in bench_positions("chess")[2:]:
        found = Searcher(pilot).search(position, Limit(depth=5), statistics="plies", delta=delta)
        assert found.statistics is not None
        one = found.statistics.altered_nodes[-1] / found.nodes.all
        separate = []
        for place in range(len(NAMES)):
            costs = np.full(len(NAMES), cost)
            costs[place] += delta
            altered = Searcher(learner.steered(pilot, costs)).search(position, Limit(depth=5))
            separate.append(altered.nodes.all / found.nodes.all)
        for a in range(len(NAMES)):
            for b in range(a):
                if abs(separate[a] - separate[b]) > 0.1:
                    compared += 1
                    agreed += (one[a] < one[b]) == (separate[a] < separate[b])
    assert compared >= 20
    assert agreed / compared > 0.75


def test_a_category_that_no_move_is_in_changes_nothing() -> None:
    pilot = plain_pilot().replace({"depth.categories": [[["moves_king", "moves_pawn"], 0.5], [["capture"], 0.5]]})
    found = Searcher(pilot).search(Position("chess"), Limit(depth=5), statistics="plies")
    assert found.statistics is not None
    altered = found.statistics.altered_nodes[-1]
    assert altered[0] == found.nodes.all and altered[1] < found.nodes.all


def test_delta_must_be_more_than_nothing() -> None:
    with pytest.raises(ValueError, match="delta"):
        Searcher(plain_pilot()).search(Position("chess"), Limit(depth=1), statistics="plies", delta=0)


def test_the_gradient_of_the_cost_model_is_that_of_finite_differences() -> None:
    rng, delta, small = np.random.default_rng(3), 0.5, 1e-6
    for _ in range(20):
        base, depth = 2 + 3 * rng.random(), int(rng.integers(3, 9))
        slopes, counts = -rng.random(3), rng.integers(0, 4, 3)
        path = depth + rng.random()
        altered = [(base + delta * slope) ** depth for slope in slopes]
        sample = Sample(round(base**depth), depth, altered, path, counts.tolist())
        exact = cost_gradient(sample._replace(nodes=base**depth), delta)  # type: ignore[arg-type]
        for place in range(3):
            moved = (base + small * slopes[place]) ** (path + small * counts[place])
            assert exact[place] == pytest.approx((moved - base**path) / small, rel=1e-3, abs=1e-3)
    assert cost(Sample(81, 4, [], 2.0, [])) == pytest.approx(9)


def test_a_path_costs_what_its_moves_cost_up_to_the_horizon() -> None:
    position = Position("chess")
    line, walk = [], position.copy()
    for word in ("e4", "d5", "exd5", "Qxd5"):
        line.append(walk.parse(word))
        walk.push(line[-1])
    masks = [next(1 << i for i, f in enumerate(_features()) if f == "recapture")]
    assert path_of(position, line, masks, [0.25], 9) == (9, [1])
    assert path_of(position, line, masks, [0.25], 3.25) == (3.25, [1])
    assert path_of(position, line, masks, [0.25], 3) == (3, [0])


def _features() -> list[str]:
    from plypilot.games import game_info

    return [feature.name for feature in game_info("chess").move_features]


@pytest.mark.parametrize(
    "settings",
    [
        {"iterations": 2, "nodes": 500, "make": {"positions": 4, "games": 40, "proof_nodes": 20_000}},
        {"source": "play", "play": {"games": 3, "margin": 1}, "nodes": 200},
        {"source": "play", "play": {"games": 2, "margin": 1, "logged": True}, "nodes": 200, "iterations": 1},
    ],
    ids=["suite", "play", "logged"],
)
def test_it_keeps_the_promises_of_learners(settings: dict) -> None:
    assert check_learner("plies", settings) == []


def test_checks_are_extended_where_mates_by_checks_are_learned(tmp_path: Path) -> None:
    from plypilot.compute import Workers
    from plypilot.learn.learner import take_steps

    suite = tmp_path / "suite.epd"
    suite.write_text(SUITE)
    learner = Plies(suite=str(suite), iterations=3, nodes=30_000)
    state = learner.start(Pilot.baseline("chess"), 0)
    with Workers.threads(1) as workers:
        last, _ = list(take_steps(learner, state, workers))[-1]
    costs = learner.summary(last)
    assert costs["check"] < 1
    assert all(0 <= plies <= 2 for plies in costs.values())


def _first_iteration(suite: Path, nodes: int) -> dict:
    from plypilot.compute import Workers
    from plypilot.learn.learner import take_steps

    learner = Plies(suite=str(suite), iterations=1, nodes=nodes)
    with Workers.threads(1) as workers:
        return next(take_steps(learner, learner.start(plain_pilot(), 0), workers))[1]


def test_a_position_that_is_a_win_is_solved_by_its_score_too(tmp_path: Path) -> None:
    told = {}
    for name, kind in (("move", ""), ("win", " kind win;")):
        suite = tmp_path / f"{name}.epd"
        suite.write_text(f"k7/8/8/K7/8/8/8/1R6 w - - bm Kb6;{kind}\n")
        told[name] = _first_iteration(suite, 20_000)
        assert told[name]["solved"] == 1
    assert told["move"]["nodes"] < told["win"]["nodes"]
    assert _first_iteration(tmp_path / "win.epd", told["move"]["nodes"])["solved"] == 0


def test_a_right_move_of_the_iteration_that_the_limit_ends_is_found(tmp_path: Path) -> None:
    suite = tmp_path / "suite.epd"
    suite.write_text("r1b2k1r/ppp1bppp/8/1B1Q4/5q2/2P5/PPP2PPP/R3R1K1 w - - bm Qd8+;\n")
    whole = _first_iteration(suite, 1_000_000)
    assert whole["solved"] == 1
    assert _first_iteration(suite, whole["nodes"] - 1)["solved"] == 1
    assert _first_iteration(suite, whole["nodes"] // 20)["solved"] == 0


def test_categories_of_a_pilot_are_taken_the_most_specific_first() -> None:
    pilot = Pilot.baseline("chess").replace({"depth.categories": [[["capture"], 0.5], [["capture", "check"], 0.25]]})
    learner = Plies(of_pilot=True)
    assert learner.category_names(pilot) == ("capture+check", "capture")
    state = learner.start(pilot, 0)
    assert learner.steered(pilot, state.arrays["costs"]).depth.rule == "first"
    assert learner.summary(state) == {"capture+check": 1.0, "capture": 1.0}
    with pytest.raises(PilotError, match="has no categories"):
        learner.start(pilot.replace({"depth.categories": []}), 0)
    with pytest.raises(ValueError, match="leave one of them out"):
        Plies(of_pilot=True, categories=("check",))


def _texts(run: Run) -> str:
    return "\n".join(str(block) for section in run.learner.sections(run) for block in section.blocks)


def test_a_report_points_at_a_move_of_each_category(tmp_path: Path) -> None:
    suite = tmp_path / "suite.epd"
    suite.write_text(SUITE + "4k3/8/8/8/8/8/1P6/4K3 w - - bm b4;\n")
    learner = Plies(suite=str(suite), iterations=2, nodes=2000, categories=("check", "moves_pawn"))
    run = train(learner, plain_pilot(), tmp_path / "run", checks=NO_CHECKS)
    told = _texts(run)
    assert "a1a8: check" in told and "b2b4: moves_pawn" in told and "g3g6: in no category" in told
    assert [section.title for section in run.learner.sections(run)] == [
        "What was learned",
        "How it learned",
        "Solved positions",
        "Positions",
    ]
    assert "gives check" in told and "with the learned costs" in told


def test_a_report_shows_mistakes_with_the_line_that_told_them(tmp_path: Path) -> None:
    learner = Plies(source="play", nodes=200, play={"games": 2, "margin": 1})  # type: ignore[arg-type]
    run = train(learner, plain_pilot(), tmp_path / "run", checks=NO_CHECKS)
    problems = run.state.numbers["problems"]
    assert problems and len(problems) == sum(metrics["mistakes"] for metrics in run.metrics)
    assert "Mistakes: the move that was played" in _texts(run) and "Solved positions" not in _texts(run)


def test_bad_suites_and_categories_are_named(tmp_path: Path) -> None:
    pilot = Pilot.baseline("chess")
    with pytest.raises(RecordError, match="no such file or folder"):
        Plies(suite=str(tmp_path / "none.epd")).start(pilot, 0)
    (tmp_path / "loa.epd").write_text("# suite of loa\n")
    with pytest.raises(RecordError, match="suite of loa"):
        Plies(suite=str(tmp_path / "loa.epd")).start(pilot, 0)
    with pytest.raises(PilotError, match="no move feature"):
        Plies(categories=("chek",)).start(pilot, 0)
    with pytest.raises(ValueError, match="leave one of them out"):
        Plies(suite="a.epd", source="play")
