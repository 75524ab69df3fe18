"""Given records of every status: each is what a life that led there would have made of it."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.domain.dispute import HOLDING, REASON_CODES
from mock_server.domain.refund import OPEN
from mock_server.domain.statuses import DisputeStage, DisputeStatus, RefundStatus
from mock_server.domain.statuses import PaymentStatus as S
from mock_server.engine.kinds import PAYMENTS
from tests.api.places import workspace
from tests.counts import SOAK
from tests.wire import Wire, card_payment, wire

AMOUNT: Final = 1_001
UNCONFIRMED: Final = (S.REQUIRES_PAYMENT_METHOD, S.REQUIRES_CONFIRMATION, S.CANCELLED)
RECEIVED: Final = {
    **dict.fromkeys((S.SUCCEEDED, S.CANCELLED_POST_CAPTURE), AMOUNT),
    **dict.fromkeys((S.PARTIALLY_CAPTURED, S.PARTIALLY_CAPTURED_AND_CAPTURABLE), AMOUNT // 2),
}
CAPTURABLE: Final = {
    **dict.fromkeys((S.REQUIRES_PAYMENT_METHOD, S.REQUIRES_CONFIRMATION, S.REQUIRES_ACTION), AMOUNT),
    **dict.fromkeys((S.REQUIRES_MERCHANT_ACTION, S.REQUIRES_CAPTURE), AMOUNT),
    S.PARTIALLY_AUTHORIZED: AMOUNT - AMOUNT // 2,
    S.PARTIALLY_CAPTURED_AND_CAPTURABLE: AMOUNT - AMOUNT // 2,
}
"""The capturable amount of those that have one."""
CARD: Final = {name: card_payment()[name] for name in ("payment_method", "payment_method_data")}


def given(**records: Any) -> Wire:
    """A workspace with the records of a scenario that is on."""
    api = wire()
    assert api.put("/_sandbox/scenarios/given", {"name": "given", "summary": "G.", "given": records}).status == 200
    assert api.post("/_sandbox/scenarios/given/activate").status == 200
    return api


def payment(status: str = "succeeded", **fields: Any) -> dict[str, Any]:
    return {"payment_id": f"pay_{status}", "amount": AMOUNT, "currency": "EUR", "status": status, **fields}


def test_payments_of_every_status_are_as_far_as_they_say() -> None:
    api = given(payments=[payment(status) for status in S])
    for status in S:
        shown = api.get(f"/payments/pay_{status}").json
        assert (shown["status"], shown["amount"], shown["amount_received"]) == (status, AMOUNT, RECEIVED.get(status))
        assert shown["amount_capturable"] == CAPTURABLE.get(status, 0)
        asked = status not in UNCONFIRMED
        assert shown["connector"] == ("payment_sandbox" if asked else None)
        assert (shown["connector_transaction_id"] is not None) is asked
        has_method = status is not S.REQUIRES_PAYMENT_METHOD
        assert (shown["payment_method"], shown["payment_method_type"]) == (
            ("card", "credit") if has_method else (None, None)
        )
        assert (shown["payment_method_data"] is not None) is has_method
        codes = {S.FAILED: "DC_08", S.REQUIRES_MERCHANT_ACTION: "manual_review"}
        assert shown["error_code"] == codes.get(status)
        assert shown["created"] == shown["modified_at"] == shown["updated"] < shown["expires_on"]
        assert shown["client_secret"].startswith(f"pay_{status}_secret_")


def test_what_waits_goes_on() -> None:
    api = given(payments=[payment(status) for status in (S.PENDING, S.REQUIRES_ACTION, S.REQUIRES_MERCHANT_ACTION)])
    assert api.post("/_sandbox/payments/pay_pending/settle", {"as": "succeeded"})["status"] == "succeeded"
    assert (
        api.post("/_sandbox/payments/pay_requires_action/authenticate", {"result": "approved"})["status"] == "succeeded"
    )
    assert api.post("/payments/pay_requires_merchant_action/approve", {})["status"] == "succeeded"


def test_a_given_payment_has_what_the_file_says() -> None:
    own: dict[str, Any] = {
        "customer_id": "cus_1",
        "description": "Tea",
        "email": "a@shop.test",
        "metadata": {"a": "b"},
        "merchant_order_reference_id": "order-1",
    }
    customers = [{"customer_id": "cus_1", "name": "Jane", "phone": "123"}]
    api = given(customers=customers, payments=[payment(**own, card="mastercard_success", capture_method="manual")])
    shown = api.get("/payments/pay_succeeded").json
    assert {name: shown[name] for name in own} == own
    assert (shown["name"], shown["phone"], shown["capture_method"]) == ("Jane", "123", "manual")
    card = shown["payment_method_data"]["card"]
    assert (card["last4"], card["card_isin"], card["brand"]) == ("4444", "555555", "Mastercard")
    assert card["card_holder_name"] == "Jane"
    assert api.get("/customers/cus_1")["name"] == "Jane"


@pytest.mark.parametrize("status", list(RefundStatus))
def test_given_refunds_count_unless_they_failed(status: RefundStatus) -> None:
    refund = {"refund_id": "ref_1", "amount": 400, "status": status, "reason": "late"}
    api = given(payments=[payment(refunds=[refund])])
    shown = api.get("/refunds/ref_1").json
    assert (shown["status"], shown["amount"], shown["payment_id"]) == (status, 400, "pay_succeeded")
    assert (shown["error_message"] is not None) is (status is RefundStatus.FAILED)
    rest = AMOUNT - (400 if status is RefundStatus.SUCCEEDED or status in OPEN else 0)
    for amount, is_taken in ((rest + 1, False), (rest, True)):
        reply = api.post("/refunds", {"payment_id": "pay_succeeded", "amount": amount})
        assert (reply.status == 200) is is_taken


@pytest.mark.parametrize("status", list(DisputeStatus))
def test_given_disputes_hold_their_money(status: DisputeStatus) -> None:
    dispute = {"amount": 300, "reason": "fraudulent", "status": status, "stage": DisputeStage.DISPUTE}
    api = given(payments=[payment(disputes=[dispute])])
    (shown,) = api.get("/disputes/list")["data"]
    assert (shown["dispute_status"], shown["dispute_stage"]) == (status, "dispute")
    assert shown["connector_reason_code"] == REASON_CODES["fraudulent"]
    rest = AMOUNT - (300 if status in HOLDING else 0)
    for amount, is_taken in ((rest + 1, False), (rest, True)):
        assert (api.post("/refunds", {"payment_id": "pay_succeeded", "amount": amount}).status == 200) is is_taken


def test_records_that_are_there_stay() -> None:
    api = wire()
    made = api.pay(payment_id="pay_succeeded").json
    records = {"payments": [payment(), payment("failed")], "customers": [{"customer_id": "cus_1", "name": "Given"}]}
    api.post("/customers", {"customer_id": "cus_1", "name": "Own"})
    api.put("/_sandbox/scenarios/given", {"name": "given", "summary": "G.", "given": records})
    api.post("/_sandbox/scenarios/given/activate")
    assert api.get("/payments/pay_succeeded")["amount"] == made["amount"]
    assert api.get("/payments/pay_failed")["amount"] == AMOUNT
    assert api.get("/customers/cus_1")["name"] == "Own"
    assert api.get("/payments/list")["total_count"] == 2


CAPTURES: Final = (None, "automatic", "manual", "manual_multiple")
CALLS: Final[tuple[tuple[str, str, Any], ...]] = (
    ("GET", "/payments/<id>?force_sync=true", None),
    ("POST", "/payments/<id>", {"amount": 900}),
    ("POST", "/payments/<id>/confirm", CARD),
    ("POST", "/payments/<id>/capture", {"amount_to_capture": 1}),
    ("POST", "/payments/<id>/capture", {"amount_to_capture": AMOUNT - AMOUNT // 2}),
    ("POST", "/payments/<id>/capture", {}),
    ("POST", "/payments/<id>/cancel", {}),
    ("POST", "/payments/<id>/cancel_post_capture", {}),
    ("POST", "/payments/<id>/approve", {}),
    ("POST", "/payments/<id>/reject", {}),
    ("POST", "/payments/<id>/incremental_authorization", {"amount": AMOUNT + 1}),
    ("POST", "/payments/<id>/extend_authorization", {}),
    ("POST", "/payments/<id>/complete_authorize", {}),
    ("POST", "/refunds", {"payment_id": "<id>", "amount": 1}),
    ("POST", "/refunds", {"payment_id": "<id>"}),
    *(
        ("POST", "/_sandbox/payments/<id>/authenticate", {"result": one})
        for one in ("approved", "declined", "cancelled", "expired", "unavailable", "abandoned")
    ),
    *(("POST", "/_sandbox/payments/<id>/settle", {"as": one}) for one in ("succeeded", "failed", "pending")),
    ("POST", "/_sandbox/payments/<id>/settle", {"as": "succeeded", "amount": 1}),
    ("POST", "/_sandbox/payments/<id>/fail", {"decline": "insufficient_funds"}),
    *(("POST", "/_sandbox/payments/<id>/expire", {"what": one}) for one in ("session", "customer", "authorization")),
    ("POST", "/_sandbox/payments/<id>/hold", {}),
    ("POST", "/_sandbox/payments/<id>/dispute", {}),
    ("GET", "/_sandbox/payments/<id>/why", None),
    ("GET", "/_sandbox/payments/<id>/timeline", None),
    ("GET", "/_sandbox/payments/<id>/export", None),
)
"""Every kind of call about a payment."""


@pytest.mark.parametrize("method", CAPTURES)
def test_every_call_about_a_given_payment_is_answered(method: str | None) -> None:
    how = {"capture_method": method} if method else {}
    calls = [call for call in CALLS if SOAK or not call[1].endswith("/export")]
    cells = [(f"pay_{status}_{number}", status, call) for status in S for number, call in enumerate(calls)]
    api = given(payments=[{**payment(status), "payment_id": name, **how} for name, status, _ in cells])
    found = []
    for name, status, (verb, path, body) in cells:
        sent = {**body, "payment_id": name} if body and "payment_id" in body else body
        reply = api.call(verb, path.replace("<id>", name), sent)
        if reply.status >= 500:
            found.append((status, verb, path, body))
    assert not found


PARTS: Final = [
    *(("refunds", str(status)) for status in RefundStatus),
    *(("disputes", str(status)) for status in DisputeStatus),
]


def adds_up(api: Wire) -> None:
    """What the payment says of its refunds and disputes is what they say themselves."""
    about = "payment_id=pay_succeeded"
    refunds, disputes, kept = (
        api.get(f"/_sandbox/records/{kind}?{query}")["data"]
        for kind, query in (("refunds", about), ("disputes", ""), ("payments", "id=pay_succeeded"))
    )
    for name, own in (("refund_id", refunds), ("dispute_id", disputes)):
        inside = kept[0][f"{name.removesuffix('_id')}s"] or ()
        assert sorted(one[name] for one in inside) == sorted(one[name] for one in own)
    stored = workspace(api).space.get(PAYMENTS, "pay_succeeded")
    by = {status: sum(one["amount"] for one in refunds if one["status"] == status) for status in RefundStatus}
    assert stored.refunded_amount == by[RefundStatus.SUCCEEDED]
    assert stored.refund_pending_amount == sum(by[status] for status in OPEN)
    held = sum(int(one["amount"]) for one in disputes if one["dispute_status"] in HOLDING)
    assert stored.disputed_amount == held


@pytest.mark.parametrize("second", [(), *PARTS], ids="-".join)
@pytest.mark.parametrize("first", PARTS, ids="-".join)
def test_a_given_payment_adds_up_as_its_parts_go_on(first: tuple[str, str], second: tuple[str, ...]) -> None:
    parts: dict[str, Any] = {"refunds": [], "disputes": []}
    for number, (kind, status) in enumerate(one for one in (first, second) if one):
        more = {"refund_id": f"ref_{number}"} if kind == "refunds" else {"stage": "dispute"}
        parts[kind].append({"amount": 200 + number, "status": status, **more})
    api = given(payments=[payment("succeeded", **{kind: found for kind, found in parts.items() if found})])
    adds_up(api)
    for number, word in enumerate(("failed", "succeeded")):
        api.post(f"/_sandbox/refunds/ref_{number}/settle", {"as": word})
        adds_up(api)
    api.post("/refunds", {"payment_id": "pay_succeeded", "amount": 100})
    adds_up(api)
    api.post("/_sandbox/clock/advance", {"by": "60d"})
    adds_up(api)
    assert all(one["dispute_status"] != "dispute_opened" for one in api.get("/disputes/list?limit=100")["data"])


@pytest.mark.parametrize("ago", ["0s", "1d", "30d"])
@pytest.mark.parametrize("status", list(S))
def test_what_is_given_runs_out_as_what_was_made_does(status: S, ago: str) -> None:
    how = {"capture_method": "manual"} if status in (S.REQUIRES_CAPTURE, S.PARTIALLY_AUTHORIZED) else {}
    api = given(payments=[payment(status, ago=ago, **how)])
    shown = api.get(f"/payments/pay_{status}").json
    assert shown["status"] == status
    api.post("/_sandbox/clock/advance", {"by": "61d"})
    ends = {
        S.REQUIRES_CAPTURE: S.EXPIRED,
        S.PARTIALLY_AUTHORIZED: S.EXPIRED,
        S.PARTIALLY_CAPTURED_AND_CAPTURABLE: S.PARTIALLY_CAPTURED,
        S.REQUIRES_ACTION: S.EXPIRED,
    }
    later = api.get(f"/payments/pay_{status}").json
    assert later["status"] == ends.get(status, status)
    was_authorized = status is S.PARTIALLY_CAPTURED or (status in ends and status is not S.REQUIRES_ACTION)
    assert (shown["capture_before"] is not None) is was_authorized
