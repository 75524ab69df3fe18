"""What people type finds every payment that it means, and counts them: against a search that reads them one by one."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import pytest
from msgspec import structs

from mock_server.control.search import MOST
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.engine.kinds import PAYMENTS
from mock_server.store.transaction import Transaction
from tests.counts import SOAK, times
from tests.pace import slowness
from tests.wire import Wire, wire

DECIMALS: Final = {"USD": 2, "EUR": 2, "JPY": 0, "BHD": 3, "GBP": 2}
SIGNS: Final = {"USD": "$", "EUR": "€", "JPY": "¥", "GBP": "£"}
NAMES: Final = ("Ada Lovelace", "Grace Hopper", "José Ñandú", "李 小龙", "O'Neil, Pat", "ÅSA ÖBERG", "Ann")
CUSTOMERS: Final = ("cus_ada", "6540", "cus_1", "cus_2", "cus_3", "cus_4", "cus_ann")
CARDS: Final = {
    "visa_success": ("visa 4242", ()),
    "mastercard_success": ("mastercard 4444", ()),
    "visa_insufficient_funds": ("visa 9995", ("insufficient_funds",)),
    "visa_lost_card": ("visa 9987", ("lost_card",)),
}
AMOUNTS: Final = (5, 65, 500, 1065, 4242, 6540, 65400, 106540, 1065400, 12345678)


class Known(NamedTuple):
    """A payment as the test knows it: what it sent, and the error code that it got."""

    id: str
    amount: int
    net: int
    currency: str
    texts: tuple[str, ...]
    card: str
    failure: tuple[str, ...]

    @property
    def said(self) -> set[str]:
        """Everything that means exactly this payment's amount, card or failure, in small letters."""
        sums = {one for minor in {self.amount, self.net} for one in sums_of(minor, self.currency)}
        last = self.card.split()[1]
        cards = {last, self.card, f"•••• {last}", f"**** {last}", f"*{last}", self.card.replace(" ", " •••• ")}
        fails = {one.replace("_", sign) for one in self.failure for sign in ("_", " ", "-")}
        return {one.lower() for one in sums | cards | fails}

    def is_meant(self, text: str) -> bool:
        return self.id.startswith(text) or text.lower() in self.said or any(text.lower() in one for one in self.texts)


def sums_of(minor: int, currency: str) -> Iterator[str]:
    """Every way to write an amount: with a point, a comma, thousands, the code or the sign, and in minor units."""
    digits = DECIMALS[currency]
    whole, rest = divmod(minor, 10**digits)
    cut = f"{rest:0{digits}}" if digits else ""
    tails = {cut, *(cut[:end] for end in range(len(cut)) if not cut[end:].strip("0"))}
    for tail in tails:
        for thousands, point in ((",", "."), (".", ","), (" ", ","), ("'", "."), ("", "."), ("", ",")):
            number = f"{whole:,}".replace(",", thousands) + (point + tail if tail else "")
            for sign in (currency, SIGNS.get(currency)):
                yield from (
                    (f"{number} {sign}", f"{number}{sign}", f"{sign} {number}", f"{sign}{number}") if sign else ()
                )
            yield number
    yield str(minor)


class Shop(NamedTuple):
    """A workspace of random payments."""

    api: Wire
    known: list[Known]

    def found(self, text: str) -> tuple[set[str], Any]:
        answer = self.api.get(f"/_sandbox/search?text={quote(text)}").json
        return {hit["id"] for hit in answer["data"] if hit["kind"] == "payment"}, answer


def pay(api: Wire, random: Random) -> Known:
    """One payment whose fields repeat those of others, and are sometimes part of each other."""
    card, currency = random.choice(tuple(CARDS)), random.choice(tuple(DECIMALS))
    amount, tax = random.choice(AMOUNTS), random.choice((None, None, 535))
    customer, name = random.choice(tuple(zip(CUSTOMERS, NAMES, strict=True)))
    mail, order = f"{name.split()[0].lower()}@shop.test", f"Order-{random.choice(AMOUNTS)}/{random.randrange(30)}"
    order = random.choice((order, "6540", customer))
    shown = (
        {"name": name, "id": customer, "email": mail}
        if mail.isascii() and "'" not in mail
        else {"name": name, "id": customer}
    )
    more = {"order_tax_amount": tax} if tax else {}
    made = api.pay(
        card, amount=amount, currency=currency, customer=shown, merchant_order_reference_id=order, **more
    )  # fmt: skip
    assert made.status == 200, made.raw
    texts = tuple(str(one).lower() for one in (*shown.values(), order))
    brand, failure = CARDS[card]
    codes = (*failure, made["error_code"].lower()) if failure else ()
    return Known(made["payment_id"], amount, amount + (tax or 0), currency, texts, brand, codes)


def typed(one: Known, random: Random) -> str:
    """What somebody who looks for this payment types."""
    part = random.choice(one.texts)
    start = random.randrange(len(part) - 1)
    parts = (part, part[start : start + random.randrange(2, 12)].strip())
    text = random.choice((*parts, *parts, random.choice(sorted(one.said)), one.id[: random.randrange(5, 24)]))
    text = text if len(text) > 1 else part
    return random.choice((text, text.upper(), text.title())) if not text.startswith("pay_") else text


@pytest.mark.parametrize("seed", range(times(3, soak=40)))
def test_what_is_typed_finds_all_that_it_means(seed: int) -> None:
    random = Random(seed)
    api = wire().as_key(f"snd_{uuid.uuid4().hex}")
    shop = Shop(api, [pay(api, random) for _ in range(times(60, soak=200))])
    for _ in range(times(60, soak=300)):
        text = typed(random.choice(shop.known), random)
        meant = {one.id for one in shop.known if one.is_meant(text)}
        ids, answer = shop.found(text)
        (count,) = [one for one in answer["kinds"] if one["kind"] == "payment"] or [{"total": 0, "is_exact": True}]
        assert (count["total"], count["is_exact"]) == (len(meant), True), (text, ids ^ meant)
        assert ids <= meant and len(ids) == min(MOST, len(meant)), text


def grown(api: Wire, count: int) -> None:
    """More payments of the first one's kind, older than all that is made later, each with its own amount."""
    key = parse(api.key)
    assert isinstance(key, ApiKey)
    space = api.sandbox.workspace(key).space
    first = api.pay(amount=4242, customer={"id": "cus_many", "name": "Many Payers"})["payment_id"]

    def put(start: int, tx: Transaction) -> None:
        record = tx.get(PAYMENTS, first)
        assert record is not None
        for number in range(start, min(count, start + 10_000)):
            tx.put(PAYMENTS, structs.replace(record, payment_id=f"pay_{number:020}", amount=number))

    for start in range(0, count, 10_000):
        space.transact(partial(put, start))


@pytest.mark.no_cover
def test_a_search_of_many_payments_says_how_far_it_came_and_takes_no_long_time() -> None:
    api, many = wire(), times(60_000, soak=1_000_000)
    grown(api, many)
    for text, least, exact in (
        ("44.44", 1, True), ("cus_many", many, False), ("pay_", many + 1, True), ("Many Payers", 1_000, False),
        ("4242", 1_000, False), ("nobody at all", 0, False), ("Ñandú", 0, False), ("李小", 0, False),
        ("insufficient_funds", 0, False), ("pay_0000000000000000", 10_000, True), ("€44.44", 0, True),
    ):  # fmt: skip
        spent = []
        for _ in range(3):
            began = time.process_time()
            answer = api.get(f"/_sandbox/search?text={quote(text)}").json
            spent.append(time.process_time() - began)
        counts = {one["kind"]: (one["total"], one["is_exact"]) for one in answer["kinds"]}
        count, is_exact = counts.get("payment", (0, True))
        assert count >= least, (text, answer)
        assert answer["of"] == many + 1 and answer["is_cut"] is (not exact), (text, answer)
        if count:
            assert is_exact is exact, (text, answer)
        assert min(spent) < 0.3 * slowness() or not SOAK, (text, spent)
        assert min(spent) < 0.9 * slowness(), (text, spent)
