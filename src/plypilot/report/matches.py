"""What the matches of a run say: the verdict in a sentence, how the score came about, a table, and a sample game."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from plypilot.data.record import PlayedGame
from plypilot.games import IllegalMove, Position, UnknownGame
from plypilot.play.journal import JOURNAL_NAME, Journal, JournalError
from plypilot.play.match import Standing
from plypilot.play.ratings import Pentanomial, elo, superiority, verdict
from plypilot.sections import Block, Lines, Note, Section, Steps, Table

_POINTS = 100
"""Places along a match at which its score is drawn."""
_LONGEST_SAMPLE = 200
"""Plies of the sample game that are shown."""


@dataclass(frozen=True)
class KeptMatch:
    """A match as its folder keeps it."""

    where: str
    """Its folder, as seen from that of the run."""
    players: tuple[str, str]
    limit: str
    planned: int
    """How many games it may have."""
    standing: Standing
    growth: Sequence[tuple[int, float, float, float]]
    """Games, score, and the bounds of the score, at some places along the match."""
    sample: PlayedGame
    """Its first game."""

    def sentence(self) -> str:
        """Who is better, by how much and how sure that is; and whether it still goes on."""
        text = verdict(*self.players, self.standing.pairs)
        games = self.standing.tally.games
        is_open = self.standing.verdict is None and games < self.planned
        return f"{text} So far: {games} of {self.planned} games are played." if is_open else text


def read_matches(folder: Path) -> Iterator[KeptMatch]:
    """The matches in the folder of a run and below, also those that are being played."""
    for path in sorted(folder.rglob(JOURNAL_NAME)):
        # A journal that is damaged, or not begun, is no reason to have no report.
        with contextlib.suppress(JournalError), Journal.open(path) as journal:
            if journal.plan.get("kind") != "match" or not (games := list(journal.games())):
                continue
            standing = Standing.of(journal)
            if standing.tally.games:
                one, two = (_short(str(player["name"])) for player in journal.plan["players"])
                limits = journal.plan["limits"][0].items()
                limit = ", ".join(f"{key} {value:g}" for key, value in limits if _is_number(value) and value)
                where, planned = str(path.parent.relative_to(folder)), 2 * int(journal.plan["pairs"])
                growth = _growth(games[: standing.tally.games])
                yield KeptMatch(where, (one, two), limit, planned, standing, growth, games[0])


def verdict_section(matches: Sequence[KeptMatch], checked: str) -> Section:
    """What came out, in sentences: first the matches, then what the run found out by itself."""
    return Section("Verdict", [*(match.sentence() for match in matches), checked])


def matches_section(matches: Sequence[KeptMatch]) -> Section:
    """How the matches went."""
    if not matches:
        return Section("Matches", [])
    blocks: list[Block] = []
    for match in matches:
        if len(match.growth) > 1:
            games, score, low, high = np.asarray(match.growth).T
            title = f"{match.players[0]} against {match.players[1]}, {match.limit} a move"
            lines = {"score": score, "upper bound": high, "lower bound": low, "even": np.full(len(games), 0.5)}
            caption = (
                f"{title}: points a game so far, with 95% bounds. Where both lie on one side of a half, it is decided."
            )
            blocks.append(Lines(games, lines, "games", "score", caption, 2.6))
    columns = ("folder", "match", "limit of a move", "won", "drawn", "lost", "score", "Elo, 95%", "superior")
    blocks.append(Table(columns, [_row(match) for match in matches], words=3))
    blocks += _sample(matches[0])
    return Section("Matches", blocks)


def _row(match: KeptMatch) -> tuple[str, ...]:
    tally, pairs = match.standing.tally, match.standing.pairs
    counts = (str(count) for count in (tally.wins, tally.draws, tally.losses))
    figures = (f"{tally.score:.1%}", str(elo(pairs)), f"{superiority(pairs):.1%}")
    return (match.where, f"{match.players[0]} against {match.players[1]}", match.limit, *counts, *figures)


def _growth(games: Sequence[PlayedGame]) -> list[tuple[int, float, float, float]]:
    """Games, score of the first player and its bounds, at some places along a match."""
    pairs, counted = Pentanomial(), len(games) // 2
    places = {round(place) for place in np.linspace(1, max(counted, 1), _POINTS)}
    growth = []
    for number in range(counted):
        pairs += Pentanomial.of([(games[2 * number].points(0), games[2 * number + 1].points(0))])
        if number + 1 in places:
            estimate = elo(pairs)
            low, high = (1 / (1 + 10 ** (-bound / 400)) for bound in (estimate.low, estimate.high))
            growth.append((2 * (number + 1), pairs.score, low, high))
    return growth


def _sample(match: KeptMatch) -> list[Block]:
    """The first game of a match, each move with the board behind it; nothing where its game is not at hand."""
    game = match.sample
    first, second = map(_short, game.players)
    steps: list[tuple[str, str]] = []
    try:
        position = Position(game.game, game.start)
        for ply, text in enumerate(game.texts[:_LONGEST_SAMPLE], 1):
            move = position.parse(text)
            short = position.san(move)
            position.push(move)
            steps.append((f"{ply}. {short}", position.draw()))
    except (UnknownGame, IllegalMove, ValueError):
        return []
    told = f"The first game of {match.where}: {first} moves first against {second}. A click on a move shows the board."
    return [Note(told), Steps(steps)]


def _short(player: str) -> str:
    """A player's name; of a pilot's file without the folders, which say nothing on a page that may be anywhere."""
    file, semicolon, settings = player.partition(";")
    return Path(file).name + semicolon + settings if file.endswith(".pilot") else player


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
