"""Evaluations learned from the rules alone against those set by hand: Lines of Action, Breakthrough and chess.

    python experiments/learned_evaluations.py [--scale quick|full] [--threads N]

Every weight starts at 0 and is learned by TD(lambda) from games that the baseline's search plays with itself. The
learned weights then play a match against the baseline, which differs from them in its weights alone, at equal nodes.
Lines of Action and Breakthrough learn the features of their baselines, and these with a table of squares added; chess
relearns all weights of its baseline (Smith 1999, 7.5: about 61% for the learned weights of Cilkchess).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache

import plypilot as pp
import selfplay
from lab import Claim, Figures, Lab, Missing, core_digest, read_options, start
from plypilot.learn import TD, Fixed, train
from plypilot.searcher import Limit


@dataclass(frozen=True)
class Learning:
    """How one evaluation is learned and tried."""

    name: str
    game: str
    sets: tuple[str, ...]
    games: int
    match_games: int
    depth: int = 3
    rate: float = 0.005
    opening_plies: int = 6
    match_nodes: int = 2000

    def learner(self) -> TD:
        """From games of the pilot with itself, which differ by their openings."""
        return TD(
            games=self.games,
            sets=self.sets,
            depth=self.depth,
            first_weight=0,
            even=True,
            step_size=Fixed(rate=self.rate),
            opening_plies=self.opening_plies,
        )


BREAKTHROUGH = ("material", "safe_advancement")


def _scale(loa: int, breakthrough: int, chess: int, games: int, chess_games: int) -> tuple[Learning, ...]:
    return (
        Learning("loa", "loa", ("mia",), loa, games),
        Learning("loa with squares", "loa", ("mia", "half_board"), loa, games),
        Learning("breakthrough", "breakthrough", BREAKTHROUGH, breakthrough, games),
        Learning("breakthrough with squares", "breakthrough", (*BREAKTHROUGH, "half_board"), breakthrough, games),
        Learning("chess", "chess", ("baseline",), chess, chess_games),
    )


SCALES = {
    "tiny": _scale(16, 16, 4, 4, 2),
    "quick": _scale(4800, 4800, 800, 200, 200),
    "full": _scale(20_000, 20_000, 20_000, 1000, 1000),
}


@cache
def make_pilot(game: str) -> pp.Pilot:
    """The baseline; weights that are not named by ``sets`` are left out by the learner."""
    return pp.Pilot.baseline(game)


def learn(lab: Lab, learning: Learning) -> pp.Pilot:
    """The pilot that a run gives; one that was ended goes on."""
    run = selfplay.Learning(learning.name.replace(" ", "-"), learning.learner(), make_pilot(learning.game), seed=0)
    folder = lab.folder / "runs" / lab.name / core_digest()[:8] / f"{run.name}-{run.digest}"
    return train(run.learner, run.pilot, folder, seed=run.seed, resume=True).pilot


def measure_one(lab: Lab, learning: Learning) -> Figures:
    """The learned weights and the match."""
    learned = learn(lab, learning)
    found = pp.match(
        pp.Contestant("learned", learned),
        pp.Contestant("baseline", make_pilot(learning.game)),
        learning.game,
        games=learning.match_games,
        limit=Limit(nodes=learning.match_nodes),
        seed=1,
    ).content()
    return {
        **{key: found[key] for key in ("games", "wins", "draws", "losses", "score", "elo")},
        "weights": {
            name: {feature: round(value, 1) for feature, value in weights.items()}
            for name, weights in learned.evaluation.named(learning.game).items()
        },
    }


def measure(lab: Lab, learnings: Sequence[Learning]) -> Figures:
    """Each learning by its name."""
    found = lab.measure("learned", learnings, asdict, lambda learning: measure_one(lab, learning))
    return {learning.name: each for learning, each in zip(learnings, found, strict=True)}


def ahead_claim(*names: str) -> Claim:
    """Ours: learned weights are better than those set by hand."""

    def holds(figures: Figures, _: float) -> tuple[bool, str]:
        found = {name: figures[name] for name in names if name in figures}
        if not found:
            raise Missing("not learned at this scale")
        text = "; ".join(f"{name} {each['score']:.1%} of {each['games']}" for name, each in found.items())
        return any(each["elo"]["low"] > 0 for each in found.values()), text

    return Claim(
        f"{names[0]} learned from zero",
        "the learned evaluation is ahead of the one set by hand (ours)",
        "one of the feature sets, with 95% confidence",
        0,
        holds,
    )


def chess_claim(figures: Figures, least: float) -> tuple[bool, str]:
    """Smith 7.5."""
    found = figures["chess"]
    short = f", {least - found['score']:.1%} short" if found["score"] < least else ""
    return found["score"] >= least, f"{found['score']:.1%} of {found['games']} games{short}"


CLAIMS = [
    ahead_claim("loa", "loa with squares"),
    ahead_claim("breakthrough", "breakthrough with squares"),
    Claim(
        "chess relearned from equal weights",
        "about 61% for more than 200 weights of Cilkchess (7.5)",
        "at least {tolerance} of the points",
        0.55,
        chess_claim,
    ),
]


def show(lab: Lab, learnings: Sequence[Learning], figures: Figures) -> None:
    """Prints the matches, and the small sets of weights beside those set by hand."""
    rows = []
    for learning in learnings:
        each = figures[learning.name]
        elo = f"{each['elo']['value']:+.0f} [{each['elo']['low']:+.0f}, {each['elo']['high']:+.0f}]"
        count = sum(map(len, each["weights"].values()))
        results = (each["wins"], each["losses"], each["draws"], f"{each['score']:.1%}", elo)
        rows.append([learning.name, count, learning.games, *results])
    columns = ["evaluation", "weights", "learned from", "won", "lost", "drawn", "score", "Elo"]
    lab.print_table("Learned from zero against set by hand, at equal nodes", columns, rows)
    for learning in learnings:
        hand = make_pilot(learning.game).evaluation.named(learning.game)
        for name in (name for name in learning.sets if name in hand and len(hand[name]) < 20):
            learned = figures[learning.name]["weights"][name]
            lines = [[feature, f"{value:g}", f"{learned[feature]:g}"] for feature, value in hand[name].items()]
            lab.print_table(f"{learning.name}: {name}", ["feature", "by hand", "learned"], lines)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    learnings = SCALES[options.scale]
    lab = Lab("learned_evaluations", options.scale, threads=options.threads, folder=options.out)
    try:
        figures = measure(lab, learnings)
        show(lab, learnings, figures)
        settings = {each.name: asdict(each) | {"learner": each.learner().model_dump(mode="json")} for each in learnings}
        lab.conclude(CLAIMS, figures, settings=settings)
    finally:
        lab.close()


if __name__ == "__main__":
    start(main)
