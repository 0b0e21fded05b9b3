"""Games written in Python: the examples, and the checker's sentence for each broken promise."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest

import plypilot as pp
from conftest import EXAMPLES, SOAK


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
        (AnswersNonsense, "outcome() of test_python_games:AnswersNonsense gave 7, expected None, 1, 0 or -1"),
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


def test_hex_is_won_by_a_chain_from_edge_to_edge() -> None:
    position = pp.Position("hex:Hex")
    for text in ["c3", "a1", "b3", "a2", "d3", "a4", "e3", "b5", "a3"]:
        assert position.outcome() is None
        position.push(text)
    assert position.outcome() == pp.Outcome(0, "win by the rules")


def test_othello_turns_discs_over_and_passes() -> None:
    position = pp.Position("othello:Othello")
    assert sorted(map(str, position.moves())) == ["b4", "c5", "d2", "e3"]
    position.push("d2")
    assert position.draw().splitlines()[3:5] == ["3 · · X X · ·", "2 · · · X · ·"]
    assert [pp.perft(pp.Position("othello:Othello"), depth) for depth in (1, 2, 3, 4)] == [4, 12, 56, 244]
    rng, passes = random.Random(1), 0
    for _ in range(40):
        position = pp.Position("othello:Othello")
        while position.outcome() is None:
            moves = position.moves()
            passes += list(map(str, moves)) == ["pass"]
            position.push(rng.choice(moves))
    assert passes > 0


EXAMPLE_GAMES = ["connect_four:ConnectFour", "three_check:ThreeCheck", "dots_and_boxes:DotsAndBoxes", "hex:Hex",
                 "othello:Othello"]  # fmt: skip


@pytest.mark.parametrize("game", EXAMPLE_GAMES)
def test_examples_keep_their_promises_in_under_a_hundred_lines(game: str) -> None:
    assert pp.check_game(game, games=4, seed=1) == []
    assert len((EXAMPLES / f"{game.partition(':')[0]}.py").read_text().splitlines()) < 100


# A user's own mistakes.

OWN_GAME = """\
import plypilot as pp


class Take(pp.Game):
    feature_names = ("rest",)

    def start(self):
        return 9

    def moves(self, state):
        return [taken for taken in (1, 2, 3) if taken <= state]

    def play(self, state, move):
        return state - move

    def outcome(self, state):
        return -1 if state == 0 else None

    def features(self, state):
        return [state % 4]
"""
FAULTS = {
    "start": ("return 9", 8),
    "moves": ("return [taken for taken in (1, 2, 3) if taken <= state]", 11),
    "play": ("return state - move", 14),
    "outcome": ("return -1 if state == 0 else None", 17),
}
COMMANDS = (
    "check-game own_game:Take",
    "search own_game:Take --depth 12",
    "match baseline plain --game own_game:Take --games 2 --openings start",
    "play own_game:Take --side none --depth 3",
    "train td own_game:Take",
)


def run_in(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    words = [Path(sys.executable).with_name("plypilot"), *command.split()]
    return subprocess.run(words, capture_output=True, text=True, cwd=folder, timeout=60)


@pytest.mark.parametrize(
    ("method", "command"),
    [(method, command) for method in FAULTS for command in COMMANDS if SOAK or method == "play" or "check" in command],
)
def test_a_fault_in_a_method_is_told_with_file_line_method_and_position(
    method: str, command: str, tmp_path: Path
) -> None:
    line, number = FAULTS[method]
    (tmp_path / "own_game.py").write_text(OWN_GAME.replace(line, "return {}['nothing']"))
    done = run_in(tmp_path, command)
    is_checked = command.startswith("check-game") and method != "start"  # the checker lists what it finds
    assert done.returncode == (1 if is_checked else 2)
    told = done.stdout if is_checked else done.stderr
    assert f"own_game.py:{number}: {method}() of own_game:Take: KeyError: 'nothing' (in " in told
    assert "Traceback" not in done.stderr
    assert str(Path(pp.__file__).parent) not in told


def test_a_fault_of_a_file_that_is_imported_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "own_game.py").write_text(OWN_GAME.replace("import plypilot as pp", "import plypilot as pp\n\n1 // 0"))
    done = run_in(tmp_path, "show own_game:Take")
    assert done.returncode == 2
    assert done.stderr.startswith('plypilot: game "own_game:Take": own_game.py:3: ZeroDivisionError: ')
    assert done.stderr.count("\n") == 1


def test_what_a_method_gives_that_is_no_answer_is_told_with_its_line() -> None:
    class GivesText(Nim):
        def outcome(self, state: Any) -> Any:
            return "won" if state[0] < 4 else None

    position = pp.Position(GivesText)
    position.push("3")
    position.push("1")
    line = GivesText.outcome.__code__.co_firstlineno
    with pytest.raises(pp.GameError, match=rf"{line}: outcome\(\) of .*GivesText gave 'won', expected None"):
        position.outcome()


def test_moves_may_be_tuples() -> None:
    class TwoHeaps(Nim):
        feature_names: ClassVar[Any] = ()
        features = pp.Game.features

        def start(self) -> Any:
            return (3, 4)

        def moves(self, state: Any) -> Any:
            return [(heap, taken) for heap in (0, 1) for taken in (1, 2, 3) if taken <= state[heap]]

        def play(self, state: Any, move: Any) -> Any:
            return tuple(size - move[1] * (heap == move[0]) for heap, size in enumerate(state))

        def outcome(self, state: Any) -> int | None:
            return None if any(state) else -1

    assert failures(TwoHeaps) == ""
    position = pp.Position(TwoHeaps)
    assert [str(move) for move in position.moves()] == ["0,1", "0,2", "0,3", "1,1", "1,2", "1,3"]
    position.push("1,3")
    assert position.fen() == "start 1,3"
