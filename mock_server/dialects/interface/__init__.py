"""The dialect of the interface document: what this server speaks by default (interface §2 to §8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.bodies import BodyRules
from mock_server.contract.dialect import KINDS, Dialect, ErrorKeys, ListKeys, readings_of, words_of
from mock_server.dialects.interface.codes import CODES
from mock_server.dialects.interface.errors import ERRORS, TYPES
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

_PAGE: Final = ("limit", "offset", "created_gte", "created_lte")
_FILTERS: Final = ("status", "customer_id", "currency", "payment_method", "payment_method_type")  # the last is ours

LIST_KEYS: Final = ListKeys(  # interface §4.4, §8.1, §8.2
    items="data",
    total="total_count",
    more="has_more",
    parameters={name: name for name in (*_PAGE, *_FILTERS)},
)

_CREATE: Final = BodyRules(required=frozenset(("amount", "currency", "profile_id")))  # interface §4.2
BODIES: Final[Mapping[str, BodyRules]] = {"payments.create": _CREATE, "payments.replace": _CREATE}
"""What bodies take, for the operations where dialects differ."""

INTERFACE: Final = Dialect(
    name="interface",
    errors={row.cause: row for row in ERRORS},
    codes={row.code: row for row in CODES},
    error_keys=ERROR_KEYS,
    list_keys=LIST_KEYS,
    words=WORDS,
    readings=READINGS,
    bodies=BODIES,
    types=TYPES,
)
