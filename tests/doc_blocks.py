"""The blocks of README and docs: what they hold, and running those that are commands as they stand in a clean folder.

The words behind the three ticks say what a block is:

    sh             commands, run one block after the other in the folder of the page
    sh minutes     the same, where it takes minutes: run with the long forms of the tests
    sh clone       the same in a clone of the project
    sh elsewhere   commands that need what a test does not have: another machine, program or file
    console        commands behind "$ " with what they print; a line "..." stands for any lines
    python         statements; with >>> and what they print. "minutes" and "elsewhere" as above
    python FILE    the contents of a file that the page has its reader write
    text, c++      what is shown and not run
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^(?P<indent> *)```(?P<info>.*)$")
_FIGURE = re.compile(r"\b[0-9a-f]{16}\b|[+-]?\d+(?:[.,:]\d+)*")
"""A digest, a count, a share, a time: what differs from machine to machine."""
SECONDS = 600


@dataclass(frozen=True)
class Block:
    """A block between ticks."""

    page: str
    line: int
    kind: str
    word: str
    """What stands behind the kind: minutes, clone, elsewhere or the name of a file."""
    text: str

    def commands(self) -> list[str]:
        """The command lines of a console, or the block as a whole."""
        if self.kind != "console":
            return [self.text]
        return [line.removeprefix("$ ") for line in self.text.splitlines() if line.startswith("$ ")]

    def plypilot_lines(self) -> Iterator[list[str]]:
        """The words of each call of plypilot, without what the shell does to them."""
        if self.kind not in ("sh", "console"):
            return
        text = re.sub(r"<<'END'.*?^END$", "", "\n".join(self.commands()), flags=re.M | re.S).replace("\\\n", " ")
        for line in text.splitlines():
            yield from _calls(line)


def _calls(line: str) -> Iterator[list[str]]:
    """The words of each call of plypilot in a line of the shell, up to what the shell does with it."""
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    call: list[str] = []
    for word in (*words, ";"):
        if set(word) <= set("();<>|&"):
            if call[:1] == ["plypilot"]:
                yield call[1:]
            call = [] if word not in ("<", ">", ">>") else ["file"]
        else:
            call.append(word)


def read_blocks(path: Path) -> list[Block]:
    """The blocks of a page."""
    blocks: list[Block] = []
    inside: list[str] | None = None
    begin, info, indent = 0, "", ""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        fence = _FENCE.match(line)
        if fence is None:
            if inside is not None:
                inside.append(line.removeprefix(indent))
        elif inside is None:
            inside, begin, info, indent = [], number, fence["info"], fence["indent"]
        else:
            kind, _, word = info.partition(" ")
            blocks.append(Block(path.name, begin, kind, word.strip(), "\n".join(inside) + "\n"))
            inside = None
    assert inside is None, f"{path.name}:{begin}: a block without an end"
    return blocks


def run_block(block: Block, folder: Path) -> None:
    """Runs a block in a folder; a console prints what it says that it does."""
    if block.kind == "python" and block.word not in ("", "minutes"):
        (folder / block.word).write_text(block.text)
        return
    if block.kind == "console":
        shown, expected = "", block.text
        for command in block.commands():
            shown += f"$ {command}\n{_run(block, ['bash', '-euo', 'pipefail', '-c', command], folder)}"
        assert _matches(shown, expected), f"{block.page}:{block.line}: printed\n{shown}\nand not\n{expected}"
        return
    if block.kind == "python":
        (folder / "block.py").write_text(block.text)
        _run(block, [sys.executable, "block.py"], folder)
        return
    _run(block, ["bash", "-euo", "pipefail", "-c", block.text], folder)


def _run(block: Block, words: list[str], folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    told = os.environ | {"PATH": path, "COLUMNS": "120", "PYTHONPATH": str(folder)}
    done = subprocess.run(
        words,
        cwd=folder,
        env=told,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if block.kind != "console" else subprocess.PIPE,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, f"{block.page}:{block.line}: status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _matches(shown: str, expected: str) -> bool:
    """Whether what was printed is what a page says, figures and widths of columns aside."""
    pattern = "\n".join(
        "(?:.*\n)*?.*" if line.strip() == "..." else re.escape(_plain(line)) for line in expected.splitlines()
    )
    return re.fullmatch(pattern + "\n*", "\n".join(map(_plain, shown.splitlines()))) is not None


def _plain(line: str) -> str:
    return " ".join(_FIGURE.sub("#", line).split())
