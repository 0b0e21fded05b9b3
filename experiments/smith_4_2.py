"""Several probes of the transposition table: Smith 1999, section 4.2, tables 4.1 to 4.3, figures 4.1 and 4.2.

    python experiments/smith_4_2.py [--scale quick|full|PART] [--threads N]

Middle-game positions are searched to a fixed depth with tables of seven sizes, by 1, 2, 4, 8 or 16 probes or by the
two-level scheme ("Twin"). What counts is every node, those of quiescence included. Every full-width node is kept in the
table, those at the horizon too, where quiescence begins (4.2.2); probes are an entry and its successors (4.2.5.3). An
entry of the horizon has no move, as none was searched by full width. Beside them stand four probes that share cache
lines ("aligned"), which is what other searches of ours have.

The depth of a position is the deepest that one probe of a middling table reaches within a node limit, so that the sizes
of the trees stay within an order of magnitude (4.2.4) and come to some tens of millions of nodes. Ours differs from the
seed in the positional part of the evaluation (fixed here, computed at the root there). The seed does not tell how
captures were ordered among themselves, only that they come before other moves (3.4) and that history made more than
half of the tree go (4.2.5.7): here they are tried as they are generated.

Parts, each with six of the thirty positions: a, b, c, d, e, some 10 minutes on two cores each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

import plypilot as pp
from harness import Claim, Figures, Harness, Missing, deviation, mean
from intervals import CONFIDENCE, mean_error
from parts import Drawing, Experiment
from plypilot.report.drawing import draw_bars, draw_points
from plypilot.searcher import Limit

POSITIONS = [
    ("Topalov-Kasparov", "2b1kb2/1pq3rp/r2p1pp1/p1nBpPN1/8/4BQ2/PPP3PP/R4RK1", 9),
    ("Kramnik-Seirawan", "5rk1/r2n1ppp/p2Bpn2/q7/8/p2Q1B2/2P2PPP/3R1RK1", 9),
    ("Lautier-Short", "1r3r2/1b2bpkp/pp2qnp1/2ppN2P/3P1P2/PQN1PB2/1P3P2/3RK1R1", 7),
    ("Gelfand-Anand", "1bqrr1k1/1p3p1p/p1p5/3n1pp1/1PNP2b1/P2NP1P1/2Q2P1P/R3RBK1", 8),
    ("Timman-Piket", "r1b2rk1/1p3pp1/4p2p/1B2n1b1/p2RP3/P1N4P/1PPNR1P1/2K5", 10),
    ("Short-Gelfand", "r1r1k3/3nbpp1/p1qp1n2/1p2pPB1/4P3/P1N4Q/1PPN3P/R5RK", 8),
    ("Anand-Topalov", "1rb2rk1/2q2ppp/3p4/3P4/pp3BPb/5B2/PPPQ3P/2KR2R1", 8),
    ("Seirawan-Lautier", "r1b1r1k1/pp3ppp/2pQ1n2/P5q1/2PPp2n/2N1P2P/3N1PP1/R2R1BK1", 8),
    ("Piket-Kasparov", "r1r3k1/1n1bB1b1/p4pp1/1p1Pp2n/4P3/5P1P/PP1KNN2/R4B1R", 8),
    ("Timman-Kramnik", "3q1rk1/5pp1/2n1pb1p/p1Pp4/3P4/1PN2N2/3Q1PPP/1R4K1", 9),
    ("Topalov-Short", "r2qr2k/1p1b2pp/p4p2/2BR1P1Q/8/1B6/PPP3PP/6K1", 9),
    ("Kasparov-Anand", "r2qr1k1/p2b1pp1/2n1pb1p/2ppN3/3P1B2/2PB4/P4PPP/1R1QR1K1", 9),
    ("Lautier-Timman", "r4rk1/p3qpp1/1p1n3p/1P1P4/3p4/P2B2B1/1PQ2PPP/1K1R4", 9),
    ("Gelfand-Seirawan", "4r1k1/pb1q1rpp/1p3n2/3p1p2/P1pP4/2P1PP2/3BB1PP/RQ3RK1", 8),
    ("Short-Kasparov", "3r1rk1/2q1bpn1/p3p1p1/1p2P2p/1P1BQ1P1/2P5/P1B4P/R4RK1", 9),
    ("Kramnik-Lautier", "r4rk1/1p1b1pp1/pq1b3p/8/1P2BP2/P2Q4/3R2PP/2B2RK1", 10),
    ("Seirawan-Topalov", "2r1r1k1/3nqpp1/2p2n1p/p2p4/1PpP4/P3PP2/1Q2NBPP/R4RK1", 9),
    ("Timman-Gelfand", "4rrk1/pp3pp1/2p4p/3pNn2/3P4/1PP5/P4PPP/4RRK1", 10),
    ("Topalov-Timman", "r2q2k1/1p1n1rp1/4p2B/p2pPp2/3P3b/1P1BQP1P/P4P2/1R4RK", 9),
    ("Kasparov-Seirawan", "r1b1k1r1/1p1n1q2/p3p2p/4PpB1/P1Q5/2N2N1P/1P4P1/R6K", 9),
    ("Anand-Short", "r2q1n1r/4bpkn/3p2p1/pQ1Pp1P1/Pp4B1/1N2B3/1PP2P2/2KR3R", 9),
    ("Lautier-Piket", "2r2Bk1/pb3ppp/4pn2/4q3/2B1n3/4P3/4QPPP/R4RK1", 9),
    ("Kramnik-Topalov", "r4rk1/pb1nb2p/1q1p2p1/2pPPp2/1p3P1N/1P4P1/1B5P/R2QRBK1", 9),
    ("Lautier-Gelfand", "2kr1b1r/1bq3pp/8/1pn1p3/2p5/4BN2/1PB1QPPP/R4RK1", 9),
    ("Seirawan-Anand", "r3r1k1/ppq2pb1/3np1p1/3pN2p/P2P1P1P/2PQ2P1/1P1N2K1/R3R3", 8),
    ("Piket-Short", "r1q3k1/p3rpp1/1p5p/1BnR1Q2/8/4PN2/Pb3PPP/5RK1", 9),
    ("Timman-Kasparov", "r1b2q1k/3nb2n/p2p1rp1/1p1Pp3/4P2p/1NN1BP1P/PP1QB3/1K1R2R1", 8),
    ("Kasparov-Kramnik", "r1b2k1r/4bp2/4pp2/3q1P1p/pp6/3B3Q/PPP1N1PP/1KR4R", 9),
    ("Short-Seirawan", "r4rk1/n1q1bpp1/2p1p1bp/P2pP3/2nP4/1NB2N2/Q3BPPP/R3R1K1", 9),
    ("Anand-Timman", "r4r1k/1bpqb3/p1np4/3Np2p/Q3Ppp1/2PP1N1P/1P2KPP1/R1B1R3", 9),
]
"""Games of the 10th VSB tournament, Amsterdam 1996, after Black's 20th move, White to move; the depth the seed searched
(Smith A.1; in the fourth, a letter O on the second rank was read as the queen). No castling."""

SCHEMES: dict[str, dict[str, object]] = {
    "P=1": {"search.table.probes": 1},
    "P=2": {"search.table.probes": 2},
    "P=4": {"search.table.probes": 4},
    "P=8": {"search.table.probes": 8},
    "P=16": {"search.table.probes": 16},
    "Twin": {"search.table.two_level": True},
    "P=4 aligned": {"search.table.probes": 4, "search.table.aligned": True},
}
BANDS = ((0, 0.1), (0.1, 1), (1, 10), (10, 100))
"""Saturation: nodes of the single-probe search for each entry of the table (4.2.1)."""

SEED_NODES = (34_760_717, 30_083_815, 25_943_307, 22_299_509, 19_572_931, 17_374_383, 15_853_931)
"""Table 4.1, 2^14 to 2^20 entries."""
SEED_BY_SIZE = {
    "P=2": ((11.6, 5.2), (10.4, 4.6), (10.7, 5.9), (12.7, 6.4), (13.4, 5.5), (12.3, 5.1), (10.5, 4.2)),
    "P=4": ((14.9, 6.2), (12.9, 5.6), (14.0, 7.6), (17.1, 8.8), (18.1, 6.2), (15.2, 5.7), (12.5, 4.8)),
    "P=8": ((15.9, 6.2), (13.8, 6.5), (15.4, 8.1), (19.4, 9.2), (19.6, 6.4), (15.9, 6.0), (13.0, 4.8)),
    "P=16": ((15.9, 6.4), (14.3, 7.1), (15.9, 8.4), (20.6, 9.5), (19.9, 6.6), (16.0, 6.0), (12.5, 5.4)),
    "Twin": ((0.3, 12.5), (3.5, 5.1), (3.8, 4.2), (1.7, 5.1), (1.8, 4.0), (1.7, 4.3), (0.8, 6.6)),
}
"""Table 4.2: mean and standard deviation of the saving in per cent, 2^14 to 2^20 entries."""
SEED_BY_BAND = {
    "P=2": ((0.1, 0.2), (1.8, 2.2), (6.7, 4.4), (10.8, 5.8)),
    "P=4": ((0.1, 0.2), (1.9, 2.3), (8.0, 5.1), (13.9, 7.3)),
    "P=8": ((0.1, 0.2), (1.9, 2.3), (8.4, 5.4), (15.0, 7.7)),
    "P=16": ((0.1, 0.2), (1.9, 2.3), (8.4, 5.6), (15.4, 7.9)),
    "Twin": ((0.1, 0.2), (1.3, 1.8), (0.8, 3.6), (0.0, 5.0)),
}
"""Table 4.3."""


@dataclass(frozen=True)
class Scale:
    """How much is searched."""

    positions: tuple[int, ...]
    """Their numbers in the list."""
    nodes: int
    """A position is searched to the deepest iteration that one probe ends within so many nodes."""
    sizes: tuple[int, ...]
    """Tables, as log2 of their entries."""
    plain_sizes: tuple[int, ...]
    """Those that are searched without history too."""


SIZES = (14, 15, 16, 17, 18, 19, 20)
SCALES = {
    "tiny": Scale((0, 1), 20_000, (14, 15), (14,)),
    "quick": Scale(tuple(range(0, 30, 5)), 2_000_000, (14, 15, 16), (14, 16)),
}
PARTS = {name: Scale(tuple(range(number, 30, 5)), 40_000_000, SIZES, (14, 20)) for number, name in enumerate("abcde")}
PLAIN_SCHEMES = ("P=1", "P=4", "P=8")
"""Searched without history too."""


def make_pilot() -> pp.Pilot:
    """Material with a small part by squares: what a piece can reach from its ring, and how far a pawn has come."""
    rings = {"knight": (0, 7, 15, 17), "bishop": (0, 5, 10, 15), "rook": (0, 1, 2, 3), "queen": (0, 3, 6, 9)}
    squares = {
        f"{piece}_ring_{ring}": value for piece, by_ring in rings.items() for ring, value in enumerate(by_ring, 1)
    }
    squares |= {f"pawn_rank_{rank}": value for rank, value in enumerate((0, 2, 6, 12, 20, 30), 2)}
    material = pp.Pilot.plain("chess", "material").evaluation.named("chess")["material"]
    evaluation = pp.Evaluation.linear("chess", {"material": material, "ranks_rings": squares})
    return pp.Pilot(game="chess", evaluation=evaluation).replace(
        {
            "search.quiescence.on": True,
            "ordering.table_move": True,
            "ordering.captures": True,
            "ordering.exchange": False,
            "ordering.history": True,
            "search.table.aligned": False,
            "search.table.horizon": True,
        }
    )


@dataclass(frozen=True)
class Run:
    """One search: a position, a size, a scheme."""

    position: int
    depth: int
    size: int
    scheme: str
    history: bool

    def pilot(self, base: pp.Pilot) -> pp.Pilot:
        """What steers it."""
        return base.replace(
            {"search.table.log2_entries": self.size, "ordering.history": self.history, **SCHEMES[self.scheme]}
        )


def set_up(number: int) -> pp.Position:
    """A position of the set by its index."""
    return pp.Position("chess", f"{POSITIONS[number][1]} w - - 0 1")


def find_depths(harness: Harness, base: pp.Pilot, scale: Scale) -> dict[int, int]:
    """The depth to search each position to."""
    middle = Run(0, 0, scale.sizes[len(scale.sizes) // 2], "P=1", True).pilot(base)

    def work(number: int) -> Figures:
        return {"depth": harness.search(middle, set_up(number), Limit(nodes=scale.nodes)).depth}

    searches = harness.measure(
        "depths", scale.positions, lambda number: [number, scale.nodes, middle.digest[:16]], work
    )
    return {number: search["depth"] for number, search in zip(scale.positions, searches, strict=True)}


def measure(harness: Harness, scale: Scale) -> Figures:
    """The depths by position, and for every search the nodes up to each iteration, and the move."""
    base = make_pilot()
    depths = find_depths(harness, base, scale)
    runs = [
        Run(position, depths[position], size, scheme, history)
        for history in (True, False)
        for size in (scale.sizes if history else scale.plain_sizes)
        for position in scale.positions
        for scheme in (SCHEMES if history else PLAIN_SCHEMES)
    ]

    def work(run: Run) -> Figures:
        result = harness.search(run.pilot(base), set_up(run.position), Limit(depth=run.depth))
        return {
            "nodes": [iteration.nodes.all for iteration in result.iterations],
            "move": str(result.move),
            "score": result.score,
        }

    searches = harness.measure(
        "searches", runs, lambda run: [run.position, run.depth, run.pilot(base).digest[:16]], work
    )
    told: Figures = {}
    for run, search in zip(runs, searches, strict=True):
        key = f"{run.size} {run.scheme}" + ("" if run.history else ", plain")
        told.setdefault(str(run.position), {})[key] = [search["nodes"], search["move"]]
    return {
        "depths": {str(position): depth for position, depth in depths.items()},
        "searches": told,
        "sizes": list(scale.sizes),
        "plain_sizes": list(scale.plain_sizes),
    }


def summarise(measured: Figures) -> Figures:
    """Our tables."""
    searches = measured["searches"]
    positions = sorted(searches, key=int)
    sizes, plain_sizes = measured["sizes"], measured["plain_sizes"]

    def nodes(position: str, size: int, scheme: str, history: bool = True) -> list[int]:
        return list(searches[position][f"{size} {scheme}" + ("" if history else ", plain")][0])

    def savings(size: int, scheme: str, history: bool = True) -> list[float]:
        return [
            100 * (1 - nodes(position, size, scheme, history)[-1] / nodes(position, size, "P=1", history)[-1])
            for position in positions
        ]

    others = [scheme for scheme in SCHEMES if scheme != "P=1"]
    baseline = [mean(nodes(position, size, "P=1")[-1] for position in positions) for size in sizes]
    by_band: dict[str, list[Any]] = {scheme: [] for scheme in others}
    within_band = []
    for low, high in BANDS:
        for scheme in others:
            pairs = [
                (size, 100 * (1 - there / here))
                for size in sizes
                for position in positions
                for here, there in zip(nodes(position, size, "P=1"), nodes(position, size, scheme), strict=True)
                if low <= here / 2**size < high
            ]
            values = [value for _, value in pairs]
            by_band[scheme].append([mean(values), deviation(values), len(values)] if values else None)
            if (scheme, low) == ("P=8", 1):
                by_size = {size: [value for which, value in pairs if which == size] for size in sizes}
                within_band = [mean(by_size[size]) if by_size[size] else None for size in sizes]
    plain = {
        str(size): {
            "cost": mean(
                nodes(position, size, "P=1", False)[-1] / nodes(position, size, "P=1")[-1] for position in positions
            ),
            "total_cost": sum(nodes(position, size, "P=1", False)[-1] for position in positions)
            / sum(nodes(position, size, "P=1")[-1] for position in positions),
            "savings": {
                scheme: [mean(savings(size, scheme)), mean(savings(size, scheme, False))]
                for scheme in PLAIN_SCHEMES
                if scheme != "P=1"
            },
        }
        for size in plain_sizes
    }
    same = [
        search[1] == by_key[f"{key.split()[0]} P=1" + (", plain" if key.endswith(", plain") else "")][1]
        for by_key in searches.values()
        for key, search in by_key.items()
        if " P=1" not in key.replace("P=16", "")
    ]
    most = [max(nodes(position, sizes[0], "P=1")) for position in positions]
    points = [
        [here / 2**size, 100 * (1 - there / here)]
        for size in sizes
        for position in positions
        for here, there in zip(nodes(position, size, "P=1"), nodes(position, size, "P=8"), strict=True)
        if here / 2**size < BANDS[-1][1]
    ]
    return {
        "sizes": sizes,
        "positions": len(positions),
        "depths": [measured["depths"][position] for position in positions],
        "seed_depths": [POSITIONS[int(position)][2] for position in positions],
        "savings": {
            scheme: [mean(savings(size, scheme)[number] for size in sizes) for number in range(len(positions))]
            for scheme in others
        },
        "points_of_8_probes": [[float(f"{value:.3g}") for value in point] for point in points],
        "baseline_nodes": baseline,
        "largest_to_smallest_tree": max(most) / min(most),
        "saving_by_size": {
            scheme: [[mean(savings(size, scheme)), deviation(savings(size, scheme))] for size in sizes]
            for scheme in others
        },
        "saving_by_band": by_band,
        "saving_of_8_probes_at_saturation_1_to_10_by_size": within_band,
        "without_history": plain,
        "same_move": mean(map(float, same)),
    }


def doubling(figures: Figures) -> float:
    """Mean reduction of the cost for each doubling of the table, in per cent."""
    nodes = figures["baseline_nodes"]
    return float(100 * (1 - (nodes[-1] / nodes[0]) ** (1 / (len(nodes) - 1))))


def saving(figures: Figures, scheme: str) -> float:
    """Mean saving over all sizes, in per cent."""
    return mean(each[0] for each in figures["saving_by_size"][scheme])


def doubling_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table 4.1."""
    return abs(doubling(figures) - 12.3) <= tolerance, f"{doubling(figures):.1f}% a doubling"


def apart(figures: Figures, one: str, other: str) -> tuple[float, float]:
    """By how much one scheme saves more than another, over all sizes, with its standard error over positions."""
    pairs = zip(figures["savings"][one], figures["savings"][other], strict=True)
    differences = [first - second for first, second in pairs]
    return mean(differences), mean_error(differences)


def is_more(difference: tuple[float, float], bound: float = 0.0) -> bool | None:
    """Whether a difference lies above a bound at 95%; None where its interval holds the bound."""
    value, error = difference
    if value - CONFIDENCE * error > bound:
        return True
    return False if value + CONFIDENCE * error < bound else None


def all_of(verdicts: Sequence[bool | None]) -> bool | None:
    """Whether all hold: not if one does not, open if one is."""
    return False if False in verdicts else None if None in verdicts else True


def several_probes_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table 4.2, four probes and more."""
    found = [saving(figures, scheme) for scheme in ("P=4", "P=8", "P=16")]
    matched = all(10 - tolerance <= each <= 20 + tolerance for each in found)
    return matched, "P=4, 8, 16 save " + ", ".join(f"{each:.1f}%" for each in found)


def more_probes_claim(figures: Figures, tolerance: float) -> tuple[bool | None, str]:
    """Table 4.2, downwards."""
    told = ", ".join(f"{saving(figures, scheme):.1f}%" for scheme in ("P=2", "P=4", "P=8", "P=16"))
    verdicts = [
        is_more(apart(figures, "P=4", "P=2")),
        is_more(apart(figures, "P=8", "P=4")),
        is_more(apart(figures, "P=16", "P=8"), -tolerance),
    ]
    return all_of(verdicts), f"P=2, 4, 8, 16 save {told}"


def diminishing_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table 4.2, 8 and 16 probes."""
    gain = saving(figures, "P=16") - saving(figures, "P=8")
    return abs(gain) <= tolerance, f"{gain:+.1f} points"


def beats_doubling_claim(figures: Figures, tolerance: float) -> tuple[bool | None, str]:
    """Tables 4.1 and 4.2."""
    double = doubling(figures)
    four = saving(figures, "P=4"), mean_error(figures["savings"]["P=4"])
    return is_more(four, double - tolerance), f"4 probes save {four[0]:.1f}%, a doubling {double:.1f}%"


def twin_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table 4.2, last row."""
    twin, two = saving(figures, "Twin"), saving(figures, "P=2")
    return abs(twin - 1.9) <= tolerance and twin < two, f"{twin:.1f}%, two probes {two:.1f}%"


def saturation_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table 4.3."""
    matched, phrases = True, []
    for scheme in ("P=2", "P=4", "P=8", "P=16"):
        bands = figures["saving_by_band"][scheme]
        values = [band[0] for band in bands if band]
        if len(values) < 3:
            raise Missing(f"only {len(values)} bands have figures at this scale")
        matched &= all(before < after + tolerance for before, after in pairwise(values))
        phrases.append(f"{scheme} " + ", ".join(f"{band[0]:.1f}%" if band else "-" for band in bands))
    return matched, "; ".join(phrases)


def larger_tables_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 4.2."""
    values = [each for each in figures["saving_of_8_probes_at_saturation_1_to_10_by_size"] if each is not None]
    if len(values) < 2:
        raise Missing("fewer than two sizes have figures at this scale")
    middle = len(values) // 2
    return mean(values[-middle:]) > mean(values[:middle]) - tolerance, ", ".join(f"{each:.1f}%" for each in values)


def history_cost_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """4.2.5.7, the cost."""
    costs = [each["total_cost"] for each in figures["without_history"].values()]
    return mean(costs) >= tolerance, "times " + ", ".join(f"{each:.2f}" for each in costs)


def history_saving_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """4.2.5.7, the savings."""
    pairs = [pair for each in figures["without_history"].values() for pair in each["savings"].values()]
    change = mean(without - with_it for with_it, without in pairs)
    return abs(change) <= tolerance, f"{change:+.1f} points"


def same_move_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """4.2.3."""
    return figures["same_move"] >= tolerance, f"{figures['same_move']:.1%} of the searches"


CLAIMS = [
    Claim(
        "cost of a smaller table",
        "about 12% less for each doubling (table 4.1)",
        "mean over the sizes within {tolerance} points of 12.3%",
        6.0,
        doubling_claim,
    ),
    Claim(
        "four and more probes",
        "12.5 to 20.6% saved over one probe (table 4.2)",
        "means over the sizes between 10 and 20%, {tolerance} points either way",
        3.0,
        several_probes_claim,
    ),
    Claim(
        "more probes save more",
        "P=2, 4, 8, 16 in this order (table 4.2)",
        "means over sizes and positions in this order at 95%, position by position; 16 may fall {tolerance} behind 8",
        0.5,
        more_probes_claim,
    ),
    Claim(
        "diminishing return",
        "16 probes only slightly better than 8 (4.2.6)",
        "means over the sizes at most {tolerance} points apart",
        1.5,
        diminishing_claim,
    ),
    Claim(
        "four probes beat twice the table",
        "four or more save more than a doubling (4.2.6)",
        "the interval over positions of what four save lies above the mean of a doubling, {tolerance} points allowed",
        0.0,
        beats_doubling_claim,
    ),
    Claim(
        "two-level table",
        "0.3 to 3.8% saved, far less than two probes (table 4.2)",
        "mean over the sizes within {tolerance} points of 1.9% and below two probes",
        4.0,
        twin_claim,
    ),
    Claim(
        "savings grow with saturation",
        "0.1, 1.9, 8.4, 15.0% for 8 probes by band (table 4.3)",
        "every number of probes, from band to band, {tolerance} points allowed",
        0.0,
        saturation_claim,
    ),
    Claim(
        "larger tables save more at equal saturation",
        "so for saturation 1 to 10 (figure 4.2)",
        "8 probes: mean of the larger half of the sizes above the smaller half's, {tolerance} points allowed",
        0.0,
        larger_tables_claim,
    ),
    Claim(
        "cost without history",
        "more than doubled (4.2.5.7)",
        "nodes of one probe at least {tolerance} times those with history",
        2.0,
        history_cost_claim,
    ),
    Claim(
        "savings without history",
        "only marginally greater (4.2.5.7)",
        "mean change for 4 and 8 probes at most {tolerance} points",
        3.0,
        history_saving_claim,
    ),
    Claim(
        "same move",
        "the move chosen is the same with every scheme (4.2.3)",
        "at least {tolerance} of the searches",
        0.9,
        same_move_claim,
    ),
]


def pair(value: Sequence[float] | None) -> str:
    """A mean with its standard deviation."""
    return f"{value[0]:.1f} ({value[1]:.1f})" if value else "-"


def show(harness: Harness, figures: Figures) -> None:
    """Our tables beside the seed's."""
    sizes = figures["sizes"]
    names = [f"{2**size >> 10}K" for size in sizes]
    seed = {size: index for index, size in enumerate(range(14, 21))}
    harness.print_table(
        "Table 4.1: nodes a position, one probe",
        ["", *names],
        [
            ["ours", *(f"{nodes:,.0f}" for nodes in figures["baseline_nodes"])],
            ["seed", *(f"{SEED_NODES[seed[size]]:,}" for size in sizes)],
        ],
    )
    rows = []
    for scheme, ours in figures["saving_by_size"].items():
        rows.append([f"{scheme} ours", *map(pair, ours)])
        if scheme in SEED_BY_SIZE:
            rows.append(["     seed", *(pair(SEED_BY_SIZE[scheme][seed[size]]) for size in sizes)])
    harness.print_table("Table 4.2: saving in per cent (standard deviation), by size", ["", *names], rows)
    rows = []
    for scheme, ours in figures["saving_by_band"].items():
        rows.append([f"{scheme} ours", *map(pair, ours)])
        if scheme in SEED_BY_BAND:
            rows.append(["     seed", *map(pair, SEED_BY_BAND[scheme])])
    harness.print_table(
        "Table 4.3: saving in per cent (standard deviation), by saturation",
        ["", *(f"{low:g} to {high:g}" for low, high in BANDS)],
        rows,
    )
    harness.print_table(
        "4.2.5.7: without history",
        ["", "cost", *(f"{scheme} saves, with and without" for scheme in PLAIN_SCHEMES[1:])],
        [
            [f"{2 ** int(size) >> 10}K", f"x {costs['total_cost']:.2f}"]
            + [f"{with_it:.1f} {without:.1f}" for with_it, without in costs["savings"].values()]
            for size, costs in figures["without_history"].items()
        ],
    )


def draw(figures: Figures) -> Iterator[Drawing]:
    """Figures 4.1 and 4.2."""
    points = np.array(figures["points_of_8_probes"])
    yield Drawing(
        "saturation",
        "Figure 4.1: what 8 probes save over one in each iteration, by saturation",
        lambda: draw_points({"P=8": (points[:, 0], points[:, 1])}, across="saturation", up="saving in per cent"),
    )
    names = [f"{2**size >> 10}K" for size in figures["sizes"]]
    within = {"ours": figures["saving_of_8_probes_at_saturation_1_to_10_by_size"]}
    yield Drawing(
        "sizes",
        "Figure 4.2: what 8 probes save at a saturation of 1 to 10, by size of the table",
        lambda: draw_bars(names, within, up="saving in per cent"),
    )


def settings_of(scale: Scale) -> Mapping[str, Any]:
    """All that the figures of a scale depend on."""
    return {**vars(scale), "schemes": SCHEMES}


EXPERIMENT = Experiment(
    name="smith_4_2",
    text=__doc__,
    small=SCALES,
    parts=PARTS,
    measure=measure,
    summarise=summarise,
    show=show,
    claims=CLAIMS,
    draw=draw,
    settings=settings_of,
    common={
        "pilot": {setting.key: setting.value for setting in make_pilot().settings()},
        "weights": make_pilot().evaluation.named("chess"),
    },
)


def main(words: Sequence[str] | None = None) -> None:
    """Measures, prints and writes results/smith_4_2.json."""
    EXPERIMENT.run(words)


if __name__ == "__main__":
    from harness import start

    start(main)
