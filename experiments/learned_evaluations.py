"""Evaluations learned from the rules alone against those set by hand: Lines of Action, Breakthrough, chess and shogi.

    python experiments/learned_evaluations.py [--scale quick|full|PART] [--threads N]

Every weight starts at 0 and is learned by TD(lambda) from games that the baseline's search plays with itself. The
learned evaluation then plays matches against the baseline, at equal nodes and at equal time; the two differ in their
evaluations alone. Lines of Action learns the features of its baseline, Breakthrough these and a table of squares beside
them; chess relearns all weights of its baseline (Smith 1999, 7.5: about 61% for the learned weights of Cilkchess), and
shogi those of its own. Games of learning begin with six random moves, and matches with openings that no learning game
had: other random moves, by another seed, eight of them.

The settings were chosen among others by short matches with other seeds, of learning and of openings, so that what is
found here is not the best of many looks at the same games.

Parts, in minutes on two cores, of which they take one: chess 15, shogi 15, loa 4, breakthrough 11. Equal time is played
on one core with nothing beside it: run it with --threads 1 on a quiet machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plypilot as pp
import selfplay
from harness import Claim, Figures, Harness, Missing
from intervals import is_beyond
from parts import Experiment
from plypilot.learn import NO_CHECKS, TD, Decaying, train
from plypilot.pilot import reference_evaluation
from plypilot.searcher import Limit
from plypilot.versions import core_digest

NODES = 2000
"""A move, in matches of equal nodes."""
SECONDS = 0.004
"""A move, in matches of equal time: about what these nodes take in chess."""
LIMITS = {"equal nodes": Limit(nodes=NODES), "equal time": Limit(seconds=SECONDS)}
OPENING_PLIES = 8
"""Of matches; games of learning have fewer."""
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
            "match_limits": [NODES, SECONDS, OPENING_PLIES],
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
    for_shogi = for_chess.model_copy(update={"games": small, "depth": 2})
    return (  # the longest first
        Learning("chess", "chess", for_chess, games),
        Learning("shogi", "shogi", for_shogi, games),
        Learning("loa", "loa", usual, games),
        Learning("breakthrough", "breakthrough", usual, games),
        Learning("breakthrough with squares", "breakthrough", with_squares, games),
    )


SCALES = {"tiny": _scale(16, 4, 4), "quick": _scale(1500, 1200, 100)}
FULL = _scale(4000, 40_000, 1000)
PARTS = {
    game: tuple(learning for learning in FULL if learning.game == game)
    for game in ("loa", "breakthrough", "shogi", "chess")
}


def learn(harness: Harness, learning: Learning) -> pp.Pilot:
    """The pilot that a run gives; one that was ended goes on."""
    run = selfplay.Learning(learning.name.replace(" ", "-"), learning.learner, learning.pilot, LEARNING_SEED)
    folder = harness.folder / "runs" / harness.name / core_digest()[:8] / f"{run.name}-{run.digest}"
    return train(run.learner, run.pilot, folder, seed=run.seed, resume=True, checks=NO_CHECKS).pilot


def measure_one(harness: Harness, learning: Learning) -> Figures:
    """The learned weights and the match."""
    learned = learn(harness, learning)
    matches = {}
    for name, limit in LIMITS.items():
        outcome = pp.match(
            pp.Contestant("learned", learned),
            pp.Contestant("baseline", learning.pilot),
            learning.game,
            games=learning.match_games,
            limit=limit,
            openings=f"random:{OPENING_PLIES}",
            seed=MATCH_SEED,
        ).content()
        matches[name] = {key: outcome[key] for key in ("games", "wins", "draws", "losses", "score", "elo")}
    return {
        "matches": matches,
        "from": learning.learner.games,
        "weights": {
            name: {feature: round(value, 1) for feature, value in weights.items()}
            for name, weights in learned.evaluation.named(learning.game).items()
        },
    }


def measure(harness: Harness, learnings: Sequence[Learning]) -> Figures:
    """Each learning by its name."""
    found = harness.measure("learned", learnings, Learning.content, lambda learning: measure_one(harness, learning))
    return {learning.name: each for learning, each in zip(learnings, found, strict=True)}


def find(figures: Figures, names: Sequence[str], limit: str) -> dict[str, Figures]:
    """The matches of some evaluations at a limit. Raises Missing."""
    known = {name: figures[name]["matches"][limit] for name in names if name in figures}
    if not known:
        raise Missing("not learned at this scale")
    return known


def tell(match: Mapping[str, Any]) -> str:
    """A match in a phrase."""
    elo = match["elo"]
    return f"{match['score']:.1%} of {match['games']}, Elo {elo['value']:+.0f} [{elo['low']:+.0f}, {elo['high']:+.0f}]"


def ahead_claim(limit: str, name: str, *others: str) -> Claim:
    """Ours: learned weights are better than those set by hand."""

    def holds(figures: Figures, bound: float) -> tuple[bool | None, str]:
        known = find(figures, (name, *others), limit)
        text = "; ".join(f"{learning} {tell(one)}" for learning, one in known.items())
        verdicts = [is_beyond((one["elo"]["low"], one["elo"]["high"]), bound) for one in known.values()]
        return (True if True in verdicts else None if None in verdicts else False), text

    one_of = "one of the feature sets is, " if others else ""
    return Claim(
        f"{name} learned from zero, {limit}",
        "the learned evaluation is ahead of the one set by hand (ours)",
        f"{one_of}with more than {{tolerance:g}} Elo at 95%",
        0,
        holds,
    )


def chess_claim(figures: Figures, least: float) -> tuple[bool, str]:
    """Smith 7.5."""
    found = find(figures, ("chess",), "equal nodes")["chess"]
    return found["score"] >= least, tell(found)


CLAIMS = [
    *(
        ahead_claim(limit, *names)
        for limit in LIMITS
        for names in (("loa",), ("breakthrough", "breakthrough with squares"), ("chess",), ("shogi",))
    ),
    Claim(
        "chess relearned from equal weights",
        "about 61% for more than 200 weights of Cilkchess (7.5)",
        "at least {tolerance} of the points at equal nodes",
        0.55,
        chess_claim,
    ),
]


def show(harness: Harness, figures: Figures) -> None:
    """Prints the matches, and the small sets of weights beside those set by hand."""
    rows = []
    learnings = [learning for learning in FULL if learning.name in figures]
    for learning in learnings:
        each = figures[learning.name]
        for limit, match in each["matches"].items():
            elo = f"{match['elo']['value']:+.0f} [{match['elo']['low']:+.0f}, {match['elo']['high']:+.0f}]"
            results = (match["wins"], match["losses"], match["draws"], f"{match['score']:.1%}", elo)
            rows.append([f"{learning.name}, {limit}", sum(map(len, each["weights"].values())), each["from"], *results])
    columns = ["evaluation", "weights", "learned from", "won", "lost", "drawn", "score", "Elo"]
    title = f"Learned from zero against set by hand, {NODES} nodes or {1000 * SECONDS:g} ms a move"
    harness.print_table(title, columns, rows)
    for learning in learnings:
        hand = learning.pilot.evaluation.named(learning.game)
        for name in (name for name in hand if len(hand[name]) < 20):
            learned = figures[learning.name]["weights"][name]
            lines = [[feature, f"{value:g}", f"{learned[feature]:g}"] for feature, value in hand[name].items()]
            harness.print_table(f"{learning.name}: {name}", ["feature", "by hand", "learned"], lines)


def settings_of(learnings: Sequence[Learning]) -> Mapping[str, Any]:
    """All that the figures of a scale depend on."""
    return {learning.name: learning.content() for learning in learnings}


EXPERIMENT = Experiment(
    name="learned_evaluations",
    text=__doc__,
    small=SCALES,
    parts=PARTS,
    measure=measure,
    show=show,
    claims=CLAIMS,
    settings=settings_of,
)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    EXPERIMENT.run(words)


if __name__ == "__main__":
    from harness import start

    start(main)
