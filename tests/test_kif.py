"""Shogi games in KIF: hand-written examples with everything that programs put into them."""

from __future__ import annotations

from pathlib import Path

import pytest

import plypilot as pp
from plypilot.data import RecordError, read_kif, result_of
from plypilot.data.books import read_book
from plypilot.data.patterns import SPLITS, import_games

GAME = """\
# ---- a program wrote this ----
開始日時：2026/01/02 10:00:00
手合割：平手
先手：甲
後手：乙
手数----指手---------消費時間--
*a comment before the first move
   1 ７六歩(77)   ( 0:16/00:00:16)
   2 ３四歩(33)   ( 0:02/00:00:02)
*a comment
&a bookmark
   3 ２二角成(88) ( 0:01/00:00:17)+
   4 同　銀(31)   ( 0:01/00:00:03)
   5 ４五角打     ( 0:05/00:00:22)
   6 ５二金(61)   ( 0:00/00:00:03)
   7 ３四角(45)   ( 0:00/00:00:22)
   8 投了         ( 0:30/00:00:33)
まで7手で先手の勝ち

変化：3手
   3 ２六歩(27)   ( 0:01/00:00:17)
"""
MOVES = ("7g7f", "3c3d", "8h2b+", "3a2b", "B*4e", "6a5b", "4e3d")


def numbered(*words: str, head: str = "手合割：平手\n") -> str:
    return head + "".join(f"{number:4} {word}\n" for number, word in enumerate(words, 1))


def test_the_main_line_is_read_with_its_players_and_its_end() -> None:
    record = read_kif(GAME)
    assert (record.game, record.moves, record.start) == ("shogi", MOVES, None)
    assert (record.tags["先手"], record.tags["後手"]) == ("甲", "乙")
    assert record.result == "%TORYO"
    assert result_of(record) == "1-0"
    assert record.replay().turn == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932"])
@pytest.mark.parametrize("end_of_line", ["\n", "\r\n"])
def test_files_are_in_utf_8_or_in_shift_jis(tmp_path: Path, encoding: str, end_of_line: str) -> None:
    path = tmp_path / "game.kif"
    path.write_bytes(GAME.replace("\n", end_of_line).encode(encoding))
    [record] = read_book(path, "shogi")
    assert not isinstance(record, RecordError)
    assert record.moves == MOVES


def test_a_file_without_a_name_that_tells_is_known_by_how_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(GAME.partition("\n")[2])
    [record] = read_book(path, "shogi")
    assert not isinstance(record, RecordError)
    assert record.moves == MOVES


def test_half_width_digits_and_promoted_pieces_are_read() -> None:
    record = read_kif(
        numbered("7六歩(77)", "3四歩(33)", "2二角不成(88)", "同銀(31)", "2六歩(27)", "8四歩(83)", "2五歩(26)")
    )
    assert record.moves[:4] == ("7g7f", "3c3d", "8h2b", "3a2b")
    record.replay()
    exchange = ["７六歩(77)", "３四歩(33)", "２二角成(88)", "同　銀(31)", "５五角打", "６二銀(71)", "２二角成(55)"]
    walk = read_kif(numbered(*exchange, "３二金(41)", "１一馬(22)", "２二金(32)", "同　馬(11)"))
    assert walk.moves[-3:] == ("2b1a", "3b2b", "1a2b")
    walk.replay()


@pytest.mark.parametrize(
    ("word", "ending", "result"),
    [
        ("投了", "%TORYO", "1-0"),
        ("切れ負け", "%TIME_UP", "1-0"),
        ("反則勝ち", "%KACHI", "0-1"),
        ("千日手", "%SENNICHITE", "1/2-1/2"),
        ("持将棋", "%JISHOGI", "1/2-1/2"),
        ("中断", "%CHUDAN", ""),
    ],
)
def test_endings_tell_the_result(word: str, ending: str, result: str) -> None:
    record = read_kif(numbered("７六歩(77)", word))
    assert (record.result, result_of(record)) == (ending, result)


def test_the_last_line_tells_the_winner_where_no_ending_does() -> None:
    assert result_of(read_kif(numbered("７六歩(77)", "３四歩(33)") + "まで2手で後手の勝ち\n")) == "0-1"


@pytest.mark.parametrize(
    ("handicap", "pieces"),
    [
        ("香落ち", 39),
        ("角落ち", 39),
        ("飛車落ち", 39),
        ("二枚落ち", 38),
        ("四枚落ち", 36),
        ("六枚落ち", 34),
        ("十枚落ち", 30),
    ],
)
def test_handicap_games_begin_without_some_pieces_of_white(handicap: str, pieces: int) -> None:
    record = read_kif(numbered("５二玉(51)", "７六歩(77)", head=f"手合割：{handicap}　　\n"))
    start = pp.Position("shogi", record.start)
    assert start.turn == 1
    assert sum(letter.isalpha() for letter in start.fen().split()[0]) == pieces
    record.replay()


def test_the_left_lance_of_white_stands_on_file_1() -> None:
    assert (read_kif(numbered("５二玉(51)", head="手合割：香落ち\n")).start or "").startswith("lnsgkgsn1/")


def test_diagrams_tell_the_start() -> None:
    head = """\
後手の持駒：飛　歩十二
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・v玉 ・ ・ ・ ・|一
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
| ・ ・ ・ ・ 歩 ・ ・ ・ ・|三
| ・ ・ ・ ・ ・ ・ ・v馬 ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| ・ ・ ・ ・ 玉 ・ ・ 全 ・|九
+---------------------------+
先手の持駒：金二
後手番
"""
    record = read_kif(numbered("６二玉(51)", "５二金打", head=head))
    assert record.start == "4k4/9/4P4/7+b1/9/9/9/9/4K2+S1 w 2Gr12p 1"
    record.replay()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "has no moves"),
        (numbered("７六歩(77)", "どこか"), "line 3: neither a move nor an ending: 'どこか'"),
        (numbered("同　歩(77)"), "line 2: no move before it to take its target from"),
        (numbered("投了", "７六歩(77)"), "line 3: '7六歩(77)' comes after the end"),
        (numbered("７六歩(77)", head="手合割：百枚落ち\n"), "starts from the handicap '百枚落ち'"),
        ("| ・ ・|一\n" + numbered("７六歩(77)"), "line 1: a rank of its diagram has 2 squares"),
        ("|" + " ・" * 9 + "|一\n" + numbered("７六歩(77)"), "its diagram has 1 ranks"),
        ("|" + " 猫" * 9 + "|一\n", "line 1: no such piece: '猫'"),
    ],
)
def test_what_cannot_be_read_is_refused_by_line(text: str, reason: str) -> None:
    with pytest.raises(RecordError) as error:
        read_kif(text)
    assert reason in str(error.value)


def test_kif_games_become_patterns(tmp_path: Path) -> None:
    (tmp_path / "a.kif").write_bytes(GAME.encode("cp932"))
    (tmp_path / "b.kifu").write_text(numbered("７六歩(77)", "８四歩(83)", "９九香(11)"))
    patterns = import_games([tmp_path / "a.kif", tmp_path / "b.kifu"], "shogi", tmp_path / "set")
    assert patterns.description.skipped == {"a move that is not legal": 1}
    assert sum(patterns.counts(split).positions for split in SPLITS) == len(MOVES)
