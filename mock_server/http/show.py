"""Records become bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from mock_server.contract.answers.fields import AnswerShape
from mock_server.contract.answers.writing import write
from mock_server.domain.paging import Page
from mock_server.http.errors import JSON, TEXT
from mock_server.http.running import Answer, Call
from mock_server.jsontext import dump

T = TypeVar("T")

_HEADERS = (JSON,)
NOTHING = Answer(200, b"")
"""The answer of a call without a result (facts §1.3)."""


def show(value: object) -> Answer:
    """A value as a JSON answer."""
    return Answer(200, dump(value), _HEADERS)


def show_as(call: Call, shape: AnswerShape[T], record: T) -> Answer:
    """A record in its shape, in the dialect of the call."""
    return show(write(shape, record, call.dialect))


def show_page(call: Call, page: Page[Any], shape: AnswerShape[T], of: Callable[[Any], T] | None = None) -> Answer:
    """One page of a list, in the dialect's envelope; `of` converts an item to what its shape shows."""
    dialect, operation = call.dialect, call.operation
    keys = dialect.list_of(operation.name, operation.route)
    items = [write(shape, item if of is None else of(item), dialect) for item in page.items]
    return show(keys.envelope(items, page.total, page.has_more))


def show_or_text(call: Call, shape: AnswerShape[T], record: T) -> Answer:
    """A record in its shape, or the plain text with which the dialect answers this operation."""
    text = call.dialect.texts.get(call.operation.name)
    return show_as(call, shape, record) if text is None else Answer(200, text.encode(), (TEXT,))
