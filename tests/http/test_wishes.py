"""What a client wants by `Accept` and `Accept-Encoding`, compared with Werkzeug's reading of them."""

from __future__ import annotations

import random
from typing import Final

import pytest
from werkzeug import datastructures, http

from mock_server.http.asked import wish
from tests.counts import times

TYPES: Final = (
    "text/html",
    "application/json",
    "text/*",
    "application/*",
    "*/*",
    "text/plain",
    "image/png",
    "TEXT/HTML",
)
ENCODINGS: Final = ("gzip", "br", "identity", "*", "deflate", "GZIP")
QUALITIES: Final = ("", "", ";q=1", ";q=0", ";q=0.5", "; q=0.8", ";q=0.001", ";q=1.0")


def headers(words: tuple[str, ...], number: int) -> str:
    """A header with each word at most once."""
    chance = random.Random(number)
    return ", ".join(one + chance.choice(QUALITIES) for one in chance.sample(words, chance.randint(0, len(words) - 1)))


def test_the_start_page_is_for_those_who_want_it_more_than_json() -> None:
    for number in range(times(200, soak=20_000)):
        header = headers(TYPES[:-1], number)
        read = http.parse_accept_header(header, datastructures.MIMEAccept)
        wants_page = read.best_match(("application/json", "text/html")) == "text/html"
        assert (wish(header, "text/html") > wish(header, "application/json")) is wants_page, header


def test_gzip_is_for_those_who_take_it() -> None:
    for number in range(times(200, soak=20_000)):
        header = headers(ENCODINGS[:-1], number)
        read = http.parse_accept_header(header)
        assert (wish(header, "gzip")[0] > 0) is (read.quality("gzip") > 0), header


@pytest.mark.parametrize("header", ["text/html;q=2", "text/html;q=x", "text/html;q=", ";", ",,", "text/html;q=-1"])
def test_what_is_no_quality_is_no_wish(header: str) -> None:
    assert wish(header, "text/html")[0] == 0


def test_letters_may_be_of_any_size() -> None:
    assert wish("TEXT/HTML", "text/html") == wish("text/html", "text/html") == (1.0, 2)
