"""Amounts as people write them in forms: read as what is meant in the currency, or refused if that is not clear."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import pytest

from mock_server.dashboard.acting import body_of
from mock_server.dialects import DIALECTS, get
from mock_server.domain.errors import Refusal
from mock_server.domain.limits import AMOUNT_MAX
from tests.counts import times
from tests.dashboard.reading import Page
from tests.dashboard.visitor import Visitor, said, text

MINORS: Final = (1, 99, 100, 150, 1_000, 1_500, 6_540, 106_540, 1_065_400, 123_456_789, 1_000_000_000)
PLACES: Final = {"JPY": 0, "EUR": 2, "USD": 2, "BHD": 3}


def grouped(whole: str, mark: str) -> str:
    return f"{int(whole):,}".replace(",", mark)


NOTATIONS: Final[dict[str, Callable[[str, str], str]]] = {
    "1065.40": lambda whole, rest: ".".join(filter(None, (whole, rest))),
    "1065,40": lambda whole, rest: ",".join(filter(None, (whole, rest))),
    "1,065.40": lambda whole, rest: ".".join(filter(None, (grouped(whole, ","), rest))),
    "1.065,40": lambda whole, rest: ",".join(filter(None, (grouped(whole, "."), rest))),
    "1 065,40": lambda whole, rest: ",".join(filter(None, (grouped(whole, " "), rest))),
    "1'065.40": lambda whole, rest: ".".join(filter(None, (grouped(whole, "'"), rest))),
}


def read(text: str, code: str) -> int | None:
    """What a form takes it for, in a payment's currency and in one chosen beside it; None if it is refused."""
    found: set[int | None] = set()
    for form in ({f"body.amount:{code}": text}, {"body.amount:money": text, "body.currency": code}):
        try:
            found.add(int((body_of(form) or {})["amount"]))
        except Refusal:
            found.add(None)
    assert len(found) == 1
    return found.pop()


@pytest.mark.parametrize("code", PLACES)
@pytest.mark.parametrize("notation", NOTATIONS)
def test_an_amount_is_read_as_it_was_meant_or_refused(notation: str, code: str) -> None:
    for minor in MINORS:
        is_read_as_it_was_meant_or_refused(minor, notation, code)


def is_read_as_it_was_meant_or_refused(minor: int, notation: str, code: str) -> None:
    places = PLACES[code]
    digits = str(minor).rjust(places + 1, "0")
    whole, rest = digits[: len(digits) - places], digits[len(digits) - places :]
    text = NOTATIONS[notation](whole, rest)
    groups = text.replace(",", ".").split(".")
    lone = len(groups) == 2 and len(groups[1]) == 3
    expected = minor if minor <= AMOUNT_MAX else None
    if lone and "." in text:  # a point is before the decimals, as in what the dashboard itself writes
        assert read(text, code) == (expected if places == 3 else None)
    elif lone and places == 3 and groups[0] != "0" and len(groups[0]) < 4:  # 1,065 BHD: one, or a thousand?
        assert read(text, code) is None
    else:
        assert read(text, code) == expected
        assert read(f"{text} {code}", code) == expected


@pytest.mark.parametrize(
    ("text", "code", "minor"),
    [
        ("1,50", "EUR", 150),
        ("1,5", "EUR", 150),
        ("1,500", "EUR", 150_000),
        ("1.500", "EUR", None),
        ("1,50", "JPY", None),
        ("1.50", "JPY", None),
        ("1,500", "JPY", 1_500),
        ("1,2,3", "EUR", None),
        ("1,,5", "EUR", None),
        ("1,5000", "EUR", None),
        ("12,34,567", "EUR", None),
        ("-1", "EUR", None),
        ("5 USD", "EUR", None),
        ("€5", "EUR", 500),
        ("1" + " " * 100_000, "EUR", 100),
        ("1" + " " * 100_000 + "x", "EUR", None),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, code: str, minor: int | None) -> None:
    assert read(text, code) == minor


@pytest.mark.parametrize(("code", "most"), [("JPY", "999999999"), ("USD", "9999999.99"), ("BHD", "999999.999")])
def test_an_amount_that_is_too_large_is_refused_in_the_unit_in_which_it_was_typed(
    visitor: Visitor, code: str, most: str
) -> None:
    fields = {"do": "payments.create", "body.amount:money": "1" + most, "body.currency": code}
    assert f"must be at most {most}" in said(text(visitor.send("new-payment", fields)), "notice")


NUMBER: Final = re.compile(r"(?<![\w.])\d+(?![\w.])")
CARDS: Final = ("visa_success", "visa_success", "visa_pending_succeeds")
OF_MONEY: Final = ("refunds.create", "payments.capture", "control.dispute", "control.settle")
TYPED: Final = ("", "1.000", "1.066", "999999.999", "0", "1.0.0", "-1", "1,000", "x")


@pytest.mark.parametrize("typed", TYPED[: times(1, soak=9)])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_refusal_says_in_which_unit_its_amounts_are(visitor: Visitor, dialect: str, typed: str) -> None:
    """If it has any that the API wrote: not of what the page itself could not read, and not of a status."""
    visitor.api.put("/_sandbox/dialect", {"dialect": dialect})
    visitor.api.speaks = get(dialect)
    of: dict[str, Any] = {"amount": 1065, "currency": "KWD"}
    paid, held, pends = (
        visitor.api.pay(card, **of, capture_method=capture)["payment_id"]
        for card, capture in zip(CARDS, ("automatic", "manual", "automatic"), strict=True)
    )
    told = 0
    for payment in (paid, held, pends):
        forms = [
            form for form in Page(visitor.read(f"payments/{payment}")).forms if dict(form.values).get("do") in OF_MONEY
        ]
        for form in forms * 2:
            sent = [(one.name, typed if "amount" in one.name else one.value) for one in form.fields]
            page = text(visitor.send(f"payments/{payment}", [pair for pair in sent if pair[0] != "mark"]))
            notice = page.partition('class="notice bad"')[2].partition("</section>")[0]
            is_ours = "<summary>curl" in notice
            words = re.sub("<[^>]*>", " ", notice.partition("<details")[0].replace("Amounts in this message", ""))
            assert ("smallest unit" in notice) == (is_ours and bool(NUMBER.search(words))), (form.test_id, notice)
            told += "smallest unit" in notice
    assert told or typed in ("1.0.0", "-1", "1,000", "x"), typed
