"""Books of openings in whatever format they are: told by the name of the file, else by how it begins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import PurePath

from plypilot.data.epd import EpdPosition, read_epd, suite_game
from plypilot.data.files import read_texts
from plypilot.data.formats import read_games
from plypilot.data.game_names import name_of
from plypilot.data.record import Record, RecordError
from plypilot.game_name import base_name
from plypilot.games import Game, game_info

_KINDS = {
    ".pgn": "pgn",
    ".epd": "epd",
    ".sgf": "sgf",
    ".csa": "csa",
    ".kif": "kif",
    ".kifu": "kif",
    ".json": "json",
    ".jsonl": "json",
    ".fen": "lines",
    ".sfen": "lines",
    ".usi": "lines",
    ".uci": "lines",
}
_LINE = re.compile(r"position\b|startpos\b|s?fen\b")
_BEGINNINGS = (
    ("json", re.compile(r'\{\s*"')),
    ("pgn", re.compile(r"[\[%;{]|1\s*\.|1\s+[A-Za-z]")),
    ("sgf", re.compile(r"\(\s*;")),
    ("kif", re.compile(r"手合割|手数----|(?:開始|終了)日時|[先後]手：|# -+ *Kifu|#KIF")),
    ("csa", re.compile(r"V\d|N[+-]|P[I1]|'")),
    ("lines", _LINE),
)


def read_book(path: str | PathLike[str], game: str | type[Game]) -> Iterator[Record | RecordError]:
    """The records of a file, or of the files in an archive: each a record, or the reason why it is refused.

    Reads all that ``read_games`` does, suites (EPD in chess) and lists of position strings. Raises RecordError where
    nothing of a file can be read, and OSError.
    """
    texts = list(read_texts(path))
    for name, text, kind in with_kinds(texts):
        where = f"{name}: " if len(texts) > 1 else ""
        try:
            for record in read_text(text, kind, game):
                yield RecordError(f"{where}{record}") if isinstance(record, RecordError) else record
        except RecordError as error:
            raise RecordError(f"{where}{error}") from error


def with_kinds(texts: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """The name, the text and the format of each file of an archive, without those that are no records.

    Where no name tells a format, all files are taken for records.
    """
    known = [(name, text) for name, text in texts if PurePath(name).suffix.lower() in _KINDS]
    for name, text in known or texts:
        yield name, text, _KINDS.get(PurePath(name).suffix.lower()) or _kind_by_content(text)


def _kind_by_content(text: str) -> str:
    beginning = text[:1000].lstrip()
    return next((kind for kind, form in _BEGINNINGS if form.match(beginning)), "lines")


def read_text(text: str, kind: str, game: str | type[Game]) -> Iterable[Record | RecordError]:
    """The records of a text whose format is known. Raises RecordError where that does not fit the game."""
    name = game_info(game).name
    if kind == "epd" and base_name(titled := suite_game(text)) != base_name(name):
        raise RecordError(f"is a suite of {titled}, not of {name}")
    if kind == "epd" or (kind == "lines" and name == "chess" and not _LINE.match(text.lstrip())):
        return map(_epd_record, read_epd(text, name_of(game)))  # every FEN is an EPD without operations
    if kind == "lines":
        kind = "usi" if name == "shogi" else "uci"
    return read_games(text, kind, game)


def _epd_record(found: EpdPosition | RecordError) -> Record | RecordError:
    return found if isinstance(found, RecordError) else Record(found.game, (), found.fen, tags={"id": found.id})
