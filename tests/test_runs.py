"""Runs: what a folder keeps, and that a run ended at any instant goes on to the same end, bit for bit."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
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
from odd_learners import Gifted, Openended, Sound
from plypilot import sealed
from plypilot.cli.learning import figures
from plypilot.compute import Workers
from plypilot.learn import NO_CHECKS, TD, Checks, Run, RunError, State, find_runs, read_run, train
from plypilot.learn.checks import CheckHistory, Referee
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
)
from plypilot.play.ratings import Pentanomial

PLYPILOT = Path(sys.executable).with_name("plypilot")
SMALL = "breakthrough-5x5"
LEARNER = TD(games=12, batch=2, depth=1)
PILOT = pp.Pilot.baseline(SMALL)
CHECKS = Checks(count=3, games=8, nodes=100, confirming_games=8, gain=200)
QUICKLY = ("--check=count=1", "--check=games=4", "--check=nodes=50")
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
    train(LEARNER, PILOT, folder, checks=CHECKS, seed=3)
    return folder


# What a folder keeps


def test_a_run_keeps_its_facts_its_metrics_and_its_pilots(undisturbed: Path) -> None:
    facts = tomllib.loads((undisturbed / RUN).read_text())
    assert (facts["learner"], facts["decision"], facts["game"], facts["seed"]) == ("td", "evaluation", SMALL, 3)
    assert facts["checks"] == CHECKS.model_dump()
    assert facts["settings"]["step_size"]["kind"] == "temporal-coherence"
    assert {"plypilot", "python", "numpy"} <= set(facts["versions"])
    lines = [json.loads(line) for line in (undisturbed / METRICS).read_text().splitlines()]
    assert [line["step"] for line in lines] == [1, 2, 3, 4, 5, 6]
    assert [line["games"] for line in lines] == [2, 4, 6, 8, 10, 12]
    assert pp.Pilot.load(undisturbed / START) == PILOT
    found = read_run(undisturbed)
    assert found.pilot == pp.Pilot.load(undisturbed / LAST) != PILOT
    assert (found.step, found.expected_steps, found.is_done, found.is_running) == (6, 6, True, False)
    assert [check.step for check in found.history.checks] == [2, 4, 6]
    assert [line["step"] for line in lines if "start_score" in line] == [2, 4, 6]
    assert found.best == (
        pp.Pilot.load(undisturbed / f"best-{found.history.best}.pilot") if found.history.best else PILOT
    )


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
    for step in range(10 * RunFolder.FULL_ROWS + 1):
        place.add_trace(step, {"a": step / 7}, is_last=step == 10 * RunFolder.FULL_ROWS)
    steps = [json.loads(line)["step"] for line in (tmp_path / TRACES).read_text().splitlines()]
    assert steps[: RunFolder.FULL_ROWS + 1] == list(range(RunFolder.FULL_ROWS + 1))
    assert len(steps) < 3 * RunFolder.FULL_ROWS
    assert steps[-1] == 10 * RunFolder.FULL_ROWS
    assert max(after - before for before, after in itertools.pairwise(steps)) == 16


# Resume


def test_a_run_ended_after_any_step_ends_as_an_undisturbed_one(undisturbed: Path, tmp_path: Path) -> None:
    for step in range(1, 6):
        folder = tmp_path / str(step)
        with pytest.raises(Killed):
            train(LEARNER, PILOT, folder, checks=CHECKS, seed=3, on_step=end_after(step))
        assert read_run(folder).step == step
        train(LEARNER, PILOT, folder, checks=CHECKS, seed=3, resume=True)
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
            train(LEARNER, PILOT, folder, checks=CHECKS, seed=3, resume=True)
        ended = len(done) >= call
        train(LEARNER, PILOT, folder, checks=CHECKS, seed=3, resume=True)
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
    # Checks that come often and take a moment, so that some kills fall into one.
    words += ["--check", f"count={10 * KILLS}", "--check", "games=8", "--check", "nodes=200"]
    assert run("train", *words, "--out", tmp_path / "whole", timeout=600).returncode == 0
    rng = random.Random(11)
    folder, kills, reached = tmp_path / "killed", 0, set()
    while kills < KILLS:
        again = ["--resume"] if (folder / RUN).exists() else []  # none where it was killed before it began
        process = subprocess.Popen(
            [PLYPILOT, "train", *words, "--out", folder, *again], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
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
            assert place.read_checkpoint().step == 5
        count += 1
    assert count >= 1800


@pytest.mark.parametrize("harm", [lambda content: content[:100], lambda _: b"", lambda c: c[:-1] + bytes([c[-1] ^ 1])])
def test_a_run_with_a_damaged_checkpoint_ends_as_an_undisturbed_one(
    undisturbed: Path, tmp_path: Path, harm: Callable[[bytes], bytes]
) -> None:
    with pytest.raises(Killed):
        train(LEARNER, PILOT, tmp_path, checks=CHECKS, seed=3, on_step=end_after(4))
    state = tmp_path / STATE
    state.write_bytes(harm(state.read_bytes()))
    assert read_run(tmp_path).step == 3
    # Ended again at once: the damaged file must not have pushed out the good one.
    with pytest.raises(Killed):
        train(LEARNER, PILOT, tmp_path, checks=CHECKS, seed=3, resume=True, on_step=end_after(4))
    (tmp_path / STATE).unlink()
    assert read_run(tmp_path).step == 3
    train(LEARNER, PILOT, tmp_path, checks=CHECKS, seed=3, resume=True)
    assert what_counts(tmp_path) == what_counts(undisturbed)


def test_a_run_without_a_readable_checkpoint_says_why(tmp_path: Path) -> None:
    train(LEARNER, PILOT, tmp_path, checks=CHECKS)
    for name in (STATE, PREVIOUS_STATE):
        (tmp_path / name).write_bytes(b"nothing")
    with pytest.raises(RunError, match=r"no checkpoint can be read.*state\.safetensors.*state\.previous"):
        train(LEARNER, PILOT, tmp_path, checks=CHECKS, resume=True)


def test_a_line_of_metrics_that_was_cut_short_is_dropped(tmp_path: Path) -> None:
    with pytest.raises(Killed):
        train(LEARNER, PILOT, tmp_path, checks=CHECKS, on_step=end_after(3))
    with (tmp_path / METRICS).open("a") as file:
        file.write('{"step": 4, "gam')
    found = train(LEARNER, PILOT, tmp_path, checks=CHECKS, resume=True)
    assert [line["step"] for line in found.metrics] == [1, 2, 3, 4, 5, 6]


# Longer runs


def test_a_finished_run_can_be_made_longer(undisturbed: Path, tmp_path: Path) -> None:
    for name in undisturbed.iterdir():
        (tmp_path / name.name).write_bytes(name.read_bytes())
    longer = train(TD(games=20, batch=2, depth=1), PILOT, tmp_path, checks=CHECKS, seed=3, resume=True)
    assert (longer.step, longer.is_done, longer.facts["settings"]["games"]) == (10, True, 20)
    assert [line["games"] for line in longer.metrics] == list(range(2, 21, 2))
    # What is averaged are the last games of the longer run, none of those that had been the last.
    assert longer.state.arrays["mean/count"][0] == 2
    assert [check.step for check in longer.history.checks] == [2, 4, 6, 7, 10]


# Checks


ZERO = pp.Pilot.baseline("breakthrough").model_copy(update={"evaluation": pp.Evaluation()})
"""Searches as well as the baseline, and knows nothing."""


def test_the_best_pilot_is_the_one_that_beat_the_start_and_not_the_last(tmp_path: Path) -> None:
    rules = Checks(count=3, games=60, nodes=200, gain=100, confirming_games=20)
    found = train(Gifted(count=3), ZERO, tmp_path, checks=rules)
    assert [check.is_better for check in found.history.checks] == [True, False, False]
    assert found.history.best == 1
    assert found.best == pp.Pilot.baseline("breakthrough")
    assert found.pilot == ZERO
    assert "scores" in found.history.tell()
    assert sum(found.history.confirmed) == 10
    again = pp.match(found.best, ZERO, games=40, limit=pp.Limit(nodes=200), seed=99)
    assert again.standing.tally.score > 0.6


def test_where_nothing_beat_the_start_the_best_pilot_is_the_start(tmp_path: Path) -> None:
    found = train(Sound(count=3, size=200), PILOT, tmp_path, checks=CHECKS)
    assert found.history.best == 0
    assert found.best == PILOT != found.pilot
    assert found.history.tell().startswith("Nothing that was learned beat the start")
    assert not list(tmp_path.glob("best-*.pilot"))


def test_what_was_chosen_by_luck_does_not_hold_in_other_games(tmp_path: Path) -> None:
    """The first check is won by chance, as rules say that any lead counts; the games at the end tell."""

    class Lucky(Referee):
        def _play(self, one: pp.Pilot, two: pp.Pilot, step: int, purpose: int, workers: Workers) -> Pentanomial:
            if purpose == 0:
                return Pentanomial(0, 0, 0, 0, 30)
            return super()._play(one, two, step, purpose, workers)

    learner = Sound(count=1, size=200)
    with Workers.threads(1) as workers:
        state, _ = learner.step(learner.start(PILOT, 0), workers)
        history, told = Lucky(CHECKS, PILOT, 0, tmp_path).look(CheckHistory(), learner, state, 1, workers)
    assert (history.best, history.refuted, told["best_step"]) == (0, 1, 0)
    assert "seemed to" in history.tell()


def test_a_run_of_unknown_length_is_checked_ever_more_rarely_and_at_its_end(tmp_path: Path) -> None:
    referee = Referee(CHECKS, PILOT, 0, tmp_path)
    assert [step for step in range(1, 100) if referee._is_due(step, None)] == [8, 16, 32, 64]
    found = train(Openended(), PILOT, tmp_path, checks=CHECKS)
    assert found.is_done
    assert found.expected_steps is None
    assert [check.step for check in found.history.checks] == [found.step]


def test_checks_do_not_depend_on_workers(tmp_path: Path) -> None:
    for count in (1, 3):
        train(LEARNER, PILOT, tmp_path / str(count), checks=CHECKS, seed=3, workers=count)
    assert what_counts(tmp_path / "1") == what_counts(tmp_path / "3")


def test_a_run_without_checks_hands_out_what_was_learned(tmp_path: Path) -> None:
    found = train(LEARNER, PILOT, tmp_path, checks=NO_CHECKS, seed=3)
    assert found.best == found.pilot != PILOT
    assert found.history.tell() == "No games have checked what was learned."


# What is refused


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({}, "holds a run already"),
        ({"seed": 4, "resume": True}, "holds another run: seed is 3 there and 4 here"),
        ({"learner": TD(games=12, batch=2, depth=2), "resume": True}, "depth is 1 there and 2 here"),
        ({"learner": TD(games=10, batch=2, depth=1), "resume": True}, "games is 12 there and 10 here; .*made longer"),
        ({"pilot": pp.Pilot.plain(SMALL, "material"), "resume": True}, "pilot is "),
        ({"checks": NO_CHECKS, "resume": True}, "checks.count is 3 there and 0 here"),
    ],
)
def test_a_folder_with_another_run_is_refused(undisturbed: Path, changes: dict[str, Any], complaint: str) -> None:
    before = what_counts(undisturbed)
    given: dict[str, Any] = {"learner": LEARNER, "pilot": PILOT, "seed": 3, "checks": CHECKS} | changes
    with pytest.raises(RunError, match=complaint):
        train(given.pop("learner"), given.pop("pilot"), undisturbed, **given)
    assert what_counts(undisturbed) == before


def test_two_processes_never_work_on_one_run(tmp_path: Path) -> None:
    def again(_step: int, _metrics: object) -> None:
        assert read_run(tmp_path).is_running
        with pytest.raises(RunError, match="another process"):
            train(LEARNER, PILOT, tmp_path, checks=CHECKS, resume=True)

    train(LEARNER, PILOT, tmp_path, checks=CHECKS, on_step=again)


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
    words = ["train", "td", SMALL, "--config", config, "--set", "games=12", "--set", "step_size.rate=0.05", *QUICKLY]
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
    done = run("train", "td", SMALL, "--set=games=4", "--set=batch=2", *QUICKLY, "--out", tmp_path / "x", "--json")
    told = json.loads(done.stdout)
    assert (told["step"], told["steps"], told["done"], told["metrics"]["games"]) == (2, 2, True, 4)
    assert told["pilot"] == pp.Pilot.load(tmp_path / "x" / LAST).digest
    assert done.stderr == ""


def test_a_resumed_run_needs_no_settings_again(undisturbed: Path, tmp_path: Path) -> None:
    with pytest.raises(Killed):
        train(LEARNER, PILOT, tmp_path, checks=CHECKS, seed=3, on_step=end_after(2))
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
    assert told.strip().splitlines()[-1].startswith("stopped; continue with --resume")
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
        (["td", SMALL, "--set", "sets=nothing"], "there are: material, "),
        (["td", SMALL, "--resume"], "no run to continue"),
        (["td", SMALL, "--check", "games=3"], "games"),
        (["td", SMALL, "--check", "plays=3"], 'no "plays"'),
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
    words = ["train", "td", SMALL, "--set=games=4", "--set=batch=2", *QUICKLY, "--tensorboard", "--out", "x"]
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
    arrays = {
        "a": np.array([1.0, -0.0, np.nextafter(1, 2), 5e-324]),
        "b": np.zeros((0,)),
        "c": np.ones((2, 3)),
        "single": np.array([0.1, -0.0, 1e-45], np.float32),
    }
    state = State(arrays, {"seed": 2**63, "name": "x", "list": [1, 2.5]}, PILOT)
    again = State.decode(state.encode())
    assert again.encode() == state.encode()
    assert again.pilot == PILOT
    assert again.numbers == state.numbers
    for name, array in arrays.items():
        assert (again.arrays[name].dtype, again.arrays[name].tobytes()) == (array.dtype, array.tobytes())


def test_arrays_that_a_checkpoint_does_not_keep_are_refused_by_name() -> None:
    for kind in (np.int64, np.float16):
        with pytest.raises(ValueError, match=f'the array "counts" is {kind.__name__}, expected float64 or float32'):
            State({"counts": np.zeros(3, kind)}).encode()


def test_a_large_state_is_saved_in_little_more_memory_and_its_damage_is_found(tmp_path: Path) -> None:
    """As a move map of chess with the memory of RPROP has it: 75 MB of single precision."""
    code = f"""
import resource
import numpy as np
from pathlib import Path
from plypilot.learn import State

def peak():
    # That of rusage would be our own, which a child inherits.
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) * 1024

def in_use():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

path = Path({str(tmp_path / STATE)!r})
arrays = {{name: np.full(6_250_000, number, np.float32) for number, name in enumerate(("weights", "steps", "last"))}}
before = in_use()
State(arrays).save(path)
size = path.stat().st_size
saving = peak() - before
del arrays
before = in_use()
kept = State.load(path)
assert all(array.dtype == np.float32 and np.all(array == place) for place, array in enumerate(
    kept.arrays[name] for name in ("weights", "steps", "last")))
print(size, saving / size, (peak() - before) / size)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    size, saving, loading = map(float, done.stdout.split())
    assert size > 75e6
    assert saving < 4
    assert loading < 5
    with (tmp_path / STATE).open("r+b") as file:
        file.seek(40_000_001)
        (byte,) = file.read(1)
        file.seek(40_000_001)
        file.write(bytes([byte ^ 4]))
    with pytest.raises(sealed.SealedFileError, match="damaged"):
        State.load(tmp_path / STATE)
