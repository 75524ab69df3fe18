"""A call whose key is refused makes no workspace, and a workspace that has ended stays ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.instants import iso
from tests.causes.raising import ADMIN
from tests.clocks import ManualClock
from tests.wire import Wire, wire

HOUR_MS: Final = 3_600_000
MADE: Final = "shop_of_a_script"
ENDS: Final = ("control.reset", "control.end")
ROWS: Final = [
    row for row in (*OPERATIONS, *CONTROL_OPERATIONS) if KeyKind.ADMIN not in row.keys and row.name not in ENDS
]
"""Where a merchant is set up, any text is a key."""


class Shop:
    """A merchant that a script made, with a key for an hour; its workspace has ended, as after a test run."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.api = wire(clock=self.clock)
        self.admin = self.api.as_key(ADMIN)
        self.admin.post("/accounts", {"merchant_id": MADE})
        self.key = self.issued(HOUR_MS)
        self.api.as_key(self.key["api_key"]).call("DELETE", "/_sandbox/workspace")

    def issued(self, ms: int) -> Any:
        until = iso(self.clock.now_ms() + ms)
        return self.admin.post(f"/api_keys/{MADE}", {"name": "x", "expiration": until}).json

    def expired(self) -> str:
        self.clock.advance(HOUR_MS)
        return str(self.key["api_key"])

    def revoked(self) -> str:
        key = self.issued(HOUR_MS)
        self.api.as_key(key["api_key"]).call("DELETE", "/_sandbox/workspace")
        self.api.sandbox.end_in(f"m_{MADE}")
        assert self.admin.delete(f"/api_keys/{MADE}/{key['key_id']}").status == 200
        self.api.sandbox.end_in(f"m_{MADE}")
        return str(key["api_key"])


KEYS: Final[dict[str, Callable[[Shop], str]]] = {
    "expired": Shop.expired,
    "revoked": Shop.revoked,
    "publishable, of nobody": lambda shop: "pk_snd_of_nobody_0001",
    "for production": lambda shop: "prd_0123456789abcdef",
    "ephemeral, of nobody": lambda shop: "epk_0123456789abcdef",
    "malformed": lambda shop: "snd_\u00fc",
}


@pytest.mark.parametrize("which", KEYS)
def test_a_refused_key_makes_no_workspace(which: str) -> None:
    shop = Shop()
    key = KEYS[which](shop)
    before = sorted(shop.api.sandbox.store.names())
    for row in ROWS:
        path = row.path.replace("<", "").replace(">", "")
        Wire(shop.api.app, shop.api.sandbox, key).call(row.method, path, {} if row.reads_body(row.method) else None)
        assert sorted(shop.api.sandbox.store.names()) == before, row.name


def test_ending_what_has_ended_says_so() -> None:
    shop = Shop()
    client = shop.api.as_key(shop.key["api_key"])
    assert client.call("DELETE", "/_sandbox/workspace").json == {"ended": False}
