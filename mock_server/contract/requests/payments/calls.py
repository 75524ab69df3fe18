"""The requests of the payments API, each as a `Shape` to load bodies with (interface §4.2, §4.5, facts §1.1)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.kinds.base import DROPPED, known_text, read_as
from mock_server.contract.kinds.objects import Body, ObjectOf, OneOrMany
from mock_server.contract.kinds.texts import CallerId, Choice, Text
from mock_server.contract.kinds.values import Amount, Flag, Free, Metadata
from mock_server.contract.requests.listing import AMOUNTS, CURSORS_AND_ORDER, Filters, StatusFilter, listing
from mock_server.contract.requests.payments.body import PaymentBody
from mock_server.contract.requests.payments.methods import authentication_type, brand, money_filters
from mock_server.contract.requests.payments.parts import Contact, comp_ind
from mock_server.contract.requests.shapes import Shape, asking, storing
from mock_server.domain import commands
from mock_server.domain.statuses import PaymentStatus
from mock_server.jsontext import canonical

_F: Final = "facts §1.1"
_L: Final = "facts §1.1.1"


class CaptureBody(Body, source=_F):
    """Amount to capture."""

    amount_to_capture = Amount("Amount to capture. Defaults to the full amount.", least=1, late=True, example=6540)
    refund_uncaptured_amount = Flag(place=DROPPED)
    statement_descriptor_suffix = Text(place=DROPPED)
    statement_descriptor_prefix = Text(place=DROPPED)
    merchant_id = CallerId("Your merchant ID. Accepted, but has no effect.", place=DROPPED)
    merchant_connector_details = Free(place=DROPPED)
    all_keys_required = Flag("Accepted, but has no effect: answers are always complete.", place=DROPPED)


class CancelBody(Body, source=_F):
    """Reason for the cancellation."""

    cancellation_reason = Text("Free text.", example="requested_by_customer")
    merchant_connector_details = Free(place=DROPPED)
    all_keys_required = Flag("Accepted, but has no effect: answers are always complete.", place=DROPPED)


class IncrementBody(Body, source=_F):
    """New total of an authorization."""

    amount = Amount("New total amount, not the difference.", late=True, required=True, example=7540)
    reason = Text("Free text.")


class MetadataBody(Body, source=_F):
    """Metadata to merge."""

    metadata = Metadata(
        "Keys to set.",
        required=True,
        example={"order_id": "1001"},
        place=read_as(lambda pairs: {key: canonical(value) for key, value in pairs.items()}),
    )
    feature_metadata = Free("Metadata for features.", place=read_as(canonical))


class CompleteBody(Body, source=_F):
    """Completion of a redirect or challenge, from the browser."""

    client_secret = Text("Client secret of the payment.")
    shipping = ObjectOf(lambda: Contact, "Shipping address.", place=read_as(known_text))
    threeds_method_comp_ind = comp_ind("", place=DROPPED)


class PaymentQuery(Body, source=_F):
    """Options for retrieving a payment."""

    client_secret = Text("Client secret; required with a publishable key.")
    force_sync = Flag("Whether to refresh the status from the connector.", example=True)
    expand_attempts = Flag("Whether to include the attempts.", example=True)
    expand_captures = Flag("Whether to include the captures.", example=True)
    all_keys_required = Flag("Accepted, but has no effect: answers are always complete.", place=DROPPED)
    merchant_id = CallerId("Your merchant ID. Accepted, but has no effect.", place=DROPPED)


class PaymentSyncBody(PaymentQuery, source=_F):
    """Options for retrieving a payment, with its ID."""

    payment_id = CallerId("ID of the payment.", required=True, example="pay_order_1001")
    merchant_connector_details = Free(place=DROPPED)


_FILTERS: Final[Filters] = {
    **CURSORS_AND_ORDER,
    **AMOUNTS,
    "status": StatusFilter(PaymentStatus, "Status.", "interface §8.2", "succeeded"),
    **money_filters(_L, "Type.", _L),
    "authentication_type": OneOrMany(authentication_type(), "With or without 3-D Secure.", source=_L),
    "card_network": OneOrMany(brand(), "Card brand.", source=_L, example="Visa"),
    "merchant_order_reference_id": OneOrMany(Text(), "Your own order reference.", source=_L),
    "customer_email": OneOrMany(Text(), "Customer's email address.", source=_L),
    "payment_id": OneOrMany(Text(), "Payment.", source=_L, example="pay_order_1001"),
    "card_discovery": OneOrMany(Choice(("saved_card", "manual", "click_to_pay")), "Source of the card.", source=_L),
}

CREATE: Final[Shape[commands.PaymentRequest]] = storing(PaymentBody, commands.PaymentRequest)
UPDATE = REPLACE = CONFIRM = CREATE
RETRIEVE: Final[Shape[commands.RetrievePayment]] = asking(PaymentQuery, commands.RetrievePayment)
SYNC: Final[Shape[commands.RetrievePayment]] = asking(PaymentSyncBody, commands.RetrievePayment)
LIST: Final = listing("payments.list", _FILTERS)
LIST_BY_QUERY: Final = listing("payments.list", _FILTERS, "GET /payments/list")
