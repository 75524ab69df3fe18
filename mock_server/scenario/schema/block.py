"""A document as nodes with their places; blocks (mappings with known keys), other mappings, lists, and alternatives.

Each block is a marshmallow schema; the messages about mistakes are here too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any, ClassVar, Final

from marshmallow import EXCLUDE, Schema, ValidationError, validates_schema
from msgspec import Struct

from mock_server.contract.kinds.base import FieldKind, Json
from mock_server.scenario.model.mistakes import MOST_SHOWN, Mistake, nearest
from mock_server.scenario.schema.kinds import ScenarioKind, described, read_each, wrong
from mock_server.scenario.schema.long_work import in_turns

Step = str | int
Way = tuple[Step, ...]


class Mark(Struct, frozen=True, gc=False):
    """A place in a text, both from 1; (0, 0) where there never was a text."""

    line: int = 0
    column: int = 0


NOWHERE: Final = Mark()


class Node(Struct, gc=False):  # never part of a cycle: an alias can only refer to what has ended
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
        return [node.plain() for node in self.entries] if self.entries is not None else self.scalar


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
        return find(root, way[:-1]).key_marks.get(way[-1], find(root, way).mark)
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


_WHOLE: Final = "_schema"
"""Marshmallow's key for the mistakes of a whole block."""


class _Sentence(str):
    """A message with its own subject."""

    __slots__ = ()


class KeySentence(_Sentence):
    """A message about a key, not about its value."""

    __slots__ = ()


def unknown(key: str, what: str, known: Iterable[str]) -> KeySentence:
    """The message about an unknown key."""
    hint = ": YAML 1.2 has no merge keys; repeat the keys" if key == "<<" else nearest(key, known)
    return KeySentence(f"unknown key {key} in {what}{hint}")


def mistakes(errors: Any, root: Node, file: str) -> list[Mistake]:
    """Marshmallow's nested errors as mistakes with their places."""
    found = []
    for way, message in _leaves(errors, ()):
        mark = mark_of(root, way, key=isinstance(message, KeySentence))
        said = message if isinstance(message, _Sentence) else f"{_subject(way)} {message}"
        steps = [] if mark.line else [f"[{step}]" if isinstance(step, int) else f".{step}" for step in way]
        found.append(Mistake(file, mark.line, mark.column, str(said), "".join(steps).lstrip(".")))
    return found


def _leaves(errors: Any, way: Way) -> Iterator[tuple[Way, str]]:
    if isinstance(errors, str):
        yield way, errors
    elif isinstance(errors, Mapping):
        for key, below in errors.items():
            yield from _leaves(below, way if key == _WHOLE else (*way, key))
    else:
        for message in errors:
            yield from _leaves(message, way)


def _subject(way: Way) -> str:
    if not way:
        return "the scenario"
    last = way[-1]
    return f"item {last + 1} of {_subject(way[:-1])}" if isinstance(last, int) else str(last)


class SchemaBlock(Schema):
    """A mapping with known keys. Unknown keys are found along with other mistakes.

    `what` names it in messages; by default, it is the name of the class: `settles` of `SettlesBlock`.
    """

    what: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.what = vars(cls).get("what", cls.__name__.removesuffix("Block").lower())

    @classmethod
    def hint(cls, value: object) -> str:
        """What to write instead of a value that is not a mapping."""
        return ""

    class Meta:
        unknown = EXCLUDE

    def on_bind_field(self, field_name: str, field_obj: Any) -> None:
        """Gives a kind of the API's bodies the language's own messages."""
        field_obj.error_messages |= ScenarioKind.default_error_messages

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _known_keys(self, data: Any, original: Any, **kwargs: Any) -> None:
        keys = self.keys()
        strange = [key for key in original if key not in keys]
        errors = {key: [unknown(key, self.what, keys)] for key in strange[:MOST_SHOWN]}
        if len(strange) > MOST_SHOWN:
            errors[strange[MOST_SHOWN - 1]] = [
                KeySentence(f"{len(strange) - MOST_SHOWN + 1} more unknown keys in {self.what}")
            ]
        if errors:
            raise ValidationError(errors)

    @classmethod
    @cache
    def keys(cls) -> Mapping[str, FieldKind]:
        """Its keys as they are written, in order."""
        found: dict[str, Any] = dict(_schema(cls).fields.items())
        return {field.data_key or name: field for name, field in found.items()}

    @classmethod
    def json(cls) -> Json:
        keys = cls.keys()
        found: Json = {
            "type": "object",
            "properties": {name: described(kind) for name, kind in keys.items()},
            "additionalProperties": False,
        }
        required = [name for name, kind in keys.items() if kind.required]
        return {**found, "required": required} if required else found


@cache
def _schema(block: type[SchemaBlock]) -> SchemaBlock:
    """The schema of a block: making one takes longer than using it."""
    return block()


class Nested(ScenarioKind):
    """A block in a block."""

    def __init__(self, block: type[SchemaBlock], about: str = "", **options: Any) -> None:
        super().__init__(about, **options)
        self.block = block

    def json(self) -> Json:
        return {"$ref": f"#/$defs/{self.block.__name__}"}

    def read(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise wrong(value, "a mapping of keys", self.block.hint(value))
        return load(self.block, value)


def load(block: type[SchemaBlock], value: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a block by attribute; ValidationError has all its mistakes."""
    try:
        made: dict[str, Any] = _schema(block).load(value)
    except ValidationError as refused:
        refused.__traceback__ = None  # leads to marshmallow's frame, which holds the error: a cycle with all of a call
        raise
    return made


def sentence(text: str) -> ValidationError:
    """A mistake of a whole block."""
    return ValidationError([_Sentence(text)])


class MappingOf(ScenarioKind):
    """A mapping with any keys, or with keys of the kind `key`."""

    def __init__(self, values: FieldKind, key: FieldKind | None = None, about: str = "", **options: Any) -> None:
        super().__init__(about, **options)
        self.values = values
        self.key = key
        self.most = 10_000

    def json(self) -> Json:
        found: Json = {"type": "object", "additionalProperties": described(self.values)}
        return {**found, "propertyNames": self.key.json()} if self.key else found

    def read(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise wrong(value, "a mapping")
        if len(value) > self.most:
            raise ValidationError(f"has {len(value)} keys; the maximum is {self.most}")
        made: dict[str, Any] = {}
        errors: dict[str, Any] = {}
        for key, item in in_turns(value.items()):
            own, problems = self._key(key)
            try:
                made[own] = self.values.deserialize(item)
            except ValidationError as found:
                below: Any = found.messages
                if problems:
                    below = {_WHOLE: problems, **below} if isinstance(below, dict) else [*problems, *below]
                problems = below
            if problems:
                errors[key] = problems
        if errors:
            raise ValidationError(errors, valid_data=made)
        return made

    def _key(self, key: str) -> tuple[str, Any]:
        """The key as it is stored, and its mistakes."""
        if self.key is None:
            return key, []
        try:
            return str(self.key.deserialize(key)), []
        except ValidationError as found:
            return key, [KeySentence(f"the key {message}") for message in found.messages]


class ListOf(ScenarioKind):
    """A list; `lone`: or one value. An item with mistakes becomes None, or with `partly` what could be read of it."""

    def __init__(
        self,
        inner: FieldKind,
        about: str = "",
        lone: bool = False,
        least: int = 1,
        most: int = 10_000,
        partly: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(about, **options)
        self.inner = inner
        self.lone = lone
        self.least = least
        self.most = most
        self.partly = partly

    def json(self) -> Json:
        many: Json = {"type": "array", "items": described(self.inner), "minItems": self.least}
        return {"anyOf": [self.inner.json(), many]} if self.lone else many

    def read(self, value: Any) -> list[Any]:
        if isinstance(value, list):
            if not self.least <= len(value) <= self.most:
                span = "one item" if self.most == 1 else f"{self.least} to {self.most} items"
                raise ValidationError(f"must have {span}, not {len(value)}")
            return read_each(enumerate(value), lambda at, item: self.inner.deserialize(item), self._part)
        if not self.lone:
            raise wrong(value, "a list")
        try:
            return [self.inner.deserialize(value)]
        except ValidationError as found:
            raise ValidationError(found.messages, valid_data=[self._part(found)]) from None

    def _part(self, found: ValidationError) -> Any:
        return found.valid_data if self.partly and isinstance(found.valid_data, dict) else None


class OneOf(ScenarioKind):
    """A value of one of several kinds, as `choose` decides."""

    def __init__(
        self, choose: Callable[[Any], FieldKind], kinds: Iterable[FieldKind], about: str = "", **options: Any
    ) -> None:
        super().__init__(about, **options)
        self.choose = choose
        self.kinds = tuple(kinds)

    def json(self) -> Json:
        return {"anyOf": [described(kind) for kind in self.kinds]} if len(self.kinds) > 1 else self.kinds[0].json()

    def read(self, value: Any) -> Any:
        return self.choose(value).deserialize(value)
