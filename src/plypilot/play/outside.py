"""Outside engines as players: programs that speak UCI or USI. What they do wrong becomes a fault with its cause."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Self

from plypilot.games import IllegalMove, Position
from plypilot.play.dialect import CHESS960, OWN, Dialect, find_dialect, needs_chess960, read_move
from plypilot.play.option import EngineError, EngineOption
from plypilot.play.player import Choice, PlayerFault
from plypilot.play.program import Deadline, Program
from plypilot.searcher import WIN_SCORE, Limit

__all__ = ["EngineError", "EngineOption", "EngineSpec", "OutsideEngine", "Patience", "parse_engine"]

PROTOCOLS = ("uci", "usi")
_MOST_OPTIONS = 1000
_MOST_DEPTH = 1000
_MOST_NODES = 2**63 - 1
_FARTHEST_WIN = 250
"""Plies; scores beyond them are no wins (``searcher.win_distance``)."""
_USI_UNLISTED = {
    "usi_hash": EngineOption("USI_Hash", "spin", least=1),
    "usi_ponder": EngineOption("USI_Ponder", "check"),
}
"""Options that the protocol has engines know without listing them."""


@dataclass(frozen=True)
class EngineSpec:
    """An outside engine as a user names it: ``uci:gnuchess --uci;Hash=16``."""

    protocol: str
    command: tuple[str, ...]
    options: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    """By name; None for a button, which is pressed."""

    def __str__(self) -> str:
        options = "".join(f";{name}" if value is None else f";{name}={value}" for name, value in self.options.items())
        return f"{self.protocol}:{shlex.join(self.command)}{options}"


@dataclass(frozen=True)
class Patience:
    """How long an engine is waited for, in seconds, before it counts as stalled and is killed."""

    start: float = 10.0
    """Until it has told its options."""
    ready: float = 30.0
    """Until it says that it is ready, tables and networks loaded."""
    grace: float = 5.0
    """Beyond the time that a move has by its limit. Whether that time was overstepped is for the caller to judge."""
    untimed: float = 600.0
    """For a move whose limit has no time."""


def parse_engine(text: str) -> EngineSpec:
    """The engine that a text names: protocol, command line, options, as in ``usi:engine --quiet;USI_Hash=64;Clear``.

    The command line is split as a shell does it and ends at the first ``;``. Raises EngineError.

    >>> parse_engine("uci:gnuchess --uci;Hash=16").command
    ('gnuchess', '--uci')
    """
    protocol, colon, rest = text.partition(":")
    if not colon or protocol not in PROTOCOLS:
        raise EngineError(f'engine "{text}": expected uci:COMMAND or usi:COMMAND, then ;NAME=VALUE for each option')
    if any(not each.isprintable() for each in text):
        raise EngineError(f"engine {text!r}: has characters that cannot be printed")
    line, *settings = rest.split(";")
    try:
        command = tuple(shlex.split(line))
    except ValueError as error:
        raise EngineError(f'engine "{text}": command line (it ends at the first ";"): {error}') from error
    if not command or not command[0]:
        raise EngineError(f'engine "{text}": no command after "{protocol}:"')
    options: dict[str, str | None] = {}
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not name:
            raise EngineError(f'engine "{text}": option "{setting}" has no name, expected NAME=VALUE')
        if name.lower() in (each.lower() for each in options):
            raise EngineError(f'engine "{text}": option "{name}" is given twice')
        options[name] = value if equals else None
    return EngineSpec(protocol, command, MappingProxyType(options))


class OutsideEngine:
    """A UCI or USI program as a player. It is started when first needed and kept for all games until it is closed.

    A program that crashed or stalled is killed, and started again for the next game. One thread at a time may use it.
    """

    def __init__(self, spec: EngineSpec | str, *, patience: Patience | None = None) -> None:
        """Stores what to run. Raises EngineError where a text names no engine."""
        self.spec = parse_engine(spec) if isinstance(spec, str) else spec
        self.name = str(self.spec)
        self.patience = patience or Patience()
        self.title = ""
        """What it calls itself, once it was started."""
        self.options: dict[str, EngineOption] = {}
        """What it offers, once it was started, by name in lower case."""
        self._program: Program | None = None
        self._game = ""
        self._dialect: Dialect = OWN
        self._chess960 = False
        self._is_thinking = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check(self, game: str) -> None:
        """Starts it and sets its options, so that mistakes show before any game. Raises EngineError."""
        try:
            self._start(game, Deadline(self.patience.start + self.patience.ready))
        except PlayerFault as fault:
            raise EngineError(f"{self.name}: {fault}") from fault

    def new_game(self, game: str, seed: int) -> None:  # noqa: ARG002  # engines take no seed
        """Makes it forget the game before, starting it where needed. Raises PlayerFault, and EngineError as check."""
        deadline = Deadline(self.patience.start + self.patience.ready)
        self._start(game, deadline)
        self._send("ucinewgame" if self.spec.protocol == "uci" else "usinewgame", deadline)
        self._wait_ready(deadline)

    def choose(self, position: Position, limit: Limit, opponent_clock: float | None = None) -> Choice:
        """Its move. Comes back when the time of the limit and the grace have passed, at the latest."""
        deadline = Deadline(self._seconds(limit))
        go = _go_line(self.spec.protocol, position.turn, limit, opponent_clock)
        # A program that ended since the last move is not started again: it has left its game.
        if self._program is None or self._is_thinking or position.game != self._game:
            self._start(position.game, deadline)
        self._set_chess960(position, deadline)
        dialect = CHESS960 if self._chess960 else self._dialect
        assert self._program
        self._program.skip_output()  # whatever it said unasked is no answer
        self._send(dialect.position_line(position), deadline)
        self._is_thinking = True
        self._send(go, deadline)
        told = _Told(plies_a_mate=2 if self.spec.protocol == "uci" else 1)
        stopped = False
        while True:
            word, *rest = self._read(deadline, "bestmove").split() or [""]
            if word == "info":
                told.read(rest)
                if limit.nodes is not None and told.nodes > limit.nodes and not stopped:
                    stopped = True  # for engines that do not know "go nodes" and would search on and on
                    self._send("stop", deadline)
            elif word == "bestmove":
                self._is_thinking = False
                return self._choice(position, rest, told)

    def close(self) -> None:
        """Ends the program: it is asked to quit, and killed."""
        if self._program:
            self._program.quit()
            self._program = None

    def _start(self, game: str, deadline: Deadline) -> None:
        """Has the program run and be set up for a game; does nothing where that is so."""
        is_usable = self._program is not None and self._program.is_running() and not self._is_thinking
        if is_usable and game == self._game:
            return
        if not is_usable:  # gone, or still at a move that the caller gave up
            self._kill()
            self._greet(deadline)
        try:
            self._set_up(game, deadline)
        except EngineError:
            self._kill()
            raise
        self._game = game

    def _greet(self, deadline: Deadline) -> None:
        """Starts the program and hears what it is and which options it has."""
        command = self.spec.command
        try:
            self._program = Program(command)
        except FileNotFoundError as error:
            raise PlayerFault(f'did not start: no program "{command[0]}"') from error
        except OSError as error:
            raise PlayerFault(f'did not start: "{command[0]}": {error.strerror}') from error
        self.options = dict(_USI_UNLISTED) if self.spec.protocol == "usi" else {}
        deadline = deadline.sooner(self.patience.start)
        try:
            self._send(self.spec.protocol, deadline)
            while (line := self._read(deadline, self.spec.protocol + "ok")) != self.spec.protocol + "ok":
                if line.startswith("id name "):
                    self.title = line.removeprefix("id name ").strip()
                elif (option := EngineOption.parse(line)) and len(self.options) < _MOST_OPTIONS:
                    self.options[option.name.lower()] = option
        except PlayerFault as fault:
            raise PlayerFault(f"did not start: {fault}") from fault

    def _set_up(self, game: str, deadline: Deadline) -> None:
        """Sets the options that were given, and what the game needs. Nothing is sent before all is known to be good."""
        values: list[tuple[EngineOption, str | None]] = []
        for name, value in self.spec.options.items():
            option = self.options.get(name.lower())
            if option is None:
                offered = ", ".join(each.name for each in self.options.values()) or "none"
                raise EngineError(f'{self.name}: no option "{name}"; it offers: {offered}')
            try:
                values.append((option, option.check(value)))
            except EngineError as error:
                raise EngineError(f"{self.name}: {error}") from error
        given = {option.name.lower(): value for option, value in values}
        variants = self.options.get("uci_variant")
        try:
            dialect = find_dialect(self.spec.protocol, game, has_variants=variants is not None)
            if variants:
                base = game.partition("-")[0]
                variant = variants.check(base)
                if given.get("uci_variant", variant) != variant:
                    raise EngineError(f"UCI_Variant is {given['uci_variant']}, but the game is {game}")
                if "uci_variant" not in given:
                    values.append((variants, variant))
            if needs_chess960(game, None) and "uci_chess960" not in self.options:
                raise EngineError(f"plays no Chess960 (it has no option UCI_Chess960), but the game is {game}")
        except EngineError as error:
            raise EngineError(f"{self.name}: {error}") from error
        for option, value in values:
            self._set_option(option, value, deadline)
        self._dialect = dialect
        self._chess960 = given.get("uci_chess960") == "true"
        self._wait_ready(deadline)

    def _set_option(self, option: EngineOption, value: str | None, deadline: Deadline) -> None:
        if value is None:
            self._send(f"setoption name {option.name}", deadline)
        else:
            empty = "<empty>" if option.kind == "string" else ""
            self._send(f"setoption name {option.name} value {value or empty}", deadline)

    def _set_chess960(self, position: Position, deadline: Deadline) -> None:
        """Turns Chess960 on for positions that need it, and off again where the user did not ask for it."""
        if self._dialect is not OWN or position.game.partition("-")[0] != "chess":
            return
        asked = {name.lower(): (value or "").lower() for name, value in self.spec.options.items()}
        needed = needs_chess960(position.game, position.root) or asked.get("uci_chess960") == "true"
        if needed == self._chess960:
            return
        if "uci_chess960" not in self.options:
            raise PlayerFault("plays no Chess960: it has no option UCI_Chess960")
        self._set_option(self.options["uci_chess960"], "true" if needed else "false", deadline)
        self._chess960 = needed

    def _wait_ready(self, deadline: Deadline) -> None:
        deadline = deadline.sooner(self.patience.ready)
        self._send("isready", deadline)
        while self._read(deadline, "readyok") != "readyok":
            pass

    def _send(self, line: str, deadline: Deadline) -> None:
        assert self._program
        try:
            self._program.send(line, deadline)
        except TimeoutError:
            raise self._stall("does not read its input", deadline) from None
        except PlayerFault:
            self._program = None
            raise

    def _read(self, deadline: Deadline, awaited: str) -> str:
        assert self._program
        try:
            return self._program.read_line(deadline)
        except TimeoutError:
            raise self._stall(f'no "{awaited}"', deadline) from None
        except PlayerFault:
            self._program = None
            raise

    def _choice(self, position: Position, answer: list[str], told: _Told) -> Choice:
        text = answer[0] if answer else ""
        shown = "".join(each for each in text if each.isprintable())[:40]
        match text.lower():
            case "resign":
                raise PlayerFault("resigned")
            case "win":
                raise PlayerFault("claimed a win by entering king, which the rules here do not have")
            case "" | "(none)" | "none" | "null" | "0000":
                raise PlayerFault(f'named no move ("bestmove {shown}")')
        try:
            move = read_move(position, text)
        except IllegalMove as error:
            raise PlayerFault(f'illegal move "{shown}"') from error
        return Choice(move, told.score, told.depth, told.nodes)

    def _seconds(self, limit: Limit) -> float:
        times = [seconds for seconds in (limit.seconds, limit.clock) if seconds is not None]
        return min(times) + self.patience.grace if times else self.patience.untimed

    def _stall(self, what: str, deadline: Deadline) -> PlayerFault:
        assert self._program
        cause = self._program.quoting(f"stalled: {what} within {deadline.seconds:g} s")
        self._kill()
        return PlayerFault(cause)

    def _kill(self) -> None:
        if self._program:
            self._program.close()
            self._program = None
        self._is_thinking = False


@dataclass
class _Told:
    """What an engine tells of its search, from the ``info`` lines so far."""

    plies_a_mate: int
    """UCI counts mates in moves, USI in plies."""
    score: int | None = None
    depth: int = 0
    nodes: int = 0
    _is_bound: bool = True

    def read(self, line: list[str]) -> None:
        """Takes in the words of a line; one that makes no sense is let pass."""
        words = iter(line)
        numbers: dict[str, int] = {}
        score, is_bound = None, False
        try:
            for word in words:
                if word in ("pv", "string", "refutation", "currline"):
                    break
                if word in ("depth", "nodes", "multipv"):
                    numbers[word] = int(next(words))
                elif word == "score":
                    score = self._score(next(words), next(words))
                elif word in ("lowerbound", "upperbound"):
                    is_bound = True
        except (StopIteration, ValueError):
            return
        self.nodes = min(max(self.nodes, numbers.get("nodes", 0)), _MOST_NODES)
        # A bound stands only until a value is told: an engine that is cut off in mid-search ends with one.
        if score is not None and numbers.get("multipv", 1) == 1 and (self._is_bound or not is_bound):
            self.score, self._is_bound = score, is_bound
            self.depth = min(max(numbers.get("depth", self.depth), 0), _MOST_DEPTH)

    def _score(self, kind: str, value: str) -> int | None:
        """In our units: pawns in hundredths, wins counted down from WIN_SCORE."""
        most = WIN_SCORE - _FARTHEST_WIN
        if kind == "cp":
            return max(1 - most, min(int(value), most - 1))
        if kind != "mate":
            return None
        if value in ("+", "-"):  # USI: a mate of unknown length
            return most if value == "+" else -most
        number = int(value)
        is_won = number > 0
        plies = abs(number) * self.plies_a_mate - (self.plies_a_mate - 1 if is_won else 0)
        score = WIN_SCORE - min(plies, _FARTHEST_WIN)
        return score if is_won else -score


def _go_line(protocol: str, turn: int, limit: Limit, opponent_clock: float | None) -> str:
    """The ``go`` command of a limit; clocks belong to White and Black, who in shogi moves first."""
    words = ["go"]
    first, second = ("w", "b") if protocol == "uci" else ("b", "w")
    mine, other = (first, second) if turn == 0 else (second, first)
    if limit.clock is not None:
        theirs = limit.clock if opponent_clock is None else opponent_clock
        words += [f"{mine}time", _milliseconds(limit.clock), f"{other}time", _milliseconds(theirs)]
        if limit.increment:
            for side in (mine, other):
                words += [f"{side}inc", _milliseconds(limit.increment)]
        if limit.moves_to_go is not None:
            words += ["movestogo", str(limit.moves_to_go)]
    if limit.depth is not None:
        words += ["depth", str(limit.depth)]
    if limit.nodes is not None:
        words += ["nodes", str(limit.nodes)]
    if limit.seconds is not None:
        if protocol == "usi" and limit.clock is None:
            words += ["btime", "0", "wtime", "0", "byoyomi", _milliseconds(limit.seconds)]
        else:
            words += ["movetime", _milliseconds(limit.seconds)]
    if len(words) == 1:
        raise ValueError("limit: has no depth, nodes, seconds or clock, an engine would think for ever")
    return " ".join(words)


def _milliseconds(seconds: float) -> str:
    """At least 1: engines take 0 for no limit."""
    return str(max(1, int(seconds * 1000)))
