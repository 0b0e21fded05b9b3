"""Openings, where the games of a match begin: from books, from random play that a search judges even, or all."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from plypilot.data.books import read_book
from plypilot.data.game_names import name_of
from plypilot.data.record import Record, RecordError
from plypilot.games import BadPosition, Game, IllegalMove, Position, game_info
from plypilot.searcher import Limit, Searcher

if TYPE_CHECKING:
    from plypilot.pilot import Pilot

MOST_MOVES = 1_000_000
"""The most moves that the lines of ``all_openings`` may hold: nobody plays more of them."""
_PATIENCE = 5_000
"""Random lines in a row that bring nothing new before a game counts as exhausted."""
_TABLE = "search.table.log2_entries"
_SMALL_TABLE = 14
"""Entries of a balance search's table, as a power of two: it is emptied for each opening."""


class OpeningError(ValueError):
    """A book that cannot be used, or a game that has not enough openings; the text says why."""


@dataclass(frozen=True)
class Opening:
    """Moves that are made before a game begins."""

    start: str | None = None
    """Position string to start from, None for the usual start."""
    moves: tuple[str, ...] = ()
    name: str = ""
    """As the book has it, or empty."""

    def position(self, game: str | type[Game]) -> Position:
        """The position after its moves, which can all be taken back. Raises BadPosition and IllegalMove."""
        position = Position(game, self.start)
        for move in self.moves:
            position.push(move)
        return position


@dataclass(frozen=True)
class Balance:
    """What makes an opening even: a small search that gives neither side more than a bound."""

    bound: int = 50
    """The greatest score for either side, 100 to a pawn or a piece."""
    limit: Limit = field(default_factory=lambda: Limit(nodes=1000))
    """The limit of that search. Nodes and depth give the same openings everywhere; seconds do not."""
    pilot: Pilot | None = None
    """The pilot that judges; None is the baseline of the game."""


EVEN = Balance()
"""Within half a pawn for the baseline after 1000 nodes: three or four plies in the native games."""


def from_book(path: str | PathLike[str], game: str | type[Game], plies: int | None = None) -> list[Opening]:
    """The openings of a file in the order of the book, each final position once, games that have ended left out.

    Reads PGN, SGF, CSA, JSON, EPD (chess), and lists of position strings or of the lines that engines are given
    (``position startpos moves ...``), packed as .gz or .zip too. The kind is told by the name of the file, else by its
    beginning. With ``plies`` a line is cut to so many moves. Raises OpeningError and OSError.
    """
    openings: list[Opening] = []
    seen: set[int] = set()
    try:
        for record in read_book(path, game):
            if isinstance(record, RecordError):
                raise record
            start = record.start
            if start is None and record.game != name_of(game):
                start = Position(record.game).fen()  # of a variant, or of chess where one of its variants is played
            position = Opening(start, record.moves[:plies]).position(game)
            if position.key not in seen and position.outcome() is None:
                seen.add(position.key)
                openings.append(Opening(start, tuple(map(str, position.played)), _name(record)))
    except (RecordError, BadPosition, IllegalMove) as error:
        raise OpeningError(f"{path}: {error}") from error
    if not openings:
        raise OpeningError(f"{path}: has no opening of {game_info(game).title} that can be played on")
    return openings


def random_openings(
    game: str | type[Game], plies: int, count: int, seed: int, *, balance: Balance | None = EVEN
) -> list[Opening]:
    """Lines of random moves with different final positions, games that have ended left out.

    Only those that ``balance`` finds even; None takes all. The seed decides them, and fewer openings are the first ones
    of more. Raises OpeningError where the game has not so many.
    """
    _check("plies", plies)
    _check("count", count)
    judge = None if balance is None else _Judge(game, balance)
    rng = random.Random(seed)
    position = Position(game)
    openings: list[Opening] = []
    seen: set[int] = set()
    tried = fruitless = 0
    while len(openings) < count:
        tried, fruitless = tried + 1, fruitless + 1
        while position.ply:
            position.pop()
        while position.ply < plies and position.outcome() is None:
            position.push(rng.choice(position.moves()))
        if position.key not in seen and position.outcome() is None:
            seen.add(position.key)
            if judge is None or judge.is_even(position):
                openings.append(Opening(None, tuple(map(str, position.played))))
                fruitless = 0
        if fruitless == _PATIENCE:
            kind = "" if judge is None else "even "
            raise OpeningError(
                f"{game_info(game).title}: found {len(openings)} different {kind}openings of {plies} plies in {tried} "
                f"tries, not {count}; ask for fewer, for other plies{' or a wider bound' if judge else ''}"
            )
    return openings


class _Judge:
    """Searches openings from an empty table, so that a verdict rests on the position alone."""

    def __init__(self, game: str | type[Game], balance: Balance) -> None:
        from plypilot.pilot import Pilot

        pilot = balance.pilot or Pilot.baseline(game)
        if (info := game_info(game)).name != game_info(pilot.game).name:
            raise OpeningError(f"openings of {info.name} cannot be judged by a pilot of {pilot.game}")
        pilot = pilot.model_copy(update={"game": name_of(game)})  # a variant is another start of the same game
        if pilot.search.table.log2_entries > _SMALL_TABLE:
            pilot = pilot.replace({_TABLE: _SMALL_TABLE})
        self.searcher, self.balance = Searcher(pilot), balance

    def is_even(self, position: Position) -> bool:
        self.searcher.clear()
        found = self.searcher.search(position, self.balance.limit)
        return bool(found.iterations) and abs(found.iterations[-1].score) <= self.balance.bound


def all_openings(game: str | type[Game], plies: int, *, merged: bool = True) -> list[Opening]:
    """Every line of a length in the order of its moves as texts, games that have ended left out.

    ``merged`` keeps one line of those that transpose into each other, the first. Raises OpeningError where there
    are too many.
    """
    _check("plies", plies)
    openings: list[Opening] = []
    seen: set[int] = set()
    for made, position in enumerate(_walk(Position(game), plies)):
        if made > MOST_MOVES:
            title = game_info(game).title
            raise OpeningError(
                f"{title} has too many lines of {plies} plies: more than {MOST_MOVES} moves; take random:{plies}"
            )
        if position.ply < plies:
            continue
        if not merged or position.key not in seen:
            seen.add(position.key)
            openings.append(Opening(None, tuple(map(str, position.played))))
    if not openings:
        raise OpeningError(f"{game_info(game).title} has no line of {plies} plies that can be played on")
    return openings


def _walk(position: Position, plies: int) -> Iterator[Position]:
    """The position itself after each move of each line, where the game goes on."""
    if position.outcome() is not None:
        return
    yield position
    if position.ply == plies:
        return
    for move in sorted(position.moves(), key=str):
        position.push(move)
        yield from _walk(position, plies)
        position.pop()


def pick(openings: Sequence[Opening], count: int, seed: int) -> list[Opening]:
    """So many of the openings in an order that the seed decides, from the first one again where there are fewer."""
    if not openings:
        raise OpeningError("there are no openings to pick from")
    _check("count", count)
    order = list(openings)
    random.Random(seed).shuffle(order)
    return [order[i % len(order)] for i in range(count)]


def read_openings(
    text: str, game: str | type[Game], count: int, seed: int, *, balance: Balance | None = EVEN
) -> list[Opening]:
    """So many openings as a command line names them.

    ``start``: the usual start. ``random:8``: 8 random plies, even by ``balance``. ``all:2``: every line of 2 plies.
    ``book:PATH``, or a path alone: a book. Books and all lines come in the order of ``pick``. Raises OpeningError and
    OSError.
    """
    kind, colon, rest = text.partition(":")
    _check("count", count)
    if text == "start":
        return [Opening()] * count
    if kind in ("random", "all") and (colon or not Path(text).is_file()):
        if not re.fullmatch("[0-9]{1,4}", rest):
            raise OpeningError(f'openings "{text}": expected plies behind the colon, such as {kind}:4')
        if kind == "random":
            return random_openings(game, int(rest), count, seed, balance=balance)
        return pick(all_openings(game, int(rest)), count, seed)
    path = rest if kind == "book" and colon else text
    if not Path(path).is_file():
        raise OpeningError(f'openings "{text}": no such file; expected start, random:PLIES, all:PLIES or book:PATH')
    return pick(from_book(path, game), count, seed)


def _check(name: str, value: int) -> None:
    if value < 0:
        raise OpeningError(f"{name} is {value}, expected 0 or more")


def _name(record: Record) -> str:
    return record.tags.get("id") or record.tags.get("Opening") or record.tags.get("ECO") or ""
