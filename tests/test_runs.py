"""Runs: what a folder keeps, and that a run ended at any instant goes on to the same end, bit for bit."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plypilot as pp
from conftest import SOAK
from plypilot import sealed
from plypilot.cli.learning import figures
from plypilot.learn import TD, Run, RunError, State, find_runs, read_run, train
from plypilot.learn.folder import (
    BEST,
    LAST,
    METRICS,
    PREVIOUS_STATE,
    RUN,
    START,
    STATE,
    TRACES,
    RunFolder,
    as_toml,
)

PLYPILOT = Path(sys.executable).with_name("plypilot")
SMALL = "breakthrough-5x5"
LEARNER = TD(games=12, batch=2, depth=1)
PILOT = pp.Pilot.baseline(SMALL)
KILLS = 100 if SOAK else 4


class Killed(BaseException):
    """The end of a process, in a test."""


def run(*words: str | Path, cwd: Path | None = None, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PLYPILOT, *map(str, words)], capture_output=True, text=True, cwd=cwd, timeout=timeout)


def end_after(step: int) -> Callable[[int, object], None]:
    def listen(taken: int, _metrics: object) -> None:
        if taken == step:
            raise Killed

    return listen


def what_counts(folder: Path) -> dict[str, str]:
    """SHA-256 of what a run must end with, whatever happened to it."""
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in (STATE, LAST, BEST, TRACES)}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed")
    train(LEARNER, PILOT, folder, seed=3)
    return folder


# What a folder keeps


def test_a_run_keeps_its_facts_its_metrics_and_its_pilots(undisturbed: Path) -> None:
    facts = tomllib.loads((undisturbed / RUN).read_text())
    assert (facts["learner"], facts["game"], facts["seed"], facts["steps"]) == ("td", SMALL, 3, 6)
    assert facts["settings"]["step_size"]["kind"] == "temporal-coherence"
    assert {"plypilot", "python", "numpy"} <= set(facts["versions"])
    lines = [json.loads(line) for line in (undisturbed / METRICS).read_text().splitlines()]
    assert [line["step"] for line in lines] == [1, 2, 3, 4, 5, 6]
    assert [line["games"] for line in lines] == [2, 4, 6, 8, 10, 12]
    assert pp.Pilot.load(undisturbed / START) == PILOT
    found = read_run(undisturbed)
    assert found.pilot == pp.Pilot.load(undisturbed / LAST) == pp.Pilot.load(undisturbed / BEST) != PILOT
    assert (found.step, found.steps, found.is_done, found.is_running) == (6, 6, True, False)


def test_traces_tell_what_was_learned_over_time(undisturbed: Path) -> None:
    traces = read_run(undisturbed).traces
    assert traces is not None
    assert traces.steps.tolist() == [0, 1, 2, 3, 4, 5, 6]
    weights = PILOT.evaluation.named(SMALL)
    start = [weights[name][feature] / 100 for name, feature in (each.split(".") for each in traces.names)]
    assert traces.values[0] == pytest.approx(start, rel=1e-5)
    last = State.load(undisturbed / STATE).arrays["weights"]
    assert traces.values[-1] == pytest.approx(last, rel=1e-5)


def test_a_long_run_keeps_few_traces(tmp_path: Path) -> None:
    place = RunFolder(tmp_path)
    for step in range(1001):
        place.add_trace(step, 1000, {"a": step / 7})
    lines = [json.loads(line) for line in (tmp_path / TRACES).read_text().splitlines()]
    assert len(lines) == RunFolder.MOST_ROWS + 1
    assert (lines[0]["step"], lines[-1]["step"]) == (0, 1000)


@pytest.mark.parametrize(
    "table",
    [
        {"a": 1, "b": 1.5, "c": True, "d": "x", "e": [1, 2], "f": 1e-7, "g": 1e22},
        {"odd key.": 'line\nand "quotes" \\ é \x7f', "inner": {"x y": {"z": []}}},
        {"listed": [{"a": 1, "b": [True]}, {"c d": "e"}]},
    ],
)
def test_toml_that_is_written_is_read_again(table: dict[str, Any]) -> None:
    assert tomllib.loads(as_toml(table)) == table


# Resume


def test_a_run_ended_after_any_step_ends_as_an_undisturbed_one(undisturbed: Path, tmp_path: Path) -> None:
    for step in range(1, 6):
        folder = tmp_path / str(step)
        with pytest.raises(Killed):
            train(LEARNER, PILOT, folder, seed=3, on_step=end_after(step))
        assert read_run(folder).step == step
        train(LEARNER, PILOT, folder, seed=3, resume=True)
        assert what_counts(folder) == what_counts(undisturbed)
        assert [line["step"] for line in read_run(folder).metrics] == [1, 2, 3, 4, 5, 6]


@contextlib.contextmanager
def killed_at(monkeypatch: pytest.MonkeyPatch, call: int) -> Iterator[list[str]]:
    """Ends the process, as far as files can tell, at the n-th thing that is done to one."""
    done: list[str] = []

    def guard(name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(*given: Any, **named: Any) -> Any:
            done.append(name)
            if len(done) >= call:
                raise Killed
            return act(*given, **named)

        return guarded

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", guard("fsync", os.fsync))
        patch.setattr(Path, "replace", guard("replace", Path.replace))
        patch.setattr(Path, "open", guard("open", Path.open))
        # A killed process tidies nothing up.
        patch.setattr(Path, "unlink", guard("unlink", lambda *_given, **_named: None))
        yield done


def test_a_run_ended_between_any_two_file_operations_goes_on(
    undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call, ended = 0, True
    while ended:
        call += 1 if SOAK or call < 40 else 7
        folder = tmp_path / str(call)
        with killed_at(monkeypatch, call) as done, contextlib.suppress(Killed):
            train(LEARNER, PILOT, folder, seed=3, resume=True)
        ended = len(done) >= call
        train(LEARNER, PILOT, folder, seed=3, resume=True)
        assert what_counts(folder) == what_counts(undisturbed), (call, done)
        assert not list(folder.glob(".*.tmp")), "drafts are swept away"
    assert call > 60


def steps_on_file(folder: Path) -> int:
    with contextlib.suppress(FileNotFoundError):
        return (folder / METRICS).read_bytes().count(b"\n")
    return 0


def test_a_run_killed_at_random_instants_ends_with_the_same_sha_256(tmp_path: Path) -> None:
    steps = 100 * KILLS  # many more than are taken between kills
    words = ["td", SMALL, "--seed", "7", "--set", f"games={4 * steps}", "--set", "batch=4", "--set", "depth=2"]
    assert run("train", *words, "--out", tmp_path / "whole", timeout=600).returncode == 0
    rng = random.Random(11)
    folder, kills, reached = tmp_path / "killed", 0, set()
    while kills < KILLS:
        process = subprocess.Popen(
            [PLYPILOT, "train", *words, "--out", folder, "--resume"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        before = steps_on_file(folder)
        # Most kills come in the midst of learning, some while the process starts.
        if rng.random() < 0.85:
            limit = time.monotonic() + 60
            while steps_on_file(folder) <= before and process.poll() is None and time.monotonic() < limit:
                time.sleep(0.002)
            time.sleep(rng.uniform(0, 0.1))
        else:
            time.sleep(rng.uniform(0, 1))
        process.kill()
        _, problem = process.communicate()
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, problem
        kills += 1
        reached.add(steps_on_file(folder))
    assert kills == KILLS
    assert len(reached) >= kills / 2
    assert run("train", *words, "--out", folder, "--resume", timeout=600).returncode == 0
    assert what_counts(folder) == what_counts(tmp_path / "whole")


# Damaged files


def damaged(content: bytes) -> Iterator[bytes]:
    """Every truncation and every flipped bit, or a sample of them."""
    rng = random.Random(5)
    bits = range(8 * len(content)) if SOAK else rng.sample(range(8 * len(content)), 1500)
    for bit in bits:
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        yield bytes(changed)
    for length in range(len(content)) if SOAK else rng.sample(range(len(content)), 300):
        yield content[:length]


def test_every_damage_of_a_checkpoint_is_seen_and_the_one_before_it_loads(undisturbed: Path, tmp_path: Path) -> None:
    state, previous = (undisturbed / name for name in (STATE, PREVIOUS_STATE))
    (tmp_path / PREVIOUS_STATE).write_bytes(previous.read_bytes())
    place = RunFolder(tmp_path)
    count = 0
    for content in damaged(state.read_bytes()):
        with pytest.raises(sealed.SealedFileError):
            State.decode(content)
        if count % 20 == 0:
            (tmp_path / STATE).write_bytes(content)
            assert place.read_checkpoint()[1] == 5
        count += 1
    assert count >= 1800


@pytest.mark.parametrize("harm", [lambda content: content[:100], lambda _: b"", lambda c: c[:-1] + bytes([c[-1] ^ 1])])
def test_a_run_with_a_damaged_checkpoint_ends_as_an_undisturbed_one(
    undisturbed: Path, tmp_path: Path, harm: Callable[[bytes], bytes]
) -> None:
    with pytest.raises(Killed):
        train(LEARNER, PILOT, tmp_path, seed=3, on_step=end_after(4))
    state = tmp_path / STATE
    state.write_bytes(harm(state.read_bytes()))
    assert read_run(tmp_path).step == 3
    # Ended again at once: the damaged file must not have pushed out the good one.
    with pytest.raises(Killed):
        train(LEARNER, PILOT, tmp_path, seed=3, resume=True, on_step=end_after(4))
    (tmp_path / STATE).unlink()
    assert read_run(tmp_path).step == 3
    train(LEARNER, PILOT, tmp_path, seed=3, resume=True)
    assert what_counts(tmp_path) == what_counts(undisturbed)


def test_a_run_without_a_readable_checkpoint_says_why(tmp_path: Path) -> None:
    train(LEARNER, PILOT, tmp_path)
    for name in (STATE, PREVIOUS_STATE):
        (tmp_path / name).write_bytes(b"nothing")
    with pytest.raises(RunError, match=r"no checkpoint can be read.*state\.safetensors.*state\.previous"):
        train(LEARNER, PILOT, tmp_path, resume=True)


def test_a_line_of_metrics_that_was_cut_short_is_dropped(tmp_path: Path) -> None:
    with pytest.raises(Killed):
        train(LEARNER, PILOT, tmp_path, on_step=end_after(3))
    with (tmp_path / METRICS).open("a") as file:
        file.write('{"step": 4, "gam')
    found = train(LEARNER, PILOT, tmp_path, resume=True)
    assert [line["step"] for line in found.metrics] == [1, 2, 3, 4, 5, 6]


# What is refused


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({}, "holds a run already"),
        ({"seed": 4, "resume": True}, "holds another run; these differ: seed"),
        ({"learner": TD(games=14, batch=2, depth=1), "resume": True}, "these differ: settings, steps"),
        ({"pilot": pp.Pilot.plain(SMALL, "material"), "resume": True}, "these differ: pilot"),
    ],
)
def test_a_folder_with_another_run_is_refused(undisturbed: Path, changes: dict[str, Any], complaint: str) -> None:
    before = what_counts(undisturbed)
    given: dict[str, Any] = {"learner": LEARNER, "pilot": PILOT, "seed": 3} | changes
    with pytest.raises(RunError, match=complaint):
        train(given.pop("learner"), given.pop("pilot"), undisturbed, **given)
    assert what_counts(undisturbed) == before


def test_two_processes_never_work_on_one_run(tmp_path: Path) -> None:
    def again(_step: int, _metrics: object) -> None:
        assert read_run(tmp_path).is_running
        with pytest.raises(RunError, match="another process"):
            train(LEARNER, PILOT, tmp_path, resume=True)

    train(LEARNER, PILOT, tmp_path, on_step=again)


def test_runs_that_cannot_be_read_are_listed_with_the_reason(undisturbed: Path, tmp_path: Path) -> None:
    for name in ("good", "no_state", "bad_toml", "bad_facts"):
        (tmp_path / name).mkdir()
        for kept in undisturbed.iterdir():
            (tmp_path / name / kept.name).write_bytes(kept.read_bytes())
    for name in (STATE, PREVIOUS_STATE):
        (tmp_path / "no_state" / name).unlink()
    (tmp_path / "bad_toml" / RUN).write_text("learner = ")
    (tmp_path / "bad_facts" / RUN).write_text('learner = "td"\n')
    found = list(find_runs(tmp_path))
    assert [isinstance(each, Run) for each in found] == [False, False, True, False]
    told = run("runs", tmp_path).stdout
    assert "no checkpoint can be read" in told
    assert '"game" is missing' in told
    assert "6 of 6" in told
    listed = json.loads(run("runs", tmp_path, "--json").stdout)
    assert ["problem" in each for each in listed] == [True, True, False, True]


# The command


def test_train_learns_prints_and_keeps_a_run(tmp_path: Path) -> None:
    config = tmp_path / "td.toml"
    config.write_text('games = 99\nbatch = 4\ndepth = 1\n[step_size]\nkind = "fixed"\nrate = 0.5\n')
    words = ["train", "td", SMALL, "--config", config, "--set", "games=12", "--set", "step_size.rate=0.05"]
    done = run(*words, "--seed", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"td on {SMALL}: 3 steps, seed 2, into runs/td-{SMALL}-2" in done.stdout
    assert "learns " in done.stdout
    assert "\r" not in done.stderr
    found = read_run(tmp_path / "runs" / f"td-{SMALL}-2")
    assert found.facts["settings"]["step_size"] == {"kind": "fixed", "rate": 0.05}
    assert found.facts["settings"]["games"] == 12
    again = run(*words, "--seed", "2", cwd=tmp_path)
    assert again.returncode == 2
    assert again.stderr.count("\n") == 1
    assert "resume" in again.stderr


def test_train_tells_json(tmp_path: Path) -> None:
    done = run("train", "td", SMALL, "--set", "games=4", "--set", "batch=2", "--out", tmp_path / "x", "--json")
    told = json.loads(done.stdout)
    assert (told["step"], told["steps"], told["done"], told["metrics"]["games"]) == (2, 2, True, 4)
    assert told["pilot"] == pp.Pilot.load(tmp_path / "x" / LAST).digest
    assert done.stderr == ""


def test_a_resumed_run_needs_no_settings_again(undisturbed: Path, tmp_path: Path) -> None:
    with pytest.raises(Killed):
        train(LEARNER, PILOT, tmp_path, seed=3, on_step=end_after(2))
    done = run("train", "td", SMALL, "--out", tmp_path, "--resume")
    assert done.returncode == 0, done.stderr
    assert what_counts(tmp_path) == what_counts(undisturbed)
    assert run("train", "td", "loa", "--out", tmp_path, "--resume").returncode == 2


def test_ctrl_c_ends_a_run_cleanly_and_resume_goes_on(tmp_path: Path) -> None:
    words = ["train", "td", SMALL, "--set", "games=40000", "--set", "batch=4", "--out", tmp_path / "x"]
    process = subprocess.Popen(
        [PLYPILOT, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    limit = time.monotonic() + 60
    while steps_on_file(tmp_path / "x") < 3 and time.monotonic() < limit:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert told.strip().splitlines()[-1].startswith("stopped; go on with --resume")
    assert "Traceback" not in told
    assert read_run(tmp_path / "x").step >= 2  # its line comes before its checkpoint


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nobody", SMALL], "there are: td"),
        (["td", "nogame"], "nogame"),
        (["td", SMALL, "--set", "games=none"], "games"),
        (["td", SMALL, "--set", "games"], "key=value"),
        (["td", SMALL, "--config", "nowhere.toml"], "nowhere.toml"),
        (["td", SMALL, "--pilot", "nowhere.pilot"], "nowhere.pilot"),
        (["td", SMALL, "--pilot", "plain"], "sets (material, "),
        (["td", SMALL, "--tensorboard"], "plypilot[tensorboard]"),
    ],
)
def test_what_the_user_got_wrong_is_told_in_one_line(words: list[str], complaint: str, tmp_path: Path) -> None:
    done = run("train", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1


def test_scalars_go_to_a_tensorboard_writer_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "tensorboardX.py").write_text(
        "class SummaryWriter:\n"
        "    def __init__(self, folder): self.folder = folder\n"
        "    def add_scalar(self, *told): print('scalar', *told)\n"
        "    def flush(self): pass\n"
    )
    words = ["train", "td", SMALL, "--set", "games=4", "--set", "batch=2", "--tensorboard", "--out", "x"]
    done = subprocess.run(
        [sys.executable, "-m", "plypilot", *words], capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "scalar error " in done.stdout
    assert "scalar games 4 2" in done.stdout


def test_the_learners_are_listed_with_their_settings() -> None:
    assert "TD" in run("learners").stdout or "td" in run("learners").stdout
    settings = {each["key"]: each for each in json.loads(run("learners", "td", "--json").stdout)}
    assert settings["games"]["value"] == 2000
    assert settings["step_size.rate"]["text"]


def test_figures_are_means_and_results_are_sums() -> None:
    recent: list[Any] = [
        {"games": 2, "error": 0.2, "wins": 1, "draws": 0, "losses": 1, "moved": 1.0},
        {"games": 4, "error": 0.4, "wins": 2, "draws": 0, "losses": 0, "moved": 3.0},
    ]
    assert figures(recent) == "4 games, error 0.3, +3 =0 -1, moved 2"
    assert figures([{"loss": 2.0, "kind": "x"}]) == "loss 2, kind x"


def test_state_arrays_come_back_bit_for_bit() -> None:
    arrays = {"a": np.array([1.0, -0.0, np.nextafter(1, 2), 5e-324]), "b": np.zeros((0,)), "c": np.ones((2, 3))}
    state = State(arrays, {"seed": 2**63, "name": "x", "list": [1, 2.5]}, PILOT)
    again = State.decode(state.encode())
    assert again.encode() == state.encode()
    assert again.pilot == PILOT
    assert again.numbers == state.numbers
    assert all(again.arrays[name].tobytes() == array.tobytes() for name, array in arrays.items())
