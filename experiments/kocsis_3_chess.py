"""The Neural MoveMap in chess: Kocsis 2003, 3.4.2 to 3.4.5, tables 3.1 and 3.2, figures 3.4, 3.8 to 3.11 and 3.14.

    python experiments/kocsis_3_chess.py [--scale quick|networks|decay|sets|uses-reduced|uses-full|weights|full]
        [--threads N] [--data GAMES]

The seed's program is CRAFTY; ours is the baseline of chess. Networks without a hidden layer (MEOS) learn which moves
were played in middle-game positions of master games, which --data names. There are four test sets, one an opening; what
is learned from is the same opening, a family of openings or all of them. Without --data the baseline plays the games,
which have no openings, and what needs openings is not judged. The database of our runs has about as many positions in
all as the seed's, but a third to a ninth as many of each opening: test sets have 1,380 to 3,000 positions, not 3,000.

Each part of full is a scale of its own: networks (tables 3.1 and 3.2, figure 3.4, and a page of examples as appendix C
beside the results), decay (table 3.2 with weights that are drawn to 0), sets (figures 3.8 and 3.9), uses-reduced and
uses-full (figures 3.11 and 3.14), weights (figure 3.10 and the adaptive weight). A part learns what it needs, whichever
comes first; full gathers them all.

What the text leaves open, and how it is read. The search of the seed is less selective than our baseline: reduced is
without late moves being reduced or skipped, and the full baseline stands beside it. History adds up squared depths,
divided by the number of updates (3.1); that divided by its deviation in the position (3.2.3) and our own running
history stand beside it. The network is asked at every node that orders moves. The weight of history is a constant
divided by the deviation of the network's scores (3.4.3); the constant was chosen with other networks on validation
positions. Networks are stopped by validation positions of what they learn from, and after so many epochs that the error
hardly fell any more in trials. RPROP learns from squares as in 3.3, once more where outputs are read as a sigmoid from
0 to 1, and once more from shares (cross-entropy); the rule as A.6 prints it (RPROP-) led to lower errors than the usual
variant. Some networks go beyond the seed: moves from one square, and moves to one, share a part of what they learn; and
they see the opponent's last move too, which tells recaptures. The part decay draws weights to 0, as much as was best on
validation positions of 200,000 that were learned from: without it RPROP gives to what it saw once as much weight as to
what it saw a thousand times. An engine's labels are those of the baseline 7 plies
deep, of 40,000 positions of a learning set at the most, and so is its own prediction. Positions are searched, in
portions from all test sets, until the intervals of node ratios are narrow enough, 2% either way and 4% at depth 11, or
as many as an hour has room for: with reduced selectivity 120 at depth 11 and 200 at depth 9. First cuts are told by
depth of one position in five. The distribution of history's scores (figure 3.4, right) is that of the quiet moves of
positions that have just been searched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

import orderings
from chess_claims import (
    ALL,
    BY_DEVIATION,
    BY_SIGMOID,
    CLAIMS,
    DECAYED,
    DECAYED_LAST_MOVE,
    FACTORS,
    LAST_MOVE,
    SHARED,
    SHARING,
    STARTS,
    adaptive_name,
    weight_name,
)
from chess_figures import draw_figures, show_rates, show_sets, tell_rows
from chess_pilots import OTHER_RULES, SCALED_RULE, USES, all_uses, history, ordered, usual_weight
from chess_prediction import (
    GAME,
    LEARNING_SETS,
    Library,
    Predictor,
    distributions,
    engine_rate,
    history_distribution,
    is_quiet,
    label_by_engine,
    learn,
    write_examples,
)
from harness import Figures, Harness, read_options, start
from plypilot import Pilot, Position
from plypilot.learn.move_cases import Games
from plypilot.searcher import Limit, Searcher

LEARNING_SEED, POSITION_SEED = 1, 5
VALIDATION = 50_000
LABEL_DEPTH = 7
"""Of searches that label positions, and whose move is compared with the one played (3.3.3, table 3.2)."""
ADAPTATION = 0.1
"""The part by which a miss changes an adaptive weight, of which less did not arrive within a search in trials. The seed
adds 0.1 to weights of some hundreds."""
HISTORY = "history"
FIRST_DEPTH = 3
"""From which on the seed compares trees."""
CUTS_EVERY = 5
"""One position in so many tells its first cuts by depth."""
EXAMPLES = 25
"""Of each test set."""
PARTS = ("networks", "decay", "sets", "uses-reduced", "uses-full", "weights")
Trees = dict[str, list[orderings.Tree]]


RPROP = {"kind": "rprop", "forgets_turns": False}
BY_SHARES = {"optimiser": {**RPROP, "first_step": 0.05}, "loss": "softmax", "decay": 0, "epochs": 80}
DECAY = 2.0
WITH_LAST_MOVE = ("board", "last_move")
"""The raw board, and where the opponent's last move ended and captured, which the seed's networks do not see."""
METHODS: dict[str, dict[str, Any]] = {
    "rprop": {"optimiser": {**RPROP, "first_step": 0.01}, "epochs": 150},
    "rprop, sigmoid": {"optimiser": {**RPROP, "first_step": 0.01}, "loss": "sigmoid", "epochs": 80},
    "rprop, shares": {**BY_SHARES, "sharing": False},
    "adagrad": {"epochs": 20, "sharing": False, "decay": 0},
    SHARING: BY_SHARES,
    LAST_MOVE: {**BY_SHARES, "inputs": WITH_LAST_MOVE},
    "adagrad, sharing, last move": {"epochs": 20, "inputs": WITH_LAST_MOVE, "decay": 0},
}
DECAYED_METHODS: dict[str, dict[str, Any]] = {
    DECAYED: {**BY_SHARES, "sharing": False, "decay": DECAY, "epochs": 60},
    DECAYED_LAST_MOVE: {**BY_SHARES, "inputs": WITH_LAST_MOVE, "decay": DECAY, "epochs": 60},
    "adagrad, sharing, last move, decay": {"epochs": 20, "inputs": WITH_LAST_MOVE, "decay": DECAY},
}


@dataclass(frozen=True)
class Effort:
    """How deep positions are searched, and how many of them."""

    depth: int
    positions: int
    """The most, of all test sets together."""
    half_width: float = 0.0
    """No more positions are needed once intervals of node ratios are narrower, as a part of the ratio; 0: all are."""
    portion: int = 40


@dataclass(frozen=True)
class Scale:
    """How much is learned and searched."""

    parts: tuple[str, ...]
    methods: Mapping[str, Mapping[str, Any]]
    decayed: Mapping[str, Mapping[str, Any]]
    """Methods of the part decay."""
    uses: Mapping[str, tuple[Effort, Effort]]
    """By selectivity: deep searches, and shallower ones of more positions."""
    sets: Effort
    weights: Mapping[str, Effort]
    learning_positions: int = 0
    """The most of a learning set; 0: all."""
    label_positions: int = 0
    """The most that are labelled by an engine, of each split; 0: all."""
    test_positions: int = 3000
    """The most of a test set."""
    engine_positions: int = 1000
    """Of these, the most that the engine predicts."""
    own_positions: int = 500_000
    """Of own games, where no others are named."""
    own_nodes: int = 1000
    asking_nodes: int = 200_000
    is_judged: bool = True
    """Whether there is enough of it to judge the seed's claims by."""


FULL = Scale(
    PARTS,
    METHODS,
    DECAYED_METHODS,
    {
        "reduced": (Effort(11, 120, 0.04, portion=20), Effort(9, 200, 0.02)),
        "full": (Effort(11, 1000, 0.04), Effort(9, 2000, 0.02)),
    },
    Effort(9, 120, 0.02),
    {"reduced": Effort(9, 100), "full": Effort(11, 300)},
    label_positions=40_000,
)
SCALES: dict[str, Scale] = {
    "tiny": Scale(
        PARTS,
        {name: {**settings, "epochs": 2} for name, settings in METHODS.items()},
        {name: {**settings, "epochs": 2} for name, settings in DECAYED_METHODS.items()},
        {name: (Effort(4, 2), Effort(3, 2)) for name in ("reduced", "full")},
        Effort(3, 2),
        {name: Effort(3, 2) for name in ("reduced", "full")},
        label_positions=60,
        engine_positions=4,
        own_positions=2500,
        own_nodes=30,
        asking_nodes=2000,
        is_judged=False,
    ),
    "quick": Scale(
        PARTS,
        {
            name: {**METHODS[name], "epochs": epochs}
            for name, epochs in zip(METHODS, (25, 20, 20, 4, 20, 20, 4), strict=True)
        },
        {
            name: {**DECAYED_METHODS[name], "epochs": epochs}
            for name, epochs in zip(DECAYED_METHODS, (20, 20, 4), strict=True)
        },
        {"reduced": (Effort(7, 24), Effort(6, 24)), "full": (Effort(9, 24), Effort(8, 24))},
        Effort(6, 16),
        {"reduced": Effort(6, 16), "full": Effort(8, 16)},
        learning_positions=150_000,
        label_positions=2000,
        engine_positions=100,
        own_positions=20_000,
        own_nodes=300,
        asking_nodes=50_000,
        is_judged=False,
    ),
    **{part: replace(FULL, parts=(part,)) for part in PARTS},
    "full": FULL,
}


class Laboratory:
    """What all parts share: games, networks, which are learned when they are asked for, and searches."""

    def __init__(self, made: Harness, library: Library, scale: Scale) -> None:
        self.made, self.library, self.scale = made, library, scale
        self.on_record = library.is_on_record
        self.opening = "E97" if self.on_record else next(iter(library.test_sets))
        """The test set of figures 3.8 to 3.10."""
        self.labelled = ("E97", "E9x") if self.on_record else (ALL,)
        """The learning sets that an engine labels too."""
        self._networks: dict[tuple[str, str, str], Predictor] = {}
        self._positions: dict[str, list[str]] = {}

    def network(self, name: str, method: str = "rprop", labels: str = "all") -> Predictor:
        """The network of a learning set. ``labels``: all, as games have them; or of as many positions as an engine
        labels, those of the game or of the engine.
        """
        key = name, method, labels
        if key not in self._networks:
            self._networks[key] = self._learn(*key)
        return self._networks[key]

    def _learn(self, name: str, method: str, labels: str) -> Predictor:
        scale, patterns = self.scale, self.library.patterns
        if labels == "engine":
            patterns = label_by_engine(self.made, self.library, name, LABEL_DEPTH, scale.label_positions)
        most = 0 if labels == "all" else scale.label_positions
        settings = {
            "positions": most or scale.learning_positions,
            "validation_positions": min(VALIDATION, most or VALIDATION),
            **{**scale.methods, **scale.decayed}[method],
        }
        return learn(self.made, patterns, self.library.where(name), settings, LEARNING_SEED)

    def positions(self, name: str) -> list[str]:
        """Those of a test set, in random order."""
        if name not in self._positions:
            self._positions[name] = self.library.test_positions(name, self.scale.test_positions, POSITION_SEED)
        return self._positions[name]

    def search(
        self, what: str, pilots: Mapping[str, orderings.Pilots], effort: Effort, behind: int = 0
    ) -> dict[str, Trees]:
        """The trees of pilots by test set, until their ratios to history are told well enough.

        Positions are those ``behind`` the first so many of all test sets.
        """
        share, most = (max(1, count // len(pilots)) for count in (effort.portion, effort.positions))
        trees: dict[str, Trees] = {name: {pilot: [] for pilot in own} for name, own in pilots.items()}
        for begin in range(0, most, share):
            for name, own in pilots.items():
                positions = self.positions(name)[behind // len(pilots) :][begin : min(begin + share, most)]
                measured = orderings.measure_trees(
                    self.made, what, own, positions, GAME, effort.depth, cuts_every=CUTS_EVERY
                )
                for pilot, some in measured.items():
                    trees[name][pilot] += some
            rows = orderings.compare_trees(pool(trees.values()), HISTORY, range(FIRST_DEPTH, effort.depth + 1))
            if rows and max(row.nodes.half_width for row in rows) <= effort.half_width:
                break
        return trees


def pool(parts: Iterable[Trees]) -> Trees:
    """The trees of several parts together, of the pilots that all of them have."""
    listed = list(parts)
    common = [name for name in listed[0] if all(name in part for part in listed)]
    return {name: [tree for part in listed for tree in part[name]] for name in common}


# The parts


def rates_of(networks: Mapping[str, Predictor], games: Mapping[str, Games]) -> dict[str, float]:
    """How often each network has the move that was played in front, by test set."""
    return {name: round(networks[name].measures(own).share_within(1), 4) for name, own in games.items()}


def measure_networks(lab: Laboratory) -> Figures:
    """Tables 3.1 and 3.2, figure 3.4 on the left, and the page of examples."""
    library, scale, made = lab.library, lab.scale, lab.made
    games = {name: library.test_games(name, scale.test_positions) for name in library.test_sets}
    general = {method: dict.fromkeys(games, lab.network(ALL, method)) for method in scale.methods}
    rates = {f"{ALL}, {method}": rates_of(own, games) for method, own in general.items()}
    if lab.on_record:
        specific = {name: lab.network(learned) for name, learned in library.test_sets.items()}
        rates["specific, rprop"] = rates_of(specific, games)
        shared = {name: library.shared_games(name) for name in games}
        rates |= {f"{ALL}, {method}, {SHARED}": rates_of(own, shared) for method, own in general.items()}
    for selectivity in ("reduced", "full"):
        pilot = history(selectivity, "running")
        rates[f"search, {selectivity}"] = {
            name: round(engine_rate(made, pilot, library.test_games(name, scale.engine_positions), LABEL_DEPTH), 4)
            for name in games
        }
    counts = {name: library.counts(name) for name in (LEARNING_SETS if lab.on_record else (ALL,))}
    show_sets(made, counts)
    show_rates(made, rates)
    shown = {name: lab.network(name) for name in (ALL, lab.labelled[-1])} | {
        BY_SIGMOID: lab.network(ALL, "rprop, sigmoid")
    }
    scored = {name: network.scored(games[lab.opening]) for name, network in shown.items()}
    name = made.name if made.scale == "full" else f"{made.name}.{made.scale}"
    write_examples(made.folder / "results" / f"{name}.html", library, lab.network(ALL), EXAMPLES)
    return {
        "rates": rates,
        "test_positions": {name: int(own.patterns.sum()) for name, own in games.items()},
        "learning_sets": counts,
        "networks": {
            **{f"{ALL}, {method}": lab.network(ALL, method).content() for method in scale.methods},
            **({name: lab.network(name).content() for name in library.test_sets.values()} if lab.on_record else {}),
        },
        "scores": distributions(scored),
    }


def measure_decay(lab: Laboratory) -> Figures:
    """Table 3.2 with weights that are drawn to 0."""
    library, scale = lab.library, lab.scale
    games = {name: library.test_games(name, scale.test_positions) for name in library.test_sets}
    general = {method: dict.fromkeys(games, lab.network(ALL, method)) for method in scale.decayed}
    rates = {f"{ALL}, {method}": rates_of(own, games) for method, own in general.items()}
    networks = {f"{ALL}, {method}": lab.network(ALL, method).content() for method in scale.decayed}
    if lab.on_record:
        specific = {name: lab.network(learned, DECAYED) for name, learned in library.test_sets.items()}
        rates[f"specific, {DECAYED}"] = rates_of(specific, games)
        networks |= {library.test_sets[name]: network.content() for name, network in specific.items()}
    show_rates(lab.made, rates)
    return {"rates": rates, "networks": networks}


def measure_sets(lab: Laboratory) -> Figures:
    """Figures 3.8 and 3.9: labels of games beside those of an engine, and specific sets beside general ones."""
    pilots = {HISTORY: history("reduced")}
    for name in lab.labelled:
        for labels in ("game", "engine"):
            pilots |= all_uses("reduced", lab.network(name, "rprop", labels), f"{name} by {labels}", USES[:2])
    for name in ("E97", "E9x", "KI", ALL) if lab.on_record else ():
        pilots |= all_uses("reduced", lab.network(name), name, USES[:2])
    # At full scale an engine labels all positions of a set, and two names stand for one network.
    names = {pilot.digest: name for name, pilot in reversed(pilots.items())}
    (trees,) = lab.search(
        "sets", {lab.opening: {name: pilots[name] for name in reversed(names.values())}}, lab.scale.sets
    ).values()
    by_name = {name: trees[names[pilot.digest]] for name, pilot in pilots.items()}
    rows = orderings.compare_trees(by_name, HISTORY, range(FIRST_DEPTH, lab.scale.sets.depth + 1))
    orderings.print_rows(lab.made, f"learning sets, on {lab.opening}", rows)
    return {"rows": brief(rows)}


def measure_uses(lab: Laboratory, selectivity: str) -> Figures:
    """Figures 3.11 and 3.14: the three ways of use on all test sets, with what asking costs."""
    network, other = lab.network(ALL), lab.network(ALL, "adagrad")
    pilots = {
        HISTORY: history(selectivity),
        **all_uses(selectivity, network, ALL),
        f"{ALL}, weighted, 2 plies": ordered(selectivity, network, "weighted", plies=2),
        BY_DEVIATION: ordered(selectivity, network, "weighted", rule=SCALED_RULE),
    }
    for rule in OTHER_RULES:
        pilots[f"{rule} history"] = history(selectivity, rule)
        pilots[f"{rule}, weighted"] = ordered(selectivity, network, "weighted", rule=rule)
    more_pilots = {
        name: {
            **pilots,
            "adagrad, weighted": ordered(selectivity, other, "weighted"),
            **(all_uses(selectivity, lab.network(learned), "specific") if lab.on_record else {}),
        }
        for name, learned in lab.library.test_sets.items()
    }
    deep, shallow = lab.scale.uses[selectivity]
    deep_trees = lab.search(selectivity, dict.fromkeys(more_pilots, pilots), deep)
    shallow_trees = lab.search(selectivity, more_pilots, shallow, deep.positions)
    by_set = {name: pool([deep_trees[name], shallow_trees[name]]) for name in more_pilots}
    together, depths = pool(by_set.values()), range(FIRST_DEPTH, deep.depth + 1)
    rows = orderings.compare_trees(together, HISTORY, depths)
    others = pool(shallow_trees.values())
    others = {name: trees for name, trees in others.items() if name == HISTORY or name not in pilots}
    rows += orderings.compare_trees(others, HISTORY, depths)
    asking = orderings.measure_asking(
        lab.made, GAME, pilots[f"{ALL}, weighted"], lab.positions(lab.opening)[:12], lab.scale.asking_nodes
    )
    print(f"\nasking the network adds {asking.overhead:.1%} to the time of the same tree")
    return {
        "rows": tell_rows(lab.made, f"beside history, {selectivity} selectivity", rows, asking),
        "by_rule": {
            rule: tell_rows(
                lab.made,
                f"beside {rule} history, {selectivity} selectivity",
                orderings.compare_trees(
                    {name: together[name] for name in (f"{rule} history", f"{rule}, weighted")},
                    f"{rule} history",
                    depths,
                ),
                asking,
            )
            for rule in OTHER_RULES
        },
        "by_set": {
            name: node_ratios(orderings.compare_trees(trees, HISTORY, depths)) for name, trees in by_set.items()
        },
        "overhead": round(asking.overhead, 4),
        "asking_microseconds": round(asking.seconds * 1e6, 3),
    }


def node_ratios(rows: Iterable[orderings.Row]) -> dict[str, dict[str, float]]:
    """By pilot and depth."""
    ratios: dict[str, dict[str, float]] = {}
    for row in rows:
        ratios.setdefault(row.pilot, {})[str(row.depth)] = round(row.nodes.value, 4)
    return ratios


def brief(rows: Iterable[orderings.Row]) -> list[Figures]:
    """Rows as plain data, by their nodes alone."""
    return [{name: row.content()[name] for name in ("pilot", "depth", "nodes", "positions")} for row in rows]


def measure_weights(lab: Laboratory) -> Figures:
    """Figure 3.10 and the adaptive weight, with a specific network and the general one."""
    figures: Figures = {}
    names = tuple(dict.fromkeys((lab.labelled[-1], ALL)))
    for selectivity, effort in lab.scale.weights.items():
        pilots = {HISTORY: history(selectivity)}
        for name in names:
            network = lab.network(name)
            for factor in FACTORS:
                pilots[weight_name(name, factor)] = ordered(selectivity, network, "weighted", factor=factor)
            for factor in STARTS:
                pilots[adaptive_name(name, factor)] = ordered(
                    selectivity, network, "weighted", factor=factor, adaptation=ADAPTATION
                )
        trees = lab.search(f"weights, {selectivity}", {lab.opening: pilots}, effort)
        depths = range(max(FIRST_DEPTH, effort.depth - 4), effort.depth + 1)
        rows = orderings.compare_trees(pool(trees.values()), HISTORY, depths)
        orderings.print_rows(lab.made, f"weights of history, {selectivity} selectivity, on {lab.opening}", rows)
        figures[selectivity] = {
            "rows": brief(rows),
            "ends": measure_ends(lab, {name: pilots[name] for name in pilots if "adaptive" in name}, effort),
            "history": measure_history(lab, pilots[HISTORY], effort),
        }
    return {
        "networks": {
            name: {
                "deviation": round(lab.network(name).deviation, 5),
                "usual_weight": round(usual_weight(lab.network(name)), 6),
            }
            for name in names
        },
        **figures,
    }


def measure_ends(lab: Laboratory, pilots: orderings.Pilots, effort: Effort) -> dict[str, list[float]]:
    """The weights that adaptive ones end at: lower quartile, median and upper quartile over searches."""
    positions = lab.positions(lab.opening)[: effort.positions]

    def work(number: int) -> Figures:
        weights = {}
        for name, pilot in pilots.items():
            searcher = Searcher(pilot)
            lab.made.search(pilot, Position(GAME, positions[number]), Limit(depth=effort.depth), searcher=searcher)
            weights[name] = searcher.history_weight
        return {"weights": weights}

    identity = {name: pilot.digest for name, pilot in pilots.items()}
    measured = lab.made.measure(
        "adaptive weights", range(len(positions)), lambda number: [positions[number], effort.depth, identity], work
    )
    ends = {}
    for name in pilots:
        weights = [own["weights"][name] for own in measured]
        ends[name] = [float(f"{end:.4g}") for end in np.quantile(weights, (0.25, 0.5, 0.75))]
    lab.made.print_table(
        f"where weights that adapt end, {effort.depth} plies deep",
        ("", "begins", "lower quartile", "median", "upper quartile"),
        [
            [name, f"{pilot.ordering.history_weight:.3g}", *(f"{end:.3g}" for end in ends[name])]
            for name, pilot in pilots.items()
        ],
    )
    return ends


def measure_history(lab: Laboratory, pilot: Pilot, effort: Effort) -> Figures:
    """Figure 3.4 on the right: history's shares of all updates, of the quiet moves of positions after a search."""
    positions = lab.positions(lab.opening)[: effort.positions]

    def work(number: int) -> Figures:
        position, searcher = Position(GAME, positions[number]), Searcher(pilot)
        lab.made.search(pilot, position, Limit(depth=effort.depth), searcher=searcher)
        told = searcher.history(position).items()
        return {"shares": [round(share, 6) for move, share in told if is_quiet(position, move)]}

    measured = lab.made.measure(
        "history", range(len(positions)), lambda number: [positions[number], effort.depth, pilot.digest], work
    )
    return history_distribution([own["shares"] for own in measured])


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES, data="chess games on record, in any format that import takes")
    scale = SCALES[options.scale]
    made = Harness("kocsis_3_chess", options.scale, threads=options.threads, folder=options.out)
    try:
        library = Library.open(made, options.data, own_positions=scale.own_positions, own_nodes=scale.own_nodes)
        lab = Laboratory(made, library, scale)
        figures: Figures = {"is_judged": scale.is_judged, "is_on_record": library.is_on_record}
        measures: dict[str, Callable[[], Figures]] = {
            "networks": lambda: measure_networks(lab),
            "decay": lambda: measure_decay(lab),
            "sets": lambda: measure_sets(lab),
            "uses-reduced": lambda: measure_uses(lab, "reduced"),
            "uses-full": lambda: measure_uses(lab, "full"),
            "weights": lambda: measure_weights(lab),
        }
        for part in scale.parts:
            figures[part] = measures[part]()
        if not set(scale.parts) <= {"decay", "sets"}:
            made.draw(lambda: draw_figures(figures))
        settings = {
            "scale": asdict(scale),
            "records": None if options.data is None else options.data.name,
            "seeds": [LEARNING_SEED, POSITION_SEED],
        }
        made.conclude(CLAIMS, figures, settings=settings, seed=LEARNING_SEED)
    finally:
        made.close()


if __name__ == "__main__":
    start(main)
