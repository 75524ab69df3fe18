"""Every word of the public API's lists is accepted, every other refused, and the refusal lists them in their order.

All fields of all operations that choose from a list are found by themselves, in bodies and queries, at any depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from marshmallow import Schema

from mock_server.contract.kinds.objects import Items, ObjectOf
from mock_server.contract.kinds.texts import Choice
from mock_server.contract.operation import PerDialect
from mock_server.contract.operations import BY_NAME
from mock_server.contract.requests.shapes import Many
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.events import EventType
from tests.dialects.public import TABLE, table
from tests.dialects.public_facts import words
from tests.wire import Wire, card_payment

LISTS: Final = {
    **{
        name: name for name in ("Currency", "CaptureMethod", "PaymentMethod", "PaymentMethodType", "AuthenticationType")
    },
    **{name: name for name in ("FutureUsage", "RefundStatus", "DisputeStatus", "DisputeStage", "MandateStatus")},
    "PaymentStatus": "IntentStatus",
}
"""The table's list of each list of the dialect."""
ALIKE: Final = 0.5
"""A field that shares more than this part of its words with a list, and of the list's, chooses from it."""


def choices(schema: Schema, path: str, depth: int = 0) -> Iterator[tuple[str, Choice]]:
    """Every field of a schema that is one of a list of words."""
    for name, field in schema.load_fields.items():
        inner = field.inner if isinstance(field, Items) else field
        if isinstance(inner, Choice):
            yield f"{path}.{name}", inner
        elif isinstance(inner, ObjectOf) and depth < 5:
            yield from choices(inner.schema, f"{path}.{name}", depth + 1)


def fields() -> Iterator[tuple[str, Choice]]:
    """Every such field of every operation."""
    for operation in BY_NAME.values():
        for place, shape in zip(("body", "query"), operation.takes, strict=True):
            made: Any = shape.of(HYPERSWITCH) if isinstance(shape, PerDialect) else None
            if made is not None:
                yield from choices((made.one if isinstance(made, Many) else made).schema, f"{operation.name} {place}")


FIELDS: Final = tuple(fields())
MEANT: Final = {
    "payment_method_type": "PaymentMethodType",
    "payment_method_subtype": "PaymentMethodType",
    "payment_method": "PaymentMethod",
    "wallets": "PaymentMethodType",
    "accepted_currencies": "Currency",
}
"""The lists of fields whose words can be few of the list's."""


def list_of(path: str, field: Choice) -> str | None:
    """The list of the table that a field chooses from."""
    last = path.rpartition(".")[2]
    if path.startswith("payments.eligibility") and last == "payment_method_type":
        return "PaymentMethod"  # that route has the category under this name
    if last in MEANT:
        return MEANT[last]
    for name in LISTS.values():
        both = len(set(words(name)) & set(field.words))
        if both > ALIKE * len(words(name)) and both > ALIKE * len(field.words):
            return name
    return None


OF_LISTS: Final = [(path, field, name) for path, field in FIELDS if (name := list_of(path, field))]


def test_the_fields_are_found() -> None:
    assert len(OF_LISTS) > 60
    assert {name for _, _, name in OF_LISTS} == set(LISTS.values())


@pytest.mark.parametrize(("path", "field", "name"), OF_LISTS, ids=[path for path, _, _ in OF_LISTS])
def test_a_field_chooses_from_its_list(path: str, field: Choice, name: str) -> None:
    rule, told = field.broken("Nonsense")
    assert (rule, told["words"]) == ("unknown_word", tuple(f"`{word}`" for word in words(name))), path
    accepted = {word for word in words(name) if _takes(field, word)}
    assert accepted | {word for word in words(name) if field.broken(word)[0] == "not_offered"} == set(words(name))
    if not field.narrows:
        assert set(field.words) - {"touch_n_go"} <= set(words(name))  # answers spell it so


@pytest.mark.parametrize("name", ["PaymentMethod", "PaymentMethodType"])
def test_what_a_payment_takes_every_field_takes(name: str) -> None:
    of_list = {path: field for path, field, listed in OF_LISTS if listed == name}
    field_name = {"PaymentMethod": "payment_method", "PaymentMethodType": "payment_method_type"}[name]
    paid_with = of_list[f"payments.confirm body.{field_name}"]
    taken = {word for word in words(name) if _takes(paid_with, word)}
    fewer = {path: {word for word in taken if not _takes(field, word)} for path, field in of_list.items()}
    assert not {path: refused for path, refused in fewer.items() if refused}


def _takes(field: Choice, word: str) -> bool:
    try:
        field.deserialize(word)
    except Exception:
        return False
    return True


ENUMS: Final = {name: frozenset(one["enum"]) for name, one in table()[1].items() if "enum" in one}
"""Every list of words in the table of answers (public_api.txt)."""


def nearest(field: Choice) -> str | None:
    """The list of that table that a field's words are most like, if they are like one."""
    own = set(field.listed)
    ranks = {name: len(own & known) / len(own | known) for name, known in ENUMS.items()}
    best = max(ranks, key=ranks.__getitem__)
    return best if ranks[best] > ALIKE else None


def unknown_of(field: Choice) -> set[str]:
    """The words of that list that a field does not take, and does not say of them that they are not offered."""
    name = nearest(field)
    unknown = {word for word in ENUMS[name] - {"touch_n_go"} if not _takes(field, word)} if name else set()
    return {word for word in unknown if field.broken(word)[0] != "not_offered"}


def test_every_word_of_the_list_that_a_field_is_like_is_known() -> None:
    assert {path: unknown for path, field in FIELDS if (unknown := unknown_of(field))} == {}


def test_most_fields_are_like_a_list() -> None:
    assert len([path for path, field in FIELDS if nearest(field)]) > len(OF_LISTS)


def test_a_payment_in_every_currency(api: Wire) -> None:
    codes = list(words("Currency"))
    assert [api.pay(currency=code)["currency"] for code in codes] == codes


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("currency", "Currency"),
        ("capture_method", "CaptureMethod"),
        ("payment_method", "PaymentMethod"),
        ("payment_method_type", "PaymentMethodType"),
        ("authentication_type", "AuthenticationType"),
        ("setup_future_usage", "FutureUsage"),
        ("payment_experience", "PaymentExperience"),
        ("payment_type", "PaymentType"),
    ],
)
def test_an_unknown_word_is_answered_with_the_list(api: Wire, field: str, name: str) -> None:
    told = (
        f"Json deserialize error: unknown variant `United`, expected one of {', '.join(f'`{w}`' for w in words(name))}"
    )
    for path in ("/payments", "/payments/pay_1", "/payments/pay_1/confirm"):
        error = api.post(path, card_payment(**{field: "United"})).error
        assert (error["code"], error["message"]) == ("IR_06", told)


@pytest.mark.parametrize(
    ("path", "field", "name"),
    [
        ("/payments/list", "status", "IntentStatus"),
        ("/payments/list", "currency", "Currency"),
        ("/refunds/list", "refund_status", "RefundStatus"),
    ],
)
def test_a_list_accepts_and_names_every_word(api: Wire, path: str, field: str, name: str) -> None:
    for word in words(name):
        assert api.post(path, {field: [word]}).status == 200, word
    message = api.post(path, {field: ["United"]}).error["message"]
    assert message.endswith(", ".join(f"`{word}`" for word in words(name)))


def test_the_default_dialect_keeps_its_own() -> None:
    schema: Any = BY_NAME["payments.create"].takes[0].of(INTERFACE).schema  # type: ignore[union-attr]  # it has a body
    assert {"CHE", "UYW"} <= set(schema.fields["currency"].words)
    assert "HRK" not in schema.fields["currency"].words


def test_no_event_is_sent_that_the_public_api_does_not_have() -> None:
    (row,) = re.findall(r"^EventType: one of (.+)$", TABLE.read_text("utf-8"), re.MULTILINE)
    assert set(EventType) <= set(row.split(" | "))
