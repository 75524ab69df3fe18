"""A field's description is about that field: not the name of another one, and of one without effect it says that.

The first finds texts that were copied from a neighbour, or are shared by fields of which they name one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server import dialects
from mock_server.contract.kinds.base import DROPPED, FieldKind
from mock_server.contract.kinds.objects import Body
from mock_server.contract.kinds.rules import ValueRule
from mock_server.contract.kinds.texts import Choice
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.paging import DEFAULT_LIMIT
from mock_server.openapi.document import document
from mock_server.openapi.examples import recorded
from tests.openapi.agreeing import plain

SAME: Final = {
    "card_network": "Brand",
    "groupByNames": "Dimensions",
    "list": "Codes",
    "payment_method": "Category",
    "phone": "Telephone number",
    "transaction_status": "Result",
}
"""Fields that another field's name describes well."""


def described(node: Any) -> Iterator[tuple[str, str]]:
    """Every property and parameter with the first sentence of its description."""
    if isinstance(node, list):
        for item in node:
            yield from described(item)
    elif isinstance(node, dict):
        found = dict(node["properties"]) if isinstance(node.get("properties"), dict) else {}
        if "in" in node and isinstance(node.get("name"), str):
            found[node["name"]] = node
        for name, field in found.items():
            if isinstance(field, dict):
                yield name, str(field.get("description", "")).split(".")[0].split(" (")[0]
        for value in node.values():
            yield from described(value)


def words_of(name: str) -> frozenset[str]:
    """The words of a name or a sentence, as singulars: `cardNetwork`, `card_networks`, "Card networks" are the same."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return frozenset(word.removesuffix("s") for word in re.findall(r"[a-z0-9]+", apart))


@pytest.mark.parametrize("dialect", dialects.DIALECTS)
def test_no_field_is_described_by_the_name_of_another(dialect: str) -> None:
    found = set(described(document(dialects.get(dialect))))
    names = {words_of(name) for name, _ in found}
    others = {(name, says) for name, says in found if words_of(says) in names and not words_of(says) & words_of(name)}
    assert len(found) > 1000
    assert others == set(SAME.items())


READ_BY_THEIR_BODY: Final = {"billing", "card", "payment_method_data", "card_cvc"}
"""Fields that no command has by their own name, but that the body's own function reads."""


def every_body(kind: type[Body] = Body) -> Iterator[type[Body]]:
    for body in kind.__subclasses__():
        yield body
        yield from every_body(body)


def test_a_field_without_effect_says_so() -> None:
    for dialect in dialects.DIALECTS:
        document(dialects.get(dialect))  # loads every body
    dropped = {
        (body.__name__, name, field.metadata["description"])
        for body in every_body()
        for name, field in body._declared_fields.items()
        if isinstance(field, FieldKind) and field.place is DROPPED and name not in READ_BY_THEIR_BODY
    }
    assert len(dropped) > 50
    assert {one for one in dropped if "no effect" not in one[2] and "Not stored" not in one[2]} == set()


TOLD: Final = re.compile(r"default|Generated|no effect|a new (one|account)", re.IGNORECASE)
FROM_ELSEWHERE: Final = {"client_secret", "customer", "connector", "session_expiry"}
"""What an answer has under another meaning, or from the setting of its name."""


def answered() -> Iterator[Any]:
    """Each field of a recorded call that creates something without it, but has a value in the answer."""
    for name, row in recorded()["operations"].items():
        shape = BY_NAME[name].takes[0] if name.endswith(".create") and "request" in row else None
        known = getattr(shape and shape.of(INTERFACE), "schema", None)
        for field, kind in (known.load_fields if known and isinstance(row.get("answer"), dict) else {}).items():
            if field not in row["request"] and row["answer"].get(field) not in (None, {}, [], "", False):
                yield pytest.param(field, kind, row["answer"][field], id=f"{name} {field}")


ANSWERED: Final = list(answered())


def test_some_fields_have_defaults() -> None:
    assert len(ANSWERED) > 10


@pytest.mark.parametrize(("field", "kind", "value"), ANSWERED)
def test_what_is_answered_without_being_sent_is_told(field: str, kind: FieldKind, value: object) -> None:
    assert field in FROM_ELSEWHERE or TOLD.search(kind.about), f"{kind.about!r} does not say that it is {value!r}"


LINKING: Final = {"a", "an", "as", "at", "be", "have", "is", "it", "must", "of", "one", "or", "such", "the", "that"}


def unstated() -> Iterator[tuple[str, str, str]]:
    """Body, field and rule where neither the schema nor the description says what a value must be."""
    plain("interface")  # loads every body
    for body in every_body():
        if not body.__module__.startswith("mock_server."):
            continue  # another test's own
        for name, field in body._declared_fields.items():
            for rule in field.validators if isinstance(field, FieldKind) else ():
                if isinstance(rule, ValueRule) and not rule.documented:
                    says = str(rule.says if isinstance(rule.says, str) else rule.says(""))
                    told = words_of(field.metadata.get("description", ""))
                    if not (isinstance(field, Choice) or told & words_of(says) - LINKING):
                        yield body.__name__, name, says


def test_what_a_value_must_be_is_said() -> None:
    assert list(unstated()) == []


def test_what_a_page_has_by_default_is_said() -> None:
    paths = plain("interface")["paths"]
    lists = [item["get"] for path, item in paths.items() if path.endswith("/list") and "get" in item]
    for operation in lists:
        says = {one.get("name"): one.get("description", "") for one in operation["parameters"]}
        assert f"Defaults to {DEFAULT_LIMIT}." in says["limit"], operation["operationId"]
        assert "Defaults to 0." in says["offset"], operation["operationId"]
    assert len(lists) > 8
