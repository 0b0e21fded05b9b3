"""The hand-set evaluations: their weights belong to features there are, and say what they should of positions."""

from __future__ import annotations

import math
from importlib import import_module
from importlib.util import find_spec

import pytest

import plypilot as pp
from conftest import NATIVE_GAMES, random_game
from plypilot.baselines import evaluation_weights, pawn_value
from plypilot.pilot import reference_evaluation
from plypilot.score import MOST_STATIC

"""What an evaluation may reach without claiming a win (core/search/score.hpp)."""

Weights = dict[str, dict[str, float]]


def read_weights(game: str, which: str = "baseline") -> Weights:
    if find_spec(f"plypilot.baselines.{game}") is None:
        pytest.skip(f"no hand-set evaluation of {game}")
    return evaluation_weights(game, which)


def evaluate(position: pp.Position, weights: Weights) -> float:
    """The sum of weighted features, from the side to move."""
    return sum(
        known.get(feature, 0) * value
        for name, known in weights.items()
        for feature, value in position.features(name).items()
    )


def alternatives() -> list[tuple[str, str]]:
    found = []
    for game in NATIVE_GAMES:
        found.append((game, "baseline"))
        if find_spec(f"plypilot.baselines.{game}") is not None:
            module = import_module(f"plypilot.baselines.{game}")
            found += [(game, which) for which in getattr(module, "ALTERNATIVES", {})]
    return found


@pytest.mark.parametrize(("game", "which"), alternatives())
def test_every_weight_is_a_finite_number_of_a_feature_there_is(game: str, which: str) -> None:
    sets = {feature_set.name: set(feature_set.features) for feature_set in pp.game_info(game).feature_sets}
    weights = read_weights(game, which)
    assert weights
    for name, features in weights.items():
        assert name in sets
        assert features.keys() <= sets[name]
        assert all(isinstance(weight, float) and math.isfinite(weight) for weight in features.values())
        assert any(features.values())


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_the_start_is_about_even_and_no_position_claims_a_win(game: str) -> None:
    weights = read_weights(game)
    assert abs(evaluate(pp.Position(game), weights)) <= 50
    for seed in range(30):
        assert abs(evaluate(random_game(game, seed, longest=60), weights)) < MOST_STATIC


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_changing_weights_leaves_the_next_reader_alone(game: str) -> None:
    weights = read_weights(game)
    for features in weights.values():
        for name in features:
            features[name] += 1
    assert read_weights(game) != weights


def test_unknown_games_and_evaluations_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match='game "go" has no hand-set evaluation'):
        evaluation_weights("go")
    with pytest.raises(ValueError, match='game "connect_four:ConnectFour" has no hand-set evaluation'):
        evaluation_weights("connect_four:ConnectFour")
    with pytest.raises(ValueError, match='no hand-set evaluation "count", only baseline, piece_count, gradual_advance'):
        evaluation_weights("breakthrough", "count")


def test_breakthrough_is_judged_by_its_own_pawn_where_it_was_learned() -> None:
    assert pp.Pilot.baseline("breakthrough-6x5").evaluation.pawn == pawn_value("breakthrough") > 100
    assert reference_evaluation("breakthrough", "safe_advance").pawn == 100


def test_breakthrough_prefers_the_side_that_wins_the_race() -> None:
    weights = evaluation_weights("breakthrough")["race"]
    assert weights["race_2_3"] > weights["race_3_3"] > weights["race_4_2"]


def test_a_variant_has_the_weights_of_its_game() -> None:
    assert evaluation_weights("breakthrough-6x5") == evaluation_weights("breakthrough")


def test_breakthrough_advanced_safe_pieces_count_more() -> None:
    bonus = list(evaluation_weights("breakthrough", "safe_advance")["safe_advancement"].values())[:7]
    assert bonus == sorted(set(bonus))


def test_shogi_material_is_the_yss_set_with_a_pawn_of_100() -> None:
    material = evaluation_weights("shogi", "material")["material"]
    assert material["pawn"] == 100
    # Smith, table C.3, is normalised to a rook of 5.
    assert material["dragon"] / material["rook"] == pytest.approx(6.25 / 5, abs=1e-3)
    assert material["promoted_pawn"] / material["rook"] == pytest.approx(2.02 / 5, abs=1e-3)


def test_shogi_king_in_a_castle_is_safer_than_a_bare_one() -> None:
    weights = {"king_safety": evaluation_weights("shogi")["king_safety"]}
    castle = "4k4/9/9/9/9/9/PPPPPPPPP/1KSG5/LNG6 b - 1"
    bare = "4k4/9/9/9/9/9/PPPPPPPPP/2SG5/LNG4K1 b - 1"
    assert evaluate(pp.Position("shogi", castle), weights) > evaluate(pp.Position("shogi", bare), weights) + 50
