"""Evaluations learned from the rules alone against those set by hand: Lines of Action, Breakthrough and chess.

    python experiments/learned_evaluations.py [--scale quick|full] [--threads N]

Every weight starts at 0 and is learned by TD(lambda) from games that the baseline's search plays with itself. The
learned evaluation then plays a match against the baseline at equal nodes; the two differ in their evaluations alone.
Lines of Action learns the features of its baseline, Breakthrough these and a table of squares beside them; chess
relearns all weights of its baseline (Smith 1999, 7.5: about 61% for the learned weights of Cilkchess).

The settings were chosen among others by short matches with other seeds, of learning and of openings, so that what is
found here is not the best of many looks at the same games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plypilot as pp
import selfplay
from harness import Claim, Figures, Harness, Missing, read_options, start
from plypilot.learn import NO_CHECKS, TD, Decaying, train
from plypilot.pilot import reference_evaluation
from plypilot.searcher import Limit
from plypilot.versions import core_digest

NODES = 2000
"""A move, in the matches."""
LEARNING_SEED, MATCH_SEED = 1, 3


@dataclass(frozen=True)
class Learning:
    """How one evaluation is learned and tried."""

    name: str
    game: str
    learner: TD
    match_games: int

    @property
    def pilot(self) -> pp.Pilot:
        """The one to learn from and to beat: the baseline, in Breakthrough with its best evaluation set by hand."""
        baseline = pp.Pilot.baseline(self.game)
        if self.game != "breakthrough":
            return baseline
        return baseline.model_copy(update={"evaluation": reference_evaluation(self.game, "safe_advance")})

    def content(self) -> dict[str, object]:
        """As plain data: all that the figures depend on."""
        return {
            "game": self.game,
            "learner": self.learner.model_dump(mode="json"),
            "match_games": self.match_games,
            "match_nodes": NODES,
            "seeds": [LEARNING_SEED, MATCH_SEED],
        }


def _scale(small: int, chess: int, games: int) -> tuple[Learning, ...]:
    """Evaluations learned from so many games, and chess from its own number of them."""
    usual = TD(
        games=small,
        depth=3,
        first_weight=0,
        even=True,
        step_size=Decaying(rate=0.05, halfway=1000),
        trace_decay=0.7,
        steepness=1.0,
        opening_plies=6,
        average=0.4,
    )
    with_squares = usual.model_copy(update={"sets": ("material", "safe_advancement", "half_board")})
    # Many weights of chess are those of rare features. The steepness makes a pawn about 100, the unit of the margins of
    # its search.
    for_chess = usual.model_copy(
        update={
            "games": chess,
            "steepness": 0.5,
            "least_frequency": 0.005,
            "step_size": Decaying(rate=0.05, halfway=1500),
            "average": 0.5,
        }
    )
    return (  # the longest first
        Learning("chess", "chess", for_chess, games),
        Learning("loa", "loa", usual, games),
        Learning("breakthrough", "breakthrough", usual, games),
        Learning("breakthrough with squares", "breakthrough", with_squares, games),
    )


SCALES = {
    "tiny": _scale(16, 4, 4),
    "quick": _scale(2000, 1600, 200),
    "full": _scale(4000, 40_000, 1000),
}


def learn(harness: Harness, learning: Learning) -> pp.Pilot:
    """The pilot that a run gives; one that was ended goes on."""
    run = selfplay.Learning(learning.name.replace(" ", "-"), learning.learner, learning.pilot, LEARNING_SEED)
    folder = harness.folder / "runs" / harness.name / core_digest()[:8] / f"{run.name}-{run.digest}"
    return train(run.learner, run.pilot, folder, seed=run.seed, resume=True, checks=NO_CHECKS).pilot


def measure_one(harness: Harness, learning: Learning) -> Figures:
    """The learned weights and the match."""
    learned = learn(harness, learning)
    outcome = pp.match(
        pp.Contestant("learned", learned),
        pp.Contestant("baseline", learning.pilot),
        learning.game,
        games=learning.match_games,
        limit=Limit(nodes=NODES),
        seed=MATCH_SEED,
    ).content()
    return {
        **{key: outcome[key] for key in ("games", "wins", "draws", "losses", "score", "elo")},
        "weights": {
            name: {feature: round(value, 1) for feature, value in weights.items()}
            for name, weights in learned.evaluation.named(learning.game).items()
        },
    }


def measure(harness: Harness, learnings: Sequence[Learning]) -> Figures:
    """Each learning by its name."""
    found = harness.measure("learned", learnings, Learning.content, lambda learning: measure_one(harness, learning))
    return {learning.name: each for learning, each in zip(learnings, found, strict=True)}


def ahead_claim(name: str, *others: str) -> Claim:
    """Ours: learned weights are better than those set by hand."""

    def holds(figures: Figures, _: float) -> tuple[bool, str]:
        known = {learning: figures[learning] for learning in (name, *others) if learning in figures}
        if not known:
            raise Missing("not learned at this scale")
        text = "; ".join(f"{learning} {one['score']:.1%} of {one['games']}" for learning, one in known.items())
        return any(one["elo"]["low"] > 0 for one in known.values()), text

    return Claim(
        f"{name} learned from zero",
        "the learned evaluation is ahead of the one set by hand (ours)",
        "one of the feature sets is, with 95% confidence",
        0,
        holds,
    )


def chess_claim(figures: Figures, least: float) -> tuple[bool, str]:
    """Smith 7.5."""
    found = figures["chess"]
    short = f", {least - found['score']:.1%} short" if found["score"] < least else ""
    return found["score"] >= least, f"{found['score']:.1%} of {found['games']} games{short}"


CLAIMS = [
    ahead_claim("loa"),
    ahead_claim("breakthrough", "breakthrough with squares"),
    Claim(
        "chess relearned from equal weights",
        "about 61% for more than 200 weights of Cilkchess (7.5)",
        "at least {tolerance} of the points",
        0.55,
        chess_claim,
    ),
]


def show(harness: Harness, learnings: Sequence[Learning], figures: Figures) -> None:
    """Prints the matches, and the small sets of weights beside those set by hand."""
    rows = []
    for learning in learnings:
        each = figures[learning.name]
        elo = f"{each['elo']['value']:+.0f} [{each['elo']['low']:+.0f}, {each['elo']['high']:+.0f}]"
        count = sum(map(len, each["weights"].values()))
        results = (each["wins"], each["losses"], each["draws"], f"{each['score']:.1%}", elo)
        rows.append([learning.name, count, learning.learner.games, *results])
    columns = ["evaluation", "weights", "learned from", "won", "lost", "drawn", "score", "Elo"]
    harness.print_table(f"Learned from zero against set by hand, {NODES} nodes a move", columns, rows)
    for learning in learnings:
        hand = learning.pilot.evaluation.named(learning.game)
        for name in (name for name in hand if len(hand[name]) < 20):
            learned = figures[learning.name]["weights"][name]
            lines = [[feature, f"{value:g}", f"{learned[feature]:g}"] for feature, value in hand[name].items()]
            harness.print_table(f"{learning.name}: {name}", ["feature", "by hand", "learned"], lines)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    learnings = SCALES[options.scale]
    harness = Harness("learned_evaluations", options.scale, threads=options.threads, folder=options.out)
    try:
        figures = measure(harness, learnings)
        show(harness, learnings, figures)
        harness.conclude(
            CLAIMS, figures, settings={learning.name: learning.content() for learning in learnings}, seed=LEARNING_SEED
        )
    finally:
        harness.close()


if __name__ == "__main__":
    start(main)
