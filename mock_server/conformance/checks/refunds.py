"""Refunds: how much, of what, how often."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from typing import Final

from mock_server.conformance.answer import Phrase
from mock_server.conformance.check import Check
from mock_server.conformance.client import Client

MOST: Final = 10


def whole(api: Client) -> None:
    paid = api.pay(amount=4200).id
    made = api.refund(paid).has(status="succeeded", amount=4200, currency="USD", payment_id=paid)
    seen = str(made["refund_id"])
    made.expect("refund_id", Phrase("to begin with ref_"), seen, seen.startswith("ref_"))


def payment_stays(api: Client) -> None:
    paid = api.pay(amount=4200).id
    made = api.refund(paid).is_(200)
    found = api.payment(paid).has(status="succeeded", amount_received=4200)
    shown = [row["refund_id"] for row in found["refunds"] or []]
    found.expect("the payment's refunds", [made["refund_id"]], shown)


def parts(api: Client) -> None:
    paid = api.pay(amount=1000).id
    for amount in (400, 600):
        api.refund(paid, amount=amount).has(status="succeeded", amount=amount)
    api.refund(paid, amount=1).refused(400, "IR_13")


def over_captured(api: Client) -> None:
    paid = api.pay(amount=1000).id
    api.refund(paid, amount=1001).refused(400, "IR_13")
    api.payment(paid).has(refunds=None)
    held = api.hold(amount=1000)
    api.on(held, "capture", {"amount_to_capture": 300}).is_(200)
    api.refund(held, amount=301).refused(400, "IR_13")
    api.refund(held, amount=300).has(amount=300)


def not_positive(api: Client) -> None:
    paid = api.pay(amount=1000).id
    for amount in (0, -1, "10", 1.5):
        api.refund(paid, amount=amount).refused(400, "IR_04")


def too_early(api: Client) -> None:
    for unpaid in (api.create().id, api.hold()):
        api.refund(unpaid).refused(400, "IR_14")


def own_id(api: Client) -> None:
    paid, wanted = api.pay(amount=1000).id, api.name("refund")
    api.refund(paid, amount=100, refund_id=wanted).has(refund_id=wanted)
    api.refund(paid, amount=100, refund_id=wanted).refused(400, "HE_01")


def unknown_payment(api: Client) -> None:
    api.refund("pay_nowhere").refused(404, "HE_02")


def retrieve(api: Client) -> None:
    made = api.refund(api.pay().id, amount=100, reason="damaged", metadata={"case": 7})
    made.has(amount=100, reason="damaged", metadata={"case": 7})
    found = api.get(f"/refunds/{made['refund_id']}").is_(200)
    found.expect("the refund", made.json, found.json)


def update(api: Client) -> None:
    made = api.refund(api.pay().id, amount=100)["refund_id"]
    api.post(f"/refunds/{made}", {"reason": "late", "metadata": {"a": "b"}}).is_(200)
    api.get(f"/refunds/{made}").has(reason="late", metadata={"a": "b"}, amount=100)


def so_many(api: Client) -> None:
    paid = api.pay(amount=1000).id
    for _ in range(MOST):
        api.refund(paid, amount=1).is_(200)
    api.refund(paid, amount=1).refused(400, "IR_12")


ROWS: Final = (
    Check("refunds.whole", "A refund without amount gives all back.", "facts §8", whole),
    Check("refunds.payment_stays", "A refunded payment keeps its status, and shows its refunds.", "facts §3.7", payment_stays),
    Check("refunds.parts", "Refunds in parts add up to what was captured.", "facts §8", parts),
    Check("refunds.over_captured", "No more is refunded than was captured: 400 IR_13.", "facts §8", over_captured),
    Check("refunds.not_positive", "A refund's amount is a positive integer: 400 IR_04.", "ours", not_positive),
    Check("refunds.too_early", "What is not captured is not refunded: 400 IR_14.", "facts §8", too_early),
    Check("refunds.own_id", "A refund_id of the caller is kept, and used once: 400 HE_01.", "facts §8", own_id),
    Check("refunds.unknown_payment", "A refund of nothing is 404 HE_02.", "facts §8", unknown_payment),
    Check("refunds.retrieve", "A retrieve shows what the create showed.", "facts §1.2", retrieve),
    Check("refunds.update", "Reason and metadata can be changed later.", "facts §1.2", update),
    Check("refunds.so_many", "A payment has ten refunds at most: 400 IR_12.", "facts §8", so_many),
)  # fmt: skip
