"""How fast games are played: by two workers beside one, and games a second, in interleaved rounds of one run.

    python benchmarks/play.py [--rounds 5] [--json FILE]

Matches on one and two workers must also have equal results; the other row is a rate beside the promised one.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import plypilot as pp
from plypilot.play.arena import Arena, Task
from plypilot.play.openings import random_openings
from plypilot.searcher import Limit
from rounds import Bench, Row, read_arguments

MATCH_GAMES = 2000
LOA_GAMES = 200
OPENINGS = random_openings("loa", 8, LOA_GAMES, 0)
PROMISED_LOA_GAMES = 100.0
"""A second, plain pilot at depth 2, on one core."""


def match_rate(workers: int, results: dict[int, object]) -> Callable[[], float]:
    """Games a second of the baseline against the plain pilot of Breakthrough at 2,000 nodes a move."""

    def rate() -> float:
        found = pp.match(
            "baseline", "plain", "breakthrough", games=MATCH_GAMES, limit=Limit(nodes=2000), workers=workers
        )
        results[workers] = (found.standing.tally, found.standing.pairs, found.standing.causes)
        return MATCH_GAMES / found.seconds

    return rate


def loa_rate() -> float:
    """Games a second of the plain pilot of Lines of Action with itself at depth 2, on one core."""
    pilot = pp.Pilot.plain("loa")
    arena = Arena("loa", [pilot, pilot], Limit(depth=2))
    tasks = [Task(opening.position("loa"), seed) for seed, opening in enumerate(OPENINGS)]
    started = time.perf_counter()
    arena.play(tasks)
    return LOA_GAMES / (time.perf_counter() - started)


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
        return {"equal_results": equal}

    bench.run(arguments, more)


if __name__ == "__main__":
    main()
