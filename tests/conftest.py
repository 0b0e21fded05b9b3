"""What all tests share: the games under test, and random positions of them."""

from __future__ import annotations

import os
import random
import signal
import sys
from pathlib import Path

import hypothesis

import plypilot as pp

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
sys.path.insert(0, str(EXAMPLES))

# Where the tests run in the background, interrupts may be ignored, and programs that they start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

SOAK = bool(os.environ.get("PLYPILOT_SOAK"))
"""The long forms of the tests."""

NATIVE_GAMES = [info.name for info in pp.all_games()]
SMALL_BOARDS = ["breakthrough-4x4", "breakthrough-5x7", "breakthrough-8x4"]
PYTHON_GAMES = ["connect_four:ConnectFour", "three_check:ThreeCheck", "dots_and_boxes:DotsAndBoxes"]

hypothesis.settings.register_profile("quick", max_examples=60, deadline=None, derandomize=True)
hypothesis.settings.register_profile("soak", max_examples=5000, deadline=None)
hypothesis.settings.load_profile("soak" if SOAK else "quick")


def random_game(game: str, seed: int, longest: int = 300) -> pp.Position:
    """A position of random play, as long as the game lasts but for a limit."""
    rng = random.Random(f"{game} {seed}")
    position = pp.Position(game)
    while position.ply < longest and position.outcome() is None:
        position.push(rng.choice(position.moves()))
    return position
