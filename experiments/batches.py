"""Learning curves by the size of the batch: chess piece values with updates after each game, and after several.

    python experiments/batches.py [--scale quick|full] [--threads N]

Smith updates the weights after each game (5.1). Here games may be played in batches with frozen weights, on several
workers, and their updates applied afterwards in the order of the games. This sets the values by games played beside
each other, all else being equal, and draws them in results/batches.SCALE.svg.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from harness import Claim, Figures, Harness, Missing, read_options, start
from intervals import CONFIDENCE, mean_error
from plypilot.learn import TD, TemporalCoherence
from plypilot.report.drawing import draw_lines
from selfplay import CHESS, STANDARD, Array, Learning, group, make_learner, make_pilot, measure_runs, settling

SHOWN = ("queen", "rook", "knight")
"""In the drawing."""


@dataclass(frozen=True)
class Scale:
    """How much is learned."""

    depth: int
    games: int
    seeds: int
    batches: tuple[int, ...]

    def runs(self) -> list[Learning]:
        """One a batch size and seed."""
        pilot = make_pilot("chess", STANDARD)
        return [
            Learning(f"batch {batch}", self.learner(batch), pilot, seed)
            for batch in self.batches
            for seed in range(self.seeds)
        ]

    def learner(self, batch: int) -> TD:
        """They differ by the batch alone."""
        return make_learner(games=self.games, batch=batch, depth=self.depth, step_size=TemporalCoherence(rate=0.2))

    def marks(self) -> list[int]:
        """Numbers of games at which values are tabulated."""
        return [self.games * part // 20 for part in (1, 2, 4, 10, 20)]


SCALES = {
    "tiny": Scale(1, 32, 1, (1, 16)),
    "quick": Scale(1, 1500, 2, (1, 16)),
    "full": Scale(2, 2000, 5, (1, 4, 16, 64)),  # 10 minutes on two cores
}


def mean_curve(runs: Sequence[Figures], games: Sequence[int]) -> Array:
    """Values at these numbers of games, shape (games, pieces): means over the runs."""
    curves = []
    for run in runs:
        values = np.array(run["trace"]["values"])
        curves.append(np.column_stack([np.interp(games, run["trace"]["games"], piece) for piece in values.T]))
    return np.asarray(np.mean(curves, axis=0))


def measure(harness: Harness, scale: Scale) -> Figures:
    """Curves by the size of the batch."""
    runs = scale.runs()
    axis = np.linspace(0, scale.games, 101).astype(int).tolist()
    figures: Figures = {"games": axis, "batches": {}}
    for name, group_runs in group(runs, measure_runs(harness, runs)).items():
        curve = mean_curve(group_runs, axis)
        settled = [settling(run["trace"]["games"], np.array(run["trace"]["values"]), band=0.2) for run in group_runs]
        figures["batches"][name] = {
            "values": np.round(curve, 4).tolist(),
            "order_after": [settled_run.order_after for settled_run in settled],
            "final": np.mean([run["values"] for run in group_runs], axis=0).tolist(),
            "normalised": [[value / run["values"][0] for value in run["values"]] for run in group_runs],
        }
    return figures


def curve_claim(figures: Figures, tolerance: float) -> tuple[bool | None, str]:
    """Whether a batch of 16 ends where single games end."""
    if not {"batch 1", "batch 16"} <= set(figures["batches"]):
        raise Missing("not learned at this scale")
    one, sixteen = (np.array(figures["batches"][name]["normalised"]) for name in ("batch 1", "batch 16"))
    apart = np.abs(sixteen.mean(axis=0) / one.mean(axis=0) - 1)
    error = [
        np.hypot(mean_error(first), mean_error(second)) / np.mean(first)
        for first, second in zip(one.T[1:], sixteen.T[1:], strict=True)
    ]
    worst = int(np.argmax(apart))
    text = f"at most {apart.max():.0%} apart ({CHESS[worst]}), pawn = 1"
    if apart.max() <= tolerance:
        return True, text
    return (None if bool(np.all(apart[1:] - CONFIDENCE * np.array(error) <= tolerance)) else False), text


CLAIMS = [
    Claim(
        "a batch of 16 learns what single games learn",
        "does not tell: it updates after each game (5.1)",
        "normalised values at the end within {tolerance} of those of batch 1; open if errors over seeds reach there",
        0.2,
        curve_claim,
    )
]


def show(harness: Harness, scale: Scale, figures: Figures) -> None:
    """Prints the values by games played."""
    rows = []
    for name, batch in figures["batches"].items():
        values = np.array(batch["values"])
        for mark in scale.marks():
            at_mark = [np.interp(mark, figures["games"], piece) for piece in values.T]
            rows.append([name, mark, *(f"{value:.2f}" for value in at_mark)])
        orders = ", ".join("never" if order is None else str(order) for order in batch["order_after"])
        rows.append([f"  order kept after: {orders}"] + [""] * (1 + len(CHESS)))
    harness.print_table("Values by games played, means over seeds", ["", "games", *CHESS], rows)


def draw(harness: Harness, figures: Figures) -> None:
    """The curves of some pieces, beside the result file."""
    lines = {
        f"{piece}, {name}": np.array(each["values"])[:, CHESS.index(piece)]
        for piece in SHOWN
        for name, each in figures["batches"].items()
        if name in ("batch 1", "batch 16")
    }
    games = np.array(figures["games"], float)
    harness.draw(lambda: draw_lines(games, lines, across="games played", up="value in pawns"))


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    scale = SCALES[options.scale]
    harness = Harness("batches", options.scale, threads=options.threads, folder=options.out)
    try:
        figures = measure(harness, scale)
        show(harness, scale, figures)
        draw(harness, figures)
        harness.conclude(CLAIMS, figures, settings=asdict(scale))
    finally:
        harness.close()


if __name__ == "__main__":
    start(main)
