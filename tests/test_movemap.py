"""The learner of move maps: cases and their blocks, what networks learn from them, measures, and runs."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import plypilot as pp
from conftest import EXAMPLES
from plypilot import _core
from plypilot.compute import Workers
from plypilot.data.patterns import PatternSetError
from plypilot.learn import NO_CHECKS, check_learner
from plypilot.learn.descent import AdaGrad, Adam
from plypilot.learn.learner import State, take_steps
from plypilot.learn.move_cases import CaseBlocks, Cases, Games, legal_codes
from plypilot.learn.move_measures import (
    MoveMeasures,
    ScoredMoves,
    calibration,
    measure,
    score_distribution,
    score_moves,
)
from plypilot.learn.movemap import MoveMap, NetworkShape
from plypilot.learn.rprop import Rprop
from plypilot.learn.selfplay_set import LabelledGame, SelfPlay, hold_games, make_selfplay_set
from plypilot.move_maps import native_map
from plypilot.networks import native_encoding
from plypilot.pilot import PilotError
from plypilot.searcher import Limit

SMALL = "breakthrough-5x5"
CONNECT_FOUR = "connect_four:ConnectFour"
ENCODINGS = ("meos", "meoc", "mei")
FEW_GAMES: dict[str, Any] = {
    "play": {"games": 60, "batch": 30, "nodes": 100, "side_lines": 1},
    "epochs": 3,
    "batch": 64,
    "trials": {"games": 0},
}


@pytest.fixture(autouse=True)
def _examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))


# Cases


def random_games(game: str, count: int, seed: int = 0) -> list[LabelledGame]:
    """Games of random moves, in which another random move is called the best at two plies of three."""
    rng = random.Random(seed)
    games = []
    for _ in range(count):
        position, moves, labels = pp.Position(game), [], []
        for ply in range(rng.randrange(10, 40)):
            legal = position.moves()
            if position.outcome() is not None or not legal:
                break
            moves.append(rng.choice(legal))
            labels.append(str(rng.choice(legal)) if ply % 3 else "*")
            position.push(moves[-1])
        games.append(LabelledGame(" ".join(map(str, moves)), " ".join(labels), "1/2-1/2"))
    return games


def all_games(game: str, count: int, seed: int = 0) -> Games:
    held = hold_games(game, random_games(game, count, seed))
    return Games.join(block for split in ("learn", "validation", "test") for block in held.blocks(split))


def reference_cases(encoder: _core.MoveEncoding, game: str, games: Games) -> list[tuple[Any, ...]]:
    """What cases must be, from positions that are played through one by one."""
    made = []
    for number in range(len(games)):
        position = pp.Position(game)
        for ply in range(games.offsets[number], games.offsets[number + 1]):
            inputs, values, moves, keys = encoder.encode(position)
            bits = [_bits(game, position, move) for move in moves]
            if games.labels[ply]:
                made.append((inputs.tolist(), values.tolist(), keys.tolist(), bits.index(int(games.labels[ply]))))
            position.push(moves[bits.index(int(games.moves[ply]))])
    return made


def _bits(game: str, position: pp.Position, move: pp.Move) -> int:
    """The bits of a move, which native games tell; those of others are found by reading a game of one move."""
    if ":" not in game:
        return int(move.value)
    from plypilot.replay import read_games

    words = " ".join([*map(str, position.played), str(move)])
    return int(read_games(game, [None], [words]).moves[-1])


@pytest.mark.parametrize("game", ["chess", "loa", SMALL, "shogi", CONNECT_FOUR])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_cases_are_the_labelled_positions_of_games(game: str, encoding: str) -> None:
    games = all_games(game, 6)
    codes = legal_codes(native_encoding(game, "meos", "mover", ["board"]), games) if encoding == "meos" else ()
    encoder = native_encoding(game, encoding, "mover", ["board"], codes)
    cases = Cases.of(encoder, games)
    told = []
    for number in range(len(cases)):
        inputs = slice(cases.input_starts[number], cases.input_starts[number + 1])
        moves = slice(cases.move_starts[number], cases.move_starts[number + 1])
        values = cases.values[inputs] if len(cases.values) else np.ones(inputs.stop - inputs.start)
        keys = cases.keys.reshape(-1, cases.width)[moves]
        told.append((cases.inputs[inputs].tolist(), values.tolist(), keys.tolist(), int(cases.best[number])))
    assert told == reference_cases(encoder, game, games)
    assert len(cases.native) == len(told)
    if encoding == "meos":
        assert cases.keys.min() >= 0
        assert cases.native.bounds[1] == len(codes)


def test_blocks_have_every_case_once_whether_kept_or_made_anew() -> None:
    games = all_games("loa", 30)
    encoder = native_encoding("loa", "meoc", "mover", ["board"])
    whole = Cases.of(encoder, games)
    with Workers.threads(2) as workers:
        told = []
        for most in (1 << 30, 20_000, 0):
            blocks = CaseBlocks(encoder, games, block_positions=100, most_kept_bytes=most)
            assert blocks.positions == len(whole)
            assert len(blocks) == -(-len(whole) // 100)
            for _ in range(2):
                made = list(blocks.in_order(range(len(blocks)), workers))
                told.append([(cases.inputs.tolist(), cases.keys.tolist(), cases.best.tolist()) for cases in made])
    assert all(each == told[0] for each in told)
    assert sorted(i for inputs, _, _ in told[0] for i in inputs) == sorted(whole.inputs.tolist())
    assert sum(len(best) for _, _, best in told[0]) == len(whole)


def test_cases_that_do_not_fit_are_refused() -> None:
    games = all_games(SMALL, 3)
    cases = Cases.of(native_encoding(SMALL, "meoc", "mover", ["board"]), games)
    with pytest.raises(ValueError, match="moves have 2 keys, but the network's encoding has 1"):
        _core.MoveMapTrainer("meos", 1, 50, 50).measure(np.zeros(50 * 51, np.float32), cases.native)
    with pytest.raises(ValueError, match=r"cases: key \d+ does not exist, there are 3 outputs"):
        _core.MoveMapTrainer("meoc", 2, 200, 3).measure(np.zeros(3 * 201, np.float32), cases.native)
    with pytest.raises(ValueError, match="weights: has 5 numbers, expected 2550"):
        _core.MoveMapTrainer("meos", 1, 50, 50).measure(np.zeros(5, np.float32), cases.native)
    with pytest.raises(ValueError, match=r"is .mess., expected meos, meoc, mei or shared"):
        _core.MoveMapTrainer("mess", 1, 50, 50)


# Networks


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(("hidden", "direct"), [(0, True), (5, True), (6, False)])
@pytest.mark.parametrize("sharing", [None, False])
def test_the_trained_weights_are_those_of_the_network_in_a_pilot(
    encoding: str, hidden: int, direct: bool, sharing: bool | None
) -> None:
    settings = {"encoding": encoding, "hidden": hidden, "direct": direct, "sharing": sharing, "function": "linear"}
    learner = MoveMap(**settings, **FEW_GAMES)
    with Workers.threads(1) as workers:
        state = learner.start(pp.Pilot.baseline(SMALL), 0)
        for _ in range(3):
            state, _ = learner.step(state, workers)
    network = learner.pilot(state).ordering.network
    assert network is not None
    games = all_games(SMALL, 4)
    encoder = learner.encoder(SMALL, np.array(state.numbers["moves"]))
    cases = Cases.of(encoder, games)
    scores = learner.trainer(encoder).scores(state.arrays["best"], cases.native)
    ordering = native_map(SMALL, network)
    assert ordering is not None
    number, at = 0, 0
    for game in range(len(games)):
        position = pp.Position(SMALL)
        for ply in range(games.offsets[game], games.offsets[game + 1]):
            if games.labels[ply]:
                expected = [score for _, score in ordering.scores(position)]
                known = np.array([key[0] >= 0 for key in encoder.encode(position)[3]]) | (encoding == "mei")
                end = cases.move_starts[number + 1]
                # The search has weights in whole numbers.
                assert_allclose(scores[at:end][known], np.array(expected)[known], atol=2e-3)
                number, at = number + 1, end
            position.push(next(move for move in position.moves() if int(move.value) == games.moves[ply]))
    assert number == len(cases)


def rule_cases(encoding: str, count: int, seed: int) -> Cases:
    """Cases with a rule behind them: input i says that move i is the best, whatever else is there."""
    rng = np.random.default_rng(seed)
    inputs, keys, best = [], [], []
    for _ in range(count):
        moves = rng.choice(10, 4, replace=False)
        place = int(rng.integers(4))
        inputs.append([moves[place], 10 + rng.integers(5)])
        best.append(place)
        keys.append({"meos": moves[:, None], "meoc": np.c_[moves, 10 + moves % 3], "mei": 15 + np.c_[moves]}[encoding])
    return Cases(
        width={"meos": 1, "meoc": 2, "mei": 1}[encoding],
        input_starts=np.arange(count + 1) * 2,
        inputs=np.concatenate(inputs).astype(np.int32),
        values=np.empty(0, np.float32),
        move_starts=np.arange(count + 1) * 4,
        keys=np.concatenate(keys).reshape(-1).astype(np.int32),
        best=np.array(best, np.int32),
    )


@pytest.mark.parametrize("rule", [Rprop(), Rprop(forgets_turns=False), AdaGrad(rate=0.1), Adam(rate=0.03)])
@pytest.mark.parametrize(("encoding", "hidden"), [("meos", 0), ("meos", 20), ("meoc", 0), ("mei", 40)])
@pytest.mark.parametrize("loss", ["square", "sigmoid", "softmax"])
def test_a_rule_is_learned_and_holds_for_other_cases(
    rule: Rprop | AdaGrad | Adam, encoding: str, hidden: int, loss: str
) -> None:
    inputs, outputs = (25, 1) if encoding == "mei" else (15, 13)
    function = "linear" if loss == "softmax" else "tanh"
    cases, others = rule_cases(encoding, 2000, 1), rule_cases(encoding, 500, 2)
    trainer = _core.MoveMapTrainer(encoding, cases.width, inputs, outputs, units=hidden, function=function, loss=loss)
    weights = NetworkShape(inputs, outputs, hidden, True).start(3)
    assert len(weights) == trainer.size
    before = measure(trainer, weights, [others])
    memory = rule.start(len(weights))
    order = np.random.default_rng(0).permutation(len(cases)).astype(np.int32)
    for epoch in range(150):
        if isinstance(rule, Rprop):
            gradient = np.zeros_like(weights)
            trainer.add_gradient(gradient, weights, cases.native)
            weights, memory = rule.apply(weights, gradient, memory)
        else:
            squares, means = rule.memory(memory)
            trainer.learn(weights, squares, means, epoch * 20, cases.native, order, batch=100, **rule.native())
    after = measure(trainer, weights, [others])
    assert before.error_rate > 0.6
    assert after.error_rate < 0.02
    assert after.mean_rank < 1.05
    assert after.loss < before.loss / 2


# Measures


def test_measures_of_ranks_that_are_known() -> None:
    ranks = np.zeros(1024)
    ranks[[0, 1, 4, 9]] = [2, 1, 0.5, 0.5]
    measures = MoveMeasures(8.0, 4, 100, ranks)
    assert measures.error_rate == 0.5
    assert measures.mean_rank == pytest.approx((2 + 2 + 2.5 + 5) / 4)
    assert [measures.share_within(count) for count in (1, 3, 5, 10)] == [0.5, 0.75, 0.875, 1]
    assert (measures + measures).cases == 8
    assert (measures + measures).error_rate == 0.5
    assert MoveMeasures().error_rate == 1


def test_scores_and_shares_of_all_moves() -> None:
    cases = rule_cases("meos", 300, 4)
    trainer = _core.MoveMapTrainer("meos", 1, 15, 13, function="linear", loss="softmax")
    weights = np.random.default_rng(5).normal(size=trainer.size).astype(np.float32)
    scored = score_moves(trainer, weights, [cases, cases])
    assert scored.is_best.sum() == 600
    assert_allclose(scored.shares.reshape(-1, 4).sum(axis=1), 1, rtol=1e-5)
    powers = np.exp(scored.scores.reshape(-1, 4))
    assert_allclose(scored.shares.reshape(-1, 4), powers / powers.sum(axis=1, keepdims=True), rtol=1e-4)
    is_best = scored.is_best.reshape(-1, 4)
    assert_array_equal(is_best.argmax(axis=1)[:300], cases.best)
    ranks = (scored.scores.reshape(-1, 4) > scored.scores.reshape(-1, 4)[is_best][:, None]).sum(axis=1)
    assert measure(trainer, weights, [cases]).share_within(1) == pytest.approx((ranks[:300] == 0).mean())


def test_calibration_tells_shares_that_promise_too_much() -> None:
    rng = np.random.default_rng(6)
    shares = rng.uniform(size=20_000).astype(np.float32)
    honest = calibration(shares, rng.uniform(size=20_000) < shares)
    boasting = calibration(shares, rng.uniform(size=20_000) < shares / 2)
    assert sum(each.moves for each in honest) == 20_000
    assert_allclose([each.best_share for each in honest], [each.mean for each in honest], atol=0.04)
    assert_allclose([each.best_share for each in boasting], [each.mean / 2 for each in boasting], atol=0.04)
    scored = ScoredMoves(shares, shares, rng.uniform(size=20_000) < 0.1)
    distribution = score_distribution(scored, 20)
    assert distribution.moves.sum() == 20_000
    assert distribution.best.sum() == scored.is_best.sum()
    assert distribution.mean == pytest.approx(0.5, abs=0.01)
    assert distribution.deviation == pytest.approx(1 / np.sqrt(12), abs=0.01)


# Runs

LEARNERS: dict[str, dict[str, Any]] = {
    "as usual": {},
    "as the seed has it": {"optimiser": "rprop", "hidden": 3},
    "condensed, by Adam": {"optimiser": "adam", "encoding": "meoc", "view": "fixed", "inputs": ["squares"]},
    "moves as inputs": {"optimiser": {"kind": "rprop", "forgets_turns": False}, "encoding": "mei", "hidden": 4},
    "with trials": {"play": {"games": 40, "batch": 40, "nodes": 50}, "epochs": 1, "trials": {"games": 4, "nodes": 50}},
    "no direct links": {"hidden": 4, "direct": False, "use": "weighted", "history_weight": 100, "plies": 2},
}


@pytest.mark.parametrize("settings", LEARNERS.values(), ids=LEARNERS)
def test_the_learner_keeps_the_promises_of_learners(settings: dict[str, Any]) -> None:
    assert check_learner("movemap", {**FEW_GAMES, **settings}, game=SMALL, steps=6) == []


def test_the_learner_learns_from_games_in_python() -> None:
    play = {"games": 40, "batch": 40, "depth": 1, "nodes": 0, "side_lines": 1}
    settings = {**FEW_GAMES, "play": play, "epochs": 1}
    assert check_learner("movemap", settings, game=CONNECT_FOUR, steps=2) == []


def run_all(learner: MoveMap, game: str) -> tuple[State, list[dict[str, Any]]]:
    with Workers.threads(2) as workers:
        state, told = learner.start(pp.Pilot.baseline(game), 1), []
        for after, metrics in take_steps(learner, state, workers):
            state = after
            told.append(metrics)
    return state, told


def test_own_games_teach_more_than_chance() -> None:
    learner = MoveMap(
        play={"games": 300, "batch": 300, "nodes": 300, "side_lines": 0}, epochs=5, patience=5, trials={"games": 0}
    )
    state, told = run_all(learner, "loa")
    assert told[0]["games"] == 300
    moves = [metrics["validation_mean_rank"] for metrics in told[1:]]
    assert state.numbers["best_error"] < 0.85  # of about 30 moves
    assert moves[-1] < 9
    assert state.numbers["best_error"] == min(metrics["validation_error"] for metrics in told[1:])


def test_a_run_ends_when_patience_is_over_and_keeps_the_best_weights() -> None:
    learner = MoveMap(**FEW_GAMES | {"epochs": 50, "patience": 2, "optimiser": {"kind": "adagrad", "rate": 3}})
    state, told = run_all(learner, SMALL)
    errors = [metrics["validation_error"] for metrics in told if "epoch" in metrics]
    best = int(np.argmin(errors)) + 1
    assert len(errors) == best + 2
    assert (state.numbers["best_epoch"], state.numbers["best_error"]) == (best, errors[best - 1])
    cases = learner._cases(state)
    judged = measure(learner.trainer(cases.validation.encoder), state.arrays["best"], [cases.validation[0]])
    assert judged.error_rate == errors[best - 1]


def trial_ways(told: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(line["captures_first"], line["network_plies"], line["is_better"]) for line in told if "trial" in line]


def test_ways_of_use_that_are_not_set_are_tried_by_games() -> None:
    trials = {"games": 40, "nodes": 60, "cost": 0}
    learner = MoveMap(**FEW_GAMES | {"trials": trials})
    state, told = run_all(learner, SMALL)
    ways = trial_ways(told)
    assert ways[0][:2] == (0, 1)
    weight = learner._usual_way(state).history_weight
    if not ways[0][2]:
        assert ways[1][:2] == (1, 1)
        assert [trial.way.history_weight for trial in learner.tried_ways(state)] == pytest.approx(
            [3 * weight, weight, 3 * weight]
        )
    ordering = learner.pilot(state).ordering
    best = [trial.way for trial in learner.tried_ways(state) if trial.is_better]
    expected = best[-1] if best else learner._usual_way(state)
    assert (ordering.captures, ordering.network_plies, ordering.history_weight) == expected


def test_a_way_of_use_that_wins_its_trial_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    from plypilot.learn import movemap

    def captures_are_best(tried: pp.Pilot, *_rest: object) -> tuple[tuple[int, ...], bool]:
        return (0, 0, 0, 0, 1), not tried.ordering.captures and tried.ordering.network_plies == 1

    monkeypatch.setattr(movemap, "play_trial", captures_are_best)
    learner = MoveMap(**FEW_GAMES | {"trials": {"games": 2}})
    state, told = run_all(learner, SMALL)
    assert trial_ways(told) == [(0, 1, 1)]  # nothing is left to be tried
    ordering = learner.pilot(state).ordering
    assert (ordering.captures, ordering.network_plies) == (False, 1)
    assert learner.pilot(state).pruning == state.pilot.pruning


def test_what_is_set_is_not_tried() -> None:
    settings = {"captures": "first", "plies": 3, "history_weight": 0.5, "trials": {"games": 4, "nodes": 50}}
    state, told = run_all(MoveMap(**FEW_GAMES | settings), SMALL)
    assert trial_ways(told) == []
    ordering = MoveMap(**FEW_GAMES | settings).pilot(state).ordering
    assert (ordering.captures, ordering.network_plies, ordering.history_weight) == (True, 3, 0.5)


def test_more_epochs_try_ways_of_use_anew_only_for_another_network(tmp_path: Path) -> None:
    folder = make_set(tmp_path / "set")
    settings = {"data": str(folder), "patience": 9, "batch": 64, "trials": {"games": 2, "nodes": 30}}
    pilot = pp.Pilot.baseline(SMALL)
    pp.learn.train(MoveMap(epochs=1, **settings), pilot, tmp_path / "run", checks=NO_CHECKS)
    again = pp.learn.train(MoveMap(epochs=4, **settings), pilot, tmp_path / "run", checks=NO_CHECKS, resume=True)
    once = pp.learn.train(MoveMap(epochs=4, **settings), pilot, tmp_path / "once", checks=NO_CHECKS)
    assert again.pilot == once.pilot
    assert again.state.numbers == once.state.numbers


def test_weights_stay_within_their_bound() -> None:
    learner = MoveMap(
        **FEW_GAMES | {"optimiser": "rprop", "loss": "softmax", "decay": 0, "epochs": 30, "most_weight": 0.5}
    )
    state, _ = run_all(learner, SMALL)
    assert np.abs(state.arrays["weights"]).max() == 0.5


@pytest.mark.parametrize(
    ("optimiser", "epochs", "part"),
    [("rprop", 150, 0.01), ("adagrad", 300, 0.05), ({"kind": "adam", "rate": 0.001}, 300, 0.2)],
)
def test_decay_comes_to_rest_where_it_balances_what_all_cases_say(
    optimiser: object, epochs: int, part: float, tmp_path: Path
) -> None:
    settings = {"data": str(make_set(tmp_path / "set")), "batch": 64, "patience": epochs, "trials": {"games": 0}}
    learner = MoveMap(optimiser=optimiser, loss="softmax", decay=5, epochs=epochs, **settings)
    state, _ = run_all(learner, SMALL)
    weights, gradient = state.arrays["weights"], np.zeros_like(state.arrays["weights"])
    cases = learner._cases(state).learn
    for block in cases.in_order(range(len(cases))):
        learner.trainer(cases.encoder).add_gradient(gradient, weights, block.native)
    assert np.linalg.norm(gradient + 5 * weights) < part * np.linalg.norm(gradient)


def test_decay_is_usual_for_shares_alone() -> None:
    assert MoveMap()._decay > 0
    assert MoveMap(optimiser="rprop")._decay == 0
    assert MoveMap(optimiser="rprop", decay=3)._decay == 3
    assert MoveMap(decay=0)._decay == 0


def make_set(folder: Path, seed: int = 0) -> Path:
    selfplay = SelfPlay(pp.Pilot.baseline(SMALL), Limit(nodes=50), seed=seed)
    make_selfplay_set(folder, selfplay, games=60)
    return folder


def test_a_run_learns_from_a_pattern_set_and_resumes(tmp_path: Path) -> None:
    folder = make_set(tmp_path / "set")
    pilot = pp.Pilot.baseline(SMALL)
    short = MoveMap(data=str(folder), epochs=2, patience=9, batch=64)
    whole = MoveMap(data=str(folder), epochs=4, patience=9, batch=64)
    run = pp.learn.train(short, pilot, tmp_path / "run", checks=NO_CHECKS)
    assert run.pilot.ordering.network is not None
    again = pp.learn.train(whole, pilot, tmp_path / "run", checks=NO_CHECKS, resume=True, workers=2)
    once = pp.learn.train(whole, pilot, tmp_path / "once", checks=NO_CHECKS)
    assert again.pilot == once.pilot
    assert (tmp_path / "run/last.pilot").read_bytes() == (tmp_path / "once/last.pilot").read_bytes()


def test_a_part_of_a_set_is_learned_from(tmp_path: Path) -> None:
    folder = make_set(tmp_path / "set")
    with Workers.threads(1) as workers:
        learner = MoveMap(data=str(folder), positions=100, validation_positions=10)
        _, metrics = learner.step(learner.start(pp.Pilot.baseline(SMALL), 0), workers)
    assert metrics["positions"] == 100


def test_sets_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    folder = make_set(tmp_path / "set")
    learner = MoveMap(data=str(folder))
    with pytest.raises(PatternSetError, match=f"is a pattern set of {SMALL}, but the pilot plays loa"):
        learner.start(pp.Pilot.baseline("loa"), 0)
    with pytest.raises(PatternSetError, match="is no pattern set"):
        MoveMap(data=str(tmp_path)).start(pp.Pilot.baseline(SMALL), 0)
    with pytest.raises(PatternSetError, match="has no positions in the learn split that are wanted"):
        MoveMap(data=str(folder), select={"rating": 2000}).start(pp.Pilot.baseline(SMALL), 0)
    state = learner.start(pp.Pilot.baseline(SMALL), 0)
    other = make_set(tmp_path / "other", seed=1)
    folder.rename(tmp_path / "away")
    other.rename(folder)
    from plypilot.learn.movemap import _cases_of

    _cases_of.cache_clear()
    with Workers.threads(1) as workers, pytest.raises(PatternSetError, match="is not the set that this run began with"):
        learner.step(state, workers)


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="a network needs hidden units or direct links"):
        MoveMap(direct=False)
    with pytest.raises(ValueError, match="sharing is for meos"):
        MoveMap(sharing=True, hidden=4)
    with pytest.raises(ValueError, match="depth and nodes are both 0"):
        MoveMap(play={"nodes": 0})
    with pytest.raises(ValueError, match='phase is "late"'):
        MoveMap(select={"phase": "late"})
    with pytest.raises(PilotError, match='loa has no feature set "piecesquares"; there are: '):
        MoveMap(inputs=("piecesquares",)).start(pp.Pilot.baseline("loa"), 0)


def test_refinement_needs_direct_links_to_moves() -> None:
    with pytest.raises(ValueError, match="refinement changes direct links"):
        MoveMap(refinement=0.1, encoding="mei", hidden=4)
    with pytest.raises(ValueError, match="refinement changes direct links"):
        MoveMap(refinement=0.1, hidden=4, direct=False)
    assert MoveMap(refinement=0.1).refinement == 0.1


def test_moves_that_a_game_does_not_tell_apart_are_refused() -> None:
    class Silent(pp.Game):
        board_names = ("left",)

        def start(self) -> int:
            return 9

        def moves(self, _state: int) -> list[int]:
            return [1, 2]

        def play(self, state: int, move: int) -> int:
            return state - move

        def outcome(self, state: int) -> int | None:
            return -1 if state <= 0 else None

        def board(self, state: int) -> list[float]:
            return [float(state)]

    class Careless(Silent):
        index_sizes = (1, 2, 1)

        def index(self, move: int) -> tuple[int, int, int]:
            return (0, move, 0)  # one too many

    with pytest.raises(PilotError, match="tells its moves apart"):
        MoveMap().start(pp.Pilot.plain(Silent), 0)
    encoding = native_encoding(Careless, "meos", "mover", ["board"], [0, 1])
    with pytest.raises(
        ValueError,
        match=r"test_movemap.py:\d+: index\(\) of .* gave \(0, 2, 0\), outside index_sizes .* \(in the move 2\)",
    ):
        encoding.encode(pp.Position(Careless))
