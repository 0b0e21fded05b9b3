"""Commands that make an engine of a pilot: uci, usi."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from plypilot.cli.help import ENGINES

EnginePilot = Annotated[
    str, typer.Option("--pilot", metavar="F", help="A pilot file, baseline or plain; the option Pilot changes it.")
]


def add_to(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    app.command("uci", rich_help_panel=ENGINES)(uci)
    app.command("usi", rich_help_panel=ENGINES)(usi)


def uci(
    game: Annotated[
        str, typer.Option("--game", metavar="G", help="chess[-0 to -959], breakthrough[-6x6] or loa.")
    ] = "chess",
    pilot: EnginePilot = "baseline",
) -> None:
    """Be an engine for chess, Breakthrough or Lines of Action programs (UCI).

    Add this command to your program as an engine, with the full path of plypilot and "uci" as its argument.

    In a terminal type "uci" for the options, then for example "position startpos moves e2e4" and "go movetime 1000";
    "quit" ends it. Chess960 is on with the option UCI_Chess960. docs/engines.md has more.
    """
    from plypilot.engine import UCI_GAMES, UciEngine, serve
    from plypilot.game_name import base_name
    from plypilot.pilot import find_pilot

    if base_name(game) not in UCI_GAMES:
        hint = "; for shogi see plypilot usi" if game == "shogi" else ""
        raise ValueError(f"uci plays {', '.join(UCI_GAMES)}, not {game}{hint}")
    steering = find_pilot(pilot, game)
    serve(lambda tell: UciEngine(steering, tell, pilot_name=pilot), sys.stdin.buffer, sys.stdout.buffer)


def usi(pilot: EnginePilot = "baseline") -> None:
    """Be an engine for shogi programs (USI).

    Add this command to your program as an engine, with the full path of plypilot and "usi" as its argument.

    In a terminal type "usi" for the options, then for example "position startpos moves 7g7f" and "go byoyomi 1000";
    "quit" ends it. docs/engines.md has more.
    """
    from plypilot.engine import UsiEngine, serve
    from plypilot.pilot import find_pilot

    steering = find_pilot(pilot, "shogi")
    serve(lambda tell: UsiEngine(steering, tell, pilot_name=pilot), sys.stdin.buffer, sys.stdout.buffer)
