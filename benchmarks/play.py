"""How games are played: by two workers beside one, games a second, and at equal time, in interleaved rounds of one run.

    python benchmarks/play.py [--rounds 5] [--json FILE]

Matches on one and two workers must also have equal results; the other row is a rate beside the promised one. Then, in
each game, pilots of unlike speed play each other at 2 ms a move: the time that each used beside what it was allowed,
which may differ by a hundredth at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import plypilot as pp
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Arena, Task
from plypilot.play.openings import random_openings
from plypilot.searcher import Limit
from rounds import Bench, Row, read_arguments

MATCH_GAMES = 2000
LOA_GAMES = 200
OPENINGS = random_openings("loa", 8, LOA_GAMES, 0)
PROMISED_LOA_GAMES = 100.0
"""A second, plain pilot at depth 2, on one core."""
EQUAL_SECONDS = 0.002
"""A move, in the matches at equal time."""
EQUAL_GAMES = 20
EQUAL_PILOTS = ("baseline", "plain")
PAUSE = 1.05
"""Of the time allowed: what takes longer was paused by the machine. Nothing else takes so long."""
MOST_UNEQUAL = 0.01
"""By which part the time used by two players of unlike speed may differ."""


def match_rate(workers: int, results: dict[int, object]) -> Callable[[], float]:
    """Games a second of the baseline against the plain pilot of Breakthrough at 2,000 nodes a move."""

    def rate() -> float:
        outcome = pp.match(
            "baseline", "plain", "breakthrough", games=MATCH_GAMES, limit=Limit(nodes=2000), workers=workers
        )
        results[workers] = (outcome.standing.tally, outcome.standing.pairs, outcome.standing.causes)
        return MATCH_GAMES / outcome.seconds

    return rate


def loa_rate() -> float:
    """Games a second of the plain pilot of Lines of Action with itself at depth 2, on one core."""
    pilot = pp.Pilot.plain("loa")
    arena = Arena("loa", [pilot, pilot], Limit(depth=2))
    tasks = [Task(opening.position("loa"), seed) for seed, opening in enumerate(OPENINGS)]
    started = time.perf_counter()
    arena.play(tasks)
    return LOA_GAMES / (time.perf_counter() - started)


def equal_time(game: str) -> dict[str, object]:
    """What two pilots of unlike speed used of equal time: one judges by all its features, one by the rules alone.

    A move that took a twentieth more than it was allowed was paused by the machine, which has other things to do; such
    moves are counted, and left out of the time that is compared.
    """
    limit, rule = Limit(seconds=EQUAL_SECONDS), Adjudication(most_plies=80)
    games = pp.match(*EQUAL_PILOTS, game, games=EQUAL_GAMES, limit=limit, adjudication=rule, keep_games=True).games
    players: list[dict[str, Any]] = []
    for seat, name in enumerate(EQUAL_PILOTS):
        moves = [move for played in games for move in played.moves_of(seat)]
        smooth = [move for move in moves if move.seconds <= EQUAL_SECONDS * PAUSE]
        seconds = sum(move.seconds for move in smooth)
        players.append(
            {
                "pilot": name,
                "moves": len(moves),
                "pauses": len(moves) - len(smooth),
                "seconds_a_move": seconds / max(len(smooth), 1),
                "seconds_a_move_with_pauses": sum(move.seconds for move in moves) / max(len(moves), 1),
                "nodes_a_second": sum(move.nodes for move in smooth) / max(seconds, 1e-9),
            }
        )
    one, two = players
    difference = abs(one["seconds_a_move"] - two["seconds_a_move"]) / EQUAL_SECONDS
    verdict = "met" if difference < MOST_UNEQUAL else "not met"
    print(f"{game}, {EQUAL_SECONDS * 1000:g} ms a move: times differ by {difference:.2%}, target 1%: {verdict}")
    for player in players:
        print(
            f"  {player['pilot']:9} used {1000 * player['seconds_a_move']:.4f} ms a move at "
            f"{player['nodes_a_second'] / 1e6:.2f} M nodes/s; {player['pauses']} of {player['moves']} moves were "
            f"paused, with them {1000 * player['seconds_a_move_with_pauses']:.4f} ms"
        )
    return {
        "game": game,
        "seconds_allowed": EQUAL_SECONDS,
        "players": players,
        "difference": difference,
        "target": MOST_UNEQUAL,
        "verdict": verdict,
    }


def main() -> None:
    """Runs the benchmark."""
    arguments = read_arguments(__doc__ or "")
    results: dict[int, object] = {}
    bench = Bench()
    bench.rows = [
        Row(
            "breakthrough",
            "match, 2 workers beside 1",
            "games/s",
            "1 worker",
            1.8,
            match_rate(2, results),
            match_rate(1, results),
        ),
        Row("loa", "plain at depth 2", "games/s", "100 promised", 1.0, loa_rate, lambda: PROMISED_LOA_GAMES),
    ]

    def more() -> dict[str, object]:
        equal = results[1] == results[2]
        print(f"results of 1 and 2 workers are {'equal' if equal else 'NOT EQUAL'}: {results[1]}")
        return {"equal_results": equal, "equal_time": [equal_time(info.name) for info in pp.all_games()]}

    bench.run(arguments, more)


if __name__ == "__main__":
    main()
