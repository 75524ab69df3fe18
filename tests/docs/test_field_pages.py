"""The pages of the API show the fields of every body: in a table of its own, or behind one link."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

import pytest

from docs.fields import Pages, anchor, pages, without_null
from mock_server.contract.notation import Json
from mock_server.dialects.interface import INTERFACE
from tests.openapi import agreeing

SECTION: Final = re.compile(
    r"^## (?P<title>[^\n]+)\n\n`\w+ \S+` · `(?P<operation>[\w.]+)`\n(?P<text>.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL
)
BODY: Final = re.compile(r"^Body[^:\n]*:(?P<said>[^\n]*)\n(?P<table>\n(?:\|[^\n]*\n)*)?", re.MULTILINE)
LINK: Final = re.compile(r"that of \[`(?P<operation>[\w.]+)`\]\((?P<page>[\w.]*)#(?P<anchor>[\w-]+)\)")


class Section(NamedTuple):
    """What a page says of one operation."""

    page: str
    title: str
    text: str


class Taken(NamedTuple):
    """An operation, and the fields of its body."""

    operation: str
    fields: frozenset[str]


def taken() -> Iterator[Taken]:
    whole = agreeing.plain(INTERFACE.name)
    for item in whole["paths"].values():
        for operation in (one for method, one in item.items() if method != "parameters"):
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                fields = frozenset(fields_of(whole, content["schema"]))
                if fields and "json" in kind:
                    yield Taken(operation["operationId"], fields)


def fields_of(whole: Json, schema: Json) -> set[str]:
    """The names that a body can have, or each item of one that is an array."""
    plain, _ = without_null(schema)
    if "items" in plain:
        return fields_of(whole, plain["items"])
    name = plain.get("$ref", "").rpartition("/")[2]
    if name.startswith(("Scenario", "NextRequest")):
        return set()  # on the page of the scenario language
    return set((whole["components"]["schemas"][name] if name else plain).get("properties", ()))


@cache
def sections() -> dict[str, Section]:
    made = Pages()
    return {
        found["operation"]: Section(page, found["title"], found["text"])
        for page in pages()
        for found in SECTION.finditer(made.page(page))
    }


def shown(operation: str) -> set[str]:
    """The fields of an operation's body that a reader finds, following at most one link, and that to another place."""
    section = sections()[operation]
    body = BODY.search(section.text)
    assert body, section.text
    link = LINK.search(body["said"])
    if link:
        there = sections()[link["operation"]]
        assert link["operation"] != operation
        assert (link["page"] or f"{section.page}.md") == f"{there.page}.md"
        assert link["anchor"] == anchor(there.title)
        body = BODY.search(there.text)
        assert body, there.text
    return set(re.findall(r"^\| `(\w+)`", body["table"], re.MULTILINE))


TAKEN: Final = list(taken())


@pytest.mark.parametrize("one", TAKEN, ids=[one.operation for one in TAKEN])
def test_a_reader_finds_each_field_of_a_body(one: Taken) -> None:
    assert shown(one.operation) == one.fields


def test_bodies_without_fields_say_so() -> None:
    text = "".join(section.text for section in sections().values())
    assert "NothingRequest" not in text
    assert "Body: none, `null` or `{}`." in text
    assert len(TAKEN) > 60
