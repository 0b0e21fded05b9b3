"""The page of a run: what was learned, how it went, what matches say, and what it was made with."""

from __future__ import annotations

import contextlib
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from plypilot import sealed
from plypilot.games import game_info
from plypilot.learn import Run, read_run
from plypilot.play.journal import JOURNAL_NAME, Journal, JournalError
from plypilot.play.match import Standing
from plypilot.play.ratings import Pentanomial, elo, superiority
from plypilot.report.page import Page, add_section
from plypilot.sections import Block, Lines, Section, SmallLines, Table

_MOST_TRACED = 10
"""Lines that one drawing can hold."""

PAGE = "report.html"


def write_report(folder: str | PathLike[str], path: str | PathLike[str] | None = None) -> Path:
    """Writes the page of a run, into its folder where no other place is named. Raises RunError and NoMatplotlib."""
    target = Path(folder) / PAGE if path is None else Path(path)
    sealed.write(target, make_report(read_run(folder)).encode())
    return target


def make_report(run: Run) -> str:
    """The page as text; the same run gives the same."""
    facts = run.facts
    title = game_info(facts["game"]).title or facts["game"]
    page = Page(f"{facts['learner']} on {title}")
    page.heading(page.title, 1)
    page.say(_headline(run), quiet=True)
    page.say(run.history.tell())
    for section in sections_of(run):
        add_section(page, section)
    if matches := list(_read_matches(run.folder)):
        page.heading("Matches")
        _add_matches(page, matches)
    page.heading("Settings and versions")
    rows = [(key, _plain(value)) for key, value in _flat(facts["settings"])]
    half = -(-len(rows) // 2)
    made = [(key, _plain(facts[key])) for key in ("learner", "decision", "game", "seed", "pilot") if key in facts]
    made += [(key, str(value)) for key, value in facts.get("versions", {}).items()]
    run_columns, columns = ("run", ""), ("setting", "value")
    page.tables([("", columns, rows[:half]), ("", columns, rows[half:]), ("", run_columns, made)], words=2)
    page.heading("The same run again", 3)
    page.code(_command(facts))
    return page.html()


def sections_of(run: Run) -> Iterator[Section]:
    """What the learner shows of a run, its checks, and whatever was measured besides."""
    tell = getattr(run.learner, "sections", _plain_sections)
    sections: list[Section] = list(tell(run))
    yield from (*sections, _checks_section(run), _measured_section(run, sections))


def _headline(run: Run) -> str:
    whole = "" if run.expected_steps is None else f" of {run.expected_steps}"
    parts = [f"all {run.step} steps" if run.is_done else f"{run.step}{whole} steps"]
    if run.metrics:
        if games := next((line["games"] for line in reversed(run.metrics) if isinstance(line.get("games"), int)), 0):
            parts.append(f"{games:,} games")
        for key in ("plies", "nodes"):
            if total := sum(int(line[key]) for line in run.metrics if isinstance(line.get(key), int | float)):
                parts.append(f"{total:,} {key}")
        if seconds := sum(float(line["seconds"]) for line in run.metrics if isinstance(line.get("seconds"), float)):
            parts.append(f"{seconds:,.0f} seconds")
    return ", ".join([*parts, f"seed {run.facts['seed']}"])


def _plain_sections(run: Run) -> Iterator[Section]:
    """Of a learner that brings no sections: the settings that changed, and the numbers that it tells."""
    blocks: list[Block] = []
    if changed := run.start.compare(run.pilot).settings:
        rows = [(key, *map(_plain, both)) for key, both in changed.items()]
        blocks.append(Table(("setting", "before", "now"), rows, words=3))
    traces = run.traces
    if traces is not None and len(traces.steps) > 1:
        x, across = run.axis
        lines = {name: traces.values[:, i] for i, name in enumerate(traces.names[:_MOST_TRACED])}
        counted = np.concatenate([[0.0], x])[traces.steps]
        blocks.append(Lines(counted, lines, across, "", "What was learned, over the run."))
    yield Section("What was learned", blocks or ["The pilot is as it was at the start."])


def _checks_section(run: Run) -> Section:
    """What the run has found out about itself by games."""
    rows = []
    for check in run.history.checks:
        best = "start" if check.best_before == 0 else f"step {check.best_before}"
        cells = [_describe_pairs(pairs) for pairs in (check.against_start, check.against_best)]
        rows.append((f"step {check.step}", *cells, best, "yes" if check.is_better else "no"))
    columns = ("learned by", "against the start", "against the best so far", "which was", "became the best")
    return Section("Checks by games", [Table(columns, rows, words=5)] if rows else [])


def _describe_pairs(counts: Sequence[int]) -> str:
    pairs = Pentanomial(*counts)
    return f"{pairs.score:.1%} of {pairs.games} games, Elo {elo(pairs)}" if pairs.games else "the same pilot"


def _measured_section(run: Run, others: Sequence[Section]) -> Section:
    """Whatever was measured in each step and stands in no other section."""
    x, across = run.axis if run.metrics else (np.empty(0), "")
    shown = {"step", "games", "seconds"}.union(*(section.metrics for section in others))
    lines = {}
    for key in run.metrics[0] if run.metrics else ():
        values = None if key in shown else run.column(key)
        if values is not None and np.ptp(values) > 0:
            lines[key.replace("_", " ")] = values
    drawing = SmallLines(x, lines, across, "What was measured, step by step.")
    return Section("Measured on the way", [drawing] if lines else [])


# Matches


def _read_matches(folder: Path) -> Iterator[tuple[str, Mapping[str, Any], Standing]]:
    """The matches in ``match`` of a run folder and below: where, the plan, and the results of the first player."""
    for path in sorted((folder / "match").rglob(JOURNAL_NAME)):
        # A journal that is being written, or is damaged, is no reason to have no report.
        with contextlib.suppress(JournalError), Journal.open(path) as journal:
            if journal.plan.get("kind") != "match":
                continue
            standing = Standing.of(journal)
            if standing.tally.games:
                yield str(path.parent.relative_to(folder)), journal.plan, standing


def _add_matches(page: Page, matches: list[tuple[str, Mapping[str, Any], Standing]]) -> None:
    rows = []
    for where, plan, standing in matches:
        tally, pairs = standing.tally, standing.pairs
        one, two = (str(player["name"]) for player in plan["players"])
        limit = ", ".join(f"{key} {value:g}" for key, value in plan["limits"][0].items() if _is_number(value) and value)
        difference = elo(pairs)
        interval = f"{difference.value:+.0f} [{difference.low:+.0f}, {difference.high:+.0f}]"
        counts = (str(count) for count in (tally.wins, tally.draws, tally.losses))
        sure = f"{superiority(pairs):.1%}"
        rows.append((where, f"{one} against {two}", limit, *counts, f"{tally.score:.1%}", interval, sure))
        sign = "ahead of" if difference.low > 0 else "behind" if difference.high < 0 else "not told apart from"
        page.say(f"{one} is {sign} {two}: {tally.score:.1%} of {tally.games} games.")
    page.table(
        ("folder", "match", "limit of a move", "won", "drawn", "lost", "score", "Elo, 95%", "superior"), rows, words=3
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# Settings


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _plain(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _command(facts: Mapping[str, Any]) -> str:
    words = [f"plypilot train {facts['learner']} {facts['game']} --seed {facts['seed']} --pilot start.pilot"]
    for key, value in _flat(facts["settings"]):
        words.append(shlex.quote(f"--set={key}={value if isinstance(value, str) else json.dumps(value)}"))
    return " \\\n  ".join(words)
