"""Networks that order moves, made ready once: searchers of the same pilot share them."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from plypilot import _core
from plypilot.networks import MoveNetwork, Network

_MOST_KEPT = 8
_kept: OrderedDict[tuple[str, int], tuple[MoveNetwork, _core.MoveMap]] = OrderedDict()
"""By game and by the identity of the network, which is kept beside so that no other can take its place."""
_changing = Lock()


def native_map(game: str, network: MoveNetwork | None) -> _core.MoveMap | None:
    """The network as searches take it; None for none."""
    if network is None:
        return None
    key = game, id(network)
    with _changing:
        if (known := _kept.get(key)) is not None:
            _kept.move_to_end(key)
            return known[1]
    made = _core.MoveMap(network.native_encoding(game), network.model_dump(include={"function", *Network.LAYERS}))
    with _changing:
        _kept[key] = network, made
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return made
