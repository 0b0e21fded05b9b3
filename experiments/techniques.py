"""Each technique of the search switched alone, in every game: what it does to nodes, time and problems solved.

    python experiments/techniques.py [--scale quick|full] [--data wac.epd] [--threads N]

Twice: the baseline pilot with a technique switched off, and the plain pilot (material, quiescence, full width) with one
switched on. Each is searched beside its reference, in turn, to a fixed depth over the bench positions; nodes and time
are ratios to the reference, the median of the rounds. What changes the depth of lines or prunes (null move, reductions,
extensions) does not search the same tree: judge those by the suite, which --data names, at equal nodes. A technique
that changes nothing in any position, as one that a game or a depth gives no occasion to, has no ratio of nodes: the
table says that it was idle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import plypilot as pp
from harness import Figures, Harness, read_options, start
from plypilot.data import RecordError, read_epd
from plypilot.data.epd import EpdPosition
from plypilot.searcher import Limit
from plypilot.suite import bench_positions

Changes = dict[str, object]
TABLE: Changes = {"search.table.log2_entries": 18, "search.table.probes": 4}
"""What a technique that lives in the table needs in a plain pilot."""


@dataclass(frozen=True)
class Technique:
    """A technique as changes of a pilot: those that switch it off, those that switch it on, and what it needs first."""

    name: str
    off: Changes
    on: Changes
    needs: Changes | None = None
    """Also in the reference that it is compared with when it is switched on."""
    games: tuple[str, ...] = ()
    """Where it means something; empty: everywhere."""


TECHNIQUES = [
    Technique("transposition table", {"search.table.log2_entries": 0}, TABLE | {"ordering.table_move": True}),
    Technique(
        "several probes", {"search.table.probes": 1}, {"search.table.probes": 4}, TABLE | {"search.table.probes": 1}
    ),
    Technique("table move first", {"ordering.table_move": False}, {"ordering.table_move": True}, TABLE),
    Technique("PVS", {"search.window.kind": "alpha_beta"}, {"search.window.kind": "pvs"}),
    Technique(
        "MTD(f) for PVS",
        {"search.window.kind": "mtdf"},
        {"search.window.kind": "mtdf"},
        TABLE | {"ordering.table_move": True},
    ),
    Technique("aspiration", {"search.window.aspiration": 0}, {"search.window.aspiration": 50}),
    Technique("quiescence", {"search.quiescence.on": False}, {}),
    Technique(
        "exchange filter", {"search.quiescence.exchange_filter": False}, {"search.quiescence.exchange_filter": True}
    ),
    Technique("evasions in quiescence", {"search.quiescence.evasions": False}, {"search.quiescence.evasions": True}),
    Technique("margin in quiescence", {"search.quiescence.margin": 0}, {"search.quiescence.margin": 200}),
    Technique("captures by exchange", {"ordering.captures": False}, {"ordering.captures": True}),
    Technique("killers", {"ordering.killers": 0}, {"ordering.killers": 2}),
    Technique("history", {"ordering.history": False}, {"ordering.history": True}),
    Technique("countermove", {"ordering.countermove": False}, {"ordering.countermove": True}),
    Technique(
        "internal deepening",
        {"ordering.internal_deepening": 0},
        {"ordering.internal_deepening": 2},
        TABLE | {"ordering.table_move": True},
    ),
    Technique("early repetition", {"search.early_repetition": False}, {"search.early_repetition": True}),
    Technique("categories", {"depth.categories": []}, {}),
    Technique("check extension (evasions)", {}, {"depth.evasion": 0}, games=("chess", "shogi")),
    Technique("mate threat", {}, {"depth.mate_threat": 0, "pruning.null_reduction": 2}, {"pruning.null_reduction": 2}),
    Technique("singular extension", {}, {"depth.singular": 1}, TABLE | {"ordering.table_move": True}),
    Technique("recapture extension", {}, {"depth.recapture": True}),
    Technique("late-move reduction", {"depth.reduce_late": False}, {"depth.reduce_late": True}),
    Technique("null move", {"pruning.null_reduction": 0}, {"pruning.null_reduction": 2}),
    Technique("adaptive null move", {"pruning.null_adaptive": False}, {}),
    Technique("null move if above", {"pruning.null_if_above": False}, {}),
    Technique("late-move pruning", {"pruning.late_moves": 0}, {"pruning.late_moves": 3}),
    Technique("futility", {"pruning.futility_margin": 0}, {"pruning.futility_margin": 150}),
]


@dataclass(frozen=True)
class Scale:
    """How much is searched."""

    positions: int
    """Bench positions, the last so many."""
    baseline_depths: Mapping[str, int]
    plain_depths: Mapping[str, int]
    rounds: int
    problems: int
    suite_nodes: int


SCALES = {
    "tiny": Scale(2, {"breakthrough": 3, "chess": 2}, {"breakthrough": 2, "chess": 1}, 1, 2, 300),
    "quick": Scale(
        6,
        {"breakthrough": 8, "chess": 6, "loa": 5, "shogi": 5},
        {"breakthrough": 3, "chess": 3, "loa": 4, "shogi": 3},
        3,
        100,
        20_000,
    ),
    "full": Scale(
        12,
        {"breakthrough": 8, "chess": 9, "loa": 6, "shogi": 7},
        {"breakthrough": 4, "chess": 4, "loa": 5, "shogi": 4},
        5,
        300,
        200_000,
    ),
}


@dataclass(frozen=True)
class Comparison:
    """A pilot beside its reference."""

    game: str
    side: str
    """baseline: the technique is switched off; plain: it is switched on."""
    technique: str
    reference: pp.Pilot
    pilot: pp.Pilot


def plain_pilot(game: str) -> pp.Pilot:
    """Material with quiescence, full width; shogi's captures end as in its baseline."""
    most_plies = pp.Pilot.baseline(game).search.quiescence.most_plies
    return pp.Pilot.plain(game, "material").replace(
        {"search.quiescence.on": True, "search.quiescence.most_plies": most_plies}
    )


def list_comparisons(game: str) -> list[Comparison]:
    """Every technique that means something in a game, off and on; those that change nothing are left out."""
    baseline, plain = pp.Pilot.baseline(game), plain_pilot(game)
    comparisons = []
    for technique in TECHNIQUES:
        if technique.games and game not in technique.games:
            continue
        without = baseline.replace(technique.off)
        if without != baseline:
            comparisons.append(Comparison(game, "baseline", technique.name, baseline, without))
        reference = plain.replace(technique.needs or {})
        with_it = reference.replace(technique.on)
        if with_it != reference:
            comparisons.append(Comparison(game, "plain", technique.name, reference, with_it))
    return comparisons


def measure_depth(harness: Harness, comparisons: Sequence[Comparison], scale: Scale) -> list[Figures]:
    """Nodes and seconds to a depth as ratios, reference and pilot in turn."""

    def depth(comparison: Comparison) -> int:
        return (scale.baseline_depths if comparison.side == "baseline" else scale.plain_depths)[comparison.game]

    def work(comparison: Comparison) -> Figures:
        positions = bench_positions(comparison.game)[-scale.positions :]
        pilots = {"reference": comparison.reference, "pilot": comparison.pilot}
        trees: dict[str, list[tuple[int, int]]] = {}
        ratios: list[float] = []
        for _ in range(scale.rounds):
            seconds = {}
            for name, pilot in pilots.items():
                results = [harness.search(pilot, position, Limit(depth=depth(comparison))) for position in positions]
                trees[name] = [(result.nodes.all, result.score) for result in results]
                seconds[name] = sum(result.seconds for result in results)
            ratios.append(seconds["pilot"] / max(seconds["reference"], 1e-9))
        nodes = {name: sum(spent for spent, _ in tree) for name, tree in trees.items()}
        is_idle = trees["pilot"] == trees["reference"]
        return {
            "reference_nodes": nodes["reference"],
            "nodes": nodes["pilot"],
            "is_idle": is_idle,
            "node_ratio": None if is_idle else nodes["pilot"] / nodes["reference"],
            "time_ratio": median(ratios),
        }

    return harness.measure(
        "to a depth",
        comparisons,
        lambda comparison: [
            comparison.game, scale.positions, depth(comparison), scale.rounds, comparison.reference.digest[:16],
            comparison.pilot.digest[:16],
        ],
        work,
    )  # fmt: skip


def measure_suite(
    harness: Harness, comparisons: Sequence[Comparison], items: Sequence[EpdPosition], scale: Scale
) -> dict[str, int]:
    """By digest of the pilot: how many problems it solves, each with so many nodes."""
    pilots = {pilot.digest: pilot for comparison in comparisons for pilot in (comparison.reference, comparison.pilot)}

    def work(pilot: pp.Pilot) -> Figures:
        solved = 0
        for item in items:
            move = harness.search(pilot, item.position(), Limit(nodes=scale.suite_nodes)).move
            solved += move is not None and item.is_solved_by(move)
        return {"solved": solved}

    suite = suite_digest(items)
    figures = harness.measure(
        "suite", list(pilots.values()), lambda pilot: [suite, scale.suite_nodes, pilot.digest[:16]], work
    )
    return {digest: solved["solved"] for digest, solved in zip(pilots, figures, strict=True)}


def suite_digest(items: Sequence[EpdPosition]) -> str:
    """A short name for the content of a suite."""
    from hashlib import sha256

    return sha256("\n".join(f"{each.fen} {each.best} {each.avoid}" for each in items).encode()).hexdigest()[:16]


def read_suite(options: Any, scale: Scale) -> list[EpdPosition]:
    """The first problems of the suite; none where none is given."""
    if options.data is None:
        return []
    items = read_epd(options.data.read_text("utf-8", "replace"))
    for each in items:
        if isinstance(each, RecordError):
            raise SystemExit(f"{options.data}: {each}")
    return [each for each in items if not isinstance(each, RecordError)][: scale.problems]


def ratio_texts(row: Figures) -> list[str]:
    """Nodes and time beside the reference; a technique that had no occasion has no ratio of nodes."""
    return ["idle" if row["is_idle"] else f"x {row['node_ratio']:.2f}", f"x {row['time_ratio']:.2f}"]


def show(harness: Harness, game: str, rows: Sequence[Figures], problems: int) -> None:
    """One table a game and side."""
    for side, title in (("baseline", "the baseline without"), ("plain", "the plain pilot with")):
        here = [row for row in rows if row["side"] == side]
        with_suite = problems > 0 and any(row["solved"] is not None for row in here)
        columns = ["technique", "nodes", "time", *([f"solved of {problems}", "reference"] if with_suite else [])]
        harness.print_table(
            f"{game}: {title}",
            columns,
            [
                [row["technique"], *ratio_texts(row)] + ([row["solved"], row["reference_solved"]] if with_suite else [])
                for row in here
            ],
        )


def main(words: Sequence[str] | None = None) -> None:
    """Measures, prints and writes results/techniques.json."""
    options = read_options(__doc__, words, scales=SCALES, data="a chess suite as EPD, such as Win at Chess")
    scale = SCALES[options.scale]
    items = read_suite(options, scale)
    harness = Harness("techniques", options.scale, threads=options.threads, folder=options.out)
    try:
        comparisons = [comparison for game in scale.baseline_depths for comparison in list_comparisons(game)]
        rows = [
            {
                "game": comparison.game,
                "side": comparison.side,
                "technique": comparison.technique,
                "solved": None,
                "reference_solved": None,
            }
            | figures
            for comparison, figures in zip(comparisons, measure_depth(harness, comparisons, scale), strict=True)
        ]
        if items:
            chess = [comparison for comparison in comparisons if comparison.game == "chess"]
            solved = measure_suite(harness, chess, items, scale)
            for row, comparison in zip(rows, comparisons, strict=True):
                if comparison.game == "chess":
                    row |= {
                        "solved": solved[comparison.pilot.digest],
                        "reference_solved": solved[comparison.reference.digest],
                    }
        for game in scale.baseline_depths:
            show(harness, game, [row for row in rows if row["game"] == game], len(items))
        settings = {
            "techniques": [asdict(technique) for technique in TECHNIQUES],
            "suite": options.data.name if items else None,
            **asdict(scale),
        }
        harness.conclude([], {"rows": rows}, settings=settings)
    finally:
        harness.close()


if __name__ == "__main__":
    start(main)
