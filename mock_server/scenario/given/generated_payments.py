"""Given payments as plain descriptions, from which the engine makes records, and generated ones with their people.

The amounts, times, customers, refunds and disputes of generated payments are drawn from the workspace's seed. Names,
streets and numbers of their country are made by Faker, which takes up to a millisecond per person, so each country has
a pool of some hundred people, and many customers share a name and a street. Faker is imported when the first pool is
made, and only one thread at a time uses it.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final

from msgspec import Struct, structs

from mock_server import jsontext
from mock_server.domain import cards
from mock_server.domain.customer import Customer
from mock_server.domain.instants import DAY_MS, HOUR_MS
from mock_server.randomness import Randomness

_MOST: Final = 2_000
"""People in all pools of one workspace (ours)."""


class Country(Struct, frozen=True):
    """A country: Faker's locale, the dialling code, and the digits of a telephone number."""

    code: str
    locale: str
    dial: str
    digits: str


# fmt: off
PEOPLE_OF: Final = (
    Country("US", "en_US", "+1", "202555####"),
    Country("GB", "en_GB", "+44", "7700900###"),
    Country("DE", "de_DE", "+49", "151########"),
    Country("FR", "fr_FR", "+33", "6########"),
    Country("ES", "es_ES", "+34", "6########"),
    Country("IT", "it_IT", "+39", "3#########"),
    Country("NL", "nl_NL", "+31", "6########"),
    Country("BE", "nl_BE", "+32", "4########"),
    Country("AT", "de_AT", "+43", "664#######"),
    Country("CH", "de_CH", "+41", "79#######"),
    Country("IE", "en_IE", "+353", "8########"),
    Country("PT", "pt_PT", "+351", "9########"),
    Country("PL", "pl_PL", "+48", "5########"),
    Country("SE", "sv_SE", "+46", "7########"),
    Country("NO", "no_NO", "+47", "4#######"),
    Country("DK", "da_DK", "+45", "2#######"),
    Country("FI", "fi_FI", "+358", "4########"),
    Country("CZ", "cs_CZ", "+420", "7########"),
    Country("BR", "pt_BR", "+55", "119########"),
    Country("MX", "es_MX", "+52", "55########"),
    Country("CA", "en_CA", "+1", "613555####"),
    Country("AU", "en_AU", "+61", "4########"),
    Country("NZ", "en_NZ", "+64", "21#######"),
    Country("IN", "en_IN", "+91", "9#########"),
    Country("JP", "ja_JP", "+81", "90########"),
    Country("TR", "tr_TR", "+90", "5#########"),
)
# fmt: on


_one_at_a_time: Final = threading.Lock()


@lru_cache(maxsize=64)
def _people(seed: bytes, country: str, size: int) -> tuple[Customer, ...]:
    """So many people of a country of the table, the same ones for the same seed."""
    from faker import Faker  # late: half a second that only made-up people cost

    row = next(row for row in PEOPLE_OF if row.code == country)
    with _one_at_a_time:
        faker = Faker(row.locale, use_weighting=False)
        faker.seed_instance(int.from_bytes(seed))
        return tuple(_person(faker, row) for _ in range(size))


def _person(faker: Any, row: Country) -> Customer:
    """A customer without an id. The order of Faker's draws decides the result, so it stays as it is."""
    first, last = faker.first_name(), faker.last_name()
    email, phone = _email(faker, first, last), faker.numerify(row.digits)
    line1, city, state = " ".join(faker.street_address().split("\n")), faker.city(), _state(faker)
    address = {"city": city, "country": row.code, "line1": line1, "zip": faker.postcode()}
    address |= {} if state is None else {"state": state}
    return Customer(
        customer_id="",
        created_at=0,
        name=f"{first} {last}",
        email=email,
        phone=phone,
        phone_country_code=row.dial,
        address=jsontext.canonical({**address, "first_name": first, "last_name": last}),
    )


def _state(faker: Any) -> str | None:
    names = ("state_abbr", "administrative_unit", "prefecture")
    return next((str(getattr(faker, name)()) for name in names if hasattr(faker, name)), None)


def _email(faker: Any, first: str, last: str) -> str:
    """An address at a domain that is reserved for examples, so that no real person gets mail."""
    words = [word for word in map(_ascii, (first, last)) if word]
    if len(words) < 2 and hasattr(faker, "first_romanized_name"):
        words = [_ascii(faker.first_romanized_name()), _ascii(faker.last_romanized_name())]
    host = faker.random_element(("example.com", "example.net", "example.org"))
    return f"{'.'.join(words) or 'customer'}@{host}"


_PLAIN: Final = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "Ae", "ł": "l", "Ł": "L", "ı": "i", "đ": "d"}
)


def _ascii(name: str) -> str:
    spread = unicodedata.normalize("NFKD", name.translate(_PLAIN))
    return re.sub(r"[^a-z]", "", spread.encode("ascii", "ignore").decode().lower())


class PaymentSeed(Struct, frozen=True, kw_only=True):
    """A payment that exists from the start; `card` is a row's name, `metadata` JSON text.

    `country` is where the customer lives. `refunds` and `disputes` have the attributes of their records. Without a
    `payment_id` the workspace generates one.
    """

    amount: int
    currency: str
    status: str
    created_at: int
    card: str
    payment_id: str | None = None
    capture_method: str = "automatic"
    decline: str | None = None
    customer: Customer | None = None
    country: str | None = None
    email: str | None = None
    description: str | None = None
    merchant_order_reference_id: str | None = None
    metadata: str = "{}"
    refunds: tuple[Mapping[str, Any], ...] = ()
    disputes: tuple[Mapping[str, Any], ...] = ()


Seed = Customer | PaymentSeed
Weights = Sequence[tuple[str, float]]

# What is drawn by default (ours).
STATUSES: Final[Weights] = (("succeeded", 1.0),)
CURRENCIES: Final[Weights] = (("USD", 1.0),)
COUNTRIES: Final[Weights] = (("US", 0.4), ("GB", 0.2), ("DE", 0.2), ("FR", 0.2))
DECLINES: Final[Weights] = (("insufficient_funds", 0.5), ("do_not_honor", 0.3), ("expired_card", 0.2))
CARDS: Final[Weights] = (
    ("visa_success", 0.45),
    ("visa_debit_success", 0.15),
    ("mastercard_success", 0.25),
    ("amex_success", 0.1),
    ("discover_success", 0.05),
)
AMOUNT: Final = (500, 25_000)
OVER_MS: Final = 30 * DAY_MS
PAID: Final = ("succeeded", "partially_captured")
GOODS: Final = (
    "ceramic mug", "desk lamp", "linen shirt", "notebook", "olive oil", "rain jacket", "running shoes", "tea pot",
    "travel adapter", "wool blanket",
)  # fmt: skip
REFUND_REASONS: Final = ("requested_by_customer", "duplicate", "damaged in transit", "wrong size")
DISPUTE_REASONS: Final = ("fraudulent", "product_not_received", "product_unacceptable", "duplicate")
_BITS: Final = 32
_LANES: Final = 16


class Lots:
    """Sixteen draws for one record, made by one call: the call is what takes the time."""

    __slots__ = ("rest",)

    def __init__(self, randomness: Randomness, kind: str, number: int) -> None:
        self.rest = int(randomness.hex(kind, number, _LANES * _BITS // 4), 16)

    def share(self) -> float:
        """The next draw, in [0, 1)."""
        self.rest, drawn = divmod(self.rest, 1 << _BITS)
        return drawn / (1 << _BITS)

    def below(self, count: int) -> int:
        """The next draw, as a whole number from 0 up to but not including `count`."""
        return int(self.share() * count)


def weighted(weights: Weights) -> Callable[[Lots], str]:
    """What draws one of several words, each with its share."""
    words, shares = zip(*weights, strict=True)
    edges = tuple(accumulate(shares))[:-1]
    return lambda lots: words[bisect(edges, lots.share())] if edges else words[0]


class Crowd:
    """The customers of one workspace, made one by one."""

    def __init__(
        self, randomness: Randomness, created_at: int, shares: Weights = (("US", 1.0),), count: int = _MOST
    ) -> None:
        self.randomness = randomness
        self.created_at = created_at
        self.sizes = {country: max(1, min(count, round(_MOST * share))) for country, share in shares}

    def customer(self, number: int, country: str) -> Customer:
        """The customer with a number; the emails of those who share a name are numbered."""
        people = _people(self.randomness.sha_key(f"people/{country}"), country, self.sizes.get(country, _MOST // 10))
        round_, at = divmod(number, len(people))
        person = people[at]
        user, _, host = str(person.email).partition("@")
        return structs.replace(
            person,
            customer_id=f"cus_{self.randomness.token('given_customer', number)}",
            created_at=self.created_at,
            email=f"{user}{round_}@{host}" if round_ else person.email,
        )


def made_up(block: Mapping[str, Any], randomness: Randomness, now: int, others: int) -> Iterator[Seed]:
    """Payments over a period up to now, with their customers before them, numbered after the `others`."""
    count, over = block["count"], block.get("over", OVER_MS)
    shares = block.get("country", COUNTRIES)
    size = customers_of(block)
    crowd = Crowd(randomness, now - over, shares, others + size)
    country = weighted(shares)
    lives_in = (country(Lots(randomness, "given_customer_lots", number)) for number in range(others, others + size))
    customers = [(crowd.customer(number, code), code) for number, code in enumerate(lives_in, others)]
    yield from (customer for customer, _ in customers)
    maker = _Maker(block, customers, now)
    for number in range(count):
        lots = Lots(randomness, "given_payment", number)
        # The period has `count` equal parts, with one payment somewhere in each: random, and in order of time.
        created = now - over + int((number + lots.share()) * over / count)
        yield maker.payment(number, created, lots)


def customers_of(block: Mapping[str, Any]) -> int:
    """How many customers the payments have; the default is a fifth of the payments."""
    return int(block.get("customers", max(1, block["count"] // 5)))


class _Maker:
    """Makes payments with the shares of a file."""

    def __init__(self, block: Mapping[str, Any], customers: Sequence[tuple[Customer, str]], now: int) -> None:
        self.customers = customers
        self.now = now
        self.status = weighted(block.get("status", STATUSES))
        self.currency = weighted(block.get("currency", CURRENCIES))
        self.card = weighted(block.get("card", CARDS))
        self.decline = weighted(block.get("decline", DECLINES))
        self.low, self.high = block.get("amount", AMOUNT)
        self.refunds = block.get("refunds", 0.0)
        self.disputes = block.get("disputes", 0.0)

    def payment(self, number: int, created: int, lots: Lots) -> PaymentSeed:
        """The Nth payment. The order of the draws decides the result, so it stays as it is."""
        status = self.status(lots)
        amount = self.low + int((self.high - self.low + 1) * lots.share() ** 2)
        customer, country = self.customers[lots.below(len(self.customers))]
        currency, card, decline = self.currency(lots), self.card(lots), None
        if status == "failed":
            decline = self.decline(lots)
            card = card_of(decline) or card
        reference = f"order-{100_000 + number}"
        description = f"{1 + lots.below(3)} × {GOODS[lots.below(len(GOODS))]}"
        refunds, disputes, at = list[Mapping[str, Any]](), list[Mapping[str, Any]](), created
        paid = captured_of(status, amount) if status in PAID else 0
        if paid and self.refunds and lots.share() < self.refunds:
            part = paid if lots.share() < 0.7 else max(1, int(paid * lots.share()))
            at = min(self.now, created + HOUR_MS + lots.below(5 * DAY_MS))
            reason = REFUND_REASONS[lots.below(len(REFUND_REASONS))]
            refunds.append({"amount": part, "status": "succeeded", "created_at": at, "reason": reason})
        if paid and self.disputes and lots.share() < self.disputes:
            at = max(at, min(self.now, created + DAY_MS + lots.below(10 * DAY_MS)))  # a refund comes first
            reason = DISPUTE_REASONS[lots.below(len(DISPUTE_REASONS))]
            result = ("dispute_opened", "dispute_won", "dispute_lost")[lots.below(3)]
            disputes.append({"amount": paid, "reason": reason, "stage": "dispute", "status": result, "created_at": at})
        return PaymentSeed(
            amount=amount,
            currency=currency,
            status=status,
            created_at=created,
            card=card,
            capture_method=MANUAL.get(status, "automatic"),
            decline=decline,
            customer=customer,
            country=country,
            email=customer.email,
            description=description,
            merchant_order_reference_id=reference,
            metadata=f'{{"order_id":"{reference}"}}',
            refunds=tuple(refunds),
            disputes=tuple(disputes),
        )


MANUAL: Final = {
    **dict.fromkeys(("requires_capture", "partially_captured"), "manual"),
    "partially_captured_and_capturable": "manual_multiple",
}
"""Statuses that only a manual capture leads to, and of which sort."""


IN_PART: Final = ("partially_captured", "partially_captured_and_capturable")
LEAST: Final = {**dict.fromkeys(IN_PART, 2), "requires_capture": 1, "partially_authorized_and_requires_capture": 1}
"""The smallest amounts of statuses that need money: of 0 a card is only verified, and 1 has no parts."""


def captured_of(status: str, amount: int) -> int:
    """What is captured of a given payment; of one captured in part half of it (ours)."""
    if status in ("succeeded", "cancelled_post_capture"):
        return amount
    return amount // 2 if status in IN_PART else 0


def card_of(decline: str | None) -> str | None:
    """The test card that is named after a decline."""
    row = cards.by_name(decline) if decline else None
    return None if row is None else row.name
