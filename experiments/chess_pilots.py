"""The pilots of ``kocsis_3_chess``: the baseline of chess that orders moves by history, by a network, or by both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import orderings
import plypilot as pp
from chess_prediction import GAME, Predictor
from kocsis_3_mia import REDUCED

WEIGHTS = 1e-6, 1e6
"""The least and the largest weight of history that a pilot can have."""
USES = ("pure", "straightforward", "weighted")
"""Of a network in the search (3.2.3)."""


@dataclass(frozen=True)
class HistoryRule:
    """How history is counted and brought into a range."""

    settings: Mapping[str, Any]
    weight: float
    """Its usual weight, times the deviation of the network's scores."""


RULES = {
    "sum": HistoryRule({"ordering.history_rule": "sum"}, 0.05),
    "deviation": HistoryRule({"ordering.history_rule": "deviation"}, 1.5),
    "running": HistoryRule({"ordering.history_rule": "running"}, 0.02),
}
"""The first is the seed's, which all pilots are set beside. The second orders moves as the first where history is
alone; its weight lets it count as much on average, by the deviation of sums in validation positions."""
SEED_RULE, SCALED_RULE, *OTHER_RULES = RULES


def history(selectivity: str, rule: str = SEED_RULE) -> pp.Pilot:
    """The baseline, with as much selectivity and with history by this rule."""
    changes: dict[str, Any] = REDUCED if selectivity == "reduced" else {}
    return pp.Pilot.baseline(GAME).replace({**changes, **RULES[rule].settings})


def usual_weight(predictor: Predictor, rule: str = SEED_RULE) -> float:
    """The larger the network's scores are, the less history is divided by (3.4.3)."""
    return RULES[rule].weight / max(predictor.deviation, 1e-6)


def ordered(
    selectivity: str,
    predictor: Predictor,
    use: str,
    *,
    rule: str = SEED_RULE,
    factor: float = 1.0,
    plies: int = 1,
    adaptation: float = 0.0,
) -> pp.Pilot:
    """The baseline with a network in its order of moves; history is divided by a factor times the usual weight."""
    return orderings.with_network(
        history(selectivity, rule),
        predictor.pilot.ordering.network,
        network_use=use,
        network_plies=plies,
        history_weight=float(np.clip(factor * usual_weight(predictor, rule), *WEIGHTS)),
        history_adaptation=adaptation,
    )


def all_uses(selectivity: str, predictor: Predictor, name: str, uses: Sequence[str] = USES) -> dict[str, pp.Pilot]:
    """A network in each of some ways of use."""
    return {f"{name}, {use}": ordered(selectivity, predictor, use) for use in uses}
