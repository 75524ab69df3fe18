"""What a checkout's script asks beside the payment itself, and what is named as not offered (facts §1.1)."""

from __future__ import annotations

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.api.money_places import fine
from tests.api.saving import CUSTOMER, saved
from tests.causes.raising import payment
from tests.routes.good import BIN, connector, merchant
from tests.wire import Wire, wire


def test_one_answer_has_all_that_a_script_begins_with(api: Wire) -> None:
    saved(api)
    made = payment(api, customer_id=CUSTOMER)
    shown = fine(api.page().get(f"/payments/{made['payment_id']}/client?client_secret={made['client_secret']}"))
    first = shown["payment_methods_enabled"][0]
    assert (first["payment_method"], first["payment_method_type"]) == ("card", "credit")
    assert "Visa" in first["card_networks"]
    (kept,) = shown["customer_payment_methods"]
    assert kept["payment_method_data"]["card"]["last4_digits"] == kept["card"]["last4_digits"]
    assert kept["payment_token"]
    assert shown["intent_data"]["amount"] == made["amount"]
    assert shown["sdk_next_action"] == {"next_action": "confirm"}


@pytest.mark.parametrize("path", ["eligibility", "eligibility_check"])
def test_a_blocked_card_is_told_before_it_is_charged(api: Wire, path: str) -> None:
    made = payment(api)
    card = {"card": {"card_number": "4242 4242 4242 4242"}}
    body = {"client_secret": made["client_secret"], "payment_method_type": "card", "payment_method_data": card}
    where = f"/payments/{made['payment_id']}/{path}"
    assert fine(api.page().post(where, body))["sdk_next_action"]["next_action"] == "confirm"
    fine(api.post("/blocklist", BIN))
    assert "deny" in fine(api.page().post(where, body))["sdk_next_action"]["next_action"]


@pytest.mark.parametrize("is_on", [True, False])
@pytest.mark.parametrize("kind", ["nothing", "card_bin", "fingerprint"])
@pytest.mark.parametrize("path", ["eligibility", "eligibility_check"])
def test_what_is_told_of_a_card_is_what_its_charge_meets(api: Wire, path: str, kind: str, is_on: bool) -> None:
    """Every kind of entry, with the list switched on and off, for the card and for another."""
    blocked = {"card_bin": "424242", "fingerprint": fine(api.pay("4242424242424242"))["fingerprint"]}.get(kind)
    if blocked is not None:
        fine(api.post("/blocklist", {"type": kind, "data": blocked}))
    fine(api.post(f"/blocklist/toggle?status={str(is_on).lower()}"))
    for number in ("4242424242424242", "5555555555554444"):
        made = payment(api)
        body = {"payment_method_type": "card", "payment_method_data": {"card": {"card_number": number}}}
        told = api.page().post(
            f"/payments/{made['payment_id']}/{path}", {"client_secret": made["client_secret"], **body}
        )
        is_denied = "deny" in fine(told)["sdk_next_action"]["next_action"]
        assert is_denied == ("error" in api.pay(number).json) == (bool(blocked) and is_on and number.startswith("4242"))


def test_amounts_with_the_tax_that_the_shop_sent(api: Wire) -> None:
    made = payment(api, order_tax_amount=540, shipping_cost=100)
    body = {"client_secret": made["client_secret"], "shipping": {"address": {"country": "DE"}}}
    shown = fine(api.page().post(f"/payments/{made['payment_id']}/calculate_tax", body))
    assert shown["display_amount"] == {"net_amount": 71.8, "order_tax_amount": 5.4, "shipping_cost": 1.0}


def test_words_to_filter_by_and_the_lists_of_profiles(api: Wire) -> None:
    own = merchant(api)
    account = connector(api, own)
    found = fine(api.post("/payments/filter", {}))
    assert found["connector"]["stripe_test"][0]["merchant_connector_id"] == account
    assert "requires_action" in found["status"]
    public = wire(dialect=HYPERSWITCH)
    assert "requires_customer_action" in fine(public.post("/payments/filter", {}))["status"]
    assert {"dispute_stage", "dispute_status"} <= fine(public.get("/disputes/filter")).json.keys()
    assert fine(api.get("/payments/profile/list"))["total_count"] == 1
    assert fine(api.post("/refunds/profile/list", {}))["total_count"] == 0
    assert fine(api.get("/disputes/profile/list"))["total_count"] == 0
    assert fine(api.get(f"/account/{own}/profile"))["data"]


@pytest.mark.parametrize(
    "path",
    [
        "/payouts/create",
        "/payouts/list",
        "/routing",
        "/account/m/business_profile/p/dynamic_routing/elimination/toggle",
        "/subscriptions/create",
        "/relay",
        "/organization/o_1",
        "/payments/pay_1/3ds/authentication",
    ],
)
def test_what_is_out_of_scope_says_so(api: Wire, path: str) -> None:
    for client in (api, wire(dialect=HYPERSWITCH)):
        reply = client.post(path, {})
        assert (reply.status, reply.error["code"]) == (501, "IR_00")
        assert reply.error["message"].startswith("This sandbox does not offer ")


def test_a_script_fetches_its_configuration_and_tells_its_log(api: Wire) -> None:
    page = api.as_key(None)
    shown = fine(page.get("/v1/sdk/configs/web/sdk_config.json", origin="https://shop.example"))
    assert shown["raw_configs"] == {}
    keyed = fine(api.page().get("/v1/sdk/configs/web/sdk_config.json", origin="https://shop.example"))
    assert keyed.headers["Access-Control-Allow-Origin"]
    assert keyed["payment_methods"][0]["payment_method"] == "card"
    assert shown.headers["Access-Control-Allow-Origin"] == "*"
    told = page.call("POST", "/logs/sdk", raw=b"[{}]", headers={"Content-Type": "text/plain"})
    assert (told.status, told.raw) == (204, b"")
    assert 'operation="sdk.logs",status="204"} 1' in page.get("/_sandbox/metrics").raw.decode()


def test_a_payments_authorization_is_a_key_where_no_other_is_sent() -> None:
    api = wire(dialect=HYPERSWITCH)
    made, path = api.pay(), "/v1/sdk/configs/web/sdk_config.json"
    shown = fine(api.as_key(None).get(path, Authorization=made["sdk_authorization"]))
    assert shown.json == fine(api.page().get(f"{path}?client_secret={made['client_secret']}")).json
    assert shown["payment_methods"]
    both = api.as_key("snd_another_0123456789").get(
        f"/payments/{made['payment_id']}", Authorization=made["sdk_authorization"]
    )
    assert both.status == 404  # the key in its own header counts
