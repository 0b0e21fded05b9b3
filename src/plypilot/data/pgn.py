"""Reads and writes games in PGN: chess in SAN, other games in their own notation under a Variant tag."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plypilot.data.game_names import find_game, name_of
from plypilot.data.record import PlayedGame, PlayedMove, Record, RecordError
from plypilot.game_name import base_name
from plypilot.games import BadPosition, Game, IllegalMove, Move, Position
from plypilot.score import win_distance
from plypilot.spelling import read_move

_TAG = r'\[[ \t]*(?P<name>[A-Za-z0-9]\w*)[ \t]+"(?P<value>[^"\\\n]*(?:\\.[^"\\\n]*)*)"[ \t]*\]'
_LOOSE_TAG = r'\[[ \t]*(?P<loose_name>[A-Za-z0-9]\w*)[ \t]+"(?P<loose_value>[^\n]*)"[ \t]*\]'
"""With quotes or backslashes that were not escaped: up to the last quote of the line."""
_COMMENT = r'\{[^}\n]*+(?:\n(?!\[[A-Za-z0-9]\w*[ \t]+")[^}\n]*+)*+(?P<closing>\}?)'
"""A tag at the beginning of a line ends a comment that nobody closed, so that it costs one game and not two."""
_TOKEN = re.compile(
    r"(?P<skipped>\d+[.…]+|[.…]+|\$\d*|;[^\n]*|^%[^\n]*)"  # numbers, glyphs, comments to the end of the line, escapes
    r"|(?P<word>[^\s(){}\[\];$]+)"
    rf"|(?P<tag>{_TAG}|{_LOOSE_TAG})"
    rf"|(?P<comment>{_COMMENT})"
    r"|(?P<opened>\()"
    r"|(?P<closed>\))"
    r"|(?P<stray>\[[^\n]*|[\]}])",
    re.MULTILINE,
)
_RESULTS = {
    "1-0": "1-0",
    "0-1": "0-1",
    "1/2-1/2": "1/2-1/2",
    "1/2": "1/2-1/2",
    "½-½": "1/2-1/2",
    "*": "",
}
_NOISE = re.compile(r"\d+|e\.?p\.?|(?!--)[-!?+=/~±∓⩲⩱∞□]+", re.IGNORECASE)
"""Words of a main line that are not moves: numbers without a dot, signs of judgement."""
_CHESS = {"chess", "standard", "normal", "from position", "chess960", "chess 960", "fischerandom", "fischerrandom"}
"""What others call chess in the Variant tag; Chess960 is told by its position."""
_FIRST_NUMBER = "1."
"""What a game of a bare list of moves begins with."""
_WIDTH = 80


def read_pgn(text: str, game: str | type[Game] | None = None) -> Iterator[Record | RecordError]:
    """Every game of a file, its main line: a record, or the reason with the game's number and line why it is refused.

    Moves are checked against the rules and given in the game's own notation (UCI in chess). Where no ``game`` is given
    the Variant tag tells it, and games without one are chess.
    """
    lines = _Lines(text)
    for number, words in enumerate(split_pgn(text), 1):
        try:
            yield words.check(game)
        except PgnFault as fault:
            yield RecordError(f"game {number}, line {lines.number(fault.at)}: {fault}")


def split_pgn(text: str) -> Iterator[PgnGame]:
    """Every game of a file, its main line as words that have not been checked."""
    begin = 1 if text.startswith("\ufeff") else 0
    current: PgnGame | None = None
    for token in _TOKEN.finditer(text, begin):
        kind = token.lastgroup
        if kind == "word":
            word = token[0]
            if (result := _RESULTS.get(word)) is not None:
                if current is not None and not current.depth:
                    current.finish(result)
                    yield current
                    current = None
                continue
            if current is None:
                current = PgnGame(token.start())
            current.has_begun = True
            if not current.depth and current.fault is None:
                current.words.append(word)
                current.places.append(token.start())
            continue
        if kind == "skipped":
            if current is not None and current.is_list and token[0] == _FIRST_NUMBER and not current.depth:
                current.finish()
                yield current
                current = None
            continue
        if kind == "comment" and token["closing"]:
            continue
        if kind == "tag" and current is not None and (current.has_begun or _begins_anew(token, text)):
            current.finish()
            yield current
            current = None
        if current is None:
            current = PgnGame(token.start())
        if kind == "tag":
            current.add_tag(token)
        else:
            current.add_mark(kind, token)
    if current is not None:
        current.finish()
        yield current


def _begins_anew(tag: re.Match[str], text: str) -> bool:
    """Whether a tag behind others is of the next game, because the one before has lost its moves."""
    return tag["name"] == "Event" and text.endswith(("\n\n", "\n\r\n"), 0, tag.start())


class _Lines:
    """Line numbers of ascending places in a text, each line counted once."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.line = text, 0, 1

    def number(self, at: int) -> int:
        if at > self.at:
            self.line += self.text.count("\n", self.at, at)
            self.at = at
        return self.line


class PgnFault(RecordError):
    """Why a game is refused, and the place in the text where that shows."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.at = at


class PgnGame:
    """One game of a file as far as it has been split into words. After a fault it only waits for its end."""

    def __init__(self, at: int) -> None:
        self.at = at
        """Where it begins in the text."""
        self.tags: dict[str, str] = {}
        self.words: list[str] = []
        """Of the main line."""
        self.places: list[int] = []
        """Where each word begins in the text."""
        self.result = ""
        """As PGN writes it, empty where it is not told."""
        self.depth = 0
        """Of variations."""
        self.has_begun = False
        """Its tags are over."""
        self.fault: PgnFault | None = None
        """What is wrong with its form."""

    @property
    def is_list(self) -> bool:
        """Whether it is a bare list of numbered moves, which the next move with the number 1 ends."""
        return not self.tags and len(self.words) > 1

    def add_tag(self, token: re.Match[str]) -> None:
        """Keeps a tag, the first of its name."""
        name = token["name"]
        if name is not None:
            value = token["value"]
            self.tags.setdefault(name, re.sub(r'\\(["\\])', r"\1", value) if "\\" in value else value)
        else:
            self.tags.setdefault(token["loose_name"], token["loose_value"])

    def add_mark(self, kind: str | None, token: re.Match[str]) -> None:
        """Enters or leaves a variation; anything else is a fault."""
        self.has_begun = True
        if kind == "opened":
            self.depth += 1
        elif kind == "closed":
            self.depth -= 1
            if self.depth < 0:
                self.depth = 0
                self._refuse("a variation is closed that was not opened", token.start())
        elif kind == "comment":
            self._refuse("a comment is not closed", token.start())
        else:
            self._refuse(f"neither a tag nor a move: {token[0][:40]!r}", token.start())

    def finish(self, result: str = "") -> None:
        """Has its result, or has ended without one."""
        if self.depth:
            self._refuse("a variation is not closed", self.at)
        self.result = result or _RESULTS.get(self.tags.get("Result", "").strip(), "")

    def find_game(self, wanted: str | type[Game] | None) -> str:
        """The game it is of, by its Variant tag. Raises RecordError where that is not the one wanted."""
        variant = self.tags.get("Variant", "").strip()
        if variant.lower() in _CHESS:
            variant = "chess"
        if not variant:
            variant = "chess" if wanted is None else name_of(wanted)
            if variant.startswith("chess-"):
                variant = "chess"  # without a position the game begins as chess does
        return find_game(variant, wanted)

    def check(self, wanted: str | type[Game] | None) -> Record:
        """The record, its moves checked one by one. Raises PgnFault."""
        try:
            game = self.find_game(wanted)
            position = Position(game, self.tags.get("FEN"))
        except (RecordError, BadPosition) as error:
            raise PgnFault(str(error), self.at) from error
        moves = []
        for word, place in zip(self.words, self.places, strict=True):
            try:
                move = _read_word(position, word)
            except IllegalMove as error:
                raise PgnFault(str(error), place) from error
            if move is not None:
                position.push(move)
                moves.append(str(move))
        if self.fault is not None:
            raise self.fault
        return Record(game, tuple(moves), self.tags.get("FEN"), self.result, self.tags)

    def _refuse(self, reason: str, at: int) -> None:
        if self.fault is None:
            self.fault = PgnFault(reason, at)


def _read_word(position: Position, word: str) -> Move | None:
    """The move that a word of a main line names; None where it says something else. Raises IllegalMove.

    Games without a notation of their own in PGN are written in more than one spelling.
    """
    is_chess = base_name(position.game) == "chess"
    try:
        return position.parse(word) if is_chess else read_move(position, word)
    except IllegalMove:
        if _NOISE.fullmatch(word):
            return None
        if (bare := re.sub(r"e\.?p\.?$", "", word)) != word:
            return _read_word(position, bare)
        raise


def write_pgn(game: PlayedGame) -> str:
    """A game in PGN, an empty line behind it. White is the player who moves first. Raises RecordError."""
    position = Position(game.game, game.start)
    is_chess = base_name(position.game) == "chess"
    start = game.start if game.start is not None or game.game == "chess" or not is_chess else position.fen()
    tags = _tags(game, is_chess, start)
    words = _movetext(game, position, _first_number(position) if is_chess else 1)
    lines, line = [], ""
    for word in [*words, game.result]:
        if line and len(line) + 1 + len(word) > _WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    lines.append(line)
    return "\n".join([*(f'[{name} "{_escaped(value)}"]' for name, value in tags.items()), "", *lines, "", ""])


def note_text(move: PlayedMove) -> str:
    """What a player said of a move: ``+0.35/12 1.2s`` is score in pawns, depth and time, ``+M5`` a win in 5 plies.

    Scores are from the mover's view. What was not told is left out, and where nothing was the text is empty.
    """
    rounded = round(move.seconds, 3)
    seconds = f"{rounded:g}s" if rounded else ""
    if move.score is None:
        return seconds
    distance, sign = win_distance(move.score), "+" if move.score > 0 else "-"
    score = f"{move.score / 100:+.2f}" if distance is None else f"{sign}M{abs(distance)}"
    return f"{score}/{move.depth} {seconds}".rstrip()


def one_line(text: str) -> str:
    """A text without line breaks and other control characters, for formats that give them a meaning."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _tags(game: PlayedGame, is_chess: bool, start: str | None) -> dict[str, str]:
    """The seven that every game has, what the game needs to be replayed, then the others that were given."""
    given = {_tag_name(name): value for name, value in game.tags.items()}
    tags = {
        "Event": given.get("Event", "?"),
        "Site": given.get("Site", "?"),
        "Date": given.get("Date", "????.??.??").replace("-", "."),
        "Round": given.get("Round", "?"),
        "White": game.players[0],
        "Black": game.players[1],
        "Result": game.result,
    }
    if not is_chess:
        tags["Variant"] = game.game
    elif start is not None and _is_chess960(start):
        tags["Variant"] = "Chess960"
    if start is not None:
        tags |= {"SetUp": "1", "FEN": start}
    tags["Termination"] = game.cause
    return tags | {name: value for name, value in given.items() if name not in tags}


def _tag_name(name: str) -> str:
    """``time control`` and ``time_control`` become TimeControl."""
    words = re.findall(r"[A-Za-z0-9]+", name)
    return "".join(word[:1].upper() + word[1:] for word in words) or "Note"


def _escaped(value: str) -> str:
    return one_line(value).replace("\\", "\\\\").replace('"', '\\"')


def _movetext(game: PlayedGame, position: Position, number: int) -> Iterator[str]:
    notes = ["book"] * len(game.opening) + [note_text(move) for move in game.moves]
    told = True  # the second player's move needs its number where it comes first or behind a comment
    for ply, (text, note) in enumerate(zip(game.texts, notes, strict=True), 1):
        try:
            move = position.parse(text)
        except IllegalMove as error:
            raise RecordError(f"move {ply}: {error}") from error
        word = position.san(move)
        if not _is_word(word):
            raise RecordError(f'move {ply}: PGN cannot hold the move "{word}"; write json')
        if position.turn == 0:
            yield f"{number}."
        elif told:
            yield f"{number}..."
        yield word
        if note:
            yield f"{{{note}}}"
        told = bool(note)
        number += position.turn
        position.push(move)


def _is_word(text: str) -> bool:
    """Whether the reader takes a move of a Python game for one."""
    token = _TOKEN.match(text)
    return token is not None and token["word"] == text and text not in _RESULTS


def _first_number(position: Position) -> int:
    return int(position.fen().split()[-1])


def _is_chess960(fen: str) -> bool:
    """Whether a king may castle that does not stand on the e-file, or with a rook from elsewhere than a corner."""
    board, _, rights, *_ = Position("chess", fen).fen().split()
    rows = board.split("/")
    for right in rights.replace("-", ""):
        row = re.sub(r"\d", lambda run: "." * int(run[0]), rows[-1] if right.isupper() else rows[0])
        king, rook = ("K", "R") if right.isupper() else ("k", "r")
        corner = {"K": 7, "Q": 0}.get(right.upper())
        if corner is None or row[4] != king or row[corner] != rook:
            return True
    return False
