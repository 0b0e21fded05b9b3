"""Commands that search: search, bench, suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plypilot.bounds import LARGEST_COUNT, LONGEST_SECONDS, MOST_POSITIONS, MOST_THREADS
from plypilot.cli.help import MEASURE
from plypilot.cli.output import STOPPED, Fen, GameName, Json, Seed, console, print_json, progress, table
from plypilot.cli.pilots import Changes, find_pilot
from plypilot.score import DEEPEST

if TYPE_CHECKING:
    from rich.table import Table

    from plypilot.games import Position
    from plypilot.pilot import Pilot
    from plypilot.searcher import Iteration, Limit, Result, Statistics

PilotOption = Annotated[
    str | None, typer.Option("--pilot", metavar="F", help="A pilot file, baseline or plain; the baseline if not given.")
]
Depth = Annotated[int | None, typer.Option("--depth", min=1, max=DEEPEST, metavar="N", help="Stop after this depth.")]
NodeLimit = Annotated[
    int | None, typer.Option("--nodes", min=1, max=LARGEST_COUNT, metavar="N", help="Stop at this node.")
]
Seconds = Annotated[
    float | None, typer.Option("--time", min=0.001, max=LONGEST_SECONDS, metavar="S", help="Stop after these seconds.")
]
Threads = Annotated[
    int, typer.Option("--threads", min=1, max=MOST_THREADS, metavar="N", help="Positions searched at once.")
]


def add_to(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    app.command("search", rich_help_panel=MEASURE)(search)
    app.command("bench", rich_help_panel=MEASURE)(bench)
    app.command("suite", rich_help_panel=MEASURE)(suite)


def _limit(depth: int | None, nodes: int | None, seconds: float | None, otherwise: Limit) -> Limit:
    from plypilot.searcher import Limit

    if depth is None and nodes is None and seconds is None:
        return otherwise
    return Limit(depth=depth, nodes=nodes, seconds=seconds)


def search(
    game: GameName,
    pilot: PilotOption = None,
    fen: Fen = None,
    depth: Depth = None,
    nodes: NodeLimit = None,
    seconds: Seconds = None,
    seed: Seed = 0,
    statistics: Annotated[bool, typer.Option("--statistics", help="Count what the search decided.")] = False,
    profile: Annotated[bool, typer.Option("--profile", help="Show what part of the time goes where.")] = False,
    changes: Changes = None,
    as_json: Json = False,
) -> None:
    """Search a position and show the lines as they deepen; for 5 seconds unless a limit is given.

    Ctrl-C ends it with the best that it has found.
    """
    import plypilot as pp
    from plypilot.compute.interrupts import handling_interrupts
    from plypilot.score import score_text
    from plypilot.searcher import Limit, Searcher
    from plypilot.spelling import short_line

    steering = find_pilot(pilot or "baseline", changes or (), game)
    position = pp.Position(steering.game, fen)
    limit = _limit(depth, nodes, seconds, Limit(seconds=5.0))
    if statistics and profile:
        raise typer.BadParameter("--statistics and --profile are two searches: name one of them")

    def tell(iteration: Iteration) -> None:
        score, line = score_text(iteration.score), " ".join(short_line(position, iteration.whole_pv))
        print(f"{iteration.depth:5} {score:>8} {iteration.nodes.all:>12} {iteration.seconds:8.2f}  {line}", flush=True)

    if not as_json:
        print(f"{'depth':>5} {'score':>8} {'nodes':>12} {'seconds':>8}  line")
    searcher = Searcher(steering, seed=seed)
    stopped: list[bool] = []

    def stop(*_: object) -> None:
        stopped.append(True)
        searcher.stop()

    with handling_interrupts(stop):
        result = searcher.search(
            position,
            limit,
            on_iteration=None if as_json else tell,
            statistics="moves" if statistics else "time" if profile else False,
        )
    if as_json:
        print_json(_result_json(steering, position, result))
        raise typer.Exit(STOPPED if stopped else 0)
    rate = result.nodes.all / max(result.seconds, 1e-9)
    move = "none, the game has ended" if result.move is None else str(result.move)
    said = "stopped: " if stopped else ""
    print(f"{said}best move {move}, {score_text(result.score)}, {result.nodes.all} nodes {rate:.0f} nps")
    if statistics:
        _show_statistics(steering, result)
    elif profile:
        _show_profile(result)
    raise typer.Exit(STOPPED if stopped else 0)


def _result_json(pilot: Pilot, position: Position, result: Result) -> dict[str, Any]:
    return {
        "game": pilot.game,
        "pilot": pilot.digest,
        "fen": position.fen(),
        "move": None if result.move is None else str(result.move),
        "score": result.score,
        "pv": [str(move) for move in result.pv],
        "continuation": [str(move) for move in result.continuation],
        "depth": result.depth,
        "nodes": result.nodes.as_dict(),
        "seconds": result.seconds,
        "stopped": result.stopped,
        "iterations": [
            {"depth": done.depth, "score": done.score, "nodes": done.nodes.all, "pv": [str(move) for move in done.pv]}
            for done in result.iterations
        ],
        "statistics": None if result.statistics is None else _statistics_json(result.statistics),
    }


def _statistics_json(counted: Statistics) -> dict[str, Any]:
    derived = ("interior", "leaves", "quiescence", "table_cuts", "first_move_rate")
    told = counted.as_dict() | {name: getattr(counted, name) for name in derived}
    return {name: value.tolist() if hasattr(value, "tolist") else value for name, value in told.items()}


def _show_statistics(pilot: Pilot, result: Result) -> None:
    import plypilot as pp

    counted = result.statistics
    assert counted is not None
    moves, cutoffs = max(counted.moves, 1), max(sum(counted.cutoffs), 1)
    rows = table("statistic", "value")
    for name, value in (
        ("nodes", result.nodes.all),
        ("interior nodes", counted.interior),
        ("leaves", counted.leaves),
        ("quiescence nodes", counted.quiescence),
        ("singular detection", result.nodes.singular),
        ("recapture detection", result.nodes.recapture),
        ("nodes by how they ended", _counts_text(counted.endings)),
        ("deepest ply", counted.deepest),
        ("branching factor", f"{result.branching_factor:.2f}"),
        ("cut-offs by the first move", f"{counted.first_move_rate:.1%}"),
        ("cut-offs by rank", " ".join(map(str, counted.cutoffs[:8])) + " ..."),
        ("cut-offs by stage", ", ".join(f"{stage} {n / cutoffs:.1%}" for stage, n in counted.stage_cutoffs.items())),
        ("table hits", f"{counted.table_hits / max(counted.table_probes, 1):.1%} of {counted.table_probes}"),
        ("table cut-offs", f"{counted.table_cuts / max(counted.table_probes, 1):.1%}"),
        ("table in use", f"{result.table_permill / 10:.1f}%"),
        ("moves that cost less than a ply", f"{counted.extended / moves:.1%} of {counted.moves}"),
        ("moves tried at less depth first", f"{counted.reduced / moves:.1%}"),
        ("moves skipped", _counts_text(counted.skipped)),
    ):
        rows.add_row(name, str(value))
    console().print(rows)
    if pilot.depth.categories:
        console().print(_category_table(pilot, counted))
    features = table("move feature", "of the moves searched")
    for feature, number in zip(pp.game_info(pilot.game).move_features, counted.features, strict=False):
        features.add_row(feature.name, f"{number / moves:.1%}")
    console().print(features)


def _counts_text(counts: dict[str, int]) -> str:
    """The counts that are not 0."""
    return ", ".join(f"{word} {number}" for word, number in counts.items() if number) or "none"


def _category_table(pilot: Pilot, counted: Statistics) -> Table:
    """Each category that occurred, with the part of all moves that it set the cost of, and how many of these cut."""
    rows = table("category", "plies", "of the moves searched", "mean rank", "cut")
    names = [(" and ".join(features) or "every move", f"{plies:g}") for features, plies in pilot.depth.categories]
    for (name, plies), searched, cut in zip(
        [*names, ("in no category", "1")], counted.category_moves, counted.category_cutoffs, strict=True
    ):
        number = int(searched.sum())
        if not number:
            continue
        mean_rank = sum(rank * int(count) for rank, count in enumerate(searched)) / number
        rows.add_row(
            name,
            plies,
            f"{number / counted.moves:.1%}",
            f"{mean_rank:.1f}",
            f"{cut.sum() / number:.1%}",
        )
    return rows


def _show_profile(result: Result) -> None:
    assert result.statistics is not None
    rows = table("part", "of the time")
    for part, seconds in result.statistics.seconds.items():
        rows.add_row(part, f"{seconds / max(result.seconds, 1e-9):.1%}")
    console().print(rows)


def bench(
    game: Annotated[str | None, typer.Argument(metavar="[GAME]", help="One game; else all native ones.")] = None,
    pilot: PilotOption = None,
    depth: Depth = None,
    threads: Threads = 1,
    changes: Changes = None,
    as_json: Json = False,
) -> None:
    """Count the nodes of fixed searches: the same number on every run, and the rate."""
    import plypilot as pp
    from plypilot import suite as suites

    games = [game] if game else [info.name for info in pp.all_games()]
    runs = []
    for name in games:
        run = suites.bench(find_pilot(pilot or "baseline", changes or (), name), depth=depth, threads=threads)
        runs.append(run)
        if not as_json:
            print(f"{name:13} {run.nodes} nodes {run.nodes / max(run.seconds, 1e-9):.0f} nps", flush=True)
    nodes, seconds = sum(run.nodes for run in runs), sum(run.seconds for run in runs)
    if as_json:
        print_json({"nodes": nodes, "seconds": seconds, "games": [vars(run) for run in runs]})
    else:
        print(f"{nodes} nodes {nodes / max(seconds, 1e-9):.0f} nps")


def suite(
    file: Annotated[Path, typer.Argument(metavar="FILE.epd", help="A suite with best moves or moves to avoid.")],
    game: Annotated[
        str | None,
        typer.Option(
            "--game", metavar="G", help="Its game; else as its first line says, and chess where that is silent."
        ),
    ] = None,
    pilot: PilotOption = None,
    depth: Depth = None,
    nodes: NodeLimit = None,
    seconds: Seconds = None,
    threads: Threads = 1,
    first: Annotated[
        int | None, typer.Option("--first", min=1, max=MOST_POSITIONS, metavar="N", help="Only the first N.")
    ] = None,
    until_solved: Annotated[
        bool, typer.Option("--until-solved", help="End each search with the first depth that has the right move.")
    ] = False,
    needs_win: Annotated[
        bool, typer.Option("--needs-win", help="Where a forced win is to be found, the score must be a win too.")
    ] = False,
    all_rows: Annotated[bool, typer.Option("--all", help="List the solved positions too.")] = False,
    changes: Changes = None,
    as_json: Json = False,
) -> None:
    """Solve a suite of positions; 200,000 nodes each unless a limit is given.

    In chess a suite is EPD. Other games write the position, " ; " and operations alike; docs/data.md has the format.
    """
    from plypilot.data import RecordError, read_epd, suite_game
    from plypilot.data.game_names import find_game
    from plypilot.score import score_text
    from plypilot.searcher import Limit
    from plypilot.suite import solve

    text = file.read_text("utf-8", "replace")
    try:
        named = game or find_game(suite_game(text), None)
    except RecordError as unknown:
        raise RecordError(f"{file}: {unknown} (--game)") from unknown
    steering = find_pilot(pilot or "baseline", changes or (), named)
    read = read_epd(text, steering.game)
    refused = [line for line in read if isinstance(line, RecordError)]
    items = [item for item in read if not isinstance(item, RecordError) and (item.best or item.avoid)][:first]
    if not items:
        why = f"; {refused[0]}" if refused else ""
        raise ValueError(f"{file}: no position with a best move (bm) or a move to avoid (am){why}")
    with progress() as bar:
        task = bar.add_task(file.name, total=len(items))
        solutions = solve(
            steering,
            items,
            _limit(depth, nodes, seconds, Limit(nodes=200_000)),
            threads=threads,
            until="solved" if until_solved else "limit",
            needs_win=needs_win,
            on_solution=lambda _: bar.update(task, advance=1),
        )
    solved = [solution for solution in solutions if solution.solved]
    efforts = [solution.effort for solution in solved if solution.effort is not None]
    mean = sum(efforts) / len(efforts) if efforts else 0.0
    if as_json:
        print_json(
            {
                "file": file.name,
                "game": steering.game,
                "pilot": steering.digest,
                "positions": len(items),
                "refused": [str(line) for line in refused],
                "solved": len(solved),
                "mean_effort": mean,
                "solutions": [
                    {
                        "id": solution.item.id,
                        "solved": solution.solved,
                        "move": str(solution.result.move),
                        "score": solution.result.score,
                        "effort": solution.effort,
                        "depth": solution.depth,
                        "nodes": solution.result.nodes.all,
                    }
                    for solution in solutions
                ],
            }
        )
        return
    rows = table("position", "expected", "played", "score", "depth", "effort")
    for solution in solutions:
        if solution.solved and not all_rows:
            continue
        expected = " ".join(solution.item.best) or "not " + " ".join(solution.item.avoid)
        played = "-" if solution.result.move is None else solution.item.position().san(solution.result.move)
        effort = "" if solution.effort is None else str(solution.effort)
        rows.add_row(
            solution.item.id,
            expected,
            played,
            score_text(solution.result.score),
            str(solution.depth or solution.result.depth),
            effort,
        )
    if rows.row_count:
        console().print(rows)
    for error in refused:
        print(f"refused: {error}")
    print(f"{len(solved)} of {len(items)} solved, {mean:.0f} nodes a solution")
