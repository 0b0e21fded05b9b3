"""Time allocation by SANE (Kocsis 2003, 5.2.3): networks that decide how long to think are bred by how many points they
win.

A generation of networks plays the same games with a bank of nodes, each network as a player of its own. The best of
each generation are judged once more by further games, since the best of many was lucky too, and what comes out of that
is tried as all timing is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from plypilot.compute import Workers, task_seed
from plypilot.learn.learner import Metrics, State
from plypilot.learn.sane import Sane, SaneSettings, SaneState, Share
from plypilot.learn.timed_games import play_points
from plypilot.learn.timing_policies import Array
from plypilot.learn.timing_run import TimingRun
from plypilot.learn.weights import from_vector, to_vector
from plypilot.networks import Policy
from plypilot.pilot import Pilot
from plypilot.sections import Lines

_STREAM = int.from_bytes(b"breeding", "little")


class TimingSane(TimingRun):
    """Learns how long to think by SANE, networks bred by the points that they win in games with a bank of nodes."""

    lengthened_by: ClassVar[tuple[str, ...]] = ()
    figures: ClassVar[tuple[str, ...]] = ("generation", "best", "mean", "judged", "trial_score")

    generations: Annotated[int, Field(ge=1, le=100_000)] = 12
    """of networks"""
    games: Annotated[int, Field(ge=2, multiple_of=2)] = 16
    """of each network in its generation, all networks from the same openings"""
    judging_games: Annotated[int, Field(ge=2, multiple_of=2)] = 60
    """in which the best network of each generation is judged in the end"""
    neurons: Annotated[int, Field(ge=4)] = 120
    """in their population"""
    networks: Annotated[int, Field(ge=4)] = 24
    """in theirs"""
    connections: Annotated[int, Field(ge=2)] = 8
    """of a neuron"""
    elite: Annotated[float, Field(gt=0, le=0.3)] = 0.25
    """the part of the best that breeds and stays"""
    mutation: Share = 0.05
    """chance of each connection of a child to change"""
    units: Annotated[int, Field(ge=1, le=256)] = 6
    """neurons of a network"""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        self._settings(1, 1)
        return self

    def _settings(self, inputs: int, outputs: int) -> SaneSettings:
        return SaneSettings(
            inputs=inputs,
            outputs=outputs,
            units=self.units,
            neurons=self.neurons,
            networks=self.networks,
            connections=self.connections,
            elite=self.elite,
            neuron_mutation=self.mutation,
        )

    def _sane(self, like: Policy) -> Sane:
        return Sane(self._settings(like.inputs, like.outputs))

    def begin(self, state: State) -> tuple[Mapping[str, NDArray[Any]], Mapping[str, Any]]:
        """The first generation."""
        like = self.empty_policy(state)
        bred = self._sane(like).start(task_seed(int(state.numbers["seed"]) ^ _STREAM, 0))
        kept = np.empty((0, like.weight_count))
        return {**_prefixed(bred.arrays()), "kept": kept}, {"generations": [], "judged": []}

    def is_learned(self, state: State) -> bool:
        """Once the best of all generations have been judged."""
        return bool(state.numbers["judged"])

    def learning_steps(self) -> int:
        """One a generation, and one in which the best are judged."""
        return self.generations + 1

    def weights(self, state: State) -> Array:
        """Those of the network that was judged best, or is the last."""
        kept, judged = np.asarray(state.arrays["kept"], np.float64), state.numbers["judged"]
        if not len(kept):
            return np.zeros(self.empty_policy(state).weight_count)
        return np.asarray(kept[int(np.argmax(judged)) if judged else -1])

    def has_links(self) -> bool:
        """Neurons alone."""
        return False

    def learn(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """A generation plays, and the next one is bred; or the best of all generations are judged."""
        if len(state.numbers["generations"]) == self.generations:
            return self._judge(state, workers)
        assert state.pilot is not None
        like, generation = self.empty_policy(state), len(state.numbers["generations"])
        sane = self._sane(like)
        seed = task_seed(int(state.numbers["seed"]) ^ _STREAM, 0)
        bred = SaneState.of(_inside(state.arrays), seed, generation)
        networks = self._policies(sane, like, bred)
        players = [self.with_policy(state.pilot, network) for network in networks]
        points = self._points(state, players, self.games, 1 + generation, workers)
        best = int(np.argmax(points))
        kept = np.concatenate([state.arrays["kept"], to_vector(networks[best])[None]])
        arrays = {**_prefixed(sane.next(bred, points).arrays()), "kept": kept}
        told = [round(float(points.max()), 4), round(float(points.mean()), 4)]
        numbers = {**state.numbers, "generations": [*state.numbers["generations"], told]}
        metrics: Metrics = {"generation": generation + 1, "best": told[0], "mean": told[1]}
        return State(arrays, numbers, state.pilot), metrics

    def _judge(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        assert state.pilot is not None
        like = self.empty_policy(state)
        players = [
            self.with_policy(state.pilot, from_vector(like, vector))
            for vector in np.asarray(state.arrays["kept"], np.float64)
        ]
        points = self._points(state, players, self.judging_games, 1 + self.generations, workers)
        numbers = {**state.numbers, "judged": [round(float(own), 4) for own in points]}
        return State(state.arrays, numbers, state.pilot), {"judged": float(points.max())}

    def _points(self, state: State, players: list[Pilot], games: int, number: int, workers: Workers) -> Array:
        """The part of the points that each player wins in the games of this number."""
        batches = [self.learning_games(state, player, games, number) for player in players]
        return np.array(play_points(batches, range(games), workers)) / games

    @staticmethod
    def _policies(sane: Sane, like: Policy, bred: SaneState) -> list[Policy]:
        found = sane.networks(bred)
        return [
            like.with_layers({"hidden": hidden, "hidden_bias": bias, "output": output})
            for hidden, bias, output in zip(found.hidden, found.hidden_bias, found.output, strict=True)
        ]

    def progress(self, state: State) -> Lines | None:
        """Points by generation."""
        told = np.array(state.numbers["generations"], np.float64)
        if len(told) < 2:
            return None
        x = np.arange(1, len(told) + 1, dtype=np.float64)
        lines = {"best": told[:, 0], "mean": told[:, 1]}
        return Lines(x, lines, "generation", "points a game", "What the networks of a generation won.")


def _prefixed(arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {f"sane/{name}": array for name, array in arrays.items()}


def _inside(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {name.removeprefix("sane/"): array for name, array in arrays.items() if name.startswith("sane/")}
