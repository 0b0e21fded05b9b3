"""A learner of another decision that comes up once a move, through the code that learns how long to think: how far
passing reduces the depth of a search (R of the null move), chosen before each search by what the position looks like.

A module of its own, so that a run knows it by the same name whatever experiment began it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from plypilot.games import game_info
from plypilot.learn.folder import Run
from plypilot.learn.learner import Decision, State
from plypilot.learn.timing import TimingActor
from plypilot.learn.timing_sections import learning_section
from plypilot.networks import Policy, find_set
from plypilot.pilot import Pilot
from plypilot.searcher import Limit
from plypilot.sections import Section


class PassingActor(TimingActor):
    """Learns how far passing reduces the depth, by Meta-Actor-Critic on games with so many nodes a move."""

    decision: ClassVar[Decision] = "pruning"

    least: Annotated[int, Field(ge=0, le=6)] = 0
    """the first reduction that there is to choose; 0: no null move at all"""
    most: Annotated[int, Field(ge=0, le=6)] = 3
    """the last one"""
    first: Literal["rule", "random"] = "random"
    set: str = "board"
    units: Annotated[int, Field(ge=0, le=256)] = 0

    def with_policy(self, pilot: Pilot, policy: Policy) -> Pilot:
        """The pilot in which a policy chooses how far passing reduces."""
        return pilot.model_copy(update={"pruning": pilot.pruning.model_copy(update={"null_policy": policy})})

    def limit(self, _: Pilot) -> Limit:
        """As many nodes for each move: nothing is saved, so that timing has no say."""
        return Limit(nodes=self.nodes)

    def empty_policy(self, state: State) -> Policy:
        """One that sees the features of the position, with weights of 0."""
        assert state.pilot is not None
        game, choices = state.pilot.game, self.most - self.least + 1
        inputs, units = len(find_set(game_info(game), self.set).features), self.units
        return Policy(
            game=game,
            asked="before",
            set=self.set,
            function="linear",
            first=self.least,
            steepness=self.measures(state).steepness,
            hidden=np.zeros((inputs, units) if units else (0, 0)),
            hidden_bias=np.zeros(units),
            output=np.zeros((units, choices) if units else (0, 0)),
            direct=np.zeros((inputs, choices) if self.has_links() else (0, 0)),
            output_bias=np.zeros(choices),
        )

    def sections(self, run: Run) -> Iterator[Section]:
        """How it went; no time is shared out."""
        if run.state.numbers["measures"]:
            yield learning_section(run, self)
