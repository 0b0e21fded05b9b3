"""A move as a person types it: read with patience, and where it is no move, what may have been meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from plypilot.games import IllegalMove, Move, Position, game_info
from plypilot.spelling import plain

MOST_LISTED = 12
"""How many near moves are named."""
_LONGEST_QUOTE = 60
_PLACE = re.compile(r"[a-z]\d{1,2}|\d{1,2}[a-z]")
"""A square as board games write them: e4, 7g."""
_ORIGIN = re.compile(rf"(?:{_PLACE.pattern}|[A-Z]\*)")
"""Where a move text begins: with a square, or with a piece that is dropped."""


class NotAMove(ValueError):
    """A text that names no legal move, or several; the message lists moves that are near."""


def read_move(position: Position, text: str) -> Move:
    """The legal move that a person means: in the game's notation, or alike but for case and for signs such as - and x.

    >>> str(read_move(Position("loa"), "C1a3")), str(read_move(Position("chess"), "nf3"))
    ('c1xa3', 'g1f3')
    """
    try:
        return position.parse(text)
    except IllegalMove:
        pass
    moves = position.moves()
    fitting = [move for move in moves if plain(text) and plain(text) in map(plain, _names(position, move))]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise NotAMove(f"{quote(text)} can be {_listed(position, fitting)}")
    raise NotAMove(f"{quote(text)} is not a move here; {_near(position, text, moves)}")


def origin(move: Move) -> str:
    """Where a move begins: ``g1``, or ``P*`` for a drop; empty where the game's notation does not begin with that."""
    found = _ORIGIN.match(str(move))
    return found.group() if found else ""


def piece_name(position: Position, move: Move) -> str:
    """What kind of piece a move moves, by the move features of the game; ``piece`` where they do not tell."""
    mask = position.move_features(move)
    for bit, feature in enumerate(game_info(position.game).move_features):
        if mask >> bit & 1 and feature.name.startswith("moves_"):
            return feature.name.removeprefix("moves_")
    return "piece"


def printable(text: str) -> str:
    """What a person typed, without control characters."""
    return "".join(char if char.isprintable() else "?" for char in text)


def quote(text: str) -> str:
    """The same in quotes, and not too long."""
    shown = printable(text[:_LONGEST_QUOTE])
    return f'"{shown}"' if len(text) <= _LONGEST_QUOTE else f'"{shown}..."'


def _names(position: Position, move: Move) -> tuple[str, str]:
    """A move as the game writes it, and in short without the signs of check."""
    text, short = str(move), position.san(move)
    return text, short if short == text else short.rstrip("+#")


def _near(position: Position, text: str, moves: Sequence[Move]) -> str:
    """Moves that a text comes near to, and what they have in common."""
    # 1. From the square that it begins with, or the hand.
    begins = _ORIGIN.match(text) or _ORIGIN.match(text.lower())
    if begins:
        place = begins.group()
        if fitting := [move for move in moves if origin(move) == place]:
            piece = piece_name(position, fitting[0])
            what = f"drops of the {piece}" if place.endswith("*") else f"moves of the {piece} on {place}"
            return f"{what}: {_listed(position, fitting)}"
    # 2. Of the piece, or of the pawns of a file, that short notation begins with.
    places = _PLACE.findall(text.lower())
    arriving = [move for move in moves if places and places[-1] in str(move).removeprefix(origin(move))]
    shorts = [(position.san(move), move) for move in moves if position.san(move) != str(move)]
    for letter in (text[:1], text[:1].upper()):
        fitting = [move for short, move in shorts if short[0] == letter]
        if fitting and len(places) < 2:
            both = [move for move in fitting if move in arriving]
            return f"moves of a {piece_name(position, fitting[0])}: {_listed(position, both or fitting)}"
    # 3. To the square that it ends with.
    stays = f"nothing on {places[0]} can move" if len(places) > 1 and any(map(origin, moves)) else ""
    if arriving:
        return "; ".join(filter(None, (stays, f"moves to {places[-1]}: {_listed(position, arriving)}")))
    # 4. By the letters.
    names = {name: move for move in moves for name in _names(position, move)}
    if not stays and (close := get_close_matches(text, names, n=5)):
        return f"near moves: {_listed(position, dict.fromkeys(names[name] for name in close))}"
    if len(moves) <= MOST_LISTED:
        return f"the moves are: {_listed(position, moves)}"
    return "; ".join(filter(None, (stays, f'"moves" lists the {len(moves)} moves')))


def _listed(position: Position, moves: Iterable[Move]) -> str:
    texts = [position.san(move) for move in moves]
    return " ".join(texts[:MOST_LISTED]) + (f" and {len(texts) - MOST_LISTED} more" if len(texts) > MOST_LISTED else "")
