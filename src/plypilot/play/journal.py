"""The games of a match or a tournament in one file, one row a game: what is in it is never played again."""

from __future__ import annotations

import fcntl
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Self

from plypilot.data.record import PlayedGame, PlayedMove
from plypilot.difference import tell_differing

_FORMAT = 1
JOURNAL_NAME = "games.sqlite"
"""Of the file in the folder of a match or a tournament."""


class JournalError(ValueError):
    """A journal that belongs to something else, or is damaged."""


class Journal:
    """Games by their numbers, in SQLite: a row is there whole or not at all, whenever the process dies.

    It belongs to one plan (players, limits, openings, seed), which it keeps and compares.
    """

    def __init__(
        self,
        path: Path | None,
        plan: Mapping[str, Any],
        *,
        resume: bool = False,
        lengthens: Callable[[Mapping[str, Any]], bool] | None = None,
    ) -> None:
        """Opens a journal, or one in memory where the path is None. Raises JournalError.

        Where games are already on file, ``resume`` must say that they are to be kept. ``lengthens`` tells whether the
        plan only adds games to the one on file, which it then replaces.
        """
        self._lengthens = lengthens
        self.path, self.plan = path, plan
        self._lock = None if path is None else _lock(path)
        self._base = sqlite3.connect(":memory:" if path is None else path, timeout=1.0, check_same_thread=False)
        try:
            self._base.execute("PRAGMA journal_mode = WAL")  # others may read meanwhile
            # A power cut may lose the last games, which are then played again; it cannot tear one.
            self._base.execute("PRAGMA synchronous = NORMAL")
            self._base.executescript(
                "CREATE TABLE IF NOT EXISTS plan (format INTEGER, content TEXT);"
                "CREATE TABLE IF NOT EXISTS games (number INTEGER PRIMARY KEY, first INTEGER, second INTEGER,"
                " winner INTEGER, cause TEXT, moves TEXT, opening TEXT, start TEXT, turn INTEGER)"
            )
            self._check_plan(json.dumps(plan, sort_keys=True), resume)
        except sqlite3.OperationalError as error:
            self.close()
            raise JournalError(f"{path}: {error}; is another run writing to it?") from error
        except sqlite3.DatabaseError as error:
            self.close()
            raise JournalError(f"{path}: not a journal of games ({error})") from error
        except JournalError:
            self.close()
            raise

    @classmethod
    def open(cls, path: Path) -> Self:
        """The journal of a file as it is, to read it, also while a match writes to it."""
        journal = cls.__new__(cls)
        journal.path, journal._lock, journal._lengthens = path, None, None
        journal._base = sqlite3.connect(path, timeout=1.0, check_same_thread=False)
        try:
            journal._base.execute("PRAGMA query_only = ON")
            row = journal._base.execute("SELECT content FROM plan").fetchone()
        except sqlite3.DatabaseError as error:
            journal.close()
            raise JournalError(f"{path}: not a journal of games ({error})") from error
        journal.plan = json.loads(row[0]) if row else {}
        return journal

    def _check_plan(self, content: str, resume: bool) -> None:
        row = self._base.execute("SELECT format, content FROM plan").fetchone()
        if row is None:
            with self._base:
                self._base.execute("INSERT INTO plan VALUES (?, ?)", (_FORMAT, content))
            return
        if row[0] != _FORMAT:
            raise JournalError(f"{self.path}: a journal of format {row[0]}, expected {_FORMAT}")
        if row[1] != content:
            here, there = json.loads(content), json.loads(row[1])
            if not resume or self._lengthens is None or not self._lengthens(there):
                raise JournalError(f"{self.path}: holds games of another plan: {tell_differing(here, there)}")
            with self._base:
                self._base.execute("UPDATE plan SET content = ?", (content,))
        if not resume and len(self):
            raise JournalError(f"{self.path}: {len(self)} games are already there; resume to go on with them")

    def __len__(self) -> int:
        return int(self._base.execute("SELECT COUNT(*) FROM games").fetchone()[0])

    def __contains__(self, number: int) -> bool:
        return self._base.execute("SELECT 1 FROM games WHERE number = ?", (number,)).fetchone() is not None

    def numbers(self) -> set[int]:
        """Which games are there."""
        return {row[0] for row in self._base.execute("SELECT number FROM games")}

    def add(self, games: Iterable[PlayedGame]) -> None:
        """Keeps games, all of them or none. A number that is already there is an error."""
        rows = [
            (
                game.number,
                *game.seats,
                game.winner,
                game.cause,
                json.dumps([list(vars(move).values()) for move in game.moves], separators=(",", ":")),
                " ".join(game.opening),
                game.start,
                game.turn,
            )
            for game in games
        ]
        with self._base:
            self._base.executemany("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def games(self) -> Iterator[PlayedGame]:
        """Every game, by number."""
        names = [str(player["name"]) for player in self.plan["players"]]
        for row in self._base.execute("SELECT * FROM games ORDER BY number"):
            number, first, second, winner, cause, moves, opening, start, turn = row
            yield PlayedGame(
                game=self.plan["game"],
                players=(names[first], names[second]),
                winner=winner,
                cause=cause,
                moves=tuple(PlayedMove(*move) for move in json.loads(moves)),
                opening=tuple(opening.split()),
                start=start,
                tags=round_tag(number),
                number=number,
                seats=(first, second),
                turn=turn,
            )

    def close(self) -> None:
        """Ends it."""
        self._base.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _lock(path: Path) -> IO[str]:
    """One run at a time: a file beside the journal is locked until it is closed, or the process ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.with_suffix(".lock").open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise JournalError(f"{path}: another run is writing to it") from error
    return file


def round_tag(number: int) -> dict[str, str]:
    """How a record tells which game of a match or a tournament it is."""
    return {"Round": str(number + 1)}
