"""The errors of the public API's dialect that its clients compare: status, type, code and text, to the letter."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mock_server.contract.kinds.objects import MOST_WRONG
from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.clocks import ManualClock
from tests.wire import Reply, Wire, card_data, card_payment, wire

JSON_ERROR = "Json deserialize error: "
WRONG_STATE = (
    "This Payment could not be captured because it has a payment.status of {status}. "
    "The expected state is requires_capture, partially_captured_and_capturable, processing"
)


@pytest.fixture
def api() -> Wire:
    return wire(dialect=HYPERSWITCH)


def told(reply: Reply, status: int, code: str, message: str, *, key: str = "type", **extra: Any) -> None:
    """Asserts the whole error of an answer."""
    assert (reply.status, reply.error) == (status, {key: "invalid_request", "code": code, "message": message, **extra})


def unreadable(reply: Reply, message: str) -> None:
    told(reply, 400, "IR_06", JSON_ERROR + message, key="error_type")


def with_card(**fields: Any) -> dict[str, Any]:
    return card_payment(payment_method_data={"card": card_data(**fields)})


@pytest.mark.parametrize("number", ["42424242", "", "4" * 30])
def test_a_card_numbers_length(api: Wire, number: str) -> None:
    unreadable(api.post("/payments", with_card(number=number)), "invalid card number length")


@pytest.mark.parametrize("number", ["4242424242424241", "4242x24242424242"])
def test_a_card_numbers_check_digit(api: Wire, number: str) -> None:
    unreadable(api.post("/payments", with_card(number=number)), "invalid card number")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"card_exp_month": "13"}, "Invalid Expiry Month"),
        ({"card_exp_year": "2019"}, "Invalid Expiry Year"),
        ({"card_exp_year": "19"}, "Invalid Expiry Year"),
        ({"card_exp_year": "203"}, "Invalid Expiry Year"),
        ({"card_cvc": "12"}, "Invalid card_cvc length"),
        ({"card_cvc": "12345", "card_exp_month": "13", "card_exp_year": "2019"}, "Invalid card_cvc length"),
    ],
)
def test_a_cards_expiry_and_code(api: Wire, wrong: dict[str, Any], message: str) -> None:
    told(api.post("/payments", with_card(**wrong)), 400, "IR_16", message)


def test_an_unknown_word_of_an_enum(api: Wire) -> None:
    body = card_payment(setup_future_usage="sometimes")
    unreadable(api.post("/payments", body), "unknown variant `sometimes`, expected one of `off_session`, `on_session`")


@pytest.mark.parametrize(("raw", "kind"), [("[]", "array"), ("1", "number"), ('"{}"', "string"), ("true", "boolean")])
def test_a_body_that_is_no_object(api: Wire, raw: str, kind: str) -> None:
    headers = {"Content-Type": "application/json"}
    reply = api.call("POST", "/payments", raw=raw.encode(), headers=headers)
    unreadable(reply, f"invalid type: {kind}, expected object")


@pytest.mark.parametrize("name", ["amount", "currency"])
def test_a_missing_field_of_the_top_level(api: Wire, name: str) -> None:
    body = card_payment()
    del body[name]
    told(api.post("/payments", body), 400, "IR_04", f"Missing required param: {name}")
    told(api.post("/payments", {**body, name: None}), 400, "IR_04", f"Missing required param: {name}")


def test_a_missing_profile_where_there_are_several(api: Wire) -> None:
    body = {"amount": 100, "currency": "USD"}
    first = api.post("/payments", body)
    assert (first.status, first["profile_id"]) == (200, api.post("/payments", body)["profile_id"])
    api.post(f"/account/{first['merchant_id']}/business_profile", {"profile_name": "second"})
    told(
        api.post("/payments", body),
        400,
        "IR_04",
        "Missing required param: profile_id or business_country, business_label",
    )


@pytest.mark.parametrize("name", ["card_number", "card_exp_month", "card_exp_year", "card_cvc"])
def test_a_missing_field_of_a_nested_object(api: Wire, name: str) -> None:
    body = card_payment()
    del body["payment_method_data"]["card"][name]
    unreadable(api.post("/payments", body), f"missing field `{name}`")


def test_a_refund_without_its_payment(api: Wire) -> None:
    unreadable(api.post("/refunds", {"amount": 100}), "missing field `payment_id`")


def test_what_a_confirmation_needs(api: Wire) -> None:
    bare = api.post("/payments", {"amount": 100, "currency": "USD"})
    path = f"/payments/{bare['payment_id']}/confirm"
    sentence = "A payment token or payment method data or ctp service details is required"
    told(api.post(path), 422, "IR_06", sentence)
    told(api.post(path, {}), 422, "IR_06", sentence)
    told(api.post(path, {"payment_method": "card"}), 400, "IR_04", "Missing required param: payment_method_data")
    data = {"payment_method_data": {"card": card_data()}}
    told(api.post(path, data), 400, "IR_04", "Missing required param: payment_method")


def test_more_to_capture_than_the_amount_at_creation(api: Wire) -> None:
    told(
        api.post("/payments", card_payment(amount=100, amount_to_capture=101)),
        422,
        "IR_05",
        "amount_to_capture contains invalid data. Expected format is amount_to_capture lesser than amount",
    )


def test_a_text_that_is_too_long(api: Wire) -> None:
    reply = api.post("/payments", card_payment(name="n" * 300))
    told(reply, 400, "IR_06", "name must be at most 255 characters long. Received 300 characters")


def test_a_mandate_that_is_refused(api: Wire) -> None:
    reply = saved(api)
    api.post(f"/mandates/revoke/{reply['mandate_id']}")
    charge = api.post("/payments", {**CHARGE, "mandate_id": reply["mandate_id"]})
    told(charge, 400, "IR_16", "mandate is not active")


CHARGE = {"amount": 100, "currency": "USD", "customer_id": "cus_1", "confirm": True, "off_session": True}


def saved(api: Wire) -> Reply:
    """A payment that made a mandate of many uses."""
    api.post("/customers", {"customer_id": "cus_1"})
    terms = {"mandate_type": {"multi_use": {"amount": 5000, "currency": "USD"}}}
    return api.pay(
        customer_id="cus_1",
        setup_future_usage="off_session",
        mandate_data={"customer_acceptance": {"acceptance_type": "offline"}, **terms},
    )


def test_a_capture_of_more_than_was_authorized(api: Wire) -> None:
    payment = api.pay(capture_method="manual")
    path = f"/payments/{payment['payment_id']}/capture"
    told(api.post(path, {"amount_to_capture": 6541}), 422, "IR_06", "amount_to_capture is greater than amount")
    wrong = "amount contains invalid data. Expected format is a positive integer"
    told(api.post(path, {"amount_to_capture": 0}), 422, "IR_05", wrong)
    told(api.post("/refunds", {"payment_id": api.pay()["payment_id"], "amount": -1}), 422, "IR_05", wrong)
    unreadable(api.post(path, {"amount_to_capture": "1"}), "amount_to_capture must be an integer")


def test_what_a_wrong_status_forbids(api: Wire) -> None:
    for word, card in (("succeeded", "success"), ("failed", "insufficient_funds")):
        path = f"/payments/{api.pay(card)['payment_id']}"
        told(api.post(f"{path}/capture"), 400, "IR_14", WRONG_STATE.format(status=word))
        told(api.post(f"{path}/cancel"), 400, "IR_16", f"You cannot cancel this payment because it has status {word}")
    done = api.pay()["payment_id"]
    sentence = "You cannot confirm this payment because it has status succeeded"
    told(api.post(f"/payments/{done}/confirm"), 400, "IR_16", sentence)
    waiting = api.pay("visa_3ds")["payment_id"]
    sentence = "You cannot confirm this payment because it has status requires_customer_action"
    told(api.post(f"/payments/{waiting}/confirm"), 400, "IR_16", sentence)


def test_refunds_of_too_much_and_of_what_is_not_paid(api: Wire) -> None:
    paid = api.pay()["payment_id"]
    over = {"payment_id": paid, "amount": 6541}
    told(api.post("/refunds", over), 400, "IR_13", "The refund amount exceeds the amount captured")
    failed = api.pay("insufficient_funds")["payment_id"]
    sentence = "This Payment could not be refund because it has a status of failed. "
    sentence += "The expected state is succeeded, partially_captured"
    told(api.post("/refunds", {"payment_id": failed}), 400, "IR_14", sentence)


def test_an_unknown_word_is_one_whatever_its_field_is_called_and_alone_or_in_a_list(api: Wire) -> None:
    words = "expected one of `card_bin`, `fingerprint`, `extended_card_bin`"
    unreadable(api.post("/blocklist", {"type": "nothing", "data": "424242"}), f"unknown variant `nothing`, {words}")
    for asked in ("nothing", ["nothing"]):
        said = api.post("/payments/list", {"authentication_type": asked}).error["message"]
        assert said.startswith(f"{JSON_ERROR}unknown variant `nothing`, expected one of `three_ds`")


def test_what_is_no_client_secret_belongs_to_no_payment(api: Wire) -> None:
    page = api.page()
    for path in ("/account/payment_methods", "/customers/payment_methods"):
        for secret in ("nothing", "_secret_x", "pay_x_secret_"):
            reply = page.get(f"{path}?client_secret={secret}")
            assert (reply.status, reply.error["code"]) == (400, "IR_09")


def test_an_offset_is_told_its_only_bound(api: Wire) -> None:
    unreadable(api.post("/payments/list", {"offset": -1}), "offset must be at least 0")


def test_an_id_that_is_taken(api: Wire) -> None:
    api.pay(payment_id="pay_mine")
    told(
        api.post("/payments", card_payment(payment_id="pay_mine")),
        400,
        "HE_01",
        "The payment with the specified payment_id already exists in our records",
        reason="payment_id pay_mine is taken",
    )
    refund = {"payment_id": "pay_mine", "amount": 1, "refund_id": "ref_mine"}
    assert api.post("/refunds", refund).status == 200
    sentence = "Duplicate refund request. Refund already attempted with the refund ID"
    told(api.post("/refunds", refund), 400, "HE_01", sentence)
    api.post("/customers", {"customer_id": "cus_1"})
    sentence = "Customer with the given `customer_id` already exists"
    told(api.post("/customers", {"customer_id": "cus_1"}), 400, "IR_12", sentence)


@pytest.mark.parametrize("key", [None, "", "nonsense", "snd_x", "pk_snd_nobody_0123456789"])
def test_a_bad_key(api: Wire, key: str | None) -> None:
    for path in ("/payments/list", "/payments/pay_1?client_secret=pay_1_secret_x")[: 2 if key else 1]:
        told(api.as_key(key).get(path), 401, "IR_01", "API key not provided or invalid API key used")


def test_client_secrets() -> None:
    clock = ManualClock()
    api = wire(dialect=HYPERSWITCH, clock=clock)
    payment, other = (api.post("/payments", {"amount": 100, "currency": "USD"}) for _ in range(2))
    path, page = f"/payments/{payment['payment_id']}", api.page()
    told(page.get(path), 400, "IR_04", "Missing required param: client_secret")
    assert page.get(f"{path}?client_secret={other['client_secret']}").error["code"] == "IR_09"
    clock.advance(900_001)
    told(
        page.get(f"{path}?client_secret={payment['client_secret']}"),
        400,
        "IR_08",
        "The provided client_secret has expired",
    )


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/payments/pay_nobody", "HE_02"),
        ("/refunds/ref_nobody", "HE_02"),
        ("/customers/cus_nobody", "HE_02"),
        ("/mandates/man_nobody", "HE_02"),
        ("/payment_methods/pm_nobody", "HE_02"),
        ("/account/<merchant_id>/connectors/mca_nobody", "HE_02"),
        ("/disputes/dp_nobody", "HE_04"),
        ("/files/file_nobody", "HE_04"),
        ("/nowhere", "IR_02"),
    ],
)
def test_what_is_not_found(api: Wire, path: str, code: str) -> None:
    own = api.post("/payments", {"amount": 100, "currency": "USD"})["merchant_id"]
    reply = api.get(path.replace("<merchant_id>", own))
    assert (reply.status, reply.error["code"], reply.error["type"]) == (404, code, "invalid_request")
    assert reply.error.get("reason") == ("mca_nobody" if "mca_nobody" in path else None)


# one error at a time, and the list of them all


def test_errors_come_in_an_order(api: Wire) -> None:
    """What JSON cannot be read into, lengths, CVC before expiry, state, amounts: each is told of once it is first."""
    payment = api.pay(capture_method="manual")["payment_id"]
    body = with_card(number="4242", card_cvc="1", card_exp_month="99")
    body.update(name="n" * 300, amount_to_capture=9999, capture_method="never", payment_id=payment)
    card = body["payment_method_data"]["card"]
    assert "variant `never`" in api.post("/payments", body).error["message"]
    body["capture_method"] = "manual"
    unreadable(api.post("/payments", body), "invalid card number length")
    card["card_number"] = "4242424242424242"
    assert api.post("/payments", body).error["message"].startswith("name must be at most")
    del body["name"]
    told(api.post("/payments", body), 400, "IR_16", "Invalid card_cvc length")
    card["card_cvc"] = "123"
    told(api.post("/payments", body), 400, "IR_16", "Invalid Expiry Month")
    done = f"/payments/{api.pay()['payment_id']}/capture"
    assert api.post(done, {"amount_to_capture": 99_999}).error["code"] == "IR_14"


def because(reply: Reply) -> Any:
    text = reply.headers["X-Sandbox-Because"]
    assert text.isascii()
    assert len(text) <= 4_096
    return json.loads(text)


def test_a_header_lists_every_wrong_field(api: Wire) -> None:
    reply = api.post("/payments", {"amount": "1", "name": 5, "payment_method": "card"})
    assert "fields" not in reply.error
    assert [one["field"] for one in because(reply)] == ["amount", "name", "currency"]
    again = [api.post("/refunds", {}, X_Idempotency_Key="k") for _ in range(2)]
    assert because(again[0]) == because(again[1])


def test_the_header_is_cut_with_a_count_and_hides_what_must_be_hidden(api: Wire) -> None:
    lines = [{"product_name": 5, "quantity": "é" * 9, "amount": "4242424242424242"}] * 90
    found = because(api.post("/payments", {"order_details": lines, "metadata": {"4242424242424242" * 4: 1}}))
    assert len(found) + found[-1]["more"] - 1 == MOST_WRONG + 1
    assert "4242424242424242" not in str(found)


def test_plain_headers_leave_it_out() -> None:
    assert "X-Sandbox-Because" not in wire(dialect=HYPERSWITCH, plain_headers=True).post("/payments", {}).headers


@pytest.mark.parametrize("secret", ["4242424242424242", "737", "snd_live_or_not", "prd_abcdefgh"])
def test_a_word_that_could_be_secret_is_not_repeated(api: Wire, secret: str) -> None:
    reply = api.post("/payments", card_payment(capture_method=secret))
    assert "variant `…`, expected one of" in reply.error["message"]
    assert secret not in str(reply)
