"""The command line: parse, call, print. No algorithm lives here."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any, TextIO

import typer

from plypilot.cli import audits, data, engines, learning, matches, pilots, play, population, rules, searches
from plypilot.cli.help import Group
from plypilot.cli.output import STOPPED
from plypilot.wording import expectation, tell_system

_USAGE_ERROR = 2
_CLICK_ERROR: Any = typer.BadParameter.__bases__[0]
"""Click's UsageError, under whatever name typer carries it."""

app = typer.Typer(
    name="plypilot",
    help="Teaches a game-tree search where to look: chess, Lines of Action, Breakthrough, shogi and your own game.",
    cls=Group,
    epilog="Begin with: plypilot play loa. Then: plypilot train td breakthrough --workers 2, and plypilot games. "
    "Each command has its own help, such as plypilot match --help.",
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
    if sys.stdout is None:
        sys.exit(_complain("the standard output is closed, so that nothing can be printed"))
    for word in sys.argv[1:]:
        if any("\ud800" <= letter <= "\udfff" for letter in word):  # bytes that are no letters
            sys.exit(_complain(f"{word!r} is not text in UTF-8"))
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        _let_go(sys.stdout)  # the reader has gone; there is nobody to tell
        sys.exit(1)
    except OSError as error:
        _let_go(sys.stdout)
        sys.exit(_complain(tell_system(error)))
    except ValueError as error:
        sys.exit(_complain(str(error)))
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(STOPPED)
    except Exception as error:
        if not isinstance(error, _CLICK_ERROR):
            raise
        sys.exit(_complain(_usage_error(error)))
    sys.exit(code or 0)


def _complain(message: str) -> int:
    print("plypilot: " + " ".join(message.split()), file=sys.stderr)
    return _USAGE_ERROR


def _let_go(stream: TextIO) -> None:
    """What cannot be written is not tried again when the process ends."""
    with contextlib.suppress(OSError, ValueError):  # a stream that is no file, as in tests
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _usage_error(error: Any) -> str:
    """What typer found wrong with the words of a command line."""
    from pydantic import ValidationError

    if isinstance(error.__cause__, ValidationError) and error.param is not None:
        first = error.__cause__.errors()[0]
        option = error.param.opts[-1]
        named = option if option.startswith("-") else error.param.metavar or option
        return f"{named}: {expectation(first)}"
    return error.format_message() or "see plypilot --help"
