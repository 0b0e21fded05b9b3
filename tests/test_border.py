"""The border between Python and the core: settings go in by the core's lists of fields, results come out as classes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any, get_args

import numpy as np
import pytest

import plypilot as pp
from conftest import NATIVE_GAMES
from plypilot import _core
from plypilot.networks import Policy
from plypilot.pilot import DepthRules, Timing, Window
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Arena, Features, Games, Moves, Task
from plypilot.searcher import Iteration, Limit, Line, Nodes, Result, Searcher, Statistics, search
from plypilot.settings import Part

PILOT = pp.Pilot.baseline("loa")
WITH_POLICY = Timing(policy=Policy(game="loa", seen=("bank",), direct=np.zeros((1, 1), np.float32)))


# Settings


def make_searcher(change: Callable[[dict[str, Any]], object]) -> _core.Searcher:
    settings = PILOT.native_settings()
    change(settings)
    return _core.Searcher("loa", settings, PILOT.native_evaluation())


def policy_with(**changes: Any) -> dict[str, Any]:
    native = WITH_POLICY.native()
    return native | {"policy": native["policy"] | changes}


def make_clock(**changes: Any) -> _core.Clock:
    parts = {"limits": Limit(depth=1).limits(), "timing": Timing().native(), "funds": None, "threads": 1}
    return _core.Clock(**parts | changes)


def test_limits_funds_and_adjudication_have_the_names_and_the_defaults_of_the_core() -> None:
    native = _core.default_settings()
    assert Limit().limits() == native["limits"]
    assert Limit(clock=1.0).funds() == native["funds"] | {"left": 1.0}
    assert Adjudication().native() == native["adjudication"]


@pytest.mark.parametrize(
    ("change", "error", "reason"),
    [
        (lambda given: given.pop("seed"), KeyError, "settings lacks seed"),
        (lambda given: given["pruning"].pop("late_moves"), KeyError, "settings.pruning lacks late_moves"),
        (lambda given: given["window"].update(x=1), KeyError, r'settings.window has the key "x".* kind, aspiration'),
        (
            lambda given: given["window"].update(kind="pws"),
            ValueError,
            '"pws", expected alpha_beta, pvs or mtdf',
        ),
        (lambda given: given["window"].update(kind=1), TypeError, "settings.window.kind is 1, expected a word"),
        (lambda given: given["table"].update(probes=1.5), TypeError, "table.probes is 1.5, expected a whole number"),
        (lambda given: given["table"].update(probes=2**40), TypeError, "expected a whole number that fits"),
        (lambda given: given["table"].update(exact=1), TypeError, "table.exact is 1, expected true or false"),
        (lambda given: given.update(seed=-1), TypeError, "settings.seed is -1, expected a whole number that fits"),
        (lambda given: given.update(root=[]), TypeError, "settings.root is .*, expected a dictionary"),
        (lambda given: given["depth"].update(categories=3), TypeError, "categories is 3, expected a sequence"),
        (
            lambda given: given["depth"].update(categories=[(1,)]),
            ValueError,
            r"\[0\] has 1 values, expected 2: feat",
        ),
        (
            lambda given: given["depth"].update(categories=[(1, 2), (1, "a")]),
            TypeError,
            r"\[1\].units is 'a', expected",
        ),
    ],
)
def test_settings_that_the_core_does_not_understand_are_refused_by_name(
    change: Callable[[dict[str, Any]], object], error: type[Exception], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        make_searcher(change)


def test_a_struct_is_a_dictionary_or_a_tuple() -> None:
    def with_category(form: object, settings: dict[str, Any]) -> None:
        settings["depth"]["categories"] = [form]

    category = {"features": 1, "units": 512}
    position, limit = pp.Position("loa"), Limit(depth=5)
    results = []
    for form in (category, tuple(category.values())):
        searcher = make_searcher(partial(with_category, form))
        clock = make_clock(limits=limit.limits())
        results.append(searcher.run(position, clock, moves=[], lines=1, threads=1, statistics="moves"))
    first, second = results
    assert first.nodes == second.nodes
    assert first.statistics == second.statistics
    assert first.statistics is not None and first.statistics.extended > 0


@pytest.mark.parametrize(
    ("part", "field", "make"),
    [
        (Window, "kind", lambda word: make_searcher(lambda given: given["window"].update(kind=word))),
        (DepthRules, "rule", lambda word: make_searcher(lambda given: given["depth"].update(rule=word))),
        (Policy, "asked", lambda word: make_clock(timing=policy_with(asked=word))),
        (Timing, "rule", lambda word: make_clock(timing=WITH_POLICY.native() | {"rule": word})),
    ],
)
def test_python_and_the_core_know_the_same_words(part: type[Part], field: str, make: Callable[[str], object]) -> None:
    words = get_args(part.model_fields[field].annotation)
    *others, last = words
    expected = f"{', '.join(others)} or {last}" if others else last
    for word in words:
        make(word)
    with pytest.raises(ValueError, match=f'"no", expected {expected}$'):
        make("no")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"noted": "no"}, ("nothing", "game", "principal")),
        ({"moves": "no"}, get_args(Moves)),
        ({"adjudication": Adjudication(at_length="no")}, ("draw", "agreed", "referee")),  # type: ignore[arg-type]
    ],
)
def test_an_arena_knows_the_same_words_as_the_core(change: dict[str, Any], words: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=f'"no", expected {", ".join(words[:-1])} or {words[-1]}$'):
        Arena("loa", [PILOT], Limit(depth=1), **change)


# Results


def found_in(game: str, depth: int = 3, lines: int = 2) -> Result:
    return search(pp.Pilot.baseline(game), pp.Position(game), Limit(depth=depth), lines=lines, statistics="moves")


def played(count: int = 2) -> Games:
    arena = Arena(
        "loa", [PILOT], Limit(nodes=50), noted="game", sets=["material"], adjudication=Adjudication(20), early_depth=1
    )
    return arena.play([Task(pp.Position("loa"), seed) for seed in range(count)])


@pytest.mark.parametrize("game", [*NATIVE_GAMES, "breakthrough-5x7", "connect_four:ConnectFour"])
def test_results_survive_pickle_and_keep_their_shared_moves(game: str) -> None:
    result = found_in(game)
    twin = pickle.loads(pickle.dumps(result))
    assert type(twin) is Result and twin == result
    assert twin.move is result.move and twin.iterations[-1].pv[0] is result.iterations[-1].pv[0]
    assert twin.statistics == result.statistics and twin.lines == result.lines
    assert copy.deepcopy(result) == result == copy.copy(result)


def test_results_cross_to_other_processes() -> None:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        result = pool.submit(found_in, "chess").result()
        games = pool.submit(played).result()
    here = found_in("chess")
    assert (result.move, result.nodes, result.statistics) == (here.move, here.nodes, here.statistics)
    assert type(games) is Games and games.moves == played().moves


def test_equality_looks_at_every_field() -> None:
    result = found_in("chess")
    assert result.statistics is not None and result.iterations[0].others
    games = played()
    assert games.features is not None and games.decisions is not None
    for record in (
        result,
        result.iterations[0],
        result.lines[0],
        result.nodes,
        result.statistics,
        games,
        games.features,
        games.decisions,
    ):
        fields = record.as_dict()
        assert type(record)(**fields) == record
        for name, value in fields.items():
            if isinstance(value, np.ndarray):
                full = [value[:-1], value + value.dtype.type(1)]
                others = full if value.size else [np.ones([1] * value.ndim, value.dtype)]
            elif isinstance(value, list):
                others = [value[:-1], [*value, *value]] if value else [found_in("chess").pv]
            else:
                others = [{bool: not value, int: -1 if name == "score" else 7, float: -1.0, dict: {}}.get(type(value))]
                if isinstance(value, Nodes):
                    others = [Nodes(0, 0, 0, 0, 0, 0, 0)]
            for other in others:
                assert type(record)(**fields | {name: other}) != record, name
    assert result.nodes != 3 and result != "result"


def test_results_do_not_change() -> None:
    for record in (found_in("chess"), found_in("chess").nodes, played()):
        for name in record.as_dict():
            with pytest.raises(AttributeError):
                setattr(record, name, 0)


def test_results_print_what_a_person_wants_to_know() -> None:
    position = pp.Position("loa")
    pv = [position.parse("b8-b6")]
    nodes = Nodes(120, 20, 0, 0, 0, 0, 0)
    line = Line(-15, pv, continuation=[])
    iteration = Iteration(3, 40, pv, nodes, 0.0125, others=[line], deepest=5, table_permill=1, continuation=[])
    shown = "all=120, quiescence=20, singular=0, recapture=0, judged=0, singular_quiescence=0, recapture_quiescence=0"
    assert repr(nodes) == f"Nodes({shown})"
    assert repr(line) == "Line(score=-15, pv='b8-b6')"
    assert repr(iteration) == "Iteration(depth=3, score=40, nodes=120, seconds=0.0125, pv='b8-b6')"
    result = Result(pv[0], 40, pv, nodes, 0.5, False, [iteration], table_permill=1, statistics=None, continuation=[])
    assert repr(result) == "Result(depth=3, score=40, nodes=120, seconds=0.5, pv='b8-b6')"
    assert repr(Result(None, 0, [], nodes, 0.0, True, [], 0, None, [])).endswith("pv='')")
    assert repr(played()).startswith("Games(games=2, plies=40, features=Features(plies=40, values=")
    statistics = found_in("chess").statistics
    assert statistics is not None
    assert f"moves={statistics.moves}" in repr(statistics) and "'searched': " in repr(statistics)


def test_a_hash_is_there_where_a_value_has_one() -> None:
    assert hash(Nodes(1, 2, 3, 4, 0, 0, 0)) == hash(Nodes(1, 2, 3, 4, 0, 0, 0)) != hash(Nodes(1, 2, 3, 5, 0, 0, 0))
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        hash(found_in("loa"))


def test_the_lines_of_a_result_begin_with_its_move() -> None:
    result = found_in("chess", lines=3)
    assert result.lines[0].move == result.move
    assert len({line.move for line in result.lines}) == 3 == len(result.iterations[-1].lines)
    assert result.iterations[-1].move == result.iterations[-1].pv[0]
    moved = Result(result.lines[1].move, 9, result.lines[1].pv, result.nodes, 0.0, True, result.iterations, 0, None, [])
    assert [line.move for line in moved.lines] == [result.lines[i].move for i in (1, 0, 2)]


def test_the_branching_factor_is_the_mean_growth_of_two_iterations() -> None:
    def of(*spent: int) -> float:
        iterations = [
            Iteration(i, 0, [], Nodes(nodes, 0, 0, 0, 0, 0, 0), 0.0, [], 0, 0, []) for i, nodes in enumerate(spent)
        ]
        return Result(None, 0, [], Nodes(0, 0, 0, 0, 0, 0, 0), 0.0, False, iterations, 0, None, []).branching_factor

    assert of() == of(10, 30) == 0
    assert of(10, 30, 120) == pytest.approx(3.0)  # 10, 20, 90
    assert of(0, 0, 5) == 0


def test_iterations_are_told_as_they_stand_in_the_result() -> None:
    told: list[Iteration] = []
    result = search(PILOT, pp.Position("loa"), Limit(depth=4), on_iteration=told.append)
    assert [each.depth for each in told] == [1, 2, 3, 4]
    assert [(each.depth, each.pv, each.nodes) for each in told] == [
        (each.depth, each.pv, each.nodes) for each in result.iterations
    ]


def test_an_error_of_a_listener_ends_the_search() -> None:
    def fail(iteration: Iteration) -> None:
        raise LookupError(f"depth {iteration.depth}")

    with pytest.raises(LookupError, match="depth 1"):
        Searcher(PILOT).search(pp.Position("loa"), Limit(depth=50), on_iteration=fail)


def test_the_arrays_of_games_are_shared_and_of_one_kind() -> None:
    games = played()
    assert games.scores is games.scores
    assert not games.scores.flags.owndata  # the core's own memory
    assert [array.dtype.name for array in (games.starts, games.scores, games.told, games.seconds)] == [
        "int64",
        "int32",
        "uint8",
        "float32",
    ]
    features = games.features
    assert isinstance(features, Features) and features is games.features
    with pytest.raises(TypeError):
        Games(**games.as_dict() | {"scores": games.scores.astype(np.float64)})
    scores = games.scores.copy()
    assert Games(**games.as_dict() | {"scores": scores}).scores is scores


def test_statistics_are_there_where_they_were_asked_for() -> None:
    assert search(PILOT, pp.Position("loa"), Limit(depth=2)).statistics is None
    counted = search(PILOT, pp.Position("loa"), Limit(depth=2), statistics="counts").statistics
    assert isinstance(counted, Statistics) and counted.category_moves.shape == (0, 32)
