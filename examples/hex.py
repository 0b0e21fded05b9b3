"""Hex in Python, a game of connection. Try it in this folder: ``plypilot check-game hex:Hex``."""

from collections import deque
from typing import NamedTuple

import plypilot as pp

SIZE = 5  # 11 is usual; a small board is learned sooner
CELLS = [(x, y) for y in range(SIZE) for x in range(SIZE)]
NAMES = {cell: f"{'abcdefghijk'[cell[0]]}{cell[1] + 1}" for cell in CELLS}
AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
NEIGHBOURS = {(x, y): [(x + dx, y + dy) for dx, dy in AROUND if (x + dx, y + dy) in NAMES] for x, y in CELLS}


class State(NamedTuple):
    """The stones of the two players, and who is to move. The first joins left to right, the second bottom to top."""

    stones: tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]] = (frozenset(), frozenset())
    player: int = 0


def missing(state: State, player: int) -> int:
    """How many stones a player needs at least to join both edges: 0 is a win, and there is always one who can."""
    own, enemy = state.stones[player], state.stones[1 - player]
    near = [cell for cell in CELLS if cell[player] == 0 and cell not in enemy]
    costs = {cell: int(cell not in own) for cell in near}
    queue = deque(sorted(near, key=lambda cell: costs[cell]))
    while queue:  # a cell that has a stone already costs nothing and goes to the front
        cell = queue.popleft()
        for neighbour in NEIGHBOURS[cell]:
            cost = costs[cell] + (neighbour not in own)
            if neighbour not in enemy and cost < costs.get(neighbour, SIZE * SIZE):
                costs[neighbour] = cost
                (queue.appendleft if neighbour in own else queue.append)(neighbour)
    return min((cost for cell, cost in costs.items() if cell[player] == SIZE - 1), default=SIZE * SIZE)


class Hex(pp.Game):
    """Place a stone; whoever joins the own two edges by a chain of stones wins. There is no draw."""

    sides = ("Red", "Blue")
    feature_names = ("stones_missing", "stones_near_the_middle")
    board_names = tuple(f"{owner}_{name}" for owner in ("own", "enemy") for name in NAMES.values())
    index_sizes = (1, SIZE * SIZE, 1)

    def start(self) -> State:
        """Begin with the empty board."""
        return State()

    def moves(self, state: State) -> list[tuple[int, int]]:
        """The empty cells, those in the middle first."""
        empty = [cell for cell in CELLS if cell not in state.stones[0] and cell not in state.stones[1]]
        return sorted(empty, key=lambda cell: abs(2 * cell[0] - SIZE + 1) + abs(2 * cell[1] - SIZE + 1))

    def play(self, state: State, move: tuple[int, int]) -> State:
        """Add a stone of the player to move."""
        red, blue = state.stones
        return State((red | {move}, blue) if state.player == 0 else (red, blue | {move}), 1 - state.player)

    def outcome(self, state: State) -> int | None:
        """Only the player who just moved can have won."""
        return -1 if missing(state, 1 - state.player) == 0 else None

    def text(self, move: tuple[int, int]) -> str:
        """Cells are written as on a chess board."""
        return NAMES[move]

    def index(self, move: tuple[int, int]) -> tuple[int, int, int]:
        """Tell moves apart by their cell."""
        return (0, move[0] + SIZE * move[1], 0)

    def features(self, state: State) -> list[float]:
        """What the opponent lacks more than the player to move, and stones within a step of the middle."""
        me, middle = state.player, (SIZE // 2, SIZE // 2)
        near = [len(stones & {middle, *NEIGHBOURS[middle]}) for stones in state.stones]
        return [missing(state, 1 - me) - missing(state, me), near[me] - near[1 - me]]

    def board(self, state: State) -> list[float]:
        """One number for each cell and owner."""
        return [float(cell in state.stones[side]) for side in (state.player, 1 - state.player) for cell in CELLS]

    def draw(self, state: State) -> str:
        """Red joins left and right, Blue bottom and top; each row stands half a cell further to the left."""
        rows = []
        for y in reversed(range(SIZE)):
            row = ["RB"[cell in state.stones[1]] if cell in state.stones[0] | state.stones[1] else "·"
                   for cell in CELLS if cell[1] == y]  # fmt: skip
            rows.append(" " * y + f"{y + 1} " + " ".join(row))
        return "\n".join([*rows, "  " + " ".join("abcdefghijk"[:SIZE])])
