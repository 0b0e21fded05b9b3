"""Commands about pilots: pilot show, pilot diff, pilot save; and how every command finds the pilot it is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plypilot.cli.output import Json, console, print_json, table

if TYPE_CHECKING:
    from plypilot.pilot import Pilot

Source = Annotated[str, typer.Argument(metavar="PILOT", help="A file, baseline:GAME or plain:GAME.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a setting, such as pruning.null_reduction=3; repeatable."),
]

_MOST_SHOWN = 8
"""Weights of a set that are shown, the largest."""


def add_to(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    pilots = typer.Typer(help="Show, compare and save pilots: all that steers a search.", no_args_is_help=True)
    pilots.command("show")(show)
    pilots.command("diff")(diff)
    pilots.command("save")(save)
    app.add_typer(pilots, name="pilot")


def find_pilot(source: str, changes: Iterable[str] = (), game: str | None = None) -> Pilot:
    """The pilot that a word of the command line names, with the settings changed that ``--set`` names."""
    from plypilot import pilot

    found = pilot.find_pilot(source, game)
    return found.replace(pilot.read_changes(changes)) if changes else found


def show(pilot: Source, changes: Changes = None, as_json: Json = False) -> None:
    """Print what a pilot says, by part, with the largest weights of its evaluation."""
    shown = find_pilot(pilot, changes or ())
    weights = shown.evaluation.named(shown.game)
    if as_json:
        parts = shown.model_dump(mode="json", exclude={"game": True, "evaluation": {"weights"}})
        print_json({"game": shown.game, "digest": shown.digest, "settings": parts, "weights": weights})
        return
    print(f"game {shown.game}, digest {shown.digest[:16]}")
    rows = table("setting", "value", "meaning")
    part = None
    for setting in shown.settings():
        if setting.key.partition(".")[0] != part:
            part = setting.key.partition(".")[0]
            rows.add_section()
            rows.add_row("")
        rows.add_row(setting.key, _text(setting.value), setting.text)
    console().print(rows)
    for name, features in weights.items():
        largest = sorted(features, key=lambda feature: -abs(features[feature]))[:_MOST_SHOWN]
        more = ", ..." if len(features) > len(largest) else ""
        print(f"\nweights of {name}, {len(features)}:")
        print("  " + ", ".join(f"{feature} {features[feature]:g}" for feature in largest) + more)


def diff(
    one: Annotated[str, typer.Argument(metavar="A", help="A file, baseline:GAME or plain:GAME.")],
    other: Annotated[str, typer.Argument(metavar="B", help="The one to compare it with.")],
    as_json: Json = False,
) -> None:
    """Print what differs from one pilot to another. Exits with 0 if nothing does, else with 1, as diff does."""
    from rich.markup import escape

    found = find_pilot(one).compare(find_pilot(other))
    if as_json:
        print_json({"settings": found.settings, "weights": found.weights})
    else:
        names = escape(one), escape(other)
        rows = table("setting", *names)
        for key, (left, right) in found.settings.items():
            rows.add_row(key, _text(left), _text(right))
        if found.settings:
            console().print(rows)
        for name, features in found.weights.items():
            _print_weights(name, features, names)
    if found:
        raise typer.Exit(1)


def save(
    pilot: Source,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to write it.")],
    changes: Changes = None,
) -> None:
    """Write a pilot to a file, with settings changed if you like."""
    find_pilot(pilot, changes or ()).save(file)


def _print_weights(
    name: str, features: Mapping[str, tuple[float | None, float | None]], pilots: tuple[str, str]
) -> None:
    def size(feature: str) -> float:
        left, right = features[feature]
        return abs((right or 0) - (left or 0))

    print(f"\nweights of {name}: {len(features)} differ")
    rows = table("  feature", *pilots)
    for feature in sorted(features, key=size, reverse=True)[:_MOST_SHOWN]:
        rows.add_row(f"  {feature}", *("-" if weight is None else f"{weight:g}" for weight in features[feature]))
    console().print(rows)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):  # the categories of the depth rules
        return ", ".join(f"{' & '.join(features) or 'every move'} {plies:g}" for features, plies in value) or "none"
    return str(value)
