"""The bodies of the triggers on refunds and disputes (decisions "Control API")."""

from __future__ import annotations

from typing import Any, Final

from mock_server.contract.requests.fields import Text, Whole
from mock_server.contract.requests.schema import Body
from mock_server.control.requests.bodies import DECLINE_NAMES, OURS
from mock_server.control.requests.fields import Named
from mock_server.domain import limits
from mock_server.domain.statuses import DisputeStage, RefundStatus
from mock_server.engine.disputes.ending import TARGETS

ENDS: Final = tuple(status.value for status in RefundStatus if status is not RefundStatus.PENDING)
_WRONG: Final = "must be the name of a decline; GET /_sandbox/errors lists them"

_SETTLE: Final = {
    "as": Named(ENDS, "Where it goes.", required=True, source=OURS, example="failed"),
    "decline": Named(DECLINE_NAMES, "Why it fails.", error=_WRONG, source=OURS, example="refund_failed"),
}
SettleRefundBody: Final[Any] = type("SettleRefundBody", (Body,), {"__doc__": "Where it goes.", **_SETTLE})
"""Made by hand because `as` is a word of Python's."""


class OpenDisputeBody(Body):
    """What the customer says, and over how much."""

    reason = Text("What the customer says; any text.", source=OURS, example="product_not_received")
    stage = Named([str(stage) for stage in DisputeStage], "How far it is already.", source=OURS, example="dispute")
    amount = Whole(
        "Over how much; the captured rest where it is not said.",
        least=1,
        most=int(limits.AMOUNT_MAX),
        source=OURS,
        example=1000,
    )


class AdvanceDisputeBody(Body):
    """What the bank does next."""

    to = Named(TARGETS, "Its end, or a later stage.", required=True, source=OURS, example="won")
