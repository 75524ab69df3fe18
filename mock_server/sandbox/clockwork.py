"""A workspace's clock: real time plus an offset, or frozen (decisions "Clock"). Times in ms."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, structs

from mock_server.domain.instants import Instant
from mock_server.store.protocol import NEVER

FACT = "clock"


class Clockwork(Struct, frozen=True):
    """How a workspace's time follows from real time; `advancing` while a call advances it step by step to `target`."""

    offset_ms: int = 0
    frozen_at: Instant | None = None
    advancing: bool = False
    stood: bool = False
    """Whether it was frozen before the advance."""
    target: int | None = None

    def now(self, real_now: int) -> int:
        """The workspace's time."""
        return real_now + self.offset_ms if self.frozen_at is None else self.frozen_at

    def real(self, at: int) -> int:
        """The real time at which the workspace's clock will show this time; `NEVER` while it is frozen."""
        return at - self.offset_ms if self.frozen_at is None else NEVER

    def frozen(self, at: int) -> Clockwork:
        return Clockwork(self.offset_ms, at, self.advancing, self.stood, self.target)

    def running_from(self, at: int, real_now: int) -> Clockwork:
        return Clockwork(at - real_now)

    def as_fact(self) -> dict[str, Any]:
        """The fact that the store keeps."""
        return structs.asdict(self)

    def after_advance(self, at: int, real_now: int) -> Clockwork:
        """The clock after an advance to this time, or one interrupted there: frozen or running as before it."""
        return Clockwork(self.offset_ms, at) if self.stood else self.running_from(at, real_now)


def read(fact: Any) -> Clockwork:
    """The clock that a fact describes; real time without one."""
    return Clockwork(**fact) if fact else _REAL


_REAL = Clockwork()
