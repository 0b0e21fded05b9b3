"""The Neural MoveMap: learns which move to try first, from labelled games or from its own play (Kocsis ch. 3).

A network is shown positions in which one move is called the best, and learns to score that move above the others. The
search then tries quiet moves in the order of these scores. Without a pattern set the run plays games with its own pilot
first, and the moves that were played are the best ones.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from plypilot import _core
from plypilot.compute import Workers, task_seed
from plypilot.data.patterns import Patterns, PatternSet, PatternSetError
from plypilot.games import game_info
from plypilot.learn.descent import AdaGrad, AnyOptimiser, Descent
from plypilot.learn.learner import Decision, Metrics, State
from plypilot.learn.move_cases import CaseBlocks, Games, MoveEncoder, legal_codes
from plypilot.learn.move_measures import MoveMeasures, measure, score_moves, tell
from plypilot.learn.order_trials import Trial, Way
from plypilot.learn.own_games import OwnGames, Selection
from plypilot.learn.rprop import Rprop
from plypilot.learn.selfplay_set import LabelledGame, hold_games
from plypilot.learn.trials import Trials, play_trial
from plypilot.networks import native_encoding
from plypilot.pilot import Ordering, Pilot, PilotError
from plypilot.score import WIN_SCORE
from plypilot.settings import Part

if TYPE_CHECKING:
    from plypilot.learn.folder import Run
    from plypilot.sections import Section

Array = NDArray[np.float32]
Arrays = Mapping[str, NDArray[Any]]
Encoding = Literal["meos", "meoc", "mei"]
Function = Literal["tanh", "linear"]
Loss = Literal["square", "sigmoid", "softmax"]
Use = Literal["pure", "straightforward", "weighted"]

_USUAL_INPUTS = "board"
"""The feature set that positions are seen by where none is named."""
_BATCH_PATIENCE, _SMALL_BATCH_PATIENCE = 100, 3
"""Epochs without progress after which a run ends: as Kocsis 3.3 has it for whole batches, and for small ones."""
_FIRST_SIZE = 0.1
"""Of the weights of a hidden layer, which must differ at the start."""
_USUAL_HISTORY = 0.02
"""The weight of history, in deviations of the network's scores: chosen by matches in four games."""
_USUAL_PLIES = 2
"""Where the network is asked, if nothing else is said."""
_USUAL_DECAY = 2.0
"""Of weights that learn shares: chosen on validation sets of chess and Lines of Action."""
_LESS_HISTORY = 3.0
"""By which the usual weight is multiplied where history is tried to count less."""


class MoveMap(Part):
    """Learns a network that orders quiet moves."""

    decision: ClassVar[Decision] = "ordering"
    lengthened_by: ClassVar[tuple[str, ...]] = ("epochs", "patience")
    usual_checks: ClassVar[Mapping[str, Any]] = {"nodes": 4000, "gain": 30.0, "games": 400}
    """A good order of moves tells in deep searches."""
    figures: ClassVar[tuple[str, ...]] = (
        "games",
        "epoch",
        "validation_error",
        "validation_first_3",
        "validation_mean_rank",
        "best_error",
        "trial_score",
    )

    data: str = ""
    """the folder of a pattern set; empty: the pilot plays games of its own first"""
    select: Selection = Selection()
    """which part of the set is learned from"""
    play: OwnGames = OwnGames()
    """how own games are played"""
    positions: Annotated[int, Field(ge=0)] = 0
    """the most of the learning set, a fair sample of it; 0: all"""
    validation_positions: Annotated[int, Field(ge=0)] = 0
    """the most of the validation set; 0: all"""
    encoding: Encoding = "meos"
    """meos: an output for each move; meoc: one for each origin and one for each target; mei: moves are inputs
    (Kocsis 3.2.1)"""
    view: Literal["mover", "fixed"] = "mover"
    """squares of moves as the side to move sees them from its own side, or as the board has them"""
    inputs: tuple[str, ...] = ()
    """the feature sets that positions are seen by; none: the raw board"""
    sharing: bool | None = None
    """moves from one square, and moves to one, share a part of what they learn, for meos by softmax without a hidden
    layer; the search has a network of meos, whose weights are means. None: wherever that can be"""
    hidden: Annotated[int, Field(ge=0, le=256)] = 0
    """units of the hidden layer; 0: none"""
    direct: bool = True
    """links from inputs to outputs, past the hidden layer"""
    optimiser: AnyOptimiser = AdaGrad()
    """how weights follow the gradient: rprop once an epoch, adagrad and adam after each small batch"""
    batch: Annotated[int, Field(ge=1, le=1_000_000)] = 1024
    """cases of a small batch"""
    loss: Loss | None = None
    """square: of the difference to 1 for the best move and 0 for others (Kocsis 3.3); sigmoid: the same where outputs
    are read as a sigmoid from 0 to 1; softmax: cross-entropy over the legal moves; none: square for rprop, softmax for
    others"""
    function: Function | None = None
    """of the outputs; none: tanh for square, linear for softmax"""
    most_weight: Annotated[float, Field(gt=0, le=WIN_SCORE)] = 30.0
    """no weight gets larger"""
    decay: Annotated[float, Field(ge=0, le=1e6)] | None = None
    """how strongly weights are drawn to 0: half of this times the square of each is added to the loss of all cases, so
    that what few cases say counts less; 0: not at all; none: 2 for softmax, 0 for others, as Kocsis has it"""
    patience: Annotated[int, Field(ge=1)] | None = None
    """the run ends after so many epochs without a lower error rate on the validation set; none: 100 for rprop (Kocsis
    3.3), 3 for others"""
    epochs: Annotated[int, Field(ge=1)] = 1000
    """the most of a run"""
    use: Use = "weighted"
    """in the search, of the moves that history would order: by the network alone; its first choice, then by history; or
    by the weighted sum of both (Kocsis 3.2.3)"""
    captures: Literal["first", "learned"] | None = None
    """captures come before all other moves as they did, or the network orders them too, which makes them moves like all
    others for history and pruning; none: what trials find better"""
    plies: Annotated[int, Field(ge=0, le=64)] | None = None
    """the network is asked where so many plies or more are left; none: what trials find better"""
    history_weight: Annotated[float, Field(gt=0, le=1e6)] | None = None
    """weighted: what history is divided by (Kocsis 3.1); none: the usual one, which follows from the spread of the
    network's scores, or what trials find better"""
    trials: Trials = Trials()
    """how captures, plies and history_weight are found where they are not set, when learning is over"""
    history_adaptation: Annotated[float, Field(ge=0, le=1)] = 0.0
    """weighted: how much misses change that weight during the search (Kocsis 3.2); 0: it stays"""

    refinement: Annotated[float, Field(ge=0, le=100)] = 0.0
    """how much a late cut-off changes the network in a search, for that search alone (Kocsis 6.4); 0: not at all"""

    @field_validator("data")
    @classmethod
    def _is_plain(cls, data: str) -> str:
        return data.strip()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not self.hidden and not self.direct:
            raise ValueError("hidden is 0 and direct is off: a network needs hidden units or direct links")
        if self.sharing and not self._can_share:
            raise ValueError("sharing is for meos without a hidden layer, learned by softmax")
        if self.refinement and (self.encoding == "mei" or not self.direct):
            raise ValueError(
                "refinement changes direct links to outputs for moves: take meos or meoc with direct links"
            )
        return self

    @property
    def is_batch(self) -> bool:
        """Whether weights change once an epoch."""
        return isinstance(self.optimiser, Rprop)

    def most_patience(self) -> int:
        """Epochs without progress that end the run."""
        return self.patience or (_BATCH_PATIENCE if self.is_batch else _SMALL_BATCH_PATIENCE)

    # The protocol of learners

    def start(self, pilot: Pilot, seed: int) -> State:
        """The weights of an untrained network, or no games yet. Raises PilotError and PatternSetError."""
        numbers: dict[str, Any] = {
            "seed": seed,
            "games": [],
            "played": 0,
            "moves": [],
            "data": "",
            "epoch": 0,
            "best_epoch": 0,
            "best_error": 1.0,
            "deviation": 1.0,
            "batches": 0,
            "trials": [],
        }
        self.input_sets(pilot.game)
        state = State({}, numbers, pilot)
        if not self.data:
            return state
        patterns = PatternSet.open(self.data)
        if patterns.game != pilot.game:
            raise PatternSetError(f"{self.data}: is a pattern set of {patterns.game}, but the pilot plays {pilot.game}")
        return self._begin_learning(State({}, numbers | {"data": patterns.digest}, pilot), patterns)

    def is_done(self, state: State) -> bool:
        """Once patience is over, or all epochs are, and the best way of use is known."""
        return self._has_learned(state) and self._next_way(state) is None

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """Plays some games, learns from all cases once, or tries a way of use."""
        began = time.perf_counter()
        if self._is_playing(state):
            after, metrics = self._play(state, workers)
        elif not self._has_learned(state):
            after, metrics = self._learn(state, workers)
        else:
            after, metrics = self._try_way(state, workers)
        return after, metrics | {"seconds": time.perf_counter() - began}

    def pilot(self, state: State) -> Pilot:
        """The pilot with the network that did best on the validation set; before any epoch as it was."""
        assert state.pilot is not None
        if not state.numbers["best_epoch"]:
            return state.pilot
        return self._best_way(state).steer(self._with_network(state))

    def _with_network(self, state: State) -> Pilot:
        assert state.pilot is not None
        sets = self.input_sets(state.pilot.game)
        network = {
            "set": sets[0],
            "more_sets": sets[1:],
            "encoding": self.encoding,
            "view": self.view,
            "moves": state.numbers["moves"],
            "function": self._function,
            **self._layers(state),
        }
        ordering = state.pilot.ordering.model_dump() | {
            "network": network,
            "network_use": self.use,
            "history_adaptation": self.history_adaptation,
            "network_refinement": self.refinement,
        }
        return Pilot.model_validate(state.pilot.model_dump() | {"ordering": Ordering.model_validate(ordering)})

    def _layers(self, state: State) -> dict[str, NDArray[Any]]:
        assert state.pilot is not None
        layers = self.shape(state).layers(state.arrays["best"])
        if not self._shares:
            return layers
        moves = np.array(state.numbers["moves"], np.int64)
        origins, targets, promotions = game_info(state.pilot.game).index_sizes
        starts = len(moves) + moves // (targets * promotions)
        ends = len(moves) + origins + moves // promotions % targets
        for name in ("direct", "output_bias"):
            own = layers[name]
            layers[name] = (own[..., : len(moves)] + own[..., starts] + own[..., ends]) / 3
        return layers | {"output": layers["output"][:, : len(moves)]}

    # What people see

    @staticmethod
    def pilot_sections(pilot: Pilot) -> Iterator[Section]:
        """What there is to show of a pilot's move network."""
        from plypilot.learn.movemap_sections import pilot_sections

        return pilot_sections(pilot)

    @staticmethod
    def comparison_sections(one: Pilot, other: Pilot, names: tuple[str, str]) -> Iterator[Section]:
        """What there is to show of two pilots' move networks."""
        from plypilot.learn.movemap_sections import comparison_sections

        return comparison_sections(one, other, names)

    def sections(self, run: Run) -> Iterator[Section]:
        """What there is to show of a run."""
        from plypilot.learn.movemap_sections import run_sections

        return run_sections(run, self)

    # Its network

    @property
    def teaches_shares(self) -> bool:
        """Whether the softmax of scores tells how likely moves are the best; else the scores themselves do."""
        return self._loss == "softmax"

    def chances(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """Scores as the numbers from 0 to 1 that were taught, where they are not shares."""
        return ((1 + scores) / 2).astype(np.float32) if self._loss == "sigmoid" else scores

    @property
    def _learned_encoding(self) -> str:
        return "shared" if self._shares else self.encoding

    @property
    def _shares(self) -> bool:
        return self._can_share if self.sharing is None else self.sharing

    @property
    def _can_share(self) -> bool:
        is_linear = self._loss == "softmax" and self._function == "linear"
        return self.encoding == "meos" and not self.hidden and is_linear

    @property
    def _loss(self) -> Loss:
        return self.loss or ("square" if self.is_batch else "softmax")

    @property
    def _decay(self) -> float:
        usual = _USUAL_DECAY if self._loss == "softmax" else 0.0
        return usual if self.decay is None else self.decay

    @property
    def _function(self) -> Function:
        return self.function or ("linear" if self._loss == "softmax" else "tanh")

    def input_sets(self, game: str) -> tuple[str, ...]:
        """The feature sets of the inputs. Raises PilotError where the game has none of them."""
        if np.prod(game_info(game).index_sizes) == 1:
            raise PilotError(f"{game} has no index() that tells its moves apart, so a network cannot score them")
        there = [feature_set.name for feature_set in game_info(game).feature_sets]
        if not there:
            raise PilotError(f"{game} has neither a raw board nor features, so a network sees nothing of its positions")
        if unknown := [name for name in self.inputs if name not in there]:
            raise PilotError(f'inputs: {game} has no feature set "{unknown[0]}"; there are: {", ".join(there)}')
        return self.inputs or ((_USUAL_INPUTS,) if _USUAL_INPUTS in there else tuple(there))

    def encoder(self, game: str, moves: NDArray[Any]) -> _core.MoveEncoding:
        """How positions and moves are told to the network."""
        return native_encoding(game, self._learned_encoding, self.view, self.input_sets(game), moves)

    def shape(self, state: State) -> NetworkShape:
        """The network of a state."""
        assert state.pilot is not None
        encoder = self.encoder(state.pilot.game, np.array(state.numbers["moves"]))
        return NetworkShape(encoder.inputs, encoder.outputs, self.hidden, self.direct)

    def trainer(self, encoder: MoveEncoder) -> _core.MoveMapTrainer:
        """What passes over cases."""
        return _core.MoveMapTrainer(
            self._learned_encoding,
            encoder.width,
            encoder.inputs,
            encoder.outputs,
            units=self.hidden,
            direct=self.direct,
            function=self._function,
            loss=self._loss,
        )

    # Its games

    def _is_playing(self, state: State) -> bool:
        return not self.data and "weights" not in state.arrays

    def _play(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        assert state.pilot is not None
        played: list[list[str]] = list(state.numbers["games"])
        first, before = int(state.numbers["played"]), len(played)
        end = min(first + self.play.batch, self.play.games)
        played += self.play.play(state.pilot, int(state.numbers["seed"]), range(first, end), workers)
        after = State(state.arrays, {**state.numbers, "games": played, "played": end}, state.pilot)
        metrics: Metrics = {"games": end, "plies": sum(len(game[0].split()) for game in played[before:])}
        if end < self.play.games:
            return after, metrics
        return self._begin_learning(after, _hold(state.pilot.game, tuple(tuple(game) for game in played))), metrics

    def _begin_learning(self, state: State, patterns: Patterns) -> State:
        """Sizes the network by the moves of the learning set."""
        assert state.pilot is not None
        moves: list[int] = []
        if self.encoding == "meos":
            games = self._games(patterns, "learn")
            moves = legal_codes(self.encoder(state.pilot.game, np.empty(0)), games).tolist()
        state = State(state.arrays, {**state.numbers, "moves": moves}, state.pilot)
        for split in ("learn", "validation"):
            if not getattr(self._cases(state), split).positions:
                source = self.data or "the games that were played"
                raise PatternSetError(
                    f"{source}: has no positions in the {split} split that are wanted; take more games"
                )
        weights = self.shape(state).start(int(state.numbers["seed"]))
        rule = {f"rule/{name}": array for name, array in self.optimiser.start(len(weights)).items()}
        return State({"weights": weights, "best": weights, **rule}, state.numbers, state.pilot)

    def patterns(self, state: State) -> Patterns:
        """What a state learns from. Raises PatternSetError where its set has gone or is another one."""
        return _open(self._source(state))

    def _games(self, patterns: Patterns, split: Literal["learn", "validation"]) -> Games:
        most = self.positions if split == "learn" else self.validation_positions
        return Games.join(patterns.blocks(split, where=self.select.where(), positions=most or None))

    def _source(self, state: State) -> _Source:
        assert state.pilot is not None
        games = () if self.data else tuple(tuple(game) for game in state.numbers["games"])
        return _Source(self, state.pilot.game, tuple(state.numbers["moves"]), str(state.numbers["data"]), games)

    def _cases(self, state: State) -> _SplitCases:
        return _cases_of(self._source(state))

    # Its epochs

    def _learn(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        cases = self._cases(state)
        trainer = self.trainer(cases.learn.encoder)
        threads = _thread_count(workers)
        weights, rule = state.arrays["weights"], _within(state.arrays, "rule/")
        epoch, batches = int(state.numbers["epoch"]) + 1, int(state.numbers["batches"])
        if isinstance(self.optimiser, Rprop):
            gradient, found = np.zeros_like(weights), MoveMeasures()
            for block in cases.learn.in_order(range(len(cases.learn)), workers):
                found += MoveMeasures.of(trainer.add_gradient(gradient, weights, block.native, threads=threads))
            gradient += np.float32(self._decay) * weights
            weights, rule = self.optimiser.apply(weights, gradient, rule)
            batches += 1
        else:
            weights, rule, batches, found = self._descend(
                self.optimiser, trainer, weights, rule, batches, cases.learn, epoch, state, workers
            )
        np.clip(weights, -self.most_weight, self.most_weight, out=weights)
        blocks = cases.validation.in_order(range(len(cases.validation)), workers)
        judged = measure(trainer, weights, blocks, threads)
        is_better = judged.error_rate < float(state.numbers["best_error"])
        arrays = {
            "weights": weights,
            "best": weights if is_better else state.arrays["best"],
            **{f"rule/{name}": array for name, array in rule.items()},
        }
        numbers = {**state.numbers, "epoch": epoch, "batches": batches}
        if is_better:
            scored = score_moves(trainer, weights, [cases.validation[0]], threads)
            numbers |= {
                "trials": [],
                "best_epoch": epoch,
                "best_error": judged.error_rate,
                "deviation": float(scored.scores.std(dtype=np.float64)),
            }
        metrics: Metrics = {
            "epoch": epoch,
            "loss": found.loss / found.cases,
            "learn_error": found.error_rate,
            "validation_loss": judged.loss / judged.cases,
            **{f"validation_{name}": value for name, value in tell(judged).items()},
            "best_error": numbers["best_error"],
            "best_epoch": numbers["best_epoch"],
            "positions": found.cases,
        }
        return State(arrays, numbers, state.pilot), metrics

    def _descend(
        self,
        optimiser: Descent,
        trainer: _core.MoveMapTrainer,
        weights: Array,
        rule: Mapping[str, Array],
        batches: int,
        blocks: CaseBlocks,
        epoch: int,
        state: State,
        workers: Workers,
    ) -> tuple[Array, dict[str, Array], int, MoveMeasures]:
        """Blocks in random order, and their cases too."""
        rng = np.random.default_rng(task_seed(int(state.numbers["seed"]), epoch))
        weights, memory, found = weights.copy(), {name: array.copy() for name, array in rule.items()}, MoveMeasures()
        squares, means = optimiser.memory(memory)
        for block in blocks.in_order(rng.permutation(len(blocks)).tolist(), workers):
            order = rng.permutation(len(block)).astype(np.int32)
            told = trainer.learn(
                weights,
                squares,
                means,
                batches,
                block.native,
                order,
                batch=self.batch,
                threads=_thread_count(workers),
                **optimiser.native(),
            )
            batches += -(-len(block) // self.batch)
            found += MoveMeasures.of(told)
            # Slopes of a batch are means over its cases: those of the decay are spread over all batches alike.
            if self._decay:
                optimiser.shrink(weights, memory, self._decay * len(block) / (self.batch * blocks.positions))
        return weights, memory, batches, found

    # Its ways of use

    def _has_learned(self, state: State) -> bool:
        """Whether patience is over, or all epochs are."""
        epoch, best = int(state.numbers["epoch"]), int(state.numbers["best_epoch"])
        return not self._is_playing(state) and (epoch >= self.epochs or epoch - best >= self.most_patience())

    def _usual_way(self, state: State) -> Way:
        assert state.pilot is not None
        captures = state.pilot.ordering.captures if self.captures is None else self.captures == "first"
        # The best weight is the smaller the wider the network's scores are spread (Kocsis 3.4.3).
        usual = float(np.clip(_USUAL_HISTORY / max(float(state.numbers["deviation"]), 1e-6), 1e-4, 1e4))
        return Way(captures, _USUAL_PLIES if self.plies is None else self.plies, self.history_weight or usual)

    def _next_way(self, state: State) -> Way | None:
        """The way of use that is tried next against the best so far: captures by the network too, where they came
        first; asked nearer the leaves; history counting less. None when all that is not set has been tried.
        """
        if not self.trials.games or not state.numbers["best_epoch"]:
            return None
        usual, best = self._usual_way(state), self._best_way(state)
        plies = 1 if self.plies is None else usual.plies
        is_open = self.use == "weighted" and self.history_weight is None
        weight = usual.history_weight * (_LESS_HISTORY if is_open else 1)
        ways = [best._replace(plies=plies), best._replace(history_weight=weight)]
        if usual.captures and self.captures is None:
            ways.insert(0, Way(captures=False, plies=plies, history_weight=weight))
        known = {usual, *(trial.way for trial in self.tried_ways(state))}
        return next((way for way in ways if way not in known), None)

    @staticmethod
    def tried_ways(state: State) -> list[Trial]:
        """What trials have found so far."""
        return [Trial(Way(*way), tuple(pairs), is_better) for way, pairs, is_better in state.numbers["trials"]]

    def _best_way(self, state: State) -> Way:
        better = [trial.way for trial in self.tried_ways(state) if trial.is_better]
        return better[-1] if better else self._usual_way(state)

    def _try_way(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        way = self._next_way(state)
        assert way is not None
        seed, number = int(state.numbers["seed"]), len(state.numbers["trials"])
        network = self._with_network(state)
        one, other = way.steer(network), self._best_way(state).steer(network)
        trial = Trial(way, *play_trial(one, other, self.trials, seed, number, workers))
        told = [list(way), list(trial.pairs), trial.is_better]
        numbers = {**state.numbers, "trials": [*state.numbers["trials"], told]}
        metrics: Metrics = {
            "best_error": state.numbers["best_error"],
            "trial": number + 1,
            "trial_games": trial.results.games,
            "trial_score": round(trial.results.score, 6),
            "captures_first": int(way.captures),
            "network_plies": way.plies,
            "history_weight": way.history_weight,
            "is_better": int(trial.is_better),
        }
        return State(state.arrays, numbers, state.pilot), metrics


@dataclass(frozen=True)
class NetworkShape:
    """A network whose weights are one vector in the order of core/learn/move_map.hpp: those of an output together."""

    inputs: int
    outputs: int
    units: int
    has_direct: bool

    @property
    def _shapes(self) -> dict[str, tuple[int, ...]]:
        return {
            "direct": (self.outputs, self.inputs if self.has_direct else 0),
            "output_bias": (self.outputs,),
            "output": (self.outputs, self.units),
            "hidden": (self.inputs, self.units),
            "hidden_bias": (self.units,),
        }

    def start(self, seed: int) -> Array:
        """Weights of an untrained network: 0, but for those of a hidden layer, which chance decides."""
        rng = np.random.default_rng(seed)
        parts = []
        for name, shape in self._shapes.items():
            size = _FIRST_SIZE if name in ("hidden", "output") else 0.0
            parts.append(rng.uniform(-size, size, int(np.prod(shape))))
        return np.concatenate(parts).astype(np.float32)

    def layers(self, vector: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """The arrays of a Network whose weights these are."""
        sizes = [int(np.prod(shape)) for shape in self._shapes.values()]
        parts = np.split(vector, np.cumsum(sizes)[:-1])
        made = {name: part.reshape(shape) for (name, shape), part in zip(self._shapes.items(), parts, strict=True)}
        return made | {"direct": made["direct"].T, "output": made["output"].T}


@dataclass(frozen=True)
class _Source:
    """All that decides the cases of a run."""

    learner: MoveMap
    game: str
    moves: tuple[int, ...]
    digest: str
    """Of the pattern set; empty where games are the run's own."""
    games: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class _SplitCases:
    learn: CaseBlocks
    validation: CaseBlocks


@lru_cache(maxsize=1)
def _cases_of(source: _Source) -> _SplitCases:
    """Kept from step to step: cases are read and made once, as far as they fit into memory."""
    learner, patterns = source.learner, _open(source)
    encoder = learner.encoder(source.game, np.array(source.moves))
    return _SplitCases(*(CaseBlocks(encoder, learner._games(patterns, split)) for split in ("learn", "validation")))


def _open(source: _Source) -> Patterns:
    folder = source.learner.data
    if not folder:
        return _hold(source.game, source.games)
    opened = PatternSet.open(folder)
    if opened.digest != source.digest:
        raise PatternSetError(f"{folder}: is not the set that this run began with; bring that one back")
    return opened


def _hold(game: str, games: tuple[tuple[str, ...], ...]) -> Patterns:
    return hold_games(game, [LabelledGame(*played) for played in games])


def _thread_count(workers: Workers) -> int:
    """Threads of native passes, which change no result: as many as workers, or as cores where workers are elsewhere."""
    return workers.count if workers.are_threads else min(workers.count, os.cpu_count() or 1)


def _within(arrays: Arrays, prefix: str) -> dict[str, Array]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
