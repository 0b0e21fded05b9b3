"""The command line: parse, call, print. No algorithm lives here."""

from __future__ import annotations

import sys

import typer

from plypilot.cli import rules

_USAGE_ERROR = 2

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


@app.callback(invoke_without_command=True)
def _options(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    if version:
        from plypilot import __version__

        print(__version__)
        raise typer.Exit


def main() -> None:
    """Runs a command. What the user got wrong is told in one line and exits with 2."""
    usage_error = typer.BadParameter.__bases__[0]  # click's UsageError, under whatever name typer carries it
    try:
        code = app(standalone_mode=False)
    except usage_error as error:
        sys.exit(_complain(error.format_message() or "see plypilot --help"))  # type: ignore[attr-defined]
    except (ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            sys.stderr.close()  # the reader has gone; there is nobody to tell
            sys.exit(1)
        sys.exit(_complain(str(error)))
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    sys.exit(code or 0)


def _complain(message: str) -> int:
    print("plypilot: " + " ".join(message.split()), file=sys.stderr)
    return _USAGE_ERROR
