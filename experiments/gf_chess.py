"""Gradual Focus in chess: whether it finds the known extensions by itself, tables 4.7 and 4.8 of Skowronski.

    python experiments/gf_chess.py --data ecm879.epd [--scale quick|base|recaptures|full] [--threads N]

The positions are the 99 of the Encyclopedia of Chess Middlegames whose numbers are legible in the seed's appendix B.1;
the suite named by --data has them as its ids. They are those that the seed's engine solved by its extensions alone.
The engine is chess's baseline evaluation with alpha-beta, deepening and the quiescence search, and orders moves by
captures, killers and history; it has no table, no reductions, no pruning and no extension. A category costs 0.5 plies,
epsilon is 0, a position is searched for 1,000,000 nodes.

As in the seed the features are learned in two runs. The base features of table 4.6 have recapture among them as a
feature of its own; captures by what they take, and what the opponent moved last, are combined apart, to see whether
recaptures come together from these. The blacklist is that of the seed with its misprints put right.

The rules, fixed before the run: attacking the king (AcK) ranks first among what the first run puts out, and recapture
(Rc, or a combination with it) is among the first five. Beside them, not judged, stands table 4.8: recaptures by kind
of piece, and rooks, bishops and knights joined by "or".

``base`` takes 35 minutes on 2 cores, ``recaptures`` 10 minutes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import plypilot as pp
from focus_values import Values, follow, measure_values, text_of
from harness import Claim, Figures, Harness, Missing, read_options, start
from plypilot.data.epd import EpdPosition, read_epd
from plypilot.learn.category_values import Judge, Suite, categories_of, plain_engine, union_text
from plypilot.learn.focus import Focus
from plypilot.learn.gradual_focus import NEUTRAL, Combination, Exploration, Rules, Union

PLIES, EPSILON, SEED, LISTED = 0.5, 0.0, 0, 10
RANKS = ("Rdb", "RdBb", "RdBt", "Rdt", "RdTb", "RdTt")
BASE = (*(f"{kind}{piece}" for kind in ("Pc", "Ac") for piece in "KQRBNP"), "Rc", *RANKS)
CAPTURES = tuple(f"{kind}{piece}" for kind in ("Cc", "Lc") for piece in "QRBNP")
BLACKLIST: tuple[Combination, ...] = (("PcP", "RdBb"), ("PcK", "RdTt"), ("PcK", "AcK"), ("PcK", "AcQ"))
UNIONS: tuple[Union, ...] = (
    (("CcR", "LcR"), ("CcB", "LcB")),
    (("CcR", "LcR"), ("CcB", "LcB"), ("CcN", "LcN")),
)
SEED_BASE = {
    "AcK": 44,
    "PcK": 29,
    "Rc-Rdb": 26,
    "Rc": 24,
    "RdTt": 17,
    "PcQ-Rdt": 17,
    "RdBb": 15,
    "Rdt": 15,
    "PcN-RdTb": 12,
    "AcR": 11,
}
"""Table 4.7."""
SEED_CAPTURES = {
    "Rc": 24,
    "CcR-LcR": 15,
    "CcB-LcB": 14,
    "CcR": 13,
    "CcB": 11,
    "CcN-LcN": 11,
    "CcR-LcR or CcB-LcB or CcN-LcN": 21,
    "CcR-LcR or CcB-LcB": 26,
}
"""Table 4.8, and what is said below it."""

NUMBERS = """
 27  43  46  72  94  96  97 103 107 138 159 176 184 192 199 200 218 225 232 238 243 246 251 256 263 268 269 272 275 277
279 282 293 294 301 302 317 319 328 342 357 362 380 403 409 440 441 449 454 466 479 481 506 511 521 523 537 540 541 550
594 597 612 620 625 637 655 656 658 661 669 691 707 708 710 724 727 728 730 742 751 775 777 781 783 786 787 788 793 795
811 812 813 819 822 830 835 850 873
"""
"""Of the positions of appendix B.1 that are legible."""


@dataclass(frozen=True)
class Scale:
    """What is done, and how much of it."""

    nodes: int = 1_000_000
    positions: int = 0
    """The first so many; 0: all."""
    base: tuple[str, ...] = BASE
    captures: tuple[str, ...] = CAPTURES
    unions: tuple[Union, ...] = UNIONS


FEW = ("PcK", "AcK", "Rc", "Rdb", "Rdt")
SCALES = {
    "tiny": Scale(300, 4, ("AcK", "Rc", "Rdb"), ("CcR", "LcR"), ()),
    "quick": Scale(30_000, 30, FEW, ("CcR", "CcB", "LcR", "LcB"), UNIONS[:1]),
    "base": Scale(captures=(), unions=()),
    "recaptures": Scale(base=()),
    "full": Scale(),
}


def engine() -> pp.Pilot:
    """Chess's evaluation, a quiescence search and good order; nothing changes how deep moves are searched."""
    return plain_engine(pp.Pilot.baseline("chess")).replace(
        {
            "ordering.captures": True,
            "ordering.killers": 2,
            "ordering.history": True,
            "search.quiescence.on": True,
            "search.quiescence.exchange_filter": True,
            "search.quiescence.evasions": True,
        }
    )


def read_positions(path: Path, most: int) -> list[EpdPosition]:
    """Those of the suite whose ids have the seed's numbers."""
    wanted = {int(number) for number in NUMBERS.split()}
    found = {}
    for item in read_epd(path.read_text(encoding="utf-8")):
        if isinstance(item, EpdPosition) and (number := re.search(r"(\d+)$", item.id)) and int(number[1]) in wanted:
            found[int(number[1])] = item
    if missing := sorted(wanted - found.keys()):
        raise SystemExit(f"{path}: has no positions with the numbers {', '.join(map(str, missing))} in their ids")
    return [found[number] for number in sorted(found)][: most or None]


def explore_features(made: Harness, judge: Judge, features: tuple[str, ...]) -> tuple[Exploration, Values]:
    """One run of Gradual Focus."""
    base = Focus(features=features).base("chess")
    own = {atom.name for atom in base}
    banned = tuple(each for each in BLACKLIST if own.issuperset(each))
    return follow(made, judge, base, Rules(EPSILON, blacklist=banned), PLIES)


def output(found: Exploration, values: Values) -> list[Figures]:
    """What a run puts out, the best first."""
    return [
        {
            "combination": text_of(trace.combination),
            "solved": values.value(trace.combination),
            "frequency": values.measured[trace.combination]["frequency"],
            "depth": values.measured[trace.combination]["depth"],
        }
        for trace in found.ranking()
        if trace.combination
    ]


def measure_unions(made: Harness, judge: Judge, unions: Sequence[Union]) -> dict[str, float]:
    """Positions solved by categories that are joined."""
    told = made.measure(
        "unions",
        unions,
        key=lambda union: [judge.pilot.digest, judge.suite.digest(), judge.nodes, judge.seed, PLIES, list(union)],
        work=lambda union: {"value": judge.measure_alone(categories_of(union, PLIES)).value},
    )
    return {union_text(union): figures["value"] for union, figures in zip(unions, told, strict=True)}


def _ranks(figures: Figures) -> list[str]:
    rows = figures.get("base")
    if not rows or figures["is_small"]:
        raise Missing("measured by the scale base")
    return [row["combination"] for row in rows]


def _is_first(figures: Figures, _: float) -> tuple[bool, str]:
    ranks = _ranks(figures)
    return ranks[0] == "AcK", f"first are {', '.join(ranks[:5])}; AcK is number {ranks.index('AcK') + 1}"


def _is_among(figures: Figures, most: float) -> tuple[bool, str]:
    ranks = _ranks(figures)
    place = next(rank for rank, name in enumerate(ranks, 1) if "Rc" in name.split("-"))
    return place <= most, f"{ranks[place - 1]} is number {place}"


CLAIMS = [
    Claim("attacking the king ranks first", "AcK with 44 of 102 (table 4.7)", "rank 1", 0, _is_first),
    Claim(
        "recapture is near the top",
        "Rc-Rdb is third, Rc fourth (table 4.7)",
        "Rc or a combination with it among the first {tolerance:g}",
        5,
        _is_among,
    ),
]


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES, data="the suite ECM as EPD, with its numbers in the ids")
    if options.data is None:
        raise SystemExit("--data: name the file of the suite ECM")
    scale = SCALES[options.scale]
    items = read_positions(options.data, scale.positions)
    made = Harness("gf_chess", options.scale, threads=options.threads, folder=options.out)
    judge = Judge(engine(), Suite.of("chess", items), scale.nodes, seed=SEED)
    figures: Figures = {"positions": len(items), "is_small": options.scale in ("tiny", "quick")}
    for name, features, seed in (("base", scale.base, SEED_BASE), ("recaptures", scale.captures, SEED_CAPTURES)):
        if not features:
            continue
        found, values = explore_features(made, judge, features)
        figures[name] = output(found, values)
        figures[f"{name}_evaluations"] = found.evaluations
        figures["neutral"] = values.value(NEUTRAL)
        made.print_table(
            f"{name}: found in {found.evaluations} evaluations; Neutral solves {figures['neutral']:g}",
            ("combination", "solved", "seed", "of all moves", "depth"),
            [
                (
                    row["combination"],
                    f"{row['solved']:g}",
                    seed.get(row["combination"], ""),
                    f"{row['frequency']:.2%}",
                    f"{row['depth']:.1f}",
                )
                for row in figures[name][:LISTED]
            ],
        )
    if scale.captures:
        rc = measure_values(made, judge, [("Rc",)], PLIES)
        figures["joined"] = {"Rc": rc.value(("Rc",)), **measure_unions(made, judge, scale.unions)}
        made.print_table(
            "Recaptures joined (table 4.8)",
            ("category", "solved", "seed"),
            [(name, f"{value:g}", SEED_CAPTURES.get(name, "")) for name, value in figures["joined"].items()],
        )
    settings = {"nodes": scale.nodes, "plies": PLIES, "epsilon": EPSILON, "engine": engine().digest}
    made.conclude(CLAIMS, figures, settings=settings, seed=SEED)
    made.close()


if __name__ == "__main__":
    start(main)
