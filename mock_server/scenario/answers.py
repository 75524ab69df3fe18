"""What the line and the deliverer of webhooks can be told, as frozen values."""

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
    """When a delivery leaves: by world's time, after another event of the same object, or at a fixed point."""

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
