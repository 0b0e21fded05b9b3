"""Reads Lines of Action games from SGF collections, the main line of each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plypilot.data.record import Record, RecordError

_LOA = "9"
"""The number of Lines of Action among the games of SGF (property GM)."""
_SCRAMBLED_EGGS = "1wbwbwb1/b6w/w6b/b6w/w6b/b6w/w6b/1bwbwbw1 b"
_SETUPS = {
    "": None,
    "loa": None,
    "standard": None,
    "scrambled": _SCRAMBLED_EGGS,
    "scrambled-eggs": _SCRAMBLED_EGGS,
}
"""The position string of each set-up (property SU), None for the usual start."""
_ENDINGS = {"resign", "resigns", "forfeit", "draw"}

_MOVE = re.compile(r"([a-h][1-8])[\s:x-]*([a-h][1-8])[+#!?]*")
"""A capture may be written like any move, and a winning one be marked: ``c3:e5++``."""
_TOKEN = re.compile(r"[();]|([A-Za-z]+)\s*(?=\[)|\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)

Node = dict[str, list[str]]


def read_sgf(text: str) -> list[Record | RecordError]:
    """Every game of a collection: a record, or the reason why it is refused."""
    found: list[Record | RecordError] = []
    for number, nodes in enumerate(_main_lines(text), 1):
        try:
            found.append(_read_game(nodes))
        except RecordError as error:
            found.append(RecordError(f"game {number}: {error}"))
    return found


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


def _read_game(nodes: list[Node]) -> Record:
    tags = {name: values[0].strip() for name, values in nodes[0].items() if values}
    if tags.get("GM", _LOA) != _LOA:
        raise RecordError(f"GM[{tags['GM']}] is not Lines of Action (GM[{_LOA}])")
    if tags.get("SZ", "8") != "8":
        raise RecordError(f"a board of size {tags['SZ']}, expected 8")
    setup = tags.get("SU", "").lower()
    if setup not in _SETUPS:
        raise RecordError(f"starts from the set-up {tags['SU']}")
    moves: list[str] = []
    result = ""
    for node in nodes:
        for side in "BW":
            for value in node.get(side, ()):
                word = value.strip().lower()
                if word in _ENDINGS:
                    result = word
                elif result:
                    raise RecordError(f"move {len(moves) + 1} ({word}) comes after the end ({result})")
                elif side != "BW"[len(moves) % 2]:
                    raise RecordError(f"move {len(moves) + 1} ({word}) is played by the wrong side")
                elif not (squares := _MOVE.fullmatch(word)):
                    raise RecordError(f"move {len(moves) + 1} ({word}) is not of the form b1-b3")
                else:
                    moves.append(f"{squares[1]}-{squares[2]}")
    if not moves:
        raise RecordError("has no moves")
    return Record("loa", tuple(moves), _SETUPS[setup], result, tags)
