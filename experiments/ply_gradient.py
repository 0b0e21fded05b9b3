"""The gradient of a search's size by the costs of move categories: from one search, and from one for each category.

    python experiments/ply_gradient.py [--scale quick|full]

Positions come from random openings. Each is searched once with the trace, and once more for each category with its
cost raised by delta, the learner's: where all categories cost a ply, as at the start of learning, and where they cost
3/4. With half a ply for delta the correlation was 0.65 at 3/4 and 0 at whole plies, where it takes two raised moves to
end a line earlier; that a whole ply is better was found on openings of another seed.

The rules, fixed before the run: over the categories that occur, those whose own search has other nodes, the rank
correlation of the relative node changes is at least 0.8 as a mean over the positions, at both costs; and the sign of
the whole gradient agrees in at least 85% of the cases in which its two terms oppose each other. Beside the mean over
the positions stands the correlation of the changes by category, each a mean over the positions. The trace takes at
most 30% more time with 4 categories, 60% with 64 and 100% with 1,000, by the medians of interleaved rounds.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import combinations, islice
from typing import Any

import numpy as np

import plypilot as pp
from bm_suite import plain_pilot
from harness import Claim, Figures, Harness, Missing, mean, read_options, start
from plypilot.games import game_info
from plypilot.learn.plies import Plies
from plypilot.learn.ply_costs import Sample, cost_gradient, growth, path_of
from plypilot.play.openings import random_openings
from plypilot.searcher import Limit, Searcher

NAMES = ("check", "only_reply", "recapture", "passed_pawn", "capture", "moves_king", "moves_queen", "moves_rook")
NAMES += ("moves_bishop", "moves_knight", "moves_pawn")
DELTA, SEED = Plies().delta, 8
COUNTS = (4, 64, 1000)
SCALES: dict[str, dict[str, Any]] = {  # depths by what all categories cost
    "tiny": {"positions": 2, "depths": {1.0: 4, 0.75: 3}, "rounds": 1, "timed": 1, "timed_depth": 3},
    "quick": {"positions": 20, "depths": {1.0: 7, 0.75: 5}, "rounds": 3, "timed": 6, "timed_depth": 6},
    "full": {"positions": 100, "depths": {1.0: 7, 0.75: 5}, "rounds": 7, "timed": 12, "timed_depth": 7},
}


def compare(position: pp.Position, cost: float, depth: int) -> Figures:
    """Both gradients of one position, where all categories cost so much."""
    learner, plain = Plies(categories=NAMES), plain_pilot()
    costs = np.full(len(NAMES), cost)
    pilot, limit = learner.steered(plain, costs), Limit(depth=depth)
    result = Searcher(pilot).search(position, limit, statistics="plies", delta=DELTA)
    assert result.statistics is not None
    one = result.statistics.altered_nodes[-1].tolist()
    separate = []
    for place in range(len(NAMES)):
        raised = costs + DELTA * (np.arange(len(NAMES)) == place)
        separate.append(float(Searcher(learner.steered(plain, raised)).search(position, limit).nodes.all))
    bits = [1 << [feature.name for feature in game_info("chess").move_features].index(name) for name in NAMES]
    path_depth, counts = path_of(position, result.pv, bits, costs.tolist(), depth)
    nodes = result.nodes.all
    samples = [Sample(nodes, depth, altered, path_depth, counts) for altered in (one, separate)]
    signs = []
    for place, gradients in enumerate(zip(*(cost_gradient(sample, DELTA) for sample in samples), strict=True)):
        shrinks = growth(separate[place], depth) < growth(nodes, depth)
        if counts[place] and shrinks:
            signs.append(bool((gradients[0] > 0) == (gradients[1] > 0)))
    return {"nodes": nodes, "one": one, "separate": separate, "signs": signs}


def _rank(values: Sequence[float]) -> Any:
    ordered = np.sort(values)
    places = (np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")) / 2
    return places - places.mean()


def correlation(told: Figures) -> float | None:
    """Of the relative node changes of the categories that occur; None where fewer than three do."""
    places = [place for place, nodes in enumerate(told["separate"]) if nodes != told["nodes"]]
    one, separate = ([told[name][place] for place in places] for name in ("one", "separate"))
    if len(places) < 3:
        return None
    ours, theirs = _rank(one), _rank(separate)
    scale = float(np.sqrt((ours**2).sum() * (theirs**2).sum()))
    return float((ours * theirs).sum() / scale) if scale else None


def trace_cost(positions: Sequence[pp.Position], depth: int, rounds: int) -> dict[str, float]:
    """By what part a search takes longer with the trace, by the number of categories: medians of rounds."""
    names = [feature.name for feature in game_info("chess").move_features]
    found = {}
    for count in COUNTS:
        some = ["check", "only_reply", "recapture", "passed_pawn"]
        if count > len(some):
            some = ["+".join(several) for several in islice(combinations(names, 3), count - len(names))]
            some = [*some, *names][:count]
        pilot = Plies(categories=tuple(some)).steered(plain_pilot(), np.ones(len(some)))
        ratios = []
        for _ in range(rounds):
            seconds = {"plies": 0.0, "nothing": 0.0}
            for position in positions:
                for watched in seconds:
                    searcher = Searcher(pilot)
                    began = time.process_time()
                    if watched == "plies":
                        searcher.search(position, Limit(depth=depth), statistics="plies")
                    else:
                        searcher.search(position, Limit(depth=depth))
                    seconds[watched] += time.process_time() - began
            ratios.append(seconds["plies"] / max(seconds["nothing"], 1e-9) - 1)
        found[str(count)] = round(float(np.median(ratios)), 4)
    return found


def by_category(told: Sequence[Figures]) -> float | None:
    """The correlation of the changes by category, each a mean over the positions."""
    means = {name: np.mean([np.array(each[name]) / each["nodes"] for each in told], 0) for name in ("one", "separate")}
    return correlation({"nodes": 1.0, **{name: values.tolist() for name, values in means.items()}})


def _ranks_agree(figures: Figures, tolerance: float) -> tuple[bool, str]:
    found, texts = [], []
    for cost, told in figures["positions"].items():
        known = [value for each in told if (value := correlation(each)) is not None]
        found.append(mean(known))
        pooled = by_category(told)
        text = f"at a cost of {cost} {found[-1]:.3f} over {len(known)} positions"
        texts.append(text if pooled is None else f"{text}, by category {pooled:.3f}")
    return min(found) >= tolerance, "; ".join(texts)


def _signs_agree(figures: Figures, tolerance: float) -> tuple[bool, str]:
    signs = [sign for told in figures["positions"].values() for each in told for sign in each["signs"]]
    if not signs:
        raise Missing("no case in which the terms oppose each other")
    return mean(signs) >= tolerance, f"{mean(signs):.1%} of {len(signs)} cases"


def _is_quick(count: int) -> Any:
    def judge(figures: Figures, tolerance: float) -> tuple[bool, str]:
        found = figures["trace"][str(count)]
        return found <= tolerance, f"{found:+.0%}"

    return judge


CLAIMS = [
    Claim(
        "ranks agree",
        "4.2: one search estimates each altered one",
        "mean {tolerance} or more at both costs",
        0.8,
        _ranks_agree,
    ),
    Claim("signs agree", "4.2: a good measure of the sensitivity", "{tolerance} of cases or more", 0.85, _signs_agree),
    *(
        Claim(f"trace of {count} categories", "none", "at most {tolerance} more time", most, _is_quick(count))
        for count, most in zip(COUNTS, (0.3, 0.6, 1.0), strict=True)
    ),
]


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    scale = SCALES[options.scale]
    made = Harness("ply_gradient", options.scale, threads=options.threads, folder=options.out)
    openings = random_openings("chess", 16, scale["positions"], SEED)
    positions = []
    for opening in openings:
        position = pp.Position("chess")
        for move in opening.moves:
            position.push(move)
        positions.append(position)
    told = {
        str(cost): made.measure(
            f"gradients at a cost of {cost:g}",
            positions,
            key=lambda position: [position.fen(), depth, DELTA, cost, list(NAMES)],
            work=lambda position: compare(position, cost, depth),  # noqa: B023
        )
        for cost, depth in scale["depths"].items()
    }
    figures: Figures = {
        "positions": told,
        "trace": trace_cost(positions[: scale["timed"]], scale["timed_depth"], scale["rounds"]),
    }
    settings = {**scale, "delta": DELTA, "categories": list(NAMES)}
    made.conclude(CLAIMS, figures, settings=settings, seed=SEED)
    made.close()


if __name__ == "__main__":
    start(main)
