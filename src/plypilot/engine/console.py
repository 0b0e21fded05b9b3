"""Lines in and out of an engine: read with bounds from one stream, written whole to another from any thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import IO

from plypilot.engine.engine import Engine

LONGEST_LINE = 1 << 16
"""In bytes: more than ten thousand moves."""


def serve(make_engine: Callable[[Callable[[str], object]], Engine], source: IO[bytes], sink: IO[bytes]) -> None:
    """Makes an engine and obeys a stream of lines until ``quit``, its end, or until nobody reads the answers.

    At the end of the stream a search that ends by itself may still answer: whoever has piped it in waits for that.
    """
    lock = threading.Lock()
    has_reader = True

    def tell(line: str) -> None:
        nonlocal has_reader
        with lock:
            try:
                sink.write(line.encode("utf-8", "replace") + b"\n")
                sink.flush()
            except (BrokenPipeError, ValueError):  # closed, by the reader or by us
                has_reader = False

    engine = make_engine(tell)
    try:
        for line in _lines(source):
            if line is None:
                tell(f"info string a line of more than {LONGEST_LINE} bytes was left out")
            elif not engine.handle(line):
                return
            if not has_reader:
                return
        engine.finish()
    finally:
        engine.close()


def _lines(source: IO[bytes]) -> Iterator[str | None]:
    """Lines as text, whatever their bytes; None for one that is too long."""
    while line := source.readline(LONGEST_LINE):
        if line.endswith(b"\n") or len(line) < LONGEST_LINE:
            yield line.decode("utf-8", "replace")
            continue
        while line and not line.endswith(b"\n"):
            line = source.readline(LONGEST_LINE)
        yield None
