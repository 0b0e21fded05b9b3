"""A well-behaved engine that plays at random: ``random_mover.py uci|usi [GAME]``. It knows the rules from plypilot."""

import random
import sys

import plypilot as pp


def main() -> None:
    protocol = sys.argv[1]
    game = sys.argv[2] if len(sys.argv) > 2 else "shogi" if protocol == "usi" else "chess"
    chance = random.Random(0)
    position = pp.Position(game)
    for line in sys.stdin:
        match line.split():
            case ["uci" | "usi"]:
                print(f"id name Random mover\noption name Seed type spin default 0 min 0 max 1000\n{protocol}ok")
            case ["setoption", "name", "Seed", "value", seed]:
                chance = random.Random(int(seed))
            case ["isready"]:
                print("readyok")
            case ["position", "startpos", *moves]:
                position = replay(pp.Position(game), moves)
            case ["position", "fen" | "sfen", *words]:
                fen = words[: words.index("moves")] if "moves" in words else words
                position = replay(pp.Position(game, " ".join(fen)), words[len(fen) :])
            case ["go", *_]:
                print(f"info depth 1 score cp 0 nodes 1\nbestmove {chance.choice(position.moves())}")
            case ["quit"]:
                return
        sys.stdout.flush()


def replay(position: pp.Position, words: list[str]) -> pp.Position:
    for move in words[1:]:  # after "moves"
        position.push(move)
    return position


main()
