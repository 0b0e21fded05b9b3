"""What the help of a command line looks like: commands in groups, help instead of an error where no word was given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

PLAY = "Play"
MEASURE = "Measure"
LEARN = "Learn"
RULES = "Rules and your own game"
ENGINES = "Engines for other programs"
"""The groups of commands, in the order of the help."""
_ORDER = (PLAY, MEASURE, LEARN, RULES, ENGINES)
_LONGEST = 200
"""Letters of a summary: it is folded, and not cut."""


_BETWEEN = re.compile(r"(?P<least>[\d.e+-]+)<=x<=(?P<most>[\d.e+-]+)")
_FROM = re.compile(r"x>=(?P<least>[\d.e+-]+)")
_ENDLESS = 10**9
"""A bound that is there for machines: no person types numbers beyond it."""
_Formatter: Any = typer.Context.formatter_class
"""What lays out a help page, under whatever name typer carries it."""


def range_words(text: str) -> str:
    """The ranges in a text of typer as people write them.

    >>> range_words("[default: 400; 2<=x<=10000000]"), range_words("[1<=x<=1000000000000000]"), range_words("[x>=0]")
    ('[default: 400; 2 to 10000000]', '[1 or more]', '[0 or more]')
    """

    def tell(found: re.Match[str]) -> str:
        least, most = found["least"], found["most"]
        return f"{least} or more" if float(most) >= _ENDLESS else f"{least} to {most}"

    return _FROM.sub(r"\g<least> or more", _BETWEEN.sub(tell, text))


class Formatter(_Formatter):  # type: ignore[misc]
    """Lays out a help page, with ranges in words."""

    def write_dl(self, rows: Sequence[tuple[str, str]], *args: Any, **kwargs: Any) -> None:
        """A list of words and what they mean."""
        super().write_dl([(word, range_words(text)) for word, text in rows], *args, **kwargs)


class Context(typer.Context):
    """The context of each command: it names what lays out the help."""

    formatter_class = Formatter


class Group(TyperGroup):
    """Commands that are listed by group. Called without a word, it prints its help, which is no error."""

    context_class = Context

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name, with the same help as all others."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            command.context_class = Context
        return command

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Prints the help where there is nothing else to do."""
        if not args and not ctx.resilient_parsing:
            print(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """One list a group; what belongs to none comes under "Commands"."""
        groups: dict[str, list[tuple[str, str]]] = {title: [] for title in _ORDER}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                title = getattr(command, "rich_help_panel", None)
                rows = groups.setdefault(title if isinstance(title, str) else "Commands", [])
                rows.append((name, command.get_short_help_str(_LONGEST)))
        for title, rows in groups.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def complete_game(incomplete: str) -> list[str]:
    """The games whose names begin so."""
    import plypilot as pp

    return [info.name for info in pp.all_games() if info.name.startswith(incomplete)]


def complete_learner(incomplete: str) -> list[str]:
    """The learners whose names begin so."""
    from plypilot.learn import LEARNERS

    return [name for name in LEARNERS if name.startswith(incomplete)]
