"""A payment that says that it can be overcaptured can be, however it came to that; no other one can.

Every way in which a payment gets its capture method, with and without an overcapture asked for or a profile that allows
it for every payment, in both dialects.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.wire import Reply, Wire, card_payment, wire

NEEDS_MANUAL: Final = "Invalid overcapture request: supported only with manual capture"
METHODS: Final = (None, "automatic", "manual", "manual_multiple")
Said = dict[str, Any]


def created(api: Wire, before: Said, after: Said) -> Reply:
    return api.post("/payments", card_payment(confirm=True, **{**before, **after}))


def updated(api: Wire, before: Said, after: Said) -> Reply:
    made = api.post("/payments", card_payment(**before))
    changed = api.post(f"/payments/{made['payment_id']}", after) if made.status == 200 else made
    return api.post(f"/payments/{made['payment_id']}/confirm", {}) if changed.status == 200 else changed


def confirmed(api: Wire, before: Said, after: Said) -> Reply:
    made = api.post("/payments", card_payment(**before))
    return api.post(f"/payments/{made['payment_id']}/confirm", after) if made.status == 200 else made


def replaced(api: Wire, before: Said, after: Said) -> Reply:
    made = api.post("/payments", card_payment(**before))
    if made.status != 200:
        return made
    changed = api.put(f"/payments/{made['payment_id']}", card_payment(**{**before, **after}))
    return api.post(f"/payments/{made['payment_id']}/confirm", {}) if changed.status == 200 else changed


WAYS: Final[dict[str, Callable[[Wire, Said, Said], Reply]]] = {
    "created": created,
    "updated": updated,
    "confirmed": confirmed,
    "replaced": replaced,
}


def said(method: str | None, asked: bool | None) -> Said:
    sent = {"capture_method": method, "enable_overcapture": asked}
    return {name: value for name, value in sent.items() if value is not None}


@pytest.mark.parametrize("always", [False, True])
@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)
@pytest.mark.parametrize("way", WAYS)
def test_what_is_said_of_an_overcapture_is_so(way: str, dialect: Dialect, always: bool) -> None:
    api = wire(dialect=dialect)
    account = f"/account/{api.pay()['merchant_id']}/business_profile/pro_shop"
    assert api.post(account, {"always_enable_overcapture": always}).status == 200
    firsts = METHODS if way != "created" else (None,)
    wrong: list[tuple[object, ...]] = []
    later, before = product(firsts, METHODS, (None, True, False), [True]), product(firsts, METHODS, [False], [False])
    for first, method, asked, is_later in (*later, *before):
        one, other = (None, asked) if is_later else (asked, None)
        reply = WAYS[way](api, said(first, one), said(method, other))
        last = method or first or "automatic"
        is_refused = dialect is HYPERSWITCH and asked is True and last != "manual"
        if reply.status != 200 or is_refused:
            told = reply.json.get("error", {}).get("message")
            if (told == NEEDS_MANUAL) != is_refused:
                wrong.append((first, method, asked, told))
            continue
        shown, is_due = reply["is_overcapture_enabled"], (asked or (always and asked is None)) and last == "manual"
        over = api.post(f"/payments/{reply['payment_id']}/capture", {"amount_to_capture": 7000})
        if bool(shown) != bool(is_due) or (over.status == 200) != bool(is_due):
            wrong.append((first, method, asked, shown, over.status))
    assert not wrong, (len(wrong), wrong[:6])
