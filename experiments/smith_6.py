"""Shogi piece values from self-play: Smith 1999, chapter 6, tables 6.1 to 6.5 and C.1 to C.3, figures 6.1 to 6.8.

    python experiments/smith_6.py [--scale quick|full|PART] [--threads N]

Thirteen values start at 1: seven pieces, on the board or in hand, and six promoted ones. Each depth is learned with
several seeds in 6,000 games; the values are means over the last third of the games, then over the seeds, and play
matches against the sets Beginner, Gnu and YSS at the depth they were learned at. First of all these three play each
other at depth 2 (table 6.1), which checks the search without any learning: the seed does not tell the depth of that
table, and its scores of learned values are those of depth 2 in table 6.5. The search is full width with a null move of
one ply less and a quiescence search of eight plies at most (6.3; the reduction is not told, 1 is the smaller one of
chapter 4). Games of 600 plies are drawn in matches (6.6); learning games too. The rate falls from 0.05 to 0.002 over
the first half of the games and then stays (6.5.1): as 0.05 h / (h + games), whose h follows. Equal moves are drawn by
lot and tables emptied before each move, as in smith_5, so that there is no noise.

Depths 1 and 2 are learned by five runs each, depths 3 and 4 by two and one of fewer games, over which the rate falls as
it does over 6,000; their matches are shorter too. The values of each run at depth 2 play YSS (table 6.3) in 1,000
games.

Parts, in minutes on two cores: platform 3, depth-1 14, depth-2 30, depth-3 27, depth-4 28 (its run takes one core).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

import plypilot as pp
from harness import Claim, Figures, Harness, Missing, deviation, mean
from intervals import is_near, judge_score, mean_error
from parts import Drawing, Experiment
from plypilot.learn.steps import Decaying
from plypilot.play.adjudication import Adjudication
from plypilot.report.drawing import draw_bars, draw_lines
from selfplay import (
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

MAIN = ("pawn", "lance", "knight", "silver", "gold", "bishop", "rook")
PROMOTED = ("promoted_pawn", "promoted_lance", "promoted_knight", "promoted_silver", "horse", "dragon")
PIECES = MAIN + PROMOTED
ROOK = 5.0
"""What values are normalised to (6.5.2)."""
SETS = {
    "Beginner": (0.50, 1.00, 1.00, 2.00, 2.00, 4.00, 5.00, 1.50, 1.75, 1.75, 2.00, 5.00, 6.00),
    "Gnu": (0.42, 2.11, 2.11, 2.83, 3.03, 4.74, 5.00, 1.91, 2.50, 2.63, 3.16, 5.21, 5.16),
    "YSS": (0.48, 2.07, 2.16, 3.08, 3.32, 4.28, 5.00, 2.02, 3.03, 3.08, 3.22, 5.53, 6.25),
}
"""Table C.3."""
SEED_VALUES = {
    1: (0.08, 0.17, 0.21, 0.34, 0.38, 0.47, 0.60, 0.22, 0.12, 0.14, 0.24, 0.94, 1.08),
    2: (0.12, 0.29, 0.30, 0.48, 0.57, 0.72, 0.94, 0.73, 0.52, 0.55, 0.65, 1.32, 1.66),
    3: (0.13, 0.28, 0.33, 0.64, 0.77, 0.92, 1.25, 0.70, 0.32, 0.50, 0.23, 1.68, 2.02),
    4: (0.13, 0.29, 0.34, 0.57, 0.67, 0.82, 1.09, 0.71, 0.60, 0.69, 0.77, 1.35, 1.66),
}
"""Table 6.4, before normalisation."""
SEED_RUNS = {
    1: ((0.08, 0.16, 0.19, 0.33, 0.39, 0.45, 0.59), (0.08, 0.17, 0.21, 0.37, 0.39, 0.50, 0.61),
        (0.08, 0.16, 0.23, 0.34, 0.41, 0.49, 0.60), (0.08, 0.15, 0.23, 0.31, 0.37, 0.47, 0.62),
        (0.09, 0.19, 0.20, 0.33, 0.33, 0.44, 0.56)),
    2: ((0.13, 0.28, 0.32, 0.49, 0.56, 0.71, 0.93), (0.13, 0.32, 0.26, 0.44, 0.54, 0.70, 0.93),
        (0.12, 0.29, 0.31, 0.49, 0.57, 0.72, 0.95), (0.11, 0.30, 0.30, 0.52, 0.59, 0.73, 0.99),
        (0.13, 0.27, 0.29, 0.48, 0.58, 0.74, 0.91)),
    3: ((0.12, 0.24, 0.27, 0.60, 0.70, 0.83, 1.15), (0.13, 0.32, 0.34, 0.71, 0.80, 0.99, 1.35),
        (0.12, 0.26, 0.38, 0.63, 0.79, 0.87, 1.21), (0.13, 0.32, 0.35, 0.64, 0.77, 0.92, 1.25),
        (0.14, 0.26, 0.32, 0.64, 0.81, 0.98, 1.30)),
    4: ((0.11, 0.35, 0.37, 0.58, 0.69, 0.90, 1.07), (0.16, 0.36, 0.36, 0.65, 0.68, 0.84, 1.10),
        (0.14, 0.32, 0.38, 0.57, 0.71, 0.86, 1.14), (0.10, 0.21, 0.25, 0.52, 0.62, 0.77, 1.05),
        (0.12, 0.23, 0.33, 0.55, 0.64, 0.74, 1.06)),
}  # fmt: skip
"""Table C.1: the main pieces of each run."""
SEED_PROMOTED = {
    1: ((0.19, 0.09, 0.20, 0.23, 0.95, 1.07), (0.22, 0.12, 0.24, 0.13, 0.93, 1.04),
        (0.27, 0.13, 0.04, 0.43, 0.97, 1.15), (0.25, 0.11, 0.04, 0.28, 0.95, 1.11),
        (0.17, 0.13, 0.15, 0.11, 0.89, 1.05)),
    2: ((0.76, 0.58, 0.59, 0.67, 1.39, 1.60), (0.72, 0.49, 0.60, 0.59, 1.23, 1.71),
        (0.74, 0.54, 0.58, 0.67, 1.35, 1.65), (0.72, 0.48, 0.53, 0.69, 1.30, 1.72),
        (0.73, 0.50, 0.48, 0.65, 1.33, 1.63)),
    3: ((0.72, 0.35, 0.54, 0.59, 1.46, 1.88), (0.72, 0.25, 0.57, 0.02, 1.84, 2.11),
        (0.64, 0.18, 0.51, 0.22, 1.53, 1.93), (0.63, 0.43, 0.30, 0.27, 1.70, 2.03),
        (0.82, 0.38, 0.56, 0.06, 1.85, 2.13)),
    4: ((0.74, 0.65, 0.73, 0.85, 1.43, 1.74), (0.85, 0.78, 0.78, 0.85, 1.32, 1.61),
        (0.75, 0.80, 0.79, 0.80, 1.37, 1.69), (0.56, 0.36, 0.58, 0.67, 1.31, 1.66),
        (0.65, 0.39, 0.57, 0.69, 1.31, 1.57)),
}  # fmt: skip
"""Table C.2, the same of the promoted pieces."""
SEED_RUN_MATCHES = ((1062, 67, 871), (1044, 68, 888), (1009, 76, 915), (1070, 78, 852), (1004, 71, 925))
"""Table 6.3: wins, draws and losses of the values of each run against YSS."""
SEED_SCORES = {
    1: {"Beginner": 0.55, "Gnu": 0.52, "YSS": 0.51},
    2: {"Beginner": 0.62, "Gnu": 0.59, "YSS": 0.54},
    3: {"Beginner": 0.76, "Gnu": 0.64, "YSS": 0.58},
    4: {"Beginner": 0.66, "Gnu": 0.60, "YSS": 0.55},
}
"""Table 6.5, of 2,000 games each."""
SEED_GAMES = 2000
SEED_PLATFORM = {"YSS v Beginner": (1113, 52, 835), "YSS v Gnu": (1146, 70, 784), "Gnu v Beginner": (1018, 71, 911)}
"""Table 6.1: wins, draws and losses of sets that nobody learned."""
SEED_CROSS = {
    ("learned", "YSS"): 0.55, ("learned", "Gnu"): 0.60, ("learned", "Beginner"): 0.62,
    ("YSS", "Gnu"): 0.59, ("YSS", "Beginner"): 0.57, ("Gnu", "Beginner"): 0.53,
}  # fmt: skip
"""Table 6.2, the upper half."""
PLATFORM_DEPTH = 2
RUNS_DEPTH = 2
"""Of tables 6.1 and 6.3, whose learned values score what those of depth 2 score in table 6.5."""
GOLDS = ("promoted_pawn", "promoted_lance", "promoted_knight", "promoted_silver")
"""They all move as a gold."""
RULE = Adjudication(most_plies=600, at_length="draw")
FIRST_RATE, LAST_RATE = 0.05, 0.002
ORDERED_FROM = 2 / 3
"""The part of the games from which on the main pieces keep their order: 4,000 of 6,000 (6.5.1)."""
NEAR = 0.3
"""Part of a normalised value by which ours may differ from the seed's whatever the sampling errors are."""


def falling_rate(games: int) -> Decaying:
    """From 0.05 to 0.002 over the first half of the games (6.5.1)."""
    return Decaying(rate=FIRST_RATE, halfway=games / 2 / (FIRST_RATE / LAST_RATE - 1), least=LAST_RATE)


@dataclass(frozen=True)
class Depth:
    """How one depth is learned."""

    depth: int
    games: int
    seeds: int

    @property
    def name(self) -> str:
        """As the tables have it."""
        return f"depth {self.depth}"

    def runs(self) -> list[Learning]:
        """One a seed."""
        learner = make_learner(
            games=self.games,
            depth=self.depth,
            step_size=falling_rate(self.games),
            most_plies=RULE.most_plies,
            at_length="draw",
            average=1 / 3,
        )
        return [Learning(self.name, learner, pilot_of(SETS["YSS"]), seed) for seed in range(self.seeds)]


@dataclass(frozen=True)
class Scale:
    """How much is learned and played."""

    depths: tuple[Depth, ...] = ()
    match_games: int = 0
    """Against each set, at the depths that are learned."""
    platform_games: int = 0
    """Of the sets among each other."""
    run_games: int = 0
    """Of the match of each run at the depth of table 6.3 against YSS."""


SCALES = {
    "tiny": Scale((Depth(1, 8, 1), Depth(2, 2, 1)), 2, 2, 2),
    "quick": Scale((Depth(1, 3000, 1), Depth(2, 1500, 1)), 400, 200),
}
PARTS = {
    "platform": Scale(platform_games=2000),
    "depth-1": Scale((Depth(1, 6000, 5),), 2000),
    "depth-2": Scale((Depth(2, 6000, 5),), 2000, run_games=1000),
    "depth-3": Scale((Depth(3, 2000, 2),), 1000),
    "depth-4": Scale((Depth(4, 1000, 1),), 200),
}


def pilot_of(values: Sequence[float]) -> pp.Pilot:
    """The seed's engine with these values of the 13 pieces."""
    pieces = dict(zip(PIECES, values, strict=True))
    return make_pilot("shogi", pieces, **{"search.quiescence.most_plies": 8, "pruning.null_reduction": 1})


def normalise(values: Sequence[float]) -> list[float]:
    """To a rook of 5."""
    return [ROOK * value / values[MAIN.index("rook")] for value in values]


def measure(harness: Harness, scale: Scale) -> Figures:
    """The runs by depth and seed, and the matches."""
    runs = [run for depth in scale.depths for run in depth.runs()]
    learned = group(runs, measure_runs(harness, runs))
    matches = []
    for name, depth_runs in learned.items():
        number = int(name.split()[1])
        pilot = pilot_of(mean_values(depth_runs))
        matches += [
            Match(f"{name}, {opponent}", pilot, pilot_of(values), number, scale.match_games, RULE)
            for opponent, values in SETS.items()
        ]
    if scale.run_games:
        for number, run in enumerate(learned[f"depth {RUNS_DEPTH}"]):
            one, other = pilot_of(normalise(run["values"])), pilot_of(SETS["YSS"])
            matches.append(Match(run_match(number), one, other, RUNS_DEPTH, scale.run_games, RULE))
    if scale.platform_games:
        for pairing in SEED_PLATFORM:
            one, other = (pilot_of(SETS[name]) for name in pairing.split(" v "))
            matches.append(Match(pairing, one, other, PLATFORM_DEPTH, scale.platform_games, RULE))
    return {
        "runs": {name: {str(seed): run for seed, run in enumerate(found)} for name, found in learned.items()},
        "matches": measure_matches(harness, matches),
    }


def run_match(number: int) -> str:
    """The name of a match of table 6.3."""
    return f"run {'ABCDE'[number]} v YSS"


def mean_values(runs: Sequence[Figures]) -> list[float]:
    """The mean of the runs' values, each with a rook of 5."""
    normal = [normalise(run["values"]) for run in runs]
    return [mean(run[i] for run in normal) for i in range(len(PIECES))]


def summarise(measured: Figures) -> Figures:
    """Our tables: values by depth."""
    values: Figures = {}
    for name, by_seed in sorted(measured["runs"].items()):
        runs = list(by_seed.values())
        normal = [normalise(run["values"]) for run in runs]
        values[name] = {
            "depth": int(name.split()[1]),
            "games": runs[0]["trace"]["games"][-1],
            "absolute": [mean(run["values"][i] for run in runs) for i in range(len(PIECES))],
            "absolute_by_seed": [run["values"] for run in runs],
            "normalised": mean_values(runs),
            "deviation": [deviation(run[i] for run in normal) for i in range(len(PIECES))],
            "by_seed": normal,
            "order_after": [order_after(run) for run in runs],
            "trace": runs[0]["trace"],
            **play_figures(runs),
        }
    return {"values": values, "matches": measured["matches"]}


def order_after(run: Figures) -> float | None:
    """From which part of the games on the main pieces keep their order, in blocks of a thirtieth."""
    games, values = np.array(run["trace"]["games"]), np.array(run["trace"]["values"])[:, : len(MAIN)]
    ends = [games[-1] * number // 30 for number in range(1, 31)]
    blocks = [values[(games > end - games[-1] / 30) & (games <= end)] for end in ends]
    told = [(end, block.mean(axis=0)) for end, block in zip(ends, blocks, strict=True) if len(block)]
    numbers = [int(end) for end, _ in told]
    after = settling(numbers, np.array([block for _, block in told]), band=float("inf")).order_after
    return None if after is None else after / int(games[-1])


def short(piece: str) -> str:
    """As the tables have it."""
    return piece.replace("promoted_", "+")


def main_order_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """6.5.2 and 6.7."""
    phrases = []
    for name, each in figures["values"].items():
        main_values = each["normalised"][: len(MAIN)]
        if not is_ascending(main_values):
            ranked = [piece for _, piece in sorted(zip(main_values, MAIN, strict=True))]
            phrases.append(f"{name}: {', '.join(ranked)}")
    return not phrases, "; ".join(phrases) or f"at {', '.join(figures['values'])}"


def early_order_claim(figures: Figures, most: float) -> tuple[bool, str]:
    """Figure 6.1."""
    found = figures["values"].get("depth 2")
    if found is None:
        raise Missing("depth 2 is not learned at this scale")
    parts = found["order_after"]
    inside = sum(part is not None and part <= most + 1e-9 for part in parts)
    told = ", ".join("never" if part is None else f"{part:.0%}" for part in parts)
    return 2 * inside > len(parts), f"after {told} of the games"


def values_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table 6.4 and figures 6.7, main pieces."""
    phrases = []
    for each in figures["values"].values():
        theirs = [normalise(run) for run in SEED_RUNS[each["depth"]]]
        for i, piece in enumerate(MAIN):
            seed = [run[i] for run in theirs]
            ours = each["normalised"][i]
            our_error = mean_error([run[i] for run in each["by_seed"]])
            near = each["seeds"] > 1 and is_near(ours, our_error, mean(seed), mean_error(seed))
            if abs(ours / mean(seed) - 1) > tolerance and not near:
                phrases.append(f"depth {each['depth']} {piece} {ours:.2f} beside {mean(seed):.2f}")
    return not phrases, "; ".join(phrases) or "all within"


def scale_claim(figures: Figures, _: float) -> tuple[bool | None, str]:
    """Table 6.4, deeper games."""
    rook = MAIN.index("rook")
    pairs = [(f"depth {low}", f"depth {low + 2}") for low in (1, 2)]
    known = [(low, high) for low, high in pairs if {low, high} <= set(figures["values"])]
    if not known:
        raise Missing("no two depths of one parity are learned at this scale")
    told = [[figures["values"][name]["absolute"][rook] for name in pair] for pair in known]
    text = "; ".join(
        f"rook {one:.2f} at {low}, {other:.2f} at {high}" for (low, high), (one, other) in zip(known, told, strict=True)
    )
    return all(one < other for one, other in told), text


def promotion_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """6.5.3."""
    found = {name: dict(zip(PIECES, each["normalised"], strict=True)) for name, each in figures["values"].items()}
    holds = all(each["horse"] > each["bishop"] and each["dragon"] > each["rook"] for each in found.values())
    text = ", ".join(f"{name}: horse {each['horse']:.1f}, dragon {each['dragon']:.1f}" for name, each in found.items())
    return holds, text


def gold_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """6.5.3, the four that move alike."""
    name = f"depth {RUNS_DEPTH}"
    if name not in figures["values"]:
        raise Missing(f"{name} is not learned at this scale")
    found = dict(zip(PIECES, figures["values"][name]["normalised"], strict=True))
    pawn, *others = (found[piece] for piece in GOLDS)
    return pawn > max(others), ", ".join(f"{short(piece)} {found[piece]:.2f}" for piece in GOLDS)


def find_match(figures: Figures, name: str) -> Figures:
    """A match by name. Raises Missing."""
    if name not in figures["matches"]:
        raise Missing("no such match at this scale")
    return dict(figures["matches"][name])


def platform_claim(pairing: str) -> Claim:
    """Table 6.1, sets that nobody learned."""
    wins, draws, losses = SEED_PLATFORM[pairing]

    def holds(figures: Figures, bound: float) -> tuple[bool | None, str]:
        result = find_match(figures, pairing)
        return judge_score(result, SEED_PLATFORM[pairing], bound), f"{score_text(result)} in {result['games']} games"

    return Claim(
        f"{pairing}, which are not learned",
        f"{(wins + draws / 2) / (wins + draws + losses):.1%} (table 6.1)",
        "more than {tolerance} of the points at 95%, or the seed's score within the errors of both",
        0.5,
        holds,
    )


def ahead_claim(depth: int, opponent: str) -> Claim:
    """Table 6.5, one cell."""
    seed = SEED_SCORES[depth][opponent]
    wins = round(seed * SEED_GAMES)

    def holds(figures: Figures, bound: float) -> tuple[bool | None, str]:
        result = find_match(figures, f"depth {depth}, {opponent}")
        verdict = judge_score(result, (wins, 0, SEED_GAMES - wins), bound)
        return verdict, f"{score_text(result)} in {result['games']} games"

    return Claim(
        f"depth {depth} against {opponent}",
        f"{seed:.0%} (table 6.5)",
        "more than {tolerance} of the points at 95%, or the seed's score within the errors of both",
        0.5,
        holds,
    )


def runs_claim(figures: Figures, bound: float) -> tuple[bool | None, str]:
    """Table 6.3. Runs differ by chance alone, so that each is set beside all of the seed's together."""
    numbers = [number for number in range(len(SEED_RUN_MATCHES)) if run_match(number) in figures["matches"]]
    if not numbers:
        raise Missing("no such match at this scale")
    found = [figures["matches"][run_match(number)] for number in numbers]
    together = tuple(map(sum, zip(*SEED_RUN_MATCHES, strict=True)))
    verdicts = [judge_score(result, together, bound) for result in found]
    text = f"{', '.join(score_text(result) for result in found)} in {found[0]['games']} games each"
    return (False if False in verdicts else None if None in verdicts else True), text


CLAIMS = [
    *map(platform_claim, SEED_PLATFORM),
    Claim(
        "order of the main pieces",
        "pawn, lance, knight, silver, gold, bishop, rook (6.5.2)",
        "by mean values, at every depth",
        0,
        main_order_claim,
    ),
    Claim(
        "the order is kept from game 4,000 on",
        "the relative order has been decided after about 4,000 of 6,000 games (figure 6.1)",
        "by means of a thirtieth of the games, from {tolerance:.0%} of them on in most runs at depth 2",
        ORDERED_FROM,
        early_order_claim,
    ),
    Claim(
        "values of the main pieces",
        "table 6.4, normalised (figure 6.7)",
        "each within {tolerance:.0%} of the seed's, or both within their sampling errors (table C.1)",
        NEAR,
        values_claim,
    ),
    Claim(
        "values grow with the quality of play",
        "larger at depth 4 than at 2, and at 3 than at 1 (6.7.1)",
        "the rook before it is normalised",
        0,
        scale_claim,
    ),
    Claim(
        "promoted bishops and rooks",
        "worth substantially more than the others (6.5.3)",
        "horse above bishop and dragon above rook, at every depth",
        0,
        promotion_claim,
    ),
    Claim(
        "promoted pawns",
        "consistently greater than promoted lances, knights and silvers (6.5.3)",
        "the promoted pawn above these three, by mean values at the depth of 6.5",
        0,
        gold_claim,
    ),
    Claim(
        "every run beats YSS",
        "55, 54, 52, 55, 52% (table 6.3)",
        "each more than {tolerance} of the points at 95%, or the mean of the seed's within the errors of both",
        0.5,
        runs_claim,
    ),
    *(ahead_claim(depth, name) for depth in SEED_SCORES for name in SETS),
]


def show(harness: Harness, figures: Figures) -> None:
    """Prints our tables beside the seed's."""
    for title, names in (("Main pieces", MAIN), ("Promoted pieces", PROMOTED)):
        rows, absolute = [], []
        span = slice(PIECES.index(names[0]), PIECES.index(names[-1]) + 1)
        for name, learned_values in figures["values"].items():
            pairs = zip(learned_values["normalised"][span], learned_values["deviation"][span], strict=True)
            ours = [f"{value:.2f} ({spread:.2f})" for value, spread in pairs]
            play = [
                f"{learned_values['draws']:.0%}",
                f"{learned_values['plies']:.0f}",
                f"{learned_values['learning_seconds']:.0f}",
            ]
            rows.append([name, *ours, f"{learned_values['seeds']} x {learned_values['games']}", *play])
            seed = normalise(SEED_VALUES[learned_values["depth"]])[span]
            rows.append(["  the seed", *(f"{value:.2f}" for value in seed), "5 x 6000", "", "", ""])
            for number, values in enumerate(learned_values["absolute_by_seed"]):
                absolute.append([f"{name}, run {'abcde'[number]}", *(f"{value:.2f}" for value in values[span])])
            theirs = zip(*(SEED_RUNS if names is MAIN else SEED_PROMOTED)[learned_values["depth"]], strict=True)
            told = [f"{mean(piece):.2f} ({deviation(piece):.2f})" for piece in theirs]
            absolute.append(["  the seed's mean (deviation)", *told])
        for name, values in SETS.items():
            rows.append([name, *(f"{value:.2f}" for value in values[span]), "", "", "", ""])
        pieces = [short(name) for name in names]
        columns = ["", *pieces, "games", "draws", "plies", "seconds"]
        harness.print_table(f"{title}: learned values (deviation over seeds), rook = 5", columns, rows)
        number = "C.1" if names is MAIN else "C.2"
        harness.print_table(
            f"Tables 6.4 and {number}: {title.lower()} before they are normalised", ["", *pieces], absolute
        )

    def seed_score(name: str) -> str:
        if name in SEED_PLATFORM:
            wins, draws, losses = SEED_PLATFORM[name]
            return f"+{wins} ={draws} -{losses}, {(wins + draws / 2) / SEED_GAMES:.1%}"
        if name.startswith("run "):
            wins, draws, losses = SEED_RUN_MATCHES["ABCDE".index(name[4])]
            return f"+{wins} ={draws} -{losses}, {(wins + draws / 2) / SEED_GAMES:.1%}"
        depth, opponent = name.removeprefix("depth ").split(", ")
        return f"{SEED_SCORES[int(depth)][opponent]:.0%}"

    title = "Tables 6.1, 6.3 and 6.5: the sets of table C.3 among each other, and learned values against them"
    show_matches(harness, title, figures["matches"], seed_score)
    scores = find_scores(figures)
    if len(scores) == len(SEED_CROSS):
        names = dict.fromkeys(one for one, _ in SEED_CROSS)
        cross: list[list[str]] = []
        for told, label in ((scores, "{}"), (SEED_CROSS, "  {}, the seed")):
            both = told | {(other, one): 1 - score for (one, other), score in told.items()}
            for one in (*names, "Beginner"):
                row = [f"{both[one, other]:.0%}" if one != other else "" for other in (*names, "Beginner")]
                cross.append([label.format(one), *row])
        harness.print_table("Table 6.2: everyone against everyone, depth 2", ["", *names, "Beginner"], cross)


def find_scores(figures: Figures) -> dict[tuple[str, str], float]:
    """The scores of table 6.2 that are known."""
    names = {
        pair: f"depth {RUNS_DEPTH}, {pair[1]}" if pair[0] == "learned" else " v ".join(pair) for pair in SEED_CROSS
    }
    return {pair: figures["matches"][name]["score"] for pair, name in names.items() if name in figures["matches"]}


def draw(figures: Figures) -> Iterator[Drawing]:
    """Figures 6.1 to 6.8."""
    values = figures["values"]
    if not values:
        return
    name = f"depth {RUNS_DEPTH}" if f"depth {RUNS_DEPTH}" in values else next(iter(values))
    row = values[name]
    trace, games = np.array(row["trace"]["values"]), np.array(row["trace"]["games"], float)
    of_seed = normalise(SEED_VALUES[row["depth"]])
    spans = (("main", MAIN, ("6.1", "6.3", "6.5", "6.7")), ("promoted", PROMOTED, ("6.2", "6.4", "6.6", "6.8")))
    for kind, names, (of_trace, of_runs, of_sets, of_depths) in spans:
        first = PIECES.index(names[0])
        lines = {piece: trace[:, first + i] for i, piece in enumerate(names)}
        span = slice(first, first + len(names))
        yield Drawing(
            f"{kind}_trace",
            f"Figure {of_trace}: values of {kind} pieces in one run at {name}",
            lambda lines=lines: draw_lines(games, lines, across="games", up="value"),
        )
        runs = {f"run {'abcde'[i]}": values[span] for i, values in enumerate(row["by_seed"])}
        yield Drawing(
            f"{kind}_runs",
            f"Figure {of_runs}: {kind} pieces by run at {name} and the seed's mean, a rook being 5",
            lambda names=names, runs=runs | {"the seed": of_seed[span]}: draw_bars(names, runs, up="value"),
        )
        sets = {one: list(told[span]) for one, told in SETS.items()} | {"learned": row["normalised"][span]}
        yield Drawing(
            f"{kind}_sets",
            f"Figure {of_sets}: the sets that play matches, {kind} pieces",
            lambda names=names, sets=sets | {"learned by the seed": of_seed[span]}: draw_bars(names, sets, up="value"),
        )
        bars = {depth: each["normalised"][span] for depth, each in values.items()}
        spreads: dict[str, list[float] | None] = {depth: each["deviation"][span] for depth, each in values.items()}
        bars |= {f"the seed, {each['depth']}": normalise(SEED_VALUES[each["depth"]])[span] for each in values.values()}
        known = {depth: spread for depth, spread in spreads.items() if spread is not None}
        yield Drawing(
            f"{kind}_depths",
            f"Figure {of_depths}: {kind} pieces by depth, beside the seed's, a rook being 5",
            lambda names=names, bars=bars, known=known: draw_bars(names, bars, up="value", spreads=known),
        )


EXPERIMENT = Experiment(
    name="smith_6",
    text=__doc__,
    small=SCALES,
    parts=PARTS,
    measure=measure,
    summarise=summarise,
    show=show,
    claims=CLAIMS,
    draw=draw,
    common={"pilot": {setting.key: setting.value for setting in pilot_of(SETS["YSS"]).settings()}},
)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    EXPERIMENT.run(words)


if __name__ == "__main__":
    from harness import start

    start(main)
