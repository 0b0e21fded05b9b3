"""Text files of records as people keep them: plain, packed (gzip, bzip2, xz), or several in a zip or tar archive."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from plypilot.data.record import RecordError

MOST_BYTES = 1 << 30
"""Of one text, unpacked: more than any book or database that fits into memory comfortably."""
_PACKINGS: dict[str, Callable[[Path], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
"""What opens a packed file, by its suffix."""
_TAR_SUFFIXES = (".tar", ".tgz", ".tbz2", ".txz", *(f".tar{suffix}" for suffix in _PACKINGS))
_JAPANESE = {".kif", ".kifu"}
"""Suffixes of files that are in Shift-JIS where they are not in UTF-8."""


def read_texts(path: str | PathLike[str], most_bytes: int = MOST_BYTES) -> Iterator[tuple[str, str]]:
    """The name and the text of a file, or of each file in an archive. Raises RecordError and OSError.

    Texts are UTF-8, or Latin-1 where they are not (Shift-JIS in KIF). Names have lost the suffix of their packing.
    """
    path = Path(path)
    if path.name.lower().endswith(_TAR_SUFFIXES):
        yield from _read_tar(path, most_bytes)
    elif zipfile.is_zipfile(path):
        yield from _read_zip(path, most_bytes)
    elif path.suffix in _PACKINGS:
        try:
            with _PACKINGS[path.suffix](path) as file:
                yield path.stem, _read(file, path.stem, most_bytes)
        except (gzip.BadGzipFile, zlib.error, lzma.LZMAError, EOFError) as error:
            raise RecordError(f"cannot be unpacked: {error}") from error
        except OSError as error:
            if error.errno is None:  # so bzip2 says that the file is damaged
                raise RecordError(f"cannot be unpacked: {error}") from error
            raise
    else:
        with path.open("rb") as file:
            yield path.name, _read(file, path.name, most_bytes)


def _read_zip(path: Path, most_bytes: int) -> Iterator[tuple[str, str]]:
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if not member.is_dir():
                    with archive.open(member) as file:
                        yield member.filename, _read(file, member.filename, most_bytes)
    except RecordError:
        raise
    except Exception as error:  # a damaged archive raises whatever its fields lead to
        raise RecordError(f"cannot be unpacked: {error}") from error


def _read_tar(path: Path, most_bytes: int) -> Iterator[tuple[str, str]]:
    """Plain files only: links are not followed, and nothing is written."""
    with path.open("rb"):  # a file that is not there or may not be read is no damaged archive
        pass
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile() and (file := archive.extractfile(member)) is not None:
                    yield member.name, _read(file, member.name, most_bytes)
    except RecordError:
        raise
    except Exception as error:
        raise RecordError(f"cannot be unpacked: {error}") from error


def _read(file: BinaryIO | Any, name: str, most_bytes: int) -> str:
    data: bytes = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise RecordError(f"{name}: more than {most_bytes} bytes")
    for encoding in ("utf-8-sig", *(("cp932",) if PurePath(name).suffix.lower() in _JAPANESE else ())):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")
