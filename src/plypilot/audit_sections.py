"""What there is to show of an audit of pruning: missed wins first, then alarms, how often it was wrong, and the worst
cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from plypilot.audit import Audit, Finding, Row
from plypilot.diagrams import draw_moves, has_board
from plypilot.games import Position, game_info
from plypilot.pilot import Pilot
from plypilot.score import score_text
from plypilot.sections import Block, Diagrams, Section, Table, Verbatim

_WORST = 6
_LISTED = 12


def audit_sections(found: Audit) -> Iterator[Section]:
    """All of it, in the order of how much it matters."""
    if found.missed:
        yield Section("Missed wins", list(_missed(found)))
    if found.alarms():
        yield Section("Alarms", list(_alarms(found)))
    yield Section("How often pruning was wrong", list(_rows(found)))
    if found.worst:
        yield Section("The worst cases", list(_worst(found)))


def kept_sections(pilot: Pilot | None, kept: Sequence[Mapping[str, Any]]) -> Iterator[Section]:
    """The same of an audit that a run has kept, where there is one."""
    if pilot is not None and kept and kept[0]:
        first, *others = audit_sections(Audit.read(pilot, kept[0]))
        yield Section(first.title, first.blocks, ("audited", "wrong"))
        yield from others


def _missed(found: Audit) -> Iterator[Block]:
    yield (
        f"In {len(found.missed)} of {found.positions} positions a search to the same depth that skips nothing sees a "
        "forced win, and the pilot does not."
    )
    rows = [(own.position, str(own.depth), own.move, own.score, own.chosen, own.chosen_score) for own in found.missed]
    yield Table(("position", "depth", "wins", "", "the pilot plays", ""), rows, words=1)
    yield from _drawings(
        found,
        [
            (own.position, [own.move, own.chosen], [f"{own.move} {own.score}", f"{own.chosen} {own.chosen_score}"])
            for own in found.missed[:_WORST]
        ],
        "First the move that wins, then the one that the pilot plays.",
    )


def _alarms(found: Audit) -> Iterator[Block]:
    yield (
        "Here pruning was wrong too often for this to be chance. The category is the feature of moves that the wrong "
        "skips have in common and few others have."
    )
    yield _table("category, reason and depth", [alarm.row for alarm in found.alarms()])


def _rows(found: Audit) -> Iterator[Block]:
    all_skipped = found.overall()
    if not all_skipped.skipped:
        yield f"In {found.positions} positions, {found.nodes:,} nodes, no move was skipped."
        return
    yield (
        f"In {found.positions} positions, {found.nodes:,} nodes, {all_skipped.skipped:,} moves were skipped. Of these "
        f"{all_skipped.searched:,} were searched after all, to the same depth and with nothing skipped. A move was "
        "wrong to skip where it was better than what its position came to without it."
    )
    yield _table("by reason and depth", found.by_reason_and_depth(), with_counts=True)
    yield _table("by place in the order of moves", found.by_rank())
    if rows := found.by_feature():
        yield _table("by feature of the move", rows)
    if rows := found.by_feature_and_depth():
        yield _table("by feature and depth, the most often wrong", rows[:_LISTED])


def _table(title: str, rows: Sequence[Row], *, with_counts: bool = False) -> Table:
    columns = (title, *(["skipped"] if with_counts else []), "searched", "wrong", "of these", "by pawns")
    cells = []
    for row in rows:
        counts = [f"{row.skipped:,}"] if with_counts else []
        loss = f"{row.loss / 100:.2f}" if row.wrong else ""
        cells.append((row.name, *counts, f"{row.searched:,}", f"{row.wrong:,}", f"{row.share:.1%}", loss))
    return Table(columns, cells)


def _worst(found: Audit) -> Iterator[Block]:
    rows = [
        (
            own.position,
            own.move,
            own.why,
            f"{own.depth:g}",
            str(own.rank),
            score_text(own.score),
            score_text(own.worth),
        )
        for own in found.worst[:_WORST]
    ]
    yield Table(("position", "move", "why", "plies left", "place", "without it", "with it"), rows, words=3)
    yield from _drawings(
        found, [_drawn(own) for own in found.worst[:_WORST]], "Moves that were skipped, and should not have been."
    )


def _drawn(own: Finding) -> tuple[str, list[str], list[str]]:
    return own.position, [own.move], [f"{own.move} {score_text(own.worth)} instead of {score_text(own.score)}"]


def _drawings(
    found: Audit, cases: Sequence[tuple[str, list[str], list[str]]], caption: str
) -> Iterator[Diagrams | Verbatim]:
    info = game_info(found.pilot.game)
    diagrams = []
    for number, (text, moves, told) in enumerate(cases, 1):
        position = Position(found.pilot.game, text)
        title = f"{number}: {info.sides[position.turn]} to move"
        if has_board(info):
            diagrams.append(draw_moves(position, title, [position.parse(move) for move in moves], told))
        else:
            yield Verbatim("\n".join([title, "", str(position), *told]))
    if diagrams:
        yield Diagrams(diagrams, caption)
