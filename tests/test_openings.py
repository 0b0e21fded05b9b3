"""Openings of matches: from books of every kind, at random but even, or all of a length; the seed decides."""

from __future__ import annotations

import gzip
import random
import zipfile
from pathlib import Path

import pytest

import plypilot as pp
from conftest import NATIVE_GAMES, PYTHON_GAMES
from plypilot.data import PlayedGame, write_game
from plypilot.play.openings import (
    Balance,
    Opening,
    OpeningError,
    all_openings,
    from_book,
    pick,
    random_openings,
    read_openings,
)

GAMES = [*NATIVE_GAMES, "breakthrough-5x5", *PYTHON_GAMES]
FENS = [
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
    "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2",
]
PGN = '[ECO "C20"]\n\n1. e4 e5 *\n\n1. d4 d5 *\n\n1. d4 d5 1-0\n'


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def fens(openings: list[Opening], game: str) -> list[str]:
    return [opening.position(game).fen() for opening in openings]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("book.pgn", PGN),
        ("book.PGN", PGN.replace("\n", "\r\n")),
        ("book", PGN),
        ("book.txt", "1. e4 e5 1-0 1. d4 d5 *"),
        ("book.epd", "\n".join(f'{fen.rsplit(" ", 2)[0]} bm Nf3; id "x";' for fen in FENS)),
        ("book.fen", "\n".join(FENS) + "\n"),
        ("book.fen", "\n".join(f"position fen {fen}" for fen in FENS)),
        ("book.txt", "\ufeff# comment\n" + "\n\n".join(fen.rsplit(" ", 2)[0] for fen in FENS)),
        ("book.uci", "position startpos moves e2e4 e7e5\nposition startpos moves d2d4 d7d5\n"),
        ("book", "startpos moves e2e4 e7e5\nstartpos moves d2d4 d7d5"),
    ],
)
def test_books_are_read_in_order_without_duplicates(tmp_path: Path, name: str, text: str) -> None:
    path = write(tmp_path, name, text)
    found = from_book(path, "chess")
    keys = [pp.Position("chess", fen).key for fen in FENS]
    assert [opening.position("chess").key for opening in found] == keys
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.write(path, f"folder/{name}")
        archive.writestr("ORIGIN.nfo", "made by hand\n") if Path(name).suffix not in ("", ".txt") else None
    assert from_book(tmp_path / "packed.zip", "chess") == found
    packed = tmp_path / (name + ".gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert from_book(packed, "chess") == found


def test_names_of_a_book_are_kept(tmp_path: Path) -> None:
    assert from_book(write(tmp_path, "a.pgn", PGN), "chess")[0] == Opening(None, ("e2e4", "e7e5"), "C20")
    assert from_book(write(tmp_path, "a.epd", f'{FENS[0]} id "one";'), "chess") == [Opening(FENS[0], (), "one")]


def test_lines_of_a_book_can_be_cut(tmp_path: Path) -> None:
    path = write(tmp_path, "a.pgn", "1. e4 e5 2. Nf3 * 1. e4 e5 2. f4 * 1. e4 c5 *")
    assert [opening.moves for opening in from_book(path, "chess", plies=2)] == [("e2e4", "e7e5"), ("e2e4", "c7c5")]
    assert [opening.moves for opening in from_book(path, "chess", plies=1)] == [("e2e4",)]


def test_books_of_shogi_are_sfen_or_engine_lines(tmp_path: Path) -> None:
    start = pp.Position("shogi").fen()
    after = Opening(None, ("7g7f", "3c3d")).position("shogi").fen()
    for name in ("a.sfen", "b.txt", "c.usi"):
        text = f"{after}\nsfen {start} moves 7g7f\nstartpos moves 2g2f\nposition startpos moves 7g7f 3c3d"
        found = from_book(write(tmp_path, name, text), "shogi")
        assert found == [Opening(after), Opening(start, ("7g7f",)), Opening(None, ("2g2f",))]


@pytest.mark.parametrize("game", GAMES)
def test_records_of_every_format_are_books(game: str, tmp_path: Path) -> None:
    lines = all_openings(game, 2)[:5]
    games = [PlayedGame(game, ("a", "b"), None, "x", (), line.moves) for line in lines]
    for form in pp.data.record_formats(game):
        path = write(tmp_path, f"a.{form}", "".join(write_game(each, form) for each in games))
        assert fens(from_book(path, game), game) == fens(lines, game)
        bare = write(tmp_path, form, path.read_text("utf-8"))
        assert from_book(bare, game) == from_book(path, game)


def test_books_of_other_starts_are_played_from_there(tmp_path: Path) -> None:
    path = write(tmp_path, "a.pgn", "1. e4 e5 *")
    assert fens(from_book(path, "chess-0"), "chess-0") == FENS[:1]
    small = write(tmp_path, "b.pgn", '[Variant "breakthrough-6x5"]\n1. a2-a3 *')
    assert fens(from_book(small, "breakthrough-6x5"), "breakthrough-6x5") == fens(
        from_book(small, "breakthrough"), "breakthrough"
    )


@pytest.mark.parametrize(
    ("name", "text", "game", "reason"),
    [
        ("a.pgn", "1. e4 e5 *\n\n1. e4 e6 2. e6 *", "chess", 'a.pgn: game 2, line 3: move "e6" is not legal'),
        ("a.epd", "8/8/8/8/8/8/8/8 w - -", "chess", "a.epd: line 1: fen: "),
        ("a.epd", "x", "loa", "a.epd: is a suite of chess, not of loa"),
        ("a.csa", "x", "chess", 'a.csa: format "csa" does not fit chess'),
        ("a.sfen", "hello", "shogi", "a.sfen: line 1: fen: "),
        ("a.usi", "position startpos moves 7g7f 7g7f", "shogi", 'a.usi: move "7g7f" is not legal'),
        ("a.pgn", '[Variant "loa"]\n1. b8-b6', "chess", "game 1, line 1: is a game of loa, not of chess"),
        ("a.pgn", "", "chess", "a.pgn: has no opening of Chess that can be played on"),
        ("a.pgn", "1. f3 e5 2. g4 Qh4#", "chess", "has no opening of Chess that can be played on"),
        ("a.zip", "not a zip", "chess", "a.zip: line 1: "),
        ("a.gz", "not a gzip", "chess", "a.gz: cannot be unpacked"),
    ],
)
def test_bad_books_are_refused_with_place_and_reason(
    tmp_path: Path, name: str, text: str, game: str, reason: str
) -> None:
    with pytest.raises(OpeningError) as caught:
        from_book(write(tmp_path, name, text), game)
    assert reason in str(caught.value)


def test_damaged_archives_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.pgn", PGN * 20)
    whole = path.read_bytes()
    rng = random.Random(3)
    refused = 0
    for _ in range(300):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        try:
            from_book(path, "chess")
        except OpeningError:
            refused += 1
    assert refused > 100


@pytest.mark.parametrize("game", GAMES)
def test_random_openings_are_different_playable_and_decided_by_the_seed(game: str) -> None:
    count = 8 if game in PYTHON_GAMES else 20
    found = random_openings(game, 4, count, 7)
    assert found == random_openings(game, 4, count, 7)
    assert found[:5] == random_openings(game, 4, 5, 7)
    assert found != random_openings(game, 4, count, 8)
    positions = [opening.position(game) for opening in found]
    assert len({position.key for position in positions}) == count
    assert all(position.outcome() is None and position.ply == 4 for position in positions)


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_random_openings_are_even_for_the_judge(game: str) -> None:
    pilot = pp.Pilot.baseline(game)
    for opening in random_openings(game, 10, 20, 1, balance=Balance(30, pp.Limit(depth=2), pilot)):
        assert abs(pp.search(pilot, opening.position(game), pp.Limit(depth=2)).score) <= 30
    wild = random_openings(game, 10, 60, 1, balance=None)
    scores = [pp.search(pilot, opening.position(game), pp.Limit(depth=2)).score for opening in wild]
    assert any(abs(score) > 30 for score in scores)


def test_judges_know_the_game_and_its_variants() -> None:
    judge = Balance(pilot=pp.Pilot.baseline("breakthrough"))
    assert random_openings("breakthrough-6x6", 4, 5, 1, balance=judge) == random_openings("breakthrough-6x6", 4, 5, 1)
    with pytest.raises(OpeningError, match="openings of loa cannot be judged by a pilot of breakthrough"):
        random_openings("loa", 4, 5, 1, balance=judge)


def test_games_that_have_not_enough_openings_say_so() -> None:
    assert len(random_openings("breakthrough-4x4", 1, 6, 1, balance=None)) == 6
    with pytest.raises(OpeningError, match=r"Breakthrough: found 6 different openings of 1 plies in .* not 7; ask"):
        random_openings("breakthrough-4x4", 1, 7, 1, balance=None)
    with pytest.raises(OpeningError, match=r"found 0 different even openings of 3 plies .* or a wider bound"):
        random_openings("chess", 3, 1, 1, balance=Balance(bound=-1, limit=pp.Limit(depth=1)))
    with pytest.raises(OpeningError, match="plies is -1"):
        random_openings("chess", -1, 1, 1)


class OnePly(pp.Game):
    """Ends with the first move."""

    def start(self) -> int:
        return 0

    def moves(self, state: int) -> list[int]:  # noqa: ARG002
        return [1, 2]

    def play(self, state: int, move: int) -> int:  # noqa: ARG002
        return move

    def outcome(self, state: int) -> int | None:
        return -1 if state else None


def test_all_openings_are_all_lines_in_order() -> None:
    lines = all_openings("chess", 2, merged=False)
    assert len(lines) == 400
    assert lines[0].moves == ("a2a3", "a7a5")
    assert [line.moves for line in lines] == sorted(line.moves for line in lines)
    assert len(all_openings("chess", 3)) == 5362  # different positions after three plies, a published count
    assert [line.moves for line in all_openings("chess", 0)] == [()]
    assert len(all_openings("connect_four:ConnectFour", 3, merged=False)) == 343


def test_all_openings_leave_out_games_that_have_ended() -> None:
    openings = all_openings("chess", 4, merged=False)
    assert pp.perft(pp.Position("chess"), 4) - len(openings) == 8  # ways to be mated in two moves
    assert ("f2f3", "e7e5", "g2g4", "d8h4") not in {line.moves for line in openings}
    with pytest.raises(OpeningError, match="OnePly has no line of 2 plies"):
        all_openings(OnePly, 2)


def test_too_many_lines_are_refused_before_they_are_all_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plypilot.play.openings.MOST_MOVES", 1000)
    assert len(all_openings("chess", 2, merged=False)) == 400
    with pytest.raises(OpeningError, match="Chess has too many lines of 9 plies: more than 1000 moves; take random:9"):
        all_openings("chess", 9)


def test_picks_are_shuffled_by_the_seed_and_wrap_round() -> None:
    openings = [Opening(name=str(i)) for i in range(10)]
    chosen = pick(openings, 25, 1)
    assert chosen == pick(openings, 25, 1)
    assert chosen != pick(openings, 25, 2)
    assert chosen[:10] != openings
    assert sorted(each.name for each in chosen[:10]) == sorted(each.name for each in openings)
    assert chosen[10:20] == chosen[:10]
    assert pick(openings, 3, 1) == chosen[:3]
    with pytest.raises(OpeningError, match="no openings"):
        pick([], 1, 1)


def test_openings_are_read_from_the_command_line(tmp_path: Path) -> None:
    path = write(tmp_path, "a.pgn", PGN)
    assert read_openings("start", "loa", 3, 1) == [Opening()] * 3
    assert read_openings("random:4", "chess", 5, 2) == random_openings("chess", 4, 5, 2)
    assert read_openings("all:1", "chess", 40, 3) == pick(all_openings("chess", 1), 40, 3)
    assert read_openings(f"book:{path}", "chess", 5, 4) == pick(from_book(path, "chess"), 5, 4)
    assert read_openings(str(path), "chess", 5, 4) == read_openings(f"book:{path}", "chess", 5, 4)
    for text in ("random", "random:", "random:x", "random:-1", "all:1.5"):
        with pytest.raises(OpeningError, match="expected plies behind the colon, such as "):
            read_openings(text, "chess", 1, 1)
    for text in ("", "book:", "nothing.pgn"):
        with pytest.raises(OpeningError, match="no such file; expected start, random:PLIES, all:PLIES or book:PATH"):
            read_openings(text, "chess", 1, 1)
