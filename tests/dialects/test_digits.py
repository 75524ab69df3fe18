"""Digits of other alphabets are no digits: a field of digits refuses them as it refuses letters, in both dialects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from marshmallow import Schema, ValidationError

from mock_server.contract.dialect import Dialect
from mock_server.contract.kinds.base import FieldKind
from mock_server.contract.kinds.objects import Items, ObjectOf, Variant
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.wire import card_data, card_payment, wire

DIGITS: Final = {
    **dict.fromkeys(("card_exp_month", "token_exp_month"), 2),
    **dict.fromkeys(("card_exp_year", "token_exp_year"), 4),
    "card_cvc": 3,
    "card_number": 16,
}
"""The fields of digits, with how many they have."""
OTHERS: Final = ("٢٠٣٠٢٠٣٠٢٠٣٠٢٠٣٠", "²030²030²030²030", "²²²²²²²²²²²²²²²²", "２０３０２０３０２０３０２０３０")
Place = tuple[str, FieldKind]


def fields(schema: Schema, path: str = "", deep: int = 6) -> Iterator[Place]:
    for name, field in schema.load_fields.items():
        inner, here = (field.inner if isinstance(field, Items) else field), f"{path}.{name}"
        if name in DIGITS and isinstance(inner, FieldKind) and not isinstance(inner, ObjectOf):
            yield here, inner
        if isinstance(inner, Variant):
            for kind in inner.variants:
                yield from fields(inner.schema_for({inner.on: kind}), f"{here}[{kind}]", deep - 1)
        elif isinstance(inner, ObjectOf) and deep:
            yield from fields(inner.schema, here, deep - 1)


def places(dialect: Dialect) -> Iterator[Place]:
    for name, row in BY_NAME.items():
        shape: Any = None if row.takes[0] is None else row.takes[0].of(dialect)
        if isinstance(getattr(shape, "schema", None), Schema):
            yield from fields(shape.schema, name)


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)
def test_other_digits_are_refused_as_letters_are(dialect: Dialect) -> None:
    found = tuple(places(dialect))
    assert len(found) > 20
    wrong = []
    for path, field in found:
        count = DIGITS[path.rpartition(".")[2]]
        letters = "a" * count
        for digits in OTHERS:
            try:
                field.deserialize(digits[:count])
                wrong.append((path, digits[:count], "taken"))
            except ValidationError:
                if field.broken(digits[:count]) != field.broken(letters):
                    wrong.append((path, digits[:count], str(field.broken(digits[:count]))))
    assert not wrong, (len(wrong), wrong)


@pytest.mark.parametrize("name", ["card_exp_month", "card_exp_year", "card_cvc"])
def test_the_public_answer_is_that_of_letters(name: str) -> None:
    api = wire(dialect=HYPERSWITCH)
    count = DIGITS[name]

    def answered(text: str) -> object:
        return api.post("/payments", card_payment(payment_method_data={"card": card_data(**{name: text})})).error

    assert {str(answered(digits[:count])) for digits in OTHERS} == {str(answered("a" * count))}
