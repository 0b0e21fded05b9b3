"""A person plays the engine in a terminal, or a pipe: commands in, the board and what the engine says out.

The rules of the sitting are in sitting.py, how a person's move is read in typed_move.py, what
is said in words.py.
"""

from __future__ import annotations

import textwrap
import time
from contextlib import nullcontext
from difflib import get_close_matches
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from plypilot.compute.interrupts import handling_interrupts
from plypilot.game_name import is_python_game
from plypilot.games import IllegalMove, Move, game_info
from plypilot.score import win_distance
from plypilot.searcher import Iteration, Result
from plypilot.sitting.explanation import Term, explain, feature_words, gains
from plypilot.sitting.prompt import ask
from plypilot.sitting.sitting import Sitting, save
from plypilot.sitting.typed_move import NotAMove, origin, piece_name, quote, read_move
from plypilot.sitting.view import View, can_turn
from plypilot.sitting.words import LEVELS, ending_words, limit_words, read_level, score_words, shade_words
from plypilot.spelling import short_line

COMMANDS = {
    "undo": ("undo", "take back your last move and the engine's answer"),
    "hint": ("hint", "what the engine would play for you, and why"),
    "moves": ("moves", "list the legal moves"),
    "board": ("board", "draw the board"),
    "flip": ("flip", "see the board from the other side"),
    "fen": ("fen", "print the position as one line of text"),
    "eval": ("eval", "explain how the engine judges the board as it stands, from your side"),
    "swap": ("swap", "change sides with the engine"),
    "level": ("level N", "how strong it is, 1 to 10; or level depth 6, level nodes 50000, level time 2.5 (seconds)"),
    "save": ("save FILE", "write the game so far: .pgn, .json, .txt (the moves alone) and other formats"),
    "resign": ("resign", "give up this game"),
    "new": ("new", "set up the start again"),
    "help": ("help", "this list"),
    "quit": ("quit", "leave, also q; so does the end of input (Ctrl-D)"),
}
"""By name: how it is written, and what it does."""
_ALIASES = {"?": "help", "exit": "quit", "q": "quit"}
_MOST_REASONS = 2
"""How many of these make the reason of a hint."""
_LEAST_REASON = 5
"""In score units: what changes by less is no reason."""
_MOST_TERMS = 8
"""How many terms of an evaluation are named."""
_WIDTH = 100
"""The columns to which lists are folded."""
_QUIET_SECONDS = 0.2
"""A search tells nothing while it runs before this time has passed."""
_LOOKS = (("[♔-♙○]", "bold"), ("[♚-♟●]", "bold cyan"), ("[·・]", "dim"))
"""White pieces, black pieces and empty squares, by their glyphs. Outlined glyphs look dark on a dark background."""
_CHANGED = "not dim reverse"


class Terminal:
    """The conversation of one sitting."""

    def __init__(
        self, sitting: Sitting, console: Console, *, save_to: Path | None = None, letters: bool = False
    ) -> None:
        """``save_to`` is where the game is saved when the person leaves. ``letters`` stand for the signs of pieces."""
        self.sitting = sitting
        self._console = console
        self._save_to = save_to
        self._letters = letters
        self._is_flipped = False
        """Whether the person wants to see the board from the other side than usual."""
        self._left = False
        self._interrupts = 0
        """How often Ctrl-C was typed since the last line: the second leaves."""
        self._is_asking = False
        self._can_rewrite = console.is_terminal and not console.is_dumb_terminal

    def run(self) -> None:
        """Plays until the person leaves, or to the end where there is no person. Raises KeyboardInterrupt."""
        sitting = self.sitting
        try:
            with handling_interrupts(self._interrupt):
                self._greet()
                self._show_board()
                while not self._left:
                    if sitting.is_engine_to_move:
                        self._move_engine()
                    elif sitting.person:
                        self._listen()
                    else:
                        self._left = True
        finally:
            if self._save_to is not None:
                self._write_record(self._save_to)

    # What the person types.

    def _listen(self) -> None:
        over = self.sitting.outcome is not None
        prompt = "over> " if over else f"{self.sitting.sides[self.sitting.position.turn]}> "
        asked = time.perf_counter()
        self._is_asking = True
        try:
            line = ask(prompt, self._completions)
        except EOFError:
            self._say()
            self._left = True
            return
        except KeyboardInterrupt:
            self._say()
            if self._interrupts > 1:
                raise
            self._say("Ctrl-C once more leaves, and so does quit.")
            return
        finally:
            self._is_asking = False
        self._interrupts = 0
        try:
            self._obey(line.strip(), time.perf_counter() - asked)
        except (ValueError, OSError) as error:
            self._say(str(error))

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        """Ctrl-C: ends the thinking, or takes the person away from the prompt; the second one leaves."""
        self._interrupts += 1
        if self._is_asking or self._interrupts > 1:
            raise KeyboardInterrupt
        self.sitting.searcher.stop()

    def _obey(self, line: str, seconds: float) -> None:
        """Does what a line says: a legal move before a command, a command before what is only like a move."""
        sitting = self.sitting
        over = sitting.outcome is not None
        if not line:
            return
        if not over:
            try:
                move = sitting.position.parse(line)
            except IllegalMove:
                pass
            else:
                self._move_person(move, seconds)
                return
        word, *rest = line.removeprefix(":").split(maxsplit=1) or [""]
        word = _ALIASES.get(word.lower(), word.lower())
        if word in COMMANDS:
            getattr(self, f"_do_{word}")("".join(rest))
            return
        if over:
            raise ValueError(f"{self._ending()}; undo, new, save FILE or quit")
        try:
            self._move_person(read_move(sitting.position, line), seconds)
        except NotAMove as error:
            meant = get_close_matches(word, COMMANDS, n=1, cutoff=0.7)
            if not meant:
                raise
            raise ValueError(f"{quote(line)} is neither a move nor a command; {meant[0]}?") from error

    def _completions(self, text: str, before: str) -> list[str]:
        """Words that may stand behind ``before`` and begin with a text.

        First come commands and moves; long notation is offered to those who began to write it.
        """
        position = self.sitting.position
        if before:
            return [word for word in LEVELS if before == "level" and word.startswith(text)]
        shorts = [position.san(move) for move in position.moves()] if self.sitting.outcome is None else []
        words = [word for word in (*shorts, *COMMANDS) if word.startswith(text)]
        if not words and shorts:
            words = [str(move) for move in position.moves() if str(move).startswith(text)]
        return words

    # Moves.

    def _move_person(self, move: Move, seconds: float) -> None:
        self.sitting.play(move, seconds=seconds)
        if not self.sitting.is_engine_to_move:
            self._show_board()

    def _move_engine(self) -> None:
        sitting = self.sitting
        asked = time.perf_counter()
        result = self._think()
        move = _need_move(sitting, result)
        said = self._finding(result)
        side = sitting.sides[sitting.position.turn]
        short = sitting.position.san(move)
        sitting.play(move, result, time.perf_counter() - asked)
        self._say(f"{side} plays {short}: {said}\n")
        self._show_board()

    def _think(self, advice: list[Iteration] | None = None) -> Result:
        """A search that Ctrl-C ends early: for the engine's move, or for advice, whose depths are added to a list."""
        sitting = self.sitting
        side = sitting.sides[sitting.position.turn]
        interrupts = self._interrupts

        live = Live(console=self._console, auto_refresh=False, transient=True) if self._can_rewrite else None

        def tell(iteration: Iteration) -> None:
            if self._interrupts > interrupts:
                sitting.searcher.stop()  # Ctrl-C may have come just before the search began
            if advice is not None:
                advice.append(iteration)
            if live is not None and iteration.seconds >= _QUIET_SECONDS:
                score, line = score_words(iteration.score, side), short_line(sitting.position, iteration.whole_pv)
                text = f"{side} thinks: depth {iteration.depth}, {score}: {' '.join(line)}"
                live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)

        with live or nullcontext():
            return sitting.think(tell) if advice is None else sitting.advise(tell)

    def _finding(self, found: Result) -> str:
        """What a search says of a position, in words; its line on a line of its own."""
        position = self.sitting.position
        score = score_words(found.score, self.sitting.sides[position.turn])
        text = f"{score}, depth {found.depth}, {found.nodes.all} nodes"
        if len(found.whole_pv) > 1:
            text += f"\n  line: {' '.join(short_line(position, found.whole_pv))}"
        return text

    def _reasons(self, found: Result, completed: Iteration | None) -> list[str]:
        """Why the best move is better: what the next best one loses, and what the evaluation gains along the line.

        Moves are compared by the last depth that was completed: beyond it the next best was not looked at yet.
        """
        sitting, position = self.sitting, self.sitting.position
        reasons = []
        lines = [] if completed is None else completed.lines
        if len(lines) > 1 and lines[0].pv[:1] == [found.move] and lines[1].pv:
            best, next_best = lines[:2]
            other = position.san(next_best.pv[0])
            if win_distance(best.score) is None and win_distance(next_best.score) is None:
                less = best.score - next_best.score
                reasons.append(
                    f"{other}, the next best, is worth {less / 100:.2f} less" if less else f"as good as {other}"
                )
            else:
                reasons.append(f"{other}, the next best: {score_words(next_best.score, sitting.sides[position.turn])}")
        elif position.count_moves() == 1:
            reasons.append("it is the only move")
        elif completed is not None and completed.move not in (None, found.move):
            before = position.san(completed.move)
            reasons.append(f"{before} was first up to depth {completed.depth}")
        changed = [term for term in gains(sitting.pilot, position, found.whole_pv) if abs(term.score) >= _LEAST_REASON]
        if changed and win_distance(found.score) is None:
            gained = [term for term in changed if term.score > 0]
            terms = ", ".join(f"{term.feature} {term.score / 100:+.2f}" for term in (gained or changed)[:_MOST_REASONS])
            reasons.append(f"the line {'gains' if gained else 'costs'} {terms}")
        return reasons

    # Commands, named as in COMMANDS.

    def _do_undo(self, _rest: str) -> None:
        taken = self.sitting.take_back()
        self._say(f"Took back {' '.join(ply.short for ply in taken) or 'the resignation'}.\n")
        self._show_board()

    def _do_hint(self, _rest: str) -> None:
        self._need_game()
        completed: list[Iteration] = []
        found = self._think(completed)
        move = _need_move(self.sitting, found)
        self._say(f"Hint: {self.sitting.position.san(move)}: {self._finding(found)}")
        if reasons := self._reasons(found, completed[-1] if completed else None):
            self._say(f"  why: {'; '.join(reasons)}")

    def _do_moves(self, _rest: str) -> None:
        self._need_game()
        position = self.sitting.position
        groups: dict[str, list[str]] = {}
        for move in position.moves():
            piece = piece_name(position, move)
            where = origin(move) if piece == "piece" else f"{piece} {origin(move)}"
            groups.setdefault(where, []).append(position.san(move))
        self._say(f"{position.count_moves()} moves:")
        width = max(map(len, groups), default=0)
        for where, texts in groups.items():
            first, others = f"  {where.ljust(width)}  " if where else "  ", " " * (width + 4 if where else 2)
            self._say(textwrap.fill(" ".join(texts), _WIDTH, initial_indent=first, subsequent_indent=others))

    def _do_board(self, _rest: str) -> None:
        self._show_board()

    def _do_flip(self, _rest: str) -> None:
        if not can_turn(self.sitting.position.draw()):
            raise ValueError("this game draws its board by itself, without names of rows: it cannot be turned")
        self._is_flipped = not self._is_flipped
        self._show_board()

    def _do_fen(self, _rest: str) -> None:
        self._say(self.sitting.position.fen())

    def _do_eval(self, _rest: str) -> None:
        self._need_game()
        sitting = self.sitting
        kind = sitting.pilot.evaluation.kind
        if kind in ("zero", "random"):
            judges = "judges no board by itself" if kind == "zero" else "judges boards at random"
            self._say(f"This pilot {judges} (evaluation: {kind}). It sees what its search reaches: try hint.")
            return
        # Whoever asks is to move, so that the view of the side to move is his.
        score = sitting.searcher.evaluate(sitting.position)
        turn = sitting.position.turn
        shade = shade_words(score, turn, sitting.sides)
        self._say(f"As the board stands: {score / 100:+.2f} for {sitting.sides[turn]}; {shade}.")
        if kind == "linear":
            self._explain(explain(sitting.pilot, sitting.position))
        else:
            self._say("  A network has no terms by name.")

    def _do_swap(self, _rest: str) -> None:
        self.sitting.swap()
        self._say(f"You have {self.sitting.sides[self.sitting.viewer]} now.")

    def _do_level(self, rest: str) -> None:
        if rest:
            self.sitting.limit = read_level(rest.lower().split())
        self._say(f"Level: {limit_words(self.sitting.limit)}.")

    def _do_save(self, rest: str) -> None:
        try:
            path = Path(rest).expanduser() if rest else self._save_to
        except RuntimeError as error:  # ~ of somebody who is not there
            raise ValueError(f"save: {error}") from error
        if path is None:
            raise ValueError("save needs a file: save game.pgn")
        self._write_record(path)

    def _do_resign(self, _rest: str) -> None:
        self.sitting.resign()
        self._say(f"{self._ending()}.")

    def _do_new(self, _rest: str) -> None:
        self.sitting.restart()
        self._greet()
        self._show_board()

    def _do_help(self, _rest: str) -> None:
        notation = game_info(self.sitting.position.game).notation
        self._say(f"A move is written {notation}." if notation else "Type a move; the command moves lists them.")
        self._say("Tab completes. Ctrl-C lets the engine play what it has found; twice leaves. The commands:")
        for usage, text in COMMANDS.values():
            self._say(f"  {usage:10} {text}")

    def _do_quit(self, _rest: str) -> None:
        self._left = True

    # What the person sees.

    def _greet(self) -> None:
        sitting = self.sitting
        title = game_info(sitting.position.game).title
        engine = f"the engine ({sitting.engine_name}, {limit_words(sitting.limit)})"
        if not sitting.person:
            self._say(f"{title}: {engine} plays both sides.\n")
            return
        if len(sitting.person) == 1:
            you, other = sitting.sides[sitting.viewer], sitting.sides[1 - sitting.viewer]
            self._say(f"{title}: you have {you}, {engine} has {other}.")
        else:
            self._say(f"{title}: you play both sides, {engine} gives hints.")
        moves = sitting.position.moves()
        is_yours = moves and sitting.position.turn in sitting.person
        example = f" such as {sitting.position.san(moves[0])}" if is_yours else ""
        self._say(f"Type a move{example}, or help.\n")

    def _show_board(self) -> None:
        """The game's own drawing. What the last move changed stands out on a terminal."""
        position, plies = self.sitting.position, self.sitting.plies
        view = self._view()
        lines = view.of(position.draw()).splitlines()
        before: list[str] = []
        if plies:
            earlier = position.copy()
            earlier.pop()
            before = view.of(earlier.draw()).splitlines()
        turn = f"{self.sitting.sides[position.turn]} to move"
        tells = [line for line in lines if line.endswith(turn)]
        board = Text("\n").join(
            _painted(line, before[i] if i < len(before) else line) for i, line in enumerate(lines) if line not in tells
        )
        status = tells[0] if tells else turn
        if self.sitting.outcome is not None:
            status = self._ending()
        last = f" Last move: {plies[-1].short} ({self.sitting.sides[plies[-1].side]})." if plies else ""
        self._console.print(board, soft_wrap=True)
        self._say(f"{status}.{last}\n")

    def _view(self) -> View:
        """A person who has the second side sees it at the bottom. A game in Python draws as it likes, until a flip."""
        sitting = self.sitting
        is_second = sitting.person == frozenset((1,)) and not is_python_game(sitting.position.game)
        return View(is_second != self._is_flipped, self._letters)

    def _ending(self) -> str:
        outcome = self.sitting.outcome
        assert outcome is not None
        return ending_words(outcome, self.sitting.sides)

    def _explain(self, terms: list[Term]) -> None:
        sitting = self.sitting
        several = len(sitting.pilot.evaluation.weights) > 1
        large = [term for term in terms[:_MOST_TERMS] if abs(term.score) >= 1]
        having = [sitting.position.turn if term.value > 0 else 1 - sitting.position.turn for term in large]
        words = [feature_words(sitting.position, term, has) for term, has in zip(large, having, strict=True)]
        names = [f"{term.set}: {said}" if several else said for term, said in zip(large, words, strict=True)]
        for name, term, has in zip(names, large, having, strict=True):
            more = f"{sitting.sides[has]} has {abs(term.value):g} more" if term.value else "level by count"
            self._say(f"  {term.score / 100:+7.2f}  {name.ljust(max(map(len, names)))}  {more}")
        if rest := terms[len(large) :]:
            total = sum(term.score for term in rest)
            self._say(f"  {total / 100:+7.2f}  {len(rest)} smaller {'term' if len(rest) == 1 else 'terms'}")
        if not terms:
            self._say("  Every term is level.")

    def _write_record(self, path: Path) -> None:
        save(self.sitting.record(), path)
        plies = len(self.sitting.plies)
        self._say(f"Saved {plies} {'move' if plies == 1 else 'moves'} to {path}.")

    def _need_game(self) -> None:
        if self.sitting.outcome is not None:
            raise ValueError(f"{self._ending()}; there is nothing left to think about")

    def _say(self, text: str = "") -> None:
        self._console.print(Text(text), soft_wrap=True)


def _need_move(sitting: Sitting, found: Result) -> Move:
    if found.move is None:
        raise ValueError(f"{sitting.position.game}: no legal move and no outcome; see plypilot check-game")
    return found.move


def _painted(line: str, before: str) -> Text:
    """A line of a drawing, with what differs from the same line before the last move."""
    text = Text(line)
    for glyphs, style in _LOOKS:
        text.highlight_regex(glyphs, style)
    if len(line) == len(before):
        for at, (char, old) in enumerate(zip(line, before, strict=True)):
            if char != old:
                text.stylize(_CHANGED, at, at + 1)
    return text
