"""The pilot: all that steers a search of one game, as plain data. Its file, and the two that are hand-set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, ValidationError, ValidationInfo, field_validator

from plypilot import comparison, sealed
from plypilot.assignment import read_assignment, read_value
from plypilot.comparison import Comparison, flatten
from plypilot.game_name import base_name
from plypilot.games import Game, GameInfo, UnknownGame, game_info
from plypilot.move_maps import native_map
from plypilot.networks import Network, PilotError, ValueNetwork, find_judging_set, find_set
from plypilot.part import Array, Part, has_path, put_together, take_apart, walk_arrays
from plypilot.settings import (
    BOARD_SET,
    PLY_UNITS,
    Category,
    DepthRules,
    Evaluation,
    Ordering,
    Pruning,
    Quiescence,
    Root,
    SearchFrame,
    Setting,
    Table,
    Timing,
    Window,
    scaled,
)
from plypilot.tables import html_table
from plypilot.wording import explain

__all__ = [
    "Category",
    "Comparison",
    "DepthRules",
    "Evaluation",
    "Network",
    "Ordering",
    "Pilot",
    "PilotError",
    "Pruning",
    "Quiescence",
    "Root",
    "SearchFrame",
    "Setting",
    "Table",
    "Timing",
    "ValueNetwork",
    "Window",
    "find_pilot",
    "flatten",
    "read_changes",
]

_FORMAT = "pilot"
_VERSION = 2
"""Raised when a file would mean something else; a setting that an older file does not name has its default."""


class Pilot(Part):
    """All that steers a search of one game: evaluation, ordering, depth, pruning, timing, and the frame around them.

    Pilots do not change: ``replace`` gives another one. Equal pilots have equal files and equal digests.

    >>> pilot = Pilot.plain("chess", "material").replace({"pruning.null_reduction": 2})
    >>> pilot.pruning.null_reduction, pilot.evaluation.named("chess")["material"]["queen"]
    (2, 900.0)
    """

    game: Annotated[str, Field(max_length=200)]
    """the game it steers: a name, or module:Class"""
    evaluation: Evaluation = Evaluation()
    ordering: Ordering = Ordering()
    depth: DepthRules = DepthRules()
    pruning: Pruning = Pruning()
    timing: Timing = Timing()
    search: SearchFrame = SearchFrame()

    @field_validator("game")
    @classmethod
    def _is_a_game(cls, game: str) -> str:
        game_info(game)
        return game

    @field_validator("evaluation")
    @classmethod
    def _fits_the_sets(cls, evaluation: Evaluation, info: ValidationInfo) -> Evaluation:
        if "game" in info.data:
            facts = game_info(info.data["game"])
            for name, weights in evaluation.weights.items():
                count = len(find_judging_set(facts, name).features)
                if len(weights) != count:
                    raise ValueError(
                        f'weights of "{name}": {len(weights)} of them, but the set has {count} features in {facts.name}'
                    )
            if network := evaluation.network:
                count = len(find_judging_set(facts, network.set).features)
                if network.inputs != count:
                    raise ValueError(
                        f"network: {network.inputs} inputs, but {network.set} has {count} features in {facts.name}"
                    )
        return evaluation

    @field_validator("ordering")
    @classmethod
    def _fits_the_encoding(cls, ordering: Ordering, info: ValidationInfo) -> Ordering:
        if "game" in info.data and (network := ordering.network) is not None:
            encoding = network.native_encoding(info.data["game"])
            for what in ("inputs", "outputs"):
                given, expected = getattr(network, what), getattr(encoding, what)
                if given != expected:
                    shape = f"{network.encoding} with {', '.join(network.sets)}"
                    raise ValueError(
                        f"network: {given} {what}, but its encoding ({shape}) has {expected} in {info.data['game']}"
                    )
        return ordering

    @field_validator("depth")
    @classmethod
    def _names_features(cls, depth: DepthRules, info: ValidationInfo) -> DepthRules:
        """Symbols become names, in the game's order, so that equal categories are written the same."""
        if "game" not in info.data:
            return depth
        facts = game_info(info.data["game"])
        if depth.mate_threat < 1:
            _need_null_move(facts, "mate_threat", "1")
        names = [feature.name for feature in facts.move_features]
        categories = []
        for category in depth.categories:
            mask = _mask(facts, category.features)
            categories.append(
                Category(tuple(name for bit, name in enumerate(names) if mask >> bit & 1), category.plies)
            )
        return depth.model_copy(update={"categories": tuple(categories)})

    @field_validator("pruning")
    @classmethod
    def _can_pass_and_see(cls, pruning: Pruning, info: ValidationInfo) -> Pruning:
        if "game" not in info.data:
            return pruning
        facts = game_info(info.data["game"])
        if pruning.null_reduction:
            _need_null_move(facts, "null_reduction", "0")
        if pruning.null_policy is not None:
            _need_null_move(facts, "null_policy", "none")
            pruning.null_policy.check_game(info.data["game"])
        if (function := pruning.function) is not None and "board" in function.inputs:
            count = len(find_set(facts, BOARD_SET).features)
            if function.board_size != count:
                raise ValueError(
                    f"function: has weights for {function.board_size} features of the board, which has {count} in "
                    f"{facts.name}"
                )
        return pruning

    @field_validator("timing")
    @classmethod
    def _is_of_the_game(cls, timing: Timing, info: ValidationInfo) -> Timing:
        if "game" in info.data and timing.policy is not None:
            timing.policy.check_game(info.data["game"])
        return timing

    @classmethod
    def plain(cls, game: str | type[Game], evaluation: Literal["zero", "material"] = "zero") -> Self:
        """Knows the rules only: full width, no table, and at the leaves nothing or the count of pieces.

        Material is 100 a piece; in chess 1, 3, 3, 5, 9 pawns; in shogi the values of the baseline.
        """
        info = game_info(game)
        name = game if isinstance(game, str) else info.name
        if evaluation == "zero":
            return cls(game=name)
        if evaluation != "material":
            raise PilotError(f'a plain pilot evaluates by "zero" or by "material", not by "{evaluation}"')
        features = find_set(info, "material").features
        weights: Mapping[str, float] = dict.fromkeys(features, 100.0)
        if info.name == "chess":
            weights = {"pawn": 100, "knight": 300, "bishop": 300, "rook": 500, "queen": 900}
        elif info.name == "shogi":
            from plypilot.baselines import evaluation_weights

            weights = evaluation_weights(info.name)["material"]
        return cls(game=name, evaluation=Evaluation.linear(name, {"material": weights}))

    @classmethod
    def baseline(cls, game: str | type[Game]) -> Self:
        """The reference that learning must beat: hand-set, but for the learned evaluation of Breakthrough."""
        info = game_info(game)
        name = game if isinstance(game, str) else info.name
        ordering = Ordering(
            table_move=True, captures=True, killers=2, history=True, countermove=True, internal_deepening=2
        )
        frame = SearchFrame(
            window=Window(kind="pvs", aspiration=25),
            table=Table(log2_entries=20, probes=4),
            quiescence=Quiescence(
                on=True,
                exchange_filter=True,
                margin=200,
                evasions=True,
                most_plies=_QUIESCENCE_PLIES.get(info.name, 0),
            ),
            early_repetition=True,
        )
        depth = DepthRules(categories=_BASELINE_CATEGORIES.get(info.name, ()), reduce_late=True)
        timing = Timing(rule="simple", moves_to_go=_MOVES_TO_GO.get(info.name, Timing().moves_to_go), hard_share=5)
        if not _is_native(info):
            # No captures, no null move and nothing to judge by: what needs them stays off.
            return cls(
                game=name,
                ordering=ordering.model_copy(update={"captures": False}),
                depth=depth,
                timing=timing,
                search=frame.model_copy(update={"quiescence": Quiescence()}),
            )
        return cls(
            game=name,
            evaluation=reference_evaluation(name),
            ordering=ordering,
            depth=depth,
            pruning=Pruning(
                null_reduction=3, null_adaptive=True, null_if_above=True, futility_margin=100, late_moves=4
            ),
            timing=timing,
            search=frame,
        )

    def settings(self) -> list[Setting]:
        """Every setting that ``replace`` can change, in the order of the parts."""
        return [setting for setting in flatten(self) if setting.key != "game"]

    def _repr_html_(self) -> str:
        """Every setting with its meaning, as a notebook shows it."""
        rows = [[setting.key, str(setting.value), setting.text] for setting in self.settings()]
        return html_table([["setting", "value", "meaning"], *rows], caption=f"{self.game}, digest {self.digest[:16]}")

    def replace(self, changes: Mapping[str, object]) -> Self:
        """Another pilot with some settings changed, by key: ``{"pruning.null_reduction": 3}``. Raises PilotError.

        A value may be text as it is typed on a command line: ``3``, ``true``, ``pvs``, ``[[["check"], 0.5]]``.
        """
        keys = [setting.key for setting in self.settings()]
        changed = self.model_dump()
        for key, value in changes.items():
            if key not in keys:
                raise PilotError(f'no setting "{key}"; {_near(key, keys)}')
            *parents, last = key.split(".")
            part = changed
            for parent in parents:
                part = part[parent]
            part[last] = read_value(value) if isinstance(value, str) else value
        try:
            return type(self).model_validate(changed)
        except ValidationError as error:
            raise PilotError(explain(error)) from error

    def for_game(self, game: str) -> Self:
        """This pilot for another variant of its game, such as breakthrough-6x6. Raises PilotError for another game."""
        if game == self.game:
            return self
        if base_name(game) != base_name(self.game):
            raise PilotError(f"is a pilot of {self.game}, not of {game}")
        game_info(game)
        return self.model_copy(update={"game": game})

    def compare(self, other: Pilot) -> Comparison:
        """What differs from this pilot to another one."""
        return comparison.compare(self, other)

    def native_settings(self, seed: int = 0) -> dict[str, Any]:
        """The settings in the form of core/search/settings.hpp: depths in units, margins in score units."""
        info = game_info(self.game)
        plain = self.model_dump(include={"pruning", "search"})
        plain["ordering"] = self.ordering.model_dump(exclude={"network"})
        plain["ordering"]["network"] = native_map(self.game, self.ordering.network)
        plain["pruning"]["fade_units"] = _units(plain["pruning"].pop("fade"))
        plain["pruning"]["widths"] = list(plain["pruning"]["widths"])
        if (function := self.pruning.function) is not None:
            sets = [feature_set.name for feature_set in info.feature_sets]
            board_set = sets.index(BOARD_SET) if function.board_size else 0
            plain["pruning"]["function"] |= {
                "board_set": board_set,
                "board_size": function.board_size,
                "pawn": round(self.evaluation.pawn),
            }
        plain["pruning"]["null_policy"] = self.pruning.null_policy and self.pruning.null_policy.native()
        self._scale(plain["pruning"], "futility_margin")
        self._scale(plain["search"]["window"], "aspiration")
        self._scale(plain["search"]["quiescence"], "margin")
        self._scale(plain["search"]["root"], "noise")
        return {
            **plain.pop("search"),
            **plain,
            "depth": {
                "categories": [
                    (_mask(info, category.features), _units(category.plies)) for category in self.depth.categories
                ],
                "rule": self.depth.rule,
                "floor_units": _units(self.depth.floor),
                "threshold_units": _units(self.depth.threshold),
                "excess": self.depth.excess,
                "confirmation": self.depth.confirmation,
                "evasion_units": _units(self.depth.evasion),
                "mate_threat_units": _units(self.depth.mate_threat),
                "singular": self.depth.singular,
                "singular_search": self.depth.singular_search,
                "recapture": self.depth.recapture,
                "recapture_rule": self.depth.recapture_rule,
                "reduce_late": self.depth.reduce_late,
                "late_units": _units(self.depth.late_strength),
                "late_history_units": _units(self.depth.late_history),
            },
            "seed": seed,
        }

    def _scale(self, part: dict[str, Any], key: str) -> None:
        part[key] = scaled(part[key], self.evaluation.pawn)

    def native_timing(self) -> dict[str, Any]:
        """The timing in the form of core/search/settings.hpp."""
        return self.timing.native(self.evaluation.pawn)

    def native_evaluation(self, seed: int = 0) -> dict[str, Any]:
        """The evaluation in the form of core/eval/evaluator.hpp, terms as (set, weights) in the game's order."""
        names = [each.name for each in game_info(self.game).feature_sets] if self.evaluation.kind == "linear" else []
        weights, network = self.evaluation.weights, self.evaluation.network
        return {
            "kind": self.evaluation.kind,
            "terms": [(name, weights[name]) for name in names if name in weights],
            "network": None if network is None else _native_network(network),
            "random_size": self.evaluation.random_size,
            "random_from_zero": self.evaluation.random_from_zero,
            "seed": seed,
        }

    @property
    def digest(self) -> str:
        """The SHA-256 that its file carries, as 64 hexadecimal digits; equal for equal pilots."""
        return sealed.digest(_FORMAT, _VERSION, *take_apart(self))

    def encode(self) -> bytes:
        """The content of its file. The same pilot gives the same bytes."""
        return sealed.encode(_FORMAT, _VERSION, *take_apart(self))

    @classmethod
    def decode(cls, content: bytes) -> Self:
        """The pilot of a file's content. Raises PilotError and UnknownGame."""
        try:
            return cls._read(*sealed.decode(content, _FORMAT, _VERSION, older={1: _from_version_1}))
        except sealed.SealedFileError as error:
            raise PilotError(str(error)) from error

    def save(self, path: str | PathLike[str]) -> None:
        """Writes one safetensors file, whole or not at all. The same pilot gives the same bytes."""
        try:
            sealed.write(Path(path), self.encode())
        except sealed.SealedFileError as error:
            raise PilotError(f"{path}: {error}") from error

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """The pilot of a file. Raises PilotError where it is damaged or not understood in full, and UnknownGame.

        A pilot of a game in Python names its module, which is imported as if you had named the game yourself.
        """
        try:
            return cls.decode(sealed.read(Path(path), _FORMAT))
        except UnknownGame as error:
            raise UnknownGame(f"{path}: {error}") from error
        except (PilotError, sealed.SealedFileError) as error:  # the second where it is too large
            raise PilotError(f"{path}: {error}") from error

    @classmethod
    def _read(cls, settings: dict[str, Any], arrays: Mapping[str, Array]) -> Self:
        try:
            made = cls.model_validate(put_together(settings, arrays))
        except ValidationError as error:
            for problem in error.errors():
                if isinstance(cause := problem.get("ctx", {}).get("error"), UnknownGame):
                    raise cause from error
            raise PilotError(explain(error)) from error
        except ValueError as error:
            raise PilotError(str(error)) from error
        paths = {path for path, _ in walk_arrays(made)}
        if unknown := sorted(set(arrays) - paths):
            raise PilotError(f'array "{unknown[0]}": no part of a pilot has it')
        if misplaced := sorted(path for path in paths - set(arrays) if has_path(settings, path)):
            raise PilotError(f'"{misplaced[0]}" is among the settings, but arrays are tensors of the file')
        return made


def _from_version_1(content: sealed.Content) -> sealed.Content:
    """Version 1 had the weights of a set at evaluation/SET and a network at network/ARRAY; its one output had a vector
    of weights, and for a bias a setting.
    """
    settings, arrays = content
    renamed = {}
    for name, array in arrays.items():
        part, _, own_name = name.partition("/")
        if part == "network":
            renamed[f"evaluation/network/{own_name}"] = array.reshape(-1, 1) if own_name == "output" else array
        else:
            renamed[f"{part}/weights/{own_name}"] = array
    evaluation = settings["evaluation"] if isinstance(settings.get("evaluation"), dict) else {}
    network = evaluation.get("network")
    if isinstance(network, dict) and isinstance(bias := network.get("output_bias", 0.0), int | float):
        renamed["evaluation/network/output_bias"] = np.array([bias], np.float32)
        kept = {key: value for key, value in network.items() if key != "output_bias"}
        settings = settings | {"evaluation": evaluation | {"network": kept}}
    return settings, renamed


_QUIESCENCE_PLIES = {"shogi": 8}
"""Where captures would not end: a drop can always be taken back."""
_MOVES_TO_GO = {"breakthrough": 22, "loa": 14}
"""Of games that are shorter than usual; by matches on banks of nodes."""
_BASELINE_CATEGORIES = {
    "chess": (Category(("check",), 0.5), Category(("passed_pawn",), 0.5)),
}


def reference_evaluation(game: str, which: str = "baseline") -> Evaluation:
    """The evaluation of a game's baseline, or another by its name in ``plypilot.baselines``. Raises ValueError."""
    from plypilot.baselines import evaluation_weights, pawn_value

    made = Evaluation.linear(game, evaluation_weights(game, which))
    return made.model_copy(update={"pawn": pawn_value(game, which)})


def find_pilot(source: str, game: str | None = None) -> Pilot:
    """The pilot that a text names: a file, ``baseline:GAME`` or ``plain:GAME``. Raises PilotError and UnknownGame.

    With a game, ``baseline`` and ``plain`` are enough, and a pilot of another variant of the game is made one for it.
    """
    kind, _, own_game = source.partition(":")
    if kind in ("baseline", "plain") and (named := own_game or game) is not None:
        pilot = Pilot.baseline(named) if kind == "baseline" else Pilot.plain(named)
    else:
        try:
            pilot = Pilot.load(source)
        except FileNotFoundError as error:
            raise PilotError(f'no file "{source}"; a pilot is a file, baseline:GAME or plain:GAME') from error
    try:
        return pilot if game is None else pilot.for_game(game)
    except PilotError as error:
        raise PilotError(f"{source} {error}") from error


def read_changes(words: Iterable[str]) -> dict[str, object]:
    """Changes for ``replace`` from words such as ``pruning.null_reduction=3``."""
    try:
        return dict(read_assignment(word, "pruning.null_reduction=3") for word in words)
    except ValueError as error:
        raise PilotError(str(error)) from error


def _near(key: str, keys: Sequence[str]) -> str:
    """What was probably meant: the settings of that part, else those spelled alike; else where all are listed."""
    part = [each for each in keys if each.startswith(key.partition(".")[0] + ".")]
    alike = part or [each for each in keys if key and key in each] or get_close_matches(key, keys)
    return f"there are: {', '.join(alike)}" if alike else "plypilot pilot show lists them all, by part"


def _is_native(info: GameInfo) -> bool:
    return ":" not in info.name


def _need_null_move(info: GameInfo, setting: str, off: str) -> None:
    if not _is_native(info):
        raise ValueError(f"{setting} needs a null move, which games in Python do not have; set it to {off}")


def _mask(info: GameInfo, features: Iterable[str]) -> int:
    """The 64-bit mask of features that are given by name or by symbol."""
    bits = {feature.symbol: bit for bit, feature in enumerate(info.move_features)}
    bits |= {feature.name: bit for bit, feature in enumerate(info.move_features)}
    mask = 0
    for name in features:
        if name not in bits:
            there = ", ".join(f"{each.name} ({each.symbol})" for each in info.move_features) or "none"
            raise PilotError(f'{info.name} has no move feature "{name}"; there are: {there}')
        mask |= 1 << bits[name]
    return mask


def _native_network(network: ValueNetwork) -> dict[str, Any]:
    own = {"set", "scale", "first_player"}
    return {**network.model_dump(include=own), "layers": network.model_dump(exclude=own)}


def _units(plies: float) -> int:
    return round(plies * PLY_UNITS)
