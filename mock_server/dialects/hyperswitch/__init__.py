"""The dialect of the public Hyperswitch API (v1), for clients that change only their base URL (facts).

Only what differs from the interface's dialect is here. The project is not affiliated with that API's makers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import structs

from mock_server.contract.dialect import BodyRules, Unknown, readings_of
from mock_server.dialects.hyperswitch.answers import LISTS, RECORD_FIELDS, RECORD_NAMES, SHAPES, TEXTS
from mock_server.dialects.hyperswitch.errors import BY_CAUSE, CODES, ERROR_KEYS, FIRST, MISTAKES, VARIANTS
from mock_server.dialects.hyperswitch.methods import DIMENSIONS
from mock_server.dialects.hyperswitch.words import REFUND_WORDS, WORD_LISTS, WORDS
from mock_server.dialects.interface import INTERFACE

READINGS: Final = readings_of(
    WORDS, (*(pair for words in INTERFACE.readings.values() for pair in words.items()), *REFUND_WORDS.items())
)

_ONLINE: Final = frozenset(f"{start}customer_acceptance.online.user_agent" for start in ("", "mandate_data."))
"""Without the address that the schemas require: the public page leaves it out (the checkout script)."""
_STRICT: Final = BodyRules(unknown=Unknown.REFUSED_AT_THE_TOP, loose=True, words=WORD_LISTS, parsed=_ONLINE)
_UPI: Final = frozenset(("payment_method_data.upi.upi_collect.vpa_id",))
"""What can be read without, and paid only with."""
_CREATE: Final = structs.replace(_STRICT, required=_UPI | {"amount", "currency"})
_STRICT_ONES: Final = """
    payments.update_metadata payments.list refunds.create refunds.update refunds.replace profiles.create profiles.update
    profiles.replace payment_methods.create disputes.list? mandates.list?
"""

_LOOSE: Final = structs.replace(_STRICT, unknown=Unknown.PASSED_OVER)
_PARSED: Final = {
    "payments.session_tokens": "wallets",
    "api_keys.create": "expiration",
    "accounts.create": "merchant_id",
    "connectors.create": "connector_type",
}
_NOT_IN_QUERIES: Final = """
    offset start_time end_time order amount_filter start_amount end_amount status currency payment_method
    payment_method_type profile_id connector merchant_connector_id authentication_type card_network
    merchant_order_reference_id customer_email payment_id card_discovery
"""
"""The filters that only the body of a list of payments has (facts §1.1.1)."""

BODIES: Final[Mapping[str, BodyRules]] = {
    "": _LOOSE,
    "payments.create": _CREATE,
    "payments.replace": _CREATE,
    "disputes.attach_evidence": structs.replace(_LOOSE, required=frozenset(("evidence_type",))),
    "payments.list?": structs.replace(_STRICT, refused=frozenset(_NOT_IN_QUERIES.split())),
    **{name: structs.replace(_LOOSE, parsed=frozenset((field,))) for name, field in _PARSED.items()},
    **dict.fromkeys(_STRICT_ONES.split(), _STRICT),
    **dict.fromkeys(("payments.update", "payments.confirm"), structs.replace(_STRICT, required=_UPI)),
}
"""The public server refuses unknown fields at the top level of these bodies, and ignores all others."""

HYPERSWITCH: Final = structs.replace(
    INTERFACE,
    name="hyperswitch",
    errors=BY_CAUSE,
    variants=VARIANTS,
    codes=CODES,
    explains=INTERFACE.errors,
    queries=("Json", "Query"),
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
    dimensions=DIMENSIONS,
    rules={"id_prefixes": {"api_key_record": "snd_"}, "public": True},
    bodies={**INTERFACE.bodies, **BODIES},
)
