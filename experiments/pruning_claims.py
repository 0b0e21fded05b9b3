"""What ``kocsis_4_chess`` tells of its figures, and what Kocsis 2003 says of them; nothing is measured here.

Worths are differences, one a position, in hundredths of a pawn beside the full-width search of the same limit. Among
figures they are one line of text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import orderings
from harness import Claim, Figures, Harness, Missing
from plypilot.report.drawing import draw_lines, draw_small_lines

KINDS = ("ply", "iteration", "distance")
NAMES = {"ply": "FPV-d", "iteration": "FPV-it", "distance": "FPV-l", "function": "FPF", "a ply deeper": "a ply deeper"}
FUNCTION, DEEPER = "function", "a ply deeper"
MAIN_ALONE, BOARD, KEPT_BOARD = "iteration, ply, distance", "and board", "and board, learned beforehand"
SMALL_R, LARGE_R, ADAPTIVE_R = "R = 2", "R = 3", "R = 2, and 3 beyond six plies"
LEARNED_PASSING = "R by a function"
SEED = {
    "ply": {4: 0.32, 5: 0.19, 6: -0.09, 7: -0.96},
    "iteration": {4: 0.02, 5: 0.49, 6: -0.18, 7: 0.18},
    "distance": {4: 1.04, 5: 0.74, 6: 1.08, 7: 0.25},
    DEEPER: {4: 3.8, 5: 2.8, 6: 2.2, 7: 1.2},
}
"""Tables D.2 to D.4."""
RESAMPLES = 4000

Interval = tuple[float, float, float]
Worths = Sequence[float]


def interval(*groups: Worths) -> Interval:
    """The mean of the means of some groups of positions, with its 95% bootstrap interval. Raises Missing."""
    if not groups or not all(groups):
        raise Missing("not measured at this scale")
    chance = np.random.default_rng(0)
    means: NDArray[np.float64] = np.zeros(RESAMPLES)
    for group in groups:
        values = np.array(group, np.float64)
        for first in range(0, RESAMPLES, 100):
            drawn = chance.integers(len(values), size=(100, len(values)))
            means[first : first + 100] += values[drawn].mean(axis=1) / len(groups)
    middle = sum(float(np.mean(group)) for group in groups) / len(groups)
    low, high = np.quantile(means, (0.025, 0.975))
    return round(middle, 3), round(float(low), 3), round(float(high), 3)


def tell(told: Interval) -> str:
    """An interval, in a phrase."""
    return f"{told[0]:+.2f} [{told[1]:+.2f}, {told[2]:+.2f}]"


def write_worths(worths: Worths) -> str:
    """As one line."""
    return " ".join(f"{worth:g}" for worth in worths)


def read_worths(own: Figures) -> Worths:
    """Of fresh positions, from figures; none where nothing was measured."""
    return [float(text) for text in own.get("fresh", "").split()]


def winner(told: Figures, kind: str) -> Worths:
    """What the function, or the vector that was best where it was chosen, is worth on fresh positions."""
    own = told.get(kind, {})
    return read_worths(next(iter(own["rows"]), {}) if "rows" in own else own)


def difference(one: Worths, other: Worths) -> list[float]:
    """Position by position; nothing where either was not measured."""
    return [a - b for a, b in zip(one, other, strict=True)] if one and other else []


# Tables and figures


def show_kinds(made: Harness, depth: str, told: Figures) -> None:
    """The best vectors and the function at one depth, as tables D.2 to D.4 have them."""
    rows: list[tuple[str, ...]] = []
    for kind, own in told.items():
        seed = f"{SEED[kind][int(depth)]:+.2f}" if int(depth) in SEED.get(kind, {}) else ""
        for number, row in enumerate(own.get("rows", [own])):
            widths = " ".join(str(width or "all") for width in row.get("widths", ()))
            chosen = row.get("chosen", row.get("learning"))
            rows.append(
                (
                    NAMES[kind],
                    widths,
                    "" if chosen is None else f"{chosen:+.2f}",
                    tell(interval(read_worths(row))) if row["fresh"] else "nothing kept to the limit",
                    "" if row["share"] is None else f"{row['share']:.2f}",
                    "" if number else seed,
                )
            )
    columns = (f"reference depth {depth}", "widths", "where chosen", "fresh positions", "nodes", "the seed's best")
    made.print_table("worth in hundredths of a pawn", columns, rows)


def show_inputs(made: Harness, told: Mapping[str, Figures]) -> None:
    """Which inputs help, on what was learned from and on fresh positions."""
    base = read_worths(told[MAIN_ALONE])
    rows = []
    for name, own in told.items():
        learning = "" if own["learning"] is None else f"{own['learning']:+.2f}"
        fresh = tell(interval(read_worths(own))) if own["fresh"] else "nothing kept to the limit"
        beside = difference(read_worths(own), base)
        rows.append((name, learning, fresh, tell(interval(beside)) if beside else ""))
    made.print_table("inputs of a function", ("", "where learned", "fresh positions", "beside the first"), rows)


def show_passing(made: Harness, told: Mapping[str, Figures]) -> None:
    """How well searches do by how much passing takes."""
    base = read_worths(told[LARGE_R])
    rows = []
    for name in (SMALL_R, LARGE_R, ADAPTIVE_R, LEARNED_PASSING):
        own = told[name]
        beside = difference(read_worths(own), base)
        fresh = tell(interval(read_worths(own))) if own["fresh"] else "nothing kept to the limit"
        share = "" if own["share"] is None else f"{own['share']:.2f}"
        rows.append((name, fresh, share, tell(interval(beside)) if beside and name != LARGE_R else ""))
    made.print_table("what passing takes", ("", "fresh positions", "nodes", f"beside {LARGE_R}"), rows)


def draw_figures(figures: Figures) -> str:
    """Figures 4.5, 4.6 (the best vectors of the deepest search) and 4.7, one below the other."""
    depths = [
        depth for depth, told in figures["depths"].items() if all(winner(told, kind) for kind in (*KINDS, DEEPER))
    ]
    if not depths:
        raise SystemExit("nothing to draw: no depth has vectors of every kind that keep to the limit")
    x = np.array([float(depth) for depth in depths])

    def lines(*kinds: str) -> dict[str, NDArray[np.float64]]:
        return {
            NAMES[kind]: np.array([float(np.mean(winner(figures["depths"][depth], kind) or 0)) for depth in depths])
            for kind in kinds
        }

    across, up = "reference depth", "hundredths of a pawn"
    deepest = figures["depths"][depths[-1]]
    vectors = {NAMES[kind]: np.array(deepest[kind]["rows"][0]["widths"], float) for kind in KINDS}
    most = max(float(widths.max()) for widths in vectors.values()) + 10
    drawn = {name: np.where(widths > 0, widths, most) for name, widths in vectors.items()}
    places = np.arange(1, len(next(iter(drawn.values()))) + 1, dtype=np.float64)
    return orderings.stack(
        [
            draw_lines(x, lines(*KINDS, DEEPER), across=across, up=up),
            draw_small_lines(
                places, drawn, across=f"place; quiet moves searched at depth {depths[-1]}, {most:.0f}: all"
            ),
            draw_lines(x, lines("distance", FUNCTION, DEEPER), across=across, up=up),
        ]
    )


# Claims


def _judge(groups: Sequence[Worths]) -> tuple[bool | None, str]:
    """Above 0, below it, or open where 0 is in the interval."""
    told = interval(*(group for group in groups if group))
    return None if told[1] <= 0 <= told[2] else told[0] > 0, tell(told)


def _depths(figures: Figures, *kinds: str) -> list[Figures]:
    every = [told for told in figures["depths"].values() if all(winner(told, kind) for kind in kinds)]
    if not every:
        raise Missing("not measured at this scale")
    return every


def _is_best_kind(figures: Figures, _: float) -> tuple[bool, str]:
    every = _depths(figures, *KINDS)
    best = [max(KINDS, key=lambda kind, told=told: float(np.mean(winner(told, kind)))) for told in every]  # type: ignore[misc]
    return 2 * best.count("distance") > len(best), f"best at {best.count('distance')} of {len(best)} depths"


def _is_positive(figures: Figures, _: float) -> tuple[bool | None, str]:
    return _judge([winner(told, "distance") for told in _depths(figures, "distance")])


def _beats(one: str, other: str) -> Any:
    def holds(figures: Figures, _: float) -> tuple[bool | None, str]:
        every = _depths(figures, one, other)
        return _judge([difference(winner(told, one), winner(told, other)) for told in every])

    return holds


def _overfits(figures: Figures, _: float) -> tuple[bool, str]:
    base, board = (_input(figures, name) for name in (MAIN_ALONE, BOARD))
    told = interval(difference(read_worths(board), read_worths(base)))
    gained = board["learning"] - base["learning"]
    return gained > 0 and told[0] < 0, f"where learned {gained:+.2f}, on fresh positions {tell(told)}"


def _keeps(figures: Figures, _: float) -> tuple[bool, str]:
    base, kept = (_input(figures, name) for name in (MAIN_ALONE, KEPT_BOARD))
    told = interval(difference(read_worths(kept), read_worths(base)))
    return told[2] >= 0, tell(told)


def _decides_passing(figures: Figures, _: float) -> tuple[bool | None, str]:
    told = figures["passing"]
    if not told or not told[LEARNED_PASSING]["fresh"]:
        raise Missing("not measured at this scale")
    learned, small = told[LEARNED_PASSING], told[SMALL_R]
    better, text = _judge([difference(read_worths(learned), read_worths(told[LARGE_R]))])
    is_cheaper = learned["share"] < small["share"]
    text = f"{text}, nodes {learned['share']:.2f} beside {small['share']:.2f}"
    return (None if is_cheaper and better is None else bool(better) and is_cheaper), text


def _input(figures: Figures, name: str) -> Figures:
    told: Figures = figures["inputs"].get(name, {})
    if not told.get("fresh"):
        raise Missing("not measured at this scale")
    return told


CLAIMS = [
    Claim("FPV-l is the best kind", "figure 4.5", "the best of the three at most depths", 0, _is_best_kind),
    Claim(
        "FPV-l is better than full width",
        "at depths 4 to 7 by 0.25 to 1.08 (table D.4)",
        "mean over depths on fresh positions: its 95% interval is above 0; open where 0 is in it",
        0,
        _is_positive,
    ),
    Claim(
        "the function is better than FPV-l",
        "figure 4.7",
        "paired, over all depths: the 95% interval is above 0; open where 0 is in it",
        0,
        _beats(FUNCTION, "distance"),
    ),
    Claim(
        "a ply deeper is better than the function",
        "figure 4.7",
        "paired, over all depths: the 95% interval is above 0; open where 0 is in it",
        0,
        _beats(DEEPER, FUNCTION),
    ),
    Claim(
        "the board overfits",
        "better where it was learned, very harmful elsewhere (4.5.2)",
        "better than without it where learned, and worse on fresh positions",
        0,
        _overfits,
    ),
    Claim(
        "a board that is learned beforehand does no harm",
        "no overfitting, no gain (4.5.2)",
        "paired with functions without it, on fresh positions: the interval does not lie below 0",
        0,
        _keeps,
    ),
    Claim(
        "a function decides what passing takes",
        "the assumptions hold for R of the null move (4.3.2); not tried there",
        "fewer nodes than R = 2, and better than R = 3 by the paired interval; open where 0 is in it",
        0,
        _decides_passing,
    ),
]
