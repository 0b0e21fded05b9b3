"""Games written in Python: the examples, and the checker's sentence for each broken promise."""

from __future__ import annotations

import itertools
import random
from typing import Any, ClassVar

import pytest

import plypilot as pp
from conftest import EXAMPLES


class Nim(pp.Game):
    """Take one to three; who takes the last one wins. Kept right, and broken by the tests below."""

    feature_names: ClassVar[Any] = ("rest",)

    def start(self) -> Any:
        return (7,)

    def moves(self, state: Any) -> Any:
        return [taken for taken in (1, 2, 3) if taken <= state[0]]

    def play(self, state: Any, move: Any) -> Any:
        return (state[0] - move,)

    def outcome(self, state: Any) -> int | None:
        return -1 if state[0] == 0 else None

    def features(self, state: Any) -> Any:
        return [state[0] % 4]


def failures(kind: type[pp.Game]) -> str:
    return "\n".join(map(str, pp.check_game(kind, games=5)))


def test_a_sound_game_has_no_failure() -> None:
    assert failures(Nim) == ""


class ChangesItsInput(Nim):
    def start(self) -> Any:
        return [7]

    def play(self, state: Any, move: Any) -> Any:
        state[0] -= move
        return state


class ForgetsToEnd(Nim):
    def outcome(self, _state: Any) -> int | None:
        return None


class AnswersNonsense(Nim):
    def outcome(self, state: Any) -> Any:
        return 7 if state[0] == 0 else None


class Wavers(Nim):
    turns = itertools.count()

    def moves(self, state: Any) -> Any:
        moves = super().moves(state)
        return moves if next(self.turns) % 2 else moves[::-1]


class WritesTwoMovesAlike(Nim):
    def text(self, _move: Any) -> str:
        return "take"


class WritesSpaces(Nim):
    def text(self, move: Any) -> str:
        return f"take {move}"


class LosesItsPosition(Nim):
    def fen(self, state: Any) -> str:
        return str(state[0])

    def from_fen(self, _text: str) -> Any:
        return (7,)


class HashesNothing(Nim):
    def hash(self, _state: Any) -> Any:
        return 1

    def player(self, state: Any) -> int:
        return state[0] % 2  # not in turn either


class NeverEnds(Nim):
    def play(self, state: Any, _move: Any) -> Any:
        return (7 + (state[0] + 1) % 5,)


class MeasuresNothing(Nim):
    def features(self, _state: Any) -> Any:
        return [float("nan")]


class Raises(Nim):
    def play(self, _state: Any, move: Any) -> Any:
        raise RuntimeError(f"cannot take {move}")


class IndexesOutside(Nim):
    index_sizes = (1, 2, 1)

    def index(self, move: Any) -> tuple[int, int, int]:
        return (0, move, 0)


class DiffersByProcess(Nim):
    def moves(self, state: Any) -> Any:
        return sorted(super().moves(state), key=lambda taken: hash(str(taken)))


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (ChangesItsInput, "play() changed the state it was given"),
        (ForgetsToEnd, "moves() is empty, but outcome() is None"),
        (AnswersNonsense, "outcome() must be None, 1, 0 or -1"),
        (Wavers, "moves() gives another list when asked again"),
        (WritesTwoMovesAlike, "two moves are both written 'take'"),
        (WritesSpaces, "a text must have a character and no space"),
        (LosesItsPosition, "is written '7' once read"),
        (HashesNothing, "leaves the hash as it was"),
        (NeverEnds, "is a draw rule missing?"),
        (MeasuresNothing, "not a finite number"),
        (Raises, "RuntimeError: cannot take"),
        (IndexesOutside, "outside index_sizes (1, 2, 1)"),
        (DiffersByProcess, "another process sees another hash or another order of moves"),
    ],
)
def test_the_checker_explains_a_broken_promise(kind: type[pp.Game], sentence: str) -> None:
    assert sentence in failures(kind)


def test_an_unfinished_class_is_refused_by_what_it_lacks() -> None:
    class Unfinished(pp.Game):
        def start(self) -> Any:
            return 0

    with pytest.raises(pp.UnknownGame, match="has no moves, outcome, play"):
        pp.Position(Unfinished)


def test_halves_of_a_pair_are_refused() -> None:
    class Half(Nim):
        def fen(self, _state: Any) -> str:
            return ""

    with pytest.raises(pp.UnknownGame, match="fen and from_fen go together"):
        pp.Position(Half)


def test_position_strings_default_to_the_moves_made() -> None:
    position = pp.Position(Nim)
    position.push("3")
    position.push("2")
    assert position.fen() == "start 3 2"
    again = pp.Position(Nim, "start 3 2")
    assert again == position
    assert [str(move) for move in again.moves()] == ["1", "2"]
    with pytest.raises(pp.BadPosition, match='move 2 is not legal: "9"'):
        pp.Position(Nim, "start 3 9")
    with pytest.raises(pp.BadPosition, match='begins with "end"'):
        pp.Position(Nim, "end")


def test_repetition_is_a_draw_where_the_game_says_so() -> None:
    class Shuffle(Nim):
        repetition = 3

        def play(self, state: Any, _move: Any) -> Any:
            return (7 - state[0] % 2,)

    position = pp.Position(Shuffle)
    while position.outcome() is None:
        position.push("1")
    assert position.outcome() == pp.Outcome(None, "repetition")
    assert position.ply == 4


def test_connect_four_agrees_with_open_spiel() -> None:
    """Legal moves and outcomes over 10,000 positions."""
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("connect_four")
    rng = random.Random(4)
    positions = 0
    while positions < 10_000:
        state, position = game.new_initial_state(), pp.Position("connect_four:ConnectFour")
        while not state.is_terminal():
            assert sorted(map(str, position.moves())) == ["abcdefg"[action] for action in state.legal_actions()]
            assert position.outcome() is None
            action = rng.choice(state.legal_actions())
            state.apply_action(action)
            position.push("abcdefg"[action])
            positions += 1
        outcome = position.outcome()
        assert outcome is not None
        assert state.returns()[0] == {0: 1, 1: -1, None: 0}[outcome.winner]


def test_connect_four_perft_equals_the_known_counts() -> None:
    # The number of move sequences; a column fills, and a game can end, only later.
    position = pp.Position("connect_four:ConnectFour")
    assert [pp.perft(position, depth) for depth in range(1, 6)] == [7, 49, 343, 2401, 16807]
    assert pp.perft(position, 7) == 823_536  # seven of the 7^7 sequences put a seventh disc on a full column


def test_three_checks_win() -> None:
    position = pp.Position("three_check:ThreeCheck", "4k3/8/8/8/8/8/8/4K2Q w - - 0 1 +2+0")
    position.push("h1h8")
    assert position.outcome() == pp.Outcome(0, "win by the rules")
    with pytest.raises(pp.BadPosition, match="checks given"):
        pp.Position("three_check:ThreeCheck", "4k3/8/8/8/8/8/8/4K2Q w - - 0 1")


@pytest.mark.parametrize("name", ["connect_four.py", "three_check.py", "dots_and_boxes.py"])
def test_examples_stay_under_a_hundred_lines(name: str) -> None:
    assert len((EXAMPLES / name).read_text().splitlines()) < 100
