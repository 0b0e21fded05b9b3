"""What a run has learned of weights: where they began, where they are, what changed, and that in words."""

from __future__ import annotations

from dataclasses import dataclass

from plypilot.games import game_info
from plypilot.learn import Run

PAWN = 100
"""Score units."""


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


def read_weights(run: Run) -> list[Weight]:
    """All weights that were learned, in the game's order; none where a run has learned something else."""
    given, learned = (pilot.evaluation.named(run.facts["game"]) for pilot in (run.start, run.pilot))
    traces, first = run.traces, {}
    if traces is not None and len(traces.steps):
        first = dict(zip(traces.names, traces.values[0].tolist(), strict=True))
    found = []
    for each in game_info(run.facts["game"]).feature_sets:
        for feature, weight in learned.get(each.name, {}).items():
            known = given.get(each.name, {}).get(feature)
            began = first.get(f"{each.name}.{feature}")
            found.append(Weight(each.name, feature, None if known is None else known / PAWN, began, weight / PAWN))
    return found


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
