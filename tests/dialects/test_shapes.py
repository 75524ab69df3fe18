"""A dialect gives other names, leaves fields out, adds some and writes others, in nested shapes too."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mock_server.contract.answers.fields import NOTHING, AnswerShape, AsJson, Constant, Field, Many, Several, Tally
from mock_server.contract.answers.writing import fields_written, write
from mock_server.contract.dialect import Dialect
from mock_server.contract.notation import FLAG, FREE, TEXT, WHOLE
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.statuses import RefundStatus
from mock_server.jsontext import dump
from mock_server.openapi.answers import object_of, schemas
from tests.dialects.nonsense import NONSENSE, renamed
from tests.wire import Wire, wire


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire(dialect=NONSENSE)


def paid(api: Wire, **fields: Any) -> dict[str, Any]:
    made = api.pay("visa_insufficient_funds", description="x", statement_descriptor_name="shop", **fields)
    shown: dict[str, Any] = api.get(f"/payments/{made['payment_id']}?expand_attempts=true").json
    return shown


def test_names_differ_in_nested_shapes(api: Wire) -> None:
    (attempt,) = paid(api)["attempts"]
    assert attempt[renamed("currency")] == "USD"
    assert "currency" not in attempt
    assert renamed("category") in attempt["error_details"]["unified_details"]


def test_what_a_payment_says_otherwise_holds_where_more_of_it_is_shown(api: Wire) -> None:
    for shown in (paid(api), api.get("/payments/list").json[renamed("data")][0]):
        assert shown[renamed("description")] == "x"
        assert not {"description", "updated", "statement_descriptor_name"} & set(shown)


def test_what_is_only_given_back_is_left_out_too(api: Wire) -> None:
    assert "routing" not in paid(api, routing={"type": "single"})
    assert "routing" in wire().pay(routing={"type": "single"}).json


def test_rows_are_added_replaced_and_left_out_in_nested_shapes(api: Wire) -> None:
    (attempt,) = paid(api)["attempts"]
    assert attempt[renamed("sort")] == "card"
    assert attempt["capture_method"] is None
    assert "client_source" not in attempt
    assert [*attempt][-1] == renamed("sort")


def test_what_is_added_to_a_shape_stands_where_all_of_it_does(api: Wire) -> None:
    payment = api.pay()["payment_id"]
    dispute = api.post(f"/_sandbox/payments/{payment}/dispute", {"reason": "fraudulent"}).json["dispute_id"]
    alone, inside = api.get(f"/disputes/{dispute}").json, api.get(f"/payments/{payment}").json["disputes"][0]
    assert alone[renamed("sort")] == "fraudulent"
    assert renamed("sort") not in inside
    assert "connector_reason_code" not in {**alone, **inside}


def test_the_document_says_what_the_dialect_shows(api: Wire) -> None:
    said = schemas(NONSENSE)
    shown = paid(api)
    assert set(shown) <= set(said["ExpandedPayment"]["properties"])
    assert [*shown["attempts"][0]] == said["Attempt"]["required"] == [*said["Attempt"]["properties"]]
    assert said["RefundStatus"]["enum"] == [renamed(status.value) for status in RefundStatus]


# one shape with each sort of row

INNER: AnswerShape[dict[str, int]] = AnswerShape("Inner", Field("n", WHOLE, of=lambda one: one["n"], nullable=False))
OUTER: AnswerShape[Any] = AnswerShape(
    "Outer",
    Field("name", TEXT, of="__name__", nullable=False),
    Field("status", RefundStatus, of=lambda _: RefundStatus.PENDING),
    Field("text", AsJson(), of=lambda _: '{"a":1}'),
    Field("nothing", TEXT, of=NOTHING),
    Field("always", FREE, of=Constant({"b": 2}), nullable=False),
    Field("inner", Many(INNER), of=lambda _: [{"n": 1}, {"n": 2}], nullable=False),
    Field("none", Many(INNER, filled=True), of=lambda _: []),
    Field("there", TEXT, of=lambda _: "x", nullable=False, optional=True),
    Field("not_there", TEXT, of=lambda _: None, optional=True),
    Several((Field("left", FLAG), Field("right", FLAG)), lambda _: {"left": True}),
    Field("counts", Tally(RefundStatus), of=lambda _: {"failed": 3}, nullable=False),
)


def test_each_sort_of_row_is_written() -> None:
    counts = '{"pending":0,"succeeded":0,"failed":3,"review":0}'
    assert dump(write(OUTER, test_each_sort_of_row_is_written, INTERFACE)).decode() == (
        '{"name":"test_each_sort_of_row_is_written","status":"pending","text":{"a":1},"nothing":null,"always":{"b":2},'
        f'"inner":[{{"n":1}},{{"n":2}}],"none":null,"there":"x","left":true,"counts":{counts}}}'
    )


def speaking(names: dict[str, dict[str, str]], fields: dict[str, dict[str, Field | None]]) -> Dialect:
    from msgspec import structs

    return structs.replace(INTERFACE, record_names=names, record_fields=fields)


def test_each_sort_of_row_is_written_as_a_dialect_says() -> None:
    dialect = speaking(
        {"Outer": {"left": "links", "inner": "innen"}, "Inner": {"n": "m"}},
        {"Outer": {"right": None, "text": None, "there": Field("there", TEXT, of=Constant("y"), nullable=False)}},
    )
    shown = json.loads(dump(write(OUTER, len, dialect)))
    assert shown["links"] is True
    assert shown["innen"] == [{"m": 1}, {"m": 2}]
    assert shown["there"] == "y"
    assert not {"left", "right", "text", "inner"} & set(shown)
    assert {"links", "innen"} <= set(object_of(OUTER, dialect)["properties"])
    assert "left" in fields_written(write(OUTER, len, INTERFACE))


def test_a_dialect_that_takes_the_place_of_another_is_no_other() -> None:
    """Functions are kept by the dialect itself: one that is made anew gets its own."""
    for name in ("a", "b"):
        assert name in fields_written(write(INNER, {"n": 1}, speaking({"Inner": {"n": name}}, {})))
