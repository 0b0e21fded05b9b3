"""Fractional-ply weights: learns what moves of each category cost of the depth, by gradient descent on a model of the
nodes that solutions take (Björnsson and Marsland). It learns from a test suite, or from mistakes in its own games.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from plypilot.compute import Workers
from plypilot.data.epd import EpdPosition, read_epd, suite_game
from plypilot.data.record import RecordError
from plypilot.game_name import base_name
from plypilot.games import Move, Position, game_info
from plypilot.learn.learner import Decision, Metrics, State
from plypilot.learn.ply_costs import JOINT, Sample, category_masks, path_of, relative_gradient
from plypilot.learn.selfplay import Batch, varied
from plypilot.learn.tactics import Tactics, make_tactics
from plypilot.pilot import Category, Pilot, PilotError
from plypilot.play.adjudication import Adjudication
from plypilot.score import LEAST_WIN, PAWN, WIN_SCORE
from plypilot.searcher import Iteration, Limit, Result, Searcher
from plypilot.settings import Part
from plypilot.wording import tell_unreadable

if TYPE_CHECKING:
    from plypilot.learn.folder import Run
    from plypilot.sections import Section

Array = NDArray[np.float64]

LARGEST = 2.0
"""No category costs more plies (Björnsson and Marsland 5.1)."""
_USUAL = {
    "chess": ("check", "only_reply", "recapture", "passed_pawn"),
    "shogi": ("check", "only_reply", "recapture", "promotion"),
    "loa": ("connects", "recapture", "captures_group", "splits_enemy", "joins"),
    "breakthrough": ("recapture", "capture", "to_rank_7_8", "passed"),
}
"""Categories by game, where none are named; the first that a move is in counts."""
_MOST_USUAL = 16


class SuiteOfOwn(Part):
    """How a suite is made where none is named."""

    positions: Annotated[int, Field(ge=1)] = 60
    """how many"""
    games: Annotated[int, Field(ge=1)] = 400
    """played at most to find them"""
    proof_nodes: Annotated[int, Field(ge=1)] = 200_000
    """of each search that proves a move best"""


class OwnMistakes(Part):
    """How games are played, and which of their positions are mistakes (Björnsson and Marsland 3.1)."""

    games: Annotated[int, Field(ge=1)] = 60
    """how many, against the pilot as it was"""
    batch: Annotated[int, Field(ge=1, le=1000)] = 1
    """games that are played with frozen costs before they change"""
    margin: Annotated[int, Field(ge=1, le=WIN_SCORE)] = 50
    """hundredths of a pawn by which a score must drop from one move to the next"""
    lost: Annotated[int, Field(ge=1, le=WIN_SCORE)] = 100
    """hundredths of a pawn: who is further behind learns no more in that game"""
    logged: bool = False
    """mistakes are only noted, and learned from by iterations after the last game"""
    opening_plies: Annotated[int, Field(ge=0, le=100)] = 6
    """random moves before a game"""
    most_plies: Annotated[int, Field(ge=1)] = 300
    """longer games end"""


class Plies(Part):
    """Learns the costs of move categories."""

    decision: ClassVar[Decision] = "depth"
    usual_checks: ClassVar[Mapping[str, Any]] = {"nodes": 4000, "gain": 30.0, "games": 400}
    lengthened_by: ClassVar[tuple[str, ...]] = ("iterations",)
    figures: ClassVar[tuple[str, ...]] = ("solved", "positions", "nodes", "best_nodes", "mistakes")

    source: Literal["suite", "play"] = "suite"
    """learns from positions with a known best move, or from games"""
    suite: str = ""
    """the file of a test suite; empty: the run makes one first, from games of its pilot. Positions that it calls wins
    (kind win) are solved where the score is one too"""
    make: SuiteOfOwn = SuiteOfOwn()
    """how that is done"""
    play: OwnMistakes = OwnMistakes()
    """how it learns from games"""
    categories: Annotated[tuple[str, ...], Field(max_length=4096)] = ()
    """each a move feature, or several with + between; of those that a move is in the first counts. None: the usual ones
    of the game"""
    of_pilot: bool = False
    """learns what the categories cost that the pilot has, such as focus found; those of more features come first"""
    iterations: Annotated[int, Field(ge=1)] = 20
    """over all positions"""
    nodes: Annotated[int, Field(ge=1)] = 20_000
    """of each search, at most; of a suite's it ends with the first depth that has the right move. What the search would
    play at the limit counts too"""
    first_cost: Annotated[float, Field(ge=0, le=LARGEST)] = 1.0
    """plies that every category costs at the start"""
    delta: Annotated[float, Field(gt=0, le=4)] = 1.0
    """plies by which costs are raised to see what they do; with less than a ply it takes two such moves to end a line
    of whole plies earlier, and one search then tells hardly anything of the others"""
    largest_step: Annotated[float, Field(gt=0, le=LARGEST)] = 0.1
    """plies by which a cost changes that would double the nodes"""
    rate: Annotated[float, Field(gt=0, le=100)] = 1.0
    """mu at the start"""
    rate_decay: Annotated[float, Field(gt=0, le=1)] = 0.95
    """by which it is multiplied after each change"""

    @field_validator("suite")
    @classmethod
    def _is_plain(cls, suite: str) -> str:
        return suite.strip()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.suite and self.source == "play":
            raise ValueError("suite names a file, but source is play: leave one of them out")
        if self.categories and self.of_pilot:
            raise ValueError("categories are named, but of_pilot takes those of the pilot: leave one of them out")
        return self

    # The protocol of learners

    def start(self, pilot: Pilot, seed: int) -> State:
        """All categories cost the same. Raises PilotError and RecordError."""
        names = self.category_names(pilot)
        category_masks(pilot.game, names)
        costs = np.full(len(names), self.first_cost)
        problems = [] if self.source == "play" or not self.suite else read_problems(self.suite, pilot.game)
        numbers = {"seed": seed, "problems": problems, "is_made": bool(problems), "iteration": 0, "games": 0}
        numbers |= {"changes": 0, "best_nodes": 0, "first_solved": [], "best_solved": []}
        return State({"costs": costs, "best": costs.copy()}, numbers, pilot)

    def is_done(self, state: State) -> bool:
        """After the last iteration, or the last game where games change costs at once."""
        if self.source == "play" and state.numbers["games"] < self.play.games:
            return False
        if self.source == "play" and not self.play.logged:
            return True
        if self.source == "play" and not state.numbers["problems"]:
            return True
        return int(state.numbers["iteration"]) >= self.iterations

    def expected_steps(self, state: State) -> int | None:  # noqa: ARG002
        """One a batch of games, one to make a suite, one an iteration."""
        if self.source == "play":
            return None if self.play.logged else -(-self.play.games // self.play.batch)
        return self.iterations + (not self.suite)

    def step(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        """Makes the suite, plays some games, or goes over all positions once."""
        began = time.perf_counter()
        if self.source == "play" and state.numbers["games"] < self.play.games:
            after, metrics = self._play(state, workers)
        elif self.source == "suite" and not state.numbers["is_made"]:
            after, metrics = self._make(state, workers)
        else:
            after, metrics = self._iterate(state, workers)
        return after, metrics | {"seconds": time.perf_counter() - began}

    def pilot(self, state: State) -> Pilot:
        """The pilot with the costs that took the fewest nodes; with the last ones where it learns from games."""
        assert state.pilot is not None
        if not state.numbers["iteration"] and not state.numbers["changes"]:
            return state.pilot
        return self.steered(state.pilot, state.arrays["best"])

    def summary(self, state: State) -> dict[str, float]:
        """The costs by category."""
        assert state.pilot is not None
        names = self.category_names(state.pilot)
        return dict(zip(names, state.arrays["costs"].tolist(), strict=True))

    def sections(self, run: Run) -> Iterator[Section]:
        """What there is to show of a run."""
        from plypilot.learn.plies_sections import run_sections

        return run_sections(run, self)

    # Categories

    def category_names(self, pilot: Pilot) -> tuple[str, ...]:
        """Those whose costs are learned for a pilot. Raises PilotError."""
        if self.categories:
            return self.categories
        if self.of_pilot:
            own = sorted(pilot.depth.categories, key=lambda category: -len(category.features))
            if not own:
                raise PilotError(
                    "the pilot has no categories, but of_pilot is set: name categories, or let focus find some"
                )
            return tuple(dict.fromkeys(JOINT.join(category.features) for category in own))
        features = game_info(pilot.game).move_features
        if not features:
            raise PilotError(
                f"{pilot.game} names no move features, so that its moves have no categories to learn a cost of"
            )
        usual = tuple(feature.name for feature in features if not feature.parent)[:_MOST_USUAL]
        return _USUAL.get(base_name(pilot.game), usual)

    def steered(self, pilot: Pilot, costs: Array) -> Pilot:
        """A pilot whose categories cost so much."""
        categories = tuple(
            Category(tuple(name.split(JOINT)), float(plies))
            for name, plies in zip(self.category_names(pilot), costs, strict=True)
        )
        depth = type(pilot.depth).model_validate(pilot.depth.model_dump() | {"categories": categories, "rule": "first"})
        return pilot.model_copy(update={"depth": depth})

    # Steps

    def _make(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        assert state.pilot is not None
        tactics = Tactics((state.pilot,), proof_nodes=self.make.proof_nodes, seed=int(state.numbers["seed"]))
        items = make_tactics(tactics, self.make.positions, games=self.make.games, workers=workers)
        if not items:
            raise PilotError(
                f"no position with one best move in {self.make.games} games of {state.pilot.game}: raise make.games, "
                "or name a suite"
            )
        problems = [_problem_of(item) for item in items]
        return State(state.arrays, {**state.numbers, "problems": problems, "is_made": True}, state.pilot), {
            "positions": len(problems)
        }

    def _iterate(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        assert state.pilot is not None
        pilot = self.steered(state.pilot, state.arrays["costs"])
        problems = state.numbers["problems"]
        tasks = [_Task(pilot, problem, self.nodes, self.delta) for problem in problems]
        answers = list(workers.map(_solve, tasks))
        nodes = sum(answer[0] for answer in answers)
        samples = [Sample(*answer[2]) for answer in answers if answer[2]]
        before = int(state.numbers["best_nodes"])
        is_best = not before or nodes < before
        arrays = {**state.arrays, "best": state.arrays["costs"] if is_best else state.arrays["best"]}
        places = [place for place, answer in enumerate(answers) if answer[1]]
        numbers = {**state.numbers, "iteration": state.numbers["iteration"] + 1}
        numbers["first_solved"] = state.numbers["first_solved"] if before else places
        if is_best:
            numbers |= {"best_nodes": nodes, "best_solved": places}
        after, largest = self._change(State(arrays, numbers, state.pilot), samples)
        return after, {
            "solved": len(places),
            "positions": len(problems),
            "nodes": nodes,
            "best_nodes": numbers["best_nodes"],
            "largest_change": largest,
        }

    def _change(self, state: State, samples: Sequence[Sample]) -> tuple[State, float]:
        """Takes one step down the gradient, within the bounds."""
        costs = state.arrays["costs"]
        changes = int(state.numbers["changes"])
        slope = relative_gradient(samples, self.delta, len(costs))
        step = self.rate * self.rate_decay**changes * self.largest_step * slope
        moved = np.clip(costs - step, 0.0, LARGEST)
        numbers = {**state.numbers, "changes": changes + bool(samples)}
        return State({**state.arrays, "costs": moved}, numbers, state.pilot), float(np.abs(moved - costs).max())

    def _play(self, state: State, workers: Workers) -> tuple[State, Metrics]:
        assert state.pilot is not None
        first = int(state.numbers["games"])
        numbers = range(first, min(first + self.play.batch, self.play.games))
        pilot = self.steered(state.pilot, state.arrays["costs"])
        tasks = [_GameTask(self, pilot, state.pilot, int(state.numbers["seed"]), number) for number in numbers]
        mistakes, points = 0, 0.0
        for found, result in workers.map(_play_game, tasks):
            mistakes += len(found)
            points += result
            problems = [*state.numbers["problems"], *(problem for problem, _ in found)]
            state = State(state.arrays, {**state.numbers, "problems": problems}, state.pilot)
            if not self.play.logged:
                state, _ = self._change(state, [Sample(*sample) for _, sample in found])
        arrays = {**state.arrays, "best": state.arrays["costs"]}
        after = State(arrays, {**state.numbers, "games": numbers.stop}, state.pilot)
        return after, {"games": numbers.stop, "mistakes": mistakes, "score": points / len(numbers)}


def read_problems(path: str, game: str) -> list[dict[str, Any]]:
    """The positions of a suite's file. Raises RecordError, which names the file and the line."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"suite {tell_unreadable(path, error)}") from error
    if (named := suite_game(text)) != game:
        raise RecordError(f"{path}: is a suite of {named}, but the pilot plays {game}")
    problems = []
    for item in read_epd(text, game):
        if isinstance(item, RecordError):
            raise RecordError(f"{path}: {item}")
        if item.best or item.avoid:
            problems.append(_problem_of(item))
    if not problems:
        raise RecordError(f"{path}: has no position with a best move (bm) or one to avoid (am)")
    return problems


def _problem_of(item: EpdPosition) -> dict[str, Any]:
    problem = {"fen": item.fen, "best": list(item.best), "avoid": list(item.avoid), "path": []}
    return problem | {"needs_win": item.operations.get("kind") == ("win",)}


def _mistake_problem(fen: str, path: Sequence[Move]) -> dict[str, Any]:
    return {"fen": fen, "best": [], "avoid": [], "path": [str(move) for move in path], "needs_win": False}


@dataclass(frozen=True)
class _Task:
    """One position to solve."""

    pilot: Pilot
    problem: Mapping[str, Any]
    nodes: int
    delta: float


def _depth_rules(pilot: Pilot) -> tuple[list[int], list[float]]:
    categories = pilot.depth.categories
    names = [JOINT.join(category.features) for category in categories]
    return category_masks(pilot.game, names), [category.plies for category in categories]


def _sample(pilot: Pilot, position: Position, result: Result, place: int, path: Sequence[Move], depth: float) -> Sample:
    """What an iteration of a search tells, whose solution path is followed to a depth."""
    assert result.statistics is not None
    done = result.iterations[place]
    path_depth, counts = path_of(position, path, *_depth_rules(pilot), depth)
    return Sample(done.nodes.all, done.depth, result.statistics.altered_nodes[place].tolist(), path_depth, counts)


def _solve(task: _Task) -> list[Any]:
    """Nodes, whether it is solved, and the sample or nothing. Runs in a worker."""
    problem, searcher = task.problem, Searcher(task.pilot)
    position = Position(task.pilot.game, problem["fen"])
    best, avoid = ([position.parse(text) for text in problem[name]] for name in ("best", "avoid"))

    def is_right(found: Iteration | Result) -> bool:
        if found.move is None or (problem["needs_win"] and found.score < LEAST_WIN):
            return False
        return found.move in best if best else found.move not in avoid

    def look(iteration: Iteration) -> None:
        if not problem["path"] and is_right(iteration):
            searcher.stop()

    limit = Limit(nodes=task.nodes)
    result = searcher.search(position, limit, on_iteration=look, statistics="plies", delta=task.delta)
    places = range(len(result.iterations))
    if problem["path"]:
        if not places:
            return [result.nodes.all, False, None]
        walk, path = position.copy(), []
        for word in problem["path"]:
            path.append(walk.parse(word))
            walk.push(path[-1])
        sample = _sample(task.pilot, position, result, places[-1], path, float("inf"))
        return [result.nodes.all, False, list(_with_depth(sample, task.pilot, position, path))]
    place = next((place for place in places if is_right(result.iterations[place])), None)
    if place is not None:
        done = result.iterations[place]
        return [done.nodes.all, True, list(_sample(task.pilot, position, result, place, done.pv, done.depth))]
    if places and is_right(result):  # found in the iteration that the limit ended
        place = places[-1]
        depth = result.iterations[place].depth + 1
        return [result.nodes.all, True, list(_sample(task.pilot, position, result, place, result.pv, depth))]
    return [result.nodes.all, False, None]


def _with_depth(sample: Sample, pilot: Pilot, position: Position, path: Sequence[Move]) -> Sample:
    """The sample of a path that is to be followed to its very end."""
    masks, costs = _depth_rules(pilot)
    _, counts = path_of(position, path, masks, costs, float("inf"))
    others = len(path) - sum(counts)
    depth = others + sum(count * plies for count, plies in zip(counts, costs, strict=True))
    return sample._replace(path_depth=float(depth), path_moves=counts)


@dataclass(frozen=True)
class _GameTask:
    """One game between what is learned and the pilot as it was."""

    learner: Plies
    pilot: Pilot
    opponent: Pilot
    seed: int
    number: int


@dataclass(frozen=True)
class _Seen:
    """A search of a game by the side that learns."""

    position: Position
    result: Result


def _play_game(task: _GameTask) -> tuple[list[tuple[dict[str, Any], list[Any]]], float]:
    """The mistakes of one game, each as a problem with its path and a sample, and the points. Runs in a worker."""
    rules, limit = task.learner.play, Limit(nodes=task.learner.nodes)
    adjudication = Adjudication(rules.most_plies)
    batch = Batch(task.pilot, task.seed, limit, rules.opening_plies, adjudication, counters=True, moves="searched")
    opening = batch.task(task.number)
    players = (Searcher(task.pilot, seed=opening.seed), Searcher(varied(task.opponent, shuffle=True, noise=0)))
    walk, own = opening.start.copy(), task.number % 2
    pawn = task.pilot.evaluation.pawn / PAWN
    mistakes: list[tuple[dict[str, Any], list[Any]]] = []
    before: _Seen | None = None
    since: list[Move] = []
    learns = True
    for _ in range(rules.most_plies):
        if walk.outcome() is not None:
            break
        if walk.turn != own:
            result = players[1].search(walk, limit)
        else:
            result = players[0].search(walk, limit, statistics="plies", delta=task.learner.delta)
            drop = rules.margin * pawn
            if learns and before is not None and result.score < before.result.score - drop and before.result.depth:
                mistakes.append(_mistake(task.pilot, before, [*since, *_followed(task.pilot, walk, result)]))
            learns &= result.score >= -rules.lost * pawn
            before, since = _Seen(walk.copy(), result), []
        if result.move is None:
            break
        since.append(result.move)
        walk.push(result.move)
    outcome = walk.outcome()
    winner = None if outcome is None else outcome.winner
    return mistakes, 0.5 if winner is None else float(winner == own)


def _followed(pilot: Pilot, position: Position, result: Result) -> list[Move]:
    """The principal variation as far as the search has followed it at full width."""
    masks, costs = _depth_rules(pilot)
    walk, spent, moves = position.copy(), 0.0, []
    for move in result.pv:
        if spent >= result.depth:
            break
        _, counts = path_of(walk, [move], masks, costs, 1e-9)
        spent += sum(count * plies for count, plies in zip(counts, costs, strict=True)) if any(counts) else 1.0
        moves.append(move)
        walk.push(move)
    return moves


def _mistake(pilot: Pilot, seen: _Seen, path: Sequence[Move]) -> tuple[dict[str, Any], list[Any]]:
    position, result = seen.position, seen.result
    sample = _sample(pilot, position, result, len(result.iterations) - 1, path, float("inf"))
    sample = _with_depth(sample, pilot, position, path)
    return _mistake_problem(position.fen(), path), list(sample)
