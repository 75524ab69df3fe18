"""After a restart the journal has every call that changed something, also if it only reads, and no other read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from mock_server.domain.paging import Query
from mock_server.engine.kinds import DISPUTES, PAYMENTS, REFUNDS
from tests.lasting.starts import Starts
from tests.sandbox.workspaces import key
from tests.wire import Reply, Wire, card_payment


def polls(of: str, many: int, ends: str) -> dict[str, Any]:
    return {"on": of, "then": {"settles": {"after_polls": many, "as": ends}}}


LIVES: Final[Mapping[str, tuple[str, dict[str, Any] | None]]] = {
    "paid": ("success", None),
    "the connector says yes when asked": ("visa_connector_timeout", None),
    "the connector says no when asked": ("visa_connector_timeout_fails", None),
    "settles by the first retrieve": ("success", polls("charge", 1, "succeeded")),
    "fails by the third retrieve": ("success", polls("charge", 3, "failed")),
    "its refund settles by the second retrieve": ("success", polls("refunds.create", 2, "failed")),
    "its page ends by itself": ("success", {"on": "charge", "then": {"challenge": "approved"}}),
    "disputed": ("visa_dispute_fraudulent", None),
}
"""A payment's card, and an entry of the queue."""


def opened(wire: Wire) -> Reply:
    """The customer's browser opens the page, if there is one, and follows its refresh."""
    action = wire.get("/_sandbox/records/payments")["data"][-1]["next_action"] or {}
    path = re.sub("https?://[^/]+", "", action.get("redirect_to_url", "/none"))
    page = wire.as_key(None).call("GET", path)
    found = re.search(rb'http-equiv="refresh" content="0;url=([^"]+)"', page.raw)
    return page if found is None else wire.as_key(None).call("GET", f"{path.rpartition('/')[0]}/{found[1].decode()}")


READS: Final[Mapping[str, Callable[[Wire], Reply]]] = {
    "retrieve": lambda wire: wire.get("/payments/pay_1"),
    "ask the connector": lambda wire: wire.get("/payments/pay_1?force_sync=true"),
    "sync": lambda wire: wire.post("/payments/sync", {"payment_id": "pay_1", "force_sync": True}),
    "list": lambda wire: wire.post("/payments/list", {}),
    "refund": lambda wire: wire.get("/refunds/ref_1"),
    "open the page": opened,
}


def records(wire: Wire) -> list[object]:
    """All records that a call may change."""
    space = wire.sandbox.workspace(key(wire.key or "")).space
    return [*space.scan(PAYMENTS, Query()), *space.scan(REFUNDS, Query()), *space.scan(DISPUTES, Query())]


@pytest.mark.parametrize(("life", "read"), [*product(LIVES, READS)])
def test_what_changed_something_is_kept(tmp_path: Path, life: str, read: str) -> None:
    starts = Starts(str(tmp_path / "state.sqlite"))
    wire = starts.wire()
    card, queued = LIVES[life]
    if queued is not None:
        assert wire.post("/_sandbox/next", queued).status == 200
    body = {**card_payment(card), "payment_id": "pay_1", "confirm": True, "return_url": "https://shop.example"}
    assert wire.post("/payments", body).status == 200
    wire.post("/refunds", {"payment_id": "pay_1", "refund_id": "ref_1", "amount": 1})
    expected = set()
    for _ in range(4):
        before, last = records(wire), wire.get("/_sandbox/journal")["total_count"]
        READS[read](wire)
        lines = wire.get("/_sandbox/journal")["data"][last:]
        if records(wire) != before:
            expected.add(lines[-1]["number"])
    kept = starts.wire().get("/_sandbox/journal")["data"]
    assert {
        line["number"] for line in kept if line["operation"] not in ("payments.create", "refunds.create")
    } == expected
    starts.end()
