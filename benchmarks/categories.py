"""What categories cost: the time of a search that asks for features of its moves, over the time of one that does not.

    python benchmarks/categories.py [--rounds 9] [--games chess,loa] [--json FILE]

All categories cost one ply, so that every search visits the same nodes, which is checked. A row is the median ratio of
interleaved rounds and their range:

    one cheap feature        captures alone
    every feature, together  one category that asks for every feature; no move has them all
    every feature, apart     one category a feature
    1,000 random             conjunctions of one to four features, over the time of "every feature, together"
"""

from __future__ import annotations

import random

import plypilot as pp
from overheads import Variant, run
from plypilot.games import game_info
from plypilot.settings import Category

NONE, CHEAP, TOGETHER, APART, RANDOM = (
    "none",
    "one cheap feature",
    "every feature, together",
    "every feature, apart",
    "1,000 random",
)
TARGETS = {CHEAP: (NONE, 1.05), TOGETHER: (NONE, 1.25), APART: (NONE, 1.25), RANDOM: (TOGETHER, 1.05)}


def categories_of(game: str) -> dict[str, tuple[Category, ...]]:
    """The categories of each variant, all neutral."""
    names = [feature.name for feature in game_info(game).move_features]
    chance = random.Random(1)
    conjunctions = [tuple(chance.sample(names, chance.randint(1, 4))) for _ in range(1000)]
    return {
        NONE: (),
        CHEAP: (Category(("capture",), 1.0),),
        TOGETHER: (Category(tuple(names), 1.0),),
        APART: tuple(Category((name,), 1.0) for name in names),
        RANDOM: tuple(Category(conjunction, 1.0) for conjunction in conjunctions),
    }


def variants_of(game: str) -> dict[str, Variant]:
    """The baseline of a game with other categories in place of its own."""
    pilot = pp.Pilot.baseline(game)
    return {
        name: Variant(pilot.model_copy(update={"depth": pilot.depth.model_copy(update={"categories": categories})}))
        for name, categories in categories_of(game).items()
    }


if __name__ == "__main__":
    run(__doc__, "categories", variants_of, TARGETS)
