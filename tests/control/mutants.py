"""Every way in which a place of a snapshot can be damaged, also inside the records and texts that it has as strings."""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final, NamedTuple

import msgspec

from mock_server.store.records import NAMED

Path = tuple[Any, ...]
MISSING: Final = "is missing"
AMISS: Final = "wW5hbYA="
"""An empty record, as JSON has bytes."""


def nested(levels: int) -> Any:
    """A value so many levels deep."""
    inner: Any = None
    for level in range(levels):
        inner = [inner] if level % 2 else {"a": inner}
    return inner


JUNK: Final[tuple[Any, ...]] = (
    *(None, [], {}, 2**53 - 1, 2**63, -1, 1.5, True, False, "", "no such word", "\ud83d", AMISS, [[]], [None]),
    *({"$bytes": AMISS}, {"$plain": {}}, "x" * 70_000, nested(50), nested(400)),
)
"""What can stand in a place; of each sort what most code would stumble over."""


class Inside(NamedTuple):
    """A step into a document that a string contains: how it is read and written."""

    name: str
    read: Callable[[str], Any]
    write: Callable[[Any], str]


def _record(text: str) -> Any:
    raw = base64.b64decode(text, validate=True)
    if not raw.startswith(NAMED):
        raise ValueError(text)
    return msgspec.msgpack.decode(raw[len(NAMED) :])


def _text(value: Any) -> str:
    return base64.b64encode(value).decode()


INSIDE: Final = (
    Inside("record", _record, lambda value: _text(NAMED + msgspec.msgpack.encode(value))),
    Inside(
        "bytes of JSON",
        lambda text: json.loads(base64.b64decode(text, validate=True)),
        lambda value: _text(json.dumps(value).encode()),
    ),
    Inside("JSON", json.loads, json.dumps),
)


def opened(text: str) -> Inside | None:
    """How the document in a string is read, if there is one."""
    for way in INSIDE:
        try:
            if isinstance(way.read(text), dict | list):
                return way
        except (ValueError, msgspec.DecodeError):
            continue
    return None


class Mutant(NamedTuple):
    """One place, and what stands there instead."""

    path: Path
    junk: Any
    how: str = ""

    def of(self, sound: Any) -> Any:
        """The damaged document."""
        return {**sound, "workspace": _put(sound["workspace"], self.path, self.junk)}

    def __repr__(self) -> str:
        steps = (step.name if isinstance(step, Inside) else str(step) for step in self.path)
        return f"{'.'.join(steps)}: {self.how} {str(self.junk)[:60]!r}"

    @property
    def sort(self) -> tuple[Path, str]:
        """Which field is damaged, wherever in its list, and how; as many mutants of each are chosen."""
        steps = zip(("", *self.path), self.path, strict=False)
        return tuple(step for before, step in steps if isinstance(before, int) or not isinstance(step, int)), self.how


def _put(value: Any, path: Path, junk: Any) -> Any:
    """The value with something else in a place, and with nothing copied that can be shared."""
    if not path:
        return junk
    step, *rest = path
    if isinstance(step, Inside):
        return step.write(_put(step.read(value), tuple(rest), junk))
    made = value.copy()
    if not rest and junk is MISSING:
        del made[step]
    else:
        made[step] = _put(made.get(step) if isinstance(made, dict) else made[step], tuple(rest), junk)
    return made


def places(value: Any, path: Path = (), most: int = 3) -> Iterator[tuple[Path, Any]]:
    """Every place in a document, with its value; of a long list three items and the last one."""
    inner: list[Any] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        numbered = list(enumerate(value))
        inner = numbered if len(numbered) <= 5 else [*numbered[:: len(numbered) // most], numbered[-1]]
    elif isinstance(value, str) and (way := opened(value)) is not None:
        yield from places(way.read(value), (*path, way), most)
    for step, item in inner:
        yield (*path, step), item
        yield from places(item, (*path, step), most)


def mutants(sound: Any) -> list[Mutant]:
    """Every place, damaged in every way."""
    found: list[Mutant] = []
    others: dict[Any, list[Any]] = defaultdict(list)
    every = list(places(sound["workspace"]))
    for path, value in every:
        others[path[-1]].append(value)
    for path, value in every:
        ways = {
            "missing": [MISSING],
            "junk": JUNK,
            "bent": _bent(value),
            "another": others[path[-1]][-5:],
            "renamed": _renamed(value),
        }
        for how, junk in ways.items():
            if INSIDE[0] in path:  # a record's bytes cannot hold half a character
                junk = [one for one in junk if one not in ("\ud83d", 2**63)]
            found += [Mutant(path, one, how) for one in junk if (one, type(one)) != (value, type(value))]
    return found


def _renamed(value: Any) -> Iterator[Any]:
    """An object with a name that is not known, or with one misspelled."""
    if isinstance(value, dict):
        yield from ({**value, "surprise": 1}, {**value, "at": 1})
        for name in value:
            yield {f"{name}x" if one == name else one: inner for one, inner in value.items()}


def _bent(value: Any) -> Iterator[Any]:
    """What looks nearly like a value."""
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, -value, float(value), str(value), value * 2**20)
        case str() if value:
            yield from (value[:-1], f"{value}x", value.upper(), value[::-1], [value])
        case list() if value:
            yield from ([*value, value[0]], value[1:], value[::-1], [*value, None], dict(enumerate(map(str, value))))
        case dict() if value:
            name, member = next(iter(value.items()))
            yield from ([*value], {**value, name: [member]}, [value])


def some(sound: Any, count: int) -> list[Mutant]:
    """So many of them, chosen by a fixed seed: as many of each sort, as far as there are."""
    draw = Random("damaged snapshots")
    sorts: dict[Any, list[Mutant]] = defaultdict(list)
    for mutant in mutants(sound):
        sorts[mutant.sort].append(mutant)
    stacks = list(sorts.values())
    draw.shuffle(stacks)
    for stack in stacks:
        draw.shuffle(stack)
    chosen: list[Mutant] = []
    while len(chosen) < count and any(stacks):
        chosen += [stack.pop() for stack in stacks if stack]
    return chosen[:count]
