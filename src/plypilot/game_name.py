"""What a game's name tells: ``chess``; ``breakthrough-6x5``, a variant; ``module:Class``, a game in Python."""

from __future__ import annotations


def base_name(name: str) -> str:
    """The game that a variant belongs to; a game is its own.

    >>> base_name("breakthrough-6x5"), base_name("chess")
    ('breakthrough', 'chess')
    """
    return name.partition("-")[0]


def variant_name(name: str) -> str:
    """What makes a variant, such as its size; empty for the game itself.

    >>> variant_name("breakthrough-6x5"), variant_name("chess")
    ('6x5', '')
    """
    return name.partition("-")[2]


def is_python_game(name: str) -> bool:
    """Whether a game is written in Python, and named by its module and class.

    >>> is_python_game("my_games:Nim"), is_python_game("chess")
    (True, False)
    """
    return ":" in name
