"""Who won a recorded game, as the formats say it each in its own way."""

from __future__ import annotations

import re

from plypilot.data.record import Record
from plypilot.data.sgf import sides_of
from plypilot.games import Position

_PGN = {"1-0", "0-1", "1/2-1/2"}
_LOST_BY_MOVER = {"%TORYO", "%TIME_UP", "%ILLEGAL_MOVE", "%TSUMI", "resign", "resigns", "forfeit"}
_WON_BY_MOVER = {"%KACHI"}
_DRAWN = {"%SENNICHITE", "%HIKIWAKE", "%JISHOGI", "draw", "0"}
_FAULTS = {"%+ILLEGAL_ACTION": "0-1", "%-ILLEGAL_ACTION": "1-0"}
"""Of Black, who moves first in shogi, and of White."""


def result_of(record: Record) -> str:
    """The result as PGN writes it, 1-0 for the player who moves first; empty where the record does not say."""
    result = record.result
    if result in _PGN:
        return result
    if result in _FAULTS:
        return _FAULTS[result]
    if result in _DRAWN or result.lower() in _DRAWN:
        return "1/2-1/2"
    if result in _LOST_BY_MOVER or result in _WON_BY_MOVER:
        mover = (Position(record.game, record.start).turn + len(record.moves)) % 2
        return ("1-0", "0-1")[mover if result in _WON_BY_MOVER else 1 - mover]
    if winner := re.match(r"([BW])(lack|hite)?\+", result):
        return ("1-0", "0-1")[sides_of(record.game).index(winner[1])]
    return ""
