"""A field that is said to have no effect has none: nothing that a merchant or a customer sees changes but the field.

Each such field of each call, at any depth of its body or in its query, is sent with what its kind takes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

import pytest
from marshmallow import Schema

from mock_server.contract.kinds.objects import Items, ObjectOf, Variant
from mock_server.contract.kinds.texts import Choice
from mock_server.contract.kinds.values import Flag
from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.dialects import DIALECTS, get
from tests.causes.raising import ADMIN, BARE
from tests.counts import SOAK
from tests.dialects import public
from tests.routes.good import caller, good
from tests.routes.test_accepted_lasts import sample
from tests.wire import Reply, Wire, card_payment, wire

SAID: Final = "has no effect"
Way = tuple[str, ...]
"""The names that lead to a field of a body; lists on the way have one item."""


class Idle(NamedTuple):
    """A field that is said to have no effect."""

    dialect: str
    row: Operation
    way: Way
    field: Any

    @property
    def schema(self) -> Schema:
        shape: Any = self.row.takes[0]
        found: Schema = shape.of(get(self.dialect)).schema
        return found

    def __str__(self) -> str:
        return f"{self.dialect} {self.row.method} {self.row.path} {'.'.join(self.way)}"


def within(field: Any) -> Any:
    """What is inside an object, or inside the items of a list; None for all others."""
    inner = field.inner if isinstance(field, Items) else field
    return inner.schema if isinstance(inner, ObjectOf) and not isinstance(inner, Variant) else None


def fields(schema: Schema, way: Way = ()) -> Iterator[tuple[Way, Any]]:
    for name, field in schema.load_fields.items():
        if SAID in field.metadata.get("description", ""):
            yield (*way, name), field
        elif (inner := within(field)) is not None and len(way) < 3:
            yield from fields(inner, (*way, name))


def every() -> Iterator[Idle]:
    for dialect in DIALECTS:
        for row in OPERATIONS:
            schema = getattr(row.takes[0] and row.takes[0].of(get(dialect)), "schema", None)
            if schema is not None and not row.multipart:
                yield from (Idle(dialect, row, way, field) for way, field in fields(schema))


def values(field: Any) -> list[Any]:
    """Of words the first and the last, of a switch both, of a list one item; of an object what it must have, or all."""
    if isinstance(field, Flag):
        return [True, False]
    if isinstance(field, Choice):
        return list(dict.fromkeys((field.words[-1], field.words[0])))
    if isinstance(field, Items):
        return [[one] for one in values(field.inner)]
    if (inner := within(field)) is not None:
        plain = {name: one for name, one in inner.load_fields.items() if within(one) is None}
        return [sample(field) or {name: values(one)[0] for name, one in plain.items()}]
    return ["Visa" if (found := sample(field)) == "x" else found or {"a": "b"}]


def with_value(schema: Schema, body: Any, way: Way, value: Any) -> Any:
    """A body with a value in its place, beside all that must be there; None leaves the place empty."""
    known = schema.load_fields
    body = {**{name: sample(one) for name, one in known.items() if one.required}, **(body or {})}
    if way[1:]:
        field, here = known[way[0]], body.get(way[0])
        is_list = isinstance(field, Items)
        made = with_value(within(field), here[0] if is_list and here else here, way[1:], value)
        return {**body, way[0]: [made] if is_list else made}
    return body if value is None else {**body, way[0]: value}


def views(api: Wire, reply: Reply) -> Iterator[Reply]:
    """What the call answers, and what shows a merchant or a customer anything that it has changed."""
    yield reply
    found = reply.json if isinstance(reply.json, dict) else {}
    shop = {**BARE, "profile_id": found.get("profile_id") or "pro_shop"}
    yield (made := api.post("/payments", shop))
    yield api.post("/payments", {**card_payment(), **shop, "confirm": True, "authentication_type": "three_ds"})
    yield api.post("/payments", {**shop, "payment_link": True})
    if made.status == 200:
        one, secret = made["payment_id"], {"client_secret": made["client_secret"]}
        for path in ("/account/payment_methods", f"/payments/{one}/client"):
            yield api.page().get(f"{path}?{urlencode(secret)}")
        yield api.page().post("/payments/session_tokens", {"payment_id": one, "wallets": [], **secret})
    for merchant in dict.fromkeys(filter(None, (found.get("merchant_id"), made.json.get("merchant_id")))):
        for path in (f"/accounts/{merchant}", f"/account/{merchant}/profile", f"/account/{merchant}/connectors"):
            yield api.as_key(ADMIN).get(path)
    for what in ("records/payments", "records/refunds", "records/disputes", "records/mandates", "webhooks?limit=100"):
        yield api.get(f"/_sandbox/{what}")


def without(value: Any, name: str) -> Any:
    """An answer without the field itself."""
    if isinstance(value, list):
        return [without(one, name) for one in value]
    if isinstance(value, dict):
        return {key: without(one, name) for key, one in value.items() if key != name}
    return value


OTHERWISE: Final = {"card": "payment_method_data"}
"""Fields that are not sent together with another one."""


def seen(idle: Idle, value: Any) -> list[Any]:
    """Everything that is seen of a call with a value in this field, and after it; without the field for None."""
    api = wire(dialect=get(idle.dialect))
    ready, client = good(api, idle.row), caller(api, idle.row)
    path, body = ready.path(idle.row), ready.body
    if idle.row.reads_body(idle.row.method):
        body = dict(body or {})
        if idle.way[0] == "payment_method_data" and idle.row.name.startswith("payments."):
            body = {**{name: one for name, one in card_payment().items() if name.startswith("payment_method")}, **body}
        body.pop(OTHERWISE.get(idle.way[0]), None)
        body = with_value(idle.schema, body, idle.way, value)
    elif value is not None:
        text = value[0] if isinstance(value, list) else value
        said = {idle.way[0]: text if isinstance(text, str) else json.dumps(text)}
        path += ("&" if "?" in path else "?") + urlencode(said)
    reply = client.call(idle.row.method, path, body, headers=dict(ready.headers))
    assert reply.status == 200, (value, reply.raw)
    return [(one.status, without(one.json, idle.way[-1])) for one in views(api, reply)]


IDLE: Final = list(every())


@pytest.mark.parametrize("idle", IDLE if SOAK else IDLE[::130], ids=str)
def test_a_field_without_effect_has_none(idle: Idle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public, "agree", lambda *_: None)  # objects of any form are sent, and come back so
    usual = seen(idle, None)
    for value in values(idle.field):
        assert seen(idle, value) == usual, value
