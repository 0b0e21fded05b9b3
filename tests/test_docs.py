"""What the documents say is so: the README's example runs, its links and commands exist."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main
from typer.core import TyperGroup

import plypilot as pp
import plypilot.games
from conftest import ROOT, SOAK
from doc_blocks import Block, read_blocks, run_block
from plypilot import cli

sys.path.insert(0, str(ROOT / "experiments"))
import results_page

PAGES = [ROOT / "README.md", *(path for path in sorted((ROOT / "docs").glob("*.md")) if path.name != "results.md")]
"""Those that are written by hand."""
KINDS = {"sh", "console", "python", "text", "c++"}
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize(("page", "least"), [("README.md", 5), ("docs/statistics.md", 2)])
def test_the_examples_with_answers_run(page: str, least: int) -> None:
    result = doctest.testfile(str(ROOT / page), module_relative=False)
    assert result.attempted >= least
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


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_block_says_what_it_is(page: Path) -> None:
    for block in read_blocks(page):
        where = f"{block.page}:{block.line}"
        assert block.kind in KINDS, f"{where}: a block of the kind {block.kind!r}"
        is_file = block.kind == "python" and "." in block.word
        assert is_file or block.word in ("", "minutes", "clone", "elsewhere"), f"{where}: {block.word}"
        if block.kind == "text":
            assert not block.text.startswith(("plypilot ", "$ ")) or "[" in block.text, (
                f"{where}: commands that do not run"
            )


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_command_of_a_page_exists_with_its_options(page: Path) -> None:
    """Also of the blocks that take minutes or another machine: words and options are read, and nothing is run."""
    for block in read_blocks(page):
        for words in block.plypilot_lines():
            read_words(words, f"{block.page}:{block.line}: plypilot {' '.join(words)}")


def read_words(words: list[str], where: str) -> None:
    """Reads a command line as far as its command would be called."""
    group = typer.main.get_command(cli.app)
    context = None
    try:
        while True:
            name = words[0] if words else None
            if not isinstance(group, TyperGroup) or name is None or name.startswith("-"):
                group.make_context("plypilot", words, parent=context, resilient_parsing=name in (None, "--help"))
                return
            command = group.commands.get(name)
            assert command is not None, f"{where}: no such command"
            context, group, words = group.make_context("plypilot", [name]), command, words[1:]
    except cli._CLICK_ERROR as error:
        raise AssertionError(f"{where}: {error.format_message()}") from error


def runs_here(block: Block) -> bool:
    """Whether a block is to be run, and can be with these forms of the tests."""
    if block.kind in ("text", "c++") or block.word in ("elsewhere", "clone"):
        return False
    return block.word != "minutes" or SOAK


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_block_of_a_page_runs_as_it_stands_in_a_clean_folder(page: Path, tmp_path: Path) -> None:
    for block in read_blocks(page):
        if runs_here(block) and ">>>" not in block.text:
            run_block(block, tmp_path)


@pytest.mark.skipif(not SOAK, reason="takes minutes: PLYPILOT_SOAK=1")
def test_what_is_typed_in_a_clone_runs_there(tmp_path: Path) -> None:
    for page in PAGES:
        for block in read_blocks(page):
            if block.word == "clone":
                there = tmp_path / f"{block.page}-{block.line}"
                subprocess.run(["git", "clone", "--quiet", str(ROOT), str(there)], check=True)
                run_block(block, there)


def test_a_block_that_fails_is_told_with_its_page_and_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Words.\n\n```sh\ntrue\nfalse\ntrue\n```\n\n```console\n$ echo 12 apples\n7 apples\n```\n")
    failing, passing = read_blocks(page)
    with pytest.raises(AssertionError, match=r"page\.md:3: status 1"):
        run_block(failing, tmp_path)
    run_block(passing, tmp_path)  # figures may differ
    with pytest.raises(AssertionError, match="and not"):
        run_block(Block("page.md", 9, "console", "", "$ echo 12 apples\n7 pears\n"), tmp_path)
    with pytest.raises(AssertionError, match="no such command"):
        read_words(["mach"], "here")
    with pytest.raises(AssertionError, match="--gamez"):
        read_words(["match", "baseline", "plain", "--gamez", "4"], "here")


def test_every_make_target_of_the_help_exists() -> None:
    text = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"make ([a-z-]+)  ", text)
    assert {"test", "learn", "bench", "reproduce", "lint", "native-test", "sanitize", "fuzz", "clean"} <= set(targets)
    assert all(re.search(rf"^{target}:", makefile, re.M) for target in targets)


def test_every_public_name_resolves() -> None:
    assert all(getattr(pp, name) is not None for name in dir(pp))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = pp.no_such_name


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, plypilot; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "typer", "rich", "plypilot._core"} & set(loaded)
