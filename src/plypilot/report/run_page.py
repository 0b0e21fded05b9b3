"""The page of a run: what was learned, how it went, what matches say, and what it was made with."""

from __future__ import annotations

import contextlib
import json
import shlex
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plypilot import sealed
from plypilot.games import game_info
from plypilot.learn import Run, read_run
from plypilot.play.journal import JOURNAL_NAME, Journal, JournalError
from plypilot.play.ratings import Pentanomial, Tally, elo, superiority
from plypilot.report.boards import find_boards
from plypilot.report.drawing import draw_boards, draw_lines, draw_shares, draw_small_lines
from plypilot.report.page import Page
from plypilot.report.weights import Weight, describe_weights, read_weights

Array = NDArray[np.float64]

PAGE = "report.html"
_MOST_LISTED = 15
_ALL_LISTED = 30
"""Weights up to whom one table shows them all."""
_MOST_TRACED = 10
_MOST_BOARDS = 24
_RESULTS = ("losses", "draws", "wins")
_SMOOTHED = 15
"""Noisy curves are running means over this part of the run."""


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
    page.heading("What was learned")
    _add_learned(page, run)
    if run.metrics:
        page.heading("How it went")
        _add_curves(page, run)
    if matches := list(_read_matches(run.folder)):
        page.heading("Matches")
        _add_matches(page, matches)
    page.heading("Settings and versions")
    rows = [(key, _plain(value)) for key, value in _flat(facts["settings"])]
    half = -(-len(rows) // 2)
    made = [(key, _plain(facts[key])) for key in ("learner", "game", "seed", "steps", "pilot") if key in facts]
    made += [(key, str(value)) for key, value in facts.get("versions", {}).items()]
    run_columns, columns = ("run", ""), ("setting", "value")
    page.tables([("", columns, rows[:half]), ("", columns, rows[half:]), ("", run_columns, made)], words=2)
    page.heading("The same run again", 3)
    page.code(_command(facts))
    return page.html()


def _headline(run: Run) -> str:
    state = "all" if run.is_done else f"{run.step} of"
    parts = [f"{state} {run.steps} steps"]
    if run.metrics:
        last = run.metrics[-1]
        if isinstance(last.get("games"), int):
            parts.append(f"{last['games']:,} games")
        for key in ("plies", "nodes"):
            if total := sum(int(each[key]) for each in run.metrics if isinstance(each.get(key), int | float)):
                parts.append(f"{total:,} {key}")
        if seconds := sum(float(each["seconds"]) for each in run.metrics if isinstance(each.get("seconds"), float)):
            parts.append(f"{seconds:,.0f} seconds")
    return ", ".join([*parts, f"seed {run.facts['seed']}"])


# What was learned


def _add_learned(page: Page, run: Run) -> None:
    weights = read_weights(run)
    for sentence in [" ".join(describe_weights(weights)), _describe_error(run)]:
        if sentence:
            page.say(sentence)
    settings = run.start.compare(run.pilot).settings
    if changed := {key: both for key, both in settings.items() if not key.startswith("evaluation.network")}:
        page.table(("setting", "before", "now"), [(key, *map(_plain, both)) for key, both in changed.items()], words=3)
    if weights:
        _add_weight_tables(page, weights)
        _add_boards(page, run, weights)
    elif run.pilot.evaluation.network is not None:
        features, units = run.pilot.evaluation.network.hidden.shape
        page.say(
            f"A network with {features} inputs and {units} hidden units: {features * units + 2 * units + 1} weights."
        )
    if not weights and not settings and run.pilot == run.start:
        page.say("The pilot is as it was at the start.")


def _describe_error(run: Run) -> str:
    errors = _column(run, "error")
    if errors is None or len(errors) < 10:
        return ""
    tenth = max(1, len(errors) // 10)
    first, last = float(errors[:tenth].mean()), float(errors[-tenth:].mean())
    return (
        f"The mean squared distance between a prediction and the outcome of its game was {first:.3f} in the first "
        f"tenth of the run and {last:.3f} in the last."
    )


def _add_weight_tables(page: Page, weights: list[Weight]) -> None:
    page.say("Weights are in pawns: 1 is 100 score units, from the view of the side to move.", quiet=True)
    several = len({each.set for each in weights}) > 1
    begun = any(each.first is not None and each.given != each.first for each in weights)
    known = any(each.given is not None for each in weights)
    before = [*(["pilot given"] if known else []), *(["began at"] if begun else [])]
    columns = ("weight", *before, "learned", "change")

    def row(each: Weight) -> tuple[str, ...]:
        name = f"{each.feature} ({each.set})" if several else each.feature
        told = [*([_number(each.given)] if known else []), *([_number(each.first)] if begun else [])]
        return (name, *told, f"{each.learned:.3f}", f"{each.change:+.3f}")

    by_size = sorted(weights, key=lambda each: -abs(each.learned))
    if len(weights) <= _ALL_LISTED:
        page.table(columns, map(row, by_size))
        return
    by_change = sorted(weights, key=lambda each: -abs(each.change))
    page.tables(
        [
            ("Largest weights", columns, map(row, by_size[:_MOST_LISTED])),
            ("What changed most", columns, map(row, by_change[:_MOST_LISTED])),
        ]
    )


def _add_boards(page: Page, run: Run, weights: list[Weight]) -> None:
    info = game_info(run.facts["game"])
    for name in dict.fromkeys(each.set for each in weights):
        own = {each.feature: each.learned for each in weights if each.set == name}
        if boards := find_boards(own, info.files, info.ranks)[:_MOST_BOARDS]:
            caption = (
                f"{name} on the board, in pawns, the mover's own side at the bottom; colours tell the distance "
                "from the mean of each board: orange above, violet below"
            )
            page.figure(draw_boards(boards), caption)


# How it went


def _add_curves(page: Page, run: Run) -> None:
    x, across = _axis(run)
    traces = run.traces
    if traces is not None and len(traces.steps) > 1:
        moved = np.abs(traces.values - traces.values[0]).max(axis=0)
        largest = np.argsort(-moved, kind="stable")[:_MOST_TRACED]
        sets = {name.partition(".")[0] for name in traces.names}
        lines = {_short(traces.names[i], sets): traces.values[:, i] for i in sorted(largest)}
        counted = np.concatenate([[0.0], x])[traces.steps]
        which = "Every weight" if len(traces.names) <= _MOST_TRACED else f"The {len(lines)} weights that moved most"
        page.figure(draw_lines(counted, lines, across=across, up="pawns"), f"{which}, over the run.")
    error = _column(run, "error")
    if error is not None:
        smooth = _smooth(error)
        page.figure(
            draw_lines(x[len(x) - len(smooth) :], {"error": smooth}, across=across, up="squared error", height=2.2),
            "Prediction error: squared distance to the outcome of the game, a running mean.",
        )
    results = [_column(run, key) for key in _RESULTS]
    if all(each is not None for each in results):
        sums = [_smooth(each) for each in results if each is not None]
        total = np.maximum(sum(sums), 1e-9)
        shares = {name: each / total for name, each in zip(("second won", "drawn", "first won"), sums, strict=True)}
        page.figure(draw_shares(x[len(x) - len(sums[0]) :], shares, across=across), "How the games of self-play ended.")
    others = dict(_other_columns(run))
    if others:
        page.figure(draw_small_lines(x, others, across=across), "What else was measured, step by step.")


def _axis(run: Run) -> tuple[Array, str]:
    games = _column(run, "games")
    return (games, "games") if games is not None else (np.arange(1.0, len(run.metrics) + 1), "steps")


def _column(run: Run, key: str) -> Array | None:
    """A metric over all steps; None where it is not a number in each."""
    values = [each.get(key) for each in run.metrics]
    if not values or not all(isinstance(value, int | float) for value in values):
        return None
    found = np.array(values, np.float64)
    return found if np.all(np.isfinite(found)) else None


def _other_columns(run: Run) -> Iterator[tuple[str, Array]]:
    shown = {"step", "games", "error", "seconds", *_RESULTS}
    for key in run.metrics[0]:
        values = None if key in shown else _column(run, key)
        if values is not None and np.ptp(values) > 0:
            yield key.replace("_", " "), values


def _smooth(values: Array) -> Array:
    """Means over a part of the run, each at its end."""
    width = max(1, len(values) // _SMOOTHED)
    return np.convolve(values, np.ones(width) / width, mode="valid")


def _short(name: str, sets: set[str]) -> str:
    own = name.partition(".")[2]
    return own if len(sets) == 1 and own else name


# Matches


def _read_matches(folder: Path) -> Iterator[tuple[str, Mapping[str, Any], Tally, Pentanomial]]:
    """The matches in ``match`` of a run folder and below: where, the plan, and the results of the first player."""
    for path in sorted((folder / "match").rglob(JOURNAL_NAME)):
        # A journal that is being written, or is damaged, is no reason to have no report.
        with contextlib.suppress(JournalError), Journal.open(path) as journal:
            if journal.plan.get("kind") != "match":
                continue
            points = {game.number: game.points(0) for game in journal.games()}
            pairs = [(points[i], points[i + 1]) for i in points if i % 2 == 0 and i + 1 in points]
            tally = Tally.of([each for pair in pairs for each in pair])
            if pairs:
                yield str(path.parent.relative_to(folder)), journal.plan, tally, Pentanomial.of(pairs)


def _add_matches(page: Page, matches: list[tuple[str, Mapping[str, Any], Tally, Pentanomial]]) -> None:
    rows = []
    for where, plan, tally, pairs in matches:
        one, two = (str(each["name"]) for each in plan["players"])
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


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _command(facts: Mapping[str, Any]) -> str:
    words = [f"plypilot train {facts['learner']} {facts['game']} --seed {facts['seed']} --pilot start.pilot"]
    for key, value in _flat(facts["settings"]):
        words.append(shlex.quote(f"--set={key}={value if isinstance(value, str) else json.dumps(value)}"))
    return " \\\n  ".join(words)
