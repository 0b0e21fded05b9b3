"""What figures were made with: the versions that a run, an experiment and a benchmark write down."""

from __future__ import annotations

import contextlib
import hashlib
import platform
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path

from plypilot import __version__


def versions(*packages: str) -> dict[str, str]:
    """The versions of plypilot, its native core, Python, this kind of machine, the commit where this is a checkout,
    and of those packages that are installed.
    """
    facts = {
        "plypilot": __version__,
        "core": core_digest()[:16],
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "machine": platform.machine(),
    }
    for package in packages:
        with contextlib.suppress(metadata.PackageNotFoundError):
            facts[package] = metadata.version(package)
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
        facts["commit"] = subprocess.run(command, capture_output=True, text=True, check=True, timeout=5).stdout.strip()
    return facts


@cache
def core_digest() -> str:
    """SHA-256 of the native module: node counts belong to one build of it."""
    from plypilot import _core

    return hashlib.sha256(Path(_core.__file__).read_bytes()).hexdigest()
