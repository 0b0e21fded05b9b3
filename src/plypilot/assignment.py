"""Settings as a command line gives them: words of the form key=value, their values in JSON or as plain text."""

from __future__ import annotations

import json


def read_assignment(word: str, example: str) -> tuple[str, str]:
    """The key and the text of the value; the example shows in an error what such a word looks like. Raises ValueError.

    >>> read_assignment("pruning.null_reduction = 3", "depth=2")
    ('pruning.null_reduction', '3')
    """
    key, equals, value = word.partition("=")
    if not equals:
        raise ValueError(f'"{word}" is not of the form key=value, such as {example}')
    return key.strip(), value.strip()


def read_value(text: str) -> object:
    """The value that a text stands for: JSON where it is JSON, else the text itself.

    >>> read_value("3"), read_value("true"), read_value("pvs")
    (3, True, 'pvs')
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
