"""EPD suites: positions, operations and moves are read, or a line is refused with its number and the reason."""

from __future__ import annotations

import pytest

import plypilot as pp
from plypilot.data import EpdPosition, RecordError, read_epd

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


def read_one(line: str) -> EpdPosition:
    (found,) = read_epd(line)
    assert isinstance(found, EpdPosition), found
    return found


def test_a_line_of_a_suite_is_read() -> None:
    found = read_one(f'{BACK_RANK} bm Ra8#; id "mate; in \\1"; c0 "first"; c1 "second"; acd 12; ce 32767;')
    assert found.fen == f"{BACK_RANK} 0 1"
    assert found.best == ("Ra8#",)
    assert found.avoid == ()
    assert found.id == "mate; in \\1"
    assert found.comments == ("first", "second")
    assert found.operations["acd"] == ("12",)
    assert found.operations["ce"] == ("32767",)
    assert found.position().fen() == found.fen


def test_several_best_moves_and_moves_to_avoid() -> None:
    found = read_one(f"{START} bm e4 d4 Nf3; am f3 g4;")
    assert found.best == ("e4", "d4", "Nf3")
    assert found.avoid == ("f3", "g4")
    assert found.is_solved_by("d2d4")
    assert not found.is_solved_by("c2c4")


def test_without_best_moves_any_move_but_those_to_avoid_solves() -> None:
    found = read_one(f"{START} am f3;")
    assert found.is_solved_by(pp.Position("chess").parse("c4"))
    assert not found.is_solved_by("f2f3")


@pytest.mark.parametrize("rest", ["", " ", " bm e4", ' id "no semicolon"', " noop;", " draw_offer ;", " pv e4 e5 Nf3;"])
def test_operations_may_be_few_and_the_last_semicolon_missing(rest: str) -> None:
    assert read_one(START + rest).fen == f"{START} 0 1"


def test_counters_of_fen_are_kept() -> None:
    found = read_one(f"{BACK_RANK} 7 40 bm Ra8;")
    assert found.fen == f"{BACK_RANK} 7 40"


def test_castling_with_zeros_and_marks_behind_a_move_are_read() -> None:
    found = read_one("4k3/8/8/8/8/8/8/4K2R w K - bm 0-0 Rh7!;")
    assert found.is_solved_by("e1g1")
    assert found.is_solved_by("h1h7")


def test_empty_lines_comments_and_carriage_returns_are_skipped_and_lines_numbered() -> None:
    found = read_epd(f"\ufeff# a suite\r\n\r\n{START} bm e4;\r\n   \r\n{BACK_RANK} bm Ra8;\r\n")
    assert [each.line for each in found if isinstance(each, EpdPosition)] == [3, 5]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("hello", "does not begin with board, side, castling and en passant"),
        ("8/8/8/8/8/8/8/8 w - - bm e4;", "line 2: fen: "),
        (f"{START} bm e5;", 'bm e5: move "e5" is not legal'),
        (f"{START} bm e4; am Ke2;", "am Ke2"),
        (f'{START} id "open', "not an operation"),
        (f"{START} ; bm e4;", "not an operation"),
        (f"{START} bm e4; bm d4;", "bm twice"),
    ],
)
def test_a_line_is_refused_with_its_number_and_reason_and_reading_goes_on(line: str, reason: str) -> None:
    first, refused, last = read_epd(f"{START} bm e4;\n{line}\n{START} bm d4;")
    assert isinstance(first, EpdPosition)
    assert isinstance(last, EpdPosition)
    assert isinstance(refused, RecordError)
    assert str(refused).startswith("line 2: ")
    assert reason in str(refused)
