"""USI, the protocol of shogi engines."""

from __future__ import annotations

from collections.abc import Callable

from plypilot.engine.engine import Engine
from plypilot.pilot import Pilot


class UsiEngine(Engine):
    """A pilot that speaks USI."""

    handshake = "usi"
    new_game = "usinewgame"
    fen_word = "sfen"
    first_letter = "b"
    no_move = "resign"
    option_names = {  # noqa: RUF012
        "Hash": "USI_Hash",
        "Ponder": "USI_Ponder",
        "Move Overhead": "Move_Overhead",
        "Clear Hash": "Clear_Hash",
    }

    def __init__(self, pilot: Pilot, tell: Callable[[str], object], *, pilot_name: str = "baseline") -> None:
        """Makes ready to play a pilot of shogi."""
        super().__init__(pilot, tell, pilot_name=pilot_name)
        self._commands["gameover"] = self._stop

    def mate_number(self, plies: int) -> int:
        """In plies."""
        return plies

    def _go(self, rest: str) -> None:
        if rest.split()[:1] == ["mate"]:  # a solver of mate problems, which we are not
            self._tell("checkmate notimplemented")
            return
        super()._go(rest)
