"""A document as nodes with their places, and the messages about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

from msgspec import Struct

from mock_server.scenario.model.mistakes import Mistake, nearest

Step = str | int
Way = tuple[Step, ...]


class Mark(Struct, frozen=True):
    """A place in a text, both from 1; (0, 0) where there never was a text."""

    line: int = 0
    column: int = 0


NOWHERE: Final = Mark()


class Node(Struct):
    """A value with its place; `size` counts the values in it, so that aliases cannot grow without bound."""

    mark: Mark
    scalar: object = None
    items: dict[str, Node] | None = None
    key_marks: dict[str, Mark] = {}
    entries: list[Node] | None = None
    size: int = 1

    def plain(self) -> object:
        """The value without places: dict, list, text, number, truth value or None."""
        if self.items is not None:
            return {key: node.plain() for key, node in self.items.items()}
        if self.entries is not None:
            return [node.plain() for node in self.entries]
        return self.scalar


def find(root: Node, way: Way) -> Node:
    """The node at a way, or the last one on the way."""
    for step in way:
        if isinstance(step, str):
            below = None if root.items is None else root.items.get(step)
        elif root.entries is None:
            below = root  # one value instead of a list
        else:
            below = root.entries[step] if step < len(root.entries) else None
        if below is None:
            return root
        root = below
    return root


def mark_of(root: Node, way: Way, key: bool = False) -> Mark:
    """The place of a value, or with `key` of its key. A missing one has the place of what it is missing in."""
    if key and way and isinstance(way[-1], str):
        return find(root, way[:-1]).key_marks.get(way[-1], NOWHERE)
    return find(root, way).mark


def from_value(value: object) -> Node:
    """Nodes without places for a mapping that was made in Python or read from JSON. ValueError says what is wrong.

    A key `true` is what a YAML 1.1 reader makes of `on`; numbers as keys become text.
    """
    counted = count(1)

    def node(value: object, depth: int) -> Node:
        if next(counted) > MOST_NODES or depth > DEEPEST:
            raise ValueError(f"is too large: the maximum is {MOST_NODES} values, nested {DEEPEST} levels deep")
        if isinstance(value, Mapping):
            return Node(NOWHERE, items={_key(key): node(item, depth + 1) for key, item in value.items()})
        if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
            return Node(NOWHERE, entries=[node(item, depth + 1) for item in value])
        return Node(NOWHERE, scalar=_scalar(value))

    return node(value, 0)


MOST_NODES: Final = 100_000
DEEPEST: Final = 32


def _key(key: object) -> str:
    if key is True:
        return "on"
    if isinstance(key, str | int) and key is not False:
        return str(key)
    raise ValueError(f"has the key {key!r}; keys are text")


def _scalar(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return str(value)
    if hasattr(value, "isoformat"):  # a date, as a YAML 1.1 reader makes it
        return str(value.isoformat())
    raise ValueError(f"holds a {type(value).__name__}; only text, numbers, booleans, lists and mappings are allowed")


WHOLE: Final = "_schema"
"""Marshmallow's key for the mistakes of a whole block."""


class Sentence(str):
    """A message with its own subject."""

    __slots__ = ()


class KeySentence(Sentence):
    """A message about a key, not about its value."""

    __slots__ = ()


def unknown(key: str, what: str, known: Iterable[str]) -> KeySentence:
    """The message about an unknown key."""
    return KeySentence(f"unknown key {key} in {what}{nearest(key, known)}")


def mistakes(errors: Any, root: Node, file: str) -> list[Mistake]:
    """Marshmallow's nested errors as mistakes with their places."""
    found = []
    for way, message in _leaves(errors, ()):
        mark = mark_of(root, way, key=isinstance(message, KeySentence))
        said = message if isinstance(message, Sentence) else f"{_subject(way)} {message}"
        if way and not mark.line:
            written = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in way).lstrip(".")
            said = f"{said} (at {written})"
        found.append(Mistake(file, mark.line, mark.column, str(said)))
    return found


def _leaves(errors: Any, way: Way) -> Iterator[tuple[Way, str]]:
    if isinstance(errors, str):
        yield way, errors
    elif isinstance(errors, Mapping):
        for key, below in errors.items():
            yield from _leaves(below, way if key == WHOLE else (*way, key))
    else:
        for message in errors:
            yield from _leaves(message, way)


def _subject(way: Way) -> str:
    if not way:
        return "the scenario"
    last = way[-1]
    if isinstance(last, int):
        return f"item {last + 1} of {_subject(way[:-1])}"
    return str(last)
