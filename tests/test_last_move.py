"""The feature set that tells where the opponent's last move went."""

from __future__ import annotations

import random

import pytest

import plypilot as pp

GAMES = ("chess", "loa", "breakthrough", "shogi")


def told(position: pp.Position) -> set[str]:
    """The features of the last move that a position has."""
    return {name for name, value in position.features("last_move").items() if value}


def test_it_tells_where_a_move_ended_and_captured_as_the_side_to_move_sees_it() -> None:
    position = pp.Position("chess")
    assert told(position) == set()
    position.push("e2e4")
    assert told(position) == {"ended_e5"}
    position.push("d7d5")
    assert told(position) == {"ended_d5"}
    position.push("e4d5")
    assert told(position) == {"ended_d4", "captured_d4"}
    position.pop()
    assert told(position) == {"ended_d5"}
    assert told(pp.Position("chess", position.fen())) == set()


@pytest.mark.parametrize("game", GAMES)
def test_it_has_the_square_that_the_move_index_tells(game: str) -> None:
    rng = random.Random(5)
    position = pp.Position(game)
    names = pp.game_info(game).feature_sets[-1].features
    squares = len(names) // 2
    captures = 0
    for ply in range(80):
        move = rng.choice(position.moves())
        pieces = sum(value for name, value in position.features("board").items() if "in_hand" not in name)
        position.push(move)
        if position.outcome() is not None:
            break
        told_now = position.features("last_move")
        values = [told_now.get(name, 0.0) for name in names]
        taken = pieces - sum(value for name, value in position.features("board").items() if "in_hand" not in name)
        dropped = move.index[0] >= squares
        assert sum(values[:squares]) == 1 and sum(values[squares:]) == (0 if dropped else taken)
        captures += taken > 0
        if ply % 2 and not str(move).startswith("O"):  # the first player sees the board as it is
            assert values.index(1) == move.index[1]
    assert captures


def test_an_evaluation_must_not_depend_on_it() -> None:
    weights = [0.0] * len(pp.game_info("loa").feature_sets[-1].features)
    with pytest.raises(ValueError, match="depends on the moves before"):
        pp.Pilot(game="loa", evaluation=pp.Evaluation.linear("loa", {"last_move": weights}))
