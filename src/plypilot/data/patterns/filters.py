"""Which games and positions are wanted, by opening, phase, rating and result: of files, and later of a set."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plypilot.data.patterns.block import RESULTS, Block
from plypilot.data.patterns.phases import PHASES
from plypilot.data.pgn import split_pgn
from plypilot.replay import read_games

_CODES = re.compile(r"(?P<first>[A-E]\d{0,2})(?:-(?P<last>[A-E]\d{0,2}))?")
_LETTERS = "ABCDE"
CODES = 500
"""How many ECO codes there are: A00 to E99."""
FILTERS = ("opening", "rating", "result", "phase")
"""In the order in which they are asked: a game is counted under the first that it does not pass."""


@dataclass(frozen=True)
class Where:
    """What is wanted. Empty or 0 asks for nothing."""

    opening: str = ""
    """An ECO code, the beginning of one or a range (``B84``, ``A3``, ``B80-B99``); or a line of moves from the start,
    such as ``1. e4 c5 2. Nf3``, with which the games begin."""
    phase: str = ""
    """``opening``, ``middle`` or ``end``, as ``phases`` defines them."""
    rating: int = 0
    """The least rating of both players; games without ratings are not wanted then."""
    result: str = ""
    """``1-0``, ``0-1`` or ``1/2-1/2``; several with commas between."""

    def __post_init__(self) -> None:
        if self.phase and self.phase not in PHASES:
            raise ValueError(f'phase is "{self.phase}", expected {", ".join(PHASES[:-1])} or {PHASES[-1]}')
        if self.rating < 0:
            raise ValueError(f"rating is {self.rating}, expected 0 or more")
        for result in self._results():
            if result not in RESULTS[1:]:
                raise ValueError(f'result is "{result}", expected {", ".join(RESULTS[1:-1])} or {RESULTS[-1]}')
        if self.opening and not _CODES.fullmatch(self.opening) and not self._words():
            raise ValueError(f'opening is "{self.opening}", expected an ECO code such as B84, a range, or moves')
        if (codes := self._codes()) and codes[0] >= codes[1]:
            raise ValueError(f'opening is "{self.opening}", but a range goes from a lower code to a higher one')

    def check(self, game: str) -> None:
        """Refuses an opening whose moves are not legal in a game. Raises ValueError."""
        if self.opening and self._codes() is None:
            _line_bits(game, self._words())

    def content(self) -> dict[str, Any]:
        """What was asked for, as plain JSON."""
        return {name: value for name, value in asdict(self).items() if value}

    def wanted_games(self, game: str, block: Block) -> dict[str, NDArray[np.bool_]]:
        """Whether each game of a block passes each filter that is asked for, shape (games,) each."""
        passed: dict[str, NDArray[np.bool_]] = {}
        if codes := self._codes():
            passed["opening"] = (block.openings >= codes[0]) & (block.openings < codes[1])
        elif self.opening:
            passed["opening"] = self._begin_with_line(game, block)
        if self.rating:
            passed["rating"] = block.ratings.min(axis=1) >= self.rating
        if self.result:
            passed["result"] = np.isin(block.results, [RESULTS.index(result) for result in self._results()])
        return passed

    def wanted_plies(self, block: Block) -> NDArray[np.bool_]:
        """Whether each position of a block is of the phase asked for, shape (plies,)."""
        if not self.phase:
            return np.ones(len(block.phases), bool)
        wanted: NDArray[np.bool_] = block.phases == PHASES.index(self.phase)
        return wanted

    def narrow(self, game: str, block: Block) -> Block:
        """The games of a block that are wanted, with the patterns that are."""
        wanted = self.wanted_plies(block)
        for passed in self.wanted_games(game, block).values():
            wanted &= block.by_ply(passed)
        return block.with_labels(wanted)

    def _results(self) -> list[str]:
        return [word.strip() for word in self.result.split(",")] if self.result else []

    def _codes(self) -> tuple[int, int] | None:
        """The numbers of the codes: the first one and the one behind the last."""
        parts = _CODES.fullmatch(self.opening)
        if parts is None:
            return None
        first, last = parts["first"], parts["last"] or parts["first"]
        return code_number(first.ljust(3, "0")), code_number(last.ljust(3, "9")) + 1

    def _words(self) -> str:
        games = list(split_pgn(self.opening))
        return " ".join(games[0].words) if len(games) == 1 else ""

    def _begin_with_line(self, game: str, block: Block) -> NDArray[np.bool_]:
        line = _line_bits(game, self._words())
        begins = block.lengths >= len(line)
        begins &= np.array([start is None for start in block.starts], bool)
        for ply, bits in enumerate(line):
            begins[begins] = block.moves[block.offsets[:-1][begins] + ply] == bits
        return begins


@lru_cache(maxsize=64)
def _line_bits(game: str, words: str) -> tuple[int, ...]:
    read = read_games(game, [None], [words])
    if (fault := read.refused[0]) is not None:
        raise ValueError(f"opening: {fault[1]}")
    return tuple(int(bits) for bits in read.moves)


def code_number(code: str) -> int:
    """The number of an ECO code, A00 1 and E99 500; 0 where it is none.

    >>> code_number("A00"), code_number("B84"), code_number("?")
    (1, 185, 0)
    """
    if not re.match(r"[A-E]\d\d", code):
        return 0
    return _LETTERS.index(code[0]) * 100 + int(code[1:3]) + 1


def code_text(number: int) -> str:
    """The ECO code of a number, empty for 0.

    >>> code_text(185)
    'B84'
    """
    return f"{_LETTERS[(number - 1) // 100]}{(number - 1) % 100:02}" if number else ""
