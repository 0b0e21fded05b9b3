"""The command play: a person against the engine in the terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from plypilot.cli.help import PLAY
from plypilot.cli.output import Fen, GameName, Seed, console
from plypilot.cli.pilots import Changes, find_pilot
from plypilot.cli.searches import Depth, NodeLimit, PilotOption, Seconds, _limit

_SIDES = {"first": (0,), "second": (1,), "both": (0, 1), "none": ()}


def add_to(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command("play", rich_help_panel=PLAY)(play)


def play(
    game: GameName,
    pilot: PilotOption = None,
    side: Annotated[
        str,
        typer.Option(
            "--side",
            metavar="first|second|both|none",
            help="Yours; or its name, such as white. Both: the engine only gives hints. None: it plays itself.",
        ),
    ] = "first",
    fen: Fen = None,
    depth: Depth = None,
    nodes: NodeLimit = None,
    seconds: Seconds = None,
    level: Annotated[
        int | None, typer.Option("--level", min=1, max=10, metavar="N", help="How strong it is, from 1 to 10.")
    ] = None,
    letters: Annotated[
        bool | None,
        typer.Option(
            "--letters/--signs", help="Pieces as letters or as signs; letters where the terminal lacks the signs."
        ),
    ] = None,
    seed: Seed = 0,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="Save the game on leaving: .pgn, .json, .txt, ..."),
    ] = None,
    changes: Changes = None,
) -> None:
    """Play against the engine: type moves, or help for the commands (undo, hint, eval, level, save, ...).

    The engine takes 1 second a move unless --level, --depth, --nodes or --time is given; the command level changes
    that. Whoever has the second side sees it at the bottom.

    plypilot play loa --level 3 --side second

    Ctrl-C lets it play the best it has found, twice leaves. In a pipe, each line is a move or a command.
    """
    import plypilot as pp
    from plypilot.sitting.sitting import Sitting, check_place
    from plypilot.sitting.terminal import Terminal
    from plypilot.sitting.words import level_limit

    if level is not None and (depth, nodes, seconds) != (None, None, None):
        raise ValueError("--level is a limit by itself: leave out --depth, --nodes and --time")
    steering = find_pilot(pilot or "baseline", changes or (), game)
    if save is not None:
        check_place(save, game)
    sitting = Sitting(
        steering,
        pp.Position(game, fen),
        _person(side, pp.game_info(game).sides),
        _limit(depth, nodes, seconds, pp.Limit(seconds=1.0) if level is None else level_limit(level)),
        seed=seed,
        engine_name=pilot or "baseline",
    )
    for stream in (sys.stdin, sys.stdout):  # an odd byte, or a glyph that a terminal lacks, ends no game
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    Terminal(sitting, console(), save_to=save, letters=_lacks_signs() if letters is None else letters).run()


def _lacks_signs() -> bool:
    """Whether the terminal cannot show the signs of pieces: an encoding without them, or the console of Linux."""
    try:
        "飛♞●".encode(sys.stdout.encoding)
    except (UnicodeEncodeError, LookupError):
        return True
    return os.environ.get("TERM") == "linux" and sys.stdout.isatty()


def _person(side: str, names: tuple[str, str]) -> frozenset[int]:
    """The sides that a person plays, by a word of the command line."""
    named = {name.lower(): (number,) for number, name in enumerate(names)} | _SIDES
    if side.lower() not in named:
        raise ValueError(f'--side is "{side}", expected one of {", ".join((*_SIDES, *names))}')
    return frozenset(named[side.lower()])
