"""Records become bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

from mock_server.contract.dialect import Dialect
from mock_server.domain.paging import Page
from mock_server.http.context import Answer, Call
from mock_server.http.errors import JSON
from mock_server.jsontext import dump

T = TypeVar("T")

_HEADERS = (JSON,)
TEXT = ("Content-Type", "text/plain; charset=utf-8")
NOTHING = Answer(200, b"")
"""The answer of a call with nothing to tell (facts §1.3)."""


def show(value: object) -> Answer:
    """A value as a JSON answer."""
    return Answer(200, dump(value), _HEADERS)


def show_page(call: Call, page: Page[T], of: Callable[[T, Dialect], object]) -> Answer:
    """One page of a list, in the dialect's envelope."""
    dialect, operation = call.dialect, call.operation
    keys = dialect.list_of(operation.name, operation.route)
    return show(keys.envelope([of(item, dialect) for item in page.items], page.total, page.has_more))


def show_or_text(call: Call, value: object) -> Answer:
    """A value as a JSON answer, or the plain text that the dialect answers this operation with."""
    text = call.dialect.texts.get(call.operation.name)
    return show(value) if text is None else Answer(200, text.encode(), (TEXT,))


def with_count(dialect: Dialect, kind: type[StrEnum], counts: Mapping[object, int]) -> dict[str, int]:
    """How many records stand in each status, those with none included (facts §1.7)."""
    return {dialect.status_out(status): counts.get(status.value, 0) for status in kind}
