"""What the documents say is so: the README's example runs, its links and commands exist."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys

import pytest

import plypilot as pp
import plypilot.games
from conftest import ROOT

sys.path.insert(0, str(ROOT / "experiments"))
import results_page

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_readme_example_runs() -> None:
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted >= 5
    assert result.failed == 0


def test_docstring_examples_run() -> None:
    assert doctest.testmod(plypilot.games).failed == 0


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", document.read_text("utf-8"))
    missing = [link for link in links if "://" not in link and not (document.parent / link).exists()]
    assert missing == []


def test_the_page_of_results_is_what_the_result_files_say() -> None:
    text = (ROOT / "docs" / "results.md").read_text("utf-8")
    assert text == results_page.page(ROOT / "results", signature=results_page.read_signature(text))


def test_every_make_target_of_the_help_exists() -> None:
    text = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"make ([a-z-]+)  ", text)
    assert {"test", "learn", "bench", "lint", "native-test", "sanitize", "fuzz", "clean"} <= set(targets)
    assert all(re.search(rf"^{target}:", makefile, re.M) for target in targets)


def test_every_public_name_resolves() -> None:
    assert all(getattr(pp, name) is not None for name in dir(pp))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = pp.no_such_name


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, plypilot; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "typer", "rich", "plypilot._core"} & set(loaded)
