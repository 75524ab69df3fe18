"""marshmallow's nested messages as a flat list of wrong fields, in an order that is the same in every run.

Known fields come in the schema's order, then unknown ones in the body's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from marshmallow import Schema
from marshmallow.exceptions import SCHEMA
from marshmallow.fields import Field
from msgspec import Struct

from mock_server.contract.kinds.base import Broken, FieldKind
from mock_server.contract.kinds.objects import MOST_WRONG, Body, Items, ObjectOf
from mock_server.domain.errors import Cause, FieldError
from mock_server.guesses import hint

_KEY_SHOWN: Final = 40
_GUESSES: Final = 20
NO_RULE: Final[Broken] = ("", {})


def field_errors(schema: Schema, data: Any, messages: Any, stranger: Cause) -> tuple[FieldError, ...]:
    """The first wrong fields of a body, and how many more were found; `stranger` is the cause of an unknown key."""
    found = _with_guesses(_of_object(schema, data, messages, ""), stranger)
    listed = tuple(islice(found, MOST_WRONG))
    more = sum(1 for _ in found)
    return (*listed, FieldError("body", f"has at least {more} more mistakes", listed[-1].cause)) if more else listed


class _Stranger(Struct, frozen=True):
    """An unknown key, and the known names of its object."""

    path: str
    key: str
    known: tuple[str, ...]


def _of_object(schema: Schema, data: Any, messages: Mapping[Any, Any], path: str) -> Iterator[FieldError | _Stranger]:
    """The mistakes of an object; of very many unknown keys the schema has looked at the first alone."""
    known = tuple(schema.load_fields)
    for name in known:
        if name in messages:
            needed = name in schema.rules.required if isinstance(schema, Body) else False
            yield from _of_field(schema.load_fields[name], _item(data, name), messages[name], _join(path, name), needed)
    strange = [key for key in data if key not in schema.load_fields] if isinstance(data, Mapping) else []
    for key in strange:
        if key in messages or strange[0] in messages:
            yield _Stranger(_join(path, _short(key)), key, known)
    if SCHEMA in messages and SCHEMA not in schema.load_fields and not (isinstance(data, Mapping) and SCHEMA in data):
        yield _said(path, messages[SCHEMA], rule=("" if isinstance(data, Mapping) else "type", {}))


def _of_field(
    field: Field[Any], value: Any, messages: Any, path: str, needed: bool = False
) -> Iterator[FieldError | _Stranger]:
    if isinstance(messages, Mapping) and isinstance(field, ObjectOf):
        yield from _of_object(field.schema_for(value), value, messages, path)
    elif isinstance(messages, Mapping) and isinstance(field, Items):
        for index in sorted(messages):
            item, said, place = _item(value, index), messages[index], _join(path, str(index))
            if item is None:
                yield _said(place, "must not be null")
            else:
                yield from _of_field(field.inner, item, said, place)
    elif isinstance(messages, Mapping):
        for key, said in messages.items():
            yield _said(_join(path, _short(str(key))), said)
    elif value is None:
        yield _said(path, messages, Cause.VALUE_MISSING, ("needed" if needed else "missing", {}))
    else:
        yield _said(path, messages, rule=field.broken(value) if isinstance(field, FieldKind) else NO_RULE)


def _with_guesses(found: Iterable[FieldError | _Stranger], stranger: Cause) -> Iterator[FieldError]:
    guesses = _GUESSES
    for mistake in found:
        if isinstance(mistake, FieldError):
            yield mistake
        else:
            guesses -= 1
            meant = hint(mistake.key, mistake.known) if guesses >= 0 else ""
            rule = ("unknown_field", {"hint": meant})
            yield _said(mistake.path, f"is not a known field{meant}", stranger, rule)


def _said(path: str, messages: Any, cause: Cause = Cause.VALUE_INVALID, rule: Broken = NO_RULE) -> FieldError:
    words = " and ".join(map(str, messages)) if isinstance(messages, list) else str(messages)
    return FieldError(path, words, cause, rule[0], {"name": path.rpartition(".")[2], **rule[1]})


def _item(value: Any, key: Any) -> Any:
    try:
        return value[key]
    except (KeyError, IndexError, TypeError):
        return None


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _short(key: str) -> str:
    return key if len(key) <= _KEY_SHOWN else f"{key[:_KEY_SHOWN]}…"
