"""The commands as a person runs them: output, JSON, one-line errors, no bar in a pipe."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.core import TyperGroup

from conftest import EXAMPLES
from plypilot import cli

PLYPILOT = Path(sys.executable).with_name("plypilot")


def run(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PLYPILOT, *words], capture_output=True, text=True, cwd=cwd, timeout=60)


def test_help_lists_every_command() -> None:
    text = run("--help").stdout
    played = ("search", "bench", "suite", "pilot", "match", "tournament")
    learned = ("train", "runs", "report", "learners", "check-learner", "data")
    for command in ("games", "features", "perft", "show", "check-game", *played, *learned):
        assert f"  {command} " in text


@pytest.mark.parametrize("words", [(), ("pilot",), ("data",)])
def test_a_group_without_a_command_prints_its_help(words: tuple[str, ...]) -> None:
    done = run(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run(*words, "--help").stdout
    assert done.stdout.startswith("Usage: plypilot")


def test_help_shows_commands_in_groups() -> None:
    lines = run().stdout.splitlines()
    titles = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles == [
        "Options:", "Play:", "Measure:", "Learn:", "Rules and your own game:", "Engines for other programs:",
    ]  # fmt: skip
    assert not any(line.endswith("...") for line in lines[1:])  # no summary is cut


def test_help_names_ranges_as_people_write_them() -> None:
    def helps(command: Any, name: str, parent: Any = None) -> Iterator[tuple[str, str]]:
        context = command.make_context(name, ["--help"], parent=parent, resilient_parsing=True)
        yield name, command.get_help(context)
        for child in command.list_commands(context) if isinstance(command, TyperGroup) else ():
            yield from helps(command.get_command(context, child), child, context)

    told = dict(helps(typer.main.get_command(cli.app), "plypilot"))
    assert {"match", "tactics", "uci"} <= set(told)
    for name, text in told.items():
        assert not re.search(r"[<>]=", text), name
    assert "[1 to 249]" in told["search"] and "[default: 400; 2 to 10000000]" in " ".join(told["match"].split())
    assert "[1 or more]" in told["search"]  # positions: the bound is a machine's


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("plypilot tourn", "tournament"), ("plypilot show break", "breakthrough"), ("plypilot train real", "realization")],
)
def test_the_shell_completes_commands_games_and_learners(typed: str, expected: str) -> None:
    words = {"_PLYPILOT_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": typed}
    done = subprocess.run([PLYPILOT], capture_output=True, text=True, env=os.environ | words, timeout=60)
    assert expected in done.stdout


@pytest.mark.parametrize("command", ["games", "features", "perft", "show", "check-game", "search", "bench", "suite"])
def test_each_command_helps(command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert "--json" in done.stdout


def test_games_lists_the_four() -> None:
    assert [game["name"] for game in json.loads(run("games", "--json").stdout)] == [
        "breakthrough", "chess", "loa", "shogi",
    ]  # fmt: skip
    assert "Lines of Action" in run("games").stdout


@pytest.mark.parametrize("game", ["breakthrough", "chess", "loa", "shogi", "connect_four:ConnectFour"])
def test_features_and_show_work_on_every_game(game: str) -> None:
    features = json.loads(run("features", game, "--json", cwd=EXAMPLES).stdout)
    assert features["move_features"]
    assert features["feature_sets"]
    assert run("features", game, cwd=EXAMPLES).stdout.count("\n") > 4
    shown = json.loads(run("show", game, "--json", cwd=EXAMPLES).stdout)
    assert shown["moves"]
    assert shown["outcome"] is None
    assert "moves: " in run("show", game, cwd=EXAMPLES).stdout


def test_features_of_one_set() -> None:
    assert run("features", "chess", "--set", "material").stdout.split() == [
        "pawn",
        "knight",
        "bishop",
        "rook",
        "queen",
    ]


def test_perft_prints_nodes_and_rate() -> None:
    done = run("perft", "chess", "3")
    assert done.stdout.startswith("8902 nodes ")
    assert done.stdout.endswith(" nps\n")
    assert done.stderr == ""  # no bar in a pipe


def test_perft_divides_and_counts_from_a_position_with_threads() -> None:
    done = run("perft", "breakthrough", "2", "--fen", "pppp/4/4/PPPP w", "--divide", "--threads", "2", "--json")
    found = json.loads(done.stdout)
    assert found["nodes"] == sum(found["divide"].values()) == 100
    assert len(found["divide"]) == 10


def test_a_finished_game_is_shown_with_its_outcome() -> None:
    done = run("show", "breakthrough", "--fen", "P7/8/8/8/8/8/8/7p b")
    assert done.returncode == 2  # both sides on the last rank
    done = run("show", "breakthrough", "--fen", "P7/8/8/8/8/7p/8/8 b")
    assert "White has won: breakthrough" in done.stdout


def test_check_game_exits_0_or_1(tmp_path: Path) -> None:
    good = run("check-game", "connect_four:ConnectFour", "--games", "2", cwd=EXAMPLES)
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.startswith("ok: ")
    source = (EXAMPLES / "connect_four.py").read_text()
    (tmp_path / "broken.py").write_text(source.replace("return -1", "return 5"))
    bad = run("check-game", "broken:ConnectFour", "--games", "2", "--json", cwd=tmp_path)
    assert bad.returncode == 1
    assert json.loads(bad.stdout)["failures"]


@pytest.mark.parametrize(
    "words",
    [
        ("perft",),
        ("perft", "go", "3"),
        ("perft", "chess", "three"),
        ("perft", "chess", "3", "--threads", "0"),
        ("perft", "chess", "3", "--fen", "no fen"),
        ("show", "chess", "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"),
        ("show", "module_that_is_not:Class"),
        ("features", "chess", "--set", "no_such_set"),
        ("check-game", "plypilot:Position"),
        ("no-such-command",),
        ("show", "chess", "--no-such-option"),
    ],
)
def test_usage_errors_exit_2_with_one_line(words: tuple[str, ...]) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("plypilot: ")
    assert done.stderr.count("\n") == 1


def test_search_shows_lines_as_they_deepen() -> None:
    done = run("search", "breakthrough", "--depth", "3")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()[1:4]] == ["1", "2", "3"]
    assert done.stdout.splitlines()[-1].startswith("best move ")
    found = json.loads(run("search", "chess", "--pilot", "plain", "--nodes", "500", "--statistics", "--json").stdout)
    assert found["nodes"]["all"] == 500
    assert found["statistics"]["moves"] > 0
    assert found["statistics"]["interior"] == sum(
        found["statistics"]["endings"][way] for way in ("table", "futile", "passed", "searched")
    )


def test_search_prints_what_it_decided() -> None:
    lines = run("search", "chess", "--depth", "6", "--statistics").stdout.splitlines()
    told = {line.split("  ")[0]: line.split("  ", 1)[1].strip() for line in lines if "  " in line.strip()}
    assert "searched" in told["nodes by how they ended"]
    assert told["cut-offs by stage"].startswith("first ")
    assert told["moves skipped"].startswith("futile ")
    assert told["moves tried at less depth first"].endswith("%")
    assert [line.split()[:2] for line in lines].count(["check", "0.5"]) == 1
    assert told["in no category"].startswith("1 ")


def test_bench_prints_a_count_and_a_rate() -> None:
    first, again = (run("bench", "loa", "--depth", "3").stdout.splitlines()[-1].split() for _ in range(2))
    assert first[1::2] == ["nodes", "nps"]
    assert first[0] == again[0]


def test_suite_solves_and_lists_what_it_did_not(tmp_path: Path) -> None:
    suite = tmp_path / "small.epd"
    suite.write_text(
        '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id "mate";\n'
        '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm h3; id "wrong";\n'
        '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Qd8; id "illegal";\n'
    )
    done = run("suite", str(suite), "--nodes", "2000")
    assert done.returncode == 0
    assert "wrong" in done.stdout
    assert "refused: line 3" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("1 of 2 solved")
    found = json.loads(run("suite", str(suite), "--depth", "2", "--threads", "2", "--json").stdout)
    assert [each["solved"] for each in found["solutions"]] == [True, False]
    assert run("suite", str(tmp_path / "missing.epd")).returncode == 2
