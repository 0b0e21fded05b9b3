"""Who plays whom: round robin, gauntlet, swiss. Pure functions of numbers; players are 0, 1, 2, ...

A pairing is (first, second): the player who moves first comes first. A player whom a round does not name has a bye.
"""

from __future__ import annotations

import random
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

Pairing = tuple[int, int]
"""The first player and the second."""


def round_robin(players: int, cycles: int = 1) -> Iterator[list[Pairing]]:
    """Rounds in which everyone meets everyone once a cycle. Each player's firsts and seconds differ by one at most.

    With an odd number each player has one bye a cycle. Every other cycle swaps the colours.
    """
    _expect_players(players)
    seats = players - 1 + players % 2
    for cycle in range(cycles):
        for turn in range(seats):
            # Players whose numbers add up to the turn meet (the circle method). The distance from i to j decides the
            # colours: seats are odd in number, so of the distances there and back just one is odd.
            pairs = [(i, (turn - i) % seats) for i in range(seats) if (turn - 2 * i) % seats % 2 == 1]
            if players % 2 == 0:
                middle = (turn + seats * (turn % 2)) // 2
                pairs.append((middle, seats) if turn % 2 else (seats, middle))
            yield _coloured(pairs, cycle)


def gauntlet(players: int, challengers: int = 1, cycles: int = 1) -> Iterator[list[Pairing]]:
    """Rounds in which each of the first players meets each of the others, and nobody else, once a cycle.

    Each player's firsts and seconds differ by one at most. Every other cycle swaps the colours.
    """
    _expect_players(players)
    if not 0 < challengers < players:
        raise ValueError(f"gauntlet: {challengers} challengers among {players} players, expected 1 to {players - 1}")
    others = players - challengers
    rounds = max(challengers, others)
    for cycle in range(cycles):
        for turn in range(rounds):
            met = ((i, (turn - i) % rounds) for i in range(challengers))
            pairs = [(i, challengers + j) if (i + j) % 2 == 0 else (challengers + j, i) for i, j in met if j < others]
            yield _coloured(pairs, cycle)


def swiss_round(scores: Sequence[float], met: Iterable[Pairing], seed: int, round_number: int) -> list[Pairing]:
    """The next round of a swiss tournament: players with about equal scores meet (Kocsis 2003, appendix B).

    ``met`` holds the pairings of all rounds so far. Nobody meets an opponent again while that can be avoided, and then
    one of those met least often. With an odd number the lowest player of those who had fewest byes is left out; that
    should be scored as a win. Equal scores are paired at random, which the seed and the round's number decide.
    """
    players = len(scores)
    meetings, balance, was_first = _history(players, met)
    rng = random.Random(f"swiss {seed} {round_number}")
    order = sorted(range(players), key=lambda player: (-scores[player], rng.random()))
    mate: dict[int, int] = {}
    if players % 2:
        bye = players  # one player more, who stands for a bye
        lowest = next(player for player in reversed(order) if not meetings[bye][player])
        mate[bye], mate[lowest] = lowest, bye
        order.append(bye)
    place = {player: at for at, player in enumerate(order)}
    for most in count():  # how often opponents may have met before: never, if that is possible
        if len(mate) == len(order):
            break
        _pair_neighbours(order, scores, balance, meetings, most, mate)
        for player in order:
            if player not in mate:
                _pair_by_regrouping(player, place, meetings, most, mate)
    round_pairs = []
    for one in order:
        other = mate[one]
        if place[one] < place[other] and other != players:
            wishes = [(balance[player], was_first[player], rng.random()) for player in (one, other)]
            round_pairs.append((one, other) if wishes[0] < wishes[1] else (other, one))
    return round_pairs


def _history(players: int, met: Iterable[Pairing]) -> tuple[list[list[int]], list[int], list[bool]]:
    """How often players met (one player more stands for byes), their firsts less seconds, who was first in its last."""
    meetings = [[0] * (players + 1) for _ in range(players + 1)]
    balance = [0] * players
    was_first = [False] * players
    for first, second in met:
        if not (0 <= first < players and 0 <= second < players) or first == second:
            raise ValueError(f"swiss: pairing {(first, second)}, expected two of the players 0 to {players - 1}")
        meetings[first][second] += 1
        meetings[second][first] += 1
        balance[first] += 1
        balance[second] -= 1
        was_first[first], was_first[second] = True, False
    games = [sum(row) for row in meetings[:players]]
    for player in range(players):
        # A player who played less than others has had more byes, and gets no other before they have had theirs.
        had_bye = games[player] < max(games)
        meetings[player][players] = meetings[players][player] = sys.maxsize if had_bye else 0
    return meetings, balance, was_first


def _pair_neighbours(
    order: Sequence[int],
    scores: Sequence[float],
    balance: Sequence[int],
    meetings: Sequence[Sequence[int]],
    most: int,
    mate: dict[int, int],
) -> None:
    """Pairs each player, from the top, with the next one below whom it has met at most so often.

    Among those of one score it takes one with whom colours can be evened out.
    """
    free = [player for player in order if player not in mate]
    while free:
        one = free.pop(0)
        best = None
        for other in free:
            if meetings[one][other] > most:
                continue
            if best is not None and scores[other] < scores[best]:
                break
            if best is None or balance[one] * balance[other] < balance[one] * balance[best]:
                best = other
            if balance[one] * balance[best] <= -abs(balance[one]):
                break
        if best is not None:
            mate[one], mate[best] = best, one
            free.remove(best)


def _pair_by_regrouping(
    root: int,
    place: dict[int, int],
    meetings: Sequence[Sequence[int]],
    most: int,
    mate: dict[int, int],
) -> bool:
    """Pairs a player who is left over with another such by changing pairs between them; False if that cannot be.

    Edmonds' algorithm (1965): a path from the root along pairs that may be made and pairs that are, in turn, to another
    free player. An odd cycle on the way is treated as one player (its base), for it can be left from any of its
    members. With no such path from any free player, there is no way to make more pairs.
    """
    base = {player: player for player in place}
    reached_from: dict[int, int] = {}
    """Players at odd distance from the root, and who reached them."""
    even = {root}
    queue = deque([root])

    def common_base(one: int, other: int) -> int:
        trail = set()
        while True:
            one = base[one]
            trail.add(one)
            if one == root:
                break
            one = reached_from[mate[one]]
        while (other := base[other]) not in trail:
            other = reached_from[mate[other]]
        return other

    def enter_cycle(one: int, bottom: int, across: int, cycle: set[int]) -> None:
        while base[one] != bottom:
            cycle |= {base[one], base[mate[one]]}
            reached_from[one] = across
            across = mate[one]
            one = reached_from[across]

    while queue:
        one = queue.popleft()
        for other in sorted(place, key=lambda player: abs(place[player] - place[one])):
            if base[one] == base[other] or mate.get(one) == other or meetings[one][other] > most:
                continue
            if other in even:
                bottom = common_base(one, other)
                cycle: set[int] = set()
                enter_cycle(one, bottom, other, cycle)
                enter_cycle(other, bottom, one, cycle)
                for player in place:
                    if base[player] in cycle:
                        base[player] = bottom
                        if player not in even:
                            even.add(player)
                            queue.append(player)
            elif other not in reached_from:
                reached_from[other] = one
                if other in mate:
                    even.add(mate[other])
                    queue.append(mate[other])
                    continue
                while other != root:  # the path's pairs change hands, from its end to the root
                    one = reached_from[other]
                    following = mate.get(one, root)
                    mate[one], mate[other] = other, one
                    other = following if one != root else root
                return True
    return False


def _coloured(pairs: list[Pairing], cycle: int) -> list[Pairing]:
    """As they are in even cycles, swapped in odd ones."""
    return [(second, first) for first, second in pairs] if cycle % 2 else pairs


def _expect_players(players: int) -> None:
    if players < 2:
        raise ValueError(f"{players} players, expected at least 2")
