"""Records of games (PGN, CSA, KIF, SGF, JSON, lines of moves) and test suites, read and written."""

from plypilot.data.csa import read_csa, read_csa_games
from plypilot.data.epd import EpdPosition, read_epd, suite_game, write_suite
from plypilot.data.files import read_texts
from plypilot.data.formats import read_games, record_formats, write_game
from plypilot.data.json_lines import read_json_lines
from plypilot.data.kif import read_kif
from plypilot.data.pgn import read_pgn
from plypilot.data.position_lines import read_position_lines
from plypilot.data.record import PlayedGame, PlayedMove, Record, RecordError
from plypilot.data.results import result_of
from plypilot.data.sgf import read_sgf

__all__ = [
    "EpdPosition",
    "PlayedGame",
    "PlayedMove",
    "Record",
    "RecordError",
    "read_csa",
    "read_csa_games",
    "read_epd",
    "read_games",
    "read_json_lines",
    "read_kif",
    "read_pgn",
    "read_position_lines",
    "read_sgf",
    "read_texts",
    "record_formats",
    "result_of",
    "suite_game",
    "write_game",
    "write_suite",
]
