"""Hand-set evaluations, one file a game: the references that learning must beat.

A file is plain data and ``weights()``. Weights are in score units, 100 to a pawn or a piece, and belong to named
features of the game, so that each can be learned.
"""

from collections.abc import Callable
from importlib import import_module
from types import ModuleType

from plypilot.game_name import base_name

Weights = dict[str, dict[str, float]]
"""Feature set -> feature -> weight. Features left out weigh nothing."""


def evaluation_weights(game: str, which: str = "baseline") -> Weights:
    """The hand-set weights of a game: its ``baseline``, or one of the ``ALTERNATIVES`` that its file names.

    Variants (``breakthrough-6x5``) have the weights of their game.
    """
    module = _find(base_name(game))
    if module is None:
        raise ValueError(f'game "{game}" has no hand-set evaluation')
    evaluations: dict[str, Callable[[], Weights]] = {"baseline": module.weights, **getattr(module, "ALTERNATIVES", {})}
    if which not in evaluations:
        known = ", ".join(evaluations)
        raise ValueError(f'game "{game}" has no hand-set evaluation "{which}", only {known}')
    return evaluations[which]()


def _find(name: str) -> ModuleType | None:
    if not name.isidentifier():
        return None
    home = f"{__name__}.{name}"
    try:
        return import_module(home)
    except ModuleNotFoundError as error:
        if error.name != home:
            raise
        return None
