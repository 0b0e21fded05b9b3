"""What people see of networks that order moves: reports of runs, pilots, and what commands print."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plypilot as pp
from conftest import EXAMPLES
from plypilot.cli.learning import figures
from plypilot.diagrams import Arrow, Square, draw_moves, find_pieces, has_board
from plypilot.learn import LEARNERS, NO_CHECKS, CheckHistory, MoveMap, Run, read_run, train
from plypilot.learn.folder import Checkpoint
from plypilot.learn.judged_moves import find_preferences, judge, random_positions, rank_correlation
from plypilot.learn.movemap_sections import (
    Sample,
    comparison_sections,
    describe_network,
    describe_use,
    pilot_sections,
    run_sections,
)
from plypilot.learn.selfplay_set import SelfPlay, make_selfplay_set
from plypilot.networks import MoveNetwork, native_encoding
from plypilot.report import make_report
from plypilot.searcher import Limit
from plypilot.sections import Diagrams, Lines, Section, Table, Verbatim
from plypilot.settings import Ordering

pytest.importorskip("matplotlib")
PLYPILOT = Path(sys.executable).with_name("plypilot")
SMALL = "breakthrough-5x5"
CONNECT_FOUR = "connect_four:ConnectFour"
FEW_GAMES: dict[str, Any] = {
    "play": {"games": 120, "batch": 60, "nodes": 100, "side_lines": 0},
    "epochs": 5,
    "batch": 16,
    "trials": {"games": 2, "nodes": 30},
}
"""So small batches overfit soon: an epoch before the last is the best."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("run")
    train(MoveMap(**FEW_GAMES), pp.Pilot.baseline(SMALL), folder, checks=NO_CHECKS)
    return read_run(folder)


def sections_of(run: Run) -> dict[str, Section]:
    assert isinstance(run.learner, MoveMap)
    return {section.title: section for section in run_sections(run, run.learner)}


def words(section: Section) -> str:
    return " ".join(block for block in section.blocks if isinstance(block, str))


def cells(section: Section) -> list[list[str]]:
    (table,) = (block for block in section.blocks if isinstance(block, Table))
    return [list(row) for row in table.rows]


def page_text(page: str) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", page))


def loving(game: str, move: str, *, function: Any = "linear", love: float = 5.0, alone: bool = False) -> pp.Pilot:
    """A pilot whose network scores one move above all others, wherever it is legal; it may know that move alone."""
    position = pp.Position(game)
    start, end, promotion = position.parse(move).index
    sizes = pp.game_info(game).index_sizes
    code = (start * sizes[1] + end) * sizes[2] + promotion
    codes = np.array([code]) if alone else np.arange(np.prod(sizes))
    inputs = native_encoding(game, "meos", "mover", ["board"], codes).inputs
    bias = np.where(codes == code, love, 0.0)
    network = {"set": "board", "function": function, "moves": codes, "output_bias": bias}
    network["direct"] = np.zeros((inputs, len(codes)))
    pilot = pp.Pilot.baseline(game)
    return pilot.model_copy(update={"ordering": Ordering(**pilot.ordering.model_dump() | {"network": network})})


def network_of(pilot: pp.Pilot) -> MoveNetwork:
    assert pilot.ordering.network is not None
    return pilot.ordering.network


# Runs


def test_the_report_of_a_run_has_every_part(run: Run) -> None:
    page = make_report(run)
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    parts = ["What was learned", "How it learned", "What scores are worth", "Positions", "In the search"]
    assert titles == ["Verdict", *parts, "Words", "Settings and versions"]
    assert page == make_report(run)
    assert page.count("<svg") == 7
    assert "120 games" in page_text(page)


def test_the_report_measures_on_positions_that_took_no_part_in_learning(run: Run) -> None:
    assert isinstance(run.learner, MoveMap)
    sample = Sample.of(run, run.learner)
    assert sample.split == "test"
    ranks = []
    for position, best, judged in sample.judged(10**6):
        assert sorted(str(move.move) for move in judged) == sorted(map(str, position.moves()))
        scores = [move.score for move in judged]
        assert scores == sorted(scores, reverse=True)
        assert sum(move.share for move in judged) == pytest.approx(1)
        ranks.append(next(place for place, move in enumerate(judged, start=1) if move.move == best))
    assert len(ranks) == len(sample.cases) > 30
    assert sample.measures.share_within(3) == pytest.approx(np.mean(np.array(ranks) <= 3), abs=0.01)
    told = words(sections_of(run)["What was learned"])
    assert f"Over {len(ranks)} positions of the test split, which took no part in learning" in told
    assert f"{sample.measures.share_within(1):.1%}" in told
    assert f"The network of epoch {run.state.numbers['best_epoch']} is kept, of 5" in told
    assert run.state.numbers["best_epoch"] < 5


def test_scores_of_a_report_are_those_that_the_search_is_told(run: Run) -> None:
    assert isinstance(run.learner, MoveMap)
    network = network_of(run.pilot)
    for position, _, judged in Sample.of(run, run.learner).judged(20):
        searched = {move.move: move.score for move in judge(SMALL, network, position)}
        assert searched == pytest.approx({move.move: move.score for move in judged}, abs=0.01)


def test_curves_are_those_of_the_epochs(run: Run) -> None:
    errors, ranks, mean_rank, losses = sections_of(run)["How it learned"].blocks
    epochs = [line for line in run.metrics if "epoch" in line]
    assert len(epochs) == 5
    for drawn, name, key in (
        (errors, "validation", "validation_error"),
        (errors, "learning", "learn_error"),
        (ranks, "in the first 3", "validation_first_3"),
        (mean_rank, "mean rank", "validation_mean_rank"),
        (losses, "learning", "loss"),
    ):
        assert isinstance(drawn, Lines)
        assert drawn.x.tolist() == [1, 2, 3, 4, 5]
        assert drawn.lines[name].tolist() == [line[key] for line in epochs]


def test_positions_show_the_likeliest_moves_and_the_best_one(run: Run) -> None:
    section = sections_of(run)["Positions"]
    (drawn,) = (block for block in section.blocks if isinstance(block, Diagrams))
    rows = cells(section)
    assert len(drawn.diagrams) == len(rows) == 6
    for diagram, (_, best, rank, *likeliest) in zip(drawn.diagrams, rows, strict=True):
        assert len(diagram.arrows) == len(diagram.texts) == (3 if int(rank) <= 3 else 4)
        assert next(text for text in diagram.texts if "called the best" in text).startswith(f"{best} ")
        assert diagram.texts[0].startswith(likeliest[0])


def test_a_run_that_still_plays_says_so(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(_step: int, _metrics: object) -> None:
        raise Stop

    with pytest.raises(Stop):
        train(MoveMap(**FEW_GAMES), pp.Pilot.baseline(SMALL), tmp_path, checks=NO_CHECKS, on_step=stop)
    (section,) = sections_of(read_run(tmp_path)).values()
    assert words(section) == "The run plays its own games first: 60 of 120."
    assert "60 of 120" in make_report(read_run(tmp_path))


def test_a_run_before_its_first_epoch_says_so(tmp_path: Path) -> None:
    data = tmp_path / "set"
    make_selfplay_set(data, SelfPlay(pp.Pilot.baseline(SMALL), Limit(nodes=50)), games=30)
    learner, pilot = MoveMap(data=str(data)), pp.Pilot.baseline(SMALL)
    state = learner.start(pilot, 0)
    facts = {"learner": "movemap", "game": SMALL, "seed": 0, "settings": {"data": str(data)}}
    begun = Run(tmp_path, facts, Checkpoint(state, 0, CheckHistory(), False, None), ())
    (section,) = sections_of(begun).values()
    assert words(section) == "No epoch has lowered the error rate yet, so the pilot is as it was."


def test_a_report_is_made_without_the_pattern_set_that_has_gone(tmp_path: Path) -> None:
    data = tmp_path / "set"
    make_selfplay_set(data, SelfPlay(pp.Pilot.baseline(SMALL), Limit(nodes=50)), games=60)
    learner = MoveMap(data=str(data), epochs=3, batch=64, optimiser="rprop", trials={"games": 0})
    train(learner, pp.Pilot.baseline(SMALL), tmp_path / "run", checks=NO_CHECKS)
    run = read_run(tmp_path / "run")
    whole = sections_of(run)
    assert whole.keys() >= {"What scores are worth", "Positions"}
    assert "share" not in [block.across for block in whole["What scores are worth"].blocks if isinstance(block, Lines)]
    assert "Measured on the way" not in make_report(run)  # all of it is drawn already
    data.rename(tmp_path / "elsewhere")
    told = words(sections_of(run)["What was learned"])
    assert f"is left out: {data}: is no pattern set" in told
    assert "Positions" not in sections_of(run)
    assert "is left out" in make_report(run)


def test_boards_of_games_in_python_are_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    few = {"play": {"games": 40, "batch": 40, "nodes": 30}, "epochs": 2, "batch": 64, "encoding": "mei", "hidden": 2}
    few["trials"] = {"games": 0}
    train(MoveMap(**few), pp.Pilot.baseline(CONNECT_FOUR), tmp_path, checks=NO_CHECKS)
    section = sections_of(read_run(tmp_path))["Positions"]
    drawn = [block.text for block in section.blocks if isinstance(block, Verbatim)]
    assert len(drawn) == 2
    assert drawn[0].splitlines()[-1].split() == list("abcdefg") * 3
    assert re.match(r"1: [XO] to move +2: [XO] to move +3: [XO] to move$", drawn[0].splitlines()[0])
    assert drawn[0].splitlines()[-1] in make_report(read_run(tmp_path))


# Diagrams


@pytest.mark.parametrize(
    ("game", "count", "corner", "is_dark", "letter"),
    [
        ("chess", 32, Square(0, 0), False, "R"),
        ("loa", 24, Square(1, 0), True, ""),
        ("breakthrough-6x6", 24, Square(5, 5), True, ""),
        ("shogi", 40, Square(4, 0), True, "K"),
    ],
)
def test_pieces_stand_where_the_position_has_them(
    game: str, count: int, corner: Square, is_dark: bool, letter: str
) -> None:
    pieces = find_pieces(pp.Position(game))
    assert len(pieces) == len({piece.square for piece in pieces}) == count
    (at,) = (piece for piece in pieces if piece.square == corner)
    assert (at.is_dark, at.letter) == (is_dark, letter)
    assert sum(piece.is_dark for piece in pieces) == count // 2


def test_arrows_go_from_square_to_square_and_drops_come_from_nowhere() -> None:
    position = pp.Position("chess")
    diagram = draw_moves(position, "", [position.parse("g1f3")], [""])
    assert list(diagram.arrows) == [Arrow(Square(6, 0), Square(5, 2))]
    assert diagram.has_letters
    position = pp.Position("shogi", "4k4/9/9/9/9/9/9/9/4K4 b P 1")
    diagram = draw_moves(position, "", [position.parse("P*7f"), position.parse("5i6h")], ["", ""])
    assert list(diagram.arrows) == [Arrow(None, Square(2, 3)), Arrow(Square(4, 0), Square(3, 1))]
    assert not diagram.has_letters


def test_a_smaller_board_is_drawn_as_small_as_it_is() -> None:
    position = pp.Position("breakthrough-6x6")
    diagram = draw_moves(position, "", [position.parse("f2-f3")], [""])
    assert (diagram.files, diagram.ranks, diagram.has_letters) == (6, 6, True)
    assert list(diagram.arrows) == [Arrow(Square(5, 1), Square(5, 2))]


def test_games_without_squares_have_no_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    assert not has_board(pp.game_info(CONNECT_FOUR))
    assert all(has_board(pp.game_info(game)) for game in ("chess", "loa", "shogi", SMALL))


# Pilots


def test_a_pilot_says_what_its_network_is_and_likes() -> None:
    pilot = loving(SMALL, "a2-a3")
    what, likes, start = pilot_sections(pilot)
    assert describe_network(network_of(pilot)) in words(what)
    assert "likes" in likes.title
    assert cells(start)[0][1] == "a2-a3"
    others = len(pp.Position(SMALL).moves()) - 1
    assert cells(start)[0][2] == f"{np.exp(5) / (np.exp(5) + others):.1%}"
    scored = list(pilot_sections(loving(SMALL, "a2-a3", function="tanh", love=0.5)))[2]
    assert cells(scored)[0][2] == f"{np.tanh(0.5):.2f}"
    assert list(pilot_sections(pp.Pilot.baseline(SMALL))) == []


def test_preferences_are_means_over_the_positions_where_a_move_is_legal() -> None:
    positions = list(random_positions(SMALL))
    assert all(position.turn == 0 and position.moves() for position in positions)
    pilot = loving(SMALL, "a2-a3")
    first, *others = find_preferences(SMALL, network_of(pilot), positions)
    assert first.text == "a2-a3"
    legal = [len(position.moves()) for position in positions if "a2-a3" in map(str, position.moves())]
    assert first.positions == len(legal)
    assert first.mean == pytest.approx(np.mean([5 - 5 / count for count in legal]), abs=0.05)
    assert all(preference.mean < 0.1 for preference in others)
    assert others == sorted(others, key=lambda preference: -preference.mean)
    known = find_preferences(SMALL, network_of(loving(SMALL, "a2-a3", alone=True)), positions)
    assert [preference.text for preference in known] == ["a2-a3"]


@pytest.mark.parametrize(
    ("changes", "expected", "unexpected"),
    [
        ({"network_use": "pure"}, "in the order of the network's scores", "history divided"),
        ({"network_use": "straightforward"}, "first choice is tried first", "change that weight"),
        ({"network_use": "weighted", "history_weight": 250}, "history divided by 250", "change that weight"),
        ({"network_use": "weighted", "history_adaptation": 0.02}, "change that weight by 2%", "nearer the leaves"),
        ({"network_plies": 3}, "where 3 plies or more are left", "captures"),
        ({"captures": True, "killers": 1}, "Tried before them: captures, killers.", "countermove"),
        ({"network_refinement": 0.5}, "change the network during the search, by 0.5", "Tried before"),
    ],
)
def test_the_use_of_a_network_is_told_in_words(changes: dict[str, Any], expected: str, unexpected: str) -> None:
    told = describe_use(Ordering(**changes))
    assert expected in told
    assert unexpected not in told


def test_two_networks_are_compared_by_their_orders() -> None:
    one, other = loving(SMALL, "a2-a3"), loving(SMALL, "b2-b3")
    order, start = comparison_sections(one, other, ("one", "other"))
    assert "of random games have the same first move" in words(order)
    by_move = {row[0]: row[1:] for row in cells(start)}
    assert by_move["a2-a3"][0] == by_move["b2-b3"][1]
    assert by_move["a2-a3"][0] > by_move["a2-a3"][1]
    assert list(comparison_sections(one, one, ("one", "one"))) == []
    assert list(comparison_sections(one, pp.Pilot.baseline(SMALL), ("one", "none"))) == []
    assert rank_correlation("abcd", "abcd") == 1
    assert rank_correlation("abcd", "dcba") == -1


@pytest.fixture(scope="module")
def two_pilots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """Networks whose inputs are two sets and the move."""
    folder = tmp_path_factory.mktemp("pilots")
    encoding = native_encoding("loa", "mei", "mover", ["board", "mia"])
    paths = folder / "one.pilot", folder / "other.pilot"
    for number, path in enumerate(paths):
        network = {"set": "board", "more_sets": ["mia"], "encoding": "mei", "function": "linear"}
        direct = np.linspace(0, 1 + number, encoding.inputs).reshape(-1, 1)
        pilot = pp.Pilot.baseline("loa")
        ordering = pilot.ordering.model_dump() | {"network": network | {"direct": direct}}
        pilot.model_copy(update={"ordering": Ordering(**ordering)}).save(path)
    yield paths


def test_networks_of_several_sets_are_shown_and_compared(two_pilots: tuple[Path, Path]) -> None:
    one, other = map(str, two_pilots)
    shown = subprocess.run([PLYPILOT, "pilot", "show", one], capture_output=True, text=True, timeout=60)
    assert shown.returncode == 0, shown.stderr
    assert re.search(r"ordering\.network\.more_sets +mia ", shown.stdout)
    assert "A network that sees board and mia (167 inputs) and takes the move as an input" in shown.stdout
    assert "its first moves at the start" in shown.stdout
    compared = subprocess.run([PLYPILOT, "pilot", "diff", one, other], capture_output=True, text=True, timeout=60)
    assert compared.returncode == 1, compared.stderr
    assert "the mean rank correlation of all moves is 1.00" in compared.stdout
    assert "inputs whose weights moved most: input 32 of the move" in compared.stdout
    names = network_of(pp.Pilot.load(one)).input_names("loa")
    assert names[128] == "mia.concentration"
    assert names[-1] == "input 32 of the move"


# Commands


def test_train_tells_measures_and_not_weights(tmp_path: Path) -> None:
    few = ["--set=play.games=60", "--set=play.batch=60", "--set=play.nodes=50", "--set=epochs=2", "--check=count=0"]
    few += ["--set=trials.games=2", "--set=trials.nodes=30"]
    done = subprocess.run(
        [PLYPILOT, "train", "movemap", SMALL, *few, "--out", "run"],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    epochs = [line for line in read_run(tmp_path / "run").metrics if "epoch" in line]
    first, last = (f"{float(line['validation_error']):.3f}" for line in epochs)
    assert re.search(rf"^validation error +{first} +{last}", done.stdout, re.MULTILINE)
    assert "what changed most" not in done.stdout
    assert "learns " not in done.stdout
    listed = subprocess.run([PLYPILOT, "runs", "."], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert "best error 0." in listed.stdout
    assert "trial score 0." in listed.stdout


def test_figures_that_a_learner_names_are_those_of_the_last_step() -> None:
    steps: list[dict[str, float | int | str]] = [
        {"games": 250},
        {"epoch": 1, "error": 0.5},
        {"epoch": 2, "error": 0.25},
    ]
    assert figures(steps, ("games", "epoch", "error")) == "epoch 2, error 0.250"
    assert figures(steps[:1], ("games", "epoch", "error")) == "games 250"
    assert figures(steps[1:]) == "error 0.375"


def test_the_help_of_train_names_every_learner() -> None:
    done = subprocess.run([PLYPILOT, "train", "--help"], capture_output=True, text=True, timeout=60)
    line = " ".join(done.stdout.split())
    assert f"LEARNER <str> {', '.join(LEARNERS)}, or your own as module:Class." in line
