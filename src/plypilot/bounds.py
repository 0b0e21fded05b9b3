"""How large the numbers may be that users give. What is beyond is refused by its name and its bound."""

from __future__ import annotations

from math import isfinite

LARGEST_SEED = 2**64 - 1
"""The seeds of tasks have 64 bits, and go into matches and tournaments."""
LARGEST_COUNT = 10**15
"""Of games, nodes and the like: more than a machine counts in a year."""
LONGEST_SECONDS = 1e9
MOST_GAMES = 10_000_000
MOST_POSITIONS = 1_000_000_000
LARGEST_MARGIN = 1_000_000
"""Of scores in hundredths of a pawn, and of plies."""
MOST_THREADS = 512
MOST_LINES = 1000
DEEPEST_PERFT = 100


def check_whole(what: str, value: object, least: int, most: int) -> int:
    """A whole number within bounds. Raises ValueError, and TypeError for what is no whole number.

    >>> check_whole("limit: depth", 300, 1, 249)
    Traceback (most recent call last):
    ValueError: limit: depth is 300, expected a whole number from 1 to 249
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{what} is {value!r}, expected a whole number from {least} to {most}")
    if not least <= value <= most:
        raise ValueError(f"{what} is {value}, expected a whole number from {least} to {most}")
    return value


def check_real(what: str, value: object, most: float, *, above_zero: bool = True) -> float:
    """A finite number above 0 (or from 0 on) and not too large. Raises ValueError, and TypeError for what is no number.

    >>> check_real("limit: seconds", float("nan"), 1e9)
    Traceback (most recent call last):
    ValueError: limit: seconds is nan, expected more than 0 and at most 1e+09
    """
    expected = f"expected {'more than 0' if above_zero else '0 or more'} and at most {most:g}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{what} is {value!r}, {expected}")
    if not isfinite(value) or value < 0 or value > most or (above_zero and value == 0):
        raise ValueError(f"{what} is {value}, {expected}")
    return value


def check_seed(seed: object) -> int:
    """A number that decides what is left to chance. Raises ValueError and TypeError."""
    return check_whole("seed", seed, 0, LARGEST_SEED)
