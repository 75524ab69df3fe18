"""A text of the length that the public API states is taken, and one that is a character longer is refused for it.

The table (public_lengths.txt) has the lengths, by schema and field, wherever a body has that schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.counts import times
from tests.dialects.parameters import operation
from tests.dialects.public_values import ROUTES, Place, parts, plain, value, variants, with_value
from tests.openapi.agreeing import Disagreement
from tests.routes.good import GOOD, caller
from tests.wire import wire

LENGTHS: Final[dict[str, dict[str, int]]] = {
    schema: {name: int(most) for name, most in (one.split() for one in fields.split(", "))}
    for schema, _, fields in (
        line.partition(": ")
        for line in Path(__file__).with_name("public_lengths.txt").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    )
}
OTHERWISE: Final[dict[str, str]] = {
    **dict.fromkeys(
        (f"AddressDetails.{name}" for name in ("city", "line1", "line2", "line3", "origin_zip", "zip")),
        "the public server does not check it",
    ),
    "CustomerDetails.phone": "255 characters, as the same field of a customer",
    "CustomerDetails.phone_country_code": "255 characters, as the same field of a customer",
    "InternalNetworkTokenizationCredentials": "credentials are not stored",
    "MerchantDetails": "only stored, of any length",
    "PaymentLinkTransactionDetails": "only stored, of any length",
    "PaymentMethodUpdate.client_secret": "a secret is as long as its object's ID and its own twenty characters",
    "RefundRequest.merchant_id": "an ID has 64 characters (facts §2.10)",
    "payment_method_data": "a method reads its own data alone",
    "payment_id": "an ID of a caller has 64 characters (facts §2.10)",
    "refund_id": "an ID of a caller has 64 characters (facts §2.10)",
    "statement_descriptor_name": "22 characters (interface §8.5)",
}
"""Schemas, fields and what they are in that have another length here, or none, with the reason."""


NAMES: Final = [route for route in ROUTES if operation(route).name in GOOD]


def limited(schema: Any, way: Place = (), seen: frozenset[str] = frozenset()) -> Iterator[tuple[Place, str, int]]:
    """Every text of a body that has a longest one: the way to it, its schema and that length."""
    name = schema.get("$ref", "").rpartition("/")[2]
    if name in seen:
        return
    seen, schema = seen | {name} - {""}, plain(schema)
    for number, one in enumerate(variants(schema)):
        yield from limited(one, (*way, number), seen)
    if "items" in schema:
        yield from limited(schema["items"], (*way, "[]"), seen)
    for key, member in parts(schema)[0].items():
        if most := LENGTHS.get(name, {}).get(key):
            yield (*way, key), name, most
        yield from limited(member, (*way, key), seen)


def text(name: str, length: int) -> str:
    """A text of that length, of the kind that a field has."""
    if "url" in name:
        return "https://shop.test/".ljust(length, "a")
    if "email" not in name:
        return "a" * length
    host = ".".join(("b" * 60, "b" * 60, "b" * 60, "test"))
    return f"{'a' * 30}@{'b' * (length - len(host) - 32)}.{host}"


def cases() -> Iterator[tuple[str, Place, str, int]]:
    """The places that are tried: each field once, or wherever it can be."""
    tried = set()
    for route, schema in ((one, ROUTES[one]) for one in NAMES):
        for way, owner, most in limited({"$ref": f"#/{schema}"}):
            if times(0, soak=1) or (owner, way[-1]) not in tried:
                tried.add((owner, way[-1]))
                yield route, way, owner, most


CASES: Final = list(cases())


def test_every_length_is_tried() -> None:
    assert {(owner, way[-1]) for _, way, owner, _ in CASES} == {
        (schema, name) for schema, fields in LENGTHS.items() for name in fields
    }


@pytest.mark.parametrize("route", NAMES)
def test_the_longest_text_is_taken_and_a_longer_one_refused(route: str) -> None:
    row, schema, wrong = operation(route), {"$ref": f"#/{ROUTES[route]}"}, []
    for way, owner, most in [one[1:] for one in CASES if one[0] == route]:
        name = str(way[-1])
        if {owner, name, f"{owner}.{name}", way[0]} & OTHERWISE.keys():
            continue
        api = wire(dialect=HYPERSWITCH)
        good = GOOD[row.name](api)
        base = {**(good.body or {}), **value(schema)} if way[0] in parts(schema)[0] else None
        told = []
        for length in (most, most + 1):
            body = with_value(schema, way, text(name, length), base)
            try:
                reply = caller(api, row).call(row.method, good.path(row), body, headers=dict(good.headers))
            except Disagreement:  # answers with what was sent: test_public_echoes.py
                told.append(False)
            else:
                told.append(reply.status >= 400 and f"at most {most} characters" in reply.error["message"])
        if told != [False, True]:
            wrong.append((way, most, reply.raw[:150]))
    assert not wrong, (len(wrong), wrong)
