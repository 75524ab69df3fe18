"""What control calls take is told as their schemas check it."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from docs.tables import MANY, control_requests
from mock_server.contract.control_operations import BY_NAME, CONTROL_OPERATIONS
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.outcomes import Challenge
from mock_server.engine import disputes
from tests.architecture.sources import ROOT

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


ELSEWHERE: Final = {"control.dispute": disputes.open}
"""Calls whose view passes what it gets on to this function."""


def views() -> Iterator[tuple[str, Any]]:
    """Each control call with the function that answers it."""
    for path in sorted((ROOT / "mock_server" / "control").glob("*.py")):
        made = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)]
        for node in made:
            for by in node.decorator_list:
                if isinstance(by, ast.Call) and isinstance(by.args[0], ast.Constant) and by.args[0].value in BY_NAME:
                    module = importlib.import_module(f"mock_server.control.{path.stem}")
                    yield by.args[0].value, getattr(module, node.name)


def defaults() -> Iterator[Any]:
    """Each field of a control call, with what it is if it is left out, unless that is nothing, 0 or false."""
    for name, view in views():
        shapes: list[Any] = [shape.of(INTERFACE) for shape in BY_NAME[name].takes if shape is not None]
        fields: list[tuple[str, Any]] = [found for shape in shapes for found in shape.schema.load_fields.items()]
        places = {field.place.command: field_name for field_name, field in fields}
        taken = [view, ELSEWHERE[name]] if name in ELSEWHERE else [view]
        usual = {key: one.default for made in taken for key, one in inspect.signature(made).parameters.items()}
        for key, value in usual.items():
            if value and value is not inspect.Parameter.empty:
                yield pytest.param(name, places.get(key, key), value, id=f"{name} {key}")


DEFAULTS: Final = list(defaults())


def test_there_are_defaults() -> None:
    assert len(DEFAULTS) > 5


@pytest.mark.parametrize(("operation", "field", "value"), DEFAULTS)
def test_a_default_is_told(operation: str, field: str, value: object) -> None:
    """Who reads only 100 of 130 calls, and does not know it, counts them wrongly."""
    shown = r"answer \(default\)" if value is True else rf"([Bb]y default|Defaults to) {value}\b"
    assert re.search(shown, row(operation, field)["meaning"]), row(operation, field)["meaning"]
