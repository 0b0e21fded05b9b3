"""A policy that chooses before each search how far passing reduces the depth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plypilot as pp
from plypilot.learn.weights import native_network
from plypilot.networks import Policy
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Arena, Task
from plypilot.searcher import Limit, Searcher
from plypilot.settings import Pruning

COUNTS = {"chess": 5, "loa": 1, "breakthrough": 1}
"""Features of the sets of material."""


def policy(game: str = "chess", **changes: Any) -> Policy:
    """One that sees the material and chooses among 0 to 4 plies, by its biases alone."""
    given = {
        "game": game,
        "asked": "before",
        "set": "material",
        "function": "linear",
        "first": 0,
        "direct": np.zeros((COUNTS[game], 5)),
        "output_bias": np.zeros(5),
    }
    return Policy.model_validate(given | changes)


def passing(game: str = "chess", **changes: Any) -> pp.Pilot:
    """The baseline with such a policy."""
    return deciding(game, policy(game, **changes))


def deciding(game: str, made: Policy) -> pp.Pilot:
    """The baseline in which this one decides."""
    pilot = pp.Pilot.baseline(game)
    return pp.Pilot.model_validate({**dict(pilot), "pruning": {**dict(pilot.pruning), "null_policy": made}})


def nodes_of(pilot: pp.Pilot, position: pp.Position, threads: int = 1) -> int:
    return Searcher(pilot).search(position, Limit(depth=6), threads=threads).nodes.all


@pytest.mark.parametrize("game", ["chess", "loa", "breakthrough"])
def test_what_it_chooses_is_what_a_fixed_reduction_would_be(game: str) -> None:
    position, counts = pp.Position(game), []
    for plies in range(5):
        fixed = pp.Pilot.baseline(game).replace({"pruning.null_reduction": plies})
        counts.append(nodes_of(fixed, position))
        assert nodes_of(passing(game, output_bias=np.eye(5)[plies]), position) == counts[-1]
    assert len(set(counts)) > 2, "the reduction made no difference"


def test_it_is_asked_for_each_search_anew_by_what_stands_on_the_board() -> None:
    """Two plies with a queen to the good, four where material is even, of one searcher with an emptied table."""
    direct = np.zeros((5, 5))
    direct[4, 2] = 1.0
    pilot = passing(direct=direct, output_bias=[0, 0, 0, 0, 0.5])
    ahead = "r1b1kbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 3"
    even = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
    searcher = Searcher(pilot)
    for fen, plies in ((ahead, 2), (even, 4), (ahead, 2)):
        position = pp.Position("chess", fen)
        fixed = pp.Pilot.baseline("chess").replace({"pruning.null_reduction": plies})
        searcher.clear()
        assert searcher.search(position, Limit(depth=6)).nodes.all == nodes_of(fixed, position)
    assert nodes_of(pilot, pp.Position("chess", even), threads=2) > 0


@pytest.mark.parametrize("limit", [Limit(nodes=300), Limit(clock=1500, increment=300, unit="nodes")])
def test_games_tell_what_it_decided_with_and_without_a_bank(limit: Limit) -> None:
    made = policy("loa", direct=np.array([[0.0, 0, 0, 0.5, 0]]), output_bias=[0, 1, 0, 0, 0], temperature=1.0)
    pilot = deciding("loa", made)
    arena = Arena("loa", [pilot, pp.Pilot.baseline("loa")], limit, adjudication=Adjudication(60, "draw"), early_depth=2)
    tasks = [Task(pp.Position("loa"), 7 + number // 2, number % 2) for number in range(8)]
    games = arena.play(tasks)
    told = games.decisions
    assert told is not None
    own = [
        ply
        for number in range(8)
        for ply in range(games.starts[number], games.starts[number + 1])
        if games.movers[ply] == number % 2
    ]
    assert told.plies.tolist() == own, "once before each own search"
    said = native_network(made).values(told.starts, told.indices, told.values)
    chances = np.exp(said - said.max(axis=1, keepdims=True))
    expected = (chances / chances.sum(axis=1, keepdims=True)).sum(axis=0)
    counts = np.bincount(told.chosen, minlength=5)
    assert np.abs(counts - expected).max() < 4 * np.sqrt(expected.max())
    assert arena.play(tasks).moves == games.moves, "chance follows from the seeds"


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="null_policy: is asked after iterations, expected before a search"):
        Pruning(
            null_policy=Policy(game="loa", seen=("bank",), direct=np.zeros((1, 1)), output_bias=[0], function="linear")
        )
    with pytest.raises(ValueError, match="chooses up to 7 plies, expected at most 6"):
        passing(first=3)
    with pytest.raises(ValueError, match="was learned in chess, and says nothing of loa"):
        deciding("loa", policy("chess"))
    with pytest.raises(ValueError, match="sees nothing"):
        policy(set="")
    with pytest.raises(ValueError, match="null_policy needs a null move"):
        deciding("connect_four:ConnectFour", policy("chess"))
    native = passing().native_settings()
    native["pruning"]["null_policy"]["asked"] = "after"
    native["pruning"]["null_policy"]["network"] |= {"direct": np.zeros((5, 1), np.float32), "output_bias": np.zeros(1)}
    with pytest.raises(ValueError, match=r"pruning\.null_policy: is asked after iterations"):
        pp._core.Searcher(pp.games._find("chess"), settings=native, evaluation=passing().native_evaluation())
    passing(output_bias=np.eye(5)[1]).save(tmp_path / "a.pilot")
    again = pp.Pilot.load(tmp_path / "a.pilot")
    assert again == passing(output_bias=np.eye(5)[1])
    assert nodes_of(again, pp.Position("chess")) == nodes_of(
        pp.Pilot.baseline("chess").replace({"pruning.null_reduction": 1}), pp.Position("chess")
    )
