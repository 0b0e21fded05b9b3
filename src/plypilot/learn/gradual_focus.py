"""Gradual Focus itself (Skowronski 2009, ch. 3): which conjunctions of features are worth a look, by what is known of
others. It knows nothing of searches: values come in as a table, and out comes what was found and what to value next.

All of it follows from the table, so that a run needs to keep nothing else. Features are combined generation by
generation. A combination survives that is better than its first parent; what does not may not be part of any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, NamedTuple

Combination = tuple[str, ...]
"""Features that a move must have, in the order of the base; none at all is the neutral one, which extends nothing."""
Union = tuple[Combination, ...]
"""Combinations of which a move must be in one."""
Fate = Literal["neutral", "base", "dropped", "survived", "disproved", "banned"]
"""What became of a combination: it is neutral; of the base; of the base but below the threshold; better than its first
parent; not better; or never valued, because of what was disproved before."""

NEUTRAL: Combination = ()


class Atom(NamedTuple):
    """A feature that others are combined of."""

    name: str
    group: str = ""
    """Features of one group are not combined; empty: a group of its own."""
    parent: str = ""
    """The wider feature of the same group."""


@dataclass(frozen=True)
class Rules:
    """How combinations are made and judged."""

    epsilon: float = 0.0
    """A combination survives whose value is at least its first parent's and this much more."""
    groups: bool = True
    """Features of one group are not combined (3.4)."""
    linear_tree: bool = True
    """What a wider feature has disproved is not tried with the narrower ones below it (3.5)."""
    threshold: float | Literal["neutral"] | None = None
    """Features of the base with a lower value are dropped (3.6); ``neutral``: than that of the neutral one."""
    keep: frozenset[str] = frozenset()
    """Features that the threshold does not drop."""
    blacklist: tuple[Combination, ...] = ()
    """Combinations that may not be part of any other from the start."""
    most_features: int = 0
    """In a combination; 0: no limit."""


@dataclass(frozen=True)
class Trace:
    """What became of one combination, and why."""

    combination: Combination
    fate: Fate
    generation: int
    """How many features it has."""
    value: float | None = None
    first: Combination | None = None
    """Its first parent, which has one feature less and the greater value."""
    second: str = ""
    """The feature that was added."""
    reason: Combination = ()
    """Banned: the disproved combination that is part of it, or whose narrower cousin it is."""
    is_cousin: bool = False
    """Banned by linear tree pruning."""


@dataclass
class Exploration:
    """How far a table of values leads."""

    traces: list[Trace] = field(default_factory=list)
    wanted: list[Combination] = field(default_factory=list)
    """What must be valued before it goes on; none: it is over."""

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to try."""
        return not self.wanted

    @property
    def evaluations(self) -> int:
        """Combinations that were valued, the neutral one not counted."""
        return sum(trace.value is not None and trace.fate != "neutral" for trace in self.traces)

    def ranking(self) -> list[Trace]:
        """The base and whatever survived, the best first: what Gradual Focus puts out (3.3)."""
        found = [trace for trace in self.traces if trace.fate in ("neutral", "base", "survived")]
        return sorted(found, key=lambda trace: (-(trace.value or 0.0), len(trace.combination)))


def explore(base: Sequence[Atom], rules: Rules, values: Mapping[Combination, float]) -> Exploration:
    """Follows Gradual Focus as far as values are known.

    >>> known = {(): 1, ("a",): 5, ("b",): 3, ("a", "b"): 6}
    >>> [trace.combination for trace in explore([Atom("a"), Atom("b")], Rules(), known).ranking()]
    [('a', 'b'), ('a',), ('b',), ()]
    """
    found = Exploration()
    first = [NEUTRAL, *((atom.name,) for atom in base)]
    found.wanted = [combination for combination in first if combination not in values]
    if found.wanted:
        return found
    found.traces.append(Trace(NEUTRAL, "neutral", 0, values[NEUTRAL]))
    family = _Family(base, rules)
    kept: list[Combination] = []
    for atom in base:
        own: Combination = (atom.name,)
        is_low = family.is_below_threshold(atom.name, values[own], values[NEUTRAL])
        found.traces.append(Trace(own, "dropped" if is_low else "base", 1, values[own]))
        if not is_low:
            kept.append(own)
    kept.sort(key=lambda own: -values[own])
    names = [own[0] for own in kept]
    generation, blacklist = kept, _Blacklist(rules.blacklist)
    while generation and not found.wanted:
        generation = _evolve(generation, names, family, blacklist, values, found)
        generation.sort(key=lambda own: -values[own])
    return found


class _Family:
    """What features are to each other."""

    def __init__(self, base: Sequence[Atom], rules: Rules) -> None:
        self.rules = rules
        self._order = {atom.name: place for place, atom in enumerate(base)}
        self._atoms = {atom.name: atom for atom in base}
        self._children: dict[str, list[str]] = {}
        for atom in base:
            self._children.setdefault(atom.parent, []).append(atom.name)

    def is_below_threshold(self, name: str, value: float, neutral: float) -> bool:
        threshold = neutral if self.rules.threshold == "neutral" else self.rules.threshold
        return threshold is not None and name not in self.rules.keep and value < threshold

    def combine(self, one: Iterable[str], name: str) -> Combination:
        return tuple(sorted((*one, name), key=self._order.__getitem__))

    def may_meet(self, one: Combination, name: str) -> bool:
        """Whether a feature is new to a combination and of another group."""
        if not self.rules.groups:
            return name not in one
        return self._group(name) not in [self._group(own) for own in one]

    def narrower(self, name: str) -> Iterator[str]:
        """The features below one in its tree."""
        for child in self._children.get(name, ()):
            yield child
            yield from self.narrower(child)

    def _group(self, name: str) -> str:
        return self._atoms[name].group or f"only {name}"


class _Blacklist:
    """Combinations that may not be part of others, and why they are there."""

    def __init__(self, given: Iterable[Combination]) -> None:
        self._entries: list[tuple[frozenset[str], Combination, bool]] = []
        for combination in given:
            self.add(combination, combination, is_cousin=False)

    def add(self, banned: Iterable[str], reason: Combination, *, is_cousin: bool) -> None:
        self._entries.append((frozenset(banned), reason, is_cousin))

    def find(self, combination: Combination) -> tuple[Combination, bool] | None:
        """Why a combination is not allowed; None: it is."""
        own = set(combination)
        for banned, reason, is_cousin in self._entries:
            if banned <= own:
                return reason, is_cousin
        return None


def _evolve(
    parents: Sequence[Combination],
    names: Sequence[str],
    family: _Family,
    blacklist: _Blacklist,
    values: Mapping[Combination, float],
    found: Exploration,
) -> list[Combination]:
    """The survivors of the next generation, whose first parents come the best first (algorithms 4 and 5).

    Where values are missing, what must be known first is put to what is wanted. The one before may ban a later one
    of the same generation by the linear tree, so that a later one waits while that is open.
    """
    rules = family.rules
    size = len(parents[0]) + 1
    if rules.most_features and size > rules.most_features:
        return []
    survivors: list[Combination] = []
    seen: set[Combination] = set()
    open_bans: set[Combination] = set()
    for first in parents:
        for second in names:
            if not family.may_meet(first, second):
                continue
            combination = family.combine(first, second)
            if combination in seen:
                continue
            seen.add(combination)
            if (reason := blacklist.find(combination)) is not None:
                found.traces.append(Trace(combination, "banned", size, None, first, second, *reason))
                continue
            cousins = [family.combine(first, name) for name in family.narrower(second)] if rules.linear_tree else []
            if combination in open_bans:
                open_bans.update(cousins)
                continue
            if combination not in values:
                found.wanted.append(combination)
                open_bans.update(cousins)
                continue
            value = values[combination]
            if value >= values[first] + rules.epsilon:
                survivors.append(combination)
                found.traces.append(Trace(combination, "survived", size, value, first, second))
                continue
            found.traces.append(Trace(combination, "disproved", size, value, first, second))
            blacklist.add(combination, combination, is_cousin=False)
            for cousin in cousins:
                blacklist.add(cousin, combination, is_cousin=True)
    return survivors


# Unions (3.8)


@dataclass(frozen=True)
class Joining:
    """Combinations of the same groups joined by "or", one after the other, while that makes them better."""

    union: Union
    """The best so far."""
    value: float
    reference: float
    """The best value of its members alone and of their first parents, which it must surpass."""


def join(
    base: Sequence[Atom],
    found: Exploration,
    values: Mapping[Union, float],
    *,
    families: int,
    epsilon: float = 0.0,
) -> tuple[list[Joining], list[Union]]:
    """Joins what was valued by "or", in so many families: the unions that are better than their members and than what
    these are parts of, and the unions that must be valued before it goes on.

    A family are combinations of the same groups, such as recaptures by each kind of piece. Those that were disproved
    take part: a recapture by a rook or by a bishop may be worth more than all recaptures, while each alone is not.
    """
    groups = {atom.name: atom.group or f"only {atom.name}" for atom in base}
    widers = {atom.name: atom.parent for atom in base}
    valued = [trace for trace in found.traces if trace.value is not None and trace.combination]
    alone = {trace.combination: float(trace.value or 0.0) for trace in found.traces if trace.value is not None}
    clans: dict[tuple[str, ...], list[Trace]] = {}
    for trace in sorted(valued, key=lambda trace: -(trace.value or 0.0)):
        clans.setdefault(tuple(sorted({groups[name] for name in trace.combination})), []).append(trace)
    joined, wanted = [], []
    for clan in [clan for clan in clans.values() if len(clan) > 1][:families]:
        union: Union = (clan[0].combination,)
        best = alone[clan[0].combination]
        for trace in clan[1:]:
            if any(_overlaps(trace.combination, own, widers) for own in union):
                continue
            tried = (*union, trace.combination)
            if tried not in values:
                wanted.append(tried)
                break
            if values[tried] <= best:
                break
            union, best = tried, values[tried]
        if len(union) > 1:
            members = [trace for trace in clan if trace.combination in union]
            reference = max(
                max(alone[trace.combination] for trace in members),
                max(alone.get(trace.first or NEUTRAL, 0.0) for trace in members),
            )
            if best >= reference + epsilon:
                joined.append(Joining(union, best, reference))
    return sorted(joined, key=lambda made: -made.value), wanted


def _overlaps(one: Combination, other: Combination, widers: Mapping[str, str]) -> bool:
    """Whether each feature of one is the same as, or wider or narrower than one of the other: a union says nothing."""
    return all(any(_is_within(a, b, widers) or _is_within(b, a, widers) for b in other) for a in one)


def _is_within(name: str, wide: str, widers: Mapping[str, str]) -> bool:
    while name and name != wide:
        name = widers.get(name, "")
    return name == wide


def all_combinations(base: Sequence[Atom], most: int) -> list[Combination]:
    """All combinations of one to so many features that respect the groups, fewer features first."""
    groups = {atom.name: atom.group or f"only {atom.name}" for atom in base}
    names = [atom.name for atom in base]
    return [
        chosen
        for size in range(1, most + 1)
        for chosen in combinations(names, size)
        if len({groups[name] for name in chosen}) == size
    ]
