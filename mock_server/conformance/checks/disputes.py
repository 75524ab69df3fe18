"""Disputes: opened by the customer's bank, answered by the merchant."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from typing import Any, Final

from mock_server.conformance.answer import Answer, Phrase
from mock_server.conformance.check import Check
from mock_server.conformance.client import Client
from mock_server.conformance.target import Ability


def opened(api: Client, **fields: Any) -> tuple[str, Answer]:
    """A paid payment and its dispute."""
    paid = api.pay(amount=4200).id
    return paid, api.control("POST", f"payments/{paid}/dispute", fields)


def shown(api: Client) -> None:
    paid, made = opened(api)
    dispute = made["dispute_id"]
    found = api.get(f"/disputes/{dispute}")
    found.has(payment_id=paid, dispute_status="dispute_opened", dispute_stage="dispute", currency="USD")
    found.expect("dispute_id", Phrase("to begin with dp_"), dispute, str(dispute).startswith("dp_"))
    found.expect(
        "challenge_required_by",
        Phrase("an instant"),
        found["challenge_required_by"],
        bool(found["challenge_required_by"]),
    )
    api.payment(paid).has(status="succeeded").shows("disputes.0.dispute_id", dispute)


def amount_is_text(api: Client) -> None:
    _, made = opened(api, amount=1000)
    api.get(f"/disputes/{made['dispute_id']}").has(amount="1000")


def listed(api: Client) -> None:
    paid, made = opened(api)
    answer = api.get(f"/disputes/list?payment_id={paid}").has(total_count=1, has_more=False)
    answer.shows("data.0.dispute_id", made["dispute_id"])
    api.get(f"/disputes/list?payment_id={paid}&dispute_status=dispute_won").has(total_count=0)


def accepted(api: Client) -> None:
    _, made = opened(api)
    api.post(f"/disputes/accept/{made['dispute_id']}", {}).has(dispute_status="dispute_accepted")
    api.post(f"/disputes/accept/{made['dispute_id']}", {}).refused(400, "HE_03")


def challenged(api: Client) -> None:
    _, made = opened(api)
    evidence = {"dispute_id": made["dispute_id"], "customer_name": "Ada Lovelace"}
    api.post("/disputes/evidence", evidence).has(dispute_status="dispute_challenged")
    api.get(f"/disputes/{made['dispute_id']}").has(dispute_status="dispute_challenged")


def unknown(api: Client) -> None:
    api.get("/disputes/dp_nowhere").refused(404, "HE_04")


def blocks_refunds(api: Client) -> None:
    paid, _ = opened(api, amount=4000)
    api.refund(paid, amount=201).refused(400, "IR_13")
    api.refund(paid, amount=200).has(amount=200)


CONTROL: Final = frozenset({Ability.CONTROL})
ROWS: Final = (
    Check("disputes.shown", "A dispute is shown by itself and with its payment, whose status stays.", "facts §2.5", shown, CONTROL),
    Check("disputes.amount_is_text", "A dispute's amount is a text of minor units.", "facts §2.5", amount_is_text, CONTROL),
    Check("disputes.listed", "Disputes are listed and filtered.", "facts §1.3", listed, CONTROL),
    Check("disputes.accepted", "A dispute is conceded once: again is 400 HE_03.", "facts §3.7", accepted, CONTROL),
    Check("disputes.challenged", "Evidence challenges a dispute.", "facts §3.7", challenged, CONTROL),
    Check("disputes.unknown", "A dispute that there is not is 404 HE_04.", "facts §3.7", unknown),
    Check("disputes.blocks_refunds", "What is disputed is not refunded: 400 IR_13.", "facts §8", blocks_refunds, CONTROL),
)  # fmt: skip
