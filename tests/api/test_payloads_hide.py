"""Card data in a payment method's data that is no card: it is neither stored nor returned, whatever its name is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain.methods import PAYLOADS, PUBLIC_PAYLOADS, Payload
from tests.api.canaries import sent
from tests.api.money_places import refused
from tests.api.test_canaries import NAMES, spellings
from tests.api.test_public_methods import TYPED
from tests.counts import times
from tests.domain.test_hiding_values import CODE_NAMES, NUMBER_NAMES
from tests.wire import Wire, wire

NUMBER: Final = "4539578763621486"
CODE: Final = "9137"
ROWS: Final = tuple({(row.group, row.name): row for row in (*PAYLOADS, *PUBLIC_PAYLOADS)}.values())
PAID: Final = {"amount": 6540, "currency": "EUR", "profile_id": "pro_shop"}
INSIDE: Final = (None, "paymentData", "info.assurance_details")
"""The objects in which a wallet's member stands."""


def members() -> Iterator[tuple[str, Any]]:
    """What a wallet's data can hold: numbers and codes under every name that says so, and in texts under others."""
    numbers = (*NUMBER_NAMES, "dpan", "device_pan", "tokenPan", "applicationPrimaryAccountNumber")
    yield from ((name, form) for name in numbers for form in (NUMBER, int(NUMBER), [NUMBER], {"value": NUMBER}))
    yield from ((name, form) for name in (*NAMES, *CODE_NAMES) for form in (CODE, int(CODE), [CODE], {"value": CODE}))
    yield from (("display_name", text) for number in spellings(NUMBER) for text in (number, f"Visa {number}"))
    yield from (("some", form) for form in (int(NUMBER), [NUMBER], [[{"a": NUMBER}]], {NUMBER: 1}, f"cvc: {CODE}"))
    yield "text", json.dumps({"pan": NUMBER, "cvc": CODE})


def payloads(row: Payload) -> Iterator[dict[str, Any]]:
    """The data of one row with card data: in each of its fields, or under any name if they are free."""
    good = {name: TYPED.get(name, f"any {name}") for name in row.required}
    for name in row.fields or ():
        yield from ({**good, name: text} for text in (NUMBER, f"{NUMBER}@upi", f"of {NUMBER}, cvc: {CODE}"))
    if row.fields is None:
        for name, member in members():
            for path in INSIDE:
                inner = {name: member}
                for step in reversed(path.split(".") if path else []):
                    inner = {step: inner}
                yield {"token": "t", **inner}


@pytest.mark.parametrize("group", dict.fromkeys(row.group for row in ROWS))
def test_no_payload_is_stored_or_returned_with_card_data(group: str) -> None:
    apis = {False: wire(inbox=50), True: wire(inbox=50, dialect=HYPERSWITCH)}
    some = [row for row in ROWS if row.group == group]
    free = [row for row in some if row.fields is None]
    taken = 0
    for row in [row for row in some if row.fields is not None] + free[: times(2, soak=99)]:
        api = apis[row in PUBLIC_PAYLOADS]
        for data in payloads(row):
            method = {"payment_method": row.group, "payment_method_type": row.type}
            inner = data if row.group in ("crypto", "reward") else {row.name: data}
            body = {**method, "payment_method_data": {row.group: inner}, **PAID}
            made = sent(api, "POST", "/payments", json.dumps(body).encode())
            taken += made.status == 200
            assert holding(made.raw.decode()) == [], data
    for api in apis.values():
        assert holding(stored(api)) == []
    assert taken or not any(row.fields or row.fields is None for row in some)


def holding(text: str) -> list[str]:
    return [one for one in (NUMBER, CODE) if one in "".join(sign for sign in text if sign not in " -.\u00a0\u2011")]


def stored(api: Wire) -> str:
    return "".join(repr(space.space.dump()) for space in api.sandbox.workspaces())


@pytest.mark.parametrize("number", [NUMBER, "4539 5787 6362 1486", f"of {NUMBER}"])
@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_a_blocked_fingerprint_is_no_number(method: str, number: str) -> None:
    api = wire()
    reply = api.call(method, "/blocklist", {"type": "fingerprint", "data": number})
    assert refused(reply) == (400, "IR_04")
    assert NUMBER not in reply.raw.decode()
    assert NUMBER not in stored(api)
