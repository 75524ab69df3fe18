"""What the API accepts can be restored: every field of every operation with the ends of what its kind takes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, Final

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.kinds.objects import Items, ObjectOf, Variant
from mock_server.contract.kinds.texts import Choice, Text, Timestamp
from mock_server.contract.kinds.values import Decimal, Duration, Flag, Free, Instant, Whole
from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.contract.requests.shapes import Many
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.domain.limits import AMOUNT_MAX
from mock_server.sandbox.soundness import check_stored
from mock_server.store.protocol import DumpRefused
from tests.api.money_places import fine
from tests.api.saving import ACCEPTANCE, CUSTOMER
from tests.counts import times
from tests.routes.good import GOOD, Good, caller
from tests.routes.hostile import FAR, control
from tests.wire import Wire, card_payment, wire

EACH: Final = times(14, soak=100_000)
"""How many calls of an operation are made."""
NUMBERS: Final = count(1)
DATES: Final = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z")
PARTS: Final[Mapping[str, Any]] = {"a": {"b": [1e308, -5e-324, 2**53 - 1, None, True, "\0", {}]}}
LARGE: Final[Mapping[str, Any]] = {"a": {"b": [float(2**53), -1e16, 1e20], "cvc": None}}
"""Whole doubles, which are written without an exponent, beside a name for which the journal looks at the answer."""
NESTED: Final = {"a": json.loads("[" * 61 + "]" * 61), "cvc": None}
"""As deep as a body may be."""
ENDS: Final[Mapping[type, tuple[Any, ...]]] = {
    Instant: DATES,
    Timestamp: DATES,
    Whole: (0, 1, AMOUNT_MAX, AMOUNT_MAX - 1, 2**53 - 1, -1, -(2**53 - 1)),
    Decimal: (0, 1, 1e20, 1e308, -1e308, 5e-324),
    Flag: (True, False),
    Duration: ("0s", "3650d"),
    Text: ("", "\0", "\u2028\U0001f0cf", "x" * 64, "x" * 255),
    Free: ({}, PARTS, LARGE, {"\0": "", "x" * 40: "y" * 500}),
    object: (*DATES, 0, -1, 1e308, "", "\0", True, {}, PARTS, LARGE, []),
}
"""By kind, the nearest one of the field's."""
SAVES: Final = {
    **card_payment(),
    "confirm": True,
    "customer_id": CUSTOMER,
    "setup_future_usage": "off_session",
    "mandate_data": {"customer_acceptance": ACCEPTANCE, "mandate_type": {"multi_use": None}},
}
MORE: Final[Mapping[str, Mapping[str, Any]]] = {
    "payments.create": SAVES,
    "payments.update": SAVES,
    "payments.replace": SAVES,
    "payments.confirm": {name: value for name, value in SAVES.items() if name != "confirm"},
}
"""Bodies with more than is needed, so that more fields are accepted."""
YAML: Final = {"Content-Type": "application/yaml"}
SNAPSHOT: Final = "/_sandbox/snapshots/<name>"
"""There is none."""
Put = Callable[[Any], Any]
"""Makes what is sent with a value in one place."""


def sample(field: Any) -> Any:
    """A plain value of a kind."""
    if isinstance(field, ObjectOf):
        schema = field.schema_for({field.on: next(iter(field.variants))} if isinstance(field, Variant) else {})
        return {name: sample(one) for name, one in schema.load_fields.items() if one.required}
    if isinstance(field, Choice):
        return field.words[0]
    plain = {Items: [], Flag: True, Whole: 1, Decimal: 1, Instant: DATES[1], Timestamp: DATES[1], Free: {}}
    return next((value for kind, value in plain.items() if isinstance(field, kind)), field.metadata.get("example", "x"))


def ends(field: Any) -> tuple[Any, ...]:
    if isinstance(field, Choice):
        return field.words[-1:]
    return next(values for kind, values in ENDS.items() if isinstance(field, kind))


def places(fields: Mapping[str, Any], put: Put, path: str = "") -> Iterator[tuple[str, Put, Any]]:
    """Every field, with what puts a value there beside all that must be there."""
    needed = {name: sample(one) for name, one in fields.items() if one.required and path}
    for name, field in fields.items():
        yield from _within(field, _beside(put, needed, name), f"{path}{name}")


def _beside(put: Put, others: Mapping[str, Any], name: str = "") -> Put:
    return lambda value: put({**others, **({name: value} if name else value)})


def _within(field: Any, put: Put, path: str) -> Iterator[tuple[str, Put, Any]]:
    for value in ends(field) if not isinstance(field, ObjectOf | Items) else ([],):
        yield path, put, value
    if isinstance(field, Items):
        yield from _within(field.inner, lambda value: put([value]), f"{path}.0")
    elif isinstance(field, Variant):
        for word in field.variants:
            said = {field.on: word}
            yield from places(field.schema_for(said).load_fields, _beside(put, said), f"{path}[{word}].")
    elif isinstance(field, ObjectOf):
        yield from places(field.schema.load_fields, put, f"{path}.")


def calls(row: Operation) -> list[tuple[str, Put, Any]]:
    shape: Any = row.takes[0]
    shape = shape and shape.of(INTERFACE)
    if isinstance(shape, Many):
        return list(places(shape.one.schema.load_fields, lambda value: [value], "0."))
    return list(places(shape.schema.load_fields, lambda value: value))


def merged(body: Any, other: Any) -> Any:
    """A body with what another one has, at every depth."""
    if not (isinstance(body, dict) and isinstance(other, dict)):
        return other
    return {**body, **{name: merged(body.get(name), one) for name, one in other.items()}}


def lost(api: Wire) -> str:
    """What is wrong with the workspace's snapshot, or with what a file would have of it."""
    key = parse(api.key)
    assert isinstance(key, ApiKey)
    try:
        check_stored(api.sandbox.workspace(key).space.state, lambda: None)
    except DumpRefused as refused:
        return str(refused)
    taken = api.put("/_sandbox/snapshots/accepted?journal=1")
    if taken.status != 200:
        return taken.raw.decode()
    reply = api.post("/_sandbox/snapshots/accepted/restore")
    return "" if reply.status == 200 else reply.raw.decode()


EVERY: Final = {row.name: row for row in (*OPERATIONS, *CONTROL_OPERATIONS)}
ROWS: Final = [
    row
    for row in EVERY.values()
    if row.takes[0] and not row.multipart and row.reads_body(row.method) and row.name not in FAR
]


@pytest.fixture(scope="module")
def server() -> Wire:
    return wire(rate_limit=10**9)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_is_accepted_is_restored(server: Wire, row: Operation) -> None:
    every, number = calls(row), next(NUMBERS)
    some = every if len(every) <= EACH else [every[(number * 37 + at * 101) % len(every)] for at in range(EACH)]
    some = [("", lambda value: value, {}), *some]
    wrong, accepted = [], 0
    for at, (path, put, value) in enumerate(some):
        api = server.as_key(f"snd_accepted_{number:03}_{at:06}")
        good = GOOD[row.name](api) if row.name in GOOD else control(api, row)
        client = caller(api, row)
        body = merged(merged(good.body, MORE.get(row.name, {})), put(value)) if path else good.body
        if good.secret and client is not api:
            body = {**body, "client_secret": good.secret}
        reply = client.call(row.method, good.path(row), body, headers=dict(good.headers))
        assert reply.status in (501, *range(500)), (path, value, reply.raw)
        if reply.status < 400:
            accepted += 1
            if why := lost(api):
                wrong.append((path, json.dumps(value)[:60], why))
    assert not wrong
    assert accepted or row.name not in GOOD


SHOWING: Final = [
    row for row in CONTROL_OPERATIONS if row.method == "GET" and row.name not in ("control.readyz", "control.metrics")
]
RULE: Final = """
rules:
  - on: refunds.create
    when: {payment.metadata.a.b.2: 1.0e+20}
    then: {outcome: failed}
"""


@pytest.mark.parametrize("metadata", [LARGE, NESTED], ids=["large", "nested"])
def test_what_is_accepted_is_shown(metadata: Mapping[str, Any]) -> None:
    """Every view of the control API, and a scenario's condition, read it."""
    api = wire()
    assert api.call("PUT", "/_sandbox/scenarios/rule", raw=RULE.encode(), headers=YAML).status == 200
    assert api.post("/_sandbox/scenarios/rule/activate").status == 200
    ids = {"payment_id": fine(api.pay(metadata=metadata))["payment_id"], "name": "rule", "kind": "payments"}
    refund = fine(api.post("/refunds", {"payment_id": ids["payment_id"], "amount": 1, "metadata": metadata}))
    assert refund["status"] == ("failed" if metadata is LARGE else "succeeded")
    ids["event_id"] = fine(api.get("/_sandbox/webhooks"))["data"][0]["event_id"]
    shown = {
        row.path: api.get(Good(ids, query="?text=65.40" * row.name.endswith("search")).path(row)) for row in SHOWING
    }
    assert {path: reply.status for path, reply in shown.items() if reply.status != 200} == {SNAPSHOT: 404}
