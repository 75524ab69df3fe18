"""The mistakes: each a small override of the correct shop, the story in which it shows, and the rule that finds it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final, NamedTuple

from tests.verdict.matrix import stories
from tests.verdict.matrix.shop import DONE, Cell, GaveUp, Json, Lost, Shop, Told

Story = Callable[[Shop], None]


class BeginsAgain(Shop):
    """Begins the whole order again if the answer to its confirmation is lost."""

    def pay(self, order: Json) -> Told:
        for _ in range(self.patience):
            try:
                return super().pay(order)
            except Lost:
                self.before_retry()
        raise GaveUp("/payments")

    def confirm(self, paid: Told) -> Told:
        return self.call("POST", f"/payments/{paid['payment_id']}/confirm", {}, self.key("confirm", 0, {}))


class NoKey(BeginsAgain):
    def key(self, operation: str, attempt: int, body: Json) -> str | None:
        return None


class NewKey(BeginsAgain):
    def key(self, operation: str, attempt: int, body: Json) -> str | None:
        self.attempts = getattr(self, "attempts", 0) + 1
        return f"{operation} {self.attempts}"


class NoKeyButMetadata(NoKey):
    def order(self, amount: int = 4200, **fields: Any) -> dict[str, Any]:
        order = super().order(amount, **fields)
        return {name: order[name] for name in order if name != "merchant_order_reference_id"}


class OnlyKeys(Shop):
    """Right, though nothing but its keys tells its orders apart."""

    def order(self, amount: int = 4200, **fields: Any) -> dict[str, Any]:
        order = super().order(amount, **fields)
        return {name: order[name] for name in order if name not in ("merchant_order_reference_id", "metadata")}

    def key(self, operation: str, attempt: int, body: Json) -> str | None:
        """`pay` gets the number of the order, which is nowhere in the body."""
        self.sales = getattr(self, "sales", 0) + (attempt == 0)
        return f"{operation} {self.sales}"


class OneMetadata(OnlyKeys):
    """Right: its metadata says only which till it is."""

    def order(self, amount: int = 4200, **fields: Any) -> dict[str, Any]:
        return {**super().order(amount, **fields), "metadata": {"till": "seven"}}


class NoKeyNoReference(BeginsAgain, OnlyKeys):
    def key(self, operation: str, attempt: int, body: Json) -> str | None:
        return None


class KeyByAmount(Shop):
    def key(self, operation: str, attempt: int, body: Json) -> str | None:
        return f"{body.get('amount', operation)}"


class RefundsWithoutId(NewKey):
    def refund_id(self, payment_id: str, part: int) -> str | None:
        return None


class GivesUpAtOnce(Shop):
    patience = 1


class RetriesAtOnce(Shop):
    def after_refusal(self, answer: Told) -> None:
        pass


class RetriesAfterASecond(Shop):
    def after_refusal(self, answer: Told) -> None:
        self.let_pass(1 + self.cell.delayed)


class RetriesForEver(Shop):
    patience = 30

    def after_error(self, attempt: int) -> None:
        if self.cell.delayed:
            self.let_pass(5)


class RetriesTheSameCard(Shop):
    def buys(self, card: str) -> None:
        self.card = card
        order = self.order(confirm=True, capture_method="automatic")
        for number in range(3):
            self.before_retry()
            self.move("/payments", order, f"buy {number}")


class ShipsWhateverTheStatus(Shop):
    def ship(self, paid: Told) -> None:
        self.capture(paid["payment_id"])

    def give_back(self, paid: Told) -> None:
        self.refund(paid["payment_id"], 4200)

    def needs_action(self, paid: Told) -> None:
        pass

    def capture_late(self, payment_id: str) -> None:
        self.capture(payment_id)


class RefundsWhateverTheStatus(Shop):
    """Its customer service notes each refund as made, and makes none again."""

    def give_back(self, paid: Told) -> None:
        if paid["payment_id"] not in self.seen:
            self.seen.add(paid["payment_id"])
            self.refund(paid["payment_id"], 4200)


class BelievesTheRedirect(Shop):
    def customer_returns(self, paid: Told) -> None:
        pass


class NeverLooks(Shop):
    def follow(self, paid: Told) -> None:
        pass


class PollsWithoutPause(Shop):
    def follow(self, paid: Told) -> None:
        for _ in range(30):
            self.read(paid["payment_id"])
        super().follow(paid)


class PollsSteadily(Shop):
    def follow(self, paid: Told) -> None:
        while self.read(paid["payment_id"])["status"] not in DONE:
            self.let_pass(20)


class PollsForEver(Shop):
    def page(self, payment_id: str) -> None:
        for number in range(8):
            self.let_pass(2**number)
            self.read(payment_id)


class CapturesTooMuch(Shop):
    def capture_goods(self, payment_id: str, amount: int) -> None:
        self.capture(payment_id, 5000)
        self.capture(payment_id, part=2)


class ForgetsToCancel(Shop):
    def sold_out(self, payment_id: str) -> None:
        pass


class CapturesWhatItCancelled(Shop):
    def sold_out(self, payment_id: str) -> None:
        self.cancel(payment_id)
        self.before_retry()
        self.capture(payment_id)


class ForgetsWhoRevoked(Shop):
    def renew(self, first: Told) -> None:
        mandate = {"mandate_id": first["mandate_id"], "customer_id": "cus_anna", "off_session": True}
        self.move("/payments", {**self._bare(), **mandate}, "renewal")


class CapturesAgain(Shop):
    def close_the_day(self, payment_id: str) -> None:
        self.before_retry()
        self.capture(payment_id, part=2)


class RefundsAgain(RefundsWithoutId):
    def returned(self, payment_id: str) -> None:
        for part in range(2):
            self.refund(payment_id, 4200, part)
            self.before_retry()


class RefundsTooMuch(Shop):
    def returned(self, payment_id: str) -> None:
        self.refund(payment_id, 5000)


class TakesForgedEvents(Shop):
    def is_genuine(self, body: bytes, signature: str) -> bool:
        return True


class ActsOnEveryCopy(NewKey):
    def is_new(self, event: Json) -> bool:
        return True

    def key(self, operation: str, attempt: int, body: Json) -> str | None:
        return None


class ShipsOnEveryCopy(Shop):
    """Sends the goods twice, which is in its own database only."""

    def is_new(self, event: Json) -> bool:
        return True

    def take(self, event: Json) -> None:
        self.seen.add(f"shipped {len(self.seen)}")


class BelievesEvents(Shop):
    """The newest event that came is what is true."""

    def take(self, event: Json) -> None:
        shown = event["content"]["object"]
        if "payment_id" in shown and event["event_type"].startswith("payment_"):
            self.state[shown["payment_id"]] = shown["status"]


class RefusesOtherEvents(Shop):
    def receive(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        found = b"".join(super().receive(environ, self._ignored))
        status = "200 OK" if self.last == "payment_succeeded" else "500 Internal Server Error"
        start_response(status, [])
        return [found]

    last = ""

    def _ignored(self, status: str, headers: object) -> None:
        pass

    def is_new(self, event: Json) -> bool:
        self.last = event["event_type"]
        return super().is_new(event)


class _Content(Shop):
    """Sends something else with each order."""

    more: ClassVar[dict[str, Any]] = {}

    def order(self, amount: int = 4200, **fields: Any) -> dict[str, Any]:
        return {**super().order(amount, **fields), **self.more}


class FloatAmounts(Shop):
    def order(self, amount: int = 4200, **fields: Any) -> dict[str, Any]:
        return {**super().order(amount, **fields), "amount": amount / 100}


class TextAmounts(Shop):
    def order(self, amount: int = 4200, **fields: Any) -> dict[str, Any]:
        return {**super().order(amount, **fields), "amount": f"{amount}"}


class MajorUnits(Shop):
    def order(self, amount: int = 4200, **fields: Any) -> dict[str, Any]:
        return super().order(amount // 100, **fields)


class MisspelledField(_Content):
    more: ClassVar[dict[str, Any]] = {"capture_methode": "manual"}


class OtherProfile(_Content):
    more: ClassVar[dict[str, Any]] = {"profile_id": "pro_other_shop"}


class CardInMetadata(Shop):
    def order(self, amount: int = 4200, **fields: Any) -> dict[str, Any]:
        number = self.sandbox.cards["success"].number
        return {**super().order(amount, **fields), "metadata": {"card": number}}


class KeyInMetadata(Shop):
    def order(self, amount: int = 4200, **fields: Any) -> dict[str, Any]:
        return {**super().order(amount, **fields), "metadata": {"paid_with": self.sandbox.api_key}}


class KeyInPage(Shop):
    def page(self, payment_id: str) -> None:
        headers = {"Origin": "https://shop.example", "Sec-Fetch-Site": "cross-site"}
        self.call("GET", f"/payments/{payment_id}", headers=headers)


class FirstPageOnly(Shop):
    def listed(self) -> list[Json]:
        found: list[Json] = self.call("GET", "/payments/list")["data"]
        return found


class NewConnections(Shop):
    def call(self, *given: Any, **named: Any) -> Told:
        self.hang_up()
        return super().call(*given, **named)


FOUND: Final = "found"
HIDDEN: Final = "not visible"
"""The mistake is made, and nothing that is recorded shows it: `not-judged.md` says why."""
NO_MISTAKE: Final = "no mistake"
"""It cannot be made without a receiver, or it is none because the receiver hears of it."""


class Mistake(NamedTuple):
    """One kind of mistake, in the words of the docs, and whether it is found without a receiver and with one.

    `rule` finds it, or is not checked where it is not visible; None if no rule is about it.
    """

    says: str
    shop: type[Shop]
    story: Story
    rule: str | None
    alone: str = FOUND
    receiving: str = FOUND

    def at(self, cell: Cell) -> str:
        """Whether it is found in a cell."""
        return self.receiving if cell.receiver else self.alone


# ruff: noqa: E501 - one mistake, one line
MISTAKES: Final = (
    Mistake("no idempotency key", NoKey, stories.loses_a_payment, "double-charge"),
    Mistake("no idempotency key, the order only in metadata", NoKeyButMetadata, stories.loses_a_payment, "double-charge"),
    Mistake("no idempotency key and no reference", NoKeyNoReference, stories.loses_a_payment, "repeated-without-key"),
    Mistake("a new idempotency key for each attempt", NewKey, stories.loses_a_payment, "double-charge"),
    Mistake("a new key for each attempt of a capture in part", NewKey, stories.loses_a_part_of_a_capture, "double-charge"),
    Mistake("an idempotency key made of the amount", KeyByAmount, stories.sells_two_things_of_one_price, "key-for-another-body"),
    Mistake("a refund repeated after a lost answer", RefundsWithoutId, stories.loses_a_refund, "refunded-twice"),
    Mistake("a full refund repeated without refund_id", RefundsAgain, stories.gives_money_back, "refunded-twice"),
    Mistake("giving up on a slow answer", GivesUpAtOnce, stories.waits_long_for_an_answer, "left-too-early", FOUND, NO_MISTAKE),
    Mistake("a retry at once after 429", RetriesAtOnce, stories.is_over_the_limit, "retried-too-soon"),
    Mistake("a shorter pause than Retry-After", RetriesAfterASecond, stories.is_over_the_limit, "retried-too-soon"),
    Mistake("endless retries of 5xx", RetriesForEver, stories.meets_a_broken_server, "retried-without-end"),
    Mistake("a card charged again after a final decline", RetriesTheSameCard, stories.is_declined_for_good, "retried-decline"),
    Mistake("capturing a declined payment", ShipsWhateverTheStatus, stories.offers_a_declined_payment_for_capture, "failed-captured"),
    Mistake("refunding a declined payment", ShipsWhateverTheStatus, stories.gives_back_a_declined_payment, "failed-refunded"),
    Mistake("capturing a pending payment", ShipsWhateverTheStatus, stories.offers_a_pending_payment_for_capture, "captured-too-early"),
    Mistake("refunding a pending payment", RefundsWhateverTheStatus, stories.gives_back_a_pending_payment, "refunded-too-early"),
    Mistake("charging a revoked mandate", ForgetsWhoRevoked, stories.charges_each_month, "mandate-overstepped"),
    Mistake("ignoring requires_action", ShipsWhateverTheStatus, stories.challenges_the_customer, "challenge-not-followed"),
    Mistake("trusting the redirect", BelievesTheRedirect, stories.challenges_the_customer, "challenge-never-read", FOUND, HIDDEN),
    Mistake("never looking at a pending payment", NeverLooks, stories.waits_for_a_settlement, "pending-never-looked", FOUND, NO_MISTAKE),
    Mistake("polling without a pause", PollsWithoutPause, stories.waits_for_a_settlement, "polled-too-fast"),
    Mistake("polling at one interval", PollsSteadily, stories.waits_for_a_settlement, "polled-steadily"),
    Mistake("polling after the end", PollsForEver, stories.shows_a_page, "polled-past-end"),
    Mistake("a capture after the authorization expired", ShipsWhateverTheStatus, stories.lets_an_authorization_expire, "captured-after-expiry"),
    Mistake("a capture of more than is held", CapturesTooMuch, stories.holds_more_than_it_needs, "captured-too-much"),
    Mistake("an authorization left open", ForgetsToCancel, stories.sells_what_is_sold_out, "authorization-open"),
    Mistake("a capture of a cancelled payment", CapturesWhatItCancelled, stories.sells_what_is_sold_out, "captured-after-cancel"),
    Mistake("a second capture", CapturesAgain, stories.captures_once, "captured-twice"),
    Mistake("a refund of more than was captured", RefundsTooMuch, stories.gives_money_back, "refunded-too-much"),
    Mistake("no check of signatures", TakesForgedEvents, stories.takes_forged_events, "forged-webhook-taken", NO_MISTAKE, FOUND),
    Mistake("a double event that captures twice", ActsOnEveryCopy, stories.takes_events_twice, "webhook-acted-twice", NO_MISTAKE, FOUND),
    Mistake("an older event over a newer state, and a capture after it", BelievesEvents, stories.takes_events_late, "captured-twice", NO_MISTAKE, FOUND),
    Mistake("refusing events of other types", RefusesOtherEvents, stories.takes_events, "webhook-refused", NO_MISTAKE, FOUND),
    Mistake("amounts as decimals", FloatAmounts, stories.sells_for_an_odd_price, "amount-not-whole"),
    Mistake("amounts as text", TextAmounts, stories.sells_for_an_odd_price, "amount-not-whole"),
    Mistake("a misspelled field", MisspelledField, stories.sells_for_an_odd_price, "unknown-fields"),
    Mistake("a card number in metadata", CardInMetadata, stories.sells_for_an_odd_price, "card-data-misplaced"),
    Mistake("an API key in metadata", KeyInMetadata, stories.sells_for_an_odd_price, "key-misplaced"),
    Mistake("a secret key in a page", KeyInPage, stories.shows_a_page, "secret-key-in-browser"),
    Mistake("reading only the first page of a list", FirstPageOnly, stories.makes_up_its_accounts, "first-page-only"),
    Mistake("a connection for each call", NewConnections, stories.makes_many_calls, "connection-for-each-call"),
    Mistake("goods shipped twice after a double event", ShipsOnEveryCopy, stories.is_told_twice, "webhook-acted-twice", NO_MISTAKE, HIDDEN),
    Mistake("trusting the event's body", BelievesEvents, stories.takes_stale_events, None, NO_MISTAKE, HIDDEN),
    Mistake("amounts in major units", MajorUnits, stories.sells_for_an_odd_price, None, HIDDEN, HIDDEN),
    Mistake("the other shop's profile", OtherProfile, stories.sells_for_an_odd_price, None, HIDDEN, HIDDEN),
)  # fmt: skip
