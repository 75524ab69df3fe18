"""Saved methods on purpose, from server and browser, and the available payment methods (facts §1.4, §2.8)."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mock_server.domain.methods import METHODS
from tests.api.saving import ACCEPTANCE, CUSTOMER, browser, off_session, refused, reserved, save, saved
from tests.clocks import ManualClock
from tests.wire import Reply, Wire, card_data, card_payment

FIELDS = [
    *(
        "merchant_id",
        "customer_id",
        "payment_method_id",
        "payment_method",
        "payment_method_type",
        "payment_method_status",
    ),
    *("card", "recurring_enabled", "installment_payment_enabled", "payment_experience", "metadata", "created"),
    *("bank_transfer", "last_used_at", "client_secret"),
]
CARD = {"card": card_data()}
MINUTE_MS = 60 * 1000


def customer(api: Wire) -> None:
    api.post("/customers", {"customer_id": CUSTOMER})


def test_a_card_is_saved_without_a_payment(api: Wire) -> None:
    customer(api)
    reply = api.post(
        "/payment_methods",
        {"customer_id": CUSTOMER, "payment_method": "card", "payment_method_data": CARD, "metadata": {"n": 1}},
    )
    assert list(reply.json) == FIELDS
    assert (reply["payment_method_status"], reply["payment_method_type"], reply["metadata"]) == (
        "active",
        "credit",
        {"n": 1},
    )
    assert reply["card"]["last4_digits"] == "4242"
    assert api.get(f"/payment_methods/{reply['payment_method_id']}").json == reply.json
    assert off_session(api, "payment_method_id", reply["payment_method_id"])["status"] == "succeeded"


@pytest.mark.parametrize("place", [{"card": card_data()}, {"payment_method_data": CARD}], ids=["card", "data"])
def test_the_same_card_is_the_same_method(api: Wire, place: dict[str, Any]) -> None:
    method = saved(api)
    assert api.post("/payment_methods", {"customer_id": CUSTOMER, **place})["payment_method_id"] == method


def test_without_data_one_is_reserved_and_filled_by_the_browser(api: Wire) -> None:
    made = reserved(api, payment_method="card", metadata={"n": 1})
    method, secret = made["payment_method_id"], made["client_secret"]
    assert (made["payment_method_status"], made["card"]) == ("awaiting_data", None)
    assert secret.startswith(f"{method}_secret_")
    data = {"card": card_data("5555555555554444", nick_name="Mine")}
    filled = browser(api).post(
        f"/payment_methods/{method}/save", {"client_secret": secret, "payment_method_data": data}
    )
    assert (filled["payment_method_id"], filled["payment_method_status"]) == (method, "active")
    assert (filled["card"]["card_network"], filled["card"]["nick_name"], filled["metadata"]) == (
        "Mastercard",
        "Mine",
        {"n": 1},
    )
    assert off_session(api, "payment_method_id", method)["status"] == "succeeded"


def test_a_server_fills_one_too(api: Wire) -> None:
    made = reserved(api)
    assert (
        api.post(f"/payment_methods/{made['payment_method_id']}/save", {"payment_method_data": CARD})["payment_method"]
        == "card"
    )


def test_a_reserved_method_is_offered_to_nobody(api: Wire) -> None:
    reserved(api)
    assert api.get(f"/customers/{CUSTOMER}/payment_methods")["customer_payment_methods"] == []


def test_name_nickname_and_expiry_can_change(api: Wire) -> None:
    made = reserved(api)
    method, secret = made["payment_method_id"], made["client_secret"]
    api.post(f"/payment_methods/{method}/save", {"payment_method_data": CARD})
    change = {"nick_name": "Ours", "card_holder_name": "J. Doe", "card_exp_month": "12", "card_exp_year": "2040"}
    for reply in (
        api.post(f"/payment_methods/{method}/update", {"card": change}),
        browser(api).post(f"/payment_methods/{method}/update", {"client_secret": secret, "card": change}),
    ):
        card = reply["card"]
        assert (card["nick_name"], card["card_holder_name"], card["expiry_month"], card["expiry_year"]) == (
            "Ours",
            "J. Doe",
            "12",
            "2040",
        )
        assert card["last4_digits"] == "4242"


def test_a_change_leaves_what_was_not_sent(api: Wire) -> None:
    method = saved(api, payment_method_data={"card": card_data(card_holder_name="Jane Doe")})
    card = api.post(f"/payment_methods/{method}/update", {"card": {"nick_name": "x"}})["card"]
    assert (card["card_holder_name"], card["expiry_month"]) == ("Jane Doe", "03")


def test_a_method_is_deleted(api: Wire) -> None:
    method = saved(api)
    assert api.delete(f"/payment_methods/{method}").json == {"payment_method_id": method, "deleted": True}
    assert refused(api.get(f"/payment_methods/{method}")) == (404, "HE_02")
    assert api.get(f"/customers/{CUSTOMER}")["default_payment_method_id"] is None
    assert saved(api) != method


def test_the_default_stays_while_there_is_another(api: Wire) -> None:
    first, second = saved(api), saved(api, "mastercard_success")
    assert refused(api.delete(f"/payment_methods/{first}")) == (400, "IR_25")
    made = api.post(f"/customers/{CUSTOMER}/payment_methods/{second}/default")
    assert made.json == {
        "default_payment_method_id": second,
        "customer_id": CUSTOMER,
        "payment_method_type": "credit",
        "payment_method": "card",
    }
    assert api.delete(f"/payment_methods/{first}").status == 200
    assert api.delete(f"/payment_methods/{second}").status == 200


def test_the_default_is_set_under_the_documented_path_too(api: Wire) -> None:
    saved(api)
    second = saved(api, "mastercard_success")
    assert api.post(f"/{CUSTOMER}/payment_methods/{second}/default").status == 200
    assert api.get(f"/customers/{CUSTOMER}")["default_payment_method_id"] == second


def _saved(api: Wire) -> str:
    return saved(api)


def _reserved(api: Wire) -> str:
    return str(reserved(api)["payment_method_id"])


def _gone(api: Wire) -> str:
    saved(api)
    api.delete(f"/customers/{CUSTOMER}")
    return ""


Ask = Callable[[Wire, str], Reply]


def _default_of_another(api: Wire, method: str) -> Reply:
    api.post("/customers", {"customer_id": "o"})
    return api.post(f"/customers/o/payment_methods/{method}/default")


REFUSED: list[tuple[str, Callable[[Wire], str], Ask, int, str]] = [
    ("no customer", _saved, lambda api, method: api.post("/payment_methods", {"payment_method": "card"}), 400, "IR_04"),
    ("unknown customer", _saved, lambda api, method: api.post("/payment_methods", {"customer_id": "nobody"}), 404, "HE_02"),
    ("deleted customer", _gone, lambda api, method: api.post("/payment_methods", {"customer_id": CUSTOMER}), 400, "IR_11"),
    ("not to be charged again", _saved, lambda api, method: api.post("/payment_methods", {"customer_id": CUSTOMER, "payment_method": "bank_transfer"}), 400, "IR_04"),
    ("type of another", _saved, lambda api, method: api.post("/payment_methods", {"customer_id": CUSTOMER, "payment_method": "card", "payment_method_type": "ideal"}), 422, "IR_06"),
    ("data of another", _saved, lambda api, method: api.post("/payment_methods", {"customer_id": CUSTOMER, "payment_method": "wallet", "payment_method_data": CARD}), 422, "IR_06"),
    ("card twice", _saved, lambda api, method: api.post("/payment_methods", {"customer_id": CUSTOMER, "card": card_data(), "payment_method_data": CARD}), 400, "IR_04"),
    ("wrong number", _saved, lambda api, method: api.post("/payment_methods", {"customer_id": CUSTOMER, "card": card_data("4242424242424241")}), 400, "IR_04"),
    ("expired card", _saved, lambda api, method: api.post("/payment_methods", {"customer_id": CUSTOMER, "card": card_data(card_exp_year="2025")}), 400, "IR_04"),
    ("unknown field", _saved, lambda api, method: api.post("/payment_methods", {"customer_id": CUSTOMER, "cart": {}}), 400, "IR_06"),
    ("unknown to retrieve", _saved, lambda api, method: api.get("/payment_methods/pm_nobody"), 404, "HE_02"),
    ("unknown to update", _saved, lambda api, method: api.post("/payment_methods/pm_nobody/update", {}), 404, "HE_02"),
    ("unknown to save", _saved, lambda api, method: api.post("/payment_methods/pm_nobody/save", {}), 404, "HE_02"),
    ("unknown to delete", _saved, lambda api, method: api.delete("/payment_methods/pm_nobody"), 404, "HE_02"),
    ("unknown as default", _saved, lambda api, method: api.post(f"/customers/{CUSTOMER}/payment_methods/pm_nobody/default"), 404, "HE_02"),
    ("default of another", _saved, _default_of_another, 404, "HE_02"),
    ("reserved as default", _reserved, lambda api, method: api.post(f"/customers/{CUSTOMER}/payment_methods/{method}/default"), 400, "IR_16"),
    ("saved already", _saved, lambda api, method: api.post(f"/payment_methods/{method}/save", {"payment_method_data": CARD}), 400, "IR_16"),
    ("nothing to save", _reserved, lambda api, method: api.post(f"/payment_methods/{method}/save", {}), 400, "IR_04"),
    ("save for another", _reserved, lambda api, method: api.post(f"/payment_methods/{method}/save", {"customer_id": "o", "payment_method_data": CARD}), 400, "IR_04"),
    ("update a reserved one", _reserved, lambda api, method: api.post(f"/payment_methods/{method}/update", {"card": {"nick_name": "x"}}), 400, "IR_16"),
    ("update to the past", _saved, lambda api, method: api.post(f"/payment_methods/{method}/update", {"card": {"card_exp_year": "2025"}}), 400, "IR_04"),
    ("methods of an unknown customer", _saved, lambda api, method: api.get("/customers/nobody/payment_methods"), 404, "HE_02"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "ask", "status", "code"), [pytest.param(*row[1:], id=row[0]) for row in REFUSED])
def test_what_is_refused(api: Wire, place: Callable[[Wire], str], ask: Ask, status: int, code: str) -> None:
    assert refused(ask(api, place(api))) == (status, code)


def test_a_browser_shows_the_methods_own_secret(api: Wire, clock: ManualClock) -> None:
    made, other = reserved(api), reserved(api)
    path, secret = f"/payment_methods/{made['payment_method_id']}/save", made["client_secret"]
    page = browser(api)
    assert refused(page.post(path, {"payment_method_data": CARD})) == (400, "IR_04")
    assert refused(page.post(path, {"client_secret": other["client_secret"], "payment_method_data": CARD})) == (
        400,
        "IR_09",
    )
    assert refused(page.post(path, {"client_secret": secret, "customer_id": "o", "payment_method_data": CARD})) == (
        401,
        "IR_18",
    )
    assert refused(api.post(path, {"client_secret": secret, "payment_method_data": CARD})) == (422, "IR_06")
    clock.advance(15 * MINUTE_MS)
    assert refused(page.post(path, {"client_secret": secret, "payment_method_data": CARD})) == (400, "IR_08")


def test_a_method_that_a_payment_saved_has_no_secret_for_browsers(api: Wire) -> None:
    method = saved(api)
    reply = browser(api).post(
        f"/payment_methods/{method}/update", {"client_secret": f"{method}_secret_x", "card": {"nick_name": "x"}}
    )
    assert refused(reply) == (400, "IR_09")


# what is on offer


def offered(reply: Reply) -> list[tuple[str, str]]:
    return [
        (group["payment_method"], one["payment_method_type"])
        for group in reply["payment_methods"]
        for one in group["payment_method_types"]
    ]


@pytest.mark.parametrize("path", ["/account/payment_methods", "/payment_methods"])
def test_every_method_is_on_offer(api: Wire, path: str) -> None:
    payment = api.post("/payments", card_payment())
    reply = browser(api).get(f"{path}?client_secret={payment['client_secret']}")
    assert offered(reply) == [(row.category, row.type) for row in METHODS]
    assert (reply["currency"], reply["payment_type"]) == ("USD", "normal")
    assert offered(api.get(path)) == offered(reply)


@pytest.mark.parametrize(("amount", "sort"), [(6540, "new_mandate"), (0, "setup_mandate")])
def test_the_offer_says_what_sort_of_payment_it_is(api: Wire, amount: int, sort: str) -> None:
    payment = api.post("/payments", card_payment(amount=amount, customer_id="c", setup_future_usage="off_session"))
    assert browser(api).get(f"/payment_methods?client_secret={payment['client_secret']}")["payment_type"] == sort


def test_a_customers_methods_are_shown_to_their_browser(api: Wire) -> None:
    method = saved(api, payment_method_data={**CARD, "billing": {"address": {"city": "Rome"}}})
    payment = api.post("/payments", card_payment(customer_id=CUSTOMER))
    reply = browser(api).get(f"/customers/payment_methods?client_secret={payment['client_secret']}")
    (shown,) = reply["customer_payment_methods"]
    assert (shown["payment_method_id"], shown["customer_id"], reply["is_guest_customer"]) == (method, CUSTOMER, False)
    assert shown["billing"]["address"]["city"] == "Rome"
    handed = {"client_secret": payment["client_secret"], "payment_token": shown["payment_token"]}
    assert browser(api).post(f"/payments/{payment['payment_id']}/confirm", handed)["status"] == "succeeded"


def test_a_guest_has_none(api: Wire) -> None:
    payment = api.post("/payments", card_payment())
    reply = browser(api).get(f"/customers/payment_methods?client_secret={payment['client_secret']}")
    assert reply.json == {"customer_payment_methods": [], "is_guest_customer": True}


def test_a_saved_method_says_how_it_was_agreed_and_when_it_was_used(api: Wire, clock: ManualClock) -> None:
    method = save(api, customer_acceptance=ACCEPTANCE)["payment_method_id"]
    clock.advance(MINUTE_MS)
    off_session(api, "payment_method_id", method)
    kept = api.get(f"/payment_methods/{method}")
    assert (kept["created"], kept["last_used_at"]) == ("2026-01-01T00:00:00.000Z", "2026-01-01T00:01:00.000Z")
