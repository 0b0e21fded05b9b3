"""What UCI and USI have in common: options, positions, one search at a time, and its reports.

The caller reads lines and hands them over; a search runs on a thread of its own. Nothing that a line says ends the
engine: what it does not understand it refuses with an ``info string`` and stays as it was.
"""

from __future__ import annotations

import os
import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from plypilot import __version__
from plypilot.engine.go import Go, read_go
from plypilot.engine.table_size import log2_entries, megabytes, most_megabytes
from plypilot.games import IllegalMove, Move, Position
from plypilot.outside.option import Option, Value, whole_number
from plypilot.pilot import Pilot, PilotError, find_pilot
from plypilot.score import DEEPEST, win_distance
from plypilot.searcher import Clock, Iteration, Line, Result, Searcher
from plypilot.suite import bench

_MOST_LINES = 500
_LONGEST_MARGIN_MS = 5000
_LONGEST_REMARK = 300


@dataclass(frozen=True)
class _Recipe:
    """What a searcher is made from: with another one the next search begins with an empty table."""

    pilot: Pilot
    changes: tuple[tuple[str, object], ...]
    game: int
    clearing: int


@dataclass
class _Thinking:
    """A search that is running. It answers exactly once, when it has ended and is allowed to answer."""

    go: Go
    clock: Clock
    recipe: _Recipe
    position: Position
    lines: int
    threads: int
    is_stopped: bool = False
    may_answer: threading.Event = field(default_factory=threading.Event)
    has_answered: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        """It will answer soon."""
        self.is_stopped = True
        self.clock.stop()
        self.may_answer.set()

    def end(self) -> None:
        """It has answered when this returns."""
        self.stop()
        self.has_answered.wait()


class Engine(ABC):
    """A pilot that obeys a protocol of lines. One thread hands it lines; it tells its own from that one or another."""

    handshake: ClassVar[str]
    """The word that asks who it is."""
    new_game: ClassVar[str]
    """The word that says that another game follows."""
    fen_word: ClassVar[str]
    """What comes before a position string."""
    first_letter: ClassVar[str]
    """Whose clock is the first player's: w or b."""
    no_move: ClassVar[str]
    """What is answered where there is no move."""
    option_names: ClassVar[Mapping[str, str]] = {}
    """Options that the protocol calls by another name."""

    def __init__(self, pilot: Pilot, tell: Callable[[str], object], *, pilot_name: str = "baseline") -> None:
        """Makes ready to play a pilot's game. ``tell`` is given each line that goes out, from any thread."""
        self.pilot = pilot
        self._tell = tell
        self._position = Position(pilot.game)
        self._options = {option.name: option for option in self.options(pilot_name)}
        self._values: dict[str, Value] = {}
        self._games = 0
        self._clearings = 0
        self._made: tuple[_Recipe, Searcher] | None = None
        self._thinking: _Thinking | None = None
        # One thread for all searches: on a busy machine one that sleeps is woken long before a new one gets its turn.
        self._orders: queue.SimpleQueue[_Thinking | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._obey_orders, daemon=True)
        self._thread.start()
        self._commands: dict[str, Callable[[str], object]] = {
            self.handshake: self._introduce,
            self.new_game: self._start_game,
            "isready": self._answer_ready,
            "setoption": self._set_option,
            "position": self._set_position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._hit,
            "d": self._draw,
            "bench": self._bench,
            "debug": lambda _: None,
            "register": lambda _: None,
        }

    def options(self, pilot_name: str) -> list[Option]:
        """What can be set, in the order it is told."""
        return [
            Option("Hash", "spin", megabytes(self.pilot.search.table.log2_entries), 1, most_megabytes()),
            Option("Threads", "spin", 1, 1, os.cpu_count() or 1),
            Option("MultiPV", "spin", 1, 1, _MOST_LINES),
            Option("Ponder", "check", False),
            Option("Pilot", "string", pilot_name),
            Option("Move Overhead", "spin", self.pilot.timing.margin_ms, 0, _LONGEST_MARGIN_MS),
            Option("Clear Hash", "button"),
        ]

    def handle(self, line: str) -> bool:
        """Obeys a line. False after ``quit``."""
        words = line.split(maxsplit=1)
        if not words:
            return True
        if words[0] == "quit":
            self.close()
            return False
        command = self._commands.get(words[0])
        try:
            if command is None:
                self._remark(f'unknown command "{words[0]}"')
            else:
                command(words[1].strip() if len(words) > 1 else "")
        except Exception as error:  # a game must not be lost because of one line
            self._remark(f"{words[0]}: {error}")
        return True

    def finish(self) -> None:
        """Lets a search that ends by itself, at a depth or a number of nodes, come to its end."""
        if self._thinking is not None:
            go = self._thinking.go
            if not (go.infinite or go.ponder) and (go.limit.depth is not None or go.limit.nodes is not None):
                self._thinking.has_answered.wait()

    def close(self) -> None:
        """Ends the present search, which answers before this returns, and takes no further one."""
        self._end_search()
        self._orders.put(None)
        self._thread.join()

    @abstractmethod
    def mate_number(self, plies: int) -> int:
        """How the protocol counts a forced win (positive) or loss (negative) in so many plies."""

    def move_text(self, move: Move) -> str:
        """A move as the protocol writes it."""
        return str(move)

    def read_move(self, position: Position, text: str) -> Move:
        """The legal move that a text names. Raises IllegalMove."""
        return position.parse(text)

    def read_position(self, fen: str | None) -> Position:
        """The position of a position string, the start without one. Raises BadPosition."""
        return Position(self.pilot.game, fen)

    def changes(self) -> dict[str, object]:
        """Settings of the pilot that options change. A pilot without a table stays so."""
        table_size = self._values.get("Hash")
        if table_size is None or not self.pilot.search.table.log2_entries:
            return {}
        return {"search.table.log2_entries": log2_entries(int(table_size))}

    def most_nodes(self) -> int | None:
        """What a move may take where options make the engine weaker."""
        return None

    def value(self, name: str) -> Value:
        """The value of an option: as it was set, or the default."""
        return self._values.get(name, self._options[name].default)

    def set_value(self, name: str, value: Value) -> None:
        """Takes the value of an option. Raises ValueError where it cannot."""
        if name == "Pilot":
            self._set_pilot(str(value), self.pilot.game)
        self._values[name] = value

    # Commands

    def _introduce(self, _: str) -> None:
        self._tell(f"id name plypilot {__version__}")
        self._tell("id author the plypilot authors")
        for option in self._options.values():
            self._tell(f"option {replace(option, name=self._option_name(option)).declaration}")
        self._tell(f"{self.handshake}ok")

    def _answer_ready(self, _: str) -> None:
        try:
            if not self._is_thinking():
                self._find_searcher(self._recipe())
        finally:
            self._tell("readyok")

    def _start_game(self, _: str) -> None:
        self._games += 1

    def _set_option(self, rest: str) -> None:
        if self._thinking is not None and self._is_thinking():
            if not self._thinking.is_stopped:
                raise ValueError("a search is running, send stop first")
            self._thinking.end()
        words = rest.split(maxsplit=1)
        if not words or words[0] != "name":
            raise ValueError("expected: setoption name NAME value VALUE")
        name, _, text = f"{words[1] if len(words) > 1 else ''} ".partition(" value ")
        name, text = " ".join(name.split()), text.strip()
        for option in self._options.values():
            if name.lower() in (option.name.lower(), self._option_name(option).lower()):
                break
        else:
            there = ", ".join(map(self._option_name, self._options.values()))
            raise ValueError(f'no option "{name}"; there are: {there}')
        if option.kind == "button":
            self._clearings += 1  # there is one button: it clears the table
            return
        try:
            value = option.nearest(option.read(text))
            self.set_value(option.name, value)
        except (ValueError, OSError) as error:
            raise ValueError(f"{option.name}: {error}") from error
        if option.kind == "spin" and text.lstrip("+") != str(value):
            self._remark(f"{option.name} is {value}: it goes from {option.least} to {option.most}")

    def _option_name(self, option: Option) -> str:
        return self.option_names.get(option.name, option.name)

    def _set_position(self, rest: str) -> None:
        words = rest.split()
        at = words.index("moves") if "moves" in words else len(words)
        kind, fen = words[:1], " ".join(words[1:at])
        if kind == ["startpos"] and not fen:
            position = self.read_position(None)
        elif kind == [self.fen_word]:
            position = self.read_position(fen)
        else:
            raise ValueError(f"expected: position startpos|{self.fen_word} ... moves ...")
        for text in words[at + 1 :]:
            position.push(self.read_move(position, text))
        self._position = position

    def _go(self, rest: str) -> None:
        self._end_search()
        position = self._position
        mine = self.first_letter if position.turn == 0 else {"w": "b", "b": "w"}[self.first_letter]
        margin_ms = int(self._values.get("Move Overhead", self.pilot.timing.margin_ms))
        threads = int(self.value("Threads"))
        go = self._bounded(read_go(rest.split(), mine, margin_ms, self._remark))
        timing = self.pilot.timing.model_copy(update={"margin_ms": margin_ms})
        clock = Clock(go.first_limit, timing, threads=threads, pawn=self.pilot.evaluation.pawn)
        thinking = _Thinking(go, clock, self._recipe(go), position.copy(), int(self.value("MultiPV")), threads)
        if not (go.infinite or go.ponder):
            thinking.may_answer.set()
        self._thinking = thinking
        self._orders.put(thinking)

    def _draw(self, _: str) -> None:
        """The position as a person sees it."""
        for line in (*self._position.draw().splitlines(), "", f"fen: {self._position.fen()}"):
            self._tell(line)

    def _bench(self, rest: str) -> None:
        """The nodes of fixed searches, the same on every run, and the rate; to another depth where one is given."""
        self._end_search()
        depth = min(max(whole_number(rest), 1), DEEPEST) if rest else None
        run = bench(self.pilot, depth=depth)
        self._tell(f"{run.nodes} nodes {run.nodes / max(run.seconds, 1e-9):.0f} nps")

    def _stop(self, _: str) -> None:
        if self._thinking is not None:
            self._thinking.stop()

    def _hit(self, _: str) -> None:
        if self._thinking is not None and self._thinking.go.ponder:
            self._thinking.clock.set_time(self._thinking.go.limit)
            self._thinking.may_answer.set()

    # The search

    def _end_search(self) -> None:
        if self._thinking is not None:
            self._thinking.end()

    def _obey_orders(self) -> None:
        while (thinking := self._orders.get()) is not None:
            self._think(thinking)

    def _think(self, thinking: _Thinking) -> None:
        try:
            answer = self._search(thinking)
        except Exception as error:  # the program waits for a move, whatever happened
            self._remark(f"the search failed: {error}")
            answer = [self.move_text(move) for move in thinking.position.moves()[:1]]
        thinking.may_answer.wait()
        words = ["bestmove", answer[0] if answer else self.no_move]
        if len(answer) > 1:
            words += ["ponder", answer[1]]
        thinking.has_answered.set()  # before the answer: whoever has read that may set options
        self._tell(" ".join(words))

    def _search(self, thinking: _Thinking) -> list[str]:
        """Searches and reports. The texts of the best line, empty where the game has ended."""
        go, position = thinking.go, thinking.position
        moves = []
        for text in go.moves:
            try:
                moves.append(self.read_move(position, text))
            except IllegalMove as error:
                self._remark(f"searchmoves: {error}")

        def report(iteration: Iteration) -> None:
            depth = f"depth {iteration.depth} seldepth {max(iteration.deepest, iteration.depth)}"
            for number, line in enumerate(iteration.lines, 1):
                self._report(depth, number, line, iteration, self._texts(position, line.whole_pv))
            distance = win_distance(iteration.score)
            if go.mate is not None and distance is not None and 0 < distance < 2 * go.mate:
                thinking.clock.stop()

        result = self._find_searcher(thinking.recipe).search(
            position,
            thinking.clock,
            moves=moves,
            lines=thinking.lines,
            threads=thinking.threads,
            on_iteration=report,
        )
        texts = self._texts(position, result.whole_pv)
        if go.mate is not None and result.depth >= 2 * go.mate - 1 and (win_distance(result.score) or 0) <= 0:
            self._remark(f"there is no mate in {go.mate}: every line was searched")
        if result.stopped:  # what came after the last report
            self._report(f"depth {result.depth}", 1, result.lines[0], result, texts)
        return texts

    def _report(self, depth: str, number: int, line: Line, found: Iteration | Result, texts: list[str]) -> None:
        plies = win_distance(line.score)
        score = f"cp {line.score}" if plies is None else f"mate {self.mate_number(plies)}"
        nodes, seconds = found.nodes.all, found.seconds
        effort = f"nodes {nodes} nps {int(nodes / max(seconds, 1e-6))} time {int(seconds * 1000)}"
        pv = f" pv {' '.join(texts)}" if texts else ""
        self._tell(f"info {depth} multipv {number} score {score} {effort} hashfull {found.table_permill}{pv}")

    def _recipe(self, go: Go | None = None) -> _Recipe:
        """The pilot; where a mate is asked for, one that skips nothing, so that what it does not find is not there."""
        if go is not None and go.mate is not None:
            return _Recipe(Pilot.plain(self.pilot.game), (), self._games, self._clearings)
        return _Recipe(self.pilot, tuple(self.changes().items()), self._games, self._clearings)

    def _bounded(self, go: Go) -> Go:
        """A search with the limits of the options: a mate has a depth, and less strength has fewer nodes."""
        limit = go.limit
        if go.mate is not None:
            limit = replace(limit, depth=min(2 * go.mate - 1, limit.depth or DEEPEST, DEEPEST))
        if (nodes := self.most_nodes()) is not None and not go.infinite:
            limit = replace(limit, nodes=min(nodes, limit.nodes or nodes))
        return replace(go, limit=limit)

    def _find_searcher(self, recipe: _Recipe) -> Searcher:
        """The searcher with the table of the searches before, or a new one where it is made from something else."""
        if self._made is None or self._made[0] != recipe:
            self._made = None  # its memory is freed before the new one takes its own
            self._made = recipe, Searcher(recipe.pilot.replace(dict(recipe.changes)), seed=recipe.game)
        return self._made[1]

    def _set_pilot(self, name: str, game: str) -> None:
        # Only files: other things that have a path, such as a pipe, may never end.
        if name not in ("", "baseline", "plain") and not Path(name).is_file():
            raise PilotError(f'no file "{name}"; expected a pilot file, baseline or plain')
        pilot = find_pilot(name or "baseline", game)
        if pilot.game != self.pilot.game:
            self._position = Position(pilot.game)
        self.pilot = pilot

    def _is_thinking(self) -> bool:
        return self._thinking is not None and not self._thinking.has_answered.is_set()

    def _texts(self, position: Position, line: list[Move]) -> list[str]:
        """A line as far as it is legal: its tail comes from the table, where two positions may share a key."""
        texts = []
        for move in line:
            if not position.is_legal(move):
                break
            texts.append(self.move_text(move))
            position.push(move)
        for _ in texts:
            position.pop()
        return texts

    def _remark(self, text: str) -> None:
        line = "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))
        if len(line) > _LONGEST_REMARK:
            line = line[: _LONGEST_REMARK - 3] + "..."
        self._tell(f"info string {line}")
