"""Workers: the same results from any kind and number of them, whatever happens to them on the way."""

from __future__ import annotations

import doctest
import faulthandler
import itertools
import logging
import multiprocessing
import multiprocessing.connection
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import plypilot.compute.tasks
import plypilot.compute.workers
from conftest import EXAMPLES, SOAK
from plypilot.compute import Cache, CacheError, NoWorkers, TaskKilledWorkers, Workers, task_seed
from plypilot.compute.cluster import dask_address
from plypilot.compute.tasks import splitmix64
from worker_tasks import count_moves, die_at, fail_at, fail_peculiarly, give_a_lock, give_much, mix, mix_slowly

EXPECTED = [mix(number) for number in range(60)]


@pytest.fixture(scope="module", params=["threads", "processes"])
def workers(request: pytest.FixtureRequest) -> Iterator[Workers]:
    with Workers.open(2, kind=request.param) as made:
        yield made


def test_seeds_of_tasks_are_the_published_sequence() -> None:
    # The first numbers of SplitMix64 from the state 0, as its reference implementation gives them.
    assert [splitmix64(n) for n in range(3)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_seeds_of_tasks_differ_between_tasks_and_runs() -> None:
    seeds = {task_seed(seed, number) for seed in (-1, 0, 1, 2, 2**63) for number in range(2000)}
    assert len(seeds) == 10_000
    assert all(0 <= seed < 2**64 for seed in seeds)


def test_the_examples_in_docstrings_run() -> None:
    for module in (plypilot.compute.tasks, plypilot.compute.workers):
        result = doctest.testmod(module)
        assert (result.attempted > 0, result.failed) == (True, 0)


@pytest.mark.parametrize("chunk", [1, 7, 100])
def test_results_come_in_the_order_of_the_tasks(workers: Workers, chunk: int) -> None:
    assert list(workers.map(mix, range(60), chunk=chunk)) == EXPECTED
    assert list(workers.map(mix, [], chunk=chunk)) == []


@pytest.mark.parametrize("chunk", [1, 7])
def test_each_task_is_delivered_once_as_it_finishes(workers: Workers, chunk: int) -> None:
    delivered = list(workers.as_completed(mix, range(60), chunk=chunk))
    assert sorted(delivered) == list(enumerate(EXPECTED))


def test_a_slow_task_holds_up_order_but_not_completion() -> None:
    def sleep(seconds: float) -> float:
        time.sleep(seconds)
        return seconds

    with Workers.threads(2) as two:
        assert [number for number, _ in two.as_completed(sleep, [0.1, 0, 0])] == [1, 2, 0]
        assert list(two.map(sleep, [0.1, 0, 0])) == [0.1, 0, 0]


def test_one_worker_and_many_give_the_same() -> None:
    with Workers.threads(1) as one, Workers.threads(4) as four, Workers.processes(1) as process:
        for each in (one, four, process):
            assert list(each.map(mix, range(60), chunk=4)) == EXPECTED


@pytest.mark.parametrize("chunk", [1, 5])
@pytest.mark.parametrize("ordered", [True, False])
def test_endless_tasks_are_taken_a_few_ahead_only(workers: Workers, chunk: int, ordered: bool) -> None:
    taken = delivered = most = 0

    def tasks() -> Iterator[int]:
        nonlocal taken, most
        for number in itertools.count():
            taken += 1
            most = max(most, taken - delivered)
            yield number

    results = workers.map(mix, tasks(), chunk=chunk) if ordered else workers.as_completed(mix, tasks(), chunk=chunk)
    for _ in range(100):
        next(results)
        delivered += 1
    results.close()
    assert 2 * chunk <= most <= 3 * 2 * chunk
    assert list(workers.map(mix, range(60))) == EXPECTED  # and they work on


def test_a_slow_first_task_does_not_let_the_others_run_away() -> None:
    may_end = threading.Event()
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        if number == 0:
            may_end.wait(10)
        return number

    with Workers.threads(2) as two:
        results = two.map(work, itertools.count())
        threading.Timer(0.1, may_end.set).start()
        assert next(results) == 0
        assert max(begun) < 6
        results.close()


def test_closing_early_cancels_what_has_not_begun() -> None:
    may_end = threading.Event()
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        if number == 1:
            may_end.wait(10)
        return number

    with Workers.threads(1) as one:
        results = one.as_completed(work, itertools.count())
        assert next(results) == (0, 0)
        results.close()
        may_end.set()
        assert list(one.map(abs, [-5])) == [5]
    assert set(begun) <= {0, 1}


def test_two_calls_may_run_at_a_time(workers: Workers) -> None:
    both = zip(workers.map(mix, range(60)), workers.map(mix, range(60), chunk=4), strict=True)
    assert list(both) == [(each, each) for each in EXPECTED]


@pytest.mark.parametrize("chunk", [1, 4])
def test_an_exception_is_raised_in_its_turn_and_names_the_task(workers: Workers, chunk: int) -> None:
    results = workers.map(partial(fail_at, 9, ValueError("too high")), range(60), chunk=chunk)
    assert list(itertools.islice(results, 9)) == EXPECTED[:9]
    with pytest.raises(ValueError, match="too high") as caught:
        next(results)
    assert "in task 9" in caught.value.__notes__


def test_leaving_the_program_is_an_exception_of_the_task(workers: Workers) -> None:
    with pytest.raises(RuntimeError, match=r"sys.exit\(3\)"):
        list(workers.map(partial(fail_at, 1, SystemExit(3)), range(2)))


def test_an_exception_of_the_source_of_tasks_comes_through(workers: Workers) -> None:
    def tasks() -> Iterator[int]:
        yield 1
        raise LookupError("no more tasks")

    with pytest.raises(LookupError, match="no more tasks"):
        list(workers.map(mix, tasks()))


def test_what_cannot_travel_between_processes_is_named() -> None:
    with Workers.processes(1) as one:
        with pytest.raises(TypeError, match=r"<lambda>.* cannot be sent to other processes"):
            list(one.map(lambda number: number, range(3)))
        with pytest.raises(TypeError, match="lock") as caught:
            list(one.map(give_a_lock, range(3)))
        assert "in task 0" in caught.value.__notes__
        with pytest.raises(TypeError, match="lock"):
            list(one.map(print, [threading.Lock()]))
        with pytest.raises(RuntimeError, match="Peculiar: this and that") as caught:
            list(one.map(fail_peculiarly, range(3)))
        assert "in fail_peculiarly" in "".join(caught.value.__notes__)
        assert list(one.map(mix, range(60))) == EXPECTED


def test_processes_import_modules_of_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "four_at_home.py").write_text((EXAMPLES / "connect_four.py").read_text())
    monkeypatch.chdir(tmp_path)
    with Workers.processes(1) as one:
        assert list(one.map(count_moves, ["four_at_home:ConnectFour"] * 2)) == [7, 7]


# Workers that die


class Children:
    """The processes that were started since it was made."""

    def __init__(self) -> None:
        self.before = {child.pid for child in multiprocessing.active_children()}

    def alive(self) -> list[Any]:
        return [child for child in multiprocessing.active_children() if child.pid not in self.before]


@pytest.mark.parametrize("chunk", [1, 4])
def test_one_of_two_processes_killed_changes_nothing(chunk: int) -> None:
    children = Children()
    delivered: list[tuple[int, int]] = []
    with Workers.processes(2) as two:
        for result in two.as_completed(mix_slowly, range(60), chunk=chunk):
            delivered.append(result)
            if len(delivered) in (10, 30):
                children.alive()[0].kill()
        assert two.quarantined == []
    assert sorted(delivered) == list(enumerate(EXPECTED))
    assert children.alive() == []


@pytest.mark.skipif(not SOAK, reason="long form")
def test_processes_killed_at_random_instants_change_nothing() -> None:
    children, done = Children(), threading.Event()
    kills = 0

    def kill_now_and_then() -> None:
        nonlocal kills
        while not done.wait(0.5 + task_seed(1, kills) % 1000 / 1000):
            if alive := children.alive():
                alive[task_seed(2, kills) % len(alive)].kill()
                kills += 1

    killer = threading.Thread(target=kill_now_and_then)
    with Workers.processes(2) as two:
        killer.start()
        delivered = list(two.as_completed(mix_slowly, range(3000), chunk=5))
        done.set()
        killer.join()
        assert two.quarantined == []
    assert kills > 10
    assert sorted(delivered) == [(number, mix(number)) for number in range(3000)]


@pytest.mark.parametrize("chunk", [1, 4])
def test_a_task_that_kills_three_workers_is_quarantined(tmp_path: Path, chunk: int) -> None:
    diary = tmp_path / "deaths"
    with Workers.processes(2, on_quarantine="skip") as two:
        delivered = list(two.as_completed(partial(die_at, 5, diary), range(20), chunk=chunk))
        assert [(each.number, each.task) for each in two.quarantined] == [(5, 5)]
    assert diary.read_text() == "xxx"
    assert sorted(delivered) == [(number, value) for number, value in enumerate(EXPECTED[:20]) if number != 5]


def test_a_quarantined_task_is_raised_by_name(tmp_path: Path) -> None:
    work = partial(die_at, 2, tmp_path / "deaths")
    with Workers.processes(1) as one, pytest.raises(TaskKilledWorkers, match=r"task 2 is quarantined.*: 2$"):
        list(one.as_completed(work, range(20)))


def test_results_in_order_have_no_gap_for_a_quarantined_task(tmp_path: Path) -> None:
    with Workers.processes(1, on_quarantine="skip") as one:
        results = one.map(partial(die_at, 2, tmp_path / "deaths"), range(20))
        assert [next(results), next(results)] == EXPECTED[:2]
        with pytest.raises(TaskKilledWorkers):
            next(results)
        assert list(one.map(mix, range(60))) == EXPECTED


def test_a_process_killed_while_it_sends_a_result_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    children = Children()
    receive = multiprocessing.connection.Connection.recv
    armed = []

    def kill_the_sender_first(connection: Any) -> Any:
        if armed and threading.current_thread() is not threading.main_thread():
            os.kill(armed.pop(), signal.SIGKILL)
            time.sleep(0.1)
        return receive(connection)

    faulthandler.dump_traceback_later(60, exit=True)  # else a failure would be a test that never ends
    with Workers.processes(1) as one:
        assert list(one.map(mix, range(2))) == EXPECTED[:2]
        monkeypatch.setattr(multiprocessing.connection.Connection, "recv", kill_the_sender_first)
        armed.append(children.alive()[0].pid)
        assert list(one.map(give_much, [1, 2])) == [give_much(1), give_much(2)]
        assert armed == []
    faulthandler.cancel_dump_traceback_later()


def run_script(folder: Path, text: str, *arguments: str, **options: Any) -> subprocess.Popen[str]:
    script = folder / "script.py"
    script.write_text(text)
    command = [sys.executable, str(script), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, **options)


def test_processes_that_cannot_begin_are_an_error_that_says_why(tmp_path: Path) -> None:
    unguarded = (
        "from plypilot.compute import Workers\nwith Workers.processes(1) as w:\n    print(list(w.map(abs, [1])))\n"
    )
    _, errors = run_script(tmp_path, unguarded).communicate(timeout=60)
    assert (
        "NoWorkers: worker processes end before they begin, see their messages; a script that starts them needs if"
        in errors
    )


SLEEPER = """
import os, time
from plypilot.compute import Workers
def sleep(number):
    os.write(1, b"%d\\n" % os.getpid())
    time.sleep({seconds} if number == 0 else 0)  # the other worker is idle
if __name__ == "__main__":
    with Workers.open(2, kind="{kind}") as workers:
        list(workers.map(sleep, range(2)))
"""


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("kind", "seconds", "blow"), [("threads", 0.3, "SIGINT"), ("processes", 60, "SIGINT"), ("processes", 60, "SIGKILL")]
)
def test_an_interrupted_or_killed_program_ends_with_all_its_workers(
    tmp_path: Path, kind: str, seconds: float, blow: str
) -> None:
    program = run_script(tmp_path, SLEEPER.format(kind=kind, seconds=seconds), start_new_session=True)
    assert program.stdout is not None
    pids = {int(program.stdout.readline()) for _ in range(2)}
    begun = time.monotonic()
    if blow == "SIGINT":
        os.killpg(program.pid, signal.SIGINT)  # as a terminal does: to the workers as well
    else:
        program.kill()
    _, errors = program.communicate(timeout=30)
    while any(map(is_alive, pids)) and time.monotonic() - begun < 30:
        time.sleep(0.01)
    assert not any(map(is_alive, pids))
    assert time.monotonic() - begun < 40, "they slept on"
    assert errors.count("KeyboardInterrupt") == (1 if blow == "SIGINT" else 0)


INTERRUPTED = """
import concurrent.futures.thread, os, signal, sys, time
from plypilot.compute import Workers

def nap(number):
    time.sleep(0.005)

def interrupt_at(place):
    '''0: it was, 1: it went to its end without, 2: it was, and nobody heard of it.'''
    passed = 0
    def trace(frame, event, _):
        nonlocal passed
        if not any(part in frame.f_code.co_filename for part in ("concurrent", "threading", "compute")):
            return None
        if event in ("line", "return"):
            passed += 1
            if passed == place:
                signal.raise_signal(signal.SIGINT)
        return trace
    try:
        sys.settrace(trace)
        with Workers.threads(2) as workers:
            list(workers.map(nap, range(4)))
    except KeyboardInterrupt:
        return 0
    finally:
        sys.settrace(None)
        concurrent.futures.thread._python_exit()  # what the interpreter does at its end: waits for all threads
    return 2 if passed >= place else 1

place, step = 1, int(sys.argv[1])
while True:
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # or it would hang for ever
        os._exit(interrupt_at(place))
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        print("hangs at", place)
    elif os.WEXITSTATUS(status) == 1:
        break
    elif os.WEXITSTATUS(status) == 2:
        print("not heard at", place)
    place += step
print("places:", place)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_an_interrupt_hangs_no_thread_wherever_it_comes(tmp_path: Path) -> None:
    program = run_script(tmp_path, INTERRUPTED, "1" if SOAK else "9")
    output, errors = program.communicate(timeout=600)
    assert output.startswith("places:"), output + errors
    assert int(output.split()[1]) > 500


def test_an_interrupt_does_not_hit_processes_that_are_starting(tmp_path: Path) -> None:
    slow_start = "import os, time\nif __name__ != '__main__':\n    os.write(1, b'starting\\n')\n    time.sleep(0.5)\n"
    program = run_script(tmp_path, slow_start + SLEEPER.format(kind="processes", seconds=60), start_new_session=True)
    assert program.stdout is not None
    program.stdout.readline()
    os.killpg(program.pid, signal.SIGINT)
    _, errors = program.communicate(timeout=30)  # which ends when nobody can write any more
    assert errors.count("KeyboardInterrupt") == 1


def test_processes_leave_interrupts_to_their_parent() -> None:
    children = Children()
    with Workers.processes(1) as one:
        assert list(one.map(mix, range(2))) == EXPECTED[:2]
        (child,) = children.alive()
        time.sleep(0.1)  # it waits for its next chunk
        os.kill(child.pid, signal.SIGINT)
        time.sleep(0.1)
        assert list(one.map(mix_slowly, range(10))) == EXPECTED[:10]
        assert children.alive() == [child]


# Asking for workers


def test_workers_are_made_as_a_command_line_says() -> None:
    with Workers.open() as default, Workers.open(3) as three:
        assert default.count == len(os.sched_getaffinity(0))
        assert three.count == 3
    with pytest.raises(ValueError, match="workers is 0, expected 1 or more"):
        Workers.open(0, kind="processes")
    with pytest.raises(ValueError, match='"fibres", expected threads or processes'):
        Workers.open(2, kind="fibres")
    with pytest.raises(ValueError, match="workers is 2, but a cluster has"):
        Workers.open(2, cluster="dask://127.0.0.1:8786")
    with pytest.raises(ValueError, match="on_quarantine"):
        Workers.processes(1, on_quarantine="forget")  # type: ignore[arg-type]


def test_closed_workers_stay_closed(workers: Workers) -> None:
    with pytest.raises(ValueError, match="chunk is 0"):
        workers.map(mix, range(3), chunk=0)
    for each in (Workers.threads(1), Workers.processes(1)):
        with each:
            assert list(each.map(mix, range(3))) == EXPECTED[:3]
            each.close()
            each.close()
        with pytest.raises(ValueError, match="closed"):
            each.map(mix, range(3))


@pytest.mark.parametrize(
    ("address", "has_certificates", "meant"),
    [
        ("dask://host:8786", False, "tcp://host:8786"),
        ("dask://host:8786/", True, "tls://host:8786"),
        ("tcp://[::1]:8786", True, "tcp://[::1]:8786"),
        ("tls://host:8786", False, "tls://host:8786"),
    ],
)
def test_addresses_of_clusters_are_read(address: str, has_certificates: bool, meant: str) -> None:
    assert dask_address(address, has_certificates) == meant


@pytest.mark.parametrize(
    "address", ["", "host:8786", "dask://host", "dask://:1", "dask://h:x", "ray://h:1", "dask://h:1/x"]
)
def test_other_addresses_are_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"expected dask://host:port"):
        dask_address(address, False)


def test_a_cluster_without_dask_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(NoWorkers, match=r"distributed is not installed; pip install 'plypilot\[dask\]'"):
        Workers.cluster("dask://127.0.0.1:8786")


def test_a_cluster_with_tls_names_the_certificates_it_wants() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(NoWorkers, match="DASK_DISTRIBUTED__COMM__TLS__CA_FILE"):
        Workers.cluster("tls://127.0.0.1:8786")


# A Dask cluster on this machine: a scheduler and two workers


@pytest.fixture(scope="module")
def dask() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=logging.CRITICAL
    ) as cluster:
        yield cluster


def connect(dask: Any, **options: Any) -> Workers:
    with pytest.warns(UserWarning, match="has no authentication"):
        return Workers.cluster(dask.scheduler_address.replace("tcp://", "dask://"), **options)


def test_a_cluster_gives_what_threads_give(dask: Any) -> None:
    with connect(dask) as cluster:
        assert cluster.count == 2
        assert list(cluster.map(mix, range(60), chunk=4)) == EXPECTED
        assert list(cluster.map(lambda number: number + 1, range(3))) == [1, 2, 3]
        with pytest.raises(ValueError, match="too high") as caught:
            list(cluster.map(partial(fail_at, 9, ValueError("too high")), range(60)))
        assert "in task 9" in caught.value.__notes__
        endless = cluster.as_completed(mix, itertools.count())
        assert {number for number, _ in itertools.islice(endless, 10)} <= set(range(16))
        endless.close()


def test_one_of_two_dask_workers_killed_changes_nothing(dask: Any) -> None:
    delivered: list[tuple[int, int]] = []
    with connect(dask) as cluster:
        for result in cluster.as_completed(mix_slowly, range(60), chunk=2):
            delivered.append(result)
            if len(delivered) == 10:
                os.kill(next(iter(dask.workers.values())).pid, signal.SIGKILL)
        assert cluster.quarantined == []
    assert sorted(delivered) == list(enumerate(EXPECTED))


def test_a_task_that_kills_dask_workers_is_quarantined_and_its_neighbours_are_not(dask: Any, tmp_path: Path) -> None:
    dask.scheduler.allowed_failures = 0  # blames whatever the worker had, and makes the test short
    with connect(dask, on_quarantine="skip") as cluster:
        delivered = list(cluster.as_completed(partial(die_at, 5, tmp_path / "deaths"), range(20), chunk=2))
        assert [each.number for each in cluster.quarantined] == [5]
    assert sorted(delivered) == [(number, value) for number, value in enumerate(EXPECTED[:20]) if number != 5]


# The cache of costly evaluations.


def note_square(task: tuple[str, int]) -> list[int]:
    """Leaves a trace of each call, in a file that processes share."""
    path, number = task
    with Path(path).open("a") as file:
        file.write(f"{number}\n")
    return [number, number * number]


def test_a_cache_drops_a_line_that_was_cut_short_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "cache.jsonl"
    cache = Cache(path)
    assert not path.exists()
    cache.add(["a", 1], {"nodes": 1})
    cache.add({"b": 2, "a": 1}, None)
    cache.close()
    path.write_text(path.read_text()[:-5])
    again = Cache(path)
    assert again.find(["a", 1]) == {"nodes": 1}
    assert {"a": 1, "b": 2} not in again
    with pytest.raises(KeyError):
        again.find("c")
    again.add({"b": 2, "a": 1}, 3)
    again.close()
    assert Cache(path).find({"a": 1, "b": 2}) == 3


def test_threads_may_add_to_a_new_cache_at_once(tmp_path: Path) -> None:
    for attempt in range(20):
        cache = Cache(tmp_path / f"{attempt}.jsonl")
        together = threading.Barrier(8)

        def add(number: int, cache: Cache = cache, together: threading.Barrier = together) -> None:
            together.wait()
            cache.add(number, number)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(add, range(8)))
        cache.close()
        again = Cache(tmp_path / f"{attempt}.jsonl")
        assert [again.find(number) for number in range(8)] == list(range(8))
        again.close()


def test_a_cache_belongs_to_one_process_at_a_time_and_says_where_it_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "cache.jsonl"
    cache = Cache(path)
    cache.add("a", 1)
    with pytest.raises(CacheError, match="another process"):
        Cache(path)
    cache.close()
    path.write_text('["a",1]\nnonsense\n')
    with pytest.raises(CacheError, match="line 2 is damaged"):
        Cache(path)


def test_what_was_evaluated_is_not_evaluated_again(workers: Workers, tmp_path: Path) -> None:
    path, calls = tmp_path / "cache.jsonl", tmp_path / "calls"
    tasks = [(str(calls), number) for number in (3, 1, 2, 3)]
    for again in range(2):
        with workers.remembering(path):
            wanted = tasks if not again else [*tasks, (str(calls), 5)]
            values = workers.evaluate(note_square, wanted, key=lambda task: ["square", task[1]])
        assert values == [[number, number * number] for _, number in wanted]
    assert sorted(calls.read_text().split()) == ["1", "2", "3", "5"]
    assert len(workers.cache) == 0
