"""Cases to learn the order of moves from: positions of labelled games as sparse inputs, and their moves as keys.

Games are small and are held; cases are about seventy times as large, so that those of large sets are made anew for each
epoch, block by block, which costs less than learning from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plypilot import _core
from plypilot.compute import Workers

BLOCK_POSITIONS = 32_768
"""Cases of a block, about: what is made and learned from at a time, whatever the number of workers."""
MOST_KEPT_BYTES = 1 << 30
"""Memory for cases that are kept from epoch to epoch."""


class LabelledGames(Protocol):
    """Games as a block of a pattern set has them. The plies of game i are ``offsets[i]`` to ``offsets[i + 1]``."""

    @property
    def starts(self) -> Sequence[str | None]:
        """The position string of each start, None for the usual one."""

    @property
    def offsets(self) -> NDArray[np.int64]:
        """(games + 1,)"""

    @property
    def moves(self) -> NDArray[np.uint16]:
        """(plies,) The bits of each move."""

    @property
    def labels(self) -> NDArray[np.uint16]:
        """(plies,) The bits of the best move of the position before; 0: no pattern."""


class MoveEncoder(Protocol):
    """How positions and moves are told to a network: the native encoding, or a made-up one in tests."""

    @property
    def inputs(self) -> int:
        """How many the network has."""

    @property
    def outputs(self) -> int:
        """How many the network has."""

    @property
    def width(self) -> int:
        """Keys of a move."""

    def cases(
        self,
        starts: list[str | None],
        offsets: NDArray[np.int64],
        moves: NDArray[np.uint16],
        labels: NDArray[np.uint16],
    ) -> tuple[
        NDArray[np.int64],
        NDArray[np.int32],
        NDArray[np.float32],
        NDArray[np.int64],
        NDArray[np.int32],
        NDArray[np.int32],
    ]:
        """Input starts, inputs, their values, move starts, keys and best moves of the labelled plies."""

    def codes(
        self,
        starts: list[str | None],
        offsets: NDArray[np.int64],
        moves: NDArray[np.uint16],
        labels: NDArray[np.uint16],
    ) -> NDArray[np.int64]:
        """How often each code of a move is legal at the labelled plies."""


@dataclass(frozen=True, eq=False)
class Games:
    """Labelled games that are held in memory."""

    starts: list[str | None]
    offsets: NDArray[np.int64]
    moves: NDArray[np.uint16]
    labels: NDArray[np.uint16]

    @classmethod
    def join(cls, blocks: Iterable[LabelledGames]) -> Games:
        """The games of several blocks, one after the other."""
        held = list(blocks)
        lengths = [np.diff(block.offsets) for block in held]
        return cls(
            [start for block in held for start in block.starts],
            np.concatenate([[0], *lengths]).cumsum().astype(np.int64),
            np.concatenate([np.empty(0, np.uint16), *(block.moves for block in held)]),
            np.concatenate([np.empty(0, np.uint16), *(block.labels for block in held)]),
        )

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def patterns(self) -> NDArray[np.int64]:
        """(games,) How many labelled plies each game has."""
        sums = np.concatenate(([0], np.cumsum(self.labels != 0)))
        counts: NDArray[np.int64] = sums[self.offsets[1:]] - sums[self.offsets[:-1]]
        return counts

    def take(self, numbers: NDArray[np.int64]) -> Games:
        """The games with these numbers, in this order."""
        lengths = np.diff(self.offsets)[numbers]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[numbers] - offsets[:-1], lengths)
        return Games([self.starts[number] for number in numbers], offsets, self.moves[places], self.labels[places])


@dataclass(frozen=True, eq=False)
class Cases:
    """Positions as sparse inputs, their legal moves as keys, and which move is the best (core/learn/move_map.hpp)."""

    width: int
    """Keys of a move."""
    input_starts: NDArray[np.int64]
    """(cases + 1,) Where the inputs of each case begin."""
    inputs: NDArray[np.int32]
    values: NDArray[np.float32]
    """As many as inputs; none where all are 1."""
    move_starts: NDArray[np.int64]
    """(cases + 1,) Where the moves of each case begin."""
    keys: NDArray[np.int32]
    """(moves * width,)"""
    best: NDArray[np.int32]
    """(cases,) The number of the best move among those of its case."""

    @classmethod
    def of(cls, encoder: MoveEncoder, games: Games) -> Cases:
        """The labelled positions of games, in their order."""
        made = cls(encoder.width, *encoder.cases(games.starts, games.offsets, games.moves, games.labels))
        return replace(made, values=np.empty(0, np.float32)) if np.all(made.values == 1) else made

    def __len__(self) -> int:
        return len(self.best)

    @property
    def nbytes(self) -> int:
        """Memory that the arrays take."""
        arrays = (self.input_starts, self.inputs, self.values, self.move_starts, self.keys, self.best)
        return sum(array.nbytes for array in arrays)

    @cached_property
    def native(self) -> _core.MoveCases:
        """The same for native passes, checked once."""
        return _core.MoveCases(
            self.width, self.input_starts, self.inputs, self.values, self.move_starts, self.keys, self.best
        )


def legal_codes(encoder: MoveEncoder, games: Games) -> NDArray[np.int64]:
    """The codes of moves that are legal in some labelled position, ascending."""
    return np.flatnonzero(encoder.codes(games.starts, games.offsets, games.moves, games.labels))


class CaseBlocks:
    """The cases of games, block by block. Games are mixed once, so that each block is a fair sample of all."""

    def __init__(
        self,
        encoder: MoveEncoder,
        games: Games,
        *,
        block_positions: int = BLOCK_POSITIONS,
        most_kept_bytes: int = MOST_KEPT_BYTES,
    ) -> None:
        """Holds the games; cases are made when they are asked for, and kept as far as there is memory for them."""
        self.encoder = encoder
        self.positions = int(games.patterns.sum())
        order = np.random.default_rng(0).permutation(np.flatnonzero(games.patterns))
        cuts = (np.cumsum(games.patterns[order]) - 1) // block_positions
        self._games = games
        self._blocks = np.split(order, np.flatnonzero(np.diff(cuts)) + 1) if len(order) else []
        self._most_kept_bytes = most_kept_bytes
        self._kept: dict[int, Cases] = {}
        self._kept_bytes = 0

    def __len__(self) -> int:
        return len(self._blocks)

    def __getitem__(self, number: int) -> Cases:
        """The cases of one block."""
        return self._kept[number] if number in self._kept else self._make(number)

    def in_order(self, numbers: Iterable[int], workers: Workers | None = None) -> Iterator[Cases]:
        """The cases of these blocks in turn. Threads make some blocks ahead, while we use the one before."""
        if workers is None or not workers.are_threads or len(self._kept) == len(self):
            for number in numbers:
                yield self._keep(number, self[number])
            return
        with closing(workers.map(lambda number: (number, self[number]), numbers)) as made:
            for number, cases in made:
                yield self._keep(number, cases)

    def _make(self, number: int) -> Cases:
        return Cases.of(self.encoder, self._games.take(self._blocks[number]))

    def _keep(self, number: int, cases: Cases) -> Cases:
        if number not in self._kept and self._kept_bytes + cases.nbytes <= self._most_kept_bytes:
            self._kept[number] = cases
            self._kept_bytes += cases.nbytes
        return cases
