"""Outside engines: what they are told, how their answers are read, and what becomes of those that misbehave."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import threading
import time
import tracemalloc
from pathlib import Path

import pytest

import plypilot as pp
from conftest import SOAK
from plypilot.outside.dialect import needs_chess960
from plypilot.outside.engine import OutsideEngine, Patience, _Told
from plypilot.outside.option import Option
from plypilot.outside.program import Deadline
from plypilot.outside.spec import EngineError, EngineSpec, parse_engine
from plypilot.play.contestant import find_contestant
from plypilot.play.player import Player, PlayerFault
from plypilot.play.players import PilotPlayer, RandomPlayer
from plypilot.score import WIN_SCORE

FAKES = Path(__file__).parent / "fake_engines"
PYTHON = shlex.quote(sys.executable)
HASTY = Patience(grace=0.3)
"""For tests that wait in vain; the others are patient, as this machine may be busy."""
QUICK = pp.Limit(seconds=0.05)


def find_player(text: str, game: str) -> Player:
    found = find_contestant(text, game)
    found.check(game)
    return found.player()


def faulty(fault: str, number: int = 1, log: Path | None = None, *, protocol: str = "uci") -> str:
    """The text that names an engine of fake_engines/faulty.py."""
    script = shlex.quote(str(FAKES / "faulty.py"))
    return f"{protocol}:{PYTHON} -S -E {script} {fault} {number}" + (f" {shlex.quote(str(log))}" if log else "")


def random_mover(protocol: str, game: str) -> str:
    return f"{protocol}:{PYTHON} {shlex.quote(str(FAKES / 'random_mover.py'))} {protocol} {game}"


def told(engine: str, log: Path, position: pp.Position, limit: pp.Limit, opponent: float | None = None) -> list[str]:
    """The lines that a search of a position sends to an engine, after the handshake."""
    log.write_text("")
    with OutsideEngine(engine) as player:
        player.new_game(position.game, 0)
        with contextlib.suppress(PlayerFault):  # the fake does not know the rules
            player.choose(position, limit, opponent)
    lines = log.read_text().splitlines()
    assert lines[-1] == "quit"
    return lines[lines.index("ucinewgame" if engine.startswith("uci") else "usinewgame") + 2 : -1]


def play(first: object, second: object, game: str, plies: int = 10_000, limit: pp.Limit = QUICK) -> pp.Position:
    position = pp.Position(game)
    players = (first, second)
    for player in players:
        player.new_game(game, 1)  # type: ignore[attr-defined]
    while position.outcome() is None and position.ply < plies:
        position.push(players[position.turn].choose(position, limit).move)  # type: ignore[attr-defined]
    return position


# What users write


def test_an_engine_is_named_by_protocol_command_and_options() -> None:
    spec = parse_engine("uci:'/opt/my engine' --uci -x 1;Skill Level=0; Book = a=b ;Clear Hash")
    assert spec.protocol == "uci"
    assert spec.command == ("/opt/my engine", "--uci", "-x", "1")
    assert dict(spec.options) == {"Skill Level": "0", "Book": "a=b", "Clear Hash": None}
    assert parse_engine(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("stockfish", "expected uci:COMMAND or usi:COMMAND"),
        ("xboard:gnuchess", "expected uci:COMMAND or usi:COMMAND"),
        ("uci:", 'no command after "uci:"'),
        ("usi:;Hash=1", 'no command after "usi:"'),
        ("uci:'gnuchess", "No closing quotation"),
        ("uci:a;=3", "has no name"),
        ("uci:a;", "has no name"),
        ("uci:a;Hash=1;hash=2", 'option "hash" is given twice'),
        ("uci:a;Hash=1\nquit", "cannot be printed"),
    ],
)
def test_a_wrong_name_of_an_engine_is_explained(text: str, complaint: str) -> None:
    with pytest.raises(EngineError, match=complaint):
        parse_engine(text)


# Options


def test_options_are_read_with_names_and_choices_of_several_words() -> None:
    combo = Option.parse("option name NullMove Pruning type combo default Fail High var Always var Fail High")
    assert combo == Option("NullMove Pruning", "combo", "Fail High", choices=("Always", "Fail High"))
    spin = Option.parse("option name Mobility (Middle Game) type spin default 100 min 0 max 200")
    assert spin == Option("Mobility (Middle Game)", "spin", 100, 0, 200)
    assert Option.parse("option name Clear Hash type button") == Option("Clear Hash", "button")
    text = Option.parse("option name Path type string default min and max")
    assert text == Option("Path", "string", "min and max")
    assert Option.parse("option name Path type string default") == Option("Path", "string")
    assert Option.parse("option name x") is None
    assert Option.parse("option name n type spin default x min y max") == Option("n", "spin", "x")


@pytest.mark.parametrize(
    "option",
    [
        Option("Move Overhead", "spin", -3, -10, 5000),
        Option("Depth", "spin", 3),
        Option("Own Book", "check", True),
        Option("Style", "combo", "very solid", choices=("very solid", "wild")),
        Option("Book File", "string", "min and max"),
        Option("Path", "string"),
        Option("Clear Hash", "button"),
    ],
)
def test_a_declared_option_is_read_back_as_it_was(option: Option) -> None:
    assert Option.parse(f"option {option.declaration}") == option


def test_numbers_too_large_for_an_engine_are_refused_where_it_names_no_bounds() -> None:
    assert Option("n", "spin").check("-" + 18 * "9") == "-" + 18 * "9"
    with pytest.raises(ValueError, match="expected a whole number, got"):
        Option("n", "spin").check(19 * "9")


def test_options_are_sent_as_the_engine_spells_them(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with OutsideEngine(
        faulty("none", 1, log) + ";hash=032;OWNBOOK=False;nullmove pruning=fail high;Book File=;clear hash"
    ) as engine:
        engine.check("chess")
        assert engine.title == "Faulty 1.0"
    assert log.read_text().splitlines()[1:6] == [
        "setoption name Hash value 32",
        "setoption name OwnBook value false",
        "setoption name NullMove Pruning value Fail High",
        "setoption name Book File value <empty>",
        "setoption name Clear Hash",
    ]


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        ("Hush=1", 'no option "Hush"; it offers: Hash, OwnBook'),
        ("Hash=65", 'option "Hash": expected a whole number from 1 to 64, got "65"'),
        ("Hash=much", "expected a whole number from 1 to 64"),
        ("Hash", 'option "Hash": has no value'),
        ("OwnBook=maybe", "expected true or false"),
        ("NullMove Pruning=Sometimes", "expected one of Always, Fail High, Never"),
        ("Clear Hash=now", "is a button and takes no value"),
    ],
)
def test_a_wrong_option_is_an_error_before_any_game(option: str, complaint: str) -> None:
    with OutsideEngine(f"{faulty('none')};{option}") as engine:
        with pytest.raises(EngineError, match=complaint):
            engine.check("chess")
        assert engine._program is None


@pytest.mark.parametrize(
    ("engine", "game", "complaint"),
    [
        (faulty("none", protocol="usi"), "chess", "usi is the protocol of shogi"),
        (faulty("none"), "shogi", "uci has no notation for shogi; use a usi engine"),
        (faulty("none"), "chess-0", "plays no Chess960"),
        (faulty("variants"), "breakthrough-6x6", "on 8x8 squares"),
        (faulty("variants"), "loa", "expected one of chess, breakthrough, shogi"),
        (faulty("variants") + ";UCI_Variant=chess", "breakthrough", "UCI_Variant is chess, but the game is"),
    ],
)
def test_an_engine_that_cannot_play_a_game_is_refused_before_it(engine: str, game: str, complaint: str) -> None:
    with pytest.raises(EngineError, match=complaint):
        find_player(engine, game)


# What engines are told


def test_uci_gets_the_root_the_moves_and_the_limits(tmp_path: Path) -> None:
    log = tmp_path / "log"
    engine = faulty("none", 99, log)
    position = pp.Position("chess")
    assert told(engine, log, position, pp.Limit(depth=3, nodes=500)) == ["position startpos", "go depth 3 nodes 500"]
    position.push("e2e4")
    assert told(engine, log, position, pp.Limit(seconds=0.25)) == [
        "position startpos moves e2e4",
        "go movetime 250",
    ]
    position = pp.Position("chess", "4k3/8/8/8/8/8/8/4K1N1 w - -")
    position.push("e1e2")
    position.push("e8e7")
    assert told(engine, log, position, QUICK)[0] == "position fen 4k3/8/8/8/8/8/8/4K1N1 w - - 0 1 moves e1e2 e8e7"


def test_each_side_is_told_its_own_clock_as_its_own(tmp_path: Path) -> None:
    log = tmp_path / "log"
    limit = pp.Limit(clock=60.0, increment=0.5, moves_to_go=20)
    position = pp.Position("chess")
    first = told(faulty("none", 99, log), log, position, limit, 30.0)[-1]
    assert first == "go wtime 60000 btime 30000 winc 500 binc 500 movestogo 20"
    position.push("e2e4")
    second = told(faulty("none", 99, log), log, position, pp.Limit(clock=0.0004), 30.0)[-1]
    assert second == "go btime 1 wtime 30000"
    alone = told(faulty("none", 99, log), log, position, pp.Limit(clock=2.0))[-1]
    assert alone == "go btime 2000 wtime 2000"


def test_usi_gets_sfen_and_black_moves_first(tmp_path: Path) -> None:
    log = tmp_path / "log"
    engine = faulty("none", 99, log, protocol="usi")
    position = pp.Position("shogi", "4k4/9/9/9/9/9/9/9/4K4 b 2P 1")
    assert told(engine, log, position, pp.Limit(clock=2.0, increment=0.1), 1.0) == [
        "position sfen 4k4/9/9/9/9/9/9/9/4K4 b 2P 1",
        "go btime 2000 wtime 1000 binc 100 winc 100",
    ]
    position = pp.Position("shogi")
    position.push("7g7f")
    assert told(engine, log, position, pp.Limit(seconds=0.5)) == [
        "position startpos moves 7g7f",
        "go btime 0 wtime 0 byoyomi 500",
    ]


def test_games_are_set_apart_and_the_engine_is_asked_whether_it_is_ready(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with OutsideEngine(faulty("none", 99, log)) as engine:
        engine.new_game("chess", 0)
        engine.choose(pp.Position("chess"), pp.Limit(depth=1))
        engine.new_game("chess", 1)
    lines = log.read_text().splitlines()
    assert lines[:6] == ["uci", "isready", "ucinewgame", "isready", "position startpos", "go depth 1"]
    assert lines[6:] == ["ucinewgame", "isready", "quit"]


def test_chess960_is_turned_on_and_castling_written_as_king_takes_rook(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with OutsideEngine(faulty("chess960", 99, log)) as engine:
        engine.new_game("chess", 0)
        # The white king castles from the ordinary squares, the black one does not.
        position = pp.Position("chess", "1rk5/8/8/8/8/8/6PP/4K2R w Kq - 0 1")
        position.push("e1g1")
        with pytest.raises(PlayerFault, match="illegal move"):
            engine.choose(position, QUICK)
        ordinary = pp.Position("chess", "4k3/8/8/8/8/8/8/4K1NR w K - 0 1")
        engine.choose(ordinary, QUICK)
    lines = log.read_text().splitlines()[4:]
    assert lines == [
        "setoption name UCI_Chess960 value true",
        "position fen 1rk5/8/8/8/8/8/6PP/4K2R w Kq - 0 1 moves e1h1",
        "go movetime 50",
        "setoption name UCI_Chess960 value false",
        "position fen 4k3/8/8/8/8/8/8/4K1NR w K - 0 1",
        "go movetime 50",
        "quit",
    ]


@pytest.mark.parametrize(
    ("game", "fen", "needed"),
    [
        ("chess", None, False),
        ("chess-518", None, False),
        ("chess-0", None, True),
        ("chess", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", False),
        ("chess", "4k3/8/8/8/8/8/8/1K5R w - - 0 1", False),
        ("chess", "4k3/8/8/8/8/8/8/1K5R w K - 0 1", True),
        ("chess", "4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", True),
        ("chess", "4k3/8/8/8/8/8/8/4KR1R w F - 0 1", True),
        ("chess", "r1k5/8/8/8/8/8/8/4K3 w q - 0 1", True),
        ("loa", None, False),
    ],
)
def test_chess960_is_needed_where_castling_starts_from_other_squares(game: str, fen: str | None, needed: bool) -> None:
    assert needs_chess960(game, fen) == needed


def test_breakthrough_is_written_as_variant_engines_and_as_our_own_want_it(tmp_path: Path) -> None:
    log = tmp_path / "log"
    position = pp.Position("breakthrough", "8/8/1p6/8/8/P7/8/8 w")
    position.push("a3-a4")
    assert told(faulty("variants", 99, log), log, position, QUICK)[0] == (
        "position fen 8/8/1p6/8/8/P7/8/8 w - - 0 1 moves a3a4"
    )
    assert "setoption name UCI_Variant value breakthrough" in log.read_text()
    assert told(faulty("none", 99, log), log, position, QUICK)[0] == "position fen 8/8/1p6/8/8/P7/8/8 w moves a3-a4"


# How answers are read


@pytest.mark.parametrize(
    ("fault", "game", "fen", "move"),
    [
        ("castle", "chess", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"),
        ("castle_by_letters", "chess", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"),
        ("promote", "chess", "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"),
        ("promote_with_sign", "chess", "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8n"),
        ("two_squares", "breakthrough", None, "a2-a3"),
    ],
)
def test_moves_are_read_in_the_spellings_that_engines_use(fault: str, game: str, fen: str | None, move: str) -> None:
    with OutsideEngine(faulty(fault)) as engine:
        engine.new_game(game, 0)
        assert str(engine.choose(pp.Position(game, fen), QUICK).move) == move


@pytest.mark.parametrize(
    ("line", "score"),
    [
        ("cp 35", 35),
        ("cp -120 lowerbound", -120),
        ("mate 1", WIN_SCORE - 1),
        ("mate 3", WIN_SCORE - 5),
        ("mate -1", -WIN_SCORE + 2),
        ("mate 0", -WIN_SCORE),
        ("mate 100000", WIN_SCORE - 250),
        ("cp 99999", WIN_SCORE - 251),
        ("cp 20 nodes 7 multipv 2", None),
        ("unheard of", None),
        ("cp", None),
    ],
)
def test_scores_are_turned_into_ours(line: str, score: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_SCORE", line)
    with OutsideEngine(faulty("tell").replace(" -E ", " ")) as engine:
        engine.new_game("chess", 0)
        assert engine.choose(pp.Position("chess"), QUICK).score == score


def test_a_value_stands_against_later_bounds_and_usi_counts_mates_in_plies() -> None:
    heard = _Told(plies_a_mate=1)
    for line in (
        "depth 3 score mate 3 nodes 10",
        "depth 4 score cp 1 upperbound nodes 20",
        "depth 4 currmove 7g7f currmovenumber 2 nodes 30",
        "string depth 9 score cp 5",
    ):
        heard.read(line.split())
    assert (heard.score, heard.depth, heard.nodes) == (WIN_SCORE - 3, 3, 30)
    heard.read(["score", "mate", "-"])
    assert heard.score == -(WIN_SCORE - 250)


def test_depth_and_nodes_are_kept_and_garbage_is_let_pass() -> None:
    with OutsideEngine(faulty("garbage_then_move")) as engine:
        engine.new_game("chess", 0)
        choice = engine.choose(pp.Position("chess"), QUICK)
    assert (str(choice.move), choice.score, choice.depth) == ("g1f3", 21, 3)


def test_an_engine_that_does_not_count_its_nodes_is_stopped() -> None:
    with OutsideEngine(faulty("endless_nodes")) as engine:
        engine.new_game("chess", 0)
        choice = engine.choose(pp.Position("chess"), pp.Limit(nodes=1000))
    assert (str(choice.move), choice.score, choice.nodes) == ("g1f3", 2, 1100)


def test_what_was_said_unasked_is_no_answer_to_the_next_move() -> None:
    with OutsideEngine(faulty("two_answers")) as engine:
        engine.new_game("chess", 0)
        position = pp.Position("chess")
        position.push(engine.choose(position, QUICK).move)
        position.push("e7e5")
        time.sleep(0.05)
        assert str(engine.choose(position, QUICK).move) == "f3g1"


def test_a_search_without_any_limit_is_refused() -> None:
    with OutsideEngine(faulty("none")) as engine, pytest.raises(ValueError, match="for ever"):
        engine.choose(pp.Position("chess"), pp.Limit())


# What goes wrong


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("crash", r'crashed \(exit status 3\): "assertion failed: depth > 0"'),
        ("segfault", r"crashed \(signal SIGSEGV\)"),
        ("leave", r"crashed \(exit status 0\)"),
        ("leave_child", r"crashed \(exit status 4\)"),
        ("stall", r'stalled: no "bestmove" within 0.35 s: "deadlock ahead"'),
        ("talk_only", r'stalled: no "bestmove" within 0.35 s'),
        ("flood", r'stalled: no "bestmove" within 0.35 s'),
        ("flood_without_lines", r'stalled: no "bestmove" within 0.35 s'),
        ("flood_errors", r'stalled: no "bestmove" within 0.35 s: "[ops]+"'),
        ("close_output", r"closed its output"),
        ("illegal", r'illegal move "e2e5"'),
        ("malformed", r'illegal move "\ufffd\[31mx+"'),
        ("resign", r"resigned"),
        ("win", r"claimed a win by entering king, .*"),
        ("no_move", r'named no move \("bestmove "\)'),
        ("none", r'named no move \("bestmove \(none\)"\)'),
        ("null_move", r'named no move \("bestmove 0000"\)'),
    ],
)
def test_a_fault_in_the_second_move_names_its_cause_and_the_next_game_is_played(fault: str, cause: str) -> None:
    with OutsideEngine(faulty(fault, 2), patience=HASTY) as engine:
        engine.new_game("chess", 0)
        position = pp.Position("chess")
        position.push(engine.choose(position, pp.Limit(seconds=5.0)).move)
        position.push("e7e5")
        began = time.monotonic()
        with pytest.raises(PlayerFault, match=f"^{cause}$"):
            engine.choose(position, QUICK)
        assert time.monotonic() - began < 1.5
        engine.new_game("chess", 1)
        assert str(engine.choose(pp.Position("chess"), pp.Limit(seconds=5.0)).move) == "g1f3"


@pytest.mark.parametrize(
    ("engine", "cause"),
    [
        ("uci:/nowhere/engine", 'did not start: no program "/nowhere/engine"'),
        (f"uci:{shlex.quote(str(FAKES))}", "did not start: .*ermission denied"),
        (faulty("exit_at_start"), r'did not start: crashed \(exit status 1\): "cannot open network.bin"'),
        (faulty("no_uciok"), 'did not start: stalled: no "uciok" within 0.5 s'),
        (faulty("deaf"), 'did not start: stalled: no "uciok" within 0.5 s; does it speak usi, or need an option'),
        (faulty("never_ready", 0), 'stalled: no "readyok" within 0.5 s'),
    ],
)
def test_an_engine_that_does_not_start_says_why(engine: str, cause: str) -> None:
    player = OutsideEngine(engine, patience=Patience(start=0.5, ready=0.5))
    with pytest.raises(PlayerFault, match=cause):
        player.new_game("chess", 0)
    with pytest.raises(EngineError, match=cause):
        player.check("chess")
    player.close()


def test_a_slow_engine_may_use_the_grace_and_no_more() -> None:
    position = pp.Position("chess")
    with OutsideEngine(faulty("slow"), patience=Patience(grace=5.0)) as engine:
        engine.new_game("chess", 0)
        began = time.monotonic()
        engine.choose(position, pp.Limit(clock=0.05))  # it is for the caller to see that 0.05 s have passed
        assert 0.3 <= time.monotonic() - began < 3.0
    with OutsideEngine(faulty("slow"), patience=Patience(grace=0.1)) as engine:
        engine.new_game("chess", 0)
        began = time.monotonic()
        with pytest.raises(PlayerFault, match=r"within 0\.15 s"):
            engine.choose(position, pp.Limit(clock=0.05))
        assert 0.15 <= time.monotonic() - began < 1.0


def test_an_engine_that_reads_nothing_stalls_instead_of_blocking_us() -> None:
    position = pp.Position("chess")
    for _ in range(7000):  # more text than a pipe holds
        for move in ("g1f3", "g8f6", "f3g1", "f6g8"):
            position.push(move)
    with OutsideEngine(faulty("stall"), patience=HASTY) as engine:
        engine.new_game("chess", 0)
        engine._program.send("go", Deadline(5.0))  # type: ignore[union-attr]
        with pytest.raises(PlayerFault, match=r"stalled: does not read its input within 0\.35 s"):
            engine.choose(position, QUICK)


@pytest.mark.parametrize("fault", ["flood", "flood_without_lines", "flood_errors"])
def test_a_flood_of_output_takes_no_memory(fault: str) -> None:
    with OutsideEngine(faulty(fault), patience=HASTY) as engine:
        engine.new_game("chess", 0)
        tracemalloc.start()
        try:
            with pytest.raises(PlayerFault):
                engine.choose(pp.Position("chess"), QUICK)
            assert tracemalloc.get_traced_memory()[1] < 2_000_000
        finally:
            tracemalloc.stop()


def test_a_long_story_before_a_move_is_heard_out() -> None:
    with OutsideEngine(faulty("flood_then_move"), patience=HASTY) as engine:
        engine.new_game("chess", 0)
        assert str(engine.choose(pp.Position("chess"), pp.Limit(nodes=5)).move) == "g1f3"


def test_an_engine_that_died_between_games_is_started_again() -> None:
    with OutsideEngine(faulty("none", 99), patience=HASTY) as engine:
        engine.new_game("chess", 0)
        os.kill(engine._program.pid, 9)  # type: ignore[union-attr]
        time.sleep(0.05)
        engine.new_game("chess", 1)
        assert str(engine.choose(pp.Position("chess"), pp.Limit(seconds=5.0)).move) == "g1f3"


def test_an_engine_that_dies_between_two_moves_has_left_the_game() -> None:
    with OutsideEngine(faulty("none", 99), patience=HASTY) as engine:
        engine.new_game("chess", 0)
        position = pp.Position("chess")
        position.push(engine.choose(position, pp.Limit(seconds=5.0)).move)
        position.push("e7e5")
        os.kill(engine._program.pid, 9)  # type: ignore[union-attr]
        time.sleep(0.05)
        with pytest.raises(PlayerFault, match=r"crashed \(signal SIGKILL\)"):
            engine.choose(position, pp.Limit(seconds=5.0))


# What is left behind


def children() -> set[int]:
    return {int(pid) for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


linux = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")


@linux
def test_hundreds_of_games_and_crashes_leave_no_process_thread_or_file() -> None:
    def count() -> tuple[int, int, set[int]]:
        return len(os.listdir("/proc/self/fd")), threading.active_count(), children()  # noqa: PTH208

    before = count()
    with OutsideEngine(faulty("crash", 40)) as engine:
        crashes = 0
        for number in range(2000 if SOAK else 300):
            engine.new_game("chess", number)
            position = pp.Position("chess")
            try:
                for reply in ("g8f6", "f6g8"):
                    position.push(engine.choose(position, QUICK).move)
                    position.push(reply)
            except PlayerFault:
                crashes += 1
                assert count() == before
        assert crashes >= (90 if SOAK else 14)
    assert count() == before


@linux
@pytest.mark.parametrize("fault", ["none", "will_not_quit", "stall"])
def test_closing_ends_the_engine_whether_it_wants_to_or_not(fault: str) -> None:
    engine = OutsideEngine(faulty(fault, 99))
    engine.new_game("chess", 0)
    pid = engine._program.pid  # type: ignore[union-attr]
    assert is_alive(pid)
    engine.close()
    assert not is_alive(pid)
    engine.close()


@linux
def test_what_an_engine_started_ends_with_it(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    spec = EngineSpec("uci", ("sh", "-c", f"sleep 1000 & echo $! > {shlex.quote(str(file))}; cat >&2; wait"))
    with OutsideEngine(spec, patience=Patience(start=1.0)) as engine, pytest.raises(PlayerFault, match='no "uciok"'):
        engine.new_game("chess", 0)
    pid = int(file.read_text())
    deadline = time.monotonic() + 5.0
    while is_alive(pid) and time.monotonic() < deadline:  # it is not our child, so nobody tells us
        time.sleep(0.01)
    assert not is_alive(pid)


@linux
def test_an_engine_that_nobody_closed_ends_with_python() -> None:
    script = (
        "from plypilot.outside.engine import OutsideEngine\n"
        "from plypilot.outside.program import Deadline\n"
        f"engine = OutsideEngine({faulty('stall')!r})\n"
        "engine.new_game('chess', 0)\n"
        "engine._program.send('go', Deadline(5.0))  # from now on it reads nothing, not even the end of its input\n"
        "print(engine._program.pid)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert not is_alive(int(done.stdout))


# Whole games


@pytest.mark.parametrize(("protocol", "game"), [("uci", "chess"), ("usi", "shogi"), ("uci", "loa")])
def test_an_outside_engine_plays_whole_games(protocol: str, game: str) -> None:
    with OutsideEngine(random_mover(protocol, game) + ";Seed=3") as engine:
        position = play(engine, RandomPlayer(), game, 200)
    assert position.ply > 10


@pytest.mark.parametrize(
    ("engine", "game", "limit"),
    [
        ("uci:stockfish;Skill Level=0;Hash=16", "chess", pp.Limit(nodes=200)),
        ("uci:stockfish;Skill Level=0;Hash=16", "chess-17", pp.Limit(nodes=200)),
        ("uci:gnuchess --uci;OwnBook=false", "chess", pp.Limit(depth=2)),
        ("uci:gnuchess --uci;OwnBook=false", "chess", pp.Limit(nodes=200)),
        ("uci:toga2;OwnBook=false", "chess", pp.Limit(depth=2)),
        ("uci:glaurung;Threads=1;OwnBook=false", "chess", pp.Limit(depth=2)),
        ("usi:fairy-stockfish", "shogi", pp.Limit(nodes=200)),
        ("usi:fairy-stockfish;UCI_Variant=shogi", "shogi", pp.Limit(seconds=0.02)),
        ("uci:fairy-stockfish;UCI_Variant=breakthrough", "breakthrough", pp.Limit(depth=2)),
    ],
)
def test_real_engines_play(engine: str, game: str, limit: pp.Limit) -> None:
    spec = parse_engine(engine)
    path = shutil.which(spec.command[0], path=os.environ.get("PATH", "") + os.pathsep + "/usr/games")
    if path is None:
        pytest.skip(f"{spec.command[0]} is not installed")
    first = find_player(engine.replace(spec.command[0], path, 1), game)
    try:
        played = play(first, RandomPlayer(), game, 40, limit)
        choice = played.outcome() or first.choose(played, limit)
    finally:
        first.close()
    assert played.ply >= 8
    assert isinstance(choice, pp.Outcome) or choice.score is not None


# The other players


def test_a_pilot_plays_what_it_searches_and_begins_each_game_anew() -> None:
    player = PilotPlayer(pp.Pilot.baseline("breakthrough"))
    position = pp.Position("breakthrough-6x6")
    player.new_game("breakthrough-6x6", 0)
    first = player.choose(position, pp.Limit(depth=6))
    again = player.choose(position, pp.Limit(depth=6))
    assert again.nodes < first.nodes  # the table is kept within a game
    player.new_game("breakthrough-6x6", 0)
    assert player.choose(position, pp.Limit(depth=6)) == first
    with pytest.raises(ValueError, match="is a pilot of breakthrough, not of chess"):
        player.new_game("chess", 0)
    player.close()


def test_random_moves_come_from_the_seed_and_are_uniform() -> None:
    player = RandomPlayer()
    position = pp.Position("breakthrough-4x4")

    def line(seed: int) -> list[str]:
        player.new_game("breakthrough-4x4", seed)
        return [str(player.choose(position, QUICK).move) for _ in range(1000)]

    assert line(1) == line(1) != line(2)
    counts = [line(1).count(str(move)) for move in position.moves()]
    assert len(counts) == 6
    assert all(110 < count < 225 for count in counts)


def test_players_are_found_by_name(tmp_path: Path) -> None:
    file = tmp_path / "my.pilot"
    pp.Pilot.plain("loa").save(file)
    for text, game in (("baseline", "chess"), ("plain", "shogi"), ("random", "loa"), (str(file), "loa")):
        player = find_player(text, game)
        assert player.name == text
        player.new_game(game, 0)
        assert player.choose(pp.Position(game), pp.Limit(depth=1)).move in pp.Position(game).moves()
        player.close()
    assert find_player("plain", "connect_four:ConnectFour").name == "plain"


@pytest.mark.parametrize(
    ("text", "game", "complaint"),
    [
        ("nobody.pilot", "chess", 'no file "nobody.pilot"'),
        ("baseline", "go", 'no game is called "go"'),
        ("random", "go", 'no game is called "go"'),
        ("baseline:loa", "chess", "baseline:loa is a pilot of loa, not of chess"),
        ("uci:nowhere-to-be-found", "chess", 'no program "nowhere-to-be-found"'),
    ],
)
def test_a_player_that_cannot_be_found_is_explained(text: str, game: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        find_player(text, game)
