"""Learners: each improves one decision of a pilot, in runs that resume (docs/learning.md)."""

from plypilot.learn.catalogue import LEARNERS, LearnerError, find_learner
from plypilot.learn.conformance import check_learner
from plypilot.learn.folder import Run, RunError, Traces, find_runs, read_run
from plypilot.learn.learner import Learner, Metrics, State
from plypilot.learn.prediction_decay import PredictionDecay
from plypilot.learn.runner import train
from plypilot.learn.steps import Decaying, DeltaBarDelta, Fixed, StepRule, TemporalCoherence
from plypilot.learn.td import TD

__all__ = [
    "LEARNERS",
    "TD",
    "Decaying",
    "DeltaBarDelta",
    "Fixed",
    "Learner",
    "LearnerError",
    "Metrics",
    "PredictionDecay",
    "Run",
    "RunError",
    "State",
    "StepRule",
    "TemporalCoherence",
    "Traces",
    "check_learner",
    "find_learner",
    "find_runs",
    "read_run",
    "train",
]
