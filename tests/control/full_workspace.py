"""A workspace that holds some of everything that a snapshot can hold, and its snapshot."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from mock_server.domain.events import DELIVER
from mock_server.sandbox import snapshots, soundness
from mock_server.sandbox.scenarios import GIVEN_DUE, GIVING
from mock_server.store.transaction import Transaction
from mock_server.webhooks import delivery_queue
from tests.api.money_places import attach, dispute, paid, refund
from tests.api.places import PLACES, workspace
from tests.api.saving import CUSTOMER, mandate, saved
from tests.causes.raising import ADMIN
from tests.webhooks.shops import HOOK, mall
from tests.wire import Wire, card_payment

SCENARIO: Final = {
    "version": 1,
    "name": "kept",
    "rules": [{"on": "payments.create", "times": 3, "then": {"delay": "1ms"}}],
    "expect": [{"calls": "payments.create", "at_least": 1}],
    "given": {"customers": [{"customer_id": "cus_given", "name": "Jane Doe"}]},
}
NAMED: Final = {"version": 1, "name": "named", "rules": [{"on": "charge", "then": {"decline": "lost_card"}}]}
MONTH: Final = {"startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-31T23:59:59Z"}


def full(api: Wire) -> None:
    """Makes some of everything through the API."""
    api.post("/_sandbox/clock/freeze")
    api.put("/_sandbox/dialect", {"dialect": "interface"})
    api.put("/_sandbox/webhooks/target", {"url": HOOK, "secret": "k"})
    for make in PLACES.values():
        make(api)
    api.pay("visa_pending_succeeds", customer_id="cus_1")
    body = {"amount": 1, "currency": "EUR", "profile_id": "pro_shop"}
    api.post("/payments", body, X_Idempotency_Key="kept")
    api.post("/payments", {**body, "amount": -1}, X_Idempotency_Key="refused")
    api.post("/customers", {"customer_id": CUSTOMER, "email": "a@shop.example.com", "metadata": {"n": 1}})
    saved(api)
    api.get(f"/customers/{CUSTOMER}/payment_methods")
    mandate(api, "multi_use")
    one = paid(api)
    refund(api, one, amount=10)
    attach(api, dispute(api, one)["dispute_id"])
    merchant = api.get(f"/payments/{one}")["merchant_id"]
    api.post("/ephemeral_keys", {"customer_id": CUSTOMER})
    api.post("/blocklist", {"type": "card_bin", "data": "400000"})
    api.post(f"/account/{merchant}/connectors", {"connector_name": "stripe_test"})
    api.post("/analytics/v1/merchant/report/payments", {"timeRange": MONTH, "emails": ["owner@shop.example.com"]})
    api.put("/_sandbox/scenarios/named", NAMED)
    api.post("/payments", {**card_payment(), "confirm": True}, X_Sandbox_Scenario="named")
    api.post("/payments", {**body, "metadata": {"sandbox_scenario": "named", "text": "x" * 70_000}})
    api.put("/_sandbox/scenarios/kept", SCENARIO)
    api.post("/_sandbox/scenarios/kept/activate")
    api.pay()
    api.post("/_sandbox/next", {"on": "payments.create", "then": {"fault": "empty_response", "effect": "kept"}})
    with pytest.raises(ConnectionError):
        api.pay()
    api.get("/payments/pay_unknown?card=4242424242424242", X_Request_Note="a note")
    api.post("/_sandbox/next", {"on": "charge", "then": {"decline": "lost_card"}, "times": 2})


def merchant_of(admin: Wire) -> Wire:
    """A client with an issued key, whose merchant has an organization."""
    account = admin.post("/accounts", {"merchant_name": "Shop", "organization_id": "org_1"}).json
    own = admin.post(f"/api_keys/{account['merchant_id']}", {"name": "one", "expiration": "never"}).json
    return admin.as_key(own["api_key"])


def document() -> Any:
    """The snapshot of a full workspace, journal included; a delivery is in progress, and given records are due."""
    shops = mall(target=False)
    shops.shop.answers = ["refused", 500, 200]
    api = merchant_of(shops.api.as_key(ADMIN))
    full(api)
    shops.deliver()
    workspace_of = workspace(api)

    def in_progress(tx: Transaction) -> None:
        entry = tx.next_due((DELIVER,))
        assert entry is not None
        tx.unschedule(DELIVER, entry.subject)
        delivery_queue.enter(tx, entry)
        tx.set_fact(GIVEN_DUE, ["kept"])
        tx.set_fact(f"{GIVING}kept", [workspace_of.now(), 1, True])

    workspace_of.space.transact(in_progress)
    made = json.loads(snapshots.take(workspace_of, with_journal=True))
    # Some are never there at once.
    made["workspace"]["facts"] |= {name: True for name, kind in soundness.FACTS.items() if kind is bool}
    return made
