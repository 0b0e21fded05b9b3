"""Sealed files: settings and arrays in one safetensors file, with a SHA-256 over every byte of it.

Written whole or not at all; read only if nothing is damaged. Nothing here unpickles, and sizes are capped before
anything is allocated.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
import secrets
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import safetensors
from numpy.typing import NDArray
from safetensors.numpy import save as to_safetensors

LARGEST_FILE = 1 << 30
_METADATA_KEY = "plypilot"
_TYPES = {"F32": "<f4", "F64": "<f8", "U8": "u1", "U16": "<u2", "U64": "<u8", "I64": "<i8"}
"""Types of numbers as safetensors and numpy name them."""
_NO_DIGEST = "0" * 64
"""Stands where the SHA-256 will stand while it is computed."""


Content = tuple[dict[str, Any], dict[str, NDArray[Any]]]
"""Settings, and arrays by name."""

Bytes = bytes | mmap.mmap
"""The content of a file, read or mapped."""


class SealedFileError(ValueError):
    """A file that is not of the kind expected, of another version, or damaged."""


def digest(kind: str, version: int, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """The SHA-256 that the file would carry, as 64 hexadecimal digits."""
    return hashlib.sha256(_lay_out(kind, version, settings, arrays)).hexdigest()


def encode(kind: str, version: int, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The content of a file. The same settings and arrays give the same bytes."""
    unsealed = _lay_out(kind, version, settings, arrays)
    seal = hashlib.sha256(unsealed).hexdigest().encode()
    place = unsealed.index(_NO_DIGEST.encode())
    return b"".join((memoryview(unsealed)[:place], seal, memoryview(unsealed)[place + len(seal) :]))


def decode(
    content: bytes,
    kind: str,
    version: int,
    types: Collection[str] = ("F32",),
    older: Mapping[Any, Callable[[Content], Content]] = MappingProxyType({}),
) -> Content:
    """The settings and arrays of a file's content, whose numbers must be of these types. Raises SealedFileError.

    ``older`` has for each older version that is still read what makes its content that of the present one.
    """
    # 1. The container. It is checked by safetensors; what it holds is believed only after the digest.
    try:
        tensors = dict(safetensors.deserialize(content))  # type: ignore[no-untyped-call]
    except safetensors.SafetensorError as error:
        raise SealedFileError(f"not a {kind} file, or cut short") from error

    # 2. What is sealed in it.
    settings, stored_version = _read_head(content, _read_header(content), kind, version, older)

    # 3. What it holds.
    arrays = {}
    for name, tensor in tensors.items():
        _check_type(name, tensor["dtype"], types)
        arrays[name] = np.frombuffer(tensor["data"], dtype=_TYPES[tensor["dtype"]]).reshape(tensor["shape"])
    return older[stored_version]((settings, arrays)) if stored_version != version else (settings, arrays)


def open_mapped(
    path: Path, kind: str, version: int, types: Collection[str], *, expected: str, checked: bool = False
) -> Content:
    """The settings of a file and its arrays where they lie on the disk. Raises SealedFileError and OSError.

    The arrays cannot be written to, and take up memory only where they are looked at. ``expected`` is the digest that
    the file must have. ``checked`` says that it was found right before, and need not be computed again.
    """
    try:
        with safetensors.safe_open(str(path), framework="np"):  # checks where the arrays lie
            pass
    except safetensors.SafetensorError as error:
        raise SealedFileError(f"not a {kind} file, or cut short") from error
    with path.open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    header = _read_header(content)
    settings, _ = _read_head(content, header, kind, version, {}, expected=expected, checked=checked)
    begin = 8 + int.from_bytes(content[:8], "little")
    arrays = {}
    for name, place in header.items():
        if name == "__metadata__":
            continue
        _check_type(name, place["dtype"], types)
        kind_of_number = np.dtype(_TYPES[place["dtype"]])
        first, last = place["data_offsets"]
        count = (last - first) // kind_of_number.itemsize
        flat = np.frombuffer(content, kind_of_number, count, begin + first) if count else np.empty(0, kind_of_number)
        arrays[name] = flat.reshape(place["shape"])
    return settings, arrays


def _read_header(content: Bytes) -> dict[str, Any]:
    """What safetensors says of the arrays of a file, and the metadata beside it."""
    try:
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    except (ValueError, RecursionError):
        return {}
    return header if isinstance(header, dict) else {}


def _read_head(
    content: Bytes,
    header: dict[str, Any],
    kind: str,
    version: int,
    older: Mapping[Any, Any],
    *,
    expected: str = "",
    checked: bool = False,
) -> tuple[dict[str, Any], Any]:
    """The settings of a file and the version that wrote them, once kind, version and digest are what they should be."""
    metadata = header.get("__metadata__")
    if not isinstance(metadata, dict) or _METADATA_KEY not in metadata:
        raise SealedFileError(f'not a {kind} file: its metadata has no "{_METADATA_KEY}"')
    text = metadata[_METADATA_KEY]

    # 1. The version, then the digest over every byte: another version may compute it in another way.
    try:
        head = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SealedFileError(f"damaged: its metadata is not JSON ({error}); use another copy") from error
    if not isinstance(head, dict) or head.get("format") != kind:
        raise SealedFileError(f'not a {kind} file: its metadata does not say "format": "{kind}"')
    if (stored_version := head.get("version")) not in (version, *older):
        raise SealedFileError(
            f"a {kind} of format version {stored_version!r}, but this plypilot reads version {version}; "
            "use the plypilot that wrote it"
        )
    stored = head.get("sha256")
    if not isinstance(stored, str) or len(stored) != len(_NO_DIGEST) or not stored.isascii():
        raise SealedFileError("damaged: it has no SHA-256; use another copy")
    computed = stored if checked else _digest_without(content, stored.encode())
    if computed != stored:
        raise SealedFileError(
            f"damaged: its SHA-256 is {computed[:16]}..., not {stored[:16]}... as stored; use another copy"
        )
    if expected not in ("", stored):
        raise SealedFileError(f"another file: its SHA-256 is {stored[:16]}..., not {expected[:16]}... as expected")
    if unknown := sorted(set(head) - {"format", "version", "sha256", "settings"}):
        raise SealedFileError(f'unknown field "{unknown[0]}"')

    # 2. The settings.
    settings = head.get("settings")
    if not isinstance(settings, dict):
        raise SealedFileError("its settings are not a table of parts")
    return settings, stored_version


def _check_type(name: str, kind_of_number: str, types: Collection[str]) -> None:
    if kind_of_number not in types:
        raise SealedFileError(f'tensor "{name}" is {kind_of_number}, expected {" or ".join(types)}')


def write(path: Path, content: bytes) -> None:
    """Puts a file in its place, whole or not at all: a draft beside it, flushed to the disk, then renamed."""
    if len(content) > LARGEST_FILE:
        raise SealedFileError(f"{len(content)} bytes, but such a file has at most {LARGEST_FILE}")
    if not path.name:
        raise SealedFileError("the name of the file is empty")
    if path.exists() and not (path.is_file() or path.is_dir()):  # a folder is told by the system
        raise SealedFileError(f"{path}: is a device or a pipe, expected a file")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        if isinstance(error, OSError) and error.errno:  # of the place that was asked for: nobody knows the draft
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read(path: Path, kind: str) -> bytes:
    """The content of a file that is not larger than such files are."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        content = b"" if size > LARGEST_FILE else file.read(size + 1)
    if max(size, len(content)) > LARGEST_FILE:
        raise SealedFileError(f"not a {kind} file: larger than {LARGEST_FILE >> 20} MiB")
    return content


def _lay_out(kind: str, version: int, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The file as it is before it is sealed."""
    # One entry of metadata, because safetensors writes several in no fixed order. The digest stands before anything
    # that a user has named.
    head = {"format": kind, "version": version, "sha256": _NO_DIGEST, "settings": settings}
    # safetensors writes the memory of an array as it lies there, so that of a view would be in the wrong order.
    in_order = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    return to_safetensors(in_order, {_METADATA_KEY: json.dumps(head, separators=(",", ":"))})


def _digest_without(content: Bytes, stored: bytes) -> str:
    """The SHA-256 of a file with nothing where its digest stands. Computed in pieces: a large file is not copied."""
    place = content.find(stored)
    if place < 0:  # with escapes, as we do not write it: it cannot be right
        return hashlib.sha256(content).hexdigest()
    whole = hashlib.sha256(memoryview(content)[:place])
    whole.update(_NO_DIGEST.encode())
    whole.update(memoryview(content)[place + len(stored) :])
    return whole.hexdigest()
