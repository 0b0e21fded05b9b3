"""Learns to judge positions of Lines of Action from the rules alone, and proves it: what ``make learn`` runs.

    python examples/learn_loa.py [FOLDER]

It starts from the search of the baseline with every weight of the evaluation at 0, learns by TD on games with itself,
and plays what it learned against the pilot it started from and against the hand-set weights. Ended at any moment, the
same command goes on from there.
"""

from __future__ import annotations

import sys
from pathlib import Path

import plypilot as pp
from plypilot.cli.output import Ticker
from plypilot.learn import TD, TemporalCoherence, train
from plypilot.report import write_report

LEARNER = TD(games=4800, step_size=TemporalCoherence(rate=0.1))
GAMES = 400
NODES = 1000
WORKERS = 2


def main(folder: Path) -> None:
    """Learns, plays, reports."""
    hand_set = pp.Pilot.baseline("loa")
    nothing = pp.Evaluation.linear("loa", {"mia": {}})
    first = hand_set.model_copy(update={"evaluation": nothing})
    print(f"learning Lines of Action from the rules alone: {LEARNER.games} games at depth {LEARNER.depth}, in {folder}")
    with Ticker() as ticker:
        run = train(
            LEARNER,
            first,
            folder,
            workers=WORKERS,
            resume=True,
            on_step=lambda _, told: ticker.tell(
                lambda: f"{told['games']} of {LEARNER.games} games, prediction error {told['error']:.3f}"
            ),
        )
    print(run.history.tell())
    print("learned weights:")
    for name, weight in run.best.evaluation.named("loa")["mia"].items():
        print(f"  {name:16} {weight:8.1f}")
    learned = pp.Contestant("learned", run.best)
    for name, opponent in (("the pilot it started from", first), ("the hand-set weights", hand_set)):
        outcome = pp.match(
            learned,
            pp.Contestant(name, opponent),
            "loa",
            games=GAMES,
            limit=pp.Limit(nodes=NODES),
            workers=WORKERS,
            folder=folder / ("match" if opponent is first else "match-hand-set"),
            resume=True,
        )
        elo = outcome.content()["elo"]
        sure = "ahead with 95% confidence" if elo["low"] > 0 else "not ahead with 95% confidence"
        print(f"{outcome}\n  {sure}, {outcome.standing.tally.games} games at {NODES} nodes a move")
    print(f"the report, a page with plots: {write_report(folder)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("runs/learn"))
