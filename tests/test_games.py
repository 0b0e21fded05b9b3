"""Promises that every game keeps: the conformance suite over the registry, undo, hash, notation, perft."""

from __future__ import annotations

import pickle
import random
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

import plypilot as pp
from conftest import NATIVE_GAMES, PYTHON_GAMES, SMALL_BOARDS, SOAK, random_game

ALL_GAMES = NATIVE_GAMES + SMALL_BOARDS + PYTHON_GAMES


@pytest.mark.parametrize("game", ALL_GAMES)
def test_game_conforms(game: str) -> None:
    assert pp.check_game(game, games=200 if SOAK else 8) == []


def test_the_four_games_are_registered() -> None:
    assert NATIVE_GAMES == ["breakthrough", "chess", "loa", "shogi"]


@given(game=st.sampled_from(ALL_GAMES), choices=st.lists(st.integers(0, 599), max_size=80))
def test_undo_restores_every_position_on_the_way(game: str, choices: list[int]) -> None:
    position = pp.Position(game)
    seen = []
    for choice in choices:
        moves = position.moves()
        if not moves:
            break
        seen.append((position.fen(), position.key, moves, position.outcome()))
        position.push(moves[choice % len(moves)])
    while seen:
        position.pop()
        assert seen.pop() == (position.fen(), position.key, position.moves(), position.outcome())
    assert position.ply == 0


@given(game=st.sampled_from(ALL_GAMES), choices=st.lists(st.integers(0, 599), max_size=60))
def test_incremental_hash_equals_the_hash_of_the_position_string(game: str, choices: list[int]) -> None:
    position = pp.Position(game)
    for choice in choices:
        moves = position.moves()
        if not moves:
            break
        position.push(moves[choice % len(moves)])
        assert position.key == pp.Position(game, position.fen()).key


@given(game=st.sampled_from(ALL_GAMES), seed=st.integers(0, 10_000), plies=st.integers(0, 60))
def test_move_texts_and_position_strings_round_trip(game: str, seed: int, plies: int) -> None:
    position = random_game(game, seed, plies)
    assert pp.Position(game, position.fen()).fen() == position.fen()
    for move in position.moves():
        assert position.parse(str(move)) is move
        assert pickle.loads(pickle.dumps(move)) is move


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_different_positions_of_random_play_have_different_hashes(game: str) -> None:
    # A fen carries counters that a key leaves out, so the map goes from key to what the rules see.
    strings: dict[int, str] = {}
    for seed in range(30):
        position = random_game(game, seed, 100)
        while position.ply:
            board = " ".join(position.fen().split()[: 4 if game == "chess" else 3 if game == "shogi" else 2])
            assert strings.setdefault(position.key, board) == board
            position.pop()
    assert len(set(strings.values())) == len(strings) > 500


PERFT = {
    "chess": [20, 400, 8902, 197281, 4865609, 119060324],
    "shogi": [30, 900, 25470, 719731, 19861490],
    "breakthrough": [22, 484, 11132, 256036, 6182818, 149264638],
    "loa": [36, 1244, 44952, 1563208],
}


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_perft_equals_the_published_counts(game: str) -> None:
    position = pp.Position(game)
    assert [pp.perft(position, depth + 1) for depth in range(len(PERFT[game]))] == PERFT[game]


@pytest.mark.parametrize("game", ALL_GAMES)
def test_perft_is_the_same_in_bulk_move_by_move_and_with_threads(game: str) -> None:
    depth = 2 if game in PYTHON_GAMES else 3
    position = random_game(game, 1, 6)
    nodes = pp.perft(position, depth)
    assert pp.perft(position, depth, bulk=False) == nodes
    assert pp.perft(position, depth, threads=2) == nodes


def test_perft_counts_each_first_move_apart() -> None:
    position = pp.Position("breakthrough")
    parts: dict[str, int] = {}
    total = pp.perft(position, 3, threads=2, on_part=lambda move, nodes: parts.update({str(move): nodes}))
    assert total == sum(parts.values()) == 11132
    assert set(parts) == {str(move) for move in position.moves()}


def test_positions_in_several_threads_do_not_disturb_each_other() -> None:
    fens: list[list[str]] = [[] for _ in range(4)]

    def play(into: list[str]) -> None:
        for game in NATIVE_GAMES:
            into.append(random_game(game, 7).fen())

    threads = [threading.Thread(target=play, args=(into,)) for into in fens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert fens == [fens[0]] * 4


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_a_move_of_another_position_is_refused_and_changes_nothing(game: str) -> None:
    rng = random.Random(3)
    other = [move for seed in range(10) for move in random_game(game, seed, 40).moves()]
    position = pp.Position(game)
    legal = set(position.moves())
    for move in other:
        before = position.fen(), position.key, position.ply
        if move in legal:
            assert position.is_legal(move)
            continue
        assert not position.is_legal(move)
        with pytest.raises(pp.IllegalMove, match="is not legal in"):
            position.push(move)
        assert (position.fen(), position.key, position.ply) == before
    assert rng  # the moves above are not empty
    assert other


def test_a_move_of_another_game_is_refused_by_name() -> None:
    with pytest.raises(pp.IllegalMove, match="of the game breakthrough, the position of chess"):
        pp.Position("chess").push(pp.Position("breakthrough").moves()[0])


def test_taking_back_more_than_was_played_is_an_index_error() -> None:
    with pytest.raises(IndexError, match="no move to take back"):
        pp.Position("loa").pop()


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("", "breakthrough, chess, loa, shogi"),
        ("go", "breakthrough, chess, loa, shogi"),
        ("chess-5x5", "chess-0 to chess-959"),
        ("chess-960", "chess-0 to chess-959"),
        ("breakthrough-", "breakthrough-4x4 to breakthrough-8x8"),
        ("breakthrough-3x4", "breakthrough-4x4 to breakthrough-8x8"),
        ("breakthrough-6x", "breakthrough-4x4 to breakthrough-8x8"),
    ],
)
def test_unknown_games_are_refused_with_the_names_there_are(name: str, names: str) -> None:
    with pytest.raises(pp.UnknownGame, match=f"there are:? .*{names}"):
        pp.Position(name)


def test_unknown_feature_set_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(KeyError, match="material"):
        pp.Position("chess").features("no such set")


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_feature_tables_are_well_formed(game: str) -> None:
    info = pp.game_info(game)
    features = info.move_features
    assert 0 < len(features) <= 64
    assert len({feature.symbol for feature in features}) == len({feature.name for feature in features}) == len(features)
    groups = {feature.symbol: feature.group for feature in features}
    for feature in features:
        assert feature.text
        assert feature.group
        assert not feature.parent or groups[feature.parent] == feature.group
    assert {"material", "quarter_board", "half_board", "full_board"} <= {each.name for each in info.feature_sets}


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_every_move_feature_occurs_in_random_play(game: str) -> None:
    seen = 0
    every = (1 << len(pp.game_info(game).move_features)) - 1
    for seed in range(400):
        position = random_game(game, seed, 250)
        while position.ply and seen != every:
            position.pop()
            for move in position.moves():
                seen |= position.move_features(move)
        if seen == every:
            break
    missing = [f.name for bit, f in enumerate(pp.game_info(game).move_features) if not seen >> bit & 1]
    assert missing == []


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_features_of_one_group_exclude_each_other(game: str) -> None:
    # But for a feature and its parent, and for Breakthrough's recapture, which is a capture (Skowronski table 4.2).
    features = pp.game_info(game).move_features
    for seed in range(20):
        position = random_game(game, seed, 60)
        for move in position.moves():
            mask = position.move_features(move)
            leaves = [f for bit, f in enumerate(features) if mask >> bit & 1]
            parents = {f.parent for f in leaves} | ({"C"} if any(f.symbol == "Rc" for f in leaves) else set())
            groups = [f.group for f in leaves if f.symbol not in parents]
            assert len(set(groups)) == len(groups), [f.name for f in leaves]


@pytest.mark.parametrize("game", ["chess", "shogi", "breakthrough"])
def test_piece_square_sets_sum_to_material(game: str) -> None:
    for seed in range(20):
        position = random_game(game, seed, 60)
        on_board = sum(position.features("full_board").values())
        assert sum(position.features("half_board").values()) == on_board
        assert sum(position.features("quarter_board").values()) == on_board
        if game != "shogi":  # pieces in hand count as material there
            assert sum(position.features("material").values()) == on_board
