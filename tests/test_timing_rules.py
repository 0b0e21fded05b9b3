"""Rules of timing beside the share of the clock, timing policies, and the guard beneath all of them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plypilot as pp
from plypilot.learn.weights import native_network
from plypilot.networks import Policy
from plypilot.pilot import PilotError
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Arena, Games, Task
from plypilot.play.openings import random_openings
from plypilot.searcher import Clock, Limit, Searcher
from plypilot.settings import Timing

NODES = Limit(clock=10_000, increment=2_000, unit="nodes")
MANY = Limit(clock=200_000, increment=40_000, unit="nodes")
SEEN = ("bank", "iteration", "value", "last_value", "drop", "spent", "latest", "new_move", "settled")


def policy(game: str = "loa", **changes: Any) -> Policy:
    """One that is asked after each iteration, by its bias alone."""
    seen = changes.pop("seen", SEEN)
    given = {
        "game": game,
        "function": "linear",
        "seen": seen,
        "direct": np.zeros((len(seen), 1)),
        "output_bias": [1.0],
    }
    return Policy.model_validate(given | changes)


def timed(game: str = "loa", **changes: Any) -> pp.Pilot:
    """The baseline with other timing."""
    if "policy" in changes:
        changes = {"rule": "learned", **changes}
    return pp.Pilot.baseline(game).model_copy(update={"timing": Timing.model_validate(changes)})


def depths_of(pilot: pp.Pilot, limit: Limit, position: pp.Position | None = None) -> list[tuple[int, int]]:
    """Depth and nodes of each iteration of a search."""
    found = Searcher(pilot).search(position or pp.Position(pilot.game), limit)
    return [(iteration.depth, iteration.nodes.all) for iteration in found.iterations]


def played(one: pp.Pilot, two: pp.Pilot, limit: Limit, games: int = 4, early_depth: int = 2) -> Games:
    arena = Arena(one.game, [one, two], limit, adjudication=Adjudication(120, "draw"), early_depth=early_depth)
    return arena.play([Task(pp.Position(one.game), 7 + number // 2, number % 2) for number in range(games)])


# Rules


def test_a_fixed_depth_is_searched_and_no_more() -> None:
    assert [depth for depth, _ in depths_of(timed(rule="depth", depth=4), MANY)] == [1, 2, 3, 4]
    assert Clock(NODES, Timing(rule="depth")).nodes == 5500, "three shares, which are more than half of the bank"
    assert Clock(NODES, Timing(rule="depth", most_share=0.8)).nodes == 8_000
    assert Clock(NODES, Timing(rule="depth", most_share=1)).nodes == 10_000


def test_crafty_stops_at_the_increment_and_a_share_unless_the_score_is_worse() -> None:
    """Kocsis 5.3.3: inc + rem / 35, and all that is left where the score has dropped."""
    limit = Limit(clock=35_000, increment=1_000, unit="nodes")
    assert Clock(limit, Timing(rule="crafty")).nodes == 2_000
    assert Clock(Limit(clock=7, increment=0.1), Timing(rule="crafty", margin_ms=0)).seconds == pytest.approx(0.3)
    assert Clock(Limit(clock=0.2, increment=5), Timing(rule="crafty", margin_ms=0)).seconds == pytest.approx(0.2)
    position = pp.Position("chess", "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")
    calm = Searcher(timed("chess", rule="crafty", worse_by=32_000)).search(position, limit)
    assert calm.nodes.all == 2_000
    scores = [iteration.score for iteration in calm.iterations]
    drop = max(before - after for before, after in pairwise(scores))
    assert drop > 0, "the case needs a score that drops"
    worried = Searcher(timed("chess", rule="crafty", worse_by=drop, most_share=0.5)).search(position, limit)
    fell = 1 + next(i for i in range(len(scores) - 1) if scores[i] - scores[i + 1] >= drop)
    if fell == len(scores) - 1:  # the last iteration that was completed: the next one has all that is there
        assert worried.nodes.all > 2_000
    assert worried.nodes.all >= 2_000


def test_the_simple_rule_thinks_by_how_the_search_goes() -> None:
    """With shares of 1 nothing matters but what has been spent; each reason moves the end to where it was computed."""
    plain = {"rule": "simple", "worse_share": 1, "new_move_share": 1, "settled_share": 1, "soft_share": 0.5}
    limit = Limit(clock=1_200_000, increment=0, unit="nodes")
    assert Clock(limit, Timing.model_validate(plain)).nodes == 120_000
    usual = Searcher(timed(**plain)).search(pp.Position("loa"), Limit(nodes=120_000))
    nodes = [iteration.nodes.all for iteration in usual.iterations]
    moves = [iteration.move for iteration in usual.iterations]
    scores = [iteration.score for iteration in usual.iterations]

    def last(**changes: float) -> int:
        """The last depth that is completed, computed from the words of the documentation."""
        given = {**plain, **changes}
        settled = 0
        for i in range(len(nodes)):
            settled = settled + 1 if i and moves[i] == moves[i - 1] else 0
            drop = scores[i - 1] - scores[i] if i else 0
            share = 1 + (given["worse_share"] - 1) * min(max(drop, 0) / 30, 1)
            share *= given["new_move_share"] if i and moves[i] != moves[i - 1] else 1
            share *= given["settled_share"] if settled >= given.get("settled_iterations", 4) and drop < 30 else 1
            if nodes[i] >= 20_000 * share:
                return i + 1
        return len(nodes)

    ends = set()
    for changes in (
        {},
        {"settled_share": 0.05, "settled_iterations": 1},
        {"new_move_share": 4},
        {"worse_share": 6},
        {"settled_share": 0.2, "worse_share": 6},
    ):
        found = depths_of(timed(**{**plain, **changes}), limit)
        assert len(found) == last(**changes), changes
        ends.add(len(found))
    assert len(ends) > 1, "no change made any difference"


@pytest.mark.parametrize("game", ["loa", "breakthrough", "chess"])
def test_a_baseline_uses_most_of_its_bank_by_the_end_of_a_usual_game(game: str) -> None:
    pilot, limit = pp.Pilot.baseline(game), Limit(clock=20_000, increment=200, unit="nodes")
    assert pilot.timing.rule == "simple"
    openings = random_openings(game, 6, 6, 5)
    arena = Arena(game, [pilot], limit, adjudication=Adjudication(200, "draw"))
    games = arena.play([Task(opening.position(game), 7) for opening in openings])
    assert not [cause for cause in games.causes if "clock" in cause]
    used, early = [], []
    for number in range(len(openings)):
        for side in (0, 1):
            own = games.nodes[games.starts[number] + side : games.starts[number + 1] : 2]
            used.append(own.sum() / (20_000 + 200 * (len(own) - 1)))
            early.append(own[:10].sum() / 20_000)
    assert np.mean(used) > 0.7, "what is left at the end of a game is lost"
    assert np.mean(early) < 0.9, "what is spent at the start is missing where the game is decided"


@pytest.mark.parametrize("rule", ["simple", "learned"])
def test_nothing_is_thought_about_where_nothing_is_left_to_find(rule: str) -> None:
    own: dict[str, Any] = {"policy": policy("chess")} if rule == "learned" else {"rule": rule}
    forced = pp.Position("chess", "k7/8/8/8/8/8/r5PP/5rK1 w - - 0 1")
    mate = pp.Position("chess", "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1")
    assert [depth for depth, _ in depths_of(timed("chess", **own), NODES, mate)][-1] <= 4
    assert len(forced.moves()) == 1 and len(depths_of(timed("chess", **own), NODES, forced)) == 1
    assert len(depths_of(timed("chess", rule="depth", depth=5), NODES, mate)) == 5


def test_without_a_clock_timing_has_no_say() -> None:
    for own in ({"rule": "simple"}, {"rule": "depth", "depth": 2}, {"policy": policy(output_bias=[-1.0])}):
        found = Searcher(timed(**own)).search(pp.Position("loa"), Limit(depth=4))
        assert found.depth == 4
    assert Searcher(timed(rule="crafty")).search(pp.Position("loa"), Limit(nodes=1500)).nodes.all == 1500


def test_an_oracle_pays_for_the_ply_more_only_where_it_changed_the_move() -> None:
    """Each move is searched anew from an empty table, so that its two depths are known."""
    limit = Limit(clock=1e9, increment=1e9, unit="nodes")
    oracle = timed("breakthrough-5x5", rule="oracle", depth=3, most_share=1.0)
    arena = Arena(oracle.game, [oracle], limit, fresh=True)
    games = arena.play([Task(pp.Position(oracle.game), 7)])
    position, changed = pp.Position(oracle.game), []
    for ply, text in enumerate(games.moves[0].split()):
        found = Searcher(timed(oracle.game), seed=0).search(position, Limit(depth=4)).iterations
        by_depth = {iteration.depth: iteration for iteration in found}
        if len(by_depth) == 4:
            changed.append(by_depth[3].move != by_depth[4].move)
            assert str(by_depth[4].move) == text
            assert games.nodes[ply] == by_depth[4 if changed[-1] else 3].nodes.all
        position.push(text)
    assert any(changed) and not all(changed)


# Policies


def test_a_policy_goes_on_or_stops_by_the_sign_of_what_it_says() -> None:
    assert len(depths_of(timed(policy=policy(output_bias=[-1.0])), NODES)) == 2, "not asked before the second"
    assert len(depths_of(timed(policy=policy(output_bias=[-1.0], least_depth=3)), NODES)) == 3
    assert len(depths_of(timed(policy=policy(most_depth=4)), MANY)) == 4
    found = Searcher(timed(policy=policy(), most_share=1)).search(pp.Position("loa"), NODES)
    assert found.nodes.all == 10_000, "it goes on until the bank is empty"


def test_a_policy_before_a_search_chooses_its_depth() -> None:
    own = {"asked": "before", "seen": ("bank",), "direct": np.array([[-1.0, 0.0, 1.0]]), "output_bias": [1, 0.9, 0]}
    for clock, depth in ((10_000, 2), (520_000, 4)):
        limit = Limit(clock=clock, increment=40_000, unit="nodes")
        assert len(depths_of(timed(policy=policy(**own, first=2)), limit)) == depth


def test_depths_of_a_policy_are_counted_from_the_increment_it_was_learned_with() -> None:
    own = {"asked": "before", "seen": ("bank",), "direct": np.zeros((1, 3)), "output_bias": [0, 1, 0]}
    for increment, depth in ((10_000, 3), (20_000, 4), (40_000, 5), (5_000, 2)):
        limit = Limit(clock=20 * increment, increment=increment, unit="nodes")
        made = timed(policy=policy(**own, first=2, increment=10_000, growth=2), most_share=1)
        assert len(depths_of(made, limit)) == depth


@pytest.mark.parametrize("feature_set", ["", "material"])
def test_native_decisions_are_those_of_the_network_on_what_it_saw(feature_set: str) -> None:
    rng = np.random.default_rng(3)
    inputs = len(SEEN) + (1 if feature_set else 0)
    made = policy(
        set=feature_set,
        hidden=rng.normal(size=(inputs, 4)),
        hidden_bias=rng.normal(size=4),
        output=0.3 * rng.normal(size=(4, 1)),
        direct=np.array([[-4.0 if name == "spent" else 0.0] for name in (*SEEN, *(["count"] if feature_set else []))]),
        output_bias=[2.0],
        steepness=0.01,
    )
    pilot = timed(policy=made)
    games = played(pilot, timed(rule="simple"), NODES, games=8)
    told = games.decisions
    assert told is not None and len(told.chosen) > 100
    said = native_network(made).values(told.starts, told.indices, told.values)[:, 0]
    assert ((said >= 0) == told.chosen).all() and 0 < told.chosen.mean() < 1
    if feature_set:
        assert (told.indices == len(SEEN)).any()

    # What it saw, computed from the game.
    own = [ply for ply in range(games.starts[0], games.starts[1]) if games.movers[ply] == 0]
    left, tasks = 10_000.0, dict.fromkeys(told.plies.tolist())
    assert set(own) & set(tasks)
    for ply in own:
        for decision in np.flatnonzero(told.plies == ply):
            span = slice(told.starts[decision], told.starts[decision + 1])
            saw = dict(zip(told.indices[span].tolist(), told.values[span].tolist(), strict=True))
            assert saw[SEEN.index("bank")] == pytest.approx(left / 2_000 / 10)
            assert saw[SEEN.index("spent")] * 2_000 <= games.nodes[ply] + 1
            if round(saw[SEEN.index("iteration")] * 10) == 2:
                value = saw.get(SEEN.index("value"), 0.0)
                assert value == pytest.approx(np.tanh(told.early_scores[ply] * 0.01 / 2), abs=1e-6)
        left += 2_000 - games.nodes[ply]


def test_chance_takes_part_as_far_as_it_should() -> None:
    for share, low, high in ((1.0, 0.4, 0.6), (0.2, 0.02, 0.2), (0.0, 0.0, 0.0)):
        games = played(timed(policy=policy(output_bias=[1e-9], random=share)), timed(rule="simple"), NODES, games=8)
        assert games.decisions is not None
        assert low <= 1 - games.decisions.chosen.mean() <= high
    games = played(timed(policy=policy(output_bias=[1.0], temperature=1.0)), timed(rule="simple"), NODES, games=8)
    assert games.decisions is not None
    assert games.decisions.chosen.mean() == pytest.approx(1 / (1 + np.exp(-1)), abs=0.06)
    again = played(timed(policy=policy(output_bias=[1.0], temperature=1.0)), timed(rule="simple"), NODES, games=8)
    assert again.moves == games.moves, "chance follows from the seeds"


# The guard


@pytest.mark.parametrize("clock", [0.15, 0.4])
def test_a_policy_that_always_goes_on_loses_no_game_on_time(clock: float) -> None:
    greedy = timed("breakthrough-5x5", policy=policy("breakthrough-5x5"), most_share=1.0)
    games = played(greedy, greedy, Limit(clock=clock, increment=0.002), games=2)
    assert not [cause for cause in games.causes if "clock" in cause]


@pytest.mark.parametrize("rule", ["simple", "crafty", "depth", "oracle", "learned"])
def test_no_rule_spends_more_nodes_than_the_bank_has(rule: str) -> None:
    own: dict[str, Any] = {"policy": policy()} if rule == "learned" else {"rule": rule, "depth": 9}
    tight = Limit(clock=300, increment=40, unit="nodes")
    games = played(timed(most_share=1.0, **own), timed(most_share=1.0, **own), tight)
    assert not [cause for cause in games.causes if "clock" in cause]
    assert games.nodes.max() <= 300


@pytest.mark.parametrize("rule", ["simple", "crafty", "depth", "learned"])
def test_no_rule_gets_more_seconds_than_the_clock_can_spare(rule: str) -> None:
    own = {"policy": policy()} if rule == "learned" else {}
    timing = Timing.model_validate({"rule": rule, "margin_ms": 100, "most_share": 1.0} | own)
    for left in (0.01, 0.11, 1.0, 60.0):
        for increment in (0.0, 0.5, 100.0):
            clock = Clock(Limit(clock=left, increment=increment), timing)
            assert 0 < clock.seconds <= max(left - 0.1, left / 10) + 1e-9
    # Near the margin a clock does not get less.
    for left in (0.1, 0.15, 0.2):
        assert Clock(Limit(clock=left, increment=0.002), timing).seconds <= 0.002


# What is refused


def test_policies_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    for wrong, said in (
        ({"output_bias": [float("nan")]}, "finite"),
        ({"direct": np.full((len(SEEN), 1), np.inf)}, "finite"),
        ({"direct": np.zeros((3, 1))}, "3 inputs, expected 9"),
        ({"direct": np.zeros((len(SEEN), 2)), "output_bias": [0, 0]}, "2 outputs, expected one"),
        ({"asked": "before"}, "before a search"),
        ({"seen": ("bank", "bank"), "direct": np.zeros((2, 1))}, "twice"),
    ):
        with pytest.raises(ValueError, match=said):
            policy(**wrong)
    with pytest.raises(ValueError, match="no policy"):
        Timing(rule="learned")
    with pytest.raises(ValueError, match="was learned in loa, and says nothing of chess"):
        pp.Pilot.model_validate(dict(pp.Pilot.baseline("chess")) | {"timing": {"rule": "learned", "policy": policy()}})
    wide = policy(set="material")  # without an input for it
    with pytest.raises(ValueError, match="9 inputs, but in loa it sees 10"):
        pp.Pilot.model_validate(dict(pp.Pilot.baseline("loa")) | {"timing": {"rule": "learned", "policy": wide}})
    with pytest.raises(ValueError, match="learned in loa"):
        Searcher(pp.Pilot.baseline("chess")).search(
            pp.Position("chess"), Clock(NODES, Timing(rule="learned", policy=policy()))
        )
    timed(policy=policy()).save(tmp_path / "a.pilot")
    content = bytearray((tmp_path / "a.pilot").read_bytes())
    content[-3] ^= 1
    (tmp_path / "b.pilot").write_bytes(content)
    with pytest.raises(PilotError):
        pp.Pilot.load(tmp_path / "b.pilot")


def test_the_core_refuses_weights_that_are_no_numbers_and_wrong_shapes_by_itself() -> None:
    native = Timing(rule="learned", policy=policy()).native()
    arrays = {"limits": NODES.limits(), "funds": NODES.funds(), "threads": 1}
    layers = native["policy"]["network"]
    for wrong, said in (
        ({"output_bias": np.array([np.nan], np.float32)}, "not a finite number"),
        ({"direct": np.full((9, 1), np.inf, np.float32)}, "not a finite number"),
        ({"direct": np.zeros((5, 1), np.float32)}, "5 inputs, expected 9"),
    ):
        broken = native | {"policy": native["policy"] | {"network": layers | wrong}}
        with pytest.raises(ValueError, match=said):
            pp._core.Clock(timing=broken, **arrays)
    with pytest.raises(ValueError, match="no policy"):
        pp._core.Clock(timing=native | {"policy": None}, **arrays)


def test_a_pilot_keeps_its_policy_in_its_file(tmp_path: Path) -> None:
    pilot = timed(policy=policy(direct=np.full((9, 1), -0.5)))
    pilot.save(tmp_path / "a.pilot")
    again = pp.Pilot.load(tmp_path / "a.pilot")
    assert again == pilot and depths_of(again, NODES) == depths_of(pilot, NODES)
    assert "timing.policy.least_depth" in {setting.key for setting in again.settings()}
