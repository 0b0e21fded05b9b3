"""Commands that make and show data: data import, data selfplay, data label, data tactics, data show."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plypilot.bounds import LARGEST_COUNT, LARGEST_MARGIN, MOST_GAMES, MOST_LINES, MOST_POSITIONS, MOST_THREADS
from plypilot.cli.help import LEARN, Group
from plypilot.cli.output import GameName, Json, Seed, Ticker, console, print_json, table
from plypilot.score import DEEPEST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plypilot.data.patterns import PatternSet, Where
    from plypilot.data.patterns.importing import Progress
    from plypilot.learn.selfplay_set import SelfPlayProgress
    from plypilot.learn.tactics import TacticsProgress

Out = Annotated[Path, typer.Option("-o", "--out", metavar="SET", help="The folder of the set, which is made.")]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, max=MOST_THREADS, metavar="N", help="How many to work at once; all cores."),
]
Opening = Annotated[
    str,
    typer.Option(
        "--opening",
        metavar="O",
        help="Games of an ECO code, its beginning or a range: B84, A3, B80-B99; or that begin so: '1. e4 c5'.",
    ),
]
Phase = Annotated[
    str, typer.Option("--phase", metavar="P", help="Positions of the opening, middle or end only (docs/data.md).")
]
Rating = Annotated[
    int, typer.Option("--rating", min=0, max=LARGEST_MARGIN, metavar="N", help="Games whose players both have so much.")
]
Result = Annotated[
    str, typer.Option("--result", metavar="R", help="Games that ended so: 1-0, 0-1, 1/2-1/2; several with commas.")
]


def add_to(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    group = typer.Typer(
        help="Pattern sets (positions with the best move, from records or self-play) and tactical test suites.",
        cls=Group,
        rich_markup_mode=None,
    )
    group.command("import")(import_set)
    group.command("selfplay")(selfplay_set)
    group.command("label")(label_set)
    group.command("tactics")(tactics_suite)
    group.command("show")(show)
    app.add_typer(group, name="data", rich_help_panel=LEARN)


def import_set(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="PGN, CSA, KIF, SGF or lists of moves; packed and in archives too."),
    ],
    out: Out,
    game: Annotated[str, typer.Option("--game", metavar="G", help="The game of the records.")] = "chess",
    opening: Opening = "",
    phase: Phase = "",
    rating: Rating = 0,
    result: Result = "",
    without: Annotated[
        list[Path] | None,
        typer.Option("--without", metavar="FILE", help="A test suite whose positions are left out; may be repeated."),
    ] = None,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Make a pattern set of games on record, in which the moves played are the best ones.

    plypilot data import masters.pgn.gz --phase middle --without wac.epd -o masters
    """
    from plypilot.compute import Workers as Pool
    from plypilot.data.patterns import Where, import_games

    def tell(progress: Progress) -> None:
        ticker.tell(
            lambda: f"{progress.file} {progress.share:.0%}: {progress.games} games, {progress.positions} positions"
        )

    where = Where(opening=opening, phase=phase, rating=rating, result=result)
    with Pool.processes(workers) as pool, Ticker() as ticker:
        patterns = import_games(
            files, game, out, where=where, without=without or [], workers=pool, on_progress=None if as_json else tell
        )
    _print(patterns, as_json)


def selfplay_set(
    game: GameName,
    out: Out,
    games: Annotated[
        int | None, typer.Option("--games", min=1, max=MOST_GAMES, metavar="N", help="Play so many games.")
    ] = None,
    positions: Annotated[
        int | None,
        typer.Option(
            "--positions", min=1, max=MOST_POSITIONS, metavar="N", help="Play until there are so many positions."
        ),
    ] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", min=1, max=DEEPEST, metavar="N", help="Search each move so deep.")
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option("--nodes", min=1, max=LARGEST_COUNT, metavar="N", help="The nodes that each move may take; 2000."),
    ] = None,
    label_depth: Annotated[
        str,
        typer.Option(
            "--label-depth",
            metavar="N[,N]",
            help="Label by a search so deep, instead of by the move played; several depths take turns.",
        ),
    ] = "",
    test_label_depth: Annotated[
        str, typer.Option("--test-label-depth", metavar="N[,N]", help="The same for the test split.")
    ] = "",
    side_lines: Annotated[
        int,
        typer.Option(
            "--side-lines",
            min=0,
            max=MOST_LINES,
            metavar="N",
            help="Lines that leave each game: one side moves at random, the other answers by search.",
        ),
    ] = 0,
    openings: Annotated[
        int, typer.Option("--openings", min=0, max=100, metavar="PLIES", help="Random moves at the beginning.")
    ] = 6,
    noise: Annotated[
        int,
        typer.Option(
            "--noise",
            min=0,
            max=LARGEST_MARGIN,
            metavar="S",
            help="Noise on the scores while playing, in 1/100 of a pawn.",
        ),
    ] = 10,
    pilot: Annotated[
        str, typer.Option("--pilot", metavar="F", help="Who plays and labels: a pilot file, baseline or plain.")
    ] = "baseline",
    seed: Seed = 0,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Make a pattern set of games that a pilot plays with itself. What was ended goes on when it is run again.

    plypilot data selfplay loa --positions 600000 --depth 4 -o loa-games
    """
    from plypilot.compute import Workers as Pool
    from plypilot.game_name import is_python_game
    from plypilot.learn.selfplay_set import SelfPlay, make_selfplay_set
    from plypilot.pilot import find_pilot
    from plypilot.searcher import Limit

    def tell(progress: SelfPlayProgress) -> None:
        wanted = f"of {games}" if games else ""
        needed = f"of {positions}" if positions else ""
        ticker.tell(lambda: f"games {progress.games} {wanted}, positions {progress.positions} {needed}".strip())

    if games is None and positions is None:
        games = _DEFAULT_GAMES
    settings = SelfPlay(
        find_pilot(pilot, game),
        Limit(depth=depth, nodes=nodes if nodes or depth else _DEFAULT_NODES),
        label_depth=_read_depths(label_depth, "--label-depth"),
        test_label_depth=_read_depths(test_label_depth, "--test-label-depth"),
        side_lines=side_lines,
        opening_plies=openings,
        noise=noise,
        seed=seed,
    )
    kind = "processes" if is_python_game(game) else "threads"
    with Pool.open(workers, kind=kind) as pool, Ticker() as ticker:
        patterns = make_selfplay_set(
            out, settings, games=games, positions=positions, workers=pool, on_progress=None if as_json else tell
        )
    _print(patterns, as_json)


def label_set(
    path: Annotated[Path, typer.Argument(metavar="SET", help="The pattern set whose positions are labelled anew.")],
    out: Out,
    depth: Annotated[
        int | None, typer.Option("--depth", min=1, max=DEEPEST, metavar="N", help="Search each position so deep.")
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option(
            "--nodes", min=1, max=LARGEST_COUNT, metavar="N", help="The nodes that each position may take; 100000."
        ),
    ] = None,
    opening: Opening = "",
    phase: Phase = "",
    rating: Rating = 0,
    result: Result = "",
    positions: Annotated[
        int | None,
        typer.Option("--positions", min=0, max=MOST_POSITIONS, metavar="N", help="At most so many to learn from."),
    ] = None,
    test_positions: Annotated[
        int | None,
        typer.Option(
            "--test-positions",
            min=0,
            max=MOST_POSITIONS,
            metavar="N",
            help="At most so many for validation, and for tests.",
        ),
    ] = None,
    pilot: Annotated[
        str, typer.Option("--pilot", metavar="F", help="Who labels: a pilot file, baseline or plain.")
    ] = "baseline",
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Make a pattern set of the positions of another one, labelled by searches. What was ended goes on when run again.

    plypilot data label masters --opening A30 --phase middle --positions 100000 --depth 7 -o masters-searched
    """
    from plypilot.compute import Workers as Pool
    from plypilot.data.patterns import PatternSet, Where
    from plypilot.game_name import is_python_game
    from plypilot.learn.labelled_set import LabelProgress, make_labelled_set
    from plypilot.pilot import find_pilot
    from plypilot.searcher import Limit

    def tell(progress: LabelProgress) -> None:
        share = progress.agreed / max(progress.positions, 1)
        ticker.tell(lambda: f"{progress.positions} positions, {share:.0%} of them with the label they had")

    patterns = PatternSet.open(path)
    kind = "processes" if is_python_game(patterns.game) else "threads"
    with Pool.open(workers, kind=kind) as pool, Ticker() as ticker:
        labelled = make_labelled_set(
            out,
            patterns,
            find_pilot(pilot, patterns.game),
            Limit(depth=depth, nodes=nodes if nodes or depth else _LABEL_NODES),
            where=Where(opening=opening, phase=phase, rating=rating, result=result),
            positions={"learn": positions, "validation": test_positions, "test": test_positions},
            workers=pool,
            on_progress=None if as_json else tell,
        )
    _print(labelled, as_json)


def tactics_suite(
    game: GameName,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE.epd", help="The file of the suite.")],
    positions: Annotated[
        int, typer.Option("--positions", min=1, max=MOST_POSITIONS, metavar="N", help="How many it has.")
    ] = 300,
    kind: Annotated[
        str, typer.Option("--kind", metavar="K", help="What makes a move best: win, gain, or both of them.")
    ] = "both",
    plies: Annotated[
        str,
        typer.Option("--plies", metavar="N-N", help="The shortest and the longest win: 5-7 unless said, 3-5 in shogi."),
    ] = "",
    margin: Annotated[
        int,
        typer.Option(
            "--margin", min=1, max=LARGEST_MARGIN, metavar="S", help="What a gain must be, in 1/100 of a pawn."
        ),
    ] = 150,
    depth: Annotated[
        int, typer.Option("--depth", min=1, max=DEEPEST, metavar="N", help="Judge gains to this depth.")
    ] = 8,
    proof_nodes: Annotated[
        int,
        typer.Option(
            "--proof-nodes", min=1, max=LARGEST_COUNT, metavar="N", help="Leave out what takes more nodes to prove."
        ),
    ] = 4_000_000,
    a_game: Annotated[
        int, typer.Option("--a-game", min=1, max=MOST_POSITIONS, metavar="N", help="Positions of one game at most.")
    ] = 2,
    games: Annotated[
        int | None,
        typer.Option("--games", min=1, max=MOST_GAMES, metavar="N", help="Give up after so many; 20 a position."),
    ] = None,
    nodes: Annotated[
        int, typer.Option("--nodes", min=1, max=LARGEST_COUNT, metavar="N", help="Nodes of each move.")
    ] = 2000,
    openings: Annotated[
        int, typer.Option("--openings", min=0, max=100, metavar="PLIES", help="Random moves at the beginning.")
    ] = 6,
    noise: Annotated[
        int,
        typer.Option(
            "--noise",
            min=0,
            max=LARGEST_MARGIN,
            metavar="S",
            help="Noise on the scores while playing, in 1/100 of a pawn.",
        ),
    ] = 10,
    pilot: Annotated[
        list[str] | None,
        typer.Option("--pilot", metavar="F", help="Who plays: a pilot file, baseline or plain; several take turns."),
    ] = None,
    evaluation: Annotated[
        list[str] | None,
        typer.Option(
            "--evaluation",
            metavar="E",
            help="The baseline with this hand-set evaluation plays; repeatable. With neither this nor --pilot: all.",
        ),
    ] = None,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Make a test suite of positions from self-play in which one move is proved best.

    Either it wins by force and no other move does, or it gains a margin over all others, the same over three depths.
    What was ended goes on when it is run again. Exits with 1 where there are fewer positions than asked for.

    plypilot data tactics breakthrough --kind win --plies 7-7 -o breakthrough.epd
    """
    import time

    from plypilot.compute import Workers as Pool
    from plypilot.game_name import is_python_game
    from plypilot.learn.tactics import GAMES_A_POSITION, Tactics, make_tactics_file, varied_pilots
    from plypilot.pilot import Pilot, find_pilot
    from plypilot.searcher import Limit

    started = time.monotonic()

    def tell(progress: TacticsProgress) -> None:
        spent = time.monotonic() - started
        left = spent / max(progress.positions, 1) * (progress.wanted - progress.positions)
        ticker.tell(
            lambda: (
                f"games {progress.games}, positions {progress.positions} of {progress.wanted}"
                + (f", {left:.0f} s left" if progress.positions else "")
            )
        )

    if kind not in ("win", "gain", "both"):
        raise ValueError(f'--kind: "{kind}", expected win, gain or both')
    players = [find_pilot(source, game) for source in pilot or ()]
    if evaluation or not players:
        players += varied_pilots(Pilot.baseline(game), evaluation or ())
    settings = Tactics(
        tuple(players),
        kinds=("win", "gain") if kind == "both" else (kind,),  # type: ignore[arg-type]
        plies=_read_plies(plies),
        margin=margin,
        depth=depth,
        a_game=a_game,
        limit=Limit(nodes=nodes),
        proof_nodes=proof_nodes,
        opening_plies=openings,
        noise=noise,
        seed=seed,
    )
    with Pool.open(workers, kind="processes" if is_python_game(game) else "threads") as pool, Ticker() as ticker:
        items = make_tactics_file(
            out, settings, positions, games=games, workers=pool, on_progress=None if as_json else tell
        )
    counts = Counter(
        "gain" if item.operations["kind"] == ("gain",) else f"win in {item.operations['plies'][0]}" for item in items
    )
    if as_json:
        print_json({"file": str(out), "game": game, "positions": len(items), "wanted": positions, "kinds": counts})
    else:
        told = ", ".join(
            f"{number} {name}" + ("" if name == "gain" else " plies") for name, number in sorted(counts.items())
        )
        print(f"{out}: {len(items)} positions of {game}" + (f": {told}" if told else ""))
    if len(items) < positions:
        print(
            f"plypilot: {len(items)} of {positions} positions in {games or GAMES_A_POSITION * positions} games"
            f"{'' if items else ', so that no file is written'}: "
            "ask for more --games, a wider range of --plies, a smaller --margin or more --proof-nodes",
            file=sys.stderr,
        )
        raise typer.Exit(1)


def _read_plies(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    least, _, most = text.partition("-")
    if not (least.isdecimal() and (most or least).isdecimal()):
        raise ValueError(f'--plies: "{text}", expected the shortest and the longest win, such as 5-7')
    return int(least), int(most or least)


_LABEL_NODES = 100_000
_DEFAULT_GAMES = 1000
_DEFAULT_NODES = 2000


def _read_depths(text: str, option: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",")] if text else []
    if not all(word.isdecimal() and 1 <= int(word) <= DEEPEST for word in words):
        raise ValueError(f'{option}: "{text}", expected a depth from 1 to {DEEPEST}, or several with commas between')
    return tuple(int(word) for word in words)


def show(
    path: Annotated[Path, typer.Argument(metavar="SET", help="The folder of a pattern set.")],
    opening: Opening = "",
    phase: Phase = "",
    rating: Rating = 0,
    result: Result = "",
    samples: Annotated[
        int, typer.Option("--samples", min=0, max=100, metavar="N", help="Positions to draw, with their moves.")
    ] = 2,
    as_json: Json = False,
) -> None:
    """Tell what a pattern set is, how much of it there is, and draw a few of its positions.

    plypilot data show masters --opening B80-B99
    """
    from plypilot.data.patterns import PatternSet, Where

    where = Where(opening=opening, phase=phase, rating=rating, result=result)
    _print(PatternSet.open(path), as_json, where, samples)


def _print(patterns: PatternSet, as_json: bool, where: Where | None = None, samples: int = 0) -> None:
    """What a set is, as JSON or as tables."""
    from plypilot.data.patterns.overview import content_of, overview_of

    overview = overview_of(patterns, where, samples)
    if as_json:
        print_json(content_of(patterns, overview))
        return
    description = patterns.description
    print(f"{patterns.path}: {description.game}, SHA-256 {patterns.digest[:16]}")
    for line in _source_lines(description.source):
        print(line)
    if description.filters:
        print("filters: " + ", ".join(f"{name} {value}" for name, value in description.filters.items()))
    asked = {} if where is None else where.content()
    if asked:
        print("shown: " + ", ".join(f"{name} {value}" for name, value in asked.items()))
    rows = table("split", "games", "positions", *(f"of the {phase}" for phase in PHASE_COLUMNS))
    for split, count in overview.counts.items():
        rows.add_row(split, *(f"{value:,}" for value in count.values()))
    console().print(rows)
    print(f"{description.read:,} games read, {sum(description.skipped.values()):,} skipped")
    for reason, games in description.skipped.items():
        example = description.examples.get(reason)
        print(f"  {games:,}: {reason}" + (f" ({example})" if example else ""))
    for reason, positions in description.left_out.items():
        print(f"  {positions:,} positions left out: {reason}")
    if overview.openings:
        rows = table("opening", "games", "positions")
        for opening in overview.openings[:_MOST_OPENINGS]:
            rows.add_row(opening.code, f"{opening.games:,}", f"{opening.positions:,}")
        console().print(rows)
    for sample in overview.samples:
        named = f" of {sample.opening}" if sample.opening else ""
        print(f"\n{sample.position.draw()}\nafter {sample.ply} plies{named}: {sample.label}")


_MOST_FILES = 6
"""The most files that are listed."""
_MOST_OPENINGS = 10
"""The most openings that are listed."""
PHASE_COLUMNS = ("opening", "middle game", "endgame")


def _source_lines(source: dict[str, Any]) -> Iterator[str]:
    if source["kind"] == "selfplay":
        told = (f"{name} {value}" for name, value in source.items() if value and name not in ("kind", "pilot", "limit"))
        limit = ", ".join(f"{name} {value}" for name, value in source["limit"].items() if name != "unit")
        yield f"from self-play of the pilot {source['pilot'][:16]}, {limit} a move: " + ", ".join(told)
    if source["kind"] == "labelled":
        limit = ", ".join(f"{name} {value}" for name, value in source["limit"].items() if name != "unit")
        yield f"positions of the set {source['set'][:16]}, labelled by the pilot {source['pilot'][:16]}, {limit} each"
    files = source.get("files", [])
    if len(files) > _MOST_FILES:
        yield f"from {len(files)} files, {sum(file['bytes'] for file in files):,} bytes"
        files = []
    for file in files:
        yield f"from {file['name']}: {file['games']:,} games, {file['bytes']:,} bytes, SHA-256 {file['sha256'][:16]}"
    for file in source.get("without", ()):
        yield f"without the positions of {file['name']}, SHA-256 {file['sha256'][:16]}"
