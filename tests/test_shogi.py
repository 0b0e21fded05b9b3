"""Shogi against cshogi and pyffish: legal moves, SFEN, ends of the game and repetition."""

from __future__ import annotations

import random
from collections import Counter

import pytest

import plypilot as pp

CHECK = 1 << [feature.name for feature in pp.game_info("shogi").move_features].index("check")


def test_random_games_agree_with_cshogi() -> None:
    """Legal moves, SFEN and mates over 20,000 positions; some games prefer moves of the board, some promotions.

    cshogi calls a repetition on the second occurrence of a position, and declares an entering king; neither is
    asked here. A player who cannot move without being in check has lost in both.
    """
    cshogi = pytest.importorskip("cshogi")
    rng = random.Random(1999)
    positions = games = 0
    met: Counter[str] = Counter()
    while positions < 20_000:
        games += 1
        board, position = cshogi.Board(), pp.Position("shogi")
        for _ in range(300):
            positions += 1
            theirs = {cshogi.move_to_usi(move): move for move in board.legal_moves}
            ours = {str(move): move for move in position.moves()}
            assert ours.keys() == theirs.keys(), position.fen()
            assert position.fen() == board.sfen()
            met["check"] += board.is_check()
            if not ours:
                outcome = position.outcome()
                assert outcome == pp.Outcome(1 - position.turn, "checkmate")
                assert board.is_check()
                met["mate"] += 1
                break
            texts = sorted(ours)
            if games % 3 == 1:
                texts = [text for text in texts if "*" not in text] or texts
            elif games % 3 == 2 and rng.random() < 0.5:
                texts = [text for text in texts if text.endswith("+")] or texts
            text = rng.choice(texts)
            position.push(ours[text])
            board.push(theirs[text])
    assert met["check"] > 100
    assert met["mate"] > 10


def random_position(rng: random.Random) -> str:
    """A position string with a crowd around the white king and more pieces in hand; it may break the rules."""
    board = [""] * 81
    white, black = rng.choice([(0, 72), (4, 76), (8, 75), (9, 80), (17, 60), (5, 50)])
    board[white], board[black] = "k", "K"
    crowd = [s for s in range(81) if max(abs(s // 9 - white // 9), abs(s % 9 - white % 9)) <= 2]
    hands: Counter[str] = Counter()
    left = rng.randint(6, 16)
    for piece in rng.sample("P" * 18 + "LNSG" * 4 + "BR" * 2, 38):
        letter = piece if rng.random() < 0.6 else piece.lower()
        square = rng.choice(crowd) if rng.random() < 0.5 else rng.randrange(81)
        if left and not board[square]:
            board[square] = "+" * (piece != "G" and rng.random() < 0.3) + letter
            left -= 1
        else:
            hands[letter] += 1
    rows = "/".join("".join(board[s] or "1" for s in range(9 * r, 9 * r + 9)) for r in range(9))
    held = "".join((str(n) if n > 1 else "") + piece for piece, n in hands.items())
    return f"{rows} {rng.choice('bw')} {held or '-'} 1"


def test_made_up_positions_agree_with_cshogi() -> None:
    """Crowded positions: mates, double checks and pawn drops that would mate, which random games rarely reach."""
    cshogi = pytest.importorskip("cshogi")
    rng = random.Random(81)
    met: Counter[str] = Counter()
    while met["position"] < 5_000:
        try:
            position = pp.Position("shogi", random_position(rng))
        except pp.BadPosition:
            continue
        board = cshogi.Board(position.fen())
        ours = sorted(map(str, position.moves()))
        assert ours == sorted(cshogi.move_to_usi(move) for move in board.legal_moves), position.fen()
        outcome = position.outcome()
        assert (outcome is not None) == board.is_game_over(), position.fen()
        met["position"] += 1
        met["check"] += board.is_check()
        met["mate"] += outcome is not None
    assert met["mate"] > 50


def fairy_square(square: str) -> str:
    return "ihgfedcba"[int(square[0]) - 1] + str(9 - "abcdefghi".index(square[1]))


def fairy_move(move: str) -> str:
    """A USI move in the notation of pyffish."""
    if "*" in move:
        return f"{move[0]}@{fairy_square(move[2:])}"
    return fairy_square(move[:2]) + fairy_square(move[2:4]) + move[4:]


def fairy_fen(sfen: str) -> str:
    """An SFEN as pyffish reads it, for which White begins."""
    board, side, hands, _ = sfen.split()
    return f"{board}[{hands}] {'w' if side == 'b' else 'b'} 0 1"


def test_repetition_and_perpetual_check_agree_with_pyffish() -> None:
    """Players who like to check and to go back reach fourfold repetitions of every kind.

    Whether a check was perpetual is judged from the first to the fourth occurrence, in both programs; cshogi
    judges the last cycle alone.
    """
    pyffish = pytest.importorskip("pyffish")
    rng = random.Random(4)
    starts = [
        "4k4/9/9/9/9/9/9/9/R3K4 b - 1",
        "k8/9/9/4R4/9/9/9/4r4/6K2 b - 1",
        "8k/9/9/9/9/9/9/9/R1B1K4 w - 1",
        "7k1/9/9/9/9/9/9/4G4/4K1L2 b B 1",
    ]
    met: Counter[tuple[str, int]] = Counter()  # how it ended, and for whom: 1 for the player to move, -1 against him
    for game in range(80):
        start, keenness = starts[game % 4], rng.choice((0.0, 0.7, 1.0))
        position, played, fairy = pp.Position("shogi", start), [""], []
        while len(played) < 60:
            outcome = position.outcome()
            ended, score = pyffish.is_optional_game_end("shogi", fairy_fen(start), fairy)
            if not position.moves():
                break
            assert ended == (outcome is not None), (start, played)
            if outcome is not None:
                ours = 0 if outcome.winner is None else 1 if outcome.winner == position.turn else -1
                assert ours == (score > 0) - (score < 0), (start, played)
                met[outcome.reason, ours] += 1
                break
            moves = {str(move): move for move in position.moves()}
            checks = [text for text, move in moves.items() if position.move_features(move) & CHECK]
            likes = checks if checks and rng.random() < keenness else list(moves)
            back = played[-2][2:4] + played[-2][:2] if len(played) > 2 else ""
            text = back if back in likes and rng.random() < 0.95 else rng.choice(likes)
            position.push(moves[text])
            played.append(text)
            fairy.append(fairy_move(text))
    assert met["fourfold repetition", 0] > 20
    assert met["perpetual check", 1] > 5
    assert met["perpetual check", -1] > 5


def test_perft_from_the_start() -> None:
    assert [pp.perft(pp.Position("shogi"), depth) for depth in range(6)] == [1, 30, 900, 25470, 719731, 19861490]


def test_perft_with_pieces_in_hand() -> None:
    position = pp.Position("shogi", "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1")
    assert [pp.perft(position, depth) for depth in range(1, 4)] == [207, 28684, 4809015]
