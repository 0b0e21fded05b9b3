"""Outside engines as players: programs that speak UCI or USI. What they do wrong becomes a fault with its cause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from plypilot.game_name import base_name
from plypilot.games import IllegalMove, Position
from plypilot.outside.dialect import CHESS960, OWN, Dialect, find_dialect, needs_chess960
from plypilot.outside.option import Option
from plypilot.outside.program import Deadline, Program
from plypilot.outside.spec import EngineError, EngineSpec, parse_engine
from plypilot.play.player import Choice, PlayerFault
from plypilot.score import LEAST_WIN, MOST_PLIES, MOST_STATIC, WIN_SCORE
from plypilot.searcher import Limit
from plypilot.spelling import read_move

_MOST_OPTIONS = 1000
_MOST_DEPTH = 1000
_MOST_NODES = 2**63 - 1
_USI_UNLISTED = {
    "usi_hash": Option("USI_Hash", "spin", least=1),
    "usi_ponder": Option("USI_Ponder", "check"),
}
"""Options that the protocol has engines know without listing them."""


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
        self.options: dict[str, Option] = {}
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
        self._program.skip_output()  # what it said without being asked is no answer
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

    def judge(self, position: Position) -> int | None:  # noqa: ARG002
        """Nothing: neither protocol asks an engine for the static value of a position."""
        return None

    def close(self) -> None:
        """Ends the program: it is asked to quit, and killed."""
        if self._program:
            self._program.quit()
            self._program = None

    def _start(self, game: str, deadline: Deadline) -> None:
        """Starts the program and sets it up for a game, unless that has been done."""
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
                elif (option := Option.parse(line)) and len(self.options) < _MOST_OPTIONS:
                    self.options[option.name.lower()] = option
        except PlayerFault as fault:
            advice = ""
            if self._program is None:  # it was killed, because it did not answer
                other = "usi" if self.spec.protocol == "uci" else "uci"
                advice = f"; does it speak {other}, or need an option to speak {self.spec.protocol}, as gnuchess --uci?"
            raise PlayerFault(f"did not start: {fault}{advice}") from fault

    def _set_up(self, game: str, deadline: Deadline) -> None:
        """Sets the options that were given, and what the game needs. Nothing is sent before all is known to be good."""
        values: list[tuple[Option, str | None]] = []
        for name, value in self.spec.options.items():
            option = self.options.get(name.lower())
            if option is None:
                offered = ", ".join(option.name for option in self.options.values()) or "none"
                raise EngineError(f'{self.name}: no option "{name}"; it offers: {offered}')
            values.append((option, self._checked(option, value)))
        given = {option.name.lower(): value for option, value in values}
        variants = self.options.get("uci_variant")
        try:
            dialect = find_dialect(self.spec.protocol, game, has_variants=variants is not None)
        except EngineError as error:
            raise EngineError(f"{self.name}: {error}") from error
        if variants:
            variant = self._checked(variants, base_name(game))
            if given.get("uci_variant", variant) != variant:
                raise EngineError(f"{self.name}: UCI_Variant is {given['uci_variant']}, but the game is {game}")
            if "uci_variant" not in given:
                values.append((variants, variant))
        if needs_chess960(game, None) and "uci_chess960" not in self.options:
            raise EngineError(f"{self.name}: plays no Chess960 (it has no option UCI_Chess960), but the game is {game}")
        for option, value in values:
            self._set_option(option, value, deadline)
        self._dialect = dialect
        self._chess960 = given.get("uci_chess960") == "true"
        self._wait_ready(deadline)

    def _checked(self, option: Option, value: str | None) -> str | None:
        """The text with which the option is set to a value. Raises EngineError."""
        try:
            return option.check(value)
        except ValueError as error:
            raise EngineError(f'{self.name}: option "{option.name}": {error}') from error

    def _set_option(self, option: Option, value: str | None, deadline: Deadline) -> None:
        setting = "" if value is None else f" value {value}"
        self._send(f"setoption name {option.name}{setting}", deadline)

    def _set_chess960(self, position: Position, deadline: Deadline) -> None:
        """Turns Chess960 on for positions that need it, and off again where the user did not ask for it."""
        if self._dialect is not OWN or base_name(position.game) != "chess":
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
        shown = "".join(letter for letter in text if letter.isprintable())[:40]
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
        if kind == "cp":
            return max(-MOST_STATIC, min(int(value), MOST_STATIC))
        if kind != "mate":
            return None
        if value in ("+", "-"):  # USI: a mate of unknown length
            return LEAST_WIN if value == "+" else -LEAST_WIN
        number = int(value)
        is_won = number > 0
        plies = abs(number) * self.plies_a_mate - (self.plies_a_mate - 1 if is_won else 0)
        score = WIN_SCORE - min(plies, MOST_PLIES)
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
