"""Who can play: a pilot, a random mover, or an outside engine, as a word of the command line or an object names it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from plypilot.pilot import Pilot, PilotError, read_changes
from plypilot.play.outside import EngineSpec, OutsideEngine, parse_engine
from plypilot.play.player import Player
from plypilot.play.players import PilotPlayer, RandomPlayer


@dataclass(frozen=True)
class Contestant:
    """A name, and a pilot or an engine; neither is one that moves at random."""

    name: str
    pilot: Pilot | None = None
    engine: EngineSpec | None = None

    def player(self) -> Player:
        """A player for one game at a time."""
        if self.engine is not None:
            return OutsideEngine(self.engine)
        if self.pilot is not None:
            return PilotPlayer(self.pilot, self.name)
        return RandomPlayer(self.name)

    def identity(self) -> dict[str, Any]:
        """What tells it apart: names are only for people."""
        return {
            "name": self.name,
            "pilot": None if self.pilot is None else self.pilot.digest,
            "engine": None if self.engine is None else str(self.engine),
        }


def find_contestant(source: Contestant | Pilot | str, game: str) -> Contestant:
    """Who a word names: ``baseline``, ``plain``, ``random``, a pilot's file, ``uci:COMMAND`` or ``usi:COMMAND``.

    Settings of a pilot and options of an engine follow behind semicolons: ``baseline;pruning.null_reduction=2``,
    ``uci:stockfish;Skill Level=0``.
    """
    if isinstance(source, Contestant):
        return source
    if isinstance(source, Pilot):
        return Contestant(source.digest[:8], _check_game(source, game))
    if source.startswith(("uci:", "usi:")):
        return Contestant(source, engine=parse_engine(source))
    word, *changes = source.split(";")
    if word == "random":
        if changes:
            raise PilotError(f'"{source}": a random mover has no settings')
        return Contestant("random")
    if word in ("baseline", "plain"):
        pilot = Pilot.baseline(game) if word == "baseline" else Pilot.plain(game)
    else:
        try:
            pilot = Pilot.load(word)
        except FileNotFoundError as error:
            raise PilotError(
                f'no file "{word}"; a player is a pilot file, baseline, plain, random, uci:COMMAND or usi:COMMAND'
            ) from error
    if changes:
        pilot = pilot.replace(read_changes(changes))
    return Contestant(source, _check_game(pilot, game))


def name_apart(contestants: list[Contestant]) -> list[Contestant]:
    """The same with equal names numbered, so that a table can tell them apart."""
    names = [each.name for each in contestants]
    seen: dict[str, int] = {}
    found = []
    for each in contestants:
        seen[each.name] = seen.get(each.name, 0) + 1
        found.append(replace(each, name=f"{each.name} #{seen[each.name]}") if names.count(each.name) > 1 else each)
    return found


def _check_game(pilot: Pilot, game: str) -> Pilot:
    if pilot.game.partition("-")[0] != game.partition("-")[0]:
        raise PilotError(f"a pilot of {pilot.game} cannot play {game}")
    return pilot
