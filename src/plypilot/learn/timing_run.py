"""A run that learns how long to think: what it measures of the pilot first, and how what was learned is looked at and
tried in the end. How the network learns in between is up to each learner.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from plypilot.compute import Workers, task_seed
from plypilot.game_name import base_name
from plypilot.games import Position, game_info
from plypilot.learn.actor_critic import fit_steepness
from plypilot.learn.learner import Decision, Metrics, State
from plypilot.learn.population import load_population
from plypilot.learn.timed_games import Sides, TimedGames, opening_pool, read_sides, tell_times, used_share
from plypilot.learn.timing_policies import Array, Measures, Mode, empty_policy, with_timing
from plypilot.learn.trials import Trials, play_trial
from plypilot.learn.weights import from_vector
from plypilot.networks import Policy, PolicySeen, find_set
from plypilot.pilot import Pilot, PilotError
from plypilot.play.arena import Games
from plypilot.play.ratings import Pentanomial
from plypilot.score import MOST_PLIES
from plypilot.searcher import Limit, search
from plypilot.settings import Part

if TYPE_CHECKING:
    from plypilot.learn.folder import Run
    from plypilot.sections import Block, Section

_STREAM = int.from_bytes(b"timing", "little")
_PREPARING, _LOOKING, _FIRST_LEARNING = range(3)
"""What games are for; each kind has seeds of its own."""
_EARLY_DEPTH = 2
"""Of the searches whose values are the critic's: every search gets as deep, whatever is decided."""
_OPPONENT_DEPTH = 2
"""Of a population's players (5.3.1)."""


class TimingRun(Part):
    """The base of what learns how long to think on games with a bank of nodes."""

    decision: ClassVar[Decision] = "timing"
    usual_checks: ClassVar[Mapping[str, Any]] = {"nodes": 2000, "bank": 5.0, "gain": 30.0, "games": 400, "count": 1}
    """There is nothing to check before the trials."""

    mode: Mode = "dynamic"
    """dynamic: asked after each iteration, whether to go on; semi-dynamic: before a search, how deep"""
    nodes: Annotated[int, Field(ge=20)] = 2000
    """that each move adds to the bank"""
    bank: Annotated[float, Field(ge=1, le=1000)] | None = None
    """so many times these are in it at the start; none: 5, and 10 in chess, whose games are longer (5.3)"""
    opponents: str = ""
    """a population of evaluators, or a file of one; empty: the pilot itself"""
    opponent_depth: Annotated[int, Field(ge=0, le=MOST_PLIES)] = 0
    """to which opponents search, without a bank; 0: two plies in a population (5.3.1), and else with the same bank by
    the simple rule"""
    depth: Annotated[int, Field(ge=0, le=MOST_PLIES - 2)] = 0
    """semi-dynamic: the middle one of three depths that there are; dynamic: no iteration follows that of a ply more; 0:
    the depth that the pilot mostly reaches, and no such limit"""
    seen: tuple[PolicySeen, ...] = (
        "bank",
        "iteration",
        "value",
        "last_value",
        "drop",
        "spent",
        "latest",
        "new_move",
        "settled",
    )
    """what is seen after each iteration; before a search it is the bank alone"""
    set: str = ""
    """a feature set of the position that is seen too; empty: none"""
    units: Annotated[int, Field(ge=0, le=256)] = 10
    """of the hidden layer (5.3.2); 0: none"""
    steepness: Annotated[float, Field(ge=0, le=1)] = 0.0
    """of the map from scores to values (5.4); 0: fitted to the pilot's games"""
    opening_plies: Annotated[int, Field(ge=0, le=100)] = 6
    """random moves before a game"""
    most_plies: Annotated[int, Field(ge=1)] = 300
    """longer games are a draw"""
    preparing_games: Annotated[int, Field(ge=2, multiple_of=2)] = 60
    """of the simple rule, from which the critic's map is fitted"""
    look_games: Annotated[int, Field(ge=2, multiple_of=2)] = 200
    """in the end, which show how what was learned spends its time"""
    trials: Trials = Trials(games=600, nodes=2000, cost=0.0, gain=30.0)
    """how the simple rule, and then what was learned, are tried; without a bank of their own they have that of the
    games; without games what was learned is taken"""

    # What each learner brings

    def begin(self, state: State) -> tuple[Mapping[str, NDArray[Any]], Mapping[str, Any]]:
        """Arrays and numbers before the first step that learns, once the pilot has been measured."""
        raise NotImplementedError

    def is_learned(self, state: State) -> bool:
        """Whether no step that learns is left."""
        raise NotImplementedError

    def learning_steps(self) -> int:
        """How many there are."""
        raise NotImplementedError

    def learn(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """A step that learns."""
        raise NotImplementedError

    def weights(self, state: State) -> Array:
        """Those of the network, as learned so far."""
        raise NotImplementedError

    def has_links(self) -> bool:
        """Whether its networks have links past the hidden layer."""
        raise NotImplementedError

    def progress(self, state: State) -> Block | None:
        """How the learning went, as a picture."""
        raise NotImplementedError

    # The protocol of learners

    def start(self, pilot: Pilot, seed: int) -> State:
        """Nothing learned yet. Raises PilotError and PopulationError."""
        if pilot.timing.policy is not None or pilot.pruning.null_policy is not None:
            raise PilotError("the pilot has a policy already: start from one without")
        if self.set:
            find_set(game_info(pilot.game), self.set)
        opponents = _population(self.opponents) if self.opponents else ()
        if opponents and opponents[0].game != pilot.game:
            raise PilotError(f"opponents {self.opponents}: play {opponents[0].game}, but the pilot plays {pilot.game}")
        numbers = {
            "seed": seed,
            "opponents": [own.digest[:16] for own in opponents],
            "measures": [],
            "look": {},
            "trials": [],
        }
        return State({}, numbers, pilot)

    def is_done(self, state: State) -> bool:
        """Once what was learned has been looked at and tried."""
        return bool(state.numbers["look"]) and self.is_learned(state) and self._next_trial(state) is None

    def expected_steps(self, state: State) -> int:
        """Known from the start."""
        assert state.pilot is not None
        return 2 + self.learning_steps() + (len(self._ways(state.pilot)) if self.trials.games else 0)

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """Measures the pilot, learns, looks at what was learned, or tries it by games."""
        began = time.perf_counter()
        if not state.numbers["measures"]:
            after, metrics = self._prepare(state, workers)
        elif not self.is_learned(state):
            if state.numbers["look"]:  # of a run that was made longer
                state = State(state.arrays, {**state.numbers, "look": {}, "trials": []}, state.pilot)
            after, metrics = self.learn(state, workers)
        elif not state.numbers["look"]:
            after, metrics = self._look(state, workers)
        else:
            after, metrics = self._try(state, workers)
        return after, metrics | {"seconds": time.perf_counter() - began}

    def pilot(self, state: State) -> Pilot:
        """The pilot with the way of timing that has won; as it was before, where none has."""
        assert state.pilot is not None
        if not self.trials.games:
            return self.learned(state) if state.numbers["look"] else state.pilot
        won = [way for way, _, is_better in state.numbers["trials"] if is_better]
        return self._way(state, won[-1]) if won else state.pilot

    # What people see

    def sections(self, run: Run) -> Iterator[Section]:
        """What there is to show of a run."""
        from plypilot.learn.timing_sections import run_sections

        return run_sections(run, self)

    def measures(self, state: State) -> Measures:
        """What the pilot was like at the start."""
        return Measures(*state.numbers["measures"])

    def learned(self, state: State) -> Pilot:
        """The pilot with what the network has learned so far."""
        assert state.pilot is not None
        return self.with_policy(state.pilot, self.policy(state))

    def policy(self, state: State) -> Policy:
        """What has been learned so far."""
        return from_vector(self.empty_policy(state), self.weights(state))

    def with_policy(self, pilot: Pilot, policy: Policy) -> Pilot:
        """The pilot in which a policy decides."""
        return with_timing(pilot, {"rule": "learned", "policy": policy})

    def limit(self, pilot: Pilot) -> Limit:
        """What a side has in the games: a bank of nodes."""
        return Limit(clock=self.times(pilot) * self.nodes, increment=self.nodes, unit="nodes")

    def times(self, pilot: Pilot) -> float:
        """How many times the nodes of a move are in the bank at the start."""
        return self.bank or (10.0 if base_name(pilot.game) == "chess" else 5.0)

    def empty_policy(self, state: State) -> Policy:
        """A policy of the form that is learned, with weights of 0."""
        assert state.pilot is not None
        return empty_policy(
            state.pilot.game,
            self.mode,
            self.measures(state),
            increment=self.nodes,
            depth=self.depth,
            seen=self.seen,
            feature_set=self.set,
            units=self.units,
            direct=self.has_links(),
        )

    def learning_games(self, state: State, pilot: Pilot, games: int, number: int = 0) -> TimedGames:
        """So many games for steps that learn, of a number of its own where seeds should differ from those before."""
        return self._games(state, pilot, _FIRST_LEARNING + number, games)

    # Steps

    def _prepare(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        assert state.pilot is not None
        usual = with_timing(state.pilot, {"rule": "simple"})
        games = self._games(state, usual, _PREPARING, self.preparing_games)
        played = [chunk for _, chunks in games.play(range(self.preparing_games), workers) for chunk in chunks]
        sides = list(read_sides(played, 0, 2))
        scores = np.concatenate([side.scores for side in sides])
        results = np.concatenate([np.full(len(side.scores), side.result) for side in sides])
        steepness = self.steepness or fit_steepness(scores, results)
        depths = np.concatenate([chunk.depths[_own_plies(chunk, first)] for first, chunk in _numbered(played)])
        positions = [opening.position(state.pilot.game).fen() for opening in games.openings[:16]]
        tasks = [(usual, position, self.nodes) for position in positions]
        growth = float(np.exp(np.mean([np.log(each) for each in workers.map(_growth, tasks)])))
        measures = Measures(round(steepness, 8), round(max(growth, 1.1), 4), max(int(np.median(depths)), 2))
        numbers = {**state.numbers, "measures": list(measures)}
        arrays, more = self.begin(State({}, numbers, state.pilot))
        return State(arrays, {**numbers, **more}, state.pilot), {
            "steepness": measures.steepness,
            "growth": measures.growth,
            "depth": measures.depth,
        }

    def _look(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """How the learned policy and the simple rule spend their time, in games with each other."""
        assert state.pilot is not None
        usual = with_timing(state.pilot, {"rule": "simple"})
        games = self._games(state, self.learned(state), _LOOKING, self.look_games, (usual,))
        sides: dict[str, list[Sides]] = {"learned": [], "simple": []}
        for number, chunks in games.play(range(self.look_games), workers):
            sides["learned"] += read_sides(chunks, number, 2)
            sides["simple"] += read_sides(chunks, number, 2, opponent=True)
        steepness = self.measures(state).steepness
        limit = self.limit(state.pilot)
        look: dict[str, Any] = {name: tell_times(own, self.nodes, steepness) for name, own in sides.items()}
        if limit.clock is not None:
            look["used"] = {name: used_share(own, limit) for name, own in sides.items()}
        points = sum((side.result + 1) / 2 for side in sides["learned"]) / self.look_games
        content = {**state.numbers, "look": look}
        return State(state.arrays, content, state.pilot), {"look_points": points}

    # Trials

    def _ways(self, pilot: Pilot) -> tuple[str, ...]:
        return ("simple", "learned") if pilot.timing.rule != "simple" else ("learned",)

    def _way(self, state: State, way: str) -> Pilot:
        assert state.pilot is not None
        return self.learned(state) if way == "learned" else with_timing(state.pilot, {"rule": way})

    def _next_trial(self, state: State) -> str | None:
        assert state.pilot is not None
        if not self.trials.games:
            return None
        ways, tried = self._ways(state.pilot), len(state.numbers["trials"])
        return ways[tried] if tried < len(ways) else None

    def _try(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        way = self._next_trial(state)
        assert way is not None and state.pilot is not None
        number = len(state.numbers["trials"])
        rules = self.trials
        if not rules.bank:
            rules = rules.model_copy(update={"bank": self.times(state.pilot)})
        seed = int(state.numbers["seed"])
        pairs, is_better = play_trial(self._way(state, way), self.pilot(state), rules, seed, number, workers)
        content = {**state.numbers, "trials": [*state.numbers["trials"], [way, list(pairs), is_better]]}
        results = Pentanomial(*pairs)
        return State(state.arrays, content, state.pilot), {
            "tried": way,
            "trial_games": results.games,
            "trial_score": round(results.score, 6),
            "is_better": int(is_better),
        }

    # Games

    def _games(
        self, state: State, pilot: Pilot, purpose: int, games: int, opponents: tuple[Pilot, ...] | None = None
    ) -> TimedGames:
        assert state.pilot is not None
        seed = task_seed(int(state.numbers["seed"]) ^ _STREAM, purpose)
        limit = self.limit(state.pilot)
        others = self._opponents(state) if opponents is None else opponents
        depth = self.opponent_depth or (_OPPONENT_DEPTH if self.opponents else 0)
        against = Limit(depth=depth) if depth and opponents is None else limit
        openings = opening_pool(pilot.game, self.opening_plies, seed, games)
        return TimedGames(pilot, others, (limit, against), seed, openings, self.most_plies, _EARLY_DEPTH)

    def _opponents(self, state: State) -> tuple[Pilot, ...]:
        assert state.pilot is not None
        if not self.opponents:
            return (with_timing(state.pilot, {"rule": "simple"}),)
        found = _population(self.opponents)
        if [pilot.digest[:16] for pilot in found] != state.numbers["opponents"]:
            raise PilotError(f"opponents {self.opponents}: is not the population that this run began with")
        return found


def _numbered(games: Sequence[Games]) -> Iterator[tuple[int, Games]]:
    first = 0
    for chunk in games:
        yield first, chunk
        first += len(chunk)


def _own_plies(games: Games, first: int) -> NDArray[np.bool_]:
    """The plies of the learning side, in games that are numbered from one on."""
    numbers = np.repeat(np.arange(first, first + len(games)), np.diff(games.starts))
    return np.asarray(games.movers == numbers % 2)


def _growth(task: tuple[Pilot, str, int]) -> float:
    """How many times the nodes of the last iteration the next one would take. Runs in a worker."""
    pilot, position, nodes = task
    return max(search(pilot, Position(pilot.game, position), Limit(nodes=4 * nodes)).branching_factor, 1.0)


@lru_cache(maxsize=4)
def _population(source: str) -> tuple[Pilot, ...]:
    return tuple(load_population(source).pilots())
