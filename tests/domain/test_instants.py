"""Instants: one spelling out, several in."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.instants import DAY_MS, iso, iso_date, parse, parse_query

MOMENT = 1_769_850_300_000  # 2026-01-31T09:05:00Z
WITHIN_FOUR_DIGITS = st.integers(-62_135_596_800_000, 253_402_300_799_999)


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (7, "1970-01-01T00:00:00.007Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (MOMENT + 45, "2026-01-31T09:05:00.045Z"),
        (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
    ],
)
def test_an_instant_has_one_spelling(ms: int, text: str) -> None:
    assert iso(ms) == text
    assert iso_date(ms) == text[:10]


@given(WITHIN_FOUR_DIGITS)
def test_what_is_written_is_read_again(ms: int) -> None:
    assert parse(iso(ms)) == ms


@given(WITHIN_FOUR_DIGITS)
def test_it_is_the_moment_that_the_library_says(ms: int) -> None:
    request = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
    assert iso(ms) == request.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-31T09:05:00.000Z",
        "2026-01-31T09:05:00Z",
        "2026-01-31T09:05Z",
        "2026-01-31t09:05:00z",
        "2026-01-31 09:05:00Z",
        "2026-01-31T11:05:00+02:00",
        "2026-01-31T11:05:00+0200",
        "2026-01-31T04:05:00-05:00",
        "2026-01-31T09:05:00.000999999Z",
    ],
)
def test_one_moment_in_many_spellings(text: str) -> None:
    assert parse(text) == MOMENT


def test_a_date_alone_is_its_midnight() -> None:
    assert parse("2026-01-31") == MOMENT // DAY_MS * DAY_MS


PLAIN = "2026-01-31T09:05:00+02:00"


def reason(text: str) -> str:
    """Why a text is no instant; empty if it is one."""
    try:
        parse(text)
    except ValueError as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize("place", [pair.span() for pair in re.finditer(r"\d\d", PLAIN)])
def test_no_reason_is_in_the_words_of_the_program(place: tuple[int, int]) -> None:
    for value in (0, 13, 24, 29, 32, 60, 99):
        text = f"{PLAIN[: place[0]]}{value:02}{PLAIN[place[1] :]}"
        assert not re.search("timedelta|datetime|isoformat|strictly", reason(text)), text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2026-01-31T09:05:00", "offset"),
        ("2026-02-30", "not a valid date and time"),
        ("2026-01-31T25:00:00Z", "not a valid date and time"),
        ("2026-01-31T24:00:00Z", "not an ISO 8601 timestamp"),  # newer versions of Python read it as the next day
        ("2026-01-31T09:05:61Z", "not a valid date and time"),
        ("0000-01-01", "not a valid date and time"),
        ("0001-01-01T00:00:00+02:00", "not a valid date and time"),
        ("9999-12-31T23:00:00-02:00", "not a valid date and time"),
        ("yesterday", "not an ISO 8601 timestamp"),
        ("", "not an ISO 8601 timestamp"),
        ("20260131", "not an ISO 8601 timestamp"),
        ("2026-W05-6", "not an ISO 8601 timestamp"),
        ("1769850300", "not an ISO 8601 timestamp"),
        ("2026-01-31T09:05:00+24:00", "not an ISO 8601 timestamp"),
        ("2026-01-31T09:05:00-09:60", "not an ISO 8601 timestamp"),
        ("2026-01-31T09:05:00Z ", "not an ISO 8601 timestamp"),
        ("２０２６-01-31", "not an ISO 8601 timestamp"),
    ],
)
def test_anything_else_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse(text)


@pytest.mark.parametrize("text", ["2026-01-31T11:05:00 02:00", "2026-01-31 11:05:00 02:00", "2026-01-31T11:05 0200"])
def test_in_a_query_a_blank_before_the_offset_was_a_plus(text: str) -> None:
    assert parse_query(text) == MOMENT


@pytest.mark.parametrize("text", ["2026-01-31", "2026-01-31 09:05:00Z", "2026-01-31T09:05:00.000Z"])
def test_a_query_value_without_that_blank_reads_the_same(text: str) -> None:
    assert parse_query(text) == parse(text)


@pytest.mark.parametrize("text", ["2026-01-31T09:05:00", "2026-01-31 09:05"])
def test_a_query_value_without_offset_is_refused_too(text: str) -> None:
    with pytest.raises(ValueError, match="offset"):
        parse_query(text)


@given(st.text(max_size=40) | st.from_regex(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?", fullmatch=True))
def test_whatever_comes_is_an_instant_or_a_plain_refusal(text: str) -> None:
    with suppress(ValueError):
        ms = parse(text)
        assert parse(iso(ms)) == ms
