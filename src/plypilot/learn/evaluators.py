"""Ways to make evaluators that are networks, each a learner that keeps networks on its way (Kocsis, appendix B).

SelfPlay (STD): one TD player against itself. Circle (MTD): several, each against the rest. Evolution (SANE): networks
that are bred by how they do in a swiss tournament of their generation; with TD players among them it is SANE-TD, and
the networks of these are kept instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from plypilot.compute import Workers, task_seed
from plypilot.data.record import PlayedGame
from plypilot.games import Position, game_info
from plypilot.learn.learner import Decision, Metrics, State
from plypilot.learn.sane import Sane, SaneSettings, SaneState
from plypilot.learn.steps import Fixed
from plypilot.learn.td import TD
from plypilot.learn.weights import from_vector, native_network, network_of, to_vector, with_network
from plypilot.networks import find_set
from plypilot.pilot import Evaluation, Ordering, Pilot, PilotError, SearchFrame, Table, ValueNetwork, Window
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Features, Games
from plypilot.play.contestant import Contestant
from plypilot.play.openings import Opening, random_openings
from plypilot.play.tournament import Kind, TournamentResult, tournament
from plypilot.searcher import Limit
from plypilot.settings import Part

Array = NDArray[np.float64]

SAVED = "saved"
"""The array of a state with the networks that a method has kept, one a row, in the order of ``weights.to_vector``."""
_OPENING_POOL = 500


class Play(Part):
    """How the games of a method and of its tournaments are played. Kocsis names none of these."""

    depth: Annotated[int, Field(ge=1, le=20)] = 1
    """of the searches, in plies"""
    opening_plies: Annotated[int, Field(ge=0, le=30)] = 6
    """random moves before a game begins"""
    most_plies: Annotated[int, Field(ge=1)] = 150
    """longer games are a draw"""

    def tournament(
        self,
        pilots: Sequence[Pilot],
        kind: Kind,
        rounds: int,
        seed: int,
        workers: Workers,
        *,
        names: Sequence[str] | None = None,
        folder: Path | None = None,
        keep_games: bool = False,
    ) -> TournamentResult:
        """Single games from openings that the seed decides; equal moves in random order."""
        game = pilots[0].game
        named = names or [str(number) for number in range(len(pilots))]
        return tournament(
            [Contestant(name, pilot) for name, pilot in zip(named, pilots, strict=True)],
            game,
            kind=kind,
            rounds=rounds,
            in_pairs=False,
            limit=Limit(depth=self.depth),
            openings=self._openings(game, seed, len(pilots) * rounds // 2 or 1),
            seed=seed,
            adjudication=Adjudication(self.most_plies, "draw"),
            workers=workers,
            folder=folder,
            resume=True,
            keep_games=keep_games,
        )

    def _openings(self, game: str, seed: int, count: int) -> list[Opening]:
        # The openings are not checked for balance: that would take longer than the games, and a lucky one lasts only
        # one game.
        return random_openings(game, self.opening_plies, min(count, _OPENING_POOL), seed, balance=None)

    def td(self, games: int, batch: int, rate: float) -> TD:
        """The TD of Kocsis (A.1, appendix B): lambda 0.8, gamma 0.9, values in [-1, 1] of the game's positions."""
        return TD(
            games=games,
            batch=batch,
            depth=self.depth,
            positions="game",
            trace_decay=0.8,
            discount=0.9,
            values="symmetric",
            step_size=Fixed(rate=rate),
            opening_plies=self.opening_plies,
            most_plies=self.most_plies,
            at_length="draw",
            average=0,
        )


class SelfPlay(Part):
    """STD: one TD player against itself."""

    play: Play = Play()
    games: Annotated[int, Field(ge=1)] = 10_000
    """in all (Kocsis, appendix B)"""
    save_every: Annotated[int, Field(ge=1)] = 100
    """games after which the network is kept"""
    batch: Annotated[int, Field(ge=1)] = 10
    """games between two changes of the weights"""
    rate: Annotated[float, Field(gt=0)] = 0.003
    """step size of TD; not named by Kocsis"""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        _need_whole("games", self.games, "save_every", self.save_every)
        _need_whole("save_every", self.save_every, "batch", self.batch)
        return self

    decision: ClassVar[Decision] = "evaluation"

    def is_done(self, state: State) -> bool:
        """Once all games are played."""
        return int(state.numbers["games"]) >= self.games

    def expected_steps(self, state: State) -> int:  # noqa: ARG002
        """One a network that is kept."""
        return self.games // self.save_every

    def start(self, pilot: Pilot, seed: int) -> State:
        """From the network of the pilot."""
        state = self._td.start(pilot, seed)
        return State({**state.arrays, SAVED: np.empty((0, len(state.arrays["weights"])))}, state.numbers, pilot)

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """Plays on to the next network that is kept."""
        metrics: Metrics = {}
        for _ in range(self.save_every // self.batch):
            state, metrics = self._td.step(state, workers)
        return _save(state, [state.arrays["weights"]]), metrics

    def pilot(self, state: State) -> Pilot:
        """The player of now."""
        return self._td.pilot(state)

    @property
    def _td(self) -> TD:
        return self.play.td(self.games, self.batch, self.rate)


class Circle(Part):
    """MTD: TD players, each trained by playing the rest: round robins, after each of which all learn their games."""

    play: Play = Play()
    players: Annotated[int, Field(ge=2)] = 10
    saves: Annotated[int, Field(ge=1)] = 10
    """how often the networks of all players are kept"""
    cycles: Annotated[int, Field(ge=1)] = 22
    """round robins between; with 10 players 45 games each"""
    rate: Annotated[float, Field(gt=0)] = 0.003
    """step size of TD; not named by Kocsis"""

    decision: ClassVar[Decision] = "evaluation"

    def is_done(self, state: State) -> bool:
        """Once networks were kept as often as wanted."""
        return int(state.numbers["tournaments"]) >= self.saves * self.cycles

    def expected_steps(self, state: State) -> int:  # noqa: ARG002
        """One a time that networks are kept."""
        return self.saves

    def start(self, pilot: Pilot, seed: int) -> State:
        """The pilot is the first player; the others differ from it in their networks, which are drawn."""
        first = network_of(pilot)
        pilots = [pilot]
        for number in range(1, self.players):
            pilots.append(with_network(pilot, draw_network(first, task_seed(seed, number))))
        return _start_players(self._td, pilots, seed)

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """Plays round robins to the next time that networks are kept."""
        plies = 0
        for _ in range(self.cycles):
            pilots = _players(self._td, state)
            seed = task_seed(int(state.numbers["seed"]), int(state.numbers["tournaments"]))
            found = self.play.tournament(pilots, "round-robin", 1, seed, workers, keep_games=True)
            state = _teach(self._td, state, found.games, range(self.players))
            plies += sum(len(game.moves) for game in found.games)
        games = self.cycles * self.players * (self.players - 1) // 2
        saved = _save(state, [state.arrays[f"{number}/weights"] for number in range(self.players)])
        return saved, {"games": games, "plies": plies}

    def pilot(self, state: State) -> Pilot:
        """The first player of now."""
        return _players(self._td, state)[0]

    @property
    def _td(self) -> TD:
        games = self.saves * self.cycles * (self.players - 1)
        return self.play.td(games, 1, self.rate)


class Evolution(Part):
    """SANE, its fitness the score in a swiss tournament of each generation; with TD players among them SANE-TD."""

    play: Play = Play()
    sane: SaneSettings = SaneSettings(inputs=65, units=40)
    generations: Annotated[int, Field(ge=1)] = 50
    """Kocsis, appendix B"""
    rounds: Annotated[int, Field(ge=1)] = 15
    """of the tournament of a generation (Kocsis, appendix B)"""
    td_players: Annotated[int, Field(ge=0)] = 0
    """how many TD players take part and learn from their games after each tournament; 3 in SANE-TD"""
    rate: Annotated[float, Field(gt=0)] = 0.003
    """step size of TD; not named by Kocsis"""

    decision: ClassVar[Decision] = "evaluation"

    def is_done(self, state: State) -> bool:
        """Once all generations have lived."""
        return int(state.numbers["tournaments"]) >= self.generations

    def expected_steps(self, state: State) -> int:  # noqa: ARG002
        """One a generation."""
        return self.generations

    def start(self, pilot: Pilot, seed: int) -> State:
        """Neurons at random; the pilot gives the search, and with TD players the network of the first."""
        network = network_of(pilot)
        if network.hidden.shape != (self.sane.inputs, self.sane.units):
            raise PilotError(
                f"its network has {network.hidden.shape} inputs and units, but SANE is set to "
                f"{(self.sane.inputs, self.sane.units)}"
            )
        pilots = [pilot] * self.td_players
        for number in range(1, self.td_players):
            pilots[number] = with_network(pilot, draw_network(network, task_seed(seed, number)))
        state = _start_players(self._td, pilots, seed, pilot)
        return State({**state.arrays, **_prefixed("sane", self._sane.start(seed).arrays())}, state.numbers, pilot)

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """One generation: its tournament, and the next one bred from the scores."""
        generation, seed = int(state.numbers["tournaments"]), int(state.numbers["seed"])
        bred = SaneState.of(_inside("sane", state), seed, generation)
        pilots = self._bred_pilots(state, bred) + _players(self._td, state)
        count = self.sane.networks
        found = self.play.tournament(
            pilots, "swiss", self.rounds, task_seed(seed, generation), workers, keep_games=bool(self.td_players)
        )
        scores = found.table.scores
        state = _teach(self._td, state, found.games, range(count, count + self.td_players))
        if self.td_players:
            kept = [state.arrays[f"{number}/weights"] for number in range(self.td_players)]
        else:
            kept = [to_vector(network_of(pilots[int(np.argmax(scores))]))]
        following = _prefixed("sane", self._sane.next(bred, scores[:count]).arrays())
        state = _save(State({**state.arrays, **following}, state.numbers, state.pilot), kept)
        return state, {
            "games": found.table.games,
            "best": float(scores[:count].max()),
            "td_score": float(scores[count:].mean()) if self.td_players else 0.0,
        }

    def pilot(self, state: State) -> Pilot:
        """With the network that was kept last; the pilot that the run began from where there is none."""
        assert state.pilot is not None
        saved = state.arrays[SAVED]
        return with_network(state.pilot, from_vector(network_of(state.pilot), saved[-1])) if len(saved) else state.pilot

    def _bred_pilots(self, state: State, bred: SaneState) -> list[Pilot]:
        assert state.pilot is not None
        like = network_of(state.pilot)
        found = self._sane.networks(bred)
        rest = {name: np.zeros_like(getattr(like, name)) for name in ("direct", "output_bias")}
        return [
            with_network(
                state.pilot, like.with_layers({"hidden": hidden, "hidden_bias": bias, "output": output} | rest)
            )
            for hidden, bias, output in zip(found.hidden, found.hidden_bias, found.output, strict=True)
        ]

    @property
    def _td(self) -> TD:
        return self.play.td(self.generations * self.rounds, 1, self.rate)

    @property
    def _sane(self) -> Sane:
        return Sane(self.sane)


# The pilots that methods begin from.


def first_pilot(game: str, feature_set: str, units: int, seed: int) -> Pilot:
    """The search of the population, MTD(f) with the history heuristic (Kocsis 2.1.2), and a network at random."""
    inputs = len(find_set(game_info(game), feature_set).features)
    # Inputs of "squares" do not turn with the side to move, so the value is that of the first player.
    empty = ValueNetwork(
        set=feature_set,
        first_player=feature_set == "squares",
        hidden=np.zeros((inputs, units), np.float32),
        hidden_bias=np.zeros(units, np.float32),
        output=np.zeros((units, 1), np.float32),
        output_bias=np.zeros(1, np.float32),
    )
    return Pilot(
        game=game,
        evaluation=Evaluation(kind="network", network=draw_network(empty, seed)),
        ordering=Ordering(table_move=True, history=True, shuffle=True),
        search=SearchFrame(window=Window(kind="mtdf"), table=Table(log2_entries=14)),
    )


def draw_network(like: ValueNetwork, seed: int) -> ValueNetwork:
    """A network of the same form with small weights at random, and no biases yet."""
    rng = np.random.default_rng(seed)
    drawn = {name: rng.uniform(-0.2, 0.2, getattr(like, name).shape) for name in ("hidden", "output", "direct")}
    biases = {name: np.zeros(len(getattr(like, name))) for name in ("hidden_bias", "output_bias")}
    return like.with_layers(drawn | biases)


# TD players in tournaments.


@dataclass(frozen=True)
class _Replay:
    """The positions of a game as networks see them."""

    game: PlayedGame
    inputs: NDArray[np.float32]
    """(plies, features)"""
    sides: NDArray[np.uint8]
    """(plies,) who is to move."""

    @classmethod
    def of(cls, game: PlayedGame, name: str, feature_set: str) -> _Replay:
        position = Opening(game.start, game.opening).position(name)
        inputs, sides = [], []
        for move in game.moves:
            inputs.append(_values(position, feature_set))
            sides.append(position.turn)
            position.push(move.text)
        return cls(game, np.array(inputs, np.float32), np.array(sides, np.uint8))

    def judged_by(self, network: ValueNetwork) -> Games:
        """The game with the features and static scores of its positions, as if this network had noted them."""
        plies, indices = np.nonzero(self.inputs)
        count = len(self.inputs)
        starts = np.searchsorted(plies, np.arange(count + 1)).astype(np.int64)
        inputs = self.inputs[plies, indices]
        values = native_network(network).values(starts, indices.astype(np.int32), inputs)[:, 0]
        if network.first_player:
            values = np.where(self.sides == 1, -values, values)
        noted = Features(
            sides=self.sides,
            scores=np.rint(values * network.scale).astype(np.int32),
            ended=np.zeros(count, np.uint8),
            exact=np.ones(count, np.uint8),
            starts=starts,
            indices=indices.astype(np.int32),
            values=inputs,
        )
        return Games(
            winners=[self.game.winner],
            causes=[self.game.cause],
            turns=[self.game.turn],
            moves=[" ".join(move.text for move in self.game.moves)],
            starts=np.array([0, count]),
            movers=self.sides,
            scores=np.array([move.score or 0 for move in self.game.moves], np.int32),
            told=np.array([move.score is not None for move in self.game.moves], np.uint8),
            depths=np.array([move.depth for move in self.game.moves], np.int32),
            nodes=np.array([move.nodes for move in self.game.moves], np.int64),
            seconds=np.array([move.seconds for move in self.game.moves], np.float32),
            features=noted,
            decisions=None,
        )


def _values(position: Position, feature_set: str) -> NDArray[np.float32]:
    return np.asarray(position.feature_values(feature_set), np.float32)


def _start_players(td: TD, pilots: Sequence[Pilot], seed: int, pilot: Pilot | None = None) -> State:
    """The states of TD players in one."""
    arrays: dict[str, Array] = {SAVED: np.empty((0, len(to_vector(network_of(pilot or pilots[0])))))}
    for number, each in enumerate(pilots):
        arrays |= _prefixed(str(number), td.start(each, seed).arrays)
    return State(arrays, {"seed": seed, "tournaments": 0, "players": len(pilots)}, pilot or pilots[0])


def _player_state(state: State, number: int) -> State:
    return State(_inside(str(number), state), {"seed": state.numbers["seed"], "games": 0}, state.pilot)


def _players(td: TD, state: State) -> list[Pilot]:
    """The TD players of now."""
    return [td.pilot(_player_state(state, number)) for number in range(int(state.numbers["players"]))]


def _teach(td: TD, state: State, games: Iterable[PlayedGame], places: range) -> State:
    """Lets each TD player, who had these places in a tournament, learn from its games in their order."""
    assert state.pilot is not None
    feature_set = network_of(state.pilot).set
    replays = [_Replay.of(game, state.pilot.game, feature_set) for game in games if set(game.seats) & set(places)]
    arrays = dict(state.arrays)
    for number, place in enumerate(places):
        own = _player_state(state, number)
        network = network_of(td.pilot(own))
        met = [replay.judged_by(network) for replay in replays if place in replay.game.seats]
        arrays |= _prefixed(str(number), td.learn(own, met)[0].arrays)
    return State(arrays, {**state.numbers, "tournaments": int(state.numbers["tournaments"]) + 1}, state.pilot)


def _save(state: State, vectors: Sequence[Array]) -> State:
    """Keeps networks, as half-precision numbers: so they are played with from now on, and so they are stored."""
    kept = np.array(vectors).astype(np.float16).astype(np.float64)
    return State({**state.arrays, SAVED: np.concatenate([state.arrays[SAVED], kept])}, state.numbers, state.pilot)


def _prefixed(name: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {f"{name}/{key}": array for key, array in arrays.items()}


def _inside(name: str, state: State) -> dict[str, Array]:
    start = f"{name}/"
    return {key.removeprefix(start): array for key, array in state.arrays.items() if key.startswith(start)}


def _need_whole(name: str, value: int, part: str, size: int) -> None:
    if value % size:
        raise ValueError(f"{name} is {value}, expected a multiple of {part}, which is {size}")
