"""A browser repeats a call whose connection broke by itself, also a payment: as the reference and the guide say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.browser.customer import Customer, until
from tests.browser.merchant import Merchant
from tests.browser.till import Till
from tests.examples.test_repeating_clients import FAULTS, LOST, told
from tests.wire import card_payment

PAYS = """async ([key, order]) => {
  const headers = {"api-key": key, "Content-Type": "application/json"};
  await (await fetch("/payments/list", {headers})).text();  // from here on, the connection was used before
  try { await (await fetch("/payments", {method: "POST", headers, body: order})).json(); return "whole"; }
  catch { return "error"; }
}"""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_page_that_pays_sees_what_the_table_says(
    merchant: Merchant, customer: Customer, base: str, fault: str
) -> None:
    merchant.post("/_sandbox/next", {"on": "payments.create", "then": {"fault": fault, "effect": "kept"}})
    customer.page.goto(f"{base}/_sandbox/livez")
    seen = customer.page.evaluate(PAYS, [merchant.key.text, json.dumps(card_payment())])
    repeats = fault in told("Chromium")
    assert (seen, fault in LOST) == (("whole" if repeats else "error"), repeats)
    calls: list[Any] = merchant.get("/_sandbox/journal?operation=payments.create")["data"]
    assert len(calls) == 1 + repeats
    customer.alarms.clear()  # the browser's console tells of the connection


@pytest.mark.parametrize(
    ("effect", "times", "says", "status"),
    [
        ("kept", "times: 1, ", "which does not allow this action: confirm", "succeeded"),
        ("none", "times: 1, ", "succeeded", "succeeded"),
        ("none", "", "", "requires_payment_method"),
    ],
)
def test_a_lost_confirmation_ends_as_the_guide_says(
    till: Till, effect: str, times: str, says: str, status: str
) -> None:
    rule = f"{{on: payments.confirm, {times}then: {{fault: connection_reset, effect: {effect}}}}}"
    till.merchant.activate("broken", f"version: 1\nname: broken\nrules: [{rule}]\n")
    till.order()
    till.open()
    till.type_card("4242424242424242")
    if says:
        till.pay()
        until(till.page, "says => document.getElementById('said').innerText.includes(says)", says)
    else:
        with till.page.expect_response(
            lambda answer: answer.request.method == "GET" and till.payment["payment_id"] in answer.url
        ):
            till.pay()
        assert till.page.evaluate("said.length") == 0
    assert till.status() == status
    till.customer.alarms.clear()  # the browser's console tells of the connection
