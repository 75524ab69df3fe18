"""Manual capture, cancelling, and manual review."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from typing import Final

from mock_server.conformance.check import Check
from mock_server.conformance.client import Client, card
from mock_server.conformance.target import Ability

REVIEWED: Final = "4000000000009235"


def authorized(api: Client) -> None:
    held = api.pay(capture_method="manual", amount=4200)
    held.has(status="requires_capture", amount_capturable=4200, amount_received=None, capture_method="manual")


def whole(api: Client) -> None:
    held = api.hold(amount=4200)
    api.on(held, "capture").has(status="succeeded", amount_received=4200, amount_capturable=0)


def part(api: Client) -> None:
    held = api.hold(amount=4200)
    answer = api.on(held, "capture", {"amount_to_capture": 1000})
    answer.has(status="partially_captured", amount=4200, amount_received=1000, amount_capturable=0)
    api.payment(held).has(status="partially_captured", amount_received=1000)


def over_limit(api: Client) -> None:
    held = api.hold(amount=4200)
    api.on(held, "capture", {"amount_to_capture": 4201}).refused(422, "IR_06")
    api.payment(held).has(status="requires_capture", amount_capturable=4200)


def not_positive(api: Client) -> None:
    held = api.hold()
    for amount in (0, -1, "100", 1.5):
        api.on(held, "capture", {"amount_to_capture": amount}).refused(400, "IR_04")


def automatic(api: Client) -> None:
    for made in (api.pay().id, api.create(**card()).id):
        api.on(made, "capture").refused(400, "IR_14")


def twice(api: Client) -> None:
    held = api.hold(amount=4200)
    api.on(held, "capture", {"amount_to_capture": 1000}).is_(200)
    api.on(held, "capture", {"amount_to_capture": 1000}).refused(400, "IR_14")
    api.payment(held).has(amount_received=1000)


def several(api: Client) -> None:
    held = api.pay(capture_method="manual_multiple", amount=3000).has(status="requires_capture").id
    for taken in (1000, 2000):
        answer = api.on(held, "capture", {"amount_to_capture": 1000})
        answer.has(status="partially_captured_and_capturable", amount_received=taken, amount_capturable=3000 - taken)
    api.on(held, "capture", {"amount_to_capture": 1000}).has(status="succeeded", amount_received=3000)


def unconfirmed(api: Client) -> None:
    api.on(api.create(**card(), capture_method="manual").id, "capture").refused(400, "IR_14")


def cancel(api: Client) -> None:
    held = api.hold()
    answer = api.on(held, "cancel", {"cancellation_reason": "requested_by_customer"})
    answer.has(status="cancelled", cancellation_reason="requested_by_customer", amount_capturable=0)
    api.payment(held).has(status="cancelled", amount_received=None)


def cancel_early(api: Client) -> None:
    for made in (api.create().id, api.create(**card()).id):
        api.on(made, "cancel").has(status="cancelled")


def cancel_late(api: Client) -> None:
    paid = api.pay()
    api.on(paid.id, "cancel").refused(400, "IR_16")
    api.payment(paid.id).has(status="succeeded", amount_received=6540)


def cancelled_is_over(api: Client) -> None:
    held = api.hold()
    api.on(held, "cancel").has(status="cancelled")
    api.on(held, "capture").refused(400, "IR_14")
    api.on(held, "confirm").refused(400, "IR_16")
    api.on(held, "cancel").refused(400, "IR_16")


def approve(api: Client) -> None:
    held = api.pay(REVIEWED).has(status="requires_merchant_action").id
    api.on(held, "approve").has(status="succeeded", merchant_decision="approved", amount_received=6540)


def reject(api: Client) -> None:
    held = api.pay(REVIEWED).has(status="requires_merchant_action").id
    api.on(held, "reject").has(status="failed", merchant_decision="rejected", amount_capturable=0)


def only_held(api: Client) -> None:
    paid = api.pay().id
    for action in ("approve", "reject"):
        api.on(paid, action).refused(400, "IR_16")
    api.payment(paid).has(status="succeeded")


CONTROL: Final = frozenset({Ability.CONTROL})
ROWS: Final = (
    Check("captures.authorized", "Manual capture authorizes, and receives nothing yet.", "facts §3.4", authorized),
    Check("captures.whole", "A capture without amount takes all that is left.", "facts §3.5", whole),
    Check("captures.part", "A capture of a part ends in partially_captured; the rest is released.", "facts §3.5", part),
    Check("captures.over_limit", "More than was authorized is not captured: 422 IR_06, and nothing happens.", "facts §3.5", over_limit),
    Check("captures.not_positive", "An amount to capture is a positive integer: 400 IR_04.", "ours", not_positive),
    Check("captures.automatic", "A payment that captures by itself is not captured: 400 IR_14.", "facts §3.3", automatic),
    Check("captures.twice", "What is captured is not captured again: 400 IR_14.", "facts §3.5", twice),
    Check("captures.several", "Under manual_multiple captures add up until all is taken.", "facts §3.5", several),
    Check("captures.unconfirmed", "What is not authorized is not captured: 400 IR_14.", "facts §3.3", unconfirmed),
    Check("cancel.authorized", "Cancelling releases the authorization, and keeps the reason.", "interface §4.5", cancel),
    Check("cancel.early", "What is not confirmed yet can be cancelled.", "facts §3.3", cancel_early),
    Check("cancel.late", "What succeeded is not cancelled: 400 IR_16, and the money stays.", "facts §3.3", cancel_late),
    Check("cancel.is_final", "Nothing more happens to what is cancelled.", "facts §3.3", cancelled_is_over),
    Check("review.approve", "Approving a held payment carries it out.", "interface §4.5", approve, CONTROL),
    Check("review.reject", "Rejecting a held payment fails it and releases the money.", "interface §4.5", reject, CONTROL),
    Check("review.only_held", "Only a held payment is approved or rejected: 400 IR_16.", "facts §3.6", only_held),
)  # fmt: skip
