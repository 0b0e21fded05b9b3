"""The Neural MoveMap in the NN population of Lines of Action (Kocsis 2003, 3.3.1, 3.4.1, 3.4.2 and 3.4.4).

    python experiments/kocsis_3_loa.py [--scale quick|meos|meoc|mei|full] [--threads N]

Three ways to tell a network the moves are compared: as inputs (MEI), an output for each move (MEOS), and an output for
each origin and each target (MEOC). Each network has 10 hidden units and direct links, and learns by RPROP until the
error rate on the validation set has not fallen for 100 epochs. First come error rates by the size of the learning set
(figure 3.5); then the network of each encoding that errs least orders the moves of searches 2 to 7 plies deep, alone
(the pure approach), and its trees are set beside those of history (figures 3.6 and 3.12); and then the networks of MEOS
by the size of their learning set (figure 3.7). Trees are those of 600 positions, whole games one after the other.

The scales mei, meos and meoc learn the networks of one encoding of full; whichever is first makes the pattern set. Full
takes what is there, learns the rest, searches and judges.

What the text says: the player has an evaluator of the population and searches by MTD(f), with history for the order of
moves (2.1.2). Positions come from its own games; 2- and 3-ply searches label the learning and the validation set, 4-
and 5-ply searches the test set, and the latter two have about 5,000 positions each (3.3.1). A position is 65 inputs:
+1, -1 or 0 for each square, and the side to move (3.2.1). Targets are 1 for the best move and 0 for the others (3.3).
The best network is the one with the lowest error rate in figure 3.5, that is on the test set (3.4.1).

What the text leaves open, and how it is read: the evaluator is the best of the population that comes with plypilot. The
move of the table, which MTD(f) needs anyway, is tried first. There are no killers, and captures do not go ahead of
others: history orders all moves that are left, and so does the network, at every node that has moves. History adds up
the squared depths of moves that cut or were best, which is nearest to the history heuristic that the text refers to;
our usual history, a running rate, stands beside it. Games are played 2 plies deep, after 6 random moves, with noise on
the scores. RPROP begins with steps of 0.01. The curves of all figures are lost, and with them the sizes of the learning
sets and the four depths of figure 3.7: ours are 10,000 positions and three times fourfold that, and depths 3 to 6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from math import exp, log
from typing import Any

import numpy as np

import orderings
import plypilot as pp
from harness import Claim, Figures, Harness, Missing, mean, read_options, start
from plypilot.data.patterns import PatternSet
from plypilot.learn.folder import Run
from plypilot.learn.move_cases import Cases, Games
from plypilot.learn.move_measures import MoveMeasures, measure
from plypilot.learn.movemap import Encoding, MoveMap
from plypilot.learn.population import load_population
from plypilot.learn.selfplay_set import SelfPlay, make_selfplay_set, play_labelled
from plypilot.report.drawing import draw_lines
from plypilot.searcher import Limit
from plypilot.versions import core_digest

GAME = "loa"
SET_SEED, LEARNING_SEED, POSITION_SEED = 21, 1, 31
ENCODINGS: tuple[Encoding, ...] = ("mei", "meos", "meoc")
HISTORY, RUNNING = "history", "running history"
"""The order of moves that all others are set beside, and our usual one."""
SEARCH: dict[str, object] = {"ordering.history_rule": "sum", "search.table.log2_entries": 20}
"""What trees have that games have not: history as the seed counts it, and a table that 7 plies do not fill."""
LEARNER: dict[str, Any] = {
    "inputs": ("squares",),
    "view": "fixed",
    "hidden": 10,
    "direct": True,
    "optimiser": {"kind": "rprop", "first_step": 0.01},
    "patience": 100,
    "use": "pure",
    "plies": 1,
    "trials": {"games": 0},
}
"""The networks of 3.2.1 and 3.4.1 and the learning of 3.3; asked wherever a ply or more is left."""
OVERHEAD_POSITIONS = 12
"""Over which the cost of asking a network is measured."""


@dataclass(frozen=True)
class Scale:
    """How much is learned and searched."""

    set_positions: int
    """Of own games, in all three splits, of which eight tenths can be learned from."""
    sizes: tuple[int, ...]
    """Of learning sets, the smaller ones inside the larger."""
    positions: int
    """To search, from whole games; 0: no searches."""
    every: int = 1
    """One position in so many of these games is searched."""
    depths: tuple[int, ...] = (2, 3, 4, 5, 6, 7)
    size_depths: tuple[int, ...] = (3, 4, 5, 6)
    """At which networks of several learning sets are compared."""
    judged_positions: int = 5000
    """Of the validation set, and of the test set."""
    epochs: int = 100_000
    """The most of a run, where patience is not to end it."""
    overhead_nodes: int = 200_000
    """Of searches that measure what asking a network costs."""
    encodings: tuple[Encoding, ...] = ENCODINGS


FULL = Scale(820_000, (10_000, 40_000, 160_000, 640_000), 600)
SCALES: dict[str, Scale] = {
    "tiny": Scale(1800, (200, 600), 10, 9, (2, 3), (2,), epochs=2, overhead_nodes=1000),
    "quick": Scale(32_000, (1_500, 6_000, 24_000), 60, 8, (2, 3, 4, 5, 6), (3, 4, 5), overhead_nodes=50_000),
    **{encoding: replace(FULL, positions=0, encodings=(encoding,)) for encoding in ENCODINGS},
    "full": FULL,
}


# What is learned


def make_set(made: Harness, player: pp.Pilot, scale: Scale) -> PatternSet:
    """Labelled games of the player, which all parts of a scale learn from."""
    selfplay = SelfPlay(player, Limit(depth=2), label_depth=(2, 3), test_label_depth=(4, 5), seed=SET_SEED)
    folder = made.folder / "runs" / made.name / f"games-{scale.set_positions}.set"
    return make_selfplay_set(folder, selfplay, positions=scale.set_positions, workers=made.threads)


def learn(made: Harness, player: pp.Pilot, patterns: PatternSet, scale: Scale, encoding: Encoding, size: int) -> Run:
    """A network of one encoding and one size of the learning set; its run is kept, and goes on where it was."""
    folder = made.folder / "runs" / made.name / f"{scale.set_positions}-{encoding}-{size}-{core_digest()[:8]}"
    learner = MoveMap(
        data=str(patterns.path),
        encoding=encoding,
        positions=size,
        validation_positions=scale.judged_positions,
        epochs=scale.epochs,
        **LEARNER,
    )
    return orderings.run_learner(made, learner, player, folder, LEARNING_SEED)


def measure_test(run: Run, patterns: PatternSet, positions: int, threads: int) -> MoveMeasures:
    """How well the best network of a run predicts the labels of the test set."""
    learner, state = run.learner, run.state
    assert isinstance(learner, MoveMap)
    encoder = learner.encoder(GAME, np.array(state.numbers["moves"]))
    cases = Cases.of(encoder, Games.join(patterns.blocks("test", positions=positions)))
    return measure(learner.trainer(encoder), state.arrays["best"], [cases], threads)


def tell_run(run: Run, judged: MoveMeasures, size: int) -> Figures:
    """A point of figure 3.5."""
    numbers = run.state.numbers
    return {
        "size": size,
        "learning_positions": int(run.metrics[-1]["positions"]),
        "test_error": round(judged.error_rate, 4),
        "test_first_3": round(judged.share_within(3), 4),
        "test_positions": judged.cases,
        "validation_error": round(float(numbers["best_error"]), 4),
        "epochs": int(numbers["epoch"]),
        "best_epoch": int(numbers["best_epoch"]),
        "learning_seconds": round(sum(float(line["seconds"]) for line in run.metrics), 1),
    }


# What is searched


def game_positions(player: pp.Pilot, number: int, every: int) -> list[str]:
    """Positions of whole games from their first move to their last, one in ``every``, until there are so many."""
    selfplay = SelfPlay(player, Limit(depth=2), seed=POSITION_SEED)
    positions: dict[str, None] = {}  # each once, in the order of the games
    for game in count():
        (played,) = play_labelled(selfplay, range(game, game + 1))
        position = pp.Position(GAME)
        for ply, move in enumerate(played.moves.split()):
            if ply % every == game % every:
                positions[position.fen()] = None
            position.push(move)
        if len(positions) >= number:
            break
    return list(positions)


def with_order(pilot: pp.Pilot, learned: pp.Pilot) -> pp.Pilot:
    """The pilot whose moves are ordered by the network that another one has learned, without history."""
    return orderings.with_network(pilot, learned.ordering.network, network_use="pure", network_plies=1)


def overhead(row: orderings.Row) -> float:
    """What a node costs more than one of history, as a part of it."""
    return row.total_seconds / row.total_nodes - 1


def compare(
    made: Harness, title: str, pilots: orderings.Pilots, positions: Sequence[str], depths: Sequence[int]
) -> list[Figures]:
    """Trees beside those of history, each depth in a search of its own, so that first cuts are told by depth too."""
    rows: list[orderings.Row] = []
    for depth in depths:
        trees = orderings.measure_trees(made, f"{title}, depth {depth}", pilots, positions, GAME, depth)
        rows += orderings.compare_trees(trees, HISTORY, [depth])
    made.print_table(
        f"{title}, beside history",
        (*orderings.COLUMNS, "overhead"),
        [[*row.cells(), f"{overhead(row):+.0%}"] for row in rows],
    )
    return [{**row.content(), "overhead": round(overhead(row), 4)} for row in rows]


def measure_overheads(
    made: Harness, pilots: orderings.Pilots, positions: Sequence[str], nodes: int
) -> dict[str, float]:
    """What asking each network adds to the time of the same tree, which is that of running history."""
    some = positions[:: max(1, len(positions) // OVERHEAD_POSITIONS)][:OVERHEAD_POSITIONS]
    return {
        name: round(
            orderings.measure_overhead(made, GAME, pilot.replace({"ordering.history_rule": "running"}), some, nodes),
            4,
        )
        for name, pilot in pilots.items()
    }


# What is judged


def _need_full(figures: Figures) -> None:
    if figures["scale"] in ("tiny", "quick"):
        raise Missing("judged at full scale")


def _errors(figures: Figures, encoding: str) -> list[float]:
    """Error rates on the test set, from the smallest learning set to the largest."""
    _need_full(figures)
    if encoding not in figures["errors"]:
        raise Missing(f"{encoding} is not learned at this scale")
    return [float(point["test_error"]) for point in figures["errors"][encoding]]


def _ratios(figures: Figures, pilot: str, what: str = "nodes", rows: str = "by_encoding") -> dict[int, float]:
    """Mean ratios to history by depth."""
    _need_full(figures)
    ratios = {int(row["depth"]): float(row[what][0]) for row in figures.get(rows, []) if row["pilot"] == pilot}
    if not ratios:
        raise Missing("not searched at this scale")
    return ratios


def _mean_ratio(ratios: Mapping[int, float], depths: Sequence[int]) -> float:
    """The geometric mean over some depths."""
    return exp(mean(log(ratios[depth]) for depth in depths))


def _tell(ratios: Mapping[int, float]) -> str:
    return ", ".join(f"{depth}: {ratio:.3f}" for depth, ratio in ratios.items())


def falling_error_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 3.5 of each encoding that was learned; all three are needed for a yes."""
    curves = {encoding: _errors(figures, encoding) for encoding in ENCODINGS}
    falls = all(curve[0] - curve[-1] >= tolerance for curve in curves.values())
    rises = max(later - before for curve in curves.values() for before, later in pairwise(curve))
    text = "; ".join(f"{name} {', '.join(f'{error:.3f}' for error in curve)}" for name, curve in curves.items())
    return falls and rises <= 0.01, text


def alike_errors_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """MEI and MEOS, at the largest learning set."""
    mei, meos = (_errors(figures, encoding)[-1] for encoding in ("mei", "meos"))
    return abs(mei - meos) <= tolerance, f"MEI {mei:.3f}, MEOS {meos:.3f}"


def condensed_errors_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """MEOC beside both others, at the largest learning set."""
    mei, meos, meoc = (_errors(figures, encoding)[-1] for encoding in ENCODINGS)
    return meoc - max(mei, meos) > tolerance, f"MEI {mei:.3f}, MEOS {meos:.3f}, MEOC {meoc:.3f}"


def alike_trees_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 3.6: MEI and MEOS over all depths."""
    mei, meos = (_mean_ratio(_ratios(figures, encoding), FULL.depths) for encoding in ("mei", "meos"))
    return abs(log(mei / meos)) <= tolerance, f"mean ratios MEI {mei:.3f}, MEOS {meos:.3f}"


def condensed_trees_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 3.6: MEOC beside both others, over all depths."""
    mei, meos, meoc = (_mean_ratio(_ratios(figures, encoding), FULL.depths) for encoding in ENCODINGS)
    matched = max(mei, meos) <= meoc * (1 - tolerance)
    return matched, f"mean ratios MEI {mei:.3f}, MEOS {meos:.3f}, MEOC {meoc:.3f}"


def deepest_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 3.12 at its right end."""
    ratio = _ratios(figures, "meos")[7]
    return tolerance <= 1 - ratio <= 0.5, f"{1 - ratio:.1%} fewer"


def every_depth_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 3.12 as a whole."""
    ratios = _ratios(figures, "meos")
    return max(ratios.values()) <= 1 - tolerance, f"ratios by depth {_tell(ratios)}"


def dip_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figure 3.12: pairs of an even and an odd depth take the oscillation out."""
    ratios = _ratios(figures, "meos")
    shallow, middle, deep = (_mean_ratio(ratios, pair) for pair in ((2, 3), (4, 5), (6, 7)))
    return shallow < middle and deep < middle, f"depths 2 and 3 {shallow:.3f}, 4 and 5 {middle:.3f}, 6 and 7 {deep:.3f}"


def choice_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """What speaks for MEOS is the time that MEI takes and the tree that MEOC takes."""
    times = {encoding: _ratios(figures, encoding, "seconds")[7] for encoding in ENCODINGS}
    text = ", ".join(f"{encoding.upper()} {ratio:.2f}" for encoding, ratio in times.items())
    return min(times, key=lambda encoding: times[encoding]) == "meos", f"times beside history {text}"


def size_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 3.7: at each of its depths the larger learning set has the smaller tree."""
    by_size = [_ratios(figures, size_name(size), rows="by_size") for size in FULL.sizes]
    curves = {depth: [ratios[depth] for ratios in by_size] for depth in by_size[0]}
    falls = all(curve[-1] < curve[0] for curve in curves.values())
    rises = max(later - before for curve in curves.values() for before, later in pairwise(curve))
    text = "; ".join(f"depth {depth} {', '.join(f'{ratio:.3f}' for ratio in curve)}" for depth, curve in curves.items())
    return falls and rises <= tolerance, text


CLAIMS = [
    Claim(
        "larger learning sets err less",
        "the error rate falls with the size of the learning set for all three encodings (3.4.2, figure 3.5)",
        "from the smallest set to the largest it falls by {tolerance} at least, and from one to the next it never "
        "rises by more than 0.01",
        0.02,
        falling_error_claim,
    ),
    Claim(
        "MEI and MEOS err alike",
        "both lead to similar results (3.4.1; of figure 3.5 itself the text says nothing more)",
        "error rates after the largest learning set differ by at most {tolerance}",
        0.03,
        alike_errors_claim,
    ),
    Claim(
        "MEOC errs more than both",
        "MEI and MEOS are clearly better (3.4.1; of figure 3.5 itself the text says nothing more)",
        "its error rate after the largest learning set is more than {tolerance} above both others",
        0,
        condensed_errors_claim,
    ),
    Claim(
        "MEI and MEOS need trees alike",
        "similar search performance (3.4.1, figure 3.6)",
        "mean ratios to history over depths 2 to 7 differ by at most {tolerance:.0%}",
        0.05,
        alike_trees_claim,
    ),
    Claim(
        "MEOC needs larger trees than both",
        "MEI and MEOS perform significantly better (3.4.1, figure 3.6)",
        "mean ratios of both over depths 2 to 7 are at least {tolerance:.0%} below that of MEOC",
        0.02,
        condensed_trees_claim,
    ),
    Claim(
        "fewer nodes than history at depth 7",
        "between 20 and 50 per cent fewer (3.4.4, figure 3.12)",
        "MEOS, mean over positions: at least {tolerance:.0%} fewer, and at most 50%",
        0.2,
        deepest_claim,
    ),
    Claim(
        "fewer nodes than history at every depth",
        "between 20 and 50 per cent fewer (3.4.4, figure 3.12)",
        "MEOS, mean over positions: at least {tolerance:.0%} fewer at each depth from 2 to 7",
        0.15,
        every_depth_claim,
    ),
    Claim(
        "the gain is least at middle depths",
        "but for odd and even depths, it falls a little until depth 5 and rises again behind it (3.4.4, figure 3.12)",
        "MEOS: the mean ratio of depths 4 and 5 is above those of 2 and 3 and of 6 and 7",
        0,
        dip_claim,
    ),
    Claim(
        "MEOS is the best choice",
        "as good as MEI, which takes much more time (3.4.1)",
        "at depth 7 the mean ratio of its time to that of history is the lowest of the three",
        0,
        choice_claim,
    ),
    Claim(
        "larger learning sets need smaller trees",
        "what holds for error rates holds for searches at four depths too (3.4.2, figure 3.7)",
        "MEOS at depths 3 to 6: the ratio of the largest learning set is below that of the smallest, and from one to "
        "the next it never rises by more than {tolerance}",
        0.02,
        size_claim,
    ),
]


# What is shown


def size_name(size: int) -> str:
    """The pilot of a network by its learning set."""
    return f"meos, {size:,}"


def print_errors(made: Harness, figures: Figures) -> None:
    """The table of figure 3.5."""
    made.print_table(
        "error rates by the size of the learning set",
        ("encoding", "size", "error on the test set", "among first 3", "validation error", "epochs", "seconds"),
        [
            (
                encoding,
                f"{point['size']:,}",
                f"{point['test_error']:.1%}",
                f"{point['test_first_3']:.1%}",
                f"{point['validation_error']:.1%}",
                point["epochs"],
                f"{point['learning_seconds']:.0f}",
            )
            for encoding, points in figures["errors"].items()
            for point in points
        ],
    )


def draw_figures(figures: Figures) -> str:
    """Error rates by the size of the learning set, and below them the trees by depth, as far as there are any."""
    sizes = [point["size"] for point in next(iter(figures["errors"].values()))]
    errors = {
        encoding: np.array([point["test_error"] for point in points]) for encoding, points in figures["errors"].items()
    }
    across = f"size of the learning set, in doublings of {sizes[0]:,} positions"
    drawings = [draw_lines(np.log2(np.array(sizes) / sizes[0]), errors, across=across, up="error rate on the test set")]
    rows: list[Figures] = figures.get("by_encoding", [])
    if rows:
        depths = np.array(sorted({row["depth"] for row in rows}), float)
        ratios = {
            pilot: np.array([row["nodes"][0] for row in rows if row["pilot"] == pilot])
            for pilot in dict.fromkeys(row["pilot"] for row in rows)
        }
        drawings.append(draw_lines(depths, ratios, across="depth in plies", up="nodes beside history"))
    return orderings.stack(drawings)


def search_all(
    made: Harness, player: pp.Pilot, scale: Scale, runs: Mapping[tuple[str, int], Run], figures: Figures
) -> Figures:
    """Figures 3.6, 3.7 and 3.12, and what asking the networks costs."""
    history = player.replace(SEARCH)
    chosen = {
        encoding: min(points, key=lambda point: float(point["test_error"]))["size"]
        for encoding, points in figures["errors"].items()
    }
    networks = {encoding: with_order(history, runs[encoding, size].best) for encoding, size in chosen.items()}
    reference = {HISTORY: history}
    running = {RUNNING: history.replace({"ordering.history_rule": "running"})}
    by_size = {size_name(size): with_order(history, runs["meos", size].best) for size in scale.sizes}
    positions = game_positions(player, scale.positions, scale.every)
    told: Figures = {"positions": len(positions), "chosen": chosen}
    told["by_encoding"] = compare(made, "encodings", reference | running | networks, positions, scale.depths)
    told["by_size"] = compare(made, "learning sets", reference | by_size, positions, scale.size_depths)
    told["overhead"] = measure_overheads(made, networks, positions, scale.overhead_nodes)
    adds = ", ".join(f"{encoding} {part:.0%}" for encoding, part in told["overhead"].items())
    print(f"\nasking the network adds to the time of the same tree: {adds}")
    return told


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    scale = SCALES[options.scale]
    made = Harness("kocsis_3_loa", options.scale, threads=options.threads, folder=options.out)
    try:
        player = load_population(GAME).pilot
        patterns = make_set(made, player, scale)
        runs: dict[tuple[str, int], Run] = {}
        figures: Figures = {"scale": made.scale, "errors": {encoding: [] for encoding in scale.encodings}}
        for encoding in scale.encodings:
            for size in scale.sizes:
                run = runs[encoding, size] = learn(made, player, patterns, scale, encoding, size)
                judged = measure_test(run, patterns, scale.judged_positions, made.threads)
                figures["errors"][encoding].append(tell_run(run, judged, size))
        print_errors(made, figures)
        if scale.positions:
            figures |= search_all(made, player, scale, runs, figures)
        made.draw(lambda: draw_figures(figures))
        settings = {
            "scale": vars(scale),
            "learner": LEARNER,
            "search": SEARCH,
            "pilot": player.digest[:16],
            "seeds": [SET_SEED, LEARNING_SEED, POSITION_SEED],
        }
        made.conclude(CLAIMS, figures, settings=settings, seed=LEARNING_SEED)
    finally:
        made.close()


if __name__ == "__main__":
    start(main)
