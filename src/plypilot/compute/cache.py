"""Costly evaluations by key: what was worked out once is not worked out again, in this process or in the next one."""

from __future__ import annotations

import fcntl
import json
import threading
from pathlib import Path
from typing import Any, TextIO


class CacheError(ValueError):
    """A cache that cannot be used; the text says why."""


class Cache:
    """Values by key, both plain JSON. With a path they are kept in a file, one line each.

    Whatever was added survives the end of the process. A key must name all that its value depends on. Several threads
    may add at once: the file is opened by the first of them, and a line is written whole.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Reads the file, if there is one; it is made with the first value. Raises CacheError.

        A last line that was cut short is dropped. One process at a time may have the file.
        """
        self._path = path
        self._values: dict[str, Any] = {}
        self._file: TextIO | None = None
        self._writing = threading.Lock()
        if path is not None and path.exists():
            self._open(path)

    def _open(self, path: Path) -> TextIO:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = self._file = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self.close()
            raise CacheError(f"{path}: another process is writing to it; wait for it or end it") from error
        file.seek(0)
        text = file.read()
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            file.truncate(len(whole.encode()))
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                key, value = json.loads(line)
            except ValueError as error:
                self.close()
                raise CacheError(f"{path}: line {number} is damaged; delete the line, or the file") from error
            self._values[key] = value
        return file

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: object) -> bool:
        return _text_of(key) in self._values

    def find(self, key: object) -> Any:
        """The value that was added under a key. Raises KeyError."""
        return self._values[_text_of(key)]

    def add(self, key: object, value: Any) -> None:
        """Keeps a value that is final."""
        text = _text_of(key)
        line = json.dumps([text, value], separators=(",", ":"), allow_nan=False)
        with self._writing:
            if self._path is not None:
                file = self._file or self._open(self._path)
                file.write(line + "\n")
                file.flush()
            self._values[text] = value

    def close(self) -> None:
        """Lets another process have the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _text_of(key: object) -> str:
    return json.dumps(key, separators=(",", ":"), sort_keys=True)
