"""What there is in a pattern set, or in some of it: counts, openings, a few positions with their moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from plypilot.data.patterns.block import Block
from plypilot.data.patterns.filters import CODES, Where, code_text
from plypilot.data.patterns.pattern_set import SPLITS, PatternSet
from plypilot.data.patterns.phases import PHASES
from plypilot.games import Position
from plypilot.replay import move_texts


@dataclass(frozen=True)
class Sample:
    """A position of a set."""

    position: Position
    ply: int
    """How many moves were made before it."""
    label: str
    """The move called best, in the short notation of the game."""
    opening: str
    """ECO code of its game, empty where it is not known."""


@dataclass(frozen=True)
class OpeningCount:
    """How much of a set is of one opening."""

    code: str
    games: int
    positions: int


@dataclass(frozen=True)
class Overview:
    """Figures of a set."""

    counts: dict[str, dict[str, int]]
    """By split: games, positions, and positions by phase."""
    openings: list[OpeningCount]
    """Those that are known, the most common first."""
    samples: list[Sample]


def overview_of(patterns: PatternSet, where: Where | None = None, samples: int = 0) -> Overview:
    """Looks through all of a set, or through what is wanted of it. Samples are of the test split, if it has any."""
    counts: dict[str, dict[str, int]] = {}
    by_code = np.zeros((2, CODES + 1), np.int64)
    for split in SPLITS:
        count = dict.fromkeys(("games", "positions", *PHASES), 0)
        for block in patterns.blocks(split, where=where):
            count["games"] += len(block)
            count["positions"] += block.positions
            for number, phase in enumerate(PHASES):
                count[phase] += int(np.count_nonzero(block.labels[block.phases == number]))
            by_code[0] += np.bincount(block.openings, minlength=CODES + 1)
            by_code[1] += np.bincount(block.openings, block.patterns_by_game(), CODES + 1).astype(np.int64)
        counts[split] = count
    known = [number for number in np.argsort(-by_code[1], kind="stable") if number and by_code[0, number]]
    openings = [OpeningCount(code_text(int(i)), int(by_code[0, i]), int(by_code[1, i])) for i in known]
    drawn: list[Sample] = []
    for split in reversed(SPLITS):
        if not drawn:
            for block in patterns.blocks(split, where=where, positions=samples):
                drawn += samples_of(patterns.game, block)
    return Overview(counts, openings, drawn)


def samples_of(game: str, block: Block) -> Iterator[Sample]:
    """Every pattern of a block as a position, one at a time: for looking at, not for learning."""
    for number in range(len(block)):
        span = slice(block.offsets[number], block.offsets[number + 1])
        position = Position(game, block.starts[number])
        opening = code_text(int(block.openings[number]))
        labelled = block.labels[span] != 0
        labels = iter(move_texts(game, block.labels[span][labelled]))
        for ply, (text, is_pattern) in enumerate(zip(move_texts(game, block.moves[span]), labelled, strict=True)):
            if is_pattern:
                label = position.san(position.parse(next(labels)))
                yield Sample(position.copy(), ply, label, opening)
            position.push(text)


def content_of(patterns: PatternSet, overview: Overview) -> dict[str, Any]:
    """A set and its figures as plain JSON."""
    description = patterns.description
    return {
        "game": description.game,
        "digest": patterns.digest,
        "source": description.source,
        "filters": description.filters,
        "read": description.read,
        "counts": overview.counts,
        "openings": [vars(opening) for opening in overview.openings],
        "skipped": description.skipped,
        "examples": description.examples,
        "left_out": description.left_out,
        "shards": len(description.shards),
        "samples": [
            {"fen": sample.position.fen(), "ply": sample.ply, "label": sample.label, "opening": sample.opening}
            for sample in overview.samples
        ],
    }
