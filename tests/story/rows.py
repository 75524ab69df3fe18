"""The rows of a timeline, read from what the control API says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mock_server.domain.instants import parse
from mock_server.story.words import RowKind, TimelineRow


def from_json(answered: Iterable[Mapping[str, Any]]) -> tuple[TimelineRow, ...]:
    return tuple(TimelineRow(parse(row["at"]), RowKind(row["kind"]), _fields(row)) for row in answered)


def _fields(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("at", "kind")}
