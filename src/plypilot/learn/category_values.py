"""What a category is worth: how a search that extends on it does on the positions of a suite, or in games.

A value comes with all that is told of a category (Skowronski 3.7): which positions were solved, how deep the search
went, and how often moves of the category were searched.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Literal, NamedTuple, Self

from plypilot.compute import Workers, task_seed
from plypilot.data.epd import EpdPosition
from plypilot.learn.gradual_focus import Combination, Union
from plypilot.learn.judging_games import play_pairs
from plypilot.pilot import Pilot
from plypilot.play.ratings import Pentanomial
from plypilot.searcher import Limit
from plypilot.settings import Category
from plypilot.suite import solve

Categories = tuple[Category, ...]
Kind = Literal["solved", "nodes", "match"]
"""What a value counts: positions solved; the same, each by how few nodes it took; or points in games."""

_PART = 25
"""Positions that are searched as one task."""
_STREAM = int.from_bytes(b"values", "little")


@dataclass(frozen=True)
class Suite:
    """Positions with the moves that solve them, as plain data."""

    game: str
    positions: tuple[tuple[str, tuple[str, ...], tuple[str, ...], str, str], ...]
    """Position string, best moves, moves to avoid, name, and why the move is best: ``win``, ``gain`` or empty."""

    @classmethod
    def of(cls, game: str, items: Sequence[EpdPosition]) -> Self:
        """The positions of a suite's file."""
        return cls(
            game,
            tuple(
                (item.fen, tuple(item.best), tuple(item.avoid), item.id, " ".join(item.operations.get("kind", ())))
                for item in items
            ),
        )

    @classmethod
    def read(cls, game: str, content: Sequence[Any]) -> Self:
        """From the data of a state."""
        return cls(
            game, tuple((fen, tuple(best), tuple(avoid), name, kind) for fen, best, avoid, name, kind in content)
        )

    def content(self) -> list[Any]:
        """As plain data."""
        return [[fen, list(best), list(avoid), name, kind] for fen, best, avoid, name, kind in self.positions]

    def __len__(self) -> int:
        return len(self.positions)

    def item(self, number: int) -> EpdPosition:
        """One of its positions."""
        fen, best, avoid, name, kind = self.positions[number]
        operations = {"kind": (kind,)} if kind else {}
        return EpdPosition(number + 1, fen, best, avoid, name, operations=operations, game=self.game)

    def part(self, numbers: range) -> Suite:
        """Some of its positions."""
        return Suite(self.game, self.positions[numbers.start : numbers.stop])

    def digest(self) -> str:
        """Equal for equal suites."""
        return hashlib.sha256(json.dumps([self.game, self.content()]).encode()).hexdigest()


class Look(NamedTuple):
    """How one position was searched."""

    effort: int
    """Nodes up to the iteration that found the solution for good; 0: it was not found."""
    depth: int
    """The last completed iteration."""
    height: int
    """Plies of the longest line."""
    moves: int
    """Moves searched."""
    extended: int
    """Of these: those whose cost the category set."""


@dataclass(frozen=True)
class Measured:
    """All that is known of a category."""

    value: float
    """The higher the better."""
    solved: tuple[int, ...]
    """The positions that were solved, by number."""
    depth: float
    """Mean of the last completed iterations."""
    height: float
    """Mean of the longest lines."""
    frequency: float
    """The part of all moves searched whose cost the category set."""
    pairs: tuple[int, ...] = ()
    """Pairs of games by its points, where it played."""

    def content(self) -> list[Any]:
        """As plain data."""
        return [self.value, list(self.solved), self.depth, self.height, self.frequency, list(self.pairs)]

    @classmethod
    def read(cls, content: Sequence[Any]) -> Self:
        """From the data of a state."""
        value, solved, depth, height, frequency, pairs = content
        return cls(value, tuple(solved), depth, height, frequency, tuple(pairs))


class GameRules(NamedTuple):
    """How a category plays the neutral one, where its value is that of games."""

    games: int
    nodes: int
    opening_plies: int
    most_plies: int


_USUAL_GAMES = GameRules(100, 1000, 6, 400)


@dataclass(frozen=True)
class Judge:
    """Values categories: each alone is added to those that a pilot has."""

    pilot: Pilot
    suite: Suite
    nodes: int
    """Of the search of each position."""
    kind: Kind = "solved"
    games: GameRules = _USUAL_GAMES
    seed: int = 0
    needs_win: bool = False
    """Where a forced win makes a move best, the search must have seen the win; a guess does not count."""

    def measure(self, wanted: Sequence[Categories], workers: Workers) -> list[Measured]:
        """What categories are worth that are added together, in their order."""
        pilots = [extend(self.pilot, categories) for categories in wanted]
        counts = [len(categories) for categories in wanted]
        looks = look_at(pilots, self.suite, self.nodes, self.seed, workers, counts, needs_win=self.needs_win)
        is_played = self.kind == "match"
        return [
            self._judge(own, self._play(pilot, workers) if is_played else ())
            for pilot, own in zip(pilots, looks, strict=True)
        ]

    def measure_alone(self, categories: Categories) -> Measured:
        """What categories are worth on the suite, on this thread and without a cache."""
        pilot = extend(self.pilot, categories)
        part = _Part(pilot, self.suite, self.nodes, self.seed, len(categories), self.needs_win)
        return self._judge([Look(*look) for look in _look(part)], ())

    def _play(self, pilot: Pilot, workers: Workers) -> tuple[int, ...]:
        """Games of a pilot against the one that it came from, several at once."""
        if pilot == self.pilot:
            return ()
        rules = self.games
        key = ["match", pilot.digest, self.pilot.digest, list(rules), self.seed]
        if key not in workers.cache:
            pairs = play_pairs(
                pilot,
                self.pilot,
                games=rules.games,
                nodes=rules.nodes,
                seed=task_seed(self.seed, _STREAM),
                opening_plies=rules.opening_plies,
                most_plies=rules.most_plies,
                workers=workers,
            )
            workers.cache.add(key, list(pairs.counts))
        return tuple(workers.cache.find(key))

    def _judge(self, looks: Sequence[Look], pairs: tuple[int, ...]) -> Measured:
        count = max(len(looks), 1)
        moves = sum(look.moves for look in looks)
        solved = tuple(number for number, look in enumerate(looks) if look.effort)
        if self.kind == "match":
            value = 100 * Pentanomial(*pairs).score if pairs else 50.0
        elif self.kind == "nodes":
            value = sum(1 - log(look.effort) / log(max(self.nodes, 2)) for look in looks if look.effort)
        else:
            value = float(len(solved))
        return Measured(
            round(value, 6),
            solved,
            round(sum(look.depth for look in looks) / count, 4),
            round(sum(look.height for look in looks) / count, 4),
            round(sum(look.extended for look in looks) / max(moves, 1), 6),
            pairs,
        )


def extend(pilot: Pilot, categories: Categories) -> Pilot:
    """A pilot with more categories. They stand first, so that they count where the first one does."""
    if not categories:
        return pilot
    return pilot.replace({"depth.categories": (*categories, *pilot.depth.categories)})


def categories_of(union: Union, plies: float) -> Categories:
    """What makes a search extend on moves of a union: they cost so many plies. The neutral one extends nothing."""
    return tuple(Category(combination, plies) for combination in union if combination)


def plain_engine(pilot: Pilot) -> Pilot:
    """The search of the seed (Skowronski A.4) with a pilot's evaluation: alpha-beta and deepening, the best move of the
    last iteration first at the root, the others shuffled; no table, history, reductions, pruning or quiescence search.
    """
    made = Pilot(game=pilot.game, evaluation=pilot.evaluation)
    return made.replace({"ordering.shuffle": True})


def look_at(
    pilots: Sequence[Pilot],
    suite: Suite,
    nodes: int,
    seed: int,
    workers: Workers,
    added: Sequence[int] = (),
    *,
    needs_win: bool = False,
) -> list[list[Look]]:
    """How pilots search the positions of a suite. Of the categories of each, so many at the front are watched.

    With ``needs_win`` a move that is best because it wins by force counts once the search has seen the win.
    """
    spans = [range(first, min(first + _PART, len(suite))) for first in range(0, len(suite), _PART)]
    tasks = [
        _Part(pilot, suite.part(span), nodes, seed, added[number] if added else 0, needs_win)
        for number, pilot in enumerate(pilots)
        for span in spans
    ]
    parts = iter(workers.evaluate(_look, tasks, key=_Part.key))
    return [[Look(*look) for _ in spans for look in next(parts)] for _ in pilots]


class _Part(NamedTuple):
    """Some positions that a pilot is to search."""

    pilot: Pilot
    suite: Suite
    nodes: int
    seed: int
    added: int
    needs_win: bool

    def key(self) -> object:
        suite = self.suite.digest()
        return ["look", self.pilot.digest, suite, self.nodes, self.seed, self.added, self.needs_win]


def _look(part: _Part) -> list[list[int]]:
    """Runs in a worker."""
    items = [part.suite.item(number) for number in range(len(part.suite))]
    looks = []
    limit = Limit(nodes=part.nodes)
    for solution in solve(part.pilot, items, limit, needs_win=part.needs_win, seed=part.seed, statistics="moves"):
        result = solution.result
        counted = result.statistics
        assert counted is not None
        moves = int(counted.category_moves.sum())
        extended = int(counted.category_moves[: part.added].sum())
        look = Look(solution.effort or 0, result.depth, int(counted.deepest), moves, extended)
        looks.append(list(look))
    return looks


def combination_of(text: str) -> Combination:
    """Features written with hyphens between, such as ``Ud-RdTt``.

    >>> combination_of("Ud-RdTt")
    ('Ud', 'RdTt')
    """
    return tuple(name for name in text.split("-") if name)


def union_text(union: Union) -> str:
    """A union as it is written: features with hyphens, combinations with ``or`` between; ``neutral`` for nothing.

    >>> union_text((("Ud", "RdTt"), ("Rc",))), union_text(((),))
    ('Ud-RdTt or Rc', 'neutral')
    """
    return " or ".join("-".join(combination) or "neutral" for combination in union) or "neutral"
