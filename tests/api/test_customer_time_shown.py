"""Until when a customer has time is said alike by answers, events, the page and the schedule, and it is true."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dashboard.trying import method_fields
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.instants import LATEST, iso, parse
from mock_server.domain.methods import ALL_METHODS, METHODS, NEXT_ACTIONS, Flow, payload_of, public_words
from tests.api.places import workspace
from tests.counts import times
from tests.webhooks.shops import mall

ENDS: Final = frozenset({"expires_at", "display_to_timestamp"})
NEVER: Final = {f"{name}_expiry": 0 for name in ("page", "voucher", "transfer")}
SETTINGS: Final[dict[str, dict[str, Any]]] = {"usual": {}, "never": NEVER}
TELL: Final = (Flow.QR_CODE, Flow.WAIT_SCREEN, Flow.VOUCHER, Flow.UPI_INTENT, Flow.UPI_QR)
"""Whose pages and instructions have an end; other pages do not say it."""
WISHED: Final = (None, "90s", "30d")
"""A scenario's `expires`: none, shorter and longer than any method's own time."""
OF: Final = {INTERFACE: METHODS, HYPERSWITCH: ALL_METHODS}
CASES: Final = [
    (dialect, row, settings, expires)
    for dialect, rows in OF.items()
    for row in rows
    if row.flow in NEXT_ACTIONS and set(row.asks) <= {"vpa_id"} and payload_of(row) is not None
    if dialect is INTERFACE or public_words(row.category, row.type) == (row.category, row.type)
    for settings in SETTINGS
    for expires in WISHED
]


def instants(shown: Any) -> Iterator[int]:
    """Every end that is said, at any depth."""
    if isinstance(shown, dict):
        for name, value in shown.items():
            if name in ENDS and value is not None:
                yield parse(value) if isinstance(value, str) else value
            yield from instants(value)


@pytest.mark.parametrize(("dialect", "row", "settings", "expires"), CASES[:: times(13, soak=1)])
def test_the_end_is_said_alike(dialect: Dialect, row: Any, settings: str, expires: str | None) -> None:
    shop = mall(dialect=dialect, **SETTINGS[settings])
    api, clock = shop.api, shop.clock
    if expires is not None:
        then = {"challenge": "abandoned", "expires": expires}
        assert api.post("/_sandbox/next", {"on": "charge", "then": then}).status == 200
    method = method_fields(f"{row.category}.{row.type}")
    body = {
        "amount": 6540,
        "currency": "BRL",
        "profile_id": "pro_shop",
        "confirm": True,
        "return_url": "https://a.test",
    }
    made = api.post("/payments", {**body, **method})
    assert made.status == 200, made.raw
    payment, waits = made["payment_id"], made["status"]
    if made["next_action"] is None:
        return
    shop.deliver()
    due = {one["what"]: one["at"] for one in api.get(f"/_sandbox/payments/{payment}/why")["due"]}
    end = due.get("payment.customer_time_over")
    assert (end is None) is (expires is None and settings == "never")
    (event,) = [got.object for got in shop.shop.got if got.type == "action_required"]
    page = api.as_key(None).get(f"/payments/redirect/{payment}/{made['merchant_id']}/{payment}_1")
    assert page.status == 200
    said = [*instants(made["next_action"]), *instants(event["next_action"])]
    assert set(said) <= {parse(end) if end else LATEST}
    until = re.findall(r"Open until ([\d: -]+) UTC", page.raw.decode())
    tells = row.flow in TELL
    assert until == ([f"{end[:10]} {end[11:16]}"] if end and tells else [])
    assert said or not (end and tells)
    if end is not None and "payment.challenge_ends" not in due:
        clock.advance(parse(end) - 1 - clock.now_ms())
        assert api.get(f"/payments/{payment}")["status"] == waits
        clock.advance(1)
        assert api.get(f"/payments/{payment}")["status"] == "expired", iso(workspace(api).now())
