"""Causes of values, of objects that are not there, and of those that are there already."""

from __future__ import annotations

from typing import Any

from mock_server import jsontext
from mock_server.domain.errors import Cause as C
from mock_server.http.idempotency import slot_of
from tests.api.saving import CUSTOMER, saved
from tests.causes.raising import ADMIN, BARE, Rows, fine, meanwhile, payment, seen
from tests.clocks import ManualClock
from tests.money import reports
from tests.wire import Reply, Wire, card_payment

HOUR_MS = 60 * 60 * 1000
DAY = "2026-01-01T00:00:00Z"


def confirmed(api: Wire, **fields: Any) -> Reply:
    return api.post("/payments", {**BARE, "confirm": True, **fields})


def several(api: Wire, clock: ManualClock) -> Reply:
    made = fine(api.pay(capture_method="manual_multiple"))
    return api.post(f"/payments/{made['payment_id']}/capture")


def for_nobody(api: Wire, clock: ManualClock) -> Reply:
    details = {"type": "payment_method_id", "data": saved(api)}
    return confirmed(api, off_session=True, recurring_details=details)


def bank_without_address(api: Wire, clock: ManualClock) -> Reply:
    data: dict[str, Any] = {"bank_redirect": {"ideal": {}}}
    return confirmed(api, payment_method="bank_redirect", payment_method_type="ideal", payment_method_data=data)


def later_without_email(api: Wire, clock: ManualClock) -> Reply:
    data: dict[str, Any] = {"pay_later": {"klarna": {}}}
    return confirmed(api, payment_method="pay_later", payment_method_type="klarna", payment_method_data=data)


def one_of_two_profiles(api: Wire, clock: ManualClock) -> Reply:
    shop = seen(api, clock, default_profile="on")
    merchant = payment(shop)["merchant_id"]
    for name in ("first", "second"):
        fine(shop.post(f"/account/{merchant}/business_profile", {"profile_name": name}))
    return shop.post("/payments", {"amount": 6540, "currency": "USD"})


def figures(api: Wire, clock: ManualClock) -> Reply:
    asked = {"timeRange": {"startTime": DAY}, "metrics": ["payment_mood"]}
    return api.post("/analytics/v1/merchant/metrics/payments", [asked])


def broken_scenario(api: Wire, clock: ManualClock) -> Reply:
    return api.call(
        "PUT", "/_sandbox/scenarios/odd", raw=b"nonsense: 1\n", headers={"Content-Type": "application/yaml"}
    )


def link_over(api: Wire, clock: ManualClock) -> Reply:
    link = reports.link(api, "payments")
    clock.advance(49 * HOUR_MS)
    return api.as_key(None).get(link)


def gone(api: Wire, clock: ManualClock) -> Reply:
    fine(api.get("/health"))
    return meanwhile(lambda: api.get("/_sandbox/journal?wait=8s&count=9"), lambda: fine(api.post("/_sandbox/reset")))


def twice(api: Wire, path: str, body: object) -> Reply:
    fine(api.post(path, body))
    return api.post(path, body)


def refund_twice(api: Wire, clock: ManualClock) -> Reply:
    return twice(api, "/refunds", {"payment_id": api.pay()["payment_id"], "amount": 1, "refund_id": "ref_1"})


def merchant_twice(api: Wire, clock: ManualClock) -> Reply:
    return twice(api.as_key(ADMIN), "/accounts", {"merchant_id": "mer_shop"})


def connector_twice(api: Wire, clock: ManualClock) -> Reply:
    merchant = payment(api)["merchant_id"]
    return twice(
        api,
        f"/account/{merchant}/connectors",
        {"connector_name": "stripe_test", "connector_label": "one", "connector_type": "payment_processor"},
    )


def profile_twice(api: Wire, clock: ManualClock) -> Reply:
    merchant = payment(api)["merchant_id"]
    return twice(api, f"/account/{merchant}/business_profile", {"profile_name": "one"})


def key_reused(api: Wire, clock: ManualClock) -> Reply:
    fine(api.post("/payments", BARE, X_Idempotency_Key="k"))
    return api.post("/payments", {**BARE, "amount": 1}, X_Idempotency_Key="k")


def in_flight(api: Wire, clock: ManualClock) -> Reply:
    """Somebody else holds the key's claim, as a call does that is being served."""
    fine(api.get("/health"))
    (workspace,) = api.sandbox.workspaces()
    slot, now = slot_of("secret", "POST", "/payments", "k"), clock.now_ms()
    digest = workspace.requests.digest(jsontext.same(BARE))
    assert workspace.space.claim(slot, "somebody", digest, now, now + HOUR_MS) is None
    return api.post("/payments", BARE, X_Idempotency_Key="k")


def advancing(api: Wire, clock: ManualClock) -> Reply:
    """The workspace says that its clock is being advanced, as it does while another call does it."""
    fine(api.get("/health"))
    (workspace,) = api.sandbox.workspaces()
    workspace.space.transact(lambda tx: tx.set_fact("clock", {"offset_ms": 0, "frozen_at": 5, "advancing": True}))
    return api.post("/_sandbox/clock/advance", {"by": "1h"})


def removed_twice(api: Wire, clock: ManualClock) -> Reply:
    return api.delete("/blocklist", {"type": "card_bin", "data": "424242"})


VALUES: Rows = (
    (C.VALUE_MISSING, lambda api, clock: api.post("/payments", {"currency": "USD", "profile_id": "pro_shop"})),
    (C.VALUE_INVALID, lambda api, clock: api.post("/payments", {**BARE, "amount": "6540"})),
    (C.UNKNOWN_FIELD, lambda api, clock: api.post("/payments", {**BARE, "amonut": 1})),
    (C.UNKNOWN_PARAMETER, lambda api, clock: api.get("/payments/list?limt=1")),
    (C.IDEMPOTENCY_KEY_INVALID, lambda api, clock: api.post("/payments", BARE, X_Idempotency_Key="k" * 256)),
    (C.METHOD_MISSING_AT_CONFIRM, lambda api, clock: confirmed(api)),
    (C.METHOD_DATA_MISSING, later_without_email),
    (C.RETURN_URL_MISSING, bank_without_address),
    (C.PROFILE_NEEDED, one_of_two_profiles),
    (C.CUSTOMER_NEEDED, for_nobody),
    (C.CAPTURE_AMOUNT_MISSING, several),
    (C.NOT_COMPUTED, figures),
    (C.SCENARIO_BROKEN, broken_scenario),
    (C.OBJECT_UNKNOWN, lambda api, clock: api.get("/payments/pay_nobody")),
    (C.DISPUTE_UNKNOWN, lambda api, clock: api.get("/disputes/dp_nobody")),
    (C.FILE_UNKNOWN, lambda api, clock: api.get("/files/file_nobody")),
    (C.BLOCKLIST_ENTRY_UNKNOWN, removed_twice),
    (C.LINK_UNKNOWN, lambda api, clock: api.as_key(None).get("/payments/redirect/pay_1/mer_1/pay_1_1")),
    (C.LINK_OVER, link_over),
    (C.WORKSPACE_GONE, gone),
    (C.PAYMENT_EXISTS, lambda api, clock: twice(api, "/payments", {**BARE, "payment_id": "pay_1"})),
    (C.REFUND_EXISTS, refund_twice),
    (C.CUSTOMER_EXISTS, lambda api, clock: twice(api, "/customers", {"customer_id": CUSTOMER})),
    (C.MERCHANT_EXISTS, merchant_twice),
    (C.CONNECTOR_EXISTS, connector_twice),
    (C.PROFILE_NAME_TAKEN, profile_twice),
    (C.BLOCKLIST_ENTRY_EXISTS, lambda api, clock: twice(api, "/blocklist", {"type": "card_bin", "data": "424242"})),
    (C.IDEMPOTENCY_KEY_REUSED, key_reused),
    (C.IDEMPOTENCY_IN_FLIGHT, in_flight),
    (C.ADVANCE_RUNNING, advancing),
    (C.METHOD_MISMATCH, lambda api, clock: api.post("/payments", card_payment(payment_method_type="ideal"))),
)
