"""Timing: what a move gets of its player's clock."""

import itertools

import pytest

import plypilot as pp


def expected_seconds(limit: pp.Limit, timing: pp.Timing) -> tuple[float, float]:
    """Hard and soft seconds of a move, computed from the words of the documentation."""

    def kept(seconds: float, margin: float) -> float:
        return max(seconds - margin, seconds / 10)

    assert limit.clock is not None
    margin = timing.margin_ms / 1000
    usable = kept(limit.clock + limit.byoyomi, margin)
    share = kept(limit.clock, margin) / (limit.moves_to_go or timing.moves_to_go)
    toll = margin / 20 * min(2 * margin / limit.clock, 1) if limit.clock else margin / 20
    share = kept(share + limit.increment * timing.increment_share + limit.byoyomi, toll)
    soft = min(share, usable) * timing.soft_share
    if limit.byoyomi:
        soft = max(soft, min(limit.byoyomi, usable))
    most = max(limit.clock * timing.most_share + limit.byoyomi, share)
    hard = max(min(share * timing.hard_share, most, usable), 1e-5)  # no time at all would be no limit
    return min(hard, limit.seconds or hard), soft


@pytest.mark.parametrize(
    "timing", [pp.Timing(), pp.Timing(moves_to_go=7, increment_share=0.2, margin_ms=3, soft_share=0.9, hard_share=1.5)]
)
def test_a_move_gets_its_share_of_the_clock(timing: pp.Timing) -> None:
    grid = itertools.product((0.01, 0.2, 5, 3600), (0, 0.002, 2), (None, 1, 40), (0, 0.1, 10), (None, 0.05, 3))
    for clock, increment, moves_to_go, byoyomi, seconds in grid:
        limit = pp.Limit(
            clock=clock, increment=increment, moves_to_go=moves_to_go, byoyomi=byoyomi, seconds=seconds, depth=3
        )
        given = pp.Clock(limit, timing)
        assert (given.seconds, given.soft_seconds) == pytest.approx(expected_seconds(limit, timing), rel=1e-12)
        assert given.nodes == 0


def test_nodes_of_a_clock_are_shared_among_threads() -> None:
    limit = pp.Limit(clock=3000, increment=100, unit="nodes")
    assert [pp.Clock(limit, threads=threads).nodes for threads in (1, 2, 3)] == [175, 88, 59]
    assert pp.Clock(pp.Limit(nodes=10, clock=3000, unit="nodes")).nodes == 10
    assert pp.Clock(limit).seconds == 0
