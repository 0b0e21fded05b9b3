"""Chess piece values from self-play: Smith 1999, chapter 5, tables 5.1 to 5.6 and B.1, figures 5.2 to 5.5.

    python experiments/smith_5.py [--scale quick|full|PART] [--threads N]

All pieces start at 1 and are learned with a fixed rate of 0.05, one game after the other, by five runs a depth (two at
depth 3). The seed has 10,000 games a run and takes the means of the last fifth of them. So have depths 1 and 2 here; at
depths 3 and 4 runs have 5,000 games, which are settled by then, and means of as many games, 2,000. The means over the
runs play a match against 1:3:3:5:9 at the depth they were learned at; those of each run at depth 4 play too (table
5.3). Temporal coherence with c = 0.2 stands beside it with 2,000 games at depths 1 and 2; smith_8_6 has depth 4. Games
are started from the usual position and differ by the random choice of equal moves. They are drawn by stalemate,
repetition and lack of material, not by fifty moves; those unfinished after 400 plies are won by the side that both
evaluations say is ahead (5.3.4).

Depths 5 and 6 have one short run each, as one game takes seconds: of 1,000 and of 500 games, with means of the last
fifth. While their values still move, what they are beside the seed's is open.

Tables are emptied before each move and ties are drawn by lot: with a table that stays, half of the games at depth 1 are
repetitions, since the entries of moves before hide them. At depth 1 the match has 10,000 games, as 54% is near 50%.

The matches of single runs have 1,000 games.

Parts, in minutes on two cores: depth-1 7, depth-2 10, depth-3 17, depth-4-a and depth-4-b 26, matches 18, coherence 1;
and with one run, which takes one core: depth-4-c 26, depth-5 44, depth-6 47.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median_low

import numpy as np

from harness import Claim, Figures, Harness, Missing, deviation, mean
from intervals import CONFIDENCE, is_near, judge_score, mean_error, score_error
from parts import Drawing, Experiment
from plypilot.learn.steps import AnyStepRule, Fixed, TemporalCoherence
from plypilot.report.drawing import draw_bars, draw_lines
from selfplay import (
    CHESS,
    STANDARD,
    Learning,
    Match,
    group,
    is_ascending,
    make_learner,
    make_pilot,
    measure_matches,
    measure_runs,
    play_figures,
    score_text,
    settling,
    show_matches,
)

SEED_VALUES = {
    1: (1.00, 1.86, 2.11, 3.34, 7.26),
    2: (1.00, 2.75, 3.52, 4.84, 11.04),
    3: (1.00, 1.75, 2.31, 3.88, 8.08),
    4: (1.00, 2.72, 3.38, 4.97, 11.49),
    5: (1.00, 2.14, 2.49, 4.06, 8.11),
    6: (1.00, 2.91, 3.49, 5.08, 10.68),
}
"""Tables 5.4 and 5.5, normalised to a pawn of 1."""
SEED_SPREADS = {
    1: (0.00, 0.09, 0.15, 0.20, 0.64),
    2: (0.00, 0.22, 0.33, 0.35, 0.55),
    3: (0.00, 0.10, 0.08, 0.20, 0.19),
    4: (0.00, 0.17, 0.19, 0.27, 0.74),
    5: (0.00, 0.12, 0.13, 0.32, 0.35),
    6: (0.00, 0.08, 0.09, 0.09, 0.28),
}
"""Their standard deviations over five runs."""
SEED_MATCHES = {
    1: (1003, 169, 828),
    2: (1052, 49, 899),
    3: (1028, 328, 644),
    4: (1117, 106, 777),
    5: (1053, 395, 552),
    6: (1147, 188, 665),
}
"""Table 5.6: wins, draws and losses against 1:3:3:5:9."""
SEED_RUNS = ((1116, 102, 782), (1117, 117, 766), (1114, 109, 777), (1112, 107, 781), (1117, 121, 762))
"""Table 5.3, the same for the values of each run at depth 4."""
SEED_ABSOLUTE = {
    1: (0.54, 1.01, 1.14, 1.80, 3.91),
    2: (0.39, 1.07, 1.37, 1.88, 4.29),
    3: (0.78, 1.37, 1.81, 3.04, 6.33),
    4: (0.57, 1.56, 1.93, 2.84, 6.57),
    5: (0.90, 1.92, 2.23, 3.65, 7.28),
    6: (0.72, 2.07, 2.49, 3.62, 7.60),
}
"""Table B.1, means of the runs before they are normalised; that of depth 6 from its runs."""
COHERENT, FIXED = "temporal coherence", "fixed 0.05"
STEPS: dict[str, AnyStepRule] = {COHERENT: TemporalCoherence(rate=0.2), FIXED: Fixed(rate=0.05)}
LAST = 0.2
"""The part of the games at the end whose mean values count (5.3.3)."""
AVERAGED = 2000
"""The games that this is in the seed's runs."""
EARLY = 1000
"""Games after which the order is to be kept; the seed has "a few hundred" (5.3.3)."""
BLOCK = 100
"""Games whose mean values are looked at, as an eye would."""
NEAR = 0.2
"""Part of a value by which ours may differ from the seed's whatever the sampling errors are."""


@dataclass(frozen=True)
class Depth:
    """How one depth is learned."""

    depth: int
    games: int
    seeds: tuple[int, ...]
    step: str = FIXED
    averaged: int = 0
    """Games at the end whose mean values count; 0: a fifth of them."""

    @property
    def name(self) -> str:
        """As the tables have it."""
        return f"depth {self.depth}" + ("" if self.step == FIXED else f", {self.step}")

    def runs(self) -> list[Learning]:
        """One a seed."""
        average = self.averaged / self.games if self.averaged else LAST
        learner = make_learner(games=self.games, depth=self.depth, step_size=STEPS[self.step], average=average)
        return [Learning(self.name, learner, make_pilot("chess", STANDARD), seed) for seed in self.seeds]


@dataclass(frozen=True)
class Scale:
    """How much is learned and played."""

    depths: tuple[Depth, ...] = ()
    match_games: tuple[tuple[int, int], ...] = ()
    """Depths, and the games of the match of the mean values there."""
    run_games: int = 0
    """Of the match of each run at depth 4."""


SCALES = {
    "tiny": Scale((Depth(1, 8, (0, 1)), Depth(4, 1, (0,))), ((1, 4),), 2),
    "quick": Scale(
        (Depth(1, 2000, (0, 1)), Depth(2, 1500, (0, 1)), Depth(3, 400, (0,))), ((1, 1000), (2, 600), (3, 200))
    ),
}
PARTS = {
    "depth-1": Scale((Depth(1, 10_000, (0, 1, 2, 3, 4)),), ((1, 10_000),)),
    "depth-2": Scale((Depth(2, 10_000, (0, 1, 2, 3, 4)),), ((2, 2000),)),
    "depth-3": Scale((Depth(3, 5000, (0, 1), averaged=AVERAGED),), ((3, 2000),)),
    "depth-4-a": Scale((Depth(4, 5000, (0, 1), averaged=AVERAGED),)),
    "depth-4-b": Scale((Depth(4, 5000, (2, 3), averaged=AVERAGED),)),
    "depth-4-c": Scale((Depth(4, 5000, (4,), averaged=AVERAGED),)),
    "matches": Scale((), ((4, 2000),), 1000),
    "depth-5": Scale((Depth(5, 1000, (0,)),), ((5, 200),)),
    "depth-6": Scale((Depth(6, 500, (0,)),), ((6, 120),)),
    "coherence": Scale((Depth(1, 2000, (0, 1), COHERENT), Depth(2, 2000, (0, 1), COHERENT))),
}
SHORT = (5, 6)
"""Depths whose runs have so few games that they may not be settled."""
SETTLED = 0.05
"""Part by which a normalised value may move from the last fifth but one to the last of a run that is settled."""


def measure(harness: Harness, scale: Scale) -> Figures:
    """The runs by depth and seed, and the matches."""
    runs = [run for depth in scale.depths for run in depth.runs()]
    learned = group(runs, measure_runs(harness, runs))
    measured: Figures = {
        depth.name: {str(seed): run for seed, run in zip(depth.seeds, learned[depth.name], strict=True)}
        for depth in scale.depths
    }
    known = {name: {**harness.before.get("runs", {}).get(name, {}), **own} for name, own in measured.items()}
    known |= {name: own for name, own in harness.before.get("runs", {}).items() if name not in known}
    standard, matches = make_pilot("chess", STANDARD), []
    for number, games in scale.match_games:
        name = f"depth {number}"
        if lacking := seeds_of(name, scale) - set(known.get(name, {})):
            raise SystemExit(f"smith_5: runs {', '.join(sorted(lacking))} of {name} are not there; measure them first")
        values = dict(zip(CHESS, normalised(list(known[name].values())), strict=True))
        matches.append(Match(name, make_pilot("chess", values), standard, number, games))
    if scale.run_games:
        for seed, run in known.get("depth 4", {}).items():
            values = dict(zip(CHESS, normalised([run]), strict=True))
            matches.append(
                Match(f"run {'ABCDE'[int(seed)]}", make_pilot("chess", values), standard, 4, scale.run_games)
            )
    return {"runs": measured, "matches": measure_matches(harness, matches)}


def seeds_of(name: str, scale: Scale) -> set[str]:
    """The runs of a depth: of a part those of all parts, so that a match is played by the values of all of them."""
    scales = PARTS.values() if scale in PARTS.values() else [scale]
    return {str(seed) for each in scales for depth in each.depths if depth.name == name for seed in depth.seeds}


def normalised(runs: Sequence[Figures]) -> list[float]:
    """The mean of the runs' values, each with a pawn of 1."""
    return [mean(run["values"][i] / run["values"][0] for run in runs) for i in range(len(CHESS))]


def order_after(run: Figures) -> float:
    """From which game on a run keeps the order of the pieces by blocks of games, knights and bishops being as one."""
    games, values = np.array(run["trace"]["games"]), np.array(run["trace"]["values"])
    ends = np.arange(BLOCK, games[-1] + 1, BLOCK)
    if not len(ends):
        return float("inf")
    blocks = np.array([values[(games > end - BLOCK) & (games <= end)].mean(axis=0) for end in ends])
    minor = blocks[:, 1:3]
    merged = np.column_stack([blocks[:, 0], minor.min(axis=1), minor.max(axis=1) + 1e-9, blocks[:, 3], blocks[:, 4]])
    after = settling(ends.tolist(), merged, band=float("inf")).order_after
    return float("inf") if after is None else float(after)


def moves(run: Figures) -> float:
    """The part by which normalised values move at most, from the last fifth of the games but one to the last."""
    games, values = np.array(run["trace"]["games"]), np.array(run["trace"]["values"])
    normal = values / values[:, :1]
    last, before = games > (1 - LAST) * games[-1], games > (1 - 2 * LAST) * games[-1]
    if last.sum() == before.sum():
        return float("inf")
    return float(np.abs(normal[last].mean(axis=0) / normal[before & ~last].mean(axis=0) - 1).max())


def summarise(measured: Figures) -> Figures:
    """Our tables: values by depth."""
    values: Figures = {}
    for name, by_seed in sorted(measured["runs"].items()):
        runs = list(by_seed.values())
        normal = [[value / run["values"][0] for value in run["values"]] for run in runs]
        values[name] = {
            "depth": int(name.partition(",")[0].split()[1]),
            "games": runs[0]["trace"]["games"][-1],
            "absolute": [mean(run["values"][i] for run in runs) for i in range(len(CHESS))],
            "absolute_by_seed": [run["values"] for run in runs],
            "normalised": [mean(run[i] for run in normal) for i in range(len(CHESS))],
            "deviation": [deviation(run[i] for run in normal) for i in range(len(CHESS))],
            "by_seed": normal,
            "order_after": [order_after(run) for run in runs],
            "moves": max(moves(run) for run in runs),
            "trace": runs[0]["trace"],
            **play_figures(runs),
        }
    return {"values": values, "matches": measured["matches"]}


def fixed(figures: Figures) -> dict[int, Figures]:
    """What the seed's own rate has learned, by depth."""
    return {each["depth"]: each for name, each in figures["values"].items() if "," not in name}


def order_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Queen, rook, bishop, knight, pawn."""
    wrong = [str(depth) for depth, each in fixed(figures).items() if not is_ascending(each["normalised"])]
    return not wrong, f"not at depth {', '.join(wrong)}" if wrong else "at every depth"


def values_claim(figures: Figures, tolerance: float) -> tuple[bool | None, str]:
    """Tables 5.4 and 5.5."""
    phrases: list[str] = []
    verdicts: list[bool | None] = [True]
    for depth, each in fixed(figures).items():
        for i, (piece, ours, theirs) in enumerate(zip(CHESS, each["normalised"], SEED_VALUES[depth], strict=True)):
            our_error = mean_error([run[i] for run in each["by_seed"]])
            near = each["seeds"] > 1 and is_near(ours, our_error, theirs, SEED_SPREADS[depth][i] / np.sqrt(5))
            if abs(ours / theirs - 1) > tolerance and not near:
                is_moving = depth in SHORT and each["moves"] > SETTLED
                verdicts.append(None if is_moving else False)
                still = f", still moving by {each['moves']:.0%}" if is_moving else ""
                phrases.append(f"depth {depth} {piece} {ours:.2f} beside {theirs:.2f}{still}")
    return (False if False in verdicts else None if None in verdicts else True), "; ".join(phrases) or "all within"


def find_match(figures: Figures, name: str) -> Figures:
    """A match by name. Raises Missing."""
    if name not in figures["matches"]:
        raise Missing("no such match at this scale")
    return dict(figures["matches"][name])


def score_claim(depth: int) -> Claim:
    """Table 5.6, one row."""

    def holds(figures: Figures, bound: float) -> tuple[bool | None, str]:
        result = find_match(figures, f"depth {depth}")
        return judge_score(result, SEED_MATCHES[depth], bound), f"{score_text(result)} in {result['games']} games"

    wins, draws, _ = SEED_MATCHES[depth]
    return Claim(
        f"learned values at depth {depth}",
        f"{(wins + draws / 2) / 2000:.1%} against 1:3:3:5:9 (table 5.6)",
        "more than {tolerance} of the points at 95%, or the seed's score within the errors of both",
        0.5,
        holds,
    )


def runs_claim(figures: Figures, bound: float) -> tuple[bool | None, str]:
    """Table 5.3."""
    found = [find_match(figures, f"run {letter}") for letter in "ABCDE"]
    verdicts = [judge_score(result, seed, bound) for result, seed in zip(found, SEED_RUNS, strict=True)]
    told = ", ".join(f"{result['score']:.1%}" for result in found)
    return (False if False in verdicts else None if None in verdicts else True), told


def alike_claim(figures: Figures, most: float) -> tuple[bool, str]:
    """Table 5.3, between the runs."""
    found = [find_match(figures, f"run {letter}") for letter in "ABCDE"]
    middle = mean(result["score"] for result in found)
    errors = [score_error(result["wins"], result["draws"], result["losses"]) for result in found]
    misfit = sum(((result["score"] - middle) / error) ** 2 for result, error in zip(found, errors, strict=True))
    return misfit <= most, f"chi-square {misfit:.1f} for scores of {min(r['score'] for r in found):.1%} and more"


def parity_claim(figures: Figures, _: float) -> tuple[bool | None, str]:
    """Table 5.6, draws."""
    drawn = {depth: find_match(figures, f"depth {depth}") for depth in (1, 2, 3, 4)}
    share = {depth: each["draws"] / each["games"] for depth, each in drawn.items()}
    verdicts: list[bool | None] = []
    for one, other in pairwise(share):
        even, odd = sorted((one, other), key=lambda depth: depth % 2)
        error = np.sqrt(sum(share[depth] * (1 - share[depth]) / drawn[depth]["games"] for depth in (even, odd)))
        apart = share[odd] - share[even]
        verdicts.append(None if abs(apart) <= CONFIDENCE * error else apart > 0)
    told = ", ".join(f"{each:.1%}" for each in share.values())
    return (False if False in verdicts else None if None in verdicts else True), f"{told} from depth 1 on"


def early_claim(figures: Figures, most: float) -> tuple[bool, str]:
    """Figure 5.2."""
    if "depth 4" not in figures["values"]:
        raise Missing("depth 4 is not learned at this scale")
    found = figures["values"]["depth 4"]["order_after"]
    return median_low(found) <= most, f"after {', '.join(f'{each:g}' for each in found)} games"


CLAIMS = [
    Claim(
        "order of the pieces",
        "queen, rook, bishop, knight, pawn (5.4)",
        "by mean values at every depth, rate 0.05",
        0,
        order_claim,
    ),
    Claim(
        "values",
        "tables 5.4 and 5.5",
        f"each normalised value within {{tolerance}} of the seed's, or both within their sampling errors; open where a "
        f"short run is not settled: one of depth {SHORT[0]} or {SHORT[1]} that moves by more than {SETTLED:.0%}",
        NEAR,
        values_claim,
    ),
    *(score_claim(depth) for depth in SEED_MATCHES),
    Claim(
        "every run beats the usual values",
        "58, 59, 58, 58, 59% (table 5.3)",
        "each of five more than {tolerance} of the points at 95%, or the seed's within the errors of both",
        0.5,
        runs_claim,
    ),
    Claim(
        "runs play alike",
        "very similar scores: the random seed plays no significant part (5.3.4)",
        "the chi-square of their five scores is at most {tolerance}, which chance exceeds once in 20 times",
        9.49,
        alike_claim,
    ),
    Claim(
        "even depths draw less",
        "49 and 106 draws at depths 2 and 4 beside 169 and 328 at 1 and 3 (5.4.1)",
        "each even depth of 2 and 4 draws less than its odd neighbours up to 4, at 95%",
        0,
        parity_claim,
    ),
    Claim(
        "the order is soon there",
        "after a few hundred games, with swaps of knight and bishop (figure 5.2)",
        f"by means of {BLOCK} games, from game {{tolerance:g}} on in the median run at depth 4; the two may swap",
        EARLY,
        early_claim,
    ),
]


def show(harness: Harness, figures: Figures) -> None:
    """Prints our tables beside the seed's."""
    rows = []
    for name, row in figures["values"].items():
        ours = [
            f"{value:.2f} ({spread:.2f})" for value, spread in zip(row["normalised"], row["deviation"], strict=True)
        ]
        play = [f"{row['draws']:.0%}", f"{row['plies']:.0f}", f"{row['learning_seconds']:.0f}"]
        rows.append([name, *ours, f"{row['seeds']} x {row['games']}", *play])
        seed = zip(SEED_VALUES[row["depth"]], SEED_SPREADS[row["depth"]], strict=True)
        rows.append(["  the seed", *(f"{value:.2f} ({spread:.2f})" for value, spread in seed), "5 x 10000", "", "", ""])
    columns = ["", *CHESS, "games", "draws", "plies", "seconds"]
    harness.print_table("Tables 5.4, 5.5: learned values (deviation over seeds), pawn = 1", columns, rows)
    rows = []
    for depth, row in fixed(figures).items():
        for number, values in enumerate(row["absolute_by_seed"]):
            normal = row["by_seed"][number]
            rows.append([f"depth {depth}, run {'ABCDE'[number]}", *(f"{value:.2f}" for value in (*values, *normal))])
        theirs = (*SEED_ABSOLUTE[depth], *SEED_VALUES[depth])
        rows.append(["  the seed's mean", *(f"{value:.2f}" for value in theirs)])
    columns = ["", *CHESS, *(f"{piece}, pawn = 1" for piece in CHESS)]
    harness.print_table("Tables 5.1, 5.2 and B.1: values of each run", columns, rows)

    def seed_score(name: str) -> str:
        kind, which = name.split()
        wins, draws, losses = SEED_MATCHES[int(which)] if kind == "depth" else SEED_RUNS["ABCDE".index(which)]
        return f"+{wins} ={draws} -{losses}, {(wins + draws / 2) / 2000:.1%}"

    show_matches(harness, "Tables 5.3 and 5.6: learned values against 1:3:3:5:9", figures["matches"], seed_score)


def draw(figures: Figures) -> Iterator[Drawing]:
    """Figures 5.2 to 5.5."""
    learned = fixed(figures)
    depth = 4 if 4 in learned else max(learned)
    row = learned[depth]
    trace = row["trace"]
    pawn = row["absolute_by_seed"][0][0]
    lines = {piece: np.array(trace["values"])[:, i] / pawn for i, piece in enumerate(CHESS)}
    yield Drawing(
        "trace",
        f"Figure 5.2: values of one run at depth {depth}, a pawn of its last fifth being 1",
        lambda: draw_lines(np.array(trace["games"], float), lines, across="games", up="value"),
    )
    yield Drawing(
        "runs",
        f"Figure 5.3: values of each run at depth {depth}, beside the seed's mean",
        lambda: draw_bars(
            CHESS,
            {f"run {'ABCDE'[number]}": values for number, values in enumerate(row["by_seed"])}
            | {"the seed": SEED_VALUES[depth]},
            up="pawns",
        ),
    )
    for parity, name in ((1, "odd"), (0, "even")):
        depths = [each for each in learned if each % 2 == parity]
        if not depths:
            continue
        bars = {f"depth {each}": learned[each]["normalised"] for each in depths}
        spreads = {f"depth {each}": learned[each]["deviation"] for each in depths}
        bars |= {f"the seed, {each}": SEED_VALUES[each] for each in depths}
        spreads |= {f"the seed, {each}": SEED_SPREADS[each] for each in depths}
        yield Drawing(
            name,
            f"Figure {5.4 if parity else 5.5}: values learned at {name} depths, with deviations over runs",
            lambda bars=bars, spreads=spreads: draw_bars(CHESS, bars, up="pawns", spreads=spreads),
        )


EXPERIMENT = Experiment(
    name="smith_5",
    text=__doc__,
    small=SCALES,
    parts=PARTS,
    measure=measure,
    summarise=summarise,
    show=show,
    claims=CLAIMS,
    draw=draw,
    common={"pilot": {setting.key: setting.value for setting in make_pilot("chess", STANDARD).settings()}},
)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    EXPERIMENT.run(words)


if __name__ == "__main__":
    from harness import start

    start(main)
