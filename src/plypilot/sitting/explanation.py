"""Why a linear evaluation says what it says: its terms by name, the largest first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from plypilot.games import Move, Position, game_info
from plypilot.networks import find_set
from plypilot.pilot import Pilot

_PHASES = ("_mg", "_eg")
"""A feature that is weighed for the middle game and for the endgame is one term to a person."""
_ON_A_SQUARE = re.compile(r"(?P<what>.+)_(?P<file>[a-i])(?P<rank>[1-9])")
"""A feature of pieces on a square, which its owner counts from his own corner."""
_ON_A_RANK = re.compile(r"(?P<what>.+)_rank_(?P<rank>[1-9])")
"""The same of a rank."""
_OF_THE_TURN = ("tempo", "side_to_move")
"""Features of whose turn it is, which a line changes by being odd."""
_LAST_BY_MIDDLE = {3: 7, 4: 8}
"""The last file or rank of a board, by the last one before or on its middle: of boards of 8 and of 9."""
_BY_THE_BOARD = "squares"
"""The set whose squares are those of the board, whoever has the piece."""


@dataclass(frozen=True)
class Term:
    """What one feature adds to the value of a position."""

    set: str
    feature: str
    """Its name, without the phase of the game."""
    value: float
    """How much there is of it, the opponent's taken off."""
    score: float
    """In score units."""


def explain(pilot: Pilot, position: Position) -> list[Term]:
    """The terms that are not zero, from the view of the side to move. A pilot that is not linear has none.

    >>> [term] = explain(Pilot.plain("chess", "material"), Position("chess", "4k3/8/8/8/8/8/4R3/4K3 b - - 0 1"))
    >>> term.feature, term.value, term.score
    ('rook', -1.0, -500.0)
    """
    info = game_info(position.game)
    sums: dict[tuple[str, str], tuple[float, float]] = {}
    weights = pilot.evaluation.weights if pilot.evaluation.kind == "linear" else {}
    for name, array in weights.items():
        values = position.feature_values(name)
        for feature, value, weight in zip(find_set(info, name).features, values, array, strict=True):
            if value:
                key = (name, _without_phase(feature))
                had, scored = sums.get(key, (0.0, 0.0))
                sums[key] = (had + float(value), scored + float(value) * float(weight))
    terms = [Term(*key, round(value, 3), score) for key, (value, score) in sums.items() if score]
    return sorted(terms, key=lambda term: -abs(term.score))


def gains(pilot: Pilot, position: Position, line: Sequence[Move]) -> list[Term]:
    """How the terms of an evaluation change along a line, for the side to move now; the largest first.

    The squares or ranks of a piece are one term here: what moves takes the value of one and adds that of another.
    """
    end = position.copy()
    for move in line:
        end.push(move)
    changes: dict[tuple[str, str], tuple[float, float]] = {}
    for at, sign in ((end, 1.0 if end.turn == position.turn else -1.0), (position, -1.0)):
        for term in explain(pilot, at):
            if term.feature in _OF_THE_TURN:
                continue
            key = (term.set, _ON_A_RANK.sub(r"\g<what> ranks", _ON_A_SQUARE.sub(r"\g<what> squares", term.feature)))
            value, score = changes.get(key, (0.0, 0.0))
            changes[key] = (value + sign * term.value, score + sign * term.score)
    return sorted((Term(*key, *change) for key, change in changes.items()), key=lambda term: -abs(term.score))


def feature_words(position: Position, term: Term, side: int) -> str:
    """What a term counts, with squares as the board names them: of a side, as each counts squares from his own corner.

    >>> feature_words(Position("chess"), Term("half_board", "pawn_c4", 1.0, 8.0), 1)
    'pawn on c5 or f5'
    """
    seen_by = 0 if term.set == _BY_THE_BOARD else side
    if on_rank := _ON_A_RANK.fullmatch(term.feature):
        square = position.square_text(seen_by, 0, int(on_rank["rank"]) - 1)
        return f"{on_rank['what']} on rank {square[1:]}" if square else term.feature
    on_square = _ON_A_SQUARE.fullmatch(term.feature)
    if on_square is None:
        return term.feature
    names = {_without_phase(name) for name in find_set(game_info(position.game), term.set).features}
    alike = [each for name in names if (each := _ON_A_SQUARE.fullmatch(name)) and each["what"] == on_square["what"]]
    places = [_place(each) for each in alike]
    files, ranks = (_shared(at, max(place[axis] for place in places)) for axis, at in enumerate(_place(on_square)))
    squares = {position.square_text(seen_by, file, rank) for file in files for rank in ranks} - {""}
    return f"{on_square['what']} on {' or '.join(sorted(squares))}" if squares else term.feature


def _place(on_square: re.Match[str]) -> tuple[int, int]:
    """File and rank of a square, from 0."""
    return ord(on_square["file"]) - ord("a"), int(on_square["rank"]) - 1


def _shared(at: int, most: int) -> set[int]:
    """The files or ranks that share the features of one: its mirror image too where none lies beyond the middle."""
    return {at, _LAST_BY_MIDDLE[most] - at} if most in _LAST_BY_MIDDLE else {at}


def _without_phase(feature: str) -> str:
    for phase in _PHASES:
        feature = feature.removesuffix(phase)
    return feature
