"""Writes docs/results.md from the result files: what each experiment found beside its seed, and the ratios of speed.

    python experiments/results_page.py [--results DIR] [--page FILE]

Where an experiment was run at several scales the largest is shown. Parts of a full run, each a scale of its own, are
shown until the full one is there. Nothing is measured here.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import count_matched

ROOT = Path(__file__).parent.parent
SCALES = ("full", "quick")
"""The first that there is counts."""
BEYOND = "deep"
"""A scale that measures something else than the others: shown besides."""
BENCHMARKS = ("games", "search", "play", "learning")
"""In the order of the page."""
VERDICTS = {True: "matched", False: "**not**", None: "not measured"}
COMMAND = "python experiments/results_page.py"


def find_results(folder: Path) -> dict[str, Path]:
    """The result file of each experiment, by its name; that of a part or of a scale beyond the others by both names."""
    by_scale: dict[tuple[str, str], Path] = {}
    for path in folder.glob("*.json"):
        name, _, scale = path.name.removesuffix(".json").partition(".")
        if not name.startswith("bench_"):
            by_scale[name, scale or "full"] = path
    shown: dict[str, Path] = {}
    for (name, scale), path in by_scale.items():
        larger = SCALES[: SCALES.index(scale)] if scale in SCALES else ("full",)
        if scale == BEYOND or not any((name, other) in by_scale for other in larger):
            shown[name if scale in SCALES else f"{name}_{scale}"] = path
    return dict(sorted(shown.items()))


def describe(name: str) -> str:
    """The first line of an experiment's text."""
    text = ast.get_docstring(ast.parse((ROOT / "experiments" / f"{name}.py").read_text(encoding="utf-8"))) or name
    return text.partition("\n")[0].removesuffix(".")


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """The lines of a table."""
    yield "| " + " | ".join(columns) + " |"
    yield "|" + " --- |" * len(columns)
    for row in rows:
        yield "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in row) + " |"


def experiment_lines(name: str, path: Path, content: Mapping[str, Any]) -> Iterator[str]:
    """One experiment: its command, a verdict a claim, and its drawing where there is one."""
    yield f"### {name}"
    yield ""
    command = f"python experiments/{content['experiment']}.py --scale {content['scale']}"
    figures = f"[{path.name}](../results/{path.name})"
    yield f"`{command}`, {content['search_seconds']:,.0f} s of searching; all figures: {figures}."
    yield ""
    if content["verdicts"]:
        rows = [
            [
                verdict["claim"],
                verdict["seed_says"],
                verdict["judged"],
                verdict["found"],
                VERDICTS[verdict["matched"]],
            ]
            for verdict in content["verdicts"]
        ]
        yield from table(["claim", "the seed", "judged by", "found", ""], rows)
    else:
        yield "No seed has such figures."
    yield ""
    drawing = path.with_suffix(".svg")
    if drawing.is_file():
        yield f"![what {name} learned](../results/{drawing.name})"
        yield ""


def benchmark_lines(name: str, content: Mapping[str, Any]) -> Iterator[str]:
    """One benchmark: medians of ratios with their ranges."""
    yield f"### {name}"
    yield ""
    yield f"`python benchmarks/{name}.py`, {content['rounds']} interleaved rounds on {content['cores']} cores."
    yield ""
    rows = []
    for row in content["rows"]:
        ratio = f"{row['ratio']:.2f} ({min(row['ratios']):.2f} to {max(row['ratios']):.2f})"
        verdict = row["verdict"] if row["verdict"] == "met" else f"**{row['verdict']}**"
        rate = f"{row['rate']:,.0f} {row['unit']}" if row["rate"] >= 10 else f"{row['rate']:.2f} {row['unit']}"
        rows.append([row["game"], row["what"], rate, row["peer"], ratio, f"{row['target']:g}", verdict])
    yield from table(["game", "what", "ours", "beside", "ratio", "target", ""], rows)
    yield ""


def page(folder: Path) -> str:
    """The whole page."""
    paths = find_results(folder)
    experiments = {name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items()}
    summary = []
    for name, content in experiments.items():
        judged = count_matched([verdict["matched"] for verdict in content["verdicts"]]) if content["verdicts"] else ""
        summary.append([f"[{name}](#{name.lower()})", describe(content["experiment"]), content["scale"], judged])
    lines = [
        "# Results",
        "",
        f"Written by `{COMMAND}` from the files in results/; nothing here is typed by hand. The seeds are",
        "the works that each experiment names. A claim that did not come out is said so.",
        "",
        "## Experiments",
        "",
        *table(["experiment", "what", "scale", "claims matched"], summary),
        "",
    ]
    for name, content in experiments.items():
        lines += experiment_lines(name, paths[name], content)
    lines += ["## Speed", "", "Ratios of rates in the same rounds of one run; more is better.", ""]
    for name in BENCHMARKS:
        path = folder / f"bench_{name}.json"
        if path.is_file():
            lines += benchmark_lines(name, json.loads(path.read_text(encoding="utf-8")))
    return "\n".join(lines).rstrip() + "\n"


def main(words: Sequence[str] | None = None) -> None:
    """Writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=ROOT / "results", metavar="DIR", help="where the files are")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "results.md", metavar="FILE", help="to write")
    options = parser.parse_args(words)
    options.page.write_text(page(options.results), encoding="utf-8")
    print(options.page)


if __name__ == "__main__":
    main()
