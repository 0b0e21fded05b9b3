"""Writes docs/results.md from the result files: what each experiment found beside its seed, and the ratios of speed.

    python experiments/results_page.py [--results DIR] [--page FILE]

Where an experiment was run at several scales the largest is shown. Parts of a full run, each a scale of its own, are
shown until the full one is there. Nothing is measured here, but the bench that tells the search of now from others.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import search_signature, tell_counts

ROOT = Path(__file__).parent.parent
SCALES = ("full", "quick")
"""The first that there is counts."""
BENCHMARKS = ("games", "search", "play", "learning")
"""In the order of the page."""
VERDICTS = {"matched": "matched", "not": "**not**", "open": "*open*", "not measured": "not measured"}
TUNED = (
    ("chess baseline: selectivity of its search", "the first 200 positions of ECM", "ECM from position 201 on"),
    ("bm_suite: its quiescence search", "positions of WCSAC", "WAC"),
    ("kocsis_3_chess: constant of history's weight", "validation positions, with other networks", "test positions"),
    ("learned_evaluations: settings of learning", "short matches with other seeds", "other seeds, longer openings"),
    ("smith_5 to smith_8_6: readings of the set-up", "samples of 40 to 4,000 games", "runs with seeds of their own"),
    (
        "smith_4_2 and smith_4_4: readings of the set-up",
        "small trees, every eighth problem",
        "large trees, all problems",
    ),
)
"""What was chosen on which positions or games, and on which it is reported."""
COMMAND = "python experiments/results_page.py"
SIGNED = "the signature `"
LONGEST_TABLE = 60
"""Rows of a table that is shown; longer ones are in the result file alone."""


def find_results(folder: Path) -> dict[str, Path]:
    """The result file of each experiment, by its name; that of a part by both names, where there is no whole.

    Files of parts that are gathered into a whole say nothing by themselves.
    """
    by_scale: dict[tuple[str, str], Path] = {}
    for path in folder.glob("*.json"):
        name, _, scale = path.name.removesuffix(".json").partition(".")
        if not name.startswith("bench_") and "verdicts" in json.loads(path.read_text(encoding="utf-8")):
            by_scale[name, scale or "full"] = path
    shown: dict[str, Path] = {}
    for (name, scale), path in by_scale.items():
        larger = SCALES[: SCALES.index(scale)] if scale in SCALES else ("full",)
        if not any((name, other) in by_scale for other in larger):
            shown[name if scale in SCALES else f"{name}_{scale}"] = path
    return dict(sorted(shown.items()))


def read_text(name: str) -> str:
    """An experiment's own text."""
    path = ROOT / "experiments" / f"{name}.py"
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) if path.is_file() else None) or name


def describe(name: str) -> str:
    """The first line of an experiment's text."""
    return read_text(name).partition("\n")[0].removesuffix(".")


def set_up(name: str) -> Iterator[str]:
    """The rest of it, without its command: how the experiment reads its seed."""
    for paragraph in read_text(name).split("\n\n")[1:]:
        if not paragraph.startswith("    "):
            yield " ".join(paragraph.split())
            yield ""


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """The lines of a table."""
    yield "| " + " | ".join(columns) + " |"
    yield "|" + " --- |" * len(columns)
    for row in rows:
        yield "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in row) + " |"


def outcome(verdict: Mapping[str, Any]) -> str:
    """What a claim was found to be."""
    if verdict["matched"] is None:
        return "open" if verdict.get("open") else "not measured"
    return "matched" if verdict["matched"] else "not"


def count(content: Mapping[str, Any]) -> str:
    """How many of an experiment's claims came out."""
    verdicts = content["verdicts"]
    return tell_counts([(each["matched"], bool(each.get("open"))) for each in verdicts]) if verdicts else ""


def runs_of(content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What the figures were made with, a part each."""
    return list(content["parts"].values()) if "parts" in content else [content]


def is_of(content: Mapping[str, Any], signature: str) -> bool:
    """Whether the search that made the figures counts as the one with this signature."""
    return all(run.get("signature") == signature for run in runs_of(content))


def commits(runs: Iterable[Mapping[str, Any]], read: str) -> str:
    """The commits of rules or of runs, each once."""
    told = [run.get("rule") if read == "rule" else run.get("versions", {}).get("commit") for run in runs]
    return ", ".join(dict.fromkeys(f"`{commit[:9]}`" for commit in told if commit)) or "not noted"


def experiment_lines(name: str, path: Path, content: Mapping[str, Any], links: str, signature: str) -> Iterator[str]:
    """One experiment: how it was run, its set-up, a verdict a claim, its tables and its drawings."""
    yield f"### {name}"
    yield ""
    yield f"{describe(content['experiment'])}."
    yield ""
    runs = runs_of(content)
    hours = sum(run["search_seconds"] for run in runs) / 3600
    command = f"python experiments/{content['experiment']}.py --scale {content['scale']}"
    yield (
        f"`{command}`, {hours:.2f} core hours; rule {commits(runs, 'rule')}, run {commits(runs, 'run')}; "
        f"all figures: [{path.name}]({links}/{path.name})."
    )
    yield ""
    if missing := content["settings"].get("missing"):
        yield f"Not measured yet: {', '.join(missing)}."
        yield ""
    if not is_of(content, signature):
        yield "The search of now counts otherwise than the one that made these figures."
        yield ""
    yield from set_up(content["experiment"])
    if content["verdicts"]:
        rows = [
            [each["claim"], each["seed_says"], each["judged"], each["found"], VERDICTS[outcome(each)]]
            for each in content["verdicts"]
        ]
        yield from table(["claim", "the seed", "judged by", "found", ""], rows)
    else:
        yield "No seed has such figures."
    yield ""
    for each in content.get("tables", ()):
        if len(each["rows"]) <= LONGEST_TABLE:
            yield f"**{each['title']}**"
            yield ""
            yield from table(each["columns"], each["rows"])
            yield ""
    drawings = content.get("drawings") or [{"file": path.with_suffix(".svg").name, "caption": f"what {name} found"}]
    for drawing in drawings:
        if (path.parent / drawing["file"]).is_file():
            yield f"![{drawing['caption']}]({links}/{drawing['file']})"
            yield ""
            yield f"*{drawing['caption']}*"
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


def claim_lines(experiments: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """All claims in one table, and how many came out. Of a claim that several parts name, what was measured counts."""
    told: dict[tuple[str, str], tuple[str, Mapping[str, Any]]] = {}
    for name, content in experiments.items():
        for each in content["verdicts"]:
            key = content["experiment"], each["claim"]
            if key not in told or outcome(told[key][1]) == "not measured":
                told[key] = name, each
    every = list(told.values())
    counts = {found: sum(outcome(each) == found for _, each in every) for found in VERDICTS}
    yield f"{len(every)} claims: " + ", ".join(f"{number} {found}" for found, number in counts.items()) + "."
    yield ""
    rows = [
        [f"[{name}](#{name.lower()})", each["claim"], each["seed_says"], each["found"], VERDICTS[outcome(each)]]
        for name, each in every
    ]
    yield from table(["experiment", "claim", "the seed", "found", ""], rows)


def read_signature(text: str) -> str:
    """The search that a page was written with."""
    return text.partition(SIGNED)[2].partition("`")[0]


def page(folder: Path, *, links: str = "../results", signature: str) -> str:
    """The whole page, as a search with this signature shows it; ``links`` is where the result files are from there."""
    paths = find_results(folder)
    experiments = {name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items()}
    summary = []
    for name, content in experiments.items():
        mark = "" if is_of(content, signature) else "of before"
        described = describe(content["experiment"])
        summary.append([f"[{name}](#{name.lower()})", described, content["scale"], count(content), mark])
    lines = [
        "# Results",
        "",
        f"Written by `{COMMAND}` from the files in results/; nothing here is typed by hand. The seeds",
        "are the works that each experiment names. A claim is *matched*; *not* matched, which is said so; *open* where",
        "the sample is too small to tell; or *not measured*, where parts of an experiment have not been run.",
        "",
        "## Claims",
        "",
        *claim_lines(experiments),
        "",
        "## Experiments",
        "",
        "Each is judged by a rule that its file held before it was run; the commits of both stand with it. Figures of",
        'a search that counted otherwise than that of now are marked "of before"; that of now has',
        f"{SIGNED}{signature}`: the nodes of the baselines' benches.",
        "",
        *table(["experiment", "what", "scale", "claims matched", "search"], summary),
        "",
    ]
    for name, content in experiments.items():
        lines += experiment_lines(name, paths[name], content, links, signature)
    lines += ["## What was tuned on what", "", *table(["what", "was chosen on", "is reported on"], TUNED), ""]
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
    links = Path(os.path.relpath(options.results.resolve(), options.page.resolve().parent)).as_posix()
    text = page(options.results, links=links, signature=search_signature())
    options.page.write_text(text, encoding="utf-8")
    print(options.page)


if __name__ == "__main__":
    main()
