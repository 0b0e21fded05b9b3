"""Forward-pruning vectors: learns how many moves of a position are worth searching, by where it is in the tree, with
the tabu search TS-FPV (Kocsis 2003, 4.2).

A pilot that leaves late moves out can search deeper in the same number of nodes. The widths are sought that choose the
best moves, by a much deeper search, within the nodes of the pilot as it is; what plays better is handed out.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field, field_validator

from plypilot.audit import AUDIT_SAMPLE, audit
from plypilot.compute import Workers, task_seed
from plypilot.game_name import base_name
from plypilot.learn import tabu_search
from plypilot.learn.game_points import GamesTask, play_games
from plypilot.learn.learner import Decision, Metrics, State
from plypilot.learn.measured_positions import Measures, read_positions, sample_positions, take_measures
from plypilot.learn.move_worths import MoveWorths, choose, judging_pilot
from plypilot.learn.population import load_population
from plypilot.learn.tabu_search import Exploration, Known, Rules, Solution, Space
from plypilot.learn.trials import Trials, play_trial
from plypilot.pilot import Pilot, PilotError, Pruning
from plypilot.play.ratings import Pentanomial
from plypilot.searcher import Limit
from plypilot.settings import Part

if TYPE_CHECKING:
    from plypilot.learn.folder import Run
    from plypilot.sections import Section

By = Literal["ply", "iteration", "distance", "both"]
"""What widths are by: FPV-d, FPV-it, FPV-l, and the triangle of figure 4.3a."""
Count = Literal["all", "quiet"]

_STREAM = int.from_bytes(b"widths", "little")
_QUIET_GAMES = ("chess", "shogi")
"""Where captures are always searched, as in the seed's chess; elsewhere all moves count, as in its Lines of Action."""
_BEYOND = 4.0
"""A search of a position that takes this many times the nodes that it may take on average is given up."""
_PART_GAMES = 40
"""Games that are played as one task."""


class Judged(NamedTuple):
    """Widths that were measured over all positions."""

    by: By
    solution: Solution
    worth: float
    """Hundredths of a pawn by which its moves are better on average than those of the pilot as it is."""
    error: float
    """Standard error of the worth."""
    share: float
    """Nodes beside those that it may take."""


class Trial(NamedTuple):
    """Widths that played the best pilot so far."""

    by: By
    widths: tuple[int, ...]
    pairs: tuple[int, ...]
    is_better: bool


class Widths(Part):
    """Learns how many moves of a position are searched, by tabu search over vectors of widths."""

    decision: ClassVar[Decision] = "pruning"
    lengthened_by: ClassVar[tuple[str, ...]] = ()
    usual_checks: ClassVar[Mapping[str, Any]] = {"nodes": 5000, "gain": 30.0, "games": 400, "count": 1}
    """There is nothing to check before the trials."""
    figures: ClassVar[tuple[str, ...]] = ("by", "visited", "cycles", "worth", "best_worth", "trial_score")

    suite: str = ""
    """a file of positions (EPD in chess) that widths are measured on; empty: positions of games that the pilot plays
    with itself"""
    worth: Literal["moves", "games"] = "moves"
    """how well widths do: by the moves chosen, as a much deeper search judges them; or by games of the deeper search
    with widths against opponents that search as deep as the pilot as it is"""
    opponents: str = ""
    """a population of evaluators, or a file of one, that plays these games; empty: the pilot as it is"""
    by: tuple[By, ...] = ("distance",)
    """what widths are by, each tried for itself: the plies left to the leaves (FPV-l), the plies below the root
    (FPV-d), the depth of the iteration (FPV-it), or the last two at once"""
    widths: tuple[Annotated[int, Field(ge=1, le=1000)], ...] = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30)
    """the widths that are tried, from narrow to wide; searching all moves is always one more"""
    count: Count | None = None
    """which moves count: all, or quiet ones alone, where others are always searched; none: quiet in chess and shogi"""
    positions: Annotated[int, Field(ge=4, le=100_000)] = 240
    """that widths are measured on; and the games, where games tell"""
    few: Annotated[int, Field(ge=2, le=100_000)] = 60
    """of these: for the quick look that chooses the way, and for the nodes that widths take"""
    nodes: Annotated[int, Field(ge=10)] = 3000
    """about so many the pilot as it is takes for a position on average: this chooses its depth"""
    depth: Annotated[int, Field(ge=0, le=32)] = 0
    """to which the pilot as it is searches; 0: by nodes"""
    deeper: Annotated[int, Field(ge=1, le=4)] = 1
    """plies that a search with widths is deeper"""
    budget: Annotated[float, Field(ge=0, le=1)] = 0.5
    """where the limit of nodes lies between those of the pilot as it is (0, as in the seed) and those that it would
    take for so many plies more (1), by ratio: who saves half of a ply plays better than who saves it at any price"""
    full_plies: Annotated[int, Field(ge=0, le=32)] = 2
    """at the root in which all moves are searched, where widths are by ply or by distance: those that suit one depth
    there are wrong at another; 0 is the seed's"""
    reference_nodes: Annotated[int, Field(ge=1)] = 100_000
    """of the search that tells what a move is worth, which is as selective as the baseline"""
    most: Annotated[int, Field(ge=1)] = 300
    """hundredths of a pawn beyond which one score is as good as another"""
    tabu: Annotated[int, Field(ge=0, le=1000)] = 7
    """changes that are not undone"""
    patience: Annotated[int, Field(ge=1)] = 6
    """critical solutions in a row without a better one that end the search of a kind of widths"""
    start_at: Literal["cheapest", "random"] = "cheapest"
    """where a search begins"""
    trusts: bool = True
    """what follows by monotony from other solutions is not searched"""
    take: Annotated[int, Field(ge=0, le=100)] = 2
    """the most solutions that are tried by games, the best first"""
    wider: tuple[Annotated[int, Field(ge=0, le=100)], ...] = (1, 2)
    """each of them is tried so many steps wider at every place: games are searched deeper than positions were, and
    what suits both is wider"""
    trials: Trials = Trials(games=600, nodes=4000, cost=0.0, gain=30.0)
    """how they are tried; without games the best solution is taken where its moves are better"""
    audited: Annotated[int, Field(ge=0, le=1000)] = 20
    """positions in which what was learned is audited in the end, for the report; 0: none"""

    @field_validator("by")
    @classmethod
    def _names_each_once(cls, by: tuple[By, ...]) -> tuple[By, ...]:
        if not by or len(set(by)) < len(by):
            raise ValueError("expected at least one of ply, iteration, distance and both, each once")
        return by

    @field_validator("widths")
    @classmethod
    def _rise(cls, widths: tuple[int, ...]) -> tuple[int, ...]:
        if not widths or list(widths) != sorted(set(widths)):
            raise ValueError("expected widths from narrow to wide, each once")
        return widths

    # The protocol of learners

    def start(self, pilot: Pilot, seed: int) -> State:
        """Nothing measured yet; what is named is read here. Raises PilotError and RecordError."""
        if pilot.pruning.widths:
            raise PilotError("the pilot has widths already: start from one without (pruning.widths=[])")
        if self.opponents and self.worth != "games":
            raise PilotError('opponents play games: set worth to "games", or leave them out')
        opponents = _population(self.opponents) if self.opponents else ()
        if opponents and opponents[0].game != pilot.game:
            raise PilotError(f"opponents {self.opponents}: play {opponents[0].game}, but the pilot plays {pilot.game}")
        numbers = {
            "seed": seed,
            "positions": read_positions(self.suite, pilot.game) if self.suite else [],
            "opponents": [own.digest[:16] for own in opponents],
            "measures": [],
            "looks": {},
            "worths": {},
            "trials": [],
            "audit": [],
        }
        return State({}, numbers, pilot)

    def is_done(self, state: State) -> bool:
        """Once each kind of widths has been searched and the best have been tried."""
        if not state.numbers["measures"]:
            return False
        if self._kind_under_way(state) is not None or self._next_trial(state) is not None:
            return False
        return bool(state.numbers["audit"]) or self.audited_pilot(state) is None

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """Makes positions, looks at some solutions, judges a critical one, or tries one by games."""
        began = time.perf_counter()
        if not state.numbers["measures"]:
            after, metrics = self._prepare(state, workers)
        elif (by := self._kind_under_way(state)) is not None:
            after, metrics = self._explore(state, by, workers)
        elif self._next_trial(state) is not None:
            after, metrics = self._try(state, workers)
        else:
            after, metrics = self._audit(state, workers)
        return after, metrics | {"seconds": time.perf_counter() - began}

    def pilot(self, state: State) -> Pilot:
        """The pilot with the widths that have won; as it was where none has."""
        assert state.pilot is not None
        chosen = self._chosen(state)
        return state.pilot if chosen is None else self.steer(state.pilot, *chosen)

    def _chosen(self, state: State) -> tuple[By, tuple[int, ...]] | None:
        if not state.numbers["measures"]:
            return None
        if self.trials.games:
            won = [trial for trial in self.tried(state) if trial.is_better]
            return (won[-1].by, won[-1].widths) if won else None
        best = next(iter(self.judged(state)), None)
        return None if best is None or best.worth <= 0 else (best.by, self.read(state, best))

    # What people see

    def sections(self, run: Run) -> Iterator[Section]:
        """What there is to show of a run."""
        from plypilot.learn.widths_sections import run_sections

        return run_sections(run, self)

    # What is known so far

    def measures(self, state: State) -> Measures:
        """How the pilot as it is searches the positions."""
        return Measures.read(state.numbers["measures"])

    def space(self, state: State, by: By) -> Space:
        """The solutions of a kind of widths; widths that no position reaches are left out."""
        measures = self.measures(state)
        length = measures.depth + self.deeper
        open_ = ((*(width for width in self.widths if width < measures.most_moves), 0),)
        full = ((0,),) * min(self.full_plies, length - 1)
        rest = length - len(full)
        match by:
            case "ply":
                return Space(full + open_ * rest)
            case "distance":
                return Space(open_ * rest + full)
            case "iteration":
                return Space(open_ * length)
            case "both":
                return Space(open_ * (length * (length + 1) // 2))

    def rules(self, state: State) -> Rules:
        """How solutions are tried."""
        limit = self.measures(state).limit(self.few, self.budget)
        return Rules(limit, self.tabu, self.patience, self.start_at, self.trusts)

    def known(self, state: State, by: By) -> Known:
        """What is known of the solutions of a kind."""
        looks = [(tuple(solution), cost, estimate) for solution, cost, estimate in state.numbers["looks"].get(by, [])]
        limit = self.measures(state).limit(self.positions, self.budget)
        return Known(
            {solution: cost for solution, cost, _ in looks},
            {solution: estimate for solution, _, estimate in looks},
            # What takes more nodes than it may, over all positions, is worth nothing.
            {
                tuple(solution): worth if cost <= limit else -float("inf")
                for solution, worth, _, cost in state.numbers["worths"].get(by, [])
            },
        )

    def exploration(self, state: State, by: By) -> Exploration:
        """How far the search of a kind of widths is."""
        seed = task_seed(int(state.numbers["seed"]) ^ _STREAM, 1 + self.by.index(by))
        return tabu_search.explore(self.space(state, by), self.rules(state), self.known(state, by), seed)

    def judged(self, state: State) -> list[Judged]:
        """All solutions that were measured over all positions and keep to the limit, the best first."""
        limit = self.measures(state).limit(self.positions, self.budget)
        found = [
            Judged(by, tuple(solution), worth, error, cost / limit)
            for by in self.by
            for solution, worth, error, cost in state.numbers["worths"].get(by, [])
            if cost <= limit
        ]
        return sorted(found, key=lambda judged: -judged.worth)

    def read(self, state: State, judged: Judged) -> tuple[int, ...]:
        """The widths of a solution."""
        return self.space(state, judged.by).read(judged.solution)

    def tried(self, state: State) -> list[Trial]:
        """The trials so far."""
        return [
            Trial(by, tuple(widths), tuple(pairs), is_better)
            for by, widths, pairs, is_better in state.numbers["trials"]
        ]

    def monotony(self, state: State) -> dict[str, tuple[int, int]]:
        """How often wider neighbours cost at least as much, and do at least as well, of how many (Kocsis 4.4.3)."""
        told = {"nodes": (0, 0), "worth": (0, 0)}
        for by in self.by:
            space, known = self.space(state, by), self.known(state, by)
            for name, table in (("nodes", known.costs), ("worth", known.estimates)):
                agreeing, pairs = tabu_search.agreement(space, table)
                told[name] = (told[name][0] + agreeing, told[name][1] + pairs)
        return told

    # Steps

    def _kind_under_way(self, state: State) -> By | None:
        return next((by for by in self.by if not self.exploration(state, by).is_over), None)

    def _prepare(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        assert state.pilot is not None
        pilot, seed = state.pilot, int(state.numbers["seed"])
        positions = list(state.numbers["positions"])[: self.positions]
        positions = positions or sample_positions(pilot, self.positions, task_seed(seed ^ _STREAM, 0), workers)
        measures = take_measures(
            pilot,
            positions,
            depth=self.depth,
            deeper=self.deeper,
            nodes=self.nodes,
            few=self.few,
            workers=workers,
        ).content()
        after = State({}, {**state.numbers, "positions": positions, "measures": measures}, pilot)
        limit = self.measures(after).limit(len(positions), self.budget)
        return after, {"positions": len(positions), "depth": measures[0], "limit": round(limit, 1)}

    def _explore(self, state: State, by: By, workers: Workers) -> tuple[State, Metrics]:
        assert state.pilot is not None
        found, space = self.exploration(state, by), self.space(state, by)
        if found.costs_wanted:
            state = self._look(state, by, found.costs_wanted, space, workers)
        elif found.worth_wanted is not None:
            state = self._judge(state, by, found.worth_wanted, space, workers)
        found = self.exploration(state, by)
        metrics: Metrics = {
            "by": by,
            "visited": len(found.visits),
            "looked_at": len(state.numbers["looks"].get(by, [])),
            "cycles": found.cycles,
        }
        known = self.known(state, by)
        if found.best is not None:
            metrics["worth"] = known.worths[found.best]
        judged = self.judged(state)
        if judged:
            metrics["best_worth"] = judged[0].worth
        return state, metrics

    def _look(self, state: State, by: By, solutions: Sequence[Solution], space: Space, workers: Workers) -> State:
        """A quick look at solutions: their nodes, and how good their moves seem."""
        told = self._measure(state, by, solutions, space, self.few, workers)
        looks = [*state.numbers["looks"].get(by, [])]
        for solution, (cost, differences) in zip(solutions, told, strict=True):
            looks.append([list(solution), round(cost, 3), mean(differences)])
        return State({}, {**state.numbers, "looks": {**state.numbers["looks"], by: looks}}, state.pilot)

    def _judge(self, state: State, by: By, solution: Solution, space: Space, workers: Workers) -> State:
        """A long look at a critical solution: over all positions."""
        ((cost, differences),) = self._measure(state, by, [solution], space, self.positions, workers)
        told = [list(solution), mean(differences), standard_error(differences), round(cost, 3)]
        worths = [*state.numbers["worths"].get(by, []), told]
        return State({}, {**state.numbers, "worths": {**state.numbers["worths"], by: worths}}, state.pilot)

    def _measure(
        self, state: State, by: By, solutions: Sequence[Solution], space: Space, count: int, workers: Workers
    ) -> list[tuple[float, list[float]]]:
        """Of each solution the nodes on average, and by how much it does better at each position or game; nothing where
        it takes too many nodes.
        """
        assert state.pilot is not None
        measures, positions = self.measures(state), state.numbers["positions"][:count]
        limit = measures.limit(count, self.budget)
        pilots = [self.steer(state.pilot, by, space.read(solution)) for solution in solutions]
        chosen = choose(pilots, positions, measures.depth + self.deeper, round(_BEYOND * limit) + 1000, workers)
        costs = [sum(choice.nodes for choice in choices) / len(choices) for choices in chosen]
        within = [place for place, cost in enumerate(costs) if cost <= limit]
        if self.worth == "games":
            differences = self._play(state, [pilots[place] for place in within], count, workers)
        else:
            worths = MoveWorths(judging_pilot(state.pilot), self.reference_nodes, self.most)
            differences = [
                worths.difference(positions, [choice.move for choice in chosen[place]], measures.moves, workers)
                for place in within
            ]
        told = dict(zip(within, differences, strict=True))
        return [(cost, told.get(place, [])) for place, cost in enumerate(costs)]

    def _play(self, state: State, pilots: Sequence[Pilot], count: int, workers: Workers) -> list[list[float]]:
        """How many hundredths of a point more each pilot wins, in each game, than the pilot as it is."""
        assert state.pilot is not None
        measures, opponents = self.measures(state), self._opponents(state)
        seed = task_seed(int(state.numbers["seed"]) ^ _STREAM, 100)
        spans = [range(first, min(first + _PART_GAMES, count)) for first in range(0, count, _PART_GAMES)]
        depths = [measures.depth] + [measures.depth + self.deeper] * len(pilots)
        tasks = [
            GamesTask(pilot, opponents, (depth, measures.depth), seed, span, count)
            for pilot, depth in zip([state.pilot, *pilots], depths, strict=True)
            for span in spans
        ]
        parts = iter(workers.evaluate(play_games, tasks, key=GamesTask.key))
        usual, *others = [[points for _ in spans for points in next(parts)] for _ in depths]
        return [[100 * (own - before) for own, before in zip(points, usual, strict=True)] for points in others]

    def _opponents(self, state: State) -> tuple[Pilot, ...]:
        assert state.pilot is not None
        if not self.opponents:
            return (state.pilot,)
        found = _population(self.opponents)
        if [pilot.digest[:16] for pilot in found] != state.numbers["opponents"]:
            raise PilotError(f"opponents {self.opponents}: is not the population that this run began with")
        return found

    def steer(self, pilot: Pilot, by: By, widths: Sequence[int]) -> Pilot:
        """The pilot with these widths; all of them is none."""
        count = self.count or ("quiet" if base_name(pilot.game) in _QUIET_GAMES else "all")
        changes = {"widths": tuple(widths) if any(widths) else (), "widths_by": by, "widths_count": count}
        pruning = Pruning.model_validate(pilot.pruning.model_dump() | changes)
        return pilot.model_copy(update={"pruning": pruning})

    # Trials

    def _next_trial(self, state: State) -> tuple[By, tuple[int, ...]] | None:
        """The best solutions one after the other, each as it is and wider."""
        if not self.trials.games:
            return None
        wanted = []
        for judged in self.judged(state)[: self.take]:
            space = self.space(state, judged.by)
            wanted += [(judged.by, space.read(space.dearer(judged.solution, steps))) for steps in self.wider]
        tried = {(trial.by, trial.widths) for trial in self.tried(state)}
        return next((own for own in wanted if own not in tried and any(own[1])), None)

    def _try(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        wanted = self._next_trial(state)
        assert wanted is not None and state.pilot is not None
        number = len(state.numbers["trials"])
        tried, best = self.steer(state.pilot, *wanted), self.pilot(state)
        pairs, is_better = play_trial(tried, best, self.trials, int(state.numbers["seed"]), number, workers)
        trials = [*state.numbers["trials"], [wanted[0], list(wanted[1]), list(pairs), is_better]]
        results = Pentanomial(*pairs)
        return State({}, {**state.numbers, "trials": trials}, state.pilot), {
            "trial": number + 1,
            "trial_games": results.games,
            "trial_score": round(results.score, 6),
            "is_better": int(is_better),
        }

    # The audit

    def audited_pilot(self, state: State) -> Pilot | None:
        """What is audited in the end: the pilot that was learned, or the best widths where none were taken."""
        assert state.pilot is not None
        judged = [own for own in self.judged(state) if any(self.read(state, own))]
        if not self.audited or not judged:
            return None
        learned = self.pilot(state)
        return learned if learned != state.pilot else self.steer(learned, judged[0].by, self.read(state, judged[0]))

    def _audit(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        pilot = self.audited_pilot(state)
        assert pilot is not None
        measures, seed = self.measures(state), task_seed(int(state.numbers["seed"]) ^ _STREAM, 200)
        limit, positions = Limit(depth=measures.depth + self.deeper), state.numbers["positions"][: self.audited]
        found = audit(pilot, positions, limit, sample=AUDIT_SAMPLE, seed=seed, workers=workers)
        after = State({}, {**state.numbers, "audit": [found.content()]}, state.pilot)
        return after, {"audited": found.overall().searched, "wrong": found.overall().share}


def mean(values: Sequence[float]) -> float:
    """The mean to four decimals; 0 of nothing."""
    return round(sum(values) / max(len(values), 1), 4)


def standard_error(values: Sequence[float]) -> float:
    """Of the mean."""
    middle = sum(values) / max(len(values), 1)
    spread = sum((own - middle) ** 2 for own in values) / max(len(values) - 1, 1)
    return round(math.sqrt(spread / max(len(values), 1)), 4)


@lru_cache(maxsize=4)
def _population(source: str) -> tuple[Pilot, ...]:
    return tuple(load_population(source).pilots())
