"""What the line and the deliverer of webhooks can be told, as frozen values, and in a few words for a because."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from mock_server.domain.faults import LineFault


class DelayKind(StrEnum):
    """How the length of a delay is drawn."""

    FIXED = "fixed"
    BETWEEN = "between"
    PERCENTILES = "percentiles"


class Delay(Struct, frozen=True):
    """A wait in real milliseconds: `low`; or from `low` to `high`; or half under `low` and 1 % over `high`."""

    kind: DelayKind
    low: int
    high: int


class ErrorAnswer(Struct, frozen=True):
    """An error of the catalogue by its code, or one of the scenario's own making."""

    code: str
    status: int | None = None
    message: str | None = None


class RawAnswer(Struct, frozen=True):
    """An answer as written: text as it stands, anything else as JSON."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = None


class LineRule(Struct, frozen=True):
    """What the API and the wire do with one call; `kept`: the operation takes place, the client does not see it."""

    error: ErrorAnswer | None = None
    respond: RawAnswer | None = None
    delay: Delay | None = None
    fault: LineFault | None = None
    kept: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def ends_call(self) -> bool:
        """Whether the operation does not take place at all; a slow body is a whole answer that takes its time."""
        breaks = self.fault is not None and self.fault is not LineFault.SLOW_BODY
        return not self.kept and (self.error is not None or self.respond is not None or breaks)


class Deliver(Struct, frozen=True):
    """When a delivery leaves: by workspace's time, after another event of the same object, or at a fixed point."""

    before_response: bool = False
    during_redirect: bool = False
    delay_ms: int | None = None
    following: str | None = None


class WebhookRule(Struct, frozen=True):
    """What happens to one delivery; `copies` counts all of them, the first included."""

    deliver: Deliver | None = None
    drop: bool = False
    copies: int = 1
    concurrently: bool = False
    signature: str | None = None
    stale: bool = False


def say_line(rule: LineRule) -> str:
    """A line rule in a few words."""
    words = []
    if rule.delay is not None:
        words.append("delay")
    if rule.error is not None:
        words.append(f"error {rule.error.code}")
    if rule.respond is not None:
        words.append(f"answer {rule.respond.status} as written")
    if rule.fault is not None:
        words.append(rule.fault.value)
    if rule.headers:
        words.append(f"headers {', '.join(rule.headers)}")
    if rule.kept:
        words.append("after the operation took place")
    return ", ".join(words) or "nothing"


def say_webhook(rule: WebhookRule) -> str:
    """A webhook rule in a few words."""
    words = []
    if rule.drop:
        words.append("dropped")
    if rule.deliver is not None:
        words.append(_deliver(rule))
    if rule.copies > 1:
        words.append(f"{rule.copies} copies")
    if rule.concurrently:
        words.append("at the same moment")
    if rule.signature is not None:
        words.append(f"signature {rule.signature}")
    if rule.stale:
        words.append("body of an earlier state")
    return ", ".join(words) or "nothing"


def _deliver(rule: WebhookRule) -> str:
    deliver = rule.deliver
    if deliver is None or deliver.before_response:
        return "before the response"
    if deliver.during_redirect:
        return "during the redirect"
    if deliver.following is not None:
        return f"after {deliver.following}"
    return f"{deliver.delay_ms} ms later"
