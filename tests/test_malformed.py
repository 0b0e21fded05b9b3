"""Damaged position strings: never a crash or a hang, always a message that names the field at fault."""

from __future__ import annotations

import random

import pytest

import plypilot as pp
from conftest import NATIVE_GAMES, random_game

MUTATIONS_PER_GAME = 25_000  # 100,000 over the four games
FIELDS = (
    "rank", "board", "side", "castling", "en passant", "halfmove", "fullmove", "move number", "hands", "hand",
    "fields", "king", "piece", "pawn", "check",
)  # fmt: skip


def mutate(text: str, rng: random.Random) -> str:
    """One to three small accidents: a character lost, doubled, changed or moved, a field lost or doubled."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(7)
        if kind == 0:
            text = text[:at] + text[at + 1 :]
        elif kind == 1:
            text = text[:at] + rng.choice("pPkKqQrRbBnNlLgGsSwWxX+-/0123456789 aehi\x00é\n") + text[at:]
        elif kind == 2:
            text = text[:at] + rng.choice("pPkKqQrRbBnNlLgGsSwWxX+-/0123456789 aehi\x00é\n") + text[at + 1 :]
        elif kind == 3:
            end = rng.randrange(len(text) + 1)
            text = text[:at] + text[min(at, end) : max(at, end)] + text[at:]
        elif kind == 4:
            fields = text.split(" ")
            del fields[rng.randrange(len(fields))]
            text = " ".join(fields)
        elif kind == 5:
            fields = text.split(" ")
            fields.insert(rng.randrange(len(fields)), rng.choice(fields))
            text = " ".join(fields)
        else:
            text = text[:at]
        text = text or " "
    return text


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_mutated_position_strings_are_read_or_refused_by_field(game: str) -> None:
    rng = random.Random(f"mutations of {game}")
    sources = [random_game(game, seed, 80).fen() for seed in range(50)]
    refused = accepted = 0
    for _ in range(MUTATIONS_PER_GAME):
        text = mutate(rng.choice(sources), rng)
        try:
            position = pp.Position(game, text)
        except pp.BadPosition as error:
            refused += 1
            message = str(error)
            assert message.startswith("fen: ")
            assert any(field in message for field in FIELDS), message
            assert "\n" not in message
            continue
        accepted += 1
        again = pp.Position(game, position.fen())
        assert (again.fen(), again.key) == (position.fen(), position.key)
        moves = position.moves()
        position.outcome()
        position.draw()
        if moves:
            move = rng.choice(moves)
            position.move_features(move)
            position.push(move)
            position.moves()
            position.pop()
        assert position.fen() == again.fen()
    assert refused > MUTATIONS_PER_GAME / 5
    assert accepted > MUTATIONS_PER_GAME / 100


@pytest.mark.parametrize("game", NATIVE_GAMES)
@pytest.mark.parametrize("text", ["", " ", "/" * 1000, "8" * 100_000, "startpos", "\x00", "é", "9" * 30 + " w - - 0 1"])
def test_nonsense_is_refused(game: str, text: str) -> None:
    with pytest.raises(pp.BadPosition) as caught:
        pp.Position(game, text)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("game", NATIVE_GAMES)
def test_damaged_move_texts_are_refused_and_change_nothing(game: str) -> None:
    rng = random.Random(game)
    position = random_game(game, 5, 20)
    before, legal = position.fen(), {str(move) for move in position.moves()}
    for _ in range(2000):
        text = mutate(rng.choice(sorted(legal)), rng)
        try:
            move = position.parse(text)
        except pp.IllegalMove as error:
            assert "is not legal in" in str(error)
        else:
            assert str(move) in legal
    assert position.fen() == before
