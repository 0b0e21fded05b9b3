"""The tabu search standing alone (Kocsis 2003, end of 4.2.2): it sets the numbers of hand-set selectivity.

    python experiments/tabu_uses.py [--scale quick|loa|breakthrough|chess|full] [--threads N]

TS-FPV can be used for any discrete decision of a search whose cost grows with each step. Here a solution has five
places: R of the null move, how many moves of a position are not reduced, how strongly late moves are reduced, how many
are tried near the leaves, and the margin of futility. At each place values stand from those that prune most to off. The
limit is the nodes that the baseline with its own numbers takes for a depth; a solution is worth what its moves are
better by than the baseline's, at the same depth, as a much deeper search of the baseline judges them. The search begins
at the cheapest solution and knows nothing of the baseline's.

What it found then stands beside what was there before: on positions that chose nothing, and in 1,000 games at equal
nodes, from random openings.

The rule, fixed before the run: the numbers that were found play better than the hand-set ones, matched where the lower
end of the 95% interval of the Elo difference is above 0 in a game. The monotony that the search rests on is at least
90% for nodes, over all pairs of neighbours that were looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import orderings
import plypilot as pp
from harness import Claim, Figures, Harness, Missing, read_options, start
from learned_matches import elo_cells, tell
from plypilot.compute import Workers
from plypilot.learn import tabu_search
from plypilot.learn.measured_positions import Measures, sample_positions, take_measures
from plypilot.learn.move_worths import MoveWorths, choose
from plypilot.learn.tabu_search import Known, Rules, Solution, Space
from plypilot.searcher import Limit
from plypilot.versions import core_digest
from pruning_claims import interval
from pruning_claims import tell as tell_worth

LEARNING_SEED, FRESH_SEED, MATCH_SEED = 1, 2, 5_000_000
PLACES: Mapping[str, tuple[float, ...]] = {
    "pruning.null_reduction": (5, 4, 3, 2, 0),
    "pruning.first_moves": (1, 2, 3, 5, 8),
    "depth.late_strength": (2, 1.5, 1, 0.5, 0),
    "pruning.late_moves": (1, 2, 4, 8, 0),
    "pruning.futility_margin": (25, 50, 100, 200, 0),
}
"""From what prunes most to what prunes least; 0 is off."""
SPACE = Space(tuple(tuple(range(len(values))) for values in PLACES.values()))
MOST = 300
"""Hundredths of a pawn beyond which one score is as good as another."""
_BEYOND = 4
"""A search of a position that takes this many times the nodes that it may take on average is given up."""


@dataclass(frozen=True)
class Part:
    """What is done for one game."""

    game: str
    positions: int = 600
    few: int = 100
    """Of these: for a quick look."""
    nodes: int = 6000
    """About so many the baseline takes for a position: this chooses the depth."""
    reference_nodes: int = 150_000
    patience: int = 10
    games: int = 1000
    game_nodes: int = 8000


GAMES = {game: Part(game) for game in ("loa", "breakthrough", "chess")}
SCALES: dict[str, Sequence[Part]] = {
    "tiny": (Part("breakthrough-5x5", 8, 4, 60, 200, 1, 2, 30),),
    "quick": [replace(GAMES["loa"], positions=100, few=40, nodes=1500, reference_nodes=20_000, patience=3, games=100)],
    **{game: (part,) for game, part in GAMES.items()},
    "full": list(GAMES.values()),
}


def numbers(solution: Solution) -> dict[str, float]:
    """The settings that a solution stands for."""
    return {name: values[number] for (name, values), number in zip(PLACES.items(), SPACE.read(solution), strict=True)}


def hand_set(pilot: pp.Pilot) -> dict[str, float]:
    """The same settings of a pilot."""
    own = {setting.key: setting.value for setting in pilot.settings()}
    return {name: float(own[name]) for name in PLACES}


@dataclass(frozen=True)
class Search:
    """The tabu search of one game, over what its searches have told."""

    part: Part
    baseline: pp.Pilot
    positions: tuple[str, ...]
    measures: Measures
    workers: Workers

    def look(self, pilot: pp.Pilot, count: int) -> tuple[float, list[float]]:
        """The nodes of a pilot in the first so many positions, and how much better its moves are; none beyond the
        limit.
        """
        positions, limit = self.positions[:count], self.measures.limit(count)
        (chosen,) = choose([pilot], positions, self.measures.depth, round(_BEYOND * limit) + 1000, self.workers)
        cost = sum(choice.nodes for choice in chosen) / count
        if cost > limit:
            return cost, []
        return cost, self.gains(pilot, positions, self.measures.moves[:count])

    def gains(self, pilot: pp.Pilot, positions: Sequence[str], usual: Sequence[str]) -> list[float]:
        """How much better the moves of a pilot are than the usual ones, position by position."""
        (chosen,) = choose([pilot], positions, self.measures.depth, 10**8, self.workers)
        worths = MoveWorths(self.baseline, self.part.reference_nodes, MOST)
        return worths.difference(positions, [choice.move for choice in chosen], usual, self.workers)

    def run(self) -> tuple[Solution | None, dict[Solution, float], Known]:
        """The best solution, the worths of the critical ones, and all that is known."""
        costs: dict[Solution, float] = {}
        estimates: dict[Solution, float] = {}
        worths: dict[Solution, float] = {}
        rules = Rules(self.measures.limit(self.part.few), patience=self.part.patience)
        while True:
            known = Known(costs, estimates, worths)
            found = tabu_search.explore(SPACE, rules, known, LEARNING_SEED)
            if found.is_over:
                kept = {solution: worth for solution, worth in worths.items() if worth > -float("inf")}
                return found.best if found.best in kept else None, kept, known
            for solution in found.costs_wanted:
                costs[solution], gained = self.look(self.baseline.replace(numbers(solution)), self.part.few)
                estimates[solution] = sum(gained) / max(len(gained), 1)
            if (wanted := found.worth_wanted) is not None:
                _, gained = self.look(self.baseline.replace(numbers(wanted)), len(self.positions))
                worths[wanted] = sum(gained) / len(gained) if gained else -float("inf")


def seek(made: Harness, part: Part) -> Figures:
    """The numbers of one game, what they are worth on fresh positions, and what they win."""
    baseline = pp.Pilot.baseline(part.game)
    path = made.folder / "runs" / made.name / f"{part.game}-{core_digest()[:16]}.jsonl"
    with Workers.threads(made.threads) as workers, workers.remembering(path):
        positions = sample_positions(baseline, part.positions, LEARNING_SEED, workers)
        measures = take_measures(
            baseline, positions, depth=0, deeper=1, nodes=part.nodes, few=part.few, workers=workers
        )
        search = Search(part, baseline, tuple(positions), measures, workers)
        best, worths, known = search.run()
        figures: Figures = {
            "depth": measures.depth,
            "limit": round(measures.limit(len(positions)), 1),
            "looked_at": len(known.costs),
            "critical": len(worths),
            "monotony": list(tabu_search.agreement(SPACE, known.costs)),
            "before": hand_set(baseline),
            "after": None,
        }
        if best is None:
            return figures
        after = baseline.replace(numbers(best))
        taken = {*positions}
        fresh = [text for text in sample_positions(baseline, part.positions, FRESH_SEED, workers) if text not in taken]
        (usual,) = choose([baseline], fresh, measures.depth, 10**8, workers)
        (own,) = choose([after], fresh, measures.depth, 10**8, workers)
        gained = search.gains(after, fresh, [choice.move for choice in usual])
    limit = Limit(nodes=part.game_nodes)
    played = orderings.play_match(
        made,
        f"{part.game}: the numbers that were found against the hand-set ones",
        after,
        baseline,
        games=part.games,
        limits=(limit, limit),
        seed=MATCH_SEED,
    )
    return {
        **figures,
        "after": numbers(best),
        "worth": round(worths[best], 3),
        "fresh": interval(gained),
        "nodes": round(sum(choice.nodes for choice in own) / sum(choice.nodes for choice in usual), 4),
        "match": played,
    }


def show(made: Harness, game: str, told: Figures) -> None:
    """A table of before and after."""
    after: Mapping[str, Any] = told["after"] or {}
    rows = [(name, f"{value:g}", f"{after[name]:g}" if after else "") for name, value in told["before"].items()]
    if after:
        value, between = elo_cells(told["match"])
        rows += [
            ("nodes, fresh positions", "1", f"{told['nodes']:.2f}"),
            ("worth, fresh positions", "0", tell_worth(told["fresh"])),
            (f"Elo, {told['match']['games']} games", "0", f"{value} ({between})"),
        ]
    made.print_table(f"{game}: {told['looked_at']} solutions looked at", ("", "before", "after"), rows)


def _gains(game: str, figures: Figures) -> tuple[bool, str]:
    if game not in figures:
        raise Missing("not measured at this scale")
    told = figures[game]
    if told["after"] is None:
        return False, "nothing kept to the limit"
    elo: list[float] = told["match"]["elo"]
    return elo[1] > 0, tell(elo)


def _is_monotone(figures: Figures, least: float) -> tuple[bool, str]:
    agreeing, pairs = (sum(told["monotony"][at] for told in figures.values()) for at in (0, 1))
    if not pairs:
        raise Missing("no neighbours were looked at")
    return agreeing / pairs >= least, f"{agreeing / pairs:.1%} of {pairs} pairs of neighbours"


CLAIMS = [
    *(
        Claim(
            f"numbers that were found play better in {game}",
            "none: beyond the seeds",
            "the lower end of the 95% interval of Elo is above 0",
            0,
            lambda figures, _, game=game: _gains(game, figures),  # type: ignore[misc]
        )
        for game in GAMES
    ),
    Claim("what prunes less needs more nodes", "98% for widths (4.4.3)", "at least {tolerance:.0%}", 0.9, _is_monotone),
]


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    made = Harness("tabu_uses", options.scale, threads=options.threads, folder=options.out)
    figures: Figures = {}
    for part in SCALES[options.scale]:
        figures[part.game] = seek(made, part)
        show(made, part.game, figures[part.game])
    settings = {"parts": [asdict(part) for part in SCALES[options.scale]], "places": dict(PLACES)}
    made.conclude(CLAIMS, figures, settings=settings, seed=LEARNING_SEED)
    made.close()


if __name__ == "__main__":
    start(main)
