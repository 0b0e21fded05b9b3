"""Chess piece values from self-play: Smith 1999, chapter 5, tables 5.4 to 5.6.

    python experiments/smith_5.py [--scale quick|full] [--threads N]

All pieces start at 1. Each depth is learned with several seeds; the values are means over the last fifth of the games,
then over the seeds, and play a match against 1:3:3:5:9 at the depth they were learned at. The seed learned with a fixed
rate of 0.05 in 10,000 games; here temporal coherence with c = 0.2 learns in fewer, and at full scale depth 4 is also
learned in the seed's way. Games are started from the usual position and differ by the random order of equal moves;
those unfinished after 400 plies are won by the side that both evaluations say is ahead (5.3.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import plypilot as pp
from lab import Claim, Figures, Lab, Missing, deviation, mean, read_options, start
from plypilot.learn.runner import train
from plypilot.learn.steps import AnyStepRule, Fixed, TemporalCoherence
from plypilot.learn.td import TD
from plypilot.play.adjudication import Adjudication
from plypilot.searcher import Limit

PIECES = ("pawn", "knight", "bishop", "rook", "queen")
STANDARD = {"pawn": 100, "knight": 300, "bishop": 300, "rook": 500, "queen": 900}
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
RULE = Adjudication(most_plies=400, at_length="agreed")


@dataclass(frozen=True)
class Learning:
    """How one depth is learned."""

    depth: int
    games: int
    seeds: int
    step: str = "temporal-coherence"

    def rule(self) -> AnyStepRule:
        """The step sizes."""
        return TemporalCoherence(rate=0.2) if self.step == "temporal-coherence" else Fixed(rate=0.05)


@dataclass(frozen=True)
class Scale:
    """How much is learned and played."""

    learnings: tuple[Learning, ...]
    match_games: dict[int, int]
    """By depth."""
    batch: int = 4


SCALES = {
    "tiny": Scale((Learning(1, 8, 1),), {1: 4}),
    "quick": Scale((Learning(1, 2000, 2), Learning(2, 1000, 2), Learning(3, 400, 1)), {1: 400, 2: 400, 3: 200}),
    "full": Scale(
        (
            Learning(1, 5000, 5),
            Learning(2, 2000, 5),
            Learning(3, 1500, 5),
            Learning(4, 1000, 5),
            Learning(5, 1000, 1),
            Learning(6, 1000, 1),
            Learning(4, 10_000, 1, "fixed"),
        ),
        {1: 2000, 2: 2000, 3: 2000, 4: 2000},
    ),
}


def make_pilot(values: dict[str, float]) -> pp.Pilot:
    """The seed's engine (4.1): full width, a table, history, captures first, captures-only quiescence, material."""
    pilot = pp.Pilot(game="chess", evaluation=pp.Evaluation.linear("chess", {"material": values}))
    return pilot.replace(
        {
            "search.quiescence.on": True,
            "search.table.log2_entries": 14,
            "search.table.probes": 4,
            "search.window.kind": "pvs",
            "ordering.table_move": True,
            "ordering.captures": True,
            "ordering.history": True,
            "ordering.shuffle": True,
        }
    )


def learn(lab: Lab, learning: Learning, seed: int, batch: int) -> Figures:
    """One run: the learned values in pawns, and a few of the trace."""
    learner = TD(games=learning.games, batch=batch, depth=learning.depth, first_weight=1.0, step_size=learning.rule())
    name = f"{learning.step}-depth{learning.depth}-{learning.games}-seed{seed}"
    folder = lab.folder / "runs" / lab.name / name
    run = train(learner, make_pilot(STANDARD), folder, seed=seed, resume=True)
    values = run.pilot.evaluation.named("chess")["material"]
    return {
        "values": [values[piece] / 100 for piece in PIECES],
        "draws": mean(float(each["draws"]) for each in run.metrics) / batch,
        "plies": mean(float(each["plies"]) for each in run.metrics) / batch,
        "learning_seconds": sum(float(each["seconds"]) for each in run.metrics),
        "folder": str(Path(folder).name),
    }


def play(depth: int, values: Sequence[float], games: int) -> Figures:
    """The match of learned values against 1:3:3:5:9."""
    learned = make_pilot({piece: 100 * value for piece, value in zip(PIECES, values, strict=True)})
    found = pp.match(
        pp.Contestant("learned", learned),
        pp.Contestant("1:3:3:5:9", make_pilot(STANDARD)),
        "chess",
        games=games,
        limit=Limit(depth=depth),
        openings="start",
        adjudication=RULE,
        seed=depth,
    )
    content = found.content()
    return {key: content[key] for key in ("games", "wins", "draws", "losses", "score", "elo")}


def measure(lab: Lab, scale: Scale) -> Figures:
    """Values and matches by depth."""
    items = [(learning, seed) for learning in scale.learnings for seed in range(learning.seeds)]
    found = lab.measure(
        "runs",
        items,
        lambda item: [asdict(item[0]), item[1], scale.batch],
        lambda item: learn(lab, *item, scale.batch),
    )
    depths: Figures = {}
    for learning in scale.learnings:
        runs = [each for item, each in zip(items, found, strict=True) if item[0] == learning]
        normal = [[value / run["values"][0] for value in run["values"]] for run in runs]
        key = str(learning.depth) if learning.step == "temporal-coherence" else f"{learning.depth} {learning.step}"
        depths[key] = {
            "absolute": [mean(run["values"][i] for run in runs) for i in range(len(PIECES))],
            "normalised": [mean(run[i] for run in normal) for i in range(len(PIECES))],
            "deviation": [deviation(run[i] for run in normal) for i in range(len(PIECES))],
            "by_seed": normal,
            "games": learning.games,
            "draws": mean(run["draws"] for run in runs),
            "plies": mean(run["plies"] for run in runs),
            "learning_seconds": sum(run["learning_seconds"] for run in runs),
        }
    matches = [(depth, games) for depth, games in scale.match_games.items()]
    results = lab.measure(
        "matches",
        matches,
        lambda item: [*item, depths[str(item[0])]["absolute"]],
        lambda item: play(item[0], depths[str(item[0])]["absolute"], item[1]),
    )
    return {"depths": depths, "matches": {str(depth): each for (depth, _), each in zip(matches, results, strict=True)}}


def order_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Queen, rook, bishop, knight, pawn."""
    wrong = [
        key
        for key, each in figures["depths"].items()
        if not all(low < high for low, high in zip(each["normalised"], each["normalised"][1:], strict=False))
    ]
    return not wrong, "at every depth" if not wrong else f"not at depth {', '.join(wrong)}"


def values_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Tables 5.4 and 5.5."""
    off, phrases = [], []
    for key, each in figures["depths"].items():
        seed = SEED_VALUES[int(key.split()[0])]
        for piece, ours, theirs in zip(PIECES, each["normalised"], seed, strict=True):
            if abs(ours / theirs - 1) > tolerance:
                off.append(key)
                phrases.append(f"depth {key} {piece} {ours:.2f} beside {theirs:.2f}")
    return not off, "; ".join(phrases) or "all within"


def score_claim(depth: int) -> Claim:
    """Table 5.6, one row."""

    def holds(figures: Figures, least: float) -> tuple[bool, str]:
        if str(depth) not in figures["matches"]:
            raise Missing("no match at this depth at this scale")
        found = figures["matches"][str(depth)]
        return found["score"] > least, f"{found['score']:.1%} of {found['games']} games"

    return Claim(
        f"learned values at depth {depth}",
        f"{SEED_SCORES[depth]:.0%} against 1:3:3:5:9 (table 5.6)",
        "more than {tolerance} of the points",
        LEAST_SCORES[depth],
        holds,
    )


CLAIMS = [
    Claim("order of the pieces", "queen, rook, bishop, knight, pawn (5.4)", "by mean values", 0, order_claim),
    Claim("values", "tables 5.4 and 5.5", "each normalised value within {tolerance} of the seed's", 0.2, values_claim),
    *(score_claim(depth) for depth in LEAST_SCORES),
]


def show(lab: Lab, figures: Figures) -> None:
    """Prints our tables beside the seed's."""
    rows = []
    for key, each in figures["depths"].items():
        ours = [
            f"{value:.2f} ({spread:.2f})" for value, spread in zip(each["normalised"], each["deviation"], strict=True)
        ]
        seconds = f"{each['learning_seconds']:.0f}"
        rows.append([f"{key} ours", *ours, each["games"], f"{each['draws']:.0%}", f"{each['plies']:.0f}", seconds])
        rows.append([" seed", *(f"{value:.2f}" for value in SEED_VALUES[int(key.split()[0])]), 10000, "", "", ""])
    columns = ["depth", *PIECES, "games", "draws", "plies", "seconds"]
    lab.print_table("Tables 5.4, 5.5: learned values (deviation over seeds), pawn = 1", columns, rows)
    rows = [
        [depth, each["games"], each["wins"], each["losses"], each["draws"], f"{each['score']:.1%}",
         f"{each['elo']['value']:+.0f} [{each['elo']['low']:+.0f}, {each['elo']['high']:+.0f}]",
         f"{SEED_SCORES[int(depth)]:.0%}"]
        for depth, each in figures["matches"].items()
    ]  # fmt: skip
    columns = ["depth", "games", "won", "lost", "drawn", "score", "Elo", "seed"]
    lab.print_table("Table 5.6: learned values against 1:3:3:5:9", columns, rows)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    scale = SCALES[options.scale]
    lab = Lab("smith_5", options.scale, threads=options.threads, folder=options.out)
    try:
        figures = measure(lab, scale)
        show(lab, figures)
        base = make_pilot(STANDARD)
        settings = {"pilot": {each.key: each.value for each in base.settings()}, **asdict(scale)}
        lab.conclude(CLAIMS, figures, settings=settings)
    finally:
        lab.close()


if __name__ == "__main__":
    start(main)
