"""What there is to show of move categories: of a pilot that extends on some, and of a run of Gradual Focus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from plypilot.learn.category_values import union_text
from plypilot.learn.focus import category_words
from plypilot.learn.gradual_focus import Exploration, Trace
from plypilot.pilot import Pilot
from plypilot.play.ratings import Pentanomial
from plypilot.sections import Section, Table, Verbatim

if TYPE_CHECKING:
    from plypilot.learn.focus import Focus
    from plypilot.learn.folder import Run

_LISTED = 25
_BAR = 30
"""Letters of the longest bar."""


def pilot_sections(pilot: Pilot) -> Iterator[Section]:
    """Of a pilot with move categories: each in words, and what its moves cost."""
    rows = [
        ("-".join(category.features), category_words(pilot.game, category), f"{category.plies:g}")
        for category in pilot.depth.categories
    ]
    if rows:
        yield Section("cost of moves by category", [Table(("category", "moves", "plies"), rows, words=2)])


def run_sections(run: Run, learner: Focus) -> Iterator[Section]:
    """Of a run: the categories that were found, the tree of what was tried, and the trials by games."""
    state, game = run.state, str(run.facts["game"])
    neutral = learner.neutral(state)
    if neutral is None:
        yield Section("What was found", ["No category has been valued yet."])
        return
    found = learner.candidates(state)
    most = max([neutral.value, *(own.measured.value for own in found), 1e-9])
    rows = [
        (
            union_text(own.union),
            " or ".join(category_words(game, part) for part in own.union),
            "\u2588" * round(_BAR * max(own.measured.value, 0) / most),
            f"{own.measured.value:g}",
            f"{own.plies:g}",
            f"{own.measured.frequency:.1%}",
            f"{own.measured.depth:.1f}",
            f"{own.measured.height:.1f}",
        )
        for own in found[:_LISTED]
    ]
    told = (
        f"{len(learner.measured(state)):,} searches of {len(state.numbers['suite'])} positions, "
        f"{state.numbers['nodes']:,} nodes each. The search that extends nothing is worth {neutral.value:g}."
    )
    columns = ("category", "moves", "", "value", "plies", "of all moves", "depth", "height")
    yield Section("What was found", [told, Table(columns, rows, words=3)], ("best_value", "neutral_value", "evaluated"))
    for plies in learner.plies:
        tree = tree_text(learner.exploration(state, plies))
        yield Section(f"What was tried at {plies:g} plies", [Verbatim(tree)], ("generation",))
    trials = [
        (
            union_text(own.union),
            f"{own.plies:g}",
            str(Pentanomial(*own.pairs).games) if own.pairs else "",
            f"{Pentanomial(*own.pairs).score:.1%}" if own.pairs else f"{own.value:g}",
            "taken" if own.is_better else "",
        )
        for own in learner.choices(state)
    ]
    if trials:
        yield Section("Trials", [Table(("category", "plies", "games", "score", ""), trials)], ("trial_score",))


def tree_text(found: Exploration) -> str:
    """What was tried, each combination below its first parent, and what became of it."""
    below: dict[tuple[str, ...] | None, list[Trace]] = {}
    for trace in found.traces:
        parent = None if trace.generation == 0 else trace.first or ()
        below.setdefault(parent, []).append(trace)
    lines: list[str] = []

    def write(trace: Trace, indent: int) -> None:
        value = "" if trace.value is None else f" {trace.value:g}"
        reason = f" by {'-'.join(trace.reason)}" if trace.reason else ""
        lines.append(f"{'  ' * indent}{union_text((trace.combination,))}{value} {trace.fate}{reason}")
        for child in below.get(trace.combination, ()):
            write(child, indent + 1)

    for root in below.get(None, ()):
        write(root, 0)
    return "\n".join(lines)
