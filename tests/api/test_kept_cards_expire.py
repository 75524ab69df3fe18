"""A card that a workspace keeps expires in the workspace's time, however it is charged (decisions "Clock")."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.api.places import authenticate
from tests.api.saving import ACCEPTANCE, CUSTOMER, charge, off_session, token
from tests.clocks import ManualClock
from tests.wire import Reply, Wire, card_data, wire

STEP_MS = 5 * 60 * 1000
FEBRUARY_BEGINS_MS = 1_769_904_000_000
FAILS_ONCE = {"on": "charge", "then": {"decline": "generic_decline"}, "times": 1}
AGREES = {"customer_acceptance": ACCEPTANCE, "setup_future_usage": "off_session", "customer_id": CUSTOMER}

Card = dict[str, Any]
Way = Callable[[Wire, Card], Iterator[Reply]]
"""Makes a call with a card, then, when it is asked again, the charge of the card that was kept."""


def _open(api: Wire, card: Card, **fields: Any) -> Reply:
    return api.pay(payment_method_data={"card": card}, **{"confirm": False, **fields})


def _allow(api: Wire, made: Reply, **fields: Any) -> None:
    assert api.post(f"/account/{made['merchant_id']}/business_profile/pro_shop", fields).status == 200


def _fail_once(api: Wire) -> None:
    assert api.post("/_sandbox/next", FAILS_ONCE).status == 200


def _confirmed(api: Wire, card: Card) -> Iterator[Reply]:
    yield (made := _open(api, card))
    yield api.post(f"/payments/{made['payment_id']}/confirm", {})


def _confirmed_by_an_update(api: Wire, card: Card) -> Iterator[Reply]:
    yield (made := _open(api, card))
    yield api.post(f"/payments/{made['payment_id']}", {"confirm": True})


def _confirmed_by_a_browser(api: Wire, card: Card) -> Iterator[Reply]:
    yield (made := _open(api, card))
    yield api.page().post(f"/payments/{made['payment_id']}/confirm", {"client_secret": made["client_secret"]})


def _attached_by_an_update(api: Wire, card: Card) -> Iterator[Reply]:
    made = api.post("/payments", {"amount": 6540, "currency": "USD", "profile_id": "pro_shop"})
    with_card = {"payment_method": "card", "payment_method_data": {"card": card}}
    yield api.post(f"/payments/{made['payment_id']}", with_card)
    yield api.post(f"/payments/{made['payment_id']}/confirm", {})


def _retried(api: Wire, card: Card) -> Iterator[Reply]:
    made = _open(api, card)
    _allow(api, made, is_manual_retry_enabled=True)
    _fail_once(api)
    yield api.post(f"/payments/{made['payment_id']}/confirm", {})
    yield api.post(f"/payments/{made['payment_id']}/confirm", {})


def _retried_automatically(api: Wire, card: Card) -> Iterator[Reply]:
    yield (made := _open(api, card))
    _allow(api, made, is_auto_retries_enabled=True, max_auto_retries_enabled=2)
    _fail_once(api)
    yield api.post(f"/payments/{made['payment_id']}/confirm", {})


def _challenged(api: Wire, card: Card) -> Iterator[Reply]:
    yield (made := _open(api, card, confirm=True, authentication_type="three_ds"))
    authenticate(api, made["payment_id"])
    yield api.get(f"/payments/{made['payment_id']}")


def _by_token(api: Wire, card: Card) -> Iterator[Reply]:
    yield _open(api, card, confirm=True, **AGREES)
    yield charge(api, payment_method="card", payment_token=token(api))


def _by_method(api: Wire, card: Card) -> Iterator[Reply]:
    yield (made := _open(api, card, confirm=True, **AGREES))
    yield off_session(api, "payment_method_id", made["payment_method_id"])


def _by_mandate(api: Wire, card: Card) -> Iterator[Reply]:
    consent = {"customer_acceptance": ACCEPTANCE, "mandate_type": {"multi_use": {"amount": 9000, "currency": "USD"}}}
    usage = {"setup_future_usage": "off_session", "customer_id": CUSTOMER}
    yield (made := _open(api, card, confirm=True, mandate_data=consent, **usage))
    yield charge(api, mandate_id=made["mandate_id"], off_session=True)


def _saved_by_itself(api: Wire, card: Card) -> Iterator[Reply]:
    api.post("/customers", {"customer_id": CUSTOMER})
    sent = {"customer_id": CUSTOMER, "payment_method": "card", "payment_method_data": {"card": card}}
    yield api.post("/payment_methods", sent)
    yield charge(api, payment_method="card", payment_token=token(api))


WAYS: tuple[Way, ...] = (
    *(_confirmed, _confirmed_by_an_update, _confirmed_by_a_browser, _attached_by_an_update),
    *(_retried, _retried_automatically, _challenged, _by_token, _by_method, _by_mandate, _saved_by_itself),
)


@pytest.mark.parametrize("dialect", [None, HYPERSWITCH], ids=["interface", "hyperswitch"])
@pytest.mark.parametrize("passes_ms", [STEP_MS - 1, STEP_MS])
@pytest.mark.parametrize("month", ["01", "02"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_kept_card_is_charged_until_its_month_ends(way: Way, month: str, passes_ms: int, dialect: Any) -> None:
    clock = ManualClock(FEBRUARY_BEGINS_MS - STEP_MS)
    calls = way(wire(clock=clock, dialect=dialect), card_data(card_exp_month=month, card_exp_year="2026"))
    kept = next(calls)
    assert kept.status == 200, kept.raw
    clock.advance(passes_ms)
    charged = next(calls)
    assert charged.status == 200, charged.raw
    has_expired = month == "01" and passes_ms == STEP_MS
    assert charged["status"] == ("failed" if has_expired else "succeeded"), charged.raw
    if has_expired:
        assert charged["error_details"]["connector_details"]["reason"] == "expired_card"


def _year_and_month(card: Card) -> tuple[str, str]:
    return card["card_exp_year"], card["card_exp_month"]


VALUES = {"card_exp_month": ["02", "03"], "card_exp_year": ["2026", "2025", "2027"], "card_holder_name": ["J. Doe"]}
"""The first are those of the card that is kept."""


@pytest.mark.parametrize("now_ms", [FEBRUARY_BEGINS_MS, FEBRUARY_BEGINS_MS + 30 * 24 * 60 * 60 * 1000])
def test_a_change_of_a_kept_card_is_blamed_for_the_expiry_that_it_moves(now_ms: int) -> None:
    clock = ManualClock(FEBRUARY_BEGINS_MS)
    api = wire(clock=clock)
    api.post("/customers", {"customer_id": CUSTOMER})
    was: Card = {name: values[0] for name, values in VALUES.items()}
    data = {"card": card_data(**was)}
    method = api.post(
        "/payment_methods", {"customer_id": CUSTOMER, "payment_method": "card", "payment_method_data": data}
    )
    path = f"/payment_methods/{method['payment_method_id']}"
    clock.advance(now_ms - FEBRUARY_BEGINS_MS)
    now = "2026", "02" if now_ms == FEBRUARY_BEGINS_MS else "03"
    for values in product(*([None, *all_of] for all_of in VALUES.values())):
        sent = {name: value for name, value in zip(VALUES, values, strict=True) if value is not None}
        moved = [name for name in ("card_exp_year", "card_exp_month") if sent.get(name, was[name]) != was[name]]
        reply = api.post(f"{path}/update", {"card": sent})
        if moved and _year_and_month({**was, **sent}) < now:
            assert [one["field"] for one in reply.error["fields"]] == [f"card.{moved[0]}"], sent
        else:
            assert reply.status == 200, (sent, reply.raw)
        was = {**was, **(sent if reply.status == 200 else {})}
