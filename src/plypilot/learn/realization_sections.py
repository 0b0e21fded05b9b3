"""What there is to show of a run that has learned realization probabilities: kinds of moves, what they cost, trials."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from plypilot.diagrams import draw_moves, has_board
from plypilot.games import game_info
from plypilot.learn.judged_moves import random_positions
from plypilot.play.ratings import elo
from plypilot.sections import Block, Diagrams, Section, Table, Verbatim, bar

if TYPE_CHECKING:
    from plypilot.learn.folder import Run
    from plypilot.learn.realization import Kind, Realization

_LISTED = 15
_SHOWN_POSITIONS = 3
_SHOWN_MOVES = 3
_BAR_PLIES = 4.0
"""What a whole bar stands for."""
_COUNT_METRICS = ("games", "positions", "kinds")
_TRIED = ("constant", "contrast", "strength", "history", "least_cost")
_TRIAL_METRICS = ("trial", "trial_games", "trial_score", *_TRIED, "is_better")


def run_sections(run: Run, learner: Realization) -> Iterator[Section]:
    """Of a run: kinds of moves with their shares and costs, positions with their likeliest moves, and the trials."""
    state = run.state
    kinds = sorted(learner.kinds(state), key=lambda kind: -kind.possible)
    if not kinds:
        return
    game: str = run.facts["game"]
    yield Section("What was learned", list(_learned(run, learner, kinds, game)), _COUNT_METRICS)
    yield Section("Positions", list(_positions(learner, kinds, game)))
    if learner.tried_ways(state):
        yield Section("In the search", list(_ways(run, learner)), _TRIAL_METRICS)


def words_of(game: str, features: int) -> str:
    """A category in words: the names of its features."""
    names = [feature.name for bit, feature in enumerate(game_info(game).move_features) if features >> bit & 1]
    return " and ".join(name.replace("_", " ") for name in names) or "no feature"


def _learned(run: Run, learner: Realization, kinds: list[Kind], game: str) -> Iterator[Block]:
    way = learner.best_or_first_way(run.state)
    constant, contrast = way.constant, way.contrast
    positions = int(run.state.numbers["positions"])
    what = "categories" if learner.categories else "kinds of moves, each a combination of features,"
    yield (
        f"In {positions:,} positions {len(kinds):,} {what} were counted. A kind that is played in the share P of the "
        f"positions where it is possible costs log P / log {constant:g} plies, so that one of the share {constant:g} "
        "costs one ply." + (f" The cost is then taken {contrast:g} times as far from one ply." if contrast != 1 else "")
    )
    if run.pilot == run.start:
        yield "The pilot is as it was at the start: no way of use was found better."
    seen = [kind for kind in kinds if kind.possible >= learner.prior]
    by_share = sorted(seen, key=lambda kind: -learner.share(kind))
    tables = {
        "most frequent": kinds[:_LISTED],
        "likeliest": by_share[:_LISTED],
        "least likely": by_share[::-1][:_LISTED],
    }
    for title, some in tables.items():
        rows = []
        for kind in some:
            cost = learner.cost(kind, constant, contrast)
            share = f"{learner.share(kind):.2%}"
            rows.append(
                (words_of(game, kind.features), bar(cost / _BAR_PLIES), f"{kind.possible:,}", share, f"{cost:.2f}")
            )
        yield Table((title, "cost", "positions", "played", "plies"), rows, words=2)


def _positions(learner: Realization, kinds: list[Kind], game: str) -> Iterator[Block]:
    shares = {kind.features: learner.share(kind) for kind in kinds}

    def likeliest(features: int) -> float:
        if learner.categories:
            return max((share for known, share in shares.items() if features & known == known), default=0.0)
        return shares.get(features & learner.wanted(game), 0.0)

    diagrams, drawings = [], []
    positions = [position for position in random_positions(game) if len(position.moves()) > _SHOWN_MOVES]
    for number, position in enumerate(positions[:: max(1, len(positions) // _SHOWN_POSITIONS)][:_SHOWN_POSITIONS], 1):
        moves = sorted(position.moves(), key=lambda move: -likeliest(position.move_features(move)))[:_SHOWN_MOVES]
        told = [
            f"{move} {likeliest(features):.1%}: {words_of(game, features)}"
            for move in moves
            for features in [position.move_features(move)]
        ]
        title = f"{number}: {game_info(game).sides[position.turn]} to move"
        if has_board(game_info(game)):
            diagrams.append(draw_moves(position, title, moves, told))
        else:
            drawings.append("\n".join([title, "", str(position), *told]))
    yield "Positions of random games with the moves whose kinds are played most often where they are possible."
    if diagrams:
        yield Diagrams(diagrams, f"Arrows are the {_SHOWN_MOVES} moves of the likeliest kinds.")
    for drawing in drawings:
        yield Verbatim(drawing)


def _ways(run: Run, learner: Realization) -> Iterator[Block]:
    yield (
        "Ways of use were tried by games at equal nodes, each against the best until then, the first against the pilot "
        f"of the start. A way takes its place where the test finds it better by more than {learner.trials.cost:g} Elo."
    )
    rows = [
        (
            trial.way.tell(),
            str(trial.results.games),
            f"{trial.results.score:.1%}",
            str(elo(trial.results)),
            "taken" if trial.is_better else "",
        )
        for trial in learner.tried_ways(run.state)
    ]
    yield Table(("way of use", "games", "score", "Elo", ""), rows)
