"""Reads shogi games in KIF, the format in which Japanese programs and people keep them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from plypilot.data.record import Record, RecordError

_KINDS = {
    "歩": "P", "香": "L", "桂": "N", "銀": "S", "金": "G", "角": "B", "飛": "R", "玉": "K", "王": "K",
    "と": "+P", "成香": "+L", "杏": "+L", "成桂": "+N", "圭": "+N", "成銀": "+S", "全": "+S",
    "馬": "+B", "龍": "+R", "竜": "+R",
}  # fmt: skip
"""Pieces as SFEN writes them, the promoted ones also by the one character that diagrams have for them."""
_FULL_WIDTH = str.maketrans("０１２３４５６７８９　：", "0123456789 :")
_NUMERALS = {numeral: value for value, numeral in enumerate("一二三四五六七八九", 1)}
_RANKS = "abcdefghi"
_MOVE = re.compile(
    rf"(?:(?P<file>[1-9])(?P<rank>[1-9]|[{''.join(_NUMERALS)}])|同)\s*"
    rf"(?P<kind>{'|'.join(sorted(_KINDS, key=len, reverse=True))})"
    r"(?P<how>打|不成|成)?(?:\((?P<origin>[1-9][1-9])\))?"
)
_NUMBERED = re.compile(r"\s*(?P<number>\d+)\s+(?P<word>.*?)\s*(?:\(\s*\d+:[^)]*\))?\s*\+?\s*")
"""A line of the main line: its number, the move or the ending, the time it took; a + where variations follow."""
_ENDINGS = {
    "投了": "%TORYO", "詰み": "%TSUMI", "切れ負け": "%TIME_UP", "反則負け": "%ILLEGAL_MOVE", "反則勝ち": "%KACHI",
    "入玉勝ち": "%KACHI", "千日手": "%SENNICHITE", "持将棋": "%JISHOGI", "中断": "%CHUDAN", "不詰": "%CHUDAN",
}  # fmt: skip
"""What ended a game, by the word for it in CSA. An illegal move that was claimed is a win for the side to move."""
_VERDICT = re.compile(r"まで\d+手で(?P<side>先手|下手|後手|上手)の(?:\S*)勝ち")
_BLACK = ("先手", "下手")
"""Black, the first player; in handicap games the one who gets the handicap, and White begins."""
_VARIATION = "変化"

_EVEN = "平手"
_HANDICAPS = {
    "香落ち": ("lnsgkgsn1", "1r5b1"),
    "右香落ち": ("1nsgkgsnl", "1r5b1"),
    "角落ち": ("lnsgkgsnl", "1r7"),
    "飛車落ち": ("lnsgkgsnl", "7b1"),
    "飛香落ち": ("lnsgkgsn1", "7b1"),
    "二枚落ち": ("lnsgkgsnl", "9"),
    "三枚落ち": ("lnsgkgsn1", "9"),
    "四枚落ち": ("1nsgkgsn1", "9"),
    "六枚落ち": ("2sgkgs2", "9"),
    "八枚落ち": ("3gkg3", "9"),
    "十枚落ち": ("4k4", "9"),
}
"""The first two ranks of White, who gives the handicap."""


def read_kif(text: str) -> Record:
    """The game of a file, its main line. Raises RecordError."""
    reader = _Reader()
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        try:
            if not reader.read(line.translate(_FULL_WIDTH).rstrip()):
                break
        except RecordError as error:
            raise RecordError(f"line {number}: {error}") from error
    if not (reader.moves or reader.result):
        raise RecordError("has no moves")
    return Record("shogi", tuple(reader.moves), reader.start(), reader.result, reader.tags)


def read_kif_games(text: str) -> Iterator[Record | RecordError]:
    """The game of a file as the only one of it, or why it is refused."""
    try:
        yield read_kif(text)
    except RecordError as error:
        yield error


@dataclass
class _Reader:
    """The lines so far. A move may name its target as the one before it did."""

    moves: list[str] = field(default_factory=list)
    result: str = ""
    tags: dict[str, str] = field(default_factory=dict)
    target: str = ""
    rows: list[str] = field(default_factory=list)
    """The ranks of a diagram as SFEN writes them."""
    hands: dict[str, str] = field(default_factory=dict)
    """What each side holds in a diagram."""
    white_begins: bool = False

    def read(self, line: str) -> bool:
        """Whether there is more to read: variations follow behind the main line."""
        if not line or line[0] in "*#&":  # comments and bookmarks
            return True
        if line.startswith(_VARIATION):
            return False
        if line.startswith("|"):
            self._add_row(line)
        elif line.split() == list("987654321"):  # the files above a diagram
            return True
        elif line in ("後手番", "上手番"):
            self.white_begins = True
        elif verdict := _VERDICT.match(line):
            self.result = self.result or ("1-0" if verdict["side"] in _BLACK else "0-1")
        elif numbered := _NUMBERED.fullmatch(line):
            self._add_word(numbered["word"])
        elif ":" in line:
            name, _, value = line.partition(":")
            if name.endswith("の持駒"):
                self.hands["w" if name[:2] in ("後手", "上手") else "b"] = value.strip()
            else:
                self.tags[name.strip()] = value.strip()
        return True

    def start(self) -> str | None:
        """The position string of a handicap or a diagram, None for the usual start."""
        if self.rows:
            if len(self.rows) != 9:
                raise RecordError(f"its diagram has {len(self.rows)} ranks, expected 9")
            held = _hand(self.hands.get("b", "")) + _hand(self.hands.get("w", "")).lower()
            return f"{'/'.join(self.rows)} {'w' if self.white_begins else 'b'} {held or '-'} 1"
        handicap = self.tags.get("手合割", _EVEN).strip()
        if handicap == _EVEN:
            return None
        if handicap not in _HANDICAPS:
            raise RecordError(f"starts from the handicap {handicap!r}, which is not known")
        return f"{'/'.join(_HANDICAPS[handicap])}/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"

    def _add_word(self, word: str) -> None:
        if self.result:
            raise RecordError(f"{word!r} comes after the end ({self.result})")
        if word in _ENDINGS:
            self.result = _ENDINGS[word]
            return
        parts = _MOVE.fullmatch(word)
        if parts is None:
            raise RecordError(f"neither a move nor an ending: {word[:40]!r}")
        if parts["file"]:
            rank = _NUMERALS.get(parts["rank"]) or int(parts["rank"])
            self.target = parts["file"] + _RANKS[rank - 1]
        elif not self.target:
            raise RecordError(f"no move before it to take its target from: {word!r}")
        if parts["origin"] is None:
            self.moves.append(f"{_KINDS[parts['kind']]}*{self.target}")
        else:
            origin = parts["origin"][0] + _RANKS[int(parts["origin"][1]) - 1]
            self.moves.append(origin + self.target + ("+" if parts["how"] == "成" else ""))

    def _add_row(self, line: str) -> None:
        cells = re.findall(r"([ v^])(\S)", line[1 : line.rindex("|")])
        if len(cells) != 9:
            raise RecordError(f"a rank of its diagram has {len(cells)} squares, expected 9")
        row = ""
        for owner, piece in cells:
            if piece == "・":
                row += "."
            elif piece in _KINDS:
                row += _KINDS[piece].lower() if owner == "v" else _KINDS[piece]
            else:
                raise RecordError(f"no such piece: {piece!r}")
        self.rows.append(re.sub(r"\.+", lambda run: str(len(run[0])), row))


def _hand(text: str) -> str:
    """What a diagram says of a hand, as SFEN writes it: ``飛 歩十二`` is R12P."""
    held = ""
    for word in text.split():
        if word == "なし":
            continue
        if word[0] not in _KINDS:
            raise RecordError(f"no such piece in hand: {word!r}")
        count = 0
        for numeral in word[1:]:
            if numeral != "十" and numeral not in _NUMERALS:
                raise RecordError(f"no such number in hand: {word!r}")
            count += 10 if numeral == "十" else _NUMERALS[numeral]
        held += (str(count) if count > 1 else "") + _KINDS[word[0]]
    return held
