"""Schedulers: everyone meets whom they should, colours are even, and swiss pairings are by score."""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import SOAK
from plypilot.play.pairing import Pairing, gauntlet, round_robin, swiss_round
from plypilot.play.ratings import score_of


def balances(pairings: list[Pairing]) -> Counter[int]:
    """Firsts less seconds."""
    found: Counter[int] = Counter()
    for first, second in pairings:
        found[first] += 1
        found[second] -= 1
    return found


def named(pairings: list[Pairing]) -> list[int]:
    return list(itertools.chain.from_iterable(pairings))


class Swiss:
    """A tournament of players whose strength is known."""

    def __init__(self, players: int, seed: int) -> None:
        self.rng = random.Random(seed)
        self.seed = seed
        self.strengths = [self.rng.gauss(0, 200) for _ in range(players)]
        self.scores = [0.0] * players
        self.met: list[Pairing] = []
        self.rounds = 0

    def play(self) -> list[Pairing]:
        pairings = swiss_round(self.scores, self.met, self.seed, self.rounds)
        for player in set(range(len(self.scores))) - set(named(pairings)):
            self.scores[player] += 1
        for first, second in pairings:
            chance = score_of(self.strengths[first] - self.strengths[second])
            points = 0.5 if self.rng.random() < 0.2 else float(self.rng.random() < chance)
            self.scores[first] += points
            self.scores[second] += 1 - points
        self.met += pairings
        self.rounds += 1
        return pairings


# Round robin and gauntlet


@pytest.mark.parametrize("players", [*range(2, 13), 200])
@pytest.mark.parametrize("cycles", [1, 2, 3])
def test_in_a_round_robin_everyone_meets_everyone_once_a_cycle(players: int, cycles: int) -> None:
    rounds = list(round_robin(players, cycles))
    assert len(rounds) == cycles * (players - 1 + players % 2)
    meetings = Counter(frozenset(pairing) for pairings in rounds for pairing in pairings)
    assert meetings == Counter({frozenset(pair): cycles for pair in itertools.combinations(range(players), 2)})
    for pairings in rounds:
        assert len(named(pairings)) == len(set(named(pairings))) == players - players % 2
    byes = Counter(player for pairings in rounds for player in set(range(players)) - set(named(pairings)))
    assert byes == (Counter(dict.fromkeys(range(players), cycles)) if players % 2 else Counter())


@pytest.mark.parametrize("players", range(2, 13))
@pytest.mark.parametrize("challengers", range(1, 12))
@pytest.mark.parametrize("cycles", [1, 2])
def test_in_a_gauntlet_each_challenger_meets_each_other_player(players: int, challengers: int, cycles: int) -> None:
    if challengers >= players:
        with pytest.raises(ValueError, match=f"{challengers} challengers among {players} players"):
            next(gauntlet(players, challengers))
        return
    rounds = list(gauntlet(players, challengers, cycles))
    meetings = Counter(frozenset(pairing) for pairings in rounds for pairing in pairings)
    expected = itertools.product(range(challengers), range(challengers, players))
    assert meetings == Counter({frozenset(pair): cycles for pair in expected})
    for pairings in rounds:
        assert len(named(pairings)) == len(set(named(pairings))) > 0


@pytest.mark.parametrize("players", range(2, 13))
@pytest.mark.parametrize("cycles", [1, 2, 3])
def test_colours_are_even_but_for_one_game_and_even_after_two_cycles(players: int, cycles: int) -> None:
    schedules = [round_robin(players, cycles), *(gauntlet(players, some, cycles) for some in range(1, players))]
    for rounds in schedules:
        found = balances(list(itertools.chain.from_iterable(rounds)))
        assert max(map(abs, found.values())) <= cycles % 2


def test_one_player_alone_cannot_play() -> None:
    with pytest.raises(ValueError, match="1 players, expected at least 2"):
        next(round_robin(1))


# Swiss


@pytest.mark.parametrize("players", [200, 201])
def test_two_hundred_players_play_fifty_rounds_without_meeting_twice(players: int) -> None:
    """The size of Kocsis' tournament (appendix B)."""
    swiss = Swiss(players, seed=players)
    gaps = []
    seconds = -time.process_time()
    for _ in range(50):
        before = list(swiss.scores)
        pairings = swiss.play()
        assert len(named(pairings)) == len(set(named(pairings))) == 200
        gaps.append([abs(before[first] - before[second]) for first, second in pairings])
    seconds += time.process_time()
    assert seconds < 2  # about 0.25 on a quiet machine
    assert max(Counter(map(frozenset, swiss.met)).values()) == 1
    assert max(Counter(named(swiss.met)).values()) - min(Counter(named(swiss.met)).values()) <= players % 2
    assert max(map(abs, balances(swiss.met).values())) <= 2
    # Equal scores while there are new opponents with equal scores, near ones after.
    assert max(map(max, gaps[:8])) <= 1
    assert sum(map(sum, gaps[:10])) / 1000 < 0.05
    assert sum(map(sum, gaps)) / 5000 < 0.8


def test_the_stronger_players_end_above() -> None:
    swiss = Swiss(100, seed=4)
    for _ in range(20):
        swiss.play()
    by_score = sorted(range(100), key=lambda player: swiss.scores[player])
    strengths = [swiss.strengths[player] for player in by_score]
    assert sum(strengths[50:]) / 50 - sum(strengths[:50]) / 50 > 200


@given(st.integers(1, 9), st.integers(0, 25), st.integers(0, 10**6))
def test_everyone_plays_once_a_round_and_byes_go_round(players: int, rounds: int, seed: int) -> None:
    swiss = Swiss(players, seed)
    byes = Counter(dict.fromkeys(range(players), 0))
    for _ in range(rounds):
        pairings = swiss.play()
        assert len(named(pairings)) == len(set(named(pairings))) == players - players % 2
        byes.update(set(range(players)) - set(named(pairings)))
        assert max(byes.values()) - min(byes.values()) <= 1
        assert sum(swiss.scores) == (swiss.rounds * (players + players % 2)) / 2
    assert max(map(abs, balances(swiss.met).values()), default=0) <= 3


def fewest_rematches(players: int, met: set[frozenset[int]]) -> int:
    """Of all ways to pair all players, by trying all. Who had a bye (or a game less) has no other."""
    if players % 2 == 0:
        return fewest_among(list(range(players)), met)
    games = [sum(player in pair for pair in met) for player in range(players)]
    may_rest = [player for player in range(players) if games[player] == max(games)]
    return min(fewest_among([other for other in range(players) if other != player], met) for player in may_rest)


def fewest_among(free: list[int], met: set[frozenset[int]]) -> int:
    if not free:
        return 0
    one, *others = free
    return min(
        (frozenset((one, other)) in met) + fewest_among([each for each in others if each != other], met)
        for other in others
    )


@given(st.integers(2, 8), st.data())
def test_nobody_meets_again_while_that_can_be_avoided(players: int, data: st.DataObject) -> None:
    everyone = list(itertools.combinations(range(players), 2))
    met = data.draw(st.lists(st.sampled_from(everyone), unique=True))
    scores = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=players, max_size=players))
    pairings = swiss_round(scores, met, seed=1, round_number=1)
    known = set(map(frozenset, met))
    rematches = sum(frozenset(pairing) in known for pairing in pairings)
    assert (rematches > 0) == (fewest_rematches(players, known) > 0)


def test_regrouping_finds_the_one_way_left_in_large_tournaments() -> None:
    """All have met but for one hidden perfect matching and a few traps: only that matching avoids rematches."""
    for seed in range(40 if SOAK else 10):
        rng = random.Random(seed)
        players = rng.sample(range(30), 30)
        hidden = [(one, other) for one, other in zip(players[::2], players[1::2], strict=True)]
        unmet = {frozenset(pair) for pair in hidden}
        unmet |= {frozenset(rng.sample(range(30), 2)) for _ in range(seed * 3)}
        met = [pair for pair in itertools.combinations(range(30), 2) if frozenset(pair) not in unmet]
        pairings = swiss_round([rng.random() for _ in range(30)], met, seed, 1)
        assert all(frozenset(pairing) in unmet for pairing in pairings)


def test_players_who_met_everyone_meet_those_they_met_least() -> None:
    met = list(itertools.combinations(range(6), 2))
    met += [(0, 1), (2, 3), (4, 5), (0, 2), (1, 4), (3, 5)]
    pairings = swiss_round([0.0] * 6, met, seed=0, round_number=7)
    counts = Counter(map(frozenset, met))
    assert [counts[frozenset(pairing)] for pairing in pairings] == [1, 1, 1]


def test_the_seed_and_the_round_decide_and_nothing_else() -> None:
    def pair(seed: int, number: int) -> list[Pairing]:
        return swiss_round([0.0] * 20, [], seed, number)

    assert pair(1, 1) == pair(1, 1)
    assert pair(1, 1) != pair(2, 1) != pair(1, 2) != pair(1, 1)


def test_the_lowest_player_has_the_bye() -> None:
    assert set(named(swiss_round([2, 1, 0, 3, 1], [], 0, 1))) == {0, 1, 3, 4}
    met = [(0, 1), (3, 4)]  # 2 had one
    assert set(named(swiss_round([2, 1, 0.5, 3, 1.5], met, 0, 2))) == {0, 2, 3, 4}


def test_who_moved_second_moves_first() -> None:
    assert swiss_round([1, 1], [(0, 1)], 0, 2) == [(1, 0)]
    assert set(swiss_round([1, 1, 0, 0], [(0, 2), (3, 1)], 0, 2)) == {(1, 0), (2, 3)}


def test_tournaments_of_nobody_and_of_one_have_no_pairings() -> None:
    assert swiss_round([], [], 0, 1) == []
    assert swiss_round([0], [], 0, 1) == []


def test_pairings_of_unknown_players_are_refused() -> None:
    for wrong in ((0, 2), (-1, 0), (1, 1)):
        with pytest.raises(ValueError, match="expected two of the players 0 to 1"):
            swiss_round([0, 0], [wrong], 0, 1)
