"""Pattern sets: positions of games, each labelled with the move called best there."""

from plypilot.data.patterns.block import Block
from plypilot.data.patterns.filters import Where
from plypilot.data.patterns.importing import import_games
from plypilot.data.patterns.pattern_set import (
    SPLITS,
    Count,
    Description,
    HeldPatterns,
    Patterns,
    PatternSet,
    PatternSetError,
    Split,
)
from plypilot.data.patterns.phases import PHASES

__all__ = [
    "PHASES",
    "SPLITS",
    "Block",
    "Count",
    "Description",
    "HeldPatterns",
    "PatternSet",
    "PatternSetError",
    "Patterns",
    "Split",
    "Where",
    "import_games",
]
