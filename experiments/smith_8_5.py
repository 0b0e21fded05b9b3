"""Step sizes where the truth is known, the bounded random walk: Smith 1999, section 8.5, figures 8.3 to 8.8.

    python experiments/smith_8_5.py [--scale quick|full] [--threads N]

Each rule learns from the same 1,000 walks; all is repeated with 10 seeds (quick: 3). The seed does not tell c of
temporal coherence: 0.1 here. Delta-bar-delta has the seed's settings. Fixed rates, delta-bar-delta and one form of
temporal coherence have lambda 0.3; the other takes lambda from prediction decay (8.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from harness import Claim, Figures, Harness, read_options, start
from plypilot.learn.prediction_decay import quality
from plypilot.learn.steps import DeltaBarDelta, Fixed, StepRule, TemporalCoherence
from plypilot.report.drawing import draw_lines
from random_walk import TRUTH, errors, learn_walks, make_walks

RULES: dict[str, tuple[StepRule, float | None]] = {
    "fixed 0.1": (Fixed(rate=0.1), 0.3),
    "fixed 0.01": (Fixed(rate=0.01), 0.3),
    "delta-bar-delta": (DeltaBarDelta(first_rate=0.03, rise=0.01, fall=0.333, base=0.7), 0.3),
    "temporal coherence": (TemporalCoherence(rate=0.1), 0.3),
    "with prediction decay": (TemporalCoherence(rate=0.1), None),
}
COHERENT = "temporal coherence"
MARKS = (50, 100, 250, 500, 1000)
NEAR = 0.05
"""Part of the first error within which weights are near their truth."""
DRAWN = 100
"""Parts of the walks between which the curve of progress is drawn."""
SETTLED = 200
"""Walks at the end over which the final error is a mean."""


@dataclass(frozen=True)
class Scale:
    """How much is learned."""

    walks: int
    seeds: int


SCALES = {"tiny": Scale(300, 2), "quick": Scale(1000, 3), "full": Scale(1000, 10)}


def measure(harness: Harness, scale: Scale) -> Figures:
    """For each rule the error after each walk, as a mean over the seeds, in a few figures."""
    items = [(name, seed) for name in RULES for seed in range(scale.seeds)]

    def work(item: tuple[str, int]) -> Figures:
        rule, trace_decay = RULES[item[0]]
        return {"errors": errors(learn_walks(make_walks(scale.walks, item[1]), rule, trace_decay)).tolist()}

    walks = harness.measure("walks", items, lambda item: [*item, scale.walks, repr(RULES[item[0]])], work)
    figures: Figures = {}
    for name in RULES:
        curves = [curve["errors"] for item, curve in zip(items, walks, strict=True) if item[0] == name]
        curve = np.mean(curves, axis=0)
        near = np.nonzero(curve < NEAR)[0]
        figures[name] = {
            "final": float(curve[-SETTLED:].mean()),
            "final_by_seed": [float(np.mean(curve[-SETTLED:])) for curve in curves],
            "near_after": int(near[0]) if len(near) else None,
            "at": {str(mark): float(curve[mark]) for mark in MARKS if mark <= scale.walks},
            "curve": [round(float(value), 5) for value in curve[:: scale.walks // DRAWN]],
        }
    grid = np.linspace(0, 1, 20_001)
    middles = (grid[1:] + grid[:-1]) / 2
    figures["largest_mean_quality"] = max(
        abs(float(quality(np.full_like(middles, p), middles).mean())) for p in np.linspace(0, 1, 101)
    )
    return figures


def draw(harness: Harness, scale: Scale, figures: Figures) -> None:
    """Figures 8.3 to 8.6 and 8.8, of the first seed, and progress as a mean of all of them (figure 8.7)."""
    walks = make_walks(scale.walks, 0)
    after = np.arange(scale.walks + 1, dtype=float)
    traces = {name: learn_walks(walks, rule, decay) for name, (rule, decay) in RULES.items()}
    numbers = {"fixed 0.1": "8.3", "fixed 0.01": "8.4", COHERENT: "8.5", "delta-bar-delta": "8.6"}
    for name, number in numbers.items():
        lines = {state: traces[name][:, i] for i, state in enumerate("BCDEF")}
        lines |= {f"{state}, true": np.full(len(after), TRUTH[i]) for i, state in enumerate("BCDEF")}
        file = name.replace(" ", "_").replace(".", "")
        caption = f"Figure {number}: weights of the five states, {name}"
        harness.draw(lambda lines=lines: draw_lines(after, lines, across="walks", up="weight"), file, caption)
    progress = {name: np.clip(1 - np.array(figures[name]["curve"]), 0, None) for name in RULES}
    harness.draw(
        lambda: draw_lines(after[:: scale.walks // DRAWN], progress, across="walks", up="progress"),
        "progress",
        f"Figure 8.7: progress by equation 8.9, a mean of {scale.seeds} seeds",
    )
    of_b = {name: traces[name][:, 0] for name in ("fixed 0.01", COHERENT, "delta-bar-delta")}
    harness.draw(
        lambda: draw_lines(after, of_b | {"true": np.full(len(after), TRUTH[0])}, across="walks", up="weight"),
        "state_b",
        "Figure 8.8: the weight of state B by three rules",
    )


def closest_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figure 8.7, at the right."""
    finals = {name: figures[name]["final"] for name in RULES}
    others = ("fixed 0.1", "fixed 0.01", "delta-bar-delta")
    text = ", ".join(f"{name} {value:.4f}" for name, value in finals.items())
    return all(finals[COHERENT] < finals[name] for name in others), text


def twice_as_fast_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figures 8.4 and 8.5."""
    fast, slow = figures[COHERENT]["near_after"], figures["fixed 0.01"]["near_after"]
    return fast is not None and (slow is None or slow >= 2 * fast), f"within 5% after {fast} walks, fixed 0.01 {slow}"


def unstable_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 8.3."""
    fast, slow = figures["fixed 0.1"]["final"], figures["fixed 0.01"]["final"]
    return fast > tolerance * slow, f"{fast / slow:.1f} times the error of the slow rate"


def zero_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Property (d) of 8.3.1."""
    found = figures["largest_mean_quality"]
    return found <= tolerance, f"at most {found:.1e} from 0"


CLAIMS = [
    Claim(
        "temporal coherence ends closest",
        "a closer final approach than any other method (8.5.1)",
        f"the mean error of the last {SETTLED} walks, below fixed 0.1, fixed 0.01 and delta-bar-delta",
        0,
        closest_claim,
    ),
    Claim(
        "temporal coherence is fast",
        "twice as fast as the slow rate (8.5.1)",
        "first within 5% of the first error in at most half the walks of fixed 0.01, by the mean curve",
        0,
        twice_as_fast_claim,
    ),
    Claim(
        "the fast rate stays unstable",
        "seriously unstable, even towards the end (8.5.1)",
        "its final error is more than {tolerance} times that of the slow rate",
        3,
        unstable_claim,
    ),
    Claim(
        "guesses have quality zero",
        "for any prediction the mean quality over all earlier ones is 0 (8.3.1 d)",
        "within {tolerance}, for 101 predictions",
        1e-4,
        zero_claim,
    ),
]


def show(harness: Harness, figures: Figures) -> None:
    """Prints our table; the seed's curves are not printed there, only described."""
    rows = []
    for name in RULES:
        each = figures[name]
        marks = [f"{value:.3f}" for value in each["at"].values()]
        rows.append([name, *marks, f"{each['final']:.4f}", each["near_after"]])
    columns = ["rule", *(f"after {mark}" for mark in figures[COHERENT]["at"]), "final", "within 5% after"]
    harness.print_table("Squared error of the five weights, 1 at the start", columns, rows)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    scale = SCALES[options.scale]
    harness = Harness("smith_8_5", options.scale, threads=options.threads, folder=options.out)
    try:
        figures = measure(harness, scale)
        show(harness, figures)
        draw(harness, scale, figures)
        rules = {name: {**rule.model_dump(), "lambda": decay} for name, (rule, decay) in RULES.items()}
        harness.conclude(CLAIMS, figures, settings={"rules": rules, **asdict(scale)})
    finally:
        harness.close()


if __name__ == "__main__":
    start(main)
