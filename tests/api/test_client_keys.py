"""What a browser works with: publishable keys on every route, ephemeral keys, wallet sessions (facts §1.0, §1.4)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.api_keys import KeyKind
from tests.api.saving import CUSTOMER, browser, refused, saved
from tests.clocks import ManualClock
from tests.wire import Wire, card_payment, wire

HOUR_MS = 60 * 60 * 1000
NOBODY = "epk_00000000-0000-4000-8000-000000000000"
OTHER = "snd_somebody_else"
by_operation = pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: f"{row.method} {row.path}")


def path_of(row: Operation, **known: str) -> str:
    return re.sub("<([a-z_]+)>", lambda part: known.get(part[1], "unknown_id"), row.path)


def ephemeral(api: Wire, customer: str = CUSTOMER) -> Wire:
    api.post("/customers", {"customer_id": customer})
    return api.as_key(api.post("/ephemeral_keys", {"customer_id": customer})["secret"])


# publishable keys


@by_operation
def test_a_publishable_key_calls_what_it_may_and_nothing_else(api: Wire, row: Operation) -> None:
    reply = browser(api).call(row.method, path_of(row), {} if row.method in ("POST", "PUT") else None)
    if row.wants_secret:
        assert refused(reply) == (400, "IR_04")
        assert [wrong["field"] for wrong in reply.error["fields"]] == ["client_secret"]
    elif KeyKind.PUBLISHABLE in row.keys:
        assert reply.status < 300
    else:
        assert refused(reply) == (401, "IR_01")


@pytest.mark.parametrize(
    "row",
    [row for row in OPERATIONS if row.wants_secret and KeyKind.SECRET in row.keys],
    ids=lambda row: f"{row.method} {row.path}",
)
def test_a_secret_key_and_a_client_secret_do_not_go_together(api: Wire, row: Operation) -> None:
    path, given = path_of(row), {"client_secret": "pay_1_secret_x"}
    reply = api.get(f"{path}?client_secret=x") if row.method == "GET" else api.call(row.method, path, given)
    assert refused(reply) == (422, "IR_06")
    assert api.call(row.method, path, None if row.method == "GET" else {"client_secret": None}).status != 422


def test_the_client_secret_opens_its_payment(api: Wire) -> None:
    payment = api.post("/payments", card_payment())
    path, secret = f"/payments/{payment['payment_id']}", payment["client_secret"]
    page = browser(api)
    assert page.get(f"{path}?client_secret={secret}").status == 200
    assert page.post(path, {"client_secret": secret, "description": "x"})["description"] == "x"
    assert page.post(f"{path}/confirm", {"client_secret": secret})["status"] == "succeeded"


def test_another_payments_secret_opens_nothing(api: Wire) -> None:
    first, second = (api.post("/payments", card_payment()) for _ in range(2))
    assert refused(browser(api).get(f"/payments/{first['payment_id']}?client_secret={second['client_secret']}")) == (
        400,
        "IR_09",
    )


def test_the_secret_is_over_with_the_session(api: Wire, clock: ManualClock) -> None:
    payment = api.post("/payments", card_payment())
    clock.advance(15 * 60 * 1000)
    path = f"/payments/{payment['payment_id']}?client_secret={payment['client_secret']}"
    assert refused(browser(api).get(path)) == (400, "IR_08")
    assert api.get(f"/payments/{payment['payment_id']}")["status"] == "requires_confirmation"


def test_another_merchants_browser_sees_nothing(api: Wire) -> None:
    payment = api.post("/payments", card_payment())
    path = f"/payments/{payment['payment_id']}?client_secret={payment['client_secret']}"
    assert refused(api.as_key(OTHER).page().get(path)) == (404, "HE_02")


@pytest.mark.parametrize(
    "change", [{"customer_id": "cus_thief"}, {"customer": {"id": "cus_thief"}}], ids=["flat", "object"]
)
@pytest.mark.parametrize("step", ["", "/confirm"])
def test_a_browser_cannot_change_whose_payment_it_is(api: Wire, change: dict[str, Any], step: str) -> None:
    payment = api.post("/payments", card_payment())
    body = {"client_secret": payment["client_secret"], **change}
    assert refused(browser(api).post(f"/payments/{payment['payment_id']}{step}", body)) == (401, "IR_18")


# ephemeral keys


def test_an_ephemeral_key_is_told_once(api: Wire) -> None:
    api.post("/customers", {"customer_id": CUSTOMER})
    made = api.post("/ephemeral_keys", {"customer_id": CUSTOMER})
    assert list(made.json) == ["id", "merchant_id", "customer_id", "created_at", "expires", "secret"]
    assert made["merchant_id"] == api.pay()["merchant_id"]
    assert (made["created_at"], made["expires"]) == (1_767_225_600, 1_767_225_600 + 3600)
    assert re.fullmatch(r"epk_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", made["secret"])
    assert made["secret"] not in repr(api.sandbox.workspaces()[0].space.dump())


EPHEMERAL = [row for row in OPERATIONS if KeyKind.EPHEMERAL in row.keys]


@pytest.mark.parametrize("row", EPHEMERAL, ids=lambda row: f"{row.method} {row.path}")
def test_it_opens_its_customers_routes(api: Wire, row: Operation) -> None:
    method = saved(api)
    saved(api, "mastercard_success")
    other = api.get(f"/customers/{CUSTOMER}/payment_methods")["customer_payment_methods"][0]["payment_method_id"]
    path = path_of(row, customer_id=CUSTOMER, payment_method_id=other if row.method == "DELETE" else method)
    assert ephemeral(api).call(row.method, path).status == 200


@pytest.mark.parametrize(
    "row", [row for row in EPHEMERAL if "<" in row.path], ids=lambda row: f"{row.method} {row.path}"
)
def test_it_opens_no_other_customers(api: Wire, row: Operation) -> None:
    path = path_of(row, customer_id=CUSTOMER, payment_method_id=saved(api))
    assert refused(ephemeral(api, "cus_other").call(row.method, path)) == (401, "IR_15")


@pytest.mark.parametrize(
    "row", [row for row in OPERATIONS if KeyKind.EPHEMERAL not in row.keys], ids=lambda row: f"{row.method} {row.path}"
)
def test_it_opens_no_other_route(api: Wire, row: Operation) -> None:
    assert refused(ephemeral(api).call(row.method, path_of(row), {} if row.method in ("POST", "PUT") else None)) == (
        401,
        "IR_01",
    )


def test_it_is_over_after_an_hour_of_the_workspace(api: Wire, clock: ManualClock) -> None:
    key = ephemeral(api)
    clock.advance(HOUR_MS - 1)
    assert key.get(f"/customers/{CUSTOMER}").status == 200
    clock.advance(1)
    assert refused(key.get(f"/customers/{CUSTOMER}")) == (401, "IR_15")


def test_it_is_over_when_it_is_taken_back(api: Wire) -> None:
    api.post("/customers", {"customer_id": CUSTOMER})
    made = api.post("/ephemeral_keys", {"customer_id": CUSTOMER})
    gone = api.delete(f"/ephemeral_keys/{made['id']}")
    assert (gone["id"], gone["secret"]) == (made["id"], None)
    assert refused(api.as_key(made["secret"]).get(f"/customers/{CUSTOMER}")) == (401, "IR_15")
    assert refused(api.delete(f"/ephemeral_keys/{made['id']}")) == (404, "HE_02")


def test_one_that_nobody_issued_opens_nothing(api: Wire) -> None:
    assert refused(api.as_key(NOBODY).get(f"/customers/{CUSTOMER}")) == (401, "IR_15")


def test_it_opens_the_workspace_that_issued_it(api: Wire) -> None:
    other = api.as_key("snd_another_merchant")
    api.post("/customers", {"customer_id": CUSTOMER, "name": "ours"})
    other.post("/customers", {"customer_id": CUSTOMER, "name": "theirs"})
    key = other.post("/ephemeral_keys", {"customer_id": CUSTOMER})["secret"]
    assert api.as_key(key).get(f"/customers/{CUSTOMER}")["name"] == "theirs"


def test_it_opens_it_under_a_restricted_list_too() -> None:
    api = wire(keys=frozenset({"snd_test_0123456789"}))
    assert ephemeral(api).get(f"/customers/{CUSTOMER}").status == 200


@pytest.mark.parametrize(
    ("body", "wrong"),
    [({}, (400, "IR_04")), ({"customer_id": "nobody"}, (404, "HE_02")), ({"customer": "x"}, (400, "IR_04"))],
)
def test_it_is_for_a_customer_who_is_there(api: Wire, body: dict[str, Any], wrong: tuple[int, str]) -> None:
    assert refused(api.post("/ephemeral_keys", body)) == wrong


def test_keys_that_are_over_do_not_pile_up(api: Wire, clock: ManualClock) -> None:
    from mock_server.domain.paging import Query
    from mock_server.engine.kinds import EPHEMERAL_KEYS

    for _ in range(10):
        ephemeral(api)
        clock.advance(HOUR_MS)
    assert api.sandbox.workspaces()[0].space.transact(lambda tx: tx.count(EPHEMERAL_KEYS, Query())) <= 2


# wallet sessions


def ask(api: Wire, **fields: Any) -> Any:
    payment = api.post("/payments", card_payment())
    body = {"payment_id": payment["payment_id"], "client_secret": payment["client_secret"], **fields}
    return browser(api).post("/payments/session_tokens", body)


def test_every_wallet_has_a_session(api: Wire) -> None:
    reply = ask(api)
    assert [one["wallet_name"] for one in reply["session_token"]] == [
        "apple_pay",
        "google_pay",
        "paypal",
        "samsung_pay",
    ]
    apple, google, paypal, samsung = reply["session_token"]
    assert apple["payment_request_data"]["total"]["amount"] == google["transaction_info"]["total_price"] == "65.40"
    assert samsung["amount"]["total"] == paypal["transaction_info"]["total_price"] == "65.40"
    assert (
        len(
            {
                apple["session_token_data"]["merchant_session_identifier"],
                google["session_token"],
                paypal["session_token"],
            }
        )
        == 3
    )


def test_the_wallets_can_be_chosen(api: Wire) -> None:
    assert [one["wallet_name"] for one in ask(api, wallets=["paypal"])["session_token"]] == ["paypal"]


def test_a_wallet_without_identity_has_none(api: Wire) -> None:
    payment = api.post("/payments", card_payment())
    merchant = payment["merchant_id"]
    api.post(f"/account/{merchant}/business_profile/pro_shop", {"wallet_identities": ["google_pay"]})
    assert [one["wallet_name"] for one in ask(api, wallets=["apple_pay", "google_pay"])["session_token"]] == [
        "google_pay"
    ]


SESSIONS: list[tuple[str, dict[str, Any], tuple[int, str]]] = [
    ("unknown wallet", {"wallets": ["ali_pay"]}, (400, "IR_04")),
    ("another secret", {"client_secret": "pay_1_secret_x"}, (400, "IR_09")),
    ("no payment", {"payment_id": None}, (400, "IR_04")),
    ("unknown payment", {"payment_id": "pay_nobody"}, (404, "HE_02")),
]


@pytest.mark.parametrize(("fields", "wrong"), [pytest.param(*row[1:], id=row[0]) for row in SESSIONS])
def test_a_session_is_refused(api: Wire, fields: dict[str, Any], wrong: tuple[int, str]) -> None:
    assert refused(ask(api, **fields)) == wrong


@pytest.mark.parametrize("card", ["success", "visa_generic_decline"])
def test_a_payment_that_is_over_gets_none(api: Wire, card: str) -> None:
    payment = api.pay(card)
    body = {"payment_id": payment["payment_id"], "client_secret": payment["client_secret"]}
    assert refused(browser(api).post("/payments/session_tokens", body)) == (400, "IR_16")
