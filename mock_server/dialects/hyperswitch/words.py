"""The public API's words of statuses (facts §3), and what operations take where it differs (facts §2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.bodies import BodyRules, Unknown
from mock_server.contract.dialect import KINDS, readings_of, words_of
from mock_server.dialects.interface.words import READINGS as INTERFACES
from mock_server.domain.statuses import ALIASES, PaymentStatus

WORDS: Final = words_of(KINDS, {PaymentStatus: {status.value: word for word, status in ALIASES.items()}})
READINGS: Final = readings_of(
    WORDS, ((word, member) for words in INTERFACES.values() for word, member in words.items())
)

_STRICT: Final = BodyRules(unknown=Unknown.REFUSED_AT_THE_TOP, loose=True)
_CREATE: Final = BodyRules(required=frozenset(("amount", "currency")), unknown=Unknown.REFUSED_AT_THE_TOP, loose=True)
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
"""The public server refuses unknown fields at the top of these bodies, and passes over all others."""
