"""What a step of a story can do, beside the operations of the API, and what it can see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from mock_server.contract.operations import OPERATIONS

AGAIN: Final = "again"


class Step(Struct, frozen=True):
    """A step outside the API: a control call. `<id>` in the path is what `of` names; `body` is sent, `with` over it."""

    name: str
    path: str
    body: Mapping[str, object]
    needs_of: bool = False


def _ends(word: str, result: str) -> Step:
    return Step(f"customer.{word}", "payments/<id>/authenticate", {"result": result}, needs_of=True)


STEPS: Final[Mapping[str, Step]] = {
    step.name: step
    for step in (
        Step("clock.advance", "clock/advance", {}),
        Step("clock.freeze", "clock/freeze", {}),
        Step("clock.resume", "clock/resume", {}),
        Step("next", "next", {}),
        _ends("approve", "approved"),
        _ends("decline", "declined"),
        _ends("cancel", "cancelled"),
        _ends("expire", "expired"),
        _ends("abandon", "abandoned"),
        Step("payment.settle", "payments/<id>/settle", {"as": "succeeded"}, needs_of=True),
        Step("payment.fail", "payments/<id>/fail", {}, needs_of=True),
        Step("payment.expire", "payments/<id>/expire", {"what": "session"}, needs_of=True),
        Step("payment.hold", "payments/<id>/hold", {}, needs_of=True),
        Step("payment.dispute", "payments/<id>/dispute", {"reason": "fraudulent"}, needs_of=True),
        Step("refund.settle", "refunds/<id>/settle", {"as": "succeeded"}, needs_of=True),
        Step("dispute.advance", "disputes/<id>/advance", {}, needs_of=True),
    )
}

CONNECTIONS: Final = ("reset", "empty", "truncated", "malformed", "timeout")
"""How a client can see its call break."""

SEEN: Final = ("http", "connection", "replayed", "webhooks", "payments", "refunds", "disputes", "customers")
"""What `see` looks at by itself; every other key is a path into the answer's body."""

COUNTED: Final = ("payments", "refunds", "disputes", "customers")


def verbs() -> tuple[str, ...]:
    """Everything that `do` can be."""
    return (*dict.fromkeys(row.name for row in OPERATIONS), AGAIN, *STEPS)
