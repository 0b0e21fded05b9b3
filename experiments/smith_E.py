"""Random evaluations against zero: Smith 1999, appendix E, tables E.1 to E.3, figures E.1, E.2 and E.4.

    python experiments/smith_E.py [--scale quick|full|PART] [--threads N]

Two programs search chess to the same fixed depth. One judges the leaves by chance (lookahead-random, LR); the other by
nothing, and chooses among the equal moves of the root by chance (lookahead-zero, LZ). The same is asked with a random
part that never outweighs a pawn beside the balance of material (MR, MZ), and beside material that is quiesced by the
tree of captures (CR, CZ). Games go on after repetitions and fifty moves (E.4.2) and end after 200 moves, when the side
with more material has won (E.4.3); two knights against a king are a draw (E.5). They start from the initial position
and differ by chance alone.

Two readings follow the seed's figures. By E.4.1 a search to depth 1 plays a mate in one; but table E.1 has as many
draws at depth 1 as moves at random have (RR), and mates in one decide most games. So ends are seen inside the tree
here, not at the horizon; LRE and LZE are LR and LZ that see them there too. And a random value is a hash of the
position and of a number that is new at each move of a game: a transposition has one value in a search. Were it one for
the whole game, many more games would last 200 moves than the seed's 5%.

A random value is rand(N) of E.3, from 0 to N - 1 for the side to move, and not spread about the zero of a draw: so
draws attract where the opponent is to move at the leaves, at odd depths, and repel at even ones. What a search makes of
draws counts most for LR at depth 3, where more than half of the seed's games are drawn.

What else the seed leaves open: the nearer of two mates is preferred, dead positions are draws inside the tree too, and
in the capture tree every position that is judged has a random part of its own.

Parts, in minutes on two cores: LR 3, CR 5, MR 5, others 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

import plypilot as pp
from harness import Claim, Figures, Harness, Missing, mean
from parts import Drawing, Experiment
from plypilot.play.adjudication import Adjudication
from plypilot.play.arena import Arena, Games, Task
from plypilot.play.ratings import Tally, elo, score_of
from plypilot.report.drawing import draw_lines
from plypilot.searcher import Limit

PAIRINGS = {"LR": "LZ", "CR": "CZ", "MR": "MZ", "LRE": "LZE", "RR": "RR"}
"""Who plays whom."""
TABLES = {"LR": "E.1", "CR": "E.2", "MR": "E.3"}
"""The seed's."""
TITLES = {pairing: f"Table {table}" for pairing, table in TABLES.items()} | {
    "LRE": "Table E.1 with ends seen at the horizon (E.4.1)",
    "RR": "Moves at random",
}
SEED = {
    "LR": ((222, 239, 539), (389, 288, 323), (331, 106, 563), (953, 32, 15), (200, 0, 0)),
    "CR": ((347, 356, 297), (591, 384, 25), (829, 120, 51), (794, 168, 38), (192, 4, 4)),
    "MR": ((67, 61, 872), (560, 439, 1), (536, 422, 42), (808, 164, 28), (373, 209, 18)),
}
"""Tables E.1 to E.3: wins of random, wins of zero, draws, at depths 1 to 5."""

MOST_PLIES = 400
"""Of a game: 200 moves (E.4.3)."""
RANDOM_SIZE = 10_000
"""The largest random evaluation; any will do."""
PAWN = 500
"""In score units where a random part joins material: the finer that part, the fewer ties."""
MATERIAL = {"pawn": 1, "knight": 3, "bishop": 3, "rook": 5, "queen": 9}
RANDOM_PART = PAWN - 1
"""The largest: two positions a pawn apart stay in this order."""
AT_LENGTH = ("ahead at the length limit", "length limit")
"""Causes of games that reached 200 moves."""


@dataclass(frozen=True)
class Scale:
    """How much is played."""

    games: dict[str, tuple[int, ...]]
    """For each pairing the games at depth 1, 2 and so on."""


def seed_games(pairing: str) -> tuple[int, ...]:
    """How many games the seed played."""
    return tuple(map(sum, SEED[pairing]))


SCALES = {
    "tiny": Scale({**dict.fromkeys(PAIRINGS, (6, 6)), "RR": (6,)}),
    "quick": Scale(
        {
            "LR": (500, 500, 200, 200, 40),
            "CR": (300, 300, 100, 60, 20),
            "MR": (300, 1000, 500, 60, 40),
            "LRE": (200, 200, 100, 100),
            "RR": (500,),
        }
    ),
}
PARTS = {pairing: Scale({pairing: seed_games(pairing)}) for pairing in TABLES} | {
    "others": Scale({"LRE": seed_games("LR"), "RR": (1000,)})
}


@dataclass(frozen=True)
class Chunk:
    """Some games of one cell of a table."""

    pairing: str
    depth: int
    first: int
    """Number of the first of them."""
    games: int

    @property
    def tasks(self) -> list[Task]:
        """The random side has White in every second game."""
        return [
            Task(pp.Position("chess"), seed=number, first_player=number % 2)
            for number in range(self.first, self.first + self.games)
        ]


def chunks(scale: Scale) -> list[Chunk]:
    """All games, in parts that take seconds at most."""
    found = []
    for pairing, by_depth in scale.games.items():
        for depth, games in enumerate(by_depth, 1):
            size = 20 if depth < 4 else 2
            found += [Chunk(pairing, depth, at, min(size, games - at)) for at in range(0, games, size)]
    return found


def make_pilots() -> dict[str, pp.Pilot | None]:
    """All players. What is on besides their evaluations is for speed: the values are those of minimax."""
    material = pp.Evaluation.linear("chess", {"material": {name: PAWN * pawns for name, pawns in MATERIAL.items()}})
    fast: dict[str, object] = {
        "search.window.kind": "pvs",
        "search.table.log2_entries": 14,
        "search.table.probes": 4,
        "search.table.exact": True,
        "search.root.random_ties": True,
        "search.ends_at_horizon": False,
        "ordering.table_move": True,
        "ordering.captures": True,
        "ordering.exchange": False,
        "ordering.killers": 2,
        "ordering.history": True,
    }
    captures: dict[str, object] = {"search.quiescence.on": True}
    part: dict[str, object] = {"evaluation.random_size": RANDOM_PART, "evaluation.random_from_zero": True}
    ends = {"search.ends_at_horizon": True}
    zero = pp.Pilot(game="chess").replace(fast)
    chance = zero.replace({"evaluation.kind": "random", **part, "evaluation.random_size": RANDOM_SIZE})
    balance = pp.Pilot(game="chess", evaluation=material).replace(fast)
    return {
        "LR": chance,
        "LZ": zero,
        "CR": balance.replace(captures | part),
        "CZ": balance.replace(captures),
        "MR": balance.replace(part),
        "MZ": balance,
        "LRE": chance.replace(ends),
        "LZE": zero.replace(ends),
        "RR": None,
    }


RULES = Adjudication(most_plies=MOST_PLIES, at_length="referee", referee=pp.Pilot.plain("chess", "material"))


def is_two_knights(fen: str) -> bool:
    """Whether two knights stand against a king, which the seed counts as drawn (E.5)."""
    pieces = "".join(sorted(each for each in fen.split()[0] if each.isalpha()))
    return pieces in ("KNNk", "Kknn")


def last_fen(played: Games, number: int) -> str:
    """Where a game ended."""
    position = pp.Position("chess")
    for move in played.moves[number].split():
        position.push(move)
    return position.fen()


def measure(harness: Harness, scale: Scale) -> Figures:
    """Our tables: a list of depths for each pairing."""
    return summarise(measure_games(harness, scale, make_pilots()), scale)


def measure_games(harness: Harness, scale: Scale, pilots: dict[str, pp.Pilot | None]) -> dict[Chunk, Figures]:
    """For each game who won, why and after how many plies."""

    def work(chunk: Chunk) -> Figures:
        players = [pilots[chunk.pairing], pilots[PAIRINGS[chunk.pairing]]]
        arena = Arena("chess", players, Limit(depth=chunk.depth), adjudication=RULES, fresh=True, ends_by_path=False)
        played = harness.play(arena, chunk.tasks)
        results = ""
        for number, task in enumerate(chunk.tasks):
            winner = played.winners[number]
            drawn = winner is None or (played.causes[number] in AT_LENGTH and is_two_knights(last_fen(played, number)))
            results += "=" if drawn else "+" if winner == task.first_player else "-"
        lengths = [int(end - begin) for begin, end in pairwise(played.starts)]
        return {"results": results, "causes": played.causes, "plies": lengths, "nodes": int(played.nodes.sum())}

    def key(chunk: Chunk) -> object:
        players = [pilots[name] for name in (chunk.pairing, PAIRINGS[chunk.pairing])]
        digests = [pilot.digest[:16] if pilot else "random moves" for pilot in players]
        return [*digests, chunk.depth, chunk.first, chunk.games, MOST_PLIES, "fresh, path forgotten"]

    todo = chunks(scale)
    return dict(zip(todo, harness.measure("games", todo, key, work), strict=True))


def summarise(chunks: dict[Chunk, Figures], scale: Scale) -> Figures:
    """Our tables: a list of depths for each pairing."""
    tables: Figures = {pairing: [] for pairing in scale.games}
    for pairing, by_depth in scale.games.items():
        for depth, games in enumerate(by_depth, 1):
            parts = [figures for chunk, figures in chunks.items() if (chunk.pairing, chunk.depth) == (pairing, depth)]
            results = Counter("".join(part["results"] for part in parts))
            causes = Counter(cause for part in parts for cause in part["causes"])
            tally = Tally(wins=results["+"], draws=results["="], losses=results["-"])
            estimate = elo(tally)
            tables[pairing].append(
                {
                    "games": games,
                    "wins": tally.wins,
                    "losses": tally.losses,
                    "draws": tally.draws,
                    "score": tally.score,
                    "interval": [score_of(estimate.low), score_of(estimate.high)],
                    "mean_plies": mean(plies for part in parts for plies in part["plies"]),
                    "at_length": sum(causes[cause] for cause in AT_LENGTH) / games,
                    "causes": dict(causes.most_common()),
                    "nodes_a_ply": mean(part["nodes"] / sum(part["plies"]) for part in parts),
                }
            )
    return tables


def cell(figures: Figures, pairing: str, depth: int) -> Figures:
    """One line of a table. Raises Missing."""
    lines = table(figures, pairing)
    if depth > len(lines):
        raise Missing(f"depth {depth} is not played at this scale")
    return dict(lines[depth - 1])


def table(figures: Figures, pairing: str) -> list[Figures]:
    """One table. Raises Missing."""
    if pairing not in figures:
        raise Missing(f"{pairing} is not played at this scale")
    return list(figures[pairing])


def score_text(line: Figures) -> str:
    """A score with its interval."""
    low, high = line["interval"]
    return f"{line['score']:.1%} ({low:.1%} to {high:.1%})"


def seed_score(pairing: str, depth: int) -> float:
    """What the seed's tables say, in per cent and rounded as there: halves up."""
    wins, losses, draws = SEED[pairing][depth - 1]
    games = wins + losses + draws
    return (1000 * (2 * wins + draws) + games) // (2 * games) / 10


def is_even(line: Figures, tolerance: float) -> bool:
    """Whether the interval of a score reaches to within so many points of one half."""
    low, high = line["interval"]
    return bool(low - tolerance / 100 <= 0.5 <= high + tolerance / 100)


def even_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """All tables, depth 1."""
    lines = {pairing: cell(figures, pairing, 1) for pairing in TABLES}
    matched = all(is_even(line, tolerance) for line in lines.values())
    return matched, ", ".join(f"{name} {score_text(line)}" for name, line in lines.items())


def deep_claim(depth: int) -> Claim:
    """Table E.1, depths 4 and 5."""

    def holds(figures: Figures, tolerance: float) -> tuple[bool, str]:
        line = cell(figures, "LR", depth)
        return 100 * line["score"] > tolerance, score_text(line)

    return Claim(
        f"lookahead-random wins at depth {depth}",
        f"{seed_score('LR', depth)}% (table E.1)",
        "score above {tolerance}%",
        95.0,
        holds,
    )


def deeper_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table E.1, downwards."""
    scores = [100 * line["score"] for line in table(figures, "LR")]
    matched = all(below > above - tolerance for above, below in pairwise(scores))
    return matched and scores[-1] > scores[0], ", ".join(f"{each:.1f}%" for each in scores)


def better_claim(figures: Figures, tolerance: float) -> tuple[bool | None, str]:
    """All tables, depth 2 and more."""
    intervals = {
        f"{pairing} at {depth}": [100 * end for end in line["interval"]]
        for pairing in TABLES
        for depth, line in enumerate(table(figures, pairing), 1)
        if depth > 1
    }
    name = min(intervals, key=lambda each: intervals[each])
    low, high = intervals[name]
    verdict = True if low > tolerance else False if high < tolerance else None
    return verdict, f"the lowest interval, {name}, is {low:.1f} to {high:.1f}%"


def near_claim(pairing: str) -> Claim:
    """One table, line by line."""

    def holds(figures: Figures, tolerance: float) -> tuple[bool, str]:
        lines = enumerate(table(figures, pairing), 1)
        apart = [100 * line["score"] - seed_score(pairing, depth) for depth, line in lines]
        text = ", ".join(f"{points:+.1f}" for points in apart)
        return all(abs(points) <= tolerance for points in apart), f"{text} points from depth 1 on"

    scores = ", ".join(str(seed_score(pairing, depth)) for depth in range(1, 6))
    return Claim(
        f"{pairing} against {PAIRINGS[pairing]} at each depth",
        f"{scores}% (table {TABLES[pairing]})",
        "every score within {tolerance} points of the seed's",
        10.0,
        holds,
    )


def swing_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table E.3, depths 4 and 5."""
    scores = [100 * cell(figures, "MR", depth)["score"] for depth in (3, 4, 5)]
    matched = scores[1] - scores[0] > tolerance and scores[1] - scores[2] > tolerance
    return matched, ", ".join(f"{each:.1f}%" for each in scores)


def length_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """E.6, games of 200 moves."""
    lines = [line for pairing in TABLES for line in table(figures, pairing)[1:]]
    share = sum(line["at_length"] * line["games"] for line in lines) / sum(line["games"] for line in lines)
    return 100 * share < tolerance, f"{share:.1%} of the games"


def parity_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Figure E.4."""
    depths = min(len(table(figures, pairing)) for pairing in TABLES)
    lengths = [mean(figures[pairing][at]["mean_plies"] for pairing in TABLES) / 2 for at in range(depths)]
    if depths < 3:
        raise Missing("fewer than three depths are played at this scale")
    matched = all(
        (above - below if depth % 2 else below - above) > tolerance
        for depth, (above, below) in enumerate(pairwise(lengths), 1)
    )
    return matched, ", ".join(f"{length:.0f}" for length in lengths) + " moves"


def ends_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table E.1 by the other reading."""
    if len(lines := table(figures, "LRE")) < 4:
        raise Missing("depth 4 is not played at this scale")
    matched = is_even(lines[0], 1.0) and all(100 * line["score"] > tolerance for line in lines[3:])
    return matched, ", ".join(map(score_text, lines))


def drawn_claim(figures: Figures, tolerance: float) -> tuple[bool, str]:
    """Table E.1, draws at depth 1."""
    firsts = {name: cell(figures, name, 1) for name in ("LR", "RR", "LRE")}
    drawn = {name: 100 * line["draws"] / line["games"] for name, line in firsts.items()}
    matched = all(abs(drawn[name] - 53.9) <= tolerance for name in ("LR", "RR"))
    return matched, ", ".join(f"{name} {each:.1f}%" for name, each in drawn.items())


CLAIMS = [
    Claim(
        "even at depth 1",
        "49.2, 49.6, 50.3%: the programs are equivalent (tables E.1 to E.3)",
        "all three intervals of 95% reach to within {tolerance} points of 50%",
        1.0,
        even_claim,
    ),
    deep_claim(4),
    deep_claim(5),
    Claim(
        "deeper is better for lookahead-random",
        "49.2, 55.1, 61.3, 96.1, 100% (table E.1)",
        "each depth above the one before, {tolerance} points allowed, and the last above the first",
        2.0,
        deeper_claim,
    ),
    Claim(
        "random beats zero with and without material",
        "strong advantage in all three experiments (E.6)",
        "every interval of 95% from depth 2 on lies above {tolerance}%; open if the lowest one holds it",
        50.0,
        better_claim,
    ),
    *map(near_claim, TABLES),
    Claim(
        "material swings with the parity of the depth",
        "MR scores 55.7, 82.2, 63.7% at depths 3, 4, 5 (table E.3)",
        "depth 4 more than {tolerance} points above both",
        5.0,
        swing_claim,
    ),
    Claim(
        "few games last 200 moves",
        "less than 5% at depth 2 and more (E.6)",
        "fewer than {tolerance}% of all games at depth 2 and more",
        5.0,
        length_claim,
    ),
    Claim(
        "games are longer at odd depths",
        "so on average over all three experiments (figure E.4)",
        "mean of the three mean lengths, each odd depth more than {tolerance} moves above its even neighbours",
        0.0,
        parity_claim,
    ),
    Claim(
        "the same where ends are seen at the horizon",
        "even at depth 1, 96.1% at depth 4, 100% at depth 5 (table E.1, by the reading of E.4.1)",
        "LRE: the interval at depth 1 reaches to within 1 point of 50%, scores from depth 4 on above {tolerance}%",
        95.0,
        ends_claim,
    ),
    Claim(
        "depth 1 is as drawn as moves at random",
        "539 draws in 1000 games (table E.1)",
        "draws of LR and of RR both within {tolerance} points of 53.9%",
        5.0,
        drawn_claim,
    ),
]
"""Their rules were written before the first game was played, but for those of the last two, which came with LRE and
RR, and before random values were those of the side to move."""


def show(harness: Harness, figures: Figures) -> None:
    """Our tables beside the seed's."""
    for pairing, rival in PAIRINGS.items():
        if pairing not in figures:
            continue
        rows: list[Sequence[object]] = []
        for depth, line in enumerate(figures[pairing], 1):
            ours = [line["games"], line["wins"], line["losses"], line["draws"], score_text(line)]
            rows.append([f"depth {depth} ours", *ours, f"{line['mean_plies'] / 2:.0f}", f"{line['at_length']:.1%}"])
            if pairing in TABLES:
                counts = SEED[pairing][depth - 1]
                rows.append(["        seed", sum(counts), *counts, f"{seed_score(pairing, depth)}%", "", ""])
        harness.print_table(
            f"{TITLES[pairing]}: {pairing} against {rival}",
            ["", "games", f"{pairing} wins", f"{rival} wins", "draws", f"{pairing} (95%)", "moves", "at 200"],
            rows,
        )
    causes = sorted({cause for lines in figures.values() for line in lines for cause in line["causes"]})
    harness.print_table(
        "How games ended, in per cent",
        ["", *causes],
        [
            [
                f"{pairing} depth {depth}",
                *(f"{100 * line['causes'].get(cause, 0) / line['games']:.1f}" for cause in causes),
            ]
            for pairing, lines in figures.items()
            for depth, line in enumerate(lines, 1)
        ],
    )


def draw(figures: Figures) -> Iterator[Drawing]:
    """Figures E.1, E.2 and E.4."""
    known = {pairing: figures[pairing] for pairing in TABLES if pairing in figures}
    depths = min((len(lines) for lines in known.values()), default=0)
    if depths < 2:
        return
    across = np.arange(1, depths + 1, dtype=float)
    scores = {name: np.array([100 * line["score"] for line in lines[:depths]]) for name, lines in known.items()}
    scores |= {f"{name}, the seed": np.array([seed_score(name, int(depth)) for depth in across]) for name in known}
    yield Drawing(
        "scores",
        "Figures E.1 and E.2: scores of random evaluations in per cent by depth, beside the seed's",
        lambda: draw_lines(across, scores, across="depth", up="score"),
    )
    lengths = {name: np.array([line["mean_plies"] / 2 for line in lines[:depths]]) for name, lines in known.items()}
    yield Drawing(
        "lengths",
        "Figure E.4: mean length of games by depth",
        lambda: draw_lines(across, lengths, across="depth", up="moves"),
    )


EXPERIMENT = Experiment(
    name="smith_E",
    text=__doc__,
    small=SCALES,
    parts=PARTS,
    measure=measure,
    show=show,
    claims=CLAIMS,
    draw=draw,
    common={
        "pilots": {
            name: {setting.key: setting.value for setting in pilot.settings()} if pilot else "random moves"
            for name, pilot in make_pilots().items()
        },
        "weights": {name: PAWN * pawns for name, pawns in MATERIAL.items()},
        "most_plies": MOST_PLIES,
    },
)


def main(words: Sequence[str] | None = None) -> None:
    """Plays, prints and writes results/smith_E.json."""
    EXPERIMENT.run(words)


if __name__ == "__main__":
    from harness import start

    start(main)
