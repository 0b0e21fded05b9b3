"""Game records of other programs, read into one form: SGF (Lines of Action) and CSA (shogi)."""

from plypilot.data.csa import read_csa
from plypilot.data.record import Record, RecordError
from plypilot.data.sgf import read_sgf

__all__ = ["Record", "RecordError", "read_csa", "read_sgf"]
