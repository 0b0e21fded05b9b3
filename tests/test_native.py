"""The tests of the native core, built by the tree that built the module."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from conftest import ROOT


def test_native_tests_pass() -> None:
    if not Path("/usr/include/doctest/doctest.h").exists():
        pytest.skip("doctest/doctest.h not found: install doctest-dev")
    done = subprocess.run(["make", "--no-print-directory", "native-test"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert "Status: SUCCESS!" in done.stdout
