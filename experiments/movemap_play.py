"""Whether a learned order of moves pays in games: the Neural MoveMap against history, at equal time a move.

    python experiments/movemap_play.py [--scale quick|loa|loa-long|breakthrough|...|full] [--threads N] [--data GAMES]

For each game a network is learned for the baseline: in Lines of Action, Breakthrough and shogi from the baseline's own
games, in chess from master games, which --data names (without it, from own games too). Whether captures stay first, and
where the network is asked, the learner finds by trials, as it does for everybody. Both players are the baseline with
all its selectivity; they differ in their ordering alone. Each pair plays 1,000 games at 20 ms a move (chess and shogi
400 at 50 ms) and 200 at five times that (chess and shogi 60, which take as long), from random openings. Beside it
stands what more time is worth: the baseline with 1.2 times the time against itself, in the same run.

The rules, fixed before the run: in Lines of Action the learned order must gain at least what 1.2 times the time gains,
with the lower end of its 95% interval above 0; in chess it must not be behind, that is the upper end must not be
below 0. The scale of one game runs that game's part of full, but for the long matches, which have a scale of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orderings
import plypilot as pp
from harness import Claim, Figures, Harness, Missing, read_options, start
from plypilot.compute import Workers
from plypilot.data.patterns import import_games
from plypilot.learn.selfplay_set import SelfPlay, make_selfplay_set
from plypilot.searcher import Limit

LEARNING_SEED, SET_SEED, MATCH_SEED = 1, 11, 2_000_000
MORE_TIME = 1.2
SIDE_LINES = 6
"""Of each own game, as the learner has them where it plays its games itself."""


CHESS = {"select": {"phase": "middle"}, "epochs": 12, "inputs": ("board", "last_move")}
"""What helped networks of chess to predict moves of other games, on validation positions; in Lines of Action the last
move did not."""


@dataclass(frozen=True)
class Part:
    """What is done for one game."""

    game: str
    positions: int
    """Of own games, in all three splits."""
    limit: Limit
    """Of each move of own games."""
    learner: Mapping[str, Any]
    milliseconds: float
    games: int
    long_games: int
    more_time: bool = False
    """Whether the worth of more time is measured too."""
    lengths: tuple[str, ...] = ("usual", "long")
    """Of the matches: at the usual time, and at five times that."""


def _parts(share: float) -> dict[str, Part]:
    """The parts of a full run, or of one that has this share of it."""
    games, long_games, few, few_long_games = (max(2, 2 * round(count * share / 2)) for count in (1000, 200, 400, 60))
    positions = {"loa": 740_000, "breakthrough": 500_000, "shogi": 500_000, "chess": 500_000}
    size = {game: max(3000, round(count * share)) for game, count in positions.items()}
    own = Limit(nodes=1000)
    return {
        "loa": Part("loa", size["loa"], Limit(depth=4), {}, 20, games, long_games, more_time=True),
        "breakthrough": Part("breakthrough", size["breakthrough"], own, {}, 20, games, long_games),
        "shogi": Part("shogi", size["shogi"], own, {}, 50, few, few_long_games),
        "chess": Part("chess", size["chess"], own, CHESS, 50, few, few_long_games),
    }


TINY = {"epochs": 1, "trials": {"games": 2, "nodes": 30}}
SCALES: dict[str, dict[str, Part]] = {
    "tiny": {"breakthrough": Part("breakthrough", 600, Limit(nodes=50), TINY, 1, 2, 2, more_time=True)},
    "quick": _parts(0.02),
    **{game: {game: replace(part, lengths=("usual",))} for game, part in _parts(1).items()},
    **{f"{game}-long": {game: replace(part, lengths=("long",))} for game, part in _parts(1).items()},
    "full": _parts(1),
}


def learned_pilot(made: Harness, part: Part, records: Path | None) -> pp.Pilot:
    """The baseline with a network that was learned for it; sets and runs are kept and go on where they were."""
    pilot = pp.Pilot.baseline(part.game)
    folder = made.folder / "runs" / made.name
    source = records if part.game == "chess" else None
    patterns = folder / f"{part.game}-{'records' if source else part.positions}.set"
    if source is None:
        selfplay = SelfPlay(pilot, part.limit, side_lines=SIDE_LINES, seed=SET_SEED)
        make_selfplay_set(patterns, selfplay, positions=part.positions, workers=made.threads)
    elif not (patterns / "description.set").exists():
        with Workers.processes(made.threads) as workers:
            import_games([source], part.game, patterns, workers=workers)
    settings = dict(part.learner) if source else {key: value for key, value in part.learner.items() if key != "select"}
    return orderings.learn_order(made, pilot, patterns, part.game, {"trials": {}, **settings}, LEARNING_SEED)


def play(made: Harness, part: Part, learned: pp.Pilot) -> Figures:
    """The matches of one game."""
    baseline = pp.Pilot.baseline(part.game)
    usual, long = Limit(seconds=part.milliseconds / 1000), Limit(seconds=5 * part.milliseconds / 1000)
    matches: Figures = {}

    def add(name: str, one: pp.Pilot, games: int, limits: tuple[Limit, Limit], seed: int) -> None:
        matches[name] = orderings.play_match(
            made, f"{part.game}, {name}", one, baseline, games=games, limits=limits, seed=MATCH_SEED + seed
        )

    if "usual" in part.lengths:
        add("learned", learned, part.games, (usual, usual), 0)
    if "usual" in part.lengths and part.more_time:
        more = Limit(seconds=MORE_TIME * part.milliseconds / 1000)
        add("more time", baseline, part.games, (more, usual), 1)
    if "long" in part.lengths:
        add("learned, five times the time", learned, part.long_games, (long, long), 2)
    return matches


def _figure(figures: Figures, game: str, name: str) -> list[float]:
    try:
        elo: list[float] = figures[game]["matches"][name]["elo"]
    except KeyError as error:
        raise Missing("not played at this scale") from error
    return elo


def _gains_more_than_time(figures: Figures, _: float) -> tuple[bool, str]:
    learned, time = _figure(figures, "loa", "learned"), _figure(figures, "loa", "more time")
    text = f"Elo {learned[0]:+.0f} [{learned[1]:+.0f}, {learned[2]:+.0f}], {MORE_TIME} times the time {time[0]:+.0f}"
    return learned[0] >= time[0] and learned[1] > 0, text


def _is_not_behind(figures: Figures, _: float) -> tuple[bool, str]:
    elo = _figure(figures, "chess", "learned")
    return elo[2] >= 0, f"Elo {elo[0]:+.0f} [{elo[1]:+.0f}, {elo[2]:+.0f}]"


CLAIMS = [
    Claim(
        "Lines of Action gains what more time gains",
        "figure 3.13: 22% fewer nodes and 17% less time at depth 11 in MIA",
        "Elo at least that of 1.2 times the time, interval above 0",
        0,
        _gains_more_than_time,
    ),
    Claim(
        "chess does not lose",
        "figure 3.14: about 2% fewer nodes at depths 3 to 9, 7.5% at depth 11 in CRAFTY",
        "not behind with 95% confidence",
        0,
        _is_not_behind,
    ),
]


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES, data="chess games on record, in any format that import takes")
    made = Harness("movemap_play", options.scale, threads=options.threads, folder=options.out)
    parts = SCALES[options.scale]
    figures: Figures = {}
    for game, part in parts.items():
        learned = learned_pilot(made, part, options.data)
        figures[game] = {"pilot": learned.digest[:16], "matches": play(made, part, learned)}
        made.print_table(
            game,
            ("match", "games", "score", "Elo", "95%", "seconds used"),
            [
                (
                    name,
                    told["games"],
                    f"{told['score']:.1%}",
                    f"{told['elo'][0]:+.0f}",
                    f"{told['elo'][1]:+.0f} to {told['elo'][2]:+.0f}",
                    " and ".join(map(str, told["seconds_used"])),
                )
                for name, told in figures[game]["matches"].items()
            ],
        )
    settings = {
        "parts": {
            game: {**vars(part), "limit": part.limit.limits(), "learner": dict(part.learner)}
            for game, part in parts.items()
        },
        "records": None if options.data is None else options.data.name,
        "seeds": [LEARNING_SEED, SET_SEED, MATCH_SEED],
    }
    made.conclude(CLAIMS, figures, settings=settings, seed=LEARNING_SEED)
    made.close()


if __name__ == "__main__":
    start(main)
