"""Who can play: a pilot, a random mover, or an outside engine, as a word of the command line or an object names it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from plypilot.games import game_info
from plypilot.outside.engine import OutsideEngine
from plypilot.outside.spec import PROTOCOLS, EngineSpec, parse_engine
from plypilot.pilot import Pilot, PilotError, find_pilot, read_changes
from plypilot.play.player import Player
from plypilot.play.players import PilotPlayer, RandomPlayer


@dataclass(frozen=True)
class Contestant:
    """A name with a pilot or an engine; one with neither moves at random."""

    name: str
    pilot: Pilot | None = None
    engine: EngineSpec | None = None

    def player(self) -> Player:
        """A player for one game at a time."""
        if self.engine is not None:
            return OutsideEngine(self.engine)
        return RandomPlayer(self.name) if self.pilot is None else PilotPlayer(self.pilot, self.name)

    def check(self, game: str) -> None:
        """Starts an outside engine once and sets its options, so that mistakes show before any game: EngineError."""
        if self.engine is not None:
            with OutsideEngine(self.engine) as engine:
                engine.check(game)

    def identity(self) -> dict[str, Any]:
        """What tells this contestant apart from others, for a journal to compare."""
        return {
            "name": self.name,
            "pilot": None if self.pilot is None else self.pilot.digest,
            "engine": None if self.engine is None else str(self.engine),
        }


def find_contestant(source: Contestant | Pilot | str, game: str, unnamed: str = "pilot") -> Contestant:
    """Who a word names: ``baseline``, ``plain``, ``random``, a pilot's file, ``uci:COMMAND`` or ``usi:COMMAND``.

    Settings of a pilot and options of an engine follow behind semicolons: ``baseline;pruning.null_reduction=2``,
    ``uci:stockfish;Skill Level=0``. A pilot is called by its word where it equals one, else as ``unnamed`` says.
    Raises PilotError, EngineError and UnknownGame.
    """
    game_info(game)
    if isinstance(source, Contestant):
        return source
    if isinstance(source, Pilot):
        pilot = source.for_game(game)
        known = {"baseline": Pilot.baseline, "plain": Pilot.plain}
        return Contestant(next((word for word, make in known.items() if pilot == make(game)), unnamed), pilot)
    if source.partition(":")[0] in PROTOCOLS:
        return Contestant(source, engine=parse_engine(source))
    word, *changes = source.split(";")
    if word == "random":
        if changes:
            raise PilotError(f'"{source}": a random mover has no settings')
        return Contestant(word)
    pilot = find_pilot(word, game)
    return Contestant(source, pilot.replace(read_changes(changes)) if changes else pilot)


def name_apart(contestants: Sequence[Contestant]) -> list[Contestant]:
    """The same with equal names numbered, so that a table can tell them apart."""
    names = [each.name for each in contestants]
    seen: dict[str, int] = {}
    found = []
    for each in contestants:
        seen[each.name] = seen.get(each.name, 0) + 1
        found.append(replace(each, name=f"{each.name} #{seen[each.name]}") if names.count(each.name) > 1 else each)
    return found
