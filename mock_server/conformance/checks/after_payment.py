"""What happens to a payment afterwards: captures, cancelling and review, refunds, disputes."""

from __future__ import annotations

from typing import Any, Final

from mock_server.conformance.answer import INTERFACE, CheckedAnswer
from mock_server.conformance.client import Check, MerchantClient, card
from mock_server.conformance.target import CONTROL


def part(api: MerchantClient) -> None:
    held = api.hold(amount=4200)
    answer = api.on(held, "capture", {"amount_to_capture": 1000})
    answer.has(status="partially_captured", amount=4200, amount_received=1000, amount_capturable=0)
    api.payment(held).has(status="partially_captured", amount_received=1000)


def over_limit(api: MerchantClient) -> None:
    held = api.hold(amount=4200)
    api.on(held, "capture", {"amount_to_capture": 4201}).refused(422, "IR_06")
    api.payment(held).has(status="requires_capture", amount_capturable=4200)


def capture_not_positive(api: MerchantClient) -> None:
    held = api.hold()
    for amount in (0, -1, "100", 1.5):
        api.on(held, "capture", {"amount_to_capture": amount}).refused(400, "IR_04")


def automatic(api: MerchantClient) -> None:
    for made in (api.pay().id, api.create(**card()).id):
        api.on(made, "capture").refused(400, "IR_14")


def twice(api: MerchantClient) -> None:
    held = api.hold(amount=4200)
    api.on(held, "capture", {"amount_to_capture": 1000}).is_(200)
    api.on(held, "capture", {"amount_to_capture": 1000}).refused(400, "IR_14")
    api.payment(held).has(amount_received=1000)


def several(api: MerchantClient) -> None:
    held = api.pay(capture_method="manual_multiple", amount=3000).has(status="requires_capture").id
    for taken in (1000, 2000):
        answer = api.on(held, "capture", {"amount_to_capture": 1000})
        answer.has(status="partially_captured_and_capturable", amount_received=taken, amount_capturable=3000 - taken)
    api.on(held, "capture", {"amount_to_capture": 1000}).has(status="succeeded", amount_received=3000)


def cancel(api: MerchantClient) -> None:
    held = api.hold()
    answer = api.on(held, "cancel", {"cancellation_reason": "requested_by_customer"})
    answer.has(status="cancelled", cancellation_reason="requested_by_customer", amount_capturable=0)
    api.payment(held).has(status="cancelled", amount_received=None)


def cancel_early(api: MerchantClient) -> None:
    for made in (api.create().id, api.create(**card()).id):
        api.on(made, "cancel").has(status="cancelled")


def cancel_late(api: MerchantClient) -> None:
    paid = api.pay()
    api.on(paid.id, "cancel").refused(400, "IR_16")
    api.payment(paid.id).has(status="succeeded", amount_received=6540)


def cancelled_is_over(api: MerchantClient) -> None:
    held = api.hold()
    api.on(held, "cancel").has(status="cancelled")
    api.on(held, "capture").refused(400, "IR_14")
    api.on(held, "confirm").refused(400, "IR_16")
    api.on(held, "cancel").refused(400, "IR_16")


def reviewed(api: MerchantClient) -> str:
    """The id of a payment under review."""
    return api.pay("4000000000009235").has(status="requires_merchant_action").id


def only_held(api: MerchantClient) -> None:
    paid = api.pay().id
    for action in ("approve", "reject"):
        api.on(paid, action).refused(400, "IR_16")
    api.payment(paid).has(status="succeeded")


CAPTURES: Final = (
    Check("captures.authorized", "With manual capture, a payment is authorized but no amount is received.", "facts §3.4", lambda api: api.pay(capture_method="manual", amount=4200).has(status="requires_capture", amount_capturable=4200, amount_received=None, capture_method="manual")),
    Check("captures.whole", "A capture without an amount captures the full remaining amount.", "facts §3.5", lambda api: api.on(api.hold(amount=4200), "capture").has(status="succeeded", amount_received=4200, amount_capturable=0)),
    Check("captures.part", "A partial capture ends in partially_captured and releases the rest.", "facts §3.5", part),
    Check("captures.over_limit", "A capture above the authorized amount is refused with 422 IR_06 and has no effect.", "facts §3.5", over_limit),
    Check("captures.not_positive", "An amount to capture must be a positive integer: 400 IR_04.", "ours", capture_not_positive, only=INTERFACE),
    Check("captures.automatic", "A payment with automatic capture cannot be captured manually: 400 IR_14.", "facts §3.3", automatic),
    Check("captures.twice", "A captured payment cannot be captured again: 400 IR_14.", "facts §3.5", twice),
    Check("captures.several", "With manual_multiple, captures add up to the full amount.", "facts §3.5", several),
    Check("captures.unconfirmed", "A payment that is not authorized cannot be captured: 400 IR_14.", "facts §3.3", lambda api: api.on(api.create(**card(), capture_method="manual").id, "capture").refused(400, "IR_14")),
    Check("cancel.authorized", "Cancelling releases the authorization and stores the reason.", "interface §4.5", cancel),
    Check("cancel.early", "An unconfirmed payment can be cancelled.", "facts §3.3", cancel_early),
    Check("cancel.late", "A succeeded payment cannot be cancelled: 400 IR_16.", "facts §3.3", cancel_late),
    Check("cancel.is_final", "A cancelled payment cannot change any more.", "facts §3.3", cancelled_is_over),
    Check("review.approve", "Approving a held payment completes it.", "interface §4.5", lambda api: api.on(reviewed(api), "approve").has(status="succeeded", merchant_decision="approved", amount_received=6540), CONTROL),
    Check("review.reject", "Rejecting a held payment fails it and releases the money.", "interface §4.5", lambda api: api.on(reviewed(api), "reject").has(status="failed", merchant_decision="rejected", amount_capturable=0), CONTROL),
    Check("review.only_held", "Only a held payment can be approved or rejected: 400 IR_16.", "facts §3.6", only_held),
)  # fmt: skip


def whole_refund(api: MerchantClient) -> None:
    paid = api.pay(amount=4200).id
    api.refund(paid).has(status="succeeded", amount=4200, currency="USD", payment_id=paid).begins("refund_id", "ref_")


def payment_stays(api: MerchantClient) -> None:
    paid = api.pay(amount=4200).id
    made = api.refund(paid).is_(200)
    found = api.payment(paid).has(status="succeeded", amount_received=4200)
    shown = [row["refund_id"] for row in found["refunds"] or []]
    found.expect("the payment's refunds", [made["refund_id"]], shown)


def parts(api: MerchantClient) -> None:
    paid = api.pay(amount=1000).id
    for amount in (400, 600):
        api.refund(paid, amount=amount).has(status="succeeded", amount=amount)
    api.refund(paid, amount=1).refused(400, "IR_13")


def over_captured(api: MerchantClient) -> None:
    paid = api.pay(amount=1000).id
    api.refund(paid, amount=1001).refused(400, "IR_13")
    api.payment(paid).has(refunds=None)
    held = api.hold(amount=1000)
    api.on(held, "capture", {"amount_to_capture": 300}).is_(200)
    api.refund(held, amount=301).refused(400, "IR_13")
    api.refund(held, amount=300).has(amount=300)


def refund_not_positive(api: MerchantClient) -> None:
    paid = api.pay(amount=1000).id
    for amount in (0, -1, "10", 1.5):
        api.refund(paid, amount=amount).refused(400, "IR_04")


def too_early(api: MerchantClient) -> None:
    for unpaid in (api.create().id, api.hold()):
        api.refund(unpaid).refused(400, "IR_14")


def own_id(api: MerchantClient) -> None:
    paid, wanted = api.pay(amount=1000).id, api.name("refund")
    api.refund(paid, amount=100, refund_id=wanted).has(refund_id=wanted)
    api.refund(paid, amount=100, refund_id=wanted).refused(400, "HE_01")


def retrieve(api: MerchantClient) -> None:
    made = api.refund(api.pay().id, amount=100, reason="damaged", metadata={"case": 7})
    made.has(amount=100, reason="damaged", metadata={"case": 7})
    found = api.get(f"/refunds/{made['refund_id']}").is_(200)
    found.expect("the refund", made.json, found.json)


def update(api: MerchantClient) -> None:
    made = api.refund(api.pay().id, amount=100)["refund_id"]
    api.post(f"/refunds/{made}", {"reason": "late", "metadata": {"a": "b"}}).is_(200)
    api.get(f"/refunds/{made}").has(reason="late", metadata={"a": "b"}, amount=100)


def so_many(api: MerchantClient) -> None:
    paid = api.pay(amount=1000).id
    for _ in range(10):
        api.refund(paid, amount=1).is_(200)
    api.refund(paid, amount=1).refused(400, "IR_12")


REFUNDS: Final = (
    Check("refunds.whole", "A refund without an amount refunds the full amount.", "facts §8", whole_refund),
    Check("refunds.payment_stays", "A refunded payment keeps its status and lists its refunds.", "facts §3.7", payment_stays),
    Check("refunds.parts", "Partial refunds add up to the captured amount.", "facts §8", parts),
    Check("refunds.over_captured", "Refunds cannot exceed the captured amount: 400 IR_13.", "facts §8", over_captured),
    Check("refunds.not_positive", "The amount of a refund must be a positive integer: 400 IR_04.", "ours", refund_not_positive, only=INTERFACE),
    Check("refunds.too_early", "A payment that is not captured cannot be refunded: 400 IR_14.", "facts §8", too_early),
    Check("refunds.own_id", "A refund_id can be chosen by the caller and used once: 400 HE_01.", "facts §8", own_id),
    Check("refunds.unknown_payment", "A refund of an unknown payment is refused with 404 HE_02.", "facts §8", lambda api: api.refund("pay_nowhere").refused(404, "HE_02")),
    Check("refunds.retrieve", "Retrieving it returns the same object as creating it.", "facts §1.2", retrieve),
    Check("refunds.update", "Reason and metadata can be changed later.", "facts §1.2", update),
    Check("refunds.so_many", "A payment has at most ten refunds: 400 IR_12.", "facts §8", so_many),
)  # fmt: skip


def opened(api: MerchantClient, **fields: Any) -> tuple[str, CheckedAnswer]:
    """A paid payment and its dispute."""
    paid = api.pay(amount=4200).id
    return paid, api.control("POST", f"payments/{paid}/dispute", fields)


def shown(api: MerchantClient) -> None:
    paid, made = opened(api)
    dispute = made["dispute_id"]
    found = api.get(f"/disputes/{dispute}")
    found.has(payment_id=paid, dispute_status="dispute_opened", dispute_stage="dispute", currency="USD")
    found.begins("dispute_id", "dp_").is_text("challenge_required_by")
    api.payment(paid).has(status="succeeded").shows("disputes.0.dispute_id", dispute)


def amount_is_text(api: MerchantClient) -> None:
    _, made = opened(api, amount=1000)
    api.get(f"/disputes/{made['dispute_id']}").has(amount="1000")


def listed(api: MerchantClient) -> None:
    paid, made = opened(api)
    answer = api.get(f"/disputes/list?payment_id={paid}").has(total_count=1, has_more=False)
    answer.shows("data.0.dispute_id", made["dispute_id"])
    api.get(f"/disputes/list?payment_id={paid}&dispute_status=dispute_won").has(total_count=0)


def accepted(api: MerchantClient) -> None:
    _, made = opened(api)
    api.post(f"/disputes/accept/{made['dispute_id']}", {}).has(dispute_status="dispute_accepted")
    api.post(f"/disputes/accept/{made['dispute_id']}", {}).refused(400, "HE_03")


def challenged(api: MerchantClient) -> None:
    _, made = opened(api)
    evidence = {"dispute_id": made["dispute_id"], "customer_name": "Ada Lovelace"}
    api.post("/disputes/evidence", evidence).has(dispute_status="dispute_challenged")
    api.get(f"/disputes/{made['dispute_id']}").has(dispute_status="dispute_challenged")


def blocks_refunds(api: MerchantClient) -> None:
    paid, _ = opened(api, amount=4000)
    api.refund(paid, amount=201).refused(400, "IR_13")
    api.refund(paid, amount=200).has(amount=200)


DISPUTES: Final = (
    Check("disputes.shown", "A dispute is returned on its own and in its payment, whose status does not change.", "facts §2.5", shown, CONTROL),
    Check("disputes.amount_is_text", "The amount of a dispute is a string in minor units.", "facts §2.5", amount_is_text, CONTROL),
    Check("disputes.listed", "Disputes can be listed and filtered.", "facts §1.3", listed, CONTROL, only=INTERFACE),
    Check("disputes.accepted", "A dispute can be accepted once: then 400 HE_03.", "facts §3.7", accepted, CONTROL),
    Check("disputes.challenged", "Evidence challenges a dispute.", "facts §3.7", challenged, CONTROL),
    Check("disputes.unknown", "An unknown dispute is 404 HE_04.", "facts §3.7", lambda api: api.get("/disputes/dp_nowhere").refused(404, "HE_04")),
    Check("disputes.blocks_refunds", "A disputed amount cannot be refunded: 400 IR_13.", "facts §8", blocks_refunds, CONTROL),
)  # fmt: skip
