"""Records become bytes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from mock_server.dialects import Dialect
from mock_server.http.context import Answer
from mock_server.http.errors import JSON
from mock_server.jsontext import dump

_HEADERS = (JSON,)


def show(value: object) -> Answer:
    """A value as a JSON answer."""
    return Answer(200, dump(value), _HEADERS)


def with_count(dialect: Dialect, kind: type[StrEnum], counts: Mapping[object, int]) -> dict[str, int]:
    """How many records stand in each status, those with none included (facts §1.7)."""
    return {dialect.status_out(status): counts.get(status.value, 0) for status in kind}
