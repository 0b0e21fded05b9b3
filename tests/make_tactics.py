"""Makes tests/tactics.json: positions in which one move wins by force, as an exhaustive search finds it.

    python tests/make_tactics.py

The positions come from games of chance. In each, a search of every move without any selective technique proves that
one move wins the game within three or five plies and no other does. Nothing selective has a say in the choice.
"""

from __future__ import annotations

import json
from pathlib import Path

import plypilot as pp
from conftest import random_game
from plypilot.score import LEAST_WIN, win_distance
from plypilot.searcher import Limit, Searcher

FILE = Path(__file__).with_name("tactics.json")
COUNT = 25
"""Positions of each game."""
DEPTHS = {"breakthrough": 5, "chess": 3, "loa": 3, "shogi": 3}
"""Of the exhaustive search, in plies."""
LONGEST = 80
"""Plies of chance at most."""


def exhaustive(game: str) -> pp.Pilot:
    """Every move to the full depth, judged by material; only order and table save work."""
    return pp.Pilot.plain(game, "material").replace(
        {
            "search.table.log2_entries": 18,
            "search.table.exact": True,
            "ordering.table_move": True,
            "ordering.captures": True,
            "ordering.killers": 2,
            "ordering.history": True,
        }
    )


def find_tactics(game: str) -> list[dict[str, object]]:
    """The first positions of chance that qualify."""
    searcher, tactics, seed = Searcher(exhaustive(game)), [], 0
    while len(tactics) < COUNT:
        seed += 1
        position = random_game(game, seed, 8 + seed % (LONGEST - 8))
        if position.outcome() is not None or position.count_moves() < 2:
            continue
        position = pp.Position(game, position.fen())
        searcher.clear()
        result = searcher.search(position, Limit(depth=DEPTHS[game]))
        if (win_distance(result.score) or 0) < 3:
            continue
        best, second = searcher.search(position, Limit(depth=DEPTHS[game]), lines=2).lines
        if second.score < LEAST_WIN:
            plies = win_distance(best.score)
            tactics.append({"game": game, "fen": position.fen(), "move": str(best.move), "plies": plies})
    return tactics


def main() -> None:
    """Writes the file."""
    tactics = [tactic for game in DEPTHS for tactic in find_tactics(game)]
    lines = ",\n".join(json.dumps(tactic) for tactic in tactics)
    FILE.write_text(f"[\n{lines}\n]\n", "utf-8")


if __name__ == "__main__":
    main()
