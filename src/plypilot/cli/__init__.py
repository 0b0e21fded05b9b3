"""The command line: parse, call, print. No algorithm lives here."""

from __future__ import annotations

import sys
from typing import Any

import typer

from plypilot.cli import audits, data, engines, learning, matches, pilots, play, population, rules, searches

_USAGE_ERROR = 2
_CLICK_ERROR: Any = typer.BadParameter.__bases__[0]
"""Click's UsageError, under whatever name typer carries it."""

app = typer.Typer(
    name="plypilot",
    help="Teaches a game-tree search where to look: chess, Lines of Action, Breakthrough, shogi and your own game.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
rules.add_to(app)
pilots.add_to(app)
searches.add_to(app)
audits.add_to(app)
matches.add_to(app)
learning.add_to(app)
data.add_to(app)
population.add_to(app)
engines.add_to(app)
play.add_to(app)


@app.callback(invoke_without_command=True)
def _options(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    if version:
        from plypilot import __version__

        print(__version__)
        raise typer.Exit


def main() -> None:
    """Runs a command. What the user got wrong is told in one line and exits with 2."""
    try:
        code = app(standalone_mode=False)
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone; there is nobody to tell
        sys.exit(1)
    except (ValueError, OSError) as error:
        sys.exit(_complain(str(error)))
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except Exception as error:
        if not isinstance(error, _CLICK_ERROR):
            raise
        sys.exit(_complain(error.format_message() or "see plypilot --help"))
    sys.exit(code or 0)


def _complain(message: str) -> int:
    print("plypilot: " + " ".join(message.split()), file=sys.stderr)
    return _USAGE_ERROR
