"""Where a rule answers a call, a story's keys are checked as elsewhere; only an answer that it writes can have any."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.scenario.loading.load import load_mapping
from mock_server.scenario.model.mistakes import ScenarioErrors

SENT: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "payments.create": ({"amount": 100, "currency": "EUR"}, "status"),
    "refunds.create": ({"payment_id": "pay_1", "amount": 100}, "status"),
    "customers.create": ({"customer_id": "cus_1", "email": "a@example.com"}, "customer_id"),
    "payments.list": ({"limit": 10}, "total_count"),
}
RULES: Final[dict[str, dict[str, Any]]] = {
    "none": {},
    "error": {"error": "HE_00"},
    "error with a text": {"error": {"code": "HE_00", "status": 503, "message": "later"}, "effect": "kept"},
    "delay": {"delay": "1s"},
    "respond": {"respond": {"status": 200, "body": {"mine": 1}}},
}


def said(operation: str, then: dict[str, Any], sent: dict[str, Any], see: dict[str, Any]) -> str:
    rules = [{"on": operation, "then": then}] if then else []
    try:
        load_mapping({"rules": rules, "story": [{"do": operation, "with": sent, "see": see}]})
    except ScenarioErrors as found:
        return str(found)
    return ""


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("operation", SENT)
def test_a_misspelled_key_is_found_whoever_answers(operation: str, rule: str) -> None:
    sent, seen = SENT[operation]
    then, is_own = RULES[rule], rule == "respond"
    assert said(operation, then, sent, {"http": 503, seen: {"exists": True}, "error.message": "later"}) == ""
    for key in sent:
        assert f"has no field {key}x" in said(operation, then, {**sent, f"{key}x": 1}, {"http": 200}), key
    for key in (f"{seen}x", "error.mesage"):
        assert (f"has no field {key.rpartition('.')[2]}" in said(operation, then, sent, {key: "y"})) is not is_own
    assert (said(operation, then, sent, {"mine": 1}) == "") is is_own
