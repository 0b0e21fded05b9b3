"""What the help of a command line looks like: commands in groups, help instead of an error where no word was given."""

from __future__ import annotations

from typing import Any

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


class Group(TyperGroup):
    """Commands that are listed by group. Called without a word, it prints its help, which is no error."""

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
