"""Writes docs/results.md from the result files: what each experiment found beside its seed, and the ratios of speed.

    python experiments/results_page.py [--results DIR] [--page FILE]

Where an experiment was run at several scales the largest is shown. Parts of a full run, each a scale of its own, are
shown until the full one is there. Nothing is measured here, but the bench that tells the search of now from others.

The page is to be read from above: how many claims came out, a line of signs for each experiment, all claims by work;
then each experiment with its verdicts and its plots. Tables of figures, set-up and rules are folded.
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
SIGNS = {"matched": "✓", "not": "✗", "open": "○", "not measured": "·"}
"""Of a claim in the line of its experiment."""
BEFORE = "†"
"""Marks figures of another search than that of now."""
WORKS = {
    "smith": "Smith 1999: evaluations learned by temporal differences, and the search they are learned with",
    "kocsis": "Kocsis 2003: learned move ordering, pruning and timing, and makers of evaluators",
    "bm": "Björnsson and Marsland: depths learned from suites and from play",
    "gf": "Skowronski 2009: gradual focus",
    "rps": "Skowronski 2009, and Winands and Björnsson 2008: realization probabilities",
    "": "Ours: defaults, options and learned parts in play",
}
"""The seeds, by the first part of the names of their experiments; the last are the rest."""
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
LONGEST_CELL, LONGEST_CLAIM = 240, 100
"""Letters of what was found, in the table of an experiment and in that of all claims; the result file has the rest."""
MOST_DRAWINGS = 4
"""Of an experiment that are seen at once; more are folded."""


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


def title(name: str) -> str:
    """What an experiment is about, without the places in its seed."""
    return describe(name).partition(": ")[0].partition(" (")[0]


def set_up(name: str) -> Iterator[str]:
    """The rest of its text, without its command: how the experiment reads its seed."""
    for paragraph in read_text(name).split("\n\n")[1:]:
        if not paragraph.startswith("    "):
            yield " ".join(paragraph.split())
            yield ""


def shorten(text: str, most: int) -> str:
    """A text of so many letters at the most, cut between words.

    >>> shorten("one two three", 10)
    'one two …'
    """
    return text if len(text) <= most else text[: most - 1].rpartition(" ")[0].rstrip(",;:") + " …"


def folded(summary: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines behind a summary that opens them; nothing where there are none."""
    content = list(lines)
    if content:
        yield from ("<details>", f"<summary>{summary}</summary>", "", *content, "</details>", "")


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, of_figures: bool = False) -> Iterator[str]:
    """The lines of a table; figures stand at the right, behind a first column of names."""
    yield "| " + " | ".join(columns) + " |"
    yield "| --- |" + (" ---: |" if of_figures else " --- |") * (len(columns) - 1)
    for row in rows:
        yield "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in row) + " |"


def outcome(verdict: Mapping[str, Any]) -> str:
    """What a claim was found to be."""
    if verdict["matched"] is None:
        return "open" if verdict.get("open") else "not measured"
    return "matched" if verdict["matched"] else "not"


def told_verdicts(content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The verdicts of an experiment; of a part alone those that it measures."""
    is_whole = content["scale"] in SCALES
    return [each for each in content["verdicts"] if is_whole or outcome(each) != "not measured"]


def count(content: Mapping[str, Any]) -> str:
    """How many of an experiment's claims came out, with a sign for each."""
    verdicts = told_verdicts(content)
    signs = "".join(SIGNS[outcome(each)] for each in verdicts)
    counts = tell_counts([(each["matched"], bool(each.get("open"))) for each in verdicts])
    return f"{signs} {counts}" if verdicts else ""


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


def experiment_lines(
    name: str, path: Path, content: Mapping[str, Any], links: str, signature: str, *, is_first: bool
) -> Iterator[str]:
    """One experiment: how it was run, a verdict a claim, its drawings, and folded its tables, its set-up and its rules.
    The first of several parts of one experiment tells the set-up.
    """
    yield f"### {name}"
    yield ""
    yield f"**{describe(content['experiment'])}.**"
    yield ""
    runs = runs_of(content)
    command = f"python experiments/{content['experiment']}.py --scale {content['scale']}"
    yield (
        f"`{command}`, {hours(content):.2f} core hours; rule {commits(runs, 'rule')}, run {commits(runs, 'run')}; "
        f"all figures: [{path.name}]({links}/{path.name})."
    )
    yield ""
    if missing := content["settings"].get("missing"):
        yield f"Not measured yet: {', '.join(missing)}."
        yield ""
    if not is_of(content, signature):
        yield f"{BEFORE} The search of now counts otherwise than the one that made these figures."
        yield ""
    told = told_verdicts(content)
    if told:
        rows = [
            [each["claim"], each["seed_says"], shorten(each["found"], LONGEST_CELL), VERDICTS[outcome(each)]]
            for each in told
        ]
        yield from table(["claim", "the seed", "found", ""], rows)
    elif not content["verdicts"]:
        yield "No seed has such figures."
    else:
        yield "No claim is judged by this part alone."
    yield ""
    drawings = content.get("drawings") or [{"file": path.with_suffix(".svg").name, "caption": f"what {name} found"}]
    drawn = [
        (f"{links}/{each['file']}", each["caption"]) for each in drawings if (path.parent / each["file"]).is_file()
    ]
    yield from gallery(drawn[:MOST_DRAWINGS])
    yield from folded("More plots", gallery(drawn[MOST_DRAWINGS:]))
    shown = [each for each in content.get("tables", ()) if len(each["rows"]) <= LONGEST_TABLE]
    titles = shorten("; ".join(each["title"] for each in shown), LONGEST_CELL)
    yield from folded(f"Tables: {titles}", table_lines(shown))
    yield from folded("Set-up and rules" if is_first else "Rules", rule_lines(content, told, is_first=is_first))


def gallery(drawings: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Drawings with their captions, two beside each other."""
    for at in range(0, len(drawings), 2):
        pair = drawings[at : at + 2]
        yield from table([f"![{caption}]({file})" for file, caption in pair], [[caption for _, caption in pair]])
        yield ""


def table_lines(tables: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Tables with their titles."""
    for each in tables:
        yield f"**{each['title']}**"
        yield ""
        yield from table(each["columns"], each["rows"], of_figures=True)
        yield ""


def rule_lines(content: Mapping[str, Any], told: Sequence[Mapping[str, Any]], *, is_first: bool) -> Iterator[str]:
    """How an experiment reads its seed, and how it is judged."""
    if is_first:
        yield from set_up(content["experiment"])
    if told:
        yield from table(["claim", "judged by"], [[each["claim"], each["judged"]] for each in told])
        yield ""


def hours(content: Mapping[str, Any]) -> float:
    """Core hours that the figures took."""
    return float(sum(run["search_seconds"] for run in runs_of(content)) / 3600)


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


def find_claims(experiments: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, Mapping[str, Any]]]:
    """All verdicts with the name of their experiment. Of a claim that several parts name, what was measured counts."""
    told: dict[tuple[str, str], tuple[str, Mapping[str, Any]]] = {}
    for name, content in experiments.items():
        for each in content["verdicts"]:
            key = content["experiment"], each["claim"]
            if key not in told or outcome(told[key][1]) == "not measured":
                told[key] = name, each
    return list(told.values())


def work_of(name: str) -> str:
    """The first part of the names of experiments on one seed."""
    return next(work for work in WORKS if name.partition("_")[0] == work or not work)


def tell_outcomes(claims: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """How many claims came out."""
    outcomes = [outcome(each) for _, each in claims]
    return ", ".join(f"{outcomes.count(found)} {found}" for found in VERDICTS)


def claim_lines(experiments: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """All claims, and how many came out: a line for each experiment, and tables by work."""
    every = find_claims(experiments)
    yield f"{len(every)} claims: {tell_outcomes(every)}."
    yield ""
    for work, of in WORKS.items():
        claims = [(name, each) for name, each in every if work_of(name) == work]
        rows = [
            [
                VERDICTS[outcome(each)],
                each["claim"],
                shorten(each["seed_says"], LONGEST_CLAIM),
                shorten(each["found"], LONGEST_CLAIM),
                f"[{name}](#{name.lower()})",
            ]
            for name, each in claims
        ]
        lines = [*table(["", "claim", "the seed", "found", "experiment"], rows), ""] if rows else []
        yield from folded(f"<b>{of}</b><br>{tell_outcomes(claims)}", lines)


def summary_lines(experiments: Mapping[str, Mapping[str, Any]], signature: str) -> Iterator[str]:
    """A line for each experiment, with a sign for each of its claims."""
    rows = []
    for name, content in experiments.items():
        mark = "" if is_of(content, signature) else BEFORE
        what = title(content["experiment"])
        rows.append([f"[{name}](#{name.lower()}){mark}", what, content["scale"], count(content)])
    yield from table(["experiment", "what", "scale", "claims matched"], rows)


def read_signature(text: str) -> str:
    """The search that a page was written with."""
    return text.partition(SIGNED)[2].partition("`")[0]


def page(folder: Path, *, links: str = "../results", signature: str) -> str:
    """The whole page, as a search with this signature shows it; ``links`` is where the result files are from there."""
    paths = find_results(folder)
    experiments = {name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items()}
    spent = sum(map(hours, experiments.values()))
    lines = [
        "# Results",
        "",
        f"Written by `{COMMAND}` from the files in results/; nothing here is typed by hand. The seeds",
        "are the works that each experiment names. A claim is *matched*; *not* matched, which is said so; *open* where",
        "the sample is too small to tell; or *not measured*, where parts of an experiment have not been run. Each is",
        "judged by a rule that its file held before it was run; the commits of both stand with it. All of it took",
        f"{spent:.0f} core hours.",
        "",
        "## Claims",
        "",
        *claim_lines(experiments),
        "## Experiments",
        "",
        f"A sign a claim: {', '.join(f'{sign} {found}' for found, sign in SIGNS.items())}. Figures of a search that",
        f"counted otherwise than that of now are marked {BEFORE}; that of now has {SIGNED}{signature}`: the nodes of",
        "the baselines' benches.",
        "",
        *summary_lines(experiments, signature),
        "",
    ]
    told: set[str] = set()
    for name, content in experiments.items():
        is_first = content["experiment"] not in told
        told.add(content["experiment"])
        lines += experiment_lines(name, paths[name], content, links, signature, is_first=is_first)
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
