"""Chess piece values from self-play: Smith 1999, chapter 5, tables 5.4 to 5.6.

    python experiments/smith_5.py [--scale quick|full|deep] [--threads N]

All pieces start at 1. Each depth is learned with several seeds; the values are means over the last fifth of the games,
then over the seeds, and play a match against 1:3:3:5:9 at the depth they were learned at. The seed learned with a fixed
rate of 0.05 in 10,000 games; here temporal coherence learns in fewer, and at full scale some depths are also learned in
the seed's way. Games are started from the usual position and differ by the random choice of equal moves. They are drawn
by stalemate, repetition and lack of material, not by fifty moves; those unfinished after 400 plies are won by the side
that both evaluations say is ahead (5.3.4). Depths 5 and 6 take an hour more and are a scale of their own, deep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from harness import Claim, Figures, Harness, Missing, deviation, mean, read_options, start
from plypilot.learn.steps import AnyStepRule, Fixed, TemporalCoherence
from plypilot.learn.td import TD
from selfplay import (
    CHESS,
    NOISE,
    STANDARD,
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

SEED_VALUES = {
    1: (1.00, 1.86, 2.11, 3.34, 7.26),
    2: (1.00, 2.75, 3.52, 4.84, 11.04),
    3: (1.00, 1.75, 2.31, 3.88, 8.08),
    4: (1.00, 2.72, 3.38, 4.97, 11.49),
    5: (1.00, 2.14, 2.49, 4.06, 8.11),
    6: (1.00, 2.91, 3.49, 5.08, 10.68),
}
"""Tables 5.4 and 5.5, normalised to a pawn of 1."""
SEED_SCORES = {1: 0.54, 2: 0.54, 3: 0.60, 4: 0.59, 5: 0.63, 6: 0.62}
"""Table 5.6: against 1:3:3:5:9."""
LEAST_SCORES = {1: 0.522, 2: 0.522, 3: 0.56, 4: 0.56}
"""At depths 1 and 2 more than chance would give in 2,000 games; deeper, near the seed's."""
COHERENT, FIXED = "temporal coherence", "fixed 0.05"
STEPS: dict[str, AnyStepRule] = {COHERENT: TemporalCoherence(rate=0.2), FIXED: Fixed(rate=0.05)}


@dataclass(frozen=True)
class Depth:
    """How one depth is learned."""

    depth: int
    games: int
    seeds: int
    step: str = COHERENT

    @property
    def name(self) -> str:
        """As the tables have it."""
        return f"depth {self.depth}" + ("" if self.step == COHERENT else f", {self.step}")

    def runs(self, batch: int) -> list[Learning]:
        """One a seed."""
        learner = TD(
            games=self.games,
            batch=batch,
            depth=self.depth,
            first_weight=1.0,
            step_size=STEPS[self.step],
            counters=False,
            noise=NOISE,
            even=False,
            steepness=1.0,
            opening_plies=0,
        )
        return [Learning(self.name, learner, make_pilot("chess", STANDARD), seed) for seed in range(self.seeds)]


@dataclass(frozen=True)
class Scale:
    """How much is learned and played."""

    depths: tuple[Depth, ...]
    match_games: dict[int, int]
    """By depth."""
    batch: int = 4


SCALES = {
    "tiny": Scale((Depth(1, 8, 2),), {1: 4}),
    "quick": Scale((Depth(1, 2000, 2), Depth(2, 1500, 2), Depth(3, 400, 1)), {1: 1000, 2: 600, 3: 200}),
    "full": Scale(
        (
            Depth(1, 5000, 5),
            Depth(2, 2000, 5),
            Depth(3, 1500, 5),
            Depth(4, 1000, 5),
            Depth(1, 10_000, 1, FIXED),
            Depth(2, 10_000, 1, FIXED),
            Depth(4, 10_000, 1, FIXED),
        ),
        {1: 2000, 2: 2000, 3: 2000, 4: 2000},
    ),
    "deep": Scale((Depth(5, 1000, 1), Depth(6, 1000, 1)), {}),
}


def measure(harness: Harness, scale: Scale) -> Figures:
    """Values and matches by depth."""
    runs = [run for depth in scale.depths for run in depth.runs(scale.batch)]
    grouped = group(runs, measure_runs(harness, runs))
    figures: Figures = {}
    for depth in scale.depths:
        depth_runs = grouped[depth.name]
        normal = [[value / run["values"][0] for value in run["values"]] for run in depth_runs]
        figures[depth.name] = {
            "depth": depth.depth,
            "games": depth.games,
            "absolute": [mean(run["values"][i] for run in depth_runs) for i in range(len(CHESS))],
            "normalised": [mean(run[i] for run in normal) for i in range(len(CHESS))],
            "deviation": [deviation(run[i] for run in normal) for i in range(len(CHESS))],
            "by_seed": normal,
            **play_figures(depth_runs),
        }
    standard = make_pilot("chess", STANDARD)
    matches = []
    for number, games in scale.match_games.items():
        values = dict(zip(CHESS, figures[f"depth {number}"]["normalised"], strict=True))
        matches.append(Match(f"depth {number}", make_pilot("chess", values), standard, number, games))
    return {"values": figures, "matches": measure_matches(harness, matches)}


def order_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Queen, rook, bishop, knight, pawn."""
    wrong = [name for name, each in figures["values"].items() if not is_ascending(each["normalised"])]
    return not wrong, f"not at {', '.join(wrong)}" if wrong else "at every depth"


def values_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Tables 5.4 and 5.5."""
    phrases = []
    for name, each in figures["values"].items():
        for piece, ours, theirs in zip(CHESS, each["normalised"], SEED_VALUES[each["depth"]], strict=True):
            if abs(ours / theirs - 1) > tolerance:
                phrases.append(f"{name} {piece} {ours:.2f} beside {theirs:.2f}")
    return not phrases, "; ".join(phrases) or "all within"


def score_claim(depth: int) -> Claim:
    """Table 5.6, one row."""

    def holds(figures: Figures, least: float) -> tuple[bool, str]:
        if f"depth {depth}" not in figures["matches"]:
            raise Missing("no match at this depth at this scale")
        result = figures["matches"][f"depth {depth}"]
        return result["score"] >= least, f"{score_text(result)} in {result['games']} games"

    return Claim(
        f"learned values at depth {depth}",
        f"{SEED_SCORES[depth]:.0%} against 1:3:3:5:9 (table 5.6)",
        "at least {tolerance} of the points",
        LEAST_SCORES[depth],
        holds,
    )


def time_claim(figures: Figures, most: float) -> tuple[bool, str]:
    """How long 10,000 games at depth 4 take."""
    found = figures["values"].get(f"depth 4, {FIXED}")
    if found is None:
        raise Missing("not learned at this scale")
    return found["learning_seconds"] < most, f"{found['learning_seconds']:.0f} s"


CLAIMS = [
    Claim("order of the pieces", "queen, rook, bishop, knight, pawn (5.4)", "by mean values", 0, order_claim),
    Claim("values", "tables 5.4 and 5.5", "each normalised value within {tolerance} of the seed's", 0.2, values_claim),
    *(score_claim(depth) for depth in LEAST_SCORES),
    Claim(
        "10,000 games at depth 4",
        "does not tell how long they took",
        "learned in less than {tolerance} s",
        7200,
        time_claim,
    ),
]


def show(harness: Harness, figures: Figures) -> None:
    """Prints our tables beside the seed's."""
    rows = []
    for name, row in figures["values"].items():
        ours = [
            f"{value:.2f} ({spread:.2f})" for value, spread in zip(row["normalised"], row["deviation"], strict=True)
        ]
        games = f"{row['seeds']} x {row['games']}"
        play = [f"{row['draws']:.0%}", f"{row['plies']:.0f}", f"{row['learning_seconds']:.0f}"]
        rows.append([name, *ours, games, *play])
        rows.append(["  the seed", *(f"{value:.2f}" for value in SEED_VALUES[row["depth"]]), "5 x 10000", "", "", ""])
    columns = ["", *CHESS, "games", "draws", "plies", "seconds"]
    harness.print_table("Tables 5.4, 5.5: learned values (deviation over seeds), pawn = 1", columns, rows)
    title = "Table 5.6: learned values against 1:3:3:5:9"
    show_matches(harness, title, figures["matches"], lambda name: f"{SEED_SCORES[int(name.split()[1])]:.0%}")


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    scale = SCALES[options.scale]
    harness = Harness("smith_5", options.scale, threads=options.threads, folder=options.out)
    try:
        figures = measure(harness, scale)
        show(harness, figures)
        pilot = make_pilot("chess", STANDARD)
        settings = {"pilot": {setting.key: setting.value for setting in pilot.settings()}, **asdict(scale)}
        harness.conclude(CLAIMS, figures, settings=settings)
    finally:
        harness.close()


if __name__ == "__main__":
    start(main)
