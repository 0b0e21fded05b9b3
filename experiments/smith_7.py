"""Where chess pieces stand well, from self-play: Smith 1999, chapter 7, tables 7.1 to 7.3 and 7.5, and appendix D.

    python experiments/smith_7.py [--scale quick|full] [--threads N]

Pieces start at 1 and every square at 0. Pawn ranks with rings around the centre (27 weights) and half boards (157) are
learned beside the values of the pieces, then play matches against: the same values without squares (Zero), with random
squares of the learned range, anew for each pair of games (Random), the values of chapter 5 alone (None) and with the
bonuses of an expert (Central, table D.1). LCentral are the learned ranks and rings. As in the seed, noise of a tenth of
a pawn at the root tells games apart (7.4.2), fifty moves end none, and after 400 plies the side wins that both
evaluations say is ahead. The seed learned at depth 4 with a fixed rate of 0.05 in 10,000 games and took the mean of six
runs of 27 weights and of twenty of 157; here a smaller rate and the mean over the last half of the games make up for
fewer runs, and depth 2 is enough: deep searches are not necessary while learning (7.4.2). Matches are at
depth 4, as random squares are worth nothing at less. The learned boards are drawn into results/.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

import plypilot as pp
from harness import Claim, Figures, Harness, mean, read_options, start
from plypilot.boards import find_boards
from plypilot.learn import NO_CHECKS, TD, Fixed, train
from plypilot.play.ratings import Tally, elo, score_of
from plypilot.report.drawing import draw_boards
from plypilot.versions import core_digest
from selfplay import CHESS, Learning, Match, make_pilot, measure_matches, show_matches
from smith_5 import SEED_VALUES

Weights = dict[str, dict[str, float]]
"""Feature set -> feature -> weight, in pawns."""

NOISE = 10
"""Of root moves, in hundredths of a pawn (7.4.2)."""
RATE = 0.02
AVERAGE = 0.5
"""The part of the games over which weights are averaged."""
MATCH_DEPTH = 4
RINGS = ("knight", "bishop", "rook", "queen")
CENTRAL: dict[str, tuple[float, ...]] = {
    "pawn": (0.000, 0.033, 0.100, 0.233, 0.500, 1.000),
    "knight": (0.000, 0.067, 0.133, 0.200),
    "bishop": (0.000, 0.033, 0.067, 0.100),
    "rook": (0.000, 0.000, 0.000, 0.000),
    "queen": (0.000, 0.033, 0.067, 0.100),
}
"""Table D.1: pawns by rank from the second, the others by ring from the edge."""
SEED_COMPOSITE: dict[str, tuple[float, ...]] = {
    "pawn": (1.00, 1.06, 1.17, 1.33, 2.18, 2.96),
    "knight": (2.86, 3.51, 3.62, 4.01),
    "bishop": (3.39, 3.98, 3.98, 4.02),
    "rook": (5.21, 5.72, 5.84, 5.86),
    "queen": (10.31, 10.67, 10.82, 10.72),
}
"""Table 7.2: value and place together, a pawn on its second rank 1."""
SEED_SCORES = {
    "LCentral v None": 0.940,
    "LCentral v Central": 0.619,
    "Central v None": 0.933,
    "Learnt v Random": 0.93,
    "Learnt v Zero": 0.97,
    "Random v Zero": 0.71,
    "Learnt v Central": 0.74,
    "Learnt v LCentral": 0.61,
}
"""Tables 7.3 and 7.5."""


@dataclass(frozen=True)
class Scale:
    """How much is learned and played."""

    depth: int
    """Of learning."""
    ranks_rings: tuple[int, int]
    """Games of a run, and runs."""
    half_board: tuple[int, int]
    match_games: int
    match_depth: int = MATCH_DEPTH
    batch: int = 4

    def runs(self) -> list[Learning]:
        """One a set and a seed."""
        learnings = []
        for name in ("ranks_rings", "half_board"):
            games, seeds = getattr(self, name)
            learner = TD(
                games=games,
                batch=self.batch,
                depth=self.depth,
                step_size=Fixed(rate=RATE),
                average=AVERAGE,
                noise=NOISE,
                counters=False,
                even=False,
                steepness=1.0,
                opening_plies=0,
            )
            sets = {feature_set.name: feature_set for feature_set in pp.game_info("chess").feature_sets}
            features = sets[name].features
            first = with_weights({"material": dict.fromkeys(CHESS, 1.0), name: dict.fromkeys(features, 0.0)})
            learnings += [Learning(name, learner, first, seed) for seed in range(seeds)]
        return learnings


SCALES = {
    "tiny": Scale(1, (8, 1), (8, 2), 4, match_depth=1),
    "quick": Scale(2, (4000, 1), (6000, 1), 200),
    "full": Scale(2, (10_000, 2), (10_000, 4), 1000),
}


def with_weights(weights: Weights) -> pp.Pilot:
    """The engine of chapter 5 with these weights."""
    pilot = make_pilot("chess", dict.fromkeys(CHESS, 1.0), **{"search.root.noise": NOISE})
    scaled = {name: {feature: 100 * value for feature, value in each.items()} for name, each in weights.items()}
    return pilot.model_copy(update={"evaluation": pp.Evaluation.linear("chess", scaled)})


def by_place(table: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """A table by pieces as weights of ranks and rings."""
    return {
        f"{piece}_rank_{number + 2}" if piece == "pawn" else f"{piece}_ring_{number + 1}": value
        for piece, values in table.items()
        for number, value in enumerate(values)
    }


def make_players(rings: Weights, boards: Weights) -> dict[str, pp.Pilot]:
    """All but Random, by the seed's names."""
    values = {"material": dict(zip(CHESS, SEED_VALUES[4], strict=True))}
    return {
        "None": with_weights(values),
        "Central": with_weights(values | {"ranks_rings": by_place(CENTRAL)}),
        "LCentral": with_weights(rings),
        "Learnt": with_weights(boards),
        "Zero": with_weights({"material": boards["material"]}),
    }


def make_random(boards: Weights, seed: int) -> pp.Pilot:
    """The learned values, each piece on squares of chance between the least and the most that it learned."""
    rng = np.random.default_rng([seed, 7])
    squares = boards["half_board"]
    drawn = {}
    for piece in CHESS:
        learned = [value for feature, value in squares.items() if feature.startswith(piece)]
        low, high = min(learned), max(learned)
        drawn |= {feature: rng.uniform(low, high) for feature in squares if feature.startswith(piece)}
    return with_weights({"material": boards["material"], "half_board": drawn})


def learn(harness: Harness, run: Learning) -> Figures:
    """The weights that a run learned, in pawns, and what its games were like."""
    folder = harness.folder / "runs" / harness.name / core_digest()[:8] / f"{run.name}-seed{run.seed}-{run.digest}"
    trained = train(run.learner, run.pilot, folder, seed=run.seed, resume=True, checks=NO_CHECKS)
    weights = trained.pilot.evaluation.named("chess")
    return {
        "weights": {
            name: {key: value / 100 for key, value in by_feature.items()} for name, by_feature in weights.items()
        },
        "draws": sum(int(line["draws"]) for line in trained.metrics) / run.learner.games,
        "plies": sum(int(line["plies"]) for line in trained.metrics) / run.learner.games,
        "learning_seconds": sum(float(line["seconds"]) for line in trained.metrics),
    }


def mean_weights(runs: Sequence[Figures]) -> Weights:
    """The mean of each weight over the runs."""
    return {
        name: {key: mean(run["weights"][name][key] for run in runs) for key in each}
        for name, each in runs[0]["weights"].items()
    }


def play(harness: Harness, scale: Scale, rings: Weights, boards: Weights) -> dict[str, Figures]:
    """All matches of tables 7.3 and 7.5, by name."""
    players = make_players(rings, boards)
    fixed, drawn = [], []
    for name in SEED_SCORES:
        one, other = name.split(" v ")
        if "Random" not in (one, other):
            fixed.append(Match(name, players[one], players[other], scale.match_depth, scale.match_games))
            continue
        for pair in range(scale.match_games // 2):
            chance = make_random(boards, pair)
            sides = [chance if player == "Random" else players[player] for player in (one, other)]
            drawn.append(Match(f"{name} {pair}", sides[0], sides[1], scale.match_depth, 2))
    results = measure_matches(harness, fixed) | _add_up(measure_matches(harness, drawn))
    return {name: results[name] for name in SEED_SCORES}


def _add_up(parts: Mapping[str, Figures]) -> dict[str, Figures]:
    """Pairs of games as one match, by the name without the number."""
    sums: dict[str, Figures] = {}
    for name in dict.fromkeys(key.rpartition(" ")[0] for key in parts):
        pairs = [part for key, part in parts.items() if key.rpartition(" ")[0] == name]
        tally = Tally(**{key: sum(part[key] for part in pairs) for key in ("wins", "draws", "losses")})
        estimate = elo(tally)
        sums[name] = {
            "games": tally.games,
            **asdict(tally),
            "score": tally.score,
            "interval": [score_of(estimate.low), score_of(estimate.high)],
            "plies": mean(part["plies"] for part in pairs),
            "seconds": sum(part["seconds"] for part in pairs),
        }
    return sums


def composite(weights: Weights) -> dict[str, list[float]]:
    """Value and place together, a pawn on its second rank 1 (table 7.2)."""
    places = weights["ranks_rings"]
    pawn = weights["material"]["pawn"] + places["pawn_rank_2"]
    return {
        piece: [
            (weights["material"][piece] + value) / pawn for key, value in places.items() if key.startswith(f"{piece}_")
        ]
        for piece in CHESS
    }


def board(weights: Weights, piece: str) -> NDArray[np.float64]:
    """The half board of a piece, (ranks, files from the edge to the middle); NaN where it never stands."""
    squares = weights["half_board"]
    return np.array([[squares.get(f"{piece}_{file}{rank}", np.nan) for file in "abcd"] for rank in range(1, 9)])


def measure(harness: Harness, scale: Scale) -> Figures:
    """What is learned, and the matches."""
    runs = scale.runs()
    learned = harness.measure(
        "runs", runs, lambda run: [run.name, run.seed, run.digest], lambda run: learn(harness, run)
    )
    by_set = {
        name: [figures for run, figures in zip(runs, learned, strict=True) if run.name == name]
        for name in ("ranks_rings", "half_board")
    }
    rings, boards = mean_weights(by_set["ranks_rings"]), mean_weights(by_set["half_board"])
    pawn = boards["material"]["pawn"]
    return {
        "depth": scale.match_depth,
        "rings": rings,
        "composite": composite(rings),
        "boards": boards,
        "piece_values": [boards["material"][piece] / pawn for piece in CHESS],
        "matches": play(harness, scale, rings, boards),
        "runs": {
            name: {key: mean(run[key] for run in runs) for key in ("draws", "plies", "learning_seconds")}
            for name, runs in by_set.items()
        },
    }


def score_claim(name: str, least: float) -> Claim:
    """One match that must be won by so much."""

    def holds(figures: Figures, tolerance: float) -> tuple[bool, str]:
        found = figures["matches"][name]
        return found["score"] >= tolerance, f"{found['score']:.1%} of {found['games']} games"

    return Claim(name, f"{SEED_SCORES[name]:.0%} (tables 7.3, 7.5)", "at least {tolerance} of the points", least, holds)


def random_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Random squares are better than none."""
    found = figures["matches"]["Random v Zero"]
    near = abs(found["score"] - SEED_SCORES["Random v Zero"]) <= tolerance
    return near, f"{found['score']:.1%} of {found['games']} games"


def composite_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table 7.2."""
    off = [
        f"{piece} {number}: {ours:.2f} beside {theirs:.2f}"
        for piece, values in SEED_COMPOSITE.items()
        for number, (ours, theirs) in enumerate(zip(figures["composite"][piece], values, strict=True), 1)
        if abs(ours / theirs - 1) > tolerance
    ]
    return not off, "; ".join(off) or "all within"


def centre_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Table 7.2, by rows."""
    pawns = figures["composite"]["pawn"]
    advanced = all(low < high for low, high in pairwise(pawns[2:]))
    inner = [piece for piece in RINGS if figures["composite"][piece][3] > figures["composite"][piece][0]]
    text = f"pawns {' '.join(f'{value:.2f}' for value in pawns)}; better in the centre: {', '.join(inner) or 'none'}"
    return advanced and len(inner) == len(RINGS), text


def knight_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figure 7.7."""
    knight = board(figures["boards"], "knight")
    middle = float(knight[2:6, 2:].mean())
    edge = float(np.concatenate([knight[0], knight[7], knight[1:7, 0]]).mean())
    bishop = board(figures["boards"], "bishop")
    spread = float(knight.std()), float(bishop.std())
    text = f"c3 to f6 {middle:.2f}, edge {edge:.2f}; deviation {spread[0]:.2f}, of bishops {spread[1]:.2f}"
    return middle > edge and spread[0] > spread[1], text


def rook_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figure 7.9."""
    ranks = board(figures["boards"], "rook").mean(axis=1)
    seventh = bool(ranks[6] > ranks[:6].max())
    return seventh, f"by rank {' '.join(f'{value:.2f}' for value in ranks)}"


def pawn_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figure 7.6."""
    ranks = board(figures["boards"], "pawn")[1:7].mean(axis=1)
    rising = all(low < high for low, high in pairwise(ranks[2:]))
    return rising, f"by rank {' '.join(f'{value:.2f}' for value in ranks)}"


CLAIMS = [
    score_claim("Learnt v Zero", 0.90),
    score_claim("Learnt v Random", 0.85),
    score_claim("Learnt v Central", 0.60),
    Claim("Random v Zero", "71% (table 7.5)", "within {tolerance} of it", 0.1, random_claim),
    score_claim("LCentral v Central", 0.55),
    score_claim("Learnt v LCentral", 0.52),
    score_claim("LCentral v None", 0.85),
    score_claim("Central v None", 0.85),
    Claim("ranks and rings", "table 7.2", "each within {tolerance} of the seed's", 0.3, composite_claim),
    Claim(
        "pawns forward, pieces to the centre",
        "pawns gain with every rank, pieces do better in the centre (7.2.2)",
        "pawns rise from rank 4 to 7; ring 4 above ring 1 for every piece",
        0,
        centre_claim,
    ),
    Claim(
        "knights belong in the centre",
        "the centre is desirable, and more so for knights than for bishops (figures 7.7, 7.8)",
        "mean of c3 to f6 above that of the edge; deviation over the board above that of bishops",
        0,
        knight_claim,
    ),
    Claim("rooks on the seventh", "well placed there (figure 7.9)", "mean of rank 7 above ranks 1 to 6", 0, rook_claim),
    Claim("pawns are to advance", "generally rewarded (figure 7.6)", "means rise from rank 4 to 7", 0, pawn_claim),
]


def show(harness: Harness, figures: Figures) -> None:
    """Prints our tables beside the seed's, and draws the half boards."""
    rows = []
    for piece in CHESS:
        rows.append([f"{piece} ours", *(f"{value:.2f}" for value in figures["composite"][piece])])
        rows.append([" the seed", *(f"{value:.2f}" for value in SEED_COMPOSITE[piece])])
    width = max(len(row) for row in rows)
    rows = [[*row, *[""] * (width - len(row))] for row in rows]
    columns = ["value and place", *(f"rank {i + 2}, ring {i + 1}" if i < 4 else f"rank {i + 2}" for i in range(6))]
    harness.print_table("Table 7.2: a pawn on its second rank is 1", columns, rows)
    for piece in CHESS:
        values = board(figures["boards"], piece) / figures["boards"]["material"]["pawn"]
        lines = [
            [f"{rank + 1}", *("" if np.isnan(value) else f"{value:.2f}" for value in values[rank])]
            for rank in reversed(range(8))
            if not np.isnan(values[rank]).all()
        ]
        harness.print_table(f"Table D.3: {piece}, a pawn being 1", ["rank", "a, h", "b, g", "c, f", "d, e"], lines)
    title = f"Tables 7.3, 7.5: matches at depth {figures['depth']}"
    show_matches(harness, title, figures["matches"], lambda name: f"{SEED_SCORES[name]:.1%}")
    harness.draw(lambda: draw_boards(find_boards(figures["boards"]["half_board"], 8, 8)))


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    scale = SCALES[options.scale]
    harness = Harness("smith_7", options.scale, threads=options.threads, folder=options.out)
    try:
        figures = measure(harness, scale)
        show(harness, figures)
        learners = {run.name: json.loads(run.learner.model_dump_json()) for run in scale.runs()}
        harness.conclude(CLAIMS, figures, settings={"learners": learners, **asdict(scale)})
    finally:
        harness.close()


if __name__ == "__main__":
    start(main)
