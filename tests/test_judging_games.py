"""Games by which learners judge: at equal time, told by nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

import plypilot as pp
from plypilot.compute import Workers
from plypilot.learn import NO_CHECKS, train
from plypilot.learn.judging_games import ASKING_NODES, play_pairs, time_of_a_node
from plypilot.learn.movemap import MoveMap
from plypilot.play.match import Standing

NODES = 400
SMALL = "breakthrough-5x5"
FEW = {"games": 20, "nodes": 20, "side_lines": 0}


@pytest.fixture(scope="module")
def ordered(tmp_path_factory: pytest.TempPathFactory) -> pp.Pilot:
    """A pilot that asks a network wherever quiet moves are ordered."""
    learner = MoveMap(play=FEW, epochs=1, plies=0, trials={"games": 0})
    folder: Path = tmp_path_factory.mktemp("order") / "run"
    return train(learner, pp.Pilot.baseline(SMALL), folder, checks=NO_CHECKS).pilot


def test_a_node_takes_longer_by_how_often_a_network_is_asked(ordered: pp.Pilot) -> None:
    often, seldom = (time_of_a_node(ordered.replace({"ordering.network_plies": plies}), NODES) for plies in (0, 3))
    assert time_of_a_node(pp.Pilot.baseline(SMALL), NODES) == 1 < seldom < often < 1 + ASKING_NODES["breakthrough"]


def test_a_pilot_that_asks_a_network_gets_fewer_nodes_and_the_other_all(ordered: pp.Pilot) -> None:
    standings: list[Standing] = []
    with Workers.threads(1) as workers:
        pairs = play_pairs(
            ordered,
            pp.Pilot.baseline(SMALL),
            games=8,
            nodes=NODES,
            seed=3,
            opening_plies=4,
            most_plies=60,
            workers=workers,
            on_game=standings.append,
        )
    assert pairs.games == 8 and len(standings) == 8
    used = [effort.nodes / effort.moves for effort in standings[-1].effort]
    assert used[0] <= NODES / time_of_a_node(ordered, NODES) + 1 < used[1] <= NODES
