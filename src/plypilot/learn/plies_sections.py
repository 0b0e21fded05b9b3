"""What there is to show of a run that learns what move categories cost: the costs, and how they came to be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

import numpy as np

from plypilot.diagrams import draw_moves, has_board
from plypilot.games import Move, Position, game_info
from plypilot.learn.ply_costs import category_masks, class_of
from plypilot.sections import Block, Diagrams, Lines, Section, Table, Verbatim, bar

if TYPE_CHECKING:
    from plypilot.learn.folder import Run
    from plypilot.learn.plies import Plies

_MOST_PLIES = 2.0
"""That a move may cost."""
_MOST_TRACED = 10
_SHOWN = 6
_LINE = 6
"""Moves of a line that are told."""
_NO_CATEGORY = "in no category"


def run_sections(run: Run, learner: Plies) -> Iterator[Section]:
    """The costs of the categories, how they moved, what was solved, and some positions."""
    yield Section("What was learned", list(_costs(run, learner)))
    curves = list(_curves(run))
    if curves:
        yield Section("How it learned", curves, ("solved", "nodes", "best_nodes", "mistakes", "positions", "iteration"))
    solved = list(_solved(run, learner))
    if solved:
        yield Section("Solved positions", solved)
    examples = list(_examples(run, learner))
    if examples:
        yield Section("Positions", examples)


def _costs(run: Run, learner: Plies) -> Iterator[Block]:
    game = run.facts["game"]
    names = learner.category_names(run.start)
    texts = {feature.name: feature.text for feature in game_info(game).move_features}
    costs = run.state.arrays["best"]
    yield "Plies that a move of each category costs; of the categories that a move is in, the first counts."
    rows = [
        (
            name,
            ", and ".join(texts.get(word, word) for word in name.split("+")),
            bar(plies / _MOST_PLIES),
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


def _solved(run: Run, learner: Plies) -> Iterator[Block]:
    numbers = run.state.numbers
    if not numbers["iteration"] or any(problem["path"] for problem in numbers["problems"]):
        return
    first, best = set(numbers["first_solved"]), set(numbers["best_solved"])
    yield (
        f"Of {len(numbers['problems'])} positions, at most {learner.nodes:,} nodes each. "
        "The learned costs are those of the iteration with the fewest nodes."
    )
    rows = [
        ("with the first costs", str(len(first))),
        ("with the learned costs", str(len(best))),
        ("only with the learned costs", str(len(best - first))),
        ("only with the first costs", str(len(first - best))),
    ]
    yield Table(("solved", "positions"), rows)


def _examples(run: Run, learner: Plies) -> Iterator[Block]:
    """Positions for as many categories as there are, those first that only the learned costs solve."""
    game, numbers = run.facts["game"], run.state.numbers
    names = learner.category_names(run.start)
    gained = set(numbers["best_solved"]) - set(numbers["first_solved"])
    is_path = any(problem["path"] for problem in numbers["problems"])
    found: dict[str, list[tuple[int, Position, list[Move]]]] = {}
    for place in sorted(range(len(numbers["problems"])), key=lambda place: place not in gained):
        problem = numbers["problems"][place]
        position = Position(game, problem["fen"])
        moves = [position.parse(word) for word in problem["path"][:1] or problem["best"][:1]]
        if moves:
            found.setdefault(_category_of(names, position, moves[0]), []).append((place, position, moves))
    ranked = [found[name] for name in (*names, _NO_CATEGORY) if name in found]
    diagrams, drawings = [], []
    rounds = (some for several in zip_longest(*ranked) for some in several if some is not None)
    for place, position, moves in islice(rounds, _SHOWN):
        title = f"{place + 1}: {game_info(game).sides[position.turn]} to move"
        line = _line_text(names, position, numbers["problems"][place]["path"] or [str(moves[0])])
        texts = [f"{line}, gained" if place in gained else line]
        if has_board(game_info(game)):
            diagrams.append(draw_moves(position, title, moves, texts))
        else:
            drawings.append("\n".join([title, "", str(position), *texts]))
    if is_path:
        caption = "Mistakes: the move that was played, and the line that showed it, with the categories of its moves."
    else:
        caption = "The move that solves each position, with its category. Gained: only the learned costs solve it."
    if diagrams:
        yield Diagrams(diagrams, caption)
    elif drawings:
        yield caption
        yield from (Verbatim(drawing) for drawing in drawings)


def _line_text(names: Sequence[str], position: Position, words: Sequence[str]) -> str:
    """The moves of a line, each with its category where it is in one, as far as there is room."""
    walk, told = position.copy(), []
    for word in words[:_LINE]:
        move = walk.parse(word)
        name = _category_of(names, walk, move)
        told.append(word if name == _NO_CATEGORY and len(words) > 1 else f"{word}: {name}")
        walk.push(move)
    return ", ".join(told)


def _category_of(names: Sequence[str], position: Position, move: Move) -> str:
    place = class_of(position.move_features(move), category_masks(position.game, names))
    return names[place] if place >= 0 else _NO_CATEGORY
