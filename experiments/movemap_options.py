"""Every option of the Neural MoveMap changed alone: how often it predicts the move, and what its trees and time are.

    python experiments/movemap_options.py [--scale quick|loa|chess|full] [--threads N] [--data GAMES]

The base is what a run learns where nothing is set (an output for each move, of which those of one origin and of one
target share a part, the raw board, no hidden layer, AdaGrad on the cross-entropy with decay), used by the weighted sum
with history, at every node that orders moves. Options of learning make a network of their own; options of use take that
of the base. Prediction is that of moves in test positions; nodes and time are those of trees of a fixed depth beside
history, as the baseline has it, with reduced and with full selectivity.

Lines of Action is learned from the baseline's own games, chess from master games, which --data names (without it from
own games too). Networks learn from as many positions as leave an hour for all: fewer than they could use, so that rows
are to be compared with each other. The scales loa and chess are the halves of full.

The weight of history as a sum, and the refinement, are set by the deviation of the network's scores, which says what is
large. MEI has hidden units: without them it would order moves alike in all positions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import orderings
import plypilot as pp
from chess_prediction import Library, Predictor, learn, replay
from harness import Claim, Figures, Harness, Missing, read_options, start
from kocsis_3_mia import REDUCED
from plypilot.data.patterns import PatternSet, Where
from plypilot.learn.move_cases import Games
from plypilot.learn.selfplay_set import SelfPlay, make_selfplay_set
from plypilot.searcher import Limit

SET_SEED, LEARNING_SEED, POSITION_SEED = 12, 2, 6
TEST_POSITIONS = 10_000
BASE, HISTORY = "base", "history"
HIDDEN, MEI = "10 hidden units", "encoding: mei, 10 hidden units"
EVALUATION = {"chess": "baseline", "loa": "mia"}
"""The feature set of each game that its evaluation is made of, as far as it is small enough to be an input."""
SUM_HISTORY, DEVIATION_HISTORY, REFINEMENT, ADAPTATION = 0.05, 1.5, 0.01, 0.1
"""The weights of history as a sum and in deviations, times the deviation of scores; a refinement in deviations; and
what a miss changes."""

COLUMNS = ("nodes, reduced", "time", "first cuts", "nodes, full", "time", "first cuts")


@dataclass(frozen=True)
class Part:
    """What is done for one game."""

    game: str
    learning_positions: int
    own_positions: int
    """Of own games, in all three splits, where they are learned from."""
    limit: Limit
    """Of each move of own games."""
    epochs: int
    batch_epochs: int
    """Of rules that change weights once an epoch."""
    positions: int
    depths: Mapping[str, int]
    """Of searches, by selectivity."""
    asking_nodes: int = 100_000


def _parts(share: float) -> dict[str, Part]:
    """The parts of a full run, or of one that has this share of its positions."""

    def count(positions: int) -> int:
        return max(20, round(positions * share))

    less = 0 if share == 1 else 1
    depths = {"reduced": 7 - less, "full": 9 - less}
    return {
        "loa": Part("loa", count(200_000), count(250_000), Limit(depth=4), 12, 60, count(300), depths),
        "chess": Part("chess", count(400_000), count(300_000), Limit(nodes=1000), 12, 60, count(150), depths),
    }


TINY = Part("loa", 400, 700, Limit(nodes=30), 1, 2, 2, {"reduced": 2, "full": 3}, asking_nodes=1000)
SCALES: dict[str, dict[str, Part]] = {
    "tiny": {"loa": TINY},
    "quick": _parts(0.05),
    **{game: {game: part} for game, part in _parts(1).items()},
    "full": _parts(1),
}


def options_of_learning(part: Part) -> dict[str, dict[str, Any]]:
    """Settings of the learner that differ from the base, by what they change."""
    rprop = {"kind": "rprop", "first_step": 0.01}
    return {
        BASE: {},
        "no decay": {"decay": 0},
        "moves share nothing": {"sharing": False},
        "encoding: meoc": {"encoding": "meoc"},
        MEI: {"encoding": "mei", "hidden": 10},
        HIDDEN: {"hidden": 10},
        "32 hidden units": {"hidden": 32},
        "32 hidden units, no direct links": {"hidden": 32, "direct": False},
        "evaluation features as inputs": {"inputs": ("board", EVALUATION[part.game])},
        "the last move as input": {"inputs": ("board", "last_move")},
        "squares as the seed has them": {"inputs": ("squares",), "view": "fixed"},
        "rprop as printed": {"optimiser": {**rprop, "forgets_turns": False}, "epochs": part.batch_epochs},
        "rprop as usual": {"optimiser": rprop, "epochs": part.batch_epochs},
        "rprop, sigmoid": {
            "optimiser": {**rprop, "forgets_turns": False},
            "loss": "sigmoid",
            "epochs": part.batch_epochs,
        },
        "adam": {"optimiser": "adam"},
    }


def options_of_use(pilot: pp.Pilot, predictor: Predictor) -> dict[str, pp.Pilot]:
    """A pilot with the network of the base, and with one thing of its use changed."""
    usual, deviation = predictor.pilot.ordering, max(predictor.deviation, 1e-6)

    def used(**changes: Any) -> pp.Pilot:
        settings = {"network_use": "weighted", "network_plies": 1, "history_weight": usual.history_weight, **changes}
        return orderings.with_network(pilot, usual.network, **settings)

    return {
        "use: pure": used(network_use="pure"),
        "use: straightforward": used(network_use="straightforward"),
        "asked from 2 plies on": used(network_plies=2),
        "captures too": used(captures=False),
        "history as a sum": used(history_rule="sum", history_weight=min(SUM_HISTORY / deviation, 1e6)),
        "history in deviations": used(history_rule="deviation", history_weight=min(DEVIATION_HISTORY / deviation, 1e6)),
        "adaptive weight": used(history_adaptation=ADAPTATION),
        "refined in the search": used(network_refinement=min(REFINEMENT * deviation, 100.0)),
        "refined, pure": used(network_refinement=min(REFINEMENT * deviation, 100.0), network_use="pure"),
    }


def open_set(made: Harness, part: Part, records: Path | None) -> tuple[PatternSet, Where]:
    """What a game is learned from, and which positions of it."""
    if part.game == "chess" and records is not None:
        return Library.open(made, records, own_positions=0, own_nodes=0).patterns, Where(phase="middle")
    selfplay = SelfPlay(pp.Pilot.baseline(part.game), part.limit, seed=SET_SEED)
    folder = made.folder.resolve() / "runs" / made.name / f"{part.game}-{part.own_positions}.set"
    return make_selfplay_set(folder, selfplay, positions=part.own_positions, workers=made.threads), Where()


def measure_part(made: Harness, part: Part, records: Path | None) -> list[Figures]:
    """The rows of one game."""
    patterns, where = open_set(made, part, records)
    usual = {"positions": part.learning_positions, "validation_positions": TEST_POSITIONS, "epochs": part.epochs}
    networks = {
        name: learn(made, patterns, where, {**usual, **settings}, LEARNING_SEED)
        for name, settings in options_of_learning(part).items()
    }
    test = Games.join(patterns.blocks("test", where=where, positions=TEST_POSITIONS))
    fens = np.array([position.fen() for position, _ in replay(test, part.game)])
    chosen = np.random.default_rng(POSITION_SEED).permutation(fens)[: part.positions]
    positions = [str(fen) for fen in chosen]
    rows: dict[str, Figures] = {}
    for name, network in networks.items():
        measures = network.measures(test, made.threads)
        asking = orderings.measure_asking(
            made, part.game, _usual_use(network, network.pilot), positions[:6], part.asking_nodes
        )
        rows[name] = {
            "prediction": round(measures.share_within(1), 4),
            "mean_rank": round(measures.mean_rank, 2),
            "learning_seconds": network.content()["learning_seconds"],
            "asking_microseconds": round(asking.seconds * 1e6, 2),
        }
    for selectivity, depth in part.depths.items():
        baseline = pp.Pilot.baseline(part.game)
        pilot = baseline.replace(REDUCED) if selectivity == "reduced" else baseline
        pilots = {
            HISTORY: pilot,
            **{name: _usual_use(network, pilot) for name, network in networks.items()},
            **options_of_use(pilot, networks[BASE]),
        }
        trees = orderings.measure_trees(made, f"{part.game}, {selectivity}", pilots, positions, part.game, depth)
        for row in orderings.compare_trees(trees, HISTORY, [depth]):
            content = row.content()
            told = rows.setdefault(row.pilot, {})
            told[selectivity] = {name: content[name] for name in ("depth", "nodes", "seconds", "first_cuts")}
            told["history_first_cuts"] = content["reference_first_cuts"]
    return [{"option": name, **figures} for name, figures in rows.items()]


def _usual_use(network: Predictor, pilot: pp.Pilot) -> pp.Pilot:
    usual = network.pilot.ordering
    return orderings.with_network(
        pilot, usual.network, network_use="weighted", network_plies=1, history_weight=usual.history_weight
    )


def show(made: Harness, game: str, rows: Sequence[Figures]) -> None:
    """Prints the rows of a game."""

    def cell(figures: Figures, name: str, text: Callable[[Any], str]) -> str:
        return text(figures[name]) if name in figures else ""

    def ratios(figures: Figures, selectivity: str) -> list[str]:
        own = figures[selectivity]
        return [*(str(orderings.Ratio(*own[name])) for name in ("nodes", "seconds")), f"{own['first_cuts']:.1%}"]

    made.print_table(
        f"{game}: options, beside history",
        ("option", "predicts", "rank", "learned in", "asking", *COLUMNS),
        [
            [
                row["option"],
                cell(row, "prediction", "{:.1%}".format),
                cell(row, "mean_rank", str),
                cell(row, "learning_seconds", "{:.0f} s".format),
                cell(row, "asking_microseconds", "{:.1f} us".format),
                *ratios(row, "reduced"),
                *ratios(row, "full"),
            ]
            for row in rows
        ],
    )


def mei_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """What asking takes, of each game, with as many hidden units."""
    if not figures["is_judged"]:
        raise Missing("judged at full scale")
    ratios = {}
    for game, rows in figures["games"].items():
        asking = {row["option"]: row.get("asking_microseconds") for row in rows}
        ratios[game] = asking[MEI] / max(asking[HIDDEN], 1e-9)
    return min(ratios.values()) >= tolerance, ", ".join(f"{game} x {ratio:.1f}" for game, ratio in ratios.items())


CLAIMS = [
    Claim(
        "MEI takes more time",
        "much more than the other encodings (3.4.1)",
        "asking takes at least {tolerance:g} times as long as with MEOS and as many hidden units, in each game",
        2,
        mei_claim,
    )
]


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES, data="chess games on record, in any format that import takes")
    parts = SCALES[options.scale]
    made = Harness("movemap_options", options.scale, threads=options.threads, folder=options.out)
    try:
        figures: Figures = {"is_judged": options.scale not in ("tiny", "quick"), "games": {}}
        for game, part in parts.items():
            figures["games"][game] = measure_part(made, part, options.data)
            show(made, game, figures["games"][game])
        settings = {
            "parts": {game: asdict(part) for game, part in parts.items()},
            "records": None if options.data is None else options.data.name,
            "seeds": [SET_SEED, LEARNING_SEED, POSITION_SEED],
        }
        made.conclude(CLAIMS, figures, settings=settings, seed=LEARNING_SEED)
    finally:
        made.close()


if __name__ == "__main__":
    start(main)
