"""Dots and Boxes in Python, a game in which turns need not alternate: whoever completes a box moves again.

Try it in this folder: ``plypilot check-game dots_and_boxes:DotsAndBoxes``.
"""

from typing import NamedTuple

import plypilot as pp

WIDTH, HEIGHT = 3, 2  # in boxes
DOTS = [(x, y) for y in range(HEIGHT + 1) for x in range(WIDTH + 1)]
LINES = [((x, y), (x + dx, y + dy)) for x, y in DOTS for dx, dy in ((1, 0), (0, 1)) if (x + dx, y + dy) in DOTS]
NUMBERS = {line: number for number, line in enumerate(LINES)}
ALL_LINES = (1 << len(LINES)) - 1


def box(x: int, y: int) -> int:
    """The four lines around a box, as a set of bits."""
    corner, right, top, opposite = (x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)
    return sum(1 << NUMBERS[line] for line in ((corner, right), (corner, top), (right, opposite), (top, opposite)))


BOXES = [box(x, y) for y in range(HEIGHT) for x in range(WIDTH)]


class State(NamedTuple):
    """The lines that are drawn, as bits; who is to move; and how many boxes the first player is ahead."""

    lines: int = 0
    player: int = 0
    lead: int = 0


class DotsAndBoxes(pp.Game):
    """Draw a line between two dots; who completes a box gets it and moves again; most boxes win."""

    title = "Dots and Boxes"
    turns_alternate = False
    feature_names = ("boxes", "boxes_to_take")
    index_sizes = (1, len(LINES), 1)

    def start(self) -> State:
        """Begin with no line drawn."""
        return State()

    def player(self, state: State) -> int:
        """Turns need not alternate, so the state tells whose it is."""
        return state.player

    def moves(self, state: State) -> list[int]:
        """The lines that are not drawn yet."""
        return [number for number in range(len(LINES)) if not state.lines >> number & 1]

    def play(self, state: State, move: int) -> State:
        """The turn passes only where no box is completed."""
        lines = state.lines | 1 << move
        completed = sum(box & lines == box != box & state.lines for box in BOXES)
        lead = state.lead + (completed if state.player == 0 else -completed)
        return State(lines, state.player if completed else 1 - state.player, lead)

    def outcome(self, state: State) -> int | None:
        """Count the boxes once every line is drawn, from the view of the player to move."""
        if state.lines != ALL_LINES:
            return None
        lead = state.lead if state.player == 0 else -state.lead
        return (lead > 0) - (lead < 0)

    def text(self, move: int) -> str:
        """A line is written by its dots: a1b1."""
        return "".join(f"{'abcdefgh'[x]}{y + 1}" for x, y in LINES[move])

    def index(self, move: int) -> tuple[int, int, int]:
        """Tell moves apart by their line."""
        return (0, move, 0)

    def features(self, state: State) -> list[float]:
        """Own boxes minus the opponent's, and boxes that lack one line: they are for the player to move."""
        open_boxes = sum((box & ~state.lines).bit_count() == 1 for box in BOXES)
        return [state.lead if state.player == 0 else -state.lead, open_boxes]

    def draw(self, state: State) -> str:
        """Dots and lines, the first rank at the bottom."""
        drawn = [line for line, number in NUMBERS.items() if state.lines >> number & 1]
        rows = []
        for y in reversed(range(HEIGHT + 1)):
            ups = ["|" if ((x, y), (x, y + 1)) in drawn else " " for x in range(WIDTH + 1)]
            rows += ["   ".join(ups)] if y < HEIGHT else []
            rows.append("".join("+---" if ((x, y), (x + 1, y)) in drawn else "+   " for x in range(WIDTH)) + "+")
        return "\n".join([*rows, f"first player ahead by {state.lead}"])
