"""The headers of a delivery."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from mock_server.webhooks.signing import HEADER, headers

BODY = '{"amount":1,"name":"Zoë"}'.encode()


def by_hand(secret: str) -> str:
    return hmac.new(secret.encode(), BODY, hashlib.sha512).hexdigest()


def test_a_signature_is_the_hmac_of_the_very_bytes() -> None:
    made = dict(headers(BODY, "key", {}))
    assert made[HEADER] == by_hand("key") == made[HEADER].lower()
    assert made["Content-Type"] == "application/json"
    assert made["User-Agent"].startswith("payment-sandbox/")


def test_own_headers_go_along_and_replace_none_of_ours() -> None:
    own = {"X-Tenant": "42", "content-type": "text/plain", "x-webhook-signature-512": "mine", "Host": "elsewhere"}
    made = headers(BODY, "key", own)
    assert [name for name, _ in made] == ["Content-Type", "User-Agent", "X-Tenant", HEADER]
    assert dict(made)[HEADER] == by_hand("key")


@pytest.mark.parametrize("secret", ["key", ""])
def test_a_wrong_signature_looks_like_one(secret: str) -> None:
    wrong = dict(headers(BODY, secret, {}, "wrong"))[HEADER]
    assert wrong != by_hand(secret)
    assert len(wrong) == len(by_hand(secret)) == 128
    assert set(wrong) <= set("0123456789abcdef")
    assert wrong == dict(headers(BODY, secret, {}, "wrong"))[HEADER]


def test_a_missing_one_is_not_there() -> None:
    assert HEADER not in dict(headers(BODY, "key", {}, "missing"))
