"""The conformance checker of games: plays at random and explains each broken promise in a sentence.

One list of rules serves the native games, the tests and ``plypilot check-game`` on a user's class.
"""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

from plypilot.game_name import is_python_game
from plypilot.games import Game, GameInfo, Move, Position, _find, _load, game_info
from plypilot.own_code import tell

LONGEST_GAME = 2000
"""Plies after which a random game is taken to go on for ever."""
CLOSELY = 60
"""Plies of each game at which every rule is checked. Some rules replay the game, so later it is now and then."""
SAMPLED = 50
"""How many plies apart that is."""


@dataclass(frozen=True)
class Failure:
    """A promise that a game does not keep."""

    rule: str
    """Which promise, in a word or two."""
    text: str
    """What was seen, in a sentence that names the position."""

    def __str__(self) -> str:
        return f"{self.rule}: {self.text}"


def check_game(
    game: str | type[Game],
    *,
    games: int = 20,
    seed: int = 0,
    on_game: Callable[[int], None] | None = None,
) -> list[Failure]:
    """Plays random games and returns each kind of failure once, the first time it is seen.

    An empty list means that every promise held. Raises UnknownGame where the game cannot be loaded at all.
    """
    _find(game)
    rules = _POSITION_RULES
    if kind := _python_class(game):
        rules = (*((name, _on_class(kind, rule)) for name, rule in _CLASS_RULES), *rules)
    failures: dict[str, Failure] = {}
    turns_kept = 0
    for number in range(games):
        rng = random.Random(f"{seed} {number}")
        position = Position(game)
        try:
            turns_kept += _play_and_check(position, game_info(game), rng, rules, failures)
        except Exception as error:  # the user's own, which has a place in the user's file
            failures.setdefault("exception", Failure("exception", tell(position.game, _place(position), error)))
        if on_game:
            on_game(number + 1)
    if kind and "exception" not in failures:
        if not (kind.turns_alternate or turns_kept):
            text = (
                f"turns_alternate is False, but every move of {games} random games passed the turn: leave it out, or "
                "mend player() if a player may move again"
            )
            failures.setdefault("turns", Failure("turns", text))
        if failure := _check_across_processes(game, seed):
            failures.setdefault(failure.rule, failure)
    return list(failures.values())


Rule = Callable[[Position, GameInfo, random.Random], Iterator[str]]


def _python_class(game: str | type[Game]) -> type[Game] | None:
    if isinstance(game, type):
        return game
    return _load(game) if is_python_game(game) else None


def _play_and_check(
    position: Position,
    info: GameInfo,
    rng: random.Random,
    rules: tuple[tuple[str, Rule], ...],
    failures: dict[str, Failure],
) -> int:
    """Plays a random game, notes the first failure of each rule, and returns how many moves left the turn as it was."""
    turns_kept = 0
    for ply in range(LONGEST_GAME):
        for name, rule in rules if ply < CLOSELY or ply % SAMPLED == 0 else ():
            if name not in failures and (text := next(rule(position, info, rng), None)):
                failures[name] = Failure(name, f"{text} (in {position.fen()})")
        moves = position.moves()
        if position.outcome() is not None or not moves:
            return turns_kept
        mover = position.turn
        position.push(rng.choice(moves))
        turns_kept += position.turn == mover
    failures.setdefault(
        "length",
        Failure("length", f"a random game had not ended after {LONGEST_GAME} plies; is a draw rule missing?"),
    )
    return turns_kept


def _place(position: Position) -> str:
    """A position as text, as far as its game can still write it."""
    try:
        return position.fen()
    except Exception:
        return ""


# Rules on positions: hold for every game. Each yields what is wrong.


def _check_start(position: Position, _info: GameInfo, _rng: random.Random) -> Iterator[str]:
    if position.ply == 0 and position.outcome() is not None:
        yield "the game has ended before the first move"


def _check_moves(position: Position, _info: GameInfo, _rng: random.Random) -> Iterator[str]:
    moves = position.moves()
    if moves != position.moves():
        yield "moves() gives another list when asked again"
    if len(set(moves)) != len(moves):
        yield "moves() lists a move twice"
    if position.count_moves() != len(moves):
        yield f"count_moves() is {position.count_moves()}, moves() lists {len(moves)}"
    if position.outcome() is None and not moves:
        yield "there is no move, but outcome() says that the game goes on"


def _check_notation(position: Position, _info: GameInfo, _rng: random.Random) -> Iterator[str]:
    texts: dict[str, Move] = {}
    for move in position.moves():
        text = str(move)
        if not text or " " in text:
            yield f"a move is written {text!r}: a text must have a character and no space"
        if text in texts:
            yield f"two moves are both written {text!r}"
        texts[text] = move
    for text, move in texts.items():
        if position.parse(text) != move:
            yield f"{text!r} is read as another move than it was written for"


def _check_position_string(position: Position, _info: GameInfo, _rng: random.Random) -> Iterator[str]:
    fen = position.fen()
    again = Position(position.game, fen)
    if again.fen() != fen:
        yield f"the position string {fen!r} is written {again.fen()!r} once read"
    elif again.turn != position.turn:
        yield "the position string loses whose turn it is"
    elif again.key != position.key:
        yield "the hash of a position differs from that of the same position read from its string"
    elif set(map(str, again.moves())) != set(map(str, position.moves())):
        yield "the position read from its string has other moves"


def _check_undo(position: Position, _info: GameInfo, rng: random.Random) -> Iterator[str]:
    def looks(of: Position) -> tuple[object, ...]:
        return of.fen(), of.key, of.turn, of.moves(), of.outcome(), of.draw()

    moves = position.moves()
    if not moves:
        return
    before, twin, move = looks(position), position.copy(), rng.choice(moves)
    position.push(move)
    if position.key == before[1]:
        yield f"{move} leaves the hash as it was"
    if position.pop() != move or looks(position) != before:
        yield f"making {move} and taking it back does not restore the position"
    if looks(twin) != before:
        yield f"making {move} changed a copy of the position"
    if position.ply % 16 == 0 and looks(pickle.loads(pickle.dumps(position))) != before:  # it replays the game
        yield "a pickled position comes back as another"


def _check_turns(position: Position, info: GameInfo, _rng: random.Random) -> Iterator[str]:
    if not info.turns_alternate:
        return
    mover = position.turn
    for move in position.moves():
        position.push(move)
        keeps_turn = position.turn == mover
        position.pop()
        if keeps_turn:
            yield (
                f"after {move} it is still the turn of {info.sides[mover]}: say turns_alternate = False in the class "
                "if a player may move again, or mend player()"
            )


def _check_features(position: Position, info: GameInfo, _rng: random.Random) -> Iterator[str]:
    for features in info.feature_sets:
        values = position.feature_values(features.name)
        if len(values) != len(features.features) or not all(isfinite(value) for value in values):
            yield f"feature set {features.name!r} has a value that is not a finite number"
        if len(set(features.features)) != len(features.features):
            yield f"feature set {features.name!r} names a feature twice"


def _check_move_features(position: Position, info: GameInfo, _rng: random.Random) -> Iterator[str]:
    for move in position.moves():
        mask = position.move_features(move)
        if mask >> len(info.move_features):
            yield f"{move} has a feature beyond the {len(info.move_features)} that are named"
        has = {feature.symbol: feature for bit, feature in enumerate(info.move_features) if mask >> bit & 1}
        for feature in has.values():
            if feature.parent and feature.parent not in has:
                yield f"{move} has {feature.name} but not its parent {feature.parent}"


def _check_index(position: Position, info: GameInfo, _rng: random.Random) -> Iterator[str]:
    if info.index_sizes == (1, 1, 1):
        return
    moves = position.moves()
    for move in moves:
        if not all(0 <= part < size for part, size in zip(move.index, info.index_sizes, strict=True)):
            yield f"{move} has the index {move.index}, outside {info.index_sizes}"
    if len({move.index for move in moves}) != len(moves):
        yield "two moves have the same index"


def _check_drawing(position: Position, _info: GameInfo, _rng: random.Random) -> Iterator[str]:
    if not position.draw().strip():
        yield "draw() is empty"


_POSITION_RULES: tuple[tuple[str, Rule], ...] = (
    ("start", _check_start),
    ("moves", _check_moves),
    ("notation", _check_notation),
    ("position string", _check_position_string),
    ("undo", _check_undo),
    ("turns", _check_turns),
    ("features", _check_features),
    ("move features", _check_move_features),
    ("move index", _check_index),
    ("drawing", _check_drawing),
)


# Rules on a class written in Python, asked of its own methods.

ClassRule = Callable[[Game, Any], Iterator[str]]


def _on_class(kind: type[Game], rule: ClassRule) -> Rule:
    game = kind()

    def check(position: Position, _info: GameInfo, _rng: random.Random) -> Iterator[str]:
        state = game.start()
        for move in position.played:
            state = game.play(state, move.value)
        return rule(game, state)

    return check


def _snapshot(value: object) -> bytes:
    return pickle.dumps(value)


def _check_state(game: Game, state: object) -> Iterator[str]:
    try:
        _snapshot(state)
    except Exception as error:
        yield f"a state cannot be pickled, so games cannot run in several processes: {error}"
    try:
        hash(state)
    except TypeError as error:
        yield f"a state is not hashable, so it is probably not immutable: {error}"
    if game.start() != game.start():
        yield "start() gives two states that are not equal"


def _check_outcome(game: Game, state: object) -> Iterator[str]:
    outcome = game.outcome(state)
    if outcome not in (None, -1, 0, 1):
        yield f"outcome() is {outcome!r}, expected None, 1, 0 or -1"
    if game.outcome(state) != outcome:
        yield "outcome() gives another answer when asked again"
    if outcome is None and not list(game.moves(state)):
        yield "moves() is empty, but outcome() is None: a player without a move needs an outcome"


def _check_play(game: Game, state: object) -> Iterator[str]:
    if game.outcome(state) is not None:
        return
    moves = list(game.moves(state))
    if moves != list(game.moves(state)):
        yield "moves() gives another list when asked again"
    for move in moves:
        before = _snapshot(state)
        after = game.play(state, move)
        if _snapshot(state) != before:
            yield f"play() changed the state it was given (move {move!r}): return a new one instead"
            return
        if after == state:
            yield f"play() returned the state it was given (move {move!r})"
        if game.play(state, move) != after:
            yield f"play() gives two different states for one move (move {move!r})"


_CLASS_RULES: tuple[tuple[str, ClassRule], ...] = (
    ("state", _check_state),
    ("outcome", _check_outcome),
    ("play", _check_play),
)


def _check_across_processes(game: str | type[Game], seed: int) -> Failure | None:
    """Whether another process, with another salt for Python's own hash, sees the same moves and hashes."""
    name = game if isinstance(game, str) else f"{game.__module__}:{game.__qualname__}"
    if name.startswith("__main__:") or "<locals>" in name:
        return None  # such a class cannot be imported elsewhere
    lines = []
    for salt in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", _TRACE, name, str(seed), *sys.path],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONHASHSEED": salt},
            timeout=60,
        )
        if run.returncode:
            return Failure("processes", f"another process cannot load the game: {run.stderr.strip().splitlines()[-1]}")
        lines.append(run.stdout.splitlines())
    for ply, (left, right) in enumerate(zip(*lines, strict=False)):
        if left != right:
            return Failure("processes", f"another process sees another hash or another order of moves at ply {ply}")
    return None


_TRACE = """
import random, sys
name, seed, *sys.path = sys.argv[1:]
from plypilot import Position
rng, position = random.Random(seed), Position(name)
while position.ply < 200 and position.outcome() is None:
    moves = position.moves()
    print(position.key, *moves)
    position.push(rng.choice(moves))
"""
