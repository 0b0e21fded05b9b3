"""Reads and writes games in SGF: Lines of Action as others do, the other games in a form of our own.

SGF has numbers for Lines of Action (GM[9]), chess and shogi, but none for most games, and no notation for theirs: those
carry their name (GAME), their start as a position string (FEN) and their own notation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from plypilot.data.game_names import find_game, name_of
from plypilot.data.pgn import note_text, one_line
from plypilot.data.record import UNFINISHED, PlayedGame, Record, RecordError, movers_of
from plypilot.game_name import base_name
from plypilot.games import BadPosition, Game, Position, game_info

_LOA = "9"
"""The number of Lines of Action among the games of SGF (property GM)."""
_NUMBERS = {"loa": _LOA, "chess": "3", "shogi": "8"}
_SCRAMBLED_EGGS = "1wbwbwb1/b6w/w6b/b6w/w6b/b6w/w6b/1bwbwbw1 b"
_SETUPS = {
    "": None,
    "loa": None,
    "standard": None,
    "scrambled": _SCRAMBLED_EGGS,
    "scrambled-eggs": _SCRAMBLED_EGGS,
}
"""The position string of each set-up (property SU), None for the usual start."""
_CUSTOM = "custom"
"""The set-up that names its pieces itself (AB and AW) and the side to move (PL)."""
_ENDINGS = {"resign", "resigns", "forfeit", "draw"}

_MOVE = re.compile(r"([a-h][1-8])[\s:x-]*([a-h][1-8])[+#!?]*")
"""A capture may be written like any move, and a winning one be marked: ``c3:e5++``."""
_TOKEN = re.compile(r"[();]|([A-Za-z]+)|\[([^\]\\]*+(?:\\.[^\]\\]*+)*+)(?:\]|\\?\Z)", re.DOTALL)
"""Each character is looked at once, whatever the text: a value that is not closed reaches to the end."""
_PROPERTIES = {"event": "EV", "date": "DT", "round": "RO", "site": "PC", "time": "TM"}
"""Tags that SGF has properties for. Others are left out."""

Node = dict[str, list[str]]


def read_sgf(text: str, game: str | type[Game] | None = None) -> list[Record | RecordError]:
    """Every game of a collection: a record, or the reason why it is refused.

    A game that does not carry its name is the one wanted, and Lines of Action where none is.
    """
    records: list[Record | RecordError] = []
    for number, nodes in enumerate(_main_lines(text), 1):
        try:
            records.append(_read_game(nodes, game))
        except RecordError as error:
            records.append(RecordError(f"game {number}: {error}"))
    return records


def _main_lines(text: str) -> Iterator[list[Node]]:
    """The nodes of each game tree along its first variations."""
    nodes: list[Node] = []
    values: list[str] | None = None
    depth, branched = 0, False
    for token in _TOKEN.finditer(text):
        kind, name, value = token[0][0], token[1], token[2]
        if name is None and value is None:
            values = None
            if kind == "(":
                depth += 1
            elif kind == ")":
                depth -= 1
                branched = True  # what follows inside this game is another variation
                if depth <= 0:
                    yield nodes
                    nodes, depth, branched = [], 0, False
            elif depth and not branched:
                nodes.append({})
        elif not branched and nodes:
            if name is not None:
                # FF[3] allowed lower case in between: only the capitals count.
                values = nodes[-1].setdefault("".join(filter(str.isupper, name)), [])
            elif values is not None:
                values.append(re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL))
    if nodes:
        yield nodes


def _read_game(nodes: list[Node], wanted: str | type[Game] | None) -> Record:
    root: Node = nodes[0] if nodes else {}
    tags = {name: values[0].strip() for name, values in root.items() if values}
    named = tags.get("GAME") or ("loa" if "GM" in tags or wanted is None else name_of(wanted))
    if named == "loa" and tags.get("GM", _LOA) != _LOA:
        raise RecordError(f"GM[{tags['GM']}] is not Lines of Action (GM[{_LOA}])")
    game = find_game(named, wanted)
    start = _read_loa_start(root, tags) if game == "loa" else tags.get("FEN")
    try:
        turn = Position(game, start).turn
    except BadPosition as error:
        raise RecordError(str(error)) from error
    sides, alternates = sides_of(game), game_info(game).turns_alternate
    moves: list[str] = []
    result = ""
    for node in nodes:
        for side in "BW":
            for value in node.get(side, ()):
                word = value.strip()
                if game == "loa" and word.lower() in _ENDINGS:
                    result = word.lower()
                elif result:
                    raise RecordError(f"move {len(moves) + 1} ({word}) comes after the end ({result})")
                elif alternates and side != sides[(turn + len(moves)) % 2]:
                    raise RecordError(f"move {len(moves) + 1} ({word}) is played by the wrong side")
                elif game != "loa":
                    moves.append(word)
                elif not (squares := _MOVE.fullmatch(word.lower())):
                    raise RecordError(f"move {len(moves) + 1} ({word}) is not of the form b1-b3")
                else:
                    moves.append(f"{squares[1]}-{squares[2]}")
    said = tags.get("RE", "")
    if not (moves or said):
        raise RecordError("has no moves")
    return Record(game, tuple(moves), start, result or said, tags)


def _read_loa_start(root: Node, tags: dict[str, str]) -> str | None:
    if tags.get("SZ", "8") != "8":
        raise RecordError(f"a board of size {tags['SZ']}, expected 8")
    setup = tags.get("SU", "").lower()
    if setup == _CUSTOM:
        rows = [["1"] * 8 for _ in range(8)]
        for side in "bw":
            for value in root.get("A" + side.upper(), ()):
                square = value.strip().lower()
                if not re.fullmatch("[a-h][1-8]", square):
                    raise RecordError(f"A{side.upper()}[{square[:20]}] is not a square such as b1")
                rows[8 - int(square[1])]["abcdefgh".index(square[0])] = side
        board = "/".join(re.sub("1+", lambda run: str(len(run[0])), "".join(row)) for row in rows)
        return f"{board} {tags.get('PL', 'B').lower()[:1]}"
    if setup not in _SETUPS:
        raise RecordError(f"starts from the set-up {tags['SU']}")
    return _SETUPS[setup]


def write_sgf(game: PlayedGame) -> str:
    """A game in SGF: a line for what is known of it, then a line for each move. Raises RecordError."""
    position = Position(game.game, game.start)
    sides, is_loa = sides_of(game.game), game.game == "loa"
    first, second = game.players
    black, white = game.players if sides == "BW" else (second, first)
    number = _NUMBERS.get(base_name(game.game))
    properties = [("FF", "4"), ("CA", "UTF-8"), *([("GM", number)] if number else [])]
    if not is_loa:
        properties.append(("GAME", game.game))
        if game.start is not None:
            properties.append(("FEN", game.start))
    properties += [("PB", black), ("PW", white), ("RE", _result(game, sides)), ("GC", game.cause)]
    properties += [(_PROPERTIES[key.lower()], value) for key, value in game.tags.items() if key.lower() in _PROPERTIES]
    text = "(;" + "".join(f"{name}[{_escaped(value)}]" for name, value in properties)
    if is_loa and game.start is not None:
        text += "SU[Custom]" + _loa_set_up(position)
    told = ["book"] * len(game.opening) + [note_text(move) for move in game.moves]
    game.replay()
    movers = movers_of(game.game, game.start, game.texts)
    for mover, move, note in zip(movers, game.texts, told, strict=True):
        text += f"\n;{sides[mover]}[{_escaped(move)}]" + (f"C[{note}]" if note else "")
    return text + ")\n"


def sides_of(game: str) -> str:
    """The colours of the first and the second player, as properties of SGF; Black begins where the game has no such."""
    return "WB" if game_info(game).sides[0].lower() == "white" else "BW"


def _result(game: PlayedGame, sides: str) -> str:
    if game.cause == UNFINISHED:
        return "?"
    if game.winner is None:
        return "Draw"
    cause = game.cause.lower()
    how = "T" if "time" in cause or "clock" in cause else "R" if "resign" in cause else ""
    return f"{sides[game.winner]}+{how}"


def _loa_set_up(position: Position) -> str:
    rows, side = position.fen().split()
    squares: dict[str, list[str]] = {"b": [], "w": []}
    for rank, row in zip(range(8, 0, -1), rows.split("/"), strict=True):
        for file, piece in zip("abcdefgh", re.sub(r"\d", lambda run: "." * int(run[0]), row), strict=True):
            if piece in squares:
                squares[piece].append(f"[{file}{rank}]")
    pieces = "".join(f"A{colour.upper()}" + "".join(places) for colour, places in squares.items() if places)
    return f"{pieces}PL[{side.upper()}]"


def _escaped(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace("]", "\\]")
