"""TD(lambda): learns an evaluation from games that a pilot plays with itself.

Each search predicts the outcome of the game by the value of its principal position, squashed to the chance of winning;
weights follow the differences between predictions in turn, with gradients taken at the principal positions (Smith 3.5,
5.2). Or predictions are the values of the game's own positions, discounted (Kocsis A.1).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from plypilot import _core
from plypilot.compute import Workers
from plypilot.game_name import is_python_game
from plypilot.games import _find, game_info
from plypilot.learn.learner import Decision, Metrics, State
from plypilot.learn.prediction_decay import PredictionDecay
from plypilot.learn.selfplay import Batch, varied
from plypilot.learn.steps import AnyStepRule, TemporalCoherence
from plypilot.learn.weights import EvaluationWeights, with_sets
from plypilot.pilot import Pilot, PilotError
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Features, Games, Moves
from plypilot.score import LEAST_WIN, PAWN, WIN_SCORE
from plypilot.searcher import Limit
from plypilot.settings import Part

if TYPE_CHECKING:
    from plypilot.learn.folder import Run
    from plypilot.sections import Section

Array = NDArray[np.float64]

_PAWN_BOUNDS = (10.0, 1000.0)
"""Score units that a pawn is taken for, whatever the weights say."""


class TD(Part):
    """Learns the weights of a linear evaluation, or of a network, by TD(lambda) on self-play."""

    decision: ClassVar[Decision] = "evaluation"
    lengthened_by: ClassVar[tuple[str, ...]] = ("games",)

    games: Annotated[int, Field(ge=1)] = 2000
    """how many are played in all"""
    batch: Annotated[int, Field(ge=1, le=4096)] = 16
    """games that are played with frozen weights, on several workers, before their updates are applied in order"""
    depth: Annotated[int, Field(ge=0, le=64)] = 3
    """of the searches, in plies; 0: by nodes"""
    nodes: Annotated[int, Field(ge=0)] = 0
    """of the searches; 0: by depth"""
    moves: Moves = "searched"
    """how they are chosen: by search, by quiescence search alone, or by chance (Smith 5.5)"""
    sets: tuple[str, ...] = ()
    """the feature sets to learn; none: those of the pilot's evaluation; where it has none, those of the baseline or all
    that a game in Python has"""
    first_weight: float | None = None
    """what every weight is at the start, in pawns; none: as the pilot has them"""
    positions: Literal["principal", "game"] = "principal"
    """which positions predict: the ends of principal variations (Smith 3.5.2), or those of the game (Kocsis A.1)"""
    trace_decay: Annotated[float, Field(ge=0, le=1)] = 0.95
    """lambda"""
    prediction_decay: bool = False
    """lambda follows from the predictions (Smith 8.3), from 1 on"""
    discount: Annotated[float, Field(gt=0, le=1)] = 1.0
    """gamma: of later predictions, for values in [-1, 1] (Kocsis A.2)"""
    values: Literal["chance", "symmetric"] = "chance"
    """predictions are chances of winning in [0, 1], or values in [-1, 1]"""
    steepness: Annotated[float, Field(gt=0, le=100)] = 0.5
    """of the squashing: chance = 1 / (1 + exp(-steepness * pawns)) (Smith 7.6)"""
    learn_steepness: bool = False
    """it is one weight more"""
    step_size: AnyStepRule = TemporalCoherence()
    """how far weights go"""
    even: bool | None = None
    """rates are divided by the mean square of what a feature is where it is not 0: one rate suits large and small;
    none: where the evaluation is linear"""
    least_frequency: Annotated[float, Field(gt=0, le=1)] | None = None
    """even rates are also divided by the part of the positions in which a feature is not 0, or by this where that is
    less: weights of rare features are learned as fast as others"""
    shuffle: bool = True
    """equal moves in random order, so that games differ (Smith 5.3.2)"""
    noise: Annotated[int, Field(ge=0, le=WIN_SCORE)] = 0
    """size of the noise on root scores, in hundredths of a pawn"""
    fresh: bool = False
    """tables are emptied before each move: what a search of before left in them hides that a position repeats"""
    opening_plies: Annotated[int, Field(ge=0, le=100)] = 6
    """random moves before the game begins: without them the games of a batch may all be alike"""
    most_plies: Annotated[int, Field(ge=1)] = 400
    """length limit of a game"""
    at_length: Literal["draw", "agreed"] = "agreed"
    """longer games are a draw, or won by who is ahead"""
    counters: bool = True
    """rules that count moves, such as chess's fifty, end games; Smith has none (5.3.4)"""
    average: Annotated[float, Field(ge=0, lt=1)] = 0.2
    """the fraction of final games over which the weights are averaged (Smith 5.3.3); 0: the last weights count"""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not self.depth and not self.nodes:
            raise ValueError("depth and nodes are both 0: name one of them")
        if self.discount < 1 and self.values == "chance":
            raise ValueError('a discount needs values "symmetric": a chance that fades would tend to a loss')
        if self.least_frequency is not None and self.even is False:
            raise ValueError("least_frequency needs even: it is about even rates")
        return self

    def is_done(self, state: State) -> bool:
        """Once all games are played."""
        return int(state.numbers["games"]) >= self.games

    def expected_steps(self, state: State) -> int:  # noqa: ARG002
        """One a batch."""
        return -(-self.games // self.batch)

    def start(self, pilot: Pilot, seed: int) -> State:
        """Weights at the start, in pawns."""
        kept = with_sets(pilot, self.sets or self._usual_sets(pilot))
        weights = EvaluationWeights.of(kept).vector
        if self.first_weight is not None:
            if kept.evaluation.kind == "network":
                raise PilotError("first_weight: the weights of a network must differ at the start")
            weights = np.full_like(weights, self.first_weight)
        if self.even and kept.evaluation.kind == "network":
            raise PilotError("even: the weights of a network do not belong to one feature each; leave it off")
        arrays = {"weights": weights, "steepness": np.array([self.steepness])}
        arrays |= {"mean/sum": np.zeros_like(weights), "mean/count": np.zeros(1)}
        size = len(weights) + int(self.learn_steepness)
        arrays |= {f"step/{name}": array for name, array in self.step_size.start(size).items()}
        if self.is_even(kept):
            arrays |= {"sizes/squares": np.zeros(len(weights)), "sizes/counts": np.zeros(len(weights))}
            arrays |= {"sizes/positions": np.zeros(1)}
        if self.prediction_decay:
            decay = PredictionDecay()
            arrays |= {"decay/sums": decay.sums, "decay/counts": decay.counts}
        return State(arrays, {"seed": seed, "games": 0}, kept)

    @staticmethod
    def _usual_sets(pilot: Pilot) -> tuple[str, ...]:
        """For an evaluation that knows nothing yet: those of the baseline, or the features that a game in Python names.

        A game in Python that names none is judged by its raw board.
        """
        if pilot.evaluation.kind != "zero":
            return ()
        if is_python_game(pilot.game):
            return tuple(feature_set.name for feature_set in game_info(pilot.game).feature_sets[:1])
        return tuple(Pilot.baseline(pilot.game).evaluation.weights)

    def is_even(self, pilot: Pilot) -> bool:
        """Whether rates are even where this pilot learns."""
        return pilot.evaluation.kind == "linear" if self.even is None else self.even

    def pilot(self, state: State) -> Pilot:
        """The pilot with the weights as learned so far, averaged where the run is near its end."""
        count = float(state.arrays["mean/count"][0])
        return self._with(state, state.arrays["mean/sum"] / count if count else state.arrays["weights"])

    def summary(self, state: State) -> dict[str, float]:
        """The weights by name, in pawns; of a network, how large those of each layer are."""
        assert state.pilot is not None
        return EvaluationWeights.of(state.pilot).named(state.arrays["weights"], state.pilot)

    @staticmethod
    def pilot_sections(pilot: Pilot) -> Iterator[Section]:
        """What is shown of any pilot's evaluation."""
        from plypilot.learn.evaluation_sections import pilot_sections

        return pilot_sections(pilot)

    @staticmethod
    def comparison_sections(one: Pilot, other: Pilot, names: tuple[str, str]) -> Iterator[Section]:
        """What is shown of the evaluations of any two pilots."""
        from plypilot.learn.evaluation_sections import comparison_sections

        return comparison_sections(one, other, names)

    @staticmethod
    def sections(run: Run) -> Iterator[Section]:
        """What a report shows of a run."""
        from plypilot.learn.evaluation_sections import learned_sections

        return learned_sections(run)

    def _with(self, state: State, weights: Array) -> Pilot:
        assert state.pilot is not None
        kept = EvaluationWeights.of(state.pilot)
        return kept.put(weights, state.pilot, self._pawn(kept, state, weights))

    @staticmethod
    def _pawn(kept: EvaluationWeights, state: State, weights: Array) -> float:
        """What a pawn is worth by these weights, in score units, so that margins and noise follow their scale.

        That of the feature which is a pawn, where there is one; elsewhere it grows as typical scores do.
        """
        assert state.pilot is not None
        before = state.pilot.evaluation.pawn
        if kept.is_network or not state.numbers["games"]:
            return before
        pawn = kept.place("material", "pawn", state.pilot)
        if pawn is not None:
            return float(np.clip(weights[pawn] * PAWN, *_PAWN_BOUNDS))
        squares = state.arrays.get("sizes/squares")
        if squares is None:
            return before
        sizes = [float(np.sqrt((vector**2 * squares).sum())) for vector in (weights, kept.vector)]
        return float(np.clip(before * sizes[0] / sizes[1], *_PAWN_BOUNDS)) if sizes[1] else before

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """Plays one batch and applies its updates in the order of the games."""
        began = time.perf_counter()
        first = int(state.numbers["games"])
        end = min(first + self.batch, self.games)
        pilot = self._with(state, state.arrays["weights"])
        batch = self._batch(pilot, int(state.numbers["seed"]))
        search_seconds = 0.0

        def timed() -> Iterator[Games]:
            nonlocal search_seconds
            for games in batch.play(range(first, end), workers, range(end, min(end + self.batch, self.games))):
                search_seconds += float(games.seconds.sum())
                yield games

        state, metrics = self._learn(state, pilot, timed())
        seconds = time.perf_counter() - began
        metrics |= {
            "seconds": seconds,
            "outside_search": 1 - search_seconds / max(seconds * min(workers.count, end - first), 1e-9),
        }
        return state, metrics

    def _batch(self, pilot: Pilot, seed: int) -> Batch:
        return Batch(
            varied(pilot, shuffle=self.shuffle, noise=self.noise),
            seed,
            Limit(depth=self.depth or None, nodes=self.nodes or None),
            opening_plies=self.opening_plies,
            adjudication=Adjudication(self.most_plies, self.at_length),
            counters=self.counters,
            fresh=self.fresh,
            moves=self.moves,
            noted=self.positions,
            sets=EvaluationWeights.of(pilot).sets,
        )

    def learn(self, state: State, played: Iterable[Games]) -> tuple[State, Metrics]:
        """Applies the updates of games in their order, whoever played them: as they come, while others are played.

        Of games of others the static scores must be those that the pilot of this state gives.
        """
        return self._learn(state, self._with(state, state.arrays["weights"]), played)

    def _learn(self, state: State, pilot: Pilot, played: Iterable[Games]) -> tuple[State, Metrics]:
        count, plies, nodes = int(state.numbers["games"]), 0, 0
        update = _Update(self, pilot, dict(state.arrays))
        for games in played:
            update.add(games)
            count, plies, nodes = count + len(games), plies + len(games.scores), nodes + int(games.nodes.sum())
        arrays = update.finish()
        if count > (1 - self.average) * self.games:
            arrays["mean/sum"] = arrays["mean/sum"] + arrays["weights"]
            arrays["mean/count"] = arrays["mean/count"] + 1
        elif arrays["mean/count"][0]:  # of a run that was made longer: its end is not the end any more
            arrays |= {"mean/sum": np.zeros_like(arrays["mean/sum"]), "mean/count": np.zeros(1)}
        metrics = update.metrics() | {
            "games": count,
            "plies": plies,
            "nodes": nodes,
        }
        return State(arrays, {**state.numbers, "games": count}, state.pilot), metrics


@dataclass(frozen=True)
class _Judged:
    """What the searches of some games found, one entry a ply."""

    scores: Array
    """For the first side."""
    signs: Array
    """-1 where the second side is to move in the noted position."""
    decided: NDArray[np.bool_]
    """A win is in sight."""
    flat: NDArray[np.bool_]
    """No weight changes the prediction."""


class _Update:
    """Applies games to the weights, one after the other."""

    def __init__(self, learner: TD, pilot: Pilot, arrays: dict[str, Array]) -> None:
        self._learner = learner
        self._game = _find(pilot.game)
        self._pilot = pilot
        self._weights = EvaluationWeights.of(pilot)
        self._evaluation = pilot.native_evaluation()
        self._arrays = arrays
        self._vector = arrays["weights"].copy()
        self._steepness = float(arrays["steepness"][0])
        self._memory = {name.removeprefix("step/"): each for name, each in arrays.items() if name.startswith("step/")}
        self._decay = None
        if learner.prediction_decay:
            self._decay = PredictionDecay(arrays["decay/sums"], arrays["decay/counts"])
        self._trace_decay = self._decay.fit() if self._decay is not None else learner.trace_decay
        self._least = 0.0 if learner.values == "chance" else -1.0
        self._results = [0, 0, 0]
        self._errors: list[float] = []
        self._exact: list[float] = []
        self._moved = 0.0

    def add(self, games: Games) -> None:
        """Games in their order. What does not depend on the games before is worked out for all of them at once."""
        for winner in games.winners:
            self._results[1 if winner is None else 2 * (1 - winner)] += 1
        noted, learner = games.features, self._learner
        if noted is None or not len(games.scores):
            return
        judged = self._judge(games, noted)
        predicted, slopes = self._predict(judged)
        sizes = self._sizes(games, noted) if learner.is_even(self._pilot) else None
        known = noted.exact | noted.ended
        bounds = games.starts.tolist()
        for number, winner in enumerate(games.winners):
            plies = slice(bounds[number], bounds[number + 1])
            count = plies.stop - plies.start
            if not count:
                continue
            if learner.learn_steepness:
                predicted, slopes = self._predict(judged)
            outcome = (self._least + 1) / 2 if winner is None else 1.0 if winner == 0 else self._least
            predictions = np.append(predicted[plies], outcome)
            starts = noted.starts[plies.start : plies.stop + 1]
            features = slice(int(starts[0]), int(starts[-1]))
            changes = _core.td_changes(
                self._game,
                evaluation=self._evaluation,
                predictions=predictions,
                slopes=slopes[plies],
                starts=starts - starts[0],
                indices=noted.indices[features],
                values=noted.values[features],
                trace_decay=self._trace_decay,
                discount=learner.discount,
            )
            if sizes is not None:
                changes /= sizes[number]
            if learner.learn_steepness:
                more = self._steepness_changes(predictions, slopes[plies], judged.scores[plies] / PAWN)
                changes = np.column_stack([changes, more])
            self._move(changes)
            self._errors.append(float(((outcome - predicted[plies]) ** 2).sum()) / count)
            self._exact.append(np.count_nonzero(known[plies]) / count)
            if self._decay is not None:
                self._decay.add(predictions if learner.values == "chance" else (predictions + 1) / 2)

    def _move(self, changes: Array) -> None:
        """The weights, by what a game recommends."""
        move, self._memory = self._learner.step_size.apply(self._memory, changes)
        size = len(self._vector)
        self._vector = self._vector + move[:size]
        if self._learner.learn_steepness:
            self._steepness = max(self._steepness + float(move[size]), 0.01)
        self._moved += float(np.abs(move[:size]).sum())

    def _judge(self, games: Games, noted: Features) -> _Judged:
        signs = np.where(noted.sides, -1.0, 1.0)
        scores: Array = signs * noted.scores
        if self._learner.positions == "principal":
            # The score of a search has the noise of the root in it; that of the position it judged has not.
            scores = np.where(noted.exact, scores, np.where(games.movers, -1.0, 1.0) * games.scores)
        decided = np.abs(scores) >= LEAST_WIN
        return _Judged(scores, signs, decided, (noted.ended == 1) | decided)

    def _predict(self, judged: _Judged) -> tuple[Array, Array]:
        """Predictions for the first side, and their slopes by the values."""
        scores, is_chance = judged.scores, self._learner.values == "chance"
        if self._weights.is_network:
            predictions = np.clip(scores / self._weights.scale, -1, 1)
            slopes = np.ones_like(predictions)
            if not self._weights.first_player:
                slopes = slopes * judged.signs
            if is_chance:
                predictions, slopes = (predictions + 1) / 2, slopes / 2
        else:
            steep = self._steepness * (scores / PAWN)
            predictions = 1 / (1 + np.exp(-np.clip(steep, -500, 500)))
            slopes = self._steepness * predictions * (1 - predictions) * judged.signs
            if not is_chance:
                predictions, slopes = 2 * predictions - 1, 2 * slopes
        predictions = np.where(judged.decided, np.where(scores > 0, 1.0, self._least), predictions)
        return predictions, np.where(judged.flat, 0.0, slopes)

    def _sizes(self, games: Games, noted: Features) -> Array:
        """What even rates are divided by, shape (games, weights): of each feature, over all games so far and this one;
        1 where it never was.
        """
        count, shape = len(self._vector), (len(games), len(self._vector))
        rows = np.repeat(np.arange(len(games)), np.diff(noted.starts[games.starts])) * count + noted.indices
        seen: dict[str, NDArray[Any]] = {
            "squares": np.bincount(rows, np.square(noted.values, dtype=np.float64), minlength=shape[0] * count),
            "counts": np.bincount(rows[noted.values != 0], minlength=shape[0] * count),
            "positions": np.diff(games.starts),
        }
        sums: dict[str, Array] = {}
        for name, each in seen.items():
            before = self._arrays[f"sizes/{name}"]
            sums[name] = np.cumsum(np.vstack([before, each.reshape(len(games), -1)]), axis=0)[1:]
            self._arrays[f"sizes/{name}"] = sums[name][-1].copy()
        squares, counts = sums["squares"], sums["counts"]
        sizes = np.divide(squares, counts, out=np.ones(shape), where=counts > 0)
        if self._learner.least_frequency is not None:
            sizes *= np.maximum(counts / sums["positions"], self._learner.least_frequency)
        return sizes

    def _steepness_changes(self, predictions: Array, slopes: Array, values: Array) -> Array:
        """The same for the steepness: the slope of the squashing by it is that by the value times value / steepness."""
        inner = np.abs(slopes) * values / self._steepness
        trace, changes = 0.0, np.empty(len(inner))
        fade = self._learner.discount * self._trace_decay
        for t, slope in enumerate(inner):
            trace = fade * trace + slope
            discount = self._learner.discount if t + 1 < len(inner) else 1.0  # the outcome is not discounted
            changes[t] = (discount * predictions[t + 1] - predictions[t]) * trace
        return changes

    def finish(self) -> dict[str, Array]:
        """The arrays of the state after the batch."""
        found = dict(self._arrays)
        found["weights"] = self._weights.bounded(self._vector)
        found["steepness"] = np.array([self._steepness])
        found |= {f"step/{name}": array for name, array in self._memory.items()}
        if self._decay is not None:
            found |= {"decay/sums": self._decay.sums, "decay/counts": self._decay.counts}
        return found

    def metrics(self) -> Metrics:
        """What the batch was like."""
        losses, draws, wins = self._results
        return {
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "error": float(np.mean(self._errors)) if self._errors else 0.0,
            "exact": float(np.mean(self._exact)) if self._exact else 1.0,
            "trace_decay": self._trace_decay,
            "steepness": self._steepness,
            "moved": self._moved,
        }
