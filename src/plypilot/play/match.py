"""Tells which of two players is better, and how sure that is: pairs of games from one opening with sides swapped.

What is counted depends on the plan alone, not on workers, order or interruptions: a sequential test looks at pairs in
the order of their numbers, and drops what was played beyond the pair that decided it.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from plypilot.bounds import MOST_GAMES, check_seed
from plypilot.compute import Workers, task_seed, workers_for
from plypilot.data.record import PlayedGame, PlayedMove
from plypilot.difference import differing
from plypilot.pilot import Pilot
from plypilot.play.adjudication import Adjudication, usual_adjudication
from plypilot.play.contestant import Contestant, find_contestant, name_apart
from plypilot.play.journal import JOURNAL_NAME, Journal
from plypilot.play.openings import Opening, read_openings
from plypilot.play.ratings import Pentanomial, Sprt, Tally, describe, elo, normalised_elo, superiority, verdict
from plypilot.play.series import Rules, ScheduledGame, Series, digest
from plypilot.searcher import Limit
from plypilot.tables import html_table

DEFAULT_LIMIT = Limit(nodes=10_000)


@dataclass(frozen=True)
class MatchPlan:
    """All that the result of a match depends on."""

    rules: Rules
    openings: tuple[Opening, ...]
    """One for each pair of games."""
    seed: int
    sprt: Sprt | None = None

    def schedule(self) -> Iterator[ScheduledGame]:
        """Game 2n and 2n + 1 are pair n: the first contestant has the first side in the even one."""
        for pair, opening in enumerate(self.openings):
            # One seed a pair: what is left to chance is the same for both, as the opening is.
            seed = task_seed(self.seed, pair)
            yield ScheduledGame(2 * pair, (0, 1), opening, seed)
            yield ScheduledGame(2 * pair + 1, (1, 0), opening, seed)

    def at_equal_time(self, standing: Standing, seconds: float | None = None) -> MatchPlan:
        """The same match with one time for each move of both players: the mean so far, where none is given."""
        if seconds is None:
            moves = sum(effort.moves for effort in standing.effort)
            seconds = max(round(sum(effort.seconds for effort in standing.effort) / max(moves, 1), 6), 1e-4)
        limit = Limit(seconds=seconds)
        return replace(self, rules=replace(self.rules, limits=(limit, limit)))

    def lengthens(self, other: Mapping[str, Any]) -> bool:
        """Whether a plan, as a journal has it, is the beginning of this one."""
        pairs = other.get("pairs")
        if not isinstance(pairs, int) or not 0 < pairs < len(self.openings):
            return False
        beginning = replace(self, openings=self.openings[:pairs]).content()
        return not differing(json.loads(json.dumps(beginning)), other)

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

    sprt: Sprt | None = None
    """The sequential test that ends it, where there is one."""
    limits: tuple[Limit, ...] = ()
    """The limit of each player, which tells how much time it was allowed."""
    tally: Tally = field(default_factory=Tally)
    pairs: Pentanomial = field(default_factory=Pentanomial)
    causes: Counter[str] = field(default_factory=Counter)
    """How the games ended."""
    effort: tuple[Effort, Effort] = field(default_factory=lambda: (Effort(), Effort()))
    """What each player spent."""
    verdict: str | None = None
    """What the sequential test decided: H0 or H1."""
    _waiting: dict[int, PlayedGame] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, journal: Journal) -> Standing:
        """What counts of the match that a journal keeps."""
        sprt = journal.plan.get("sprt")
        limits = tuple(Limit(**limit) for limit in journal.plan.get("limits", ()))
        standing = cls(None if sprt is None else Sprt(**sprt), limits)
        for game in journal.games():
            standing.add(game)
        return standing

    def add(self, game: PlayedGame) -> None:
        """Takes a game in. It counts once its partner and every pair before are there and the test is still open."""
        self._waiting[game.number] = game
        while self.verdict is None and all(self.tally.games + i in self._waiting for i in (0, 1)):
            pair = [self._waiting.pop(self.tally.games + i) for i in (0, 1)]
            points = [played.points(0) for played in pair]
            self.tally += Tally.of(points)
            self.pairs += Pentanomial.of([(points[0], points[1])])
            for played in pair:
                self.causes[played.cause] += 1
                for player in (0, 1):
                    limit = self.limits[player] if self.limits else Limit()
                    self.effort[player].add(played.moves_of(player), limit)
            if self.sprt is not None:
                self.verdict = self.sprt.verdict(self.pairs)

    def __str__(self) -> str:
        line = describe(self.tally, self.pairs)
        return line if self.sprt is None else f"{line}; {self.sprt.describe(self.pairs)}"


@dataclass
class Effort:
    """What a player spent on its moves."""

    moves: int = 0
    nodes: int = 0
    seconds: float = 0.0
    depths: int = 0
    """The sum of the depths it reached."""
    seconds_allowed: float | None = None
    """What its limits gave it for these moves; None where they do not limit its time."""

    def add(self, moves: Sequence[PlayedMove], limit: Limit) -> None:
        """Counts the moves of one game, which were made within a limit."""
        for move in moves:
            self.moves += 1
            self.nodes += move.nodes
            self.seconds += move.seconds
            self.depths += move.depth
        if (allowed := seconds_allowed(limit, len(moves))) is not None:
            self.seconds_allowed = (self.seconds_allowed or 0.0) + allowed

    @property
    def time_text(self) -> str:
        """The time used, beside the time allowed if time was limited."""
        if not self.seconds_allowed:
            return f"{self.seconds:.2f} s"
        return f"{self.seconds:.2f} s of {self.seconds_allowed:.2f} s ({self.seconds / self.seconds_allowed:.1%})"


def seconds_allowed(limit: Limit, moves: int) -> float | None:
    """What a limit gives a player for so many moves of one game; None where it does not limit the time."""
    allowed = [] if limit.seconds is None else [moves * limit.seconds]
    if limit.clock is not None and limit.unit == "seconds":
        fillings = 1 + (moves // limit.moves_to_go if limit.moves_to_go else 0)
        allowed.append(fillings * limit.clock + moves * (limit.increment + limit.byoyomi))
    return min(allowed, default=None)


@dataclass(frozen=True, repr=False)
class MatchResult:
    """How a match ended."""

    plan: MatchPlan
    standing: Standing
    seconds: float
    """Wall time of this run."""
    journal: Path | None
    """Where its games are."""
    games_now: int
    """Games that this run has played; those before it were kept."""
    equal_time: MatchResult | None = None
    """The same match with equal time a move, where it was asked for beside equal nodes."""
    games: tuple[PlayedGame, ...] = field(default=(), repr=False)
    """The games that count, by number, if they were to be kept."""

    @property
    def names(self) -> tuple[str, str]:
        """The names of the two players."""
        one, two = self.plan.rules.contestants
        return one.name, two.name

    def __str__(self) -> str:
        line = f"{self.names[0]} against {self.names[1]}: {self.standing}{self._times()}"
        if self.equal_time is None:
            return line
        return f"{line}\nat equal time: {self.equal_time.standing}{self.equal_time._times()}"

    def __repr__(self) -> str:
        return f"{self}\n{verdict(*self.names, self.standing.pairs)}"

    def _repr_html_(self) -> str:
        standing = self.standing
        tally, judged = standing.tally, standing.pairs
        columns = ["", "games", "won", "drawn", "lost", "score", "Elo", "LOS"]
        counts = [str(count) for count in (tally.games, tally.wins, tally.draws, tally.losses)]
        row = [self.names[0], *counts, f"{tally.score:.1%}", str(elo(judged)), f"{superiority(judged):.1%}"]
        return html_table([columns, row], caption=verdict(*self.names, judged))

    def _times(self) -> str:
        """A line about time, where there is a limit of time."""
        efforts = self.standing.effort
        if not any(effort.seconds_allowed for effort in efforts):
            return ""
        return "\ntime used: " + ", ".join(
            f"{name} {effort.time_text}" for name, effort in zip(self.names, efforts, strict=True)
        )

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
            "effort": [asdict(effort) for effort in standing.effort],
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

    The game may be left out where a player is a pilot. A ``Contestant`` gives a pilot a name; without one they are
    called A and B. ``limit`` is of each move, for both players or one for each.
    ``openings`` are a list or a word as ``plypilot match --openings`` takes it. With ``both``, a match at equal time a
    move follows one at equal nodes: the mean time that the moves took. In a ``folder`` the games are kept; with
    ``resume`` a match that was ended goes on there, and one that is complete does where more games are asked for.
    ``keep_games`` keeps them in the result too.
    """
    plan = make_plan(
        a, b, game, games=games, limit=limit, openings=openings, seed=seed, adjudication=adjudication, sprt=sprt
    )
    with workers_for(plan.rules.game, workers) as pool:
        result = run_match(plan, pool, folder=folder, resume=resume, keep_games=keep_games, on_game=on_game)
        if not both:
            return result
        beside = None if folder is None else Path(folder) / "equal-time"
        timed = plan.at_equal_time(result.standing, _kept_seconds(beside) if resume else None)
        return replace(result, equal_time=run_match(timed, pool, folder=beside, resume=resume, on_game=on_game))


def _kept_seconds(folder: Path | None) -> float | None:
    """The time of a move in a match that a folder holds already: it stays, though another mean may have come out."""
    if folder is None or not (folder / JOURNAL_NAME).exists():
        return None
    with Journal.open(folder / JOURNAL_NAME) as journal:
        limits = journal.plan.get("limits")
    return float(limits[0]["seconds"]) if limits else None


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
    name = game or next((player.game for player in (a, b) if isinstance(player, Pilot)), None)
    if name is None:
        raise ValueError("match: name the game, since no player is a pilot that would tell it")
    if isinstance(games, bool) or not isinstance(games, int) or games % 2 or not 2 <= games <= MOST_GAMES:
        raise ValueError(f"match: {games} games, expected an even number from 2 to {MOST_GAMES}: they come in pairs")
    check_seed(seed)
    one, two = name_apart([find_contestant(player, name, letter) for player, letter in ((a, "A"), (b, "B"))])
    for contestant in (one, two):
        contestant.check(name)
    limits = (limit, limit) if isinstance(limit, Limit) else tuple(limit) if isinstance(limit, Sequence) else ()
    if len(limits) != 2 or not all(isinstance(each, Limit) for each in limits):
        raise TypeError(
            f"match: limit is {limit!r}, expected a Limit such as Limit(nodes=2000), or one for each player"
        )
    given = read_openings(openings, name, games // 2, seed) if isinstance(openings, str) else list(openings)
    if not given:
        raise ValueError("match: there are no openings")
    by_pair = tuple(given[pair % len(given)] for pair in range(games // 2))
    return MatchPlan(Rules(name, (one, two), limits, adjudication or usual_adjudication(name)), by_pair, seed, sprt)


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
    standing = Standing(plan.sprt, plan.rules.limits)
    kept: dict[int, PlayedGame] = {}
    with Journal(path, plan.content(), resume=resume, lengthens=plan.lengthens) as journal:
        kept_before = len(journal)
        series = Series(plan.rules, workers, journal)
        playing = series.play(plan.schedule())
        try:
            for played in playing:
                standing.add(played)
                if keep_games:
                    kept[played.number] = played
                if on_game is not None:
                    on_game(standing)
                if standing.verdict is not None:
                    break
        finally:
            playing.close()
            series.close()
        games_now = len(journal) - kept_before
    counted = tuple(kept[number] for number in sorted(kept) if number < standing.tally.games)
    return MatchResult(plan, standing, time.perf_counter() - started, path, games_now, games=counted)
