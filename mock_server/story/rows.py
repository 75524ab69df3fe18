"""One row of a payment's timeline, and what it says in a few words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from mock_server.domain.instants import iso, parse

Fields = dict[str, Any]


class RowKind(StrEnum):
    """What a row tells of."""

    CREATED = "created"
    CALL = "call"
    PAGE = "page"
    BY_HAND = "by_hand"
    EVENT = "event"
    ATTEMPT = "attempt"
    CAPTURE = "capture"
    WEBHOOK = "webhook"
    CLOCK = "clock"


class Row(NamedTuple):
    """One thing that happened, at an instant of the workspace (ms); `fields` are what the control API shows of it."""

    at: int
    kind: RowKind
    fields: Mapping[str, Any]

    @property
    def status(self) -> str | None:
        """How the payment stood after it, where it could change that."""
        left = self.fields.get("payment")
        return str(left["status"]) if left else None

    @property
    def is_call(self) -> bool:
        """Whether somebody asked the sandbox for something."""
        return self.kind in (RowKind.CALL, RowKind.PAGE, RowKind.BY_HAND)


def as_json(rows: Iterable[Row]) -> list[Fields]:
    """The rows as the control API shows them."""
    return [{"at": iso(row.at), "kind": row.kind, **row.fields} for row in rows]


def from_json(told: Iterable[Mapping[str, Any]]) -> tuple[Row, ...]:
    """The rows of an answer of the control API, for whoever asked over HTTP."""
    return tuple(_row(one) for one in told)


def _row(told: Mapping[str, Any]) -> Row:
    fields = {name: value for name, value in told.items() if name not in ("at", "kind")}
    return Row(parse(told["at"]), RowKind(told["kind"]), fields)
