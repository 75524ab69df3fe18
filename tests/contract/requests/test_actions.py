"""The small bodies: captures, cancels, raises, merges, looks."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.contract.dialect import BodyRules
from mock_server.contract.requests.payments import calls as payments
from mock_server.contract.requests.shapes import NO_BODY, Shape, named
from mock_server.domain.commands import RetrievePayment
from mock_server.domain.errors import Cause, Refusal
from tests.contract.requests.bodies import CONTACT, LEAST, NOW_MS, paths
from tests.contract.requests.test_create import CONTACT_TEXT

CAPTURE, CANCEL = named(payments.CaptureBody), named(payments.CancelBody)
INCREMENT, COMPLETE = named(payments.IncrementBody), named(payments.CompleteBody)
UPDATE_METADATA = named(payments.MetadataBody)

GOOD: list[tuple[Shape[Any], object, object]] = [
    (CAPTURE, None, {}),
    (CAPTURE, {}, {}),
    (CAPTURE, {"amount_to_capture": None}, {}),
    (CAPTURE, {"amount_to_capture": 1, "refund_uncaptured_amount": True, "statement_descriptor_suffix": "a",
                        "statement_descriptor_prefix": "b", "merchant_id": "mer_1", "all_keys_required": True,
                        "merchant_connector_details": {"any": 1}},
     {"amount_to_capture": 1}),
    (CANCEL, {"cancellation_reason": "why not"}, {"cancellation_reason": "why not"}),
    (CANCEL, None, {}),
    (NO_BODY, None, None),
    (NO_BODY, {}, None),
    (INCREMENT, {"amount": 7540, "reason": "more"}, {"amount": 7540, "reason": "more"}),
    (UPDATE_METADATA, {"metadata": {}, "feature_metadata": {}}, {"metadata": {}, "feature_metadata": "{}"}),
    (COMPLETE, {"client_secret": "pay_1_secret_x", "shipping": CONTACT, "threeds_method_comp_ind": "Y"},
     {"client_secret": "pay_1_secret_x", "shipping": CONTACT_TEXT}),
    (COMPLETE, None, {}),
    (payments.RETRIEVE, {"force_sync": True, "expand_attempts": None}, RetrievePayment(force_sync=True)),
    (payments.SYNC, {"payment_id": "pay_1", "expand_captures": True},
     RetrievePayment(payment_id="pay_1", expand_captures=True)),
]  # fmt: skip

WRONG: list[tuple[Shape[Any], object, list[str]]] = [
    (CAPTURE, {"amount_to_capture": 0}, ["amount_to_capture"]),
    (CAPTURE, {"amount_to_capture": -1}, ["amount_to_capture"]),
    (CAPTURE, {"amount_to_capture": "1"}, ["amount_to_capture"]),
    (CAPTURE, {"amount_to_capture": 1_000_000_000}, ["amount_to_capture"]),
    (CAPTURE, {"refund_uncaptured_amount": 1}, ["refund_uncaptured_amount"]),
    (CAPTURE, {"amount": 1}, ["amount"]),
    (CANCEL, {"cancellation_reason": "x" * 256}, ["cancellation_reason"]),
    (CANCEL, {"reason": "x"}, ["reason"]),
    (NO_BODY, {"amount": 1, "x": 2}, ["amount", "x"]),
    (INCREMENT, {}, ["amount"]),
    (INCREMENT, {"amount": None}, ["amount"]),
    (INCREMENT, {"amount": 1.5, "reason": 1}, ["amount", "reason"]),
    (UPDATE_METADATA, {}, ["metadata"]),
    (UPDATE_METADATA, {"metadata": []}, ["metadata"]),
    (UPDATE_METADATA, {"metadata": {"a": "x" * 501}}, ["metadata.a"]),
    (COMPLETE, {"shipping": {"address": {"country": "x"}}}, ["shipping.address.country"]),
    (payments.SYNC, {"force_sync": True}, ["payment_id"]),
    (payments.RETRIEVE, {"force_sync": "true"}, ["force_sync"]),
]


@pytest.mark.parametrize(("shape", "body", "command"), GOOD)
def test_good_bodies(shape: Shape[Any], body: object, command: object) -> None:
    assert shape.load(body, NOW_MS) == command


@pytest.mark.parametrize(("shape", "body", "told"), WRONG)
def test_wrong_bodies(shape: Shape[Any], body: object, told: list[str]) -> None:
    assert paths(shape, body) == told


def test_update_requires_nothing_and_takes_the_client_secret() -> None:
    assert payments.UPDATE.load({"client_secret": "s"}, NOW_MS).client_secret == "s"
    assert payments.UPDATE.load(None, NOW_MS).amount is None
    assert payments.UPDATE.load({"retry_action": "requeue"}, NOW_MS).echo == {"retry_action": '"requeue"'}
    assert paths(payments.UPDATE, {"retry_action": "again"}) == ["retry_action"]


def test_confirm_takes_what_create_takes_and_two_more() -> None:
    request = payments.CONFIRM.load({**LEAST, "client_secret": "s", "retry_action": "manual_retry"}, NOW_MS)
    assert (request.client_secret, request.amount) == ("s", 6540)
    assert paths(payments.CONFIRM, {"retry_action": "again"}) == ["retry_action"]


def test_what_create_requires_is_the_dialects_word() -> None:
    assert payments.CREATE.load({}, NOW_MS).amount is None
    assert paths(payments.CREATE.under(BodyRules(required=frozenset({"amount", "currency"}))), {}) == [
        "amount",
        "currency",
    ]


@pytest.mark.parametrize(
    ("query", "command"),
    [
        ([], RetrievePayment()),
        ([("force_sync", "true"), ("expand_attempts", "false")], RetrievePayment(force_sync=True)),
        ([("client_secret", "pay_1_secret_x")], RetrievePayment(client_secret="pay_1_secret_x")),
    ],
)
def test_a_retrieves_query(query: list[tuple[str, str]], command: RetrievePayment) -> None:
    assert payments.RETRIEVE.load_query(query, NOW_MS) == command


def test_an_unknown_parameter_has_its_own_cause() -> None:
    with pytest.raises(Refusal) as caught:
        payments.RETRIEVE.load_query([("force_synch", "true")], NOW_MS)
    assert caught.value.cause is Cause.UNKNOWN_PARAMETER
