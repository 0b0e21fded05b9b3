"""Gradual Focus on tables of values made by hand, and its learner on a small game."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from plypilot.data.epd import EpdPosition, read_epd
from plypilot.games import Position
from plypilot.learn import check_learner
from plypilot.learn.category_values import Judge, Measured, Suite, plain_engine
from plypilot.learn.focus import Candidate
from plypilot.learn.focus_sections import handed_on, tree_text
from plypilot.learn.gradual_focus import Atom, Combination, Exploration, Rules, all_combinations, explore
from plypilot.learn.plies import Plies
from plypilot.learn.realization import Realization
from plypilot.pilot import Pilot

BASE = [Atom("a", "A"), Atom("c", "C"), Atom("n", "C", "c"), Atom("z", "Z")]
VALUES: dict[Combination, float] = {
    (): 1, ("a",): 9, ("c",): 5, ("n",): 4, ("z",): 0,
    ("a", "c"): 6, ("a", "n"): 20, ("a", "z"): 10, ("c", "z"): 5, ("n", "z"): 3,
    ("a", "c", "z"): 30, ("a", "n", "z"): 21, ("c", "n"): 0, ("a", "c", "n"): 0, ("c", "n", "z"): 0,
    ("a", "c", "n", "z"): 0,
}  # fmt: skip


def fates(found: Exploration) -> dict[Combination, str]:
    return {trace.combination: trace.fate for trace in found.traces}


def test_features_of_one_group_are_combined_only_without_groups() -> None:
    assert ("c", "n") not in fates(explore(BASE, Rules(linear_tree=False), VALUES))
    assert fates(explore(BASE, Rules(groups=False, linear_tree=False), VALUES))["c", "n"] == "disproved"


def test_what_was_disproved_is_part_of_nothing_else() -> None:
    found = fates(explore(BASE, Rules(linear_tree=False), VALUES))
    assert found["a", "c"] == "disproved" and found["a", "c", "z"] == "banned"
    assert found["a", "n"] == "survived"


def test_linear_tree_pruning_bans_the_narrower_cousins_of_what_a_wider_feature_disproved() -> None:
    assert fates(explore(BASE, Rules(), VALUES))["a", "n"] == "banned"


@pytest.mark.parametrize(("epsilon", "fate"), [(1, "survived"), (1.5, "disproved")])
def test_a_combination_survives_at_its_first_parent_and_epsilon(epsilon: float, fate: str) -> None:
    assert fates(explore(BASE, Rules(epsilon=epsilon), VALUES))["a", "z"] == fate


def test_the_threshold_drops_features_that_knowledge_does_not_keep() -> None:
    assert fates(explore(BASE, Rules(threshold="neutral"), VALUES))["z",] == "dropped"
    kept = explore(BASE, Rules(threshold="neutral", keep=frozenset("z")), VALUES)
    assert fates(kept)["z",] == "base" and fates(kept)["a", "z"] == "survived"


def test_values_that_come_in_one_by_one_lead_to_the_same_as_all_at_once() -> None:
    known: dict[Combination, float] = {}
    while wanted := explore(BASE, Rules(), known).wanted:
        known[wanted[-1]] = VALUES[wanted[-1]]
    assert explore(BASE, Rules(), known) == explore(BASE, Rules(), VALUES)
    assert len(known) - 1 == explore(BASE, Rules(), VALUES).evaluations


def test_where_each_narrowing_is_better_all_combinations_are_found() -> None:
    values = {own: float(len(own)) for own in [(), *all_combinations(BASE, 4)]}
    found = {trace.combination for trace in explore(BASE, Rules(), values).ranking()}
    assert found == set(values)


def test_the_tree_shows_what_became_of_each_combination_below_its_first_parent() -> None:
    tree = tree_text(explore(BASE, Rules(threshold="neutral"), VALUES), {"a": "moves ahead"})
    assert tree.splitlines() == [
        "neutral 1",
        "\u251c\u2500 a 9: moves ahead",
        "\u2502  \u251c\u2500 not better: a-c 6",
        "\u2502  \u2514\u2500 not tried, narrower than a-c: a-n",
        "\u251c\u2500 c 5",
        "\u251c\u2500 n 4",
        "\u2514\u2500 z 0, below the threshold",
    ]


def test_what_was_found_goes_into_other_learners() -> None:
    measured = Measured(2.0, (0, 1), 3.0, 4.0, 0.1)
    found = [Candidate((("Ud", "RdTt"), ("Rc",)), 0.5, measured), Candidate((("Rc",),), 0.5, measured)]
    by_gradient, by_counting = (
        command.split("categories=")[1] for command in handed_on("breakthrough", found).split("\n")
    )
    names = Plies(categories=tuple(by_gradient.split(","))).category_names("breakthrough")
    assert names == ("Ud+RdTt", "Rc")
    learner = Realization(categories=json.loads(by_counting.strip("'")))
    assert learner.categories == (("Ud", "RdTt"), ("Rc",), ())
    for own in (Plies(categories=names), learner):
        own.start(Pilot.baseline("breakthrough"), 0)


def test_a_win_that_is_asked_for_is_not_solved_by_a_guess() -> None:
    (item,) = read_epd('8/2P5/8/8/8/8/p6p/4P3 w ; bm c7-b8 c7-c8 c7-d8; id "one step"; kind win', "breakthrough")
    assert isinstance(item, EpdPosition)
    engine = plain_engine(Pilot.plain("breakthrough", "material"))
    suite = Suite.read("breakthrough", Suite.of("breakthrough", [item]).content())
    assert Judge(engine, suite, 1000, needs_win=True).measure_alone(()).value == 1
    start = Position("breakthrough")
    anything = replace(item, fen=start.fen(), best=tuple(map(str, start.moves())))
    guessed = Suite.of("breakthrough", [anything])
    assert Judge(engine, guessed, 1000).measure_alone(()).value == 1
    assert Judge(engine, guessed, 1000, needs_win=True).measure_alone(()).value == 0


def test_the_learner_keeps_its_promises() -> None:
    settings: dict[str, Any] = {
        "own": {"positions": 6, "games": 200, "play_nodes": 100, "nodes": 20_000},
        "features": ("Ud", "PP", "C"), "node_rule": {"least": 20, "most": 500}, "trials": {"games": 4, "nodes": 50},
    }  # fmt: skip
    assert check_learner("focus", settings, steps=5) == []
