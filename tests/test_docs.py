"""What the documents say is so: the README's example runs, its links and commands exist."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

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
    assert (ROOT / "docs" / "results.md").read_text("utf-8") == results_page.page(ROOT / "results")


def test_the_page_of_results_shows_the_largest_scale_and_what_did_not_match(tmp_path: Path) -> None:
    verdict = {
        "claim": "sooner | later",
        "seed_says": "sooner",
        "judged": "by games",
    }
    for name, scale, found, matched in (
        ("smith_5.json", "full", "later", False),
        ("smith_5.quick.json", "quick", "never", True),
        ("smith_5.deep.json", "deep", "no such depth", None),
        ("smith_5.first.json", "first", "a part that full has too", True),
        ("smith_6.quick.json", "quick", "soon", True),
        ("smith_6.first.json", "first", "a part", True),
    ):
        verdicts = [{**verdict, "found": found, "matched": matched}]
        experiment = name.partition(".")[0]
        content = {"experiment": experiment, "scale": scale, "search_seconds": 1.5, "verdicts": verdicts}
        (tmp_path / name).write_text(json.dumps(content))
    page = results_page.page(tmp_path)
    assert "| sooner \\| later | sooner | by games | later | **not** |" in page
    assert "never" not in page and "that full has too" not in page
    assert "| soon | matched |" in page and "| a part | matched |" in page
    assert "### smith_6_first" in page and "python experiments/smith_6.py --scale first" in page
    assert "python experiments/smith_5.py --scale deep" in page
    assert "| by games | no such depth | not measured |" in page
    assert "| full | 0 of 1 |" in page and "| deep | 0 of 0 (1 not measured) |" in page


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
