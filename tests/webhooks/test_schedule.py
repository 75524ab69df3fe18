"""The table of retries (facts §6.2)."""

from __future__ import annotations

from mock_server.domain.instants import HOUR_MS, MINUTE_MS
from mock_server.webhooks.delivery_log import DELAYS

FACTS = [1, 5, 5, 10, 10, 10, 10, 10, 60, 60, 60, 60, 60, 360, 360, 360]
"""Minutes, written down anew from the public table."""


def test_there_are_sixteen_in_about_a_day() -> None:
    assert [delay // MINUTE_MS for delay in DELAYS] == FACTS
    assert len(DELAYS) == 16
    assert 23 * HOUR_MS < sum(DELAYS) < 25 * HOUR_MS
