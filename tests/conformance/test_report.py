"""What a report shows of a failure, and what it never shows."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.cli.conformance import counted, failure, junit_document
from mock_server.conformance.answer import LONGEST, Broken, CheckedAnswer, Phrase, Sent, compare, redact
from mock_server.conformance.client import Check, CheckOutcome, CheckResult, MerchantClient, outcome_of

SENT = Sent("GET", "http://localhost/payments/pay_1", (("api-key", "snd_0123456789"),), b"")


def answer(body: bytes, status: int = 200, **headers: str) -> CheckedAnswer:
    return CheckedAnswer(SENT, status, headers, body)


@pytest.mark.parametrize(
    "secret",
    [
        "snd_0123456789", "pk_snd_0123456789", "prd_0123456789", "pk_prd_0123456789", "epk_0123456789",
        "pay_1_secret_0123456789",
        '"payment_response_hash_key": "0123456789"', '"payment_response_hash_key":"0123456789"',
    ],
)  # fmt: skip
def test_secrets_are_not_shown(secret: str) -> None:
    assert "0123456789" not in redact(f"here: {secret}, and more")


def test_a_call_becomes_a_command() -> None:
    headers = (("api-key", "snd_0123456789"), ("X-Sandbox-Token", "between us"), ("X-A", "it's"), ("Host", "localhost"))
    curl = Sent("PUT", "http://localhost/a?b=c&d", headers, '{"ä": "ö"}'.encode()).curl
    assert curl == (
        'curl -si -X PUT \'http://localhost/a?b=c&d\' -H "api-key: $API_KEY" -H "X-Sandbox-Token: $CONTROL_TOKEN"'
        """ -H 'X-A: it'"'"'s' --data-binary '{"ä": "ö"}'"""
    )
    without_key = Sent("GET", "http://localhost/a", (("api-key", ""),), b"")
    assert without_key.curl == "curl -si http://localhost/a -H 'api-key: '"


def test_long_values_are_cut() -> None:
    assert len(str(Broken("it", "x" * 10_000, "y", SENT))) < LONGEST + 200


@pytest.mark.parametrize(
    ("expected", "seen", "said"),
    [
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, "it.a.c: expected 2, seen 3"),
        ([{"a": 1}, {"a": 2}], [{"a": 1}, {"a": 3}], "it.1.a: expected 2, seen 3"),
        ({"a": 1, "b": 2}, {"a": 1, "c": 2}, "the keys of it: expected also ['b'], seen also ['c']"),
        ([1, 2], [1], "it: expected [1, 2], seen [1]"),
        (1, True, "it: expected 1, seen true"),
        (1, 1.0, "it: expected 1, seen 1.0"),
    ],
)
def test_the_first_difference_is_told(expected: Any, seen: Any, said: str) -> None:
    with pytest.raises(Broken) as caught:
        compare("it", expected, seen)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("look", "said"),
    [
        (lambda: answer(b"<html>").json, "the body: expected JSON"),
        (lambda: answer(b'{"a": {}}')["a.b"], "a.b: expected a value, seen nothing"),
        (lambda: answer(b'{"a": [1]}')["a.1"], "a.1: expected a value"),
        (lambda: answer(b"{}", 500).is_(200), "the HTTP status: expected 200, seen 500 with {}"),
        (lambda: answer(b"{}").header("X-A"), "the header X-A: expected to be there"),
        (lambda: answer(b'{"error": {"code": "IR_01"}}', 401).refused(401, "IR_01"), "error.type: expected a text"),
    ],
)
def test_a_look_says_what_is_missing(look: Any, said: str) -> None:
    with pytest.raises(Broken, match=f"^{said}"):
        look()


def failing(run: Any) -> CheckResult:
    check = Check("group.name", "It holds.", "ours", run)
    unused: MerchantClient = None  # type: ignore[assignment]  # these checks ask nobody
    return CheckResult(check, CheckOutcome.FAILED, 0.1, outcome_of(check, unused))


def test_an_answer_that_cannot_be_read_fails_the_check_and_not_the_suite() -> None:
    def run(api: MerchantClient) -> None:
        _: Any = [][0]

    (_, what, expected, seen) = failure(failing(run))
    assert (what, expected) == ("  the answer", "    expected: of the documented shape")
    assert "IndexError" in seen and "run, line" in seen


def test_a_mistake_in_a_check_is_not_passed_over() -> None:
    def run(api: MerchantClient) -> None:
        raise RuntimeError("a mistake of ours")

    with pytest.raises(RuntimeError):
        failing(run)


def test_signs_that_xml_cannot_hold_are_replaced() -> None:
    def run(api: MerchantClient) -> None:
        raise Broken("it", Phrase("\x00 and \x1b"), "ä", SENT)

    text = junit_document([failing(run)], "http://localhost").decode()
    assert "\x00" not in text and "\x1b" not in text and "ä" in text and 'failures="1"' in text


def test_the_count_says_only_what_there_is() -> None:
    assert counted([]) == "nothing to do in 0.0 s"
    assert counted([failing(lambda api: answer(b"", 500).is_(200))]) == "1 failed in 0.1 s"
