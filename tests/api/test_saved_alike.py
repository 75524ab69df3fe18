"""A saved card is the same, however it was saved: by a call, the browser, a charge, after a challenge, for a mandate.

Each way says the same of the card, or a part of it; what the customer's list, the method and its mandate show is
compared with what a plain call saves.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.api.money_places import fine
from tests.api.saving import ACCEPTANCE, CUSTOMER, browser, reserved
from tests.counts import times
from tests.wire import Reply, Wire, card_data, card_payment, wire

Said = dict[str, Any]
Way = Callable[[Wire, Said], object]
CARD: Final = {"card_holder_name": "Jane Doe", "nick_name": "for work"}
BESIDE: Final[Said] = {"billing": {"address": {"city": "Ulm", "country": "DE"}, "email": "jane@example.com"}}
ALL: Final = (*CARD, *BESIDE)
SAID: Final = [names for size in range(len(ALL) + 1) for names in combinations(ALL, size)]
TYPE: Final[Said] = {"payment_method": "card", "payment_method_type": "debit"}
SAVING: Final[Said] = {"setup_future_usage": "off_session", "customer_acceptance": ACCEPTANCE}
OWN: Final = ("_id", "token", "created", "last_used_at", "client_secret", "card_fingerprint")
"""Ends of the names of what differs from one saved method to the next."""


def data(said: Said) -> Said:
    card = card_data(**{name: value for name, value in said.items() if name in CARD})
    return {"card": card, **{name: value for name, value in said.items() if name in BESIDE}}


def by_call(api: Wire, said: Said) -> object:
    fine(api.post("/customers", {"customer_id": CUSTOMER}))
    return by_another(api, said)


def by_another(api: Wire, said: Said) -> object:
    return fine(api.post("/payment_methods", {"customer_id": CUSTOMER, **TYPE, "payment_method_data": data(said)}))


def by_browser(api: Wire, said: Said) -> object:
    made = reserved(api, **TYPE)
    body = {"client_secret": made["client_secret"], "payment_method_data": data(said)}
    return fine(browser(api).post(f"/payment_methods/{made['payment_method_id']}/save", body))


def by_charge(**fields: Any) -> Way:
    def save(api: Wire, said: Said) -> Reply:
        body = card_payment(payment_method_data=data(said), customer_id=CUSTOMER, **TYPE, **SAVING)
        made = fine(api.post("/payments", {**body, "confirm": True, **fields}))
        if made["next_action"]:
            fine(api.post(f"/_sandbox/payments/{made['payment_id']}/authenticate", {"result": "approved"}))
        return made

    return save


def confirmed(api: Wire, said: Said) -> object:
    made = fine(api.post("/payments", {"amount": 5, "currency": "USD", "profile_id": "pro_shop"}))
    body = {"customer_id": CUSTOMER, **TYPE, **SAVING, "payment_method_data": data(said)}
    return fine(api.post(f"/payments/{made['payment_id']}/confirm", body))


WAYS: Final[dict[str, Way]] = {
    "browser": by_browser,
    "charge": by_charge(),
    "confirmation": confirmed,
    "challenge": by_charge(authentication_type="three_ds"),
    "authorization": by_charge(capture_method="manual"),
    "nothing paid": by_charge(amount=0),
    "mandate": by_charge(mandate_data={"customer_acceptance": ACCEPTANCE, "mandate_type": {"multi_use": None}}),
    "twice": lambda api, said: (by_call(api, {}), by_charge()(api, said)),
}


def shown(api: Wire) -> dict[str, Said]:
    """What is shown of the customer's one method, and of its mandate if there is one."""
    (listed,) = fine(api.get(f"/customers/{CUSTOMER}/payment_methods"))["customer_payment_methods"]
    alone = fine(api.get(f"/payment_methods/{listed['payment_method_id']}")).json
    mandates = fine(api.get(f"/customers/{CUSTOMER}/mandates")).json
    cards = [one["card"] for one in (mandates if isinstance(mandates, list) else mandates["data"])]
    return {"listed": plain(listed), "alone": plain(alone), **({"mandate": plain(cards[0])} if cards else {})}


def plain(row: Any) -> Any:
    if not isinstance(row, dict):
        return row
    return {name: plain(value) for name, value in row.items() if not name.endswith(OWN)}


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)
def test_a_card_is_saved_alike_in_every_way(dialect: Dialect) -> None:
    api = wire(dialect=dialect)
    wrong: list[tuple[str, tuple[str, ...], object]] = []
    cases = list(product(WAYS, SAID[::-1]))[:: times(3, soak=1)]
    for number, (way, names) in enumerate(cases):
        said = {name: value for name, value in (CARD | BESIDE).items() if name in names}
        one, other = api.as_key(f"snd_alike_call_{number:03}"), api.as_key(f"snd_alike_{number:08}")
        by_call(one, said)
        WAYS[way](other, said)
        called, found = shown(one), shown(other)
        if "mandate" in found and found.pop("mandate")["nick_name"] != said.get("nick_name"):
            wrong.append((way, names, "mandate"))
        differs = [(view, name) for view in called for name in called[view] if called[view][name] != found[view][name]]
        wrong += [(way, names, differs)] if differs else []
    assert not wrong, (len(wrong), wrong[:4])


AGAIN: Final[dict[str, Way]] = {**WAYS, "call": by_another}
del AGAIN["twice"], AGAIN["mandate"]  # which is the first one, and has what only it shows


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)
def test_a_card_that_is_saved_again_keeps_what_is_not_said_of_it(dialect: Dialect) -> None:
    api = wire(dialect=dialect)
    wrong: list[tuple[str, tuple[str, ...], tuple[str, ...], object]] = []
    cases = list(product(AGAIN, SAID[::-1], SAID))[:: times(59, soak=1)]
    for number, (way, first, then) in enumerate(cases):
        of = {name: {key: value for key, value in (CARD | BESIDE).items() if key in name} for name in (first, then)}
        one, other = api.as_key(f"snd_said_once_{number:04}"), api.as_key(f"snd_said_again_{number:04}")
        by_call(one, of[first] | of[then])
        by_call(other, of[first])
        AGAIN[way](other, of[then])
        called, found = shown(one), shown(other)
        differs = [(view, name) for view in called for name in called[view] if called[view][name] != found[view][name]]
        wrong += [(way, first, then, differs)] if differs else []
    assert not wrong, (len(wrong), wrong[:4])
