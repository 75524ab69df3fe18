"""A rule's period counts from when its scenario is on, also if the clock of the still empty workspace is set back."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from mock_server.domain.instants import DAY_MS, HOUR_MS, MINUTE_MS, iso
from tests.clocks import ManualClock
from tests.counts import times
from tests.wire import card_payment, wire

FROM_MS: Final = 10 * MINUTE_MS
UNTIL_MS: Final = 30 * MINUTE_MS
RULE: Final = {"on": "charge", "during": {"from": "10m", "for": "20m"}, "then": {"decline": "lost_card"}}
SCENARIO: Final = {"name": "for_a_while", "summary": "S.", "rules": [RULE]}
SERVERS: Final = {"scenarios_inline": json.dumps(SCENARIO)}
WAYS: Final[dict[str, dict[str, Any]]] = {
    "activated": SERVERS, "named": SERVERS, "server": {**SERVERS, "scenario": ("for_a_while",)},
}  # fmt: skip
"""How a scenario is on before the clock is frozen, with settings: by a call, named by each call, by the server."""
SETS_MS: Final = (0, 1, MINUTE_MS, HOUR_MS, -1, -15 * MINUTE_MS, -300 * DAY_MS)
MOMENTS_MS: Final = (0, FROM_MS - 1, FROM_MS, UNTIL_MS - 1, UNTIL_MS, 2 * UNTIL_MS)
CASES: Final = [(way, by, at) for way in WAYS for by in SETS_MS for at in MOMENTS_MS]


@pytest.mark.parametrize(("way", "set_by_ms", "at_ms"), CASES[:: times(5, soak=1)])
def test_a_period_counts_from_when_it_is_on(way: str, set_by_ms: int, at_ms: int) -> None:
    clock = ManualClock()
    api = wire(clock=clock, **WAYS[way])
    named = {"X_Sandbox_Scenario": "for_a_while"} if way == "named" else {}
    if way == "activated":
        assert api.post("/_sandbox/scenarios/for_a_while/activate").status == 200
    assert api.get("/payments/list", **named).status == 200
    frozen_at = clock.now_ms() + set_by_ms
    assert api.post("/_sandbox/clock/freeze", {"at": iso(frozen_at)}).status == 200
    assert api.post("/_sandbox/clock/advance", {"by": f"{at_ms}ms"}).status == 200
    since_ms = at_ms + max(0, set_by_ms)
    charged = api.post("/payments", {**card_payment(), "confirm": True}, **named)
    assert (charged["status"] == "failed") is (FROM_MS <= since_ms < UNTIL_MS)
    if way != "named":
        shown = api.get("/_sandbox/scenarios/for_a_while")["activated_at"]
        assert shown == iso(frozen_at + min(0, -set_by_ms))
