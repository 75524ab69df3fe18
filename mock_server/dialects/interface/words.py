"""The interface's words: statuses, envelope keys, parameter and field names, and what is required."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.bodies import BodyRules
from mock_server.contract.dialect import KINDS, ErrorKeys, ListKeys, readings_of, words_of
from mock_server.domain.statuses import ALIASES

WORDS: Final = words_of(KINDS, {})
"""None differs: the engine's words are the interface's (interface §3)."""

READINGS: Final = readings_of(WORDS, ALIASES.items())

ERROR_KEYS: Final = ErrorKeys(  # interface §7; fields: ours
    envelope="error",
    type="type",
    code="code",
    message="message",
    fields="fields",
    field_name="field",
    field_problem="message",
)

LIST_KEYS: Final = ListKeys(  # interface §4.4, §8.1, §8.2
    items="data",
    total="total_count",
    more="has_more",
    parameters={
        "limit": "limit",
        "offset": "offset",
        "created_gte": "created_gte",
        "created_lte": "created_lte",
        "status": "status",
        "customer_id": "customer_id",
        "currency": "currency",
        "payment_method": "payment_method",
        "payment_method_type": "payment_method_type",  # ours
    },
)

_CREATE: Final = BodyRules(required=frozenset(("amount", "currency", "profile_id")))  # interface §4.2
BODIES: Final[Mapping[str, BodyRules]] = {"payments.create": _CREATE, "payments.replace": _CREATE}
"""What bodies take, for the operations where dialects differ."""
