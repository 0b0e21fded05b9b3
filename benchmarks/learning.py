"""How fast pilots learn: positions a second, the share of the searches in it, and two workers beside one.

    python benchmarks/learning.py [--rounds 5] [--json FILE]

Each row but the last is a whole learning run by TD(lambda) with its run folder: games, updates, metrics, and a
checkpoint after each batch of 16. The first rows set its rate beside that of its searches alone, so that the ratio is
their share of the time. The next row sets two workers beside one, which must also have learned the same. The last row
is of epochs in which a network learns to order the moves of chess, validation included: two threads beside one.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from dataclasses import dataclass, field
from functools import cache

import plypilot as pp
from plypilot.learn import NO_CHECKS, TD, Fixed, MoveMap, State, train
from rounds import Bench, Row, read_arguments

DEPTH = 3
GAMES = {"chess": 320, "loa": 960, "breakthrough": 1920, "shogi": 48}
"""Of a round: some seconds, so that the start and the end of a run, a dozen flushes, count for little."""
LEAST_SHARE = 0.95
WORKERS_GAMES = 960
LEAST_GAIN = 1.8
EPOCHS = 5
LEAST_EPOCH_GAIN = 1.5
"""Of two threads in an epoch, which share the cores' memory."""
ORDERING = MoveMap(play={"games": 600, "batch": 600, "nodes": 100})


@dataclass
class Learning:
    """Runs of one game; what the last one was like."""

    game: str
    games: int
    workers: int = 1
    search_rate: float = 0.0
    """Positions for each second of searching."""
    digests: set[str] = field(default_factory=set)
    """Of the pilots that were learned."""

    def rate(self) -> float:
        """Positions a second of one run."""
        learner = TD(games=self.games, depth=DEPTH, even=True, opening_plies=6, step_size=Fixed(rate=0.001))
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            run = train(learner, pp.Pilot.baseline(self.game), folder, workers=self.workers, checks=NO_CHECKS)
            seconds = time.perf_counter() - began
        positions = sum(int(line["plies"]) for line in run.metrics)
        searching = sum(float(line["seconds"]) * (1 - float(line["outside_search"])) for line in run.metrics)
        self.search_rate = positions / searching
        self.digests.add(run.pilot.digest)
        return positions / seconds

    def rate_of_searches(self) -> float:
        """That of the searches of the run that was timed last."""
        return self.search_rate


@cache
def state_of_games() -> State:
    """Where epochs begin: own games of chess were played, and their cases are in memory."""
    with pp.Workers.threads(2) as workers:
        state, _ = ORDERING.step(ORDERING.start(pp.Pilot.baseline("chess"), 0), workers)
        ORDERING.step(state, workers)
    return state


@dataclass
class Epochs:
    """Epochs on so many threads; how fast they were."""

    threads: int
    rates: list[float] = field(default_factory=list)

    def rate(self) -> float:
        """Cases a second of some epochs."""
        state, cases, seconds = state_of_games(), 0, 0.0
        with pp.Workers.threads(self.threads) as workers:
            for _ in range(EPOCHS):
                state, metrics = ORDERING.step(state, workers)
                cases, seconds = cases + int(metrics["positions"]), seconds + float(metrics["seconds"])
        self.rates.append(cases / seconds)
        return self.rates[-1]

    def tell(self) -> str:
        """The time that a case takes."""
        return f"{1e6 / statistics.median(self.rates):.2f} microseconds a case"


def share_row(game: str) -> Row:
    """Learning beside its searches."""
    learning = Learning(game, GAMES[game])
    return Row(
        game,
        f"learning, depth {DEPTH}",
        "plies/s",
        "its searches alone",
        LEAST_SHARE,
        learning.rate,
        learning.rate_of_searches,
    )


def main() -> None:
    """Runs the benchmark."""
    arguments = read_arguments(__doc__ or "")
    one, two = Learning("loa", WORKERS_GAMES), Learning("loa", WORKERS_GAMES, workers=2)
    slow, quick = Epochs(1), Epochs(2)
    bench = Bench()
    bench.rows = [
        *map(share_row, GAMES),
        Row("loa", "2 workers beside 1", "plies/s", "1 worker", LEAST_GAIN, two.rate, one.rate),
        Row("chess", "movemap, 2 threads", "cases/s", "1 thread", LEAST_EPOCH_GAIN, quick.rate, slow.rate),
    ]

    def more() -> dict[str, object]:
        equal = len(one.digests | two.digests) == 1
        print(f"pilots learned by 1 and 2 workers are {'equal' if equal else 'NOT EQUAL'}")
        print(f"an epoch of movemap: {slow.tell()} on one thread, {quick.tell()} on two")
        return {"equal_results": equal}

    bench.run(arguments, more)


if __name__ == "__main__":
    main()
