"""Realization probability search and its enhancement against late-move reductions: Skowronski 2009, 2.2.4 and 2.2.5.

    python experiments/rps.py [--scale quick|loa|shogi|loa-rps|loa-erps|shogi-rps|shogi-erps|full] [--threads N]

rps_loa and rps_shogi: a pattern set comes from games of the baseline with itself; how often moves of each kind were
played becomes what they cost. In Lines of Action kinds are told apart by three groups of features, so that each move
has one: whether it takes something, its rings of origin and target, and whether it comes nearer to the mass of its
side. In shogi they are told apart by what moves, what is taken, whether it takes back, checks, promotes or is a drop.
The constant C is found by the learner's own trials at equal nodes, on games that judge nothing here. RPS gives a move
that did well all depth back, ERPS half of it first, and looks again at moves that lost much and failed low.

Both take the place of the baseline's late-move reductions. Each plays 1,000 games at 20 ms a move against the baseline
without late-move reductions, and as many against the baseline with them, from openings that no trial has seen. A scale
of a game and a kind of search is that part of full.

The rules, fixed before the run: RPS and ERPS gain against the baseline without reductions, lower end of the 95%
interval above 0; they are not behind the baseline with them, upper end not below 0; and ERPS is not behind RPS: the
sum of its two differences in Elo is not below that of RPS by more than the interval of what lies between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import hypot
from typing import Any

import orderings
import plypilot as pp
from harness import Claim, Figures, Harness, Missing, read_options, start
from plypilot.learn import NO_CHECKS, train
from plypilot.learn.realization import Confirmation, Realization
from plypilot.learn.selfplay_set import SelfPlay, make_selfplay_set
from plypilot.searcher import Limit

LEARNING_SEED, SET_SEED, MATCH_SEED = 1, 21, 4_000_000
SEED_CATEGORIES = 277
"""Of Lines of Action in the literature (Winands and Bjornsson 2008)."""
SEARCHES: dict[str, Confirmation] = {"rps": "full", "erps": "stepwise"}
OPPONENTS = ("without reductions", "with reductions")


@dataclass(frozen=True)
class Part:
    """What is done for one game."""

    game: str
    groups: tuple[str, ...]
    """Of features that tell kinds of moves apart."""
    positions: int
    """Of the pattern set, in all three splits."""
    games: int = 1000
    milliseconds: float = 20
    nodes: int = 1000
    """Of each move of own games."""
    learner: Mapping[str, Any] = field(default_factory=dict)
    searches: tuple[str, ...] = tuple(SEARCHES)


LOA = Part("loa", ("capture", "from", "to", "mass"), 200_000)
SHOGI = Part("shogi", ("moved", "captured", "recapture", "check", "drop", "promotion"), 200_000)
FEW = {"trials": {"games": 20, "nodes": 300}}
TINY = {"constants": [0.1], "trials": {"games": 2, "nodes": 30}}
GAMES = {"loa": LOA, "shogi": SHOGI}
SCALES: dict[str, dict[str, Part]] = {
    "tiny": {"loa": replace(LOA, positions=600, games=2, milliseconds=1, nodes=30, learner=TINY)},
    "quick": {game: replace(part, positions=6000, games=20, learner=FEW) for game, part in GAMES.items()},
    **{
        f"{game}-{search}": {game: replace(part, searches=(search,))}
        for game, part in GAMES.items()
        for search in SEARCHES
    },
    **{game: {game: part} for game, part in GAMES.items()},
    "full": GAMES,
}


def plain_pilot(game: str) -> pp.Pilot:
    """The baseline without late-move reductions, in whose place the costs of moves stand."""
    return pp.Pilot.baseline(game).replace({"depth.reduce_late": False})


@dataclass(frozen=True)
class Learned:
    """A pilot with the costs of its moves, and how they were found."""

    pilot: pp.Pilot
    kinds: int
    way: str
    is_found_better: bool
    """Trials found its way of use better than full depth; else it is the first way that they tried."""


def learn(made: Harness, part: Part, search: str) -> Learned:
    """Counts the set and tries ways of use; the set is kept, and the run goes on where it was."""
    pilot = plain_pilot(part.game)
    folder = made.folder / "runs" / made.name
    patterns = folder / f"{part.game}-{part.positions}-{pilot.digest[:8]}.set"
    selfplay = SelfPlay(pp.Pilot.baseline(part.game), Limit(nodes=part.nodes), seed=SET_SEED)
    make_selfplay_set(patterns, selfplay, positions=part.positions, workers=made.threads)
    learner = Realization(
        data=str(patterns),
        groups=part.groups,
        excess="every",
        confirmation=SEARCHES[search],
        contrasts=(1.0,),
        **part.learner,
    )
    place = folder / f"{search}-{patterns.stem}"
    run = train(
        learner,
        pilot,
        place,
        seed=LEARNING_SEED,
        checks=NO_CHECKS,
        workers=made.threads,
        resume=place.exists(),
    )
    way = learner.best_or_first_way(run.state)
    is_found_better = any(trial.is_better for trial in learner.tried_ways(run.state))
    return Learned(learner.steer(run.state, way), len(learner.kinds(run.state)), way.tell(), is_found_better)


def measure(made: Harness, part: Part) -> Figures:
    """What was learned for a game, and its matches."""
    opponents = dict(zip(OPPONENTS, (plain_pilot(part.game), pp.Pilot.baseline(part.game)), strict=True))
    limit = Limit(seconds=part.milliseconds / 1000)
    figures: Figures = {}
    for search in part.searches:
        learned = learn(made, part, search)
        figures[search] = {
            "kinds": learned.kinds,
            "way": learned.way,
            "is_found_better": learned.is_found_better,
            "pilot": learned.pilot.digest[:16],
            "matches": {
                name: orderings.play_match(
                    made,
                    f"{part.game}, {search} against the baseline {name}",
                    learned.pilot,
                    opponent,
                    games=part.games,
                    limits=(limit, limit),
                    seed=MATCH_SEED + number,
                )
                for number, (name, opponent) in enumerate(opponents.items())
            },
        }
    return figures


def _elo(figures: Figures, game: str, search: str, opponent: str) -> list[float]:
    try:
        elo: list[float] = figures[game][search]["matches"][opponent]["elo"]
    except KeyError as error:
        raise Missing("not played at this scale") from error
    return elo


def _tell(elo: Sequence[float]) -> str:
    return f"Elo {elo[0]:+.0f} [{elo[1]:+.0f}, {elo[2]:+.0f}]"


def _gains(figures: Figures, game: str, search: str) -> tuple[bool, str]:
    elo = _elo(figures, game, search, OPPONENTS[0])
    return elo[1] > 0, _tell(elo)


def _is_not_behind(figures: Figures, game: str, search: str) -> tuple[bool, str]:
    elo = _elo(figures, game, search, OPPONENTS[1])
    return elo[2] >= 0, _tell(elo)


def _is_enhanced(figures: Figures, game: str) -> tuple[bool, str]:
    elos = {search: [_elo(figures, game, search, opponent) for opponent in OPPONENTS] for search in SEARCHES}
    plain, enhanced = (sum(elo[0] for elo in elos[search]) for search in SEARCHES)
    deviation = hypot(*((elo[2] - elo[1]) / 2 for both in elos.values() for elo in both))
    text = f"sums of both differences: RPS {plain:+.0f}, ERPS {enhanced:+.0f}, what lies between +- {deviation:.0f}"
    return enhanced - plain >= -deviation, text


CLAIMS = [
    claim
    for game, name in (("loa", "Lines of Action"), ("shogi", "shogi"))
    for claim in (
        *(
            Claim(
                f"{name}: {search.upper()} gains against full depth",
                "played with success in shogi and Lines of Action (2.2.4, 2.2.5); tells no figure",
                "against the baseline without late-move reductions: interval above 0",
                0,
                lambda figures, _, game=game, search=search: _gains(figures, game, search),
            )
            for search in SEARCHES
        ),
        *(
            Claim(
                f"{name}: {search.upper()} is not behind late-move reductions",
                "none: beyond the seeds",
                "against the baseline with all its selectivity: upper end of the interval not below 0",
                0,
                lambda figures, _, game=game, search=search: _is_not_behind(figures, game, search),
            )
            for search in SEARCHES
        ),
        Claim(
            f"{name}: ERPS is not behind RPS",
            "a more stable implementation (2.2.6)",
            "the sum of both differences in Elo not below that of RPS with 95% confidence",
            0,
            lambda figures, _, game=game: _is_enhanced(figures, game),
        ),
    )
]


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    made = Harness("rps", options.scale, threads=options.threads, folder=options.out)
    parts = SCALES[options.scale]
    figures: Figures = {}
    for game, part in parts.items():
        figures[game] = measure(made, part)
        made.print_table(
            game,
            ("search", "kinds of moves", "way of use", "against the baseline", "games", "score", "Elo", "95%"),
            [
                (
                    search.upper(),
                    told["kinds"],
                    told["way"] + ("" if told["is_found_better"] else " (no trial won)"),
                    opponent,
                    match["games"],
                    f"{match['score']:.1%}",
                    f"{match['elo'][0]:+.0f}",
                    f"{match['elo'][1]:+.0f} to {match['elo'][2]:+.0f}",
                )
                for search, told in figures[game].items()
                for opponent, match in told["matches"].items()
            ],
        )
        if game == "loa":
            counts = {told["kinds"] for told in figures[game].values()}
            print(f"{', '.join(map(str, counts))} kinds of moves; {SEED_CATEGORIES} categories in the literature")
    settings = {
        "parts": {game: {**vars(part), "learner": dict(part.learner)} for game, part in parts.items()},
        "seeds": [LEARNING_SEED, SET_SEED, MATCH_SEED],
    }
    made.conclude(CLAIMS, figures, settings=settings, seed=LEARNING_SEED)
    made.close()


if __name__ == "__main__":
    start(main)
