"""A population of evaluators of one game: how it is made and chosen (Kocsis, appendix B), and its file.

Four methods make networks (evaluators.py). The best of each meet in a first tournament; the two pure TD methods make
more, which meet the best of their first in a second one, and its best are the population. All follows from the plan and
a seed. In a folder each method is a run and each tournament has its journal, so that what was ended goes on there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter, ValidationError, model_validator
from pydantic.dataclasses import dataclass as checked_dataclass

from plypilot import sealed
from plypilot.compute import Workers, task_seed, workers_for
from plypilot.games import game_info
from plypilot.learn.checks import NO_CHECKS
from plypilot.learn.evaluators import (
    SAVED,
    Circle,
    Evolution,
    Play,
    SelfPlay,
    first_pilot,
)
from plypilot.learn.folder import RunError
from plypilot.learn.learner import Learner, expected_steps, take_steps
from plypilot.learn.runner import train
from plypilot.learn.sane import SaneSettings
from plypilot.learn.weights import from_vector, network_of, to_vector, with_network
from plypilot.networks import find_set
from plypilot.pilot import Pilot, PilotError
from plypilot.play.tournament import TournamentResult
from plypilot.settings import Part
from plypilot.wording import explain

Array = NDArray[np.float64]

_FORMAT = "population"
_VERSION = 1
_MOST_MEMBERS = 1000
METHODS = ("sane", "std1", "mtd1", "sane-td")
"""Of the first tournament, in the order of table B.1."""
AGAIN = ("std1", "mtd1", "std2", "mtd2")
"""Of the second tournament, in the order of table B.2."""


class PopulationError(ValueError):
    """A population file that cannot be used; the text says why."""


class Plan(Part):
    """All that a population depends on, but for the seed. The defaults are the sizes of Kocsis, where he names them."""

    game: str = "loa"
    set: str = "squares"
    """the feature set of the inputs; those of loa are 65 (Kocsis 2.1.2)"""
    units: Annotated[int, Field(ge=1, le=256)] = 40
    """of the hidden layer"""
    play: Play = Play()
    neurons: Annotated[int, Field(ge=4)] = 400
    """of SANE; not named by Kocsis"""
    networks: Annotated[int, Field(ge=4)] = 100
    """of a generation of SANE; not named by Kocsis"""
    generations: Annotated[int, Field(ge=1)] = 50
    fitness_rounds: Annotated[int, Field(ge=1)] = 15
    td_players: Annotated[int, Field(ge=1)] = 3
    """in the tournaments of SANE-TD"""
    std_games: Annotated[int, Field(ge=1)] = 10_000
    save_every: Annotated[int, Field(ge=1)] = 100
    mtd_players: Annotated[int, Field(ge=2)] = 10
    mtd_saves: Annotated[int, Field(ge=1)] = 10
    """how often the networks of all players of MTD are kept"""
    mtd_cycles: Annotated[int, Field(ge=1)] = 22
    """round robins of MTD between; 22 of 45 games make about the 10,000 of STD in ten saves"""
    rate: Annotated[float, Field(gt=0)] = 0.003
    """step size of TD; not named by Kocsis"""
    choose_rounds: Annotated[int, Field(ge=1)] = 20
    """of the tournament that chooses the best networks of a TD method"""
    chosen: Annotated[int, Field(ge=2)] = 50
    """how many of each method play the first tournament"""
    rounds: Annotated[int, Field(ge=1)] = 50
    """of the first tournament, and of the second, where Kocsis does not name them"""
    again: Annotated[int, Field(ge=1)] = 30
    """how many old and as many new ones of each TD method play the second tournament"""
    members: Annotated[int, Field(ge=1, le=_MOST_MEMBERS)] = 100
    """how many of these are the population"""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        inputs = len(find_set(game_info(self.game), self.set).features)
        made = {
            "generations": self.generations,
            "std_games / save_every": self.std_games // self.save_every,
            "mtd_players * mtd_saves": self.mtd_players * self.mtd_saves,
            "generations * td_players": self.generations * self.td_players,
        }
        for name, count in made.items():
            if count < self.chosen:
                raise ValueError(f"{name} is {count}, but {self.chosen} are to be chosen of them")
        if self.again > self.chosen or self.members > 4 * self.again:
            raise ValueError(
                f"again is {self.again}: expected at most chosen ({self.chosen}), "
                f"and at least a quarter of members ({self.members})"
            )
        self._learners(inputs)
        return self

    def _learners(self, inputs: int) -> dict[str, Learner]:
        sane = SaneSettings(inputs=inputs, units=self.units, neurons=self.neurons, networks=self.networks)
        evolution = Evolution(
            play=self.play, sane=sane, generations=self.generations, rounds=self.fitness_rounds, rate=self.rate
        )
        alone = SelfPlay(play=self.play, games=self.std_games, save_every=self.save_every, rate=self.rate)
        circle = Circle(
            play=self.play,
            players=self.mtd_players,
            saves=self.mtd_saves,
            cycles=self.mtd_cycles,
            rate=self.rate,
        )
        with_td = evolution.model_copy(update={"td_players": self.td_players})
        return {"sane": evolution, "std1": alone, "mtd1": circle, "sane-td": with_td, "std2": alone, "mtd2": circle}

    def learners(self) -> dict[str, Learner]:
        """The learner of each method by its name."""
        return self._learners(len(find_set(game_info(self.game), self.set).features))


SCALES = {
    "tiny": Plan(
        play=Play(most_plies=60),
        units=8,
        neurons=40,
        networks=10,
        generations=4,
        fitness_rounds=3,
        std_games=40,
        save_every=10,
        mtd_players=4,
        mtd_saves=2,
        mtd_cycles=2,
        choose_rounds=3,
        chosen=4,
        rounds=4,
        again=3,
        members=10,
    ),
    "quick": Plan(
        networks=40,
        neurons=240,
        generations=20,
        std_games=4000,
        mtd_cycles=10,
        choose_rounds=15,
        chosen=20,
        rounds=30,
        again=12,
        members=40,
    ),
    "full": Plan(),
}
"""Plans by the words of the command line: tests, a few minutes, and the sizes of Kocsis."""


def make_plan(scale: str, game: str = "loa", *, features: str | None = None, depth: int | None = None) -> Plan:
    """The plan of a scale for a game, whose inputs are a feature set. Raises PopulationError."""
    if scale not in SCALES:
        raise PopulationError(f'scale "{scale}", expected {", ".join(SCALES)}')
    content = SCALES[scale].model_dump()
    content |= {"game": game} | ({"set": features} if features else {})
    content["play"] |= {"depth": depth} if depth else {}
    try:
        return Plan.model_validate(content)
    except ValidationError as error:
        raise PopulationError(explain(error)) from error


@checked_dataclass(frozen=True)
class Member:
    """One evaluator of a population."""

    name: str
    """Its method, and its number among the networks that this kept."""
    method: str
    score: Annotated[float, Field(allow_inf_nan=False)]
    """Points in the second tournament."""
    games: Annotated[float, Field(ge=0, allow_inf_nan=False)]


@checked_dataclass(frozen=True)
class MethodResult:
    """A line of table B.1 or B.2."""

    method: str
    players: int
    result: Annotated[float, Field(allow_inf_nan=False)]
    """The share of all points of the tournament that players of this method have."""
    deviation: Annotated[float, Field(allow_inf_nan=False)]
    """Standard deviation of the same within the method: what the result would be if all played like one of them."""
    score_rate: Annotated[float, Field(allow_inf_nan=False)]
    """Points a game."""
    final: int | None = None
    """How many are in the population, after the second tournament."""


@dataclass(frozen=True)
class Population:
    """Evaluators of one game, the best first."""

    pilot: Pilot
    """The search that they share, with the network of the best."""
    depth: int
    """To which they searched when they learned and were chosen."""
    members: tuple[Member, ...]
    vectors: NDArray[np.float32]
    """(members, weights) in the order of ``weights.to_vector``."""
    tables: tuple[tuple[MethodResult, ...], tuple[MethodResult, ...]]
    """The first tournament and the second, as tables B.1 and B.2."""
    made: Mapping[str, Any]
    """The plan, the seed and the command that make it again."""

    def __len__(self) -> int:
        return len(self.members)

    def pilots(self) -> Iterator[Pilot]:
        """The evaluators as pilots, the best first."""
        like = network_of(self.pilot)
        for vector in self.vectors:
            yield with_network(self.pilot, from_vector(like, vector.astype(np.float64)))

    def encode(self) -> bytes:
        """The content of its file. The same population gives the same bytes."""
        settings = {
            "depth": self.depth,
            "members": [vars(each) for each in self.members],
            "tables": [[vars(row) for row in table] for table in self.tables],
            "made": dict(self.made),
        }
        held = np.frombuffer(self.pilot.encode(), dtype=np.uint8)
        return sealed.encode(_FORMAT, _VERSION, settings, {"networks": self.vectors, "pilot": held})

    def save(self, path: str | PathLike[str]) -> None:
        """Writes one sealed file, whole or not at all."""
        sealed.write(Path(path), self.encode())

    @classmethod
    def decode(cls, content: bytes) -> Self:
        """The population of a file's content. Raises PopulationError."""
        try:
            settings, arrays = sealed.decode(content, _FORMAT, _VERSION, types=("F32", "U8"))
            if set(arrays) != {"networks", "pilot"}:
                raise PopulationError(f"has the arrays {', '.join(sorted(arrays))}, expected networks and pilot")
            pilot = Pilot.decode(arrays["pilot"].tobytes())
            vectors = arrays["networks"]
            read = _FILE.validate_python(settings)
        except ValidationError as error:
            raise PopulationError(explain(error)) from error
        except (sealed.SealedFileError, PilotError) as error:
            raise PopulationError(str(error)) from error
        expected = (len(read.members), len(to_vector(network_of(pilot))))
        if vectors.dtype != np.float32 or vectors.shape != expected:
            raise PopulationError(f"networks: {vectors.dtype} of shape {vectors.shape}, expected float32 of {expected}")
        return cls(pilot, read.depth, read.members, vectors, read.tables, read.made)


@checked_dataclass(frozen=True)
class _Settings:
    """The settings of a file."""

    depth: Annotated[int, Field(ge=1)]
    members: Annotated[tuple[Member, ...], Field(min_length=1, max_length=_MOST_MEMBERS)]
    tables: tuple[tuple[MethodResult, ...], tuple[MethodResult, ...]]
    made: dict[str, Any]


_FILE = TypeAdapter(_Settings)


def load_population(source: str | PathLike[str]) -> Population:
    """The population of a file, or the one that comes with plypilot for a game named so. Raises PopulationError."""
    shipped = Path(__file__).parent.parent / "populations" / f"{source}.population"
    path = shipped if isinstance(source, str) and source.isidentifier() and shipped.is_file() else Path(source)
    if not path.exists():
        raise PopulationError(f"{source}: no such file, and no population of a game of that name comes with plypilot")
    try:
        return Population.decode(sealed.read(path, _FORMAT))
    except (PopulationError, sealed.SealedFileError) as error:
        raise PopulationError(f"{path}: {error}") from error


@dataclass(frozen=True)
class _Entrants:
    """Networks of one method on their way to a tournament."""

    names: list[str]
    vectors: Array

    def take(self, places: Sequence[int]) -> _Entrants:
        return _Entrants([self.names[i] for i in places], self.vectors[list(places)])

    @classmethod
    def joined(cls, parts: Sequence[_Entrants]) -> _Entrants:
        return cls([name for part in parts for name in part.names], np.concatenate([part.vectors for part in parts]))


Tell = Callable[[str, int, int], object]
"""Hears of each step: the method or tournament, the steps done and those to do."""


def make_population(
    plan: Plan,
    seed: int = 0,
    *,
    workers: int | Workers = 1,
    folder: str | PathLike[str] | None = None,
    resume: bool = False,
    on_step: Tell | None = None,
    command: str = "",
) -> Population:
    """Makes evaluators by the four methods and chooses a population of them.

    The result depends on plan and seed alone. In a ``folder`` all is kept, and what was killed goes on there with
    ``resume``. Raises RunError where the folder holds another population.
    """
    path = None if folder is None else Path(folder)
    if path is not None and path.exists() and any(path.iterdir()) and not resume:
        raise RunError(f"{path}: is not empty; resume what is there, or name another folder")
    with workers_for(plan.game, workers) as pool:
        return _Making(plan, seed, pool, path, on_step or (lambda *_: None)).run(command)


class _Making:
    """One population in the making."""

    def __init__(self, plan: Plan, seed: int, workers: Workers, folder: Path | None, tell: Tell) -> None:
        self._plan, self._seed, self._workers, self._folder, self._tell = plan, seed, workers, folder, tell
        self._learners = plan.learners()

    def run(self, command: str) -> Population:
        # 1. Four methods; of the TD methods the best are chosen.
        made = {name: self._chosen(name, self._plan.chosen) for name in METHODS}

        # 2. The first tournament compares the methods.
        first = self._tournament("first", _Entrants.joined(list(made.values())), self._plan.rounds)
        first_table = tabulate(first, METHODS)

        # 3. The best of the pure TD methods meet as many new ones.
        again = [made[name].take(_best(first, made[name].names)[: self._plan.again]) for name in AGAIN[:2]]
        again += [self._chosen(name, self._plan.again) for name in AGAIN[2:]]
        entrants = _Entrants.joined(again)
        second = self._tournament("second", entrants, self._plan.rounds)
        places = second.ranking()[: self._plan.members]
        final = entrants.take(places)

        scores, games = second.table.scores, second.table.played
        members = [
            Member(name, _method(name), float(scores[place]), float(games[place]))
            for name, place in zip(final.names, places, strict=True)
        ]
        vectors = final.vectors.astype(np.float32)
        pilot = self._pilot(final.vectors[0])
        facts = {"plan": self._plan.model_dump(mode="json"), "seed": self._seed, "command": command}
        second_table = tabulate(second, AGAIN, final.names)
        return Population(pilot, self._plan.play.depth, tuple(members), vectors, (first_table, second_table), facts)

    def _chosen(self, name: str, count: int) -> _Entrants:
        """The networks that a method kept, or the best of them."""
        saved = self._learn(name)
        entrants = _Entrants([f"{name} {number}" for number in range(1, len(saved) + 1)], saved)
        if name == "sane" and len(saved) == count:
            return entrants
        found = self._tournament(f"choose-{name}", entrants, self._plan.choose_rounds)
        return entrants.take(found.ranking()[:count])

    def _learn(self, name: str) -> Array:
        learner, seed = self._learners[name], self._seed_of(name)
        pilot = first_pilot(self._plan.game, self._plan.set, self._plan.units, seed)

        steps = 0

        def tell(step: int, _: object) -> None:
            self._tell(name, step, steps)

        if self._folder is None:
            first = state = learner.start(pilot, seed)
            steps = expected_steps(learner, first) or 0
            for step, (after, metrics) in enumerate(take_steps(learner, first, self._workers), 1):
                state = after
                tell(step, metrics)
        else:
            steps = expected_steps(learner, learner.start(pilot, seed)) or 0
            run = train(
                learner,
                pilot,
                self._folder / name,
                seed=seed,
                workers=self._workers,
                resume=True,
                checks=NO_CHECKS,  # its networks meet in tournaments
                on_step=tell,
            )
            state = run.state
        return state.arrays[SAVED]

    def _tournament(self, name: str, entrants: _Entrants, rounds: int) -> TournamentResult:
        self._tell(f"{name} tournament", 0, 1)
        found = self._plan.play.tournament(
            [self._pilot(vector) for vector in entrants.vectors],
            "swiss",
            rounds,
            self._seed_of(name),
            self._workers,
            names=entrants.names,
            folder=self._tournament_folder(name),
        )
        self._tell(f"{name} tournament", 1, 1)
        return found

    def _tournament_folder(self, name: str) -> Path | None:
        if self._folder is None:
            return None
        folder = self._folder / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _pilot(self, vector: Array) -> Pilot:
        pilot = first_pilot(self._plan.game, self._plan.set, self._plan.units, 0)
        return with_network(pilot, from_vector(network_of(pilot), vector))

    def _seed_of(self, name: str) -> int:
        """A seed of its own for each method and tournament, whatever else is made."""
        return task_seed(self._seed, int.from_bytes(name.encode(), "little")) >> 1


def tabulate(
    found: TournamentResult, methods: Sequence[str], final: Sequence[str] | None = None
) -> tuple[MethodResult, ...]:
    """A tournament by methods, as tables B.1 and B.2: a score rate is a result times methods / 2."""
    points, games = found.table.points.sum(axis=1), found.table.played
    rows = []
    for method in methods:
        places = [place for place, name in enumerate(found.names) if _method(name) == method]
        rates = points[places] / np.maximum(games[places], 1)
        share = 2 * len(places) / len(found.names)
        rows.append(
            MethodResult(
                method,
                len(places),
                result=float(points[places].sum() / points.sum()),
                deviation=float(np.std(rates, ddof=1) * share) if len(places) > 1 else 0.0,
                score_rate=float(points[places].sum() / max(games[places].sum(), 1)),
                final=None if final is None else sum(_method(name) == method for name in final),
            )
        )
    return tuple(rows)


def _best(found: TournamentResult, names: Sequence[str]) -> list[int]:
    """Places in a list of names, the best of a tournament first."""
    place = {name: number for number, name in enumerate(names)}
    ranked = [found.names[i] for i in found.ranking()]
    return [place[name] for name in ranked if name in place]


def _method(name: str) -> str:
    return name.rpartition(" ")[0]
