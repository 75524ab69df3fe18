"""What expectations look at: the facts of one call or one delivery, or a record, by plain paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct, field

from mock_server.scenario.conditions.paths import ROOTS, Path, Root, compile_path, follow


class CallFacts(Struct, frozen=True, kw_only=True):
    """One call that came in, once it is answered: `http` None where the client got no status.

    `code` is the error's code on the wire, `fault` what the line did, `replayed` that a kept answer was given. Paths
    of `when` (`body.…`, `header.…`, `query.…`, `payment.…`) lead into the call.
    """

    operation: str
    http: int | None
    replayed: bool = False
    code: str | None = None
    fault: str | None = None
    key: str | None = None
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    records: Mapping[str, object] = field(default_factory=dict)
    attempt: int = 1


class WebhookFacts(Struct, frozen=True, kw_only=True):
    """One attempt to deliver an event; `http` None where nothing answered, `object` as it was sent."""

    type: str
    delivered: bool
    http: int | None = None
    attempt: int = 1
    copy: int = 1
    event_id: str | None = None
    payment_id: str | None = None
    object: object = None


CALL_FACTS: Final = ("http", "replayed", "code", "fault", "key")
WEBHOOK_FACTS: Final = ("type", "delivered", "http", "attempt", "copy", "event_id", "payment_id", "object")


def _plain(moment: Any, steps: tuple[str, ...]) -> object:
    return follow(moment, steps)


PLAIN: Final = Root("", _plain)
"""The root of paths that begin in the thing itself."""


def compile_fact(subject: str, text: str) -> Path:
    """The path of an expectation's condition. ValueError says what is wrong with it."""
    steps = tuple(text.split("."))
    if "" in steps:
        raise ValueError("has an empty step")
    if subject == "calls":
        if text in CALL_FACTS:
            return Path(text, PLAIN, steps)
        if steps[0] not in ROOTS:
            raise ValueError(f"is nothing that a call has; it has on, {', '.join(CALL_FACTS)} and the paths of when")
        return compile_path(text)
    if subject == "webhooks" and steps[0] not in WEBHOOK_FACTS:
        raise ValueError(f"is nothing that a delivery has; it has {', '.join(WEBHOOK_FACTS)}")
    return Path(text, PLAIN, steps)
