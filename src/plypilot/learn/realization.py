"""Realization probabilities: learns how often moves of each kind are played where they are possible (Tsuruoka et al.
2002), and follows likely ones further than unlikely ones.

The share P of a kind becomes its cost log P / log C of the depth that is left, where a move of the chance C costs one
ply. C, how far costs are from one ply, and what becomes of the difference, is found by trials: ways of use play each
other.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field, field_validator

from plypilot import _core
from plypilot.compute import Workers
from plypilot.data.patterns import PatternSet, PatternSetError
from plypilot.games import _find, game_info
from plypilot.learn.learner import Decision, Metrics, State
from plypilot.learn.move_cases import LabelledGames
from plypilot.learn.own_games import OwnGames, Selection
from plypilot.learn.selfplay_set import LabelledGame, candidates_of
from plypilot.learn.trials import Trials, play_trial
from plypilot.pilot import Pilot, PilotError
from plypilot.play.ratings import Pentanomial
from plypilot.settings import PLY_UNITS, DepthRules, Part, Plies

if TYPE_CHECKING:
    from plypilot.learn.folder import Run
    from plypilot.sections import Section

Confirmation = Literal["full", "stepwise"]
Excess = Literal["every", "late"]

_PRIOR_SHARE = 0.1
"""The chance of a kind of which nothing is known."""
_MOST_KINDS = 4096
"""As many as a pilot takes."""
_MOST_COST = 4.0
_EXTENSION = 0.5
"""The least that a move costs where trials find extensions better than none."""
_LEAST_CONSTANT, _MOST_CONSTANT = 0.001, 0.5
"""Bounds of a constant that is found by counting."""
_CONSTANTS_BY_MEAN = (1.5, 1.0, 2.25)
"""The constants that are tried where none is named, beside the mean share of all kinds. The first was as good as the
second in Lines of Action and better in Breakthrough."""


class Kind(NamedTuple):
    """Moves that have the same features, or a category: how often they were played where they were possible."""

    features: int
    possible: int
    played: int


class Way(NamedTuple):
    """How the search uses what was counted."""

    constant: float
    """A move of this chance costs one ply."""
    excess: Excess
    floor: float
    contrast: float = 1.0
    """How many times as far from one ply costs are as log P / log C."""
    strength: float = 1.0
    """Of late reductions, beside that of the pilot."""
    history: float = 0.0
    """Plies by which history changes late reductions, at most."""

    def tell(self) -> str:
        """In words."""
        use = "shifts late reductions" if self.excess == "late" else "reduces every move"
        contrast = f" with contrast {self.contrast:g}" if self.contrast != 1 else ""
        strength = f", late reductions x {self.strength:g}" if self.strength != 1 else ""
        history = f", history changes late reductions by up to {self.history:g}" if self.history else ""
        extends = f", extends down to {self.floor:g}" if self.floor < 1 else ""
        return f"C = {self.constant:g}{contrast}, {use}{strength}{history}{extends}"


class Trial(NamedTuple):
    """A way of use that was tried against the best until then."""

    way: Way
    pairs: tuple[int, ...]
    """Pairs of games by its points: 0, 1/2, 1, 3/2, 2."""
    is_better: bool

    @property
    def results(self) -> Pentanomial:
        """Its games."""
        return Pentanomial(*self.pairs)


class Realization(Part):
    """Learns what moves of each kind cost of the depth that is left, by how often they are played."""

    decision: ClassVar[Decision] = "depth"
    lengthened_by: ClassVar[tuple[str, ...]] = ()
    usual_checks: ClassVar[Mapping[str, Any]] = {"nodes": 8000, "gain": 30.0, "games": 800}
    """Depth tells in deep searches."""
    figures: ClassVar[tuple[str, ...]] = ("games", "positions", "kinds", "trial", "trial_score", "is_better")

    data: str = ""
    """the folder of a pattern set; empty: the pilot plays games of its own first"""
    select: Selection = Selection()
    """which part of the set is counted"""
    play: OwnGames = OwnGames(games=1500, nodes=1000, side_lines=0)
    """how own games are played"""
    categories: tuple[tuple[str, ...], ...] = ()
    """move categories by their features, of which the likeliest counts; none: each combination of features is a kind of
    its own"""
    groups: tuple[str, ...] = ()
    """the groups of features that tell kinds apart where no category is named; none: all"""
    prior: Annotated[float, Field(gt=0, le=1e6)] = 5.0
    """positions in which a kind was seen before anything was counted, played in a tenth of them"""
    constants: tuple[Annotated[float, Field(gt=0, lt=1)], ...] = ()
    """the chances of a move that costs one ply which are tried, in this order; none: 1.5 times the mean share of all
    kinds, then that share, then 2.25 times it"""
    contrasts: Annotated[tuple[Annotated[float, Field(gt=0, le=16)], ...], Field(min_length=1)] = (2.0, 1.0)
    """how many times as far from one ply costs are as log P / log C; they are tried in this order"""
    strengths: tuple[Annotated[float, Field(gt=0, le=4)], ...] = ()
    """how many times as strong late reductions are beside those of the pilot; they are tried in this order, where the
    excess is late"""
    histories: tuple[Annotated[float, Field(ge=0, le=64)], ...] = (8.0,)
    """plies by which a late move is reduced less that history says always cuts, and more one that never does; they are
    tried in this order, where the excess is late"""
    excess: Excess | None = None
    """late: costs above and below a ply change how much less late moves get; every: what a move costs beyond a ply is
    taken away at first and given back where it does well (realization probability search); none: late where the pilot
    reduces late moves"""
    extension: Plies | None = 1.0
    """the least a move costs; none: what trials find better of 1 and 1/2"""
    confirmation: Confirmation = "full"
    """full: a move that did well gets all depth back; stepwise: half first (enhanced realization probability search)"""
    trials: Trials = Trials(games=400, nodes=15_000, cost=5.0, gain=35.0)
    """how ways of use are tried; without games, the first constant is taken as it is"""

    @field_validator("data")
    @classmethod
    def _is_plain(cls, data: str) -> str:
        return data.strip()

    # The protocol of learners

    def start(self, pilot: Pilot, seed: int) -> State:
        """Nothing counted yet. Raises PilotError and PatternSetError."""
        if not game_info(pilot.game).move_features:
            raise PilotError(f"{pilot.game} names no features of moves, so its moves are all of one kind")
        self.wanted(pilot.game)
        self._named_categories(pilot.game)
        digest = ""
        if self.data:
            patterns = PatternSet.open(self.data)
            if patterns.game != pilot.game:
                raise PatternSetError(
                    f"{self.data}: is a pattern set of {patterns.game}, but the pilot plays {pilot.game}"
                )
            digest = patterns.digest
        numbers = {"seed": seed, "data": digest, "played": 0, "positions": 0, "counts": [], "trials": []}
        return State({}, {**numbers, "is_counted": False}, pilot)

    def is_done(self, state: State) -> bool:
        """Once all is counted and every way has been tried."""
        return bool(state.numbers["is_counted"]) and self._next_way(state) is None

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """Counts a set or some games, or tries a way of use."""
        began = time.perf_counter()
        after, metrics = self._try_way(state, workers) if state.numbers["is_counted"] else self._count(state, workers)
        return after, metrics | {"seconds": time.perf_counter() - began}

    def pilot(self, state: State) -> Pilot:
        """The pilot with the best way of use; as it was where none was found better."""
        assert state.pilot is not None
        if not state.numbers["is_counted"]:
            return state.pilot
        way = self._best_way(state)
        return state.pilot if way is None else self.steer(state, way)

    # What people see

    def sections(self, run: Run) -> Iterator[Section]:
        """What there is to show of a run."""
        from plypilot.learn.realization_sections import run_sections

        return run_sections(run, self)

    # Its counts

    def wanted(self, game: str) -> int:
        """The features that tell kinds apart. Raises PilotError for a group that the game does not have."""
        features = game_info(game).move_features
        there = dict.fromkeys(feature.group for feature in features)
        if unknown := [group for group in self.groups if group not in there]:
            raise PilotError(f'groups: {game} has no group "{unknown[0]}"; there are: {", ".join(there)}')
        groups = self.groups or tuple(there)
        return sum(1 << bit for bit, feature in enumerate(features) if feature.group in groups)

    def _named_categories(self, game: str) -> list[int]:
        names = {name: bit for bit, at in enumerate(game_info(game).move_features) for name in (at.symbol, at.name)}
        if unknown := [name for category in self.categories for name in category if name not in names]:
            raise PilotError(f'categories: {game} has no move feature "{unknown[0]}"')
        return [sum(1 << bit for bit in {names[name] for name in category}) for category in self.categories]

    def _count(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        assert state.pilot is not None
        game, played = state.pilot.game, int(state.numbers["played"])
        blocks: Iterable[LabelledGames]
        if self.data:
            patterns = PatternSet.open(self.data)
            if patterns.digest != state.numbers["data"]:
                raise PatternSetError(f"{self.data}: is not the set that this run began with; bring that one back")
            blocks, is_counted = patterns.blocks("learn", where=self.select.where()), True
        else:
            end = min(played + self.play.batch, self.play.games)
            games = self.play.play(state.pilot, int(state.numbers["seed"]), range(played, end), workers)
            blocks = [candidates_of(game, [LabelledGame(*fields) for fields in games]).block]
            played, is_counted = end, end >= self.play.games
        kinds = {features: (possible, chosen) for features, possible, chosen in state.numbers["counts"]}
        positions = int(state.numbers["positions"])
        for block in blocks:
            positions += int((block.labels != 0).sum())
            for kind in count_kinds(game, block, self.wanted(game), self._named_categories(game)):
                possible, chosen = kinds.get(kind.features, (0, 0))
                kinds[kind.features] = (possible + kind.possible, chosen + kind.played)
        if is_counted and not positions:
            raise PatternSetError(f"{self.data or 'the games that were played'}: has no positions that are wanted")
        numbers = {
            **state.numbers,
            "played": played,
            "positions": positions,
            "counts": [[features, *kinds[features]] for features in sorted(kinds)],
            "is_counted": is_counted,
        }
        return State({}, numbers, state.pilot), {"games": played, "positions": positions, "kinds": len(kinds)}

    def kinds(self, state: State) -> list[Kind]:
        """What was counted, the most specific kinds first: a move belongs to the first that it fits."""
        kinds = [Kind(*map(int, count)) for count in state.numbers["counts"]]
        kinds = sorted(kinds, key=lambda kind: -kind.possible)[:_MOST_KINDS]
        return sorted(kinds, key=lambda kind: (-kind.features.bit_count(), kind.features))

    def share(self, kind: Kind) -> float:
        """How likely a move of this kind is played where there is one."""
        return (kind.played + self.prior * _PRIOR_SHARE) / (kind.possible + self.prior)

    def cost(self, kind: Kind, constant: float, contrast: float = 1.0) -> float:
        """In plies, before any bound of a way of use."""
        plies = 1 + contrast * (math.log(self.share(kind)) / math.log(constant) - 1)
        return round(min(max(plies, 0.0), _MOST_COST) * PLY_UNITS) / PLY_UNITS

    # Its ways of use

    def steer(self, state: State, way: Way) -> Pilot:
        """The pilot that uses what was counted in this way. Moves that the pilot follows further already still are."""
        pilot = state.pilot
        assert pilot is not None
        names = [feature.name for feature in game_info(pilot.game).move_features]
        own = [(frozenset(_canonical(pilot.game, features)), plies) for features, plies in pilot.depth.categories]
        least, categories = way.floor, []
        for kind in self.kinds(state):
            features = tuple(name for bit, name in enumerate(names) if kind.features >> bit & 1)
            cost = self.cost(kind, way.constant, way.contrast)
            kept = min((plies for wanted, plies in own if wanted <= set(features)), default=1.0)
            if kept < 1:
                cost = kept
            elif any(plies < 1 for _, plies in own) and not self.categories:
                cost = max(cost, way.floor)
            least = min(least, kept)
            categories.append((features, cost))
        changes = {
            "categories": categories,
            "rule": "lowest" if self.categories else "first",
            "floor": least,
            "threshold": 1.0,
            "excess": way.excess,
            "confirmation": self.confirmation,
            "late_strength": min(pilot.depth.late_strength * way.strength, _MOST_COST),
            "late_history": way.history or pilot.depth.late_history,
        }
        depth = DepthRules.model_validate(pilot.depth.model_dump() | changes)
        return Pilot.model_validate(pilot.model_dump() | {"depth": depth})

    def _excess(self, pilot: Pilot) -> Excess:
        return self.excess or ("late" if pilot.depth.reduce_late else "every")

    def tried_ways(self, state: State) -> list[Trial]:
        """What trials have found so far."""
        return [Trial(Way(*way), tuple(pairs), is_better) for way, pairs, is_better in state.numbers["trials"]]

    def _best_way(self, state: State) -> Way | None:
        assert state.pilot is not None
        if not self._can_differ(state):
            return None
        if not self.trials.games:
            return self._first_way(state)
        better = [trial.way for trial in self.tried_ways(state) if trial.is_better]
        return better[-1] if better else None

    def best_or_first_way(self, state: State) -> Way:
        """The way that was found best; where none was, the one that is tried first."""
        return self._best_way(state) or self._first_way(state)

    def _can_differ(self, state: State) -> bool:
        return len(state.numbers["counts"]) > 1

    def tried_constants(self, state: State) -> tuple[float, ...]:
        """The chances of a move that costs one ply which are tried."""
        if self.constants:
            return self.constants
        kinds = self.kinds(state)
        mean = sum(kind.played for kind in kinds) / sum(kind.possible for kind in kinds)
        ladder = (min(max(times * mean, _LEAST_CONSTANT), _MOST_CONSTANT) for times in _CONSTANTS_BY_MEAN)
        return tuple(float(f"{constant:.2g}") for constant in ladder)

    def _first_way(self, state: State) -> Way:
        assert state.pilot is not None
        floor = 1.0 if self.extension is None else self.extension
        return Way(self.tried_constants(state)[0], self._excess(state.pilot), floor, self.contrasts[0])

    def _next_way(self, state: State) -> Way | None:
        """The way that is tried next against the best so far: one thing of it is changed at a time. None: all were
        tried.
        """
        if not self.trials.games or not self._can_differ(state):
            return None
        best = first = self._first_way(state)
        changes: list[dict[str, Any]] = [{}]
        changes += [{"contrast": contrast} for contrast in self.contrasts[1:]]
        changes += [{"constant": constant} for constant in self.tried_constants(state)[1:]]
        if first.excess == "late":
            changes += [{"history": history} for history in self.histories]
            changes += [{"strength": strength} for strength in self.strengths]
        if self.extension is None:
            changes += [{"floor": _EXTENSION}]
        trials, is_better = iter(self.tried_ways(state)), False
        for change in changes:
            way = best._replace(**change)
            if "floor" in change and not is_better:
                continue
            trial = next(trials, None)
            if trial is None:
                return way
            if trial.is_better:
                best, is_better = way, True
        return None

    def _try_way(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        way, best = self._next_way(state), self.pilot(state)
        assert way is not None
        seed, number = int(state.numbers["seed"]), len(state.numbers["trials"])
        trial = Trial(way, *play_trial(self.steer(state, way), best, self.trials, seed, number, workers))
        told = [list(way), list(trial.pairs), trial.is_better]
        metrics: Metrics = {
            "trial": number + 1,
            "trial_games": trial.results.games,
            "trial_score": round(trial.results.score, 6),
            "constant": way.constant,
            "contrast": way.contrast,
            "strength": way.strength,
            "history": way.history,
            "least_cost": way.floor,
            "is_better": int(trial.is_better),
        }
        return State({}, {**state.numbers, "trials": [*state.numbers["trials"], told]}, state.pilot), metrics


def count_kinds(game: str, games: LabelledGames, wanted: int, categories: Sequence[int] = ()) -> list[Kind]:
    """How often moves of each kind, or of each category, were possible and played at the labelled plies of games."""
    features, possible, played = _core.count_categories(
        _find(game),
        list(games.starts),
        games.offsets,
        games.moves,
        games.labels,
        wanted=wanted,
        categories=list(categories),
    )
    return [Kind(*map(int, counted)) for counted in zip(features, possible, played, strict=True)]


def _canonical(game: str, features: Iterable[str]) -> Iterator[str]:
    """Names of features for their names or symbols."""
    names = {name: feature.name for feature in game_info(game).move_features for name in (feature.symbol, feature.name)}
    return (names[name] for name in features)
