"""Shards: blocks of games of one split in sealed files, read where they lie on the disk.

Moves are the bits of the native core. Those of a game in Python differ from process to process, so that its shards
number the moves instead, and keep the text of each number; reading turns numbers into bits by replaying some games.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plypilot import sealed
from plypilot.data.patterns.block import BY_GAME, BY_PLY, Block
from plypilot.game_name import is_python_game
from plypilot.replay import NO_LABEL, move_texts, read_games

_KIND = "pattern shard"
_VERSION = 1
_TYPES = ("U8", "U16", "U64", "I64")


def write_shard(path: Path, game: str, block: Block) -> str:
    """Writes one sealed file, whole or not at all, and tells its SHA-256."""
    settings: dict[str, Any] = {
        "game": game,
        "starts": {str(number): start for number, start in enumerate(block.starts) if start is not None},
    }
    arrays: dict[str, NDArray[Any]] = {name: getattr(block, name) for name in ("offsets", *BY_PLY, *BY_GAME)}
    if is_python_game(game):
        # Numbered in the order in which they come up, which is the same in every process.
        used, first_places = np.unique(np.concatenate((block.moves, block.labels)), return_index=True)
        in_order = used[np.argsort(first_places)]
        in_order = in_order[in_order != 0]
        settings["moves"] = move_texts(game, in_order)
        numbers = np.zeros(1 << 16, np.uint16)
        numbers[in_order] = np.arange(1, len(in_order) + 1)
        for name in ("moves", "labels"):
            arrays[name] = numbers[arrays[name]]
    sealed.write(path, sealed.encode(_KIND, _VERSION, settings, arrays))
    return sealed.digest(_KIND, _VERSION, settings, arrays)


class ShardReader:
    """Reads the shards of one set. What costs time to find out is found out once for each."""

    def __init__(self, folder: Path, game: str) -> None:
        self.folder, self.game = folder, game
        self._checked: set[str] = set()
        """Files whose digest was found right."""
        self._bits: dict[str, NDArray[np.uint16]] = {}
        """The bits of each number of a move, by file, where the game is in Python."""

    def read(self, name: str, sha256: str) -> Block:
        """The block of a file with this SHA-256. Raises SealedFileError and OSError."""
        settings, arrays = sealed.open_mapped(
            self.folder / name, _KIND, _VERSION, _TYPES, expected=sha256, checked=name in self._checked
        )
        self._checked.add(name)
        starts: list[str | None] = [None] * (len(arrays["offsets"]) - 1)
        for number, start in settings["starts"].items():
            starts[int(number)] = start
        block = Block(**arrays, starts=starts)
        if not is_python_game(self.game):
            return block
        if name not in self._bits:
            self._bits[name] = _bits_of_numbers(self.game, block, settings["moves"])
        bits = self._bits[name]
        return replace(block, moves=bits[block.moves], labels=bits[block.labels])


def _bits_of_numbers(game: str, block: Block, texts: list[str]) -> NDArray[np.uint16]:
    """The bits that the moves of a game in Python have in this process, by their numbers in a shard."""
    # 1. The games in which each number comes up first, as a move or as a label.
    first_plies = []
    for numbers in (block.moves, block.labels):
        first_plies.append(np.unique(numbers, return_index=True)[1])
    needed = np.unique(np.searchsorted(block.offsets, np.concatenate(first_plies), side="right") - 1)

    # 2. Their texts, read by the rules of the game.
    words = np.array([NO_LABEL, *texts], object)
    plies = np.concatenate([np.arange(block.offsets[i], block.offsets[i + 1]) for i in needed])
    spans = [slice(block.offsets[i], block.offsets[i + 1]) for i in needed]
    read = read_games(
        game,
        [block.starts[i] for i in needed],
        [" ".join(words[block.moves[span]]) for span in spans],
        [" ".join(words[block.labels[span]]) for span in spans],
    )
    if fault := next(filter(None, read.refused), None):
        raise sealed.SealedFileError(f"does not fit the rules of {game} as they are now: {fault[1]}")

    # 3. The bits of each number.
    bits = np.zeros(len(words), np.uint16)
    bits[block.moves[plies]] = read.moves
    labelled = block.labels[plies] != 0
    bits[block.labels[plies][labelled]] = read.labels[labelled]
    return bits
