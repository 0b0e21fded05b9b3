"""Step sizes in chess, how soon piece values settle: Smith 1999, section 8.6, figures 8.1 and 8.9 to 8.15.

    python experiments/smith_8_6.py [--scale quick|full] [--threads N]

The same task as smith_5, with each step rule: temporal coherence with lambda from prediction decay, which is the seed's
system; temporal coherence with lambda 0.95; a fixed rate of 0.05; delta-bar-delta. The seed does not tell c of temporal
coherence. A trace has settled from the game on after which the order of the pieces is kept and all values stay within a
band of their final ones, which are means over the last tenth of the games. The quick scale searches two plies instead
of the seed's four.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median_low

import numpy as np

from harness import Claim, Figures, Harness, mean, read_options, start
from plypilot.learn.steps import AnyStepRule, DeltaBarDelta, Fixed, TemporalCoherence
from plypilot.learn.td import TD
from selfplay import (
    CHESS,
    NOISE,
    STANDARD,
    Learning,
    Match,
    group,
    make_pilot,
    measure_matches,
    measure_runs,
    play_figures,
    score_text,
    settling,
    show_matches,
)

COHERENT, BESIDE, FIXED, BAR = (
    "temporal coherence",
    "coherence, lambda 0.95",
    "fixed 0.05",
    "delta-bar-delta",
)
RULES: dict[str, tuple[AnyStepRule, bool]] = {
    COHERENT: (TemporalCoherence(rate=0.05), True),
    BESIDE: (TemporalCoherence(rate=0.05), False),
    FIXED: (Fixed(rate=0.05), False),
    BAR: (DeltaBarDelta(first_rate=0.05, rise=0.035, fall=0.333, base=0.7), False),
}
"""With whether lambda follows from prediction decay; else it is 0.95. The seed does not say by what rates of temporal
coherence are multiplied: with 0.1 and 0.2 they settle later."""
BAND = 0.2
"""Part of a final value that a settled one stays within."""
SEED_PSI = (0.990, 0.993)
"""Figure 8.1."""
SEED_SCORE = 0.58
"""Against 1:3:3:5:9 (8.6.2), at depth 4."""


@dataclass(frozen=True)
class Scale:
    """How much is learned and played."""

    depth: int
    games: int
    seeds: int
    """Of the seed's system."""
    other_seeds: int
    """Of each rule beside it."""
    match_games: int
    batch: int = 1


SCALES = {
    "tiny": Scale(depth=1, games=20, seeds=2, other_seeds=1, match_games=4),
    "quick": Scale(depth=2, games=2000, seeds=4, other_seeds=4, match_games=400),
    "full": Scale(depth=4, games=2000, seeds=10, other_seeds=3, match_games=2000),
}


def runs_of(scale: Scale) -> list[Learning]:
    """All rules with all seeds."""
    learnings = []
    for name, (rule, decay) in RULES.items():
        learner = TD(
            games=scale.games,
            batch=scale.batch,
            depth=scale.depth,
            first_weight=1.0,
            trace_decay=0.95,
            prediction_decay=decay,
            step_size=rule,
            counters=False,
            noise=NOISE,
            average=0.1,
            even=False,
            steepness=1.0,
            opening_plies=0,
        )
        seeds = scale.seeds if name == COHERENT else scale.other_seeds
        learnings += [Learning(name, learner, make_pilot("chess", STANDARD), seed) for seed in range(seeds)]
    return learnings


def measure(harness: Harness, scale: Scale) -> Figures:
    """For each rule how soon its runs settle, each and their mean, and what they end with."""
    runs = runs_of(scale)
    figures: Figures = {}
    for name, rule_runs in group(runs, measure_runs(harness, runs)).items():
        games = rule_runs[0]["trace"]["games"]
        traces = np.array([run["trace"]["values"] for run in rule_runs])
        last = np.asarray(games) >= 0.9 * games[-1]
        normal = traces / traces[:, last, :1].mean(axis=1, keepdims=True)
        settlings = [settling(games, trace, band=BAND) for trace in normal]
        average = settling(games, normal.mean(axis=0), band=BAND)
        steps = np.abs(np.diff(normal, axis=1)) / normal[:, last].mean(axis=1)[:, None, :]
        figures[name] = {
            "settled_after": [one.after for one in settlings],
            "order_after": [one.order_after for one in settlings],
            "average_settled_after": average.after,
            "average_order_after": average.order_after,
            "final": normal[:, last].mean(axis=(0, 1)).tolist(),
            "final_by_seed": normal[:, last].mean(axis=1).tolist(),
            "restlessness": float(steps[:, len(games) // 2 :].mean()),
            "psi": mean(run["psi"] for run in rule_runs),
            "trace": {"games": games, "values": np.round(normal.mean(axis=0), 4).tolist()},
            **play_figures(rule_runs),
        }
    learned = make_pilot("chess", dict(zip(CHESS, figures[COHERENT]["final"], strict=True)))
    match = Match(COHERENT, learned, make_pilot("chess", STANDARD), scale.depth, scale.match_games)
    return {"rules": figures, "matches": measure_matches(harness, [match]), "depth": scale.depth}


def single_claim(figures: Figures, most: float) -> tuple[bool, str]:
    """Figure 8.10."""
    found = figures["rules"][COHERENT]["settled_after"]
    typical = median_low([float("inf") if each is None else each for each in found])
    return typical <= most, f"after {typical:g} in the median of {', '.join(map(str, found))}"


def average_claim(figures: Figures, most: float) -> tuple[bool, str]:
    """Figure 8.14."""
    found = figures["rules"][COHERENT]["average_settled_after"]
    return found is not None and found <= most, f"after {found}"


def faster_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figures 8.12 to 8.15."""
    found = {name: figures["rules"][name]["average_settled_after"] for name in RULES}
    ours = found[COHERENT]
    faster = ours is not None and all(found[name] is None or found[name] > ours for name in (FIXED, BAR))
    return faster, ", ".join(f"{name} {after}" for name, after in found.items())


def calmer_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """8.6.1."""
    found = {name: figures["rules"][name]["restlessness"] for name in RULES}
    text = ", ".join(f"{name} {value:.2%}" for name, value in found.items())
    return all(found[COHERENT] < found[name] for name in (FIXED, BAR)), text


def same_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """8.6.2."""
    ours, theirs = (figures["rules"][name]["final"] for name in (COHERENT, FIXED))
    apart = [a / b - 1 for a, b in zip(ours, theirs, strict=True)]
    text = ", ".join(f"{piece} {each:+.0%}" for piece, each in zip(CHESS[1:], apart[1:], strict=True))
    return all(abs(each) <= tolerance for each in apart), text


def psi_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 8.1."""
    found = figures["rules"][COHERENT]["psi"]
    return SEED_PSI[0] - tolerance <= found <= SEED_PSI[1] + tolerance, f"{found:.4f}"


def match_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """8.6.2."""
    found = figures["matches"][COHERENT]
    least = 0.56 if figures["depth"] > 2 else 0.522
    return found["score"] >= least, f"{score_text(found)} in {found['games']} games at depth {figures['depth']}"


CLAIMS = [
    Claim(
        "a single run settles",
        "essentially complete after 500 games (8.6.1)",
        f"order kept and values within {BAND:.0%} of their final ones from game {{tolerance}} on, median of the seeds",
        600,
        single_claim,
    ),
    Claim(
        "the average of the runs settles",
        "after about 900 games (8.6.2)",
        f"order kept and values within {BAND:.0%} of their final ones from game {{tolerance}} on",
        900,
        average_claim,
    ),
    Claim(
        "temporal coherence is faster",
        "faster to approach final values than both others (8.6.2)",
        "the average settles before those of fixed 0.05 and delta-bar-delta",
        0,
        faster_claim,
    ),
    Claim(
        "temporal coherence is more stable",
        "much more stable than both others (8.6.1)",
        "the mean step between rows of the trace in its second half is less than those of both",
        0,
        calmer_claim,
    ),
    Claim(
        "the same final values",
        "those of fixed 0.05 are not significantly different (8.6.2)",
        "each within {tolerance} of those of fixed 0.05",
        0.2,
        same_claim,
    ),
    Claim(
        "psi",
        "0.990 to 0.993 (figure 8.1)",
        "within {tolerance} of it, at the end, mean of the seeds",
        0.002,
        psi_claim,
    ),
    Claim(
        "the learned values in a match",
        f"{SEED_SCORE:.0%} against 1:3:3:5:9 (8.6.2)",
        "at least 0.56 of the points at depth 4, 0.522 at depths 1 and 2, as in smith_5",
        0,
        match_claim,
    ),
]


def show(harness: Harness, figures: Figures) -> None:
    """Prints our table beside what the seed says of its figures."""
    said = {COHERENT: "500; 900", FIXED: "later", BAR: "not stable"}
    rows = []
    for name, rule in figures["rules"].items():
        settled = " ".join("-" if one is None else str(one) for one in rule["settled_after"])
        rows.append(
            [name, settled, rule["average_settled_after"] or "-", said.get(name, ""),
             " : ".join(f"{value:.2f}" for value in rule["final"]), f"{rule['restlessness']:.2%}", f"{rule['psi']:.4f}",
             f"{rule['draws']:.0%}", f"{rule['learning_seconds']:.0f}"]
        )  # fmt: skip
    columns = ["rule", "settled after", "average", "seed", "final", "step", "lambda", "draws", "seconds"]
    harness.print_table(f"Games until values settle, depth {figures['depth']}", columns, rows)
    show_matches(harness, "8.6.2: against 1:3:3:5:9", figures["matches"], lambda _: f"{SEED_SCORE:.0%}")


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    scale = SCALES[options.scale]
    harness = Harness("smith_8_6", options.scale, threads=options.threads, folder=options.out)
    try:
        figures = measure(harness, scale)
        show(harness, figures)
        rules = {name: {**rule.model_dump(), "prediction_decay": decay} for name, (rule, decay) in RULES.items()}
        harness.conclude(CLAIMS, figures, settings={"rules": rules, "band": BAND, **asdict(scale)})
    finally:
        harness.close()


if __name__ == "__main__":
    start(main)
