"""What another customer has changes no answer about this one: the same calls, alone and beside another."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.api.saving import ACCEPTANCE, CHARGE, CUSTOMER, saved, token
from tests.counts import times
from tests.wire import Reply, Wire, wire

OTHER: Final = "cus_other"
CARDS: Final = ("success", "mastercard_success", "visa_3ds_required")
AGREED: Final = {"customer_acceptance": ACCEPTANCE, "mandate_type": {"multi_use": None}}
MADE: Final = re.compile(r"\b[a-z]+_[A-Za-z0-9_]{12,}|[0-9a-f]{24,}|\b\d{6,}|token_\w+")
"""Ids, secrets and numbers that are drawn."""
Step = tuple[str, int]


def listed(api: Wire, who: str) -> Reply:
    return api.get(f"/customers/{who}/payment_methods")


def method_of(api: Wire, who: str, number: int) -> str:
    found = listed(api, who).json.get("customer_payment_methods") or [{"payment_method_id": "pm_none"}]
    return str(found[number % len(found)]["payment_method_id"])


def mandate_of(api: Wire, who: str, number: int) -> str:
    found = api.get(f"/customers/{who}/mandates")["data"]
    return str(found[number % len(found)]["mandate_id"]) if found else "man_none"


def payment_of(api: Wire, who: str, number: int) -> str:
    found = api.get(f"/payments/list?customer_id={who}")["data"] or [{"payment_id": "pay_none"}]
    return str(found[number % len(found)]["payment_id"])


STEPS: Final[dict[str, Callable[[Wire, str, int], Any]]] = {
    "save": lambda api, who, n: saved(api, CARDS[n % 2], customer_id=who),
    "agree": lambda api, who, n: api.pay(customer_id=who, setup_future_usage="off_session", mandate_data=AGREED),
    "ask": lambda api, who, n: api.pay(CARDS[2], customer_id=who),
    "charge": lambda api, who, n: api.post(
        "/payments", {**CHARGE, "customer_id": who, "payment_token": token(api, who), "amount": n + 1}
    ),
    "default": lambda api, who, n: api.post(f"/customers/{who}/payment_methods/{method_of(api, who, n)}/default"),
    "methods": lambda api, who, n: listed(api, who),
    "delete": lambda api, who, n: api.delete(f"/payment_methods/{method_of(api, who, n)}"),
    "revoke": lambda api, who, n: api.post(f"/mandates/revoke/{mandate_of(api, who, n)}"),
    "mandates": lambda api, who, n: api.get(f"/customers/{who}/mandates"),
    "customer": lambda api, who, n: api.get(f"/customers/{who}"),
    "rename": lambda api, who, n: api.post(f"/customers/{who}", {"name": f"Name {n % 5}"}),
    "payments": lambda api, who, n: api.get(f"/payments/list?customer_id={who}&limit={n % 5 + 1}"),
    "refund": lambda api, who, n: api.post("/refunds", {"payment_id": payment_of(api, who, n), "amount": n % 3 + 1}),
    "forget": lambda api, who, n: api.delete(f"/customers/{who}"),
}
NOTHING: Final = "nothing to do it with"
RARE: Final = ("agree", "forget")


def done(api: Wire, who: str, step: Step) -> object:
    """The answer to a step, without what is drawn."""
    name, number = step
    try:
        reply = STEPS[name](api, who, number)
    except (KeyError, AssertionError, IndexError):  # nothing is saved, so there is no token
        return name, NOTHING
    return (name, reply.status, MADE.sub("…", reply.raw.decode())) if isinstance(reply, Reply) else name


@pytest.mark.parametrize("seed", range(times(6, soak=400)))
def test_another_customer_changes_no_answer(seed: int) -> None:
    chance = random.Random(seed)
    names = [name for name in STEPS for _ in range(2 if name in RARE else 6)]
    steps = [("save", 0), *((chance.choice(names), chance.randrange(50)) for _ in range(25))]
    alone, beside = wire(), wire()
    for step in steps:
        for _ in range(chance.randrange(3)):
            done(beside, OTHER, (chance.choice(names), chance.randrange(50)))
        assert done(beside, CUSTOMER, step) == done(alone, CUSTOMER, step), (step, steps)


@pytest.mark.parametrize("act", STEPS)
def test_what_is_done_for_another_changes_nothing_here(act: str) -> None:
    """Nor is it done otherwise because of what is here."""
    alone, beside = wire(), wire()
    for api, who in ((beside, CUSTOMER), (beside, OTHER), (alone, OTHER)):
        for number in range(3):
            done(api, who, ("save", number))
    for name in ("default", "charge", "agree"):
        assert done(beside, CUSTOMER, (name, 0)) != (name, NOTHING)
    views = [(name, 0) for name in ("methods", "mandates", "customer", "payments")]
    before = [done(beside, CUSTOMER, view) for view in views]
    for number in range(4):
        assert done(beside, OTHER, (act, number)) == done(alone, OTHER, (act, number))
    assert [done(beside, CUSTOMER, view) for view in views] == before
