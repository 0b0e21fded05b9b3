"""Time allocation by the Meta-Actor-Critic algorithm (Kocsis 2003, ch. 5): learns when thinking longer is worth it.

A network decides, before each search how deep it goes or after each iteration whether another one follows. In games
with a bank of nodes it decides with some chance; how the value of the game changes afterwards, by a shallow search of
the same pilot, says which decisions were right. What was learned is tried by games.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from plypilot.compute import Workers, task_seed
from plypilot.game_name import base_name
from plypilot.learn.actor_critic import Actor, AnyActorRule, Direction, game_change, state_values
from plypilot.learn.learner import Metrics, State
from plypilot.learn.steps import Momentum
from plypilot.learn.timed_games import read_sides
from plypilot.learn.timing_policies import Array, simple_weights, with_timing
from plypilot.learn.timing_run import TimingRun
from plypilot.learn.weights import to_vector
from plypilot.networks import Policy
from plypilot.pilot import Pilot
from plypilot.sections import SmallLines

_STREAM = int.from_bytes(b"actor", "little")
_MOST_CHANGE = 30.0
"""What a game recommends for one weight counts up to here."""


class TimingActor(TimingRun):
    """Learns how long to think, by Meta-Actor-Critic on games with a bank of nodes."""

    lengthened_by: ClassVar[tuple[str, ...]] = ("games",)
    figures: ClassVar[tuple[str, ...]] = ("games", "points", "spent", "trial_score")

    games: Annotated[int, Field(ge=2, multiple_of=2)] = 2400
    """that are learned from"""
    batch: Annotated[int, Field(ge=2, le=4096, multiple_of=2)] = 120
    """games that are played with frozen weights before their changes are applied in order"""
    first: Literal["rule", "random"] = "rule"
    """where weights begin: near what the simple rule would decide, by links past the hidden layer; or at random, with
    none"""
    decay: Annotated[float, Field(ge=0, le=1)] | None = None
    """beta, by which a decision's part in later changes of value fades with each move; none: 0.9, in chess 0.95"""
    direction: Direction = "likelihood"
    """where decisions pull: by how likely they were, or plainly as equation 5.3 has it"""
    temperature: Annotated[float, Field(ge=0, le=100)] = 1.0
    """how far decisions are left to chance by what the network says, while it learns"""
    random: Annotated[float, Field(ge=0, le=1)] = 0.0
    """the part of decisions that are left to chance whatever it says"""
    rule: AnyActorRule = Momentum(rate=0.001)
    """how weights follow: after each game, or by RPROP after each batch"""

    def begin(self, state: State) -> tuple[Mapping[str, NDArray[Any]], Mapping[str, Any]]:
        """The first weights."""
        assert state.pilot is not None
        policy, seed = self.empty_policy(state), int(state.numbers["seed"])
        rng = np.random.default_rng(task_seed(seed ^ _STREAM, 0))
        layers: dict[str, Array] = {"hidden": rng.normal(0, 0.3, policy.hidden.shape)}
        if self.first == "random":
            layers["output"] = rng.normal(0, 0.3, policy.output.shape)
        else:
            timing = with_timing(state.pilot, {"rule": "simple"}).timing
            layers["direct"], layers["output_bias"] = simple_weights(policy, timing, state.pilot.evaluation.pawn)
        weights = to_vector(policy.with_layers(layers))
        memory = {f"rule/{name}": array for name, array in self.rule.start(len(weights)).items()}
        return {"weights": weights, **memory}, {"games": 0, "batches": []}

    def is_learned(self, state: State) -> bool:
        """After the last game."""
        return bool(state.numbers["games"] >= self.games)

    def learning_steps(self) -> int:
        """One a batch."""
        return -(-self.games // self.batch)

    def weights(self, state: State) -> Array:
        """Those of now."""
        return np.asarray(state.arrays["weights"], np.float64)

    def has_links(self) -> bool:
        """Those that begin near the simple rule."""
        return self.first == "rule" or not self.units

    def exploring(self, state: State) -> tuple[Pilot, Policy]:
        """The pilot as it plays the games that it learns from, and its policy there."""
        assert state.pilot is not None
        chance = {"random": self.random, "temperature": self.temperature}
        policy = self.policy(state).model_copy(update=chance)
        return self.with_policy(state.pilot, policy), policy

    def learn(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """Plays a batch with frozen weights, and lets them follow."""
        first = int(state.numbers["games"])
        numbers = range(first, min(first + self.batch, self.games))
        pilot, policy = self.exploring(state)
        steepness = self.measures(state).steepness
        decay = self.decay if self.decay is not None else 0.95 if base_name(pilot.game) == "chess" else 0.9
        changes, points, spent, turns, decided = [], 0.0, 0, 0, 0
        for number, chunks in self.learning_games(state, pilot, self.games).play(numbers, workers):
            for side in read_sides(chunks, number, max(policy.outputs, 2)):
                points += (side.result + 1) / 2
                spent += int(side.nodes.sum())
                turns += len(side.nodes)
                if side.decisions is None:
                    continue
                decided += len(side.decisions)
                change = game_change(
                    policy,
                    side.decisions,
                    state_values(side.scores, steepness),
                    side.result,
                    decay=decay,
                    way=self.direction,
                    temperature=self.temperature or 1.0,
                )
                changes.append(np.clip(change, -_MOST_CHANGE, _MOST_CHANGE))
        memory = {name.removeprefix("rule/"): array for name, array in state.arrays.items() if name.startswith("rule/")}
        actor = Actor(self.weights(state), memory).follow(changes, self.rule)
        told = [round(points / len(numbers), 4), round(spent / max(turns, 1) / self.nodes, 4)]
        arrays = {"weights": actor.weights, **{f"rule/{name}": array for name, array in actor.memory.items()}}
        content = {**state.numbers, "games": numbers.stop, "batches": [*state.numbers["batches"], told]}
        return State(arrays, content, state.pilot), {
            "games": numbers.stop,
            "points": told[0],
            "spent": told[1],
            "decisions": decided,
            "moved": float(np.sqrt(np.mean((actor.weights - self.weights(state)) ** 2))),
        }

    def progress(self, state: State) -> SmallLines | None:
        """Points and nodes by batch."""
        told = np.array(state.numbers["batches"], np.float64)
        if len(told) < 2:
            return None
        x = np.minimum(self.batch * np.arange(1, len(told) + 1, dtype=np.float64), self.games)
        lines = {"points a game": told[:, 0], "increments a move": told[:, 1]}
        return SmallLines(
            x,
            lines,
            "games",
            "Points against the opponents while chance had its part in it, and what a move took.",
        )
