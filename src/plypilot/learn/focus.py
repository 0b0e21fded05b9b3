"""Gradual Focus: finds move categories that are worth extending, of the atomic features of a game (Skowronski 2009).

Each conjunction of features is valued by a search that extends on it: how many positions of a suite it solves within a
number of nodes. Those that are better than what they were made of go on. The best ones then play, and what wins games
is handed out as categories of the pilot's depth, where other learners of depth find them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, field_validator, model_validator

from plypilot.compute import Workers, task_seed
from plypilot.data.epd import EpdPosition, read_epd
from plypilot.data.record import RecordError
from plypilot.games import game_info
from plypilot.learn.catalogue import LearnerError
from plypilot.learn.category_values import (
    Categories,
    GameRules,
    Judge,
    Kind,
    Measured,
    Suite,
    categories_of,
    extend,
    look_at,
    plain_engine,
    union_text,
)
from plypilot.learn.gradual_focus import NEUTRAL, Atom, Combination, Exploration, Joining, Rules, Union, explore, join
from plypilot.learn.judging_games import play_pairs
from plypilot.learn.learner import Decision, Metrics, State
from plypilot.learn.tactics import Tactics, make_tactics
from plypilot.pilot import Pilot, PilotError
from plypilot.play.ratings import Pentanomial, Sprt
from plypilot.searcher import Limit
from plypilot.settings import Category, Part, Plies
from plypilot.wording import tell_unreadable

if TYPE_CHECKING:
    from plypilot.learn.folder import Run
    from plypilot.sections import Section

_PORTION = 16
"""Categories that are valued in a step: what is lost at most when a run is killed is in the cache anyway."""
_FEWEST_MADE = 4
"""Positions below which a suite of one's own is none."""
_FEWEST_POSITIONS = 20
"""Easy positions are left out only where so many others are there."""
_STREAM = int.from_bytes(b"focus", "little")


class OwnSuite(Part):
    """The suite that a run makes where none is named."""

    positions: Annotated[int, Field(ge=4, le=10_000)] = 120
    """how many, if there are as many in the games"""
    games: Annotated[int, Field(ge=1)] = 300
    """the most that are played"""
    kinds: tuple[Literal["win", "gain"], ...] = ("win", "gain")
    """win: one move wins by force, and no other does; gain: one is better than all others by a margin"""
    play_nodes: Annotated[int, Field(ge=1)] = 1000
    """of each move of these games"""
    depth: Annotated[int, Field(ge=6, le=64)] = 7
    """to which gains are judged"""
    nodes: Annotated[int, Field(ge=100)] = 300_000
    """that a proof or a judgement may take; what needs more is left out"""


class NodeRule(Part):
    """How the node limit is found where none is set."""

    least: Annotated[int, Field(ge=1)] = 2000
    """positions that the search solves within so many when it extends nothing are left out: they tell nothing"""
    share: Annotated[float, Field(gt=0, lt=1)] = 0.25
    """the part of the others that it solves within the limit"""
    most: Annotated[int, Field(ge=1)] = 20_000
    """no limit is larger"""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.least > self.most:
            raise ValueError(f"least is {self.least}, more than most, which is {self.most}")
        return self


class ValueGames(Part):
    """How a category plays the neutral one, where its value is the score of a match."""

    games: Annotated[int, Field(ge=2, le=100_000, multiple_of=2)] = 100
    """how many"""
    nodes: Annotated[int, Field(ge=1)] = 1000
    """of each move"""
    opening_plies: Annotated[int, Field(ge=0, le=100)] = 6
    """random moves before a game"""
    most_plies: Annotated[int, Field(ge=1)] = 400
    """longer games are a draw"""


class CategoryTrials(Part):
    """How the best categories are tried in games before they are handed out, each beside those that have won."""

    most: Annotated[int, Field(ge=0, le=1000)] = 6
    """trials of a run; what fails is tried once more with half the extension"""
    games: Annotated[int, Field(ge=0, le=100_000, multiple_of=2)] = 300
    """the most of one trial, which ends as soon as it is decided; 0: the suite decides instead"""
    nodes: Annotated[int, Field(ge=1)] = 3000
    """of each move"""
    opening_plies: Annotated[int, Field(ge=0, le=100)] = 6
    """random moves before a game"""
    gain: Annotated[float, Field(gt=0, le=1000)] = 40.0
    """Elo that the test tells from none"""
    most_plies: Annotated[int, Field(ge=1)] = 400
    """longer games are a draw"""


class Choice(NamedTuple):
    """Categories that were tried together against those that had won until then."""

    union: Union
    """What was added."""
    plies: float
    pairs: tuple[int, ...]
    """Pairs of games by its points; none where the suite decided."""
    value: float
    """Of the suite with it, where the suite decided."""
    is_better: bool


class Candidate(NamedTuple):
    """A category that was found, or several joined by "or"."""

    union: Union
    plies: float
    measured: Measured


class Focus(Part):
    """Finds move categories worth extending, by Gradual Focus."""

    decision: ClassVar[Decision] = "depth"
    lengthened_by: ClassVar[tuple[str, ...]] = ("evaluations",)
    usual_checks: ClassVar[Mapping[str, Any]] = {"count": 1, "nodes": 3000, "gain": 30.0, "games": 400}
    """What extends the search tells in deep searches, and there is nothing to check before the trials."""
    figures: ClassVar[tuple[str, ...]] = ("evaluated", "generation", "neutral_value", "best_value", "trial_score")

    suite: str = ""
    """a file of positions with their solutions (EPD in chess); empty: the run makes a suite by itself"""
    own: OwnSuite = OwnSuite()
    """how that is made"""
    positions: Annotated[int, Field(ge=0)] = 0
    """the most of a suite that is read, its first ones; 0: all"""
    features: tuple[str, ...] = ()
    """names or symbols of the move features that are combined; none: all of the game's"""
    plies: tuple[Annotated[Plies, Field(lt=1)], ...] = (0.5,)
    """what a move of a category costs; several: Gradual Focus runs with each"""
    nodes: Annotated[int, Field(ge=0)] = 0
    """of the search of each position; 0: found by a rule"""
    node_rule: NodeRule = NodeRule()
    """that rule"""
    epsilon: Annotated[float, Field(ge=0)] = 1.0
    """how much better than its first parent a combination must be to go on"""
    groups: bool = True
    """features of one group are not combined (Skowronski 3.4)"""
    linear_tree: bool = True
    """what a wider feature has disproved is not tried with narrower ones of its group (3.5)"""
    threshold: float | Literal["neutral", "off"] = "neutral"
    """features of a lower value are not combined (3.6); neutral: than what the search does without extending; off: all
    are combined"""
    keep: tuple[str, ...] = ()
    """features that the threshold does not drop: what one knows of the game"""
    blacklist: tuple[str, ...] = ()
    """combinations that are not tried, nor any that have them as a part, such as PcP-RdBb"""
    value: Kind = "solved"
    """solved: positions solved; nodes: the same, where each counts the more the fewer nodes it took; match: points in a
    hundred games against the search that extends nothing"""
    match: ValueGames = ValueGames()
    """how these games are played"""
    needs_win: bool = True
    """where a forced win makes a move best, the search must have seen the win; the right move alone is a guess"""
    most_features: Annotated[int, Field(ge=0, le=64)] = 0
    """in a combination; 0: no limit"""
    evaluations: Annotated[int, Field(ge=0)] = 150
    """the most for each number of plies, the neutral one not counted; 0: no limit"""
    join: Annotated[int, Field(ge=0, le=100)] = 2
    """families of combinations that are joined by "or", the best first (3.8): recaptures by a rook or a bishop"""
    engine: Literal["given", "plain"] = "given"
    """what searches the suite: the pilot as it is; or the seed's search with its evaluation, which has nothing but
    alpha-beta, deepening and the last best move first"""
    take: Annotated[int, Field(ge=0, le=100)] = 3
    """the most categories that are handed out, joined ones counted as one"""
    trials: CategoryTrials = CategoryTrials()
    """how these are chosen"""

    @field_validator("suite")
    @classmethod
    def _is_plain(cls, suite: str) -> str:
        return suite.strip()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not self.plies:
            raise ValueError("plies names no number: say what a move of a category costs, such as 0.5")
        if len(set(self.plies)) < len(self.plies):
            raise ValueError("plies names a number twice")
        return self

    # The protocol of learners

    def start(self, pilot: Pilot, seed: int) -> State:
        """Nothing found yet; a suite that is named is read here. Raises PilotError and LearnerError."""
        base = self.base(pilot.game)
        self.rules(pilot.game, base)
        suite = self._read_suite(pilot.game) if self.suite else Suite(pilot.game, ())
        numbers = {"seed": seed, "suite": suite.content(), "nodes": self.nodes, "measured": [], "trials": []}
        return State({}, numbers, pilot)

    def is_done(self, state: State) -> bool:
        """Once there is nothing left to combine, to join and to try."""
        return self._has_limit(state) and not self._wanted(state) and self._next_trial(state) is None

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """Makes the suite, finds the node limit, values some categories, or tries one in games."""
        began = time.perf_counter()
        if not state.numbers["suite"]:
            after, metrics = self._make_suite(state, workers)
        elif not self._has_limit(state):
            after, metrics = self._find_limit(state, workers)
        elif wanted := self._wanted(state):
            after, metrics = self._value(state, wanted[:_PORTION], workers)
        else:
            after, metrics = self._try(state, workers)
        return after, metrics | {"seconds": time.perf_counter() - began}

    def pilot(self, state: State) -> Pilot:
        """The pilot with the categories that have won."""
        assert state.pilot is not None
        return extend(state.pilot, self.chosen(state))

    # What people see

    @staticmethod
    def pilot_sections(pilot: Pilot) -> Iterator[Section]:
        """What there is to show of a pilot's categories."""
        from plypilot.learn.focus_sections import pilot_sections

        return pilot_sections(pilot)

    def sections(self, run: Run) -> Iterator[Section]:
        """What there is to show of a run."""
        from plypilot.learn.focus_sections import run_sections

        return run_sections(run, self)

    # Its features and rules

    def base(self, game: str) -> list[Atom]:
        """The features that are combined, by their symbols. Raises PilotError."""
        info = game_info(game)
        known = {feature.name: feature for feature in info.move_features}
        known |= {feature.symbol: feature for feature in info.move_features}
        if not known:
            raise PilotError(
                f"{info.title} has no move features to combine: name them in move_feature_list and tell them by "
                "move_features in its class"
            )
        chosen = {self._symbol(known, name, game) for name in self.features} or {own.symbol for own in known.values()}
        return [Atom(own.symbol, own.group, own.parent) for own in info.move_features if own.symbol in chosen]

    def rules(self, game: str, base: Sequence[Atom]) -> Rules:
        """How they are combined. Raises PilotError."""
        known = {feature.name: feature for feature in game_info(game).move_features}
        known |= {feature.symbol: feature for feature in game_info(game).move_features}
        symbols = [atom.name for atom in base]
        for name in self.keep:
            if self._symbol(known, name, game) not in symbols:
                raise PilotError(f'keep names "{name}", which is not among the features that are combined')
        return Rules(
            epsilon=self.epsilon,
            groups=self.groups,
            linear_tree=self.linear_tree,
            threshold=None if self.threshold == "off" else self.threshold,
            keep=frozenset(self._symbol(known, name, game) for name in self.keep),
            blacklist=tuple(
                tuple(self._symbol(known, name, game) for name in text.split("-")) for text in self.blacklist
            ),
            most_features=self.most_features,
        )

    @staticmethod
    def _symbol(known: Mapping[str, Any], name: str, game: str) -> str:
        if name not in known:
            there = ", ".join(dict.fromkeys(feature.symbol for feature in known.values()))
            raise PilotError(f'{game} has no move feature "{name}"; there are: {there}')
        return str(known[name].symbol)

    # Its suite and node limit

    def _read_suite(self, game: str) -> Suite:
        path = Path(self.suite)
        try:
            found = read_epd(path.read_text(encoding="utf-8"), game)
        except (OSError, UnicodeDecodeError) as error:
            raise LearnerError(f"suite {tell_unreadable(path, error)}") from error
        refused = [each for each in found if isinstance(each, RecordError)]
        if refused:
            raise LearnerError(f"suite {path}: {refused[0]} (lines refused: {len(refused)}); mend or delete them")
        items = [each for each in found if isinstance(each, EpdPosition) and (each.best or each.avoid)]
        if not items:
            raise LearnerError(f"suite {path}: has no position with a solution (bm or am)")
        return Suite.of(game, items[: self.positions or None])

    def _make_suite(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        assert state.pilot is not None
        own = self.own
        tactics = Tactics(
            (state.pilot,),
            kinds=own.kinds,
            depth=own.depth,
            limit=Limit(nodes=own.play_nodes),
            proof_nodes=own.nodes,
            seed=task_seed(int(state.numbers["seed"]), _STREAM),
        )
        items = make_tactics(tactics, own.positions, games=own.games, workers=workers)
        if len(items) < _FEWEST_MADE:
            raise LearnerError(
                f"{own.games} games of {state.pilot.game} gave {len(items)} tactical positions, and {_FEWEST_MADE} are "
                "the least to value anything by: name a suite, or raise own.games or own.nodes"
            )
        suite = Suite.of(state.pilot.game, items)
        return _with(state, suite=suite.content()), {"suite_positions": len(suite)}

    def _has_limit(self, state: State) -> bool:
        return bool(state.numbers["suite"] and state.numbers["nodes"])

    def _find_limit(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """Leaves out what is easy, and finds the nodes within which the search that extends nothing solves the wanted
        part of the others.
        """
        suite, rule = self.suite_of(state), self.node_rule
        seed = int(state.numbers["seed"])
        (looks,) = look_at([self.engine_of(state)], suite, rule.most, seed, workers, needs_win=self.needs_win)
        hard = [number for number, look in enumerate(looks) if not 0 < look.effort <= rule.least]
        if len(hard) < min(_FEWEST_POSITIONS, len(suite)):
            hard = list(range(len(suite)))
        efforts = sorted(looks[number].effort for number in hard if looks[number].effort)
        wanted = max(round(rule.share * len(hard)), 1)
        nodes = max(efforts[wanted - 1], rule.least) if len(efforts) >= wanted else rule.most
        kept = [state.numbers["suite"][number] for number in hard]
        metrics: Metrics = {"suite_positions": len(hard), "easy_positions": len(suite) - len(hard), "node_limit": nodes}
        return _with(state, suite=kept, nodes=nodes), metrics

    def suite_of(self, state: State) -> Suite:
        """The positions that values come from."""
        assert state.pilot is not None
        return Suite.read(state.pilot.game, state.numbers["suite"])

    def engine_of(self, state: State) -> Pilot:
        """What searches the suite."""
        assert state.pilot is not None
        return state.pilot if self.engine == "given" else plain_engine(state.pilot)

    def _judge(self, state: State) -> Judge:
        played = self.match
        return Judge(
            self.engine_of(state),
            self.suite_of(state),
            int(state.numbers["nodes"]),
            self.value,
            GameRules(played.games, played.nodes, played.opening_plies, played.most_plies),
            int(state.numbers["seed"]),
            self.needs_win,
        )

    # Its values

    @staticmethod
    def measured(state: State) -> dict[tuple[float, Union], Measured]:
        """All that was valued, in this order: by plies and union."""
        return {
            (plies, tuple(tuple(combination) for combination in union)): Measured.read(content)
            for plies, union, content in state.numbers["measured"]
        }

    def exploration(self, state: State, plies: float) -> Exploration:
        """What Gradual Focus has found for moves that cost so many plies, and what it wants to know next."""
        assert state.pilot is not None
        base = self.base(state.pilot.game)
        values = self._values(state, plies)
        alone = {union[0]: value for union, value in values.items() if len(union) == 1}
        found = explore(base, self.rules(state.pilot.game, base), alone)
        if self.evaluations:
            found.wanted = found.wanted[: max(self.evaluations + 1 - len(alone), 0)]
        return found

    def joinings(self, state: State, plies: float) -> tuple[list[Joining], list[Union]]:
        """Unions that are better than what they are made of, and those that are to be valued next."""
        assert state.pilot is not None
        found = self.exploration(state, plies)
        if found.wanted or not self.join:
            return [], []
        return join(
            self.base(state.pilot.game),
            found,
            self._values(state, plies),
            families=self.join,
            epsilon=self.epsilon,
        )

    def candidates(self, state: State) -> list[Candidate]:
        """The categories that Gradual Focus puts out for all numbers of plies, the best first."""
        known = self.measured(state)
        found = []
        for plies in self.plies:
            unions: list[Union] = [(trace.combination,) for trace in self.exploration(state, plies).ranking()]
            unions += [made.union for made in self.joinings(state, plies)[0]]
            found += [Candidate(union, plies, known[plies, union]) for union in unions if union != (NEUTRAL,)]
        return sorted(found, key=lambda own: (-own.measured.value, sum(map(len, own.union))))

    def neutral(self, state: State) -> Measured | None:
        """The search that extends nothing; None before it was valued."""
        return self.measured(state).get((self.plies[0], (NEUTRAL,)))

    def _values(self, state: State, plies: float) -> dict[Union, float]:
        return {union: own.value for (cost, union), own in self.measured(state).items() if cost == plies}

    def _wanted(self, state: State) -> list[tuple[float, Union]]:
        """What is to be valued next, for all numbers of plies."""
        alone: list[tuple[float, Combination]] = [
            (plies, combination) for plies in self.plies for combination in self.exploration(state, plies).wanted
        ]
        if alone:
            return [(plies, (combination,)) for plies, combination in alone]
        return [(plies, union) for plies in self.plies for union in self.joinings(state, plies)[1]]

    def _value(self, state: State, wanted: Sequence[tuple[float, Union]], workers: Workers) -> tuple[State, Metrics]:
        found = self._judge(state).measure([categories_of(union, plies) for plies, union in wanted], workers)
        told = [
            [plies, [list(combination) for combination in union], own.content()]
            for (plies, union), own in zip(wanted, found, strict=True)
        ]
        after = _with(state, measured=[*state.numbers["measured"], *told])
        known = self.measured(after)
        neutral = self.neutral(after)
        best = max(known, key=lambda key: known[key].value)
        metrics: Metrics = {
            "evaluated": len(known),
            "generation": max(len(combination) for _, union in known for combination in union),
            "neutral_value": neutral.value if neutral else 0.0,
            "best_value": known[best].value,
            "best_category": union_text(best[1]),
            "best_plies": best[0],
        }
        return after, metrics

    # What it hands out

    @staticmethod
    def choices(state: State) -> list[Choice]:
        """What was tried to be handed out, in turn."""
        return [
            Choice(tuple(tuple(own) for own in union), plies, tuple(pairs), value, is_better)
            for union, plies, pairs, value, is_better in state.numbers["trials"]
        ]

    def chosen(self, state: State) -> Categories:
        """The categories that have won."""
        return tuple(
            category
            for choice in self.choices(state)
            if choice.is_better
            for category in categories_of(choice.union, choice.plies)
        )

    def _next_trial(self, state: State) -> tuple[Union, float] | None:
        """What is tried next: of what was found, the best first and then whatever solves the most that those before do
        not; what has failed once more with half the extension. None when enough is chosen or tried.
        """
        tried = self.choices(state)
        neutral = self.neutral(state)
        if neutral is None or len(tried) >= self.trials.most or sum(own.is_better for own in tried) >= self.take:
            return None
        if tried and not tried[-1].is_better and tried[-1].plies in self.plies:
            return tried[-1].union, (1 + tried[-1].plies) / 2
        seen = {own.union for own in tried}
        known = self.measured(state)
        solved: set[int] = set()
        for own in tried:
            solved.update(number for plies in self.plies if (m := known.get((plies, own.union))) for number in m.solved)
        open_ones = [
            own
            for own in self.candidates(state)
            if own.union not in seen and own.measured.value > neutral.value and own.measured.frequency > 0
        ]
        if not open_ones:
            return None
        if solved:
            open_ones.sort(key=lambda own: -len(set(own.measured.solved) - solved))
        return open_ones[0].union, open_ones[0].plies

    def _try(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        trial = self._next_trial(state)
        assert trial is not None and state.pilot is not None
        union, plies = trial
        number = len(state.numbers["trials"])
        before = self.chosen(state)
        with_it = (*before, *categories_of(union, plies))
        if self.trials.games:
            pairs = self._play_trial(state.pilot, with_it, before, number, int(state.numbers["seed"]), workers)
            value, is_better = 0.0, Sprt(0, self.trials.gain).verdict(pairs) == "H1"
        else:
            pairs = Pentanomial()
            one, other = self._judge(state).measure([with_it, before], workers)
            value, is_better = one.value, one.value > other.value
        told = [[list(own) for own in union], plies, list(pairs.counts) if pairs.games else [], value, is_better]
        metrics: Metrics = {
            "trial": number + 1,
            "trial_category": union_text(union),
            "trial_plies": plies,
            "trial_games": pairs.games,
            "trial_score": round(pairs.score, 6) if pairs.games else value,
            "is_better": int(is_better),
        }
        return _with(state, trials=[*state.numbers["trials"], told]), metrics

    def _play_trial(
        self, pilot: Pilot, one: Categories, other: Categories, number: int, seed: int, workers: Workers
    ) -> Pentanomial:
        rules = self.trials
        return play_pairs(
            extend(pilot, one),
            extend(pilot, other),
            games=rules.games,
            nodes=rules.nodes,
            seed=task_seed(seed ^ _STREAM, number),
            opening_plies=rules.opening_plies,
            most_plies=rules.most_plies,
            sprt=Sprt(0, rules.gain),
            workers=workers,
        )


def _with(state: State, **numbers: Any) -> State:
    return State(state.arrays, {**state.numbers, **numbers}, state.pilot)


def category_words(game: str, category: Category | Combination) -> str:
    """A category in words: what its features mean, joined by "and"."""
    texts = {key: feature.text or feature.name for feature in game_info(game).move_features for key in feature[:2]}
    features = category.features if isinstance(category, Category) else category
    return " and ".join(texts[name] for name in features) or "every move"
