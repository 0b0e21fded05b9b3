"""How a run checks itself: now and then what it has learned plays the pilot it started from and the best so far.

What wins becomes the best, and in the end the best must beat the start once more, in games that chose nothing. So the
pilot that a run hands out has earned its name; where nothing was better, it is the start. All of it follows from the
run's seed and is part of its state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field

from plypilot.compute import Workers, task_seed
from plypilot.learn.judging_games import play_pairs
from plypilot.learn.learner import Learner, Metrics, State, expected_steps
from plypilot.pilot import Pilot
from plypilot.play.match import Standing
from plypilot.play.ratings import Pentanomial, Sprt, elo
from plypilot.settings import Part

_FIRST_CHECK = 8
"""The step of the first check where the length of a run is not known; from there on it doubles."""
_CHOOSING, _COMPARING, _CONFIRMING = range(3)
"""What games are for; each kind has seeds and openings of its own."""
_STREAM = int.from_bytes(b"checks", "little")

OnCheck = Callable[[int, Standing], object]
"""Hears of each game of a check: the step that is checked, and how it stands for what was learned there."""


class Checks(Part):
    """How a run checks itself by games, in pairs from even openings with sides swapped, at equal nodes."""

    count: Annotated[int, Field(ge=0, le=1000)] = 3
    """checks in a run, evenly spread, the last at its end; 0: none, and best.pilot is what was learned, unproven"""
    games: Annotated[int, Field(ge=2, le=100_000, multiple_of=2)] = 300
    """the most of one check; a sequential test ends it as soon as it is decided"""
    nodes: Annotated[int, Field(ge=1)] = 1000
    """of each move of a pilot that asks no network; one that does gets fewer, by the time that this takes"""
    bank: Annotated[float, Field(ge=0, le=10_000)] = 0.0
    """where timing is judged: so many times these nodes are in a bank at the start, to which each move adds them, and
    the pilot shares them out; 0: no move can save any"""
    opening_plies: Annotated[int, Field(ge=0, le=100)] = 6
    """random moves before a game"""
    gain: Annotated[float, Field(gt=0, le=1000)] = 50.0
    """Elo that the test tells from none: what is this much better than the best so far takes its place"""
    confirming_games: Annotated[int, Field(ge=2, le=100_000, multiple_of=2)] = 200
    """between the best and the start at the end of a run"""
    most_plies: Annotated[int, Field(ge=1)] = 400
    """longer games are a draw"""


NO_CHECKS = Checks(count=0)
"""For runs that others judge."""


def usual_checks(learner: Learner) -> Checks:
    """How the runs of a learner check themselves where nothing else is said."""
    return Checks(**getattr(learner, "usual_checks", {}))


@dataclass(frozen=True)
class Check:
    """What one check found."""

    step: int
    """Whose pilot was checked."""
    best_before: int
    """The step of the pilot that was the best until then; 0 is the start."""
    against_best: tuple[int, ...]
    """Pairs of games by the points of the checked pilot: 0, 1/2, 1, 3/2, 2."""
    against_start: tuple[int, ...]
    is_better: bool
    """It became the best."""


@dataclass(frozen=True)
class CheckHistory:
    """What a run knows of itself by games: a part of its state."""

    checks: tuple[Check, ...] = ()
    best: int = 0
    """The step of the best pilot so far; 0 is the start."""
    confirmed: tuple[int, ...] = ()
    """Pairs of the best against the start at the end of the run, in games that chose nothing."""
    refuted: int = 0
    """The step of a pilot that had been the best, but did not hold against the start in the end; 0: none."""

    def content(self) -> dict[str, Any]:
        """As plain data, for a checkpoint."""
        return asdict(self)

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Self:
        """From the data of a checkpoint."""
        checks = tuple(
            Check(
                check["step"],
                check["best_before"],
                tuple(check["against_best"]),
                tuple(check["against_start"]),
                check["is_better"],
            )
            for check in content.get("checks", ())
        )
        return cls(
            checks, int(content.get("best", 0)), tuple(content.get("confirmed", ())), int(content.get("refuted", 0))
        )

    def tell(self) -> str:
        """What is known of the best pilot, in a sentence."""
        if not self.checks:
            return "No games have checked what was learned."
        if self.best and self.confirmed:
            pairs = Pentanomial(*self.confirmed)
            return (
                f"The best pilot, learned by step {self.best}, scores {pairs.score:.1%} against the start "
                f"(Elo {elo(pairs)}, {pairs.games} games that chose nothing)."
            )
        if self.best:
            return f"The best pilot so far was learned by step {self.best}: it beat what was best before."
        if self.refuted:
            pairs = Pentanomial(*self.confirmed)
            return (
                f"Nothing that was learned beat the start: the pilot of step {self.refuted} seemed to, but scored "
                f"{pairs.score:.1%} in {pairs.games} further games. So the best pilot is the start itself."
            )
        return "Nothing that was learned beat the start, so the best pilot is the start itself."


class Referee:
    """Plays the checks of one run."""

    def __init__(self, rules: Checks, start: Pilot, seed: int, folder: Path, on_check: OnCheck | None = None) -> None:
        """The pilots that were the best in turn are kept in the folder of the run."""
        self._rules, self._start, self._folder = rules, start, folder
        self._seed = task_seed(seed, _STREAM)
        self._on_check = on_check

    def pilot_of(self, step: int) -> Pilot:
        """The pilot of a step that was the best once; of 0 the start."""
        return self._start if step == 0 else Pilot.load(self._path(step))

    def look(
        self, history: CheckHistory, learner: Learner, state: State, step: int, workers: Workers
    ) -> tuple[CheckHistory, Metrics]:
        """Checks the pilot of a step where it is time to: the history with it, and what there is to tell."""
        is_last = learner.is_done(state)
        if not self._rules.count or not (is_last or self._is_due(step, expected_steps(learner, state))):
            return history, {}
        candidate, best = learner.pilot(state), self.pilot_of(history.best)
        if history.best == 0 and candidate == best and not is_last:
            return history, {}  # nothing has been learned as yet
        against_best = self._play(candidate, best, step, _CHOOSING, workers)
        if history.best == 0:
            against_start = against_best
        else:
            against_start = self._play(candidate, self._start, step, _COMPARING, workers)
        is_better = self._sprt.verdict(against_best) == "H1"
        check = Check(step, history.best, against_best.counts, against_start.counts, is_better)
        if is_better:
            candidate.save(self._path(step))
        history = replace(
            history,
            checks=(*history.checks, check),
            best=step if is_better else history.best,
            confirmed=(),
            refuted=0,
        )
        if is_last and history.best:
            history = self._confirm(history, step, workers)
        told: Metrics = {
            "start_score": round(against_start.score, 6),
            "best_score": round(against_best.score, 6),
            "check_games": against_best.games + (against_start.games if check.best_before else 0),
            "best_step": history.best,
        }
        return history, told

    def _confirm(self, history: CheckHistory, step: int, workers: Workers) -> CheckHistory:
        """The best was chosen by games, and is judged by others."""
        pairs = self._play(self.pilot_of(history.best), self._start, step, _CONFIRMING, workers)
        if pairs.score > 0.5:
            return replace(history, confirmed=pairs.counts)
        return replace(history, best=0, confirmed=pairs.counts, refuted=history.best)

    def _is_due(self, step: int, expected: int | None) -> bool:
        if expected is None:
            return step >= _FIRST_CHECK and step & (step - 1) == 0
        count = self._rules.count
        return step * count // expected > (step - 1) * count // expected

    def _play(self, one: Pilot, two: Pilot, step: int, purpose: int, workers: Workers) -> Pentanomial:
        if one == two:
            return Pentanomial()
        seed = task_seed(self._seed, 4 * step + purpose)
        games = self._rules.confirming_games if purpose == _CONFIRMING else self._rules.games
        return play_pairs(
            one,
            two,
            games=games,
            nodes=self._rules.nodes,
            bank=self._rules.bank,
            seed=seed,
            opening_plies=self._rules.opening_plies,
            most_plies=self._rules.most_plies,
            sprt=None if purpose == _CONFIRMING else self._sprt,
            workers=workers,
            on_game=None if self._on_check is None else lambda standing: self._hear(step, standing),
        )

    def _hear(self, step: int, standing: Standing) -> None:
        if self._on_check is not None:
            self._on_check(step, standing)

    @property
    def _sprt(self) -> Sprt:
        return Sprt(0, self._rules.gain)

    def _path(self, step: int) -> Path:
        return self._folder / f"best-{step}.pilot"
