"""What experiments on learned piece values share: the seed's engine, learning runs, matches between sets of values, and
the figures of weight traces. Runs and matches are measured through the harness, so that each is done once.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import plypilot as pp
from harness import Figures, Harness, mean
from plypilot.compute import task_seed
from plypilot.learn import NO_CHECKS, TD, Fixed, train
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Arena, Task
from plypilot.play.ratings import Tally, elo, score_of
from plypilot.searcher import Limit
from plypilot.versions import core_digest

Array = NDArray[np.float64]
Values = Mapping[str, float]
"""Of the pieces, in pawns."""

CHESS = ("pawn", "knight", "bishop", "rook", "queen")
STANDARD = {"pawn": 1.0, "knight": 3.0, "bishop": 3.0, "rook": 5.0, "queen": 9.0}
"""What beginners are told (5.1)."""
CHESS_RULE = Adjudication(most_plies=400, at_length="agreed")
"""Smith 5.3.4."""
ROWS = 200
"""Of a trace that is kept."""
FARTHEST = 200
"""Distance of predictions in plies up to which their quality is kept."""
CHUNK = 20
"""Games of a match that are one task."""


def make_pilot(game: str, values: Values, **settings: object) -> pp.Pilot:
    """The seed's engine (4.1): full width, a table, captures first, history, captures-only quiescence, material.

    Moves of equal value are chosen by chance, as with its randomised move lists (5.3.2). Mate and stalemate are seen
    after the first move and not at the horizon of deeper searches: all mates of its list of problems have even depth
    (A.2), which is so with a blind horizon alone, and a search to depth 1 that is blind draws a third of its games,
    most by stalemate, where one in twelve is drawn in table 5.6.
    """
    weights = {"material": {name: 100 * value for name, value in values.items()}}
    pilot = pp.Pilot(game=game, evaluation=pp.Evaluation.linear(game, weights))
    usual = {
        "search.quiescence.on": True,
        "search.ends_at_first_ply": True,
        "search.table.log2_entries": 14,
        "search.table.probes": 4,
        "search.window.kind": "pvs",
        "ordering.table_move": True,
        "ordering.captures": True,
        "ordering.history": True,
        "ordering.shuffle": True,
        "search.root.random_ties": True,
    }
    return pilot.replace(usual | settings)


def make_learner(**settings: Any) -> TD:
    """The seed's learner (5.3.2): weights start at 1 and are changed after each game, with lambda 0.95.

    Tables are emptied before each move: what a search of before left there hides that a position repeats.
    """
    usual = {
        "batch": 1,
        "first_weight": 1.0,
        "step_size": Fixed(rate=0.05),
        "counters": False,
        "fresh": True,
        "even": False,
        "steepness": 1.0,
        "opening_plies": 0,
    }
    return TD(**usual | settings)


@dataclass(frozen=True)
class Learning:
    """One learning run."""

    name: str
    """Of the kind of run: those that differ by the seed alone share it."""
    learner: TD
    pilot: pp.Pilot
    seed: int

    @property
    def digest(self) -> str:
        """Of all that the run depends on, but for the build."""
        content = [self.learner.model_dump(mode="json"), self.pilot.digest, self.seed]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def measure_runs(harness: Harness, runs: Sequence[Learning]) -> list[Figures]:
    """For each run the learned values in pawns, their trace, and what the games were like."""

    def work(learning: Learning) -> Figures:
        # A run of another build would differ from here on; it gets a folder of its own.
        folder = (
            harness.folder
            / "runs"
            / harness.name
            / core_digest()[:8]
            / f"{learning.name}-seed{learning.seed}-{learning.digest}"
        )
        run = train(learning.learner, learning.pilot, folder, seed=learning.seed, resume=True, checks=NO_CHECKS)
        games, seconds = learning.learner.games, [float(line["seconds"]) for line in run.metrics]
        traces = run.traces
        assert traces is not None
        return {
            "values": list(run.pilot.evaluation.named(learning.pilot.game)["material"].values()),
            "trace": thin(np.minimum(traces.steps * learning.learner.batch, games), traces.values),
            "draws": sum(int(line["draws"]) for line in run.metrics) / games,
            "plies": sum(int(line["plies"]) for line in run.metrics) / games,
            "psi": float(run.metrics[-1]["trace_decay"]),
            "learning_seconds": round(sum(seconds), 1),
            "qualities": qualities(run.state.arrays),
            "outside_search": float(
                np.average([float(line["outside_search"]) for line in run.metrics], weights=seconds)
            ),
        }

    figures = harness.measure("runs", runs, lambda learning: [learning.name, learning.seed, learning.digest], work)
    for run_figures in figures:
        run_figures["values"] = [value / 100 for value in run_figures["values"]]
    return figures


def qualities(arrays: Mapping[str, Array]) -> list[list[float]]:
    """Mean quality of predictions and how many pairs there were, by distance, where they were counted (Smith 8.3)."""
    if "decay/counts" not in arrays:
        return []
    counts = arrays["decay/counts"][:FARTHEST]
    means = np.divide(arrays["decay/sums"][:FARTHEST], counts, out=np.zeros_like(counts), where=counts > 0)
    return [[round(float(mean_), 4), int(count)] for mean_, count in zip(means, counts, strict=True)]


def thin(games: NDArray[Any], values: Array, rows: int = ROWS) -> Figures:
    """A trace in so many rows at the most, evenly over the games: each row is the mean of those that it stands for, and
    has the game that it ends with. A run keeps ever fewer rows of its trace, so that as many rows are of ever more
    games.
    """
    numbers = np.asarray(games)
    parts = numbers * rows // (numbers[-1] + 1)
    blocks = [np.nonzero(parts == part)[0] for part in np.unique(parts)]
    return {
        "games": [int(numbers[block[-1]]) for block in blocks],
        "values": [np.round(values[block].mean(axis=0), 4).tolist() for block in blocks],
    }


def group(runs: Sequence[Learning], found: Sequence[Figures]) -> dict[str, list[Figures]]:
    """Figures by the name of the kind of run."""
    names = dict.fromkeys(each.name for each in runs)
    return {name: [one for run, one in zip(runs, found, strict=True) if run.name == name] for name in names}


def play_figures(runs: Sequence[Figures]) -> Figures:
    """What the games of some runs were like."""
    return {
        "seeds": len(runs),
        "draws": mean(run["draws"] for run in runs),
        "plies": mean(run["plies"] for run in runs),
        "learning_seconds": sum(run["learning_seconds"] for run in runs),
        "outside_search": mean(run["outside_search"] for run in runs),
    }


@dataclass(frozen=True)
class Match:
    """Games between two pilots at one depth, with sides alternating. Chance alone tells them apart."""

    name: str
    one: pp.Pilot
    other: pp.Pilot
    depth: int
    games: int
    rule: Adjudication = CHESS_RULE
    number: int = 0
    """Of its first game, by which chance falls: another one where a match is a part of a longer one."""


def measure_matches(harness: Harness, matches: Sequence[Match]) -> dict[str, Figures]:
    """How each ended for its first pilot, by name."""
    chunks = [(match, at) for match in matches for at in range(0, match.games, CHUNK)]

    def work(chunk: tuple[Match, int]) -> Figures:
        match, at = chunk
        numbers = range(match.number + at, match.number + min(at + CHUNK, match.games))
        game = match.one.game
        # The seed's laws of chess have no fifty moves (5.3.4).
        arena = Arena(
            game,
            [match.one, match.other],
            Limit(depth=match.depth),
            adjudication=match.rule,
            ends_by_counters=False,
            fresh=True,
        )
        tasks = [Task(pp.Position(game), task_seed(match.depth, number), number % 2) for number in numbers]
        played = harness.play(arena, tasks)
        results = [
            "=" if winner is None else "+" if winner == task.first_player else "-"
            for winner, task in zip(played.winners, tasks, strict=True)
        ]
        return {"results": "".join(results), "causes": dict(Counter(played.causes)), "plies": len(played.scores)}

    def key(chunk: tuple[Match, int]) -> object:
        match, at = chunk
        size = min(CHUNK, match.games - at)
        return [
            match.one.digest[:16],
            match.other.digest[:16],
            match.depth,
            match.number + at,
            size,
            repr(match.rule),
            "fresh",
        ]

    chunk_figures = harness.measure("matches", chunks, key, work)
    by_match: dict[str, Figures] = {}
    for match in matches:
        parts = [figures for (of, _), figures in zip(chunks, chunk_figures, strict=True) if of is match]
        results = Counter("".join(part["results"] for part in parts))
        causes: Counter[str] = Counter()
        for part in parts:
            causes.update(part["causes"])
        tally = Tally(wins=results["+"], draws=results["="], losses=results["-"])
        estimate = elo(tally)
        by_match[match.name] = {
            "games": match.games,
            "wins": tally.wins,
            "losses": tally.losses,
            "draws": tally.draws,
            "score": tally.score,
            "interval": [score_of(estimate.low), score_of(estimate.high)],
            "plies": sum(part["plies"] for part in parts) / match.games,
            "causes": dict(causes.most_common()),
            "seconds": sum(part["seconds"] for part in parts),
        }
    return by_match


def show_matches(harness: Harness, title: str, matches: Mapping[str, Figures], seed: Callable[[str], str]) -> None:
    """Prints matches, one a line, with what the seed has beside them."""
    rows = [
        [name, each["games"], each["wins"], each["losses"], each["draws"], score_text(each), f"{each['plies']:.0f}",
         seed(name)]
        for name, each in matches.items()
    ]  # fmt: skip
    harness.print_table(title, ["match", "games", "won", "lost", "drawn", "score", "plies", "seed"], rows)


def score_text(match: Figures) -> str:
    """A score with its interval of 95%."""
    low, high = match["interval"]
    return f"{match['score']:.1%} ({low:.1%} to {high:.1%})"


def is_ascending(values: Sequence[float]) -> bool:
    """Whether each is more than the one before."""
    return all(low < high for low, high in pairwise(values))


@dataclass(frozen=True)
class Settling:
    """From which game on a trace keeps to its end."""

    order_after: int | None
    """The order of the pieces is the expected one from this game on; None: not at the end."""
    values_after: int | None
    """All values are within the band of their final ones from this game on."""

    @property
    def after(self) -> int | None:
        """Both."""
        if self.order_after is None or self.values_after is None:
            return None
        return max(self.order_after, self.values_after)


def settling(games: Sequence[int], values: Array, *, band: float, final_part: float = 0.1) -> Settling:
    """How a trace of shape (rows, pieces) settles: its columns in ascending order of what they should be worth.

    Final values are means over the last part of the games, as Smith 8.6.1 has them; the band is a part of each.
    """
    numbers = np.asarray(games)
    final = values[numbers >= (1 - final_part) * numbers[-1]].mean(axis=0)
    in_order = (np.diff(values, axis=1) > 0).all(axis=1)
    in_band = (np.abs(values / final - 1) <= band).all(axis=1)
    return Settling(_since(numbers, in_order), _since(numbers, in_band))


def _since(numbers: NDArray[np.int64], holds: NDArray[np.bool_]) -> int | None:
    """The first number from which on it holds to the end."""
    broken = np.nonzero(~holds)[0]
    at = int(broken[-1]) + 1 if len(broken) else 0
    return int(numbers[at]) if at < len(numbers) else None
