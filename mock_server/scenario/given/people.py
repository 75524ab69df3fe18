"""Generated people: names, streets and numbers of their country, made by Faker from the workspace's seed.

Faker takes up to a millisecond per person, so each country has a pool of some hundred people, and many customers share
a name and a street. Faker is imported when the first pool is made, and only one thread at a time uses it.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from typing import Any, Final

from msgspec import Struct

from mock_server import jsontext
from mock_server.domain.customer import Customer
from mock_server.randomness import Randomness

MOST: Final = 2_000
"""People in all pools of one workspace (ours)."""


class Country(Struct, frozen=True):
    """A country: Faker's locale, the dialling code, and the digits of a telephone number."""

    code: str
    locale: str
    dial: str
    digits: str


# fmt: off
COUNTRIES: Final = (
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
_BY_CODE: Final = {row.code: row for row in COUNTRIES}


_one_at_a_time: Final = threading.Lock()


def pool(randomness: Randomness, country: str, size: int) -> tuple[Customer, ...]:
    """At most `size` people of a country of the table, the same ones for the same seed."""
    return _pool(randomness.sha_key(f"people/{country}"), country, min(size, MOST))


@lru_cache(maxsize=64)
def _pool(seed: bytes, country: str, size: int) -> tuple[Customer, ...]:
    from faker import Faker  # late: half a second that only made-up people cost

    row = _BY_CODE[country]
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
    for name in ("state_abbr", "administrative_unit", "prefecture"):
        make = getattr(faker, name, None)
        if make is not None:
            return str(make())
    return None


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
