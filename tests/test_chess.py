"""Chess against python-chess, an independent implementation, and what its notation accepts."""

from __future__ import annotations

import random
from typing import Any

import pytest

import plypilot as pp

STARTS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 90 60",
    "4k3/8/8/2b5/5B2/8/6p1/4K3 w - - 0 1",
    "k7/P7/2K5/8/8/8/8/8 w - - 0 1",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
]
"""One or another of these soon leads to castling, en passant, promotion and every kind of end."""


def expected_outcome(board: Any) -> pp.Outcome | None:
    """The outcome by python-chess, in our words."""
    if board.is_checkmate():
        return pp.Outcome(int(board.turn), "checkmate")  # White is True there and 0 here: the other side has won
    if board.is_stalemate():
        return pp.Outcome(None, "stalemate")
    if board.is_insufficient_material():
        return pp.Outcome(None, "dead position")
    if board.is_fifty_moves():
        return pp.Outcome(None, "fifty moves")
    if board.is_repetition(3):
        return pp.Outcome(None, "threefold repetition")
    return None


def test_random_games_agree_with_python_chess() -> None:
    """Legal moves, FEN and outcome over 12,000 positions, SAN of every move in one of 25.

    python-chess ends a game by threefold repetition or fifty moves only on a claim, which a player may make
    before the move that completes them; here the position itself ends the game, so its predicates are
    compared and not its ``outcome(claim_draw=True)``. Its FEN gives an en passant square after every double
    step unless asked for "legal". Play goes on after a draw, and one move in four goes back where it came
    from, to meet repetitions.
    """
    chess = pytest.importorskip("chess")
    rng = random.Random(1851)
    positions = 0
    reasons: set[str] = set()
    while positions < 12_000:
        fen = STARTS[rng.randrange(len(STARTS))]
        board, position = chess.Board(fen), pp.Position("chess", fen)
        for _ in range(160):
            moves = {str(move): move for move in position.moves()}
            assert sorted(moves) == sorted(move.uci() for move in board.legal_moves), position.fen()
            assert position.fen() == board.fen(en_passant="legal")
            outcome = position.outcome()
            assert outcome == expected_outcome(board), position.fen()
            if positions % 25 == 0:
                for move in board.legal_moves:
                    san = board.san(move)
                    assert position.san(moves[move.uci()]) == san
                    assert position.parse(san) == moves[move.uci()]
            positions += 1
            if outcome is not None:
                reasons.add(outcome.reason)
            if not moves:
                break
            text = rng.choice(sorted(moves))
            if len(board.move_stack) > 1 and rng.random() < 0.25:
                last = board.move_stack[-2].uci()
                back = last[2:4] + last[:2]
                text = back if back in moves else text
            position.push(moves[text])
            board.push_uci(text)
    assert reasons == {"checkmate", "stalemate", "dead position", "fifty moves", "threefold repetition"}


def uci_of(board: Any, move: Any) -> str:
    """The UCI text of a move of python-chess in Chess960, in our form: e1g1 where ordinary chess castles."""
    text: str = move.uci()
    if board.is_castling(move) and text in {"e1h1", "e1a1", "e8h8", "e8a8"}:
        return text[:2] + ("g" if text[2] == "h" else "c") + text[3]
    return text


def test_random_games_of_chess960_agree_with_python_chess() -> None:
    """Legal moves, FEN and outcome over 4,000 positions; SAN of every castling.

    python-chess writes every castling of Chess960 as the king taking his rook. Half of the games start without
    the pieces between kings and rooks, and castlings are preferred, to meet many of them.
    """
    chess = pytest.importorskip("chess")
    rng = random.Random(1996)
    positions = 0
    castlings = {"O-O": 0, "O-O-O": 0}
    while positions < 4_000:
        board = chess.Board.from_chess960_pos(rng.randrange(960))
        if rng.random() < 0.5:
            for square in [*chess.SquareSet(chess.BB_RANK_1 | chess.BB_RANK_8)]:
                if board.piece_type_at(square) not in {chess.KING, chess.ROOK}:
                    board.remove_piece_at(square)
        position = pp.Position("chess", board.fen())
        for _ in range(60):
            moves = {str(move): move for move in position.moves()}
            theirs = {uci_of(board, move): move for move in board.legal_moves}
            assert sorted(moves) == sorted(theirs), position.fen()
            assert position.fen() == board.fen(en_passant="legal")
            assert position.outcome() == expected_outcome(board), position.fen()
            positions += 1
            if not moves:
                break
            found = [text for text, move in theirs.items() if board.is_castling(move)]
            for text in found:
                san = board.san(theirs[text])
                castlings[san.rstrip("+#")] += 1
                assert position.san(moves[text]) == san
                assert position.parse(san) == position.parse(theirs[text].uci()) == moves[text]
            text = rng.choice(found if found and rng.random() < 0.2 else sorted(moves))
            position.push(moves[text])
            board.push(theirs[text])
    assert min(castlings.values()) > 200


def test_starts_of_chess960_have_scharnagls_numbers() -> None:
    chess = pytest.importorskip("chess")
    for number in range(960):
        assert pp.Position(f"chess-{number}").fen() == chess.Board.from_chess960_pos(number).fen()
    assert pp.Position("chess-518").fen() == pp.Position("chess").fen()
    with pytest.raises(pp.UnknownGame):
        pp.Position("chess-960")


def test_moves_are_named_in_uci_and_read_in_san_as_well() -> None:
    position = pp.Position("chess")
    for text in ["e4", "e7e5", "Nf3!", "Nc6", "Bb5", "a6?!", "Bxc6", "dxc6", "0-0"]:
        position.push(text)
    assert position.fen() == "r1bqkbnr/1pp2ppp/p1p5/4p3/4P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 1 5"
    assert str(position.parse("Bg4")) == "c8g4"
    assert position.san(position.parse("c8g4")) == "Bg4"
    with pytest.raises(pp.IllegalMove):
        position.parse("Ne5")


def test_a_position_string_keeps_the_en_passant_square_only_while_it_matters() -> None:
    useless = pp.Position("chess", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")
    assert useless.fen().split()[3] == "-"
    useful = pp.Position("chess", "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")
    assert useful.fen().split()[3] == "e3"


def test_castling_rights_without_king_or_rook_are_refused_by_name() -> None:
    with pytest.raises(pp.BadPosition, match='castling is "K", but for "K" the white king is not on rank 1 or has no'):
        pp.Position("chess", "4k3/8/8/8/8/8/8/4K3 w K - 0 1")


def test_there_are_features_for_all_of_table_4_6_and_more() -> None:
    symbols = {feature.symbol for feature in pp.game_info("chess").move_features}
    assert symbols >= {"Pc" + piece for piece in "KQRBNP"} | {"Ac" + piece for piece in "KQRBNP"}
    assert symbols >= {"Cc" + piece for piece in "QRBNP"} | {"Lc" + piece for piece in "QRBNP"}
    assert symbols >= {"Rc", "Rdb", "RdBb", "RdBt", "Rdt", "RdTb", "RdTt"}
    names = {feature.name for feature in pp.game_info("chess").move_features}
    assert names >= {"check", "only_reply", "passed_pawn", "promotion", "castling"}
