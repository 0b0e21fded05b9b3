"""Reference evaluations, one file a game, which learning must beat: set by hand, but for that of Breakthrough.

A file is plain data and ``weights()``. Weights are in score units, 100 to a pawn or a piece where the file has no
``pawn()`` that says otherwise, and belong to named features of the game, so that each can be learned.
"""

from collections.abc import Callable
from importlib import import_module
from types import ModuleType

from plypilot.game_name import base_name

DEFAULT_PAWN = 100.0
"""Score units of a pawn, where a file says nothing else."""
Weights = dict[str, dict[str, float]]
"""Feature set -> feature -> weight. Features left out weigh nothing."""


def evaluation_weights(game: str, which: str = "baseline") -> Weights:
    """The reference weights of a game: its ``baseline``, or one of the ``ALTERNATIVES`` that its file names.

    Variants (``breakthrough-6x5``) have the weights of their game.
    """
    evaluations = _evaluations(game)
    if not evaluations:
        raise ValueError(f'game "{game}" has no hand-set evaluation')
    if which not in evaluations:
        known = ", ".join(evaluations)
        raise ValueError(f'game "{game}" has no hand-set evaluation "{which}", only {known}')
    return evaluations[which]()


def pawn_value(game: str, which: str = "baseline") -> float:
    """What counts as a pawn beside the weights of the same name, in score units."""
    own = getattr(_find(base_name(game)), "pawn", None) if which == "baseline" else None
    return DEFAULT_PAWN if own is None else float(own())


def evaluation_names(game: str) -> tuple[str, ...]:
    """What ``evaluation_weights`` can give: the baseline first; none for a game without hand-set evaluations."""
    return tuple(_evaluations(game))


def _evaluations(game: str) -> dict[str, Callable[[], Weights]]:
    module = _find(base_name(game))
    return {} if module is None else {"baseline": module.weights, **getattr(module, "ALTERNATIVES", {})}


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
