"""The page of a run: what was learned, how it went, what matches say, and what it was made with."""

from __future__ import annotations

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
from plypilot.play.ratings import Pentanomial, elo
from plypilot.report.matches import matches_section, read_matches, verdict_section
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
    for section in sections_of(run):
        add_section(page, section)
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
    """The verdict, the matches, what the learner shows of a run, its checks, what was measured besides, and words."""
    matches = list(read_matches(run.folder))
    yield verdict_section(matches, run.history.tell())
    yield matches_section(matches)
    tell = getattr(run.learner, "sections", _plain_sections)
    sections: list[Section] = list(tell(run))
    yield from (*sections, _checks_section(run), _measured_section(run, sections), _words_section(run))


_WORDS = {
    "error": "how far predictions were from what came out, squared: 0 is perfect, and 0.25 is what a coin toss has",
    "exact": "the share of predictions whose line of best play reaches the position that was judged",
    "moved": "how much a step changed what is learned, in all",
    "score": "points a game of the first player named; a draw is half a point",
}
"""What figures mean that many learners tell of a step."""
_MATCH_WORDS = {
    "Elo": "a difference of strength with its 95% interval: 0 is equal, 100 is a score of 64%, 200 of 76%, 400 of 91%",
    "superior": "how sure the games make it that the first player is better at all",
    "step": "the smallest part of a run, such as the games of one batch",
    "the start": "the pilot that the run was given",
    "the best": "the pilot that has won the games of the checks; it is best.pilot in the folder of the run",
}


def _words_section(run: Run) -> Section:
    """What the words of the page mean."""
    told = run.metrics[0] if run.metrics else {}
    words = _MATCH_WORDS | {word: text for word, text in _WORDS.items() if word in told}
    return Section(
        "Words", [Table(("word", "meaning"), sorted(words.items(), key=lambda each: each[0].lower()), words=2)]
    )


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
