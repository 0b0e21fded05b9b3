"""Commands that search: search, bench, suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plypilot.cli.output import Fen, GameName, Json, console, print_json, progress, table
from plypilot.cli.pilots import Changes, find_pilot

if TYPE_CHECKING:
    from plypilot.pilot import Pilot
    from plypilot.searcher import Iteration, Limit

PilotOption = Annotated[
    str | None, typer.Option("--pilot", metavar="F", help="A pilot file, baseline or plain; the baseline if not given.")
]
Depth = Annotated[int | None, typer.Option("--depth", min=1, max=249, metavar="N", help="Stop after this depth.")]
NodeLimit = Annotated[int | None, typer.Option("--nodes", min=1, metavar="N", help="Stop at this node.")]
Seconds = Annotated[float | None, typer.Option("--time", min=0.001, metavar="S", help="Stop after these seconds.")]
Threads = Annotated[int, typer.Option("--threads", min=1, max=1024, metavar="N", help="Positions searched at once.")]


def add_to(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    app.command("search")(search)
    app.command("bench")(bench)
    app.command("suite")(suite)


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
    seed: Annotated[int, typer.Option("--seed", min=0, help="Decides what the pilot leaves to chance.")] = 0,
    statistics: Annotated[bool, typer.Option("--statistics", help="Count what the search decided.")] = False,
    changes: Changes = None,
    as_json: Json = False,
) -> None:
    """Search a position and show the lines as they deepen."""
    import plypilot as pp
    from plypilot.searcher import Limit, Searcher, score_text

    steering = find_pilot(pilot or "baseline", changes or (), game)
    position = pp.Position(steering.game, fen)
    limit = _limit(depth, nodes, seconds, Limit(seconds=5.0))

    def tell(iteration: Iteration) -> None:
        score, line = score_text(iteration.score), " ".join(_texts(position, iteration.pv))
        print(f"{iteration.depth:5} {score:>8} {iteration.nodes.all:>12} {iteration.seconds:8.2f}  {line}", flush=True)

    if not as_json:
        print(f"{'depth':>5} {'score':>8} {'nodes':>12} {'seconds':>8}  line")
    found = Searcher(steering, seed=seed).search(
        position, limit, on_iteration=None if as_json else tell, statistics=statistics
    )
    if as_json:
        print_json(_result_json(steering, position, found))
        return
    rate = found.nodes.all / max(found.seconds, 1e-9)
    move = "none, the game has ended" if found.move is None else str(found.move)
    print(f"best move {move}, {score_text(found.score)}, {found.nodes.all} nodes {rate:.0f} nps")
    if found.statistics:
        _show_statistics(steering.game, found)


def _texts(position: Any, line: list[Any]) -> list[str]:
    """A line in the short notation of the game."""
    walk = position.copy()
    texts = []
    for move in line:
        texts.append(walk.san(move))
        walk.push(move)
    return texts


def _result_json(pilot: Pilot, position: Any, found: Any) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "game": pilot.game,
        "pilot": pilot.digest,
        "fen": position.fen(),
        "move": None if found.move is None else str(found.move),
        "score": found.score,
        "pv": [str(move) for move in found.pv],
        "depth": found.depth,
        "nodes": asdict(found.nodes),
        "seconds": found.seconds,
        "stopped": found.stopped,
        "iterations": [
            {"depth": each.depth, "score": each.score, "nodes": each.nodes.all, "pv": [str(move) for move in each.pv]}
            for each in found.iterations
        ],
        "statistics": None if found.statistics is None else asdict(found.statistics),
    }


def _show_statistics(game: str, found: Any) -> None:
    import plypilot as pp

    counted = found.statistics
    rows = table("statistic", "value")
    for name, value in (
        ("nodes", found.nodes.all),
        ("interior nodes", counted.interior),
        ("leaves", counted.leaves),
        ("quiescence nodes", counted.quiescence),
        ("singular detection", found.nodes.singular),
        ("recapture detection", found.nodes.recapture),
        ("deepest ply", counted.deepest),
        ("branching factor", f"{found.branching_factor:.2f}"),
        ("cut-offs by the first move", f"{counted.first_move_rate:.1%}"),
        ("cut-offs by rank", " ".join(map(str, counted.cutoffs[:8])) + " ..."),
        ("table hits", f"{counted.table_hits / max(counted.table_probes, 1):.1%} of {counted.table_probes}"),
        ("table cut-offs", f"{counted.table_cuts / max(counted.table_probes, 1):.1%}"),
        ("table in use", f"{found.table_permill / 10:.1f}%"),
        *((f"time {part}", f"{seconds / max(found.seconds, 1e-9):.1%}") for part, seconds in counted.seconds.items()),
        ("moves that cost less than a ply", f"{counted.extended / max(counted.moves, 1):.1%} of {counted.moves}"),
    ):
        rows.add_row(name, str(value))
    console().print(rows)
    features = table("move feature", "of the moves searched")
    for feature, number in zip(pp.game_info(game).move_features, counted.features, strict=False):
        features.add_row(feature.name, f"{number / max(counted.moves, 1):.1%}")
    console().print(features)


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
    pilot: PilotOption = None,
    depth: Depth = None,
    nodes: NodeLimit = None,
    seconds: Seconds = None,
    threads: Threads = 1,
    first: Annotated[int | None, typer.Option("--first", min=1, metavar="N", help="Only the first N.")] = None,
    all_rows: Annotated[bool, typer.Option("--all", help="List the solved positions too.")] = False,
    changes: Changes = None,
    as_json: Json = False,
) -> None:
    """Solve a suite of chess positions; 200,000 nodes each unless a limit is given."""
    from plypilot.data import RecordError, read_epd
    from plypilot.searcher import Limit, score_text
    from plypilot.suite import solve

    steering = find_pilot(pilot or "baseline", changes or (), "chess")
    read = read_epd(file.read_text("utf-8", "replace"))
    refused = [each for each in read if isinstance(each, RecordError)]
    items = [each for each in read if not isinstance(each, RecordError) and (each.best or each.avoid)][:first]
    if not items:
        raise ValueError(f"{file}: no position with a best move (bm) or a move to avoid (am)")
    with progress() as bar:
        task = bar.add_task(file.name, total=len(items))
        solutions = solve(
            steering,
            items,
            _limit(depth, nodes, seconds, Limit(nodes=200_000)),
            threads=threads,
            on_solution=lambda _: bar.update(task, advance=1),
        )
    solved = [each for each in solutions if each.solved]
    efforts = [each.effort for each in solved if each.effort is not None]
    mean = sum(efforts) / len(efforts) if efforts else 0.0
    if as_json:
        print_json(
            {
                "file": file.name,
                "pilot": steering.digest,
                "positions": len(items),
                "refused": [str(each) for each in refused],
                "solved": len(solved),
                "mean_effort": mean,
                "solutions": [
                    {
                        "id": each.item.id,
                        "solved": each.solved,
                        "move": str(each.result.move),
                        "score": each.result.score,
                        "effort": each.effort,
                        "depth": each.depth,
                        "nodes": each.result.nodes.all,
                    }
                    for each in solutions
                ],
            }
        )
        return
    rows = table("position", "expected", "played", "score", "depth", "effort")
    for each in solutions:
        if each.solved and not all_rows:
            continue
        expected = " ".join(each.item.best) or "not " + " ".join(each.item.avoid)
        played = "-" if each.result.move is None else each.item.position().san(each.result.move)
        effort = "" if each.effort is None else str(each.effort)
        rows.add_row(
            each.item.id, expected, played, score_text(each.result.score), str(each.depth or each.result.depth), effort
        )
    if rows.row_count:
        console().print(rows)
    for error in refused:
        print(f"refused: {error}")
    print(f"{len(solved)} of {len(items)} solved, {mean:.0f} nodes a solution")
