"""Whether a learner's default command helps, and never harms, whatever the game: what the experiments on default runs
share.

Each run starts from the baseline of its game, learns and checks itself. Its best.pilot then plays its start.pilot in
games that neither learning nor the checks have seen, with seeds and openings of their own. A run whose best pilot is
the start itself plays nothing: it is neither ahead nor behind. A part is one learner in one game.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import orderings
import plypilot as pp
from harness import ROOT, Claim, Figures, Harness, Missing
from parts import Experiment
from plypilot.learn import train
from plypilot.learn.catalogue import find_learner
from plypilot.learn.checks import Checks, usual_checks
from plypilot.searcher import Limit
from plypilot.versions import core_digest

GAMES = ("loa", "breakthrough", "chess", "shogi", "connect_four:ConnectFour")
SEED = 0
MATCH_SEED = 3_000_000
"""Far from the seed of the runs."""
MOST_MINUTES = 15.0
FEW_CHECKS = {"games": 4, "nodes": 100, "confirming_games": 4}


@dataclass(frozen=True)
class DefaultRun:
    """A learner in a game, and the match that judges it."""

    learner: str
    game: str
    match_games: int = 400
    milliseconds: float = 20
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of the learner, where they are not to be as usual."""
    bank: float = 0
    """So many times the time of a move is there at the start, and each move adds it; 0: each move has it for itself."""
    checks: Mapping[str, Any] = field(default_factory=dict)
    """What of the learner's usual checks is changed."""

    @property
    def name(self) -> str:
        """By which figures and claims know it."""
        return f"{self.learner} {self.game}"

    @property
    def limit(self) -> Limit:
        """Of both players of the match."""
        seconds = self.milliseconds / 1000
        return Limit(clock=self.bank * seconds, increment=seconds) if self.bank else Limit(seconds=seconds)


def measure(made: Harness, runs: Sequence[DefaultRun]) -> Figures:
    """The figures of some runs, by their names."""
    sys.path.append(str(ROOT / "examples"))
    return {run.name: _measure_run(made, run) for run in runs}


def _measure_run(made: Harness, default: DefaultRun) -> Figures:
    """Learns as the command does, and plays what was learned against what it began from."""
    # By what is learned and not by the scale: a run of a part is one of the whole.
    size = hashlib.sha256(repr(default.settings).encode()).hexdigest()[:8] if default.settings else "default"
    name = f"{default.learner}-{default.game.replace(':', '.')}-{SEED}-{size}"
    folder = made.folder / "runs" / made.name / core_digest()[:8] / name

    def work(_: int) -> Figures:
        began = time.perf_counter()
        learner = find_learner(default.learner, default.settings)
        run = train(
            learner,
            pp.Pilot.baseline(default.game),
            folder,
            checks=Checks(**usual_checks(learner).model_dump() | default.checks),
            seed=SEED,
            workers=made.threads,
            resume=folder.exists(),
        )
        return {
            "best_step": run.history.best,
            "checked": run.history.tell(),
            "minutes": round((time.perf_counter() - began) / 60, 2),
        }

    told = made.measure(default.name, [SEED], lambda _: [default.game, SEED, default.settings], work)[0]
    if not told["best_step"]:
        return {**told, "games": 0, "score": 0.5, "elo": [0.0, 0.0, 0.0]}
    best, first = (pp.Pilot.load(folder / f"{name}.pilot") for name in ("best", "start"))
    played = orderings.play_match(
        made,
        f"{default.name}: the best against the start",
        best,
        first,
        games=default.match_games,
        limits=(default.limit, default.limit),
        seed=MATCH_SEED + SEED,
    )
    return {**told, **played}


def show(made: Harness, figures: Figures) -> None:
    """A row for each run."""
    made.print_table(
        "default runs, the best against the start",
        ("learner and game", "minutes", "best step", "games", "score", "Elo", "95%"),
        [
            (
                name,
                run["minutes"],
                run["best_step"],
                run["games"],
                f"{run['score']:.1%}",
                f"{run['elo'][0]:+.0f}",
                f"{run['elo'][1]:+.0f} to {run['elo'][2]:+.0f}",
            )
            for name, run in figures.items()
        ],
    )


def claims_of(wanted: Sequence[str]) -> list[Claim]:
    """What is claimed of all runs together; before the last of them is made, only a run that breaks it decides."""

    def judge(figures: Figures, is_right: bool, found: str) -> tuple[bool, str]:
        missing = sum(name not in figures for name in wanted)
        if is_right and missing:
            raise Missing(f"{found}; {missing} of {len(wanted)} are not run")
        return is_right, found

    def none_is_behind(figures: Figures, _: float) -> tuple[bool, str]:
        ahead = sum(run["elo"][1] > 0 for run in figures.values())
        behind = sum(run["elo"][2] < 0 for run in figures.values())
        return judge(figures, not behind, f"{behind} of {len(figures)} runs behind, {ahead} ahead")

    def all_are_quick(figures: Figures, tolerance: float) -> tuple[bool, str]:
        longest = max(run["minutes"] for run in figures.values())
        return judge(figures, longest <= tolerance, f"the longest run took {longest:.1f} minutes")

    return [
        Claim("no run is behind its start", "", "none with 95% confidence", 0, none_is_behind),
        Claim("runs end soon", "", "within {tolerance:.0f} minutes each", MOST_MINUTES, all_are_quick),
    ]


def experiment(
    name: str, text: str | None, small: Mapping[str, Sequence[DefaultRun]], full: Sequence[DefaultRun]
) -> Experiment:
    """An experiment whose parts are the runs of ``full``: called by their games, behind the learner of several."""
    has_several = len({run.learner for run in full}) > 1
    parts = {}
    for run in full:
        game = run.game.partition(":")[0]
        parts[f"{run.learner}-{game}" if has_several else game] = (run,)
    return Experiment(
        name=name,
        text=text,
        small=small,
        parts=parts,
        measure=measure,
        show=show,
        claims=claims_of([run.name for run in full]),
        settings=lambda runs: {"runs": [asdict(run) for run in runs], "seeds": [SEED, MATCH_SEED]},
    )
