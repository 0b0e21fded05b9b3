"""Learners: each improves one decision of a pilot, in runs that resume (docs/learning.md)."""

from plypilot.learn.catalogue import LEARNERS, LearnerError, find_learner
from plypilot.learn.checks import NO_CHECKS, Check, CheckHistory, Checks
from plypilot.learn.conformance import check_learner
from plypilot.learn.folder import Run, RunError, Traces, find_runs, read_run
from plypilot.learn.learner import Decision, Learner, Metrics, State, expected_steps, summary_of
from plypilot.learn.movemap import MoveMap
from plypilot.learn.plies import Plies
from plypilot.learn.prediction_decay import PredictionDecay
from plypilot.learn.realization import Realization
from plypilot.learn.runner import train
from plypilot.learn.steps import Decaying, DeltaBarDelta, Fixed, StepRule, TemporalCoherence
from plypilot.learn.td import TD

__all__ = [
    "LEARNERS",
    "NO_CHECKS",
    "TD",
    "Check",
    "CheckHistory",
    "Checks",
    "Decaying",
    "Decision",
    "DeltaBarDelta",
    "Fixed",
    "Learner",
    "LearnerError",
    "Metrics",
    "MoveMap",
    "Plies",
    "PredictionDecay",
    "Realization",
    "Run",
    "RunError",
    "State",
    "StepRule",
    "TemporalCoherence",
    "Traces",
    "check_learner",
    "expected_steps",
    "find_learner",
    "find_runs",
    "read_run",
    "summary_of",
    "train",
]
