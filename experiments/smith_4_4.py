"""Extension rules and null moves, alone and together: Smith 1999, section 4.4, tables 4.4 and A.1, figures 4.3 to 4.10.

    python experiments/smith_4_4.py --data wcsac.epd [--scale quick|full|PART] [--threads N]

Effort is the number of capture-tree positions (c-nodes) of all iterations up to the first that has the listed move
with the listed gain or more over the material at the root (4.4.4), with pieces at 1, 3, 3, 5, 9; "M" is a forced
mate. As in the seed only positions that every rule solves are compared: those that the search without extensions does
not solve within the limit are left out at once, the others after all rules were tried. Bands are by the listed depth;
the effective branching factor (equation 4.1) takes the depth at which our search without extensions solves a
position. What tests of singular moves and recaptures take is counted in c-nodes too.

The search is that of 4.1 and 4.2, with four probes of an entry and its successors, and horizon nodes in the table.
Singular moves are tested wherever a search of r plies less is one, down to the horizon (4.4.6.5: "at a search depth
d"); where the table does not know the move of that search, it is made; a value beyond beta counts as beta, as in a
search that returns no more than its window. Null moves are tried at one ply too.

A ratio of costs is judged by its interval of 95%, from a bootstrap over problems: a direction that it does not decide
is open. The rules that the seed left out, all captures (4.4.6.2) and other recaptures (4.4.6.4), are tried on every
sixth problem of depths 4 to 7, up to twelve times the effort without extensions.

--data names 1001 Winning Chess Sacrifices and Combinations as EPD, in the order of the book.

Parts, each with every fourth problem: a, b, c, d, some 10 minutes on two cores each; variants 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

import plypilot as pp
from extension_rules import BANDS, RULES, SEED, VARIANTS
from harness import Claim, Figures, Harness, Missing, mean
from intervals import is_beyond, ratio_interval
from parts import Drawing, Experiment
from plypilot.report.drawing import draw_bars
from plypilot.searcher import Iteration, Limit, Searcher
from wcsac_problems import Problem, read_problems

SINGLE = ("Checks (1)", "Recapts", "SingEx (1)", "SingEx (2)", "Null (1)", "Null (2)")
LEGAL_MOVES = 40
"""Mean over the seed's positions (equation 4.1)."""
FEWEST = 5
"""Problems that a band must have to be judged."""
MOST_EFFORT = 12
"""Times the effort without extensions after which a variant is given up."""
SEED_DEPTHS = {"4,5": 4, "6,7": 6, "8,9": 8, "10+": 10.3}
"""Mean depths of the problems in each band: all of A.2 are even."""
TEN = 10.0
"""Times that effort, which all captures often exceed (4.4.6.2)."""


@dataclass(frozen=True)
class Scale:
    """How much is searched."""

    every: int
    """Every so many-th problem."""
    first: int
    """From which on."""
    c_nodes: int
    """The most a solution may take (36 million in the seed)."""
    nodes: int
    """A search ends here, within an iteration too."""
    is_of_variants: bool = False
    """Whether the rules that the seed left out are tried, and no others."""


SCALES = {
    "tiny": Scale(60, 0, 5_000, 30_000),
    "quick": Scale(8, 0, 1_000_000, 6_000_000),
}
PARTS = {name: Scale(4, first, 36_000_000, 150_000_000) for first, name in enumerate("abcd")} | {
    "variants": Scale(6, 0, 1_000_000, 20_000_000, is_of_variants=True)
}


def make_pilot(rule: str) -> pp.Pilot:
    """Material only, the search of 4.1 with several probes of 256K entries, and a rule."""
    return pp.Pilot.plain("chess", "material").replace(
        {
            "search.quiescence.on": True,
            "search.ends_at_first_ply": True,
            "search.table.log2_entries": 18,
            "search.table.probes": 4,
            "search.table.aligned": False,
            "search.table.horizon": True,
            "ordering.table_move": True,
            "ordering.captures": True,
            "ordering.history": True,
            **(RULES | VARIANTS)[rule],
        }
    )


def measure(harness: Harness, scale: Scale) -> Figures:
    """By problem and rule the depth and what the solution took: c-nodes, those of singular and of recapture tests."""
    assert harness.data is not None
    problems = read_problems(harness.data, scale.every, scale.first)
    if scale.is_of_variants:
        return measure_variants(harness, [problem for problem in problems if problem.depth <= 7], scale)
    first = solve(
        harness, "without extensions", [("None", problem, scale.c_nodes) for problem in problems], scale.nodes
    )
    told: Figures = {
        str(problem.number): {"None": one, "depth": problem.depth, "legal": len(problem.position().moves())}
        for problem, one in zip(problems, first, strict=True)
    }
    rest = [problem for problem, one in zip(problems, first, strict=True) if one]
    tasks = [(rule, problem, scale.c_nodes) for problem in rest for rule in RULES if rule != "None"]
    for (rule, problem, _), one in zip(tasks, solve(harness, "with each rule", tasks, scale.nodes), strict=True):
        told[str(problem.number)][rule] = one
    return {"problems": told}


def measure_variants(harness: Harness, problems: Sequence[Problem], scale: Scale) -> Figures:
    """The same for the rules that the seed left out, each given up after a multiple of the effort without it."""
    first = solve(harness, "before variants", [("None", problem, scale.c_nodes) for problem in problems], scale.nodes)
    solved = [(problem, one) for problem, one in zip(problems, first, strict=True) if one]
    tasks = [(rule, problem, MOST_EFFORT * one[1]) for problem, one in solved for rule in (*VARIANTS, "Recapts")]
    found = solve(harness, "variants", tasks, scale.nodes)
    told: Figures = {str(problem.number): {"None": one} for problem, one in solved}
    for (rule, problem, _), one in zip(tasks, found, strict=True):
        told[str(problem.number)][rule] = one
    return {"variants": told}


def solve(
    harness: Harness, what: str, tasks: Sequence[tuple[str, Problem, int]], most_nodes: int
) -> list[list[int] | None]:
    """Depth, c-nodes, those of singular tests and those of recapture tests of each solution; None without one."""
    pilots = {rule: make_pilot(rule) for rule in (*RULES, *VARIANTS)}
    material = Searcher(pp.Pilot.plain("chess", "material"))

    def work(task: tuple[str, Problem, int]) -> Figures:
        rule, problem, most = task
        position = problem.position()
        root_score = material.evaluate(position)
        solutions: list[Iteration] = []

        def until(iteration: Iteration) -> bool:
            if iteration.nodes.quiescence <= most and problem.is_solved_by(iteration, root_score):
                solutions.append(iteration)
            return bool(solutions) or iteration.nodes.quiescence > most

        harness.search(pilots[rule], position, Limit(nodes=most_nodes), until=until)
        if not solutions:
            return {"solution": None}
        nodes = solutions[0].nodes
        counts = [nodes.quiescence, nodes.singular_quiescence, nodes.recapture_quiescence]
        return {"solution": [solutions[0].depth, *counts]}

    found = harness.measure(
        what, tasks, lambda task: [task[0], task[1].number, task[2], most_nodes, pilots[task[0]].digest[:16]], work
    )
    return [each["solution"] for each in found]


def branching(c_nodes: int, depth: float) -> float:
    """Effective branching factor, equation 4.1."""
    return float((c_nodes / LEGAL_MOVES) ** (1 / (depth - 1)))


def seed_branching(rule: str, band: str) -> float:
    """That of the seed at most: from the mean effort in a band, which is more than the mean of factors gives."""
    return branching(SEED[rule][list(SEED_DEPTHS).index(band)][0], SEED_DEPTHS[band])


def summarise(measured: Figures) -> Figures:
    """Our tables, over the problems that every rule solves."""
    problems = measured.get("problems", {})
    solved = {number: told for number, told in problems.items() if told["None"]}
    common = {number: told for number, told in solved.items() if all(told.get(rule) for rule in RULES)}
    inside = {
        band: [told for told in common.values() if low <= told["depth"] <= high] for band, (low, high) in BANDS.items()
    }
    rows: dict[str, Any] = {}
    for rule in RULES:
        spent = [told[rule] for told in common.values()]
        whole = max(sum(one[1] for one in spent), 1)
        rows[rule] = {
            "c_nodes": {band: mean(told[rule][1] for told in own) if own else None for band, own in inside.items()},
            "branching": {
                band: mean(branching(max(told[rule][1], 1), max(told["None"][0], 2)) for told in own) if own else None
                for band, own in inside.items()
            },
            "singular_share": sum(one[2] for one in spent) / whole,
            "recapture_share": sum(one[3] for one in spent) / whole,
            "unsolved": sum(rule in told and not told[rule] for told in solved.values()),
        }
    differences = [told["None"][0] - told["depth"] for told in solved.values()]
    return {
        "problems": len(problems),
        "solved_without_extensions": len(solved),
        "compared": {band: len(own) for band, own in inside.items()},
        "depth_less_listed": {str(number): differences.count(number) for number in sorted(set(differences))},
        "legal_moves": mean(told["legal"] for told in problems.values()) if problems else None,
        "rules": rows,
        "costs": {
            rule: {band: [told[rule][1:] for told in own] for band, own in inside.items() if band != "all"}
            for rule in RULES
        },
        "variants": {
            rule: [
                [one["None"][1], one[rule][1] if one[rule] else None] for one in measured.get("variants", {}).values()
            ]
            for rule in (*VARIANTS, "Recapts")
        },
    }


def need(figures: Figures, band: str) -> None:
    """Raises Missing where a band has too few problems to be judged."""
    if (count := figures["compared"][band]) < FEWEST:
        raise Missing(f"only {count} problems of depth {band} are compared at this scale")


def cost(figures: Figures, rule: str, band: str = "all") -> float:
    """C-nodes a problem."""
    need(figures, band)
    return float(figures["rules"][rule]["c_nodes"][band])


def costs(figures: Figures, rule: str, band: str = "all", part: int = 0) -> list[float]:
    """C-nodes of each problem; part 1 and 2 are those of the tests."""
    need(figures, band)
    bands = figures["costs"][rule]
    return [one[part] for name, own in bands.items() if band in ("all", name) for one in own]


def change(figures: Figures, rule: str, other: str, band: str = "all") -> tuple[float, float, float]:
    """What the first rule costs over the second, as a ratio with its interval."""
    return ratio_interval(costs(figures, rule, band), costs(figures, other, band))


def tell(ratio: tuple[float, float, float]) -> str:
    """A ratio with its interval."""
    return f"x {ratio[0]:.2f} ({ratio[1]:.2f} to {ratio[2]:.2f})"


def is_within(ratio: tuple[float, float, float], target: float, tolerance: float) -> bool | None:
    """Whether a figure is as near to a target; open where its interval reaches so near."""
    if abs(ratio[0] - target) <= tolerance:
        return True
    return None if ratio[1] <= target + tolerance and ratio[2] >= target - tolerance else False


def all_of(verdicts: Sequence[bool | None]) -> bool | None:
    """Whether all hold: not if one does not, open if one is."""
    return False if False in verdicts else None if None in verdicts else True


def seed_cost(figures: Figures, rule: str, part: int = 0) -> float:
    """The seed's c-nodes a problem over our mix of depths; part 1 and 2 are those of the tests."""
    counts = list(figures["compared"].values())[: len(SEED[rule])]
    if not sum(counts):
        raise Missing("no problem is compared at this scale")
    total: int = sum(count * band[part] for count, band in zip(counts, SEED[rule], strict=True))
    return total / sum(counts)


Holds = Callable[[Figures, float], tuple[bool | None, str]]


def beside_seed(rule: str, other: str) -> Holds:
    """A claim on what one rule costs over another, the seed taken at the same depths."""

    def holds(figures: Figures, tolerance: float) -> tuple[bool | None, str]:
        ours = change(figures, rule, other)
        seed = seed_cost(figures, rule) / seed_cost(figures, other)
        return is_within(ours, seed, tolerance), f"{tell(ours)}, the seed at our depths x {seed:.2f}"

    return holds


def cheaper(rule: str, other: str) -> Holds:
    """A claim that one rule costs less than another."""

    def holds(figures: Figures, _: float) -> tuple[bool | None, str]:
        ours = change(figures, other, rule)
        return is_beyond(ours[1:], 1.0), f"{other} costs {tell(ours)} of {rule}"

    return holds


def depth_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Whether our full-width search is the seed's."""
    counts = figures["depth_less_listed"]
    if not counts:
        raise Missing("no problem is solved at this scale")
    share = counts.get("0", 0) / sum(counts.values())
    return share >= tolerance, f"{share:.1%} of {sum(counts.values())} problems"


def cheapest(rule: str, among: Sequence[str]) -> Holds:
    """A claim that no other of these rules costs less."""

    def holds(figures: Figures, _: float) -> tuple[bool | None, str]:
        ranked = sorted(among, key=lambda each: cost(figures, each))
        rival = next(each for each in ranked if each != rule)
        ratio = change(figures, rival, rule)
        phrase = ", ".join(f"{each} {cost(figures, each):,.0f}" for each in ranked[:3])
        return is_beyond(ratio[1:], 1.0), f"{phrase}; {rival} costs {tell(ratio)} of {rule}"

    return holds


def second_claim(figures: Figures, _: float) -> tuple[bool | None, str]:
    """The second best combination."""
    ranked = sorted(RULES, key=lambda each: cost(figures, each))
    place = ranked.index("Checks+Null") + 1
    if place <= 2:
        return True, f"place {place} of {len(RULES)}"
    ratio = change(figures, "Checks+Null", ranked[1])
    return (False if is_beyond(ratio[1:], 1.0) else None), f"place {place}, {tell(ratio)} of {ranked[1]}"


NULL_PAIRS = [
    ("None", "Null (2)"),
    ("Checks (1)", "Checks+Null"),
    ("Recapts", "Recapts+Null"),
    ("SingEx (1)", "SingEx+Null"),
    ("Checks+Recapts", "Checks+Recapts+Null"),
    ("Checks+SingEx", "Checks+SingEx+Null"),
    ("Recapts+SingEx", "Recapts+SingEx+Null"),
    ("Checks+Recapts+SingEx", "Checks+Recapts+SingEx+Null"),
]


def null_helps_claim(figures: Figures, _: float) -> tuple[bool | None, str]:
    """Every combination with and without null moves."""
    changes = {without: change(figures, without, with_it) for without, with_it in NULL_PAIRS}
    phrase = ", ".join(f"{rule} {tell(factor)}" for rule, factor in changes.items())
    return all_of([is_beyond(factor[1:], 1.0) for factor in changes.values()]), f"without over with: {phrase}"


def singular_on_checks_claim(figures: Figures, most: float) -> tuple[bool | None, str]:
    """Singular extensions where checks are extended already."""
    ratio = change(figures, "Checks+SingEx", "Checks (1)")
    verdict = is_beyond(ratio[1:], 1 - most)
    return verdict, tell(ratio)


def singular_on_best_claim(figures: Figures, _: float) -> tuple[bool | None, str]:
    """Singular extensions on top of the best combination, band by band."""
    changes = {
        band: change(figures, "Checks+Recapts+SingEx+Null", "Checks+Recapts+Null", band)
        for band, members in figures["compared"].items()
        if members >= FEWEST
    }
    if not changes:
        raise Missing("no problem is compared at this scale")
    phrase = ", ".join(f"{band} {tell(factor)}" for band, factor in changes.items())
    return all_of([is_beyond(factor[1:], 1.0) for factor in changes.values()]), phrase


def share_claim(kind: str, *rules: str) -> Holds:
    """A claim on what the tests of a rule take, the seed taken at the same depths."""

    def holds(figures: Figures, tolerance: float) -> tuple[bool | None, str]:
        part = 1 if kind == "singular" else 2
        told, verdicts = [], []
        for rule in rules:
            ours = ratio_interval(costs(figures, rule, part=part), costs(figures, rule))
            seed = seed_cost(figures, rule, part) / seed_cost(figures, rule)
            verdicts.append(is_within(ours, seed, tolerance))
            told.append(f"{rule} {ours[0]:.0%} ({ours[1]:.0%} to {ours[2]:.0%}), the seed at our depths {seed:.0%}")
        return all_of(verdicts), "; ".join(told)

    return holds


def growth_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """From band to band."""
    bands = [cost(figures, "None", band) for band in ("4,5", "6,7", "8,9")]
    found = [after / before for before, after in pairwise(bands)]
    return all(10 / tolerance <= each <= 10 * tolerance for each in found), ", ".join(f"x {each:.1f}" for each in found)


def branching_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Effective branching factors without extensions."""
    for band in ("6,7", "10+"):
        need(figures, band)
    low, high = (figures["rules"]["None"]["branching"][band] for band in ("6,7", "10+"))
    return abs(low - 3.84) <= tolerance and abs(high - 3.38) <= tolerance, f"{low:.2f} and {high:.2f}"


def branching_change_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """What checks take off."""
    savings = []
    for band in ("6,7", "8,9", "10+"):
        if figures["compared"][band] >= FEWEST:
            without, with_it = (figures["rules"][rule]["branching"][band] for rule in ("None", "Checks (1)"))
            savings.append(without - with_it)
    if len(savings) < 2:
        raise Missing("fewer than two bands are compared at this scale")
    phrase = ", ".join(f"{saving:.2f}" for saving in savings)
    return max(savings) - min(savings) <= tolerance and min(savings) > 0, f"less by {phrase}"


def variant(figures: Figures, rule: str) -> list[list[int | None]]:
    """The efforts without extensions and with a variant. Raises Missing."""
    pairs = figures["variants"].get(rule)
    if not pairs or len(pairs) < FEWEST:
        raise Missing("variants are not measured at this scale")
    return list(pairs)


def captures_claim(figures: Figures, least: float) -> tuple[bool, str]:
    """4.4.6.2."""
    pairs = variant(figures, "All captures")
    more = mean(float(own is None or own > without) for without, own in pairs if without)
    far = mean(float(own is None or own > TEN * without) for without, own in pairs if without)
    return more >= least and far >= 0.25, f"dearer in {more:.0%}, more than ten times in {far:.0%} of {len(pairs)}"


def other_recaptures_claim(figures: Figures, _: float) -> tuple[bool | None, str]:
    """4.4.6.4."""
    known = {rule: variant(figures, rule) for rule in (*VARIANTS, "Recapts") if rule != "All captures"}
    limit = [MOST_EFFORT * (without or 0) for without, _ in known["Recapts"]]
    spent = {
        rule: [float(most if own is None else own) for (_, own), most in zip(pairs, limit, strict=True)]
        for rule, pairs in known.items()
    }
    ratios = {rule: ratio_interval(own, spent["Recapts"]) for rule, own in spent.items() if rule != "Recapts"}
    told = ", ".join(f"{rule} {tell(ratio)}" for rule, ratio in ratios.items())
    return all_of([is_beyond(ratio[1:], 1.0) for ratio in ratios.values()]), f"{told} of the chosen rule"


CLAIMS = [
    Claim(
        "depth of the solutions",
        "the fixed-depth search solves each problem at the listed depth (A.2)",
        "at least {tolerance:.0%} of those solved within the limit, at exactly that depth",
        0.95,
        depth_claim,
    ),
    Claim(
        "checks cut the tree most",
        "88,887 c-nodes, the fewest of the single rules (table 4.4)",
        "every other single rule costs more, at 95%",
        0.0,
        cheapest("Checks (1)", SINGLE),
    ),
    Claim(
        "reduction by checks",
        "88% less (4.4.8.2)",
        "ratio to no extension within {tolerance} of the seed's at our depths; open if its interval reaches there",
        0.15,
        beside_seed("Checks (1)", "None"),
    ),
    Claim(
        "both forms of checks",
        "very similar, 88,887 and 84,140 (4.4.6.1)",
        "within {tolerance:.0%} of each other; open if the interval reaches there",
        0.3,
        lambda figures, tolerance: (
            is_within(ratio := change(figures, "Checks (2)", "Checks (1)"), 1.0, tolerance),
            f"the second costs {tell(ratio)} of the first",
        ),
    ),
    Claim(
        "checks, recaptures and null moves are best",
        "30,614 c-nodes, the fewest (table 4.4)",
        "every other rule costs more, at 95%",
        0.0,
        cheapest("Checks+Recapts+Null", tuple(RULES)),
    ),
    Claim(
        "checks and null moves come second",
        "46,910 c-nodes (table 4.4)",
        "at the first or second place; open where the second is not cheaper at 95%",
        0.0,
        second_claim,
    ),
    Claim(
        "null moves always help",
        "a benefit in all combinations (4.4.8.3)",
        "each combination costs more without them, at 95%",
        0.0,
        null_helps_claim,
    ),
    Claim(
        "two plies for null moves",
        "to 40% of one ply's effort (4.4.8.1)",
        "one ply costs more, at 95%",
        0.0,
        cheaper("Null (2)", "Null (1)"),
    ),
    Claim(
        "recaptures alone",
        "x 0.89, no significant advantage or disadvantage (4.4.8.3)",
        "within {tolerance:.0%} of no extension; open if the interval reaches there",
        0.25,
        lambda figures, tolerance: (
            is_within(ratio := change(figures, "Recapts", "None"), 1.0, tolerance),
            tell(ratio),
        ),
    ),
    Claim(
        "singular extensions alone",
        "51% less (table 4.4), none at depths up to 6",
        "ratio to no extension within {tolerance} of the seed's at our depths; open if its interval reaches there",
        0.25,
        beside_seed("SingEx (1)", "None"),
    ),
    Claim(
        "one ply for singular tests",
        "two plies cost x 1.41 (4.4.8.1)",
        "two plies cost more, at 95%",
        0.0,
        cheaper("SingEx (1)", "SingEx (2)"),
    ),
    Claim(
        "singular extensions add nothing to checks",
        "x 0.93, no significant advantage (4.4.8.3)",
        "no gain above {tolerance:.0%}, at 95%",
        0.15,
        singular_on_checks_claim,
    ),
    Claim(
        "singular extensions harm the best combination",
        "considerably worse in all depth bands (4.4.8.3)",
        f"every band of {FEWEST} problems and more costs more, at 95%",
        0.0,
        singular_on_best_claim,
    ),
    Claim(
        "cost of singular tests",
        "nearly 70% and 40% of the total (4.4.8.1)",
        "both shares of c-nodes within {tolerance} of the seed's at our depths; open if an interval reaches there",
        0.15,
        share_claim("singular", "SingEx (1)", "SingEx (2)"),
    ),
    Claim(
        "cost of recapture tests",
        "9%, a small part (table A.1)",
        "share of c-nodes within {tolerance} of the seed's at our depths; open if its interval reaches there",
        0.1,
        share_claim("recapture", "Recapts"),
    ),
    Claim(
        "growth with depth",
        "about an order of magnitude a band (4.4.7.2)",
        "from band to band up to 8,9 ten times, within a factor of {tolerance}",
        2.5,
        growth_claim,
    ),
    Claim(
        "branching without extensions",
        "3.84 at depths 6,7 and 3.38 at 10+ (4.4.7.4)",
        "both within {tolerance}",
        0.5,
        branching_claim,
    ),
    Claim(
        "checks take off branching evenly",
        "by 1.24 at depths 6,7 and 1.22 at 10+ (4.4.7.4)",
        "less in all bands from 6,7 on, and by the same within {tolerance}",
        0.4,
        branching_change_claim,
    ),
    Claim(
        "extending all captures is bad",
        "dearer for nearly all positions, often by more than ten times (4.4.6.2)",
        "dearer or unsolved in at least {tolerance:.0%}, and more than ten times as dear in a quarter",
        0.8,
        captures_claim,
    ),
    Claim(
        "other rules of recapture are worse",
        "without the static balance a combinatorial explosion, the others performed less well (4.4.6.4)",
        "each of the three costs more than the chosen rule, at 95%",
        0.0,
        other_recaptures_claim,
    ),
]


def show(harness: Harness, figures: Figures) -> None:
    """Our tables beside the seed's."""

    def number(value: float | None) -> str:
        return "-" if value is None else f"{value:,.0f}"

    compared = figures["compared"]
    rows: list[list[str]] = [["problems", *map(str, compared.values()), ""]]
    rows.append(["    seed", "206", "176", "136", "45", "563", ""])
    shares, factors = [], []
    for rule, bands in SEED.items() if compared["all"] else ():
        ours = figures["rules"][rule]
        whole = seed_cost(figures, rule)
        rows.append([rule, *map(number, ours["c_nodes"].values()), str(ours["unsolved"])])
        rows.append(["    seed", *(number(band[0]) for band in bands), number(whole), ""])
        row = [rule]
        for part, kind in enumerate(("singular", "recapture"), 1):
            row += [f"{ours[f'{kind}_share']:.0%}", f"{seed_cost(figures, rule, part) / whole:.0%}"]
        if "Sing" in rule or "Recap" in rule:
            shares.append(row)
        seed_factors = [seed_branching(rule, band) for band in SEED_DEPTHS]
        factors.append([rule, *("-" if factor is None else f"{factor:.2f}" for factor in ours["branching"].values())])
        factors.append(["    seed, at most", *(f"{factor:.2f}" for factor in seed_factors), ""])
    harness.print_table(
        'Tables 4.4 and A.1: c-nodes to solution, by depth ("all" of the seed: at our mix of depths)',
        ["rule", *BANDS, "unsolved"],
        rows,
    )
    harness.print_table(
        "Table A.1: share of the tests in c-nodes (the seed's at our mix of depths)",
        ["rule", "singular", "seed", "recapture", "seed"],
        shares,
    )
    harness.print_table(
        "Equation 4.1: effective branching factor, by depth (the seed's at most, from the means of table A.1)",
        ["rule", *BANDS],
        factors,
    )
    rows = []
    for rule, pairs in figures["variants"].items():
        known = [own / without for without, own in pairs if own is not None and without]
        if known:
            rows.append([rule, str(len(pairs)), f"{np.median(known):.2f}", str(len(pairs) - len(known))])
    if rows:
        harness.print_table(
            "4.4.6.2 and 4.4.6.4: rules that the seed left out, c-nodes over those without extensions",
            ["rule", "problems", "median ratio", "given up"],
            rows,
        )
    depths = ", ".join(f"{int(difference):+d}: {count}" for difference, count in figures["depth_less_listed"].items())
    print(
        f"\n{figures['solved_without_extensions']} of {figures['problems']} problems are solved without extensions, "
        f"{compared['all']} by every rule. Our depth less the listed one: {depths}."
    )


def draw(figures: Figures) -> Iterator[Drawing]:
    """Figures 4.3 to 4.10."""
    compared = figures["compared"]
    numbers = {"all": "4.3", "6,7": "4.4", "8,9": "4.5", "10+": "4.6"}
    names = [rule for rule in RULES if rule not in ("Checks (2)", "SingEx (2)", "Null (1)")]

    def seeds(band: str, own: Sequence[str]) -> list[float]:
        places = list(BANDS)
        return [seed_cost(figures, rule) if band == "all" else SEED[rule][places.index(band)][0] for rule in own]

    for band, number in numbers.items():
        if compared[band] < 1:
            continue
        bars = {"ours": [figures["rules"][rule]["c_nodes"][band] for rule in names], "the seed": seeds(band, names)}
        yield Drawing(
            f"c_nodes_{band.replace(',', '_').replace('+', '')}",
            f"Figure {number}: c-nodes to solution, depths {band}",
            lambda bars=bars: draw_bars(names, bars, up="c-nodes", is_logarithmic=True, height=3.6),
        )
    for band, number in {"6,7": "4.7", "8,9": "4.8", "10+": "4.9"}.items():
        if not compared[band]:
            continue
        factors = {
            "ours": [figures["rules"][rule]["branching"][band] for rule in names],
            "the seed, at most": [seed_branching(rule, band) for rule in names],
        }
        yield Drawing(
            f"branching_{band.replace(',', '_').replace('+', '')}",
            f"Figure {number}: effective branching factors, depths {band} (the seed's at most, by table A.1)",
            lambda factors=factors: draw_bars(names, factors, up="branching factor", height=3.6),
        )
    if compared["all"]:
        variants = ("SingEx (1)", "SingEx (2)", "Null (1)", "Null (2)")
        bars = {
            "ours": [figures["rules"][rule]["c_nodes"]["all"] for rule in variants],
            "the seed": seeds("all", variants),
        }
        yield Drawing(
            "variants",
            "Figure 4.10: variants of singular tests and null moves",
            lambda: draw_bars(variants, bars, up="c-nodes"),
        )


def settings_of(scale: Scale) -> Mapping[str, Any]:
    """All that the figures of a scale depend on."""
    return {**vars(scale), "rules": RULES | VARIANTS}


EXPERIMENT = Experiment(
    name="smith_4_4",
    text=__doc__,
    small=SCALES,
    parts=PARTS,
    measure=measure,
    summarise=summarise,
    show=show,
    claims=CLAIMS,
    draw=draw,
    settings=settings_of,
    data="the 1001 positions of the book as EPD (wcsac.epd)",
    common={"pilot": {setting.key: setting.value for setting in make_pilot("None").settings()}},
)


def main(words: Sequence[str] | None = None) -> None:
    """Measures, prints and writes results/smith_4_4.json."""
    EXPERIMENT.run(words)


if __name__ == "__main__":
    from harness import start

    start(main)
