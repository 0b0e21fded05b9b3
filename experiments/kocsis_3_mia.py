"""The Neural MoveMap in a strong Lines of Action program (Kocsis 2003, 3.4.4, figure 3.13).

    python experiments/kocsis_3_mia.py [--scale quick|full] [--threads N] [--data FOLDER]

The seed's program is MIA; ours is the baseline of Lines of Action. A network without a hidden layer (MEOS) learns from
about 600,000 positions of own games, searched 4 plies deep with a random part, labelled by the moves played (3.3.2). It
is then asked in searches of 322 positions of tournament games, which --data names (SGF files; without it, positions of
the test split are taken). The seed reports 22% fewer nodes and 17% less time than history at depth 11, a gain that
grows with depth.

Both ways of learning stand side by side: RPROP on squared errors as the seed has it, and small batches on the
cross-entropy; and all three ways of use (3.2.3), with history as the seed counts it and as our baseline does. Reduced
selectivity, that is without late-move reductions and pruning of late and futile moves, is nearer to the seed's program;
the full baseline is beside it, where a good order saves fewer nodes and finds more instead.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orderings
import plypilot as pp
from harness import Claim, Figures, Harness, Missing, read_options, start
from plypilot.data.files import read_texts
from plypilot.data.formats import read_games
from plypilot.data.patterns import PatternSet
from plypilot.data.record import Record
from plypilot.learn.selfplay_set import SelfPlay, make_selfplay_set
from plypilot.searcher import Limit

GAME = "loa"
SET_SEED, LEARNING_SEED, POSITION_SEED = 11, 1, 5
REDUCED = {
    "depth.reduce_late": False,
    "pruning.late_moves": 0,
    "pruning.futility_margin": 0,
}
"""What is switched off where the search is to be less selective."""


@dataclass(frozen=True)
class Scale:
    """How much is learned and searched."""

    set_positions: int
    learners: dict[str, dict[str, Any]]
    positions: int
    depths: dict[str, int]
    """The deepest search, by selectivity."""


LEARNERS: dict[str, dict[str, Any]] = {
    "rprop": {"optimiser": {"kind": "rprop", "first_step": 0.01}, "epochs": 300},
    "adagrad": {},
}
SCALES = {
    "tiny": Scale(800, {"adagrad": {"epochs": 1}}, 2, {"reduced": 2, "full": 2}),
    "quick": Scale(
        60_000, {"rprop": {**LEARNERS["rprop"], "epochs": 60}, "adagrad": {}}, 40, {"reduced": 6, "full": 7}
    ),
    "full": Scale(740_000, LEARNERS, 322, {"reduced": 8, "full": 11}),
}


def own_games(made: Harness, scale: Scale) -> PatternSet:
    """Games of the baseline at 4 plies, with a random part."""
    selfplay = SelfPlay(pp.Pilot.baseline(GAME), Limit(depth=4), seed=SET_SEED)
    folder = made.folder / "runs" / made.name / f"{made.scale}.set"
    return make_selfplay_set(folder, selfplay, positions=scale.set_positions, workers=made.threads)


def tournament_positions(folder: Path, count: int) -> list[str]:
    """Positions of recorded games, each as likely as any other: not of the first plies, and with moves left."""
    positions = set()
    for path in sorted(folder.glob("*.sgf")):
        for _, text in read_texts(path):
            for record in read_games(text, "sgf", GAME):
                if isinstance(record, Record):
                    positions.update(_inside(record))
    ordered = sorted(positions)
    random.Random(POSITION_SEED).shuffle(ordered)
    return ordered[:count]


def _inside(record: Record) -> list[str]:
    position, fens = pp.Position(record.game, record.start), []
    for ply, move in enumerate(record.moves):
        try:
            position.push(move)
        except ValueError:
            return fens  # the rest of a broken record
        if position.outcome() is not None:
            break
        if ply >= 6:
            fens.append(position.fen())
    return fens


def test_positions(patterns: PatternSet, count: int) -> list[str]:
    """Positions of games that nothing was learned from."""
    fens: list[str] = []
    for block in patterns.blocks("test", positions=count):
        for number, given in enumerate(block.starts):
            position = pp.Position(GAME, given)
            for ply in range(block.offsets[number], block.offsets[number + 1]):
                if block.labels[ply]:
                    fens.append(position.fen())
                position.push(next(move for move in position.moves() if move.value == block.moves[ply]))
    return sorted(fens)[:count]


def variants(learned: dict[str, pp.Pilot], reduced: bool) -> dict[str, pp.Pilot]:
    """The pilots that are measured; history is the reference."""
    baseline = pp.Pilot.baseline(GAME)
    if reduced:
        baseline = baseline.replace(REDUCED)
    pilots = {"history": baseline, "history as a sum": baseline.replace({"ordering.history_rule": "sum"})}
    for name, pilot in learned.items():
        network, weight = pilot.ordering.network, pilot.ordering.history_weight
        for use in ("pure", "straightforward", "weighted"):
            pilots[f"{name}, {use}"] = orderings.with_network(
                baseline, network, network_use=use, network_plies=2, history_weight=weight
            )
    return pilots


def _deepest(figures: Figures, selectivity: str, pilot: str) -> Figures:
    rows = [row for row in figures["rows"].get(selectivity, []) if row["pilot"] == pilot]
    if not rows or figures["scale"] != "full":
        raise Missing("measured at full scale")
    deepest: Figures = max(rows, key=lambda row: int(row["depth"]))
    return deepest


def _saves(figures: Figures, tolerance: float) -> tuple[bool, str]:
    told = []
    for selectivity in ("reduced", "full"):
        rows = [_deepest(figures, selectivity, f"rprop, {use}") for use in ("pure", "straightforward", "weighted")]
        best = min(rows, key=lambda row: float(row["nodes"][0]))
        told.append((best["nodes"][0], f"{selectivity}: {best['pilot']} {best['nodes'][0]:.3f} at {best['depth']}"))
    return min(ratio for ratio, _ in told) <= 1 - tolerance, "; ".join(text for _, text in told)


CLAIMS = [
    Claim(
        "fewer nodes than history",
        "figure 3.13: 22% fewer at depth 11",
        "at the greatest depth, the best way of use with RPROP needs {tolerance:.0%} fewer nodes at least",
        0.15,
        _saves,
    ),
]


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES, data="a folder of games on record (SGF)")
    made = Harness("kocsis_3_mia", options.scale, threads=options.threads, folder=options.out)
    scale = SCALES[options.scale]
    patterns = own_games(made, scale)
    baseline = pp.Pilot.baseline(GAME)
    learned = {
        name: orderings.learn_order(made, baseline, patterns.path, name, settings, LEARNING_SEED)
        for name, settings in scale.learners.items()
    }
    if options.data is not None:
        positions = tournament_positions(options.data, scale.positions)
    else:
        positions = test_positions(patterns, scale.positions)
    figures: Figures = {"scale": made.scale, "positions": len(positions), "rows": {}}
    for selectivity, depth in scale.depths.items():
        pilots = variants(learned, selectivity == "reduced")
        trees = orderings.measure_trees(made, selectivity, pilots, positions, GAME, depth)
        rows = orderings.compare_trees(trees, "history", range(2, depth + 1))
        orderings.print_rows(made, f"beside history, {selectivity} selectivity", rows)
        figures["rows"][selectivity] = [row.content() for row in rows]
    first = next(iter(learned.values()))
    figures["overhead"] = round(orderings.measure_overhead(made, GAME, first, positions[:12], 200_000), 4)
    print(f"\nasking the network adds {figures['overhead']:.1%} to the time of the same tree")
    settings = {"scale": vars(scale), "records": options.data is not None, "seeds": [SET_SEED, LEARNING_SEED]}
    made.conclude(CLAIMS, figures, settings=settings, seed=LEARNING_SEED)
    made.close()


if __name__ == "__main__":
    start(main)
