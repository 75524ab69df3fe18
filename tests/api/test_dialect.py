"""Under a dialect that renames everything, no word of ours goes over the wire untranslated (decisions "Dialects")."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from mock_server.dialects.interface import INTERFACE
from mock_server.domain.statuses import AttemptStatus, CaptureStatus, MerchantDecision, PaymentStatus
from tests.api.places import PLACES
from tests.dialects.nonsense import MARK, NONSENSE, renamed
from tests.wire import Reply, Wire, card_data, wire


@pytest.fixture
def api() -> Wire:
    return wire(dialect=NONSENSE)


WORDS = {word.value for kind in (PaymentStatus, AttemptStatus, MerchantDecision) for word in kind} | {
    row.code for row in INTERFACE.errors.values()
}
"""Statuses and codes: none of them may come out as it is."""
NOT_STATUSES = {CaptureStatus.FAILED.value, "pending", "failure"}
KEYS = {"error", "total_count", "has_more", "fields", "last4", "brand", "exp_month", "exp_year", "card_type"}
"""Keys of envelopes and of records that a dialect renames."""


def words_of(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Every key and every text of an answer, with the key that it stands under."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield name, None
            yield from words_of(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from words_of(item, key)
    else:
        yield key, value


def untranslated(reply: Reply) -> list[tuple[str, Any]]:
    return [
        (key, value)
        for key, value in words_of(reply.json)
        if (value is None and key in KEYS) or (key in STATUS_FIELDS and isinstance(value, str) and value in WORDS)
    ]


STATUS_FIELDS = {"status", "merchant_decision", "code", "type", renamed("code"), renamed("type")}


def id_of(api: Wire, status: PaymentStatus) -> str:
    """The only payment of a workspace, made in a status by a client that reads the interface."""
    plain = wire()
    payment = PLACES[status](plain)
    assert payment
    return payment


@pytest.mark.parametrize("status", list(PaymentStatus))
def test_every_status_leaves_translated_and_filters_take_the_dialects_word(status: PaymentStatus) -> None:
    spoken = _speaking(status)
    payments = spoken.post("/payments/list", {renamed("status"): renamed(status.value)})
    assert payments.json[renamed("total_count")] == 1
    (payment,) = payments.json[renamed("data")]
    assert payment["status"] == renamed(status.value)
    answers = [payments, spoken.get(f"/payments/{payment['payment_id']}?expand_attempts=true&expand_captures=true")]
    for reply in answers:
        assert untranslated(reply) == []
    assert json.dumps(answers[1].json).count(MARK) >= 1


def _speaking(status: PaymentStatus) -> Wire:
    """A client of a nonsense server whose only payment stands in a status."""
    spoken = wire(dialect=NONSENSE)
    PLACES[status](spoken)
    return spoken


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/payments", {"amount": "1"}),
        ("POST", "/payments/pay_nobody/capture", {}),
        ("GET", "/nowhere", None),
        ("PATCH", "/payments", None),
        ("POST", "/payments/list", {"limit": 0}),
        ("POST", "/payments", {"amount": 1, "currency": "USD", "profile_id": "p", "nonsense": 1}),
    ],
)
def test_every_error_leaves_translated(api: Wire, method: str, path: str, body: object) -> None:
    reply = api.call(method, path, body)
    assert reply.status >= 400
    assert set(reply.json) == {renamed("error")}
    assert untranslated(reply) == []
    assert all(key.startswith(MARK) for key in reply.json[renamed("error")])


def test_a_request_in_a_status_speaks_of_it_in_the_dialects_word(api: Wire) -> None:
    payment = api.pay()["payment_id"]
    reply = api.post(f"/payments/{payment}/cancel")
    assert renamed("succeeded") in json.dumps(reply.json)
    assert "succeeded" not in json.dumps(reply.json)


def test_what_is_required_is_the_dialects_say(api: Wire) -> None:
    assert api.post("/payments", {"amount": 1, "currency": "USD"}).status == 200
    assert wire().post("/payments", {"amount": 1, "currency": "USD"}).status == 400


def test_a_cards_fields_have_the_dialects_names(api: Wire) -> None:
    reply = api.post(
        "/payments",
        {
            "amount": 1,
            "currency": "USD",
            "profile_id": "p",
            "payment_method": "card",
            "payment_method_data": {"card": card_data()},
        },
    )
    assert renamed("last4") in reply["payment_method_data"]["card"]
