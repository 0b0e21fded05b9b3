"""The command that searches what a pilot skips, and tells how often it was wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plypilot.bounds import MOST_POSITIONS
from plypilot.cli.help import MEASURE
from plypilot.cli.matches import WorkerCount
from plypilot.cli.output import Json, Seed, print_json, print_section, progress
from plypilot.cli.pilots import Changes, find_pilot
from plypilot.cli.searches import Depth, NodeLimit

if TYPE_CHECKING:
    from plypilot.audit import Audit

_NODES = 20_000


def add_to(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command("audit", rich_help_panel=MEASURE)(audit)


def audit(
    pilot: Annotated[str, typer.Argument(metavar="PILOT", help="A pilot's file, baseline:GAME or plain:GAME.")],
    suite: Annotated[
        Path | None,
        typer.Option("--suite", metavar="F", help="A file of positions (EPD in chess); else games of the pilot's own."),
    ] = None,
    positions: Annotated[
        int, typer.Option("--positions", min=1, max=MOST_POSITIONS, metavar="N", help="How many, at most.")
    ] = 40,
    depth: Depth = None,
    nodes: NodeLimit = None,
    sample: Annotated[
        int,
        typer.Option(
            "--sample",
            min=1,
            max=MOST_POSITIONS,
            metavar="N",
            help="Skipped moves that are searched, of each reason, depth and position.",
        ),
    ] = 5,
    changes: Changes = None,
    seed: Seed = 0,
    workers: WorkerCount = 1,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write a page with the worst cases as diagrams too.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Tell how often a pilot is wrong in what it skips; 20,000 nodes for each position unless a limit is given.

    A sample of the moves that its searches skip is searched after all, to the same depth and with nothing skipped.
    Forced wins that such a search sees and the pilot misses are listed first.

    plypilot audit baseline:loa --positions 20 --depth 6 --out audit.html
    """
    from plypilot.audit import audit as run_audit
    from plypilot.audit_sections import audit_sections
    from plypilot.compute import workers_for
    from plypilot.learn.measured_positions import read_positions, sample_positions
    from plypilot.searcher import Limit

    audited = find_pilot(pilot, changes or (), None)
    if depth is not None and nodes is not None:
        raise typer.BadParameter("--depth and --nodes are two limits: name one of them")
    limit = Limit(depth=depth) if depth else Limit(nodes=nodes or _NODES)
    with workers_for(audited.game, workers) as pool:
        if suite is None:
            chosen = sample_positions(audited, positions, seed, pool)
        else:
            chosen = read_positions(str(suite), audited.game)[:positions]
        with progress() as bar:
            task = bar.add_task("positions", total=len(chosen))
            found = run_audit(
                audited,
                chosen,
                limit,
                sample=sample,
                seed=seed,
                workers=pool,
                tell=lambda number: bar.update(task, completed=number),
            )
    if out is not None:
        _write(found, out)
    if as_json:
        print_json(_json(found))
        return
    for section in audit_sections(found):
        print_section(section)
    if out is not None:
        print(f"\nwritten: {out}")


def _write(found: Audit, out: Path) -> None:
    from plypilot import sealed
    from plypilot.audit_sections import audit_sections
    from plypilot.games import game_info
    from plypilot.report.page import Page, add_section

    page = Page(f"What a pilot of {game_info(found.pilot.game).title} skips")
    page.heading(page.title, 1)
    page.say(f"Pilot {found.pilot.digest[:16]}, {found.positions} positions.", quiet=True)
    for section in audit_sections(found):
        add_section(page, section)
    sealed.write(out, page.html().encode())


def _json(found: Audit) -> dict[str, Any]:
    return {
        "game": found.pilot.game,
        "pilot": found.pilot.digest,
        "positions": found.positions,
        "nodes": found.nodes,
        "missed": [own._asdict() for own in found.missed],
        "alarms": [alarm.row._asdict() for alarm in found.alarms()],
        "overall": found.overall()._asdict(),
        "by_reason_and_depth": [row._asdict() for row in found.by_reason_and_depth()],
        "by_rank": [row._asdict() for row in found.by_rank()],
        "by_feature": [row._asdict() for row in found.by_feature()],
        "worst": [own._asdict() for own in found.worst[:20]],
    }
