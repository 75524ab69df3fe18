"""A random life of a workspace, and what is then true: counted by whoever made the calls, by rules of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from typing import Final, NamedTuple
from urllib.parse import urlencode, urlsplit

from tests.dashboard.visitor import FORM, OWN
from tests.wire import Reply, Wire

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
BEGAN: Final = int(datetime(2026, 3, 2, 10, tzinfo=UTC).timestamp() * 1000)
MOVES: Final = (0, 0, 0, 7 * SECOND, 9 * MINUTE, 16 * MINUTE, 5 * HOUR, DAY, 4 * DAY, 8 * DAY)
NAMES: Final = ("Ada Lovelace", "Grace Hopper", "José Ñandú", "李 小龙", "<b>Bob</b>")


def money(minor: int, code: str) -> str:
    return f"{minor:,} {code}" if code == "JPY" else f"{minor // 100:,}.{minor % 100:02} {code}"


def part_of(part: int, whole: int, code: str) -> str:
    return money(whole, code) if part >= whole else f"{money(part, code).split()[0]} of {money(whole, code)}"


def rough(ms: int) -> str:
    """A span in its largest unit, of which a twentieth may be missing."""
    for size, name in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"), (SECOND, "second")):
        if whole := int(ms / size + 0.05):
            return f"{whole} {name}" + "s" * (whole != 1)
    return ""


def iso(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at % 1000:03}Z"


@dataclass
class Disputed:
    """A dispute as its maker knows it."""

    id: str
    amount: int
    until: int
    at: int
    status: str = "dispute_opened"

    def due(self, now: int) -> str:
        """What a list says beside the status of an open one."""
        if self.status != "dispute_opened":
            return ""
        return f" evidence due in {rough(self.until - now)}" if self.until > now else " evidence due now"


@dataclass
class Paid:
    """A payment as its maker knows it: what it sent, and what must have happened since."""

    id: str
    amount: int
    currency: str
    at: int
    name: str
    status: str
    why: str = ""
    note: str = ""
    captured: int = 0
    customer: str = ""
    link: str = ""
    refunds: list[tuple[str, int, int]] = field(default_factory=list)
    disputes: list[Disputed] = field(default_factory=list)

    @property
    def rest(self) -> int:
        """What can still go back to the customer."""
        return self.captured - sum(one[1] for one in self.refunds) - sum(one.amount for one in self.disputes)

    @property
    def sums(self) -> Iterator[int]:
        """Its amount, and those of its refunds and disputes."""
        yield self.amount
        yield from (one[1] for one in self.refunds)
        yield from (one.amount for one in self.disputes)

    def stands(self, now: int) -> tuple[str, str, str]:
        """Badge, note and headline."""
        parts = [self._disputed(one, now) for one in self.disputes]
        back = sum(one[1] for one in self.refunds)
        if back == self.captured and back:
            parts.append((5, "refunded in full", "", "Refunded in full."))
        elif back:
            says = f"Refunded in part: {part_of(back, self.captured, self.currency)}."
            parts.append((5, "refunded in part", money(back, self.currency), says))
        parts = parts or [(8, self.status.replace("_", " "), self.note, self.why)]
        parts.sort(key=lambda part: part[0])
        return parts[0][1], parts[0][2], " ".join(part[3] for part in parts)

    def _disputed(self, one: Disputed, now: int) -> tuple[int, str, str, str]:
        whole = one.amount == self.captured
        note, back = "" if whole else money(one.amount, self.currency), money(one.amount, self.currency)
        if one.status == "dispute_opened":
            left = f"{rough(one.until - now)} left" if one.until - now >= HOUR else "less than an hour left"
            over = "" if whole else f" over {part_of(one.amount, self.captured, self.currency)}"
            until = f"{iso(one.until)[:10]} {iso(one.until)[11:16]}"
            return 0, f"disputed, {left}", note, f"Disputed{over}: answer by {until} UTC ({left})."
        if one.status == "dispute_won":
            return 7, "dispute won", note, "Dispute won: you keep the money."
        late = "it was not answered in time, and " if one.status == "dispute_expired" else ""
        return 4, "dispute lost", note, f"Dispute lost: {late}{back} was returned to the customer."


class Told(NamedTuple):
    """An event: when, of what type, about what."""

    at: int
    type: str
    object: str


class Buyer(NamedTuple):
    """A customer that payments name."""

    id: str
    name: str
    at: int

    @property
    def says(self) -> str:
        return f"{self.name}, {self.id}@shop.test"


class SavedMethod(NamedTuple):
    """A customer's card that a payment saved."""

    id: str
    at: int
    card: str
    customer: str


@dataclass
class Allowed:
    """A mandate."""

    id: str
    at: int
    amount: int
    payment: str
    status: str = "active"


@dataclass
class Life:
    """Somebody's calls in one workspace, and all that follows from them."""

    api: Wire
    random: Random
    now: int = BEGAN
    payments: list[Paid] = field(default_factory=list)
    events: list[Told] = field(default_factory=list)
    calls: list[tuple[int, str, str, int]] = field(default_factory=list)
    due: list[tuple[int, str, str]] = field(default_factory=list)
    buyers: dict[str, Buyer] = field(default_factory=dict)
    methods: dict[tuple[str, str], SavedMethod] = field(default_factory=dict)
    mandates: list[Allowed] = field(default_factory=list)

    def lived(self, objects: int) -> Life:
        self.api.post("/_sandbox/clock/freeze", {"at": iso(BEGAN)})
        while len(self.payments) + sum(len(one.refunds) + len(one.disputes) for one in self.payments) < objects:
            self.random.choice((self.pay, self.pay, self.capture, self.cancel, self.authenticate, self.refund,
                                self.dispute, self.decide, self.refused, self.save, self.revoke, self.forget, self.link,
                                self.pay_link))()  # fmt: skip
            self.move(self.random.choice(MOVES))
        return self

    @property
    def statuses(self) -> Counter[str]:
        return Counter(one.status for one in self.payments)

    # what is done

    def call(self, method: str, path: str, body: object = None, status: int = 200) -> Reply:
        reply = self.api.call(method, path, body)
        assert reply.status == status, (path, reply.raw)
        if not path.startswith("/_sandbox"):
            self.calls.append((self.now, method, path, status))
        return reply

    def pay(self) -> None:
        card, status, event, why, note, delay, ends = self.random.choice(CARDS)
        fields = {"capture_method": "manual"} if status == "requires_capture" else {}
        name, currency = self.random.choice(NAMES), self.random.choice(("USD", "USD", "EUR", "JPY"))
        amount = self.random.randrange(10, 2_000_000)
        body = {
            "amount": amount, "currency": currency, "confirm": True, "profile_id": "pro_shop", "name": name,
            "return_url": "https://shop.test/back", **fields, **self.api_card(card),
        }  # fmt: skip
        id = str(self.call("POST", "/payments", body)["payment_id"])
        captured = amount if status == "succeeded" else 0
        self.payments.append(Paid(id, amount, currency, self.now, name, status, why, note, captured))
        self.events.append(Told(self.now, event, id))
        if delay:
            self.due.append((self.now + delay, ends, id))

    def api_card(self, card: str) -> dict[str, object]:
        from tests.wire import card_payment

        kept = ("payment_method", "payment_method_type", "payment_method_data")
        return {name: value for name, value in card_payment(card).items() if name in kept}

    def one(self, status: str) -> Paid | None:
        found = [one for one in self.payments if one.status == status and self.now - one.at < 300 * DAY]
        return self.random.choice(found) if found else None

    def ended(self, one: Paid, status: str, event: str, why: str, note: str = "") -> None:
        one.status, one.why, one.note = status, why, note
        self.events.append(Told(self.now, event, one.id))
        self.due = [due for due in self.due if due[2] != one.id]

    def capture(self) -> None:
        if one := self.one("requires_capture"):
            part = self.random.choice((one.amount, max(1, one.amount // 3)))
            self.call("POST", f"/payments/{one.id}/capture", {"amount_to_capture": part})
            one.captured = part
            if part == one.amount:
                self.ended(one, "succeeded", "payment_succeeded", "Payment succeeded.")
            else:
                says = f"Captured in part: {part_of(part, one.amount, one.currency)}."
                self.ended(one, "partially_captured", "payment_captured", says)

    def cancel(self) -> None:
        if one := self.one("requires_capture"):
            self.call("POST", f"/payments/{one.id}/cancel", {})
            self.ended(one, "cancelled", "payment_cancelled", "Cancelled.")

    def authenticate(self) -> None:
        if one := self.one("requires_action"):
            word = self.random.choice(("approved", "declined"))
            self.call("POST", f"/_sandbox/payments/{one.id}/authenticate", {"result": word})
            if word == "approved":
                one.captured = one.amount
                self.ended(one, "succeeded", "payment_succeeded", "Payment succeeded.")
            else:
                says = "Payment failed: the customer's authentication failed (AUTHENTICATION_FAILED)."
                self.ended(one, "failed", "payment_failed", says, "authentication failed")

    def refund(self) -> None:
        if (one := self.one("succeeded")) and one.rest > 0:
            amount = self.random.choice((one.rest, max(1, one.rest // 4)))
            made = self.call("POST", "/refunds", {"payment_id": one.id, "amount": amount})["refund_id"]
            one.refunds.append((made, amount, self.now))
            self.events.append(Told(self.now, "refund_succeeded", made))

    def dispute(self) -> None:
        if (one := self.one("succeeded")) and one.rest > 0 and not one.disputes:
            amount = self.random.choice((one.rest, max(1, one.rest // 2)))
            made = self.call("POST", f"/_sandbox/payments/{one.id}/dispute", {"amount": amount})["dispute_id"]
            one.disputes.append(Disputed(made, amount, self.now + 7 * DAY, self.now))
            self.events.append(Told(self.now, "dispute_opened", made))
            self.due.append((self.now + 7 * DAY, "dispute", made))

    def decide(self) -> None:
        found = [two for one in self.payments for two in one.disputes if two.status == "dispute_opened"]
        if found:
            one, word = self.random.choice(found), self.random.choice(("won", "lost"))
            self.call("POST", f"/_sandbox/disputes/{one.id}/advance", {"to": word})
            one.status = f"dispute_{word}"
            self.events.append(Told(self.now, one.status, one.id))
            self.due = [due for due in self.due if due[2] != one.id]

    def save(self) -> None:
        """A customer pays and saves the card, sometimes with a mandate for more."""
        customer, with_mandate = f"cus_{self.random.randrange(4)}", self.random.random() < 0.5
        name, card = NAMES[int(customer[-1])], "mastercard_success" if with_mandate else "visa_success"
        amount, most = self.random.randrange(10, 5_000), self.random.randrange(5_000, 90_000)
        mandate = {"mandate_type": {"multi_use": {"amount": most, "currency": "USD"}}, **ACCEPTED}
        body = {
            "amount": amount, "currency": "USD", "confirm": True, "profile_id": "pro_shop",
            "customer": {"id": customer, "name": name, "email": f"{customer}@shop.test"},
            "setup_future_usage": "off_session", **self.api_card(card),
            **({"mandate_data": mandate} if with_mandate else ACCEPTED),
        }  # fmt: skip
        made = self.call("POST", "/payments", body)
        id = str(made["payment_id"])
        self.payments.append(
            Paid(id, amount, "USD", self.now, name, "succeeded", "Payment succeeded.", "", amount, customer)
        )
        self.buyers.setdefault(customer, Buyer(customer, name, self.now))
        shown = "Mastercard •••• 4444" if with_mandate else "Visa •••• 4242"
        method = SavedMethod(made["payment_method_id"], self.now, shown, customer)
        assert self.methods.setdefault((customer, card), method).id == method.id
        if with_mandate:
            self.mandates.append(Allowed(made["mandate_id"], self.now, most, id))
            self.events.append(Told(self.now, "mandate_active", made["mandate_id"]))
        self.events.append(Told(self.now, "payment_succeeded", id))

    def revoke(self) -> None:
        if found := [one for one in self.mandates if one.status == "active"]:
            one = self.random.choice(found)
            self.call("POST", f"/mandates/revoke/{one.id}", {})
            one.status = "revoked"
            self.events.append(Told(self.now, "mandate_revoked", one.id))

    def forget(self) -> None:
        """Deletes a card without a mandate that is not its customer's first one."""
        for (customer, card), one in self.methods.items():
            if card == "visa_success" and next(two for two in self.methods.values() if two.customer == customer) != one:
                self.call("DELETE", f"/payment_methods/{one.id}")
                del self.methods[customer, card]
                return

    def link(self) -> None:
        amount = self.random.randrange(10, 2_000_000)
        body = {"amount": amount, "currency": "EUR", "profile_id": "pro_shop", "payment_link": True,
            "return_url": "https://shop.test/back"}  # fmt: skip
        made = self.call("POST", "/payments", body)
        id, path = str(made["payment_id"]), urlsplit(made["payment_link"]["link"]).path
        status, why = "requires_payment_method", "Needs a payment method."
        self.payments.append(Paid(id, amount, "EUR", self.now, "Guest", status, why, link=path))

    def pay_link(self) -> None:
        """The customer pays on the link's page, while it is open."""
        open_ones = (one for one in self.payments if one.status == "requires_payment_method")
        one = next((one for one in open_ones if self.now - one.at < 15 * MINUTE), None)
        if one is None:
            return
        token = re.search(r'name="token" value="([^"]*)"', self.call("GET", one.link).raw.decode())
        assert token is not None
        card = {"card_number": "4242424242424242", "card_exp_month": "12", "card_exp_year": "2035", "card_cvc": "737"}
        sent = urlencode({"token": token[1], "method": "card", **card})
        with self.api.app.test_client(use_cookies=False) as client:
            answer = client.post(one.link, data=sent, headers={"Content-Type": FORM, **OWN})
        assert answer.status_code == 302, answer.data
        self.calls.append((self.now, "POST", one.link, 302))
        one.captured = one.amount
        self.ended(one, "succeeded", "payment_succeeded", "Payment succeeded.")

    def refused(self) -> None:
        self.call("GET", "/payments/pay_nobody", status=404)

    # what comes of itself

    def move(self, by: int) -> None:
        if not by:
            return
        until = self.now + by
        for at, what, id in sorted(due for due in self.due if due[0] <= until):
            self.now = at
            if what == "dispute":
                two = next(two for one in self.payments for two in one.disputes if two.id == id)
                two.status = "dispute_expired"
                self.events.append(Told(at, "dispute_expired", id))
                self.due.remove((at, what, id))
                continue
            one = next(one for one in self.payments if one.id == id)
            status, event, why = ENDS[what]
            one.captured = one.amount if status == "succeeded" else one.captured
            self.ended(one, status, event, why)
        self.now = until
        to = iso(self.now)
        path, body = self.random.choice((("advance", {"by": f"{by // 1000}s"}), ("advance", {"to": to}),
            ("freeze", {"at": to})))  # fmt: skip
        assert self.api.post(f"/_sandbox/clock/{path}", body)["now"] == to


ACCEPTED: Final = {"customer_acceptance": {"acceptance_type": "offline"}}
AUTHORIZED: Final = "Authorized: capture or cancel it."
CARDS: Final = (
    ("visa_success", "succeeded", "payment_succeeded", "Payment succeeded.", "", 0, ""),
    ("visa_success", "requires_capture", "payment_authorized", AUTHORIZED, "", 7 * DAY, "authorization"),
    ("visa_insufficient_funds", "failed", "payment_failed", "Payment declined: insufficient funds (DC_08).",
        "insufficient funds", 0, ""),
    ("visa_3ds_required", "requires_action", "action_required", "Waiting for the redirect.", "",
        15 * MINUTE, "session"),
    ("visa_pending_succeeds", "pending", "payment_processing", "Waiting for the issuer (result: succeeded).", "",
        10 * SECOND, "settles"),
)  # fmt: skip
"""Card, status, event, headline, the note beside the badge, and what follows by itself, when."""
ENDS: Final = {
    "authorization": ("expired", "payment_expired", "Expired: it was authorized, and not captured for 7 days."),
    "session": ("expired", "payment_expired", "Expired: the customer did not finish 3-D Secure in 15 minutes."),
    "settles": ("succeeded", "payment_succeeded", "Payment succeeded."),
}
