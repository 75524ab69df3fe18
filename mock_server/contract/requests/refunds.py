"""The bodies of refunds (facts §2.5)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.kinds.base import DROPPED, KEPT, KEPT_TEXT, METADATA
from mock_server.contract.kinds.objects import Body, OneOrMany
from mock_server.contract.kinds.texts import CallerId, Choice, Text
from mock_server.contract.kinds.values import Amount, Flag, Free, Metadata
from mock_server.contract.requests.listing import AMOUNTS, Filters, StatusFilter, listing
from mock_server.contract.requests.payments.methods import money_filters
from mock_server.contract.requests.shapes import Shape, storing
from mock_server.domain.refund import INSTANT, SCHEDULED, CreateRefund, UpdateRefund
from mock_server.domain.statuses import RefundStatus

_F: Final = "facts §2.5"
_L: Final = "facts §1.2"


class RefundUpdate(Body, source=_F):
    """Fields of a refund that can be changed."""

    reason = Text("Free text.", example="requested_by_customer", place=KEPT)
    metadata = Metadata(
        "Up to 50 key-value pairs of your own. They replace the previous ones.",
        example={"case": "1001"},
        place=METADATA,
    )


class RefundBody(RefundUpdate, source=_F):
    """A new refund."""

    payment_id = CallerId("ID of the payment.", required=True, example="pay_order_1001")
    refund_id = CallerId("Your own ID. Generated if omitted.", example="ref_order_1001")
    merchant_id = CallerId("Your merchant ID (optional).")
    amount = Amount("Amount in minor units. Defaults to the full captured amount.", least=1, late=True, example=1000)
    refund_type = Choice((SCHEDULED, INSTANT), "Refund immediately, or by the scheduler.", example=INSTANT, place=KEPT)
    split_refunds = Free("Returned as it was sent.", place=KEPT_TEXT)
    merchant_connector_details = Free(place=DROPPED)
    all_keys_required = Flag("Accepted, but has no effect: answers are always complete.", place=DROPPED)


class RefundQuery(Body, source=_L):
    """Options for retrieving a refund."""

    force_sync = Flag("Accepted, but has no effect: answers come by themselves.", example=True, place=DROPPED)


class RefundSyncBody(RefundQuery):
    """Options for retrieving a refund, with its ID."""

    refund_id = CallerId("ID of the refund.", required=True, source=_L, example="ref_order_1001")
    merchant_connector_details = Free(source=_F, place=DROPPED)


MONEY_FILTERS: Final[Filters] = {
    "payment_id": OneOrMany(Text(), "Payment.", source=_L, example="pay_order_1001"),
    **money_filters(_L, "Payment method type.", "ours"),
}
"""Filters of refunds and disputes alike."""

CREATE: Final[Shape[CreateRefund]] = storing(RefundBody, CreateRefund)
"""`POST /refunds`, and `PUT /refunds/{id}`, which requires the same."""
UPDATE: Final[Shape[UpdateRefund]] = storing(RefundUpdate, UpdateRefund)
LIST: Final = listing(
    "refunds.list",
    {
        **MONEY_FILTERS,
        "status": StatusFilter(RefundStatus, "Status.", "interface §8.2", "succeeded"),
        "refund_status": StatusFilter(RefundStatus, "Alias of `status`.", _L, "succeeded"),
        "refund_id": OneOrMany(Text(), "Refund.", source=_L, example="ref_order_1001"),
        **AMOUNTS,
    },
)
