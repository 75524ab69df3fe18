"""How far the values of control calls may go. Instants and durations in ms."""

from __future__ import annotations

from typing import Final

from mock_server.domain.instants import DAY_MS, MINUTE_MS

LONGEST_MS: Final = 3650 * DAY_MS
LONGEST_WAIT_MS: Final = 10 * MINUTE_MS
EARLIEST: Final = 0
LATEST: Final = 221_845_392_000_000  # 9000-01-01: what is due years later still has a date
