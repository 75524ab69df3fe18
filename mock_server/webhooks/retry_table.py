"""When an event that was not accepted is retried: sixteen times in about a day (facts §6.2)."""

from __future__ import annotations

from typing import Final

from mock_server.domain.instants import HOUR_MS, MINUTE_MS

STEPS: Final[tuple[tuple[int, int], ...]] = (
    (1, 1 * MINUTE_MS),
    (2, 5 * MINUTE_MS),
    (5, 10 * MINUTE_MS),
    (5, 1 * HOUR_MS),
    (3, 6 * HOUR_MS),
)
"""How often, and after how much of the workspace's time since the previous attempt."""

DELAYS: Final = tuple(delay for times, delay in STEPS for _ in range(times))


def delay_after(retries: int) -> int | None:
    """The delay after an attempt until the next one, in ms, after a number of retries; None: no more retries."""
    return DELAYS[retries] if retries < len(DELAYS) else None
