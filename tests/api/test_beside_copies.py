"""Workspaces that were restored from one snapshot have one merchant id; what is done in one changes no other."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.api_keys import KeyKind
from tests.counts import times
from tests.routes.good import GOOD, Good, caller
from tests.wire import Reply, Wire, wire

COPY: Final = "snd_the_copy_0001"
SERVERS: Final = ("control.reset", "control.drop_snapshot", "control.restore_snapshot")
"""What is about the server's snapshots, or about all workspaces."""
SHARE: Final = times(4, soak=1)
"""Of the calls that set up no merchant, every how many-th is tried."""
SETS_UP: Final = [row for row in OPERATIONS if row.changes and KeyKind.ADMIN in row.keys]
OTHERS: Final = [
    row for row in (*OPERATIONS, *CONTROL_OPERATIONS) if row.changes and row not in SETS_UP and row.name in GOOD
]
ROWS: Final = [*SETS_UP, *OTHERS[::SHARE]]
DRAWN: Final = re.compile(rb"\b(key_\w{20}|snd_\w+)")
"""Issued keys are numbered for all copies, so that no two are the same."""
Seen = list[tuple[str, int, bytes]]


class Shop:
    """The workspace that was there first: some of what belongs to its merchant, and what its client then sees."""

    def __init__(self, api: Wire, *, has_row: bool) -> None:
        self.api = api
        made = api.pay("visa_3ds_required", customer_id="cus_first").json
        self.merchant, self.payment = made["merchant_id"], made["payment_id"]
        self.secret, self.page = made["client_secret"], made["next_action"]["redirect_to_url"]
        self.issued = api
        if has_row:
            self.ask("POST", f"/accounts/{self.merchant}", {"merchant_name": "First"})
            self.issued = api.as_key(self.ask("POST", f"/api_keys/{self.merchant}", KEY)["api_key"])

    def ask(self, method: str, path: str, body: Any = None) -> Reply:
        reply = self.api.call(method, path, body)
        assert reply.status == 200, reply.raw
        return reply

    def seen(self) -> Seen:
        """What its client gets: its merchant's set-up, its records, and its customer's calls."""
        of = self.merchant
        asked: list[tuple[Wire, str, str, Any]] = [
            (self.issued, "GET", "/payments/list", None),
            (self.api.page(), "GET", f"/payments/{self.payment}?client_secret={self.secret}", None),
            (self.api, "POST", "/customers/cus_first", {"name": "Jane"}),
            *((self.api, method, path.format(of), body) for method, path, body in OF_MERCHANT),
        ]
        found: Seen = []
        for api, method, path, body in asked:
            reply = api.call(method, path, body)
            found.append((f"{method} {path}", reply.status, DRAWN.sub(b"", reply.raw)))
        return found


KEY: Final = {"name": "one", "expiration": "never"}
OF_MERCHANT: Final = (
    ("GET", "/account/{}/business_profile", None),
    ("POST", "/account/{}/connectors", {"connector_name": "adyen_test"}),
    ("GET", "/account/{}/connectors", None),
    ("POST", "/api_keys/{}", KEY),
    ("GET", "/accounts/{}", None),
    ("POST", "/accounts/{}", {"merchant_name": "First again"}),
    ("DELETE", "/accounts/{}", None),
    ("GET", "/payments/list", None),
)
"""Last, its merchant is deleted, and begins anew."""


def acted(api: Wire, row: Operation, shop: Shop, *, has_row: bool) -> None:
    """The copy makes a call of the operation."""
    if "<key_id>" in row.path:
        good = Good({"merchant_id": shop.merchant, "key_id": api.post(f"/api_keys/{shop.merchant}", KEY)["key_id"]}, {})
    elif row.name == "accounts.update":  # the account's own row is the merchant's
        good = Good({"merchant_id": shop.merchant}, {"merchant_name": "First"} if has_row else {})
    else:
        good = GOOD[row.name](api)
    client = api if KeyKind.ADMIN in row.keys else caller(api, row)
    assert good.sent(client, row).status < 500


def copied(api: Wire, shop: Shop) -> Wire:
    shop.ask("PUT", "/_sandbox/snapshots/baseline")
    copy = api.as_key(COPY)
    assert copy.post("/_sandbox/snapshots/baseline/restore").status == 200
    assert copy.get("/payments/list")["data"][0]["merchant_id"] == shop.merchant
    return copy


@pytest.mark.parametrize("has_row", [True, False], ids=["registered", "not registered"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_call_of_a_copy_changes_nothing_for_the_first(row: Operation, has_row: bool) -> None:
    alone = Shop(wire(), has_row=has_row)
    beside = Shop(wire(), has_row=has_row)
    acted(copied(beside.api, beside), row, beside, has_row=has_row)
    for mine, with_copy in zip(alone.seen(), beside.seen(), strict=True):
        assert with_copy == mine


@pytest.mark.parametrize("has_row", [True, False], ids=["registered", "not registered"])
def test_a_copy_is_set_up_and_deleted_by_its_own_key(has_row: bool) -> None:
    """Whatever the first does: it sets up the copy, not the first, and ends the copy alone."""
    shop = Shop(wire(), has_row=has_row)
    copy = copied(shop.api, shop)
    shop.api.post("/_sandbox/reset")
    assert copy.post(f"/account/{shop.merchant}/connectors", {"connector_name": "adyen_test"}).status == 200
    made = copy.post(f"/api_keys/{shop.merchant}", KEY)
    assert copy.as_key(made["api_key"]).get("/payments/list")["total_count"] == 1
    shop.api.pay()
    assert copy.delete(f"/accounts/{shop.merchant}").status == 200
    assert copy.get("/payments/list")["total_count"] == 0
    assert shop.api.get("/payments/list")["total_count"] == 1
