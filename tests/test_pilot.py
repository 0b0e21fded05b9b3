"""Pilots: their settings, their file and what it refuses, what goes to the search, and the commands about them."""

from __future__ import annotations

import doctest
import hashlib
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from safetensors.numpy import load, save

import plypilot as pp
import plypilot.pilot
from conftest import EXAMPLES, NATIVE_GAMES, PYTHON_GAMES, SMALL_BOARDS
from plypilot import _core, sealed
from plypilot.pilot import Category, Evaluation, Pilot, PilotError, Timing, read_changes
from plypilot.searcher import Searcher

PLYPILOT = Path(sys.executable).with_name("plypilot")
MATERIAL = Pilot.plain("chess", "material")


def run(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PLYPILOT, *words], capture_output=True, text=True, cwd=cwd, timeout=60)


def head_of(content: bytes) -> dict[str, Any]:
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return json.loads(header["__metadata__"]["plypilot"])


def with_seal(tensors: dict[str, np.ndarray], head: dict[str, Any]) -> bytes:
    """A file that says what a test wants, with a right SHA-256."""
    head = {"format": head.pop("format"), "version": head.pop("version"), "sha256": "0" * 64, **head}
    draft = save(tensors, {"plypilot": json.dumps(head)})
    return draft.replace(b"0" * 64, hashlib.sha256(draft).hexdigest().encode(), 1)


def altered(tmp_path: Path, tensors: dict[str, np.ndarray] | None = None, **changes: Any) -> Path:
    """A file of MATERIAL with settings changed by path, behind a right SHA-256."""
    MATERIAL.save(path := tmp_path / "altered.pilot")
    content = path.read_bytes()
    head = head_of(content)
    head.pop("sha256")
    for key, value in changes.items():
        *parents, last = key.split("__")
        part = head
        for parent in parents:
            part = part[parent]
        part[last] = value
    path.write_bytes(with_seal(load(content) if tensors is None else tensors, head))
    return path


# What a pilot is


@pytest.mark.parametrize("game", [*NATIVE_GAMES, *SMALL_BOARDS, *PYTHON_GAMES])
def test_the_plain_pilot_knows_the_rules_only(game: str) -> None:
    pilot = Pilot.plain(game)
    assert pilot == Pilot(game=game)
    assert pilot.evaluation.kind == "zero"
    settings = pilot.native_settings()
    assert settings["table"]["log2_entries"] == 0
    assert settings["depth"]["categories"] == []
    assert not any(settings["pruning"][key] for key in ("null_reduction", "futility_margin", "late_moves"))
    orders = ("table_move", "captures", "killers", "history", "countermove", "shuffle", "internal_deepening", "network")
    assert not any(settings["ordering"][key] for key in orders)


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_the_plain_pilot_may_count_pieces(game: str) -> None:
    pilot = Pilot.plain(game, "material")
    assert pilot.replace({"evaluation.kind": "zero"}).search == Pilot.plain(game).search
    (weights,) = pilot.evaluation.named(game).values()
    assert min(weights.values()) == 100
    with pytest.raises(PilotError, match=r'no feature set "material"; there are: features'):
        Pilot.plain("connect_four:ConnectFour", "material")


@pytest.mark.parametrize("game", [*NATIVE_GAMES, *SMALL_BOARDS, *PYTHON_GAMES])
def test_the_baseline_has_a_table_and_is_saved(game: str, tmp_path: Path) -> None:
    pilot = Pilot.baseline(game)
    assert pilot.search.table.log2_entries == 20
    assert pilot.evaluation.kind == ("zero" if game in PYTHON_GAMES else "linear")
    assert (pilot.pruning.null_reduction == 0) == (game in PYTHON_GAMES)
    pilot.save(tmp_path / "baseline.pilot")
    assert Pilot.load(tmp_path / "baseline.pilot") == pilot


def test_a_class_is_named_as_its_positions_are() -> None:
    from connect_four import ConnectFour

    assert Pilot.plain(ConnectFour).game == pp.Position(ConnectFour).game


def test_an_unknown_game_is_refused_by_name() -> None:
    for make in (Pilot.plain, Pilot.baseline):
        with pytest.raises(pp.UnknownGame, match='no game is called "go"'):
            make("go")
    with pytest.raises(ValidationError, match='no game is called "go"'):
        Pilot(game="go")


def test_every_setting_and_part_has_a_meaning() -> None:
    settings = MATERIAL.settings()
    assert len(settings) > 30
    assert [setting.key for setting in settings if not setting.text] == []


def test_pilots_do_not_change() -> None:
    with pytest.raises(ValidationError):
        MATERIAL.game = "loa"  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        MATERIAL.evaluation.weights["material"][0] = 1


def test_equal_pilots_are_equal_by_value_hash_digest_and_pickle() -> None:
    twin = Pilot.plain("chess", "material")
    other = twin.replace({"pruning.futility_margin": 1})
    heavier = Pilot(game="chess", evaluation=Evaluation(kind="linear", weights={"material": [101, 300, 300, 500, 900]}))
    assert twin == MATERIAL == pickle.loads(pickle.dumps(MATERIAL))
    assert hash(twin) == hash(MATERIAL)
    assert twin.digest == MATERIAL.digest
    for different in (other, heavier):
        assert different != MATERIAL
        assert different.digest != MATERIAL.digest
    assert len({MATERIAL, twin, other, heavier}) == 3


def test_minus_zero_weighs_as_zero() -> None:
    one, two = (Pilot(game="loa", evaluation=Evaluation(kind="linear", weights={"material": [w]})) for w in (0.0, -0.0))
    assert one == two
    assert one.digest == two.digest


# Evaluation


def test_weights_by_name_and_back() -> None:
    named = {"material": {"pawn": 0.1, "queen": -900.5}}
    evaluation = Evaluation.linear("chess", named)
    assert evaluation.weights["material"].dtype == np.float32
    assert evaluation.named("chess")["material"] == {"pawn": 0.1, "knight": 0, "bishop": 0, "rook": 0, "queen": -900.5}
    assert Evaluation.linear("chess", evaluation.named("chess")) == evaluation
    with pytest.raises(PilotError, match='no feature "prawn"; there are: pawn, knight'):
        Evaluation.linear("chess", {"material": {"prawn": 1}})
    with pytest.raises(PilotError, match='chess has no feature set "mia"; there are: material'):
        Evaluation.linear("chess", {"mia": {"quads": 1}})


@pytest.mark.parametrize(
    ("weights", "reason"),
    [
        ({"nothing": [1]}, 'no feature set "nothing"'),
        ({"material": [1, 2]}, "2 of them, but the set has 5 features in chess"),
        ({"material": [1, 2, 3, 4, float("nan")]}, "number 4 is nan, expected a finite number"),
        ({"material": [1, 2, float("inf"), 4, 5]}, "number 2 is inf, expected a finite number"),
        ({"material": [1, 1e6, 3, 4, 5]}, "number 1 is 1e[+]06, expected at most"),
        ({"material": [[1, 2, 3, 4, 5]]}, "has the shape"),
        ({"material": ["a"] * 5}, "expected numbers"),
        ({}, "needs the weights of at least one feature set"),
    ],
)
def test_wrong_weights_are_refused(weights: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Pilot(game="chess", evaluation=Evaluation(kind="linear", weights=weights))


def test_the_evaluation_goes_to_the_search_by_set() -> None:
    pilot = Pilot(game="chess", evaluation=Evaluation.linear("chess", {"half_board": {"pawn_a2": 1}, "material": {}}))
    native = pilot.native_evaluation(seed=7)
    assert [name for name, _ in native["terms"]] == ["material", "half_board"]
    assert native["terms"][1][1][0] == 1
    assert (native["kind"], native["seed"]) == ("linear", 7)
    assert pilot.replace({"evaluation.kind": "zero"}).native_evaluation()["terms"] == []


# Settings


def test_settings_have_the_names_and_the_defaults_of_the_core() -> None:
    native = _core.default_settings()
    assert Pilot(game="chess").native_settings() == native["search"]
    assert Timing().native() == native["timing"]


def test_categories_become_masks_and_units() -> None:
    pilot = MATERIAL.replace({"depth.categories": [(["Ch"], 0.5), (["capture", "Rc"], 0.75), ([], 2)]})
    bits = {feature.name: 1 << bit for bit, feature in enumerate(pp.game_info("chess").move_features)}
    assert pilot.native_settings()["depth"]["categories"] == [
        (bits["check"], 512),
        (bits["recapture"] | bits["capture"], 768),
        (0, 2048),
    ]


def test_symbols_and_names_are_the_same_category() -> None:
    one = MATERIAL.replace({"depth.categories": [(["Ch", "capture"], 0.5)]})
    two = MATERIAL.replace({"depth.categories": '[[["capture", "check", "check"], 0.5]]'})
    assert one == two
    assert one.depth.categories == (Category(("capture", "check"), 0.5),)


@given(st.floats(0, 4))
def test_fractional_plies_are_exact_in_1024ths(plies: float) -> None:
    pilot = MATERIAL.replace({"depth.evasion": plies, "depth.categories": [(["check"], plies)]})
    units = pilot.native_settings()["depth"]["evasion_units"]
    assert pilot.depth.evasion * 1024 == units
    assert pilot.depth.categories[0].plies == pilot.depth.evasion
    assert abs(units - plies * 1024) <= 0.5


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("pruning.null_reduction=3", 3),
        ("search.table.probes=16", 16),
        ("search.window.kind=mtdf", "mtdf"),
        ("search.quiescence.on=on", True),
        ("pruning.null_recursive = false", False),
        ("depth.mate_threat=0.5", 0.5),
        ('depth.categories=[[["check"],0.25]]', (Category(("check",), 0.25),)),
        ("timing.increment_share=1", 1.0),
    ],
)
def test_a_setting_is_changed_by_a_word(word: str, value: object) -> None:
    changed = MATERIAL.replace(read_changes([word]))
    key = word.partition("=")[0].strip()
    assert {setting.key: setting.value for setting in changed.settings()}[key] == value
    assert list(MATERIAL.compare(changed).settings) == [key]


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("pruning.null_reduction", "not of the form key=value"),
        ("pruning.nul=3", 'no setting "pruning.nul"; there are: pruning.null_reduction, pruning.null_adaptive'),
        ("prune=3", 'no setting "prune"; plypilot pilot show lists them all'),
        ("pruning=3", 'no setting "pruning"'),
        ("game=loa", 'no setting "game"'),
        ("evaluation.weights={}", 'no setting "evaluation.weights"'),
        ("pruning.null_reduction=9", "pruning.null_reduction: .* got 9"),
        ("pruning.null_reduction=-1", "pruning.null_reduction: .* got -1"),
        ("pruning.null_reduction=two", "pruning.null_reduction: .* got 'two'"),
        ("pruning.null_reduction=1.5", "pruning.null_reduction: "),
        ("pruning.null_adaptive=maybe", "pruning.null_adaptive: "),
        ("search.table.log2_entries=13", "expected 0 .no table. or at least 14, got 13"),
        ("search.table.log2_entries=33", "search.table.log2_entries: "),
        ("search.table.probes=3", "search.table.probes: .* got 3"),
        ("search.window.kind=sss", "'alpha_beta', 'pvs' or 'mtdf', got 'sss'"),
        ("depth.evasion=NaN", "depth.evasion: .*finite"),
        ("depth.evasion=4.5", "depth.evasion: "),
        ("depth.categories=check", "depth.categories: "),
        ('depth.categories=[[["chek"],1]]', r'chess has no move feature "chek"; there are: moves_king \(PcK\)'),
        ('depth.categories=[[["check"],5]]', "depth.categories.0.1: "),
        ('depth.categories=[[["check"],1,2]]', "depth.categories.0"),
    ],
)
def test_a_wrong_change_is_refused_with_its_key(word: str, reason: str) -> None:
    with pytest.raises(PilotError, match=reason):
        MATERIAL.replace(read_changes([word]))


@pytest.mark.parametrize("change", ["pruning.null_reduction=2", "depth.mate_threat=0.5"])
def test_games_in_python_have_no_null_move(change: str) -> None:
    with pytest.raises(PilotError, match="needs a null move"):
        Pilot.plain("connect_four:ConnectFour").replace(read_changes([change]))


def test_compare_tells_settings_and_weights_apart() -> None:
    other = Pilot(game="chess", evaluation=Evaluation.linear("chess", {"material": {"pawn": 100}, "ranks_rings": {}}))
    found = MATERIAL.compare(other)
    assert not found.settings
    assert found.weights["material"]["queen"] == (900, 0)
    assert "pawn" not in found.weights["material"]
    assert found.weights["ranks_rings"]["pawn_rank_2"] == (None, 0)
    assert not MATERIAL.compare(MATERIAL)
    assert MATERIAL.compare(Pilot.plain("loa")).settings["game"] == ("chess", "loa")


# The file


def test_a_pilot_comes_back_from_its_file_and_the_bytes_are_the_same(tmp_path: Path) -> None:
    pilot = MATERIAL.replace({"depth.categories": [(["check"], 1 / 3)], "timing.increment_share": 0.1})
    one, two = tmp_path / "one.pilot", tmp_path / "two.pilot"
    pilot.save(one)
    loaded = Pilot.load(one)
    assert loaded == pilot
    assert loaded.evaluation.weights["material"].flags.writeable is False
    loaded.save(two)
    assert one.read_bytes() == two.read_bytes()
    assert head_of(one.read_bytes())["sha256"] == pilot.digest
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.pilot", "two.pilot"]


def test_the_order_in_which_sets_are_given_does_not_matter(tmp_path: Path) -> None:
    weights = {"material": [1.0] * 5, "ranks_rings": [2.0] * 22}
    for name, each in (("a", weights), ("b", dict(reversed(weights.items())))):
        Pilot(game="chess", evaluation=Evaluation(kind="linear", weights=each)).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_save_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    MATERIAL.save(path := tmp_path / "a.pilot")
    before = path.read_bytes()

    def fail(_: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        Pilot.plain("loa").save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_every_flipped_bit_is_found(tmp_path: Path) -> None:
    MATERIAL.save(path := tmp_path / "a.pilot")
    content = path.read_bytes()
    for at in range(len(content)):
        for bit in range(8):
            damaged = bytearray(content)
            damaged[at] ^= 1 << bit
            with pytest.raises(sealed.SealedFileError):
                sealed.decode(bytes(damaged), "pilot", 2)


def test_every_cut_and_every_tail_is_found(tmp_path: Path) -> None:
    MATERIAL.save(path := tmp_path / "a.pilot")
    content = path.read_bytes()
    sealed.decode(content, "pilot", 2)
    for length in range(len(content)):
        with pytest.raises(sealed.SealedFileError):
            sealed.decode(content[:length], "pilot", 2)
    for tail in (b"\0", b" ", content):
        with pytest.raises(sealed.SealedFileError):
            sealed.decode(content + tail, "pilot", 2)


def test_the_examples_of_the_docstrings_run() -> None:
    assert doctest.testmod(plypilot.pilot).failed == 0


def test_a_damaged_weight_is_called_damaged(tmp_path: Path) -> None:
    MATERIAL.save(path := tmp_path / "a.pilot")
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(PilotError, match=r"a\.pilot: damaged: its SHA-256 is .* use another copy"):
        Pilot.load(path)


@pytest.mark.parametrize("content", [b"", b"pilot", b"\x80\x04K\x01.", b"\xff" * 100, b"PK\x03\x04" + bytes(60)])
def test_other_files_are_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(PilotError, match=r"other: not a pilot file"):
        Pilot.load(tmp_path / "other")


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        (None, 'no "plypilot"'),
        ({"format": "pt"}, 'no "plypilot"'),
        ({"plypilot": "{"}, "not JSON"),
        ({"plypilot": "[" * 100_000}, "not JSON"),
        ({"plypilot": "[]"}, "does not say"),
        ({"plypilot": '{"format":"pilot","version":2}'}, "has no SHA-256"),
        ({"plypilot": '{"format":"pilot","version":2,"sha256":7}'}, "has no SHA-256"),
    ],
)
def test_other_safetensors_files_are_refused(metadata: dict[str, str] | None, reason: str, tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(save({"x": np.zeros(3, np.float32)}, metadata))
    with pytest.raises(PilotError, match=reason):
        Pilot.load(tmp_path / "other")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate((1 << 30) + 1)
    with pytest.raises(PilotError, match="larger than 1024 MiB"):
        Pilot.load(tmp_path / "large")


def test_another_version_is_refused_with_both_numbers(tmp_path: Path) -> None:
    with pytest.raises(PilotError, match="format version 3, but this plypilot reads version 2"):
        Pilot.load(altered(tmp_path, version=3))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"extra": 1}, 'unknown field "extra"'),
        ({"settings": 3}, "not a table of parts"),
        ({"settings__extra": 1}, "extra: unknown field"),
        ({"settings__pruning__extra": 1}, "pruning.extra: unknown field"),
        ({"settings__search__table__extra": 1}, "search.table.extra: unknown field"),
        ({"settings__pruning__null_reduction": 99}, "pruning.null_reduction: .* got 99"),
        ({"settings__evaluation": []}, "its settings have no part for it"),
        ({"settings__evaluation__kind": "oracle"}, "evaluation.kind: .* got 'oracle'"),
        ({"settings__evaluation__weights": {"material": [1] * 5}}, "there is a setting of that name"),
        ({"settings__evaluation__weights": {"half_board": [1] * 152}}, "among the settings, but arrays are tensors"),
        ({"settings__game": 5}, "game: "),
    ],
)
def test_what_the_settings_should_not_say_is_refused(changes: dict[str, Any], reason: str, tmp_path: Path) -> None:
    with pytest.raises(PilotError, match=r"altered\.pilot: .*" + reason):
        Pilot.load(altered(tmp_path, **changes))


@pytest.mark.parametrize("game", ["go", "no_such_module:Game", "json:JSONDecoder"])
def test_a_file_of_an_unknown_game_is_refused(game: str, tmp_path: Path) -> None:
    with pytest.raises(pp.UnknownGame, match=r"altered\.pilot: .*" + game):
        Pilot.load(altered(tmp_path, settings__game=game))


@pytest.mark.parametrize(
    ("tensors", "reason"),
    [
        ({"evaluation/weights/material": np.zeros(5, np.float64)}, "is F64, expected F32"),
        ({"evaluation/weights/material": np.zeros((1, 5), np.float32)}, "has the shape .1, 5."),
        ({"evaluation/weights/material": np.zeros(4, np.float32)}, "4 of them, but the set has 5 features"),
        ({"evaluation/weights/none": np.zeros(5, np.float32)}, 'no feature set "none"'),
        ({"evaluation/weights/material": np.full(5, np.nan, np.float32)}, "nan, expected a finite number"),
        ({"evaluation/weights/a/b": np.zeros(5, np.float32)}, "evaluation.weights.a: "),
        ({"evaluation/network/hidden": np.zeros((5, 1), np.float32)}, "its settings have no part for it"),
        ({"evaluation/kind": np.zeros(1, np.float32)}, "there is a setting of that name"),
        ({"material": np.zeros(5, np.float32)}, "material: unknown field"),
        ({"ordering/nothing": np.zeros(5, np.float32)}, "ordering.nothing: unknown field"),
        ({}, "needs the weights"),
    ],
)
def test_tensors_that_do_not_fit_are_refused(tensors: dict[str, np.ndarray], reason: str, tmp_path: Path) -> None:
    with pytest.raises(PilotError, match=r"altered\.pilot: .*" + reason):
        Pilot.load(altered(tmp_path, tensors))


def test_a_setting_that_a_file_does_not_name_has_its_default(tmp_path: Path) -> None:
    assert Pilot.load(altered(tmp_path, settings__timing={})) == MATERIAL


def test_files_of_version_1_are_read(tmp_path: Path) -> None:
    """Weights were at evaluation/SET, a network at network/ARRAY; its output had a vector, and a number as its bias."""
    weights = {"evaluation/material": MATERIAL.evaluation.weights["material"]}
    settings = head_of(MATERIAL.encode())["settings"]
    del settings["evaluation"]["weights"]
    (tmp_path / "linear").write_bytes(with_seal(weights, {"format": "pilot", "version": 1, "settings": settings}))
    assert Pilot.load(tmp_path / "linear") == MATERIAL

    pilot = make_network()
    network = pilot.evaluation.network
    assert network is not None
    layers = {"network/hidden": network.hidden, "network/hidden_bias": network.hidden_bias}
    layers["network/output"] = network.output.reshape(-1)
    settings = head_of(pilot.encode())["settings"]
    del settings["evaluation"]["weights"]
    del settings["evaluation"]["network"]["function"]
    settings["evaluation"]["network"]["output_bias"] = 0.25
    (tmp_path / "network").write_bytes(with_seal(layers, {"format": "pilot", "version": 1, "settings": settings}))
    assert Pilot.load(tmp_path / "network") == pilot
    (tmp_path / "old").write_bytes(with_seal(layers, {"format": "pilot", "version": 2, "settings": settings}))
    with pytest.raises(PilotError, match="unknown field"):
        Pilot.load(tmp_path / "old")


# Commands


def test_show_prints_settings_with_their_meaning_and_the_weights(tmp_path: Path) -> None:
    MATERIAL.save(tmp_path / "a.pilot")
    done = run("pilot", "show", str(tmp_path / "a.pilot"), "--set", 'depth.categories=[[["Ch"],0.5]]')
    assert (done.returncode, done.stderr) == (0, "")
    for setting in MATERIAL.settings():
        assert re.search(rf"^{setting.key} +\S+.* {re.escape(setting.text)}", done.stdout, re.MULTILINE), setting.key
    assert re.search(r"depth.categories +check 0.5 ", done.stdout)
    assert "queen 900, rook 500" in done.stdout


def test_show_as_json_holds_everything() -> None:
    shown = json.loads(run("pilot", "show", "plain:connect_four:ConnectFour", "--json", cwd=EXAMPLES).stdout)
    assert shown["game"] == "connect_four:ConnectFour"
    assert shown["settings"]["search"]["table"]["log2_entries"] == 0
    assert shown["weights"] == {}
    assert len(shown["digest"]) == 64


def test_save_and_diff_exit_as_diff_does(tmp_path: Path) -> None:
    for name, words in (("a", ()), ("b", ("--set", "pruning.null_reduction=3"))):
        assert run("pilot", "save", "plain:loa", name, *words, cwd=tmp_path).returncode == 0
    same = run("pilot", "diff", "a", "plain:loa", cwd=tmp_path)
    assert (same.returncode, same.stdout, same.stderr) == (0, "", "")
    differs = run("pilot", "diff", "a", "b", cwd=tmp_path)
    assert (differs.returncode, differs.stderr) == (1, "")
    assert re.search(r"^pruning.null_reduction +0 +3 *$", differs.stdout, re.MULTILINE)
    assert differs.stdout.count("\n") == 2
    found = json.loads(run("pilot", "diff", "a", "b", "--json", cwd=tmp_path).stdout)
    assert found.pop("settings") == {"pruning.null_reduction": [0, 3]}
    assert found == {"parts": {}, "weights": {}, "networks": {}, "arrays": {}}


def test_diff_tells_the_largest_differences_of_weights(tmp_path: Path) -> None:
    MATERIAL.save(tmp_path / "a")
    Pilot(game="chess", evaluation=Evaluation.linear("chess", {"material": {"pawn": 100, "queen": 950}})).save(
        tmp_path / "b"
    )
    done = run("pilot", "diff", "a", "b", cwd=tmp_path)
    assert done.returncode == 1
    assert "weights of material: 4 differ" in done.stdout
    assert re.search(r"rook +500 +0 *\n.*knight +300 +0", done.stdout)


def moved(pilot: Pilot, **layers: Any) -> Pilot:
    """The pilot with other layers in its network."""
    assert pilot.evaluation.network is not None
    network = pilot.evaluation.network.with_layers(layers)
    return pilot.model_copy(update={"evaluation": Evaluation(kind="network", network=network)})


def test_networks_are_told_apart() -> None:
    pilot = make_network()
    assert pilot.evaluation.network is not None
    assert not pilot.compare(make_network())
    hidden = pilot.evaluation.network.hidden.copy()
    hidden[3] += 1
    hidden[7, 0] -= 0.5
    found = pilot.compare(moved(pilot, hidden=hidden, output_bias=[0.5]))
    assert not found.settings and not found.arrays and not found.parts
    network = found.networks["evaluation.network"]
    assert (network.differing, network.weights) == (6, 65 * 4 + 4 + 4 + 1)
    assert {name: layer.differing for name, layer in network.layers.items()} == {"hidden": 5, "output_bias": 1}
    assert network.layers["hidden"].largest == pytest.approx(1)
    assert network.layers["hidden"].mean == pytest.approx(np.sqrt(4.25 / 260))
    features = next(each.features for each in pp.game_info("loa").feature_sets if each.name == "squares")
    assert network.inputs == pytest.approx({features[3]: 2.0, features[7]: 0.5})
    assert pilot.compare(make_network(units=5)).networks["evaluation.network"].inputs == {}
    assert pilot.compare(pilot.replace({"evaluation.network.function": "linear"})).settings == {
        "evaluation.network.function": ("tanh", "linear")
    }


def test_diff_tells_in_words_how_networks_differ(tmp_path: Path) -> None:
    pilot = make_network()
    assert pilot.evaluation.network is not None
    pilot.save(tmp_path / "a")
    moved(pilot, hidden=pilot.evaluation.network.hidden * 1.5).replace({"evaluation.network.scale": 600}).save(
        tmp_path / "b"
    )
    make_network(units=6).save(tmp_path / "c")
    near = run("pilot", "diff", "a", "b", cwd=tmp_path)
    assert (near.returncode, near.stderr) == (1, "")
    assert re.search(r"^evaluation.network.scale +500.0 +600.0", near.stdout, re.MULTILINE)
    assert "evaluation.network: 260 of 269 weights differ" in near.stdout
    assert re.search(r"^  hidden +65 x 4 +260 +0\.\d+ +1\.\d+", near.stdout, re.MULTILINE)
    assert re.search(r"^  inputs whose weights moved most: \w+ 1\.\d+, ", near.stdout, re.MULTILINE)
    far = run("pilot", "diff", "a", "c", cwd=tmp_path)
    assert far.returncode == 1
    assert "a has 65 inputs (squares), 4 hidden units, 1 tanh output" in far.stdout
    assert "c has 65 inputs (squares), 6 hidden units, 1 tanh output" in far.stdout
    assert re.search(r"^  hidden +65 x 4 to 65 x 6 ", far.stdout, re.MULTILINE)
    told = json.loads(run("pilot", "diff", "a", "b", "--json", cwd=tmp_path).stdout)
    assert told["networks"]["evaluation.network"]["layers"]["hidden"]["differing"] == 260


def test_diff_of_a_network_and_weights_tells_what_only_one_has(tmp_path: Path) -> None:
    make_network().save(tmp_path / "a")
    for words, lone in ((("a", "baseline:loa"), "a"), (("baseline:loa", "a"), "a")):
        done = run("pilot", "diff", *words, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (1, "")
        assert f"evaluation.network: only {lone} has it: 65 inputs (squares), 4 hidden units" in done.stdout
        assert "weights of mia: only baseline:loa has them, 7" in done.stdout
    told = json.loads(run("pilot", "diff", "a", "baseline:loa", "--json", cwd=tmp_path).stdout)
    assert told["parts"]["evaluation.network"][1] is None


def test_show_tells_the_shape_of_a_network(tmp_path: Path) -> None:
    make_network().save(tmp_path / "a")
    shown = run("pilot", "show", "a", cwd=tmp_path).stdout
    assert "evaluation.network: 65 inputs (squares), 4 hidden units, 1 tanh output; 269 weights" in shown
    assert json.loads(run("pilot", "show", "a", "--json", cwd=tmp_path).stdout)["arrays"][
        "evaluation/network/hidden"
    ] == [
        65,
        4,
    ]


@pytest.mark.parametrize(
    "words",
    [
        ("show", "no.such.file"),
        ("show", "plain:go"),
        ("show", "."),
        ("show", "plain:loa", "--set", "pruning.null_reduction=99"),
        ("show", "plain:loa", "--set", "nonsense"),
        ("diff", "plain:loa", "no.such.file"),
        ("diff", "plain:loa"),
        ("save", "plain:loa", "no/such/folder/file"),
    ],
)
def test_usage_errors_exit_2_with_one_line(words: tuple[str, ...], tmp_path: Path) -> None:
    done = run("pilot", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("plypilot: ")
    assert done.stderr.count("\n") == 1


def test_importing_the_package_and_its_commands_loads_nothing_heavy() -> None:
    code = "import sys, plypilot.cli; print(sorted({'numpy', 'pydantic', 'safetensors'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def make_network(units: int = 4) -> Pilot:
    """A small network over LOA's raw squares, of fixed random weights."""
    rng = np.random.default_rng(1)
    network = {
        "set": "squares",
        "scale": 500.0,
        "first_player": True,
        "hidden": rng.normal(size=(65, units)),
        "hidden_bias": rng.normal(size=units),
        "output": rng.normal(size=(units, 1)),
        "output_bias": [0.25],
    }
    return Pilot(game="loa", evaluation=Evaluation(kind="network", network=network))


def test_a_network_is_saved_and_judges_as_its_formula_says(tmp_path: Path) -> None:
    pilot = make_network()
    pilot.save(path := tmp_path / "a.pilot")
    assert Pilot.load(path) == pilot
    assert Pilot.load(path).digest == pilot.digest
    network = pilot.evaluation.network
    assert network is not None
    position = pp.Position("loa")
    searcher = Searcher(pilot)
    for move in ("b8-b6", "a7-c7", "g8-g6"):
        position.push(move)
        hidden = np.tanh(position.feature_values("squares") @ network.hidden + network.hidden_bias)
        value = float(np.tanh(hidden @ network.output + network.output_bias)[0]) * 500
        expected = value if position.turn == 0 else -value
        assert abs(searcher.evaluate(position) - expected) <= 0.51


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"hidden": np.zeros((64, 4))}, "64 inputs, but squares has 65 features"),
        (
            {"hidden": np.zeros((65, 300)), "hidden_bias": np.zeros(300), "output": np.zeros((300, 1))},
            "300 hidden units and 1 outputs, expected at most 256",
        ),
        ({"output": np.zeros((3, 1))}, r"output has the shape \(3, 1\), expected \(4, 1\)"),
        ({"output": np.zeros(4)}, r"has the shape \(4,\), expected 2 axes"),
        ({"output": []}, "needs a hidden layer"),
        ({"output": np.zeros((4, 2)), "output_bias": []}, "has 2 outputs, expected one"),
        ({"output_bias": [1, 2]}, r"output_bias has the shape \(2,\), expected \(1,\)"),
        ({"direct": np.zeros((64, 1))}, r"direct has the shape \(64, 1\), expected \(65, 1\)"),
        ({"hidden": np.full((65, 4), np.nan)}, "number 0, 0 is nan, expected a finite number"),
    ],
)
def test_a_network_that_does_not_fit_is_refused(change: dict[str, Any], reason: str) -> None:
    network = make_network().evaluation.network
    assert network is not None
    with pytest.raises(ValueError, match=reason):
        Pilot(game="loa", evaluation={"kind": "network", "network": network.model_dump() | change})


def test_margins_and_noise_follow_what_a_pawn_is_worth() -> None:
    changes = {
        "pruning.futility_margin": 100,
        "search.window.aspiration": 25,
        "search.quiescence.margin": 200,
        "search.root.noise": 1,
    }
    native = [MATERIAL.replace({**changes, "evaluation.pawn": pawn}).native_settings() for pawn in (100, 30, 1000)]
    assert [each["pruning"]["futility_margin"] for each in native] == [100, 30, 1000]
    assert [each["window"]["aspiration"] for each in native] == [25, 8, 250]
    assert [each["quiescence"]["margin"] for each in native] == [200, 60, 2000]
    assert [each["root"]["noise"] for each in native] == [1, 1, 10], "what is on stays on"
    assert MATERIAL.replace({"evaluation.pawn": 30}).native_settings()["pruning"]["futility_margin"] == 0
