"""Which fields `when` can lead to, as the checker knows them: held against real payments and what rules see of them."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.contract.requests.payments.body import PLACES
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.domain.outcomes import DecisionRequest
from mock_server.scenario.conditions.fields import RECORDS
from mock_server.scenario.conditions.paths import ABSENT, HIDDEN, ROOTS, compile_path
from mock_server.scenario.loading.load import load_text
from mock_server.scenario.model.mistakes import ScenarioErrors
from tests.api.test_public_fields import SENT
from tests.wire import KEY, Wire, wire

SORTS: Final = (
    "card",
    5,
    True,
    ["card"],
    {"a": "b"},
    [{"a": "b"}],
    "2026-01-01T00:00:00Z",
    "in_store",
    "ecommerce",
    "exempt",
    "DE",
    "redirect_to_url",
    "requeue",
)
"""Values of every sort: whatever a field is, one of them is taken."""
OF_A_KIND: Final[dict[str, Any]] = {
    "shipping": {"address": {"city": "Berlin"}},
    "billing": {"address": {"city": "Berlin"}},
    "surcharge_details": {"surcharge_amount": 100},
    "billing_descriptor": {"city": "Berlin"},
    "installment_data": {"number_of_installments": 3, "billing_frequency": "month"},
    "installment_options": [{"payment_method": "card", "installments": []}],
    "partner_merchant_identifier_details": {"partner_details": {"name": "Shop"}},
    "payment_link_config": {"theme": "#fff"},
    "order_details": [{"product_name": "Book", "quantity": 1, "amount": 6540}],
    "browser_info": {"language": "en"},
    "allowed_payment_method_types": ["credit"],
    "mit_category": "recurring",
    "tokenization": "skip_psp",
    **SENT,
}
UNCONFIRMED: Final[dict[str, Any]] = {"payment_link": True, "retry_action": "requeue"}
"""What a payment that is confirmed at once cannot have."""


def sent_with(api: Wire, name: str) -> Any:
    """A payment with a field of this name, as it was answered."""
    if name in UNCONFIRMED:
        made = api.pay(confirm=False)
        return api.post(f"/payments/{made['payment_id']}", {name: UNCONFIRMED[name]}).json
    tried = [OF_A_KIND[name]] if name in OF_A_KIND else list(SORTS)
    for value in tried:
        answer = api.pay(**dict[str, Any]({name: value}))
        if answer.status != 200:  # a few fields are an update's alone
            made = api.post("/payments", {"amount": 6540, "currency": "USD", "profile_id": "pro_shop"})
            answer = api.post(f"/payments/{made['payment_id']}", {name: value})
        if answer.status == 200:
            return answer.json
    raise AssertionError(f"{name}: none of {tried} is taken, at last {answer.json}")


def seen(api: Wire, payment_id: str, path: str) -> object:
    key = parse(KEY)
    assert isinstance(key, ApiKey)
    payment = api.sandbox.workspace(key).find_payment(payment_id)
    request = DecisionRequest(names=("charge",), operation="payments.create", now=0, records={"payment": payment})
    return compile_path(path).read(request)


def refused(path: str) -> bool:
    on = "refunds.create" if path.startswith("refund.") else "charge"
    text = f"rules: [{{on: {on}, when: {{{path}: {{exists: true}}}}, then: {{outcome: failed}}}}]"
    try:
        load_text(text, "a.yaml")
    except ScenarioErrors:
        return True
    return False


@pytest.mark.parametrize("name", sorted(PLACES.echoed))
def test_a_field_that_is_given_back_is_known_and_seen(name: str) -> None:
    api = wire()
    payment = sent_with(api, name)
    assert payment[name] is not None
    assert seen(api, payment["payment_id"], f"payment.{name}") is not ABSENT
    assert not refused(f"payment.{name}")


def test_of_a_real_payment_all_that_is_seen_is_known_and_nothing_else() -> None:
    """Every field of an answer, whether a rule can see it or not."""
    api = wire()
    address = {"address": {"city": "Berlin"}}
    shown = api.pay(
        "visa_3ds_required", customer_id="cus_anna", email="a@example.com", metadata={"a": "b"}, billing=address,
        description="A book", return_url="https://shop.example.com", merchant_order_reference_id="order-1",
    )  # fmt: skip
    assert shown.status == 200
    visible = {name for name in shown.json if seen(api, shown["payment_id"], f"payment.{name}") is not ABSENT}
    assert {"status", "amount", "created", "expires_on", "billing", "description", "metadata"} <= visible
    assert [name for name in sorted(visible) if refused(f"payment.{name}")] == []


def test_a_field_that_only_the_request_has_is_refused() -> None:
    api = wire()
    answer = api.pay(all_keys_required=True)
    assert answer.status == 200
    assert seen(api, answer["payment_id"], "payment.all_keys_required") is ABSENT
    assert refused("payment.all_keys_required")


@pytest.mark.parametrize("name", sorted(HIDDEN))
def test_what_no_path_leads_to_is_refused(name: str) -> None:
    api = wire()
    assert seen(api, api.pay()["payment_id"], f"payment.{name}") is ABSENT
    assert refused(f"payment.{name}")


def test_a_rule_matches_by_what_is_only_given_back() -> None:
    api = wire()
    text = "rules: [{on: charge, when: {payment.split_payments.plan: 3}, then: {decline: lost_card}}]"
    put = api.call("PUT", "/_sandbox/scenarios/plan", raw=text.encode(), headers={"Content-Type": "application/yaml"})
    assert put["warnings"] == []
    api.post("/_sandbox/scenarios/plan/activate")
    assert api.pay(split_payments={"plan": 3})["status"] == "failed"
    assert api.pay(split_payments={"plan": 4})["status"] == "succeeded"


def test_every_record_that_a_path_begins_in_has_known_fields() -> None:
    assert set(RECORDS) - {"calls"} == set(ROOTS) - {"body", "query"}
    assert refused("refund.statsu")
    assert not refused("refund.status")
