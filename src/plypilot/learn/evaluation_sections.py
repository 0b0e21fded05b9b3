"""What there is to show of an evaluation: of one pilot, and of a run that has learned it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plypilot.boards import find_boards
from plypilot.games import game_info
from plypilot.learn.folder import Run
from plypilot.pilot import Pilot
from plypilot.score import PAWN
from plypilot.sections import Beside, Block, Boards, Lines, Note, Section, Shares, Table

Array = NDArray[np.float64]

_MOST_SHOWN = 8
"""Weights of a set that a terminal shows."""
_MOST_LISTED = 15
_ALL_LISTED = 30
"""Weights up to whom one table shows them all."""
_MOST_TRACED = 10
_MOST_BOARDS = 24
_RESULTS = ("losses", "draws", "wins")


@dataclass(frozen=True)
class Weight:
    """One weight of a linear evaluation, in pawns."""

    set: str
    feature: str
    given: float | None
    """In the pilot that the run was given; None where that has no such feature."""
    first: float | None
    """When learning began, where the run has kept it."""
    learned: float

    @property
    def change(self) -> float:
        """Since learning began."""
        return self.learned - next((each for each in (self.first, self.given) if each is not None), 0.0)


def pilot_sections(pilot: Pilot) -> Iterator[Section]:
    """Of a pilot with a linear evaluation: its largest weights by set."""
    for name, features in pilot.evaluation.named(pilot.game).items():
        largest = sorted(features, key=lambda feature: -abs(features[feature]))[:_MOST_SHOWN]
        more = ", ..." if len(features) > len(largest) else ""
        listed = ", ".join(f"{feature} {features[feature]:g}" for feature in largest)
        yield Section(f"weights of {name}, {len(features)}", [listed + more])


def comparison_sections(one: Pilot, other: Pilot, names: tuple[str, str]) -> Iterator[Section]:
    """Of two pilots: the weights of their linear evaluations that differ most, by set."""
    for set_name, features in one.compare(other).weights.items():
        lone = [name for place, name in enumerate(names) if all(both[1 - place] is None for both in features.values())]
        told = f"only {lone[0]} has them, {len(features)}" if lone else f"{len(features)} differ"
        moved = {feature: abs((after or 0) - (before or 0)) for feature, (before, after) in features.items()}
        rows = [
            (feature, *("-" if weight is None else f"{weight:g}" for weight in features[feature]))
            for feature in sorted(moved, key=lambda feature: -moved[feature])[:_MOST_SHOWN]
        ]
        yield Section(f"weights of {set_name}: {told}", [Table(("feature", *names), rows)])


def learned_sections(run: Run) -> Iterator[Section]:
    """Of a run that learns an evaluation: its weights, and how they came to be."""
    yield Section("What was learned", list(_learned(run)))
    if run.metrics:
        yield Section("How it learned", list(_curves(run)), ("error", *_RESULTS))


def read_weights(run: Run) -> list[Weight]:
    """All weights that were learned, in the game's order; none where a run has learned something else."""
    given, learned = (pilot.evaluation.named(run.facts["game"]) for pilot in (run.start, run.pilot))
    traces, first = run.traces, {}
    if traces is not None and len(traces.steps):
        first = dict(zip(traces.names, traces.values[0].tolist(), strict=True))
    weights = []
    for feature_set in game_info(run.facts["game"]).feature_sets:
        for feature, weight in learned.get(feature_set.name, {}).items():
            known = given.get(feature_set.name, {}).get(feature)
            began = first.get(f"{feature_set.name}.{feature}")
            known_pawns = None if known is None else known / PAWN
            weights.append(Weight(feature_set.name, feature, known_pawns, began, weight / PAWN))
    return weights


def _learned(run: Run) -> Iterator[Block]:
    weights = read_weights(run)
    for sentence in (" ".join(describe_weights(weights)), _describe_error(run)):
        if sentence:
            yield sentence
    if weights:
        yield from _weight_tables(weights)
        yield from _boards(run, weights)
    elif run.pilot.evaluation.network is not None:
        network = run.pilot.evaluation.network
        yield f"A network with {network.describe()}: {network.weight_count} weights."
    if run.pilot == run.start:
        yield "The pilot is as it was at the start."


def _describe_error(run: Run) -> str:
    errors = run.column("error")
    if errors is None or len(errors) < 10:
        return ""
    tenth = max(1, len(errors) // 10)
    first, last = float(errors[:tenth].mean()), float(errors[-tenth:].mean())
    return (
        f"The mean squared distance between a prediction and the outcome of its game was {first:.3f} in the first "
        f"tenth of the run and {last:.3f} in the last."
    )


def _weight_tables(weights: list[Weight]) -> Iterator[Block]:
    yield Note("Weights are in pawns: 1 is 100 score units, from the view of the side to move.")
    several = len({weight.set for weight in weights}) > 1
    begun = any(weight.first is not None and weight.given != weight.first for weight in weights)
    known = any(weight.given is not None for weight in weights)
    before = [*(["pilot given"] if known else []), *(["began at"] if begun else [])]
    columns = ("weight", *before, "learned", "change")

    def row(weight: Weight) -> tuple[str, ...]:
        name = f"{weight.feature} ({weight.set})" if several else weight.feature
        told = [*([_number(weight.given)] if known else []), *([_number(weight.first)] if begun else [])]
        return (name, *told, f"{weight.learned:.3f}", f"{weight.change:+.3f}")

    by_size = sorted(weights, key=lambda weight: -abs(weight.learned))
    if len(weights) <= _ALL_LISTED:
        yield Table(columns, [row(weight) for weight in by_size])
        return
    by_change = sorted(weights, key=lambda weight: -abs(weight.change))
    yield Beside(
        [
            Table(columns, [row(weight) for weight in by_size[:_MOST_LISTED]], "Largest weights"),
            Table(columns, [row(weight) for weight in by_change[:_MOST_LISTED]], "What changed most"),
        ]
    )


def _boards(run: Run, weights: list[Weight]) -> Iterator[Block]:
    info = game_info(run.facts["game"])
    for name in dict.fromkeys(weight.set for weight in weights):
        own = {weight.feature: weight.learned for weight in weights if weight.set == name}
        if boards := find_boards(own, info.files, info.ranks)[:_MOST_BOARDS]:
            yield Boards(
                boards,
                f"{name} on the board, in pawns, the mover's own side at the bottom; colours tell the distance "
                "from the mean of each board: orange above, violet below",
            )


def _curves(run: Run) -> Iterator[Block]:
    x, across = run.axis
    traces = run.traces
    if traces is not None and len(traces.steps) > 1:
        moved = np.abs(traces.values - traces.values[0]).max(axis=0)
        largest = np.argsort(-moved, kind="stable")[:_MOST_TRACED]
        sets = {name.partition(".")[0] for name in traces.names}
        lines = {_short(traces.names[i], sets): traces.values[:, i] for i in sorted(largest)}
        counted = np.concatenate([[0.0], x])[traces.steps]
        which = "Every weight" if len(traces.names) <= _MOST_TRACED else f"The {len(lines)} weights that moved most"
        yield Lines(counted, lines, across, "pawns", f"{which}, over the run.")
    error = run.column("error")
    if error is not None:
        smooth = run.smoothed(error)
        caption = "Prediction error: squared distance to the outcome of the game, a running mean."
        yield Lines(x[len(x) - len(smooth) :], {"error": smooth}, across, "squared error", caption, 2.2)
    results = [run.column(key) for key in _RESULTS]
    if all(column is not None for column in results):
        sums = [run.smoothed(column) for column in results if column is not None]
        total = np.maximum(sum(sums), 1e-9)
        shares = {name: part / total for name, part in zip(("second won", "drawn", "first won"), sums, strict=True)}
        yield Shares(x[len(x) - len(sums[0]) :], shares, across, "How the games of self-play ended.")


def _short(name: str, sets: set[str]) -> str:
    own = name.partition(".")[2]
    return own if len(sets) == 1 and own else name


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def describe_weights(weights: list[Weight]) -> list[str]:
    """The largest, what changed most and how the pieces compare, in sentences."""
    if not weights:
        return []
    changed = [each for each in weights if abs(each.change) >= 0.005]
    told = [f"{len(changed)} of {len(weights)} weights changed by a hundredth of a pawn or more."]
    began = {each.first for each in weights}
    if len(began) == 1 and None not in began:
        told.append(f"All began at {began.pop():g}.")
    largest = sorted(weights, key=lambda each: -abs(each.learned))[:3]
    told.append("The largest are now " + _list([f"{_name(each)} ({each.learned:+.2f})" for each in largest]) + ".")
    risen = sorted((each for each in changed if each.change > 0), key=lambda each: -each.change)[:3]
    fallen = sorted((each for each in changed if each.change < 0), key=lambda each: each.change)[:3]
    for verb, moved in (("rose", risen), ("fell", fallen)):
        if moved:
            told.append(f"What {verb} most: " + _list([f"{_name(each)} ({each.change:+.2f})" for each in moved]) + ".")
    if pieces := _compare_pieces(weights):
        told.append(pieces)
    return told


def _compare_pieces(weights: list[Weight]) -> str:
    values = {each.feature: each.learned for each in weights if each.set == "material"}
    if len(values) < 3 or values.get("pawn", 0) <= 0:
        return ""
    order = sorted(values, key=lambda feature: values[feature])
    ratios = [f"{feature} {values[feature] / values['pawn']:.2f}" for feature in order]
    return "With the pawn as 1: " + _list(ratios) + "."


def _name(weight: Weight) -> str:
    return weight.feature.replace("_", " ")


def _list(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
