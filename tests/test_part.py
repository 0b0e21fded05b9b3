"""Arrays in any part: what tests define with arrays in nested and optional places is saved, compared, hashed and told
apart as the parts of a pilot are.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from pydantic import Field, ValidationError

import plypilot as pp
from plypilot import sealed
from plypilot.comparison import compare, flatten
from plypilot.networks import Matrix, Network, Vector
from plypilot.part import ArrayName, array_fields, has_path, put_together, take_apart, walk_arrays
from plypilot.pilot import Pilot, PilotError
from plypilot.settings import Ordering, Part, Pruning


class Memory(Part):
    """Nothing but arrays."""

    steps: Vector = np.empty(0, np.float32)
    by_stage: dict[ArrayName, Matrix] = Field(default_factory=dict)


class LearnedOrdering(Ordering):
    """A second network in an optional place, and an array of its own."""

    share: float = 0.5
    """a setting"""
    slots: Matrix = np.empty((0, 0), np.float32)
    judge: Network | None = None


class LearnedPruning(Pruning):
    """Arrays that may be missing, and a part of nothing but arrays."""

    vector: Vector | None = None
    memory: Memory = Memory()
    second: Memory | None = None


class LearnedPilot(Pilot):
    """A pilot whose ordering and pruning have learned."""

    ordering: LearnedOrdering = LearnedOrdering()
    pruning: LearnedPruning = LearnedPruning()


numbers = st.floats(-1000, 1000, width=32)
vectors = arrays(np.float32, st.integers(0, 5), elements=numbers)
matrices = arrays(np.float32, array_shapes(min_dims=2, max_dims=2, max_side=4), elements=numbers)
names = st.text("abc._ ", min_size=1, max_size=3)
memories = st.builds(Memory, steps=vectors, by_stage=st.dictionaries(names, matrices, max_size=3))


def network(outputs: int) -> Network:
    return Network(set="squares", function="linear", direct=np.arange(65.0 * outputs).reshape(65, outputs))


orderings = st.builds(
    LearnedOrdering,
    killers=st.integers(0, 2),
    share=st.floats(0, 1),
    slots=matrices,
    judge=st.none() | st.integers(1, 3).map(network),
)
prunings = st.builds(LearnedPruning, vector=st.none() | vectors, memory=memories, second=st.none() | memories)
pilots = st.builds(LearnedPilot, game=st.just("loa"), ordering=orderings, pruning=prunings)


@given(pilots)
def test_a_pilot_with_arrays_in_any_part_survives_its_file(pilot: LearnedPilot) -> None:
    again = LearnedPilot.decode(pilot.encode())
    assert again == pilot
    assert (again.digest, hash(again), again.encode()) == (pilot.digest, hash(pilot), pilot.encode())
    assert again.model_dump().keys() == pilot.model_dump().keys()
    assert not compare(pilot, again)


@given(pilots, pilots)
def test_pilots_are_equal_where_their_files_are(one: LearnedPilot, other: LearnedPilot) -> None:
    assert (one == other) == (one.encode() == other.encode()) == (one.digest == other.digest)
    assert bool(compare(one, other)) == (one != other)
    if one == other:
        assert hash(one) == hash(other)


@given(pilots, st.data())
def test_one_number_that_changes_is_told_by_its_path(pilot: LearnedPilot, data: st.DataObject) -> None:
    settings, found = take_apart(pilot)
    filled = [path for path, array in found.items() if array.size]
    if not filled:
        return
    path = data.draw(st.sampled_from(filled))
    changed = found[path].copy()
    changed.reshape(-1)[data.draw(st.integers(0, changed.size - 1))] += 2000
    other = LearnedPilot.model_validate(put_together(settings, found | {path: changed}))
    assert other != pilot
    assert other.digest != pilot.digest
    told = compare(pilot, other)
    if path.startswith("ordering/judge/"):
        change = told.networks["ordering.judge"].layers[path.rpartition("/")[2]]
        assert not told.arrays
    else:
        change = told.arrays[path]
        assert list(told.arrays) == [path]
    assert (change.differing, change.largest) == (1, pytest.approx(2000, abs=0.001))
    assert not told.settings and not told.parts


def test_arrays_are_walked_by_path_and_settings_are_plain() -> None:
    pilot = LearnedPilot(
        game="loa",
        ordering=LearnedOrdering(slots=[[1, 2]], judge=network(2)),
        pruning=LearnedPruning(second=Memory(by_stage={"late": [[3]]})),
    )
    assert [path for path, _ in walk_arrays(pilot)] == [
        "ordering/slots",
        *(f"ordering/judge/{name}" for name in Network.LAYERS),
        "pruning/memory/steps",
        "pruning/second/steps",
        "pruning/second/by_stage/late",
    ]
    keys = [setting.key for setting in flatten(pilot)]
    assert {"ordering.share", "ordering.judge.function"} <= set(keys)
    assert not {"ordering.slots", "pruning.memory.steps", "evaluation.weights", "evaluation.network"} & set(keys)
    assert pilot.replace({"ordering.share": 0.25}).ordering.judge == pilot.ordering.judge
    with pytest.raises(PilotError, match=r'no setting "ordering.slots"'):
        pilot.replace({"ordering.slots": [[1]]})


def test_arrays_go_to_the_search_in_their_places() -> None:
    native = LearnedPilot(game="loa", ordering=LearnedOrdering(slots=[[1, 2]], judge=network(1))).native_settings()
    assert native["ordering"]["slots"].tolist() == [[1, 2]]
    assert native["ordering"]["judge"]["direct"].shape == (65, 1)
    assert native["pruning"]["second"] is None


def test_a_part_that_only_one_pilot_has_is_told_as_a_whole() -> None:
    one = LearnedPilot(game="loa", pruning=LearnedPruning(second=Memory(steps=[1, 2])))
    other = LearnedPilot(game="loa", ordering=LearnedOrdering(judge=network(3)))
    told = compare(one, other)
    assert told.parts == {
        "ordering.judge": (None, "65 inputs (squares), 3 linear outputs, direct links"),
        "pruning.second": ("0 settings, 2 weights", None),
    }
    assert not told.settings and not told.networks and not told.arrays


def test_a_field_holds_arrays_if_its_type_says_so() -> None:
    assert array_fields(LearnedPruning) == {"vector"}
    assert array_fields(Memory) == {"steps", "by_stage"}
    assert array_fields(pp.Evaluation) == {"weights"}
    assert array_fields(Network) == set(Network.LAYERS)


def test_names_of_arrays_are_one_step_of_a_path() -> None:
    with pytest.raises(ValidationError, match="by_stage"):
        Memory(by_stage={"a/b": [[1.0]]})


@pytest.mark.parametrize(
    ("settings", "found", "reason"),
    [
        ({}, {"a/b": 1}, None),
        ({"a": {}}, {"a/b": 1}, None),
        ({"a": None}, {"a/b": 1}, 'array "a/b": its settings have no part for it'),
        ({"a": {"b": []}}, {"a/b": 1}, 'array "a/b": there is a setting of that name'),
    ],
)
def test_arrays_are_put_where_their_paths_say(settings: dict[str, Any], found: Any, reason: str | None) -> None:
    if reason is None:
        assert put_together(settings, found) == {"a": {"b": 1}}
    else:
        with pytest.raises(ValueError, match=reason):
            put_together(settings, found)
    assert has_path({"a": {"b": 1}}, "a/b") and not has_path({"a": 1}, "a/b") and not has_path({}, "a")


# Sealed files of many sizes


@given(
    st.dictionaries(
        names,
        arrays(np.float32, array_shapes(min_dims=0, max_dims=3, max_side=4, min_side=0), elements=numbers)
        | arrays(np.float64, array_shapes(max_dims=3, max_side=4), elements=st.floats(-1e300, 1e300)),
    )
)
def test_sealed_arrays_keep_type_shape_and_bytes(found: dict[str, np.ndarray]) -> None:
    _, again = sealed.decode(sealed.encode("kind", 1, {}, found), "kind", 1, types=("F32", "F64"))
    assert again.keys() == found.keys()
    for name, array in found.items():
        assert (again[name].dtype, again[name].shape) == (array.dtype, array.shape)
        assert again[name].tobytes() == array.tobytes()


def test_views_are_sealed_as_they_read() -> None:
    whole = np.arange(12.0).reshape(3, 4)
    views = {"turned": whole.T, "every second": whole[:, ::2], "backward": whole[::-1]}
    _, again = sealed.decode(sealed.encode("kind", 1, {}, views), "kind", 1, types=("F64",))
    for name, view in views.items():
        np.testing.assert_array_equal(again[name], view)


@pytest.mark.parametrize(
    ("kind", "shape", "end"),
    [("F32", [1 << 40], 4 << 40), ("F32", [1 << 62, 1 << 62], 16), ("F32", [5], 16), ("F64", [4], 16), ("X1", [4], 16)],
)
def test_sizes_that_a_file_only_claims_are_refused(kind: str, shape: list[int], end: int) -> None:
    metadata = {"plypilot": json.dumps({"format": "kind", "version": 1, "sha256": "0" * 64, "settings": {}})}
    header = {"__metadata__": metadata, "a": {"dtype": kind, "shape": shape, "data_offsets": [0, end]}}
    text = json.dumps(header).encode()
    with pytest.raises(sealed.SealedFileError, match="not a kind file, or cut short"):
        sealed.decode(len(text).to_bytes(8, "little") + text + bytes(16), "kind", 1)


class Trial(Part):
    """A part with usual settings of its own."""

    games: int = 100
    nodes: int = 3000


class Course(Part):
    """A part in which another one is usual that differs from what its class says."""

    trial: Trial = Trial(games=400, nodes=15_000)
    again: Trial = Trial(nodes=7)


class Plan(Part):
    """One more level."""

    course: Course = Course(again=Trial(games=1))


def test_a_part_that_is_given_in_part_keeps_what_is_usual_of_it_where_it_stands() -> None:
    assert Course.model_validate({"trial": {"games": 20}}) == Course(trial=Trial(games=20, nodes=15_000))
    assert Plan.model_validate({"course": {"again": {"nodes": 5}}}).course.again == Trial(games=1, nodes=5)
    assert Course(trial=Trial(games=20)).trial.nodes == 3000


def test_a_part_of_another_kind_keeps_nothing_of_the_usual_one() -> None:
    learner = pp.learn.find_learner("td", {"step_size": {"kind": "fixed"}})
    assert learner.step_size.kind == "fixed"
    assert pp.learn.find_learner("td", {"step_size": {"rate": 0.5}}).step_size.kind == "temporal-coherence"
