"""Step sizes in chess, how soon piece values settle: Smith 1999, section 8.6, figures 8.1 and 8.9 to 8.15.

    python experiments/smith_8_6.py [--scale quick|full|PART] [--threads N]

The same task as smith_5 in 2,000 games at depth 4, with each step rule: temporal coherence with lambda from prediction
decay, which is the seed's system; a fixed rate of 0.05; delta-bar-delta. The seed does not tell c of temporal
coherence, but that it "can be set high" (8.2): 0.15. Delta-bar-delta adapts its rates once a game, by all that the game
recommends: at every ply they never settle, and the seed has it about as good as a fixed rate. There are ten runs of the
seed's system and five of each rule beside it, for which the seed has ten. A mean of more runs is smoother and stays
above a bound sooner: where rules are set beside each other, it is that of as many runs of each.

Progress is measured as the seed measures it, by equation 8.9 with the values at the ends of the runs (figure 8.15): 1
less the squared distance of all values from the mean ones of the last tenth of the games, as part of what it was at the
start; values are normalised so that this mean of a pawn is 1. It has become high from the game on after which it stays
above a bound. The quick scale searches two plies instead of four, and has temporal coherence with lambda 0.95 too.

Parts, in minutes on two cores: coherence-a 31, coherence-b 31, fixed 31, delta-bar-delta 31, match 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median_low

import numpy as np

from harness import Claim, Figures, Harness, Missing, mean
from intervals import is_near, judge_score, mean_error
from parts import Drawing, Experiment
from plypilot.learn.steps import AnyStepRule, DeltaBarDelta, Fixed, TemporalCoherence
from plypilot.report.drawing import draw_lines
from selfplay import (
    CHESS,
    STANDARD,
    Array,
    Learning,
    Match,
    group,
    make_learner,
    make_pilot,
    measure_matches,
    measure_runs,
    play_figures,
    score_text,
    show_matches,
)

COHERENT, BESIDE, FIXED, BAR = (
    "temporal coherence",
    "coherence, lambda 0.95",
    "fixed 0.05",
    "delta-bar-delta",
)
RULES: dict[str, tuple[AnyStepRule, bool]] = {
    COHERENT: (TemporalCoherence(rate=0.15), True),
    BESIDE: (TemporalCoherence(rate=0.15), False),
    FIXED: (Fixed(rate=0.05), False),
    BAR: (DeltaBarDelta(first_rate=0.05, rise=0.035, fall=0.333, base=0.7, adjusted="sequence"), False),
}
"""With whether lambda follows from prediction decay; else it is 0.95."""
COMPARED = (COHERENT, FIXED, BAR)
LAST = 0.1
"""The part of the games at the end whose mean values are those that runs progress to (8.6.1)."""
HIGH, HIGH_ALONE = 0.95, 0.9
"""Progress that is complete, of the mean of the runs and of a run alone."""
GRID = 200
"""Games at which the mean of the runs is taken."""
SEED_PSI = (0.990, 0.993)
"""Figure 8.1."""
SEED_MATCH = (1119, 100, 781)
"""Against 1:3:3:5:9 (8.6.2), at depth 4."""


@dataclass(frozen=True)
class Scale:
    """How much is learned and played."""

    depth: int
    games: int
    runs: tuple[tuple[str, tuple[int, ...]], ...]
    """Rules with the seeds of their runs."""
    match_games: int = 0


def every(depth: int, games: int, seeds: int, match_games: int) -> Scale:
    """All rules with the same number of runs."""
    return Scale(depth, games, tuple((name, tuple(range(seeds))) for name in RULES), match_games)


SCALES = {"tiny": every(1, 20, 2, 4), "quick": every(2, 2000, 2, 400)}
PARTS = {
    "coherence-a": Scale(4, 2000, ((COHERENT, (0, 1, 2, 3, 4)),)),
    "coherence-b": Scale(4, 2000, ((COHERENT, (5, 6, 7, 8, 9)),)),
    "fixed": Scale(4, 2000, ((FIXED, (0, 1, 2, 3, 4)),)),
    "delta-bar-delta": Scale(4, 2000, ((BAR, (0, 1, 2, 3, 4)),)),
    "match": Scale(4, 2000, (), 1000),
}


def runs_of(scale: Scale) -> list[Learning]:
    """All rules with all seeds."""
    learnings = []
    for name, seeds in scale.runs:
        rule, decay = RULES[name]
        learner = make_learner(
            games=scale.games, depth=scale.depth, prediction_decay=decay, step_size=rule, average=LAST
        )
        learnings += [Learning(name, learner, make_pilot("chess", STANDARD), seed) for seed in seeds]
    return learnings


def measure(harness: Harness, scale: Scale) -> Figures:
    """The runs by rule and seed, and the match of what the seed's system has learned."""
    runs = runs_of(scale)
    learned = group(runs, measure_runs(harness, runs))
    rules = {
        name: {str(seed): run for seed, run in zip(dict(scale.runs)[name], learned[name], strict=True)}
        for name in learned
    }
    matches = []
    if scale.match_games:
        known = {**harness.before.get("rules", {}), **rules}.get(COHERENT, {})
        scales = PARTS.values() if scale in PARTS.values() else [scale]
        seeds = {str(seed) for each in scales for name, own in each.runs if name == COHERENT for seed in own}
        if lacking := seeds - set(known):
            told = ", ".join(sorted(lacking))
            raise SystemExit(f"smith_8_6: runs {told} of temporal coherence are not there; measure them first")
        final = np.mean([normal(run)[1][last_of(run)].mean(axis=0) for run in known.values()], axis=0)
        pilot = make_pilot("chess", dict(zip(CHESS, final.tolist(), strict=True)))
        matches.append(Match(COHERENT, pilot, make_pilot("chess", STANDARD), scale.depth, scale.match_games))
    return {"rules": rules, "matches": measure_matches(harness, matches), "depth": scale.depth}


def last_of(run: Figures) -> Array:
    """Which rows of a trace are of the last tenth of the games."""
    games = np.array(run["trace"]["games"])
    return np.asarray(games >= (1 - LAST) * games[-1])


def normal(run: Figures) -> tuple[Array, Array]:
    """A trace with the mean pawn of the last tenth being 1, and the games of its rows."""
    games, values = np.array(run["trace"]["games"], float), np.array(run["trace"]["values"])
    return games, values / values[last_of(run), 0].mean()


def progress(start: Array, values: Array, final: Array) -> Array:
    """Equation 8.9 for values of shape (rows, pieces)."""
    return np.asarray(1 - ((values - final) ** 2).sum(axis=1) / ((start - final) ** 2).sum())


def high_from(games: Array, curve: Array, bound: float) -> int | None:
    """The first game from which on a curve stays above a bound."""
    low = np.nonzero(curve < bound)[0]
    at = int(low[-1]) + 1 if len(low) else 0
    return int(games[at]) if at < len(games) else None


def summarise(measured: Figures) -> Figures:
    """For each rule how soon its runs are near their ends, each and their mean, and what they end with."""
    figures: Figures = {}
    fewest = min((len(runs) for name, runs in measured["rules"].items() if name in COMPARED), default=0)
    for name in RULES:
        if name not in measured["rules"]:
            continue
        runs = list(measured["rules"][name].values())
        traces = [normal(run) for run in runs]
        grid = np.linspace(0, traces[0][0][-1], GRID + 1)[1:]
        # Every run starts with all values at 1, before its own pawn makes the unit.
        starts = np.array([1 / np.array(run["trace"]["values"])[last_of(run), 0].mean() for run in runs])
        ends = np.array([values[last_of(run)].mean(axis=0) for run, (_, values) in zip(runs, traces, strict=True)])
        curves = np.array(
            [[np.interp(grid, games, piece) for piece in values.T] for games, values in traces]
        ).transpose(0, 2, 1)
        alone = [
            high_from(grid, progress(np.full(len(CHESS), start), curve, end), HIGH_ALONE)
            for start, curve, end in zip(starts, curves, ends, strict=True)
        ]
        middle, final = curves.mean(axis=0), ends.mean(axis=0)
        together, of_fewest = (
            progress(np.full(len(CHESS), starts[:count].mean()), curves[:count].mean(axis=0), ends[:count].mean(axis=0))
            for count in (len(runs), max(fewest, 1))
        )
        steps = np.abs(np.diff(curves, axis=1)) / np.abs(ends)[:, None, :]
        figures[name] = {
            "high_from": alone,
            "average_high_from": high_from(grid, together, HIGH),
            "fewest_high_from": high_from(grid, of_fewest, HIGH),
            "mean_progress": float(of_fewest.mean()),
            "final": final.tolist(),
            "final_by_seed": ends.tolist(),
            "restlessness": float(steps[:, GRID // 2 :].mean()),
            "psi": mean(run["psi"] for run in runs),
            "psi_by_seed": [run["psi"] for run in runs],
            "qualities": runs[0]["qualities"],
            "games": grid.tolist(),
            "progress": np.round(together, 4).tolist(),
            "average": np.round(middle, 4).tolist(),
            "single": np.round(curves[0], 4).tolist(),
            **play_figures(runs),
        }
    return {"rules": figures, "matches": measured["matches"], "depth": measured["depth"]}


def rules(figures: Figures, *names: str) -> list[Figures]:
    """Figures of some rules. Raises Missing."""
    for name in names:
        if name not in figures["rules"]:
            raise Missing(f"{name} is not learned at this scale")
    return [figures["rules"][name] for name in names]


def single_claim(figures: Figures, most: float) -> tuple[bool, str]:
    """Figure 8.10."""
    (found,) = rules(figures, COHERENT)
    typical = median_low([float("inf") if each is None else each for each in found["high_from"]])
    return typical <= most, f"from {typical:g} in the median of {', '.join(map(str, found['high_from']))}"


def average_claim(figures: Figures, most: float) -> tuple[bool, str]:
    """Figure 8.14."""
    (found,) = rules(figures, COHERENT)
    after = found["average_high_from"]
    return after is not None and after <= most, f"from {after}"


def faster_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figure 8.15."""
    found = rules(figures, *COMPARED)
    after = [float("inf") if each["fewest_high_from"] is None else each["fewest_high_from"] for each in found]
    told = ", ".join(f"{name} {each:g}" for name, each in zip(COMPARED, after, strict=True))
    return after[0] < min(after[1:]), told


def bar_claim(figures: Figures, most: float) -> tuple[bool, str]:
    """Figure 8.15, the other two."""
    fixed, bar = rules(figures, FIXED, BAR)
    ours, theirs = bar["mean_progress"], fixed["mean_progress"]
    return ours - theirs <= most, f"mean progress {ours:.3f} beside {theirs:.3f}"


def calmer_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """8.6.1."""
    found = [each["restlessness"] for each in rules(figures, *COMPARED)]
    told = ", ".join(f"{name} {value:.2%}" for name, value in zip(COMPARED, found, strict=True))
    return found[0] < min(found[1:]), told


def same_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """8.6.2."""
    ours, theirs = rules(figures, COHERENT, FIXED)
    phrases, same = [], True
    for i, piece in enumerate(CHESS[1:], 1):
        one, other = ([run[i] for run in each["final_by_seed"]] for each in (ours, theirs))
        apart = mean(one) / mean(other) - 1
        phrases.append(f"{piece} {apart:+.0%}")
        same &= abs(apart) <= tolerance or is_near(mean(one), mean_error(one), mean(other), mean_error(other))
    return same, ", ".join(phrases)


def psi_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 8.1."""
    (found,) = rules(figures, COHERENT)
    return SEED_PSI[0] - tolerance <= found["psi"] <= SEED_PSI[1] + tolerance, f"{found['psi']:.4f}"


def match_claim(figures: Figures, bound: float) -> tuple[bool | None, str]:
    """8.6.2."""
    if COHERENT not in figures["matches"]:
        raise Missing("no match at this scale")
    found = figures["matches"][COHERENT]
    told = f"{score_text(found)} in {found['games']} games at depth {figures['depth']}"
    return judge_score(found, SEED_MATCH, bound), told


CLAIMS = [
    Claim(
        "a single run settles",
        "essentially complete after 500 games (8.6.1)",
        f"progress by 8.9 stays above {HIGH_ALONE} from game {{tolerance:g}} on, in the median run",
        600,
        single_claim,
    ),
    Claim(
        "the average of the runs settles",
        "all traces near their ends after about 900 games (8.6.2)",
        f"progress of the mean trace stays above {HIGH} from game {{tolerance:g}} on",
        900,
        average_claim,
    ),
    Claim(
        "temporal coherence is faster",
        "clearly faster learning than both others (figure 8.15)",
        f"progress of the mean trace of as many runs stays above {HIGH} sooner than that of fixed 0.05 and of "
        "delta-bar-delta",
        0,
        faster_claim,
    ),
    Claim(
        "delta-bar-delta is no better than a fixed rate",
        "does not improve much on a carefully chosen fixed rate (8.6.2)",
        "the progress of its mean trace, over all games, is at most {tolerance} above that of fixed 0.05",
        0.05,
        bar_claim,
    ),
    Claim(
        "temporal coherence is more stable",
        "much more stable than both others (8.6.1)",
        "the mean step of values in a hundredth of the second half is less than with both",
        0,
        calmer_claim,
    ),
    Claim(
        "the same final values",
        "those of fixed 0.05 are not significantly different (8.6.2)",
        "each within {tolerance:.0%} of those of fixed 0.05, or within the errors of both over the runs",
        0.1,
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
        "58.5% against 1:3:3:5:9 (8.6.2)",
        "more than {tolerance} of the points at 95%, or the seed's score within the errors of both",
        0.5,
        match_claim,
    ),
]


def show(harness: Harness, figures: Figures) -> None:
    """Prints our table beside what the seed says of its figures."""
    said = {COHERENT: "500; 900", FIXED: "later", BAR: "not stable"}
    rows = []
    for name, rule in figures["rules"].items():
        alone = " ".join("-" if one is None else str(one) for one in rule["high_from"])
        rows.append(
            [name, alone, rule["average_high_from"] or "-", said.get(name, ""), f"{rule['mean_progress']:.3f}",
             " : ".join(f"{value:.2f}" for value in rule["final"]), f"{rule['restlessness']:.2%}", f"{rule['psi']:.4f}",
             f"{rule['draws']:.0%}", f"{rule['learning_seconds']:.0f}"]
        )  # fmt: skip
    columns = ["rule", "high from game", "average", "seed", "progress", "final", "step", "lambda", "draws", "seconds"]
    harness.print_table(f"Games until values settle, depth {figures['depth']}", columns, rows)
    show_matches(harness, "8.6.2: against 1:3:3:5:9", figures["matches"], lambda _: "+1119 =100 -781, 58.5%")


def draw(figures: Figures) -> Iterator[Drawing]:
    """Figures 8.1 and 8.9 to 8.15."""
    learned = figures["rules"]
    numbers = {FIXED: ("8.9", "8.12"), COHERENT: ("8.10", "8.14"), BAR: ("8.11", "8.13")}
    for name, (single, average) in numbers.items():
        if name not in learned:
            continue
        games = np.array(learned[name]["games"], float)
        for kind, figure in (("single", single), ("average", average)):
            values = np.array(learned[name][kind])
            lines = {piece: values[:, i] for i, piece in enumerate(CHESS)}
            yield Drawing(
                f"{kind}_{name.replace(' ', '_').replace('.', '')}",
                f"Figure {figure}: {name}, {'one run' if kind == 'single' else 'mean of the runs'}, last pawn = 1",
                lambda games=games, lines=lines: draw_lines(games, lines, across="games", up="value", height=2.4),
            )
    if learned:
        games = np.array(next(iter(learned.values()))["games"], float)
        curves = {name: np.clip(np.array(rule["progress"]), 0, None) for name, rule in learned.items()}
        yield Drawing(
            "progress",
            "Figure 8.15: progress of the mean of the runs to their ends, by equation 8.9",
            lambda: draw_lines(games, curves, across="games", up="progress"),
        )
    if COHERENT in learned and learned[COHERENT]["qualities"]:
        told = np.array(learned[COHERENT]["qualities"])
        distances = np.arange(len(told), dtype=float)
        psi = learned[COHERENT]["psi_by_seed"][0]
        fit = {"mean quality": told[:, 0], f"{psi:.4f}^d": psi**distances}
        yield Drawing(
            "decay",
            "Figure 8.1: mean quality of predictions by their distance in plies, and the curve that fits it",
            lambda: draw_lines(distances, fit, across="distance", up="quality"),
        )


EXPERIMENT = Experiment(
    name="smith_8_6",
    text=__doc__,
    small=SCALES,
    parts=PARTS,
    measure=measure,
    summarise=summarise,
    show=show,
    claims=CLAIMS,
    draw=draw,
    common={
        "rules": {name: {**rule.model_dump(), "prediction_decay": decay} for name, (rule, decay) in RULES.items()},
        "bounds": [HIGH, HIGH_ALONE],
    },
)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    EXPERIMENT.run(words)


if __name__ == "__main__":
    from harness import start

    start(main)
