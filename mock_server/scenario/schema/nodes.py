"""A document as nodes that know where they stand, and the messages about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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


@dataclass(slots=True)
class Node:
    """A value with its place; `size` counts the values in it, so that aliases cannot grow without bound."""

    mark: Mark
    scalar: object = None
    items: dict[str, Node] | None = None
    key_marks: dict[str, Mark] = field(default_factory=dict)
    entries: list[Node] | None = None
    size: int = 1

    def plain(self) -> object:
        """The value without places: dict, list, text, number, truth value or None."""
        if self.items is not None:
            return {key: node.plain() for key, node in self.items.items()}
        if self.entries is not None:
            return [node.plain() for node in self.entries]
        return self.scalar


def _child(node: Node, step: Step) -> Node | None:
    if isinstance(step, int):
        if node.entries is None:
            return node  # one value where a list could stand
        return node.entries[step] if step < len(node.entries) else None
    return None if node.items is None else node.items.get(step)


def find(root: Node, way: Way) -> Node:
    """The node at a way, or the last one that is there."""
    for step in way:
        below = _child(root, step)
        if below is None:
            return root
        root = below
    return root


def mark_of(root: Node, way: Way, key: bool = False) -> Mark:
    """Where a value stands; with `key`, where its key does. What is missing stands where its owner begins."""
    if key and way and isinstance(way[-1], str):
        return find(root, way[:-1]).key_marks.get(way[-1], NOWHERE)
    return find(root, way).mark


def from_value(value: object) -> Node:
    """Nodes without places for a mapping that was made in Python or read from JSON. ValueError says what is wrong.

    A key `true` is what a YAML 1.1 reader makes of `on`; numbers as keys become their digits.
    """
    return _Builder().node(value, 0)


class _Builder:
    def __init__(self) -> None:
        self.count = 0

    def node(self, value: object, depth: int) -> Node:
        self.count += 1
        if self.count > MOST_NODES or depth > DEEPEST:
            raise ValueError(f"is too large: the maximum is {MOST_NODES} values, nested {DEEPEST} levels deep")
        if isinstance(value, Mapping):
            return Node(NOWHERE, items={_key(key): self.node(item, depth + 1) for key, item in value.items()})
        if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
            return Node(NOWHERE, entries=[self.node(item, depth + 1) for item in value])
        return Node(NOWHERE, scalar=_scalar(value))


MOST_NODES: Final = 100_000
DEEPEST: Final = 32


def _key(key: object) -> str:
    if key is True:
        return "on"
    if isinstance(key, str):
        return str(key)
    if isinstance(key, int) and key is not False:
        return str(key)
    raise ValueError(f"has the key {key!r}; keys are text")


def _scalar(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return str(value)
    if hasattr(value, "isoformat"):  # what a YAML 1.1 reader makes of a date
        return str(value.isoformat())
    raise ValueError(f"holds a {type(value).__name__}; only text, numbers, booleans, lists and mappings are allowed")


# messages

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


def at(way: Way, message: str) -> dict[Step, Any]:
    """Nested errors that hold one message at the end of a way."""
    nested: Any = [message]
    for step in reversed(way):
        nested = {step: nested}
    return dict(nested)
