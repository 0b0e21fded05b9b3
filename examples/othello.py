"""Othello in Python, a game of flipping. Try it in this folder: ``plypilot check-game othello:Othello``."""

from typing import NamedTuple

import plypilot as pp

SIZE = 6  # 8 is usual; a small board is learned sooner
SQUARES = [(x, y) for y in range(SIZE) for x in range(SIZE)]
NAMES = {square: f"{'abcdefgh'[square[0]]}{square[1] + 1}" for square in SQUARES}
CORNERS = {(x, y) for x, y in SQUARES if x in (0, SIZE - 1) and y in (0, SIZE - 1)}
BESIDE_CORNERS = {(x, y) for x, y in SQUARES if x in (0, 1, SIZE - 2, SIZE - 1) and y in (0, 1, SIZE - 2, SIZE - 1)}
BESIDE_CORNERS -= CORNERS
PASS = (-1, -1)


def ray(x: int, y: int, dx: int, dy: int) -> list[tuple[int, int]]:
    """The squares from a square on in one direction."""
    return [square for i in range(1, SIZE) if (square := (x + i * dx, y + i * dy)) in NAMES]


DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
RAYS = {(x, y): [ray(x, y, dx, dy) for dx, dy in DIRECTIONS if ray(x, y, dx, dy)] for x, y in SQUARES}


class State(NamedTuple):
    """The discs of the player to move and of the other, and who is to move."""

    own: frozenset[tuple[int, int]]
    enemy: frozenset[tuple[int, int]]
    player: int = 0


def flips(state: State, square: tuple[int, int]) -> list[tuple[int, int]]:
    """The discs that turn over where the player to move places one."""
    flipped: list[tuple[int, int]] = []
    for line in RAYS[square]:
        length = next((i for i, passed in enumerate(line) if passed not in state.enemy), len(line))
        if length < len(line) and line[length] in state.own:
            flipped += line[:length]
    return flipped


def places(state: State) -> list[tuple[int, int]]:
    """The empty squares where a disc turns others over."""
    taken = state.own | state.enemy
    return [square for square in SQUARES if square not in taken and flips(state, square)]


class Othello(pp.Game):
    """Place a disc so that it encloses others, which turn over; most discs win. Who has no place must pass."""

    sides = ("Black", "White")
    feature_names = ("corners", "beside_corners", "places", "discs")
    index_sizes = (1, SIZE * SIZE + 1, 1)

    def start(self) -> State:
        """Begin with four discs in the middle."""
        low, high = SIZE // 2 - 1, SIZE // 2
        return State(frozenset({(low, low), (high, high)}), frozenset({(low, high), (high, low)}))

    def moves(self, state: State) -> list[tuple[int, int]]:
        """The places, or a pass where there is none."""
        return places(state) or [PASS]

    def play(self, state: State, move: tuple[int, int]) -> State:
        """Place and turn over, then see the board from the other side."""
        turned = flips(state, move) if move != PASS else []
        own = state.own.union(turned, [move] if move != PASS else [])
        return State(state.enemy.difference(turned), own, 1 - state.player)

    def outcome(self, state: State) -> int | None:
        """Count the discs once neither side has a place: the opponent sees the same board from the other side."""
        if places(state) or places(State(state.enemy, state.own)):
            return None
        return (len(state.own) > len(state.enemy)) - (len(state.own) < len(state.enemy))

    def text(self, move: tuple[int, int]) -> str:
        """Squares are written as on a chess board."""
        return NAMES.get(move, "pass")

    def index(self, move: tuple[int, int]) -> tuple[int, int, int]:
        """Tell moves apart by their square."""
        return (0, move[0] + SIZE * move[1] if move != PASS else SIZE * SIZE, 0)

    def features(self, state: State) -> list[float]:
        """Corners, squares beside them, places to move to, and discs: own minus the opponent's."""
        counts = [len(state.own & squares) - len(state.enemy & squares) for squares in (CORNERS, BESIDE_CORNERS)]
        return [
            *counts,
            len(places(state)) - len(places(State(state.enemy, state.own))),
            len(state.own) - len(state.enemy),
        ]

    def draw(self, state: State) -> str:
        """Black is X."""
        black, white = (state.own, state.enemy) if state.player == 0 else (state.enemy, state.own)
        signs = {square: "X" if square in black else "O" if square in white else "·" for square in SQUARES}
        rows = [f"{y + 1} " + " ".join(signs[x, y] for x in range(SIZE)) for y in reversed(range(SIZE))]
        return "\n".join([*rows, "  " + " ".join("abcdefgh"[:SIZE])])
