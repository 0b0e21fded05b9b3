"""Tells which of two players is better, and how sure that is: pairs of games from one opening with sides swapped.

What is counted depends on the plan alone, not on workers, order or interruptions: a sequential test looks at pairs in
the order of their numbers, and drops what was played beyond the pair that decided it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from plypilot.compute import Workers, task_seed, workers_for
from plypilot.data.record import PlayedGame, PlayedMove
from plypilot.pilot import Pilot
from plypilot.play.adjudication import Adjudication
from plypilot.play.contestant import Contestant, find_contestant, name_apart
from plypilot.play.journal import JOURNAL_NAME, FinishedGame, Journal
from plypilot.play.openings import Opening, read_openings
from plypilot.play.ratings import Pentanomial, Sprt, Tally, describe, elo, normalised_elo, superiority
from plypilot.play.series import Rules, ScheduledGame, Series, as_record, digest
from plypilot.searcher import Limit

DEFAULT_LIMIT = Limit(nodes=10_000)


@dataclass(frozen=True)
class MatchPlan:
    """All that the result of a match depends on."""

    rules: Rules
    openings: tuple[Opening, ...]
    """One a pair."""
    seed: int
    sprt: Sprt | None = None

    def schedule(self) -> Iterator[ScheduledGame]:
        """Game 2n and 2n + 1 are pair n: the first contestant has the first side in the even one."""
        for pair, opening in enumerate(self.openings):
            # One seed a pair: what is left to chance is the same for both, as the opening is.
            seed = task_seed(self.seed, pair)
            yield ScheduledGame(2 * pair, (0, 1), opening, seed)
            yield ScheduledGame(2 * pair + 1, (1, 0), opening, seed)

    def at_equal_time(self, standing: Standing) -> MatchPlan:
        """The same match with the mean time of a move so far as the limit of each move, for both players."""
        spent = standing.effort
        seconds = sum(each.seconds for each in spent) / max(sum(each.moves for each in spent), 1)
        limit = Limit(seconds=max(round(seconds, 6), 1e-4))
        return replace(self, rules=replace(self.rules, limits=(limit, limit)))

    def content(self) -> dict[str, Any]:
        """As plain data, for a journal to compare."""
        return {
            "kind": "match",
            **self.rules.content(),
            "openings": digest(self.openings),
            "pairs": len(self.openings),
            "seed": self.seed,
            "sprt": None if self.sprt is None else asdict(self.sprt),
        }


@dataclass
class Standing:
    """What counts of a match so far: whole pairs, in the order of their numbers."""

    plan: MatchPlan
    tally: Tally = field(default_factory=Tally)
    pairs: Pentanomial = field(default_factory=Pentanomial)
    causes: Counter[str] = field(default_factory=Counter)
    """How the games ended."""
    effort: tuple[Effort, Effort] = field(default_factory=lambda: (Effort(), Effort()))
    """What each player spent."""
    verdict: str | None = None
    """What the sequential test decided: H0 or H1."""
    _waiting: dict[int, FinishedGame] = field(default_factory=dict, repr=False)

    def add(self, game: FinishedGame) -> None:
        """Takes a game in. It counts once its partner and every pair before are there and the test is still open."""
        self._waiting[game.number] = game
        while self.verdict is None and all(self.tally.games + i in self._waiting for i in (0, 1)):
            pair = [self._waiting.pop(self.tally.games + i) for i in (0, 1)]
            points = [each.points(0) for each in pair]
            self.tally += Tally.of(points)
            self.pairs += Pentanomial.of([(points[0], points[1])])
            for each in pair:
                self.causes[each.cause] += 1
                for player in (0, 1):
                    self.effort[player].add(each.moves_of(player))
            if self.plan.sprt is not None:
                self.verdict = self.plan.sprt.verdict(self.pairs)

    def __str__(self) -> str:
        line = describe(self.tally, self.pairs)
        return line if self.plan.sprt is None else f"{line}; {self.plan.sprt.describe(self.pairs)}"


@dataclass
class Effort:
    """What a player spent on its moves."""

    moves: int = 0
    nodes: int = 0
    seconds: float = 0.0
    depths: int = 0
    """The sum of the depths it reached."""

    def add(self, moves: Iterable[PlayedMove]) -> None:
        """Counts moves."""
        for move in moves:
            self.moves += 1
            self.nodes += move.nodes
            self.seconds += move.seconds
            self.depths += move.depth


@dataclass(frozen=True)
class MatchResult:
    """How a match ended."""

    plan: MatchPlan
    standing: Standing
    seconds: float
    """Wall time of this run."""
    journal: Path | None
    """Where its games are."""
    equal_time: MatchResult | None = None
    """The same match with equal time a move, where it was asked for beside equal nodes."""
    games: tuple[FinishedGame, ...] = field(default=(), repr=False)
    """Those that count, by number, where they were to be kept."""

    def records(self) -> Iterator[PlayedGame]:
        """The games as record writers want them."""
        for game in self.games:
            yield as_record(game, self.plan.rules)

    @property
    def names(self) -> tuple[str, str]:
        """Of the two players."""
        one, two = self.plan.rules.contestants
        return one.name, two.name

    def __str__(self) -> str:
        line = f"{self.names[0]} against {self.names[1]}: {self.standing}"
        return line if self.equal_time is None else f"{line}\nat equal time: {self.equal_time.standing}"

    def content(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        standing = self.standing
        judged = standing.pairs
        return {
            "plan": self.plan.content(),
            "games": standing.tally.games,
            "wins": standing.tally.wins,
            "draws": standing.tally.draws,
            "losses": standing.tally.losses,
            "score": standing.tally.score,
            "elo": asdict(elo(judged)),
            "normalised_elo": asdict(normalised_elo(judged)),
            "superiority": superiority(judged),
            "pairs": list(judged.counts),
            "sprt": None
            if self.plan.sprt is None
            else {"llr": self.plan.sprt.llr(judged), "bounds": self.plan.sprt.bounds, "verdict": standing.verdict},
            "causes": dict(standing.causes.most_common()),
            "effort": [asdict(each) for each in standing.effort],
            "seconds": self.seconds,
            "equal_time": None if self.equal_time is None else self.equal_time.content(),
        }


Tell = Callable[[Standing], object]
"""Hears of the standing after each game."""


def match(
    a: Contestant | Pilot | str,
    b: Contestant | Pilot | str,
    game: str | None = None,
    *,
    games: int = 400,
    limit: Limit | Sequence[Limit] = DEFAULT_LIMIT,
    openings: str | Sequence[Opening] = "random:6",
    seed: int = 0,
    adjudication: Adjudication | None = None,
    sprt: Sprt | None = None,
    both: bool = False,
    workers: int | Workers = 1,
    folder: str | PathLike[str] | None = None,
    resume: bool = False,
    keep_games: bool = False,
    on_game: Tell | None = None,
) -> MatchResult:
    """Plays a match of two players, in pairs of games, and says how it ended.

    The game may be left out where a player is a pilot. ``limit`` is of each move, for both players or one for each.
    ``openings`` are a list or a word as ``plypilot match --openings`` takes it. With ``both``, a match at equal time a
    move follows one at equal nodes: the mean time that the moves took. In a ``folder`` the games are kept, and what was
    killed goes on there with ``resume``; ``keep_games`` keeps them in the result too.
    """
    plan = make_plan(
        a, b, game, games=games, limit=limit, openings=openings, seed=seed, adjudication=adjudication, sprt=sprt
    )
    with workers_for(plan.rules.game, workers) as pool:
        found = run_match(plan, pool, folder=folder, resume=resume, keep_games=keep_games, on_game=on_game)
        if not both:
            return found
        timed = plan.at_equal_time(found.standing)
        beside = None if folder is None else Path(folder) / "equal-time"
        return replace(found, equal_time=run_match(timed, pool, folder=beside, resume=resume, on_game=on_game))


def make_plan(
    a: Contestant | Pilot | str,
    b: Contestant | Pilot | str,
    game: str | None = None,
    *,
    games: int,
    limit: Limit | Sequence[Limit] = DEFAULT_LIMIT,
    openings: str | Sequence[Opening] = "random:6",
    seed: int = 0,
    adjudication: Adjudication | None = None,
    sprt: Sprt | None = None,
) -> MatchPlan:
    """Finds the players and the openings, and checks that all of it fits together. Raises ValueError."""
    name = game or next((each.game for each in (a, b) if isinstance(each, Pilot)), None)
    if name is None:
        raise ValueError("match: name the game, since no player is a pilot that would tell it")
    if games < 2 or games % 2:
        raise ValueError(f"match: {games} games, expected an even number of 2 or more: they come in pairs")
    one, two = name_apart([find_contestant(each, name) for each in (a, b)])
    for each in (one, two):
        each.check(name)
    limits = (limit, limit) if isinstance(limit, Limit) else (limit[0], limit[1])
    given = read_openings(openings, name, games // 2, seed) if isinstance(openings, str) else list(openings)
    if not given:
        raise ValueError("match: there are no openings")
    by_pair = tuple(given[pair % len(given)] for pair in range(games // 2))
    return MatchPlan(Rules(name, (one, two), limits, adjudication or Adjudication()), by_pair, seed, sprt)


def run_match(
    plan: MatchPlan,
    workers: Workers,
    *,
    folder: str | PathLike[str] | None = None,
    resume: bool = False,
    keep_games: bool = False,
    on_game: Tell | None = None,
) -> MatchResult:
    """Plays what a plan asks for and is not in the journal of the folder yet."""
    started = time.perf_counter()
    path = None if folder is None else Path(folder) / JOURNAL_NAME
    standing = Standing(plan)
    kept: dict[int, FinishedGame] = {}
    with Journal(path, plan.content(), resume=resume) as journal:
        series = Series(plan.rules, workers, journal)
        playing = series.play(plan.schedule())
        try:
            for each in playing:
                standing.add(each)
                if keep_games:
                    kept[each.number] = each
                if on_game is not None:
                    on_game(standing)
                if standing.verdict is not None:
                    break
        finally:
            playing.close()
            series.close()
    counted = tuple(kept[number] for number in sorted(kept) if number < standing.tally.games)
    return MatchResult(plan, standing, time.perf_counter() - started, path, games=counted)
