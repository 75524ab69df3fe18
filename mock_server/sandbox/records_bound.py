"""The bound on a workspace's records: the setting `max_records`, off by default."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from mock_server.domain.delivery import INBOX
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.paging import Query
from mock_server.engine import kinds
from mock_server.store.protocol import RecordKind
from mock_server.store.transaction import Transaction

COUNTED: Final = tuple(kind for kind in vars(kinds).values() if isinstance(kind, RecordKind) and kind.sort != INBOX)
"""The kinds that count: all but events and their deliveries, which the inbox limits."""


@contextmanager
def bounded(tx: Transaction, most: int) -> Iterator[None]:
    """Work that is undone, and refused as `records_full`, if it makes more records than are allowed."""
    before = _count(tx)
    yield
    if _count(tx) > max(before, most):
        raise Refusal(Cause.RECORDS_FULL, limit=most)


def _count(tx: Transaction) -> int:
    return sum(tx.count(kind, Query()) for kind in COUNTED)
