"""A refusal of what a status forbids names the act that was asked for, whichever call it is."""

from __future__ import annotations

from typing import Final

import pytest

from mock_server.domain.errors import Cause
from tests.clocks import ManualClock
from tests.routes.wrong import WRONG
from tests.wire import wire

REFUSED: Final = tuple(one for one in WRONG if "action" in one[1].params)
SESSION: Final = "create a session token for"
NAMES: Final = {
    "payments.create": "charge",
    "payments.replace": "update",
    "payments.sync_cancel_post_capture": "cancel_post_capture",
    "payments.complete_authorize": "confirm",
    "payments.incremental_authorization": "increment authorization",
    "payments.extend_authorization": "extend authorization",
    **{
        f"payments.{name}": SESSION
        for name in ("session_tokens", "post_session_tokens", "eligibility", "eligibility_check", "calculate_tax")
    },
    "customers.default_payment_method": "make default",
    **{f"disputes.{verb}_evidence": f"{verb} evidence" for verb in ("submit", "attach", "delete")},
}
"""The act of each call whose name does not say it (facts §3.3)."""


def test_there_are_many() -> None:
    assert len(REFUSED) > 20


@pytest.mark.parametrize(("operation", "cause"), REFUSED, ids=[f"{name} {cause}" for name, cause in REFUSED])
def test_a_refusal_names_its_act(operation: str, cause: Cause) -> None:
    clock = ManualClock()
    api = wire(clock=clock)
    reply = WRONG[operation, cause](api, clock)
    act = NAMES.get(operation, operation.rpartition(".")[2])
    assert f"which does not allow this action: {act}" in reply.error["message"]
