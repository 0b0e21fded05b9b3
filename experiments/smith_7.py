"""Where chess pieces stand well, from self-play: Smith 1999, chapter 7 with its tables and figures, and appendix D.

    python experiments/smith_7.py [--scale quick|full|PART] [--threads N]

Pieces start at 1 and every square at 0. Pawn ranks alone (11 weights, 7.2.1), pawn ranks with rings around the centre
(27), half boards (157) and full boards (309) are learned beside the values of the pieces. Those of rings and of half
boards then play matches against: the same values without squares (Zero), with random squares, anew for each pair of
games (Random), the values of chapter 5 alone (None) and with the bonuses of an expert (Central, table D.1). LCentral
are the learned ranks and rings. As in the seed learning is at depth 4 with a fixed rate of 0.05, fifty moves end no
game, and after 400 plies the side wins that both evaluations say is ahead; there are three runs of 5,000 games where it
has six and twenty of 10,000 (two of full boards, one of 3,000 games of pawn ranks), and the mean over their last half
makes up for that. Matches are at depth 4 and have 1,000 games.

Noise of a tenth of a pawn on the scores of the root tells games apart (7.4.2): of the player's own pawn, which for
learned weights is what a pawn is worth where it stands, by the frequencies of table 7.4. In learning it is 4 hundredths
of the weight of a pawn, which comes to be about twice as large as what pawns are worth where they stand. Tables are
emptied before each move: entries of moves before hide that a position repeats.

"A range similar to those found in the learnt values" (7.4.1) is read as that of values as they occur: random squares of
a piece are uniform around 0, so that "the same piece values" are the same in effect, with the deviation of its learned
squares by the frequencies of table 7.4, spread evenly over the squares of a rank or ring. From the least to the most,
which the rare rank 7 sets, they play much worse than no squares, and around the mean of learned squares no better, as
that halves the pawn.

The steepness of the squashing is learned beside material alone, from 1 and from 0.5 with the same seed (figure 7.15).

Parts, in minutes on two cores: rings 32, half 20, full-board 11, matches 8, steepness 2; and with one run, which takes
one core: ranks 10.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np

import plypilot as pp
from harness import Claim, Figures, Harness, Missing, deviation, mean
from intervals import judge_score
from parts import Experiment
from plypilot.learn import NO_CHECKS, train
from plypilot.play.arena import Arena, Task
from plypilot.play.ratings import Tally, elo, score_of
from plypilot.searcher import Limit
from plypilot.versions import core_digest
from selfplay import (
    CHESS,
    CHESS_RULE,
    STANDARD,
    Learning,
    Match,
    make_learner,
    make_pilot,
    measure_matches,
    score_text,
    thin,
)
from smith_5 import SEED_VALUES
from square_tables import draw, show
from square_weights import (
    CENTRAL,
    FREQUENCIES,
    RANKS,
    RINGS,
    SEED_COMPOSITE,
    SEED_MATCHES,
    SEED_PIECES,
    Weights,
    board,
    by_place,
    composite,
    place_frequencies,
    places,
    seed_half_board,
    seed_rings,
    typical_values,
)

NOISE = 10
"""Of root moves, in hundredths of the player's own pawn (7.4.2)."""
LEARNING_NOISE = 4
"""In hundredths of the weight of a pawn."""
AVERAGE = 0.5
"""The part of the games over which weights are averaged."""
MATCH_DEPTH = 4
FIRST_STEEPNESS = (1.0, 0.5)
COUNTED_GAMES = 100
"""In which it is counted where pieces stand (table 7.4)."""
SOON = 1000
"""Games after which pawns that have come far are worth more: the seed says "quickly" of its 10,000."""
BLOCK = 100
"""Games whose mean weights are looked at."""


@dataclass(frozen=True)
class Scale:
    """How much is learned and played."""

    depth: int = 4
    """Of learning."""
    sets: tuple[tuple[str, int, int], ...] = ()
    """Feature sets with the games of a run, and runs."""
    steepness_games: int = 0
    """Of each run that learns the steepness, at depth 2."""
    match_games: int = 0
    match_depth: int = MATCH_DEPTH
    counted_games: int = 0

    def runs(self) -> list[Learning]:
        """One a set and a seed."""
        learnings = []
        features = {each.name: each.features for each in pp.game_info("chess").feature_sets}
        for name, games, seeds in self.sets:
            learner = make_learner(
                games=games, depth=self.depth, average=AVERAGE, noise=LEARNING_NOISE, first_weight=None
            )
            first = with_weights({"material": dict.fromkeys(CHESS, 1.0), name: dict.fromkeys(features[name], 0.0)})
            learnings += [Learning(name, learner, first, seed) for seed in range(seeds)]
        for first_steepness in FIRST_STEEPNESS if self.steepness_games else ():
            learner = make_learner(games=self.steepness_games, depth=2, learn_steepness=True, steepness=first_steepness)
            learnings.append(Learning(f"steepness {first_steepness:g}", learner, make_pilot("chess", STANDARD), 0))
        return learnings


SCALES = {
    "tiny": Scale(1, ((RANKS, 8, 1), ("ranks_rings", 8, 1), ("half_board", 8, 2), ("full_board", 4, 2)), 8, 4, 1, 2),
    "quick": Scale(
        2, ((RANKS, 2000, 1), ("ranks_rings", 3000, 1), ("half_board", 3000, 1)), 1000, 100, MATCH_DEPTH, 20
    ),
}
PARTS = {
    "ranks": Scale(sets=((RANKS, 3000, 1),)),
    "rings": Scale(sets=(("ranks_rings", 5000, 3),)),
    "half": Scale(sets=(("half_board", 5000, 3),)),
    "full-board": Scale(sets=(("full_board", 5000, 2),)),
    "matches": Scale(match_games=1000, counted_games=COUNTED_GAMES),
    "steepness": Scale(steepness_games=3000),
}


def with_weights(weights: Weights) -> pp.Pilot:
    """The engine of chapter 5 with these weights; its noise is a part of what a pawn is worth by them."""
    pilot = make_pilot("chess", dict.fromkeys(CHESS, 1.0), **{"search.root.noise": NOISE})
    scaled = {name: {feature: 100 * value for feature, value in each.items()} for name, each in weights.items()}
    evaluation = pp.Evaluation.linear("chess", scaled)
    pawn = float(np.clip(100 * typical_values(weights)["pawn"], 1, 1000))
    return pilot.model_copy(update={"evaluation": evaluation.model_copy(update={"pawn": pawn})})


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
    """The learned values, with squares of chance around 0 that have the deviation of what was learned, as it occurs."""
    rng = np.random.default_rng([seed, 7])
    drawn = {}
    for piece in CHESS:
        features = [feature for feature in boards["half_board"] if feature.startswith(f"{piece}_")]
        learned = np.array([boards["half_board"][feature] for feature in features])
        frequencies = place_frequencies(piece, features)
        middle = float(frequencies @ learned)
        reach = float(np.sqrt(3 * (frequencies @ (learned - middle) ** 2)))  # that of a uniform distribution
        drawn |= {feature: rng.uniform(-reach, reach) for feature in features}
    return with_weights({"material": boards["material"], "half_board": drawn})


def learn(harness: Harness, run: Learning) -> Figures:
    """The weights that a run learned, in pawns, and what its games were like."""
    folder = harness.folder / "runs" / harness.name / core_digest()[:8] / f"{run.name}-seed{run.seed}-{run.digest}"
    trained = train(run.learner, run.pilot, folder, seed=run.seed, resume=True, checks=NO_CHECKS)
    weights = trained.pilot.evaluation.named("chess")
    steepness = np.array([[float(line["steepness"])] for line in trained.metrics])
    games = np.minimum(np.arange(1, len(steepness) + 1) * run.learner.batch, run.learner.games)
    traces = trained.traces
    assert traces is not None
    ranks = [place for place, name in enumerate(traces.names) if name.startswith(RANKS)]
    return {
        "weights": {
            name: {key: round(value / 100, 5) for key, value in by_feature.items()}
            for name, by_feature in weights.items()
        },
        "steepness": thin(games, steepness) if run.learner.learn_steepness else None,
        "trace": thin(traces.steps * run.learner.batch, traces.values[:, ranks]) if ranks else None,
        "games": run.learner.games,
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
    for name in SEED_MATCHES:
        one, other = name.split(" v ")
        if "Random" not in (one, other):
            fixed.append(Match(name, players[one], players[other], scale.match_depth, scale.match_games))
            continue
        for pair in range(scale.match_games // 2):
            chance = make_random(boards, pair)
            sides = [chance if player == "Random" else players[player] for player in (one, other)]
            drawn.append(Match(f"{name} {pair}", sides[0], sides[1], scale.match_depth, 2, number=2 * pair))
    results = measure_matches(harness, fixed) | _add_up(measure_matches(harness, drawn))
    return {name: results[name] for name in SEED_MATCHES}


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


def count_places(harness: Harness, scale: Scale, rings: Weights) -> Figures:
    """Table 7.4: shares of the places of each piece, over all positions of games at the depth of learning, by what was
    learned there.
    """

    def work(seed: int) -> Figures:
        arena = Arena(
            "chess",
            [with_weights(rings)],
            Limit(depth=scale.depth),
            adjudication=CHESS_RULE,
            ends_by_counters=False,
            fresh=True,
        )
        played = harness.play(arena, [Task(pp.Position("chess"), seed)])
        position, counts = pp.Position("chess"), Counter[str]()
        for move in played.moves[0].split():
            position.push(move)
            counts.update(places(position.fen()))
        return {"counts": dict(counts)}

    numbers = range(scale.counted_games)
    identity = with_weights(rings).digest[:16]
    found = harness.measure("places", numbers, lambda number: [number, identity, scale.depth], work)
    total: Counter[str] = Counter()
    for each in found:
        total.update(each["counts"])
    return {
        piece: [
            round(100 * total[f"{piece}_{place}"] / max(sum(total[f"{piece}_{i}"] for i in range(8)), 1), 2)
            for place in range(len(shares))
        ]
        for piece, shares in FREQUENCIES.items()
    }


def measure(harness: Harness, scale: Scale) -> Figures:
    """What is learned, by set and seed, and the matches."""
    runs = scale.runs()
    learned = harness.measure(
        "runs", runs, lambda run: [run.name, run.seed, run.digest], lambda run: learn(harness, run)
    )
    by_set: Figures = {}
    for run, found in zip(runs, learned, strict=True):
        by_set.setdefault(run.name, {})[str(run.seed)] = found
    measured: Figures = {"runs": by_set}
    if scale.match_games:
        known = {**harness.before.get("runs", {}), **by_set}
        if not {"ranks_rings", "half_board"} <= set(known):
            raise SystemExit("smith_7: matches need the parts rings and half; measure them first")
        rings, boards = (mean_weights(list(known[name].values())) for name in ("ranks_rings", "half_board"))
        measured |= {
            "matches": play(harness, scale, rings, boards),
            "depth": scale.match_depth,
            "frequencies": count_places(harness, scale, rings),
        }
    return measured


def summarise(measured: Figures) -> Figures:
    """Our tables, of what there is."""
    found = {name: list(by_seed.values()) for name, by_seed in measured["runs"].items()}
    figures: Figures = {
        "runs": {
            name: {key: mean(run[key] for run in runs) for key in ("games", "draws", "plies", "learning_seconds")}
            | {"seeds": len(runs)}
            for name, runs in found.items()
        },
        "matches": measured.get("matches", {}),
        "depth": measured.get("depth"),
        "frequencies": measured.get("frequencies"),
    }
    if RANKS in found:
        figures |= {"ranks": mean_weights(found[RANKS]), "rank_traces": [run["trace"] for run in found[RANKS]]}
    if "ranks_rings" in found:
        rings = mean_weights(found["ranks_rings"])
        figures |= {"rings": rings, "composite": composite(rings), "typical": typical_values(rings)}
    for key, name in (("boards", "half_board"), ("full", "full_board")):
        if name in found:
            by_seed = [normalised(run["weights"]["material"]) for run in found[name]]
            figures[key] = mean_weights(found[name])
            figures[f"{key}_pieces"] = [mean(piece) for piece in zip(*by_seed, strict=True)]
            figures[f"{key}_spreads"] = [deviation(piece) for piece in zip(*by_seed, strict=True)]
    if "full_board" in found:
        figures["queens"] = [
            {key: value for key, value in run["weights"]["full_board"].items() if key.startswith("queen_")}
            for run in found["full_board"]
        ]
    figures["steepness"] = {
        name: runs[0]["steepness"] | {"values_of_pieces": list(runs[0]["weights"]["material"].values())}
        for name, runs in found.items()
        if name.startswith("steepness")
    }
    return figures


def normalised(material: Mapping[str, float]) -> list[float]:
    """The values of the pieces, a pawn being 1."""
    return [material[piece] / material["pawn"] for piece in CHESS]


def need(figures: Figures, name: str) -> Figures:
    """A part of the figures. Raises Missing."""
    if not figures.get(name):
        raise Missing(f"{name} are not learned at this scale")
    return dict(figures[name])


def score_claim(name: str) -> Claim:
    """One match that must be won by more than half of the seed's lead."""
    wins, draws, _ = seed = SEED_MATCHES[name]
    score = (wins + draws / 2) / sum(seed)

    def holds(figures: Figures, bound: float) -> tuple[bool | None, str]:
        found = figures["matches"].get(name)
        if found is None:
            raise Missing("no such match at this scale")
        return judge_score(found, seed, bound), f"{score_text(found)} of {found['games']} games"

    return Claim(
        name,
        f"{score:.1%} (tables 7.3, 7.5)",
        "more than {tolerance:.1%}, which is half of the seed's lead, at 95%; or the seed's within the errors of both",
        round((0.5 + score) / 2, 3),
        holds,
    )


def composite_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table 7.2."""
    ours_by_piece = need(figures, "composite")
    off = [
        f"{piece} {number}: {ours:.2f} beside {theirs:.2f}"
        for piece, values in SEED_COMPOSITE.items()
        for number, (ours, theirs) in enumerate(zip(ours_by_piece[piece], values, strict=True), 1)
        if abs(ours / theirs - 1) > tolerance
    ]
    return not off, "; ".join(off) or "all within"


def typical_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 7.4."""
    ours, theirs = need(figures, "typical"), typical_values(seed_rings())
    told = {piece: (ours[piece] / ours["pawn"], theirs[piece] / theirs["pawn"]) for piece in CHESS[1:]}
    text = ", ".join(f"{piece} {one:.2f} beside {other:.2f}" for piece, (one, other) in told.items())
    return all(abs(one / other - 1) <= tolerance for one, other in told.values()), text


def pieces_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table D.2."""
    need(figures, "boards")
    ours = figures["boards_pieces"]
    text = ", ".join(f"{piece} {one:.2f}" for piece, one in zip(CHESS, ours, strict=True))
    return all(abs(one / other - 1) <= tolerance for one, other in zip(ours, SEED_PIECES, strict=True)), text


def both_boards_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 7.12."""
    for name in ("boards", "full"):
        need(figures, name)
    half, full = figures["boards_pieces"], figures["full_pieces"]
    told = ", ".join(f"{piece} {one:.2f} and {two:.2f}" for piece, one, two in zip(CHESS, half, full, strict=True))
    return all(abs(one / two - 1) <= tolerance for one, two in zip(half, full, strict=True)), told


def squares_claim(figures: Figures, least: float) -> tuple[bool, str]:
    """Table D.3."""
    ours, theirs = need(figures, "boards")["half_board"], seed_half_board()
    found = {}
    for piece in CHESS:
        squares = [square for square in theirs if square.startswith(f"{piece}_")]
        found[piece] = float(np.corrcoef([ours[one] for one in squares], [theirs[one] for one in squares])[0, 1])
    return min(found.values()) >= least, ", ".join(f"{piece} {value:.2f}" for piece, value in found.items())


def ranks_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """7.2.1."""
    ranks = list(need(figures, "ranks")[RANKS].values())
    return all(low < high for low, high in pairwise(ranks[2:])), " ".join(f"{value:.2f}" for value in ranks)


def soon_claim(figures: Figures, most: float) -> tuple[bool, str]:
    """7.2.1, the speed."""
    if not figures.get("rank_traces"):
        raise Missing("ranks alone are not learned at this scale")
    after = [advance_after(trace) for trace in figures["rank_traces"]]
    told = ", ".join("never" if each is None else f"{each}" for each in after)
    return all(each is not None and each <= most for each in after), f"from game {told} on"


def advance_after(trace: Figures) -> int | None:
    """From which game on pawns on ranks 6 and 7 are worth more than on ranks 2 to 4, by blocks of games."""
    games, values = np.array(trace["games"]), np.array(trace["values"])
    blocks = (games - 1) // BLOCK
    means = {int(block): values[blocks == block].mean(axis=0) for block in np.unique(blocks)}
    far = {block: bool(ranks[4:].min() > ranks[:3].max()) for block, ranks in means.items()}
    late = [block for block, is_far in far.items() if not is_far]
    rest = [block for block in far if not late or block > late[-1]]
    return (rest[0] + 1) * BLOCK if rest else None


def advance_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figures 7.6 to 7.10, all pieces."""
    boards = need(figures, "boards")
    means = {piece: board(boards, piece) for piece in CHESS}
    halves = {piece: (float(np.nanmean(each[:4])), float(np.nanmean(each[4:]))) for piece, each in means.items()}
    told = ", ".join(f"{piece} {near:.2f} and {far:.2f}" for piece, (near, far) in halves.items())
    return all(near < far for near, far in halves.values()), told


def corner_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figure 7.6, rank 7."""
    pawn = board(need(figures, "boards"), "pawn")
    return bool(pawn[6, 0] >= np.nanmax(pawn)), " ".join(f"{value:.2f}" for value in pawn[6])


def double_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figure 7.6, the first moves."""
    pawn = board(need(figures, "boards"), "pawn")
    gains = pawn[3] - pawn[1]
    return bool(gains[3] > gains[:3].max()), " ".join(f"{gain:+.2f}" for gain in gains)


def files_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figure 7.9, files."""
    files = board(need(figures, "boards"), "rook").mean(axis=0)
    return bool(files[2:].min() > files[0]), " ".join(f"{value:.2f}" for value in files)


def frequency_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table 7.4."""
    ours = need(figures, "frequencies")
    apart = {piece: max(abs(a - b) for a, b in zip(ours[piece], FREQUENCIES[piece], strict=True)) for piece in CHESS}
    return max(apart.values()) <= tolerance, ", ".join(f"{piece} {most:.1f}" for piece, most in apart.items())


def queen_claim(figures: Figures, _: float) -> tuple[bool | None, str]:
    """Figure 7.11."""
    if "queens" not in figures:
        raise Missing("full boards are not learned at this scale")
    sides = [
        [mean(queen[f"queen_{file}{rank}"] for file in files for rank in (6, 7)) for files in ("fg", "bc")]
        for queen in figures["queens"]
    ]
    ahead = [king_side > queen_side for king_side, queen_side in sides]
    text = "; ".join(f"{king:.2f} beside {queen:.2f}" for king, queen in sides)
    return (True if all(ahead) else None if any(ahead) else False), text


def steepness_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 7.15."""
    traces = need(figures, "steepness")
    ends = [float(np.mean(trace["values"][-max(len(trace["values"]) // 10, 1) :])) for trace in traces.values()]
    return max(ends) / min(ends) - 1 <= tolerance, ", ".join(f"{end:.3f}" for end in ends)


def steepness_values_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """7.6, the values."""
    one, other = (np.array(each["values_of_pieces"]) for each in need(figures, "steepness").values())
    apart = np.abs((one / one[0]) / (other / other[0]) - 1)
    return float(apart.max()) <= tolerance, f"at most {apart.max():.0%} apart"


def centre_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Table 7.2, by rows."""
    pawns = need(figures, "composite")["pawn"]
    advanced = all(low < high for low, high in pairwise(pawns[2:]))
    inner = [piece for piece in RINGS if figures["composite"][piece][3] > figures["composite"][piece][0]]
    text = f"pawns {' '.join(f'{value:.2f}' for value in pawns)}; better in the centre: {', '.join(inner) or 'none'}"
    return advanced and len(inner) == len(RINGS), text


def knight_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figure 7.7."""
    knight = board(need(figures, "boards"), "knight")
    middle = float(knight[2:6, 2:].mean())
    edge = float(np.concatenate([knight[0], knight[7], knight[1:7, 0]]).mean())
    bishop = board(figures["boards"], "bishop")
    spread = float(knight.std()), float(bishop.std())
    text = f"c3 to f6 {middle:.2f}, edge {edge:.2f}; deviation {spread[0]:.2f}, of bishops {spread[1]:.2f}"
    return middle > edge and spread[0] > spread[1], text


def rook_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figure 7.9."""
    ranks = board(need(figures, "boards"), "rook").mean(axis=1)
    seventh = bool(ranks[6] > ranks[:6].max())
    return seventh, f"by rank {' '.join(f'{value:.2f}' for value in ranks)}"


def pawn_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figure 7.6."""
    ranks = board(need(figures, "boards"), "pawn")[1:7].mean(axis=1)
    rising = all(low < high for low, high in pairwise(ranks[2:]))
    return rising, f"by rank {' '.join(f'{value:.2f}' for value in ranks)}"


CLAIMS = [
    *map(score_claim, SEED_MATCHES),
    Claim("ranks and rings", "table 7.2", "each within {tolerance} of the seed's", 0.3, composite_claim),
    Claim(
        "typical values of pieces",
        "figure 7.4, from tables 7.2 and 7.4",
        "each within {tolerance:.0%} of the seed's, both by the frequencies of table 7.4, a typical pawn being 1",
        0.25,
        typical_claim,
    ),
    Claim(
        "values of pieces beside half boards",
        "1.00, 2.67, 3.07, 4.72, 9.39 (table D.2)",
        "each within {tolerance:.0%} of the seed's",
        0.2,
        pieces_claim,
    ),
    Claim(
        "the same pieces by both kinds of boards",
        "very similar piece values (figure 7.12)",
        "each within {tolerance:.0%} of each other",
        0.15,
        both_boards_claim,
    ),
    Claim(
        "half boards",
        "table D.3",
        "the squares of each piece correlate with the seed's by {tolerance} at least",
        0.5,
        squares_claim,
    ),
    Claim(
        "pawn ranks alone",
        "advancing pawns up the board was advantageous (7.2.1)",
        "weights rise from rank 4 to 7",
        0,
        ranks_claim,
    ),
    Claim(
        "pawn ranks are learned quickly",
        "the program quickly learnt it (7.2.1)",
        f"by means of {BLOCK} games ranks 6 and 7 stay above ranks 2 to 4 from game {{tolerance:,}} on, in every run",
        SOON,
        soon_claim,
    ),
    Claim(
        "where pieces stand",
        "table 7.4",
        "each share within {tolerance:g} points of the seed's, in games by the mean learned weights",
        10,
        frequency_claim,
    ),
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
    Claim(
        "rooks on the central files",
        "well placed there (figure 7.9)",
        "means of the files c and d, mirrored, above that of a",
        0,
        files_claim,
    ),
    Claim("pawns are to advance", "generally rewarded (figure 7.6)", "means rise from rank 4 to 7", 0, pawn_claim),
    Claim(
        "pawns on a7 and h7",
        "have the largest bonus (figure 7.6)",
        "the largest of all squares of pawns",
        0,
        corner_claim,
    ),
    Claim(
        "pawns to e4 and d4",
        "the most favoured of the first double moves (figure 7.6)",
        "from rank 2 to 4 they gain most",
        0,
        double_claim,
    ),
    Claim(
        "all pieces are to advance",
        "rewarded in all figures (figures 7.6 to 7.10)",
        "of every piece the mean of ranks 5 to 8 above that of 1 to 4",
        0,
        advance_claim,
    ),
    Claim(
        "queens on the king's side",
        "score more highly on the opponent's king-side (figure 7.11)",
        "full boards: mean of f6 to g7 above that of b6 to c7 in both runs; open if in one",
        0,
        queen_claim,
    ),
    Claim(
        "the steepness converges",
        "from 1 and from 0.5 to one value (figure 7.15)",
        "means of the last tenth of both traces within {tolerance:.0%}",
        0.1,
        steepness_claim,
    ),
    Claim(
        "the steepness changes no values",
        "normalised values are very similar (7.6)",
        "those of both runs within {tolerance:.0%}",
        0.1,
        steepness_values_claim,
    ),
]


EXPERIMENT = Experiment(
    name="smith_7",
    text=__doc__,
    small=SCALES,
    parts=PARTS,
    measure=measure,
    summarise=summarise,
    show=show,
    claims=CLAIMS,
    draw=draw,
    common={"noise": [NOISE, LEARNING_NOISE], "average": AVERAGE},
)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    EXPERIMENT.run(words)


if __name__ == "__main__":
    from harness import start

    start(main)
