"""Ctrl-C: held back where it would break what several threads share, and handled where it means something else."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def holding_interrupts() -> Iterator[None]:
    """Ctrl-C is heard at the end of the block.

    Python raises KeyboardInterrupt in the main thread almost anywhere, also where a lock of a future or an executor has
    just been taken: nobody gives it back, the workers wait for it, and the program waits for the workers for ever. So
    what takes such locks stands in a block like this, and what takes long stands outside of it.
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: held.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if held:
            before(*held[0])


@contextmanager
def handling_interrupts(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Ctrl-C calls the handler. Only the main thread hears of it at all."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
