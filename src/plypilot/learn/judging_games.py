"""Games of two pilots by which a learner judges what it has learned: pairs from even openings with sides swapped, which
follow from a seed.

A limit of nodes is the same on every machine, but a pilot that asks a network takes longer for a node. So it gets fewer
of them, by how often it asks: equal time, told by nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from plypilot.compute import Workers, task_seed
from plypilot.game_name import base_name
from plypilot.pilot import Pilot
from plypilot.play.adjudication import Adjudication
from plypilot.play.contestant import Contestant
from plypilot.play.match import Standing, match
from plypilot.play.openings import Opening, OpeningError, random_openings
from plypilot.play.ratings import Pentanomial, Sprt
from plypilot.searcher import Limit, Searcher

ASKING_NODES = {"breakthrough": 3.6, "chess": 4.5, "loa": 3.0, "shogi": 11.0}
"""To ask a network without hidden units how good the moves of a position are takes as long as so many nodes
(benchmarks/asking.py). Shogi has more moves and more pieces."""
_USUAL_ASKING_NODES = 4.5
_SAMPLES, _SAMPLE_PLIES = 12, 10
"""Positions that tell how often a pilot asks, behind so many random moves."""
_STREAM = int.from_bytes(b"asking", "little")


def play_pairs(
    one: Pilot,
    other: Pilot,
    *,
    games: int,
    nodes: int,
    seed: int,
    opening_plies: int,
    most_plies: int,
    workers: Workers,
    bank: float = 0.0,
    sprt: Sprt | None = None,
    on_game: Callable[[Standing], object] | None = None,
) -> Pentanomial:
    """How one pilot does against another: pairs of games by its points.

    ``nodes`` are those of each move of a pilot that asks no network. With a ``bank`` they are what each move adds to
    so many times as many at the start. A game has fewer pairs where it has not so many openings, and a sequential test
    ends them as soon as it is decided. Games that are longer than ``most_plies`` are a draw.
    """
    openings = even_openings(one.game, opening_plies, games // 2, seed)
    result = match(
        Contestant("learned", one),
        Contestant("before", other),
        one.game,
        games=2 * min(len(openings), games // 2),
        limit=[_limit(max(round(nodes / time_of_a_node(pilot, nodes)), 1), bank) for pilot in (one, other)],
        openings=openings,
        seed=seed,
        adjudication=Adjudication(most_plies, "draw"),
        sprt=sprt,
        workers=workers,
        on_game=on_game,
    )
    return result.standing.pairs


def time_of_a_node(pilot: Pilot, nodes: int) -> float:
    """How much longer a node of a pilot takes on average for the network that orders its moves, in searches of so many
    nodes: 1 where there is none.
    """
    return 1.0 if pilot.ordering.network is None else _time_of_a_node(pilot, nodes)


@lru_cache(maxsize=4)
def _time_of_a_node(pilot: Pilot, nodes: int) -> float:
    network = pilot.ordering.network
    assert network is not None
    searcher, spent, asked = Searcher(pilot), 0, 0
    for opening in even_openings(pilot.game, _SAMPLE_PLIES, _SAMPLES, task_seed(_STREAM, 0)):
        searcher.clear()
        visited = searcher.search(opening.position(pilot.game), Limit(nodes=nodes)).nodes
        spent, asked = spent + visited.all, asked + visited.judged
    # Moves as inputs pass the hidden units one by one, all others once a position and once a move.
    passes = 1 + network.units if network.encoding == "mei" else 2 if network.units else 1
    asking = ASKING_NODES.get(base_name(pilot.game), _USUAL_ASKING_NODES)
    return 1 + asking * passes * asked / max(spent, 1)


def _limit(nodes: int, bank: float) -> Limit:
    return Limit(clock=bank * nodes, increment=nodes, unit="nodes") if bank else Limit(nodes=nodes)


def even_openings(game: str, plies: int, count: int, seed: int) -> list[Opening]:
    """Even openings; in a game that has not so many, whatever it has: fewer games, but none of them twice."""
    try:
        return random_openings(game, plies, count, seed)
    except OpeningError:
        while True:
            try:
                return random_openings(game, plies, count, seed, balance=None)
            except OpeningError:
                if count == 1:
                    return [Opening()]
                count //= 2
