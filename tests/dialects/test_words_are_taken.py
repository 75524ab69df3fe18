"""Every word of every list of every body is taken as the list says, in both dialects, and shown as it was sent.

The words are those that the contract has for a field, or all of the public API's where either dialect's are read. A
word that means the same as another is shown as the dialect writes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from marshmallow import Schema

from mock_server.contract.dialect import Dialect
from mock_server.contract.kinds.objects import Items, ObjectOf
from mock_server.contract.kinds.texts import Choice
from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.hyperswitch.words import WORD_LISTS
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.merchant import FILTERED
from mock_server.domain.methods import CATEGORY_ALIASES
from tests.counts import times
from tests.dialects.test_public_echoes import Path, body_with
from tests.routes.good import GOOD, caller
from tests.wire import wire

DEEP: Final = 4


def choices(schema: Schema, path: Path = ()) -> Iterator[tuple[Path, Choice]]:
    """Every field of a schema, at any depth, that has a list of words."""
    for name, field in schema.load_fields.items():
        inner, place = (field.inner, (*path, name, "[]")) if isinstance(field, Items) else (field, (*path, name))
        if isinstance(inner, Choice):
            yield place, inner
        elif type(inner) is ObjectOf and len(place) < DEEP:
            yield from choices(inner.schema, place)


NOT_HERE: Final = {"payments.list", "refunds.list", "connectors.update"}
"""Filters, which test_words_come_back.py tries, and what is tried with the operation that creates."""


def cases() -> Iterator[tuple[Dialect, Operation, Path, str]]:
    """Each word of each field."""
    for dialect in (INTERFACE, HYPERSWITCH):
        for row in BY_NAME.values():
            shape: Any = None if row.takes[0] is None or row.name in NOT_HERE else row.takes[0].of(dialect)
            if row.multipart or not hasattr(shape, "schema"):
                continue
            for path, field in choices(shape.schema):
                own = WORD_LISTS[field.named] if dialect is HYPERSWITCH and field.named and field.narrows else ()
                yield from ((dialect, row, path, word) for word in own or field.words)


CASES: Final = tuple(cases())


def shown_at(answer: Any, path: Path) -> Any:
    """What an answer has at a place; None if it has nothing there."""
    for name in path:
        if name == "[]":
            answer = answer[0] if isinstance(answer, list) and answer else None
        else:
            answer = answer.get(name) if isinstance(answer, dict) else None
    return answer


def meaning(dialect: Dialect, path: Path, word: str) -> object:
    """What a status of a filter or a category means; other words mean themselves."""
    kind = next((kind for name, kind in FILTERED.items() if name in path), None)
    return CATEGORY_ALIASES.get(word, word) if kind is None else dialect.readings[kind].get(word, word)


def test_there_are_many() -> None:
    assert len(CASES) > 5_000
    assert ("profiles.create", "conflicted") in {(row.name, word) for _, row, _, word in CASES}


@pytest.mark.parametrize("part", range(4))
def test_every_word_is_taken_and_comes_back(part: int) -> None:
    hooks = [case for case in CASES if case[2][0] == "webhook_details"]
    others = [case for case in CASES if case[2][0] != "webhook_details"]
    wrong = []
    for dialect, row, path, word in (*hooks, *others[:: times(197, soak=7)])[part::4]:
        api = wire(dialect=dialect)
        good = GOOD[row.name](api)
        body = body_with(path, word, good.body)
        reply = caller(api, row).call(row.method, good.path(row), body, headers=dict(good.headers))
        is_wrong = reply.status >= 500 and reply.status != 501
        if path[0] == "webhook_details" and reply.status != 200:
            is_wrong |= reply.error["code"] != "IR_06"  # a status for which there is no event
        shown = shown_at(reply.json, path) if reply.status == 200 else None
        if isinstance(shown, str):
            is_wrong |= meaning(dialect, path, shown) != meaning(dialect, path, word)
        if is_wrong:
            wrong.append((dialect.name, row.name, ".".join(path), word, reply.raw.decode()[:200]))
    assert not wrong, (len(wrong), wrong)
