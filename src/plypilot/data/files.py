"""Text files of records as people keep them: plain, in a gzip file, or several in a zip archive."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from plypilot.data.record import RecordError

MOST_BYTES = 1 << 30
"""Of one text, unpacked: more than any book or database that fits into memory comfortably."""


def read_texts(path: str | PathLike[str], most_bytes: int = MOST_BYTES) -> Iterator[tuple[str, str]]:
    """The name and the text of a file, or of each file in an archive. Raises RecordError and OSError.

    Texts are UTF-8, or Latin-1 where they are not. Names have lost the suffix of their packing.
    """
    path = Path(path)
    if zipfile.is_zipfile(path):
        yield from _read_archive(path, most_bytes)
    elif path.suffix == ".gz":
        try:
            with gzip.open(path) as file:
                yield path.stem, _decode(file.read(most_bytes + 1), path.name, most_bytes)
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise RecordError(f"cannot be unpacked: {error}") from error
    else:
        with path.open("rb") as file:
            yield path.name, _decode(file.read(most_bytes + 1), path.name, most_bytes)


def _read_archive(path: Path, most_bytes: int) -> Iterator[tuple[str, str]]:
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if not member.is_dir():
                    with archive.open(member) as file:
                        yield member.filename, _decode(file.read(most_bytes + 1), member.filename, most_bytes)
    except RecordError:
        raise
    except Exception as error:  # a damaged archive raises whatever its fields lead to
        raise RecordError(f"cannot be unpacked: {error}") from error


def _decode(data: bytes, name: str, most_bytes: int) -> str:
    if len(data) > most_bytes:
        raise RecordError(f"{name}: more than {most_bytes} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
