"""Stored answers: in the journal, and for repeated calls.

Most answers show only a payment. Of these, the payment's record is stored, a fifth of the text, and the text
is written again when it is needed: the same record gives the same bytes.
"""

from __future__ import annotations

import json
from typing import Any, Final

from mock_server import jsontext
from mock_server.contract.answers import payment as payments
from mock_server.contract.dialect import Dialect
from mock_server.domain import hiding
from mock_server.domain.api_keys import without_keys
from mock_server.engine.kinds import PAYMENTS
from mock_server.store.protocol import LogEntry
from mock_server.store.records import decode, is_record

LATER: Final[dict[str, Any]] = {
    **dict.fromkeys(("cut", "left", "idempotency", "connection", "retry_after")), "took_place": True, "headers": {},
    "began_us": 0, "delay_ms": 0, "events": [], "misplaced": [], "left_first": False,
}  # fmt: skip
"""Parts that lines of the first snapshots do not have; the lines stay as they are."""


def whole(entry: LogEntry, dialect: Dialect) -> dict[str, Any]:
    """A journal entry with the answer's text, redacted."""
    value: dict[str, Any] = entry.value
    if entry.beside is None:
        return value
    answer = without_keys(text(entry.beside, dialect).decode()).encode()
    if hiding.needs_look(answer) or hiding.may_hold_code(answer):  # a merchant's texts can contain card data
        answer = jsontext.canonical(hiding.hidden(json.loads(answer))).encode()
    return {**value, "response": answer}


def has_error(entry: LogEntry) -> bool:
    """Whether an answer may tell of an error; what is stored as a payment is not written as text to know it."""
    if entry.beside is None or not is_record(entry.beside):
        return True
    payment = decode(PAYMENTS, entry.beside)
    return bool(payment.failure or payment.hold)


def check(kept: bytes) -> None:
    """TypeError or ValueError if a stored answer cannot be shown."""
    if is_record(kept):
        decode(PAYMENTS, kept)


def text(kept: bytes, dialect: Dialect) -> bytes:
    """The text of an answer that is stored as text or as its payment."""
    return payments.bare(decode(PAYMENTS, kept), dialect) if is_record(kept) else kept
