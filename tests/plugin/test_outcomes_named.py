"""A fault of `payment_outcomes` does what it is called: the charge is made after `_kept`, not after `_not_done`."""

from __future__ import annotations

from contextlib import suppress

import pytest

from mock_server.app import create_app
from mock_server.testing.outcomes import PaymentOutcome, outcomes
from tests.wire import Wire, wire


@pytest.mark.parametrize("outcome", outcomes(["faults"]), ids=lambda one: one.name)
def test_the_charge_is_made_or_not(outcome: PaymentOutcome) -> None:
    sandbox = wire().sandbox
    api = Wire(create_app(sandbox, sleep=lambda _: None), sandbox)
    queued = {"on": outcome.on, "then": dict(outcome.then), "times": outcome.times}
    assert api.post("/_sandbox/next", queued).status == 200
    with suppress(ConnectionError, ValueError):  # as a client sees it
        api.pay()
    made = api.get("/_sandbox/records/payments")["total_count"]
    assert made == outcome.name.endswith("_kept"), "the outcome is not what it is called"
