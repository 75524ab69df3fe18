"""What a list of disputes can be filtered by (interface §8.2, facts §1.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mock_server.contract.requests.fields import Choice, OneOrMany, Text
from mock_server.contract.requests.refunds.filters import money_filters

_I: Final = "interface §8.2"
_F: Final = "facts §1.3"


def dispute_filters(statuses: tuple[str, ...], stages: tuple[str, ...]) -> Mapping[str, Any]:
    """The filters by the engine's names, with the words that the dialect understands."""
    return {
        **money_filters(),
        "status": OneOrMany(Choice(statuses), "Status.", source=_I, example="dispute_opened"),
        "dispute_status": OneOrMany(Choice(statuses), "Another name of status.", source=_F, example="dispute_opened"),
        "dispute_stage": OneOrMany(Choice(stages), "Stage.", source=_F, example="dispute"),
        "dispute_id": OneOrMany(Text(), "Dispute.", source=_F, example="dp_0123456789abcdefghij"),
        "reason": OneOrMany(Text(), "What the customer says.", source=_F, example="fraudulent"),
    }
