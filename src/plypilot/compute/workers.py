"""Workers: one function on many tasks, in order or as they finish."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Literal, Protocol, Self, TypeVar

from plypilot.compute.cache import Cache
from plypilot.compute.cluster import Cluster
from plypilot.compute.interrupts import holding_interrupts
from plypilot.compute.processes import Processes
from plypilot.compute.tasks import Chunk, Outcome, TaskKilledWorkers, WorkersDied, in_chunks, run_tasks
from plypilot.game_name import is_python_game

Task = TypeVar("Task")
Answer = TypeVar("Answer")
OnQuarantine = Literal["raise", "skip"]

_CHUNKS_AHEAD = 3
"""Chunks that are handed out for each worker: one runs, the others keep it busy while the caller works."""
_POLL_SECONDS = 0.01
"""How often threads are looked at whose results nobody waits for."""


class Pool(Protocol):
    """What runs chunks, on top of an executor of ``concurrent.futures``."""

    @property
    def count(self) -> int:
        """How many chunks can run at once."""

    def runner(self, function: Callable[[Any], Any]) -> Callable[[Sequence[Any]], Future[Any]]:
        """What submits the tasks of a chunk to be run by this function."""

    def read(self, future: Future[Any]) -> list[Outcome]:
        """The outcomes of a chunk that is done, up to the first failure. Raises WorkersDied where none are known."""

    def close(self, *, at_once: bool) -> None:
        """Ends the workers; at once, without waiting for what runs."""


class Workers:
    """Runs one function on many tasks. Made by ``threads``, ``processes``, ``cluster`` or ``open``.

    Native games release the GIL, so threads suit them; games in Python and code that may crash want processes.
    ``function(task)`` must depend on the task only. For processes and clusters it must be a function of a module, and
    tasks and results are pickled. A task should take 100 ms or more; smaller ones are handed out several at a time by
    ``chunk``. Not for several threads at a time.

    >>> with Workers.threads(2) as workers:
    ...     list(workers.map(abs, [-1, 2, -3]))
    [1, 2, 3]
    """

    def __init__(self, pool: Pool, *, on_quarantine: OnQuarantine = "raise") -> None:
        """Workers of a pool; the class methods make the usual ones."""
        if on_quarantine not in ("raise", "skip"):
            raise ValueError(f'on_quarantine is "{on_quarantine}", expected raise or skip')
        self._pool = pool
        self._on_quarantine = on_quarantine
        self._closed = False
        self.quarantined: list[TaskKilledWorkers] = []
        """The tasks that killed their workers, of all calls so far."""
        self.cache = Cache()
        """What ``evaluate`` knows already; a run keeps it in its folder (``remembering``)."""

    @classmethod
    def threads(cls, count: int | None = None) -> Self:
        """Threads of this process, by default one for each core."""
        return cls(_Threads(_checked(count)))

    @classmethod
    def processes(cls, count: int | None = None, *, on_quarantine: OnQuarantine = "raise") -> Self:
        """Processes of this machine, by default one for each core, with our working folder and ``sys.path``.

        A script that makes them needs its ``if __name__ == "__main__"``, because they import it.
        """
        return cls(Processes(_checked(count)), on_quarantine=on_quarantine)

    @classmethod
    def cluster(cls, address: str, *, on_quarantine: OnQuarantine = "raise") -> Self:
        """The workers of a Dask cluster at ``dask://host:port`` (docs/cluster.md).

        Raises NoWorkers where there is none. Warns where it has no authentication.
        """
        return cls(Cluster(address), on_quarantine=on_quarantine)

    @classmethod
    def open(
        cls,
        count: int | None = None,
        kind: str = "threads",
        cluster: str | None = None,
        *,
        on_quarantine: OnQuarantine = "raise",
    ) -> Self:
        """Workers as a command line names them: a number and a kind, or the address of a cluster."""
        if cluster is not None:
            if count is not None:
                raise ValueError(f"workers is {count}, but a cluster has the workers it has: leave the number out")
            return cls.cluster(cluster, on_quarantine=on_quarantine)
        if kind == "processes":
            return cls.processes(count, on_quarantine=on_quarantine)
        if kind == "threads":
            return cls.threads(count)
        raise ValueError(f'kind of workers is "{kind}", expected threads or processes')

    @property
    def are_threads(self) -> bool:
        """Whether they share our memory, so that a task may use what cannot be sent."""
        return isinstance(self._pool, _Threads)

    @property
    def count(self) -> int:
        """How many tasks can run at once. That of a cluster may change."""
        return self._pool.count

    def map(
        self, function: Callable[[Task], Answer], tasks: Iterable[Task], *, chunk: int = 1
    ) -> Generator[Answer, None, None]:
        """The results in the order of the tasks, which are taken as there is room for them and may be endless.

        An exception of a task is raised in its turn, with a note that names the task. A quarantined task always
        raises TaskKilledWorkers here, as no result may be left out. Closing the generator cancels what has not begun.
        """
        results = self._deliver(self._checked_pool(chunk), function, tasks, chunk, ordered=True)
        return _without_numbers(results)

    def as_completed(
        self, function: Callable[[Task], Answer], tasks: Iterable[Task], *, chunk: int = 1
    ) -> Generator[tuple[int, Answer], None, None]:
        """The number of a task, from 0, and its result, for each as it finishes; otherwise like ``map``.

        Where ``on_quarantine`` is ``skip``, a quarantined task is left out and added to ``quarantined``.
        """
        return self._deliver(self._checked_pool(chunk), function, tasks, chunk, ordered=False)

    def evaluate(
        self, function: Callable[[Task], Any], tasks: Sequence[Task], *, key: Callable[[Task], object]
    ) -> list[Any]:
        """The values of tasks in their order: from the cache where it has the key of a task, else worked out and kept.

        Values and keys are plain JSON. A key names all that the value depends on, the function included. Each value is
        kept as soon as it is there, so that whoever is ended loses only what was under way.
        """
        keys = [key(task) for task in tasks]
        missing = {json.dumps(own, sort_keys=True): number for number, own in enumerate(keys) if own not in self.cache}
        numbers = sorted(missing.values())
        with closing(self.as_completed(function, [tasks[number] for number in numbers])) as results:
            for place, value in results:
                self.cache.add(keys[numbers[place]], value)
        return [self.cache.find(own) for own in keys]

    @contextmanager
    def remembering(self, path: Path) -> Iterator[None]:
        """Keeps what ``evaluate`` works out in a file meanwhile, and knows what the file has from before."""
        before, self.cache = self.cache, Cache(path)
        try:
            yield
        finally:
            self.cache.close()
            self.cache = before

    def close(self) -> None:
        """Ends the workers. Threads finish the chunks that run; processes are given a second for them."""
        self._close(at_once=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_rest: object) -> None:
        # Ctrl-C waits for nothing. After an ordinary exception the caller may free what the threads still use.
        self._close(at_once=kind is not None and not issubclass(kind, Exception))

    def _close(self, *, at_once: bool) -> None:
        if not self._closed:
            self._closed = True
            self._pool.close(at_once=at_once)

    def _checked_pool(self, chunk: int) -> Pool:
        if chunk < 1:
            raise ValueError(f"chunk is {chunk}, expected 1 or more")
        if self._closed:
            raise ValueError("these workers are closed")
        return self._pool

    def _deliver(
        self, pool: Pool, function: Callable[[Task], Answer], tasks: Iterable[Task], chunk: int, *, ordered: bool
    ) -> Generator[tuple[int, Answer], None, None]:
        submit = pool.runner(function)
        source = in_chunks(iter(tasks), chunk)
        pending: dict[Future[Any], Chunk] = {}
        finished: SimpleQueue[Future[Any]] = SimpleQueue()  # its lock bears an interrupt, those of futures do not
        suspects: list[Chunk] = []
        ready: dict[int, Outcome] = {}
        taken = delivered = 0

        def begin(new: Chunk) -> None:
            with holding_interrupts():
                future = submit(new.tasks)
                pending[future] = new
                future.add_done_callback(finished.put)

        try:
            while True:
                # 1. Hand out what there is room for. While workers died under some tasks, only these, and one by one.
                while not suspects and taken - delivered <= (_CHUNKS_AHEAD * pool.count - 1) * chunk:
                    new = next(source, None)
                    if new is None:
                        break
                    taken += len(new.tasks)
                    begin(new)
                if suspects and not pending:
                    begin(suspects.pop(0))

                # 2. Deliver one result if it is there.
                number = delivered if ordered else next(iter(ready), -1)
                if number in ready:
                    outcome = ready.pop(number)
                    delivered += 1
                    if outcome.error is None:
                        yield number, outcome.answer
                    elif self._is_fatal(number, outcome.error, ordered):
                        raise outcome.error
                    continue

                # 3. Wait for more.
                if not pending:
                    return
                future = finished.get()
                ended = pending.pop(future)
                try:
                    ready.update(ended.numbered(pool.read(future)))
                except WorkersDied as error:
                    if ended.alone:
                        ready.update(ended.numbered([Outcome(error=error)]))
                    else:
                        suspects += ended.singly()
                except Exception as error:
                    ready[ended.first] = Outcome(error=error)
        finally:
            with holding_interrupts():
                for future in pending:
                    future.cancel()

    def _is_fatal(self, number: int, error: Exception, ordered: bool) -> bool:
        if isinstance(error, TaskKilledWorkers):
            self.quarantined.append(error)
            return ordered or self._on_quarantine == "raise"
        error.add_note(f"in task {number}")
        return True


def _without_numbers(results: Generator[tuple[int, Answer], None, None]) -> Generator[Answer, None, None]:
    with closing(results):
        for _, answer in results:
            yield answer


def _checked(count: int | None) -> int:
    if count is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if count < 1:
        raise ValueError(f"workers is {count}, expected 1 or more")
    return count


@contextmanager
def workers_for(game: str, given: int | Workers, cluster: str | None = None) -> Iterator[Workers]:
    """Workers as they are; or those of a cluster; or so many of the kind that a game needs, closed in the end.

    Games in Python, named ``module:Class``, hold the interpreter's lock and need processes.
    """
    if isinstance(given, Workers):
        yield given
        return
    kind = "processes" if is_python_game(game) else "threads"
    with Workers.open(None if cluster else given, kind=kind, cluster=cluster) as made:
        yield made


class _Threads:
    def __init__(self, count: int) -> None:
        self.count = count
        self._executor = ThreadPoolExecutor(count, thread_name_prefix="plypilot")
        self._running: set[Future[Any]] = set()

    def runner(self, function: Callable[[Any], Any]) -> Callable[[Sequence[Any]], Future[Any]]:
        def submit(tasks: Sequence[Any]) -> Future[Any]:
            future = self._executor.submit(run_tasks, function, tasks)
            self._running.add(future)
            future.add_done_callback(self._running.discard)
            return future

        return submit

    def read(self, future: Future[Any]) -> list[Outcome]:
        outcomes: list[Outcome] = future.result()
        return outcomes

    def close(self, *, at_once: bool) -> None:
        with holding_interrupts():
            self._executor.shutdown(wait=False, cancel_futures=True)
        if at_once:
            return
        while self._running:
            time.sleep(_POLL_SECONDS)
        with holding_interrupts():
            self._executor.shutdown()
