"""Lines of Action against OpenSpiel, its ends, its notation and its features (Kocsis 2003, 2.1)."""

from __future__ import annotations

import random

import pytest

import plypilot as pp


def test_random_games_agree_with_open_spiel() -> None:
    """Legal moves and outcomes over 20,000 positions; every second game captures wherever it can.

    Two rules differ. OpenSpiel calls a draw when a board occurs a second time, whoever is to move; here it
    takes the third time with the same player to move, so such a game is left there. A move that connects both
    sides is a draw here and a win of the mover there. Play never met a player without a move.
    """
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("lines_of_action")
    rng = random.Random(2003)
    positions = games = 0
    reasons = {"connected": 0, "both connected": 0}
    while positions < 20_000:
        games += 1
        state, position = game.new_initial_state(), pp.Position("loa")
        boards: set[str] = set()
        while True:
            positions += 1
            outcome, board = position.outcome(), position.fen().split()[0]
            if state.is_terminal() and state.returns()[0] == 0:
                assert outcome is None
                assert board in boards
                break
            assert (outcome is not None) == state.is_terminal(), position.fen()
            if outcome is not None:
                winner = 0 if state.returns()[0] > 0 else 1
                both = outcome.reason == "both connected"
                assert outcome.winner == (None if both else winner)
                assert not both or winner == 1 - position.turn
                reasons[outcome.reason] += 1
                break
            theirs = {state.action_to_string(action): action for action in state.legal_actions()}
            ours = {str(move): move for move in position.moves()}
            assert theirs.keys() == ours.keys(), position.fen()
            boards.add(board)
            captures = [text for text in sorted(ours) if "x" in text] if games % 2 else []
            text = rng.choice(captures or sorted(ours))
            position.push(ours[text])
            state.apply_action(theirs[text])
    assert min(reasons.values()) > 0


def test_perft_from_the_start() -> None:
    assert [pp.perft(pp.Position("loa"), depth) for depth in range(6)] == [
        1,
        36,
        1244,
        44952,
        1563208,
        55963132,
    ]


@pytest.mark.parametrize(
    ("fen", "move", "winner", "reason"),
    [
        ("w6w/8/8/8/3bb3/8/3b4/w6w b", "d2-e3", 0, "connected"),
        ("8/5ww1/8/8/8/3b4/b1w5/3b4 b", "a2xc2", None, "both connected"),
        ("7b/8/8/8/b7/5w2/w3ww2/7b b", "a4xa2", 1, "connected"),  # a capture that connects the opponent alone
        ("b7/8/8/8/8/8/b1w5/w7 b", "a2xc2", 1, "connected"),  # one piece is connected
        ("bw4wb/ww4ww/2w5/8/8/8/ww5w/bw4wb w", "c6-g2", 1, "no move"),
    ],
)
def test_the_game_ends(fen: str, move: str, winner: int | None, reason: str) -> None:
    position = pp.Position("loa", fen)
    assert position.outcome() is None
    position.push(move)
    assert position.outcome() == pp.Outcome(winner, reason)
    assert position.moves() == []


def test_third_occurrence_with_the_same_player_to_move_is_a_draw() -> None:
    position = pp.Position("loa")
    for _ in range(2):
        for move in ("b1-h1", "a2-a8", "h1-b1", "a8-a2"):
            assert position.outcome() is None
            position.push(move)
    assert position.outcome() == pp.Outcome(None, "third repetition")


def test_a_repetition_needs_the_same_player_to_move() -> None:
    position = pp.Position("loa", "8/6w1/8/8/1b6/7w/8/4b3 b")
    board = position.fen().split()[0]
    # One side takes three moves to come back, the other two: the board is the same, the turn is not.
    black_loses_a_move = ("b4-b5", "g7-g8", "b5-a4", "g8-g7", "a4-b4")
    white_loses_a_move = ("g7-g8", "b4-b5", "g8-f7", "b5-b4", "f7-g7")
    for moves in 2 * (black_loses_a_move, white_loses_a_move):
        for move in moves:
            assert position.outcome() is None
            position.push(move)
        assert position.fen().split()[0] == board
    assert position.outcome() == pp.Outcome(None, "third repetition")


def test_moves_are_read_as_game_records_write_them() -> None:
    position = pp.Position("loa")
    assert str(position.parse("C1-A3")) == str(position.parse("c1:a3")) == str(position.parse("c1xa3")) == "c1xa3"
    for text in ("b1xb3", "b1-b4", "c1 a3", "a2-c2"):
        with pytest.raises(pp.IllegalMove):
            position.parse(text)


@pytest.mark.parametrize(
    ("fen", "fault"),
    [
        ("8/8/8/8/8/8/8/b7 b", "0 white pieces"),
        ("bbbbbbbb/bbbbb3/8/8/8/8/8/w7 b", "13 black pieces"),
        ("b7/8/8/8/8/x7/8/w7 b", "rank 3"),
        ("b7/8/8/8/8/8/8/w7 x", "side to move"),
    ],
)
def test_positions_are_refused_with_the_field_at_fault(fen: str, fault: str) -> None:
    with pytest.raises(pp.BadPosition, match=fault):
        pp.Position("loa", fen)


def test_raw_squares_are_absolute() -> None:
    features = pp.Position("loa", "8/8/8/8/8/w7/8/2b4b w").features("squares")
    assert features == {"a3": -1, "c1": 1, "h1": 1, "side_to_move": -1}


def test_each_side_sees_its_start_rows_as_ranks_1_and_8() -> None:
    assert pp.Position("loa", "8/8/8/8/8/w7/8/2b4b b").features("full_board") == {"piece_h1": 1}
    assert pp.Position("loa").features("quarter_board") == {}


def test_the_features_of_mia_balance_at_the_start() -> None:
    assert pp.Position("loa").features("mia") == {"side_to_move": 1}
