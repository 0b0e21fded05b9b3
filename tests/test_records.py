"""Game records of other programs: read in their forms, replayed, or refused with the place and the reason."""

from __future__ import annotations

import re

import pytest

import plypilot as pp
from plypilot.data import Record, RecordError, read_csa, read_sgf


def test_sgf_main_line_is_read_and_replayed() -> None:
    text = "(;GM[9]PB[a]PW[b \\] c];B[B8-B6];W[a7 c7]C[note (not; a node)](;B[g8:g6++])(;B[c8-c6];W[h2-f2]))"
    (record,) = read_sgf(text)
    assert isinstance(record, Record)
    assert record.moves == ("b8-b6", "a7-c7", "g8-g6")
    assert record.tags["PW"] == "b ] c"
    assert record.replay().fen().endswith(" w")


def test_sgf_long_property_names_and_endings() -> None:
    (record,) = read_sgf("(; GaMe [9] SetUp [Standard] ;B[b8-b6] ;W [Resign])")
    assert isinstance(record, Record)
    assert record.moves == ("b8-b6",)
    assert record.result == "resign"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(;GM[1];B[aa])", "is not Lines of Action"),
        ("(;GM[9]SU[Gemma];B[b8-b6])", "starts from the set-up Gemma"),
        ("(;GM[9]SZ[9];B[b8-b6])", "a board of size 9"),
        ("(;GM[9];W[a7-c7])", "played by the wrong side"),
        ("(;GM[9];B[E8-^^])", "not of the form b1-b3"),
        ("(;GM[9];B[Resign];W[a7-c7])", "comes after the end"),
        ("(;GM[9])", "has no moves"),
    ],
)
def test_sgf_games_are_refused_with_a_reason(text: str, reason: str) -> None:
    (found,) = read_sgf(text + "(;GM[9];B[b8-b6])")[:1]
    assert isinstance(found, RecordError)
    assert reason in str(found)
    assert str(found).startswith("game 1: ")


def test_a_collection_goes_on_after_a_refused_game() -> None:
    found = read_sgf("(;GM[1];B[aa])\n(;GM[9];B[b8-b6])")
    assert [type(each) for each in found] == [RecordError, Record]


def test_replay_names_the_move_that_is_not_legal() -> None:
    with pytest.raises(RecordError, match=re.escape('move 2: move "a7-a6" is not legal in')):
        Record("loa", ("b8-b6", "a7-a6")).replay()


def test_replay_refuses_moves_after_the_end() -> None:
    record = Record("breakthrough", ("a3-a4", "d3-d2"), start="4/P2p/4/4 w")
    with pytest.raises(RecordError, match=r"move 2 .* had ended before it"):
        record.replay()


CSA = """'comment
V2.2
N+black
N-white
$EVENT:test
PI
+
+7776FU,T3
-3334FU
T5
+8822UM
-3122GI
+0055KA
%TORYO
"""


def test_csa_is_read_and_replayed() -> None:
    record = read_csa(CSA)
    assert record.moves == ("7g7f", "3c3d", "8h2b+", "3a2b", "B*5e")
    assert (record.result, record.tags["EVENT"]) == ("%TORYO", "test")
    assert record.start == pp.Position("shogi").fen()
    assert record.replay().turn == 1


def test_csa_board_and_hands_become_a_position_string() -> None:
    rows = ["P1 *  *  *  * -OU *  *  *  * "] + [f"P{rank}" + " * " * 9 for rank in range(2, 9)]
    text = "\n".join([*rows, "P9 *  *  *  * +OU *  *  *  * ", "P+00FU00FU00HI", "P-00KI", "+", "+0052FU"])
    record = read_csa(text)
    assert record.start == "4k4/9/9/9/9/9/9/9/4K4 b R2Pg 1"
    assert record.moves == ("P*5b",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("PI\n+\n", "has no moves"),
        ("PI\n+\nhello", "line 3: not a CSA line"),
        ("PI\n+\n+7776", "line 3: not a CSA move"),
        ("PI\n+\n+5555FU", "line 3: no piece of the mover on 5e"),
        ("PI\n+\n+7776KI", "line 3: a FU stands on 7g, not a KI"),
        ("PI\n+\n%TORYO\n+7776FU", "line 4: a move after the end"),
        ("PI82HI22KA\n-\n", "handicap"),
        ("P1-XX\n", "no such piece"),
        ("P+99XX\n", "no such piece"),
    ],
)
def test_csa_is_refused_with_line_and_reason(text: str, reason: str) -> None:
    with pytest.raises(RecordError, match=reason):
        read_csa(text)
