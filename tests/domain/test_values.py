"""Every value class of the domain: frozen, and what is left out of one means nothing, unless it stands here."""

from __future__ import annotations

from operator import add

from mock_server.domain.errors import Cause
from mock_server.domain.faults import Parked
from mock_server.domain.issuer import Authenticates, ChallengeForm, Lookup
from mock_server.domain.merchant import ProfileFields
from mock_server.domain.outcomes import APPROVED, CallContext, OutcomeStatus
from tests.values import changeable, told_defaults

TOLD = {
    "AccountFields.profile": ProfileFields(),
    "BankOf.finish": add,
    "BankOf.source": "ISO 13616 registry",
    "Behaviour.authenticates": Authenticates.ON_REQUEST,
    "Behaviour.form": ChallengeForm.BUTTONS,
    "Behaviour.lookup": Lookup.CHALLENGE,
    "Behaviour.says": APPROVED,
    "Capture.closes": True,
    "ChargeTerms.customer_present": True,
    "Connector.status": "active",
    "Connector.test_mode": True,
    "CallContext.operation": "sandbox",
    "CallContext.wanted_by": "header X-Sandbox-Outcome",
    "DecisionRequest.attempt": 1,
    "DecisionRequest.call": CallContext(),
    "DecisionRequest.wanted_by": "header X-Sandbox-Outcome",
    "DeliveryAttempt.copy": 1,
    "DeliveryAttempt.response_headers": "[]",
    "Dimension.meant": str,
    "Dimension.source": "facts §1.7",
    "DisputePlan.percent": 100,
    "DisputePlan.stage": "dispute",
    "FieldError.cause": Cause.VALUE_INVALID,
    "FigureGroup.source": "facts §1.7",
    "IdKind.length": 20,
    "LinePlan.keep": 0.5,
    "LinePlan.pause_s": 0.2,
    "LinePlan.pieces": 20,
    "Outcome.approved_percent": 100,
    "Outcome.challenge_kind": "challenge",
    "Parked.come": Parked.__struct_defaults__[-1],  # the answer as it is
    "Payload.source": "facts §2.2",
    "Payment.metadata": "{}",
    "PaymentMethod.usage": "off_session",
    "Profile.enable_payment_response_hash": True,
    "Profile.wallet_identities": ("apple_pay", "google_pay"),
    "Query.limit": 10,
    "Refund.metadata": "{}",
    "Refund.refund_type": "instant",
    "Settles.word": OutcomeStatus.SUCCEEDED,
    "Usage.refuses": True,
}


def test_no_value_can_be_changed() -> None:
    assert changeable("domain") == set()


def test_what_is_left_out_means_nothing_or_stands_here() -> None:
    assert told_defaults("domain") == TOLD
