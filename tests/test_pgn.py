"""Games in PGN: read in every form that people and programs write, or refused with game, line and reason."""

from __future__ import annotations

import random
import time

import pytest

import plypilot as pp
from conftest import SOAK, random_game
from plypilot.data import Record, RecordError, read_pgn
from test_malformed import mutate


def read_one(text: str, game: str | None = None) -> Record:
    (record,) = read_pgn(text, game)
    assert isinstance(record, Record), record
    return record


def read_error(text: str, game: str | None = None) -> str:
    (error,) = read_pgn(text, game)
    assert isinstance(error, RecordError), error
    return str(error)


MESSY = """\ufeff; a file of two games
[Event "A \\"quoted\\" \\\\ name"] [Site "here"]
[White "O'Neil"]

{first (not; a variation} 1.e4 $1 e5!? ( 1... c5 {a [comment]} 2. Nf3 (2. c3 d5 1-0) 2... d6 ) 2.Nf3 ; to the end 3. d4
% 2... d6 this line is for programs
2... Nc6 3 Bb5 a6 += 4. O-O N
[White "second"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]

1. e2e4 Kd7 *
""".replace("4. O-O N", "4. 0-0 Nf6")


def test_comments_variations_numbers_glyphs_and_escapes_are_skipped() -> None:
    for text in (MESSY, MESSY.replace("\n", "\r\n")):
        first, second = read_pgn(text)
        assert isinstance(first, Record)
        assert isinstance(second, Record)
        assert first.moves == ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1", "g8f6")
        assert first.tags == {"Event": 'A "quoted" \\ name', "Site": "here", "White": "O'Neil"}
        assert (first.start, first.result) == (None, "")
        assert (second.moves, second.tags["White"]) == (("e2e4", "e8d7"), "second")
        assert second.start == "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"


def test_results_come_from_the_movetext_else_from_the_tag() -> None:
    texts = [
        '[Result "0-1"]\n1. e4 1-0',
        '[Result "0-1"]\n1. e4 *',
        '[Result "0-1"]\n1. e4',
        "1. e4 ½-½",
        "1. e4 1/2",
        "1. e4",
    ]
    assert [read_one(text).result for text in texts] == ["1-0", "0-1", "0-1", "1/2-1/2", "1/2-1/2", ""]


def test_games_without_tags_end_with_their_results() -> None:
    found = list(read_pgn("1. e4 e5 1-0 1. d4 d5 1/2-1/2 1. c4"))
    assert [each.moves for each in found if isinstance(each, Record)] == [("e2e4", "e7e5"), ("d2d4", "d7d5"), ("c2c4",)]


def test_games_of_tags_alone_are_positions() -> None:
    first, second = read_pgn('[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n*\n\n[Event "x"]\n\n1-0\n')
    assert isinstance(first, Record)
    assert isinstance(second, Record)
    assert (first.start, first.moves) == ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", ())
    assert (second.start, second.result) == (None, "1-0")


def test_quotes_that_nobody_escaped_are_read_to_the_end_of_the_line() -> None:
    assert read_one('[Event "the "big" one"]\n[Site "C:\\"]\n1. e4').tags == {"Event": 'the "big" one', "Site": "C:\\"}


def test_moves_after_a_draw_that_nobody_claimed_are_read() -> None:
    record = read_one("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 1-0")
    assert record.moves[-1] == "e2e4"


def test_captures_in_passing_may_say_so() -> None:
    start = '[FEN "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"]\n'
    for word in ("exd6", "exd6e.p.", "exd6 e.p.", "e5d6", "exd6!? ep"):
        assert read_one(f"{start}1. {word} Kd7").moves == ("e5d6", "e8d7")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1. e4 e5\n2. Nf6 Nc6 1-0", 'game 1, line 2: move "Nf6" is not legal in rnbqkbnr/pppp1ppp'),
        ("1. e4 e5\n2. -- Nc6 1-0", 'game 1, line 2: move "--" is not legal'),
        ("hello world", 'game 1, line 1: move "hello" is not legal'),
        ("1. e4 {never closed\n e5 1-0", "game 1, line 1: a comment is not closed"),
        ("1. e4 (1. d4 (1. c4) 1-0", "game 1, line 1: a variation is not closed"),
        ("1. e4\n) e5 1-0", "game 1, line 2: a variation is closed that was not opened"),
        ('[Event "x"]\n[FEN "8/8 w"]\n1. e4', "game 1, line 1: fen: "),
        ('[Event "x"]\n[Site here]\n1. e4', "game 1, line 2: neither a tag nor a move: '[Site here]'"),
        ('[Variant "Crazyhouse"]\n1. e4', 'game 1, line 1: no game is called "Crazyhouse"'),
        ('[Variant "os:path"]\n1. e4', "is in Python: name that game to read it"),
    ],
)
def test_bad_games_are_refused_with_game_line_and_reason(text: str, reason: str) -> None:
    assert reason in read_error(text)
    found = list(read_pgn(f'1. d4 *\n\n{text}\n\n[Event "next"]\n\n1. c4 *'))
    assert [type(each) for each in found] == [Record, RecordError, Record]
    assert "game 2, line " in str(found[1])


def test_an_open_comment_costs_one_game_even_when_a_later_one_closes_it() -> None:
    found = list(read_pgn('1. e4 {open\n\n[Event "next"]\n\n1. d4 {closed} d5 *'))
    assert [type(each) for each in found] == [RecordError, Record]


def test_a_game_that_lost_its_moves_does_not_take_the_tags_of_the_next() -> None:
    first, second = read_pgn('[Event "a"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n[Event "b"]\n\n1. d4 *')
    assert isinstance(first, Record)
    assert isinstance(second, Record)
    assert (first.moves, second.moves, second.start) == ((), ("d2d4",), None)
    assert read_one('[Site "a"]\n[Event "b"]\n\n[White "c"]\n\n1. d4').tags.keys() == {"Site", "Event", "White"}


def test_a_tag_within_a_line_of_a_comment_is_no_game() -> None:
    assert read_one('1. e4 {see [Event "x"]\n and [%clk 0:01] } e5').moves == ("e2e4", "e7e5")


def test_variant_tells_the_game_or_the_reader_does() -> None:
    loa = read_one('[Variant "loa"]\n1. b8-b6 a7-c7')
    assert (loa.game, loa.moves) == ("loa", ("b8-b6", "a7-c7"))
    small = read_one('[Variant "breakthrough-6x5"]\n1. a2-a3')
    assert (small.game, small.start) == ("breakthrough-6x5", None)
    assert read_one("1. 7g7f 3c3d", "shogi").moves == ("7g7f", "3c3d")
    assert read_one("1. d d 2. c", "connect_four:ConnectFour").moves == ("d", "d", "c")
    assert read_one('[Variant "connect_four:ConnectFour"]\n1. d', "connect_four:ConnectFour").moves == ("d",)
    assert "is a game of loa, not of chess" in read_error('[Variant "loa"]\n1. b8-b6', "chess")


def test_chess960_starts_where_its_position_says() -> None:
    start = pp.Position("chess-100").fen()
    for game in (None, "chess", "chess-100"):
        record = read_one(f'[Variant "Chess960"]\n[FEN "{start}"]\n1. e4', game)
        assert (record.game, record.start) == ("chess", start)
        assert read_one("1. e4 e5 2. Nf3", game).start is None


def test_random_games_agree_with_python_chess() -> None:
    """Its writer with variations, comments and glyphs, our reader."""
    chess = pytest.importorskip("chess")
    pgn = pytest.importorskip("chess.pgn")
    rng = random.Random(2009)
    texts, expected = [], []
    for seed in range(100 if SOAK else 30):
        played = [str(move) for move in random_game("chess", seed, 120).played]
        game = pgn.Game()
        game.headers["Event"] = f'event "{seed}" \\'
        node = game
        for text in played:
            if rng.random() < 0.2:
                node.add_variation(rng.choice(list(node.board().legal_moves)), comment="an [odd] (one); 1-0")
            node = node.add_main_variation(chess.Move.from_uci(text))
            if rng.random() < 0.2:
                node.comment, node.nags = 'said {"this', {rng.randrange(1, 140)}
        texts.append(game.accept(pgn.StringExporter(columns=rng.choice([None, 80]))))
        expected.append(tuple(played))
    found = list(read_pgn("\n\n".join(texts)))
    assert [each.moves for each in found if isinstance(each, Record)] == expected


def test_damaged_files_are_read_or_refused_and_the_next_game_is_read() -> None:
    rng = random.Random(8)
    accepted = refused = 0
    for _ in range(100_000 if SOAK else 5000):
        text = MESSY
        for _ in range(rng.randint(1, 4)):
            text = mutate(text, rng)
        if rng.random() < 0.3:
            at = rng.randrange(len(text) + 1)
            text = (
                text[:at]
                + rng.choice(["{", "}", "(", ")", "[", "]", ";", '"', "\\", "$", "%", "1-0", "\x00"])
                + text[at:]
            )
        found = list(read_pgn(text + '\n\n[Event "last"]\n\n1. d4 d5 1-0\n'))
        for each in found:
            if isinstance(each, Record):
                accepted += 1
                pp.Position(each.game, each.start)
            else:
                refused += 1
                assert str(each).startswith("game ")
                assert len(str(each)) < 500
        last = found[-1]
        assert isinstance(last, Record)
        assert last.moves == ("d2d4", "d7d5")
    assert accepted > 5000
    assert refused > 2000


LONG = [
    "{",
    "(",
    "[",
    '["',
    '[a "',
    '[a "\\',
    "\n[",
    '\n[a "',
    '{\n[a "b"]\n',
    '\n\n[Event "b"]\n',
    "}",
    "a",
    "1.",
    "1",
]
LONG += ["$", ";", "%\n%", "\\", "(" * 9 + ")" * 9]


@pytest.mark.parametrize("text", LONG)
def test_reading_time_grows_with_the_length_only(text: str) -> None:
    began = time.process_time()
    for _ in read_pgn(text * (300_000 // len(text))):
        pass
    assert time.process_time() - began < 5
