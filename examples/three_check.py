"""Three-check chess: a variant made of the built-in game. Whoever gives check three times wins.

Try it: ``plypilot check-game three_check:ThreeCheck`` in this folder.
"""

from typing import NamedTuple

import plypilot as pp


class State(NamedTuple):
    """A chess position string and the checks that White and Black have given."""

    fen: str
    checks: tuple[int, int]


class ThreeCheck(pp.Game):
    """Chess in which the third check wins, as well as mate."""

    title = "Three-check chess"
    sides = ("White", "Black")
    repetition = 3
    feature_names = ("pawn", "knight", "bishop", "rook", "queen", "checks")
    index_sizes = pp.game_info("chess").index_sizes

    def start(self) -> State:
        """The chess start, no check given."""
        return State(pp.Position("chess").fen(), (0, 0))

    def moves(self, state: State) -> list[pp.Move]:
        """Those of chess."""
        return pp.Position("chess", state.fen).moves()

    def play(self, state: State, move: pp.Move) -> State:
        """A check shows in the short notation of a move."""
        position = pp.Position("chess", state.fen)
        checks = list(state.checks)
        checks[position.turn] += position.san(move)[-1] in "+#"
        position.push(move)
        return State(position.fen(), (checks[0], checks[1]))

    def outcome(self, state: State) -> int | None:
        """The third check comes before all else; then chess."""
        position = pp.Position("chess", state.fen)
        if state.checks[1 - position.turn] >= 3:
            return -1
        ended = position.outcome()
        if ended is None:
            return None
        return 0 if ended.winner is None else 1 if ended.winner == position.turn else -1

    def player(self, state: State) -> int:
        """The chess position says whose turn it is."""
        return pp.Position("chess", state.fen).turn

    def hash(self, state: State) -> object:
        """The counters of moves do not make a position another one; the checks do."""
        return state.fen.split()[:4], state.checks

    def index(self, move: pp.Move) -> tuple[int, int, int]:
        """That of chess."""
        return move.index

    def fen(self, state: State) -> str:
        """A chess position string with the checks as a seventh field: ``+1+0``."""
        return f"{state.fen} +{state.checks[0]}+{state.checks[1]}"

    def from_fen(self, text: str) -> State:
        """Seven fields; the last counts the checks."""
        fen, _, given = text.rpartition(" ")
        counts = given.split("+")
        if len(counts) != 3 or counts[0] or not (counts[1].isdecimal() and counts[2].isdecimal()):
            raise pp.BadPosition(f'fen: checks given are "{given}", expected a form like +1+0')
        return State(pp.Position("chess", fen).fen(), (int(counts[1]), int(counts[2])))

    def features(self, state: State) -> list[float]:
        """Chess material, and checks given more than the opponent."""
        position = pp.Position("chess", state.fen)
        lead = state.checks[0] - state.checks[1]
        return [*position.feature_values("material"), lead if position.turn == 0 else -lead]

    def draw(self, state: State) -> str:
        """The chess board with the checks below."""
        white, black = state.checks
        return f"{pp.Position('chess', state.fen).draw()}\nchecks given: White {white}, Black {black}"
