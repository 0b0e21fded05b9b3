"""Replays folders of real game records, and says of each that does not replay why.

    python experiments/replay_records.py --data FOLDER

FOLDER is searched for SGF files (Lines of Action), CSA files and archives of them (shogi). A record is accepted
when every move is legal and none comes after the end; else it is counted under its reason.
"""

from __future__ import annotations

import argparse
import re
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from plypilot.data import Record, RecordError, read_csa, read_sgf


def csa_texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and text of each CSA file, archives included."""
    for path in sorted(folder.rglob("*.csa")):
        yield str(path), path.read_bytes().decode("ascii", "replace")
    for path in sorted(folder.rglob("*csa*.tar.gz")):
        with tarfile.open(path) as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isfile() else None
                if file:
                    yield member.name, file.read().decode("ascii", "replace")


def strip_server_lines(text: str) -> str:
    """Without the lines that begin with '#', a game server's own."""
    return re.sub(r"(?m)^#.*$", "", text)


def records(folder: Path) -> Iterator[tuple[str, str, Record | RecordError]]:
    """Game, name and content of every record in a folder."""
    for path in sorted(folder.rglob("*.sgf")):
        for number, record in enumerate(read_sgf(path.read_text("utf-8", "replace")), 1):
            yield "loa", f"{path.name} game {number}", record
    for name, text in csa_texts(folder):
        try:
            yield "shogi", name, read_csa(strip_server_lines(text))
        except RecordError as error:
            yield "shogi", name, error


def main() -> None:
    """Prints a table of what replayed and the reasons of what did not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with game records")
    parser.add_argument("--list", action="store_true", help="name every refused record")
    arguments = parser.parse_args()
    replayed, plies, refused = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    for game, name, record in records(arguments.data):
        try:
            if isinstance(record, RecordError):
                raise record
            record.replay()
        except RecordError as error:
            reason = re.sub(r'^(game|line|move) \d+:? ?|\(.*?\)|".*?" ?| in .*', "", str(error)).strip(": ")
            refused[game, re.sub(r"^(move|line) \d+:? ?", "", reason)] += 1
            if arguments.list:
                print(f"{name}: {error}")
        else:
            replayed[game] += 1
            plies[game] += len(record.moves)
    for game in sorted(replayed.keys() | {game for game, _ in refused}):
        out = sum(count for (which, _), count in refused.items() if which == game)
        print(f"{game}: {replayed[game]} replayed ({plies[game]} moves), {out} refused")
        for (which, reason), count in refused.most_common():
            if which == game:
                print(f"    {count:4} {reason}")


if __name__ == "__main__":
    main()
