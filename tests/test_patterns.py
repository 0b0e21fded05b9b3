"""Pattern sets: what is in them, that splits share no position, that they are the same however they are made, and that
damage and half-made sets are refused."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import plypilot as pp
from conftest import EXAMPLES, NATIVE_GAMES, PYTHON_GAMES, SOAK, random_game
from plypilot.compute import Workers
from plypilot.data import PlayedGame, PlayedMove, record_formats, write_game
from plypilot.data.patterns import (
    SPLITS,
    Block,
    HeldPatterns,
    PatternSet,
    PatternSetError,
    Split,
    Where,
    import_games,
    importing,
)
from plypilot.data.patterns import collector as collecting
from plypilot.data.patterns.collector import game_hashes, split_of
from plypilot.data.patterns.filters import code_number, code_text
from plypilot.data.patterns.overview import overview_of, samples_of
from plypilot.data.patterns.pattern_set import DESCRIPTION, UNFINISHED
from plypilot.learn.labelled_set import make_labelled_set
from plypilot.learn.selfplay_set import (
    CACHE_NAME,
    LabelledGame,
    SelfPlay,
    hold_games,
    make_selfplay_set,
    play_labelled,
)
from plypilot.replay import KeySet, move_texts, read_games
from plypilot.searcher import Searcher

PLYPILOT = Path(sys.executable).with_name("plypilot")
ECO_OF_FIRST_MOVE = {"a": "A00", "b": "A01", "c": "A10", "d": "D00", "e": "B00", "f": "A02", "g": "A00", "h": "A00"}


def chess_text(games: int, seed: int = 0, longest: int = 80) -> str:
    """Random games of chess in PGN, with openings by their first move, ratings and results of chance."""
    rng = random.Random(seed)
    texts = []
    for number in range(games):
        moves = [str(move) for move in random_game("chess", seed * 1000 + number, longest).played]
        played = PlayedGame(
            "chess",
            ("White", "Black"),
            rng.choice([0, 1, None]),
            "agreement",
            tuple(PlayedMove(move) for move in moves),
            tags={
                "ECO": ECO_OF_FIRST_MOVE[moves[0][0]],
                "WhiteElo": str(rng.randrange(1500, 2800)),
                "BlackElo": str(rng.randrange(1500, 2800)),
            },
        )
        texts.append(write_game(played, "pgn"))
    return "".join(texts)


@pytest.fixture(scope="module")
def chess_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("games") / "games.pgn"
    path.write_text(chess_text(60))
    return path


@pytest.fixture(scope="module")
def chess_set(chess_file: Path, tmp_path_factory: pytest.TempPathFactory) -> PatternSet:
    return import_games([chess_file], "chess", tmp_path_factory.mktemp("sets") / "chess")


def keys_of(game: str, block: Block) -> np.ndarray:
    """The keys of the patterns of a block."""
    texts = [
        " ".join(move_texts(game, block.moves[block.offsets[i] : block.offsets[i + 1]])) for i in range(len(block))
    ]
    read = read_games(game, block.starts, texts)
    assert not any(read.refused)
    assert np.array_equal(read.moves, block.moves)
    return read.keys[block.labels != 0]


def content_of(patterns: PatternSet) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(patterns.path.iterdir())}


def play_words(game: str, words: str) -> pp.Position:
    position = pp.Position(game)
    for word in words.split():
        position.push(word)
    return position


# Whole games read natively


@pytest.mark.parametrize("game", [*NATIVE_GAMES, *PYTHON_GAMES])
def test_games_read_at_once_are_those_read_move_by_move(game: str) -> None:
    positions = [random_game(game, seed, 40) for seed in range(5)]
    read = read_games(game, [None] * 5, [" ".join(map(str, position.played)) for position in positions])
    assert read.refused == [None] * 5
    assert read.texts == [" ".join(map(str, position.played)) for position in positions]
    for number, position in enumerate(positions):
        begin, end = read.offsets[number : number + 2]
        walk = pp.Position(game)
        for move, key, bits in zip(position.played, read.keys[begin:end], read.moves[begin:end], strict=True):
            assert key == walk.key
            assert move_texts(game, np.array([bits], np.uint16)) == [str(move)]
            walk.push(move)


def test_reading_stops_at_the_word_that_is_no_legal_move() -> None:
    read = read_games("chess", [None, None, "8/8 w"], ["e4 e5 Ke3 Nf3", "", "e4"])
    assert list(read.offsets) == [0, 2, 2, 2]
    word, reason = read.refused[0] or (0, "")
    assert word == 2 and reason.startswith('move "Ke3" is not legal in rnbqkbnr/pppp1ppp/')
    assert read.refused[1] is None
    assert (read.refused[2] or (0, ""))[0] == -1


def test_labels_are_read_in_the_position_before_their_move() -> None:
    read = read_games("chess", [None], ["e4 e5 Nf3"], ["d4 * Bc4"])
    assert read.labels[1] == 0
    assert move_texts("chess", read.labels[[0, 2]]) == ["d2d4", "f1c4"]
    assert (read_games("chess", [None], ["e4 e5"], ["d4 Ke3"]).refused[0] or (0, ""))[1].startswith('label "Ke3"')


def test_sets_of_keys_say_what_is_new() -> None:
    keys, rng = KeySet(), np.random.default_rng(1)
    numbers = rng.integers(0, 5000, 20000).astype(np.uint64)
    new = keys.add(numbers)
    assert len(keys) == len(set(numbers.tolist())) == new.sum()
    assert np.array_equal(np.flatnonzero(new), np.sort(np.unique(numbers, return_index=True)[1]))
    assert keys.contains(numbers).all() and not keys.contains(np.array([5000, 2**64 - 1], np.uint64)).any()


# What is in a set


def test_a_set_holds_every_position_once_with_the_move_played(chess_set: PatternSet) -> None:
    counts = [chess_set.counts(split) for split in SPLITS]
    assert sum(count.games for count in counts) == 60
    keys = [keys_of("chess", block) for split in SPLITS for block in chess_set.blocks(split)]
    together = np.concatenate(keys)
    assert len(together) == len(np.unique(together)) == sum(count.positions for count in counts)
    for split in SPLITS:
        for block in chess_set.blocks(split):
            labelled = block.labels != 0
            assert np.array_equal(block.labels[labelled], block.moves[labelled])


def test_splits_depend_on_the_moves_alone(chess_set: PatternSet, chess_file: Path, tmp_path: Path) -> None:
    games = chess_file.read_text().split("[Event ")[1:]
    (tmp_path / "turned.pgn").write_text("".join(f"[Event {game}" for game in reversed(games)))
    turned = import_games([tmp_path / "turned.pgn"], "chess", tmp_path / "set")
    for split in SPLITS:
        hashes = [
            {int(number) for block in patterns.blocks(split) for number in block.hashes}
            for patterns in (chess_set, turned)
        ]
        assert hashes[0] == hashes[1]


def test_the_set_is_the_same_however_many_workers_and_parts(
    chess_set: PatternSet, chess_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "PART_CHARACTERS", 3000)
    with Workers.processes(2) as workers:
        by_two = import_games([chess_file], "chess", tmp_path / "two", workers=workers)
    assert content_of(by_two) == content_of(chess_set)


def test_small_shards_hold_what_a_large_one_does(
    chess_set: PatternSet, chess_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "PART_CHARACTERS", 3000)
    monkeypatch.setattr(collecting, "SHARD_PLIES", 500)
    small = import_games([chess_file], "chess", tmp_path / "small")
    assert len(small.description.shards) > len(chess_set.description.shards)
    for split in SPLITS:
        one, other = (list(patterns.blocks(split)) for patterns in (chess_set, small))
        assert len(one) == len(other) == 1
        assert np.array_equal(one[0].labels, other[0].labels) and np.array_equal(one[0].offsets, other[0].offsets)
        sizes = [len(block) for block in small.blocks(split, games=4)]
        assert set(sizes[:-1]) <= {4} and sum(sizes) == len(one[0])


def test_the_same_game_and_the_same_position_are_taken_once(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text("1. e4 e5 2. Nf3 Nc6 *\n1. e4 e5 2. Nf3 Nc6 1-0\n1. e4 e5 2. Nf3 d6 3. d4 *\n")
    (tmp_path / "b.pgn").write_text("1. Nf3 e5 2. e4 Nc6 3. Bb5 *\n")
    patterns = import_games([tmp_path / "a.pgn", tmp_path / "b.pgn"], "chess", tmp_path / "set")
    description = patterns.description
    # 4 positions of the first game, d4 of the third, and of the last, which transposes, those of plies 1, 2 and 4.
    assert sum(patterns.counts(split).positions for split in SPLITS) == 4 + 1 + 3
    assert description.skipped == {collecting.SAME_MOVES: 1}
    assert description.left_out == {collecting.SAME_POSITION: 4 + 2}
    assert description.read == 4
    assert [file["games"] for file in description.source["files"]] == [3, 1]


def test_positions_of_suites_are_left_out_whatever_they_say_of_castling(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text("1. e4 e5 2. Nf3 Nc6 *\n")
    fen = play_words("chess", "e4 e5 Nf3").fen().split()
    (tmp_path / "suite.epd").write_text(f"{fen[0]} {fen[1]} - - bm Nc6;\n")
    patterns = import_games([tmp_path / "a.pgn"], "chess", tmp_path / "set", without=[tmp_path / "suite.epd"])
    assert patterns.description.left_out == {collecting.IN_A_SUITE: 1}
    assert sum(patterns.counts(split).positions for split in SPLITS) == 3
    assert patterns.description.source["without"][0]["name"] == "suite.epd"
    (tmp_path / "suite.epd").write_text("nonsense\n")
    with pytest.raises(PatternSetError, match=r"suite\.epd: line 1: does not begin with board"):
        import_games([tmp_path / "a.pgn"], "chess", tmp_path / "other", without=[tmp_path / "suite.epd"])


def test_broken_games_are_skipped_with_reasons(tmp_path: Path) -> None:
    text = (
        '[Event "1"]\n\n1. e4 e5 2. Ke3 *\n\n'
        '[Event "2"]\n\n1. e4 {never closed\n\n'
        '[Event "3"]\n\n1. d4! d5?! 2. c4 $1 (2. Nf3) dxc4 1/2-1/2\n\n'
        '[Event "4"]\n\n*\n\n'
        '[Event "5"]\n[Variant "loa"]\n\n1. b1-b3 *\n\n'
        '[Event "6"]\n\n1. e4 ! e5 2. exd6ep e.p. *\n\n'
        '[Event "7"]\n\n1. e4 Nf6 2. e5 d5 3. exd6ep ! cxd6 *\n'
    )
    (tmp_path / "broken.pgn").write_text(text)
    patterns = import_games([tmp_path / "broken.pgn"], "chess", tmp_path / "set")
    assert patterns.description.skipped == {
        "a move that is not legal": 2,
        "a comment is not closed": 1,
        "has no moves": 1,
        "is a game of loa, not of chess": 1,
    }
    assert "broken.pgn: line 1: move" in patterns.description.examples["a move that is not legal"]
    assert patterns.description.examples["has no moves"] == "broken.pgn: line 13"
    assert sum(patterns.counts(split).games for split in SPLITS) == 2


# Filters


def test_openings_are_told_by_code_prefix_range_and_line(chess_set: PatternSet) -> None:
    def games(where: Where) -> int:
        return sum(chess_set.counts(split, where).games for split in SPLITS)

    by_code = {opening.code: opening.games for opening in overview_of(chess_set).openings}
    assert games(Where(opening="D00")) == by_code["D00"] > 0
    assert games(Where(opening="A")) == sum(count for code, count in by_code.items() if code[0] == "A")
    assert games(Where(opening="A0")) == games(Where(opening="A")) - by_code["A10"]
    assert games(Where(opening="A10-B99")) == by_code["A10"] + by_code["B00"]
    assert games(Where(opening="C")) == 0
    lines = games(Where(opening="1. d4")) + games(Where(opening="d3"))
    assert lines == games(Where(opening="D00"))
    with pytest.raises(ValueError, match="a range goes from a lower code to a higher one"):
        Where(opening="B9-A")
    with pytest.raises(ValueError, match='opening is "1\\. e4 \\*  1\\. d4", expected an ECO code'):
        Where(opening="1. e4 *  1. d4")
    with pytest.raises(ValueError, match='opening: move "Ke2" is not legal'):
        chess_set.counts("learn", Where(opening="1. Ke2"))


def test_ratings_and_results_narrow_a_set_as_they_narrow_an_import(
    chess_set: PatternSet, chess_file: Path, tmp_path: Path
) -> None:
    where = Where(rating=2000, result="1-0,1/2-1/2", phase="middle")
    narrow = import_games([chess_file], "chess", tmp_path / "narrow", where=where)
    for split in SPLITS:
        assert narrow.counts(split) == chess_set.counts(split, where)
        for block in narrow.blocks(split):
            assert (block.ratings >= 2000).all()
            assert set(block.results.tolist()) <= {1, 3}
            assert set(block.phases[block.labels != 0].tolist()) <= {1}
    kept = sum(narrow.counts(split).games for split in SPLITS)
    assert 0 < kept < 60
    assert narrow.description.filters == {"rating": 2000, "result": "1-0,1/2-1/2", "phase": "middle"}
    skipped = narrow.description.skipped
    assert kept + sum(skipped.values()) == narrow.description.read == 60
    assert skipped["another rating than asked for"] and skipped["another result than asked for"]
    for wrong in ({"phase": "late"}, {"rating": -1}, {"result": "2-0"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Where(**wrong)  # type: ignore[arg-type]


def test_the_middle_game_of_chess_begins_at_ply_16_and_needs_half_of_the_pieces(chess_set: PatternSet) -> None:
    weights = {"n": 1, "b": 1, "r": 2, "q": 4}
    seen = set()
    for block in chess_set.blocks("learn"):
        phases = iter(block.phases[block.labels != 0])
        for sample in samples_of("chess", block):
            weight = sum(weights.get(letter.lower(), 0) for letter in sample.position.fen().split()[0])
            expected = 0 if sample.ply < 16 else 1 if weight >= 12 else 2
            assert next(phases) == expected
            seen.add(expected)
    assert {0, 1} <= seen


def test_other_games_have_their_openings_and_endgames_in_the_outer_sixths(tmp_path: Path) -> None:
    moves = " ".join(str(move) for move in random_game("loa", 3, 24).played)
    (tmp_path / "a.uci").write_text(f"startpos moves {moves}\n")
    patterns = import_games([tmp_path / "a.uci"], "loa", tmp_path / "set")
    [block] = [block for split in SPLITS for block in patterns.blocks(split)]
    assert block.phases.tolist() == [0] * 4 + [1] * 16 + [2] * 4


def test_codes_of_openings_are_numbers_and_back() -> None:
    assert [code_text(code_number(code)) for code in ("A00", "C57", "E99")] == ["A00", "C57", "E99"]
    assert (code_number("E97a"), code_number(""), code_number("e97"), code_text(0)) == (498, 0, 0, "")


# Samples


def test_a_limited_number_of_positions_is_a_fair_and_growing_sample(chess_set: PatternSet) -> None:
    keys = {}
    for count in (1, 10, 300, 10**9):
        blocks = list(chess_set.blocks("learn", positions=count))
        keys[count] = {int(key) for block in blocks for key in keys_of("chess", block)}
        assert chess_set.counts("learn", positions=count).positions == len(keys[count])
    assert [len(found) for found in keys.values()] == [1, 10, 300, chess_set.counts("learn").positions]
    assert keys[1] < keys[10] < keys[300] < keys[10**9]
    assert chess_set.counts("learn", positions=300).games > 40  # positions of many games, not all of a few
    assert list(chess_set.blocks("learn", positions=0)) == []
    narrowed = chess_set.counts("learn", Where(opening="A"), positions=50)
    assert narrowed.positions == 50


def test_questions_that_make_no_sense_are_refused(chess_set: PatternSet) -> None:
    with pytest.raises(ValueError, match='split is "train", expected learn, validation or test'):
        list(chess_set.blocks("train"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="games is 0"):
        list(chess_set.blocks("learn", games=0))
    with pytest.raises(ValueError, match="positions is -1"):
        list(chess_set.blocks("learn", positions=-1))


# Files of all kinds


@pytest.mark.parametrize(
    ("game", "form"),
    [
        (game, form)
        for game in ("loa", "breakthrough", "shogi", "connect_four:ConnectFour")
        for form in record_formats(game)
    ],
)
def test_games_of_every_format_become_patterns(game: str, form: str, tmp_path: Path) -> None:
    games = [
        PlayedGame(
            game, ("a", "b"), 0, "x", tuple(PlayedMove(str(move)) for move in random_game(game, seed, 30).played)
        )
        for seed in range(4)
    ]
    path = tmp_path / f"games.{'jsonl' if form == 'json' else form}"
    path.write_text("".join(write_game(each, form) for each in games))
    patterns = import_games([path], game, tmp_path / "set")
    assert patterns.description.skipped == {}
    texts = set()
    for split in SPLITS:
        for block in patterns.blocks(split):
            for i in range(len(block)):
                texts.add(" ".join(move_texts(game, block.moves[block.offsets[i] : block.offsets[i + 1]])))
    assert texts == {" ".join(each.texts) for each in games}


KIF = "手合割：香落ち\n   1 ３四歩(33)   ( 0:16/00:00:16)\n   2 ７六歩(77)\n   3 同　角(22)\n   4 投了\n"


@pytest.mark.parametrize(
    ("game", "form"),
    [("chess", "pgn"), ("loa", "sgf"), ("shogi", "csa"), ("shogi", "kif"), ("shogi", "usi"), ("loa", "json")],
)
def test_damaged_records_are_skipped_and_never_end_an_import(game: str, form: str, tmp_path: Path) -> None:
    start = random_game(game, 7, 20).fen()
    position = pp.Position(game, start)
    moves = [PlayedMove(str(position.moves()[0]))]
    opening = tuple(str(move) for move in random_game(game, 5, 12).played)
    whole = KIF
    if form != "kif":
        games = [
            PlayedGame(game, ("a", "b"), 0, "x", (), opening),
            PlayedGame(game, ("a", "b"), 1, "x", tuple(moves), (), start),
        ]
        whole = "".join(write_game(each, form) for each in games)
    rng = random.Random(f"{game} {form}")
    skipped = read = 0
    for number in range(800 if SOAK else 60):
        text = whole
        for _ in range(rng.randint(1, 3)):
            at, length = rng.randrange(len(text)), rng.choice([0, 1, 1, 5])
            text = (
                text[:at]
                + rng.choice(["", "9", "+", "P", "v", "|", "(", "]", '"', "同", "\n", "x"])
                + text[at + length :]
            )
        path = tmp_path / f"{number}.{'jsonl' if form == 'json' else form}"
        path.write_text(text)
        patterns = import_games([path], game, tmp_path / f"set{number}")
        skipped += sum(patterns.description.skipped.values())
        read += sum(patterns.counts(split).games for split in SPLITS)
    assert skipped > 5 and read > 5


def test_numbered_lists_of_moves_need_no_tags_and_no_strict_spelling(tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text("1. c2c3 d7-d6\n2. a2a3 d6d5\n3. c3-c4 d5xc4\n\n1. A2-A3 h7h6 2. b2b3\n")
    patterns = import_games([tmp_path / "games.txt"], "breakthrough", tmp_path / "set")
    assert patterns.description.skipped == {}
    assert patterns.description.read == 2
    texts = {
        " ".join(move_texts("breakthrough", block.moves[block.offsets[i] : block.offsets[i + 1]]))
        for split in SPLITS
        for block in patterns.blocks(split)
        for i in range(len(block))
    }
    assert texts == {"c2-c3 d7-d6 a2-a3 d6-d5 c3-c4 d5xc4", "a2-a3 h7-h6 b2-b3"}


def test_files_that_are_missing_or_of_no_such_game_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        import_games([tmp_path / "no.pgn"], "chess", tmp_path / "set")
    (tmp_path / "a.epd").write_text("8/8/8/8/8/8/8/8 w - -\n")
    with pytest.raises(ValueError, match=r"a\.epd: is a suite of chess, not of loa"):
        import_games([tmp_path / "a.epd"], "loa", tmp_path / "set")
    with pytest.raises(pp.UnknownGame):
        import_games([tmp_path / "a.epd"], "checkers", tmp_path / "set2")


# Damage, and sets that are not finished


def copy_of(patterns: PatternSet, to: Path) -> Path:
    to.mkdir()
    for path in patterns.path.iterdir():
        (to / path.name).write_bytes(path.read_bytes())
    return to


def test_a_shard_with_any_bit_changed_is_refused(chess_set: PatternSet, tmp_path: Path) -> None:
    path = copy_of(chess_set, tmp_path / "set")
    shard = path / "learn-00000.shard"
    whole = shard.read_bytes()
    rng = random.Random(1)
    for _ in range(40):
        at = rng.randrange(len(whole))
        shard.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1 :])
        patterns = PatternSet.open(path)
        with pytest.raises(PatternSetError, match=r"learn-00000\.shard: "):
            list(patterns.blocks("learn"))
        assert patterns.counts("test").positions == chess_set.counts("test").positions
    shard.write_bytes(whole[:-100])
    with pytest.raises(PatternSetError, match="cut short"):
        list(PatternSet.open(path).blocks("learn"))
    shard.write_bytes((path / "test-00000.shard").read_bytes())
    with pytest.raises(PatternSetError, match="another file"):
        list(PatternSet.open(path).blocks("learn"))
    shard.unlink()
    with pytest.raises(PatternSetError, match="this shard of the set is missing"):
        list(PatternSet.open(path).blocks("learn"))


def test_a_description_that_is_damaged_or_absent_is_refused(chess_set: PatternSet, tmp_path: Path) -> None:
    path = copy_of(chess_set, tmp_path / "set")
    whole = (path / DESCRIPTION).read_bytes()
    (path / DESCRIPTION).write_bytes(whole.replace(b"learn-00000", b"learn-00001"))
    with pytest.raises(PatternSetError, match=r"description\.set: damaged"):
        PatternSet.open(path)
    (path / DESCRIPTION).unlink()
    with pytest.raises(PatternSetError, match="is no pattern set; make one with plypilot data import"):
        PatternSet.open(path)
    (path / UNFINISHED).touch()
    with pytest.raises(PatternSetError, match="is not finished; run the command that makes it again"):
        PatternSet.open(path)


def test_a_folder_with_anything_else_in_it_is_left_alone(
    chess_set: PatternSet, chess_file: Path, tmp_path: Path
) -> None:
    path = copy_of(chess_set, tmp_path / "set")
    with pytest.raises(PatternSetError, match="holds a pattern set already"):
        import_games([chess_file], "chess", path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "note").touch()
    with pytest.raises(PatternSetError, match="is no unfinished pattern set"):
        import_games([chess_file], "chess", tmp_path / "other")
    assert (tmp_path / "other" / "note").exists()
    with collecting.making(tmp_path / "held"), pytest.raises(PatternSetError, match="another process"):
        import_games([chess_file], "chess", tmp_path / "held")


def test_an_import_that_failed_is_made_anew(chess_set: PatternSet, chess_file: Path, tmp_path: Path) -> None:
    def fail(_: importing.Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_games([chess_file], "chess", tmp_path / "set", on_progress=fail)
    (tmp_path / "set" / "learn-00007.shard").touch()
    with pytest.raises(PatternSetError, match="is not finished"):
        PatternSet.open(tmp_path / "set")
    assert content_of(import_games([chess_file], "chess", tmp_path / "set")) == content_of(chess_set)


def test_shards_are_mapped_and_not_read_into_memory(chess_set: PatternSet) -> None:
    block = next(chess_set.shards("learn"))
    assert not block.moves.flags.writeable and not block.moves.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        block.moves[0] = 1


# Self-play


LOA = SelfPlay(pp.Pilot.baseline("loa"), pp.Limit(nodes=60), opening_plies=4, most_plies=30)


def test_selfplay_labels_what_was_played_but_not_the_opening(tmp_path: Path) -> None:
    patterns = make_selfplay_set(tmp_path / "set", LOA, games=24)
    assert patterns.description.read == 24
    assert not (tmp_path / "set" / CACHE_NAME).exists()
    for split in SPLITS:
        for block in patterns.blocks(split):
            assert not block.labels[block.plies() < 4].any()
            labelled = block.labels != 0
            assert np.array_equal(block.labels[labelled], block.moves[labelled])
    source = patterns.description.source
    assert (source["pilot"], source["games"], source["limit"]["nodes"]) == (LOA.pilot.digest, 24, 60)


def test_selfplay_sets_are_the_same_by_one_worker_and_by_two(tmp_path: Path) -> None:
    one = make_selfplay_set(tmp_path / "one", LOA, positions=300)
    two = make_selfplay_set(tmp_path / "two", LOA, positions=300, workers=2)
    assert content_of(one) == content_of(two)
    positions = sum(one.counts(split).positions for split in SPLITS)
    assert 300 <= positions < 300 + 8 * 30


def test_a_selfplay_set_that_is_there_is_given_as_it_is(tmp_path: Path) -> None:
    made = make_selfplay_set(tmp_path / "set", LOA, games=8)
    assert make_selfplay_set(tmp_path / "set", LOA, games=8).digest == made.digest
    with pytest.raises(PatternSetError, match="holds another pattern set"):
        make_selfplay_set(tmp_path / "set", LOA, games=9)
    for counts in ({}, {"games": 1, "positions": 1}, {"games": 0}):
        with pytest.raises(ValueError, match="games"):
            make_selfplay_set(tmp_path / "other", LOA, **counts)


def test_labels_by_search_are_the_best_moves_at_that_depth() -> None:
    selfplay = SelfPlay(
        pp.Pilot.baseline("breakthrough"), pp.Limit(depth=1), label_depth=(2,), test_label_depth=(4,), most_plies=30
    )
    seen = set()
    for played in play_labelled(selfplay, range(30)):
        split = split_of(int(game_hashes([None], [played.moves])[0]))
        seen.add(split == "test")
        searcher = Searcher(selfplay.pilot)
        position = pp.Position("breakthrough")
        for ply, (word, label) in enumerate(zip(played.moves.split(), played.labels.split(), strict=True)):
            if ply < 6:
                assert label == "*"
            else:
                depth = 4 if split == "test" else 2
                assert label == str(searcher.search(position, pp.Limit(depth=depth)).move)
            position.push(word)
    assert seen == {True, False}


def test_side_lines_leave_games_and_share_their_split() -> None:
    selfplay = SelfPlay(
        pp.Pilot.baseline("loa"), pp.Limit(nodes=60), side_lines=4, side_answers=2, most_plies=60, seed=3
    )
    games = play_labelled(selfplay, range(12))
    assert games == play_labelled(selfplay, range(12))
    whole, lines = [game for game in games if not game.left], [game for game in games if game.left]
    assert len(whole) == 12
    assert 40 <= len(lines) <= 48
    positions = {str(hash_of(game)): fens_of(game) for game in whole}
    for line in lines:
        assert line.start in positions[line.left]
        moves, labels = line.moves.split(), line.labels.split()
        answers = [label for label in labels if label != "*"]
        assert 1 <= len(answers) <= 2
        assert [move for move, label in zip(moves, labels, strict=True) if label != "*"] == answers
        assert all((one == "*") != (two == "*") for one, two in itertools.pairwise(labels))  # sides take turns
    begins_with_answer = [line.labels[0] != "*" for line in lines]
    assert 0.2 < sum(begins_with_answer) / len(lines) < 0.8
    held = hold_games("loa", games)
    split_by_game = {str(hash_of(game)): split_of(hash_of(game)) for game in whole}
    line_splits = {line.start: split_by_game[line.left] for line in lines}
    seen = 0
    for split in SPLITS:
        for block in held.blocks(split):
            for start in block.starts:
                if start is not None:
                    assert line_splits[start] == split
                    seen += 1
    assert seen > 30


def hash_of(game: LabelledGame) -> int:
    return int(game_hashes([None], [game.moves])[0])


def fens_of(game: LabelledGame) -> set[str]:
    position, fens = pp.Position("loa"), set()
    for word in game.moves.split():
        fens.add(position.fen())
        position.push(word)
    return fens


@pytest.mark.parametrize("game", PYTHON_GAMES)
def test_games_in_python_keep_their_moves_from_one_process_to_another(game: str, tmp_path: Path) -> None:
    selfplay = SelfPlay(pp.Pilot.plain(game), pp.Limit(nodes=20), label_depth=(1,), opening_plies=2, most_plies=20)
    patterns = make_selfplay_set(tmp_path / "set", selfplay, games=4)
    code = (
        "import sys, plypilot as pp\n"
        "from plypilot.data.patterns import PatternSet, SPLITS\n"
        "from plypilot.data.patterns.overview import samples_of\n"
        "position = pp.Position(sys.argv[2])\n"
        "for move in reversed(position.moves()): position.push(move); position.pop()\n"  # other numbers for the moves
        "patterns = PatternSet.open(sys.argv[1])\n"
        "for split in SPLITS:\n"
        "    for block in patterns.blocks(split):\n"
        "        for sample in samples_of(patterns.game, block): print(sample.position.fen(), sample.label)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "set"), game], capture_output=True, text=True, cwd=EXAMPLES
    )
    assert done.returncode == 0, done.stderr
    ours = [
        f"{sample.position.fen()} {sample.label}"
        for split in SPLITS
        for block in patterns.blocks(split)
        for sample in samples_of(game, block)
    ]
    assert len(ours) > 10
    assert done.stdout.splitlines() == ours


def test_sets_of_games_in_python_are_the_same_by_two_processes_and_after_other_games(tmp_path: Path) -> None:
    selfplay = SelfPlay(pp.Pilot.plain(PYTHON_GAMES[1]), pp.Limit(nodes=20), opening_plies=2, most_plies=20)
    made = make_selfplay_set(tmp_path / "here", selfplay, games=20, workers=2)
    code = (
        "import sys, plypilot as pp\n"
        "position = pp.Position(sys.argv[2])\n"
        "for _ in range(10): position.push(position.moves()[-1])\n"  # other numbers for the moves
        "selfplay = pp.SelfPlay(pp.Pilot.plain(sys.argv[2]), pp.Limit(nodes=20), opening_plies=2, most_plies=20)\n"
        "if __name__ == '__main__': print(pp.make_selfplay_set(sys.argv[1], selfplay, games=20).digest)\n"
    )
    (tmp_path / "make.py").write_text(code)
    done = subprocess.run(
        [sys.executable, tmp_path / "make.py", tmp_path / "there", PYTHON_GAMES[1]],
        capture_output=True,
        text=True,
        cwd=EXAMPLES,
    )
    assert done.stdout.strip() == made.digest, done.stderr


def test_a_small_game_that_has_no_more_positions_ends_the_making(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plypilot.learn.selfplay_set._FRUITLESS_GAMES", 40)
    selfplay = SelfPlay(pp.Pilot.plain("breakthrough-4x4"), pp.Limit(depth=1), opening_plies=0, noise=0)
    patterns = make_selfplay_set(tmp_path / "set", selfplay, positions=10**6)
    assert patterns.description.read < 10_000


def test_a_set_is_labelled_anew_by_a_search(chess_set: PatternSet, tmp_path: Path) -> None:
    pilot, where = pp.Pilot.baseline("chess"), Where(opening="A")
    wanted: dict[Split, int | None] = {"learn": 40, "test": 5}
    new = make_labelled_set(tmp_path / "one", chess_set, pilot, pp.Limit(depth=2), where=where, positions=wanted)
    assert new.counts("learn") == chess_set.counts("learn", where, 40)
    assert new.counts("test") == chess_set.counts("test", where, 5)
    assert new.counts("validation") == chess_set.counts("validation", where)
    for split in SPLITS:
        for block in new.blocks(split):
            for sample in samples_of("chess", block):
                best = pp.search(pilot, sample.position, pp.Limit(depth=2)).move
                assert sample.position.parse(sample.label) == best
    assert any(
        not np.array_equal(block.labels[block.labels != 0], block.moves[block.labels != 0])
        for block in new.blocks("learn")
    )
    by_two = make_labelled_set(
        tmp_path / "two", chess_set, pilot, pp.Limit(depth=2), where=where, positions=wanted, workers=2
    )
    assert content_of(by_two) == content_of(new)
    again = make_labelled_set(tmp_path / "one", chess_set, pilot, pp.Limit(depth=2), where=where, positions=wanted)
    assert again.digest == new.digest
    with pytest.raises(PatternSetError, match="holds another pattern set"):
        make_labelled_set(tmp_path / "one", chess_set, pilot, pp.Limit(depth=1), where=where, positions=wanted)
    with pytest.raises(PatternSetError, match="a pilot of loa cannot label positions of chess"):
        make_labelled_set(tmp_path / "three", chess_set, LOA.pilot, pp.Limit(depth=1))


def test_games_can_be_held_in_memory(tmp_path: Path) -> None:
    held = hold_games("loa", play_labelled(LOA, range(16)))
    assert isinstance(held, HeldPatterns)
    made = make_selfplay_set(tmp_path / "set", LOA, games=16)
    for split in SPLITS:
        assert held.counts(split) == made.counts(split)
        assert held.counts(split, positions=20) == made.counts(split, positions=20)


def test_selfplay_that_was_killed_goes_on_to_the_same_set(tmp_path: Path) -> None:
    words = ["data", "selfplay", "loa", "--games", "400", "--nodes", "200", "--workers", "1", "--json"]
    whole = subprocess.run([PLYPILOT, *words, "-o", "whole"], capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert whole.returncode == 0, whole.stderr
    running = subprocess.Popen([PLYPILOT, *words, "-o", "killed"], cwd=tmp_path, stdout=subprocess.DEVNULL)
    cache = tmp_path / "killed" / CACHE_NAME
    deadline = time.monotonic() + 60
    while not (cache.exists() and cache.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    with pytest.raises(PatternSetError, match="is not finished"):
        PatternSet.open(tmp_path / "killed")
    assert cache.stat().st_size
    again = subprocess.run(
        [PLYPILOT, *words, "-o", "killed"], capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    assert again.returncode == 0, again.stderr
    assert content_of(PatternSet.open(tmp_path / "killed")) == content_of(PatternSet.open(tmp_path / "whole"))


# Commands


def run(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PLYPILOT, "data", *map(str, words)], capture_output=True, text=True, cwd=cwd, timeout=60)


def test_the_commands_make_and_show_sets(chess_file: Path, chess_set: PatternSet, tmp_path: Path) -> None:
    made = run("import", chess_file, "--game", "chess", "-o", tmp_path / "set", "--workers", 1)
    assert made.returncode == 0, made.stderr
    assert "60 games read, 0 skipped" in made.stdout
    shown = json.loads(run("show", tmp_path / "set", "--samples", 3, "--json").stdout)
    assert shown["digest"] == chess_set.digest
    assert shown["counts"] == chess_set.description.counts
    assert len(shown["samples"]) == 3
    for sample in shown["samples"]:
        pp.Position("chess", sample["fen"]).parse(sample["label"])
    text = run("show", tmp_path / "set", "--opening", "A", "--phase", "middle").stdout
    assert "shown: opening A, phase middle" in text
    assert text.count("to move") == 2
    again = run("import", chess_file, "-o", tmp_path / "set")
    assert again.returncode == 2
    assert again.stderr.count("\n") == 1 and "holds a pattern set already" in again.stderr
    labelled = run(
        "label", tmp_path / "set", "--nodes", 100, "--positions", 5, "--test-positions", 0, "-o", tmp_path / "l"
    )
    assert labelled.returncode == 0, labelled.stderr
    assert PatternSet.open(tmp_path / "l").counts("learn").positions == 5


def test_the_commands_play_games_in_python(tmp_path: Path) -> None:
    words = ["selfplay", "connect_four:ConnectFour", "--games", 2, "--depth", 2, "--label-depth", "2,3", "--workers", 1]
    made = run(*words, "-o", tmp_path / "set", cwd=EXAMPLES)
    assert made.returncode == 0, made.stderr
    assert "label_depth [2, 3]" in made.stdout
    shown = run("show", tmp_path / "set", "--samples", 1, cwd=EXAMPLES).stdout
    assert "a b c d e f g" in shown and "plies: " in shown


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["import", "no.pgn", "-o", "set"], "no.pgn"),
        (["import", "a.pgn", "-o", "set", "--phase", "late"], 'phase is "late", expected opening, middle or end'),
        (["import", "a.pgn", "-o", "set", "--opening", "1. e5"], 'opening: move "e5" is not legal'),
        (["import", "a.pgn", "-o", "set", "--game", "go"], 'no game is called "go"'),
        (["selfplay", "loa", "-o", "set", "--label-depth", "2;3"], '--label-depth: "2;3", expected a depth'),
        (["selfplay", "loa", "-o", "set", "--games", "1", "--positions", "1"], "and not both"),
        (["show", "set"], "set: is no pattern set"),
    ],
)
def test_commands_refuse_in_one_line(words: list[str], reason: str, tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text("1. e4 *")
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert reason in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "set").exists()
