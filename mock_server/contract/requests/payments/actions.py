"""The small bodies of what is done to a payment (interface §4.5, facts §1.1, §3.3)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.requests.fields import Amount, CallerId, Flag, Free, Metadata, Part, Text, Whole
from mock_server.contract.requests.payments.address import Contact
from mock_server.contract.requests.payments.threeds import comp_ind
from mock_server.contract.requests.schema import Body
from mock_server.domain import limits

_F: Final = "facts §1.1"
_MOST: Final = int(limits.AMOUNT_MAX)


class NothingBody(Body):
    """Nothing to say: no body, `null` or `{}`."""


class CaptureBody(Body):
    """How much to settle."""

    amount_to_capture = Whole("How much; all where it is not said.", least=1, most=_MOST, source=_F, example=6540)
    refund_uncaptured_amount = Flag("Whether the rest is released.", source=_F)
    statement_descriptor_suffix = Text("Appended to the merchant's descriptor.", source=_F)
    statement_descriptor_prefix = Text("Put before it.", source=_F)
    merchant_id = CallerId("Your own merchant id, if at all.", source=_F)
    merchant_connector_details = Free("Taken, and changes nothing.", source=_F)
    all_keys_required = Flag("Taken; answers always hold everything.", source=_F)


class CancelBody(Body):
    """Why it is cancelled."""

    cancellation_reason = Text("Free text.", source=_F, example="requested_by_customer")
    merchant_connector_details = Free("Taken, and changes nothing.", source=_F)
    all_keys_required = Flag("Taken; answers always hold everything.", source=_F)


class IncrementBody(Body):
    """The new total of an authorization."""

    amount = Amount("The new total, not the difference.", required=True, source=_F, example=7540)
    reason = Text("Free text.", source=_F)


class MetadataBody(Body):
    """Metadata to merge."""

    metadata = Metadata("Keys to set.", required=True, source=_F, example={"order_id": "1001"})
    feature_metadata = Free("Taken, and changes nothing.", source=_F)


class CompleteBody(Body):
    """The end of a redirect or challenge, from the browser."""

    client_secret = Text("The payment's client secret.", source=_F)
    shipping = Part(lambda: Contact, "Where the goods go.", source=_F)
    threeds_method_comp_ind = comp_ind()


class RetrieveQuery(Body):
    """How to look at a payment."""

    client_secret = Text("With a publishable key.", source=_F)
    force_sync = Flag("Whether to ask the connector.", source=_F, example=True)
    expand_attempts = Flag("Whether to show the attempts.", source=_F, example=True)
    expand_captures = Flag("Whether to show the captures.", source=_F, example=True)
    all_keys_required = Flag("Taken; answers always hold everything.", source=_F)
    merchant_id = CallerId("Your own merchant id, if at all.", source=_F)


class SyncBody(RetrieveQuery):
    """The same as a body, which names the payment."""

    payment_id = CallerId("The payment.", required=True, source=_F, example="pay_order_1001")
    merchant_connector_details = Free("Taken, and changes nothing.", source=_F)
