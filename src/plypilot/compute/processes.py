"""Worker processes of this machine, which may die: what they held is run again."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any

from plypilot import __version__
from plypilot.compute.interrupts import holding_interrupts
from plypilot.compute.tasks import NoWorkers, Outcome, WorkersDied, pack_function, run_packed, unpack

_DEATHS = 3
"""How many workers die under a task before it is quarantined."""
_STARTS = 3
"""How many processes in a row may die before they are ready."""
_GRACE_SECONDS = 1.0
"""How long chunks that nobody waits for may still run."""


class Processes:
    """Executors of one process each, and a thread for each that hands it one chunk at a time.

    One executor of many processes breaks as a whole when one of them dies, and does not say under which task. Here the
    others go on, and the dead one can only have died under the chunk it had.
    """

    def __init__(self, count: int) -> None:
        """Processes start when there is something to run."""
        self.count = count
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="plypilot", initializer=self._adopt)
        self._of_thread = threading.local()
        self._processes: list[_Process] = []
        self._running: set[Future[Any]] = set()

    def runner(self, function: Callable[[Any], Any]) -> Callable[[Sequence[Any]], Future[Any]]:
        """What submits the tasks of a chunk."""
        packed = pack_function(function, pickle.dumps)

        def submit(tasks: Sequence[Any]) -> Future[Any]:
            future = self._threads.submit(self._run, packed, tasks)
            self._running.add(future)
            future.add_done_callback(self._running.discard)
            return future

        return submit

    def read(self, future: Future[Any]) -> list[Outcome]:
        """The outcomes of a chunk."""
        outcomes: list[Outcome] = future.result()
        return outcomes

    def close(self, *, at_once: bool) -> None:
        """Ends the processes, by force where they do not end in time."""
        with holding_interrupts():
            self._threads.shutdown(wait=False, cancel_futures=True)
            _, late = wait(set(self._running), timeout=0 if at_once else _GRACE_SECONDS)
            for process in self._processes:
                process.forbid(kill=at_once or bool(late))
            self._threads.shutdown()
            for process in self._processes:
                process.close()

    def _adopt(self) -> None:
        self._of_thread.process = _Process()
        self._processes.append(self._of_thread.process)

    def _run(self, function: bytes, tasks: Sequence[Any]) -> list[Outcome]:
        process: _Process = self._of_thread.process
        with suppress(BrokenExecutor):
            return process.run(function, tasks)
        outcomes: list[Outcome] = []
        for task in tasks:  # alone, to see which one it was
            outcomes += _run_suspect(process, function, task)
            if outcomes[-1].error is not None and not isinstance(outcomes[-1].error, WorkersDied):
                break
        return outcomes


def _run_suspect(process: _Process, function: bytes, task: object) -> list[Outcome]:
    for _ in range(1, _DEATHS):
        with suppress(BrokenExecutor):
            return process.run(function, [task])
    return [Outcome(error=WorkersDied())]


class _Process:
    """One process at a time: the next one starts when the last one has died and there is something to run."""

    def __init__(self) -> None:
        self._executor: ProcessPoolExecutor | None = None
        self._pid = 0
        self._closed = False

    def run(self, function: bytes, tasks: Sequence[Any]) -> list[Outcome]:
        """Runs tasks. Raises BrokenExecutor where the process died."""
        executor = self._executor or self._start()
        try:
            packed = executor.submit(run_packed, __version__, function, pickle.dumps(tasks)).result()
        except BrokenExecutor:
            executor.shutdown()
            self._executor = None
            raise
        return unpack(packed)

    def forbid(self, *, kill: bool) -> None:
        """Lets no other process be started, and kills this one where it is not to go on; from any thread."""
        self._closed = True
        if kill:
            self._kill()

    def close(self) -> None:
        """Ends the process, when no thread runs tasks any more: two threads must not shut down one executor."""
        if self._executor is not None:
            self._executor.shutdown()

    def _start(self) -> ProcessPoolExecutor:
        # Spawned, because a process with threads must not fork. Python hands sys.path and the working folder on.
        context = multiprocessing.get_context("spawn")
        for _ in range(_STARTS):
            if self._closed:
                raise NoWorkers("these workers are closed")
            executor = ProcessPoolExecutor(1, mp_context=context, initializer=_begin)
            # A process inherits what its thread blocks: Ctrl-C must not hit it before it can ignore it. Not earlier,
            # because the first executor starts Python's resource tracker, which unblocks it.
            if hasattr(signal, "pthread_sigmask"):
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                self._pid = executor.submit(os.getpid).result()
            except BrokenExecutor:
                executor.shutdown()
                continue
            # With our own end of its pipe open, the executor would wait for ever for the rest of a result whose writer
            # was killed halfway (Python 3.11 to 3.13; a test shows it).
            with suppress(AttributeError):
                executor._result_queue._writer.close()  # type: ignore[attr-defined]
            self._executor = executor
            if self._closed:
                self._kill()
            return executor
        raise NoWorkers(
            "worker processes end before they begin, see their messages; a script that starts them needs "
            'if __name__ == "__main__", and cannot come from a pipe'
        )

    def _kill(self) -> None:
        for child in multiprocessing.active_children():
            if child.pid == self._pid:
                child.kill()


def _begin() -> None:
    """Makes a new process leave Ctrl-C to its parent, and end with it however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
