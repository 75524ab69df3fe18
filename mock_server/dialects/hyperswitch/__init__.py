"""The dialect of the public Hyperswitch API (v1), for clients that change only their base URL (facts).

Only what differs from the interface's dialect is here. The project is not affiliated with that API's makers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import structs

from mock_server.contract.bodies import BodyRules, Unknown
from mock_server.contract.dialect import readings_of, words_of
from mock_server.dialects.hyperswitch.answers import LISTS, RECORD_FIELDS, RECORD_NAMES, SHAPES, TEXTS
from mock_server.dialects.hyperswitch.errors import ERROR_KEYS, ERRORS, FIRST, MISTAKES
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.statuses import ALIASES, PaymentStatus

WORDS: Final = words_of({PaymentStatus: {status.value: word for word, status in ALIASES.items()}})
READINGS: Final = readings_of(
    WORDS, ((word, member) for words in INTERFACE.readings.values() for word, member in words.items())
)

_STRICT: Final = BodyRules(unknown=Unknown.REFUSED_AT_THE_TOP, loose=True)
_CREATE: Final = structs.replace(_STRICT, required=frozenset(("amount", "currency")))
_STRICT_ONES: Final = (
    "payments.update",
    "payments.confirm",
    "payments.update_metadata",
    "payments.list",
    "refunds.create",
    "refunds.update",
    "refunds.replace",
    "profiles.create",
    "profiles.update",
    "profiles.replace",
    "payment_methods.create",
)

BODIES: Final[Mapping[str, BodyRules]] = {
    "": BodyRules(unknown=Unknown.PASSED_OVER, loose=True),
    "payments.create": _CREATE,
    "payments.replace": _CREATE,
    **dict.fromkeys(_STRICT_ONES, _STRICT),
}
"""The public server refuses unknown fields at the top level of these bodies, and ignores all others."""

HYPERSWITCH: Final = structs.replace(
    INTERFACE,
    name="hyperswitch",
    errors={**INTERFACE.errors, **{row.cause: row for row in ERRORS}},
    error_keys=ERROR_KEYS,
    words=WORDS,
    readings=READINGS,
    record_names=RECORD_NAMES,
    record_fields=RECORD_FIELDS,
    lists=LISTS,
    texts=TEXTS,
    shapes=SHAPES,
    authorizes=frozenset(("payments.create",)),
    mistakes=MISTAKES,
    first=FIRST,
    rules={"id_prefixes": {"api_key_record": "snd_"}},
    bodies={**INTERFACE.bodies, **BODIES},
)
