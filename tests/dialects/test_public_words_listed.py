"""What lists a status's words in the public dialect lists all of the public API's, also those of what never happens."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.api.money_places import fine
from tests.dialects import public_facts
from tests.openapi.agreeing import plain
from tests.wire import Wire

PAYMENTS, REFUNDS, DISPUTES = (
    set(public_facts.words("IntentStatus")),
    {"succeeded", "failed", "pending", "review"},
    {f"dispute_{end}" for end in ("opened", "expired", "accepted", "cancelled", "challenged", "won", "lost")},
)
LISTED: Final[dict[str, tuple[set[str], str, str]]] = {
    "POST /payments/filter": (PAYMENTS, "status", "status"),
    "GET /payments/v2/filter": (PAYMENTS, "status", "status"),
    "POST /refunds/filter": (REFUNDS, "refund_status", "refund_status"),
    "GET /refunds/v2/filter": (REFUNDS, "refund_status", "refund_status"),
    "GET /disputes/filter": (DISPUTES, "dispute_status", "dispute_status"),
    "GET /payments/aggregate": (PAYMENTS, "status_with_count", "status"),
    "GET /payments/profile/aggregate": (PAYMENTS, "status_with_count", "status"),
    "GET /refunds/aggregate": (REFUNDS, "status_with_count", "refund_status"),
    "GET /disputes/aggregate": (DISPUTES, "status_with_count", "dispute_status"),
}
"""A route, the words that it lists, where, and the filter that takes them."""
DOCUMENTED: Final = {"PaymentStatus": PAYMENTS, "RefundStatus": REFUNDS, "DisputeStatus": DISPUTES}
"""By the schema of the OpenAPI document."""


@pytest.mark.parametrize("route", LISTED)
def test_each_word_is_listed_and_can_be_asked_for(api: Wire, route: str) -> None:
    words, field, asked = LISTED[route]
    method, _, path = route.partition(" ")
    answer = fine(api.call(method, path, {} if method == "POST" else None))
    listed = answer[field]
    assert set(listed) == words
    assert len(listed) == len(words)
    kind = path.split("/")[1]
    for word in words:
        if kind == "disputes":
            assert fine(api.get(f"/disputes/list?{asked}={word}")).json == []
        else:
            assert fine(api.post(f"/{kind}/list", {asked: [word]}))["data"] == []


def test_each_place_of_the_document_lists_them() -> None:
    document = plain(HYPERSWITCH.name)
    schemas = document["components"]["schemas"]
    assert {name: set(schemas[name]["enum"]) for name in DOCUMENTED} == DOCUMENTED
    places = {
        at: words for at, words in _lists(document) if {"requires_customer_action", "requires_confirmation"} <= {*words}
    }
    lacking = {at: PAYMENTS - set(words) for at, words in places.items() if PAYMENTS - set(words)}
    assert len(places) > len(lacking) + 3
    assert {at for at in lacking if "/schemas/Scenario" not in at} == set(), "a scenario's words are what can happen"


def _lists(node: Any, at: str = "") -> list[tuple[str, list[str]]]:
    """Each list of words in a document, and the names of each of its objects with properties, with its place."""
    if isinstance(node, list):
        return [found for number, one in enumerate(node) for found in _lists(one, f"{at}/{number}")]
    if not isinstance(node, dict):
        return []
    own = [(at, [*map(str, node["enum"])])] if isinstance(node.get("enum"), list) else []
    if isinstance(node.get("properties"), dict):
        own.append((at, [*node["properties"]]))
    return own + [found for name, one in node.items() for found in _lists(one, f"{at}/{name}")]
