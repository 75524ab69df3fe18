"""Every member of a body that chooses from a list in the public API does so here: it takes those words, and no other.

The table (public_choices.txt) has the members, at any depth. What is stored as it came, with no type of its own, is
left out. The other way around, from our fields to lists, is test_public_words.py's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from marshmallow import Schema
from marshmallow.fields import Field

from mock_server.contract.kinds.base import FieldKind
from mock_server.contract.kinds.objects import Items, ObjectOf, Variant
from mock_server.contract.kinds.values import Anything, Free
from mock_server.contract.requests.shapes import Many
from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.dialects.parameters import operation
from tests.wire import Wire, card_data, card_payment

TABLE: Final = Path(__file__).with_name("public_choices.txt")
FREE_HERE: Final = {
    "bank_name": "banks come and go, and none decides anything here",
    "issuer": "as bank_name",
    "payout_statuses_enabled": "there are no payouts",
    "payment_method_issuer_code": "decides nothing, and is not shown",
    "expiration": "a word or an instant",
    "refund_statuses_enabled": "said to be statuses of payments, as in answers (tests/dialects/public.py)",
}
"""Members that take any text, by their last name, with the reason."""


COUNTRIES: Final = 200


def rows() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Each route with each of its members and the words of its list."""
    bodies, lists = TABLE.read_text().split("# Lists\n")
    words = {name: tuple(row.split()) for name, row in re.findall(r"^(\w+): (.+)$", lists, re.MULTILINE)}
    routes: list[str] = []
    for line in bodies.splitlines():
        if line.startswith("  "):
            name, _, members = line.strip().partition(": ")
            found = words.get(name) or tuple(name.split("|"))
            yield from ((route, member, found) for route in routes for member in members.split())
        elif line and not line.startswith("#"):
            routes = line.split(", ")


def schemas(field: Field[Any]) -> list[Schema]:
    """What can be inside of a field."""
    inner = field.inner if isinstance(field, Items) else field
    if isinstance(inner, Variant):
        return [inner.schema_for({"type": kind}) for kind in inner.variants]
    return [inner.schema] if isinstance(inner, ObjectOf) else []


def members(schema: Schema, path: list[str]) -> Iterator[FieldKind]:
    """The fields at a path that have a type."""
    field = schema.load_fields.get(path[0])
    if field is None:
        return
    if len(path) > 1:
        for one in schemas(field):
            yield from members(one, path[1:])
        return
    inner = field.inner if isinstance(field, Items) else field
    if isinstance(inner, FieldKind) and not isinstance(inner, Free | Anything | Variant):
        yield inner


def typed() -> Iterator[tuple[str, str, tuple[str, ...], FieldKind]]:
    for route, member, words in rows():
        body: Any = operation(route).takes[0].of(HYPERSWITCH)  # type: ignore[union-attr]  # it has a body
        schema = (body.one if isinstance(body, Many) else body).schema
        yield from ((route, member, words, field) for field in members(schema, member.split(".")))


ROWS: Final = tuple(typed())


def test_there_are_many() -> None:
    assert len(ROWS) > 200


@pytest.mark.parametrize(
    ("route", "member", "words", "field"), ROWS, ids=[f"{route} {member}" for route, member, _, _ in ROWS]
)
def test_a_member_takes_its_words_and_no_other(
    route: str, member: str, words: tuple[str, ...], field: FieldKind
) -> None:
    if member.rpartition(".")[2] in FREE_HERE:
        return
    with pytest.raises(Exception, match=r"must|not"):
        field.deserialize("nope")
    assert field.broken("nope")[0] == ("type" if isinstance(field, ObjectOf) else "unknown_word")
    if not isinstance(field, ObjectOf):
        refused = {word for word in words if not _takes(field, word)} - {"touch_n_go"}  # touch_ngo in its requests
        refused = {word for word in refused if field.broken(word)[0] != "not_offered"}
        assert not refused
        if len(words) > COUNTRIES:  # which no message lists
            return
        listed = [word.strip("`") for word in field.broken("nope")[1]["words"]]  # type: ignore[attr-defined]  # a tuple
        assert [word for word in listed if word in words] == [word for word in words if word in listed]


def _takes(field: FieldKind, word: str) -> bool:
    try:
        field.deserialize(word)
    except Exception:
        return False
    return True


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/payments", card_payment(payment_method_data={"card": card_data(card_network="nope")})),
        ("/payments", card_payment(connector=["nope"])),
        ("/payment_methods", {"customer_id": "cus_1", "card_network": "nope"}),
    ],
    ids=lambda value: None if isinstance(value, str) else next(reversed(value)),
)
def test_an_unknown_word_is_answered_as_one(api: Wire, path: str, body: dict[str, Any]) -> None:
    error = api.post(path, body).error
    assert (error["error_type"], error["code"]) == ("invalid_request", "IR_06")
    assert error["message"].startswith("Json deserialize error: unknown variant `nope`, expected one of `")


@pytest.mark.parametrize("channel", ["ecommerce", {"other": "kiosk"}], ids=str)
def test_a_channel_of_the_shops_own_comes_back(api: Wire, channel: object) -> None:
    assert api.pay(payment_channel=channel)["payment_channel"] == channel


@pytest.mark.parametrize("channel", ["nope", {}, {"other": 1}, ["ecommerce"], 1], ids=str)
def test_another_channel_is_refused(api: Wire, channel: object) -> None:
    error = api.post("/payments", card_payment(payment_channel=channel)).error
    assert error["message"].startswith("Json deserialize error: payment_channel must be one of ecommerce, ")
