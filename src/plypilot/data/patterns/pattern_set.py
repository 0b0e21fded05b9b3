"""Pattern sets: games with a label at each ply that is a pattern, in a folder of sealed shards and one description.

A set stores games and not positions: positions come back by replaying, which is cheap and gives whatever input a
learner asks for. Each game is in one of three splits, by a hash of its moves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray

from plypilot import sealed
from plypilot.data.patterns.block import Block, join
from plypilot.data.patterns.filters import Where
from plypilot.data.patterns.shard import ShardReader

Split = Literal["learn", "validation", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)

DESCRIPTION = "description.set"
"""The file that makes a folder a pattern set. It is written last."""
UNFINISHED = "unfinished"
"""The file that marks a folder in which a set is being made."""
_KIND = "pattern set"
_VERSION = 1
_BUCKET_BITS = 16
_HIGHEST = (1 << 64) - 1


class PatternSetError(ValueError):
    """A pattern set that cannot be read or made; the text says why."""


@dataclass(frozen=True)
class ShardEntry:
    """A shard as the description lists it."""

    name: str
    split: str
    games: int
    positions: int
    sha256: str


@dataclass(frozen=True)
class Description:
    """What a set is and where it came from, as plain JSON."""

    game: str
    source: dict[str, Any]
    """``kind`` (import or selfplay) and all that it was made of."""
    filters: dict[str, Any]
    """What was asked for, as ``Where.content`` tells it."""
    shards: tuple[ShardEntry, ...]
    counts: dict[str, dict[str, int]]
    """Of each split: games, positions, and positions by phase."""
    read: int = 0
    """Games that were looked at."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Games that were left out, by reason."""
    examples: dict[str, str] = field(default_factory=dict)
    """The first game that was left out for each reason, where there is more to say of it."""
    left_out: dict[str, int] = field(default_factory=dict)
    """Positions of games in the set that are no patterns, by reason."""


class Count(NamedTuple):
    """How much of a split is wanted."""

    games: int
    positions: int


class Patterns(ABC):
    """Labelled games of three splits, wherever they are kept."""

    @property
    @abstractmethod
    def game(self) -> str:
        """The name of the game."""

    @abstractmethod
    def shards(self, split: Split) -> Iterator[Block]:
        """All games of a split, in blocks as large as they are kept."""

    def counts(self, split: Split, where: Where | None = None, positions: int | None = None) -> Count:
        """How many games and positions ``blocks`` gives."""
        games = patterns = 0
        for block in self._narrowed(split, where, positions):
            games += len(block)
            patterns += block.positions
        return Count(games, patterns)

    def blocks(
        self, split: Split, games: int = 4096, *, where: Where | None = None, positions: int | None = None
    ) -> Iterator[Block]:
        """The games of a split in blocks, with the patterns that are wanted. Raises PatternSetError at a damaged shard.

        With ``positions`` there are at most so many patterns: the first ones in the order of a hash of game and ply, a
        fair sample of all that is wanted, and a larger number takes the same ones and more. Order and content are the
        same each time.
        """
        if games < 1:
            raise ValueError(f"games is {games}, expected 1 or more")
        waiting: list[Block] = []
        held = 0
        for block in self._narrowed(split, where, positions):
            begin = 0
            while begin < len(block):
                end = min(len(block), begin + games - held)
                waiting.append(block.games(begin, end))
                held += end - begin
                begin = end
                if held == games:
                    yield join(waiting)
                    waiting, held = [], 0
        if waiting:
            yield join(waiting)

    def _narrowed(self, split: Split, where: Where | None, positions: int | None) -> Iterator[Block]:
        if split not in SPLITS:
            raise ValueError(f'split is "{split}", expected {", ".join(SPLITS[:-1])} or {SPLITS[-1]}')
        if positions is None:
            yield from self._wanted(split, where)
            return
        if positions < 0:
            raise ValueError(f"positions is {positions}, expected 0 or more")
        if positions == 0:
            return
        highest = self._highest_order(split, where, positions)
        for block in self._wanted(split, where):
            chosen = block.with_labels(_orders(block) <= highest)
            if len(chosen):
                yield chosen

    def _wanted(self, split: Split, where: Where | None) -> Iterator[Block]:
        """The games of each shard that are wanted."""
        for shard in self.shards(split):
            block = shard if where is None else where.narrow(self.game, shard)
            if len(block):
                yield block

    def _highest_order(self, split: Split, where: Where | None, positions: int) -> np.uint64:
        """The order of the last of so many patterns, or of any where there are not more.

        Two passes in little memory: the first counts patterns by the highest bits of their order, the second sorts
        those that share the bits of the wanted one.
        """
        shift = np.uint64(64 - _BUCKET_BITS)
        counts = np.zeros(1 << _BUCKET_BITS, np.int64)
        for block in self._wanted(split, where):
            counts += np.bincount((_orders(block)[block.labels != 0] >> shift).astype(np.int64), minlength=len(counts))
        sums = np.cumsum(counts)
        if positions >= sums[-1]:
            return np.uint64(_HIGHEST)
        bucket = int(np.searchsorted(sums, positions))
        within = []
        for block in self._wanted(split, where):
            orders = _orders(block)[block.labels != 0]
            within.append(orders[(orders >> shift) == bucket])
        rank = positions - int(sums[bucket - 1] if bucket else 0)
        highest: np.uint64 = np.sort(np.concatenate(within))[rank - 1]
        return highest


class PatternSet(Patterns):
    """A pattern set in its folder. Nothing of it is held in memory but the description.

    >>> patterns = PatternSet.open("masters")  # doctest: +SKIP
    >>> patterns.counts("learn", Where(opening="B84", phase="middle"))  # doctest: +SKIP
    Count(games=304, positions=11873)
    """

    def __init__(self, path: Path, description: Description, digest: str) -> None:
        """A set that was opened; ``open`` opens one."""
        self.path = path
        self.description = description
        self.digest = digest
        """The SHA-256 of the description, which holds those of all shards: equal sets have equal digests."""
        self._reader = ShardReader(path, description.game)

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Self:
        """The set of a folder. Raises PatternSetError where it is none, unfinished or damaged."""
        path = Path(path)
        try:
            settings, _ = sealed.decode(sealed.read(path / DESCRIPTION, _KIND), _KIND, _VERSION)
        except (FileNotFoundError, NotADirectoryError):
            if (path / UNFINISHED).exists():
                raise PatternSetError(f"{path}: is not finished; run the command that makes it again") from None
            raise PatternSetError(
                f"{path}: is no pattern set; make one with plypilot data import or plypilot data selfplay"
            ) from None
        except sealed.SealedFileError as error:
            raise PatternSetError(f"{path / DESCRIPTION}: {error}") from error
        shards = tuple(ShardEntry(**entry) for entry in settings.pop("shards"))
        description = Description(shards=shards, **settings)
        return cls(path, description, sealed.digest(_KIND, _VERSION, _content(description), {}))

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.description.game

    def shards(self, split: Split) -> Iterator[Block]:
        """All games of a split, shard by shard. Raises PatternSetError at a damaged one."""
        for entry in self.description.shards:
            if entry.split == split:
                yield self._read(entry)

    def _read(self, entry: ShardEntry) -> Block:
        path = self.path / entry.name
        try:
            return self._reader.read(entry.name, entry.sha256)
        except FileNotFoundError as error:
            raise PatternSetError(f"{path}: this shard of the set is missing; make the set again") from error
        except sealed.SealedFileError as error:
            raise PatternSetError(f"{path}: {error}") from error


class HeldPatterns(Patterns):
    """Patterns in memory."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._blocks: dict[str, list[Block]] = {split: [] for split in SPLITS}

    @property
    def game(self) -> str:
        """The name of the game."""
        return self._game

    def shards(self, split: Split) -> Iterator[Block]:
        """All games of a split."""
        return iter(self._blocks[split])

    def keep(self, split: Split, part: Block) -> None:
        """Adds games to a split."""
        self._blocks[split].append(part)


def write_description(path: Path, description: Description) -> None:
    """Makes a folder with shards a pattern set."""
    sealed.write(path / DESCRIPTION, sealed.encode(_KIND, _VERSION, _content(description), {}))


def _content(description: Description) -> dict[str, Any]:
    return asdict(description) | {"shards": [asdict(entry) for entry in description.shards]}


def _orders(block: Block) -> NDArray[np.uint64]:
    """(plies,) What orders positions as if by chance: a hash of game and ply, the same whatever else is in the set.

    The steps are those of SplitMix64 (Steele, Lea and Flood 2014).
    """
    mixed = block.by_ply(block.hashes) + block.plies().astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    orders: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return orders
