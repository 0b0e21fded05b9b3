"""The chess engine through python-chess, which checks every line of the protocol."""

from __future__ import annotations

import random

import pytest

import plypilot as pp
from engine_session import PLYPILOT

chess = pytest.importorskip("chess")
chess_engine = pytest.importorskip("chess.engine")


@pytest.fixture
def engine():
    with chess_engine.SimpleEngine.popen_uci([str(PLYPILOT), "uci"], timeout=60) as running:
        yield running


def test_whole_games_are_played_without_a_protocol_error(engine, caplog: pytest.LogCaptureFixture) -> None:
    rng = random.Random(5)
    limits = [chess_engine.Limit(nodes=300), chess_engine.Limit(depth=3), chess_engine.Limit(time=0.01)]
    for number, limit in enumerate(limits):
        board = chess.Board()
        while not board.is_game_over(claim_draw=True) and board.ply() < 200:
            if number == 0 or board.turn == chess.WHITE:  # against itself, then against a random mover
                move = engine.play(board, limit, game=number).move
            else:
                move = rng.choice(list(board.legal_moves))
            assert move in board.legal_moves
            board.push(move)
        assert board.is_game_over(claim_draw=True) or board.ply() == 200
    assert caplog.records == []


def test_a_random_mover_is_mated(engine) -> None:
    rng = random.Random(1)
    board = chess.Board()
    while not board.is_game_over() and board.ply() < 300:
        ours = board.turn == chess.WHITE
        move = engine.play(board, chess_engine.Limit(nodes=2000)).move if ours else rng.choice(list(board.legal_moves))
        board.push(move)
    assert board.is_checkmate()
    assert board.turn == chess.BLACK


def test_clocks_pondering_and_resuming_work(engine) -> None:
    board = chess.Board()
    for _ in range(12):
        limit = chess_engine.Limit(white_clock=1, black_clock=1, white_inc=0.01, black_inc=0.01)
        result = engine.play(board, limit, ponder=True)
        board.push(result.move)
        if board.is_game_over():
            break
        # Half of the time what it thought on, half of the time another move.
        reply = result.ponder if result.ponder and board.ply() % 4 == 1 else next(iter(board.legal_moves))
        board.push(reply)
        if board.is_game_over():
            break
    assert board.ply() > 2


def test_analysis_has_several_lines_and_scores_of_mates(engine) -> None:
    infos = engine.analyse(chess.Board(), chess_engine.Limit(depth=6), multipv=3)
    assert [info["multipv"] for info in infos] == [1, 2, 3]
    assert len({info["pv"][0] for info in infos}) == 3
    assert all({"depth", "seldepth", "score", "nodes", "nps", "time", "hashfull"} <= set(info) for info in infos)
    mate = engine.analyse(chess.Board("7k/8/8/8/8/R7/1R6/K7 w - - 0 1"), chess_engine.Limit(depth=4))
    assert mate["score"].white().mate() == 2
    with engine.analysis(chess.Board(), root_moves=[chess.Move.from_uci("a2a3")]) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 4:
                break
    assert analysis.wait().move.uci() == "a2a3"


def test_chess960_games_are_played(engine) -> None:
    rng = random.Random(2)
    for number in (0, 518, 959, 324):
        board = chess.Board.from_chess960_pos(number)
        for _ in range(60):
            if board.is_game_over(claim_draw=True):
                break
            # What can castle does, so that it is met often.
            castling = [move for move in board.legal_moves if board.is_castling(move)]
            if castling:
                moves = castling[:1]
            else:
                moves = [engine.play(board, chess_engine.Limit(nodes=200), game=number).move]
                if board.turn == chess.BLACK:
                    moves = [rng.choice(list(board.legal_moves))]
            assert moves[0] in board.legal_moves
            board.push(moves[0])


def test_options_are_set_by_their_names(engine, tmp_path) -> None:
    file = tmp_path / "chess.pilot"
    pp.Pilot.baseline("chess").replace({"pruning.null_reduction": 2}).save(file)
    engine.configure({"Hash": 4, "Threads": 1, "Pilot": str(file), "Move Overhead": 20, "Clear Hash": None})
    assert engine.play(chess.Board(), chess_engine.Limit(depth=3)).move
    with pytest.raises(chess_engine.EngineError):
        engine.configure({"Hash": 0})
