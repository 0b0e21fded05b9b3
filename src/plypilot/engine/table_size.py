"""The size of the transposition table as protocols count it, in megabytes, and as a pilot counts it, in entries."""

from __future__ import annotations

import os
from pathlib import Path

from plypilot.outside.option import whole_number

_LOG2_ENTRIES_OF_A_MB = 16
_LARGEST = 1 << 16
"""In MB: the largest table that a pilot may have."""


def megabytes(log2_entries: int) -> int:
    """The megabytes that a table takes, at least 1."""
    return 1 << max(log2_entries - _LOG2_ENTRIES_OF_A_MB, 0)


def log2_entries(megabytes: int) -> int:
    """The largest table that fits into so many megabytes."""
    return _LOG2_ENTRIES_OF_A_MB + megabytes.bit_length() - 1


def most_megabytes() -> int:
    """The largest table that makes sense: half of the memory that this process may use."""
    memory = _LARGEST << 21
    try:
        memory = min(memory, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        group = Path("/sys/fs/cgroup/memory.max").read_text()  # of a container
        memory = min(memory, whole_number(group.strip()))
    except (AttributeError, OSError, ValueError):
        pass
    return max(1, memory >> 21)
