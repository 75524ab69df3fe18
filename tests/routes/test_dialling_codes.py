"""A dialling code has its plus sign, in every body that has one (interface §2.5); the public dialect takes any text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from marshmallow import Schema

from mock_server.contract.kinds.objects import ObjectOf
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.routes.good import GOOD, as_client, caller
from tests.wire import wire

WRONG: Final = ("1", "49", "0049", "+", "plus 1", " +1", "+x", "++1", "+1\n")
RIGHT: Final = ("+1", "+44", "+1-868", "+1 809", "", None)


def _phones(schema: Schema, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, field in schema.load_fields.items():
        if path[-1:] == ("phone",) and name == "country_code":
            yield (*path, name)
        if type(field) is ObjectOf:
            yield from _phones(field.schema, (*path, name))


def _places() -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, row in BY_NAME.items():
        shape: Any = row.takes[0].of(INTERFACE) if row.takes[0] is not None else None
        if isinstance(getattr(shape, "schema", None), Schema):
            yield from ((name, path) for path in _phones(shape.schema))


PLACES: Final = tuple(_places())


def _nested(path: tuple[str, ...], value: Any, into: Any) -> Any:
    first, *rest = path
    known = into.get(first) if isinstance(into, dict) else None
    return {**(into or {}), first: _nested(tuple(rest), value, known) if rest else value}


@pytest.mark.parametrize(("name", "path"), PLACES, ids=lambda one: one if isinstance(one, str) else ".".join(one))
def test_a_dialling_code_begins_with_a_plus_sign(name: str, path: tuple[str, ...]) -> None:
    api, row = wire(), BY_NAME[name]
    good = GOOD[name](api)
    client = caller(api, row)
    if client is not api:
        good = as_client(good, row)
    for code in WRONG:
        reply = good.sent(client, row, **_nested(path, code, good.body))
        assert reply.status == 400 and ".".join(path) in [one["field"] for one in reply.error["fields"]], code
    for right in RIGHT:
        reply = good.sent(client, row, **_nested(path, right, good.body))
        assert "country_code" not in reply.raw.decode() or reply.status == 200, (right, reply.raw)


@pytest.mark.parametrize("code", [*WRONG, *RIGHT])
def test_the_public_dialect_takes_any_text(code: str | None) -> None:
    reply = wire(dialect=HYPERSWITCH).pay(billing={"phone": {"number": "5550100", "country_code": code}})
    assert reply.status == 200, reply.raw
    assert reply["billing"]["phone"]["country_code"] == code


def test_the_interfaces_places_are_among_them() -> None:
    assert {("payments.create", (of, "phone", "country_code")) for of in ("billing", "shipping")} <= set(PLACES)
