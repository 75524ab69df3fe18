"""What the line and the deliverer of webhooks can be told, as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from mock_server.domain.faults import LineFault
from mock_server.domain.values import frozen


class DelayKind(StrEnum):
    """How the length of a delay is drawn."""

    FIXED = "fixed"
    BETWEEN = "between"
    PERCENTILES = "percentiles"


@frozen
class Delay:
    """A wait in real milliseconds: `low`; or from `low` to `high`; or half under `low` and 1 % over `high`."""

    kind: DelayKind
    low: int
    high: int


@frozen
class ErrorAnswer:
    """An error of the catalogue by its code, or one of the scenario's own making."""

    code: str
    status: int | None = None
    message: str | None = None


@frozen
class RawAnswer:
    """An answer as written: text as it stands, anything else as JSON."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = None


@frozen
class LineRule:
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


@frozen
class Deliver:
    """When a delivery leaves: by workspace's time, after another event of the same object, or at a fixed point."""

    before_response: bool = False
    during_redirect: bool = False
    delay_ms: int | None = None
    following: str | None = None


@frozen
class WebhookRule:
    """What happens to one delivery; `copies` counts all of them, the first included."""

    deliver: Deliver | None = None
    drop: bool = False
    copies: int = 1
    concurrently: bool = False
    signature: str | None = None
    stale: bool = False
