"""What there is to show of a run that has learned widths: the best ones as a picture, what they are worth, trials."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from plypilot.audit_sections import kept_sections
from plypilot.play.ratings import Pentanomial, elo
from plypilot.sections import Block, Lines, Note, Section, Table

if TYPE_CHECKING:
    from plypilot.learn.folder import Run
    from plypilot.learn.learner import State
    from plypilot.learn.widths import By, Judged, Widths

_LISTED = 8
_DRAWN = 3
_WORDS: dict[By, tuple[str, str]] = {
    "distance": ("plies to the leaves (FPV-l)", "plies to the leaves"),
    "ply": ("plies below the root (FPV-d)", "plies below the root"),
    "iteration": ("depth of the iteration (FPV-it)", "depth of the iteration"),
    "both": ("iteration and ply (triangle)", "place in the triangle, row by row"),
}
_SEARCH_METRICS = ("by", "visited", "looked_at", "cycles", "worth", "best_worth", "positions", "depth", "limit")
_TRIAL_METRICS = ("trial", "trial_games", "trial_score", "is_better")


def run_sections(run: Run, learner: Widths) -> Iterator[Section]:
    """Of a run: the widths that were found, how the search for them went, and the trials."""
    state = run.state
    if not state.numbers["measures"]:
        return
    yield Section("Widths", list(_found(run, learner)), _SEARCH_METRICS)
    yield Section("The search for them", list(_search(state, learner)))
    if learner.tried(state):
        yield Section("Trials", list(_trials(state, learner)), _TRIAL_METRICS)
    yield from kept_sections(learner.audited_pilot(state), state.numbers["audit"])


def _found(run: Run, learner: Widths) -> Iterator[Block]:
    state, measures = run.state, learner.measures(run.state)
    positions = len(state.numbers["positions"])
    yield (
        f"The pilot as it is searches {measures.depth} plies deep in {positions} positions and takes "
        f"{measures.limit(positions):,.0f} nodes on average. Widths were sought with which a search of "
        f"{measures.depth + learner.deeper} plies takes no more than "
        f"{measures.limit(positions, learner.budget):,.0f}; without them it takes "
        f"{measures.limit(positions, 1):,.0f}."
    )
    if run.pilot == run.start:
        yield "The pilot is as it was at the start: no widths were found better."
    judged = learner.judged(state)
    if not judged:
        yield "No widths have been measured yet."
        return
    unit = "hundredths of a pawn a move" if learner.worth == "moves" else "hundredths of a point a game"
    rows = [
        (
            _WORDS[own.by][0],
            _text(learner, state, own),
            f"{own.worth:+.1f}",
            f"{1.96 * own.error:.1f}",
            f"{own.share:.0%}",
        )
        for own in judged[:_LISTED]
    ]
    yield Table(("by", "widths, from the first on", "worth", "\u00b1", "nodes"), rows, words=2)
    yield Note(
        f"Worth is in {unit} beside the pilot as it is, with its 95% interval; nodes are beside that limit. The best "
        "were chosen by these figures, so that theirs are a little too good: trials by games decide."
    )
    for by in learner.by:
        drawn = [own for own in judged if own.by == by][:_DRAWN]
        if drawn:
            yield _drawing(learner, state, by, drawn)


def _text(learner: Widths, state: State, judged: Judged) -> str:
    return " ".join(str(width or "all") for width in learner.read(state, judged))


def _drawing(learner: Widths, state: State, by: By, drawn: list[Judged]) -> Lines:
    most = learner.measures(state).most_moves
    lines = {
        f"{own.worth:+.1f}": np.array([width or most for width in learner.read(state, own)], np.float64)
        for own in drawn
    }
    first = 0 if by == "ply" else 1
    length = len(next(iter(lines.values())))
    caption = f"The best widths by {_WORDS[by][0]}, each named by its worth; {most} stands for all moves."
    return Lines(np.arange(first, first + length, dtype=np.float64), lines, _WORDS[by][1], "moves searched", caption)


def _search(state: State, learner: Widths) -> Iterator[Block]:
    rows = []
    for by in learner.by:
        found = learner.exploration(state, by)
        looked, judged = (len(state.numbers[name].get(by, [])) for name in ("looks", "worths"))
        rows.append((_WORDS[by][0], str(len(found.visits)), str(looked), str(judged), str(found.cycles)))
    columns = ("by", "steps", "looked at", "judged", "critical")
    yield Table(columns, rows)
    told = [
        f"{name} in {agreeing / pairs:.1%} of {pairs} pairs"
        for name, (agreeing, pairs) in learner.monotony(state).items()
        if pairs
    ]
    if told:
        yield (
            "Of two neighbours the wider one is taken to need at least as many nodes and to do at least as well. "
            f"So it was: {', '.join(told)}."
        )
    costs = [cost for by in learner.by for _, cost, _ in state.numbers["looks"].get(by, [])]
    if len(costs) > 1:
        share = np.array(costs) / learner.rules(state).limit
        yield Lines(
            np.arange(1, len(share) + 1, dtype=np.float64),
            {"nodes": np.minimum(share, 2.0)},
            "widths looked at",
            "nodes, 1 = the limit",
            "What widths cost that were looked at, one after the other; more than twice the limit is drawn as twice.",
        )


def _trials(state: State, learner: Widths) -> Iterator[Block]:
    yield (
        "The best widths played by games at equal nodes, each against the best pilot until then, the first against the "
        "pilot of the start."
    )
    rows = []
    for trial in learner.tried(state):
        results = Pentanomial(*trial.pairs)
        widths = " ".join(str(width or "all") for width in trial.widths)
        taken = "taken" if trial.is_better else ""
        rows.append((_WORDS[trial.by][0], widths, str(results.games), f"{results.score:.1%}", str(elo(results)), taken))
    yield Table(("by", "widths", "games", "score", "Elo", ""), rows, words=2)
