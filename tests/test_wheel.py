"""What is installed: type checkers know the native module after an install too, outside the tree."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from conftest import ROOT, SOAK

USES = """\
import plypilot as pp

position = pp.Position("loa")
moves: list[pp.Move] = position.moves()
wrong: int = position.moves()
"""


def test_an_install_carries_the_types_of_the_native_module(tmp_path: Path) -> None:
    """The list of what the build installs, which is what a wheel holds of it."""
    built = ROOT / "build" / "Release"
    cmake = Path(sys.executable).with_name("cmake")
    if not (built / "CMakeCache.txt").exists() or not cmake.exists():
        pytest.skip("there is no build to install from")
    subprocess.run([cmake, "--install", built, "--prefix", tmp_path], check=True, capture_output=True)
    names = {path.name.partition(".")[0] + path.suffix for path in (tmp_path / "plypilot").iterdir()}
    assert names == {"_core.so", "_core.pyi"}
    assert "def moves(self)" in (tmp_path / "plypilot" / "_core.pyi").read_text()


@pytest.mark.skipif(not SOAK, reason="builds a wheel: PLYPILOT_SOAK=1")
def test_mypy_knows_an_installed_wheel_from_outside_the_tree(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-build-isolation",
        "--no-deps",
        "-w",
        tmp_path,
        clone,
    ]
    subprocess.run(build, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"plypilot/_core.pyi", "plypilot/py.typed"} <= set(names)
    # A fresh environment that sees the libraries of this one, but not our sources.
    venv.create(tmp_path / "fresh", with_pip=False)
    (site,) = (tmp_path / "fresh").glob("lib/python*/site-packages")
    zipfile.ZipFile(wheel).extractall(site)
    (tmp_path / "uses.py").write_text(USES)
    mypy = Path(sys.executable).with_name("mypy")
    done = subprocess.run(
        [mypy, "--strict", "--python-executable", tmp_path / "fresh" / "bin" / "python", "uses.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={key: value for key, value in os.environ.items() if key != "MYPYPATH"},
    )
    faults = [line for line in done.stdout.splitlines() if line.startswith("uses.py")]
    assert len(faults) == 1 and 'has type "list[Move]"' in faults[0], done.stdout
