"""Runs the experiments one after the other and writes the page of results: what `make reproduce` does.

    python experiments/reproduce.py [--scale quick|full] [--data DIR] [--threads N] [--out DIR] [names...]

quick is meant for an hour on two cores and writes to runs/reproduce, so that results/ keeps what full scales found.
full writes to results/ and docs/results.md; it takes days, as some parts of it are hours of play. Both go on where they
were ended: what a search or a game has measured is kept, and parts that are there are not measured again. Experiments
that need data which --data does not hold are left out and named, and so are those that end with an error.

The works on evaluations (smith_*, batches, kocsis_B, learned_evaluations) fit into 20 core hours at full scale, each of
their parts into an hour on two cores. By rates measured on small samples they take, in core minutes: smith_4_2 80,
smith_4_4 55, smith_5 328, smith_5_5 34, smith_6 165, smith_7 126, smith_8_5 1, smith_8_6 212, smith_E 30, batches 14,
kocsis_B 56, learned_evaluations 45: 19 hours. What each part takes stands in the text of its experiment.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Listed:
    """An experiment of the list."""

    name: str
    data: str = ""
    """The file or folder that it needs, in the folder of the data."""
    records: str = ""
    """What it takes from there where it lies there; games of its own stand in for it."""
    is_quick: bool = True
    """Whether its quick scale fits into the hour."""
    is_timed: bool = False
    """Whether it plays at equal time: then it runs on one core, with nothing of its own beside it."""


CHESS_RECORDS, LOA_RECORDS = "chess/gnuchess-book_1.02.orig.tar.gz", "loa"
EXPERIMENTS = (
    Listed("smith_8_5"),
    Listed("smith_4_2"),
    Listed("smith_4_4", "chess/wcsac.epd"),
    Listed("smith_5"),
    Listed("smith_5_5"),
    Listed("smith_6"),
    Listed("smith_7"),
    Listed("smith_8_6"),
    Listed("smith_E"),
    Listed("batches"),
    Listed("kocsis_B"),
    Listed("learned_evaluations", is_timed=True),
    Listed("bm_play"),
    Listed("levels"),
    Listed("bm_suite", "chess/wacnew.epd", is_quick=False),
    Listed("gf_chess", "chess/ecm879.epd", is_quick=False),
    Listed("gf_breakthrough", is_quick=False),
    Listed("kocsis_3_loa", is_quick=False),
    Listed("kocsis_3_mia", records=LOA_RECORDS, is_quick=False),
    Listed("kocsis_3_chess", records=CHESS_RECORDS, is_quick=False),
    Listed("kocsis_4_loa", is_quick=False),
    Listed("kocsis_4_chess", records=CHESS_RECORDS, is_quick=False),
    Listed("kocsis_5_loa", is_quick=False),
    Listed("kocsis_5_chess", is_quick=False),
    Listed("rps", is_quick=False),
    Listed("ply_gradient", is_quick=False),
    Listed("td_defaults", is_quick=False),
    Listed("techniques", "chess/wacnew.epd", is_quick=False),
)
"""In the order in which they are run; the seeds' works first."""


def command_of(listed: Listed, scale: str, out: Path, data: Path | None, threads: int) -> list[str] | None:
    """The command of an experiment; None where its data are not there."""
    words = [sys.executable, str(ROOT / "experiments" / f"{listed.name}.py"), "--scale", scale]
    words += ["--threads", str(1 if listed.is_timed else threads), "--out", str(out)]
    if listed.data:
        if data is None or not (data / listed.data).exists():
            return None
        words += ["--data", str(data / listed.data)]
    elif listed.records and data is not None and (data / listed.records).exists():
        words += ["--data", str(data / listed.records)]
    return words


def choose(scale: str, names: Sequence[str]) -> list[Listed]:
    """The experiments to run: those that are named, else those of the scale."""
    known = {listed.name: listed for listed in EXPERIMENTS}
    if unknown := sorted(set(names) - set(known)):
        raise SystemExit(f"no experiment {unknown[0]}; there are: {', '.join(known)}")
    if names:
        return [known[name] for name in names]
    return [listed for listed in EXPERIMENTS if scale == "full" or listed.is_quick]


def main(words: Sequence[str] | None = None) -> int:
    """Runs them and writes the page; returns how many ended with an error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", choices=("tiny", "quick", "full"), default="quick", help="default %(default)s")
    parser.add_argument("--data", type=Path, metavar="DIR", help="where suites such as chess/wcsac.epd lie")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="default %(default)s")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where results/ and runs/ are")
    parser.add_argument("names", nargs="*", help="experiments; none: all of the scale")
    options = parser.parse_args(words)
    out = options.out or (ROOT if options.scale == "full" else ROOT / "runs" / "reproduce")
    failed, left_out, began = [], [], time.monotonic()
    for listed in choose(options.scale, options.names):
        command = command_of(listed, options.scale, out, options.data, options.threads)
        if command is None:
            left_out.append(f"{listed.name} (needs {listed.data})")
            continue
        print(f"\n{listed.name}", flush=True)
        if subprocess.run(command, check=False).returncode:
            failed.append(listed.name)
    page = ROOT / "docs" / "results.md" if out == ROOT else out / "results.md"
    folder = out / "results"
    if folder.is_dir():
        writer = [sys.executable, str(ROOT / "experiments" / "results_page.py"), "--results", str(folder)]
        subprocess.run([*writer, "--page", str(page)], check=True)
    for what, names in (("left out", left_out), ("ended with an error", failed)):
        if names:
            print(f"{what}: {', '.join(names)}")
    print(f"{(time.monotonic() - began) / 60:.0f} minutes; the same command goes on from here")
    return len(failed)


if __name__ == "__main__":
    try:
        sys.exit(1 if main() else 0)
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here", file=sys.stderr)
        sys.exit(130)
