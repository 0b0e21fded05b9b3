"""The baselines against another engine at equal time: Breakthrough and shogi beside Fairy-Stockfish.

    python experiments/peers.py [--scale quick|breakthrough|shogi|full]

Pairs of games from random openings with sides swapped, 0.1 s a move for both, one game at a time. Fairy-Stockfish is
looked for on the PATH and in /usr/games, where Debian puts games. It has its default table of 16 MiB, as the baselines
do, and `Move Overhead=0`, without which it leaves a part of its time unused. It does not know Lines of Action.

The rule, fixed before the run: in Breakthrough the baseline scores at least 55% of 400 games. Openings have other seeds
than those by which the baseline's evaluation was chosen. In shogi there is no aim; the row says where we stand.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType

import plypilot as pp
from harness import Claim, Figures, Harness, Missing, read_options, start
from orderings import play_match
from plypilot.outside.spec import EngineSpec
from plypilot.searcher import Limit

PROGRAM = "fairy-stockfish"
MORE_FOLDERS = ("/usr/games",)
"""Looked into behind those of the PATH."""
SEED = 20_261


@dataclass(frozen=True)
class Peer:
    """How the other engine is spoken to in one game."""

    protocol: str
    options: Mapping[str, str]

    def contestant(self, program: str) -> pp.Contestant:
        """The engine as a player."""
        return pp.Contestant(
            PROGRAM, engine=EngineSpec(self.protocol, (program,), MappingProxyType(dict(self.options)))
        )


PEERS = {
    "breakthrough": Peer("uci", {"UCI_Variant": "breakthrough", "Move Overhead": "0"}),
    "shogi": Peer("usi", {"UCI_Variant": "shogi", "Move Overhead": "0"}),
}


@dataclass(frozen=True)
class Part:
    """The match of one game."""

    game: str
    games: int
    seconds: float


SCALES = {
    "tiny": (Part("breakthrough", 2, 0.002),),
    "quick": (Part("breakthrough", 20, 0.1), Part("shogi", 4, 0.1)),
    "breakthrough": (Part("breakthrough", 400, 0.1),),
    "shogi": (Part("shogi", 400, 0.1),),
    "full": (Part("breakthrough", 400, 0.1), Part("shogi", 400, 0.1)),
}


def find_program() -> str:
    """Where the other engine is."""
    folders = os.pathsep.join([os.environ.get("PATH", ""), *MORE_FOLDERS])
    program = shutil.which(PROGRAM, path=folders)
    if program is None:
        raise SystemExit(
            f"peers: {PROGRAM} is neither on the PATH nor in {', '.join(MORE_FOLDERS)}; "
            f"install it (Debian: apt install {PROGRAM}) and run the same command again"
        )
    return program


def play(made: Harness, part: Part, program: str) -> Figures:
    """One match; it goes on where it was ended."""
    limit = Limit(seconds=part.seconds)
    return play_match(
        made,
        f"{part.game} against {PROGRAM}",
        pp.Pilot.baseline(part.game),
        PEERS[part.game].contestant(program),
        games=part.games,
        limits=(limit, limit),
        seed=SEED,
    )


def _is_ahead(figures: Figures, least: float) -> tuple[bool, str]:
    told = figures.get("breakthrough")
    if told is None or told["games"] < 400:
        raise Missing("the rule is for 400 games")
    low, high = told["elo"][1:]
    return told["score"] >= least, f"{told['score']:.1%} of {told['games']} games, Elo {low:+.0f} to {high:+.0f}"


CLAIMS = [
    Claim(
        "Breakthrough is ahead of Fairy-Stockfish",
        "no seed played it: our own aim",
        "at least {tolerance} of the points of 400 games at 0.1 s a move",
        0.55,
        _is_ahead,
    )
]


def main(words: Sequence[str] | None = None) -> None:
    """Runs the experiment."""
    options = read_options(__doc__, words, scales=SCALES)
    program = find_program()
    made = Harness("peers", options.scale, threads=options.threads, folder=options.out)
    parts = SCALES[options.scale]
    try:
        figures = {
            part.game: {"pilot": pp.Pilot.baseline(part.game).digest[:16], **play(made, part, program)}
            for part in parts
        }
        made.print_table(
            f"The baselines against {PROGRAM}",
            ("game", "seconds a move", "games", "score", "Elo", "95%", "seconds used"),
            [
                (
                    part.game,
                    part.seconds,
                    told["games"],
                    f"{told['score']:.1%}",
                    f"{told['elo'][0]:+.0f}",
                    f"{told['elo'][1]:+.0f} to {told['elo'][2]:+.0f}",
                    " and ".join(map(str, told["seconds_used"])),
                )
                for part, told in zip(parts, figures.values(), strict=True)
            ],
        )
        settings = {
            "parts": [asdict(part) for part in parts],
            "peers": {part.game: [PEERS[part.game].protocol, dict(PEERS[part.game].options)] for part in parts},
            "openings": "random:6",
        }
        made.conclude(CLAIMS, figures, settings=settings, seed=SEED)
    finally:
        made.close()


if __name__ == "__main__":
    start(main)
