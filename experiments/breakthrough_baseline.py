"""Learns the evaluation of the Breakthrough baseline, and writes it where the package reads it.

    python experiments/breakthrough_baseline.py [--out FILE] [--runs DIR]

Every weight starts at 0 and is learned by TD(lambda) from games that the baseline's search plays with itself. The sets
and settings were chosen by matches against another engine, with other seeds than those of experiments/peers.py, which
judges the result. A run that was ended goes on where it was.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import plypilot as pp
from harness import ROOT, start
from plypilot.learn import NO_CHECKS, TD, Decaying, train
from plypilot.pilot import reference_evaluation
from plypilot.versions import core_digest

GAME = "breakthrough"
SEED = 31
LEARNER = TD(
    games=6000,
    depth=5,
    sets=("half_board", "safe_advancement", "race", "structure"),
    first_weight=0,
    even=True,
    step_size=Decaying(rate=0.05, halfway=1000),
    trace_decay=0.7,
    steepness=1.0,
    average=0.4,
)


def starting_pilot() -> pp.Pilot:
    """The baseline with weights set by hand, so that what is learned does not depend on what was learned before."""
    baseline = pp.Pilot.baseline(GAME)
    return baseline.model_copy(update={"evaluation": reference_evaluation(GAME, "safe_advance")})


def content(learned: pp.Pilot) -> dict[str, object]:
    """What the package reads: the weights to a tenth of a score unit, those that are 0 left out, and the pawn."""
    return {
        "command": "python experiments/breakthrough_baseline.py",
        "pawn": round(learned.evaluation.pawn, 1),
        "weights": {
            name: {feature: round(weight, 1) for feature, weight in weights.items() if round(weight, 1)}
            for name, weights in learned.evaluation.named(GAME).items()
        },
    }


def main(words: Sequence[str] | None = None, learner: TD = LEARNER) -> None:
    """Learns and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    package = ROOT / "src" / "plypilot" / "baselines" / "breakthrough.json"
    parser.add_argument("--out", type=Path, default=package, metavar="FILE", help="to write; default %(default)s")
    parser.add_argument("--runs", type=Path, default=ROOT / "runs", metavar="DIR", help="where the run is kept")
    options = parser.parse_args(words)
    folder = options.runs / "breakthrough_baseline" / f"{core_digest()[:8]}-{learner.games}"
    run = train(learner, starting_pilot(), folder, seed=SEED, resume=True, checks=NO_CHECKS)
    options.out.write_text(json.dumps(content(run.pilot), indent=1) + "\n", encoding="utf-8")
    print(options.out)


if __name__ == "__main__":
    start(main)
