"""Teaches a game-tree search where to look. This file is the whole public API, and nothing else.

Names are resolved when first used, so that ``import plypilot`` stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plypilot import data as data
    from plypilot import learn as learn
    from plypilot.check import Failure as Failure
    from plypilot.check import check_game as check_game
    from plypilot.compute import NoWorkers as NoWorkers
    from plypilot.compute import TaskKilledWorkers as TaskKilledWorkers
    from plypilot.compute import Workers as Workers
    from plypilot.compute import task_seed as task_seed
    from plypilot.data.patterns import PatternSet as PatternSet
    from plypilot.data.patterns import PatternSetError as PatternSetError
    from plypilot.data.patterns import Where as Where
    from plypilot.data.patterns import import_games as import_games
    from plypilot.games import BadPosition as BadPosition
    from plypilot.games import FeatureSet as FeatureSet
    from plypilot.games import Game as Game
    from plypilot.games import GameError as GameError
    from plypilot.games import GameInfo as GameInfo
    from plypilot.games import IllegalMove as IllegalMove
    from plypilot.games import Move as Move
    from plypilot.games import MoveFeature as MoveFeature
    from plypilot.games import Outcome as Outcome
    from plypilot.games import Position as Position
    from plypilot.games import UnknownGame as UnknownGame
    from plypilot.games import all_games as all_games
    from plypilot.games import game_info as game_info
    from plypilot.games import perft as perft
    from plypilot.learn import train as train
    from plypilot.learn.labelled_set import make_labelled_set as make_labelled_set
    from plypilot.learn.population import Population as Population
    from plypilot.learn.population import load_population as load_population
    from plypilot.learn.selfplay_set import SelfPlay as SelfPlay
    from plypilot.learn.selfplay_set import make_selfplay_set as make_selfplay_set
    from plypilot.outside.engine import OutsideEngine as OutsideEngine
    from plypilot.outside.spec import EngineError as EngineError
    from plypilot.pilot import Category as Category
    from plypilot.pilot import DepthRules as DepthRules
    from plypilot.pilot import Evaluation as Evaluation
    from plypilot.pilot import Network as Network
    from plypilot.pilot import Ordering as Ordering
    from plypilot.pilot import Pilot as Pilot
    from plypilot.pilot import PilotError as PilotError
    from plypilot.pilot import Pruning as Pruning
    from plypilot.pilot import SearchFrame as SearchFrame
    from plypilot.pilot import Timing as Timing
    from plypilot.pilot import ValueNetwork as ValueNetwork
    from plypilot.play.adjudication import Adjudication as Adjudication
    from plypilot.play.arena import Arena as Arena
    from plypilot.play.contestant import Contestant as Contestant
    from plypilot.play.contestant import find_contestant as find_contestant
    from plypilot.play.match import MatchResult as MatchResult
    from plypilot.play.match import match as match
    from plypilot.play.openings import Balance as Balance
    from plypilot.play.openings import Opening as Opening
    from plypilot.play.openings import read_openings as read_openings
    from plypilot.play.player import PlayerFault as PlayerFault
    from plypilot.play.players import PilotPlayer as PilotPlayer
    from plypilot.play.players import RandomPlayer as RandomPlayer
    from plypilot.play.ratings import Estimate as Estimate
    from plypilot.play.ratings import Pentanomial as Pentanomial
    from plypilot.play.ratings import Sprt as Sprt
    from plypilot.play.ratings import Tally as Tally
    from plypilot.play.tournament import TournamentResult as TournamentResult
    from plypilot.play.tournament import tournament as tournament
    from plypilot.searcher import Clock as Clock
    from plypilot.searcher import Iteration as Iteration
    from plypilot.searcher import Limit as Limit
    from plypilot.searcher import Line as Line
    from plypilot.searcher import Result as Result
    from plypilot.searcher import Searcher as Searcher
    from plypilot.searcher import search as search

__version__ = "0.1.0"

_MODULES = ("data", "learn")
_HOMES = {
    "plypilot.check": ("Failure", "check_game"),
    "plypilot.compute": ("NoWorkers", "TaskKilledWorkers", "Workers", "task_seed"),
    "plypilot.data.patterns": ("PatternSet", "PatternSetError", "Where", "import_games"),
    "plypilot.games": (
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
    ),
    "plypilot.learn": ("train",),
    "plypilot.learn.labelled_set": ("make_labelled_set",),
    "plypilot.learn.population": ("Population", "load_population"),
    "plypilot.learn.selfplay_set": ("SelfPlay", "make_selfplay_set"),
    "plypilot.outside.engine": ("OutsideEngine",),
    "plypilot.outside.spec": ("EngineError",),
    "plypilot.pilot": (
        "Category",
        "DepthRules",
        "Evaluation",
        "Ordering",
        "Pilot",
        "PilotError",
        "Pruning",
        "Network",
        "SearchFrame",
        "Timing",
        "ValueNetwork",
    ),
    "plypilot.play.ratings": ("Estimate", "Pentanomial", "Sprt", "Tally"),
    "plypilot.play.adjudication": ("Adjudication",),
    "plypilot.play.arena": ("Arena",),
    "plypilot.play.contestant": ("Contestant", "find_contestant"),
    "plypilot.play.match": ("MatchResult", "match"),
    "plypilot.play.openings": ("Balance", "Opening", "read_openings"),
    "plypilot.play.player": ("PlayerFault",),
    "plypilot.play.players": ("PilotPlayer", "RandomPlayer"),
    "plypilot.play.tournament": ("TournamentResult", "tournament"),
    "plypilot.searcher": ("Clock", "Iteration", "Limit", "Line", "Result", "Searcher", "search"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"plypilot.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'plypilot' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(("__version__", *_MODULES, *_HOME_OF))
