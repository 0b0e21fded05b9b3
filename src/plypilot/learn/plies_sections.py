"""What there is to show of a run that learns what move categories cost: the costs, and how they came to be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from plypilot.diagrams import draw_moves, has_board
from plypilot.games import Position, game_info
from plypilot.sections import Block, Diagrams, Lines, Section, Table

if TYPE_CHECKING:
    from plypilot.learn.folder import Run
    from plypilot.learn.plies import Plies

_BAR = 20
"""Characters of a bar that stands for two plies."""
_MOST_TRACED = 10
_SHOWN = 6


def run_sections(run: Run, learner: Plies) -> Iterator[Section]:
    """The costs of the categories, how they moved, what was solved, and some positions."""
    yield Section("What was learned", list(_costs(run, learner)))
    curves = list(_curves(run))
    if curves:
        yield Section("How it learned", curves, ("solved", "nodes", "best_nodes", "mistakes"))
    examples = list(_examples(run, learner))
    if examples:
        yield Section("Positions", examples)


def _costs(run: Run, learner: Plies) -> Iterator[Block]:
    game = run.facts["game"]
    names = learner.category_names(game)
    texts = {feature.name: feature.text for feature in game_info(game).move_features}
    costs = run.state.arrays["best"]
    yield "Plies that a move of each category costs; of the categories that a move is in, the first counts."
    rows = [
        (
            name,
            ", and ".join(texts.get(word, word) for word in name.split("+")),
            "█" * max(round(plies / 2 * _BAR), 0) or "·",
            f"{plies:.2f}",
        )
        for name, plies in zip(names, costs.tolist(), strict=True)
    ]
    yield Table(("category", "moves that", "cost", "plies"), rows, words=3)


def _curves(run: Run) -> Iterator[Block]:
    traces = run.traces
    if traces is not None and len(traces.steps) > 1:
        moved = np.abs(traces.values - traces.values[0]).max(axis=0)
        shown = sorted(np.argsort(-moved, kind="stable")[:_MOST_TRACED].tolist())
        lines = {traces.names[place]: traces.values[:, place] for place in shown}
        yield Lines(np.asarray(traces.steps, np.float64), lines, "step", "plies", "What categories cost, by step.")
    told = [metrics for metrics in run.metrics if "nodes" in metrics]
    if len(told) > 1:
        x = np.arange(1, len(told) + 1, dtype=np.float64)
        nodes = np.array([float(metrics["nodes"]) for metrics in told])
        solved = np.array([float(metrics["solved"]) / float(metrics["positions"]) for metrics in told])
        share = {"nodes, of the first iteration's": nodes / nodes[0], "solved, of all positions": solved}
        yield Lines(x, share, "iteration", "share", "Nodes that the suite takes, and how much of it is solved.")


def _examples(run: Run, learner: Plies) -> Iterator[Block]:
    game = run.facts["game"]
    if not has_board(game_info(game)):
        return
    diagrams = []
    for problem in run.state.numbers["problems"][:_SHOWN]:
        position = Position(game, problem["fen"])
        words = problem["path"][:1] or problem["best"][:1]
        moves = [position.parse(word) for word in words]
        names = [_category_of(learner, position, move) for move in moves]
        texts = [f"{word}: {name}" for word, name in zip(words, names, strict=True)]
        if moves:
            diagrams.append(draw_moves(position, ", ".join(texts), moves, texts))
    if diagrams:
        yield Diagrams(diagrams, "The move that solves each position, or that was a mistake, with its category.")


def _category_of(learner: Plies, position: Position, move: object) -> str:
    from plypilot.learn.plies import _masks
    from plypilot.learn.ply_costs import class_of

    names = learner.category_names(position.game)
    place = class_of(position.move_features(move), _masks(position.game, names))  # type: ignore[arg-type]
    return names[place] if place >= 0 else "in no category"
