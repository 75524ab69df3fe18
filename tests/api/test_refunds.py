"""Refunds over HTTP: made, refused, changed, looked at (facts §1.2, §2.5, §8)."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mock_server.domain.statuses import PaymentStatus, RefundStatus
from tests.api.money_places import AMOUNT, REFUNDS, dispute, fine, paid, refund, refused, settle, told
from tests.api.places import PLACES
from tests.clocks import ManualClock
from tests.wire import Reply, Wire

DAY_MS = 24 * 60 * 60 * 1000
NAMES = [
    *("refund_id", "payment_id", "amount", "currency", "status", "reason", "metadata", "error_code", "error_message"),
    *("unified_code", "unified_message", "issuer_error_code", "issuer_error_message", "created_at", "updated_at"),
    *("connector", "connector_refund_id", "profile_id", "merchant_connector_id", "split_refunds"),
    "raw_connector_response",
]
"""Facts §2.5, in its order."""

BODY: dict[str, Any] = {
    "refund_id": "ref_mine",
    "amount": 1000,
    "reason": "requested_by_customer",
    "refund_type": "instant",
    "metadata": {"case": "7", "count": 42},
    "split_refunds": {"stripe": 1},
    "merchant_connector_details": {"any": "thing"},
    "all_keys_required": True,
}


# made


def test_a_refund_is_made_with_what_was_sent(api: Wire) -> None:
    payment = paid(api)
    made = fine(refund(api, payment, **BODY))
    assert list(made.json) == NAMES
    assert (made["refund_id"], made["payment_id"]) == ("ref_mine", payment)
    assert (made["amount"], made["currency"], made["status"]) == (1000, "USD", "succeeded")
    assert (made["reason"], made["metadata"]) == (BODY["reason"], BODY["metadata"])
    assert (made["split_refunds"], made["profile_id"]) == (BODY["split_refunds"], "pro_shop")
    assert made["created_at"] == made["updated_at"] == "2026-01-01T00:00:00.000Z"
    assert api.get("/refunds/ref_mine").raw == made.raw


def test_without_anything_everything_captured_goes_back(api: Wire) -> None:
    made = fine(refund(api, paid(api)))
    assert made["refund_id"].startswith("ref_")
    assert (made["amount"], made["reason"], made["metadata"]) == (AMOUNT, None, {})


def test_a_refund_changes_no_status_and_shows_inside_its_payment(api: Wire) -> None:
    payment = paid(api)
    before = api.get(f"/payments/{payment}")
    first = fine(refund(api, payment, amount=1000))
    second = fine(refund(api, payment, amount=540))
    shown = api.get(f"/payments/{payment}")
    assert (before["refunds"], before["state_metadata"]) == (None, None)
    assert shown["refunds"] == [first.json, second.json]
    assert shown["status"] == "succeeded"
    assert shown["amount_received"] == AMOUNT
    assert shown["state_metadata"]["total_refunded_amount"] == 1540
    assert api.post(f"/payments/{payment}/update_metadata", {"metadata": {"a": 1}})["refunds"] == shown["refunds"]


@pytest.mark.parametrize("parts", [[AMOUNT], [6539, 1], [1] * 9 + [AMOUNT - 9], [3270, 3270]])
def test_several_refunds_give_back_everything_and_no_more(api: Wire, parts: list[int]) -> None:
    payment = paid(api)
    for part in parts:
        assert fine(refund(api, payment, amount=part))["status"] == "succeeded"
    assert api.get(f"/payments/{payment}")["state_metadata"]["total_refunded_amount"] == AMOUNT


def test_a_part_of_an_authorization_is_refunded_up_to_what_was_captured(api: Wire) -> None:
    payment = PLACES[PaymentStatus.PARTIALLY_CAPTURED](api)
    assert refused(refund(api, payment, amount=1001)) == (400, "IR_13")
    assert fine(refund(api, payment))["amount"] == 1000
    assert api.get(f"/payments/{payment}")["status"] == "partially_captured"


def test_what_is_told_of_a_refund(api: Wire) -> None:
    payment = paid(api)
    made = fine(refund(api, payment))
    assert told(api, payment) == ["payment_succeeded", "refund_succeeded"]
    event = api.get(f"/_sandbox/webhooks?payment_id={payment}")["data"][-1]["body"]
    assert event["content"] == {"type": "refund_details", "object": made.json}


# refused, every cause


def _twice(api: Wire) -> Reply:
    payment = paid(api)
    fine(refund(api, payment, refund_id="ref_1", amount=1))
    return refund(api, payment, refund_id="ref_1", amount=1)


def _after_void(api: Wire) -> Reply:
    return refund(api, PLACES[PaymentStatus.CANCELLED_POST_CAPTURE](api))


def _over(api: Wire) -> Reply:
    payment = paid(api)
    fine(refund(api, payment, amount=1))
    return refund(api, payment)


def _over_pending(api: Wire) -> Reply:
    payment = paid(api)
    fine(api.post("/refunds", {"payment_id": payment, "amount": 6000}, X_Sandbox_Outcome="pending"))
    return refund(api, payment, amount=541)


def _over_disputed(api: Wire) -> Reply:
    payment = paid(api)
    fine(dispute(api, payment, amount=6000))
    return refund(api, payment, amount=541)


def _eleventh(api: Wire) -> Reply:
    payment = paid(api)
    for _ in range(10):
        fine(refund(api, payment, amount=1))
    return refund(api, payment, amount=1)


def _void_after(api: Wire) -> Reply:
    payment = paid(api)
    fine(refund(api, payment, amount=1))
    return api.post(f"/payments/{payment}/cancel_post_capture")


def _void_after_pending(api: Wire) -> Reply:
    payment = paid(api)
    fine(api.post("/refunds", {"payment_id": payment, "amount": 1}, X_Sandbox_Outcome="pending"))
    return api.post(f"/payments/{payment}/cancel_post_capture")


REFUSALS: list[tuple[str, Callable[[Wire], Reply], int, str]] = [
    ("unknown payment", lambda api: refund(api, "pay_nobody"), 404, "HE_02"),
    ("taken id", _twice, 400, "HE_01"),
    ("reversed after capture", _after_void, 400, "IR_16"),
    ("foreign merchant", lambda api: refund(api, paid(api), merchant_id="mer_somebody"), 422, "IR_05"),
    ("more than captured", lambda api: refund(api, paid(api), amount=AMOUNT + 1), 400, "IR_13"),
    ("no amount after a part", _over, 400, "IR_13"),
    ("more beside an open refund", _over_pending, 400, "IR_13"),
    ("more beside a dispute", _over_disputed, 400, "IR_13"),
    ("the eleventh", _eleventh, 400, "IR_12"),
    ("nothing captured", lambda api: refund(api, paid(api, amount=0)), 400, "IR_13"),
    ("reversal after refund", _void_after, 400, "IR_16"),
    ("reversal beside an open refund", _void_after_pending, 400, "IR_16"),
    ("unknown refund", lambda api: api.get("/refunds/ref_nobody"), 404, "HE_02"),
    ("unknown refund, updated", lambda api: api.post("/refunds/ref_nobody", {"reason": "x"}), 404, "HE_02"),
    ("unknown refund, replaced", lambda api: api.put("/refunds/ref_nobody", {"payment_id": "pay_1"}), 404, "HE_02"),
    ("unknown refund, synced", lambda api: api.post("/refunds/sync", {"refund_id": "ref_nobody"}), 404, "HE_02"),
    ("unknown refund, settled", lambda api: settle(api, "ref_nobody", "failed"), 404, "HE_02"),
    ("publishable key", lambda api: api.as_key("pk_snd_test_0123456789").post("/refunds", {"payment_id": "x"}), 401, "IR_01"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "status", "code"), [pytest.param(*row[1:], id=row[0]) for row in REFUSALS])
def test_a_refund_is_refused(api: Wire, ask: Callable[[Wire], Reply], status: int, code: str) -> None:
    assert refused(ask(api)) == (status, code)


WRONG: list[tuple[str, object, str, str]] = [
    ("amount", 0, "IR_04", "amount"),
    ("amount", -5, "IR_04", "amount"),
    ("amount", "100", "IR_04", "amount"),
    ("amount", 10.0, "IR_04", "amount"),
    ("amount", 1_000_000_000, "IR_04", "amount"),
    ("refund_id", "a b", "IR_04", "refund_id"),
    ("refund_id", "a" * 65, "IR_04", "refund_id"),
    ("refund_id", "list", "IR_04", "refund_id"),
    ("payment_id", None, "IR_04", "payment_id"),
    ("payment_id", 7, "IR_04", "payment_id"),
    ("reason", "x" * 256, "IR_04", "reason"),
    ("refund_type", "later", "IR_04", "refund_type"),
    ("metadata", {"k" * 41: 1}, "IR_04", "metadata." + "k" * 40 + "…"),
    ("metadata", {"k": "v" * 501}, "IR_04", "metadata.k"),
    ("metadata", [1], "IR_04", "metadata"),
    ("split_refunds", 1, "IR_04", "split_refunds"),
    ("ammount", 1, "IR_06", "ammount"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "code", "field"), WRONG, ids=[f"{row[0]} {row[1]!s:.12}" for row in WRONG])
def test_a_wrong_value_is_named(api: Wire, name: str, value: object, code: str, field: str) -> None:
    reply = api.post("/refunds", {"payment_id": "pay_1", name: value})
    assert refused(reply) == (400, code)
    assert [wrong["field"] for wrong in reply.error["fields"]] == [field]


def test_a_missing_payment_is_named_and_a_misspelt_field_guessed(api: Wire) -> None:
    assert "payment_id" in api.post("/refunds", {}).error["message"]
    assert "amount" in api.post("/refunds", {"payment_id": "p", "ammount": 1}).error["fields"][0]["message"]


def test_the_caller_may_name_its_own_merchant(api: Wire) -> None:
    payment = paid(api)
    own = api.get(f"/payments/{payment}")["merchant_id"]
    assert fine(refund(api, payment, merchant_id=own))["status"] == "succeeded"


@pytest.mark.parametrize(("days", "status"), [(365, 200), (365 + 1, 422)])
def test_a_payment_is_refunded_for_365_days_of_its_workspaces_clock(
    api: Wire, clock: ManualClock, days: int, status: int
) -> None:
    payment = paid(api)
    clock.advance(days * DAY_MS)
    reply = refund(api, payment)
    assert reply.status == status
    assert status == 200 or reply.error["code"] == "IR_05"


@pytest.mark.parametrize("status", list(PaymentStatus))
def test_only_captured_payments_are_refunded(api: Wire, status: PaymentStatus) -> None:
    reply = refund(api, PLACES[status](api), amount=1)
    if status in (PaymentStatus.SUCCEEDED, PaymentStatus.PARTIALLY_CAPTURED):
        fine(reply)
    else:
        code = "IR_16" if status is PaymentStatus.CANCELLED_POST_CAPTURE else "IR_14"
        assert refused(reply) == (400, code)


def test_failed_refunds_count_as_attempts_and_not_as_money(api: Wire) -> None:
    payment = paid(api, "visa_refund_fails")
    for _ in range(10):
        assert fine(refund(api, payment))["status"] == "failed"
    assert refused(refund(api, payment)) == (400, "IR_12")
    assert api.get(f"/payments/{payment}")["state_metadata"] is None
    assert len(api.get(f"/payments/{payment}")["refunds"]) == 10


# changed


@pytest.mark.parametrize("status", list(RefundStatus))
def test_words_can_be_changed_in_every_status_and_money_never(
    api: Wire, clock: ManualClock, status: RefundStatus
) -> None:
    made = api.get(f"/refunds/{REFUNDS[status](api)}")
    clock.advance(1000)
    path = f"/refunds/{made['refund_id']}"
    changed = fine(api.post(path, {"reason": "new", "metadata": {"b": 2}}))
    same = {name: value for name, value in made.json.items() if name not in ("reason", "metadata", "updated_at")}
    assert {name: changed[name] for name in same} == same
    assert (changed["reason"], changed["metadata"]) == ("new", {"b": 2})
    assert changed["updated_at"] == "2026-01-01T00:00:01.000Z"
    assert api.get(path).raw == changed.raw


def test_an_update_leaves_what_was_not_sent_and_a_replace_does_not(api: Wire) -> None:
    payment = paid(api)
    path = f"/refunds/{fine(refund(api, payment, reason='a', metadata={'a': 1, 'b': 2}))['refund_id']}"
    assert fine(api.post(path, {"metadata": {"c": 3}}))["reason"] == "a"
    assert api.get(path)["metadata"] == {"c": 3}
    replaced = fine(api.put(path, {"payment_id": payment, "reason": "z", "amount": AMOUNT}))
    assert (replaced["reason"], replaced["metadata"], replaced["amount"]) == ("z", {}, AMOUNT)
    assert refused(api.put(path, {"reason": "z"})) == (400, "IR_04")


@pytest.mark.parametrize("name", ["payment_id", "refund_id", "merchant_id", "amount", "refund_type", "split_refunds"])
def test_a_replacement_cannot_contradict_what_is_fixed(api: Wire, name: str) -> None:
    payment = paid(api)
    path = f"/refunds/{fine(refund(api, payment, metadata={'a': 1}))['refund_id']}"
    other = {"amount": 1, "refund_type": "scheduled", "split_refunds": {"a": 1}}.get(name, "another")
    reply = api.put(path, {"payment_id": payment, name: other})
    assert (reply.status, [one["field"] for one in reply.error["fields"]]) == (400, [name])
    assert api.get(path)["metadata"] == {"a": 1}


@pytest.mark.parametrize("body", [{"amount": 1}, {"status": "failed"}, {"payment_id": "p"}, {"refund_type": "instant"}])
def test_an_update_takes_words_alone(api: Wire, body: dict[str, object]) -> None:
    made = fine(refund(api, paid(api)))
    assert refused(api.post(f"/refunds/{made['refund_id']}", body)) == (400, "IR_06")


# looked at


def test_it_can_be_retrieved_in_every_way(api: Wire) -> None:
    made = fine(refund(api, paid(api)))
    path = f"/refunds/{made['refund_id']}"
    ways = [
        api.get(path),
        api.get(path + "?force_sync=true"),
        api.post("/refunds/sync", {"refund_id": made["refund_id"], "force_sync": True}),
    ]
    assert {way.raw for way in ways} == {made.raw}
    assert refused(api.get(path + "?force=true")) == (400, "IR_06")
    assert refused(api.get(path + "?force_sync=maybe")) == (400, "IR_04")
    assert refused(api.post("/refunds/sync", {})) == (400, "IR_04")


def test_another_merchant_sees_nothing_of_it(api: Wire) -> None:
    made = fine(refund(api, paid(api), refund_id="ref_1"))
    other = api.as_key("snd_somebody_else")
    assert refused(other.get(f"/refunds/{made['refund_id']}")) == (404, "HE_02")
    assert other.get("/refunds/list")["total_count"] == 0


def test_a_repeat_under_a_key_makes_no_second_refund(api: Wire) -> None:
    payment = paid(api)
    body = {"payment_id": payment, "amount": 10}
    first = api.post("/refunds", body, X_Idempotency_Key="k")
    again = api.post("/refunds", body, X_Idempotency_Key="k")
    assert (again.raw, again.headers.get("X-Sandbox-Replayed")) == (first.raw, "true")
    assert api.get(f"/payments/{payment}")["state_metadata"]["total_refunded_amount"] == 10


def test_a_refusal_by_amount_is_kept_under_its_key(api: Wire) -> None:
    body = {"payment_id": paid(api), "amount": AMOUNT + 1}
    assert refused(api.post("/refunds", body, X_Idempotency_Key="k")) == (400, "IR_13")
    assert api.post("/refunds", body, X_Idempotency_Key="k").headers["X-Sandbox-Replayed"] == "true"
