"""Fields that only answers have (`error_code` …), read as the answers of both dialects show them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import zip_longest
from typing import Any, Final

from mock_server import jsontext
from mock_server.contract.answers import customer, payment, payment_parts
from mock_server.contract.answers.fields import AnswerShape, Beside, Constant, Field
from mock_server.contract.answers.writing import rows_of, write
from mock_server.contract.dialect import Dialect
from mock_server.dialects import DIALECTS, get
from mock_server.domain.customer import Customer
from mock_server.domain.dispute import Dispute
from mock_server.domain.payment import KeptCard, Payment
from mock_server.domain.refund import Refund

SHAPES: Final[Mapping[type, AnswerShape[Any]]] = {
    Payment: payment.PAYMENT,
    Refund: payment.REFUND,
    Dispute: payment.DISPUTE,
    Customer: customer.CUSTOMER,
    KeptCard: payment_parts.PAID_CARD,
}


@cache
def dialects() -> tuple[Dialect, ...]:
    """Every dialect, that of the interface first."""
    return tuple(map(get, DIALECTS))


def shown(record: object, name: str) -> object:
    """The value of a field in answers, with the names of both dialects inside it; None without a value."""
    kind: Any = type(record)
    if not _is_only_shown(kind, name):
        return None
    whole = payment.ShownPayment(record) if isinstance(record, Payment) else record
    found: list[Any] = [json.loads(jsontext.dump(write(SHAPES[kind], whole, dialect))) for dialect in dialects()]
    return _merged(*(answer.get(name) for answer in found))


@lru_cache(maxsize=256)
def _is_only_shown(kind: Any, name: str) -> bool:
    """Whether answers have such a field, and its value is not simply the record's own of this name."""
    rows = (row.field for dialect in dialects() for row in rows_of(SHAPES[kind], dialect)) if kind in SHAPES else ()
    return any(row.name == name and row.of != name and is_read(row) and not row.sent for row in rows)


def is_read(field: Field) -> bool:
    """Whether the record alone has the value: others are of other records, or always null."""
    return field.sent or not isinstance(field.of, Beside | Constant)


def _merged(first: Any, second: Any) -> Any:
    """One value with the names of both; where both have a value, that of the first."""
    if isinstance(first, dict) and isinstance(second, dict):
        return {name: _merged(first.get(name), second.get(name)) for name in (*first, *second)}
    if isinstance(first, list) and isinstance(second, list):
        return [_merged(*pair) for pair in zip_longest(first, second)]
    return second if first is None else first
