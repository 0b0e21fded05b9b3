"""Hostile input: each command and each call ends in one clear line, and a command in status 2. Nothing is lost."""

from __future__ import annotations

import math
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import plypilot as pp
from conftest import EXAMPLES
from plypilot import cli

HUGE = "99999999999999999999999"

COMMANDS = f"""
    # numbers that are too large, negative, or none
    search chess --nodes {HUGE}
    search chess --nodes -1
    search chess --nodes 1.5
    search chess --depth {HUGE}
    search chess --depth 1000
    search chess --depth 0
    search chess --time {HUGE}
    search chess --time nan
    search chess --time inf
    search chess --time -1
    search chess --seed {HUGE}
    search chess --seed -1
    bench chess --threads 1000000
    bench chess --depth {HUGE}
    perft chess {HUGE}
    perft chess -- -1
    perft chess 3 --threads {HUGE}
    check-game loa --games {HUGE}
    check-game loa --seed {HUGE}
    check-game loa --seed -1
    match baseline plain --game loa --nodes {HUGE}
    match baseline plain --game loa --games {HUGE}
    match baseline plain --game loa --games 0
    match baseline plain --game loa --games -2
    match baseline plain --game loa --seed {HUGE}
    match baseline plain --game loa --max-plies {HUGE}
    match baseline plain --game loa --win-score {HUGE}
    match baseline plain --game loa --draw-plies {HUGE}
    match baseline plain --game loa --workers {HUGE}
    match baseline plain --game loa --time nan
    match baseline plain --game loa --clock {HUGE}+1
    match baseline plain --game loa --clock 0+0
    match baseline plain --game loa --clock nan+1
    match baseline plain --game loa --sprt nan 5
    match baseline plain --game loa --sprt 5 0
    match baseline plain --game loa --sprt 5 5
    tournament loa baseline plain --rounds {HUGE}
    tournament loa baseline plain --nodes {HUGE}
    tournament loa baseline plain --seed {HUGE}
    audit baseline:loa --positions {HUGE}
    audit baseline:loa --nodes {HUGE}
    audit baseline:loa --seed {HUGE}
    audit baseline:loa --sample {HUGE}
    data selfplay loa --games {HUGE} -o set
    data selfplay loa --nodes {HUGE} --games 1 -o set
    data selfplay loa --seed {HUGE} --games 1 -o set
    data selfplay loa --games 1 --label-depth {HUGE} -o set
    data selfplay loa --games 1 --label-depth 3,x -o set
    data selfplay loa --games 1 --noise {HUGE} -o set
    data selfplay loa --games 1 --side-lines {HUGE} -o set
    data tactics loa --positions {HUGE} -o made.epd
    data tactics loa --margin {HUGE} -o made.epd
    data tactics loa --seed {HUGE} -o made.epd
    data tactics loa --plies 7-5 -o made.epd
    train td loa --seed {HUGE}
    train td loa --set games={HUGE}
    train td loa --set games=-1
    train td loa --set games=1.5
    train td loa --set games=nan
    train td loa --set depth=1000
    train td loa --set step_size.rate=nan
    train td loa --set step_size.rate=1e999
    train td loa --check games={HUGE}
    train td loa --check nodes=-5
    train td loa --check nothing=1
    train td loa --workers {HUGE}
    play loa --nodes {HUGE}
    play loa --seed {HUGE}
    play loa --time nan
    population loa --depth {HUGE} --out made
    population loa --seed {HUGE} --out made --scale tiny
    pilot save baseline:loa made.pilot --set search.table.log2_entries={HUGE}
    pilot save baseline:loa made.pilot --set search.table.log2_entries=-1
    pilot save baseline:loa made.pilot --set pruning.null_reduction=true
    pilot save baseline:loa made.pilot --set pruning.null_reduction=
    pilot save baseline:loa made.pilot --set pruning.futility_margin=1e999
    pilot save baseline:loa made.pilot --set pruning.fade=NaN

    # names that are none
    show nothing
    show ""
    show :
    show ../x:Y
    show x:Y:Z
    show os:path
    show os:
    show :Game
    show .:Game
    show plypilot:Game
    show "connect_four:Connect Four"
    show chess-960
    show chess--1
    show chess-x
    show chess-
    show breakthrough-3x3
    show breakthrough-9x9
    show breakthrough-{HUGE}x4
    show breakthrough-6
    show loa-8
    show CHESS
    features nothing
    features chess --set nothing
    check-game broken_module:Game
    learners nothing
    train nothing loa
    train module_that_is_not:Learner loa
    train td nothing
    check-learner nothing
    check-learner os:path
    tournament loa baseline plain --kind knockout
    tournament loa baseline
    tournament nothing baseline plain
    population chess
    population loa --scale huge --out made
    play loa --side third
    play loa --save game.xyz
    uci --game shogi
    uci --game nothing

    # positions
    show chess --fen ""
    show chess --fen "8/8/8/8/8/8/8/8 w - - 0 1"
    show shogi --fen "{"l" * 1000}"
    show loa --fen "start"
    show connect_four:ConnectFour --fen "x"
    search chess --fen "{"9" * 300}"
    perft breakthrough 3 --fen "8/8 w"

    # files that are not there, are folders, or are damaged
    pilot show nothing.pilot
    pilot show folder
    pilot show empty.pilot
    pilot show text.pilot
    pilot show short.pilot
    pilot show flipped.pilot
    pilot diff baseline:loa baseline
    pilot save baseline:loa folder
    pilot save baseline:loa no/such/folder/made.pilot
    pilot save baseline:loa made.pilot --set nothing=1
    pilot save baseline:loa made.pilot --set nothing
    pilot save baseline:loa made.pilot --set =
    match text.pilot baseline
    match baseline plain
    match baseline plain --game loa --nodes 0
    match loa.pilot plain --game chess
    match uci: baseline --game chess
    match uci:no-such-program baseline --game chess
    match baseline plain --game loa --openings book:nothing.pgn
    match baseline plain --game loa --openings book:text.pilot
    match baseline plain --game loa --openings random:x
    match baseline plain --game loa --openings random:{HUGE}
    match baseline plain --game loa --openings all:{HUGE}
    match baseline plain --game loa --openings nothing
    match baseline plain --game loa --records games.xyz --games 2 --nodes 50
    match baseline plain --game loa --at-length nobody
    match baseline plain --game loa --resume
    match baseline plain --game loa --resume --out folder
    match baseline plain --game loa --cluster http://127.0.0.1:1
    match "baseline;nothing=1" plain --game loa
    match "baseline;nodes={HUGE}" plain --game loa
    match "baseline;nodes=x" plain --game loa
    records nothing games.pgn
    records folder games.pgn
    records text.pilot games.pgn
    suite nothing.epd
    suite folder
    suite bad.epd
    suite empty.epd
    suite wac.epd --game loa
    suite wac.epd --first 0
    suite wac.epd --nodes {HUGE}
    train td loa --resume --out folder
    train td loa --config nothing.toml
    train td loa --config bad.toml
    train td loa --config unknown.toml
    train td loa --pilot text.pilot
    train td loa --pilot chess.pilot
    train td loa --set =
    train plies loa --set nothing=1
    train movemap loa --set patterns=nothing
    runs nothing
    runs text.pilot
    report nothing
    report folder
    report text.pilot
    data import nothing.pgn -o set
    data import folder -o set
    data import bad.pgn --game nothing -o set
    data show nothing
    data show folder
    data label nothing -o set
    audit text.pilot
    audit baseline:loa --suite nothing.epd
    audit baseline:loa --suite bad.epd
    audit baseline

    # the same of places and of text that is none
    suite loop
    report loop
    data import loop -o set
    pilot show loop
    pilot show /dev/zero
    pilot save baseline:loa ""
    pilot save baseline:loa pipe
    pilot save baseline:loa loop/made.pilot
    runs empty.epd
    match baseline plain --game loa --games 2 --nodes 50 --out text.pilot
    match baseline plain --game loa --games 2 --nodes 50 --records no/such/folder/games.pgn
    train td loa --out text.pilot
    train td loa --config folder
    train td loa --config not_utf8.toml
    train td loa --config infinite.toml
    train plies chess --set suite=nothing.epd
    train plies chess --set suite=not_utf8.epd
    train focus chess --set suite=nothing.epd
    train focus chess --set suite=not_utf8.epd
    train widths chess --set suite=folder
    train movemap chess --set data=folder
    data label folder -o folder
    uci --pilot empty.pilot
    usi --pilot baseline:chess
    play loa --save /
    play loa --save no/such/folder/game.pgn
    play chess --save game.csa

    # what looks right at first
    play ""
    play loa --level 0
    play loa --level 11
    play loa --level 3 --depth 2
    play loa --side ""
    match baseline baseline --game loa --games 3
    match "baseline;;;" plain --game loa
    match "baseline;pruning.null_reduction=99999999999" plain --game chess
    features loa --set ""
    show chess --fen "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 99999999999999"
    perft chess 2 --fen "k7/8/8/8/8/8/8/K7 w - - 0 1 moves e2e4"
    pilot save baseline:loa made.pilot --set evaluation.weights=1
    pilot save baseline:loa made.pilot --set a.b.c.d.e.f=1
    show udcffudcfe
    show chess --fen udcff
    check-game loa --games 0

    # games that are broken
    show odd_games:NoList
    show odd_games:NoStart
    show odd_games:Deep
    show odd_games:NoMethods
    show odd_games:NotAGame
    show leaving_module:Game
    show missing_import:Game

    # commands and options that are none
    nothing
    show
    show loa --nothing
    show loa loa
    match baseline
    search loa --statistics --profile
    report folder --text --json
"""

ODD_GAMES = """
import plypilot as pp


class Sound(pp.Game):
    def start(self):
        return 0

    def moves(self, state):
        return [1, 2]

    def play(self, state, move):
        return state + move

    def outcome(self, state):
        return None if state < 9 else -1


class NoList(Sound):
    def moves(self, state):
        return None


class NoStart(Sound):
    def __init__(self):
        self.heaps = int("many")


class Deep(Sound):
    def outcome(self, state):
        return self.outcome(state)


class NoMethods(pp.Game):
    def start(self):
        return 0


class NotAGame:
    pass
"""


def commands() -> list[str]:
    """The lines of the list that are commands."""
    lines = [line.strip() for line in COMMANDS.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


@pytest.fixture
def den(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of odd files, and in it."""
    (tmp_path / "folder").mkdir()
    for game in ("chess", "loa"):
        pp.Pilot.plain(game).save(tmp_path / f"{game}.pilot")
    sound = (tmp_path / "loa.pilot").read_bytes()
    (tmp_path / "empty.pilot").write_bytes(b"")
    (tmp_path / "text.pilot").write_text("this is not what you take it for\n")
    (tmp_path / "short.pilot").write_bytes(sound[:-7])
    (tmp_path / "flipped.pilot").write_bytes(sound[:200] + bytes([sound[200] ^ 1]) + sound[201:])
    (tmp_path / "empty.epd").write_text("")
    (tmp_path / "wac.epd").write_text("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#;\n")
    (tmp_path / "bad.epd").write_text("no position bm e4;\n6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Qd8;\n")
    (tmp_path / "bad.pgn").write_text("1. e5 e4 *\n")
    (tmp_path / "bad.toml").write_text("games = \n")
    (tmp_path / "unknown.toml").write_text("nothing = 1\n")
    (tmp_path / "not_utf8.toml").write_bytes(b'games = "\xff"\n')
    (tmp_path / "not_utf8.epd").write_bytes(b"\xff\xfe\n")
    (tmp_path / "infinite.toml").write_text("games = 1e400\n")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "odd_games.py").write_text(ODD_GAMES)
    (tmp_path / "leaving_module.py").write_text("import sys\n\nsys.exit(4)\n")
    (tmp_path / "missing_import.py").write_text("import module_that_is_nowhere\n")
    (tmp_path / "broken_module.py").write_text("import plypilot as pp\n\n\nclass Game(pp.Game)\n    pass\n")
    (tmp_path / "connect_four.py").write_text((EXAMPLES / "connect_four.py").read_text())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def assert_clear(message: str) -> None:
    """Not empty, not long, in one line; no words of libraries, none of ours that only programmers know."""
    assert message.strip() and "\n" not in message.strip()
    assert len(message) < 600, message
    assert not re.search(
        r"pydantic|Traceback|bad.cast|bad_cast|nanobind|errors\.pydantic|type=|/tmp/tmp|\.tmp", message
    )
    assert not re.search(r"incompatible function arguments|NoneType|object has no|Errno|sqlite", message), message


@pytest.mark.parametrize("line", commands())
def test_a_hostile_command_is_refused_in_one_line(
    line: str, den: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in den.iterdir() if path.is_file()}
    words = [word.replace("udcff", "\udcff").replace("udcfe", "\udcfe") for word in shlex.split(line)]  # odd bytes
    monkeypatch.setattr(sys, "argv", ["plypilot", *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    told = capsys.readouterr()
    assert ended.value.code == 2, told
    assert told.err.startswith("plypilot: "), told.err
    assert told.err.count("\n") == 1
    assert_clear(told.err.replace(str(den), ""))
    assert told.out == ""
    assert all(path.read_bytes() == content for path, content in before.items())


def _chess() -> pp.Position:
    return pp.Position("chess")


def _plain() -> pp.Pilot:
    return pp.Pilot.plain("chess")


CALLS: dict[str, tuple[Callable[[], object], str]] = {
    "seconds nan": (lambda: pp.Limit(seconds=math.nan), "seconds"),
    "seconds infinite": (lambda: pp.Limit(seconds=math.inf), "seconds"),
    "seconds text": (lambda: pp.Limit(seconds="1"), "seconds"),  # type: ignore[arg-type]
    "nodes 1.5": (lambda: pp.Limit(nodes=1.5), "nodes"),  # type: ignore[arg-type]
    "nodes huge": (lambda: pp.Limit(nodes=int(HUGE)), "nodes"),
    "nodes true": (lambda: pp.Limit(nodes=True), "nodes"),
    "depth 1000": (lambda: pp.Limit(depth=1000), "depth"),
    "depth 2.0": (lambda: pp.Limit(depth=2.0), "depth"),  # type: ignore[arg-type]
    "clock nan": (lambda: pp.Limit(clock=math.nan), "clock"),
    "increment infinite": (lambda: pp.Limit(clock=1, increment=math.inf), "increment"),
    "byoyomi nan": (lambda: pp.Limit(byoyomi=math.nan), "byoyomi"),
    "moves to go huge": (lambda: pp.Limit(clock=1, moves_to_go=int(HUGE)), "moves_to_go"),
    "no limit but 5": (lambda: pp.search(_plain(), _chess(), 5), "Limit"),  # type: ignore[arg-type]
    "no limit": (lambda: pp.search(_plain(), _chess(), None), "Limit"),  # type: ignore[arg-type]
    "no pilot": (lambda: pp.search("baseline", _chess(), pp.Limit(depth=1)), "Pilot"),  # type: ignore[arg-type]
    "no position": (lambda: pp.search(_plain(), "chess", pp.Limit(depth=1)), "Position"),  # type: ignore[arg-type]
    "another game": (lambda: pp.search(_plain(), pp.Position("loa"), pp.Limit(depth=1)), "loa"),
    "threads 1000000": (lambda: pp.search(_plain(), _chess(), pp.Limit(depth=1), threads=1_000_000), "threads"),
    "threads 1000": (lambda: pp.search(_plain(), _chess(), pp.Limit(depth=1), threads=1000), "threads"),
    "threads 0": (lambda: pp.search(_plain(), _chess(), pp.Limit(depth=1), threads=0), "threads"),
    "lines huge": (lambda: pp.search(_plain(), _chess(), pp.Limit(depth=1), lines=int(HUGE)), "lines"),
    "lines 0": (lambda: pp.search(_plain(), _chess(), pp.Limit(depth=1), lines=0), "lines"),
    "seed huge": (lambda: pp.search(_plain(), _chess(), pp.Limit(depth=1), seed=int(HUGE)), "seed"),
    "seed negative": (lambda: pp.search(_plain(), _chess(), pp.Limit(depth=1), seed=-1), "seed"),
    "moves as text": (lambda: pp.search(_plain(), _chess(), pp.Limit(depth=1), moves=["e9e9"]), "e9e9"),  # type: ignore[list-item]
    "perft huge": (lambda: pp.perft(_chess(), int(HUGE)), "depth"),
    "perft negative": (lambda: pp.perft(_chess(), -1), "depth"),
    "game 5": (lambda: pp.Position(5), "5"),  # type: ignore[arg-type]
    "game a class": (lambda: pp.Position(int), "int"),  # type: ignore[type-var]
    "fen 5": (lambda: pp.Position("chess", 5), "5"),  # type: ignore[arg-type]
    "push none": (lambda: _chess().push("e9"), "e9"),
    "pop at the start": (lambda: _chess().pop(), "take back"),
    "a setting that is none": (lambda: _plain().replace({"nothing": 1}), "nothing"),
    "a setting of another kind": (lambda: _plain().replace({"pruning.null_reduction": "x"}), "null_reduction"),
    "match of 0 games": (lambda: pp.match(_plain(), _plain(), games=0), "games"),
    "match of 1.5 games": (lambda: pp.match(_plain(), _plain(), games=1.5), "games"),  # type: ignore[arg-type]
    "match of huge games": (lambda: pp.match(_plain(), _plain(), games=int(HUGE)), "games"),
    "match without limit": (lambda: pp.match(_plain(), _plain(), games=2, limit=5), "Limit"),  # type: ignore[arg-type]
    "match of two games": (lambda: pp.match(_plain(), pp.Pilot.plain("loa"), games=2), "loa"),
    "lines 1.5": (lambda: pp.search(_plain(), _chess(), pp.Limit(depth=1), lines=1.5), "lines"),  # type: ignore[arg-type]
    "seed 1.5": (lambda: pp.search(_plain(), _chess(), pp.Limit(depth=1), seed=1.5), "seed"),  # type: ignore[arg-type]
    "statistics of a word": (
        lambda: pp.search(_plain(), _chess(), pp.Limit(depth=1), statistics="all"),  # type: ignore[arg-type]
        "statistics",
    ),
    "a unit that is none": (lambda: pp.Limit(clock=1, unit="hours"), "unit"),  # type: ignore[arg-type]
    "a game that is none": (lambda: pp.game_info("nothing"), "nothing"),
    "match of 0 workers": (lambda: pp.match(_plain(), _plain(), games=2, workers=0), "workers"),
    "match from nowhere": (lambda: pp.match(_plain(), _plain(), games=2, openings="nowhere"), "openings"),
    "a move of another game": (lambda: _chess().push(pp.Position("loa").moves()[0]), "loa"),
    "tournament of one": (lambda: pp.tournament([_plain()], "chess"), "players"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_hostile_call_is_refused_by_name(name: str) -> None:
    call, word = CALLS[name]
    with pytest.raises((ValueError, TypeError, OSError, IndexError)) as refused:
        call()
    assert word in str(refused.value)
    assert_clear(str(refused.value))


def test_the_list_is_long_enough() -> None:
    assert len(commands()) + len(CALLS) >= 250


@pytest.mark.parametrize("where", ["closed", "full"])
def test_an_output_that_takes_nothing_is_told_in_one_line(where: str) -> None:
    redirection = ">&-" if where == "closed" else ">/dev/full"
    plypilot = Path(sys.executable).with_name("plypilot")
    done = subprocess.run(f"{plypilot} games {redirection}", shell=True, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert_clear(done.stderr)
