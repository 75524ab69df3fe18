"""A payment of which only a part is authorized, captured or left says so in every list, not its whole amount alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from mock_server.cli.saying import payment_lines
from tests.dashboard.visitor import Visitor
from tests.wire import Wire, wire

PARTLY: Final = {"enable_partial_authorization": True}
MADE: Final[dict[str, tuple[str, dict[str, Any], Callable[[Wire, str], object]]]] = {
    "half": ("visa_partial_authorization", PARTLY, lambda *_: None),
    "tenth": ("visa_partial_authorization_10", PARTLY, lambda *_: None),
    "half, by hand": ("visa_partial_authorization", {**PARTLY, "capture_method": "manual"}, lambda *_: None),
    "several": ("success", {"capture_method": "manual_multiple"}, lambda api, one: _captured(api, one, 1234)),
    "part": ("success", {"capture_method": "manual"}, lambda api, one: _captured(api, one, 1234)),
    "half, captured": ("visa_partial_authorization", PARTLY, lambda api, one: _captured(api, one, 1235)),
    "with shipping": ("visa_partial_authorization", {**PARTLY, "shipping_cost": 500}, lambda *_: None),
    "all of it": ("success", {}, lambda *_: None),
    "authorized": ("success", {"capture_method": "manual"}, lambda *_: None),
}


def _captured(api: Wire, payment_id: str, amount: int) -> None:
    assert api.post(f"/payments/{payment_id}/capture", {"amount_to_capture": amount}).status == 200


def _money(minor: int) -> str:
    return f"{minor // 100}.{minor % 100:02}"


@pytest.mark.parametrize("name", MADE)
def test_each_part_is_said(name: str) -> None:
    card, fields, then = MADE[name]
    api = wire()
    then(api, api.pay(card, **fields)["payment_id"])
    (payment,) = api.post("/payments/list", {})["data"]
    whole, left, received = (payment[key] for key in ("net_amount", "amount_capturable", "amount_received"))
    line = " ".join(payment_lines(payment))
    assert _money(whole) in line
    for part, word in ((left, "to capture"), (received, "received")):
        assert (f"{_money(part or 0)} USD ({part}) {word}" in line) == bool(part and part != whole), line
    if payment["status"].startswith("partially_authorized"):
        page = Visitor(api).look("payments").raw.decode()
        (found,) = api.get(f"/_sandbox/search?text={payment['payment_id']}")["data"]
        assert _money(left) in page
        assert _money(left) in found["says"]
