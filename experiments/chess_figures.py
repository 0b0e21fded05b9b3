"""The tables and drawings of ``kocsis_3_chess``, made of its figures; nothing is measured here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

import orderings
from chess_claims import ALL, FACTORS, SEED_RATES, weight_name
from chess_pilots import USES
from chess_prediction import LEARNING_SETS
from harness import Figures, Harness, mean
from plypilot.report.drawing import draw_lines


def tell_rows(made: Harness, title: str, rows: Sequence[orderings.Row], asking: orderings.Asking) -> list[Figures]:
    """Prints rows, each with the share of its time that asking the network took, and gives them as plain data."""
    shares = [row.judged_rate * asking.seconds for row in rows]
    made.print_table(
        title,
        (*orderings.COLUMNS, "asking", "positions"),
        [[*row.cells(), f"{share:.1%}", row.positions] for row, share in zip(rows, shares, strict=True)],
    )
    kept = ("pilot", "depth", "nodes", "seconds", "first_cuts", "reference_first_cuts", "positions")
    return [
        {**{name: row.content()[name] for name in kept}, "asking": round(share, 4)}
        for row, share in zip(rows, shares, strict=True)
    ]


def show_rates(made: Harness, rates: Mapping[str, Mapping[str, float]]) -> None:
    """Table 3.2, ours and the seed's."""
    seed = {f"the seed, {name}": own for name, own in SEED_RATES.items()}
    sets = list(next(iter(rates.values())))
    made.print_table(
        "Table 3.2: how often the move that was played comes first",
        ("", *sets, "mean"),
        [
            [row, *(f"{own[name]:.3f}" if name in own else "" for name in sets), f"{mean(own.values()):.3f}"]
            for row, own in {**rates, **seed}.items()
        ],
    )


def show_sets(made: Harness, counts: Mapping[str, Mapping[str, int]]) -> None:
    """Table 3.1: the positions of each learning set, ours and the seed's."""
    made.print_table(
        "Table 3.1: positions by opening",
        ("", "codes", "learning", "validation", "test", "learning, the seed"),
        [
            [
                name,
                LEARNING_SETS[name][0] or "A00-E99",
                *(f"{count:,}" for count in own.values()),
                f"{LEARNING_SETS[name][1]:,}",
            ]
            for name, own in counts.items()
        ],
    )


def draw_figures(figures: Figures) -> str:
    """One below the other, as far as they are measured: trees by depth, the scan of weights, and scores."""
    drawings = []
    for part in ("uses-reduced", "uses-full"):
        if part in figures:
            drawings.append(_draw_uses(figures[part]["rows"], f"nodes beside history, {part.partition('-')[2]}"))
    for name, own in figures.get("weights", {}).get("networks", {}).items():
        drawings.append(_draw_scan(figures["weights"]["reduced"]["rows"], name, own["usual_weight"]))
    if "weights" in figures:
        shares = figures["weights"]["reduced"]["history"]
        lines = {"quiet moves": np.array(shares["moves"])}
        across = "history of a move, as a share of all updates"
        drawings.append(draw_lines(np.array(shares["middles"]), lines, across=across, up="share of moves"))
    if "networks" in figures:
        scores = figures["networks"]["scores"]
        lines = {
            f"{name}, {kind.replace('_', ' ')}": np.array(own[kind])
            for name, own in scores["networks"].items()
            for kind in ("all_moves", "best_moves")
        }
        across = "score of the network, in standard deviations"
        drawings.append(draw_lines(np.array(scores["middles"]), lines, across=across, up="share of moves"))
    return orderings.stack(drawings)


def _draw_uses(rows: Sequence[Figures], up: str) -> str:
    names = [f"{ALL}, {use}" for use in USES]
    depths = sorted({row["depth"] for row in rows if row["pilot"] == names[0]})
    by_place = {(row["pilot"], row["depth"]): float(row["nodes"][0]) for row in rows}
    lines = {name: np.array([by_place[name, depth] for depth in depths]) for name in names}
    return draw_lines(np.array(depths, float), lines, across="depth in plies", up=up)


def _draw_scan(rows: Sequence[Figures], name: str, usual: float) -> str:
    by_place = {(row["pilot"], row["depth"]): float(row["nodes"][0]) for row in rows}
    lines = {
        f"depth {depth}": np.array([by_place[weight_name(name, factor), depth] for factor in FACTORS])
        for depth in sorted({row["depth"] for row in rows})
    }
    across = f"weight of history with {name}, in doublings of {usual:.3g}"
    return draw_lines(np.log2(np.array(FACTORS)), lines, across=across, up="nodes beside history")
