import json
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import plypilot as pp
from conftest import SOAK
from plypilot.compute import Workers
from plypilot.data import PlayedGame, read_games
from plypilot.play.adjudication import Adjudication
from plypilot.play.journal import JOURNAL_NAME, Journal, JournalError
from plypilot.play.match import MatchPlan, Standing, make_plan, match, run_match, seconds_allowed
from plypilot.play.openings import Opening
from plypilot.play.player import Choice, PlayerFault
from plypilot.play.ratings import Pentanomial, Sprt
from plypilot.play.series import read_records
from plypilot.play.tournament import tournament
from plypilot.play.umpire import play_game
from plypilot.searcher import Limit

SMALL = "breakthrough-5x5"
QUICK = Limit(nodes=100)
FAKE = Path(__file__).parent / "fake_engines"


def counts(result: pp.MatchResult) -> list[object]:
    return [result.standing.tally, result.standing.pairs, result.standing.causes, result.standing.effort[0].nodes]


# Matches


def test_a_match_gives_the_same_with_any_number_of_workers() -> None:
    found = [match("baseline", "plain", SMALL, games=40, limit=QUICK, workers=number) for number in (1, 2, 5)]
    assert counts(found[0]) == counts(found[1]) == counts(found[2])
    tally = found[0].standing.tally
    assert (tally.games, tally.wins + tally.draws + tally.losses) == (40, 40)
    assert tally.score > 0.8


def test_a_python_game_is_played_in_processes() -> None:
    game = "connect_four:ConnectFour"
    found = match("plain", "random", game, games=4, limit=Limit(depth=2), workers=2, openings="random:2")
    assert found.standing.tally.games == 4
    assert found.standing.tally.score >= 0.5


def test_pairs_have_one_opening_with_sides_swapped() -> None:
    found = match("plain", "random", SMALL, games=12, limit=Limit(depth=2), keep_games=True, openings="random:2")
    records = list(found.games)
    for one, two in zip(records[::2], records[1::2], strict=True):
        assert one.opening == two.opening
        assert (one.players, two.players) == (("plain", "random"), ("random", "plain"))
    assert len({record.opening for record in records}) == 6
    for record in records:
        outcome = record.replay().outcome()
        assert outcome is not None
        assert (outcome.winner, outcome.reason) == (record.winner, record.cause)


def test_players_of_equal_name_are_told_apart() -> None:
    found = match("random", "random", SMALL, games=2)
    assert found.names == ("random #1", "random #2")


def test_settings_follow_a_player_behind_semicolons() -> None:
    plan = make_plan("baseline;pruning.late_moves=0", "baseline", "loa", games=2, openings="start")
    one, two = plan.rules.contestants
    assert one.pilot is not None
    assert two.pilot is not None
    assert one.pilot.pruning.late_moves == 0 != two.pilot.pruning.late_moves


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"games": 3}, "expected an even number"),
        ({"games": 0}, "expected an even number"),
        ({"game": None}, "name the game"),
        ({"a": "nobody.pilot"}, 'no file "nobody.pilot"'),
        ({"a": "random;x=1"}, "a random mover has no settings"),
        ({"a": "baseline;x=1"}, 'no setting "x"'),
        ({"openings": "book:nowhere.pgn"}, "nowhere.pgn"),
    ],
)
def test_a_match_that_cannot_be_played_is_refused_before_it(changes: dict[str, object], complaint: str) -> None:
    given: dict[str, object] = {"a": "plain", "b": "random", "game": SMALL, "games": 4} | changes
    with pytest.raises((ValueError, OSError), match=re.escape(complaint)):
        match(given.pop("a"), given.pop("b"), given.pop("game"), **given)  # type: ignore[arg-type]


def finished(number: int, points: float) -> PlayedGame:
    """A game of player 0 against player 1 that gave player 0 these points."""
    seats = (0, 1) if number % 2 == 0 else (1, 0)
    winner = None if points == 0.5 else seats.index(0 if points == 1 else 1)
    return PlayedGame(SMALL, ("a", "b"), winner, "test", (), number=number, seats=seats)


def plan_of(pairs: int, sprt: Sprt | None = None) -> MatchPlan:
    return make_plan("plain", "random", SMALL, games=2 * pairs, sprt=sprt, openings="start")


def test_a_sequential_test_stops_at_the_same_pair_whatever_order_games_end_in() -> None:
    rng = random.Random(5)
    games = [finished(number, rng.choice([1, 1, 1, 0.5, 0])) for number in range(400)]
    plan = plan_of(200, Sprt(0, 50))
    standings = []
    for order in range(3):
        shuffled = list(games)
        random.Random(order).shuffle(shuffled)
        standing = Standing(plan.sprt)
        for game in shuffled:
            standing.add(game)
        standings.append((standing.tally, standing.pairs, standing.verdict))
    assert standings[0] == standings[1] == standings[2]
    tally, pairs, verdict = standings[0]
    assert verdict == "H1"
    assert 0 < tally.games < 400
    assert Sprt(0, 50).verdict(pairs) == "H1"


def test_a_match_with_a_sequential_test_ends_early_with_equal_totals() -> None:
    sprt = Sprt(0, 100)
    found = [match("baseline", "random", SMALL, games=400, limit=QUICK, sprt=sprt, workers=number) for number in (1, 3)]
    assert found[0].standing.verdict == "H1"
    assert found[0].standing.tally.games < 400
    assert counts(found[0]) == counts(found[1])


def test_games_kept_beyond_the_end_of_a_sequential_test_do_not_count(tmp_path: Path) -> None:
    plan = plan_of(100, Sprt(0, 50))
    games = [finished(number, 1) for number in range(200)]
    counted = Standing(plan.sprt)
    for game in games:
        counted.add(game)
    with Journal(tmp_path / JOURNAL_NAME, plan.content()) as journal:
        journal.add(games)
        standing = Standing.of(journal)
    assert (standing.tally, standing.pairs, standing.verdict) == (counted.tally, counted.pairs, "H1")
    assert standing.tally.games < len(games)


def test_equal_time_stands_beside_equal_nodes() -> None:
    found = match("baseline", "plain", SMALL, games=4, limit=Limit(nodes=400), both=True)
    assert found.equal_time is not None
    assert found.equal_time.standing.tally.games == 4
    seconds = found.equal_time.plan.rules.limits[0].seconds
    assert seconds is not None
    assert seconds > 0
    assert "at equal time" in str(found)


def test_a_clock_may_count_nodes() -> None:
    limit = Limit(clock=3000, increment=100, unit="nodes")
    found = match("baseline", "plain", SMALL, games=6, limit=limit, keep_games=True)
    assert not [cause for cause in found.standing.causes if "clock" in cause]
    for game in found.games:
        for player in (0, 1):
            spent = [move.nodes for move in game.moves_of(player)]
            assert max(spent) <= 3000 / 2 + 100, "a move may use up half of what is left"
            assert sum(spent) <= 3000 + 100 * len(spent)
    again = match("baseline", "plain", SMALL, games=6, limit=limit, workers=3)
    assert counts(again) == counts(found)


# What players do wrong


class Scripted:
    """A player that names the first move, until it does something else."""

    def __init__(self, at: int = 1000, does: object = None, name: str = "scripted") -> None:
        self.name, self.at, self.does, self.moves = name, at, does, 0

    def new_game(self, game: str, seed: int) -> None:  # noqa: ARG002
        if self.does == "refuse":
            raise PlayerFault("did not start")

    def choose(self, position: pp.Position, limit: Limit, opponent_clock: float | None = None) -> Choice:  # noqa: ARG002
        self.moves += 1
        if self.moves == self.at:
            if self.does == "fault":
                raise PlayerFault("crashed")
            if self.does == "illegal":
                return Choice(next(iter(pp.Position("chess").moves())))
            if self.does == "sleep":
                time.sleep(0.3)
        return Choice(position.moves()[0], 0, 1, 1)

    def judge(self, position: pp.Position) -> int | None:  # noqa: ARG002
        return None

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("does", "cause"),
    [
        ("fault", "Black crashed"),
        ("illegal", "Black named the illegal move"),
        ("sleep", "Black overstepped the clock by 0."),
        ("refuse", "Black did not start"),
    ],
)
def test_what_a_player_does_wrong_loses_the_game_with_its_cause(does: str, cause: str) -> None:
    limit = Limit(clock=0.2)
    ending, moves = play_game(
        [Scripted(), Scripted(2, does)], [limit, limit], pp.Position("chess"), seed=0, adjudication=Adjudication()
    )
    assert ending.winner == 0
    assert ending.cause.startswith(cause)
    assert len(moves) == (0 if does == "refuse" else 3)


def test_a_match_goes_on_after_an_engine_failed(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text(
        "import sys\n"
        "moves = 0\n"
        "for line in sys.stdin:\n"
        "    word = line.split()[0] if line.split() else ''\n"
        "    if word == 'uci': print('uciok', flush=True)\n"
        "    elif word == 'isready': print('readyok', flush=True)\n"
        "    elif word == 'go': sys.exit(3)\n"
        "    elif word == 'quit': break\n"
    )
    engine = f"uci:{sys.executable} {broken}"
    found = match(engine, "random", "chess", games=4, limit=Limit(depth=1), openings="start")
    assert found.standing.tally.losses == found.standing.tally.games == 4
    assert all("exit status 3" in cause for cause in found.standing.causes)


# Journals


def test_a_journal_belongs_to_one_plan(tmp_path: Path) -> None:
    match("plain", "random", SMALL, games=4, limit=QUICK, folder=tmp_path)
    with pytest.raises(JournalError, match="games are already there; resume"):
        match("plain", "random", SMALL, games=4, limit=QUICK, folder=tmp_path)
    with pytest.raises(JournalError, match=r"openings is .* there and .* here, pairs is 2 there and 3 here"):
        match("plain", "random", SMALL, games=6, limit=QUICK, folder=tmp_path, resume=True, openings="start")
    again = match("plain", "random", SMALL, games=4, limit=QUICK, folder=tmp_path, resume=True)
    assert again.standing.tally.games == 4
    (tmp_path / JOURNAL_NAME).write_bytes(b"something else altogether" * 100)
    with pytest.raises(JournalError, match="not a journal of games"):
        match("plain", "random", SMALL, games=4, limit=QUICK, folder=tmp_path, resume=True)


def test_a_finished_match_can_be_made_longer(tmp_path: Path) -> None:
    short = match("plain", "random", SMALL, games=4, limit=QUICK, folder=tmp_path, keep_games=True)
    longer = match("plain", "random", SMALL, games=10, limit=QUICK, folder=tmp_path, resume=True, keep_games=True)
    at_once = match("plain", "random", SMALL, games=10, limit=QUICK, keep_games=True)
    assert longer.games[:4] == short.games
    moves, moves_at_once = ([[move.text for move in game.moves] for game in each.games] for each in (longer, at_once))
    assert moves == moves_at_once
    with pytest.raises(JournalError, match="pairs is 5 there and 2 here"):
        match("plain", "random", SMALL, games=4, limit=QUICK, folder=tmp_path, resume=True)


def test_a_longer_match_keeps_the_time_of_its_part_at_equal_time(tmp_path: Path) -> None:
    for games, resume in ((4, False), (8, True)):
        both = match("plain", "random", SMALL, games=games, limit=QUICK, folder=tmp_path, resume=resume, both=True)
        assert both.equal_time is not None
        assert both.equal_time.standing.tally.games == games


def test_two_runs_cannot_write_to_one_journal(tmp_path: Path) -> None:
    plan = plan_of(2)
    with Journal(tmp_path / JOURNAL_NAME, plan.content()), pytest.raises(JournalError, match="another run is writing"):
        Journal(tmp_path / JOURNAL_NAME, plan.content(), resume=True)


def test_games_of_a_journal_are_those_that_were_played(tmp_path: Path) -> None:
    found = match("plain", "random", SMALL, games=6, limit=QUICK, folder=tmp_path, keep_games=True)
    assert list(read_records(tmp_path)) == list(found.games)


def test_an_iteration_that_is_closed_ends_what_is_in_play() -> None:
    heard: list[Standing] = []

    def listen(standing: Standing) -> None:
        heard.append(standing)
        raise KeyboardInterrupt

    started = time.perf_counter()
    with pytest.raises(KeyboardInterrupt), Workers.threads(2) as workers:
        run_match(
            make_plan("plain", "random", "chess", games=200, limit=Limit(nodes=50_000), openings="start"),
            workers,
            on_game=listen,
        )
    assert heard
    assert time.perf_counter() - started < 60


KILLS = 50 if SOAK else 4
KILLED_GAMES = 10_000 if SOAK else 400
"""Of the match that is killed: more than are played between so many kills."""


def play_command(folder: Path) -> list[str]:
    words = ["match", "baseline", "plain", "--game", SMALL, "--games", str(KILLED_GAMES)]
    words += ["--nodes", "600", "--workers", "2"]
    again = ["--resume"] if (folder / JOURNAL_NAME).exists() else []
    return [sys.executable, "-m", "plypilot", *words, "--seed", "7", "--out", str(folder), *again, "--json"]


def test_a_match_that_is_killed_plays_each_game_exactly_once(tmp_path: Path) -> None:
    def figures(answer: str) -> dict[str, object]:
        read = json.loads(answer)
        return {key: read[key] for key in ("games", "wins", "draws", "losses", "pairs", "causes")} | {
            "nodes": [each["nodes"] for each in read["effort"]]
        }

    undisturbed = subprocess.run(play_command(tmp_path / "whole"), capture_output=True, text=True, check=True)
    rng, folder = random.Random(3), tmp_path / "killed"
    kills, seen = 0, 0
    while kills < KILLS:
        running = subprocess.Popen(play_command(folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        # Somewhere in the start, or a little after some more games are there.
        goal, deadline = seen + rng.choice([0, 1, 2, 6]), time.monotonic() + 60
        while running.poll() is None and time.monotonic() < deadline and games_on_file(folder) < goal:
            time.sleep(0.002)
        time.sleep(rng.random() * 0.05)
        running.send_signal(signal.SIGKILL)
        running.communicate()
        kills += 1
        before, seen = seen, games_on_file(folder)
        assert seen >= before
        if seen >= KILLED_GAMES:
            break
    assert kills >= (KILLS if SOAK else 3)
    finished_run = subprocess.run(play_command(folder), capture_output=True, text=True, check=True)
    assert figures(finished_run.stdout) == figures(undisturbed.stdout)
    assert games_on_file(folder) == KILLED_GAMES


def games_on_file(folder: Path) -> int:
    """Read beside a run, which has the file for itself: a copy of it and of its log."""
    if not (folder / JOURNAL_NAME).exists():
        return 0
    wal = folder / f"{JOURNAL_NAME}-wal"
    copy = folder / "copy.sqlite"
    copy.write_bytes((folder / JOURNAL_NAME).read_bytes())
    if wal.exists():
        (folder / "copy.sqlite-wal").write_bytes(wal.read_bytes())
    base = sqlite3.connect(copy)
    try:
        return int(base.execute("SELECT COUNT(*) FROM games").fetchone()[0])
    except sqlite3.DatabaseError:
        return 0
    finally:
        base.close()
        for path in folder.glob("copy.sqlite*"):
            path.unlink()


# Tournaments


@pytest.mark.parametrize("kind", ["round-robin", "gauntlet", "swiss"])
def test_a_tournament_rates_players_by_their_strength(kind: str) -> None:
    players = ["random", "baseline", "plain", "random"]
    found = tournament(players, SMALL, kind=kind, rounds=4, limit=Limit(nodes=300), workers=2)  # type: ignore[arg-type]
    again = tournament(players, SMALL, kind=kind, rounds=4, limit=Limit(nodes=300), workers=1)  # type: ignore[arg-type]
    assert found.table.points.tolist() == again.table.points.tolist()
    expected = {"round-robin": 4 * 6 * 2, "gauntlet": 4 * 3 * 2, "swiss": 4 * 2}[kind]
    assert found.table.games == expected == found.table.points.sum()
    ratings = found.table.ratings()
    if kind != "gauntlet":
        assert found.names[found.ranking()[0]] == "baseline"
    assert max(range(4), key=lambda i: ratings[i].value) == 1


def test_a_swiss_tournament_goes_on_where_it_was_ended(tmp_path: Path) -> None:
    def play(folder: Path, resume: bool, stop_after: int = 10**6) -> pp.TournamentResult:
        heard = 0

        def listen(_: object) -> None:
            nonlocal heard
            heard += 1
            if heard == stop_after:
                raise KeyboardInterrupt

        return tournament(
            ["random", "plain", "baseline"] * 3,
            SMALL,
            kind="swiss",
            rounds=5,
            limit=Limit(nodes=200),
            folder=folder,
            resume=resume,
            on_game=listen,
        )

    whole = play(tmp_path / "whole", False)
    assert whole.table.byes.sum() == 5
    for stop_after in (3, 9, 14):
        with pytest.raises(KeyboardInterrupt):
            play(tmp_path / "ended", True, stop_after)
    ended = play(tmp_path / "ended", True)
    assert ended.table.points.tolist() == whole.table.points.tolist()
    assert ended.table.games == 20


# Commands


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "plypilot", *words], capture_output=True, text=True, check=False)


def test_match_command_writes_records_of_every_format(tmp_path: Path) -> None:
    for game, suffix, kind in (("chess", "pgn", "pgn"), ("loa", "sgf", "sgf"), ("shogi", "csa", "csa")):
        file = tmp_path / f"games.{suffix}"
        done = run("match", "plain", "random", "--game", game, "--games", "2", "--depth", "1", "--max-plies", "20",
                   "--records", str(file), "--out", str(tmp_path / game))  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "2 games" in done.stdout
        records = list(read_games(file.read_text(), kind, game))
        assert len(records) == 2
        replayed = [record.replay().fen() for record in records if not isinstance(record, ValueError)]
        assert replayed == [record.replay().fen() for record in read_records(tmp_path / game)]
        again = run("records", str(tmp_path / game), str(tmp_path / f"again.{suffix}"))
        assert again.returncode == 0, again.stderr
        assert (tmp_path / f"again.{suffix}").read_text() == file.read_text()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["match", "plain", "random"], "name the game with --game"),
        (["match", "plain", "random", "--game", "go"], 'no game is called "go"'),
        (["match", "plain", "random", "--game", "loa", "--resume"], "--resume needs --out"),
        (["match", "plain", "random", "--game", "loa", "--resume", "--out", "nowhere"], "holds no games to continue"),
        (["match", "plain", "random", "--game", "loa", "--clock", "fast"], "expected SECONDS+INCREMENT"),
        (["match", "plain", "random", "--game", "loa", "--at-length", "me"], "expected draw, agreed or material"),
        (["match", "plain", "random", "--game", "loa", "--records", "x.doc", "--games", "2"], "a record file is named"),
        (["tournament", "loa", "plain"], "expected 2 or more"),
        (["tournament", "loa", "plain", "random", "--kind", "knockout"], "expected round-robin, gauntlet or swiss"),
        (["records", "nowhere", "x.pgn"], "holds no games"),
    ],
)
def test_commands_explain_what_is_wrong(words: Sequence[str], complaint: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not Path("x.pgn").exists()


def test_a_pentanomial_needs_pairs_in_order() -> None:
    standing = Standing()
    for number, points in ((1, 1), (2, 0), (3, 0)):
        standing.add(finished(number, points))
    assert standing.tally.games == 0
    standing.add(finished(0, 0.5))
    assert standing.pairs == Pentanomial(lost=1, ahead=1)
    assert standing.tally.games == 4


def test_openings_given_are_taken_in_turn() -> None:
    openings = [Opening(moves=("a2-a3",)), Opening(moves=("b2-b3",))]
    plan = make_plan("plain", "random", SMALL, games=6, openings=openings)
    assert [game.opening.moves[0] for game in plan.schedule()] == [
        "a2-a3", "a2-a3", "b2-b3", "b2-b3", "a2-a3", "a2-a3",
    ]  # fmt: skip


# Time used beside time allowed


@pytest.mark.parametrize(
    ("limit", "allowed"),
    [
        (Limit(depth=3), None),
        (Limit(nodes=100), None),
        (Limit(clock=500, unit="nodes"), None),
        (Limit(seconds=0.5), 10.0),
        (Limit(clock=5), 5.0),
        (Limit(clock=5, increment=0.1), 7.0),
        (Limit(clock=5, moves_to_go=8), 15.0),
        (Limit(clock=0, byoyomi=0.25), 5.0),
        (Limit(clock=50, seconds=0.5), 10.0),
    ],
)
def test_a_limit_allows_so_much_time_for_twenty_moves(limit: Limit, allowed: float | None) -> None:
    assert seconds_allowed(limit, 20) == (None if allowed is None else pytest.approx(allowed))


def test_a_match_tells_time_used_beside_time_allowed(tmp_path: Path) -> None:
    limits = [Limit(seconds=0.002), Limit(nodes=50)]
    result = pp.match("baseline", "plain", SMALL, games=2, limit=limits, folder=tmp_path)
    one, two = result.standing.effort
    assert one.seconds_allowed == pytest.approx(0.002 * one.moves)
    assert one.seconds > 0
    assert two.seconds_allowed is None
    assert [effort["seconds_allowed"] for effort in result.content()["effort"]] == [one.seconds_allowed, None]
    assert f"time used: baseline {one.seconds:.2f} s of {one.seconds_allowed:.2f} s (" in str(result)
    assert "time used" not in str(pp.match("baseline", "plain", SMALL, games=2, limit=Limit(nodes=50)))
    with Journal.open(tmp_path / JOURNAL_NAME) as journal:
        assert Standing.of(journal).effort == result.standing.effort


def test_the_command_shows_time_used_beside_time_allowed() -> None:
    done = run("match", "baseline", "plain", "--game", SMALL, "--games", "2", "--nodes", "200", "--both")
    assert done.returncode == 0
    assert "time used of time allowed" in done.stdout
    assert len(re.findall(r"equal time.* s of .* s \([0-9.]+%\)", done.stdout)) == 2


# Watching a match, and stopping it.


def interrupted(folder: Path, *words: str, games: int = 0) -> tuple[int, str, str]:
    """A command that Ctrl-C ends once its folder has so many games, or three lines were printed."""
    plypilot = Path(sys.executable).with_name("plypilot")
    with subprocess.Popen(
        [plypilot, *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        first = "" if games else "".join(process.stdout.readline() for _ in range(3))
        began = time.monotonic()
        while time.monotonic() - began < 60 and count_games(folder / "kept") < games:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    return process.returncode, first + out, error


def count_games(folder: Path) -> int:
    """The games of a match that is being played."""
    try:
        return sum(1 for _ in read_records(folder))
    except ValueError:  # not begun yet
        return 0


def test_ctrl_c_in_a_match_tells_what_is_known_and_how_to_go_on(tmp_path: Path) -> None:
    words = ["match", "baseline", "plain", "--game", "loa", "--nodes", "20000", "--games", "4000", "--out", "kept"]
    code, out, told = interrupted(tmp_path, *words, games=4)
    assert (code, out) == (130, "")
    assert re.search(r"^stopped after \d+ games: \+\d+ =\d+ -\d+, ", told)
    assert f"go on with:  plypilot {' '.join(words)} --resume\n" in told
    kept = count_games(tmp_path / "kept")
    assert kept >= 4
    code, out, told = interrupted(tmp_path, *words, "--resume", games=kept + 2)
    assert code == 130 and count_games(tmp_path / "kept") > kept


def test_ctrl_c_in_a_search_tells_the_best_that_was_found(tmp_path: Path) -> None:
    code, out, told = interrupted(tmp_path, "search", "loa", "--time", "60")
    assert (code, told) == (130, "")
    assert out.splitlines()[-1].startswith("stopped: best move ")


def test_a_resumed_match_tells_the_rate_of_its_own_games(tmp_path: Path) -> None:
    plypilot = str(Path(sys.executable).with_name("plypilot"))
    words = [plypilot, "match", "baseline", "plain", "--game", "loa", "--depth", "1", "--out", str(tmp_path)]
    subprocess.run([*words, "--games", "4"], check=True, capture_output=True)
    longer = subprocess.run([*words, "--games", "6", "--resume"], check=True, capture_output=True, text=True).stdout
    assert re.search(r"^6 games, of which 4 were there before; 2 in \d+\.\d s, ", longer, re.M)
    again = subprocess.run([*words, "--games", "6", "--resume"], check=True, capture_output=True, text=True).stdout
    assert again.splitlines()[-1] == "6 games, all of which were there before"


def test_a_game_in_python_without_an_end_is_cut_short() -> None:
    result = pp.match("random", "random", "connect_four:ConnectFour", games=2)
    assert result.plan.rules.adjudication.most_plies == 1000
    assert pp.match("random", "random", "breakthrough-4x4", games=2).plan.rules.adjudication.most_plies == 0


def test_results_print_as_people_expect() -> None:
    pilot = pp.Pilot.plain("loa").replace({"pruning.null_reduction": 2})
    result = pp.match(pp.Pilot.baseline("loa"), pilot, games=8, limit=pp.Limit(nodes=200))
    assert result.names == ("baseline", "B")
    lines = repr(result).splitlines()
    assert len(lines) == 2 and lines[0] == str(result)
    assert lines[1].startswith("baseline is better than B by about ")
    assert "<table>" in result._repr_html_() and lines[1] in result._repr_html_()
    played = pp.tournament([pilot, "plain", "random"], "loa", limit=pp.Limit(nodes=50))
    title, columns, *rows = str(played).splitlines()
    assert title == "6 games, loa"
    assert columns.split() == ["player", "score", "games", "rating", "1", "2", "3"]
    assert {row.split("  ")[1].strip() for row in rows[:3]} == {"player 1", "plain", "random"}
    assert repr(played) == str(played)
    assert played._repr_html_().count("<tr>") == 4


def test_positions_pilots_and_results_have_a_form_for_notebooks() -> None:
    position, pilot = pp.Position("loa"), pp.Pilot.plain("loa")
    assert "8 · ● ● ● ● ● ● ·" in position._repr_html_() and position.fen() in position._repr_html_()
    table = pilot._repr_html_()
    assert "<td" in table and "search.window" in table and pilot.digest[:16] in table
    result = pp.search(pilot, position, pp.Limit(depth=2))
    shown = result._repr_html_()  # type: ignore[attr-defined]
    assert f">{result.move}</td>" in shown and f">{result.nodes.all}</td>" in shown
