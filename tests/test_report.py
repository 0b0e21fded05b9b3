"""The page of a run: complete by itself, the same each time, and true to the run."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import plypilot as pp
from plypilot.boards import find_boards
from plypilot.learn import NO_CHECKS, TD, Checks, read_run, train
from plypilot.learn.evaluation_sections import Weight, describe_weights
from plypilot.play.match import Standing
from plypilot.report import make_report, write_report
from plypilot.report.page import Page

pytest.importorskip("matplotlib")
PLYPILOT = Path(sys.executable).with_name("plypilot")
SMALL = "breakthrough-5x5"


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    learner = TD(games=48, batch=4, depth=1, sets=("material", "half_board"), first_weight=0.5)
    train(learner, pp.Pilot.plain(SMALL), folder, checks=Checks(count=3, games=20, nodes=100, confirming_games=10))
    limit = pp.Limit(depth=1)
    pp.match(str(folder / "best.pilot"), "random", SMALL, games=20, limit=limit, folder=folder / "match")
    return folder


class Tags(HTMLParser):
    """Notes open tags, and that all are closed in turn."""

    VOID = ("meta", "br", "img")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_report_is_one_page_that_needs_nothing_else(run_folder: Path) -> None:
    page = make_report(read_run(run_folder))
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert "script" not in [tag for tag, _ in tags.seen]
    links = [
        value
        for _, attributes in tags.seen
        for name, value in attributes.items()
        if name in ("src", "href", "xlink:href") and value and not value.startswith(("#", "data:"))
    ]
    assert links == []
    assert page.count("<svg") >= 5


def test_a_report_is_the_same_each_time(run_folder: Path) -> None:
    command = [PLYPILOT, "report", str(run_folder), "--out"]
    for name in ("one.html", "two.html"):
        done = subprocess.run([*command, str(run_folder / name)], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
    assert (run_folder / "one.html").read_bytes() == (run_folder / "two.html").read_bytes()
    assert write_report(run_folder) == run_folder / "report.html"


def test_a_report_tells_what_the_run_has(run_folder: Path) -> None:
    run = read_run(run_folder)
    page = make_report(run)
    text = re.sub(r"<[^>]+>", " ", page)
    material = run.pilot.evaluation.named(SMALL)["material"]["piece"] / 100
    assert f"{material:.3f}" in text
    assert "All began at 0.5." in text
    assert "half_board on the board" in text
    assert "best.pilot against random" in text
    assert "step_size.kind" in text
    assert run.facts["versions"]["numpy"] in text
    assert "The mean squared distance" in text


def test_a_report_as_text_has_the_words_and_tables_of_the_page(run_folder: Path) -> None:
    done = subprocess.run([PLYPILOT, "report", str(run_folder), "--text"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "What was learned" in done.stdout and "against the best so far" in done.stdout
    refused = subprocess.run(
        [PLYPILOT, "report", str(run_folder), "--text", "--json"], capture_output=True, text=True, timeout=120
    )
    assert refused.returncode != 0 and "leave out --out and --json" in refused.stderr


def test_the_command_of_a_report_makes_the_same_run(run_folder: Path, tmp_path: Path) -> None:
    (text,) = re.findall(r"<pre>(.*?)</pre>", make_report(read_run(run_folder)), re.DOTALL)
    words = shlex.split(unescape(text).replace("\\\n", ""))
    assert words[0] == "plypilot"
    done = subprocess.run(
        [PLYPILOT, *words[1:], "--out", tmp_path], capture_output=True, text=True, cwd=run_folder, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert read_run(tmp_path).state.encode() == read_run(run_folder).state.encode()


def test_a_report_counts_a_match_as_the_match_does(run_folder: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(run_folder, tmp_path / "run")
    limit = pp.Limit(nodes=100)
    found = pp.match(
        "baseline",
        "random",
        SMALL,
        games=400,
        limit=limit,
        sprt=pp.Sprt(0, 100),
        workers=3,
        folder=folder / "match/sprt",
    )
    tally = found.standing.tally
    assert found.standing.verdict == "H1"
    page = re.sub(r"<[^>]+>", " ", make_report(read_run(folder)))
    assert f"baseline scored {tally.score:.1%} of {tally.games} games." in page
    assert "baseline is better than random by about" in page.partition("What was learned")[0]


def test_a_report_begins_with_the_verdict_and_explains_its_words(run_folder: Path) -> None:
    page = make_report(read_run(run_folder))
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    assert titles[:2] == ["Verdict", "Matches"] and "Words" in titles
    verdict = page.partition("<h2>Verdict</h2>")[2].partition("<h2>")[0]
    assert re.search(
        r"best\.pilot is better than random by about \d+ Elo|It is open who is better: best\.pilot", verdict
    )
    assert "20 games" in verdict and str(run_folder) not in verdict
    assert "0.25 is what a coin toss has" in page


def test_a_report_shows_a_sample_game_move_by_move(run_folder: Path) -> None:
    page = make_report(read_run(run_folder))
    steps = re.findall(r"<summary>(\d+)\. (\S+)</summary><pre class=\"board\">(.*?)</pre>", page, re.DOTALL)
    position = pp.Position(SMALL)
    for number, (ply, text, board) in enumerate(steps, 1):
        position.push(unescape(text))
        assert (int(ply), unescape(board)) == (number, position.draw())
    assert position.outcome() is not None


def test_a_report_finds_every_match_also_one_that_is_being_played(run_folder: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(run_folder, tmp_path / "run")
    seen: list[str] = []

    def look(standing: Standing) -> None:
        if standing.tally.games >= 2 and not seen:
            seen.append(make_report(read_run(folder)))

    limit = pp.Limit(depth=1)
    pp.match("baseline", "random", SMALL, games=400, limit=limit, folder=folder / "other/place", on_game=look)
    assert re.search(r"So far: \d+ of 400 games are played\.", seen[0])
    finished = make_report(read_run(folder))
    assert "other/place" in finished and "So far" not in finished


def test_a_report_fits_light_and_dark_and_a_phone(run_folder: Path) -> None:
    page = make_report(read_run(run_folder))
    assert "prefers-color-scheme: dark" in page and "width=device-width" in page
    assert page.count('<div class="wide"><table>') == page.count("<table>")  # a wide table scrolls by itself


def test_a_run_that_was_just_begun_has_a_report_too(tmp_path: Path) -> None:
    class Enough(BaseException):
        pass

    def stop(_step: int, _metrics: object) -> None:
        raise Enough

    with pytest.raises(Enough):
        train(TD(games=9, batch=4, depth=1), pp.Pilot.baseline(SMALL), tmp_path, checks=NO_CHECKS, on_step=stop)
    assert "1 of 3 steps" in make_report(read_run(tmp_path))


def test_a_report_of_any_learner_shows_what_it_measures(tmp_path: Path) -> None:
    from odd_learners import Sound

    run = train(Sound(count=12), pp.Pilot.baseline(SMALL), tmp_path, checks=NO_CHECKS)
    page = make_report(run)
    assert "odd_learners:Sound" in page
    assert page.count("<svg") >= 2


def test_without_matplotlib_the_command_says_what_to_install(run_folder: Path) -> None:
    code = "import sys; sys.modules['matplotlib'] = None; from plypilot.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "report", str(run_folder)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 2
    assert done.stderr == "plypilot: a report needs matplotlib: pip install 'plypilot[report]'\n"


def test_a_folder_without_a_run_is_refused_in_one_line(tmp_path: Path) -> None:
    done = subprocess.run([PLYPILOT, "report", str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (2, f"plypilot: {tmp_path}: no run.toml there\n")


def test_text_from_a_run_cannot_become_markup() -> None:
    page = Page("<b>")
    page.say("<script>alert(1)</script>")
    page.table(("<i>",), [('"&<',)])
    assert "<script>" not in page.html()
    assert "<i>" not in page.html()


# Boards


def full(board: np.ndarray) -> list[list[float | None]]:
    return [[None if np.isnan(value) else value for value in row] for row in board]


def test_boards_have_each_weight_on_its_square() -> None:
    boards = find_boards({"rook_a1": 1, "rook_d1": 2, "rook_b3": 3, "rook_d4": 4, "pawn": 9}, 4, 4)
    assert [board.name for board in boards] == ["rook"]
    assert full(boards[0].values) == [
        [1, None, None, 2],
        [None, None, None, None],
        [None, 3, None, None],
        [None, None, None, 4],
    ]


def test_half_and_quarter_boards_are_mirrored() -> None:
    half = {f"piece_{file}{rank}": 10 * rank + number for number, file in enumerate("ab") for rank in (1, 2, 3, 4)}
    (board,) = find_boards(half, 4, 4)
    assert board.values[2].tolist() == [30, 31, 31, 30]
    quarter = {name: value for name, value in half.items() if name[-1] in "12"}
    (board,) = find_boards(quarter, 4, 4)
    assert board.values[:, 0].tolist() == [10, 20, 20, 10]


def test_ranks_and_rings_fill_their_squares_and_phases_are_apart() -> None:
    ranks = {f"pawn_rank_{rank}_mg": rank for rank in range(1, 6)}
    rings = {f"king_ring_{ring}": ring for ring in (1, 2, 3, 4)}
    one, two = find_boards({**ranks, **rings}, 8, 8)
    assert (one.name, two.name) == ("pawn mg", "king")
    assert one.values[2].tolist() == [3.0] * 8
    assert two.values[0].tolist() == [1.0] * 8
    assert two.values[3].tolist() == [1, 2, 3, 4, 4, 3, 2, 1]


def test_every_square_set_of_every_game_makes_boards_without_holes_but_pawns() -> None:
    for info in pp.all_games():
        for each in info.feature_sets:
            if not each.name.endswith("_board"):
                continue
            boards = find_boards(dict.fromkeys(each.features, 1.0), info.files, info.ranks)
            assert boards, (info.name, each.name)
            for board in boards:
                assert board.name in ("pawn", "lance", "knight") or np.isfinite(board.values).all(), board.name


# Words


def test_weights_are_told_in_words() -> None:
    weights = [
        Weight("material", "pawn", 1.0, 1.0, 0.5),
        Weight("material", "knight", 3.0, 1.0, 1.5),
        Weight("material", "queen", 9.0, 1.0, 4.5),
    ]
    text = " ".join(describe_weights(weights))
    assert "3 of 3 weights changed" in text
    assert "All began at 1." in text
    assert "largest are now queen (+4.50), knight (+1.50) and pawn (+0.50)" in text
    assert "What fell most: pawn (-0.50)." in text
    assert "pawn 1.00, knight 3.00 and queen 9.00" in text
    assert describe_weights([]) == []
