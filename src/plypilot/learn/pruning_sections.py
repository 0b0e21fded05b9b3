"""What there is to show of a run that has learned a forward-pruning function: how it went, what it rests on, where it
stops.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from plypilot.audit_sections import kept_sections
from plypilot.learn.measured_positions import Measures
from plypilot.learn.pruning import SMALL, Level
from plypilot.play.ratings import Pentanomial, elo
from plypilot.sections import Block, Lines, Note, Section, SmallLines, Table

if TYPE_CHECKING:
    from plypilot.learn.folder import Run
    from plypilot.learn.learner import State
    from plypilot.learn.pruning import ForwardPruning
    from plypilot.settings import Seen

_WORDS: dict[Seen, str] = {
    "iteration": "depth of the iteration (IT)",
    "ply": "plies below the root (SD)",
    "distance": "plies left to the leaves (D2L)",
    "nodes": "nodes so far (NCOUNT)",
    "depth": "depth left, with extensions (ED)",
    "changes": "changes of the best value (NVC)",
    "change_ranks": "places of the moves that changed it (SVC)",
    "order": "score of the next move in the order (MOSCORE)",
    "table": "move of the table, and whether it is still best (HASH)",
    "features": "features of the next move",
    "nodes_unit": "nodes so far, as one number",
    "depth_unit": "depth left, as one number",
    "order_digits": "score of the next move in the order, in digits",
    "board": "pieces on their places (BOARD)",
    "gap": "static score above alpha, in half pawns",
    "line": "the root, the principal line",
}
_LINES = (*SMALL, "gap")
"""Inputs with a unit for each value, whose weights make a line."""
_GAP_MIDDLE = 8
"""The unit of a static score that is alpha."""
_METRICS = (
    "epoch",
    "share",
    "worth",
    "best_worth",
    "pruned",
    "balance",
    "positions",
    "depth",
    "limit",
    "board_epoch",
    "predicted",
    "level",
    "shift",
)


def run_sections(run: Run, learner: ForwardPruning) -> Iterator[Section]:
    """Of a run: its epochs, its inputs, and the trial."""
    state = run.state
    if not (learner.told(state) or learner.levels(state)):
        return
    yield Section("Learning", list(_learning(run, learner)), _METRICS)
    if int(state.numbers["best"]) >= 0:
        yield Section("What the function rests on", list(_inputs(state, learner)))
    if any(sum(trial.pairs) for trial in learner.tried(state)):
        yield Section("Trials", list(_trials(state, learner)), ("trial", "trial_games", "trial_score", "is_better"))
    yield from kept_sections(learner.audited_pilot(state), state.numbers["audit"])


def _learning(run: Run, learner: ForwardPruning) -> Iterator[Block]:
    state, epochs = run.state, learner.told(run.state)
    measures, count = Measures.read(state.numbers["measures"]), len(state.numbers["positions"])
    yield (
        f"The pilot as it is searches {measures.depth} plies deep in {count} positions and takes "
        f"{measures.limit(count):,.0f} nodes on average. A search of {measures.depth + learner.deeper} plies with the "
        f"function may take {measures.limit(count, learner.budget):,.0f}; without it it takes "
        f"{measures.limit(count, 1):,.0f}."
    )
    if learner.trees == "whole":
        yield (
            f"It learned in {len(state.numbers['whole'])} passes over whole trees behind which decisions the best "
            "value changes. Then all sums were shifted, by halves, until the nodes were at the limit."
        )
    own, number = learner.best(state), int(state.numbers["best"]) + 1
    if own is None:
        yield "Nothing that was learned has pruned anything and kept to that limit."
    else:
        what = f"{own.shift:+.2f} added to all sums" if isinstance(own, Level) else f"epoch {number}"
        yield (
            f"Best was {what}: {own.share:.0%} of the nodes, {own.pruned:.0%} of its decisions were to prune, and its "
            f"moves were better by {own.worth:+.1f} hundredths of a pawn on average."
        )
    if run.pilot == run.start:
        yield "The pilot is as it was at the start: the function was not found better by games."
    x = np.arange(1, len(epochs) + 1, dtype=np.float64)
    if len(epochs) > 1:
        shares = np.minimum([epoch.share for epoch in epochs], 3.0)
        yield Lines(
            x,
            {"nodes": shares},
            "epoch",
            "nodes, 1 = the limit",
            "Nodes beside the limit; more than three times as three.",
        )
        lines = {
            "worth, hundredths of a pawn": np.array([epoch.worth for epoch in epochs]),
            "decisions to prune": np.array([epoch.pruned for epoch in epochs]),
            "balance of rewards": np.array([epoch.balance for epoch in epochs]),
        }
        yield SmallLines(
            x, lines, "epoch", "How good the chosen moves are, how much is pruned, and what moves count for."
        )
    if levels := sorted(learner.levels(state)):
        lines = {
            "nodes, 1 = the limit": np.array([level.share for level in levels]),
            "worth, hundredths of a pawn": np.array([level.worth for level in levels]),
            "decisions to prune": np.array([level.pruned for level in levels]),
        }
        caption = "What searches come to by what is added to all sums: the less, the more they prune."
        yield SmallLines(np.array([level.shift for level in levels]), lines, "added to all sums", caption)


def _inputs(state: State, learner: ForwardPruning) -> Iterator[Block]:
    weights = np.asarray(state.arrays["best"], np.float64)
    rows = [("always", *_cells(weights[:1]))]
    pictures = []
    assert state.pilot is not None
    for name, place in learner.rows(state.pilot.game).items():
        own = weights[place]
        rows.append((_WORDS[name], *_cells(own)))
        if name in _LINES:
            used = np.flatnonzero(np.abs(own).sum(axis=1))
            # Beyond the values that came up they stay the same.
            last = np.flatnonzero(np.abs(np.diff(own, axis=0)).sum(axis=1))
            used = used[used <= last[-1] + 1] if len(last) else used[:0]
            if len(used) > 1:
                pictures.append(_drawing(name, used, own, learner))
    yield Table(("the function sees", "mean size", "lowest", "highest"), rows)
    yield Note("Weights over all checkpoints; those of inputs that never occurred are left out. Below 0 they prune.")
    yield from pictures


def _cells(weights: np.ndarray) -> tuple[str, str, str]:
    used = weights[np.abs(weights) > 0]
    if not used.size:
        return "0", "", ""
    return f"{np.abs(used).mean():.2f}", f"{used.min():+.2f}", f"{used.max():+.2f}"


def _drawing(name: Seen, used: np.ndarray, weights: np.ndarray, learner: ForwardPruning) -> Lines:
    reached = [place for place in range(len(learner.checkpoints)) if weights[:, place].any()]
    few = reached[:: max(1, len(reached) // 3)][:4]
    lines = {f"behind {learner.checkpoints[place]}": weights[used[0] : used[-1] + 1, place] for place in few}
    x = np.arange(used[0], used[-1] + 1, dtype=np.float64)
    if name == "gap":
        x -= _GAP_MIDDLE
    caption = f"Weights by {_WORDS[name]}, at some checkpoints: the lower, the sooner it stops."
    return Lines(x, lines, _WORDS[name], "weight", caption)


def _trials(state: State, learner: ForwardPruning) -> Iterator[Block]:
    yield (
        "The best function played by games at equal nodes, as it is and with something added to its sums, so that it "
        "stops later, or sooner: each against the best pilot until then, the first against the pilot of the start."
    )
    rows = []
    for trial in learner.tried(state):
        results = Pentanomial(*trial.pairs)
        taken = "taken" if trial.is_better else ""
        rows.append((f"{trial.milder:+g}", str(results.games), f"{results.score:.1%}", str(elo(results)), taken))
    yield Table(("sums", "games", "score", "Elo", ""), rows)
