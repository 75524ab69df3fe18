"""The bodies of refunds (facts §2.5)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.requests.fields import CallerId, Choice, Flag, Free, Metadata, Text, Whole
from mock_server.contract.requests.schema import Body
from mock_server.domain import limits
from mock_server.domain.refund import INSTANT, SCHEDULED

_F: Final = "facts §2.5"
_MOST: Final = int(limits.AMOUNT_MAX)


class UpdateBody(Body):
    """What can be said anew."""

    reason = Text("Free text.", source=_F, example="requested_by_customer")
    metadata = Metadata("Up to 50 pairs of your own; they replace those before.", source=_F, example={"case": "1001"})


class RefundBody(UpdateBody):
    """Which payment, and how much of it."""

    payment_id = CallerId("The payment.", required=True, source=_F, example="pay_order_1001")
    refund_id = CallerId("Your own id; generated when absent.", source=_F, example="ref_order_1001")
    merchant_id = CallerId("Your own merchant id, if at all.", source=_F)
    amount = Whole(
        "How much, in the lowest denomination; everything captured where it is not said.",
        least=1,
        most=_MOST,
        source=_F,
        example=1000,
    )
    refund_type = Choice((INSTANT, SCHEDULED), "Now, or by the scheduler.", source=_F, example=INSTANT)
    split_refunds = Free("Given back as it came.", source=_F)
    merchant_connector_details = Free("Taken, and changes nothing.", source=_F)
    all_keys_required = Flag("Taken; answers always hold everything.", source=_F)


class RetrieveQuery(Body):
    """How to look at a refund."""

    force_sync = Flag("Whether to ask the connector.", source="facts §1.2", example=True)


class SyncBody(RetrieveQuery):
    """The same as a body, which names the refund."""

    refund_id = CallerId("The refund.", required=True, source="facts §1.2", example="ref_order_1001")
    merchant_connector_details = Free("Taken, and changes nothing.", source=_F)
