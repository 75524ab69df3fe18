"""Every method through every ending that it can have, over HTTP (interface §4.2; decisions "The other methods")."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from mock_server.domain.methods import METHODS, NEXT_ACTIONS, PAYLOADS, Flow, Method
from mock_server.domain.outcomes import Challenge, OutcomeStatus
from mock_server.engine.payments import settle
from tests.api.paying import EXPECTED, pay
from tests.api.places import authenticate, settles, workspace
from tests.sandbox.workspaces import carry_out
from tests.wire import Wire

SAME_ANSWER_ON_PURPOSE = {
    frozenset({("card", "credit"), ("card", "debit"), ("wallet", "samsung_pay")}): "a token is charged like a card",
    frozenset({("wallet", "apple_pay"), ("wallet", "google_pay")}): "a token is charged like a card, with an identity",
    frozenset(
        {("pay_later", "klarna"), ("pay_later", "affirm"), ("pay_later", "afterpay_clearpay")}
    ): "one hosted page each",
    frozenset(
        {("bank_redirect", t) for t in ("ideal", "sofort", "bancontact", "eps", "giropay")} | {("wallet", "paypal")}
    ): "one hosted page each",
}

pair = pytest.mark.parametrize("method", METHODS, ids=lambda row: f"{row.category}-{row.type}")


def deep(value: object, name: str) -> object:
    """The value under a name, at any depth."""
    if isinstance(value, dict):
        if name in value:
            return value[name]
        return next((found for item in value.values() if (found := deep(item, name)) is not None), None)
    return None


def test_the_table_is_the_interfaces() -> None:
    assert {(row.category, row.type) for row in METHODS} == set(EXPECTED) and len(EXPECTED) == 24


@pair
def test_a_payment_shows_what_the_customer_must_do(api: Wire, method: Method) -> None:
    expected, reply = EXPECTED[method.category, method.type], pay(api, method)
    assert reply.status == 200, reply.raw
    assert reply["status"] == expected.status
    action = reply["next_action"]
    if not expected.siblings:
        assert action is None
        return
    assert set(action) - {"type"} == expected.siblings and action["type"] == NEXT_ACTIONS.get(method.flow)
    assert re.fullmatch(expected.form, str(deep(action, expected.value))), deep(action, expected.value)


@pair
@pytest.mark.parametrize("result", [result for result in Challenge if result is not Challenge.ABANDONED])
def test_every_page_ends_as_its_customer_ends_it(api: Wire, method: Method, result: Challenge) -> None:
    if EXPECTED[method.category, method.type].status == "succeeded":
        reply = (
            api.pay("visa_3ds_required")
            if method.category == "card"
            else pay(api, method, authentication_type="three_ds")
        )
        if reply["status"] == "succeeded":
            return  # a token that the wallet has authenticated already
    else:
        reply = pay(api, method)
    authenticate(api, reply["payment_id"], result)
    ended = api.get(f"/payments/{reply['payment_id']}")
    approved = "pending" if method.asynchronous else "succeeded"
    assert ended["status"] == (approved if result is Challenge.APPROVED else "failed")
    assert (ended["error_code"] is None) is (result is Challenge.APPROVED) and ended["next_action"] is None


@pair
def test_an_asynchronous_method_goes_through_pending(api: Wire, method: Method) -> None:
    payment = pay(api, method)["payment_id"]
    if not method.asynchronous:
        return
    settles(api, payment, OutcomeStatus.PENDING)
    assert api.get(f"/payments/{payment}")["status"] == "pending"
    settles(api, payment, OutcomeStatus.SUCCEEDED)
    paid = api.get(f"/payments/{payment}")
    assert (paid["status"], paid["amount_received"]) == ("succeeded", 6540)


@pair
def test_the_customers_time_ends(api: Wire, method: Method) -> None:
    reply = pay(api, method)
    if reply["status"] != "requires_action":
        return
    carry_out(workspace(api), settle.expire_customer, reply["payment_id"])
    assert api.get(f"/payments/{reply['payment_id']}")["status"] == "expired"


@pytest.mark.parametrize("row", PAYLOADS, ids=lambda row: f"{row.group}.{row.name}")
def test_every_payload_name_is_taken_and_shown_in_the_interfaces_words(api: Wire, row: Any) -> None:
    data: Any = {"vpa_id": "success@upi"} if "vpa_id" in row.required else {"token": "t"} if row.fields is None else {}
    method = next(one for one in METHODS if (one.category, one.type) == (row.category, row.type))
    reply = pay(api, method, payment_method_data={row.group: {row.name: data}})
    assert reply.status == 200, reply.raw
    assert set(reply["payment_method_data"][row.category]) == {row.type}
    paid_at_once = row.flow is Flow.CHARGE
    assert (reply["status"] == "succeeded") is paid_at_once


def test_no_two_methods_answer_alike_unless_the_table_says_why(api: Wire) -> None:
    seen: dict[str, set[tuple[str, str]]] = {}
    for method in METHODS:
        answer = pay(api, method).json
        shown = json.dumps([answer["status"], _shape(answer["next_action"]), method.needs], sort_keys=True)
        seen.setdefault(shown, set()).add((method.category, method.type))
    for alike in seen.values():
        assert len(alike) == 1 or any(alike <= group for group in SAME_ANSWER_ON_PURPOSE), alike


def _shape(value: object) -> object:
    """An answer without the values that differ by payment."""
    if isinstance(value, dict):
        return {key: _shape(item) for key, item in value.items()}
    return (
        value
        if value in ("redirect_to_url", None) or (isinstance(value, str) and "#" in value)
        else type(value).__name__
    )
