"""A block of labelled games as arrays: what shards hold and what learners compile their cases from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

RESULTS = ("", "1-0", "0-1", "1/2-1/2")
"""Results as shards number them, 1-0 for the player who moves first; empty is unknown."""
BY_PLY = ("moves", "labels", "phases")
BY_GAME = ("openings", "results", "ratings", "hashes")


@dataclass(frozen=True, eq=False)
class Block:
    """Some games. The plies of game i are ``offsets[i]`` to ``offsets[i + 1]``."""

    offsets: NDArray[np.int64]
    """(games + 1,)"""
    moves: NDArray[np.uint16]
    """(plies,) The bits of each move, as the core of this process has them."""
    labels: NDArray[np.uint16]
    """(plies,) The bits of the move called best in the position before the ply; 0: this ply is no pattern."""
    phases: NDArray[np.uint8]
    """(plies,) 0 opening, 1 middle game, 2 endgame."""
    openings: NDArray[np.uint16]
    """(games,) The ECO code as a number, A00 1 and E99 500; 0 where it is not known."""
    results: NDArray[np.uint8]
    """(games,) The place of the result in RESULTS."""
    ratings: NDArray[np.uint16]
    """(games, 2) Of the first and the second player; 0 where it is not known."""
    hashes: NDArray[np.uint64]
    """(games,) Of the start and the moves: the same wherever and from whatever file the game is read."""
    starts: list[str | None]
    """Position string of each start, None for the usual one."""

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(games,) Plies of each game."""
        return np.diff(self.offsets)

    @property
    def positions(self) -> int:
        """How many patterns there are."""
        return int(np.count_nonzero(self.labels))

    def by_ply(self, of_games: NDArray[Any]) -> NDArray[Any]:
        """What is known of each game, for each of its plies."""
        return np.repeat(of_games, self.lengths)

    def plies(self) -> NDArray[np.int64]:
        """(plies,) The number of each ply in its game, from 0."""
        numbers: NDArray[np.int64] = np.arange(len(self.moves)) - self.by_ply(self.offsets[:-1])
        return numbers

    def patterns_by_game(self) -> NDArray[np.int64]:
        """(games,) How many patterns each game has."""
        sums = np.concatenate(([0], np.cumsum(self.labels != 0)))
        counts: NDArray[np.int64] = sums[self.offsets[1:]] - sums[self.offsets[:-1]]
        return counts

    def with_labels(self, wanted: NDArray[np.bool_]) -> Block:
        """The games that keep a pattern where only those of the wanted plies stay.

        What follows a game's last pattern is left out, as nobody needs to replay it.
        """
        labels = np.where(wanted, self.labels, 0).astype(np.uint16)
        last = np.zeros(len(self), np.int64)
        labelled = np.flatnonzero(labels)
        np.maximum.at(last, self.by_ply(np.arange(len(self)))[labelled], self.plies()[labelled] + 1)
        kept = np.flatnonzero(last)
        inside = self.plies() < self.by_ply(last)
        return Block(
            offsets=np.concatenate(([0], np.cumsum(last[kept]))),
            labels=labels[inside],
            **{name: getattr(self, name)[inside] for name in BY_PLY if name != "labels"},
            **{name: getattr(self, name)[kept] for name in BY_GAME},
            starts=[self.starts[number] for number in kept],
        )

    def with_games(self, wanted: NDArray[np.bool_]) -> Block:
        """The wanted games with all their plies."""
        inside = self.by_ply(wanted)
        return Block(
            offsets=np.concatenate(([0], np.cumsum(self.lengths[wanted]))),
            **{name: getattr(self, name)[inside] for name in BY_PLY},
            **{name: getattr(self, name)[wanted] for name in BY_GAME},
            starts=[start for start, is_wanted in zip(self.starts, wanted, strict=True) if is_wanted],
        )

    def games(self, first: int, last: int) -> Block:
        """The games from one number up to another."""
        begin, end = self.offsets[first], self.offsets[last]
        return Block(
            offsets=self.offsets[first : last + 1] - begin,
            **{name: getattr(self, name)[begin:end] for name in BY_PLY},
            **{name: getattr(self, name)[first:last] for name in BY_GAME},
            starts=self.starts[first:last],
        )


def join(blocks: Sequence[Block]) -> Block:
    """The games of several blocks in one. There must be at least one block."""
    if len(blocks) == 1:
        return blocks[0]
    lengths = np.concatenate([block.lengths for block in blocks])
    return Block(
        offsets=np.concatenate(([0], np.cumsum(lengths))),
        **{name: np.concatenate([getattr(block, name) for block in blocks]) for name in BY_PLY + BY_GAME},
        starts=[start for block in blocks for start in block.starts],
    )


assert {field.name for field in fields(Block)} == {"offsets", "starts", *BY_PLY, *BY_GAME}
