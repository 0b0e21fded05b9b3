"""Learned forward pruning in chess: Kocsis 2003, 4.4.4 to 4.5.2, tables D.2 to D.4, figures 4.5 to 4.7.

    python experiments/kocsis_4_chess.py [--scale SCALE] [--threads N] [--data GAMES]

The scale is quick, full, or a part of full: DEPTH-ply, DEPTH-iteration, DEPTH-distance or DEPTH-function for a
reference depth from 4 to 7, or inputs, or passing; full gathers what its parts have measured and measures the rest.
Each part is made to take an hour at the most on two cores; the first of them learns the order of moves, which the
others share.

The seed's program is CRAFTY; ours is the baseline of chess with late moves, futility and late-move reductions off, and
its quiet moves are ordered by the weighted sum of history and a network that learned middle-game positions of all
openings (4.4.4): of the games that --data names, else of games that the baseline plays with itself. A full-width search
to the reference depth sets the limit of nodes. Searches that are a ply deeper keep to it by widths (by ply: FPV-d, by
iteration: FPV-it, by distance to the leaves: FPV-l) or by a pruning function. Of two moves the better one is told by a
search with all selectivity of the baseline. What a search is worth is the mean difference of its moves and those of the
full-width search, in hundredths of a pawn.

There are three sets of middle-game positions that share no position: one to learn pruning functions from, one to choose
widths by, and a fresh one that has chosen nothing, on which the winners are measured again. Vectors are sought by
TS-FPV. The seed has 3,000 positions at every depth and looks at 100 of them first; at depth 4 so do we, and where nodes
cost more they are fewer, down to 500 and 20 at depth 7. A move is judged by a search of 60,000 nodes. Intervals are
bootstraps over positions, paired where two searches are compared.

The rules, fixed before the run, on fresh positions. FPV-l is the best of the three kinds at most of the depths, and its
worth is positive: matched where the 95% interval over all depths together is above 0, not matched where it is below,
else open. The function is better than the best FPV-l, by the paired difference over all depths in the same way; the
search that is a ply deeper at full width is better than both. Of the inputs, board makes a function better on what it
learned from and worse on fresh positions; learned beforehand and kept, it does no such harm.

The same function and rewards are used once on another decision (the end of 4.3.2): asked before the side to move
passes, it says whether R of the null move is 2 or 3, for a ply more than the reference depth and at a limit of nodes
between those of both. On fresh positions, paired: matched where it is better than R = 3 everywhere by an interval above
0 and takes fewer nodes than R = 2 everywhere, not matched where it is worse than R = 3, else open.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import plypilot as pp
from chess_claims import ALL
from chess_pilots import ordered
from chess_prediction import Library, Predictor, learn
from harness import Figures, Harness, read_options, start
from plypilot.compute import Workers
from plypilot.learn import NO_CHECKS
from plypilot.learn.learner import take_steps
from plypilot.learn.move_worths import MoveWorths, choose, judging_pilot
from plypilot.learn.pruning import ForwardPruning
from plypilot.learn.widths import Widths
from plypilot.settings import Seen
from plypilot.versions import core_digest
from pruning_claims import (
    ADAPTIVE_R,
    BOARD,
    CLAIMS,
    DEEPER,
    FUNCTION,
    KEPT_BOARD,
    KINDS,
    LARGE_R,
    LEARNED_PASSING,
    MAIN_ALONE,
    SMALL_R,
    draw_figures,
    show_inputs,
    show_kinds,
    show_passing,
    write_worths,
)

LEARNING_SEED, POSITION_SEED = 1, 5
WIDTHS = (1, 2, 3, 4, 5, 10, 20, 30, 40, 50)
"""Of 4.4.4; all moves are one more."""
MOST = 500
"""Hundredths of a pawn beyond which one score is as good as another."""
BEST = 3
"""Vectors of each kind that are measured again."""
METHOD = {"epochs": 10, "sharing": True}
"""How the network learns the order of moves."""
MAIN: tuple[Seen, ...] = ("iteration", "ply", "distance")
USEFUL: tuple[Seen, ...] = ("depth", "changes", "table")
"""The inputs that the seed found beneficial, and those that it found useful."""
RL_FPF: Mapping[str, Any] = {"trees": "pruned", "spares_line": False, "budget": 0.0}
"""The seed's way: all rewards at once in the trees that the function prunes, which it is asked everywhere in."""
PASSING: Mapping[str, Any] = {"pruning.null_reduction": 2, "pruning.null_adaptive": False}
"""Where the function that decides what passing takes begins: it may add a ply."""
PASSING_RULES: Mapping[str, Mapping[str, Any]] = {
    SMALL_R: {},
    LARGE_R: {"pruning.null_reduction": 3},
    ADAPTIVE_R: {"pruning.null_adaptive": True},
}
PASSING_BUDGET = 0.9
"""Of the learner: by ratio between the nodes of the reference depth and those of a ply more with R = 2."""
TRIED: Mapping[str, tuple[Seen, ...]] = {
    MAIN_ALONE: (),
    **{f"and {name}": (name,) for name in (*USEFUL, "nodes", "change_ranks", "order", "features")},
    BOARD: ("board",),
    KEPT_BOARD: ("board",),
}
"""Inputs beside the main ones."""


@dataclass(frozen=True)
class Effort:
    """How much one reference depth takes."""

    positions: int = 3000
    """To choose by, and as many fresh ones."""
    learning: int = 3000
    """That functions learn from."""
    few: int = 100
    """Of a first look at vectors."""
    patience: int = 8


@dataclass(frozen=True)
class Scale:
    """Which parts are measured, and how much they take."""

    parts: tuple[tuple[int, str], ...]
    """Reference depths, each with a kind of pruning."""
    efforts: Mapping[int, Effort]
    inputs: Effort | None = None
    """By which inputs are told apart, at the least depth."""
    passing: tuple[int, Effort] | None = None
    """The reference depth at which a function decides what passing takes, and its effort."""
    epochs: int = 60
    reference_nodes: int = 60_000
    """Of the search that judges a move. With 250,000, about as many as the seed's, a worth costs four times as much and
    tells hardly more: in 53 positions where 3 and 4 plies choose different moves, the differences of worth by both
    judges correlate by 0.81, have the same sign in 89% of the cases, and means that differ by 4.5 +- 4.5. By another
    judge a difference changes by 33 hundredths of a pawn (standard deviation), from one position to another by 55: so
    four times as many positions say more than four times as many nodes."""
    own_positions: int = 300_000
    """Of own games, where no others are named."""
    own_nodes: int = 500
    board: Mapping[str, int] = field(default_factory=lambda: {"board_epochs": 20, "board_positions": 1500})


EFFORTS = {
    4: Effort(),
    5: Effort(2000, 1200),
    6: Effort(1000, 400, 50, 6),
    7: Effort(500, 100, 20, 3),
}
PARTS = tuple((depth, kind) for depth in EFFORTS for kind in (*KINDS, FUNCTION))
FULL = Scale(PARTS, EFFORTS, Effort(2000, 500), (5, Effort(2000, 600)))
SCALES: dict[str, Scale] = {
    "tiny": Scale(
        tuple((2, kind) for kind in (*KINDS, FUNCTION)),
        {2: Effort(12, 8, 4, 1)},
        Effort(12, 8),
        (2, Effort(12, 8)),
        epochs=14,
        reference_nodes=100,
        own_positions=1500,
        own_nodes=30,
        board={"board_epochs": 1, "board_positions": 4},
    ),
    "quick": Scale(
        tuple((depth, kind) for depth in (3, 4) for kind in (*KINDS, FUNCTION)),
        {3: Effort(200, 200, 40, 2), 4: Effort(100, 100, 40, 2)},
        passing=(4, Effort(100, 100)),
        epochs=20,
        reference_nodes=10_000,
        own_positions=20_000,
        own_nodes=300,
    ),
    **{f"{depth}-{kind}": replace(FULL, parts=((depth, kind),), inputs=None, passing=None) for depth, kind in PARTS},
    "inputs": replace(FULL, parts=(), passing=None),
    "passing": replace(FULL, parts=(), inputs=None),
    "full": FULL,
}


class Laboratory:
    """What all parts share: the pilot with its order of moves, the positions, and workers that remember searches."""

    def __init__(self, made: Harness, library: Library, scale: Scale, workers: Workers) -> None:
        self.made, self.scale, self.workers = made, scale, workers
        settings = {**METHOD, "epochs": min(METHOD["epochs"], scale.epochs)}
        predictor: Predictor = learn(made, library.patterns, library.where(ALL), settings, LEARNING_SEED)
        self.pilot = ordered("reduced", predictor, "weighted")
        self.worths = MoveWorths(judging_pilot(self.pilot), scale.reference_nodes, MOST)
        efforts = [
            *scale.efforts.values(),
            *([scale.inputs] if scale.inputs else []),
            *([scale.passing[1]] if scale.passing else []),
        ]
        most = max(2 * effort.positions + effort.learning for effort in efforts)
        self._positions = library.test_positions(ALL, most, POSITION_SEED)

    def positions(self, effort: Effort, use: str) -> list[str]:
        """To learn from, to choose by, or fresh ones; fewer where there are too few games."""
        counts = {"choosing": effort.positions, "fresh": effort.positions, "learning": effort.learning}
        part = min(1.0, len(self._positions) / sum(counts.values()))
        begin = 0
        for name, count in counts.items():
            end = begin + int(count * part)
            if name == use:
                return self._positions[begin:end]
            begin = end
        raise KeyError(use)

    def gains(self, pilot: pp.Pilot, positions: Sequence[str], depth: int, deeper: int = 1) -> tuple[str, float]:
        """How much better the moves of a pilot are, position by position, and its nodes beside those of full width."""
        (usual,) = choose([self.pilot], positions, depth, 10**8, self.workers)
        (own,) = choose([pilot], positions, depth + deeper, 10**8, self.workers)
        gained = self.worths.difference(
            positions, [choice.move for choice in own], [choice.move for choice in usual], self.workers
        )
        return write_worths(gained), sum(choice.nodes for choice in own) / sum(choice.nodes for choice in usual)

    def widths(self, depth: int, kind: str) -> Figures:
        """The best vectors of a kind, chosen on one set of positions and measured again on the fresh one."""
        effort = self.scale.efforts[depth]
        positions, unseen = self.positions(effort, "choosing"), self.positions(effort, "fresh")
        learner = Widths(
            by=(kind,),  # type: ignore[arg-type]
            widths=WIDTHS,
            count="quiet",
            depth=depth,
            budget=0.0,
            full_plies=0,
            few=min(effort.few, len(positions)),
            positions=len(positions),
            reference_nodes=self.scale.reference_nodes,
            most=MOST,
            patience=effort.patience,
            trials={"games": 0},  # type: ignore[arg-type]
        )
        begun = learner.start(self.pilot, LEARNING_SEED)
        begun = replace(begun, numbers={**begun.numbers, "positions": positions})
        *_, (state, _) = take_steps(learner, begun, self.workers)
        rows = []
        for judged in learner.judged(state)[:BEST]:
            widths = learner.read(state, judged)
            fresh, share = self.gains(learner.steer(self.pilot, kind, widths), unseen, depth)  # type: ignore[arg-type]
            rows.append({"widths": list(widths), "chosen": judged.worth, "share": round(share, 4), "fresh": fresh})
        return {"rows": rows, "critical": learner.exploration(state, kind).cycles, "monotony": learner.monotony(state)}  # type: ignore[arg-type]

    def function(
        self, depth: int, effort: Effort, inputs: Sequence[str], start: pp.Pilot | None = None, **settings: Any
    ) -> Figures:
        """A function that was learned from positions of its own: its worth there, and on fresh positions."""
        start = start or self.pilot
        positions = self.positions(effort, "learning")
        others = self.positions(effort, "choosing")[: settings.get("board_positions", 0)]
        text = "".join(f"{' '.join(fen.split()[:4])}\n" for fen in (*positions, *others))
        suite = self._file(text, "epd")
        suite.write_text(text, encoding="utf-8")
        learner = ForwardPruning(
            inputs=tuple(inputs),  # type: ignore[arg-type]
            suite=str(suite),
            positions=len(positions),
            depth=depth,
            reference_nodes=self.scale.reference_nodes,
            most=MOST,
            epochs=self.scale.epochs,
            trials={"games": 0},  # type: ignore[arg-type]
            **{**RL_FPF, **settings},
        )
        folder = self._file(f"{learner.model_dump_json(exclude={'suite'})} {text} {start.digest}", "run")
        run = pp.learn.train(
            learner,
            start,
            folder,
            seed=LEARNING_SEED,
            workers=self.made.threads,
            checks=NO_CHECKS,
            resume=folder.exists(),
        )
        best = learner.best(run.state)
        if best is None:
            return {"learning": None, "fresh": "", "share": None}
        pilot = learner.steer(start, run.state.arrays["best"])
        fresh, share = self.gains(pilot, self.positions(effort, "fresh"), depth)
        return {"learning": best.worth, "fresh": fresh, "share": round(share, 4)}

    def passing(self, depth: int, effort: Effort) -> Figures:
        """A function that decides how much passing takes, R or a ply more, beside the same search with one R everywhere
        and with Heinz' rule.
        """
        fresh = self.positions(effort, "fresh")
        start = self.pilot.replace(PASSING)
        told: Figures = {}
        for name, changes in PASSING_RULES.items():
            worths, share = self.gains(self.pilot.replace({**PASSING, **changes}), fresh, depth)
            told[name] = {"fresh": worths, "share": round(share, 4)}
        told[LEARNED_PASSING] = self.function(
            depth, effort, (*MAIN, *USEFUL), start, decides="passing", checkpoints=(0,), budget=PASSING_BUDGET
        )
        return told

    def _file(self, identity: str, kind: str) -> Path:
        folder = self.made.folder / "runs" / self.made.name / core_digest()[:8]
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{hashlib.sha256(identity.encode()).hexdigest()[:16]}.{kind}"

    def deeper(self, depth: int) -> Figures:
        """The full-width search with a ply more."""
        effort = self.scale.efforts[depth]
        fresh, share = self.gains(self.pilot, self.positions(effort, "fresh"), depth)
        return {"fresh": fresh, "share": round(share, 4)}


@contextmanager
def remembering(made: Harness) -> Iterator[Workers]:
    """Workers whose searches are kept, so that a part goes on where it was and parts share what they have in common."""
    path = made.folder / "runs" / made.name / f"searches-{core_digest()[:16]}.jsonl"
    with Workers.threads(made.threads) as workers, workers.remembering(path):
        yield workers


def measure(made: Harness, lab: Laboratory, scale: Scale) -> Figures:
    """All parts of a scale."""

    def once(what: str, depth: int, effort: Effort, more: object, work: Callable[[], Figures]) -> Figures:
        key = [depth, more, asdict(effort), scale.epochs, scale.reference_nodes, lab.pilot.digest]
        return made.measure(what, [0], lambda _: key, lambda _: work())[0]

    figures: Figures = {"depths": {}, "inputs": {}, "passing": {}}
    for depth, kind in scale.parts:
        told = figures["depths"].setdefault(str(depth), {})
        effort, inputs = scale.efforts[depth], (*MAIN, *USEFUL)
        told[DEEPER] = once(f"depth {depth}, {DEEPER}", depth, effort, DEEPER, partial(lab.deeper, depth))
        work = partial(lab.function, depth, effort, inputs) if kind == FUNCTION else partial(lab.widths, depth, kind)
        told[kind] = once(f"depth {depth}, {kind}", depth, effort, kind, work)
    if scale.inputs:
        depth = min(scale.efforts)
        for name, more in TRIED.items():
            board: dict[str, Any] = dict(scale.board) if name == KEPT_BOARD else {}
            work = partial(lab.function, depth, scale.inputs, (*MAIN, *more), **board)
            figures["inputs"][name] = once(f"inputs: {name}", depth, scale.inputs, [name, board], work)
    if scale.passing:
        depth, effort = scale.passing
        figures["passing"] = once("what passing takes", depth, effort, "passing", partial(lab.passing, depth, effort))
    return figures


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES, data="chess games on record, in any format that import takes")
    scale = SCALES[options.scale]
    made = Harness("kocsis_4_chess", options.scale, threads=options.threads, folder=options.out)
    try:
        library = Library.open(made, options.data, own_positions=scale.own_positions, own_nodes=scale.own_nodes)
        with remembering(made) as workers:
            lab = Laboratory(made, library, scale, workers)
            figures = measure(made, lab, scale)
        for depth, told in figures["depths"].items():
            show_kinds(made, depth, told)
        if figures["inputs"]:
            show_inputs(made, figures["inputs"])
        if figures["passing"]:
            show_passing(made, figures["passing"])
        if all(kind in told for told in figures["depths"].values() for kind in KINDS) and figures["depths"]:
            made.draw(lambda: draw_figures(figures))
        settings = {
            "scale": asdict(scale),
            "pilot": lab.pilot.digest[:16],
            "records": None if options.data is None else options.data.name,
            "seeds": [LEARNING_SEED, POSITION_SEED],
        }
        made.conclude(CLAIMS, figures, settings=settings, seed=LEARNING_SEED)
    finally:
        made.close()


if __name__ == "__main__":
    start(main)
