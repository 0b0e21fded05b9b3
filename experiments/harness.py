"""The harness of the experiments: command line, a cache that lets long runs resume, tables, verdicts, result files.

parts.py cuts a long experiment into parts; intervals.py holds the rules by which samples are judged.

An experiment is a file beside this one. It names its scales, its claims and its tasks. A task is measured once: its
figures are kept in runs/ as one JSON line, and a run that was ended goes on where it was. A cache belongs to one
build of the search, so that figures of two are never mixed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
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
from plypilot.suite import bench
from plypilot.versions import core_digest, versions

ROOT = Path(__file__).parent.parent
SIGNATURE_DEPTH = 4
"""Of the bench by which results tell one search from another."""
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
    holds: Callable[[Any, float], tuple[bool | None, str]]
    """Whether the figures agree within the tolerance, None where their sample is too small to tell, and what they are
    in a phrase. May raise Missing."""

    def judge(self, figures: Any) -> Verdict:
        """Whether our figures agree with the seed."""
        try:
            matched, found = self.holds(figures, self.tolerance)
        except Missing as missing:
            return Verdict(self, None, str(missing))
        return Verdict(self, matched, found, is_open=matched is None)

    @property
    def rule(self) -> str:
        """How it is judged, in words."""
        return self.judged.format(tolerance=self.tolerance)


@dataclass(frozen=True)
class Verdict:
    """What a claim was found to be."""

    claim: Claim
    matched: bool | None
    """None: it is open, or this scale does not measure it."""
    found: str
    is_open: bool = False
    """It was measured, but the interval of what was found decides nothing."""

    def content(self) -> Figures:
        """As plain data."""
        return {
            "claim": self.claim.name,
            "seed_says": self.claim.seed,
            "judged": self.claim.rule,
            "matched": self.matched,
            "open": self.is_open,
            "found": self.found,
        }

    def __str__(self) -> str:
        if self.is_open:
            return f"open         {self.claim.name}: {self.found}; the seed: {self.claim.seed}"
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

    def __init__(
        self, name: str, scale: str, *, threads: int = 1, folder: Path = ROOT, data: Path | None = None
    ) -> None:
        """Opens the cache of the experiment in folder/runs; results go to folder/results."""
        self.name, self.scale, self.threads, self.folder, self.data = name, scale, threads, folder, data
        self.started = time.perf_counter()
        self.search_seconds = 0.0
        """That cores have spent on the tasks, however many ran at once and whatever ran beside them."""
        self._charged, self._charging = core_seconds(), threading.Lock()
        self.before: Figures = {}
        """What other parts of the experiment have measured."""
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
        self._tables: list[Figures] = []
        self._drawings: list[Figures] = []

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
                seconds = round(time.perf_counter() - started, 4)
                self._cache.add(keys[number], {"seconds": seconds, "core_seconds": self._charge(), **figures})
            finally:
                self._under_way.discard(number)

        self._charge()
        told = time.perf_counter()
        with progress() as bar:
            shown = bar.add_task(what, total=len(items), completed=len(items) - len(todo))
            for done, _ in enumerate(self._each(run, todo), 1):
                bar.advance(shown)
                if bar.disable and time.perf_counter() - told > PLAIN_PROGRESS_SECONDS:
                    told = time.perf_counter()
                    print(f"{self.name}: {what} {done} of {len(todo)}", file=sys.stderr, flush=True)
        measured: list[Figures] = [self._cache.find(own) for own in keys]
        self.search_seconds += sum(figures.get("core_seconds", figures["seconds"]) for figures in measured)
        return measured

    def _charge(self) -> float:
        """What cores have spent since this was asked last: what a task is charged with when it ends, so that the sum is
        right where several run at once.
        """
        with self._charging:
            before, self._charged = self._charged, core_seconds()
            return round(self._charged - before, 4)

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
        rows = [[str(cell) for cell in row] for row in rows]
        self._tables.append({"title": title, "columns": list(columns), "rows": rows})
        made = make_table(*columns)
        for column in made.columns[1:]:
            column.justify = "right"
            column.no_wrap = True
        for row in rows:
            made.add_row(*row)
        self._console.print(f"\n{title}", style="bold", markup=False)
        self._console.print(made)

    def draw(self, drawing: Callable[[], str], name: str = "", caption: str = "") -> None:
        """Writes an SVG beside the result file, where matplotlib is there to draw it; one of several has a name."""
        try:
            text = drawing()
        except NoMatplotlib as reason:
            print(f"not drawn: {reason}")
            return
        path = self.result_path(f"{name}.svg" if name else "svg")
        path.write_text(text, encoding="utf-8")
        self._drawings.append({"file": path.name, "caption": caption or f"what {self.name} found"})
        print(f"drawn: {path}")

    def result_path(self, suffix: str) -> Path:
        """Where a result of this scale is written."""
        scale = "" if self.scale == "full" else f".{self.scale}"
        path = self.folder / "results" / f"{self.name}{scale}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def conclude(
        self,
        claims: Sequence[Claim],
        figures: Any,
        *,
        settings: Mapping[str, Any],
        seed: int = 0,
        parts: Mapping[str, Figures] | None = None,
    ) -> Path:
        """Prints a verdict a claim and writes results/NAME.json, or NAME.SCALE.json for other scales than full.

        ``parts`` tells what each part of a run was made with, where the figures were gathered from several.
        """
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
            "figures": figures,
            "verdicts": [verdict.content() for verdict in verdicts],
            "tables": self._tables,
            "drawings": self._drawings,
            "seconds": round(seconds, 1),
        } | (self.origin() if parts is None else {"parts": parts})
        path = self.result_path("json")
        write_result(path, content)
        judged = f"{count_matched(verdicts)} claims matched, " if verdicts else ""
        spent = f"{seconds:.0f} s, {self.search_seconds:.0f} s of searching, {self.kept} tasks kept from before"
        print(f"\n{judged}{spent}: {path}")
        return path

    def origin(self) -> Figures:
        """What the figures of this run are made with: versions, the commit of the rule, and what it took."""
        return {
            "versions": versions(),
            "signature": search_signature(),
            "rule": rule_commit(self.name),
            "search_seconds": round(self.search_seconds, 1),
        }

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


def count_matched(verdicts: Sequence[Verdict]) -> str:
    """How many claims came out, of those that were measured."""
    return tell_counts([(verdict.matched, verdict.is_open) for verdict in verdicts])


def tell_counts(verdicts: Sequence[tuple[bool | None, bool]]) -> str:
    """The same of pairs: whether a claim matched, and whether it is open.

    >>> tell_counts([(True, False), (False, False), (None, True), (None, False)])
    '1 of 3 (1 open, 1 not measured)'
    """
    is_open = sum(open_ for _, open_ in verdicts)
    missing = sum(matched is None for matched, _ in verdicts) - is_open
    others = [f"{count} {what}" for count, what in ((is_open, "open"), (missing, "not measured")) if count]
    counted = f"{sum(matched is True for matched, _ in verdicts)} of {len(verdicts) - missing}"
    return counted + (f" ({', '.join(others)})" if others else "")


def core_seconds() -> float:
    """What cores have spent on this process and on those that it started and that have ended."""
    return sum(os.times()[:4])


def write_result(path: Path, content: Mapping[str, Any]) -> None:
    """Writes a result file, whole or not at all."""
    draft = path.with_name(path.name + ".tmp")
    draft.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    draft.replace(path)


@cache
def search_signature() -> str:
    """What the bench of each game counts: figures of a search that counts otherwise are told apart."""
    games = ("breakthrough", "chess", "loa", "shogi")
    return " ".join(str(bench(pp.Pilot.baseline(game), depth=SIGNATURE_DEPTH).nodes) for game in games)


def rule_commit(name: str) -> str:
    """The last commit of the experiment's file, which says how it is judged; empty where this is no checkout or the
    file was changed since.
    """
    path = f"experiments/{name}.py"
    commands = (["diff", "--quiet", "HEAD", "--", path], ["log", "-1", "--format=%H", "--", path])
    try:
        *_, told = [
            subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True, timeout=5)
            for words in commands
        ]
    except (OSError, subprocess.SubprocessError):
        return ""
    return told.stdout.strip()


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
