"""Forward-pruning functions: learns behind how many quiet moves of a position to stop, by what is known of it, with the
rewards of RL-FPF (Kocsis 2003, 4.3).

Each epoch searches all positions and adds up, for every decision of the function, which way its weights would have to
go for more pruning and for less. Rewards say how much each counts: whether the best value changed behind the decision,
and in the seed's way the nodes that were spent beside a limit, and how good the chosen moves are by a much deeper
search. What keeps to the limit is tried by games.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from plypilot import _core
from plypilot.audit import AUDIT_SAMPLE, audit
from plypilot.compute import Workers, task_seed
from plypilot.games import Position, game_info
from plypilot.learn.learner import Decision, Metrics, State
from plypilot.learn.measured_positions import Measures, read_positions, sample_positions, take_measures
from plypilot.learn.move_worths import MoveWorths, judging_pilot
from plypilot.learn.rprop import Rprop
from plypilot.learn.trials import Trials, play_trial
from plypilot.networks import find_set
from plypilot.pilot import Pilot, PilotError
from plypilot.play.ratings import Pentanomial
from plypilot.searcher import Limit, Searcher
from plypilot.settings import BOARD_SET, Decides, Part, PruningFunction, Seen

if TYPE_CHECKING:
    from plypilot.learn.folder import Run
    from plypilot.sections import Section

Array = NDArray[np.float64]

_STREAM = int.from_bytes(b"pruning", "little")
_BEYOND = 8.0
"""A search that takes this many times the nodes that it may take on average is given up."""
_PART = 10
"""Positions that are searched as one task."""
_FEW = 60
"""Positions that choose the depth."""
_AIM = 0.95
"""The part of the limit that nodes are to settle at, so that about half of the epochs keep to it."""
_TURN = 4.0
"""By how much the balance of rewards differs at most from what it is there."""
_MOST_SHIFT, _LEVELS = 2.0, 8
"""What was learned in whole trees is shifted by less than twice so much, and so many searches of all positions find by
how much: by halves, so that the last step is 1/64."""
SMALL: tuple[Seen, ...] = ("iteration", "ply", "distance", "changes")
"""Inputs with a unit for each value of a number."""


class Epoch(NamedTuple):
    """What one pass over the positions told, with the weights as they were before it."""

    share: float
    """Nodes beside the limit."""
    worth: float
    """Hundredths of a pawn by which its moves are better on average than those of the pilot as it is."""
    pruned: float
    """The part of all decisions that were to prune."""
    balance: float
    """What the worth of moves counted for beside the nodes."""


class Level(NamedTuple):
    """What was learned in whole trees, at work: how much is pruned follows from what is added to its sums."""

    shift: float
    share: float
    """Nodes beside the limit."""
    worth: float
    """As of an epoch."""
    pruned: float
    """As of an epoch."""

    @property
    def nearness(self) -> float:
        """To the limit: the nearest that keeps to it has the most, then the nearest beyond it."""
        return self.share if self.share <= 1 else -self.share


class Trial(NamedTuple):
    """How the best function played against the best pilot so far."""

    milder: float
    """What was added to its sums."""
    pairs: tuple[int, ...]
    is_better: bool


class ForwardPruning(Part):
    """Learns when to stop trying quiet moves, by reinforcement of a forward-pruning function."""

    decision: ClassVar[Decision] = "pruning"
    lengthened_by: ClassVar[tuple[str, ...]] = ("epochs",)
    usual_checks: ClassVar[Mapping[str, Any]] = {"nodes": 5000, "gain": 30.0, "games": 400, "count": 1}
    """There is nothing to check before the trial."""
    figures: ClassVar[tuple[str, ...]] = ("epoch", "share", "worth", "best_worth", "pruned", "trial_score")

    trees: Literal["whole", "pruned"] = "whole"
    """the trees that it learns in. Whole ones: it is asked and nothing is skipped, so that each decision sees whether
    the best value changes behind it; then all sums are shifted until the nodes are at the limit. Pruned ones with all
    rewards are the seed's (4.3.2): there a decision to prune never sees what it has missed, and so confirms itself"""
    spares_line: bool = True
    """nothing is pruned at the root and on the principal line, as with hand-set pruning: late moves that were pruned
    there too lost all that they had gained in Lines of Action; false is the seed's"""
    inputs: tuple[Seen, ...] = ("distance", "gap", "table")
    """what the function sees of a position; the seed's best are iteration, ply, distance, depth, changes and table
    (4.5.2), but what is known of iterations and plies says nothing of deeper searches"""
    decides: Decides = "skipping"
    """what it decides: whether the quiet moves that are left are skipped, or searched a ply less deep at first; or
    whether passing takes a ply more, in pruned trees and with checkpoints [0] (the end of 4.3.2)"""
    checkpoints: tuple[Annotated[int, Field(ge=0, le=63)], ...] = (1, 2, 3, 4, 5, 10, 20, 30, 40, 50)
    """behind how many quiet moves it is asked"""
    suite: str = ""
    """a file of positions (EPD in chess) to learn from; empty: positions of games that the pilot plays with itself"""
    positions: Annotated[int, Field(ge=4, le=100_000)] = 200
    """how many"""
    nodes: Annotated[int, Field(ge=10)] = 10_000
    """about so many the pilot as it is takes for a position on average: this chooses its depth, and sets the limit"""
    depth: Annotated[int, Field(ge=0, le=32)] = 0
    """to which the pilot as it is searches; 0: by nodes"""
    deeper: Annotated[int, Field(ge=1, le=4)] = 1
    """plies that a search with the function is deeper"""
    budget: Annotated[float, Field(ge=0, le=1)] = 0.5
    """where the limit of nodes lies between those of the pilot as it is (0, as in the seed) and those that it would
    take for so many plies more (1), by ratio: who saves half of a ply plays better than who saves it at any price"""
    reference_nodes: Annotated[int, Field(ge=1)] = 100_000
    """of the search that tells what a move is worth, which is as selective as the baseline"""
    most: Annotated[int, Field(ge=1)] = 300
    """hundredths of a pawn beyond which one score is as good as another"""
    epochs: Annotated[int, Field(ge=1, le=100_000)] = 30
    """passes over all positions; the seed's way takes about 60"""
    board_epochs: Annotated[int, Field(ge=0, le=100_000)] = 0
    """passes before these over other positions, in which nothing is pruned: weights of the board learn whether best
    values will change, and stay (4.5.2); 0: they learn with the others"""
    board_positions: Annotated[int, Field(ge=4, le=100_000)] = 1000
    """how many others; of a suite, those that stand behind the positions to learn from"""
    rule: Rprop = Rprop(first_step=0.02, most_step=0.05)
    """how weights change by the sums of a pass"""
    first_bias: Annotated[float, Field(ge=-10, le=10)] = 0.5
    """in pruned trees: the sum that every decision begins with; above 0 nothing is pruned at first"""
    balance: Annotated[float, Field(gt=0, le=1e6)] = 1.0
    """in pruned trees: what a pawn lost and a best value that changes count for, beside nodes that are beyond the limit
    by as much again and values that do not change; where nodes are at the limit: else it changes by itself, so that
    they settle there"""
    below: Annotated[float, Field(ge=0, le=1)] = 0.1
    """in pruned trees: what nodes below the limit count for beside those beyond it (k1 / k2 of equation 4.12)"""
    local: Annotated[float, Field(ge=0, le=10)] = 0.3
    """in pruned trees: what decisions count for behind which the best value changes, or does not (equation 4.13); 0,
    and where it decides what passing takes: nothing"""
    printed_sign: bool = False
    """in pruned trees: a wrong move counts as in equation 4.10, so that it makes the search prune more"""
    milder: Annotated[tuple[Annotated[float, Field(ge=-10, le=10)], ...], Field(min_length=1)] = (0.0, -0.25, -0.5)
    """the best function is tried with so much added to its sums. Below 0 it stops sooner: in Breakthrough what takes
    half of the limit plays better than what takes all of it. Above 0 it stops later, which may suit what was learned in
    pruned trees: games are searched deeper than positions were"""
    trials: Trials = Trials(games=600, nodes=4000, cost=0.0, gain=30.0)
    """how the best function is tried; without games it is taken where its moves are better"""
    audited: Annotated[int, Field(ge=0, le=1000)] = 20
    """positions in which what was learned is audited in the end, for the report; 0: none"""

    @field_validator("checkpoints")
    @classmethod
    def _rise(cls, checkpoints: tuple[int, ...]) -> tuple[int, ...]:
        if not checkpoints or list(checkpoints) != sorted(set(checkpoints)):
            raise ValueError("expected checkpoints from few to many, each once")
        return checkpoints

    @field_validator("inputs")
    @classmethod
    def _names_each_once(cls, inputs: tuple[Seen, ...]) -> tuple[Seen, ...]:
        if len(set(inputs)) < len(inputs):
            raise ValueError("expected each input once")
        return inputs

    @model_validator(mode="after")
    def _sees_the_board_it_learns(self) -> Self:
        if self.board_epochs and "board" not in self.inputs:
            raise ValueError('board_epochs learn weights of the board: add "board" to inputs, or leave them out')
        return self

    @model_validator(mode="after")
    def _learns_what_it_can(self) -> Self:
        if self.decides == "passing" and (self.trees != "pruned" or self.checkpoints != (0,)):
            raise ValueError('passing is decided before any move: set trees to "pruned" and checkpoints to [0]')
        return self

    # The protocol of learners

    def start(self, pilot: Pilot, seed: int) -> State:
        """Nothing learned yet. Raises PilotError and RecordError."""
        if pilot.pruning.function is not None:
            raise PilotError("the pilot has a pruning function already: start from one without")
        weights = self._first_weights(pilot.game)
        listed = read_positions(self.suite, pilot.game) if self.suite else []
        if self.suite and self.board_epochs and len(listed) <= self.positions:
            raise PilotError(f"{self.suite}: has no positions behind the first {self.positions}, for board_epochs")
        numbers = {
            "seed": seed,
            "positions": listed[: self.positions],
            "board_positions": listed[self.positions :][: self.board_positions] if self.board_epochs else [],
            "board_epochs": 0,
            "measures": [],
            "whole": [],
            "levels": [],
            "epochs": [],
            "best": -1,
            "trials": [],
            "audit": [],
        }
        memory = self.rule.start(weights.shape)
        return State({"weights": weights, "best": weights, **memory}, numbers, pilot)

    def is_done(self, state: State) -> bool:
        """After the last epoch, once the best function has been tried."""
        return (
            self._is_learned(state)
            and self._next_trial(state) is None
            and (not self.audited or bool(state.numbers["audit"]))
        )

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """Makes positions, takes an epoch, or tries the best function by games."""
        began = time.perf_counter()
        if not state.numbers["measures"]:
            after, metrics = self._prepare(state, workers)
        elif int(state.numbers["board_epochs"]) < self.board_epochs:
            after, metrics = self._take_board_epoch(state, workers)
        elif not self._is_learned(state):
            after, metrics = self._learn(state, workers)
        elif self._next_trial(state) is not None:
            after, metrics = self._try(state, workers)
        else:
            after, metrics = self._audit(state, workers)
        return after, metrics | {"seconds": time.perf_counter() - began}

    def pilot(self, state: State) -> Pilot:
        """The pilot with the best function, where it has won; as it was before."""
        assert state.pilot is not None
        if self.trials.games:
            won = [trial.milder for trial in self.tried(state) if trial.is_better]
            return self._milder(state, won[-1]) if won else state.pilot
        best = self.best(state)
        return self._milder(state, 0.0) if best is not None and best.worth > 0 else state.pilot

    def expected_steps(self, _state: State) -> int:
        """Known from the start."""
        trials = len(self.milder) if self.trials.games else 0
        levels = _LEVELS if self.trees == "whole" else 0
        return 1 + self.board_epochs + self.epochs + levels + trials + bool(self.audited)

    # What people see

    def sections(self, run: Run) -> Iterator[Section]:
        """What there is to show of a run."""
        from plypilot.learn.pruning_sections import run_sections

        return run_sections(run, self)

    def told(self, state: State) -> list[Epoch]:
        """The epochs so far."""
        return [Epoch(*told) for told in state.numbers["epochs"]]

    def levels(self, state: State) -> list[Level]:
        """What was learned in whole trees, by how much is pruned."""
        return [Level(*told) for told in state.numbers["levels"]]

    def best(self, state: State) -> Epoch | Level | None:
        """The best function so far: in whole trees the nearest to the limit of nodes, in pruned ones the one with the
        best moves of those that keep to it. None where nothing has pruned, or kept to it.
        """
        best = int(state.numbers["best"])
        if best < 0:
            return None
        return self.levels(state)[best] if self.trees == "whole" else self.told(state)[best]

    def tried(self, state: State) -> list[Trial]:
        """The trials so far."""
        return [Trial(milder, tuple(pairs), is_better) for milder, pairs, is_better in state.numbers["trials"]]

    def steer(self, pilot: Pilot, weights: NDArray[Any], *, acts: bool = True) -> Pilot:
        """The pilot with a function of these weights."""
        function = PruningFunction(
            inputs=self.inputs,
            checkpoints=self.checkpoints,
            weights=weights,
            acts=acts,
            decides=self.decides,
            spares_line=self.spares_line,
        )
        return pilot.model_copy(update={"pruning": pilot.pruning.model_copy(update={"function": function})})

    def rows(self, game: str) -> dict[Seen, slice]:
        """Where the weights of each input stand, behind the first row, which is always on."""
        rows: dict[Seen, slice] = {}
        first = 1
        for name in self.inputs:
            size = _core.Searcher.function_inputs([name], _board_size(game) if name == "board" else 0) - 1
            rows[name] = slice(first, first + size)
            first += size
        return rows

    # Steps

    def _is_learned(self, state: State) -> bool:
        if self.trees == "whole":
            return len(state.numbers["levels"]) >= _LEVELS
        return len(state.numbers["epochs"]) >= self.epochs

    def _learn(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        if self.trees == "pruned":
            return self._take_epoch(state, workers)
        if len(state.numbers["whole"]) < self.epochs:
            return self._take_whole_epoch(state, workers)
        return self._take_level(state, workers)

    def _first_weights(self, game: str) -> NDArray[np.float32]:
        board_size = _board_size(game) if "board" in self.inputs else 0
        weights = np.zeros((_core.Searcher.function_inputs(self.inputs, board_size), len(self.checkpoints)), np.float32)
        if self.trees == "pruned":
            weights[0] = self.first_bias
        return weights

    def _prepare(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        assert state.pilot is not None
        pilot, seed = state.pilot, int(state.numbers["seed"])
        positions = list(state.numbers["positions"])
        positions = positions or sample_positions(pilot, self.positions, task_seed(seed ^ _STREAM, 0), workers)
        measures = take_measures(
            pilot,
            positions,
            depth=self.depth,
            deeper=self.deeper,
            nodes=self.nodes,
            few=min(_FEW, len(positions)),
            workers=workers,
        )
        others = list(state.numbers["board_positions"])
        if self.board_epochs and not others:
            others = sample_positions(pilot, self.board_positions, task_seed(seed ^ _STREAM, 1), workers)
        numbers = {
            **state.numbers,
            "positions": positions,
            "board_positions": others,
            "measures": measures.content(),
        }
        limit = round(measures.limit(len(positions), self.budget), 1)
        return State(state.arrays, numbers, pilot), {
            "positions": len(positions),
            "depth": measures.depth,
            "limit": limit,
        }

    def _take_board_epoch(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """The third and fourth term of equation 4.13 alone, over trees that stay as they are."""
        assert state.pilot is not None
        measures = Measures.read(state.numbers["measures"])
        weights = state.arrays["weights"]
        pilot = self.steer(state.pilot, weights, acts=False)
        told = _search_all(pilot, state.numbers["board_positions"], Limit(depth=measures.depth), workers)
        asked = max(sum(own.asked for own in told), 1)
        total = sum((own.changed + own.unchanged for own in told), _zero) / asked
        memory = {name: state.arrays[name] for name in ("steps", "slopes")}
        weights, memory = self.rule.apply(weights, -total.reshape(weights.shape), memory)
        number = int(state.numbers["board_epochs"]) + 1
        if number == self.board_epochs:
            # The others begin anew, beside a board that is learned.
            own = self.rows(state.pilot.game)["board"]
            board, weights = weights[own], self._first_weights(state.pilot.game)
            weights[own] = board
            memory = self.rule.start(weights.shape)
        after = State(
            {**state.arrays, "weights": weights, **memory}, {**state.numbers, "board_epochs": number}, state.pilot
        )
        return after, {"board_epoch": number, "predicted": sum(own.pruned for own in told) / asked}

    def _take_whole_epoch(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """The third and fourth term of equation 4.13 alone. Both count as often as each other, so that a sum says
        whether a change is more likely than it is on average.
        """
        assert state.pilot is not None
        measures = Measures.read(state.numbers["measures"])
        pilot = self.steer(state.pilot, state.arrays["weights"], acts=False)
        limit = self._search_limit(state, 1.0)
        told = _search_all(pilot, state.numbers["positions"], limit, workers)
        asked = max(sum(own.asked for own in told), 1)
        changed, unchanged = (sum((getattr(own, name) for own in told), _zero) for name in ("changed", "unchanged"))
        past = state.numbers["whole"]
        rarity = past[0][1] if past else self._rarity(changed, unchanged)
        total = ((rarity * changed + unchanged) / asked).reshape(state.arrays["weights"].shape)
        weights, memory = self._change(state, total)
        predicted = round(sum(own.pruned for own in told) / asked, 4)
        if len(past) + 1 == self.epochs:
            weights = self._extend(state.pilot.game, weights)
        numbers = {**state.numbers, "whole": [*past, [predicted, rarity]]}
        after = State({**state.arrays, "weights": weights, **memory}, numbers, state.pilot)
        return after, {"epoch": len(past) + 1, "predicted": predicted, "depth": measures.depth}

    def _take_level(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """What was learned in whole trees at work, pruned by so much that nodes come nearer to the limit."""
        levels = self.levels(state)
        shift, step = 0.0, _MOST_SHIFT
        for level in levels:
            step /= 2
            shift = level.shift + (-step if level.share > 1 else step)
        weights = state.arrays["weights"].copy()
        weights[0] += shift
        told, gains, share = self._measure(state, weights, workers)
        asked = max(sum(own.asked for own in told), 1)
        own = Level(
            shift,
            round(share, 4),
            round(sum(gains) / len(gains), 4),
            round(sum(each.pruned for each in told) / asked, 4),
        )
        is_best = own.pruned > 0 and all(own.nearness > level.nearness for level in levels if level.pruned > 0)
        numbers = {
            **state.numbers,
            "levels": [*state.numbers["levels"], list(own)],
            "best": len(levels) if is_best else state.numbers["best"],
        }
        arrays = {**state.arrays, "best": weights if is_best else state.arrays["best"]}
        metrics: Metrics = {"level": len(levels) + 1, **own._asdict()}
        return State(arrays, numbers, state.pilot), metrics

    def _extend(self, game: str, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """Values of small numbers that did not come up weigh as much as the nearest that did: games search deeper."""
        extended = weights.copy()
        for name, rows in self.rows(game).items():
            if name not in SMALL:
                continue
            for column in extended[rows].T:  # views
                used = np.flatnonzero(column)
                if len(used):
                    places = np.arange(len(column))
                    column[:] = column[used[np.abs(places[:, None] - used).argmin(axis=1)]]
        return extended

    def _search_limit(self, state: State, budget: float) -> Limit:
        """Of a search that is deeper than those of the pilot as it is, and given up where it takes far too long."""
        measures = Measures.read(state.numbers["measures"])
        nodes = measures.limit(len(state.numbers["positions"]), budget)
        return Limit(depth=measures.depth + self.deeper, nodes=round(_BEYOND * nodes) + 1000)

    def _measure(
        self, state: State, weights: NDArray[np.float32], workers: Workers
    ) -> tuple[list[_Told], list[float], float]:
        """What searches with the function tell, how much better their moves are, and their nodes beside the limit."""
        assert state.pilot is not None
        positions, measures = state.numbers["positions"], Measures.read(state.numbers["measures"])
        told = _search_all(self.steer(state.pilot, weights), positions, self._search_limit(state, self.budget), workers)
        worths = MoveWorths(judging_pilot(state.pilot), self.reference_nodes, self.most)
        gains = worths.difference(positions, [own.move for own in told], measures.moves, workers)
        share = sum(own.nodes for own in told) / len(told) / measures.limit(len(positions), self.budget)
        return told, gains, share

    def _rarity(self, changed: Array, unchanged: Array) -> float:
        """How many times as strongly the rare changes must pull, at the input that is always 1."""
        first = slice(len(self.checkpoints))
        return float(-unchanged[first].sum() / changed[first].sum()) if changed.any() else 0.0

    def _change(self, state: State, total: Array) -> tuple[NDArray[np.float32], dict[str, NDArray[np.float32]]]:
        """The weights after a step in a direction; those of a board that was learned beforehand stay."""
        assert state.pilot is not None
        if self.board_epochs:
            total[self.rows(state.pilot.game)["board"]] = 0
        memory = {name: state.arrays[name] for name in ("steps", "slopes")}
        return self.rule.apply(state.arrays["weights"], -total, memory)

    def _take_epoch(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        told, gains, share = self._measure(state, state.arrays["weights"], workers)
        balance = self._balance(state)
        asked = max(sum(own.asked for own in told), 1)
        # r_perf is a loss, which pulls toward not to prune; as printed it is its negative (4.10).
        sign = -1.0 if self.printed_sign else 1.0
        by_moves = sum((sign * max(-gain, 0.0) / 100 * own.keep for gain, own in zip(gains, told, strict=True)), _zero)
        beyond = (share - 1) * (1.0 if share > 1 else self.below)
        by_nodes = beyond * sum((own.prune for own in told), _zero)
        changed, unchanged = (sum((getattr(own, name) for own in told), _zero) for name in ("changed", "unchanged"))
        # Where the balance is 1, both pull as strongly as each other. What passing costs changes no best value.
        local = 0.0 if self.decides == "passing" else self.local
        keeping = by_moves + local * self._rarity(changed, unchanged) * changed
        stopping = by_nodes + local * unchanged
        total = ((balance * keeping + stopping) / asked).reshape(state.arrays["weights"].shape)
        weights, memory = self._change(state, total)

        worth = round(sum(gains) / len(gains), 4)
        pruned = round(sum(own.pruned for own in told) / asked, 4)
        epochs = self.told(state)
        best = int(state.numbers["best"])
        is_best = share <= 1 and pruned > 0 and (best < 0 or worth > epochs[best].worth)
        number = len(epochs)
        numbers = {
            **state.numbers,
            "epochs": [*state.numbers["epochs"], [round(share, 4), worth, pruned, balance]],
            "best": number if is_best else best,
        }
        arrays = {
            "weights": weights,
            "best": state.arrays["weights"] if is_best else state.arrays["best"],
            **memory,
        }
        after = State(arrays, numbers, state.pilot)
        metrics: Metrics = {"epoch": number + 1, "share": share, "worth": worth, "pruned": pruned, "balance": balance}
        if numbers["best"] >= 0:
            metrics["best_worth"] = self.told(after)[numbers["best"]].worth
        return after, metrics

    def _balance(self, state: State) -> float:
        """What keeping on counts for beside stopping: the less, the more nodes the last epoch took."""
        epochs = self.told(state)
        turn = _AIM / max(epochs[-1].share, 1e-9) if epochs else 1.0
        return round(self.balance * min(max(turn, 1 / _TURN), _TURN), 9)

    # Trials

    def _next_trial(self, state: State) -> float | None:
        """By how much milder the best function is tried next; none where all have been tried."""
        if not self.trials.games:
            return None
        return next(iter(self.milder[len(state.numbers["trials"]) :]), None)

    def _milder(self, state: State, milder: float) -> Pilot:
        """The pilot with the best function, whose sums are all so much greater."""
        assert state.pilot is not None
        weights = state.arrays["best"].copy()
        weights[0] += milder
        return self.steer(state.pilot, weights)

    def _try(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        milder = self._next_trial(state)
        assert milder is not None
        number = len(state.numbers["trials"])
        pairs: tuple[int, ...] = (0, 0, 0, 0, 0)
        is_better = False
        if int(state.numbers["best"]) >= 0:
            tried, best = self._milder(state, milder), self.pilot(state)
            pairs, is_better = play_trial(tried, best, self.trials, int(state.numbers["seed"]), number, workers)
        numbers = {**state.numbers, "trials": [*state.numbers["trials"], [milder, list(pairs), is_better]]}
        results = Pentanomial(*pairs)
        return State(state.arrays, numbers, state.pilot), {
            "trial": number + 1,
            "trial_games": results.games,
            "trial_score": round(results.score, 6),
            "is_better": int(is_better),
        }

    # The audit

    def audited_pilot(self, state: State) -> Pilot | None:
        """What is audited in the end: the pilot that was learned, or the best function where none was taken."""
        if not self.audited or int(state.numbers["best"]) < 0:
            return None
        learned = self.pilot(state)
        return learned if learned != state.pilot else self._milder(state, 0.0)

    def _audit(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        pilot = self.audited_pilot(state)
        content: dict[str, Any] = {}
        metrics: Metrics = {}
        if pilot is not None:
            measures = Measures.read(state.numbers["measures"])
            limit, positions = Limit(depth=measures.depth + self.deeper), state.numbers["positions"][: self.audited]
            seed = task_seed(int(state.numbers["seed"]) ^ _STREAM, 200)
            found = audit(pilot, positions, limit, sample=AUDIT_SAMPLE, seed=seed, workers=workers)
            content, metrics = found.content(), {"audited": found.overall().searched, "wrong": found.overall().share}
        return State(state.arrays, {**state.numbers, "audit": [content]}, state.pilot), metrics


_zero = np.zeros(1)
"""Where a sum over arrays begins."""


class _Task(NamedTuple):
    """Some positions that the function is asked in."""

    pilot: Pilot
    positions: tuple[str, ...]
    limit: Limit


class _Told(NamedTuple):
    """What one search tells."""

    nodes: int
    move: str
    keep: Array
    prune: Array
    changed: Array
    unchanged: Array
    asked: int
    pruned: int


def _search_all(pilot: Pilot, positions: Sequence[str], limit: Limit, workers: Workers) -> list[_Told]:
    spans = [tuple(positions[first : first + _PART]) for first in range(0, len(positions), _PART)]
    return [own for part in workers.map(_search, [_Task(pilot, span, limit) for span in spans]) for own in part]


def _board_size(game: str) -> int:
    """How many features the board has. Raises PilotError where a game tells no board."""
    return len(find_set(game_info(game), BOARD_SET).features)


def _search(task: _Task) -> list[_Told]:
    """Runs in a worker."""
    searcher = Searcher(task.pilot)
    told = []
    for text in task.positions:
        searcher.clear()
        found = searcher.search_pruned(Position(task.pilot.game, text), task.limit)
        told.append(_Told(found.result.nodes.all, str(found.result.move), *found[1:]))
    return told
