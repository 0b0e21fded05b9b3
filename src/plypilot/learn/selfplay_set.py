"""Pattern sets from self-play: games that a pilot plays with itself, labelled with the moves it played or by deeper
searches. Works for every game, and goes on where it was ended.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import count, islice
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from plypilot.compute import Workers, task_seed, workers_for
from plypilot.data.patterns import HeldPatterns, PatternSet, PatternSetError
from plypilot.data.patterns.block import RESULTS, Block
from plypilot.data.patterns.collector import (
    Candidates,
    Collector,
    ShardWriter,
    find_made,
    game_hashes,
    making,
    split_of,
)
from plypilot.data.patterns.phases import MIDDLE, letter_weights, phases_of
from plypilot.games import Position
from plypilot.learn.selfplay import Batch, varied
from plypilot.pilot import Pilot
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Games
from plypilot.replay import NO_LABEL, read_games
from plypilot.searcher import Limit, Searcher

CACHE_NAME = "work.cache"
"""Where games that were played, or labels that were found, are kept for a set which is not finished."""
_PART_GAMES = 8
"""Games that are played and labelled as one task."""
PARTS_AHEAD = 4
"""Tasks that are handed out for each worker before their games are looked at."""
_FRUITLESS_GAMES = 1000
"""So many games in a row without a new position mean that there are no more of them."""


@dataclass(frozen=True)
class SelfPlay:
    """How games are played and labelled. All that is left to chance follows from the seed and the number of a game."""

    pilot: Pilot
    limit: Limit = field(default_factory=lambda: Limit(nodes=2000))
    """Of each move."""
    label_depth: tuple[int, ...] = ()
    """The depth to which each position is searched for its label, without noise; none: the move played is the label.
    Several depths take turns, each for two plies."""
    test_label_depth: tuple[int, ...] = ()
    """The same for games of the test split; none: as all others (Kocsis 3.3.1 has the test set searched deeper)."""
    side_lines: int = 0
    """Lines that leave each game at a position of it: there one side moves at random and the other answers by search,
    and the answers are patterns. So do most positions of a search tree come about, which games alone do not show."""
    side_answers: int = 3
    """Answers of each side line."""
    opening_plies: int = 6
    """Random moves that each game begins with. They are no patterns."""
    noise: int = 10
    """Size of the noise on root scores while playing, in hundredths of a pawn."""
    most_plies: int = 400
    """Games that are longer, without their opening, are drawn."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("opening_plies", 0), ("noise", 0), ("seed", 0), ("side_lines", 0), ("side_answers", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)}, expected {least} or more")
        for name in ("label_depth", "test_label_depth"):
            if any(depth < 1 for depth in getattr(self, name)):
                raise ValueError(f"{name} has {min(getattr(self, name))}, expected depths of 1 or more")

    def content(self) -> dict[str, Any]:
        """All that decides the games, as plain JSON; the pilot by its digest."""
        settings = {name: value for name, value in vars(self).items() if name not in ("pilot", "limit", "batch")}
        limit = {name: value for name, value in asdict(self.limit).items() if value}
        return {
            **settings,
            "label_depth": list(self.label_depth),
            "test_label_depth": list(self.test_label_depth),
            "limit": limit,
            "pilot": self.pilot.digest,
        }

    @cached_property
    def batch(self) -> Batch:
        """How the games are played, made once where they are."""
        return Batch(
            pilot=varied(self.pilot, shuffle=True, noise=self.noise),
            seed=self.seed,
            limit=self.limit,
            opening_plies=self.opening_plies,
            adjudication=Adjudication(self.most_plies),
            counters=True,
            moves="searched",
        )


class LabelledGame(NamedTuple):
    """A game, or a line that leaves one: words with spaces between."""

    moves: str
    labels: str
    """One for each move, NO_LABEL where the position is no pattern."""
    result: str
    """As PGN writes it, 1-0 for the first player; empty where it is not known."""
    start: str = ""
    """The position string of the start; empty: the usual one."""
    left: str = ""
    """The hash of the game that a side line has left, as a number: both belong to one split. Empty for a game."""


class SelfPlayProgress(NamedTuple):
    """How far the making of a set is."""

    games: int
    positions: int


def make_selfplay_set(
    out: str | PathLike[str],
    selfplay: SelfPlay,
    *,
    games: int | None = None,
    positions: int | None = None,
    workers: int | Workers = 1,
    on_progress: Callable[[SelfPlayProgress], object] | None = None,
) -> PatternSet:
    """Plays so many games, or as many as so many different positions need, and makes a pattern set of them.

    Whoever is ended loses the games under way: the next call goes on. A set that is there already and was made in just
    this way is given as it is. The set is the same however many workers there are. Where a game has no more positions,
    the set has what there is. Raises PatternSetError.
    """
    if (games is None) == (positions is None):
        raise ValueError("say how many games or how many positions a set is to have, and not both")
    if (wanted := games or positions or 0) < 1:
        raise ValueError(f"{'games' if positions is None else 'positions'} is {wanted}, expected 1 or more")
    out = Path(out)
    source = {"kind": "selfplay", **selfplay.content(), "games": games, "positions": positions}
    if (there := find_made(out, selfplay.pilot.game, source)) is not None:
        return there
    with making(out), workers_for(selfplay.pilot.game, workers) as pool:
        writer = ShardWriter(out, selfplay.pilot.game)
        collector = Collector(writer.keep)
        played = fruitless = 0
        with pool.remembering(out / CACHE_NAME):
            for part in _parts(selfplay, games, pool):
                before = collector.positions
                collector.add(candidates_of(selfplay.pilot.game, part))
                whole_games = sum(not game.left for game in part)
                played += whole_games
                fruitless = 0 if collector.positions > before else fruitless + whole_games
                if on_progress is not None:
                    on_progress(SelfPlayProgress(played, collector.positions))
                if fruitless >= _FRUITLESS_GAMES or (positions is not None and collector.positions >= positions):
                    break
        made = writer.finish(collector, source, {})
        (out / CACHE_NAME).unlink(missing_ok=True)
        return made


def play_labelled(selfplay: SelfPlay, numbers: range) -> list[LabelledGame]:
    """The games of some numbers, played and labelled on this thread."""
    tasks = [selfplay.batch.task(number) for number in numbers]
    played = selfplay.batch.arena.play(tasks)
    searches = selfplay.label_depth or selfplay.test_label_depth or selfplay.side_lines
    searcher = Searcher(selfplay.pilot, seed=selfplay.seed) if searches else None
    games = []
    for place, (number, task) in enumerate(zip(numbers, tasks, strict=True)):
        opening = [str(move) for move in task.start.played]
        games.append(_label(selfplay, opening, played, place, searcher))
        if searcher is not None and selfplay.side_lines:
            games += _side_lines(selfplay, games[-1], len(opening), number, searcher)
    return games


def hold_games(game: str, games: Sequence[LabelledGame]) -> HeldPatterns:
    """Labelled games as a set in memory, for a learner that plays them step by step."""
    held = HeldPatterns(game)
    Collector(held.keep).add(candidates_of(game, games))
    return held


def candidates_of(game: str, games: Sequence[LabelledGame]) -> Candidates:
    """Labelled games as arrays, for a collector."""
    starts: list[str | None] = [played.start or None for played in games]
    read = read_games(
        game,
        starts,
        [played.moves for played in games],
        [played.labels for played in games],
        letter_weights=letter_weights(game),
    )
    if fault := next(filter(None, read.refused), None):
        raise PatternSetError(f"a game that was played is not legal by the rules of {game}: {fault[1]}")
    block = Block(
        offsets=read.offsets,
        moves=read.moves,
        labels=read.labels,
        phases=phases_of(game, read.offsets, read.board_weights),
        openings=np.zeros(len(games), np.uint16),
        results=np.array([RESULTS.index(played.result) for played in games], np.uint8),
        ratings=np.zeros((len(games), 2), np.uint16),
        hashes=game_hashes(starts, read.texts),
        starts=starts,
    )
    is_side_line = np.array([bool(played.left) for played in games], bool)
    block.phases[block.by_ply(is_side_line)] = MIDDLE  # its first ply is not the first of a game
    families = block.hashes.copy()
    families[is_side_line] = [int(played.left) for played in games if played.left]
    return Candidates(block, read.keys, read.boards, families)


class _Part(NamedTuple):
    """Some games of a set."""

    selfplay: SelfPlay
    numbers: range


def _parts(selfplay: SelfPlay, games: int | None, workers: Workers) -> Iterator[list[LabelledGame]]:
    """The games in the order of their numbers, some at a time."""
    firsts = count(0, _PART_GAMES) if games is None else range(0, games, _PART_GAMES)
    tasks = (
        _Part(selfplay, range(first, first + _PART_GAMES if games is None else min(games, first + _PART_GAMES)))
        for first in firsts
    )
    identity = {"selfplay": selfplay.content(), "game": selfplay.pilot.game}

    def key(task: _Part) -> object:
        return {**identity, "first": task.numbers.start, "games": len(task.numbers)}

    while some := list(islice(tasks, PARTS_AHEAD * workers.count)):
        for value in workers.evaluate(_play_part, some, key=key):
            yield [LabelledGame(*played) for played in value]


def _play_part(part: _Part) -> list[list[str]]:
    """Runs in a worker."""
    return [list(played) for played in play_labelled(part.selfplay, part.numbers)]


def _label(
    selfplay: SelfPlay, opening: list[str], played: Games, place: int, searcher: Searcher | None
) -> LabelledGame:
    words = played.moves[place].split()
    text = " ".join([*opening, *words])
    labels = words
    if searcher is not None:
        is_test = split_of(int(game_hashes([None], [text])[0])) == "test"
        if depths := (is_test and selfplay.test_label_depth) or selfplay.label_depth:
            labels = _search_labels(selfplay.pilot.game, opening, words, depths, searcher)
    winner = played.winners[place]
    result = "1/2-1/2" if winner is None else ("1-0", "0-1")[winner]
    return LabelledGame(text, " ".join([NO_LABEL] * len(opening) + labels), result)


def _side_lines(
    selfplay: SelfPlay, played: LabelledGame, opening_plies: int, number: int, searcher: Searcher
) -> Iterator[LabelledGame]:
    """Lines that leave a game at positions behind its opening, as chance has it. Half of them begin with an answer, so
    that positions of the game itself are among the patterns; the others with a random move."""
    rng = random.Random(task_seed(selfplay.seed, number))
    words = played.moves.split()
    position, starts = Position(selfplay.pilot.game), []
    for ply, word in enumerate(words):
        if ply >= opening_plies:
            starts.append(position.fen())
        position.push(word)
    limit = Limit(depth=selfplay.label_depth[0]) if selfplay.label_depth else selfplay.limit
    family = str(game_hashes([None], [played.moves])[0])
    searcher.clear()
    for start in rng.sample(starts, min(selfplay.side_lines, len(starts))):
        position = Position(selfplay.pilot.game, start)
        moves, labels, answers = [], [], 0
        answerer = rng.choice((position.turn, 1 - position.turn))
        while answers < selfplay.side_answers and position.outcome() is None:
            if position.turn == answerer:
                moves.append(str(searcher.search(position, limit).move))
                labels.append(moves[-1])
                answers += 1
            else:
                moves.append(str(rng.choice(position.moves())))
                labels.append(NO_LABEL)
            position.push(moves[-1])
        if answers:
            yield LabelledGame(" ".join(moves), " ".join(labels), "", start, family)


def _search_labels(
    game: str, opening: Sequence[str], words: Sequence[str], depths: Sequence[int], searcher: Searcher
) -> list[str]:
    """The best move of each position behind the opening. The table is kept from one position of a game to the next."""
    searcher.clear()
    position = Position(game)
    for word in opening:
        position.push(word)
    labels = []
    for ply, word in enumerate(words):
        limit = Limit(depth=depths[ply // 2 % len(depths)])
        labels.append(str(searcher.search(position, limit).move))
        position.push(word)
    return labels
