"""Why a linear evaluation says what it says: its terms by name, the largest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plypilot.games import Move, Position, game_info
from plypilot.pilot import Pilot
from plypilot.settings import find_set

_PHASES = ("_mg", "_eg")
"""A feature that is weighed for the middle game and for the endgame is one term to a person."""


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
    """How the terms of an evaluation change along a line, for the side to move now; the largest first."""
    end = position.copy()
    for move in line:
        end.push(move)
    sign = 1.0 if end.turn == position.turn else -1.0
    changes = {(term.set, term.feature): (sign * term.value, sign * term.score) for term in explain(pilot, end)}
    for term in explain(pilot, position):
        value, score = changes.get((term.set, term.feature), (0.0, 0.0))
        changes[term.set, term.feature] = (value - term.value, score - term.score)
    return sorted((Term(*key, *change) for key, change in changes.items()), key=lambda term: -abs(term.score))


def _without_phase(feature: str) -> str:
    for phase in _PHASES:
        feature = feature.removesuffix(phase)
    return feature
