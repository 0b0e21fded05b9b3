"""What all tests share: the games under test, random positions of them, and what experiments write."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from pathlib import Path
from typing import Any

import hypothesis
import pytest

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


MATE = "6k1/5ppp/8/8/8/8/8/R3K3 w - -"
"""White mates by Ra8."""


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book of 1001 problems that are all the same mate, which wins more than any gain that is listed."""
    path = tmp_path / "book.epd"
    path.write_text("".join(f'{MATE} bm Ra8; id "{number}";\n' for number in range(1, 1002)))
    return path


def read_result(folder: Path, name: str) -> dict[str, Any]:
    """What the smallest scale of an experiment wrote into a folder."""
    result = json.loads((folder / "results" / f"{name}.tiny.json").read_text())
    assert isinstance(result, dict)
    return result
