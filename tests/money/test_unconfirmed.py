"""No money without a confirmation: whatever else is done to a payment, only a confirmed one is at a connector."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import pytest

from tests.api.places import PLACES
from tests.control.test_triggers import TRIGGERS
from tests.counts import times
from tests.wire import Wire, wire

UNCONFIRMED: Final = ("requires_payment_method", "requires_confirmation")
ACTS: Final[dict[str, tuple[str, Any]]] = {
    **{name: (f"/_sandbox/payments/{{}}/{path}", body) for name, (_, path, body) in TRIGGERS.items()},
    **{one: (f"/payments/{{}}/{one}", None) for one in ("approve", "reject", "capture", "complete_authorize")},
    "capture a part": ("/payments/{}/capture", {"amount_to_capture": 1}),
    "look": ("/payments/{}/sync", None),
}
"""Every trigger, and every call that takes money, but a confirmation."""
SHARES: Final = ("payment_success_rate", "connector_success_rate")
YEARS: Final = {"startTime": "2020-01-01T00:00:00Z", "endTime": "2035-01-01T00:00:00Z"}


def _shares(api: Wire) -> list[Any]:
    asked = [{"timeRange": YEARS, "metrics": list(SHARES)}]
    return [row[name] for row in api.post("/analytics/v1/metrics/payments", asked)["queryData"] for name in SHARES]


@pytest.mark.parametrize("method", ["automatic", "manual", "manual_multiple"])
@pytest.mark.parametrize("status", UNCONFIRMED)
def test_nothing_but_a_confirmation_makes_money(status: str, method: str) -> None:
    api, found = wire(), []
    assert api.pay()["status"] == "succeeded"
    for acts in list(product(ACTS, repeat=2))[:: times(2, soak=1)]:
        payment = PLACES[status](api)  # type: ignore[index]  # the word of a status
        assert api.post(f"/payments/{payment}", {"capture_method": method}).status == 200
        for act in acts:
            path, body = ACTS[act]
            api.post(path.format(payment), body)
        shown = api.get(f"/payments/{payment}").json
        if shown["status"] not in (*UNCONFIRMED, "cancelled") or shown["amount_received"] or shown["connector"]:
            found.append((acts, shown["status"], shown["amount_received"]))
    assert not found, (len(found), found[:8])
    assert all(0 <= share <= 100 for share in _shares(api))
