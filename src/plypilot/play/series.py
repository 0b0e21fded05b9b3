"""Plays scheduled games on workers, each exactly once, and keeps them: matches and tournaments are schedules.

Games between pilots are played whole by the core, many to a task; games with outside engines one by one.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
import uuid
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from os import PathLike
from pathlib import Path
from typing import Any

from plypilot.compute import Workers
from plypilot.data.record import PlayedGame, PlayedMove
from plypilot.play import arena, umpire
from plypilot.play.adjudication import Adjudication
from plypilot.play.contestant import Contestant
from plypilot.play.journal import JOURNAL_NAME, Journal, round_tag
from plypilot.play.openings import Opening
from plypilot.play.player import Player
from plypilot.searcher import Limit

TASK_SECONDS = 0.25
"""What a task of several games should take: short enough to share out, long enough to make handing over cheap."""
_MOST_GAMES = 512
_MOST_ARENAS = 4
"""How many pairs keep their tables: a match has one pair, a tournament more than memory may hold."""


@dataclass(frozen=True)
class ScheduledGame:
    """A game that is to be played."""

    number: int
    players: tuple[int, int]
    """Numbers of the contestants with the first and the second side."""
    opening: Opening
    seed: int


@dataclass(frozen=True)
class Rules:
    """What all games of a series share."""

    game: str
    contestants: tuple[Contestant, ...]
    limits: tuple[Limit, ...]
    """One for each contestant."""
    adjudication: Adjudication

    def is_native(self, game: ScheduledGame) -> bool:
        """Whether the core can play a game whole."""
        return all(self.contestants[i].engine is None for i in game.players)

    def content(self) -> dict[str, Any]:
        """As plain data, for a journal to compare."""
        judged = vars(self.adjudication) | {"referee": self.adjudication.referee and self.adjudication.referee.digest}
        return {
            "game": self.game,
            "players": [each.identity() for each in self.contestants],
            "limits": [vars(limit) for limit in self.limits],
            "adjudication": judged,
        }


@dataclass(frozen=True)
class _Task:
    """Some games for one worker. All that they depend on is in it."""

    rules: Rules
    games: tuple[ScheduledGame, ...]
    series: str
    """Tells the series apart, so that a process can keep what its tasks share."""


class Series:
    """Scheduled games, workers that play them, and the journal that keeps them."""

    def __init__(self, rules: Rules, workers: Workers, journal: Journal) -> None:
        self.rules = rules
        self._workers = workers
        self._journal = journal
        self._shelf = _Shelf()
        self._name = uuid.uuid4().hex
        self._size = 1
        """Games to a task, for those that the core plays whole."""

    def play(self, schedule: Iterable[ScheduledGame]) -> Generator[PlayedGame, None, None]:
        """Plays what is not in the journal, and yields every game of the schedule: the old ones first, by number, the
        others as they end. Closing the iterator ends what is in play.
        """
        scheduled = {game.number: game for game in schedule}
        kept = self._journal.numbers()
        if not kept.isdisjoint(scheduled):
            yield from (old for old in self._journal.games() if old.number in scheduled)
        todo = [game for number, game in scheduled.items() if number not in kept]
        self._shelf.open()
        play = self._play_here if self._workers.are_threads else _play_task
        try:
            for _, (games, seconds) in self._workers.as_completed(play, self._tasks(todo)):
                self._journal.add(games)
                if self.rules.is_native(scheduled[games[0].number]):
                    self._resize(seconds / len(games))
                yield from games
        finally:
            self._shelf.stop()

    def close(self) -> None:
        """Ends outside engines."""
        self._shelf.close()

    def _tasks(self, games: Sequence[ScheduledGame]) -> Iterator[_Task]:
        at = 0
        while at < len(games):
            size = self._size if self.rules.is_native(games[at]) else 1
            yield _Task(self.rules, tuple(games[at : at + size]), self._name)
            at += size

    def _resize(self, seconds_a_game: float) -> None:
        fits = max(1, min(_MOST_GAMES, round(TASK_SECONDS / max(seconds_a_game, 1e-6))))
        self._size = min(fits, self._size * 4)

    def _play_here(self, task: _Task) -> tuple[list[PlayedGame], float]:
        return _play_games(task, self._shelf)


def _play_task(task: _Task) -> tuple[list[PlayedGame], float]:
    """In a process of its own: players live as long as the task, arenas until there is another series."""
    shelf = _Shelf(_arenas_of(task.series))
    try:
        return _play_games(task, shelf)
    finally:
        shelf.close_players()


def _play_games(task: _Task, shelf: _Shelf) -> tuple[list[PlayedGame], float]:
    """The games of a task, and the seconds they took."""
    started = time.perf_counter()
    played: list[PlayedGame] = []
    for pair, group in groupby(task.games, lambda game: tuple(sorted(game.players))):
        games = list(group)
        if task.rules.is_native(games[0]):
            played += _play_in_arena(task.rules, pair, games, shelf)
        else:
            played += [_play_under_umpire(task.rules, game, shelf) for game in games]
    return played, time.perf_counter() - started


def _play_in_arena(
    rules: Rules, pair: tuple[int, ...], games: Sequence[ScheduledGame], shelf: _Shelf
) -> list[PlayedGame]:
    tasks = [arena.Task(game.opening.position(rules.game), game.seed, pair.index(game.players[0])) for game in games]
    with shelf.arena(rules, pair) as place:
        found = place.play(tasks)
    return [
        _finish(rules, game, found.turns[i], found.winners[i], found.causes[i], found.played_moves(i))
        for i, game in enumerate(games)
    ]


def _play_under_umpire(rules: Rules, game: ScheduledGame, shelf: _Shelf) -> PlayedGame:
    start = game.opening.position(rules.game)
    with shelf.players(rules, game.players) as players:
        ending, moves = umpire.play_game(
            players,
            [rules.limits[i] for i in game.players],
            start,
            seed=game.seed,
            adjudication=rules.adjudication,
            first_player=int(game.players[0] > game.players[1]),
        )
    return _finish(rules, game, start.turn, ending.winner, ending.cause, moves)


def _finish(
    rules: Rules, game: ScheduledGame, turn: int, winner: int | None, cause: str, moves: tuple[PlayedMove, ...]
) -> PlayedGame:
    first, second = (rules.contestants[i].name for i in game.players)
    return PlayedGame(
        game=rules.game,
        players=(first, second),
        winner=winner,
        cause=cause,
        moves=moves,
        opening=tuple(game.opening.moves),
        start=game.opening.start,
        tags=round_tag(game.number),
        number=game.number,
        seats=game.players,
        turn=turn,
    )


def read_records(folder: str | PathLike[str]) -> Iterator[PlayedGame]:
    """The games that the folder of a match or a tournament keeps, by number. Raises ValueError."""
    path = Path(folder) / JOURNAL_NAME
    if not path.is_file():
        raise ValueError(f"{folder}: holds no games of a match or a tournament")
    journal = Journal.open(path)

    def read() -> Iterator[PlayedGame]:
        with journal:
            yield from journal.games()

    return read()


def digest(openings: Sequence[Opening]) -> str:
    """Tells lists of openings apart."""
    listed = json.dumps([[opening.start, opening.moves] for opening in openings])
    return hashlib.sha256(listed.encode()).hexdigest()


class _Arenas:
    """The arenas of the last few pairs, for threads to share: making their tables may take longer than a task."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, ...], arena.Arena] = {}

    def find(self, rules: Rules, pair: tuple[int, ...]) -> arena.Arena:
        with self._lock:
            place = self._kept.pop(pair, None) or arena.Arena(
                rules.game,
                [rules.contestants[i].pilot for i in pair],
                [rules.limits[i] for i in pair],
                adjudication=rules.adjudication,
            )
            self._kept[pair] = place  # the last used comes last
            while len(self._kept) > _MOST_ARENAS:
                self._kept.pop(next(iter(self._kept)))
            return place

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()


_process_arenas: dict[str, _Arenas] = {}
"""The shelf of the series whose tasks this process runs."""


def _arenas_of(series: str) -> _Arenas:
    if series not in _process_arenas:
        _process_arenas.clear()
    return _process_arenas.setdefault(series, _Arenas())


class _Shelf:
    """Players at rest, so that an outside engine is started once a worker and not once a game; and what is in play."""

    def __init__(self, arenas: _Arenas | None = None) -> None:
        self._lock = threading.Lock()
        self._resting: dict[int, list[Player]] = {}
        self._arenas = arenas or _Arenas()
        self._running: Counter[arena.Arena] = Counter()
        self._stopped = False

    @contextmanager
    def players(self, rules: Rules, numbers: Sequence[int]) -> Iterator[list[Player]]:
        """Players that nobody else has, for one game."""
        taken: list[Player] = []
        for number in numbers:
            with self._lock:
                resting = self._resting.setdefault(number, [])
                player = resting.pop() if resting else None
            taken.append(player or rules.contestants[number].player())
        try:
            yield taken
        finally:
            with self._lock:
                for number, player in zip(numbers, taken, strict=True):
                    self._resting[number].append(player)

    @contextmanager
    def arena(self, rules: Rules, pair: tuple[int, ...]) -> Iterator[arena.Arena]:
        """Where a pair plays; remembered while it is in use, so that it can be stopped."""
        with self._lock:
            if self._stopped:
                raise arena.Stopped
            place = self._arenas.find(rules, pair)
            self._running[place] += 1
        try:
            yield place
        finally:
            with self._lock:
                self._running[place] -= 1

    def open(self) -> None:
        """Lets games begin."""
        self._stopped = False

    def stop(self) -> None:
        """Ends the games in play, and lets none begin."""
        with self._lock:
            self._stopped = True
            for place, users in self._running.items():
                if users > 0:
                    place.stop()
            self._running.clear()
            self._arenas.clear()  # an arena that was stopped plays no more

    def close(self) -> None:
        """Ends the games in play and the players."""
        self.stop()
        self.close_players()

    def close_players(self) -> None:
        """Ends the players."""
        with self._lock:
            for players in self._resting.values():
                for player in players:
                    player.close()
            self._resting.clear()
