"""What a list can be asked, by body and by query (interface §8.1, §8.2)."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

import pytest
from msgspec import structs

from mock_server.contract.requests.payments import calls as payments
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.instants import parse
from mock_server.domain.paging import Query
from mock_server.domain.statuses import PaymentStatus
from tests.contract.requests.bodies import NOW_MS, paths, refused

LIST: Final = payments.LIST.of(INTERFACE)
AT: Final = parse("2027-01-15T06:00:00Z")

BODIES: Final[tuple[tuple[dict[str, Any], Query], ...]] = (
    ({}, Query()),
    ({"limit": None, "status": None}, Query()),
    ({"limit": 1, "offset": 0}, Query(limit=1)),
    ({"limit": 100, "offset": 7}, Query(limit=100, offset=7)),
    ({"created_gte": "2027-01-15T08:00:00+02:00"}, Query(created_gte=AT)),
    ({"created_lte": "2027-01-15"}, Query(created_lte=parse("2027-01-15T00:00:00Z"))),
    ({"status": "succeeded"}, Query(filters={"status": ("succeeded",)})),
    ({"status": ["succeeded", "processing"]}, Query(filters={"status": ("succeeded", "pending")})),
    ({"status": "requires_customer_action"}, Query(filters={"status": ("requires_action",)})),
    ({"status": []}, Query()),
    ({"customer_id": "cus_1"}, Query(filters={"customer_id": ("cus_1",)})),
    ({"currency": ["USD", "EUR"]}, Query(filters={"currency": ("USD", "EUR")})),
    ({"payment_method": ["card", "ideal"]}, Query(filters={"payment_method": ("card", "ideal")})),
    ({"payment_method": "voucher"}, Query(filters={"payment_method": ("boleto",)})),
    ({"payment_method_type": "bancontact_card"}, Query(filters={"payment_method_type": ("bancontact",)})),
    ({"merchant_order_reference_id": "a,b"}, Query(filters={"merchant_order_reference_id": ("a,b",)})),
)

WRONG: Final[tuple[tuple[dict[str, Any], list[str]], ...]] = (
    ({"limit": 0}, ["limit"]),
    ({"limit": 101}, ["limit"]),
    ({"limit": -1}, ["limit"]),
    ({"limit": "10"}, ["limit"]),
    ({"limit": 10.0}, ["limit"]),
    ({"offset": -1}, ["offset"]),
    ({"offset": True}, ["offset"]),
    ({"created_gte": "yesterday"}, ["created_gte"]),
    ({"created_lte": 1_800_000_000}, ["created_lte"]),
    ({"created_gte": "2027-01-15T08:00:00"}, ["created_gte"]),
    ({"status": "done"}, ["status"]),
    ({"status": ["succeeded", "done"]}, ["status.1"]),
    ({"status": [None]}, ["status.0"]),
    ({"status": {"in": []}}, ["status"]),
    ({"currency": "usd"}, ["currency"]),
    ({"payment_method": "cards"}, ["payment_method"]),
    ({"customer_id": 1}, ["customer_id"]),
    ({"limit": 0, "offset": -1, "status": 1, "size": 1}, ["limit", "offset", "status", "size"]),
)


@pytest.mark.parametrize(("body", "query"), BODIES)
def test_a_body(body: dict[str, Any], query: Query) -> None:
    assert LIST.load(body, NOW_MS) == query


@pytest.mark.parametrize(("body", "told"), WRONG)
def test_a_wrong_body(body: dict[str, Any], told: list[str]) -> None:
    assert paths(LIST, body) == told
    assert refused(LIST, body).cause is Cause.VALUE_INVALID


@pytest.mark.parametrize(
    ("pairs", "query"),
    [
        ([], Query()),
        ([("limit", "5"), ("offset", "2")], Query(limit=5, offset=2)),
        ([("status", "succeeded"), ("status", "failed")], Query(filters={"status": ("succeeded", "failed")})),
        ([("status", "succeeded,processing")], Query(filters={"status": ("succeeded", "pending")})),
        ([("currency", "USD,EUR"), ("currency", "GBP")], Query(filters={"currency": ("USD", "EUR", "GBP")})),
        ([("merchant_order_reference_id", "a,b")], Query(filters={"merchant_order_reference_id": ("a,b",)})),
        ([("created_gte", "2027-01-15T08:00:00 02:00")], Query(created_gte=AT)),
        ([("created_gte", "2027-01-15T08:00:00+02:00")], Query(created_gte=AT)),
        ([("created_lte", "2027-01-15T06:00:00.000Z")], Query(created_lte=AT)),
    ],
)
def test_a_query(pairs: list[tuple[str, str]], query: Query) -> None:
    assert LIST.load_query(pairs, NOW_MS) == query


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ([("limit", "ten")], ["limit"]),
        ([("limit", "1.0")], ["limit"]),
        ([("limit", "")], ["limit"]),
        ([("limit", "1"), ("limit", "2")], ["limit"]),
        ([("offset", "-1")], ["offset"]),
        ([("limit", "9" * 5_000)], ["limit"]),
        ([("created_gte", "yesterday")], ["created_gte"]),
        ([("status", "done,succeeded")], ["status.0"]),
        ([("status", "")], ["status"]),
        ([("sattus", "succeeded"), ("sattus", "x")], ["sattus"]),
    ],
)
def test_a_wrong_query(pairs: list[tuple[str, str]], told: list[str]) -> None:
    with pytest.raises(Refusal) as caught:
        LIST.load_query(pairs, NOW_MS)
    assert [error.field for error in caught.value.fields] == told


def test_an_unknown_parameter_is_named_with_its_nearest() -> None:
    refusal = refused(LIST, {"statuses": "succeeded"})
    assert refusal.cause is Cause.UNKNOWN_FIELD
    assert refusal.fields[0].message == "is not a known field (did you mean status?)"


def test_the_dialect_names_parameters_and_statuses() -> None:
    names = INTERFACE.list_keys._replace(parameters={"limit": "zz_limit", "status": "zz_status"})
    readings: dict[type[StrEnum], Any] = {**INTERFACE.readings, PaymentStatus: {"zz_done": PaymentStatus.SUCCEEDED}}
    nonsense = payments.LIST.of(structs.replace(INTERFACE, list_keys=names, readings=readings))
    assert nonsense.load({"zz_limit": 3, "zz_status": "zz_done"}, NOW_MS) == Query(
        limit=3, filters={"status": ("succeeded",)}
    )
    assert paths(nonsense, {"limit": 3}) == ["limit"]
    assert paths(nonsense, {"zz_status": "succeeded"}) == ["zz_status"]
