"""Front ends: a pilot as an engine for other programs, by UCI or USI. Each is a thin skin over ``Searcher``."""

from plypilot.engine.console import serve
from plypilot.engine.engine import Engine
from plypilot.engine.uci import UCI_GAMES, UciEngine
from plypilot.engine.usi import UsiEngine

__all__ = ["UCI_GAMES", "Engine", "UciEngine", "UsiEngine", "serve"]
