"""What experiments on the order of moves share: trees of several pilots over the same positions, and matches.

A tree is measured from an empty table to a fixed depth. What counts is the ratio to a reference pilot: the mean of the
logarithms over positions, with a 95% interval, of nodes and of time; and how often the first move cut.
"""

from __future__ import annotations

import hashlib
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np

import plypilot as pp
from harness import PLAIN_PROGRESS_SECONDS, Figures, Harness, mean
from plypilot.learn import NO_CHECKS, Run, train
from plypilot.learn.movemap import MoveMap
from plypilot.networks import MoveNetwork
from plypilot.play.match import Standing
from plypilot.play.ratings import elo
from plypilot.searcher import Limit, Result, Searcher
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
    judged: tuple[int, ...] = ()
    """Nodes whose moves the network ordered, by depth."""
    depth_cuts: tuple[float, ...] = ()
    """The same as first_cuts of a search to each depth; none where that was not measured."""


def measure_trees(
    made: Harness,
    what: str,
    pilots: Pilots,
    positions: Sequence[str],
    game: str,
    depth: int,
    *,
    cuts_every: int = 0,
) -> dict[str, list[Tree]]:
    """The trees of each pilot, one a position. Pilots take turns at each position, so that times can be compared.

    A search tells its cut-offs once, at its end. Of one position in ``cuts_every`` those of each depth are measured by
    searches to each depth, which take about as long again; 0: of none.
    """
    identity = {name: pilot.digest for name, pilot in pilots.items()}

    def has_depth_cuts(number: int) -> bool:
        return bool(cuts_every) and number % cuts_every == 0

    def work(number: int) -> Figures:
        names = list(pilots)
        turned = names[number % len(names) :] + names[: number % len(names)]
        trees: Figures = {}
        for name in turned:

            def search(plies: int, pilot: pp.Pilot = pilots[name]) -> Result:
                return made.search(pilot, pp.Position(game, positions[number]), Limit(depth=plies), statistics=True)

            result = search(depth)
            trees[name] = {
                "nodes": [iteration.nodes.all for iteration in result.iterations],
                "times": [round(iteration.seconds, 6) for iteration in result.iterations],
                "judged": [iteration.nodes.judged for iteration in result.iterations],
                "first_cuts": _first_cuts(result),
            }
            if has_depth_cuts(number):
                shallower = [_first_cuts(search(plies)) for plies in range(1, len(result.iterations))]
                trees[name]["depth_cuts"] = [*shallower, _first_cuts(result)]
        return {"trees": trees}

    def key(number: int) -> object:
        with_cuts = ["cuts by depth"] if has_depth_cuts(number) else []
        return [game, positions[number], depth, identity, *with_cuts]

    found = made.measure(what, range(len(positions)), key, work)
    return {
        name: [
            Tree(
                tuple(own["nodes"]),
                tuple(own["times"]),
                own["first_cuts"],
                tuple(own.get("judged", ())),
                tuple(own.get("depth_cuts", ())),
            )
            for own in (figures["trees"][name] for figures in found)
        ]
        for name in pilots
    }


def _first_cuts(result: Result) -> float:
    assert result.statistics is not None
    return round(result.statistics.first_move_rate, 5)


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
    judged_rate: float = 0.0
    """Nodes that the network was asked at in a second of the search: what asking once takes makes it a share."""

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
            "judged_rate": round(self.judged_rate, 1),
        }


COLUMNS = ("pilot", "depth", "nodes", "of all", "time", "of all", "first move cuts", "history's")


def compare_trees(trees: Mapping[str, Sequence[Tree]], reference: str, depths: Sequence[int]) -> list[Row]:
    """Each pilot beside the reference at each depth, over the positions whose searches came so far.

    First cuts are those of searches to that depth where some positions have them; else those of the whole search, at
    every depth the same.
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
                    _mean_cuts([mine for mine, _ in pairs], at),
                    _mean_cuts([theirs for _, theirs in pairs], at),
                    len(pairs),
                    sum(mine.judged[at] for mine, _ in pairs if mine.judged)
                    / sum(_time(mine, at) for mine, _ in pairs),
                )
            )
    return rows


def _time(tree: Tree, at: int) -> float:
    return max(tree.seconds[at], 1e-6)


def _mean_cuts(trees: Sequence[Tree], at: int) -> float:
    by_depth = [tree.depth_cuts[at] for tree in trees if tree.depth_cuts]
    return mean(by_depth or [tree.first_cuts for tree in trees])


def print_rows(made: Harness, title: str, rows: Sequence[Row]) -> None:
    """A table of ratios to the reference."""
    made.print_table(title, COLUMNS, [row.cells() for row in rows])


def stack(drawings: Sequence[str]) -> str:
    """Drawings one below the other, as one SVG."""
    width, height, parts = 0.0, 0.0, []
    for drawing in drawings:
        size = re.search(r'viewBox="0 0 (\S+) (\S+)"', drawing)
        assert size is not None
        own_width, own_height = float(size[1]), float(size[2])
        plain = re.sub(r'(width|height)="([\d.]+)pt"', r'\1="\2"', drawing, count=2)
        parts.append(plain.replace("<svg ", f'<svg y="{height:g}" ', 1))
        width, height = max(width, own_width), height + own_height
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}pt" height="{height:g}pt"'
    return f'{head} viewBox="0 0 {width:g} {height:g}">\n{"".join(parts)}</svg>\n'


def learn_order(
    made: Harness, pilot: pp.Pilot, patterns: Path, name: str, settings: Mapping[str, Any], seed: int
) -> pp.Pilot:
    """A pilot with a network that was learned from a pattern set; its run is kept, and goes on where it was."""
    folder = made.folder / "runs" / made.name / f"{made.scale}-{name}-{core_digest()[:8]}"
    learner = MoveMap(data=str(patterns), **{"trials": {"games": 0}, **settings})
    return run_learner(made, learner, pilot, folder, seed).best


def run_learner(made: Harness, learner: MoveMap, pilot: pp.Pilot, folder: Path, seed: int) -> Run:
    """The run of a learner of moves, which tells now and then how far it is, and goes on where it was."""
    told = time.monotonic()

    def tell(_: int, metrics: Mapping[str, Any]) -> None:
        nonlocal told
        if "epoch" not in metrics or time.monotonic() - told < PLAIN_PROGRESS_SECONDS:
            return
        told = time.monotonic()
        rate = 1 - float(metrics["best_error"])
        print(f"{made.name}: epoch {metrics['epoch']}, {rate:.1%} of the validation set", file=sys.stderr, flush=True)

    return train(
        learner,
        pilot,
        folder,
        seed=seed,
        checks=NO_CHECKS,
        workers=made.threads,
        resume=folder.exists(),
        on_step=tell,
    )


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


@dataclass(frozen=True)
class Asking:
    """What asking the network costs."""

    overhead: float
    """What it adds to the time of a search with the same tree, as a part of it."""
    seconds: float
    """Of asking once, for the moves of a node."""


def measure_asking(made: Harness, game: str, pilot: pp.Pilot, positions: Sequence[str], nodes: int) -> Asking:
    """The time of searches by history with a network that says nothing, beside that of history alone."""
    reference = with_network(pilot, None)
    silent = with_empty_network(pilot)

    def work(number: int) -> Figures:
        spent: dict[str, list[float]] = {"history": [], "asked": []}
        for _ in range(3):
            for name, each in (("history", reference), ("asked", silent)):
                result = Searcher(each).search(pp.Position(game, positions[number]), Limit(nodes=nodes))
                spent[name].append(result.seconds / result.nodes.all)
        judged = result.nodes.judged / result.nodes.all
        return {"judged": judged, **{name: min(values) for name, values in spent.items()}}

    measured = made.measure(
        "asking", range(len(positions)), lambda number: [game, positions[number], nodes, silent.digest], work
    )
    sums = {name: sum(figures[name] for figures in measured) for name in ("judged", "history", "asked")}
    more = sums["asked"] - sums["history"]
    return Asking(more / sums["history"], more / max(sums["judged"], 1e-9))


def measure_overhead(made: Harness, game: str, pilot: pp.Pilot, positions: Sequence[str], nodes: int) -> float:
    """What asking the network adds to the time of a search with the same tree, as a part of it."""
    return measure_asking(made, game, pilot, positions, nodes).overhead


def play_match(
    made: Harness,
    what: str,
    one: pp.Pilot,
    other: pp.Pilot | pp.Contestant,
    *,
    games: int,
    limits: tuple[Limit, Limit],
    seed: int,
) -> Figures:
    """A match in pairs from random openings; kept game by game, so that it goes on where it was."""
    opponent = other.digest if isinstance(other, pp.Pilot) else repr(other.identity())
    digest = hashlib.sha256(repr((one.digest, opponent, games, limits, seed)).encode()).hexdigest()[:16]
    folder = made.folder / "runs" / made.name / f"match-{digest}"

    told = time.perf_counter()

    def tell(standing: Standing) -> None:
        nonlocal told
        if time.perf_counter() - told > PLAIN_PROGRESS_SECONDS:
            told = time.perf_counter()
            print(f"{made.name}: {what}: {standing}", file=sys.stderr, flush=True)

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
            on_game=tell,
        )
        standing = result.standing
        estimate = elo(standing.pairs)
        late = sum(count for cause, count in standing.causes.items() if "overstepped the clock" in cause)
        return {
            "score": round(standing.tally.score, 4),
            "elo": [round(estimate.value, 1), round(estimate.low, 1), round(estimate.high, 1)],
            "games": standing.tally.games,
            "moves": sum(effort.moves for effort in standing.effort),
            "lost_on_time": late,
            "seconds_used": [round(effort.seconds, 2) for effort in standing.effort],
        }

    key = [one.digest, opponent, games, [[limit.limits(), limit.funds()] for limit in limits], seed]
    return made.measure(what, [0], lambda _: key, work)[0]
