"""A field of an answer stands in one row: nothing beside the shapes lists the keys of an object that is answered."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import pytest

from mock_server.contract.answers.fields import AnswerShape
from mock_server.contract.answers.writing import fields_of
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.dialects.interface import INTERFACE
from mock_server.openapi import answers
from tests.architecture.sources import Module, modules

LOOKED_AT: Final = tuple(f"mock_server.{room}." for room in ("openapi", "api", "contract.answers", "webhooks"))
"""Views of the control API give the values of their shapes by name, and one that is missing is an error there."""
ENOUGH: Final = 3
"""So many keys of one shape, and no other, are a second list of them."""
NOT_ANSWERS: Final = {
    "mock_server.contract.answers.offered": "a part of a payment's fields is named to be shown again",
    "mock_server.contract.answers.browser": "what each wallet's SDK is given has its own document's names",
}


def lists(module: Module) -> Iterator[tuple[int, frozenset[str]]]:
    """The texts that each dict or tuple of a module lists, with the line."""
    for node in module.nodes:
        if isinstance(node, ast.Dict):
            parts = node.keys
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            parts = list(node.elts)
        else:
            continue
        texts = {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
        if len(texts) == len(parts):
            yield node.lineno, frozenset(texts)


def told_again(module: Module, names: dict[str, frozenset[str]]) -> list[str]:
    return [
        f"{module.name}:{line} lists fields of {shape}"
        for line, texts in lists(module)
        for shape, fields in names.items()
        if len(texts) >= ENOUGH and texts <= fields
    ]


def names_of(shape: AnswerShape[object]) -> frozenset[str]:
    return frozenset(field.name for field, _ in fields_of(shape))


ROOTS: Final = (*answers.roots(), *(row.gives for row in CONTROL_OPERATIONS if row.gives is not None))
SHAPES: Final = [kind for kind in answers.found_in(ROOTS, INTERFACE) if isinstance(kind, AnswerShape)]
NAMES: Final = {shape.name: names_of(shape) for shape in SHAPES}


def test_there_are_shapes() -> None:
    assert {"Payment", "Attempt", "UnifiedDetails", "Refund", "PaymentWebhook", "JournalLine", "Due"} <= NAMES.keys()


def test_no_keys_of_an_answer_are_listed_twice() -> None:
    found = [
        wrong
        for module in modules()
        if module.name.startswith(LOOKED_AT) and module.name not in NOT_ANSWERS
        for wrong in told_again(module, NAMES)
    ]
    assert not found, "\n".join(found)


def test_a_name_stands_once_in_a_shape() -> None:
    for shape in SHAPES:
        fields = [field.name for field, _ in fields_of(shape) if field.name]
        assert len(fields) == len(set(fields)), shape.name


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ('x = {"refund_id": 1, "payment_id": 2, "amount": 3}', True),
        ('x = ("refund_id", "payment_id", "amount")', True),
        ('x = {"refund_id": 1, "amount": 3}', False),
        ('x = {"refund_id": 1, "payment_id": 2, "surprise": 3}', False),
    ],
)
def test_the_rule_sees_what_breaks_it(source: str, wrong: bool) -> None:
    assert bool(told_again(Module("mock_server.openapi.x", source), {"Refund": NAMES["Refund"]})) is wrong
