"""What a person is told in words, on whatever page or terminal: scores, who is ahead, how much the engine thinks."""

from __future__ import annotations

from math import isfinite

from plypilot.games import Outcome
from plypilot.score import DEEPEST, win_distance
from plypilot.searcher import Limit

LEVELS = ("depth", "nodes", "time")
"""What a level may count."""
HIGHEST_LEVEL = 10
_SHADES = ((400, "winning"), (150, "clearly better"), (60, "better"), (20, "slightly better"))
"""The least lead, in score units, at which a side is called so."""


def score_words(score: int, side: str) -> str:
    """The score of a search for a side: in pawns, or a forced win or loss in plies."""
    distance = win_distance(score)
    if distance is None:
        return f"{score / 100:+.2f} for {side}"
    plies = f"{abs(distance)} {'ply' if abs(distance) == 1 else 'plies'}"
    return f"{side} {'wins' if score > 0 else 'loses'} in {plies}"


def ending_words(outcome: Outcome, sides: tuple[str, ...]) -> str:
    """How a game ended: who has won it, and why."""
    winner = "A draw" if outcome.winner is None else f"{sides[outcome.winner]} has won"
    return f"{winner}: {outcome.reason}"


def shade_words(score: int, turn: int, sides: tuple[str, ...]) -> str:
    """Who is better; the score is that of the side to move."""
    ahead = turn if score > 0 else 1 - turn
    for least, shade in _SHADES:
        if abs(score) >= least:
            return f"{sides[ahead]} is {shade}"
    return "about even"


def limit_words(limit: Limit) -> str:
    """How much the engine thinks about a move."""
    parts = [
        limit.depth and f"depth {limit.depth}",
        limit.nodes and f"{limit.nodes} nodes a move",
        limit.seconds and f"{limit.seconds:g} s a move",
    ]
    text = ", ".join(part for part in parts if part)
    level = next((level for level in range(1, HIGHEST_LEVEL + 1) if limit == level_limit(level)), None)
    return text if level is None else f"level {level}: {text}"


def level_limit(level: int) -> Limit:
    """What a level from 1 to 10 may look at: each one three times as many positions as the one below."""
    return Limit(nodes=20 * 3 ** (level - 1))


def read_level(words: list[str]) -> Limit:
    """A limit as the command level takes it. A plain number is a level from 1 to 10; a large one counts nodes."""
    try:
        kind, number = words if len(words) == 2 else ("", *words)
        if kind == "time" and isfinite(float(number)):
            return Limit(seconds=float(number))
        size = int(number)
    except ValueError as error:
        raise ValueError(
            "level takes a number from 1 to 10, or: level depth 6, level nodes 50000, level time 2.5"
        ) from error
    if kind not in ("", *LEVELS):
        raise ValueError(f"level {kind}: there are {', '.join(LEVELS)}")
    if kind == "" and 1 <= size <= HIGHEST_LEVEL:
        return level_limit(size)
    if kind == "nodes" or (kind == "" and size > DEEPEST):
        return Limit(nodes=size)
    if kind == "":
        raise ValueError(f"level {size}: there are 1 to {HIGHEST_LEVEL}; or name a depth: level depth {max(size, 1)}")
    if size > DEEPEST:
        raise ValueError(f"level depth {size}: at most {DEEPEST}")
    return Limit(depth=size)
