"""A field's description is about that field: it does not begin with the name of another one.

So it shows where a text was copied from a neighbour, or is shared by fields of which it names one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server import dialects
from mock_server.openapi.document import document

SAME: Final = {
    "card_network": "Brand",
    "groupByNames": "Dimensions",
    "list": "Codes",
    "payment_method": "Category",
    "payment_method_subtype": "Type",
    "payment_method_type": "Category",
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
