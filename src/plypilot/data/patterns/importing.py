"""Pattern sets from records of games: files in, a set out. The moves played are the labels."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from plypilot.compute import Workers
from plypilot.data.books import read_book, read_text, with_kinds
from plypilot.data.files import read_texts
from plypilot.data.patterns.block import RESULTS, Block
from plypilot.data.patterns.collector import Candidates, Collector, ShardWriter, game_hashes, making
from plypilot.data.patterns.filters import FILTERS, Where, code_number
from plypilot.data.patterns.pattern_set import PatternSet, PatternSetError
from plypilot.data.patterns.phases import letter_weights, phases_of
from plypilot.data.pgn import PgnGame, split_pgn
from plypilot.data.record import Record, RecordError
from plypilot.data.results import result_of
from plypilot.data.sgf import sides_of
from plypilot.game_name import base_name, is_python_game
from plypilot.games import BadPosition, IllegalMove, Position, game_info
from plypilot.replay import KeySet, ReadGames, read_games
from plypilot.spelling import read_move

PART_CHARACTERS = 1 << 21
"""About as much text of a large file is read at a time. What a set holds does not depend on it."""
_GAME_BEGINS = re.compile(r'\n\r?\n(?=\[Event ")')
"""Where a PGN file may be cut: whatever stands before, a game begins here."""
_BOARD_FIELDS = {"chess": 2}
"""How many fields of a position string make a board for test suites, which often leave castling rights out."""
_NO_MOVES = "has no moves"
_HIGHEST_RATING = 65535


@dataclass(frozen=True)
class _Part:
    """Some text of a file."""

    file: str
    text: str
    kind: str
    line: int
    """The number of its first line in the file."""
    game: str
    where: Where


@dataclass
class _Contents:
    """What a part holds: games that pass the filters, and why the others do not."""

    candidates: Candidates | None
    skipped: list[tuple[str, int, str]] = field(default_factory=list)
    """Reason, number of games, an example."""


@dataclass(frozen=True)
class Progress:
    """How far an import is."""

    file: str
    share: float
    """Of the text of the present file."""
    games: int
    positions: int


def import_games(
    paths: Sequence[str | PathLike[str]],
    game: str,
    out: str | PathLike[str],
    *,
    where: Where | None = None,
    without: Sequence[str | PathLike[str]] = (),
    workers: Workers | None = None,
    on_progress: Callable[[Progress], object] | None = None,
) -> PatternSet:
    """Makes a pattern set of the games of some files, plain, packed or in archives.

    PGN, CSA, KIF, SGF, JSON and lines of moves are told by the names of the files, else by how they begin. ``without``
    are test suites, in EPD or any other format, whose positions must not be in the set. The set is the same however
    many ``workers`` there are. Raises PatternSetError, RecordError and OSError.
    """
    name = game_info(game).name if is_python_game(game) else game
    Position(name)  # refuses games that are not there
    where = where or Where()
    where.check(name)
    suites = [_source_of(path) for path in without]
    suite = KeySet()
    for path in without:
        suite.add(_boards_of(path, name))
    sources = [_source_of(path) for path in paths]
    out = Path(out)
    with making(out):
        writer = ShardWriter(out, name)
        collector = Collector(writer.keep, suite)
        for path, source in zip(paths, sources, strict=True):
            before = collector.read
            for share, contents in _read_file(Path(path), name, where, workers):
                for reason, games, example in contents.skipped:
                    collector.skip(reason, games, example)
                if contents.candidates is not None:
                    collector.add(contents.candidates)
                if on_progress is not None:
                    on_progress(Progress(Path(path).name, share, collector.read, collector.positions))
            source["games"] = collector.read - before
        return writer.finish(collector, {"kind": "import", "files": sources, "without": suites}, where.content())


def _source_of(path: str | PathLike[str]) -> dict[str, Any]:
    """What identifies a file: its name, size and SHA-256."""
    path = Path(path)
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": sha256}


def _boards_of(path: str | PathLike[str], game: str) -> Any:
    """The boards of a suite: each of its positions, after the moves that lead to it."""
    starts: list[str | None] = []
    words = []
    try:
        for record in read_book(path, game):
            if isinstance(record, RecordError):
                raise record
            position = record.replay()
            if moves := position.moves():  # boards are told before a move
                starts.append(position.fen())
                words.append(str(moves[0]))
    except (RecordError, BadPosition) as error:
        raise PatternSetError(f"{path}: {error}") from error
    read = read_games(game, starts, words, board_fields=_BOARD_FIELDS.get(base_name(game), 0))
    return read.boards if len(read.boards) else read.keys


# Parts of files


def _read_file(path: Path, game: str, where: Where, workers: Workers | None) -> Iterator[tuple[float, _Contents]]:
    """What each part of a file holds, in order, and how much of the file is read with it."""
    try:
        texts = list(read_texts(path))
        whole = sum(len(text) for _, text in texts) or 1
        parts = [
            part
            for name, text, kind in with_kinds(texts)
            for part in _cut(path.name if len(texts) == 1 else f"{path.name}: {name}", text, kind, game, where)
        ]
        del texts
        done = 0
        # A game in Python has its moves numbered by each process: it is read in this one.
        alone = workers is None or len(parts) == 1 or is_python_game(game)
        answers = map(_read_part, parts) if alone or workers is None else workers.map(_read_part, parts)
        for part, contents in zip(parts, answers, strict=True):
            done += len(part.text)
            yield done / whole, contents
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from error


def _cut(file: str, text: str, kind: str, game: str, where: Where) -> Iterator[_Part]:
    line, begin = 1, 0
    while begin < len(text):
        cut = _GAME_BEGINS.search(text, begin + PART_CHARACTERS) if kind == "pgn" else None
        end = cut.end() if cut else len(text)
        yield _Part(file, text[begin:end], kind, line, game, where)
        line += text.count("\n", begin, end)
        begin = end


@dataclass
class _Game:
    """A game whose form is right: its moves as words, and what is known of it."""

    words: str
    start: str | None
    result: str
    opening: str
    ratings: tuple[int, int]
    place: str
    """Where it stands, for messages."""
    raw: PgnGame | Record
    """What it was read from."""


def _read_part(part: _Part) -> _Contents:
    """Runs in a worker."""
    contents = _Contents(None)
    games: list[_Game] = []
    for game in _games_of(part):
        if isinstance(game, RecordError):
            contents.skipped.append((_reason(str(game)), 1, f"{part.file}: {game}"))
        elif not game.words:
            contents.skipped.append((_NO_MOVES, 1, f"{part.file}: {game.place}"))
        else:
            games.append(game)
    games, read = _read_moves(part, games, contents)
    if games:
        contents.candidates = _select(part, games, read, contents)
    return contents


def _games_of(part: _Part) -> Iterator[_Game | RecordError]:
    if part.kind == "pgn":
        yield from _games_of_pgn(part)
        return
    first = sides_of(part.game)[0] if part.kind == "sgf" else "W"
    for number, record in enumerate(read_text(part.text, part.kind, part.game), 1):
        if isinstance(record, RecordError):
            yield record
            continue
        place, ratings, opening = f"game {number}", _ratings(record.tags, first), record.tags.get("ECO", "")
        try:
            result = result_of(record)
        except BadPosition as error:
            yield RecordError(f"{place}: {error}")
        else:
            yield _Game(" ".join(record.moves), record.start, result, opening, ratings, place, record)


def _games_of_pgn(part: _Part) -> Iterator[_Game | RecordError]:
    text, line, at = part.text, part.line, 0
    for game in split_pgn(text):
        line += text.count("\n", at, game.at)
        at = game.at
        place = f"line {line}"
        try:
            if game.fault is not None:
                raise game.fault
            game.find_game(part.game)
        except RecordError as error:
            yield RecordError(f"{place}: {error}")
        else:
            start, opening = game.tags.get("FEN"), game.tags.get("ECO", "")
            yield _Game(" ".join(game.words), start, game.result, opening, _ratings(game.tags, "W"), place, game)


def _ratings(tags: Any, first: str) -> tuple[int, int]:
    """Of the first and the second player, 0 where a record does not tell."""
    of_side = {
        "W": tags.get("WhiteElo") or tags.get("WR") or "",
        "B": tags.get("BlackElo") or tags.get("BR") or "",
    }
    numbers = {side: re.match(r"\s*(\d{1,5})", text) for side, text in of_side.items()}
    ratings = {side: min(int(number[1]), _HIGHEST_RATING) if number else 0 for side, number in numbers.items()}
    return ratings[first], ratings["B" if first == "W" else "W"]


# Moves


def _read_moves(part: _Part, games: list[_Game], contents: _Contents) -> tuple[list[_Game], ReadGames]:
    """The games whose moves are legal, and their moves. What the core refuses is looked at word by word."""
    read = _read(part.game, games)
    if not any(read.refused):
        return games, read
    legal = []
    for game, fault in zip(games, read.refused, strict=True):
        try:
            if fault is not None:
                game.words = " ".join(_read_loosely(part.game, game))
            legal.append(game)
        except (RecordError, BadPosition, IllegalMove) as error:
            contents.skipped.append((_reason(str(error)), 1, f"{part.file}: {game.place}: {error}"))
    return legal, _read(part.game, legal)


def _read(game: str, games: list[_Game]) -> ReadGames:
    return read_games(
        game,
        [entry.start for entry in games],
        [entry.words for entry in games],
        letter_weights=letter_weights(game),
        board_fields=_BOARD_FIELDS.get(base_name(game), 0),
    )


def _read_loosely(name: str, game: _Game) -> tuple[str, ...]:
    """The moves of a game with all that people write beside them, or in another spelling. Raises what is wrong."""
    if isinstance(game.raw, PgnGame):
        return game.raw.check(name).moves
    position = Position(name, game.start)
    moves = []
    for word in game.raw.moves:
        move = read_move(position, word)
        position.push(move)
        moves.append(str(move))
    return tuple(moves)


def _select(part: _Part, games: list[_Game], read: ReadGames, contents: _Contents) -> Candidates | None:
    """The games that pass the filters, labelled with the moves played wherever the phase is the one asked for."""
    usual = Position(part.game).fen()
    starts = [None if entry.start in (None, usual) else entry.start for entry in games]
    block = Block(
        offsets=read.offsets,
        moves=read.moves,
        labels=read.moves,
        phases=phases_of(part.game, read.offsets, read.board_weights),
        openings=np.array([code_number(entry.opening) for entry in games], np.uint16),
        results=np.array([RESULTS.index(entry.result) for entry in games], np.uint8),
        ratings=np.array([entry.ratings for entry in games], np.uint16).reshape(-1, 2),
        hashes=game_hashes(starts, read.texts),
        starts=starts,
    )
    passed = np.ones(len(block), bool)
    asked = part.where.wanted_games(part.game, block)
    for name in FILTERS:
        if name in asked:
            refused = passed & ~asked[name]
            passed &= asked[name]
            contents.skipped.append((f"another {name} than asked for", int(np.count_nonzero(refused)), ""))
    if not passed.any():
        return None
    labels = np.where(part.where.wanted_plies(block), block.labels, 0).astype(np.uint16)
    inside = block.by_ply(passed)
    return Candidates(
        replace(block, labels=labels).with_games(passed),
        read.keys[inside],
        read.boards[inside] if len(read.boards) else read.boards,
    )


_ILLEGAL = "a move that is not legal"
_PLACE = re.compile(r"^(?:(?:game|line|move) \d+(?:, line \d+)?: )+")
_PARTICULARS = re.compile(r"'[^']*'|\"[^\"]*\"|\([^)]*\)|\[[^\]]*\]|\d+")
_LONGEST_REASON = 80


def _reason(message: str) -> str:
    """What went wrong without the particulars of one game, so that games can be counted by it."""
    bare = _PLACE.sub("", message)
    if "is not legal" in bare:
        return _ILLEGAL
    return " ".join(_PARTICULARS.sub("…", bare).split())[:_LONGEST_REASON]
