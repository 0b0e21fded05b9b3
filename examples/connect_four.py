"""Connect Four in Python. Try it in this folder: ``plypilot check-game connect_four:ConnectFour``."""

from typing import NamedTuple

import plypilot as pp

WIDTH, HEIGHT, COLUMN = 7, 6, 7  # one bit above each column stays empty, so that lines do not run over its top


class State(NamedTuple):
    """The discs of the player to move and of the other; bit = column * 7 + row."""

    own: int
    enemy: int


def has_four(discs: int) -> bool:
    """Whether four discs stand in a line: down, along and in both diagonals."""
    for step in (1, COLUMN, COLUMN - 1, COLUMN + 1):
        pairs = discs & discs >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


SQUARES = [(column, row) for column in range(WIDTH) for row in range(HEIGHT)]
LINES = [
    sum(1 << (column + i * dx) * COLUMN + row + i * dy for i in range(4))
    for column, row in SQUARES
    for dx, dy in ((0, 1), (1, 0), (1, 1), (1, -1))
    if column + 3 * dx < WIDTH and 0 <= row + 3 * dy < HEIGHT
]


class ConnectFour(pp.Game):
    """Drop a disc into one of seven columns; four in a line win."""

    title = "Connect Four"
    sides = ("X", "O")
    feature_names = ("two_in_open_line", "three_in_open_line", "centre")
    board_names = tuple(f"{owner}_{'abcdefg'[c]}{r + 1}" for owner in ("own", "enemy") for c, r in SQUARES)
    move_feature_list = (
        pp.MoveFeature("Ce", "centre", "column", text="into the middle column"),
        pp.MoveFeature("Ed", "edge", "column", text="into an outer column"),
    )
    index_sizes = (1, WIDTH, 1)

    def start(self) -> State:
        """Begin with the empty board."""
        return State(0, 0)

    def moves(self, state: State) -> list[int]:
        """Columns that are not full, the middle ones first."""
        full = state.own | state.enemy
        return [column for column in (3, 2, 4, 1, 5, 0, 6) if not full >> column * COLUMN + HEIGHT - 1 & 1]

    def play(self, state: State, move: int) -> State:
        """Adding one to the bottom of a column carries to its lowest empty square."""
        full = state.own | state.enemy
        disc = (full + (1 << move * COLUMN)) & ~full & (1 << COLUMN) - 1 << move * COLUMN
        return State(state.enemy, state.own | disc)

    def outcome(self, state: State) -> int | None:
        """Only the player who just moved can have won."""
        if has_four(state.enemy):
            return -1
        return None if self.moves(state) else 0

    def text(self, move: int) -> str:
        """Columns are written a to g."""
        return "abcdefg"[move]

    def index(self, move: int) -> tuple[int, int, int]:
        """Tell moves apart by their column alone."""
        return (0, move, 0)

    def features(self, state: State) -> list[float]:
        """Open lines of two and three discs, and discs in the middle column: own minus the opponent's."""
        twos = threes = 0
        for mine, theirs, sign in ((state.own, state.enemy, 1), (state.enemy, state.own, -1)):
            counts = [(mine & line).bit_count() for line in LINES if not theirs & line]
            twos, threes = twos + sign * counts.count(2), threes + sign * counts.count(3)
        own, enemy = ((discs >> 3 * COLUMN & (1 << COLUMN) - 1).bit_count() for discs in state)
        return [twos, threes, own - enemy]

    def board(self, state: State) -> list[float]:
        """One number for each square and owner."""
        return [float(discs >> column * COLUMN + row & 1) for discs in state for column, row in SQUARES]

    def move_features(self, _state: State, move: int) -> list[str]:
        """Name the kind of column."""
        return ["centre"] if move == 3 else ["edge"] if move in (0, 6) else []

    def draw(self, state: State) -> str:
        """X moved first."""
        first, second = state if (state.own | state.enemy).bit_count() % 2 == 0 else reversed(state)
        discs = [(first >> c * COLUMN + r & 1) + 2 * (second >> c * COLUMN + r & 1) for c, r in SQUARES]
        rows = [discs[r::HEIGHT] for r in range(HEIGHT)]
        return "\n".join([*(" ".join("·XO"[disc] for disc in row) for row in reversed(rows)), "a b c d e f g"])
