"""Commands about games and their rules: games, features, perft, show, check-game."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from plypilot.bounds import MOST_GAMES, MOST_THREADS
from plypilot.cli.help import RULES
from plypilot.cli.output import Fen, GameName, Json, Seed, console, print_json, progress, table
from plypilot.game_name import is_python_game


def add_to(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    app.command("games", rich_help_panel=RULES)(list_games)
    app.command("features", rich_help_panel=RULES)(list_features)
    app.command("perft", rich_help_panel=RULES)(count_perft)
    app.command("show", rich_help_panel=RULES)(show)
    app.command("check-game", rich_help_panel=RULES)(check)


def list_games(as_json: Json = False) -> None:
    """List the games."""
    import plypilot as pp

    infos = pp.all_games()
    if as_json:
        keys = ("name", "title", "sides", "files", "ranks", "start_fen", "notation", "index_sizes")
        print_json([{key: getattr(info, key) for key in keys} for info in infos])
        return
    rows = table("game", "", "players", "board", "moves")
    for info in infos:
        rows.add_row(info.name, info.title, ", ".join(info.sides), f"{info.files}x{info.ranks}", info.notation)
    console().print(rows)
    print("Breakthrough also on smaller boards, from breakthrough-4x4. Your own game: module:Class.")


def list_features(
    game: GameName,
    only: Annotated[
        str | None, typer.Option("--set", metavar="NAME", help="List the features of one evaluation set.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the atomic move features and the evaluation features of a game."""
    import plypilot as pp

    info = pp.game_info(game)
    sets = {feature_set.name: feature_set for feature_set in info.feature_sets}
    if only is not None and only not in sets:
        raise ValueError(f'{game} has no feature set "{only}"; there are: {", ".join(sets) or "none"}')
    if as_json:
        chosen = [sets[only]] if only else info.feature_sets
        features = [] if only else [feature._asdict() for feature in info.move_features]
        print_json({"move_features": features, "feature_sets": [feature_set._asdict() for feature_set in chosen]})
        return
    if only:
        print("\n".join(sets[only].features))
        return
    moves = table("bit", "symbol", "move feature", "group", "parent", "meaning")
    for bit, feature in enumerate(info.move_features):
        moves.add_row(str(bit), feature.symbol, feature.name, feature.group, feature.parent, feature.text)
    evaluation = table("evaluation set", "features", "what it counts", "such as")
    for feature_set in info.feature_sets:
        such_as = ", ".join(feature_set.features[:3]) + (", ..." if len(feature_set.features) > 3 else "")
        evaluation.add_row(feature_set.name, str(len(feature_set.features)), feature_set.text, such_as)
    console().print(moves)
    console().print(evaluation)


def count_perft(
    game: GameName,
    depth: Annotated[int, typer.Argument(metavar="DEPTH", min=0, max=100, help="Plies.")],
    fen: Fen = None,
    divide: Annotated[bool, typer.Option("--divide", help="Count each first move apart.")] = False,
    threads: Annotated[int, typer.Option("--threads", min=1, max=MOST_THREADS, metavar="N", help="Threads.")] = 1,
    as_json: Json = False,
) -> None:
    """Count the move sequences of a length, the standard proof of a move generator."""
    import plypilot as pp

    position = pp.Position(game, fen)
    moves = position.moves()
    parts: dict[pp.Move, int] = {}
    started = time.perf_counter()
    with progress() as bar:
        task = bar.add_task(f"perft {depth}", total=len(moves))

        def note(move: pp.Move, nodes: int) -> None:
            parts[move] = nodes
            bar.update(task, advance=1)

        nodes = pp.perft(position, depth, threads=threads, on_part=note)
    seconds = time.perf_counter() - started
    counts = {str(move): parts[move] for move in moves if move in parts}
    if as_json:
        figures = {"game": game, "fen": position.fen(), "depth": depth, "nodes": nodes, "seconds": seconds}
        print_json(figures | ({"divide": counts} if divide else {}))
        return
    if divide:
        for text, part in counts.items():
            print(f"{text} {part}")
    print(f"{nodes} nodes {nodes / max(seconds, 1e-9):.0f} nps")


def show(game: GameName, fen: Fen = None, as_json: Json = False) -> None:
    """Draw a position, with its moves and how the game stands."""
    import plypilot as pp

    position = pp.Position(game, fen)
    outcome, moves = position.outcome(), [str(move) for move in position.moves()]
    sides = pp.game_info(game).sides
    if as_json:
        ended = None if outcome is None else {"winner": outcome.winner, "reason": outcome.reason}
        print_json(
            {
                "game": game,
                "fen": position.fen(),
                "turn": position.turn,
                "key": f"{position.key:016x}",
                "moves": moves,
                "outcome": ended,
            }
        )
        return
    print(position.draw())
    print(f"\nfen: {position.fen()}")
    if outcome is not None:
        winner = "a draw" if outcome.winner is None else f"{sides[outcome.winner]} has won"
        print(f"{winner}: {outcome.reason}")
    else:
        print(f"{len(moves)} moves: {' '.join(moves)}")


def _how_it_is_judged(game: str) -> str:
    """What there is to learn of a user's game."""
    import plypilot as pp

    if any(features.name == "features" for features in pp.game_info(game).feature_sets):
        return f"its features have no weights yet: plypilot train td {game} learns them"
    return (
        "its positions are judged by nothing but the end of the game: define features and feature_names, "
        f"and plypilot train td {game} learns what they are worth"
    )


def check(
    game: Annotated[str, typer.Argument(metavar="MODULE:CLASS", help="Your class, or the name of a game.")],
    games: Annotated[
        int, typer.Option("--games", min=1, max=MOST_GAMES, metavar="N", help="Random games to play.")
    ] = 20,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Check that a game keeps its promises, and explain each failure in a sentence."""
    import plypilot as pp

    with progress() as bar:
        task = bar.add_task(f"checking {game}", total=games)
        failures = pp.check_game(game, games=games, seed=seed, on_game=lambda done: bar.update(task, completed=done))
    if as_json:
        print_json({"game": game, "games": games, "seed": seed, "failures": [vars(failure) for failure in failures]})
    elif failures:
        for failure in failures:
            print(f"failed  {failure}")
    else:
        print(f"ok: {game} kept every promise in {games} random games")
        if is_python_game(game):
            print(_how_it_is_judged(game))
    if failures:
        raise typer.Exit(1)
