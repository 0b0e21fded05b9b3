"""Test suites made by the engine: positions of its own games in which one move is best, by a forced win that is proved,
or by a gain over every other move that stays as the search deepens. Works for every game; what was ended goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import islice, pairwise
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from plypilot import sealed
from plypilot.baselines import evaluation_names, evaluation_weights
from plypilot.compute import Workers, workers_for
from plypilot.data.epd import EpdPosition, write_suite
from plypilot.game_name import base_name, is_python_game
from plypilot.games import Move, Position
from plypilot.learn.selfplay import Batch, varied
from plypilot.pilot import Evaluation, Pilot
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Games
from plypilot.score import DEEPEST, LEAST_WIN, PAWN, WIN_SCORE, win_distance
from plypilot.searcher import Iteration, Limit, Searcher
from plypilot.spelling import short_line

Kind = Literal["win", "gain"]
GAMES_A_POSITION = 20
"""Games that are played at most for each position that is wanted, unless the caller says how many."""
_USUAL_PLIES = (5, 7)
_PLIES = {"shogi": (3, 5)}
"""Drops make so many moves that a longer proof by full width takes too long."""
_PART_GAMES = 4
"""Games that are played and looked through as one task. One pilot plays them all."""
_PARTS_AHEAD = 3
"""Tasks that are handed out for each worker before their positions are looked at."""
_LONGER = 2
"""A player may think a win longer than it is by so many plies, and the position is looked at all the same."""
_LARGEST_GAIN = 2_000
"""Score units beyond which one move is not called still better: there a win or a loss stands against a judgement."""


@dataclass(frozen=True)
class Tactics:
    """How games are played and which of their positions make a suite. All that is left to chance follows from the seed
    and the number of a game.
    """

    pilots: tuple[Pilot, ...]
    """Who plays: they take turns, each against itself. The first one judges gains."""
    kinds: tuple[Kind, ...] = ("win", "gain")
    """What makes a move best: ``win``, it wins by force and no other move does; ``gain``, its score is better than that
    of every other move by a margin."""
    plies: tuple[int, int] | None = None
    """The shortest and the longest win; 5 to 7, in shogi 3 to 5. No other move may win within the longest."""
    margin: int = 150
    """What a gain must be, in hundredths of a pawn: over the next move, and over the mover's score a move ago."""
    depth: int = 8
    """To which gains are judged."""
    stable_depths: int = 3
    """So many last depths must agree on the move, on a gain as large as the margin, and on its score within half of the
    margin. Smith (4.4.5) asks for three, and for the very same score, which material alone gives."""
    least_depth: int = 4
    """A gain that is found and kept from an earlier depth on is too easy (Smith 4.4.5)."""
    a_game: int = 2
    """Positions of one game at most."""
    limit: Limit = field(default_factory=lambda: Limit(nodes=2000))
    """Of each move while playing."""
    proof_nodes: int = 4_000_000
    """Nodes that each search of a proof, or the judging of a gain, may take; a position that needs more is left out."""
    opening_plies: int = 6
    """Random moves that each game begins with."""
    noise: int = 10
    """Size of the noise on root scores while playing, in hundredths of a pawn."""
    most_plies: int = 300
    """Games that are longer, without their opening, are drawn."""
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.pilots or len({pilot.game for pilot in self.pilots}) > 1:
            raise ValueError("pilots: expected one or more, all of one game")
        if not self.kinds or any(kind not in get_args(Kind) for kind in self.kinds):
            raise ValueError(f"kinds is {self.kinds}, expected some of {', '.join(get_args(Kind))}")
        least, most = self.win_plies
        if not 1 <= least <= most <= DEEPEST:
            raise ValueError(f"plies is {least} to {most}, expected from 1 on to {DEEPEST} at most, the lesser first")
        for name, least in (("margin", 1), ("depth", 1), ("stable_depths", 1), ("least_depth", 1), ("a_game", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)}, expected {least} or more")
        for name in ("opening_plies", "noise", "seed"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}, expected 0 or more")
        if "gain" in self.kinds and self.least_depth + self.stable_depths - 1 > self.depth:
            raise ValueError(
                f"depth is {self.depth}: a gain first found at depth {self.least_depth} and the same over "
                f"{self.stable_depths} depths needs {self.least_depth + self.stable_depths - 1}"
            )

    @property
    def game(self) -> str:
        """The game of its positions."""
        return self.pilots[0].game

    @property
    def win_plies(self) -> tuple[int, int]:
        """The shortest and the longest win, as asked for or as suits the game."""
        return self.plies or _PLIES.get(base_name(self.game), _USUAL_PLIES)

    def content(self) -> dict[str, Any]:
        """All that decides the suite but for its size, as plain JSON; pilots by their digests."""
        named = ("pilots", "limit", "batches")
        settings = {name: value for name, value in vars(self).items() if name not in named}
        limit = {name: value for name, value in asdict(self.limit).items() if value}
        pilots = [pilot.digest for pilot in self.pilots]
        return {"game": self.game, **settings, "plies": self.win_plies, "limit": limit, "pilots": pilots}

    @cached_property
    def batches(self) -> tuple[Batch, ...]:
        """How each pilot plays, made once where the games are played."""
        return tuple(
            Batch(
                pilot=varied(pilot, shuffle=True, noise=self.noise),
                seed=self.seed,
                limit=self.limit,
                opening_plies=self.opening_plies,
                adjudication=Adjudication(self.most_plies),
                counters=True,
                moves="searched",
            )
            for pilot in self.pilots
        )


class TacticsProgress(NamedTuple):
    """How far the making of a suite is."""

    games: int
    positions: int
    wanted: int


def varied_pilots(pilot: Pilot, evaluations: Sequence[str] = ()) -> tuple[Pilot, ...]:
    """A pilot with each of these hand-set evaluations of its game; with all there are, where none is named.

    Players that judge differently give a variety of positions (Skowronski 4.1.1 has three). A game in Python has no
    hand-set evaluation: there it is the pilot alone.
    """
    names = evaluations or evaluation_names(pilot.game)
    return tuple(
        pilot.model_copy(update={"evaluation": Evaluation.linear(pilot.game, evaluation_weights(pilot.game, name))})
        for name in names
    ) or (pilot,)


def make_tactics(
    tactics: Tactics,
    positions: int = 300,
    *,
    games: int | None = None,
    workers: int | Workers = 1,
    on_progress: Callable[[TacticsProgress], object] | None = None,
) -> list[EpdPosition]:
    """A suite of so many different positions, in the order of their games, which are played until there are enough.

    There are fewer where ``games`` have been played before. It is the same however many workers there are, and they
    remember what they have done where their cache is kept in a file.
    """
    if positions < 1:
        raise ValueError(f"positions is {positions}, expected 1 or more")
    if games is None:
        games = GAMES_A_POSITION * positions
    if games < 1:
        raise ValueError(f"games is {games}, expected 1 or more")
    items: list[EpdPosition] = []
    seen: set[int] = set()
    title_lines = 0 if tactics.game == "chess" else 1
    with workers_for(tactics.game, workers) as pool:
        for played, finds in _parts(tactics, games, pool):
            for find in finds:
                if find.key not in seen and len(items) < positions:
                    seen.add(find.key)
                    items.append(find.item(tactics.game, len(items) + 1 + title_lines))
            if on_progress is not None:
                on_progress(TacticsProgress(played, len(items), positions))
            if len(items) == positions:
                break
    return items


def make_tactics_file(
    out: str | PathLike[str],
    tactics: Tactics,
    positions: int = 300,
    *,
    games: int | None = None,
    workers: int | Workers = 1,
    on_progress: Callable[[TacticsProgress], object] | None = None,
) -> list[EpdPosition]:
    """The suite of ``make_tactics`` in a file, written whole or not at all; none where there is no position.

    What is done lies in a file beside it until then, so that whoever was ended goes on.
    """
    out = Path(out)
    work = out.with_name(f"{out.name}.work")
    with workers_for(tactics.game, workers) as pool:
        with pool.remembering(work):
            items = make_tactics(tactics, positions, games=games, workers=pool, on_progress=on_progress)
        if items:
            sealed.write(out, write_suite(items).encode())
    work.unlink(missing_ok=True)
    return items


class _Find(NamedTuple):
    """A position in which one move is best, as plain data."""

    key: int
    """Equal for positions that repeat each other."""
    fen: str
    operations: dict[str, list[str]]

    def item(self, game: str, line: int) -> EpdPosition:
        operations = {name: tuple(operands) for name, operands in self.operations.items()}
        return EpdPosition(
            line=line,
            fen=self.fen,
            best=operations["bm"],
            id=operations["id"][0],
            operations=operations,
            game=game,
        )


class _Part(NamedTuple):
    """Some games to play and to look through."""

    tactics: Tactics
    numbers: range


def _parts(tactics: Tactics, games: int, workers: Workers) -> Iterator[tuple[int, list[_Find]]]:
    """How many games have been played, and the finds of some of them, in the order of their numbers."""
    firsts = range(0, games, _PART_GAMES)
    tasks = (_Part(tactics, range(first, min(first + _PART_GAMES, games))) for first in firsts)
    identity = {"tactics": tactics.content()}

    def key(task: _Part) -> object:
        return {**identity, "first": task.numbers.start, "games": len(task.numbers)}

    while some := list(islice(tasks, _PARTS_AHEAD * workers.count)):
        for task, finds in zip(some, workers.evaluate(_look_through, some, key=key), strict=True):
            yield task.numbers.stop, [_Find(*find) for find in finds]


def _look_through(part: _Part) -> list[list[Any]]:
    """Runs in a worker."""
    tactics, numbers = part
    batch = tactics.batches[numbers.start // _PART_GAMES % len(tactics.batches)]
    tasks = [batch.task(number) for number in numbers]
    played = batch.arena.play(tasks)
    prover, judge = Prover(tactics), _Judge(tactics)
    finds = []
    for place, (number, task) in enumerate(zip(numbers, tasks, strict=True)):
        for find in _finds(tactics, _Score.of(played, place), task.start, number, prover, judge):
            finds.append(list(find))
    return finds


@dataclass(frozen=True)
class _Score:
    """One game as it was played, and what its players thought of it."""

    moves: list[str]
    movers: list[int]
    scores: list[int]
    winner: int | None

    @classmethod
    def of(cls, games: Games, place: int) -> _Score:
        plies = slice(games.starts[place], games.starts[place + 1])
        return cls(
            games.moves[place].split(),
            games.movers[plies].tolist(),
            games.scores[plies].tolist(),
            games.winners[place],
        )

    def won_plies(self, shortest: int, longest: int) -> set[int]:
        """Plies where the mover may have a win of such a length: because he saw one, or went on to win."""
        seen = (win_distance(score) for score in self.scores)
        saw = {ply for ply, distance in enumerate(seen) if distance and shortest <= distance <= longest + _LONGER}
        end = len(self.moves)
        last = range(max(end - longest, 0), end - shortest + 1)
        return saw | {ply for ply in last if self.movers[ply] == self.winner}

    def risen_plies(self, margin: int) -> set[int]:
        """Plies where the mover thought better of his game by a margin than at his move before."""
        risen = set()
        for side in (0, 1):
            own = [ply for ply, mover in enumerate(self.movers) if mover == side]
            for before, ply in pairwise(own):
                judged = max(abs(self.scores[before]), abs(self.scores[ply])) < LEAST_WIN
                if judged and self.scores[ply] - self.scores[before] >= margin:
                    risen.add(ply)
        return risen


def _finds(
    tactics: Tactics, score: _Score, start: Position, number: int, prover: Prover, judge: _Judge
) -> Iterator[_Find]:
    """The positions of one game, none from the line that solves the one before."""
    won = score.won_plies(*tactics.win_plies) if "win" in tactics.kinds else set()
    risen = score.risen_plies(judge.margin) if "gain" in tactics.kinds else set()
    walk, found, free = start.copy(), 0, 0
    for ply, word in enumerate(score.moves):
        if ply >= free and (ply in won or ply in risen):
            position = Position(tactics.game, _fen(walk))
            solved = (ply in won and prover.prove(position)) or (ply in risen and judge.judge(position))
            if solved:
                line = short_line(position, solved.line)
                operations = {
                    "bm": line[:1],
                    "id": [f"{tactics.game} game {number} ply {walk.ply}"],
                    **solved.told,
                    "pv": line,
                }
                yield _Find(position.key, position.fen(), operations)
                found, free = found + 1, ply + len(solved.line)
                if found == tactics.a_game:
                    return
        walk.push(word)


def _fen(position: Position) -> str:
    """The position string of a suite: in chess without its counters, as in EPD."""
    text = position.fen()
    return " ".join([*text.split()[:4], "0", "1"]) if position.game == "chess" else text


class Solved(NamedTuple):
    """Why a move is best."""

    line: list[Move]
    told: dict[str, list[str]]
    """Operations of the suite."""


class Prover:
    """Proves that just one move wins, by full width and without any selectivity: the answer is that of minimax."""

    def __init__(self, tactics: Tactics) -> None:
        """Makes ready to prove wins of the lengths that are wanted."""
        self._shortest, self._longest = tactics.win_plies
        self._nodes = tactics.proof_nodes
        self._searcher = Searcher(_proving_pilot(tactics.game))

    def prove(self, position: Position) -> Solved | None:
        """The line of the only win, if it is as long as wanted; None too where the proof takes too many nodes."""
        moves = position.moves()
        if len(moves) < 2:
            return None
        self._searcher.clear()
        best = self._search(position, self._longest)
        if best is None or not LEAST_WIN <= best.score <= WIN_SCORE - self._shortest:
            return None
        others = self._search(position, self._longest, [move for move in moves if move != best.line[0]])
        if others is None or others.score >= LEAST_WIN:
            return None
        line = self._to_the_end(position, best)
        return None if line is None else Solved(line, {"kind": ["win"], "plies": [str(len(line))]})

    def _to_the_end(self, position: Position, best: _Best) -> list[Move] | None:
        """A line of the shortest win against the longest defence. The table may have ended it early."""
        walk, line = position.copy(), list(best.line)
        for move in line:
            walk.push(move)
        while (left := WIN_SCORE - best.score - len(line)) > 0:
            going_on = self._search(walk, left)
            if going_on is None:
                return None
            line.append(going_on.line[0])
            walk.push(line[-1])
        return line

    def _search(self, position: Position, depth: int, moves: Sequence[Move] = ()) -> _Best | None:
        """The best line of the first depth at which it is decided, or of the last; None if that is not reached."""

        def look(iteration: Iteration) -> None:
            if win_distance(iteration.score) is not None:
                self._searcher.stop()

        limit = Limit(depth=depth, nodes=self._nodes)
        result = self._searcher.search(position, limit, moves=moves, on_iteration=look)
        for iteration in result.iterations:
            if iteration.depth == depth or win_distance(iteration.score) is not None:
                return _Best(iteration.score, iteration.pv)
        return None


class _Best(NamedTuple):
    score: int
    line: list[Move]


def _proving_pilot(game: str) -> Pilot:
    """Full width, no evaluation, a table that is exact: what else it has only orders moves."""
    return Pilot.plain(game).replace(
        {
            "ordering.table_move": True,
            "ordering.captures": not is_python_game(game),
            "ordering.killers": 2,
            "ordering.history": True,
            "ordering.countermove": True,
            "search.table.log2_entries": 18,
            "search.table.probes": 4,
            "search.table.exact": True,
            "search.window.kind": "pvs",
        }
    )


class _Judge:
    """Tells whether one move is better than every other by a margin, the same over several depths, and not too easy."""

    def __init__(self, tactics: Tactics) -> None:
        pilot = tactics.pilots[0]
        self.margin = max(round(tactics.margin * pilot.evaluation.pawn / PAWN), 1)
        """In score units."""
        self._tactics = tactics
        self._searcher = Searcher(pilot)

    def judge(self, position: Position) -> Solved | None:
        """The best line, if its first move is better than all others; None too where that takes too many nodes."""
        if len(position.moves()) < 2:
            return None
        tactics = self._tactics
        self._searcher.clear()
        limit = Limit(depth=tactics.depth, nodes=tactics.proof_nodes)
        result = self._searcher.search(position, limit, lines=2)
        if result.depth < tactics.depth or win_distance(result.score) is not None:
            return None
        last = result.iterations[-tactics.stable_depths :]
        move = last[-1].move
        scores = [iteration.score for iteration in last]
        if any(iteration.move != move or _gain(iteration) < self.margin for iteration in last):
            return None
        if 2 * (max(scores) - min(scores)) > self.margin:
            return None
        easier = result.iterations[: tactics.least_depth - 1]
        if easier and all(iteration.move == move for iteration in result.iterations[len(easier) - 1 :]):
            return None
        gain = min(_gain(iteration) for iteration in last)
        told = {"kind": ["gain"], "ce": [str(scores[-1])], "gain": [str(gain)], "acd": [str(result.depth)]}
        return Solved(result.pv, told)


def _gain(iteration: Iteration) -> int:
    """How much the best line is better than the next, in score units."""
    best, other = iteration.lines[:2]
    return min(best.score - other.score, _LARGEST_GAIN)
