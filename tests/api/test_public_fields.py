"""What real clients of the public API send, and what they look for in the answers (facts §1 to §2.8, §8)."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.api.saving import refused
from tests.wire import PUBLISHABLE, Wire, card_payment

SENT: Final[dict[str, Any]] = {
    "capture_on": "2026-02-01T00:00:00.000Z",
    "ctp_service_details": {"merchant_transaction_id": "m_1", "provider": "visa", "encrypted_payload": "e"},
    "external_surcharge_strategy": "waive",
    "merchant_connector_details": {"creds_identifier": "ours"},
    "profile_acquirer_id": "pro_acq_1",
    "psd2_sca_exemption_type": "low_value",
    "skip_external_tax_calculation": True,
    "three_ds_data": {
        "authentication_cryptogram": {"cavv": {"authentication_cryptogram": "AAAA"}},
        "ds_trans_id": "d_1",
        "version": "2.2.0",
        "eci": "05",
        "transaction_status": "Y",
    },
    "threeds_method_comp_ind": "Y",
}
WRONG: Final[dict[str, Any]] = {
    "capture_on": "tomorrow",
    "ctp_service_details": {"provider": "amex"},
    "external_surcharge_strategy": "double",
    "merchant_connector_details": "ours",
    "profile_acquirer_id": 1,
    "psd2_sca_exemption_type": "none",
    "skip_external_tax_calculation": "yes",
    "three_ds_data": {"eci": "05"},
    "threeds_method_comp_ind": "X",
}


@pytest.mark.parametrize("name", SENT)
def test_a_public_field_is_taken_and_given_back(api: Wire, name: str) -> None:
    made = api.pay(**{name: SENT[name]})
    assert made[name] == SENT[name]
    open_one = api.pay(confirm=False)
    changed = api.post(f"/payments/{open_one['payment_id']}", {name: SENT[name]})
    assert changed[name] == SENT[name]


def test_how_a_failed_payment_is_tried_again_is_given_back(api: Wire) -> None:
    open_one = api.pay(confirm=False)
    again = api.post(f"/payments/{open_one['payment_id']}/confirm", {"retry_action": "manual_retry"})
    assert (again["status"], again["retry_action"]) == ("succeeded", "manual_retry")
    assert "retry_action" not in api.pay().json


@pytest.mark.parametrize("name", WRONG)
def test_its_type_is_checked(api: Wire, name: str) -> None:
    reply = api.pay(**{name: WRONG[name]})
    assert refused(reply) == (400, "IR_04")
    assert reply.error["fields"][0]["field"].split(".")[0] == name


def test_credentials_that_come_with_a_call_are_not_kept(api: Wire) -> None:
    details = {"creds_identifier": "ours", "encoded_data": {"connector_account_details": {"api_key": "sk_of_another"}}}
    made = api.pay(merchant_connector_details=details)
    assert made["merchant_connector_details"] == {"creds_identifier": "ours"}
    assert "sk_of_another" not in repr(api.sandbox.workspaces()[0].space.dump())


def test_refunds_are_listed_between_two_instants(api: Wire) -> None:
    refund = api.post("/refunds", {"payment_id": api.pay()["payment_id"]})["refund_id"]
    inside = {"start_time": "2025-12-31T00:00:00Z", "end_time": "2026-01-02T00:00:00Z"}
    assert [one["refund_id"] for one in api.post("/refunds/list", inside)["data"]] == [refund]
    for outside in ({"start_time": "2026-01-02T00:00:00Z"}, {"end_time": "2025-12-31T00:00:00Z"}):
        assert api.post("/refunds/list", outside)["total_count"] == 0
        assert api.post("/refunds/list", {**inside, **outside})["total_count"] == 0


# the available payment methods


@pytest.mark.parametrize("what", ["shipping", "billing"])
@pytest.mark.parametrize("switch", ["collect", "always_collect"])
def test_wallets_ask_for_addresses_as_the_profile_says(api: Wire, what: str, switch: str) -> None:
    payment = api.pay(confirm=False)
    path = f"/account/{payment['merchant_id']}/business_profile/{payment['profile_id']}"
    browser = api.as_key(PUBLISHABLE)
    offer = f"/account/payment_methods?client_secret={payment['client_secret']}"
    flags = {name: f"collect_{name}_details_from_wallets" for name in ("shipping", "billing")}
    assert [browser.get(offer)[flag] for flag in flags.values()] == [False, False]
    api.post(path, {f"{switch}_{what}_details_from_wallet_connector": True})
    assert {name: browser.get(offer)[flag] for name, flag in flags.items()} == {
        "shipping": what == "shipping",
        "billing": what == "billing",
    }


@pytest.mark.parametrize(("fields", "is_guest"), [({}, True), ({"customer_id": "cus_1"}, False)])
def test_a_guest_is_one_without_a_customer(api: Wire, fields: dict[str, Any], is_guest: bool) -> None:
    secret = api.pay(confirm=False, **fields)["client_secret"]
    offer = api.as_key(PUBLISHABLE).get(f"/account/payment_methods?client_secret={secret}")
    assert offer["is_guest_customer"] is is_guest


# connectors


def connector(api: Wire, name: str, **fields: Any) -> str:
    """The id of a new connector account of the payments' profile."""
    payment = api.pay(confirm=False)
    body = {
        "connector_name": name,
        "connector_label": f"{name}_{fields}",
        "profile_id": payment["profile_id"],
        **fields,
    }
    made = api.post(f"/account/{payment['merchant_id']}/connectors", body)
    return str(made["merchant_connector_id"])


def routed(api: Wire, **fields: Any) -> tuple[str, str | None]:
    payment = api.pay(**fields)
    return payment["connector"], payment["merchant_connector_id"]


def test_the_oldest_account_that_is_in_use_gives_the_connector(api: Wire) -> None:
    assert routed(api) == ("payment_sandbox", None)
    connector(api, "paypal_test", disabled=True)
    connector(api, "checkout_test", status="inactive")
    connector(api, "taxjar", connector_type="tax_processor")
    assert routed(api) == ("payment_sandbox", None)
    first, second = connector(api, "stripe_test"), connector(api, "adyen_test")
    assert routed(api) == ("stripe_test", first)
    merchant = api.pay()["merchant_id"]
    api.post(f"/account/{merchant}/connectors/{first}", {"disabled": True})
    assert routed(api) == ("adyen_test", second)
    api.delete(f"/account/{merchant}/connectors/{second}")
    assert routed(api) == ("payment_sandbox", None)


def test_a_payment_may_pick_its_connector(api: Wire) -> None:
    first, second = connector(api, "stripe_test"), connector(api, "adyen_test")
    assert routed(api, connector=["stripe_test"]) == ("stripe_test", first)
    assert routed(api, connector=["nobody", "stripe_test", "adyen_test"]) == ("stripe_test", first)
    assert routed(api, connector=["adyen_test"]) == ("adyen_test", second)
    assert routed(api, connector=["nobody"]) == ("stripe_test", first)
    later = api.pay(confirm=False, connector=["stripe_test"])
    assert (later["connector"], later["merchant_connector_id"]) == (None, None)
    assert api.post(f"/payments/{later['payment_id']}/confirm")["merchant_connector_id"] == first


def test_another_profile_has_accounts_of_its_own(api: Wire) -> None:
    connector(api, "stripe_test")
    assert routed(api, profile_id="pro_other") == ("payment_sandbox", None)


def test_what_follows_a_payment_shows_its_connector(api: Wire) -> None:
    account = connector(api, "stripe_test")
    payment = api.pay()["payment_id"]
    refund = api.post("/refunds", {"payment_id": payment, "amount": 1})
    dispute = api.post(f"/_sandbox/payments/{payment}/dispute")
    for shown in (refund, dispute):
        assert (shown["connector"], shown["merchant_connector_id"]) == ("stripe_test", account)
    for kind in ("payments", "refunds", "disputes"):
        assert api.post(f"/{kind}/list", {"merchant_connector_id": account})["total_count"] == 1
        assert api.post(f"/{kind}/list", {"merchant_connector_id": "mca_other"})["total_count"] == 0


def test_a_list_of_connectors_leaves_their_details_out(api: Wire) -> None:
    account = connector(
        api, "x", connector_account_details={"auth_type": "HeaderKey", "api_key": "k"}, metadata={"a": 1}
    )
    path = f"/account/{api.pay()['merchant_id']}/connectors"
    one, listed = api.get(f"{path}/{account}").json, api.get(path)["data"][0]
    assert one["connector_account_details"] == {"auth_type": "HeaderKey"}
    left_out = {"connector_account_details", "connector_webhook_details", "connector_wallets_details"}
    assert one.keys() - listed.keys() == left_out | {"additional_merchant_data", "metadata"}
    assert listed == {name: value for name, value in one.items() if name in listed}


def test_a_connector_account_can_have_an_id_of_its_own(api: Wire) -> None:
    assert connector(api, "stripe_test", merchant_connector_id="mca_mine") == "mca_mine"
    payment = api.pay()
    body = {"connector_name": "other", "merchant_connector_id": "mca_mine"}
    assert refused(api.post(f"/account/{payment['merchant_id']}/connectors", body)) == (400, "HE_01")


# words


def test_the_capture_of_what_was_captured_blames_the_status(api: Wire) -> None:
    reply = api.post(f"/payments/{api.pay()['payment_id']}/capture")
    assert refused(reply) == (400, "IR_14")
    assert "status is succeeded" in reply.error["message"]


@pytest.mark.parametrize(
    ("body", "begins"),
    [
        ({"currency": "USD", "profile_id": "pro_shop"}, "Missing field: amount is required."),
        ({"currency": "US", "profile_id": "pro_shop"}, "Missing field: amount is required (1 more in fields)."),
        ({"amount": -1, "currency": "USD"}, "Invalid value for amount: "),
        (card_payment(amont=1), "Invalid body: amont is not a known field (did you mean amount?)."),
        ({**card_payment(), "payment_method": None}, "Missing field: payment_method is required together with"),
    ],
)
def test_a_missing_field_is_called_missing(api: Wire, body: dict[str, Any], begins: str) -> None:
    message = api.post("/payments", body).error["message"]
    assert message.startswith(begins)
    assert not message.endswith(("?.", "..", "!."))


def test_the_account_says_what_it_is(api: Wire) -> None:
    account = api.as_key("an-admin").post("/accounts", {"merchant_id": "mer_shop"})
    assert (account["product_type"], account["merchant_account_type"]) == ("orchestration", "standard")
    changed = api.as_key("an-admin").post("/accounts/mer_shop", {"merchant_account_type": "platform"})
    assert (changed["product_type"], changed["merchant_account_type"]) == ("orchestration", "platform")


def test_an_account_can_choose_its_default_profile(api: Wire) -> None:
    admin = api.as_key("an-admin")
    first = admin.post("/accounts", {"merchant_id": "mer_shop"})["default_profile"]
    key = admin.post("/api_keys/mer_shop", {"name": "server", "expiration": "never"})["api_key"]
    other = api.as_key(key).post("/account/mer_shop/business_profile", {"profile_name": "other"})["profile_id"]
    assert first != other
    assert admin.post("/accounts/mer_shop", {"default_profile": other})["default_profile"] == other
    assert admin.get("/accounts/mer_shop")["default_profile"] == other
    assert refused(admin.post("/accounts/mer_shop", {"default_profile": "pro_nobody"})) == (404, "HE_02")


def test_an_address_that_no_table_names_is_paid_from(api: Wire) -> None:
    method = {"payment_method": "upi", "payment_method_type": "upi_collect"}
    for vpa, status in (("jane.doe@okbank", "requires_action"), ("jane doe", "failed")):
        reply = api.pay(**method, payment_method_data={"upi": {"upi_collect": {"vpa_id": vpa}}}, currency="INR")
        assert reply["status"] == status
