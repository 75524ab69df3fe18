"""Searches a workspace by the start of ids, by the indexes of lists, and by the texts in records.

Ids and indexes (amounts; complete customers, email addresses and order references) are counted exactly, however many
there are. Texts of which a part was typed, last four digits, error codes, declines, and amounts of refunds and disputes
are searched in the newest records, and the answer says how many payments these were.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from mock_server.clock import Slices
from mock_server.control.answers import answer
from mock_server.control.answers.story import FOUND
from mock_server.control.stages import view
from mock_server.domain import declines
from mock_server.domain.money import exponent_of, readings
from mock_server.domain.paging import Filters, Query
from mock_server.domain.payment import Failure, Payment
from mock_server.engine.kinds import CUSTOMERS, DISPUTES, EVENTS, MANDATES, PAYMENT_METHODS, PAYMENTS, REFUNDS
from mock_server.http.running import Answer, Call
from mock_server.store.protocol import RecordKind
from mock_server.store.records import decode, pack_usual, stamp
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from mock_server.story.payment_history import BY_HAND, LineHead, newest_first
from mock_server.story.rows import CALL, RecordRow, call_row, payment_row, row_of
from mock_server.story.standing import standing_of

SCANNED: Final = 50_000
"""How many of the newest payments are searched for a text (ours); of the customers, a fifth of it."""
DECODED: Final = 10_000
"""How many of them are decoded; a text that is in more of them is not counted on (ours)."""
AT_ONCE: Final = 256
"""How many of them are read with the workspace's lock held, in less than a millisecond (measured)."""
MOST: Final = 20
"""The maximum of results of a kind (ours)."""
CHECKED: Final = 1_000
"""The maximum of ids with one start that are compared with what the indexes find (ours)."""
KINDS: Final = (REFUNDS, DISPUTES, CUSTOMERS, PAYMENT_METHODS, MANDATES, EVENTS)
"""The kinds besides payments and calls, in the order of an answer."""
REQUEST: Final = "req_"
PAYMENT: Final = "pay_"
"""The prefixes of the ids of requests and payments."""
_EXACT: Final = ("merchant_order_reference_id", "customer_id", "customer_email")
_CARD: Final = re.compile(r"([a-z ]*?)[\s•*·.…]*(\d{4})")
_CODE: Final = re.compile(r"[a-z]{2}_\d\d")
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_ -]{2,60}")
IdParts = Sequence[Sequence[str]]


class KindCount(NamedTuple):
    """How many records of a kind were found; not exact if there can be more."""

    kind: str
    total: int
    is_exact: bool = True


@view("control.search")
def search(call: Call, text: str) -> Answer:
    space = call.workspace.space
    asked = Searching(space, text, call.now, Slices())
    amounts = space.transact(lambda tx: list(_amounts(tx, text)))
    exact = [{name: (text,)} for name in _EXACT]
    # An amount that is written as one, and the start of a payment's id, are nothing else.
    is_amount = bool(readings(text)[1]) and not (text.isascii() and text.isdigit())
    wanted = None if text.startswith(PAYMENT) or is_amount else in_payment(text)
    scan, hits, count = asked.find(PAYMENTS, [*exact, *amounts], wanted, SCANNED)
    counts = [count]
    for kind in KINDS:
        is_who = kind is CUSTOMERS
        wanted = in_customer(text) if is_who else in_money(amounts) if amounts and kind in (REFUNDS, DISPUTES) else None
        _, rows, count = asked.find(kind, [{"email": (text,)}] if is_who else [], wanted, SCANNED // 5)
        hits += rows
        counts.append(count)
    calls = list(_calls(space, text)) if text.startswith(REQUEST) or _CODE.fullmatch(_underscored(text)) else []
    hits += calls[:MOST]
    counts.append(KindCount(CALL, len(calls)))
    return answer(
        FOUND,
        data=hits,
        total_count=sum(count.total for count in counts),
        kinds=[count for count in counts if count.total],
        looked_at=scan.looked,
        of=scan.of,
        is_cut=not all(count.is_exact for count in counts),
    )


class Searching(NamedTuple):
    """One search of a workspace."""

    space: Space
    text: str
    now: int
    breathe: Slices

    def find(
        self, kind: RecordKind[Any], queries: list[Filters], wanted: TextTests | None, most: int
    ) -> tuple[Scan, list[RecordRow], KindCount]:
        """What was scanned, the first matches, and the number of all: by id, by indexes, and by what is in them."""
        parts = self.space.keys(kind)
        begins, started = self._beginning(parts)
        few = bool(queries) and started <= CHECKED  # to count once what is found in several ways
        queries = [*([{f"{kind.name}_id": tuple(begins)}] if few and begins else []), *queries]

        def indexed(tx: Transaction) -> tuple[int, list[str]]:
            newest = [record for query in queries for record in tx.find(kind, Query(filters=query, limit=MOST)).items]
            return united(tx, kind, queries), [kind.key(record) for record in newest]

        def in_order(tx: Transaction) -> list[RecordRow]:
            there = [key for key in dict.fromkeys((*begins[:MOST], *newest, *scan.keys)) if tx.has(kind, key)]
            if newest:
                there.sort(key=lambda key: stamp(tx.encoded(kind, key))[:0:-1], reverse=True)
            return [self._row(tx, kind, tx.get(kind, key)) for key in there[:MOST]]

        count, newest = self.space.transact(indexed)
        scan = self._scanned(kind, parts, wanted, queries, most) if wanted else Scan(0, sum(map(len, parts)))
        total = count + scan.found + (0 if few else started)
        return scan, self.space.transact(in_order), KindCount(kind.name, total, not scan.is_cut)

    def _row(self, tx: Transaction, kind: RecordKind[Any], record: Any) -> RecordRow:
        if kind is PAYMENTS:
            return payment_row(record, standing_of(tx, record, self.now))
        return row_of(kind, record)

    def _beginning(self, parts: IdParts) -> tuple[list[str], int]:
        """The newest ids with this start, and their number. A thousand are searched as one text, in microseconds."""
        found, count = list[str](), 0
        for part in reversed(parts):
            joined = "\n" + "\n".join(part)
            if here := joined.count(f"\n{self.text}"):
                count += here
                if len(found) <= CHECKED:
                    found += [key for key in reversed(part) if key.startswith(self.text)]
            self.breathe()
        return found, count

    def _scanned(
        self, kind: RecordKind[Any], parts: IdParts, wanted: TextTests, queries: Sequence[Filters], most: int
    ) -> Scan:
        """Searches the newest records, some at a time; they are decoded without a lock, and other threads can run."""
        readers = {index.name: index.reader() for index in kind.indexes}
        looked, decoded, found, keys = 0, 0, 0, list[str]()
        for part in reversed(parts):
            if looked >= most or decoded >= DECODED:
                break
            for end in range(len(part), 0, -AT_ONCE):
                rows = self.space.transact(partial(_sealed, kind, part[max(0, end - AT_ONCE) : end]))
                for row in reversed(rows) if wanted.may_be(b"\0".join(rows)) else ():
                    if wanted.may_be(row):
                        decoded += 1
                        record = decode(kind, row)
                        if wanted.is_it(record) and not self._is_indexed(kind.key(record), record, queries, readers):
                            found += 1
                            keys += [kind.key(record)] if found <= MOST else []
                    self.breathe()
                self.breathe()
            looked += len(part)
        return Scan(looked, sum(map(len, parts)), found, tuple(keys))

    def _is_indexed(
        self, key: str, record: object, queries: Sequence[Filters], readers: Mapping[str, Callable[[Any], object]]
    ) -> bool:
        """Whether a record is already counted."""
        return key.startswith(self.text) or any(
            all(readers[name](record) in values for name, values in query.items()) for query in queries
        )


def united(tx: Transaction, kind: RecordKind[Any], queries: Sequence[Filters], within: Filters | None = None) -> int:
    """How many records match at least one of the queries, counted by the indexes alone."""
    if not queries:
        return 0
    first, *rest = queries
    both = {**(within or {}), **first}
    for name in first.keys() & (within or {}).keys():
        both[name] = tuple(set(first[name]) & set((within or {})[name]))
    here = tx.count(kind, Query(filters=both)) if all(both.values()) else 0
    return united(tx, kind, rest, within) + (here - united(tx, kind, rest, both) if here else 0)


def _amounts(tx: Transaction, text: str) -> Iterator[Filters]:
    """The filters for an amount in each currency that occurs; a whole number can be in minor units too."""
    codes, numbers = readings(text)
    groups: dict[tuple[int, ...], list[str]] = {}
    for code in map(str, tx.tally(PAYMENTS, "currency")) if numbers else ():
        exponent = exponent_of(code)
        values = {value * 10 ** (exponent - decimals) for value, decimals in numbers if decimals <= exponent}
        values |= {int(text)} if text.isascii() and text.isdigit() else set()
        if values and (not codes or code in codes):
            groups.setdefault(tuple(sorted(values)), []).append(code)
    for amounts, among in groups.items():
        yield {"amount": amounts, "currency": tuple(among)}
        yield {"net_amount": amounts, "currency": tuple(among)}


def _calls(space: Space, text: str) -> Iterator[RecordRow]:
    """The calls of the journal by the start of their request's id, or by the code that refused them; newest first."""
    by_id, code = text.startswith(REQUEST), f'"code":"{_underscored(text).upper()}"'.encode()

    def may_be(head: LineHead) -> bool:
        fits = head.request_id.startswith(text) if by_id else head.status >= 400
        return fits and not head.operation.startswith(BY_HAND)

    found = newest_first(space, LineHead, may_be)
    return (call_row(entry) for entry in found if by_id or code in bytes(entry.value["response"]))


class Scan(NamedTuple):
    """How many records were searched, and of how many; how many match, and the newest ids of these."""

    looked: int
    of: int
    found: int = 0
    keys: tuple[str, ...] = ()

    @property
    def is_cut(self) -> bool:
        """Whether there are older records, which were not searched."""
        return 0 < self.looked < self.of


def _sealed(kind: RecordKind[Any], part: Sequence[str], tx: Transaction) -> list[bytes]:
    return [tx.encoded(kind, key) for key in part if tx.has(kind, key)]


class TextTests(NamedTuple):
    """Two tests of a record: of its encoded bytes, which excludes most in a tenth of the time, then of itself."""

    may_be: Callable[[bytes], bool]
    is_it: Callable[[Any], bool]


def in_payment(text: str) -> TextTests:
    """The tests for a part of a payment's texts, the digits of its card, its error code or its decline."""
    small, words = text.lower(), list[bytes]()
    card = _CARD.fullmatch(small)
    named = ""
    if card is not None:
        words.append(card[2].encode())
    if _WORD.fullmatch(text) is not None:
        named = _underscored(text)
        of_code = [row.name for row in declines.DECLINES if _underscored(row.error_code) == named]
        words += [word.encode() for word in (named, *of_code)]
        if _underscored(Failure("").error_code) == named:  # the code of declines with any name that no table has
            words.append(b"")

    def is_it(payment: Payment) -> bool:
        kept, failure = payment.card, payment.failure
        if kept and card and kept.last4 == card[2] and card[1].strip() in ("", kept.brand.lower()):
            return True
        if failure is not None and named and named in (failure.decline, _underscored(failure.error_code)):
            return True
        texts = (payment.customer_name, payment.email, payment.customer_id, payment.merchant_order_reference_id)
        return _contain(small, *texts, kept.holder if kept is not None else None)

    return TextTests(_has(text, words), is_it)


def _underscored(text: str) -> str:
    return re.sub(r"[ -]", "_", text.lower())


def _contain(small: str, *texts: str | None) -> bool:
    return any(text is not None and small in text.lower() for text in texts)


def in_customer(text: str) -> TextTests:
    """The tests for a part of a customer's texts."""
    return TextTests(_has(text, []), lambda who: _contain(text.lower(), who.name, who.email, who.customer_id))


def in_money(amounts: Sequence[Filters]) -> TextTests:
    """The tests for a refund or dispute of one of the amounts of payments."""
    sums = {(minor, code) for one in amounts for minor in one.get("amount", ()) for code in one["currency"]}
    packed = {pack_usual(minor) for minor, _ in sums}
    return TextTests(lambda row: any(one in row for one in packed), lambda one: (one.amount, one.currency) in sums)


def _has(text: str, words: Sequence[bytes]) -> Callable[[bytes], bool]:
    """A test whether bytes can contain a text in any case, or one of some words in small letters."""
    plain = max(re.findall(r"[ -~]+", text), key=len, default="")
    small = text.lower()
    if len(plain) < 2 and small != text.upper():  # letters that have a case, and are not of one byte
        return lambda row: small in row.decode("utf-8", "ignore").lower()
    is_whole = bool(words) or text.isascii()
    wanted = (plain.lower().encode() if len(plain) > 1 else text.encode(), *words)

    def may_be(row: bytes) -> bool:
        low = row.lower()
        return any(word in low for word in wanted) and (is_whole or small in row.decode("utf-8", "ignore").lower())

    return may_be
