"""Games that judge: with a bank of nodes, timing counts; without one it has no say."""

from __future__ import annotations

from pathlib import Path

import pytest

import plypilot as pp
from plypilot.compute import Workers
from plypilot.learn import NO_CHECKS, Checks, State
from plypilot.learn.checks import CheckHistory, Referee
from plypilot.learn.trials import Trials, play_trial
from plypilot.play.ratings import Pentanomial

START = pp.Pilot.baseline("breakthrough-6x6")
HASTY = START.replace({"timing.moves_to_go": 400, "timing.increment_share": 0.1})
"""It saves almost all of its bank, and so searches a tenth of what it might."""


class Learned:
    """A learner whose pilot is the hasty one after its only step."""

    decision = "timing"

    def is_done(self, state: State) -> bool:
        return bool(state.numbers["steps"])

    def pilot(self, state: State) -> pp.Pilot:
        return HASTY if state.numbers["steps"] else START


@pytest.mark.parametrize("bank", [0.0, 5.0])
def test_checks_tell_timing_apart_where_there_is_a_bank(bank: float, tmp_path: Path) -> None:
    rules = Checks(count=1, games=40, nodes=200, bank=bank)
    with Workers.threads(1) as workers:
        referee = Referee(rules, START, 3, tmp_path)
        history, _ = referee.look(CheckHistory(), Learned(), State(numbers={"steps": 1}), 1, workers)  # type: ignore[arg-type]
    pairs = Pentanomial(*history.checks[0].against_start)
    if bank:
        assert pairs.score < 0.4
    else:
        assert pairs.score == 0.5 and pairs.counts[2] == sum(pairs.counts)
    assert NO_CHECKS.bank == 0


@pytest.mark.parametrize("bank", [0.0, 5.0])
def test_trials_do_so_too(bank: float) -> None:
    with Workers.threads(1) as workers:
        counts, is_better = play_trial(START, HASTY, Trials(games=60, nodes=200, bank=bank, gain=100), 1, 0, workers)
    assert is_better == bool(bank)
    assert bank or counts[2] == sum(counts)
