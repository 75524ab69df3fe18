"""A refund in answers and webhooks (facts §2.5)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.answers.failure import failed
from mock_server.contract.answers.fields import NOTHING, AnswerShape, AsJson, Field, Listed, each
from mock_server.contract.notation import INSTANT, TEXT, WHOLE
from mock_server.domain.refund import Refund
from mock_server.domain.statuses import RefundStatus

_F = "facts §2.5"

# fmt: off
REFUND: Final[AnswerShape[Refund]] = AnswerShape(
    "Refund",
    *each(TEXT, "refund_id", "payment_id", source=_F, nullable=False),
    Field("amount", WHOLE, _F, nullable=False),
    Field("currency", TEXT, _F, nullable=False),
    Field("status", Listed(RefundStatus), _F, nullable=False),
    Field("reason", TEXT, _F),
    Field("metadata", AsJson(), _F, nullable=False),
    *failed("error_code", "error_message", "unified_code", "unified_message", source=_F),
    *failed("issuer_error_code", "issuer_error_message", source=_F),
    Field("created_at", INSTANT, _F),
    Field("updated_at", INSTANT, _F, of="modified_at"),
    Field("connector", TEXT, _F, nullable=False),
    *each(TEXT, "connector_refund_id", "profile_id", "merchant_connector_id", source=_F),
    Field("split_refunds", AsJson(), _F),
    Field("raw_connector_response", TEXT, _F, of=NOTHING),
    about="A refund, on its own or included in its payment.",
)
# fmt: on
