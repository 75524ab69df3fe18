"""Details in which the public server differs: what is required, what is shown, what is refused (facts §1, §2)."""

from __future__ import annotations

from base64 import b64decode, b64encode
from itertools import product
from types import SimpleNamespace
from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.hyperswitch.methods import CATEGORY, TYPE
from mock_server.dialects.hyperswitch.words import WORD_LISTS
from mock_server.domain.methods import ALL_METHODS, Method
from tests.counts import times
from tests.wire import Reply, Wire, card_payment, wire

PAYS: Final = {"amount": 6540, "currency": "USD"}
MISSING: Final = "Json deserialize error: missing field `{}`"


@pytest.fixture(scope="module")
def merchant(api: Wire) -> str:
    return str(api.post("/payments", PAYS)["merchant_id"])


def told(reply: Reply) -> tuple[int, str, str]:
    return reply.status, reply.error["code"], reply.error["message"]


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/accounts", {"merchant_name": "Shop"}, "merchant_id"),
        ("/api_keys/{merchant}", {"name": "key"}, "expiration"),
        ("/account/{merchant}/connectors", {"connector_name": "stripe_test"}, "connector_type"),
    ],
)
def test_what_a_set_up_requires(api: Wire, merchant: str, path: str, body: Any, field: str) -> None:
    reply = api.as_key("an_admin").post(path.format(merchant=merchant), body)
    assert told(reply) == (400, "IR_06", MISSING.format(field))
    assert "error_type" in reply.error


def test_session_tokens_say_which_wallets(api: Wire) -> None:
    made = api.post("/payments", PAYS)
    body = {"payment_id": made["payment_id"], "client_secret": made["client_secret"]}
    assert told(api.page().post("/payments/session_tokens", body)) == (400, "IR_06", MISSING.format("wallets"))
    assert api.page().post("/payments/session_tokens", {**body, "wallets": []}).status == 200


def test_every_connector_that_the_public_list_has(api: Wire, merchant: str) -> None:
    admin, path = api.as_key("an_admin"), f"/account/{merchant}/connectors"
    for name in (*WORD_LISTS["Connector"], "stripe_test", "anything_test", "payment_sandbox"):
        body = {"connector_type": "payment_processor", "connector_name": name}
        assert admin.post(path, body)["connector_name"] == name


@pytest.mark.parametrize("name", ["stripee", "nobody", "Stripe", ""])
def test_a_connector_that_it_has_not(api: Wire, merchant: str, name: str) -> None:
    body = {"connector_type": "payment_processor", "connector_name": name}
    reply = api.as_key("an_admin").post(f"/account/{merchant}/connectors", body)
    assert reply.error["message"].startswith(f"Json deserialize error: unknown variant `{name}`, expected one of `")
    assert ("did you mean stripe" in reply.headers["X-Sandbox-Because"]) is (name.lower().startswith("stripe"))
    assert wire().as_key("an_admin").post("/accounts", {"merchant_id": "mer_a"}).status == 200


QUERY: Final = (
    "offset",
    "status",
    "currency",
    "payment_method",
    "profile_id",
    "start_time",
    "amount_filter",
    "nonsense",
)


@pytest.mark.parametrize("name", QUERY)
def test_a_list_by_query_knows_few_parameters(api: Wire, name: str) -> None:
    assert api.get(f"/payments/list?{name}=1").raw.startswith(b"Query deserialize error: unknown field")
    for known in ("limit=1", "customer_id=cus_1", "created.gte=2026-01-01T00:00:00Z"):
        assert api.get(f"/payments/list?{known}").status == 200


@pytest.mark.parametrize(
    ("confirm", "capturable"), [({}, 6540), ({"confirm": False}, 0), ({"confirm": None}, 6540)], ids=str
)
def test_what_can_be_captured_before_a_confirmation(api: Wire, confirm: dict[str, Any], capturable: int) -> None:
    made = api.post("/payments", card_payment(capture_method="manual", **confirm))
    assert made["amount_capturable"] == capturable
    path = f"/payments/{made['payment_id']}"
    assert api.get(path)["amount_capturable"] == capturable
    assert api.post(path, {"description": "later"})["amount_capturable"] == capturable
    confirmed = api.post(f"{path}/confirm", {})
    assert (confirmed["status"], confirmed["amount_capturable"]) == ("requires_capture", 6540)


def test_a_descriptor_has_all_its_keys(api: Wire) -> None:
    keys = ["name", "city", "phone", "statement_descriptor", "statement_descriptor_suffix", "reference"]
    made = api.post("/payments", {**PAYS, "billing_descriptor": {"city": "Berlin"}})
    assert made["billing_descriptor"] == {**dict.fromkeys(keys), "city": "Berlin"}
    assert api.post("/payments", PAYS)["billing_descriptor"] is None


@pytest.mark.parametrize("value", ["x", "abcd", "abcde", "a much longer value of a header"])
def test_masked_headers_keep_their_length(api: Wire, merchant: str, value: str) -> None:
    body = {"outgoing_webhook_custom_http_headers": {"X-Own": value}}
    (profile, *_) = api.get(f"/account/{merchant}/business_profile").json
    path = f"/account/{merchant}/business_profile/{profile['profile_id']}"
    shown = api.post(path, body)["outgoing_webhook_custom_http_headers"]["X-Own"]
    assert len(shown) == len(value)
    assert shown.strip("*") in ("", value[:2] + "*" * (len(value) - 4) + value[-2:])


def test_a_cards_type_is_in_capitals(api: Wire) -> None:
    assert api.pay()["payment_method_data"]["card"]["card_type"] == "CREDIT"
    assert wire().pay()["payment_method_data"]["card"]["card_type"] == "credit"


def test_evidence_without_a_boundary(api: Wire) -> None:
    reply = api.call("PUT", "/disputes/evidence", raw=b"x", headers={"Content-Type": "multipart/form-data"})
    assert told(reply) == (400, "IR_04", "Missing required param: boundary")


def test_connectors_of_a_profile(api: Wire, merchant: str) -> None:
    path = f"/account/{merchant}/profile/connectors"
    assert api.as_key("an_admin").get(path).json == api.as_key("an_admin").get(f"/account/{merchant}/connectors").json


def parts_of(authorization: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in b64decode(authorization).decode().split(","))


def encoded(parts: dict[str, str]) -> str:
    return b64encode(",".join(f"{name}={value}" for name, value in parts.items()).encode()).decode()


def test_an_authorization_carries_ids_and_cannot_be_changed(api: Wire) -> None:
    made = api.post("/payments", {**PAYS, "customer_id": "cus_1", "metadata": {"profile_id": "pro_other"}})
    other = api.post("/payments", PAYS)
    parts = parts_of(made["sdk_authorization"])
    carried = {"client_secret", "profile_id", "customer_id"}
    assert {name: parts[name] for name in carried} == {name: made[name] for name in carried}
    assert parts["payment_session_id"] == made["payment_id"]
    path, page = f"/payments/{made['payment_id']}", api.as_key(None)
    assert page.get(path, Authorization=made["sdk_authorization"]).status == 200
    plain = encoded({name: parts[name] for name in ("publishable_key", "client_secret")})
    assert page.get(path, Authorization=plain).status == 200
    for name in parts.keys() - {"publishable_key"}:
        changed = page.get(path, Authorization=encoded({**parts, name: f"{parts[name]}x"}))
        assert told(changed) == (401, "IR_01", "API key not provided or invalid API key used"), name
    unsigned = {name: value for name, value in parts.items() if name != "signature"}
    assert page.get(path, Authorization=encoded(unsigned)).status == 401
    wrong = other["client_secret"]
    assert page.get(f"{path}?client_secret={wrong}", Authorization=made["sdk_authorization"]).status == 200
    body = {"client_secret": wrong, "description": "x"}
    assert page.post(path, body, Authorization=made["sdk_authorization"]).status == 200


def test_a_repeated_answer_has_the_same_authorization(api: Wire) -> None:
    first, again = (api.post("/payments", {**PAYS, "customer_id": "cus_2"}, X_Idempotency_Key="k") for _ in range(2))
    assert first.raw == again.raw
    assert "customer_id" in parts_of(again["sdk_authorization"])


LOCAL: Final = [row for row in ALL_METHODS if row.currencies]


@pytest.mark.parametrize("row", [*LOCAL[:1], *LOCAL[1 :: times(5, soak=1)]], ids=lambda row: row.type)
def test_a_method_is_offered_only_where_it_is_used(row: Method) -> None:
    api = wire(dialect=HYPERSWITCH)
    record = SimpleNamespace(payment_method=row.category, payment_method_type=row.type)
    named = CATEGORY(record), TYPE(record)
    abroad = next(code for code in ("US", "NL") if code not in row.countries)
    other = next(code for code in ("USD", "EUR", "XPF") if code not in row.currencies)
    for currency, country in product((*row.currencies, other), (*row.countries[:2], abroad, None)):
        billing = {"address": {"country": country}} if country else {}
        made = api.post("/payments", {"amount": 6540, "currency": currency, "billing": billing})
        asked = f"?client_secret={made['client_secret']}"
        listed = api.page().get(f"/account/payment_methods{asked}")["payment_methods"]
        offered = {
            (group["payment_method"], one["payment_method_type"])
            for group in listed
            for one in group["payment_method_types"]
        }
        there = currency in row.currencies and (not row.countries or country is None or country in row.countries)
        assert (named in offered) is there, (currency, country)
