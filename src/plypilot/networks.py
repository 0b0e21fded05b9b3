"""Networks that a pilot may hold, for its evaluation, its order of moves and its policies, the feature sets that they
see, and the arrays that hold their weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, PlainValidator, model_validator

from plypilot import _core
from plypilot.game_name import base_name
from plypilot.games import FeatureSet, Game, GameInfo, game_info
from plypilot.games import _find as native_game
from plypilot.part import Part
from plypilot.score import MOST_PLIES, MOST_STATIC, WIN_SCORE

_MOST_UNITS = 256
_MOST_OUTPUTS = 1 << 16
_MOST_NUMBER = (1 << 24) - 1


class PilotError(ValueError):
    """A pilot file or a setting that cannot be used; the text names it, what is wrong and what to do."""


def find_set(info: GameInfo, name: str) -> FeatureSet:
    """A feature set of a game by name. Raises PilotError."""
    for each in info.feature_sets:
        if each.name == name:
            return each
    there = ", ".join(each.name for each in info.feature_sets) or "none"
    raise PilotError(f'{info.name} has no feature set "{name}"; there are: {there}')


def find_judging_set(info: GameInfo, name: str) -> FeatureSet:
    """A feature set that judges positions, by name. Raises PilotError."""
    chosen = find_set(info, name)
    if chosen.is_of_path:
        raise PilotError(f'feature set "{name}" depends on the moves before, which an evaluation must not')
    return chosen


def read_array(given: object, axes: int, most: float = WIN_SCORE) -> NDArray[np.float32]:
    """Numbers as a read-only float32 array of its own; one without numbers has the length 0 on every axis."""
    try:
        values = np.asarray(given)
        if values.dtype != np.float32:
            values = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError("expected numbers") from error
    if not values.size:
        values = np.empty((0,) * axes)
    if values.ndim != axes:
        raise ValueError(f"has the shape {values.shape}, expected {axes} {'axis' if axes == 1 else 'axes'}")
    for wrong, expected in (
        (~np.isfinite(values), "a finite number"),
        (np.abs(values) > most, f"at most {most:.0f} either way"),
    ):
        if np.any(wrong):
            at = np.unravel_index(int(np.argmax(wrong)), values.shape)
            place = ", ".join(str(int(index)) for index in at)
            raise ValueError(f"number {place} is {values[at]:g}, expected {expected}")
    array = np.ascontiguousarray(values, np.float32) + np.float32(0)  # no minus zero: equal pilots have equal bytes
    array.flags.writeable = False
    return array


def read_numbers(given: object) -> NDArray[np.float32]:
    """Whole numbers below 2^24 as an array of the one type that files have."""
    array = read_array(given, 1, most=float(_MOST_NUMBER))
    if np.any(array != np.floor(array)) or np.any(array < 0):
        raise ValueError("expected whole numbers from 0 on")
    return array


Vector = Annotated[NDArray[np.float32], PlainValidator(partial(read_array, axes=1))]
Matrix = Annotated[NDArray[np.float32], PlainValidator(partial(read_array, axes=2))]
Numbers = Annotated[NDArray[np.float32], PlainValidator(read_numbers)]
"""Whole numbers, which single precision holds exactly."""


class Network(Part):
    """Inputs x to outputs: function(x * direct + tanh(x * hidden + hidden_bias) * output + output_bias).

    An array is empty where the network has none of it: no hidden layer, no direct links, no bias. The native
    counterpart is core/eval/network.hpp.
    """

    LAYERS: ClassVar = ("hidden", "hidden_bias", "output", "direct", "output_bias")
    """The arrays; in this order, each in C order, the weights are one vector."""

    set: str
    """the feature set of the inputs"""
    function: Literal["tanh", "linear"] = "tanh"
    """of the outputs"""
    hidden: Matrix = np.empty((0, 0), np.float32)
    """weights from inputs to hidden units, shape (features, units)"""
    hidden_bias: Vector = np.empty(0, np.float32)
    """shape (units,)"""
    output: Matrix = np.empty((0, 0), np.float32)
    """weights from hidden units to outputs, shape (units, outputs)"""
    direct: Matrix = np.empty((0, 0), np.float32)
    """weights from inputs to outputs, past the hidden layer, shape (features, outputs)"""
    output_bias: Vector = np.empty(0, np.float32)
    """shape (outputs,)"""

    @property
    def sets(self) -> tuple[str, ...]:
        """Every feature set whose features are inputs."""
        return (self.set,)

    def input_names(self, game: str | type[Game]) -> list[str]:
        """What each input is called: its feature, behind its set where there are several. Raises PilotError."""
        return [
            feature if len(self.sets) == 1 else f"{name}.{feature}"
            for name in self.sets
            for feature in find_set(game_info(game), name).features
        ]

    @property
    def inputs(self) -> int:
        """How many features go in."""
        return len(self.hidden) or len(self.direct)

    @property
    def units(self) -> int:
        """How many the hidden layer has; 0 without one."""
        return int(self.hidden.shape[1])

    @property
    def outputs(self) -> int:
        """How many numbers come out."""
        return int(self.output.shape[1] or self.direct.shape[1])

    @property
    def weight_count(self) -> int:
        """How many weights it has, those of the biases counted."""
        return sum(getattr(self, name).size for name in self.LAYERS)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        inputs, units, outputs = self.inputs, self.units, self.outputs
        if not inputs or not outputs:
            raise ValueError("needs a hidden layer (hidden and output), or direct links")
        if units > _MOST_UNITS or outputs > _MOST_OUTPUTS:
            raise ValueError(
                f"has {units} hidden units and {outputs} outputs, expected at most {_MOST_UNITS} and {_MOST_OUTPUTS}"
            )
        shapes = {
            "hidden_bias": (units,),
            "output": (units, outputs) if units else (0, 0),
            "direct": (inputs, outputs),
            "output_bias": (outputs,),
        }
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array.shape != shape and (array.size or name == "output"):
                raise ValueError(
                    f"{name} has the shape {array.shape}, expected {shape}: there are {inputs} inputs, {units} hidden "
                    f"units and {outputs} outputs"
                )
        return self

    def with_layers(self, layers: Mapping[str, ArrayLike]) -> Self:
        """The network with other arrays in the place of some of its own."""
        return type(self).model_validate(self.model_dump() | dict(layers))

    def describe(self) -> str:
        """Its shape in words."""
        parts = [f"{self.inputs} inputs ({', '.join(self.sets)})"]
        parts += [f"{self.units} hidden unit{'s' * (self.units != 1)}"] if self.units else []
        parts += [f"{self.outputs} {self.function} output{'s' * (self.outputs != 1)}"]
        parts += ["direct links"] if self.direct.size else []
        return ", ".join(parts)


class ValueNetwork(Network):
    """A network that judges positions: one output, which is a value."""

    scale: Annotated[float, Field(gt=0, le=MOST_STATIC)] = 1000.0
    """score units for a value of 1"""
    first_player: bool = False
    """the value is that of the first player whoever is to move, as with inputs that do not turn (Kocsis 2.1.2)"""

    @model_validator(mode="after")
    def _has_one_output(self) -> Self:
        if self.outputs != 1:
            raise ValueError(f"has {self.outputs} outputs, expected one: the value of the position")
        return self


class MoveNetwork(Network):
    """A network that tells how likely each move of a position is the best: the Neural MoveMap (Kocsis ch. 3)."""

    encoding: Literal["meos", "meoc", "mei"] = "meos"
    """meos: an output for each move; meoc: one for each origin and one for each target; mei: moves are inputs too"""
    view: Literal["mover", "fixed"] = "mover"
    """squares of moves as the side to move sees them from its own side, or as the board has them"""
    more_sets: tuple[str, ...] = ()
    """feature sets whose features are inputs behind those of the first set"""
    moves: Numbers = np.empty(0, np.float32)
    """meos: the moves that have an output, as numbers (from * targets + to) * promotions + promotion"""

    @property
    def sets(self) -> tuple[str, ...]:
        """Every feature set whose features are inputs."""
        return (self.set, *self.more_sets)

    def input_names(self, game: str | type[Game]) -> list[str]:
        """What each input is called; those that tell the move (mei) stand behind the features."""
        names = super().input_names(game)
        return names + [f"input {number + 1} of the move" for number in range(self.inputs - len(names))]

    @model_validator(mode="after")
    def _has_moves(self) -> Self:
        if self.encoding == "meos" and len(self.moves) != self.outputs:
            raise ValueError(f"has {self.outputs} outputs for {len(self.moves)} moves, expected one each")
        if self.encoding != "meos" and len(self.moves):
            raise ValueError(f"has a list of moves, which {self.encoding} does not need")
        return self

    def native_encoding(self, game: str | type[Game]) -> _core.MoveEncoding:
        """The encoding that computes."""
        return native_encoding(game, self.encoding, self.view, self.sets, self.moves)


def native_encoding(
    game: str | type[Game], encoding: str, view: str, sets: Sequence[str], moves: ArrayLike = ()
) -> _core.MoveEncoding:
    """The encoding of a game's positions and moves that computes. Raises PilotError."""
    for name in sets:
        find_set(game_info(game), name)
    numbers = np.ascontiguousarray(moves, np.int32)
    return _core.MoveEncoding(native_game(game), encoding=encoding, view=view, sets=list(sets), moves=numbers)


PolicySeen = Literal["bank", "iteration", "value", "last_value", "drop", "spent", "latest", "new_move", "settled"]
"""What a policy sees besides the position (Kocsis 5.3.2): what is left in the bank; the depth of the iteration,
its value, that of the one before, and by how much it fell; what the search and what its last iteration have spent;
whether that found another move, and for how many iterations the move has been the same. Banks and efforts are counted
in increments."""


class Policy(Network):
    """A network that takes a decision which comes up a few times a move (Kocsis ch. 5). In ``timing`` it says how long
    to think: how deep, before a search, or whether to go on, after each iteration. In ``pruning`` it says before a
    search how far passing reduces the depth.
    """

    game: Annotated[str, Field(max_length=200)]
    """the game in whose games it was learned"""
    asked: Literal["before", "after"] = "after"
    """before a search: an output a number, the highest counts; after each iteration: one output, to go on from 0 on"""
    seen: tuple[PolicySeen, ...] = ()
    """the inputs, in their order; the features of the set follow behind them"""
    set: str = ""
    """the feature set of the position that is seen too; empty: none"""
    first: Annotated[int, Field(ge=0, le=MOST_PLIES)] = 1
    """before: the number of the first output, a depth or a reduction; each further one has one more"""
    least_depth: Annotated[int, Field(ge=1, le=MOST_PLIES)] = 2
    """after: it is not asked before this iteration has been completed"""
    most_depth: Annotated[int, Field(ge=0, le=MOST_PLIES)] = 0
    """after: no iteration follows this one; 0: there is no such limit"""
    steepness: Annotated[float, Field(gt=0, le=1)] = 0.05
    """of the map from scores to values: tanh(steepness * score / 2) (5.4)"""
    increment: Annotated[float, Field(ge=0, le=1e12)] = 0.0
    """nodes that a move added to the bank where it was learned, from which depths are counted; 0: from nowhere"""
    growth: Annotated[float, Field(ge=1, le=1000)] = 2.0
    """how many times the nodes of the iteration before an iteration took there"""
    random: Annotated[float, Field(ge=0, le=1)] = 0.0
    """the part of its decisions that are left to chance, while it learns"""
    temperature: Annotated[float, Field(ge=0, le=1000)] = 0.0
    """how far chance decides by the outputs, while it learns; 0: not at all"""

    @property
    def sets(self) -> tuple[str, ...]:
        """The feature set that is seen, if any."""
        return (self.set,) if self.set else ()

    def input_names(self, game: str | type[Game]) -> list[str]:
        """What each input is called."""
        return [*self.seen, *(super().input_names(game) if self.set else ())]

    @property
    def choices(self) -> range:
        """The numbers that it chooses from before a search."""
        return range(self.first, self.first + self.outputs)

    @model_validator(mode="after")
    def _decides(self) -> Self:
        if not (self.seen or self.set) or len(set(self.seen)) < len(self.seen):
            raise ValueError("sees nothing, or something twice")
        if self.asked == "before" and (late := [each for each in self.seen if each != "bank"]):
            raise ValueError(f'is asked before a search, when there is no "{late[0]}" to see yet')
        if self.asked == "after" and self.outputs != 1:
            raise ValueError(f"has {self.outputs} outputs, expected one: whether to go on")
        if not self.set and self.inputs != len(self.seen):
            raise ValueError(f"has {self.inputs} inputs, expected {len(self.seen)}, as many as it sees")
        return self

    def check_game(self, game: str) -> None:
        """Raises ValueError where it was learned in another game, or does not fit the features of this one."""
        if base_name(game) != base_name(self.game):
            raise ValueError(f"policy: was learned in {self.game}, and says nothing of {game}")
        if self.set:
            expected = len(self.seen) + len(find_set(game_info(game), self.set).features)
            if self.inputs != expected:
                raise ValueError(f"policy: has {self.inputs} inputs, but in {game} it sees {expected}")

    def native(self) -> dict[str, Any]:
        """In the form of core/search/settings.hpp."""
        layers = {"function", *self.LAYERS}
        return {**self.model_dump(exclude={"game", *layers}), "network": self.model_dump(include=layers)}
