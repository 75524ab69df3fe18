"""A customer's saved methods are those of a small model, whatever is done to them, in whatever order and dialect.

The model knows three rules: a method is active once a charge or a call saved it (facts §2.1, §8), the first active one
is the default, and only the last one may be deleted while it is (IR_25). It knows nothing of how they are stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.api.saving import ACCEPTANCE
from tests.counts import times
from tests.wire import Reply, Wire, card_data, wire

STORIES, STEPS = times(8, soak=400), 40
CUSTOMERS: Final = ("cus_one", "cus_two")
PLAIN: Final = ("4242424242424242", "5555555555554444", "6011111111111117")
CHALLENGED: Final = ("4000003800000446", "4000002760003184")
ACTIVE, INACTIVE, AWAITING, GONE = "active", "inactive", "awaiting_data", "redacted"


@dataclass(slots=True)
class Method:
    """What the model knows of a saved method."""

    customer: str
    card: str
    status: str
    off_session: bool = True
    client_secret: str = ""


@dataclass(slots=True)
class Story:
    """One merchant's customers, what the model says of them, and what was found to differ."""

    api: Wire
    draw: Random
    methods: dict[str, Method] = field(default_factory=dict)
    default: dict[str, str | None] = field(default_factory=lambda: dict.fromkeys(CUSTOMERS))
    waiting: dict[str, str] = field(default_factory=dict)
    """Methods by the payments whose customer must still act."""
    said: list[str] = field(default_factory=list)

    def told(self, what: str, is_so: bool, *about: object) -> None:
        if not is_so:
            self.said.append(f"{what}: {about}")

    def one(self, *statuses: str) -> str | None:
        """The id of some method with one of these statuses."""
        found = [key for key, method in self.methods.items() if not statuses or method.status in statuses]
        return self.draw.choice(found) if found else None

    def active(self, customer: str) -> set[str]:
        return {key for key, method in self.methods.items() if (method.customer, method.status) == (customer, ACTIVE)}

    def same(self, customer: str, card: str) -> set[str]:
        """The customer's methods of a card."""
        there = (ACTIVE, INACTIVE)
        found = self.methods.items()
        return {key for key, one in found if (one.customer, one.card) == (customer, card) and one.status in there}

    def saved(self, customer: str, card: str, key: str, off_session: bool | None = None) -> None:
        """A charge or a call saved a method: from now on it is active. A call leaves the usage of a known one."""
        known = self.same(customer, card)
        self.told("the same card is the same method", not known or key in known, key, known)
        method = self.methods.setdefault(key, Method(customer, card, ACTIVE, off_session is not False))
        method.status, method.card, method.off_session = ACTIVE, card, method.off_session or bool(off_session)
        self.default[customer] = self.default[customer] or key


def pay(story: Story) -> None:
    """A charge that saves its card; the customer of some cards must act first."""
    customer, card = story.draw.choice(CUSTOMERS), story.draw.choice(PLAIN + CHALLENGED)
    usage = story.draw.choice(("off_session", "on_session"))
    reply = story.api.pay(
        card,
        amount=story.draw.choice((0, 500)),
        customer_id=customer,
        setup_future_usage=usage,
        customer_acceptance=ACCEPTANCE,
    )
    key = reply["payment_method_id"]
    if card in PLAIN:
        story.saved(customer, card, key, usage == "off_session")
    else:
        known = story.same(customer, card)
        story.told("a prepared card is the saved one", not known or key in known, key, known)
        story.methods.setdefault(key, Method(customer, card, INACTIVE, usage == "off_session"))
        story.waiting[reply["payment_id"]] = key
    shows_status(story, reply)


def shows_status(story: Story, payment: Reply) -> None:
    """A payment says of its method what the method is."""
    is_now = story.methods[payment["payment_method_id"]].status
    story.told("payment_method_status", payment["payment_method_status"] == is_now, payment.raw[:120], is_now)


def act(story: Story) -> None:
    """The customer of a waiting payment comes back."""
    if not story.waiting:
        return
    payment_id = story.draw.choice(list(story.waiting))
    key, result = story.waiting.pop(payment_id), story.draw.choice(("approved", "declined"))
    usage = story.api.get(f"/payments/{payment_id}")["setup_future_usage"]
    story.api.post(f"/_sandbox/payments/{payment_id}/authenticate", {"result": result})
    method = story.methods[key]
    if result == "approved" and method.status != GONE:
        story.saved(method.customer, method.card, key, usage == "off_session")
    shows_status(story, story.api.get(f"/payments/{payment_id}"))


def reserve(story: Story) -> None:
    """A call that reserves a method, whose card the browser sends."""
    customer = story.draw.choice(CUSTOMERS)
    reply = story.api.post("/payment_methods", {"customer_id": customer, "payment_method": "card"})
    story.methods[reply["payment_method_id"]] = Method(customer, "", AWAITING, True, reply["client_secret"])


def fill(story: Story) -> None:
    """The browser sends the card of a reserved method; if the customer has that card, its method is the one to use."""
    key, card = story.one(AWAITING), story.draw.choice(PLAIN + CHALLENGED)
    if key is None:
        return
    body = {"client_secret": story.methods[key].client_secret, "payment_method_data": {"card": card_data(card)}}
    reply = story.api.page().post(f"/payment_methods/{key}/save", body)
    story.told("a reserved method is completed", reply.status == 200, reply.raw)
    reserved, own = story.methods[key], reply["payment_method_id"]
    if story.same(reserved.customer, card):
        reserved.status = INACTIVE
        shown = story.api.get(f"/payment_methods/{key}")
        story.told("one that is not needed is inactive", shown.json.get("payment_method_status", INACTIVE) == INACTIVE)
    else:
        story.told("a reserved method keeps its ID", own == key, own, key)
    story.saved(reserved.customer, card, own)


def create(story: Story) -> None:
    """A call that saves a card."""
    customer, card = story.draw.choice(CUSTOMERS), story.draw.choice(PLAIN + CHALLENGED)
    data = {"card": card_data(card)}
    body = {"customer_id": customer, "payment_method": "card", "payment_method_data": data}
    story.saved(customer, card, story.api.post("/payment_methods", body)["payment_method_id"])


def choose(story: Story) -> None:
    """Makes a method the default."""
    key = story.one()
    if key is None:
        return
    method = story.methods[key]
    reply = story.api.post(f"/customers/{method.customer}/payment_methods/{key}/default")
    story.told("an active method, and no other, can be the default", (reply.status == 200) == (method.status == ACTIVE))
    if method.status == ACTIVE:
        story.default[method.customer] = key


def delete(story: Story) -> None:
    key = story.one(ACTIVE, INACTIVE, AWAITING)
    if key is None:
        return
    method = story.methods[key]
    stays = story.default[method.customer] == key and len(story.active(method.customer)) > 1
    reply = story.api.delete(f"/payment_methods/{key}")
    code = None if reply.status == 200 else reply.error["code"]
    story.told("only a default that others could follow stays", code == ("IR_25" if stays else None), method, code)
    if not stays:
        method.status = GONE
        if story.default[method.customer] == key:
            story.default[method.customer] = None


def charge(story: Story) -> None:
    """A charge without the customer."""
    key = story.one()
    if key is None:
        return
    method = story.methods[key]
    by = {"type": "payment_method_id", "data": key}
    body = {"amount": 5, "currency": "USD", "profile_id": "pro_shop", "customer_id": method.customer}
    reply = story.api.post("/payments", {**body, "confirm": True, "off_session": True, "recurring_details": by})
    may = method.status == ACTIVE and method.off_session
    story.told("what can be charged", (reply.status == 200) == may, method, reply.raw)
    if reply.status == 200:
        shows_status(story, reply)


def look(story: Story) -> None:
    """What the lists and the customers say."""
    for customer in CUSTOMERS:
        reply = story.api.get(f"/customers/{customer}/payment_methods")
        shown: list[dict[str, Any]] = reply["customer_payment_methods"]
        listed = {one["payment_method_id"] for one in shown}
        story.told("listed are the active ones", listed == story.active(customer), listed, story.active(customer))
        default = story.api.get(f"/customers/{customer}")["default_payment_method_id"]
        story.told("the default", default == story.default[customer], default, story.default[customer])
        flagged = [one["payment_method_id"] for one in shown if one["default_payment_method_set"]]
        story.told("the default is listed", flagged == ([default] if default else []), flagged, default)


MOVES: Final[tuple[Callable[[Story], None], ...]] = (
    *(pay, pay, pay, act, act, act, reserve, fill, create, create, choose, delete, delete, charge, charge, look, look),
)


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)
def test_saved_methods_are_those_of_the_model(dialect: Dialect) -> None:
    api, wrong = wire(dialect=dialect), []
    for number in range(STORIES):
        story = Story(api.as_key(f"snd_vault_model_{number}"), Random(number))
        for customer in CUSTOMERS:
            story.api.post("/customers", {"customer_id": customer})
        for _ in range(STEPS):
            story.draw.choice(MOVES)(story)
        look(story)
        wrong += [(number, story.said[0])] if story.said else []
    assert not wrong, (len(wrong), wrong[:3])
