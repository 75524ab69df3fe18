"""A dialect that renames every status, code, key and text: what still reads as before went past it."""

from __future__ import annotations

from typing import Final

from msgspec import structs

from mock_server.contract.answers.fields import NOTHING, Field
from mock_server.contract.answers.payment_parts import PAID_CARD
from mock_server.contract.answers.writing import fields_of
from mock_server.contract.dialect import (
    KINDS,
    BodyRules,
    CodeRow,
    Dialect,
    ErrorKeys,
    ErrorRow,
    ListKeys,
    readings_of,
    words_of,
)
from mock_server.contract.notation import TEXT
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import Cause

MARK: Final = "zz_"
"""Every word of this dialect starts with it."""

_STATUS_MOVE: Final = 37
"""HTTP statuses move by this much within their hundred, so that they stay errors that a client can read."""


def renamed(word: str) -> str:
    """Give this dialect's word for an engine's or interface's one."""
    return MARK + word[::-1]


def moved(status: int) -> int:
    """Give this dialect's HTTP status for one of the interface's."""
    return status if status < 300 else status // 100 * 100 + (status + _STATUS_MOVE) % 100


def _message(cause: Cause) -> str:
    return " ".join((renamed(cause), *(f"{{{param}}}" for param in cause.params)))


PARAMETERS: Final = (
    *("limit", "offset", "created_gte", "created_lte"),
    *("status", "customer_id", "currency", "payment_method", "payment_method_type"),
)
_WORDS: Final = words_of({kind: {word: renamed(word.value) for word in kind} for kind in KINDS})

ERRORS: Final = tuple(
    ErrorRow(cause, moved(shown.status), renamed(shown.type), renamed(shown.code), _message(cause))
    for cause, shown in INTERFACE.errors.items()
)

CODES: Final = tuple(
    CodeRow(renamed(row.code), moved(row.status), renamed(row.type), renamed(row.message), row.never)
    for row in INTERFACE.codes.values()
)

NONSENSE: Final = Dialect(
    name="nonsense",
    errors={row.cause: row for row in ERRORS},
    codes={row.code: row for row in CODES},
    error_keys=ErrorKeys(
        envelope=renamed("error"),
        type=renamed("type"),
        code=renamed("code"),
        message=renamed("message"),
        fields=renamed("fields"),
        field_name=renamed("field"),
        field_problem=renamed("problem"),
        extras={name: renamed(name) for name in ("reason", "connector", "data", "payment_id")},
    ),
    list_keys=ListKeys(
        items=renamed("data"),
        total=renamed("total_count"),
        more=renamed("has_more"),
        parameters={name: renamed(name) for name in PARAMETERS},
    ),
    words=_WORDS,
    readings=readings_of(_WORDS, ()),
    record_names={
        "PaidCard": {field.name: renamed(field.name) for field, _ in fields_of(PAID_CARD)},
        "Attempt": {"currency": renamed("currency")},
        "UnifiedDetails": {"category": renamed("category")},
        "Refund": {"reason": renamed("reason")},
        "Payment": {"description": renamed("description")},
    },
    record_fields={
        "Payment": {"updated": None, "statement_descriptor_name": None, "routing": None},
        "Attempt": {
            "client_source": None,
            "capture_method": Field("capture_method", TEXT, of=NOTHING),
            "sort": Field(renamed("sort"), TEXT, of="payment_method"),
        },
        "PostCaptureVoid": {"description": None},
        "Dispute": {"connector_reason_code": None, "sort": Field(renamed("sort"), TEXT, of="reason")},
    },
    bodies=dict.fromkeys(INTERFACE.bodies, BodyRules(required=frozenset(("amount",)))),
    types=tuple((least, renamed(word)) for least, word in INTERFACE.types),
)

_OWN: Final = ErrorRow(Cause.VALUE_INVALID, 418, "", "", "", type_key=renamed("error_type"))

GIBBERISH: Final = structs.replace(
    NONSENSE,
    name="gibberish",
    error_keys=NONSENSE.error_keys._replace(fields=None),
    lists={
        "customers.list": NONSENSE.list_keys._replace(items=None),
        "GET /payments/list": NONSENSE.list_keys._replace(total=None, more=None, size=renamed("size")),
    },
    mistakes={
        "unknown_word": _OWN._replace(type=renamed("api"), code=renamed("IR_06"), message=f"{MARK}{{field}}"),
        "too_long": _OWN._replace(type=renamed("api"), code=renamed("IR_07"), message=f"{MARK}{{field}} {{most}}"),
    },
    first=("too_long",),
    texts={"health.check": renamed("health is good")},
    rules={"id_prefixes": {"payment": MARK}, "session_expiry_s": 60},
)
"""The same where a single operation, route or rule differs from the rest of its dialect."""
