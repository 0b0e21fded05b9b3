"""Sealed files: settings and arrays in one safetensors file, with a SHA-256 over every byte of it.

Written whole or not at all; read only if nothing is damaged. Nothing here unpickles, and sizes are capped before
anything is allocated.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
from numpy.typing import NDArray
from safetensors.numpy import save as to_safetensors

LARGEST_FILE = 64 << 20
_METADATA_KEY = "plypilot"
_TYPES = {"F32": "<f4", "F64": "<f8", "U8": "u1"}
"""Types of numbers as safetensors and numpy name them."""
_NO_DIGEST = "0" * 64
"""Stands where the SHA-256 will stand while it is computed."""


class SealedFileError(ValueError):
    """A file that is not of the kind expected, of another version, or damaged."""


def digest(kind: str, version: int, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """The SHA-256 that the file would carry, as 64 hexadecimal digits."""
    return hashlib.sha256(_lay_out(kind, version, settings, arrays)).hexdigest()


def encode(kind: str, version: int, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The content of a file. The same settings and arrays give the same bytes."""
    unsealed = _lay_out(kind, version, settings, arrays)
    return unsealed.replace(_NO_DIGEST.encode(), hashlib.sha256(unsealed).hexdigest().encode(), 1)


def decode(
    content: bytes, kind: str, version: int, types: Collection[str] = ("F32",)
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The settings and arrays of a file's content, whose numbers must be of these types. Raises SealedFileError."""
    # 1. The container. It is checked by safetensors; what it holds is believed only after the digest.
    try:
        tensors = dict(safetensors.deserialize(content))  # type: ignore[no-untyped-call]
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        text = header["__metadata__"][_METADATA_KEY]
    except safetensors.SafetensorError as error:
        raise SealedFileError(f"not a {kind} file, or cut short: {error}") from error
    except (ValueError, KeyError, RecursionError) as error:
        raise SealedFileError(f'not a {kind} file: its metadata has no "{_METADATA_KEY}"') from error

    # 2. The version, then the digest over every byte: another version may compute it in another way.
    try:
        head = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SealedFileError(f"damaged: its metadata is not JSON ({error}); use another copy") from error
    if not isinstance(head, dict) or head.get("format") != kind:
        raise SealedFileError(f'not a {kind} file: its metadata does not say "format": "{kind}"')
    if head.get("version") != version:
        raise SealedFileError(
            f"a {kind} of format version {head.get('version')!r}, but this plypilot reads version {version}; "
            "use the plypilot that wrote it"
        )
    stored = head.get("sha256")
    if not isinstance(stored, str) or len(stored) != len(_NO_DIGEST) or not stored.isascii():
        raise SealedFileError("damaged: it has no SHA-256; use another copy")
    found = hashlib.sha256(content.replace(stored.encode(), _NO_DIGEST.encode(), 1)).hexdigest()
    if found != stored:
        raise SealedFileError(
            f"damaged: its SHA-256 is {found[:16]}..., not {stored[:16]}... as stored; use another copy"
        )
    if unknown := sorted(set(head) - {"format", "version", "sha256", "settings"}):
        raise SealedFileError(f'unknown field "{unknown[0]}"')

    # 3. What it holds.
    settings = head.get("settings")
    if not isinstance(settings, dict):
        raise SealedFileError("its settings are not a table of parts")
    arrays = {}
    for name, tensor in tensors.items():
        if tensor["dtype"] not in types:
            raise SealedFileError(f'tensor "{name}" is {tensor["dtype"]}, expected {" or ".join(types)}')
        arrays[name] = np.frombuffer(tensor["data"], dtype=_TYPES[tensor["dtype"]]).reshape(tensor["shape"])
    return settings, arrays


def write(path: Path, content: bytes) -> None:
    """Puts a file in its place, whole or not at all: a draft beside it, flushed to the disk, then renamed."""
    if len(content) > LARGEST_FILE:
        raise SealedFileError(f"{len(content)} bytes, but such a file has at most {LARGEST_FILE}")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
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
        content = b"" if size > LARGEST_FILE else file.read(LARGEST_FILE + 1)
    if max(size, len(content)) > LARGEST_FILE:
        raise SealedFileError(f"not a {kind} file: larger than {LARGEST_FILE >> 20} MiB")
    return content


def _lay_out(kind: str, version: int, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The file as it is before it is sealed."""
    # One entry of metadata, because safetensors writes several in no fixed order. The digest stands before anything
    # that a user has named.
    head = {"format": kind, "version": version, "sha256": _NO_DIGEST, "settings": settings}
    return to_safetensors(dict(arrays), {_METADATA_KEY: json.dumps(head, separators=(",", ":"))})
