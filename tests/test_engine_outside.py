"""Our engines as outside engines of our own matches: both ends of the protocols agree in every game."""

from __future__ import annotations

import pytest

import plypilot as pp
from engine_session import PLYPILOT

GAMES = [
    ("chess", "uci"),
    ("chess-324", "uci"),
    ("breakthrough", "uci --game breakthrough"),
    ("breakthrough", "uci"),  # told by UCI_Variant
    ("loa", "uci --game loa"),
    ("shogi", "usi"),
]


@pytest.mark.parametrize(("game", "words"), GAMES)
@pytest.mark.parametrize("limit", [pp.Limit(nodes=1000), pp.Limit(clock=2, increment=0.02)], ids=["nodes", "clock"])
def test_an_outside_engine_that_is_our_own_plays_whole_games(game: str, words: str, limit: pp.Limit) -> None:
    protocol, *rest = words.split()
    with pp.OutsideEngine(f"{protocol}:{PLYPILOT} {' '.join([protocol, *rest])}") as engine:
        engine.check(game)
        engine.new_game(game, 1)
        position = pp.Position(game)
        while position.outcome() is None and position.ply < 40:
            choice = engine.choose(position, limit, limit.clock)
            assert choice.score is not None
            assert choice.depth > 0
            position.push(choice.move)
