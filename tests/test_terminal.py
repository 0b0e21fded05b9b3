"""Playing the engine in a terminal: what a person types, and what is seen in a pipe and on a screen."""

from __future__ import annotations

import contextlib
import doctest
import io
import itertools
import json
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

import plypilot as pp
from conftest import EXAMPLES, NATIVE_GAMES, PYTHON_GAMES, SOAK, random_game
from plypilot.data import read_games, read_json_lines, record_formats, result_of, write_game
from plypilot.score import PAWN
from plypilot.sitting import explanation, typed_move
from plypilot.sitting.explanation import explain
from plypilot.sitting.sitting import Sitting
from plypilot.sitting.terminal import COMMANDS, Terminal
from plypilot.sitting.typed_move import NotAMove, read_move
from plypilot.sitting.view import turned
from plypilot.sitting.words import level_limit, limit_words

PLYPILOT = str(Path(sys.executable).with_name("plypilot"))
SIDES = {"first": frozenset({0}), "second": frozenset({1}), "both": frozenset({0, 1}), "none": frozenset()}
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"


def sit(game: str, side: str = "first", *, fen: str | None = None, depth: int = 2, pilot: str = "baseline") -> Sitting:
    steering = pp.Pilot.baseline(game) if pilot == "baseline" else pp.Pilot.plain(game)
    return Sitting(steering, pp.Position(game, fen), SIDES[side], pp.Limit(depth=depth), engine_name=pilot)


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """What a sitting answers to lines in a pipe."""

    def answer(sitting: Sitting, *lines: str, save_to: Path | None = None) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        Terminal(sitting, Console(highlight=False, width=400), save_to=save_to).run()
        shown = capsys.readouterr()
        assert shown.err == ""
        assert "\x1b" not in shown.out
        return shown.out

    return answer


def run(*words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PLYPILOT, "play", *words], input=typed, capture_output=True, text=True, cwd=EXAMPLES, timeout=60
    )


# The whole of it.


def test_a_game_in_a_pipe_reads_as_a_game() -> None:
    done = run("breakthrough-4x5", "--pilot", "plain", "--depth", "3", typed="b2-a4\nb2-a3\nfen\nundo\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        done.stdout
        == """\
Breakthrough: you have White, the engine (plain, depth 3) has Black.
Type a move such as a2-a3, or help.

5 ♟ ♟ ♟ ♟
4 ♟ ♟ ♟ ♟
3 · · · ·
2 ♙ ♙ ♙ ♙
1 ♙ ♙ ♙ ♙
  a b c d
White to move.

White> b2-a4
"b2-a4" is not a move here; moves of the piece on b2: b2-b3 b2-a3 b2-c3
White> b2-a3
Black plays b4-b3: +0.00 for Black, depth 3, 155 nodes
  line: b4-b3 b1-b2 c4-c3

5 ♟ ♟ ♟ ♟
4 ♟ · ♟ ♟
3 ♙ ♟ · ·
2 ♙ · ♙ ♙
1 ♙ ♙ ♙ ♙
  a b c d
White to move. Last move: b4-b3 (Black).

White> fen
pppp/p1pp/Pp2/P1PP/PPPP w
White> undo
Took back b2-a3 b4-b3.

5 ♟ ♟ ♟ ♟
4 ♟ ♟ ♟ ♟
3 · · · ·
2 ♙ ♙ ♙ ♙
1 ♙ ♙ ♙ ♙
  a b c d
White to move.

White> quit
"""
    )


@pytest.mark.parametrize("game", [*NATIVE_GAMES, "breakthrough-6x5", "chess-518", *PYTHON_GAMES])
@pytest.mark.parametrize("side", ["first", "second", "both"])
def test_every_command_works_on_every_game(talk, game: str, side: str, tmp_path: Path) -> None:
    sitting = sit(game, side, depth=1)
    mover = 0 if side == "first" else 1
    for line in ("moves", "hint", "eval", "fen", "board", "level 2", "level", "help", f"save {tmp_path / 'game.json'}"):
        assert " is not a move" not in talk(sitting, line)
    before = sitting.position.fen()
    text = talk(sitting, sitting.position.san(sitting.position.moves()[0]))
    assert "Last move: " in text
    assert f"{sitting.sides[sitting.position.turn]} to move" in text
    assert len(sitting.plies) == {"first": 2, "second": 3, "both": 1}[side]
    assert "Took back" in talk(sitting, "undo")
    assert sitting.position.fen() == before
    if side != "both":
        assert f"You have {sitting.sides[1 - mover]} now." in talk(sitting, "swap")
    assert "resigned" in talk(sitting, "resign")
    assert "Type a move" in talk(sitting, "new")
    assert sitting.outcome is None


@pytest.mark.parametrize("game", [*NATIVE_GAMES, "connect_four:ConnectFour"])
def test_the_engine_plays_itself_to_the_end(talk, game: str) -> None:
    sitting = sit(game, "none", depth=1)
    text = talk(sitting)
    assert "has won: " in text or "A draw: " in text
    assert "> " not in text


# Moves.


@pytest.mark.parametrize(
    ("game", "typed", "move"),
    [
        ("chess", "e2e4", "e2e4"),
        ("chess", "e4", "e2e4"),
        ("chess", "Nf3!", "g1f3"),
        ("chess", "nF3", "g1f3"),
        ("chess", "g1-f3", "g1f3"),
        ("loa", "C1A3", "c1xa3"),
        ("loa", "b1b3", "b1-b3"),
        ("breakthrough", "A2A3", "a2-a3"),
        ("shogi", "7G7F", "7g7f"),
        ("connect_four:ConnectFour", "D", "d"),
    ],
)
def test_a_move_is_read_with_patience(game: str, typed: str, move: str) -> None:
    assert str(read_move(pp.Position(game), typed)) == move


def test_a_piece_is_not_promoted_against_the_word() -> None:
    position = pp.Position("shogi", "4k4/9/9/4P4/9/9/9/9/4K4 b - 1")
    assert str(read_move(position, "5D5C")) == "5d5c"
    assert str(read_move(position, "5D5C+")) == "5d5c+"
    with pytest.raises(NotAMove):
        read_move(pp.Position("shogi"), "7g7f+")


@pytest.mark.parametrize(
    ("game", "fen", "typed", "answer"),
    [
        ("chess", None, "g1h5", "moves of the knight on g1: Nf3 Nh3"),
        ("chess", None, "Nh5", "moves of a knight: Na3 Nc3 Nf3 Nh3"),
        ("chess", None, "e5", "moves of a pawn: e3 e4"),
        ("chess", None, "e7e5", "nothing on e7 can move"),
        ("chess", None, "d5f3", "nothing on d5 can move; moves to f3: f3 Nf3"),
        ("chess", "4k3/8/8/8/8/8/8/RN1NK3 w - - 0 1", "nc3", "moves of a knight: Nbc3 Ndc3"),
        ("chess", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", "moves of the pawn on a7: a8=Q+ a8=R+ a8=B a8=N"),
        ("chess", "4k3/8/8/8/8/8/8/RN1NK3 w - - 0 1", "Nc3", "moves of a knight: Nbc3 Ndc3"),
        ("loa", None, "b1-b5", "moves of the piece on b1: b1-h1 b1-b3 b1-d3"),
        ("shogi", None, "7g7e", "moves of the pawn on 7g: 7g7f"),
        ("shogi", "4k4/9/9/9/9/9/9/9/4K4 b G 1", "G*5a", "drops of the gold: G*9i"),
        ("connect_four:ConnectFour", None, "z", "the moves are: d c e b f a g"),
        ("chess", None, "\x1b[31m" + "x" * 999, '"moves" lists the 20 moves'),
    ],
)
def test_what_is_no_move_is_answered_with_near_moves(game: str, fen: str | None, typed: str, answer: str) -> None:
    with pytest.raises(NotAMove, match=re.escape(answer)) as raised:
        read_move(pp.Position(game, fen), typed)
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 250


def test_docstring_examples_run() -> None:
    for module in (explanation, typed_move):
        found = doctest.testmod(module)
        assert found.attempted > 0
        assert found.failed == 0


def test_a_command_spelled_wrong_is_guessed(talk) -> None:
    assert "neither a move nor a command; undo?" in talk(sit("chess"), "udno")


class Shout(pp.Game):
    """Five words each, the names of commands among them."""

    def start(self) -> tuple[str, ...]:
        return ()

    def moves(self, _state: tuple[str, ...]) -> list[str]:
        return ["undo", "help", "+"]

    def play(self, state: tuple[str, ...], move: str) -> tuple[str, ...]:
        return (*state, move)

    def outcome(self, state: tuple[str, ...]) -> int | None:
        return 0 if len(state) >= 10 else None


def test_a_move_that_is_named_like_a_command_is_a_move(talk) -> None:
    sitting = Sitting(pp.Pilot.plain(Shout), pp.Position(Shout), SIDES["both"], pp.Limit(depth=1))
    talk(sitting, "undo", "+", "-", "UNDO")
    assert [ply.short for ply in sitting.plies] == ["undo"]  # in capitals it was the command: it took back "+"
    assert "Took back undo" in talk(sitting, ":undo")


@pytest.mark.parametrize("game", [*NATIVE_GAMES, *PYTHON_GAMES])
def test_no_line_ends_the_sitting(talk, game: str) -> None:
    rng = random.Random(game)
    sitting = sit(game, "both", depth=1, pilot="plain")
    words = [
        *(set(COMMANDS) - {"save", "quit", "hint"}),
        "e2e4",
        "7g7f",
        "b1-b3",
        "a",
        "::",
        "level -1",
        "level 1e9",
        "level nan",
    ]
    letters = "abcdefgh12345678NBRQKxO-+=*#\x00\x1b\t é歩\\\"'"
    for _ in range(200 if SOAK else 8):
        lines = [
            rng.choice(words) if rng.random() < 0.3 else "".join(rng.choices(letters, k=rng.randrange(8)))
            for _ in range(40)
        ]
        lines += [str(move) for move in sitting.position.moves()[:3]]
        talk(sitting, *lines)


# Commands.


def test_undo_takes_back_to_a_move_of_the_person(talk) -> None:
    sitting = sit("chess", "second", depth=1)
    assert "no move of yours to take back" in talk(sitting, "undo")
    assert len(sitting.plies) == 1
    talk(sitting, "e5", "d5")
    assert len(sitting.plies) == 5
    talk(sitting, "undo")
    assert [ply.side for ply in sitting.plies] == [0, 1, 0]
    assert [str(move) for move in sitting.position.played] == [ply.played.text for ply in sitting.plies]


def test_undo_goes_behind_the_end_of_a_game(talk) -> None:
    sitting = sit("chess", fen=MATE_IN_ONE)
    text = talk(sitting, "Rd8", "Kf1", "hint")
    assert "White has won: checkmate. Last move: Rd8# (White)." in text
    assert "White has won: checkmate; undo, new, save FILE or quit" in text
    talk(sitting, "undo")
    assert sitting.outcome is None
    assert sitting.position.fen() == MATE_IN_ONE


def test_resignation_ends_the_game_and_can_be_taken_back(talk) -> None:
    sitting = sit("loa", "second")
    text = talk(sitting, "resign", "resign", "a4-c4")
    assert "Black has won: White resigned" in text
    assert "the game is over already" in text
    assert sitting.record().winner == 0
    assert sitting.record().cause == "White resigned"
    assert "Took back the resignation" in talk(sitting, "undo")
    assert sitting.outcome is None


def test_swap_lets_the_engine_move_for_the_other_side(talk) -> None:
    sitting = sit("chess")
    text = talk(sitting, "swap")
    assert "White plays " in text
    assert sitting.position.turn == 1
    assert "you play both" in talk(sit("chess", "both"), "swap")


def test_a_record_names_who_made_the_moves_of_each_side_and_when(talk) -> None:
    sitting = sit("chess")
    assert sitting.record().players == ("person", "baseline")
    talk(sitting, "e4", "swap")
    assert [ply.by_person for ply in sitting.plies] == [True, False, False]
    assert sitting.record().players == ("person and baseline", "baseline")
    talk(sitting, "undo", "new")
    text = write_game(sitting.record(), "pgn")
    assert re.search(r'^\[Date "20\d\d\.[01]\d\.[0-3]\d"\]$', text, re.MULTILINE)
    assert '[White "baseline"]' in text and '[Black "person"]' in text


@pytest.mark.parametrize(
    ("typed", "limit"),
    [
        ("1", pp.Limit(nodes=20)),
        ("10", pp.Limit(nodes=393_660)),
        ("250", pp.Limit(nodes=250)),
        ("depth 249", pp.Limit(depth=249)),
        ("depth 3", pp.Limit(depth=3)),
        ("nodes 7", pp.Limit(nodes=7)),
        ("TIME 0.5", pp.Limit(seconds=0.5)),
    ],
)
def test_level_is_a_number_to_10_or_a_depth_or_nodes_or_seconds(talk, typed: str, limit: pp.Limit) -> None:
    sitting = sit("chess")
    talk(sitting, f"level {typed}")
    assert sitting.limit == limit


@pytest.mark.parametrize(
    "typed", ["0", "-1", "x", "depth 250", "time nan", "time inf", "time 0", "size 3", "nodes 1 2", "1e5"]
)
def test_a_level_that_cannot_be_leaves_the_old_one(talk, typed: str) -> None:
    sitting = sit("chess")
    text = talk(sitting, f"level {typed}")
    assert sitting.limit == pp.Limit(depth=2)
    assert "Level: " not in text


def test_hint_names_the_move_its_score_and_its_line(talk) -> None:
    assert "Hint: Rd8#: White wins in 1 ply" in talk(sit("chess", fen=MATE_IN_ONE), "hint")
    lost = sit("chess", "second", fen="k7/8/1K6/8/8/8/8/7R b - - 0 1", depth=3)
    assert "Hint: Kb8: Black loses in 2 plies" in talk(lost, "hint")
    assert re.search(
        r"Hint: \S+: [+-]\d\.\d\d for White, depth 3, \d+ nodes\n  line: \S+ \S+", talk(sit("chess", depth=3), "hint")
    )


def test_the_table_is_kept_from_move_to_move() -> None:
    sitting = sit("chess", depth=6)
    first, again = sitting.think(), sitting.think()
    assert again.nodes.all < first.nodes.all / 2


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_the_terms_of_an_evaluation_add_up_to_it(game: str) -> None:
    pilot = pp.Pilot.baseline(game)
    searcher = pp.Searcher(pilot)
    for seed in range(200 if SOAK else 20):
        position = random_game(game, seed, longest=3 * seed)
        terms = explain(pilot, position)
        hundredth = pilot.evaluation.pawn / PAWN
        assert sum(term.score for term in terms) == pytest.approx(searcher.evaluate(position), abs=hundredth)
        assert sorted(terms, key=lambda term: -abs(term.score)) == terms
        assert not any(term.feature.endswith(("_mg", "_eg")) for term in terms)


def test_an_evaluation_is_explained_from_the_side_of_the_person(talk) -> None:
    queen_up = "4k3/8/8/8/8/8/8/3QK3 w - - 0 1"
    assert re.search(
        r"As the board stands: \+1\d\.\d\d for White; White is winning", talk(sit("chess", fen=queen_up), "eval")
    )
    text = talk(sit("chess", "second", fen=queen_up.replace(" w ", " b ")), "eval")
    assert re.search(r"As the board stands: -\d+\.\d\d for Black; White is winning", text)
    assert re.search(r" -\d+\.\d\d  queen +White has 1 more", text)


def test_a_pilot_without_terms_says_so(talk) -> None:
    assert "evaluation: zero" in talk(sit("chess", pilot="plain"), "eval")
    by_pieces = Sitting(pp.Pilot.plain("chess", "material"), pp.Position("chess"), SIDES["first"], pp.Limit(depth=2))
    assert "Every term is level." in talk(by_pieces, "eval")


# Records.


@pytest.mark.parametrize("game", [*NATIVE_GAMES, *PYTHON_GAMES])
def test_a_saved_game_replays_to_the_same_position(talk, game: str, tmp_path: Path) -> None:
    sitting = sit(game, "second", depth=1)
    talk(sitting)
    for _ in range(3):
        talk(sitting, str(sitting.position.moves()[len(sitting.plies) // 2]))
    moves = [str(move) for move in sitting.position.played]
    assert len(moves) >= 6
    for form in record_formats(game):
        path = tmp_path / f"my game.{form}"
        assert f"Saved {len(moves)} moves to" in talk(sitting, f"save {path}")
        [record] = read_games(path.read_text(), form, game)
        assert record.replay().fen() == sitting.position.fen()
        assert [str(move) for move in record.replay().played] == moves
        assert result_of(record) == ""  # it has not ended
    talk(sitting, save_to=tmp_path / "moves.txt")
    assert (tmp_path / "moves.txt").read_text().split() == moves


def test_a_record_tells_who_played_and_what_the_engine_said(talk, tmp_path: Path) -> None:
    talk(sit("chess", "second"), "e5", save_to=tmp_path / "game.json")
    [game] = read_json_lines((tmp_path / "game.json").read_text())
    assert (game.players, game.cause, game.result) == (("baseline", "person"), "unfinished", "*")
    assert [move.score is None for move in game.moves] == [False, True, False]
    assert game.moves[0].depth == 2
    assert game.moves[0].nodes > 0


def test_a_finished_game_is_saved_with_its_result(talk, tmp_path: Path) -> None:
    talk(sit("chess", fen=MATE_IN_ONE), "Rd8", save_to=tmp_path / "mate.pgn")
    [record] = read_games((tmp_path / "mate.pgn").read_text(), "pgn", "chess")
    assert (record.result, record.start, record.tags["Termination"]) == ("1-0", MATE_IN_ONE, "checkmate")


def test_a_save_that_fails_ends_no_game(talk, tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    text = talk(
        sit("chess"),
        "save",
        "save x.doc",
        "save ~nobody at all/x.json",
        "save \0.json",
        f"save {tmp_path}/none/x.json",
        f"save {tmp_path}/folder.json",
        "fen",
    )
    assert "save needs a file" in text
    assert "has none of the endings" in text
    assert "there is no folder" in text
    assert text.count("Saved") == 0
    assert " w KQkq " in text


# The command.


@pytest.mark.parametrize(
    "words",
    [
        ("go",),
        ("chess", "--side", "third"),
        ("chess", "--fen", "no fen"),
        ("chess", "--depth", "0"),
        ("chess", "--pilot", "missing.pilot"),
        ("chess", "--save", "game.doc"),
        ("chess", "--save", "no/such/folder/game.json"),
        ("module_that_is_not:Class",),
    ],
)
def test_usage_errors_exit_2_with_one_line(words: tuple[str, ...]) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("plypilot: ")
    assert done.stderr.count("\n") == 1


def test_the_end_of_input_leaves_cleanly(tmp_path: Path) -> None:
    done = run("chess", "--side", "black", "--depth", "2", "--save", str(tmp_path / "game.txt"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(f"Black> \nSaved 1 move to {tmp_path / 'game.txt'}.\n")


def test_the_engine_shows_a_game_with_itself() -> None:
    one, again = (run("breakthrough-4x4", "--side", "none", "--depth", "2") for _ in range(2))
    assert (one.returncode, one.stdout) == (0, again.stdout)
    assert "the engine (baseline, depth 2) plays both sides" in one.stdout
    assert "has won: breakthrough" in one.stdout


def test_the_seed_decides_what_the_pilot_leaves_to_chance() -> None:
    words = (
        "breakthrough-4x5",
        "--side",
        "none",
        "--depth",
        "1",
        "--pilot",
        "plain",
        "--set",
        "search.root.random_ties=true",
    )
    one, again, other = (run(*words, "--seed", seed).stdout for seed in ("1", "1", "2"))
    assert one == again != other


def test_help_names_the_options_and_the_game_names_the_commands(talk) -> None:
    text = run("--help").stdout
    for option in ("--pilot", "--side", "--depth", "--nodes", "--time", "--fen", "--seed", "--save"):
        assert option in text
    shown = talk(sit("shogi"), "help")
    assert "USI" in shown
    assert all(usage in shown for usage, _ in COMMANDS.values())


# On a terminal.


class Screen:
    """A command on a terminal of its own."""

    def __init__(self, *words: str, term: str) -> None:
        self.shown = ""
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.chdir(EXAMPLES)
            os.environ["TERM"] = term
            os.environ.pop("NO_COLOR", None)
            os.execv(PLYPILOT, [PLYPILOT, "play", *words])
        self._has_ended = False

    def type(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def interrupt_prompt(self) -> None:
        """Ctrl-C in the midst of a line. Readline may miss a signal before it listens, which its echo shows."""
        self.wait_for("> ")
        self.type("x")
        self.wait_for("x")
        time.sleep(0.2)
        self.type("\x03")

    def wait_for(self, text: str, seconds: float = 60) -> str:
        """What came since the last call, up to a text."""
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            assert time.monotonic() < deadline, f"no {text!r} in {self.shown!r}"
            if select.select([self._terminal], [], [], 0.1)[0]:
                self.shown += os.read(self._terminal, 65536).decode("utf-8", "replace")
        found, self.shown = self.shown.split(text, 1)
        return found + text

    def kill(self) -> None:
        if not self._has_ended:
            os.kill(self._pid, signal.SIGKILL)
            self.end()

    def end(self) -> int:
        """Reads to the end; the exit status."""
        with contextlib.suppress(OSError):  # that of a terminal whose program has gone
            self.wait_for("no such text", seconds=60)
        self._has_ended = True
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


@pytest.fixture
def open_screen():
    """Opens screens, and ends what still runs when the test has failed."""
    screens: list[Screen] = []

    def make(*words: str, term: str = "xterm-256color") -> Screen:
        screens.append(Screen(*words, term=term))
        return screens[-1]

    yield make
    for screen in screens:
        screen.kill()


@pytest.mark.parametrize("game", ["chess", "connect_four:ConnectFour"])
def test_ctrl_c_plays_the_best_so_far_and_twice_leaves(open_screen, game: str) -> None:
    screen = open_screen(game, "--time", "600")
    screen.wait_for("> ")
    screen.type("d4\n" if game == "chess" else "d\n")
    screen.wait_for("thinks: depth ")
    screen.type("\x03")
    screen.wait_for(" plays ", seconds=20)
    screen.wait_for("Last move: ")
    screen.interrupt_prompt()
    assert screen.end() == 130


def test_ctrl_c_at_the_prompt_asks_before_it_leaves(open_screen) -> None:
    screen = open_screen("chess", "--depth", "1")
    screen.interrupt_prompt()
    screen.wait_for("Ctrl-C once more leaves")
    screen.wait_for("White> ")
    screen.type("e4\n")  # a line in between: the next one is the first again
    screen.wait_for("Last move: ")
    screen.interrupt_prompt()
    screen.wait_for("Ctrl-C once more leaves")
    screen.wait_for("White> ")
    screen.type("\x04")
    assert screen.end() == 0


def test_two_ctrl_c_leave_while_it_thinks(open_screen, tmp_path: Path) -> None:
    screen = open_screen("loa", "--time", "600", "--side", "none", "--save", str(tmp_path / "game.json"))
    screen.wait_for("Black thinks: ")
    screen.type("\x03")
    screen.wait_for("White thinks: ")
    screen.type("\x03")
    assert screen.end() == 130
    assert len(json.loads((tmp_path / "game.json").read_text())["moves"]) == 1


def test_tab_completes_moves_and_commands(open_screen) -> None:
    pytest.importorskip("readline")
    screen = open_screen("chess", "--depth", "1")
    screen.wait_for("White> ")
    screen.type("Nf\t\n")
    assert "Nf3" in screen.wait_for("plays")
    screen.wait_for("White> ")
    screen.type("und\t\n")
    screen.wait_for("Took back Nf3")
    screen.wait_for("White> ")
    screen.type("g1f\t\nquit\n")
    assert "g1f3" in screen.wait_for("plays")
    assert screen.end() == 0


def test_colours_are_for_terminals_that_have_them(open_screen) -> None:
    for term, coloured in (("xterm-256color", True), ("dumb", False)):
        screen = open_screen("chess", "--depth", "1", term=term)
        screen.wait_for("White> ")
        screen.type("e4\n")
        seen = screen.wait_for("White> ")
        screen.type("quit\n")
        assert screen.end() == 0
        assert ("\x1b[" in seen) == coloured
        assert bool(re.search(r"\x1b\[[\d;]*7[\d;]*m", seen)) == coloured  # the squares of the last move


# The board as it is seen.


def board_of(text: str) -> list[str]:
    """The first board of an answer."""
    lines = text.splitlines()
    return lines[3 : lines.index("", 3)]


def test_whoever_has_the_second_side_sees_it_at_the_bottom(talk) -> None:
    lines = board_of(talk(sit("chess", "second", fen="4k3/8/8/8/8/8/R7/4K3 b - - 0 1")))
    assert lines[0] == "1 · · · ♔ · · · ·"
    assert lines[1] == "2 · · · · · · · ♖"
    assert lines[7:9] == ["8 · · · ♚ · · · ·", "  h g f e d c b a"]


def test_flip_turns_the_board_and_turns_it_back(talk) -> None:
    text = talk(sit("shogi", "both"), "flip", "flip")
    first, second, third = (part.split("\n\n")[0] for part in text.split("help.\n\n")[1].split("> flip\n"))
    assert first.strip() == third.strip() != second.strip()
    assert "１ ２ ３ ４ ５ ６ ７ ８ ９" in second
    assert "does" not in second and second.splitlines()[-2].startswith("White in hand")
    assert "cannot be turned" in talk(sit("connect_four:ConnectFour"), "flip")


def test_pieces_as_letters_need_nothing_but_ascii(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    for game in NATIVE_GAMES:
        monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
        Terminal(sit(game, "second", depth=1), Console(highlight=False, width=400), letters=True).run()
        board = capsys.readouterr().out
        assert board.isascii(), board
    done = run("shogi", "--letters", typed="q\n")
    assert "  L  N  S  G  K  G  S  N  L i" in done.stdout
    assert "  9  8  7  6  5  4  3  2  1" in done.stdout
    narrow = subprocess.run(
        [PLYPILOT, "play", "shogi"], input="q\n", capture_output=True, text=True, timeout=60,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert "L  N  S  G" in narrow.stdout


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_a_board_that_is_turned_twice_is_the_board(game: str) -> None:
    for seed in range(5):
        drawing = random_game(game, seed, longest=40).draw()
        assert turned(drawing) != drawing
        assert turned(turned(drawing)) == drawing


def test_a_hint_says_why(talk) -> None:
    text = talk(sit("chess", depth=4, fen="4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1"), "hint")
    assert re.search(r"  why: \S+, the next best, is worth \d+\.\d\d less; the line gains [\w ]+ [+]\d+\.\d\d", text)
    assert "the next best: Black loses" not in talk(sit("chess", fen=MATE_IN_ONE), "hint")
    only = sit("chess", fen="k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", side="second")
    assert "why" not in talk(only, "hint") or "only move" in talk(only, "hint")


def named(game: str, fen: str, feature: str, side: int, set_name: str = "half_board") -> str:
    term = explanation.Term(set_name, feature, 1.0, 10.0)
    return explanation.feature_words(pp.Position(game, fen or None), term, side)


def test_squares_are_named_as_the_board_shows_them() -> None:
    assert named("chess", "", "pawn_c4", 0) == "pawn on c4 or f4"
    assert named("chess", "", "pawn_c4", 1) == "pawn on c5 or f5"
    assert named("chess", "", "pawn_c4", 1, "full_board") == "pawn on c5"
    assert named("chess", "", "knight_b1", 0, "quarter_board") == "knight on b1 or b8 or g1 or g8"
    assert named("shogi", "", "silver_c1", 0) == "silver on 3i or 7i"  # where silvers begin
    assert named("shogi", "", "silver_c1", 1) == "silver on 3a or 7a"
    assert named("shogi", "", "pawn_e3", 0) == "pawn on 5g"
    assert named("loa", "", "piece_b1", 0) == "piece on b1 or g1"
    assert named("loa", "", "piece_b1", 1) == "piece on a2 or a7"  # White begins on the files at the sides
    assert named("breakthrough-6x5", "", "piece_a2", 1) == "piece on a4"
    assert named("breakthrough-6x5", "", "piece_rank_2", 1, "advancement") == "piece on rank 4"
    assert named("loa", "", "mobility", 1, "mia") == "mobility"


def test_the_turn_is_no_reason_of_a_hint() -> None:
    pilot, position = pp.Pilot.baseline("chess"), pp.Position("chess")
    line = [position.parse("e2e4")]
    assert "tempo" in {term.feature for term in explain(pilot, position)}
    assert "tempo" not in {term.feature for term in explanation.gains(pilot, position, line)}
    assert "pawn squares" in {term.feature for term in explanation.gains(pilot, position, line)}


def test_an_engine_that_plays_weakly_gives_good_hints(talk) -> None:
    sitting = sit("loa")
    sitting.limit = level_limit(1)
    assert re.search(r"^Hint: .* depth [4-9], 20000 nodes$", talk(sitting, "hint"), re.M)
    assert sitting.limit == level_limit(1)


def test_an_evaluation_is_explained_with_the_squares_of_the_board(talk) -> None:
    text = talk(sit("shogi", "second", fen="lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B3S1R1/LNSGKG1NL w - 2"), "eval")
    assert "half_board: silver on 4h or 6h  Black has 1 more" in text
    assert "half_board: silver on 3a or 7a  White has 1 more" in text


def test_gains_are_the_change_of_the_evaluation() -> None:
    pilot, position = pp.Pilot.plain("chess", "material"), pp.Position("chess", "4k3/8/8/8/8/8/4q3/4K3 w - - 0 1")
    [term] = explanation.gains(pilot, position, [position.parse("e1e2")])
    assert (term.feature, term.value, term.score) == ("queen", 1.0, 900.0)


def test_levels_are_three_times_apart_and_are_named() -> None:
    sizes = [level_limit(level).nodes for level in range(1, 11)]
    assert all(3 * below == above for below, above in itertools.pairwise(sizes))
    assert limit_words(level_limit(3)) == "level 3: 180 nodes a move"
    assert run("loa", "--level", "1", typed="q\n").stdout.startswith(
        "Lines of Action: you have Black, the engine (baseline, level 1: "
    )
    assert run("loa", "--level", "1", "--depth", "2").returncode == 2
