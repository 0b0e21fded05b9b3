"""What networks of the Neural MoveMap predict of chess games, without any search: pattern sets by opening, the networks
that learn from them, how often they have the move that was played, their scores, and a page of examples.

Sets and runs lie in runs/ and go on where they were. A network belongs to what it learned from and how, and not to a
scale, so that parts of an experiment share it. ``movemap_options`` learns networks here too, of other games as well.
"""

from __future__ import annotations

import hashlib
import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import orderings
import plypilot as pp
from chess_claims import ALL
from harness import Figures, Harness
from plypilot import _core
from plypilot.compute import Workers
from plypilot.data.patterns import PHASES, SPLITS, PatternSet, Split, Where, import_games
from plypilot.games import Move, Position
from plypilot.learn import Run
from plypilot.learn.judged_moves import judge
from plypilot.learn.labelled_set import make_labelled_set
from plypilot.learn.move_cases import Cases, Games
from plypilot.learn.move_measures import MoveMeasures, ScoredMoves, measure, score_moves
from plypilot.learn.movemap import MoveMap
from plypilot.learn.own_games import Selection
from plypilot.learn.selfplay_set import SelfPlay, make_selfplay_set
from plypilot.learn.trials import Trials
from plypilot.replay import move_texts
from plypilot.report.page import Page
from plypilot.searcher import Limit
from plypilot.versions import core_digest

GAME = "chess"
LEARNING_SETS: dict[str, tuple[str, int]] = {
    "A30": ("A30", 122_578),
    "A3x": ("A30-A39", 685_858),
    "B84": ("B84", 92_285),
    "SI": ("B80-B99", 1_793_305),
    "D85": ("D85", 124_051),
    "GI": ("D70-D99", 745_911),
    "E97": ("E97", 111_536),
    "E9x": ("E90-E99", 865_628),
    "KI": ("E60-E99", 2_498_964),
    ALL: ("", 4_412_055),
}
"""Of the seed: ECO codes, and the positions that it learned from (table 3.1)."""
TEST_SETS = {"A30": "A3x", "B84": "SI", "D85": "GI", "E97": "E9x"}
"""Openings whose positions are predicted, each with the learning set that is called specific to it (3.4.3)."""
OWN_GAMES = {"own games": ALL}
"""What takes their place where there are no games on record: own games have no ECO codes."""
SET_SEED = 11
_TASK_POSITIONS = 25
"""Positions that are searched as one task."""
_ORDER_WIDTH = 64
"""Characters of a line of moves, in the examples."""


@dataclass(frozen=True)
class Library:
    """Labelled games of chess, of which the middle game counts (3.3.3)."""

    patterns: PatternSet
    is_on_record: bool
    """Whether they are games on record, which tell their opening."""

    @classmethod
    def open(cls, made: Harness, records: Path | None, *, own_positions: int, own_nodes: int) -> Library:
        """Games on record where a file names some; else games that the baseline plays with itself."""
        folder = made.folder.resolve() / "runs" / made.name
        if records is None:
            selfplay = SelfPlay(pp.Pilot.baseline(GAME), Limit(nodes=own_nodes), seed=SET_SEED)
            own = folder / f"own-{own_positions}-{own_nodes}.set"
            return cls(make_selfplay_set(own, selfplay, positions=own_positions, workers=made.threads), False)
        path = folder / f"{records.name}.set"
        if (path / "description.set").exists():
            return cls(PatternSet.open(path), True)
        with Workers.processes(made.threads) as workers:
            return cls(import_games([records], GAME, path, workers=workers), True)

    @property
    def test_sets(self) -> dict[str, str]:
        """Names of test sets, each with its specific learning set."""
        return TEST_SETS if self.is_on_record else OWN_GAMES

    def where(self, name: str) -> Where:
        """The middle-game positions of a set."""
        return Where(opening=LEARNING_SETS[name][0] if self.is_on_record else "", phase="middle")

    def counts(self, name: str) -> dict[str, int]:
        """Positions of each split of a set."""
        return {split: self.patterns.counts(split, self.where(name)).positions for split in SPLITS}

    def test_games(self, name: str, positions: int) -> Games:
        """Test positions of a set, a fair sample."""
        return Games.join(self.patterns.blocks("test", where=self.where(name), positions=positions))

    def shared_games(self, name: str) -> Games:
        """All middle-game positions of the test games of a set, those too that other games have come to before.

        A pattern set has each position once, so that no test position was learned from. The seed does not say that
        of its own sets, and what many games share is easier to predict.
        """
        middle = PHASES.index("middle")
        blocks = self.patterns.blocks("test", where=self.where(name))
        played = (
            replace(block, labels=np.where(block.phases == middle, block.moves, 0).astype(np.uint16))
            for block in blocks
        )
        return Games.join(played)

    def test_positions(self, name: str, count: int, seed: int) -> list[str]:
        """Position strings of test positions, in random order."""
        positions = np.array([position.fen() for position, _ in replay(self.test_games(name, count))])
        return [str(fen) for fen in np.random.default_rng(seed).permutation(positions)]


def replay(games: Games, game: str = GAME) -> Iterator[tuple[Position, Move]]:
    """The labelled positions of games, in their order, each with the move that is called best."""
    played = move_texts(game, games.moves)
    best = move_texts(game, np.where(games.labels != 0, games.labels, games.moves))
    for number, start in enumerate(games.starts):
        position = Position(game, start)
        for ply in range(games.offsets[number], games.offsets[number + 1]):
            if games.labels[ply]:
                yield position.copy(), position.parse(best[ply])
            position.push(played[ply])


# Networks


@dataclass(frozen=True, eq=False)
class Predictor:
    """A network that has learned which moves are played."""

    run: Run

    @cached_property
    def learner(self) -> MoveMap:
        """What taught it."""
        learner = self.run.learner
        assert isinstance(learner, MoveMap)
        return learner

    @cached_property
    def pilot(self) -> pp.Pilot:
        """The baseline of the game with the network."""
        return self.run.best

    @cached_property
    def _encoder(self) -> _core.MoveEncoding:
        return self.learner.encoder(self.pilot.game, np.array(self.run.state.numbers["moves"]))

    @property
    def deviation(self) -> float:
        """The standard deviation of its scores, on the validation set."""
        return float(self.run.state.numbers["deviation"])

    def measures(self, games: Games, threads: int = 1) -> MoveMeasures:
        """How well it predicts the labels of games."""
        cases = Cases.of(self._encoder, games)
        return measure(self.learner.trainer(self._encoder), self.run.state.arrays["best"], [cases], threads)

    def scored(self, games: Games) -> ScoredMoves:
        """What it says of all moves of the labelled positions of games."""
        cases = Cases.of(self._encoder, games)
        return score_moves(self.learner.trainer(self._encoder), self.run.state.arrays["best"], [cases])

    def content(self) -> Figures:
        """How it learned, as plain data."""
        numbers = self.run.state.numbers
        return {
            "positions": int(self.run.metrics[-1]["positions"]),
            "epochs": int(numbers["epoch"]),
            "best_epoch": int(numbers["best_epoch"]),
            "validation": round(1 - float(numbers["best_error"]), 4),
            "deviation": round(self.deviation, 4),
            "learning_seconds": round(sum(float(line["seconds"]) for line in self.run.metrics), 1),
        }


def learn(made: Harness, patterns: PatternSet, where: Where, settings: Mapping[str, Any], seed: int) -> Predictor:
    """A network that has learned from some positions of a set; its run is kept, and goes on where it was."""
    select = Selection(opening=where.opening, phase=where.phase)
    learner = MoveMap(data=str(patterns.path), select=select, trials=Trials(games=0), **settings)
    pilot = pp.Pilot.baseline(patterns.game)
    content = learner.model_dump(mode="json", exclude={"data"})
    identity = json.dumps([content, patterns.digest, pilot.digest, seed, core_digest()], sort_keys=True)
    folder = made.folder / "runs" / made.name / f"network-{hashlib.sha256(identity.encode()).hexdigest()[:16]}"
    return Predictor(orderings.run_learner(made, learner, pilot, folder, seed))


def label_by_engine(made: Harness, library: Library, name: str, depth: int, most: int) -> PatternSet:
    """The learning and validation positions of a set, with the moves that the baseline prefers (3.4.2); 0: all."""
    folder = made.folder.resolve() / "runs" / made.name / f"{name}-{most or 'all'}-depth-{depth}.set"
    positions: dict[Split, int | None] = {"learn": most or None, "validation": most or None, "test": 0}
    return make_labelled_set(
        folder,
        library.patterns,
        pp.Pilot.baseline(GAME),
        Limit(depth=depth),
        where=library.where(name),
        positions=positions,
        workers=made.threads,
    )


def engine_rate(made: Harness, pilot: pp.Pilot, games: Games, depth: int) -> float:
    """How often a search of so many plies, from an empty table, prefers the move that was played."""
    listed = [(position.fen(), str(best)) for position, best in replay(games)]
    tasks = [listed[begin : begin + _TASK_POSITIONS] for begin in range(0, len(listed), _TASK_POSITIONS)]

    def work(task: Sequence[tuple[str, str]]) -> Figures:
        chosen = [str(made.search(pilot, Position(GAME, fen), Limit(depth=depth)).move) for fen, _ in task]
        return {"right": sum(move == best for move, (_, best) in zip(chosen, task, strict=True))}

    measured = made.measure("prediction by search", tasks, lambda task: [pilot.digest, depth, task], work)
    return sum(int(figures["right"]) for figures in measured) / max(len(listed), 1)


# Scores


def distributions(scored: Mapping[str, ScoredMoves], bins: int = 60) -> Figures:
    """How scores of networks are spread (figure 3.4), over bins that all of them share, in deviations of each."""
    edges = np.linspace(-4, 6, bins + 1)
    told: Figures = {"middles": np.round((edges[:-1] + edges[1:]) / 2, 4).tolist(), "networks": {}}
    for name, moves in scored.items():
        scores: NDArray[np.float64] = moves.scores.astype(np.float64)
        middle, spread = float(scores.mean()), max(float(scores.std()), 1e-9)

        def shares(some: NDArray[np.float64], spread: float = spread) -> list[float]:
            counts, _ = np.histogram(some / spread, edges)
            return [round(int(count) / max(len(some), 1), 5) for count in counts]

        told["networks"][name] = {
            "mean": round(middle, 5),
            "median": round(float(np.median(scores)), 5),
            "deviation": round(spread, 5),
            "skewness": round(float((((scores - middle) / spread) ** 3).mean()), 3),
            "all_moves": shares(scores),
            "best_moves": shares(scores[moves.is_best]),
        }
    return told


def is_quiet(position: Position, move: Move) -> bool:
    """Whether history may order a move: it neither captures nor promotes."""
    return not set(position.san(move)) & set("x=")


def history_distribution(shares: Sequence[Sequence[float]], bins: int = 40) -> Figures:
    """How history's shares of all updates are spread (figure 3.4), given those of the moves of each position."""
    joined: NDArray[np.float64] = np.concatenate([np.array(own, np.float64) for own in shares])
    edges = np.linspace(0, max(float(np.quantile(joined, 0.99)), 1e-9), bins + 1)
    counts, _ = np.histogram(joined, edges)
    return {
        "middles": np.round((edges[:-1] + edges[1:]) / 2, 6).tolist(),
        "moves": [round(int(count) / len(joined), 5) for count in counts],
        "mean": round(float(joined.mean()), 6),
        "median": round(float(np.median(joined)), 6),
        "deviation_within_positions": round(float(np.median([np.std(own) for own in shares if own])), 6),
    }


# Examples


def write_examples(path: Path, library: Library, predictor: Predictor, count: int) -> None:
    """A page of test positions with the order that a network has their moves in, as appendix C shows them."""
    page = Page("Examples of move ordering")
    page.heading(page.title, 1)
    page.say(
        "Positions of the test sets as chance has them. Above each stands the move that was played and its place in "
        "the order of the network, beside it all legal moves in that order, with that move in brackets."
    )
    network = predictor.pilot.ordering.network
    assert network is not None
    number = 0
    for name in library.test_sets:
        page.heading(name)
        for position, best in replay(library.test_games(name, count)):
            number += 1
            texts = [f"[{move.text}]" if move.move == best else move.text for move in judge(GAME, network, position)]
            place = next(place for place, text in enumerate(texts, 1) if text.startswith("["))
            board, _, side = str(position).rpartition("\n")
            title = f"{number}. {side}: {position.san(best)}, place {place} of {len(texts)}"
            page.code(f"{title}\n\n{_beside(board, textwrap.wrap(' '.join(texts), _ORDER_WIDTH))}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page.html(), encoding="utf-8")
    print(f"examples: {path}")


def _beside(board: str, lines: Sequence[str]) -> str:
    """A board with lines of text at its right."""
    rows = board.splitlines()
    width = max(map(len, rows)) + 4
    return "\n".join(f"{row:{width}}{line}".rstrip() for row, line in zip_longest(rows, lines, fillvalue=""))
