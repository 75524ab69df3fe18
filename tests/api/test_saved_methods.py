"""Saving a method at a charge, and charging it again (facts §2.8, §8)."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.methods import METHODS
from mock_server.domain.outcomes import Challenge
from tests.api.places import authenticate
from tests.api.saving import ACCEPTANCE, CUSTOMER, charge, off_session, refused, save, saved, token
from tests.clocks import ManualClock
from tests.wire import Wire, card_data, card_payment

QUARTER_HOUR_MS = 15 * 60 * 1000
DAY_MS = 24 * 60 * 60 * 1000


def methods_of(api: Wire, customer: str = CUSTOMER) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.get(f"/customers/{customer}/payment_methods")["customer_payment_methods"]
    return found


# saving


NOT_SAVED: list[tuple[str, dict[str, Any]]] = [
    ("nobody asked to", {"customer_id": CUSTOMER, "customer_acceptance": ACCEPTANCE}),
    ("the customer did not agree", {"customer_id": CUSTOMER, "setup_future_usage": "off_session"}),
]


@pytest.mark.parametrize("fields", [pytest.param(row[1], id=row[0]) for row in NOT_SAVED])
def test_a_method_is_not_saved_where(api: Wire, fields: dict[str, Any]) -> None:
    assert api.pay(**fields)["payment_method_id"] is None
    assert methods_of(api) == []


@pytest.mark.parametrize("card", ["visa_generic_decline", "visa_pending_fails"])
def test_a_charge_that_does_not_succeed_saves_nothing(api: Wire, clock: ManualClock, card: str) -> None:
    save(api, card)
    clock.advance(DAY_MS)
    assert methods_of(api) == []


@pytest.mark.parametrize("capture", ["automatic", "manual"])
def test_a_charge_or_an_authorization_saves(api: Wire, capture: str) -> None:
    payment = save(api, capture_method=capture)
    assert payment["payment_method_status"] == "active"
    kept = api.get(f"/payment_methods/{payment['payment_method_id']}")
    assert (kept["customer_id"], kept["payment_method"], kept["payment_method_type"]) == (CUSTOMER, "card", "credit")
    assert kept["card"]["last4_digits"] == "4242"
    assert kept["recurring_enabled"] is True


def test_nothing_of_the_card_is_kept_that_could_be_charged_elsewhere(api: Wire) -> None:
    saved(api)
    dump = repr(api.sandbox.workspaces()[0].space.dump())
    assert "4242424242424242" not in dump
    assert "'737'" not in dump


def test_a_method_is_saved_once_the_customer_was_authenticated(api: Wire) -> None:
    payment = save(api, "visa_3ds_required")
    method_id = payment["payment_method_id"]
    assert (payment["status"], payment["payment_method_status"]) == ("requires_action", "inactive")
    assert api.get(f"/payment_methods/{method_id}")["payment_method_status"] == "inactive"
    assert methods_of(api) == []
    authenticate(api, payment["payment_id"])
    after = api.get(f"/payments/{payment['payment_id']}")
    assert (after["payment_method_id"], after["payment_method_status"]) == (method_id, "active")
    assert [method["payment_method_id"] for method in methods_of(api)] == [method_id]
    assert api.get(f"/customers/{CUSTOMER}")["default_payment_method_id"] == method_id


def test_a_failed_challenge_saves_nothing(api: Wire) -> None:
    payment = save(api, "visa_3ds_required")
    authenticate(api, payment["payment_id"], Challenge.DECLINED)
    assert methods_of(api) == []
    after = api.get(f"/payments/{payment['payment_id']}")
    assert after["payment_method_status"] == "inactive"
    second = save(api, "visa_3ds_required")
    assert second["payment_method_id"] == payment["payment_method_id"]
    authenticate(api, second["payment_id"])
    assert [method["payment_method_id"] for method in methods_of(api)] == [payment["payment_method_id"]]


def test_another_card_takes_the_prepared_methods_place(api: Wire) -> None:
    payment = save(api, "visa_3ds_required")
    path = f"/payments/{payment['payment_id']}"
    assert api.post(f"{path}/cancel")["payment_method_status"] == "inactive"
    other = save(api, "visa_success")
    assert other["payment_method_id"] != payment["payment_method_id"]
    assert [method["payment_method_id"] for method in methods_of(api)] == [other["payment_method_id"]]


@pytest.mark.parametrize("usage", ["on_session", "off_session"])
def test_an_off_session_set_up_has_the_connectors_mandate(api: Wire, usage: str) -> None:
    first = save(api, usage=usage)
    known = first["connector_mandate_id"]
    assert (known is not None) is (usage == "off_session")
    later = [charge(api, payment_token=token(api))["connector_mandate_id"] for _ in range(2)]
    assert later == [known, known]


def test_a_new_method_was_used_when_it_was_made(api: Wire) -> None:
    saved(api)
    body = {
        "customer_id": CUSTOMER,
        "payment_method": "card",
        "payment_method_data": {"card": card_data("4000056655665556")},
    }
    made = api.post("/payment_methods", body)
    assert made["last_used_at"] == made["created"] is not None
    assert all(method["last_used_at"] for method in methods_of(api))


def test_a_held_payment_saves_when_it_is_approved(api: Wire) -> None:
    payment = save(api, "visa_review")
    assert methods_of(api) == []
    assert (
        api.post(f"/payments/{payment['payment_id']}/approve")["payment_method_id"]
        == methods_of(api)[0]["payment_method_id"]
    )


def test_a_rejected_payment_saves_nothing(api: Wire) -> None:
    api.post(f"/payments/{save(api, 'visa_review')['payment_id']}/reject")
    assert methods_of(api) == []


def test_the_event_tells_of_the_saved_method(api: Wire) -> None:
    from mock_server.domain.events import EventType
    from mock_server.domain.paging import Query
    from mock_server.engine.kinds import EVENTS, PAYMENTS
    from mock_server.store.records import decode

    method = saved(api)
    events = api.sandbox.workspaces()[0].space.transact(lambda tx: tx.find(EVENTS, Query()).items)
    (event,) = [event for event in events if event.type is EventType.PAYMENT_SUCCEEDED]
    assert decode(PAYMENTS, event.object).payment_method_id == method


def test_the_same_card_is_the_same_method(api: Wire) -> None:
    first = saved(api)
    assert saved(api, usage="on_session") == first
    assert saved(api, payment_method_data={"card": card_data(card_exp_year="2041", card_holder_name="J. Doe")}) == first
    kept = api.get(f"/payment_methods/{first}")
    assert (kept["card"]["expiry_year"], kept["card"]["card_holder_name"]) == ("2041", "J. Doe")
    assert saved(api, "mastercard_success") != first
    assert saved(api, customer_id="cus_other") != first
    assert len(methods_of(api)) == 2


def test_the_first_method_is_the_default(api: Wire) -> None:
    first = saved(api)
    saved(api, "mastercard_success")
    assert api.get(f"/customers/{CUSTOMER}")["default_payment_method_id"] == first
    assert [one["default_payment_method_set"] for one in methods_of(api)] == [False, True]


def test_a_wallet_and_a_bank_can_be_saved_and_a_transfer_cannot(api: Wire) -> None:
    wallet: dict[str, Any] = {
        "payment_method": "wallet",
        "payment_method_type": "google_pay",
        "payment_method_data": {"wallet": {"google_pay": {"token": "t"}}},
    }
    transfer: dict[str, Any] = {
        "payment_method": "bank_transfer",
        "payment_method_type": "sepa",
        "payment_method_data": {"bank_transfer": {"sepa": {}}},
    }
    method = saved(api, **wallet)
    assert save(api, **transfer)["payment_method_id"] is None
    assert off_session(api, "payment_method_id", method)["status"] == "succeeded"


def test_an_amount_of_zero_verifies_and_saves(api: Wire) -> None:
    payment = save(api, amount=0, payment_type="setup_mandate")
    assert (payment["status"], payment["amount_received"]) == ("succeeded", 0)
    assert off_session(api, "payment_method_id", payment["payment_method_id"])["status"] == "succeeded"


def test_saving_needs_to_say_for_whom(api: Wire) -> None:
    assert refused(api.pay(setup_future_usage="off_session")) == (400, "IR_16")
    made = api.post("/payments", card_payment(setup_future_usage="off_session"))["payment_id"]
    assert refused(api.post(f"/payments/{made}/confirm")) == (400, "IR_16")


# by token


def test_a_token_pays_with_the_method_behind_it(api: Wire) -> None:
    method = saved(api)
    handed = token(api)
    payment = charge(api, payment_token=handed)
    assert (payment["status"], payment["payment_method_id"], payment["payment_token"]) == ("succeeded", method, handed)
    assert (payment["payment_method"], payment["payment_method_type"], payment["card_discovery"]) == (
        "card",
        "credit",
        "saved_card",
    )
    assert payment["payment_method_data"]["card"]["last4"] == "4242"


def test_a_token_is_taken_at_confirm(api: Wire) -> None:
    saved(api)
    made = api.post("/payments", {"amount": 100, "currency": "USD", "profile_id": "pro_shop", "customer_id": CUSTOMER})
    assert made["status"] == "requires_payment_method"
    done = api.post(f"/payments/{made['payment_id']}/confirm", {"payment_token": token(api)})
    assert done["status"] == "succeeded"


@pytest.mark.parametrize(
    "code",
    [{}, {"card_cvc": "737"}, {"payment_method": "card", "payment_method_data": {"card_token": {"card_cvc": "737"}}}],
    ids=["without", "beside", "in card_token"],
)
def test_a_card_kept_for_its_customer_is_paid_with_or_without_its_code(api: Wire, code: dict[str, Any]) -> None:
    saved(api, usage="on_session")
    assert methods_of(api)[0]["requires_cvv"] is True
    assert charge(api, payment_token=token(api), **code)["status"] == "succeeded"


def test_a_card_kept_for_later_charges_needs_no_code(api: Wire) -> None:
    saved(api)
    assert methods_of(api)[0]["requires_cvv"] is False


def test_a_token_holds_for_fifteen_minutes_of_the_workspace(api: Wire, clock: ManualClock) -> None:
    saved(api)
    early, late = token(api), token(api)
    clock.advance(QUARTER_HOUR_MS - 1)
    assert charge(api, payment_token=early)["status"] == "succeeded"
    clock.advance(1)
    assert refused(charge(api, payment_token=late)) == (422, "IR_29")


def test_tokens_that_are_over_do_not_pile_up(api: Wire, clock: ManualClock) -> None:
    from mock_server.domain.paging import Query
    from mock_server.engine.kinds import PAYMENT_TOKENS

    saved(api)
    for _ in range(40):
        token(api)
        clock.advance(QUARTER_HOUR_MS)
    assert api.sandbox.workspaces()[0].space.transact(lambda tx: tx.count(PAYMENT_TOKENS, Query())) <= 2


TOKENS: list[tuple[str, dict[str, Any], tuple[int, str]]] = [
    ("nobody gave it out", {"payment_token": "token_nobody"}, (422, "IR_29")),
    ("another customer's", {"customer_id": "cus_other"}, (422, "IR_29")),
    ("another method", {"payment_method": "wallet"}, (422, "IR_06")),
]


@pytest.mark.parametrize(("fields", "wrong"), [pytest.param(*row[1:], id=row[0]) for row in TOKENS])
def test_a_token_is_refused(api: Wire, fields: dict[str, Any], wrong: tuple[int, str]) -> None:
    saved(api)
    assert refused(charge(api, **{"payment_token": token(api), **fields})) == wrong


def test_the_token_of_a_method_that_was_deleted_is_of_no_use(api: Wire) -> None:
    method, handed = saved(api), token(api)
    api.delete(f"/payment_methods/{method}")
    assert refused(charge(api, payment_token=handed)) == (404, "HE_02")


# off session


def _without_code(card: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in card.items() if name != "card_cvc"}


NETWORK_TOKEN = {
    "network_token": "4242424242424242",
    "token_exp_month": "03",
    "token_exp_year": "2035",
    "network_transaction_id": "net_1",
}
REFERENCES: list[tuple[str, Any, str]] = [
    ("processor_payment_token", {"processor_payment_token": "tok_elsewhere"}, "card"),
    (
        "network_transaction_id_and_card_details",
        {**_without_code(card_data()), "network_transaction_id": "net_1"},
        "card",
    ),
    ("network_transaction_id_and_network_token_details", NETWORK_TOKEN, "card"),
    ("network_transaction_id_and_decrypted_wallet_token_details", {"token": "decrypted"}, "wallet"),
    ("card_with_limited_data", _without_code(card_data()), "card"),
]


@pytest.mark.parametrize(("type_", "data", "category"), REFERENCES, ids=[row[0] for row in REFERENCES])
def test_every_sort_of_reference_can_be_charged(api: Wire, type_: str, data: Any, category: str) -> None:
    payment = off_session(api, type_, data)
    assert (payment["status"], payment["payment_method"]) == ("succeeded", category)
    assert "net_1" not in str(payment["payment_method_data"])


def test_a_saved_method_is_charged_without_its_customer(api: Wire) -> None:
    method = saved(api)
    payment = off_session(api, "payment_method_id", method)
    assert (payment["status"], payment["payment_method_id"], payment["off_session"]) == ("succeeded", method, True)


OFF_SESSION: list[tuple[str, dict[str, Any], tuple[int, str]]] = [
    ("not confirmed", {"confirm": False}, (400, "IR_16")),
    ("customer present", {"off_session": False}, (400, "IR_16")),
    ("no customer", {"customer_id": None}, (400, "IR_04")),
    ("beside a token", {"payment_token": "token_1"}, (400, "IR_16")),
    ("beside a mandate", {"mandate_id": "man_1"}, (400, "IR_16")),
    ("another customer's", {"customer_id": "cus_other"}, (404, "HE_02")),
    ("unknown", {"recurring_details": {"type": "payment_method_id", "data": "pm_nobody"}}, (404, "HE_02")),
    ("unknown sort", {"recurring_details": {"type": "nonsense", "data": "pm_1"}}, (400, "IR_04")),
]


@pytest.mark.parametrize(("fields", "wrong"), [pytest.param(*row[1:], id=row[0]) for row in OFF_SESSION])
def test_a_charge_without_the_customer_is_refused(api: Wire, fields: dict[str, Any], wrong: tuple[int, str]) -> None:
    details = {"type": "payment_method_id", "data": saved(api)}
    assert refused(charge(api, **{"off_session": True, "recurring_details": details, **fields})) == wrong


def test_a_method_kept_for_its_customer_is_not_charged_without(api: Wire) -> None:
    method = saved(api, usage="on_session")
    assert refused(off_session(api, "payment_method_id", method)) == (400, "IR_16")
    saved(api, usage="off_session")
    assert off_session(api, "payment_method_id", method)["status"] == "succeeded"


def test_a_reserved_method_cannot_be_charged(api: Wire) -> None:
    api.post("/customers", {"customer_id": CUSTOMER})
    method = api.post("/payment_methods", {"customer_id": CUSTOMER})["payment_method_id"]
    assert refused(off_session(api, "payment_method_id", method)) == (400, "IR_16")


CARDS: list[tuple[str, dict[str, Any], str, str | None]] = [
    ("visa_declines_when_saved", {}, "failed", "DC_08"),
    ("visa_3ds_unless_set_up", {}, "succeeded", None),
    ("visa_3ds_unless_set_up", {"authentication_type": "no_three_ds"}, "failed", "DC_08"),
    ("visa_3ds_required", {}, "failed", "DC_08"),
    ("visa_3ds_optional", {}, "succeeded", None),
    ("visa_success", {}, "succeeded", None),
]


@pytest.mark.parametrize(("card", "fields", "status", "code"), CARDS, ids=[f"{row[0]}-{len(row[1])}" for row in CARDS])
def test_a_card_acts_as_its_row_says_when_it_is_charged_again(
    api: Wire, card: str, fields: dict[str, Any], status: str, code: str | None
) -> None:
    first = save(api, card, **fields)
    if first["status"] == "requires_action":
        authenticate(api, first["payment_id"])
    payment = off_session(api, "payment_method_id", methods_of(api)[0]["payment_method_id"])
    assert payment["status"] == status, payment.raw
    assert (payment["error_code"] is None) == (code is None)


def test_a_card_that_expired_meanwhile_is_declined(api: Wire, clock: ManualClock) -> None:
    method = saved(api, payment_method_data={"card": card_data(card_exp_month="02", card_exp_year="2026")})
    clock.advance(58 * DAY_MS)  # the last of February
    assert off_session(api, "payment_method_id", method)["status"] == "succeeded"
    clock.advance(DAY_MS)
    payment = off_session(api, "payment_method_id", method)
    assert (payment["status"], payment["error_details"]["connector_details"]["reason"]) == ("failed", "expired_card")


def test_a_failed_charge_of_a_saved_method_can_be_tried_with_another_card(api: Wire) -> None:
    failed = off_session(api, "payment_method_id", saved(api, "visa_declines_when_saved"))
    profile = f"/account/{failed['merchant_id']}/business_profile/pro_shop"
    assert api.post(profile, {"is_manual_retry_enabled": True}).status == 200
    data = {"payment_method": "card", "payment_method_data": {"card": card_data()}}
    other = api.post(f"/payments/{failed['payment_id']}/confirm", data)
    assert (other["status"], other["payment_method_id"], other["card_discovery"]) == ("succeeded", None, "manual")


def test_a_put_takes_the_saved_method_away(api: Wire) -> None:
    saved(api)
    made = charge(api, payment_token=token(api), confirm=False)
    assert made["status"] == "requires_confirmation"
    replaced = api.put(f"/payments/{made['payment_id']}", {"amount": 1, "currency": "USD", "profile_id": "pro_shop"})
    assert (replaced["status"], replaced["payment_token"], replaced["payment_method_id"]) == (
        "requires_payment_method",
        None,
        None,
    )


def test_a_type_without_a_category_is_returned_as_it_was_sent(api: Wire) -> None:
    api.post("/customers", {"customer_id": CUSTOMER})
    for row in METHODS:
        made = api.post("/payment_methods", {"customer_id": CUSTOMER, "payment_method_type": row.type})
        assert made["payment_method_type"] == row.type
