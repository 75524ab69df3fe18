"""What the money must be, by plain sums over the answers received. Nothing of the project is imported here."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

Answer = dict[str, Any]

OPEN_REFUNDS = {"pending", "review"}
LET_GO = {"dispute_won", "dispute_cancelled"}
BEFORE_APPROVAL = {"requires_payment_method", "requires_confirmation", "requires_action"}
AUTHORIZED = {
    "requires_capture",
    "partially_authorized_and_requires_capture",
    "partially_captured_and_capturable",
    "requires_merchant_action",
}


@dataclass
class Account:
    """One payment: what was approved, captured and asked for, and its newest answers. Amounts in minor units."""

    payment: Answer
    percent: int = 100
    authorized: int = 0
    captured: int = 0
    capturing: int = 0
    asked: int | None = None
    now: str = ""
    refunds: dict[str, Answer] = field(default_factory=dict)
    disputes: dict[str, Answer] = field(default_factory=dict)
    asked_types: dict[str, str] = field(default_factory=dict)

    @property
    def payment_id(self) -> str:
        return str(self.payment["payment_id"])

    @property
    def status(self) -> str:
        return str(self.payment["status"])

    @property
    def refunded(self) -> int:
        return sum(one["amount"] for one in self.refunds.values() if one["status"] == "succeeded")

    @property
    def refunding(self) -> int:
        return sum(one["amount"] for one in self.refunds.values() if one["status"] in OPEN_REFUNDS)

    @property
    def disputed(self) -> int:
        return sum(int(one["amount"]) for one in self.disputes.values() if one["dispute_status"] not in LET_GO)

    @property
    def refundable(self) -> int:
        return self.captured - self.refunded - self.refunding - self.disputed

    @property
    def disputable(self) -> int:
        return self.captured - self.disputed

    @property
    def capturable(self) -> int:
        """What the payment must say can still be captured."""
        if self.status in BEFORE_APPROVAL:
            return int(self.payment["net_amount"])
        several = self.payment["capture_method"] == "manual_multiple"  # one open capture, or a void, takes all
        captures_more = self.status == "pending" and several and self.capturing > 0
        if (self.status in AUTHORIZED or captures_more) and not self.is_late:
            return max(0, self.authorized - self.captured - self.capturing)
        return 0

    @property
    def is_late(self) -> bool:
        """Whether the authorization's time is over while captures of it are open: only those can still be paid."""
        end = self.payment["capture_before"]
        return self.capturing > 0 and self.status == "pending" and end is not None and end <= self.now

    @property
    def most(self) -> int:
        """The bound of everything captured: a fifth over the authorization where overcapture is on."""
        over = self.payment["enable_overcapture"] and self.payment["capture_method"] == "manual"
        return self.authorized * 120 // 100 if over else self.authorized

    def see(self, answer: Answer) -> None:
        """Takes a newer answer in: the status says what became of what was asked."""
        before, now = self.status, answer["status"]
        if now == "failed" and before != now:
            self.capturing = 0
        if before == "failed" != now:
            self.authorized = 0
        if not self.authorized:
            self._approved(now, int(answer["net_amount"]))
        if (before, now) == ("requires_merchant_action", "succeeded"):
            self.captured = self.authorized
        if self.capturing and before == "pending" != now and now != "requires_merchant_action":
            several = answer.get("captures") or ()
            failed = several and sum(one["amount"] for one in several if one["status"] == "charged") == self.captured
            self.captured, self.capturing = self.captured + (0 if failed else self.capturing), 0
        self.payment = answer

    def _approved(self, now: str, net: int) -> None:
        """The first answer that says how much the bank stands for."""
        if now == "partially_captured":
            self.authorized = self.captured = self.asked or 0
        elif now in ("succeeded", "requires_capture", "requires_merchant_action"):
            self.authorized = net
            self.captured = net if now == "succeeded" else 0
        elif now == "partially_authorized_and_requires_capture":
            self.authorized = max(1, net * self.percent // 100)

    def raised(self, total: int) -> None:
        self.authorized = total

    def capture_asked(self, amount: int, became: str) -> None:
        """A capture came back as charged, pending or failed; one that failed takes the open ones with it."""
        if became == "pending":
            self.capturing += amount
        elif became == "charged":
            self.captured += amount
        else:
            self.capturing = 0


@dataclass
class Ledger:
    """Everything that one merchant did."""

    accounts: dict[str, Account] = field(default_factory=dict)

    def open(self, answer: Answer, percent: int = 100) -> Account:
        blank = {**answer, "status": "requires_payment_method"}
        account = self.accounts[answer["payment_id"]] = Account(blank, percent)
        account.see(answer)
        return account

    @property
    def payments(self) -> list[Answer]:
        return [account.payment for account in self.accounts.values()]

    @property
    def refunds(self) -> list[Answer]:
        return [one for account in self.accounts.values() for one in account.refunds.values()]

    @property
    def disputes(self) -> list[Answer]:
        return [one for account in self.accounts.values() for one in account.disputes.values()]


def count(answers: list[Answer], key: str) -> Counter[str]:
    """How many there are of each value."""
    return Counter(str(one[key]) for one in answers)


def total(answers: list[Answer], key: str = "amount") -> int:
    """The sum of a figure; disputes say theirs as text."""
    return sum(int(one[key] or 0) for one in answers)
