"""A workspace's clock: real time plus an offset, or frozen (decisions "Clock"). Instants in ms."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from mock_server.store.protocol import NEVER

FACT = "clock"


class Clockwork(Struct, frozen=True):
    """How a workspace's time follows from real time; `advancing` while an advance leads it from instant to instant."""

    offset_ms: int = 0
    frozen_at: int | None = None
    advancing: bool = False
    stood: bool = False
    """Whether it stood before it was advanced."""

    def now(self, real_now: int) -> int:
        """The workspace's now."""
        return real_now + self.offset_ms if self.frozen_at is None else self.frozen_at

    def real(self, at: int) -> int:
        """The real instant at which the workspace's clock will show this one; `NEVER` while it stands."""
        return at - self.offset_ms if self.frozen_at is None else NEVER

    def frozen(self, at: int) -> Clockwork:
        """Standing at an instant."""
        return Clockwork(self.offset_ms, at, self.advancing, self.stood)

    def running_from(self, at: int, real_now: int) -> Clockwork:
        """Going on from an instant."""
        return Clockwork(at - real_now)

    def as_fact(self) -> dict[str, Any]:
        """What the store keeps of it."""
        fact = {"offset_ms": self.offset_ms, "frozen_at": self.frozen_at, "advancing": self.advancing}
        return {**fact, "stood": True} if self.stood else fact

    def cut_off(self, real_now: int) -> Clockwork:
        """What is left of an advance that nobody leads any more: the clock stands, or goes on, from where it was."""
        at = self.now(real_now)
        return Clockwork(self.offset_ms, at) if self.stood else self.running_from(at, real_now)


def read(fact: Any) -> Clockwork:
    """The clock that a fact stands for; real time where there is none."""
    return Clockwork(**fact) if fact else _REAL


_REAL = Clockwork()
