"""Whatever changes what is shown of a payment moves its `updated`; every call about a payment, in every status."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.domain.statuses import PaymentStatus as S
from tests.api.places import PLACES
from tests.clocks import ManualClock
from tests.engine.test_given import CALLS
from tests.wire import Wire

DATED: Final = ("modified_at", "updated")
BY_OTHERS: Final = frozenset({"manual_retry_allowed", "payment_method_status", *DATED})
"""What follows from the time, from the profile or from other records."""


def shown(api: Wire, payment: str) -> dict[str, Any]:
    answer = api.get(f"/payments/{payment}?expand_attempts=true&expand_captures=true").json
    for attempt in answer.get("attempts") or ():
        attempt.pop("modified_at")
    return dict(answer)


@pytest.mark.parametrize("status", list(S))
def test_a_change_is_dated(api: Wire, clock: ManualClock, status: S) -> None:
    found = []
    for number, (method, path, body) in enumerate(CALLS):
        if path.endswith(("/export", "/timeline", "/why")):
            continue
        payment = PLACES[status](api)
        before = shown(api, payment)
        clock.advance(1000)
        sent = {**body, "payment_id": payment} if body and "payment_id" in body else body
        reply = api.call(method, path.replace("<id>", payment), sent)
        after = shown(api, payment)
        changed = {name for name in after if after[name] != before.get(name)} - BY_OTHERS
        now = api.get("/_sandbox/clock")["now"]
        if bool(changed) is not (after["updated"] == now) or after["updated"] != after["modified_at"]:
            found.append((number, method, path, body, reply.status, changed, after["updated"], now))
    assert not found, found
