"""Breakthrough against two independent implementations, its ends, and its features (Skowronski 2009)."""

from __future__ import annotations

import random

import pytest

import plypilot as pp

SIZES = [(8, 8), (6, 6), (5, 7), (8, 5)]


@pytest.mark.parametrize(("files", "ranks"), SIZES)
def test_random_games_agree_with_open_spiel(files: int, ranks: int) -> None:
    """Legal moves and outcomes over 3,000 positions a board size.

    OpenSpiel's Black starts, from the top: its board is ours upside down. Its set-up has two rows a side only on
    boards of six rows or more, so smaller boards are compared from its own start.
    """
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game(f"breakthrough(rows={ranks},columns={files})")
    rows = 2 if ranks >= 6 else 1
    start = "/".join(["p" * files] * rows + [str(files)] * (ranks - 2 * rows) + ["P" * files] * rows) + " w"
    rng = random.Random(f"{files}x{ranks}")
    positions = 0
    while positions < 3000:
        state, position = game.new_initial_state(), pp.Position("breakthrough", start)
        while True:
            theirs = (
                {}
                if state.is_terminal()
                else {_upside_down(state.action_to_string(action), ranks): action for action in state.legal_actions()}
            )
            ours = {str(move).replace("-", "").replace("x", ""): move for move in position.moves()}
            assert theirs.keys() == ours.keys(), position.fen()
            outcome = position.outcome()
            assert (outcome is not None) == state.is_terminal()
            positions += 1
            if outcome is not None:
                assert outcome.winner == (0 if state.returns()[0] > 0 else 1)
                break
            text = rng.choice(sorted(ours))
            position.push(ours[text])
            state.apply_action(theirs[text])


def _upside_down(move: str, ranks: int) -> str:
    """OpenSpiel's "a7b6*" as our "a2b3"."""
    flip = {str(rank): str(ranks + 1 - rank) for rank in range(1, ranks + 1)}
    return "".join(flip.get(character, character) for character in move.rstrip("*"))


def test_random_games_agree_with_fairy_stockfish() -> None:
    """Legal moves over 1,000 positions; pyffish has no notion of a player without pieces, which play never met."""
    pyffish = pytest.importorskip("pyffish")
    rng = random.Random(2)
    positions = 0
    while positions < 1000:
        position = pp.Position("breakthrough")
        while position.outcome() is None:
            fen = position.fen() + " - - 0 1"
            ours = {str(move).replace("-", "").replace("x", "") for move in position.moves()}
            assert set(pyffish.legal_moves("breakthrough", fen, [])) == ours, fen
            positions += 1
            position.push(rng.choice(position.moves()))


@pytest.mark.parametrize(
    ("fen", "winner", "reason"),
    [
        ("P7/pppppppp/8/8/8/8/8/8 b", 0, "breakthrough"),
        ("8/8/8/8/8/8/PPPPPPPP/p7 w", 1, "breakthrough"),
        ("8/8/8/3P4/8/8/8/8 b", 0, "no pieces left"),
        ("8/8/8/3p4/8/8/8/8 w", 1, "no pieces left"),
    ],
)
def test_the_game_ends(fen: str, winner: int, reason: str) -> None:
    position = pp.Position("breakthrough", fen)
    assert position.outcome() == pp.Outcome(winner, reason)
    assert position.moves() == []


def test_capturing_the_last_piece_wins() -> None:
    position = pp.Position("breakthrough-4x4", "4/1p2/P3/4 w")
    position.push("a2xb3")
    assert position.outcome() == pp.Outcome(0, "no pieces left")


def test_an_own_piece_blocks_and_straight_moves_do_not_capture() -> None:
    position = pp.Position("breakthrough", "8/8/8/8/3p4/3P4/4P3/8 w")
    assert sorted(map(str, position.moves())) == ["d3-c4", "d3-e4", "e2-e3", "e2-f3"]


def solve(position: pp.Position, known: dict[int, int]) -> int:
    """1 if the side to move wins with best play, else -1."""
    if position.key not in known:
        outcome = position.outcome()
        if outcome is not None:
            return 1 if outcome.winner == position.turn else -1
        best = -1
        for move in position.moves():
            position.push(move)
            best = max(best, -solve(position, known))
            position.pop()
            if best > 0:
                break
        known[position.key] = best
    return known[position.key]


@pytest.mark.parametrize(("start", "winner"), [("pppp/4/4/PPPP w", 0), ("pppp/pppp/PPPP/PPPP w", 1)])
def test_small_boards_can_be_solved(start: str, winner: int) -> None:
    position = pp.Position("breakthrough", start)
    assert (solve(position, {}) > 0) == (winner == 0)


FEATURES = {feature.symbol: bit for bit, feature in enumerate(pp.game_info("breakthrough").move_features)}


def symbols(fen: str, *moves: str) -> set[str]:
    """The symbols of the last move's features."""
    position = pp.Position("breakthrough", fen)
    for move in moves[:-1]:
        position.push(move)
    mask = position.move_features(position.parse(moves[-1]))
    return {symbol for symbol, bit in FEATURES.items() if mask >> bit & 1}


def test_the_fifteen_move_features() -> None:
    assert list(FEATURES) == [
        "Ud",
        "PP",
        "Rc",
        "C",
        "Ms",
        "Rdb",
        "RdBb",
        "RdBt",
        "Rdt",
        "RdTb",
        "RdTt",
        "Edg",
        "Mr",
        "Udp",
        "Bv2",
    ]
    # A lone runner on an edge file, nothing ahead.
    assert symbols("8/8/8/8/8/6p1/P7/8 w", "a2-a3") == {"Ud", "PP", "Rdb", "RdBt", "Edg"}
    # Arrives where a piece can take it, deep in the enemy's half.
    assert symbols("8/2p5/8/3P4/8/8/8/8 w", "d5-d6") == {"Rdt", "RdTb", "Mr"}
    # Takes back the piece that just took.
    assert {"C", "Rc"} <= symbols("8/8/8/4p3/3P4/2P5/8/8 b", "e5xd4", "c3xd4")
    assert "Rc" not in symbols("p7/8/8/4p3/3P4/8/8/8 b", "a8-a7", "d4xe5")
    # Safe in front of an enemy piece; with an own piece behind, it is a block too.
    assert "Udp" in symbols("8/8/3p4/8/3P4/8/8/8 w", "d4-d5")
    assert "Bv2" not in symbols("8/8/3p4/8/3P4/8/8/8 w", "d4-d5")
    assert {"Udp", "Bv2"} <= symbols("8/8/3p4/8/2PP4/8/8/8 w", "c4-d5")
    # Most of the squares around b3 hold own pieces after the move.
    assert "Ms" in symbols("7p/8/8/8/PPP5/2P5/PPP5/8 w", "b2-b3")
    # Black sees the same from the other side.
    assert symbols("8/p7/6P1/8/8/8/8/8 b", "a7-a6") == {"Ud", "PP", "Rdb", "RdBt", "Edg"}


def test_evaluation_features_are_own_minus_the_opponents() -> None:
    position = pp.Position("breakthrough", "8/8/3p4/8/8/2P5/8/P7 w")
    assert position.features("material") == {"piece": 1}
    # The black piece stands on its own third rank, as one of White's does: they cancel.
    assert position.features("advancement") == {"piece_rank_1": 1}
    assert pp.Position("breakthrough", "8/8/3p4/8/8/2P5/8/P7 b").features("material") == {"piece": -1}


def test_safe_advancement_leaves_threatened_pieces_out() -> None:
    position = pp.Position("breakthrough", "8/8/3p4/2P5/8/8/P7/8 w")
    assert position.features("safe_advancement") == {"piece_rank_2": 1}  # c5 and d6 threaten each other


def path_lengths(own: set[tuple[int, int]], enemy: set[tuple[int, int]], files: int, ranks: int) -> dict[int, int]:
    """Moves to each square of the last rank for a side that moves up, square by square, where there is a path."""

    def waits(file: int, rank: int) -> int:
        return sum((file + aside, rank + 1) in enemy for aside in (-1, 1))

    lengths: dict[tuple[int, int], int] = {}
    for rank in range(ranks):
        for file in range(files):
            if (file, rank) in own:
                lengths[file, rank] = 0
                continue
            asides = [aside for aside in (-1, 0, 1) if aside or (file, rank) not in enemy]
            before = [lengths[file + aside, rank - 1] for aside in asides if (file + aside, rank - 1) in lengths]
            if before:
                lengths[file, rank] = min(before) + 1 + waits(file, rank)
    return {file: lengths[file, ranks - 1] for file in range(files) if (file, ranks - 1) in lengths}


@pytest.mark.parametrize(("game", "files", "ranks"), [("breakthrough", 8, 8), ("breakthrough-6x5", 6, 5)])
def test_races_are_those_of_a_plain_count(game: str, files: int, ranks: int) -> None:
    rng = random.Random(game)
    for _ in range(30):
        position = pp.Position(game)
        while position.outcome() is None:
            rows = position.fen().split()[0].split("/")
            squares: dict[str, set[tuple[int, int]]] = {"P": set(), "p": set()}
            for rank, row in enumerate(reversed(rows)):
                file = 0
                for letter in row:
                    if letter.isdigit():
                        file += int(letter)
                    else:
                        squares[letter].add((file, rank))
                        file += 1
            turned = {side: {(file, ranks - 1 - rank) for file, rank in own} for side, own in squares.items()}
            seen = [
                path_lengths(squares["P"], squares["p"], files, ranks),
                path_lengths(turned["p"], turned["P"], files, ranks),
            ]
            own, enemy = (max(1, min([7, *lengths.values()])) for lengths in seen[:: 1 if position.turn == 0 else -1])
            told = position.features("race")
            assert told[f"race_{own}_{enemy}"] == 1
            assert sum(name.startswith("race_") for name in told) == 1
            position.push(rng.choice(position.moves()))
