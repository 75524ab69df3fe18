"""Answers in the dialect of the public API are those that its document promises (public.py); each test calls for some.

The client holds every answer against the table, so that a test asserts only what the table does not say.
"""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.clocks import ManualClock
from tests.dialects.public import agree, held, schema_of, table
from tests.openapi.agreeing import Disagreement
from tests.wire import Wire, wire

ACCEPTED = {
    "customer_acceptance": {
        "acceptance_type": "online",
        "accepted_at": "2026-01-01T00:00:00.000Z",
        "online": {"ip_address": "203.0.113.7", "user_agent": "tests"},
    }
}
SAVES: dict[str, Any] = {"customer_id": "cus_1", "setup_future_usage": "off_session", **ACCEPTED}


def test_the_table_is_read_strictly() -> None:
    entry = {"fingerprint_id": "411111", "data_kind": "card_bin", "created_at": "2026-01-01T00:00:00Z"}
    held("BlocklistResponse", entry, "an entry")
    for wrong in (
        {**entry, "more": 1},
        {**entry, "data_kind": "x"},
        {**entry, "created_at": "x"},
        {"created_at": None},
    ):
        with pytest.raises(Disagreement):
            held("BlocklistResponse", wrong, "an entry")
    with pytest.raises(Disagreement):
        agree("GET", "/refunds/ref_1?x=y", 200, b"{}")
    assert schema_of("POST", "/payments/list") != schema_of("POST", "/payments/pay_1")
    assert len(table()[1]) > 400


# payments


def test_payments(api: Wire) -> None:
    paid = api.pay(billing={"address": {"line1": "1 Street", "country": "DE"}}, metadata={"a": 1})
    assert paid["payment_method_data"]["card"]["card_network"] == "Visa"
    assert api.post("/payments", {"amount": 1, "currency": "USD", "profile_id": "pro_1"})["metadata"] == {}
    failed = api.pay("visa_insufficient_funds")["error_details"]["unified_details"]
    assert (failed["category"], failed["standardised_code"]) == ("UE_1000", "insufficient_funds")
    held_back = api.pay(capture_method="manual_multiple")["payment_id"]
    api.post(f"/payments/{held_back}/capture", {"amount_to_capture": 100})
    shown = api.get(f"/payments/{held_back}?expand_captures=true&expand_attempts=true").json
    assert len(shown["captures"]) == len(shown["attempts"]) == 1
    assert api.post(f"/payments/{held_back}/cancel", {})["status"] == "partially_captured"
    assert api.post("/payments/sync", {"payment_id": held_back})["amount_received"] == 100


def test_what_only_a_request_says_is_not_in_the_answer(api: Wire) -> None:
    sent: dict[str, Any] = {
        "routing": {"type": "single"},
        "discount_amount": 1,
        "tax_status": "exempt",
        "payment_link_config_id": "x",
    }
    assert not sent.keys() & api.pay(**sent).json.keys()


def test_what_a_shop_sends_is_given_back_and_kept_through_a_payments_life(api: Wire) -> None:
    client = api.as_key("snd_whole_0123456789")
    address = {"address": {"line1": "1 Street", "country": "DE"}, "phone": {"number": "1"}, "email": "jo@shop.example"}
    sent: dict[str, Any] = {
        **SAVES,
        "billing": address,
        "shipping": address,
        "order_details": [{"product_name": "Tea", "quantity": 1, "amount": 6540, "brand": "Leaf"}],
        "browser_info": {"color_depth": 24, "java_enabled": True, "language": "de", "ip_address": "203.0.113.7"},
        "surcharge_details": {"surcharge_amount": 10, "tax_amount": 1},
        "connector_metadata": {"noon": {"order_category": "tea"}},
        "split_payments": {
            "stripe_split_payment": {
                "charge_type": {"Stripe": "direct"},
                "application_fees": 1,
                "transfer_account_id": "acct_1",
            }
        },
        "capture_method": "manual",
        "request_incremental_authorization": True,
        "request_extended_authorization": True,
    }
    path = f"/payments/{client.pay(**sent)['payment_id']}"
    assert client.post(f"{path}/incremental_authorization", {"amount": 9000})["authorization_count"] == 1
    assert client.post(f"{path}/extend_authorization", {})["extended_authorization_applied"]
    assert client.post(f"{path}/capture", {})["status"] == "succeeded"
    assert (
        client.post(f"{path}/cancel_post_capture", {})["state_metadata"]["post_capture_void"]["status"] == "succeeded"
    )
    held_back = client.pay("visa_review")
    assert held_back["frm_message"]["frm_status"] == "manual_review"
    assert client.post(f"/payments/{held_back['payment_id']}/approve", {})["merchant_decision"] == "approved"


def test_an_update_of_metadata_has_a_short_answer(api: Wire) -> None:
    answer = api.post(f"/payments/{api.pay()['payment_id']}/update_metadata", {"metadata": {"a": "b"}}).json
    assert (answer["metadata"], answer["status"]) == ({"a": "b"}, "succeeded")


METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "paypal": ("USD", {"wallet": {"paypal_redirect": {}}}),
    "google_pay": ("USD", {"wallet": {"google_pay": {"info": {"card_network": "VISA", "card_details": "1111"}}}}),
    "apple_pay": ("USD", {"wallet": {"apple_pay": {"payment_method": {"display_name": "Visa 0326", "network": 7}}}}),
    "we_chat_pay": ("USD", {"wallet": {"we_chat_pay_qr": {}}}),
    "klarna": ("EUR", {"pay_later": {"klarna_redirect": {"billing_country": "DE"}}}),
    "ideal": ("EUR", {"bank_redirect": {"ideal": {"bank_name": "ing", "country": "NL"}}}),
    "bancontact_card": (
        "EUR",
        {
            "bank_redirect": {
                "bancontact_card": {
                    "card_number": "4242424242424242",
                    "card_exp_month": "03",
                    "card_exp_year": "2035",
                    "card_holder_name": "Jo",
                }
            }
        },
    ),
    "giropay": ("EUR", {"bank_redirect": {"giropay": {"bank_account_iban": "DE89370400440532013000"}}}),
    "pix": ("BRL", {"bank_transfer": {"pix": {"cpf": "12345678901"}}}),
    "ach": ("USD", {"bank_transfer": {"ach_bank_transfer": {}}}),
    "sepa_bank_transfer": ("EUR", {"bank_transfer": {"sepa_bank_transfer": {}}}),
    "bacs": ("GBP", {"bank_transfer": {"bacs_bank_transfer": {}}}),
    "multibanco": ("EUR", {"bank_transfer": {"multibanco_bank_transfer": {}}}),
    "boleto": ("BRL", {"voucher": {"boleto": {"social_security_number": "12345678901"}}}),
    "upi_collect": ("INR", {"upi": {"upi_collect": {"vpa_id": "success@upi"}}}),
    "upi_intent": ("INR", {"upi": {"upi_intent": {}}}),
}


@pytest.mark.parametrize("type_", METHODS)
def test_every_method(api: Wire, type_: str) -> None:
    currency, data = METHODS[type_]
    (group,) = data
    asked = {
        "amount": 1000,
        "currency": currency,
        "profile_id": "pro_1",
        "confirm": True,
        "payment_method": group,
        "payment_method_type": type_,
        "payment_method_data": data,
        "return_url": "https://shop.example/done",
        "email": "jo@shop.example",
        "billing": {"address": {"country": "DE"}, "email": "jo@shop.example"},
    }
    payment = api.post("/payments", asked).json
    assert (payment["payment_method"], payment["payment_method_type"]) == (group, type_)
    assert [*payment["payment_method_data"]] in ([group, "billing"], ["billing", group])
    assert payment["status"] in ("requires_customer_action", "succeeded")


# what belongs to payments


def test_refunds_and_disputes(api: Wire) -> None:
    payment = api.pay()["payment_id"]
    refund = api.post("/refunds", {"payment_id": payment, "amount": 100})["refund_id"]
    api.post(f"/refunds/{refund}", {"metadata": {"a": 1}})
    assert api.get(f"/refunds/{refund}")["metadata"] == {"a": 1}
    assert api.post("/refunds/list", {"payment_id": payment})["count"] == 1
    dispute = api.post(f"/_sandbox/payments/{payment}/dispute", {"reason": "fraudulent"})["dispute_id"]
    assert [one["dispute_id"] for one in api.get("/disputes/list").json] == [dispute]
    assert api.get(f"/payments/{payment}")["disputes"][0]["dispute_id"] == dispute
    assert api.post(f"/disputes/accept/{dispute}")["dispute_status"] == "dispute_accepted"
    kinds = {event["event_type"] for event in api.get("/_sandbox/webhooks?limit=100")["data"]}
    assert kinds >= {"payment_succeeded", "refund_succeeded", "dispute_opened"}


def test_customers_their_methods_and_mandates(api: Wire) -> None:
    made = api.post("/customers", {"customer_id": "cus_1", "name": "Jo", "metadata": {"a": "b"}}).json
    assert made["ephemeral_key"]["merchant_id"] == api.post("/ephemeral_keys", {"customer_id": "cus_1"})["merchant_id"]
    saved = api.pay(**SAVES)["payment_method_id"]
    (offered,) = api.get("/customers/cus_1/payment_methods")["customer_payment_methods"]
    assert offered["payment_method_id"] == saved
    assert api.get(f"/payment_methods/{saved}")["card"]["card_network"] == "Visa"
    api.post(f"/customers/cus_1/payment_methods/{saved}/default")
    terms: dict[str, Any] = {**ACCEPTED, "mandate_type": {"multi_use": {"amount": 100_000, "currency": "USD"}}}
    mandate = api.pay(**{**SAVES, "mandate_data": terms})["mandate_id"]
    assert [one["mandate_id"] for one in api.get("/customers/cus_1/mandates").json] == [mandate]
    assert api.get(f"/mandates/{mandate}")["card"]["card_exp_month"] == "03"
    assert api.get("/mandates/list").json
    assert api.post(f"/mandates/revoke/{mandate}")["status"] == "revoked"
    assert "mandate_revoked" in {one["event_type"] for one in api.get("/_sandbox/webhooks?limit=100")["data"]}
    assert [one["customer_id"] for one in api.get("/customers/list").json] == ["cus_1"]
    assert api.get("/customers/list_with_count")["total_count"] == 1
    assert api.delete("/customers/cus_1")["customer_deleted"]


def test_a_card_of_a_network_that_nobody_knows(api: Wire) -> None:
    card = api.pay("9999999999999995")["payment_method_data"]["card"]
    assert card["card_network"] is None


# what a merchant sets up


def test_profiles_and_connectors(api: Wire) -> None:
    merchant = api.pay()["merchant_id"]
    hook = {"webhook_url": "https://shop.example/hook", "refund_statuses_enabled": ["failed"]}
    headers = {"Shop": "long-secret"}
    asked = {"profile_name": "two", "webhook_details": hook, "outgoing_webhook_custom_http_headers": headers}
    profile = api.post(f"/account/{merchant}/business_profile", asked).json
    assert profile["outgoing_webhook_custom_http_headers"] == {"Shop": "lo*******et"}
    assert profile["webhook_details"]["refund_statuses_enabled"] == ["failed"]
    assert "requires_customer_action" in profile["webhook_details"]["payment_statuses_enabled"]
    assert profile in api.get(f"/account/{merchant}/business_profile").json
    connector = {
        "connector_type": "payment_processor",
        "connector_name": "stripe",
        "connector_account_details": {"auth_type": "HeaderKey", "api_key": "x"},
    }
    api.post(f"/account/{merchant}/connectors", connector)
    (listed,) = api.get(f"/account/{merchant}/connectors").json
    assert not {"connector_account_details", "connector_wallets_details", "metadata"} & listed.keys()


def test_accounts_and_keys(api: Wire) -> None:
    admin = api.as_key("test_admin")
    merchant = admin.post("/accounts", {"merchant_id": "mer_shop"}).json
    assert (merchant["merchant_account_type"], merchant["product_type"]) == ("standard", "orchestration")
    key = admin.post("/api_keys/mer_shop", {"name": "one", "expiration": "never"})["key_id"]
    assert key.startswith("snd_")
    assert admin.get(f"/api_keys/mer_shop/{key}")["prefix"].startswith("snd_")
    assert [one["key_id"] for one in admin.get("/api_keys/mer_shop/list").json] == [key]


def test_the_blocklist_and_the_health(api: Wire) -> None:
    api.post("/blocklist", {"type": "card_bin", "data": "601100"})
    assert api.get("/blocklist?data_kind=card_bin").json[0]["fingerprint_id"] == "601100"
    for key in (api.key, None, "nobody", "", "prd_1234567890", "pk_snd_unused_1234", "snd_x"):
        answer = api.as_key(key).get("/health")
        assert (answer.status, answer.raw) == (200, b"health is good")
        assert "X-Request-Id" in answer.headers


# lists


def test_payments_are_read_from_one_to_the_next(api: Wire) -> None:
    client = api.as_key("snd_lists_0123456789")
    newest = [client.pay()["payment_id"] for _ in range(7)][::-1]

    def read(asked: str) -> list[int]:
        answer = client.get(f"/payments/list?{asked}").json
        assert answer["size"] == len(answer["data"])
        return [newest.index(one["payment_id"]) for one in answer["data"]]

    assert read("limit=3") == [0, 1, 2]
    assert read(f"limit=3&starting_after={newest[2]}") == [3, 4, 5]
    assert read(f"limit=3&starting_after={newest[5]}") == [6]
    assert read(f"limit=2&ending_before={newest[4]}") == [2, 3]
    assert read(f"starting_after={newest[1]}&ending_before={newest[4]}") == [2, 3]
    assert read(f"ending_before={newest[1]}&starting_after={newest[4]}") == []
    assert client.get("/payments/list?starting_after=pay_none").error["code"] == "HE_02"


def test_payments_are_read_between_two_instants(api: Wire) -> None:
    clock = ManualClock()
    client = wire(dialect=HYPERSWITCH, clock=clock)
    made = []
    for _ in range(3):
        made.append(client.pay().json)
        clock.advance(1000)
    middle = made[1]["created"]
    found = {
        "created": [1],
        "created.lt": [0],
        "created.lte": [1, 0],
        "created_gt": [2],
        "created.gte": [2, 1],
    }
    for name, places in found.items():
        shown = client.get(f"/payments/list?{name}={middle}")["data"]
        assert [one["payment_id"] for one in shown] == [made[place]["payment_id"] for place in places], name


def test_the_longest_page_is_fifty_in_a_body_and_a_hundred_in_a_query(api: Wire) -> None:
    assert api.post("/payments/list", {"limit": 51}).status in (400, 422)
    assert api.get("/payments/list?limit=100").status == 200
