"""Every learner keeps the promises of learners; and the checker sees each that is broken. Gradients of TD."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plypilot as pp
from conftest import SOAK
from odd_learners import BROKEN
from plypilot import _core
from plypilot.compute import Workers
from plypilot.games import game_info
from plypilot.learn import NO_CHECKS, TD, Checks, LearnerError, check_learner, find_learner
from plypilot.learn.catalogue import LEARNERS, learner_settings, list_settings, read_settings
from plypilot.learn.conformance import RULES, SMALL_GAME
from plypilot.networks import ValueNetwork
from plypilot.settings import Evaluation

PLYPILOT = Path(sys.executable).with_name("plypilot")
FEW_GAMES = Checks(count=1, games=4, nodes=50, confirming_games=4)


def small_network(game: str, set_name: str, seed: int = 0, **settings: Any) -> pp.Pilot:
    """A plain pilot with a random network of three hidden units."""
    features = next(len(each.features) for each in game_info(game).feature_sets if each.name == set_name)
    rng = np.random.default_rng(seed)
    network = ValueNetwork(
        set=set_name,
        hidden=rng.normal(size=(features, 3)) * 0.3,
        hidden_bias=rng.normal(size=3) * 0.3,
        output=rng.normal(size=(3, 1)),
        output_bias=[0.1],
        **settings,
    )
    return pp.Pilot(game=game, evaluation=Evaluation(kind="network", network=network))


# Conformance

TD_SETTINGS: dict[str, dict[str, Any]] = {
    "linear": {"games": 20, "batch": 8},
    "one by one": {"games": 3, "batch": 1, "step_size": "delta-bar-delta"},
    "all of it": {
        "games": 12,
        "batch": 5,
        "prediction_decay": True,
        "learn_steepness": True,
        "even": True,
        "least_frequency": 0.1,
        "noise": 5,
        "opening_plies": 2,
        "step_size": {"kind": "decaying", "rate": 0.1},
    },
}


@pytest.mark.parametrize("settings", TD_SETTINGS.values(), ids=TD_SETTINGS)
def test_td_keeps_every_promise(settings: dict[str, Any]) -> None:
    assert check_learner("td", settings) == []


def test_even_rates_suit_features_of_every_size() -> None:
    """One game from weights of 0: what a feature is changed by goes with one over its mean square."""
    base = pp.Pilot.baseline("loa")
    first = base.model_copy(update={"evaluation": pp.Evaluation.linear("loa", {"mia": {}})})
    moves = []
    for even in (False, True):
        learner = TD(games=1, batch=1, depth=1, opening_plies=4, even=even, step_size="fixed")
        with Workers.threads(1) as workers:
            state, _ = learner.step(learner.start(first, 3), workers)
        moves.append((state.arrays["weights"], state.arrays.get("sizes/squares"), state.arrays.get("sizes/counts")))
    (plain, _, _), (even_moves, squares, counts) = moves
    assert squares is not None
    assert counts is not None
    sizes = np.where(counts > 0, squares / np.maximum(counts, 1), 1)
    assert np.allclose(even_moves * sizes, plain)
    assert sizes.max() > 100 * sizes.min(), "the features of this set must differ in size"


@pytest.mark.parametrize("discount", [1.0, 0.8])
def test_the_steepness_is_learned_from_the_same_differences_as_the_weights(discount: float) -> None:
    """One weight w and the steepness s are one product in a prediction, so both changes are the same but for w / s."""
    pilot = pp.Pilot.plain("breakthrough-5x5", "material")
    learner = TD(
        games=1,
        batch=1,
        depth=1,
        opening_plies=4,
        discount=discount,
        trace_decay=0.7,
        positions="game",
        values="symmetric",
        even=False,
        learn_steepness=True,
        step_size={"kind": "fixed", "rate": 0.01},
    )
    start = learner.start(pilot, 3)
    with Workers.threads(1) as workers:
        state, _ = learner.step(start, workers)
    (weight,), (steepness,) = start.arrays["weights"], start.arrays["steepness"]
    moved_weight = state.arrays["weights"][0] - weight
    assert abs(moved_weight) > 1e-6
    assert state.arrays["steepness"][0] - steepness == pytest.approx(moved_weight * weight / steepness, rel=1e-6)


def test_weights_of_rare_features_may_go_as_fast_as_others() -> None:
    """One game from weights of 0: what a feature is changed by goes with one over how often it is there."""
    first = pp.Pilot.plain("chess", "material")
    found = []
    for least in (None, 0.25):
        learner = TD(
            games=1,
            batch=1,
            depth=1,
            first_weight=0,
            opening_plies=4,
            even=True,
            least_frequency=least,
            step_size="fixed",
        )
        with Workers.threads(1) as workers:
            state, _ = learner.step(learner.start(first, 3), workers)
        found.append(state.arrays)
    usual, often = found
    frequency = often["sizes/counts"] / often["sizes/positions"]
    assert frequency.min() < 0.25 < frequency.max() < 1, "features must be rare and common"
    assert np.allclose(often["weights"] * np.maximum(frequency, 0.25), usual["weights"])


def test_td_of_a_network_keeps_every_promise() -> None:
    pilot = small_network(SMALL_GAME, "full_board")
    settings = {"games": 12, "batch": 6, "positions": "game", "values": "symmetric", "discount": 0.98}
    assert check_learner("td", settings, pilot=pilot) == []


@pytest.mark.skipif(not SOAK, reason="many processes; long form only")
def test_td_on_a_python_game_keeps_every_promise() -> None:
    game = "connect_four:ConnectFour"
    sets = [each.name for each in game_info(game).feature_sets]
    weights = {name: np.full(len(next(e.features for e in game_info(game).feature_sets if e.name == name)), 10.0)
               for name in sets}  # fmt: skip
    pilot = pp.Pilot(game=game, evaluation=Evaluation(kind="linear", weights=weights))
    assert check_learner("td", {"games": 6, "batch": 3, "depth": 1}, pilot=pilot, steps=2) == []


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_is_found_and_tells_its_settings(name: str) -> None:
    assert all(setting.text for setting in list_settings(name) if not setting.key.endswith("kind"))


def test_a_learner_of_a_user_keeps_every_promise() -> None:
    assert check_learner("odd_learners:Sound") == []


@pytest.mark.parametrize("promise", BROKEN)
def test_the_checker_sees_a_broken_promise(promise: str) -> None:
    found = check_learner(f"odd_learners:{BROKEN[promise].__name__}")
    rule = promise.partition(" ")[0]
    assert rule in RULES
    assert rule in [failure.rule for failure in found], found
    assert all(len(failure.text) > 20 for failure in found)


def test_check_learner_prints_each_failure_and_exits_with_1() -> None:
    here = Path(__file__).parent
    done = subprocess.run(
        [PLYPILOT, "check-learner", "odd_learners:Halved"], capture_output=True, text=True, cwd=here, timeout=120
    )
    assert done.returncode == 1
    assert "failed  saving: " in done.stdout


# Names and settings


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("nobody", "there are: td"),
        ("no_such_module:Learner", "no_such_module"),
        ("odd_learners:Nobody", "Nobody"),
        ("subprocess:Popen", "Popen has no decision, start, is_done, step, pilot"),
        ("os:system", "system has no decision"),
    ],
)
def test_what_is_no_learner_is_refused_by_name(name: str, complaint: str) -> None:
    with pytest.raises(LearnerError, match=complaint):
        find_learner(name, {"args": ["true"]})


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"gmaes": 3}, 'td has no setting "gmaes"; there are: games, batch'),
        ({"games": 0}, "games: expected 1 or more, got 0"),
        ({"depth": 0}, "depth and nodes are both 0"),
        ({"step_size": {"kind": "slow"}}, "step_size"),
        ({"step_size": {"kind": "fixed", "rate": -1}}, "rate"),
        ({"discount": 0.9}, "symmetric"),
    ],
)
def test_settings_that_do_not_fit_are_refused_by_name(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(LearnerError, match=complaint):
        find_learner("td", settings)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["games=5"], {"games": 5}),
        (["step_size.kind=fixed", "step_size.rate=0.05"], {"step_size": {"kind": "fixed", "rate": 0.05}}),
        (["step_size.rate=0.5"], {"step_size": {"kind": "temporal-coherence", "rate": 0.5}}),
        (["step_size=fixed"], {"step_size": {"kind": "fixed", "rate": 0.05}}),
        (["step_size=fixed", "step_size.rate=0.2"], {"step_size": {"kind": "fixed", "rate": 0.2}}),
        (["sets=material,half_board"], {"sets": ["material", "half_board"]}),
        (["sets=material"], {"sets": ["material"]}),
        (["prediction_decay=true"], {"prediction_decay": True}),
        (["first_weight=null"], {"first_weight": None}),
    ],
)
def test_settings_are_read_as_they_are_typed(words: list[str], expected: dict[str, Any]) -> None:
    found = learner_settings(find_learner("td", read_settings("td", {}, words)))
    assert {key: found[key] for key in expected} == expected


def test_a_word_wins_over_the_table() -> None:
    table = {"games": 9, "step_size": {"kind": "fixed", "rate": 0.5}}
    found = read_settings("td", table, ["step_size.rate=0.1"])
    assert found == {"games": 9, "step_size": {"kind": "fixed", "rate": 0.1}}
    assert table["step_size"] == {"kind": "fixed", "rate": 0.5}


@pytest.mark.parametrize("word", ["games", "games.x=3"])
def test_words_that_are_no_settings_are_refused(word: str) -> None:
    with pytest.raises(LearnerError, match=word):
        read_settings("td", {"games": 3}, [word])


def test_a_step_rule_may_be_given_by_name() -> None:
    assert TD(step_size="delta-bar-delta").step_size.kind == "delta-bar-delta"  # type: ignore[arg-type]


# Gradients


def rows_of(positions: list[pp.Position], name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features of positions as starts, indices and values."""
    starts, indices, values = [0], [], []
    for position in positions:
        for index, value in enumerate(position.feature_values(name)):
            if value:
                indices.append(index)
                values.append(value)
        starts.append(len(indices))
    return np.array(starts, np.int64), np.array(indices, np.int32), np.array(values, np.float32)


def some_positions(game: str, count: int, seed: int = 1) -> list[pp.Position]:
    rng = np.random.default_rng(seed)
    position = pp.Position(game)
    found = []
    while len(found) < count:
        moves = position.moves()
        position.push(moves[int(rng.integers(len(moves)))])
        found.append(position.copy())
    return found


def changes_of(
    pilot: pp.Pilot,
    name: str,
    positions: list[pp.Position],
    predictions: np.ndarray,
    slopes: np.ndarray,
    **given: float,
) -> np.ndarray:
    starts, indices, values = rows_of(positions, name)
    return np.asarray(
        _core.td_changes(
            pilot.game,
            evaluation=pilot.native_evaluation(),
            predictions=predictions,
            slopes=slopes,
            starts=starts,
            indices=indices,
            values=values,
            **{"trace_decay": 0.0, "discount": 1.0} | given,
        )
    )


def test_the_gradient_of_a_linear_evaluation_is_its_features() -> None:
    positions = some_positions("breakthrough", 6)
    pilot = pp.Pilot(game="breakthrough", evaluation=Evaluation.linear("breakthrough", {"full_board": np.arange(64.0)}))
    # With a difference of 1 at each step and no trace, the changes are the gradients.
    found = changes_of(pilot, "full_board", positions, np.arange(7.0), np.ones(6))
    np.testing.assert_array_equal(found, [position.feature_values("full_board") for position in positions])


def value_of(weights: Mapping[str, np.ndarray], features: np.ndarray) -> float:
    hidden = np.tanh(features @ weights["hidden"] + weights["hidden_bias"])
    direct = features @ weights["direct"] if weights["direct"].size else 0
    return math.tanh(float((hidden @ weights["output"] + direct + weights["output_bias"])[0]))


@pytest.mark.parametrize("has_direct", [False, True])
def test_the_gradient_of_a_network_is_its_numeric_derivative(has_direct: bool) -> None:
    links = {"direct": np.random.default_rng(2).normal(size=(65, 1)) * 0.1} if has_direct else {}
    pilot = small_network("loa", "squares", **links)
    network = pilot.evaluation.network
    assert network is not None
    positions = some_positions("loa", 3)
    found = changes_of(pilot, "squares", positions, np.arange(4.0), np.ones(3))
    weights = {name: np.array(getattr(network, name), np.float64) for name in network.LAYERS}
    for row, position in zip(found, positions, strict=True):
        features = np.array(position.feature_values("squares"))
        expected = []
        for array in weights.values():
            for at in np.ndindex(array.shape):
                kept, step = array[at], 1e-5
                array[at] = kept + step
                above = value_of(weights, features)
                array[at] = kept - step
                below = value_of(weights, features)
                array[at] = kept
                expected.append((above - below) / (2 * step))
        assert len(expected) == len(row) == network.weight_count == 65 * 3 + 3 + 3 + 1 + 65 * has_direct
        np.testing.assert_allclose(row, expected, atol=5e-6)


def plain_td(
    features: np.ndarray, predictions: np.ndarray, slopes: np.ndarray, trace_decay: float, discount: float
) -> np.ndarray:
    """TD(lambda) as it is written, with a sum over all earlier positions: Sutton 1988, equation 4."""
    count = len(slopes)
    changes = np.zeros_like(features)
    for t in range(count):
        gain = discount if t + 1 < count else 1.0
        difference = gain * predictions[t + 1] - predictions[t]
        for k in range(t + 1):
            changes[t] += difference * (discount * trace_decay) ** (t - k) * slopes[k] * features[k]
    return changes


@pytest.mark.parametrize(("trace_decay", "discount"), [(0.0, 1.0), (0.7, 1.0), (1.0, 1.0), (0.8, 0.9)])
def test_recommended_changes_are_those_of_a_plain_td(trace_decay: float, discount: float) -> None:
    positions = some_positions(SMALL_GAME, 8)
    pilot = pp.Pilot(game=SMALL_GAME, evaluation=Evaluation.linear(SMALL_GAME, {"half_board": {}}))
    rng = np.random.default_rng(3)
    predictions, slopes = rng.random(9), rng.normal(size=8)
    slopes[2] = 0.0  # a position whose value is known teaches nothing, but passes the trace on
    features = np.array([position.feature_values("half_board") for position in positions], np.float64)
    found = changes_of(pilot, "half_board", positions, predictions, slopes, trace_decay=trace_decay, discount=discount)
    np.testing.assert_allclose(found, plain_td(features, predictions, slopes, trace_decay, discount), atol=1e-12)


def test_a_batch_of_16_games_teaches_the_same_on_1_and_on_3_workers(tmp_path: Path) -> None:
    pilot = pp.Pilot.baseline(SMALL_GAME)
    learner = TD(games=48, batch=16, depth=1)
    runs = [pp.learn.train(learner, pilot, tmp_path / str(n), seed=4, workers=n, checks=NO_CHECKS) for n in (1, 3)]
    assert runs[0].state.encode() == runs[1].state.encode()
    assert runs[0].pilot.digest == runs[1].pilot.digest != pilot.digest


def test_tables_emptied_before_each_move_give_other_games(tmp_path: Path) -> None:
    start = pp.Pilot.plain("chess", "material").replace({"search.table.log2_entries": 14, "ordering.table_move": True})
    runs = [
        pp.learn.train(TD(games=2, batch=2, depth=2, fresh=fresh), start, tmp_path / str(fresh), checks=NO_CHECKS)
        for fresh in (False, True)
    ]
    one, other = ([line["nodes"] for line in run.metrics] for run in runs)
    assert one != other


def test_another_seed_plays_other_games(tmp_path: Path) -> None:
    pilot = pp.Pilot.baseline(SMALL_GAME)
    learner = TD(games=16, depth=1)
    runs = [pp.learn.train(learner, pilot, tmp_path / str(seed), seed=seed, checks=NO_CHECKS) for seed in (0, 1)]
    assert runs[0].pilot != runs[1].pilot


def test_td_learns_a_python_game_in_processes(tmp_path: Path) -> None:
    game = "connect_four:ConnectFour"
    name = game_info(game).feature_sets[0].name
    assert list(TD().start(pp.Pilot.baseline(game), 0).pilot.evaluation.weights) == [name]
    learner = TD(games=4, batch=2, depth=1)
    runs = [
        pp.learn.train(learner, pp.Pilot.baseline(game), tmp_path / str(n), workers=n, checks=FEW_GAMES) for n in (1, 2)
    ]
    assert runs[0].state.encode() == runs[1].state.encode()


@pytest.mark.parametrize(("sets", "even"), [((), None), (("material", "half_board"), None), ((), False)])
def test_the_pawn_of_a_learned_pilot_follows_the_scale_of_its_weights(sets: tuple[str, ...], even: bool | None) -> None:
    """By the pawn itself in chess, by the size of typical scores elsewhere, and not at all where that is unknown."""
    game = "chess" if sets else SMALL_GAME
    learner = TD(games=4, batch=4, depth=1, sets=sets, even=even, most_plies=20)
    start = pp.Pilot.plain(game, "material") if sets else pp.Pilot.baseline(game)
    state = learner.start(start, 1)
    assert learner.pilot(state).evaluation.pawn == start.evaluation.pawn
    with Workers.threads(1) as workers:
        state, _ = learner.step(state, workers)
    plain = learner._with(state, state.arrays["weights"])
    doubled = learner._with(state, 2 * state.arrays["weights"])
    assert doubled.evaluation.pawn == pytest.approx((1 if even is False else 2) * plain.evaluation.pawn)
    if sets:
        assert plain.evaluation.pawn == pytest.approx(plain.evaluation.named(game)["material"]["pawn"])
