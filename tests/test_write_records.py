"""Played games in every format: what was written is read back as the same game, by our readers and by others'."""

from __future__ import annotations

import doctest
import io
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import plypilot as pp
from conftest import NATIVE_GAMES, PYTHON_GAMES, SMALL_BOARDS, SOAK, random_game
from plypilot.data import (
    PlayedGame,
    PlayedMove,
    Record,
    RecordError,
    formats,
    read_csa_games,
    read_games,
    read_json_lines,
    read_pgn,
    read_sgf,
    record_formats,
    result_of,
    write_game,
)
from plypilot.data.pgn import note_text
from plypilot.game_name import base_name

GAMES = [*NATIVE_GAMES, *SMALL_BOARDS, "chess-100", *PYTHON_GAMES]
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def played(game: str, seed: int, *, before: int = 0, longest: int = 60, given: int = 4) -> PlayedGame:
    """A random game from the usual start, or from the position after some random moves."""
    rng = random.Random(f"{game} {seed} {before}")
    start = None
    if before:
        root = random_game(game, seed, before)
        while root.outcome() is not None:
            root.pop()
        start = root.fen()
    position = pp.Position(game, start)
    while position.ply < longest and position.outcome() is None:
        position.push(rng.choice(position.moves()))
    texts = [str(move) for move in position.played]
    scores = [None, 0, 35, -1250, 31_995, -31_996]
    moves = tuple(
        PlayedMove(text, rng.choice(scores), rng.randrange(30), rng.randrange(10**6), rng.choice([0.0, 0.0123, 7.5]))
        for text in texts[given:]
    )
    end = position.outcome()
    winner = end.winner if end else rng.choice([0, 1, None])
    cause = end.reason if end else rng.choice(["adjudicated by score", "crashed (exit status 1)", "lost on time"])
    tags = {"event": "test", "round": "3.1", "time control": "10+0.1"}
    return PlayedGame(game, ("one", "two"), winner, cause, moves, tuple(texts[:given]), start, tags)


def check(game: PlayedGame, form: str, record: Record | RecordError) -> None:
    """The same start, moves and result."""
    assert isinstance(record, Record), record
    assert base_name(record.game) == base_name(game.game)
    start, expected = pp.Position(record.game, record.start), pp.Position(game.game, game.start)
    if form == "csa":  # it keeps no move number
        assert start.fen().rpartition(" ")[0] == expected.fen().rpartition(" ")[0]
    elif form not in ("uci", "usi"):  # their variants are up to the reader
        assert start.fen() == expected.fen()
    position = pp.Position(game.game, record.start if record.start is not None else game.start)
    texts = []
    for text in record.moves:
        texts.append(str(position.parse(text)))
        position.push(text)
    assert tuple(texts) == game.texts
    assert result_of(record) == ("" if form in ("uci", "usi") else game.result)


@pytest.mark.parametrize("game", GAMES)
def test_games_are_read_back_from_every_format(game: str) -> None:
    games = [played(game, seed, before=before) for seed in range(20 if SOAK else 3) for before in (0, 3, 30)]
    games.append(replace(games[0], moves=(), opening=(), winner=1, cause="crashed"))
    for form in record_formats(game):
        texts = [write_game(each, form) for each in games]
        found = list(read_games("".join(texts), form, game))
        assert len(found) == len(games), form
        for each, record in zip(games, found, strict=True):
            check(each, form, record)


@given(
    st.sampled_from(GAMES),
    st.integers(0, 10_000),
    st.integers(0, 12),
    st.integers(0, 40),
    st.sampled_from([0, 1, None]),
    st.tuples(TEXT, TEXT),
    TEXT,
    st.dictionaries(TEXT, TEXT, max_size=4),
)
def test_no_name_or_cause_breaks_a_record(
    game: str,
    seed: int,
    before: int,
    longest: int,
    winner: int | None,
    players: tuple[str, str],
    cause: str,
    tags: dict[str, str],
) -> None:
    drawn = replace(played(game, seed, before=before, longest=longest), players=players, cause=cause, tags=tags)
    if drawn.replay().outcome() is None:
        drawn = replace(drawn, winner=winner)
    for form in record_formats(game):
        first, second = read_games(write_game(drawn, form) * 2, form, game)
        check(drawn, form, first)
        check(drawn, form, second)


@pytest.mark.parametrize("game", GAMES)
def test_json_keeps_all_that_is_known(game: str) -> None:
    original = replace(played(game, 1, before=5), players=("a\nb", "ü\u2028"), tags={"": '"', "x": "\\"})
    assert list(read_json_lines(write_game(original, "json"), game)) == [original]


def test_json_lines_are_refused_with_line_and_field() -> None:
    good = write_game(played("loa", 1), "json")
    cases = {
        good.replace('"winner"', '"loser"'): "line 2: winner: Field required",
        good.replace('"score": null', '"score": "x"', 1): "line 2: moves.",
        good.replace('"loa"', '"go"'): 'line 2: no game is called "go"',
        good.replace('"loa"', '"os:path"'): "line 2: is a game of 'os:path', which is in Python",
        "{\n": "line 2: Invalid JSON",
        "[" * 100_000 + "\n": "line 2: ",
    }
    for text, reason in cases.items():
        assert text != good
        first, error, last = read_json_lines(good + text + good)
        assert reason in str(error)
        assert first == last


def test_python_games_are_read_only_by_their_name() -> None:
    game = played("connect_four:ConnectFour", 1)
    for form in ("pgn", "sgf", "json"):
        (found,) = read_games(write_game(game, form), form, "chess")
        assert isinstance(found, RecordError)


def test_the_formats_of_a_game_are_as_documented() -> None:
    result = doctest.testmod(formats)
    assert (result.attempted, result.failed) == (1, 0)


def test_formats_that_do_not_fit_are_refused_with_those_that_do() -> None:
    with pytest.raises(RecordError, match=r'format "csa" does not fit loa; there are: pgn, uci, sgf, json'):
        write_game(played("loa", 1), "csa")
    with pytest.raises(RecordError, match=r'format "uci" does not fit shogi; there are: pgn, csa, kif, usi, sgf, json'):
        read_games("", "uci", "shogi")
    with pytest.raises(RecordError, match="does not fit"):
        write_game(played("chess", 1), "docx")


@pytest.mark.parametrize("form", ["pgn", "uci", "sgf"])
def test_illegal_moves_are_not_written(form: str) -> None:
    game = PlayedGame("loa", ("a", "b"), 0, "x", (PlayedMove("b8-b6"), PlayedMove("b8-b6")))
    with pytest.raises(RecordError, match="move 2: "):
        write_game(game, form)


class Odd(pp.Game):
    """Its moves are written in ways that PGN cannot hold."""

    def start(self) -> int:
        return 0

    def moves(self, state: int) -> list[str]:  # noqa: ARG002
        return ["1-0", "a(b", "{", "7", "x.y"]

    def play(self, state: int, move: str) -> int:  # noqa: ARG002
        return state + 1

    def outcome(self, state: int) -> int | None:
        return 0 if state == 4 else None


def test_moves_that_pgn_cannot_hold_are_refused_when_written() -> None:
    name = pp.Position(Odd).game
    for text in ("1-0", "a(b", "{"):
        with pytest.raises(RecordError, match="PGN cannot hold the move"):
            write_game(PlayedGame(name, ("a", "b"), 0, "x", (PlayedMove(text),)), "pgn")
    fine = PlayedGame(name, ("a", "b"), 0, "x", (PlayedMove("7"), PlayedMove("x.y"), PlayedMove("7")))
    (record,) = read_pgn(write_game(fine, "pgn"), Odd)
    check(fine, "pgn", record)


def test_pgn_looks_as_others_write_it() -> None:
    moves = (
        PlayedMove("g1f3", 35, 12, 1000, 1.2),
        PlayedMove("b8c6", None),
        PlayedMove("f1b5", 31_995, 9, 1, 0.0),
        PlayedMove("a7a6", -31_996, 9, 1, 0.01234),
    )
    game = PlayedGame("chess", ("a", 'b "x"'), 0, "adjudicated", moves, ("e2e4", "e7e5"), tags={"round": "1"})
    assert write_game(game, "pgn") == (
        '[Event "?"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "1"]\n[White "a"]\n[Black "b \\"x\\""]\n[Result "1-0"]\n'
        '[Termination "adjudicated"]\n\n'
        "1. e4 {book} 1... e5 {book} 2. Nf3 {+0.35/12 1.2s} 2... Nc6 3. Bb5 {+M5/9} 3...\n"
        "a6 {-M4/9 0.012s} 1-0\n\n"
    )


def test_notes_leave_out_what_was_not_told() -> None:
    assert note_text(PlayedMove("x")) == ""
    assert note_text(PlayedMove("x", seconds=2.0)) == "2s"
    assert note_text(PlayedMove("x", -7, 3)) == "-0.07/3"
    assert note_text(PlayedMove("x", -7, 3, seconds=0.0004)) == "-0.07/3"


@pytest.mark.parametrize("game", ["chess", "chess-0", "chess-14", "chess-100"])
def test_python_chess_reads_what_we_write(game: str) -> None:
    chess_pgn = pytest.importorskip("chess.pgn")
    chess = pytest.importorskip("chess")
    for seed in range(100 if SOAK else 12):
        for before in (0, 15):
            ours = played(game, seed, before=before, longest=150)
            theirs = chess_pgn.read_game(io.StringIO(write_game(ours, "pgn")))
            assert theirs is not None
            assert theirs.errors == []
            board = theirs.board()
            assert board.fen(en_passant="legal") == chess.Board(
                pp.Position(game, ours.start).fen(), chess960=board.chess960
            ).fen(en_passant="legal")
            for move, text in zip(theirs.mainline_moves(), ours.texts, strict=True):
                assert board.uci(move, chess960=board.chess960) in (text, _king_takes_rook(board, move, text))
                board.push(move)
            assert theirs.headers["Result"] == ours.result
            assert (theirs.headers["Termination"], theirs.headers["TimeControl"]) == (ours.cause, "10+0.1")


def _king_takes_rook(board: object, move: object, text: str) -> str:
    """The other way to write castling, which python-chess takes in every game of Chess960."""
    return board.uci(move, chess960=True) if board.is_castling(move) and text[2] in "cg" else text  # type: ignore[attr-defined]


def test_cshogi_reads_what_we_write() -> None:
    cshogi = pytest.importorskip("cshogi")
    from cshogi import CSA

    winners = {cshogi.BLACK_WIN: 0, cshogi.WHITE_WIN: 1, cshogi.DRAW: None}
    games = [played("shogi", seed, before=before, longest=120) for seed in range(12) for before in (0, 25, 80)]
    games += [replace(games[0], winner=0, cause="lost on time"), replace(games[0], winner=1, cause="lost on time")]
    text = "".join(write_game(each, "csa") for each in games)
    found = CSA.Parser.parse_str(text.removesuffix("/\n"))
    assert len(found) == len(games)
    for ours, theirs in zip(games, found, strict=True):
        assert tuple(cshogi.move_to_usi(move) for move in theirs.moves) == ours.texts
        assert pp.Position("shogi", theirs.sfen).key == pp.Position("shogi", ours.start).key
        assert theirs.names == ["one", "two"]
        assert winners[theirs.win] == ours.winner, theirs.endgame
        first = pp.Position("shogi", ours.start).turn
        told = [0] * len(ours.opening) + [move.score or 0 for move in ours.moves]  # 0 is cshogi's for none
        assert theirs.scores == [(score, -score)[(first + ply) % 2] for ply, score in enumerate(told)]


def test_csa_endings_say_who_won() -> None:
    base = played("shogi", 3, longest=11)  # White is to move at the end
    said = {}
    for winner, cause in (
        (0, "resigned"),
        (0, "lost on time"),
        (0, "illegal move"),
        (1, "adjudicated"),
        (1, "illegal"),
    ):
        text = write_game(replace(base, winner=winner, cause=cause), "csa")
        (record,) = read_csa_games(text)
        assert isinstance(record, Record)
        said[cause] = record.result
        assert result_of(record) == ("1-0", "0-1")[winner]
    assert list(said.values()) == ["%TORYO", "%TIME_UP", "%ILLEGAL_MOVE", "%KACHI", "%+ILLEGAL_ACTION"]


def test_several_csa_games_are_refused_each_by_itself() -> None:
    good = write_game(played("shogi", 1), "csa")
    first, bad, last = read_csa_games(good + "PI\n+\n+5555FU\n/\n" + good)
    assert isinstance(first, Record)
    assert first == last
    assert str(bad) == f"game 2: line {good.count(chr(10)) + 3}: no piece of the mover on 5e: +5555FU"


def test_sgf_of_loa_is_plain_sgf() -> None:
    game = PlayedGame("loa", ("b]", "w"), None, "third repetition", (PlayedMove("b8-b6", 35, 4, 9, 0.5),))
    assert write_game(game, "sgf") == (
        "(;FF[4]CA[UTF-8]GM[9]PB[b\\]]PW[w]RE[Draw]GC[third repetition]\n;B[b8-b6]C[+0.35/4 0.5s])\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "()",
        "(",
        "(;",
        "((()))",
        "[" * 200_000,
        "a" * 200_000,
        "(;B[" + "\\" * 200_001,
        "(;SU[Custom]PL[B]AB[z9];B[a1-a2])",
    ],
)
def test_malformed_sgf_ends_quickly_without_a_game(text: str) -> None:
    assert not any(isinstance(each, Record) for each in read_sgf(text))
