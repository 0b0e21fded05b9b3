"""What there is to show of move categories: of a pilot that extends on some, and of a run of Gradual Focus."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from plypilot.diagrams import draw_moves, has_board
from plypilot.games import game_info
from plypilot.learn.category_values import Measured, Suite, union_text
from plypilot.learn.focus import Candidate, category_words
from plypilot.learn.gradual_focus import Combination, Exploration, Trace
from plypilot.pilot import Pilot
from plypilot.play.ratings import Pentanomial
from plypilot.sections import Block, Diagrams, Note, Section, Table, Verbatim, bar

if TYPE_CHECKING:
    from plypilot.learn.focus import Focus
    from plypilot.learn.folder import Run

_LISTED = 25
_ENDS = 8
"""Categories that are shown from either end of many."""
_SHOWN = 6
"""Example positions."""
_WIDTH = 96
"""Of the lines of a tree, without what stands before them."""
_TRUNK, _BRANCH, _LAST, _NOTHING = "\u2502  ", "\u251c\u2500 ", "\u2514\u2500 ", "   "
_HANDED = 10
_HANDED_ON = (
    "The best of what was found, with costs that are learned by gradient (of the categories that a move is in, the "
    "first counts) or by how often moves of each are played (the likeliest counts)."
)
_TREE = (
    "Each combination stands below its first parent, the best of those with one feature less. What was not better than "
    "its first parent is part of no other, and so some were never tried."
)


def pilot_sections(pilot: Pilot) -> Iterator[Section]:
    """Of a pilot with move categories: each in words, and what its moves cost; of many the cheapest and the dearest."""
    rows = [
        ("-".join(category.features), category_words(pilot.game, category), f"{category.plies:g}")
        for category in pilot.depth.categories
    ]
    blocks: list[Block] = []
    if len(rows) > _LISTED:
        rows.sort(key=lambda row: float(row[2]))
        blocks.append(Note(f"The {_ENDS} cheapest and the {_ENDS} dearest of {len(rows):,} categories."))
        rows = rows[:_ENDS] + rows[-_ENDS:]
    if rows:
        yield Section("cost of moves by category", [*blocks, Table(("category", "moves", "plies"), rows, words=2)])


def run_sections(run: Run, learner: Focus) -> Iterator[Section]:
    """Of a run: the categories that were found, positions that they solve, the tree of what was tried, the trials."""
    state, game = run.state, str(run.facts["game"])
    neutral = learner.neutral(state)
    if neutral is None:
        yield Section("What was found", ["No category has been valued yet."])
        return
    found = learner.candidates(state)
    yield Section(
        "What was found", list(_found(run, learner, found, neutral)), ("best_value", "neutral_value", "evaluated")
    )
    if examples := list(_examples(learner.suite_of(state), found, neutral)):
        yield Section("Positions", examples)
    for plies in learner.plies:
        tree = tree_text(learner.exploration(state, plies), _feature_texts(game))
        yield Section(f"What was tried at {plies:g} plies", [_TREE, Verbatim(tree)], ("generation",))
    trials = [
        (
            union_text(own.union),
            f"{own.plies:g}",
            str(Pentanomial(*own.pairs).games) if own.pairs else "",
            f"{Pentanomial(*own.pairs).score:.1%}" if own.pairs else f"{own.value:g}",
            "taken" if own.is_better else "",
        )
        for own in learner.choices(state)
    ]
    if trials:
        yield Section("Trials", [Table(("category", "plies", "games", "score", ""), trials)], ("trial_score",))
    if found:
        yield Section("For other learners", [_HANDED_ON, Verbatim(handed_on(game, found))])


def handed_on(game: str, found: Sequence[Candidate]) -> str:
    """The commands by which other learners of depth go on from what was found, the best of it first."""
    combinations = list(dict.fromkeys(own for candidate in found for own in candidate.union))[:_HANDED]
    together = ",".join("+".join(combination) for combination in combinations)
    listed = json.dumps([*map(list, combinations), []], separators=(",", ":"))
    return (
        f"plypilot train plies {game} --set categories={together}\n"
        f"plypilot train realization {game} --set categories='{listed}'"
    )


def _found(run: Run, learner: Focus, found: Sequence[Candidate], neutral: Measured) -> Iterator[Block]:
    state, game = run.state, str(run.facts["game"])
    positions = len(state.numbers["suite"])
    yield (
        f"{len(learner.measured(state)):,} searches of {positions} positions, {state.numbers['nodes']:,} nodes each. "
        f"The search that extends nothing solves {len(neutral.solved)} and is worth {neutral.value:g}."
    )
    most = max([neutral.value, *(own.measured.value for own in found), 1e-9])
    rows = [
        (
            union_text(own.union),
            " or ".join(category_words(game, part) for part in own.union),
            bar(own.measured.value / most),
            f"{own.measured.value:g}",
            str(len(own.measured.solved)),
            str(len(set(own.measured.solved) - set(neutral.solved))),
            f"{own.plies:g}",
            f"{own.measured.frequency:.1%}",
            f"{own.measured.depth:.1f}",
            f"{own.measured.height:.1f}",
        )
        for own in found[:_LISTED]
    ]
    columns = ("category", "moves", "", "value", "solved", "new", "plies", "of all moves", "depth", "height")
    yield Table(columns, rows, words=3)
    yield Note(
        "new: positions that the search solves with the category and not without; of all moves: how often moves that "
        "were searched are of the category; depth, height: means of the last completed depth and of the longest line."
    )


def _examples(suite: Suite, found: Sequence[Candidate], neutral: Measured) -> Iterator[Block]:
    """Positions that the search solves only with a category, each told of one category, the best first."""
    names = [feature.symbol for feature in game_info(suite.game).move_features]
    solved_by: dict[int, Candidate] = {}
    for own in found:
        for number in own.measured.solved:
            if number not in neutral.solved:
                solved_by.setdefault(number, own)
    diagrams, drawings = [], []
    for number, own in sorted(solved_by.items(), key=lambda item: found.index(item[1]))[:_SHOWN]:
        item = suite.item(number)
        position = item.position()
        moves = [position.parse(word) for word in item.best]
        texts = []
        for move in moves:
            mask = position.move_features(move)
            in_it = [name for bit, name in enumerate(names) if mask >> bit & 1]
            texts.append(f"{move}: {', '.join(in_it) or 'no feature'}")
        title = f"{number + 1}: solved with {union_text(own.union)}"
        if has_board(game_info(suite.game)):
            diagrams.append(draw_moves(position, title, moves, texts))
        else:
            drawings.append("\n".join([title, "", str(position), *texts]))
    if diagrams:
        yield Diagrams(
            diagrams, "Positions that are solved only with a category; the move that solves each, and its features."
        )
    for drawing in drawings:
        yield Verbatim(drawing)


def _feature_texts(game: str) -> dict[str, str]:
    return {feature.symbol: feature.text for feature in game_info(game).move_features}


def tree_text(found: Exploration, texts: Mapping[str, str] | None = None) -> str:
    """What was tried, each combination below its first parent, with what became of it; features with their texts."""
    below: dict[tuple[str, ...] | None, list[Trace]] = {}
    for trace in found.traces:
        parent = None if trace.generation == 0 else trace.first or ()
        below.setdefault(parent, []).append(trace)
    lines: list[str] = []

    def write(trace: Trace, before: str, branch: str, beyond: str) -> None:
        lines.append(before + branch + _line(trace, texts or {}))
        own = below.get(trace.combination, [])
        listed = [child for child in own if child.fate in ("base", "dropped", "survived")]
        told = list(_others(child for child in own if child not in listed))
        inner = before + beyond
        for child in listed:
            is_last = child is listed[-1] and not told
            write(child, inner, _LAST if is_last else _BRANCH, _NOTHING if is_last else _TRUNK)
        for place, text in enumerate(told):
            is_last = place == len(told) - 1
            parts = wrap(text, _WIDTH, break_on_hyphens=False)
            lines.append(inner + (_LAST if is_last else _BRANCH) + parts[0])
            lines.extend(inner + (_NOTHING if is_last else _TRUNK) + _NOTHING + part for part in parts[1:])

    for root in below.get(None, ()):
        write(root, "", "", "")
    return "\n".join(lines)


def _line(trace: Trace, texts: Mapping[str, str]) -> str:
    value = "" if trace.value is None else f" {trace.value:g}"
    low = ", below the threshold" if trace.fate == "dropped" else ""
    meaning = texts.get(trace.combination[0], "") if len(trace.combination) == 1 else ""
    return f"{union_text((trace.combination,))}{value}{low}{': ' if meaning else ''}{meaning}"


def _others(traces: Iterable[Trace]) -> Iterator[str]:
    """What did not survive of the children of one combination: what was not better, and what each of it has banned."""
    disproved: list[str] = []
    banned: dict[tuple[Combination, bool], list[str]] = {}
    for trace in traces:
        name = union_text((trace.combination,))
        if trace.fate == "disproved":
            disproved.append(f"{name} {trace.value:g}")
        else:
            banned.setdefault((trace.reason, trace.is_cousin), []).append(name)
    if disproved:
        yield f"not better: {', '.join(disproved)}"
    for (reason, is_cousin), names in banned.items():
        why = "narrower than" if is_cousin else "because of"
        yield f"not tried, {why} {union_text((reason,))}: {', '.join(names)}"
