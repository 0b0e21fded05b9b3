"""Commands that play games: match, tournament, records."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from plypilot.bounds import LARGEST_COUNT, LARGEST_MARGIN, LONGEST_SECONDS, MOST_GAMES, MOST_THREADS
from plypilot.cli.help import MEASURE
from plypilot.cli.output import Json, Seed, Ticker, TimeLeft, command_again, console, print_json, table
from plypilot.score import DEEPEST

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plypilot.data import PlayedGame
    from plypilot.play.adjudication import Adjudication
    from plypilot.play.match import MatchResult, Standing
    from plypilot.play.tournament import Table, TournamentResult
    from plypilot.searcher import Limit

_PLAYER = "A pilot file, baseline, plain, random, uci:COMMAND or usi:COMMAND; settings follow as ;key=value."
Game = Annotated[str | None, typer.Option("--game", metavar="G", help="The game; a pilot file tells it by itself.")]
Depth = Annotated[
    int | None,
    typer.Option("--depth", min=1, max=DEEPEST, metavar="N", help="The depth to which each move is searched."),
]
NodeLimit = Annotated[
    int | None,
    typer.Option("--nodes", min=1, max=LARGEST_COUNT, metavar="N", help="The nodes that each move may take."),
]
Seconds = Annotated[
    float | None,
    typer.Option("--time", min=0.0001, max=LONGEST_SECONDS, metavar="S", help="The seconds that each move may take."),
]
Clock = Annotated[
    str | None,
    typer.Option(
        "--clock",
        metavar="S+I",
        help="Seconds for a game and added by each move: 2+0.02; or nodes: 100000+1000n.",
    ),
]
Openings = Annotated[
    str,
    typer.Option(
        "--openings", metavar="W", help="book:PATH (PGN, EPD, SFEN; zip and gz too), random:PLIES, all:PLIES or start."
    ),
]
WorkerCount = Annotated[
    int, typer.Option("--workers", min=1, max=MOST_THREADS, metavar="N", help="Games played at once.")
]
Cluster = Annotated[
    str | None, typer.Option("--cluster", metavar="dask://HOST:PORT", help="Play on a Dask cluster instead.")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Keep the games there; continue an interrupted run with --resume."),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Continue with the games that --out holds; --games may ask for more.")
]
Records = Annotated[
    Path | None,
    typer.Option("--records", metavar="FILE", help="Write the games: .pgn, .csa, .usi, .sgf or .jsonl by its name."),
]
MostPlies = Annotated[
    int | None,
    typer.Option(
        "--max-plies",
        min=0,
        max=LARGEST_MARGIN,
        metavar="N",
        help="End longer games; 0: never. Games in Python end at 1,000 plies unless this says otherwise.",
    ),
]
AtLength = Annotated[
    str,
    typer.Option(
        "--at-length",
        metavar="RULE",
        help="Who wins longer games: draw (nobody), agreed (both see it) or material.",
    ),
]
WinScore = Annotated[
    int,
    typer.Option(
        "--win-score",
        min=0,
        max=LARGEST_MARGIN,
        metavar="S",
        help="End games that both see won by S (1/100) for 8 plies.",
    ),
]
DrawPlies = Annotated[
    int,
    typer.Option(
        "--draw-plies",
        min=0,
        max=LARGEST_MARGIN,
        metavar="N",
        help="From ply 80 on, end games that are level for N plies.",
    ),
]


def _check_resume(resume: bool, out: Path | None) -> None:
    from plypilot.play.journal import JOURNAL_NAME

    if resume and out is None:
        raise ValueError("--resume needs --out DIR, where the games are")
    if resume and out is not None and not (out / JOURNAL_NAME).exists():
        raise ValueError(f"{out}: holds no games to continue; leave --resume out to begin")


def add_to(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    app.command("match", rich_help_panel=MEASURE)(match)
    app.command("tournament", rich_help_panel=MEASURE)(tournament)
    app.command("records", rich_help_panel=MEASURE)(records)


def match(
    a: Annotated[str, typer.Argument(metavar="A", help=_PLAYER)],
    b: Annotated[str, typer.Argument(metavar="B", help="Its opponent, likewise.")],
    game: Game = None,
    games: Annotated[
        int, typer.Option("--games", min=2, max=MOST_GAMES, metavar="N", help="At most so many, in pairs.")
    ] = 400,
    depth: Depth = None,
    nodes: NodeLimit = None,
    seconds: Seconds = None,
    clock: Clock = None,
    openings: Openings = "random:6",
    seed: Seed = 0,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option("--sprt", metavar="ELO0 ELO1", help="Stop as soon as a sequential test of these has decided."),
    ] = None,
    both: Annotated[
        bool, typer.Option("--both", help="After equal nodes, the same match at equal time, side by side.")
    ] = False,
    workers: WorkerCount = 1,
    cluster: Cluster = None,
    out: Out = None,
    resume: Resume = False,
    record_file: Records = None,
    most_plies: MostPlies = None,
    at_length: AtLength = "draw",
    win_score: WinScore = 0,
    draw_plies: DrawPlies = 0,
    as_json: Json = False,
) -> None:
    """Play two players against each other in pairs of games and say which is better, and how sure that is.

    A move may take 10,000 nodes unless --depth, --nodes, --time or --clock is given. Ctrl-C ends it with what is known.

    plypilot match baseline plain --game loa --nodes 2000 --games 200 --workers 2
    """
    from plypilot.compute import workers_for
    from plypilot.play.match import match as play
    from plypilot.play.ratings import Sprt

    name = game or _game_of(a, b)
    _check_resume(resume, out)
    watched = _Watched(games, out)
    with watched, workers_for(name, workers, cluster) as pool, Ticker() as ticker:
        result = play(
            a,
            b,
            name,
            games=games,
            limit=_limit(depth, nodes, seconds, clock),
            openings=openings,
            seed=seed,
            adjudication=_adjudication(name, most_plies, at_length, win_score, draw_plies),
            sprt=None if sprt is None else Sprt(*sprt),
            both=both,
            workers=pool,
            folder=out,
            resume=resume,
            keep_games=record_file is not None,
            on_game=lambda standing: watched.see(standing, standing.tally.games, None if as_json else ticker),
        )
    if record_file is not None:
        _write_records(result.games, record_file)
    if as_json:
        print_json(result.content())
        return
    _show_match(result)


class _Watched:
    """A match or a tournament while it is played: how far it is, and what is known of it when Ctrl-C ends it."""

    def __init__(self, games: int | None, folder: Path | None) -> None:
        self._games = games
        """How many there will be at most; None until a tournament tells."""
        self._folder = folder
        self._before = 0
        self._left: TimeLeft | None = None
        self._known: Standing | Table | None = None
        self._done = 0

    def see(self, known: Standing | Table, done: int, ticker: Ticker | None) -> None:
        """Hears of the standing after each game."""
        if self._left is None:
            self._left = TimeLeft(self._games or known.plan.games)  # type: ignore[union-attr]
            self._left.begin(self._before)
        self._known, self._done = known, done
        if ticker is not None:
            left = self._left
            ticker.tell(lambda: f"games {left.text(done)}: {_briefly(known)}")

    def __enter__(self) -> Self:
        from plypilot.play.journal import JOURNAL_NAME, Journal

        if self._folder is not None and (self._folder / JOURNAL_NAME).exists():
            with Journal.open(self._folder / JOURNAL_NAME) as journal:
                self._before = len(journal)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            self._tell_stopped()

    def _tell_stopped(self) -> None:
        """What was found out until Ctrl-C, and the command that goes on."""
        if self._known is None:
            print("stopped before the first games had ended", file=sys.stderr)
        else:
            print(f"stopped after {self._done} games: {self._known}", file=sys.stderr)
        if self._folder is None:
            print("the games were not kept: with --out DIR they are, and --resume goes on with them", file=sys.stderr)
        else:
            print(f"go on with:  {command_again('--resume')}", file=sys.stderr)
            if self._known is not None:
                print(f"see it with: plypilot records {self._folder} games.pgn", file=sys.stderr)


def _briefly(known: Standing | Table) -> str:
    """The standing in one line."""
    return str(known).partition("\n")[0]


def _time_text(games: int, games_now: int, seconds: float) -> str:
    """How long it took: the rate is that of the games that this command played."""
    kept = f"{games} games, of which {games - games_now} were there before;" if games_now < games else f"{games} games"
    if games_now == 0:
        return f"{games} games, all of which were there before"
    now = f" {games_now} in {seconds:.1f} s" if games_now < games else f" in {seconds:.1f} s"
    return f"{kept}{now}, {games_now / max(seconds, 1e-9):.1f} games a second"


def _show_match(whole: MatchResult) -> None:
    rows = table("", "games", "won", "drawn", "lost", "score", "Elo", "normalised", "LOS", "pairs 0 1/2 1 3/2 2")
    results = {"equal nodes": whole} | ({} if whole.equal_time is None else {"equal time": whole.equal_time})
    for title, result in results.items():
        figures, standing = result.content(), result.standing
        label = title if len(results) > 1 else whole.names[0]
        rows.add_row(
            label,
            str(figures["games"]),
            str(figures["wins"]),
            str(figures["draws"]),
            str(figures["losses"]),
            f"{figures['score']:.1%}",
            _interval(figures["elo"]),
            _interval(figures["normalised_elo"]),
            f"{figures['superiority']:.1%}",
            " ".join(map(str, standing.pairs.counts)),
        )
    print(f"{whole.names[0]} against {whole.names[1]}, {whole.plan.rules.game}, {_limit_text(whole.plan.rules.limits)}")
    console().print(rows)
    spent = table("player", "moves", "nodes a move", "ms a move", "depth", "time used of time allowed")
    for title, result in results.items():
        for name, effort in zip(result.names, result.standing.effort, strict=True):
            moves = max(effort.moves, 1)
            spent.add_row(
                f"{name}, {title}" if len(results) > 1 else name,
                str(effort.moves),
                f"{effort.nodes / moves:.0f}",
                f"{1000 * effort.seconds / moves:.2f}",
                f"{effort.depths / moves:.1f}",
                effort.time_text,
            )
    console().print(spent)
    print("ended by " + ", ".join(f"{cause} {count}" for cause, count in whole.standing.causes.most_common(8)))
    if any("length limit" in cause for cause in whole.standing.causes):
        plies = whole.plan.rules.adjudication.most_plies
        print(f"length limit: games that last {plies} plies are ended; --max-plies says when, and --at-length who wins")
    if whole.plan.sprt is not None:
        print(whole.plan.sprt.describe(whole.standing.pairs))
    if whole.equal_time is not None:
        print(f"equal time: {_limit_text(whole.equal_time.plan.rules.limits)}")
    games = whole.standing.tally.games
    print(_time_text(games, min(whole.games_now, games), whole.seconds))


def _interval(estimate: dict[str, float]) -> str:
    return f"{estimate['value']:+.0f} [{estimate['low']:+.0f}, {estimate['high']:+.0f}]"


def _limit_text(limits: tuple[Limit, ...]) -> str:
    one, two = (
        ", ".join(f"{key} {value:g}" for key, value in vars(limit).items() if isinstance(value, int | float) and value)
        + (" (in nodes)" if limit.unit == "nodes" else "")
        for limit in limits[:2]
    )
    return f"{one} a move" if one == two else f"{one} against {two} a move"


def _game_of(*players: str) -> str:
    """The game that the pilot file of a player tells."""
    from plypilot.pilot import Pilot

    for word in players:
        path = Path(word.split(";")[0])
        if path.is_file():
            return Pilot.load(path).game
    raise ValueError("name the game with --game: no player is a pilot file that would tell it")


def _limit(depth: int | None, nodes: int | None, seconds: float | None, clock: str | None) -> Limit:
    from plypilot.play.match import DEFAULT_LIMIT
    from plypilot.searcher import Limit

    if clock is not None:
        parts = re.fullmatch(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?(n?)", clock)
        if not parts:
            raise ValueError(f'--clock: "{clock}", expected SECONDS+INCREMENT such as 2+0.02, or nodes: 100000+1000n')
        unit: Any = "nodes" if parts[3] else "seconds"
        return Limit(depth=depth, nodes=nodes, clock=float(parts[1]), increment=float(parts[2] or 0), unit=unit)
    if depth is None and nodes is None and seconds is None:
        return DEFAULT_LIMIT
    return Limit(depth=depth, nodes=nodes, seconds=seconds)


def _adjudication(game: str, most_plies: int | None, at_length: str, win_score: int, draw_plies: int) -> Adjudication:
    from plypilot.pilot import Pilot
    from plypilot.play.adjudication import Adjudication, usual_adjudication

    rules: dict[str, Any] = {"draw": "draw", "agreed": "agreed", "material": "referee"}
    if at_length not in rules:
        raise ValueError(f'--at-length: "{at_length}", expected draw, agreed or material')
    referee = Pilot.plain(game, "material") if at_length == "material" else None
    most_plies = usual_adjudication(game).most_plies if most_plies is None else most_plies
    return Adjudication(most_plies, rules[at_length], referee, win_score=win_score, draw_plies=draw_plies)


def tournament(
    game: Annotated[str, typer.Argument(metavar="GAME", help="chess, loa, breakthrough[-6x6], shogi or module:Class.")],
    players: Annotated[list[str], typer.Argument(metavar="PLAYER...", help=_PLAYER)],
    kind: Annotated[
        str, typer.Option("--kind", metavar="K", help="round-robin, gauntlet (the first against the rest) or swiss.")
    ] = "round-robin",
    rounds: Annotated[
        int,
        typer.Option("--rounds", min=1, max=MOST_GAMES, metavar="N", help="Rounds of a swiss tournament, else cycles."),
    ] = 1,
    depth: Depth = None,
    nodes: NodeLimit = None,
    seconds: Seconds = None,
    clock: Clock = None,
    openings: Openings = "random:6",
    seed: Seed = 0,
    workers: WorkerCount = 1,
    cluster: Cluster = None,
    out: Out = None,
    resume: Resume = False,
    record_file: Records = None,
    most_plies: MostPlies = None,
    at_length: AtLength = "draw",
    win_score: WinScore = 0,
    draw_plies: DrawPlies = 0,
    as_json: Json = False,
) -> None:
    """Play many players against each other and rate them.

    A move may take 10,000 nodes unless --depth, --nodes, --time or --clock is given. Ctrl-C ends it with what is known.

    plypilot tournament loa baseline plain random --rounds 10 --nodes 1000
    """
    from plypilot.compute import workers_for
    from plypilot.play.tournament import tournament as play

    if kind not in ("round-robin", "gauntlet", "swiss"):
        raise ValueError(f'--kind: "{kind}", expected round-robin, gauntlet or swiss')
    _check_resume(resume, out)
    chosen: Any = kind
    watched = _Watched(None, out)
    with watched, workers_for(game, workers, cluster) as pool, Ticker() as ticker:
        result = play(
            players,
            game,
            kind=chosen,
            rounds=rounds,
            limit=_limit(depth, nodes, seconds, clock),
            openings=openings,
            seed=seed,
            adjudication=_adjudication(game, most_plies, at_length, win_score, draw_plies),
            workers=pool,
            folder=out,
            resume=resume,
            keep_games=record_file is not None,
            on_game=lambda standing: watched.see(standing, standing.games, None if as_json else ticker),
        )
    if record_file is not None:
        _write_records(result.games, record_file)
    if as_json:
        print_json(result.content())
        return
    _show_tournament(result)


def _show_tournament(result: TournamentResult) -> None:
    columns, *lines = result.table.rows()
    rows = table(*columns)
    for line in lines:
        rows.add_row(*line)
    console().print(rows)
    text = _time_text(result.table.games, result.games_now, result.seconds)
    print(f"{text}; ratings in Elo with 95% intervals, their mean is 0")


def records(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The --out folder of a match or a tournament.")],
    record_file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What to write: .pgn, .csa, .usi, .sgf or .jsonl by its name.")
    ],
) -> None:
    """Write the games that a match or a tournament has kept, also of one that still has games to play."""
    from plypilot.play.series import read_records

    count = _write_records(read_records(folder), record_file)
    print(f"{count} games written to {record_file}")


def _write_records(games: Iterable[PlayedGame], path: Path) -> int:
    """Writes games in the format that the file's name asks for, and tells how many."""
    from plypilot.data import write_game

    kind = _FORMATS.get(path.suffix)
    if kind is None:
        raise ValueError(f"{path}: a record file is named {', '.join('*' + suffix for suffix in _FORMATS)}")
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for game in games:
            file.write(write_game(game, kind))
            count += 1
    return count


_FORMATS = {".pgn": "pgn", ".csa": "csa", ".usi": "usi", ".uci": "uci", ".sgf": "sgf", ".jsonl": "json"}
"""Record formats by the suffix of the file."""
