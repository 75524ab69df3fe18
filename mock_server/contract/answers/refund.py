"""A refund as every answer, webhook and report shows it (facts §2.5)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.answers import failure
from mock_server.contract.answers.fields import NOTHING, AnswerShape, AsJson, Field, Listed, Through
from mock_server.contract.notation import INSTANT, TEXT, WHOLE
from mock_server.domain.refund import Refund
from mock_server.domain.statuses import RefundStatus

_F = "facts §2.5"

# fmt: off
REFUND: Final[AnswerShape[Refund]] = AnswerShape(
    "Refund",
    Field("refund_id", TEXT, _F, nullable=False),
    Field("payment_id", TEXT, _F, nullable=False),
    Field("amount", WHOLE, _F, nullable=False),
    Field("currency", TEXT, _F, nullable=False),
    Field("status", Listed(RefundStatus), _F, nullable=False),
    Field("reason", TEXT, _F),
    Field("metadata", AsJson(), _F, nullable=False),
    Field("error_code", TEXT, _F, of=Through("failure", failure.code)),
    Field("error_message", TEXT, _F, of=Through("failure", failure.message)),
    Field("unified_code", TEXT, _F, of=Through("failure", failure.unified_code)),
    Field("unified_message", TEXT, _F, of=Through("failure", failure.unified_message)),
    Field("issuer_error_code", TEXT, _F, of=Through("failure", failure.issuer_code)),
    Field("issuer_error_message", TEXT, _F, of=Through("failure", failure.issuer_message)),
    Field("created_at", INSTANT, _F),
    Field("updated_at", INSTANT, _F, of="modified_at"),
    Field("connector", TEXT, _F, nullable=False),
    Field("connector_refund_id", TEXT, _F),
    Field("profile_id", TEXT, _F),
    Field("merchant_connector_id", TEXT, _F),
    Field("split_refunds", AsJson(), _F),
    Field("raw_connector_response", TEXT, _F, of=NOTHING),
    about="A refund, on its own or included in its payment.",
)
# fmt: on
