"""Tables and drawings of ``smith_7``: weights of places and the matches played with them, beside the seed's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from harness import Figures, Harness
from parts import Drawing
from plypilot.boards import Board, find_boards
from plypilot.report.drawing import draw_bars, draw_boards, draw_lines
from selfplay import CHESS, show_matches
from square_weights import (
    FREQUENCIES,
    RANKS,
    SEED_COMPOSITE,
    SEED_FULL_PIECES,
    SEED_FULL_SPREADS,
    SEED_MATCHES,
    SEED_PIECES,
    SEED_RAW,
    SEED_SPREADS,
    Weights,
    board,
    from_least,
    seed_half_board,
    seed_queen,
    seed_rings,
    typical_values,
)


def show(harness: Harness, figures: Figures) -> None:
    """Prints our tables beside the seed's."""
    columns = ["", *(f"rank {i + 2}, ring {i + 1}" if i < 4 else f"rank {i + 2}" for i in range(6))]

    def beside(
        title: str, first: str, ours: Mapping[str, Sequence[float]], seed: Mapping[str, Sequence[float]]
    ) -> None:
        rows = []
        for piece in CHESS:
            rows.append([f"{piece} ours", *(f"{value:.2f}" for value in ours[piece])])
            rows.append([" the seed", *(f"{value:.2f}" for value in seed[piece])])
        width = max(len(row) for row in rows)
        harness.print_table(title, [first, *columns[1:]], [[*row, *[""] * (width - len(row))] for row in rows])

    if "ranks" in figures:
        ranks = [figures["ranks"]["material"]["pawn"], *figures["ranks"][RANKS].values()]
        harness.print_table(
            "7.2.1: a pawn and its ranks, of 11 weights beside the 27 of table 7.1",
            ["", "pawn", *(f"rank {rank}" for rank in range(2, 8))],
            [
                ["ours", *(f"{value:.2f}" for value in ranks)],
                ["the seed, with rings", *(f"{value:.2f}" for value in SEED_RAW["pawn"])],
            ],
        )
    if "rings" in figures:
        raw = figures["rings"]["ranks_rings"]
        own = {piece: [value for key, value in raw.items() if key.startswith(f"{piece}_")] for piece in CHESS}
        beside("Table 7.1: weights of places", "", own, {piece: values[1:] for piece, values in SEED_RAW.items()})
        beside("Table 7.2: a pawn on its second rank is 1", "value and place", figures["composite"], SEED_COMPOSITE)
    if figures["frequencies"]:
        beside("Table 7.4: where pieces stand, in per cent", "", figures["frequencies"], FREQUENCIES)
    rows = []
    for key, name, *seed in (
        ("boards", "half boards", SEED_PIECES, SEED_SPREADS),
        ("full", "full boards", SEED_FULL_PIECES, SEED_FULL_SPREADS),
    ):
        if key in figures:
            pairs = zip(figures[f"{key}_pieces"], figures[f"{key}_spreads"], strict=True)
            rows.append([name, *(f"{value:.2f} ({spread:.2f})" for value, spread in pairs)])
            rows.append(["  the seed", *(f"{value:.2f} ({spread:.2f})" for value, spread in zip(*seed, strict=True))])
    if rows:
        harness.print_table(
            "Table D.2: values of pieces beside their squares (deviation over runs), a pawn being 1", ["", *CHESS], rows
        )
    if "boards" in figures:
        pawn, theirs = figures["boards"]["material"]["pawn"], {"half_board": seed_half_board()}
        for piece in CHESS:
            own, seed = (from_least(each) for each in (board(figures["boards"], piece) / pawn, board(theirs, piece)))
            lines = [
                [f"{rank + 1}", *(f"{value:.2f}" for value in (*own[rank], *seed[rank]))]
                for rank in reversed(range(8))
                if np.isfinite(own[rank]).all()
            ]
            columns = ["rank", "a, h", "b, g", "c, f", "d, e", *(f"seed {each}" for each in ("a", "b", "c", "d"))]
            harness.print_table(f"Table D.3: {piece}, a pawn being 1 and the least square 0", columns, lines)
    if "queens" in figures:
        (ours,) = as_printed(queen_boards(figures), figures["full"])
        lines = [[f"{rank + 1}", *(f"{value:.2f}" for value in ours.values[rank])] for rank in reversed(range(8))]
        harness.print_table("Table D.4: queens on full boards, a pawn being 1 and the least square 0",
                            ["rank", *"abcdefgh"], lines)  # fmt: skip
    if figures["matches"]:

        def seed_score(name: str) -> str:
            wins, draws, losses = SEED_MATCHES[name]
            return f"+{wins} ={draws} -{losses}, {(wins + draws / 2) / (wins + draws + losses):.1%}"

        show_matches(harness, f"Tables 7.3, 7.5: matches at depth {figures['depth']}", figures["matches"], seed_score)


def queen_boards(figures: Figures) -> list[Board]:
    """The full board of queens (table D.4)."""
    queens = {key: value for key, value in figures["full"]["full_board"].items() if key.startswith("queen_")}
    return find_boards(queens, 8, 8)


def as_printed(boards: Sequence[Board], weights: Weights) -> list[Board]:
    """Boards as tables D.3 and D.4 have them: a pawn is 1, and the least square of a piece 0."""
    pawn = weights["material"]["pawn"]
    return [replace(each, values=from_least(each.values / pawn)) for each in boards]


def draw(figures: Figures) -> Iterator[Drawing]:
    """Figures 7.3, 7.4, 7.6 to 7.12 and 7.15, and pawn ranks while they are learned."""
    if figures.get("rank_traces"):
        trace = figures["rank_traces"][0]
        lines = {f"rank {rank}": np.array(trace["values"])[:, rank - 2] for rank in range(2, 8)}
        yield Drawing(
            "ranks",
            "7.2.1: the weights of pawn ranks while 11 weights are learned, of one run",
            lambda: draw_lines(np.array(trace["games"], float), lines, across="games", up="pawns"),
        )
    if "composite" in figures:
        groups = [*(f"rank {i}" for i in range(2, 8)), *(f"ring {i}" for i in range(1, 5))]
        bars: dict[str, list[float | None]] = {}
        for piece in CHESS:
            for who, told in (("", figures["composite"]), (", the seed", SEED_COMPOSITE)):
                values = list(told[piece])
                bars[f"{piece}{who}"] = [*values, *[None] * 4] if piece == "pawn" else [*[None] * 6, *values]
        yield Drawing(
            "places",
            "Figure 7.3: value and place together, a pawn on its second rank being 1",
            lambda: draw_bars(groups, bars, up="value", height=4.0),
        )
        seed, ours = typical_values(seed_rings()), figures["typical"]
        typical = {
            "ours": [ours[piece] / ours["pawn"] for piece in CHESS],
            "the seed": [seed[piece] / seed["pawn"] for piece in CHESS],
        }
        yield Drawing(
            "typical",
            "Figure 7.4: typical values, by the frequencies of table 7.4",
            lambda: draw_bars(CHESS, typical, up="value"),
        )
    if "boards" in figures:
        yield Drawing(
            "half_boards",
            "Figures 7.6 to 7.10: half boards, a pawn being 1 and the least square 0",
            lambda: draw_boards(as_printed(find_boards(figures["boards"]["half_board"], 8, 8), figures["boards"])),
        )
        yield Drawing(
            "half_boards_seed",
            "Figures 7.6 to 7.10: those of the seed (table D.3)",
            lambda: draw_boards(find_boards(seed_half_board(), 8, 8)),
        )
    if "full" in figures:
        (ours,), (theirs,) = as_printed(queen_boards(figures), figures["full"]), find_boards(seed_queen(), 8, 8)
        yield Drawing(
            "queen",
            "Figure 7.11: the full board of queens, and the seed's (table D.4)",
            lambda: draw_boards([ours, replace(theirs, name="queen, the seed")], columns=2),
        )
        if "boards" in figures:
            values = {
                "half boards": figures["boards_pieces"],
                "full boards": figures["full_pieces"],
                "the seed, half boards": SEED_PIECES,
                "the seed, full boards": SEED_FULL_PIECES,
            }
            spreads = {
                "half boards": figures["boards_spreads"],
                "full boards": figures["full_spreads"],
                "the seed, half boards": SEED_SPREADS,
                "the seed, full boards": SEED_FULL_SPREADS,
            }
            yield Drawing(
                "pieces",
                "Figure 7.12: values of pieces beside their squares, with deviations over runs",
                lambda: draw_bars(CHESS, values, up="value", spreads=spreads),
            )
    if figures["steepness"]:
        traces = figures["steepness"]
        games = np.array(next(iter(traces.values()))["games"], float)
        lines = {name: np.array(trace["values"])[:, 0] for name, trace in traces.items()}
        yield Drawing(
            "steepness",
            "Figure 7.15: the steepness from 1 and from 0.5",
            lambda: draw_lines(games, lines, across="games", up="steepness"),
        )
