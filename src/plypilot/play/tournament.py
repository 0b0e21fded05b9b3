"""Many players, one table: round robin, gauntlet or swiss, with ratings and their intervals.

A round is a list of pairings, each played as one game or as a pair with colours swapped. Rounds of a swiss tournament
depend on the results before, so they are played one after the other; those of the others all at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from plypilot.bounds import MOST_GAMES, check_seed, check_whole
from plypilot.compute import Workers, task_seed, workers_for
from plypilot.data.record import PlayedGame
from plypilot.pilot import Pilot
from plypilot.play.adjudication import Adjudication, usual_adjudication
from plypilot.play.contestant import Contestant, find_contestant, name_apart
from plypilot.play.journal import JOURNAL_NAME, Journal
from plypilot.play.match import DEFAULT_LIMIT
from plypilot.play.openings import Opening, read_openings
from plypilot.play.pairing import Pairing, gauntlet, round_robin, swiss_round
from plypilot.play.ratings import Estimate, rate
from plypilot.play.series import Rules, ScheduledGame, Series, digest
from plypilot.searcher import Limit
from plypilot.tables import html_table, text_table

_MOST_CROSSED = 12
"""The most players for whom a cross table is shown."""
Kind = Literal["round-robin", "gauntlet", "swiss"]


@dataclass(frozen=True)
class TournamentPlan:
    """All that the result of a tournament depends on."""

    rules: Rules
    kind: Kind
    rounds: int
    """Rounds of a swiss tournament; cycles of the others, in each of which everyone meets everyone."""
    in_pairs: bool
    """Each pairing is two games with colours swapped."""
    openings: tuple[Opening, ...]
    """They are taken in turn, one for each pairing."""
    seed: int

    def content(self) -> dict[str, Any]:
        """As plain data, for a journal to compare."""
        return {
            "kind": self.kind,
            **self.rules.content(),
            "rounds": self.rounds,
            "in_pairs": self.in_pairs,
            "openings": digest(self.openings),
            "seed": self.seed,
        }

    @property
    def games(self) -> int:
        """How many games there will be in all."""
        players = len(self.rules.contestants)
        a_round = {"round-robin": players * (players - 1) // 2, "gauntlet": players - 1, "swiss": players // 2}
        return a_round[self.kind] * self.rounds * (2 if self.in_pairs else 1)

    def schedule(self, pairings: Sequence[Pairing], first_pairing: int) -> Iterator[ScheduledGame]:
        """The games of pairings, numbered from the pairings before on."""
        games = 2 if self.in_pairs else 1
        for number, pairing in enumerate(pairings, first_pairing):
            opening = self.openings[number % len(self.openings)]
            for game in range(games):
                players = pairing if game == 0 else pairing[::-1]
                yield ScheduledGame(number * games + game, players, opening, task_seed(self.seed, number))


@dataclass
class Table:
    """The standing of a tournament."""

    plan: TournamentPlan
    points: NDArray[np.float64]
    """(players, players): what each has scored against each."""
    byes: NDArray[np.float64]
    """(players,): points for rounds without an opponent."""
    games: int = 0

    @classmethod
    def empty(cls, plan: TournamentPlan) -> Table:
        """Before the first game."""
        players = len(plan.rules.contestants)
        return cls(plan, np.zeros((players, players)), np.zeros(players))

    def add(self, game: PlayedGame) -> None:
        """Counts a game."""
        one, two = game.seats
        self.points[one, two] += game.points(one)
        self.points[two, one] += game.points(two)
        self.games += 1

    @property
    def scores(self) -> NDArray[np.float64]:
        """(players,): points so far, byes included."""
        return np.asarray(self.points.sum(axis=1) + self.byes)

    @property
    def played(self) -> NDArray[np.float64]:
        """(players,): games so far."""
        return np.asarray((self.points + self.points.T).sum(axis=1))

    def ratings(self) -> list[Estimate]:
        """The rating of each player, with its 95% interval."""
        return rate(self.points)

    @property
    def names(self) -> list[str]:
        """The names of the players, by number."""
        return [each.name for each in self.plan.rules.contestants]

    def ranking(self) -> list[int]:
        """Players by score, the best first; equal ones by rating, then by number."""
        ratings = self.ratings()
        return sorted(range(len(self.names)), key=lambda i: (-self.scores[i], -ratings[i].value, i))

    def rows(self) -> list[list[str]]:
        """The columns of a table, and a row for each player, the best first; with all results where they fit."""
        order, ratings = self.ranking(), self.ratings()
        crossed = order if len(order) <= _MOST_CROSSED else []
        rows = [["", "player", "score", "games", "rating", *(str(place) for place in range(1, len(crossed) + 1))]]
        for place, i in enumerate(order, 1):
            against = [
                "" if i == j else f"{self.points[i, j]:g}/{self.points[i, j] + self.points[j, i]:g}" for j in crossed
            ]
            figures = [f"{self.scores[i]:g}", f"{self.played[i]:g}", str(ratings[i])]
            rows.append([str(place), self.names[i], *figures, *against])
        return rows

    def __str__(self) -> str:
        return f"{self.games} games, {self.plan.rules.game}\n{text_table(self.rows())}"

    def _repr_html_(self) -> str:
        return html_table(self.rows(), caption=f"{self.games} games, {self.plan.rules.game}")


@dataclass(frozen=True, repr=False)
class TournamentResult:
    """How a tournament ended."""

    plan: TournamentPlan
    table: Table
    seconds: float
    journal: Path | None
    games_now: int
    """Games that this run has played; those before it were kept."""
    games: tuple[PlayedGame, ...] = field(default=(), repr=False)

    @property
    def names(self) -> list[str]:
        """The names of the players, by number."""
        return self.table.names

    def ranking(self) -> list[int]:
        """Players by score, the best first; equal ones by rating, then by number."""
        return self.table.ranking()

    def __str__(self) -> str:
        return f"{self.table}\nratings in Elo with 95% intervals, their mean is 0"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.table._repr_html_()

    def content(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        ratings = self.table.ratings()
        return {
            "plan": self.plan.content(),
            "games": self.table.games,
            "seconds": self.seconds,
            "players": [
                {
                    "name": self.names[i],
                    "score": float(self.table.scores[i]),
                    "games": float(self.table.played[i]),
                    "rating": ratings[i].value,
                    "low": ratings[i].low,
                    "high": ratings[i].high,
                    "against": self.table.points[i].tolist(),
                }
                for i in self.ranking()
            ],
        }


def tournament(
    players: Sequence[Contestant | Pilot | str],
    game: str,
    *,
    kind: Kind = "round-robin",
    rounds: int = 1,
    in_pairs: bool | None = None,
    limit: Limit = DEFAULT_LIMIT,
    openings: str | Sequence[Opening] = "random:6",
    seed: int = 0,
    adjudication: Adjudication | None = None,
    workers: int | Workers = 1,
    folder: str | PathLike[str] | None = None,
    resume: bool = False,
    keep_games: bool = False,
    on_game: Callable[[Table], object] | None = None,
) -> TournamentResult:
    """Plays a tournament. ``rounds`` are those of a swiss one, and cycles of the others.

    A ``Contestant`` gives a pilot a name. Pairings are two games with colours swapped, or one game in a swiss
    tournament, unless ``in_pairs`` says otherwise.
    A bye counts as a win where there is a colour to miss: each game of a pairing.
    """
    if len(players) < 2:
        raise ValueError(f"tournament: {len(players)} players, expected 2 or more")
    check_whole("tournament: rounds", rounds, 1, MOST_GAMES)
    check_seed(seed)
    contestants = name_apart(
        [find_contestant(player, game, f"player {number}") for number, player in enumerate(players, 1)]
    )
    for contestant in contestants:
        contestant.check(game)
    given = read_openings(openings, game, 200, seed) if isinstance(openings, str) else list(openings)
    plan = TournamentPlan(
        Rules(game, tuple(contestants), (limit,) * len(contestants), adjudication or usual_adjudication(game)),
        kind,
        rounds,
        kind != "swiss" if in_pairs is None else in_pairs,
        tuple(given),
        seed,
    )
    started = time.perf_counter()
    path = None if folder is None else Path(folder) / JOURNAL_NAME
    table = Table.empty(plan)
    kept: list[PlayedGame] = []
    with workers_for(game, workers) as pool, Journal(path, plan.content(), resume=resume) as journal:
        kept_before = len(journal)
        series = Series(plan.rules, pool, journal)
        pairings = 0
        try:
            for round_ in _rounds(plan, table):
                playing = series.play(plan.schedule(round_, pairings))
                pairings += len(round_)
                for played in playing:
                    table.add(played)
                    if keep_games:
                        kept.append(played)
                    if on_game is not None:
                        on_game(table)
        finally:
            series.close()
        games_now = len(journal) - kept_before
    games = tuple(sorted(kept, key=lambda played: played.number))
    return TournamentResult(plan, table, time.perf_counter() - started, path, games_now, games)


def _rounds(plan: TournamentPlan, table: Table) -> Iterator[list[Pairing]]:
    """The rounds to play one after the other; asked for the next when all games of those before are in the table."""
    players = len(plan.rules.contestants)
    if plan.kind != "swiss":
        makes = round_robin if plan.kind == "round-robin" else gauntlet
        yield [pairing for round_pairings in makes(players, cycles=plan.rounds) for pairing in round_pairings]
        return
    met: list[Pairing] = []
    for number in range(plan.rounds):
        pairings = swiss_round(list(table.scores), met, plan.seed, number)
        met += pairings
        yield pairings
        for absent in set(range(players)) - {player for pairing in pairings for player in pairing}:
            table.byes[absent] += 2 if plan.in_pairs else 1
