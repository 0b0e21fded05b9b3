"""The tests of the native core, built by the tree that built the module."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

BIN = Path(sys.executable).parent
MISSING = "doctest/doctest.h not found: install doctest-dev"
"""What the build says where the header is absent."""


def test_native_tests_pass() -> None:
    done = subprocess.run(["make", "--no-print-directory", "native-test"], cwd=ROOT, capture_output=True, text=True)
    if MISSING in done.stdout:
        pytest.skip(f"the native core was not tested: {MISSING}")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert "Status: SUCCESS!" in done.stdout


def test_a_doctest_that_was_installed_after_the_first_build_is_found(tmp_path: Path) -> None:
    def cmake(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(BIN / "cmake"), *words], capture_output=True, text=True)

    tree = ("-S", str(ROOT), "-B", str(tmp_path), "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={BIN / 'ninja'}")
    assert cmake(*tree, "-DPLYPILOT_MODULE=OFF", "-DCMAKE_IGNORE_PATH=/usr/include").returncode == 0
    built = cmake("--build", str(tmp_path), "--target", "native_tests")
    if built.returncode == 0 or MISSING not in built.stdout:
        pytest.skip("doctest lies where it cannot be hidden")
    header = tmp_path / "later" / "doctest" / "doctest.h"
    header.parent.mkdir(parents=True)
    header.touch()
    # What the Makefile does before each build of the native tests.
    steps = subprocess.run(["make", "-n", "native-test"], cwd=ROOT, capture_output=True, text=True).stdout
    assert steps.index("cmake -S . -B build/Release") < steps.index("cmake --build build/Release")
    assert cmake("-S", str(ROOT), "-B", str(tmp_path), f"-DCMAKE_INCLUDE_PATH={tmp_path / 'later'}").returncode == 0
    assert f"DOCTEST_INCLUDE:PATH={tmp_path / 'later'}" in (tmp_path / "CMakeCache.txt").read_text()
