"""What Kocsis 2003 says of the Neural MoveMap in chess, and how the figures of ``kocsis_3_chess`` are judged by it.

The rules were fixed before any run at full scale. The seed's own figures pass each of them. A figure is judged where
its part was run at full scale on games with openings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import exp, log

from harness import Claim, Figures, Missing, mean

ALL = "ALL"
SEED_RATES = {
    "specific": {"A30": 0.33, "B84": 0.36, "D85": 0.35, "E97": 0.39},
    ALL: {"A30": 0.32, "B84": 0.33, "D85": 0.31, "E97": 0.34},
    "search": {"A30": 0.39, "B84": 0.40, "D85": 0.45, "E97": 0.37},
}
"""Table 3.2: networks without search, and CRAFTY with searches 7 plies deep."""
SHARED = "with shared positions"
"""What rows are called whose test sets have positions of other games too."""
SHARING = "rprop, shares, sharing"
LAST_MOVE = "rprop, shares, sharing, last move"
"""What methods are called in which moves share a part of what they learn; the second sees the opponent's last move
too."""
DECAYED = "rprop, shares, decay"
DECAYED_LAST_MOVE = "rprop, shares, sharing, last move, decay"
"""The same where weights are drawn to 0, the first by the board alone."""
BY_SIGMOID = f"{ALL}, sigmoid"
"""What the network is called whose outputs are read as a sigmoid from 0 to 1."""
BY_DEVIATION = f"{ALL}, weighted by deviation"
"""What the row is called where history is divided by its deviation in the position."""
FACTORS = (1 / 64, 1 / 16, 1 / 4, 1, 4, 16, 64)
"""Of the usual weight of history, in the scan of figure 3.10."""
STARTS = (1 / 16, 1, 16)
"""Of the usual weight, from which an adaptive one begins."""
Ratios = dict[int, float]
"""Node ratios to history by depth."""


def weight_name(name: str, factor: float) -> str:
    """A network with a fixed weight of history, as rows call it."""
    return f"{name}, weight x {factor:g}"


def adaptive_name(name: str, factor: float) -> str:
    """A network with a weight of history that begins so and adapts, as rows call it."""
    return f"{name}, adaptive from x {factor:g}"


def _part(figures: Figures, name: str) -> Figures:
    if not figures["is_judged"]:
        raise Missing("judged at full scale")
    if not figures["is_on_record"]:
        raise Missing("needs games on record, which tell their openings")
    if name not in figures:
        raise Missing(f"measured by the scale {name}")
    part: Figures = figures[name]
    return part


def _rate(figures: Figures, row: str) -> float:
    """A row of table 3.2, its mean over the test sets."""
    return mean(_part(figures, "networks")["rates"][row].values())


def _ratios(part: Figures, pilot: str) -> Ratios:
    ratios = {int(row["depth"]): float(row["nodes"][0]) for row in part["rows"] if row["pilot"] == pilot}
    if not ratios:
        raise Missing(f"{pilot} is not searched at this scale")
    return ratios


def _mean_ratio(ratios: Iterable[float]) -> float:
    return exp(mean(log(ratio) for ratio in ratios))


def _uses(figures: Figures) -> dict[str, Ratios]:
    """The three ways of use with the general network and reduced selectivity."""
    part = _part(figures, "uses-reduced")
    return {use: _ratios(part, f"{ALL}, {use}") for use in ("pure", "straightforward", "weighted")}


def _tell(ratios: Mapping[int, float]) -> str:
    return ", ".join(f"{depth}: {ratio:.3f}" for depth, ratio in ratios.items())


# Prediction


def general_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table 3.2, learning set ALL."""
    rates = {row: _rate(figures, f"{ALL}, {row}") for row in ("rprop", "rprop, sigmoid", "rprop, shares")}
    general = [row for row in _part(figures, "networks")["rates"] if row.startswith(ALL) and SHARED not in row]
    best = max(general, key=lambda row: _rate(figures, row))
    text = f"squares {rates['rprop']:.3f}, sigmoid {rates['rprop, sigmoid']:.3f}, shares {rates['rprop, shares']:.3f}"
    return max(rates.values()) >= tolerance, f"{text}; the best method: {best} {_rate(figures, best):.3f}"


def last_move_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table 3.2, learning set ALL, with what the seed's networks lack."""
    rates = {row: _rate(figures, f"{ALL}, {row}") for row in (LAST_MOVE, SHARING, "rprop, shares")}
    told = ", ".join(f"{row} {rate:.3f}" for row, rate in rates.items())
    return rates[LAST_MOVE] >= tolerance, told


def _decayed_rate(figures: Figures, row: str) -> float:
    return mean(_part(figures, "decay")["rates"][row].values())


def decayed_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table 3.2, learning set ALL, with weights that are drawn to 0."""
    rate, seen = (_decayed_rate(figures, f"{ALL}, {row}") for row in (DECAYED, DECAYED_LAST_MOVE))
    return rate >= tolerance, f"{rate:.3f}, with sharing and the last move {seen:.3f}"


def decayed_specific_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table 3.2, specific learning sets beside ALL, with weights that are drawn to 0."""
    specific, general = (_decayed_rate(figures, f"{name}, {DECAYED}") for name in ("specific", ALL))
    return specific - general >= tolerance, f"specific {specific:.3f}, {ALL} {general:.3f}"


def specific_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table 3.2, specific learning sets beside ALL."""
    specific, general = _rate(figures, "specific, rprop"), _rate(figures, f"{ALL}, rprop")
    return specific - general >= tolerance, f"specific {specific:.3f}, {ALL} {general:.3f}"


def engine_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table 3.2, CRAFTY's prediction."""
    rate, seed = _rate(figures, "search, reduced"), mean(SEED_RATES["search"].values())
    text = f"{rate:.3f}, with full selectivity {_rate(figures, 'search, full'):.3f}; the seed's mean {seed:.3f}"
    return abs(rate - seed) <= tolerance, text


def nearly_engine_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table 3.2, networks beside CRAFTY."""
    share = _rate(figures, f"{ALL}, rprop") / _rate(figures, "search, reduced")
    return share >= tolerance, f"{share:.2f} of it"


def centre_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figure 3.4, left. Only a network whose outputs are read as a sigmoid has a reason to score below 0."""
    networks = _part(figures, "networks")["scores"]["networks"]
    text = ", ".join(
        f"{name}: median {scores['median']:.4f}, mean {scores['mean']:.4f}" for name, scores in networks.items()
    )
    return networks[BY_SIGMOID]["median"] < 0, text


# Learning sets


def _label_ratio(figures: Figures, name: str, use: str) -> float:
    """Nodes with the labels of an engine beside those with the labels of games, over all depths."""
    part = _part(figures, "sets")
    engine, game = (_ratios(part, f"{name} by {labels}, {use}") for labels in ("engine", "game"))
    return _mean_ratio(engine[depth] / game[depth] for depth in game)


def pure_labels_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figure 3.8, the pure approach."""
    ratios = {name: _label_ratio(figures, name, "pure") for name in ("E97", "E9x")}
    return max(ratios.values()) < 1, ", ".join(f"{name} x {ratio:.3f}" for name, ratio in ratios.items())


def combined_labels_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 3.8, the straightforward combination."""
    ratios = {name: _label_ratio(figures, name, "straightforward") for name in ("E97", "E9x")}
    text = ", ".join(f"{name} x {ratio:.3f}" for name, ratio in ratios.items())
    return all(ratio >= 1 - tolerance for ratio in ratios.values()), text


def _set_ratios(figures: Figures, use: str) -> dict[str, float]:
    part = _part(figures, "sets")
    return {name: _mean_ratio(_ratios(part, f"{name}, {use}").values()) for name in ("E97", "E9x", "KI", ALL)}


def _tell_sets(by_use: Mapping[str, Mapping[str, float]]) -> str:
    return "; ".join(
        f"{use} {', '.join(f'{name} {ratio:.3f}' for name, ratio in ratios.items())}" for use, ratios in by_use.items()
    )


def narrowest_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figure 3.9: the most specific set beside the others."""
    by_use = {use: _set_ratios(figures, use) for use in ("pure", "straightforward")}
    is_worst = all(ratios["E97"] == max(ratios.values()) for ratios in by_use.values())
    return is_worst, _tell_sets(by_use)


def wider_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 3.9: the three others among each other."""
    by_use = {use: _set_ratios(figures, use) for use in ("pure", "straightforward")}
    wider = [[ratios[name] for name in ("E9x", "KI", ALL)] for ratios in by_use.values()]
    return all(max(ratios) / min(ratios) <= 1 + tolerance for ratios in wider), _tell_sets(by_use)


# Ways of use


def weighted_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 3.11."""
    uses = _uses(figures)
    behind = {
        depth: ratio / min(uses["pure"][depth], uses["straightforward"][depth])
        for depth, ratio in uses["weighted"].items()
    }
    return max(behind.values()) <= 1 + tolerance, f"weighted beside the better of both: {_tell(behind)}"


def straightforward_claim(figures: Figures, _: float) -> tuple[bool, str]:
    """Figure 3.11."""
    pure, straightforward = (_mean_ratio(_uses(figures)[use].values()) for use in ("pure", "straightforward"))
    return straightforward < pure, f"over all depths straightforward {straightforward:.3f}, pure {pure:.3f}"


def _gains(figures: Figures) -> tuple[float, float]:
    """Weighted: the mean ratio at depths 3 to 9, and the ratio at depth 11."""
    ratios = _uses(figures)["weighted"]
    if 11 not in ratios:
        raise Missing("depth 11 is not searched at this scale")
    return _mean_ratio(ratios[depth] for depth in range(3, 10)), ratios[11]


def shallow_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 3.14."""
    shallow, _ = _gains(figures)
    return shallow <= 1 - tolerance, f"{1 - shallow:.1%} fewer"


def deep_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 3.14."""
    _, deep = _gains(figures)
    return deep <= 1 - tolerance, f"{1 - deep:.1%} fewer"


def growth_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 3.14."""
    shallow, deep = _gains(figures)
    return shallow - deep >= tolerance, f"depths 3 to 9 {shallow:.3f}, depth 11 {deep:.3f}"


def overhead_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """3.4.4."""
    overhead = float(_part(figures, "uses-reduced")["overhead"])
    return overhead <= tolerance, f"{overhead:.1%}"


def leaves_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """3.4.4."""
    part = _part(figures, "uses-reduced")
    everywhere, above = _ratios(part, f"{ALL}, weighted"), _ratios(part, f"{ALL}, weighted, 2 plies")
    loss = _mean_ratio(above[depth] / everywhere[depth] for depth in everywhere)
    return loss <= 1 + tolerance, f"x {loss:.3f} over all depths"


def ranges_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """3.2.3: history by the number of updates and by its deviation."""
    part = _part(figures, "uses-reduced")
    by_updates, by_deviation = _ratios(part, f"{ALL}, weighted"), _ratios(part, BY_DEVIATION)
    apart = _mean_ratio(by_deviation[depth] / by_updates[depth] for depth in by_updates)
    return abs(apart - 1) <= tolerance, f"by deviation x {apart:.3f} over all depths"


# Weights of history


def peak_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 3.4, right."""
    shares = _part(figures, "weights")["reduced"]["history"]
    return shares["median"] <= tolerance * shares["mean"], f"median {shares['median']:.4f}, mean {shares['mean']:.4f}"


def ends_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """3.4.3: where a weight ends that adapts, from starts far apart."""
    ends = _part(figures, "weights")["reduced"]["ends"]
    medians = {name: [ends[adaptive_name(name, factor)][1] for factor in STARTS] for name in ("E9x", ALL)}
    text = "; ".join(f"{name} {', '.join(f'{end:.3g}' for end in own)}" for name, own in medians.items())
    return all(max(own) / min(own) <= tolerance for own in medians.values()), text


def _scan(figures: Figures) -> dict[str, dict[float, Ratios]]:
    """Ratios by network, factor and depth, with reduced selectivity."""
    part = _part(figures, "weights")["reduced"]
    return {name: {factor: _ratios(part, weight_name(name, factor)) for factor in FACTORS} for name in ("E9x", ALL)}


def _best_factor(scan: Mapping[float, Ratios]) -> float:
    """Over all depths together."""
    return min(scan, key=lambda factor: _mean_ratio(scan[factor].values()))


def one_weight_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 3.10, by depth."""
    told, worst = [], 0.0
    for name, scan in _scan(figures).items():
        best = _best_factor(scan)
        losses = {depth: scan[best][depth] / min(own[depth] for own in scan.values()) - 1 for depth in scan[best]}
        worst = max(worst, *losses.values())
        told.append(f"{name} x {best:g}: at most {max(losses.values()):.1%}")
    return worst <= tolerance, "; ".join(told)


def deviation_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure 3.10, by network."""
    losses = {
        name: _mean_ratio(scan[1].values()) / _mean_ratio(scan[_best_factor(scan)].values()) - 1
        for name, scan in _scan(figures).items()
    }
    networks = _part(figures, "weights")["networks"]
    text = "; ".join(
        f"{name}: deviation {networks[name]['deviation']:.3g}, weight {networks[name]['usual_weight']:.3g}, {loss:.1%}"
        for name, loss in losses.items()
    )
    return max(losses.values()) <= tolerance, text


def _adaptive(figures: Figures, name: str) -> dict[float, float]:
    """Mean ratios over all depths by the start of the weight."""
    part = _part(figures, "weights")["reduced"]
    return {factor: _mean_ratio(_ratios(part, adaptive_name(name, factor)).values()) for factor in STARTS}


def adaptive_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """3.4.3: beside the best fixed weight."""
    told, worst = [], 0.0
    for name, scan in _scan(figures).items():
        best, adaptive = _mean_ratio(scan[_best_factor(scan)].values()), _adaptive(figures, name)[1]
        worst = max(worst, adaptive / best - 1)
        told.append(f"{name} {adaptive:.3f} beside {best:.3f}")
    return worst <= tolerance, "; ".join(told)


def convergence_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """3.4.3: from starts far apart."""
    ratios = {name: _adaptive(figures, name) for name in ("E9x", ALL)}
    text = "; ".join(
        f"{name} {', '.join(f'from x {start:g} {ratio:.3f}' for start, ratio in own.items())}"
        for name, own in ratios.items()
    )
    return all(max(own.values()) / min(own.values()) - 1 <= tolerance for own in ratios.values()), text


CLAIMS = [
    Claim(
        "one network over all openings",
        "0.31 to 0.34, mean 0.325 (table 3.2)",
        "RPROP, by squares, by a sigmoid or by shares: mean over the four test sets at least {tolerance}",
        0.31,
        general_claim,
    ),
    Claim(
        "the same, where moves share what they learn and the last move is seen",
        "0.31 to 0.34, mean 0.325, by the board alone (table 3.2)",
        "RPROP, learned from shares: mean over the four test sets at least {tolerance}",
        0.31,
        last_move_claim,
    ),
    Claim(
        "one network over all openings, with decay",
        "0.31 to 0.34, mean 0.325 (table 3.2)",
        "RPROP from shares, by the board alone, weights drawn to 0: mean over the four test sets at least {tolerance}",
        0.31,
        decayed_claim,
    ),
    Claim(
        "specific learning sets predict better, with decay",
        "0.33 to 0.39 against 0.31 to 0.34 (table 3.2)",
        "the mean over the four test sets is above that of ALL by {tolerance} at least",
        0,
        decayed_specific_claim,
    ),
    Claim(
        "specific learning sets predict better",
        "0.33 to 0.39 against 0.31 to 0.34 (table 3.2)",
        "RPROP: the mean over the four test sets is above that of ALL by {tolerance} at least",
        0,
        specific_claim,
    ),
    Claim(
        "what a search of 7 plies predicts",
        "0.37 to 0.45, mean 0.40 (table 3.2)",
        "reduced selectivity: mean over the four test sets within {tolerance} of the seed's",
        0.05,
        engine_claim,
    ),
    Claim(
        "networks are almost as good as that search",
        "0.81 of it with ALL (table 3.2)",
        "RPROP with ALL predicts at least {tolerance} of what the search does, reduced selectivity",
        0.7,
        nearly_engine_claim,
    ),
    Claim(
        "scores centre below 0",
        "about normal around a negative value (figure 3.4)",
        "the median of the scores of ALL, read as a sigmoid, on E97, is negative",
        0,
        centre_claim,
    ),
    Claim(
        "labels of an engine help the pure approach",
        "smaller trees for E97 and for E9x (figure 3.8)",
        "mean ratio of nodes over all depths below 1, for both",
        0,
        pure_labels_claim,
    ),
    Claim(
        "labels of an engine do not help the combination",
        "the advantage disappears (figure 3.8)",
        "straightforward: they save at most {tolerance:.0%} of the nodes over all depths, for both",
        0.01,
        combined_labels_claim,
    ),
    Claim(
        "the most specific set is the worst",
        "E97 does worse than E9x, KI and ALL in both approaches (figure 3.9)",
        "its mean ratio over all depths is the highest, pure and straightforward",
        0,
        narrowest_claim,
    ),
    Claim(
        "the others are about equal",
        "E9x, KI and ALL (figure 3.9)",
        "mean ratios over all depths at most {tolerance:.0%} apart, pure and straightforward",
        0.05,
        wider_claim,
    ),
    Claim(
        "the weighted combination is best",
        "on all test sets and depths (figure 3.11)",
        "all test sets together: at each depth at most {tolerance:.0%} behind the better of the others",
        0.01,
        weighted_claim,
    ),
    Claim(
        "the straightforward combination is before the pure approach",
        "on the whole, less clearly at the deepest (figure 3.11)",
        "the lower mean ratio over all depths",
        0,
        straightforward_claim,
    ),
    Claim(
        "fewer nodes at depths 3 to 9",
        "about 2% (figure 3.14)",
        "weighted: at least {tolerance:.0%} fewer, mean over these depths",
        0.01,
        shallow_claim,
    ),
    Claim(
        "fewer nodes at depth 11",
        "7.5% (figure 3.14)",
        "weighted: at least {tolerance:.0%} fewer",
        0.04,
        deep_claim,
    ),
    Claim(
        "the gain grows with depth",
        "from 2% to 7.5% (figure 3.14)",
        "weighted: the gain at depth 11 is above that at depths 3 to 9 by {tolerance:.0%} at least",
        0.01,
        growth_claim,
    ),
    Claim("what asking costs", "5 to 8% of the time (3.4.4)", "at most {tolerance:.0%}", 0.08, overhead_claim),
    Claim(
        "near the leaves the network is not needed",
        "less than 1% is lost without it (3.4.4)",
        "weighted, not asked at the last ply: at most {tolerance:.0%} more nodes over all depths",
        0.01,
        leaves_claim,
    ),
    Claim(
        "one weight of history for all depths",
        "the best weight does not change much with depth (figure 3.10)",
        "the best weight over all depths is at most {tolerance:.0%} behind that of each depth",
        0.01,
        one_weight_claim,
    ),
    Claim(
        "the best weight follows from the deviation",
        "inversely proportional to it: about 300 for E9x, 500 for ALL (3.4.3)",
        "one constant divided by the deviation gives weights at most {tolerance:.0%} behind the best, for both",
        0.01,
        deviation_claim,
    ),
    Claim(
        "an adaptive weight does as well",
        "similar to the best fixed weight (3.4.3)",
        "at most {tolerance:.0%} more nodes over all depths, for both networks",
        0.02,
        adaptive_claim,
    ),
    Claim(
        "an adaptive weight arrives from anywhere",
        "it converges to where both kinds of misses balance (3.4.3)",
        "from a sixteenth and from sixteen times the usual weight the trees differ by at most {tolerance:.0%}",
        0.02,
        convergence_claim,
    ),
    Claim(
        "and ends at one value",
        "it converges to where both kinds of misses balance (3.4.3)",
        "the medians over searches from the three starts, 256 times apart, are at most {tolerance} times apart",
        4,
        ends_claim,
    ),
    Claim(
        "scores of history peak near 0",
        "most moves rarely have an update (figure 3.4)",
        "the median share of updates of quiet moves is at most {tolerance} of the mean",
        0.5,
        peak_claim,
    ),
    Claim(
        "two ways to bring history into range",
        "by updates and by deviation in the position lead to similar trees (3.2.3)",
        "weighted: at most {tolerance:.0%} apart over all depths",
        0.02,
        ranges_claim,
    ),
]
