"""Experiments on the evaluation works at their smallest scale, and what they list of their seeds."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import plypilot as pp
from conftest import MATE, ROOT, read_result
from plypilot.play.ratings import Tally, elo, score_of
from plypilot.score import WIN_SCORE
from plypilot.searcher import Iteration, Nodes

sys.path.insert(0, str(ROOT / "experiments"))
import batches
import harness
import kocsis_B
import learned_evaluations
import selfplay
import smith_4_2
import smith_4_4
import smith_5
import smith_5_5
import smith_6
import smith_7
import smith_8_5
import smith_8_6
import smith_E
import square_weights
import wcsac_problems

EXPERIMENTS = [
    each.EXPERIMENT
    for each in (smith_4_2, smith_4_4, smith_5, smith_5_5, smith_6, smith_7, smith_8_6, smith_E, kocsis_B,
                 learned_evaluations)
]  # fmt: skip


# What the seeds list.


def test_smith_lists_30_positions_that_can_be_set_up() -> None:
    assert len(smith_4_2.POSITIONS) == 30
    assert Counter(depth for *_, depth in smith_4_2.POSITIONS) == {10: 3, 9: 18, 8: 8, 7: 1}  # 4.2.3
    for number in range(30):
        position = smith_4_2.set_up(number)
        assert position.moves() and position.outcome() is None


def test_smith_lists_563_problems_in_four_bands_with_99_mates() -> None:
    entries = [entry.split(",") for entry in wcsac_problems.PROBLEMS.split()]
    assert len(entries) == len({number for number, *_ in entries}) == 563
    assert sum(gain == "M" for *_, gain in entries) == 99
    depths = [int(depth) for _, depth, _ in entries]
    bands = [sum(low <= depth <= high for depth in depths) for low, high in smith_4_4.BANDS.values()]
    for band, mean in smith_4_4.SEED_DEPTHS.items():
        low, high = smith_4_4.BANDS[band]
        assert np.mean([depth for depth in depths if low <= depth <= high]) == pytest.approx(mean, abs=0.02)
    assert bands == [206, 176, 136, 45, 563]


@pytest.mark.parametrize(
    ("rule", "totals"),
    {
        "None": (738_960, 0, 0),
        "Checks (1)": (88_887, 0, 0),
        "SingEx (2)": (508_794, 205_913, 0),
        "Checks+Recapts+SingEx+Null": (69_738, 44_837, 5_693),
    }.items(),
)
def test_bands_of_the_seed_add_up_to_its_totals(rule: str, totals: tuple[int, ...]) -> None:
    figures = {"compared": {"4,5": 206, "6,7": 176, "8,9": 136, "10+": 45, "all": 563}}
    assert [smith_4_4.seed_cost(figures, rule, part) for part in range(3)] == pytest.approx(totals, abs=1)


def test_branching_factor_leaves_out_the_first_ply() -> None:
    assert smith_4_4.branching(40 * 3**4, 5) == pytest.approx(3)


@pytest.mark.parametrize(
    ("gain", "score", "move", "solved"),
    [
        (300, 500, "a1a8", True),
        (300, 600, "a1a8", True),
        (300, 400, "a1a8", False),
        (300, 500, "a1a7", False),
        (300, WIN_SCORE - 1, "a1a8", True),
        (None, 900, "a1a8", False),
        (None, WIN_SCORE - 1, "a1a8", True),
        (None, 1 - WIN_SCORE, "a1a8", False),
    ],
)
def test_a_problem_is_solved_by_the_listed_move_with_the_listed_gain(
    gain: int | None, score: int, move: str, solved: bool
) -> None:
    fen = f"{MATE} 0 1"
    problem = wcsac_problems.Problem(1, 4, gain, fen, ("Ra8",))
    pv = [pp.Position("chess", fen).parse(move)]
    found = Iteration(
        4, score, pv, Nodes(1, 1, 0, 0, 0, 0, 0), 0.0, others=[], deepest=4, table_permill=0, continuation=[]
    )
    assert problem.is_solved_by(found, root_score=200) is solved


def test_smith_counts_the_games_of_appendix_e_and_their_scores() -> None:
    assert smith_E.PARTS["MR"].games["MR"] == (1000, 1000, 1000, 1000, 600)
    printed = {
        "LR": [49.2, 55.1, 61.3, 96.1, 100],
        "CR": [49.6, 60.4, 85.5, 81.3, 97.0],
        "MR": [50.3, 56.1, 55.7, 82.2, 63.7],
    }
    for pairing, scores in printed.items():
        assert [smith_E.seed_score(pairing, depth) for depth in range(1, 6)] == pytest.approx(scores, abs=0.051)


def test_a_random_part_never_outweighs_a_pawn() -> None:
    pilot = smith_E.make_pilots()["MR"]
    assert pilot is not None
    assert pilot.evaluation.random_from_zero, "rand(N) is of the side to move (E.3)"
    assert pilot.evaluation.random_size < pilot.evaluation.named("chess")["material"]["pawn"]


@pytest.mark.parametrize(
    ("board", "is_draw"),
    [
        ("K5NN/8/8/8/8/8/8/7k", True),
        ("kn4n1/8/8/8/8/8/8/7K", True),
        ("KN4n1/8/8/8/8/8/8/7k", False),
        ("KN4NN/8/8/8/8/8/8/7k", False),
        ("KN4NP/8/8/8/8/8/8/7k", False),
        ("KN6/8/8/8/8/8/8/7k", False),
    ],
)
def test_two_knights_against_a_king_are_a_draw(board: str, is_draw: bool) -> None:
    assert smith_E.is_two_knights(f"{board} w - - 0 1") is is_draw


def test_smith_learns_values_in_the_order_that_is_asked_of_ours() -> None:
    assert all(selfplay.is_ascending(values) for values in smith_5.SEED_VALUES.values())
    assert all(selfplay.is_ascending(values[:7]) for values in smith_6.SEED_VALUES.values())
    for table in (*smith_6.SEED_VALUES.values(), *smith_6.SETS.values()):
        assert len(table) == len(smith_6.PIECES) == 13
    for depth, values in smith_6.SEED_VALUES.items():
        means = [*np.mean(smith_6.SEED_RUNS[depth], axis=0), *np.mean(smith_6.SEED_PROMOTED[depth], axis=0)]
        assert means == pytest.approx(values, abs=0.0101), "tables C.1 and C.2 beside table 6.4"
    assert all(values[0] > max(values[1:4]) for values in smith_6.SEED_PROMOTED[smith_6.RUNS_DEPTH])
    assert all(sum(match) == smith_6.SEED_GAMES for match in smith_6.SEED_RUN_MATCHES)
    assert set(smith_6.PIECES) == set(smith_6.pilot_of(smith_6.SETS["YSS"]).evaluation.named("shogi")["material"])


def test_results_of_kocsis_add_up_to_all_points() -> None:
    for table in (kocsis_B.SEED_FIRST, kocsis_B.SEED_SECOND):
        assert sum(each[0] for each in table.values()) == pytest.approx(1, abs=0.0011)
    assert sum(final for *_, final in kocsis_B.SEED_SECOND.values()) == 100


# The experiments themselves.


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)
def test_every_part_is_told_with_the_minutes_it_takes(experiment) -> None:
    text = " ".join((experiment.text or "").split())
    assert "on two cores" in text
    assert set(experiment.parts) and not set(experiment.parts) & {*experiment.small, "full"}
    told = text[text.index("Parts") :]
    assert all(part in told for part in experiment.parts)
    assert all(experiment.plain_settings(part) for part in (*experiment.small, *experiment.parts))


def test_smith_4_2_runs_and_a_second_run_measures_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path)]
    smith_4_2.main(words)
    text = capsys.readouterr().out
    for part in ("Table 4.1", "Table 4.2", "Table 4.3", "34,760,717", "matched"):
        assert part in text
    first = read_result(tmp_path, "smith_4_2")
    assert {
        "experiment",
        "scale",
        "settings",
        "versions",
        "rule",
        "signature",
        "figures",
        "verdicts",
        "tables",
        "seconds",
    } <= first.keys()
    assert len(first["verdicts"]) == len(smith_4_2.CLAIMS)

    monkeypatch.setattr(harness.Harness, "search", lambda *_: pytest.fail("searched again"))
    smith_4_2.main(words)
    assert read_result(tmp_path, "smith_4_2")["figures"] == first["figures"]


def test_smith_4_2_does_not_depend_on_threads(tmp_path: Path) -> None:
    found = []
    for threads in ("1", "3"):
        folder = tmp_path / threads
        smith_4_2.main(["--scale", "tiny", "--out", str(folder), "--threads", threads])
        found.append(read_result(folder, "smith_4_2")["figures"])
    assert found[0] == found[1]


def test_smith_4_4_compares_every_rule(tmp_path: Path, book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    smith_4_4.main(["--scale", "tiny", "--out", str(tmp_path), "--data", str(book)])
    text = capsys.readouterr().out
    assert "Checks+Recapts+SingEx+Null" in text and "Table A.1" in text
    figures = read_result(tmp_path, "smith_4_4")["figures"]
    assert figures["compared"]["all"] == figures["problems"] == 10
    assert set(figures["rules"]) == set(smith_4_4.RULES) == set(smith_4_4.SEED)
    assert all(each["unsolved"] == 0 and each["c_nodes"]["all"] > 0 for each in figures["rules"].values())


def test_smith_4_4_leaves_out_what_full_width_does_not_solve(tmp_path: Path, book: Path) -> None:
    book.write_text(book.read_text().replace("bm Ra8", "bm Ra7", 1))
    smith_4_4.main(["--scale", "tiny", "--out", str(tmp_path), "--data", str(book)])
    figures = read_result(tmp_path, "smith_4_4")["figures"]
    assert (figures["problems"], figures["solved_without_extensions"]) == (10, 9)
    assert figures["compared"]["all"] == 9


def test_smith_4_4_tries_the_rules_that_the_seed_left_out(tmp_path: Path, book: Path) -> None:
    made = harness.Harness("smith_4_4", "tiny", folder=tmp_path, data=book)
    measured = smith_4_4.measure(made, smith_4_4.Scale(100, 0, 5000, 30_000, is_of_variants=True))
    made.close()
    figures = smith_4_4.summarise(measured)
    assert all(len(pairs) == len(measured["variants"]) > 0 for pairs in figures["variants"].values())


def test_smith_4_4_is_open_where_an_interval_decides_nothing() -> None:
    def figures(one: list[int], other: list[int]) -> dict:
        costs = {
            rule: {"4,5": [[cost, 0, 0] for cost in own], "6,7": [], "8,9": [], "10+": []}
            for rule, own in (("Null (1)", one), ("Null (2)", other))
        }
        return {"costs": costs, "compared": {"all": len(one), "4,5": len(one)}}

    claim = next(claim for claim in smith_4_4.CLAIMS if claim.name == "two plies for null moves")
    less, more, mixed = [50] * 8, [100] * 8, [50, 200] * 4
    assert claim.judge(figures(more, less)).matched is True
    assert claim.judge(figures(less, more)).matched is False
    verdict = claim.judge(figures(mixed, more))
    assert verdict.matched is None and verdict.is_open


def test_smith_4_4_refuses_another_book(tmp_path: Path) -> None:
    path = tmp_path / "short.epd"
    path.write_text(f"{MATE} bm Ra8;\n")
    with pytest.raises(SystemExit, match="expected the 1001"):
        smith_4_4.main(["--scale", "tiny", "--out", str(tmp_path), "--data", str(path)])
    with pytest.raises(SystemExit, match="needs --data"):
        smith_4_4.main(["--scale", "tiny", "--out", str(tmp_path)])


def test_smith_e_does_not_depend_on_threads_and_a_second_run_plays_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for threads in ("1", "2"):
        words = ["--scale", "tiny", "--out", str(tmp_path / threads), "--threads", threads]
        smith_E.main(words)
        found.append(read_result(tmp_path / threads, "smith_E")["figures"])
    assert found[0] == found[1]
    text = capsys.readouterr().out
    for part in ("Table E.1: LR against LZ", "Table E.3", "49.2%", "How games ended", "matched"):
        assert part in text
    lines = [line for lines in found[0].values() for line in lines]
    assert all(line["wins"] + line["losses"] + line["draws"] == line["games"] == 6 for line in lines)
    assert not any("repetition" in cause or "fifty" in cause for line in lines for cause in line["causes"])

    monkeypatch.setattr(harness.Harness, "play", lambda *_: pytest.fail("played again"))
    smith_E.main(words)
    assert read_result(tmp_path / "2", "smith_E")["figures"] == found[0]


def test_smith_5_does_not_depend_on_threads_and_a_second_run_learns_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for threads in ("1", "2"):
        words = ["--scale", "tiny", "--out", str(tmp_path / threads), "--threads", threads]
        smith_5.main(words)
        found.append(read_result(tmp_path / threads, "smith_5")["figures"])
    learned, again = (each["values"]["depth 1"] for each in found)
    assert learned["by_seed"] == again["by_seed"] and learned["by_seed"][0] != learned["by_seed"][1]
    assert all(values[0] == 1 for values in learned["by_seed"])
    played = [each["matches"]["depth 1"] for each in found]
    assert played[0]["causes"] == played[1]["causes"] and "fifty moves" not in played[0]["causes"]
    text = capsys.readouterr().out
    for part in ("Tables 5.4, 5.5", "the seed", "7.26", "Tables 5.3 and 5.6", "54.4%", "matched"):
        assert part in text

    monkeypatch.setattr(selfplay, "train", lambda *_, **__: pytest.fail("learned again"))
    monkeypatch.setattr(harness.Harness, "play", lambda *_: pytest.fail("played again"))
    smith_5.main(words)
    assert read_result(tmp_path / "2", "smith_5")["figures"] == found[1]


@pytest.mark.parametrize(
    ("experiment", "part"),
    [(smith_5, "matches"), (smith_7, "matches"), (smith_8_6, "match")],
    ids=["smith_5", "smith_7", "smith_8_6"],
)
def test_matches_of_learned_values_need_the_parts_that_learn_them(experiment, part: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="measure them first"):
        experiment.main(["--scale", part, "--out", str(tmp_path)])
    assert not list(tmp_path.glob("results/*.json"))


def test_matches_are_played_by_the_values_of_all_runs(tmp_path: Path) -> None:
    content = {"experiment": "smith_5", "part": "depth-4-a", "settings": smith_5.EXPERIMENT.plain_settings("depth-4-a")}
    run = {"values": [1.0, 3.0, 3.0, 5.0, 9.0]}
    (tmp_path / "results").mkdir()
    path = tmp_path / "results" / "smith_5.depth-4-a.json"
    path.write_text(json.dumps({**content, "measured": {"runs": {"depth 4": {"0": run, "1": run}}, "matches": {}}}))
    with pytest.raises(SystemExit, match="runs 2, 3, 4 of depth 4 are not there"):
        smith_5.main(["--scale", "matches", "--out", str(tmp_path)])


def test_smith_5_takes_swaps_of_knight_and_bishop_for_order() -> None:
    games = list(range(50, 1001, 50))
    steady = [[1.0, 3.0, 3.1, 5.0, 9.0]] * 20
    swapped = [[1.0, 3.2, 3.1, 5.0, 9.0] if i % 4 < 2 else steady[0] for i in range(20)]
    late = [[1.0, 5.5, 3.1, 5.0, 9.0] if i < 6 else steady[0] for i in range(20)]
    after = [smith_5.order_after({"trace": {"games": games, "values": values}}) for values in (steady, swapped, late)]
    assert after == [100, 100, 400]


def test_smith_5_finds_the_order_of_long_runs_whose_traces_grow_sparse() -> None:
    steps = [step for step in range(10_001) if step % (1 << max((step - 1) // 200, 0).bit_length()) == 0]
    wrong, right = [1.0, 5.5, 3.1, 5.0, 9.0], [1.0, 3.0, 3.1, 5.0, 9.0]
    trace = selfplay.thin(np.array(steps), np.array([wrong if step <= 300 else right for step in steps]))
    assert len(trace["games"]) <= selfplay.ROWS and trace["games"][-1] > 9900
    assert max(np.diff(trace["games"])) < smith_5.BLOCK, "every block of games has a row"
    assert smith_5.order_after({"trace": trace}) == 400


def test_smith_5_5_learns_in_every_way_to_move(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    smith_5_5.main(["--scale", "tiny", "--out", str(tmp_path)])
    text = capsys.readouterr().out
    assert "moves by chance" in text and "quiescence only" in text
    figures = read_result(tmp_path, "smith_5_5")["figures"]
    assert len(figures) == 2 * len(smith_5_5.REGIMES)
    assert all(len(set(each["values"][0])) > 1 for each in figures.values())  # they have left 1


def test_smith_8_6_compares_every_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    smith_8_6.main(["--scale", "tiny", "--out", str(tmp_path)])
    assert "delta-bar-delta" in capsys.readouterr().out
    figures = read_result(tmp_path, "smith_8_6")["figures"]
    assert set(figures["rules"]) == set(smith_8_6.RULES)
    rules = figures["rules"]
    assert rules[smith_8_6.FIXED]["psi"] == 0.95 != rules[smith_8_6.COHERENT]["psi"]
    assert len({tuple(each["final"]) for each in rules.values()}) == len(rules)


def test_progress_is_0_at_the_start_and_1_at_the_end() -> None:
    start, end = np.ones(3), np.array([1.0, 3.0, 5.0])
    values = np.array([start, (start + end) / 2, end])
    assert smith_8_6.progress(start, values, end) == pytest.approx([0, 0.75, 1])
    games = np.array([10, 20, 30, 40])
    assert smith_8_6.high_from(games, np.array([0.99, 0.2, 0.97, 0.96]), 0.95) == 30
    assert smith_8_6.high_from(games, np.array([0.99, 0.99, 0.99, 0.9]), 0.95) is None


def test_smith_8_6_sets_rules_beside_each_other_by_means_of_as_many_runs() -> None:
    def run(late: int, seed: int) -> dict:
        games, rng = np.arange(10, 2001, 10), np.random.default_rng(seed)
        values = np.where(games[:, None] < late, 1.0, [1.0, 3.0, 3.0, 5.0, 9.0]) + rng.normal(0, 0.01, (200, 5))
        own = {"trace": {"games": games.tolist(), "values": values.tolist()}, "psi": 0.99, "qualities": []}
        return own | {"draws": 0.1, "plies": 100, "learning_seconds": 1.0, "outside_search": 0.1}

    runs = {
        smith_8_6.COHERENT: {"0": run(300, 1), "1": run(300, 2), "2": run(1500, 3)},
        smith_8_6.FIXED: {"0": run(600, 4), "1": run(600, 5)},
        smith_8_6.BAR: {"0": run(700, 6), "1": run(700, 7)},
    }
    figures = smith_8_6.summarise({"rules": runs, "matches": {}, "depth": 4})
    coherent = figures["rules"][smith_8_6.COHERENT]
    assert coherent["average_high_from"] == 1500 and coherent["fewest_high_from"] == 300
    claims = {claim.name: claim.judge(figures) for claim in smith_8_6.CLAIMS}
    assert claims["temporal coherence is faster"].matched is True
    assert claims["the average of the runs settles"].matched is False


def test_smith_8_5_draws_the_walks(tmp_path: Path) -> None:
    smith_8_5.main(["--scale", "tiny", "--out", str(tmp_path)])
    drawings = read_result(tmp_path, "smith_8_5")["drawings"]
    assert any("Figure 8.8" in drawing["caption"] for drawing in drawings)
    assert all((tmp_path / "results" / drawing["file"]).read_text().startswith("<svg") for drawing in drawings)


def test_smith_7_learns_places_and_plays_every_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    smith_7.main(["--scale", "tiny", "--out", str(tmp_path)])
    text = capsys.readouterr().out
    assert "Table D.3: knight" in text and "Table D.4" in text and "11 weights" in text
    figures = read_result(tmp_path, "smith_7")["figures"]
    assert set(figures["matches"]) == set(square_weights.SEED_MATCHES)
    assert len(figures["ranks"]["pawn_ranks"]) + 5 == 11
    assert len(figures["rank_traces"][0]["values"][-1]) == 6
    assert len(figures["rings"]["ranks_rings"]) + 5 == 27
    assert len(figures["boards"]["half_board"]) + 5 == 157
    assert figures["composite"]["pawn"][0] == pytest.approx(1)
    assert len({figures["boards"]["half_board"][f"knight_{square}"] for square in ("b1", "c3", "d4")}) == 3
    assert len(figures["full"]["full_board"]) + 5 == 309
    assert (tmp_path / "results" / "smith_7.tiny.half_boards.svg").read_text().startswith("<")


def test_random_squares_of_smith_7_spread_as_the_learned_ones_occur() -> None:
    # Rank 7, where pawns hardly ever stand, is far from the others: it must not set how far random values go.
    ranks = {f"pawn_{file}{rank}": 5.0 if rank == 7 else 0.1 * rank for file in "abcd" for rank in range(2, 8)}
    others = {f"{piece}_a{rank}": 0.1 * rank for piece in square_weights.RINGS for rank in range(1, 9)}
    boards = {"material": selfplay.STANDARD, "half_board": ranks | others}
    one, other = (smith_7.make_random(boards, seed).evaluation.named("chess")["half_board"] for seed in (1, 2))
    assert one != other
    frequencies = square_weights.place_frequencies("pawn", list(ranks))
    assert frequencies.sum() == pytest.approx(1) and frequencies[list(ranks).index("pawn_a7")] < 0.01
    values = [
        value
        for seed in range(40)
        for name, value in smith_7.make_random(boards, seed).evaluation.named("chess")["half_board"].items()
        if name in ranks
    ]
    learned = np.array(list(ranks.values()))
    middle = float(frequencies @ learned)
    deviation = float(np.sqrt(frequencies @ (learned - middle) ** 2))
    assert np.mean(values) / 100 == pytest.approx(0, abs=0.05), "a piece is worth what it is without squares"
    assert np.std(values) / 100 == pytest.approx(deviation, rel=0.1)
    assert max(values) < 100 < 500


def test_the_noise_of_smith_7_is_a_part_of_what_a_pawn_is_worth_where_it_stands() -> None:
    hand, learned = (
        smith_7.with_weights({"material": dict(zip(smith_7.CHESS, (pawn, 3, 3, 5, 9), strict=True))} | places)
        for pawn, places in ((1.0, {}), (0.6, {"ranks_rings": {f"pawn_rank_{rank}": -0.3 for rank in range(2, 8)}}))
    )
    assert hand.native_settings()["root"]["noise"] == 10
    assert learned.native_settings()["root"]["noise"] == 3


def test_places_are_counted_by_rank_and_ring() -> None:
    counts = Counter(square_weights.places(pp.Position("chess").fen()))
    assert counts == {"pawn_0": 16, "knight_0": 4, "bishop_0": 4, "rook_0": 4, "queen_0": 2}
    assert sorted(square_weights.places("8/P7/8/3n4/8/8/8/K6q w - - 0 1")) == ["knight_3", "pawn_5", "queen_0"]


def test_smith_6_plays_every_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    smith_6.main(["--scale", "tiny", "--out", str(tmp_path)])
    text = capsys.readouterr().out
    assert "Promoted pieces" in text and "+silver" in text
    figures = read_result(tmp_path, "smith_6")["figures"]
    assert figures["values"]["depth 1"]["normalised"][smith_6.PIECES.index("rook")] == pytest.approx(5)
    assert len(figures["matches"]) == 2 * len(smith_6.SETS) + len(smith_6.SEED_PLATFORM) + 1
    assert "Table 6.2" in text and "62%" in text
    assert figures["matches"]["run A v YSS"]["games"] == 2 and "67 -871, 54.8%" in text


def test_shogis_rate_falls_over_the_first_half_of_the_games() -> None:
    rule = smith_6.falling_rate(6000)
    rates = [
        float(rule.apply({"sequences": np.array([count])}, np.ones((1, 1)))[0][0]) for count in (0, 3000, 3001, 6000)
    ]
    assert rates == pytest.approx([0.05, 0.002, 0.002, 0.002])


def test_learned_evaluations_differ_from_the_baseline_in_their_weights_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path)]
    learned_evaluations.main(words)
    text = capsys.readouterr().out
    assert "Learned from zero against set by hand" in text and "breakthrough with squares: material" in text
    first = read_result(tmp_path, "learned_evaluations")
    learnings = learned_evaluations.SCALES["tiny"]
    assert set(first["figures"]) == {each.name for each in learnings}
    assert len(first["verdicts"]) == len(learned_evaluations.CLAIMS)
    assert all(each.learner.first_weight == 0 for each in learnings)
    weights = first["figures"]["chess"]["weights"]["baseline"]
    assert len(weights) == 678 and len(set(weights.values())) > 20  # they have left 0

    made = harness.Harness("learned_evaluations", "tiny", folder=tmp_path)
    for each in learnings:
        differ = learned_evaluations.learn(made, each).model_copy(update={"evaluation": each.pilot.evaluation})
        assert differ == each.pilot
    made.close()
    monkeypatch.setattr(learned_evaluations, "train", lambda *_, **__: pytest.fail("learned again"))
    learned_evaluations.main(words)
    assert read_result(tmp_path, "learned_evaluations")["figures"] == first["figures"]


def test_learning_curves_of_batches_have_one_start_and_their_own_ways(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batches.main(["--scale", "tiny", "--out", str(tmp_path)])
    assert "order kept after" in capsys.readouterr().out
    figures = read_result(tmp_path, "batches")["figures"]
    one, sixteen = (figures["batches"][name]["values"] for name in ("batch 1", "batch 16"))
    assert one[0] == sixteen[0] == [1.0] * 5
    assert one[-1] != sixteen[-1]
    assert (tmp_path / "results" / "batches.tiny.svg").read_text().startswith("<svg")


def test_kocsis_b_tabulates_both_tournaments_and_a_second_run_makes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--scale", "tiny", "--out", str(tmp_path)]
    kocsis_B.main(words)
    text = capsys.readouterr().out
    assert "Table B.1" in text and "Table B.2" in text and "0.276" in text
    first = read_result(tmp_path, "kocsis_B")
    assert set(first["figures"]["first"]) == set(kocsis_B.SEED_FIRST)
    assert set(first["figures"]["second"]) == set(kocsis_B.SEED_SECOND)
    assert len(first["verdicts"]) == len(kocsis_B.CLAIMS)

    monkeypatch.setattr(kocsis_B, "make_population", lambda *_, **__: pytest.fail("made again"))
    kocsis_B.main(words)
    assert read_result(tmp_path, "kocsis_B")["figures"] == first["figures"]


def test_methods_of_kocsis_are_above_by_more_than_the_spread_between_populations() -> None:
    def tables(*ahead: float) -> dict:
        first = {
            method: {"score_rate": [0.5] * len(ahead), "result": [0.25] * len(ahead)} for method in kocsis_B.METHODS
        }
        first["std1"]["score_rate"] = first["mtd1"]["score_rate"] = [0.5 + each for each in ahead]
        return {"first": first, "populations": len(ahead)}

    claim = kocsis_B.CLAIMS[0]
    assert claim.judge(tables(0.1, 0.12, 0.11, 0.09)).matched is True
    assert claim.judge(tables(0.1, -0.1, 0.2, 0.0)).is_open
    assert claim.judge(tables(-0.1, -0.12, -0.11, -0.09)).matched is False
    assert claim.judge(tables(0.1)).is_open, "of one population nothing is known"


# The seeds' own figures pass the rules, and contrary ones fail.


def match_of(wins: int, draws: int, losses: int) -> dict:
    """A match as experiments have it."""
    estimate = elo(Tally(wins, draws, losses))
    interval = [score_of(estimate.low), score_of(estimate.high)]
    games = wins + draws + losses
    score = (wins + draws / 2) / games
    return {"wins": wins, "draws": draws, "losses": losses, "games": games, "score": score, "interval": interval}


def turned(matches: dict[str, dict]) -> dict[str, dict]:
    """Lost instead of won."""
    return {name: match_of(each["losses"], each["draws"], each["wins"]) for name, each in matches.items()}


def unmatched(claims: list[harness.Claim], figures: dict) -> set[str]:
    return {claim.name for claim in claims if not claim.judge(figures).matched}


def test_smith_4_2_judges_the_seed_right_and_the_contrary_wrong() -> None:
    def figures(nodes: tuple[int, ...], by_size: dict, by_band: dict, within: list[float], plain: float) -> dict:
        spread = np.random.default_rng(1).normal(0, 1, 30)
        return {
            "sizes": list(range(14, 21)),
            "baseline_nodes": list(nodes),
            "saving_by_size": by_size,
            "savings": {
                scheme: (np.mean([value for value, _ in pairs]) * (1 + 0.4 * (spread - spread.mean()))).tolist()
                for scheme, pairs in by_size.items()
            },
            "saving_by_band": by_band,
            "saving_of_8_probes_at_saturation_1_to_10_by_size": within,
            "without_history": {"14": {"total_cost": plain, "savings": {"P=4": [14.9, 14.9 + 5 * (plain - 2)]}}},
            "same_move": plain / 2.2,
        }

    rising = [6.0, 7.0, 8.0, 8.0, 9.0, 10.0, 11.0]
    seed = figures(smith_4_2.SEED_NODES, smith_4_2.SEED_BY_SIZE, smith_4_2.SEED_BY_BAND, rising, 2.2)
    assert unmatched(smith_4_2.CLAIMS, seed) == set()
    savings = {"P=2": 30.0, "P=4": 28.0, "P=8": 26.0, "P=16": 20.0, "Twin": 25.0}
    sizes = {scheme: ((value, 1.0),) * 7 for scheme, value in savings.items()}
    bands = {scheme: told[::-1] for scheme, told in smith_4_2.SEED_BY_BAND.items()}
    contrary = figures((30_000_000,) * 6 + (1_000_000,), sizes, bands, rising[::-1], 1.0)
    assert unmatched(smith_4_2.CLAIMS, contrary) == {claim.name for claim in smith_4_2.CLAIMS}


def test_smith_4_4_judges_the_seed_right_and_the_contrary_wrong() -> None:
    def figures(costs: dict, off: int, captures: int, others: int) -> dict:
        problems, factors = {}, np.random.default_rng(1).lognormal(0, 1, 200)
        for place, (depth, count) in enumerate(((4, 206), (6, 176), (8, 136), (10, 45))):
            of_band = factors[np.arange(count) % 200] / factors[np.arange(count) % 200].mean()
            for factor in of_band:
                told = {rule: [depth + off, *(int(factor * cost) for cost in costs[rule][place])] for rule in costs}
                problems[str(len(problems))] = {**told, "depth": depth, "legal": 40}
        left_out = {rule: [4, others, 0, 0] for rule in smith_4_4.VARIANTS} | {"All captures": [4, captures, 0, 0]}
        variants = {str(number): {"None": [4, 1000], "Recapts": [4, 1100], **left_out} for number in range(20)}
        return smith_4_4.summarise({"problems": problems, "variants": variants})

    assert unmatched(smith_4_4.CLAIMS, figures(smith_4_4.SEED, 0, 11_000, 1500)) == set()
    # What cut trees makes them larger, every band costs the same, and tests take as much as they leave.
    flat = {rule: [(10**9 // bands[0][0], 10**9 // bands[0][0] // 4, 10**9 // bands[0][0] // 4)] * 4
            for rule, bands in smith_4_4.SEED.items()}  # fmt: skip
    flat |= {"SingEx (1)": [(10**6, 10**6, 0)] * 4, "Checks+SingEx": [(10**5, 10**4, 0)] * 4}
    failed = unmatched(smith_4_4.CLAIMS, figures(flat, 1, 900, 900))
    kept = {claim.name for claim in smith_4_4.CLAIMS} - failed
    assert kept <= {
        "both forms of checks",
        "recaptures alone",
        "two plies for null moves",
        "one ply for singular tests",
    }


def test_kocsis_b_judges_the_seed_right_and_the_contrary_wrong() -> None:
    def table(results: dict[str, float]) -> dict:
        made = {}
        for method, result in results.items():
            spread = [result + each for each in (-0.002, 0.001, 0.002, -0.001)]  # over the populations
            made[method] = {"result": spread, "score_rate": [len(results) / 2 * each for each in spread]}
        return made

    seeds = [
        {method: told[0] for method, told in table_.items()} for table_ in (kocsis_B.SEED_FIRST, kocsis_B.SEED_SECOND)
    ]
    seed = {"first": table(seeds[0]), "second": table(seeds[1]), "populations": 4}
    assert unmatched(kocsis_B.CLAIMS, seed) == set()
    contrary = {
        "first": table({"sane": 0.40, "std1": 0.20, "mtd1": 0.25, "sane-td": 0.30}),
        "second": table({"std1": 0.30, "mtd1": 0.26, "std2": 0.24, "mtd2": 0.20}),
        "populations": 4,
    }
    assert unmatched(kocsis_B.CLAIMS, contrary) == {claim.name for claim in kocsis_B.CLAIMS}


def test_smith_5_judges_the_seed_right_and_the_contrary_wrong() -> None:
    values = {
        f"depth {depth}": {
            "depth": depth,
            "seeds": 5,
            "normalised": list(normal),
            "by_seed": [list(normal)] * 5,
            "order_after": [400.0] * 5,
            "moves": 0.01,
        }
        for depth, normal in smith_5.SEED_VALUES.items()
    }
    matches = {f"depth {depth}": match_of(*told) for depth, told in smith_5.SEED_MATCHES.items()}
    matches |= {f"run {letter}": match_of(*told) for letter, told in zip("ABCDE", smith_5.SEED_RUNS, strict=True)}
    assert unmatched(smith_5.CLAIMS, {"values": values, "matches": matches}) == set()
    contrary = {
        name: told | {"normalised": told["normalised"][::-1], "order_after": [float("inf")] * 5}
        for name, told in values.items()
    }
    short = {"depth 6": values["depth 6"] | {"normalised": [1.0, 2.0, 2.4, 3.5, 7.0], "seeds": 1, "moves": 0.1}}
    claim = next(claim for claim in smith_5.CLAIMS if claim.name == "values")
    assert claim.judge({"values": values | short}).is_open, "its values still move"
    assert claim.judge({"values": {"depth 6": short["depth 6"] | {"moves": 0.01}}}).matched is False
    lost = turned(matches) | {"run A": match_of(1500, 0, 500)}
    lost |= {"depth 2": match_of(800, 400, 800)}
    assert unmatched(smith_5.CLAIMS, {"values": contrary, "matches": lost}) == {claim.name for claim in smith_5.CLAIMS}


def test_smith_6_judges_the_seed_right_and_the_contrary_wrong() -> None:
    values = {
        f"depth {depth}": {
            "depth": depth,
            "seeds": 5,
            "absolute": list(told),
            "normalised": smith_6.normalise(told),
            "by_seed": [smith_6.normalise(told)] * 5,
            "order_after": [0.6] * 5,
        }
        for depth, told in smith_6.SEED_VALUES.items()
    }
    matches = {pairing: match_of(*told) for pairing, told in smith_6.SEED_PLATFORM.items()}
    matches |= {
        f"depth {depth}, {opponent}": match_of(round(2000 * score), 0, 2000 - round(2000 * score))
        for depth, scores in smith_6.SEED_SCORES.items()
        for opponent, score in scores.items()
    }
    matches |= {smith_6.run_match(number): match_of(*told) for number, told in enumerate(smith_6.SEED_RUN_MATCHES)}
    assert unmatched(smith_6.CLAIMS, {"values": values, "matches": matches}) == set()
    contrary = {
        name: told | {"normalised": [*told["normalised"][6::-1], 0.1, *[0.2] * 5], "order_after": [0.9] * 5}
        for name, told in values.items()
    }
    contrary["depth 4"]["absolute"] = [0.01] * 13
    lost = {name: match_of(800, 0, 1200) for name in matches}
    assert unmatched(smith_6.CLAIMS, {"values": contrary, "matches": lost}) == {claim.name for claim in smith_6.CLAIMS}


def test_the_matches_of_smith_7_and_8_6_are_judged_right() -> None:
    matches = {name: match_of(*told) for name, told in square_weights.SEED_MATCHES.items()}
    claims = smith_7.CLAIMS[: len(matches)]
    assert unmatched(claims, {"matches": matches}) == set()
    assert len(unmatched(claims, {"matches": turned(matches)})) == len(claims)
    figures = {
        "composite": {piece: list(values) for piece, values in square_weights.SEED_COMPOSITE.items()},
        "typical": square_weights.typical_values(square_weights.seed_rings()),
        "frequencies": {piece: list(shares) for piece, shares in square_weights.FREQUENCIES.items()},
        "boards": {"half_board": square_weights.seed_half_board()},
        "boards_pieces": list(square_weights.SEED_PIECES),
        "full": {"there": True},
        "full_pieces": list(square_weights.SEED_FULL_PIECES),
        "queens": [square_weights.seed_queen()],
        "ranks": {square_weights.RANKS: dict(enumerate(square_weights.SEED_RAW["pawn"][1:]))},
        "rank_traces": [{"games": [100, 200], "values": [[0.0] * 6, [-0.3, -0.3, -0.25, -0.2, 0.25, 0.6]]}],
        "steepness": {
            name: {"values": [[1.2]] * 20, "values_of_pieces": [1, 2, 3, 5, 9]} for name in ("from 1", "from 0.5")
        },
    }
    tables = smith_7.CLAIMS[len(matches) :]
    assert unmatched(tables, figures) == set()
    queen = square_weights.seed_queen()
    contrary = {
        "composite": {piece: values[::-1] for piece, values in square_weights.SEED_COMPOSITE.items()},
        "typical": dict.fromkeys(smith_7.CHESS, 1.0),
        "frequencies": {piece: shares[::-1] for piece, shares in square_weights.FREQUENCIES.items()},
        "boards": {"half_board": {key: -value for key, value in square_weights.seed_half_board().items()}},
        "boards_pieces": [1.0] * 5,
        "full": {"there": True},
        "full_pieces": list(square_weights.SEED_FULL_PIECES),
        "queens": [{f"queen_{'hgfedcba'['abcdefgh'.index(key[6])]}{key[7]}": value for key, value in queen.items()}],
        "ranks": {square_weights.RANKS: dict(enumerate([0.1] * 6))},
        "rank_traces": [{"games": [900, 1100], "values": [[0.0] * 6, [-0.3, 0.5, -0.25, -0.2, 0.25, 0.6]]}],
        "steepness": {"from 1": {"values": [[1.2]], "values_of_pieces": [1, 2, 3, 5, 9]},
                      "from 0.5": {"values": [[0.6]], "values_of_pieces": [1, 3, 3, 5, 9]}},
    }  # fmt: skip
    assert unmatched(tables, contrary) == {claim.name for claim in tables}
    pawn = square_weights.typical_values(square_weights.seed_rings())["pawn"]
    assert pawn == pytest.approx(0.55, abs=0.01), "table 7.1 by the frequencies of table 7.4"
    won = {"matches": {smith_8_6.COHERENT: match_of(*smith_8_6.SEED_MATCH)}, "depth": 4}
    assert smith_8_6.CLAIMS[-1].judge(won).matched is True


def test_smith_e_judges_the_seed_right() -> None:
    lines = {
        pairing: [
            match_of(wins, draws, losses)
            | {"mean_plies": 200 if depth % 2 == 0 else 100, "at_length": 0.01 if depth else 0.5}
            for depth, (wins, losses, draws) in enumerate(told)
        ]
        for pairing, told in smith_E.SEED.items()
    }
    lines |= {"LRE": lines["LR"], "RR": [match_of(230, 540, 230)]}
    assert unmatched(smith_E.CLAIMS, lines) == set()
    assert unmatched(smith_E.CLAIMS, {**lines, "MR": lines["MR"][::-1]}) != set()


# What they share.


def test_a_trace_settles_when_order_and_values_are_kept_to_the_end() -> None:
    games = [0, 10, 20, 30, 40]
    early = np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 2.9], [1.0, 3.1], [1.0, 3.0]])
    assert selfplay.settling(games, early, band=0.1) == selfplay.Settling(order_after=10, values_after=20)
    upset = early.copy()
    upset[3] = 3.0, 2.9
    assert selfplay.settling(games, upset, band=0.1).after == 40
    upset[4] = 3.0, 2.0
    assert selfplay.settling(games, upset, band=0.1).after is None


def test_values_are_steady_that_stay_near_their_mean_whatever_their_order() -> None:
    games = list(range(100, 1001, 100))
    calm = np.tile([1.0, 2.9, 3.0, 5.0, 9.0], (10, 1))
    swapped = calm.copy()
    swapped[7, 1:3] = 3.0, 2.9
    wrong = calm[:, ::-1]
    restless = calm.copy()
    restless[8] *= [1, 1, 1, 1, 3]
    found = [smith_5_5.stability("chess", games, values) for values in (calm, swapped, wrong, restless)]
    assert [one["steady"] for one in found] == [True, True, True, False]
    assert [one["in_order"] for one in found] == pytest.approx([1, 1, 0, 1])
