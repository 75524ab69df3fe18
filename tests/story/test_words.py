"""What a timeline says of pages, broken lines, captures, further attempts and the clock; in every form."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import pytest

from mock_server.domain.errors import Cause
from mock_server.domain.hiding import bare_url
from mock_server.sandbox.soundness import ARGUMENTS
from mock_server.story import words
from mock_server.story.renderings import Arrow, Participant, as_mermaid, as_svg, as_text, lanes, steps
from mock_server.story.words import RowKind, Tone, amount, plain, refused, span, tone_of
from tests.story.rows import from_json
from tests.wire import Wire


def rows(api: Wire, payment: str) -> tuple[Any, ...]:
    return from_json(api.get(f"/_sandbox/payments/{payment}/timeline")["data"])


def test_a_customers_page_has_a_lane_of_its_own(api: Wire) -> None:
    made = api.pay("visa_3ds_required")
    link = urlsplit(made["next_action"]["redirect_to_url"]).path
    assert api.as_key(None).get(link).status == 200
    told = rows(api, made["payment_id"])
    assert "The customer opens the page -> 200" in as_text(told)
    found = list(steps(told))
    assert lanes(found) == [Participant.CODE, Participant.SANDBOX, Participant.CUSTOMER]
    assert any(
        isinstance(one, Arrow) and one.source is Participant.CUSTOMER and one.text == "opens the page" for one in found
    )
    assert "CUSTOMER->>SANDBOX: opens the page" in as_mermaid(told)


def test_a_broken_line_is_told(api: Wire) -> None:
    api.post("/_sandbox/next", {"on": "payments.create", "then": {"fault": "connection_reset", "effect": "kept"}})
    with pytest.raises(ConnectionResetError):
        api.pay()
    told = rows(api, str(api.get("/payments/list")["data"][0]["payment_id"]))
    assert "but the connection failed: connection reset" in as_text(told)
    assert "x" in next(line for line in as_mermaid(told).splitlines() if "connection reset" in line)
    assert "connection reset" in as_svg(told)


def test_captures_and_further_attempts_are_told(api: Wire) -> None:
    paid = api.pay("visa_insufficient_funds", capture_method="manual")
    made = paid["payment_id"]
    profile = f"/account/{paid['merchant_id']}/business_profile/{paid['profile_id']}"
    assert api.post(profile, {"is_manual_retry_enabled": True}).status == 200
    card = {"card_number": "4242424242424242", "card_exp_month": "12", "card_exp_year": "2035", "card_cvc": "123"}
    again = {"payment_method": "card", "payment_method_type": "credit", "payment_method_data": {"card": card}}
    assert api.post(f"/payments/{made}/confirm", again)["status"] == "requires_capture"
    api.post(f"/payments/{made}/capture")
    text = as_text(rows(api, made))
    assert "Attempt 2 starts" in text
    assert "Capture 1 of 65.40 USD: " in text


def test_every_move_of_the_clock_is_told(api: Wire) -> None:
    made = str(api.pay()["payment_id"])
    for what, body in (("freeze", {"at": "2026-01-01T01:00:00Z"}), ("advance", {"by": "90m"}), ("resume", None)):
        api.post(f"/_sandbox/clock/{what}", body)
    told = [row for row in rows(api, made) if row.kind is RowKind.CLOCK]
    text = as_text(told)
    assert "The clock is frozen -> to 2026-01-01 01:00:00" in text
    assert "The clock is advanced by 1 h 30 min" in text
    assert "The clock is resumed" in text


def test_moves_of_the_clock_stand_in_no_list_of_calls(api: Wire) -> None:
    api.post("/_sandbox/clock/advance", {"by": "1h"})
    assert api.get("/_sandbox/journal")["total_count"] == 0


@pytest.mark.parametrize(
    ("status", "tone"),
    [
        ("failed", Tone.BAD),
        ("succeeded", Tone.GOOD),
        ("requires_action", Tone.WAIT),
        ("partially_captured_and_capturable", Tone.WAIT),
        ("partially_captured", Tone.GOOD),
        ("", Tone.PLAIN),
    ],
)
def test_each_status_has_its_tone(status: str, tone: Tone) -> None:
    assert tone_of(status) is tone


def test_addresses_and_amounts_are_shown_as_far_as_is_good() -> None:
    assert (
        bare_url("https://user:pass@shop.example:8443/hooks?token=x#y")
        == "https://***@shop.example:8443/hooks?[hidden]"
    )
    assert (amount(6540, "USD"), amount(5, "XXZ")) == ("65.40 USD", "5 XXZ")


@pytest.mark.parametrize("what", sorted(ARGUMENTS))
def test_what_is_scheduled_has_words_of_its_own(what: str) -> None:
    said = words.SCHEDULED[what]
    assert re.fullmatch("[a-z’ ]+", said) and [one for one in ARGUMENTS if words.SCHEDULED[one] == said] == [what]


@pytest.mark.parametrize("cause", Cause)
def test_a_cause_is_said_in_a_sentence_of_its_own(cause: Cause) -> None:
    said = refused(cause.value)
    assert said[-1] not in ".:" and len(said.split()) > 2, said
    assert said != plain(cause.value) and not said.startswith("The same"), said


@pytest.mark.parametrize("ms", [0, 250, 1_500, 9_999, 10_000, 23_983, 780_444, 90_061_001])
def test_only_short_spans_have_milliseconds(ms: int) -> None:
    assert (" ms" in span(ms)) is (ms < 10_000 and ms % 1_000 > 0)
