"""Tasks for tests of workers, in a file that worker processes import quickly."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import plypilot as pp
from plypilot.compute import task_seed


def mix(number: int) -> int:
    return task_seed(7, number)


def mix_slowly(number: int) -> int:
    time.sleep(0.02)
    return mix(number)


def die_at(guilty: int, diary: Path, number: int) -> int:
    if number == guilty:
        with diary.open("a") as file:
            file.write("x")
        os.kill(os.getpid(), signal.SIGKILL)
    return mix_slowly(number)


def fail_at(guilty: int, error: BaseException, number: int) -> int:
    if number == guilty:
        raise error
    return mix(number)


class Peculiar(Exception):
    """Cannot be unpickled: its constructor takes two arguments."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} and {two}")


def fail_peculiarly(_number: int) -> int:
    raise Peculiar("this", "that")


def give_a_lock(_number: int) -> Any:
    return threading.Lock()


def give_much(number: int) -> bytes:
    return bytes([number]) * 5_000_000


def count_moves(game: str) -> int:
    return len(pp.Position(game).moves())
