"""What experiments on the order of moves share: trees of several pilots over the same positions, and matches.

A tree is measured from an empty table to a fixed depth. What counts is the ratio to a reference pilot: the mean of the
logarithms over positions, with a 95% interval, of nodes and of time; and how often the first move cut.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np

import plypilot as pp
from harness import Figures, Harness, mean
from plypilot.learn import NO_CHECKS, train
from plypilot.learn.movemap import MoveMap
from plypilot.play.ratings import elo
from plypilot.searcher import Limit, Searcher
from plypilot.settings import MoveNetwork
from plypilot.versions import core_digest

Pilots = Mapping[str, pp.Pilot]


@dataclass(frozen=True)
class Ratio:
    """A mean ratio with its 95% interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, logarithms: Sequence[float]) -> Ratio:
        """From the logarithms of ratios, one a position."""
        middle = mean(logarithms)
        spread = sqrt(sum((each - middle) ** 2 for each in logarithms) / max(len(logarithms) - 1, 1))
        half = 1.96 * spread / sqrt(len(logarithms))
        return cls(exp(middle), exp(middle - half), exp(middle + half))

    @property
    def half_width(self) -> float:
        """Of the interval, as a part of the value."""
        return (self.high - self.low) / 2 / self.value

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def content(self) -> list[float]:
        """As plain data."""
        return [round(self.value, 4), round(self.low, 4), round(self.high, 4)]


@dataclass(frozen=True)
class Tree:
    """What one search spent, by depth from 1 on."""

    nodes: tuple[int, ...]
    seconds: tuple[float, ...]
    first_cuts: float
    """The part of cut-offs that the first move of a node brought, over the whole search."""


def measure_trees(
    made: Harness, what: str, pilots: Pilots, positions: Sequence[str], game: str, depth: int
) -> dict[str, list[Tree]]:
    """The trees of each pilot, one a position. Pilots take turns at each position, so that times can be compared."""
    identity = {name: pilot.digest for name, pilot in pilots.items()}

    def work(number: int) -> Figures:
        names = list(pilots)
        turned = names[number % len(names) :] + names[: number % len(names)]
        trees: Figures = {}
        for name in turned:
            result = made.search(
                pilots[name], pp.Position(game, positions[number]), Limit(depth=depth), statistics=True
            )
            assert result.statistics is not None
            cuts = result.statistics.cutoffs
            trees[name] = {
                "nodes": [iteration.nodes.all for iteration in result.iterations],
                "times": [round(iteration.seconds, 6) for iteration in result.iterations],
                "first_cuts": round(float(cuts[0]) / max(float(np.sum(cuts)), 1), 5),
            }
        return {"trees": trees}

    found = made.measure(what, range(len(positions)), lambda number: [game, positions[number], depth, identity], work)
    return {
        name: [
            Tree(tuple(own["nodes"]), tuple(own["times"]), own["first_cuts"])
            for own in (figures["trees"][name] for figures in found)
        ]
        for name in pilots
    }


@dataclass(frozen=True)
class Row:
    """One pilot beside the reference, at one depth."""

    pilot: str
    depth: int
    nodes: Ratio
    seconds: Ratio
    total_nodes: float
    """All nodes over all nodes of the reference."""
    total_seconds: float
    first_cuts: float
    reference_first_cuts: float
    positions: int

    def cells(self) -> list[str]:
        """For a table."""
        return [
            self.pilot,
            str(self.depth),
            str(self.nodes),
            f"{self.total_nodes:.3f}",
            str(self.seconds),
            f"{self.total_seconds:.3f}",
            f"{self.first_cuts:.1%}",
            f"{self.reference_first_cuts:.1%}",
        ]

    def content(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "pilot": self.pilot,
            "depth": self.depth,
            "nodes": self.nodes.content(),
            "total_nodes": round(self.total_nodes, 4),
            "seconds": self.seconds.content(),
            "total_seconds": round(self.total_seconds, 4),
            "first_cuts": round(self.first_cuts, 4),
            "reference_first_cuts": round(self.reference_first_cuts, 4),
            "positions": self.positions,
        }


COLUMNS = ("pilot", "depth", "nodes", "of all", "time", "of all", "first move cuts", "history's")


def compare_trees(trees: Mapping[str, Sequence[Tree]], reference: str, depths: Sequence[int]) -> list[Row]:
    """Each pilot beside the reference at each depth, over the positions whose searches came so far.

    First cuts are those of the whole search, at every depth the same.
    """
    rows = []
    for name, own in trees.items():
        if name == reference:
            continue
        for depth in depths:
            pairs = [
                (mine, theirs)
                for mine, theirs in zip(own, trees[reference], strict=True)
                if min(len(mine.nodes), len(theirs.nodes)) >= depth
            ]
            if not pairs:
                continue
            at = depth - 1
            rows.append(
                Row(
                    name,
                    depth,
                    Ratio.of([log(mine.nodes[at] / theirs.nodes[at]) for mine, theirs in pairs]),
                    Ratio.of([log(_time(mine, at) / _time(theirs, at)) for mine, theirs in pairs]),
                    sum(mine.nodes[at] for mine, _ in pairs) / sum(theirs.nodes[at] for _, theirs in pairs),
                    sum(_time(mine, at) for mine, _ in pairs) / sum(_time(theirs, at) for _, theirs in pairs),
                    mean(mine.first_cuts for mine, _ in pairs),
                    mean(theirs.first_cuts for _, theirs in pairs),
                    len(pairs),
                )
            )
    return rows


def _time(tree: Tree, at: int) -> float:
    return max(tree.seconds[at], 1e-6)


def print_rows(made: Harness, title: str, rows: Sequence[Row]) -> None:
    """A table of ratios to the reference."""
    made.print_table(title, COLUMNS, [row.cells() for row in rows])


def learn_order(
    made: Harness, pilot: pp.Pilot, patterns: Path, name: str, settings: Mapping[str, Any], seed: int
) -> pp.Pilot:
    """A pilot with a network that was learned from a pattern set; its run is kept, and goes on where it was."""
    folder = made.folder / "runs" / made.name / f"{made.scale}-{name}-{core_digest()[:8]}"
    learner = MoveMap(data=str(patterns), **settings)
    run = train(learner, pilot, folder, seed=seed, checks=NO_CHECKS, workers=made.threads, resume=folder.exists())
    return run.best


def with_network(pilot: pp.Pilot, network: MoveNetwork | None, **ordering: Any) -> pp.Pilot:
    """A pilot that orders quiet moves by a network."""
    changed = pilot.ordering.model_copy(update={"network": network, **ordering})
    return pilot.model_copy(update={"ordering": changed})


def with_empty_network(pilot: pp.Pilot) -> pp.Pilot:
    """The pilot with a network that says nothing: history decides, the tree is that of history, and the time beside it
    tells what asking costs.
    """
    network = pilot.ordering.network
    assert network is not None
    layers = {name: np.zeros_like(getattr(network, name)) for name in ("hidden", "output", "direct", "output_bias")}
    silent = network.with_layers({name: array for name, array in layers.items() if array.size})
    return with_network(pilot, silent, network_use="weighted", history_weight=1 / 16, network_refinement=0.0)


def measure_overhead(made: Harness, game: str, pilot: pp.Pilot, positions: Sequence[str], nodes: int) -> float:
    """What asking the network adds to the time of a search with the same tree, as a part of it."""
    reference = with_network(pilot, None)
    silent = with_empty_network(pilot)

    def work(number: int) -> Figures:
        spent: dict[str, list[float]] = {"history": [], "asked": []}
        for _ in range(3):
            for name, each in (("history", reference), ("asked", silent)):
                result = Searcher(each).search(pp.Position(game, positions[number]), Limit(nodes=nodes))
                spent[name].append(result.seconds / result.nodes.all)
        return {name: min(values) for name, values in spent.items()}

    found = made.measure(
        "overhead", range(len(positions)), lambda number: [game, positions[number], nodes, silent.digest], work
    )
    return sum(figures["asked"] for figures in found) / sum(figures["history"] for figures in found) - 1


def play_match(
    made: Harness,
    what: str,
    one: pp.Pilot,
    other: pp.Pilot,
    *,
    games: int,
    limits: tuple[Limit, Limit],
    seed: int,
) -> Figures:
    """A match in pairs from random openings; kept game by game, so that it goes on where it was."""
    digest = hashlib.sha256(repr((one.digest, other.digest, games, limits, seed)).encode()).hexdigest()[:16]
    folder = made.folder / "runs" / made.name / f"match-{digest}"

    def work(_: int) -> Figures:
        result = pp.match(
            one,
            other,
            games=games,
            limit=list(limits),
            openings="random:6",
            seed=seed,
            workers=made.threads,
            folder=folder,
            resume=folder.exists(),
        )
        standing = result.standing
        estimate = elo(standing.pairs)
        return {
            "score": round(standing.tally.score, 4),
            "elo": [round(estimate.value, 1), round(estimate.low, 1), round(estimate.high, 1)],
            "games": standing.tally.games,
            "seconds_used": [round(effort.seconds, 2) for effort in standing.effort],
        }

    key = [one.digest, other.digest, games, [limit.limits() for limit in limits], seed]
    return made.measure(what, [0], lambda _: key, work)[0]
