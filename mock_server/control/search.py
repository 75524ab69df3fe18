"""Searches a workspace by the start of ids, by the indexes of lists, and by values in records.

Ids are compared without a lock. Customer, email and order reference must be exact, because the lists' indexes are
used. Amounts, error codes and declines are searched in the newest payments, and the answer says whether there are
older ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from mock_server.clock import Slices
from mock_server.control.answers import answer
from mock_server.control.answers.story import FOUND
from mock_server.control.stages import view
from mock_server.domain import declines
from mock_server.domain.money import CURRENCIES, currency
from mock_server.domain.paging import Query
from mock_server.domain.payment import Payment
from mock_server.domain.payment_parts import Failure
from mock_server.engine.kinds import CUSTOMERS, DISPUTES, EVENTS, MANDATES, PAYMENT_METHODS, PAYMENTS, REFUNDS
from mock_server.http.context import Answer, Call
from mock_server.store.protocol import RecordKind, Space, Transaction
from mock_server.store.records import decode
from mock_server.story.payment_history import BY_HAND, newest_first
from mock_server.story.rows import RecordRow, call_row, payment_row, row_of
from mock_server.story.standing import standing_of

SCANNED: Final = 50_000
"""How many of the newest payments are searched (ours)."""
AT_ONCE: Final = 256
"""How many of them are read with the workspace's lock held, in less than a millisecond (measured)."""
MOST: Final = 20
"""The maximum of results of a kind (ours)."""
KINDS: Final = (REFUNDS, DISPUTES, CUSTOMERS, PAYMENT_METHODS, MANDATES, EVENTS)
"""The kinds besides payments and calls, in the order of an answer."""
REQUEST: Final = "req_"
"""The prefix of the ids of requests."""
_AMOUNT: Final = re.compile(r"(\d{1,12})(?:[.,](\d{1,3}))?(?:\s+([A-Za-z]{3}))?")
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_ -]{2,60}")
_EXACT: Final = ("merchant_order_reference_id", "customer_id", "customer_email")


@view("control.search")
def search(call: Call, text: str) -> Answer:
    space, now, breathe = call.home.space, call.now, Slices()
    keys = dict.fromkeys(_beginning(space, PAYMENTS, text, breathe))
    exact = [Query(filters={name: (text,)}, limit=MOST) for name in _EXACT]
    found = space.transact(lambda tx: [one for query in exact for one in tx.find(PAYMENTS, query).items])
    keys |= dict.fromkeys(one.payment_id for one in found)
    wanted = _looked_for(text)
    scan = Scan(0, False) if wanted is None or len(keys) >= MOST else _scanned(space, wanted, breathe)
    keys |= dict.fromkeys(scan.keys)
    hits = space.transact(
        lambda tx: [
            payment_row(one, standing_of(tx, one, now))
            for key in list(keys)[:MOST]
            if (one := tx.get(PAYMENTS, key)) is not None
        ]
    )
    hits += [row for kind in KINDS for row in _records(space, kind, text, breathe)]
    hits += islice(_calls(space, text), MOST) if text.startswith(REQUEST) else []
    return answer(FOUND, data=hits, looked_at=scan.looked, is_cut=scan.is_cut)


def _beginning(space: Space, kind: RecordKind[Any], text: str, breathe: Slices) -> list[str]:
    """The newest keys with this start. A part of a thousand keys is searched as one text, in microseconds."""
    found: list[str] = []
    for part in reversed(space.keys(kind)):
        if f"\n{text}" in "\n" + "\n".join(part):
            found += [key for key in reversed(part) if key.startswith(text)]
        if len(found) >= MOST:
            break
        breathe()
    return found[:MOST]


def _records(space: Space, kind: RecordKind[Any], text: str, breathe: Slices) -> list[RecordRow]:
    keys = _beginning(space, kind, text, breathe)
    if kind is CUSTOMERS:
        mine = Query(filters={"email": (text,)}, limit=MOST)
        keys += [one.customer_id for one in space.transact(lambda tx: tx.find(CUSTOMERS, mine)).items]
    records = space.transact(lambda tx: [tx.get(kind, key) for key in dict.fromkeys(keys)])
    return [row_of(kind, one) for one in records if one is not None]


def _calls(space: Space, text: str) -> Iterator[RecordRow]:
    """The calls of the journal by the start of their request's id, newest first."""

    def is_it(line: _RequestHead) -> bool:
        return line.request_id.startswith(text) and not line.operation.startswith(BY_HAND)

    return map(call_row, newest_first(space, _RequestHead, is_it))


class _RequestHead(Struct):
    request_id: str
    operation: str


class Scan(NamedTuple):
    """How many payments were searched, whether there are older ones, and the ids of those that match."""

    looked: int
    is_cut: bool
    keys: tuple[str, ...] = ()


class _Wanted(NamedTuple):
    """Two tests of a payment: of its encoded bytes, and, if they may match, of the payment.

    The first excludes most payments, in a tenth of the time that decoding them takes.
    """

    may_be: Callable[[bytes], bool]
    is_it: Callable[[Payment], bool]


def _looked_for(text: str) -> _Wanted | None:
    """The tests for an amount, an error code or a decline; None if the text cannot be one of them."""
    if (amount := _AMOUNT.fullmatch(text)) is not None:
        return _of_amount(amount[1], amount[2], (amount[3] or "").upper())
    if _WORD.fullmatch(text) is None:
        return None
    decline, code = re.sub(r"[ -]", "_", text.lower()), text.upper()
    named = [row.name for row in declines.DECLINES if row.error_code.upper() == code]
    words = [word.lower().encode() for word in (decline, code, *named)]
    if Failure("").error_code.upper() == code:  # the code of declines with any name that no table has
        words.append(b"")

    def may_be(row: bytes) -> bool:
        small = row.lower()
        return any(word in small for word in words)

    def is_it(one: Payment) -> bool:
        failure = one.failure
        return failure is not None and (failure.decline == decline or failure.error_code.upper() == code)

    return _Wanted(may_be, is_it)


def _of_amount(whole: str, part: str | None, code: str) -> _Wanted:
    """The tests for `65.40` or `65.40 USD`; without a point, for an amount in minor units too."""
    value = Decimal(f"{whole}.{part or 0}")
    units = {value.scaleb(known.exponent) for known in CURRENCIES} | {value}
    marks = [msgspec.msgpack.encode(int(amount)) for amount in units if amount == int(amount)]

    def is_it(one: Payment) -> bool:
        if code and one.currency != code:
            return False
        known = currency(one.currency)
        scaled = value.scaleb(known.exponent if known else 0)
        return one.amount == scaled or (part is None and one.amount == value)

    return _Wanted(lambda row: any(mark in row for mark in marks), is_it)


def _scanned(space: Space, wanted: _Wanted, breathe: Slices) -> Scan:
    """Searches the newest payments, some at a time; they are decoded without a lock, and other threads can run."""
    parts, looked, found = space.keys(PAYMENTS), 0, list[str]()
    for part in reversed(parts):
        if looked >= SCANNED or len(found) >= MOST:
            break
        for end in range(len(part), 0, -AT_ONCE):
            for row in reversed(space.transact(partial(_sealed, part[max(0, end - AT_ONCE) : end]))):
                if wanted.may_be(row) and wanted.is_it(one := decode(PAYMENTS, row)):
                    found.append(one.payment_id)
                breathe()
        looked += len(part)
    return Scan(looked, looked < sum(map(len, parts)), tuple(found))


def _sealed(part: Sequence[str], tx: Transaction) -> list[bytes]:
    return [tx.encoded(PAYMENTS, key) for key in part if tx.version(PAYMENTS, key)]
