"""What there is to show of a run that has learned how long to think: how it went, what the network says, where its time
goes beside the simple rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from plypilot.learn.timed_games import span_names
from plypilot.play.ratings import Pentanomial, elo
from plypilot.sections import Bars, Block, Note, Section, Table

if TYPE_CHECKING:
    from plypilot.learn.folder import Run
    from plypilot.learn.learner import State
    from plypilot.learn.timing_run import TimingRun

_METRICS = ("games", "points", "spent", "decisions", "moved", "steepness", "growth", "depth", "weights")
_FEW = 20
"""A row of fewer moves is left out: its mean says little."""


def run_sections(run: Run, learner: TimingRun) -> Iterator[Section]:
    """Of a run: its games, where time goes, and the trials."""
    state = run.state
    if not state.numbers["measures"]:
        return
    yield learning_section(run, learner)
    if state.numbers["look"]:
        yield Section("Where time goes", list(_times(state)), ("look_points",))
    if state.numbers["trials"]:
        yield Section("Trials", list(_trials(state)), ("tried", "trial_games", "trial_score", "is_better"))


def learning_section(run: Run, learner: TimingRun) -> Section:
    """How the learning went, and what the network says."""
    return Section("Learning", list(_learning(run, learner)), _METRICS)


def _learning(run: Run, learner: TimingRun) -> Iterator[Block]:
    state = run.state
    assert state.pilot is not None
    measures = learner.measures(state)
    has_bank = learner.limit(state.pilot).clock is not None
    bank = f"adds {learner.nodes:,} nodes to a bank that begins with {learner.times(state.pilot):g} times as many"
    yield (
        f"Each move {bank if has_bank else f'has {learner.nodes:,} nodes'}. The pilot then mostly reaches "
        f"{measures.depth} plies, and an iteration takes {measures.growth:.1f} times the nodes of the one before. A "
        f"score of 100 is worth {np.tanh(measures.steepness * 50):.2f} of a win."
    )
    if run.pilot == run.start:
        yield "The pilot is as it was at the start: nothing was found better by games."
    if shown := learner.progress(state):
        yield shown
    policy = learner.policy(state)
    seen = np.asarray(policy.direct, np.float64)[: len(policy.seen)]
    if not seen.size:
        return
    names = ["go on"] if policy.asked == "after" else [f"{depth} plies" for depth in policy.choices]
    rows = [(name, *(f"{weight:+.2f}" for weight in row)) for name, row in zip(policy.seen, seen, strict=True)]
    yield Table(("what is seen", *names), [*rows, ("always", *(f"{bias:+.2f}" for bias in policy.output_bias))])
    yield Note("The links past the hidden layer: above 0 more of it speaks for the decision, below 0 against it.")


def _times(state: State) -> Iterator[Block]:
    look = state.numbers["look"]
    yield (
        "What was learned and the simple rule played each other. Times are in increments: 1 is what a move adds to the "
        "bank."
    )
    if used := look.get("used"):
        yield (
            f"By the end of a game what was learned had used {used['learned']:.0%} of what it was given, the simple "
            f"rule {used['simple']:.0%}."
        )
    for title, key, names in zip(("own move", "surprise"), ("by_move", "by_surprise"), span_names(), strict=True):
        rows = [
            (name, f"{own[0]:.2f}", f"{usual[0]:.2f}", f"{own[1]:,}", f"{usual[1]:,}")
            for name, own, usual in zip(names, look["learned"][key], look["simple"][key], strict=True)
            if min(own[1], usual[1]) >= _FEW
        ]
        if len(rows) < 2:
            continue
        bars = {"learned": [float(row[1]) for row in rows], "simple rule": [float(row[2]) for row in rows]}
        yield Table((title, "learned", "simple rule", "moves (learned)", "moves (simple)"), rows)
        yield Bars([row[0] for row in rows], bars, "increments", f"Time a move by {title}.")
    yield Note(
        "Surprise: how the value changed since the own move before, by a search of two plies; 1 is a game that is won. "
        f"Rows of fewer than {_FEW} moves are left out."
    )


def _trials(state: State) -> Iterator[Block]:
    best = "the pilot of the start"
    for way, pairs, is_better in state.numbers["trials"]:
        results = Pentanomial(*pairs)
        name = "What was learned" if way == "learned" else "The simple rule"
        yield (
            f"{name} played {best} with equal banks, {results.games} games: {results.score:.1%}, Elo {elo(results)}. "
            f"It was {'taken' if is_better else 'not taken'}."
        )
        if is_better:
            best = "the simple rule"
