"""Realization probabilities: counts of kinds of moves, what they cost, and runs that learn them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import plypilot as pp
from conftest import EXAMPLES
from plypilot.compute import Workers
from plypilot.learn import NO_CHECKS, check_learner
from plypilot.learn.learner import State, take_steps
from plypilot.learn.realization import Kind, Realization, Way, count_kinds
from plypilot.learn.selfplay_set import SelfPlay, candidates_of, make_selfplay_set, play_labelled
from plypilot.pilot import PilotError
from plypilot.searcher import Limit

SMALL = "breakthrough-5x5"
FEW: dict[str, Any] = {
    "play": {"games": 40, "batch": 20, "nodes": 100, "side_lines": 0},
    "constants": [0.1, 0.3],
    "trials": {"games": 20, "nodes": 100, "cost": 0, "gain": 10},
}


def learned(settings: dict[str, Any], game: str = SMALL, pilot: pp.Pilot | None = None) -> tuple[Realization, State]:
    learner = Realization(**settings)
    state = learner.start(pilot or pp.Pilot.baseline(game), 3)
    with Workers.threads(2) as workers:
        steps = list(take_steps(learner, state, workers))
    return learner, steps[-1][0]


@pytest.mark.parametrize("game", ["loa", "breakthrough", "chess", "shogi"])
def test_kinds_are_counted_once_a_position(game: str) -> None:
    games = play_labelled(SelfPlay(pp.Pilot.baseline(game), Limit(nodes=50), most_plies=40, seed=2), range(2))
    possible: Counter[int] = Counter()
    played: Counter[int] = Counter()
    wide = pp.Position(game).move_features(pp.Position(game).moves()[0])
    category = wide & -wide
    of_category = [0, 0]
    for record in games:
        position = pp.Position(game)
        for word, label in zip(record.moves.split(), record.labels.split(), strict=True):
            if label != "*":
                masks = {position.move_features(move) for move in position.moves()}
                possible.update(masks)
                chosen = position.move_features(position.parse(label))
                played[chosen] += 1
                of_category[0] += any(mask & category for mask in masks)
                of_category[1] += bool(chosen & category)
            position.push(word)
    block = candidates_of(game, games).block
    everything = Realization().wanted(game)
    assert count_kinds(game, block, everything) == [
        Kind(mask, possible[mask], played[mask]) for mask in sorted(possible)
    ]
    assert count_kinds(game, block, everything, [category]) == [Kind(category, *of_category)]


def test_a_kind_costs_the_logarithm_of_its_share() -> None:
    learner = Realization(prior=1e-9)
    assert learner.cost(Kind(1, 1000, 100), 0.1) == 1
    assert learner.cost(Kind(1, 1000, 10), 0.1) == 2
    assert learner.cost(Kind(1, 1000, 250), 0.1) == pytest.approx(math.log(0.25) / math.log(0.1), abs=1 / 1024)
    assert learner.cost(Kind(1, 1000, 1000), 0.1) == 0
    assert learner.cost(Kind(1, 100_000_000, 0), 0.1) == 4
    assert learner.cost(Kind(1, 1000, 10), 0.1, contrast=1.5) == 2.5
    assert learner.cost(Kind(1, 1000, 100), 0.1, contrast=3) == 1


def test_each_move_costs_what_its_own_kind_says() -> None:
    learner, state = learned({**FEW, "trials": {"games": 0}})
    way = Way(0.1, "every", 0.0)
    pilot = learner.steer(state, way)
    costs = {kind.features: learner.cost(kind, 0.1) for kind in learner.kinds(state)}
    names = [feature.name for feature in pp.game_info(SMALL).move_features]
    position = pp.Position(SMALL)
    for move in position.moves():
        mask = position.move_features(move)
        having = {name for bit, name in enumerate(names) if mask >> bit & 1}
        first = next(category for category in pilot.depth.categories if set(category.features) <= having)
        assert first.plies == costs[mask]


def test_moves_that_were_followed_further_still_are() -> None:
    pilot = pp.Pilot.baseline(SMALL).replace({"depth.categories": [(["capture"], 0.5)]})
    learner, state = learned({**FEW, "trials": {"games": 0}}, pilot=pilot)
    depth = learner.pilot(state).depth
    assert depth.floor == 0.5
    captures = [category.plies for category in depth.categories if "capture" in category.features]
    assert captures
    assert set(captures) == {0.5}
    assert all(category.plies >= 1 for category in depth.categories if "capture" not in category.features)


def test_categories_that_are_named_overlap_and_the_likeliest_counts() -> None:
    learner, state = learned({**FEW, "trials": {"games": 0}, "categories": [["capture"], ["safe"], []]})
    depth = learner.pilot(state).depth
    assert depth.rule == "lowest"
    assert {category.features for category in depth.categories} == {("capture",), ("safe",), ()}


def test_a_pilot_changes_only_where_a_trial_found_it_better() -> None:
    learner, state = learned({**FEW, "trials": {"games": 4, "nodes": 50, "cost": 900, "gain": 99}})
    trials = learner.tried_ways(state)
    assert not any(trial.is_better for trial in trials)
    assert all(trial.way.floor == 1 for trial in trials)
    assert learner.pilot(state) == pp.Pilot.baseline(SMALL)


def test_trials_change_one_thing_of_the_best_way_at_a_time() -> None:
    _, state = learned({**FEW, "trials": {"games": 0}})
    learner = Realization(**{**FEW, "contrasts": [2, 3], "strengths": [1.5], "extension": None})
    first = Way(0.1, "late", 1.0, 2.0)

    def tried_ways(winners: Sequence[int]) -> list[Way]:
        trials: list[Any] = []
        while True:
            after = State({}, {**state.numbers, "trials": trials}, state.pilot)
            if learner.is_done(after):
                return [way for way, *_ in trials]
            way = learner._next_way(after)
            trials.append([way, [0] * 5, len(trials) in winners])

    assert tried_ways([]) == [
        first,
        first._replace(contrast=3.0),
        first._replace(constant=0.3),
        first._replace(history=8.0),
        first._replace(strength=1.5),
    ]
    better = first._replace(contrast=3.0)
    assert tried_ways([1, 4]) == [
        first,
        better,
        better._replace(constant=0.3),
        better._replace(history=8.0),
        better._replace(strength=1.5),
        better._replace(strength=1.5, floor=0.5),
    ]


def test_constants_that_are_not_named_follow_from_the_mean_share() -> None:
    learner, state = learned({**FEW, "constants": [], "trials": {"games": 0}})
    counts = state.numbers["counts"]
    mean = sum(played for *_, played in counts) / sum(possible for _, possible, _ in counts)
    constants = learner.tried_constants(state)
    assert constants == pytest.approx((1.5 * mean, mean, min(2.25 * mean, 0.5)), rel=0.05)
    assert learner.best_or_first_way(state).constant == constants[0]


def test_a_way_changes_late_reductions_beside_those_of_the_pilot() -> None:
    pilot = pp.Pilot.baseline(SMALL).replace({"depth.late_strength": 0.5})
    learner, state = learned({**FEW, "trials": {"games": 0}}, pilot=pilot)
    assert learner.steer(state, Way(0.1, "late", 1.0, strength=1.5)).depth.late_strength == 0.75
    assert learner.steer(state, Way(0.1, "late", 1.0, history=8.0)).depth.late_history == 8.0


def test_groups_tell_kinds_apart() -> None:
    _, state = learned({**FEW, "trials": {"games": 0}, "groups": ["capture"]})
    assert 1 < len(state.numbers["counts"]) <= 3
    with pytest.raises(PilotError, match="no group"):
        Realization(groups=("nonsense",)).start(pp.Pilot.baseline(SMALL), 0)


def test_a_set_is_counted_as_a_whole(tmp_path: Path) -> None:
    selfplay = SelfPlay(pp.Pilot.baseline(SMALL), Limit(nodes=50), seed=4)
    patterns = make_selfplay_set(tmp_path / "set", selfplay, games=30)
    _, state = learned({"data": str(tmp_path / "set"), "trials": {"games": 0}})
    assert state.numbers["positions"] == patterns.counts("learn").positions


@pytest.mark.parametrize("game", [SMALL, "connect_four:ConnectFour"])
def test_realization_keeps_all_promises_of_a_learner(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    small = {**FEW, "play": {**FEW["play"], "games": 20}, "trials": {**FEW["trials"], "games": 4}}
    assert check_learner("realization", small, game=game) == []


def test_a_report_tells_kinds_costs_and_trials(tmp_path: Path) -> None:
    run = pp.learn.train(Realization(**FEW), pp.Pilot.baseline(SMALL), tmp_path / "run", seed=1, checks=NO_CHECKS)
    titles = [section.title for section in Realization(**FEW).sections(run)]
    assert titles == ["What was learned", "Positions", "In the search"]


def test_late_reductions_follow_the_category_both_ways() -> None:
    pilot, position, limit = pp.Pilot.baseline("loa"), pp.Position("loa"), pp.Limit(depth=8)
    shifting = {"depth.floor": 1.0, "depth.threshold": 1.0, "depth.excess": "late", "depth.rule": "first"}

    def nodes(plies: float) -> int:
        changes = {**shifting, "depth.categories": [([], plies)]}
        return pp.search(pilot.replace(changes), position, limit).nodes.all

    usual = pp.search(pilot, position, limit).nodes.all
    assert nodes(1.0) == usual
    assert nodes(1.5) < usual < nodes(0.5)
