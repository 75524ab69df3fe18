"""The small words that the document and its pages are put together from."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from docs.fields import Pages, pages, rules_of, type_of, without_null
from mock_server.contract.control_operations import EVERY
from mock_server.contract.notation import TEXT, WHOLE, maybe, record, ref, words
from mock_server.contract.operation import PARTS, Operation
from mock_server.contract.operations import BY_NAME, OPERATIONS
from mock_server.dialects.interface import INTERFACE
from mock_server.openapi.answers import page
from mock_server.openapi.requests import camel, operation_ids, tag_of, template


def row_of(name: str, method: str, path: str) -> Operation:
    return structs.replace(BY_NAME["payments.list"], name=name, method=method, path=path)


def ids(*rows: Operation) -> list[str]:
    return [name for _, name in operation_ids(rows)]


def test_routes_that_serve_one_operation_are_told_apart() -> None:
    rows = [row_of("a.list", method, path) for method, path in (("GET", "/a"), ("POST", "/a"), ("GET", "/a/all"))]
    assert ids(*rows, row_of("a.list", "POST", "/a/all"), row_of("a.list", "GET", "/")) == [
        "a.list",
        "a.list.post",
        "a.list.all",
        "a.list.all.post",
        "a.list.short",
    ]


def test_paths_and_names() -> None:
    assert template("/a/<a_id>/b/<b_id>") == "/a/{a_id}/b/{b_id}"
    assert PARTS.findall("/a/<a_id>/b/<b_id>") == ["a_id", "b_id"]
    assert camel("payment_methods.create") == "PaymentMethodsCreate"


def test_every_operation_is_summed_up_in_plain_words() -> None:
    assert [row.name for row in OPERATIONS if not row.about[0].isupper() or {"_", "."} & set(row.about)] == []


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        ("payments.create", "Create a payment"),
        ("accounts.create", "Create an account"),
        ("api_keys.create", "Create an API key"),
        ("payments.list", "List payments"),
        ("refunds.aggregate", "Count refunds by status"),
        ("payments.cancel_post_capture", "Reverse a payment after capture"),
    ],
)
def test_summaries(operation: str, said: str) -> None:
    assert BY_NAME[operation].about == said


def test_tags() -> None:
    assert tag_of(EVERY["payments.create"]) == "payments"
    assert tag_of(EVERY["control.clock_freeze"]) == "control: clock"
    assert tag_of(EVERY["control.reset"]) == "control: workspaces"
    assert tag_of(EVERY["control.livez"]) == "control: server"


def test_what_can_be_null_says_so() -> None:
    assert maybe(TEXT) == {"type": ["string", "null"]}
    assert maybe(words(("a", "b"))) == {"type": ["string", "null"], "enum": ["a", "b", None]}
    assert maybe(ref("X")) == {"anyOf": [ref("X"), {"type": "null"}]}
    assert maybe({}) == {}


def test_a_record_requires_what_is_not_optional() -> None:
    assert record({"a": TEXT, "b": WHOLE}, optional=("b",))["required"] == ["a"]
    assert "required" not in record({"a": TEXT}, optional=("a",))


def test_a_page_is_the_dialects_envelope() -> None:
    assert list(page(TEXT, INTERFACE.list_keys)["properties"]) == ["data", "total_count", "has_more"]


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        (TEXT, "string"),
        ({"type": "string", "format": "date-time"}, "instant"),
        ({"type": ["string", "integer"]}, "string or integer"),
        ({"type": "array", "items": TEXT}, "array of string"),
        ({"type": "array", "items": {}}, "array of anything"),
        (words(("a", "b")), "`a`, `b`"),
        (words(map(str, range(20))), "one of 20 words, such as `0`, `1`, `2`"),
        ({"const": "x"}, "`x`"),
        (ref("Thing"), "<Thing>"),
        ({"anyOf": [ref("A"), {"type": "array", "items": ref("A")}]}, "<A> or array of <A>"),
        ({"allOf": [ref("A"), {"type": "object"}]}, "<A>"),
        ({}, "anything"),
    ],
)
def test_types_in_words(schema: dict[str, Any], told: str) -> None:
    assert type_of(schema, lambda name: f"<{name}>") == told


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"minimum": 0, "maximum": 9}, "(0 to 9)"),
        ({"minimum": 1}, "(at least 1)"),
        ({"maximum": 9}, "(at most 9)"),
        ({"maxLength": 22, "pattern": "^a$"}, "(at most 22 characters; `^a$`)"),
        ({"maxProperties": 50}, "(at most 50 pairs)"),
        ({"type": "array", "items": {"maxLength": 5}}, "(at most 5 characters)"),
        ({}, ""),
    ],
)
def test_rules_in_words(schema: dict[str, Any], told: str) -> None:
    assert rules_of(schema) == told


def test_null_is_taken_out() -> None:
    assert without_null({"type": ["string", "null"], "enum": ["a", None]}) == ({"type": "string", "enum": ["a"]}, True)
    assert without_null({"anyOf": [ref("A"), {"type": "null"}], "description": "x"}) == (
        {"description": "x", **ref("A")},
        True,
    )
    assert without_null({"anyOf": [ref("A"), ref("B"), {"type": "null"}]}) == ({"anyOf": [ref("A"), ref("B")]}, True)
    assert without_null({"type": ["object", "null"], "enum": [None]}) == ({"type": "null"}, False)
    assert without_null(TEXT) == (TEXT, False)


def test_every_operation_stands_on_one_page() -> None:
    made = Pages()
    text = "".join(made.page(name) for name in pages())
    for row in OPERATIONS:
        assert text.count(f"`{row.method} {template(row.path)}` ·") == 1
