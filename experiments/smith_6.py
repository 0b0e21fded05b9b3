"""Shogi piece values from self-play: Smith 1999, chapter 6, tables 6.1 to 6.5 and C.3.

    python experiments/smith_6.py [--scale quick|full] [--threads N]

Thirteen values start at 1: seven pieces, on the board or in hand, and six promoted ones. Each depth is learned with
several seeds; the values are means over the last third of the games, then over the seeds, and play matches against the
sets Beginner, Gnu and YSS at the depth they were learned at. The search is full width with a quiescence search of eight
plies at most (6.3). Games of 600 plies are drawn in matches (6.6); learning games too. As in the seed the rate
falls from 0.05 to 0.002; at full scale depth 2 is also learned with temporal coherence, which values the rare promoted
pieces late.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import plypilot as pp
from harness import Claim, Figures, Harness, Missing, deviation, mean, read_options, start
from plypilot.learn.steps import AnyStepRule, Decaying, TemporalCoherence
from plypilot.learn.td import TD
from plypilot.play.adjudication import Adjudication
from selfplay import (
    NOISE,
    Learning,
    Match,
    group,
    is_ascending,
    make_pilot,
    measure_matches,
    measure_runs,
    play_figures,
    score_text,
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
SEED_SCORES = {
    1: {"Beginner": 0.55, "Gnu": 0.52, "YSS": 0.51},
    2: {"Beginner": 0.62, "Gnu": 0.59, "YSS": 0.54},
    3: {"Beginner": 0.76, "Gnu": 0.64, "YSS": 0.58},
    4: {"Beginner": 0.66, "Gnu": 0.60, "YSS": 0.55},
}
"""Table 6.5."""
RULE = Adjudication(most_plies=600, at_length="draw")
COHERENT, FALLING = "temporal coherence", "falling rate"
STEPS: dict[str, AnyStepRule] = {
    COHERENT: TemporalCoherence(rate=0.2),
    # 0.05 at first and 0.002 after 6,000 games.
    FALLING: Decaying(rate=0.05, halfway=250),
}


@dataclass(frozen=True)
class Depth:
    """How one depth is learned."""

    depth: int
    games: int
    seeds: int
    step: str = FALLING

    @property
    def name(self) -> str:
        """As the tables have it."""
        return f"depth {self.depth}" + ("" if self.step == FALLING else f", {self.step}")

    def runs(self, batch: int) -> list[Learning]:
        """One a seed."""
        learner = TD(
            games=self.games,
            batch=batch,
            depth=self.depth,
            first_weight=1.0,
            step_size=STEPS[self.step],
            most_plies=RULE.most_plies,
            at_length="draw",
            noise=NOISE,
            average=1 / 3,
            even=False,
            steepness=1.0,
            opening_plies=0,
        )
        return [Learning(self.name, learner, pilot_of(SETS["YSS"]), seed) for seed in range(self.seeds)]


@dataclass(frozen=True)
class Scale:
    """How much is learned and played."""

    depths: tuple[Depth, ...]
    match_games: dict[int, int]
    """Against each set, by depth."""
    batch: int = 4


SCALES = {
    "tiny": Scale((Depth(1, 8, 1),), {1: 2}),
    "quick": Scale((Depth(1, 5000, 1), Depth(2, 5000, 1)), {1: 400, 2: 400}),
    "full": Scale(
        (Depth(1, 6000, 5), Depth(2, 6000, 5), Depth(3, 3000, 3), Depth(2, 3000, 1, COHERENT)),
        {1: 2000, 2: 2000, 3: 1000},
    ),
}


def pilot_of(values: Sequence[float]) -> pp.Pilot:
    """The seed's engine with these values of the 13 pieces."""
    pieces = dict(zip(PIECES, values, strict=True))
    return make_pilot("shogi", pieces, **{"search.quiescence.most_plies": 8})


def normalise(values: Sequence[float]) -> list[float]:
    """To a rook of 5."""
    return [ROOK * value / values[MAIN.index("rook")] for value in values]


def measure(harness: Harness, scale: Scale) -> Figures:
    """Values and matches by depth."""
    runs = [run for depth in scale.depths for run in depth.runs(scale.batch)]
    grouped = group(runs, measure_runs(harness, runs))
    figures: Figures = {}
    for depth in scale.depths:
        depth_runs = grouped[depth.name]
        normal = [normalise(run["values"]) for run in depth_runs]
        figures[depth.name] = {
            "depth": depth.depth,
            "games": depth.games,
            "absolute": [mean(run["values"][i] for run in depth_runs) for i in range(len(PIECES))],
            "normalised": [mean(run[i] for run in normal) for i in range(len(PIECES))],
            "deviation": [deviation(run[i] for run in normal) for i in range(len(PIECES))],
            "by_seed": normal,
            **play_figures(depth_runs),
        }
    matches = []
    for number, games in scale.match_games.items():
        learned = pilot_of(figures[f"depth {number}"]["normalised"])
        for name, values in SETS.items():
            matches.append(Match(f"depth {number}, {name}", learned, pilot_of(values), number, games, RULE))
    return {"values": figures, "matches": measure_matches(harness, matches)}


def order_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """6.5.2 and 6.7."""
    phrases = []
    for name, each in figures["values"].items():
        main = each["normalised"][: len(MAIN)]
        if not is_ascending(main):
            ranked = [piece for _, piece in sorted(zip(main, MAIN, strict=True))]
            phrases.append(f"{name}: {', '.join(ranked)}")
    return not phrases, "; ".join(phrases) or "at every depth"


def promotion_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """6.5.3."""
    found = {name: dict(zip(PIECES, each["normalised"], strict=True)) for name, each in figures["values"].items()}
    holds = all(each["horse"] > each["bishop"] and each["dragon"] > each["rook"] for each in found.values())
    text = ", ".join(f"{name}: horse {each['horse']:.1f}, dragon {each['dragon']:.1f}" for name, each in found.items())
    return holds, text


def ahead_claim(depth: int, opponent: str) -> Claim:
    """Table 6.5, one cell."""
    wins = depth > 1

    def holds(figures: Figures, limit: float) -> tuple[bool, str]:
        result = figures["matches"].get(f"depth {depth}, {opponent}")
        if result is None:
            raise Missing("no match at this depth at this scale")
        text = f"{score_text(result)} in {result['games']} games"
        return (result["score"] > limit if wins else result["interval"][1] >= limit), text

    return Claim(
        f"depth {depth} against {opponent}",
        f"{SEED_SCORES[depth][opponent]:.0%} (table 6.5)",
        "more than {tolerance} of the points" if wins else "not behind: {tolerance} is not above the interval of 95%",
        0.5,
        holds,
    )


CLAIMS = [
    Claim(
        "order of the main pieces",
        "pawn, lance, knight, silver, gold, bishop, rook (6.5.2)",
        "by mean values, at every depth",
        0,
        order_claim,
    ),
    Claim(
        "promoted bishops and rooks",
        "worth substantially more than the others (6.5.3)",
        "horse above bishop and dragon above rook, at every depth",
        0,
        promotion_claim,
    ),
    *(ahead_claim(depth, name) for depth in (1, 2, 3) for name in SETS),
]


def show(harness: Harness, figures: Figures) -> None:
    """Prints our tables beside the seed's."""
    for title, names in (("Main pieces", MAIN), ("Promoted pieces", PROMOTED)):
        rows = []
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
        for name, values in SETS.items():
            rows.append([name, *(f"{value:.2f}" for value in values[span]), "", "", "", ""])
        columns = ["", *(name.replace("promoted_", "+") for name in names), "games", "draws", "plies", "seconds"]
        harness.print_table(f"{title}: learned values (deviation over seeds), rook = 5", columns, rows)

    def seed_score(name: str) -> str:
        depth, opponent = name.removeprefix("depth ").split(", ")
        return f"{SEED_SCORES[int(depth)][opponent]:.0%}"

    show_matches(harness, "Table 6.5: learned values against the sets of table C.3", figures["matches"], seed_score)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    scale = SCALES[options.scale]
    harness = Harness("smith_6", options.scale, threads=options.threads, folder=options.out)
    try:
        figures = measure(harness, scale)
        show(harness, figures)
        pilot = {setting.key: setting.value for setting in pilot_of(SETS["YSS"]).settings()}
        harness.conclude(CLAIMS, figures, settings={"pilot": pilot, **asdict(scale)})
    finally:
        harness.close()


if __name__ == "__main__":
    start(main)
