"""Whether a search is right in what it leaves out: a sample of the moves that it skips is searched after all.

A skipped move was wrong to skip where a search to the same depth that skips nothing finds it better than what its
position came to without it. Worse still is a forced win that such a search sees from the root and the pilot does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any, NamedTuple, Self

from plypilot.compute import Workers, task_seed
from plypilot.games import Position, game_info
from plypilot.pilot import Pilot
from plypilot.score import LEAST_WIN, PAWN, score_text
from plypilot.searcher import Limit, Result, Searcher
from plypilot.settings import Pruning

_BANDS = ((1, 2), (3, 5), (6, 10), (11, 20), (21, 40), (41, 1 << 30))
"""Ranks of skipped moves that are counted together."""
_ALARMING = 0.03
"""More than this part of skips wrong is an alarm, where that is certain, by three standard errors. What baselines skip
is wrong in one or two of a hundred cases."""
_LIFT = 2.0
"""A category is named where it is so many times as frequent among wrong skips as among all moves."""
_ALL, _MOST = 0.95, 0.6
"""Parts of the wrong skips that a category accounts for: the first is enough, the second where nothing reaches it."""
AUDIT_SAMPLE = 2
"""Of each reason and depth, where an audit is made on the way."""
_MOST_LOSS = 1000
"""Hundredths of a pawn that one mistake counts for at most, so that a win does not outweigh all else."""


class Finding(NamedTuple):
    """A skipped move that was searched after all."""

    position: str
    """The position string of where it was skipped."""
    move: str
    why: str
    depth: float
    """Plies left."""
    rank: int
    """From 1: which move of its position it was."""
    features: int
    """Its atomic move features, as bits."""
    score: int
    """Hundredths of a pawn that its position came to without it, for the side to move."""
    worth: int
    """The same with it, by a search that skips nothing."""

    @property
    def is_wrong(self) -> bool:
        """Whether it would have changed what its position came to."""
        return self.worth > self.score

    @property
    def loss(self) -> int:
        """By how much."""
        return min(max(self.worth - self.score, 0), _MOST_LOSS)


class Missed(NamedTuple):
    """A forced win that a search to the same depth sees, if it skips nothing."""

    position: str
    depth: int
    move: str
    """That wins."""
    score: str
    chosen: str
    """What the pilot plays instead."""
    chosen_score: str


class Row(NamedTuple):
    """Findings counted together."""

    name: str
    skipped: int
    """Moves that were skipped in all; 0 where that was not counted."""
    searched: int
    """Of these: searched after all."""
    wrong: int
    loss: float
    """Hundredths of a pawn, the mean over those that were wrong."""

    @property
    def share(self) -> float:
        """How often it was wrong."""
        return self.wrong / max(self.searched, 1)

    @property
    def is_alarming(self) -> bool:
        """Whether it was wrong too often for certain, by the score interval of Wilson."""
        count, square = max(self.searched, 1), 9.0
        spread = sqrt(self.share * (1 - self.share) / count + square / (4 * count**2))
        return (self.share + square / (2 * count) - 3 * spread) / (1 + square / count) > _ALARMING


class Alarm(NamedTuple):
    """What was skipped wrongly too often."""

    why: str
    plies: int
    """Left, rounded up."""
    category: str
    """The feature of moves that tells wrong skips from all moves best; empty where none does."""
    row: Row
    """The skips of this reason, depth and category."""


@dataclass(frozen=True)
class Audit:
    """What was found."""

    pilot: Pilot
    positions: int
    depth: int
    nodes: int
    """Of the pilot's own searches."""
    skipped: dict[tuple[str, int], int]
    """Moves by reason and by plies left, rounded up."""
    findings: tuple[Finding, ...]
    missed: tuple[Missed, ...]
    moves: int = 0
    """Searched to the same depth by searches that skip nothing."""
    features: tuple[int, ...] = ()
    """Of these, how many had each atomic feature."""

    def content(self) -> dict[str, Any]:
        """As plain data, but for the pilot."""
        return {
            "positions": self.positions,
            "depth": self.depth,
            "nodes": self.nodes,
            "skipped": [[why, plies, count] for (why, plies), count in self.skipped.items()],
            "findings": [list(own) for own in self.findings],
            "missed": [list(own) for own in self.missed],
            "moves": self.moves,
            "features": list(self.features),
        }

    @classmethod
    def read(cls, pilot: Pilot, content: Mapping[str, Any]) -> Self:
        """From plain data."""
        return cls(
            pilot,
            int(content["positions"]),
            int(content["depth"]),
            int(content["nodes"]),
            {(why, plies): count for why, plies, count in content["skipped"]},
            tuple(Finding(*own) for own in content["findings"]),
            tuple(Missed(*own) for own in content["missed"]),
            int(content["moves"]),
            tuple(content["features"]),
        )

    @property
    def worst(self) -> list[Finding]:
        """What was wrong, the greatest loss first; the more depth was left, the worse."""
        wrong = [own for own in self.findings if own.is_wrong]
        return sorted(wrong, key=lambda own: (-own.loss, -own.depth, own.position))

    def by_reason_and_depth(self) -> list[Row]:
        """One row for each reason and depth."""
        rows = []
        for why, plies in sorted(self.skipped):
            found = [own for own in self.findings if own.why == why and ceil(own.depth) == plies]
            rows.append(_row(f"{why}, {plies} plies left", found, self.skipped[why, plies]))
        return rows

    def by_rank(self) -> list[Row]:
        """One row for each band of ranks."""
        rows = []
        for first, last in _BANDS:
            found = [own for own in self.findings if first <= own.rank <= last]
            name = f"{first} to {last}" if last < _BANDS[-1][1] else f"{first} and later"
            rows.append(_row(f"move {name}", found))
        return [row for row in rows if row.searched]

    def by_feature(self) -> list[Row]:
        """One row for each atomic feature of moves, the most often wrong first."""
        rows = [
            _row(feature.name, [own for own in self.findings if own.features >> bit & 1])
            for bit, feature in enumerate(game_info(self.pilot.game).move_features)
        ]
        return sorted((row for row in rows if row.searched), key=lambda row: (-row.share, row.name))

    def by_feature_and_depth(self) -> list[Row]:
        """Where a feature of moves was wrong at a depth, the most often wrong first."""
        rows = []
        for bit, feature in enumerate(game_info(self.pilot.game).move_features):
            own = [finding for finding in self.findings if finding.features >> bit & 1]
            for plies in sorted({ceil(finding.depth) for finding in own}):
                some = [finding for finding in own if ceil(finding.depth) == plies]
                rows.append(_row(f"{feature.name}, {plies} plies left", some))
        return sorted((row for row in rows if row.wrong), key=lambda row: (-row.share, -row.searched, row.name))

    def alarms(self) -> list[Alarm]:
        """Where what was skipped was wrong too often for certain, the most wrong first: for each reason and
        depth the category of moves that accounts for it.
        """
        alarms = []
        for why, plies in sorted(self.skipped):
            found = [own for own in self.findings if own.why == why and ceil(own.depth) == plies]
            bit = self._accounts_for([own for own in found if own.is_wrong])
            name = "" if bit is None else game_info(self.pilot.game).move_features[bit].name
            some = found if bit is None else [own for own in found if own.features >> bit & 1]
            row = _row(f"{name or 'any move'}, {why}, {plies} plies left", some)
            if row.is_alarming:
                alarms.append(Alarm(why, plies, name, row))
        return sorted(alarms, key=lambda alarm: -alarm.row.share)

    def _accounts_for(self, wrong: Sequence[Finding]) -> int | None:
        """The feature that all wrong skips have, or most of them, and few other moves: of several the rarest one."""
        lifts: dict[float, list[tuple[float, int]]] = {_ALL: [], _MOST: []}
        for bit, count in enumerate(self.features):
            among_wrong = sum(own.features >> bit & 1 for own in wrong) / max(len(wrong), 1)
            lift = among_wrong * (self.moves + 2) / (count + 1)
            for least, listed in lifts.items():
                if among_wrong >= least and lift >= _LIFT:
                    listed.append((lift, -bit))
        listed = lifts[_ALL] or lifts[_MOST]
        return -max(listed)[1] if listed else None

    def overall(self) -> Row:
        """All together, each reason and depth by how often it occurs."""
        return _row("all", self.findings, sum(self.skipped.values()))


class _Task(NamedTuple):
    """One position to search."""

    pilot: Pilot
    position: str
    limit: Limit
    sample: int
    seed: int


def audit(
    pilot: Pilot,
    positions: Sequence[str],
    limit: Limit,
    *,
    sample: int = 4,
    seed: int = 0,
    workers: Workers,
    tell: Callable[[int], object] | None = None,
) -> Audit:
    """Searches positions as a pilot does, and a sample of what it skips: so many moves of each reason and depth.

    ``tell`` hears of each position that is done.
    """
    tasks = [
        _Task(pilot, position, limit, sample, task_seed(seed, number)) for number, position in enumerate(positions)
    ]
    skipped: dict[tuple[str, int], int] = {}
    findings: list[Finding] = []
    missed: list[Missed] = []
    nodes = deepest = moves = 0
    features = [0] * len(game_info(pilot.game).move_features)
    for number, look in enumerate(workers.map(_look, tasks), 1):
        nodes, deepest, moves = nodes + look.nodes, max(deepest, look.depth), moves + look.moves
        features = [one + other for one, other in zip(features, look.features, strict=True)]
        for key, count in look.skipped.items():
            skipped[key] = skipped.get(key, 0) + count
        findings += look.findings
        missed += look.missed
        if tell is not None:
            tell(number)
    return Audit(pilot, len(positions), deepest, nodes, skipped, tuple(findings), tuple(missed), moves, tuple(features))


def without_pruning(pilot: Pilot) -> Pilot:
    """The same pilot where it skips no move and no position."""
    return pilot.model_copy(update={"pruning": Pruning()})


class _Look(NamedTuple):
    """What one position told."""

    nodes: int
    depth: int
    skipped: dict[tuple[str, int], int]
    findings: list[Finding]
    missed: list[Missed]
    moves: int
    features: tuple[int, ...]


def _look(task: _Task) -> _Look:
    """One position. Runs in a worker."""
    root = Position(task.pilot.game, task.position)
    result, counts, skips = Searcher(task.pilot).sample_skips(root, task.limit, most=task.sample, seed=task.seed)
    wide = Searcher(without_pruning(task.pilot))
    findings = []
    for skip in skips:
        position = root.copy()
        for move in skip.line:
            position.push(move)
        wide.clear()
        found = wide.search(position, Limit(depth=max(ceil(skip.depth), 1)), moves=[skip.move])
        score = max(skip.score, skip.alpha)
        findings.append(
            Finding(
                position.fen(),
                str(skip.move),
                skip.why,
                skip.depth,
                skip.rank + 1,
                position.move_features(skip.move),
                _hundredths(task.pilot, score),
                _hundredths(task.pilot, found.score),
            )
        )
    wide.clear()
    full = wide.search(root, Limit(depth=max(result.depth, 1)), statistics="moves")
    assert full.statistics is not None
    features = tuple(full.statistics.features[: len(game_info(task.pilot.game).move_features)])
    missed = list(_missed(root, result, full))
    return _Look(result.nodes.all, result.depth, counts, findings, missed, full.statistics.moves, features)


def _missed(root: Position, result: Result, found: Result) -> Iterable[Missed]:
    """``found`` is what a search to the same depth tells that skips nothing."""
    if result.move is None or result.depth < 1 or result.score >= LEAST_WIN:
        return
    if found.move is not None and found.score >= LEAST_WIN:
        yield Missed(
            root.fen(),
            result.depth,
            str(found.move),
            score_text(found.score),
            str(result.move),
            score_text(result.score),
        )


def _hundredths(pilot: Pilot, score: int) -> int:
    """Of a pawn. One win is as good as another, however far it is."""
    if abs(score) >= LEAST_WIN:
        return LEAST_WIN if score > 0 else -LEAST_WIN
    return round(score * PAWN / pilot.evaluation.pawn)


def _row(name: str, findings: Iterable[Finding], skipped: int = 0) -> Row:
    listed = list(findings)
    wrong = [own.loss for own in listed if own.is_wrong]
    return Row(name, skipped, len(listed), len(wrong), sum(wrong) / max(len(wrong), 1))
