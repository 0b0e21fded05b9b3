"""Games and positions: the native ones by name, and ``Game``, the base class for games written in Python."""

from __future__ import annotations

import copyreg
import importlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from plypilot import _core
from plypilot._core import BadPosition, IllegalMove, Move, Outcome
from plypilot.bounds import DEEPEST_PERFT, MOST_THREADS, check_whole
from plypilot.game_name import base_name, is_python_game
from plypilot.own_code import GameError, tell_import

__all__ = [
    "BadPosition",
    "FeatureSet",
    "Game",
    "GameError",
    "GameInfo",
    "IllegalMove",
    "Move",
    "MoveFeature",
    "Outcome",
    "Position",
    "UnknownGame",
    "all_games",
    "game_info",
    "perft",
]


class UnknownGame(ValueError):
    """No game has this name, or the class it names cannot be loaded."""


class MoveFeature(NamedTuple):
    """One atomic feature of a move: a bit of its mask. A category is a conjunction of features."""

    symbol: str
    """Short name, for conjunctions such as ``Ud-PP``."""
    name: str
    group: str
    """Features of one group exclude each other, but for a feature and its parent."""
    parent: str = ""
    """Symbol of the wider feature in the same group, or empty."""
    text: str = ""


class FeatureSet(NamedTuple):
    """A named set of evaluation features."""

    name: str
    text: str
    features: list[str]
    is_of_path: bool = False
    """Whether it depends on the moves before: networks that order moves may use it, evaluations may not."""


@dataclass(frozen=True)
class GameInfo:
    """The static facts of a game."""

    name: str
    title: str
    sides: tuple[str, str]
    """Names of the first and the second player."""
    files: int
    ranks: int
    start_fen: str
    notation: str
    """How moves are written."""
    index_sizes: tuple[int, int, int]
    """How many values each part of ``Move.index`` takes: from (squares and drops), to, promotion."""
    move_features: tuple[MoveFeature, ...]
    """Bit i of ``Position.move_features`` is entry i."""
    feature_sets: tuple[FeatureSet, ...]
    turns_alternate: bool = True
    """Whether each move passes the turn to the other player."""


class Game(ABC):
    """The rules of a game, written in Python over immutable states. Everything works on it, more slowly.

    A state is any immutable value (a tuple, a string, a frozen dataclass); a move is any hashable one. Players
    move in turn, unless the class says that turns need not alternate. The four abstract methods are the game; the rest
    is optional, each with a sensible default. Name the game ``module:Class`` on the command line, or pass the class
    itself to ``Position``.
    """

    title: ClassVar[str] = ""
    """As people call the game; the class name where it is empty."""
    sides: ClassVar[tuple[str, str]] = ("first", "second")
    feature_names: ClassVar[Sequence[str]] = ()
    """Names of the evaluation features, one for each value that ``features`` gives."""
    board_names: ClassVar[Sequence[str]] = ()
    """Names of the inputs of the raw board, one for each value that ``board`` gives."""
    move_feature_list: ClassVar[Sequence[MoveFeature]] = ()
    """The atomic move features, at most 64."""
    index_sizes: ClassVar[tuple[int, int, int]] = (1, 1, 1)
    """How many values each part of ``index`` takes."""
    repetition: ClassVar[int] = 0
    """The occurrence of a position that makes a draw (3 for threefold), 0 for none."""
    turns_alternate: ClassVar[bool] = True
    """Whether each move passes the turn. Where a player may move again, as in Dots and Boxes, say False and let
    ``player`` tell from a state who is to move."""

    @abstractmethod
    def start(self) -> Any:
        """The state at the start, the first player to move."""

    @abstractmethod
    def moves(self, state: Any) -> Iterable[Hashable]:
        """The legal moves. Not asked where the game has ended; elsewhere there must be one."""

    @abstractmethod
    def play(self, state: Any, move: Any) -> Any:
        """The state after a legal move: a new one, the old is left as it was."""

    @abstractmethod
    def outcome(self, state: Any) -> int | None:
        """None while the game goes on; else 1, 0 or -1: the player to move has won, drawn or lost."""

    def player(self, state: Any) -> int:
        """Who is to move, 0 or 1. By default the players take turns, the first one from the start."""
        raise TypeError(f"{type(self).__name__} does not tell the player from a state")

    def text(self, move: Any) -> str:
        """A move in the game's notation, without spaces. By default its ``str``, and of a tuple its parts: ``3,4``."""
        return ",".join(map(self.text, move)) if type(move) is tuple else str(move)

    def index(self, move: Any) -> tuple[int, int, int]:
        """Three small integers that tell moves apart for networks: from, to, promotion."""
        return (0, 0, 0)

    def fen(self, state: Any) -> str:
        """A state as one line of text. By default ``start`` and the moves made since."""
        raise TypeError(f"{type(self).__name__} writes positions as moves from the start")

    def from_fen(self, text: str) -> Any:
        """The state that ``fen`` wrote. Raise ``BadPosition`` naming what is wrong. Goes together with ``fen``."""
        raise TypeError(f"{type(self).__name__} writes positions as moves from the start")

    def hash(self, state: Any) -> Any:
        """What of a state makes it the same position. By default all of it."""
        return state

    def features(self, state: Any) -> Sequence[float]:
        """The evaluation features from the view of the player to move, in the order of ``feature_names``."""
        return ()

    def board(self, state: Any) -> Sequence[float]:
        """The raw board as numbers from the view of the player to move, in the order of ``board_names``.

        Networks see it: one number for each kind of piece on each square, 1 where it stands and 0 elsewhere, is usual.
        """
        return ()

    def move_features(self, state: Any, move: Any) -> Iterable[str]:
        """The names of those features of ``move_feature_list`` that a move has."""
        return ()

    def draw(self, state: Any) -> str:
        """The board as text for a terminal. By default the state's ``str``."""
        return str(state)


_OPTIONAL = ("player", "index", "fen", "from_fen", "hash", "features", "board", "move_features", "draw")


class Position(_core.Position):
    """A state of a game, and the moves that led to it.

    >>> position = Position("loa")
    >>> position.push("b8-b6")
    >>> position.turn, len(position.moves()), position.outcome()
    (1, 34, None)
    """

    def __init__(self, game: str | type[Game], fen: str | None = None) -> None:
        """The start of a game, or the position that a position string describes.

        A game is a name (``chess``, ``breakthrough-6x6``), ``module:Class`` or a class. Raises UnknownGame and
        BadPosition.
        """
        if not (fen is None or isinstance(fen, str)):
            raise TypeError(f"fen: {fen!r} is no text")
        found = _find(game)
        if fen is not None and isinstance(found, str):
            fen = fen.strip()  # a line of a file has an end; in a game in Python a space may be an empty square
        super().__init__(found, fen)

    def copy(self) -> Self:
        """A position of its own with the same past."""
        twin = type(self).__new__(type(self))
        _core.Position.__init__(twin, self)
        return twin

    def __repr__(self) -> str:
        return f"Position({self.game!r}, {self.fen()!r})"

    def _repr_html_(self) -> str:
        """The board, as a notebook shows it."""
        return f'<pre style="line-height: 1.25">{escape(self.draw())}\n{escape(self.fen())}</pre>'

    def __reduce__(self) -> tuple[Callable[..., Position], tuple[object, ...]]:
        return _replay, (self.game, self.root, [str(move) for move in self.played])

    __hash__ = None  # type: ignore[assignment]  # it changes with every push


def _replay(game: str, root: str | None, moves: list[str]) -> Position:
    position = Position(game, root)
    for move in moves:
        position.push(move)
    return position


def _restore_move(game: str, value: Any) -> Move:
    return _core.move_of(_find(game), value)


copyreg.pickle(Move, lambda move: (_restore_move, (move.game, move.value)))


def _find(game: str | type[Game]) -> str | _core.PythonGame:
    """What the core makes positions of: the name of a native game, or a Python game wrapped for it."""
    if isinstance(game, type) and issubclass(game, Game):
        return _wrap(game)
    if not isinstance(game, str):
        raise TypeError(f"{game!r} is no game: name one, or give a subclass of plypilot.Game")
    if is_python_game(game):
        return _wrap(_CLASSES.get(game) or _load(game))
    if _core.has_game(game):
        return game
    if variants := _VARIANTS.get(base_name(game)):
        raise UnknownGame(f'no game is called "{game}"; there are {variants}')
    names = ", ".join(info.name for info in all_games())
    raise UnknownGame(
        f'no game is called "{game}"; there are: {names}, sizes such as breakthrough-6x6, and module:Class'
    )


_VARIANTS = {
    "chess": "chess and chess-0 to chess-959, the starts of Chess960",
    "breakthrough": "breakthrough and smaller boards, breakthrough-4x4 to breakthrough-8x8",
}
"""What variants the native games have."""


def _load(name: str) -> type[Game]:
    """The class that ``module:Class`` names; modules in the working folder count, as with ``python -m``."""
    module_name, _, class_name = name.partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), *class_name.split("."))):
        raise UnknownGame(
            f'game "{name}": expected module:Class, such as my_games:Nim for the class Nim of my_games.py'
        )
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name == module_name.partition(".")[0]:
            raise UnknownGame(f'game "{name}": no module {error.name!r} here or among the installed ones') from error
        raise UnknownGame(f'game "{name}": {tell_import(error)}') from error
    except (Exception, SystemExit) as error:
        raise UnknownGame(f'game "{name}": {tell_import(error)}') from error
    kind = getattr(module, class_name, None)
    if kind is None:
        raise UnknownGame(f'game "{name}": module {module_name!r} has no {class_name!r}')
    if not (isinstance(kind, type) and issubclass(kind, Game)):
        raise UnknownGame(f'game "{name}": {class_name!r} is not a subclass of plypilot.Game')
    return kind


_CLASSES: dict[str, type[Game]] = {}
"""Python games by the name their positions carry, so that a class of a local scope is found again."""


def find_class(name: str) -> type[Game] | None:
    """The class of a game that positions were made of, by the name that they carry."""
    return _CLASSES.get(name)


@cache
def _wrap(kind: type[Game]) -> _core.PythonGame:
    if missing := sorted(getattr(kind, "__abstractmethods__", ())):
        raise UnknownGame(f"game {kind.__name__}: has no {', '.join(missing)}")
    try:
        game = kind()
    except Exception as error:
        raise UnknownGame(f"game {kind.__name__}: {tell_import(error)}") from error
    optional = {
        name: getattr(game, name) if getattr(kind, name) is not getattr(Game, name) else None for name in _OPTIONAL
    }
    if (optional["fen"] is None) != (optional["from_fen"] is None):
        raise UnknownGame(f"game {kind.__name__}: fen and from_fen go together")
    if (optional["features"] is None) != (not kind.feature_names):
        raise UnknownGame(f"game {kind.__name__}: features and feature_names go together")
    if (optional["board"] is None) != (not kind.board_names):
        raise UnknownGame(f"game {kind.__name__}: board and board_names go together")
    if (optional["move_features"] is None) != (not kind.move_feature_list):
        raise UnknownGame(f"game {kind.__name__}: move_features and move_feature_list go together")
    if optional["player"] is None and not kind.turns_alternate:
        raise UnknownGame(
            f"game {kind.__name__}: turns need not alternate, so it needs player(state), which tells who is to move"
        )
    name = f"{kind.__module__}:{kind.__qualname__}"
    _CLASSES[name] = kind
    return _core.PythonGame(
        name=name,
        title=kind.title or kind.__name__,
        sides=list(kind.sides),
        start=game.start,
        moves=game.moves,
        play=game.play,
        outcome=game.outcome,
        text=game.text,
        **optional,
        feature_names=list(kind.feature_names),
        board_names=list(kind.board_names),
        move_feature_list=list(kind.move_feature_list),
        index_sizes=list(kind.index_sizes),
        repetition=kind.repetition,
    )


@cache
def all_games() -> tuple[GameInfo, ...]:
    """The static facts of every native game."""
    return tuple(_read_info(facts) for facts in _core.describe_games())


def game_info(game: str | type[Game]) -> GameInfo:
    """The static facts of a game, native or in Python. Raises UnknownGame."""
    found = _find(game)
    if isinstance(found, _core.PythonGame):
        info = _read_info(found.describe())
        return replace(info, turns_alternate=_CLASSES[info.name].turns_alternate)
    return next(info for info in all_games() if info.name == base_name(found))


def _read_info(facts: dict[str, Any]) -> GameInfo:
    return GameInfo(
        **facts
        | {
            "move_features": tuple(MoveFeature(*feature) for feature in facts["move_features"]),
            "feature_sets": tuple(FeatureSet(*each) for each in facts["feature_sets"]),
        }
    )


def perft(
    position: Position,
    depth: int,
    *,
    threads: int = 1,
    bulk: bool = True,
    on_part: Callable[[Move, int], None] | None = None,
) -> int:
    """The number of move sequences of a length: the standard proof of a move generator.

    ``bulk`` counts the last ply without making its moves. ``on_part`` hears of each first move and its count
    as they are found. Work is split by the first move among ``threads``.
    """
    check_whole("depth", depth, 0, DEEPEST_PERFT)
    check_whole("threads", threads, 1, MOST_THREADS)
    if depth == 0:
        return 1
    if threads == 1 and on_part is None:
        return position.perft(depth, bulk)

    def count(move: Move) -> int:
        after = position.copy()
        after.push(move)
        return after.perft(depth - 1, bulk)

    from plypilot.compute import Workers  # not needed to play, and takes a while to import

    moves, total = position.moves(), 0
    with Workers.threads(threads) as workers:
        for number, counted in workers.as_completed(count, moves):
            total += counted
            if on_part:
                on_part(moves[number], counted)
    return total
