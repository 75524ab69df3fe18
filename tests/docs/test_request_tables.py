"""What control calls take is told as their schemas check it."""

from __future__ import annotations

from typing import Any

from docs.tables import MANY, control_requests
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.outcomes import Challenge

ROWS = control_requests().as_records()


def row(operation: str, field: str) -> dict[str, str]:
    (found,) = [row for row in ROWS if (row["operation"], row["field"]) == (operation, field)]
    return found


def test_a_field_is_told_with_its_place_and_whether_it_must_be_there() -> None:
    assert row("control.authenticate", "result")["required"] == "yes"
    assert row("control.journal", "wait") | {"meaning": ""} == {
        "operation": "control.journal",
        "field": "wait",
        "in": "query",
        "required": "",
        "meaning": "",
        "example": '"5s"',
    }


def test_few_words_are_named_and_many_are_not() -> None:
    assert row("control.authenticate", "result")["meaning"].endswith(f"One of {', '.join(Challenge)}.")
    assert len(row("control.fail", "decline")["meaning"].split(",")) < MANY


def test_every_call_with_a_shape_is_told_of_and_no_other() -> None:
    shapes: dict[str, list[Any]] = {
        row.name: [shape.of(INTERFACE) for shape in row.takes if shape is not None] for row in CONTROL_OPERATIONS
    }
    shaped = {name for name, taken in shapes.items() if any(shape.schema.fields for shape in taken)}
    assert {row["operation"] for row in ROWS} == shaped <= {row.name for row in CONTROL_OPERATIONS}


def test_every_field_says_what_it_means() -> None:
    assert all(row["meaning"] for row in ROWS)
