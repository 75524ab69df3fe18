"""One merchant's till: every operation on money over HTTP, each answer put down in the ledger and held to the laws."""

from __future__ import annotations

from typing import Any

from tests.money import laws
from tests.money.ledger import Account, Answer, Ledger
from tests.wire import Reply, Wire, card_payment

PERCENT = {"visa_partial_authorization": 50, "visa_partial_authorization_10": 10}
"""How much of the amount these cards' banks stand for, as the cards' table in the docs says."""
TRANSFER = {"payment_method": "bank_transfer", "payment_method_type": "sepa"}
RETRIES = "pro_retries"


class Till:
    """Creates, changes and watches payments; `shown` counts how often the laws were asked."""

    def __init__(self, api: Wire) -> None:
        self.api = api
        self.now = ""
        self.ledger = Ledger()
        fine(api.post("/_sandbox/reset", {"seed": "till"}))
        merchant = fine(api.post("/payments", {"amount": 1, "currency": "EUR", "profile_id": RETRIES}))
        self.ledger.open(merchant.json)
        self.merchant_id = merchant["merchant_id"]
        path = f"/account/{self.merchant_id}/business_profile/{RETRIES}"
        fine(api.post(path, {"is_manual_retry_enabled": True}))

    # payments

    def create(self, card: str | None, **fields: Any) -> Account:
        """A new payment; without a card it is a bank transfer."""
        body = {**card_payment(card or "success"), **fields}
        if card is None:
            body |= {**TRANSFER, "payment_method_data": {"bank_transfer": {"sepa": {}}}, "email": "jane@example.com"}
        answer = fine(self.api.post("/payments", body)).json
        assert laws.moved_lawfully("create", None, answer["status"])
        account = self.ledger.open(answer, PERCENT.get(card or "", 100))
        self.look(account)
        return account

    def act(self, operation: str, account: Account, path: str, body: object = None, **headers: str) -> Reply:
        """Any call about one payment; a refusal changes nothing."""
        before, end = account.status, account.payment["capture_before"]
        reply = self.api.post(path.format(account.payment_id), body, **headers)
        assert reply.status in (200, 400, 422), reply.raw
        if reply.status == 200:
            now = reply["status"]
            assert laws.moved_lawfully(operation, before, now), (operation, before, now)
            assert before not in laws.TERMINAL or now == before or (operation, before, now) in ways_out(account)
            if operation == "capture":
                account.capture_asked(*self._capture(account, body, reply.json))
            account.see({**account.payment, **reply.json})
            moves_end = operation in ("extend", "confirm", "expire")
            assert moves_end or end in (None, account.payment["capture_before"]), operation
            if operation == "increment" and reply["incremental_authorizations"][-1]["status"] == "success":
                account.raised(reply["net_amount"])
        self.look(account, operation="look" if reply.status == 200 else "refund")
        return reply

    def _capture(self, account: Account, body: Any, answer: Answer) -> tuple[int, str]:
        """How much was asked, and what became of it: of several captures the last one tells."""
        amount = (body or {}).get("amount_to_capture") or account.capturable
        if answer["status"] == "failed":
            return amount, "failed"
        shown = fine(self.api.get(f"/payments/{account.payment_id}?expand_captures=true")).json
        if shown.get("captures"):
            last = shown["captures"][-1]
            assert last["amount"] == amount
            return amount, last["status"]
        return amount, "pending" if answer["status"] == "pending" else "charged"

    def capture(self, account: Account, amount: int | None, wish: str | None) -> Reply:
        status, several = account.status, account.payment["capture_method"] == "manual_multiple"
        open_for_it = status in ("requires_capture", "partially_authorized_and_requires_capture") or (
            status == "partially_captured_and_capturable" or (status == "pending" and several and account.capturing > 0)
        )
        overcapture = account.payment["enable_overcapture"] and account.payment["capture_method"] == "manual"
        most = account.capturable * 120 // 100 if overcapture else account.capturable
        fits = open_for_it and (amount <= most if amount is not None else not several)
        body = {} if amount is None else {"amount_to_capture": amount}
        reply = self.act("capture", account, "/payments/{}/capture", body, **wished(wish))
        assert (reply.status == 200) is fits, (reply.raw, status, amount, most)
        return reply

    def look(self, account: Account, *, operation: str = "look") -> None:
        """Retrieves a payment and all that belongs to it, and asks every law."""
        answer = fine(self.api.get(f"/payments/{account.payment_id}?expand_captures=true")).json
        moved = laws.moved_lawfully(operation if operation == "clock" else "look", account.status, answer["status"])
        assert moved, (operation, account.status, answer["status"])
        account.see(answer)
        account.now = self.now
        for refund in answer["refunds"] or []:
            self._saw_refund(operation, account, refund)
        if answer["disputes"]:
            listed = fine(self.api.get(f"/disputes/list?payment_id={account.payment_id}&limit=100"))["data"]
            for dispute in listed:
                self._saw_dispute(account, dispute)
        laws.check(account)

    def _saw_refund(self, operation: str, account: Account, refund: Answer) -> None:
        before = account.refunds.get(refund["refund_id"], refund)
        assert laws.refund_moved_lawfully(operation, before["status"], refund["status"]), (operation, before, refund)
        assert refund["amount"] == before["amount"]
        account.refunds[refund["refund_id"]] = refund

    def _saw_dispute(self, account: Account, dispute: Answer) -> None:
        before = account.disputes.get(dispute["dispute_id"], dispute)
        assert laws.dispute_moved_lawfully(before, dispute), (before, dispute)
        assert dispute["amount"] == before["amount"]
        account.disputes[dispute["dispute_id"]] = dispute

    # refunds and disputes

    def refund(
        self, account: Account, amount: int | None, wish: str | None, kind: str = "instant", reason: str | None = None
    ) -> Reply:
        fits = laws.refund_fits(account, amount)
        body: Answer = {"payment_id": account.payment_id, "refund_type": kind, "reason": reason}
        body |= {} if amount is None else {"amount": amount}
        reply = self.api.post("/refunds", body, **wished(wish))
        assert (reply.status == 200) is fits, (reply.raw, account.refundable, amount)
        if fits:
            account.refunds[reply["refund_id"]] = reply.json
            account.asked_types[reply["refund_id"]] = kind
        self.look(account)
        return reply

    def settle_refund(self, account: Account, number: int, word: str) -> None:
        made = list(account.refunds.values())
        if made:
            refund = made[number % len(made)]
            lawful = word in laws.REFUND_MOVES[refund["status"]]
            reply = self.api.post(f"/_sandbox/refunds/{refund['refund_id']}/settle", {"as": word})
            assert (reply.status == 200) is lawful, (reply.raw, refund["status"], word)
            self.look(account)

    def dispute(self, account: Account, amount: int | None, stage: str) -> None:
        fits = account.status in ("succeeded", "partially_captured", "partially_captured_and_capturable")
        fits = fits and (account.disputable > 0 if amount is None else 0 < amount <= account.disputable)
        body = {"stage": stage, **({} if amount is None else {"amount": amount})}
        reply = self.api.post(f"/_sandbox/payments/{account.payment_id}/dispute", body)
        assert (reply.status == 200) is fits, (reply.raw, account.disputable, amount)
        self.look(account)

    def advance_dispute(self, account: Account, number: int, to: str) -> None:
        made = list(account.disputes)
        if made:
            reply = self.api.post(f"/_sandbox/disputes/{made[number % len(made)]}/advance", {"to": to})
            assert reply.status in (200, 400), reply.raw
            self.look(account)

    def evidence(self, account: Account, number: int, text: str) -> None:
        made = list(account.disputes)
        if made:
            body = {"dispute_id": made[number % len(made)], "uncategorized_text": text}
            assert self.api.post("/disputes/evidence", body).status in (200, 400)
            self.look(account)

    # time

    def advance(self, by: str) -> None:
        self.now = fine(self.api.post("/_sandbox/clock/advance", {"by": by, "deliver": False}))["now"]
        for account in self.ledger.accounts.values():
            self.look(account, operation="clock")


def wished(wish: str | None) -> dict[str, str]:
    """The header that chooses an outcome, where one is wanted."""
    return {} if wish is None else {"X_Sandbox_Outcome": wish}


def fine(reply: Reply) -> Reply:
    assert reply.status == 200, reply.raw
    return reply


def ways_out(account: Account) -> set[tuple[str, str, str | None]]:
    """The only ways out of a final status."""
    retries = laws.MOVES["confirm"]["failed"] if account.payment["profile_id"] == RETRIES else set()
    return {
        ("cancel_post_capture", "succeeded", "cancelled_post_capture"),
        ("cancel_post_capture", "partially_captured", "cancelled_post_capture"),
        *(("confirm", "failed", to) for to in retries),
    }
