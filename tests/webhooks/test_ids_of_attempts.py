"""The same calls give attempts the same ids, whichever receiver answers first."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from tests.counts import times
from tests.webhooks.shops import Delivered, Mall, mall

EVENTS: Final = 6
COPIES: Final = {"on": "webhook.*", "when": {"attempt": 2}, "then": {"copies": 2}}


def ids(chance: Random | None) -> dict[tuple[str, int, int], str]:
    """Resends some events one after the other; by chance, one is answered only after the next ones were."""
    shop = mall()
    for _ in range(EVENTS):
        shop.api.pay()
    shop.deliver()
    shop.scenario(COPIES)
    waiting = [event.event_id for event in shop.events()]

    def answer(delivered: Delivered) -> int:
        while waiting and chance is not None and chance.random() < 0.5:
            resend(shop, waiting.pop(0))
        return 200

    shop.shop.always = answer
    while waiting:
        resend(shop, waiting.pop(0))
    return {(one.event_id, one.number, one.copy): one.attempt_id for one in shop.attempts()}


def resend(shop: Mall, event_id: str) -> None:
    assert shop.api.post(f"/_sandbox/webhooks/{event_id}/resend").status == 200


@pytest.mark.parametrize("seed", range(times(5, soak=500)))
def test_who_answers_first_changes_no_id(seed: int) -> None:
    found = ids(Random(seed))
    assert found == ids(None)
    assert len(set(found.values())) == len(found) == 3 * EVENTS
