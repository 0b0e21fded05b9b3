"""Pattern sets whose labels come from a search: the positions of a set that is there, each with the move that a pilot
prefers. So labels of players and labels of an engine can be compared on the same positions (Kocsis 3.4.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from plypilot.compute import Workers, workers_for
from plypilot.data.patterns import SPLITS, Block, PatternSet, PatternSetError, Split, Where
from plypilot.data.patterns.collector import Candidates, Collector, ShardWriter, find_made, making
from plypilot.games import Position
from plypilot.learn.selfplay_set import CACHE_NAME, PARTS_AHEAD
from plypilot.pilot import Pilot
from plypilot.replay import NO_LABEL, move_texts, read_games
from plypilot.searcher import Limit, Searcher

_PART_GAMES = 8
"""Games whose positions are searched as one task."""


class LabelProgress(NamedTuple):
    """How far the making of a set is."""

    positions: int
    agreed: int
    """Positions whose new label is the old one."""


def make_labelled_set(
    out: str | PathLike[str],
    patterns: PatternSet,
    pilot: Pilot,
    limit: Limit,
    *,
    where: Where | None = None,
    positions: Mapping[Split, int | None] | None = None,
    workers: int | Workers = 1,
    on_progress: Callable[[LabelProgress], object] | None = None,
) -> PatternSet:
    """Makes a set of the wanted positions of another one, labelled by searches within a limit, each from empty tables.

    ``positions`` has the most for each split, as ``PatternSet.blocks`` takes them; a split that is not named is taken
    whole. Whoever is ended loses the searches under way: the next call goes on. A set that is there already and was
    made in just this way is given as it is. Raises PatternSetError.
    """
    if pilot.game != patterns.game:
        raise PatternSetError(f"a pilot of {pilot.game} cannot label positions of {patterns.game}")
    out, where, counts = Path(out), where or Where(), dict(positions or {})
    source: dict[str, Any] = {
        "kind": "labelled",
        "set": patterns.digest,
        "pilot": pilot.digest,
        "limit": {name: value for name, value in asdict(limit).items() if value},
        "where": where.content(),
        "positions": counts,
    }
    if (there := find_made(out, patterns.game, source)) is not None:
        return there
    with making(out), workers_for(patterns.game, workers) as pool:
        writer = ShardWriter(out, patterns.game)
        collector = Collector(writer.keep)
        agreed = 0
        with pool.remembering(out / CACHE_NAME):
            for split in SPLITS:
                blocks = patterns.blocks(split, _PART_GAMES, where=where, positions=counts.get(split))
                for block, labels in _search(blocks, pilot, limit, {**source, "split": split}, pool):
                    new = _with_labels(patterns.game, block, labels)
                    agreed += int(np.count_nonzero((new.block.labels == block.labels) & (block.labels != 0)))
                    collector.add(new)
                    if on_progress is not None:
                        on_progress(LabelProgress(collector.positions, agreed))
        made = writer.finish(collector, source, where.content())
        (out / CACHE_NAME).unlink(missing_ok=True)
        return made


class _Game(NamedTuple):
    """A game on its way to a worker, which may number its moves in another way."""

    start: str | None
    moves: list[str]
    labelled: list[bool]
    """Whether each ply is a pattern."""


class _Part(NamedTuple):
    """Some games to be labelled."""

    number: int
    pilot: Pilot
    game: str
    limit: Limit
    games: list[_Game]


def _search(
    blocks: Iterator[Block], pilot: Pilot, limit: Limit, identity: dict[str, Any], workers: Workers
) -> Iterator[tuple[Block, list[str]]]:
    """Blocks with the new labels of each game, as words."""

    def key(part: _Part) -> object:
        return {**identity, "part": part.number}

    game = pilot.game
    number = 0
    while some := list(islice(blocks, PARTS_AHEAD * workers.count)):
        parts = [_Part(number + i, pilot, game, limit, list(_games_of(game, block))) for i, block in enumerate(some)]
        number += len(some)
        yield from zip(some, workers.evaluate(_search_part, parts, key=key), strict=True)


def _games_of(game: str, block: Block) -> Iterator[_Game]:
    for number, start in enumerate(block.starts):
        span = slice(block.offsets[number], block.offsets[number + 1])
        yield _Game(start, move_texts(game, block.moves[span]), (block.labels[span] != 0).tolist())


def _search_part(part: _Part) -> list[str]:
    """Runs in a worker: the labels of each game, as words."""
    searcher = Searcher(part.pilot)
    labels = []
    for start, moves, labelled in part.games:
        position = Position(part.game, start)
        words = []
        for move, is_pattern in zip(moves, labelled, strict=True):
            if is_pattern:
                searcher.clear()
                words.append(str(searcher.search(position, part.limit).move))
            else:
                words.append(NO_LABEL)
            position.push(move)
        labels.append(" ".join(words))
    return labels


def _with_labels(game: str, block: Block, labels: list[str]) -> Candidates:
    """A block with other labels, for a collector."""
    words = [" ".join(played.moves) for played in _games_of(game, block)]
    read = read_games(game, block.starts, words, labels)
    if fault := next(filter(None, read.refused), None):
        raise PatternSetError(f"a label is not legal by the rules of {game}: {fault[1]}")
    return Candidates(replace(block, labels=read.labels), read.keys, read.boards)
