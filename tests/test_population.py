"""Populations: the methods as learners, the tournaments that choose, and the file that keeps them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from plypilot.cli import app
from plypilot.compute import Workers
from plypilot.data.record import PlayedGame
from plypilot.games import Position
from plypilot.learn import population as populations
from plypilot.learn.evaluators import (
    SAVED,
    Circle,
    Evolution,
    Play,
    SelfPlay,
    _Replay,
    first_pilot,
)
from plypilot.learn.folder import RunError
from plypilot.learn.learner import Learner, State
from plypilot.learn.population import (
    SCALES,
    Plan,
    Population,
    PopulationError,
    load_population,
    make_plan,
    make_population,
    tabulate,
)
from plypilot.learn.sane import SaneSettings
from plypilot.learn.weights import from_vector, network_of, to_vector, with_network
from plypilot.pilot import Pilot
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Arena, Task
from plypilot.play.match import match
from plypilot.searcher import Limit

SHORT = Play(most_plies=60)
SMALL_SANE = SaneSettings(inputs=65, units=8, neurons=40, networks=10)
LEARNERS: dict[str, Learner] = {
    "std": SelfPlay(play=SHORT, games=40, save_every=20),
    "mtd": Circle(play=SHORT, players=4, saves=2, cycles=2),
    "sane": Evolution(play=SHORT, sane=SMALL_SANE, generations=3, rounds=3),
    "sane-td": Evolution(play=SHORT, sane=SMALL_SANE, generations=2, rounds=3, td_players=3),
}


@pytest.fixture(scope="module")
def tiny() -> Population:
    return make_population(SCALES["tiny"], 1, command="a command")


@pytest.fixture
def pilot() -> Pilot:
    return first_pilot("loa", "squares", 8, 0)


def run(learner: Learner, pilot: Pilot, seed: int = 0, workers: int = 1) -> State:
    with Workers.threads(workers) as pool:
        state = learner.start(pilot, seed)
        while not learner.is_done(state):
            state = State.decode(learner.step(state, pool)[0].encode())
    return state


@pytest.mark.parametrize("name", LEARNERS)
def test_a_method_that_has_taken_no_step_leaves_the_pilot_as_it_was(name: str, pilot: Pilot) -> None:
    learner = LEARNERS[name]
    assert learner.pilot(learner.start(pilot, 3)) == pilot


@pytest.mark.parametrize(("name", "kept"), {"std": 2, "mtd": 8, "sane": 3, "sane-td": 6}.items())
def test_a_method_keeps_its_networks_whoever_works_at_it(name: str, kept: int, pilot: Pilot) -> None:
    one, two = (run(LEARNERS[name], pilot, workers=workers) for workers in (1, 3))
    assert one.arrays[SAVED].shape == (kept, 65 * 8 + 8 + 8 + 1)
    assert one.encode() == two.encode()
    if name != "sane":  # whose best network stays, and may be the best again
        assert len({row.tobytes() for row in one.arrays[SAVED]}) == kept
    assert not np.array_equal(one.arrays[SAVED], run(LEARNERS[name], pilot, seed=1).arrays[SAVED])


def test_a_replayed_game_is_judged_as_the_arena_judges_it(pilot: Pilot) -> None:
    arena = Arena("loa", [pilot], Limit(depth=1), noted="game", sets=["squares"])
    played = arena.play([Task(Position("loa"), 5)])
    game = PlayedGame("loa", ("a", "a"), played.winners[0], played.causes[0], played.played_moves(0))
    replayed = _Replay.of(game, "loa", "squares").judged_by(network_of(pilot))
    assert played.features is not None and replayed.features is not None
    for name in ("sides", "starts", "indices", "values"):
        assert np.array_equal(getattr(played.features, name), getattr(replayed.features, name)), name
    # One forward pass: the search keeps its sums in whole numbers, which may round the other way.
    assert np.allclose(played.features.scores, replayed.features.scores, atol=1)
    assert np.mean(played.features.scores == replayed.features.scores) > 0.9


def test_td_players_learn_to_beat_where_they_began() -> None:
    pilot = first_pilot("loa", "squares", 40, 1)
    learner = SelfPlay(games=400, save_every=200)
    learned = learner.pilot(run(learner, pilot))
    found = match(learned, pilot, games=40, limit=Limit(depth=1), adjudication=Adjudication(150), openings="random:4")
    assert found.standing.tally.score > 0.75


def test_a_network_as_a_vector_and_back(pilot: Pilot) -> None:
    network = network_of(pilot)
    assert from_vector(network, to_vector(network)) == network


# The population.


def test_a_population_depends_on_plan_and_seed_alone(tiny: Population, tmp_path: Path) -> None:
    again = make_population(SCALES["tiny"], 1, workers=3, folder=tmp_path / "a", command="a command")
    assert again.encode() == tiny.encode()
    assert make_population(SCALES["tiny"], 2).encode() != tiny.encode()


def test_a_population_that_was_ended_goes_on_where_it_was(tiny: Population, tmp_path: Path) -> None:
    class Ended(Exception):
        pass

    def end(what: str, done: int, _: int) -> None:
        if (what, done) in (("mtd1", 1), ("first tournament", 0)):
            raise Ended

    steps: list[str] = []
    for _ in range(3):
        try:
            made = make_population(
                SCALES["tiny"],
                1,
                folder=tmp_path,
                resume=True,
                on_step=end if len(steps) < 2 else None,
                command="a command",
            )
        except Ended:
            steps.append("ended")
    assert steps == ["ended", "ended"]
    assert made.encode() == tiny.encode()


def test_a_folder_of_another_population_is_refused(tmp_path: Path) -> None:
    make_population(SCALES["tiny"], 1, folder=tmp_path)
    with pytest.raises(RunError, match="not empty"):
        make_population(SCALES["tiny"], 1, folder=tmp_path)
    with pytest.raises(RunError, match="holds another run: seed is"):
        make_population(SCALES["tiny"], 2, folder=tmp_path, resume=True)


def test_results_are_shares_of_all_points(tiny: Population) -> None:
    for table in tiny.tables:
        assert sum(row.result for row in table) == pytest.approx(1)
        for row in table:
            assert row.score_rate == pytest.approx(row.result * len(table) / 2)
    assert sum(row.final or 0 for row in tiny.tables[1]) == len(tiny) == SCALES["tiny"].members


def test_members_come_by_their_score(tiny: Population) -> None:
    scores = [member.score for member in tiny.members]
    assert scores == sorted(scores, reverse=True)
    assert {member.method for member in tiny.members} <= set(populations.AGAIN)


def test_pilots_of_a_population_are_the_networks_that_played(tiny: Population) -> None:
    pilots = list(tiny.pilots())
    assert len(set(pilots)) == len(tiny)
    assert pilots[0] == tiny.pilot
    names = [member.name for member in tiny.members]
    found = SCALES["tiny"].play.tournament(pilots, "swiss", 3, 5, _one_worker(), names=names)
    assert sum(row.players for row in tabulate(found, populations.AGAIN)) == len(tiny)


def _one_worker() -> Workers:
    return Workers.threads(1)


def test_a_population_survives_its_file_and_damage_is_told(tiny: Population, tmp_path: Path) -> None:
    path = tmp_path / "loa.population"
    tiny.save(path)
    loaded = load_population(path)
    assert loaded.encode() == tiny.encode()
    assert list(loaded.pilots()) == list(tiny.pilots())
    content = bytearray(path.read_bytes())
    for at in range(0, len(content), 997):
        content[at] ^= 1
        path.write_bytes(content)
        with pytest.raises(PopulationError, match=r"loa\.population: "):
            load_population(path)
        content[at] ^= 1
    for size in (0, 10, len(content) // 2):
        path.write_bytes(content[:size])
        with pytest.raises(PopulationError):
            load_population(path)
    tiny.pilot.save(path)
    with pytest.raises(PopulationError, match="not a population file"):
        load_population(path)
    with pytest.raises(PopulationError, match="no such file, and no population"):
        load_population("chess")


def test_networks_that_do_not_fit_the_pilot_are_refused(tiny: Population) -> None:
    fewer = Population(tiny.pilot, 1, tiny.members, tiny.vectors[:, :-1], tiny.tables, tiny.made)
    with pytest.raises(PopulationError, match="expected float32 of"):
        Population.decode(fewer.encode())
    other = with_network(tiny.pilot, network_of(first_pilot("loa", "squares", 9, 0)))
    with pytest.raises(PopulationError, match="expected float32 of"):
        Population.decode(Population(other, 1, tiny.members, tiny.vectors, tiny.tables, tiny.made).encode())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"chosen": 60}, "generations is 50, but 60 are to be chosen"),
        ({"members": 130}, "at least a quarter of members"),
        ({"neurons": 100}, "expected at least 160"),
        ({"std_games": 10_050}, "multiple of save_every"),
    ],
)
def test_a_plan_whose_sizes_do_not_fit_is_refused(changes: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Plan(**changes)


def test_a_plan_needs_a_feature_set_of_its_game() -> None:
    with pytest.raises(PopulationError, match='chess has no feature set "mia"'):
        make_plan("tiny", "chess", features="mia")
    assert make_plan("tiny", "breakthrough", features="full_board", depth=2).play.depth == 2
    with pytest.raises(PopulationError, match="expected tiny, quick, full"):
        make_plan("huge")


def test_the_command_makes_a_population_and_shows_it(tmp_path: Path) -> None:
    words = ["population", "loa", "--scale", "tiny", "--seed", "1", "--out", str(tmp_path / "made")]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 0, found.output
    assert "10 evaluators" in found.output and "mtd2" in found.output
    made = load_population(tmp_path / "made" / "loa.population")
    assert made.made["command"] == "plypilot population loa --scale tiny --seed 1 --out DIR"


def test_the_population_of_loa_comes_with_the_package_and_the_command_that_made_it() -> None:
    shipped = load_population("loa")
    assert shipped.made["command"].startswith("plypilot population loa --scale ")
    plan = Plan.model_validate(shipped.made["plan"])
    assert (len(shipped), shipped.depth, shipped.pilot.game) == (plan.members, plan.play.depth, "loa")
    assert network_of(shipped.pilot).hidden.shape == (65, 40)
    assert len(shipped.encode()) < 2_000_000
    found = match(shipped.pilot, "random", games=20, limit=Limit(depth=1), adjudication=Adjudication(150))
    assert found.standing.tally.score > 0.9
