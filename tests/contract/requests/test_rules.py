"""What an email address and a link look like."""

from __future__ import annotations

import pytest

from mock_server.contract.kinds.rules import has_letter, is_email, is_web_url


@pytest.mark.parametrize(
    "text",
    [
        "jane.doe@example.com",
        "j@e.io",
        "jane+tag@sub.example.co.uk",
        "o'neil_1@example.com",
        "müller@bücher.example",
        "jane@xn--bcher-kva.example",
        "1@2.example",
        "{a}=b/c?d!e#f$g%h&i*j@example.com",
        "x" * 64 + "@example.com",
    ],
)
def test_addresses(text: str) -> None:
    assert is_email(text)


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com",
        "http://localhost:3000/return?a=b#c",
        "HTTPS://EXAMPLE.COM/",
        "https://user:word@example.com/",
        "http://127.0.0.1/",
        "http://[::1]:8080/x",
        "https://bücher.example/ä?ö=ü",
        "https://example.com?x=1",
        "https://shop_1.example.com:65535/",
    ],
)
def test_links(text: str) -> None:
    assert is_web_url(text)


@pytest.mark.parametrize("text", ["http://", "http:/example.com", "https://[zz]/", "https://a b/", "mailto:a@b.c", "x"])
def test_no_links(text: str) -> None:
    assert not is_web_url(text)


def test_long_nonsense_is_refused_quickly() -> None:
    assert not is_email("a." * 500_000)
    assert not is_email("a@" + "a." * 500_000)
    assert not is_web_url("https://" + "@" * 500_000)
    assert not has_letter("1" * 500_000)


@pytest.mark.parametrize(("text", "has"), [("1a", True), ("1é", True), ("1字", True), ("12-", False), ("", False)])
def test_a_letter_is_a_letter_of_any_alphabet(text: str, has: bool) -> None:
    assert has_letter(text) is has
