"""The engines as another program meets them: every command, what is refused, and what each answer means."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from pathlib import Path

import pytest

import plypilot as pp
from engine_session import PLYPILOT, Session
from plypilot.engine import Engine, UciEngine, UsiEngine
from plypilot.engine.go import read_go
from plypilot.engine.table_size import most_megabytes
from plypilot.outside.option import Option, whole_number
from plypilot.searcher import Searcher

QUEEN_ENDING = "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1"
"""White mates at once, on g7."""


class Talk:
    """An engine in this process, with what it has said."""

    def __init__(self, kind: type[Engine] = UciEngine, game: str = "chess") -> None:
        self.lines: list[str] = []
        self._came = threading.Condition()
        self.engine = kind(pp.Pilot.baseline(game), self._hear)

    def _hear(self, line: str) -> None:
        with self._came:
            self.lines.append(line)
            self._came.notify_all()

    def send(self, *lines: str) -> list[str]:
        """Sends lines; what was said until the last one had been obeyed."""
        before = len(self.lines)
        for line in lines:
            assert self.engine.handle(line)
        return self.lines[before:]

    def go(self, *lines: str) -> list[str]:
        """Sends lines, of which one is ``go``, and waits for the answer."""
        before = len(self.lines)
        for line in lines:
            assert self.engine.handle(line)
        with self._came:
            assert self._came.wait_for(lambda: any(each.startswith("bestmove") for each in self.lines[before:]), 30)
        return self.lines[before:]


def best(lines: list[str]) -> str:
    return lines[-1].split()[1]


def infos(lines: list[str]) -> list[dict[str, str]]:
    """The fields of the info lines: score as ``cp 10`` or ``mate 2``, the line under ``pv``."""
    found = []
    for line in lines:
        if line.startswith("info depth"):
            head, _, pv = line.partition(" pv ")
            fields = dict(re.findall(r"(\w+) ((?:cp |mate )?-?\d+)", head.removeprefix("info ")))
            found.append(fields | {"pv": pv})
    return found


def test_it_says_who_it_is_and_what_can_be_set() -> None:
    lines = Talk().send("uci")
    assert lines[0].startswith("id name plypilot ")
    assert lines[-1] == "uciok"
    names = [line.split(" name ")[1].split(" type ")[0] for line in lines if line.startswith("option")]
    assert names == [
        "Hash", "Threads", "MultiPV", "Ponder", "Pilot", "Move Overhead", "Clear Hash",
        "UCI_Chess960", "UCI_AnalyseMode", "UCI_LimitStrength", "UCI_Elo", "UCI_Variant",
    ]  # fmt: skip
    assert "option name Hash type spin default 16 min 1 max " in "\n".join(lines)
    assert "option name UCI_Variant type combo default chess var chess var breakthrough var loa" in lines


def test_usi_names_its_options_without_spaces() -> None:
    lines = Talk(UsiEngine, "shogi").send("usi")
    assert lines[-1] == "usiok"
    names = [line.split(" name ")[1].split(" type ")[0] for line in lines if line.startswith("option")]
    assert names == ["USI_Hash", "Threads", "MultiPV", "USI_Ponder", "Pilot", "Move_Overhead", "Clear_Hash"]


@pytest.mark.parametrize(
    ("kind", "game", "position"),
    [
        (UciEngine, "chess", "position startpos moves e2e4 e7e5"),
        (UciEngine, "chess", "position fen r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1 moves e8c8"),
        (UciEngine, "breakthrough", "position startpos moves a2-a3 h7-h6"),
        (UciEngine, "breakthrough-6x6", "position startpos moves a2-a3"),
        (UciEngine, "loa", "position startpos moves b8-b6"),
        (UsiEngine, "shogi", "position startpos moves 7g7f 3c3d"),
        (
            UsiEngine,
            "shogi",
            "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves 7g7f",
        ),
    ],
)
def test_it_plays_a_legal_move_in_the_notation_of_the_game(kind: type[Engine], game: str, position: str) -> None:
    talk = Talk(kind, game)
    lines = talk.go(position, "go depth 4")
    words = position.split()
    reached = pp.Position(game, None if words[1] == "startpos" else " ".join(words[2 : words.index("moves")]))
    for move in words[words.index("moves") + 1 :]:
        reached.push(move)
    reached.push(best(lines))
    reports = infos(lines)
    assert [int(each["depth"]) for each in reports] == [1, 2, 3, 4]
    assert reports[-1]["pv"].split()[0] == best(lines)
    assert all({"seldepth", "multipv", "score", "nodes", "nps", "hashfull", "time"} <= set(each) for each in reports)
    if len(words := lines[-1].split()) > 2:
        assert words[2] == "ponder"
        assert reached.parse(words[3])


def test_other_programs_may_write_two_squares_and_the_fields_of_chess() -> None:
    talk = Talk(UciEngine, "breakthrough")
    lines = talk.go(
        "position fen pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w - - 0 1 moves a2a3 h7h6 a3a4", "go depth 2"
    )
    assert "-" in best(lines)
    assert talk.engine._position.fen() == "pppppppp/ppppppp1/7p/8/P7/8/1PPPPPPP/PPPPPPPP b"


def test_a_win_is_told_in_moves_by_uci_and_in_plies_by_usi() -> None:
    talk = Talk()
    assert infos(talk.go(f"position fen {QUEEN_ENDING}", "go depth 3"))[-1]["score"] == "mate 1"
    # Ladder: the rooks mate in two moves, three plies; and seen from the other side, in one move, two plies.
    ladder = "7k/8/8/8/8/R7/1R6/K7 w - - 0 1"
    assert infos(talk.go(f"position fen {ladder}", "go depth 4"))[-1]["score"] == "mate 2"
    assert infos(talk.go(f"position fen {ladder} moves b2b7", "go depth 4"))[-1]["score"] == "mate -1"
    shogi = Talk(UsiEngine, "shogi")
    head_gold = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"
    assert infos(shogi.go(f"position sfen {head_gold}", "go depth 3"))[-1]["score"] == "mate 1"
    assert [UciEngine.mate_number(talk.engine, plies) for plies in (1, 2, 3, 4, 5)] == [1, 1, 2, 2, 3]
    assert [UciEngine.mate_number(talk.engine, plies) for plies in (0, -1, -2, -3, -4)] == [0, -1, -1, -2, -2]


def test_where_the_game_has_ended_there_is_no_move() -> None:
    assert Talk().go(f"position fen {QUEEN_ENDING} moves g1g7", "go depth 3")[-1] == "bestmove (none)"
    mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"
    assert Talk(UsiEngine, "shogi").go(f"position sfen {mated}", "go depth 3")[-1] == "bestmove resign"


def test_only_the_moves_asked_for_are_searched() -> None:
    talk = Talk()
    assert best(talk.go("position startpos", "go depth 3 searchmoves h2h4 a2a3")) in ("h2h4", "a2a3")
    lines = talk.go("go searchmoves h2h4 e2e5 depth 2")  # one of them is not legal
    assert best(lines) == "h2h4"
    assert 'info string searchmoves: move "e2e5" is not legal' in "\n".join(lines)


def test_several_lines_are_told_each_from_another_move_the_best_first() -> None:
    talk = Talk()
    lines = talk.go("setoption name MultiPV value 4", "position startpos", "go depth 5")
    last = [each for each in infos(lines) if each["depth"] == "5"]
    assert [each["multipv"] for each in last] == ["1", "2", "3", "4"]
    assert len({each["pv"].split()[0] for each in last}) == 4
    scores = [int(each["score"].split()[1]) for each in last]
    assert scores == sorted(scores, reverse=True)
    assert best(lines) == last[0]["pv"].split()[0]
    # More lines than moves: as many as there are.
    few = infos(talk.go("setoption name MultiPV value 500", "position fen k7/8/8/8/8/8/8/K7 w - - 0 1", "go depth 2"))
    assert {each["multipv"] for each in few} == {"1", "2", "3"}


def test_lines_go_on_by_the_table() -> None:
    """The table is kept from move to move, and cuts the lines of the tree: a person is told the rest too."""
    talk, searcher, position = Talk(), Searcher(pp.Pilot.baseline("chess")), pp.Position("chess")
    added = 0
    for _ in range(8):
        played = " ".join(map(str, position.played))
        told = infos(talk.go(f"position startpos{' moves ' * bool(played)}{played}", "go nodes 5000"))[-1]
        result = searcher.search(position, pp.Limit(nodes=5000))
        assert told["pv"].split() == [str(move) for move in result.whole_pv]
        added += len(result.continuation)
        assert result.move is not None
        position.push(result.move)
    assert added > 0


def test_a_mate_is_not_refuted_by_a_search_that_was_stopped() -> None:
    lines = Talk().go("position startpos", "go mate 60", "stop")
    assert not any("there is no mate" in line for line in lines)


def test_go_mate_refutes_by_searching_every_line() -> None:
    lines = Talk().go("position startpos", "go mate 2")
    assert "info string there is no mate in 2: every line was searched" in lines
    assert lines[-1].startswith("bestmove ")
    lines = Talk().go(f"position fen {QUEEN_ENDING}", "go mate 1")
    assert infos(lines)[-1]["score"] == "mate 1" and not any("no mate" in line for line in lines)


def test_a_limited_strength_takes_fewer_nodes() -> None:
    talk = Talk()
    for elo, most in ((400, 60), (1500, 3370), (2800, 393_660)):
        talk.send("setoption name UCI_LimitStrength value true", f"setoption name UCI_Elo value {elo}")
        assert talk.engine.most_nodes() == most
        nodes = int(infos(talk.go("position startpos", "go nodes 5000"))[-1]["nodes"])
        assert nodes <= min(most, 5000)
    talk.send("setoption name UCI_LimitStrength value false")
    assert talk.engine.most_nodes() is None


def test_d_draws_the_position_and_bench_counts_nodes() -> None:
    talk = Talk()
    lines = talk.send("position startpos moves e2e4", "d")
    assert lines[4] == "4 · · · · ♙ · · ·" and lines[-1].startswith("fen: rnbqkbnr/pppppppp/8/8/4P3/")
    first, again = (talk.send("bench 3")[-1].split() for _ in range(2))
    assert first[0] == again[0] and first[1::2] == ["nodes", "nps"]
    assert "info string bench: " in talk.send("bench deep")[-1]


def test_go_mate_ends_when_the_mate_is_seen() -> None:
    lines = Talk().go(f"position fen {QUEEN_ENDING}", "go mate 2")
    assert infos(lines)[-1]["score"] == "mate 1"
    assert Talk(UsiEngine, "shogi").send("position startpos", "go mate infinite") == ["checkmate notimplemented"]


def test_a_node_limit_is_exact() -> None:
    lines = Talk().go("position startpos", "go nodes 3000")
    assert infos(lines)[-1]["nodes"] == "3000"


def test_an_endless_search_answers_after_stop_and_not_before() -> None:
    talk = Talk()
    # Short of moves the search itself ends at once, or at its greatest depth: the answer waits all the same.
    for position in ("startpos", f"fen {QUEEN_ENDING} moves g1g7", "fen k7/8/8/8/8/8/8/K7 w - - 0 1"):
        talk.lines.clear()
        talk.send(f"position {position}", "go infinite")
        time.sleep(0.3)
        assert talk.lines
        assert not any(line.startswith("bestmove") for line in talk.lines)
        assert talk.go("stop")[-1].startswith("bestmove")
    assert talk.send("stop") == []  # nothing to stop


def test_pondering_answers_after_ponderhit_within_the_time_that_then_begins() -> None:
    talk = Talk()
    talk.send("position startpos moves e2e4 e7e5", "go ponder wtime 300 btime 300")
    time.sleep(0.6)  # far more than the clock has: it does not run yet
    assert not talk.lines[-1].startswith("bestmove")
    started = time.perf_counter()
    talk.go("ponderhit")
    assert time.perf_counter() - started < 0.3
    # Or the opponent played another move.
    talk.send("go ponder wtime 300 btime 300")
    assert talk.go("stop")[-1].startswith("bestmove")
    assert talk.send("ponderhit") == []


def test_a_word_that_comes_before_the_search_has_begun_is_not_lost() -> None:
    talk = Talk()
    for _ in range(50):
        talk.go("position startpos", "go infinite", "stop")
        talk.go("go ponder movetime 1", "ponderhit")


def test_go_during_a_search_ends_it_first_and_each_go_has_one_answer() -> None:
    talk = Talk()
    lines = talk.go("position startpos", "go infinite", "go infinite", "go ponder", "go infinite", "go depth 2")
    while sum(line.startswith("bestmove") for line in lines) < 5:
        time.sleep(0.01)
        lines = talk.lines
    assert sum(line.startswith("bestmove") for line in lines) == 5


def test_what_is_refused_leaves_the_position_as_it_was() -> None:
    talk = Talk()
    talk.send("position startpos moves e2e4")
    before = talk.engine._position.fen()
    for line in (
        "position startpos moves e2e4 e7e4",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "position fen",
        "position",
        "position startpos e2e4",
        "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "position startpos moves " + "x" * 5000,
    ):
        (answer,) = talk.send(line)
        assert answer.startswith("info string position: ")
        assert len(answer) < 400
        assert talk.engine._position.fen() == before


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("joho", 'unknown command "joho"'),
        ("setoption name Foo value 1", 'no option "Foo"; there are: Hash, Threads'),
        ("setoption", "expected: setoption name NAME value VALUE"),
        ("setoption name Hash value many", f'Hash: expected a whole number from 1 to {most_megabytes()}, got "many"'),
        ("setoption name Hash value 99999999999999999999999", f"Hash is {most_megabytes()}: it goes from 1 to"),
        ("setoption name Hash value -5", "Hash is 1: it goes from 1 to"),
        ("setoption name MultiPV value 0", "MultiPV is 1: it goes from 1 to 500"),
        ("setoption name Ponder value maybe", "Ponder: expected true or false"),
        ("setoption name UCI_Variant value checkers", "UCI_Variant: expected one of chess, breakthrough, loa"),
        ("setoption name Pilot value /no/such.pilot", "/no/such.pilot"),
        ("setoption name Pilot value .", 'Pilot: no file "."'),
        ("setoption name Pilot value /dev/stdin", "Pilot: no file"),
        ("setoption name Pilot value baseline:antigravity:Game", "Pilot: no file"),
        ("setoption name Pilot value a\0b", "Pilot: "),
    ],
)
def test_what_cannot_be_obeyed_is_remarked_on(line: str, answer: str) -> None:
    talk = Talk()
    (said,) = talk.send(line)
    assert said.startswith("info string ")
    assert answer in said
    assert talk.go("position startpos", "go depth 1")[-1].startswith("bestmove")


def test_register_and_debug_are_accepted_and_empty_lines_skipped() -> None:
    assert Talk().send("debug on", "register later", "", "   ", "ponderhit", "stop") == []


def test_options_do_what_they_say(tmp_path: Path) -> None:
    talk = Talk()

    def searcher() -> pp.Searcher:
        return talk.engine._find_searcher(talk.engine._recipe())

    assert searcher().pilot == pp.Pilot.baseline("chess")
    talk.send("setoption name Hash value 40")
    assert searcher().pilot.search.table.log2_entries == 21  # 32 MB: the largest power of two that fits
    talk.send("setoption name hash value 2")  # names have no case
    assert searcher().pilot.search.table.log2_entries == 17

    file = tmp_path / "my pilot.safetensors"
    pp.Pilot.plain("chess", "material").save(file)
    assert talk.send(f"setoption name Pilot value {file}") == []
    assert searcher().pilot == pp.Pilot.load(file)  # without a table, whatever Hash says
    pp.Pilot.baseline("loa").save(file)
    assert "is a pilot of loa, not of chess" in talk.send(f"setoption name Pilot value {file}")[0]
    assert searcher().pilot.evaluation == pp.Pilot.plain("chess", "material").evaluation
    assert talk.send("setoption name Pilot value <empty>") == []
    assert searcher().pilot.evaluation == pp.Pilot.baseline("chess").evaluation

    noisy = pp.Pilot.baseline("chess").replace({"search.root.noise": 50, "search.root.random_ties": True})
    noisy.save(file)
    talk.send(f"setoption name Pilot value {file}")
    assert searcher().pilot.search.root == noisy.search.root
    talk.send("setoption name UCI_AnalyseMode value true")
    assert searcher().pilot.search.root == pp.Pilot.baseline("chess").search.root


def test_another_variant_is_another_game_from_its_start() -> None:
    talk = Talk()
    talk.send("position startpos moves e2e4", "setoption name UCI_Variant value loa")
    assert re.fullmatch(r"[a-h]\d[-x][a-h]\d", best(talk.go("go depth 2")))
    talk.send("position startpos moves b8-b6", "setoption name UCI_Variant value loa")  # no change
    assert talk.engine._position.ply == 1


def test_chess960_castles_by_taking_the_rook() -> None:
    talk = Talk()
    king_side = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    assert best(talk.go(king_side, "go depth 1 searchmoves e1g1")) == "e1g1"
    talk.send("setoption name UCI_Chess960 value true")
    assert best(talk.go(king_side, "go depth 1 searchmoves e1h1")) == "e1h1"
    assert best(talk.go(f"{king_side} moves e1h1", "go depth 1 searchmoves e8d7")) == "e8d7"
    promotion = "position fen 8/P6k/8/8/8/8/8/K7 w - - 0 1"
    assert best(talk.go(promotion, "go depth 1 searchmoves a7a8n")) == "a7a8n"


def test_the_table_is_kept_within_a_game_and_cleared_for_another() -> None:
    talk = Talk()

    def nodes(*lines: str) -> int:
        return int(infos(talk.go(*lines, "position startpos", "go depth 6"))[-1]["nodes"])

    first = nodes()
    assert nodes() < first
    assert nodes("ucinewgame") == first
    assert nodes() < first
    assert nodes("setoption name Clear Hash") == first


def test_a_searcher_is_not_made_anew_by_isready_alone() -> None:
    talk = Talk()
    talk.send("isready")
    made = talk.engine._made
    talk.send("isready", "position startpos")
    talk.go("go depth 1")
    assert talk.engine._made is made


def test_setoption_waits_for_a_search_that_was_stopped_and_is_refused_while_one_runs() -> None:
    talk = Talk()
    talk.send("position startpos", "go infinite")
    assert "send stop first" in talk.send("setoption name MultiPV value 2")[-1]
    said = talk.send("stop", "setoption name MultiPV value 2")
    assert said[-1].startswith("bestmove")
    assert talk.engine.value("MultiPV") == 2


def test_a_search_that_fails_still_answers_with_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Talk()

    def fail(*_: object, **__: object) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr(pp.Searcher, "search", fail)
    lines = talk.go("position startpos", "go depth 3")
    assert "info string the search failed: no room" in lines
    assert pp.Position("chess").parse(best(lines))


def test_threads_search_one_position_together() -> None:
    talk = Talk()
    lines = talk.go("setoption name Threads value 2", "position startpos", "go depth 8")
    assert infos(lines)[-1]["depth"] == "8"
    pp.Position("chess").push(best(lines))


def test_the_limits_of_go_are_read_for_the_side_to_move() -> None:
    remarks: list[str] = []

    def read(text: str, mine: str = "w") -> pp.Limit:
        return read_go(text.split(), mine, 50, remarks.append).limit

    clock = "wtime 60000 btime 30000 winc 1000 binc 500 movestogo 10"
    assert read(clock) == pp.Limit(clock=60, increment=1, moves_to_go=10)
    assert read(clock, "b") == pp.Limit(clock=30, increment=0.5, moves_to_go=10)
    assert read("wtime -20 btime 5 movestogo 0 winc -3") == pp.Limit(clock=0.001)
    assert read("btime 5000") == pp.Limit(clock=5)  # the other clock is better than none
    assert read("btime 0 wtime 0 byoyomi 10000", "b") == pp.Limit(clock=0, byoyomi=10)
    assert read("byoyomi 10000") == pp.Limit(clock=0, byoyomi=10)
    assert read("movetime 1000") == pp.Limit(seconds=0.95)  # the margin of the pilot is kept back,
    assert read("movetime 100") == pp.Limit(seconds=0.09)  # but no more than a tenth
    assert read("depth 0 nodes -1") == pp.Limit(depth=1, nodes=1)
    assert read(f"depth 999 nodes {10**30}") == pp.Limit(depth=249, nodes=10**15)
    assert read("infinite depth 3") == pp.Limit()
    assert remarks == []
    assert read("depth x nodes 5 foo movetime") == pp.Limit(nodes=5)
    assert len(remarks) == 3
    pondering = read_go(["ponder", "wtime", "1000", "depth", "9"], "w", 50, remarks.append)
    assert pondering.first_limit == pp.Limit(depth=9)
    assert pondering.limit == pp.Limit(depth=9, clock=1)


def test_values_of_options_are_read_and_declared() -> None:
    assert Option("A", "spin", 3, 1, 9).declaration == "name A type spin default 3 min 1 max 9"
    assert Option("A b", "string").declaration == "name A b type string default <empty>"
    assert Option("A", "check", True).declaration == "name A type check default true"
    assert Option("A", "button").declaration == "name A type button"
    assert [whole_number(text) for text in ("7", "+7", "-7", "9" * 5000)] == [7, 7, -7, 10**18]
    for text in ("", "-", "+-7", "7.0", "0x10", "1e3", "٣"):
        with pytest.raises(ValueError, match="whole number"):
            whole_number(text)


def test_as_a_program_it_answers_while_it_searches_and_ends_with_its_input() -> None:
    with Session("uci") as session:
        session.ask("uci", "uciok")
        session.ask("isready", "readyok")
        session.send("position startpos", "go infinite")
        waits = [session.ready_seconds() for _ in range(20)]
        assert sorted(waits)[len(waits) // 2] < 0.1
        sent = session.send("stop")
        came = max(time.perf_counter() - sent for _ in session.read_until("bestmove"))
        assert came < 1  # 0.01 on a machine that has nothing else to do
        session.send(b"\xff\xfe\x00 go", b"y" * 200_000, "isready")
        said = session.read_until("readyok")
        assert any("unknown command" in line for line in said)
        assert any("a line of more than 65536 bytes was left out" in line for line in said)
        session.send("go infinite")
        assert session.process.stdin is not None
        session.process.stdin.close()
        assert session.wait() == 0
        assert session.errors == b""


def test_as_a_program_it_ends_when_nobody_reads_its_answers() -> None:
    process = subprocess.Popen([PLYPILOT, "usi"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"usi\n")
    process.stdin.flush()
    assert process.stdout.readline().startswith(b"id name")
    process.stdout.close()
    with pytest.raises(BrokenPipeError):
        for _ in range(1000):
            process.stdin.write(b"isready\n")
            process.stdin.flush()
            time.sleep(0.01)
    assert process.wait(30) == 0
    assert process.stderr is not None
    assert process.stderr.read() == b""


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("uci", "--game", "shogi"), "for shogi see plypilot usi"),
        (("uci", "--game", "checkers"), "uci plays chess, breakthrough, loa, not checkers"),
        (("usi", "--pilot", "baseline:chess"), "baseline:chess"),
        (("uci", "--pilot", "no.pilot"), "no.pilot"),
    ],
)
def test_as_a_program_it_refuses_what_it_cannot_play_in_one_line(words: tuple[str, ...], answer: str) -> None:
    done = subprocess.run([PLYPILOT, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    assert done.returncode == 2
    assert answer in done.stderr
    assert done.stderr.count("\n") == 1
