"""Messages of validation, and where in the text each belongs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mock_server.scenario.model.mistakes import Mistake, nearest
from mock_server.scenario.schema.nodes import Node, Step, Way, mark_of

WHOLE: Final = "_schema"
"""Marshmallow's key for what is wrong with a block as a whole."""


class Sentence(str):
    """A message that needs no subject before it."""

    __slots__ = ()


class KeySentence(Sentence):
    """A sentence about a key, not about its value."""

    __slots__ = ()


def unknown(key: str, what: str, known: object) -> KeySentence:
    """The sentence about a key that nobody knows."""
    names = [str(name) for name in known] if hasattr(known, "__iter__") else []
    return KeySentence(f"unknown key {key} in {what}{nearest(key, names)}")


def mistakes(errors: Any, root: Node, file: str) -> list[Mistake]:
    """Marshmallow's nested errors as mistakes with their places."""
    found = []
    for way, message in _leaves(errors, ()):
        mark = mark_of(root, way, key=isinstance(message, KeySentence))
        found.append(Mistake(file, mark.line, mark.column, _said(way, message, with_way=not mark.line)))
    return found


def _leaves(errors: Any, way: Way) -> Iterator[tuple[Way, str]]:
    if isinstance(errors, Mapping):
        for key, below in errors.items():
            yield from _leaves(below, way if key == WHOLE else (*way, key))
    elif isinstance(errors, list | tuple):
        for message in errors:
            yield from _leaves(message, way)
    else:
        yield way, errors


def _said(way: Way, message: str, *, with_way: bool) -> str:
    said = message if isinstance(message, Sentence) else f"{_subject(way)} {message}"
    return f"{said} (at {_written(way)})" if with_way and way else str(said)


def _subject(way: Way) -> str:
    if not way:
        return "the scenario"
    last = way[-1]
    if isinstance(last, int):
        return f"item {last + 1} of {_subject(way[:-1])}"
    return str(last)


def _written(way: Way) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in way).lstrip(".")


def at(way: tuple[Step, ...], message: str) -> dict[Step, Any]:
    """Nested errors that hold one message at the end of a way."""
    nested: Any = [message]
    for step in reversed(way):
        nested = {step: nested}
    return dict(nested)
