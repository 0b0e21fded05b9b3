"""Makes pattern sets of games: each game once, each position once, each game in its split, shards in a folder."""

from __future__ import annotations

import fcntl
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plypilot.data.patterns.block import Block, join
from plypilot.data.patterns.pattern_set import (
    DESCRIPTION,
    SPLITS,
    UNFINISHED,
    Description,
    PatternSet,
    PatternSetError,
    ShardEntry,
    Split,
    write_description,
)
from plypilot.data.patterns.phases import PHASES
from plypilot.data.patterns.shard import write_shard
from plypilot.replay import KeySet

SHARD_PLIES = 1 << 19
"""A shard is written as soon as it has so many plies."""
_LEARN: Split = "learn"
_SPLIT_BY_TENTH: tuple[Split, ...] = ("validation", "test", *[_LEARN] * 8)
"""The split of a game by the remainder of its hash by ten."""

SAME_MOVES = "the same moves as a game before it"
NOTHING_NEW = "no position that is wanted and new"
SAME_POSITION = "the same position as one before it"
IN_A_SUITE = "a position of a test suite"


@dataclass(frozen=True, eq=False)
class Candidates:
    """Games that may become part of a set, and what tells their positions apart."""

    block: Block
    """Labelled wherever a pattern is wanted."""
    keys: NDArray[np.uint64]
    """(plies,) Of the position before each ply."""
    boards: NDArray[np.uint64]
    """(plies,) Equal for boards that a test suite would call the same; empty where the keys tell that."""
    families: NDArray[np.uint64] | None = None
    """(games,) Games of one family belong to one split: a line that leaves a game has the hash of that game. None: each
    game is a family of its own."""


def game_hashes(starts: Sequence[str | None], texts: Sequence[str]) -> NDArray[np.uint64]:
    """(games,) A hash of each start and its moves in the game's notation."""
    digests = (
        hashlib.blake2b(f"{start or ''}\n{text}".encode(), digest_size=8).digest()
        for start, text in zip(starts, texts, strict=True)
    )
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def split_of(game_hash: int) -> Split:
    """The split that a game belongs to, in every set: a tenth of all games is for validation and a tenth for tests."""
    return _SPLIT_BY_TENTH[game_hash % 10]


class Collector:
    """Chooses what becomes part of a set. Games are added in a fixed order, which alone decides what it holds."""

    def __init__(self, keep: Callable[[Split, Block], object], suite: KeySet | None = None) -> None:
        """``keep`` is given what is chosen of each split; ``suite`` has the boards that must not be patterns."""
        self.read = 0
        """Games that were looked at."""
        self.skipped: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self.left_out: Counter[str] = Counter()
        self.counts = {split: Counter[str]() for split in SPLITS}
        self._keep = keep
        self._suite = suite
        self._games, self._positions = KeySet(), KeySet()

    @property
    def positions(self) -> int:
        """Patterns so far."""
        return sum(count["positions"] for count in self.counts.values())

    def skip(self, reason: str, games: int = 1, example: str = "") -> None:
        """Counts games that are left out."""
        self.read += games
        self._note_skipped(reason, games, example)

    def add(self, candidates: Candidates) -> None:
        """Adds what is new of some games."""
        block = candidates.block
        self.read += len(block)

        # 1. Each game once.
        new_games = self._games.add(block.hashes).astype(bool)
        self._note_skipped(SAME_MOVES, len(block) - int(np.count_nonzero(new_games)))

        # 2. Each position once, and none of a test suite.
        wanted = (block.labels != 0) & block.by_ply(new_games)
        if self._suite is not None and len(self._suite):
            boards = candidates.boards if len(candidates.boards) else candidates.keys
            places = np.flatnonzero(wanted)
            known = self._suite.contains(boards[places]).astype(bool)
            wanted[places[known]] = False
            self.left_out[IN_A_SUITE] += int(np.count_nonzero(known))
        places = np.flatnonzero(wanted)
        seen = ~self._positions.add(candidates.keys[places]).astype(bool)
        wanted[places[seen]] = False
        self.left_out[SAME_POSITION] += int(np.count_nonzero(seen))

        # 3. Each game to its split.
        families = block.hashes if candidates.families is None else candidates.families
        splits = np.array([split_of(family) for family in families.tolist()])
        kept = 0
        for split in SPLITS:
            part = block.with_labels(wanted & block.by_ply(splits == split))
            if len(part):
                kept += len(part)
                self._count(split, part)
                self._keep(split, part)
        self._note_skipped(NOTHING_NEW, int(np.count_nonzero(new_games)) - kept)

    def describe(
        self, game: str, source: dict[str, Any], filters: dict[str, Any], shards: Sequence[ShardEntry]
    ) -> Description:
        """The description of a set that was collected."""
        return Description(
            game=game,
            source=source,
            filters=filters,
            shards=tuple(shards),
            counts={
                split: {name: count[name] for name in ("games", "positions", *PHASES)}
                for split, count in self.counts.items()
            },
            read=self.read,
            skipped=dict(sorted(self.skipped.items(), key=lambda item: (-item[1], item[0]))),
            examples=self.examples,
            left_out={reason: count for reason, count in self.left_out.items() if count},
        )

    def _note_skipped(self, reason: str, games: int, example: str = "") -> None:
        if games:
            self.skipped[reason] += games
            if example:
                self.examples.setdefault(reason, example)

    def _count(self, split: Split, part: Block) -> None:
        count = self.counts[split]
        count["games"] += len(part)
        count["positions"] += part.positions
        for number, phase in enumerate(PHASES):
            count[phase] += int(np.count_nonzero(part.labels[part.phases == number]))


class ShardWriter:
    """Puts the games of a set into shards of its folder, which ``making`` has made ready."""

    def __init__(self, path: Path, game: str) -> None:
        self.path, self.game = path, game
        self._waiting: dict[Split, list[Block]] = {split: [] for split in SPLITS}
        self._plies = dict.fromkeys(SPLITS, 0)
        self._shards: dict[Split, list[ShardEntry]] = {split: [] for split in SPLITS}

    def keep(self, split: Split, part: Block) -> None:
        """Adds games to a split."""
        self._waiting[split].append(part)
        self._plies[split] += len(part.moves)
        if self._plies[split] >= SHARD_PLIES:
            self._write(split)

    def finish(self, collector: Collector, source: dict[str, Any], filters: dict[str, Any]) -> PatternSet:
        """Writes what is left, then the description, which makes the folder a set."""
        for split in SPLITS:
            self._write(split)
        entries = [entry for shards in self._shards.values() for entry in shards]
        write_description(self.path, collector.describe(self.game, source, filters, entries))
        return PatternSet.open(self.path)

    def _write(self, split: Split) -> None:
        if not self._waiting[split]:
            return
        block = join(self._waiting[split])
        self._waiting[split], self._plies[split] = [], 0
        name = f"{split}-{len(self._shards[split]):05}.shard"
        sha256 = write_shard(self.path / name, self.game, block)
        self._shards[split].append(ShardEntry(name, split, len(block), block.positions, sha256))


def find_made(path: Path, game: str, source: dict[str, Any]) -> PatternSet | None:
    """The set of a folder that was made in just this way; None where there is no set yet.

    Raises PatternSetError where there is another one.
    """
    if not (path / DESCRIPTION).exists():
        return None
    there = PatternSet.open(path)
    if there.game != game or there.description.source != source:
        raise PatternSetError(f"{path}: holds another pattern set; choose another folder, or delete this one")
    return there


@contextmanager
def making(path: Path) -> Iterator[None]:
    """Makes a folder ready for a set and holds it meanwhile. What an ended attempt has left in it is removed.

    Raises PatternSetError where it holds a set, something else, or another process is at work in it.
    """
    if (path / DESCRIPTION).exists():
        raise PatternSetError(f"{path}: holds a pattern set already; choose another folder, or delete this one")
    mark = path / UNFINISHED
    if path.exists() and not mark.exists() and (not path.is_dir() or any(path.iterdir())):
        raise PatternSetError(f"{path}: is there already and is no unfinished pattern set; choose another folder")
    path.mkdir(parents=True, exist_ok=True)
    with mark.open("a") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise PatternSetError(f"{path}: another process is making a set there; wait for it or end it") from error
        for remains in (*path.glob("*.shard"), *path.glob(".*.tmp")):
            remains.unlink()
        yield
        mark.unlink()
