"""Records of games: PGN, SGF (Lines of Action) and CSA (shogi); positions in EPD (chess)."""

from plypilot.data.csa import read_csa
from plypilot.data.epd import EpdPosition, read_epd
from plypilot.data.pgn import read_pgn
from plypilot.data.record import PlayedGame, PlayedMove, Record, RecordError
from plypilot.data.sgf import read_sgf

__all__ = [
    "EpdPosition",
    "PlayedGame",
    "PlayedMove",
    "Record",
    "RecordError",
    "read_csa",
    "read_epd",
    "read_pgn",
    "read_sgf",
]
