"""Commands about pilots: pilot show, pilot diff, pilot save; and how every command finds the pilot it is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plypilot.cli.help import LEARN, Group
from plypilot.cli.output import Json, console, print_json, print_section, table

if TYPE_CHECKING:
    from plypilot.comparison import ArrayChange, NetworkChange
    from plypilot.pilot import Pilot

Source = Annotated[str, typer.Argument(metavar="PILOT", help="A file, baseline:GAME or plain:GAME.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a setting, such as pruning.null_reduction=3; repeatable."),
]

_MOST_SHOWN = 8
"""Inputs of a network that are shown, those whose weights moved most."""
_LISTED_CATEGORIES = 12
"""More move categories than these are counted."""


def add_to(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    pilots = typer.Typer(
        cls=Group, help="Show, compare and save pilots: all that steers a search.", rich_markup_mode=None
    )
    pilots.command("show")(show)
    pilots.command("diff")(diff)
    pilots.command("save")(save)
    app.add_typer(pilots, name="pilot", rich_help_panel=LEARN)


def find_pilot(source: str, changes: Iterable[str] = (), game: str | None = None) -> Pilot:
    """The pilot that a word of the command line names, with the settings changed that ``--set`` names."""
    from plypilot import pilot

    named = pilot.find_pilot(source, game)
    return named.replace(pilot.read_changes(changes)) if changes else named


def show(pilot: Source, changes: Changes = None, as_json: Json = False) -> None:
    """Print what a pilot says, by part, with the largest weights of its evaluation and the shapes of its networks."""
    from plypilot.comparison import walk_networks
    from plypilot.learn.catalogue import pilot_sections
    from plypilot.part import take_apart

    shown = find_pilot(pilot, changes or ())
    if as_json:
        weights = shown.evaluation.named(shown.game)
        parts, arrays = take_apart(shown)
        parts.pop("game")
        shapes = {path: array.shape for path, array in arrays.items()}
        print_json(
            {"game": shown.game, "digest": shown.digest, "settings": parts, "weights": weights, "arrays": shapes}
        )
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
    for section in pilot_sections(shown):
        print_section(section)
    for key, network in walk_networks(shown):
        print(f"\n{key}: {network.describe()}; {network.weight_count:,} weights")


def diff(
    one: Annotated[str, typer.Argument(metavar="A", help="A file, baseline:GAME or plain:GAME.")],
    other: Annotated[str, typer.Argument(metavar="B", help="The one to compare it with.")],
    as_json: Json = False,
) -> None:
    """Print what differs from one pilot to another. Exits with 0 if nothing does, else with 1, as diff does."""
    from rich.markup import escape

    from plypilot.learn.catalogue import comparison_sections

    before, after = find_pilot(one), find_pilot(other)
    comparison = before.compare(after)
    if as_json:
        print_json(asdict(comparison))
    else:
        names = escape(one), escape(other)
        rows = table("setting", *names)
        for key, (left, right) in comparison.settings.items():
            rows.add_row(key, _text(left), _text(right))
        if comparison.settings:
            console().print(rows)
        for key, (left, right) in comparison.parts.items():
            print(f"\n{key}: only {other if left is None else one} has it: {right if left is None else left}")
        for section in comparison_sections(before, after, (one, other)):
            print_section(section)
        for key, network in comparison.networks.items():
            _print_network(key, network, (one, other))
        if comparison.arrays:
            print("\narrays that differ")
            _print_arrays(comparison.arrays)
    if comparison:
        raise typer.Exit(1)


def save(
    pilot: Source,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to write it.")],
    changes: Changes = None,
) -> None:
    """Write a pilot to a file, with settings changed if you like."""
    find_pilot(pilot, changes or ()).save(file)


def _print_network(key: str, network: NetworkChange, pilots: tuple[str, str]) -> None:
    if network.shapes[0] == network.shapes[1]:
        print(f"\n{key}: {network.differing:,} of {network.weights:,} weights differ")
    else:
        print(f"\n{key}: the networks have not the same shape")
        for pilot, shape in zip(pilots, network.shapes, strict=True):
            print(f"  {pilot} has {shape}")
    _print_arrays(network.layers)
    if network.inputs:
        farthest = list(network.inputs.items())[:_MOST_SHOWN]
        more = ", ..." if len(network.inputs) > len(farthest) else ""
        print("  inputs whose weights moved most: " + ", ".join(f"{name} {far:.3g}" for name, far in farthest) + more)


def _print_arrays(arrays: Mapping[str, ArrayChange]) -> None:
    rows = table("  array", "shape", "differ", "mean change", "largest")
    for name, array in arrays.items():
        before, after = ("none" if shape is None else " x ".join(map(str, shape)) for shape in array.shapes)
        shape = before if before == after else f"{before} to {after}"
        sizes = ("-" if number is None else f"{number:.3g}" for number in (array.mean, array.largest))
        rows.add_row(f"  {name}", shape, f"{array.differing:,}", *sizes)
    console().print(rows)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple) and all(isinstance(entry, str) for entry in value):  # names
        return ", ".join(value) or "none"
    if isinstance(value, tuple) and len(value) > _LISTED_CATEGORIES:
        costs = [plies for _, plies in value]
        return f"{len(value):,} categories that cost {min(costs):g} to {max(costs):g} plies; --json lists them"
    if isinstance(value, tuple):  # the categories of the depth rules
        return ", ".join(f"{' & '.join(features) or 'every move'} {plies:g}" for features, plies in value) or "none"
    return str(value)
