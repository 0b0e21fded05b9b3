"""UCI, the protocol of chess engines; Breakthrough and Lines of Action speak it in their own notation."""

from __future__ import annotations

import math

from plypilot.engine.engine import Engine
from plypilot.game_name import base_name
from plypilot.games import Move, Position
from plypilot.outside.option import Option, Value
from plypilot.sitting.words import HIGHEST_LEVEL, level_limit
from plypilot.spelling import read_move

UCI_GAMES = ("chess", "breakthrough", "loa")
_VARIANT, _CHESS960, _ANALYSIS = "UCI_Variant", "UCI_Chess960", "UCI_AnalyseMode"
_LIMIT_STRENGTH, _ELO = "UCI_LimitStrength", "UCI_Elo"
LEAST_ELO, MOST_ELO = 400, 2800
_ELO_OF_A_LEVEL = 300
"""By how much three times as many nodes are stronger in chess (experiments/levels.py)."""
_FIELDS = 2
"""How many fields the position strings of a game have, if fewer than chess; what other programs add is left out."""


def nodes_of_elo(elo: int) -> int:
    """What a move may take at a strength: that of the highest level of ``play`` at the most.

    Differences are as large as they say where the engine plays itself at chess. What a number says of people or of
    other programs has not been measured.

    >>> nodes_of_elo(400), nodes_of_elo(700), nodes_of_elo(2800)
    (60, 180, 393660)
    """
    highest = level_limit(HIGHEST_LEVEL).nodes or 1
    return round(highest * math.pow(3, (elo - MOST_ELO) / _ELO_OF_A_LEVEL))


class UciEngine(Engine):
    """A pilot that speaks UCI. ``UCI_Variant`` changes the game, and then the pilot is the baseline of that game."""

    handshake = "uci"
    new_game = "ucinewgame"
    fen_word = "fen"
    first_letter = "w"
    no_move = "(none)"

    def options(self, pilot_name: str) -> list[Option]:
        """Those of every engine, and those that UCI names itself."""
        game = self.pilot.game
        return [
            *super().options(pilot_name),
            Option(_CHESS960, "check", False),
            Option(_ANALYSIS, "check", False),
            Option(_LIMIT_STRENGTH, "check", False),
            Option(_ELO, "spin", MOST_ELO, LEAST_ELO, MOST_ELO),
            Option(_VARIANT, "combo", game, choices=tuple(dict.fromkeys((game, *UCI_GAMES)))),
        ]

    def set_value(self, name: str, value: Value) -> None:
        """Another variant is another game, with its own pilot and from its start."""
        if name == _VARIANT and value != self.pilot.game:
            self._set_pilot("baseline", str(value))
            self._values.pop("Pilot", None)
        super().set_value(name, value)

    def changes(self) -> dict[str, object]:
        """In analysis nothing is left to chance."""
        chance = {"search.root.noise": 0, "search.root.random_ties": False}
        return super().changes() | (chance if self.value(_ANALYSIS) else {})

    def most_nodes(self) -> int | None:
        """Those of its strength, where that is limited."""
        return nodes_of_elo(int(self.value(_ELO))) if self.value(_LIMIT_STRENGTH) else None

    def mate_number(self, plies: int) -> int:
        """In moves of the side that wins or loses."""
        return (plies + 1) // 2 if plies > 0 else -((1 - plies) // 2)

    def move_text(self, move: Move) -> str:
        """In Chess960 the king takes his rook, from the ordinary squares too."""
        text = str(move)
        if self.value(_CHESS960) and self._is_chess():
            origin, target, _ = move.index
            return _square(origin) + _square(target) + text[4:]
        return text

    def read_move(self, position: Position, text: str) -> Move:
        """Games that are not chess may write it as two squares too, as other programs do."""
        return super().read_move(position, text) if self._is_chess() else read_move(position, text)

    def read_position(self, fen: str | None) -> Position:
        """Leaves out the fields of a chess position that other games do not have."""
        if fen is not None and not self._is_chess():
            fen = " ".join(fen.split()[:_FIELDS])
        return super().read_position(fen)

    def _is_chess(self) -> bool:
        return base_name(self.pilot.game) == "chess"


def _square(number: int) -> str:
    return "abcdefgh"[number % 8] + str(number // 8 + 1)
