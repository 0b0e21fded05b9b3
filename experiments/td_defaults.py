"""Whether `plypilot train td GAME` helps, and never harms, whatever the game: default settings and 500 games.

    python experiments/td_defaults.py [--scale quick|full] [--threads N]

Each run starts from the baseline of its game and checks itself by games. Its best.pilot then plays its start.pilot in
games that neither learning nor the checks have seen: 200 at 1,000 nodes a move, with seeds and openings of their own.
A run whose best pilot is the start itself plays nothing: it is neither ahead nor behind.

The rule, fixed before the run: a pilot is ahead or behind where the whole 95% interval of the Elo difference lies on
one side of 0. None of the runs may be behind, and at least 20 of the 50 must be ahead.

A long run is cut into parts, the five runs of one game and one length: the figures of each are kept in
results/parts/ as it ends, and a part that the same build has made is not run again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import plypilot as pp
from harness import ROOT, Claim, Figures, Harness, Missing, read_options, start
from plypilot.learn import TD, train
from plypilot.play.adjudication import Adjudication
from plypilot.play.ratings import elo
from plypilot.versions import core_digest, versions

GAMES = ("breakthrough", "loa", "connect_four:ConnectFour", "chess", "shogi")
NODES = 1000
MATCH_SEED = 1_000_000
"""Far from the seeds of the runs; the seed of a run is added to it."""
MOST_PLIES = 400
"""Longer games of the match are a draw."""


@dataclass(frozen=True)
class Trial:
    """One run, and the match that judges it."""

    game: str
    games: int | None
    """To learn from; None is the default."""
    seed: int
    match_games: int

    @property
    def learner(self) -> TD:
        """As the command makes it."""
        return TD() if self.games is None else TD(games=self.games)


@dataclass(frozen=True)
class Scale:
    """Which runs are made."""

    games: tuple[str, ...]
    lengths: tuple[int | None, ...]
    seeds: int
    match_games: int

    def parts(self) -> dict[str, list[Trial]]:
        """The runs of each game and length, the short ones first, by the name of the part."""
        return {
            f"{length or 'default'}.{game.partition(':')[0]}": [
                Trial(game, length, seed, self.match_games) for seed in range(self.seeds)
            ]
            for length in self.lengths
            for game in self.games
        }


SCALES = {
    "tiny": Scale(("breakthrough-5x5",), (16,), 1, 4),
    "quick": Scale(GAMES[:3], (500,), 1, 200),
    "full": Scale(GAMES, (500, None), 5, 200),
}


def judge(harness: Harness, trial: Trial) -> Figures:
    """Learns, and plays what was learned against what it began from."""
    name = f"{trial.game.replace(':', '.')}-{trial.games or 'default'}-{trial.seed}"
    folder = harness.folder / "runs" / harness.name / core_digest()[:8] / name
    run = train(trial.learner, pp.Pilot.baseline(trial.game), folder, seed=trial.seed, resume=True)
    told: Figures = {
        "best_step": run.history.best,
        "steps": run.step,
        "checked": run.history.tell(),
        "games": 0,
        "score": 0.5,
        "elo": [0.0, 0.0, 0.0],
    }
    if run.best == run.start:
        return told
    result = pp.match(
        pp.Contestant("best", run.best),
        pp.Contestant("start", run.start),
        trial.game,
        games=trial.match_games,
        limit=pp.Limit(nodes=NODES),
        seed=MATCH_SEED + trial.seed,
        adjudication=Adjudication(MOST_PLIES, "draw"),
    )
    difference = elo(result.standing.pairs)
    return told | {
        "games": result.standing.tally.games,
        "score": result.standing.tally.score,
        "elo": [difference.value, difference.low, difference.high],
    }


def measure_part(harness: Harness, name: str, trials: Sequence[Trial]) -> list[Figures]:
    """The rows of a part: from its file, or by learning and playing."""
    path = harness.folder / "results" / "parts" / f"{harness.name}.{harness.scale}.{name}.json"
    if path.exists():
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["versions"]["core"] == versions()["core"]:
            kept_rows: list[Figures] = kept["rows"]
            return kept_rows
    judged = harness.measure("runs", trials, asdict, lambda trial: judge(harness, trial))
    rows = [{**asdict(trial), "learned_from": trial.games, **row} for trial, row in zip(trials, judged, strict=True)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"part": name, "versions": versions(), "rows": rows}, indent=1) + "\n", encoding="utf-8")
    return rows


def _none_behind(rows: Sequence[Figures], most: float) -> tuple[bool, str]:
    behind = [row for row in rows if row["elo"][2] < 0]
    return len(behind) <= most, f"{len(behind)} of {len(rows)} runs behind their start"


def _many_ahead(rows: Sequence[Figures], least: float) -> tuple[bool, str]:
    if len(rows) < 50:
        raise Missing(f"{len(rows)} runs, the rule is for 50")
    ahead = [row for row in rows if row["elo"][1] > 0]
    return len(ahead) >= least, f"{len(ahead)} of {len(rows)} runs ahead of their start"


CLAIMS = (
    Claim(
        "no harm", "no learner hands out a pilot worse than its start", "at most {tolerance:g} behind", 0, _none_behind
    ),
    Claim("gain", "learning helps in every second run or so", "at least {tolerance:g} ahead", 20, _many_ahead),
)


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    scale = SCALES[options.scale]
    sys.path.insert(0, str(ROOT / "examples"))
    harness = Harness("td_defaults", options.scale, threads=options.threads, folder=options.out)
    try:
        rows = [row for name, trials in scale.parts().items() for row in measure_part(harness, name, trials)]
        harness.print_table(
            f"best.pilot against start.pilot, {scale.match_games} games at {NODES} nodes",
            ("game", "learned from", "seed", "best step", "score", "Elo, 95%"),
            [
                (
                    row["game"],
                    row["learned_from"] or "default",
                    row["seed"],
                    row["best_step"] or "start",
                    f"{row['score']:.1%}" if row["games"] else "",
                    "{:+.0f} [{:+.0f}, {:+.0f}]".format(*row["elo"]) if row["games"] else "the start itself",
                )
                for row in rows
            ],
        )
        harness.conclude(CLAIMS, rows, settings={"nodes": NODES, "match_seed": MATCH_SEED, **asdict(scale)})
    finally:
        harness.close()


if __name__ == "__main__":
    start(main)
