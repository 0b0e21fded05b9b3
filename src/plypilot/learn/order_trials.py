"""Ways in which a search may use a learned order of moves, and what trials by games found of them."""

from __future__ import annotations

from typing import NamedTuple

from plypilot.pilot import Pilot
from plypilot.play.ratings import Pentanomial


class Way(NamedTuple):
    """How the search uses a network."""

    captures: bool
    """Captures come before all other moves; else the network orders them too."""
    plies: int
    """It is asked where so many plies or more are left."""
    history_weight: float

    def steer(self, pilot: Pilot) -> Pilot:
        """A pilot with a network that uses it in this way."""
        changes = {"captures": self.captures, "network_plies": self.plies, "history_weight": self.history_weight}
        return pilot.model_copy(update={"ordering": pilot.ordering.model_copy(update=changes)})


class Trial(NamedTuple):
    """A way of use that was tried against the best one until then."""

    way: Way
    pairs: tuple[int, ...]
    """Pairs of games by its points: 0, 1/2, 1, 3/2, 2."""
    is_better: bool

    @property
    def results(self) -> Pentanomial:
        """Its games."""
        return Pentanomial(*self.pairs)
