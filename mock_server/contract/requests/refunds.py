"""The bodies of refunds (facts §2.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.kinds.base import FieldKind
from mock_server.contract.kinds.objects import Body, OneOrMany
from mock_server.contract.kinds.places import DROPPED, KEPT, KEPT_TEXT, METADATA, Loaded
from mock_server.contract.kinds.texts import CallerId, Choice, Text, currency_code
from mock_server.contract.kinds.values import Amount, Flag, Free, Metadata
from mock_server.contract.requests.listing import amounts, listing
from mock_server.contract.requests.payments.methods import METHOD_WORDS, METHODS_MEANT, TYPE_WORDS
from mock_server.contract.requests.shapes import Shape, asking
from mock_server.domain.errors import Cause
from mock_server.domain.paging import Query
from mock_server.domain.refund import INSTANT, SCHEDULED, CreateRefund, RetrieveRefund, UpdateRefund

_F: Final = "facts §2.5"
_L: Final = "facts §1.2"
_I: Final = "interface §8.2"


class RefundUpdate(Body):
    """Fields of a refund that can be changed."""

    reason = Text("Free text.", source=_F, example="requested_by_customer", place=KEPT)
    metadata = Metadata(
        "Up to 50 key-value pairs of your own. They replace the previous ones.",
        source=_F,
        example={"case": "1001"},
        place=METADATA,
    )


class RefundBody(RefundUpdate):
    """A new refund."""

    payment_id = CallerId("Id of the payment.", required=True, source=_F, example="pay_order_1001")
    refund_id = CallerId("Your own id. Generated if omitted.", source=_F, example="ref_order_1001")
    merchant_id = CallerId("Your merchant id (optional).", source=_F)
    amount = Amount(
        "Amount in minor units. Defaults to the full captured amount.",
        least=1,
        source=_F,
        example=1000,
    )
    refund_type = Choice(
        (INSTANT, SCHEDULED), "Refund immediately, or by the scheduler.", source=_F, example=INSTANT, place=KEPT
    )
    split_refunds = Free("Returned as it was sent.", source=_F, place=KEPT_TEXT)
    merchant_connector_details = Free("Accepted, but has no effect.", source=_F, place=DROPPED)
    all_keys_required = Flag("Accepted, but has no effect: answers are always complete.", source=_F, place=DROPPED)


class RefundQuery(Body):
    """Options for retrieving a refund."""

    force_sync = Flag("Whether to refresh the status from the connector.", source=_L, example=True)


class RefundSyncBody(RefundQuery):
    """Options for retrieving a refund, with its id."""

    refund_id = CallerId("Id of the refund.", required=True, source=_L, example="ref_order_1001")
    merchant_connector_details = Free("Accepted, but has no effect.", source=_F, place=DROPPED)


def money_filters() -> dict[str, FieldKind]:
    """What everything that happens to a payment's money can be filtered by."""
    methods = tuple(dict.fromkeys((*METHOD_WORDS, *TYPE_WORDS)))
    return {
        "payment_id": OneOrMany(Text(), "Payment.", source=_L, example="pay_order_1001"),
        "customer_id": OneOrMany(Text(), "Customer.", source=_I, example="cus_shopper_42"),
        "currency": OneOrMany(currency_code(), "Currency.", source=_I, example="USD"),
        "payment_method": OneOrMany(Choice(methods), "Payment method category or type.", source=_I, example="card"),
        "payment_method_type": OneOrMany(Choice(TYPE_WORDS), "Payment method type.", source="ours", example="credit"),
        "profile_id": OneOrMany(Text(), "Id of the business profile.", source=_L, example="pro_0123456789abcdefghij"),
        "connector": OneOrMany(Text(), "Connector.", source=_L),
        "merchant_connector_id": OneOrMany(
            Text(), "Id of the connector account.", source=_L, example="mca_0123456789abcdefghij"
        ),
    }


def _filters(statuses: tuple[str, ...]) -> dict[str, FieldKind]:
    return {
        "status": OneOrMany(Choice(statuses), "Status.", source=_I, example="succeeded"),
        "refund_status": OneOrMany(Choice(statuses), "Alias of `status`.", source=_L, example="succeeded"),
        "refund_id": OneOrMany(Text(), "Refund.", source=_L, example="ref_order_1001"),
        **amounts(),
    }


PLACES: Final = RefundBody.places()
UPDATE_PLACES: Final = RefundUpdate.places()


def _create(loaded: Loaded) -> CreateRefund:
    command, carried, _ = PLACES(loaded)
    return CreateRefund(**command, carried=carried)


def _update(loaded: Loaded) -> UpdateRefund:
    _, carried, _ = UPDATE_PLACES(loaded)
    return UpdateRefund(carried)


def _replacement(loaded: Loaded) -> UpdateRefund:
    """Of all that create takes, what an update may change."""
    _, carried, _ = UPDATE_PLACES.whole({name: loaded.get(name) for name in UPDATE_PLACES.names})
    return UpdateRefund(carried)


CREATE: Final[Shape[CreateRefund]] = Shape(RefundBody, _create)
"""`POST /refunds`."""
REPLACE: Final[Shape[UpdateRefund]] = Shape(RefundBody, _replacement)
"""`PUT /refunds/{id}`, which requires what create requires."""
UPDATE: Final[Shape[UpdateRefund]] = Shape(RefundUpdate, _update)
RETRIEVE: Final[Shape[RetrieveRefund]] = asking(RefundQuery, RetrieveRefund, Cause.UNKNOWN_PARAMETER)
SYNC: Final[Shape[RetrieveRefund]] = asking(RefundSyncBody, RetrieveRefund)


def refunds_list(statuses: Mapping[str, object], names: Mapping[str, str]) -> Shape[Query]:
    """`POST` and `GET /refunds/list`.

    `statuses` gives the engine's status for every word that the dialect understands, `names` the wire's name of a
    parameter by the engine's.
    """
    translate = {"status": statuses, "refund_status": statuses, **METHODS_MEANT}
    return listing({**money_filters(), **_filters(tuple(statuses))}, names, translate)
