"""What there is to show of networks that order moves: of one pilot, of two, and of a run that has learned one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from plypilot import _core
from plypilot.data.patterns import Patterns, PatternSetError, Split
from plypilot.diagrams import draw_moves, has_board
from plypilot.games import Move, Position, game_info
from plypilot.learn.judged_moves import (
    JudgedMove,
    Worth,
    find_preferences,
    judge,
    order_moves,
    random_positions,
    rank_correlation,
    worth_of,
)
from plypilot.learn.learner import Metrics
from plypilot.learn.move_cases import Cases, Games
from plypilot.learn.move_measures import (
    MoveMeasures,
    ScoredMoves,
    calibration,
    measure,
    score_distribution,
    score_moves,
)
from plypilot.networks import MoveNetwork
from plypilot.pilot import Pilot
from plypilot.play.ratings import elo
from plypilot.replay import move_texts
from plypilot.sections import Beside, Block, Diagrams, Lines, Section, Table, Verbatim
from plypilot.settings import Ordering

if TYPE_CHECKING:
    from plypilot.learn.folder import Run
    from plypilot.learn.movemap import MoveMap

Array = NDArray[np.float64]

_SAMPLED = 10_000
"""Positions over which a report measures."""
_SHOWN_POSITIONS = 6
_DRAWN_BESIDE = 3
_SHOWN_MOVES = 3
_LISTED_MOVES = 8
_SCORE_BINS = 40
_MOST_BINS, _BIN_MOVES = 50, 200
"""Of a calibration: so many bins at most, and about so many moves in each at least."""
_EPOCH_METRICS = (
    "epoch",
    "loss",
    "learn_error",
    "validation_loss",
    "validation_error",
    "validation_mean_rank",
    "validation_first_1",
    "validation_first_3",
    "validation_first_5",
    "best_error",
    "best_epoch",
    "positions",
)
_TRIAL_METRICS = (
    "trial",
    "trial_games",
    "trial_score",
    "captures_first",
    "network_plies",
    "history_weight",
    "is_better",
)
_ENCODINGS = {
    "meos": "has an output for each move",
    "meoc": "has an output for each origin and one for each target, whose mean is the score of a move",
    "mei": "takes the move as an input beside the position, and has one output",
}
_USES = {
    "pure": "Quiet moves are tried in the order of the network's scores.",
    "straightforward": "The network's first choice is tried first, the other quiet moves by history.",
    "weighted": "Quiet moves are tried by the sum of the network's score and of history divided by {weight:.3g}.",
}


# Pilots


def pilot_sections(pilot: Pilot) -> Iterator[Section]:
    """Of a pilot with a network that orders moves: what it is, what it likes, and its order at the start."""
    network = pilot.ordering.network
    if network is None:
        return
    yield Section("order of moves by a network", [describe_network(network), describe_use(pilot.ordering)])
    positions = list(random_positions(pilot.game))
    preferences = find_preferences(pilot.game, network, positions)
    tables = {"moves": preferences}
    if len(preferences) > 2 * _LISTED_MOVES:
        tables = {"likes most": preferences[:_LISTED_MOVES], "likes least": preferences[::-1][:_LISTED_MOVES]}
    if preferences:
        seen = f"{len(positions):,} positions of random games with {game_info(pilot.game).sides[0]} to move"
        told = [
            Table(
                (title, "above the mean", "positions"),
                [(text, f"{mean:+.2f}", str(count)) for text, mean, count in some],
            )
            for title, some in tables.items()
        ]
        yield Section(f"moves that it likes: their scores beside the mean of the position, over {seen}", [Beside(told)])
    judged = judge(pilot.game, network, Position(pilot.game))[:_LISTED_MOVES]
    worth = worth_of(network)
    rows = [(str(place + 1), move.text, move.tell(worth)) for place, move in enumerate(judged)]
    yield Section("its first moves at the start", [Table(("", "move", worth), rows, words=2)])


def comparison_sections(one: Pilot, other: Pilot, names: tuple[str, str]) -> Iterator[Section]:
    """Of two pilots of one game that both have such a network: how alike they order moves, and the start."""
    here, there = one.ordering.network, other.ordering.network
    if one.game != other.game or here is None or there is None or here == there:
        return
    positions = list(random_positions(one.game))
    same, agreement, compared = 0, 0.0, 0
    for position in positions:
        orders = [[move.text for move in judge(one.game, network, position)] for network in (here, there)]
        same += orders[0][0] == orders[1][0]
        if len(orders[0]) > 1:
            agreement += rank_correlation(*orders)
            compared += 1
    told = (
        f"{same / len(positions):.0%} of {len(positions):,} positions of random games have the same first move; "
        f"the mean rank correlation of all moves is {agreement / max(compared, 1):.2f}"
    )
    start = Position(one.game)
    by_name = [{move.text: move for move in judge(one.game, network, start)} for network in (here, there)]
    first = list(dict.fromkeys(text for judged in by_name for text in islice(judged, _LISTED_MOVES)))
    rows = [
        (text, *(judged[text].tell(worth_of(network)) for judged, network in zip(by_name, (here, there), strict=True)))
        for text in first
    ]
    yield Section("order of moves by networks", [told])
    yield Section("first moves at the start", [Table(("move", *names), rows)])


def describe_network(network: MoveNetwork) -> str:
    """What it is, in a sentence."""
    moves = f" ({len(network.moves):,} of them)" if network.encoding == "meos" else ""
    view = "the mover's own side" if network.view == "mover" else "the side of the first player"
    hidden = f"{network.units} hidden units" if network.units else "no hidden layer"
    links = ", with direct links past them" if network.units and network.direct.size else ""
    inputs = f"{' and '.join(network.sets)} ({network.inputs:,} inputs)"
    return (
        f"A network that sees {inputs} and {_ENCODINGS[network.encoding]}{moves}: {hidden}{links}, "
        f"{network.weight_count:,} weights. Squares are seen from {view}."
    )


def describe_use(ordering: Ordering) -> str:
    """Where the search asks the network, and what comes before it."""
    use = _USES[ordering.network_use].format(weight=ordering.history_weight)
    told = [use]
    if ordering.network_use == "weighted" and ordering.history_adaptation:
        told.append(
            f"Misses of either judge change that weight by {ordering.history_adaptation:.0%} during the search."
        )
    plies = ordering.network_plies
    if plies > 1:
        told.append(f"It is asked where {plies} plies or more are left; nearer the leaves history orders moves.")
    else:
        told.append("It is asked wherever the search orders moves above the horizon.")
    before = [
        *(["the move of the table"] if ordering.table_move else []),
        *(["captures"] if ordering.captures else []),
        *(["killers"] if ordering.killers else []),
        *(["the countermove"] if ordering.countermove else []),
    ]
    if before:
        told.append(f"Tried before them: {', '.join(before)}.")
    if ordering.network_refinement:
        told.append(f"Late cut-offs change the network during the search, by {ordering.network_refinement:g}.")
    return " ".join(told)


# Runs


def run_sections(run: Run, learner: MoveMap) -> Iterator[Section]:
    """Of a run: what the network knows, how it came to, what its scores are worth, positions, and its use."""
    if "weights" not in run.state.arrays:
        told = f"The run plays its own games first: {run.state.numbers['played']:,} of {learner.play.games:,}."
        yield Section("What was learned", [told], ("games", "plies"))
        return
    if not run.state.numbers["best_epoch"]:
        yield Section("What was learned", ["No epoch has lowered the error rate yet, so the pilot is as it was."])
        return
    epochs = [line for line in run.metrics if "validation_error" in line]
    sample: Sample | str
    try:
        sample = Sample.of(run, learner)
    except (PatternSetError, OSError) as error:
        sample = f"What follows from positions of the pattern set is left out: {error}"
    yield Section("What was learned", list(_learned(run, epochs, sample)))
    if len(epochs) > 1:
        yield Section("How it learned", list(_curves(epochs)), (*_EPOCH_METRICS, "games", "plies"))
    if isinstance(sample, Sample) and len(sample.cases):
        yield Section("What scores are worth", list(_scores(sample)))
        yield Section("Positions", list(_positions(sample)))
    ordering = run.pilot.ordering
    if ordering.network is not None:
        yield Section("In the search", [describe_use(ordering), *_ways(run, learner)], _TRIAL_METRICS)


@dataclass(frozen=True)
class Sample:
    """Some positions that took no part in learning, and the network as learned."""

    game: str
    split: Split
    patterns: Patterns
    learner: MoveMap
    encoder: _core.MoveEncoding
    weights: NDArray[np.float32]

    @classmethod
    def of(cls, run: Run, learner: MoveMap) -> Sample:
        """Of the test split; of the validation split where that has no positions. Raises PatternSetError."""
        state = run.state
        game: str = run.facts["game"]
        patterns = learner.patterns(state)
        where = learner.select.where()
        split: Split = "test" if patterns.counts("test", where).positions else "validation"
        return cls(
            game,
            split,
            patterns,
            learner,
            learner.encoder(game, np.array(state.numbers["moves"])),
            state.arrays["best"],
        )

    def games(self, positions: int) -> Games:
        """The games of a fair sample of so many positions."""
        return Games.join(self.patterns.blocks(self.split, where=self.learner.select.where(), positions=positions))

    @cached_property
    def cases(self) -> Cases:
        """Of as many positions as are measured."""
        return Cases.of(self.encoder, self.games(_SAMPLED))

    @cached_property
    def trainer(self) -> _core.MoveMapTrainer:
        """What passes over cases."""
        return self.learner.trainer(self.encoder)

    @property
    def worth(self) -> Worth:
        """How scores are told."""
        return "share" if self.learner.teaches_shares else "score"

    @cached_property
    def measures(self) -> MoveMeasures:
        """Of all cases."""
        return measure(self.trainer, self.weights, [self.cases])

    @cached_property
    def scored(self) -> ScoredMoves:
        """All moves of all cases."""
        return score_moves(self.trainer, self.weights, [self.cases])

    @property
    def chance(self) -> float:
        """How often the best move would come first if moves were tried in random order."""
        return float(np.mean(1 / np.diff(self.cases.move_starts)))

    def judged(self, positions: int) -> Iterator[tuple[Position, Move, list[JudgedMove]]]:
        """Some positions, the move called best in each, and what the network says of all."""
        games = self.games(positions)
        cases = Cases.of(self.encoder, games)
        scores = self.trainer.scores(self.weights, cases.native)
        for number, position in enumerate(_replay(self.game, games)):
            moves = self.encoder.encode(position)[2]
            within = scores[cases.move_starts[number] : cases.move_starts[number + 1]]
            yield position, moves[cases.best[number]], order_moves(position, moves, within)


def _replay(game: str, games: Games) -> Iterator[Position]:
    """The labelled positions of games, in their order."""
    texts = move_texts(game, games.moves)
    for number, start in enumerate(games.starts):
        position = Position(game, start)
        for ply in range(games.offsets[number], games.offsets[number + 1]):
            if games.labels[ply]:
                yield position.copy()
            position.push(texts[ply])


def _learned(run: Run, epochs: Sequence[Metrics], sample: Sample | str) -> Iterator[Block]:
    network = run.pilot.ordering.network
    if network is not None and network != run.start.ordering.network:
        yield describe_network(network)
    yield (
        f"The network of epoch {run.state.numbers['best_epoch']} is kept, of {len(epochs)}: it had the lowest error "
        f"rate on the validation split, {float(run.state.numbers['best_error']):.1%}."
    )
    if run.pilot == run.start:
        yield "The pilot is as it was at the start."
    if isinstance(sample, str):
        yield sample
    elif len(sample.cases):
        yield from _tell_measures(sample)


def _tell_measures(sample: Sample) -> Iterator[Block]:
    found = sample.measures
    apart = "took no part in learning" if sample.split == "test" else "chose the epoch, since the test split is empty"
    first, three, five = (found.share_within(count) for count in (1, 3, 5))
    yield (
        f"Over {found.cases:,} positions of the {sample.split} split, which {apart}, the best move comes first in "
        f"{first:.1%}, among the first three in {three:.1%} and among the first five in {five:.1%}. Its mean rank is "
        f"{found.mean_rank:.1f} of {found.moves / found.cases:.1f} moves. In random order it would come first in "
        f"{sample.chance:.1%}."
    )


def _curves(epochs: Sequence[Metrics]) -> Iterator[Block]:
    def column(key: str) -> Array:
        return np.array([float(line[key]) for line in epochs])

    x = column("epoch")
    yield Lines(
        x,
        {"validation": column("validation_error"), "learning": column("learn_error")},
        "epochs",
        "error rate",
        "How often the best move does not come first. That of the learning split is measured while the weights change.",
        2.6,
    )
    ranks = {f"in the first {count}": column(f"validation_first_{count}") for count in (5, 3)}
    yield Lines(
        x,
        {**ranks, "first": column("validation_first_1")},
        "epochs",
        "share of positions",
        "Where the best move comes in the network's order, on the validation split.",
        2.6,
    )
    mean_rank = {"mean rank": column("validation_mean_rank")}
    yield Lines(x, mean_rank, "epochs", "rank", "The mean rank of the best move, on the validation split.", 2.0)
    losses = {"validation": column("validation_loss"), "learning": column("loss")}
    yield Lines(x, losses, "epochs", "loss", "The loss of a position, which learning makes smaller.", 2.0)


def _scores(sample: Sample) -> Iterator[Block]:
    scored = sample.scored
    spread = score_distribution(scored, _SCORE_BINS)
    middles = (spread.edges[:-1] + spread.edges[1:]) / 2
    shares = {
        name: counts / max(int(counts.sum()), 1)
        for name, counts in (("best moves", spread.best), ("all moves", spread.moves))
    }
    caption = (
        f"How often scores of each size come up. The mean is {spread.mean:.2f} and the standard deviation "
        f"{spread.deviation:.2f}, from which the weight of history follows where none is named."
    )
    yield Lines(middles, shares, "score", "share of moves", caption, 2.6)
    numbers = scored.shares if sample.worth == "share" else sample.learner.chances(scored.scores)
    bins = calibration(numbers, scored.is_best, min(_MOST_BINS, max(2, len(numbers) // _BIN_MOVES)))
    means = np.array([part.mean for part in bins])
    lines = {"is the best": np.array([part.best_share for part in bins]), f"as the {sample.worth} says": means}
    meaning = (
        "The chance to be the best move that the network gives a move (the softmax of its score)"
        if sample.worth == "share"
        else "The score of a move"
    )
    caption = f"{meaning}, and how often such a move is the best: {len(bins)} bins of as many moves each."
    yield Lines(means, lines, sample.worth, "share of moves", caption, 2.6)


def _positions(sample: Sample) -> Iterator[Block]:
    """Boards where the game has one, text where it has not, and a table of all."""
    rows, diagrams, drawings = [], [], []
    draws_boards = has_board(game_info(sample.game))
    for number, (position, best, judged) in enumerate(sample.judged(_SHOWN_POSITIONS), start=1):
        rank = next(place for place, move in enumerate(judged, start=1) if move.move == best)
        shown = judged[:_SHOWN_MOVES]
        told = [f"{move.text} {move.tell(sample.worth)}" for move in shown]
        rows.append((str(number), judged[rank - 1].text, str(rank), *told, *[""] * (_SHOWN_MOVES - len(told))))
        title = f"{number}: {game_info(sample.game).sides[position.turn]} to move"
        if draws_boards:
            texts = [
                f"{text}{', called the best' if move.move == best else ''}"
                for move, text in zip(shown, told, strict=True)
            ]
            if rank > _SHOWN_MOVES:
                shown = [*shown, judged[rank - 1]]
                texts.append(f"{shown[-1].text} {shown[-1].tell(sample.worth)}, called the best: rank {rank}")
            diagrams.append(draw_moves(position, title, [move.move for move in shown], texts))
        else:
            drawings.append(f"{title}\n\n{position}")
    yield (
        f"{len(rows)} positions of the {sample.split} split, as chance has it, with the moves that the network likes "
        "best and the move that is called the best."
    )
    if diagrams:
        yield Diagrams(
            diagrams, f"Arrows are the {_SHOWN_MOVES} likeliest moves, and the best one where it is another."
        )
    for first in range(0, len(drawings), _DRAWN_BESIDE):
        yield Verbatim(_beside(drawings[first : first + _DRAWN_BESIDE]))
    yield Table(("position", "best", "its rank", "likeliest", "second", "third"), rows, words=6)


def _ways(run: Run, learner: MoveMap) -> Iterator[Block]:
    """The ways of use that were tried, if any were."""
    trials = learner.tried_ways(run.state)
    if not trials:
        return
    yield (
        "Ways of use were tried by games, each against the best until then: at equal nodes, less those that the time "
        "of asking is worth. A way takes its place where the test finds it better."
    )
    rows = [
        (
            "first" if trial.way.captures else "with the others",
            str(trial.way.plies),
            f"{trial.way.history_weight:.3g}",
            str(trial.results.games),
            f"{trial.results.score:.1%}",
            str(elo(trial.results)),
            "taken" if trial.is_better else "",
        )
        for trial in trials
    ]
    yield Table(("captures", "asked from plies", "history divided by", "games", "score", "Elo", ""), rows)


def _beside(texts: Sequence[str], gap: int = 6) -> str:
    """Texts of several lines in one, each to the right of the one before."""
    blocks = [text.splitlines() for text in texts]
    widths = [max(map(len, lines), default=0) + gap for lines in blocks]
    rows = zip_longest(*blocks, fillvalue="")
    return "\n".join("".join(map(str.ljust, row, widths)).rstrip() for row in rows)
