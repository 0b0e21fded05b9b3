"""What networks say of the moves of positions, for people to read."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plypilot.games import Move, Position, game_info
from plypilot.move_maps import native_map
from plypilot.networks import MoveNetwork

Worth = Literal["share", "score"]
"""How scores are told: as shares of the chance to be the best move, or as they are."""

_RANDOM_GAMES, _RANDOM_PLIES = 60, 60
_FEWEST_SEEN = 10
"""Positions in which a move must be legal before a mean of its scores is told."""


class JudgedMove(NamedTuple):
    """A legal move, and what a network says of it."""

    move: Move
    text: str
    score: float
    share: float
    """The softmax of the scores of its position."""

    def tell(self, worth: Worth) -> str:
        """Its share or its score."""
        return f"{self.share:.1%}" if worth == "share" else f"{self.score:.2f}"


def judge(game: str, network: MoveNetwork, position: Position) -> list[JudgedMove]:
    """The legal moves of a position, the likeliest first, as a search is told them."""
    ready = native_map(game, network)
    assert ready is not None
    scored = ready.scores(position)
    return order_moves(position, [move for move, _ in scored], np.array([score for _, score in scored]))


def order_moves(position: Position, moves: Sequence[Move], scores: NDArray[Any]) -> list[JudgedMove]:
    """The moves of a position by their scores, the highest first."""
    if not len(moves):
        return []
    powers = np.exp(scores.astype(np.float64) - scores.max())
    shares = powers / powers.sum()
    return [
        JudgedMove(moves[i], position.san(moves[i]), float(scores[i]), float(shares[i]))
        for i in np.argsort(-scores, kind="stable")
    ]


def worth_of(network: MoveNetwork) -> Worth:
    """Linear outputs are learned as shares, those of tanh as scores from 0 to 1, unless somebody chose otherwise."""
    return "share" if network.function == "linear" else "score"


def random_positions(game: str) -> Iterator[Position]:
    """Positions of random games, the same each time, in which the first player has moves."""
    rng = random.Random(0)
    for _ in range(_RANDOM_GAMES):
        position = Position(game)
        for _ in range(_RANDOM_PLIES):
            if position.outcome() is not None or not (moves := position.moves()):
                break
            if position.turn == 0:
                yield position.copy()
            position.push(rng.choice(moves))


class Preference(NamedTuple):
    """How a network likes a move, wherever it is legal."""

    text: str
    mean: float
    """Of its score beside the mean score of all moves of the position."""
    positions: int


def find_preferences(game: str, network: MoveNetwork, positions: Sequence[Position]) -> list[Preference]:
    """Moves that are legal in some of these positions of the first player, the best liked first.

    Moves that no output stands for are left out: the network has never seen them, and the search tries them last.
    """
    _, targets, promotions = game_info(game).index_sizes
    known = set(network.moves.astype(int).tolist())
    above: dict[str, list[float]] = defaultdict(list)
    for position in positions:
        judged = judge(game, network, position)
        mean = sum(move.score for move in judged) / len(judged)
        for move in judged:
            start, end, promotion = move.move.index
            if not known or (start * targets + end) * promotions + promotion in known:
                above[str(move.move)].append(move.score - mean)
    means = [
        Preference(text, sum(scores) / len(scores), len(scores))
        for text, scores in above.items()
        if len(scores) >= _FEWEST_SEEN
    ]
    return sorted(means, key=lambda preference: -preference.mean)


def rank_correlation(one: Sequence[str], other: Sequence[str]) -> float:
    """Spearman's, of two orders of the same moves."""
    places = {text: place for place, text in enumerate(other)}
    squares = sum((place - places[text]) ** 2 for place, text in enumerate(one))
    return 1 - 6 * squares / (len(one) * (len(one) ** 2 - 1))
