"""Networks that order moves: encodings, the copy in whole numbers, and what a search does with them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import plypilot as pp
from conftest import EXAMPLES
from plypilot import _core
from plypilot.learn.weights import native_network
from plypilot.move_maps import native_map
from plypilot.networks import MoveNetwork, PilotError, native_encoding
from plypilot.searcher import Limit, Searcher

GAMES = ("chess", "loa", "breakthrough", "breakthrough-6x5", "shogi", "connect_four:ConnectFour")
ENCODINGS = ("meos", "meoc", "mei")


@pytest.fixture(autouse=True)
def _examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))


def random_positions(game: str, count: int, seed: int = 0) -> list[pp.Position]:
    """Positions of random games, each with moves left."""
    rng, positions = random.Random(seed), []
    while len(positions) < count:
        position = pp.Position(game)
        for _ in range(rng.randrange(40)):
            if position.outcome() is not None:
                break
            position.push(rng.choice(position.moves()))
        if position.outcome() is None:
            positions.append(position)
    return positions


def codes_of(game: str, positions: list[pp.Position], view: str = "mover") -> NDArray[np.int64]:
    """The codes of all moves that are legal in positions, by the encoding's own count."""
    encoding = native_encoding(game, "meos", view, ["board"])
    seen = np.zeros(int(np.prod(pp.game_info(game).index_sizes)), np.int64)
    for position in positions:
        moves = position.moves()
        label = np.array([moves[0].value if isinstance(moves[0].value, int) else 1], np.uint16)
        if ":" in game:
            continue
        seen += encoding.codes([position.fen()], np.array([0, 1], np.int64), label, label)
    return np.flatnonzero(seen) if ":" not in game else np.arange(len(seen))


def random_network(game: str, encoding: str = "meos", units: int = 0, seed: int = 0, **given: Any) -> MoveNetwork:
    """A network with random weights, whose moves are those of random positions."""
    rng = np.random.default_rng(seed)
    view = given.get("view", "mover")
    moves = codes_of(game, random_positions(game, 60), view) if encoding == "meos" else np.empty(0)
    sets = [given.get("set", "board"), *given.get("more_sets", ())]
    shape = native_encoding(game, encoding, view, sets, moves)
    layers: dict[str, Any] = {"direct": rng.normal(0, 0.1, (shape.inputs, shape.outputs))}
    layers["output_bias"] = rng.normal(0, 0.1, shape.outputs)
    if units:
        layers["hidden"] = rng.normal(0, 0.2, (shape.inputs, units))
        layers["hidden_bias"] = rng.normal(0, 0.2, units)
        layers["output"] = rng.normal(0, 0.5, (units, shape.outputs))
    return MoveNetwork(**{"set": "board", "encoding": encoding, "moves": moves, **layers, **given})


def exact_scores(game: str, network: MoveNetwork, position: pp.Position) -> dict[str, float]:
    """What the network says of each move, by the one exact pass."""
    inputs, values, moves, keys = network.native_encoding(game).encode(position)
    native, scores = native_network(network), {}
    lowest = -1.0 if network.function == "tanh" else -16.0
    for move, own in zip(moves, keys, strict=True):
        if network.encoding == "mei":
            own = own[own >= 0]
            all_inputs = np.concatenate([inputs, own]).astype(np.int32)
            all_values = np.concatenate([values, np.ones(len(own))]).astype(np.float32)
            outputs = native.values(np.array([0, len(all_inputs)], np.int64), all_inputs, all_values)[0]
        else:
            every = native.values(np.array([0, len(inputs)], np.int64), inputs, values)[0]
            outputs = np.array([every[key] if key >= 0 else lowest for key in own])
        scores[str(move)] = float(np.mean(outputs))
    return scores


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("encoding", "units"), [("meos", 0), ("meos", 10), ("meoc", 0), ("meoc", 6), ("mei", 10)])
def test_the_copy_in_whole_numbers_says_what_the_network_says(game: str, encoding: str, units: int) -> None:
    network = random_network(game, encoding, units, function="linear" if units else "tanh")
    native = native_map(game, network)
    assert native is not None
    largest = float(np.max(np.abs(network.direct)))
    for position in random_positions(game, 8, seed=5):
        exact = exact_scores(game, network, position)
        scored = {str(move): score for move, score in native.scores(position)}
        assert scored.keys() == exact.keys()
        pieces = 90  # more than any board here has, with the keys of a move
        bound = pieces / 2 * largest / 32767 + 1e-5
        assert max(abs(scored[move] - exact[move]) for move in exact) <= bound


@pytest.mark.parametrize(
    ("game", "fen", "turned"),
    [
        (
            "chess",
            "r3k2r/ppp2ppp/2n5/3q4/8/5N2/PPPP1PPP/R1BQK2R w KQkq - 0 1",
            "r1bqk2r/pppp1ppp/5n2/8/3Q4/2N5/PPP2PPP/R3K2R b KQkq - 0 1",
        ),
        ("loa", "1b1b4/w7/8/8/7w/8/8/8 b", "3b4/8/8/8/7w/8/7w/6b1 w"),
        ("breakthrough", "pp6/8/8/3P4/8/8/8/P7 w", "p7/8/8/8/3p4/8/8/PP6 b"),
        ("breakthrough-6x5", "pp4/6/3P2/6/P5 w", "p5/6/3p2/6/PP4 b"),
        ("shogi", "4k4/9/9/9/9/9/2P6/7R1/4K4 b 2Pg 1", "4k4/1r7/6p2/9/9/9/9/9/4K4 w G2p 1"),
    ],
)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_both_sides_see_a_turned_board_alike(game: str, fen: str, turned: str, encoding: str) -> None:
    moves = np.arange(np.prod(pp.game_info(game).index_sizes)) if encoding == "meos" else ()
    native = native_encoding(game, encoding, "mover", ["board"], moves)

    def seen(text: str) -> tuple[set[tuple[int, float]], set[tuple[int, ...]]]:
        inputs, values, _, keys = native.encode(pp.Position(game, text))
        return set(zip(inputs.tolist(), values.tolist(), strict=True)), set(map(tuple, keys.tolist()))

    assert seen(fen) == seen(turned)
    fixed = native_encoding(game, encoding, "fixed", ["board"], moves)
    assert set(map(tuple, fixed.encode(pp.Position(game, fen))[3].tolist())) == seen(fen)[1]
    assert set(map(tuple, fixed.encode(pp.Position(game, turned))[3].tolist())) != seen(fen)[1]


def test_the_seeds_inputs_are_signed_and_do_not_turn() -> None:
    position = pp.Position("chess")
    signed = position.features("squares")
    squares = next(each for each in pp.game_info("chess").feature_sets if each.name == "squares")
    assert len(squares.features) == 385  # Kocsis 3.2.1
    assert signed["pawn_a2"] == 1 and signed["pawn_a7"] == -1 and signed["side_to_move"] == 1
    position.push("e2e4")
    assert position.features("squares")["pawn_e4"] == 1 and position.features("squares")["side_to_move"] == -1
    assert position.features("board")["enemy_pawn_e5"] == 1  # as Black sees it


def learned(game: str, network: MoveNetwork, **ordering: Any) -> pp.Pilot:
    """A plain pilot that orders moves by a network; its values are exact."""
    material = "zero" if ":" in game else "material"
    pilot = pp.Pilot.plain(game, material).replace({"search.table.log2_entries": 14, "search.table.exact": True})
    update = {"network": network, "history": True, "table_move": True, **ordering}
    return pilot.model_copy(update={"ordering": pp.Ordering(**update)})


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("use", ["pure", "straightforward", "weighted"])
@pytest.mark.parametrize("rule", ["running", "sum", "deviation"])
def test_another_order_of_moves_leaves_every_value_as_it_is(game: str, use: str, rule: str) -> None:
    network = random_network(game)
    plain = pp.Pilot.plain(game, "zero" if ":" in game else "material")
    pilot = learned(game, network, network_use=use, history_rule=rule, history_adaptation=0.05, network_refinement=0.01)
    for position in random_positions(game, 3, seed=9):
        one, other = (pp.search(each, position, Limit(depth=3)) for each in (plain, pilot))
        assert one.score == other.score


def test_the_pure_approach_tries_quiet_moves_in_the_order_of_the_network() -> None:
    # Depth 1 from a quiet position: the first move that is tried is the best by the network, and it stays the answer,
    # as all are worth the same.
    network = random_network("loa", seed=3)
    position = pp.Position("loa")
    scores = exact_scores("loa", network, position)
    pilot = pp.Pilot.plain("loa").model_copy(update={"ordering": pp.Ordering(network=network)})
    assert str(pp.search(pilot, position, Limit(depth=1)).move) == max(scores, key=lambda move: scores[move])


def test_a_network_is_not_asked_within_some_plies_of_the_leaves() -> None:
    network = random_network("chess", seed=3)
    plain = pp.Pilot.plain("chess", "material").model_copy(update={"ordering": pp.Ordering(history=True)})
    asked = plain.model_copy(update={"ordering": pp.Ordering(history=True, network=network, network_plies=3)})
    position = random_positions("chess", 1, seed=4)[0]
    for depth, is_asked in ((2, False), (3, True)):
        one, other = (pp.search(pilot, position, Limit(depth=depth)).nodes for pilot in (plain, asked))
        assert (one != other) == is_asked


def test_refinement_and_adaptation_change_the_tree_and_are_forgotten_with_the_rest() -> None:
    network = random_network("chess", seed=4)
    baseline = pp.Pilot.baseline("chess")
    position = random_positions("chess", 1, seed=2)[0]

    def nodes(**changes: Any) -> int:
        ordering = baseline.ordering.model_copy(update={"network": network, "network_use": "weighted", **changes})
        searcher = Searcher(baseline.model_copy(update={"ordering": ordering}))
        first = searcher.search(position, Limit(depth=7)).nodes
        searcher.clear()
        assert searcher.search(position, Limit(depth=7)).nodes == first
        return first

    assert len({nodes(), nodes(history_adaptation=0.2), nodes(network_refinement=0.05)}) == 3


def test_a_searcher_tells_its_history_and_the_weight_that_it_has_come_to() -> None:
    network = random_network("chess", seed=4)
    position = pp.Position("chess")
    told = {}
    for rule in ("running", "sum", "deviation"):
        pilot = learned("chess", network, network_use="weighted", history_rule=rule, history_weight=2.0)
        searcher = Searcher(pilot)
        assert set(searcher.history(position).values()) == {0.0}
        searcher.search(position, Limit(depth=4))
        told[rule] = searcher.history(position)
        assert list(told[rule]) == position.moves() and searcher.history_weight == 2.0
    assert min(told["running"].values()) < 0 < max(told["running"].values()) <= 1
    assert min(told["sum"].values()) == 0 and sum(told["sum"].values()) > 0
    assert np.std(list(told["deviation"].values())) == pytest.approx(1, rel=1e-4)
    adaptive = Searcher(learned("chess", network, network_use="weighted", history_weight=2.0, history_adaptation=0.1))
    adaptive.search(position, Limit(depth=4))
    assert adaptive.history_weight != 2.0
    adaptive.clear()
    assert adaptive.history_weight == 2.0
    with pytest.raises(ValueError, match="another game"):
        adaptive.history(pp.Position("loa"))


def test_a_pilot_keeps_its_network_and_refuses_one_that_does_not_fit(tmp_path: Any) -> None:
    network = random_network("breakthrough", units=3)
    pilot = learned("breakthrough", network, network_use="weighted", history_weight=2.5)
    pilot.save(tmp_path / "a.pilot")
    again = pp.Pilot.load(tmp_path / "a.pilot")
    assert again == pilot and again.ordering.network == network
    assert again.compare(pp.Pilot.plain("breakthrough", "material")).parts.keys() == {"ordering.network"}
    with pytest.raises(PilotError, match="128 inputs, but its encoding"):
        pilot.replace({"ordering.network.more_sets": ["material"]})
    with pytest.raises(ValueError, match="outputs for 0 moves"):
        MoveNetwork(set="board", direct=np.zeros((128, 5)))
    with pytest.raises(ValueError, match="does not need"):
        MoveNetwork(set="board", encoding="meoc", direct=np.zeros((128, 128)), moves=[1, 2])
    with pytest.raises(ValueError, match="network_refinement"):
        pp.Ordering(network=random_network("loa", "mei", 2), network_refinement=0.1)
    with pytest.raises(ValueError, match="is expected once"):
        native_encoding("loa", "meos", "mover", ["board"], [5, 5])


def test_cases_are_the_labelled_plies_of_games() -> None:
    position, moves, labels = pp.Position("loa"), [], []
    rng = random.Random(1)
    expected = []
    encoding = native_encoding("loa", "meos", "mover", ["board"], np.arange(4096))
    for ply in range(30):
        move = rng.choice(position.moves())
        best = rng.choice(position.moves())
        moves.append(move.value)
        labels.append(best.value if ply % 3 else 0)
        if ply % 3:
            inputs, _, legal, keys = encoding.encode(position)
            expected.append((inputs.tolist(), keys[:, 0].tolist(), legal.index(best)))
        position.push(move)
    arrays = np.array([0, 30], np.int64), np.array(moves, np.uint16), np.array(labels, np.uint16)
    input_starts, inputs, values, move_starts, keys, best_places = encoding.cases([None], *arrays)
    assert set(values.tolist()) == {1.0} and len(best_places) == 20
    made = [
        (
            inputs[input_starts[i] : input_starts[i + 1]].tolist(),
            keys[move_starts[i] : move_starts[i + 1]].tolist(),
            int(best_places[i]),
        )
        for i in range(20)
    ]
    assert made == expected
    counts = encoding.codes([None], *arrays)
    assert counts.sum() == len(keys) and np.array_equal(np.flatnonzero(counts), np.unique(keys))
    with pytest.raises(ValueError, match="game 0: move 1 is not legal"):
        encoding.cases([None], np.array([0, 1], np.int64), np.array([1], np.uint16), np.array([0], np.uint16))
    with pytest.raises(ValueError, match="label is not legal"):
        encoding.cases([None], np.array([0, 1], np.int64), arrays[1][:1], np.array([1], np.uint16))


def test_a_move_map_is_made_ready_once() -> None:
    network = random_network("loa")
    assert native_map("loa", network) is native_map("loa", network)
    assert isinstance(native_map("loa", network), _core.MoveMap)
    assert native_map("loa", None) is None
