"""The events after a number are those of the whole inbox with higher ones, whichever there are and are left."""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest

from mock_server.engine.kinds import STRETCH
from tests.api.money_places import paid
from tests.wire import wire

MANY: Final = 2 * STRETCH + 6
LEFT: Final = STRETCH + 9
"""Some of the first stretch are dropped, where the inbox is bounded."""
AROUND: Final = [at + more for at in (0, MANY - LEFT, STRETCH, 2 * STRETCH, MANY) for more in (0, 1, 2)]


@pytest.mark.parametrize("most", [MANY, LEFT])
def test_they_are_those_with_a_higher_number(most: int) -> None:
    api = wire(inbox=most)
    for number in range(MANY):
        paid(api, "insufficient_funds" if number % 3 == 1 else "success")
    for only in ("", "&type=payment_succeeded", "&type=payment_failed", "&type=refund_failed"):
        every = api.get(f"/_sandbox/webhooks?limit=1000{only}")["data"]
        for after, limit in product((*AROUND, 2**53 - 1), (1, 1000)):
            beyond = [event for event in every if event["number"] > after]
            found = api.get(f"/_sandbox/webhooks?after={after}&limit={limit}{only}")
            assert (found["data"], found["total_count"]) == (beyond[:limit], len(beyond))
