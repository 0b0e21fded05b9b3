"""The harness of the experiments: command line, a cache that lets long runs resume, tables, verdicts, result files.

An experiment is a file beside this one. It names its scales, its claims and its tasks. A task is measured once: its
figures are kept in runs/ as one JSON line, and a run that was ended goes on where it was. A cache belongs to one
build of the search, so that figures of two are never mixed.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import plypilot as pp
from plypilot.cli.output import console, progress
from plypilot.cli.output import table as make_table
from plypilot.compute import Cache, CacheError, Workers
from plypilot.play.arena import Arena, Games, Task
from plypilot.play.arena import Stopped as GamesStopped
from plypilot.report.drawing import NoMatplotlib
from plypilot.searcher import Iteration, Limit, Result, Searcher
from plypilot.versions import core_digest, versions

ROOT = Path(__file__).parent.parent
PLAIN_PROGRESS_SECONDS = 30
"""How often a run without a terminal tells how far it is."""

Figures = dict[str, Any]
"""What a task measured: plain JSON."""
Item = TypeVar("Item")


@dataclass(frozen=True)
class Claim:
    """Something a seed says, and how our figures are judged by it."""

    name: str
    seed: str
    """What the seed says, with the place."""
    judged: str
    """How we judge it; {tolerance} stands for the number."""
    tolerance: float
    holds: Callable[[Any, float], tuple[bool, str]]
    """Whether the figures agree within the tolerance, and what they are in a phrase. May raise Missing."""

    def judge(self, figures: Any) -> Verdict:
        """Whether our figures agree with the seed."""
        try:
            return Verdict(self, *self.holds(figures, self.tolerance))
        except Missing as missing:
            return Verdict(self, None, str(missing))


@dataclass(frozen=True)
class Verdict:
    """What a claim was found to be."""

    claim: Claim
    matched: bool | None
    """None: this scale does not measure it."""
    found: str

    def __str__(self) -> str:
        if self.matched is None:
            return f"not measured {self.claim.name}: {self.found}"
        if self.matched:
            return f"matched      {self.claim.name}: {self.found}"
        return f"not matched: {self.claim.name}: {self.found}; the seed: {self.claim.seed}"


class Missing(ValueError):
    """Figures that a scale does not measure."""


class Stopped(Exception):
    """The run was told to end, and with it this search."""


class Harness:
    """One run of one experiment: measures tasks, keeps their figures, prints, and writes the result file."""

    def __init__(self, name: str, scale: str, *, threads: int = 1, folder: Path = ROOT) -> None:
        """Opens the cache of the experiment in folder/runs; results go to folder/results."""
        self.name, self.scale, self.threads, self.folder = name, scale, threads, folder
        self.started = time.perf_counter()
        self.search_seconds = 0.0
        self.kept = 0
        """Tasks whose figures were in the cache."""
        try:
            self._cache = Cache(folder / "runs" / name / f"{core_digest()[:16]}.jsonl")
        except CacheError as error:
            raise SystemExit(str(error)) from error
        self._stopping = threading.Event()
        self._under_way: set[int] = set()
        self._running: set[Searcher | Arena] = set()
        self._console = console()

    def search(
        self,
        pilot: pp.Pilot,
        position: pp.Position,
        limit: Limit,
        *,
        until: Callable[[Iteration], bool] | None = None,
        statistics: bool = False,
        searcher: Searcher | None = None,
    ) -> Result:
        """Searches from an empty table, as every measurement does; ``until`` ends it after an iteration.

        ``searcher`` is a new one of the pilot, where its memory is to be read afterwards.
        """
        searcher = searcher or Searcher(pilot)
        self._running.add(searcher)
        try:
            if until is None:
                result = searcher.search(position, limit, statistics=statistics)
            else:
                result = searcher.search(
                    position, limit, on_iteration=lambda iteration: searcher.stop() if until(iteration) else None
                )
        finally:
            self._running.discard(searcher)
        if self._stopping.is_set():
            raise Stopped
        return result

    def play(self, arena: Arena, tasks: Sequence[Task]) -> Games:
        """Plays games to their ends, or until the run is told to end."""
        self._running.add(arena)
        try:
            return arena.play(tasks)
        except GamesStopped as stopped:
            raise Stopped from stopped
        finally:
            self._running.discard(arena)

    def measure(
        self, what: str, items: Sequence[Item], key: Callable[[Item], object], work: Callable[[Item], Figures]
    ) -> list[Figures]:
        """The figures of each item, in their order: from the cache, or by work, several at once.

        The key must name all that the figures depend on, but for the build.
        """
        keys = [[what, key(item)] for item in items]
        todo = [number for number, own in enumerate(keys) if own not in self._cache]
        self.kept += len(items) - len(todo)

        def run(number: int) -> None:
            self._under_way.add(number)
            try:
                if self._stopping.is_set():
                    raise Stopped
                started = time.perf_counter()
                figures = work(items[number])
                self._cache.add(keys[number], {"seconds": round(time.perf_counter() - started, 4), **figures})
            finally:
                self._under_way.discard(number)

        told = time.perf_counter()
        with progress() as bar:
            shown = bar.add_task(what, total=len(items), completed=len(items) - len(todo))
            for done, _ in enumerate(self._each(run, todo), 1):
                bar.advance(shown)
                if bar.disable and time.perf_counter() - told > PLAIN_PROGRESS_SECONDS:
                    told = time.perf_counter()
                    print(f"{self.name}: {what} {done} of {len(todo)}", file=sys.stderr, flush=True)
        measured: list[Figures] = [self._cache.find(own) for own in keys]
        self.search_seconds += sum(figures["seconds"] for figures in measured)
        return measured

    def _each(self, run: Callable[[int], None], numbers: Sequence[int]) -> Iterable[None]:
        """Runs the numbered tasks and yields after each. An interruption ends the searches that are under way."""
        if self.threads == 1:
            for number in numbers:
                run(number)
                yield
            return
        with Workers.threads(self.threads) as workers, closing(workers.as_completed(run, numbers)) as results:
            try:
                for _ in results:
                    yield
            except BaseException:
                self._stopping.set()
                results.close()
                while self._under_way:
                    for searcher in list(self._running):
                        searcher.stop()
                    time.sleep(0.02)
                raise

    def print_table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Prints a table, the first column at the left and numbers at the right."""
        made = make_table(*columns)
        for column in made.columns[1:]:
            column.justify = "right"
            column.no_wrap = True
        for row in rows:
            made.add_row(*map(str, row))
        self._console.print(f"\n{title}", style="bold", markup=False)
        self._console.print(made)

    def draw(self, drawing: Callable[[], str]) -> None:
        """Writes an SVG beside the result file, where matplotlib is there to draw it."""
        try:
            text = drawing()
        except NoMatplotlib as reason:
            print(f"not drawn: {reason}")
            return
        path = self._result_path("svg")
        path.write_text(text, encoding="utf-8")
        print(f"drawn: {path}")

    def _result_path(self, suffix: str) -> Path:
        scale = "" if self.scale == "full" else f".{self.scale}"
        path = self.folder / "results" / f"{self.name}{scale}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def conclude(self, claims: Sequence[Claim], figures: Any, *, settings: Mapping[str, Any], seed: int = 0) -> Path:
        """Prints a verdict a claim and writes results/NAME.json, or NAME.SCALE.json for other scales than full."""
        verdicts = [claim.judge(figures) for claim in claims]
        if verdicts:
            print()
        for verdict in verdicts:
            print(verdict)
        seconds = time.perf_counter() - self.started
        content = {
            "experiment": self.name,
            "scale": self.scale,
            "settings": dict(settings),
            "seed": seed,
            "versions": versions(),
            "figures": figures,
            "verdicts": [
                {
                    "claim": verdict.claim.name,
                    "seed_says": verdict.claim.seed,
                    "judged": verdict.claim.judged.format(tolerance=verdict.claim.tolerance),
                    "matched": verdict.matched,
                    "found": verdict.found,
                }
                for verdict in verdicts
            ],
            "seconds": round(seconds, 1),
            "search_seconds": round(self.search_seconds, 1),
        }
        path = self._result_path("json")
        draft = path.with_name(path.name + ".tmp")
        draft.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        draft.replace(path)
        judged = f"{count_matched([verdict.matched for verdict in verdicts])} claims matched, " if verdicts else ""
        spent = f"{seconds:.0f} s, {self.search_seconds:.0f} s of searching, {self.kept} tasks kept from before"
        print(f"\n{judged}{spent}: {path}")
        return path

    def close(self) -> None:
        """Lets another run have the cache."""
        self._cache.close()


def read_options(
    text: str | None, words: Sequence[str] | None, *, scales: Iterable[str] = ("quick", "full"), data: str | None = None
) -> argparse.Namespace:
    """The command line: scale, threads, out, and data where ``data`` tells what it names."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--scale", choices=list(scales), default="quick", help="quick takes minutes; default %(default)s"
    )
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="searches at once; default %(default)s")
    parser.add_argument("--out", type=Path, default=ROOT, metavar="DIR", help="where results/ and runs/ are")
    if data:
        parser.add_argument("--data", type=Path, metavar="PATH", help=data)
    read = parser.parse_args(words)
    if read.threads < 1:
        parser.error(f"--threads is {read.threads}, expected 1 or more")
    if data and read.data is not None and not read.data.exists():
        parser.error(f"--data: no such file or folder: {read.data}")
    return read


def start(experiment: Callable[[], None]) -> None:
    """Runs an experiment as a program: Ctrl-C ends it with what is measured kept."""
    try:
        experiment()
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here", file=sys.stderr)
        sys.exit(130)


def count_matched(verdicts: Sequence[bool | None]) -> str:
    """How many claims came out, of those that were measured.

    >>> count_matched([True, False, None])
    '1 of 2 (1 not measured)'
    """
    measured = [each for each in verdicts if each is not None]
    missing = len(verdicts) - len(measured)
    return f"{sum(measured)} of {len(measured)}" + (f" ({missing} not measured)" if missing else "")


def mean(values: Iterable[float]) -> float:
    """The mean; Missing where there is nothing."""
    listed = list(values)
    if not listed:
        raise Missing("no figures at this scale")
    return sum(listed) / len(listed)


def deviation(values: Iterable[float]) -> float:
    """The standard deviation of a sample, 0 of a single value."""
    listed = list(values)
    middle = mean(listed)
    return float((sum((each - middle) ** 2 for each in listed) / max(len(listed) - 1, 1)) ** 0.5)
