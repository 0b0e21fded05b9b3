"""The command that makes and shows populations of evaluators."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plypilot.cli.help import LEARN
from plypilot.cli.matches import Resume, WorkerCount
from plypilot.cli.output import Json, Seed, Ticker, console, print_json, table

if TYPE_CHECKING:
    from plypilot.learn.population import Population


def add_to(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command("population", rich_help_panel=LEARN)(population)


def population(
    game: Annotated[str, typer.Argument(metavar="GAME", help="loa, or another game with --features.")],
    scale: Annotated[
        str, typer.Option("--scale", metavar="S", help="tiny (seconds), quick (minutes) or full (the sizes of Kocsis).")
    ] = "quick",
    features: Annotated[
        str | None, typer.Option("--features", metavar="SET", help="The feature set of the inputs; squares in loa.")
    ] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", min=1, max=20, metavar="N", help="Of all searches; by default the scale's.")
    ] = None,
    seed: Seed = 0,
    workers: WorkerCount = 1,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Make a new one there; continue an interrupted run with --resume."),
    ] = None,
    resume: Resume = False,
    as_json: Json = False,
) -> None:
    """Show the population of evaluators that comes with a game, or make a new one with --out.

    Networks are evolved and learned from the rules alone, and chosen by swiss tournaments (Kocsis, appendix B).

    plypilot population loa --scale quick --seed 1 --out population
    """
    from plypilot.learn.population import load_population, make_plan, make_population

    if out is None:
        if resume:
            raise ValueError("--resume needs --out DIR, where the population is in the making")
        _show(load_population(game), as_json)
        return
    plan = make_plan(scale, game, features=features, depth=depth)
    words = ["plypilot population", game, f"--scale {scale}", f"--seed {seed}", "--out DIR"]
    words += [f"--features {features}"] if features else []
    words += [f"--depth {depth}"] if depth else []
    with Ticker() as ticker:
        made = make_population(
            plan,
            seed,
            workers=workers,
            folder=out,
            resume=resume,
            on_step=lambda what, done, all_: ticker.tell(lambda: f"{what}: {done} of {all_}"),
            command=" ".join(words),
        )
    path = out / f"{game}.population"
    made.save(path)
    _show(made, as_json)
    if not as_json:
        print(f"\n{len(made)} evaluators, {path.stat().st_size:,} bytes: {path}")


def _show(found: Population, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "game": found.pilot.game,
                "depth": found.depth,
                "made": dict(found.made),
                "members": [vars(member) for member in found.members],
                "tables": [[vars(row) for row in rows] for rows in found.tables],
            }
        )
        return
    for title, rows in zip(("first tournament", "second tournament"), found.tables, strict=True):
        shown = table(title, "players", "result", "deviation", "score rate", "chosen")
        for row in rows:
            final = "" if row.final is None else str(row.final)
            result, deviation = f"{row.result:.3f}", f"{row.deviation:.3f}"
            shown.add_row(row.method, str(row.players), result, deviation, f"{row.score_rate:.3f}", final)
        console().print(shown)
        print()
    print(f"{len(found)} evaluators of {found.pilot.game}, chosen at depth {found.depth}")
    print(f"made by: {found.made.get('command') or 'make_population'}")
