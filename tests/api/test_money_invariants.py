"""Whatever is refunded and disputed, in whatever order: the sums hold (facts §3.7, §8).

The ledger is kept from the answers alone, by plain sums, and compared with what the API says after every step.
"""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.api.money_places import advance, dispute, fine, paid, refund, settle
from tests.clocks import ManualClock
from tests.counts import SOAK
from tests.wire import Reply, Wire, wire

CARDS = ("success", "visa_refund_pending", "visa_refund_fails_later", "visa_refund_fails", "visa_dispute_part")
WISHES = (None, "pending", "failed", "pending:failed:5s", "pending:succeeded:20s")
ENDS = ("won", "lost", "challenged", "accepted", "cancelled", "expired", "next_stage")
AMOUNTS = st.one_of(st.none(), st.integers(1, 1200))


class Money(RuleBasedStateMachine):
    """One payment of 1000 and everything that can happen to its money."""

    api: Wire
    clock: ManualClock
    payment: str

    @initialize(card=st.sampled_from(CARDS), captured=st.integers(1, 1000))
    def pay(self, card: str, captured: int) -> None:
        self.clock = ManualClock()
        self.api = wire(clock=self.clock)
        self.payment = paid(self.api, card, amount=1000, capture_method="manual")
        fine(self.api.post(f"/payments/{self.payment}/capture", {"amount_to_capture": captured}))
        self.captured = captured

    @rule(amount=AMOUNTS, wish=st.sampled_from(WISHES), kind=st.sampled_from(["instant", "scheduled"]))
    def refund(self, amount: int | None, wish: str | None, kind: str) -> None:
        asked = self.captured if amount is None else amount
        fits = asked <= self.captured - self.refunded(open_too=True) - self.held() and len(self.refunds()) < 10
        headers = {} if wish is None else {"X_Sandbox_Outcome": wish}
        body = {"payment_id": self.payment, "refund_type": kind, **({} if amount is None else {"amount": amount})}
        reply = self.api.post("/refunds", body, **headers)
        assert (reply.status == 200) is fits, reply.raw

    @rule(number=st.integers(0, 9), word=st.sampled_from(["succeeded", "failed", "review"]))
    def settle(self, number: int, word: str) -> None:
        made = self.refunds()
        if made:
            self.fine_or_refused(settle(self.api, made[number % len(made)]["refund_id"], word))

    @rule(amount=AMOUNTS, stage=st.sampled_from(["pre_dispute", "dispute"]))
    def dispute(self, amount: int | None, stage: str) -> None:
        reply = dispute(self.api, self.payment, stage=stage, **({} if amount is None else {"amount": amount}))
        rest = self.captured - self.held(before=reply.json.get("dispute_id"))
        assert (reply.status == 200) is (rest > 0 if amount is None else amount <= rest), reply.raw

    @rule(number=st.integers(0, 9), to=st.sampled_from(ENDS))
    def advance(self, number: int, to: str) -> None:
        made = self.disputes()
        if made:
            self.fine_or_refused(advance(self.api, made[number % len(made)]["dispute_id"], to))

    @rule(seconds=st.sampled_from([1, 5, 30, 8 * 24 * 3600]))
    def wait(self, seconds: int) -> None:
        self.clock.advance(seconds * 1000)

    @rule()
    def reverse(self) -> None:
        """Not after a refund that counts; before one it would end the story, so it is only tried."""
        if self.refunded(open_too=True):
            assert self.api.post(f"/payments/{self.payment}/cancel_post_capture").status == 400

    @invariant()
    def the_sums_are_those_of_the_answers(self) -> None:
        if not hasattr(self, "payment"):
            return
        shown = fine(self.api.get(f"/payments/{self.payment}"))
        state = shown["state_metadata"] or {}
        assert (state.get("total_refunded_amount") or 0) == self.refunded()
        assert (state.get("total_disputed_amount") or 0) == self.held()
        assert self.refunded(open_too=True) <= self.captured
        assert self.held() <= self.captured
        assert shown["amount_received"] == self.captured
        assert len(shown["refunds"] or []) == len(self.refunds())
        assert len(shown["disputes"] or []) == len(self.disputes())
        for one in self.disputes():
            assert int(one["amount"]) <= self.captured
            assert one["is_already_refunded"] is (self.refunded() >= int(one["amount"]))

    def fine_or_refused(self, reply: Reply) -> None:
        assert reply.status in (200, 400), reply.raw

    def refunds(self) -> list[dict[str, Any]]:
        return self.listed("refunds")

    def disputes(self) -> list[dict[str, Any]]:
        return self.listed("disputes")

    def listed(self, kind: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = fine(self.api.get(f"/{kind}/list?limit=100"))["data"]
        return found

    def refunded(self, *, open_too: bool = False) -> int:
        counted = {"succeeded", "pending", "review"} if open_too else {"succeeded"}
        return sum(one["amount"] for one in self.refunds() if one["status"] in counted)

    def held(self, before: str | None = None) -> int:
        free = {"dispute_won", "dispute_cancelled"}
        held = (one for one in self.disputes() if one["dispute_status"] not in free and one["dispute_id"] != before)
        return sum(int(one["amount"]) for one in held)


Money.TestCase.settings = settings(max_examples=400 if SOAK else 20, stateful_step_count=50 if SOAK else 25)
TestMoney = Money.TestCase


def test_the_ledger_would_see_a_mistake() -> None:
    """The machine's own sums, on a story that is known by heart."""
    machine = Money()
    machine.pay("success", 1000)
    fine(refund(machine.api, machine.payment, amount=300))
    fine(machine.api.post("/refunds", {"payment_id": machine.payment, "amount": 200}, X_Sandbox_Outcome="pending"))
    fine(dispute(machine.api, machine.payment, amount=100))
    assert (machine.refunded(), machine.refunded(open_too=True), machine.held()) == (300, 500, 100)
