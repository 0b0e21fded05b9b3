"""The ``go`` command, of which UCI and USI have the same words: what to search and when to answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from plypilot.bounds import LARGEST_COUNT
from plypilot.outside.option import whole_number
from plypilot.score import DEEPEST
from plypilot.searcher import Limit

_LONGEST_MS = 10**10
_NUMBERS = ("depth", "nodes", "mate", "movetime", "movestogo", "wtime", "btime", "winc", "binc", "byoyomi")
_FLAGS = ("infinite", "ponder")
_MOVES = "searchmoves"


@dataclass(frozen=True)
class Go:
    """A search that another program asked for."""

    limit: Limit
    moves: tuple[str, ...] = ()
    """The only ones to consider, as they were written; none: all of them."""
    mate: int | None = None
    """Ends the search when it sees a win in so many moves."""
    infinite: bool = False
    """No answer before ``stop``."""
    ponder: bool = False
    """No answer before ``ponderhit`` or ``stop``; the limits of time count from the former."""

    @property
    def first_limit(self) -> Limit:
        """The limit from the start on: none of time while it ponders."""
        return Limit(depth=self.limit.depth, nodes=self.limit.nodes) if self.ponder else self.limit


def read_go(words: Sequence[str], mine: str, margin_ms: int, remark: Callable[[str], object]) -> Go:
    """Reads the words after ``go``. What cannot be understood is left out and remarked on.

    ``mine`` is the letter of the side to move, w or b; ``margin_ms`` is kept back from a time for the move.
    """
    numbers: dict[str, int] = {}
    flags: set[str] = set()
    moves: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in _FLAGS:
            flags.add(word)
        elif word == _MOVES:
            while at < len(words) and words[at] not in (*_NUMBERS, *_FLAGS, _MOVES):
                moves.append(words[at])
                at += 1
        elif word in _NUMBERS:
            try:
                numbers[word] = whole_number(words[at] if at < len(words) else "")
            except ValueError as error:
                remark(f"go: {word}: {error}")
            at += 1
        else:
            remark(f'go: unknown word "{word}"')
    infinite = "infinite" in flags
    limit = Limit() if infinite else _read_limit(numbers, mine, margin_ms)
    mate = max(numbers["mate"], 1) if "mate" in numbers else None
    return Go(limit, tuple(moves), mate, infinite, "ponder" in flags)


def _read_limit(numbers: dict[str, int], mine: str, margin_ms: int) -> Limit:
    other = "b" if mine == "w" else "w"
    # A clock that was not sent is taken for the other's: better than no limit at all.
    clock = numbers.get(f"{mine}time", numbers.get(f"{other}time"))
    byoyomi = _seconds(max(numbers.get("byoyomi", 0), 0))
    if clock is None and byoyomi:
        clock = 0
    if clock is not None:
        clock = max(clock, 0 if byoyomi else 1)
    seconds = None
    if "movetime" in numbers:
        time_ms = numbers["movetime"]
        seconds = _seconds(max(time_ms - margin_ms, time_ms * 9 // 10, 1))
    to_go = numbers.get("movestogo", 0)
    return Limit(
        depth=min(max(numbers["depth"], 1), DEEPEST) if "depth" in numbers else None,
        nodes=_bounded(numbers["nodes"]) if "nodes" in numbers else None,
        seconds=seconds,
        clock=None if clock is None else _seconds(clock),
        increment=_seconds(max(numbers.get(f"{mine}inc", 0), 0)),
        moves_to_go=_bounded(to_go) if to_go > 0 else None,
        byoyomi=byoyomi,
    )


def _bounded(count: int) -> int:
    return min(max(count, 1), LARGEST_COUNT)


def _seconds(time_ms: int) -> float:
    return min(time_ms, _LONGEST_MS) / 1000
