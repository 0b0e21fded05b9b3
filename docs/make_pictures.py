"""Makes the pictures of the README anew: ``python docs/make_pictures.py``, in half a minute.

The board is what a terminal shows, written as SVG; the report is photographed by a Chromium that is installed.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI

import plypilot as pp
from plypilot.sitting.sitting import Sitting
from plypilot.sitting.terminal import Terminal
from plypilot.sitting.words import level_limit

PICTURES = Path(__file__).parent / "pictures"
TYPED = "c1-c3\nhint\nq\n"
SIZES = {"wide": (1000, 780), "phone": (390, 1600)}


def picture_of_play(game: str, typed: str, target: Path) -> None:
    """What a person sees who types these lines."""
    console = Console(record=True, width=100, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    sitting = Sitting(
        pp.Pilot.baseline(game), pp.Position(game), frozenset({0}), level_limit(6), engine_name="baseline"
    )
    lines = iter(typed.splitlines())

    def ask(prompt: str, _completions: object) -> str:
        line = next(lines)
        console.print(f"[bold]{prompt}[/bold]{line}", highlight=False)
        return line

    import plypilot.sitting.terminal as terminal

    terminal.ask = ask
    Terminal(sitting, console).run()
    target.write_text(console.export_svg(title=f"plypilot play {game} --level 6", theme=MONOKAI), encoding="utf-8")


def make_run(folder: Path) -> Path:
    """The run of the README, and the page of its report."""
    plypilot = str(Path(sys.executable).with_name("plypilot"))
    run = str(folder / "run")
    train = [plypilot, "train", "td", "loa", "--pilot", "plain", "--set", "games=160", "--workers", "2", "--out", run]
    match = [
        plypilot,
        "match",
        f"{run}/best.pilot",
        "plain",
        "--nodes",
        "1000",
        "--games",
        "100",
        "--out",
        f"{run}/match",
    ]
    for words in (train, match, [plypilot, "report", run]):
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return folder / "run" / "report.html"


def photograph(page: Path, target: Path, size: tuple[int, int], *, dark: bool = False) -> None:
    """A page in a window of a size."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("the picture of the report needs chromium")
    words = [browser, "--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={size[0]},{size[1]}"]
    words += ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if dark else []
    subprocess.run([*words, f"--screenshot={target}", page.as_uri()], check=True, capture_output=True, timeout=120)


def main(pictures: Path = PICTURES) -> None:
    """Both pictures."""
    pictures.mkdir(exist_ok=True)
    picture_of_play("loa", TYPED, pictures / "play.svg")
    with tempfile.TemporaryDirectory() as folder:
        photograph(make_run(Path(folder)), pictures / "report.png", SIZES["wide"])


if __name__ == "__main__":
    main()
