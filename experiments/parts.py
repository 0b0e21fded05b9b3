"""Experiments that are measured in parts, each a scale of its own that ends within an hour.

A part writes its figures to results/NAME.PART.json. From all part files that there are, and that were made by the
settings of now, the whole is gathered anew after each part: its tables, drawings and verdicts are in results/NAME.json.
So parts may be measured on different days and machines. The scale full measures the parts that are missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from harness import Claim, Figures, Harness, read_options, write_result


@dataclass(frozen=True)
class Drawing:
    """A drawing of an experiment, which lies beside its results."""

    name: str
    """Of its file, behind that of the experiment."""
    caption: str
    draw: Callable[[], str]


def draws_nothing(_: Figures) -> Iterator[Drawing]:
    """Of an experiment without drawings."""
    return iter(())


def with_scale(scale: Any) -> Mapping[str, Any]:
    """The settings of a scale that is a dataclass."""
    return asdict(scale)


@dataclass(frozen=True)
class Experiment:
    """An experiment: what is measured at each scale, and what is said of it."""

    name: str
    text: str | None
    small: Mapping[str, Any]
    """Scales that are measured whole, to try things out."""
    parts: Mapping[str, Any]
    """Of the full scale, in the order in which they are measured."""
    measure: Callable[[Harness, Any], Figures]
    """The figures of a scale or part: nested tables by name, of which no two parts measure the same. A part finds what
    the parts before it have measured in ``harness.before``.
    """
    show: Callable[[Harness, Figures], None]
    claims: Sequence[Claim]
    summarise: Callable[[Figures], Figures] = lambda measured: measured
    """What claims, tables and drawings are made from, of what one or several parts have measured."""
    draw: Callable[[Figures], Iterator[Drawing]] = draws_nothing
    settings: Callable[[Any], Mapping[str, Any]] = with_scale
    """All that a scale's figures depend on, but for the build."""
    data: str | None = None
    """What --data names, where it is needed."""
    common: Mapping[str, Any] = field(default_factory=dict)
    """Settings that all scales share."""

    def run(self, words: Sequence[str] | None = None) -> None:
        """Runs a scale, a part, or all parts that are missing."""
        scales = [*self.small, *self.parts, "full"]
        options = read_options(self.text, words, scales=scales, data=self.data)
        data = options.data if self.data else None
        if self.data and data is None:
            raise SystemExit(f"{self.name} needs --data PATH: {self.data}")
        for name in self.parts if options.scale == "full" else (options.scale,):
            if options.scale == "full" and self.find_part(options.out, name):
                print(f"{self.name}: {name} is there")
                continue
            harness = Harness(self.name, name, threads=options.threads, folder=options.out, data=data)
            if name in self.parts:
                harness.before = self._measured(self._there(options.out, name))
            try:
                if name in self.small:
                    self._conclude(harness, self.measure(harness, self.small[name]), self.plain_settings(name))
                else:
                    self._keep(harness, name)
            finally:
                harness.close()
        if options.scale not in self.small:
            self.gather(options.out)

    def plain_settings(self, name: str) -> Figures:
        """The settings of a scale or part as its file has them."""
        scale = self.small.get(name, self.parts.get(name))
        return json.loads(json.dumps({**self.common, **self.settings(scale)}, default=str))  # type: ignore[no-any-return]

    def _keep(self, harness: Harness, name: str) -> None:
        measured = self.measure(harness, self.parts[name])
        content = {
            "experiment": self.name,
            "part": name,
            "settings": self.plain_settings(name),
            "measured": measured,
            **harness.origin(),
        }
        path = harness.result_path("json")
        write_result(path, content)
        print(f"\n{name}: {harness.search_seconds:.0f} s of searching: {path}")

    def find_part(self, folder: Path, name: str) -> Figures | None:
        """The file of a part, where it is there and was made by the settings of now."""
        path = folder / "results" / f"{self.name}.{name}.json"
        if not path.is_file():
            return None
        content: Figures = json.loads(path.read_text(encoding="utf-8"))
        if "measured" not in content or content["settings"] != self.plain_settings(name):
            print(f"{path.name} was made by other settings and is left out")
            return None
        return content

    def gather(self, folder: Path) -> None:
        """Writes results/NAME.json from the files of the parts."""
        there = self._there(folder)
        if not there:
            raise SystemExit(f"{self.name}: no part is measured")
        measured = self._measured(there)
        harness = Harness(self.name, "full", folder=folder)
        try:
            origins = {
                name: {key: content[key] for key in ("versions", "signature", "rule", "search_seconds")}
                for name, content in there.items()
            }
            settings = {name: content["settings"] for name, content in there.items()}
            missing = [name for name in self.parts if name not in there]
            self._conclude(harness, measured, settings | ({"missing": missing} if missing else {}), origins)
        finally:
            harness.close()

    def _there(self, folder: Path, other_than: str = "") -> dict[str, Figures]:
        """The files of the parts that there are."""
        found = {name: self.find_part(folder, name) for name in self.parts if name != other_than}
        return {name: content for name, content in found.items() if content}

    @staticmethod
    def _measured(there: Mapping[str, Figures]) -> Figures:
        measured: Figures = {}
        for content in there.values():
            measured = merge(measured, content["measured"])
        return measured

    def _conclude(
        self, harness: Harness, measured: Figures, settings: Figures, parts: Mapping[str, Figures] | None = None
    ) -> None:
        figures = self.summarise(measured)
        self.show(harness, figures)
        for drawing in self.draw(figures):
            harness.draw(drawing.draw, drawing.name, drawing.caption)
        harness.conclude(self.claims, figures, settings=settings, parts=parts)


def merge(one: Figures, other: Figures) -> Figures:
    """Nested tables of two parts as one. Raises ValueError where both have the same entry."""
    merged = dict(one)
    for key, value in other.items():
        if key not in merged or merged[key] == value:
            merged[key] = value
        elif isinstance(merged[key], dict) and isinstance(value, dict):
            merged[key] = merge(merged[key], value)
        else:
            raise ValueError(f"two parts measured {key}")
    return merged
