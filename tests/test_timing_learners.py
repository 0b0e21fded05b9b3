"""The learners of timing: what they read of games, what they learn, and what they hand out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plypilot as pp
from plypilot.compute import Workers
from plypilot.learn import NO_CHECKS, check_learner
from plypilot.learn.actor_critic import game_change, state_values
from plypilot.learn.folder import read_run
from plypilot.learn.learner import State, take_steps
from plypilot.learn.timed_games import read_sides, tell_times, used_share
from plypilot.learn.timing import TimingActor
from plypilot.learn.timing_policies import with_timing
from plypilot.learn.timing_run import TimingRun
from plypilot.learn.timing_sane import TimingSane
from plypilot.pilot import PilotError
from plypilot.report.run_page import make_report
from plypilot.searcher import Limit

SMALL = "breakthrough-5x5"
USUAL: dict[str, Any] = {"nodes": 150, "preparing_games": 8, "look_games": 8, "trials": {"games": 12, "nodes": 150}}
ACTOR: dict[str, Any] = {**USUAL, "games": 24, "batch": 12}
SANE: dict[str, Any] = {
    **USUAL,
    "generations": 2,
    "games": 2,
    "judging_games": 4,
    "networks": 6,
    "neurons": 24,
    "units": 3,
}


def learned(learner: TimingRun, game: str = SMALL) -> State:
    with Workers.open(2, "processes" if ":" in game else "threads") as workers:
        *_, (state, _) = take_steps(learner, learner.start(pp.Pilot.baseline(game), 3), workers)
    return state


def test_sides_are_read_as_they_played() -> None:
    learner = TimingActor(**ACTOR, first="random", temperature=2.0)
    state = learned(learner)
    games = learner.learning_games(state, learner.exploring(state)[0], 8)
    with Workers.open(1) as workers:
        parts = list(games.play(range(8), workers))
    chunks = [chunk for _, own in parts for chunk in own]
    sides = [side for first, own in parts for side in read_sides(own, first, 2)]
    others = [side for first, own in parts for side in read_sides(own, first, 2, opponent=True)]
    assert len(sides) == len(others) == 8
    assert [-side.result for side in sides] == [side.result for side in others]
    assert all(side.decisions is None for side in others), "the simple rule is no policy"
    total = sum(int(chunk.nodes.sum()) for chunk in chunks)
    assert total == sum(int(side.nodes.sum()) for side in (*sides, *others))
    told = [chunk.decisions for chunk in chunks]
    assert sum(len(each.chosen) for each in told if each) == sum(len(side.decisions or ()) for side in sides)
    winners = [winner for chunk in chunks for winner in chunk.winners]
    for number, (side, winner) in enumerate(zip(sides, winners, strict=True)):
        assert side.result == (0 if winner is None else 1 if winner == number % 2 else -1)
        if side.decisions is not None:
            assert side.decisions.turns.max() < len(side.nodes)
            assert set(side.decisions.chosen.tolist()) <= {0, 1}
            assert side.decisions.starts[-1] == len(side.decisions.indices)


def test_weights_follow_the_games_of_a_batch_in_their_order() -> None:
    learner = TimingActor(**ACTOR)
    with Workers.open(2) as workers:
        state, _ = learner.step(learner.start(pp.Pilot.baseline(SMALL), 3), workers)
        after, _ = learner.step(state, workers)
        pilot, policy = learner.exploring(state)
        weights, move = learner.weights(state), np.zeros(policy.weight_count)
        for first, chunks in learner.learning_games(state, pilot, learner.games).play(range(12), workers):
            for side in read_sides(chunks, first, 2):
                if side.decisions is None:
                    continue
                values = state_values(side.scores, learner.measures(state).steepness)
                change = game_change(policy, side.decisions, values, side.result, decay=0.9, way="likelihood")
                move = 0.001 * change + 0.9 * move
                weights = weights + move
    assert np.abs(weights - learner.weights(state)).max() > 0
    assert learner.weights(after) == pytest.approx(weights, abs=1e-9)


def test_the_first_weights_decide_about_as_the_simple_rule() -> None:
    learner = TimingActor(**{**ACTOR, "nodes": 1000}, units=0)
    with Workers.open(2) as workers:
        state, _ = learner.step(learner.start(pp.Pilot.baseline("loa"), 3), workers)
        simple = with_timing(pp.Pilot.baseline("loa"), {"rule": "simple"})
        spent = {}
        for name, pilot in (("first", learner.learned(state)), ("simple", simple)):
            games = learner.learning_games(state, pilot, 6)
            sides = [own for first, chunks in games.play(range(6), workers) for own in read_sides(chunks, first, 2)]
            spent[name] = np.concatenate([own.nodes for own in sides]).mean()
    assert spent["first"] == pytest.approx(spent["simple"], rel=0.25)


def test_a_policy_learns_to_think_where_it_is_rewarded() -> None:
    """Rewards that favour going on make the network go on more, and the other way round."""
    learner = TimingActor(**ACTOR, units=4, rule={"kind": "fixed", "rate": 0.01})
    with Workers.open(2) as workers:
        state, _ = learner.step(learner.start(pp.Pilot.baseline(SMALL), 3), workers)
        pilot, policy = learner.exploring(state)
        ((_, chunks), *_) = learner.learning_games(state, pilot, 8).play(range(8), workers)
    side = max(read_sides(chunks, 0, 2), key=lambda own: len(own.decisions or ()))
    assert side.decisions is not None
    for wanted in (0, 1):
        own = [side.decisions.chosen[side.decisions.turns == turn] for turn in range(len(side.nodes))]
        went = np.array([chosen.mean() if len(chosen) else np.nan for chosen in own])
        rewards = np.nan_to_num(went - np.nanmean(went)) * (1 if wanted else -1)
        values = np.concatenate([[0.0], np.cumsum(rewards)])
        change = game_change(policy, side.decisions, values[:-1], values[-1], decay=0.0)
        bias = change[-1]
        assert bias > 0 if wanted else bias < 0


@pytest.mark.parametrize("mode", ["dynamic", "semi-dynamic"])
def test_both_ways_of_asking_are_learned(mode: Any) -> None:
    for learner in (TimingActor(**ACTOR, mode=mode), TimingSane(**SANE, mode=mode)):
        state = learned(learner)
        policy = learner.learned(state).timing.policy
        assert policy is not None
        assert policy.asked == ("after" if mode == "dynamic" else "before")
        assert policy.outputs == (1 if mode == "dynamic" else 3)
        assert [way for way, _, _ in state.numbers["trials"]] == ["learned"], "the baseline has the simple rule already"


def test_the_simple_rule_is_tried_first_where_the_start_has_another() -> None:
    learner = TimingActor(**ACTOR)
    start = with_timing(pp.Pilot.baseline(SMALL), {"rule": "fixed"})
    with Workers.open(2) as workers:
        *_, (state, _) = take_steps(learner, learner.start(start, 3), workers)
    assert [way for way, _, _ in state.numbers["trials"]] == ["simple", "learned"]


def test_a_pilot_changes_only_where_games_found_it_better() -> None:
    for learner in (
        TimingActor(**{**ACTOR, "trials": {"games": 4, "nodes": 50, "cost": 900, "gain": 99}}),
        TimingSane(**{**SANE, "trials": {"games": 4, "nodes": 50, "cost": 900, "gain": 99}}),
    ):
        state = learned(learner)
        assert [is_better for _, _, is_better in state.numbers["trials"]] == [False]
        assert learner.pilot(state) == pp.Pilot.baseline(SMALL)


def test_the_position_may_be_seen_and_opponents_may_be_a_population(tmp_path: Path) -> None:
    learner = TimingActor(**{**ACTOR, "set": "material"})
    policy = learner.learned(learned(learner)).timing.policy
    assert policy is not None and policy.inputs == len(policy.seen) + 1
    with pytest.raises(PilotError, match="no feature set"):
        TimingActor(set="squirrels").start(pp.Pilot.baseline(SMALL), 0)
    with pytest.raises(ValueError, match="nowhere"):
        TimingActor(opponents=str(tmp_path / "nowhere")).start(pp.Pilot.baseline("loa"), 0)


def test_a_game_in_python_learns_too() -> None:
    state = learned(TimingActor(**{**ACTOR, "games": 4, "batch": 4}), "connect_four:ConnectFour")
    assert state.numbers["games"] == 4


def test_they_keep_the_promises_of_learners() -> None:
    assert check_learner("timing", ACTOR, game=SMALL, steps=6) == []
    assert check_learner("timing-sane", SANE, game=SMALL, steps=6) == []


@pytest.mark.parametrize("learner", [TimingActor(**ACTOR), TimingSane(**SANE)], ids=["actor", "sane"])
def test_their_reports_show_where_time_goes(learner: TimingRun, tmp_path: Path) -> None:
    given = learner.model_copy(update={"look_games": 60})
    run = pp.learn.train(given, pp.Pilot.baseline(SMALL), tmp_path / "run", seed=3, checks=NO_CHECKS)
    titles = [section.title for section in given.sections(read_run(run.folder))]
    assert titles == ["Learning", "Where time goes", "Trials"]
    page = make_report(read_run(run.folder))
    for words in ("simple rule", "by surprise", "with equal banks", "By the end of a game"):
        assert words in page


def test_times_are_told_by_move_number_and_by_surprise() -> None:
    class One:
        nodes = np.array([100, 300, 200, 100, 100, 1000])
        scores = np.array([0, 0, -500, 0, 0, 500])

    told = tell_times([One], 100, 0.01)  # type: ignore[list-item]
    assert told["by_move"][:2] == [[1.6, 5], [10.0, 1]]
    assert [count for _, count in told["by_surprise"]] == [1, 0, 0, 3, 0, 0, 2]
    assert told["by_surprise"][0] == [2.0, 1] and told["by_surprise"][-1] == [5.5, 2]


def test_what_was_used_of_a_bank_is_told() -> None:
    class One:
        nodes = np.array([100, 300, 200])

    class Other:
        nodes = np.array([200])

    limit = Limit(clock=1000, increment=100, unit="nodes")
    assert used_share([One, Other], limit) == 0.35  # type: ignore[list-item]


def test_what_does_not_fit_is_refused() -> None:
    learner = TimingActor(**ACTOR)
    done = learner.learned(learned(learner))
    with pytest.raises(PilotError, match="has a policy already"):
        learner.start(done, 0)
    with pytest.raises(ValueError, match="neurons"):
        TimingSane(neurons=4, units=6)
