"""The dialect of the interface document, which is the default (interface §2 to §8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.dialect import BodyRules, Dialect, ErrorKeys, ListKeys, readings_of, words_of
from mock_server.dialects.interface.errors import CODES, ERRORS, TYPES, VARIANTS
from mock_server.domain.statuses import ALIASES

WORDS: Final = words_of({})
"""The engine's words are the interface's (interface §3)."""

ERROR_KEYS: Final = ErrorKeys(  # interface §7; fields: ours
    envelope="error",
    type="type",
    code="code",
    message="message",
    fields="fields",
    field_name="field",
    field_problem="message",
)

LIST_KEYS: Final = ListKeys(items="data", total="total_count", more="has_more")  # interface §4.4

_CREATE: Final = BodyRules(required=frozenset(("amount", "currency", "profile_id")))  # interface §4.2
BODIES: Final[Mapping[str, BodyRules]] = {"payments.create": _CREATE, "payments.replace": _CREATE}
"""The rules of bodies, for the operations in which dialects differ."""

INTERFACE: Final = Dialect(
    name="interface",
    errors={row.cause: row for row in ERRORS},
    variants=VARIANTS,
    codes={row.code: row for row in CODES},
    error_keys=ERROR_KEYS,
    list_keys=LIST_KEYS,
    words=WORDS,
    readings=readings_of(WORDS, ALIASES.items()),
    bodies=BODIES,
    types=TYPES,
)
