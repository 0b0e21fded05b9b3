"""Tabu search over discrete settings of a search, by how often and how well they do (Kocsis 2003, 4.2.2, figure 4.2).

A solution has a value at each of some places, and dearer values are taken to cost more and to do better. So the best
solution within a limit is among the critical ones, which no single step makes dearer without passing the limit. Like
Gradual Focus it knows nothing of searches: what is known of solutions comes in as tables, and out comes what was found
and what to evaluate next. All of it follows from the tables and a seed, so that a run needs to keep nothing else.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal, NamedTuple

Solution = tuple[int, ...]
"""For each place the number of its value, counted from the cheapest one."""
Turn = Literal["widened", "critical", "left", "narrowed"]
"""How a solution came up: on the way to a critical one; it is critical; a step away from one; on the way back within
the limit."""


@dataclass(frozen=True)
class Space:
    """The solutions that there are."""

    values: tuple[tuple[int, ...], ...]
    """At each place, the cheapest first."""

    @property
    def cheapest(self) -> Solution:
        """The minimal solution."""
        return (0,) * len(self.values)

    @property
    def dearest(self) -> Solution:
        """The maximal solution."""
        return tuple(len(own) - 1 for own in self.values)

    def upper(self, solution: Solution) -> list[Solution]:
        """Its upper neighbours: one step dearer at one place (equation 4.4)."""
        return [
            _with(solution, place, number + 1)
            for place, number in enumerate(solution)
            if number + 1 < len(self.values[place])
        ]

    def lower(self, solution: Solution) -> list[Solution]:
        """Its lower neighbours: one step cheaper at one place (equation 4.5)."""
        return [_with(solution, place, number - 1) for place, number in enumerate(solution) if number]

    def dearer(self, solution: Solution, steps: int) -> Solution:
        """So many steps dearer at every place, as far as there are any."""
        return tuple(min(number + steps, len(own) - 1) for own, number in zip(self.values, solution, strict=True))

    def read(self, solution: Solution) -> tuple[int, ...]:
        """The values that a solution stands for."""
        return tuple(own[number] for own, number in zip(self.values, solution, strict=True))


@dataclass(frozen=True)
class Rules:
    """How solutions are tried."""

    limit: float
    """What a solution may cost at most."""
    tabu: int = 7
    """So many changes are not undone."""
    patience: int = 10
    """So many critical solutions in a row that are not better end it."""
    start: Literal["cheapest", "random"] = "cheapest"
    """Where it begins."""
    trusts: bool = True
    """What follows from other solutions by monotony is not evaluated (equations 4.2 and 4.3)."""


@dataclass(frozen=True)
class Known:
    """What evaluations have told so far."""

    costs: Mapping[Solution, float] = field(default_factory=dict)
    """What solutions cost; of one beyond the limit it may be any number beyond it."""
    estimates: Mapping[Solution, float] = field(default_factory=dict)
    """How well they seem to do, by a quick look: it chooses the way up."""
    worths: Mapping[Solution, float] = field(default_factory=dict)
    """How well critical ones do, by a long look."""


class Visit(NamedTuple):
    """A solution that the search came to."""

    solution: Solution
    turn: Turn
    cycle: int
    """Critical solutions before it."""


@dataclass
class Exploration:
    """How far the tables lead."""

    visits: list[Visit] = field(default_factory=list)
    best: Solution | None = None
    cycles: int = 0
    """Critical solutions that were come to."""
    idle: int = 0
    """Of these: so many at the end that were not better."""
    costs_wanted: list[Solution] = field(default_factory=list)
    """Solutions whose costs must be known before it goes on, and their estimates where they are within the limit."""
    worth_wanted: Solution | None = None
    """A critical solution whose worth must be."""

    @property
    def is_over(self) -> bool:
        """Whether patience is over, or there is nothing beyond the best one."""
        return not self.costs_wanted and self.worth_wanted is None


def explore(space: Space, rules: Rules, known: Known, seed: int = 0) -> Exploration:
    """Follows the tabu search as far as solutions are known.

    >>> space = Space(((1, 2, 3), (1, 2, 3)))
    >>> table = {(a, b): float(a + b) for a in range(3) for b in range(3)}
    >>> found = explore(space, Rules(limit=2), Known(table, table, table))
    >>> found.best is not None and sum(found.best)
    2
    """
    return _Walk(space, rules, known, seed).run()


class _Wanted(Exception):
    """Something must be evaluated first."""


class _Walk:
    """One search from its beginning, as far as it comes."""

    def __init__(self, space: Space, rules: Rules, known: Known, seed: int) -> None:
        self.space, self.rules, self.known = space, rules, known
        self.chance = Random(seed)
        self.found = Exploration()
        self.tabu: deque[tuple[int, int]] = deque(maxlen=rules.tabu)
        self.frequency: Counter[tuple[int, int]] = Counter()
        self.at = space.cheapest
        if rules.start == "random":
            self.at = tuple(self.chance.randrange(len(own)) for own in space.values)

    def run(self) -> Exploration:
        try:
            self._note(self.at, "widened")
            while self._narrow() and self._try_one():
                pass
        except _Wanted:
            pass
        return self.found

    def _try_one(self) -> bool:
        """One critical solution, and the way from it. Returns whether to go on."""
        self._widen()
        self._judge()
        if self.found.idle >= self.rules.patience or self.at == self.space.dearest:
            return False
        self._step_away()
        return True

    def _widen(self) -> None:
        """Upwards while the limit holds, each time to what seems to do best."""
        while True:
            upper = self._allowed(self.space.upper(self.at))
            within = self._within(upper)
            if not within:
                return
            best = max(within, key=lambda solution: (self.known.estimates[solution], solution))
            self._move(best, "widened")

    def _judge(self) -> None:
        found, worths = self.found, self.known.worths
        found.visits.append(Visit(self.at, "critical", found.cycles))
        found.cycles += 1
        best = -float("inf") if found.best is None else worths[found.best]
        is_outdone = self.rules.trusts and any(
            worth <= best and _covers(other, self.at) for other, worth in worths.items()
        )
        if not is_outdone and self.at not in worths:
            found.worth_wanted = self.at
            raise _Wanted
        if not is_outdone and worths[self.at] > best:
            found.best, found.idle = self.at, 0
        else:
            found.idle += 1

    def _step_away(self) -> None:
        """Up or down by chance, to what has been seen least."""
        ways = [self.space.upper(self.at), self.space.lower(self.at)]
        if self.chance.random() < 0.5:
            ways.reverse()
        while True:
            for way in ways:
                if allowed := self._allowed(way):
                    self._move(self._rarest(allowed), "left")
                    return
            self.tabu.popleft()

    def _narrow(self) -> bool:
        """Downwards until the limit holds, each time to what has been seen least. Returns whether it ever does."""
        while not self._within([self.at]):
            lower = self.space.lower(self.at)
            if not lower:
                return False
            while not (allowed := self._allowed(lower)):
                self.tabu.popleft()
            self._move(self._rarest(allowed), "narrowed")
        return True

    def _allowed(self, solutions: Sequence[Solution]) -> list[Solution]:
        """Those that bring back no value which was left lately."""
        return [solution for solution in solutions if self._change(solution) not in self.tabu]

    def _change(self, solution: Solution) -> tuple[int, int]:
        place = next(place for place, number in enumerate(solution) if number != self.at[place])
        return place, solution[place]

    def _rarest(self, solutions: Sequence[Solution]) -> Solution:
        def seen(solution: Solution) -> int:
            return sum(self.frequency[place, number] for place, number in enumerate(solution))

        least = min(map(seen, solutions))
        return self.chance.choice([solution for solution in solutions if seen(solution) == least])

    def _move(self, solution: Solution, turn: Turn) -> None:
        place, _ = self._change(solution)
        self.tabu.append((place, self.at[place]))
        self._note(solution, turn)

    def _note(self, solution: Solution, turn: Turn) -> None:
        self.at = solution
        self.frequency.update(enumerate(solution))
        self.found.visits.append(Visit(solution, turn, self.found.cycles))

    def _within(self, solutions: Sequence[Solution]) -> list[Solution]:
        """Those within the limit. Raises _Wanted where that is not known of one, or what one seems to be worth."""
        likely = [solution for solution in solutions if not self._is_known_beyond(solution)]
        self.found.costs_wanted = [
            solution
            for solution in likely
            if solution not in self.known.costs
            or (self.known.costs[solution] <= self.rules.limit and solution not in self.known.estimates)
        ]
        if self.found.costs_wanted:
            raise _Wanted
        return [solution for solution in likely if self.known.costs[solution] <= self.rules.limit]

    def _is_known_beyond(self, solution: Solution) -> bool:
        """Whether a cheaper solution costs too much already."""
        if solution in self.known.costs or not self.rules.trusts:
            return False
        return any(cost > self.rules.limit and _covers(solution, other) for other, cost in self.known.costs.items())


def agreement(space: Space, table: Mapping[Solution, float]) -> tuple[int, int]:
    """How often the dearer of two neighbours has the greater or the same number, and how many such pairs there are.

    >>> agreement(Space(((1, 2, 3),)), {(0,): 1.0, (1,): 3.0, (2,): 2.0})
    (1, 2)
    """
    pairs = [
        (own, table[other]) for solution, own in table.items() for other in space.upper(solution) if other in table
    ]
    return sum(dearer >= own for own, dearer in pairs), len(pairs)


def _with(solution: Solution, place: int, number: int) -> Solution:
    return (*solution[:place], number, *solution[place + 1 :])


def _covers(dearer: Solution, cheaper: Solution) -> bool:
    """The partial order of equation 4.1."""
    return all(own >= other for own, other in zip(dearer, cheaper, strict=True))
